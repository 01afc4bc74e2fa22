// A client of HTTP/2 for tests: nghttp2's client over a blocking socket.
#include "support/http2_caller.h"

#include "support/check.h"
#include "support/http_caller.h"

#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { MAX_REPLIES = 512, PATIENCE_MS = 10000, READ_ROOM = 65536 };

struct http2_caller {
    caller line;
    nghttp2_session *session;
    http2_reply *replies[MAX_REPLIES];
    size_t count;
    bool is_over;
    bool is_going_away;
    bool takes_nothing;
};

typedef struct upload {
    const char *bytes;
    size_t size;
    bool never_ends;
} upload;

static http2_reply *find(const http2_caller *c, int32_t id)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->replies[i]->id == id) return c->replies[i];
    }
    return NULL;
}

static void append(char **text, size_t *size, const void *bytes, size_t more)
{
    *text = realloc(*text, *size + more + 1);
    assert_non_null(*text);
    memcpy(*text + *size, bytes, more);
    *size += more;
    (*text)[*size] = '\0';
}

// --- What nghttp2 calls --------------------------------------------------------------------------

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                     void *context)
{
    (void)session;
    (void)flags;
    http2_reply *reply = find(context, frame->hd.stream_id);
    if (!reply) return 0;
    if (name_size == 7 && memcmp(name, ":status", 7) == 0) {
        const int status = (int)strtol((const char *)value, NULL, 10);
        if (status == 100) {
            reply->was_told_to_go_on = true;
        } else {
            reply->status = status;
        }
        return 0;
    }
    size_t size = strlen(reply->headers);
    append(&reply->headers, &size, name, name_size);
    append(&reply->headers, &size, ": ", 2);
    append(&reply->headers, &size, value, value_size);
    append(&reply->headers, &size, "\n", 1);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
                   size_t size, void *context)
{
    (void)flags;
    http2_caller *c = context;
    http2_reply *reply = find(c, id);
    if (reply) append(&reply->body, &reply->size, bytes, size);
    if (!c->takes_nothing) nghttp2_session_consume(session, id, size);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *context)
{
    (void)session;
    http2_reply *reply = find(context, id);
    if (reply) {
        reply->is_closed = true;
        reply->error = error;
    }
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    (void)session;
    if (frame->hd.type == NGHTTP2_GOAWAY) ((http2_caller *)context)->is_going_away = true;
    return 0;
}

static ssize_t on_read(nghttp2_session *session, int32_t id, uint8_t *to, size_t room,
                       uint32_t *flags, nghttp2_data_source *source, void *context)
{
    (void)session;
    (void)id;
    (void)context;
    upload *u = source->ptr;
    if (u->never_ends) return NGHTTP2_ERR_DEFERRED;
    const size_t size = u->size < room ? u->size : room;
    memcpy(to, u->bytes, size);
    u->bytes += size;
    u->size -= size;
    if (u->size == 0) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        free(u);
    }
    return (ssize_t)size;
}

// --- Connections ---------------------------------------------------------------------------------

http2_caller *http2_dial(const char *address)
{
    http2_caller *c = test_take(1, sizeof *c);
    c->line = caller_dial(address);
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    assert_int_equal(nghttp2_session_callbacks_new(&callbacks), 0);
    assert_int_equal(nghttp2_option_new(&option), 0);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    assert_int_equal(nghttp2_session_client_new2(&c->session, callbacks, c, option), 0);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(option);
    assert_int_equal(nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, NULL, 0), 0);
    return c;
}

static nghttp2_nv header(const char *name, const char *value)
{
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value),
                        NGHTTP2_NV_FLAG_NONE};
}

static int32_t open_stream(http2_caller *c, const char *method, const char *path, const char *name,
                           const char *value, upload *body)
{
    const nghttp2_nv headers[] = {header(":method", method), header(":scheme", "http"),
                                  header(":authority", "x"), header(":path", path),
                                  header(name ? name : "", value ? value : "")};
    const nghttp2_data_provider provider = {.source = {.ptr = body}, .read_callback = on_read};
    assert_true(c->count < MAX_REPLIES);
    const int32_t id = nghttp2_submit_request(c->session, NULL, headers, name ? 5 : 4,
                                              body ? &provider : NULL, NULL);
    assert_true(id > 0);
    http2_reply *reply = test_take(1, sizeof *reply);
    reply->id = id;
    reply->body = test_take(1, 1);
    reply->headers = test_take(1, 1);
    c->replies[c->count++] = reply;
    return id;
}

int32_t http2_ask_with(http2_caller *c, const char *method, const char *path, const char *name,
                       const char *value, const void *body, size_t size)
{
    upload *u = NULL;
    if (body) {
        u = test_take(1, sizeof *u);
        *u = (upload){.bytes = body, .size = size};
    }
    return open_stream(c, method, path, name, value, u);
}

int32_t http2_ask(http2_caller *c, const char *method, const char *path, const void *body,
                  size_t size)
{
    return http2_ask_with(c, method, path, NULL, NULL, body, size);
}

int32_t http2_begin(http2_caller *c, const char *path)
{
    static upload endless = {.never_ends = true};
    return open_stream(c, "POST", path, NULL, NULL, &endless);
}

void http2_send(http2_caller *c)
{
    for (;;) {
        const uint8_t *bytes = NULL;
        const ssize_t size = nghttp2_session_mem_send(c->session, &bytes);
        assert_true(size >= 0);
        if (size == 0) return;
        caller_send_bytes(&c->line, bytes, (size_t)size);
    }
}

/** Send, and take what comes; waits for something. */
static void pump(http2_caller *c)
{
    static char bytes[READ_ROOM];
    http2_send(c);
    struct pollfd wait = {.fd = c->line.fd, .events = POLLIN};
    if (poll(&wait, 1, PATIENCE_MS) != 1) fail_msg("the server sends nothing");
    const ssize_t got = recv(c->line.fd, bytes, sizeof bytes, 0);
    if (got <= 0) {
        c->is_over = true;
        return;
    }
    assert_int_equal(nghttp2_session_mem_recv(c->session, (const uint8_t *)bytes, (size_t)got),
                     got);
}

const http2_reply *http2_receive(http2_caller *c, int32_t id)
{
    http2_reply *reply = find(c, id);
    while (!reply->is_closed && !c->is_over) {
        pump(c);
    }
    return reply;
}

const http2_reply *http2_receive_some(http2_caller *c, int32_t id, size_t size)
{
    http2_reply *reply = find(c, id);
    while (!reply->is_closed && !c->is_over && reply->size < size) {
        pump(c);
    }
    return reply;
}

void http2_reset(http2_caller *c, int32_t id)
{
    assert_int_equal(nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL),
                     0);
    http2_send(c);
}

void http2_stop_taking(http2_caller *c)
{
    c->takes_nothing = true;
}

void http2_await_end(http2_caller *c)
{
    while (!c->is_over) {
        pump(c);
    }
}

bool http2_is_going_away(const http2_caller *c)
{
    return c->is_going_away;
}

void http2_hang_up(http2_caller *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->replies[i]->body);
        free(c->replies[i]->headers);
        free(c->replies[i]);
    }
    nghttp2_session_del(c->session);
    caller_hang_up(&c->line);
    free(c);
}

// --- Raw frames ----------------------------------------------------------------------------------

const char http2_beginning[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
const size_t http2_beginning_size = sizeof http2_beginning - 1;

size_t http2_frame(char *out, unsigned type, unsigned flags, uint32_t stream, const void *payload,
                   size_t size)
{
    const unsigned char head[9] = {
        (unsigned char)(size >> 16),   (unsigned char)(size >> 8),   (unsigned char)size,
        (unsigned char)type,           (unsigned char)flags,         (unsigned char)(stream >> 24),
        (unsigned char)(stream >> 16), (unsigned char)(stream >> 8), (unsigned char)stream};
    memcpy(out, head, sizeof head);
    if (size > 0) memcpy(out + sizeof head, payload, size);
    return sizeof head + size;
}

size_t http2_head(char *out)
{
    // Of the static table: GET, http; then the path and the authority as they are.
    static const char head[] = "\x82\x86\x04\x04/now\x01\x01x";
    memcpy(out, head, sizeof head - 1);
    return sizeof head - 1;
}
