/**
 * @file candidate.h
 * @brief Candidates: cloaks in the making, and how a search proposes one.
 */
#ifndef SC_ENGINE_CANDIDATE_H
#define SC_ENGINE_CANDIDATE_H

#include <starcloak/cloak.h>

#include "engine/engine_internal.h"
#include "engine/kept_demands.h"

/** A cloak as the engine and pruning know it. Every sc_cloak of an engine is the head of one. */
typedef struct sc__candidate {
    sc_cloak cloak;
    bool is_whole;           ///< pruning must not take a star away
    uint64_t proposal;       ///< the engine knows it by this number
    sc_cloak *next;          ///< in the queue that it is in
    sc__kept_demands *kept;  ///< what pruning must keep beside segments; NULL: nothing
} sc__candidate;

static inline sc__candidate *sc__candidate_of(sc_cloak *cloak)
{
    return (sc__candidate *)cloak;
}

/**
 * A cloak whose `stars` (count set) and `members` (count set) are to be filled by the
 * caller, and whose `segments` and `border_nodes` have room for `segment_room` each
 * and count 0. A border node is the far end of a segment of T, so that is enough; without T it may
 * be either end, so then there must be room for twice as many segments as there are.
 *
 * @return NULL when memory is out
 */
sc_cloak *sc__cloak_new(size_t star_count, size_t segment_room, size_t member_count);

/**
 * A candidate with the stars of `mask`, whose members are to be filled by the caller before it is
 * offered.
 *
 * @param stars  by number
 * @param mask   the numbers of those in the star set, `words` words
 * @return NULL when memory is out
 */
sc_cloak *sc__candidate_new(sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                            size_t words, size_t member_count);

/**
 * Take `vertices` out of the graph, their queries becoming the members of a new
 * candidate at the end of the engine's queue, a whole one with XStar; `stars`, `mask` and `words`
 * as in sc__candidate_new(). On failure nothing has changed.
 */
SC_CHECKED sc_err sc__propose(sc_engine *engine, const sc__slot *vertices, size_t count,
                              const sc_star_id *stars, const uint64_t *mask, size_t words);

/**
 * A query becomes member `i` of a cloak that is being made: out of the heap, and known as proposed.
 * Its list is the caller's to clear.
 *
 * @param star  SC_NONE in a cloak without stars
 */
void sc__make_member(sc_engine *engine, sc_cloak *cloak, size_t i, sc__slot slot, sc_star_id star);

/** A finished candidate joins the end of the engine's queue. */
void sc__offer(sc_engine *engine, sc_cloak *cloak);

/** Put queries in the order in which they were added. */
void sc__placed_sort(sc__placed *placed, size_t count);

#endif
