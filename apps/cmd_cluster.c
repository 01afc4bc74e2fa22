/*
 * `starcloak cluster`: gateways and workers as a whole. `key` makes files with the keys of a
 * cluster; `status` listens to the messages of a cluster for a moment and prints its gateways,
 * workers and parts. It sends nothing.
 */
#include "base/alloc.h"
#include "base/clock.h"
#include "cluster/cluster_codec.h"
#include "cluster/cluster_key.h"
#include "cluster/cluster_view.h"
#include "cluster/freshness.h"
#include "cluster_setup.h"
#include "command.h"
#include "format.h"
#include "serve_run.h"
#include "table.h"
#include "values.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// --- cluster key --------------------------------------------------------------------------------
//
// `starcloak cluster key`: a new file with the key of the gateways or of a worker, for its owner
// alone.

enum { KEY_WORKER = SC_KEY_FIRST, KEY_FROM };

static const sc_option key_option_table[] = {
    {"worker", KEY_WORKER, "NAME",
     "make the key of this worker, from that of the gateways; the worker is called NAME unless it "
     "has a --name",
     NULL},
    {"from", KEY_FROM, "FILE", "with --worker: the key of the gateways", SC_COMPLETE_FILES},
    {NULL, 0, NULL, NULL, NULL},
};

typedef struct key_options {
    const char *path;
    const char *worker;  ///< NULL: a key for gateways
    const char *from;
} key_options;

static error_t parse_key(int key, char *argument, struct argp_state *state)
{
    key_options *options = state->input;
    switch (key) {
    case KEY_WORKER:
        if (!sc_peer_name_is_valid(argument, strlen(argument))) {
            sc_usage_error(state, "--worker must be 1 to 63 letters, digits, '-', '_' and '.'");
        }
        options->worker = argument;
        return 0;
    case KEY_FROM:
        options->from = argument;
        return 0;
    case ARGP_KEY_ARG:
        sc_parse_file("key file", argument, state, &options->path);
        return 0;
    case ARGP_KEY_END:
        if (!options->path) sc_usage_error(state, "no file given; name the file to create");
        if (options->worker && !options->from) {
            sc_usage_error(state, "--worker needs the key of the gateways; add --from FILE");
        }
        if (options->from && !options->worker) {
            sc_usage_error(state, "--from is for the key of a worker; add --worker NAME");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static sc_err fail(sc_diag *diag, const char *path, const char *why)
{
    return sc_explain(diag, SC_EIO, "%s: %s", path, why);
}

static sc_err write_new(const char *path, const char *line, sc_diag *diag)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return fail(
            diag, path,
            errno == EEXIST
                ? "the file exists already, and a key is never replaced; choose another name"
                : strerror(errno));
    }
    const size_t size = strlen(line);
    const bool is_written = write(fd, line, size) == (ssize_t)size && fsync(fd) == 0;
    const int why = errno;
    if (close(fd) == 0 && is_written) return SC_OK;
    unlink(path);
    return fail(diag, path, strerror(why));
}

static sc_err make_for_worker(const key_options *options, char line[SC_CLUSTER_KEY_LINE],
                              sc_diag *diag)
{
    sc_cluster_key *gateways = NULL;
    sc_err err = sc_cluster_key_read(options->from, SC_CLUSTER_GATEWAY, &gateways, diag);
    if (!err) err = sc_cluster_key_make_worker(gateways, options->worker, line, diag);
    sc_cluster_key_free(gateways);
    return err;
}

static int run_key(sc_call *call)
{
    key_options options = {.path = NULL};
    sc_call_parse(call, &options);
    sc_diag diag = {.message = ""};
    char line[SC_CLUSTER_KEY_LINE];
    sc_err err =
        options.worker ? make_for_worker(&options, line, &diag) : sc_cluster_key_make(line, &diag);
    if (!err) err = write_new(options.path, line, &diag);
    explicit_bzero(line, sizeof line);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry key_examples[] = {
    {"starcloak cluster key gateways.key", "A new cluster; every gateway gets this file."},
    {"starcloak cluster key --worker w1 --from gateways.key w1.key",
     "The key of one worker, for that machine alone."},
    {NULL, NULL},
};

static const sc_command cmd_cluster_key = {
    .name = "key",
    .summary = "make the keys of the processes of a cluster",
    .arguments = "FILE",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Write a key to a new file that only its owner may read. An existing file is never "
        "replaced.\nThe gateways of a cluster share one random key. It encrypts and signs their "
        "messages, and names travellers by pseudonyms that are the same at all gateways: anyone "
        "who has it can read and forge both. With --worker, the key of one worker is made from it, "
        "the same for the same name. A worker's key opens what is sent to that worker, and cannot "
        "name travellers or speak for gateways and other workers. A new key for the gateways means "
        "a new cluster, and new keys for its workers.",
    .options = key_option_table,
    .examples = key_examples,
    .parse = parse_key,
    .run = run_key,
};

// --- Tables of cluster status -------------------------------------------------------------------

static size_t count_peers(const sc_cluster_view *view, bool is_worker)
{
    size_t count = 0;
    for (size_t i = 0; i < view->peer_count; i++) {
        const sc_cluster_view_peer *peer = &view->peers[i];
        count += peer->is_worker == is_worker && !peer->is_stranger;
    }
    return count;
}

static uint32_t count_served(const sc_cluster_view *view)
{
    uint32_t served = 0;
    for (uint32_t i = 0; i < view->part_count; i++) {
        served += view->parts[i].is_served;
    }
    return served;
}

/** A gateway is there, and every part is served. */
static bool cluster_report_is_fine(const sc_cluster_view *view)
{
    return count_peers(view, false) > 0 && view->part_count > 0 &&
           count_served(view) == view->part_count;
}

static const char *state_of(const sc_cluster_view_peer *peer)
{
    if (peer->is_stranger) {
        return peer->differs ? "has other demands" : "has another partition of the map";
    }
    if (peer->differs) return "searches by other settings";
    if (peer->is_leaving) return "leaving";
    return peer->is_leader ? "leader" : "";
}

/** By how much a process's clock is ahead of ours, less the time that its heartbeats take. */
static double clock_ahead_s(const sc_cluster_view_peer *peer)
{
    return -peer->skew_s;
}

/** As in the logs of NATS and in /v1/cluster. */
typedef struct peer_id {
    char text[17];
} peer_id;

static peer_id id_of(const sc_cluster_view_peer *peer)
{
    peer_id id;
    snprintf(id.text, sizeof id.text, "%016" PRIx64, peer->peer);
    return id;
}

static void put_gateway(sc_report *table, const sc_cluster_view_peer *peer)
{
    char memory[SC_FORMAT_SIZE];
    const peer_id id = id_of(peer);
    const sc_cell cells[] = {
        sc_cell_text("gateway", NULL, -24, peer->name),
        sc_cell_text("id", NULL, -16, id.text),
        sc_cell_number("clock s", NULL, 9, clock_ahead_s(peer), 3),
        sc_cell_number("cores", NULL, 8, peer->cpu, 2),
        sc_cell_count("open", NULL, 8, peer->open),
        sc_cell_text("memory", NULL, 10, sc_format_bytes(memory, peer->memory)),
        sc_cell_count("sent", NULL, 12, peer->messages_out),
        sc_cell_count("received", NULL, 12, peer->messages_in),
        sc_cell_text("", NULL, -1, state_of(peer)),
    };
    sc_report_cells(table, cells, sizeof(cells) / sizeof(cells[0]));
}

static void put_worker(sc_report *table, const sc_cluster_view_peer *peer)
{
    char memory[SC_FORMAT_SIZE];
    const peer_id id = id_of(peer);
    const sc_cell cells[] = {
        sc_cell_text("worker", NULL, -24, peer->name),
        sc_cell_text("id", NULL, -16, id.text),
        sc_cell_number("clock s", NULL, 9, clock_ahead_s(peer), 3),
        sc_cell_count("threads", NULL, 7, peer->threads),
        sc_cell_count("parts", NULL, 6, peer->parts),
        sc_cell_number("queries/s", NULL, 10, peer->load, 1),
        sc_cell_number("cores", NULL, 8, peer->cpu, 2),
        sc_cell_count("open", NULL, 8, peer->open),
        sc_cell_text("memory", NULL, 10, sc_format_bytes(memory, peer->memory)),
        sc_cell_count("proposals", NULL, 10, peer->engines.proposals),
        sc_cell_count("refused", NULL, 8, peer->engines.proposals_refused),
        sc_cell_text("", NULL, -1, state_of(peer)),
    };
    sc_report_cells(table, cells, sizeof(cells) / sizeof(cells[0]));
}

static const char *owner_of(const sc_cluster_view *view, sc_peer owner)
{
    for (size_t i = 0; i < view->peer_count; i++) {
        if (view->peers[i].peer == owner) return view->peers[i].name;
    }
    return owner == SC_PEER_NONE ? "none" : "unknown";
}

static void put_part(sc_report *table, const sc_cluster_view *view, uint32_t id)
{
    const sc_cluster_view_part *part = &view->parts[id];
    const sc_cell cells[] = {
        sc_cell_id("part", NULL, 5, id),
        sc_cell_text("worker", NULL, -24, owner_of(view, part->owner)),
        sc_cell_number("queries/s", NULL, 10, part->load, 1),
        sc_cell_count("queries", NULL, 10, part->counts.queries),
        sc_cell_count("cloaks", NULL, 10, part->counts.cloaks),
        sc_cell_count("open", NULL, 8, part->counts.pending),
        sc_cell_count("held", NULL, 8, part->counts.held),
        sc_cell_text("", NULL, -1, part->is_served ? "" : "not served"),
    };
    sc_report_cells(table, cells, sizeof(cells) / sizeof(cells[0]));
}

static void cluster_report(FILE *out, const sc_cluster_view *view, bool has_parts)
{
    const uint32_t served = count_served(view);
    fprintf(out, "gateways     %zu\n", count_peers(view, false));
    fprintf(out, "workers      %zu\n", count_peers(view, true));
    if (view->part_count == 0) {
        fprintf(out, "parts        not known: no placement was received\n");
    } else {
        fprintf(out,
                "parts        %" PRIu32 ", %" PRIu32 " of them served (placement %" PRIu64 ")\n",
                view->part_count, served, view->epoch);
    }
    if (view->strangers > 0) {
        fprintf(out,
                "strangers    %" PRIu64
                " heartbeats for another partition of the map, or with other demands\n",
                view->strangers);
    }
    sc_report table = sc_report_begin(out, false, 0);
    for (int is_worker = 0; is_worker <= 1; is_worker++) {
        sc_report_open_cells(&table, NULL);
        for (size_t i = 0; i < view->peer_count; i++) {
            if (view->peers[i].is_worker != (is_worker == 1)) continue;
            (is_worker ? put_worker : put_gateway)(&table, &view->peers[i]);
        }
    }
    sc_report_open_cells(&table, NULL);
    for (uint32_t i = 0; has_parts && i < view->part_count; i++) {
        put_part(&table, view, i);
    }
}

// --- cluster status -----------------------------------------------------------------------------
//
// `starcloak cluster status`: listen to a cluster for a moment, and tell who is there and who has
// which part. It takes no part in anything.

// Its settings: how to reach a cluster.
#define SC_FOR_ALL(...) SC_ROW_LEFT(__VA_ARGS__)
#define SC_FOR_HTTP(...) SC_ROW_LEFT(__VA_ARGS__)
#define SC_FOR_RUN(...) SC_ROW_LEFT(__VA_ARGS__)
#define SC_FOR_NATS(...) SC_ROW_TAKEN(__VA_ARGS__)

enum { KEY_SECONDS = SC_KEY_FIRST, KEY_PARTS, KEY_JSON };

static const sc_option status_option_table[] = {
    {"config", SC_KEY_SERVE_CONFIG, "FILE.ini",
     "the file that gateways and workers are configured with; flags override it (default: none is "
     "read)",
     SC_COMPLETE_FILES},
    {"seconds", KEY_SECONDS, "S", "how long to listen (default: four heartbeats)", NULL},
    {"parts", KEY_PARTS, NULL, "also print a line for each part", NULL},
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

static error_t parse_status(int key, char *argument, struct argp_state *state)
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

/** Gateways whose placements are kept apart. There is one that places, or two for a moment. */
enum { PLACERS_MAX = 64 };

typedef struct heard_placement {
    sc_peer from;
    sc_placement *placement;  ///< its newest
} heard_placement;

/** What was received. */
typedef struct listening {
    pthread_mutex_t lock;
    sc_roster *roster;
    heard_placement heard[PLACERS_MAX];
    size_t heard_count;
    uint64_t unreadable;
    size_t played_back;             ///< processes whose heartbeats are recordings
    const sc_placement *placement;  ///< of those heard, when the listening is over
} listening;

static void receive_heartbeat(void *context, sc_peer from, const void *bytes, size_t size)
{
    listening *l = context;
    sc_heartbeat *heartbeat = NULL;
    const sc_err err = sc_heartbeat_decode(0, bytes, size, &heartbeat);
    pthread_mutex_lock(&l->lock);
    if (err || !sc__heartbeat_is_from(heartbeat, from)) {
        sc_heartbeat_free(heartbeat);
        l->unreadable++;
    } else {
        sc_roster_receive(l->roster, heartbeat, sc_clock_calendar_us(), sc_clock_us());
    }
    pthread_mutex_unlock(&l->lock);
}

static void receive_placement(void *context, sc_peer from, const void *bytes, size_t size)
{
    listening *l = context;
    sc_placement *placement = NULL;
    const sc_err err = sc_placement_decode(0, bytes, size, &placement);
    pthread_mutex_lock(&l->lock);
    size_t i = 0;
    while (i < l->heard_count && l->heard[i].from != from) {
        i++;
    }
    if (err) {
        l->unreadable++;
    } else if (i < PLACERS_MAX && sc_placement_is_newer(placement, l->heard[i].placement)) {
        sc_placement_free(l->heard[i].placement);
        l->heard[i] = (heard_placement){.from = from, .placement = placement};
        if (i == l->heard_count) l->heard_count++;
        placement = NULL;
    }
    pthread_mutex_unlock(&l->lock);
    sc_placement_free(placement);
}

/** Any client of NATS that may publish heartbeats can play back those of processes that are gone:
 * leave them out, and the placements of those that send no heartbeats. */
static sc_err leave_out_played_back(listening *l, double heartbeat_s)
{
    const size_t count = sc_roster_count(l->roster);
    sc_peer *gone = sc_malloc_array(count, sizeof *gone);
    if (!gone) return SC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const sc_roster_peer *peer = sc_roster_at(l->roster, i);
        if (sc__freshness_is_played_back(l->roster, peer, sc_time_from_seconds(heartbeat_s)))
            gone[l->played_back++] = peer->heartbeat->peer;
    }
    for (size_t i = 0; i < l->played_back; i++) {
        sc_roster_forget(l->roster, gone[i]);
    }
    sc_free(gone);
    for (size_t i = 0; i < l->heard_count; i++) {
        const sc_placement *placement = l->heard[i].placement;
        if (sc_roster_find(l->roster, l->heard[i].from) &&
            sc_placement_is_newer(placement, l->placement))
            l->placement = placement;
    }
    return SC_OK;
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
    sc_bus_subscription *gateways = NULL;
    sc_bus_subscription *workers = NULL;
    sc_bus_subscription *placements = NULL;
    sc_err err = sc_bus_new(options, &bus, diag);
    if (!err) err = sc_bus_connect(bus, diag);
    if (!err) err = sc_bus_subscribe_heartbeats(bus, false, receive_heartbeat, l, &gateways, diag);
    if (!err) err = sc_bus_subscribe_heartbeats(bus, true, receive_heartbeat, l, &workers, diag);
    if (!err) err = sc_bus_subscribe_placements(bus, receive_placement, l, &placements, diag);
    if (!err) {
        wait_s(seconds);
        *stats = sc_bus_stats_of(bus);
    }
    sc_bus_unsubscribe(gateways);
    sc_bus_unsubscribe(workers);
    sc_bus_unsubscribe(placements);
    sc_bus_free(bus);
    return err;
}

// --- Telling -----------------------------------------------------------------------------

/** No message was received: perhaps the cluster has another key, or another name. */
static int tell_silence(const sc_call *call, const sc_settings *s, const listening *l,
                        const sc_bus_stats *stats)
{
    if (stats->unopened > 0 || l->unreadable > 0) {
        fprintf(stderr,
                "%s: messages of cluster '%s' cannot be read; check that cluster-key is that of "
                "their gateways, and the program's version the same everywhere\n",
                call->path, s->cluster_name);
    } else {
        fprintf(stderr,
                "%s: no message of cluster '%s' was received; check that gateways and workers run, "
                "with the same nats servers and cluster-name\n",
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
        cluster_report(stdout, view, options->has_parts);
    }
    // For scripts: a cluster is fine if every part is served.
    if (!status && !cluster_report_is_fine(view)) status = SC_EXIT_FAILURE;
    sc_cluster_view_free(view);
    return status;
}

static int run_with(sc_call *call, const status_options *options, const sc_settings *settings)
{
    sc_diag diag = {.message = ""};
    sc_cluster_setup setup = {.key = NULL};
    listening l = {.lock = PTHREAD_MUTEX_INITIALIZER};
    sc_bus_stats stats = {.is_connected = false};
    const double seconds = options->seconds > 0.0 ? options->seconds : 4.0 * settings->heartbeat_s;
    sc_err err = sc_cluster_setup_open(settings, SC_CLUSTER_GATEWAY, &setup, &diag);
    // As after a long time: the leader is the one that the received messages name.
    if (!err) err = sc_roster_new(0, sc_time_from_seconds(settings->heartbeat_s), 0, &l.roster);
    if (!err) err = listen_for(&setup.bus, seconds, &l, &stats, &diag);
    if (!err) err = leave_out_played_back(&l, settings->heartbeat_s);
    if (l.played_back > 0) {
        fprintf(stderr,
                "%s: old heartbeats of %zu processes are played back, and left out; some client of "
                "NATS records them: give the servers users and permissions by role\n",
                call->path, l.played_back);
    }
    int status = SC_EXIT_FAILURE;
    if (stats.forbidden > 0) {
        fprintf(stderr,
                "%s: the NATS servers do not let this user hear all heartbeats and placements of "
                "cluster '%s'; use the NATS user status, and check its permissions and "
                "cluster-name\n",
                call->path, settings->cluster_name);
    }
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (sc_roster_count(l.roster) == 0) {
        status = tell_silence(call, settings, &l, &stats);
    } else {
        status = tell(call, options, settings, &l, &stats);
    }
    for (size_t i = 0; i < l.heard_count; i++) {
        sc_placement_free(l.heard[i].placement);
    }
    sc_roster_free(l.roster);
    sc_cluster_setup_close(&setup);
    return status;
}

static int run_status(sc_call *call)
{
    status_options options = {.seconds = 0.0};
    if (sc_serve_flags_init(&options.flags, call, status_option_table)) {
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

static const sc_entry status_examples[] = {
    {"starcloak cluster status --config cluster.ini", "Gateways and workers, and their load."},
    {"starcloak cluster status --config cluster.ini --parts",
     "The same, and a line for every part."},
    {"starcloak cluster status --config cluster.ini --json | jq '.parts[] | select(.served | not)'",
     "Parts that no worker serves."},
    {NULL, NULL},
};

static const sc_command cmd_cluster_status = {
    .name = "status",
    .summary = "show the gateways, workers and parts of a cluster, and their load",
    .description = "Listen to the heartbeats of gateways and workers for a moment, and print what "
                   "they report. The exit status is 0 if there is a gateway and every part of the "
                   "map is served, and 1 otherwise.",
    .options = status_option_table,
    .examples = status_examples,
    .parse = parse_status,
    .run = run_status,
};

// --- The group ----------------------------------------------------------------------------------

static const sc_command *const cluster_commands[] = {
    &cmd_cluster_key,
    &cmd_cluster_status,
    NULL,
};

static const sc_entry examples[] = {
    {"starcloak cluster key gateways.key", "Make the key that the gateways of a cluster share."},
    {"starcloak cluster key --worker w1 --from gateways.key w1.key", "Make the key of a worker."},
    {"starcloak cluster status --config cluster.ini",
     "Gateways and workers, and the worker of each part."},
    {NULL, NULL},
};

const sc_command sc_cmd_cluster = {
    .name = "cluster",
    .summary = "set up and look at a cluster of gateways and workers",
    .description =
        "If there are too many travellers for one process, 'starcloak gateway' takes their queries "
        "and 'starcloak worker' finds cloaks for them, each on any number of machines, connected "
        "by NATS servers. 'starcloak partition' divides the map into the parts that workers share.",
    .examples = examples,
    .children = cluster_commands,
};
