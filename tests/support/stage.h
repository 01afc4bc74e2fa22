/**
 * @file stage.h
 * @brief An engine on a drawn map, for tests that play a scene.
 *
 * Stars are named by the letters of the picture (sketch.h). Queries are those of
 * plain_query(): numbered, each of a user of its own. Where a test wants a certain
 * star to be chosen, its query comes from a dead end of that star, which leaves no
 * choice.
 */
#ifndef SC_TESTS_SUPPORT_STAGE_H
#define SC_TESTS_SUPPORT_STAGE_H

#include <starcloak/engine.h>
#include <starcloak/prune.h>

#include "base/rng.h"
#include "support/sketch.h"
#include "support/streams.h"

typedef struct stage {
    sketch sketch;
    sc_map *map;
    sc_rng rng;        ///< the engine's
    sc_rng prune_rng;  ///< for pruning
    sc_engine *engine;
    sc_pruner *pruner;
} stage;

/** It stays where it is: the engine knows the address of its generator. */
void stage_open(stage *st, const char *picture, const char *more, const sc_engine_options *options);
void stage_close(stage *st);

/** The star at that letter. */
sc_star_id stage_star(const stage *st, char letter);

/** A dead end of the star at that letter. */
sc_seg_id stage_dead_end(const stage *st, char letter);

/** The segment between two stars. */
sc_seg_id stage_road(const stage *st, char a, char b);

/** Query `number`, from a dead end of `letter`, k users, one segment, any distance. */
sc_query stage_query(const stage *st, uint32_t number, char letter, uint32_t k, sc_time deadline);

/** Add it, which must succeed, and run. */
void stage_ask(stage *st, const sc_query *query, sc_time now);

/** Run, which must succeed. */
void stage_run(stage *st, sc_time now);

/** The next candidate, pruned; NULL if there is none. */
sc_cloak *stage_take(stage *st);

/** Exactly these queries are members, in any order; the last number is 0. */
void check_members(const sc_cloak *cloak, const uint32_t *numbers);

/** Nothing has been found: no candidate is waiting. */
void check_no_candidate(stage *st);

/** The next drop is of query `number`. */
void check_drop(stage *st, uint32_t number, sc_drop_reason reason, sc_time t);

/** No drop is waiting. */
void check_no_drop(stage *st);

#endif
