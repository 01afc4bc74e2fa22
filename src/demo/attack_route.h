/**
 * @file doubts.h
 * @brief POST /v1/doubts: an adversary on demand (doubt.h), in JSON. docs/window.md has the words.
 *
 * The reply waits for the doubter's thread, as that of a query waits for its outcome; whoever goes
 * away before is not answered. Bad input is a problem with the field; too many doubts are 503 with
 * Retry-After.
 *
 * Uses: parts, doubt. Used by: service, router.
 */
#ifndef SC_SERVICE_DOUBTS_H
#define SC_SERVICE_DOUBTS_H

#include <starcloak/density.h>

#include "api/service.h"

typedef struct sc_doubts sc_doubts;

/**
 * Watches a handover in each loop of the service, so before sc_service_start().
 *
 * @param map      borrowed, like the service and the density
 * @param service  its engine in force is the standard method
 * @param engine   the operator's parameters of all methods
 * @param density  NULL: uniform
 */
SC_CHECKED sc_err sc_doubts_new(const sc_map *map, sc_service *service,
                                const sc_engine_options *engine, const sc_density *density,
                                sc_doubts **out, sc_diag *diag);

/** No more doubts: those there are are given up, and who waits for them is told 503. Any thread,
 * while the loops run; does not wait. */
void sc_doubts_drain(sc_doubts *doubts);

/** Ends the doubter's thread. After the loops have stopped, before or after the service is freed;
 * NULL is fine. */
void sc_doubts_free(sc_doubts *doubts);

/** The route. */
void sc_doubts_ask(sc_doubts *doubts, unsigned loop, sc_http_request *request);

#endif
