/**
 * @file query_json.h
 * @brief The JSON of POST /v1/queries and /v1/zone: the body of a query, and where a zone is
 * wanted.
 *
 *     {"position": {"lon": -84.39, "lat": 33.75},
 *      "profile": {"k": 5, "l": 3, "max_hops": 4, "max_wait_s": 10},
 *      "request": {"type": "knn", "k": 5, "categories": ["hospital"]}}
 *
 * A position may also be {"x":, "y":}, on planar maps, or {"edge":, "offset_m":}, each with a
 * "heading_deg". The profile, or parts of it, may be missing. A request may also be
 * {"type": "range", "radius_m": 500, ...}, or "radius_s": 300, and may have a "metric".
 *
 * "wait" says that the query has a life of its own (async_route.h), and for how many seconds the
 * reply may wait for the outcome.
 *
 * Bodies are untrusted. Unknown and repeated members, and numbers that are not finite, are refused
 * with the field's name. Missing, null or empty `categories` mean all of them.
 */
#ifndef SC_API_QUERY_JSON_H
#define SC_API_QUERY_JSON_H

#include <starcloak/query.h>
#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

#include "api/access_policy.h"
#include "api/problem_details.h"
#include "ledger/ticket.h"

/** A query as it was read. */
typedef struct sc_query_body {
    bool is_on_edge;
    double x;
    double y;
    sc_edge_id edge;
    double offset_m;
    double heading_deg;  ///< degrees clockwise from north, or from the y axis; NaN: not told
    sc_profile profile;  ///< whole, within the policy
    sc_request request;  ///< in normal form, within the policy
    double wait_s;       ///< to be held before the reply is 202; NaN: not told
    const char *zone;    ///< the text of a sealed zone, in the body that was read; NULL: none
    size_t zone_size;
} sc_query_body;

/** What a body is read by. */
typedef struct sc_query_format {
    const sc_policy *policy;
    const sc_vocabulary *vocabulary;  ///< names of categories
    bool is_geographic;               ///< positions are lon and lat; else x and y
} sc_query_format;

/**
 * Read a body.
 *
 * @param problem  filled if it is refused
 * @return whether it was accepted
 */
bool sc_query_body_read(const char *body, size_t size, const sc_query_format *format,
                        sc_query_body *out, sc_problem *problem);

/** Read the body of POST /v1/zone: a position. As above; needs neither vocabulary nor bounds. */
bool sc_zone_body_read(const char *body, size_t size, const sc_query_format *format,
                       sc_query_body *out, sc_problem *problem);

#endif
