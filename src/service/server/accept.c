// When a loop accepts connections, and when it does not.
//
// Reasons not to are kept apart (SC__FULL, SC__STARVED, SC__CLOSED), and it accepts when there is
// none. Whoever is not accepted waits in the kernel's queue. Loops share one number of connections:
// each stops by itself when it sees it reached, so that it may be exceeded by one per other loop,
// and whoever closes a connection calls those that wait for a place.
#include "server/http_internal.h"

#include "base/alloc.h"

// Long enough that a loop without descriptors does nothing but serve, short enough that nobody
// minds.
static const struct timeval shortage = {.tv_usec = 100000};

static void pause_for(sc__loop *loop, unsigned reason)
{
    if (!loop->pauses) {
        for (size_t i = 0; i < loop->listener_count; i++) {
            evconnlistener_disable(loop->listeners[i].listener);
        }
    }
    loop->pauses |= reason;
}

static void resume_from(sc__loop *loop, unsigned reason)
{
    if (!(loop->pauses & reason)) return;
    loop->pauses &= ~reason;
    if (loop->pauses) return;
    for (size_t i = 0; i < loop->listener_count; i++) {
        evconnlistener_enable(loop->listeners[i].listener);
    }
}

// --- As many as are allowed ----------------------------------------------------------------------

static bool has_places(const sc_http *http)
{
    return atomic_load(&http->connections) < http->options.max_connections;
}

void sc__accept_if_places(sc__loop *loop)
{
    if (!(loop->pauses & SC__FULL) || !has_places(loop->http)) return;
    atomic_fetch_and(&loop->http->full_loops, ~(UINT64_C(1) << loop->index));
    resume_from(loop, SC__FULL);
}

void sc__accept_count_in(sc__loop *loop)
{
    sc_http *http = loop->http;
    sc__count(&loop->accepted);
    if (atomic_fetch_add(&http->connections, 1) + 1 < http->options.max_connections) return;
    pause_for(loop, SC__FULL);
    // First the mark, then one more look: a place that is freed in between is seen by one side.
    atomic_fetch_or(&http->full_loops, UINT64_C(1) << loop->index);
    sc__accept_if_places(loop);
}

void sc__accept_count_out(sc__loop *loop)
{
    sc_http *http = loop->http;
    atomic_fetch_sub(&http->connections, 1);
    uint64_t waiting = atomic_load(&http->full_loops);
    for (unsigned i = 0; waiting; i++, waiting >>= 1) {
        if (waiting & 1) sc__loop_ring(&http->loops[i]);
    }
}

// --- As many as there are descriptors for --------------------------------------------------------

// libevent tells its own server of the failure, not us. But our bell is among the events of the
// same base, and knows its loop.
static int find_bell(const struct event_base *base, const struct event *event, void *found)
{
    (void)base;
    if (event_get_callback(event) != sc__loop_on_bell) return 0;
    *(void **)found = event_get_callback_arg(event);
    return 1;
}

void sc__accept_starved(sc__loop *loop)
{
    sc__count(&loop->accept_failures);
    pause_for(loop, SC__STARVED);
    event_add(loop->retry_event, &shortage);
}

static void on_accept_failure(struct evconnlistener *listener, void *evhttp)
{
    (void)evhttp;
    sc__loop *loop = NULL;
    event_base_foreach_event(evconnlistener_get_base(listener), find_bell, &loop);
    if (loop) sc__accept_starved(loop);
}

static void on_retry(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    resume_from(context, SC__STARVED);
}

// --- Beginning and end ---------------------------------------------------------------------------

sc_err sc__accept_begin(sc__loop *loop)
{
    loop->retry_event = evtimer_new(loop->base, on_retry, loop);
    loop->listeners = sc_calloc(loop->socket_count, sizeof *loop->listeners);
    if (!loop->retry_event || !loop->listeners) return SC_ENOMEM;
    while (loop->listener_count < loop->socket_count) {
        sc__listener *l = &loop->listeners[loop->listener_count];
        l->listener = evconnlistener_new(loop->base, NULL, NULL,
                                         LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_CLOSE_ON_FREE, 0,
                                         loop->sockets[loop->listener_count]);
        if (!l->listener) return SC_ENOMEM;
        loop->listener_count++;  // it has the socket now
        l->bound = evhttp_bind_listener(loop->evhttp, l->listener);
        if (!l->bound) return SC_ENOMEM;
        evconnlistener_set_error_cb(l->listener, on_accept_failure);
    }
    return SC_OK;
}

void sc__accept_end(sc__loop *loop)
{
    loop->pauses |= SC__CLOSED;
    for (size_t i = 0; i < loop->listener_count; i++) {
        const sc__listener *l = &loop->listeners[i];
        if (l->bound) {
            evhttp_del_accept_socket(loop->evhttp, l->bound);
        } else {
            evconnlistener_free(l->listener);
        }
    }
    loop->listener_count = 0;
}
