/**
 * @file event_text.h
 * @brief The text of events, and those of GET /v1/events: lines, and an empty one at the end.
 *
 * events.h says when each is sent; docs/ui.md shows them all. Counters are defined in one list, so
 * that `counters` and the rows of `history` cannot differ. All functions append to `out`, and give
 * false if memory is out.
 */
#ifndef SC_API_EVENT_TEXT_H
#define SC_API_EVENT_TEXT_H

#include "base/json_write.h"

#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

#include <stdbool.h>

/** An event's name, and the object that is its data, which the caller fills. */
sc_json_writer sc_event_begin(sc_bytes *out, const char *event);

/** End the object and the event. */
bool sc_event_end(sc_json_writer *json);

/** What is counted, in the order of the text. All but pending, listeners and the three before it
 * count since the service started. Reasons are called as in problems and metrics (failure.h). */
#define SC_COUNTER_MAP(X)                                                  \
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
typedef struct sc_counters {
#define X(type, name) type name;
    SC_COUNTER_MAP(X)
#undef X
} sc_counters;

/** How many rows are remembered, one per second: five minutes. */
enum { SC_HISTORY_ROWS = 300 };

/** The last of them. Zero-initialise. */
typedef struct sc_history {
    sc_counters rows[SC_HISTORY_ROWS];  ///< row i is at i % SC_HISTORY_ROWS
    size_t taken;                       ///< rows since the start
} sc_history;

/** Remember one more, in place of the oldest if there is no room. */
void sc_history_add(sc_history *history, const sc_counters *row);

bool sc_event_text_history(const sc_history *history, sc_bytes *out);
bool sc_event_text_counters(const sc_counters *row, sc_bytes *out);

/** A cloak leaves: what the provider gets, in the same order, and the cloak's number. */
bool sc_event_text_cloak(const sc_relay *relay, uint64_t cloak, const sc_vocabulary *vocabulary,
                         sc_bytes *out);

/** Another map is served. */
bool sc_event_text_map(uint64_t checksum, sc_bytes *out);

/** The very bytes that are sent for it. */
bool sc_event_text_sent(uint64_t cloak, sc_encoding encoding, const void *bytes, size_t size,
                        sc_bytes *out);

#endif
