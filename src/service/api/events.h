/**
 * @file events.h
 * @brief Server-sent events: cloaks as the provider sees them, and counters. Never a user or a
 * position.
 *
 *     event: history            first, to each new listener: the counters of the last five minutes
 *     data: {"fields":["t","pending",...],"rows":[[12,3,...],[13,3,...],...]}
 *
 *     event: counters           each second; listed below
 *     data: {"t":312,"pending":12,"answered":103,...,"listeners":1}
 *
 *     event: cloak              as it leaves
 *     data: {"id":"9f86d081884c7d65","segments":[3,4,9],"border_nodes":[2,7],
 *            "requests":[{"type":"knn","k":5,"categories":["cafe"]}]}             (in one line)
 *
 *     event: sent               to a provider over HTTP: what was sent for it, byte by byte
 *     data: {"cloak":"9f86d081884c7d65","encoding":"compact","bytes":"CgQIAxAE..."}
 *
 *     event: map                another map is served (GET /v1/map): segments are of that one from
 *     data: {"checksum":"..."}  now on. Cloaks that still leave on the one before are not told
 *
 * Counters are taken each second, with or without listeners, so that a page that is opened late
 * has its charts at once. A row that was taken at that very moment may come twice: in the history,
 * and as an event. server/event_stream.h sends them and drops
 * listeners that do not read; lost events are counted, and the ledger never waits. When the service
 * drains, streams end.
 *
 */
#ifndef SC_API_EVENTS_H
#define SC_API_EVENTS_H

#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

#include "api/event_text.h"
#include "api/service_internal.h"

/** Watches and ticks in the loops, so before sc_http_start(). By that time `service` must have the
 * ledger, the courier and the metrics, which are read each second. */
SC_CHECKED sc_err sc_events_new(sc_service_internal *service, size_t max_listeners, sc_events **out,
                                sc_diag *diag);

/** After the loops have stopped; NULL is fine. */
void sc_events_free(sc_events *events);

/** The route: GET /v1/events. Too many listeners are 503, as is a service that drains. */
void sc_events_listen(sc_events *events, unsigned loop, sc_http_request *request, uint64_t user);

/** A cloak leaves. Any thread. Costs next to nothing without listeners, as the next.
 * @param vocabulary  the words for the categories of its requests */
void sc_events_published(sc_events *events, const sc_relay *relay, uint64_t cloak,
                         const sc_vocabulary *vocabulary);

/** Another map is served from now on. Any thread. */
void sc_events_map(sc_events *events, uint64_t checksum);

/** These very bytes are on their way to the provider for it. Any thread. */
void sc_events_sent(sc_events *events, uint64_t cloak, sc_encoding encoding, const void *bytes,
                    size_t size);

size_t sc_events_listeners(const sc_events *events);
uint64_t sc_events_lost(const sc_events *events);

/** Called each second: take a row of counters, store and send it. `context` is the sc_events. Any
 * thread; tests call it too. */
void sc__events_second(void *context, unsigned loop);

#endif
