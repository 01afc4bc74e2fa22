/*
 * `starcloak oblivious keys`: the file of keys that sealed requests are opened with, where several
 * gateways share it or it is to outlive a restart. Called regularly, it makes the next key when its
 * time has come, and forgets those that have ended.
 */
#include "command.h"
#include "oblivious/oblivious_keys.h"
#include "values.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_DEFAULT_S 86400.0
#define YEAR_S 31536000.0

typedef struct keys_options {
    const char *path;
    double period_s;
} keys_options;

enum { KEY_PERIOD = SC_KEY_FIRST };

static const sc_option options_table[] = {
    {"period", KEY_PERIOD, "S",
     "seconds for which each key is published; it is honoured for half as long after that (default "
     "86400)",
     NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    keys_options *options = state->input;
    switch (key) {
    case KEY_PERIOD:
        options->period_s = sc_value_number(state, "--period", argument, 60, YEAR_S);
        return 0;
    case ARGP_KEY_ARG:
        sc_parse_file("file of keys", argument, state, &options->path);
        return 0;
    case ARGP_KEY_END:
        if (!options->path) sc_usage_error(state, "no file given; name the file of keys");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static sc_err rotate(const keys_options *options, bool *is_made, size_t *count, sc_diag *diag)
{
    sc_ohttp_keys *old = NULL;
    sc_ohttp_keys *keys = NULL;
    sc_err err = SC_OK;
    if (access(options->path, F_OK) == 0 || errno != ENOENT) {
        err = sc_ohttp_keys_read(options->path, &old, diag);
        if (err) return err;
    }
    const sc_ohttp_rotation rotation = {.period_s = (int64_t)options->period_s,
                                        .grace_s = (int64_t)options->period_s / 2};
    uint8_t seed[SC_OHTTP_SEED_SIZE];
    randombytes_buf(seed, sizeof seed);
    err = sc_ohttp_keys_rotate(old, (int64_t)time(NULL), &rotation, seed, &keys, is_made);
    sodium_memzero(seed, sizeof seed);
    if (!err) err = sc_ohttp_keys_write(options->path, keys, diag);
    *count = keys ? sc_ohttp_keys_count(keys) : 0;
    sc_ohttp_keys_free(old);
    sc_ohttp_keys_free(keys);
    return err;
}

static int run(sc_call *call)
{
    keys_options options = {.period_s = PERIOD_DEFAULT_S};
    sc_call_parse(call, &options);
    sc_diag diag = {.message = ""};
    bool is_made = false;
    size_t count = 0;
    const sc_err err = sodium_init() < 0 ? SC_EIO : rotate(&options, &is_made, &count, &diag);
    if (err) return sc_call_fail(call, err, &diag);
    printf("%s: %zu %s, %s\n", options.path, count, count == 1 ? "key" : "keys",
           is_made ? "one of them new; send SIGHUP to the services that use the file"
                   : "none of them new");
    return SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak oblivious keys /etc/starcloak/oblivious-keys",
     "Make the file, or the next key in it if it is time; from a timer, every hour."},
    {NULL, NULL},
};

const sc_command sc_cmd_oblivious_keys = {
    .name = "keys",
    .summary = "make and rotate the keys that sealed requests are opened with",
    .arguments = "FILE",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Keep a file of keys for Oblivious HTTP (setting oblivious-keys), which several gateways "
        "may share. The file is made if it is not there. The next key is made half a period before "
        "it is published, so that all gateways have it by then, and a key whose time is over is "
        "removed. Call it more often than twice in a period, and send SIGHUP to the services "
        "afterwards. A service without such a file makes its keys by itself.",
    .options = options_table,
    .parse = parse,
    .run = run,
    .examples = examples,
};
