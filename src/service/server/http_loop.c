// A loop: its thread, the events that it waits for, the table of descriptors that it has to itself,
// and when it accepts connections.
//
// Each round waits for events, looks at all of them, goes on with connections that asked for that,
// calls what is due by time and what shares the thread (sc_http_host()), and frees what was closed.
// Nothing else is done in between, so that a pointer in an event that was not looked at yet is
// never one to memory that is gone.
//
// The table is why clients cannot use up the descriptors of the rest of the process: the limit is
// per table. It also needs care. What was open when the loop began is open in its table, too, and
// stays so until the loop ends, even if another thread closes it. Therefore loops begin together,
// before any of them has accepted anything, and each closes the sockets of the others at once.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/pace.h"
#include "base/sanitizers.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

// --- Events ------------------------------------------------------------------------------------

/** `source`: the first member of what is to be told. */
// NOLINTNEXTLINE(readability-non-const-parameter): it comes back as something that is changed
static bool watch(const sc__http_loop *loop, int fd, uint32_t events, sc__http_source *source)
{
    struct epoll_event event = {.events = events, .data = {.ptr = source}};
    return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool sc__http_loop_watch(sc__http_connection *connection)
{
    return watch(connection->loop, connection->fd,
                 EPOLLIN | EPOLLOUT | EPOLLRDHUP | (uint32_t)EPOLLET, &connection->source);
}

void sc__http_loop_again(sc__http_connection *connection)
{
    if (connection->is_again) return;
    connection->is_again = true;
    TAILQ_INSERT_TAIL(&connection->loop->again, connection, again_link);
}

void sc__http_loop_send_soon(sc__http_connection *connection)
{
    if (connection->is_to_send) return;
    connection->is_to_send = true;
    TAILQ_INSERT_TAIL(&connection->loop->to_send, connection, send_link);
}

// --- Accepting ---------------------------------------------------------------------------------
//
// Reasons not to accept are kept apart (SC__HTTP_STARVED, SC__HTTP_CLOSED), and a loop accepts when
// there is none. Who may stay is decided afterwards (http_admission.c).

// Long enough that a loop without descriptors does nothing but serve, short enough that no client
// minds.
static const int64_t shortage_us = 100000;

/** In one round, so that those that are there get their turn. */
enum { ACCEPTED_AT_ONCE = 64 };

static void accept_pause(sc__http_loop *loop, unsigned reason)
{
    if (!loop->pauses) {
        for (size_t i = 0; i < loop->listener_count; i++) {
            (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, loop->listeners[i].fd, NULL);
        }
    }
    loop->pauses |= reason;
}

/** A socket may be several loops': one of them is woken for a connection. */
static bool accept_from(sc__http_loop *loop, sc__http_listener *listener)
{
    return watch(loop, listener->fd, EPOLLIN | EPOLLEXCLUSIVE, &listener->source);
}

static void accept_resume(sc__http_loop *loop, unsigned reason)
{
    if (!(loop->pauses & reason)) return;
    loop->pauses &= ~reason;
    if (loop->pauses) return;
    for (size_t i = 0; i < loop->listener_count; i++) {
        if (!accept_from(loop, &loop->listeners[i])) {
            sc__http_accept_starved(loop);
            return;
        }
    }
}

void sc__http_accept_starved(sc__http_loop *loop)
{
    sc__http_count(&loop->accept_failures);
    accept_pause(loop, SC__HTTP_STARVED);
    loop->retry_us = loop->now_us + shortage_us;
}

static void accept_some(sc__http_loop *loop, const sc__http_listener *listener)
{
    for (int i = 0; i < ACCEPTED_AT_ONCE && !loop->pauses; i++) {
        struct sockaddr_storage address = {0};
        socklen_t size = sizeof address;
        const int fd =
            accept4(listener->fd, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            sc__http_connection_open(loop, fd, (const struct sockaddr *)&address,
                                     listener->is_admin);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            sc__http_accept_starved(loop);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return;
        }  // else one that has gone again
    }
}

static sc_err accept_begin(sc__http_loop *loop)
{
    loop->listeners = sc_calloc(loop->socket_count, sizeof *loop->listeners);
    if (!loop->listeners) return SC_ENOMEM;
    for (; loop->listener_count < loop->socket_count; loop->listener_count++) {
        sc__http_listener *listener = &loop->listeners[loop->listener_count];
        *listener = (sc__http_listener){.source = SC__HTTP_SOURCE_LISTENER,
                                        .fd = loop->sockets[loop->listener_count],
                                        .is_admin = loop->listener_count >= loop->public_count};
    }
    for (size_t i = 0; i < loop->listener_count; i++) {
        if (!accept_from(loop, &loop->listeners[i])) return SC_ENOMEM;
    }
    return SC_OK;
}

/** Close the sockets for good. */
static void accept_end(sc__http_loop *loop)
{
    if (loop->pauses & SC__HTTP_CLOSED) return;
    accept_pause(loop, SC__HTTP_CLOSED);
    for (size_t i = 0; i < loop->listener_count; i++) {
        close(loop->listeners[i].fd);
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

static const int64_t last_requests_us = 50000;

static void drain(sc__http_loop *loop)
{
    loop->is_draining = true;
    accept_end(loop);
    sc__http_connection *connection = NULL;
    TAILQ_FOREACH(connection, &loop->http2, http2_link)
    {
        sc__http_loop_send_soon(connection);
    }
    // A request that is on its way still gets a reply; the rest is closed by the sweep.
    loop->sweep_us = loop->now_us + last_requests_us;
}

/** Another thread has woken the loop. */
static void wake(sc__http_loop *loop)
{
    uint64_t times = 0;
    const ssize_t got = read(loop->wake_fd, &times, sizeof times);
    (void)got;
    if (atomic_load(&loop->http->is_closed) && !loop->is_draining) drain(loop);
    if (atomic_load(&loop->http->is_ending)) loop->is_over = true;
    sc__http_admission_wake(loop);
}

// --- By time -----------------------------------------------------------------------------------

static const int64_t forget_every_us = 10000000;

/** Often enough that no time limit is exceeded by more than a quarter, or by a second. */
static int64_t sweep_period_us(const sc_http_options *o)
{
    double least = o->request_timeout_s;
    if (o->idle_timeout_s < least) least = o->idle_timeout_s;
    if (o->write_timeout_s < least) least = o->write_timeout_s;
    const double period = least / 4.0;
    return (int64_t)((period > 1.0 ? 1.0 : period < 0.01 ? 0.01 : period) * 1e6);
}

static void sweep(sc__http_loop *loop)
{
    sc_http *http = loop->http;
    loop->sweep_us = loop->now_us + sweep_period_us(&http->options);
    sc__http_connection_sweep(loop);
    // That an address was here is of no use once it may have all again.
    if (loop->index != 0 || loop->now_us < http->forget_us) return;
    http->forget_us = loop->now_us + forget_every_us;
    sc_rate_limit_forget(http->bytes, loop->now_us);
    sc_rate_limit_forget(http->handshakes, loop->now_us);
}

/** Milliseconds until something is due; rounded up, so that it is due then. */
static int patience_ms(const sc__http_loop *loop)
{
    if (!TAILQ_EMPTY(&loop->again)) return 0;
    int64_t next = loop->sweep_us;
    if (loop->pace_us < next) next = loop->pace_us;
    if (loop->retry_us < next) next = loop->retry_us;
    if (loop->hosted && loop->hosted_us < next) next = loop->hosted_us;
    for (size_t i = 0; i < loop->call_count; i++) {
        const sc__http_call *call = &loop->calls[i];
        if (call->fd < 0 && call->due_us < next) next = call->due_us;
    }
    const int64_t left_us = next - sc_clock_us();
    return left_us <= 0 ? 0 : (int)((left_us + 999) / 1000);
}

static void call_what_is_due(sc__http_loop *loop)
{
    if (loop->now_us >= loop->retry_us) {
        loop->retry_us = INT64_MAX;
        accept_resume(loop, SC__HTTP_STARVED);
    }
    if (loop->now_us >= loop->pace_us) {
        loop->pace_us = INT64_MAX;
        sc__http_reply_pace(loop);
    }
    for (size_t i = 0; i < loop->call_count; i++) {
        sc__http_call *call = &loop->calls[i];
        if (call->fd >= 0 || loop->now_us < call->due_us) continue;
        const int64_t period_us = (int64_t)(call->seconds * 1e6 + 0.5);
        call->due_us += period_us;
        if (call->due_us <= loop->now_us) call->due_us = loop->now_us + period_us;
        call->call(call->context, loop->index);
    }
    if (loop->now_us >= loop->sweep_us) sweep(loop);
}

// --- Rounds ------------------------------------------------------------------------------------

/** Looked at in one round. */
enum { EVENTS = 256 };

static void look_at(sc__http_loop *loop, const struct epoll_event *event)
{
    void *source = event->data.ptr;
    switch (*(const sc__http_source *)source) {
    case SC__HTTP_SOURCE_WAKE:
        wake(loop);
        break;
    case SC__HTTP_SOURCE_LISTENER:
        accept_some(loop, source);
        break;
    case SC__HTTP_SOURCE_CALL: {
        const sc__http_call *call = source;
        call->call(call->context, loop->index);
        break;
    }
    case SC__HTTP_SOURCE_CONNECTION:
        sc__http_connection_event(source, event->events);
        break;
    }
}

/** Most connections have not been touched for long: prefetch the next one while this one is read.
 */
static void prefetch_next(const struct epoll_event *event)
{
    // Nothing happens if it is something smaller, or if memory ends there.
    sc__http_connection_prefetch(event->data.ptr);
}

/** Those that asked for it before this round: one that asks again waits for the next. */
static void go_on(sc__http_loop *loop)
{
    struct sc__http_connections those = TAILQ_HEAD_INITIALIZER(those);
    TAILQ_CONCAT(&those, &loop->again, again_link);
    sc__http_connection *connection = NULL;
    while ((connection = TAILQ_FIRST(&those))) {
        TAILQ_REMOVE(&those, connection, again_link);
        connection->is_again = false;
        if (connection->fd >= 0) sc__http_connection_read(connection);
    }
}

/** Replies of HTTP/2 that were collected in this round. */
static void send_collected(sc__http_loop *loop)
{
    sc__http_connection *connection = NULL;
    while ((connection = TAILQ_FIRST(&loop->to_send))) {
        TAILQ_REMOVE(&loop->to_send, connection, send_link);
        connection->is_to_send = false;
        sc__http2_send(connection);
    }
}

/** Between two rounds of a busy loop with work of others. With a millisecond the time added beyond
 * waiting was 1.0 ms at the median instead of 0.4, and no difference of processor time was seen. */
enum { ROUND_US = 500 };

static void keep_pace(const sc__http_loop *loop, sc_pace *pace)
{
    // What is due by time can wait as requests do; what cannot wait is due at 0.
    if (!TAILQ_EMPTY(&loop->again) || loop->hosted_us == 0) return;
    sc_pace_sleep(sc_pace_next(pace, ROUND_US, sc_clock_us()));
}

static void run_hosted(sc__http_loop *loop)
{
    const int64_t wake_us = loop->hosted(loop->hosted_context);
    loop->hosted_us = wake_us > 0 ? wake_us : 0;
}

static void run(sc__http_loop *loop)
{
    struct epoll_event events[EVENTS];
    sc_pace pace = {0};
    while (!loop->is_over) {
        if (loop->hosted) keep_pace(loop, &pace);
        const int count = epoll_wait(loop->epoll_fd, events, EVENTS, patience_ms(loop));
        loop->now_us = sc_clock_us();
        for (int i = 0; i < count; i++) {
            if (i + 1 < count) prefetch_next(&events[i + 1]);
            look_at(loop, &events[i]);
        }
        go_on(loop);
        call_what_is_due(loop);
        if (loop->hosted) run_hosted(loop);
        send_collected(loop);
        sc__http_connection_close_stage(loop, SC__HTTP_DOOMED);
        // What is hosted may have been told of a client that went, and is to look at once.
        if (!TAILQ_EMPTY(&loop->closed)) loop->hosted_us = 0;
        sc__http_connection_free_closed(loop);
    }
}

// --- Setting up --------------------------------------------------------------------------------

static sc_err watch_calls(sc__http_loop *loop)
{
    for (size_t i = 0; i < loop->call_count; i++) {
        sc__http_call *call = &loop->calls[i];
        call->source = SC__HTTP_SOURCE_CALL;
        call->due_us = loop->now_us + (int64_t)(call->seconds * 1e6 + 0.5);
        if (call->fd >= 0 && !watch(loop, call->fd, EPOLLIN, &call->source)) return SC_ENOMEM;
    }
    return SC_OK;
}

static sc_err set_up(sc__http_loop *loop)
{
    for (int stage = 0; stage < SC__HTTP_STAGES; stage++) {
        TAILQ_INIT(&loop->stages[stage]);
    }
    TAILQ_INIT(&loop->again);
    TAILQ_INIT(&loop->reserve);
    TAILQ_INIT(&loop->paced);
    TAILQ_INIT(&loop->http2);
    TAILQ_INIT(&loop->to_send);
    TAILQ_INIT(&loop->closed);
    loop->wake_source = SC__HTTP_SOURCE_WAKE;
    loop->now_us = sc_clock_us();
    loop->sweep_us = loop->now_us + sweep_period_us(&loop->http->options);
    loop->pace_us = INT64_MAX;
    loop->retry_us = INT64_MAX;
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll_fd < 0) return SC_ENOMEM;
    if (!watch(loop, loop->wake_fd, EPOLLIN, &loop->wake_source)) return SC_ENOMEM;
    const sc_err err = watch_calls(loop);
    return err ? err : accept_begin(loop);
}

/** Close all that is open; `gone` of each open request is called. */
static void tear_down(sc__http_loop *loop)
{
    for (int stage = 0; stage < SC__HTTP_STAGES; stage++) {
        sc__http_connection_close_stage(loop, (sc__http_stage)stage);
    }
    sc__http_connection_free_closed(loop);
    accept_end(loop);
    if (loop->epoll_fd >= 0) close(loop->epoll_fd);
    sc_free(loop->listeners);
    sc__http_blocks_free(loop);
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
    if (pass_gate(loop)) run(loop);
    tear_down(loop);
    return NULL;
}
