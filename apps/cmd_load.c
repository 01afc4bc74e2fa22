/*
 * `starcloak load`: thousands of simulated travellers ask a running service over HTTP; every reply
 * is judged, every query is accounted for.
 *
 * The work is done by src/demo/loadgen; here the travellers are put on the map and get their
 * tokens.
 */
#include <starcloak/map.h>
#include <starcloak/objects.h>

#include "command.h"
#include "demo/loadgen/loadgen.h"
#include "inputs.h"
#include "load_report.h"
#include "movement_options.h"
#include "progress_bar.h"
#include "values.h"
#include "workload_options.h"

#include <argp.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct load_settings {
    sc_load_options load;  ///< without travellers and tokens, which come later
    const char *map;
    const char *also[SC_LOAD_MAPS - 1];
    size_t also_count;
    const char *key;     ///< a key file to issue tokens with; or
    const char *tokens;  ///< a file of tokens
    sc_asking asking;
    sc_movement_settings movement;
    bool has_travellers;
    bool has_movement;     ///< whether it was said how they move
    bool has_chaos_words;  ///< an option was given that needs --chaos
    bool is_quiet;
    bool is_json;
} load_settings;

// --- Options ------------------------------------------------------------------------------------

/** One traveller has one connection; a load generator cannot have more of them than descriptors. */
#define TRAVELLERS_DEFAULT 1000
#define TRAVELLERS_MAX 1000000
#define THREADS_MAX 64
#define RATE_MAX 1e6

/** Holding: as many users as a service allows one to ask for, for as long, and no farther than
 * next door, so that it is not found. */
#define HOLD_K 1000
#define HOLD_L 1
#define HOLD_HOPS 1
#define HOLD_WAIT_S 3600

/** What a service takes at least, unless its operator says otherwise: less would only be refused.
 */
#define LEAST_K 2
#define LEAST_HOPS 1

enum {
    KEY_KEY = SC_KEY_FIRST,
    KEY_TOKENS,
    KEY_THREADS,
    KEY_DURATION,
    KEY_WARMUP,
    KEY_RATE,
    KEY_CHECK,
    KEY_ALSO,
    KEY_SEED,
    KEY_CA,
    KEY_METRICS,
    KEY_KEEP_ALIVE,
    KEY_PATIENCE,
    KEY_CHAOS,
    KEY_CHAOS_SHARE,
    KEY_CHAOS_EVERY,
    KEY_PROVIDER_COMMAND,
    KEY_HOLD,
    KEY_HOLD_PID,
    KEY_JSON,
};

static const sc_option load_options_table[] = {
    {"travellers", 'n', "N",
     "how many travellers, each with a token and a connection of its own; k stands for thousands "
     "(default 1k)",
     NULL},
    {"key", KEY_KEY, "FILE",
     "the service's key file, to issue tokens to travellers load-1, load-2, ... (default: none; "
     "this or --tokens is needed)",
     SC_COMPLETE_FILES},
    {"tokens", KEY_TOKENS, "FILE", "tokens to use instead, one per line (default: none)",
     SC_COMPLETE_FILES},
    {"duration", KEY_DURATION, "S", "how long to ask and to measure, in seconds (default 60)",
     NULL},
    {"warmup", KEY_WARMUP, "S",
     "ask for S seconds before the measurement begins (default 0; the final counts include them)",
     NULL},
    {"rate", KEY_RATE, "QPS",
     "queries per second of all travellers together, at random times; each is asked by an idle "
     "traveller (default 0: travellers ask, wait, pause and ask again)",
     NULL},
    {"threads", KEY_THREADS, "N",
     "threads to ask from, each with its share of the travellers and its own limit of descriptors "
     "(default 1)",
     NULL},
    {"check", KEY_CHECK, "N",
     "compare N of 1,000 answers with a plain search on the map, if it has objects: which objects, "
     "their distances, travel times and names (default 10); with 0 the objects of replies are not "
     "read, "
     "which takes less time",
     NULL},
    {"also", KEY_ALSO, "FILE.scm",
     "a map that the service may change to meanwhile; an answer may be the exact one of it, too; "
     "may be given up to 7 times (default: none)",
     SC_COMPLETE_MAPS},
    {"seed", KEY_SEED, "N",
     "seed of the travellers; the same seed gives the same travellers (default 1)", NULL},
    {"ca", KEY_CA, "FILE",
     "certificates of the authorities to trust, PEM (default: those of the system)",
     SC_COMPLETE_FILES},
    {"metrics", KEY_METRICS, "URL",
     "the address of the metrics: /metrics of the service's admin listener (default: of the same "
     "URL, which has them if 'admin' is 'listen'); 'off': do not ask",
     "off"},
    {"keep-alive", KEY_KEEP_ALIVE, "S",
     "replace a connection that was idle for S seconds; use less than the service's idle timeout "
     "(default 45)",
     NULL},
    {"patience", KEY_PATIENCE, "S",
     "how long after its deadline a query may still be answered: the provider takes time (default "
     "30)",
     NULL},
    {"chaos", KEY_CHAOS, NULL,
     "inject faults: clients disconnect, stop reading, send slowly, send too much or send invalid "
     "requests; all of it is accounted for",
     NULL},
    {"chaos-share", KEY_CHAOS_SHARE, "X", "the share of queries with such a fault (default 0.2)",
     NULL},
    {"provider-command", KEY_PROVIDER_COMMAND, "COMMAND",
     "start the provider, as 'starcloak lbs map.scm', and kill it, start it again, stop and "
     "continue it at random (default: leave the provider alone)",
     NULL},
    {"chaos-every", KEY_CHAOS_EVERY, "S",
     "mean seconds between two of these (default 10); the provider is down for a fifth of it on "
     "average, and every fourth time for 12 to 15 s, in which queries may fail",
     NULL},
    {"hold", KEY_HOLD, "N",
     "instead: let N travellers ask for cloaks that cannot be found, count how many queries the "
     "service holds at once, and end; the service must allow k = 1,000 and a wait of 3,600 s "
     "(--max-k, --max-wait) (default: ask as usual)",
     NULL},
    {"hold-pid", KEY_HOLD_PID, "PID",
     "with --hold: measure the memory of this process, the service's (default: do not)", NULL},
    SC_DRIVE_OPTIONS,
    SC_WORKLOAD_OPTIONS,
    SC_METRIC_OPTION,
    {"quiet", 'q', NULL, "print nothing but errors and what --json asks for; no progress bar",
     NULL},
    {"json", KEY_JSON, NULL, "print the report as one JSON object, with --quiet too", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static load_settings load_settings_default(void)
{
    load_settings settings = {
        .load = sc_load_options_default(),
        .asking = {.workload = sc_workload_default()},
        .movement = sc_movement_settings_default(),
    };
    settings.movement.users = TRAVELLERS_DEFAULT;
    return settings;
}

// --- Values -----------------------------------------------------------------------

/** Options that are numbers of seconds, or the like; false if `key` is none. */
static bool take_number(int key, const char *argument, const struct argp_state *state,
                        load_settings *settings)
{
    sc_load_options *load = &settings->load;
    switch (key) {
    case SC_KEY_WORKLOAD_PAUSE:
        // Shorter pauses than a second make no sense in virtual time; here one may do without.
        load->is_restless = strcmp(argument, "0") == 0;
        return load->is_restless;
    case KEY_DURATION:
        load->duration_s = sc_value_number(state, "--duration", argument, 0, SC_SECONDS_MAX);
        return true;
    case KEY_WARMUP:
        load->warmup_s = sc_value_number(state, "--warmup", argument, 0, SC_SECONDS_MAX);
        return true;
    case KEY_RATE:
        load->rate = sc_value_number(state, "--rate", argument, 0, RATE_MAX);
        return true;
    case KEY_KEEP_ALIVE:
        load->keep_alive_s = sc_value_number(state, "--keep-alive", argument, 0, SC_SECONDS_MAX);
        return true;
    case KEY_PATIENCE:
        load->patience_s = sc_value_number(state, "--patience", argument, 0, SC_SECONDS_MAX);
        return true;
    case KEY_CHAOS_SHARE:
        settings->has_chaos_words = true;
        load->chaos.share = sc_value_number(state, "--chaos-share", argument, 0, 1);
        return true;
    case KEY_CHAOS_EVERY:
        settings->has_chaos_words = true;
        load->chaos.every_s =
            sc_value_number(state, "--chaos-every", argument, 0.1, SC_SECONDS_MAX);
        return true;
    default:
        return false;
    }
}

static bool take_count(int key, const char *argument, const struct argp_state *state,
                       load_settings *settings)
{
    sc_load_options *load = &settings->load;
    switch (key) {
    case 'n':
        settings->has_travellers = true;
        settings->movement.users =
            sc_value_count(state, "--travellers", argument, 1, TRAVELLERS_MAX);
        return true;
    case KEY_HOLD:
        load->holds = true;
        settings->movement.users = sc_value_count(state, "--hold", argument, 1, TRAVELLERS_MAX);
        return true;
    case KEY_HOLD_PID:
        load->hold_pid = (int)sc_value_count(state, "--hold-pid", argument, 1, INT32_MAX);
        return true;
    case KEY_THREADS:
        load->group_count = (unsigned)sc_value_count(state, "--threads", argument, 1, THREADS_MAX);
        return true;
    case KEY_CHECK:
        load->check_per_mille = (unsigned)sc_value_count(state, "--check", argument, 0, 1000);
        return true;
    case KEY_SEED:
        load->seed = sc_value_count(state, "--seed", argument, 0, UINT64_MAX);
        return true;
    default:
        return false;
    }
}

static bool take_text(int key, const char *argument, load_settings *settings)
{
    sc_load_options *load = &settings->load;
    switch (key) {
    case KEY_KEY:
        settings->key = argument;
        return true;
    case KEY_TOKENS:
        settings->tokens = argument;
        return true;
    case KEY_CA:
        load->ca = argument;
        return true;
    case KEY_METRICS:
        load->without_metrics = strcmp(argument, "off") == 0;
        load->metrics = load->without_metrics ? NULL : argument;
        return true;
    case KEY_PROVIDER_COMMAND:
        settings->has_chaos_words = true;
        load->chaos.provider_command = argument;
        return true;
    default:
        return false;
    }
}

static bool take_switch(int key, load_settings *settings)
{
    switch (key) {
    case KEY_CHAOS:
        settings->load.chaos.is_on = true;
        return true;
    case KEY_JSON:
        settings->is_json = true;
        return true;
    case 'q':
        settings->is_quiet = true;
        return true;
    default:
        return false;
    }
}

// --- Together ---------------------------------------------------------------------

static void fill_in(sc_normal *spread, const sc_normal *usual, double mean)
{
    if (spread->mean == usual->mean && spread->deviation == usual->deviation) {
        *spread = sc_normal_around(mean, 0, 0);
    }
}

/** Options that were not given are set so that no query finds others for a cloak. */
static void fill_in_holding(sc_workload *workload)
{
    const sc_workload usual = sc_workload_default();
    fill_in(&workload->k, &usual.k, HOLD_K);
    fill_in(&workload->l, &usual.l, HOLD_L);
    fill_in(&workload->max_hops, &usual.max_hops, HOLD_HOPS);
    fill_in(&workload->max_wait_s, &usual.max_wait_s, HOLD_WAIT_S);
}

static void raise_least(sc_normal *spread, double least)
{
    if (spread->mean >= least) spread->min = fmax(spread->min, least);
}

static void check_usage(load_settings *settings, const struct argp_state *state)
{
    const sc_load_options *load = &settings->load;
    char text[256];
    if (!load->url)
        sc_usage_error(state,
                       "no URL and no map given; give the URL of the service and its FILE.scm");
    if (!settings->map) {
        sc_usage_error(state, "no map given; name the FILE.scm that the service uses");
    }
    if (!settings->key == !settings->tokens) {
        sc_usage_error(state, "travellers need tokens; give either --key FILE, the service's key "
                              "file, or --tokens FILE");
    }
    if (settings->movement.users < load->group_count) {
        sc_usage_error(state, "--threads: there are fewer travellers than threads");
    }
    if (load->hold_pid && !load->holds) sc_usage_error(state, "--hold-pid needs --hold");
    if (load->holds && (settings->has_travellers || load->chaos.is_on || load->rate > 0)) {
        sc_usage_error(state, "--hold cannot be combined with --travellers, --rate or --chaos");
    }
    if (settings->has_chaos_words && !load->chaos.is_on) {
        sc_usage_error(state, "--chaos-share, --chaos-every and --provider-command need --chaos");
    }
    sc_movement_settings_check(state, &settings->movement);
    sc_workload *workload = &settings->asking.workload;
    if (load->holds) {
        fill_in_holding(workload);
        // Who is on the way somewhere meets others at the busy crossings, a thousand of them even.
        if (!settings->has_movement) settings->movement.is_walk = true;
    }
    raise_least(&workload->k, LEAST_K);
    raise_least(&workload->max_hops, LEAST_HOPS);
    if (sc_workload_exceeds_limits(workload, text, sizeof(text))) sc_usage_error(state, "%s", text);
}

static error_t take_argument(const char *argument, const struct argp_state *state,
                             load_settings *settings)
{
    if (!settings->load.url) {
        if (strncasecmp(argument, "http://", 7) != 0 && strncasecmp(argument, "https://", 8) != 0) {
            sc_usage_error(state,
                           "'%s' is not the URL of a service; write it as http://localhost:8080",
                           argument);
        }
        settings->load.url = argument;
    } else if (!settings->map) {
        settings->map = argument;
    } else {
        sc_usage_error(state, "too many arguments; give one URL and one map");
    }
    return 0;
}

static error_t load_parse(int key, char *argument, struct argp_state *state)
{
    load_settings *settings = state->input;
    if (key == SC_KEY_MOVEMENT || key == SC_KEY_TRUCKS) settings->has_movement = true;
    if (key == KEY_ALSO) {
        if (settings->also_count == SC_LOAD_MAPS - 1) {
            sc_usage_error(state, "--also: at most %d other maps", SC_LOAD_MAPS - 1);
        }
        settings->also[settings->also_count++] = argument;
        return 0;
    }
    if (take_number(key, argument, state, settings) || take_count(key, argument, state, settings) ||
        take_text(key, argument, settings) || take_switch(key, settings) ||
        sc_workload_option(key, argument, state, &settings->asking) ||
        sc_movement_option(key, argument, state, &settings->movement)) {
        return 0;
    }
    if (key == ARGP_KEY_ARG) return take_argument(argument, state, settings);
    if (key == ARGP_KEY_END) check_usage(settings, state);
    return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

// --- The command --------------------------------------------------------------------------------

/** Set by a signal: ask no more, and report. */
static volatile sig_atomic_t is_stopped;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

static void listen_for_stop(void)
{
    // Once: a second signal means not to wait for the last outcomes.
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/** What a run needs beside its options. Zero-initialised. */
typedef struct scene {
    sc_map *map;
    sc_objects *objects;
    sc_load_map others[SC_LOAD_MAPS - 1];
    size_t other_count;
    sc_route_table routes;
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
    sc_route_table_fini(&on->routes);
    sc_tokens_free(on->tokens);
    sc_objects_release(on->objects);
    sc_map_free(on->map);
    for (size_t i = 0; i < on->other_count; i++) {
        sc_objects_release(on->others[i].objects);
        sc_map_free(on->others[i].map);
    }
    free(on->report);
}

/** Travellers are dealt out evenly; each thread's are moved by numbers of their own. */
static sc_err deal_travellers(const load_settings *settings, scene *on, sc_diag *diag)
{
    const sc_load_options *load = &settings->load;
    const sc_movement_settings *movement = &settings->movement;
    const uint32_t all = (uint32_t)movement->users;
    sc_err err = SC_OK;
    if (!movement->is_walk) err = sc_route_table_init(&on->routes, on->map, &load->progress, diag);
    for (unsigned i = 0; i < load->group_count && !err; i++) {
        const uint32_t count = all / load->group_count + (i < all % load->group_count);
        const uint64_t seed = sc_traveller_seed(load->seed, i, SC_FOR_TRIPS);
        const sc_trips_options trips = {
            .count = count, .truck_share = movement->truck_share, .seed = seed};
        err = movement->is_walk
                  ? sc_walk_new(on->map, count, seed, &on->movements[i], diag)
                  : sc_trips_new(on->map, &on->routes, &trips, &on->movements[i], diag);
    }
    return err;
}

static sc_err give_tokens(const load_settings *settings, scene *on, sc_diag *diag)
{
    const sc_load_options *load = &settings->load;
    const uint32_t count = (uint32_t)settings->movement.users;
    if (settings->tokens) return sc_tokens_read(settings->tokens, count, &on->tokens, diag);
    // Valid for the run and whatever waits at its end.
    const double seconds = load->warmup_s + load->duration_s + load->patience_s +
                           2 * settings->asking.workload.max_wait_s.max + 3600;
    return sc_tokens_issue(settings->key, count, seconds, &on->tokens, diag);
}

/** Maps with objects and coordinates: without, nothing can be compared. */
static sc_err open_others(const load_settings *settings, scene *on, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < settings->also_count; i++) {
        sc_load_map *other = &on->others[on->other_count++];
        err = sc_input_open_map(settings->also[i], NULL, &other->map, diag);
        if (!err && (sc_map_coords(other->map) != sc_map_coords(on->map) ||
                     sc_map_coords(on->map) == SC_COORDS_NONE || !on->objects)) {
            return sc_explain(
                diag, SC_EINVAL,
                "%s: --also needs maps with objects, and with coordinates of one kind",
                settings->also[i]);
        }
        if (!err) err = sc_input_need_objects(other->map, settings->also[i], diag);
        if (!err) err = sc_objects_new_from_map(other->map, &other->objects);
    }
    return err;
}

static sc_err prepare(load_settings *settings, scene *on, sc_diag *diag)
{
    sc_load_options *load = &settings->load;
    on->report = calloc(1, sizeof(*on->report));
    on->movements = calloc(load->group_count, sizeof(sc_movement *));
    if (!on->report || !on->movements) return SC_ENOMEM;
    sc_err err = sc_input_open_map(settings->map, NULL, &on->map, diag);
    if (!err) err = sc_workload_find_category(&settings->asking, on->map, diag);
    if (!err) err = give_tokens(settings, on, diag);
    if (!err && sc_map_object_count(on->map) > 0)
        err = sc_objects_new_from_map(on->map, &on->objects);
    if (!err) err = open_others(settings, on, diag);
    if (!err) err = deal_travellers(settings, on, diag);
    load->others = on->others;
    load->other_count = on->other_count;
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
    const sc_load_counts *counts = &report->counts;
    if (is_alone && counts->shown_count > 0) {
        const sc_load_remark *first = &counts->shown[0];
        sc_call_note(call, "violations: %llu; the first: %s: %s", count,
                     sc_violation_name(first->violation), first->text);
    } else {
        sc_call_note(call, "violations: %llu", count);
    }
}

/** Each thread has a table of descriptors, and raises its limit as far as it may. */
static void note_few_descriptors(const sc_call *call, const sc_load_options *load)
{
    enum { REST = 16 };
    struct rlimit limit;
    uint64_t most = 0;
    for (unsigned i = 0; i < load->group_count; i++) {
        if (load->movements[i]->count > most) most = load->movements[i]->count;
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || most + REST <= limit.rlim_max) return;
    sc_call_note(call,
                 "this machine allows %llu connections per thread, and %llu travellers share one; "
                 "queries without a connection are counted as unsent; use more --threads, or raise "
                 "'ulimit -n'",
                 (unsigned long long)(limit.rlim_max > REST ? limit.rlim_max - REST : 0),
                 (unsigned long long)most);
}

static int tell(const sc_call *call, const load_settings *settings, const scene *on)
{
    const sc_load_view view = {
        .map = settings->map, .options = &settings->load, .report = on->report};
    if (settings->is_json || !settings->is_quiet) sc_load_print(stdout, settings->is_json, &view);
    const unsigned long long lacking = sc_load_lacking(on->report);
    if (lacking > 0) {
        sc_call_note(call, "%llu queries were not sent: this machine had no descriptor or port",
                     lacking);
    }
    if (sc_load_violations(on->report) == 0) return SC_EXIT_OK;
    tell_violations(call, on->report, settings->is_quiet && !settings->is_json);
    return SC_EXIT_FAILURE;
}

static int run(sc_call *call)
{
    load_settings settings = load_settings_default();
    sc_call_parse(call, &settings);
    listen_for_stop();

    scene on = {0};
    sc_diag diag = {.message = ""};
    sc_bar bar;
    sc_bar_init(&bar, settings.is_quiet);
    settings.load.progress = sc_bar_listen(&bar);
    sc_err err = prepare(&settings, &on, &diag);
    if (!err) note_few_descriptors(call, &settings.load);
    if (!err) err = sc_load_run(on.map, &settings.load, on.report, &diag);
    sc_bar_clear(&bar);
    const int status = err ? sc_call_fail(call, err, &diag) : tell(call, &settings, &on);
    close_scene(&on, settings.load.group_count);
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
     "2,000 queries per second, by any of the travellers; the first ten seconds are not measured."},
    {"starcloak load http://localhost:8080 cal.scm --key tokens.key --chaos --duration 300 "
     "--provider-command 'starcloak lbs cal.scm --listen localhost:8090'",
     "Five minutes with faults of clients and of the provider."},
    {"starcloak load http://localhost:8080 cal.scm --key tokens.key --hold 50k --threads 3",
     "50,000 queries that wait at the same time."},
    {NULL, NULL},
};

const sc_command sc_cmd_load = {
    .name = "load",
    .summary = "let simulated travellers ask a running service, and check every reply",
    .arguments = "URL FILE.scm",
    .complete = NULL,
    .complete_2 = SC_COMPLETE_MAPS,
    .description =
        "Put travellers on the roads of a map, the same that the service uses. Each drives, has a "
        "token and a connection of its own, and asks the service at URL for the objects nearest to "
        "it: again after a pause (--pause 0: at once), or at random times (--rate). Every reply is "
        "checked: that it matches /openapi.json, that the cloak has as many users and segments as "
        "were asked for, that it came in time, and, for a sample, that it is the exact answer. At "
        "the end each query must have exactly one outcome, here and in the service's own counts "
        "(/metrics).\nWith --chaos, clients disconnect while they wait, stop reading, send slowly "
        "or send invalid requests, and the provider is killed and stopped; the same must "
        "hold.\nThe service must allow that many requests from one machine: it limits queries per "
        "user and requests per address. If it runs on this machine (127.0.0.1), every traveller "
        "connects from an address of its own.",
    .options = load_options_table,
    .topics = sc_load_topics,
    .examples = examples,
    .parse = load_parse,
    .run = run,
};
