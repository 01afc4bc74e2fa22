/**
 * @file service.h
 * @brief The service: started, reloaded, drained. How its pages are reached is in http_routes.c.
 */
#ifndef SC_SERVICE_SERVICE_H
#define SC_SERVICE_SERVICE_H

#include <starcloak/density.h>

#include "api/access_policy.h"
#include "api/auditor.h"
#include "api/oblivious_gateway.h"
#include "api/problem_details.h"
#include "cluster/gateway.h"
#include "courier/courier.h"
#include "ledger/ledger.h"
#include "server/http.h"
#include "server/log.h"

/** A page that a command adds to the service, shown to those who may listen to events. One whose
 * path is that of a page of the service stands in its place: a replay has events of its own. */
typedef struct sc_extra_page {
    const char *path;
    sc_http_method method;  ///< GET or POST; others are refused
    bool takes_head;        ///< HEAD as well; of a GET that is no stream
    bool takes_post;        ///< POST as well; of a GET without HEAD
    bool is_folder;         ///< all below the path, too; otherwise the path is matched as a whole
    const char *offer;      ///< how /v1/about lists it; NULL: it does not
    /** Whether it is listed now; NULL: always. In any loop's thread. */
    bool (*is_offered)(const void *context);
    void (*show)(void *context, unsigned loop, sc_http_request *request);
    void *context;
} sc_extra_page;

typedef struct sc_service_options {
    sc_http_options http;        ///< `handle`, `context` and `problem` are the service's
    sc_ledger_options ledger;    ///< `settled`, `published` and `context` are the service's
    sc_courier_options courier;  ///< `back` and `context` are the service's
    sc_policy policy;
    const char *token_keys;  ///< a file; NULL: a new random key, and so no token is good but those
                             ///< that are issued here
    const char *revoked;     ///< a file; NULL: none
    sc_jwt_issuer_options jwt;    ///< whose tokens are good as well; `keys` NULL: no issuer's
    sc_pass_issuer_options pass;  ///< whose anonymous tokens are good; `directory` NULL: none's
    const char *origins;  ///< of pages that may ask (cross_origin.h), parted by commas; NULL: none
    bool has_oblivious;   ///< requests may come sealed (oblivious_gateway.h)
    sc_oblivious_options oblivious;
    const char *zone_key;               ///< a file (sealed_zones.h); NULL: there are no zones
    uint32_t zone_roads;                ///< that a zone has at least
    const sc_gateway_options *gateway;  ///< the engines are elsewhere; NULL: in this process
    const uint8_t *names_key;  ///< SC_KEY_SIZE bytes behind pseudonyms and ids, the same in all
                               ///< gateways of a cluster; NULL: new random ones
    const sc_density *density;
    const char *cloak_log;      ///< a file (cloak_log.h); NULL: cloaks are not kept
    uint64_t cloak_log_max;     ///< bytes that it may have; 0: any number
    const sc_auditor *auditor;  ///< borrowed; NULL: there is none
    const char *report_log;     ///< a file (report/report_log.h); NULL: days are not counted
    unsigned report_days;       ///< that it keeps
    sc_log *log;
    size_t max_listeners;
    const char *version;         ///< of the program
    bool has_ui;                 ///< show the page for people
    const sc_extra_page *extra;  ///< borrowed; must outlive the service
    size_t extra_count;          ///< 0: there is no such page
} sc_service_options;

typedef struct sc_service sc_service;

/**
 * Open all: files, sockets, threads. Nothing is accepted yet, so that privileges can be given up in
 * between.
 *
 * @param map  borrowed, as what the options point to; texts are copied
 */
SC_CHECKED sc_err sc_service_new(const sc_map *map, const sc_service_options *options,
                                 sc_service **out, sc_diag *diag);

/** Open the report log, if there is one, as the user that serves, and before a sandbox keeps files
 * from being opened. */
SC_CHECKED sc_err sc_service_open_report_log(sc_service *service, sc_diag *diag);

/** Serve. */
SC_CHECKED sc_err sc_service_start(sc_service *service, sc_diag *diag);

/** Its server, with so many loops; lent. */
sc_http *sc_service_http(sc_service *service);
unsigned sc_service_loops(const sc_service *service);

/** Whether it takes no more queries. Any thread. */
bool sc_service_is_draining(const sc_service *service);

/** An extra page has refused a request: counted as a refusal of the service's own. Any thread. */
void sc_service_count_refusal(sc_service *service, sc_problem_kind kind);

/**
 * Search for company in another way from now on: basic, bounded or hybrid. Those who wait keep
 * their place. Any thread.
 *
 * @return SC_OK, SC_EINVAL (another method, or the service's own is another)
 */
SC_CHECKED sc_err sc_service_switch(sc_service *service, sc_variant variant);
sc_variant sc_service_variant(const sc_service *service);

/**
 * A token of the current first key for a user, for trying out.
 *
 * @param out  of SC_TOKEN_SIZE
 */
SC_CHECKED sc_err sc_service_issue(sc_service *service, const char *user, double seconds, char *out,
                                   sc_diag *diag);

/** Open the cloak log again, if there is one, since it may have been moved away. What goes wrong is
 * logged, and the file that is open stays in use. */
void sc_service_reopen_cloak_log(sc_service *service);

/**
 * Apply `policy`, and read the files of keys, revoked tokens and certificates again. All or
 * nothing: on failure everything stays as it was.
 *
 * @param courier  the files of certificates for a provider over HTTP are read again, too, and used
 *                 for new connections to it. NULL: not
 */
SC_CHECKED sc_err sc_service_reload(sc_service *service, const sc_policy *policy,
                                    const sc_courier_options *courier, sc_diag *diag);

// --- Another map (served_map.h) -----------------------------------------------------------------

typedef struct sc_served_map sc_served_map;

/**
 * Make ready to serve another map, beside the one that is served: engines, ledger, way to the
 * provider, pages. Takes as long as at the start, and as much memory. Not with a gateway, nor where
 * extra pages go by the map.
 *
 * @param map      borrowed until `retired` is called, as what the options point to
 * @param options  as of the start, but for what goes by the map
 * @param retired  may be NULL; called by a thread of the service's, or by sc_service_free(), when
 *                 the map is in use no more; not if it is discarded
 * @return SC_OK, SC_EBUSY (maps before it still have queries), or as sc_service_new()
 */
SC_CHECKED sc_err sc_service_prepare_map(sc_service *service, const sc_map *map,
                                         const sc_service_options *options,
                                         void (*retired)(void *context), void *context,
                                         sc_served_map **out, sc_diag *diag);

/** Let new queries come in on it; those that wait end on the map before. Never fails. */
void sc_service_serve_map(sc_service *service, sc_served_map *prepared);

/** It is not wanted after all; NULL is fine. */
void sc_service_discard_map(sc_service *service, sc_served_map *prepared);

/** To be told, as in sc_service_prepare_map(), when the first map is in use no more. Before
 * sc_service_start(). */
void sc_service_on_retired(sc_service *service, void (*retired)(void *context), void *context);

/** The words for categories that requests may use now; lent until the next map. */
const sc_vocabulary *sc_service_vocabulary(const sc_service *service);

/**
 * No new queries; the queries there are get their outcome. Waits until that is so, at most
 * `seconds`; those that are left then have failed as stopped, and a second is left to tell them. As
 * long as a client of a query with a life of its own is expected to come for its outcome, and at
 * most for `seconds`, new connections are accepted, too.
 * New connections are welcome for `grace_s` more, to be told of it.
 *
 * @return how many queries were cut off so: 0 if all went well
 */
size_t sc_service_drain(sc_service *service, double grace_s, double seconds);

/** Stop and free; NULL is fine. */
void sc_service_free(sc_service *service);

#endif
