/*
 * `starcloak token issue`: a token for a user, on standard output.
 */
#include "token_arguments.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "values.h"

#define DAYS_DEFAULT 30
#define HOUR_S INT64_C(3600)
#define DAY_S INT64_C(86400)

/** Ten years; who wants more wants no end. */
#define DAYS_MAX 3650

typedef struct issue_options {
    const char *key;
    const char *user;
    int64_t seconds;  ///< how long it lasts; 0: nothing was said
    bool json;
} issue_options;

enum {
    KEY_KEY = SC_KEY_FIRST,
    KEY_USER,
    KEY_DAYS,
    KEY_HOURS,
    KEY_JSON,
};

static const sc_option options_table[] = {
    {"key", KEY_KEY, "FILE", "the key file; its first key signs (required)", SC_COMPLETE_FILES},
    {"user", KEY_USER, "NAME",
     "whom it is for: up to 64 bytes, the same for all tokens of one user (required)", NULL},
    {"days", KEY_DAYS, "N", "how long it is valid, 1 to 3,650 days (default 30)", NULL},
    {"hours", KEY_HOURS, "N", "instead: in hours (default: --days)", NULL},
    {"json", KEY_JSON, NULL, "print a JSON object with the token, its serial and its end", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void set_length(issue_options *options, const struct argp_state *state, const char *option,
                       const char *argument, int64_t unit_s)
{
    const uint64_t most = (uint64_t)(DAYS_MAX * DAY_S / unit_s);
    if (options->seconds != 0) sc_usage_error(state, "give either --days or --hours, and once");
    options->seconds = (int64_t)sc_value_count(state, option, argument, 1, most) * unit_s;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    issue_options *options = state->input;
    switch (key) {
    case KEY_KEY:
        options->key = sc_token_file_option(state, "--key", argument);
        return 0;
    case KEY_USER:
        options->user = argument;
        return 0;
    case KEY_DAYS:
        set_length(options, state, "--days", argument, DAY_S);
        return 0;
    case KEY_HOURS:
        set_length(options, state, "--hours", argument, HOUR_S);
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_ARG:
        sc_usage_error(state, "unexpected argument; the user is given with --user");
    case ARGP_KEY_END:
        if (!options->key) sc_usage_error(state, "no key given; add --key FILE");
        if (!options->user) sc_usage_error(state, "no user given; add --user NAME");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static sc_err print_token(const sc_token_keys *keys, const char *text, bool json)
{
    if (!json) {
        puts(text);
        return SC_OK;
    }
    sc_token token;
    const sc_err err = sc_token_check(keys, text, &token);
    if (err) return err;
    char expires[SC_TIME_TEXT_SIZE];
    printf("{\"token\":\"%s\",\"serial\":\"%016" PRIx64 "\",\"expires\":\"%s\"}\n", text,
           token.serial, sc_time_text_rfc3339(expires, token.expires_s));
    explicit_bzero(&token, sizeof(token));
    return SC_OK;
}

static int run(sc_call *call)
{
    issue_options options = {.key = NULL};
    sc_call_parse(call, &options);
    if (options.seconds == 0) options.seconds = DAYS_DEFAULT * DAY_S;

    sc_diag diag = {.message = ""};
    sc_token_keys *keys = NULL;
    char text[SC_TOKEN_SIZE];
    const int64_t now_s = (int64_t)time(NULL);
    sc_err err = sc_token_keys_read(options.key, &keys, &diag);
    if (!err) err = sc_token_issue(keys, options.user, now_s, now_s + options.seconds, text, &diag);
    if (!err) err = print_token(keys, text, options.json);
    sc_token_keys_free(keys);
    explicit_bzero(text, sizeof(text));
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak token issue --key token.key --user ann > ann.token",
     "A token for thirty days; starcloak query takes it with --token-file."},
    {"starcloak token issue --key token.key --user ann --hours 8 --json",
     "One for a working day, with the serial by which it can be revoked."},
    {NULL, NULL},
};

const sc_command sc_cmd_token_issue = {
    .name = "issue",
    .summary = "issue a token for a user",
    .description =
        "Sign a token and print it. It says who may ask with it, from when and until when; anyone "
        "who has it can ask as that user and can read the name in it. The service counts its "
        "users by these names: two names for one person count as two, so give each person one.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
