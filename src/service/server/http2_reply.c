// Replies of HTTP/2: their heads, and bodies that nghttp2 asks for when they may be sent.
#include "server/http2_internal.h"

#include <string.h>
#include <strings.h>

enum {
    REPLY_HEADERS = 32,
    SMALL_REPLY = 64,  ///< memory for a reply is as much as it needs: the client may never take it
};

// --- Bodies ------------------------------------------------------------------------------------

/** nghttp2 wants bytes of a reply's body. */
static ssize_t on_read(nghttp2_session *session, int32_t id, uint8_t *to, size_t room,
                       uint32_t *flags, nghttp2_data_source *source, void *context)
{
    (void)session;
    (void)id;
    (void)context;
    sc__http2_stream *stream = source->ptr;
    sc__http_connection *connection = stream->request.connection;
    const bool is_lent = stream->lent_size > 0;
    if (is_lent && stream->lent_size > SC__HTTP_PIECE && stream->allowed == 0) {
        if (!sc__http_reply_may_have_piece(&stream->request)) {
            stream->is_paced = stream->is_waiting = true;
            sc__http_reply_wait(connection);
            return NGHTTP2_ERR_DEFERRED;
        }
        stream->allowed = SC__HTTP_PIECE;
    }
    const size_t left = is_lent ? stream->lent_size : stream->reply.size - stream->reply_at;
    if (left == 0 && !stream->is_ended) {
        stream->is_waiting = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    size_t size = left < room ? left : room;
    if (is_lent && stream->allowed > 0 && size > stream->allowed) size = stream->allowed;
    if (is_lent) {
        memcpy(to, stream->lent, size);
        stream->lent += size;
        stream->lent_size -= size;
        stream->allowed -= stream->allowed < size ? stream->allowed : size;
    } else if (size > 0) {
        memcpy(to, stream->reply.data + stream->reply_at, size);
        stream->reply_at += size;
    }
    stream->taken += size;
    connection->h2->taken += size;
    if (size == left) {
        sc__http_buffer_release(connection->loop, &stream->reply);
        stream->reply_at = 0;
        if (stream->is_ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return (ssize_t)size;
}

// --- Heads -------------------------------------------------------------------------------------

typedef struct reply_head {
    nghttp2_nv headers[REPLY_HEADERS];
    size_t count;
} reply_head;

static void put(reply_head *head, const char *name, const char *value, uint8_t flags)
{
    head->headers[head->count++] =
        (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), flags};
}

/** One of ours, whose name is a literal, for which there is room. */
static void put_own(reply_head *head, const char *name, const char *value)
{
    put(head, name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME);
}

/** The same with a value that is a literal, too. */
static void put_fixed(reply_head *head, const char *name, const char *value)
{
    put(head, name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE);
}

/** One of the caller's. */
static void add(reply_head *head, const char *name, const char *value)
{
    if (head->count == REPLY_HEADERS || !sc__http_header_is_safe(name) ||
        !sc__http_header_is_safe(value)) {
        return;
    }
    put(head, name, value, NGHTTP2_NV_FLAG_NONE);
}

enum { NUMBER_ROOM = 24 };

/** The number as text, at the end of `room`; where it begins. */
static const char *number_text(char room[NUMBER_ROOM], size_t number)
{
    char *at = &room[NUMBER_ROOM - 1];
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return at;
}

static bool is_among(const sc_http_header *headers, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(headers[i].name, name) == 0) return true;
    }
    return false;
}

/** Submit the head; the body is asked for by on_read(). */
static void submit(sc__http2_stream *stream, int status, const char *type, const char *length,
                   const sc_http_header *headers, size_t count, bool has_body)
{
    sc__http_connection *connection = stream->request.connection;
    char code[NUMBER_ROOM];
    reply_head head;
    head.count = 0;
    put_own(&head, ":status", number_text(code, (size_t)status));
    put_own(&head, "date", sc__http_date(connection->loop));
    if (type) add(&head, "content-type", type);
    if (length) put_own(&head, "content-length", length);
    if (!is_among(headers, count, "Cache-Control")) put_fixed(&head, "cache-control", "no-store");
    if (!is_among(headers, count, "X-Content-Type-Options")) {
        put_fixed(&head, "x-content-type-options", "nosniff");
    }
    if (connection->ssl) put_fixed(&head, "strict-transport-security", "max-age=31536000");
    const char *origin = stream->request.origin;
    if (origin) put_fixed(&head, "vary", "Origin");
    if (origin && *origin) {
        add(&head, "access-control-allow-origin", origin);
        put_fixed(&head, "access-control-expose-headers", SC__HTTP_EXPOSED);
    }
    for (size_t i = 0; i < count; i++) {
        add(&head, headers[i].name, headers[i].value);
    }
    const nghttp2_data_provider body = {.source = {.ptr = stream}, .read_callback = on_read};
    stream->is_answered = true;
    stream->since_us = connection->loop->now_us;
    if (nghttp2_submit_response(connection->h2->session, stream->id, head.headers, head.count,
                                has_body ? &body : NULL)) {
        sc__http_connection_doom(connection);
        return;
    }
    sc__http_loop_send_soon(connection);
}

// --- Replies -----------------------------------------------------------------------------------

void sc__http2_reply(sc_http_request *request, int status, const char *type, const void *body,
                     size_t size, const sc_http_header *headers, size_t header_count, bool is_lent)
{
    sc__http2_stream *stream = request->stream;
    sc__http_connection *connection = request->connection;
    char length[NUMBER_ROOM];
    const bool has_length = status != 204 && status != 304;
    const bool has_body = size > 0 && sc__http_reply_has_body(request, status);
    request->is_open = false;
    if (has_body && is_lent) {
        stream->lent = body;
        stream->lent_size = size;
    } else if (has_body) {
        if (!sc__http_buffer_reserve(connection->loop, &stream->reply, size, SMALL_REPLY)) {
            sc__http_connection_doom(connection);
            return;
        }
        memcpy(stream->reply.data, body, size);
        stream->reply.size = size;
    }
    // The body may have been the request's.
    sc__http_buffer_release(connection->loop, &request->bytes);
    request->headers_end = request->headers_at = request->body_size = 0;
    stream->is_ended = true;
    submit(stream, status, type, has_length ? number_text(length, size) : NULL, headers,
           header_count, has_body);
}

void sc__http2_stream_begin(sc_http_request *request, int status, const char *type,
                            const sc_http_header *headers, size_t header_count)
{
    request->is_stream = true;
    submit(request->stream, status, type, NULL, headers, header_count,
           sc__http_reply_has_body(request, status));
}

static void resume(sc__http2_stream *stream)
{
    const sc__http_connection *connection = stream->request.connection;
    if (!stream->is_waiting) return;
    stream->is_waiting = stream->is_paced = false;
    (void)nghttp2_session_resume_data(connection->h2->session, stream->id);
}

void sc__http2_stream_send(sc_http_request *request, const void *bytes, size_t size)
{
    sc__http2_stream *stream = request->stream;
    sc__http_connection *connection = request->connection;
    const size_t most = connection->loop->http->options.max_stream_bytes;
    const size_t waiting = stream->reply.size - stream->reply_at;
    if (size == 0 || connection->stage == SC__HTTP_DOOMED || request->method == SC_HTTP_HEAD) {
        return;
    }
    if (size > most || waiting > most - size ||
        !sc__http_buffer_reserve(connection->loop, &stream->reply, size, SMALL_REPLY)) {
        sc__http_connection_doom(connection);
        return;
    }
    memcpy(stream->reply.data + stream->reply.size, bytes, size);
    stream->reply.size += size;
    resume(stream);
    sc__http_loop_send_soon(connection);
}

void sc__http2_stream_end(sc_http_request *request)
{
    sc__http2_stream *stream = request->stream;
    request->is_open = false;
    request->is_stream = false;
    stream->is_ended = true;
    stream->since_us = request->connection->loop->now_us;
    resume(stream);
    sc__http_loop_send_soon(request->connection);
}

void sc__http2_pace(sc__http_connection *connection)
{
    sc__http2_stream *stream = NULL;
    TAILQ_FOREACH(stream, &connection->h2->streams, link)
    {
        if (stream->is_paced) resume(stream);
    }
    sc__http_loop_send_soon(connection);
}

bool sc__http2_is_lent(const sc__http_connection *connection, const void *bytes, size_t size)
{
    const sc__http2_stream *stream = NULL;
    TAILQ_FOREACH(stream, &connection->h2->streams, link)
    {
        if (stream->lent_size > 0 && (uintptr_t)stream->lent - (uintptr_t)bytes < size) return true;
    }
    return false;
}
