// When to try again. See retry.h.
#include "courier/retry.h"

bool sc__retry_may_help(int status)
{
    switch (status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
        return true;
    default:
        return false;
    }
}

static int64_t longest_pause_us(unsigned tries)
{
    int64_t pause_us = SC__RETRY_FIRST_US;
    for (unsigned i = 1; i < tries && pause_us < SC__RETRY_LONGEST_US; i++) {
        pause_us *= 2;
    }
    return pause_us < SC__RETRY_LONGEST_US ? pause_us : SC__RETRY_LONGEST_US;
}

int64_t sc__retry_at(unsigned tries, int64_t told_us, int64_t now_us, int64_t deadline_us,
                     double luck)
{
    const int64_t half_us = longest_pause_us(tries) / 2;
    const int64_t drawn_us = (int64_t)((double)half_us * luck);
    // Not earlier than told, and not all at the moment that everyone was told.
    const int64_t least_us = told_us > half_us ? told_us : half_us;
    const int64_t left_us = deadline_us - now_us;
    if (left_us <= drawn_us || least_us >= left_us - drawn_us) return SC__RETRY_NEVER;
    return now_us + least_us + drawn_us;
}
