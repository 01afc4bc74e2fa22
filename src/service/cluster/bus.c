// Sealed messages over NATS: subjects, sending, subscriptions, and the life of the connection.
//
// Invariants:
//  1. Every message published is sealed for its subject, and every message handed on was unsealed
//     for the subject it came by. The only thing believed unsealed is that a part has no
//     subscriber, which NATS itself reports: a forged report makes a gateway send some queries
//     again, sealed as ever.
//  2. Plain bytes are wiped as soon as they were handled.
//  3. A subscription is freed after the library reported that it will not call it any more; the bus
//     after the library reported so of the connection. So no callback finds its context gone.
#include "cluster/bus_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
#include "cluster/cluster_key.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
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

// --- Subjects -----------------------------------------------------------------------------------
// bus.h tells what is sent to which.

sc__subject sc__subject_part(const sc_wire *wire, uint32_t part)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.part.%016" PRIx64 ".%" PRIu32, wire->cluster,
             wire->cut, part);
    return subject;
}

sc__subject sc__subject_peer(const sc_wire *wire, sc_peer peer)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.to.%016" PRIx64, wire->cluster, peer);
    return subject;
}

sc__subject sc__subject_beats(const sc_wire *wire)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.beat", wire->cluster);
    return subject;
}

sc__subject sc__subject_placements(const sc_wire *wire)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.place", wire->cluster);
    return subject;
}

/** @param part  a number, or "*" */
static sc__subject subject_void(const sc_wire *wire, sc_peer self, const char *part)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.void.%016" PRIx64 ".%s", wire->cluster, self,
             part);
    return subject;
}

sc__subject sc__subject_void(const sc_wire *wire, sc_peer self, uint32_t part)
{
    char number[11];
    snprintf(number, sizeof number, "%" PRIu32, part);
    return subject_void(wire, self, number);
}

sc__subject sc__subject_void_of_any(const sc_wire *wire, sc_peer self)
{
    return subject_void(wire, self, "*");
}

// --- Receiving ----------------------------------------------------------------------------------

/** Unseal and hand on. Room on the stack for what is small. */
static void hear_sealed(sc_wire_ear *ear, const char *subject, const uint8_t *sealed, size_t size)
{
    sc_wire *wire = ear->wire;
    uint8_t small[SC__WIRE_SMALL];
    uint8_t *plain = small;
    const size_t plain_size = size < SC_SEAL_EXTRA ? 0 : size - SC_SEAL_EXTRA;
    if (plain_size > sizeof small) plain = sc_malloc(plain_size);
    if (plain && size >= SC_SEAL_EXTRA && sc_unseal(wire->seal_key, subject, sealed, size, plain)) {
        atomic_fetch_add(&wire->messages_in, 1);
        atomic_fetch_add(&wire->bytes_in, size);
        ear->hear(ear->context, plain, plain_size);
        explicit_bzero(plain, plain_size);
    } else {
        atomic_fetch_add(&wire->unopened, 1);
    }
    if (plain != small) sc_free(plain);
}

/** "NAME.void.PEER.P": whatever its subject says, only NATS's own word counts. */
static void hear_void(const sc_wire_ear *ear, natsMsg *message)
{
    if (!natsMsg_IsNoResponders(message)) return;
    const char *dot = strrchr(natsMsg_GetSubject(message), '.');
    uint64_t part = 0;
    if (!dot || !sc_slice_u64((sc_slice){dot + 1, strlen(dot + 1)}, &part)) return;
    if (part <= UINT32_MAX) ear->nobody(ear->context, (uint32_t)part);
}

static void on_message(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                       void *context)
{
    (void)connection;
    (void)subscription;
    sc_wire_ear *ear = context;
    if (ear->nobody) {
        hear_void(ear, message);
    } else {
        hear_sealed(ear, natsMsg_GetSubject(message), (const uint8_t *)natsMsg_GetData(message),
                    (size_t)natsMsg_GetDataLength(message));
    }
    natsMsg_Destroy(message);
}

static void on_complete(void *context)
{
    sc_wire_ear *ear = context;
    sc_wire *wire = ear->wire;
    pthread_mutex_lock(&wire->lock);
    ear->is_done = true;
    pthread_cond_broadcast(&wire->has_ended);
    pthread_mutex_unlock(&wire->lock);
}

static sc_err listen_to(sc_wire *wire, const char *subject, const sc_wire_ear *model,
                        sc_wire_ear **out, sc_diag *diag)
{
    sc_wire_ear *ear = sc_malloc(sizeof *ear);
    if (!ear) return sc_fail_memory(diag, "listening at NATS");
    *ear = *model;
    ear->wire = wire;
    const sigset_t before = sc__signals_hold();
    const natsStatus status =
        natsConnection_Subscribe(&ear->subscription, wire->connection, subject, on_message, ear);
    sc__signals_let(before);
    if (status != NATS_OK) {
        sc_free(ear);
        return sc_fail(diag, bus_err(status), "cannot listen at NATS: %s",
                       natsStatus_GetText(status));
    }
    // Cannot fail for a subscription that is open and has a callback.
    (void)natsSubscription_SetOnCompleteCB(ear->subscription, on_complete, ear);
    pthread_mutex_lock(&wire->lock);
    ear->next = wire->ears;
    wire->ears = ear;
    pthread_mutex_unlock(&wire->lock);
    *out = ear;
    return SC_OK;
}

void sc_wire_deafen(sc_wire_ear *ear)
{
    if (!ear) return;
    sc_wire *wire = ear->wire;
    int64_t dropped = 0;
    (void)natsSubscription_GetDropped(ear->subscription, &dropped);
    // If the connection is closed, the subscription is too, and this fails as it should.
    (void)natsSubscription_Unsubscribe(ear->subscription);

    pthread_mutex_lock(&wire->lock);
    while (!ear->is_done) {
        pthread_cond_wait(&wire->has_ended, &wire->lock);
    }
    sc_wire_ear **link = &wire->ears;
    while (*link != ear) {
        link = &(*link)->next;
    }
    *link = ear->next;
    wire->overrun += (uint64_t)dropped;
    pthread_mutex_unlock(&wire->lock);
    natsSubscription_Destroy(ear->subscription);
    sc_free(ear);
}

sc_err sc_wire_listen_part(sc_wire *wire, uint32_t part, sc_wire_hear *hear, void *context,
                           sc_wire_ear **out, sc_diag *diag)
{
    return listen_to(wire, sc__subject_part(wire, part).text,
                     &(sc_wire_ear){.hear = hear, .context = context}, out, diag);
}

sc_err sc_wire_listen_peer(sc_wire *wire, sc_peer self, sc_wire_hear *hear, void *context,
                           sc_wire_ear **out, sc_diag *diag)
{
    return listen_to(wire, sc__subject_peer(wire, self).text,
                     &(sc_wire_ear){.hear = hear, .context = context}, out, diag);
}

sc_err sc_wire_listen_beats(sc_wire *wire, sc_wire_hear *hear, void *context, sc_wire_ear **out,
                            sc_diag *diag)
{
    return listen_to(wire, sc__subject_beats(wire).text,
                     &(sc_wire_ear){.hear = hear, .context = context}, out, diag);
}

sc_err sc_wire_listen_placements(sc_wire *wire, sc_wire_hear *hear, void *context,
                                 sc_wire_ear **out, sc_diag *diag)
{
    return listen_to(wire, sc__subject_placements(wire).text,
                     &(sc_wire_ear){.hear = hear, .context = context}, out, diag);
}

sc_err sc_wire_listen_void(sc_wire *wire, sc_peer self,
                           void (*nobody)(void *context, uint32_t part), void *context,
                           sc_wire_ear **out, sc_diag *diag)
{
    return listen_to(wire, sc__subject_void_of_any(wire, self).text,
                     &(sc_wire_ear){.nobody = nobody, .context = context}, out, diag);
}

/** How long the last words may take to leave. */
enum { LAST_FLUSH_MS = 1000 };

// --- The connection ------------------------------------------------------------------------

static void tell(sc_wire *wire, bool is_connected)
{
    atomic_store(&wire->is_connected, is_connected);
    // That we close it ourselves is no news.
    if (wire->connected && !atomic_load(&wire->is_closing)) {
        wire->connected(wire->context, is_connected);
    }
}

static void on_disconnected(natsConnection *connection, void *context)
{
    (void)connection;
    tell(context, false);
}

static void on_reconnected(natsConnection *connection, void *context)
{
    (void)connection;
    sc_wire *wire = context;
    atomic_fetch_add(&wire->reconnects, 1);
    tell(wire, true);
}

/** The last that is heard of the connection: it was closed by us, or given up, which the library
 * does only when the servers let us in no more. */
static void on_closed(natsConnection *connection, void *context)
{
    (void)connection;
    sc_wire *wire = context;
    atomic_store(&wire->is_connected, false);
    if (wire->given_up && !atomic_load(&wire->is_closing)) wire->given_up(wire->context);
    pthread_mutex_lock(&wire->lock);
    wire->is_closed = true;
    pthread_cond_broadcast(&wire->has_ended);
    pthread_mutex_unlock(&wire->lock);
}

static void destroy(sc_wire *wire)
{
    natsOptions_Destroy(wire->nats);
    pthread_cond_destroy(&wire->has_ended);
    pthread_mutex_destroy(&wire->lock);
    explicit_bzero(wire->seal_key, sizeof wire->seal_key);
    sc_free(wire);
}

sc_err sc_wire_new(const sc_wire_options *options, sc_wire **out, sc_diag *diag)
{
    sc_err err = sc__wire_check(options, diag);
    if (err) return err;
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "libsodium does not start");
    sc_wire *wire = sc_calloc(1, sizeof *wire);
    if (!wire) return sc_fail_memory(diag, "connecting to NATS");
    snprintf(wire->cluster, sizeof wire->cluster, "%s", options->cluster);
    wire->cut = options->cut;
    memcpy(wire->seal_key, options->seal_key, sizeof wire->seal_key);
    wire->connected = options->connected;
    wire->given_up = options->given_up;
    wire->context = options->context;
    pthread_mutex_init(&wire->lock, NULL);
    pthread_cond_init(&wire->has_ended, NULL);

    const sc__wire_handlers handlers = {
        .disconnected = on_disconnected,
        .reconnected = on_reconnected,
        .closed = on_closed,
        .context = wire,
    };
    const sigset_t before = sc__signals_hold();
    err = sc__wire_prepare(options, &handlers, wire, diag);
    sc__signals_let(before);
    if (err) {
        destroy(wire);
        return err;
    }
    *out = wire;
    return SC_OK;
}

sc_err sc_wire_begin(sc_wire *wire, sc_diag *diag)
{
    // Said before it is so, since the library may tell of a loss before we are back here.
    atomic_store(&wire->is_connected, true);
    const sigset_t before = sc__signals_hold();
    const sc_err err = sc__wire_connect(wire, diag);
    sc__signals_let(before);
    if (err) atomic_store(&wire->is_connected, false);
    return err;
}

void sc_wire_free(sc_wire *wire)
{
    if (!wire) return;
    if (!wire->connection) {
        destroy(wire);
        return;
    }
    if (atomic_load(&wire->is_connected)) {
        // What cannot leave in time is lost, as it may be at any moment.
        (void)natsConnection_FlushTimeout(wire->connection, LAST_FLUSH_MS);
    }
    while (wire->ears) {
        sc_wire_deafen(wire->ears);
    }
    atomic_store(&wire->is_closing, true);
    natsConnection_Close(wire->connection);
    pthread_mutex_lock(&wire->lock);
    while (!wire->is_closed) {
        pthread_cond_wait(&wire->has_ended, &wire->lock);
    }
    pthread_mutex_unlock(&wire->lock);
    natsConnection_Destroy(wire->connection);
    destroy(wire);
}

sc_err sc_wire_flush(sc_wire *wire, double seconds)
{
    const int64_t ms = (int64_t)(seconds * 1000);
    return bus_err(natsConnection_FlushTimeout(wire->connection, ms > 1 ? ms : 1)) ? SC_ENET
                                                                                   : SC_OK;
}

// --- Speaking ------------------------------------------------------------------------------

/** @param reply  where NATS says that nobody listens; NULL: it need not */
static sc_err send_to(sc_wire *wire, const char *subject, const char *reply, const void *bytes,
                      size_t size)
{
    const size_t sealed_size = size + SC_SEAL_EXTRA;
    uint8_t small[SC__WIRE_SMALL + SC_SEAL_EXTRA];
    uint8_t *sealed = small;
    sc_err err = SC_OK;
    if (sealed_size > INT32_MAX) {
        err = SC_ELIMIT;
    } else if (sealed_size > sizeof small) {
        sealed = sc_malloc(sealed_size);
        if (!sealed) err = SC_ENOMEM;
    }
    if (!err) {
        sc_seal(wire->seal_key, subject, bytes, size, sealed);
        const int count = (int)sealed_size;
        err = bus_err(
            reply ? natsConnection_PublishRequest(wire->connection, subject, reply, sealed, count)
                  : natsConnection_Publish(wire->connection, subject, sealed, count));
    }
    if (sealed != small) sc_free(sealed);
    if (err) {
        atomic_fetch_add(&wire->unsent, 1);
        return err;
    }
    atomic_fetch_add(&wire->messages_out, 1);
    atomic_fetch_add(&wire->bytes_out, sealed_size);
    return SC_OK;
}

sc_err sc_wire_send_part(sc_wire *wire, uint32_t part, sc_peer self, const void *bytes, size_t size)
{
    return send_to(wire, sc__subject_part(wire, part).text, sc__subject_void(wire, self, part).text,
                   bytes, size);
}

sc_err sc_wire_send_peer(sc_wire *wire, sc_peer to, const void *bytes, size_t size)
{
    return send_to(wire, sc__subject_peer(wire, to).text, NULL, bytes, size);
}

sc_err sc_wire_send_beat(sc_wire *wire, const void *bytes, size_t size)
{
    return send_to(wire, sc__subject_beats(wire).text, NULL, bytes, size);
}

sc_err sc_wire_send_placement(sc_wire *wire, const void *bytes, size_t size)
{
    return send_to(wire, sc__subject_placements(wire).text, NULL, bytes, size);
}

// --- Counting ------------------------------------------------------------------------------

/** Messages that the library dropped, of all subscriptions there were. */
static uint64_t count_overrun(const sc_wire *wire)
{
    // Only the lock is touched, which says nothing about the wire.
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&wire->lock;
    pthread_mutex_lock(lock);
    uint64_t overrun = wire->overrun;
    for (const sc_wire_ear *ear = wire->ears; ear; ear = ear->next) {
        int64_t dropped = 0;
        if (natsSubscription_GetDropped(ear->subscription, &dropped) == NATS_OK) {
            overrun += (uint64_t)dropped;
        }
    }
    pthread_mutex_unlock(lock);
    return overrun;
}

sc_wire_stats sc_wire_stats_of(const sc_wire *wire)
{
    return (sc_wire_stats){
        .is_connected = atomic_load(&wire->is_connected),
        .messages_out = atomic_load(&wire->messages_out),
        .messages_in = atomic_load(&wire->messages_in),
        .bytes_out = atomic_load(&wire->bytes_out),
        .bytes_in = atomic_load(&wire->bytes_in),
        .unsent = atomic_load(&wire->unsent),
        .unopened = atomic_load(&wire->unopened),
        .overrun = count_overrun(wire),
        .reconnects = atomic_load(&wire->reconnects),
    };
}
