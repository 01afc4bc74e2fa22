// Settings as a configuration file with its comments. See settings.h.
#include "api/settings.h"

#include "api/settings_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
        fputs(*(const char *const *)field, stream);
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
