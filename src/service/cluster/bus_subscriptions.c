// Hearing what comes over NATS: subscriptions, and unsealing. See wire.h for what is heard, and
// wire.c for what holds always.
#include "cluster/bus_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
#include "cluster/seal.h"

#include <string.h>

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
        return sc_fail(diag, sc__wire_err(status), "cannot listen at NATS: %s",
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
