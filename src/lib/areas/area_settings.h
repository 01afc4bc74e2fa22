/**
 * @file area_settings.h
 * @brief The settings of a provider of areas: how it is asked for a box, pages, tiles and the
 * cache; beside what all providers have in common (provider_file.h).
 */
#ifndef SC_AREAS_AREA_SETTINGS_H
#define SC_AREAS_AREA_SETTINGS_H

#include <starcloak/area_provider.h>

#include "adapter/provider_file.h"

/** What a template may have places for, as {west}. */
typedef enum sc__area_place {
    SC__AREA_WEST,
    SC__AREA_SOUTH,
    SC__AREA_EAST,
    SC__AREA_NORTH,
    SC__AREA_CATEGORIES,
    SC__AREA_LIMIT,
    SC__AREA_OFFSET,
    SC__AREA_CURSOR,
    SC__AREA_KEY,
    SC__AREA_PLACE_COUNT
} sc__area_place;

/** How the next page is found; a file has at most one of the last three. */
typedef enum sc__area_paging {
    SC__AREA_ONE_PAGE,
    SC__AREA_BY_OFFSET,  ///< {offset}: objects so far
    SC__AREA_BY_NEXT,    ///< an address in the reply
    SC__AREA_BY_LINKS,   ///< the same, in a list of links: the one with "rel": "next"
    SC__AREA_BY_CURSOR,  ///< {cursor}: a text of the reply
} sc__area_paging;

struct sc_area_settings {
    sc_adapter_settings common;   ///< the first member
    uint64_t categories_at_once;  ///< words in one question

    // Pages.
    char *next;
    char *links;
    char *cursor;
    char *total;         ///< how many objects all pages have
    uint64_t page_size;  ///< {limit}
    uint64_t max_pages;

    // Limits.
    uint64_t max_objects;    ///< of one tile
    uint64_t max_questions;  ///< of one cloak

    // Tiles.
    double tile_m;    ///< 0: from the map
    double snap_m;    ///< objects farther from any road are left out
    double extent_m;  ///< no part of an object is farther from its position

    // The cache.
    uint64_t cache_bytes;
    double lifetime_s;
    double stale_s;
};

/** How pages are found. */
sc__area_paging sc__area_settings_paging(const sc_area_settings *settings);

/** Read `input`; what it says is checked. */
SC_CHECKED sc_err sc__area_settings_read(const sc_input *input, sc_area_settings **out,
                                         sc_diag *diag);

/** The text of a preset, or NULL. */
const char *sc__area_preset(const char *name);

/** Their names, for messages. */
#define SC__AREA_PRESETS "ogc-features, wfs-geojson, overpass, postgrest, geojson"

#endif
