/**
 * @file made_distances.h
 * @brief Answers for made-up records: all distances by Floyd and Warshall.
 */
#ifndef SC_TESTS_SUPPORT_MADE_DISTANCES_H
#define SC_TESTS_SUPPORT_MADE_DISTANCES_H

#include "support/made_record.h"

typedef struct made_distances {
    const sc_map *map;
    sc_metric metric;
    double *between;  ///< metres or seconds from node to node
} made_distances;

made_distances made_distances_new(const sc_map *map);

/** By distance or by time, as roads are open. */
made_distances made_distances_by(const sc_map *map, sc_metric metric);
void made_distances_free(made_distances *distances);

/** From a point of an edge to an object, by road. */
double made_distance(const made_distances *distances, sc_edge_id edge, double offset_m,
                     sc_object_id object);

/** Fill in the exact results for a query. */
void made_answer(const made_distances *distances, const made_event *query, made_event *answer);

#endif
