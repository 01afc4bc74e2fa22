// Sealed messages over NATS: subjects, sending, subscriptions, and the life of the connection.
//
// Invariants:
//  1. Every message published is sealed for its subject, and every message handed on was unsealed
//     for the subject it came by, with the key of its sender (cluster_seal.h). What is not sealed
//     is NATS's own report that a worker has no subscriber: a hint, which may be forged.
//  2. Plain bytes are wiped as soon as they were handled.
//  3. A subscription is freed after the library reported that it will not call it any more; the bus
//     after the library reported so of the connection. So no callback finds its context gone.
#include "cluster/bus_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** An error of the library as one of ours. */
static sc_err bus_err(natsStatus status)
{
    switch (status) {
    case NATS_OK:
        return SC_OK;
    case NATS_MAX_PAYLOAD:
        return SC_ELIMIT;
    case NATS_NO_MEMORY:
        return SC_ENOMEM;
    default:
        return SC_ENET;
    }
}

// --- Subjects ----------------------------------------------------------------------------------

sc__bus_subject sc__bus_subject_peer(const sc_bus *bus, sc_peer peer)
{
    sc__bus_subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.%s.%016" PRIx64, bus->cluster,
             sc_peer_is_worker(peer) ? "worker" : "gateway", peer);
    return subject;
}

sc__bus_subject sc__bus_subject_heartbeats(const sc_bus *bus, bool of_workers)
{
    sc__bus_subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.beat.%s", bus->cluster,
             of_workers ? "worker" : "gateway");
    return subject;
}

sc__bus_subject sc__bus_subject_placements(const sc_bus *bus)
{
    sc__bus_subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.place", bus->cluster);
    return subject;
}

sc__bus_subject sc__bus_subject_no_responders(const sc_bus *bus, sc_peer worker)
{
    sc__bus_subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.void.%016" PRIx64 ".%016" PRIx64, bus->cluster,
             bus->self, worker);
    return subject;
}

sc__bus_subject sc__bus_subject_no_responders_any(const sc_bus *bus)
{
    sc__bus_subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.void.%016" PRIx64 ".*", bus->cluster,
             bus->self);
    return subject;
}

// --- Receiving ---------------------------------------------------------------------------------

/** Unseal and hand on. Room on the stack for what is small. */
static void receive_sealed(sc_bus_subscription *subscription, const char *subject,
                           const uint8_t *sealed, size_t size)
{
    sc_bus *bus = subscription->bus;
    uint8_t small[SC__BUS_SMALL];
    uint8_t *plain = size > sizeof small ? sc_malloc(size) : small;
    sc_peer from = SC_PEER_NONE;
    const size_t plain_size =
        plain ? sc_unseal_message(bus->key, subscription->seal, subject, sealed, size, plain, &from)
              : SIZE_MAX;
    if (plain_size != SIZE_MAX) {
        atomic_fetch_add(&bus->messages_in, 1);
        atomic_fetch_add(&bus->bytes_in, size);
        subscription->receive(subscription->context, from, plain, plain_size);
        explicit_bzero(plain, plain_size);
    } else {
        atomic_fetch_add(&bus->unopened, 1);
    }
    if (plain != small) sc_free(plain);
}

/** "NAME.void.PEER.WORKER": any client that may publish there could, so only what looks like NATS's
 * own report counts, as a hint. */
static void receive_no_responders(const sc_bus_subscription *subscription, natsMsg *message)
{
    enum { DIGITS = 16 };
    if (!natsMsg_IsNoResponders(message)) return;
    const char *dot = strrchr(natsMsg_GetSubject(message), '.');
    if (!dot || strlen(dot + 1) != DIGITS) return;
    char *end = NULL;
    const sc_peer worker = strtoull(dot + 1, &end, DIGITS);
    if (end == dot + 1 + DIGITS) subscription->no_responders(subscription->context, worker);
}

/** The library frees messages in a thread of its own, and wakes it for each: so several at once.
 * They are sealed. One that is large is not kept. */
static void release(sc_bus_subscription *subscription, natsMsg *message)
{
    subscription->held[subscription->held_count++] = message;
    if (subscription->held_count < SC__BUS_HELD && natsMsg_GetDataLength(message) <= SC__BUS_SMALL)
        return;
    while (subscription->held_count > 0) {
        natsMsg_Destroy(subscription->held[--subscription->held_count]);
    }
}

static void on_message(natsConnection *connection, natsSubscription *source, natsMsg *message,
                       void *context)
{
    (void)connection;
    (void)source;
    sc_bus_subscription *subscription = context;
    if (subscription->no_responders) {
        receive_no_responders(subscription, message);
    } else {
        receive_sealed(subscription, natsMsg_GetSubject(message),
                       (const uint8_t *)natsMsg_GetData(message),
                       (size_t)natsMsg_GetDataLength(message));
    }
    release(subscription, message);
}

static void on_complete(void *context)
{
    sc_bus_subscription *subscription = context;
    sc_bus *bus = subscription->bus;
    pthread_mutex_lock(&bus->lock);
    subscription->is_done = true;
    pthread_cond_broadcast(&bus->has_ended);
    pthread_mutex_unlock(&bus->lock);
}

static sc_err listen_to(sc_bus *bus, const char *subject, const sc_bus_subscription *model,
                        sc_bus_subscription **out, sc_diag *diag)
{
    sc_bus_subscription *subscription = sc_malloc(sizeof *subscription);
    if (!subscription) return sc_fail_memory(diag, "subscribing at NATS");
    *subscription = *model;
    subscription->bus = bus;
    const sigset_t before = sc__bus_block_signals();
    const natsStatus status = natsConnection_Subscribe(&subscription->subscription, bus->connection,
                                                       subject, on_message, subscription);
    sc__bus_restore_signals(before);
    if (status != NATS_OK) {
        sc_free(subscription);
        return sc_fail(diag, bus_err(status), "cannot subscribe at NATS: %s",
                       natsStatus_GetText(status));
    }
    // Cannot fail for a subscription that is open and has a callback.
    (void)natsSubscription_SetOnCompleteCB(subscription->subscription, on_complete, subscription);
    pthread_mutex_lock(&bus->lock);
    subscription->next = bus->subscriptions;
    bus->subscriptions = subscription;
    pthread_mutex_unlock(&bus->lock);
    *out = subscription;
    return SC_OK;
}

void sc_bus_unsubscribe(sc_bus_subscription *subscription)
{
    if (!subscription) return;
    sc_bus *bus = subscription->bus;
    int64_t dropped = 0;
    (void)natsSubscription_GetDropped(subscription->subscription, &dropped);
    // If the connection is closed, the subscription is too, and this fails as it should.
    (void)natsSubscription_Unsubscribe(subscription->subscription);

    pthread_mutex_lock(&bus->lock);
    while (!subscription->is_done) {
        pthread_cond_wait(&bus->has_ended, &bus->lock);
    }
    sc_bus_subscription **link = &bus->subscriptions;
    while (*link != subscription) {
        link = &(*link)->next;
    }
    *link = subscription->next;
    bus->overrun += (uint64_t)dropped;
    pthread_mutex_unlock(&bus->lock);
    while (subscription->held_count > 0) {
        natsMsg_Destroy(subscription->held[--subscription->held_count]);
    }
    natsSubscription_Destroy(subscription->subscription);
    sc_free(subscription);
}

/** By which seal messages for a process with this number come. */
static sc_seal seal_to(sc_peer peer)
{
    return sc_peer_is_worker(peer) ? SC_SEAL_TO_WORKER : SC_SEAL_TO_GATEWAYS;
}

/** And heartbeats. */
static sc_seal seal_of_heartbeats(bool of_workers)
{
    return of_workers ? SC_SEAL_TO_GATEWAYS : SC_SEAL_BROADCAST;
}

sc_err sc_bus_subscribe_own(sc_bus *bus, sc_bus_receive *receive, void *context,
                            sc_bus_subscription **out, sc_diag *diag)
{
    const sc_bus_subscription model = {
        .receive = receive, .seal = seal_to(bus->self), .context = context};
    return listen_to(bus, sc__bus_subject_peer(bus, bus->self).text, &model, out, diag);
}

sc_err sc_bus_subscribe_heartbeats(sc_bus *bus, bool of_workers, sc_bus_receive *receive,
                                   void *context, sc_bus_subscription **out, sc_diag *diag)
{
    const sc_bus_subscription model = {
        .receive = receive, .seal = seal_of_heartbeats(of_workers), .context = context};
    return listen_to(bus, sc__bus_subject_heartbeats(bus, of_workers).text, &model, out, diag);
}

sc_err sc_bus_subscribe_placements(sc_bus *bus, sc_bus_receive *receive, void *context,
                                   sc_bus_subscription **out, sc_diag *diag)
{
    const sc_bus_subscription model = {
        .receive = receive, .seal = SC_SEAL_BROADCAST, .context = context};
    return listen_to(bus, sc__bus_subject_placements(bus).text, &model, out, diag);
}

sc_err sc_bus_subscribe_no_responders(sc_bus *bus,
                                      void (*no_responders)(void *context, sc_peer worker),
                                      void *context, sc_bus_subscription **out, sc_diag *diag)
{
    const sc_bus_subscription model = {.no_responders = no_responders, .context = context};
    return listen_to(bus, sc__bus_subject_no_responders_any(bus).text, &model, out, diag);
}

/** How long the last messages may take to leave. */
enum { LAST_FLUSH_MS = 1000 };

// --- The connection ----------------------------------------------------------------------------

static void set_connected(sc_bus *bus, bool is_connected)
{
    atomic_store(&bus->is_connected, is_connected);
    // Not reported when we close it ourselves.
    if (bus->connected && !atomic_load(&bus->is_closing)) {
        bus->connected(bus->context, is_connected);
    }
}

static void on_disconnected(natsConnection *connection, void *context)
{
    (void)connection;
    set_connected(context, false);
}

static void on_reconnected(natsConnection *connection, void *context)
{
    (void)connection;
    sc_bus *bus = context;
    atomic_fetch_add(&bus->reconnects, 1);
    set_connected(bus, true);
}

/** The last callback of a connection: it was closed by us, or given up, which the library does only
 * when the servers refuse the credentials. */
static void on_closed(natsConnection *connection, void *context)
{
    (void)connection;
    sc_bus *bus = context;
    atomic_store(&bus->is_connected, false);
    if (bus->given_up && !atomic_load(&bus->is_closing)) bus->given_up(bus->context);
    pthread_mutex_lock(&bus->lock);
    bus->is_closed = true;
    pthread_cond_broadcast(&bus->has_ended);
    pthread_mutex_unlock(&bus->lock);
}

/** Kinds of subjects, by what follows the cluster's name. */
static const struct {
    const char *begin;
    const char *kind;
} subject_kinds[] = {
    {"gateway.", "messages for gateways"},
    {"worker.", "messages for workers"},
    {"beat.gateway", "heartbeats of gateways"},
    {"beat.worker", "heartbeats of workers"},
    {"place", "placements"},
    {"void.", "reports that a worker has no subscriber"},
    {"", "another subject"},
};

/** The kind of the subject that a server's text names in quotes. */
static size_t subject_kind_in(const sc_bus *bus, const char *text)
{
    const size_t last = sizeof subject_kinds / sizeof subject_kinds[0] - 1;
    const char *subject = strchr(text, '"');
    const size_t size = strlen(bus->cluster);
    if (!subject || strncmp(subject + 1, bus->cluster, size) != 0 || subject[1 + size] != '.')
        return last;
    size_t kind = 0;
    while (strncmp(subject + size + 2, subject_kinds[kind].begin,
                   strlen(subject_kinds[kind].begin)) != 0) {
        kind++;
    }
    return kind;
}

/** What a server refuses, long after the call that was refused has returned. Its text is
 * 'Permissions Violation for Publish to "SUBJECT"' or '... for Subscription to "SUBJECT"'. */
static void on_failed(natsConnection *connection, natsSubscription *source, natsStatus status,
                      void *context)
{
    (void)source;
    sc_bus *bus = context;
    if (status != NATS_NOT_PERMITTED) return;
    atomic_fetch_add(&bus->forbidden_count, 1);
    const char *text = nats_GetLastError(NULL);
    if (!text || !strchr(text, '"')) (void)natsConnection_GetLastError(connection, &text);
    if (!text) text = "";
    const bool is_publish = strcasestr(text, "publish") != NULL;
    const size_t kind = subject_kind_in(bus, text);
    const unsigned bit = 1U << (2 * kind + is_publish);
    if ((atomic_fetch_or(&bus->forbidden_kinds, bit) & bit) != 0 || !bus->forbidden) return;
    const sc_bus_forbidden what = {.action = is_publish ? "publish" : "subscribe",
                                   .kind = subject_kinds[kind].kind};
    bus->forbidden(bus->context, &what);
}

static void destroy(sc_bus *bus)
{
    natsOptions_Destroy(bus->nats);
    pthread_cond_destroy(&bus->has_ended);
    pthread_mutex_destroy(&bus->lock);
    sc_free(bus);
}

sc_err sc_bus_new(const sc_bus_options *options, sc_bus **out, sc_diag *diag)
{
    sc_err err = sc__bus_check(options, diag);
    if (err) return err;
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "libsodium cannot be initialised");
    sc_bus *bus = sc_calloc(1, sizeof *bus);
    if (!bus) return sc_fail_memory(diag, "connecting to NATS");
    snprintf(bus->cluster, sizeof bus->cluster, "%s", options->cluster);
    bus->key = options->cluster_key;
    bus->self = options->self;
    bus->connected = options->connected;
    bus->given_up = options->given_up;
    bus->forbidden = options->forbidden;
    bus->context = options->context;
    pthread_mutex_init(&bus->lock, NULL);
    pthread_cond_init(&bus->has_ended, NULL);

    const sc__bus_handlers handlers = {
        .disconnected = on_disconnected,
        .reconnected = on_reconnected,
        .closed = on_closed,
        .failed = on_failed,
        .context = bus,
    };
    const sigset_t before = sc__bus_block_signals();
    err = sc__bus_prepare(options, &handlers, bus, diag);
    sc__bus_restore_signals(before);
    if (err) {
        destroy(bus);
        return err;
    }
    *out = bus;
    return SC_OK;
}

sc_err sc_bus_connect(sc_bus *bus, sc_diag *diag)
{
    // Set before it is true, since the library may report a loss before the call returns.
    atomic_store(&bus->is_connected, true);
    const sigset_t before = sc__bus_block_signals();
    const sc_err err = sc__bus_connect(bus, diag);
    sc__bus_restore_signals(before);
    if (err) atomic_store(&bus->is_connected, false);
    return err;
}

void sc_bus_free(sc_bus *bus)
{
    if (!bus) return;
    if (!bus->connection) {
        destroy(bus);
        return;
    }
    if (atomic_load(&bus->is_connected)) {
        // What cannot leave in time is lost, as it may be at any moment.
        (void)natsConnection_FlushTimeout(bus->connection, LAST_FLUSH_MS);
    }
    while (bus->subscriptions) {
        sc_bus_unsubscribe(bus->subscriptions);
    }
    atomic_store(&bus->is_closing, true);
    natsConnection_Close(bus->connection);
    pthread_mutex_lock(&bus->lock);
    while (!bus->is_closed) {
        pthread_cond_wait(&bus->has_ended, &bus->lock);
    }
    pthread_mutex_unlock(&bus->lock);
    natsConnection_Destroy(bus->connection);
    destroy(bus);
}

sc_err sc_bus_flush(sc_bus *bus, double seconds)
{
    const int64_t ms = (int64_t)(seconds * 1000);
    return bus_err(natsConnection_FlushTimeout(bus->connection, ms > 1 ? ms : 1)) ? SC_ENET : SC_OK;
}

// --- Sending -----------------------------------------------------------------------------------

/** Where a message goes: its subject, its seal, the worker that can open it, and where NATS reports
 * that there is no subscriber ("": it need not). */
typedef struct address {
    sc__bus_subject subject;
    sc_seal seal;
    sc_peer worker;
    sc__bus_subject reply;
} address;

static sc_err publish(sc_bus *bus, const address *to, const uint8_t *sealed, size_t size)
{
    const char *subject = to->subject.text;
    return bus_err(*to->reply.text
                       ? natsConnection_PublishRequest(bus->connection, subject, to->reply.text,
                                                       sealed, (int)size)
                       : natsConnection_Publish(bus->connection, subject, sealed, (int)size));
}

static sc_err send_to(sc_bus *bus, const address *to, const void *bytes, size_t size)
{
    const size_t sealed_size = size + sc_seal_extra(to->seal);
    uint8_t small[SC__BUS_SMALL];
    uint8_t *sealed = small;
    sc_err err = SC_OK;
    if (sealed_size > INT32_MAX) {
        err = SC_ELIMIT;
    } else if (sealed_size > sizeof small) {
        sealed = sc_malloc(sealed_size);
        if (!sealed) err = SC_ENOMEM;
    }
    if (!err && !sc_seal_message(bus->key, to->seal, bus->self, to->worker, to->subject.text, bytes,
                                 size, sealed)) {
        err = SC_EINVAL;  // not for this role to send
    }
    if (!err) err = publish(bus, to, sealed, sealed_size);
    if (sealed != small) sc_free(sealed);
    if (err) {
        atomic_fetch_add(&bus->unsent, 1);
        return err;
    }
    atomic_fetch_add(&bus->messages_out, 1);
    atomic_fetch_add(&bus->bytes_out, sealed_size);
    return SC_OK;
}

sc_err sc_bus_send_peer(sc_bus *bus, sc_peer to, const void *bytes, size_t size)
{
    const address there = {
        .subject = sc__bus_subject_peer(bus, to), .seal = seal_to(to), .worker = to};
    return send_to(bus, &there, bytes, size);
}

sc_err sc_bus_send_worker(sc_bus *bus, sc_peer worker, const void *bytes, size_t size)
{
    const address there = {
        .subject = sc__bus_subject_peer(bus, worker),
        .seal = seal_to(worker),
        .worker = worker,
        .reply = sc__bus_subject_no_responders(bus, worker),
    };
    return send_to(bus, &there, bytes, size);
}

sc_err sc_bus_send_heartbeat(sc_bus *bus, const void *bytes, size_t size)
{
    const bool is_worker = sc_peer_is_worker(bus->self);
    const address there = {
        .subject = sc__bus_subject_heartbeats(bus, is_worker),
        .seal = seal_of_heartbeats(is_worker),
    };
    return send_to(bus, &there, bytes, size);
}

sc_err sc_bus_send_placement(sc_bus *bus, const void *bytes, size_t size)
{
    const address there = {.subject = sc__bus_subject_placements(bus), .seal = SC_SEAL_BROADCAST};
    return send_to(bus, &there, bytes, size);
}

// --- Counting ----------------------------------------------------------------------------------

/** Messages that the library dropped, of all subscriptions there were. */
static uint64_t count_overrun(const sc_bus *bus)
{
    // Only the lock is changed, so the bus stays const for the caller.
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&bus->lock;
    pthread_mutex_lock(lock);
    uint64_t overrun = bus->overrun;
    for (const sc_bus_subscription *subscription = bus->subscriptions; subscription;
         subscription = subscription->next) {
        int64_t dropped = 0;
        if (natsSubscription_GetDropped(subscription->subscription, &dropped) == NATS_OK) {
            overrun += (uint64_t)dropped;
        }
    }
    pthread_mutex_unlock(lock);
    return overrun;
}

bool sc_bus_is_connected(const sc_bus *bus)
{
    return atomic_load(&bus->is_connected);
}

sc_bus_stats sc_bus_stats_of(const sc_bus *bus)
{
    return (sc_bus_stats){
        .is_connected = atomic_load(&bus->is_connected),
        .messages_out = atomic_load(&bus->messages_out),
        .messages_in = atomic_load(&bus->messages_in),
        .bytes_out = atomic_load(&bus->bytes_out),
        .bytes_in = atomic_load(&bus->bytes_in),
        .unsent = atomic_load(&bus->unsent),
        .unopened = atomic_load(&bus->unopened),
        .overrun = count_overrun(bus),
        .reconnects = atomic_load(&bus->reconnects),
        .forbidden = atomic_load(&bus->forbidden_count),
    };
}
