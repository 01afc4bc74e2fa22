// Server-sent events of GET /v1/events: when each is sent, and its text.
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
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/json_write.h"
#include "server/event_stream.h"

#include <pthread.h>

struct sc_events {
    sc_service_internal *service;
    sc_event_stream *stream;
    int64_t started_us;
    atomic_uint_fast64_t lost;  ///< for want of memory
    pthread_mutex_t lock;
    sc__history history;  ///< under `lock`
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

void sc_events_published(sc_events *events, const sc_relay *relay, uint64_t cloak)
{
    if (sc_event_stream_is_empty(events->stream)) return;
    const sc_vocabulary *vocabulary = sc_courier_vocabulary(events->service->courier);
    sc_bytes text = {0};
    send_event(events, sc__event_cloak(relay, cloak, vocabulary, &text), &text);
}

void sc_events_sent(sc_events *events, uint64_t cloak, sc_encoding encoding, const void *bytes,
                    size_t size)
{
    if (sc_event_stream_is_empty(events->stream)) return;
    sc_bytes text = {0};
    send_event(events, sc__event_sent(cloak, encoding, bytes, size, &text), &text);
}

// --- Counters --------------------------------------------------------------------------------

static sc__counters count(const sc_events *events)
{
    const sc_service_internal *service = events->service;
    const sc_ledger_stats ledger = sc_ledger_stats_of(service->ledger);
    const sc_courier_stats courier = sc_courier_stats_of(service->courier);
    const sc_metrics_sums sums = sc_metrics_sums_of(service->metrics);
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
    const sc__counters row = count(events);
    sc__history_add(&events->history, &row);
    pthread_mutex_unlock(&events->lock);
    if (sc_event_stream_is_empty(events->stream)) return;
    sc_bytes text = {0};
    send_event(events, sc__event_counters(&row, &text), &text);
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
    const bool is_written = sc__event_history(&events->history, &text);
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

// === The text of events; docs/ui.md shows them all ==============================================

// --- Cloaks ----------------------------------------------------------------------------------

/** An event's name, and the object that is its data. */
static sc_json_writer begin_event(sc_bytes *out, const char *event)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_put_text(&json, "event: ");
    sc_json_put_text(&json, event);
    sc_json_put_text(&json, "\ndata: ");
    sc_json_open_object(&json, NULL);
    return json;
}

static bool end_event(sc_json_writer *json)
{
    sc_json_close_object(json);
    sc_json_put_text(json, "\n\n");
    return !json->has_failed;
}

static void put_ids(sc_json_writer *json, const char *name, const uint32_t *ids, size_t count)
{
    sc_json_open_array(json, name);
    for (size_t i = 0; i < count; i++) {
        sc_json_put_count(json, NULL, ids[i]);
    }
    sc_json_close_array(json);
}

static void put_request(sc_json_writer *json, const sc_request *request,
                        const sc_vocabulary *vocabulary)
{
    sc_json_open_object(json, NULL);
    const char *metric = sc_metric_name(request->metric);
    if (request->type == SC_REQUEST_KNN) {
        sc_json_put_string(json, "type", "knn");
        sc_json_put_string(json, "metric", metric);
        sc_json_put_count(json, "k", request->k);
    } else {
        sc_json_put_string(json, "type", "range");
        sc_json_put_string(json, "metric", metric);
        if (request->metric == SC_METRIC_TIME) {
            sc_json_put_number(json, "radius_s", request->radius_s);
        } else {
            sc_json_put_number(json, "radius_m", request->radius_m);
        }
    }
    if (request->category_count > 0) {
        sc_json_open_array(json, "categories");
        for (uint32_t i = 0; i < request->category_count; i++) {
            sc_json_put_string(json, NULL, vocabulary->names[request->categories[i]]);
        }
        sc_json_close_array(json);
    }
    sc_json_close_object(json);
}

bool sc__event_cloak(const sc_relay *relay, uint64_t cloak, const sc_vocabulary *vocabulary,
                     sc_bytes *out)
{
    sc_json_writer json = begin_event(out, "cloak");
    sc_json_put_hex(&json, "id", cloak);
    put_ids(&json, "segments", relay->segments, relay->segment_count);
    put_ids(&json, "border_nodes", relay->border_nodes, relay->border_node_count);
    sc_json_open_array(&json, "requests");
    for (size_t i = 0; i < relay->request_count; i++) {
        put_request(&json, &relay->requests[i], vocabulary);
    }
    sc_json_close_array(&json);
    return end_event(&json);
}

bool sc__event_sent(uint64_t cloak, sc_encoding encoding, const void *bytes, size_t size,
                    sc_bytes *out)
{
    sc_json_writer json = begin_event(out, "sent");
    sc_json_put_hex(&json, "cloak", cloak);
    sc_json_put_string(&json, "encoding", sc_encoding_name(encoding));
    sc_json_put_base64(&json, "bytes", bytes, size);
    return end_event(&json);
}

// --- Counters --------------------------------------------------------------------------------

static void put_seconds(sc_json_writer *json, const char *name, double seconds)
{
    sc_json_put_fixed(json, name, seconds, 3);
}

#define PUT(json, name, value) \
    _Generic((value), double : put_seconds, uint64_t : sc_json_put_count)((json), (name), (value))

bool sc__event_counters(const sc__counters *row, sc_bytes *out)
{
    sc_json_writer json = begin_event(out, "counters");
#define X(type, name) PUT(&json, #name, row->name);
    SC__COUNTER_MAP(X)
#undef X
    return end_event(&json);
}

static void put_fields(sc_json_writer *json)
{
    sc_json_open_array(json, "fields");
#define X(type, name) sc_json_put_string(json, NULL, #name);
    SC__COUNTER_MAP(X)
#undef X
    sc_json_close_array(json);
}

static void put_row(sc_json_writer *json, const sc__counters *row)
{
    sc_json_open_array(json, NULL);
#define X(type, name) PUT(json, NULL, row->name);
    SC__COUNTER_MAP(X)
#undef X
    sc_json_close_array(json);
}

void sc__history_add(sc__history *history, const sc__counters *row)
{
    history->rows[history->taken % SC__HISTORY_ROWS] = *row;
    history->taken++;
}

bool sc__event_history(const sc__history *history, sc_bytes *out)
{
    const size_t end = history->taken;
    const size_t first = end > SC__HISTORY_ROWS ? end - SC__HISTORY_ROWS : 0;
    sc_json_writer json = begin_event(out, "history");
    put_fields(&json);
    sc_json_open_array(&json, "rows");
    for (size_t i = first; i < end; i++) {
        put_row(&json, &history->rows[i % SC__HISTORY_ROWS]);
    }
    sc_json_close_array(&json);
    return end_event(&json);
}
