// The wire's thread: exchanges onto connections, retries, deadlines. See wire.h.
#include "courier/provider_connections.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/deadlines.h"
#include "base/diag.h"
#include "base/rng.h"
#include "courier/provider_request.h"

#include <stdatomic.h>

/** Replies that nobody has read yet may hold so many bytes, and one for each connection more. */
enum { UNREAD_MAX = 64 * 1024 * 1024 };

/** Longer than anything needs to wait. */
enum { LONGEST_MS = 3600000 };

/** A place for one exchange at a time. */
typedef struct sc__line {
    sc__post post;  ///< first: what curl knows of is also the line
    sc__wire *wire;
    sc__exchange *exchange;  ///< NULL: it is free
    struct sc__line *next_free;
} sc__line;

/** Exchanges one behind the other. */
typedef struct row {
    sc__exchange *first;
    sc__exchange *last;
} row;

struct sc__wire {
    // Read-only once it has started.
    sc__wire_hooks hooks;
    sc__post_rules rules;
    CURLM *multi;
    sc__line *lines;
    size_t line_count;
    bool is_in_place;  ///< it has no thread
    pthread_t thread;
    bool has_thread;  ///< of the one who starts and stops

    // Of its thread.
    sc_rng *rng;
    sc_deadlines timers;  ///< of all exchanges that it has taken
    row waiting;
    sc__line *free_lines;

    // Under the lock.
    pthread_mutex_t lock;
    row inbox;
    bool is_stopping;

    // Of all.
    atomic_size_t unread;  ///< bytes of replies
    atomic_uint_fast64_t tries;
    atomic_uint_fast64_t bytes_out;
    atomic_uint_fast64_t bytes_in;
};

// --- Rows -------------------------------------------------------------------------------

static void row_append(row *r, sc__exchange *exchange)
{
    exchange->next = NULL;
    exchange->previous = r->last;
    if (r->last) {
        r->last->next = exchange;
    } else {
        r->first = exchange;
    }
    r->last = exchange;
}

static void row_remove(row *r, sc__exchange *exchange)
{
    if (exchange->previous) {
        exchange->previous->next = exchange->next;
    } else {
        r->first = exchange->next;
    }
    if (exchange->next) {
        exchange->next->previous = exchange->previous;
    } else {
        r->last = exchange->previous;
    }
}

// --- Coming and going -----------------------------------------------------------------

// How long it may wait for whatever comes next.
static int64_t limit_of(const sc__exchange *exchange)
{
    return exchange->is_sent ? exchange->deadline_us : exchange->leave_by_us;
}

static void wait_for_line(sc__wire *wire, sc__exchange *exchange)
{
    exchange->state = SC__WAITING;
    row_append(&wire->waiting, exchange);
    sc_deadlines_add(&wire->timers, limit_of(exchange), exchange, &exchange->timer);
}

static void free_line(sc__wire *wire, sc__line *line)
{
    curl_multi_remove_handle(wire->multi, line->post.easy);
    line->exchange->line = NULL;
    line->exchange = NULL;
    line->next_free = wire->free_lines;
    wire->free_lines = line;
}

// Out of the wire's hands, wherever it was.
static void bring_back(sc__wire *wire, sc__exchange *exchange, sc_failure failure)
{
    sc_deadlines_cancel(&wire->timers, &exchange->timer);
    if (exchange->state == SC__WAITING) row_remove(&wire->waiting, exchange);
    if (exchange->line) free_line(wire, exchange->line);
    exchange->failure = failure;
    wire->hooks.back(wire->hooks.context, exchange);
}

static void take_inbox(sc__wire *wire, bool *is_stopping)
{
    pthread_mutex_lock(&wire->lock);
    sc__exchange *exchange = wire->inbox.first;
    wire->inbox = (row){.first = NULL};
    *is_stopping = wire->is_stopping;
    pthread_mutex_unlock(&wire->lock);
    while (exchange) {
        sc__exchange *next = exchange->next;
        wait_for_line(wire, exchange);
        exchange = next;
    }
}

// --- One try ----------------------------------------------------------------------------

static void tell_leaving(const sc__post *post)
{
    const sc__line *line = (const sc__line *)(const void *)post;
    const sc__wire_hooks *hooks = &line->wire->hooks;
    sc__exchange *exchange = line->exchange;
    if (exchange->is_told) return;
    exchange->is_told = true;
    if (hooks->leaves) hooks->leaves(hooks->context, exchange);
}

// Onto a free line.
static void begin(sc__wire *wire, sc__exchange *exchange)
{
    sc__line *line = wire->free_lines;
    wire->free_lines = line->next_free;
    row_remove(&wire->waiting, exchange);
    exchange->state = SC__RUNNING;
    exchange->line = line;
    exchange->tries++;
    line->exchange = exchange;
    atomic_fetch_add_explicit(&wire->tries, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&wire->bytes_out, exchange->request_size, memory_order_relaxed);
    const int64_t leave_by_us = exchange->is_sent ? INT64_MAX : exchange->leave_by_us;
    if (sc__post_begin(&line->post, exchange->request, exchange->request_size, leave_by_us) ||
        curl_multi_add_handle(wire->multi, line->post.easy)) {
        sc_fail_memory(exchange->diag, "asking the provider");
        bring_back(wire, exchange, SC_FAILURE_OVERLOADED);
    }
}

static void begin_waiting(sc__wire *wire)
{
    while (wire->waiting.first && wire->free_lines && atomic_load(&wire->unread) <= UNREAD_MAX) {
        begin(wire, wire->waiting.first);
    }
}

static void bring_reply(sc__wire *wire, sc__exchange *exchange, sc__post *post)
{
    exchange->reply = post->body;
    exchange->reply_size = post->size;
    atomic_fetch_add(&wire->unread, post->size);
    post->body = NULL;
    post->capacity = 0;
    bring_back(wire, exchange, SC_FAILURE_NONE);
}

// It failed: later, or never.
static void try_again(sc__wire *wire, sc__exchange *exchange, const sc__post_result *result)
{
    const int64_t at_us = result->may_pass && wire->hooks.may_go_on(wire->hooks.context, exchange)
                              ? sc__retry_at(exchange->tries, result->told_us, sc_clock_us(),
                                             limit_of(exchange), sc_rng_unit(wire->rng))
                              : SC__RETRY_NEVER;
    if (at_us == SC__RETRY_NEVER) {
        bring_back(wire, exchange, result->failure);
        return;
    }
    free_line(wire, exchange->line);
    sc_deadlines_cancel(&wire->timers, &exchange->timer);
    exchange->failure = result->failure;  // in case that its time ends before the next try
    exchange->state = SC__PAUSING;
    sc_deadlines_add(&wire->timers, at_us, exchange, &exchange->timer);
}

static void end(sc__wire *wire, sc__exchange *exchange, CURLcode code)
{
    sc__post *post = &exchange->line->post;
    const sc__post_result result = sc__post_end(post, code, exchange->diag);
    exchange->status = result.status;
    exchange->is_sent = exchange->is_sent || sc__post_is_sent(post);
    atomic_fetch_add_explicit(&wire->bytes_in, post->size, memory_order_relaxed);
    if (result.failure) {
        try_again(wire, exchange, &result);
    } else {
        bring_reply(wire, exchange, post);
    }
}

static void take_ended(sc__wire *wire)
{
    int left = 0;
    for (CURLMsg *m = curl_multi_info_read(wire->multi, &left); m;
         m = curl_multi_info_read(wire->multi, &left)) {
        if (m->msg != CURLMSG_DONE) continue;
        char *found = NULL;
        const CURLcode code = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &found);
        end(wire, ((sc__line *)(void *)found)->exchange, code);
    }
}

// --- Time ---------------------------------------------------------------------------------

// It has left in time, and may now be answered until the deadline.
static bool has_just_left(sc__wire *wire, sc__exchange *exchange)
{
    if (exchange->is_sent || exchange->state != SC__RUNNING) return false;
    exchange->is_sent = sc__post_is_sent(&exchange->line->post);
    if (!exchange->is_sent) return false;
    sc_deadlines_cancel(&wire->timers, &exchange->timer);
    sc_deadlines_add(&wire->timers, exchange->deadline_us, exchange, &exchange->timer);
    return true;
}

static void run_out(sc__wire *wire, sc__exchange *exchange)
{
    sc_failure failure = exchange->is_sent ? SC_FAILURE_TIMEOUT : SC_FAILURE_UNSENT;
    if (exchange->failure && exchange->state == SC__WAITING) {
        // Tried before, it has failed for the reason of that try.
        failure = exchange->failure;
    } else if (exchange->is_sent) {
        sc_fail(exchange->diag, SC_ELATE, "the provider has not answered before the deadline");
    } else if (exchange->state == SC__RUNNING) {
        sc_fail(exchange->diag, SC_ELATE,
                "the provider has not taken up a connection before the least deadline of a cloak, "
                "so it was not sent");
    } else {
        sc_fail(exchange->diag, SC_ELATE,
                "no connection to the provider was free before the least deadline of a cloak, so "
                "it was not sent; allow more of them");
    }
    bring_back(wire, exchange, failure);
}

static void ring_timers(sc__wire *wire, int64_t now_us)
{
    for (sc__exchange *exchange; (exchange = sc_deadlines_due(&wire->timers, now_us));) {
        if (exchange->state != SC__PAUSING) {
            if (!has_just_left(wire, exchange)) run_out(wire, exchange);
        } else if (!wire->hooks.may_go_on(wire->hooks.context, exchange)) {
            bring_back(wire, exchange, exchange->failure);
        } else {
            sc_deadlines_cancel(&wire->timers, &exchange->timer);
            wait_for_line(wire, exchange);
        }
    }
}

static int wait_ms(const sc__wire *wire)
{
    return wire->timers.count > 0
               ? sc_clock_wait_ms(sc_clock_us(), sc_deadlines_next(&wire->timers))
               : LONGEST_MS;
}

// --- Its turns ----------------------------------------------------------------------------

// All that can be done without waiting.
static void go_on(sc__wire *wire)
{
    bool is_free = true;
    while (is_free && wire->timers.count > 0) {
        ring_timers(wire, sc_clock_us());
        begin_waiting(wire);
        int running = 0;
        curl_multi_perform(wire->multi, &running);
        take_ended(wire);
        // A line that has become free is for the next one, before we wait for anything.
        is_free =
            wire->free_lines && wire->waiting.first && atomic_load(&wire->unread) <= UNREAD_MAX;
    }
}

static void bring_all_back(sc__wire *wire)
{
    for (sc__exchange *exchange; (exchange = sc_deadlines_first(&wire->timers));) {
        bring_back(wire, exchange, SC_FAILURE_STOPPED);
    }
}

static void *run(void *context)
{
    sc__wire *wire = context;
    pthread_setname_np(pthread_self(), "provider");
    bool is_stopping = false;
    for (;;) {
        take_inbox(wire, &is_stopping);
        if (is_stopping) break;
        go_on(wire);
        curl_multi_poll(wire->multi, NULL, 0, wait_ms(wire), NULL);
    }
    bring_all_back(wire);
    return NULL;
}

bool sc__wire_turn(sc__wire *wire)
{
    bool is_stopping = false;
    take_inbox(wire, &is_stopping);
    go_on(wire);
    return atomic_load(&wire->unread) > 0;
}

bool sc__wire_is_busy(const sc__wire *wire)
{
    return wire->timers.count > 0;
}

void sc__wire_poll(sc__wire *wire, struct pollfd *fds, size_t count, int64_t wake_us)
{
    enum { MOST = 8 };
    struct curl_waitfd others[MOST];
    for (size_t i = 0; i < count; i++) {
        others[i] = (struct curl_waitfd){.fd = fds[i].fd, .events = CURL_WAIT_POLLIN};
    }
    const int64_t next_us = wire->timers.count > 0 ? sc_deadlines_next(&wire->timers) : INT64_MAX;
    const int64_t until_us = next_us < wake_us ? next_us : wake_us;
    const int wait = sc_clock_wait_ms(sc_clock_us(), until_us);
    curl_multi_poll(wire->multi, others, (unsigned)count, wait >= 0 ? wait : LONGEST_MS, NULL);
    for (size_t i = 0; i < count; i++) {
        fds[i].revents = others[i].revents;
    }
}

// --- For others -------------------------------------------------------------------------

void sc__wire_post(sc__wire *wire, sc__exchange *exchange)
{
    exchange->failure = SC_FAILURE_NONE;
    exchange->tries = 0;
    exchange->status = 0;
    exchange->reply = NULL;
    exchange->line = NULL;
    exchange->is_sent = false;
    exchange->is_told = false;
    pthread_mutex_lock(&wire->lock);
    const bool was_empty = !wire->inbox.first;
    row_append(&wire->inbox, exchange);
    pthread_mutex_unlock(&wire->lock);
    if (was_empty && !wire->is_in_place) curl_multi_wakeup(wire->multi);
}

void sc__wire_forget(sc__wire *wire, sc__exchange *exchange)
{
    if (!exchange->reply) return;
    sc_free(exchange->reply);
    exchange->reply = NULL;
    const size_t before = atomic_fetch_sub(&wire->unread, exchange->reply_size);
    const bool goes_on = before > UNREAD_MAX && before - exchange->reply_size <= UNREAD_MAX;
    if (goes_on && !wire->is_in_place) curl_multi_wakeup(wire->multi);
}

sc__wire_counts sc__wire_counts_of(const sc__wire *wire)
{
    return (sc__wire_counts){
        .tries = atomic_load_explicit(&wire->tries, memory_order_relaxed),
        .bytes_out = atomic_load_explicit(&wire->bytes_out, memory_order_relaxed),
        .bytes_in = atomic_load_explicit(&wire->bytes_in, memory_order_relaxed)};
}

// --- Life -------------------------------------------------------------------------------

static sc_err make_lines(sc__wire *wire, unsigned connections, sc_diag *diag)
{
    wire->lines = sc_calloc(connections, sizeof *wire->lines);
    if (!wire->lines) return sc_fail_memory(diag, "preparing to ask the provider");
    for (unsigned i = 0; i < connections; i++) {
        sc__line *line = &wire->lines[i];
        line->wire = wire;
        if (sc__post_init(&line->post, &wire->rules, tell_leaving)) {
            return sc_fail(diag, SC_ENET, "curl, which asks over HTTP, cannot be set up");
        }
        wire->line_count++;
        line->next_free = wire->free_lines;
        wire->free_lines = line;
    }
    return SC_OK;
}

sc_err sc__wire_new(const sc_courier_options *options, const sc__wire_hooks *hooks, sc_rng *rng,
                    sc__wire **out, sc_diag *diag)
{
    sc__wire *wire = sc_calloc(1, sizeof *wire);
    if (!wire) {
        sc_rng_free(rng);
        return sc_fail_memory(diag, "preparing to ask the provider");
    }
    wire->hooks = *hooks;
    wire->rng = rng;
    pthread_mutex_init(&wire->lock, NULL);
    sc_err err = sc__post_rules_init(&wire->rules, options, diag);
    if (!err && sc_deadlines_init(&wire->timers, options->max_errands)) {
        err = sc_fail_memory(diag, "preparing to ask the provider");
    }
    if (!err) err = make_lines(wire, options->connections, diag);
    if (!err) {
        wire->multi = curl_multi_init();
        if (!wire->multi ||
            curl_multi_setopt(wire->multi, CURLMOPT_MAXCONNECTS, (long)options->connections)) {
            err = sc_fail(diag, SC_ENET, "curl, which asks over HTTP, cannot be set up");
        }
    }
    wire->is_in_place = options->clerks == 0;
    if (!err && !wire->is_in_place) err = sc__thread_start(&wire->thread, run, wire, diag);
    if (err) {
        sc__wire_free(wire);
        return err;
    }
    wire->has_thread = !wire->is_in_place;
    *out = wire;
    return SC_OK;
}

void sc__wire_stop(sc__wire *wire)
{
    if (!wire) return;
    if (wire->is_in_place) {
        bool is_stopping = false;
        take_inbox(wire, &is_stopping);
        bring_all_back(wire);
    }
    if (!wire->has_thread) return;
    pthread_mutex_lock(&wire->lock);
    wire->is_stopping = true;
    pthread_mutex_unlock(&wire->lock);
    curl_multi_wakeup(wire->multi);
    pthread_join(wire->thread, NULL);
    wire->has_thread = false;
}

void sc__wire_free(sc__wire *wire)
{
    if (!wire) return;
    sc__wire_stop(wire);
    for (size_t i = 0; i < wire->line_count; i++) {
        sc__post_fini(&wire->lines[i].post);
    }
    sc_free(wire->lines);
    curl_multi_cleanup(wire->multi);
    sc__post_rules_fini(&wire->rules);
    sc_deadlines_fini(&wire->timers);
    sc_rng_free(wire->rng);
    pthread_mutex_destroy(&wire->lock);
    sc_free(wire);
}
