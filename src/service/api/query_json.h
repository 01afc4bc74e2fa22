/**
 * @file query_json.h
 * @brief A traveller's words as JSON, read strictly; a door for strangers' bytes.
 *
 *     {"position": {"lon": -84.39, "lat": 33.75},
 *      "profile": {"k": 5, "l": 3, "max_hops": 4, "max_wait_s": 10},
 *      "request": {"type": "knn", "k": 5, "categories": ["hospital"]}}
 *
 * A position may also be {"x":, "y":}, on planar maps, or {"edge":, "offset_m":}. The profile, or
 * parts of it, may be missing. A request may also be {"type": "range", "radius_m": 500, ...}.
 *
 * Unknown members, members that stand twice, and numbers that are no numbers are refused with the
 * field's name. Of `categories` missing, null or empty: all of them.
 *
 * Uses: query, relay, policy, problem. Used by: door; fuzzed.
 */
#ifndef SC_SERVICE_QUERY_JSON_H
#define SC_SERVICE_QUERY_JSON_H

#include <starcloak/query.h>
#include <starcloak/relay.h>

#include "api/access_policy.h"
#include "api/problem_details.h"

/** What was asked. */
typedef struct sc_question {
    bool is_on_edge;
    double x;
    double y;
    sc_edge_id edge;
    double offset_m;
    sc_profile profile;  ///< whole, within the policy
    sc_request request;  ///< in normal form, within the policy
} sc_question;

/**
 * @param is_geographic  positions are lon and lat; else x and y
 * @param problem        filled if it is refused
 * @return whether it is one
 */
bool sc_question_read(const char *body, size_t size, const sc_policy_terms *terms,
                      const sc_vocabulary *vocabulary, bool is_geographic, sc_question *out,
                      sc_problem *problem);

#endif
