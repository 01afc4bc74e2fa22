/**
 * @file attack_options.h
 * @brief Options of `starcloak attack`, and which of them go together.
 */
#ifndef SC_APPS_ATTACK_OPTIONS_H
#define SC_APPS_ATTACK_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "engine_options.h"
#include "score/trial.h"

/** All that was said. Paths are those of the command line. */
typedef struct sc_attack_flags {
    const char *map;
    const char *record;
    const char *density;   ///< a name or a path
    const char *demanded;  ///< a path; NULL: the density
    sc_trial_files files;
    sc_trial_options trial;
    sc_engine_settings engine;
    bool has_engine;
    const char *engine_option;     ///< name of one that was given and says more of an engine
    const char *injection_option;  ///< or of injected queries
    const char *replay_option;     ///< or of replays
    const char *tracking_option;   ///< or of following
    const char *demand_option;     ///< or of demands
    bool has_attack;               ///< --attack was given
    bool is_quiet;
    bool is_json;
    bool shows_links;
} sc_attack_flags;

/** As the help says. */
sc_attack_flags sc_attack_flags_default(void);

/** The table of options. */
extern const sc_option sc_attack_options[];

/** The argp parser; its input is an sc_attack_flags_default(). */
error_t sc_attack_parse(int key, char *argument, struct argp_state *state);

#endif
