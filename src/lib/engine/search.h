/**
 * @file search.h
 * @brief Finding company: the vertices that can be cloaked together with one.
 *
 * Used by: variants.c, engine.c, xstar.c.
 */
#ifndef SC_ENGINE_SEARCH_H
#define SC_ENGINE_SEARCH_H

#include "engine/engine_internal.h"

/** How far apart the members of a candidate may be. */
typedef struct sc__bounds {
    uint32_t hops_per_level;  ///< levels of that width must have no gap; 0: no levels
    uint32_t near_hops;       ///< each within so many hops of another; UINT32_MAX: no matter
} sc__bounds;

/**
 * One search from a vertex. What is found leaves the graph and joins the engine's queue
 * of candidates; if that fails for lack of memory, nothing has changed.
 *
 * @param found  whether there is a new candidate
 */
SC_CHECKED sc_err sc__search_within(sc_engine *engine, sc__slot start, sc__bounds bounds,
                                    bool *found);

/** Append the users of a vertex, one for each query, to the `*count` in the engine's scratch. */
SC_CHECKED sc_err sc__collect_users(sc_engine *engine, sc__slot vertex, size_t *count);

/** Release the working memory of searches. */
void sc__scratch_fini(sc__scratch *scratch);

#endif
