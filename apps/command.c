/*
 * From a table to a parser: argp is given the options of a command, its
 * messages carry the words that led to it ("starcloak map import: ..."), and a
 * group hands what follows a subcommand's name on to that subcommand.
 *
 * Invariants:
 *  1. Bad usage exits with 2, before anything was read or written.
 *  2. Whatever exits here has first made sure that standard output is written.
 */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "values.h"

const sc_option sc_common_options[] = {
    {"help", 'h', NULL, "print this help and exit", NULL},
    {"usage", SC_KEY_USAGE, NULL, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};

const sc_entry sc_exit_statuses[] = {
    {"0", "Success."},
    {"1", "Something failed: a file is missing, damaged or of the wrong kind, the disk is full, or "
          "memory ran out. The message on standard error says what and where; output files stay as "
          "they were."},
    {"2", "The command line is wrong. Nothing was read or written."},
    {NULL, NULL},
};

const sc_entry sc_environment[] = {
    {"COLUMNS", "The width of help texts, if it is set."},
    {"STARCLOAK_TOKEN", "The token that 'starcloak query' asks with, if no option names one."},
    {NULL, NULL},
};

void sc_path_append(char *path, const char *name)
{
    const size_t used = strlen(path);
    snprintf(path + used, SC_PATH_SIZE - used, " %s", name);
}

/** One line on standard error, behind all that was printed before; from any thread. */
static void tell(const sc_call *call, const char *message)
{
    fflush(stdout);
    flockfile(stderr);
    fprintf(stderr, "%s: ", call->path);
    sc_print_text(stderr, message);
    fputc('\n', stderr);
    funlockfile(stderr);
}

int sc_call_fail(const sc_call *call, sc_err err, const sc_diag *diag)
{
    const bool is_told = diag && diag->message[0] != '\0';
    tell(call, is_told ? diag->message : sc_err_text(err));
    return SC_EXIT_FAILURE;
}

sc_err(sc_explain)(sc_diag *diag, sc_err err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(diag->message, sizeof(diag->message), format, arguments);
    va_end(arguments);
    return err;
}

void sc_call_note(const sc_call *call, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    tell(call, message);
}

void sc_usage_error(const struct argp_state *state, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    char shown[4 * sizeof(message)];
    sc_format_text(shown, sizeof(shown), message);
    argp_error(state, "%s", shown);
    exit(SC_EXIT_USAGE);  // argp_error() has exited; this tells the compiler
}

void sc_parse_file(const char *what, const char *argument, const struct argp_state *state,
                   const char **path)
{
    if (*path) sc_usage_error(state, "unexpected argument '%s'", argument);
    // Most likely a variable of the shell that is not set.
    if (argument[0] == '\0') sc_usage_error(state, "the name of the %s is empty", what);
    *path = argument;
}

const char *sc_option_name(const sc_option *table, int key)
{
    while (table->name && table->key != key) {
        table++;
    }
    return table->name;
}

error_t sc_parse_map(int key, char *argument, const struct argp_state *state, const char **path)
{
    switch (key) {
    case ARGP_KEY_ARG:
        if (*path) sc_usage_error(state, "unexpected argument '%s'; one map is needed", argument);
        if (strcmp(argument, "-") == 0) {
            sc_usage_error(state, "a map cannot come from standard input; name a FILE.scm");
        }
        sc_parse_file("map", argument, state, path);
        return 0;
    case ARGP_KEY_END:
        if (!*path) sc_usage_error(state, "no map given; name a FILE.scm");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// What an earlier failure left in errno, if it can be the reason of one to write.
static const char *earlier_reason(int error)
{
    static const int reasons[] = {ENOSPC, EDQUOT, EFBIG, EIO, EPIPE, EBADF};
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (error == reasons[i]) return strerror(error);
    }
    return "write error";
}

int sc_stdout_close(const char *path, int status)
{
    const char *reason = ferror(stdout) ? earlier_reason(errno) : NULL;
    if (fflush(stdout) != 0) reason = strerror(errno);
    if (fclose(stdout) != 0 && !reason) reason = strerror(errno);
    if (!reason) return status;

    fprintf(stderr, "%s: writing to standard output failed: %s\n", path, reason);
    return SC_EXIT_FAILURE;
}

// --- The tree ---------------------------------------------------------------

static const sc_command *find_child(const sc_command *group, const char *name, size_t size)
{
    for (size_t i = 0; group->children && group->children[i]; i++) {
        const char *candidate = group->children[i]->name;
        if (strlen(candidate) == size && memcmp(candidate, name, size) == 0) {
            return group->children[i];
        }
    }
    return NULL;
}

const sc_command *sc_command_find(const sc_command *root, const char *words, char *path)
{
    static const char separators[] = " -";
    const sc_command *command = root;
    bool first = true;
    snprintf(path, SC_PATH_SIZE, "%s", root->name);

    while (*(words += strspn(words, separators)) != '\0') {
        const size_t size = strcspn(words, separators);
        const bool is_program =
            first && size == strlen(root->name) && memcmp(words, root->name, size) == 0;
        if (!is_program) {
            command = find_child(command, words, size);
            if (!command) return NULL;
            sc_path_append(path, command->name);
        }
        first = false;
        words += size;
    }
    return command;
}

typedef void visitor(const sc_command *command, const char *path, void *context);

// The tree is as deep as a user can bear to type, so recursion is.
static void walk_from(const sc_command *command, const char *path, visitor *visit, void *context)
{
    visit(command, path, context);
    for (size_t i = 0; command->children && command->children[i]; i++) {
        char child_path[SC_PATH_SIZE];
        snprintf(child_path, sizeof(child_path), "%s", path);
        sc_path_append(child_path, command->children[i]->name);
        walk_from(command->children[i], child_path, visit, context);
    }
}

void sc_command_walk(const sc_command *root, visitor *visit, void *context)
{
    walk_from(root, root->name, visit, context);
}

// --- Parsing ----------------------------------------------------------------

/** What the parser of a command works on. */
typedef struct parse_context {
    sc_call *call;
    void *input;              ///< for the command's own parser
    const sc_command *child;  ///< of a group: what was asked for
    int child_index;          ///< where in argv its name stands
} parse_context;

static void choose_child(parse_context *context, const char *name, struct argp_state *state)
{
    const sc_command *group = context->call->command;
    context->child = find_child(group, name, strlen(name));
    if (context->child) {
        context->child_index = state->next - 1;
        state->next = state->argc;  // the rest is the child's to parse
        return;
    }

    sc_suggestion suggestion = sc_suggestion_for(name);
    for (size_t i = 0; group->children[i]; i++) {
        sc_suggestion_offer(&suggestion, group->children[i]->name);
    }
    if (suggestion.best) {
        sc_usage_error(state, "unknown command '%s'; did you mean '%s'?", name, suggestion.best);
    }
    sc_usage_error(state, "unknown command '%s'", name);
}

static _Noreturn void refuse_missing_child(const sc_command *group, struct argp_state *state)
{
    char names[512] = "";
    for (size_t i = 0; group->children[i]; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                 group->children[i]->name);
    }
    sc_usage_error(state, "no command given; choose one of: %s", names);
}

static error_t parse_key(int key, char *argument, struct argp_state *state)
{
    parse_context *context = state->input;
    const sc_command *command = context->call->command;
    const char *path = context->call->path;

    switch (key) {
    case 'h':
        sc_help_print(stdout, command, path, 0);
        exit(sc_stdout_close(path, SC_EXIT_OK));
    case SC_KEY_USAGE:
        sc_usage_print(stdout, command, path);
        exit(sc_stdout_close(path, SC_EXIT_OK));
    default:
        break;
    }
    if (command->children && key == ARGP_KEY_ARG) {
        choose_child(context, argument, state);
        return 0;
    }
    if (command->children && key == ARGP_KEY_NO_ARGS) refuse_missing_child(command, state);
    if (!command->parse) return ARGP_ERR_UNKNOWN;

    // The command's parser wants its own input, not ours.
    struct argp_state inner = *state;
    inner.input = context->input;
    const error_t result = command->parse(key, argument, &inner);
    state->next = inner.next;
    return result;
}

static size_t count_options(const sc_option *options)
{
    size_t count = 0;
    while (options && options[count].name) {
        count++;
    }
    return count;
}

static void add_options(struct argp_option *out, const sc_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (struct argp_option){
            .name = options[i].name,
            .key = options[i].key,
            .arg = options[i].value,
            .doc = "",
        };
    }
}

static void parse(parse_context *context)
{
    sc_call *call = context->call;
    const size_t own = count_options(call->command->options);
    const size_t common = count_options(sc_common_options);
    struct argp_option *options = calloc(own + common + 1, sizeof(*options));
    if (!options) {
        sc_call_fail(call, SC_ENOMEM, NULL);
        exit(SC_EXIT_FAILURE);
    }
    add_options(options, call->command->options, own);
    add_options(options + own, sc_common_options, common);

    const struct argp argp = {.options = options, .parser = parse_key};
    // A group reads in order: what follows a subcommand's name belongs to that one.
    const unsigned flags = ARGP_NO_HELP | (call->command->children ? ARGP_IN_ORDER : 0U);
    argp_err_exit_status = SC_EXIT_USAGE;
    const error_t error = argp_parse(&argp, call->argc, call->argv, flags, NULL, context);
    free(options);
    if (error) {
        fprintf(stderr, "%s: %s\n", call->path, strerror(error));
        exit(SC_EXIT_FAILURE);
    }
}

void sc_call_parse(sc_call *call, void *input)
{
    parse_context context = {.call = call, .input = input};
    parse(&context);
}

int sc_command_main(const sc_command *root, int argc, char **argv)
{
    sc_call call = {.root = root, .command = root, .argc = argc, .argv = argv};
    snprintf(call.path, sizeof(call.path), "%s", root->name);
    char no_name[] = "";
    char *no_arguments[] = {no_name, NULL};
    if (call.argc < 1) {  // a caller may leave out even the program's name
        call.argc = 1;
        call.argv = no_arguments;
    }

    call.argv[0] = call.path;
    while (!call.command->run) {
        parse_context context = {.call = &call, .input = &call};
        parse(&context);
        call.command = context.child;
        call.argc -= context.child_index;
        call.argv += context.child_index;
        sc_path_append(call.path, call.command->name);
        call.argv[0] = call.path;
    }
    return sc_stdout_close(call.path, call.command->run(&call));
}
