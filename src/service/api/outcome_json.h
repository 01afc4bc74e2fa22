/**
 * @file outcome_json.h
 * @brief What became of a query, as the reply of POST /v1/queries: JSON, or problem details.
 *
 *     {"outcome":"answered","wait_s":1.284,
 *      "cloak":{"id":"9f86d081884c7d65","users":6,"segments":14},
 *      "street":"Main Street","metric":"time",
 *      "objects":[{"id":"17","name":"St. Mary","category":"hospital","street":"Ring Road",
 *                  "position":{"lon":8.001,"lat":49.9987},
 *                  "distance_m":33.358,"duration_s":2.4}]}
 *     {"outcome":"dropped","reason":"expired","wait_s":10.0,"advice":"too few other users ..."}
 *     {"outcome":"dropped","reason":"exposed","wait_s":0.0,"advice":"enough segments are ...",
 *      "demands":["traffic","continuity"],"later_s":212}
 *
 * The id is that of the cloak's event; the provider does not get it. Failures are problem details
 * (problem_details.h). A street is left out where the map has no name for it, a duration if the
 * provider knows points only. wait_s is the time from asking until the cloak left or the query was
 * dropped.
 */
#ifndef SC_API_OUTCOME_JSON_H
#define SC_API_OUTCOME_JSON_H

#include <starcloak/bytes.h>

#include "api/problem_details.h"
#include "ledger/ticket.h"

/**
 * Write an answered or dropped ticket into `out`, in place of what was there.
 *
 * @param street  the name of the road where the traveller is; "" if it has none
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_outcome_json_write(const sc_ticket *ticket, bool is_geographic,
                                        const char *street, sc_bytes *out);

/** The problem of a failed ticket: 502, 504 or 503. */
void sc_outcome_problem(const sc_ticket *ticket, sc_problem *out);

#endif
