/*
 * `starcloak map check`: does a map mean what it should? Opening proves that its
 * bytes are whole; this proves that its tables agree with each other, and that its
 * nearest index, if it has one, is what making it again gives.
 */
#include "command.h"

#include <starcloak/map.h>
#include <starcloak/objects.h>

#include "format.h"
#include "inputs.h"

typedef struct check_options {
    const char *path;
    bool quiet;
} check_options;

static const sc_option options_table[] = {
    {"quiet", 'q', NULL, "print nothing but errors", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    check_options *options = state->input;
    switch (key) {
    case 'q':
        options->quiet = true;
        return 0;
    default:
        return sc_parse_map(key, argument, state, &options->path);
    }
}

/** A complaint about what a map says does not tell which map it is. */
static void name_the_map(const char *path, sc_diag *diag)
{
    const sc_diag said = *diag;
    snprintf(diag->message, sizeof(diag->message), "%.400s: %.600s", path, said.message);
}

/** Check the nearest index of a map that is otherwise sound; *lists says how large it is. */
static sc_err check_index(const sc_map *map, uint32_t *lists, sc_diag *diag)
{
    sc_objects *objects = NULL;
    sc_err err = sc_objects_new_from_map(map, &objects);
    if (err) return err;
    err = sc_objects_check_index(objects, diag);
    *lists = sc_objects_index_info(objects).list_count;
    sc_objects_release(objects);
    return err;
}

static int run(sc_call *call)
{
    check_options options = {.path = NULL};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    sc_err err = sc_input_open_map(options.path, NULL, &map, &diag);
    uint32_t lists = 0;
    if (!err) {
        err = sc_map_check(map, &diag);
        if (!err) err = check_index(map, &lists, &diag);
        if (err && diag.message[0] != '\0') name_the_map(options.path, &diag);
    }
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (!options.quiet) {
        char edges[SC_FORMAT_SIZE];
        char stars[SC_FORMAT_SIZE];
        sc_print_text(stdout, options.path);
        printf(": sound: %s edges and %s stars keep every rule%s\n",
               sc_format_count(edges, sc_map_edge_count(map)),
               sc_format_count(stars, sc_map_star_count(map)),
               lists > 0 ? ", and the nearest index is right" : "");
    }
    sc_map_free(map);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak map check cal.scm", "Say whether cal.scm is sound."},
    {NULL, NULL},
};

const sc_command sc_cmd_map_check = {
    .name = "check",
    .summary = "verify that a map is sound",
    .arguments = "FILE.scm",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Open a map and check all of its invariants: every edge in exactly one segment, segments "
        "that are as long as possible, every segment at a star, the star graph, the order of all "
        "tables, the sums of lengths, and the nearest index, which is made again and compared.\n"
        "Every command verifies the checksums of a map that it opens; this one also "
        "verifies what the tables say.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
