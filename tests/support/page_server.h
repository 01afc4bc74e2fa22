/**
 * @file page_server.h
 * @brief A server for tests of a single page: one loop, a free port, and nothing but the handler.
 *
 *     sc_http *http = page_server_start(handle, &context);
 *     web_reply reply = page_get(http, "/v1/about", "");
 *     ...
 *     web_reply_free(&reply);
 *     sc_http_free(http);
 */
#ifndef SC_TESTS_SUPPORT_PAGE_SERVER_H
#define SC_TESTS_SUPPORT_PAGE_SERVER_H

#include "server/http.h"
#include "support/web_client.h"

/** Open and start; sc_http_free() it. */
sc_http *page_server_start(sc_http_handler handle, void *context);

/** GET on a connection of its own. @param headers  lines that end with CR LF; may be "" */
web_reply page_get(const sc_http *http, const char *path, const char *headers);

/** HEAD brings the head of `wanted`, which GET has brought, and nothing behind it. The date, which
 * may be another, is written over in both. */
void page_check_head(const sc_http *http, const char *path, const web_reply *wanted);

/** What came packed with gzip is `wanted`. */
void page_check_unpacks(const web_reply *reply, const void *wanted, size_t size);

/** The reply is a problem of this kind that says this; it is let go. */
void page_check_problem(web_reply *reply, int status, const char *word, const char *part);

#endif
