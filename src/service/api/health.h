/**
 * @file health.h
 * @brief Whether the process is alive, and whether queries should be sent to it.
 *
 *     GET /healthz   {"status":"ok"}
 *     GET /readyz    {"status":"ready"}, or 503 with {"status":"draining"}, "provider_suspended"
 *
 * Uses: parts. Used by: router.
 */
#ifndef SC_SERVICE_HEALTH_H
#define SC_SERVICE_HEALTH_H

#include "api/parts.h"

void sc_health_live(sc_http_request *request);
void sc_health_ready(const sc_parts *parts, sc_http_request *request);

#endif
