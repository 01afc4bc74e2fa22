/**
 * @file health.h
 * @brief Whether the process is alive, and whether queries should be sent to it.
 *
 *     GET /healthz   {"status":"ok"}
 *     GET /readyz    {"status":"ready"}, or 503 with {"status":"draining"}, "provider_suspended"
 *
 * Uses: service_internal. Used by: router.
 */
#ifndef SC_SERVICE_HEALTH_H
#define SC_SERVICE_HEALTH_H

#include "api/service_internal.h"

void sc_health_live(sc_http_request *request);
void sc_health_ready(const sc_service_internal *parts, sc_http_request *request);

#endif
