/**
 * @file workload_options.h
 * @brief The options that say what travellers are like, shared by the commands that have some.
 *
 * Each takes MEAN or MEAN:DEVIATION. What is drawn stays within four deviations of
 * the mean; without a deviation all travellers are alike.
 *
 * A command puts SC_WORKLOAD_OPTIONS into its table of options, starts from
 * sc_workload_default(), and asks sc_workload_option() first in its parser:
 *
 *     if (sc_workload_option(key, argument, state, &options->workload)) return 0;
 *
 * Used by: queries, simulate.
 */
#ifndef SC_APPS_WORKLOAD_OPTIONS_H
#define SC_APPS_WORKLOAD_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "command.h"
#include "sim/workload.h"

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
};

// clang-format off
/** Rows for a table of sc_option. */
#define SC_WORKLOAD_OPTIONS                                                             \
    {"k", SC_KEY_WORKLOAD_K, "MEAN[:DEV]",                                              \
     "different users that a traveller wants in its cloak (default 5:1.5)", NULL},      \
    {"l", SC_KEY_WORKLOAD_L, "MEAN[:DEV]",                                              \
     "segments that it wants in it (default 5:1.5)", NULL},                             \
    {"sigma-s", SC_KEY_WORKLOAD_SIGMA_S, "MEAN[:DEV]",                                  \
     "how far the cloak may reach, in hops between stars (default 4:1)", NULL},         \
    {"sigma-t", SC_KEY_WORKLOAD_SIGMA_T, "MEAN[:DEV]",                                  \
     "how long it may take, in seconds (default 10:2)", NULL},                          \
    {"nearest", SC_KEY_WORKLOAD_NEAREST, "MEAN[:DEV]",                                  \
     "how many of the nearest objects a traveller asks for (default 5:1)", NULL},       \
    {"pause", SC_KEY_WORKLOAD_PAUSE, "MEAN[:DEV]",                                      \
     "seconds until a traveller asks again (default 20:2)", NULL}
// clang-format on

/**
 * If `key` is one of the options above, take its value into `workload` and say so. A
 * value that is not one is a usage error, and does not come back.
 */
bool sc_workload_option(int key, char *argument, const struct argp_state *state,
                        sc_workload *workload);

/**
 * Whether some travellers would want more than admission allows by default, and be refused.
 * Then `out` says what and how much.
 */
bool sc_workload_exceeds_limits(const sc_workload *workload, char *out, size_t size);

#endif
