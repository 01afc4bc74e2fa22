/**
 * @file polylines.h
 * @brief Drawn lines become a road network: equal points are one node.
 *
 * Some formats know no junctions, only lines; where two of them pass through
 * exactly the same point, roads meet. The pen follows a line from point to point
 * and adds an edge for each step. A step to the same point adds none, and a line
 * that never leaves its first point adds no node either.
 *
 * Points are compared as written in the file, bit by bit (0 and -0 are equal),
 * before any conversion, so that rounding neither joins nor parts roads.
 *
 * Uses: hash, map_import, geo, utm. Used by: load_shapefile.c, load_mobisim.c.
 */
#ifndef SC_IMPORT_POLYLINES_H
#define SC_IMPORT_POLYLINES_H

#include <starcloak/map_import.h>

#include "base/hash.h"

/** Lines in the making. */
typedef struct sc_pen {
    sc_builder *builder;  ///< borrowed
    sc_coords coords;     ///< those of the builder
    double unit_m;        ///< metres per unit of the points; 0 for 1, and with degrees
    int utm_zone;         ///< points are UTM metres of this zone, nodes get degrees; 0: neither

    sc_hash node_at;  ///< from the point in the file to the node
    bool is_down;     ///< there is a point to draw from: this one
    double x, y;
    sc_node_id node;  ///< its node, or SC_NONE while no edge has needed it
} sc_pen;

/** Ready to draw once `builder` and `coords` are set; sc__pen_fini() when done. SC_OK, or SC_EINVAL
 * when the unit or the UTM zone of `options` is none. */
SC_CHECKED sc_err sc__pen_init(sc_pen *pen, const sc_import_options *options, sc_diag *diag);

/** End the line; the next point begins another. */
void sc__pen_lift(sc_pen *pen);

/**
 * Draw on to (x, y), or begin there. The edge's length comes from its nodes.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT, or SC_EINVAL when no map can have that
 *         point; sc__pen_complaint() tells why
 */
SC_CHECKED sc_err sc__pen_draw(sc_pen *pen, double x, double y, sc_road_class road_class);

/** What SC_EINVAL means for this pen: "not a ..."; to be followed by the point. */
const char *sc__pen_complaint(const sc_pen *pen);

/** Release the memory; the builder is left alone. */
void sc__pen_fini(sc_pen *pen);

#endif
