/**
 * @file point_http.h
 * @brief Many questions over HTTP, some of them at once, told as little as can be.
 *
 * Connections, TLS sessions and names looked up live from open to close, which is one cloak: what
 * is asked for two cloaks is not tied together by them. net/http_client.h has what holds for each
 * of them; the User-Agent is without a version.
 *
 * curl's memory is its own. Error texts are curl's general ones, which never quote an address.
 *
 * Used by: provider.
 */
#ifndef SC_POINTS_POINT_HTTP_H
#define SC_POINTS_POINT_HTTP_H

#include <stddef.h>

#include <starcloak/point_provider.h>

/** Connections to providers. One thread. */
typedef struct sc__http sc__http;

/**
 * The time until the deadline begins to run, and that for the first question to leave.
 *
 * @param options  parallel, timeout_s, deadline_s, leave_s and max_bytes are used
 */
SC_CHECKED sc_err sc__http_open(const sc_point_options *options, sc__http **out, sc_diag *diag);

/** NULL is fine. */
void sc__http_close(sc__http *http);

/** Some questions, by number: where to ask them, and what to do with what comes back. */
typedef struct sc__visit {
    size_t count;
    /** The address of question i, into SC__URL_SIZE bytes. */
    sc_err (*address)(void *context, size_t i, char *url, sc_diag *diag);
    /** The body that came back for it. Called in the order of arrival. */
    sc_err (*take)(void *context, size_t i, const char *body, size_t size, sc_diag *diag);
    void *context;
    size_t bytes_out;  ///< added to
} sc__visit;

/**
 * Ask questions 0, 1, 2, ... in that order, and wait for all answers. The first failure ends it.
 *
 * @return SC_OK, SC_ENET, SC_ELATE (no question has left, and it is too late for the first),
 *         SC_EREPLY (too large a body), SC_ENOMEM, or what the visit's own functions return
 */
SC_CHECKED sc_err sc__http_fetch(sc__http *http, sc__visit *visit, sc_diag *diag);

#endif
