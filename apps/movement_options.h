/**
 * @file movement_options.h
 * @brief The options that say how travellers move, shared by the commands that have some.
 *
 * On trips of their own (the default), turning at random, or as real ones did, from traces.
 *
 * A command puts SC_MOVEMENT_OPTIONS into its table of options, starts from
 * sc_movement_settings_default(), asks sc_movement_option() first in its parser, and
 * sc_movement_settings_check() at ARGP_KEY_END. Then sc_crowd_open() makes the travellers.
 */
#ifndef SC_APPS_MOVEMENT_OPTIONS_H
#define SC_APPS_MOVEMENT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "command.h"
#include "traces/follow.h"
#include "travel/trips.h"
#include "travel/walk.h"

/** Where traces come from, and how they are followed. */
typedef struct sc_trace_settings {
    const char *path;  ///< NULL: there are none
    sc_traces_options read;
    sc_follow_options follow;
    const char *first_option;  ///< one that was given and needs --traces; NULL: none was
} sc_trace_settings;

typedef struct sc_movement_settings {
    uint64_t users;
    bool has_users;
    bool is_walk;
    bool has_trucks;
    double truck_share;
    sc_trace_settings traces;
} sc_movement_settings;

/** Away from the numbers that commands and the other shared options have. */
enum {
    SC_KEY_MOVEMENT = SC_KEY_FIRST + 1536,
    SC_KEY_TRUCKS,
    SC_KEY_TRACES,
    SC_KEY_TRACE_FORMAT,
    SC_KEY_TRACE_FOLD,
    SC_KEY_TRACE_START,
    SC_KEY_TRACE_END,
    SC_KEY_TRACE_GAP,
    SC_KEY_TRACE_SNAP,
    SC_KEY_TRACE_STEP,
};

// clang-format off
/** Rows for a table of sc_option: how traces are read and followed. */
#define SC_TRACE_OPTIONS                                                                      \
    {"trace-format", SC_KEY_TRACE_FORMAT, "NAME",                                             \
     "the format of the traces: cabspotting, fcd (SUMO), brinkhoff or csv (default any: recognised by the content)",    \
     "any cabspotting fcd brinkhoff csv"},                                                    \
    {"trace-fold", SC_KEY_TRACE_FOLD, "S",                                                    \
     "cut recorded time into windows of S seconds and play them all at once, so that a small fleet becomes a large one (default 0: do not)", NULL},                          \
    {"trace-start", SC_KEY_TRACE_START, "T",                                                  \
     "recorded time at which to begin, in the traces' own seconds (default: the first)", NULL}, \
    {"trace-end", SC_KEY_TRACE_END, "T",                                                      \
     "recorded time at which to end (default: the last)", NULL},                 \
    {"trace-gap", SC_KEY_TRACE_GAP, "S",                                                      \
     "do not connect two fixes that are more than S seconds apart (default 300)", NULL},            \
    {"trace-snap", SC_KEY_TRACE_SNAP, "M",                                                    \
     "leave out fixes farther than M metres from any road (default 100)", NULL},           \
    {"trace-step", SC_KEY_TRACE_STEP, "S",                                                    \
     "brinkhoff: seconds per step of its time (default 1)", NULL}

/** The same: how others move. */
#define SC_DRIVE_OPTIONS                                                                      \
    {"movement", SC_KEY_MOVEMENT, "NAME",                                                     \
     "trips: from place to place by the fastest route (default); walk: turning at random, for maps on which finding routes takes too long", "trips walk"},                              \
    {"trucks", SC_KEY_TRUCKS, "SHARE",                                                        \
     "trips: the share of travellers that are slow, 0 to 1 (default 0.2)", NULL}

/** The same: all of it. */
#define SC_MOVEMENT_OPTIONS                                                                   \
    {"users", 'n', "N",                                                                       \
     "how many travellers, 1 to 100M; k and M stand for thousands and millions (default 10k; with --traces: all that the traces have)", NULL},                                     \
    SC_DRIVE_OPTIONS,                                                                         \
    {"traces", SC_KEY_TRACES, "PATH",                                                         \
     "let travellers move as in these traces: a file or a folder of files (default: none)",   \
     SC_COMPLETE_FILES},                                                                      \
    SC_TRACE_OPTIONS
// clang-format on

/** 10,000 travellers on trips. */
sc_movement_settings sc_movement_settings_default(void);

/** As sc_movement_option(), for what --traces and SC_TRACE_OPTIONS set. */
bool sc_trace_option(int key, const char *argument, const struct argp_state *state,
                     sc_trace_settings *traces);

/**
 * If `key` is one of the options above, take its value into `settings` and say so. A
 * value that is not one is a usage error, and does not come back.
 */
bool sc_movement_option(int key, const char *argument, const struct argp_state *state,
                        sc_movement_settings *settings);

/** Whether the options go together; if not, that is a usage error. */
void sc_movement_settings_check(const struct argp_state *state,
                                const sc_movement_settings *settings);

/** Travellers, and all that they stand on. Zero-initialise; sc_crowd_close(). */
typedef struct sc_crowd {
    sc_route_table routes;
    sc_routes *ways;  ///< of traces
    sc_movement *movement;
    sc_traces_summary read;      ///< with traces: what was in them, and
    sc_follow_summary followed;  ///< what became of it
} sc_crowd;

/** What travellers are wanted. */
typedef struct sc_crowd_wish {
    const sc_movement_settings *settings;
    uint64_t seed;
    double seconds;  ///< how long they are looked at
} sc_crowd_wish;

/** Make the travellers. @param progress  may be NULL */
SC_CHECKED sc_err sc_crowd_open(sc_crowd *crowd, const sc_map *map, const sc_crowd_wish *wish,
                                const sc_progress *progress, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_crowd_close(sc_crowd *crowd);

/** Tell on standard error what became of traces, if there were any. */
void sc_crowd_note(const sc_call *call, const sc_crowd *crowd, const sc_crowd_wish *wish);

#endif
