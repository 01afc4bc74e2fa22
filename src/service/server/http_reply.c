// Replies, whole ones and streams.
//
// libevent's own way of replying makes a list of headers, prints them one by one into a buffer, and
// sends it a turn of the loop later. Here a reply is two pieces of memory, which mostly go out at
// once; libevent is told only that it is done.
#include "server/http_internal.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK_ROOM = 20 };

// --- Callbacks of the stream ---------------------------------------------------------------------

void sc__reply_written(struct bufferevent *stream, void *context)
{
    sc__connection *connection = context;
    if (connection->stage != SC__WRITING) return;  // 100 Continue; or it is doomed
    // With TLS this may be told late, when more is waiting.
    if (evbuffer_get_length(bufferevent_get_output(stream)) > 0) return;
    if (connection->request.is_open) {
        sc__connection_enter(connection, SC__WAITING);
    } else {
        sc__request_finish(&connection->request);
    }
}

// A client that closes only its own side counts as gone, too: that cannot be told from one that
// has closed both, until it is too late.
void sc__reply_broken(struct bufferevent *stream, short what, void *context)
{
    (void)stream;
    (void)what;
    sc__connection_close(context);
}

// --- Sending -------------------------------------------------------------------------------------

static bool has_body(const sc_http_request *request, int status)
{
    return request->event->type != EVHTTP_REQ_HEAD && status != 204 && status != 304 &&
           status >= 200;
}

static size_t write_head(sc_http_request *request, sc__head head)
{
    sc__loop *loop = sc__connection_of(request)->loop;
    head.keeps_alive = request->keeps_alive && !loop->is_draining;
    head.says_keep_alive = request->event->minor < 1;
    return sc__head_write(loop, &head);
}

/** Send, or break the connection off; it waits for the reader if not everything could be sent. */
static void send_pieces(sc__connection *connection, struct iovec *pieces, size_t count, size_t lent,
                        bool *all_sent)
{
    *all_sent = false;
    if (!sc__connection_send(connection, pieces, count, lent, all_sent)) {
        sc__connection_doom(connection);
    } else if (!*all_sent && connection->stage != SC__WRITING) {
        sc__connection_enter(connection, SC__WRITING);
    }
}

static void reply(sc_http_request *request, int status, const char *type, const void *body,
                  size_t size, const sc_http_header *headers, size_t header_count, bool is_lent)
{
    sc__connection *connection = sc__connection_of(request);
    const size_t head_size =
        write_head(request, (sc__head){.status = status,
                                       .type = type,
                                       .length = status == 204 || status == 304 ? SC__NO_LENGTH
                                                                                : (int64_t)size,
                                       .headers = headers,
                                       .header_count = header_count});
    request->is_open = false;
    if (head_size == 0) {
        sc__connection_doom(connection);
        return;
    }
    struct iovec pieces[] = {{connection->loop->scratch, head_size}, {(void *)body, size}};
    bool all_sent = false;
    const size_t count = size > 0 && has_body(request, status) ? 2 : 1;
    send_pieces(connection, pieces, count, is_lent ? 1 : count, &all_sent);
    if (all_sent) sc__request_finish(request);
}

void sc_http_reply(sc_http_request *request, int status, const char *type, const void *body,
                   size_t size, const sc_http_header *headers, size_t header_count)
{
    reply(request, status, type, body, size, headers, header_count, false);
}

void sc_http_reply_lent(sc_http_request *request, int status, const char *type, const void *body,
                        size_t size, const sc_http_header *headers, size_t header_count)
{
    reply(request, status, type, body, size, headers, header_count, true);
}

// --- Streams -------------------------------------------------------------------------------------

void sc_http_stream_begin(sc_http_request *request, int status, const char *type,
                          const sc_http_header *headers, size_t header_count)
{
    sc__connection *connection = sc__connection_of(request);
    request->is_stream = true;
    request->is_chunked = request->event->minor >= 1 && has_body(request, status);
    // Before chunks were invented, the end of a stream was the end of the connection.
    if (!request->is_chunked && has_body(request, status)) request->keeps_alive = false;
    const size_t head_size =
        write_head(request, (sc__head){.status = status,
                                       .type = type,
                                       .length = request->is_chunked ? SC__CHUNKED : SC__NO_LENGTH,
                                       .headers = headers,
                                       .header_count = header_count});
    if (head_size == 0) {
        sc__connection_doom(connection);
        return;
    }
    struct iovec piece = {connection->loop->scratch, head_size};
    bool all_sent = false;
    send_pieces(connection, &piece, 1, 1, &all_sent);
}

static size_t waiting_bytes(const sc__connection *connection)
{
    return evbuffer_get_length(bufferevent_get_output(connection->stream));
}

void sc_http_stream_send(sc_http_request *request, const void *bytes, size_t size)
{
    sc__connection *connection = sc__connection_of(request);
    const size_t most = connection->loop->http->options.max_stream_bytes;
    if (size == 0 || connection->stage == SC__DOOMED || request->event->type == EVHTTP_REQ_HEAD) {
        return;
    }
    if (size > most || waiting_bytes(connection) > most - size) {
        sc__connection_doom(connection);
        return;
    }
    char before[CHUNK_ROOM];
    char after[] = "\r\n";
    const int before_size = snprintf(before, sizeof before, "%zx\r\n", size);
    struct iovec pieces[] = {
        {before, (size_t)before_size}, {(void *)bytes, size}, {after, sizeof after - 1}};
    bool all_sent = false;
    if (request->is_chunked) {
        send_pieces(connection, pieces, 3, 3, &all_sent);
    } else {
        send_pieces(connection, pieces + 1, 1, 1, &all_sent);
    }
}

void sc_http_stream_end(sc_http_request *request)
{
    sc__connection *connection = sc__connection_of(request);
    request->is_open = false;
    request->is_stream = false;
    if (connection->stage == SC__DOOMED) return;
    char last[] = "0\r\n\r\n";
    struct iovec piece = {last, sizeof last - 1};
    bool all_sent = waiting_bytes(connection) == 0;
    if (request->is_chunked) send_pieces(connection, &piece, 1, 1, &all_sent);
    if (all_sent) sc__request_finish(request);
}
