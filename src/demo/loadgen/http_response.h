/**
 * @file http_response.h
 * @brief Reading one HTTP/1.1 reply as its bytes come in; the bytes are not trusted.
 *
 * Small and strict: a status line, headers, and a body whose size is given by Content-Length or by
 * chunks. What the service never sends is refused: another version, interim replies, folded
 * headers, two lengths, a length beside chunks, a body that only ends with the connection.
 * Everything is bounded, and memory is taken only for bytes that came.
 *
 *     sc_response response = {0};
 *     err = sc_response_feed(&response, bytes, size, &used, &diag);
 *     if (!err && sc_response_is_whole(&response)) ... bytes from `used` on belong to no reply
 *     sc_response_clear(&response);
 *
 * However the bytes are cut into pieces, the reply is the same.
 *
 */
#ifndef SC_DEMO_LOADGEN_HTTP_RESPONSE_H
#define SC_DEMO_LOADGEN_HTTP_RESPONSE_H

#include <starcloak/err.h>

#include "demo/loadgen/load_connection.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SC_RESPONSE_HEAD_MAX = 16 * 1024,  ///< status line and headers (and trailers), bytes
    SC_RESPONSE_BODY_MAX = 4 << 20,    ///< bytes
};

/** What the body is said to be. */
typedef enum sc_response_type {
    SC_RESPONSE_OTHER = 0,
    SC_RESPONSE_JSON,     ///< application/json
    SC_RESPONSE_PROBLEM,  ///< application/problem+json
} sc_response_type;

/** Where reading stands. */
typedef enum sc_response_stage {
    SC_RESPONSE_AT_STATUS = 0,
    SC_RESPONSE_IN_HEADERS,
    SC_RESPONSE_IN_BODY,
    SC_RESPONSE_AT_CHUNK,  ///< its size is next
    SC_RESPONSE_IN_CHUNK,
    SC_RESPONSE_AFTER_CHUNK,  ///< the end of its line is next
    SC_RESPONSE_IN_TRAILERS,
    SC_RESPONSE_WHOLE,
} sc_response_stage;

/** Zero-initialise; sc_response_clear() when done. */
typedef struct sc_response {
    // The reply: the first four once the headers are there, the body once it is whole.
    int status;
    sc_response_type type;
    bool closes;             ///< the server will close the connection after it
    unsigned retry_after_s;  ///< 0: not told
    char *body;
    size_t body_size;

    // The reading.
    sc_response_stage stage;
    bool has_length;
    bool is_chunked;
    uint64_t left;      ///< bytes of the body or chunk that are still to come
    size_t head_bytes;  ///< of lines so far
    size_t body_capacity;
    char *line;  ///< the beginning of a line whose end has not come
    size_t line_size;
    size_t line_capacity;
} sc_response;

/**
 * Take in some bytes.
 *
 * @param used  set on success: how many belong to this reply; fewer than `size` only if it is whole
 * @return SC_OK, SC_EPARSE (`diag` says what no reply of ours has), SC_ELIMIT (too long),
 * SC_ENOMEM; after a failure the reply can only be cleared
 */
SC_CHECKED sc_err sc_response_feed(sc_response *response, const char *bytes, size_t size,
                                   size_t *used, sc_diag *diag);

static inline bool sc_response_is_whole(const sc_response *response)
{
    return response->stage == SC_RESPONSE_WHOLE;
}

/** Whether nothing of it has come. */
static inline bool sc_response_is_blank(const sc_response *response)
{
    return response->stage == SC_RESPONSE_AT_STATUS && response->line_size == 0;
}

/** Free what it holds and be ready for the next; harmless twice. */
void sc_response_clear(sc_response *response);

// === One GET, waited for: for the pages that are looked at before and after a run ===============

/**
 * Get `path` (behind the target's own) on a new connection.
 *
 * @param token      for the Authorization header; NULL: none
 * @param timeout_s  for all of it
 * @param out        zeroed or cleared; filled on success, to be cleared
 * @return SC_OK (whatever the status), SC_ENET (no connection, no reply in time, or it broke off),
 *         SC_EPARSE, SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_fetch(const sc_target *target, const char *path, const char *token,
                           double timeout_s, sc_response *out, sc_diag *diag);

#endif
