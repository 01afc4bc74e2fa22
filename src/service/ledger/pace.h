/**
 * @file pace.h
 * @brief Not waking up for every single thing: at once when there is little to do, in batches when
 * there is much.
 *
 * To fall asleep and to be woken costs more than most things that one is woken for (some 17
 * microseconds of processor time on a virtual machine, against 1 or 2 for all that the ledger does
 * with a query). A thread that has just gone through many rounds therefore lets a little time pass
 * before the next, so that there is more to do in it; one that was idle begins at once. Over any
 * time it makes at most BURST rounds more than one per INTERVAL.
 *
 * The engine needs no pace of its own: it is woken by the ledger.
 *
 * Used by: rounds.c.
 */
#ifndef SC_LEDGER_PACE_H
#define SC_LEDGER_PACE_H

#include "base/clock.h"

/** Of the thread that uses it; zero-initialise. */
typedef struct sc__pace {
    int64_t next_us;  ///< when the next round would be, were they spread evenly
} sc__pace;

enum { SC__PACE_INTERVAL_US = 2000, SC__PACE_BURST = 8 };

/** How long to sleep before a round that could begin `now_us`: 0 most of the time. */
static inline int64_t sc__pace_next(sc__pace *pace, int64_t now_us)
{
    const int64_t begin = pace->next_us - (int64_t)SC__PACE_BURST * SC__PACE_INTERVAL_US;
    if (pace->next_us < now_us) pace->next_us = now_us;
    pace->next_us += SC__PACE_INTERVAL_US;
    return begin > now_us ? begin - now_us : 0;
}

#endif
