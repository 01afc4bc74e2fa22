// The relay's HTTP side: what comes from clients, and what goes back to them.
//
// A waiting client belongs to its loop's thread. Its passage is with the upstream's thread until it
// is handed back, and is freed then, whether there is still a client or not.
#include "oblivious_relay/oblivious_relay.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/diag.h"
#include "oblivious/oblivious_http.h"
#include "oblivious_relay/upstream.h"
#include "server/rate_limit.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    ADDRESS_BUCKETS = 1 << 16,
    PROBLEM_ROOM = 256,
    BACK_AT_ONCE = 64,
    BODY_MAX = 65536 + SC_OHTTP_REQUEST_EXTRA,  ///< of 64 KiB within
};

/** Rates that no longer count are forgotten so often, seconds. */
#define FORGET_S 10.0

struct sc_oblivious_relay {
    sc_oblivious_relay_options options;
    sc_http *http;
    sc__upstream *upstream;
    sc_handover **back;  ///< for each loop
    unsigned loops;
    sc_rate_limit *addresses;
    atomic_size_t waiting;
    atomic_bool is_draining;
};

/** A client that waits, for its passage; the loop's thread. */
typedef struct waiting_client {
    sc_oblivious_relay *relay;
    sc_http_request *request;  ///< NULL once it is gone
    sc__passage *passage;
} waiting_client;

// --- Replies -------------------------------------------------------------------------------------

static size_t write_problem(int status, const char *title, char out[PROBLEM_ROOM])
{
    const int size =
        snprintf(out, PROBLEM_ROOM, "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d}",
                 title, status);
    return size > 0 && size < PROBLEM_ROOM ? (size_t)size : 0;
}

static void send_problem(sc_http_request *request, int status, const char *title,
                         unsigned retry_after_s)
{
    char text[PROBLEM_ROOM];
    char later[16];
    snprintf(later, sizeof later, "%u", retry_after_s);
    const sc_http_header headers[] = {{"Retry-After", later}};
    sc_http_reply(request, status, "application/problem+json", text,
                  write_problem(status, title, text), headers, retry_after_s > 0);
}

static size_t problem_of_server(void *context, int status, char *buffer, size_t room)
{
    (void)context;
    char text[PROBLEM_ROOM];
    const size_t size = write_problem(status, "The request was refused", text);
    if (size > room) return 0;
    memcpy(buffer, text, size);
    return size;
}

static void reply(sc_http_request *request, const sc__passage *passage)
{
    if (!passage->is_answered) {
        send_problem(request, passage->is_late ? 504 : 502,
                     passage->is_late ? "The gateway did not answer in time"
                                      : "The gateway cannot be reached",
                     passage->is_late ? 0 : 1);
        return;
    }
    char later[24];
    snprintf(later, sizeof later, "%ld", passage->retry_after_s);
    const sc_http_header headers[] = {{"Retry-After", later}};
    const int status =
        passage->status >= 200 && passage->status <= 599 ? (int)passage->status : 502;
    sc_http_reply(request, status, passage->type[0] ? passage->type : NULL,
                  passage->reply.bytes.data, passage->reply.bytes.size, headers,
                  passage->retry_after_s > 0);
}

// --- There and back ------------------------------------------------------------------------------

static void client_gone(void *context)
{
    waiting_client *client = context;
    client->request = NULL;
    sc__upstream_forsake(client->relay->upstream, client->passage);
}

static void finish(sc__passage *passage, bool may_reply)
{
    waiting_client *client = passage->client;
    atomic_fetch_sub(&client->relay->waiting, 1);
    if (may_reply && client->request) reply(client->request, passage);
    sc_free(client);
    sc__passage_free(passage);
}

static void take_back(void *context, unsigned loop)
{
    sc_oblivious_relay *relay = context;
    sc__passage *passages[BACK_AT_ONCE];
    const size_t count = sc_handover_take(relay->back[loop], passages, BACK_AT_ONCE);
    for (size_t i = 0; i < count; i++) {
        finish(passages[i], true);
    }
}

static sc__passage *make_passage(sc_oblivious_relay *relay, unsigned loop, sc_http_request *request)
{
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    waiting_client *client = sc_calloc(1, sizeof *client);
    sc__passage *passage = sc_calloc(1, sizeof *passage);
    if (!client || !passage || !sc_bytes_append(&passage->request, body, size)) {
        sc_free(client);
        sc__passage_free(passage);
        return NULL;
    }
    *client = (waiting_client){.relay = relay, .request = request, .passage = passage};
    passage->client = client;
    passage->loop = loop;
    return passage;
}

static void pass_on(sc_oblivious_relay *relay, unsigned loop, sc_http_request *request)
{
    if (atomic_fetch_add(&relay->waiting, 1) >= relay->options.max_waiting) {
        atomic_fetch_sub(&relay->waiting, 1);
        send_problem(request, 503, "Too many requests are under way; retry", 1);
        return;
    }
    sc__passage *passage = make_passage(relay, loop, request);
    if (!passage) {
        atomic_fetch_sub(&relay->waiting, 1);
        send_problem(request, 503, "Out of memory; retry", 1);
        return;
    }
    sc_http_on_gone(request, client_gone, passage->client);
    sc_http_request_forget_body(request);
    sc_http_request_forget_headers(request);
    // There is room for all that wait.
    (void)sc__upstream_post(relay->upstream, passage);
}

// --- The handler ---------------------------------------------------------------------------------

static bool is_within_rate(sc_oblivious_relay *relay, sc_http_request *request)
{
    const unsigned wait_s = sc_rate_limit_take(relay->addresses, sc_http_request_peer(request),
                                               relay->options.address_rate,
                                               relay->options.address_burst, sc_clock_us());
    if (wait_s == 0) return true;
    send_problem(request, 429, "Too many requests from this address", wait_s);
    return false;
}

static void show_health(sc_http_request *request)
{
    static const char ok[] = "{\"status\":\"ok\"}";
    sc_http_reply(request, 200, "application/json", ok, sizeof ok - 1, NULL, 0);
}

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    sc_oblivious_relay *relay = context;
    const sc_http_method method = sc_http_request_method(request);
    const bool is_read = method == SC_HTTP_GET || method == SC_HTTP_HEAD;
    if (is_read && strcmp(sc_http_request_path(request), "/healthz") == 0) {
        show_health(request);
        return;
    }
    if (sc_http_request_is_reserve(request)) {
        send_problem(request, 503, "Too many connections; retry", 1);
        return;
    }
    if (!is_within_rate(relay, request)) return;
    const char *type = sc_http_request_header(request, "Content-Type");
    if (method != SC_HTTP_POST) {
        const sc_http_header allow[] = {{"Allow", "POST"}};
        char text[PROBLEM_ROOM];
        sc_http_reply(request, 405, "application/problem+json", text,
                      write_problem(405, "Sealed requests are sent by POST", text), allow, 1);
    } else if (!type || strcasecmp(type, SC_OHTTP_REQUEST_TYPE) != 0) {
        send_problem(request, 415, "Content-Type must be " SC_OHTTP_REQUEST_TYPE, 0);
    } else if (atomic_load(&relay->is_draining)) {
        send_problem(request, 503, "The relay is stopping", 1);
    } else {
        pass_on(relay, loop, request);
    }
}

// --- Life ----------------------------------------------------------------------------------------

sc_oblivious_relay_options sc_oblivious_relay_options_default(void)
{
    sc_oblivious_relay_options options = {.http = sc_http_options_default(),
                                          .max_waiting = 10000,
                                          .timeout_s = 60,
                                          .address_rate = 10,
                                          .address_burst = 100};
    options.http.max_body_bytes = BODY_MAX;
    options.http.max_connections = 50000;
    options.http.max_address_connections = 1000;
    return options;
}

/** Rates are forgotten: how often an address asked is private. */
static void forget_rates(void *context, unsigned loop)
{
    (void)loop;
    sc_oblivious_relay *relay = context;
    sc_rate_limit_forget(relay->addresses, sc_clock_us());
}

static sc_err make_server(sc_oblivious_relay *relay, sc_diag *diag)
{
    sc_http_options http = relay->options.http;
    http.handle = handle;
    http.context = relay;
    http.problem = problem_of_server;
    relay->loops = http.loops;
    sc_err err = sc_http_new(&http, &relay->http, diag);
    if (err) return err;
    relay->back = sc_calloc(relay->loops, sizeof(sc_handover *));
    if (!relay->back || sc_rate_limit_new(ADDRESS_BUCKETS, &relay->addresses)) {
        return sc_fail_memory(diag, "preparing the relay");
    }
    for (unsigned i = 0; !err && i < relay->loops; i++) {
        err = sc_handover_new(sizeof(sc__passage *), relay->options.max_waiting, &relay->back[i]);
        if (!err) {
            err = sc_http_watch(relay->http, i, sc_handover_fd(relay->back[i]), take_back, relay);
        }
    }
    if (!err) err = sc_http_every(relay->http, 0, FORGET_S, forget_rates, relay);
    return err ? sc_fail(diag, err, "the relay cannot be started: %s", sc_err_text(err)) : SC_OK;
}

sc_err sc_oblivious_relay_new(const sc_oblivious_relay_options *options, sc_oblivious_relay **out,
                              sc_diag *diag)
{
    sc_oblivious_relay *relay = sc_calloc(1, sizeof *relay);
    if (!relay) return sc_fail_memory(diag, "preparing the relay");
    relay->options = *options;
    sc_err err = make_server(relay, diag);
    if (!err) {
        const sc__upstream_options upstream = {.url = options->gateway,
                                               .ca = options->ca,
                                               .certificate = options->certificate,
                                               .key = options->key,
                                               .timeout_s = options->timeout_s,
                                               .max_waiting = options->max_waiting,
                                               .back = relay->back};
        err = sc__upstream_new(&upstream, &relay->upstream, diag);
    }
    if (err) {
        sc_oblivious_relay_free(relay);
        return err;
    }
    *out = relay;
    return SC_OK;
}

sc_err sc_oblivious_relay_start(sc_oblivious_relay *relay, sc_diag *diag)
{
    const sc_err err = sc__upstream_start(relay->upstream, diag);
    return err ? err : sc_http_start(relay->http, diag);
}

sc_http *sc_oblivious_relay_http(sc_oblivious_relay *relay)
{
    return relay->http;
}

bool sc_oblivious_relay_drain(sc_oblivious_relay *relay, double seconds)
{
    static const struct timespec moment = {.tv_nsec = 5000000};
    atomic_store(&relay->is_draining, true);
    sc_http_stop_listening(relay->http);
    const int64_t until_us = sc_clock_us() + (int64_t)(seconds * 1e6);
    while (!sc_http_is_idle(relay->http) && sc_clock_us() < until_us) {
        nanosleep(&moment, NULL);
    }
    return sc_http_is_idle(relay->http);
}

void sc_oblivious_relay_free(sc_oblivious_relay *relay)
{
    if (!relay) return;
    if (relay->http) sc_http_stop(relay->http);
    if (relay->upstream) sc__upstream_stop(relay->upstream);
    for (unsigned i = 0; relay->back && i < relay->loops; i++) {
        sc__passage *passage = NULL;
        while (relay->back[i] && sc_handover_take(relay->back[i], &passage, 1) == 1) {
            finish(passage, false);
        }
    }
    sc__upstream_free(relay->upstream);
    sc_http_free(relay->http);
    for (unsigned i = 0; relay->back && i < relay->loops; i++) {
        sc_handover_free(relay->back[i]);
    }
    sc_free(relay->back);
    sc_rate_limit_free(relay->addresses);
    sc_free(relay);
}
