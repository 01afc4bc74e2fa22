/*
 * `starcloak queries`: what travellers ask who move along the roads, as a stream
 * that `starcloak cloak` anonymizes.
 *
 * An open loop: no traveller waits for an answer; each asks again one pause
 * after it asked.
 */
#include "command.h"

#include <string.h>
#include <unistd.h>

#include "format.h"
#include "inputs.h"
#include "movement_options.h"
#include "progress_bar.h"
#include "sim/workload.h"
#include "table.h"
#include "values.h"
#include "workload_options.h"

#define SEED_DEFAULT 1

typedef struct queries_options {
    const char *map;
    const char *output;
    sc_queries_options queries;
    sc_asking asking;
    sc_movement_settings movement;
    bool quiet;
} queries_options;

enum {
    KEY_SECONDS = SC_KEY_FIRST,
    KEY_SEED,
};

static const sc_option options_table[] = {
    {"output", 'o', "QUERIES.jsonl", "where the stream goes (required); - is standard output",
     SC_COMPLETE_FILES},
    {"seconds", KEY_SECONDS, "S", "how long travellers ask, in seconds (default 60)", NULL},
    {"seed", KEY_SEED, "X",
     "seed of the random numbers; the same seed gives the same stream, bit for bit (default 1)",
     NULL},
    SC_MOVEMENT_OPTIONS,
    SC_WORKLOAD_OPTIONS,
    SC_METRIC_OPTION,
    {"quiet", 'q', NULL, "print nothing but errors; no progress bar", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void check_output(const struct argp_state *state, const queries_options *options)
{
    if (!options->output) sc_usage_error(state, "no output given; add -o QUERIES.jsonl");
    sc_value_file(state, "-o", options->output);
    if (strcmp(options->output, "-") == 0 && isatty(STDOUT_FILENO)) {
        sc_usage_error(state, "-o -: a stream is not written to a terminal; add '> QUERIES.jsonl'");
    } else if (options->map && sc_overlaps(options->output, options->map)) {
        sc_usage_error(state, "the output '%s' is also the map; choose another name",
                       options->output);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    queries_options *options = state->input;
    if (sc_workload_option(key, argument, state, &options->asking)) return 0;
    if (sc_movement_option(key, argument, state, &options->movement)) return 0;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case KEY_SECONDS:
        options->queries.seconds = sc_value_number(state, "--seconds", argument, 0, SC_SECONDS_MAX);
        return 0;
    case KEY_SEED:
        options->queries.seed = sc_value_count(state, "--seed", argument, 0, UINT64_MAX);
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_END:
        if (options->map) check_output(state, options);
        sc_movement_settings_check(state, &options->movement);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

static void print_report(const queries_options *options, uint32_t user_count, uint64_t written)
{
    char count[SC_FORMAT_SIZE];
    char users[SC_FORMAT_SIZE];
    FILE *stream = sc_report_stream(options->output);
    sc_print_text(stream, options->output);
    fprintf(stream, ": %s %s of %s %s within %g s\n", sc_format_count(count, written),
            written == 1 ? "query" : "queries", sc_format_count(users, user_count),
            user_count == 1 ? "traveller" : "travellers", options->queries.seconds);
}

// Such a stream may be meant for other limits, so it is made, with a note.
static void warn_of_limits(const sc_call *call, const queries_options *options)
{
    char text[256];
    if (sc_workload_exceeds_limits(&options->asking.workload, text, sizeof(text))) {
        sc_call_note(call, "note: %s by 'starcloak cloak'", text);
    }
}

static sc_crowd_wish wish_of(const queries_options *options)
{
    return (sc_crowd_wish){.settings = &options->movement,
                           .seed = options->queries.seed,
                           .seconds = options->queries.seconds};
}

static sc_err write_queries(queries_options *options, const sc_map *map, sc_crowd *crowd,
                            uint64_t *written, sc_diag *diag)
{
    sc_err err = sc_workload_find_category(&options->asking, map, diag);
    if (err) return err;
    const sc_crowd_wish wish = wish_of(options);
    err = sc_crowd_open(crowd, map, &wish, &options->queries.progress, diag);
    if (err) return err;
    options->queries.workload = options->asking.workload;
    return sc_queries_write(crowd->movement, &options->queries, options->output, written, diag);
}

static int run(sc_call *call)
{
    queries_options options = {
        .queries = {.seed = SEED_DEFAULT, .seconds = SC_SECONDS_DEFAULT},
        .asking = {.workload = sc_workload_default()},
        .movement = sc_movement_settings_default(),
    };
    sc_call_parse(call, &options);

    sc_bar bar;
    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    sc_crowd crowd = {0};
    uint64_t written = 0;
    sc_bar_init(&bar, options.quiet);
    options.queries.progress = sc_bar_listen(&bar);
    sc_err err = sc_input_open_map(options.map, NULL, &map, &diag);
    if (!err) err = write_queries(&options, map, &crowd, &written, &diag);
    sc_bar_clear(&bar);
    const uint32_t user_count = crowd.movement ? crowd.movement->count : 0;
    if (!err && !options.quiet) {
        const sc_crowd_wish wish = wish_of(&options);
        sc_crowd_note(call, &crowd, &wish);
        warn_of_limits(call, &options);
        print_report(&options, user_count, written);
    }
    sc_crowd_close(&crowd);
    sc_map_free(map);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak queries cal.scm --users 10k --seconds 60 --seed 1 -o queries.jsonl",
     "Ten thousand travellers, for a minute."},
    {"starcloak queries cal.scm --k 10:2 --sigma-t 5 -o - | starcloak cloak cal.scm -",
     "Travellers who ask for more users and wait exactly 5 s, cloaked at once."},
    {"starcloak queries sf.scm --traces cabs --trace-fold 3600 --users 10k -o queries.jsonl",
     "Real taxis, all hours of their traces at once, ten thousand of them."},
    {NULL, NULL},
};

const sc_command sc_cmd_queries = {
    .name = "queries",
    .summary = "make a stream of queries of travellers on the roads",
    .arguments = "FILE.scm -o QUERIES.jsonl",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Put travellers on a map, let them drive, and write their queries: user, time, position, "
        "profile and request. Each traveller asks again one pause after its last query, whether it "
        "was answered or not.\nTravellers are cars and trucks that drive from place to place, each "
        "by its fastest route; or they move as in recorded traces (--traces).\nWhat differs "
        "between travellers and between queries is drawn from a normal distribution with the mean "
        "MEAN and the standard deviation DEV (without DEV: all alike). Whole numbers are rounded; "
        "what is drawn stays within four deviations, counts are at least 1 (hops 0), waits at "
        "least 0.1 s and pauses 1 s.\nThe stream has one JSON object per line, in the order of "
        "time. It appears whole or not at all.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
