/**
 * @file answer_check.h
 * @brief Is an answer the exact one? Compared with a plain search from where the traveller is.
 *
 * Of objects equally far, any may be named, in any order; all else must agree: how many, which
 * category, which distances and travel times, and the nearest first.
 */
#ifndef SC_VERIFY_ANSWER_CHECK_H
#define SC_VERIFY_ANSWER_CHECK_H

#include <starcloak/map.h>

#include "verify/query_states.h"
#include "verify/verifier.h"

// === Objects by the way there from a point: plain Dijkstra ======================================
// What an answer is compared with. Nothing is prepared but which edges meet at a node and where the
// objects of an edge are, nothing is estimated: the search grows over the edges, in the directions
// in which they are open, and gives the objects of the categories that are asked for as it comes
// upon them, nearest first by distance or by travel time. Of
// ways that are equal in this, the one that is best in the other counts.

typedef struct sc_way_entry sc_way_entry;

/** A box around places, in coordinates of the map. */
typedef struct sc_verify_box {
    double west;
    double south;
    double east;
    double north;
} sc_verify_box;

typedef struct sc_ways {
    const sc_map *map;
    const sc_object *objects;  ///< that are looked for; by edge
    uint32_t object_count;
    uint32_t *first_edge;        ///< by node, and one more: where its part of `edges` begins
    sc_edge_id *edges;           ///< that end at each node; a self-loop twice
    sc_object_id *first_object;  ///< by edge, and one more: the first object on it or behind it
    sc_event_request wish;       ///< of the search under way
    uint32_t search;             ///< its number
    uint32_t *node_done;         ///< by node: the search that has its cost
    uint32_t *object_done;
    size_t object_capacity;  ///< of `object_done`
    sc_verify_box *extent;   ///< grows by the places that are driven to; NULL: not wanted
    double extent_limit;     ///< those that cost no more than this, in units
    sc_way_entry *heap;
    size_t heap_count;
    size_t heap_capacity;
} sc_ways;

/** An object and how far it is. */
typedef struct sc_searched_object {
    sc_object_id object;
    double distance_m;
    double duration_s;
} sc_searched_object;

/** On failure there is nothing to release. */
SC_CHECKED sc_err sc__ways_init(sc_ways *ways, const sc_map *map);

/** Harmless twice. */
void sc__ways_fini(sc_ways *ways);

/**
 * Look for other objects than the map's; borrowed, and sorted by edge. Time O(edges).
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__ways_use(sc_ways *ways, const sc_object *objects, uint32_t count);

/**
 * Begin at a point of an edge that the map has; one may leave it in every direction in which the
 * edge is open.
 *
 * @param wish  its metric and its categories; how many, or how far, is the caller's to say
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (more searches than can be numbered)
 */
SC_CHECKED sc_err sc__ways_from(sc_ways *ways, const sc_event_request *wish, sc_edge_id edge,
                                double offset_m);

/** Begin at a node, with the same. */
SC_CHECKED sc_err sc__ways_from_node(sc_ways *ways, const sc_event_request *wish, sc_node_id node);

/**
 * The next object. Of equally near ones, any first.
 *
 * @param max  no farther than so many metres or seconds; HUGE_VAL for no limit
 * @param out  its object is SC_NONE if there is none left, or none within `max`
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__ways_next(sc_ways *ways, double max, sc_searched_object *out);

// ================================================================================================

/** Room for comparing answers; zero-initialise but for `ways`. */
typedef struct sc_answers {
    sc_ways ways;
    sc_searched_object *found;  ///< what the plain search gives, and a little beyond
    size_t found_count;
    size_t found_capacity;
} sc_answers;

SC_CHECKED sc_err sc__answers_init(sc_answers *answers, const sc_map *map);

/** Harmless twice. */
void sc__answers_fini(sc_answers *answers);

/** Look at an answer that is watched, and add to the findings. Sorts its results. */
SC_CHECKED sc_err sc__answers_look(sc_answers *answers, sc_watched *watched, sc_findings *findings);

#endif
