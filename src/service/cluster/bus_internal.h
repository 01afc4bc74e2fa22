/**
 * @file bus_internal.h
 * @brief What bus.c and bus_connect.c share: the bus, and how its connection is made.
 */
#ifndef SC_CLUSTER_BUS_INTERNAL_H
#define SC_CLUSTER_BUS_INTERNAL_H

#include "cluster/bus.h"

#include <nats/nats.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "cluster/cluster_seal.h"

/** Messages up to that size are sealed and unsealed on the stack: nearly all are. */
enum { SC__BUS_SMALL = 8192 };

/** Messages that were handled are freed so many at once. */
enum { SC__BUS_HELD = 32 };

struct sc_bus {
    // Read-only once it is connected.
    natsOptions *nats;  ///< until it is
    natsConnection *connection;
    char host[256];  ///< of the first server, for errors
    bool has_other_servers;
    char credentials[4096];  ///< a file; "" if there is none
    char cluster[64];
    const sc_cluster_key *key;
    sc_peer self;
    void (*connected)(void *context, bool is_connected);
    void (*given_up)(void *context);
    void (*forbidden)(void *context, const sc_bus_forbidden *what);
    void *context;

    // Any thread.
    atomic_bool is_connected;
    atomic_bool is_closing;
    atomic_uint_fast64_t messages_out;
    atomic_uint_fast64_t messages_in;
    atomic_uint_fast64_t bytes_out;
    atomic_uint_fast64_t bytes_in;
    atomic_uint_fast64_t unsent;
    atomic_uint_fast64_t unopened;
    atomic_uint_fast64_t reconnects;
    atomic_uint_fast64_t forbidden_count;
    atomic_uint forbidden_kinds;  ///< that were reported: a bit for each action and kind

    // Under `lock`.
    pthread_mutex_t lock;
    pthread_cond_t has_ended;  ///< a subscription, or the connection
    bool is_closed;
    sc_bus_subscription *subscriptions;
    uint64_t overrun;  ///< of subscriptions that are gone
};

struct sc_bus_subscription {
    // Read-only.
    sc_bus *bus;
    natsSubscription *subscription;
    sc_bus_receive *receive;  ///< NULL: `no_responders`
    sc_seal seal;             ///< of the messages that come
    void (*no_responders)(void *context, sc_peer worker);
    void *context;

    // The thread that receives; then the one that unsubscribes.
    natsMsg *held[SC__BUS_HELD];  ///< that were handled, and are to be freed
    size_t held_count;

    // Under the bus's lock.
    bool is_done;  ///< it will not be called any more
    sc_bus_subscription *next;
};

/** A subject; room for the longest: a cluster's name, ".void.", a peer, ".", a peer. */
typedef struct sc__bus_subject {
    char text[64 + 6 + 16 + 1 + 16];
} sc__bus_subject;

/** All subjects are formed here, for sending and subscribing alike; bus.h lists them. */
sc__bus_subject sc__bus_subject_peer(const sc_bus *bus, sc_peer peer);
sc__bus_subject sc__bus_subject_heartbeats(const sc_bus *bus, bool of_workers);
sc__bus_subject sc__bus_subject_placements(const sc_bus *bus);
sc__bus_subject sc__bus_subject_no_responders(const sc_bus *bus, sc_peer worker);
sc__bus_subject sc__bus_subject_no_responders_any(const sc_bus *bus);  ///< a pattern

/** The callbacks of the library. */
typedef struct sc__bus_handlers {
    natsConnectionHandler disconnected;
    natsConnectionHandler reconnected;
    natsConnectionHandler closed;  ///< the last call of all
    natsErrHandler failed;         ///< what the servers refuse, among others
    void *context;
} sc__bus_handlers;

/**
 * Read all files; the options have been checked by sc__bus_check(). What the library has
 * made is in the bus then, also on failure.
 *
 * @return SC_OK, SC_EIO (a file), SC_EINVAL, SC_ENOMEM
 */
SC_CHECKED sc_err sc__bus_prepare(const sc_bus_options *options, const sc__bus_handlers *handlers,
                                  sc_bus *bus, sc_diag *diag);

/** Connect to one of the servers. @return SC_OK, SC_ENET, SC_EIO (credentials), SC_ENOMEM */
SC_CHECKED sc_err sc__bus_connect(sc_bus *bus, sc_diag *diag);

/** Whether the options make sense. @return SC_OK, SC_EINVAL */
SC_CHECKED sc_err sc__bus_check(const sc_bus_options *options, sc_diag *diag);

/** Threads that the library starts inherit the caller's signal mask, and none of them may take a
 * signal. Returns the mask from before, for sc__bus_restore_signals(). */
static inline sigset_t sc__bus_block_signals(void)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    return before;
}

static inline void sc__bus_restore_signals(sigset_t before)
{
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

#endif
