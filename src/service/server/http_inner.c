// A request within a request: what Oblivious HTTP carries sealed, once it was opened.
//
// It is a request like any other for the handler: with headers and a body of its own, answered at
// once or later, told if the client goes. It has no connection of its own: that of the outer
// request is the one that its loop and address are taken from, and nothing is sent there. Its reply
// is handed to the opener.
//
// Invariants:
//  1. While the inner request is open, `gone` of the outer one leads here.
//  2. The opener hears of it exactly once: `reply`, or `gone`.
#include "server/http_internal.h"

#include "base/alloc.h"

#include <string.h>

struct sc__http_inner {
    sc_http_request request;  ///< first: the handler's
    sc_http_request *outer;
    sc__http_loop *loop;
    void (*reply)(void *context, const sc_http_inner_reply *reply);
    void (*gone)(void *context);
    void *context;
};

static void end(sc__http_inner *inner)
{
    sc__http_buffer_release(inner->loop, &inner->request.bytes);
    explicit_bzero(inner, sizeof *inner);
    sc_free(inner);
}

/** The outer request's client has gone. */
static void outer_gone(void *context)
{
    sc__http_inner *inner = context;
    sc_http_request *request = &inner->request;
    request->is_open = false;
    if (request->gone) request->gone(request->gone_context);
    void (*gone)(void *) = inner->gone;
    void *gone_context = inner->context;
    end(inner);
    gone(gone_context);
}

static size_t room_for(const sc_http_inner *call)
{
    size_t room = call->target.size + 2 + call->body_size;
    for (size_t i = 0; i < 2 * call->header_count; i++) {
        room += call->headers[i].size + 1;
    }
    return room;
}

static uint32_t put(sc__http_buffer *bytes, const void *text, size_t size)
{
    const size_t at = bytes->size;
    if (size > 0) memcpy(bytes->data + at, text, size);
    bytes->size += size;
    return (uint32_t)at;
}

static uint32_t put_text(sc__http_buffer *bytes, const char *text, size_t size)
{
    const uint32_t at = put(bytes, text, size);
    put(bytes, "", 1);
    return at;
}

/** Path and search. False if the target is no path. */
static bool put_target(sc_http_request *request, sc_slice target)
{
    sc__http_buffer *bytes = &request->bytes;
    if (target.size == 0 || target.text[0] != '/' || memchr(target.text, '\0', target.size)) {
        return false;
    }
    const char *mark = memchr(target.text, '?', target.size);
    const size_t path_size = mark ? (size_t)(mark - target.text) : target.size;
    request->path_at = put_text(bytes, target.text, path_size);
    request->search_at =
        mark ? put_text(bytes, mark + 1, target.size - path_size - 1) : put_text(bytes, "", 0);
    return sc__http_decode(bytes->data + request->path_at);
}

/** As a request's bytes are laid out (http_internal.h). */
static bool fill(sc_http_request *request, const sc_http_inner *call)
{
    sc__http_buffer *bytes = &request->bytes;
    request->method = sc__http_method_of(call->method.text, call->method.size);
    if (!put_target(request, call->target)) return false;
    request->headers_at = (uint32_t)bytes->size;
    for (size_t i = 0; i < 2 * call->header_count; i++) {
        put_text(bytes, call->headers[i].text, call->headers[i].size);
    }
    request->headers_end = (uint32_t)bytes->size;
    request->body_at = put(bytes, call->body, call->body_size);
    request->body_size = (uint32_t)call->body_size;
    return true;
}

sc_err sc_http_inner_handle(sc_http_request *outer, const sc_http_inner *call)
{
    sc__http_loop *loop = outer->connection->loop;
    const size_t room = room_for(call);
    sc__http_inner *inner = sc_calloc(1, sizeof *inner);
    if (!inner) return SC_ENOMEM;
    sc_http_request *request = &inner->request;
    request->connection = outer->connection;
    if (room > UINT32_MAX || !sc__http_buffer_reserve(loop, &request->bytes, room, room)) {
        sc_free(inner);
        return SC_ENOMEM;
    }
    if (!fill(request, call)) {
        sc__http_buffer_release(loop, &request->bytes);
        sc_free(inner);
        return SC_EPARSE;
    }
    // It may wait for long: what it carried must not lie in two places for all of that time.
    sc_http_request_forget_body(outer);
    sc_http_request_forget_headers(outer);
    request->inner = inner;
    request->is_open = true;
    inner->outer = outer;
    inner->loop = loop;
    inner->reply = call->reply;
    inner->gone = call->gone;
    inner->context = call->context;
    sc_http_on_gone(outer, outer_gone, inner);
    loop->http->options.handle(loop->http->options.context, loop->index, request);
    return SC_OK;
}

void sc__http_inner_reply(sc_http_request *request, const sc_http_inner_reply *reply)
{
    sc__http_inner *inner = request->inner;
    sc_http_inner_reply seen = *reply;
    if (!sc__http_reply_has_body(request, seen.status)) seen.size = 0;
    request->is_open = false;
    sc_http_on_gone(inner->outer, NULL, NULL);
    void (*tell)(void *, const sc_http_inner_reply *) = inner->reply;
    void *context = inner->context;
    // Lent texts may lie in the request's own memory: so it ends afterwards.
    tell(context, &seen);
    end(inner);
}

bool sc_http_request_is_inner(const sc_http_request *request)
{
    return request->inner != NULL;
}
