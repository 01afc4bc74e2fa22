/*
 * `starcloak cloak`: anonymize a recorded stream of queries in virtual time, and
 * tell how well it went.
 */
#include "command.h"

#include <math.h>

#include <starcloak/map.h>

#include "engine_options.h"
#include "inputs.h"
#include "progress_bar.h"
#include "record/stream.h"
#include "run_report.h"
#include "values.h"

typedef struct cloak_options {
    const char *map;
    const char *stream;
    sc_engine_settings settings;
} cloak_options;

enum { KEY_MAX_SNAP_M = SC_KEY_FIRST };

static const sc_option options_table[] = {
    SC_ENGINE_OPTIONS,
    {"max-snap-m", KEY_MAX_SNAP_M, "M",
     "refuse a position farther than M metres from any road (default 1000)", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void check_usage(cloak_options *options, const struct argp_state *state)
{
    if (options->map && !options->stream) {
        sc_usage_error(state, "no queries given; name the QUERIES.jsonl, or - for standard input");
    }
    // Travellers are seeded even where cloaks are not; here there are none.
    if (options->settings.has_seed && options->settings.run.is_secure) {
        sc_usage_error(
            state,
            "--seed makes a run repeatable, and --secure makes it unrepeatable; give one of them");
    }
    sc_engine_settings_check(state, &options->settings,
                             (const char *const[]){options->map, options->stream, NULL});
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    cloak_options *options = state->input;
    if (sc_engine_option(key, argument, state, &options->settings)) return 0;
    switch (key) {
    case KEY_MAX_SNAP_M:
        options->settings.run.limits.max_snap_m =
            sc_value_number(state, "--max-snap-m", argument, 0, HUGE_VAL);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0) break;
        sc_parse_file("stream", argument, state, &options->stream);
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

static int cloak(const sc_call *call, const sc_map *map, const cloak_options *options)
{
    sc_run_options run = options->settings.run;
    sc_run_report report;
    sc_diag diag = {.message = ""};
    sc_stream *stream = NULL;
    sc_demand_tables tables = {0};
    sc_bar bar;
    sc_bar_init(&bar, options->settings.is_quiet);
    run.progress = sc_bar_listen(&bar);
    sc_err err = sc_demand_tables_open(call, &options->settings, map, &tables, &run, &diag);
    if (!err) {
        err = sc_stream_read(map, options->stream, &stream, &diag);
        if (err) err = sc_input_explain(err, options->stream, SC_INPUT_STREAM, &diag);
    }
    if (!err) err = sc_run_stream(map, stream, &run, &report, &diag);
    sc_bar_clear(&bar);
    sc_stream_free(stream);
    const sc_run_view view = {
        .map = options->map, .stream = options->stream, .options = &run, .report = &report};
    if (!err) sc_run_print(call, &view, &options->settings);
    sc_demand_tables_close(&tables);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static int run(sc_call *call)
{
    cloak_options options = {.settings = sc_engine_settings_default()};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    const sc_err err = sc_input_open_map(options.map, options.stream, &map, &diag);
    if (err) return sc_call_fail(call, err, &diag);
    const int status = cloak(call, map, &options);
    sc_map_free(map);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak cloak cal.scm queries.jsonl", "Anonymize a stream, and see how well it went."},
    {"starcloak cloak cal.scm queries.jsonl --engine hybrid --record run.jsonl",
     "Keep a record of the run; 'starcloak verify cal.scm run.jsonl' checks it."},
    {"starcloak queries cal.scm -o - | starcloak cloak cal.scm - --json", "All in one line."},
    {NULL, NULL},
};

const sc_command sc_cmd_cloak = {
    .name = "cloak",
    .summary = "anonymize a recorded stream of queries",
    .arguments = "FILE.scm QUERIES.jsonl",
    .complete = SC_COMPLETE_MAPS,
    .complete_2 = SC_COMPLETE_FILES,
    .description =
        "Read queries, one JSON object per line with user, time, position and profile, and hide "
        "each among the roads around it, together with others. Time is taken from the queries: a "
        "stream of an hour takes only as long as the work. QUERIES.jsonl may be compressed with xz "
        "or gzip; - is standard input.\nIt prints how many queries found a cloak and why others "
        "did not, how long they waited, how large the cloaks are, and what the search cost.\nA "
        "query that is out of range, too far from any road or earlier than one before it is not "
        "admitted: a message on standard error says so, and the run goes on. A line that is not a "
        "query ends it.",
    .options = options_table,
    .topics = sc_run_topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
