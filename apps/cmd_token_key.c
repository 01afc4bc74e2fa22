/*
 * `starcloak token key`: a new file with a key, for its owner alone.
 */
#include "token_arguments.h"

typedef struct key_options {
    const char *path;
} key_options;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    key_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        sc_parse_file("key file", argument, state, &options->path);
        sc_token_file_option(state, "FILE", argument);
        return 0;
    case ARGP_KEY_END:
        if (!options->path) sc_usage_error(state, "no file given; name the one to make");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run(sc_call *call)
{
    key_options options = {.path = NULL};
    sc_call_parse(call, &options);
    sc_diag diag = {.message = ""};
    const sc_err err = sc_token_keys_write(options.path, &diag);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak token key token.key", "A new key."},
    {"starcloak token key new.key; cat old.key >> new.key",
     "A new key that signs from now on, with the old one behind it, so that tokens that are out "
     "there stay good until they expire."},
    {NULL, NULL},
};

const sc_command sc_cmd_token_key = {
    .name = "key",
    .summary = "make a key that signs tokens",
    .arguments = "FILE",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Write a new random key to a new file that only its owner may read. A file that is there "
        "is never replaced.\n"
        "A key file has one key per line, 64 hexadecimal digits, and comments that begin with #. "
        "The first key signs, all of them (up to 8) are accepted. Whoever has a key can ask as "
        "anybody: the file must not be readable for others than its owner and group.",
    .examples = examples,
    .parse = parse,
    .run = run,
};
