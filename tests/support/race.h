/**
 * @file race.h
 * @brief An engine and the slow one (slow_engine.h) through the same stream, side by side.
 *
 * The same calls, generators of the same seed: everything that comes out must be the same, after
 * every step. Pruning is compared on the way.
 */
#ifndef SC_TESTS_SUPPORT_RACE_H
#define SC_TESTS_SUPPORT_RACE_H

#include <starcloak/engine.h>
#include <starcloak/prune.h>

#include "support/slow_engine.h"
#include "support/streams.h"

/** A proposal of both engines. */
typedef struct race_proposal {
    sc_cloak *fast;
    sc_cloak *slow;
} race_proposal;

/** Both engines on the same road. */
typedef struct race {
    stream s;
    sc_engine *fast;
    slow_engine *slow;
    bool is_patient;
    sc_rng fast_rng;
    sc_rng slow_rng;
    sc_pruner *pruner;
    sc_rng fast_prune_rng;
    sc_rng slow_prune_rng;
    sc_demands demands;
    race_proposal open[STREAM_QUERIES];  ///< to be answered later
    size_t open_count;
} race;

/** What the streams came to, so that a test of nothing is noticed. */
typedef struct race_tally {
    uint64_t cloaks;
    uint64_t pruned_stars;
    uint64_t members;
    uint64_t most_members;  ///< of one cloak
    uint64_t refused;
    uint64_t dropped[SC_DROP_REASON_COUNT];
    uint64_t cap_hits;
    slow_settle_counts settle_counts;
} race_tally;

/** Both at the start, before the stream of `seed`; what it draws from may still be changed. */
void race_start(race *r, uint64_t seed, const sc_map *map, const sc_engine_options *options);

/** The same, but the slow engine has demands of its own, which come to the same. */
void race_start_apart(race *r, uint64_t seed, const sc_map *map, const sc_engine_options *options,
                      const sc_demands *slow_demands);

/** Through the whole stream, and to the end of every query. */
void race_through(race *r, race_tally *all);

/** Add up what it came to, and free both. */
void race_end(race *r, race_tally *all);

/** Make the stream that was started a long one: hundreds of queries on all roads of the map. */
void race_lengthen(race *r, const sc_map *map);

/**
 * `count` long streams on a map of 60 stars, each with the options for its seed: hundreds of
 * queries, so that tables grow, and much is made, lost and made again. More than 20 cloaks each, on
 * average.
 */
void race_long_streams(uint64_t count, sc_engine_options (*options_of)(uint64_t seed));

/** Print what several came to. */
void race_tell(const char *what, const race_tally *all);

#endif
