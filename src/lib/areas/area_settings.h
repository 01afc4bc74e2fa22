/**
 * @file area_settings.h
 * @brief The settings of a provider of areas: how it is asked for a box, and where things are in
 * its replies.
 *
 * They come from a file in INI format, `name = value` in sections. A line that begins with a blank
 * goes on with the value before. (inih is not used: it cuts lines at 200 bytes, and addresses are
 * longer.) A preset is such a text, too: it is read first, and the file changes what it says.
 *
 * Values of headers are secrets: they are wiped, and no message repeats them.
 */
#ifndef SC_AREAS_AREA_SETTINGS_H
#define SC_AREAS_AREA_SETTINGS_H

#include <starcloak/area_provider.h>

#include "base/file.h"

#include <stdbool.h>

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
    SC__AREA_PLACE_COUNT
} sc__area_place;

/** Their names, without the brackets. */
extern const char *const sc__area_place_names[SC__AREA_PLACE_COUNT];

/** How the next page is found; a file has at most one of the last three. */
typedef enum sc__area_paging {
    SC__AREA_ONE_PAGE,
    SC__AREA_BY_OFFSET,  ///< {offset}: objects so far
    SC__AREA_BY_NEXT,    ///< an address in the reply
    SC__AREA_BY_LINKS,   ///< the same, in a list of links: the one with "rel": "next"
    SC__AREA_BY_CURSOR,  ///< {cursor}: a text of the reply
} sc__area_paging;

/** Which point of a geometry that is none is its position. */
typedef enum sc__area_shape {
    SC__AREA_FIRST,   ///< its first one, which is on it
    SC__AREA_CENTRE,  ///< the middle of its box
} sc__area_shape;

/** Texts in a row. */
typedef struct sc__area_texts {
    char **items;
    size_t count;
    size_t capacity;
} sc__area_texts;

/** A category of ours, and one of the provider's words for it. */
typedef struct sc__area_word {
    char *ours;
    char *theirs;
} sc__area_word;

struct sc_area_settings {
    // How a box is asked for.
    char *address;   ///< put where the URL has {address}
    char *url;       ///< with {address} replaced, once all is read
    char *url_all;   ///< where all categories are wanted; NULL: the same
    char *body;      ///< sent by POST; NULL: a GET
    char *body_all;  ///< likewise
    char *content_type;
    char *ca_file;                ///< PEM; NULL: the system's authorities
    char *categories_separator;   ///< between the words of {categories}
    char *categories_quote;       ///< before and after each
    char *categories_all;         ///< in place of the words for all; NULL: there is no such word
    uint64_t categories_at_once;  ///< words in one question
    sc__area_texts header_names;
    sc__area_texts header_values;    ///< secret
    bool has[SC__AREA_PLACE_COUNT];  ///< whether URL or body has a place for it

    // Where things are in a reply: JSON pointers, as RFC 6901 has them.
    char *list;          ///< "": the document itself
    sc__area_texts id;   ///< joined by '/'
    sc__area_texts lon;  ///< of these and the next, the first that there is
    sc__area_texts lat;
    sc__area_texts geometry;  ///< GeoJSON; instead of lon and lat
    sc__area_texts name;
    sc__area_texts category;
    char *default_category;  ///< of objects that tell none; NULL: they are left out
    char *error;             ///< a page where this leads to something is refused; NULL: none is
    unsigned shape;          ///< an sc__area_shape
    unsigned axis_order;     ///< of coordinates in geometries: 0 lon-lat, 1 lat-lon

    // Categories that have another word there.
    sc__area_word *words;
    size_t word_count;
    size_t word_capacity;
    sc__area_texts ours;  ///< those of ours, each once, and the default category

    // Pages.
    char *next;
    char *links;
    char *cursor;
    char *total;         ///< how many objects all pages have
    uint64_t page_size;  ///< {limit}
    uint64_t max_pages;

    // Limits.
    double rate_per_s;  ///< 0: none
    uint64_t parallel;
    double timeout_s;
    double deadline_s;
    uint64_t max_bytes;
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

/** Longer templates, pointers and words are mistakes. */
enum { SC__AREA_TEMPLATE_MAX = 4000, SC__AREA_WORD_MAX = 200 };

#endif
