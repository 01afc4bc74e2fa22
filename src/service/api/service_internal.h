/**
 * @file service_internal.h
 * @brief What the routes of a running service share, made by service.c before the first request;
 * and the functions of routes that need no header of their own.
 */
#ifndef SC_API_SERVICE_INTERNAL_H
#define SC_API_SERVICE_INTERNAL_H

#include "api/access_policy.h"
#include "api/auditor.h"
#include "api/problem_details.h"
#include "api/query_charges.h"
#include "cluster/cluster_view.h"
#include "cluster/gateway.h"
#include "courier/courier.h"
#include "ledger/ledger.h"
#include "partition/partition.h"
#include "server/http.h"
#include "server/log.h"
#include "server/pass_issuer.h"
#include "server/pending.h"
#include "server/rate_limit.h"
#include "server/revoked.h"
#include "server/token.h"
#include "worker/engine_pool.h"

#include <stdatomic.h>

typedef struct sc_query_route sc_query_route;    ///< query_route.c: queries and their outcomes
typedef struct sc_async_route sc_async_route;    ///< async_route.h: those that outlive requests
typedef struct sc_events sc_events;              ///< events.h: listeners of GET /v1/events
typedef struct sc_metrics sc_metrics;            ///< metrics.h
typedef struct sc_cross_origin sc_cross_origin;  ///< cross_origin.h
typedef struct sc_sealed_zones sc_sealed_zones;  ///< sealed_zones.h
typedef struct sc_cloak_log sc_cloak_log;        ///< cloak_log.h
typedef struct sc_oblivious_gateway sc_oblivious_gateway;  ///< oblivious_gateway.h
typedef struct sc_report_log sc_report_log;                ///< report/report_log.h
typedef struct sc_static_pages sc_static_pages;        ///< static_pages.h: map, categories, openapi
typedef struct sc_partition_page sc_partition_page;    ///< status_pages.c: the partition
typedef struct sc_ui sc_ui;                            ///< static_pages.h: the UI
typedef struct sc_extra_page sc_extra_page;            ///< service.h: pages of a command
typedef struct sc_service_options sc_service_options;  ///< service.h
typedef struct sc_served_map sc_served_map;      ///< served_map.h: a map and what stands on it
typedef struct sc_served_maps sc_served_maps;    ///< served_map.h: all that are there
typedef struct sc_process_view sc_process_view;  ///< status_pages.c
typedef struct sc_alarms sc_alarms;              ///< service.c: what the log tells operators

typedef struct sc_service_internal {
    unsigned loops;
    bool is_ledger_hosted;  ///< the only loop's thread is the ledgers', too
    sc_log *log;
    sc_http *http;
    /** The map that takes queries: sc_served_now() reads it, and served_map.h says for how long. */
    _Atomic(sc_served_map *) served;
    sc_served_maps *maps;
    sc_rare_memory *rare_memory;  ///< of all maps; NULL: all requests are sent
    sc_alarms *alarms;
    sc_rate_limit *user_rates;
    sc_query_charges *charges;
    sc_rate_limit *address_rates;
    sc_cross_origin *cross_origin;  ///< NULL: pages of this service alone
    sc_pending *pending;
    sc_query_route *query_route;
    sc_oblivious_gateway *oblivious;  ///< NULL: requests come by themselves alone
    sc_events *events;
    const sc_auditor *auditor;  ///< NULL: there is none
    sc_cloak_log *cloak_log;    ///< NULL: there is none
    sc_report_log *report_log;  ///< NULL: there is none
    sc_metrics *metrics;
    sc_ui *ui;  ///< NULL: none
    const sc_extra_page *extra;
    size_t extra_count;
    const char *version;
    bool rounds_requests;  ///< to those of a closed list (ledger/rare_requests.h)
    sc_courier_kind provider;
    sc_encoding encoding;            ///< of a provider over HTTP
    sc_gateway *gateway;             ///< NULL: the engines are in this process
    unsigned char listener_key[16];  ///< behind the numbers of users who listen to events
    atomic_bool is_draining;
    sc_pass_issuer *pass;                            ///< of anonymous tokens; NULL: there is none
    sc_credentials *credentials;                     ///< access_policy.h
    atomic_uint_fast64_t refused[SC_PROBLEM_COUNT];  ///< requests, by the problem
} sc_service_internal;

/** Count a request that is refused. Any thread. */
static inline void sc_refusals_add(sc_service_internal *service, sc_problem_kind kind)
{
    atomic_fetch_add_explicit(&service->refused[kind], 1, memory_order_relaxed);
}

static inline uint64_t sc_refusals_of(const sc_service_internal *service, sc_problem_kind kind)
{
    return atomic_load_explicit(&service->refused[kind], memory_order_relaxed);
}

/** For sc_courier_options.back: an exchange that failed is counted for the log. Any thread. */
void sc_alarms_count(sc_alarms *alarms, const sc_errand *errand);

// --- Routes (http_routes.c)
// ---------------------------------------------------------------------------

/** For sc_http_options.handle; `context` is the sc_service_internal. */
void sc_route(void *context, unsigned loop, sc_http_request *request);

// --- Requests from this machine (http_routes.c)
// -------------------------------------------------------
//
// That the peer is a loopback address or a unix socket is not enough, for three reasons:
//
//  1. A browser on this machine also runs scripts of other sites. Such a page may let its own name
//     resolve to 127.0.0.1 once it is loaded (DNS rebinding), and read our pages as its own. Its
//     name is still in the Host header: so that must be a name that only means this machine,
//     "localhost" or a loopback address, which no other site can have for an origin.
//  2. A reverse proxy on this machine forwards requests of remote clients. Most proxies pass the
//     original name, or add headers about the client (X-Forwarded-For and the like): such requests
//     are not local.
//  3. A page of another site in a browser on this machine may send requests whose replies it cannot
//     read. For other methods than GET the browser adds the page's Origin: it must be of this
//     machine. And browsers send with every request whether it comes from a page of the same origin
//     (Sec-Fetch-Site): that must be so, or there is no page ("none").
//
// A proxy that does neither cannot be distinguished from a local client. Behind such a proxy pages
// need a token, or are switched off (docs/service.md).

/** Whether a client on this machine sent it, and not on behalf of another. */
bool sc_request_is_local(const sc_http_request *request);

/**
 * Whether a Host header means this machine: "localhost", a loopback address or
 * the unspecified one (0.0.0.0, [::]), with or without a port.
 *
 * @param host  untrusted; NULL: there was none
 */
bool sc__host_is_local(const char *host);

/** The same for "http://localhost:8080" of an Origin header. */
bool sc__origin_is_local(const char *origin);

// --- GET /v1/about (status_pages.c): what this service is and allows, for the UI's controls
// -------

/** @param policy  in force now */
void sc_about_show(const sc_service_internal *service, const sc_policy *policy,
                   sc_http_request *request);

// --- Health (status_pages.c) ---------------------------------------------------------------------
//
//     GET /healthz   {"status":"ok"}
//     GET /readyz    {"status":"ready"}, or 503 with {"status":"draining"}, "provider_suspended"

void sc_health_live(sc_http_request *request);
void sc_health_ready(const sc_service_internal *service, sc_http_request *request);

// --- Pages of a map in several parts (status_pages.c) --------------------------------------------
//
//     GET /v1/partition  {"partition":"16 hex digits","parts":16,"segments":[part of each, ...]}
//     GET /v1/cluster    the cluster now: processes, parts and their load (docs/ui.md)
//
// There are such pages in a gateway, and in a service whose own engines have several parts. The
// partition does not change while the service runs, and is cached; like the map, it is no secret.
// The cluster is shown to clients that may see the metrics.

/**
 * Write the partition, and cache it.
 *
 * @param partition  read only during this call
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT
 */
SC_CHECKED sc_err sc_partition_page_new(const sc_partition *partition, sc_partition_page **out,
                                        sc_diag *diag);

/** After the loops have stopped; NULL is fine. */
void sc_partition_page_free(sc_partition_page *page);

/** Whether a loop has replies that still send it. In the loop's thread. */
bool sc_partition_page_is_lent(const sc_partition_page *page, const sc_http *http, unsigned loop);

void sc_partition_page_show(const sc_partition_page *page, sc_http_request *request);

/** Requires that it has a view. */
void sc_cluster_show(const sc_served_map *served, sc_http_request *request);

// The view of a service that has all engines in its own process: a cluster of one. Keeps the
// counts of the last call, so that loads are queries per second.

/** @param engines  borrowed, as the partition @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_process_view_new(sc_engine_pool *engines, const sc_partition *partition,
                                      sc_process_view **out);

/** NULL is fine. */
void sc_process_view_free(sc_process_view *own);

/** What there is to see now; free with sc_cluster_view_free(). NULL if memory is out. Any thread.
 */
sc_cluster_view *sc_process_view_now(sc_process_view *own);

// --- POST /v1/queries (query_route.c) ------------------------------------------------------------
//
// In the loop's thread, cheap checks first: draining, media type, token, rate of the user, body,
// road, pending queries of the user; then a ticket is made, the body is wiped, and the ledger takes
// it. The request waits. When the ticket is settled, the ledger's thread hands it to
// the loop, which answers, wipes and frees it. If the client goes away before, the query is
// withdrawn from the ledger, and the ticket is only wiped.

/**
 * One admission per loop, all with one key. Watches a handover of settled tickets in each loop, so
 * before sc_http_start().
 *
 * @param names_key  behind pseudonyms and ids, SC_KEY_SIZE bytes; NULL: new random ones
 */
SC_CHECKED sc_err sc_query_route_new(sc_service_internal *service, size_t max_pending,
                                     const uint8_t *names_key, sc_query_route **out, sc_diag *diag);

/** After the loops and the ledger have stopped: tickets that no loop has taken are freed. */
void sc_query_route_free(sc_query_route *route);

/** The route. */
void sc_query_route_post(sc_query_route *route, unsigned loop, sc_http_request *request);

/** Whether a user is within its rate; if not, `problem` says how long to wait. Any thread. */
bool sc__query_is_within_rate(const sc_query_route *route, const sc_access_rules *terms,
                              const sc_token *token, sc_time now, sc_problem *problem);

/** The road of a position: the nearest, which is not too far away, or the edge that it names,
 * within its length. If there is none, `problem` says so. */
struct sc_query_body;  ///< query_json.h
bool sc__query_find_road(const sc_map *map, const sc_policy *policy,
                         const struct sc_query_body *body, sc_snap *out, sc_problem *problem);

/** For sc_ledger_options.settled and all_settled; `context` is the sc_served_map. The ledger's
 * thread. A ticket waits for the second call, so that each loop is woken once for all its tickets.
 */
void sc_query_route_settled(void *context, sc_ticket *ticket);
void sc_query_route_all_settled(void *context);

/** For sc_ledger_options.watched: the cloak of a query with a life of its own has left. */
void sc_query_route_watched(void *context, const sc_ticket *ticket);

/** Queries with a life of their own; lent. */
sc_async_route *sc_query_route_async(const sc_query_route *route);

/** How many tickets ledgers have handed to a loop, and how many of them, the oldest, it has taken,
 * or more. Any thread. */
uint64_t sc_query_route_handed(const sc_query_route *route, unsigned loop);
uint64_t sc_query_route_taken(const sc_query_route *route, unsigned loop);

#endif
