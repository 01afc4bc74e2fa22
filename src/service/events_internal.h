/**
 * @file events_internal.h
 * @brief The tick of a loop, so that tests need not wait for the clock.
 *
 * For: events.c and its tests.
 */
#ifndef SC_SERVICE_EVENTS_INTERNAL_H
#define SC_SERVICE_EVENTS_INTERNAL_H

/** Seconds without a word after which a comment is sent: proxies close what is silent. */
enum { SC__EVENTS_SILENCE_S = 15 };

/** A second has passed. In the loop's thread; `context` is the sc_events. */
void sc__events_tick(void *context, unsigned loop);

#endif
