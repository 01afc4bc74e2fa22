/**
 * @file near_report.h
 * @brief Objects and how far they are: as a table for people, columns for tools, JSON for programs.
 *
 * Names, keys and categories are strangers' texts, and printed as such.
 *
 * Used by: nearest.
 */
#ifndef SC_APPS_NEAR_REPORT_H
#define SC_APPS_NEAR_REPORT_H

#include <stdio.h>

#include <starcloak/objects.h>

/** An answer, and where it was asked for. All borrowed. */
typedef struct sc_near_view {
    const sc_map *map;
    const sc_objects *objects;
    sc_snap where;
    bool is_snapped;  ///< `where` was found from a position, and is so far from it
    const sc_near *results;
    size_t count;
} sc_near_view;

/** A table, within 80 columns but for long names. */
void sc_near_print_text(FILE *stream, const sc_near_view *view);

/**
 * A line per object with eight columns, separated by tabs: number of the position, rank, metres,
 * object, category, longitude, latitude, name. Without a result (or without a view) one line with
 * dashes.
 */
void sc_near_print_columns(FILE *stream, uint64_t number, const sc_near_view *view);

/** One JSON object, on one line. */
void sc_near_print_json(FILE *stream, const sc_near_view *view);

#endif
