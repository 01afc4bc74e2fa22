// Who listens, and how an event reaches them. See events.h; event_text.c has the words.
//
//     ledger's thread                         each loop's thread
//     words, once, into a block  --handover-->  sent to the loop's listeners, released
//
//  1. A listener belongs to its loop's thread, from the request to the moment at which its client
//     is gone or its stream ends.
//  2. A block is held by every handover that it is in; the last one who releases it frees it.
//  3. Whether anybody listens is one number, looked at without a lock. A listener who comes at this
//     very moment may miss an event, as if it had come a little later.
#include "service/events.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/handover.h"
#include "service/event_text.h"
#include "service/events_internal.h"
#include "service/problem.h"

#include <string.h>

/** Events that wait for one loop: some seconds of a busy service. */
enum { WAITING_MAX = 1024 };

/** An event in words, shared by the loops. */
typedef struct event_block {
    atomic_size_t holders;
    sc_bytes text;
} event_block;

typedef struct loop_audience loop_audience;

typedef struct event_listener {
    sc_http_request *request;
    loop_audience *audience;
    struct event_listener *before;
    struct event_listener *next;
} event_listener;

/** The listeners of one loop. */
struct loop_audience {
    sc_events *events;
    sc_handover *handover;  ///< of block pointers
    atomic_size_t count;    ///< of listeners
    // The loop's thread alone:
    event_listener *first;
    sc_bytes counters;   ///< as they were last told
    unsigned silence_s;  ///< since something was sent
};

struct sc_events {
    sc_parts *parts;
    size_t max_listeners;
    unsigned loops;
    loop_audience *audiences;
    atomic_size_t listeners;  ///< of all loops
    atomic_uint_fast64_t lost;
};

// --- Blocks ----------------------------------------------------------------------------------

static void block_release(event_block *block)
{
    if (atomic_fetch_sub(&block->holders, 1) > 1) return;
    sc_bytes_fini(&block->text);
    sc_free(block);
}

static event_block *block_new(sc_events *events, const sc_relay *relay)
{
    event_block *block = sc_calloc(1, sizeof *block);
    if (!block) return NULL;
    atomic_init(&block->holders, 1);
    if (!sc__event_cloak(relay, sc_courier_vocabulary(events->parts->courier), &block->text)) {
        block_release(block);
        return NULL;
    }
    return block;
}

static void count_lost(sc_events *events)
{
    atomic_fetch_add_explicit(&events->lost, 1, memory_order_relaxed);
}

void sc_events_published(sc_events *events, const sc_relay *relay)
{
    if (atomic_load_explicit(&events->listeners, memory_order_relaxed) == 0) return;
    event_block *block = block_new(events, relay);
    if (!block) {
        count_lost(events);
        return;
    }
    for (unsigned i = 0; i < events->loops; i++) {
        loop_audience *audience = &events->audiences[i];
        if (atomic_load_explicit(&audience->count, memory_order_relaxed) == 0) continue;
        atomic_fetch_add(&block->holders, 1);
        if (!sc_handover_put(audience->handover, &block)) {
            count_lost(events);
            block_release(block);
        }
    }
    block_release(block);
}

// --- In a loop's thread ----------------------------------------------------------------------

static void send_to_all(loop_audience *audience, const sc_bytes *text)
{
    for (const event_listener *l = audience->first; l; l = l->next) {
        sc_http_stream_send(l->request, text->data, text->size);
    }
    audience->silence_s = 0;
}

static void take_events(void *context, unsigned loop)
{
    sc_events *events = context;
    loop_audience *audience = &events->audiences[loop];
    event_block *blocks[16];
    // The bell keeps ringing while there are more, so that requests get their turn in between.
    const size_t count = sc_handover_take(audience->handover, blocks, 16);
    for (size_t i = 0; i < count; i++) {
        send_to_all(audience, &blocks[i]->text);
        block_release(blocks[i]);
    }
}

static void listener_drop(event_listener *listener)
{
    loop_audience *audience = listener->audience;
    if (listener->before) {
        listener->before->next = listener->next;
    } else {
        audience->first = listener->next;
    }
    if (listener->next) listener->next->before = listener->before;
    atomic_fetch_sub(&audience->count, 1);
    atomic_fetch_sub(&audience->events->listeners, 1);
    sc_free(listener);
}

static void listener_gone(void *context)
{
    listener_drop(context);
}

static void end_all(loop_audience *audience)
{
    while (audience->first) {
        sc_http_request *request = audience->first->request;
        listener_drop(audience->first);
        sc_http_stream_end(request);
    }
}

static bool is_same(const sc_bytes *a, const sc_bytes *b)
{
    return a->size == b->size && a->size > 0 && memcmp(a->data, b->data, a->size) == 0;
}

// If memory is out, the counters are told a second later.
static void tell_counters(loop_audience *audience)
{
    sc_events *events = audience->events;
    const sc_ledger_stats stats = sc_ledger_stats_of(events->parts->ledger);
    sc_bytes text = {0};
    if (!sc__event_counters(&stats, sc_events_listeners(events), &text) ||
        is_same(&text, &audience->counters)) {
        sc_bytes_fini(&text);
        return;
    }
    send_to_all(audience, &text);
    sc_bytes_fini(&audience->counters);
    audience->counters = text;
}

void sc__events_tick(void *context, unsigned loop)
{
    sc_events *events = context;
    loop_audience *audience = &events->audiences[loop];
    if (!audience->first) return;
    // A stream would never end by itself, and keep a service from stopping.
    if (atomic_load(&events->parts->is_draining)) {
        end_all(audience);
        return;
    }
    tell_counters(audience);
    if (audience->silence_s >= SC__EVENTS_SILENCE_S) {
        static const char comment[] = ": nothing new\n\n";
        const sc_bytes text = {.data = (uint8_t *)(uintptr_t)comment, .size = sizeof comment - 1};
        send_to_all(audience, &text);
    }
    audience->silence_s++;
}

static bool listener_add(sc_events *events, unsigned loop, sc_http_request *request)
{
    event_listener *added = sc_calloc(1, sizeof *added);
    if (!added) return false;
    loop_audience *audience = &events->audiences[loop];
    *added = (event_listener){.request = request, .audience = audience, .next = audience->first};
    if (added->next) added->next->before = added;
    audience->first = added;
    atomic_fetch_add(&audience->count, 1);
    audience->counters.size = 0;  // the newcomer has not been told
    sc_http_on_gone(request, listener_gone, added);
    return true;
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
        return;
    }
    if (atomic_fetch_add(&events->listeners, 1) >= events->max_listeners ||
        !listener_add(events, loop, request)) {
        atomic_fetch_sub(&events->listeners, 1);
        refuse(request, SC_PROBLEM_OVERLOADED, "as many as can be told are listening already");
        return;
    }
    // nginx, in front of us, would collect events before it passes them on.
    static const sc_http_header headers[] = {{"X-Accel-Buffering", "no"}};
    static const char hello[] = "retry: 2000\n\n";
    sc_http_stream_begin(request, 200, "text/event-stream", headers, 1);
    sc_http_stream_send(request, hello, sizeof hello - 1);
}

size_t sc_events_listeners(const sc_events *events)
{
    return atomic_load(&events->listeners);
}

uint64_t sc_events_lost(const sc_events *events)
{
    return atomic_load_explicit(&events->lost, memory_order_relaxed);
}

// --- Making ----------------------------------------------------------------------------------

static sc_err open_audience(sc_events *events, unsigned loop)
{
    sc_http *http = events->parts->http;
    loop_audience *audience = &events->audiences[loop];
    audience->events = events;
    sc_err err = sc_handover_new(sizeof(event_block *), WAITING_MAX, &audience->handover);
    if (!err) {
        err = sc_http_watch(http, loop, sc_handover_fd(audience->handover), take_events, events);
    }
    if (!err) err = sc_http_every(http, loop, 1.0, sc__events_tick, events);
    return err;
}

sc_err sc_events_new(sc_parts *parts, size_t max_listeners, sc_events **out, sc_diag *diag)
{
    sc_err err = SC_ENOMEM;
    sc_events *events = sc_calloc(1, sizeof *events);
    if (!events) goto fail;
    *events = (sc_events){.parts = parts, .max_listeners = max_listeners, .loops = parts->loops};
    events->audiences = sc_calloc(parts->loops, sizeof *events->audiences);
    if (!events->audiences) goto fail;
    for (unsigned i = 0; i < parts->loops; i++) {
        err = open_audience(events, i);
        if (err) goto fail;
    }
    *out = events;
    return SC_OK;
fail:
    sc_events_free(events);
    return sc_fail(diag, err, "events cannot be told: %s", sc_err_text(err));
}

static void close_audience(loop_audience *audience)
{
    event_block *block = NULL;
    while (audience->handover && sc_handover_take(audience->handover, &block, 1) == 1) {
        block_release(block);
    }
    sc_handover_free(audience->handover);
    while (audience->first) {
        listener_drop(audience->first);
    }
    sc_bytes_fini(&audience->counters);
}

void sc_events_free(sc_events *events)
{
    if (!events) return;
    for (unsigned i = 0; events->audiences && i < events->loops; i++) {
        close_audience(&events->audiences[i]);
    }
    sc_free(events->audiences);
    sc_free(events);
}
