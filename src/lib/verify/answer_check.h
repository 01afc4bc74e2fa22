/**
 * @file answer_check.h
 * @brief Is an answer the exact one? Compared with a plain search from where the traveller is.
 *
 * Of objects equally far, any may be named, in any order; all else must agree: how many, which
 * category, which distances, and the nearest first.
 */
#ifndef SC_VERIFY_ANSWER_CHECK_H
#define SC_VERIFY_ANSWER_CHECK_H

#include <starcloak/map.h>

#include "verify/query_states.h"
#include "verify/verifier.h"

// === Objects by road distance from a point: plain Dijkstra ======================================
// What an answer is compared with. Nothing is prepared but which edges meet at a
// node, nothing is estimated or left out: the search grows over the map and
// gives the objects as it comes upon them, nearest first.

typedef struct sc_distance_entry sc_distance_entry;

typedef struct sc_distances {
    const sc_map *map;
    uint32_t *first_edge;  ///< by node, and one more: where its part of `edges` begins
    sc_edge_id *edges;     ///< that end at each node; a self-loop twice
    uint32_t search;       ///< number of the search under way
    uint32_t *node_done;   ///< by node: the search that has its distance
    uint32_t *object_done;
    sc_distance_entry *heap;
    size_t heap_count;
    size_t heap_capacity;
} sc_distances;

/** On failure there is nothing to release. */
SC_CHECKED sc_err sc__distances_init(sc_distances *distances, const sc_map *map);

/** Harmless twice. */
void sc__distances_fini(sc_distances *distances);

/**
 * Begin at a point of an edge that the map has.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (more searches than can be numbered)
 */
SC_CHECKED sc_err sc__distances_from(sc_distances *distances, sc_edge_id edge, double offset_m);

/**
 * The next object by distance. Of equal ones, any first.
 *
 * @param max_m   no farther than this; HUGE_VAL for no limit
 * @param object  set to SC_NONE if there is none left, or none within `max_m`
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__distances_next(sc_distances *distances, double max_m, sc_object_id *object,
                                     double *distance_m);

// ================================================================================================

/** An object and how far it is. */
typedef struct sc_searched_object {
    sc_object_id object;
    double distance_m;
} sc_searched_object;

/** Room for comparing answers; zero-initialise but for `distances`. */
typedef struct sc_answers {
    sc_distances distances;
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
