/**
 * @file response_cache.h
 * @brief A page that does not change while the service runs, cached in the form in which it is
 * sent.
 *
 * Cached twice, plain and compressed with gzip, and sent as the client accepts: a client cannot
 * make the service compress or unpack megabytes in a thread that serves others. Each form has an
 * ETag of its own bytes; If-None-Match is answered with 304. Replies borrow the bytes, so that slow
 * clients cost no memory.
 */
#ifndef SC_API_RESPONSE_CACHE_H
#define SC_API_RESPONSE_CACHE_H

#include <starcloak/relay_codec.h>

#include "server/http.h"

#include <stdbool.h>

/** How many headers a page may have besides those of the cache. */
enum { SC__CACHED_PAGE_MORE_MAX = 8, SC__ETAG_SIZE = 32 };

/** Headers of a page. Borrowed; must outlive the page. */
typedef struct sc__cached_page_headers {
    const char *type;           ///< media type
    const char *cache_control;  ///< how long others may keep it
    /** More headers, also of 304, so that a cached copy gets the current ones. */
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
    sc__cached_page_headers headers;
    sc__cached_form plain;
    sc__cached_form packed;
    void *owned;       ///< the plain bytes, if they are its own
    void *compressed;  ///< the packed ones
} sc__cached_page;

/**
 * Keep a page whose bytes stay where they are: those that were put into the program.
 *
 * @return SC_OK, SC_ELIMIT (zlib counts in 32 bits), SC_ENOMEM
 */
SC_CHECKED sc_err sc__cached_page_borrow(sc__cached_page *page,
                                         const sc__cached_page_headers *headers, const void *bytes,
                                         size_t size);

/** The same with bytes that were written for it, which are its own from now on, also if it fails.
 */
SC_CHECKED sc_err sc__cached_page_own(sc__cached_page *page, const sc__cached_page_headers *headers,
                                      sc_bytes *bytes);

/** Whether a loop has replies that still send it. In the loop's thread. */
bool sc__cached_page_is_lent(const sc__cached_page *page, const sc_http *http, unsigned loop);

/** After the loops have stopped, or when no reply sends it. Harmless twice. */
void sc__cached_page_fini(sc__cached_page *page);

/** Answer GET or HEAD with it. */
void sc__cached_page_send(const sc__cached_page *page, sc_http_request *request);

// --- Request headers: untrusted text; what cannot be parsed counts as absent ---------------------

/** Whether gzip may be sent: it is named, or "*" is, with a weight above 0. @param header  may be
 * NULL */
bool sc__accepts_gzip(const char *header);

/** Whether `etag`, with its quotes, is in the list, or the list is "*". @param header  may be NULL
 */
bool sc__etag_matches(const char *header, const char *etag);

#endif
