// A provider that fails is left alone for a while. See breaker.h.
#include "courier/breaker.h"

sc__breaker sc__breaker_new(unsigned failures_to_open, int64_t pause_us)
{
    return (sc__breaker){.failures_to_open = failures_to_open, .pause_us = pause_us};
}

static void open_for_a_while(sc__breaker *breaker, int64_t now_us)
{
    breaker->state = SC__BREAKER_OPEN;
    breaker->until_us = now_us + breaker->pause_us;
}

bool sc__breaker_admit(sc__breaker *breaker, int64_t now_us, bool *is_trial)
{
    *is_trial = false;
    if (breaker->state == SC__BREAKER_CLOSED) return true;
    if (breaker->state == SC__BREAKER_HALF_OPEN || now_us < breaker->until_us) return false;
    breaker->state = SC__BREAKER_HALF_OPEN;
    *is_trial = true;
    return true;
}

bool sc__breaker_is_shut(const sc__breaker *breaker, int64_t now_us)
{
    return breaker->state == SC__BREAKER_HALF_OPEN ||
           (breaker->state == SC__BREAKER_OPEN && now_us < breaker->until_us);
}

bool sc__breaker_may_go_on(const sc__breaker *breaker, bool is_trial)
{
    return is_trial || breaker->state == SC__BREAKER_CLOSED;
}

static void end_trial(sc__breaker *breaker, int64_t now_us, sc__verdict verdict)
{
    switch (verdict) {
    case SC__WENT_WELL:
        breaker->state = SC__BREAKER_CLOSED;
        breaker->failures = 0;
        break;
    case SC__WENT_BADLY:
        open_for_a_while(breaker, now_us);
        break;
    case SC__NO_VERDICT:
        // The pause is over already: the next one to come is on trial.
        breaker->state = SC__BREAKER_OPEN;
        break;
    }
}

void sc__breaker_report(sc__breaker *breaker, int64_t now_us, bool is_trial, sc__verdict verdict)
{
    if (is_trial) {
        end_trial(breaker, now_us, verdict);
        return;
    }
    if (breaker->state != SC__BREAKER_CLOSED) return;
    if (verdict == SC__WENT_WELL) breaker->failures = 0;
    if (verdict != SC__WENT_BADLY || breaker->failures_to_open == 0) return;
    if (++breaker->failures < breaker->failures_to_open) return;
    breaker->times_open++;
    open_for_a_while(breaker, now_us);
}
