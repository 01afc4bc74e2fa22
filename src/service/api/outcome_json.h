/**
 * @file outcome_json.h
 * @brief The outcome of a query as JSON.
 *
 *     {"outcome":"answered","wait_s":1.284,
 *      "cloak":{"id":"9f86d081884c7d65","users":6,"segments":14},
 *      "objects":[{"id":"17","name":"St. Mary","category":"hospital",
 *                  "position":{"lon":8.001,"lat":49.9987},"distance_m":33.358}]}
 *     {"outcome":"dropped","reason":"expired","wait_s":10.0}
 *
 * The id is that of the cloak's event; the provider is not told of it. Failures are problem details
 * (problem.h). wait_s is the time from asking until the cloak left, or
 * the query was dropped: what anonymity took.
 *
 * Uses: ledger/ticket. Used by: door.
 */
#ifndef SC_SERVICE_OUTCOME_JSON_H
#define SC_SERVICE_OUTCOME_JSON_H

#include <starcloak/relay_codec.h>

#include "api/problem_details.h"
#include "ledger/ticket.h"

/** Write an answered or dropped ticket into `out`, in place of what was there. SC_ENOMEM. */
SC_CHECKED sc_err sc_outcome_write(const sc_ticket *ticket, bool is_geographic, sc_bytes *out);

/** The problem of a failed ticket: 502, 504 or 503. */
void sc_outcome_problem(const sc_ticket *ticket, sc_problem *out);

#endif
