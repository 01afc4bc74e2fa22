/**
 * @file nearest_report.h
 * @brief Objects near a position: a table for people, columns for tools, JSON for programs.
 */
#ifndef SC_APPS_NEAREST_REPORT_H
#define SC_APPS_NEAREST_REPORT_H

#include <starcloak/lbs.h>
#include <starcloak/map.h>
#include <starcloak/objects.h>

#include "table.h"

// --- A table of objects -------------------------------------------------------------------------

/** One object. Texts are borrowed, and may be a stranger's. */
typedef struct sc_near_row {
    double distance_m;
    double duration_s;   ///< SC_UNKNOWN_S: not shown
    const char *object;  ///< how its owner calls it; NULL: not shown
    const char *category;
    const char *name;    ///< may be ""
    const char *street;  ///< the road that it is on; may be ""
    bool has_position;
    bool is_planar;
    double x;
    double y;
} sc_near_row;

/** Of columns whose width depends on what is in them. */
typedef struct sc_near_widths {
    int object;
    int category;
    int name;
    bool has_streets;  ///< of one row at least: else there is no such column
} sc_near_widths;

/** Begin with zeros, and add every row. */
void sc_near_widths_add(sc_near_widths *widths, const sc_near_row *row);

/** Print a row of the table of cells that is open. `unit` is that of distances. */
void sc_near_put_row(sc_report *table, size_t rank, const sc_near_row *row,
                     const sc_near_widths *widths, const char *unit);

// --- An answer ----------------------------------------------------------------------------------

/** An answer, and where it was asked for. All borrowed. */
typedef struct sc_near_view {
    const sc_map *map;
    const sc_objects *objects;
    sc_snap where;
    bool is_snapped;  ///< `where` was found from a position, and is so far from it
    sc_metric metric;
    const sc_near *results;
    size_t count;
} sc_near_view;

/** A table, within 80 columns but for names and streets. */
void sc_near_print_text(FILE *stream, const sc_near_view *view);

/**
 * A line per object with ten columns, separated by tabs: number of the position, rank, metres,
 * object, category, longitude, latitude, name, seconds, street. Without a result (or without a
 * view) one line with dashes.
 */
void sc_near_print_columns(FILE *stream, uint64_t number, const sc_near_view *view);

/** One JSON object, on one line. */
void sc_near_print_json(FILE *stream, const sc_near_view *view);

#endif
