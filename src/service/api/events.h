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

#include "api/service_internal.h"

#include <stdbool.h>

/** Watches and ticks in the loops, so before sc_http_start(). By that time `service` must have the
 * ledger, the courier and the metrics, which are read each second. */
SC_CHECKED sc_err sc_events_new(sc_service_internal *service, size_t max_listeners, sc_events **out,
                                sc_diag *diag);

/** After the loops have stopped; NULL is fine. */
void sc_events_free(sc_events *events);

/** The route: GET /v1/events. Too many listeners are 503, as is a service that drains. */
void sc_events_listen(sc_events *events, unsigned loop, sc_http_request *request, uint64_t user);

/** A cloak leaves. Any thread. Costs next to nothing without listeners, as the next. */
void sc_events_published(sc_events *events, const sc_relay *relay, uint64_t cloak);

/** These very bytes are on their way to the provider for it. Any thread. */
void sc_events_sent(sc_events *events, uint64_t cloak, sc_encoding encoding, const void *bytes,
                    size_t size);

size_t sc_events_listeners(const sc_events *events);
uint64_t sc_events_lost(const sc_events *events);

// --- Text: lines, and an empty one at the end ----------------------------------------------------
//
// Counters are defined in one list, so that `counters` and the rows of `history` cannot differ.
// All functions append to `out`, and give false if memory is out.

/** What is counted, in the order of the text. All but pending, listeners and the three before it
 * count since the service started. Reasons are called as in problems and metrics (failure.h). */
#define SC__COUNTER_MAP(X)                                                 \
    X(double, t)            /* seconds since the service started */        \
    X(uint64_t, pending)    /* queries */                                  \
    X(uint64_t, answered)   /* queries */                                  \
    X(uint64_t, dropped)    /* queries; for one of the next two reasons */ \
    X(uint64_t, expired)    /* no company came in time */                  \
    X(uint64_t, infeasible) /* l exceeds all roads in reach */             \
    X(uint64_t, failed)     /* queries */                                  \
    X(uint64_t, gone)       /* queries whose client went away */           \
    X(uint64_t, cloaks)     /* that left */                                \
    X(double, wait_s)       /* of all answered queries together */         \
    X(uint64_t, users)      /* of all cloaks together */                   \
    X(uint64_t, segments)   /* of all cloaks together */                   \
    X(uint64_t, bytes_out)  /* bodies to the provider, over HTTP */        \
    X(uint64_t, bytes_in)   /* and from it */                              \
    /* Of `failed`, by reason; the other reasons are what is left: */      \
    X(uint64_t, provider_unreachable)                                      \
    X(uint64_t, provider_timeout)                                          \
    X(uint64_t, provider_refused)                                          \
    X(uint64_t, provider_unbelievable)                                     \
    X(uint64_t, provider_suspended)                                        \
    X(uint64_t, overloaded)                                                \
    X(uint64_t, not_sent_in_time)                                          \
    X(uint64_t, suspended)      /* 1 while the provider is not asked */    \
    X(uint64_t, workers)        /* of a gateway: that it reaches */        \
    X(uint64_t, unserved_parts) /* of a gateway: without a worker */       \
    X(uint64_t, listeners)

/** One row: all of them at one moment, or nearly. */
typedef struct sc__counters {
#define X(type, name) type name;
    SC__COUNTER_MAP(X)
#undef X
} sc__counters;

/** How many rows are remembered, one per second: five minutes. */
enum { SC__HISTORY_ROWS = 300 };

/** The last of them. Zero-initialise. */
typedef struct sc__history {
    sc__counters rows[SC__HISTORY_ROWS];  ///< row i is at i % SC__HISTORY_ROWS
    size_t taken;                         ///< rows since the start
} sc__history;

/** Remember one more, in place of the oldest if there is no room. */
void sc__history_add(sc__history *history, const sc__counters *row);

bool sc__event_history(const sc__history *history, sc_bytes *out);
bool sc__event_counters(const sc__counters *row, sc_bytes *out);

/** A cloak leaves: what the provider gets, in the same order, and the cloak's number. */
bool sc__event_cloak(const sc_relay *relay, uint64_t cloak, const sc_vocabulary *vocabulary,
                     sc_bytes *out);

/** The very bytes that are sent for it. */
bool sc__event_sent(uint64_t cloak, sc_encoding encoding, const void *bytes, size_t size,
                    sc_bytes *out);

/** Called each second: take a row of counters, store and send it. `context` is the sc_events. Any
 * thread; tests call it too. */
void sc__events_second(void *context, unsigned loop);

#endif
