/**
 * @file settings_table.h
 * @brief The list of settings as a table, for code that goes through them by name; and reading from
 * bytes.
 *
 * Used by: settings.c, settings_file.c, settings_write.c.
 */
#ifndef SC_SERVICE_SETTINGS_TABLE_H
#define SC_SERVICE_SETTINGS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "api/settings.h"
#include "base/file.h"

typedef enum sc__setting_kind {
    SC__SETTING_LIST,
    SC__SETTING_TEXT,
    SC__SETTING_COUNT,
    SC__SETTING_NUMBER,
    SC__SETTING_SWITCH,
    SC__SETTING_WORD,
} sc__setting_kind;

typedef struct sc__setting {
    const char *section;
    const char *name;
    const char *help;
    sc__setting_kind kind;
    size_t offset;  ///< of its field
    double least;   ///< of counts and numbers
    double most;
    const char *words;     ///< parted by blanks
    const char *standard;  ///< the default, as it would be written
    bool is_reloaded;
} sc__setting;

/** All settings, in the order of the list. */
const sc__setting *sc__settings_table(size_t *count);

/** The one of that name, or NULL. */
const sc__setting *sc__setting_find(const char *name);

/** What to do instead of setting that, if it was a setting once; NULL if it never was. */
const char *sc__setting_moved(const char *name);

/** Word number `place` of a list parted by blanks, and its length; NULL if there are not so many.
 */
const char *sc__setting_word(const char *words, unsigned place, size_t *size);

/** As sc_settings_read(), from bytes. */
SC_CHECKED sc_err sc__settings_read_input(sc_settings *settings, const sc_input *input,
                                          sc_diag *diag);

#endif
