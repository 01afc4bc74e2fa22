// A connection's life: accepted, moved from stage to stage, refused, or closed when it takes too
// long. See http_internal.h for the stages.
#include "server/http_internal.h"

#include "base/alloc.h"

#include <linux/sockios.h>
#include <string.h>
#include <sys/epoll.h>
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

bool sc__http_connection_owes(const sc__http_connection *connection)
{
    return unacknowledged(connection) > most_left_behind;
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
    connection->since_us = connection->loop->now_us;
    TAILQ_INSERT_TAIL(&stages[stage], connection, link);
    if (stage == SC__HTTP_IDLE) {
        sc__http_admission_idle(connection);
    } else {
        sc__http_admission_busy(connection);
    }
}

void sc__http_connection_doom(sc__http_connection *connection)
{
    sc__http_connection_enter(connection, SC__HTTP_DOOMED);
}

// --- Beginning ---------------------------------------------------------------------------------

void sc__http_connection_begin(sc__http_connection *connection)
{
    if (!sc__http_admit(connection)) {
        sc__http_connection_reset(connection);
        return;
    }
    sc_http *http = connection->loop->http;
    if (!connection->is_admin && http->tls) {
        connection->ssl = sc__http_tls_session(http->tls, connection);
        if (!connection->ssl) {
            sc__http_connection_close(connection);
            return;
        }
    }
    sc__http_connection_enter(connection, connection->ssl ? SC__HTTP_SECURING : SC__HTTP_IDLE);
    // What has come by now is told by an event, or was: behind a proxy's header.
    if (connection->may_read) sc__http_loop_again(connection);
}

void sc__http_connection_open(sc__http_loop *loop, int fd, const struct sockaddr *address,
                              bool is_admin)
{
    sc__http_connection *connection = sc_calloc(1, sizeof *connection);
    if (!connection) {
        close(fd);
        sc__http_accept_starved(loop);
        return;
    }
    const sc_http *http = loop->http;
    connection->source = SC__HTTP_SOURCE_CONNECTION;
    connection->loop = loop;
    connection->fd = fd;
    connection->is_admin = is_admin;
    sc__http_peer_set(connection, address);
    connection->request.connection = connection;
    connection->stage = SC__HTTP_READING;
    connection->since_us = loop->now_us;
    TAILQ_INSERT_TAIL(&loop->stages[SC__HTTP_READING], connection, link);
    atomic_fetch_add(&loop->http->connections, 1);
    sc__http_count(&loop->accepted);

    const bool is_of_proxy = !is_admin && sc__http_proxies_have(http->proxies, address);
    const bool is_proxied = is_of_proxy && http->options.forwarded == SC_HTTP_FORWARDED_OFF;
    connection->is_forwarded = is_of_proxy && !is_proxied;
    if (connection->is_forwarded) connection->is_local = false;

    if (!sc__http_loop_watch(connection) || (is_proxied && !sc__http_proxy_await(connection))) {
        sc__http_connection_close(connection);
        sc__http_accept_starved(loop);
    } else if (!is_proxied) {
        sc__http_connection_begin(connection);
    }
}

// --- End ---------------------------------------------------------------------------------------

void sc__http_connection_close(sc__http_connection *connection)
{
    sc__http_loop *loop = connection->loop;
    sc__http_request_break(&connection->request);
    sc__http2_free(connection);
    if (connection->ssl) {
        if (connection->is_secured) {
            // As far as it can be sent at once; a peer that has left does not miss it.
            sc__http_io_close_notify(connection);
        } else {
            sc__http_count(&loop->handshake_failures);
        }
        SSL_free(connection->ssl);
        connection->ssl = NULL;
    }
    close(connection->fd);
    connection->fd = -1;
    if (connection->header) sc__http_proxy_forget(connection);
    if (connection->is_paced) TAILQ_REMOVE(&loop->paced, connection, paced_link);
    if (connection->is_to_send) TAILQ_REMOVE(&loop->to_send, connection, send_link);
    TAILQ_REMOVE(&loop->stages[connection->stage], connection, link);
    if (connection->stage == SC__HTTP_SECURING) atomic_fetch_sub(&loop->http->securing, 1);
    sc__http_admission_leave(connection);
    sc__http_buffer_release(loop, &connection->input);
    sc__http_buffer_release(loop, &connection->output);
    TAILQ_INSERT_TAIL(&loop->closed, connection, link);
    atomic_fetch_sub(&loop->http->connections, 1);
}

void sc__http_connection_free_closed(sc__http_loop *loop)
{
    sc__http_connection *connection = NULL;
    while ((connection = TAILQ_FIRST(&loop->closed))) {
        TAILQ_REMOVE(&loop->closed, connection, link);
        if (connection->is_again) TAILQ_REMOVE(&loop->again, connection, again_link);
        sc_free(connection);
    }
}

void sc__http_connection_reset(sc__http_connection *connection)
{
    const struct linger at_once = {.l_onoff = 1};
    (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    sc__http_connection_close(connection);
}

void sc__http_connection_part(sc__http_connection *connection)
{
    if (sc__http_connection_owes(connection)) {
        sc__http_connection_reset(connection);
    } else {
        sc__http_connection_close(connection);
    }
}

void sc__http_connection_close_stage(sc__http_loop *loop, sc__http_stage stage)
{
    sc__http_connection *connection = NULL;
    while ((connection = TAILQ_FIRST(&loop->stages[stage]))) {
        sc__http_connection_part(connection);
    }
}

// --- Events ------------------------------------------------------------------------------------

static void shake_hands(sc__http_connection *connection)
{
    switch (sc__http_io_handshake(connection)) {
    case SC__HTTP_HANDSHAKE_DONE:
        connection->is_secured = true;
        sc__http_connection_enter(connection, SC__HTTP_IDLE);
        if (sc__http_tls_chose_http2(connection->ssl) && !sc__http2_begin(connection)) {
            sc__http_connection_close(connection);
        } else {
            sc__http_connection_read(connection);
        }
        break;
    case SC__HTTP_HANDSHAKE_GOES_ON:
        break;
    case SC__HTTP_HANDSHAKE_FAILED:
        sc__http_connection_close(connection);
        break;
    }
}

/** Throw away what comes, until the peer ends. */
static void discard(sc__http_connection *connection)
{
    enum { AT_ONCE = 16 };  // then others get their turn
    char bytes[4096];
    size_t size = 0;
    sc__http_read read = SC__HTTP_READ_SOME;
    for (int i = 0; i < AT_ONCE && connection->may_read && read == SC__HTTP_READ_SOME; i++) {
        read = sc__http_io_read(connection, bytes, sizeof bytes, &size);
        if (read == SC__HTTP_READ_SOME) explicit_bzero(bytes, size);
    }
    if (read == SC__HTTP_READ_SOME && connection->may_read) sc__http_loop_again(connection);
    if (read == SC__HTTP_READ_SOME || read == SC__HTTP_READ_NOTHING) return;
    // It may still read; the sweep sees whether it does.
    if (read == SC__HTTP_READ_END && sc__http_connection_owes(connection)) return;
    sc__http_connection_part(connection);
}

void sc__http_connection_read(sc__http_connection *connection)
{
    if (connection->header) {
        sc__http_proxy_receive(connection);
        return;
    }
    if (connection->h2) {
        if (connection->stage != SC__HTTP_DOOMED) sc__http2_read(connection);
        return;
    }
    switch (connection->stage) {
    case SC__HTTP_SECURING:
        shake_hands(connection);
        break;
    case SC__HTTP_IDLE:
    case SC__HTTP_READING:
        sc__http_request_read(connection);
        break;
    case SC__HTTP_WAITING:
    case SC__HTTP_WRITING:
        sc__http_request_read_ahead(connection);
        break;
    case SC__HTTP_LINGERING:
        discard(connection);
        break;
    case SC__HTTP_DOOMED:
    case SC__HTTP_STAGES:
        break;
    }
}

/** Everything was sent. */
static void fall_silent(sc__http_connection *connection)
{
    if (connection->is_silent) return;
    connection->is_silent = true;
    sc__http_io_shut(connection);
}

/** The socket takes bytes again. */
static void write_on(sc__http_connection *connection)
{
    const bool had_some = sc__http_io_waiting(connection) > 0 || connection->piece_size > 0;
    if (!had_some || connection->stage == SC__HTTP_DOOMED) return;
    if (connection->h2) {
        sc__http2_send(connection);
        return;
    }
    bool all_sent = false;
    if (!sc__http_io_flush(connection, &all_sent)) {
        sc__http_connection_close(connection);
    } else if (all_sent && connection->stage == SC__HTTP_LINGERING) {
        fall_silent(connection);
    } else if (all_sent) {
        sc__http_reply_written(connection);
    }
}

void sc__http_connection_event(sc__http_connection *connection, uint32_t events)
{
    if (connection->fd < 0) return;  // closed in this round
    if (events & EPOLLERR) {
        sc__http_connection_close(connection);
        return;
    }
    // If both sides have ended, what came before is still read.
    if (events & (EPOLLRDHUP | EPOLLHUP)) connection->has_hung_up = true;
    connection->is_drained &= !(events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP));
    if ((events & EPOLLOUT) && connection->stage != SC__HTTP_SECURING) write_on(connection);
    if (connection->fd < 0) return;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) connection->may_read = true;
    if (connection->may_read || connection->stage == SC__HTTP_SECURING) {
        sc__http_connection_read(connection);
    }
}

// --- Time limits ---------------------------------------------------------------------------------

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

/** The one that is longest in `stage`, if that is longer than `limit_s`. */
static sc__http_connection *overdue(const sc__http_loop *loop, sc__http_stage stage, double limit_s)
{
    sc__http_connection *oldest = TAILQ_FIRST(&loop->stages[stage]);
    return oldest && loop->now_us - oldest->since_us >= (int64_t)(limit_s * 1e6) ? oldest : NULL;
}

void sc__http_connection_sweep(sc__http_loop *loop)
{
    const sc_http_options *o = &loop->http->options;
    const int64_t now_us = loop->now_us;
    sc__http_connection *late = NULL;
    while ((late = overdue(loop, SC__HTTP_READING, o->request_timeout_s))) {
        if (late->header) {
            sc__http_count(&loop->refused);
            sc__http_connection_close(late);
        } else if (late->h2) {
            sc__http_connection_enter(late, SC__HTTP_READING);  // its streams have their own limits
        } else {
            sc__http_refuse(late, 408);
        }
    }
    while ((late = overdue(loop, SC__HTTP_SECURING, o->request_timeout_s))) {
        sc__http_count(&loop->refused);
        sc__http_connection_close(late);
    }
    while ((late = overdue(loop, SC__HTTP_WRITING, o->write_timeout_s))) {
        // While its address has had its bytes, nothing is sent that could be acknowledged.
        if (takes_enough(late, now_us) || late->is_paced) {
            sc__http_connection_enter(late, SC__HTTP_WRITING);
        } else {
            stall(late);
        }
    }
    while ((late = overdue(loop, SC__HTTP_IDLE, o->idle_timeout_s))) {
        sc__http_connection_part(late);
    }
    while ((late = overdue(loop, SC__HTTP_LINGERING, linger_s))) {
        if (!sc__http_connection_owes(late)) {
            sc__http_connection_close(late);
        } else if (takes_enough(late, now_us) ||
                   now_us - late->progress_us < (int64_t)(o->write_timeout_s * 1e6)) {
            sc__http_connection_enter(late, SC__HTTP_LINGERING);
        } else {
            stall(late);
        }
    }
    sc__http_connection *next = NULL;
    for (sc__http_connection *c = TAILQ_FIRST(&loop->http2); c; c = next) {
        next = TAILQ_NEXT(c, http2_link);
        sc__http2_sweep(c);
    }
    // Those that were accepted, or finished their handshake, only after the draining began.
    if (loop->is_draining) sc__http_connection_close_stage(loop, SC__HTTP_IDLE);
}

// --- Requests that never reach the handler: malformed, too large, too slow ---------------------
//
// After a refusal the client may still be sending. Closing at once would make its kernel throw our
// reply away unread, so what still comes is taken and dropped, for a short time.

enum { PROBLEM_ROOM = 2048 };

/** From now on nothing of it reaches the handler. */
static void take_aside(sc__http_connection *connection)
{
    sc__http_connection_enter(connection, SC__HTTP_LINGERING);
    connection->progress_us = connection->since_us;
    sc__http_buffer_release(connection->loop, &connection->input);
    if (connection->may_read) sc__http_loop_again(connection);
}

void sc__http_linger(sc__http_connection *connection)
{
    take_aside(connection);
    fall_silent(connection);
}

/** Whether what is being read is a request of HEAD: a proxy expects no body of its reply. */
static bool reads_head(const sc__http_connection *connection)
{
    const sc__http_buffer *input = &connection->input;
    if (connection->reader.head_size > 0) return connection->request.method == SC_HTTP_HEAD;
    size_t first = connection->reader.first;
    while (first < input->size && (input->data[first] == '\r' || input->data[first] == '\n')) {
        first++;  // as some readers do
    }
    return input->size >= first + 5 && memcmp(input->data + first, "HEAD ", 5) == 0;
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
                               .is_tls = connection->ssl != NULL});
    const bool has_body = size > 0 && !reads_head(connection);
    sc__http_count(&loop->refused);
    take_aside(connection);

    struct iovec pieces[] = {{loop->scratch, head_size}, {problem, size}};
    bool all_sent = false;
    if (head_size == 0 || !sc__http_io_send(connection, pieces, has_body ? 2 : 1, 2, &all_sent)) {
        sc__http_connection_doom(connection);
    } else if (all_sent) {
        fall_silent(connection);
    }
}
