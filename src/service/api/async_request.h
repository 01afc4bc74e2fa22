/**
 * @file async_request.h
 * @brief What a request says about a query with a life of its own: the headers of POST
 * /v1/queries, and path and parameters of /v1/queries/<id>.
 *
 *     Prefer: respond-async, wait=5        (RFC 7240; what is not understood of it is passed over)
 *     Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"
 *     /v1/queries/Zm9vYmFyYmF6cXV4MTIzNA?wait=20&known=waiting
 *
 * All of it is untrusted. What is refused is a problem that names the header or parameter, and
 * repeats nothing of its value.
 */
#ifndef SC_API_ASYNC_REQUEST_H
#define SC_API_ASYNC_REQUEST_H

#include "api/async_queries.h"
#include "api/problem_details.h"

/** Letters of the longest key. */
enum { SC_ASYNC_KEY_MAX = 64 };

/** Letters of the longest id, with a NUL. */
enum { SC_ASYNC_ID_TEXT = (SC_ASYNC_ID_MAX + 2) / 3 * 4 + 1 };

/** The headers of a POST; lent, as long as the request has them. */
typedef struct sc_async_headers {
    bool is_preferred;  ///< respond-async
    bool has_wait;
    double wait_s;    ///< of Prefer, if it has one: 0 or more
    const char *key;  ///< NULL: none
    size_t key_size;
} sc_async_headers;

/** @return whether they are good; false: of the key, with a problem */
bool sc_async_headers_read(const sc_http_request *request, sc_async_headers *out,
                           sc_problem *problem);

/** The same from values; NULL: no such header. */
bool sc__async_headers_parse(const char *prefer, const char *key, sc_async_headers *out,
                             sc_problem *problem);

/** What follows the question mark of a look. */
typedef struct sc_async_look {
    double wait_s;  ///< 0 without it
    bool has_known;
    sc_async_state known;
} sc_async_look;

/**
 * @param search      "wait=20&known=waiting"; may be ""
 * @param max_wait_s  a longer one is refused
 */
bool sc_async_look_parse(const char *search, double max_wait_s, sc_async_look *out,
                         sc_problem *problem);

/** Whether a path is "/v1/queries/" and something. */
bool sc_async_path_is(const char *path);

/** The id that a path ends with, if it is of `size` bytes and could be one. */
bool sc_async_path_read(const char *path, size_t size, sc_async_id *out);

/** "/v1/queries/", before an id. */
extern const char sc_async_path[];

/** An id as text. */
void sc_async_id_write(const sc_async_id *id, char out[SC_ASYNC_ID_TEXT]);

#endif
