/**
 * @file workload_options.h
 * @brief The options that say what travellers are like, shared by the commands that have some.
 *
 * Most take MEAN or MEAN:DEVIATION. What is drawn stays within four deviations of
 * the mean; without a deviation all travellers are alike.
 *
 * A command puts SC_WORKLOAD_OPTIONS into its table of options, starts from
 * sc_workload_default() in an sc_asking, and asks sc_workload_option() first in its parser:
 *
 *     if (sc_workload_option(key, argument, state, &options->asking)) return 0;
 *
 * and once the map is open sc_workload_find_category(), which knows what --category names.
 */
#ifndef SC_APPS_WORKLOAD_OPTIONS_H
#define SC_APPS_WORKLOAD_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "command.h"
#include "sim/workload.h"

/** What travellers are like, and the category by name until there is a map. */
typedef struct sc_asking {
    sc_workload workload;
    const char *category;  ///< NULL: as the workload says
} sc_asking;

/** How many travellers, and for how long, where nothing else is said. */
#define SC_USERS_DEFAULT 10000
#define SC_SECONDS_DEFAULT 60.0

/** Twelve days; more than anyone will wait for. */
#define SC_SECONDS_MAX 1e6

/** Away from the numbers that commands give their own options. */
enum {
    SC_KEY_WORKLOAD_K = SC_KEY_FIRST + 1024,
    SC_KEY_WORKLOAD_L,
    SC_KEY_WORKLOAD_SIGMA_S,
    SC_KEY_WORKLOAD_SIGMA_T,
    SC_KEY_WORKLOAD_NEAREST,
    SC_KEY_WORKLOAD_PAUSE,
    SC_KEY_WORKLOAD_CATEGORY,
    SC_KEY_WORKLOAD_METRIC,
};

// clang-format off
/** Rows for a table of sc_option. */
#define SC_WORKLOAD_OPTIONS                                                             \
    {"k", SC_KEY_WORKLOAD_K, "MEAN[:DEV]",                                              \
     "how many different users a traveller's cloak must have (default 5:1.5)", NULL},      \
    {"l", SC_KEY_WORKLOAD_L, "MEAN[:DEV]",                                              \
     "how many segments the cloak must have (default 5:1.5)", NULL},                             \
    {"sigma-s", SC_KEY_WORKLOAD_SIGMA_S, "MEAN[:DEV]",                                  \
     "how far the cloak may reach, in hops between stars (default 4:1)", NULL},         \
    {"sigma-t", SC_KEY_WORKLOAD_SIGMA_T, "MEAN[:DEV]",                                  \
     "how long a query may wait for its cloak, in seconds (default 10:2)", NULL},                          \
    {"nearest", SC_KEY_WORKLOAD_NEAREST, "MEAN[:DEV]",                                  \
     "how many of the nearest objects a traveller asks for (default 5:1)", NULL},       \
    {"pause", SC_KEY_WORKLOAD_PAUSE, "MEAN[:DEV]",                                      \
     "seconds until a traveller asks again (default 20:2)", NULL},                      \
    {"category", SC_KEY_WORKLOAD_CATEGORY, "NAME",                                      \
     "what travellers look for: 'one' category per query, drawn by its number of objects (default), objects of 'any' category, or always the category of this name", "one any"}

/** Another row, for commands whose travellers ask by one metric. */
#define SC_METRIC_OPTION                                                                \
    {"metric", SC_KEY_WORKLOAD_METRIC, "NAME",                                          \
     "what travellers mean by nearest: distance by road (default, as in the paper), or travel " \
     "time", "distance time"}
// clang-format on

/**
 * If `key` is one of the options above, take its value into `workload` and say so. A
 * value that is not one is a usage error, and does not come back.
 */
bool sc_workload_option(int key, char *argument, const struct argp_state *state, sc_asking *asking);

/**
 * Let the workload ask for the category that was named, if one was.
 *
 * @return SC_OK, SC_EUNKNOWN (the map has none of that name; `diag` says so)
 */
SC_CHECKED sc_err sc_workload_find_category(sc_asking *asking, const sc_map *map, sc_diag *diag);

/**
 * Whether some travellers would want more than admission allows by default, and be refused.
 * Then `out` says what and how much.
 */
bool sc_workload_exceeds_limits(const sc_workload *workload, char *out, size_t size);

#endif
