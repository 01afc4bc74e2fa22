// From settings to the parts of a service and its options. See serve_parts.h.
#include "serve_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inputs.h"
#include "points/point_settings.h"
#include "version.h"

/** NULL instead of "". */
static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

// --- Objects ------------------------------------------------------------------------------

static sc_err open_objects(const sc_call *call, const sc_settings *s, sc_serve_parts *parts,
                           sc_diag *diag)
{
    sc_objects_options options = sc_objects_options_default();
    sc_feed_options *feed = &options.feed;
    feed->database = or_null(s->objects);
    feed->table = s->objects_table;
    feed->key_column = s->objects_key;
    feed->position_column = s->objects_position;
    feed->category_column = s->objects_category;
    feed->name_column = or_null(s->objects_name);
    feed->channel = or_null(s->objects_channel);
    feed->refresh_s = s->objects_refresh_s;
    feed->max_snap_m = s->objects_snap_m;
    return sc_served_objects_open(call, &options, parts->map, s->map, parts->log, &parts->objects,
                                  diag);
}

// --- All ------------------------------------------------------------------------------------

static sc_err open_points(const sc_settings *s, sc_serve_parts *parts, sc_diag *diag)
{
    sc_point_options *points = &parts->points;
    *points = sc_point_options_default();
    points->url = s->point_provider;
    points->distance = (sc_point_distance)s->point_distance;
    points->spacing_m = s->point_spacing_m;
    points->max_k = (uint32_t)s->point_max_k;
    points->timeout_s = s->provider_timeout_s;
    points->deadline_s = s->provider_deadline_s;
    if (!*s->point_fields) return SC_OK;
    parts->point_fields = strdup(s->point_fields);
    if (!parts->point_fields) return SC_ENOMEM;
    return sc__point_fields_read(parts->point_fields, points, diag);
}

static sc_err open_provider(const sc_call *call, const sc_settings *s, sc_serve_parts *parts,
                            sc_diag *diag)
{
    if (*s->provider) return SC_OK;
    return *s->point_provider ? open_points(s, parts, diag) : open_objects(call, s, parts, diag);
}

sc_err sc_serve_parts_open(const sc_call *call, const sc_settings *s, sc_serve_parts *out,
                           sc_diag *diag)
{
    sc_err err = sc_log_new(STDERR_FILENO, (sc_log_format)s->log_format, (sc_log_level)s->log_level,
                            &out->log);
    if (!err) err = sc_settings_parts(s->listen, &out->addresses, &out->address_count);
    if (!err) err = sc_settings_parts(s->categories, &out->categories, &out->category_count);
    if (!err) err = sc_input_open_map(s->map, NULL, &out->map, diag);
    if (!err && *s->cut) err = sc_partition_read(s->cut, out->map, &out->cut, diag);
    if (!err && *s->density) {
        err = sc_density_read(out->map, s->density, &out->density, diag);
        if (err) err = sc_input_explain(err, s->density, SC_INPUT_DENSITY, diag);
    }
    if (!err) err = open_provider(call, s, out, diag);
    return err;
}

void sc_serve_parts_close(sc_serve_parts *parts)
{
    sc_served_objects_close(&parts->objects);
    sc_density_free(parts->density);
    sc_partition_free(parts->cut);
    sc_map_free(parts->map);
    sc_settings_parts_free(parts->addresses);
    sc_settings_parts_free(parts->categories);
    free(parts->point_fields);
    sc_log_free(parts->log);
}

// --- Options ----------------------------------------------------------------------------

static sc_http_options http_options(const sc_settings *s, sc_serve_parts *parts)
{
    sc_http_options http = sc_http_options_default();
    http.inherited_count = sc_serving_inherit(parts->inherited);
    http.inherited = parts->inherited;
    // Handed sockets are the operator's choice; ours would only be beside it.
    http.addresses = (const char *const *)parts->addresses;
    http.address_count = http.inherited_count > 0 ? 0 : parts->address_count;
    http.loops = (unsigned)s->loops;
    http.max_connections = s->max_connections;
    http.max_header_bytes = s->max_header_bytes;
    http.max_body_bytes = s->max_body_bytes;
    http.request_timeout_s = s->request_timeout_s;
    http.idle_timeout_s = s->idle_timeout_s;
    http.write_timeout_s = s->write_timeout_s;
    http.tls.certificate = or_null(s->tls_certificate);
    http.tls.key = *s->tls_key ? s->tls_key : or_null(s->tls_certificate);
    http.tls.client_ca = or_null(s->client_ca);
    return http;
}

sc_engine_options sc_serve_engine_options(const sc_settings *s)
{
    sc_engine_options engine = sc_engine_options_default();
    engine.variant = (sc_variant)s->engine;
    engine.is_strict = s->strict;
    engine.compactness = (uint32_t)s->lambda;
    engine.consideration_us = sc_time_from_seconds(s->alpha_s);
    engine.max_combinations = s->cap > 0 ? (uint32_t)s->cap : sc_variant_cap(engine.variant);
    return engine;
}

static sc_ledger_options ledger_options(const sc_settings *s, const sc_serve_parts *parts)
{
    sc_ledger_options ledger = sc_ledger_options_default();
    ledger.engine = sc_serve_engine_options(s);
    ledger.cut = parts->cut;
    ledger.engine_threads = s->threads > 0 ? (unsigned)s->threads : 1;
    ledger.patience_us = sc_time_from_seconds(s->patience_s);
    ledger.prune_threads = (unsigned)s->prune_threads;
    ledger.max_pending = s->max_pending;
    ledger.jitter_us = sc_time_from_seconds(s->jitter_s);
    ledger.guard_us = sc_time_from_seconds(s->guard_s);
    ledger.provider_deadline_s = s->provider_deadline_s;
    ledger.is_paranoid = s->paranoid;
    return ledger;
}

static sc_courier_options courier_options(const sc_settings *s, sc_serve_parts *parts)
{
    sc_courier_options courier = sc_courier_options_default();
    courier.kind = *s->provider         ? SC_COURIER_HTTP
                   : *s->point_provider ? SC_COURIER_POINTS
                                        : SC_COURIER_BUILT_IN;
    // Each clerk asks a point provider by itself, and waits for it.
    // Other cloaks are seen to by the ledger's thread, unless the work is spread over several.
    const unsigned usual = courier.kind == SC_COURIER_POINTS ? 16 : s->threads > 1 ? 1 : 0;
    courier.workers = s->clerks > 0 ? (unsigned)s->clerks : usual;
    // Every cloak has two members at least, unless k is 1.
    courier.max_errands = s->max_pending;
    courier.objects = parts->objects.own.objects;
    courier.feed = atomic_load(&parts->objects.feed);
    courier.url = or_null(s->provider);
    courier.encoding = (sc_encoding)s->encoding;
    courier.ca = or_null(s->provider_ca);
    courier.certificate = or_null(s->provider_certificate);
    courier.key = *s->provider_key ? s->provider_key : or_null(s->provider_certificate);
    courier.connections = (unsigned)s->provider_connections;
    courier.try_timeout_s = s->provider_timeout_s;
    courier.points = &parts->points;
    courier.more_categories = (const char *const *)parts->categories;
    courier.more_category_count = parts->category_count;
    courier.breaker_failures = (unsigned)s->breaker_failures;
    courier.breaker_pause_s = s->breaker_pause_s;
    courier.filter.slack = s->provider_slack;
    return courier;
}

sc_service_options sc_serve_options(const sc_settings *settings, sc_serve_parts *parts)
{
    return (sc_service_options){
        .http = http_options(settings, parts),
        .ledger = ledger_options(settings, parts),
        .courier = courier_options(settings, parts),
        .policy = sc_settings_policy(settings),
        .token_keys = or_null(settings->token_keys),
        .revoked = or_null(settings->revoked),
        .density = parts->density,
        .log = parts->log,
        .max_listeners = settings->max_listeners,
        .version = SC_VERSION,
        .has_ui = !settings->no_ui,
    };
}
