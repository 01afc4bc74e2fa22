/*
 * `starcloak simulate`: travellers who move along the roads ask, wait for their
 * cloak, pause and ask again, in virtual time; how well does an engine serve them?
 */
#include "command.h"

#include <starcloak/map.h>

#include "engine_options.h"
#include "inputs.h"
#include "progress.h"
#include "run_report.h"
#include "values.h"
#include "workload_options.h"

typedef struct simulate_options {
    const char *map;
    uint64_t users;
    double seconds;
    sc_workload workload;
    sc_engine_settings settings;
} simulate_options;

enum { KEY_SECONDS = SC_KEY_FIRST };

static const sc_option options_table[] = {
    {"users", 'n', "N",
     "how many travellers, 1 to 100M; k and M stand for thousands and millions (default 10k)",
     NULL},
    {"seconds", KEY_SECONDS, "S", "how long they ask, in virtual seconds (default 60)", NULL},
    SC_ENGINE_OPTIONS,
    SC_WORKLOAD_OPTIONS,
    {NULL, 0, NULL, NULL, NULL},
};

static void check_usage(const simulate_options *options, const struct argp_state *state)
{
    char text[256];
    if (sc_workload_exceeds_limits(&options->workload, text, sizeof(text))) {
        sc_usage_error(state, "%s", text);
    }
    sc_engine_settings_check(state, &options->settings, (const char *const[]){options->map, NULL});
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    simulate_options *options = state->input;
    if (sc_engine_option(key, argument, state, &options->settings)) return 0;
    if (sc_workload_option(key, argument, state, &options->workload)) return 0;
    switch (key) {
    case 'n':
        options->users = sc_value_count(state, "--users", argument, 1, SC_TRAVELLERS_MAX);
        return 0;
    case KEY_SECONDS:
        options->seconds = sc_value_number(state, "--seconds", argument, 0, SC_SECONDS_MAX);
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

static int simulate(const sc_call *call, const sc_map *map, const simulate_options *options)
{
    sc_run_options run = options->settings.run;
    sc_run_report report;
    sc_diag diag = {.message = ""};
    sc_bar bar;
    sc_bar_init(&bar, options->settings.is_quiet);
    run.progress = sc_bar_listen(&bar);
    const sc_err err = sc_run_travellers(map, &options->workload, (uint32_t)options->users,
                                         options->seconds, &run, &report, &diag);
    sc_bar_clear(&bar);
    if (err) return sc_call_fail(call, err, &diag);

    const sc_run_view view = {.map = options->map,
                              .users = options->users,
                              .seconds = options->seconds,
                              .options = &run,
                              .report = &report};
    sc_run_print(call, &view, &options->settings);
    return SC_EXIT_OK;
}

static int run(sc_call *call)
{
    simulate_options options = {
        .users = SC_USERS_DEFAULT,
        .seconds = SC_SECONDS_DEFAULT,
        .workload = sc_workload_default(),
        .settings = sc_engine_settings_default(),
    };
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    const sc_err err = sc_input_open_map(options.map, NULL, &map, &diag);
    if (err) return sc_call_fail(call, err, &diag);
    const int status = simulate(call, map, &options);
    sc_map_free(map);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak simulate cal.scm", "10,000 travellers for a minute, with the basic engine."},
    {"starcloak simulate cal.scm --engine hybrid --users 100k --seconds 300 --json",
     "Another engine, more travellers, a report for a program."},
    {"starcloak simulate cal.scm --k 10:2 --record run.jsonl",
     "Travellers who want more company; 'starcloak verify cal.scm run.jsonl' checks every cloak."},
    {NULL, NULL},
};

const sc_command sc_cmd_simulate = {
    .name = "simulate",
    .summary = "let simulated travellers ask, and see how well they are hidden",
    .arguments = "FILE.scm",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Put travellers on the roads. Each drives, asks for the objects nearest to it, waits until "
        "it is hidden in a cloak or its query is dropped, pauses, and asks again. Time is virtual: "
        "it passes as fast as the work is done. After the last question the run goes on until "
        "every "
        "query has its outcome.\n"
        "Printed are how many queries found a cloak and why others did not, how long they waited, "
        "how large the cloaks are, and what the search cost.",
    .options = options_table,
    .topics = sc_run_topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
