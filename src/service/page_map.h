/**
 * @file page_map.h
 * @brief The map and the categories as JSON: what somebody needs who draws cloaks on a canvas.
 *
 * Positions are whole numbers of `unit`, a power of ten: 1e-7 degrees, the grid of our maps, or, on
 * a plane, so fine that the longer side has some millions of them. Segment i is the i-th: x and y
 * of its first point, then what each further point is away from the one before, so that numbers are
 * short. Two `ends` per segment are its first and last node, by which border nodes of cloaks are
 * found; and one of the `classes` is the kind of its road (sc_road_class). A map without
 * coordinates has null for `segments`, `bounds` and `unit`, and says why.
 *
 * Used by: pages.
 */
#ifndef SC_SERVICE_PAGE_MAP_H
#define SC_SERVICE_PAGE_MAP_H

#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

/** Append the map to `out`. False if memory is out. Time O(nodes + edges). */
bool sc__page_map_write(const sc_map *map, sc_bytes *out);

/** Append the categories, each with how many of them the map has; null if it has no such word. */
bool sc__page_categories_write(const sc_map *map, const sc_vocabulary *vocabulary, sc_bytes *out);

#endif
