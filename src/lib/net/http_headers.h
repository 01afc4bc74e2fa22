/**
 * @file http_headers.h
 * @brief Headers of requests as curl wants them, which may hold secrets.
 */
#ifndef SC_NET_HTTP_HEADERS_H
#define SC_NET_HTTP_HEADERS_H

#include <curl/curl.h>
#include <starcloak/err.h>
#include <stdbool.h>

/**
 * Append a header to `list`.
 *
 * @return false when memory is out; the list is as before
 */
SC_CHECKED bool sc_http_headers_add(struct curl_slist **list, const char *name, const char *value);

/** Append all of another list; likewise, but some may have been appended. */
SC_CHECKED bool sc_http_headers_add_all(struct curl_slist **list, const struct curl_slist *others);

/** curl frees headers without wiping them. NULL is fine. */
void sc_http_headers_free(struct curl_slist *headers);

#endif
