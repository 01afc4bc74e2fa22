/**
 * @file objects_options.h
 * @brief The options that say where objects come from, and the way there.
 *
 * Objects are the map's own, or rows of a PostgreSQL/PostGIS table (--objects). A command puts
 * SC_OBJECTS_OPTIONS into its table of options (a service, which lives to see the table
 * change, SC_OBJECTS_WATCH_OPTIONS too), starts from sc_objects_options_default(), and asks
 * sc_objects_option() first in its parser:
 *
 *     if (sc_objects_option(key, argument, state, &options->objects)) return 0;
 *
 * sc_objects_options_check() at ARGP_KEY_END; then, with the map open, sc_objects_open().
 */
#ifndef SC_APPS_OBJECTS_OPTIONS_H
#define SC_APPS_OBJECTS_OPTIONS_H

#include <starcloak/area_provider.h>
#include <starcloak/object_feed.h>
#include <starcloak/point_provider.h>

#include "command.h"

#include <argp.h>
#include <pthread.h>
#include <stdbool.h>

typedef struct sc_objects_options {
    sc_feed_options feed;      ///< without a database: the map's own objects
    const char *first_detail;  ///< the first option given that says how to use a database
    bool no_index;             ///< for one query: an index would take longer than it saves
    bool is_quiet;             ///< no progress bar, no notes
} sc_objects_options;

/** Away from the numbers that commands give their own options, and from those of engines. */
enum {
    SC_KEY_OBJECTS = SC_KEY_FIRST + 1536,
    SC_KEY_OBJECTS_TABLE,
    SC_KEY_OBJECTS_KEY,
    SC_KEY_OBJECTS_POSITION,
    SC_KEY_OBJECTS_CATEGORY,
    SC_KEY_OBJECTS_NAME,
    SC_KEY_OBJECTS_SNAP,
    SC_KEY_OBJECTS_CHANNEL,
    SC_KEY_OBJECTS_REFRESH,
};

// clang-format off
/** Rows for a table of sc_option. */
#define SC_OBJECTS_OPTIONS                                                                \
    {"objects", SC_KEY_OBJECTS, "URL",                                                    \
     "take the objects from a PostgreSQL/PostGIS table, postgresql://user@host/database " \
     "(default: those of the map)", NULL},                                                \
    {"objects-table", SC_KEY_OBJECTS_TABLE, "NAME",                                       \
     "the table, or SCHEMA.TABLE (default objects)", NULL},                               \
    {"objects-key", SC_KEY_OBJECTS_KEY, "COLUMN",                                         \
     "the column with the key, different in each row (default id)", NULL},            \
    {"objects-position", SC_KEY_OBJECTS_POSITION, "COLUMN",                               \
     "the column with the position, a geometry or geography (default geom)", NULL},                        \
    {"objects-category", SC_KEY_OBJECTS_CATEGORY, "COLUMN",                               \
     "the column with the category (default category)", NULL},                               \
    {"objects-name", SC_KEY_OBJECTS_NAME, "COLUMN",                                       \
     "the column with the name; '' if there is none (default name)", NULL},          \
    {"objects-snap", SC_KEY_OBJECTS_SNAP, "M",                                            \
     "leave out objects farther than M metres from any road (default 1000)", NULL}

/** More rows, for what runs long enough to see a change. */
#define SC_OBJECTS_WATCH_OPTIONS                                                              \
    {"objects-channel", SC_KEY_OBJECTS_CHANNEL, "NAME",                                       \
     "load the table again when a NOTIFY comes on this channel (default: none)", NULL},       \
    {"objects-refresh", SC_KEY_OBJECTS_REFRESH, "S",                                          \
     "load it again S seconds after the last time (default: never)", NULL}
// clang-format on

/** The map's own objects. */
sc_objects_options sc_objects_options_default(void);

/**
 * If `key` is one of the options above, take its value into `options` and say so. A value
 * that is not one is a usage error, and does not come back.
 */
bool sc_objects_option(int key, char *argument, const struct argp_state *state,
                       sc_objects_options *options);

/** Whether the options go together; if not, that is a usage error. */
void sc_objects_options_check(const struct argp_state *state, const sc_objects_options *options);

/** Objects to answer from. Stays where it is while it is open: the feed's thread knows it. */
typedef struct sc_opened_objects {
    sc_objects *objects;   ///< the set that was there when it was opened; held
    sc_object_feed *feed;  ///< where newer ones come from; NULL for the map's own
    // For telling when newer ones fail to come.
    const sc_call *call;
    pthread_mutex_t lock;  ///< over `is_stale`, and over `feed` until it is open
    bool is_stale;         ///< it was told that the last load failed, and none came since
} sc_opened_objects;

/**
 * Get the objects. Of a map without a stored index one is built in memory. Says on standard
 * error if that took long, and if rows were left out; and as long as it is open, when a feed
 * stops loading and when it loads again.
 *
 * @param call must outlive the result
 * @param map  must outlive the result
 * @param out  release with sc_objects_close()
 */
SC_CHECKED sc_err sc_objects_open(const sc_call *call, const sc_objects_options *options,
                                  const sc_map *map, sc_opened_objects *out, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_objects_close(sc_opened_objects *opened);

// --- Providers that answer points only ----------------------------------------------------------
// A command puts SC_POINTS_OPTIONS into its table of options, starts from
// sc_points_options_default(), and asks sc_points_option() first in its parser:
//
//     if (sc_points_option(key, argument, state, &options->points)) return 0;
//
// and sc_points_options_check() at ARGP_KEY_END. Such a provider is asked if `file` or
// `options.url` is set then; docs/point-provider.md tells about it.

typedef struct sc_points_options {
    const char *file;          ///< that says how to ask it; else:
    sc_point_options options;  ///< without a URL: no such provider is asked
    const char *first_detail;  ///< the first option given that says how to ask one
} sc_points_options;

/** Away from the numbers that commands give their own options, and from those of others. */
enum {
    SC_KEY_POINT_PROVIDER = SC_KEY_FIRST + 2048,
    SC_KEY_POINT_DISTANCE,
    SC_KEY_POINT_SPACING,
    SC_KEY_POINT_MAX_K,
    SC_KEY_POINT_DEADLINE,
    SC_KEY_POINT_FIELDS,
};

// clang-format off
/** Rows for a table of sc_option. */
#define SC_POINTS_OPTIONS                                                                      \
    {"point-provider", SC_KEY_POINT_PROVIDER, "FILE.ini|URL",                                  \
     "ask a provider that knows only the nearest objects of a point, at points all over the "  \
     "cloak; the file says how. For a simple one a URL is enough, with {lon}, {lat}, {k} and, " \
     "if the provider knows categories, {category} (default: the built-in one is asked)",      \
     SC_COMPLETE_FILES},                                                                       \
    {"point-distance", SC_KEY_POINT_DISTANCE, "KIND",                                          \
     "with a URL: how that provider measures, straight (default) or road", "straight road"},   \
    {"point-spacing", SC_KEY_POINT_SPACING, "M",                                               \
     "with a URL: how far apart the points may be along a road, metres (default 200)", NULL},  \
    {"point-max-k", SC_KEY_POINT_MAX_K, "N",                                                   \
     "with a URL: the largest number of objects that the provider gives for one question "     \
     "(default 1000)", NULL},                                                                  \
    {"point-deadline", SC_KEY_POINT_DEADLINE, "SECONDS",                                       \
     "with a URL: seconds that all questions about one cloak may take together (default 60; "  \
     "0: no limit)", NULL},                                                                    \
    {"point-fields", SC_KEY_POINT_FIELDS, "NAME=FIELD,...",                                    \
     "with a URL: the fields of its answers, separated by commas without blanks (default: "    \
     "list=results, key=id, lon=lon, lat=lat, distance=distance_m, category=category, "        \
     "name=name); a field may be nested, as properties.name, and is empty if there is none",   \
     NULL}
// clang-format on

/** The library's own defaults; no provider. */
sc_points_options sc_points_options_default(void);

/**
 * If `key` is one of the options above, take its value into `options` and say so. A value
 * that is not one is a usage error, and does not come back. Texts are lent by `argument`.
 */
bool sc_points_option(int key, char *argument, const struct argp_state *state,
                      sc_points_options *options);

/** Whether the options go together; if not, that is a usage error. */
void sc_points_options_check(const struct argp_state *state, const sc_points_options *options);

/** Whether such a provider is to be asked. */
bool sc_points_are_wanted(const sc_points_options *options);

/** How it is to be asked. Free with sc_point_settings_free(). */
SC_CHECKED sc_err sc_points_settings(const sc_points_options *options, sc_point_settings **out,
                                     sc_diag *diag);

// --- Providers that list what is in a box -------------------------------------------------------

#define SC_AREA_OPTION_ARGUMENT "FILE.ini"
#define SC_AREA_OPTION_TEXT                                                                     \
    "ask a provider that lists what is in a box, as OGC API Features, WFS or Overpass do; the " \
    "file says how (default: the built-in one is asked)"

/** Zero-initialise; release with sc_areas_close(). */
typedef struct sc_opened_areas {
    sc_area_settings *settings;
    sc_area_provider *provider;
    sc_area_asker *asker;
} sc_opened_areas;

/** Read the file at `path` and make someone who asks. */
SC_CHECKED sc_err sc_areas_open(const char *path, const sc_map *map, sc_opened_areas *out,
                                sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_areas_close(sc_opened_areas *opened);

#endif
