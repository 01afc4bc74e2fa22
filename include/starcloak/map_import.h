/**
 * @file map_import.h
 * @brief Reading the road maps that exist.
 *
 * Each format has one reader (src/lib/import/load_<format>.c) that feeds a builder.
 * Files may be compressed with xz or gzip; that is seen from their content.
 *
 * In libstarcloak-io.
 */
#ifndef STARCLOAK_MAP_IMPORT_H
#define STARCLOAK_MAP_IMPORT_H

#include <starcloak/map_build.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The formats, with the name each has on the command line. */
#define SC_FORMAT_MAP(X)         \
    X(CNODE, 0, "cnode")         \
    X(DIMACS, 1, "dimacs")       \
    X(OSM, 2, "osm")             \
    X(SHAPEFILE, 3, "shapefile") \
    X(MOBISIM, 4, "mobisim")     \
    X(SUMO, 5, "sumo")

typedef enum sc_format {
#define X(name, value, text) SC_FORMAT_##name = (value),
    SC_FORMAT_MAP(X)
#undef X
} sc_format;

/** The name of `format` on the command line; NULL when there is no such format. */
SC_API const char *sc_format_name(sc_format format);

/** For whom roads of OpenStreetMap and SUMO are read, with the name each has on the command line:
 * docs/import-osm.md. */
#define SC_IMPORT_PROFILE_MAP(X) \
    X(CAR, 0, "car")             \
    X(BIKE, 1, "bike")           \
    X(FOOT, 2, "foot")           \
    X(ANY, 3, "any")

typedef enum sc_import_profile {
#define X(name, value, text) SC_IMPORT_##name = (value),
    SC_IMPORT_PROFILE_MAP(X)
#undef X
} sc_import_profile;

/** The name of `profile` on the command line; NULL when there is no such profile. */
SC_API const char *sc_import_profile_name(sc_import_profile profile);

/** How to read; start from SC_IMPORT_DEFAULTS and change what you need. */
typedef struct sc_import_options {
    /** OSM, SUMO: for whom directions, access and speeds are read. */
    sc_import_profile profile;
    /** OSM: highway values to keep, separated by commas; "drivable", "walk",
     * "bike" and "all" stand for sets. NULL: those the profile travels on. */
    const char *ways;
    /** OSM: lines of ferries are roads too. */
    bool ferries;
    /** Shapefile: MTFCC classes to keep, separated by commas; NULL for all. */
    const char *classes;  ///< without a field MTFCC, values of Geofabrik's fclass
    /** Shapefile: the fields of the .dbf that have a road's direction, its speed and its name; NULL
     * for those of Geofabrik (oneway, maxspeed, name and ref) and TIGER (FULLNAME). */
    const char *direction_field;
    const char *speed_field;
    const char *name_field;
    /** CNODE: file with `cat_name,cat_id` lines that name the categories of calmap.txt; or NULL. */
    const char *category_names;
    /** CSV of objects to add (lon,lat,category[,name]); or NULL. */
    const char *objects;
    /** Metres per unit of length in the file; 0 for what the format says of itself. */
    double unit_m;
    /** DIMACS: the graph of travel times that belongs to the one graph of lengths; or NULL. Also
     * found by its name among the inputs: USA-road-t.NY.gr belongs to USA-road-d.NY.gr. */
    const char *times;
    /** DIMACS: seconds per unit of travel time in the file; 0 for 0.0036. */
    double time_unit_s;
    /** CNODE, SHAPEFILE, SUMO: SC_COORDS_NONE decides from the numbers (SUMO: from what the file
     * says of them), the others insist. */
    sc_coords coords;
    /** MOBISIM, SHAPEFILE, SUMO: UTM zone of the coordinates, to make degrees of them; negative =
     * south; 0: keep them (SUMO: what the file says). */
    int utm_zone;
    /** OSM: leave out references to nodes that the file lacks, instead of refusing the file. */
    bool skip_missing_nodes;
    /** Objects farther from any road are left out (and counted). */
    double max_object_snap_m;
    sc_progress progress;
} sc_import_options;

#define SC_IMPORT_DEFAULTS ((sc_import_options){.max_object_snap_m = 1000.0})

/** What a reader met on the way, for people: all of it was dealt with. */
typedef struct sc_import_report {
    uint64_t bytes_read;             ///< plain bytes, after decompression
    uint64_t objects_too_far;        ///< farther from any road than the limit
    uint64_t missing_nodes;          ///< references left out (skip_missing_nodes)
    uint64_t repeated_nodes;         ///< OSM: named twice in a row by a way, taken once
    uint64_t objects_without_place;  ///< of which no position is known; left out
    uint64_t objects_clamped;        ///< lay beyond the end of their edge by rounding
    uint64_t unpaired_arcs;          ///< DIMACS arcs without their opposite: one-way roads
    uint64_t ways_left_out;          ///< ways or records that the filter did not want
    uint64_t ways_closed;            ///< OSM, SUMO: ways closed to the profile; left out
} sc_import_report;

/** What to read. Borrowed. */
typedef struct sc_import_source {
    sc_format format;
    const char *const *paths;  ///< the files that make up one map
    size_t path_count;
} sc_import_source;

/**
 * Read the files of `source` as one map.
 *
 * @param out     set on success; free with sc_map_free()
 * @param report  may be NULL
 * @return SC_OK, or what went wrong with `diag` naming file, place, field, value
 */
SC_API SC_CHECKED sc_err sc_map_import(const sc_import_source *source,
                                       const sc_import_options *options, sc_map **out,
                                       sc_import_report *report, sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
