/**
 * @file player.h
 * @brief An engine, a clock of its own, and pruning: time goes by, outcomes come out.
 *
 * While candidates are pruned virtual time stands still, in a pool too: every cloak
 * is accepted at the very moment at which it was found. The engine and pruning have
 * each a generator of their own, so that where we prune changes no other choice.
 *
 * Uses: engine, prune. Used by: sim/runner.
 */
#ifndef SC_SIM_PLAYER_H
#define SC_SIM_PLAYER_H

#include <starcloak/engine.h>
#include <starcloak/prune.h>

#include "sim/run.h"

/** What became of queries at a moment: a cloak, or (NULL) a drop. */
typedef struct sc_outcome {
    sc_time t;
    sc_cloak *cloak;
    sc_query_id dropped;
    sc_drop_reason reason;
} sc_outcome;

/** Zero-initialise, then sc_player_init(). */
typedef struct sc_player {
    sc_engine *engine;  ///< add queries here, then step
    sc_rng *engine_rng;
    sc_rng *prune_rng;
    sc_pruner *pruner;     ///< inline, or
    sc_prune_pool *pool;   ///< in threads
    sc_time now;           ///< of the last step; INT64_MIN before the first
    sc_outcome *outcomes;  ///< in the order of time
    size_t outcome_count;
    size_t outcome_capacity;
} sc_player;

/** @param root  the generators are forked from it */
SC_CHECKED sc_err sc_player_init(sc_player *player, const sc_map *map,
                                 const sc_run_options *options, sc_rng *root, sc_diag *diag);

/** Release all; harmless twice, and on a zeroed player. */
void sc_player_fini(sc_player *player);

/** When the engine next has something to do by itself; always after `now`. */
sc_time sc_player_next_wake(const sc_player *player);

/** Let the clock be `now`, not earlier than before; what comes of it is added to the outcomes. */
SC_CHECKED sc_err sc_player_step(sc_player *player, sc_time now, sc_diag *diag);

/** A step for each of the engine's wakes before `until`. */
SC_CHECKED sc_err sc_player_wake_until(sc_player *player, sc_time until, sc_diag *diag);

/** Free all outcomes. */
void sc_player_forget(sc_player *player);

#endif
