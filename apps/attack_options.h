/**
 * @file attack_options.h
 * @brief What `starcloak attack` can be told, and what of it goes together.
 *
 * Used by: attack.
 */
#ifndef SC_APPS_ATTACK_OPTIONS_H
#define SC_APPS_ATTACK_OPTIONS_H

#include "command.h"
#include "engine_options.h"
#include "score/trial.h"

/** All that was said. Paths are those of the command line. */
typedef struct sc_attack_options {
    const char *map;
    const char *record;
    const char *density;  ///< a name or a path
    sc_trial_files files;
    sc_trial_options trial;
    sc_engine_settings engine;
    bool has_engine;
    const char *engine_option;     ///< name of one that was given and says more of an engine
    const char *injection_option;  ///< or of injected queries
    const char *replay_option;     ///< or of replays
    const char *tracking_option;   ///< or of following
    bool is_quiet;
    bool is_json;
    bool shows_links;
} sc_attack_options;

/** As the help says. */
sc_attack_options sc_attack_options_default(void);

/** For sc_command: its input is an sc_attack_options. */
extern const sc_option sc_attack_option_table[];
error_t sc_attack_parse(int key, char *argument, struct argp_state *state);

#endif
