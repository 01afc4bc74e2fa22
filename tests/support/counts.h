/**
 * @file counts.h
 * @brief What a road map counts, in both countings, held against what is known of it.
 *
 * The simple counting drops self-loops and merges parallel edges; the numbers
 * published with the real data are of that kind. The other keeps both, as the
 * engine does; its numbers were found by a separate program.
 */
#ifndef SC_TESTS_SUPPORT_COUNTS_H
#define SC_TESTS_SUPPORT_COUNTS_H

#include <starcloak/map.h>

/** Counts of one kind; the same columns for both. */
typedef struct graph_counts {
    uint64_t edges;
    uint64_t stars;  ///< intersections; pseudo-stars not counted
    uint64_t segments;
    uint64_t rings;  ///< the simple counting keeps them apart from segments
    uint64_t star_to_star;
    uint64_t back_to_own_star;
    uint64_t multiple_pairs;
    uint64_t longest_chain;
    uint64_t degree_0;  ///< isolated; a node with a loop is so only in the simple counting
    uint64_t degree_1;
    uint64_t degree_2;
} graph_counts;

typedef struct known_counts {
    uint64_t nodes;
    uint64_t self_loops;
    uint64_t parallel_edges;
    uint64_t components;
    uint64_t largest_component;
    graph_counts simple;
    graph_counts kept;
    double ball_mean;    ///< other stars within 4 hops, as published (from a sample)
    double ball_spread;  ///< how far ours may be from it
} known_counts;

/** Describe the map and compare every number; a difference is told by its name. */
void check_counts(const sc_map *map, const known_counts *known);

#endif
