/**
 * @file map_report.h
 * @brief What is said about a map that has just been made.
 *
 * Used by: map import, generate and index; queries, cloak, simulate and evaluate (where to print a
 * report).
 */
#ifndef SC_APPS_MAP_REPORT_H
#define SC_APPS_MAP_REPORT_H

#include <stdio.h>

#include <starcloak/map.h>

/** Print the sizes of `map` for people, one line each. */
void sc_report_sizes(FILE *stream, const sc_map *map);

/** Print the same as members of a JSON object, without its braces. */
void sc_report_sizes_json(FILE *stream, const sc_map *map);

/** Print one line in the columns that all lines of a report share; `remark` may be "". */
void sc_report_line(FILE *stream, const char *label, const char *value, const char *remark);

/**
 * Where a report belongs: standard output, unless the map itself went there
 * (`-o -`). Sharing it would spoil both.
 */
FILE *sc_report_stream(const char *output);

#endif
