// How fast a provider is asked. See http_pace.h.
#include "net/http_pace.h"

#include "base/clock.h"

#include <math.h>

/** A provider that answers with errors that may pass is asked so many times more. */
enum { MAX_RETRIES = 3 };

/** All leave a provider alone for at most so long, whatever its Retry-After says. */
#define HOLD_BACK_MAX_S 60.0

void sc_http_pace_init(sc_http_pace *pace, double rate_per_s, uint64_t parallel, double deadline_s)
{
    const double most_s = deadline_s > 0 ? fmin(deadline_s, HOLD_BACK_MAX_S) : HOLD_BACK_MAX_S;
    *pace = (sc_http_pace){.rate_per_s = rate_per_s, .most_pause_s = most_s, .parallel = parallel};
    pthread_mutex_init(&pace->lock, NULL);
}

void sc_http_pace_fini(sc_http_pace *pace)
{
    pthread_mutex_destroy(&pace->lock);
}

bool sc_http_pace_may_leave(sc_http_pace *pace, long *wait_ms)
{
    const int64_t now_us = sc_clock_us();
    pthread_mutex_lock(&pace->lock);
    const bool is_free = pace->running < pace->parallel;
    const bool may = is_free && now_us >= pace->next_us;
    *wait_ms = is_free ? (long)((pace->next_us - now_us) / 1000 + 1) : 20;
    if (may) {
        pace->running++;
        if (pace->rate_per_s > 0) pace->next_us = now_us + (int64_t)(1e6 / pace->rate_per_s);
    }
    pthread_mutex_unlock(&pace->lock);
    return may;
}

void sc_http_pace_ends(sc_http_pace *pace)
{
    pthread_mutex_lock(&pace->lock);
    pace->running--;
    pthread_mutex_unlock(&pace->lock);
}

// A provider that wants to be left alone is, by all, but not for longer than a cloak may take:
// afterwards it is asked again, and may say so again.
static void hold_back(sc_http_pace *pace, double pause_s)
{
    const int64_t until_us = sc_clock_us() + (int64_t)(fmin(pause_s, pace->most_pause_s) * 1e6);
    pthread_mutex_lock(&pace->lock);
    if (pace->next_us < until_us) pace->next_us = until_us;
    pthread_mutex_unlock(&pace->lock);
}

static bool may_pass(long status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

bool sc_http_pace_again(sc_http_pace *pace, sc_http_arrival *arrival, unsigned *retries)
{
    if (!may_pass(arrival->status) || *retries >= MAX_RETRIES) return false;
    arrival->is_again = true;
    arrival->pause_s = arrival->retry_after_s > 0 ? (double)arrival->retry_after_s
                                                  : 0.25 * (double)(1 << *retries);
    ++*retries;
    hold_back(pace, arrival->pause_s);
    return true;
}
