/**
 * @file http2_caller.h
 * @brief A client of HTTP/2 for tests, by nghttp2; and raw frames, for what nghttp2 would not send.
 *
 *     http2_caller *c = http2_dial(address);
 *     const int32_t id = http2_ask(c, "GET", "/now", NULL, 0);
 *     const http2_reply *reply = http2_receive(c, id);    // status, body
 *     http2_hang_up(c);
 *
 * Waiting for more than 10 s fails the test.
 */
#ifndef SC_TESTS_SUPPORT_HTTP2_CALLER_H
#define SC_TESTS_SUPPORT_HTTP2_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct http2_caller http2_caller;

typedef struct http2_reply {
    int32_t id;
    int status;  ///< 0: none came yet
    char *body;  ///< ended by NUL
    size_t size;
    char *headers;   ///< "name: value\n" of each
    bool is_closed;  ///< the stream has ended
    uint32_t error;  ///< with this
    bool was_told_to_go_on;
} http2_reply;

/** Connect by prior knowledge. */
http2_caller *http2_dial(const char *address);

/** Open a stream. With `body` NULL none follows; its bytes must stay until the reply has come. */
int32_t http2_ask(http2_caller *c, const char *method, const char *path, const void *body,
                  size_t size);

/** The same with one header more. */
int32_t http2_ask_with(http2_caller *c, const char *method, const char *path, const char *name,
                       const char *value, const void *body, size_t size);

/** Open a stream and never end the request. */
int32_t http2_begin(http2_caller *c, const char *path);

/** Wait until the stream has ended. Lent until http2_hang_up(). */
const http2_reply *http2_receive(http2_caller *c, int32_t id);

/** Wait until `size` bytes of the body have come. */
const http2_reply *http2_receive_some(http2_caller *c, int32_t id, size_t size);

void http2_reset(http2_caller *c, int32_t id);

/** Send what there is; replies are not waited for. */
void http2_send(http2_caller *c);

/** Take no more of any reply: no window is opened from now on. */
void http2_stop_taking(http2_caller *c);

/** Wait until the server closes the connection. */
void http2_await_end(http2_caller *c);

/** Whether the server has said that no more streams are to be opened. */
bool http2_is_going_away(const http2_caller *c);

void http2_hang_up(http2_caller *c);

// --- Raw frames ----------------------------------------------------------------------------------

/** The bytes with which a client begins: the preface and empty settings. */
extern const char http2_beginning[];
extern const size_t http2_beginning_size;

/** Write a frame to `out`, which has room for 9 bytes more than the payload; its size. */
size_t http2_frame(char *out, unsigned type, unsigned flags, uint32_t stream, const void *payload,
                   size_t size);

/** The head of "GET /now", Host "x", without compression; its size. */
size_t http2_head(char *out);

#endif
