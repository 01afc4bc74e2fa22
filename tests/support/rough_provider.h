/**
 * @file rough_provider.h
 * @brief A provider over HTTP that can do everything wrong: a blocking server on the loopback.
 *
 * It answers cloaks as docs/provider-protocol.md says, with threads and sockets and no library in
 * between, so that it can also stop in the middle of anything. What it does with the next exchanges
 * is told beforehand; after that it is good again. It remembers what it was sent.
 */
#ifndef SC_TESTS_SUPPORT_ROUGH_PROVIDER_H
#define SC_TESTS_SUPPORT_ROUGH_PROVIDER_H

#include <starcloak/objects.h>
#include <starcloak/relay_codec.h>

typedef enum rough_mode {
    ROUGH_GOOD,
    ROUGH_SILENT,    ///< takes the request and never answers
    ROUGH_DRIPS,     ///< a byte now and then, and never the last one
    ROUGH_CLOSES,    ///< closes the connection instead of answering
    ROUGH_HALFWAY,   ///< closes it in the middle of the body
    ROUGH_GARBAGE,   ///< a body that is no reply
    ROUGH_NOT_HTTP,  ///< bytes that are not even HTTP
    ROUGH_LIES,      ///< a reply with distances that are half as long
    ROUGH_EMPTY,     ///< 200 without a body
    ROUGH_HUGE,      ///< announces a body of more than the limit
    ROUGH_HUGE_IN_CHUNKS,
    ROUGH_ENDLESS_HEADERS,
    ROUGH_OTHER_TYPE,  ///< a good reply, called text/html
    ROUGH_VERSION_3,   ///< a good reply, labelled as of version 3 of the protocol
    ROUGH_FIRST,       ///< a reply of version 1 of the protocol, as if the version did not matter
    ROUGH_FIRST_415,   ///< refuses the media type, as a provider of version 1 does
    ROUGH_REDIRECTS,   ///< 302 to itself
    ROUGH_REFUSES,     ///< 422 with a title that needs care
    ROUGH_FORBIDS,     ///< 403 without one
    ROUGH_FAILS,       ///< 500
    ROUGH_BUSY,        ///< 503, Retry-After: 1
    ROUGH_BUSY_LONG,   ///< 429, Retry-After: an hour
} rough_mode;

typedef struct rough_provider rough_provider;

/**
 * It has a port, but is down until rough_provider_up(): connecting is refused.
 *
 * @param objects  borrowed; NULL: it replies with the very bytes that it was sent
 */
rough_provider *rough_provider_new(sc_objects *objects, sc_encoding encoding);
void rough_provider_up(rough_provider *provider);

/** Hang up on everyone and end. */
void rough_provider_free(rough_provider *provider);

/** "http://127.0.0.1:PORT/ask"; lent. */
const char *rough_provider_url(const rough_provider *provider);

/** What it does with the next `count` exchanges; those after that go well. */
void rough_provider_next(rough_provider *provider, rough_mode mode, size_t count);

/** How many requests have come as a whole, how many connections were made. */
size_t rough_provider_count(rough_provider *provider);
size_t rough_provider_connections(rough_provider *provider);

/** Most requests that were under way at once. */
size_t rough_provider_most(rough_provider *provider);

/** Request i: its head, ended by NUL, and its body. Lent until it is freed. */
const char *rough_provider_head(rough_provider *provider, size_t i);
sc_bytes rough_provider_body(rough_provider *provider, size_t i);

#endif
