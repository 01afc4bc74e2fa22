/**
 * @file parts.h
 * @brief What the pages of a running service share: its parts, all made by service.c before the
 * first request.
 *
 * Uses: everything of the service. Used by: the files of this folder.
 */
#ifndef SC_SERVICE_PARTS_H
#define SC_SERVICE_PARTS_H

#include <stdatomic.h>

#include "courier/courier.h"
#include "guard/pending.h"
#include "guard/rates.h"
#include "guard/revoked.h"
#include "guard/token.h"
#include "http/http.h"
#include "ledger/ledger.h"
#include "log/log.h"
#include "service/credentials.h"
#include "service/policy.h"

typedef struct sc_door sc_door;        ///< door.h: queries in, outcomes out
typedef struct sc_events sc_events;    ///< events.h: who listens to cloaks
typedef struct sc_metrics sc_metrics;  ///< metrics.h
typedef struct sc_pages sc_pages;      ///< pages.h: map, categories, openapi

typedef struct sc_parts {
    const sc_map *map;
    unsigned loops;
    sc_log *log;
    sc_http *http;
    sc_courier *courier;
    sc_ledger *ledger;
    sc_rates *user_rates;
    sc_rates *address_rates;
    sc_pending *pending;
    sc_door *door;
    sc_events *events;
    sc_metrics *metrics;
    sc_pages *pages;
    atomic_bool is_draining;
    sc_credentials *credentials;  ///< keys, revocations and policy now in force: credentials.h
} sc_parts;

#endif
