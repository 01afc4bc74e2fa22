// Flags from a file, put before those of the command line.
#include "flags_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FLAGS = 256, LINE_SIZE = 4096 };

static const char config_flag[] = "--config";

/** The value of --config; NULL if it is not given. */
static const char *find_config(const sc_call *call)
{
    const size_t size = sizeof config_flag - 1;
    const char *found = NULL;
    for (int i = 1; i < call->argc && strcmp(call->argv[i], "--") != 0; i++) {
        const char *word = call->argv[i];
        if (strncmp(word, config_flag, size) != 0) continue;
        if (word[size] == '=') found = word + size + 1;
        if (word[size] == '\0' && i + 1 < call->argc) found = call->argv[i + 1];
    }
    return found;
}

static bool is_given(const sc_call *call, const sc_option *option)
{
    const size_t size = strlen(option->name);
    for (int i = 1; i < call->argc && strcmp(call->argv[i], "--") != 0; i++) {
        const char *word = call->argv[i];
        if (word[0] != '-') continue;
        if (word[1] != '-' && option->key < SC_KEY_FIRST && word[1] == (char)option->key) {
            return true;
        }
        if (word[1] == '-' && strncmp(word + 2, option->name, size) == 0 &&
            (word[2 + size] == '\0' || word[2 + size] == '=')) {
            return true;
        }
    }
    return false;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    size_t size = strlen(text);
    while (size > 0 && isspace((unsigned char)text[size - 1])) {
        size--;
    }
    text[size] = '\0';
    return text;
}

static const sc_option *find_option(const sc_option *table, const char *name)
{
    for (; table->name; table++) {
        if (strcmp(table->name, name) == 0) return table;
    }
    return NULL;
}

/** One line's flag; *out stays NULL if there is nothing to add. */
static sc_err read_line(const sc_call *call, const sc_option *table, char *line, char **out,
                        const char **why)
{
    char *name = trim(line);
    if (*name == '\0' || *name == ';' || *name == '#' || *name == '[') return SC_OK;
    char *equals = strchr(name, '=');
    *why = "not of the form 'name = value'";
    if (!equals) return SC_EPARSE;
    *equals = '\0';
    const char *value = trim(equals + 1);
    name = trim(name);
    if (strcmp(name, "map") == 0) {
        *out = strdup(value);
        return *out ? SC_OK : SC_ENOMEM;
    }
    const sc_option *option = find_option(table, name);
    *why = "no setting has this name";
    if (!option || strcmp(name, config_flag + 2) == 0) return SC_EPARSE;
    if (is_given(call, option)) return SC_OK;
    if (!option->value) {
        *why = "give yes or no";
        if (strcmp(value, "no") == 0) return SC_OK;
        if (strcmp(value, "yes") != 0) return SC_EPARSE;
    }
    const size_t size = strlen(name) + strlen(value) + 4;
    *out = malloc(size);
    if (!*out) return SC_ENOMEM;
    snprintf(*out, size, option->value ? "--%s=%s" : "--%s", name, value);
    return SC_OK;
}

static sc_err read_lines(FILE *stream, const char *path, const sc_call *call,
                         const sc_option *table, sc_flags_file *out, sc_diag *diag)
{
    char line[LINE_SIZE];
    for (unsigned number = 1; fgets(line, sizeof line, stream); number++) {
        const char *why = "";
        char *flag = NULL;
        sc_err err = SC_EPARSE;
        if (!strchr(line, '\n') && strlen(line) == sizeof line - 1) {
            why = "the line is too long";
        } else if (out->text_count == MAX_FLAGS) {
            why = "too many lines";
        } else {
            err = read_line(call, table, line, &flag, &why);
        }
        if (err == SC_EPARSE) return sc_explain(diag, err, "%s:%u: %s", path, number, why);
        if (err) return err;
        if (flag) out->texts[out->text_count++] = flag;
    }
    return ferror(stream) ? sc_explain(diag, SC_EIO, "%s: cannot be read", path) : SC_OK;
}

sc_err sc_flags_file_read(sc_call *call, const sc_option *table, sc_flags_file *out, sc_diag *diag)
{
    const char *path = find_config(call);
    if (!path) return SC_OK;
    out->texts = calloc(MAX_FLAGS, sizeof *out->texts);
    out->argv = calloc((size_t)call->argc + MAX_FLAGS + 1, sizeof *out->argv);
    if (!out->texts || !out->argv) return SC_ENOMEM;
    FILE *stream = fopen(path, "re");
    if (!stream) return sc_explain(diag, SC_EIO, "%s: %s", path, strerror(errno));
    const sc_err err = read_lines(stream, path, call, table, out, diag);
    fclose(stream);
    if (err) return err;
    size_t count = 0;
    out->argv[count++] = call->argv[0];
    for (size_t i = 0; i < out->text_count; i++) {
        out->argv[count++] = out->texts[i];
    }
    for (int i = 1; i < call->argc; i++) {
        out->argv[count++] = call->argv[i];
    }
    call->argv = out->argv;
    call->argc = (int)count;
    return SC_OK;
}

void sc_flags_file_fini(sc_flags_file *file)
{
    for (size_t i = 0; i < file->text_count; i++) {
        free(file->texts[i]);
    }
    free(file->texts);
    free(file->argv);
}
