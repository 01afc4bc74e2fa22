/**
 * @file clock.h
 * @brief The one clock of a running service: microseconds that never go back.
 *
 * The zero means nothing, and steps of the calendar's clock do not show in it. Only what has to do
 * with calendars, as the end of a token, or with the clocks of other machines goes by another.
 *
 * Engines and the ledger never read a clock: the time is passed to them.
 */
#ifndef SC_BASE_CLOCK_H
#define SC_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Now, in microseconds; the same for all threads. */
static inline int64_t sc_clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/** The calendar's clock, in microseconds since 1970: for what processes on several machines
 * compare. It may go back. */
static inline int64_t sc_clock_calendar_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/** How long from `now_us` to `then_us`, for poll(): at least 0, rounded up, -1 for never
 * (INT64_MAX). */
static inline int sc_clock_wait_ms(int64_t now_us, int64_t then_us)
{
    if (then_us == INT64_MAX) return -1;
    if (then_us <= now_us) return 0;
    const int64_t ms = (then_us - now_us + 999) / 1000;
    return ms < 3600000 ? (int)ms : 3600000;
}

#endif
