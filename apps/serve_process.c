/*
 * What processes that serve have in common: signals, sockets from a service manager, the addresses
 * where they listen, and the objects of a provider.
 */
#include "serve_process.h"

#include "inputs.h"
#include "server/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sc_serving_hold_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void sc_serving_end_within(sc_serving_end *end)
{
    if (!atomic_exchange(&end->has_begun, true)) (void)kill(getpid(), SIGTERM);
}

bool sc_serving_end_begins(sc_serving_end *end, sigset_t *signals)
{
    if (end && atomic_exchange(&end->has_begun, true)) return true;
    sigdelset(signals, SIGHUP);
    pthread_sigmask(SIG_UNBLOCK, signals, NULL);
    return false;
}

size_t sc_serving_inherit(int out[SC_SERVING_SOCKETS])
{
    int first = 0;
    const size_t handed = sc_sandbox_inherited(&first);
    const size_t count = handed < SC_SERVING_SOCKETS ? handed : SC_SERVING_SOCKETS;
    for (size_t i = 0; i < count; i++) {
        out[i] = first + (int)i;
    }
    return count;
}

void sc_serving_tell_listening(sc_log *log, const sc_http *http, bool is_tls)
{
    for (size_t i = 0; i < sc_http_address_count(http); i++) {
        sc_log_line line;
        if (!sc_log_begin(log, &line, SC_LOG_INFO, "listening")) continue;
        sc_log_text(&line, "address", sc_http_address(http, i));
        sc_log_text(&line, "tls", is_tls ? "yes" : "no");
        sc_log_end(&line);
    }
    for (size_t i = 0; i < sc_http_admin_address_count(http); i++) {
        const char *address = sc_http_admin_address(http, i);
        const bool is_local = sc_http_address_is_local(address);
        sc_log_line line;
        if (!sc_log_begin(log, &line, is_local ? SC_LOG_INFO : SC_LOG_WARNING, "admin_listening")) {
            continue;
        }
        sc_log_text(&line, "address", address);
        if (!is_local) {
            sc_log_text(&line, "hint",
                        "other machines can reach it, without TLS; let a firewall protect it");
        }
        sc_log_end(&line);
    }
}

static bool write_url(const char *address, const char *scheme, char out[SC_SERVING_URL_SIZE])
{
    const char *port = strrchr(address, ':');
    if (strncmp(address, "unix:", 5) == 0 || !port) return false;
    // All interfaces: the one that is always there.
    const bool is_any = strncmp(address, "0.0.0.0:", 8) == 0;
    const bool is_any6 = strncmp(address, "[::]:", 5) == 0;
    const int size = is_any ? snprintf(out, SC_SERVING_URL_SIZE, "%s://127.0.0.1%s", scheme, port)
                     : is_any6 ? snprintf(out, SC_SERVING_URL_SIZE, "%s://[::1]%s", scheme, port)
                               : snprintf(out, SC_SERVING_URL_SIZE, "%s://%s", scheme, address);
    return size > 0 && size < SC_SERVING_URL_SIZE;
}

bool sc_serving_url(const sc_http *http, bool is_tls, char out[SC_SERVING_URL_SIZE])
{
    for (size_t i = 0; i < sc_http_address_count(http); i++) {
        if (write_url(sc_http_address(http, i), is_tls ? "https" : "http", out)) return true;
    }
    return false;
}

bool sc_serving_admin_url(const sc_http *http, char out[SC_SERVING_URL_SIZE])
{
    for (size_t i = 0; i < sc_http_admin_address_count(http); i++) {
        if (write_url(sc_http_admin_address(http, i), "http", out)) return true;
    }
    return false;
}

// --- Checking -----------------------------------------------------------------------------------

static void print_warning(void *context, const char *message)
{
    const sc_call *call = context;
    fprintf(stderr, "%s: warning: %s\n", call->path, message);
}

sc_err sc_serving_check(const sc_http_options *http, sc_call *call, sc_diag *diag)
{
    const size_t count = http->address_count + http->admin_address_count;
    const char **all = calloc(count + 1, sizeof *all);
    if (!all) return SC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        all[i] = i < http->address_count ? http->addresses[i]
                                         : http->admin_addresses[i - http->address_count];
    }
    sc_err err = sc_http_addresses_check(all, count, print_warning, call, diag);
    free(all);
    if (!err && http->tls.certificate) err = sc_http_certificate_check(http->tls.certificate, diag);
    if (!err && http->tls.client_ca) err = sc_http_certificate_check(http->tls.client_ca, diag);
    return err;
}

// --- Objects of a serving provider --------------------------------------------------------------

/** A load that failed, the first time; and every load that did not. */
static void tell_load(void *data)
{
    sc_served_objects *objects = data;
    sc_object_feed *feed = atomic_load(&objects->feed);
    // The feed's thread may come here before the feed is stored; then the opening thread reports.
    if (!feed) return;
    const sc_feed_status status = sc_object_feed_status(feed);
    const bool is_stale = status.last_failure.message[0] != '\0';
    const bool was_stale = atomic_exchange(&objects->is_stale, is_stale);
    sc_log_line line;
    if (is_stale && !was_stale) {
        sc_log_message(objects->log, SC_LOG_WARNING, "objects_stale", status.last_failure.message);
    } else if (!is_stale && sc_log_begin(objects->log, &line, SC_LOG_INFO, "objects_loaded")) {
        sc_log_count(&line, "rows", status.row_count);
        sc_log_count(&line, "left_out", status.left_out);
        sc_log_end(&line);
    }
}

sc_err sc_served_objects_open(const sc_call *call, const sc_objects_options *options,
                              const sc_map *map, const char *path, sc_served_objects *out,
                              sc_diag *diag)
{
    if (!options->feed.database) {
        const sc_err err = sc_input_need_objects(map, path, diag);
        return err ? err : sc_objects_open(call, options, map, &out->own, diag);
    }
    sc_feed_options how = options->feed;
    how.changed = tell_load;
    how.data = out;
    sc_object_feed *feed = NULL;
    const sc_err err = sc_object_feed_open(map, &how, &feed, diag);
    if (err) return err;
    atomic_store(&out->feed, feed);
    tell_load(out);
    return SC_OK;
}

void sc_served_objects_close(sc_served_objects *objects)
{
    sc_objects_close(&objects->own);
    sc_object_feed_close(atomic_exchange(&objects->feed, NULL));
}
