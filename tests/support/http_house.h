/**
 * @file http_house.h
 * @brief A server of src/service/server for its tests, with a room for each way of answering.
 *
 *     /now        answered at once: "hello"
 *     /echo       what was sent, as it came
 *     /tell       what the server knows of the request: method, path, search, header X-Word
 *     /later      answered by the loop, after another thread has had the request in its hands
 *     /hold       kept; answered by house_release(), or told that it is gone
 *     /forget     the same, but its body and headers are forgotten
 *     /big        answered with HOUSE_BIG bytes
 *     /stream     three pieces, then the end
 *     /flood      a stream that is sent more and more, whether it is read or not
 *     /listen     a stream of one piece that is then left open
 *     /odd        a reply with headers that must be left out, or take the place of others
 *     /empty      204
 *
 * Anything else is 404. Problems of the server itself read {"status":400}.
 *
 * Used by: tests of http.
 */
#ifndef SC_TESTS_SUPPORT_HTTP_HOUSE_H
#define SC_TESTS_SUPPORT_HTTP_HOUSE_H

#include "server/http.h"

enum { HOUSE_BIG = 12 << 20 };

typedef struct house house;

/** One loop, an address of 127.0.0.1 that the kernel chooses, and time limits of 20 s. */
sc_http_options house_options(void);

/** Open and start; the options' handler is the house's own. */
house *house_start(const sc_http_options *options);

/** Stop and free. */
void house_stop(house *h);

sc_http *house_server(const house *h);

/** The first address. */
const char *house_address(const house *h);

/** Answer all that are held, each in its loop. */
void house_release(house *h);

/** How many came, were held, or have gone, since the start. */
unsigned house_requests(const house *h);
unsigned house_held(const house *h);
unsigned house_gone(const house *h);

/** Wait until `count(h)` is `wanted` at least; fails the test after 10 s. */
void house_await(const house *h, unsigned (*count)(const house *h), unsigned wanted);

/** Wait until no connection is left; one that was not accepted yet does not count. */
void house_await_idle(const house *h);

#endif
