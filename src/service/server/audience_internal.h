/**
 * @file audience_internal.h
 * @brief The second of a loop, so that tests need not wait for the clock.
 *
 * For: audience.c and its tests.
 */
#ifndef SC_HTTP_AUDIENCE_INTERNAL_H
#define SC_HTTP_AUDIENCE_INTERNAL_H

/** A second has passed. In the loop's thread; `context` is the sc_audience. */
void sc__audience_second(void *context, unsigned loop);

#endif
