/**
 * @file experiment_options.h
 * @brief Options of `starcloak experiment`, and the settings of the laboratory made from them.
 *
 * Options are gathered first and put together at the end, since --quick sets what others may
 * set again, whichever of them came first.
 */
#ifndef SC_APPS_EXPERIMENT_OPTIONS_H
#define SC_APPS_EXPERIMENT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "engine_options.h"
#include "lab/lab.h"
#include "movement_options.h"
#include "workload_options.h"

/** A map that was named. */
typedef struct sc_named_map {
    char name[SC_LAB_NAME_MAX + 1];
    const char *path;
    sc_trace_settings traces;
} sc_named_map;

/** Which reading of random sampling and network expansion is run. */
typedef enum sc_baselines {
    SC_BASELINES_SHARED,   ///< as engines have them: k counts the queries that share a cloak
    SC_BASELINES_LITERAL,  ///< as the paper says it: k counts all travellers
    SC_BASELINES_BOTH,
} sc_baselines;

/** All that was said. Numbers of 0 and empty lists: nothing was. */
typedef struct sc_experiment_flags {
    sc_named_map maps[SC_LAB_MAPS_MAX];
    size_t map_count;
    unsigned figures[SC_LAB_METRIC_COUNT];
    bool has_figures;
    unsigned methods;
    sc_baselines baselines;
    sc_lab_grid grids[SC_LAB_AXIS_COUNT];
    uint64_t seeds;
    bool has_first_seed;
    uint64_t first_seed;
    uint64_t users;
    double seconds;
    bool has_warm_up;
    double warm_up_s;
    uint64_t cloaks;
    uint64_t victims;
    uint64_t samples;
    bool has_placements;
    uint64_t placements;
    bool is_exact;
    bool knows_traffic;
    sc_lab_others others;
    uint64_t jobs;
    sc_asking asking;
    sc_movement_settings movement;  ///< of those who are not in traces
    sc_engine_settings engine;
    const char *directory;
    bool is_quick;
    bool is_closed;
    bool is_indexed;
    bool is_fresh;
    bool is_quiet;
    bool is_json;
} sc_experiment_flags;

/** Nothing was said yet. */
sc_experiment_flags sc_experiment_flags_default(void);

/** The table of options. */
extern const sc_option sc_experiment_options[];

/** The argp parser; its input is an sc_experiment_flags_default(). */
error_t sc_experiment_parse(int key, char *argument, struct argp_state *state);

/** The settings, but for the maps, which are still to be opened. */
sc_lab_options sc_experiment_settings(const sc_experiment_flags *flags);

#endif
