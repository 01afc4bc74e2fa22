// Bytes in and out, by TLS or not, and the memory that they pass through.
//
// A request is read straight into the memory in which it stays, and a reply goes straight to the
// socket: mostly one system call each. Only what the socket does not take is kept.
//
// Memory: blocks of one size, which the loop keeps for the next ones, so that in a steady state
// nothing is allocated. What does not fit in a block is allocated as needed. All of it is wiped
// when it is released, since positions and tokens lie there, and answers.
#include "server/http_internal.h"

#include "base/alloc.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>

// --- Memory ------------------------------------------------------------------------------------

static char *take_block(sc__http_loop *loop)
{
    if (loop->idle_block_count > 0) return loop->idle_blocks[--loop->idle_block_count];
    return sc_malloc(SC__HTTP_BLOCK);
}

void sc__http_buffer_release(sc__http_loop *loop, sc__http_buffer *buffer)
{
    if (!buffer->data) return;
    explicit_bzero(buffer->data, buffer->size);
    if (buffer->capacity == SC__HTTP_BLOCK && loop->idle_block_count < SC__HTTP_IDLE_BLOCKS) {
        loop->idle_blocks[loop->idle_block_count++] = buffer->data;
    } else {
        sc_free(buffer->data);
    }
    *buffer = (sc__http_buffer){0};
}

bool sc__http_buffer_reserve(sc__http_loop *loop, sc__http_buffer *buffer, size_t room,
                             size_t least)
{
    const size_t wanted = buffer->size + room;
    if (wanted <= buffer->capacity) return true;
    size_t capacity = least;
    while (capacity < wanted) {
        capacity *= 2;
    }
    sc__http_buffer larger = {.size = buffer->size, .capacity = capacity};
    larger.data = capacity == SC__HTTP_BLOCK ? take_block(loop) : sc_malloc(capacity);
    if (!larger.data) return false;
    if (buffer->size > 0) memcpy(larger.data, buffer->data, buffer->size);
    sc__http_buffer_release(loop, buffer);
    *buffer = larger;
    return true;
}

void sc__http_blocks_free(sc__http_loop *loop)
{
    while (loop->idle_block_count > 0) {
        sc_free(loop->idle_blocks[--loop->idle_block_count]);
    }
}

// --- In ----------------------------------------------------------------------------------------

static bool is_for_later(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static sc__http_read read_plain(sc__http_connection *connection, char *bytes, size_t room,
                                size_t *size)
{
    const ssize_t got = recv(connection->fd, bytes, room, 0);
    if (got > 0) {
        *size = (size_t)got;
        // Less than was asked for: that was all, and more will be an event. But an end that the
        // event has told of already is not told again.
        if (*size < room && !connection->has_hung_up) connection->may_read = false;
        return SC__HTTP_READ_SOME;
    }
    if (got < 0 && errno == EINTR) return SC__HTTP_READ_NOTHING;  // `may_read` stays
    connection->may_read = false;
    if (got == 0) return SC__HTTP_READ_END;
    return is_for_later(errno) ? SC__HTTP_READ_NOTHING : SC__HTTP_READ_BROKEN;
}

static sc__http_read read_tls(sc__http_connection *connection, char *bytes, size_t room,
                              size_t *size)
{
    ERR_clear_error();
    if (SSL_read_ex(connection->ssl, bytes, room, size) == 1) {
        if (connection->is_drained && !SSL_has_pending(connection->ssl))
            connection->may_read = false;
        return SC__HTTP_READ_SOME;
    }
    const int error = SSL_get_error(connection->ssl, 0);
    ERR_clear_error();
    connection->may_read = false;
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return SC__HTTP_READ_NOTHING;
    return error == SSL_ERROR_ZERO_RETURN ? SC__HTTP_READ_END : SC__HTTP_READ_BROKEN;
}

sc__http_read sc__http_io_read(sc__http_connection *connection, char *bytes, size_t room,
                               size_t *size)
{
    return connection->ssl ? read_tls(connection, bytes, room, size)
                           : read_plain(connection, bytes, room, size);
}

// --- Out ---------------------------------------------------------------------------------------

/** What the socket took; -1 if it is of no use any more. */
static ssize_t write_plain(const sc__http_connection *connection, struct iovec *pieces,
                           size_t count)
{
    const struct msghdr message = {.msg_iov = pieces, .msg_iovlen = count};
    const ssize_t sent = sendmsg(connection->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 && is_for_later(errno) ? 0 : sent;
}

/** One piece. A piece that was not taken must be tried again with the same bytes, from wherever. */
static ssize_t write_tls(const sc__http_connection *connection, const void *bytes, size_t size)
{
    size_t sent = 0;
    ERR_clear_error();
    if (SSL_write_ex(connection->ssl, bytes, size, &sent) == 1) return (ssize_t)sent;
    const int error = SSL_get_error(connection->ssl, 0);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_WANT_READ ? 0 : -1;
}

static ssize_t write_some(sc__http_connection *connection, struct iovec *pieces, size_t count)
{
    const ssize_t sent = connection->ssl
                             ? write_tls(connection, pieces[0].iov_base, pieces[0].iov_len)
                             : write_plain(connection, pieces, count);
    if (sent > 0) connection->sent += (uint64_t)sent;
    return sent;
}

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

bool sc__http_io_keep(sc__http_connection *connection, const struct iovec *piece)
{
    if (!sc__http_buffer_reserve(connection->loop, &connection->output, piece->iov_len,
                                 SC__HTTP_BLOCK)) {
        return false;
    }
    memcpy(connection->output.data + connection->output.size, piece->iov_base, piece->iov_len);
    connection->output.size += piece->iov_len;
    return true;
}

bool sc__http_io_flush(sc__http_connection *connection, bool *all_sent)
{
    *all_sent = false;
    while (sc__http_io_waiting(connection) > 0 || connection->piece_size > 0) {
        struct iovec pieces[2];
        size_t count = 0;
        if (sc__http_io_waiting(connection) > 0) {
            pieces[count++] = (struct iovec){connection->output.data + connection->output_at,
                                             sc__http_io_waiting(connection)};
        }
        if (connection->piece_size > 0) {
            pieces[count++] = (struct iovec){(char *)connection->piece, connection->piece_size};
        }
        const ssize_t sent = write_some(connection, pieces, count);
        if (sent < 0) return false;
        if (sent == 0) return true;
        const size_t kept = sc__http_io_waiting(connection);
        const size_t of_kept = (size_t)sent < kept ? (size_t)sent : kept;
        connection->output_at += of_kept;
        if ((size_t)sent == of_kept) continue;
        connection->piece += (size_t)sent - of_kept;
        connection->piece_size -= (size_t)sent - of_kept;
    }
    sc__http_buffer_release(connection->loop, &connection->output);
    connection->output_at = 0;
    *all_sent = true;
    return true;
}

/** By TLS each call makes a record: small pieces go together. */
static bool send_tls(sc__http_connection *connection, const struct iovec *pieces, size_t count,
                     size_t lent, bool *all_sent)
{
    for (size_t i = 0; i < count && i < lent; i++) {
        if (!sc__http_io_keep(connection, &pieces[i])) return false;
    }
    if (lent < count) {
        connection->piece = pieces[lent].iov_base;
        connection->piece_size = pieces[lent].iov_len;
    }
    return sc__http_io_flush(connection, all_sent);
}

bool sc__http_io_send(sc__http_connection *connection, struct iovec *pieces, size_t count,
                      size_t lent, bool *all_sent)
{
    if (connection->ssl) return send_tls(connection, pieces, count, lent, all_sent);
    size_t next = 0;
    if (sc__http_io_waiting(connection) == 0 && connection->piece_size == 0) {
        const ssize_t sent = write_some(connection, pieces, count);
        if (sent < 0) return false;
        next = skip(pieces, count, (size_t)sent);
    }
    *all_sent = next == count;
    for (; next < count; next++) {
        if (next < lent) {
            if (!sc__http_io_keep(connection, &pieces[next])) return false;
        } else {
            connection->piece = pieces[next].iov_base;
            connection->piece_size = pieces[next].iov_len;
        }
    }
    return true;
}

// --- TLS ---------------------------------------------------------------------------------------

sc__http_handshake sc__http_io_handshake(sc__http_connection *connection)
{
    ERR_clear_error();
    const int done = SSL_do_handshake(connection->ssl);
    if (done == 1) return SC__HTTP_HANDSHAKE_DONE;
    const int error = SSL_get_error(connection->ssl, done);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE
               ? SC__HTTP_HANDSHAKE_GOES_ON
               : SC__HTTP_HANDSHAKE_FAILED;
}

void sc__http_io_close_notify(sc__http_connection *connection)
{
    if (!connection->ssl || !SSL_is_init_finished(connection->ssl)) return;
    (void)SSL_shutdown(connection->ssl);
    ERR_clear_error();
}

void sc__http_io_shut(sc__http_connection *connection)
{
    sc__http_io_close_notify(connection);
    (void)shutdown(connection->fd, SHUT_WR);
}
