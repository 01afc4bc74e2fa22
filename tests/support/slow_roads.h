/**
 * @file slow_roads.h
 * @brief Sets of stars and segments by their definitions: flags, one per star or segment.
 *
 * The ground that the slow engine and the plain checks of promises stand on. The
 * hops between all pairs of stars are a matrix; a ball is what has few enough
 * hops in it; seg(X) is found by looking at every segment, its border by looking at
 * every edge for every node. Nothing is shared with star/, cost/ or the engine but
 * the tables that a map lends.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_ROADS_H
#define SC_TESTS_SUPPORT_SLOW_ROADS_H

#include <starcloak/cost.h>
#include <starcloak/map.h>

typedef struct slow_roads {
    const sc_map *map;  ///< borrowed
    uint32_t star_count;
    uint32_t segment_count;
    uint32_t *hops;  ///< [star][star]; SC_NONE where there is no way
} slow_roads;

slow_roads slow_roads_new(const sc_map *map);
void slow_roads_free(slow_roads *roads);

/** Hops from one star to another; SC_NONE where there is no way. */
uint32_t slow_hops(const slow_roads *roads, sc_star_id a, sc_star_id b);

/** Whether two different stars share a segment. */
bool slow_adjacent(const slow_roads *roads, sc_star_id a, sc_star_id b);

/** Whether `segment` is in seg(X): one of its ends is in X, which has a flag per star. */
bool slow_touches(const slow_roads *roads, const bool *stars, sc_seg_id segment);

/** |seg(X)|. */
size_t slow_segment_count(const slow_roads *roads, const bool *stars);

/** |seg(ball(star, max_hops))|. */
size_t slow_ball_segment_count(const slow_roads *roads, sc_star_id star, uint32_t max_hops);

/** What seg(X) amounts to, as far as its cost goes. */
sc_extent slow_extent(const slow_roads *roads, const bool *stars);

/** Objects per metre of road. */
double slow_object_density(const slow_roads *roads);

/** Whether `node` has a road in S, which has a flag per segment, and one that is not in S. */
bool slow_is_border(const slow_roads *roads, const bool *segments, sc_node_id node);

/** The ids of the flags that are set, ascending; release with free(). */
uint32_t *slow_ids(const bool *flags, uint32_t flag_count, size_t *count);

#endif
