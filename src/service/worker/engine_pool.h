/**
 * @file engine_pool.h
 * @brief Secret: all engine rooms of a process, and which of them has which part.
 *
 * A crew is given parts, and spreads them over its rooms (one per core) so that each has about as
 * many. Words are handed to the room they are for: those about a bid to the bid's room; those about
 * a query to the room of its home, and, if it is near a cut, to all others too, since they may have
 * parts in its reach: within a process company costs nothing, and is added at once.
 *
 * `serve` has a crew beside its ledger; a worker has nothing else.
 *
 * Uses: commit, cut, engine. Used by: ledger (serve), cluster (worker), service (what
 * there is to see of it), rehearsal.
 */
#ifndef SC_WORKER_ENGINE_POOL_H
#define SC_WORKER_ENGINE_POOL_H

#include <starcloak/engine.h>
#include <starcloak/rng.h>

#include "ledger/messages.h"
#include "partition/partition.h"

/** Words of one round, and queries that are added between two looks at whether it is behind. */
enum { SC_CREW_BATCH = 256 };

typedef struct sc_crew sc_crew;

typedef struct sc_crew_options {
    sc_engine_options engine;
    const sc_partition *cut;  ///< borrowed
    unsigned rooms;           ///< threads, >= 1
    /** One room, without a thread and without threads that prune: each word is carried out at once
     * by the thread that says it, which calls sc_crew_round(), too. The voice may answer before it
     * returns; what an engine says while a word is being carried out must wait. */
    bool is_in_place;
    unsigned prune_threads;  ///< for each room; 0: the room's own does it
    size_t max_queries;      ///< open at once, in all
    sc_peer self;
    sc_time patience_us;
    sc_voice voice;  ///< to gateways; called in the rooms' threads
} sc_crew_options;

/**
 * All but the threads; no part is open yet.
 *
 * @param rng  used only during this call
 * @return SC_OK, SC_EINVAL, SC_EIO, SC_ENOMEM
 */
SC_CHECKED sc_err sc_crew_new(const sc_map *map, const sc_crew_options *options, sc_rng *rng,
                              sc_crew **out, sc_diag *diag);
SC_CHECKED sc_err sc_crew_start(sc_crew *crew);

/** Carry out all that was said, and end the threads. Twice is harmless. */
void sc_crew_end(sc_crew *crew);

/** Ends it first; NULL is fine. */
void sc_crew_free(sc_crew *crew);

/** Somebody said something. Any thread; never waits. Takes what the word owns. A word for which
 * there is no room is lost, and counted; a caller that asks sc_crew_is_behind() before each batch
 * of at most SC_CREW_BATCH queries that it adds, and has at most max_queries open, loses none. */
void sc_crew_hear(sc_crew *crew, sc_word *word);

/**
 * Have engines for these parts and no others, from soon on. A part that stays keeps its queries; a
 * part that goes takes them with it: their gateways say them anew elsewhere. One thread at a time.
 *
 * @return SC_OK, SC_EINVAL (no such part, or twice), SC_ENOMEM (nothing is done)
 */
SC_CHECKED sc_err sc_crew_set_parts(sc_crew *crew, const uint16_t *parts, size_t count);

/** As sc_engine_switch(), for all engines, also those made later. Any thread. */
SC_CHECKED sc_err sc_crew_switch(sc_crew *crew, sc_variant variant);
sc_variant sc_crew_variant(const sc_crew *crew);

bool sc_crew_is_behind(sc_crew *crew);

/** Prefetch the roads around a query that will be added soon. Of engines in place alone; others do
 * that themselves. */
void sc_crew_prefetch(const sc_crew *crew, const sc_query *query);

/** What a part has done since it was opened here, and holds. */
typedef struct sc_part_load {
    bool is_open;
    uint32_t room;
    uint64_t queries;  ///< added as its own
    uint64_t company;
    uint64_t cloaks;  ///< published
    uint64_t dropped;
    uint64_t cpu_us;   ///< spent in its engine
    uint32_t pending;  ///< its own queries that wait now
    uint32_t held;     ///< company that waits now
} sc_part_load;

typedef struct sc_crew_stats {
    sc_engine_stats engine;  ///< of all engines, those of closed parts too
    uint64_t bids;           ///< proposals made
    uint64_t bids_under_way;
    uint64_t bids_published;
    uint64_t bids_refused;
    uint64_t bids_silent;  ///< aborted: somebody was silent
    uint64_t bids_unknown;
    uint64_t asked;
    uint64_t lost;         ///< words for which there was no room
    uint64_t misdirected;  ///< queries for a part that is not open here
} sc_crew_stats;

/** @param loads  one per part of the cut, zeroed by this call and filled; NULL: not wanted. Any
 * thread. */
sc_crew_stats sc_crew_stats_of(sc_crew *crew, sc_part_load *loads);

/** One round of every room, without waiting; returns when there is something to do even if nothing
 * comes in. For engines in place; for tests and rehearsals, without threads. */
sc_time sc_crew_round(sc_crew *crew, sc_time now);

#endif
