/**
 * @file candidate.h
 * @brief Candidates for tests of pruning: drawn by letters or at random, and what must come of
 * them.
 */
#ifndef SC_TESTS_SUPPORT_CANDIDATE_H
#define SC_TESTS_SUPPORT_CANDIDATE_H

#include <starcloak/prune.h>

#include "base/rng.h"
#include "support/sketch.h"
#include "support/slow_roads.h"

/** A map with what prunes on it. */
typedef struct ground {
    sketch sketch;
    sc_map *map;
    slow_roads roads;
    sc_pruner *pruner;
    sc_rng rng;
} ground;

/** Takes the sketch over. */
ground ground_on(sketch s, uint64_t seed);
void ground_free(ground *g);

/** The star that sits at the node of that letter. */
sc_star_id star_at(const ground *g, char letter);

/**
 * A candidate of the flagged stars, with members at stars of them. Member i has i as
 * the first byte of its id; one in the middle asks for `l` segments, the others for one.
 */
sc_cloak *candidate_of(const ground *g, const bool *inside, const sc_star_id *at,
                       size_t member_count, uint32_t l);

/** The same by letters: all stars of T, and of those the members'. */
sc_cloak *candidate_at(const ground *g, const char *letters, const char *members, uint32_t l);

/**
 * One with random stars: any, or all within some hops of one. Its l can be one more than
 * it has segments: what cannot be had must not be made worse.
 */
sc_cloak *random_candidate(ground *g);

/** The same candidate in blocks of their own; free with slow_cloak_free(). */
sc_cloak *twin_of(const sc_cloak *candidate);

/** Both rows are the same; `what` names them. */
void check_same_ids(const char *what, const uint32_t *got, size_t got_count, const uint32_t *wanted,
                    size_t wanted_count);

/** The border nodes are those of the degree rule: more incident edges in the map than in S. */
void check_border(const sc_map *map, const sc_cloak *cloak);

/** What holds of a pruned cloak for every seed, whatever was drawn. */
void check_pruned(const slow_roads *roads, const sc_cloak *before, const sc_cloak *after);

#endif
