/**
 * @file attack_route.h
 * @brief POST /v1/attacks: an adversary on demand (attack_on_demand.h), in JSON. docs/ui.md has
 * the words.
 *
 * The reply waits for the attack thread, as that of a query waits for its outcome; a client that
 * goes away before gets none. Bad input is a problem with the field; too many attacks are 503 with
 * Retry-After.
 */
#ifndef SC_DEMO_ATTACK_ROUTE_H
#define SC_DEMO_ATTACK_ROUTE_H

#include <starcloak/density.h>

#include "api/service.h"

typedef struct sc_attack_route sc_attack_route;

/**
 * Watches a handover in each loop of the service, so before sc_service_start().
 *
 * @param map      borrowed, like the service and the density
 * @param service  its engine in force is the standard method
 * @param engine   the operator's parameters of all methods
 * @param density  NULL: uniform
 */
SC_CHECKED sc_err sc_attack_route_new(const sc_map *map, sc_service *service,
                                      const sc_engine_options *engine, const sc_density *density,
                                      sc_attack_route **out, sc_diag *diag);

/** No more attacks: those there are are given up, and who waits for them is told 503. Any thread,
 * while the loops run; does not wait. */
void sc_attack_route_drain(sc_attack_route *route);

/** Ends the attack thread. After the loops have stopped, before or after the service is freed;
 * NULL is fine. */
void sc_attack_route_free(sc_attack_route *route);

/** The route. */
void sc_attack_route_ask(sc_attack_route *route, unsigned loop, sc_http_request *request);

#endif
