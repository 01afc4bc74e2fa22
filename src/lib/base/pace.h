/**
 * @file pace.h
 * @brief How often a thread goes round: few rounds with much to do instead of many with little.
 *
 * To fall asleep and to be woken costs more than most events that wake a thread (some 17
 * microseconds of processor time on a virtual machine, against 1 or 2 for all that the ledger does
 * with a query). A thread that has just gone through many rounds therefore lets a little time pass
 * before the next, so that there is more to do in it; one that was idle begins at once. Over any
 * time it makes at most SC_PACE_BURST rounds more than one per interval.
 */
#ifndef SC_BASE_PACE_H
#define SC_BASE_PACE_H

#include <stdint.h>
#include <time.h>

/** Of the thread that uses it; zero-initialise. */
typedef struct sc_pace {
    int64_t next_us;  ///< when the next round would be, were they spread evenly
} sc_pace;

enum { SC_PACE_BURST = 8 };

/** How long to sleep before a round that could begin `now_us`: 0 most of the time. */
static inline int64_t sc_pace_next(sc_pace *pace, int64_t interval_us, int64_t now_us)
{
    const int64_t begin = pace->next_us - SC_PACE_BURST * interval_us;
    if (pace->next_us < now_us) pace->next_us = now_us;
    pace->next_us += interval_us;
    return begin > now_us ? begin - now_us : 0;
}

/** Sleep so long; not at all for 0 or less. */
static inline void sc_pace_sleep(int64_t us)
{
    if (us <= 0) return;
    const struct timespec nap = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

#endif
