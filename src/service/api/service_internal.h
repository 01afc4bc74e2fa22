/**
 * @file service_internal.h
 * @brief What the pages of a running service share: its parts, all made by service.c before the
 * first request.
 */
#ifndef SC_SERVICE_INTERNAL_H
#define SC_SERVICE_INTERNAL_H

#include <stdatomic.h>

#include "api/credentials.h"
#include "api/policy.h"
#include "cluster/gateway.h"
#include "courier/courier.h"
#include "ledger/ledger.h"
#include "partition/partition.h"
#include "server/http.h"
#include "server/log.h"
#include "server/pending.h"
#include "server/rate_limit.h"
#include "server/revoked.h"
#include "server/token.h"

typedef struct sc_door sc_door;                      ///< door.h: queries in, outcomes out
typedef struct sc_events sc_events;                  ///< events.h: who listens to cloaks
typedef struct sc_metrics sc_metrics;                ///< metrics.h
typedef struct sc_pages sc_pages;                    ///< pages.h: map, categories, openapi
typedef struct sc_partition_page sc_partition_page;  ///< cluster_page.h: how the map is cut
typedef struct sc_ui sc_ui;                          ///< ui.h: the page for people
typedef struct sc_extra_page sc_extra_page;          ///< service.h: pages of a command

typedef struct sc_service_internal {
    const sc_map *map;
    unsigned loops;
    sc_log *log;
    sc_http *http;
    sc_courier *courier;
    sc_ledger *ledger;
    sc_rate_limit *user_rates;
    sc_rate_limit *address_rates;
    sc_pending *pending;
    sc_door *door;
    sc_events *events;
    sc_metrics *metrics;
    sc_pages *pages;
    sc_ui *ui;  ///< NULL: none
    const sc_extra_page *extra;
    size_t extra_count;
    const char *version;
    sc_courier_kind provider;
    sc_encoding encoding;     ///< of a provider over HTTP
    const sc_partition *cut;  ///< NULL: one part, and nothing to show of it
    /** Who has which part, now; NULL: there is one part. The result is the caller's
     * (sc_cluster_view_free()); NULL if memory is out. Any thread. */
    sc_cluster_view *(*view)(void *context);
    void *view_context;
    sc_partition_page *cut_page;  ///< NULL: there is one part
    sc_gateway *gateway;          ///< NULL: the engines are in this process
    atomic_bool is_draining;
    sc_credentials *credentials;  ///< keys, revocations and policy now in force: credentials.h
} sc_service_internal;

#endif
