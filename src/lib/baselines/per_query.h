/**
 * @file per_query.h
 * @brief Methods in which each query makes a region of its own: random sampling, network expansion.
 *
 * A query waits on its segment. Whoever comes near may be the company it lacks, so it tries
 * again: it lets a set of segments S grow, in the order that its method says (sampling.c,
 * expansion.c), until enough users are on them whose own needs S also meets (mates.h), or until
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
#ifndef SC_BASELINES_PER_QUERY_H
#define SC_BASELINES_PER_QUERY_H

#include "engine/method.h"

/** Random sampling and network expansion. */
extern const sc__method sc__per_query_method;

#endif
