// All parts put together. See service.h.
//
// Who needs whom decides the order: what is called from other threads is made before these threads
// start, and freed after they have ended.
#include "api/service.h"

#include "api/alarms.h"
#include "api/cluster_page.h"
#include "api/door.h"
#include "api/events.h"
#include "api/metrics.h"
#include "api/own_view.h"
#include "api/pages.h"
#include "api/problem.h"
#include "api/router.h"
#include "api/service_internal.h"
#include "api/ui.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

#include <math.h>
#include <string.h>
#include <time.h>

/** Users and addresses that are remembered for their rates. */
enum { RATE_BUCKETS = 1 << 16 };

/** How often rates that no longer count are forgotten. */
#define FORGET_S 10.0

/** How often it is looked whether all is done. */
#define MOMENT_S 0.005

/** How long those who are cut off have to take the reply that says so. */
#define FAREWELL_S 1.0

struct sc_service {
    sc_service_internal parts;
    char *token_keys;  ///< where they are read from again; NULL if they are of no file
    char *revoked;
    sc_alarms *alarms;
    sc_own_view *own_view;  ///< of the engines of this process, if they have several parts
};

// --- What the threads call ---------------------------------------------------------

static void settle(void *context, sc_ticket *ticket)
{
    sc_service *service = context;
    sc_door_settled(service->parts.door, ticket);
}

static void settle_all(void *context)
{
    const sc_service *service = context;
    sc_door_all_settled(service->parts.door);
}

static void publish(void *context, const sc_relay *relay, uint64_t number, uint32_t users)
{
    sc_service *service = context;
    sc_metrics_published(service->parts.metrics, relay, users);
    // Over HTTP it may still find no connection, and then it never leaves: see the next.
    if (service->parts.provider == SC_COURIER_HTTP) return;
    sc_events_published(service->parts.events, relay, number);
}

static void leave(void *context, const sc_errand *errand, const void *bytes, size_t size)
{
    const sc_service *service = context;
    sc_events_published(service->parts.events, errand->relay, errand->number);
    sc_events_sent(service->parts.events, errand->number, service->parts.encoding, bytes, size);
}

static void take_back(void *context, sc_errand *errand)
{
    sc_service *service = context;
    sc_alarms_errand_back(service->alarms, errand);
    sc_ledger_errand_back(service->parts.ledger, errand);
}

/** How often somebody asked is nobody's business once it no longer counts. */
static void forget_rates(void *context, unsigned loop)
{
    const sc_service_internal *parts = context;
    (void)loop;
    const int64_t now_us = sc_clock_us();
    sc_rate_limit_forget(parts->user_rates, now_us);
    sc_rate_limit_forget(parts->address_rates, now_us);
}

// --- Making ---------------------------------------------------------------------------

static sc_err copy_text(const char *text, char **out)
{
    if (!text) return SC_OK;
    const size_t size = strlen(text) + 1;
    *out = sc_malloc(size);
    if (!*out) return SC_ENOMEM;
    memcpy(*out, text, size);
    return SC_OK;
}

/**
 * Keys and revoked tokens as they are now in their files.
 *
 * @param now  the terms in force; NULL: none yet
 */
static sc_err read_terms(const sc_service *service, const sc_policy_terms *policy,
                         const sc_terms *now, sc_terms **out, sc_diag *diag)
{
    sc_token_keys *keys = NULL;
    sc_revoked *revoked = NULL;
    sc_err err = sc_policy_terms_check(policy, diag);
    if (!err && service->token_keys) {
        err = sc_token_keys_read(service->token_keys, &keys, diag);
    } else if (!err && now) {
        // A key that is of no file stays, and with it the tokens.
        keys = sc_token_keys_hold(now->keys);
    } else if (!err) {
        err = sc_token_keys_new(&keys);
    }
    if (!err) err = sc_revoked_read(service->revoked, &revoked, diag);
    if (!err) {
        *out = sc_terms_new(policy, keys, revoked);
        if (*out) return SC_OK;
        err = sc_fail_memory(diag, "reading keys and revoked tokens");
    }
    sc_token_keys_free(keys);
    sc_revoked_free(revoked);
    return err;
}

static sc_err make_credentials(sc_service *service, const sc_service_options *options,
                               sc_diag *diag)
{
    sc_terms *terms = NULL;
    sc_err err = copy_text(options->token_keys, &service->token_keys);
    if (!err) err = copy_text(options->revoked, &service->revoked);
    if (err) return sc_fail_memory(diag, "starting");
    err = read_terms(service, &options->policy, NULL, &terms, diag);
    if (err) return err;
    err = sc_credentials_new(terms, &service->parts.credentials);
    if (!err) return SC_OK;
    sc_terms_release(terms);
    return sc_fail_memory(diag, "starting");
}

/** What requests are counted and limited by. */
static sc_err make_counters(sc_service *service, const sc_service_options *options, sc_diag *diag)
{
    sc_service_internal *parts = &service->parts;
    sc_err err = sc_rate_limit_new(RATE_BUCKETS, &parts->user_rates);
    if (!err) err = sc_rate_limit_new(RATE_BUCKETS, &parts->address_rates);
    if (!err) err = sc_pending_new(options->ledger.max_pending, &parts->pending);
    if (!err) err = sc_metrics_new(options->density, &parts->metrics);
    return err ? sc_fail_memory(diag, "starting") : SC_OK;
}

static sc_err make_server(sc_service *service, const sc_service_options *options, sc_diag *diag)
{
    sc_service_internal *parts = &service->parts;
    sc_http_options http = options->http;
    http.handle = sc_route;
    http.context = parts;
    http.problem = sc_problem_of_server;
    parts->loops = http.loops;
    sc_err err = sc_http_new(&http, &parts->http, diag);
    if (!err) {
        err =
            sc_door_new(parts, options->ledger.max_pending, options->names_key, &parts->door, diag);
    }
    if (!err) err = sc_events_new(parts, options->max_listeners, &parts->events, diag);
    if (!err && sc_http_every(parts->http, 0, FORGET_S, forget_rates, parts)) {
        err = sc_fail_memory(diag, "starting");
    }
    if (!err && sc_alarms_new(parts, &service->alarms)) err = sc_fail_memory(diag, "starting");
    return err;
}

/** The ledger and the way to the provider, whose threads call each other. */
static sc_err make_ledger(sc_service *service, const sc_service_options *options, sc_diag *diag)
{
    sc_service_internal *parts = &service->parts;
    sc_ledger_options ledger = options->ledger;
    ledger.settled = settle;
    ledger.all_settled = settle_all;
    ledger.published = publish;
    ledger.context = service;
    sc_err err = SC_OK;
    if (options->gateway) {
        err = sc_gateway_new(options->gateway, &parts->gateway, diag);
        if (err) return err;
        ledger.workers = sc_gateway_port(parts->gateway);
        ledger.self = sc_gateway_self(parts->gateway);
    }
    err = sc_ledger_new(parts->map, &ledger, &parts->ledger, diag);
    if (err) return err;

    sc_rng *rng = NULL;
    err = sc_rng_new_secure(&rng);
    if (err) return sc_fail(diag, err, "the system gives no random numbers");
    sc_courier_options courier = options->courier;
    courier.leaves = leave;
    courier.back = take_back;
    courier.context = service;
    err = sc_courier_new(parts->map, &courier, rng, &parts->courier, diag);
    sc_rng_free(rng);
    if (!err) sc_ledger_set_courier(parts->ledger, parts->courier);
    return err;
}

static sc_cluster_view *view_cluster(void *context)
{
    return sc_gateway_view(context);
}

static sc_cluster_view *view_own(void *context)
{
    return sc_own_view_now(context);
}

/** The parts of the map and who has them, if there are several. */
static sc_err make_view(sc_service *service, const sc_service_options *options, sc_diag *diag)
{
    sc_service_internal *parts = &service->parts;
    if (parts->gateway) {
        parts->view = view_cluster;
        parts->view_context = parts->gateway;
        parts->cut = options->ledger.cut;
        return SC_OK;
    }
    if (!options->ledger.cut || sc_partition_part_count(options->ledger.cut) < 2) return SC_OK;
    if (sc_own_view_new(sc_ledger_engines(parts->ledger), options->ledger.cut,
                        &service->own_view)) {
        return sc_fail_memory(diag, "starting");
    }
    parts->view = view_own;
    parts->view_context = service->own_view;
    parts->cut = options->ledger.cut;
    return SC_OK;
}

/** What people look at. */
static sc_err make_pages(sc_service *service, const sc_service_options *options, sc_diag *diag)
{
    sc_service_internal *parts = &service->parts;
    sc_err err =
        sc_pages_new(parts->map, sc_courier_vocabulary(parts->courier), &parts->pages, diag);
    if (!err && parts->cut) err = sc_partition_page_new(parts->cut, &parts->cut_page, diag);
    if (!err && options->has_ui) err = sc_ui_new(&parts->ui, diag);
    return err;
}

sc_err sc_service_new(const sc_map *map, const sc_service_options *options, sc_service **out,
                      sc_diag *diag)
{
    sc_service *service = sc_calloc(1, sizeof *service);
    if (!service) return sc_fail_memory(diag, "starting");
    service->parts.map = map;
    service->parts.log = options->log;
    service->parts.version = options->version;
    service->parts.provider = options->courier.kind;
    service->parts.encoding = options->courier.encoding;
    service->parts.extra = options->extra;
    service->parts.extra_count = options->extra_count;
    sc_err err = make_credentials(service, options, diag);
    if (!err) err = make_counters(service, options, diag);
    if (!err) err = make_server(service, options, diag);
    if (!err) err = make_ledger(service, options, diag);
    if (!err) err = make_view(service, options, diag);
    if (!err) err = make_pages(service, options, diag);
    if (err) {
        sc_service_free(service);
        return err;
    }
    *out = service;
    return SC_OK;
}

// --- Running --------------------------------------------------------------------------

sc_err sc_service_start(sc_service *service, sc_diag *diag)
{
    sc_service_internal *parts = &service->parts;
    if (parts->gateway) {
        const sc_err err = sc_gateway_start(parts->gateway, parts->ledger,
                                            sc_courier_vocabulary(parts->courier), diag);
        if (err) return err;
    }
    return sc_http_start(parts->http, diag);
}

sc_http *sc_service_http(sc_service *service)
{
    return service->parts.http;
}

unsigned sc_service_loops(const sc_service *service)
{
    return service->parts.loops;
}

bool sc_service_is_draining(const sc_service *service)
{
    return atomic_load(&service->parts.is_draining);
}

void sc_service_count_refusal(sc_service *service, sc_problem_kind kind)
{
    sc_door_count_refusal(service->parts.door, kind);
}

sc_err sc_service_switch(sc_service *service, sc_variant variant)
{
    return sc_ledger_switch(service->parts.ledger, variant);
}

sc_variant sc_service_variant(const sc_service *service)
{
    return sc_ledger_variant(service->parts.ledger);
}

sc_err sc_service_issue(sc_service *service, const char *user, double seconds, char *out,
                        sc_diag *diag)
{
    sc_terms *terms = sc_credentials_hold(service->parts.credentials);
    const int64_t now_s = time(NULL);
    const sc_err err =
        sc_token_issue(terms->keys, user, now_s, now_s + (int64_t)seconds, out, diag);
    sc_terms_release(terms);
    return err;
}

sc_err sc_service_reload(sc_service *service, const sc_policy_terms *policy, sc_diag *diag)
{
    sc_service_internal *parts = &service->parts;
    sc_terms *terms = NULL;
    sc_terms *now = sc_credentials_hold(parts->credentials);
    sc_err err = read_terms(service, policy, now, &terms, diag);
    sc_terms_release(now);
    if (err) return err;
    err = sc_http_reload_tls(parts->http, diag);
    if (err) {
        sc_terms_release(terms);
        return err;
    }
    sc_credentials_exchange(parts->credentials, terms);
    return SC_OK;
}

static void sleep_s(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    while (nanosleep(&left, &left) != 0) {
    }
}

static int64_t from_now_us(double seconds)
{
    return sc_clock_us() + (int64_t)(seconds * 1e6);
}

size_t sc_service_drain(sc_service *service, double grace_s, double seconds)
{
    sc_service_internal *parts = &service->parts;
    atomic_store(&parts->is_draining, true);
    sc_ledger_drain(parts->ledger);
    sleep_s(grace_s);
    sc_http_stop_listening(parts->http);
    int64_t until_us = from_now_us(seconds);
    // Settled tickets are pending at the door until their reply is on its way.
    while (sc_pending_count(parts->pending) > 0 && sc_clock_us() < until_us) {
        sleep_s(MOMENT_S);
    }
    const size_t left = sc_pending_count(parts->pending);
    if (left > 0) {
        // While there are loops to tell it: whoever still waits has failed as stopped (P8).
        sc_ledger_stop(parts->ledger);
        until_us = from_now_us(FAREWELL_S);
    }
    while (!sc_http_is_idle(parts->http) && sc_clock_us() < until_us) {
        sleep_s(MOMENT_S);
    }
    return left;
}

void sc_service_free(sc_service *service)
{
    if (!service) return;
    sc_service_internal *parts = &service->parts;
    // No more requests; then all tickets are settled, and nobody sends errands; then those under
    // way come back; then nobody is left to tell.
    if (parts->http) sc_http_stop(parts->http);
    if (parts->gateway) sc_gateway_stop(parts->gateway);
    if (parts->ledger) sc_ledger_stop(parts->ledger);
    sc_courier_free(parts->courier);
    sc_door_free(parts->door);
    sc_events_free(parts->events);
    sc_alarms_free(service->alarms);
    sc_own_view_free(service->own_view);
    sc_ledger_free(parts->ledger);
    sc_gateway_free(parts->gateway);
    sc_http_free(parts->http);
    sc_pages_free(parts->pages);
    sc_partition_page_free(parts->cut_page);
    sc_ui_free(parts->ui);
    sc_metrics_free(parts->metrics);
    sc_pending_free(parts->pending);
    sc_rate_limit_free(parts->address_rates);
    sc_rate_limit_free(parts->user_rates);
    sc_credentials_free(parts->credentials);
    sc_free(service->revoked);
    sc_free(service->token_keys);
    sc_free(service);
}
