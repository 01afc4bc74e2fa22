/**
 * @file engine_options.h
 * @brief The options of every command that runs an engine: which engine, its settings, and its
 * output.
 *
 * A command puts SC_ENGINE_OPTIONS into its table of options, starts from
 * sc_engine_settings_default(), and asks sc_engine_option() first in its parser:
 *
 *     if (sc_engine_option(key, argument, state, &options->settings)) return 0;
 *
 * and sc_engine_settings_check() at ARGP_KEY_END.
 */
#ifndef SC_APPS_ENGINE_OPTIONS_H
#define SC_APPS_ENGINE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "command.h"
#include "record/zone_table.h"
#include "sim/run.h"

/** What is asked of the roads of cloaks, as it was given. */
typedef struct sc_demand_settings {
    const char *density;  ///< a path; NULL: none
    const char *classes;  ///< the same
    const char *zones;
    bool has_traffic;  ///< whether it was given, as the next four
    bool has_strict;
    bool has_no_strict;
    bool has_vmax;
    bool has_tau;
} sc_demand_settings;

/** The tables that demands are read from. Zero-initialise; sc_demand_tables_close(). */
typedef struct sc_demand_tables {
    sc_density *density;
    sc_place_classes *classes;
    sc_zone_table *zones;
} sc_demand_tables;

typedef struct sc_engine_settings {
    sc_run_options run;
    sc_demand_settings demands;
    bool has_lambda;  ///< whether it was given, as the next five
    bool has_alpha;
    bool has_crowd;
    bool has_k_spread;
    bool has_cap;
    bool has_seed;
    bool is_quiet;
    bool is_json;
} sc_engine_settings;

/** Away from the numbers that commands give their own options, and from those of workloads. */
enum {
    SC_KEY_ENGINE = SC_KEY_FIRST + 512,
    SC_KEY_STRICT,
    SC_KEY_LAMBDA,
    SC_KEY_ALPHA,
    SC_KEY_CROWD,
    SC_KEY_K_SPREAD,
    SC_KEY_CAP,
    SC_KEY_PARANOID,
    SC_KEY_SEED,
    SC_KEY_SECURE,
    SC_KEY_PRUNE_THREADS,
    SC_KEY_RECORD,
    SC_KEY_COST_SEGMENT,
    SC_KEY_COST_BORDER_NODE,
    SC_KEY_COST_OBJECT,
    SC_KEY_COST_BALANCE,
    SC_KEY_JSON,
    SC_KEY_NO_STRICT,
    SC_KEY_ENGINE_DENSITY,
    SC_KEY_TRAFFIC,
    SC_KEY_CONTINUITY,
    SC_KEY_VMAX,
    SC_KEY_TAU,
    SC_KEY_CLASSES,
    SC_KEY_ZONES,
};

// clang-format off
/** Rows for a table of sc_option: what searches go by. */
#define SC_SEARCH_OPTIONS                                                                    \
    {"lambda", SC_KEY_LAMBDA, "N",                                                           \
     "bounded and hybrid: hops per level of the search (default 1)", NULL},                  \
    {"alpha", SC_KEY_ALPHA, "S",                                                             \
     "hybrid: seconds before a query's deadline from which on the search for it is unbounded; patient: from which on it does not wait for a crowd (default 2)", NULL},                                                                   \
    {"crowd", SC_KEY_CROWD, "N",                                                             \
     "patient: search once N times the k of a new query are around it; 1 searches at once (default 4)", NULL}, \
    {"k-spread", SC_KEY_K_SPREAD, "N",                                                       \
     "basic, bounded, hybrid and xstar: let queries gather at a star only if no k among them is more than N times another; patient and xstar: search for a query only among those whose k is at most N times its own (default 0: whatever their k)", NULL}, \
    {"cap", SC_KEY_CAP, "N",                                                                 \
     "combinations that one search keeps (default 64); with sampling and expansion, waiting queries that are tried for each new one (8); with patient, dead ends of one search (8)", NULL}

/** The same: what stars cost. */
#define SC_COST_OPTIONS                                                                       \
    {"cost-segment", SC_KEY_COST_SEGMENT, "X",                                                \
     "what it costs to answer for a segment (Cs; default 1)", NULL},                          \
    {"cost-border-node", SC_KEY_COST_BORDER_NODE, "X",                                        \
     "what it costs to answer for a border node (Cv; default 2)", NULL},                      \
    {"cost-object", SC_KEY_COST_OBJECT, "X",                                                  \
     "what it costs to send an object (Co; default 30)", NULL},                               \
    {"cost-balance", SC_KEY_COST_BALANCE, "X",                                                \
     "weight of sending relative to answering, 0 to 1 (beta; default 0.5)", NULL}

/** The same: what is asked of the roads of cloaks. */
#define SC_DEMAND_OPTIONS                                                                     \
    {"no-strict", SC_KEY_NO_STRICT, NULL,                                                     \
     "patient: count all roads of a cloak for every member, also with other demands", NULL},      \
    {"density", SC_KEY_ENGINE_DENSITY, "FILE",                                                \
     "patient: how busy roads are, a table made by 'starcloak density': no member's road may stand out (default: none)", SC_COMPLETE_FILES}, \
    {"traffic", SC_KEY_TRAFFIC, "N",                                                          \
     "patient: by --density each road that can be a member's is at most as likely as one of N, 2 to 4; 0: not asked (default 2)", NULL}, \
    {"continuity", SC_KEY_CONTINUITY, NULL,                                                   \
     "patient: a road counts by the part of it that a user can have reached since its last cloak", NULL}, \
    {"vmax", SC_KEY_VMAX, "M/S",                                                              \
     "with --continuity: how fast users are at most, metres per second (default 33)", NULL},  \
    {"tau", SC_KEY_TAU, "S",                                                                  \
     "with --continuity: how long a cloak counts, seconds (default 300)", NULL},              \
    {"classes", SC_KEY_CLASSES, "FILE",                                                       \
     "roads at clinics, shelters and the like, see 'starcloak map classes': those of a class do not count for l (default: none)", SC_COMPLETE_FILES}, \
    {"zones", SC_KEY_ZONES, "FILE",                                                           \
     "zones of users, CSV with the columns zone, user and segment: cloaks of a user who is in one have all of it (default: none)", SC_COMPLETE_FILES}

/** The same: all of one engine. */
#define SC_ENGINE_OPTIONS                                                                     \
    {"engine", SC_KEY_ENGINE, "NAME",                                                         \
     "how to search for cloaks: basic (default), bounded, hybrid or patient; or a method to " \
     "compare with: xstar, sampling or expansion",                                            \
     "basic bounded hybrid xstar sampling expansion patient"},                                \
    {"strict", SC_KEY_STRICT, NULL,                                                           \
     "bounded and hybrid: strict setting, take a star only if it is near one taken before; patient: a road counts for a member only if it can be its own by its sigma_s (default with --density, --classes, --zones or --continuity)", NULL},         \
    SC_DEMAND_OPTIONS,                                                                        \
    SC_SEARCH_OPTIONS,                                                                        \
    {"paranoid", SC_KEY_PARANOID, NULL,                                                       \
     "check every promise of every cloak once more before it leaves", NULL},                  \
    {"seed", SC_KEY_SEED, "N",                                                                \
     "seed of the random numbers; the same seed gives the same run, bit for bit (default 1)", NULL},                         \
    {"secure", SC_KEY_SECURE, NULL,                                                           \
     "choose cloaks and ids with unpredictable random numbers, as the service does", NULL},                                                                           \
    {"prune-threads", SC_KEY_PRUNE_THREADS, "N",                                              \
     "prune in N threads besides the engine's (default 0: in the engine's thread)", NULL},           \
    {"record", SC_KEY_RECORD, "FILE.jsonl",                                                   \
     "write all queries with their true positions and their outcomes; - is standard output (default: no record)", SC_COMPLETE_FILES},                                       \
    SC_COST_OPTIONS,                                                                          \
    {"quiet", 'q', NULL,                                                                      \
     "print nothing but errors and what --json asks for; no progress bar", NULL},             \
    {"json", SC_KEY_JSON, NULL, "print the report as one JSON object, with --quiet too", NULL}
// clang-format on

/** The library's own defaults; a report for people. */
sc_engine_settings sc_engine_settings_default(void);

/** As sc_engine_option(), for the engine itself: its name, how it searches, what stars cost. */
bool sc_search_option(int key, const char *argument, const struct argp_state *state,
                      sc_engine_settings *settings);

/**
 * If `key` is one of the options above, take its value into `settings` and say so. A
 * value that is not one is a usage error, and does not come back.
 */
bool sc_engine_option(int key, char *argument, const struct argp_state *state,
                      sc_engine_settings *settings);

/**
 * Whether the options go together; if not, that is a usage error. Sets what follows from others:
 * demands that are the default with a density.
 *
 * @param inputs  files that are read, NULL-ended: the record must not replace one of them
 */
void sc_engine_settings_check(const struct argp_state *state, sc_engine_settings *settings,
                              const char *const *inputs);

/** Read the tables that the demands of `settings` need, and let `run` ask for them. Warns of a
 * density that rests on few counts, unless it is to be quiet. */
SC_CHECKED sc_err sc_demand_tables_open(const sc_call *call, const sc_engine_settings *settings,
                                        const sc_map *map, sc_demand_tables *tables,
                                        sc_run_options *run, sc_diag *diag);

/** Free them. Harmless twice. */
void sc_demand_tables_close(sc_demand_tables *tables);

#endif
