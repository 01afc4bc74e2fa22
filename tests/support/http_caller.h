/**
 * @file http_caller.h
 * @brief A client for tests that says exactly the bytes it is given, over TCP, a unix socket or
 * TLS.
 *
 *     caller c = caller_dial(address);
 *     caller_send(&c, "GET /now HTTP/1.1\r\nHost: x\r\n\r\n");
 *     assert_string_equal(caller_receive(&c), "hello");    // c.status, c.head
 *     caller_hang_up(&c);
 *
 * Waiting for more than 10 s fails the test.
 */
#ifndef SC_TESTS_SUPPORT_HTTP_CALLER_H
#define SC_TESTS_SUPPORT_HTTP_CALLER_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct caller {
    int fd;
    SSL *ssl;     ///< NULL: plain
    char *bytes;  ///< read and not yet heard
    size_t count;
    size_t capacity;
    char *head;  ///< of the last reply, ended by NUL
    char *body;  ///< of the last reply, chunks put together, ended by NUL
    size_t body_size;
    int status;    ///< of the last reply
    bool is_head;  ///< set before hearing a reply to HEAD: there is no body then
} caller;

/** Connect to "127.0.0.1:40123", "[::1]:40123" or "unix:/path". */
caller caller_dial(const char *address);

/** The same, coming from the address `source`; NULL: any. */
caller caller_dial_from(const char *address, const char *source);

/** The same, but -1 for a connection that is refused. */
int caller_try(const char *address);

/** Shake hands over TLS; false if that fails. The context stays the caller's. */
bool caller_secure(caller *c, SSL_CTX *context);

/** Send; whether the other side takes it is not told. */
void caller_send(caller *c, const char *text);
void caller_send_bytes(caller *c, const void *bytes, size_t size);

/** The next reply: its body. Lent until the next one. */
const char *caller_receive(caller *c);

/** Say and hear. */
const char *caller_ask(caller *c, const char *text);

/** Whether a reply comes, and is 200; not, if the other side closes instead. */
bool caller_was_answered(caller *c);

/** Wait until the other side closes; true if it did so without another byte. */
bool caller_is_left(caller *c);

/** Whether nothing comes within `ms`; what comes is kept. */
bool caller_receives_nothing(caller *c, int ms);

void caller_hang_up(caller *c);

/** Hang up so that the other side gets a reset. */
void caller_slam(caller *c);

#endif
