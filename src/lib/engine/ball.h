/**
 * @file ball.h
 * @brief Balls of stars: the covered sets of vertices.
 *
 * A covered set is a ball around a star. An active star keeps the largest ball it
 * needs, nearest star first, so that every smaller one is the front of it and no
 * search has to walk the map again.
 *
 * Used by: select, graph, neighbours, search.
 */
#ifndef SC_ENGINE_BALL_H
#define SC_ENGINE_BALL_H

#include "engine/engine_internal.h"

/** How many stars of `ball` are within `hops`; it must reach that far. */
static inline uint32_t sc__ball_count(const sc__ball *ball, uint32_t hops)
{
    return ball->tables[hops < ball->depth ? hops : ball->depth];
}

/** Its stars, nearest first. */
static inline const sc_star_id *sc__ball_stars(const sc__ball *ball)
{
    return ball->tables + ball->depth + 1;
}

/** Whether `ball` has all stars within `hops`. */
static inline bool sc__ball_reaches(const sc__ball *ball, uint32_t hops)
{
    return ball->is_complete || hops <= ball->depth;
}

/** Number the first `count` stars of `ball`, as they stand in it. */
SC_CHECKED sc_err sc__number_stars(sc_engine *engine, const sc__ball *ball, uint32_t count);

/** Walk ball(star, max_hops) and keep it. */
SC_CHECKED sc_err sc__ball_new(sc_engine *engine, sc_star_id star, uint32_t max_hops,
                               sc__ball **out);

/**
 * Whether the segments of ball(star, max_hops) meet `demand`. Walks only as far as it
 * takes to know, which is mostly a star or two.
 */
SC_CHECKED sc_err sc__ball_meets(sc_engine *engine, sc_star_id star, uint32_t max_hops,
                                 sc__demand demand, bool *out);

/** The other end star of `segment`, seen from `star`: itself for a loop, SC_NONE at a dead end. */
static inline sc_star_id sc__other_end(const sc_segment *segment, sc_star_id star)
{
    return segment->star_a == star ? segment->star_b : segment->star_a;
}

#endif
