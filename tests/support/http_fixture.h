/**
 * @file http_fixture.h
 * @brief A server of src/service/server for its tests, with a path for each way of answering.
 *
 *     /now        answered at once: "hello"
 *     /echo       what was sent, as it came
 *     /tell       what the server knows of the request: method, path, search, header X-Word
 *     /peer       who the client is ("here", "elsewhere") and where it came in ("public", "admin")
 *     /number     the number of the client's address, in hexadecimal
 *     /place      whether the connection has a "regular" place, or one of the "reserve"
 *     /later      answered by the loop, after another thread has had the request in its hands
 *     /hold       kept; answered by server_release(), or told that it is gone
 *     /forget     the same, but its body and headers are forgotten
 *     /big        answered with SERVER_BIG bytes
 *     /lent       the same from memory that stays
 *     /is-lent    whether a reply of /lent has not been sent as a whole: "yes", "no"
 *     /middling   SERVER_MIDDLING bytes of it, which the kernel takes at once
 *     /stream     three pieces, then the end
 *     /flood      a stream that is sent more and more, whether it is read or not
 *     /listen     a stream of one piece that is then left open
 *     /odd        a reply with headers that must be left out, or take the place of others
 *     /empty      204
 *     /carry?X    carries another request: its body for X, with the header X-Word, by the method of
 *                 the header X-Method; answered by its status and body, as "200 hello"
 *
 * Anything else is 404. Problems of the server itself read {"status":400}.
 */
#ifndef SC_TESTS_SUPPORT_HTTP_FIXTURE_H
#define SC_TESTS_SUPPORT_HTTP_FIXTURE_H

#include "server/http.h"

enum { SERVER_BIG = 12 << 20, SERVER_MIDDLING = 60000 };

typedef struct fixture fixture;

/** One loop, an address of 127.0.0.1 that the kernel chooses, and time limits of 20 s. */
sc_http_options server_options(void);

/** Open and start; the options' handler is the fixture's own. */
fixture *server_start(const sc_http_options *options);

/** Stop and free. */
void server_stop(fixture *h);

sc_http *server_http(const fixture *h);

/** The first address. */
const char *server_address(const fixture *h);

/** Answer all that are held, each in its loop. */
void server_release(fixture *h);

/** How many came, were held, or have gone, since the start. */
unsigned server_requests(const fixture *h);
unsigned server_held(const fixture *h);
unsigned server_gone(const fixture *h);

/** Wait until `count(h)` is `wanted` at least; fails the test after 10 s. */
void server_await(const fixture *h, unsigned (*count)(const fixture *h), unsigned wanted);

/** Wait until no connection is left; one that was not accepted yet does not count. */
void server_await_idle(const fixture *h);

#endif
