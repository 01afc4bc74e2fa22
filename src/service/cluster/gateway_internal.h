/**
 * @file gateway_internal.h
 * @brief Secret: what the files of a gateway share.
 *
 * Used by: gateway.c, gateway_look.c.
 */
#ifndef SC_CLUSTER_GATEWAY_INTERNAL_H
#define SC_CLUSTER_GATEWAY_INTERNAL_H

#include "cluster/gateway.h"

#include <pthread.h>
#include <stdatomic.h>

#include "cluster/beating.h"
#include "cluster/gateway_guests.h"
#include "cluster/gateway_routes.h"
#include "cluster/placement.h"
#include "cluster/roster.h"

/** A worker of which NATS says that nobody is where it should be. */
typedef struct sc__suspect {
    sc_peer worker;
    sc_time since;
} sc__suspect;

/** More at once need not be remembered: missed beats tell as well, only later. */
enum { SC__SUSPECTS_MAX = 16 };

/** To itself, to all (beats, placements), and where NATS says that nobody is there. */
enum { SC__GATEWAY_EARS = 4 };

struct sc_gateway {
    // Read-only from sc_gateway_start() on.
    uint32_t parts;
    sc_time beat_us;
    sc_log *log;
    void (*given_up)(void *context);
    void *given_up_context;
    sc_voice voice;
    sc_wire *wire;
    sc_ledger *ledger;
    sc_cluster_codec codec;
    sc_wire_ear *ears[SC__GATEWAY_EARS];

    // Any thread: each has its own lock, or needs none.
    sc__routes *routes;
    sc__beating beating;
    atomic_bool is_back;      ///< NATS was away and is here again
    atomic_bool was_puzzled;  ///< by a message that cannot be read, and it was said

    // Under `speech`: while the ledger speaks.
    pthread_mutex_t speech;
    bool is_open;  ///< it may: between start and stop everything, after that what needs no answer
    bool is_deaf;

    // The thread that looks, and who ends it.
    sc__identity identity;
    uint32_t *unsaid;  ///< room for all parts

    // Under `lock`.
    pthread_mutex_t lock;
    sc_roster *roster;
    sc_placing *placing;
    sc__guests guests;
    sc__suspect suspects[SC__SUSPECTS_MAX];
    size_t suspect_count;
    sc_time quiet_until;  ///< we may not have heard who is there: nobody is taken for dead
    sc_time last_look;
};

/** What the thread that beats does. */
void sc__gateway_look(void *context, bool is_beat);

/** Say that we are there; or, for the last time, that we leave. */
void sc__gateway_beat(sc_gateway *gateway, bool is_leaving);

/** Under `lock`: the placement that counts is another. */
void sc__gateway_placed(sc_gateway *gateway);

/** NATS says that nobody has a part that `worker` served. */
void sc__gateway_suspect(sc_gateway *gateway, sc_peer worker);

#endif
