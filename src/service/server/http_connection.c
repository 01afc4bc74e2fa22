// A connection's life: taken over from libevent when it is accepted, moved from stage to stage,
// refused, or closed when it takes too long. See http_internal.h for the stages.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// How long a client that was refused may take to read why, before it is cut off.
static const double linger_s = 1.0;

// What the kernel may keep of a connection that is closed, until TCP_USER_TIMEOUT: a reply to a
// query, and not a map.
static const size_t most_left_behind = 16384;

// --- What the peer has acknowledged --------------------------------------------------------------

/** Bytes in the kernel that the peer has not acknowledged. */
static size_t unacknowledged(const sc__http_connection *connection)
{
    int bytes = 0;
    return ioctl(connection->fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? (size_t)bytes : 0;
}

/** Bytes of replies that the peer has acknowledged. That the kernel took something says nothing of
 * the peer. */
static uint64_t acknowledged(const sc__http_connection *connection)
{
    const uint64_t left = unacknowledged(connection);
    return connection->sent > left ? connection->sent - left : 0;
}

// --- Stages ------------------------------------------------------------------------------------

void sc__http_connection_enter(sc__http_connection *connection, sc__http_stage stage)
{
    struct sc__http_connections *stages = connection->loop->stages;
    atomic_size_t *securing = &connection->loop->http->securing;
    TAILQ_REMOVE(&stages[connection->stage], connection, link);
    if (connection->stage == SC__HTTP_SECURING) atomic_fetch_sub(securing, 1);
    if (stage == SC__HTTP_SECURING) atomic_fetch_add(securing, 1);
    // What counts is what it takes from now on.
    if (stage == SC__HTTP_WRITING && connection->stage != stage) {
        connection->acknowledged = acknowledged(connection);
    }
    connection->stage = stage;
    connection->since_us = sc_clock_us();
    TAILQ_INSERT_TAIL(&stages[stage], connection, link);
    if (stage == SC__HTTP_IDLE) {
        sc__http_admission_idle(connection);
    } else {
        sc__http_admission_busy(connection);
    }
}

void sc__http_connection_secured(sc__http_connection *connection)
{
    if (connection->is_secured) return;
    connection->is_secured = true;
    sc__http_connection_enter(connection, SC__HTTP_IDLE);
}

void sc__http_connection_doom(sc__http_connection *connection)
{
    sc__http_connection_enter(connection, SC__HTTP_DOOMED);
    sc__http_loop_tidy_soon(connection->loop);
}

/** How much may wait to be read: what libevent wants to see at once, a body or a head. */
static size_t most_input(const sc_http_options *o)
{
    const size_t larger =
        o->max_body_bytes > o->max_header_bytes ? o->max_body_bytes : o->max_header_bytes;
    return larger + 4096;
}

/** Look at the last `size` bytes, those that have just come. */
static bool is_plain(sc__http_connection *connection, struct evbuffer *buffer, size_t size)
{
    struct evbuffer_ptr at;
    if (evbuffer_ptr_set(buffer, &at, evbuffer_get_length(buffer) - size, EVBUFFER_PTR_SET)) {
        return false;
    }
    struct evbuffer_iovec pieces[8];
    while (size > 0) {
        const int count = evbuffer_peek(buffer, (ev_ssize_t)size, &at, pieces, 8);
        for (int i = 0; i < count && i < 8 && size > 0; i++) {
            const size_t part = pieces[i].iov_len < size ? pieces[i].iov_len : size;
            if (!sc__http_framing_follow(&connection->framing, pieces[i].iov_base, part)) {
                return false;
            }
            size -= part;
            if (size > 0 && evbuffer_ptr_set(buffer, &at, part, EVBUFFER_PTR_ADD)) return false;
        }
        if (count <= 0) return false;
    }
    return true;
}

/** libevent must not read on: what it makes of it is refused, or nothing more comes of it. */
static void mark_malformed(sc__http_connection *connection)
{
    connection->is_malformed = true;
    if (connection->stage != SC__HTTP_READING) return;  // once the reply at hand is given
    connection->refusal = 400;
    sc__http_connection_enter(connection, SC__HTTP_REFUSED);
    sc__http_loop_tidy_soon(connection->loop);
}

// Called for every piece that was read.
static void on_input(struct evbuffer *buffer, const struct evbuffer_cb_info *info, void *context)
{
    sc__http_connection *connection = context;
    if (info->n_added == 0) return;
    if (connection->stage == SC__HTTP_IDLE) {
        connection->received = 0;
        sc__http_connection_enter(connection, SC__HTTP_READING);
    }
    connection->received += info->n_added;
    const bool is_read = connection->stage == SC__HTTP_READING ||
                         connection->stage == SC__HTTP_WAITING ||
                         connection->stage == SC__HTTP_WRITING;
    if (is_read && !connection->is_malformed && !is_plain(connection, buffer, info->n_added)) {
        mark_malformed(connection);
    }
    // A client that sends so much ahead while a reply is awaited is read no further, and so would
    // not be seen to go: let it go now.
    const bool is_answered =
        connection->stage != SC__HTTP_WAITING && !connection->request.is_stream;
    if (!is_answered &&
        evbuffer_get_length(buffer) >= most_input(&connection->loop->http->options)) {
        sc__http_connection_doom(connection);
    }
}

enum { START_ROOM = 32 };

/** The status of a reply that begins with "HTTP/1.1 400 Bad Request"; 0 if it is none. */
static int status_in(struct evbuffer *buffer)
{
    // The version is the client's, as far as it is a number.
    char start[START_ROOM] = "";
    if (evbuffer_copyout(buffer, start, sizeof start - 1) < 0) return 0;
    const char *blank = strchr(start, ' ');
    return blank ? (int)strtol(blank, NULL, 10) : 0;
}

/** Something was written that is not of ours: libevent refuses the request that it reads, or asks
 * for its body. */
static void refusal_notice(sc__http_connection *connection)
{
    const int status = status_in(bufferevent_get_output(connection->stream));
    if (status < 400) return;  // 100 Continue
    // libevent replies 400 to a head that is too large as well.
    const bool is_large = connection->received > connection->loop->http->options.max_header_bytes;
    connection->refusal = status == 400 && is_large ? 431 : status;
    sc__http_connection_enter(connection, SC__HTTP_REFUSED);
    sc__http_loop_tidy_soon(connection->loop);
}

// Called when something waits to be sent, and when some of it was sent.
static void on_output(struct evbuffer *buffer, const struct evbuffer_cb_info *info, void *context)
{
    (void)buffer;
    sc__http_connection *connection = context;
    if (info->n_added > 0 && connection->stage == SC__HTTP_READING) refusal_notice(connection);
    connection->sent += info->n_deleted;
}

// --- Beginning ---------------------------------------------------------------------------------

static struct bufferevent *make_stream(sc__http_loop *loop, struct event_base *base,
                                       sc__http_connection *connection)
{
    sc_http *http = loop->http;
    struct bufferevent *stream = connection->is_tls
                                     ? sc__http_tls_stream(http->tls, base, connection)
                                     : bufferevent_socket_new(base, -1, 0);
    if (!stream) return NULL;
    if (!evbuffer_add_cb(bufferevent_get_input(stream), on_input, connection) ||
        !evbuffer_add_cb(bufferevent_get_output(stream), on_output, connection)) {
        bufferevent_free(stream);
        return NULL;
    }
    bufferevent_setwatermark(stream, EV_READ, 0, most_input(&http->options));
    return stream;
}

// libevent calls this before it has made its own part of the connection, and has no call for
// when that is done. So we hold on to the stream until this callback has returned, and look then.
//
// Without memory the answer is NULL, and libevent makes a stream of its own, without TLS and
// without limits. Such a connection is none of ours: its first request closes it unanswered.
struct bufferevent *sc__http_connection_born(struct event_base *base, void *context)
{
    const sc__http_door *door = context;
    sc__http_loop *loop = door->loop;
    sc__http_connection *connection = sc_calloc(1, sizeof *connection);
    if (connection) {
        connection->is_admin = door->is_admin;
        connection->is_tls = !door->is_admin && loop->http->tls;
    }
    struct bufferevent *stream = connection ? make_stream(loop, base, connection) : NULL;
    if (!stream) {
        sc_free(connection);
        sc__http_accept_starved(loop);
        return NULL;
    }
    bufferevent_incref(stream);
    connection->loop = loop;
    connection->stream = stream;
    connection->fd = -1;
    connection->stage = SC__HTTP_NEWBORN;
    TAILQ_INSERT_TAIL(&loop->stages[SC__HTTP_NEWBORN], connection, link);
    atomic_fetch_add(&loop->http->connections, 1);
    sc__http_count(&loop->accepted);
    sc__http_loop_tidy_soon(loop);
    return stream;
}

// The stream may live a little longer, in the callback that is at work with it.
static void end(sc__http_connection *connection)
{
    sc__http_loop *loop = connection->loop;
    if (connection->header) sc__http_proxy_forget(connection);
    explicit_bzero(&connection->framing, sizeof connection->framing);
    if (connection->is_half_closed) TAILQ_REMOVE(&loop->half_closed, connection, half_link);
    if (connection->is_paced) TAILQ_REMOVE(&loop->paced, connection, paced_link);
    evbuffer_remove_cb(bufferevent_get_input(connection->stream), on_input, connection);
    evbuffer_remove_cb(bufferevent_get_output(connection->stream), on_output, connection);
    TAILQ_REMOVE(&loop->stages[connection->stage], connection, link);
    if (connection->stage == SC__HTTP_SECURING) atomic_fetch_sub(&loop->http->securing, 1);
    if (connection->fd >= 0) loop->by_fd[connection->fd] = NULL;
    sc__http_admission_leave(connection);
    sc_free(connection);
    atomic_fetch_sub(&loop->http->connections, 1);
}

static void on_close(struct evhttp_connection *event, void *context)
{
    (void)event;
    sc__http_connection *connection = context;
    // Now: else libevent would let go of the descriptor when it is closed already, and perhaps
    // another's.
    bufferevent_disable(connection->stream, EV_READ | EV_WRITE);
    sc__http_request_break(&connection->request);
    if (connection->is_tls) {
        sc__http_tls_shutdown(connection->stream);
        if (!connection->is_secured) sc__http_count(&connection->loop->handshake_failures);
    }
    end(connection);
}

static bool make_room(sc__http_loop *loop, int fd)
{
    const size_t had = loop->by_fd_capacity;
    if (!sc_reserve(&loop->by_fd, (size_t)fd + 1, &loop->by_fd_capacity, sizeof(void *))) {
        return false;
    }
    for (size_t i = had; i < loop->by_fd_capacity; i++) {
        loop->by_fd[i] = NULL;
    }
    return true;
}

void sc__http_connection_begin(sc__http_connection *connection)
{
    if (!sc__http_admit(connection)) {
        sc__http_connection_reset(connection);
        return;
    }
    sc__http_connection_enter(connection, connection->is_tls ? SC__HTTP_SECURING : SC__HTTP_IDLE);
}

/** libevent has made its part, `event`. */
static void take_charge(sc__http_connection *connection, struct evhttp_connection *event)
{
    const int fd = bufferevent_getfd(connection->stream);
    if (!make_room(connection->loop, fd)) {
        evhttp_connection_free(event);
        end(connection);
        return;
    }
    connection->event = event;
    connection->fd = fd;
    connection->loop->by_fd[fd] = connection;
    evhttp_connection_set_closecb(event, on_close, connection);
    bufferevent_set_timeouts(connection->stream, NULL, NULL);

    const sc_http *http = connection->loop->http;
    const struct sockaddr *address = evhttp_connection_get_addr(event);
    connection->peer = sc__http_peer_number(address, http->peer_key);
    connection->is_local = sc__http_peer_is_local(address);
    if (connection->is_admin || !sc__http_proxies_have(http->proxies, address)) {
        sc__http_connection_begin(connection);
        return;
    }
    sc__http_connection_enter(connection, SC__HTTP_READING);
    if (!sc__http_proxy_await(connection)) sc__http_connection_close(connection);
}

void sc__http_connection_adopt(sc__http_loop *loop)
{
    sc__http_connection *connection = NULL;
    while ((connection = TAILQ_FIRST(&loop->stages[SC__HTTP_NEWBORN]))) {
        struct bufferevent *stream = connection->stream;
        void *event = NULL;
        bufferevent_getcb(stream, NULL, NULL, NULL, &event);
        if (event) {
            take_charge(connection, event);
        } else {
            // libevent had no memory for its part. It then has freed the stream, unless it came
            // not even so far as to give it the socket.
            if (bufferevent_getfd(stream) < 0) bufferevent_free(stream);
            end(connection);
        }
        bufferevent_decref(stream);
    }
}

sc__http_connection *sc__http_connection_find(const sc__http_loop *loop, struct bufferevent *stream)
{
    const int fd = bufferevent_getfd(stream);
    return fd >= 0 && (size_t)fd < loop->by_fd_capacity ? loop->by_fd[fd] : NULL;
}

// --- End ---------------------------------------------------------------------------------------

void sc__http_connection_close(sc__http_connection *connection)
{
    if (connection->header) sc__http_proxy_forget(connection);
    evhttp_connection_free(connection->event);  // which calls on_close()
}

void sc__http_connection_reset(sc__http_connection *connection)
{
    const struct linger at_once = {.l_onoff = 1};
    (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    sc__http_connection_close(connection);
}

void sc__http_connection_close_stage(sc__http_loop *loop, sc__http_stage stage)
{
    sc__http_connection *connection = NULL;
    while ((connection = TAILQ_FIRST(&loop->stages[stage]))) {
        sc__http_connection_part(connection);
    }
}

// --- Clients that do not take their replies ------------------------------------------------------

bool sc__http_connection_owes(const sc__http_connection *connection)
{
    return unacknowledged(connection) > most_left_behind;
}

/** Whether the peer has acknowledged a piece since the last time this was so. */
static bool takes_enough(sc__http_connection *connection, int64_t now_us)
{
    const uint64_t now = acknowledged(connection);
    if (now < connection->acknowledged + SC__HTTP_PIECE) return false;
    connection->acknowledged = now;
    connection->progress_us = now_us;
    return true;
}

static void stall(sc__http_connection *connection)
{
    sc__http_count(&connection->loop->refused);
    sc__http_count(&connection->loop->stalled);
    sc__http_connection_reset(connection);
}

void sc__http_connection_part(sc__http_connection *connection)
{
    if (connection->fd >= 0 && sc__http_connection_owes(connection)) {
        sc__http_connection_reset(connection);
    } else {
        sc__http_connection_close(connection);
    }
}

/** The one that is longest in `stage`, if that is longer than `limit_s`. */
static sc__http_connection *overdue(const sc__http_loop *loop, sc__http_stage stage, double limit_s,
                                    int64_t now_us)
{
    sc__http_connection *oldest = TAILQ_FIRST(&loop->stages[stage]);
    return oldest && now_us - oldest->since_us >= (int64_t)(limit_s * 1e6) ? oldest : NULL;
}

void sc__http_connection_sweep(sc__http_loop *loop)
{
    const sc_http_options *o = &loop->http->options;
    const int64_t now_us = sc_clock_us();
    sc__http_connection *late = NULL;
    while ((late = overdue(loop, SC__HTTP_READING, o->request_timeout_s, now_us))) {
        if (late->header) {
            sc__http_count(&loop->refused);
            sc__http_connection_close(late);
        } else {
            sc__http_refuse(late, 408);
        }
    }
    while ((late = overdue(loop, SC__HTTP_SECURING, o->request_timeout_s, now_us))) {
        sc__http_count(&loop->refused);
        sc__http_connection_close(late);
    }
    while ((late = overdue(loop, SC__HTTP_WRITING, o->write_timeout_s, now_us))) {
        // While its address has had its bytes, nothing is sent that could be acknowledged.
        if (takes_enough(late, now_us) || late->is_paced) {
            sc__http_connection_enter(late, SC__HTTP_WRITING);
        } else {
            stall(late);
        }
    }
    while ((late = overdue(loop, SC__HTTP_IDLE, o->idle_timeout_s, now_us))) {
        sc__http_connection_part(late);
    }
    while ((late = overdue(loop, SC__HTTP_LINGERING, linger_s, now_us))) {
        if (!sc__http_connection_owes(late)) {
            sc__http_connection_close(late);
        } else if (takes_enough(late, now_us) ||
                   now_us - late->progress_us < (int64_t)(o->write_timeout_s * 1e6)) {
            sc__http_connection_enter(late, SC__HTTP_LINGERING);
        } else {
            stall(late);
        }
    }
    // Those that were accepted, or finished their handshake, only after the draining began.
    if (loop->is_draining) sc__http_connection_close_stage(loop, SC__HTTP_IDLE);
}

// --- Sending -----------------------------------------------------------------------------------

/** Take `sent` bytes off the front; how many pieces are used up. */
static size_t skip(struct iovec *pieces, size_t count, size_t sent)
{
    size_t i = 0;
    for (; i < count && sent >= pieces[i].iov_len; i++) {
        sent -= pieces[i].iov_len;
    }
    if (i < count) {
        pieces[i].iov_base = (char *)pieces[i].iov_base + sent;
        pieces[i].iov_len -= sent;
    }
    return i;
}

// Straight to the socket, if nothing is waiting before it: a reply that fits needs no buffer, no
// event and no further turn of the loop. (TLS has to take its way through libevent.)
bool sc__http_connection_send(sc__http_connection *connection, struct iovec *pieces, size_t count,
                              size_t lent, bool *all_sent)
{
    struct evbuffer *output = bufferevent_get_output(connection->stream);
    size_t next = 0;
    if (!connection->is_tls && evbuffer_get_length(output) == 0) {
        const struct msghdr message = {.msg_iov = pieces, .msg_iovlen = count};
        const ssize_t sent = sendmsg(connection->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            connection->sent += (uint64_t)sent;
            next = skip(pieces, count, (size_t)sent);
        } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            return false;
        }
    }
    *all_sent = next == count;
    if (*all_sent) return true;
    for (; next < count; next++) {
        const struct iovec *piece = &pieces[next];
        if (next < lent
                ? evbuffer_add(output, piece->iov_base, piece->iov_len)
                : evbuffer_add_reference(output, piece->iov_base, piece->iov_len, NULL, NULL)) {
            return false;
        }
    }
    return bufferevent_enable(connection->stream, EV_WRITE) == 0;
}

// --- Requests that never reach the handler: malformed, too large, too slow ---------------------
//
// libevent answers those that it cannot read with pages of its own, which cannot be turned off. But
// they pass through a buffer that we watch, and are not sent before the callback at work has
// returned: that is when ours takes their place.
//
// After a refusal the client may still be sending. Closing at once would make its kernel throw our
// reply away unread, so what still comes is taken and dropped, for a short time.

enum { PROBLEM_ROOM = 2048 };

void sc__http_refusal_rewrite(sc__http_loop *loop)
{
    sc__http_connection *connection = NULL;
    while ((connection = TAILQ_FIRST(&loop->stages[SC__HTTP_REFUSED]))) {
        sc__http_refuse(connection, connection->refusal);
    }
}

// --- Lingering ---------------------------------------------------------------------------------

// libevent may call this with an argument of its own: nothing but the stream is of use.
static void discard(struct bufferevent *stream, void *context)
{
    (void)context;
    struct evbuffer *input = bufferevent_get_input(stream);
    evbuffer_drain(input, evbuffer_get_length(input));
}

/** Everything was sent. */
static void fall_silent(sc__http_connection *connection)
{
    if (connection->is_tls) sc__http_tls_shutdown(connection->stream);
    shutdown(connection->fd, SHUT_WR);
}

static void on_written(struct bufferevent *stream, void *context)
{
    // With TLS this may be called late, when more is waiting.
    if (evbuffer_get_length(bufferevent_get_output(stream)) == 0) fall_silent(context);
}

static void on_end(struct bufferevent *stream, short what, void *context)
{
    sc__http_connection *connection = context;
    if ((what & BEV_EVENT_EOF) && sc__http_connection_owes(connection)) {
        // It may still read; the sweep sees whether it does.
        bufferevent_disable(stream, EV_READ);
    } else {
        sc__http_connection_part(connection);
    }
}

/** From now on nothing of it reaches libevent's server, nor the handler. */
static void take_aside(sc__http_connection *connection)
{
    sc__http_connection_enter(connection, SC__HTTP_LINGERING);
    connection->progress_us = connection->since_us;
    bufferevent_setcb(connection->stream, discard, on_written, on_end, connection);
    discard(connection->stream, NULL);
    bufferevent_enable(connection->stream, EV_READ);
}

void sc__http_linger(sc__http_connection *connection)
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

void sc__http_refuse(sc__http_connection *connection, int status)
{
    sc__http_loop *loop = connection->loop;
    const sc_http_options *o = &loop->http->options;
    char problem[PROBLEM_ROOM];
    const size_t size = o->problem ? o->problem(o->context, status, problem, sizeof problem) : 0;
    const size_t head_size = sc__http_head_write(
        loop, &(sc__http_head){.status = status,
                               .type = size > 0 ? "application/problem+json" : NULL,
                               .length = (int64_t)size,
                               .is_tls = connection->is_tls});
    sc__http_count(&loop->refused);
    take_aside(connection);
    unsay(connection->stream);

    struct iovec pieces[] = {{loop->scratch, head_size}, {problem, size}};
    bool all_sent = false;
    if (head_size == 0 || !sc__http_connection_send(connection, pieces, 2, 2, &all_sent)) {
        sc__http_connection_doom(connection);
    } else if (all_sent) {
        fall_silent(connection);
    }
}
