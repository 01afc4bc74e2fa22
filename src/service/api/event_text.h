/**
 * @file event_text.h
 * @brief Events in words, as they are sent: lines, and an empty one at the end.
 *
 * What is counted stands in one list, so that `counters` and the rows of `history` cannot differ.
 * All functions append to `out`, and give false if memory is out.
 *
 * Used by: events.
 */
#ifndef SC_SERVICE_EVENT_TEXT_H
#define SC_SERVICE_EVENT_TEXT_H

#include <starcloak/relay_codec.h>
#include <stdbool.h>

/** What is counted, in the order in which it is told. All but pending and listeners count since the
 * service started. */
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

/** A cloak leaves: what the provider is told, in its order, and the number by which its members
 * know it. */
bool sc__event_cloak(const sc_relay *relay, uint64_t cloak, const sc_vocabulary *vocabulary,
                     sc_bytes *out);

/** The very bytes that are sent for it. */
bool sc__event_sent(uint64_t cloak, sc_encoding encoding, const void *bytes, size_t size,
                    sc_bytes *out);

#endif
