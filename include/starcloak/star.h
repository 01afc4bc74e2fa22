/**
 * @file star.h
 * @brief The star graph: how far apart stars are, and what lies within r hops.
 *
 * The star is the smallest thing a cloak is made of: an intersection together
 * with all segments that end there. Two stars are adjacent iff they share a
 * segment, and distances are hops. A map lends the adjacency itself
 * (sc_map_star_neighbours()); this walks it.
 */
#ifndef STARCLOAK_STAR_H
#define STARCLOAK_STAR_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A walker that finds balls. It keeps a mark per star, so that each walk costs
 * only the ball it finds; one walker per thread.
 */
typedef struct sc_ball sc_ball;

/** Make a walker on `map` (borrowed). Time and memory O(stars). */
SC_API SC_CHECKED sc_err sc_ball_new(const sc_map *map, sc_ball **out);

/** Free `ball`; NULL is fine. */
SC_API void sc_ball_free(sc_ball *ball);

/**
 * Find all stars within `max_hops` hops of `star`, itself included at hop 0,
 * nearest first. Time proportional to the ball and its adjacency.
 *
 * @param count  set to the number of stars found
 * @return the stars; lent until the next call with this walker, or its end
 */
SC_API const sc_star_id *sc_ball_walk(sc_ball *ball, sc_star_id star, uint32_t max_hops,
                                      size_t *count);

/** The hop distances of the last walk, in the same order. */
SC_API const uint32_t *sc_ball_hops(const sc_ball *ball);

/** The hop distance of `star` in the last walk, or SC_NONE if it was not reached. */
SC_API uint32_t sc_ball_hops_of(const sc_ball *ball, sc_star_id star);

/** How many different segments touch a star of the last walk. Counted when asked. */
SC_API size_t sc_ball_segment_count(const sc_ball *ball);

#ifdef __cplusplus
}
#endif
#endif
