// Lines of two numbers. See positions.h.
#include "positions.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "values.h"

/** No two numbers need more; a longer line is not what it should be. */
#define LINE_SIZE 512

/** Two numbers separated by blanks or a comma, and nothing else. */
static bool read_position(char *line, double *x, double *y)
{
    static const char separators[] = " \t,\r\n";
    char *rest = NULL;
    const char *first = strtok_r(line, separators, &rest);
    const char *second = first ? strtok_r(NULL, separators, &rest) : NULL;
    return second && !strtok_r(NULL, separators, &rest) && sc_text_to_number(first, x) &&
           sc_text_to_number(second, y);
}

int sc_position_fail(const sc_call *call, uint64_t line, sc_err err, const char *what)
{
    sc_diag diag;
    snprintf(diag.message, sizeof(diag.message), "standard input:%" PRIu64 ": %.900s", line,
             what[0] != '\0' ? what : sc_err_text(err));
    return sc_call_fail(call, err, &diag);
}

int sc_positions_each(const sc_call *call, sc_position_visit visit, void *context)
{
    int status = SC_EXIT_OK;
    char line[LINE_SIZE];
    for (uint64_t number = 1; fgets(line, sizeof(line), stdin); number++) {
        double x = 0;
        double y = 0;
        const bool is_whole = strchr(line, '\n') != NULL || feof(stdin);
        if (!is_whole || !read_position(line, &x, &y)) {
            return sc_position_fail(call, number, SC_EPARSE,
                                    "not a position; write longitude and latitude");
        }
        const int ended = visit(context, number, x, y);
        if (ended != SC_EXIT_OK) status = ended;
        // A full disk does not get less full by going on.
        if (ferror(stdout)) return SC_EXIT_FAILURE;
    }
    if (ferror(stdin)) {
        sc_diag diag;
        snprintf(diag.message, sizeof(diag.message), "reading standard input failed: %s",
                 strerror(errno));
        return sc_call_fail(call, SC_EIO, &diag);
    }
    return status;
}

sc_err sc_position_explain(sc_err err, const sc_map *map, const char *path, double max_snap_m,
                           sc_diag *diag)
{
    if (err == SC_ETOOFAR) {
        snprintf(diag->message, sizeof(diag->message), "no road within %g %s of the position",
                 max_snap_m, sc_map_is_in_metres(map) ? "m" : "units");
    } else if (err == SC_EINVAL) {
        snprintf(diag->message, sizeof(diag->message), "not a position on the globe");
    } else if (err == SC_ENOCOORDS) {
        snprintf(diag->message, sizeof(diag->message),
                 "%.400s: the map has no coordinates, so nothing can be snapped to it", path);
    } else {
        snprintf(diag->message, sizeof(diag->message), "%s", sc_err_text(err));
    }
    return err;
}
