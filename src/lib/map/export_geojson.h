/**
 * @file export_geojson.h
 * @brief Segments and positions of a map as GeoJSON has them.
 *
 * Everything that shows a segment shows the same line, with as many decimals as positions of the
 * map have. Write errors are the stream's, to be asked for when it is closed.
 */
#ifndef SC_MAP_EXPORT_GEOJSON_H
#define SC_MAP_EXPORT_GEOJSON_H

#include <starcloak/map.h>

#include <stdio.h>

/** Write a position, "[x,y]"; the map must have coordinates, as below. */
void sc_geojson_write_position(FILE *out, const sc_map *map, double x, double y);

/**
 * Write the positions of a segment, "[[x,y],...]", from its first node to its last; if it crosses
 * the 180th meridian, those of its two pieces or more, "[[x,y],...],[[x,y],...]".
 */
void sc_geojson_write_coordinates(FILE *out, const sc_map *map, sc_seg_id segment);

/** Write a segment as a LineString, or as a MultiLineString if it crosses the 180th meridian. */
void sc_geojson_write_line(FILE *out, const sc_map *map, sc_seg_id segment);

#endif
