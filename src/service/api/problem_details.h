/**
 * @file problem_details.h
 * @brief What is wrong with a request, as problem details (RFC 9457).
 *
 *     {"type":"urn:starcloak:problem:profile","title":"A need of the profile is out of range",
 *      "status":400,"detail":"k is 1; this service takes 2 to 1000","field":"/profile/k"}
 *
 * The detail never repeats a position, a user or a token; it may quote a name of a field or a
 * category, shortened and made printable.
 */
#ifndef SC_API_PROBLEM_DETAILS_H
#define SC_API_PROBLEM_DETAILS_H

#include <starcloak/err.h>

#include "server/http.h"
#include "server/pass_issuer.h"

/** The kinds, with their status and title. `type` is "urn:starcloak:problem:" and the word. */
#define SC_PROBLEM_MAP(X)                                                                 \
    X(BODY, 400, "body", "The body is not valid")                                         \
    X(POSITION, 400, "position", "The position is not valid")                             \
    X(PROFILE, 400, "profile", "A value of the profile is out of range")                  \
    X(REQUEST, 400, "request", "The request cannot be answered")                          \
    X(COSTLY, 400, "too-costly", "The query would cost too much")                         \
    X(ZONE, 400, "zone", "The zone cannot be used")                                       \
    X(TOKEN, 401, "token", "A valid token is needed")                                     \
    X(FORBIDDEN, 403, "forbidden", "Access is restricted")                                \
    X(NOT_FOUND, 404, "not-found", "No such page")                                        \
    X(NO_SUCH_QUERY, 404, "no-such-query", "There is no such query")                      \
    X(METHOD, 405, "method", "The method is not allowed")                                 \
    X(SLOW, 408, "slow", "The request was not complete in time")                          \
    X(TOO_LARGE, 413, "too-large", "The body is too large")                               \
    X(MEDIA_TYPE, 415, "media-type", "The body must be application/json")                 \
    X(EXPECTATION, 417, "expectation", "The expectation is not supported")                \
    X(OFF_ROAD, 422, "off-road", "There is no road near that position")                   \
    X(NO_ZONE, 422, "no-zone", "There is no zone for that position")                      \
    X(IDEMPOTENCY, 422, "idempotency-mismatch", "The key was used for another query")     \
    X(HEADERS, 431, "headers", "The headers are too large")                               \
    X(RATE, 429, "rate", "Too many requests")                                             \
    X(PENDING, 429, "pending", "Another query of this user is under way")                 \
    X(COST, 429, "cost", "The queries of this user cost too much")                        \
    X(WAITING, 429, "waiting", "The queries of this user wait too long")                  \
    X(INTERNAL, 500, "internal", "Internal error")                                        \
    X(NOT_IMPLEMENTED, 501, "not-implemented", "The method is not supported")             \
    X(PROVIDER, 502, "provider", "The provider did not give a valid answer")              \
    X(OVERLOADED, 503, "overloaded", "The service is overloaded")                         \
    X(DRAINING, 503, "draining", "The service is stopping")                               \
    X(GATEWAY, 503, "gateway-unreachable", "The gateway of this query cannot be reached") \
    X(PROVIDER_TIMEOUT, 504, "provider-timeout", "The provider did not answer in time")

typedef enum sc_problem_kind {
#define X(name, status, word, title) SC_PROBLEM_##name,
    SC_PROBLEM_MAP(X)
#undef X
        SC_PROBLEM_COUNT
} sc_problem_kind;

typedef struct sc_problem {
    sc_problem_kind kind;
    const char *field;       ///< a JSON pointer, as "/profile/k", a header as "Authorization", or
                             ///< "parameter text"; NULL: none
    char detail[256];        ///< "" if there is nothing to add
    unsigned retry_after_s;  ///< also as a header; 0: not told
    const char *outcome;     ///< "failed", of a query that was taken; else NULL
    const char *reason;      ///< of that: "provider_timeout"
    sc_pass_issuer *pass;    ///< of 401: whose challenge stands beside that for a bearer token;
                             ///< NULL: there is none
} sc_problem;

/** Fill `problem`; returns false, so that it reads `return sc_problem_set(...)`. */
bool sc_problem_set(sc_problem *problem, sc_problem_kind kind, const char *field,
                    const char *format, ...) SC_PRINTF(4, 5);

int sc_problem_status(sc_problem_kind kind);

/** Write it as JSON into `out`; returns its size (cut to fit only if `room` is below 2048). */
size_t sc_problem_write(const sc_problem *problem, char *out, size_t room);

/** Answer with it. 401 has WWW-Authenticate, 405 the `Allow` given. */
void sc_problem_reply(sc_http_request *request, const sc_problem *problem, const char *allow);

/** For sc_http_options.problem. */
size_t sc_problem_of_server(void *context, int status, char *buffer, size_t room);

#endif
