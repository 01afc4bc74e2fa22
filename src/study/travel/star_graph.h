/**
 * @file star_graph.h
 * @brief The star graph, while stars are taken out of it.
 *
 * Stars have a handful of arcs each, and lists change all the time. So they are blocks of one pool,
 * of a few sizes; a list that is full moves to a block of the next size.
 *
 * Only this folder includes it.
 */
#ifndef SC_TRAVEL_STAR_GRAPH_H
#define SC_TRAVEL_STAR_GRAPH_H

#include "travel/routes_internal.h"

/** Arcs of one star: a block of the pool, with room for SC__LEAST_ROOM << size of them. */
typedef struct sc__arc_list {
    uint32_t first;
    uint32_t count;
    uint32_t size;
} sc__arc_list;

enum { SC__LEAST_ROOM = 4, SC__ROOM_SIZES = 28 };

/** Zero-initialise; sc__star_graph_fini() when done. */
typedef struct sc__star_graph {
    sc__arc_list *lists;  ///< by star
    uint32_t star_count;
    bool is_symmetric;  ///< all roads are open both ways, and take as long: half the work will do

    // One pool for all lists; blocks that became too small wait to be used again.
    sc__arc *pool;
    size_t pool_count;
    size_t pool_capacity;
    uint32_t idle[SC__ROOM_SIZES];  ///< by size, the first idle block and one more, 0: none; each
                                    ///< names the next in the `to` of its first arc
} sc__star_graph;

/** The arcs of a star; lent until the next sc__star_graph_link(). */
static inline const sc__arc *sc__star_graph_arcs(const sc__star_graph *graph, sc_star_id star,
                                                 uint32_t *count)
{
    *count = graph->lists[star].count;
    return graph->pool + graph->lists[star].first;
}

/**
 * The graph of a map's stars. Of several segments between two stars the fastest counts; of equally
 * fast ones the first.
 *
 * @param segment_ms  by segment; SC__NEVER: not open in that direction
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT; nothing is left to free on failure
 */
SC_CHECKED sc_err sc__star_graph_init(sc__star_graph *graph, const sc_map *map,
                                      const sc_travel_times *segment_ms);

void sc__star_graph_fini(sc__star_graph *graph);

/** Lead from one star to another, unless a way as fast is there; a slower one is replaced. */
SC_CHECKED sc_err sc__star_graph_link(sc__star_graph *graph, sc_star_id from, sc_star_id to,
                                      sc__link way);

/** Remove the star from the lists of all others. It keeps its own arcs. */
void sc__star_graph_remove(sc__star_graph *graph, sc_star_id star);

#endif
