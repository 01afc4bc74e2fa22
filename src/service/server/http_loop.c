// A loop: its thread, its events, and the table of descriptors that it has to itself.
//
// The table is why clients cannot use up the descriptors of the rest of the process: the limit is
// per table. It also asks for care. What was open when the loop began is open in its table, too,
// and stays so until the loop ends, whoever else closes it. Therefore loops begin together, before
// any of them has accepted anything, and each closes the sockets of the others at once.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/sanitizers.h"

#include <sched.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

// --- Calls from outside --------------------------------------------------------------------------

void sc__loop_ring(const sc__loop *loop)
{
    const uint64_t once = 1;
    // It fails only if the bell is ringing as loudly as it can.
    const ssize_t written = write(loop->bell, &once, sizeof once);
    (void)written;
}

static void drain(sc__loop *loop)
{
    loop->is_draining = true;
    sc__accept_end(loop);
    sc__connection_close_stage(loop, SC__IDLE);
}

void sc__loop_on_bell(evutil_socket_t fd, short what, void *context)
{
    (void)what;
    sc__loop *loop = context;
    uint64_t times = 0;
    const ssize_t got = read(fd, &times, sizeof times);
    (void)got;
    if (atomic_load(&loop->http->is_closed) && !loop->is_draining) drain(loop);
    if (atomic_load(&loop->http->is_ending)) event_base_loopbreak(loop->base);
    sc__accept_if_places(loop);
}

static void on_sweep(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    sc__connection_sweep(context);
}

static void tidy(sc__loop *loop)
{
    sc__connection_adopt(loop);
    sc__refusal_rewrite(loop);
    sc__connection_close_stage(loop, SC__DOOMED);
}

static void on_tidy(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    tidy(context);
}

void sc__loop_tidy_soon(sc__loop *loop)
{
    event_active(loop->tidy_event, EV_TIMEOUT, 1);
}

static void on_call(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    const sc__call *call = context;
    call->call(call->context, call->loop->index);
}

// --- Setting up ----------------------------------------------------------------------------------

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

// No locks: nobody but its thread touches it. With a list of changes, a descriptor that is disabled
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

static sc_err make_server(sc__loop *loop)
{
    const sc_http_options *o = &loop->http->options;
    loop->evhttp = evhttp_new(loop->base);
    if (!loop->evhttp) return SC_ENOMEM;
    evhttp_set_max_headers_size(loop->evhttp, (ev_ssize_t)o->max_header_bytes);
    evhttp_set_max_body_size(loop->evhttp, (ev_ssize_t)o->max_body_bytes);
    evhttp_set_default_content_type(loop->evhttp, NULL);
    evhttp_set_allowed_methods(loop->evhttp, UINT16_MAX);  // the handler says which it has
    evhttp_set_bevcb(loop->evhttp, sc__connection_born, loop);
    evhttp_set_gencb(loop->evhttp, sc__request_arrived, loop);
    // Only for a connection that, for want of memory, is none of ours: see sc__connection_born().
    const struct timeval limit = timeval_of(o->request_timeout_s);
    evhttp_set_timeout_tv(loop->evhttp, &limit);
    return SC_OK;
}

/** An event that happens again and again; NULL if memory is out. */
static struct event *repeat(sc__loop *loop, int fd, const struct timeval *period,
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

static sc_err make_calls(sc__loop *loop)
{
    for (size_t i = 0; i < loop->call_count; i++) {
        sc__call *call = &loop->calls[i];
        const struct timeval period = timeval_of(call->seconds);
        call->event = repeat(loop, call->fd, call->fd < 0 ? &period : NULL, on_call, call);
        if (!call->event) return SC_ENOMEM;
    }
    return SC_OK;
}

static sc_err set_up(sc__loop *loop)
{
    for (int stage = 0; stage < SC__STAGES; stage++) {
        TAILQ_INIT(&loop->stages[stage]);
    }
    loop->base = make_base(loop->has_own_table);
    if (!loop->base) return SC_ENOMEM;
    const struct timeval period = sweep_period(&loop->http->options);
    loop->bell_event = repeat(loop, loop->bell, NULL, sc__loop_on_bell, loop);
    loop->sweep_event = repeat(loop, -1, &period, on_sweep, loop);
    loop->tidy_event = event_new(loop->base, -1, 0, on_tidy, loop);
    if (!loop->bell_event || !loop->sweep_event || !loop->tidy_event) return SC_ENOMEM;
    sc_err err = make_server(loop);
    if (!err) err = make_calls(loop);
    if (!err) err = sc__accept_begin(loop);
    return err;
}

static void free_event(struct event *event)
{
    if (event) event_free(event);
}

/** Whatever is open is closed: each request is told. */
static void tear_down(sc__loop *loop)
{
    if (loop->evhttp) {
        tidy(loop);
        for (int stage = 0; stage < SC__STAGES; stage++) {
            sc__connection_close_stage(loop, (sc__stage)stage);
        }
        sc__accept_end(loop);
        evhttp_free(loop->evhttp);
    }
    for (size_t i = 0; i < loop->call_count; i++) {
        free_event(loop->calls[i].event);
    }
    free_event(loop->retry_event);
    free_event(loop->tidy_event);
    free_event(loop->sweep_event);
    free_event(loop->bell_event);
    if (loop->base) event_base_free(loop->base);
    sc_free(loop->listeners);
    sc_free(loop->by_fd);
    sc__wipe_free(loop->scratch);
}

// --- The thread ----------------------------------------------------------------------------------

// The thread sanitizer takes equal numbers for the same descriptor, whatever table they are of;
// with one table for all it has nothing to complain of.
enum { MAY_HAVE_OWN_TABLE = !SC_UNDER_THREAD_SANITIZER };

static void take_own_table(sc__loop *loop)
{
    const sc_http *http = loop->http;
    loop->has_own_table = MAY_HAVE_OWN_TABLE && unshare(CLONE_FILES) == 0;
    if (!loop->has_own_table) return;
    for (unsigned i = 0; i < http->options.loops; i++) {
        const sc__loop *other = &http->loops[i];
        for (size_t s = 0; s < other->socket_count && other != loop; s++) {
            close(other->sockets[s]);
        }
    }
    for (size_t i = 0; i < http->options.inherited_count; i++) {
        close(http->options.inherited[i]);
    }
}

/** Say that this loop is ready, and wait for all others; false if one of them cannot begin. */
static bool pass_gate(const sc__loop *loop)
{
    sc_http *http = loop->http;
    pthread_mutex_lock(&http->lock);
    http->ready_count++;
    pthread_cond_broadcast(&http->changed);
    while (http->gate == SC__GATE_SHUT) {
        pthread_cond_wait(&http->changed, &http->lock);
    }
    const bool open = http->gate == SC__GATE_OPEN;
    pthread_mutex_unlock(&http->lock);
    return open;
}

void *sc__loop_run(void *context)
{
    sc__loop *loop = context;
    char name[16];
    snprintf(name, sizeof name, "http-%u", loop->index);
    pthread_setname_np(pthread_self(), name);
    take_own_table(loop);
    loop->trouble = set_up(loop);
    if (pass_gate(loop)) event_base_dispatch(loop->base);
    tear_down(loop);
    return NULL;
}
