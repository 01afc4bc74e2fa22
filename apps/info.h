/**
 * @file info.h
 * @brief The description of a map, as text for people and as JSON for programs.
 *
 * The numbers are the library's (map_info.h), but for the objects of each
 * category, which are counted here, and the nearest index (objects.h).
 *
 * Used by: map info.
 */
#ifndef SC_APPS_INFO_H
#define SC_APPS_INFO_H

#include <stdio.h>

#include <starcloak/map_info.h>
#include <starcloak/objects.h>

/** A category and how many objects have it. */
typedef struct sc_category_count {
    sc_category_id category;
    uint32_t count;
} sc_category_count;

/** All that is printed about one map. Everything is borrowed. */
typedef struct sc_info_view {
    const char *path;
    const sc_map *map;
    const sc_map_info *info;
    const sc_category_count *categories;  ///< sc_map_category_count() of them, most frequent first
    sc_index_info index;
} sc_info_view;

/** Print the description for people. */
void sc_info_print_text(FILE *stream, const sc_info_view *view);

/** Print it as one JSON object. */
void sc_info_print_json(FILE *stream, const sc_info_view *view);

#endif
