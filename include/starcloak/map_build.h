/**
 * @file map_build.h
 * @brief Building a map from nodes, edges and objects.
 *
 * Every reader and the city generator feed a builder; so can an embedder with
 * road data of its own. Nodes and edges are numbered in the order they are
 * added. An edge is open both ways, at the usual speed of its class, unless
 * sc_builder_set_edge_times() says otherwise. sc_builder_finish() finds the segments and stars,
 * numbers them along a Hilbert curve, packs the snapping index and puts the objects on their edges.
 */
#ifndef STARCLOAK_MAP_BUILD_H
#define STARCLOAK_MAP_BUILD_H

#include <starcloak/map.h>
#include <starcloak/progress.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A map in the making. */
typedef struct sc_builder sc_builder;

/** Start a map whose coordinates are of kind `coords`. */
SC_API SC_CHECKED sc_err sc_builder_new(sc_coords coords, sc_builder **out);

/** Free `builder`, finished or not; NULL is fine. */
SC_API void sc_builder_free(sc_builder *builder);

/**
 * Say that lengths (and planar coordinates) are in units of unknown size, not
 * metres. May be said at any time before finishing.
 */
SC_API void sc_builder_set_unit_unknown(sc_builder *builder);

/** Say what the map is made from, for people (copied, cut at 255 bytes). */
SC_API void sc_builder_set_source(sc_builder *builder, const char *source);

/**
 * Add a node. x, y: longitude and latitude in degrees, or planar coordinates;
 * ignored on maps without coordinates.
 *
 * @return SC_OK, SC_EINVAL (not finite, or not on the globe), SC_ELIMIT (2^31
 *         nodes), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_builder_add_node(sc_builder *builder, double x, double y,
                                             sc_node_id *out);

/**
 * Add an edge between two nodes already added. Self-loops and repeated edges
 * are kept.
 *
 * @param length  metres (or units), 0 to 40 million; a negative number asks for
 *                the distance between the nodes, which the map must have
 *                coordinates for
 * @param out     its number among the edges added; may be NULL
 * @return SC_OK, SC_EINVAL, SC_ELIMIT, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_builder_add_edge(sc_builder *builder, sc_node_id from, sc_node_id to,
                                             double length, sc_road_class road_class,
                                             sc_edge_id *out);

/** Ask for the length from the coordinates. */
#define SC_LENGTH_FROM_NODES (-1.0)

/** In place of a travel time: the edge is not open in that direction. */
#define SC_CLOSED_S (-1.0)

/** In place of a travel time: the usual one, by the length and the class of the edge. */
#define SC_USUAL_S (-1e9)

/**
 * Say how long an edge takes, in seconds, from its `from` to its `to` and back.
 *
 * @param edge        its number among the edges added
 * @param forward_s   0 to 1e9, SC_USUAL_S or SC_CLOSED_S
 * @param backward_s  the same
 * @return SC_OK, SC_EINVAL (no such edge, closed both ways, out of range), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_builder_set_edge_times(sc_builder *builder, sc_edge_id edge,
                                                   double forward_s, double backward_s);

/** Say what the road of an edge is called (`size` bytes of UTF-8); without one it has no name. */
SC_API SC_CHECKED sc_err sc_builder_set_edge_name(sc_builder *builder, sc_edge_id edge,
                                                  const char *name, size_t size);

/** The category of that name (`size` bytes of UTF-8), made if it is new. */
SC_API SC_CHECKED sc_err sc_builder_add_category(sc_builder *builder, const char *name, size_t size,
                                                 sc_category_id *out);

/**
 * Put an object on an edge: `edge` by its number among the edges added,
 * `fraction` of the way from its `from` (clamped to 0..1).
 */
SC_API SC_CHECKED sc_err sc_builder_add_object_on_edge(sc_builder *builder, sc_edge_id edge,
                                                       double fraction, sc_category_id category,
                                                       const char *name, size_t name_size);

/** Put an object at a position; finishing snaps it to the nearest edge. */
SC_API SC_CHECKED sc_err sc_builder_add_object_at(sc_builder *builder, double x, double y,
                                                  sc_category_id category, const char *name,
                                                  size_t name_size);

/** What its coordinates are. */
SC_API sc_coords sc_builder_coords(const sc_builder *builder);

SC_API uint32_t sc_builder_node_count(const sc_builder *builder);
SC_API uint32_t sc_builder_edge_count(const sc_builder *builder);
SC_API uint32_t sc_builder_object_count(const sc_builder *builder);

/** What finishing did that a person may want to know. */
typedef struct sc_build_report {
    uint32_t objects_too_far;  ///< left out: farther than the limit from any road
} sc_build_report;

/**
 * Make the map. The builder is used up, whatever the outcome: free it.
 *
 * @param max_object_snap_m  objects farther from any road are left out
 * @param progress           may be NULL
 * @param report             may be NULL
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT, SC_EINVAL (edges cross the 180th meridian
 *         as well as the 0th, or the map has no edge)
 */
SC_API SC_CHECKED sc_err sc_builder_finish(sc_builder *builder, double max_object_snap_m,
                                           const sc_progress *progress, sc_map **out,
                                           sc_build_report *report, sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
