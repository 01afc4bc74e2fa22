// A service from its settings to its end. See serve_run.h.
#include "serve_run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve_parts.h"
#include "serve_process.h"
#include "server/sandbox.h"
#include "server/token.h"

/** One service, from its settings on. */
typedef struct serving {
    sc_call *call;
    const sc_serve_flags *flags;
    const sc_serve_hooks *hooks;
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

/** Where people can look, if there is something to look at: a map may have no coordinates. */
static void print_ui(const serving *s)
{
    const bool is_tls = *s->settings->tls_certificate != '\0';
    char url[SC_SERVING_URL_SIZE];
    if (s->settings->no_ui || sc_map_coords(s->parts.map) == SC_COORDS_NONE) return;
    if (!sc_serving_url(sc_service_http(s->service), is_tls, url)) return;
    printf("the UI: %s/\n", url);
}

/** Without keys nobody could ask: one token, for whoever tries it out. */
static sc_err print_token(const serving *s, sc_diag *diag)
{
    if (*s->settings->token_keys || s->hooks->start) return SC_OK;
    char token[SC_TOKEN_SIZE];
    const sc_err err = sc_service_issue(s->service, "guest", 86400.0, token, diag);
    if (!err) {
        printf("a token for today, since there are no token-keys:\n%s\n", token);
        print_ui(s);
        fflush(stdout);
    }
    explicit_bzero(token, sizeof token);
    return err;
}

/** What is read again on SIGHUP must be readable for whom we have become. */
static void warn_of_unreadable(const serving *s)
{
    const char *const files[] = {s->flags->config ? s->flags->config : "",
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
    if (s->flags->is_check) {
        // Where a service is running already, its connections must not come to us.
        static const char *const anywhere[] = {"127.0.0.1:0"};
        err = sc_http_addresses_check(options.http.addresses, options.http.address_count, diag);
        if (!err && *s->settings->user) err = sc_sandbox_user_check(s->settings->user, diag);
        options.http.addresses = anywhere;
        options.http.address_count = 1;
    }
    const sc_serve_hooks *hooks = s->hooks;
    if (!err && hooks->prepare) {
        err = hooks->prepare(hooks->context, s->settings, s->parts.map, &options, diag);
    }
    if (!err) err = sc_service_new(s->parts.map, &options, &s->service, diag);
    if (!err && hooks->attach) err = hooks->attach(hooks->context, s->service, diag);
    if (!err && !s->flags->is_check) {
        const char *user = *s->settings->user ? s->settings->user : NULL;
        err = sc_sandbox_become(user, diag);
        if (!err) warn_of_unreadable(s);
        if (!err && !s->settings->no_sandbox) err = sc_sandbox_enter(diag);
        if (!err) err = sc_service_start(s->service, diag);
        if (!err && hooks->start) err = hooks->start(hooks->context, s->service, diag);
    }
    return err;
}

static void reload(serving *s)
{
    sc_settings *next = NULL;
    bool is_usage = false;
    sc_diag diag = {.message = ""};
    sc_sandbox_notify_reloading();
    sc_err err = sc_serve_gather(s->flags, s->hooks->usual, &next, &is_usage, &diag);
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
    const bool is_within = sc_serving_end_begins(s->hooks->end, &s->signals);
    sc_log_message(s->parts.log, SC_LOG_INFO, "draining", "no new queries; pending ones go on");
    if (s->hooks->stop) s->hooks->stop(s->hooks->context);
    const size_t left =
        sc_service_drain(s->service, s->settings->drain_grace_s, s->settings->drain_s);
    sc_log_line line;
    if (sc_log_begin(s->parts.log, &line, left > 0 ? SC_LOG_ERROR : SC_LOG_INFO, "stopped")) {
        sc_log_count(&line, "cut_off", left);
        sc_log_end(&line);
    }
    return left > 0 || is_within ? SC_EXIT_FAILURE : SC_EXIT_OK;
}

static int run_service(serving *s)
{
    sc_diag diag = {.message = ""};
    sc_err err = begin(s, &diag);
    if (!err && !s->flags->is_check) err = print_token(s, &diag);
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(s->call, err, &diag);
    } else if (s->flags->is_check) {
        printf("all settings are fine\n");
    } else {
        status = serve(s);
    }
    if (s->hooks->stop) s->hooks->stop(s->hooks->context);
    sc_service_free(s->service);
    if (s->hooks->close) s->hooks->close(s->hooks->context);
    sc_serve_parts_close(&s->parts);
    return status;
}

static int run_with(serving *s)
{
    if (s->flags->is_print) {
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

int sc_serve_run(sc_call *call, const sc_serve_flags *flags, const sc_serve_hooks *hooks)
{
    static const sc_serve_hooks none = {.usual = NULL};
    serving s = {.call = call, .flags = flags, .hooks = hooks ? hooks : &none};
    sc_diag diag = {.message = ""};
    bool is_usage = false;
    const sc_err err = sc_serve_gather(flags, s.hooks->usual, &s.settings, &is_usage, &diag);
    int status = SC_EXIT_FAILURE;
    if (err) {
        sc_call_fail(call, err, &diag);
        if (is_usage) status = SC_EXIT_USAGE;
    } else {
        status = run_with(&s);
    }
    sc_settings_free(s.settings);
    return status;
}
