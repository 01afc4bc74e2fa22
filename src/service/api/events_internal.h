/**
 * @file events_internal.h
 * @brief The second of the counters, so that tests need not wait for the clock.
 *
 * For: events.c and its tests.
 */
#ifndef SC_SERVICE_EVENTS_INTERNAL_H
#define SC_SERVICE_EVENTS_INTERNAL_H

/** A second has passed: count, remember, tell. `context` is the sc_events. Any thread. */
void sc__events_second(void *context, unsigned loop);

#endif
