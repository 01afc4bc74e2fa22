// What is told to those who listen, and when. See events.h; event_text.c has the words, and
// server/event_stream.h the listeners.
//
//     ledger, courier:  cloak, sent ------------------+--> audience --> each loop's listeners
//     loop 0, each second:  history <-- counters -----+
//
//  1. A row of counters is remembered before it is told, and a newcomer is counted among the
//     listeners before the history is written for it. So nobody misses a row; one that is in the
//     history may come once more.
//  2. Rows are taken by one loop and read by all, under the lock: each is whole, and time goes on.
#include "api/events.h"

#include "api/event_text.h"
#include "api/events_internal.h"
#include "api/metrics.h"
#include "api/problem.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "server/event_stream.h"

#include <pthread.h>

struct sc_events {
    sc_service_internal *parts;
    sc_event_stream *audience;
    int64_t started_us;
    atomic_uint_fast64_t lost;  ///< for want of memory for the words
    pthread_mutex_t lock;
    sc__history history;  ///< under `lock`
};

// --- What happens, in any thread -------------------------------------------------------------

/** Tell what was put into words, or count it as lost; and free the words. */
static void tell(sc_events *events, bool has_words, sc_bytes *text)
{
    if (has_words) {
        sc_event_stream_send(events->audience, text->data, text->size);
    } else {
        atomic_fetch_add_explicit(&events->lost, 1, memory_order_relaxed);
    }
    sc_bytes_fini(text);
}

void sc_events_published(sc_events *events, const sc_relay *relay, uint64_t cloak)
{
    if (sc_event_stream_is_empty(events->audience)) return;
    const sc_vocabulary *vocabulary = sc_courier_vocabulary(events->parts->courier);
    sc_bytes text = {0};
    tell(events, sc__event_cloak(relay, cloak, vocabulary, &text), &text);
}

void sc_events_sent(sc_events *events, uint64_t cloak, sc_encoding encoding, const void *bytes,
                    size_t size)
{
    if (sc_event_stream_is_empty(events->audience)) return;
    sc_bytes text = {0};
    tell(events, sc__event_sent(cloak, encoding, bytes, size, &text), &text);
}

// --- Counters --------------------------------------------------------------------------------

static sc__counters count(const sc_events *events)
{
    const sc_service_internal *parts = events->parts;
    const sc_ledger_stats ledger = sc_ledger_stats_of(parts->ledger);
    const sc_courier_stats courier = sc_courier_stats_of(parts->courier);
    const sc_metrics_sums sums = sc_metrics_sums_of(parts->metrics);
    sc__counters row = {
        .t = (double)(sc_clock_us() - events->started_us) * 1e-6,
        .pending = ledger.pending,
        .answered = ledger.answered,
        .expired = ledger.dropped[SC_DROP_EXPIRED],
        .infeasible = ledger.dropped[SC_DROP_INFEASIBLE],
        .gone = ledger.gone,
        .cloaks = ledger.cloaks,
        .wait_s = sums.wait_s,
        .users = sums.users,
        .segments = sums.segments,
        .bytes_out = courier.bytes_out,
        .bytes_in = courier.bytes_in,
        .listeners = sc_events_listeners(events),
    };
    for (size_t i = 0; i < SC_DROP_REASON_COUNT; i++) {
        row.dropped += ledger.dropped[i];
    }
    for (size_t i = 0; i < SC_FAILURE_COUNT; i++) {
        row.failed += ledger.failed[i];
    }
    return row;
}

void sc__events_second(void *context, unsigned loop)
{
    (void)loop;
    sc_events *events = context;
    pthread_mutex_lock(&events->lock);
    const sc__counters row = count(events);
    sc__history_add(&events->history, &row);
    pthread_mutex_unlock(&events->lock);
    if (sc_event_stream_is_empty(events->audience)) return;
    sc_bytes text = {0};
    tell(events, sc__event_counters(&row, &text), &text);
}

// --- Listeners, in their loop's thread -------------------------------------------------------

// If memory is out, the newcomer begins without a past.
static void greet(void *context, unsigned loop, sc_http_request *listener)
{
    (void)loop;
    sc_events *events = context;
    sc_bytes text = {0};
    // Written while it is held: a fraction of a millisecond, and who else wants it comes once per
    // second.
    pthread_mutex_lock(&events->lock);
    const bool has_words = sc__event_history(&events->history, &text);
    pthread_mutex_unlock(&events->lock);
    if (has_words) sc_event_stream_send_first(listener, text.data, text.size);
    sc_bytes_fini(&text);
}

// A stream would never end by itself, and keep a service from stopping.
static void end_if_draining(void *context, unsigned loop)
{
    sc_events *events = context;
    if (atomic_load(&events->parts->is_draining)) sc_event_stream_end(events->audience, loop);
}

static void refuse(sc_http_request *request, sc_problem_kind kind, const char *detail)
{
    sc_problem problem;
    sc_problem_set(&problem, kind, NULL, "%s", detail);
    problem.retry_after_s = 5;
    sc_problem_reply(request, &problem, NULL);
}

void sc_events_listen(sc_events *events, unsigned loop, sc_http_request *request)
{
    if (atomic_load(&events->parts->is_draining)) {
        refuse(request, SC_PROBLEM_DRAINING, "events have come to an end");
    } else if (sc_event_stream_subscribe(events->audience, loop, request) != SC_OK) {
        refuse(request, SC_PROBLEM_OVERLOADED, "as many as can be told are listening already");
    }
}

size_t sc_events_listeners(const sc_events *events)
{
    return sc_event_stream_count(events->audience);
}

uint64_t sc_events_lost(const sc_events *events)
{
    return sc_event_stream_lost(events->audience) +
           atomic_load_explicit(&events->lost, memory_order_relaxed);
}

// --- Making ----------------------------------------------------------------------------------

sc_err sc_events_new(sc_service_internal *parts, size_t max_listeners, sc_events **out,
                     sc_diag *diag)
{
    sc_err err = SC_ENOMEM;
    sc_events *events = sc_calloc(1, sizeof *events);
    if (!events) goto fail;
    events->parts = parts;
    events->started_us = sc_clock_us();
    pthread_mutex_init(&events->lock, NULL);
    const sc_event_stream_options options = {
        .http = parts->http,
        .loops = parts->loops,
        .max_listeners = max_listeners,
        .greet = greet,
        .tick = end_if_draining,
        .context = events,
    };
    err = sc_event_stream_new(&options, &events->audience);
    if (!err) err = sc_http_every(parts->http, 0, 1.0, sc__events_second, events);
    if (err) goto fail;
    *out = events;
    return SC_OK;
fail:
    sc_events_free(events);
    return sc_fail(diag, err, "events cannot be told: %s", sc_err_text(err));
}

void sc_events_free(sc_events *events)
{
    if (!events) return;
    sc_event_stream_free(events->audience);
    pthread_mutex_destroy(&events->lock);
    sc_free(events);
}
