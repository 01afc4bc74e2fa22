/*
 * The manual page of a command, in the man(7) macros of roff, from the same table
 * as its help. Invariants:
 *  1. No byte of a text is taken for a request: backslashes are escaped, and a
 *     line that begins with a dot or an apostrophe is guarded.
 *  2. The dashes of options are printed as the minus signs that one can copy.
 */
#include "command.h"

#include <ctype.h>
#include <string.h>

/** Print `size` bytes so that roff shows them as they are. */
static void put_bytes(FILE *stream, const char *text, size_t size, bool all_minus)
{
    bool in_option = false;
    for (size_t i = 0; i < size; i++) {
        const bool word_starts = i == 0 || strchr(" (\n'", text[i - 1]) != NULL;
        if (word_starts) in_option = text[i] == '-';
        switch (text[i]) {
        case '\\':
            fputs("\\e", stream);
            break;
        case '-':
            fputs(all_minus || in_option ? "\\-" : "-", stream);
            break;
        case '\'':
            fputs("\\(aq", stream);
            break;
        case '^':
            fputs("\\(ha", stream);
            break;
        case '~':
            fputs("\\(ti", stream);
            break;
        case '`':
            fputs("\\(ga", stream);
            break;
        case '.':
            fputs(i == 0 ? "\\&." : ".", stream);
            break;
        default:
            fputc(text[i], stream);
            break;
        }
    }
}

static void put_text(FILE *stream, const char *text)
{
    put_bytes(stream, text, strlen(text), false);
}

/** What can be typed: every dash is a minus. */
static void put_typed(FILE *stream, const char *text)
{
    put_bytes(stream, text, strlen(text), true);
}

/** Paragraphs, the first one without a request before it. */
static void put_paragraphs(FILE *stream, const char *text, const char *between)
{
    for (;;) {
        const size_t size = strcspn(text, "\n");
        put_bytes(stream, text, size, false);
        fputc('\n', stream);
        text += size;
        if (*text == '\0') return;
        text++;
        fprintf(stream, "%s\n", between);
    }
}

/** "starcloak map import" as "starcloak-map-import". */
static void page_name(const char *path, char *out)
{
    snprintf(out, SC_PATH_SIZE, "%s", path);
    for (; *out != '\0'; out++) {
        if (*out == ' ') *out = '-';
    }
}

static void put_heading(FILE *stream, const char *title)
{
    fputs(".SH \"", stream);
    for (; *title != '\0'; title++) {
        fputc(toupper((unsigned char)*title), stream);
    }
    fputs("\"\n", stream);
}

static void put_option(FILE *stream, const sc_option *option)
{
    fputs(".TP\n", stream);
    if (option->key < SC_KEY_FIRST) fprintf(stream, "\\fB\\-%c\\fR, ", option->key);
    fputs("\\fB\\-\\-", stream);
    put_typed(stream, option->name);
    fputs("\\fR", stream);
    if (option->value) {
        fputs("=\\fI", stream);
        put_typed(stream, option->value);
        fputs("\\fR", stream);
    }
    fputc('\n', stream);
    put_paragraphs(stream, option->help, ".IP");
}

static void put_entries(FILE *stream, const char *title, const sc_entry *entries)
{
    put_heading(stream, title);
    for (; entries->term; entries++) {
        fputs(".TP\n\\fB", stream);
        put_typed(stream, entries->term);
        fputs("\\fR\n", stream);
        put_paragraphs(stream, entries->text, ".IP");
    }
}

static void put_commands(FILE *stream, const sc_command *group, const char *path)
{
    put_heading(stream, "Commands");
    for (size_t i = 0; group->children[i]; i++) {
        char name[SC_PATH_SIZE];
        page_name(path, name);
        fputs(".TP\n.BR ", stream);
        put_typed(stream, name);
        put_typed(stream, "-");
        put_typed(stream, group->children[i]->name);
        fputs(" (1)\n", stream);
        put_text(stream, group->children[i]->summary);
        fputs(".\n", stream);
    }
}

static void put_examples(FILE *stream, const sc_entry *examples)
{
    put_heading(stream, "Examples");
    for (; examples->term; examples++) {
        fputs(".TP\n\\fB", stream);
        put_typed(stream, examples->term);
        fputs("\\fR\n", stream);
        put_paragraphs(stream, examples->text, ".IP");
    }
}

/** Lists all other pages, so that from each one every other can be reached. */
typedef struct see_also {
    FILE *stream;
    const sc_command *self;
    bool is_first;
} see_also;

static void put_see_also_page(const sc_command *command, const char *path, void *context)
{
    see_also *list = context;
    if (command == list->self) return;
    char name[SC_PATH_SIZE];
    page_name(path, name);
    fputs(list->is_first ? ".BR " : ",\n.BR ", list->stream);
    put_typed(list->stream, name);
    fputs(" (1)", list->stream);
    list->is_first = false;
}

void sc_manpage_print(FILE *stream, const sc_command *root, const sc_command *command,
                      const char *path)
{
    char name[SC_PATH_SIZE];
    page_name(path, name);

    fputs(".TH \"", stream);
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '-') {
            fputs("\\-", stream);
        } else {
            fputc(toupper((unsigned char)*c), stream);
        }
    }
    fprintf(stream, "\" 1 %s \"StarCloak %s\" \"StarCloak manual\"\n", SC_RELEASE_DATE, SC_VERSION);
    // Left-aligned and unhyphenated, so that an option's name is never torn apart.
    fputs(".nh\n.ad l\n", stream);

    put_heading(stream, "Name");
    put_typed(stream, name);
    fputs(" \\- ", stream);
    put_text(stream, command->summary);
    fputc('\n', stream);

    put_heading(stream, "Synopsis");
    fputs(".B ", stream);
    put_typed(stream, path);
    fputs("\n[\\fIOPTION\\fR...]", stream);
    const char *arguments = command->children ? "COMMAND ..." : command->arguments;
    if (arguments) {
        fputc(' ', stream);
        put_typed(stream, arguments);
    }
    fputc('\n', stream);

    put_heading(stream, "Description");
    put_paragraphs(stream, command->description, ".PP");
    if (command->children) put_commands(stream, command, path);

    put_heading(stream, "Options");
    for (const sc_option *option = command->options; option && option->name; option++) {
        if (option->help) put_option(stream, option);
    }
    for (const sc_option *option = sc_common_options; option->name; option++) {
        if (option->help) put_option(stream, option);
    }
    for (const sc_topic *topic = command->topics; topic && topic->title; topic++) {
        put_entries(stream, topic->title, topic->entries);
    }
    if (command->examples) put_examples(stream, command->examples);
    put_entries(stream, "Exit status", sc_exit_statuses);
    put_entries(stream, "Environment", sc_environment);

    put_heading(stream, "See also");
    see_also list = {.stream = stream, .self = command, .is_first = true};
    sc_command_walk(root, put_see_also_page, &list);
    fputc('\n', stream);
}
