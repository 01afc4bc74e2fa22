/**
 * @file map.h
 * @brief The road network: nodes, edges, segments, stars, objects; opened from a file.
 *
 * A map is immutable. It is either opened from a `.scm` file, which is mapped
 * into memory and ready at once, or built in memory (map_build.h). Its tables
 * are lent as plain arrays, so that a loop over a million edges is a loop over
 * a million edges. Any number of threads may read one map.
 *
 * How the tables hang together (docs/scm-format.md has the bytes):
 *  1. Edges are sorted by segment and, inside a segment, along the road: the
 *     edges of segment s are [segments[s].first_edge, segments[s+1].first_edge),
 *     and each one's `to` is the next one's `from`.
 *  2. Every edge is in exactly one segment. The inner nodes of a segment have
 *     degree 2; its ends have another degree, unless it is a whole ring.
 *  3. Segments and stars are numbered along a Hilbert curve, so that what is
 *     near on the ground is near in memory. Nodes keep the order of the source.
 *  4. Every segment touches a star: star_a always names one. star_b is SC_NONE
 *     at a dead end, and equals star_a where the road returns to its start.
 *  5. Lengths and offsets are whole numbers of sc_map_unit_m() (usually 1 mm) and travel times
 *     whole numbers of sc_map_time_unit_s() (usually 1 ms), so that sums of them are exact and do
 *     not depend on their order.
 *  6. Every edge is open in at least one direction. A segment is open in a direction if all of
 *     its edges are, and takes as long as they do together. Directions matter to distances, times
 *     and answers; segments, stars and cloaks are the same whatever the directions.
 */
#ifndef STARCLOAK_MAP_H
#define STARCLOAK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <starcloak/err.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t sc_node_id;
typedef uint32_t sc_edge_id;
typedef uint32_t sc_seg_id;
typedef uint32_t sc_star_id;
typedef uint32_t sc_object_id;
typedef uint32_t sc_category_id;

/** "No such thing", for every kind of id. */
#define SC_NONE UINT32_MAX

/** What the coordinates of a map mean. */
typedef enum sc_coords {
    SC_COORDS_NONE = 0,        ///< the map has none: no snapping, all else works
    SC_COORDS_GEOGRAPHIC = 1,  ///< degrees of longitude and latitude
    SC_COORDS_PLANAR = 2,      ///< a plane: metres, or units of unknown size
} sc_coords;

/** What kind of road an edge is; speeds and filters go by it. */
typedef enum sc_road_class {
    SC_ROAD_UNKNOWN = 0,
    SC_ROAD_MOTORWAY = 1,
    SC_ROAD_TRUNK = 2,
    SC_ROAD_PRIMARY = 3,
    SC_ROAD_SECONDARY = 4,
    SC_ROAD_TERTIARY = 5,
    SC_ROAD_LOCAL = 6,
    SC_ROAD_SERVICE = 7,
    SC_ROAD_RAMP = 8,
    SC_ROAD_PATH = 9,  ///< not for cars
    SC_ROAD_CLASS_COUNT = 10,
} sc_road_class;

/** The name of a road class, as `map info` prints it; "unknown" for others. */
SC_API const char *sc_road_class_name(unsigned road_class);

/**
 * How fast a car goes on a road of that class if nothing else is known of it, in metres per
 * second: free flow, a little below what is usually allowed. Others are as SC_ROAD_UNKNOWN.
 */
SC_API double sc_road_class_speed_m_s(unsigned road_class);

/** A node, in whole numbers of the map's own grid; see sc_map_node_position(). */
typedef struct sc_node {
    int32_t x;
    int32_t y;
} sc_node;

/** A straight piece of road. `length` is in units of sc_map_unit_m(). */
typedef struct sc_edge {
    sc_node_id from;
    sc_node_id to;
    uint32_t length;
    sc_seg_id segment;
} sc_edge;

/** How long an edge or a segment takes, in units of sc_map_time_unit_s(). */
typedef struct sc_travel_times {
    uint32_t forward;   ///< from its first node to its last; SC_CLOSED: not open that way
    uint32_t backward;  ///< from its last node to its first
} sc_travel_times;

/** In place of a time: the road is not open in that direction. */
#define SC_CLOSED UINT32_MAX

/** A maximal chain of edges. The table has one entry more, for first_edge. */
typedef struct sc_segment {
    sc_edge_id first_edge;
    sc_star_id star_a;  ///< star at the chain's first node; never SC_NONE
    sc_star_id star_b;  ///< star at its last node, or SC_NONE
    uint32_t length;    ///< sum of its edges' lengths
} sc_segment;

/** A star. The table has one entry more, for the two `first_` columns. */
typedef struct sc_star {
    sc_node_id node;           ///< its intersection, or where a pseudo-star sits
    uint32_t first_segment;    ///< into sc_map_star_segments()
    uint32_t first_neighbour;  ///< into sc_map_star_neighbours()
} sc_star;

/** A point of interest: on an edge, `offset` units from the edge's `from`. */
typedef struct sc_object {
    sc_edge_id edge;
    uint32_t offset;
    sc_category_id category;
    uint32_t name;  ///< into the map's strings; see sc_map_object_name()
} sc_object;

/** A road map. Opaque; read by any number of threads. */
typedef struct sc_map sc_map;

/**
 * Open the map at `path`. The file is mapped, not read; its checksums and every
 * index in it are verified, so that a damaged or hostile file is refused here
 * and cannot lead an accessor astray. Time: one pass over the file's bytes.
 *
 * The file must not be shortened or written to while it is open (the importer
 * never does that: it replaces the file by a new one of the same name).
 *
 * @param out   set on success, untouched on failure; free with sc_map_free()
 * @param diag  may be NULL; told what is wrong, and where
 * @return SC_OK, SC_EIO, SC_EFORMAT, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_map_open(const char *path, sc_map **out, sc_diag *diag);

/**
 * The same from memory, aligned to 8 bytes (else SC_EINVAL), that the caller
 * keeps, unchanged, until sc_map_free().
 */
SC_API SC_CHECKED sc_err sc_map_open_memory(const void *bytes, size_t size, const char *name,
                                            sc_map **out, sc_diag *diag);

/**
 * Write `map` to `path`: to a temporary name first, then renamed, so that
 * `path` holds the old file or the whole new one, never a part. A path of "-"
 * is standard output.
 */
SC_API SC_CHECKED sc_err sc_map_save(const sc_map *map, const char *path, sc_diag *diag);

/** Free `map`; NULL is fine. */
SC_API void sc_map_free(sc_map *map);

/**
 * Check every invariant of the map, the numbered ones above among them but for
 * the third, which is for speed alone. Time O(nodes + edges). Opening has
 * already made sure that no index is out of range; this says whether the tables
 * also mean what they should.
 */
SC_API SC_CHECKED sc_err sc_map_check(const sc_map *map, sc_diag *diag);

// --- Sizes -----------------------------------------------------------------

SC_API uint32_t sc_map_node_count(const sc_map *map);
SC_API uint32_t sc_map_edge_count(const sc_map *map);
SC_API uint32_t sc_map_segment_count(const sc_map *map);
SC_API uint32_t sc_map_star_count(const sc_map *map);
SC_API uint32_t sc_map_object_count(const sc_map *map);
SC_API uint32_t sc_map_category_count(const sc_map *map);

/** Bytes of all tables together: what an open map occupies. */
SC_API size_t sc_map_bytes(const sc_map *map);

/** The name and bytes of table `i`; NULL when there are no more. For people. */
SC_API const char *sc_map_table(const sc_map *map, size_t i, size_t *bytes);

/** A checksum of the map's content: equal maps have equal ones. */
SC_API uint64_t sc_map_checksum(const sc_map *map);

/** What the map was made from, in words; for people. */
SC_API const char *sc_map_source(const sc_map *map);

// --- Tables, lent until sc_map_free() --------------------------------------

/** sc_map_node_count() nodes; NULL where sc_map_coords() is SC_COORDS_NONE. */
SC_API const sc_node *sc_map_nodes(const sc_map *map);
SC_API const sc_edge *sc_map_edges(const sc_map *map);

/** One sc_road_class per edge. */
SC_API const uint8_t *sc_map_edge_classes(const sc_map *map);

/** One per edge: how long it takes in each direction, and which of them are open. */
SC_API const sc_travel_times *sc_map_edge_times(const sc_map *map);

/** One per segment: the sums over its edges; SC_CLOSED where one of them is closed. */
SC_API const sc_travel_times *sc_map_segment_times(const sc_map *map);

/** sc_map_segment_count() + 1 entries. */
SC_API const sc_segment *sc_map_segments(const sc_map *map);

/** sc_map_star_count() + 1 entries. */
SC_API const sc_star *sc_map_stars(const sc_map *map);

/** Segments of star i, ascending: [stars[i].first_segment, stars[i+1].first_segment). */
SC_API const sc_seg_id *sc_map_star_segments(const sc_map *map);

/** Neighbours of star i in the star graph, ascending, without itself. */
SC_API const sc_star_id *sc_map_star_neighbours(const sc_map *map);

/** Objects, by edge and then by offset. */
SC_API const sc_object *sc_map_objects(const sc_map *map);

/** Objects of segment s: sets [*first, *last). */
SC_API void sc_map_segment_objects(const sc_map *map, sc_seg_id segment, sc_object_id *first,
                                   sc_object_id *last);

/** The name of a category, in UTF-8. */
SC_API const char *sc_map_category_name(const sc_map *map, sc_category_id category);

/** The category of that name, or SC_NONE. Time O(categories). */
SC_API sc_category_id sc_map_category_find(const sc_map *map, const char *name);

/** The name of an object, "" where it has none. */
SC_API const char *sc_map_object_name(const sc_map *map, sc_object_id object);

/**
 * What people call the road: its name, its number ("A 5"), or both ("Ringstrasse (B 37)"); "" where
 * the source has neither. A segment along which the name changes has that of its longest stretch.
 */
SC_API const char *sc_map_segment_name(const sc_map *map, sc_seg_id segment);

/** Whether any segment has a name. */
SC_API bool sc_map_has_names(const sc_map *map);

// --- Measures --------------------------------------------------------------

SC_API sc_coords sc_map_coords(const sc_map *map);

/** Metres per unit of length; units per unit where sc_map_is_in_metres() is false. */
SC_API double sc_map_unit_m(const sc_map *map);

/** Seconds per unit of travel time. */
SC_API double sc_map_time_unit_s(const sc_map *map);

/** False for maps whose lengths are in units of unknown size. */
SC_API bool sc_map_is_in_metres(const sc_map *map);

/** Where a node is: degrees, or the plane's units. The map must have coordinates. */
SC_API void sc_map_node_position(const sc_map *map, sc_node_id node, double *x, double *y);

/**
 * Where the point `offset_m` along `edge` is, taking the edge as straight. The
 * map must have coordinates.
 */
SC_API void sc_map_edge_position(const sc_map *map, sc_edge_id edge, double offset_m, double *x,
                                 double *y);

/** The length of an edge and of a segment, in metres. */
SC_API double sc_map_edge_length_m(const sc_map *map, sc_edge_id edge);
SC_API double sc_map_segment_length_m(const sc_map *map, sc_seg_id segment);

/** What "near" means. Both follow the roads as one may drive them. */
typedef enum sc_metric {
    SC_METRIC_DISTANCE = 0,  ///< the shortest way; of equally short ones the quickest
    SC_METRIC_TIME = 1,      ///< the quickest way; of equally quick ones the shortest
    SC_METRIC_COUNT = 2,
} sc_metric;

/** "distance" or "time"; NULL when there is no such metric. */
SC_API const char *sc_metric_name(unsigned metric);

/** The metric of that name; SC_METRIC_COUNT if there is none. */
SC_API sc_metric sc_metric_find(const char *name);

// --- Snapping --------------------------------------------------------------

/** Which way somebody goes on an edge. */
typedef enum sc_direction {
    SC_EITHER_WAY = 0,  ///< unknown, so both count where the road is open both ways
    SC_FORWARD = 1,     ///< from its `from` to its `to`
    SC_BACKWARD = 2,
} sc_direction;

/** A point on a road. */
typedef struct sc_road_point {
    sc_edge_id edge;
    double offset_m;         ///< along the edge, from its `from`
    sc_direction direction;  ///< of who is there; does not count where the road is open one way
} sc_road_point;

/**
 * The direction on `edge` that is nearer to a heading: degrees clockwise from north, or from the y
 * axis of a planar map. SC_EITHER_WAY if the map has no coordinates, the edge no extent, or the
 * heading is no number.
 */
SC_API sc_direction sc_map_edge_direction(const sc_map *map, sc_edge_id edge, double heading_deg);

/** Where a position falls on the roads. */
typedef struct sc_snap {
    sc_edge_id edge;
    sc_seg_id segment;
    double offset_m;    ///< along the edge, from its `from`
    double distance_m;  ///< from the position to that point
} sc_snap;

/**
 * Find the edge nearest to a position, by distance on the ground: degrees are
 * scaled to metres at the position's own latitude. Of edges equally near the
 * one with the least id is taken, so the answer is that of a plain search over
 * all edges, always.
 *
 * @param x           longitude, or x of a planar map
 * @param y           latitude, or y
 * @param max_snap_m  farther than this is refused; INFINITY for no limit
 * @return SC_OK, SC_ETOOFAR, SC_ENOCOORDS, SC_EINVAL (not a finite position on
 *         the globe, or a negative limit)
 */
SC_API SC_CHECKED sc_err sc_map_snap(const sc_map *map, double x, double y, double max_snap_m,
                                     sc_snap *out);

#ifdef __cplusplus
}
#endif
#endif
