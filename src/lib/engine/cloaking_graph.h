/**
 * @file cloaking_graph.h
 * @brief The cloaking graph: vertices of stars, the queries they hold, and the neighbours of one.
 *
 * Neighbours are not stored: needs change with every query that comes or goes, and finding
 * neighbours takes no longer than reading a list of them would.
 */
#ifndef SC_ENGINE_CLOAKING_GRAPH_H
#define SC_ENGINE_CLOAKING_GRAPH_H

#include "engine/engine_internal.h"

/**
 * Add a query (in no list) to the graph at `star`: to the first vertex of the star
 * that can take it, or to a new one. On failure nothing has changed.
 *
 * @param out  the vertex it went to
 */
SC_CHECKED sc_err sc__graph_add(sc_engine *engine, sc__slot slot, sc_star_id star, sc__slot *out);

/**
 * Take a query out of its vertex. The needs of a vertex that still has queries are
 * computed again, and it waits to be searched again; an empty one leaves the graph. Time: the
 * queries of the vertex.
 */
void sc__graph_remove(sc_engine *engine, sc__slot slot);

/**
 * Whether a query that wants `k` users could share `vertex`, as far as the k of its queries go
 * (k_spread). Time: the queries of the vertex.
 */
bool sc__k_fits(const sc_engine *engine, const sc__vertex *vertex, uint32_t k);

/** Append the queries of a vertex that have demands of their own to the `*count` in the engine's
 * scratch. */
SC_CHECKED sc_err sc__list_specials(sc_engine *engine, sc__slot vertex, size_t *count);

/** Take a vertex out of the graph. Its queries are no longer its own. */
void sc__graph_drop_vertex(sc_engine *engine, sc__slot slot);

/**
 * Let the balls of all relaxed vertices reach as far as their needs now allow. Must come
 * before any search: a relaxed vertex may be a neighbour of any other.
 */
SC_CHECKED sc_err sc__graph_stretch(sc_engine *engine);

/** Put a vertex on a list of those to search again, unless it is there. */
void sc__graph_wait(sc_engine *engine, sc__search_reason why, sc__slot slot);

/** The first vertex of a list that still needs its search, or SC_NONE; others are cleared away. */
sc__slot sc__graph_first_waiting(sc_engine *engine, sc__search_reason why);

// --- Neighbours --------------------------------------------------------------

/** A star near the start that has a vertex. */
typedef struct sc__active_star {
    sc__slot vertex;  ///< its first
    uint32_t number;  ///< of the star in the start's ball
    uint32_t hops;
} sc__active_star;

/**
 * List in the engine's scratch the first vertices of the first `star_count` stars of `ball`, in
 * its order, and prefetch these vertices.
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
    uint32_t l;
    uint64_t age;
    uint32_t max_hops;
    bool has_special;  ///< a query of it has demands of its own
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

/** Prefetch the balls of the first `count` listed, which will be read one after the other. */
void sc__neighbours_prefetch_balls(const sc_engine *engine, size_t count);

#endif
