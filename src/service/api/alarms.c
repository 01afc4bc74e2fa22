// What operators should know, at most once per second. See alarms.h.
#include "api/alarms.h"

#include "base/alloc.h"

#include <pthread.h>
#include <string.h>

struct sc_alarms {
    sc_service_internal *parts;
    pthread_mutex_t lock;  ///< over the next three
    uint64_t failures;     ///< errands, since the last look
    sc_failure last;       ///< of them
    sc_diag why;
    // Of the thread that looks.
    bool was_suspended;
    uint64_t violations;
};

static void look(void *context, unsigned loop)
{
    (void)loop;
    sc_alarms_look(context);
}

sc_err sc_alarms_new(sc_service_internal *parts, sc_alarms **out)
{
    sc_alarms *alarms = sc_calloc(1, sizeof *alarms);
    if (!alarms) return SC_ENOMEM;
    alarms->parts = parts;
    pthread_mutex_init(&alarms->lock, NULL);
    const sc_err err = sc_http_every(parts->http, 0, 1.0, look, alarms);
    if (err) {
        sc_alarms_free(alarms);
        return err;
    }
    *out = alarms;
    return SC_OK;
}

void sc_alarms_free(sc_alarms *alarms)
{
    if (!alarms) return;
    pthread_mutex_destroy(&alarms->lock);
    sc_free(alarms);
}

void sc_alarms_errand_back(sc_alarms *alarms, const sc_errand *errand)
{
    // What fails because we stop, or because the provider is left alone, is told once elsewhere.
    if (errand->failure == SC_FAILURE_NONE || errand->failure == SC_FAILURE_SUSPENDED ||
        errand->failure == SC_FAILURE_STOPPED) {
        return;
    }
    pthread_mutex_lock(&alarms->lock);
    alarms->failures++;
    alarms->last = errand->failure;
    alarms->why = errand->diag;
    pthread_mutex_unlock(&alarms->lock);
}

/** The provider failed since the last look. */
static void tell_failures(sc_alarms *alarms)
{
    pthread_mutex_lock(&alarms->lock);
    const uint64_t failures = alarms->failures;
    const sc_failure last = alarms->last;
    const sc_diag why = alarms->why;
    alarms->failures = 0;
    pthread_mutex_unlock(&alarms->lock);
    sc_log_line line;
    if (failures == 0 ||
        !sc_log_begin(alarms->parts->log, &line, SC_LOG_WARNING, "provider_failed")) {
        return;
    }
    sc_log_count(&line, "cloaks", failures);
    sc_log_text(&line, "reason", sc_failure_name(last));
    sc_log_text(&line, "message", why.message);
    sc_log_end(&line);
}

static void tell_suspension(sc_alarms *alarms)
{
    const bool is_suspended = sc_courier_stats_of(alarms->parts->courier).is_suspended;
    if (is_suspended == alarms->was_suspended) return;
    alarms->was_suspended = is_suspended;
    sc_log_message(alarms->parts->log, SC_LOG_WARNING,
                   is_suspended ? "provider_suspended" : "provider_tried_again",
                   is_suspended ? "too many failures in a row: it is left alone for a while"
                                : "the pause is over");
}

static void tell_violations(sc_alarms *alarms)
{
    const uint64_t violations = sc_ledger_stats_of(alarms->parts->ledger).violations;
    sc_log_line line;
    if (violations > alarms->violations &&
        sc_log_begin(alarms->parts->log, &line, SC_LOG_ERROR, "promise_broken")) {
        sc_log_count(&line, "cloaks", violations - alarms->violations);
        sc_log_text(&line, "message", "held back, nothing left; this is a bug: please report it");
        sc_log_end(&line);
    }
    alarms->violations = violations;
}

void sc_alarms_look(sc_alarms *alarms)
{
    tell_failures(alarms);
    tell_suspension(alarms);
    tell_violations(alarms);
}
