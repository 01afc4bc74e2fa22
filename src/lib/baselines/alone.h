/**
 * @file alone.h
 * @brief Methods in which each query makes a region of its own: random sampling, network expansion.
 *
 * A query waits on its segment. Whoever comes near may be the company it lacks, so it tries
 * again: it lets a set of segments S grow, in the order that its method says (sampling.c,
 * expansion.c), until enough users are on them whose own needs S also meets (circle.h), or until
 * that cannot be any more. What is found leaves as a candidate without stars.
 *
 * When somebody comes, who is no company, those try whom that might help: who could be in one cloak
 * with the newcomer, if all who could were enough. They try in the order in which they were added,
 * the newcomer among them, and at most max_combinations beside it, until it leaves as a member.
 * docs/methods.md ("Random sampling") has the rules to the last draw.
 *
 * Invariants, between any two calls:
 *  1. A query of state SC__IN_GRAPH is in the list of its segment, linked by `previous` and `next`,
 *     and holds the regions of both ends.
 *  2. Queries that are to try are in one row, oldest first; `to_search` of the engine counts them.
 *     There are some only if a search has stopped for lack of memory.
 *
 * Used by: engine.c.
 */
#ifndef SC_ENGINE_ALONE_H
#define SC_ENGINE_ALONE_H

#include "engine/engine_internal.h"

typedef struct sc__alone sc__alone;

static inline bool sc__is_alone(sc_variant variant)
{
    return variant == SC_VARIANT_SAMPLING || variant == SC_VARIANT_EXPANSION;
}

/** @param engine  its map and options are set */
SC_CHECKED sc_err sc__alone_new(const sc_engine *engine, sc__alone **out);

/** NULL is fine. */
void sc__alone_free(sc__alone *alone);

/**
 * Whether the segments in reach of a query, around either end of its own, are enough for its l. If
 * so, all is ready for sc__alone_add(), which must come next.
 */
SC_CHECKED sc_err sc__alone_is_feasible(sc_engine *engine, sc__slot slot, bool *out);

/**
 * Put a query, which is in no list, on its segment. Unless it is company, it and those near it that
 * it might help are to try. Cannot fail: what it needs was made ready before.
 */
void sc__alone_add(sc_engine *engine, sc__slot slot);

/** Take a query from its segment. Nobody gains by that, so nobody tries again. */
void sc__alone_remove(sc_engine *engine, sc__slot slot);

/**
 * Let all try that are to, oldest first. Candidates join the engine's queue, and their members
 * leave their segments. Stops for lack of memory between two tries, and goes on when called again.
 */
SC_CHECKED sc_err sc__alone_search(sc_engine *engine);

#endif
