/*
 * The program: where it starts, and the tree of its commands.
 *
 * Each command is a file of its own, cmd_<name>.c, and says all about itself in
 * one table (command.h). The program adds options and output to the library.
 */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "values.h"

// --- starcloak help ---------------------------------------------------------

typedef struct help_options {
    char words[SC_PATH_SIZE];
} help_options;

static error_t parse_help(int key, char *argument, struct argp_state *state)
{
    help_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (strlen(options->words) + strlen(argument) + 2 > sizeof(options->words)) {
            sc_usage_error(state, "unknown command '%s'", argument);
        }
        sc_path_append(options->words, argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run_help(sc_call *call)
{
    help_options options = {.words = ""};
    sc_call_parse(call, &options);
    char path[SC_PATH_SIZE];
    const sc_command *command = sc_command_find(call->root, options.words, path);
    if (!command) {
        fprintf(stderr, "%s: unknown command '%s'\n", call->path, options.words + 1);
        fprintf(stderr, "Try '%s help'.\n", call->root->name);
        return SC_EXIT_USAGE;
    }
    sc_help_print(stdout, command, path, 0);
    return SC_EXIT_OK;
}

static const sc_entry help_examples[] = {
    {"starcloak help map import", "The same as 'starcloak map import --help'."},
    {NULL, NULL},
};

static const sc_command cmd_help = {
    .name = "help",
    .summary = "explain a command",
    .arguments = "[COMMAND...]",
    .complete =
        "map nearest queries cloak simulate evaluate verify density attack experiment "
        "serve demo lbs relay issuer oblivious provider token report audit query load partition "
        "gateway worker cluster help",
    .description =
        "Print what a command does and its options; without a command, list all commands.",
    .examples = help_examples,
    .parse = parse_help,
    .run = run_help,
};

// --- starcloak map ----------------------------------------------------------

static const sc_command *const map_commands[] = {
    &sc_cmd_map_import,  &sc_cmd_map_generate, &sc_cmd_map_index,
    &sc_cmd_map_info,    &sc_cmd_map_check,    &sc_cmd_map_snap,
    &sc_cmd_map_classes, &sc_cmd_map_export,   NULL,
};

static const sc_entry map_examples[] = {
    {"starcloak map generate --nodes 20k -o city.scm", "Make a city to play with."},
    {"starcloak map info city.scm", "Describe it."},
    {NULL, NULL},
};

static const sc_command cmd_map = {
    .name = "map",
    .summary = "make, examine and export road maps",
    .description =
        "Road maps are read once from one of several formats, and stored in a .scm file, which "
        "opens at once.\nA map is a graph: nodes joined by edges, straight pieces of road that are "
        "open one way or both ways. A segment is a road between two junctions or dead ends, "
        "however "
        "many edges it bends through. A star is a junction of at least three roads with all "
        "segments that end there; "
        "positions are hidden among the segments of stars.",
    .examples = map_examples,
    .children = map_commands,
};

// --- starcloak oblivious ----------------------------------------------------

static const sc_command *const oblivious_commands[] = {&sc_cmd_oblivious_keys, NULL};

static const sc_entry oblivious_examples[] = {
    {"starcloak oblivious keys sealed-keys", "Make the file, or the next key in it."},
    {NULL, NULL},
};

static const sc_command cmd_oblivious = {
    .name = "oblivious",
    .summary = "keys for requests that come sealed by a relay",
    .description = "Requests of Oblivious HTTP come sealed for the service by a relay ('starcloak "
                   "relay'), so that who asks and what is asked are not seen in one place.",
    .examples = oblivious_examples,
    .children = oblivious_commands,
};

// --- starcloak provider -----------------------------------------------------

static const sc_command *const provider_commands[] = {&sc_cmd_provider_check, NULL};

static const sc_entry provider_examples[] = {
    {"starcloak provider check http://localhost:9090/ city.scm", "Check a provider."},
    {NULL, NULL},
};

static const sc_command cmd_provider = {
    .name = "provider",
    .summary = "check providers of one's own",
    .description = "A provider answers cloaks: 'starcloak lbs' is one, and others can be written "
                   "that speak the provider protocol (docs/provider-protocol.md).",
    .examples = provider_examples,
    .children = provider_commands,
};

// --- starcloak --------------------------------------------------------------

enum {
    KEY_MAN = SC_KEY_FIRST,
    KEY_MAN_LIST,
    KEY_COMPLETION,
};

static const sc_option root_options[] = {
    {"version", 'V', NULL, "print the version and exit", NULL},
    {"completion", KEY_COMPLETION, "SHELL",
     "print the completion script for a shell (" SC_COMPLETION_SHELLS ") and exit",
     SC_COMPLETION_SHELLS},
    // For the build, which makes the manual pages with them.
    {"man", KEY_MAN, "COMMAND", NULL, NULL},
    {"man-list", KEY_MAN_LIST, NULL, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void print_page_name(const sc_command *command, const char *path, void *context)
{
    (void)command;
    (void)context;
    for (; *path != '\0'; path++) {
        putchar(*path == ' ' ? '-' : *path);
    }
    putchar('\n');
}

static error_t parse_root(int key, char *argument, struct argp_state *state)
{
    const sc_call *call = state->input;
    switch (key) {
    case 'V':
        printf("starcloak %s\nLicence: Apache-2.0\n", SC_VERSION);
        break;
    case KEY_COMPLETION:
        if (!sc_completion_print(stdout, call->root, argument)) {
            sc_usage_error(state, "--completion: unknown shell '%s'; known shells: %s", argument,
                           SC_COMPLETION_SHELLS);
        }
        break;
    case KEY_MAN: {
        char path[SC_PATH_SIZE];
        const sc_command *command = sc_command_find(call->root, argument, path);
        if (command) {
            sc_manpage_print(stdout, call->root, command, path);
        } else {
            sc_usage_error(state, "--man: unknown command '%s'", argument);
        }
        break;
    }
    case KEY_MAN_LIST:
        sc_command_walk(call->root, print_page_name, NULL);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    exit(sc_stdout_close(call->path, SC_EXIT_OK));
}

static const sc_command *const root_commands[] = {
    &cmd_map,         &sc_cmd_nearest,    &sc_cmd_queries,   &sc_cmd_cloak,
    &sc_cmd_simulate, &sc_cmd_evaluate,   &sc_cmd_verify,    &sc_cmd_density,
    &sc_cmd_attack,   &sc_cmd_experiment, &sc_cmd_serve,     &sc_cmd_demo,
    &sc_cmd_lbs,      &sc_cmd_relay,      &sc_cmd_issuer,    &cmd_oblivious,
    &cmd_provider,    &sc_cmd_token,      &sc_cmd_report,    &sc_cmd_audit,
    &sc_cmd_query,    &sc_cmd_load,       &sc_cmd_partition, &sc_cmd_gateway,
    &sc_cmd_worker,   &sc_cmd_cluster,    &cmd_help,         NULL,
};

static const sc_entry root_examples[] = {
    {"starcloak map import cal.cnode cal.cedge -o cal.scm", "Read a road map."},
    {"starcloak map info cal.scm", "Describe it."},
    {"starcloak simulate cal.scm --record run.jsonl",
     "Let 10,000 travellers ask for a minute, hide them, and keep a record."},
    {"starcloak evaluate cal.scm run.jsonl", "Answer their queries, and see what that takes."},
    {"starcloak verify cal.scm run.jsonl", "Check that every promise was kept."},
    {"starcloak experiment --quick -o taste",
     "Compare all methods on a generated city; starcloak-figures taste then draws the figures."},
    {"starcloak serve cal.scm", "Run the service for travellers' queries."},
    {"eval \"$(starcloak --completion bash)\"", "Complete starcloak's commands in this shell."},
    {NULL, NULL},
};

static const sc_command cmd_root = {
    .name = "starcloak",
    .summary = "hide positions of travellers among the roads around them",
    .description = "StarCloak protects travellers on roads who send location-based queries to "
                   "providers they do not trust: it replaces a position by a set of road segments "
                   "that is shared with other travellers.",
    .options = root_options,
    .examples = root_examples,
    .children = root_commands,
    .parse = parse_root,
};

/**
 * A program started with a standard stream closed would get that number for the
 * next file it opens, and write its messages into it. Fill the gap with
 * something that fails when it is used.
 */
static bool fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
        const int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (open("/dev/null", mode) != fd) return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (!fill_standard_streams()) return SC_EXIT_FAILURE;
    // Over the limit of file sizes: an error with a message, not a signal that ends the process.
    signal(SIGXFSZ, SIG_IGN);
    // The reader has left (`| head`): end without a word, whatever we inherited.
    signal(SIGPIPE, SIG_DFL);
    return sc_command_main(&cmd_root, argc, argv);
}
