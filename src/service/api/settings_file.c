// The configuration file, read and written: INI as inih reads it.
//
// inih splits lines of more than 198 bytes silently; so lines are counted and measured here
// before it sees them. It calls back once per "name = value"; what follows " ;" is a comment.
#include "api/settings.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/text.h"
#include "base/url_secrets.h"
#include "base/utf8.h"

#include <ini.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 190, FILE_MAX_BYTES = 1 << 20 };

/** One reading. */
typedef struct reading {
    sc_settings *settings;
    const char *path;
    const char *next;  ///< where the next line begins
    const char *end;
    unsigned line;   ///< the one that inih was given last
    bool *is_given;  ///< by setting
    sc_err err;      ///< the first; nothing is done after it
    sc_diag *diag;
} reading;

/** inih's fgets(). */
static char *next_line(char *buffer, int room, void *stream)
{
    reading *r = stream;
    if (r->next == r->end || r->err) return NULL;
    const char *line_end = memchr(r->next, '\n', (size_t)(r->end - r->next));
    const size_t size = (size_t)((line_end ? line_end : r->end) - r->next);
    r->line++;
    if (size >= (size_t)room - 1) return NULL;  // measured before: it is shorter
    memcpy(buffer, r->next, size);
    buffer[size] = '\0';
    r->next = line_end ? line_end + 1 : r->end;
    return buffer;
}

static int complain(reading *r, const char *what, const char *name)
{
    r->err = sc_fail(r->diag, SC_EPARSE, "%s:%u: %s: %s", r->path, r->line, what,
                     sc_quote(name, strlen(name)).text);
    return 0;
}

static bool is_section(const char *section)
{
    size_t count = 0;
    const sc__setting *table = sc__settings_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].section, section) == 0) return true;
    }
    return false;
}

/** inih's handler: 0 ends it. */
static int take(void *user, const char *section, const char *name, const char *value)
{
    reading *r = user;
    if (r->err) return 0;
    if (!is_section(section)) {
        if (section[0] == '\0')
            return complain(r, "the setting is before the first [section]", name);
        return complain(r, "unknown section", section);
    }
    const sc__setting *setting = sc__setting_find(name);
    const char *advice = setting ? NULL : sc__setting_moved(name);
    if (advice) {
        r->err = sc_fail(r->diag, SC_EPARSE, "%s:%u: '%s' is not a setting any more: %s", r->path,
                         r->line, name, advice);
        return 0;
    }
    if (!setting) return complain(r, "unknown setting", name);
    if (strcmp(setting->section, section) != 0) {
        r->err = sc_fail(r->diag, SC_EPARSE, "%s:%u: '%s' belongs in section [%s]", r->path,
                         r->line, setting->name, setting->section);
        return 0;
    }
    size_t count = 0;
    bool *is_given = &r->is_given[setting - sc__settings_table(&count)];
    const bool adds = *is_given && setting->kind == SC__SETTING_LIST;
    if (*is_given && !adds) return complain(r, "the setting is repeated", name);
    *is_given = true;
    sc_diag why = {.message = ""};
    const sc_err err = adds ? sc_settings_add(r->settings, name, value, &why)
                            : sc_settings_set(r->settings, name, value, &why);
    if (err == SC_ENOMEM) r->err = sc_fail_memory(r->diag, "reading the settings");
    if (err && err != SC_ENOMEM) {
        r->err = sc_fail(r->diag, SC_EPARSE, "%s:%u: %s", r->path, r->line, why.message);
    }
    return err == SC_OK;
}

/** What inih would not mind, or not notice. */
static sc_err check_lines(const sc_input *input, sc_diag *diag)
{
    if (input->size > FILE_MAX_BYTES) {
        return sc_fail(diag, SC_ELIMIT, "%s: larger than 1 MiB, the limit of a configuration file",
                       input->name);
    }
    sc_lines lines = sc_lines_of(input);
    for (sc_slice line; sc_lines_next(&lines, &line);) {
        if (line.size > LINE_MAX_BYTES) {
            return sc_fail(diag, SC_ELIMIT, "%s:%u: the line is longer than %d bytes", input->name,
                           (unsigned)lines.line, LINE_MAX_BYTES);
        }
        if (memchr(line.text, '\0', line.size)) {
            return sc_fail(diag, SC_EPARSE, "%s:%u: the line contains a NUL byte", input->name,
                           (unsigned)lines.line);
        }
    }
    return SC_OK;
}

sc_err sc__settings_read_input(sc_settings *settings, const sc_input *input, sc_diag *diag)
{
    sc_err err = check_lines(input, diag);
    if (err) return err;
    size_t count = 0;
    sc__settings_table(&count);
    bool *is_given = sc_calloc(count, sizeof *is_given);
    if (!is_given) return sc_fail_memory(diag, "reading the settings");
    const char *text = (const char *)input->data;
    reading r = {.settings = settings,
                 .path = input->name,
                 .next = text,
                 .end = text ? text + input->size : text,
                 .is_given = is_given,
                 .diag = diag};
    const int bad_line = ini_parse_stream(next_line, &r, take, &r);
    sc_free(is_given);
    // inih goes on after a line that it cannot read, and what follows may seem wrong because of it.
    if (bad_line > 0 && (!r.err || (unsigned)bad_line < r.line)) {
        return sc_fail(diag, SC_EPARSE, "%s:%d: the line is neither [section] nor name = value",
                       input->name, bad_line);
    }
    if (!r.err && bad_line < 0) return sc_fail_memory(diag, "reading the settings");
    return r.err;
}

sc_err sc_settings_read(sc_settings *settings, const char *path, sc_diag *diag)
{
    sc_file file = {0};
    sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;
    err = sc__settings_read_input(settings, &file.input, diag);
    sc_file_close(&file);
    return err;
}

// === Writing ====================================================================================
//

enum { COLUMNS = 96 };

/** The help of a setting as comment lines. */
static void write_comment(FILE *stream, const char *help)
{
    while (*help) {
        size_t size = strlen(help);
        if (size > COLUMNS) {
            size = COLUMNS;
            while (size > 1 && help[size] != ' ') {
                size--;
            }
        }
        fprintf(stream, "; %.*s\n", (int)size, help);
        help += size;
        help += strspn(help, " ");
    }
}

static void write_value(FILE *stream, const sc_settings *settings, const sc__setting *setting)
{
    const void *field = (const char *)settings + setting->offset;
    size_t size = 0;
    const char *word = NULL;
    switch (setting->kind) {
    case SC__SETTING_LIST:  // written part by part
        break;
    case SC__SETTING_TEXT:
        sc_url_write_without_secrets(stream, *(const char *const *)field);
        break;
    case SC__SETTING_COUNT:
        fprintf(stream, "%" PRIu64, *(const uint64_t *)field);
        break;
    case SC__SETTING_NUMBER:
        fprintf(stream, "%.10g", *(const double *)field);
        break;
    case SC__SETTING_SWITCH:
        fputs(*(const bool *)field ? "yes" : "no", stream);
        break;
    case SC__SETTING_WORD:
        word = sc__setting_word(setting->words, *(const unsigned *)field, &size);
        fprintf(stream, "%.*s", (int)size, word);
        break;
    }
}

/** One line for each part: lines have an end, lists need not. */
static void write_list(FILE *stream, const char *name, const char *list)
{
    do {
        const size_t size = strcspn(list, ",");
        fprintf(stream, "%s = %.*s\n", name, (int)size, list);
        list += size;
    } while (*list++ == ',');
}

sc_err sc_settings_write(const sc_settings *settings, FILE *stream)
{
    size_t count = 0;
    const sc__setting *table = sc__settings_table(&count);
    const char *section = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].section, section) != 0) {
            section = table[i].section;
            fprintf(stream, "%s[%s]\n", i > 0 ? "\n" : "", section);
        }
        write_comment(stream, table[i].help);
        if (table[i].kind == SC__SETTING_LIST) {
            const void *field = (const char *)settings + table[i].offset;
            write_list(stream, table[i].name, *(const char *const *)field);
            continue;
        }
        fprintf(stream, "%s = ", table[i].name);
        write_value(stream, settings, &table[i]);
        fputc('\n', stream);
    }
    return ferror(stream) ? SC_EIO : SC_OK;
}
