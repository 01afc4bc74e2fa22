// A gateway's place in the cluster: between its ledger and NATS.
//
// Four kinds of threads come here: the ledger's, which puts messages into the outbox; the outbox's,
// which sends them; those of the NATS library, which receive; and one that sends heartbeats, looks
// after members and places parts while this gateway leads. Only the second and the last ever wait
// for NATS; the others for a lock that is held briefly.
//
// Locks are taken in the order `send_lock`, `lock`, then those of routes and heartbeats.
#include "cluster/gateway.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "cluster/gateway_members.h"
#include "cluster/gateway_routes.h"
#include "cluster/heartbeat.h"
#include "cluster/message_batch.h"
#include "cluster/outbox.h"
#include "cluster/placement.h"
#include "cluster/roster.h"
#include "server/log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

// --- The gateway -------------------------------------------------------------------------------

/** To messages for itself, heartbeats of gateways and of workers, placements, and reports of
 * missing subscribers. */
enum { SUBSCRIPTIONS = 5 };

struct sc_gateway {
    // Read-only from sc_gateway_start() on.
    uint32_t parts;
    sc_time heartbeat_us;
    sc_log *log;
    void (*given_up)(void *context);
    void *given_up_context;
    sc_gateway_visits *receive_visit;  ///< NULL: there are none
    void *visits_context;
    sc_port port;
    sc_bus *bus;
    sc_ledger *ledger;
    sc_cluster_codec codec;
    sc_bus_subscription *subscriptions[SUBSCRIPTIONS];

    // Any thread: each has its own lock, or needs none.
    sc__gateway_routes *routes;
    sc__outbox *outbox;
    sc__heartbeat_thread heartbeat_thread;
    atomic_bool has_been_ready;   ///< once
    atomic_bool is_back;          ///< NATS was away and is here again
    atomic_bool was_undecodable;  ///< a message could not be decoded, and it was logged

    // Under `send_lock`: while a message is encoded.
    pthread_mutex_t send_lock;
    bool can_send;  ///< between start and stop everything, after that what needs no answer
    bool is_stopped;

    // The heartbeat thread, and the one that stops it.
    sc__cluster_identity identity;
    uint32_t *unsent;   ///< room for all parts
    bool was_unopened;  ///< a message could not be unsealed, and it was logged

    // Under `lock`.
    pthread_mutex_t lock;
    sc__gateway_members members;  ///< `clocks` without the lock
    sc_placer *placer;
};

// The thread that sends heartbeats looks at members once in each heartbeat's time, and when
// something has happened: which processes are there, which one leads, which parts' queries must be
// sent again.
//
// Nothing is sent while the lock is held: a server that does not read may delay the sender.

// --- Clocks ------------------------------------------------------------------------------------

/** Called by the ledger, in its thread. */
static bool is_skewed(void *context, sc_peer peer)
{
    sc_gateway *gateway = context;
    return sc__clock_check_is_skewed(&gateway->members.clocks, peer);
}

// --- Placements --------------------------------------------------------------------------------

static void log_placement(const sc_gateway *gateway, const sc_placement *placement)
{
    sc_log_line line;
    if (!sc_log_begin(gateway->log, &line, SC_LOG_INFO, "placed")) return;
    uint64_t orphans = 0;
    for (uint32_t p = 0; p < placement->parts; p++) {
        orphans += placement->owners[p] == SC_PEER_NONE;
    }
    sc_log_count(&line, "epoch", placement->epoch);
    sc_log_count(&line, "parts", placement->parts);
    sc_log_count(&line, "without_worker", orphans);
    sc_log_text(&line, "by", placement->leader == gateway->identity.self ? "us" : "another");
    sc_log_end(&line);
}

/** Under `lock`: the placement that counts is another. */
static void apply_placement(sc_gateway *gateway)
{
    const sc_placement *placement = sc_placer_current(gateway->placer);
    log_placement(gateway, placement);
    sc__gateway_routes_place(gateway->routes, placement);
    // A new owner may have announced already that it serves.
    for (size_t i = 0; i < sc_roster_count(gateway->members.roster); i++) {
        const sc_heartbeat *heartbeat = sc_roster_at(gateway->members.roster, i)->heartbeat;
        if (heartbeat->is_worker) (void)sc__gateway_routes_receive(gateway->routes, heartbeat);
    }
}

/** Workers have parts and do not serve them: the leader gives those to others. */
static void log_passed_over(const sc_gateway *gateway, sc_peer worker)
{
    const sc_roster_peer *peer = sc_roster_find(gateway->members.roster, worker);
    sc_log_line line;
    if (!peer || !sc_log_begin(gateway->log, &line, SC_LOG_WARNING, "worker_passed_over")) return;
    sc_log_text(&line, "name", peer->heartbeat->name);
    sc_log_count(&line, "heartbeats", SC_PLACER_HEARTBEATS_TO_SERVE);
    sc_log_text(&line, "message",
                "this worker sends heartbeats but has not taken up its parts for that long; others "
                "get them, and it is tried again later; see its log, and whether NATS lets it "
                "receive placements");
    sc_log_end(&line);
}

/** As the leader: decide, and encode the placement to send. It is sent again with each heartbeat: a
 * process may have come, or missed it. */
static void lead(sc_gateway *gateway, bool is_due, sc_time now, sc_bytes *out)
{
    if (sc_roster_leader(gateway->members.roster, now) != gateway->identity.self) return;
    const uint64_t passed_over = sc_placer_stats_of(gateway->placer).passed_over;
    const bool is_new = sc_placer_decide(gateway->placer, gateway->members.roster, now);
    const sc_placer_stats stats = sc_placer_stats_of(gateway->placer);
    if (stats.passed_over > passed_over) log_passed_over(gateway, stats.last_passed_over);
    if (is_new) apply_placement(gateway);
    const sc_placement *placement = sc_placer_current(gateway->placer);
    if (!placement || !(is_new || is_due)) return;
    // For want of memory it is sent with the next heartbeat.
    if (sc_placement_encode(placement, out)) out->size = 0;
}

// --- Heartbeats --------------------------------------------------------------------------------

/** Announce this gateway; or, for the last time, that it leaves. */
static void send_heartbeat(sc_gateway *gateway, bool is_leaving)
{
    sc_heartbeat *heartbeat = sc_heartbeat_new(0);
    if (!heartbeat) return;
    heartbeat->is_leaving = is_leaving;
    heartbeat->open = sc_ledger_pending(gateway->ledger);
    pthread_mutex_lock(&gateway->lock);
    const sc_placement *placement = sc_placer_current(gateway->placer);
    heartbeat->epoch = placement ? placement->epoch : 0;
    sc__clock_check_tell(&gateway->members.clocks, gateway->members.roster, heartbeat);
    sc__freshness_tell(&gateway->members.freshness, gateway->identity.heartbeats + 1, sc_clock_us(),
                       heartbeat);
    pthread_mutex_unlock(&gateway->lock);
    sc__heartbeat_send(&gateway->identity, heartbeat, gateway->bus);
    sc_heartbeat_free(heartbeat);
}

/** The work of the heartbeat thread. */
static void look(void *context, bool is_due)
{
    sc_gateway *gateway = context;
    const bool is_connected = sc_bus_is_connected(gateway->bus);
    sc__log_unopened(gateway->log, gateway->bus, &gateway->was_unopened);
    const sc_time now = sc_clock_us();
    sc_bytes placement = {0};
    const bool is_back = atomic_exchange(&gateway->is_back, false);
    pthread_mutex_lock(&gateway->lock);
    if (sc__gateway_members_look(&gateway->members, gateway->routes, is_connected, is_back, now))
        lead(gateway, is_due, now, &placement);
    pthread_mutex_unlock(&gateway->lock);

    // Without a connection heartbeats would only pile up and be old when they leave.
    if (is_due && is_connected) send_heartbeat(gateway, false);
    if (placement.size > 0) {
        (void)!sc_bus_send_placement(gateway->bus, placement.data, placement.size);
    }
    sc_bytes_fini(&placement);
    const size_t unsent = sc__gateway_routes_take_unsent(gateway->routes, gateway->unsent, now);
    for (size_t i = 0; i < unsent; i++) {
        sc_ledger_resend(gateway->ledger, gateway->unsent[i]);
    }
}

/** How long a part is fresh after its queries were sent again: the ledger sends them within a
 * round, and a worker has opened the part before. */
static const sc_time fresh_us = 2000000;

/** How long sending the last heartbeat may take. */
static const double last_flush_s = 1.0;

// --- Sending -----------------------------------------------------------------------------------

/** Encode it, if it may be sent at this moment; false if not. */
static bool encode(void *context, const sc_msg *msg, sc_bytes *out)
{
    sc_gateway *gateway = context;
    pthread_mutex_lock(&gateway->send_lock);
    // A gateway that receives nothing any more must not promise anything: no ok. (And only that
    // needs the vocabulary, which is not ours after the stop.)
    const bool may = gateway->can_send && !(gateway->is_stopped && msg->kind == SC_MSG_OK);
    const bool is_encoded =
        may && !sc_msg_encode(&gateway->codec, msg, sc__calendar_offset_us(), out);
    pthread_mutex_unlock(&gateway->send_lock);
    return is_encoded;
}

static sc_err send_bytes(void *context, sc_peer to, const void *bytes, size_t size)
{
    sc_gateway *gateway = context;
    return sc_peer_is_worker(to) ? sc_bus_send_worker(gateway->bus, to, bytes, size)
                                 : sc_bus_send_peer(gateway->bus, to, bytes, size);
}

/** Called by the outbox, in its thread. */
static void send_msgs(void *context, sc_peer to, sc_msg *const *msgs, size_t count)
{
    const sc__batch_route route = {.encode = encode, .send = send_bytes, .context = context};
    sc__batch_send(&route, to, msgs, count);
}

/** Called by the ledger, in its thread. */
static void send_for_ledger(void *context, sc_peer to, sc_msg *msg)
{
    sc_gateway *gateway = context;
    if (to == gateway->identity.self) {
        sc_ledger_receive(gateway->ledger, msg);
        return;
    }
    // Queries of a part without a worker are sent again once it has one.
    if (to == SC_PEER_NONE) to = sc__gateway_routes_find(gateway->routes, msg, sc_clock_us());
    if (to != SC_PEER_NONE) {
        sc__outbox_put(gateway->outbox, to, msg);
    } else {
        sc_msg_fini(msg);
    }
}

/** Called by the ledger, at the end of a round. */
static void flush_for_ledger(void *context)
{
    const sc_gateway *gateway = context;
    sc__outbox_flush(gateway->outbox);
}

/** For queries that are sent again: as many as leave half of the outbox to other messages. */
static size_t space_for_ledger(void *context)
{
    const sc_gateway *gateway = context;
    const size_t space = sc__outbox_space(gateway->outbox);
    return space > SC_OUTBOX_SIZE / 2 ? space - SC_OUTBOX_SIZE / 2 : 0;
}

// --- Receiving: in a thread of the NATS library ------------------------------------------------

/** Whether a worker has a reason to send that to a gateway. All others are messages of gateways. */
static bool is_of_worker(sc_msg_kind kind)
{
    return kind == SC_MSG_RESERVE || kind == SC_MSG_RELEASE || kind == SC_MSG_ABORT ||
           kind == SC_MSG_ASK || kind == SC_MSG_DROPPED || kind == SC_MSG_NOT_TAKEN;
}

/** A batch that is read, and its sender. */
typedef struct received_batch {
    sc_gateway *gateway;
    sc_peer from;
    int64_t offset_us;
} received_batch;

static void receive_msg(void *context, const void *bytes, size_t size)
{
    const received_batch *batch = context;
    sc_gateway *gateway = batch->gateway;
    sc_msg msg;
    const sc_err err = sc_msg_decode(&gateway->codec, bytes, size, batch->offset_us, &msg);
    if (!err && msg.from == batch->from &&
        (!sc_peer_is_worker(msg.from) || is_of_worker(msg.kind))) {
        const bool is_visit = msg.kind == SC_MSG_VISIT || msg.kind == SC_MSG_VISITED;
        if (is_visit && gateway->receive_visit) {
            gateway->receive_visit(gateway->visits_context, &msg);
            return;
        }
        sc_ledger_receive(gateway->ledger, &msg);
        return;
    }
    if (!err) sc_msg_fini(&msg);
    if (err != SC_ENOMEM) sc__log_undecodable(gateway->log, &gateway->was_undecodable);
}

static void receive_msgs(void *context, sc_peer from, const void *bytes, size_t size)
{
    sc_gateway *gateway = context;
    received_batch batch = {gateway, from, sc__calendar_offset_us()};
    const sc_err err = sc__batch_read(bytes, size, receive_msg, &batch);
    if (err && err != SC_ENOMEM) sc__log_undecodable(gateway->log, &gateway->was_undecodable);
}

static void receive_heartbeat(void *context, sc_peer from, const void *bytes, size_t size)
{
    sc_gateway *gateway = context;
    sc_heartbeat *heartbeat = NULL;
    sc_err err = sc_heartbeat_decode(0, bytes, size, &heartbeat);
    if (!err && !sc__heartbeat_is_from(heartbeat, from)) {
        sc_heartbeat_free(heartbeat);
        err = SC_EPARSE;
    }
    if (err) {
        if (err != SC_ENOMEM) sc__log_undecodable(gateway->log, &gateway->was_undecodable);
        return;
    }
    pthread_mutex_lock(&gateway->lock);
    const bool is_news =
        sc__gateway_members_receive(&gateway->members, heartbeat, gateway->routes, sc_clock_us());
    pthread_mutex_unlock(&gateway->lock);
    if (is_news) sc__heartbeat_thread_wake(&gateway->heartbeat_thread);
}

static void receive_placement(void *context, sc_peer from, const void *bytes, size_t size)
{
    sc_gateway *gateway = context;
    sc_placement *placement = NULL;
    const sc_err err = sc_placement_decode(0, bytes, size, &placement);
    if (err) {
        if (err != SC_ENOMEM) sc__log_undecodable(gateway->log, &gateway->was_undecodable);
        return;
    }
    pthread_mutex_lock(&gateway->lock);
    // One that is played back is of a gateway that is not there any more, or an older one of its.
    const bool is_fresh = sc__freshness_has(&gateway->members.freshness, from, sc_clock_us());
    const bool is_news = is_fresh && sc_placer_receive(gateway->placer, placement);
    if (is_news) apply_placement(gateway);
    pthread_mutex_unlock(&gateway->lock);
    if (!is_fresh) sc_placement_free(placement);
    if (is_news) sc__heartbeat_thread_wake(&gateway->heartbeat_thread);
}

static void on_no_responders(void *context, sc_peer worker)
{
    sc_gateway *gateway = context;
    if (sc__gateway_routes_no_responders(gateway->routes, worker, sc_clock_us())) {
        pthread_mutex_lock(&gateway->lock);
        sc__gateway_members_suspect(&gateway->members, worker, sc_clock_us());
        pthread_mutex_unlock(&gateway->lock);
    }
}

static void on_connected(void *context, bool is_connected)
{
    sc_gateway *gateway = context;
    sc__log_connected(gateway->log, is_connected);
    // At once, so that we do not seem ready when the connection is back and nothing is known yet;
    // and again when it is, since earlier heartbeats may have been received in between.
    sc__gateway_routes_reset(gateway->routes);
    if (is_connected) atomic_store(&gateway->is_back, true);
    sc__heartbeat_thread_wake(&gateway->heartbeat_thread);
}

static void on_forbidden(void *context, const sc_bus_forbidden *what)
{
    const sc_gateway *gateway = context;
    sc__log_forbidden(gateway->log, what, false);
}

static void on_given_up(void *context)
{
    const sc_gateway *gateway = context;
    sc__log_given_up(gateway->log);
    if (gateway->given_up) gateway->given_up(gateway->given_up_context);
}

// --- Its life ----------------------------------------------------------------------------------

static sc_err check(const sc_gateway_options *options, sc_diag *diag)
{
    // Written so that NaN is refused, too.
    if (!(options->heartbeat_s >= 0.001 && options->heartbeat_s <= 3600)) {
        return sc_fail(diag, SC_EINVAL, "the heartbeat must be 0.001 s to an hour");
    }
    if (!(options->uneven >= 1 && options->uneven <= 1e6)) {
        return sc_fail(diag, SC_EINVAL, "the ratio of uneven load must be at least 1");
    }
    if (!(options->repack_s >= 0 && options->repack_s <= 1e9) ||
        !(options->guard_s >= 0 && options->guard_s <= 1e9)) {
        return sc_fail(diag, SC_EINVAL, "the times of a gateway must be 0 s or more");
    }
    return SC_OK;
}

static sc_err make_parts(sc_gateway *gateway, const sc_gateway_options *options)
{
    const uint64_t partition = sc_partition_checksum(options->partition);
    sc_err err = sc__gateway_routes_new(gateway->parts, fresh_us, &gateway->routes);
    const sc_placer_options placer = {
        .self = gateway->identity.self,
        .partition = partition,
        .parts = gateway->parts,
        .heartbeat_us = gateway->heartbeat_us,
        .uneven = options->uneven,
        .patience_us = sc_time_from_seconds(options->repack_s),
    };
    if (!err) err = sc_placer_new(&placer, &gateway->placer);
    if (!err) err = sc__outbox_new(send_msgs, gateway, &gateway->outbox);
    gateway->unsent = sc_malloc_array(gateway->parts, sizeof *gateway->unsent);
    return err || gateway->unsent ? err : SC_ENOMEM;
}

sc_err sc_gateway_new(const sc_gateway_options *options, sc_gateway **out, sc_diag *diag)
{
    sc_err err = check(options, diag);
    if (err) return err;
    sc_gateway *gateway = sc_calloc(1, sizeof *gateway);
    if (!gateway) return sc_fail_memory(diag, "joining a cluster");
    gateway->parts = sc_partition_part_count(options->partition);
    gateway->heartbeat_us = sc_time_from_seconds(options->heartbeat_s);
    gateway->log = options->log;
    gateway->given_up = options->given_up;
    gateway->given_up_context = options->context;
    gateway->port = (sc_port){.send = send_for_ledger,
                              .flush = flush_for_ledger,
                              .space = space_for_ledger,
                              .is_skewed = is_skewed,
                              .context = gateway};
    gateway->codec =
        (sc_cluster_codec){.map = sc_partition_map(options->partition), .parts = gateway->parts};
    pthread_mutex_init(&gateway->send_lock, NULL);
    pthread_mutex_init(&gateway->lock, NULL);
    sc__heartbeat_thread_init(&gateway->heartbeat_thread, gateway->heartbeat_us, look, gateway);

    const sc_demand_digest demands = sc_demand_digest_of(&options->demands, &options->continuity);
    err = sc__cluster_identity_init(&gateway->identity, options->name,
                                    sc_partition_checksum(options->partition), &demands,
                                    options->bus.cluster_key, diag);
    const sc_err members_err =
        sc__gateway_members_init(&gateway->members, options->log, &gateway->identity,
                                 gateway->heartbeat_us, sc_time_from_seconds(options->guard_s));
    if (!err) {
        err = members_err ? members_err : make_parts(gateway, options);
        if (err) sc_fail_memory(diag, "joining a cluster");
    }
    if (!err) {
        sc_bus_options bus = options->bus;
        bus.self = gateway->identity.self;
        bus.connected = on_connected;
        bus.given_up = on_given_up;
        bus.forbidden = on_forbidden;
        bus.context = gateway;
        err = sc_bus_new(&bus, &gateway->bus, diag);
    }
    if (err) {
        sc_gateway_free(gateway);
        return err;
    }
    *out = gateway;
    return SC_OK;
}

sc_peer sc_gateway_self(const sc_gateway *gateway)
{
    return gateway->identity.self;
}

void sc_gateway_set_visits(sc_gateway *gateway, sc_gateway_visits *receive, void *context)
{
    gateway->receive_visit = receive;
    gateway->visits_context = context;
}

void sc_gateway_send(sc_gateway *gateway, sc_peer to, sc_msg *msg)
{
    msg->from = gateway->identity.self;
    sc__outbox_put(gateway->outbox, to, msg);
    sc__outbox_flush(gateway->outbox);
}

bool sc_gateway_knows(sc_gateway *gateway, sc_peer peer)
{
    pthread_mutex_lock(&gateway->lock);
    const sc_roster_peer *found = sc_roster_find(gateway->members.roster, peer);
    const bool is_known = found && !found->heartbeat->is_worker;
    pthread_mutex_unlock(&gateway->lock);
    return is_known;
}

const sc_port *sc_gateway_port(const sc_gateway *gateway)
{
    return &gateway->port;
}

static void allow_sending(sc_gateway *gateway, bool can_send, bool is_stopped)
{
    pthread_mutex_lock(&gateway->send_lock);
    gateway->can_send = can_send;
    gateway->is_stopped = is_stopped;
    pthread_mutex_unlock(&gateway->send_lock);
}

static void unsubscribe_all(sc_gateway *gateway)
{
    for (size_t i = 0; i < SUBSCRIPTIONS; i++) {
        sc_bus_unsubscribe(gateway->subscriptions[i]);
        gateway->subscriptions[i] = NULL;
    }
}

sc_err sc_gateway_start(sc_gateway *gateway, sc_ledger *ledger, const sc_vocabulary *vocabulary,
                        sc_diag *diag)
{
    gateway->ledger = ledger;
    gateway->codec.vocabulary = vocabulary;
    sc__gateway_members_start(&gateway->members, sc_clock_us());

    sc_bus *bus = gateway->bus;
    sc_err err = sc_bus_connect(bus, diag);
    if (err) return err;
    sc_bus_subscription **next = gateway->subscriptions;
    err = sc_bus_subscribe_own(bus, receive_msgs, gateway, next++, diag);
    if (!err) err = sc_bus_subscribe_no_responders(bus, on_no_responders, gateway, next++, diag);
    if (!err) err = sc_bus_subscribe_placements(bus, receive_placement, gateway, next++, diag);
    if (!err)
        err = sc_bus_subscribe_heartbeats(bus, false, receive_heartbeat, gateway, next++, diag);
    if (!err)
        err = sc_bus_subscribe_heartbeats(bus, true, receive_heartbeat, gateway, next++, diag);
    if (!err) {
        allow_sending(gateway, true, false);
        err = sc__outbox_start(gateway->outbox);
        if (!err) err = sc__heartbeat_thread_start(&gateway->heartbeat_thread);
        if (err) sc_fail(diag, err, "cannot start the threads for heartbeats and messages");
    }
    if (err) {
        allow_sending(gateway, false, false);
        unsubscribe_all(gateway);
    }
    return err;
}

bool sc_gateway_is_ready(sc_gateway *gateway)
{
    return sc_bus_is_connected(gateway->bus) && sc__gateway_routes_unserved(gateway->routes) == 0 &&
           !atomic_load(&gateway->members.clocks.is_wrong);
}

bool sc_gateway_has_been_ready(sc_gateway *gateway)
{
    if (atomic_load_explicit(&gateway->has_been_ready, memory_order_relaxed)) return true;
    const bool is_ready = sc_gateway_is_ready(gateway);
    if (is_ready) atomic_store(&gateway->has_been_ready, true);
    return is_ready;
}

bool sc_gateway_clock_is_wrong(sc_gateway *gateway)
{
    return atomic_load(&gateway->members.clocks.is_wrong);
}

sc_gateway_reach sc_gateway_reach_of(sc_gateway *gateway)
{
    if (!sc_bus_is_connected(gateway->bus)) {
        return (sc_gateway_reach){.unserved_parts = gateway->parts};
    }
    sc_gateway_reach reach = {.unserved_parts = sc__gateway_routes_unserved(gateway->routes)};
    pthread_mutex_lock(&gateway->lock);
    const sc_roster *roster = gateway->members.roster;
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_heartbeat *heartbeat = sc_roster_at(roster, i)->heartbeat;
        reach.workers += heartbeat->is_worker && !heartbeat->is_leaving;
    }
    pthread_mutex_unlock(&gateway->lock);
    return reach;
}

sc_cluster_view *sc_gateway_view(sc_gateway *gateway)
{
    const sc_bus_stats bus = sc_bus_stats_of(gateway->bus);
    pthread_mutex_lock(&gateway->lock);
    sc_cluster_view *view =
        sc_cluster_view_new(gateway->members.roster, sc_placer_current(gateway->placer),
                            gateway->parts, gateway->identity.self, sc_clock_us());
    const sc_placer_stats placer = sc_placer_stats_of(gateway->placer);
    const uint64_t strangers = sc_roster_strangers(gateway->members.roster);
    const uint64_t crowded = gateway->members.freshness.crowded;
    pthread_mutex_unlock(&gateway->lock);
    if (!view) return NULL;
    view->bus = bus;
    view->bus.unsent += sc__outbox_lost(gateway->outbox);
    view->partition = gateway->identity.partition;
    view->placements = placer.placements;
    view->moved = placer.moved;
    view->passed_over = placer.passed_over;
    view->strangers = strangers;
    view->crowded = crowded;
    view->heartbeat_s = (double)gateway->heartbeat_us * 1e-6;
    return view;
}

void sc_gateway_stop(sc_gateway *gateway)
{
    if (!gateway->heartbeat_thread.is_started) return;
    sc__heartbeat_thread_stop(&gateway->heartbeat_thread);
    unsubscribe_all(gateway);
    allow_sending(gateway, true, true);
    send_heartbeat(gateway, true);
    // So that others lead and serve at once; if it does not arrive, they miss us soon.
    (void)!sc_bus_flush(gateway->bus, last_flush_s);
}

void sc_gateway_free(sc_gateway *gateway)
{
    if (!gateway) return;
    sc_gateway_stop(gateway);
    sc__outbox_free(gateway->outbox);
    sc_bus_free(gateway->bus);
    sc__heartbeat_thread_fini(&gateway->heartbeat_thread);
    sc__gateway_members_fini(&gateway->members);
    sc_placer_free(gateway->placer);
    sc__gateway_routes_free(gateway->routes);
    sc_free(gateway->unsent);
    pthread_mutex_destroy(&gateway->lock);
    pthread_mutex_destroy(&gateway->send_lock);
    sc_free(gateway);
}
