/**
 * @file events.h
 * @brief Server-sent events: cloaks as the provider sees them, and counters. Never a user or a
 * position.
 *
 *     event: cloak
 *     data: {"segments":[3,4,9],"border_nodes":[2,7],
 *            "requests":[{"type":"knn","k":5,"categories":["cafe"]}]}             (in one line)
 *
 *     event: counters           at most once per second, when they have changed
 *     data: {"pending":12,"answered":103,"dropped":7,"failed":0,"gone":1,"cloaks":21,"listeners":1}
 *
 * A comment line comes when there was nothing else for 15 seconds. An event is put into words once,
 * and every loop sends it to its own listeners. One that does not read is cut off by the server
 * (http.h); a loop that does not keep up loses events, which are counted; the ledger never waits.
 * When the service drains, streams end.
 *
 * Uses: parts. Used by: service.
 */
#ifndef SC_SERVICE_EVENTS_H
#define SC_SERVICE_EVENTS_H

#include <starcloak/relay.h>

#include "service/parts.h"

/** Watches a handover in each loop and ticks, so before sc_http_start(). */
SC_CHECKED sc_err sc_events_new(sc_parts *parts, size_t max_listeners, sc_events **out,
                                sc_diag *diag);

/** After the loops have stopped; NULL is fine. */
void sc_events_free(sc_events *events);

/** The route: GET /v1/events. Too many listeners are 503. */
void sc_events_listen(sc_events *events, unsigned loop, sc_http_request *request);

/** A cloak leaves. Any thread. Costs next to nothing while nobody listens. */
void sc_events_published(sc_events *events, const sc_relay *relay);

size_t sc_events_listeners(const sc_events *events);
uint64_t sc_events_lost(const sc_events *events);

#endif
