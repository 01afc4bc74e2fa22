/**
 * @file map_display.h
 * @brief The map and the categories as JSON: what somebody needs who draws cloaks on a canvas.
 *
 * Positions are whole numbers of `unit`, a power of ten: 1e-7 degrees, the grid of our maps, or, on
 * a plane, so fine that the longer side has some millions of them. Segment i is the i-th: x and y
 * of its first point, then what each further point is away from the one before, so that numbers are
 * short. Two `ends` per segment are its first and last node, by which border nodes of cloaks are
 * found; and one of the `classes` is the kind of its road (sc_road_class). A map without
 * coordinates has null for `segments`, `bounds` and `unit`, and says why.
 *
 * Used by: pages; of the grid, map_bytes and demo.
 */
#ifndef SC_API_MAP_DISPLAY_H
#define SC_API_MAP_DISPLAY_H

#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

/** What positions are whole numbers of, and what they lie within. */
typedef struct sc_page_grid {
    unsigned decimals;
    double per_unit;  ///< 10 to the power of `decimals`: units per degree, or per unit of the plane
    double west;      ///< of everything that is drawn
    double south;
    double east;
    double north;
} sc_page_grid;

/** The grid of a map that has coordinates and roads. Time O(edges). */
sc_page_grid sc_page_grid_of(const sc_map *map);

/** A position in whole numbers of the page's unit. */
typedef struct sc_page_point {
    int64_t x;
    int64_t y;
} sc_page_point;

/** Where a node is. The map has coordinates. */
sc_page_point sc__page_point_of(const sc_map *map, sc_node_id node, double per_unit);

/** The north-east or the south-west corner of all that is drawn; something is. */
sc_page_point sc__page_corner(const sc_page_grid *grid, bool is_north_east);

/** The class of a segment's road is that of its first edge. Below SC_ROAD_CLASS_COUNT. */
uint8_t sc__page_class_of(const sc_map *map, sc_seg_id segment);

/** Append the map to `out`. False if memory is out. Time O(nodes + edges). */
bool sc__page_map_write(const sc_map *map, sc_bytes *out);

/** Append the categories, each with how many of them the map has; null if it has no such word. */
bool sc__page_categories_write(const sc_map *map, const sc_vocabulary *vocabulary, sc_bytes *out);

#endif
