/**
 * @file web_client.h
 * @brief A client on a plain socket, which shows a reply as it came: for tests of HTTP pages.
 *
 *     web_reply reply = web_ask("127.0.0.1:40123", "GET", "/v1/map", "Accept-Encoding: gzip\r\n",
 * NULL);
 *     ...
 *     web_reply_free(&reply);
 *
 * A client that waits in vain for more than a minute fails its test.
 */
#ifndef SC_TESTS_SUPPORT_WEB_CLIENT_H
#define SC_TESTS_SUPPORT_WEB_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct web_reply {
    int status;
    char *head;  ///< the status line and headers, ended by NUL
    char *body;  ///< ended by NUL, which does not count
    size_t size;
} web_reply;

/**
 * Ask on a connection of its own and wait for the whole reply.
 *
 * @param headers  lines that end with CR LF; may be ""
 * @param body     JSON; NULL: none
 */
web_reply web_ask(const char *address, const char *method, const char *path, const char *headers,
                  const char *body);
void web_reply_free(web_reply *reply);

/** The value of a header, lent until the next call; "" if it is not there. */
const char *web_header(const web_reply *reply, const char *name);

// --- By hand -------------------------------------------------------------------------------------

/** A connection. close() it. */
int web_connect(const char *address);

/** Send the head of a request, and the body if there is one. */
void web_send(int fd, const char *method, const char *path, const char *headers, const char *body);

/** The reply to what was sent; if it has no length, all that comes until the end. */
web_reply web_receive(int fd);

/** What came on a stream so far. */
typedef struct web_stream {
    char *text;  ///< ended by NUL; free() it
    size_t size;
} web_stream;

/** Read on until `part` has come, behind the first `from` bytes; gives where it begins. */
size_t web_stream_await(int fd, web_stream *stream, size_t from, const char *part);

/** Read on until the other side closes. */
void web_stream_await_end(int fd, web_stream *stream);

#endif
