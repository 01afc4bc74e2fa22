/**
 * @file slow_per_query.h
 * @brief Random sampling and network expansion, written again from docs/methods.md: slow, plain.
 *
 * The slow engine does the rest: queue, deadlines, proposals. Regions, mates and distances are
 * found again each time, by looking at every segment, every query and every edge.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_PER_QUERY_H
#define SC_TESTS_SUPPORT_SLOW_PER_QUERY_H

#include "support/slow_engine_internal.h"

/** Whether a method has no cloaking graph: its queries wait on their segments. */
static inline bool slow_is_per_query(const slow_engine *engine)
{
    return engine->options.variant == SC_VARIANT_SAMPLING ||
           engine->options.variant == SC_VARIANT_EXPANSION;
}

/** Whether the roads around either end of its segment are enough for the query's l. */
bool slow_per_query_is_feasible(const slow_engine *engine, const sc_query *query);

/** A query that is not company has come to its segment: it and those it might help try. */
void slow_per_query_arrive(slow_engine *engine, const slow_query *newcomer);

#endif
