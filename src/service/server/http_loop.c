// A loop: its thread, its events, the table of descriptors that it has to itself, and when it
// accepts connections.
//
// The table is why clients cannot use up the descriptors of the rest of the process: the limit is
// per table. It also needs care. What was open when the loop began is open in its table, too, and
// stays so until the loop ends, even if another thread closes it. Therefore loops begin together,
// before any of them has accepted anything, and each closes the sockets of the others at once.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/sanitizers.h"

#include <sched.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

// --- Accepting ---------------------------------------------------------------------------------
//
// Reasons not to accept are kept apart (SC__HTTP_STARVED, SC__HTTP_CLOSED), and a loop accepts when
// there is none. Who may stay is decided afterwards (http_admission.c).

// Long enough that a loop without descriptors does nothing but serve, short enough that no client
// minds.
static const struct timeval shortage = {.tv_usec = 100000};

static void pause_for(sc__http_loop *loop, unsigned reason)
{
    if (!loop->pauses) {
        for (size_t i = 0; i < loop->listener_count; i++) {
            evconnlistener_disable(loop->listeners[i].listener);
        }
    }
    loop->pauses |= reason;
}

static void resume_from(sc__http_loop *loop, unsigned reason)
{
    if (!(loop->pauses & reason)) return;
    loop->pauses &= ~reason;
    if (loop->pauses) return;
    for (size_t i = 0; i < loop->listener_count; i++) {
        evconnlistener_enable(loop->listeners[i].listener);
    }
}

// --- Accepting: as many as there are descriptors for -------------------------------------------

static void on_wake(evutil_socket_t fd, short what, void *context);

// libevent reports the failure to its own server, not to us. But our wake event is among the events
// of the same base, and knows its loop.
static int find_wake_event(const struct event_base *base, const struct event *event, void *found)
{
    (void)base;
    if (event_get_callback(event) != on_wake) return 0;
    *(void **)found = event_get_callback_arg(event);
    return 1;
}

void sc__http_accept_starved(sc__http_loop *loop)
{
    sc__http_count(&loop->accept_failures);
    pause_for(loop, SC__HTTP_STARVED);
    event_add(loop->retry_event, &shortage);
}

static void on_accept_failure(struct evconnlistener *listener, void *evhttp)
{
    (void)evhttp;
    sc__http_loop *loop = NULL;
    event_base_foreach_event(evconnlistener_get_base(listener), find_wake_event, &loop);
    if (loop) sc__http_accept_starved(loop);
}

static void on_retry(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    resume_from(context, SC__HTTP_STARVED);
}

// --- Accepting: beginning and end --------------------------------------------------------------

static void on_pace(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    sc__http_reply_pace(context);
}

static sc_err accept_begin(sc__http_loop *loop)
{
    loop->retry_event = evtimer_new(loop->base, on_retry, loop);
    loop->listeners = sc_calloc(loop->socket_count, sizeof *loop->listeners);
    if (!loop->retry_event || !loop->listeners) return SC_ENOMEM;
    while (loop->listener_count < loop->socket_count) {
        sc__http_listener *l = &loop->listeners[loop->listener_count];
        l->listener = evconnlistener_new(loop->base, NULL, NULL,
                                         LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_CLOSE_ON_FREE, 0,
                                         loop->sockets[loop->listener_count]);
        if (!l->listener) return SC_ENOMEM;
        loop->listener_count++;  // it has the socket now
        const bool is_admin = loop->listener_count > loop->public_count;
        l->bound = evhttp_bind_listener(
            loop->doors[is_admin ? SC__HTTP_ADMIN : SC__HTTP_PUBLIC].evhttp, l->listener);
        if (!l->bound) return SC_ENOMEM;
        evconnlistener_set_error_cb(l->listener, on_accept_failure);
    }
    return SC_OK;
}

/** Close the sockets for good. */
static void accept_end(sc__http_loop *loop)
{
    loop->pauses |= SC__HTTP_CLOSED;
    for (size_t i = 0; i < loop->listener_count; i++) {
        const sc__http_listener *l = &loop->listeners[i];
        if (l->bound) {
            const bool is_admin = i >= loop->public_count;
            evhttp_del_accept_socket(
                loop->doors[is_admin ? SC__HTTP_ADMIN : SC__HTTP_PUBLIC].evhttp, l->bound);
        } else {
            evconnlistener_free(l->listener);
        }
    }
    loop->listener_count = 0;
}

// --- Calls from outside ------------------------------------------------------------------------

void sc__http_loop_ring(const sc__http_loop *loop)
{
    const uint64_t once = 1;
    // It fails only if the counter is full, and then the loop wakes anyway.
    const ssize_t written = write(loop->wake_fd, &once, sizeof once);
    (void)written;
}

static const struct timeval last_requests = {.tv_usec = 50000};

static void drain(sc__http_loop *loop)
{
    loop->is_draining = true;
    accept_end(loop);
    // A request that is on its way still gets a reply; the rest is closed by the sweep.
    event_add(loop->sweep_event, &last_requests);
}

/** What is called when another thread has woken the loop. */
static void on_wake(evutil_socket_t fd, short what, void *context)
{
    (void)what;
    sc__http_loop *loop = context;
    uint64_t times = 0;
    const ssize_t got = read(fd, &times, sizeof times);
    (void)got;
    if (atomic_load(&loop->http->is_closed) && !loop->is_draining) drain(loop);
    if (atomic_load(&loop->http->is_ending)) event_base_loopbreak(loop->base);
    sc__http_admission_wake(loop);
}

static const int64_t forget_every_us = 10000000;

static void on_sweep(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    const sc__http_loop *loop = context;
    sc__http_connection_sweep(context);
    // That an address was here is of no use once it may have all again.
    const int64_t now_us = sc_clock_us();
    if (loop->index != 0 || now_us < loop->http->forget_us) return;
    loop->http->forget_us = now_us + forget_every_us;
    sc_rate_limit_forget(loop->http->bytes, now_us);
    sc_rate_limit_forget(loop->http->handshakes, now_us);
}

static void tidy(sc__http_loop *loop)
{
    sc__http_connection_adopt(loop);
    sc__http_refusal_rewrite(loop);
    sc__http_connection_close_stage(loop, SC__HTTP_DOOMED);
}

static void on_tidy(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    tidy(context);
}

void sc__http_loop_tidy_soon(sc__http_loop *loop)
{
    event_active(loop->tidy_event, EV_TIMEOUT, 1);
}

static void on_call(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    const sc__http_call *call = context;
    call->call(call->context, call->loop->index);
}

// --- Setting up --------------------------------------------------------------------------------

static struct timeval timeval_of(double seconds)
{
    const int64_t us = (int64_t)(seconds * 1e6 + 0.5);
    return (struct timeval){.tv_sec = us / 1000000, .tv_usec = us % 1000000};
}

/** Often enough that no time limit is exceeded by more than a quarter, or by a second. */
static struct timeval sweep_period(const sc_http_options *o)
{
    double least = o->request_timeout_s;
    if (o->idle_timeout_s < least) least = o->idle_timeout_s;
    if (o->write_timeout_s < least) least = o->write_timeout_s;
    const double period = least / 4.0;
    return timeval_of(period > 1.0 ? 1.0 : period < 0.01 ? 0.01 : period);
}

// No locks: only its thread touches it. With a list of changes, a descriptor that is disabled
// and enabled between two waits, as libevent does for every request, costs one system call and not
// two. But it also lets go of a descriptor only after it was closed, when in a table that is shared
// another thread may have got its number.
static struct event_base *make_base(bool has_own_table)
{
    struct event_config *config = event_config_new();
    if (!config) return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV);
    if (has_own_table) event_config_set_flag(config, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
    struct event_base *base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

static sc_err make_server(sc__http_loop *loop, bool is_admin)
{
    const sc_http_options *o = &loop->http->options;
    sc__http_door *door = &loop->doors[is_admin ? SC__HTTP_ADMIN : SC__HTTP_PUBLIC];
    struct evhttp *evhttp = evhttp_new(loop->base);
    if (!evhttp) return SC_ENOMEM;
    *door = (sc__http_door){.loop = loop, .is_admin = is_admin, .evhttp = evhttp};
    evhttp_set_max_headers_size(evhttp, (ev_ssize_t)o->max_header_bytes);
    evhttp_set_max_body_size(evhttp, (ev_ssize_t)o->max_body_bytes);
    evhttp_set_default_content_type(evhttp, NULL);
    evhttp_set_allowed_methods(evhttp, UINT16_MAX);  // the handler refuses those it has not
    evhttp_set_bevcb(evhttp, sc__http_connection_born, door);
    evhttp_set_gencb(evhttp, sc__http_request_arrived, door);
    // Only for a connection that, for want of memory, is none of ours: see
    // sc__http_connection_born().
    const struct timeval limit = timeval_of(o->request_timeout_s);
    evhttp_set_timeout_tv(evhttp, &limit);
    return SC_OK;
}

/** An event that happens again and again; NULL if memory is out. */
static struct event *repeat(sc__http_loop *loop, int fd, const struct timeval *period,
                            event_callback_fn callback, void *context)
{
    struct event *event = event_new(
        loop->base, fd, (short)(fd < 0 ? EV_PERSIST : EV_READ | EV_PERSIST), callback, context);
    if (event && event_add(event, period)) {
        event_free(event);
        event = NULL;
    }
    return event;
}

static sc_err make_calls(sc__http_loop *loop)
{
    for (size_t i = 0; i < loop->call_count; i++) {
        sc__http_call *call = &loop->calls[i];
        const struct timeval period = timeval_of(call->seconds);
        call->event = repeat(loop, call->fd, call->fd < 0 ? &period : NULL, on_call, call);
        if (!call->event) return SC_ENOMEM;
    }
    return SC_OK;
}

static sc_err set_up(sc__http_loop *loop)
{
    for (int stage = 0; stage < SC__HTTP_STAGES; stage++) {
        TAILQ_INIT(&loop->stages[stage]);
    }
    TAILQ_INIT(&loop->reserve);
    TAILQ_INIT(&loop->paced);
    loop->base = make_base(loop->has_own_table);
    if (!loop->base) return SC_ENOMEM;
    const struct timeval period = sweep_period(&loop->http->options);
    loop->wake_event = repeat(loop, loop->wake_fd, NULL, on_wake, loop);
    loop->sweep_event = repeat(loop, -1, &period, on_sweep, loop);
    loop->tidy_event = event_new(loop->base, -1, 0, on_tidy, loop);
    loop->pace_event = evtimer_new(loop->base, on_pace, loop);
    if (!loop->pace_event || !loop->wake_event || !loop->sweep_event || !loop->tidy_event)
        return SC_ENOMEM;
    sc_err err = make_server(loop, false);
    if (!err) err = make_server(loop, true);
    if (!err) err = make_calls(loop);
    if (!err) err = accept_begin(loop);
    return err;
}

static void free_event(struct event *event)
{
    if (event) event_free(event);
}

/** Close all that is open; `gone` of each open request is called. */
static void tear_down(sc__http_loop *loop)
{
    if (loop->doors[SC__HTTP_PUBLIC].evhttp) {
        tidy(loop);
        for (int stage = 0; stage < SC__HTTP_STAGES; stage++) {
            sc__http_connection_close_stage(loop, (sc__http_stage)stage);
        }
        accept_end(loop);
    }
    for (int i = 0; i < SC__HTTP_DOORS; i++) {
        if (loop->doors[i].evhttp) evhttp_free(loop->doors[i].evhttp);
    }
    for (size_t i = 0; i < loop->call_count; i++) {
        free_event(loop->calls[i].event);
    }
    free_event(loop->retry_event);
    free_event(loop->tidy_event);
    free_event(loop->pace_event);
    free_event(loop->sweep_event);
    free_event(loop->wake_event);
    if (loop->base) event_base_free(loop->base);
    sc_free(loop->listeners);
    sc_free(loop->by_fd);
    sc__http_wipe_free(loop->scratch);
}

// --- The thread --------------------------------------------------------------------------------

// The thread sanitizer takes equal numbers for the same descriptor, whatever table they are of;
// with one table for all it has nothing to complain of.
enum { MAY_HAVE_OWN_TABLE = !SC_UNDER_THREAD_SANITIZER };

static void take_own_table(sc__http_loop *loop)
{
    const sc_http *http = loop->http;
    loop->has_own_table = MAY_HAVE_OWN_TABLE && unshare(CLONE_FILES) == 0;
    if (!loop->has_own_table) return;
    for (unsigned i = 0; i < http->options.loops; i++) {
        const sc__http_loop *other = &http->loops[i];
        for (size_t s = 0; s < other->socket_count && other != loop; s++) {
            close(other->sockets[s]);
        }
    }
    for (size_t i = 0; i < http->options.inherited_count; i++) {
        close(http->options.inherited[i]);
    }
}

/** Say that this loop is ready, and wait for all others; false if one of them cannot begin. */
static bool pass_gate(const sc__http_loop *loop)
{
    sc_http *http = loop->http;
    pthread_mutex_lock(&http->lock);
    http->ready_count++;
    pthread_cond_broadcast(&http->changed);
    while (http->gate == SC__HTTP_GATE_SHUT) {
        pthread_cond_wait(&http->changed, &http->lock);
    }
    const bool open = http->gate == SC__HTTP_GATE_OPEN;
    pthread_mutex_unlock(&http->lock);
    return open;
}

void *sc__http_loop_run(void *context)
{
    sc__http_loop *loop = context;
    char name[16];
    snprintf(name, sizeof name, "http-%u", loop->index);
    pthread_setname_np(pthread_self(), name);
    take_own_table(loop);
    loop->trouble = set_up(loop);
    if (pass_gate(loop)) event_base_dispatch(loop->base);
    tear_down(loop);
    return NULL;
}
