/**
 * @file worker.h
 * @brief Secret: a worker: a crew, and its place in the cluster.
 *
 *     NATS --sealed--> words --> crew          crew --> words --sealed--> NATS
 *     placements --> parts that the crew opens and closes, and subjects that it listens to
 *
 * A part is opened, its subject listened to, and then, when the servers know (flush), it is in the
 * beats: whoever hears that says its queries anew. A part that goes is first no longer listened to.
 *
 * To leave, a worker says so in its beats; the leader gives its parts to others; when it has none
 * and no bid is under way, or after a time, it ends (sc_worker_drain()). Of its open queries
 * nothing is lost: their gateways have them.
 *
 * Uses: commit, cut, worker (crew). Used by: starcloak worker.
 */
#ifndef SC_CLUSTER_WORKER_H
#define SC_CLUSTER_WORKER_H

#include "cluster/bus.h"
#include "cluster/cluster_codec.h"
#include "server/log.h"
#include "worker/crew.h"

typedef struct sc_worker_options {
    sc_bus_options bus;    ///< `cut`, callbacks and `context` are set here
    sc_crew_options crew;  ///< `voice` and `self` are set here
    const char *name;
    double heartbeat_s;
    sc_log *log;
    /** NATS has shut this process out for good (wire.h): it can do nothing any more, and should be
     * started anew. Called once at most, in a thread of the NATS library; may be NULL. */
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
 * there is somebody who could give them to others. Returns how many parts nobody took. */
size_t sc_worker_drain(sc_worker *worker, double seconds);

sc_crew_stats sc_worker_stats(sc_worker *worker);
uint32_t sc_worker_part_count(sc_worker *worker);

/** NULL is fine. */
void sc_worker_free(sc_worker *worker);

#endif
