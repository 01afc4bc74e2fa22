/*
 * `starcloak cluster status`: listen to a cluster for a moment, and tell who is there and who has
 * which part. It takes no part in anything.
 */
#include "cluster.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cluster/cluster_codec.h"
#include "cluster/cluster_view.h"
#include "cluster_parts.h"
#include "cluster_report.h"
#include "serve_flags.h"
#include "values.h"

// Its settings: how to reach a cluster.
#define SC_FOR_ALL(...) SC_ROW_LEFT(__VA_ARGS__)
#define SC_FOR_DOOR(...) SC_ROW_LEFT(__VA_ARGS__)
#define SC_FOR_RUN(...) SC_ROW_LEFT(__VA_ARGS__)
#define SC_FOR_NATS(...) SC_ROW_TAKEN(__VA_ARGS__)

enum { KEY_SECONDS = SC_KEY_FIRST, KEY_PARTS, KEY_JSON };

static const sc_option options_table[] = {
    {"config", SC_KEY_SERVE_CONFIG, "FILE.ini",
     "the file that gateways and workers are configured with; flags go before it (default: none is "
     "read)",
     SC_COMPLETE_FILES},
    {"seconds", KEY_SECONDS, "S", "how long to listen (default: four heartbeats)", NULL},
    {"parts", KEY_PARTS, NULL, "a line for each part too", NULL},
    {"json", KEY_JSON, NULL, "print everything as one JSON object", NULL},
    SC_SETTING_OPTIONS  //
    {NULL, 0, NULL, NULL, NULL},
};

typedef struct status_options {
    sc_serve_flags flags;
    double seconds;  ///< 0: by the heartbeat
    bool has_parts;
    bool is_json;
} status_options;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    status_options *options = state->input;
    switch (key) {
    case KEY_SECONDS:
        options->seconds = sc_value_number(state, "--seconds", argument, 0.1, 3600.0);
        return 0;
    case KEY_PARTS:
        options->has_parts = true;
        return 0;
    case KEY_JSON:
        options->is_json = true;
        return 0;
    case ARGP_KEY_ARG:
        return ARGP_ERR_UNKNOWN;
    default:
        return sc_serve_option(key, argument, state, &options->flags) ? 0 : ARGP_ERR_UNKNOWN;
    }
}

// --- Listening ---------------------------------------------------------------------------

/** What was heard. */
typedef struct listening {
    pthread_mutex_t lock;
    sc_roster *roster;
    sc_placement *placement;
    uint64_t unreadable;
} listening;

static void receive_heartbeat(void *context, const void *bytes, size_t size)
{
    listening *l = context;
    sc_heartbeat *heartbeat = NULL;
    const sc_err err = sc_heartbeat_decode(0, bytes, size, &heartbeat);
    pthread_mutex_lock(&l->lock);
    if (err) {
        l->unreadable++;
    } else {
        sc_roster_receive(l->roster, heartbeat, sc_clock_calendar_us(), sc_clock_us());
    }
    pthread_mutex_unlock(&l->lock);
}

static void hear_placement(void *context, const void *bytes, size_t size)
{
    listening *l = context;
    sc_placement *placement = NULL;
    const sc_err err = sc_placement_decode(0, bytes, size, &placement);
    pthread_mutex_lock(&l->lock);
    if (err) {
        l->unreadable++;
    } else if (sc_placement_is_newer(placement, l->placement)) {
        sc_placement_free(l->placement);
        l->placement = placement;
        placement = NULL;
    }
    pthread_mutex_unlock(&l->lock);
    sc_placement_free(placement);
}

static void wait_s(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0) {
    }
}

static sc_err listen_for(const sc_bus_options *options, double seconds, listening *l,
                         sc_bus_stats *stats, sc_diag *diag)
{
    sc_bus *bus = NULL;
    sc_bus_subscription *heartbeats = NULL;
    sc_bus_subscription *placements = NULL;
    sc_err err = sc_bus_new(options, &bus, diag);
    if (!err) err = sc_bus_connect(bus, diag);
    if (!err) err = sc_bus_subscribe_heartbeats(bus, receive_heartbeat, l, &heartbeats, diag);
    if (!err) err = sc_bus_subscribe_placements(bus, hear_placement, l, &placements, diag);
    if (!err) {
        wait_s(seconds);
        *stats = sc_bus_stats_of(bus);
    }
    sc_bus_unsubscribe(heartbeats);
    sc_bus_unsubscribe(placements);
    sc_bus_free(bus);
    return err;
}

// --- Telling -----------------------------------------------------------------------------

/** Nobody was heard: perhaps they have another key, or another name. */
static int tell_silence(const sc_call *call, const sc_settings *s, const listening *l,
                        const sc_bus_stats *stats)
{
    if (stats->unopened > 0 || l->unreadable > 0) {
        fprintf(
            stderr,
            "%s: cluster '%s' speaks, but not so that we understand it: see whether cluster-key "
            "is the same, and the program's version\n",
            call->path, s->cluster_name);
    } else {
        fprintf(
            stderr,
            "%s: nobody of a cluster '%s' was heard; see whether gateways and workers run, with "
            "the same nats servers and cluster-name\n",
            call->path, s->cluster_name);
    }
    return SC_EXIT_FAILURE;
}

static int tell(const sc_call *call, const status_options *options, const sc_settings *settings,
                const listening *l, const sc_bus_stats *stats)
{
    const uint32_t parts = l->placement ? l->placement->parts : 0;
    sc_cluster_view *view =
        sc_cluster_view_new(l->roster, l->placement, parts, SC_PEER_NONE, sc_clock_us());
    if (!view) return sc_call_fail(call, SC_ENOMEM, NULL);
    view->bus = *stats;
    view->heartbeat_s = settings->heartbeat_s;
    int status = SC_EXIT_OK;
    if (options->is_json) {
        char *json = sc_cluster_view_json(view);
        if (json) puts(json);
        if (!json) status = sc_call_fail(call, SC_ENOMEM, NULL);
        sc_free(json);
    } else {
        sc_cluster_report(stdout, view, options->has_parts);
    }
    // For scripts: a cluster is fine if every part is served.
    if (!status && !sc_cluster_report_is_fine(view)) status = SC_EXIT_FAILURE;
    sc_cluster_view_free(view);
    return status;
}

static int run_with(sc_call *call, const status_options *options, const sc_settings *settings)
{
    sc_diag diag = {.message = ""};
    sc_cluster_parts parts = {.key = NULL};
    listening l = {.lock = PTHREAD_MUTEX_INITIALIZER};
    sc_bus_stats stats = {.is_connected = false};
    const double seconds = options->seconds > 0.0 ? options->seconds : 4.0 * settings->heartbeat_s;
    sc_err err = sc_cluster_parts_open(settings, &parts, &diag);
    // As if we had listened for long: who leads is told by those who were heard, and not decided.
    if (!err) err = sc_roster_new(0, sc_time_from_seconds(settings->heartbeat_s), 0, &l.roster);
    if (!err) err = listen_for(&parts.bus, seconds, &l, &stats, &diag);
    int status = SC_EXIT_FAILURE;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (sc_roster_count(l.roster) == 0) {
        status = tell_silence(call, settings, &l, &stats);
    } else {
        status = tell(call, options, settings, &l, &stats);
    }
    sc_placement_free(l.placement);
    sc_roster_free(l.roster);
    sc_cluster_parts_close(&parts);
    return status;
}

static int run(sc_call *call)
{
    status_options options = {.seconds = 0.0};
    if (sc_serve_flags_init(&options.flags, call, options_table)) {
        return sc_call_fail(call, SC_ENOMEM, NULL);
    }
    sc_call_parse(call, &options);
    sc_settings *settings = NULL;
    sc_diag diag = {.message = ""};
    bool is_usage = false;
    const sc_err err = sc_serve_gather(&options.flags, NULL, &settings, &is_usage, &diag);
    int status = SC_EXIT_FAILURE;
    if (err) {
        sc_call_fail(call, err, &diag);
        if (is_usage) status = SC_EXIT_USAGE;
    } else {
        status = run_with(call, &options, settings);
    }
    sc_settings_free(settings);
    sc_serve_flags_fini(&options.flags);
    return status;
}

// --- The command ------------------------------------------------------------------------

static const sc_entry examples[] = {
    {"starcloak cluster status --config cluster.ini", "Gateways and workers, and their load."},
    {"starcloak cluster status --config cluster.ini --parts", "And every part."},
    {"starcloak cluster status --config cluster.ini --json | jq '.parts[] | select(.served | not)'",
     "Parts that nobody serves."},
    {NULL, NULL},
};

const sc_command sc_cmd_cluster_status = {
    .name = "status",
    .summary = "who is in a cluster, who has which part, and how busy they are",
    .description =
        "Listens to the signs of life of gateways and workers for a moment, and tells what they "
        "say. "
        "Ends with 0 if there is a gateway and every part of the map is served, else with 1.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
