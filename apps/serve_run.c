/*
 * A service from the command line to its end: the map, the objects, the density and the log that
 * its settings name (serve_flags.c); start, reload, drain and stop.
 */
#include "serve_run.h"

#include "api/cloak_log.h"
#include "base/clock.h"
#include "points/point_settings.h"
#include "report/report_log.h"
#include "serve_audit.h"
#include "serve_process.h"
#include "server/key_source.h"
#include "server/sandbox.h"
#include "server/token.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- Log, map and provider ----------------------------------------------------------------------

/** Seconds at least between two questions for an issuer's keys. */
static const double jwt_retry_s = 10;

/** NULL instead of "". */
static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

// From what the service's own settings say, beside a URL.
static sc_err points_from_url(const sc_settings *s, sc_point_settings **out, sc_diag *diag)
{
    sc_point_options points = sc_point_options_default();
    points.url = s->point_provider;
    points.distance = (sc_point_distance)s->point_distance;
    points.spacing_m = s->point_spacing_m;
    points.max_k = (uint32_t)s->point_max_k;
    points.timeout_s = s->provider_timeout_s;
    points.deadline_s = s->provider_deadline_s;
    char *fields = strdup(s->point_fields);
    if (!fields) return SC_ENOMEM;
    sc_err err = *fields ? sc__point_fields_read(fields, &points, diag) : SC_OK;
    if (!err) err = sc_point_settings_new(&points, out, diag);
    free(fields);
    return err;
}

static sc_err open_points(const sc_settings *s, sc_serve_resources *resources, sc_diag *diag)
{
    if (strstr(s->point_provider, "://")) return points_from_url(s, &resources->points, diag);
    const sc_err err = sc_point_settings_read(s->point_provider, &resources->points, diag);
    if (err) return err;
    return sc_settings_check_plain(s, "point-provider", sc_point_settings_url(resources->points),
                                   diag);
}

static sc_err open_provider(const sc_call *call, const sc_settings *s,
                            sc_serve_resources *resources, sc_diag *diag)
{
    if (*s->provider) return SC_OK;
    if (*s->area_provider) {
        const sc_err err = sc_area_settings_read(s->area_provider, &resources->areas, diag);
        if (err) return err;
        return sc_settings_check_plain(s, "area-provider", sc_area_settings_url(resources->areas),
                                       diag);
    }
    return *s->point_provider
               ? open_points(s, resources, diag)
               : sc_serve_map_open_objects(call, resources->served, resources->log, diag);
}

sc_err sc_serve_resources_open(const sc_call *call, const sc_settings *s, sc_serve_resources *out,
                               sc_diag *diag)
{
    sc_err err = sc_log_new(STDERR_FILENO, (sc_log_format)s->log_format, (sc_log_level)s->log_level,
                            &out->log);
    if (!err) err = sc_settings_parts(s->listen, &out->addresses, &out->address_count);
    if (!err && strcmp(s->admin, SC_SETTINGS_ADMIN_SHARED) != 0) {
        err = sc_settings_parts(s->admin, &out->admin, &out->admin_count);
    }
    if (!err) err = sc_settings_parts(s->proxies, &out->proxies, &out->proxy_count);
    if (!err) err = sc_settings_parts(s->relays, &out->relays, &out->relay_count);
    if (!err) err = sc_serve_map_open(s, s, &out->served, diag);
    if (!err) err = open_provider(call, s, out, diag);
    return err;
}

void sc_serve_resources_close(sc_serve_resources *resources)
{
    sc_serve_map_close(resources->served);
    sc_settings_parts_free(resources->addresses);
    sc_settings_parts_free(resources->admin);
    sc_settings_parts_free(resources->proxies);
    sc_settings_parts_free(resources->relays);
    sc_point_settings_free(resources->points);
    sc_area_settings_free(resources->areas);
    sc_log_free(resources->log);
}

// --- Options ----------------------------------------------------------------------------

static sc_http_options http_options(const sc_settings *s, sc_serve_resources *resources)
{
    sc_http_options http = sc_http_options_default();
    http.inherited_count = sc_serving_inherit(resources->inherited);
    http.inherited = resources->inherited;
    // Handed sockets are the operator's choice; ours would only be beside it.
    http.addresses = (const char *const *)resources->addresses;
    http.address_count = http.inherited_count > 0 ? 0 : resources->address_count;
    http.admin_addresses = (const char *const *)resources->admin;
    http.admin_address_count = resources->admin_count;
    http.is_admin_shared = strcmp(s->admin, SC_SETTINGS_ADMIN_SHARED) == 0;
    http.proxies = (const char *const *)resources->proxies;
    http.proxy_count = resources->proxy_count;
    http.relays = (const char *const *)resources->relays;
    http.relay_count = resources->relay_count;
    http.forwarded = (sc_http_forwarded)s->forwarded;
    http.loops = (unsigned)s->loops;
    http.max_connections = s->max_connections;
    http.max_address_connections = s->address_connections;
    http.max_admin_connections = s->max_listeners + 100;
    http.max_header_bytes = s->max_header_bytes;
    http.max_body_bytes = s->max_body_bytes;
    http.request_timeout_s = s->request_timeout_s;
    http.idle_timeout_s = s->idle_timeout_s;
    http.write_timeout_s = s->write_timeout_s;
    http.handshakes_per_s = s->handshake_rate;
    http.handshake_burst = s->handshake_burst;
    http.send_buffer_bytes = s->send_buffer;
    http.address_bytes_per_s = (double)s->address_bandwidth;
    http.tls.certificate = or_null(s->tls_certificate);
    http.tls.key = *s->tls_key ? s->tls_key : or_null(s->tls_certificate);
    http.tls.client_ca = or_null(s->client_ca);
    return http;
}

static sc_ledger_options ledger_options(const sc_serve_map *served)
{
    const sc_settings *s = &served->settings;
    sc_ledger_options ledger = sc_ledger_options_default();
    ledger.engine = sc_serve_engine_options(s);
    ledger.engine.demands = served->demands.asked;
    ledger.has_continuity = s->continuity;
    ledger.continuity.vmax_m_s = s->vmax_m_s;
    ledger.continuity.tau_us = sc_time_from_seconds(s->tau_s);
    ledger.partition = served->partition;
    ledger.engine_threads = s->threads > 0 ? (unsigned)s->threads : 1;
    ledger.patience_us = sc_time_from_seconds(s->patience_s);
    ledger.prune_threads = (unsigned)s->prune_threads;
    ledger.max_pending = s->max_pending;
    ledger.jitter_us = sc_time_from_seconds(s->jitter_s);
    ledger.guard_us = sc_time_from_seconds(s->guard_s);
    ledger.provider_deadline_s = s->provider_deadline_s;
    ledger.is_paranoid = s->paranoid;
    if (s->rare_requests == SC_RARE_REQUESTS_DROP) ledger.rare.users = (uint32_t)s->rare_users;
    ledger.rare.window_us = sc_time_from_seconds(s->rare_window_s);
    ledger.rare.memory_us = sc_time_from_seconds(s->rare_memory_s);
    return ledger;
}

static sc_courier_options courier_options(const sc_serve_map *served,
                                          const sc_serve_resources *resources)
{
    const sc_settings *s = &served->settings;
    sc_courier_options courier = sc_courier_options_default();
    courier.kind = *s->provider         ? SC_COURIER_HTTP
                   : *s->point_provider ? SC_COURIER_POINTS
                   : *s->area_provider  ? SC_COURIER_AREAS
                                        : SC_COURIER_BUILT_IN;
    // Each provider thread asks a provider of points or areas by itself, and waits for it.
    // Other cloaks are handled by the ledger's thread, unless the work is spread over several.
    // An answer takes about as long as its cloak, so that there are as many as engine threads.
    const unsigned spread = s->threads < 64 ? (unsigned)s->threads : 64;
    const bool is_waited_for =
        courier.kind == SC_COURIER_POINTS || courier.kind == SC_COURIER_AREAS;
    const unsigned usual = is_waited_for ? 16 : s->threads > 1 ? spread : 0;
    courier.threads = s->provider_threads > 0 ? (unsigned)s->provider_threads : usual;
    // Every cloak has two members at least, unless k is 1.
    courier.max_errands = s->max_pending;
    courier.objects = served->objects.own.objects;
    courier.feed = atomic_load(&served->objects.feed);
    courier.url = or_null(s->provider);
    courier.encoding = (sc_encoding)s->encoding;
    courier.ca = or_null(s->provider_ca);
    courier.certificate = or_null(s->provider_certificate);
    courier.key = *s->provider_key ? s->provider_key : or_null(s->provider_certificate);
    courier.connections = (unsigned)s->provider_connections;
    courier.try_timeout_s = s->provider_timeout_s;
    courier.points = resources->points;
    courier.areas = resources->areas;
    courier.more_categories = (const char *const *)served->categories;
    courier.more_category_count = served->category_count;
    courier.breaker_failures = (unsigned)s->breaker_failures;
    courier.breaker_pause_s = s->breaker_pause_s;
    courier.filter.slack = s->provider_slack;
    return courier;
}

/** An issuer is asked several times in an epoch, so that its next key is here before it is used. */
static sc_pass_issuer_options pass_options(const sc_settings *s, sc_serve_resources *resources)
{
    static const double most_s = 600;
    static const double often_s = 10;
    const double refresh_s = fmin((double)s->pass_epoch_s / 4, most_s);
    (void)sc_settings_pass_issuer_name(s, resources->pass_issuer_name,
                                       sizeof resources->pass_issuer_name);
    return (sc_pass_issuer_options){.directory = or_null(s->pass_issuer),
                                    .name = resources->pass_issuer_name,
                                    .origin = s->pass_origin,
                                    .ca = or_null(s->pass_ca),
                                    .epoch_s = (int64_t)s->pass_epoch_s,
                                    .refresh_s = refresh_s,
                                    .retry_s = fmin(refresh_s, often_s),
                                    .log = resources->log};
}

/** What goes by the map. */
static void set_map_options(const sc_serve_map *served, const sc_serve_resources *resources,
                            sc_service_options *options)
{
    options->ledger = ledger_options(served);
    options->courier = courier_options(served, resources);
    options->zone_key = or_null(served->settings.zone_key);
    options->zone_roads = (uint32_t)served->settings.zone_roads;
    options->density = served->demands.density;
}

sc_service_options sc_serve_options(const sc_settings *settings, const sc_serve_map *served,
                                    sc_serve_resources *resources)
{
    sc_service_options options = {
        .http = http_options(settings, resources),
        .policy = sc_settings_policy(settings),
        .token_keys = or_null(settings->token_keys),
        .revoked = or_null(settings->revoked),
        .jwt = {.keys = or_null(settings->jwt_keys),
                .issuer = settings->jwt_issuer,
                .audience = settings->jwt_audience,
                .user = settings->jwt_user,
                .ca = or_null(settings->jwt_ca),
                .refresh_s = settings->jwt_refresh_s,
                .retry_s = jwt_retry_s,
                .log = resources->log},
        .pass = pass_options(settings, resources),
        .origins = or_null(settings->origins),
        .has_oblivious = settings->oblivious,
        .oblivious = {.keys = or_null(settings->oblivious_keys),
                      .period_s = (int64_t)settings->oblivious_period_s,
                      .window_s = (int64_t)settings->oblivious_window_s,
                      .replays = settings->oblivious_replays},
        .cloak_log = or_null(settings->cloak_log),
        .cloak_log_max = settings->cloak_log_max << 20,
        .report_log = or_null(settings->report_log),
        .report_days = (unsigned)settings->report_days,
        .log = resources->log,
        .max_listeners = settings->max_listeners,
        .version = SC_VERSION,
        .has_ui = !settings->no_ui,
    };
    set_map_options(served, resources, &options);
    return options;
}

// --- From start to end --------------------------------------------------------------------------

/** One service, from its settings on. */
typedef struct serving {
    sc_call *call;
    const sc_serve_flags *flags;
    const sc_serve_hooks *hooks;
    sc_settings *settings;
    sc_serve_resources resources;
    sc_service *service;
    sc_audit *audit;       ///< NULL: nothing is recorded
    sc_serve_map *served;  ///< now; the service's, or that of the resources
    size_t descriptors;    ///< how many it may have open
    bool has_revoked;      ///< the file of revoked tokens was there when it was last read
    sigset_t signals;
} serving;

static void tell_listening(const serving *s)
{
    sc_serving_tell_listening(s->resources.log, sc_service_http(s->service),
                              *s->settings->tls_certificate != '\0');
    sc_log_line line;
    if (sc_log_begin(s->resources.log, &line, SC_LOG_INFO, "ready")) {
        char user[64];
        sc_log_text(&line, "user", sc_sandbox_user(user, sizeof user));
        sc_log_text(&line, "sandbox", s->settings->no_sandbox ? "no" : "yes");
        sc_log_text(&line, "provider",
                    *s->settings->provider         ? "http"
                    : *s->settings->point_provider ? "points"
                    : *s->settings->area_provider  ? "areas"
                                                   : "built in");
        sc_log_end(&line);
    }
}

/** Where people can look, if there is something to look at: a map may have no coordinates. */
static void print_ui(const serving *s)
{
    const bool is_tls = *s->settings->tls_certificate != '\0';
    char url[SC_SERVING_URL_SIZE];
    if (s->settings->no_ui || sc_map_coords(s->served->map) == SC_COORDS_NONE) return;
    if (!sc_serving_url(sc_service_http(s->service), is_tls, url)) return;
    printf("the UI: %s/\n", url);
    if (sc_serving_admin_url(sc_service_http(s->service), url)) {
        printf("the UI with its live view: %s/\n", url);
    }
}

/** Without a key file no query would be accepted: print one token to try the service. */
static sc_err print_token(const serving *s, sc_diag *diag)
{
    if (*s->settings->token_keys || s->hooks->start) return SC_OK;
    char token[SC_TOKEN_SIZE];
    const sc_err err = sc_service_issue(s->service, "guest", 86400.0, token, diag);
    if (!err) {
        printf("a token valid for a day, since no token-keys are set:\n%s\n", token);
        print_ui(s);
        fflush(stdout);
    }
    explicit_bzero(token, sizeof token);
    return err;
}

/** A command that adds to a service goes by the map of the start, and so do a cluster and a record
 * of true positions. */
static bool changes_map(const serving *s)
{
    return !s->hooks->prepare && !s->audit;
}

/** What is read again on SIGHUP must be readable for whom we have become. */
static void warn_of_unreadable(const serving *s)
{
    const bool is_map_read = changes_map(s);
    const char *const files[] = {
        s->flags->config ? s->flags->config : "",
        s->settings->token_keys,
        s->settings->revoked,
        sc_key_source_is_remote(s->settings->jwt_keys) ? "" : s->settings->jwt_keys,
        sc_key_source_is_remote(s->settings->pass_issuer) ? "" : s->settings->pass_issuer,
        s->settings->tls_certificate,
        s->settings->tls_key,
        s->settings->client_ca,
        s->settings->oblivious_keys,
        is_map_read ? s->settings->map : "",
        is_map_read ? s->settings->partition : "",
        is_map_read ? s->settings->density : "",
        is_map_read ? s->settings->classes : "",
        is_map_read ? s->settings->zone_key : "",
        s->settings->provider_ca,
        s->settings->provider_certificate,
        s->settings->provider_key};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (*files[i] == '\0' || access(files[i], R_OK) == 0 || errno == ENOENT) continue;
        sc_log_line line;
        if (!sc_log_begin(s->resources.log, &line, SC_LOG_WARNING, "reload_will_fail")) continue;
        char user[64];
        sc_log_text(&line, "file", files[i]);
        sc_log_text(&line, "user", sc_sandbox_user(user, sizeof user));
        sc_log_text(&line, "hint", "let this user read it, or name another with --user");
        sc_log_end(&line);
    }
}

/** A missing list revokes no token, which may be a mistake: log it. */
static void warn_of_missing_revoked(serving *s)
{
    const char *revoked = s->settings->revoked;
    s->has_revoked = *revoked != '\0' && access(revoked, F_OK) == 0;
    if (*revoked == '\0' || s->has_revoked) return;
    sc_log_line line;
    if (!sc_log_begin(s->resources.log, &line, SC_LOG_WARNING, "nothing_revoked")) return;
    sc_log_text(&line, "file", revoked);
    sc_log_text(&line, "message", "the file does not exist, so no token is revoked");
    sc_log_end(&line);
}

static void warn_of_certificates(const serving *s)
{
    const char *const files[] = {s->settings->tls_certificate, s->settings->client_ca,
                                 s->settings->provider_certificate};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        sc_diag diag = {.message = ""};
        if (*files[i] == '\0' || sc_http_certificate_check(files[i], &diag) != SC_EINVAL) continue;
        sc_log_message(s->resources.log, SC_LOG_WARNING, "certificate_invalid", diag.message);
    }
}

/** Settings that nothing uses are likely a mistake. The page of a demonstration may switch to an
 * engine that uses them. */
static void warn_of_unused(const serving *s)
{
    size_t from = 0;
    if (s->hooks->usual) return;
    for (sc_unused_setting unused; (unused = sc_settings_unused(s->settings, &from)).name;) {
        sc_log_line line;
        if (s->flags->is_check) {
            fprintf(stderr, "%s: warning: %s has no effect: %s\n", s->call->path, unused.name,
                    unused.why);
        } else if (sc_log_begin(s->resources.log, &line, SC_LOG_WARNING, "setting_unused")) {
            sc_log_text(&line, "setting", unused.name);
            sc_log_text(&line, "message", unused.why);
            sc_log_end(&line);
        }
    }
}

/** A provider's own categories come from its file; a map may have none beside. */
static void warn_of_no_categories(const serving *s)
{
    static const char hint[] =
        "no category is known, so requests can only be for all objects: the map has none; name "
        "them in section [categories] of the provider's file";
    const sc_serve_resources *resources = &s->resources;
    size_t count = 0;
    if (resources->areas) (void)sc_area_settings_categories(resources->areas, &count);
    if (!resources->areas || count > 0 || sc_map_category_count(s->served->map) > 0) return;
    if (s->flags->is_check) {
        fprintf(stderr, "%s: warning: area-provider: %s\n", s->call->path, hint);
    } else {
        sc_log_message(resources->log, SC_LOG_WARNING, "no_categories", hint);
    }
}

/** What only --check looks at: things that a start would show, or clients would. */
static sc_err check_more(const serving *s, const sc_http_options *http, sc_diag *diag)
{
    const sc_settings *settings = s->settings;
    sc_err err = sc_serving_check(http, s->call, diag);
    if (!err && *settings->provider_certificate) {
        err = sc_http_certificate_check(settings->provider_certificate, diag);
    }
    if (!err && *settings->user) err = sc_sandbox_user_check(settings->user, diag);
    if (!err && *settings->cloak_log) err = sc_cloak_log_check(settings->cloak_log, diag);
    if (!err && *settings->report_log) err = sc_report_log_check(settings->report_log, diag);
    return err;
}

/** From open files and sockets to a service that has given up all else. */
static sc_err begin(serving *s, sc_diag *diag)
{
    s->descriptors = sc_sandbox_raise_descriptors();
    sc_err err = sc_sandbox_no_dumps(diag);
    if (!err) err = sc_serve_resources_open(s->call, s->settings, &s->resources, diag);
    if (err) return err;
    // What took long (a map, a database) could be interrupted; what is served is drained.
    sc_serving_hold_signals(&s->signals);
    s->served = s->resources.served;
    warn_of_missing_revoked(s);
    warn_of_unused(s);
    warn_of_no_categories(s);
    sc_served_demands_log(&s->served->demands, s->settings, s->resources.log);
    sc_service_options options = sc_serve_options(s->settings, s->served, &s->resources);
    if (options.courier.key) err = sc_http_key_check(options.courier.key, diag);
    if (s->flags->is_check) {
        if (!err) err = check_more(s, &options.http, diag);
        // Where a service is running already, its connections must not come to us.
        static const char *const anywhere[] = {"127.0.0.1:0"};
        options.http.addresses = anywhere;
        options.http.address_count = 1;
        options.http.admin_address_count = 0;
    } else {
        warn_of_certificates(s);
    }
    const sc_serve_hooks *hooks = s->hooks;
    if (!err && hooks->prepare) {
        err = hooks->prepare(hooks->context, s->settings, s->served->map, &options, diag);
    }
    if (!err) {
        const bool is_plain_serve = !hooks->prepare && !options.gateway;
        err = sc_serve_audit_new(s->settings, s->served->map, s->resources.log, is_plain_serve,
                                 &options, &s->audit, diag);
    }
    if (!err) err = sc_service_new(s->served->map, &options, &s->service, diag);
    if (!err && changes_map(s)) {
        sc_service_on_retired(s->service, sc_serve_map_close, s->served);
        s->resources.served = NULL;
    }
    if (!err && hooks->attach) err = hooks->attach(hooks->context, s->service, diag);
    if (!err && !s->flags->is_check) {
        const char *user = *s->settings->user ? s->settings->user : NULL;
        err = sc_sandbox_become(user, diag);
        if (!err) warn_of_unreadable(s);
        if (!err) err = sc_service_open_report_log(s->service, diag);
        if (!err && s->audit) err = sc_audit_open(s->audit, diag);
        if (!err && !s->settings->no_sandbox) {
            err = sc_sandbox_enter(*s->settings->cloak_log != '\0', diag);
        }
        if (!err && s->audit) err = sc_audit_start(s->audit, diag);
        if (!err) err = sc_service_start(s->service, diag);
        if (!err && hooks->start) err = hooks->start(hooks->context, s->service, diag);
    }
    return err;
}

// --- Reloading ----------------------------------------------------------------------------------

/** Another map, tables, categories or address of the provider, ready to be served. */
typedef struct next_map {
    sc_serve_map *files;  ///< NULL: all is as it was
    sc_served_map *served;
} next_map;

static sc_err make_ready(const serving *s, next_map *out, sc_diag *diag)
{
    sc_err err = sc_serve_map_open_objects(s->call, out->files, s->resources.log, diag);
    if (err) return err;
    sc_service_options options = {.max_listeners = 0};
    set_map_options(out->files, &s->resources, &options);
    return sc_service_prepare_map(s->service, out->files->map, &options, sc_serve_map_close,
                                  out->files, &out->served, diag);
}

static sc_err find_next_map(const serving *s, const sc_settings *next, next_map *out, sc_diag *diag)
{
    sc_err err = sc_serve_map_open(s->settings, next, &out->files, diag);
    if (err) return err;
    if (sc_serve_map_is_same(s->served, out->files, sc_service_vocabulary(s->service))) {
        sc_serve_map_close(out->files);
        out->files = NULL;
        return SC_OK;
    }
    const int64_t began_us = sc_clock_us();
    err = make_ready(s, out, diag);
    if (err) {
        sc_serve_map_close(out->files);
        out->files = NULL;
        return err;
    }
    sc_log_line line;
    if (sc_log_begin(s->resources.log, &line, SC_LOG_INFO, "map_ready")) {
        sc_log_count(&line, "milliseconds", (uint64_t)(sc_clock_us() - began_us) / 1000);
        sc_log_end(&line);
    }
    return SC_OK;
}

static void put_checksum(sc_log_line *line, const char *name, const sc_map *map)
{
    char checksum[17];
    (void)snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)sc_map_checksum(map));
    sc_log_text(line, name, checksum);
}

static void serve_next_map(serving *s, const next_map *next)
{
    if (!next->files) return;
    sc_log_line line;
    // Before: the one that was served may be freed at once.
    if (sc_log_begin(s->resources.log, &line, SC_LOG_INFO, "map_changed")) {
        put_checksum(&line, "map", next->files->map);
        put_checksum(&line, "before", s->served->map);
        sc_log_count(&line, "segments", sc_map_segment_count(next->files->map));
        sc_log_end(&line);
    }
    s->served = next->files;
    sc_service_serve_map(s->service, next->served);
    sc_served_demands_log(&s->served->demands, &s->served->settings, s->resources.log);
}

/** Where the map stays that of the start. */
static void warn_of_other_map(const serving *s)
{
    sc_serve_map *files = NULL;
    sc_diag diag = {.message = ""};
    const sc_err err = sc_serve_map_open(s->settings, s->settings, &files, &diag);
    if (err) {
        sc_log_message(s->resources.log, SC_LOG_WARNING, "tables_not_compared",
                       diag.message[0] != '\0' ? diag.message : sc_err_text(err));
        return;
    }
    if (sc_map_checksum(files->map) != sc_map_checksum(s->served->map)) {
        sc_log_message(s->resources.log, SC_LOG_WARNING, "needs_restart", "map");
    } else {
        sc_served_demands_compare(&s->served->demands, &files->demands, s->resources.log);
    }
    sc_serve_map_close(files);
}

static void warn_of_stuck(const serving *s, const sc_settings *next)
{
    size_t from = 0;
    for (const char *stuck;
         (stuck = sc_settings_stuck(s->settings, next, changes_map(s), &from));) {
        sc_log_message(s->resources.log, SC_LOG_WARNING, "needs_restart", stuck);
    }
}

/** Another address of a provider is asked from now on; but one that is built in stays so, and one
 * that is elsewhere too. */
static void keep_kind_of_provider(const serving *s, sc_settings *next)
{
    const bool was_built_in = *s->settings->provider == '\0';
    if (!changes_map(s) || was_built_in == (*next->provider == '\0')) return;
    next->provider = s->settings->provider;
    sc_log_message(s->resources.log, SC_LOG_WARNING, "needs_restart", "provider");
}

static void log_failed_reload(const serving *s, sc_err err, const sc_diag *diag)
{
    sc_log_message(s->resources.log, SC_LOG_ERROR, "reload_failed",
                   diag->message[0] != '\0' ? diag->message : sc_err_text(err));
}

/** All that may fail, before anything changes. */
static sc_err try_reload(const serving *s, const sc_settings *next, next_map *map, sc_diag *diag)
{
    if (s->has_revoked && access(s->settings->revoked, F_OK) != 0) {
        // A revoked token must not become valid again by a mistake.
        return sc_explain(
            diag, SC_EIO,
            "%s: the list of revoked tokens is missing; restore it, or make an empty one",
            s->settings->revoked);
    }
    const sc_err err = changes_map(s) ? find_next_map(s, next, map, diag) : SC_OK;
    if (err) return err;
    const sc_policy policy = sc_settings_policy(next);
    const sc_courier_options courier = courier_options(s->served, &s->resources);
    // That of another map has read them just now.
    return sc_service_reload(s->service, &policy, map->files ? NULL : &courier, diag);
}

/** @return whether `next` is used from now on: otherwise it is the caller's to free */
static bool reload_settings(serving *s, sc_settings *next)
{
    next_map map = {.files = NULL};
    sc_diag diag = {.message = ""};
    keep_kind_of_provider(s, next);
    const sc_err err = try_reload(s, next, &map, &diag);
    if (err) {
        sc_service_discard_map(s->service, map.served);
        sc_serve_map_close(map.files);
        log_failed_reload(s, err, &diag);
        return false;
    }
    warn_of_stuck(s, next);
    sc_log_set_level(s->resources.log, (sc_log_level)next->log_level);
    if (map.files) {
        map.files->lent = next;
        serve_next_map(s, &map);
    } else if (!changes_map(s)) {
        warn_of_other_map(s);
    }
    sc_log_message(s->resources.log, SC_LOG_INFO, "reloaded",
                   map.files ? "policy, tokens, certificates, map"
                             : "policy, tokens, certificates");
    warn_of_missing_revoked(s);
    warn_of_certificates(s);
    return map.files != NULL;
}

static void reload(serving *s)
{
    sc_settings *next = NULL;
    bool is_usage = false;
    sc_diag diag = {.message = ""};
    sc_sandbox_notify_reloading();
    // Whatever comes of the rest: the file has been moved away already.
    sc_service_reopen_cloak_log(s->service);
    const sc_err err = sc_serve_gather(s->flags, s->hooks->usual, &next, &is_usage, &diag);
    if (err) log_failed_reload(s, err, &diag);
    // What is in use (paths, bounds of tables) stays that of the start, but for the map's.
    if (err || !reload_settings(s, next)) sc_settings_free(next);
    sc_sandbox_notify("READY=1");
}

/** Each loop has a table of descriptors, and connections spread about evenly over them. */
static void warn_of_few_descriptors(const serving *s)
{
    enum { REST = 300 };
    const size_t share = s->settings->max_connections / sc_service_loops(s->service);
    const size_t needed = share + share / 4 + REST;
    sc_log_line line;
    if (s->descriptors >= needed ||
        !sc_log_begin(s->resources.log, &line, SC_LOG_WARNING, "descriptors_scarce")) {
        return;
    }
    sc_log_count(&line, "limit", s->descriptors);
    sc_log_count(&line, "needed", needed);
    sc_log_text(&line, "hint",
                "max-connections cannot be reached; raise 'ulimit -n' (LimitNOFILE=), or lower it");
    sc_log_end(&line);
}

/** Until told to stop; gives the exit status. */
static int serve(serving *s)
{
    tell_listening(s);
    warn_of_few_descriptors(s);
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
    sc_log_message(s->resources.log, SC_LOG_INFO, "draining",
                   "no new queries are accepted; pending ones go on");
    if (s->hooks->stop) s->hooks->stop(s->hooks->context);
    const size_t left =
        sc_service_drain(s->service, s->settings->drain_grace_s, s->settings->drain_s);
    sc_log_line line;
    if (sc_log_begin(s->resources.log, &line, left > 0 ? SC_LOG_WARNING : SC_LOG_INFO, "stopped")) {
        sc_log_count(&line, "cut_off", left);
        sc_log_end(&line);
    }
    // Stopped as it was told to: queries that were cut off know, and the log does.
    return is_within ? SC_EXIT_FAILURE : SC_EXIT_OK;
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
        printf("all settings are valid\n");
    } else {
        status = serve(s);
    }
    if (s->hooks->stop) s->hooks->stop(s->hooks->context);
    sc_service_free(s->service);
    sc_audit_free(s->audit);
    if (s->hooks->close) s->hooks->close(s->hooks->context);
    sc_serve_resources_close(&s->resources);
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
