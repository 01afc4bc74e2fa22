// The life of a service: made, started, reloaded, drained, freed.
//
// The order follows the dependencies: what is called from other threads is made before these
// threads start, and freed after they have ended.
#include "api/service.h"

#include "api/async_route.h"
#include "api/cloak_log.h"
#include "api/cross_origin.h"
#include "api/events.h"
#include "api/metrics.h"
#include "api/problem_details.h"
#include "api/served_map.h"
#include "api/service_internal.h"
#include "api/static_pages.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "oblivious/oblivious_http.h"

#include <math.h>
#include <pthread.h>
#include <sodium.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/** Users and addresses that are remembered for their rates. */
enum { RATE_BUCKETS = 1 << 16 };

/** How often rates that no longer count are forgotten. */
#define FORGET_S 10.0

/** How often it is looked whether all is done. */
#define MOMENT_S 0.005

/** How long those who are connected, or about to be, are told 503 at least. */
#define GRACE_S 0.1

/** How long clients whose queries were cut off have to take their reply. */
#define FAREWELL_S 1.0

// --- Alarms --------------------------------------------------------------------------------------
//
// What an operator should read in the log: the provider fails, is suspended, is asked again; a
// cloak failed its last check. At most one line per second and kind; the metrics have the numbers.
// No line carries a position or a user.

struct sc_alarms {
    sc_service_internal *service;
    pthread_mutex_t lock;  ///< guards the next three
    uint64_t failures;     ///< exchanges with the provider, since the last line
    sc_failure last;       ///< the last one's kind
    sc_diag why;
    // The first loop's thread only.
    uint64_t full;               ///< connections without a place
    uint64_t refused_addresses;  ///< connections beyond what their address may have
    bool was_suspended;
    bool was_large;  ///< many pending queries had a large k
    uint64_t violations;
    bool was_unwritten;   ///< cloaks could not be written to the cloak log
    bool was_unreported;  ///< the report log could not be written
};

static void alarms_free(sc_alarms *alarms)
{
    if (!alarms) return;
    pthread_mutex_destroy(&alarms->lock);
    sc_free(alarms);
}

void sc_alarms_count(sc_alarms *alarms, const sc_errand *errand)
{
    // Failures while the service stops or the provider is suspended are logged once elsewhere.
    if (errand->failure == SC_FAILURE_NONE || errand->failure == SC_FAILURE_SUSPENDED ||
        errand->failure == SC_FAILURE_STOPPED) {
        return;
    }
    pthread_mutex_lock(&alarms->lock);
    alarms->failures++;
    alarms->last = errand->failure;
    alarms->why = errand->diag;
    pthread_mutex_unlock(&alarms->lock);
}

/** Failed exchanges with the provider since the last call, in one line. */
static void log_failures(sc_alarms *alarms)
{
    pthread_mutex_lock(&alarms->lock);
    const uint64_t failures = alarms->failures;
    const sc_failure last = alarms->last;
    const sc_diag why = alarms->why;
    alarms->failures = 0;
    pthread_mutex_unlock(&alarms->lock);
    sc_log_line line;
    if (failures == 0 ||
        !sc_log_begin(alarms->service->log, &line, SC_LOG_WARNING, "provider_failed")) {
        return;
    }
    sc_log_count(&line, "cloaks", failures);
    sc_log_text(&line, "reason", sc_failure_name(last));
    sc_log_text(&line, "message", why.message);
    sc_log_end(&line);
}

static void log_suspension(sc_alarms *alarms)
{
    const bool is_suspended =
        sc_courier_stats_of(sc_served_now(alarms->service)->courier).is_suspended;
    if (is_suspended == alarms->was_suspended) return;
    alarms->was_suspended = is_suspended;
    sc_log_message(
        alarms->service->log, SC_LOG_WARNING,
        is_suspended ? "provider_suspended" : "provider_tried_again",
        is_suspended
            ? "too many consecutive failures; the provider is not asked until the pause ends"
            : "the pause has ended; the provider is asked again");
}

static void log_violations(sc_alarms *alarms)
{
    sc_served_sums all;
    sc_served_sums_of(alarms->service, &all);
    const uint64_t violations = all.ledger.violations;
    sc_log_line line;
    if (violations > alarms->violations &&
        sc_log_begin(alarms->service->log, &line, SC_LOG_ERROR, "promise_broken")) {
        sc_log_count(&line, "cloaks", violations - alarms->violations);
        sc_log_text(
            &line, "message",
            "cloaks failed their last check and were not sent; this is a bug, please report it");
        sc_log_end(&line);
    }
    alarms->violations = violations;
}

static void log_refused_connections(const sc_alarms *alarms, uint64_t count, const char *event,
                                    const char *message)
{
    sc_log_line line;
    if (count == 0 || !sc_log_begin(alarms->service->log, &line, SC_LOG_WARNING, event)) return;
    sc_log_count(&line, "connections", count);
    sc_log_text(&line, "message", message);
    sc_log_end(&line);
}

/** Connections that found no place since the last call; no address is named. */
static void log_connections(sc_alarms *alarms)
{
    const sc_http_stats stats = sc_http_stats_of(alarms->service->http);
    log_refused_connections(alarms, stats.full - alarms->full, "connections_full",
                            "all of max-connections were busy; new ones are told 503");
    log_refused_connections(alarms, stats.refused_addresses - alarms->refused_addresses,
                            "address_full",
                            "an address had all of address-connections busy; more were refused");
    alarms->full = stats.full;
    alarms->refused_addresses = stats.refused_addresses;
}

/** Queries with a large k take others along into their waiting: some are people with high demands,
 * many are worth a look. */
static void log_large_k(sc_alarms *alarms)
{
    enum { FEW = 10, SHARE = 10 };
    uint64_t all = 0;
    uint64_t large = 0;
    for (unsigned i = 0; i < SC_PENDING_SIZES; i++) {
        const uint64_t count = sc_query_charges_pending(alarms->service->charges, i);
        all += count;
        if (i >= SC_PENDING_LARGE) large += count;
    }
    // Once they are many, half as many still are: so that the log does not flicker.
    const uint64_t many = alarms->was_large ? FEW / 2 : FEW;
    const bool is_large = large >= many && large * SHARE * (1 + alarms->was_large) > all;
    if (is_large == alarms->was_large) return;
    alarms->was_large = is_large;
    sc_log_line line;
    if (!sc_log_begin(alarms->service->log, &line, is_large ? SC_LOG_WARNING : SC_LOG_INFO,
                      is_large ? "pending_large_k" : "pending_large_k_over")) {
        return;
    }
    sc_log_count(&line, "pending", all);
    sc_log_count(&line, "large", large);
    if (is_large) {
        sc_log_text(&line, "message",
                    "many pending queries ask for k above 20 and may keep others waiting; see "
                    "max-k and user-waiting");
    }
    sc_log_end(&line);
}

/** When cloaks begin to be missing from the cloak log, and when they no longer are. */
static void log_unwritten(sc_alarms *alarms)
{
    sc_cloak_log *log = alarms->service->cloak_log;
    sc_diag why = {.message = ""};
    if (!log) return;
    const sc_cloak_log_stats stats = sc_cloak_log_stats_of(log, &why);
    if (stats.is_failing == alarms->was_unwritten) return;
    alarms->was_unwritten = stats.is_failing;
    sc_log_line line;
    if (!sc_log_begin(alarms->service->log, &line, stats.is_failing ? SC_LOG_WARNING : SC_LOG_INFO,
                      stats.is_failing ? "cloak_log_failed" : "cloak_log_resumed")) {
        return;
    }
    sc_log_count(&line, "lost", stats.lost);
    sc_log_text(&line, "message",
                stats.is_failing ? why.message : "cloaks are written to the cloak log again");
    sc_log_end(&line);
}

static void log_unreported(sc_alarms *alarms)
{
    sc_report_log *log = alarms->service->report_log;
    sc_diag why = {.message = ""};
    if (!log) return;
    const bool is_failing = sc_report_log_is_failing(log, &why);
    if (is_failing == alarms->was_unreported) return;
    alarms->was_unreported = is_failing;
    sc_log_message(alarms->service->log, is_failing ? SC_LOG_WARNING : SC_LOG_INFO,
                   is_failing ? "report_log_failed" : "report_log_resumed",
                   is_failing ? why.message : "the counts of the day are written again");
}

/** Runs once per second in the first loop. */
static void log_alarms(void *context, unsigned loop)
{
    (void)loop;
    sc_alarms *alarms = context;
    log_failures(alarms);
    log_connections(alarms);
    log_suspension(alarms);
    log_violations(alarms);
    log_large_k(alarms);
    log_unwritten(alarms);
    log_unreported(alarms);
}

static sc_err alarms_new(sc_service_internal *service, sc_alarms **out)
{
    sc_alarms *alarms = sc_calloc(1, sizeof *alarms);
    if (!alarms) return SC_ENOMEM;
    alarms->service = service;
    pthread_mutex_init(&alarms->lock, NULL);
    const sc_err err = sc_http_every(service->http, 0, 1.0, log_alarms, alarms);
    if (err) {
        alarms_free(alarms);
        return err;
    }
    *out = alarms;
    return SC_OK;
}

// --- The service ---------------------------------------------------------------------------------

struct sc_service {
    sc_service_internal internal;
    char *token_keys;  ///< where they are read from again; NULL if they are of no file
    char *revoked;
    sc_jwt_issuer *jwt;  ///< NULL: our own tokens alone
};

/** Rates that no longer count are forgotten: how often a user asked is private. */
static void forget_rates(void *context, unsigned loop)
{
    const sc_service_internal *internal = context;
    (void)loop;
    const int64_t now_us = sc_clock_us();
    sc_rate_limit_forget(internal->user_rates, now_us);
    sc_query_charges_forget(internal->charges, now_us);
    sc_rate_limit_forget(internal->address_rates, now_us);
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
static sc_err read_terms(const sc_service *service, const sc_policy *policy,
                         const sc_access_rules *now, sc_access_rules **out, sc_diag *diag)
{
    sc_token_keys *keys = NULL;
    sc_revoked *revoked = NULL;
    sc_err err = sc_policy_check(policy, diag);
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
        *out = sc_access_rules_new(policy, keys, revoked);
        if (*out) {
            (*out)->jwt = service->jwt;
            (*out)->pass = service->internal.pass;
            return SC_OK;
        }
        err = sc_fail_memory(diag, "reading keys and revoked tokens");
    }
    sc_token_keys_free(keys);
    sc_revoked_free(revoked);
    return err;
}

static sc_err make_credentials(sc_service *service, const sc_service_options *options,
                               sc_diag *diag)
{
    sc_access_rules *terms = NULL;
    sc_err err = copy_text(options->token_keys, &service->token_keys);
    if (!err) err = copy_text(options->revoked, &service->revoked);
    if (err) return sc_fail_memory(diag, "starting");
    if (options->jwt.keys) err = sc_jwt_issuer_new(&options->jwt, &service->jwt, diag);
    if (!err && options->pass.directory) {
        err = sc_pass_issuer_new(&options->pass, &service->internal.pass, diag);
    }
    if (!err) err = read_terms(service, &options->policy, NULL, &terms, diag);
    if (err) return err;
    err = sc_credentials_new(terms, &service->internal.credentials);
    if (!err) return SC_OK;
    sc_access_rules_release(terms);
    return sc_fail_memory(diag, "starting");
}

/** What requests are counted and limited by. */
static sc_err make_counters(sc_service *service, const sc_service_options *options, sc_diag *diag)
{
    sc_service_internal *internal = &service->internal;
    sc_err err = sc_rate_limit_new(RATE_BUCKETS, &internal->user_rates);
    if (!err) err = sc_query_charges_new(RATE_BUCKETS, &internal->charges);
    if (!err) err = sc_rate_limit_new(RATE_BUCKETS, &internal->address_rates);
    if (!err) err = sc_pending_new(options->ledger.max_pending, &internal->pending);
    if (!err) err = sc_metrics_new(&internal->metrics);
    return err ? sc_fail_memory(diag, "starting") : SC_OK;
}

/** One thread for all: with one loop, one engine and the provider built in, the loop hosts the
 * ledger. A query is read, cloaked, evaluated, filtered and replied to without a change of threads.
 * With TLS only if one loop was asked for: with 4,000 handshakes at the start of a load one
 * thread was busy, and fewer requests were read than there were.
 */
static bool hosts_ledger(const sc_service_options *options)
{
    const bool is_wanted =
        options->http.loops == 1 || (options->http.loops == 0 && !options->http.tls.certificate);
    return is_wanted && !options->gateway && options->ledger.engine_threads == 1 &&
           options->ledger.prune_threads == 0 && options->courier.kind == SC_COURIER_BUILT_IN &&
           options->courier.threads == 0;
}

static sc_err make_server(sc_service *service, const sc_service_options *options, sc_diag *diag)
{
    sc_service_internal *internal = &service->internal;
    sc_http_options http = options->http;
    http.handle = sc_route;
    http.context = internal;
    http.problem = sc_problem_of_server;
    internal->is_ledger_hosted = hosts_ledger(options);
    if (http.loops == 0) http.loops = internal->is_ledger_hosted ? 1 : 2;
    internal->loops = http.loops;
    if (options->has_oblivious) {
        // What is sealed may be as large as what is not, and was padded then.
        http.max_body_bytes = sc_ohttp_padded_size(http.max_body_bytes) + SC_OHTTP_REQUEST_EXTRA;
    }
    sc_err err = sc_http_new(&http, &internal->http, diag);
    if (!err && options->has_oblivious) {
        err = sc_oblivious_gateway_new(internal->http, &options->oblivious, &internal->oblivious,
                                       diag);
    }
    if (!err) {
        err = sc_query_route_new(internal, options->ledger.max_pending, options->names_key,
                                 &internal->query_route, diag);
    }
    if (!err) err = sc_events_new(internal, options->max_listeners, &internal->events, diag);
    if (!err && sc_http_every(internal->http, 0, FORGET_S, forget_rates, internal)) {
        err = sc_fail_memory(diag, "starting");
    }
    if (!err && alarms_new(internal, &internal->alarms)) err = sc_fail_memory(diag, "starting");
    return err;
}

static sc_err make_cloak_log(sc_service *service, const sc_service_options *options, sc_diag *diag)
{
    if (!options->cloak_log) return SC_OK;
    const sc_cloak_log_options log = {.path = options->cloak_log,
                                      .max_bytes = options->cloak_log_max,
                                      .traffic = options->ledger.engine.demands.traffic};
    if (sc_cloak_log_new(&log, &service->internal.cloak_log) == SC_OK) return SC_OK;
    return sc_fail_memory(diag, "starting");
}

static sc_err make_report_log(sc_service *service, const sc_service_options *options, sc_diag *diag)
{
    sc_service_internal *internal = &service->internal;
    if (!options->report_log) return SC_OK;
    const sc_err err =
        sc_report_log_new(options->report_log, options->report_days, &internal->report_log);
    if (err) return sc_fail_memory(diag, "starting");
    sc_metrics_report_to(internal->metrics, internal->report_log);
    return SC_OK;
}

/** The first map, and room for others. */
static sc_err make_maps(sc_service *service, const sc_map *map, const sc_service_options *options,
                        sc_diag *diag)
{
    sc_service_internal *internal = &service->internal;
    sc_served_map *first = NULL;
    const sc_rare_options *rare = &options->ledger.rare;
    if (rare->users > 0 && sc_rare_memory_new(rare->capacity, &internal->rare_memory)) {
        return sc_fail_memory(diag, "starting");
    }
    sc_err err = sc_served_maps_new(internal, diag);
    if (!err && options->gateway) {
        err = sc_gateway_new(options->gateway, &internal->gateway, diag);
        if (!err)
            sc_async_route_join(sc_query_route_async(internal->query_route), internal->gateway);
    }
    if (!err) err = sc_served_map_new(internal, map, options, &first, diag);
    if (!err) sc_served_map_serve(first);
    return err;
}

sc_err sc_service_new(const sc_map *map, const sc_service_options *options, sc_service **out,
                      sc_diag *diag)
{
    sc_service *service = sc_calloc(1, sizeof *service);
    if (!service) return sc_fail_memory(diag, "starting");
    randombytes_buf(service->internal.listener_key, sizeof service->internal.listener_key);
    service->internal.log = options->log;
    service->internal.version = options->version;
    service->internal.auditor = options->auditor;
    service->internal.provider = options->courier.kind;
    service->internal.encoding = options->courier.encoding;
    service->internal.extra = options->extra;
    service->internal.extra_count = options->extra_count;
    service->internal.rounds_requests = options->ledger.rare.users > 0;
    sc_err err = sc_cross_origin_new(options->origins ? options->origins : "",
                                     &service->internal.cross_origin, diag);
    if (!err) err = make_credentials(service, options, diag);
    if (!err) err = make_counters(service, options, diag);
    if (!err) err = make_server(service, options, diag);
    if (!err) err = make_cloak_log(service, options, diag);
    if (!err) err = make_report_log(service, options, diag);
    if (!err) err = make_maps(service, map, options, diag);
    if (!err && options->has_ui) err = sc_ui_new(&service->internal.ui, diag);
    if (err) {
        sc_service_free(service);
        return err;
    }
    *out = service;
    return SC_OK;
}

// --- Running --------------------------------------------------------------------------

static sc_err open_cloak_log(sc_service_internal *internal, sc_diag *diag)
{
    const sc_err err = sc_cloak_log_open(internal->cloak_log, diag);
    if (!err && sc_cloak_log_is_shared(internal->cloak_log)) {
        sc_log_message(internal->log, SC_LOG_WARNING, "cloak_log_shared",
                       "other users of this machine may read the cloak log; 'chmod 600' it");
    }
    return err;
}

void sc_service_reopen_cloak_log(sc_service *service)
{
    sc_service_internal *internal = &service->internal;
    sc_diag diag = {.message = ""};
    if (internal->cloak_log && open_cloak_log(internal, &diag)) {
        sc_log_message(internal->log, SC_LOG_WARNING, "cloak_log_failed", diag.message);
    }
}

sc_err sc_service_open_report_log(sc_service *service, sc_diag *diag)
{
    sc_service_internal *internal = &service->internal;
    size_t damaged = 0;
    if (!internal->report_log) return SC_OK;
    const sc_err err = sc_report_log_open(internal->report_log, &damaged, diag);
    sc_log_line line;
    if (!err && damaged > 0 &&
        sc_log_begin(internal->log, &line, SC_LOG_WARNING, "report_log_damaged")) {
        sc_log_count(&line, "slots", damaged);
        sc_log_text(&line, "message", "these cannot be read, and are used again");
        sc_log_end(&line);
    }
    return err;
}

sc_err sc_service_start(sc_service *service, sc_diag *diag)
{
    sc_service_internal *internal = &service->internal;
    // The sockets listen already, and to reach NATS may take seconds: clients that come meanwhile
    // are told so at once, and do not hang.
    sc_err err = sc_http_start(internal->http, diag);
    // Loops have copies of what was open when they started: a file that is moved away and deleted
    // would stay on the disk for as long as they run.
    if (!err && internal->cloak_log) err = open_cloak_log(internal, diag);
    if (!err && internal->report_log) err = sc_report_log_start(internal->report_log, diag);
    if (!err && service->jwt) err = sc_jwt_issuer_start(service->jwt, diag);
    if (!err && internal->pass) err = sc_pass_issuer_start(internal->pass, diag);
    if (err || !internal->gateway) return err;
    const sc_served_map *served = sc_served_now(internal);
    return sc_gateway_start(internal->gateway, served->ledger,
                            sc_courier_vocabulary(served->courier), diag);
}

sc_http *sc_service_http(sc_service *service)
{
    return service->internal.http;
}

unsigned sc_service_loops(const sc_service *service)
{
    return service->internal.loops;
}

bool sc_service_is_draining(const sc_service *service)
{
    return atomic_load(&service->internal.is_draining);
}

void sc_service_count_refusal(sc_service *service, sc_problem_kind kind)
{
    sc_refusals_add(&service->internal, kind);
}

sc_err sc_service_switch(sc_service *service, sc_variant variant)
{
    return sc_ledger_switch(sc_served_now(&service->internal)->ledger, variant);
}

sc_variant sc_service_variant(const sc_service *service)
{
    return sc_ledger_variant(sc_served_now(&service->internal)->ledger);
}

sc_err sc_service_issue(sc_service *service, const char *user, double seconds, char *out,
                        sc_diag *diag)
{
    sc_access_rules *terms = sc_credentials_hold(service->internal.credentials);
    const int64_t now_s = time(NULL);
    const sc_err err =
        sc_token_issue(terms->keys, user, now_s, now_s + (int64_t)seconds, out, diag);
    sc_access_rules_release(terms);
    return err;
}

/** A certificate that does not fit its key would be found when the provider is asked next. */
static sc_err read_provider_files(const sc_courier_options *courier, sc_courier_files **out,
                                  sc_diag *diag)
{
    if (!courier || courier->kind != SC_COURIER_HTTP) return SC_OK;
    const sc_tls_files files = {
        .certificate = courier->certificate, .key = courier->key, .client_ca = courier->ca};
    const sc_err err = sc_http_tls_check(&files, diag);
    return err ? err : sc_courier_read_files(courier, out, diag);
}

sc_err sc_service_reload(sc_service *service, const sc_policy *policy,
                         const sc_courier_options *courier, sc_diag *diag)
{
    sc_service_internal *internal = &service->internal;
    sc_access_rules *terms = NULL;
    sc_courier_files *files = NULL;
    sc_access_rules *now = sc_credentials_hold(internal->credentials);
    sc_err err = read_terms(service, policy, now, &terms, diag);
    sc_access_rules_release(now);
    if (err) return err;
    err = read_provider_files(courier, &files, diag);
    if (!err) err = sc_http_reload_tls(internal->http, diag);
    if (!err && service->jwt) err = sc_jwt_issuer_reload(service->jwt, diag);
    if (!err && internal->pass) err = sc_pass_issuer_reload(internal->pass, diag);
    if (!err && internal->oblivious) err = sc_oblivious_gateway_reload(internal->oblivious, diag);
    if (err) {
        sc_courier_files_free(files);
        sc_access_rules_release(terms);
        return err;
    }
    if (files) sc_courier_use_files(sc_served_now(internal)->courier, files);
    sc_credentials_exchange(internal->credentials, terms);
    return SC_OK;
}

sc_err sc_service_prepare_map(sc_service *service, const sc_map *map,
                              const sc_service_options *options, void (*retired)(void *context),
                              void *context, sc_served_map **out, sc_diag *diag)
{
    sc_service_internal *internal = &service->internal;
    // A record of true positions is of one map.
    if (internal->gateway || internal->extra_count > 0 || internal->auditor) {
        return sc_fail(diag, SC_EINVAL, "this service cannot change its map while it runs");
    }
    sc_served_map *served = NULL;
    sc_err err = sc_served_maps_keep(internal->maps, diag);
    if (!err) err = sc_served_map_new(internal, map, options, &served, diag);
    if (err) return err;
    served->retired = retired;
    served->retired_context = context;
    *out = served;
    return SC_OK;
}

void sc_service_serve_map(sc_service *service, sc_served_map *prepared)
{
    sc_served_map_serve(prepared);
    sc_events_map(service->internal.events, sc_map_checksum(prepared->map));
}

void sc_service_discard_map(sc_service *service, sc_served_map *prepared)
{
    (void)service;
    sc_served_map_discard(prepared);
}

void sc_service_on_retired(sc_service *service, void (*retired)(void *context), void *context)
{
    sc_served_map *served = sc_served_now(&service->internal);
    served->retired = retired;
    served->retired_context = context;
}

const sc_vocabulary *sc_service_vocabulary(const sc_service *service)
{
    return sc_courier_vocabulary(sc_served_now(&service->internal)->courier);
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
    sc_service_internal *internal = &service->internal;
    atomic_store(&internal->is_draining, true);
    sc_served_maps_drain(internal->maps);
    // A socket that is closed resets those who wait to be accepted there.
    const bool is_alone = sc_http_is_idle(internal->http);
    sleep_s(grace_s > GRACE_S || is_alone ? grace_s : GRACE_S);
    int64_t until_us = from_now_us(seconds);
    // Clients of queries with a life of their own come back by another connection.
    sc_async_route *async = sc_query_route_async(internal->query_route);
    while (sc_async_route_awaited(async) > 0 && sc_clock_us() < until_us) {
        sleep_s(MOMENT_S);
    }
    sc_http_stop_listening(internal->http);
    // Settled tickets are pending in the query route until their reply is on its way.
    while (sc_pending_count(internal->pending) > 0 && sc_clock_us() < until_us) {
        sleep_s(MOMENT_S);
    }
    const size_t left = sc_pending_count(internal->pending);
    if (left > 0) {
        // While there are loops to reply: queries that still wait fail as stopped (P8).
        sc_served_maps_end(internal->maps);
    }
    // Those who are connected hear of it before they are cut off.
    const int64_t farewell_us = from_now_us(FAREWELL_S);
    if (left > 0 || until_us < farewell_us) until_us = farewell_us;
    while (!sc_http_is_idle(internal->http) && sc_clock_us() < until_us) {
        sleep_s(MOMENT_S);
    }
    return left;
}

void sc_service_free(sc_service *service)
{
    if (!service) return;
    sc_service_internal *internal = &service->internal;
    // No more requests; then all tickets are settled, and no errand is sent; then those under way
    // come back; then no thread is left that calls the rest.
    sc_served_maps_stop(internal->maps);
    if (internal->http) sc_http_stop(internal->http);
    if (internal->gateway) sc_gateway_stop(internal->gateway);
    sc_served_maps_close(internal->maps);
    sc_cloak_log_free(internal->cloak_log);
    sc_query_route_free(internal->query_route);
    sc_oblivious_gateway_free(internal->oblivious);
    sc_events_free(internal->events);
    alarms_free(internal->alarms);
    sc_http_free(internal->http);
    sc_served_maps_free(internal->maps);
    sc_rare_memory_release(internal->rare_memory);
    sc_gateway_free(internal->gateway);
    sc_ui_free(internal->ui);
    sc_report_log_free(internal->report_log);
    sc_metrics_free(internal->metrics);
    sc_pending_free(internal->pending);
    sc_rate_limit_free(internal->address_rates);
    sc_rate_limit_free(internal->user_rates);
    sc_query_charges_free(internal->charges);
    sc_credentials_free(internal->credentials);
    sc_jwt_issuer_free(service->jwt);
    sc_pass_issuer_free(internal->pass);
    sc_cross_origin_free(internal->cross_origin);
    sc_free(service->revoked);
    sc_free(service->token_keys);
    sc_free(service);
}
