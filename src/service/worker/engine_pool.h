/**
 * @file engine_pool.h
 * @brief Secret: all engine threads of a process, and which of them has which part.
 *
 * An engine pool is given parts, and spreads them over its engine threads (one per core) so that
 * each has about as many. Messages are handed to the engine thread they are for: those about a
 * proposal to the engine thread that made it; those about a query to the engine thread of its home,
 * which passes them on to those that have other parts in its reach: within a process company is
 * added at once. If its home is not here, and it is near a border of parts, all are told.
 *
 * `serve` has an engine pool beside its ledger; a worker process has nothing else.
 */
#ifndef SC_WORKER_ENGINE_POOL_H
#define SC_WORKER_ENGINE_POOL_H

#include <starcloak/engine.h>
#include <starcloak/rng.h>

#include "messages/messages.h"
#include "partition/partition.h"

/** Messages of one round, and queries that are added between two looks at whether it is behind. */
enum { SC_ENGINE_POOL_BATCH = 256 };

typedef struct sc_engine_pool sc_engine_pool;

typedef struct sc_engine_pool_options {
    sc_engine_options engine;
    const sc_partition *partition;  ///< borrowed
    unsigned engine_threads;        ///< threads, >= 1
    /** One engine thread in name only, without a thread and without threads that prune: each
     * message is carried out at once by the thread that sends it, which calls
     * sc_engine_pool_round(), too. The port may answer before it returns; what an engine sends
     * while a message is being carried out must wait. */
    bool is_in_place;
    unsigned prune_threads;  ///< for each engine thread; 0: the engine thread prunes itself
    size_t max_queries;      ///< open at once, in all
    sc_peer self;
    sc_time patience_us;
    int64_t round_us;  ///< between two rounds of a busy engine thread (base/pace.h); 0: none
    sc_port port;      ///< to gateways; called in the engine threads
} sc_engine_pool_options;

/**
 * All but the threads; no part is open yet.
 *
 * @param rng  used only during this call
 * @return SC_OK, SC_EINVAL, SC_EIO, SC_ENOMEM
 */
SC_CHECKED sc_err sc_engine_pool_new(const sc_map *map, const sc_engine_pool_options *options,
                                     sc_rng *rng, sc_engine_pool **out, sc_diag *diag);
SC_CHECKED sc_err sc_engine_pool_start(sc_engine_pool *pool);

/** Carry out all that was sent, and end the threads. Twice is harmless. */
void sc_engine_pool_end(sc_engine_pool *pool);

/** Ends it first; NULL is fine. */
void sc_engine_pool_free(sc_engine_pool *pool);

/** Take a message from a gateway. Any thread; never waits. Takes what the message owns. A message
 * for which there is no room is lost, and counted; a caller that asks sc_engine_pool_is_behind()
 * before each batch of at most SC_ENGINE_POOL_BATCH queries that it adds, and has at most
 * max_queries open, loses none. */
void sc_engine_pool_receive(sc_engine_pool *pool, sc_msg *msg);

/**
 * Have engines for these parts and no others, from soon on. A part that stays keeps its queries; a
 * part that goes takes them with it: their gateways send them again elsewhere. One thread at a
 * time.
 *
 * @return SC_OK, SC_EINVAL (no such part, or twice), SC_ENOMEM (nothing is done)
 */
SC_CHECKED sc_err sc_engine_pool_set_parts(sc_engine_pool *pool, const uint16_t *parts,
                                           size_t count);

/** As sc_engine_switch(), for all engines, also those made later. Any thread. */
SC_CHECKED sc_err sc_engine_pool_switch(sc_engine_pool *pool, sc_variant variant);
sc_variant sc_engine_pool_variant(const sc_engine_pool *pool);

bool sc_engine_pool_is_behind(sc_engine_pool *pool);

/** Prefetch the roads around a query that will be added soon. Of engines in place alone; others do
 * that themselves. */
void sc_engine_pool_prefetch(const sc_engine_pool *pool, const sc_query *query);

/** What a part has done since it was opened here, and holds. */
typedef struct sc_part_load {
    bool is_open;
    uint32_t engine_thread;
    uint64_t queries;  ///< added as its own
    uint64_t company;
    uint64_t cloaks;  ///< published
    uint64_t dropped;
    uint64_t cpu_us;   ///< spent in its engine
    uint32_t pending;  ///< its own queries that wait now
    uint32_t held;     ///< company that waits now
} sc_part_load;

typedef struct sc_engine_pool_stats {
    sc_engine_stats engine;  ///< of all engines, those of closed parts too
    uint64_t proposals;      ///< proposals made
    uint64_t proposals_under_way;
    uint64_t proposals_published;
    uint64_t proposals_refused;
    uint64_t proposals_silent;  ///< aborted: a gateway did not reply
    uint64_t proposals_unknown;
    uint64_t asked;
    uint64_t lost;         ///< messages for which there was no room
    uint64_t misdirected;  ///< queries for a part that is not open here
} sc_engine_pool_stats;

/** @param loads  one per part of the partition, zeroed by this call and filled; NULL: not wanted.
 * Any thread. */
sc_engine_pool_stats sc_engine_pool_stats_of(sc_engine_pool *pool, sc_part_load *loads);

/** One round of every engine thread, without waiting; returns when there is something to do even if
 * nothing comes in. For engines in place; for tests and simulated clusters, without threads. */
sc_time sc_engine_pool_round(sc_engine_pool *pool, sc_time now);

#endif
