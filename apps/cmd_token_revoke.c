/*
 * `starcloak token revoke`: put tokens, or all of a user, on the list of those that are no longer
 * good. All tokens are checked before the first is put there.
 */
#include "token_arguments.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format.h"

typedef struct revoke_options {
    const char *key;
    const char *revoked;
    const char *user;
    char **arguments;  ///< of argv
    size_t argument_count;
} revoke_options;

enum {
    KEY_KEY = SC_KEY_FIRST,
    KEY_REVOKED,
    KEY_USER,
};

static const sc_option options_table[] = {
    {"key", KEY_KEY, "FILE", "the key file (required)", SC_COMPLETE_FILES},
    {"revoked", KEY_REVOKED, "FILE", "the list; made if there is none (required)",
     SC_COMPLETE_FILES},
    {"user", KEY_USER, "NAME",
     "revoke all tokens of this user that were issued up to now (default: the tokens given)", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void check_usage(const revoke_options *options, const struct argp_state *state)
{
    if (!options->key) sc_usage_error(state, "no key given; add --key FILE");
    if (!options->revoked) sc_usage_error(state, "no list given; add --revoked FILE");
    if (!options->user && options->argument_count == 0) {
        sc_usage_error(state, "nothing to revoke; give tokens, - for those on standard input, or "
                              "--user NAME");
    }
    if (options->user && options->argument_count > 0) {
        sc_usage_error(state, "--user revokes all tokens of a user; give either that or tokens");
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    revoke_options *options = state->input;
    switch (key) {
    case KEY_KEY:
        options->key = sc_token_file_option(state, "--key", argument);
        return 0;
    case KEY_REVOKED:
        options->revoked = sc_token_file_option(state, "--revoked", argument);
        return 0;
    case KEY_USER:
        options->user = argument;
        return 0;
    case ARGP_KEY_ARGS:
        // argp has put all arguments behind the options.
        options->arguments = state->argv + state->next;
        options->argument_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/** What was done, and what is left to do. */
static void tell(const char *path, const char *what)
{
    fputs(what, stdout);
    sc_print_text(stdout, path);
    puts(".\nThe service heeds it when it starts, and when it gets SIGHUP (systemctl reload).");
}

static sc_err revoke_user(const revoke_options *options, const sc_token_keys *keys, sc_diag *diag)
{
    const int64_t now_s = (int64_t)time(NULL);
    const sc_err err = sc_revoked_add(options->revoked, keys, NULL, options->user, now_s, diag);
    if (!err) tell(options->revoked, "All tokens of this user, issued up to now, are revoked in ");
    return err;
}

// --- Single tokens --------------------------------------------------------------------

static sc_err check_tokens(const sc_token_texts *texts, const sc_token_keys *keys, sc_token *out,
                           sc_diag *diag)
{
    for (size_t i = 0; i < texts->count; i++) {
        const sc_err err = sc_token_check(keys, texts->texts[i], &out[i]);
        if (!err) continue;
        snprintf(diag->message, sizeof(diag->message), "token %zu of %zu %s; nothing was revoked",
                 i + 1, texts->count,
                 err == SC_EPARSE ? "is none: they begin with sct1_"
                                  : "was signed by another key, and is worth nothing to a service "
                                    "that has this one");
        return err;
    }
    return SC_OK;
}

static sc_err add_tokens(const revoke_options *options, const sc_token_keys *keys,
                         const sc_token *tokens, size_t count, sc_diag *diag)
{
    const int64_t now_s = (int64_t)time(NULL);
    size_t expired = 0;
    for (size_t i = 0; i < count; i++) {
        const sc_err err = sc_revoked_add(options->revoked, keys, &tokens[i], NULL, now_s, diag);
        if (err) return err;
        expired += tokens[i].expires_s <= now_s;
    }
    char what[128];
    int used = snprintf(what, sizeof(what), "%zu token%s", count, count == 1 ? " is" : "s are");
    used += snprintf(what + used, sizeof(what) - (size_t)used, " revoked");
    if (expired > 0) {
        used += snprintf(what + used, sizeof(what) - (size_t)used,
                         " (%zu had expired and need not be listed)", expired);
    }
    snprintf(what + used, sizeof(what) - (size_t)used, " in ");
    tell(options->revoked, what);
    return SC_OK;
}

static sc_err revoke_tokens(const revoke_options *options, const sc_token_keys *keys, sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_token *tokens = NULL;
    sc_token_texts texts = {.texts = NULL};
    for (size_t i = 0; !err && i < options->argument_count; i++) {
        err = sc_token_texts_add(&texts, options->arguments[i], diag);
    }
    if (!err && texts.count == 0) {
        snprintf(diag->message, sizeof(diag->message), "there is no token on standard input");
        err = SC_EPARSE;
    }
    if (!err) {
        tokens = calloc(texts.count, sizeof(*tokens));
        err = tokens ? check_tokens(&texts, keys, tokens, diag) : SC_ENOMEM;
    }
    if (!err) err = add_tokens(options, keys, tokens, texts.count, diag);
    if (tokens) explicit_bzero(tokens, texts.count * sizeof(*tokens));
    free(tokens);
    sc_token_texts_fini(&texts);
    return err;
}

static int run(sc_call *call)
{
    revoke_options options = {.key = NULL};
    sc_call_parse(call, &options);
    sc_diag diag = {.message = ""};
    sc_token_keys *keys = NULL;
    sc_err err = sc_token_keys_read(options.key, &keys, &diag);
    if (!err) {
        err = options.user ? revoke_user(&options, keys, &diag)
                           : revoke_tokens(&options, keys, &diag);
    }
    sc_token_keys_free(keys);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak token revoke --key token.key --revoked revoked.txt - < ann.token",
     "One token; others of the same user stay good."},
    {"starcloak token revoke --key token.key --revoked revoked.txt --user ann",
     "All that ann was given up to now. What is issued from the next second on is good."},
    {NULL, NULL},
};

const sc_command sc_cmd_token_revoke = {
    .name = "revoke",
    .summary = "put tokens on the list of those that are no longer good",
    .arguments = "[TOKEN...]",
    .description =
        "Add tokens, or all tokens of a user, to the list of revoked tokens. The service reads the "
        "list when it starts and when it gets SIGHUP. The list names nobody: tokens stand there "
        "by their serial, users by a hash under the key. Lines of tokens that have expired are "
        "dropped; comments stay.\n"
        "With - in place of a token, tokens are read from standard input, one per line.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
