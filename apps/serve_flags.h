/**
 * @file serve_flags.h
 * @brief The settings of a command that serves or works in a cluster, from its command line.
 *
 * Every setting is a flag. A command chooses its settings (settings_list.h), puts SC_SERVE_OPTIONS
 * into its table of options and asks sc_serve_option() first in its parser:
 *
 *     #define SC_FOR_ALL(...) SC_ROW_TAKEN(__VA_ARGS__)
 *     #define SC_FOR_HTTP(...) SC_ROW_TAKEN(__VA_ARGS__)
 *     #define SC_FOR_RUN(...) SC_ROW_TAKEN(__VA_ARGS__)
 *     #define SC_FOR_NATS(...) SC_ROW_LEFT(__VA_ARGS__)
 *     ...
 *     if (sc_serve_option(key, argument, state, &options->flags)) return 0;
 *
 * Workers include this header; what only processes with users need is in serve_run.h.
 */
#ifndef SC_APPS_SERVE_FLAGS_H
#define SC_APPS_SERVE_FLAGS_H

#include <starcloak/engine.h>

#include "api/settings.h"
#include "command.h"

#include <argp.h>

/** Away from the numbers that commands give their own options. */
enum {
    SC_KEY_SERVE_CONFIG = SC_KEY_FIRST + 4096,
    SC_KEY_SERVE_CHECK,
    SC_KEY_SERVE_PRINT_CONFIG,
    SC_KEY_SERVE_SETTINGS,  ///< here the settings begin, in the order of the list
#define SC_KEY(section, field, ...) SC_KEY_SERVE_##field,
    SC_SETTINGS(SC_KEY, SC_KEY, SC_KEY, SC_KEY, SC_KEY, SC_KEY)
#undef SC_KEY
        SC_KEY_SERVE_END,
};

// clang-format off
#define SC_ROW_TAKEN(...) {__VA_ARGS__},
#define SC_ROW_LEFT(...)
#define SC_LIST_ROW(section, field, name, value, standard, when, who, help) \
    SC_FOR_##who(name, SC_KEY_SERVE_##field, value, help, NULL)
#define SC_TEXT_ROW(section, field, name, value, standard, when, who, help) \
    SC_FOR_##who(name, SC_KEY_SERVE_##field, value, help, SC_COMPLETE_FILES)
#define SC_NUMBER_ROW(section, field, name, value, standard, least, most, when, who, help) \
    SC_FOR_##who(name, SC_KEY_SERVE_##field, value, help, NULL)
#define SC_SWITCH_ROW(section, field, name, when, who, help) \
    SC_FOR_##who(name, SC_KEY_SERVE_##field, NULL, help, NULL)
#define SC_WORD_ROW(section, field, name, value, words, standard, when, who, help) \
    SC_FOR_##who(name, SC_KEY_SERVE_##field, value, help, words)

/** Rows for a table of sc_option. */
#define SC_SERVE_OPTIONS                                                                              \
    {"config", SC_KEY_SERVE_CONFIG, "FILE.ini",                                                       \
     "read settings from this file; flags override it (default: none is read)", SC_COMPLETE_FILES},  \
    {"check", SC_KEY_SERVE_CHECK, NULL,                                                               \
     "check all settings, and the files and databases that they name, and stop", NULL}, \
    {"print-config", SC_KEY_SERVE_PRINT_CONFIG, NULL,                                                 \
     "print all settings as a file for --config, with their descriptions, and stop", NULL},               \
    SC_SETTING_OPTIONS

/** Of these, the settings. */
#define SC_SETTING_OPTIONS                                                                            \
    SC_SETTINGS(SC_LIST_ROW, SC_TEXT_ROW, SC_NUMBER_ROW, SC_NUMBER_ROW, SC_SWITCH_ROW, SC_WORD_ROW)
// clang-format on

/** A setting that was given as a flag. */
typedef struct sc_serve_flag {
    const char *name;
    const char *value;
} sc_serve_flag;

typedef struct sc_serve_flags {
    const sc_option *table;  ///< of the command
    const char *config;
    bool is_check;
    bool is_print;
    sc_serve_flag *flags;  ///< in the order given; read again when the service reloads
    size_t flag_count;
} sc_serve_flags;

/** Room for all flags of a call. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_serve_flags_init(sc_serve_flags *flags, const sc_call *call,
                                      const sc_option *table);
void sc_serve_flags_fini(sc_serve_flags *flags);

/** If `key` is one of the options above, or an argument (the map), take its value and say so. */
bool sc_serve_option(int key, char *argument, struct argp_state *state, sc_serve_flags *flags);

/**
 * Defaults, file, flags; checked.
 *
 * @param usual     flags that go before the defaults and behind the file; ended by a NULL name
 * @param is_usage  set to whether it is the flags that are wrong
 */
SC_CHECKED sc_err sc_serve_gather(const sc_serve_flags *flags, const sc_serve_flag *usual,
                                  sc_settings **out, bool *is_usage, sc_diag *diag);

/** How the engines are to search, by settings. */
sc_engine_options sc_serve_engine_options(const sc_settings *settings);

#endif
