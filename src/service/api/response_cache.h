/**
 * @file response_cache.h
 * @brief A page that does not change while the service runs, kept ready to be sent.
 *
 * Kept twice, plain and packed with gzip, for those who accept it: who does not cannot make us
 * unpack megabytes in the thread that serves others. Each form has an ETag of its own bytes;
 * If-None-Match is answered with 304. Replies lend the bytes, so that slow clients cost no memory.
 *
 */
#ifndef SC_API_RESPONSE_CACHE_H
#define SC_API_RESPONSE_CACHE_H

#include <starcloak/relay_codec.h>

#include "server/http.h"

#include <stdbool.h>

/** How many headers a page may have beside those that are kept.c's own. */
enum { SC__CACHED_PAGE_MORE_MAX = 8, SC__ETAG_SIZE = 32 };

/** What is said along with a page. All of it is lent, and must outlive the page. */
typedef struct sc__cached_page_headers {
    const char *type;           ///< media type
    const char *cache_control;  ///< how long others may keep it
    /** More headers, of 304 too: whoever has the page learns that they are others now. */
    const sc_http_header *more;
    size_t more_count;  ///< at most SC__CACHED_PAGE_MORE_MAX
} sc__cached_page_headers;

/** One of the two forms. */
typedef struct sc__cached_form {
    const void *bytes;
    size_t size;
    char etag[SC__ETAG_SIZE];  ///< with its quotes
} sc__cached_form;

/** Zero-initialise; release with sc__cached_page_fini(). */
typedef struct sc__cached_page {
    sc__cached_page_headers words;
    sc__cached_form plain;
    sc__cached_form packed;
    void *taken;     ///< the plain bytes, if they are its own
    void *squeezed;  ///< the packed ones
} sc__cached_page;

/**
 * Keep a page whose bytes stay where they are: those that were put into the program.
 *
 * @return SC_OK, SC_ELIMIT (zlib counts in 32 bits), SC_ENOMEM
 */
SC_CHECKED sc_err sc__cached_page_borrow(sc__cached_page *kept,
                                         const sc__cached_page_headers *words, const void *bytes,
                                         size_t size);

/** The same with bytes that were written for it, which are its own from now on, also if it fails.
 */
SC_CHECKED sc_err sc__cached_page_own(sc__cached_page *kept, const sc__cached_page_headers *words,
                                      sc_bytes *bytes);

/** After the loops have stopped. Harmless twice. */
void sc__cached_page_fini(sc__cached_page *kept);

/** Answer GET or HEAD with it. */
void sc__cached_page_send(const sc__cached_page *kept, sc_http_request *request);

// === accept.h ===================================================================================
// Two headers by which a client says what it can do without: Accept-Encoding, If-None-Match.
//
// A stranger's text; what cannot be understood counts as not said.

/** Whether gzip may be sent: it is named, or "*" is, with a weight above 0. @param header  may be
 * NULL */
bool sc__accepts_gzip(const char *header);

/** Whether `etag`, with its quotes, is in the list, or the list is "*". @param header  may be NULL
 */
bool sc__etag_matches(const char *header, const char *etag);

#endif
