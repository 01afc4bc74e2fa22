/**
 * @file slow_engine.h
 * @brief The engine, written again from docs/engine.md: slow, plain, obviously right.
 *
 * All there is, is a list of queries in the order in which they were added, each
 * with the place it is at: in the queue, in the graph, in a proposal. A vertex is
 * a number that queries bear; its needs, its neighbours and whether its star is
 * active are found by looking at every query, each time again.
 *
 * Given the same calls and a generator of the same seed it must do what the fast
 * one does: same candidates, same drops, same times. Calls mean what they mean
 * in starcloak/engine.h; only paranoia is left out, and demands are not copied.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_ENGINE_H
#define SC_TESTS_SUPPORT_SLOW_ENGINE_H

#include <starcloak/engine.h>

#include "support/slow_prune.h"

typedef struct slow_engine slow_engine;

/** Running out of memory ends the program. `rng` is borrowed, and so are the demands of queries,
 * which must outlive it and its cloaks. */
slow_engine *slow_engine_new(const sc_map *map, const sc_engine_options *options, sc_rng *rng);
void slow_engine_free(slow_engine *engine);

SC_CHECKED sc_err slow_engine_add(slow_engine *engine, const sc_query *query);
SC_CHECKED sc_err slow_engine_add_company(slow_engine *engine, const sc_query *query);
SC_CHECKED sc_err slow_engine_remove(slow_engine *engine, const sc_query_id *id);
SC_CHECKED sc_err slow_engine_run(slow_engine *engine, sc_time now);

/** Among basic, bounded and hybrid. */
void slow_engine_switch(slow_engine *engine, sc_variant variant);

/** The clock of the last run if there is work waiting. */
sc_time slow_engine_next_wake(const slow_engine *engine);

/** Free it with slow_cloak_free(). */
sc_cloak *slow_engine_take_candidate(slow_engine *engine);

/** Prune a candidate as the engine's demands allow. */
void slow_engine_prune(const slow_engine *engine, sc_cloak *candidate, sc_rng *rng);

SC_CHECKED sc_err slow_engine_accept(slow_engine *engine, const sc_cloak *cloak, sc_time now);
SC_CHECKED sc_err slow_engine_refuse(slow_engine *engine, const sc_cloak *cloak,
                                     const sc_query_id *gone, size_t gone_count);
bool slow_engine_take_drop(slow_engine *engine, sc_drop *out);
sc_engine_stats slow_engine_stats_of(const slow_engine *engine);

/** How often a search of patient has settled the stars of its members. */
typedef struct slow_settle_counts {
    uint64_t tried;       ///< with strict demands: once for all who are found, once for their ends
    uint64_t reduced;     ///< stars had to go, and then all members had what they ask for
    uint64_t failed;      ///< they never had
    uint64_t taken_back;  ///< ends that members had chosen at last, of the whole cloak
} slow_settle_counts;

slow_settle_counts slow_engine_settle_counts(const slow_engine *engine);

/** The roads it stands on; lent. */
const slow_roads *slow_engine_roads(const slow_engine *engine);

#endif
