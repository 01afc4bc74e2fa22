/**
 * @file event_text.h
 * @brief Events in words, as they are sent: lines, and an empty one at the end.
 *
 * Used by: events.
 */
#ifndef SC_SERVICE_EVENT_TEXT_H
#define SC_SERVICE_EVENT_TEXT_H

#include <starcloak/relay_codec.h>

#include "ledger/ledger.h"

/** Append the event of a cloak that leaves: what the provider is told, in its order, and no more.
 * False if memory is out. */
bool sc__event_cloak(const sc_relay *relay, const sc_vocabulary *vocabulary, sc_bytes *out);

/** Append the event of the counters. */
bool sc__event_counters(const sc_ledger_stats *stats, size_t listeners, sc_bytes *out);

#endif
