/**
 * @file ine.h
 * @brief Incremental network expansion as the books have it: over nodes and edges, one node at a
 * time, by distance or by time.
 *
 * What the provider is measured against. It is made with care - marks that need no clearing, a heap
 * of four children, a bound that comes down with each object found - but it knows no segments, no
 * stars and no index.
 */
#ifndef SC_BENCH_INE_H
#define SC_BENCH_INE_H

#include "lbs/lbs_search.h"

typedef struct ine {
    const sc_objects_view *view;
    uint32_t *node_first;  ///< into `roads`; nodes + 1
    sc_edge_id *roads;     ///< the edges at each node
    uint32_t *edge_first;  ///< first object of each edge; edges + 1
    sc_lbs_marks node_marks;
    sc_lbs_cost *costs;  ///< of nodes reached, by slot
    size_t node_count;
    size_t node_capacity;
    sc_lbs_marks object_marks;
    sc_lbs_queue queue;
    sc_lbs_best best;
    sc_lbs_hit *hits;  ///< the result, nearest first
    size_t hit_count;
    size_t hit_capacity;
    double bound;
    sc_metric metric;
} ine;

ine ine_new(const sc_objects *objects);
void ine_free(ine *search);

/** From a node; the result is in `hits`. */
void ine_search(ine *search, const sc_lbs_wanted *wanted, sc_lbs_reach far, sc_node_id node);

#endif
