/**
 * @file candidate.h
 * @brief From vertices that can be cloaked together to a candidate.
 *
 * Used by: search.c, xstar.c, per_query.c, per_query_try.c, proposal.c.
 */
#ifndef SC_ENGINE_CANDIDATE_H
#define SC_ENGINE_CANDIDATE_H

#include "engine/engine_internal.h"

/**
 * Take `vertices` out of the graph, their queries becoming the members of a new
 * candidate at the end of the engine's queue, a whole one with XStar. On failure nothing has
 * changed.
 *
 * @param stars  by number
 * @param mask   the numbers of those in the star set, `words` words
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
