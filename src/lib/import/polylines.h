/**
 * @file polylines.h
 * @brief Drawn lines become a road network: equal points are one node.
 *
 * Some formats have no junctions, only lines; where two of them pass through
 * exactly the same point, roads meet. A line is given point by point; each step
 * adds an edge. A step to the same point adds none, and a line that never leaves
 * its first point adds no node either.
 *
 * Points are compared as written in the file, bit by bit (0 and -0 are equal),
 * before any conversion, so that rounding neither joins nor parts roads.
 */
#ifndef SC_IMPORT_POLYLINES_H
#define SC_IMPORT_POLYLINES_H

#include <starcloak/map_import.h>

#include "base/hash.h"

/** What is known of the road that a line is. */
typedef struct sc_line_road {
    sc_road_class road_class;
    bool is_closed_forward;   ///< in the direction in which it is drawn
    bool is_closed_backward;  ///< not both
    double speed_m_s;         ///< 0: what is usual for its class
    const char *name;         ///< borrowed; NULL or "": it has none
} sc_line_road;

/** Lines being read. */
typedef struct sc_polylines {
    sc_builder *builder;  ///< borrowed
    sc_coords coords;     ///< those of the builder
    double unit_m;        ///< metres per unit of the points; 0 for 1, and with degrees
    int utm_zone;         ///< points are UTM metres of this zone, nodes get degrees; 0: neither

    sc_hash node_at;  ///< from the point in the file to the node
    bool has_last;    ///< whether the line has a point already: this one
    double last_x, last_y;
    sc_node_id last_node;  ///< its node, or SC_NONE while no edge has needed it
} sc_polylines;

/** Ready for lines once `builder` and `coords` are set; sc__polylines_fini() when done. SC_OK, or
 * SC_EINVAL when the unit or the UTM zone of `options` is not valid. */
SC_CHECKED sc_err sc__polylines_init(sc_polylines *lines, const sc_import_options *options,
                                     sc_diag *diag);

/** The next point begins another line. */
void sc__polylines_begin(sc_polylines *lines);

/**
 * Continue the line to (x, y), or begin it there. The edge's length comes from its nodes.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT, or SC_EINVAL when no map can have that
 *         point; sc__polylines_invalid() has the reason
 */
SC_CHECKED sc_err sc__polylines_add(sc_polylines *lines, double x, double y,
                                    const sc_line_road *road);

/** The reason for SC_EINVAL: "not a ..."; to be followed by the point. */
const char *sc__polylines_invalid(const sc_polylines *lines);

/** Release the memory; the builder is left alone. */
void sc__polylines_fini(sc_polylines *lines);

#endif
