/**
 * @file points_options.h
 * @brief The options of commands that can ask a provider which knows points only.
 *
 * A command puts SC_POINTS_OPTIONS into its table of options, starts from
 * sc_points_options_default(), and asks sc_points_option() first in its parser:
 *
 *     if (sc_points_option(key, argument, state, &options->points)) return 0;
 *
 * and sc_points_options_check() at ARGP_KEY_END. Such a provider is asked for if `options.url`
 * is set then; docs/point-provider.md tells about it.
 *
 * Used by: evaluate.
 */
#ifndef SC_APPS_POINTS_OPTIONS_H
#define SC_APPS_POINTS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include <starcloak/point_provider.h>

#include "command.h"

typedef struct sc_points_options {
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
#define SC_POINTS_OPTIONS                                                                     \
    {"point-provider", SC_KEY_POINT_PROVIDER, "URL",                                          \
     "ask a provider that knows only the nearest objects of a point, at points all over the " \
     "cloak; the URL has {lon}, {lat}, {k} and, if the provider knows categories, {category} "\
     "(default: the built-in one is asked)", NULL},                                           \
    {"point-distance", SC_KEY_POINT_DISTANCE, "KIND",                                         \
     "how that provider measures: straight (default) or road", "straight road"},              \
    {"point-spacing", SC_KEY_POINT_SPACING, "M",                                              \
     "how far apart the points may be along a road, metres (default 200)", NULL},             \
    {"point-max-k", SC_KEY_POINT_MAX_K, "N",                                                  \
     "the most objects that the provider gives for one question (default 1000)", NULL},       \
    {"point-deadline", SC_KEY_POINT_DEADLINE, "SECONDS",                                      \
     "how long asking for one cloak may take altogether (default 60; 0: as long as it does)", \
     NULL},                                                                                   \
    {"point-fields", SC_KEY_POINT_FIELDS, "NAME=FIELD,...",                                   \
     "where things are in its answers, parted by commas without blanks (default: "            \
     "list=results, key=id, lon=lon, lat=lat, distance=distance_m, category=category, "       \
     "name=name); a field may be deep, as properties.name, and empty where there is none",    \
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

#endif
