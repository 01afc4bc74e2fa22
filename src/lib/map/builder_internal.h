/**
 * @file builder_internal.h
 * @brief The stages of building a map, in the order they run.
 *
 *   map_builder.c  nodes, edges and objects as they were added
 *   chains.c       edges joined into segments
 *   segments.c     segments ordered along a Hilbert curve; the tables of nodes, edges and segments;
 *                  sc_builder_finish(), which calls the others
 *   stars.c        stars, their segments, the star graph
 *   snap.c         the snapping index over the edges
 *   map_objects.c  objects put on edges, in order
 *
 * Only this folder and its tests include it.
 */
#ifndef SC_MAP_BUILDER_INTERNAL_H
#define SC_MAP_BUILDER_INTERNAL_H

#include <starcloak/map_build.h>

#include "base/hash.h"
#include "map/map_internal.h"

typedef struct sc_point {
    double x;
    double y;
} sc_point;

/** An edge as it was added. */
typedef struct sc_raw_edge {
    sc_node_id from;
    sc_node_id to;
    double length;
} sc_raw_edge;

/** How long an edge takes as it was added; SC_CLOSED_S and SC_USUAL_S may stand instead. */
typedef struct sc_raw_times {
    double forward_s;
    double backward_s;
} sc_raw_times;

/** An object as it was added: on an edge, or at a position (then `edge` is SC_NONE). */
typedef struct sc_raw_object {
    sc_edge_id edge;
    sc_category_id category;
    uint32_t name;  ///< into the strings
    double x;       ///< or the fraction of the edge
    double y;
} sc_raw_object;

struct sc_builder {
    sc_coords coords;
    bool in_metres;
    char source[SC_SOURCE_SIZE];

    sc_point *nodes;  ///< NULL on maps without coordinates
    size_t node_count;
    size_t node_capacity;

    sc_raw_edge *edges;
    size_t edge_count;
    size_t edge_capacity;
    uint8_t *classes;
    size_t class_capacity;

    // Of the first edges, as far as any of them was given times or a name; of all others the
    // usual ones and none.
    sc_raw_times *times;
    size_t times_count;
    size_t times_capacity;
    uint32_t *edge_names;  ///< into the strings
    size_t edge_name_count;
    size_t edge_name_capacity;
    uint32_t last_name;  ///< the name that an edge was last given
    size_t last_name_size;

    sc_raw_object *objects;
    size_t object_count;
    size_t object_capacity;

    uint32_t *categories;  ///< offsets of their names in the strings
    size_t category_count;
    size_t category_capacity;
    sc_hash category_ids;  ///< by the place of their name

    char *strings;  ///< each ended by NUL; the first is empty
    size_t string_size;
    size_t string_capacity;
    sc_hash string_places;  ///< by a 128-bit hash of the string
};

/** An edge walked in one direction: its number times two, plus one if against. */
typedef uint32_t sc_half_edge;

/** Edges joined into segments, before they are numbered for good. */
typedef struct sc_chains {
    sc_half_edge *steps;  ///< all edges, chain after chain, each as it is walked
    uint32_t *first;      ///< chain i is steps [first[i], first[i + 1])
    uint32_t count;
    uint32_t *degree;  ///< of every node; a self-loop counts twice
} sc_chains;

/** Find the segments. Time O(nodes + edges). Release with sc__chains_fini(). */
SC_CHECKED sc_err sc__chains_find(const sc_builder *builder, sc_chains *out);
void sc__chains_fini(sc_chains *chains);

/** The node where a step begins, and where it ends. */
static inline sc_node_id sc__step_from(const sc_builder *builder, sc_half_edge step)
{
    const sc_raw_edge *edge = &builder->edges[step >> 1];
    return step & 1 ? edge->to : edge->from;
}

static inline sc_node_id sc__step_to(const sc_builder *builder, sc_half_edge step)
{
    return sc__step_from(builder, step ^ 1);
}

/** The square around all nodes that the curve runs through; none without coordinates. */
typedef struct sc_curve {
    const sc_node *nodes;
    int64_t min_x;
    int64_t min_y;
    uint32_t shift;
} sc_curve;

/** The curve through the square around all nodes. */
sc_curve sc__curve_of(const sc_map *map);

/** The place of the middle between two nodes on the curve. */
uint32_t sc__curve_place(const sc_curve *curve, sc_node_id a, sc_node_id b);

/**
 * Make the stars of a map whose nodes, edges and segments are set; sets star_a
 * and star_b of every segment. A segment that touches an intersection begins
 * at one.
 */
SC_CHECKED sc_err sc__stars_build(sc_map *map, const uint32_t *degree);

/** Give a built map room for a table; the count is set, the content is not. */
SC_CHECKED sc_err sc__table_make(sc_map *map, sc_table_kind kind, uint64_t count);

/**
 * Put the builder's objects on the edges of the map, which is otherwise done.
 *
 * @param edge_place  for each edge added: its number in the map times two, plus
 *                    one if it was turned round
 * @param too_far     set to how many were left out
 */
SC_CHECKED sc_err sc__objects_build(sc_builder *builder, sc_map *map, const uint32_t *edge_place,
                                    double max_snap_m, uint32_t *too_far,
                                    const sc_progress *progress);

#endif
