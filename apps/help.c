/*
 * `--help`: a command's table as text for a terminal. Everything printed here is
 * also in the manual page (manpage.c); the tables are the only source of both.
 */
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "values.h"

/** Lines longer than this are hard to read, however wide the window is. */
#define WIDTH_MAX 100
#define WIDTH_MIN 40
#define WIDTH_DEFAULT 80

/** Where the explanations of options and terms begin. */
#define TERM_COLUMN 28

static int terminal_width(void)
{
    uint64_t columns = 0;
    const char *wish = getenv("COLUMNS");
    if (!wish || !sc_text_to_count(wish, &columns) || columns == 0) {
        struct winsize size;
        columns = WIDTH_DEFAULT;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
            columns = size.ws_col;
        }
    }
    if (columns < WIDTH_MIN) return WIDTH_MIN;
    return columns > WIDTH_MAX ? WIDTH_MAX : (int)columns;
}

/** Print `text` from `column` on, breaking lines at blanks; lines begin at `indent`. */
static void print_wrapped(FILE *stream, const char *text, int column, int indent, int width)
{
    bool line_is_empty = true;
    while (*text != '\0') {
        if (*text == '\n') {
            fputs("\n\n", stream);
            column = 0;
            line_is_empty = true;
            text++;
            continue;
        }
        const int size = (int)strcspn(text, " \n");
        if (!line_is_empty && column + 1 + size >= width) {
            fputc('\n', stream);
            column = 0;
            line_is_empty = true;
        }
        if (line_is_empty) {
            for (; column < indent; column++) {
                fputc(' ', stream);
            }
        } else {
            fputc(' ', stream);
            column++;
        }
        fwrite(text, 1, (size_t)size, stream);
        column += size;
        line_is_empty = false;
        text += size;
        while (*text == ' ') {
            text++;
        }
    }
    fputc('\n', stream);
}

/** Print a term and its explanation beside it, or below if the term is long. */
static void print_entry(FILE *stream, const char *term, const char *text, int column, int width)
{
    int used = fprintf(stream, "  %s", term);
    if (used + 2 > column) {
        fputc('\n', stream);
        used = 0;
    }
    print_wrapped(stream, text, used, column, width);
}

static void print_option(FILE *stream, const sc_option *option, int width)
{
    char term[80];
    char letter[8] = "    ";
    if (option->key < SC_KEY_FIRST) snprintf(letter, sizeof(letter), "-%c, ", option->key);
    snprintf(term, sizeof(term), "%s--%s%s%s", letter, option->name, option->value ? "=" : "",
             option->value ? option->value : "");
    print_entry(stream, term, option->help, TERM_COLUMN, width);
}

/** The narrowest column that all terms fit in front of. */
static int column_for(const sc_entry *entries)
{
    int longest = 0;
    for (; entries->term; entries++) {
        const int size = (int)strlen(entries->term);
        if (size > longest) longest = size;
    }
    return longest + 4 > TERM_COLUMN ? TERM_COLUMN : longest + 4;
}

static void print_entries(FILE *stream, const char *title, const sc_entry *entries, int width)
{
    fprintf(stream, "\n%s:\n", title);
    const int column = column_for(entries);
    for (; entries->term; entries++) {
        print_entry(stream, entries->term, entries->text, column, width);
    }
}

static void print_commands(FILE *stream, const sc_command *group, int width)
{
    fputs("\nCommands:\n", stream);
    for (size_t i = 0; group->children[i]; i++) {
        print_entry(stream, group->children[i]->name, group->children[i]->summary, 14, width);
    }
}

static void print_examples(FILE *stream, const sc_entry *examples, int width)
{
    fputs("\nExamples:\n", stream);
    for (; examples->term; examples++) {
        fprintf(stream, "  %s\n", examples->term);
        print_wrapped(stream, examples->text, 0, 6, width);
    }
}

void sc_usage_print(FILE *stream, const sc_command *command, const char *path)
{
    const char *arguments = command->children ? "COMMAND ..." : command->arguments;
    fprintf(stream, "Usage: %s [OPTION...]%s%s\n", path, arguments ? " " : "",
            arguments ? arguments : "");
}

void sc_help_print(FILE *stream, const sc_command *command, const char *path, int width)
{
    if (width <= 0) width = terminal_width();
    sc_usage_print(stream, command, path);
    fputc('\n', stream);
    print_wrapped(stream, command->description, 0, 0, width);
    if (command->children) print_commands(stream, command, width);

    fputs("\nOptions:\n", stream);
    for (const sc_option *option = command->options; option && option->name; option++) {
        if (option->help) print_option(stream, option, width);
    }
    for (const sc_option *option = sc_common_options; option->name; option++) {
        if (option->help) print_option(stream, option, width);
    }
    for (const sc_topic *topic = command->topics; topic && topic->title; topic++) {
        print_entries(stream, topic->title, topic->entries, width);
    }
    if (command->examples) print_examples(stream, command->examples, width);
    print_entries(stream, "Exit status", sc_exit_statuses, width);
    if (command->children) {
        fprintf(stream, "\n'%s COMMAND --help' tells more about a command.\n", path);
    }
}
