// The connections to the provider and their thread: exchanges, retries, deadlines. See
// provider_connections.h.
#include "courier/provider_connections.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/deadlines.h"
#include "base/diag.h"
#include "base/rng.h"
#include "courier/provider_request.h"

#include <stdatomic.h>

/** Replies that are not read yet may hold so many bytes, and one for each connection more. */
enum { UNREAD_MAX = 64 * 1024 * 1024 };

/** Longer than anything needs to wait. */
enum { LONGEST_MS = 3600000 };

/** What requests share, as long as one of them uses it. Of the connections' thread. */
struct sc__shared_rules {
    sc__request_rules rules;
    size_t users;  ///< connections, and the one that new ones go by
};

/** A place for one exchange at a time. */
typedef struct sc__connection {
    sc__provider_request request;  ///< first: what curl knows of is also the line
    sc__shared_rules *rules;       ///< that it goes by
    sc__connections *connections;
    sc__exchange *exchange;  ///< NULL: it is free
    struct sc__connection *next_free;
} sc__connection;

/** Exchanges one behind the other. */
typedef struct row {
    sc__exchange *first;
    sc__exchange *last;
} row;

struct sc__connections {
    // Read-only once it has started.
    sc__connections_hooks hooks;
    CURLM *multi;
    sc__connection *slots;
    size_t slot_count;
    bool is_in_place;  ///< it has no thread
    pthread_t thread;
    bool has_thread;  ///< of the one who starts and stops

    // Of its thread.
    sc_rng *rng;
    sc__shared_rules *rules;  ///< that exchanges go by which begin
    sc_deadlines timers;      ///< of all exchanges that it has taken
    sc_deadlines waiting[2];  ///< by order_us; cheap exchanges, and dear ones
    size_t dear_count;        ///< dear exchanges that are running
    sc__connection *free_slots;

    // Under the lock.
    pthread_mutex_t lock;
    row inbox;
    sc__shared_rules *renewed;  ///< to be used from now on; NULL: none
    bool is_stopping;

    // Of all.
    atomic_size_t unread;  ///< bytes of replies
    atomic_uint_fast64_t tries;
    atomic_uint_fast64_t bytes_out;
    atomic_uint_fast64_t bytes_in;
};

// --- Rows -----------------------------------------------------------------------------------

static void row_append(row *r, sc__exchange *exchange)
{
    exchange->next = NULL;
    if (r->last) {
        r->last->next = exchange;
    } else {
        r->first = exchange;
    }
    r->last = exchange;
}

// --- Coming and going -----------------------------------------------------------------------

// How long it may wait for whatever comes next.
static int64_t limit_of(const sc__exchange *exchange)
{
    return exchange->is_sent ? exchange->deadline_us : exchange->leave_by_us;
}

static void wait_for_connection(sc__connections *connections, sc__exchange *exchange)
{
    exchange->state = SC__WAITING;
    sc_deadlines_add(&connections->waiting[exchange->is_dear], exchange->order_us, exchange,
                     &exchange->place);
    sc_deadlines_add(&connections->timers, limit_of(exchange), exchange, &exchange->timer);
}

static void free_connection(sc__connections *connections, sc__connection *connection)
{
    curl_multi_remove_handle(connections->multi, connection->request.easy);
    connections->dear_count -= connection->exchange->is_dear;
    connection->exchange->connection = NULL;
    connection->exchange = NULL;
    connection->next_free = connections->free_slots;
    connections->free_slots = connection;
}

// Return an exchange, whatever its state.
static void bring_back(sc__connections *connections, sc__exchange *exchange, sc_failure failure)
{
    sc_deadlines_cancel(&connections->timers, &exchange->timer);
    if (exchange->state == SC__WAITING) {
        sc_deadlines_cancel(&connections->waiting[exchange->is_dear], &exchange->place);
    }
    if (exchange->connection) free_connection(connections, exchange->connection);
    exchange->failure = failure;
    connections->hooks.back(connections->hooks.context, exchange);
}

// --- Rules ----------------------------------------------------------------------------------

static void release_rules(sc__shared_rules *rules)
{
    if (!rules || --rules->users > 0) return;
    sc__request_rules_fini(&rules->rules);
    sc_free(rules);
}

sc_err sc__shared_rules_read(const sc_courier_options *options, sc__shared_rules **out,
                             sc_diag *diag)
{
    sc__shared_rules *rules = sc_calloc(1, sizeof *rules);
    if (!rules) return sc_fail_memory(diag, "preparing to ask the provider");
    rules->users = 1;
    const sc_err err = sc__request_rules_init(&rules->rules, options, diag);
    if (err) {
        sc_free(rules);
        return err;
    }
    *out = rules;
    return SC_OK;
}

void sc__shared_rules_free(sc__shared_rules *rules)
{
    release_rules(rules);
}

void sc__connections_renew(sc__connections *connections, sc__shared_rules *rules)
{
    pthread_mutex_lock(&connections->lock);
    sc__shared_rules *passed_over = connections->renewed;
    connections->renewed = rules;
    pthread_mutex_unlock(&connections->lock);
    release_rules(passed_over);
}

/** A connection is about to be used: by the rules of now, if curl has the memory. */
static void renew(sc__connections *connections, sc__connection *connection)
{
    if (connection->rules == connections->rules ||
        !sc__provider_request_renew(&connection->request, &connections->rules->rules)) {
        return;
    }
    release_rules(connection->rules);
    connection->rules = connections->rules;
    connection->rules->users++;
}

// --- Coming ---------------------------------------------------------------------------------

static void take_inbox(sc__connections *connections, bool *is_stopping)
{
    pthread_mutex_lock(&connections->lock);
    sc__shared_rules *renewed = connections->renewed;
    connections->renewed = NULL;
    sc__exchange *exchange = connections->inbox.first;
    connections->inbox = (row){.first = NULL};
    *is_stopping = connections->is_stopping;
    pthread_mutex_unlock(&connections->lock);
    if (renewed) {
        release_rules(connections->rules);
        connections->rules = renewed;
    }
    while (exchange) {
        sc__exchange *next = exchange->next;
        wait_for_connection(connections, exchange);
        exchange = next;
    }
}

// --- One try --------------------------------------------------------------------------------

static void tell_leaving(const sc__provider_request *request)
{
    const sc__connection *connection = (const sc__connection *)(const void *)request;
    const sc__connections_hooks *hooks = &connection->connections->hooks;
    sc__exchange *exchange = connection->exchange;
    if (exchange->is_told) return;
    exchange->is_told = true;
    if (hooks->leaves) hooks->leaves(hooks->context, exchange);
}

// Onto a free line.
static void begin(sc__connections *connections, sc__exchange *exchange)
{
    sc__connection *connection = connections->free_slots;
    connections->free_slots = connection->next_free;
    renew(connections, connection);
    sc_deadlines_cancel(&connections->waiting[exchange->is_dear], &exchange->place);
    connections->dear_count += exchange->is_dear;
    exchange->state = SC__RUNNING;
    exchange->connection = connection;
    exchange->tries++;
    connection->exchange = exchange;
    atomic_fetch_add_explicit(&connections->tries, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&connections->bytes_out, exchange->request_size,
                              memory_order_relaxed);
    const int64_t leave_by_us = exchange->is_sent ? INT64_MAX : exchange->leave_by_us;
    if (sc__provider_request_begin(&connection->request, exchange->request, exchange->request_size,
                                   leave_by_us) ||
        curl_multi_add_handle(connections->multi, connection->request.easy)) {
        sc_fail_memory(exchange->diag, "asking the provider");
        bring_back(connections, exchange, SC_FAILURE_OVERLOADED);
    }
}

// The exchange whose turn it is, if there is a line for it; half of them are left to cheap ones.
static sc__exchange *next_to_begin(const sc__connections *connections)
{
    if (!connections->free_slots || atomic_load(&connections->unread) > UNREAD_MAX) return NULL;
    const bool may_be_dear = connections->dear_count < (connections->slot_count + 1) / 2;
    const bool is_dear = may_be_dear && sc_deadlines_next(&connections->waiting[true]) <
                                            sc_deadlines_next(&connections->waiting[false]);
    return sc_deadlines_first(&connections->waiting[is_dear]);
}

static void begin_waiting(sc__connections *connections)
{
    for (sc__exchange *exchange; (exchange = next_to_begin(connections));) {
        begin(connections, exchange);
    }
}

static void bring_reply(sc__connections *connections, sc__exchange *exchange,
                        sc__provider_request *request)
{
    exchange->reply = request->body;
    exchange->reply_size = request->size;
    atomic_fetch_add(&connections->unread, request->size);
    request->body = NULL;
    request->capacity = 0;
    bring_back(connections, exchange, SC_FAILURE_NONE);
}

// It failed: later, or never.
static void try_again(sc__connections *connections, sc__exchange *exchange,
                      const sc__provider_request_result *result)
{
    const int64_t at_us =
        result->may_pass && connections->hooks.may_go_on(connections->hooks.context, exchange)
            ? sc__retry_at(exchange->tries, result->told_us, sc_clock_us(), limit_of(exchange),
                           sc_rng_unit(connections->rng))
            : SC__RETRY_NEVER;
    if (at_us == SC__RETRY_NEVER) {
        bring_back(connections, exchange, result->failure);
        return;
    }
    free_connection(connections, exchange->connection);
    sc_deadlines_cancel(&connections->timers, &exchange->timer);
    exchange->failure = result->failure;  // in case that its time ends before the next try
    exchange->state = SC__PAUSING;
    sc_deadlines_add(&connections->timers, at_us, exchange, &exchange->timer);
}

static void end(sc__connections *connections, sc__exchange *exchange, CURLcode code)
{
    sc__provider_request *request = &exchange->connection->request;
    const sc__provider_request_result result =
        sc__provider_request_end(request, code, exchange->diag);
    exchange->status = result.status;
    exchange->is_sent = exchange->is_sent || sc__provider_request_is_sent(request);
    atomic_fetch_add_explicit(&connections->bytes_in, request->size, memory_order_relaxed);
    if (result.failure) {
        try_again(connections, exchange, &result);
    } else {
        bring_reply(connections, exchange, request);
    }
}

static void take_ended(sc__connections *connections)
{
    int left = 0;
    for (CURLMsg *m = curl_multi_info_read(connections->multi, &left); m;
         m = curl_multi_info_read(connections->multi, &left)) {
        if (m->msg != CURLMSG_DONE) continue;
        char *found = NULL;
        const CURLcode code = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &found);
        end(connections, ((sc__connection *)(void *)found)->exchange, code);
    }
}

// --- Time -----------------------------------------------------------------------------------

// It has left in time, and may now be answered until the deadline.
static bool has_just_left(sc__connections *connections, sc__exchange *exchange)
{
    if (exchange->is_sent || exchange->state != SC__RUNNING) return false;
    exchange->is_sent = sc__provider_request_is_sent(&exchange->connection->request);
    if (!exchange->is_sent) return false;
    sc_deadlines_cancel(&connections->timers, &exchange->timer);
    sc_deadlines_add(&connections->timers, exchange->deadline_us, exchange, &exchange->timer);
    return true;
}

static void run_out(sc__connections *connections, sc__exchange *exchange)
{
    sc_failure failure = exchange->is_sent ? SC_FAILURE_TIMEOUT : SC_FAILURE_UNSENT;
    if (exchange->failure && exchange->state == SC__WAITING) {
        // Tried before, it has failed for the reason of that try.
        failure = exchange->failure;
    } else if (exchange->is_sent) {
        sc_fail(exchange->diag, SC_ELATE, "the provider did not answer before the deadline");
    } else if (exchange->state == SC__RUNNING) {
        sc_fail(exchange->diag, SC_ELATE,
                "the provider did not accept a connection before the first deadline of a cloak, so "
                "the cloak was not sent");
    } else {
        sc_fail(exchange->diag, SC_ELATE,
                "no connection to the provider was free before the first deadline of a cloak, so "
                "the cloak was not sent; raise provider-connections");
    }
    bring_back(connections, exchange, failure);
}

static void ring_timers(sc__connections *connections, int64_t now_us)
{
    for (sc__exchange *exchange; (exchange = sc_deadlines_due(&connections->timers, now_us));) {
        if (exchange->state != SC__PAUSING) {
            if (!has_just_left(connections, exchange)) run_out(connections, exchange);
        } else if (!connections->hooks.may_go_on(connections->hooks.context, exchange)) {
            bring_back(connections, exchange, exchange->failure);
        } else {
            sc_deadlines_cancel(&connections->timers, &exchange->timer);
            wait_for_connection(connections, exchange);
        }
    }
}

static int wait_ms(const sc__connections *connections)
{
    return connections->timers.count > 0
               ? sc_clock_wait_ms(sc_clock_us(), sc_deadlines_next(&connections->timers))
               : LONGEST_MS;
}

// --- Its turns ------------------------------------------------------------------------------

// All that can be done without waiting.
static void go_on(sc__connections *connections)
{
    bool is_free = true;
    while (is_free && connections->timers.count > 0) {
        ring_timers(connections, sc_clock_us());
        begin_waiting(connections);
        int running = 0;
        curl_multi_perform(connections->multi, &running);
        take_ended(connections);
        // A line that has become free is for the next one, before we wait for anything.
        is_free = next_to_begin(connections) != NULL;
    }
}

static void bring_all_back(sc__connections *connections)
{
    for (sc__exchange *exchange; (exchange = sc_deadlines_first(&connections->timers));) {
        bring_back(connections, exchange, SC_FAILURE_STOPPED);
    }
}

static void *run(void *context)
{
    sc__connections *connections = context;
    pthread_setname_np(pthread_self(), "provider");
    bool is_stopping = false;
    for (;;) {
        take_inbox(connections, &is_stopping);
        if (is_stopping) break;
        go_on(connections);
        curl_multi_poll(connections->multi, NULL, 0, wait_ms(connections), NULL);
    }
    bring_all_back(connections);
    return NULL;
}

bool sc__connections_turn(sc__connections *connections)
{
    bool is_stopping = false;
    take_inbox(connections, &is_stopping);
    go_on(connections);
    return atomic_load(&connections->unread) > 0;
}

bool sc__connections_is_busy(const sc__connections *connections)
{
    return connections->timers.count > 0;
}

void sc__connections_poll(sc__connections *connections, struct pollfd *fds, size_t count,
                          int64_t wake_us)
{
    enum { MOST = 8 };
    struct curl_waitfd others[MOST];
    for (size_t i = 0; i < count; i++) {
        others[i] = (struct curl_waitfd){.fd = fds[i].fd, .events = CURL_WAIT_POLLIN};
    }
    const int64_t next_us =
        connections->timers.count > 0 ? sc_deadlines_next(&connections->timers) : INT64_MAX;
    const int64_t until_us = next_us < wake_us ? next_us : wake_us;
    const int wait = sc_clock_wait_ms(sc_clock_us(), until_us);
    curl_multi_poll(connections->multi, others, (unsigned)count, wait >= 0 ? wait : LONGEST_MS,
                    NULL);
    for (size_t i = 0; i < count; i++) {
        fds[i].revents = others[i].revents;
    }
}

// --- For others -----------------------------------------------------------------------------

void sc__connections_post(sc__connections *connections, sc__exchange *exchange)
{
    exchange->failure = SC_FAILURE_NONE;
    exchange->tries = 0;
    exchange->status = 0;
    exchange->reply = NULL;
    exchange->connection = NULL;
    exchange->is_sent = false;
    exchange->is_told = false;
    pthread_mutex_lock(&connections->lock);
    const bool was_empty = !connections->inbox.first;
    row_append(&connections->inbox, exchange);
    pthread_mutex_unlock(&connections->lock);
    if (was_empty && !connections->is_in_place) curl_multi_wakeup(connections->multi);
}

void sc__connections_forget(sc__connections *connections, sc__exchange *exchange)
{
    if (!exchange->reply) return;
    sc_free(exchange->reply);
    exchange->reply = NULL;
    const size_t before = atomic_fetch_sub(&connections->unread, exchange->reply_size);
    const bool goes_on = before > UNREAD_MAX && before - exchange->reply_size <= UNREAD_MAX;
    if (goes_on && !connections->is_in_place) curl_multi_wakeup(connections->multi);
}

sc__connections_counts sc__connections_counts_of(const sc__connections *connections)
{
    return (sc__connections_counts){
        .tries = atomic_load_explicit(&connections->tries, memory_order_relaxed),
        .bytes_out = atomic_load_explicit(&connections->bytes_out, memory_order_relaxed),
        .bytes_in = atomic_load_explicit(&connections->bytes_in, memory_order_relaxed)};
}

// --- Life -----------------------------------------------------------------------------------

static sc_err make_connections(sc__connections *connections, unsigned count, sc_diag *diag)
{
    connections->slots = sc_calloc(count, sizeof *connections->slots);
    if (!connections->slots) return sc_fail_memory(diag, "preparing to ask the provider");
    for (unsigned i = 0; i < count; i++) {
        sc__connection *connection = &connections->slots[i];
        connection->connections = connections;
        if (sc__provider_request_init(&connection->request, &connections->rules->rules,
                                      tell_leaving)) {
            return sc_fail(diag, SC_ENET, "the HTTP client (curl) cannot be initialised");
        }
        connection->rules = connections->rules;
        connection->rules->users++;
        connections->slot_count++;
        connection->next_free = connections->free_slots;
        connections->free_slots = connection;
    }
    return SC_OK;
}

sc_err sc__connections_new(const sc_courier_options *options, const sc__connections_hooks *hooks,
                           sc_rng *rng, sc__connections **out, sc_diag *diag)
{
    sc__connections *connections = sc_calloc(1, sizeof *connections);
    if (!connections) {
        sc_rng_free(rng);
        return sc_fail_memory(diag, "preparing to ask the provider");
    }
    connections->hooks = *hooks;
    connections->rng = rng;
    pthread_mutex_init(&connections->lock, NULL);
    sc_err err = sc__shared_rules_read(options, &connections->rules, diag);
    if (!err && (sc_deadlines_init(&connections->timers, options->max_errands) ||
                 sc_deadlines_init(&connections->waiting[false], options->max_errands) ||
                 sc_deadlines_init(&connections->waiting[true], options->max_errands))) {
        err = sc_fail_memory(diag, "preparing to ask the provider");
    }
    if (!err) err = make_connections(connections, options->connections, diag);
    if (!err) {
        connections->multi = curl_multi_init();
        if (!connections->multi || curl_multi_setopt(connections->multi, CURLMOPT_MAXCONNECTS,
                                                     (long)options->connections)) {
            err = sc_fail(diag, SC_ENET, "the HTTP client (curl) cannot be initialised");
        }
    }
    connections->is_in_place = options->threads == 0;
    if (!err && !connections->is_in_place)
        err = sc__thread_start(&connections->thread, run, connections, diag);
    if (err) {
        sc__connections_free(connections);
        return err;
    }
    connections->has_thread = !connections->is_in_place;
    *out = connections;
    return SC_OK;
}

void sc__connections_stop(sc__connections *connections)
{
    if (!connections) return;
    if (connections->is_in_place) {
        bool is_stopping = false;
        take_inbox(connections, &is_stopping);
        bring_all_back(connections);
    }
    if (!connections->has_thread) return;
    pthread_mutex_lock(&connections->lock);
    connections->is_stopping = true;
    pthread_mutex_unlock(&connections->lock);
    curl_multi_wakeup(connections->multi);
    pthread_join(connections->thread, NULL);
    connections->has_thread = false;
}

void sc__connections_free(sc__connections *connections)
{
    if (!connections) return;
    sc__connections_stop(connections);
    for (size_t i = 0; i < connections->slot_count; i++) {
        sc__provider_request_fini(&connections->slots[i].request);
        release_rules(connections->slots[i].rules);
    }
    sc_free(connections->slots);
    curl_multi_cleanup(connections->multi);
    release_rules(connections->rules);
    release_rules(connections->renewed);
    sc_deadlines_fini(&connections->timers);
    sc_deadlines_fini(&connections->waiting[false]);
    sc_deadlines_fini(&connections->waiting[true]);
    sc_rng_free(connections->rng);
    pthread_mutex_destroy(&connections->lock);
    sc_free(connections);
}
