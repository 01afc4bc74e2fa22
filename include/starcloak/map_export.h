/**
 * @file map_export.h
 * @brief Writing a map in formats that others read.
 */
#ifndef STARCLOAK_MAP_EXPORT_H
#define STARCLOAK_MAP_EXPORT_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write nodes.csv, edges.csv, segments.csv, stars.csv and, where the map has
 * objects, pois.csv into `directory`, which is made if it does not exist. They
 * get their names only when all are whole on the disk; until then, old files of
 * the same names stay.
 */
SC_API SC_CHECKED sc_err sc_map_export_csv(const sc_map *map, const char *directory, sc_diag *diag);

/**
 * Write the roads (one line string per segment) and the objects (points) as a
 * GeoJSON feature collection. The map must have coordinates; planar ones are
 * written as they are, and the collection says so. A road's class is that of its
 * first edge. A path of "-" is standard output.
 */
SC_API SC_CHECKED sc_err sc_map_export_geojson(const sc_map *map, const char *path, sc_diag *diag);

/** Draw the map as SVG: roads by class and objects as dots. Otherwise the same. */
SC_API SC_CHECKED sc_err sc_map_export_svg(const sc_map *map, const char *path, sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
