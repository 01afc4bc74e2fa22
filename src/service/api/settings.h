/**
 * @file settings.h
 * @brief The service's settings: defaults, then the configuration file, then flags.
 *
 *     sc_settings *settings = NULL;
 *     err = sc_settings_new(&settings);
 *     err = sc_settings_read(settings, "starcloak.ini", &diag);  // INI; sections as in the list
 *     err = sc_settings_set(settings, "loops", "4", &diag);      // as --loops 4
 *     err = sc_settings_check(settings, &diag);                  // are they consistent?
 *
 * To add a setting or change a default: settings_list.h, and nowhere else. A refusal names the
 * setting, its value and what is allowed; in a file, the line too. Values are plain fields:
 * settings->loops.
 *
 * Workers include this header, so it must not include one that knows positions or users: the policy
 * that settings make is declared in access_policy.h.
 */
#ifndef SC_API_SETTINGS_H
#define SC_API_SETTINGS_H

#include <starcloak/demands.h>
#include <starcloak/err.h>

#include "api/settings_list.h"
#include "base/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The value of `admin` that makes the addresses of `listen` those of operators, too. */
#define SC_SETTINGS_ADMIN_SHARED "listen"

/** The value of `rare-requests` that drops them: its second word. */
enum { SC_RARE_REQUESTS_DROP = 1 };

/** A text that the settings own; they are freed together. */
typedef struct sc_setting_text sc_setting_text;

typedef struct sc_settings {
#define SC_TEXT_FIELD(section, field, ...) const char *field;
#define SC_COUNT_FIELD(section, field, ...) uint64_t field;
#define SC_NUMBER_FIELD(section, field, ...) double field;
#define SC_SWITCH_FIELD(section, field, ...) bool field;
#define SC_WORD_FIELD(section, field, ...) unsigned field;
    SC_SETTINGS(SC_TEXT_FIELD, SC_TEXT_FIELD, SC_COUNT_FIELD, SC_NUMBER_FIELD, SC_SWITCH_FIELD,
                SC_WORD_FIELD)
#undef SC_TEXT_FIELD
#undef SC_COUNT_FIELD
#undef SC_NUMBER_FIELD
#undef SC_SWITCH_FIELD
#undef SC_WORD_FIELD
    sc_setting_text *texts;
} sc_settings;

/** The defaults. */
SC_CHECKED sc_err sc_settings_new(sc_settings **out);

/** NULL is fine. */
void sc_settings_free(sc_settings *settings);

/**
 * Set one. Of a list, an earlier value is replaced.
 *
 * @param name   as in the file: "max-k"
 * @param value  of a switch: yes or no (on, off, true, false, 1, 0), or NULL for yes
 * @return SC_OK, SC_EUNKNOWN (no such setting; `diag` may have a guess), SC_EINVAL (a value that it
 * cannot have), SC_ENOMEM
 */
SC_CHECKED sc_err sc_settings_set(sc_settings *settings, const char *name, const char *value,
                                  sc_diag *diag);

/** Add to a list instead of replacing it; as sc_settings_set() otherwise. */
SC_CHECKED sc_err sc_settings_add(sc_settings *settings, const char *name, const char *value,
                                  sc_diag *diag);

/**
 * Read a configuration file.
 *
 * @return SC_OK, SC_EIO, SC_EPARSE (with file and line: not such a file, an unknown section or
 * setting, one in the wrong section or twice, a value that cannot be), SC_ELIMIT (a line or a file
 * that is too long), SC_ENOMEM
 */
SC_CHECKED sc_err sc_settings_read(sc_settings *settings, const char *path, sc_diag *diag);

/** Whether the settings are consistent. SC_EINVAL names those that are not. */
SC_CHECKED sc_err sc_settings_check(const sc_settings *settings, sc_diag *diag);

/** Whether a provider may be asked at `url`, which the setting `name` is about: plain HTTP stays on
 * this machine, unless provider-plain is set. */
SC_CHECKED sc_err sc_settings_check_plain(const sc_settings *settings, const char *name,
                                          const char *url, sc_diag *diag);

/** The name of the issuer of anonymous tokens: as it is set, or the host of its address. False: it
 * does not fit. */
bool sc_settings_pass_issuer_name(const sc_settings *settings, char *out, size_t room);

/** A setting that is not as by default, and that nothing uses. */
typedef struct sc_unused_setting {
    const char *name;  ///< NULL: there is no other
    const char *why;   ///< what would use it
} sc_unused_setting;

/** The next of them; `from` is 0 at first. They are legal, since the processes of a cluster share a
 * file, and most likely a mistake. */
sc_unused_setting sc_settings_unused(const sc_settings *settings, size_t *from);

/** What the patient engine asks where there is a density and nothing else is said. */
#define SC_SETTINGS_TRAFFIC 2

/** What queries ask of the roads of their cloak, but for the tables: those are in files. */
sc_demands sc_settings_demands(const sc_settings *settings);

/**
 * Settings that are different in `next` and do not change while a service runs, one with each call.
 *
 * @param changes_map  whether those that go with the map do
 * @param from         0 at first; where to look on
 * @return the name of the next one; NULL if there is no other
 */
const char *sc_settings_stuck(const sc_settings *now, const sc_settings *next, bool changes_map,
                              size_t *from);

/** Whether those that go with the map are the same. */
bool sc_settings_have_same_map(const sc_settings *now, const sc_settings *next);

/** Set those that go with the map to those of `next`, which has to outlive `settings`. */
void sc_settings_lend_map(sc_settings *settings, const sc_settings *next);

/** Lists, taken apart: the parts lie in one block, ended by NULL; free with
 * sc_settings_parts_free(). */
SC_CHECKED sc_err sc_settings_parts(const char *list, char ***out, size_t *count);
void sc_settings_parts_free(char **parts);

/** Write them as a configuration file with the same values and a comment for each; for
 * `--print-config`. */
SC_CHECKED sc_err sc_settings_write(const sc_settings *settings, FILE *stream);

// --- The list as a table (settings.c, settings_file.c and tests) ---------------------------------

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
    enum { SC__SETTING_START, SC__SETTING_RELOAD, SC__SETTING_MAP } when;  ///< it may change
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
