/**
 * @file worker.h
 * @brief Secret: a worker: engine threads, and their place in the cluster.
 *
 *     NATS --sealed--> messages --> engines       engines --> messages --sealed--> NATS
 *     placements --> parts that the engines open and close, and subjects that are subscribed to
 *
 * A part is opened, its subject subscribed to, and then, when the servers know (flush), it is
 * listed in heartbeats: gateways that receive one send its queries again. A part that goes is first
 * unsubscribed.
 *
 * To leave, a worker announces it in its heartbeats; the leader gives its parts to others; when it
 * has none and no proposal is under way, or after a time, it ends (sc_worker_drain()). Its open
 * queries are not lost: their gateways have them.
 */
#ifndef SC_CLUSTER_WORKER_H
#define SC_CLUSTER_WORKER_H

#include "cluster/bus.h"
#include "cluster/cluster_codec.h"
#include "server/log.h"
#include "worker/engine_pool.h"

typedef struct sc_worker_options {
    sc_bus_options bus;              ///< `self`, callbacks and `context` are set here
    sc_engine_pool_options engines;  ///< `port` and `self` are set here
    bool has_continuity;             ///< gateways link cloaks of one user
    const char *name;
    double heartbeat_s;
    sc_log *log;
    /** NATS refuses this process for good (bus.h): it can do nothing any more, and should be
     * started again. Called once at most, in a thread of the NATS library; may be NULL. */
    void (*given_up)(void *context);
    void *context;
} sc_worker_options;

typedef struct sc_worker sc_worker;

/** All but threads and the connection; the files for NATS are read. Randomness is libsodium's. */
SC_CHECKED sc_err sc_worker_new(const sc_map *map, const sc_worker_options *options,
                                sc_worker **out, sc_diag *diag);

/** Connect, start the threads, and join. On failure it is of no more use. */
SC_CHECKED sc_err sc_worker_start(sc_worker *worker, sc_diag *diag);

/** Leave the cluster: waits until others have its parts, at most `seconds`, and no longer than
 * there is a leader that could give them to others. Returns how many parts were not taken. */
size_t sc_worker_drain(sc_worker *worker, double seconds);

sc_engine_pool_stats sc_worker_stats(sc_worker *worker);
uint32_t sc_worker_part_count(sc_worker *worker);

/** NULL is fine. */
void sc_worker_free(sc_worker *worker);

#endif
