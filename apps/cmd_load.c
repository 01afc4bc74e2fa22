/*
 * `starcloak load`: thousands of simulated travellers ask a running service over HTTP; every reply
 * is judged, every query is accounted for.
 *
 * The work is done by src/demo/loadgen; here the travellers are put on the map and get their
 * tokens.
 */
#include "command.h"

#include <signal.h>
#include <stdlib.h>

#include <starcloak/map.h>
#include <starcloak/objects.h>

#include "inputs.h"
#include "load_options.h"
#include "load_report.h"
#include "progress_bar.h"

/** Set by a signal: ask no more, and report. */
static volatile sig_atomic_t is_stopped;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

static void listen_for_stop(void)
{
    // Once: who asks a second time does not want to wait for the last outcomes.
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/** What a run needs beside its options. Zero-initialised. */
typedef struct scene {
    sc_map *map;
    sc_objects *objects;
    sc_road_book book;
    sc_movement **movements;  ///< one per thread
    sc_tokens *tokens;
    sc_load_report *report;
} scene;

static void close_scene(scene *on, unsigned threads)
{
    for (unsigned i = 0; on->movements && i < threads; i++) {
        sc_movement_free(on->movements[i]);
    }
    free(on->movements);
    sc_road_book_fini(&on->book);
    sc_tokens_free(on->tokens);
    sc_objects_release(on->objects);
    sc_map_free(on->map);
    free(on->report);
}

/** Travellers are dealt out evenly; each thread's are moved by numbers of their own. */
static sc_err deal_travellers(const sc_load_settings *settings, scene *on, sc_diag *diag)
{
    const sc_load_options *load = &settings->load;
    const sc_movement_settings *movement = &settings->movement;
    const uint32_t all = (uint32_t)movement->users;
    sc_err err = SC_OK;
    if (!movement->is_walk) err = sc_road_book_init(&on->book, on->map, &load->progress, diag);
    for (unsigned i = 0; i < load->flock_count && !err; i++) {
        const uint32_t count = all / load->flock_count + (i < all % load->flock_count);
        const uint64_t seed = sc_traveller_seed(load->seed, i, SC_FOR_TRIPS);
        const sc_trips_options trips = {
            .count = count, .truck_share = movement->truck_share, .seed = seed};
        err = movement->is_walk ? sc_walk_new(on->map, count, seed, &on->movements[i], diag)
                                : sc_trips_new(on->map, &on->book, &trips, &on->movements[i], diag);
    }
    return err;
}

static sc_err give_tokens(const sc_load_settings *settings, scene *on, sc_diag *diag)
{
    const sc_load_options *load = &settings->load;
    const uint32_t count = (uint32_t)settings->movement.users;
    if (settings->tokens) return sc_tokens_read(settings->tokens, count, &on->tokens, diag);
    // Valid for the run and whatever waits at its end.
    const double seconds = load->warmup_s + load->duration_s + load->patience_s +
                           2 * settings->asking.workload.max_wait_s.max + 3600;
    return sc_tokens_issue(settings->key, count, seconds, &on->tokens, diag);
}

static sc_err prepare(sc_load_settings *settings, scene *on, sc_diag *diag)
{
    sc_load_options *load = &settings->load;
    on->report = calloc(1, sizeof(*on->report));
    on->movements = calloc(load->flock_count, sizeof(sc_movement *));
    if (!on->report || !on->movements) return SC_ENOMEM;
    sc_err err = sc_input_open_map(settings->map, NULL, &on->map, diag);
    if (!err) err = sc_workload_find_category(&settings->asking, on->map, diag);
    if (!err) err = give_tokens(settings, on, diag);
    if (!err && sc_map_object_count(on->map) > 0)
        err = sc_objects_new_from_map(on->map, &on->objects);
    if (!err) err = deal_travellers(settings, on, diag);
    load->workload = settings->asking.workload;
    load->objects = on->objects;
    load->movements = on->movements;
    load->tokens = on->tokens;
    load->stop = &is_stopped;
    return err;
}

/** @param is_alone  whether no report says what they were */
static void tell_violations(const sc_call *call, const sc_load_report *report, bool is_alone)
{
    const unsigned long long count = sc_load_violations(report);
    const sc_load_books *books = &report->books;
    if (is_alone && books->shown_count > 0) {
        const sc_load_remark *first = &books->shown[0];
        sc_call_note(call, "violations: %llu; the first: %s: %s", count,
                     sc_violation_name(first->violation), first->text);
    } else {
        sc_call_note(call, "violations: %llu", count);
    }
}

static int tell(const sc_call *call, const sc_load_settings *settings, const scene *on)
{
    const sc_load_view view = {
        .map = settings->map, .options = &settings->load, .report = on->report};
    if (settings->is_json) {
        sc_load_print_json(stdout, &view);
    } else if (!settings->is_quiet) {
        sc_load_print_text(stdout, &view);
    }
    if (sc_load_violations(on->report) == 0) return SC_EXIT_OK;
    tell_violations(call, on->report, settings->is_quiet && !settings->is_json);
    return SC_EXIT_FAILURE;
}

static int run(sc_call *call)
{
    sc_load_settings settings = sc_load_settings_default();
    sc_call_parse(call, &settings);
    listen_for_stop();

    scene on = {0};
    sc_diag diag = {.message = ""};
    sc_bar bar;
    sc_bar_init(&bar, settings.is_quiet);
    settings.load.progress = sc_bar_listen(&bar);
    sc_err err = prepare(&settings, &on, &diag);
    if (!err) err = sc_load_run(on.map, &settings.load, on.report, &diag);
    sc_bar_clear(&bar);
    const int status = err ? sc_call_fail(call, err, &diag) : tell(call, &settings, &on);
    close_scene(&on, settings.load.flock_count);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak load http://localhost:8080 cal.scm --key tokens.key",
     "1,000 travellers for a minute."},
    {"starcloak load https://localhost:8443 cal.scm --key tokens.key --ca ca.pem -n 20k --threads "
     "2 "
     "--json",
     "Over TLS, from two threads; a report for a program."},
    {"starcloak load http://localhost:8080 cal.scm --key tokens.key --rate 2000 --warmup 10",
     "2,000 queries per second, whoever asks them; the first ten seconds are not measured."},
    {"starcloak load http://localhost:8080 cal.scm --key tokens.key --chaos --duration 300 "
     "--provider-command 'starcloak lbs cal.scm --listen localhost:8090'",
     "Five minutes in which travellers and the provider misbehave."},
    {"starcloak load http://localhost:8080 cal.scm --key tokens.key --hold 50k --threads 3",
     "50,000 queries that wait at the same time."},
    {NULL, NULL},
};

const sc_command sc_cmd_load = {
    .name = "load",
    .summary = "let simulated travellers ask a running service, and check all that it says",
    .arguments = "URL FILE.scm",
    .complete = NULL,
    .complete_2 = SC_COMPLETE_MAPS,
    .description =
        "Put travellers on the roads of a map, the same that the service has. Each drives, has a "
        "token and a connection of its own, and asks the service at URL for the objects nearest to "
        "it: again after a pause (--pause 0: at once), or whenever the dice say so (--rate). Every "
        "reply is judged: is "
        "it "
        "as the service describes it, has the cloak as many users and segments as were asked for, "
        "did it come in time, and, of a sample, is it the exact answer? In the end each query "
        "must have had exactly one outcome, here and in the service's own books (/metrics).\n"
        "With --chaos travellers go away while they wait, stop listening, speak slowly or talk "
        "nonsense, and the provider is killed and stopped; the same must hold.\n"
        "The service should let so many ask from one machine: it limits queries per user and "
        "requests per address. To this machine (127.0.0.1) every traveller comes from an address "
        "of "
        "its own.",
    .options = sc_load_options_table,
    .topics = sc_load_topics,
    .examples = examples,
    .parse = sc_load_parse,
    .run = run,
};
