/**
 * @file toy_town.h
 * @brief The seven methods once more, from docs/engine.md and docs/methods.md, for towns so small
 * that all their dice can be followed.
 *
 * It is the moment that an adversary plays through: a handful of travellers, each another user,
 * ask one after the other, without any others, and then time runs out for all of them at once. So
 * there is no clock here, no company, no user who asks twice, and no cap on combinations. What is
 * left of a method fits on a page, and all of its chance goes through dice.h.
 *
 * Sets of stars, of segments and of queries are bits. Nothing is shared with the engine or its slow
 * reference but the plain tables of slow_roads.h.
 */
#ifndef SC_TESTS_SUPPORT_TOY_TOWN_H
#define SC_TESTS_SUPPORT_TOY_TOWN_H

#include <starcloak/attack.h>
#include <starcloak/engine.h>

#include "support/dice.h"

enum { TOY_STARS = 8, TOY_SEGMENTS = 32, TOY_QUERIES = 8 };

/** Sets: a bit per star, per segment, per query. */
typedef uint32_t toy_stars;
typedef uint64_t toy_segments;
typedef uint32_t toy_queries;

/** Small roads and a method to cloak on them. */
typedef struct toy_town {
    const sc_map *map;  ///< borrowed
    sc_engine_options options;
    uint32_t star_count;
    uint32_t segment_count;
    uint32_t hops[TOY_STARS][TOY_STARS];         ///< SC_NONE where there is no way
    toy_stars balls[TOY_STARS][TOY_STARS];       ///< by hops
    toy_segments regions[TOY_STARS][TOY_STARS];  ///< their segments
    sc_extent extent[TOY_STARS];                 ///< of the segments of a star
    double object_density;                       ///< objects per metre
    uint64_t way[TOY_SEGMENTS][TOY_SEGMENTS];    ///< from middle to middle, twice; the order counts
} toy_town;

/** Large: keep it where it can stay. The map must be small enough. */
void toy_town_init(toy_town *town, const sc_map *map, const sc_engine_options *options);

/** |X|, of either kind. */
static inline uint32_t toy_size(uint64_t set)
{
    return (uint32_t)__builtin_popcountll(set);
}

/** seg(X). */
toy_segments toy_segments_of(const toy_town *town, toy_stars stars);

/** ball(star, hops), and its segments. */
toy_stars toy_ball(const toy_town *town, sc_star_id star, uint32_t hops);
toy_segments toy_region(const toy_town *town, sc_star_id star, uint32_t hops);

/** The different end stars of a segment; how many there are. */
size_t toy_ends(const toy_town *town, sc_seg_id segment, sc_star_id ends[2]);

/** What answering for all segments of a star costs (starcloak/cost.h). */
double toy_cost(const toy_town *town, sc_star_id star, uint32_t result_size);

/** A traveller with a query. */
typedef struct toy_query {
    sc_seg_id segment;
    sc_needs needs;
} toy_query;

/** What came of it. */
typedef struct toy_outcome {
    struct {
        toy_segments segments;
        toy_queries members;
    } cloaks[TOY_QUERIES];
    size_t count;
} toy_outcome;

/** Let the queries come in this order; the cloaks that come of it, for one way of the dice. */
void toy_cloak(const toy_town *town, const toy_query *queries, size_t count, dice *d,
               toy_outcome *out);

/** Trim T at random, as far as l allows. */
toy_stars toy_prune(const toy_town *town, dice *d, toy_stars inside, toy_stars with_members,
                    uint32_t l);

/** The three parts of it: methods that select stars when a query comes, patient, which does so when
 * its cloak is made, and methods in which each looks for itself. */
void toy_cloak_by_stars(const toy_town *town, const toy_query *queries, size_t count, dice *d,
                        toy_outcome *out);
void toy_cloak_patiently(const toy_town *town, const toy_query *queries, size_t count, dice *d,
                         toy_outcome *out);
void toy_cloak_per_query(const toy_town *town, const toy_query *queries, size_t count, dice *d,
                         toy_outcome *out);

#endif
