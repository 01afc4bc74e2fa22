/*
 * Inputs of commands: maps and records, with errors that tell what a file seems to be from its
 * first bytes; positions from standard input; and whether an output would replace an input.
 */
#include "inputs.h"

#include "values.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/** Enough for the first line of a stream or a record, and for the start of anything else. */
#define START_SIZE 4096

/** The longest name that fits into a message with all that is said of it. */
#define NAME_SIZE "%.400s"

typedef struct start {
    char text[START_SIZE + 1];  ///< with a NUL behind it
    size_t size;
} start;

static bool begins_with(const start *at, const char *bytes, size_t size)
{
    return at->size >= size && memcmp(at->text, bytes, size) == 0;
}

/** The text behind a byte order mark, if there is one. */
static const char *text_of(const start *at)
{
    static const char mark[] = "\xef\xbb\xbf";
    return at->text + (begins_with(at, mark, sizeof(mark) - 1) ? sizeof(mark) - 1 : 0);
}

/** Whether it begins with a brace, as all that we know of JSON does. */
static bool is_object(const start *at)
{
    const char *text = text_of(at);
    return text[strspn(text, " \t\r\n")] == '{';
}

/** Whether a header of CSV, which ends with its line, has a column of that name. */
static bool has_column(const char *header, const char *name)
{
    for (;;) {
        const size_t size = strcspn(header, ",\r\n");
        if (size == strlen(name) && strncasecmp(header, name, size) == 0) return true;
        if (header[size] != ',') return false;
        header += size + 1;
    }
}

/** Which table of roads it is, by its header. */
static sc_input_kind kind_of_table(const start *at)
{
    const char *header = text_of(at);
    while (*header == '#') {
        header += strcspn(header, "\n");
        header += strspn(header, "\r\n");
    }
    if (!has_column(header, "segment")) return SC_INPUT_UNKNOWN;
    if (has_column(header, "count") || has_column(header, "weight")) return SC_INPUT_DENSITY;
    if (has_column(header, "class")) return SC_INPUT_CLASSES;
    return has_column(header, "zone") ? SC_INPUT_ZONES : SC_INPUT_UNKNOWN;
}

static bool has(const start *at, const char *text)
{
    return strstr(at->text, text) != NULL;
}

static sc_input_kind kind_of_object(const start *at)
{
    // A report counts refused profiles, and the queries of a record have one: so in this order.
    if (has(at, "\"success_rate\"") || has(at, "\"promises\"") || has(at, "\"bytes_out\"")) {
        return SC_INPUT_REPORT;
    }
    if (has(at, "\"event\"")) return SC_INPUT_RECORD;
    if (has(at, "\"profile\"")) return SC_INPUT_STREAM;
    if (has(at, "\"FeatureCollection\"") || has(at, "\"Feature\"")) return SC_INPUT_GEOJSON;
    return SC_INPUT_UNKNOWN;
}

static sc_input_kind kind_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return SC_INPUT_UNKNOWN;
    start at;
    at.size = fread(at.text, 1, START_SIZE, file);
    at.text[at.size] = '\0';
    fclose(file);

    if (begins_with(&at, "\x89SCM", 4)) return SC_INPUT_MAP;
    if (begins_with(&at, "\x1f\x8b", 2) || begins_with(&at,
                                                       "\xfd"
                                                       "7zXZ",
                                                       5)) {
        return SC_INPUT_PACKED;
    }
    if (is_object(&at)) return kind_of_object(&at);
    return kind_of_table(&at);
}

/** What each kind is called, and where one gets it. */
static const struct {
    const char *name;
    const char *advice;
} kinds[] = {
    [SC_INPUT_UNKNOWN] = {"something else", ""},
    [SC_INPUT_MAP] = {"a map", "give a .scm file, as 'starcloak map import' makes them"},
    [SC_INPUT_STREAM] = {"a stream of queries", "'starcloak queries' makes streams"},
    [SC_INPUT_RECORD] = {"the record of a run", "--record of 'starcloak simulate' and 'starcloak "
                                                "cloak' makes records"},
    [SC_INPUT_DENSITY] = {"a density", "'starcloak density' makes densities"},
    [SC_INPUT_CLASSES] = {"a table of classes", "it begins with the header segment,class"},
    [SC_INPUT_ZONES] = {"a table of zones", "it begins with the header zone,user,segment"},
    [SC_INPUT_REPORT] = {"a report", ""},
    [SC_INPUT_GEOJSON] = {"GeoJSON", ""},
    [SC_INPUT_PACKED] = {"packed", ""},
};

/** Whether a file of a kind can be read where another is wanted, as far as its start tells. */
static bool may_be(sc_input_kind kind, sc_input_kind wanted)
{
    switch (kind) {
    case SC_INPUT_UNKNOWN:
        return true;
    case SC_INPUT_PACKED:
        return wanted != SC_INPUT_MAP;
    case SC_INPUT_STREAM:
    case SC_INPUT_RECORD:
        // They are told apart line by line: a record's queries are a stream.
        return wanted == SC_INPUT_STREAM || wanted == SC_INPUT_RECORD;
    default:
        return kind == wanted;
    }
}

sc_err sc_input_explain(sc_err err, const char *path, sc_input_kind wanted, sc_diag *diag)
{
    // Only if it could be read, but not as what is wanted. Of standard input no start is left.
    if ((err != SC_EPARSE && err != SC_EFORMAT) || strcmp(path, "-") == 0) return err;
    const sc_input_kind kind = kind_of(path);
    if (may_be(kind, wanted)) return err;
    if (kind == SC_INPUT_PACKED) {
        snprintf(diag->message, sizeof(diag->message),
                 NAME_SIZE ": is compressed, and maps are not read compressed; uncompress it first "
                           "with gunzip or unxz",
                 path);
    } else {
        snprintf(diag->message, sizeof(diag->message), NAME_SIZE ": seems to be %s, not %s; %s",
                 path, kinds[kind].name, kinds[wanted].name, kinds[wanted].advice);
    }
    return err;
}

sc_err sc_input_need_objects(const sc_map *map, const char *path, sc_diag *diag)
{
    if (sc_map_object_count(map) > 0) return SC_OK;
    return sc_explain(
        diag, SC_EMAP,
        NAME_SIZE
        ": the map has no objects to ask for; add objects when it is made ('starcloak map import "
        "... --objects FILE.csv'), or use those of a database (--objects postgresql://...)",
        path);
}

bool sc_input_is_packed(const char *path)
{
    return strcmp(path, "-") != 0 && kind_of(path) == SC_INPUT_PACKED;
}

sc_err sc_input_open_map(const char *path, const char *next, sc_map **out, sc_diag *diag)
{
    const sc_err err = sc_map_open(path, out, diag);
    if (err != SC_EFORMAT) return err;
    const bool is_damaged = kind_of(path) == SC_INPUT_MAP;
    if (!is_damaged && next && kind_of(next) == SC_INPUT_MAP) {
        return sc_explain(diag, err,
                          NAME_SIZE ": is not a map, but " NAME_SIZE " is; the map comes first",
                          path, next);
    }
    return sc_input_explain(err, path, SC_INPUT_MAP, diag);
}

size_t sc_input_marked_segments(const sc_place_classes *classes, uint32_t mask)
{
    const uint32_t *bits = sc_place_classes_bits(classes);
    size_t marked = 0;
    for (size_t i = 0; i < sc_place_classes_segment_count(classes); i++) {
        marked += (bits[i] & mask) != 0;
    }
    return marked;
}

bool sc_input_warns_of_density(const sc_density *density, char words[SC_DENSITY_WARNING_SIZE])
{
    const double mean = sc_density_mean_count(density);
    if (!(mean < SC_DENSITY_FEW_COUNTS)) return false;  // NaN, of weights, is not few
    (void)snprintf(words, SC_DENSITY_WARNING_SIZE,
                   "the density rests on fewer than %.0f counts per road on average (%.2f), so it "
                   "says little of single roads, and 'traffic' protects little; count for longer, "
                   "more travellers or more records",
                   SC_DENSITY_FEW_COUNTS, mean);
    return true;
}

// --- Positions from standard input --------------------------------------------------------------

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
                                    "this is not a position; write longitude and latitude");
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
        snprintf(diag->message, sizeof(diag->message),
                 "this is not a position on the globe; give a longitude of -180 to 180 and a "
                 "latitude of -90 to 90 degrees");
    } else if (err == SC_ENOCOORDS) {
        snprintf(diag->message, sizeof(diag->message),
                 "%.400s: the map has no coordinates, so positions cannot be snapped to it", path);
    } else {
        snprintf(diag->message, sizeof(diag->message), "%s", sc_err_text(err));
    }
    return err;
}

// --- Outputs that would replace an input --------------------------------------------------------
//
// Files are compared by what the system says they are, not by their names: links
// and "./" give one file many names. Names count only where there is no file.

/** No path that the system takes is longer. */
#define PATH_SIZE 4352

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool stat_directory(const char *path, struct stat *out)
{
    char directory[PATH_SIZE];
    const int size = (int)(base_name(path) - path);
    // With a dot behind it, so that no slash at all is the current directory.
    const int written = snprintf(directory, sizeof(directory), "%.*s.", size, path);
    return written > 0 && (size_t)written < sizeof(directory) && stat(directory, out) == 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat status_a;
    struct stat status_b;
    const bool has_a = stat(a, &status_a) == 0;
    const bool has_b = stat(b, &status_b) == 0;
    if (has_a && has_b) return S_ISREG(status_a.st_mode) && is_same_inode(&status_a, &status_b);
    return !has_a && !has_b && strcmp(base_name(a), base_name(b)) == 0 &&
           stat_directory(a, &status_a) && stat_directory(b, &status_b) &&
           is_same_inode(&status_a, &status_b);
}

/** How many bytes of `path` come before ".shp", packed or not; 0 if it does not end so. */
static size_t shp_stem_size(const char *path)
{
    static const char *const endings[] = {".shp", ".shp.xz", ".shp.gz"};
    const size_t size = strlen(path);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const size_t ending_size = strlen(endings[i]);
        if (size <= ending_size) continue;
        if (strcasecmp(path + size - ending_size, endings[i]) == 0) return size - ending_size;
    }
    return 0;
}

bool sc_overlaps(const char *output, const char *input)
{
    if (strcmp(output, "-") == 0) return false;
    if (is_same_file(output, input)) return true;

    // The names by which the reader (src/lib/import/import.c) looks for the table.
    static const char *const tables[] = {".dbf", ".dbf.xz", ".dbf.gz", ".DBF"};
    const size_t stem_size = shp_stem_size(input);
    for (size_t i = 0; stem_size > 0 && i < sizeof(tables) / sizeof(tables[0]); i++) {
        char table[PATH_SIZE];
        snprintf(table, sizeof(table), "%.*s%s", (int)stem_size, input, tables[i]);
        if (is_same_file(output, table)) return true;
    }
    return false;
}
