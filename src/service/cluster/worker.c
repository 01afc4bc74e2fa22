// A worker: engine threads, and their place in the cluster.
//
// Threads: those of the NATS library bring messages to the engines and placements to the worker;
// the engines' threads send; one thread sends heartbeats, and it alone opens and closes parts,
// since that and waiting for the servers may take a while.
//
// When NATS was away, messages in both directions may have been lost unnoticed. So after that a
// worker lists none of its parts in one heartbeat, and all of them in the next: gateways then send
// their queries again.
#include "cluster/worker.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cluster/freshness.h"
#include "cluster/heartbeat.h"
#include "cluster/message_batch.h"
#include "cluster/outbox.h"
#include "cluster/worker_parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

// --- The worker --------------------------------------------------------------------------------

struct sc_worker {
    // Read-only once it is made.
    uint32_t parts;
    uint32_t threads;
    sc_time heartbeat_us;
    sc_log *log;
    void (*given_up)(void *context);
    void *given_up_context;
    sc_bus *bus;
    sc_engine_pool *engines;
    sc__outbox *outbox;
    sc_cluster_codec codec;
    sc_bus_subscription *subscription;  ///< for messages to us
    sc_bus_subscription *heartbeats;    ///< of gateways
    sc_bus_subscription *placements;

    // Any thread.
    sc__heartbeat_thread heartbeat_thread;
    atomic_bool is_back;  ///< NATS was away and is here again
    atomic_bool was_undecodable;
    atomic_bool has_other_partition;  ///< of the placements received; it was logged
    atomic_bool has_other_demands;    ///< of the gateways' heartbeats; it was logged

    // The thread that looks.
    sc__cluster_identity identity;
    sc__worker_parts *mine;
    bool has_announced_leaving;
    bool was_unopened;  ///< a message could not be unsealed, and it was logged

    // Under `lock`.
    pthread_mutex_t lock;
    sc__freshness freshness;
    sc_placement *placement;  ///< the newest; NULL: none yet
    sc_time placement_at;  ///< when it was last received: the leader sends it with every heartbeat
    bool is_leaving;
    uint32_t part_count;
};

// --- Messages ----------------------------------------------------------------------------------

static bool encode(void *context, const sc_msg *msg, sc_bytes *out)
{
    const sc_worker *worker = context;
    return !sc_msg_encode(&worker->codec, msg, sc__calendar_offset_us(), out);
}

static sc_err send_bytes(void *context, sc_peer to, const void *bytes, size_t size)
{
    const sc_worker *worker = context;
    return sc_bus_send_peer(worker->bus, to, bytes, size);
}

/** Called by the outbox, in its thread. */
static void send_msgs(void *context, sc_peer to, sc_msg *const *msgs, size_t count)
{
    const sc__batch_route route = {.encode = encode, .send = send_bytes, .context = context};
    sc__batch_send(&route, to, msgs, count);
}

/** The engine pool's port; called in the engine threads. */
static void send_for_engines(void *context, sc_peer to, sc_msg *msg)
{
    const sc_worker *worker = context;
    if (to != SC_PEER_NONE) {
        sc__outbox_put(worker->outbox, to, msg);
    } else {
        sc_msg_fini(msg);
    }
}

static void flush_for_engines(void *context)
{
    const sc_worker *worker = context;
    sc__outbox_flush(worker->outbox);
}

/** A batch that is read, and its sender. */
typedef struct worker_batch {
    sc_worker *worker;
    sc_peer from;
    int64_t offset_us;
} worker_batch;

static void receive_msg(void *context, const void *bytes, size_t size)
{
    const worker_batch *batch = context;
    sc_worker *worker = batch->worker;
    sc_msg msg;
    const sc_err err = sc_msg_decode(&worker->codec, bytes, size, batch->offset_us, &msg);
    if (!err && msg.from == batch->from) {
        sc_engine_pool_receive(worker->engines, &msg);
        return;
    }
    if (!err) sc_msg_fini(&msg);
    if (err != SC_ENOMEM) sc__log_undecodable(worker->log, &worker->was_undecodable);
}

static void receive_msgs(void *context, sc_peer from, const void *bytes, size_t size)
{
    sc_worker *worker = context;
    worker_batch batch = {worker, from, sc__calendar_offset_us()};
    const sc_err err = sc__batch_read(bytes, size, receive_msg, &batch);
    if (err && err != SC_ENOMEM) sc__log_undecodable(worker->log, &worker->was_undecodable);
}

// --- Placements --------------------------------------------------------------------------------

static void refuse_placement(sc_worker *worker)
{
    if (atomic_exchange(&worker->has_other_partition, true)) return;
    sc_log_message(
        worker->log, SC_LOG_ERROR, "another_partition",
        "the gateways of this cluster have another map or partition than this worker: it gets "
        "no parts; give all of them the same files");
}

/** A gateway whose queries this worker must not cloak: it is passed over, and so are placements
 * that it makes. */
static void refuse_gateway(sc_worker *worker, const char *other)
{
    sc_log_line line;
    if (atomic_exchange(&worker->has_other_demands, true) ||
        !sc_log_begin(worker->log, &line, SC_LOG_ERROR, "other_demands")) {
        return;
    }
    sc_log_text(&line, "setting", other);
    sc_log_text(&line, "message",
                "a gateway of this cluster asks something else of cloaks than this worker, which "
                "gets no parts of it; give all of them the same engine, density, traffic, strict "
                "and classes");
    sc_log_end(&line);
}

/** The gateways that are there: they and this worker name each other in their heartbeats. */
static void receive_heartbeat(void *context, sc_peer from, const void *bytes, size_t size)
{
    sc_worker *worker = context;
    sc_heartbeat *heartbeat = NULL;
    const sc_err err = sc_heartbeat_decode(0, bytes, size, &heartbeat);
    if (err) {
        if (err != SC_ENOMEM) sc__log_undecodable(worker->log, &worker->was_undecodable);
        return;
    }
    if (sc__heartbeat_is_from(heartbeat, from)) {
        const char *other =
            heartbeat->partition == worker->identity.partition
                ? sc_demand_digest_difference(&worker->identity.demands, &heartbeat->demands)
                : NULL;
        pthread_mutex_lock(&worker->lock);
        const bool is_fresh = sc__freshness_receive(&worker->freshness, heartbeat, sc_clock_us());
        if (other) sc__freshness_forget(&worker->freshness, from);
        pthread_mutex_unlock(&worker->lock);
        if (other && is_fresh) refuse_gateway(worker, other);
    }
    sc_heartbeat_free(heartbeat);
}

/** Under `lock`: whether a placement counts from now on, in place of ours. Ours is sent again with
 * every heartbeat as long as any gateway goes by it; once it is not, any other does: a leader that
 * has just started, and knows of none, begins again with the first epoch. */
static bool is_next(sc_worker *worker, const sc_placement *placement, sc_time now)
{
    const sc_placement *ours = worker->placement;
    if (ours && ours->epoch == placement->epoch && ours->leader == placement->leader) {
        worker->placement_at = now;
        return false;
    }
    const bool is_over =
        now - worker->placement_at > SC__HEARTBEATS_TO_LISTEN * worker->heartbeat_us;
    if (!is_over && !sc_placement_is_newer(placement, ours)) return false;
    worker->placement_at = now;
    return true;
}

static void receive_placement(void *context, sc_peer from, const void *bytes, size_t size)
{
    sc_worker *worker = context;
    sc_placement *placement = NULL;
    const sc_err err = sc_placement_decode(0, bytes, size, &placement);
    if (err) {
        if (err != SC_ENOMEM) sc__log_undecodable(worker->log, &worker->was_undecodable);
        return;
    }
    if (placement->partition != worker->identity.partition || placement->parts != worker->parts) {
        sc_placement_free(placement);
        refuse_placement(worker);
        return;
    }
    const sc_time now = sc_clock_us();
    pthread_mutex_lock(&worker->lock);
    const bool is_news =
        sc__freshness_has(&worker->freshness, from, now) && is_next(worker, placement, now);
    if (is_news) {
        sc_placement *old = worker->placement;
        worker->placement = placement;
        placement = old;
    }
    pthread_mutex_unlock(&worker->lock);
    sc_placement_free(placement);
    if (is_news) sc__heartbeat_thread_wake(&worker->heartbeat_thread);
}

static void on_connected(void *context, bool is_connected)
{
    sc_worker *worker = context;
    sc__log_connected(worker->log, is_connected);
    if (is_connected) atomic_store(&worker->is_back, true);
    sc__heartbeat_thread_wake(&worker->heartbeat_thread);
}

static void on_forbidden(void *context, const sc_bus_forbidden *what)
{
    const sc_worker *worker = context;
    sc__log_forbidden(worker->log, what, true);
}

static void on_given_up(void *context)
{
    const sc_worker *worker = context;
    sc__log_given_up(worker->log);
    if (worker->given_up) worker->given_up(worker->given_up_context);
}

// --- Heartbeats --------------------------------------------------------------------------------

static void log_parts(const sc_worker *worker, uint64_t epoch, uint32_t count)
{
    sc_log_line line;
    if (!sc_log_begin(worker->log, &line, SC_LOG_INFO, "parts")) return;
    sc_log_count(&line, "epoch", epoch);
    sc_log_count(&line, "parts", count);
    sc_log_end(&line);
}

static void send_heartbeat(sc_worker *worker, uint64_t epoch, bool is_leaving)
{
    sc_heartbeat *heartbeat = sc__worker_parts_heartbeat(worker->mine);
    if (!heartbeat) return;
    heartbeat->epoch = epoch;
    heartbeat->threads = worker->threads;
    heartbeat->engines.lost += sc__outbox_lost(worker->outbox);
    heartbeat->is_leaving = is_leaving;
    pthread_mutex_lock(&worker->lock);
    sc__freshness_tell(&worker->freshness, worker->identity.heartbeats + 1, sc_clock_us(),
                       heartbeat);
    pthread_mutex_unlock(&worker->lock);
    sc__heartbeat_send(&worker->identity, heartbeat, worker->bus);
    sc_heartbeat_free(heartbeat);
}

static void look(void *context, bool is_due)
{
    sc_worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    const bool is_leaving = worker->is_leaving;
    sc_placement *placement = worker->placement ? sc_placement_clone(worker->placement) : NULL;
    const bool is_known = placement || !worker->placement;
    pthread_mutex_unlock(&worker->lock);
    if (!is_known) return;  // memory is out: better silent than wrong

    sc__log_unopened(worker->log, worker->bus, &worker->was_unopened);
    const uint64_t epoch = placement ? placement->epoch : 0;
    if (atomic_exchange(&worker->is_back, false)) {
        sc__worker_parts_unlist(worker->mine);
        send_heartbeat(worker, epoch, is_leaving);
    }
    const bool has_changed =
        sc__worker_parts_follow(worker->mine, placement, worker->identity.self);
    sc_placement_free(placement);
    const uint32_t count = sc__worker_parts_count(worker->mine);
    if (has_changed) log_parts(worker, epoch, count);
    pthread_mutex_lock(&worker->lock);
    worker->part_count = count;
    pthread_mutex_unlock(&worker->lock);

    const bool is_last = is_leaving && !worker->has_announced_leaving;
    worker->has_announced_leaving = is_leaving;
    // Without a connection heartbeats would only pile up and be old when they leave.
    if ((is_due || has_changed || is_last) && sc_bus_stats_of(worker->bus).is_connected) {
        send_heartbeat(worker, epoch, is_leaving);
    }
}

// --- Its life ----------------------------------------------------------------------------------

static sc_err make_engines(sc_worker *worker, const sc_map *map, const sc_worker_options *options,
                           sc_diag *diag)
{
    sc_rng *rng = NULL;
    sc_err err = sc__outbox_new(send_msgs, worker, &worker->outbox);
    if (err) return sc_fail(diag, err, "cannot make room for messages: %s", sc_err_text(err));
    err = sc_rng_new_secure(&rng);
    if (err) return sc_fail(diag, err, "the system's random generator is not available");
    sc_engine_pool_options engines = options->engines;
    engines.self = worker->identity.self;
    engines.round_us = SC_CLUSTER_ROUND_US;
    engines.port =
        (sc_port){.send = send_for_engines, .flush = flush_for_engines, .context = worker};
    err = sc_engine_pool_new(map, &engines, rng, &worker->engines, diag);
    sc_rng_free(rng);
    if (err) return err;
    err = sc__worker_parts_new(worker->parts, worker->engines, worker->bus, &worker->mine);
    return err ? sc_fail_memory(diag, "making room for parts") : SC_OK;
}

static sc_err join_cluster(sc_worker *worker, sc_diag *diag)
{
    sc_err err =
        sc_bus_subscribe_own(worker->bus, receive_msgs, worker, &worker->subscription, diag);
    if (!err) {
        err = sc_bus_subscribe_heartbeats(worker->bus, false, receive_heartbeat, worker,
                                          &worker->heartbeats, diag);
    }
    if (!err) {
        err = sc_bus_subscribe_placements(worker->bus, receive_placement, worker,
                                          &worker->placements, diag);
    }
    if (err) return err;
    err = sc__outbox_start(worker->outbox);
    if (!err) err = sc__heartbeat_thread_start(&worker->heartbeat_thread);
    return err ? sc_fail(diag, err, "cannot start the threads for heartbeats and messages") : SC_OK;
}

sc_err sc_worker_new(const sc_map *map, const sc_worker_options *options, sc_worker **out,
                     sc_diag *diag)
{
    if (!(options->heartbeat_s >= 0.001 && options->heartbeat_s <= 3600)) {
        return sc_fail(diag, SC_EINVAL, "the heartbeat must be 0.001 s to an hour");
    }
    const sc_partition *partition = options->engines.partition;
    if (!partition) return sc_fail(diag, SC_EINVAL, "a worker needs a partition");
    sc_worker *worker = sc_calloc(1, sizeof *worker);
    if (!worker) return sc_fail_memory(diag, "joining a cluster");
    worker->parts = sc_partition_part_count(partition);
    worker->threads = options->engines.engine_threads;
    worker->heartbeat_us = sc_time_from_seconds(options->heartbeat_s);
    worker->log = options->log;
    worker->given_up = options->given_up;
    worker->given_up_context = options->context;
    worker->codec = (sc_cluster_codec){.map = map, .parts = worker->parts};
    pthread_mutex_init(&worker->lock, NULL);
    sc__heartbeat_thread_init(&worker->heartbeat_thread, worker->heartbeat_us, look, worker);

    const sc_continuity_digest continuity = {.is_asked = options->has_continuity};
    const sc_demand_digest demands =
        sc_demand_digest_of(&options->engines.engine.demands, &continuity);
    sc_err err = sc__cluster_identity_init(&worker->identity, options->name,
                                           sc_partition_checksum(partition), &demands,
                                           options->bus.cluster_key, diag);
    worker->identity.search = sc_search_digest_of(&options->engines.engine);
    sc__freshness_init(&worker->freshness, worker->identity.self, worker->heartbeat_us);
    if (!err) {
        err = sc_category_table_new(&worker->codec.categories);
        if (err) sc_fail_memory(diag, "joining a cluster");
    }
    if (!err) {
        sc_bus_options bus = options->bus;
        bus.self = worker->identity.self;
        bus.connected = on_connected;
        bus.given_up = on_given_up;
        bus.forbidden = on_forbidden;
        bus.context = worker;
        err = sc_bus_new(&bus, &worker->bus, diag);
    }
    if (!err) err = make_engines(worker, map, options, diag);
    if (err) {
        sc_worker_free(worker);
        return err;
    }
    *out = worker;
    return SC_OK;
}

sc_err sc_worker_start(sc_worker *worker, sc_diag *diag)
{
    sc_err err = sc_bus_connect(worker->bus, diag);
    if (err) return err;
    err = sc_engine_pool_start(worker->engines);
    if (err) return sc_fail(diag, err, "cannot start the threads for engines");
    return join_cluster(worker, diag);
}

/** Whether there is no leader that could give its parts to others: then waiting is in vain. */
static bool is_alone(sc_worker *worker, sc_time since)
{
    pthread_mutex_lock(&worker->lock);
    const sc_time placement_at = worker->placement_at > since ? worker->placement_at : since;
    pthread_mutex_unlock(&worker->lock);
    // The next leader may need as long to find out that it is the one.
    return sc_clock_us() - placement_at > worker->heartbeat_us * 2 * SC__HEARTBEATS_TO_LISTEN;
}

size_t sc_worker_drain(sc_worker *worker, double seconds)
{
    pthread_mutex_lock(&worker->lock);
    worker->is_leaving = true;
    pthread_mutex_unlock(&worker->lock);
    sc__heartbeat_thread_wake(&worker->heartbeat_thread);

    // A look now and then is enough: this happens once in a worker's life.
    const struct timespec nap = {.tv_nsec = 10000000};
    const sc_time begun = sc_clock_us();
    const sc_time until = begun + sc_time_from_seconds(seconds);
    while (sc_clock_us() < until && !is_alone(worker, begun)) {
        if (sc_worker_part_count(worker) == 0 && sc_worker_stats(worker).proposals_under_way == 0)
            break;
        (void)nanosleep(&nap, NULL);
    }
    return sc_worker_part_count(worker);
}

sc_engine_pool_stats sc_worker_stats(sc_worker *worker)
{
    return sc_engine_pool_stats_of(worker->engines, NULL);
}

uint32_t sc_worker_part_count(sc_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    const uint32_t count = worker->part_count;
    pthread_mutex_unlock(&worker->lock);
    return count;
}

void sc_worker_free(sc_worker *worker)
{
    if (!worker) return;
    // Users before what they use: first the heartbeat thread and the subscriptions, then the engine
    // pool, which still sends, then the bus.
    sc__heartbeat_thread_stop(&worker->heartbeat_thread);
    sc_bus_unsubscribe(worker->placements);
    sc_bus_unsubscribe(worker->heartbeats);
    sc_bus_unsubscribe(worker->subscription);
    sc__worker_parts_free(worker->mine);
    sc_engine_pool_free(worker->engines);
    sc__outbox_free(worker->outbox);
    sc_bus_free(worker->bus);
    sc__heartbeat_thread_fini(&worker->heartbeat_thread);
    sc_placement_free(worker->placement);
    sc_category_table_free(worker->codec.categories);
    pthread_mutex_destroy(&worker->lock);
    sc_free(worker);
}
