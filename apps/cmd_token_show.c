/*
 * `starcloak token show`: what a token says, and whether the service would take it.
 */
#include "token_arguments.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "format.h"

typedef struct show_options {
    const char *argument;
    const char *key;
    const char *revoked;
} show_options;

enum {
    KEY_KEY = SC_KEY_FIRST,
    KEY_REVOKED,
};

static const sc_option options_table[] = {
    {"key", KEY_KEY, "FILE", "the key file, to check the signature (default: it is not checked)",
     SC_COMPLETE_FILES},
    {"revoked", KEY_REVOKED, "FILE",
     "the list of revoked tokens; needs --key (default: it is not looked for)", SC_COMPLETE_FILES},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    show_options *options = state->input;
    switch (key) {
    case KEY_KEY:
        options->key = sc_token_file_option(state, "--key", argument);
        return 0;
    case KEY_REVOKED:
        options->revoked = sc_token_file_option(state, "--revoked", argument);
        return 0;
    case ARGP_KEY_ARG:
        if (options->argument) sc_usage_error(state, "one token at a time");
        options->argument = argument;
        return 0;
    case ARGP_KEY_END:
        if (!options->argument) {
            sc_usage_error(state, "no token given; name one, or - for standard input");
        }
        if (options->revoked && !options->key) {
            sc_usage_error(state, "--revoked needs --key: users stand in the list under a key");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/** What is found out about a token, beside what it says. */
typedef struct finding {
    sc_token token;
    bool is_checked;
    bool is_signed;
    bool is_looked_up;
    bool is_revoked;
    int64_t now_s;
} finding;

static sc_err examine(const show_options *options, const char *text, finding *out, sc_diag *diag)
{
    sc_token_keys *keys = NULL;
    sc_revoked *revoked = NULL;
    sc_err err = sc_token_read(text, &out->token);
    if (err) {
        snprintf(diag->message, sizeof(diag->message),
                 "this is not a token, which begins with sct1_ and ends where its line does");
    }
    if (!err && options->key) {
        err = sc_token_keys_read(options->key, &keys, diag);
        out->is_checked = true;
    }
    if (!err && options->revoked) {
        err = sc_revoked_read(options->revoked, &revoked, diag);
        out->is_looked_up = true;
    }
    if (!err && keys) out->is_signed = sc_token_check(keys, text, &out->token) == SC_OK;
    if (!err && revoked) out->is_revoked = sc_revoked_has(revoked, keys, &out->token);
    sc_revoked_free(revoked);
    sc_token_keys_free(keys);
    return err;
}

/** "29 days", "8 hours", "3 minutes". */
static void put_duration(int64_t seconds)
{
    static const struct {
        int64_t size_s;
        const char *name;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    size_t i = 0;
    while (i < 3 && seconds < 2 * units[i].size_s) {
        i++;
    }
    const int64_t count = seconds / units[i].size_s;
    printf("%" PRId64 " %s%s", count, units[i].name, count == 1 ? "" : "s");
}

static void print_finding(const finding *f)
{
    const sc_token *token = &f->token;
    const bool is_over = token->expires_s <= f->now_s;
    char time[SC_TIME_TEXT_SIZE];
    fputs("user       ", stdout);
    sc_print_text(stdout, token->user);
    printf("\nserial     %016" PRIx64 "\n", token->serial);
    printf("issued     %s\n", sc_time_text(time, token->issued_s));
    printf("expires    %s (%s", sc_time_text(time, token->expires_s),
           is_over ? "expired, for " : "in ");
    put_duration(is_over ? f->now_s - token->expires_s : token->expires_s - f->now_s);
    printf(")\nsignature  %s\n", !f->is_checked ? "not checked (no --key given)"
                                 : f->is_signed ? "good"
                                                : "not of one of these keys");
    printf("revoked    %s\n", !f->is_looked_up ? "not looked for (no --revoked given)"
                              : f->is_revoked  ? "yes"
                                               : "no");
}

static int show(const sc_call *call, const show_options *options, const sc_token_texts *texts)
{
    sc_diag diag = {.message = ""};
    if (texts->count != 1) {
        snprintf(diag.message, sizeof(diag.message), "%s on standard input; one is needed",
                 texts->count == 0 ? "there is no token" : "there are several tokens");
        return sc_call_fail(call, SC_EPARSE, &diag);
    }
    finding f = {.now_s = (int64_t)time(NULL)};
    const sc_err err = examine(options, texts->texts[0], &f, &diag);
    if (err) return sc_call_fail(call, err, &diag);
    print_finding(&f);
    const bool is_good =
        f.token.expires_s > f.now_s && (!f.is_checked || f.is_signed) && !f.is_revoked;
    explicit_bzero(&f, sizeof(f));
    return is_good ? SC_EXIT_OK : SC_EXIT_FAILURE;
}

static int run(sc_call *call)
{
    show_options options = {.argument = NULL};
    sc_call_parse(call, &options);
    sc_diag diag = {.message = ""};
    sc_token_texts texts = {.texts = NULL};
    const sc_err err = sc_token_texts_add(&texts, options.argument, &diag);
    const int status = err ? sc_call_fail(call, err, &diag) : show(call, &options, &texts);
    sc_token_texts_fini(&texts);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak token show - < ann.token", "What it says, without showing it to others."},
    {"starcloak token show - --key token.key --revoked revoked.txt < ann.token",
     "And whether the service takes it."},
    {NULL, NULL},
};

const sc_command sc_cmd_token_show = {
    .name = "show",
    .summary = "show what a token says, and whether it is good",
    .arguments = "TOKEN",
    .description =
        "Print whose a token is, when it was issued and when it expires, and with --key whether it "
        "was signed by one of these keys. The exit status is 0 if nothing speaks against it, and 1 "
        "if it has expired, was revoked, or is signed by another key.\n"
        "With - in place of the token it is read from standard input, and does not stand in the "
        "list of processes.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
