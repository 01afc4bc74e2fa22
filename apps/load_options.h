/**
 * @file load_options.h
 * @brief What `starcloak load` can be told.
 *
 * Used by: load.
 */
#ifndef SC_APPS_LOAD_OPTIONS_H
#define SC_APPS_LOAD_OPTIONS_H

#include <argp.h>

#include "command.h"
#include "demo/loadgen/loadgen.h"
#include "movement_options.h"
#include "workload_options.h"

typedef struct sc_load_settings {
    sc_load_options load;  ///< without travellers and tokens, which come later
    const char *map;
    const char *key;     ///< a key file to issue tokens with; or
    const char *tokens;  ///< a file of tokens
    sc_asking asking;
    sc_movement_settings movement;
    bool has_travellers;
    bool has_movement;     ///< whether it was said how they move
    bool has_chaos_words;  ///< an option was given that needs --chaos
    bool is_quiet;
    bool is_json;
} sc_load_settings;

sc_load_settings sc_load_settings_default(void);

/** For the command's table. */
extern const sc_option sc_load_options_table[];
error_t sc_load_parse(int key, char *argument, struct argp_state *state);

#endif
