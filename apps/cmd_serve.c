/*
 * `starcloak serve`: the privacy proxy. Settings from a file and from flags, signals, and what is
 * said to the operator; the service itself is the library's (service/service.h).
 */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guard/token.h"
#include "sandbox/sandbox.h"
#include "serve_parts.h"
#include "serving.h"

// --- Usage ----------------------------------------------------------------------------

enum {
    KEY_CONFIG = 'c',
    KEY_CHECK = SC_KEY_FIRST,
    KEY_PRINT_CONFIG,
    KEY_SETTINGS,  ///< here the settings begin, in the order of the list
#define KEY(section, field, ...) KEY_##field,
    SC_SETTINGS(KEY, KEY, KEY, KEY, KEY, KEY)
#undef KEY
        KEY_END,
};

// clang-format off
#define LIST_ROW(section, field, name, value, standard, when, help) \
    {name, KEY_##field, value, help, NULL},
#define TEXT_ROW(section, field, name, value, standard, when, help) \
    {name, KEY_##field, value, help, SC_COMPLETE_FILES},
#define NUMBER_ROW(section, field, name, value, standard, least, most, when, help) \
    {name, KEY_##field, value, help, NULL},
#define SWITCH_ROW(section, field, name, when, help) \
    {name, KEY_##field, NULL, help, NULL},
#define WORD_ROW(section, field, name, value, words, standard, when, help) \
    {name, KEY_##field, value, help, words},

static const sc_option options_table[] = {
    {"config", KEY_CONFIG, "FILE.ini",
     "read settings from this file; flags go before it (default: none is read)", SC_COMPLETE_FILES},
    {"check", KEY_CHECK, NULL,
     "see whether all settings, and the files and databases that they name, are fine, and stop", NULL},
    {"print-config", KEY_PRINT_CONFIG, NULL,
     "print all settings as a file for --config, with what they mean, and stop", NULL},
    SC_SETTINGS(LIST_ROW, TEXT_ROW, NUMBER_ROW, NUMBER_ROW, SWITCH_ROW, WORD_ROW)
    {NULL, 0, NULL, NULL, NULL},
};
// clang-format on

/** A setting that was given as a flag. */
typedef struct flag {
    const char *name;
    const char *value;
} flag;

typedef struct serve_options {
    const char *config;
    bool is_check;
    bool is_print;
    flag *flags;  ///< in the order given; read again when the service is told to reload
    size_t flag_count;
} serve_options;

static void take_flag(serve_options *options, const char *name, const char *value)
{
    options->flags[options->flag_count++] = (flag){.name = name, .value = value};
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    serve_options *options = state->input;
    if (key > KEY_SETTINGS && key < KEY_END) {
        take_flag(options, sc_option_name(options_table, key), argument);
        return 0;
    }
    const char *map = NULL;
    switch (key) {
    case KEY_CONFIG:
        options->config = argument;
        return 0;
    case KEY_CHECK:
        options->is_check = true;
        return 0;
    case KEY_PRINT_CONFIG:
        options->is_print = true;
        return 0;
    case ARGP_KEY_ARG:
        for (size_t i = 0; i < options->flag_count; i++) {
            if (strcmp(options->flags[i].name, "map") == 0) map = options->flags[i].value;
        }
        sc_parse_map(key, argument, state, &map);
        take_flag(options, "map", map);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- Settings --------------------------------------------------------------------------

/** Flags over what is there. Of a list, the first flag replaces, others add. */
static sc_err apply_flags(const serve_options *options, sc_settings *settings, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < options->flag_count && !err; i++) {
        const flag *f = &options->flags[i];
        bool is_again = false;
        for (size_t j = 0; j < i; j++) {
            is_again = is_again || strcmp(options->flags[j].name, f->name) == 0;
        }
        err = is_again ? sc_settings_add(settings, f->name, f->value, diag)
                       : sc_settings_set(settings, f->name, f->value, diag);
    }
    return err;
}

/**
 * Defaults, file, flags; checked.
 *
 * @param is_usage  set to whether it is the flags that are wrong
 */
static sc_err gather(const serve_options *options, sc_settings **out, bool *is_usage, sc_diag *diag)
{
    sc_settings *settings = NULL;
    sc_err err = sc_settings_new(&settings);
    if (!err && options->config) err = sc_settings_read(settings, options->config, diag);
    *is_usage = !err;
    if (!err) err = apply_flags(options, settings, diag);
    *is_usage = *is_usage && err == SC_EINVAL;
    if (!err) err = sc_settings_check(settings, diag);
    if (err) {
        sc_settings_free(settings);
        return err;
    }
    *out = settings;
    return SC_OK;
}

// --- Serving -----------------------------------------------------------------------------

/** One service, from its settings on. */
typedef struct serving {
    sc_call *call;
    const serve_options *options;
    sc_settings *settings;
    sc_serve_parts parts;
    sc_service *service;
    bool has_revoked;  ///< the file of revoked tokens was there when it was last read
    sigset_t signals;
} serving;

static void tell_listening(const serving *s)
{
    sc_serving_tell_listening(s->parts.log, sc_service_http(s->service),
                              *s->settings->tls_certificate != '\0');
    sc_log_line line;
    if (sc_log_begin(s->parts.log, &line, SC_LOG_INFO, "ready")) {
        char user[64];
        sc_log_text(&line, "user", sc_sandbox_user(user, sizeof user));
        sc_log_text(&line, "sandbox", s->settings->no_sandbox ? "no" : "yes");
        sc_log_text(&line, "provider",
                    *s->settings->provider         ? "http"
                    : *s->settings->point_provider ? "points"
                                                   : "built in");
        sc_log_end(&line);
    }
}

/** Without keys nobody could ask: one token, for whoever tries it out. */
static sc_err print_token(const serving *s, sc_diag *diag)
{
    if (*s->settings->token_keys) return SC_OK;
    char token[SC_TOKEN_SIZE];
    const sc_err err = sc_service_issue(s->service, "guest", 86400.0, token, diag);
    if (!err) {
        printf("a token for today, since there are no token-keys:\n%s\n", token);
        fflush(stdout);
    }
    explicit_bzero(token, sizeof token);
    return err;
}

/** What is read again on SIGHUP must be readable for whom we have become. */
static void warn_of_unreadable(const serving *s)
{
    const char *const files[] = {s->options->config ? s->options->config : "",
                                 s->settings->token_keys,
                                 s->settings->revoked,
                                 s->settings->tls_certificate,
                                 s->settings->tls_key,
                                 s->settings->client_ca};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (*files[i] == '\0' || access(files[i], R_OK) == 0 || errno == ENOENT) continue;
        sc_log_line line;
        if (!sc_log_begin(s->parts.log, &line, SC_LOG_WARNING, "reload_will_fail")) continue;
        char user[64];
        sc_log_text(&line, "file", files[i]);
        sc_log_text(&line, "user", sc_sandbox_user(user, sizeof user));
        sc_log_text(&line, "hint", "let this user read it, or name another with --user");
        sc_log_end(&line);
    }
}

/** A list of revoked tokens that is not there revokes nobody: that may be a slip. */
static void warn_of_missing_revoked(serving *s)
{
    const char *revoked = s->settings->revoked;
    s->has_revoked = *revoked != '\0' && access(revoked, F_OK) == 0;
    if (*revoked == '\0' || s->has_revoked) return;
    sc_log_line line;
    if (!sc_log_begin(s->parts.log, &line, SC_LOG_WARNING, "nothing_revoked")) return;
    sc_log_text(&line, "file", revoked);
    sc_log_text(&line, "message", "there is no such file, so no token is revoked");
    sc_log_end(&line);
}

/** From open files and sockets to a service that has given up all else. */
static sc_err begin(serving *s, sc_diag *diag)
{
    sc_sandbox_raise_descriptors();
    sc_err err = sc_sandbox_no_dumps(diag);
    if (!err) err = sc_serve_parts_open(s->call, s->settings, &s->parts, diag);
    if (err) return err;
    // What took long (a map, a database) could be interrupted; what is served is drained.
    sc_serving_hold_signals(&s->signals);
    warn_of_missing_revoked(s);
    sc_service_options options = sc_serve_options(s->settings, &s->parts);
    if (s->options->is_check) {
        // Where a service is running already, its connections must not come to us.
        static const char *const anywhere[] = {"127.0.0.1:0"};
        err = sc_http_addresses_check(options.http.addresses, options.http.address_count, diag);
        if (!err && *s->settings->user) err = sc_sandbox_user_check(s->settings->user, diag);
        options.http.addresses = anywhere;
        options.http.address_count = 1;
    }
    if (!err) err = sc_service_new(s->parts.map, &options, &s->service, diag);
    if (!err && !s->options->is_check) {
        const char *user = *s->settings->user ? s->settings->user : NULL;
        err = sc_sandbox_become(user, diag);
        if (!err) warn_of_unreadable(s);
        if (!err && !s->settings->no_sandbox) err = sc_sandbox_enter(diag);
        if (!err) err = sc_service_start(s->service, diag);
    }
    return err;
}

static void reload(serving *s)
{
    sc_settings *next = NULL;
    bool is_usage = false;
    sc_diag diag = {.message = ""};
    sc_sandbox_notify_reloading();
    sc_err err = gather(s->options, &next, &is_usage, &diag);
    if (!err && s->has_revoked && access(s->settings->revoked, F_OK) != 0) {
        // Nobody may become welcome again by a slip.
        snprintf(diag.message, sizeof diag.message,
                 "%s: the list of revoked tokens is gone; put it back, or an empty one",
                 s->settings->revoked);
        err = SC_EIO;
    }
    if (!err) {
        const sc_policy_terms policy = sc_settings_policy(next);
        err = sc_service_reload(s->service, &policy, &diag);
    }
    if (err) {
        sc_log_message(s->parts.log, SC_LOG_ERROR, "reload_failed",
                       diag.message[0] != '\0' ? diag.message : sc_err_text(err));
        sc_settings_free(next);
    } else {
        size_t from = 0;
        for (const char *stuck; (stuck = sc_settings_stuck(s->settings, next, &from));) {
            sc_log_message(s->parts.log, SC_LOG_WARNING, "needs_restart", stuck);
        }
        sc_log_set_level(s->parts.log, (sc_log_level)next->log_level);
        sc_log_message(s->parts.log, SC_LOG_INFO, "reloaded", "policy, tokens, certificates");
        warn_of_missing_revoked(s);
        // What is in use (paths, bounds of tables) stays that of the start.
        sc_settings_free(next);
    }
    sc_sandbox_notify("READY=1");
}

/** Until told to stop; gives the exit status. */
static int serve(serving *s)
{
    tell_listening(s);
    sc_sandbox_notify("READY=1");
    for (;;) {
        int signal = 0;
        if (sigwait(&s->signals, &signal) != 0) continue;
        if (signal == SIGHUP) {
            reload(s);
            continue;
        }
        break;
    }
    sc_sandbox_notify("STOPPING=1");
    // Whoever is in a hurry says it twice.
    sigdelset(&s->signals, SIGHUP);
    pthread_sigmask(SIG_UNBLOCK, &s->signals, NULL);
    sc_log_message(s->parts.log, SC_LOG_INFO, "draining", "no new queries; pending ones go on");
    const size_t left =
        sc_service_drain(s->service, s->settings->drain_grace_s, s->settings->drain_s);
    sc_log_line line;
    if (sc_log_begin(s->parts.log, &line, left > 0 ? SC_LOG_ERROR : SC_LOG_INFO, "stopped")) {
        sc_log_count(&line, "cut_off", left);
        sc_log_end(&line);
    }
    return left > 0 ? SC_EXIT_FAILURE : SC_EXIT_OK;
}

static int run_service(serving *s)
{
    sc_diag diag = {.message = ""};
    sc_err err = begin(s, &diag);
    if (!err && !s->options->is_check) err = print_token(s, &diag);
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(s->call, err, &diag);
    } else if (s->options->is_check) {
        printf("all settings are fine\n");
    } else {
        status = serve(s);
    }
    sc_service_free(s->service);
    sc_serve_parts_close(&s->parts);
    return status;
}

static int run_with(serving *s)
{
    if (s->options->is_print) {
        const sc_err err = sc_settings_write(s->settings, stdout);
        return err ? sc_call_fail(s->call, err, NULL) : SC_EXIT_OK;
    }
    if (*s->settings->map == '\0') {
        fprintf(stderr, "%s: no map given; name a FILE.scm\nTry '%s --help' for more.\n",
                s->call->path, s->call->path);
        return SC_EXIT_USAGE;
    }
    return run_service(s);
}

static int run(sc_call *call)
{
    serve_options options = {.config = NULL};
    options.flags = calloc((size_t)call->argc + 1, sizeof *options.flags);
    if (!options.flags) return sc_call_fail(call, SC_ENOMEM, NULL);
    sc_call_parse(call, &options);

    serving s = {.call = call, .options = &options};
    sc_diag diag = {.message = ""};
    bool is_usage = false;
    const sc_err err = gather(&options, &s.settings, &is_usage, &diag);
    int status = SC_EXIT_FAILURE;
    if (err) {
        sc_call_fail(call, err, &diag);
        if (is_usage) status = SC_EXIT_USAGE;
    } else {
        status = run_with(&s);
    }
    sc_settings_free(s.settings);
    free(options.flags);
    return status;
}

// --- The command ------------------------------------------------------------------------

static const sc_entry signals[] = {
    {"SIGHUP",
     "Read the configuration again, and the files of keys, revoked tokens and certificates: "
     "policy, tokens, log level and certificates change without a pause. If something is "
     "wrong, everything stays as it was, and the log says why."},
    {"SIGTERM, SIGINT",
     "Take no more queries, give those that wait their outcome (for at most --drain "
     "seconds), and end with 0."},
    {NULL, NULL},
};

static const sc_topic topics[] = {
    {"Signals", signals},
    {NULL, NULL},
};

static const sc_entry examples[] = {
    {"starcloak serve city.scm", "A complete system in one process: the map's objects are what the "
                                 "built-in provider knows; a token for trying out is printed."},
    {"starcloak serve city.scm --token-keys keys --provider http://127.0.0.1:9090/",
     "Ask 'starcloak lbs', which runs elsewhere."},
    {"starcloak serve --config /etc/starcloak/starcloak.ini --check",
     "See whether a configuration would do."},
    {"starcloak serve --print-config > starcloak.ini",
     "All settings with their defaults, to begin with."},
    {NULL, NULL},
};

const sc_command sc_cmd_serve = {
    .name = "serve",
    .summary = "run the privacy proxy: queries in, exact answers out",
    .arguments = "[MAP.scm]",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Takes travellers' queries over HTTP, hides each among others, asks the provider about the "
        "cloak alone, and answers exactly. What clients send and get is described by the service "
        "itself, at /openapi.json.\n"
        "Every setting is a flag, or a line in the configuration file, where it stands without "
        "dashes in its section.\n"
        "Nothing that says who or where is logged, counted or written to a disk.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
