/**
 * @file placement.h
 * @brief The leader's decisions: when a new placement is made. No thread, no clock.
 *
 *  - A worker is gone, or says that it leaves: its parts go to others, at once.
 *  - A worker came: parts move to it, at once (but those who come within one beat's time come
 *    together).
 *  - The load was uneven (the busiest above `uneven` times the mean) at every look for `patience`:
 *    parts move; then not again for the same time.
 *  - Somebody else's placement is newer: that is the one we go on from. If others go by one that
 *    we have not heard and that does not come within two beats, whoever serves a part has it.
 *
 * Every gateway has one of these and hears all placements, so that the next leader goes on where
 * the last one ended. Only the leader decides (sc_placing_decide()).
 *
 * Used by: gateway.c, gateway_look.c, tests.
 */
#ifndef SC_CLUSTER_PLACEMENT_H
#define SC_CLUSTER_PLACEMENT_H

#include "cluster/heartbeat.h"
#include "cluster/roster.h"

typedef struct sc_placing_options {
    sc_peer self;
    uint64_t cut;
    uint32_t parts;
    sc_time beat_us;
    double uneven;        ///< 1.25
    sc_time patience_us;  ///< 60 s
} sc_placing_options;

typedef struct sc_placing sc_placing;

SC_CHECKED sc_err sc_placing_new(const sc_placing_options *options, sc_placing **out);
void sc_placing_free(sc_placing *placing);

/** Somebody's placement; taken. Returns whether it counts from now on. */
bool sc_placing_hear(sc_placing *placing, sc_placement *placement);

/** The one that counts; NULL: none yet. Lent until the next call that changes it. */
const sc_placement *sc_placing_now(const sc_placing *placing);

/** As the leader: look at who is there. Returns whether there is a new placement to tell. Memory
 * that is out: none yet, the next look tries again. */
bool sc_placing_decide(sc_placing *placing, const sc_roster *roster, sc_time now);

typedef struct sc_placing_stats {
    uint64_t placements;  ///< that we made
    uint64_t moved;       ///< parts, by these
    double imbalance;     ///< at the last look
} sc_placing_stats;

sc_placing_stats sc_placing_stats_of(const sc_placing *placing);

#endif
