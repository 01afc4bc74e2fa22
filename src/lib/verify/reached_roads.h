/**
 * @file reached_roads.h
 * @brief Which parts of roads are within a distance of other parts: where a user can be who was
 * there before (P9).
 *
 * Found edge by edge and node by node, both ways on every road, in whole units of the map. The
 * engine's side goes from star to star instead.
 */
#ifndef SC_VERIFY_REACHED_ROADS_H
#define SC_VERIFY_REACHED_ROADS_H

#include <starcloak/map.h>
#include <starcloak/verify.h>

/** A part of an edge, in units from its `from`, both ends included. */
typedef struct sc_edge_part {
    sc_edge_id edge;
    uint32_t from;
    uint32_t to;
} sc_edge_part;

typedef struct sc_edge_parts {
    sc_edge_part *at;  ///< by edge and then along it
    size_t count;
    size_t capacity;
} sc_edge_parts;

/** A node that is to be visited, so far from where the search began. */
typedef struct sc_node_visit {
    uint64_t distance;
    sc_node_id node;
} sc_node_visit;

#define SC_HEAP sc__node_visits
#define SC_HEAP_ENTRY sc_node_visit
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).distance < (b).distance)
#include "base/heap_template.h"

typedef struct sc_node_marks {
    uint32_t found;     ///< the last search that came here
    uint32_t wanted;    ///< the last search that wants to know how far it is
    uint64_t distance;  ///< of the shortest way found by the search `found`
} sc_node_marks;

/** Zero-initialise; sc__reached_init() before the first search. */
typedef struct sc_reached_roads {
    const sc_map *map;
    uint32_t *first_edge;  ///< by node, and one more: where its part of `edges` begins
    sc_edge_id *edges;     ///< at each node
    sc_node_marks *nodes;
    uint32_t now;  ///< number of the search
    sc__node_visits visits;
    sc_edge_parts *found;  ///< where the search under way puts what it finds
} sc_reached_roads;

/** Time and memory O(map). @param map  borrowed */
SC_CHECKED sc_err sc__reached_init(sc_reached_roads *reached, const sc_map *map);

/** Harmless twice, and on a zeroed one. */
void sc__reached_fini(sc_reached_roads *reached);

/**
 * Find all of the segments that is within `within` of the parts `from`.
 *
 * @param from      by edge and then along it
 * @param segments  ascending, each once; all exist
 * @param found     what it held is replaced
 * @param parts     room for one per segment: set to what is found of each
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__reached_find(sc_reached_roads *reached, const sc_edge_part *from,
                                   size_t from_count, uint64_t within, const sc_seg_id *segments,
                                   size_t segment_count, sc_edge_parts *found,
                                   sc_claim_part *parts);

#endif
