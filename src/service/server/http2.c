// HTTP/2: a connection with many requests at once. Frames and header compression are nghttp2's.
//
// A stream is one request and its reply. Its request is that of http.h, as with HTTP/1.1; replies
// are collected during a round of the loop and sent together at its end.
//
// What a client can use is bounded, beyond what HTTP/1.1 bounds:
//
//  - streams: MAX_STREAMS at once; no new one while MAX_UNREAD bytes are of requests that are not
//    whole.
//  - rapid reset: streams that are opened and reset faster than RESETS_PER_S end the connection,
//    whoever resets them: if a client breaks the rules in a stream of its own, it is we who reset
//    it.
//  - CONTINUATION: nghttp2 ends a connection with more than 8 for one head.
//  - header bombs: heads beyond `max_header_bytes` are refused while they are unpacked; there is no
//    table of earlier headers (SETTINGS_HEADER_TABLE_SIZE 0), which also means that tokens do not
//    stay in memory with the connection.
//  - SETTINGS, PING: nghttp2 ends a connection that owes the peer more than MAX_OWED of replies.
//  - bodies: one window for the whole connection, as much as one request of HTTP/1.1.
//  - slow readers: a reply of which too little is taken in `write_timeout_s` ends the connection,
//    whether the socket is full or the peer opens no window.
//
// Invariants:
//  1. nghttp2 is not called to send while it is called to receive, nor from within a handler: what
//     is to be sent is collected at the end of the round (sc__http2_send()).
//  2. A stream lives until nghttp2 closes it, or the connection ends; an open request is then gone.
#include "server/http2_internal.h"

#include "base/alloc.h"

#include <malloc.h>
#include <string.h>
#include <strings.h>

enum {
    MAX_STREAMS = 100,
    MAX_UNREAD = 131072,  ///< bytes; enough for MAX_STREAMS requests of usual size
    MAX_OWED = 200,
    RESETS_PER_S = 50,
    RESET_BURST = 200,
    WINDOW = 65535,  ///< of the connection; what HTTP/2 begins with
    READ_ROOM = 16384,
    READS_AT_ONCE = 16,    ///< then other connections get their turn
    SEND_AT_ONCE = 65536,  ///< collected before the socket is asked
};

// --- Memory: wiped when it is freed, since heads and bodies pass through nghttp2's
// ----------------

static void *take(size_t size, void *context)
{
    (void)context;
    return sc_malloc(size);
}

static void give_back(void *memory, void *context)
{
    (void)context;
    sc__http_wipe_free(memory);
}

static void *take_zeroed(size_t count, size_t size, void *context)
{
    (void)context;
    return sc_calloc(count, size);
}

// realloc() would leave a copy behind where the memory was.
static void *take_again(void *old, size_t size, void *context)
{
    void *larger = take(size, context);
    if (!larger || !old) return larger;
    const size_t had = malloc_usable_size(old);
    memcpy(larger, old, had < size ? had : size);
    give_back(old, context);
    return larger;
}

// --- Streams -----------------------------------------------------------------------------------

static sc__http2_stream *stream_new(sc__http_connection *connection, int32_t id)
{
    sc__http2 *h2 = connection->h2;
    sc__http2_stream *stream = sc_calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->id = id;
    stream->since_us = connection->loop->now_us;
    stream->request.connection = connection;
    stream->request.stream = stream;
    TAILQ_INSERT_TAIL(&h2->streams, stream, link);
    h2->count++;
    return stream;
}

static void stream_free(sc__http2_stream *stream)
{
    sc__http_connection *connection = stream->request.connection;
    sc__http2 *h2 = connection->h2;
    // Of a body that will not be read, the window is for others.
    if (!stream->is_whole && !stream->is_refused) {
        nghttp2_session_consume_connection(h2->session, stream->request.body_size);
    }
    TAILQ_REMOVE(&h2->streams, stream, link);
    h2->count--;
    if (!stream->is_whole) h2->unread -= stream->unread;
    sc__http_request_break(&stream->request);
    sc__http_buffer_release(connection->loop, &stream->reply);
    sc_free(stream);
}

static void become_whole(sc__http2_stream *stream)
{
    if (stream->is_whole) return;
    stream->is_whole = true;
    stream->request.connection->h2->unread -= stream->unread;
}

static sc__http2_stream *stream_of(nghttp2_session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session, id);
}

// --- Requests ----------------------------------------------------------------------------------

/** Reply with a problem of the server's own, and read no more of the request. */
static void refuse(sc__http2_stream *stream, int status)
{
    enum { PROBLEM_ROOM = 2048 };
    sc__http_loop *loop = stream->request.connection->loop;
    const sc_http_options *o = &loop->http->options;
    char problem[PROBLEM_ROOM];
    if (stream->is_refused || stream->is_answered) return;
    stream->is_refused = true;
    const size_t size = o->problem ? o->problem(o->context, status, problem, sizeof problem) : 0;
    sc__http_count(&loop->refused);
    sc__http2_reply(&stream->request, status, size > 0 ? "application/problem+json" : NULL, problem,
                    size, NULL, 0, false);
}

static bool append(sc__http2_stream *stream, const void *text, size_t size)
{
    sc__http_buffer *bytes = &stream->request.bytes;
    sc__http_connection *connection = stream->request.connection;
    if (!sc__http_buffer_reserve(connection->loop, bytes, size + 1, SC__HTTP_SMALL_BLOCK)) {
        return false;
    }
    if (size > 0) memcpy(bytes->data + bytes->size, text, size);
    bytes->size += size;
    stream->unread += size + 1;
    connection->h2->unread += size + 1;
    return true;
}

static bool append_text(sc__http2_stream *stream, const void *text, size_t size)
{
    if (!append(stream, text, size)) return false;
    stream->request.bytes.data[stream->request.bytes.size++] = '\0';
    return true;
}

/** Path and search lie among the headers, as name and value. The status to refuse with, or 0. */
static int take_path(sc__http2_stream *stream, const char *target, size_t size)
{
    sc_http_request *request = &stream->request;
    const char *mark = memchr(target, '?', size);
    const size_t path_size = mark ? (size_t)(mark - target) : size;
    if (path_size == 0 || target[0] != '/' || memchr(target, '#', size)) return 400;
    if (path_size > 1 && target[1] == '/') return 400;
    request->path_at = (uint32_t)request->bytes.size;
    if (!append_text(stream, target, path_size)) return 503;
    char *path = request->bytes.data + request->path_at;
    if (!sc__http_decode(path)) return 400;
    request->bytes.size = request->path_at + strlen(path) + 1;
    request->search_at = (uint32_t)request->bytes.size;
    stream->has_path = true;
    return append_text(stream, mark ? mark + 1 : "", mark ? size - path_size - 1 : 0) ? 0 : 503;
}

/** One header, as those of HTTP/1.1; the status to refuse with, or 0. */
static int take_header(sc__http2_stream *stream, const char *name, size_t name_size,
                       const char *value, size_t value_size)
{
    sc_http_request *request = &stream->request;
    const size_t most = request->connection->loop->http->options.max_header_bytes;
    if (request->bytes.size + name_size + value_size + 2 > most) return 431;
    if (name[0] == ':') {
        if (strcmp(name, ":method") == 0) {
            request->method = sc__http_method_of(value, value_size);
            return 0;
        }
        if (strcmp(name, ":path") == 0) return take_path(stream, value, value_size);
        if (strcmp(name, ":authority") != 0) return 0;
        name = "host";
        name_size = strlen(name);
    }
    // One look at the first letter: most are none of these.
    if (name[0] == 'h' && strcmp(name, "host") == 0) {
        if (stream->has_host) {
            const char *other = sc_http_request_header(request, "host");
            return other && strlen(other) == value_size && memcmp(other, value, value_size) == 0
                       ? 0
                       : 400;
        }
        stream->has_host = true;
    }
    if (name[0] == 'e' && strcmp(name, "expect") == 0 && strcasecmp(value, "100-continue") != 0)
        return 417;
    if (!append_text(stream, name, name_size) || !append_text(stream, value, value_size)) {
        return 503;
    }
    request->headers_end = (uint32_t)request->bytes.size;
    return 0;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    sc__http_connection *connection = context;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    if (connection->h2->unread >= MAX_UNREAD) {
        sc__http_count(&connection->loop->refused);
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    sc__http2_stream *stream = stream_new(connection, frame->hd.stream_id);
    if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                     void *context)
{
    (void)flags;
    (void)context;
    sc__http2_stream *stream = stream_of(session, frame->hd.stream_id);
    // Trailers are left out.
    if (!stream || stream->is_refused || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    const int status =
        take_header(stream, (const char *)name, name_size, (const char *)value, value_size);
    if (status) refuse(stream, status);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t size, void *context)
{
    (void)flags;
    const sc__http_connection *connection = context;
    sc__http2_stream *stream = stream_of(session, id);
    if (!stream || stream->is_refused) {
        nghttp2_session_consume(session, id, size);
        return 0;
    }
    sc_http_request *request = &stream->request;
    if (request->body_size == 0) request->body_at = (uint32_t)request->bytes.size;
    if (request->body_size + size > connection->loop->http->options.max_body_bytes) {
        nghttp2_session_consume(session, id, request->body_size + size);
        refuse(stream, 413);
    } else if (!append(stream, data, size)) {
        nghttp2_session_consume(session, id, request->body_size + size);
        refuse(stream, 503);
    } else {
        request->body_size += (uint32_t)size;
    }
    return 0;
}

/** The request is whole. */
static void handle(sc__http2_stream *stream)
{
    sc_http_request *request = &stream->request;
    sc__http_connection *connection = request->connection;
    sc__http_loop *loop = connection->loop;
    become_whole(stream);
    nghttp2_session_consume(connection->h2->session, stream->id, request->body_size);
    if (stream->is_refused) return;
    if (!stream->has_path || !stream->has_host) {
        refuse(stream, 400);
        return;
    }
    const int status =
        connection->is_forwarded ? sc__http_forwarded_take(request, request->bytes.data) : 0;
    if (status) {
        refuse(stream, status);
        return;
    }
    sc__http_admission_promote(connection);
    sc__http_count(&loop->requests);
    request->is_open = true;
    loop->http->options.handle(loop->http->options.context, loop->index, request);
}

/** The head is whole and a body is to come: a client that waits is told to go on. */
static void tell_to_go_on(sc__http2_stream *stream)
{
    static const nghttp2_nv go_on = {(uint8_t *)":status", (uint8_t *)"100", 7, 3,
                                     NGHTTP2_NV_FLAG_NONE};
    const sc_http_request *request = &stream->request;
    if (stream->is_refused || !sc_http_request_header(request, "expect")) return;
    (void)nghttp2_submit_headers(request->connection->h2->session, NGHTTP2_FLAG_NONE, stream->id,
                                 NULL, &go_on, 1, NULL);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    (void)context;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    sc__http2_stream *stream = stream_of(session, frame->hd.stream_id);
    if (!stream || stream->is_whole) return 0;
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
        handle(stream);
    } else if (frame->hd.type == NGHTTP2_HEADERS) {
        tell_to_go_on(stream);
    }
    return 0;
}

/** A stream has ended by an error, the peer's or ours about what it did: more than RESET_BURST of
 * them, less RESETS_PER_S, and the connection ends. nghttp2 counts what the peer resets only. */
static void count_broken(sc__http_connection *connection)
{
    static const int64_t each_us = 1000000 / RESETS_PER_S;
    sc__http2 *h2 = connection->h2;
    const int64_t now_us = connection->loop->now_us;
    if (h2->broken_until_us < now_us) h2->broken_until_us = now_us;
    h2->broken_until_us += each_us;
    if (h2->is_broken || h2->broken_until_us - now_us <= RESET_BURST * each_us) return;
    h2->is_broken = true;
    sc__http_count(&connection->loop->refused);
    (void)nghttp2_session_terminate_session(h2->session, NGHTTP2_ENHANCE_YOUR_CALM);
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *context)
{
    sc__http2_stream *stream = stream_of(session, id);
    if (!stream) return 0;
    if (error != NGHTTP2_NO_ERROR) count_broken(context);
    stream_free(stream);
    return 0;
}

/** A reply was sent as a whole: if its request is not, since it was refused, no more of it is
 * wanted. A reset before that would take the reply back. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    (void)context;
    const bool has_payload = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!has_payload || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    const sc__http2_stream *stream = stream_of(session, frame->hd.stream_id);
    if (!stream || stream->is_whole) return 0;
    return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_NO_ERROR);
}

// --- Bytes in and out --------------------------------------------------------------------------

/** Whether the client waits for us; else it is we who wait, for its requests or for room in its
 * windows. */
static bool owes_reply(const sc__http2 *h2)
{
    const sc__http2_stream *stream = NULL;
    TAILQ_FOREACH(stream, &h2->streams, link)
    {
        if (stream->request.is_open || stream->is_paced) return true;
    }
    return false;
}

/** Whether the client has taken enough of its replies since this was last so. */
static bool has_taken_some(sc__http2 *h2)
{
    enum { ENOUGH = 2048 };  // in a second, when others want its place (http_admission.c)
    if (h2->taken - h2->taken_before < ENOUGH) return false;
    h2->taken_before = h2->taken;
    return true;
}

/** The stage follows from what there is to do. A connection that only keeps us waiting is READING,
 * as a slow one of HTTP/1.1: it makes room if it does so for long. */
static void choose_stage(sc__http_connection *connection)
{
    if (connection->fd < 0 || connection->stage == SC__HTTP_DOOMED) return;
    sc__http2 *h2 = connection->h2;
    const sc__http_stage stage = sc__http_io_waiting(connection) > 0 ? SC__HTTP_WRITING
                                 : h2->count == 0                    ? SC__HTTP_IDLE
                                 : owes_reply(h2)                    ? SC__HTTP_WAITING
                                                                     : SC__HTTP_READING;
    if (stage != connection->stage || (stage == SC__HTTP_READING && has_taken_some(h2))) {
        sc__http_connection_enter(connection, stage);
    }
}

/** Collect frames, as many as go out at once; false if the session is of no use any more. */
static bool collect(sc__http_connection *connection)
{
    while (sc__http_io_waiting(connection) < SEND_AT_ONCE) {
        const uint8_t *bytes = NULL;
        const ssize_t size = nghttp2_session_mem_send(connection->h2->session, &bytes);
        if (size < 0) return false;
        if (size == 0) return true;
        const struct iovec piece = {(void *)bytes, (size_t)size};
        if (!sc__http_io_keep(connection, &piece)) return false;
    }
    return true;
}

/** Streams there are go on; new ones are for another connection. */
static void say_that_it_ends(sc__http_connection *connection)
{
    sc__http2 *h2 = connection->h2;
    if (h2->is_ending) return;
    h2->is_ending = true;
    (void)nghttp2_submit_goaway(h2->session, NGHTTP2_FLAG_NONE,
                                nghttp2_session_get_last_proc_stream_id(h2->session),
                                NGHTTP2_NO_ERROR, NULL, 0);
}

void sc__http2_send(sc__http_connection *connection)
{
    const sc__http2 *h2 = connection->h2;
    bool all_sent = true;
    if (connection->fd < 0 || connection->stage == SC__HTTP_DOOMED) return;
    if (connection->loop->is_draining || connection->is_reserve) say_that_it_ends(connection);
    do {
        if (!collect(connection)) {
            sc__http_connection_doom(connection);
            return;
        }
        if (sc__http_io_waiting(connection) == 0) break;
        if (!sc__http_io_flush(connection, &all_sent)) {
            sc__http_connection_doom(connection);
            return;
        }
    } while (all_sent);
    const bool is_over =
        !nghttp2_session_want_read(h2->session) && !nghttp2_session_want_write(h2->session);
    if (is_over && all_sent) {
        sc__http_connection_part(connection);
    } else {
        choose_stage(connection);
    }
}

/** Give bytes to nghttp2, which calls us for what they mean; false if the connection must end. */
static bool receive(sc__http_connection *connection, const char *bytes, size_t size)
{
    const ssize_t taken =
        nghttp2_session_mem_recv(connection->h2->session, (const uint8_t *)bytes, size);
    if (taken >= 0) return true;
    sc__http_count(&connection->loop->refused);
    return false;
}

void sc__http2_read(sc__http_connection *connection)
{
    char bytes[READ_ROOM];
    for (int i = 0; i < READS_AT_ONCE && connection->may_read; i++) {
        size_t size = 0;
        const sc__http_read read = sc__http_io_read(connection, bytes, sizeof bytes, &size);
        if (read == SC__HTTP_READ_NOTHING) break;
        if (read != SC__HTTP_READ_SOME) {
            sc__http_connection_part(connection);
            return;
        }
        const bool is_good = receive(connection, bytes, size);
        explicit_bzero(bytes, size);
        if (!is_good) {
            // What nghttp2 has to say about it is still sent.
            sc__http2_send(connection);
            if (connection->fd >= 0) sc__http_connection_doom(connection);
            return;
        }
    }
    sc__http_loop_send_soon(connection);
    if (connection->may_read) sc__http_loop_again(connection);
}

// --- Time limits -------------------------------------------------------------------------------

/** Whether the peer takes its reply: enough of it since the last look, if that is long ago. */
static bool is_taken(sc__http2_stream *stream, int64_t now_us, int64_t limit_us)
{
    if (now_us - stream->since_us < limit_us || stream->is_paced) return true;
    const uint64_t since = stream->taken - stream->taken_before;
    const bool waits = stream->request.is_stream && stream->is_waiting;
    if (since < SC__HTTP_PIECE && !waits) return false;
    stream->taken_before = stream->taken;
    stream->since_us = now_us;
    return true;
}

void sc__http2_sweep(sc__http_connection *connection)
{
    sc__http_loop *loop = connection->loop;
    const sc_http_options *o = &loop->http->options;
    const int64_t request_us = (int64_t)(o->request_timeout_s * 1e6);
    const int64_t write_us = (int64_t)(o->write_timeout_s * 1e6);
    sc__http2_stream *stream = NULL;
    TAILQ_FOREACH(stream, &connection->h2->streams, link)
    {
        if (stream->is_answered) {
            if (is_taken(stream, loop->now_us, write_us)) continue;
            sc__http_count(&loop->refused);
            sc__http_count(&loop->stalled);
            sc__http_connection_reset(connection);
            return;
        }
        if (stream->is_whole || loop->now_us - stream->since_us < request_us) continue;
        nghttp2_session_consume(connection->h2->session, stream->id, stream->request.body_size);
        refuse(stream, 408);
    }
    sc__http_loop_send_soon(connection);
}

// --- Beginning and end -------------------------------------------------------------------------

static void set_options(nghttp2_option *option)
{
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_max_outbound_ack(option, MAX_OWED);
    nghttp2_option_set_stream_reset_rate_limit(option, RESET_BURST, RESETS_PER_S);
    nghttp2_option_set_no_closed_streams(option, 1);
}

static int make_session(sc__http_connection *connection)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    nghttp2_mem memory = {
        .malloc = take, .free = give_back, .calloc = take_zeroed, .realloc = take_again};
    int failed = nghttp2_session_callbacks_new(&callbacks);
    if (!failed) failed = nghttp2_option_new(&option);
    if (!failed) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
        set_options(option);
        failed = nghttp2_session_server_new3(&connection->h2->session, callbacks, connection,
                                             option, &memory);
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return failed;
}

static int submit_settings(const sc__http_connection *connection)
{
    const nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, MAX_STREAMS},
        {NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, 0},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
         (uint32_t)connection->loop->http->options.max_header_bytes},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
    };
    return nghttp2_submit_settings(connection->h2->session, NGHTTP2_FLAG_NONE, entries,
                                   sizeof entries / sizeof entries[0]);
}

bool sc__http2_begin(sc__http_connection *connection)
{
    connection->h2 = sc_calloc(1, sizeof *connection->h2);
    if (!connection->h2) return false;
    TAILQ_INIT(&connection->h2->streams);
    TAILQ_INSERT_TAIL(&connection->loop->http2, connection, http2_link);
    if (make_session(connection) || submit_settings(connection)) return false;
    sc__http_buffer *input = &connection->input;
    const bool is_good = input->size == 0 || receive(connection, input->data, input->size);
    sc__http_buffer_release(connection->loop, input);
    connection->reader = (sc__http_reader){0};
    sc__http_loop_send_soon(connection);
    choose_stage(connection);
    return is_good;
}

void sc__http2_free(sc__http_connection *connection)
{
    sc__http2 *h2 = connection->h2;
    if (!h2) return;
    sc__http2_stream *stream = NULL;
    while ((stream = TAILQ_FIRST(&h2->streams))) {
        stream_free(stream);
    }
    TAILQ_REMOVE(&connection->loop->http2, connection, http2_link);
    nghttp2_session_del(h2->session);
    sc_free(h2);
    connection->h2 = NULL;
}
