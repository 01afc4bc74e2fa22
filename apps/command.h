/**
 * @file command.h
 * @brief What a subcommand is: one table that parsing, help, manual and completion read.
 *
 * A command says everything about itself once, in an sc_command. From it come
 * the argp parser (command.c), `--help` (help.c), the manual page (manpage.c)
 * and shell completion (completion.c), so these cannot disagree.
 *
 * Adding a command: apps/cmd_<name>.c with its table and its run function, and
 * its address in the list of its parent in starcloak.c.
 */
#ifndef SC_APPS_COMMAND_H
#define SC_APPS_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <starcloak/err.h>

/** The project's number comes from the build (scripts/version); the date of the release is written
 * down here, so that the same source gives the same manual pages on every day. */
#ifndef SC_VERSION
#error "SC_VERSION comes from CMakeLists.txt"
#endif
#define SC_RELEASE_DATE "2026-11-15"

/** Exit statuses; scripts rely on these. */
enum {
    SC_EXIT_OK = 0,
    SC_EXIT_FAILURE = 1,
    SC_EXIT_USAGE = 2,
};

/** What completion offers for a value; anything else is a list of words, separated by blanks. */
#define SC_COMPLETE_FILES "@files"
#define SC_COMPLETE_MAPS "@maps"  ///< names ending in .scm
#define SC_COMPLETE_DIRECTORIES "@directories"

/** One option. A list of them ends with one that has no name. */
typedef struct sc_option {
    const char *name;      ///< after the two dashes
    int key;               ///< its letter, or a number above 255 if it has none
    const char *value;     ///< what its value is called; NULL for a switch
    const char *help;      ///< NULL keeps it out of help and completion
    const char *complete;  ///< values to offer, as above; NULL for none
} sc_option;

/** Keys of options without a letter start here. */
enum { SC_KEY_FIRST = 256, SC_KEY_USAGE = 4096 };

/** A term and what it means. A list ends with one that has no term. */
typedef struct sc_entry {
    const char *term;
    const char *text;
} sc_entry;

/** A section of its own in help and manual. A list ends with one that has no title. */
typedef struct sc_topic {
    const char *title;
    const sc_entry *entries;
} sc_topic;

typedef struct sc_call sc_call;
typedef struct sc_command sc_command;

/** A command, or a group of commands. Texts are ASCII; '\n' parts paragraphs. */
struct sc_command {
    const char *name;         ///< one word without a dash
    const char *summary;      ///< one line, small first letter, no full stop
    const char *arguments;    ///< as the usage line shows them; NULL for none
    const char *complete;     ///< what completion offers for an argument
    const char *complete_2;   ///< for the second argument, if that is something else
    const char *description;  ///< whole sentences
    const sc_option *options;
    const sc_topic *topics;
    const sc_entry *examples;           ///< command line, and what it does
    const sc_command *const *children;  ///< NULL-ended; NULL if this is no group
    argp_parser_t parse;                ///< gets the options above and the arguments
    int (*run)(sc_call *call);          ///< returns an exit status; NULL for a group
};

/** Enough for every "starcloak map import". */
#define SC_PATH_SIZE 96

/** One use of a command. */
struct sc_call {
    const sc_command *root;
    const sc_command *command;
    char path[SC_PATH_SIZE];  ///< the words that led here, as messages show them
    int argc;
    char **argv;  ///< argv[0] is `path`
};

/** Find the command that argv names below `root`, and run it. Returns the exit status. */
int sc_command_main(const sc_command *root, int argc, char **argv);

/**
 * Parse the arguments of `call` by its table; the command's parser finds `input`
 * in state->input. Comes back only if they are fine: bad usage exits with 2
 * and a message, --help with 0.
 */
void sc_call_parse(sc_call *call, void *input);

/**
 * For the parser of a command that takes one map: hand it the keys of arguments and
 * of their end. It sets *path, and complains of none and of a second one.
 */
error_t sc_parse_map(int key, char *argument, const struct argp_state *state, const char **path);

/**
 * For an argument that names an input other than a map, of which there is one; `what` is
 * what complaints call it, as "record". Sets *path.
 */
void sc_parse_file(const char *what, const char *argument, const struct argp_state *state,
                   const char **path);

/** What a table calls the option with that key, without the dashes; NULL if it has none such. */
const char *sc_option_name(const sc_option *table, int key);

/**
 * Print "path: message" (or the fixed text of `err` if `diag` is empty) in one line,
 * whatever names are in it; returns the status.
 */
int sc_call_fail(const sc_call *call, sc_err err, const sc_diag *diag);

/** Write the sentence for sc_call_fail() (cut to fit) and return `err`. */
sc_err sc_explain(sc_diag *diag, sc_err err, const char *format, ...) SC_PRINTF(3, 4);

// Static analysis looks at one file at a time: so that it knows what is returned.
#ifdef __clang_analyzer__
static inline sc_err sc__explained(sc_err ignored, sc_err err)
{
    (void)ignored;
    return err;
}
#define sc_explain(diag, err, ...) sc__explained((sc_explain)((diag), (err), __VA_ARGS__), (err))
#endif

/** Say something beside the work, in the same form: "path: message" in one line. Any thread. */
void sc_call_note(const sc_call *call, const char *format, ...) SC_PRINTF(2, 3);

/** Complain about how the command was used, in one line and a hint, and exit with 2. */
_Noreturn void sc_usage_error(const struct argp_state *state, const char *format, ...)
    SC_PRINTF(2, 3);

/**
 * Flush and close standard output: what was not written (disk full) is an error too.
 * Returns `status`, or the status of a failure, with a message.
 */
int sc_stdout_close(const char *path, int status);

/**
 * The command that `words` (separated by blanks or dashes, with or without the
 * program's name) leads to, or NULL. `path`, of SC_PATH_SIZE, is set to its words.
 */
const sc_command *sc_command_find(const sc_command *root, const char *words, char *path);

/** Append a blank and `name` to `path`, which has SC_PATH_SIZE bytes. */
void sc_path_append(char *path, const char *name);

/** Call `visit` for `root` and all commands below it, parents first. */
void sc_command_walk(const sc_command *root,
                     void (*visit)(const sc_command *command, const char *path, void *context),
                     void *context);

// --- The renderers ----------------------------------------------------------

/** Print the help of `command`, wrapped at `width` columns (0: what the terminal has). */
void sc_help_print(FILE *stream, const sc_command *command, const char *path, int width);

/** Print its usage line alone. */
void sc_usage_print(FILE *stream, const sc_command *command, const char *path);

/** Print its manual page, in roff. */
void sc_manpage_print(FILE *stream, const sc_command *root, const sc_command *command,
                      const char *path);

/** Print the completion script for `shell`; false if that one is not known. */
bool sc_completion_print(FILE *stream, const sc_command *root, const char *shell);

/** The shells that sc_completion_print() knows, separated by blanks. */
#define SC_COMPLETION_SHELLS "bash fish zsh"

/** Options that every command has; ended as usual. */
extern const sc_option sc_common_options[];

/** What the exit statuses mean, the same for every command. */
extern const sc_entry sc_exit_statuses[];

/** What the program heeds in the environment. */
extern const sc_entry sc_environment[];

// --- The commands -----------------------------------------------------------

extern const sc_command sc_cmd_attack;
extern const sc_command sc_cmd_audit;
extern const sc_command sc_cmd_cloak;
extern const sc_command sc_cmd_cluster;
extern const sc_command sc_cmd_demo;
extern const sc_command sc_cmd_density;
extern const sc_command sc_cmd_evaluate;
extern const sc_command sc_cmd_experiment;
extern const sc_command sc_cmd_gateway;
extern const sc_command sc_cmd_issuer;
extern const sc_command sc_cmd_lbs;
extern const sc_command sc_cmd_oblivious_keys;
extern const sc_command sc_cmd_relay;
extern const sc_command sc_cmd_load;
extern const sc_command sc_cmd_map_check;
extern const sc_command sc_cmd_map_classes;
extern const sc_command sc_cmd_map_export;
extern const sc_command sc_cmd_map_generate;
extern const sc_command sc_cmd_map_import;
extern const sc_command sc_cmd_map_index;
extern const sc_command sc_cmd_map_info;
extern const sc_command sc_cmd_map_snap;
extern const sc_command sc_cmd_nearest;
extern const sc_command sc_cmd_partition;
extern const sc_command sc_cmd_provider_check;
extern const sc_command sc_cmd_queries;
extern const sc_command sc_cmd_query;
extern const sc_command sc_cmd_report;
extern const sc_command sc_cmd_serve;
extern const sc_command sc_cmd_simulate;
extern const sc_command sc_cmd_token;
extern const sc_command sc_cmd_verify;
extern const sc_command sc_cmd_worker;

#endif
