/**
 * @file query_json.h
 * @brief The JSON of POST /v1/queries: the body of a query, and its outcome.
 *
 *     {"position": {"lon": -84.39, "lat": 33.75},
 *      "profile": {"k": 5, "l": 3, "max_hops": 4, "max_wait_s": 10},
 *      "request": {"type": "knn", "k": 5, "categories": ["hospital"]}}
 *
 * A position may also be {"x":, "y":}, on planar maps, or {"edge":, "offset_m":}, each with a
 * "heading_deg". The profile, or parts of it, may be missing. A request may also be
 * {"type": "range", "radius_m": 500, ...}, or "radius_s": 300, and may have a "metric".
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

// --- The outcome ---------------------------------------------------------------------------------
//
//     {"outcome":"answered","wait_s":1.284,
//      "cloak":{"id":"9f86d081884c7d65","users":6,"segments":14},
//      "street":"Main Street","metric":"time",
//      "objects":[{"id":"17","name":"St. Mary","category":"hospital","street":"Ring Road",
//                  "position":{"lon":8.001,"lat":49.9987},
//                  "distance_m":33.358,"duration_s":2.4}]}
//     {"outcome":"dropped","reason":"expired","wait_s":10.0,"advice":"too few other users ..."}
//
// The id is that of the cloak's event; the provider does not get it. Failures are problem details
// (problem_details.h). A street is left out where the map has no name for it, a
// duration if the provider knows points only. wait_s is the time
// from asking until the cloak left or the query was dropped.

/**
 * Write an answered or dropped ticket into `out`, in place of what was there.
 *
 * @param street  the name of the road where the traveller is; "" if it has none
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_outcome_json_write(const sc_ticket *ticket, bool is_geographic,
                                        const char *street, sc_bytes *out);

/** What would help a query that was dropped: words for people, with the names of the query's
 * members. */
const char *sc_drop_advice(sc_drop_reason reason);

/** The problem of a failed ticket: 502, 504 or 503. */
void sc_outcome_problem(const sc_ticket *ticket, sc_problem *out);

#endif
