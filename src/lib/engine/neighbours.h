/**
 * @file neighbours.h
 * @brief The vertices near one: who might be cloaked with it.
 *
 * Used by: search.c, variants.c, xstar.c.
 */
#ifndef SC_ENGINE_NEIGHBOURS_H
#define SC_ENGINE_NEIGHBOURS_H

#include "engine/engine_internal.h"

/** A star near the start that has a vertex. */
typedef struct sc__active_star {
    sc__slot vertex;  ///< its first
    uint32_t number;  ///< of the star in the start's ball
    uint32_t hops;
} sc__active_star;

/**
 * List in the engine's scratch the first vertices of the first `star_count` stars of `ball`, as
 * they stand in it, and call for them.
 */
SC_CHECKED sc_err sc__list_active_stars(sc_engine *engine, const sc__ball *ball,
                                        uint32_t star_count, size_t *count);

/** A vertex near the start, with what a search wants to know of it. */
typedef struct sc__neighbour {
    sc__slot vertex;
    uint32_t number;  ///< of its star in the start's ball
    uint32_t level;
    uint32_t users;
    uint32_t k;
    sc__demand demand;
    uint64_t age;
    uint32_t max_hops;
    const sc__ball *ball;
} sc__neighbour;

/**
 * List in the engine's scratch all vertices whose star is in the covered set of `start` and in
 * whose own the start's star is, by hops and then by age. Whether they share segments
 * enough is left open.
 *
 * @param hops_per_level  0: all are of level 0
 * @param count           how many there are
 * @param user_count      users of them all and the start, if no two shared one
 */
SC_CHECKED sc_err sc__neighbours_list(sc_engine *engine, sc__slot start, uint32_t hops_per_level,
                                      size_t *count, uint64_t *user_count);

/** Call for the balls of the first `count` listed, which will be read one after the other. */
void sc__neighbours_prefetch_balls(const sc_engine *engine, size_t count);

#endif
