/*
 * `starcloak simulate`: travellers who move along the roads ask, wait for their
 * cloak, pause and ask again, in virtual time; how well does an engine serve them?
 */
#include <starcloak/map.h>
#include <starcloak/objects.h>

#include "command.h"
#include "engine_options.h"
#include "inputs.h"
#include "movement_options.h"
#include "progress_bar.h"
#include "run_report.h"
#include "sim/evaluate.h"
#include "sim/run.h"
#include "values.h"
#include "workload_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** A record on its way. SC_ANSWERING_NONE to begin with; answering_close(). */
typedef struct answering {
    const char *output;  ///< where the record goes in the end; NULL: there is none
    int memory;          ///< a descriptor of the memory where it waits; -1 if it needs none
    int standard;        ///< the real standard output meanwhile; -1 if that is in place
    char path[32];       ///< of that memory
    bool is_answered;    ///< the record has answers: so many
    uint64_t answer_count;
} answering;

#define SC_ANSWERING_NONE ((answering){.memory = -1, .standard = -1})

// --- The record and its answers -----------------------------------------------------------------

static sc_err fail_system(sc_diag *diag)
{
    return sc_explain(diag, SC_EIO,
                      "--record -: cannot keep the record in memory: %.80s; name a file",
                      strerror(errno));
}

/** Let what goes to standard output go to memory. */
static sc_err turn_aside(answering *record, sc_diag *diag)
{
    record->memory = memfd_create("record", MFD_CLOEXEC);
    if (record->memory < 0) return fail_system(diag);
    if (fflush(stdout) != 0) return fail_system(diag);
    record->standard = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (record->standard < 0) return fail_system(diag);
    if (dup2(record->memory, STDOUT_FILENO) < 0) return fail_system(diag);
    snprintf(record->path, sizeof(record->path), "/proc/self/fd/%d", record->memory);
    return SC_OK;
}

/** And back again. */
static sc_err turn_back(answering *record, sc_diag *diag)
{
    if (record->standard < 0) return SC_OK;
    const bool is_written = fflush(stdout) == 0;
    const bool is_back = dup2(record->standard, STDOUT_FILENO) >= 0;
    close(record->standard);
    record->standard = -1;
    return is_written && is_back ? SC_OK : fail_system(diag);
}

/**
 * Let `run` record where the record can be answered, if one is wanted and the map has objects to
 * answer with. If it has none, a note goes to standard error, unless `is_quiet`.
 */
static sc_err answering_open(answering *record, const sc_call *call, const sc_map *map,
                             bool is_quiet, sc_run_options *run, sc_diag *diag)
{
    if (!run->record) return SC_OK;
    if (sc_map_object_count(map) == 0) {
        if (!is_quiet) {
            sc_call_note(call, "note: the map has no objects, so the record has no answers");
        }
        return SC_OK;
    }
    record->output = run->record;
    if (strcmp(record->memory >= 0 ? record->path : run->record, "-") != 0) return SC_OK;
    return turn_aside(record, diag);
}

/** The run is over: answer its record. */
static sc_err answering_finish(answering *record, const sc_call *call, const sc_map *map,
                               const sc_run_options *run, sc_diag *diag)
{
    if (!record->output) return SC_OK;
    sc_objects *objects = NULL;
    sc_err err = turn_back(record, diag);
    if (!err) err = sc_objects_new_from_map(map, &objects);
    if (err) return err;
    sc_evaluate_options options = sc_evaluate_options_default();
    options.objects = objects;
    options.is_seeded = !run->is_secure;
    options.seed = run->seed;
    options.progress = run->progress;
    sc_evaluate_report report;
    err = sc_evaluate(map, record->memory >= 0 ? record->path : run->record, record->output,
                      &options, &report, diag);
    if (!err) {
        record->is_answered = true;
        record->answer_count = report.answered;
    }
    if (!err && report.failed > 0) {
        sc_call_note(call, "note: %llu queries could not be answered; the first: %.300s",
                     (unsigned long long)report.failed, report.first_failure.message);
    }
    if (!err && report.refused > 0) {
        sc_call_note(call,
                     "note: %llu queries were not answered: they request more objects or a larger "
                     "radius than allowed",
                     (unsigned long long)report.refused);
    }
    sc_objects_release(objects);
    return err;
}

/** Standard output is again what it was. Harmless twice. */
static void answering_close(answering *record)
{
    sc_diag untold;
    (void)turn_back(record, &untold);
    if (record->memory >= 0) close(record->memory);
    *record = SC_ANSWERING_NONE;
}

// --- The command --------------------------------------------------------------------------------

typedef struct simulate_options {
    const char *map;
    double seconds;
    bool has_no_answers;
    sc_asking asking;
    sc_movement_settings movement;
    sc_engine_settings settings;
} simulate_options;

enum { KEY_SECONDS = SC_KEY_FIRST, KEY_NO_ANSWERS };

static const sc_option options_table[] = {
    {"seconds", KEY_SECONDS, "S", "how long travellers ask, in virtual seconds (default 60)", NULL},
    {"no-answers", KEY_NO_ANSWERS, NULL,
     "answer no query; the record then has queries, cloaks and drops only", NULL},
    SC_ENGINE_OPTIONS,
    SC_MOVEMENT_OPTIONS,
    SC_WORKLOAD_OPTIONS,
    SC_METRIC_OPTION,
    {NULL, 0, NULL, NULL, NULL},
};

static void check_usage(simulate_options *options, const struct argp_state *state)
{
    char text[256];
    if (sc_workload_exceeds_limits(&options->asking.workload, text, sizeof(text))) {
        sc_usage_error(state, "%s", text);
    }
    sc_movement_settings_check(state, &options->movement);
    if (options->has_no_answers && !options->settings.run.record) {
        sc_usage_error(state, "--no-answers is about the record; add --record FILE.jsonl");
    }
    sc_engine_settings_check(state, &options->settings, (const char *const[]){options->map, NULL});
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    simulate_options *options = state->input;
    if (sc_engine_option(key, argument, state, &options->settings)) return 0;
    if (sc_workload_option(key, argument, state, &options->asking)) return 0;
    if (sc_movement_option(key, argument, state, &options->movement)) return 0;
    switch (key) {
    case KEY_SECONDS:
        options->seconds = sc_value_number(state, "--seconds", argument, 0, SC_SECONDS_MAX);
        return 0;
    case KEY_NO_ANSWERS:
        options->has_no_answers = true;
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

/** What the run needs beside its options. Zero-initialised. */
typedef struct scene {
    sc_map *map;
    sc_crowd crowd;
    sc_demand_tables tables;
    answering answering;
} scene;

static sc_crowd_wish wish_of(const simulate_options *options)
{
    return (sc_crowd_wish){.settings = &options->movement,
                           .seed = options->settings.run.seed,
                           .seconds = options->seconds};
}

static sc_err simulate(const sc_call *call, simulate_options *options, scene *on,
                       sc_run_options *run, sc_run_report *report, sc_diag *diag)
{
    sc_err err = sc_input_open_map(options->map, NULL, &on->map, diag);
    if (!err) err = sc_workload_find_category(&options->asking, on->map, diag);
    if (!err) {
        err = sc_demand_tables_open(call, &options->settings, on->map, &on->tables, run, diag);
    }
    if (!err && !options->has_no_answers) {
        const bool is_quiet = options->settings.is_quiet;
        err = answering_open(&on->answering, call, on->map, is_quiet, run, diag);
    }
    const sc_crowd_wish wish = wish_of(options);
    if (!err) err = sc_crowd_open(&on->crowd, on->map, &wish, &run->progress, diag);
    if (!err) {
        err = sc_run_travellers(on->crowd.movement, &options->asking.workload, options->seconds,
                                run, report, diag);
    }
    return err ? err : answering_finish(&on->answering, call, on->map, run, diag);
}

static void print_report(const sc_call *call, const simulate_options *options, const scene *on,
                         const sc_run_options *run, const sc_run_report *report)
{
    const sc_run_view view = {.map = options->map,
                              .users = on->crowd.movement->count,
                              .seconds = options->seconds,
                              .has_answers = on->answering.is_answered,
                              .answers = on->answering.answer_count,
                              .options = run,
                              .report = report};
    const sc_crowd_wish wish = wish_of(options);
    if (!options->settings.is_quiet) sc_crowd_note(call, &on->crowd, &wish);
    sc_run_print(call, &view, &options->settings);
}

static int run(sc_call *call)
{
    simulate_options options = {
        .seconds = SC_SECONDS_DEFAULT,
        .asking = {.workload = sc_workload_default()},
        .movement = sc_movement_settings_default(),
        .settings = sc_engine_settings_default(),
    };
    sc_call_parse(call, &options);

    scene on = {.answering = SC_ANSWERING_NONE};
    sc_diag diag = {.message = ""};
    sc_run_options how = options.settings.run;
    sc_run_report report;
    sc_bar bar;
    sc_bar_init(&bar, options.settings.is_quiet);
    how.progress = sc_bar_listen(&bar);
    const sc_err err = simulate(call, &options, &on, &how, &report, &diag);
    sc_bar_clear(&bar);
    if (!err) print_report(call, &options, &on, &how, &report);
    answering_close(&on.answering);
    sc_crowd_close(&on.crowd);
    sc_demand_tables_close(&on.tables);
    sc_map_free(on.map);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak simulate cal.scm", "10,000 travellers for a minute, with the basic engine."},
    {"starcloak simulate cal.scm --engine hybrid --users 100k --seconds 300 --json",
     "Another engine, more travellers, a report for a program."},
    {"starcloak simulate cal.scm --k 10:2 --record run.jsonl",
     "Travellers who ask for more users; 'starcloak verify cal.scm run.jsonl' checks every cloak."},
    {"starcloak simulate cal.scm --engine xstar",
     "One of the methods that StarCloak is compared with."},
    {"starcloak simulate sf.scm --traces cabs --trace-fold 3600 --users 10k",
     "Real taxis, all hours of their traces at once."},
    {NULL, NULL},
};

const sc_command sc_cmd_simulate = {
    .name = "simulate",
    .summary = "let simulated travellers ask, and see how well they are hidden",
    .arguments = "FILE.scm",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Put travellers on the roads. Each drives, asks for the objects nearest to it, waits until "
        "it is hidden in a cloak or its query is dropped, pauses, and asks again. Travellers are "
        "cars and trucks that drive from place to place, each by its fastest route; or they move "
        "as in recorded traces (--traces). Time is virtual: it passes as fast as the work is done. "
        "After the last query the run continues until every query has its outcome.\n"
        "A record (--record) also has the answers of the built-in provider, from the map's "
        "objects; if the map has no objects, it has no answers.\n"
        "It prints how many queries found a cloak and why others did not, how long they waited, "
        "how large the cloaks are, and what the search cost.",
    .options = options_table,
    .topics = sc_run_topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
