// Server-sent events of GET /v1/events: when each is sent. event_text.c has their text.
//
//     ledger, courier:  cloak, sent ------------------+--> stream --> each loop's listeners
//     loop 0, each second:  history <-- counters -----+
//
//  1. A row of counters is stored before it is sent, and a new listener is registered before it
//     gets the history. So no listener misses a row; a row of the history may come once more.
//  2. Rows are written by one loop and read by all, under the lock: complete, in order of time.
#include "api/events.h"

#include "api/metrics.h"
#include "api/problem_details.h"
#include "api/served_map.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "server/event_stream.h"

#include <pthread.h>

struct sc_events {
    sc_service_internal *service;
    sc_event_stream *stream;
    int64_t started_us;
    atomic_uint_fast64_t lost;  ///< for want of memory
    pthread_mutex_t lock;
    sc_history history;  ///< under `lock`
};

// --- Sending, in any thread -----------------------------------------------------------------

/** Send the text, or count the event as lost if it could not be written; and free the text. */
static void send_event(sc_events *events, bool is_written, sc_bytes *text)
{
    if (is_written) {
        sc_event_stream_send(events->stream, text->data, text->size);
    } else {
        atomic_fetch_add_explicit(&events->lost, 1, memory_order_relaxed);
    }
    sc_bytes_fini(text);
}

void sc_events_published(sc_events *events, const sc_relay *relay, uint64_t cloak,
                         const sc_vocabulary *vocabulary)
{
    if (sc_event_stream_is_empty(events->stream)) return;
    sc_bytes text = {0};
    send_event(events, sc_event_text_cloak(relay, cloak, vocabulary, &text), &text);
}

void sc_events_sent(sc_events *events, uint64_t cloak, sc_encoding encoding, const void *bytes,
                    size_t size)
{
    if (sc_event_stream_is_empty(events->stream)) return;
    sc_bytes text = {0};
    send_event(events, sc_event_text_sent(cloak, encoding, bytes, size, &text), &text);
}

void sc_events_map(sc_events *events, uint64_t checksum)
{
    if (sc_event_stream_is_empty(events->stream)) return;
    sc_bytes text = {0};
    send_event(events, sc_event_text_map(checksum, &text), &text);
}

// --- Counters --------------------------------------------------------------------------------

static sc_counters count(const sc_events *events)
{
    const sc_service_internal *service = events->service;
    sc_served_sums all;
    sc_served_sums_of(service, &all);
    const sc_ledger_stats ledger = all.ledger;
    const sc_courier_stats courier = all.courier;
    const sc_metrics_sums sums = sc_metrics_sums_of(service->metrics);
    sc_counters row = {
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
        .provider_unreachable = ledger.failed[SC_FAILURE_UNREACHABLE],
        .provider_timeout = ledger.failed[SC_FAILURE_TIMEOUT],
        .provider_refused = ledger.failed[SC_FAILURE_REFUSED],
        .provider_unbelievable = ledger.failed[SC_FAILURE_UNBELIEVABLE],
        .provider_suspended = ledger.failed[SC_FAILURE_SUSPENDED],
        .overloaded = ledger.failed[SC_FAILURE_OVERLOADED],
        .not_sent_in_time = ledger.failed[SC_FAILURE_UNSENT],
        .suspended = courier.is_suspended,
        .listeners = sc_events_listeners(events),
    };
    if (service->gateway) {
        const sc_gateway_reach reach = sc_gateway_reach_of(service->gateway);
        row.workers = reach.workers;
        row.unserved_parts = reach.unserved_parts;
    }
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
    const sc_counters row = count(events);
    sc_history_add(&events->history, &row);
    pthread_mutex_unlock(&events->lock);
    if (sc_event_stream_is_empty(events->stream)) return;
    sc_bytes text = {0};
    send_event(events, sc_event_text_counters(&row, &text), &text);
}

// --- Listeners, in their loop's thread -------------------------------------------------------

// If memory is out, the listener gets no history.
static void greet(void *context, unsigned loop, sc_http_request *listener)
{
    (void)loop;
    sc_events *events = context;
    sc_bytes text = {0};
    // Written under the lock: a fraction of a millisecond; the other holder comes once per second.
    pthread_mutex_lock(&events->lock);
    const bool is_written = sc_event_text_history(&events->history, &text);
    pthread_mutex_unlock(&events->lock);
    if (is_written) sc_event_stream_send_first(listener, text.data, text.size);
    sc_bytes_fini(&text);
}

// A stream would not end by itself, and keep the service from stopping.
static void end_if_draining(void *context, unsigned loop)
{
    sc_events *events = context;
    if (atomic_load(&events->service->is_draining)) sc_event_stream_end(events->stream, loop);
}

static void refuse(const sc_events *events, sc_http_request *request, sc_problem_kind kind,
                   const char *detail)
{
    sc_refusals_add(events->service, kind);
    sc_problem problem;
    sc_problem_set(&problem, kind, NULL, "%s", detail);
    problem.retry_after_s = 5;
    sc_problem_reply(request, &problem, NULL);
}

void sc_events_listen(sc_events *events, unsigned loop, sc_http_request *request, uint64_t user)
{
    if (atomic_load(&events->service->is_draining)) {
        refuse(events, request, SC_PROBLEM_DRAINING,
               "the service is stopping; no more events are sent");
    } else if (sc_event_stream_subscribe(events->stream, loop, request, user) != SC_OK) {
        refuse(events, request, SC_PROBLEM_OVERLOADED,
               "too many listeners; the limit is max-listeners, and a tenth of it for one user");
    }
}

size_t sc_events_listeners(const sc_events *events)
{
    return sc_event_stream_count(events->stream);
}

uint64_t sc_events_lost(const sc_events *events)
{
    return sc_event_stream_lost(events->stream) +
           atomic_load_explicit(&events->lost, memory_order_relaxed);
}

// --- Making ----------------------------------------------------------------------------------

sc_err sc_events_new(sc_service_internal *service, size_t max_listeners, sc_events **out,
                     sc_diag *diag)
{
    sc_err err = SC_ENOMEM;
    sc_events *events = sc_calloc(1, sizeof *events);
    if (!events) goto fail;
    events->service = service;
    events->started_us = sc_clock_us();
    pthread_mutex_init(&events->lock, NULL);
    const sc_event_stream_options options = {
        .http = service->http,
        .loops = service->loops,
        .max_listeners = max_listeners,
        .greet = greet,
        .tick = end_if_draining,
        .context = events,
    };
    err = sc_event_stream_new(&options, &events->stream);
    if (!err) err = sc_http_every(service->http, 0, 1.0, sc__events_second, events);
    if (err) goto fail;
    *out = events;
    return SC_OK;
fail:
    sc_events_free(events);
    return sc_fail(diag, err, "events cannot be started: %s", sc_err_text(err));
}

void sc_events_free(sc_events *events)
{
    if (!events) return;
    sc_event_stream_free(events->stream);
    pthread_mutex_destroy(&events->lock);
    sc_free(events);
}
