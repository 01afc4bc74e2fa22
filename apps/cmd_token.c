/*
 * `starcloak token`: tokens, without which the service refuses queries. `key` makes a key file,
 * `issue` signs a token, `show` checks one, `revoke` adds tokens or a user to the list of those
 * that are refused.
 *
 * A token on the command line is visible to all who may list processes; "-" reads it from standard
 * input instead. No message repeats a token or a user.
 */
#include "command.h"
#include "format.h"
#include "server/revoked.h"
#include "server/token.h"
#include "values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** Texts that may be tokens. Zero-initialise; token_texts_fini() when done. */
typedef struct token_texts {
    char **texts;
    size_t count;
} token_texts;

/** Room for a time as below. */
#define SC_TIME_TEXT_SIZE 40

// --- Tokens, times and files --------------------------------------------------------------------

/** Options without a letter, of all the commands here. */
enum { KEY_KEY = SC_KEY_FIRST, KEY_USER, KEY_DAYS, KEY_HOURS, KEY_JSON, KEY_REVOKED };

/** More on one command line, or in one input, is a mistake. */
enum { TOKENS_MAX = 100000 };

/** Take `size` bytes of `text` down as one more. */
static sc_err take_down(token_texts *texts, const char *text, size_t size, sc_diag *diag)
{
    char **larger = texts->count < TOKENS_MAX
                        ? realloc(texts->texts, (texts->count + 1) * sizeof(*larger))
                        : NULL;
    if (larger) texts->texts = larger;
    char *copy = larger ? strndup(text, size) : NULL;
    if (!copy) return sc_explain(diag, SC_ENOMEM, "too many tokens; give fewer at a time");
    texts->texts[texts->count++] = copy;
    return SC_OK;
}

/** The lines of standard input, without blanks around them; empty ones are passed over. */
static sc_err read_lines(token_texts *texts, sc_diag *diag)
{
    static const char blanks[] = " \t\r\n";
    // Room for the longest token and some blanks; what is longer is none, and comes in pieces that
    // are none either.
    char line[2 * SC_TOKEN_SIZE];
    sc_err err = SC_OK;
    while (!err && fgets(line, sizeof(line), stdin)) {
        const size_t before = strspn(line, blanks);
        size_t size = strlen(line);
        while (size > before && strchr(blanks, line[size - 1])) {
            size--;
        }
        if (size > before) err = take_down(texts, line + before, size - before, diag);
    }
    explicit_bzero(line, sizeof(line));
    if (!err && ferror(stdin)) {
        err = sc_explain(diag, SC_EIO, "reading standard input failed: %s", strerror(errno));
    }
    return err;
}

/** Take down an argument; "-" stands for the lines of standard input. */
static sc_err token_texts_add(token_texts *texts, const char *argument, sc_diag *diag)
{
    if (strcmp(argument, "-") == 0) return read_lines(texts, diag);
    return take_down(texts, argument, strlen(argument), diag);
}

/** Wipe and free. */
static void token_texts_fini(token_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        explicit_bzero(texts->texts[i], strlen(texts->texts[i]));
        free(texts->texts[i]);
    }
    free(texts->texts);
    *texts = (token_texts){.texts = NULL};
}

/** "2026-11-15 12:00:00 UTC", or with a T and a Z instead (RFC 3339). Returns `out`. */
static const char *time_text(char out[SC_TIME_TEXT_SIZE], int64_t time_s, bool is_rfc3339)
{
    struct tm utc;
    if (gmtime_r(&(time_t){time_s}, &utc)) {
        strftime(out, SC_TIME_TEXT_SIZE,
                 is_rfc3339 ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M:%S UTC", &utc);
    } else {  // a token may last longer than calendars reach
        snprintf(out, SC_TIME_TEXT_SIZE, "second %" PRId64 " since 1970", time_s);
    }
    return out;
}

/** For the value of --key and --revoked: the name of a file, which must not be empty or "-". */
static const char *token_file_option(const struct argp_state *state, const char *option,
                                     const char *argument)
{
    if (strcmp(argument, "-") == 0) {
        sc_usage_error(state, "%s: - cannot be used here; name a file", option);
    }
    return sc_value_file(state, option, argument);
}

/** Of all the commands here; each uses some. */
typedef struct token_options {
    const char *path;     ///< of the key file to make
    const char *key;      ///< the key file to use
    const char *revoked;  ///< the list of revoked tokens
    const char *user;
    int64_t seconds;  ///< how long a token lasts; 0: nothing was said
    bool json;
    char **arguments;  ///< tokens, of argv
    size_t argument_count;
} token_options;

/** What several commands have. */
static error_t parse_shared(int key, char *argument, struct argp_state *state)
{
    token_options *options = state->input;
    switch (key) {
    case KEY_KEY:
        options->key = token_file_option(state, "--key", argument);
        return 0;
    case KEY_REVOKED:
        options->revoked = token_file_option(state, "--revoked", argument);
        return 0;
    case KEY_USER:
        if (*argument == '\0') sc_usage_error(state, "--user: the name of the user is empty");
        options->user = argument;
        return 0;
    case ARGP_KEY_ARGS:
        // argp has put all arguments behind the options.
        options->arguments = state->argv + state->next;
        options->argument_count = (size_t)(state->argc - state->next);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- token key ----------------------------------------------------------------------------------

static error_t parse_key(int key, char *argument, struct argp_state *state)
{
    token_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        sc_parse_file("key file", argument, state, &options->path);
        token_file_option(state, "FILE", argument);
        return 0;
    case ARGP_KEY_END:
        if (!options->path) sc_usage_error(state, "no file given; name the file to create");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run_key(sc_call *call)
{
    token_options options = {.path = NULL};
    sc_call_parse(call, &options);
    sc_diag diag = {.message = ""};
    const sc_err err = sc_token_keys_write(options.path, &diag);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry key_examples[] = {
    {"starcloak token key token.key", "A new key."},
    {"starcloak token key new.key; cat old.key >> new.key",
     "A new key that signs from now on, with the old one behind it, so that tokens issued before "
     "stay valid until they expire."},
    {NULL, NULL},
};

static const sc_command cmd_token_key = {
    .name = "key",
    .summary = "make a key that signs tokens",
    .arguments = "FILE",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Write a new random key to a new file that only its owner may read. An existing file is "
        "never replaced.\nA key file has one key per line, 64 hexadecimal digits, and comments "
        "that begin with #. The first key signs, all of them (up to 8) are accepted. Anyone who "
        "has a key can ask as any user: only its owner and group may be able to read the file.",
    .examples = key_examples,
    .parse = parse_key,
    .run = run_key,
};

// --- token issue --------------------------------------------------------------------------------

#define DAYS_DEFAULT 30
#define HOUR_S INT64_C(3600)
#define DAY_S INT64_C(86400)

/** Ten years; who wants more wants no end. */
#define DAYS_MAX 3650

static const sc_option issue_option_table[] = {
    {"key", KEY_KEY, "FILE", "the key file; its first key signs (required)", SC_COMPLETE_FILES},
    {"user", KEY_USER, "NAME",
     "the user: up to 64 bytes, the same for all tokens of one user (required)", NULL},
    {"days", KEY_DAYS, "N", "how long it is valid, 1 to 3,650 days (default 30)", NULL},
    {"hours", KEY_HOURS, "N", "how long it is valid, in hours (default: --days is used)", NULL},
    {"json", KEY_JSON, NULL,
     "print a JSON object with the token, its serial and its time of expiry", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void set_length(token_options *options, const struct argp_state *state, const char *option,
                       const char *argument, int64_t unit_s)
{
    const uint64_t most = (uint64_t)(DAYS_MAX * DAY_S / unit_s);
    if (options->seconds != 0)
        sc_usage_error(state, "give either --days or --hours, and only once");
    options->seconds = (int64_t)sc_value_count(state, option, argument, 1, most) * unit_s;
}

static error_t parse_issue(int key, char *argument, struct argp_state *state)
{
    token_options *options = state->input;
    switch (key) {
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
        return parse_shared(key, argument, state);
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
           token.serial, time_text(expires, token.expires_s, true));
    explicit_bzero(&token, sizeof(token));
    return SC_OK;
}

static int run_issue(sc_call *call)
{
    token_options options = {.key = NULL};
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

static const sc_entry issue_examples[] = {
    {"starcloak token issue --key token.key --user ann > ann.token",
     "A token for thirty days; starcloak query takes it with --token-file."},
    {"starcloak token issue --key token.key --user ann --hours 8 --json",
     "One for a working day, with the serial by which it can be revoked."},
    {NULL, NULL},
};

static const sc_command cmd_token_issue = {
    .name = "issue",
    .summary = "issue a token for a user",
    .description = "Sign a token and print it. It contains the user, and from when and until when "
                   "it is valid. Anyone who has the token can ask as that user and can read the "
                   "name in it. The service counts users by these names: two names of one person "
                   "count as two users, so give each person one name.",
    .options = issue_option_table,
    .examples = issue_examples,
    .parse = parse_issue,
    .run = run_issue,
};

// --- token show ---------------------------------------------------------------------------------
//
// `starcloak token show`: what a token says, and whether the service would take it.

static const sc_option show_option_table[] = {
    {"key", KEY_KEY, "FILE",
     "the key file, to check the signature (default: the signature is not checked)",
     SC_COMPLETE_FILES},
    {"revoked", KEY_REVOKED, "FILE",
     "the list of revoked tokens; needs --key (default: revocation is not checked)",
     SC_COMPLETE_FILES},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse_show(int key, char *argument, struct argp_state *state)
{
    const token_options *options = state->input;
    if (key != ARGP_KEY_END) return parse_shared(key, argument, state);
    if (options->argument_count == 0) {
        sc_usage_error(state, "no token given; name one, or - for standard input");
    }
    if (options->argument_count > 1)
        sc_usage_error(state, "more than one token given; show one at a time");
    if (options->revoked && !options->key) {
        sc_usage_error(
            state, "--revoked needs --key: the list names users only by a hash made with the key");
    }
    return 0;
}

/** What is found out about a token, beside what it says. */
typedef struct finding {
    sc_token token;
    bool is_signed;
    bool is_revoked;
} finding;

static sc_err examine(const token_options *options, const char *text, finding *out, sc_diag *diag)
{
    sc_token_keys *keys = NULL;
    sc_revoked *revoked = NULL;
    sc_err err = sc_token_read(text, &out->token);
    if (err) {
        err =
            sc_explain(diag, err, "this is not a token; a token begins with sct1_ and is one line");
    }
    if (!err && options->key) err = sc_token_keys_read(options->key, &keys, diag);
    if (!err && options->revoked) err = sc_revoked_read(options->revoked, &revoked, diag);
    if (!err && keys) out->is_signed = sc_token_check(keys, text, &out->token) == SC_OK;
    if (!err && revoked) out->is_revoked = sc_revoked_has(revoked, keys, &out->token);
    sc_revoked_free(revoked);
    sc_token_keys_free(keys);
    return err;
}

/** "29 days", "8 hours", "3 minutes". */
static void put_duration(int64_t seconds)
{
    static const int64_t sizes_s[] = {DAY_S, HOUR_S, 60, 1};
    static const char *const names[] = {"day", "hour", "minute", "second"};
    size_t i = 0;
    while (i < 3 && seconds < 2 * sizes_s[i]) {
        i++;
    }
    const int64_t count = seconds / sizes_s[i];
    printf("%" PRId64 " %s%s", count, names[i], count == 1 ? "" : "s");
}

static void print_finding(const token_options *options, const finding *f, int64_t now_s)
{
    const sc_token *token = &f->token;
    const int64_t left_s = token->expires_s - now_s;
    char time[SC_TIME_TEXT_SIZE];
    fputs("user       ", stdout);
    sc_print_text(stdout, token->user);
    printf("\nserial     %016" PRIx64 "\n", token->serial);
    printf("issued     %s\n", time_text(time, token->issued_s, false));
    printf("expires    %s (%s", time_text(time, token->expires_s, false),
           left_s <= 0 ? "expired for " : "in ");
    put_duration(left_s <= 0 ? -left_s : left_s);
    printf(")\nsignature  %s\n", !options->key  ? "not checked (no --key given)"
                                 : f->is_signed ? "good"
                                                : "not made with one of these keys");
    printf("revoked    %s\n", !options->revoked ? "not checked (no --revoked given)"
                              : f->is_revoked   ? "yes"
                                                : "no");
}

static int run_show(sc_call *call)
{
    token_options options = {.key = NULL};
    sc_call_parse(call, &options);
    sc_diag diag = {.message = ""};
    token_texts texts = {.texts = NULL};
    finding f = {.is_signed = false};
    const int64_t now_s = (int64_t)time(NULL);
    sc_err err = token_texts_add(&texts, options.arguments[0], &diag);
    if (!err && texts.count != 1) {
        err = sc_explain(&diag, SC_EPARSE, "%s on standard input; give exactly one",
                         texts.count == 0 ? "there is no token" : "there are several tokens");
    }
    if (!err) err = examine(&options, texts.texts[0], &f, &diag);
    if (!err) print_finding(&options, &f, now_s);
    const bool is_good =
        f.token.expires_s > now_s && (!options.key || f.is_signed) && !f.is_revoked;
    explicit_bzero(&f, sizeof(f));
    token_texts_fini(&texts);
    if (err) return sc_call_fail(call, err, &diag);
    return is_good ? SC_EXIT_OK : SC_EXIT_FAILURE;
}

static const sc_entry show_examples[] = {
    {"starcloak token show - < ann.token",
     "The token's content; the token is not visible in the list of processes."},
    {"starcloak token show - --key token.key --revoked revoked.txt < ann.token",
     "And whether the service accepts it."},
    {NULL, NULL},
};

static const sc_command cmd_token_show = {
    .name = "show",
    .summary = "show what a token contains, and whether it is valid",
    .arguments = "TOKEN",
    .description =
        "Print the user of a token, when it was issued and when it expires, and with --key whether "
        "it was signed by one of these keys. The exit status is 1 if it has expired, was revoked, "
        "or is signed by another key, and 0 otherwise.\nWith - in place of the token it is read "
        "from standard input, and so is not visible in the list of processes.",
    .options = show_option_table,
    .examples = show_examples,
    .parse = parse_show,
    .run = run_show,
};

// --- token revoke -------------------------------------------------------------------------------
//
// `starcloak token revoke`: put tokens, or all of a user, on the list of those that are no longer
// good. All tokens are checked before the first is put there.

static const sc_option revoke_option_table[] = {
    {"key", KEY_KEY, "FILE", "the key file (required)", SC_COMPLETE_FILES},
    {"revoked", KEY_REVOKED, "FILE",
     "the list of revoked tokens; created if it does not exist (required)", SC_COMPLETE_FILES},
    {"user", KEY_USER, "NAME",
     "revoke all tokens of this user that were issued up to now (default: the tokens given)", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse_revoke(int key, char *argument, struct argp_state *state)
{
    const token_options *options = state->input;
    if (key != ARGP_KEY_END) return parse_shared(key, argument, state);
    if (!options->key) sc_usage_error(state, "no key given; add --key FILE");
    if (!options->revoked) sc_usage_error(state, "no list given; add --revoked FILE");
    if (!options->user && options->argument_count == 0) {
        sc_usage_error(state, "nothing to revoke; give tokens, - for those on standard input, or "
                              "--user NAME");
    }
    if (options->user && options->argument_count > 0) {
        sc_usage_error(state, "--user revokes all tokens of a user; give either that or tokens");
    }
    return 0;
}

/** What was done, and what is left to do. */
static void tell(const char *path, const char *what)
{
    fputs(what, stdout);
    sc_print_text(stdout, path);
    puts(".\nThe service reads it when it starts, and when it gets SIGHUP (systemctl reload).");
}

static sc_err check_tokens(const token_texts *texts, const sc_token_keys *keys, sc_token *out,
                           sc_diag *diag)
{
    for (size_t i = 0; i < texts->count; i++) {
        const sc_err err = sc_token_check(keys, texts->texts[i], &out[i]);
        if (!err) continue;
        return sc_explain(
            diag, err, "token %zu of %zu %s; nothing was revoked", i + 1, texts->count,
            err == SC_EPARSE ? "is not a token; tokens begin with sct1_"
                             : "was signed by another key; a service with this key refuses it");
    }
    return SC_OK;
}

static sc_err add_tokens(const token_options *options, const sc_token_keys *keys,
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
    char of_expired[64] = "";
    if (expired > 0) {
        snprintf(of_expired, sizeof(of_expired), " (%zu had expired and need not be listed)",
                 expired);
    }
    snprintf(what, sizeof(what), "%zu token%s revoked%s in ", count, count == 1 ? " is" : "s are",
             of_expired);
    tell(options->revoked, what);
    return SC_OK;
}

static sc_err revoke_tokens(const token_options *options, const sc_token_keys *keys, sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_token *tokens = NULL;
    token_texts texts = {.texts = NULL};
    for (size_t i = 0; !err && i < options->argument_count; i++) {
        err = token_texts_add(&texts, options->arguments[i], diag);
    }
    if (!err && texts.count == 0) {
        err = sc_explain(diag, SC_EPARSE, "there is no token on standard input");
    }
    if (!err) {
        tokens = calloc(texts.count, sizeof(*tokens));
        err = tokens ? check_tokens(&texts, keys, tokens, diag) : SC_ENOMEM;
    }
    if (!err) err = add_tokens(options, keys, tokens, texts.count, diag);
    if (tokens) explicit_bzero(tokens, texts.count * sizeof(*tokens));
    free(tokens);
    token_texts_fini(&texts);
    return err;
}

static int run_revoke(sc_call *call)
{
    token_options options = {.key = NULL};
    sc_call_parse(call, &options);
    sc_diag diag = {.message = ""};
    sc_token_keys *keys = NULL;
    sc_err err = sc_token_keys_read(options.key, &keys, &diag);
    if (!err && !options.user) err = revoke_tokens(&options, keys, &diag);
    if (!err && options.user) {
        const int64_t now_s = (int64_t)time(NULL);
        err = sc_revoked_add(options.revoked, keys, NULL, options.user, now_s, &diag);
        if (!err)
            tell(options.revoked, "All tokens of this user, issued up to now, are revoked in ");
    }
    sc_token_keys_free(keys);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry revoke_examples[] = {
    {"starcloak token revoke --key token.key --revoked revoked.txt - < ann.token",
     "One token; others of the same user stay valid."},
    {"starcloak token revoke --key token.key --revoked revoked.txt --user ann",
     "All tokens of ann issued up to now. Tokens issued from the next second on are valid."},
    {NULL, NULL},
};

static const sc_command cmd_token_revoke = {
    .name = "revoke",
    .summary = "revoke tokens",
    .arguments = "[TOKEN...]",
    .description = "Add tokens, or all tokens of a user, to the list of revoked tokens. The "
                   "service reads the list when it starts and when it gets SIGHUP. The list names "
                   "no user: it has tokens by their serial, and users by a hash made with the key. "
                   "Lines of expired tokens are removed; comments stay.\nWith - in place of a "
                   "token, tokens are read from standard input, one per line.",
    .options = revoke_option_table,
    .examples = revoke_examples,
    .parse = parse_revoke,
    .run = run_revoke,
};

// --- The group ----------------------------------------------------------------------------------

static const sc_command *const token_commands[] = {
    &cmd_token_key, &cmd_token_issue, &cmd_token_show, &cmd_token_revoke, NULL,
};

static const sc_entry examples[] = {
    {"starcloak token key token.key", "Make a key; the service gets it with --token-keys."},
    {"starcloak token issue --key token.key --user ann > ann.token",
     "Let ann ask for thirty days."},
    {"starcloak token revoke --key token.key --revoked revoked.txt - < ann.token",
     "Revoke the token."},
    {NULL, NULL},
};

const sc_command sc_cmd_token = {
    .name = "token",
    .summary = "issue, show and revoke the tokens of travellers",
    .description = "Every query to the service carries a token: a signed text with a user and the "
                   "time when it expires. It is signed so that no client can ask as another user, "
                   "or count as several users of one cloak. The service needs only the key and the "
                   "list of revoked tokens; it stores no tokens.",
    .examples = examples,
    .children = token_commands,
};
