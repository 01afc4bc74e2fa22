// Pages about the service itself: GET /v1/about, /healthz, /readyz, /v1/partition and /v1/cluster.
//
// All but the partition are written for each request: the engine may be switched, the policy
// reloaded.
#include "api/service_internal.h"

#include "api/problem_details.h"
#include "api/response_cache.h"
#include "api/served_map.h"
#include "api/service.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/json_write.h"
#include "base/process.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/** "map":{"checksum":"69ea1661e9c4f52b","segments":1200}: roads are named by numbers of this map.
 */
static void put_map(sc_json_writer *json, const sc_map *map)
{
    sc_json_open_object(json, "map");
    sc_json_put_hex(json, "checksum", sc_map_checksum(map));
    sc_json_put_count(json, "segments", sc_map_segment_count(map));
    sc_json_close_object(json);
}

/** "k":{"least":2,"standard":5,"most":1000} for one need. */
static void put_need(sc_json_writer *json, const char *name, double least, double standard,
                     double most)
{
    sc_json_open_object(json, name);
    sc_json_put_fixed(json, "least", least, 6);
    sc_json_put_fixed(json, "standard", standard, 6);
    sc_json_put_fixed(json, "most", most, 6);
    sc_json_close_object(json);
}

static double in_seconds(sc_time t)
{
    return (double)t / 1e6;
}

static void put_profile(sc_json_writer *json, const sc_policy *policy)
{
    const sc_profile *least = &policy->least;
    const sc_profile *standard = &policy->standard;
    const sc_profile *most = &policy->most;
    sc_json_open_object(json, "profile");
    put_need(json, "k", least->k, standard->k, most->k);
    put_need(json, "l", least->l, standard->l, most->l);
    put_need(json, "max_hops", least->max_hops, standard->max_hops, most->max_hops);
    put_need(json, "max_wait_s", in_seconds(least->max_wait_us), in_seconds(standard->max_wait_us),
             in_seconds(most->max_wait_us));
    sc_json_close_object(json);
}

static const char *provider_name(sc_courier_kind provider)
{
    switch (provider) {
    case SC_COURIER_BUILT_IN:
        return "built in";
    case SC_COURIER_POINTS:
        return "points";
    case SC_COURIER_AREAS:
        return "areas";
    case SC_COURIER_HTTP:
        break;
    }
    return "http";
}

/** The provider, and the encoding of messages to it: null where nothing is encoded. */
static void put_provider(sc_json_writer *json, const sc_service_internal *service)
{
    sc_json_put_string(json, "provider", provider_name(service->provider));
    if (service->provider == SC_COURIER_HTTP) {
        sc_json_put_string(json, "encoding", sc_encoding_name(service->encoding));
    } else {
        sc_json_put_null(json, "encoding");
    }
}

static const char *access_name(sc_access access)
{
    switch (access) {
    case SC_ACCESS_LOCAL:
        return "local";
    case SC_ACCESS_TOKEN:
        return "token";
    case SC_ACCESS_OPEN:
        return "open";
    case SC_ACCESS_OFF:
        break;
    }
    return "off";
}

/** "offers":["attacks"]: what extra pages offer now, to those who may see them. */
static void put_offers(sc_json_writer *json, const sc_service_internal *service, sc_access events)
{
    const size_t count = events == SC_ACCESS_OFF ? 0 : service->extra_count;
    sc_json_open_array(json, "offers");
    for (size_t i = 0; i < count; i++) {
        const sc_extra_page *extra = &service->extra[i];
        if (!extra->offer || (extra->is_offered && !extra->is_offered(extra->context))) continue;
        sc_json_put_string(json, NULL, extra->offer);
    }
    sc_json_close_array(json);
}

/** Users are told if their positions are recorded, and until when. */
static void put_recording(sc_json_writer *json, const sc_auditor *auditor)
{
    static const char name[] = "records_true_positions_until";
    const time_t until_s = auditor ? (time_t)auditor->until_s(auditor->context) : 0;
    char text[32];
    struct tm utc = {0};
    if (until_s > 0 && gmtime_r(&until_s, &utc) &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0) {
        sc_json_put_string(json, name, text);
    } else {
        sc_json_put_null(json, name);
    }
}

/** @param is_admin  where it is asked for: elsewhere there are neither events nor a cluster */
static bool put_about(sc_bytes *out, const sc_service_internal *service, const sc_policy *policy,
                      bool is_admin)
{
    const sc_access events = is_admin ? policy->events : SC_ACCESS_OFF;
    const sc_served_map *served = sc_served_now(service);
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "version", service->version);
    sc_json_put_string(&json, "engine", sc_variant_name(sc_ledger_variant(served->ledger)));
    put_provider(&json, service);
    put_map(&json, served->map);
    put_profile(&json, policy);
    sc_json_put_count(&json, "max_nearest", policy->requests.max_k);
    sc_json_put_number(&json, "max_radius_m", policy->requests.max_radius_m);
    sc_json_put_number(&json, "max_radius_s",
                       policy->has_no_times ? 0 : policy->requests.max_radius_s);
    sc_json_put_string(&json, "metric", sc_metric_name(policy->metric));
    sc_json_put_string(&json, "events", access_name(events));
    put_offers(&json, service, events);
    sc_json_put_flag(&json, "zones", served->sealed_zones != NULL);
    sc_json_put_flag(&json, "cluster", is_admin && served->view != NULL);
    sc_json_put_flag(&json, "demo", service->extra_count > 0);
    put_recording(&json, service->auditor);
    sc_json_close_object(&json);
    return !json.has_failed;
}

void sc_about_show(const sc_service_internal *service, const sc_policy *policy,
                   sc_http_request *request)
{
    sc_bytes text = {0};
    if (put_about(&text, service, policy, sc_http_request_is_admin(request))) {
        // Replies are "no-store" by default.
        sc_http_reply(request, 200, "application/json", text.data, text.size, NULL, 0);
    } else {
        sc_problem problem;
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "retry in a moment");
        problem.retry_after_s = 1;
        sc_problem_reply(request, &problem, NULL);
    }
    sc_bytes_fini(&text);
}

// === Health =====================================================================================

static void reply(sc_http_request *request, int status, const char *body)
{
    sc_http_reply(request, status, "application/json", body, strlen(body), NULL, 0);
}

void sc_health_live(sc_http_request *request)
{
    reply(request, 200, "{\"status\":\"ok\"}");
}

/** Why it is not ready, for operators; NULL if it is. */
static const char *reason_not_ready(const sc_service_internal *service)
{
    if (atomic_load(&service->is_draining)) return "{\"status\":\"draining\"}";
    // Queries would find company and then fail; another instance may have a provider.
    if (sc_courier_stats_of(sc_served_now(service)->courier).is_suspended) {
        return "{\"status\":\"provider_suspended\"}";
    }
    // Other gateways refuse to share cloaks.
    if (service->gateway && sc_gateway_clock_is_wrong(service->gateway)) {
        return "{\"status\":\"clock_differs\"}";
    }
    // Queries on the roads of some parts would expire.
    if (service->gateway && !sc_gateway_is_ready(service->gateway)) {
        return "{\"status\":\"parts_unserved\"}";
    }
    return NULL;
}

void sc_health_ready(const sc_service_internal *service, sc_http_request *request)
{
    const char *reason = reason_not_ready(service);
    if (!reason) {
        reply(request, 200, "{\"status\":\"ready\"}");
    } else {
        const bool is_admin = sc_http_request_is_admin(request);
        reply(request, 503, is_admin ? reason : "{\"status\":\"not_ready\"}");
    }
}

// === The partition and the cluster
// ====================================================================

// --- The partition
// -------------------------------------------------------------------------------------

struct sc_partition_page {
    sc__cached_page cached;
};

static bool write_partition(sc_bytes *out, const sc_partition *partition)
{
    const sc_seg_id count = sc_map_segment_count(sc_partition_map(partition));
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_hex(&json, "partition", sc_partition_checksum(partition));
    sc_json_put_count(&json, "parts", sc_partition_part_count(partition));
    sc_json_open_array(&json, "segments");
    for (sc_seg_id s = 0; s < count; s++) {
        sc_json_put_count(&json, NULL, sc_partition_home(partition, s));
    }
    sc_json_close_array(&json);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    return !json.has_failed;
}

static sc_err cache_partition(sc_partition_page *page, const sc_partition *partition)
{
    static const sc__cached_page_headers words = {
        .type = "application/json",
        // As the map: another start may serve another partition.
        .cache_control = "public, no-cache",
    };
    sc_bytes text = {0};
    if (write_partition(&text, partition)) return sc__cached_page_own(&page->cached, &words, &text);
    sc_bytes_fini(&text);
    return SC_ENOMEM;
}

sc_err sc_partition_page_new(const sc_partition *partition, sc_partition_page **out, sc_diag *diag)
{
    sc_partition_page *page = sc_calloc(1, sizeof *page);
    const sc_err err = page ? cache_partition(page, partition) : SC_ENOMEM;
    if (err) {
        sc_partition_page_free(page);
        return err == SC_ENOMEM ? sc_fail_memory(diag, "writing the partition for display")
                                : sc_fail(diag, err, "the partition is too large to be written");
    }
    *out = page;
    return SC_OK;
}

void sc_partition_page_free(sc_partition_page *page)
{
    if (!page) return;
    sc__cached_page_fini(&page->cached);
    sc_free(page);
}

bool sc_partition_page_is_lent(const sc_partition_page *page, const sc_http *http, unsigned loop)
{
    return sc__cached_page_is_lent(&page->cached, http, loop);
}

void sc_partition_page_show(const sc_partition_page *page, sc_http_request *request)
{
    sc__cached_page_send(&page->cached, request);
}

// --- The cluster ---------------------------------------------------------------------------------

void sc_cluster_show(const sc_served_map *served, sc_http_request *request)
{
    sc_cluster_view *view = served->view(served->view_context);
    char *text = view ? sc_cluster_view_json(view) : NULL;
    sc_cluster_view_free(view);
    if (text) {
        sc_http_reply(request, 200, "application/json", text, strlen(text), NULL, 0);
    } else {
        sc_problem problem;
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "out of memory; retry");
        problem.retry_after_s = 1;
        sc_problem_reply(request, &problem, NULL);
    }
    sc_free(text);
}

// === This process as a cluster of one ===========================================================
//
// The view is made as that of a cluster: a roster with a gateway and a worker, which are both this
// process, whose beats are made when the view is; and a placement by which the worker has every
// part.

/** Numbers of the two; they never leave this process. */
enum { GATEWAY = 1, WORKER = 2 };

/** Beats come with every view, so neither is ever missing. */
enum { BEAT_US = 1 };

static const char name[] = "serve";

struct sc_process_view {
    sc_engine_pool *engines;
    uint32_t parts;
    uint64_t partition;
    sc_placement *placement;
    pthread_mutex_t lock;
    /* Under the lock: */
    sc_roster *roster;
    uint64_t looks;
    sc_part_load *loads;
};

sc_err sc_process_view_new(sc_engine_pool *engines, const sc_partition *partition,
                           sc_process_view **out)
{
    sc_process_view *own = sc_calloc(1, sizeof *own);
    if (!own) return SC_ENOMEM;
    pthread_mutex_init(&own->lock, NULL);
    own->engines = engines;
    own->parts = sc_partition_part_count(partition);
    own->partition = sc_partition_checksum(partition);
    own->placement = sc_placement_new(own->parts);
    own->loads = sc_calloc(own->parts, sizeof *own->loads);
    if (!own->placement || !own->loads || sc_roster_new(own->partition, BEAT_US, 0, &own->roster)) {
        sc_process_view_free(own);
        return SC_ENOMEM;
    }
    own->placement->epoch = 1;
    own->placement->leader = GATEWAY;
    own->placement->partition = own->partition;
    for (uint32_t p = 0; p < own->parts; p++) {
        own->placement->owners[p] = WORKER;
    }
    *out = own;
    return SC_OK;
}

void sc_process_view_free(sc_process_view *own)
{
    if (!own) return;
    sc_roster_free(own->roster);
    sc_placement_free(own->placement);
    sc_free(own->loads);
    pthread_mutex_destroy(&own->lock);
    sc_free(own);
}

/** The heartbeat of either. NULL if memory is out. */
static sc_heartbeat *begin_heartbeat(const sc_process_view *own, sc_peer peer, size_t service)
{
    sc_heartbeat *heartbeat = sc_heartbeat_new(service);
    if (!heartbeat) return NULL;
    const sc_process_use use = sc_process_use_now();
    heartbeat->peer = peer;
    heartbeat->number = own->looks;
    heartbeat->partition = own->partition;
    heartbeat->epoch = own->placement->epoch;
    heartbeat->memory = use.resident_bytes;
    heartbeat->cpu_us = use.cpu_us;
    (void)snprintf(heartbeat->name, sizeof heartbeat->name, "%s", name);
    return heartbeat;
}

/** What the engines have done. */
static void fill_worker(sc_heartbeat *heartbeat, const sc_process_view *own,
                        const sc_engine_pool_stats *stats)
{
    heartbeat->is_worker = true;
    heartbeat->engines = *stats;
    size_t count = 0;
    for (uint32_t p = 0; p < own->parts; p++) {
        const sc_part_load *load = &own->loads[p];
        if (!load->is_open) continue;
        heartbeat->parts[count++] = (sc_heartbeat_part){.part = p, .load = *load};
        heartbeat->open += load->pending + (uint64_t)load->held;
        if (load->engine_thread >= heartbeat->threads) heartbeat->threads = load->engine_thread + 1;
    }
    heartbeat->part_count = count;
}

static sc_cluster_view *look(sc_process_view *own)
{
    own->looks++;
    sc_heartbeat *worker = begin_heartbeat(own, WORKER, own->parts);
    sc_heartbeat *gateway = begin_heartbeat(own, GATEWAY, 0);
    if (!worker || !gateway) {
        sc_heartbeat_free(worker);
        sc_heartbeat_free(gateway);
        return NULL;
    }
    const sc_engine_pool_stats stats = sc_engine_pool_stats_of(own->engines, own->loads);
    fill_worker(worker, own, &stats);
    for (size_t i = 0; i < worker->part_count; i++) {
        gateway->open += worker->parts[i].load.pending;
    }
    const sc_time now = sc_clock_us();
    sc_roster_receive(own->roster, worker, 0, now);
    sc_roster_receive(own->roster, gateway, 0, now);
    return sc_cluster_view_new(own->roster, own->placement, own->parts, GATEWAY, now);
}

sc_cluster_view *sc_process_view_now(sc_process_view *own)
{
    pthread_mutex_lock(&own->lock);
    sc_cluster_view *view = look(own);
    pthread_mutex_unlock(&own->lock);
    // There is no connection that could be lost.
    if (view) view->bus.is_connected = true;
    return view;
}
