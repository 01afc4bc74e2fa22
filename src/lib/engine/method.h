/**
 * @file method.h
 * @brief What a method of cloaking implements so that the engine can run it.
 *
 * The engine keeps queries, ids, deadlines, candidates and drops; a method decides which queries
 * share a cloak. There are two kinds:
 *
 *  - Methods on the cloaking graph set `search_vertex`. The engine assigns a query to a star, puts
 *    it into a vertex, and calls `search_vertex` for vertices that changed.
 *  - Methods without a graph leave it NULL and set the functions below it. They keep the queries
 *    that wait in lists of their own.
 *
 * Both end in a candidate (candidate.h). The methods to compare with are in baselines/, which
 * includes engine/ and is not included by it: sc__engine_method_of() is defined there.
 */
#ifndef SC_ENGINE_METHOD_H
#define SC_ENGINE_METHOD_H

#include "engine/engine_internal.h"

typedef struct sc__engine_method {
    /** Allocate the method's own state in engine->method_state; map and options are set. May be
     * NULL. */
    sc_err (*open)(sc_engine *engine);

    /** Free that state, which may be NULL. May itself be NULL. */
    void (*close)(sc_engine *engine);

    // --- With the cloaking graph -------------------------------------------------

    /**
     * Search from a vertex. What is found leaves the graph and joins the engine's queue of
     * candidates; when that fails for lack of memory, nothing has changed.
     *
     * @param is_new  a query has just joined the vertex
     */
    sc_err (*search_vertex)(sc_engine *engine, sc__slot vertex, bool is_new);

    bool gathers_by_k_alone;  ///< queries of a star whose k go together are one vertex
    bool keeps_all_stars;     ///< pruning must not take a star of a candidate away

    // --- Without it --------------------------------------------------------------

    /** Whether the roads in reach of a query are enough for it. If so, add() comes next. */
    sc_err (*is_feasible)(sc_engine *engine, sc__slot slot, bool *out);

    /** Take over a query that is in no list; its state becomes SC__IN_GRAPH. */
    void (*add)(sc_engine *engine, sc__slot slot);

    /** Let go of a query that expired, was removed or became a member. */
    void (*remove)(sc_engine *engine, sc__slot slot);

    /** A query that add() took has become urgent. NULL with methods that have no urgent queries. */
    void (*become_urgent)(sc_engine *engine, sc__slot slot);

    /** Search for all queries that add() or become_urgent() made worth a search; engine->to_search
     * counts them. Stops for lack of memory between two searches, and goes on when called again. */
    sc_err (*search_all)(sc_engine *engine);
} sc__engine_method;

/** Whether the engine's method has queries in the cloaking graph. */
static inline bool sc__has_graph(const sc_engine *engine)
{
    return engine->method->search_vertex != NULL;
}

/** The method of a variant; never NULL. */
const sc__engine_method *sc__engine_method_of(sc_variant variant);

#endif
