// Requests that never reach the handler: malformed, too large, too slow.
//
// libevent answers those that it cannot read with pages of its own, which cannot be turned off. But
// they pass through a buffer that we watch, and are not sent before the callback at work has
// returned: that is when ours takes their place.
//
// After a refusal the client may still be sending. Closing at once would make its kernel throw our
// reply away unread, so what still comes is taken and forgotten, for a short time.
#include "server/http_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROBLEM_ROOM = 2048, START_ROOM = 32 };

// --- Noticing ------------------------------------------------------------------------------------

/** The status of a reply that begins with "HTTP/1.1 400 Bad Request"; 0 if it is none. */
static int status_in(struct evbuffer *buffer)
{
    // The version is the client's, as far as it is a number.
    char start[START_ROOM] = "";
    if (evbuffer_copyout(buffer, start, sizeof start - 1) < 0) return 0;
    const char *blank = strchr(start, ' ');
    return blank ? (int)strtol(blank, NULL, 10) : 0;
}

void sc__refusal_notice(sc__connection *connection)
{
    const int status = status_in(bufferevent_get_output(connection->stream));
    if (status < 400) return;  // 100 Continue
    // It says 400 for a head that is too large as well.
    const bool is_large = connection->received > connection->loop->http->options.max_header_bytes;
    connection->refusal = status == 400 && is_large ? 431 : status;
    sc__connection_enter(connection, SC__REFUSED);
    sc__loop_tidy_soon(connection->loop);
}

void sc__refusal_rewrite(sc__loop *loop)
{
    sc__connection *connection = NULL;
    while ((connection = TAILQ_FIRST(&loop->stages[SC__REFUSED]))) {
        sc__http_refuse(connection, connection->refusal);
    }
}

// --- Lingering -----------------------------------------------------------------------------------

// libevent may call this with an argument of its own: nothing but the stream is of use.
static void discard(struct bufferevent *stream, void *context)
{
    (void)context;
    struct evbuffer *input = bufferevent_get_input(stream);
    evbuffer_drain(input, evbuffer_get_length(input));
}

/** Everything was said. */
static void fall_silent(sc__connection *connection)
{
    if (connection->is_tls) sc__tls_goodbye(connection->stream);
    shutdown(connection->fd, SHUT_WR);
}

static void on_written(struct bufferevent *stream, void *context)
{
    // With TLS this may be told late, when more is waiting.
    if (evbuffer_get_length(bufferevent_get_output(stream)) == 0) fall_silent(context);
}

static void on_end(struct bufferevent *stream, short what, void *context)
{
    (void)stream;
    (void)what;
    sc__connection_close(context);
}

/** From now on nothing of it reaches libevent's server, nor the handler. */
static void take_aside(sc__connection *connection)
{
    sc__connection_enter(connection, SC__LINGERING);
    bufferevent_setcb(connection->stream, discard, on_written, on_end, connection);
    discard(connection->stream, NULL);
    bufferevent_enable(connection->stream, EV_READ);
}

void sc__linger(sc__connection *connection)
{
    take_aside(connection);
    fall_silent(connection);
}

/** Take back what waits to be sent: libevent's page, which the stream has not begun to send. */
static void unsay(struct bufferevent *stream)
{
    struct evbuffer *output = bufferevent_get_output(stream);
    const size_t size = evbuffer_get_length(output);
    if (evbuffer_drain(output, size) == 0) return;
    // A stream without TLS keeps the front of its buffer shut but while it sends.
    evbuffer_unfreeze(output, 1);
    evbuffer_drain(output, size);
    evbuffer_freeze(output, 1);
}

void sc__http_refuse(sc__connection *connection, int status)
{
    sc__loop *loop = connection->loop;
    const sc_http_options *o = &loop->http->options;
    char problem[PROBLEM_ROOM];
    const size_t size = o->problem ? o->problem(o->context, status, problem, sizeof problem) : 0;
    const size_t head_size =
        sc__head_write(loop, &(sc__head){.status = status,
                                         .type = size > 0 ? "application/problem+json" : NULL,
                                         .length = (int64_t)size});
    sc__count(&loop->refused);
    take_aside(connection);
    unsay(connection->stream);

    struct iovec pieces[] = {{loop->scratch, head_size}, {problem, size}};
    bool all_sent = false;
    if (head_size == 0 || !sc__connection_send(connection, pieces, 2, 2, &all_sent)) {
        sc__connection_doom(connection);
    } else if (all_sent) {
        fall_silent(connection);
    }
}
