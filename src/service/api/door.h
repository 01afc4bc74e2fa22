/**
 * @file door.h
 * @brief Where queries come in and outcomes go out: POST /v1/queries.
 *
 * In the loop's thread, from the cheap checks to the dear ones: draining, media type, token, rate
 * of the user, body, road, one pending per user; then a ticket is made, the body is wiped, and the
 * ledger takes it. The request waits. When the ticket is settled, the ledger's thread hands it to
 * the loop, which answers, wipes and frees it. If the client goes away before, the ledger is told,
 * and what comes back is only wiped.
 *
 * Uses: ledger, guard, query_json, outcome_json. Used by: service.
 */
#ifndef SC_SERVICE_DOOR_H
#define SC_SERVICE_DOOR_H

#include "api/service_internal.h"

/**
 * One admission per loop, all with one key. Watches a handover of settled tickets in each loop, so
 * before sc_http_start().
 *
 * @param names_key  behind pseudonyms and ids, SC_KEY_SIZE bytes; NULL: new random ones
 */
SC_CHECKED sc_err sc_door_new(sc_service_internal *parts, size_t max_pending,
                              const uint8_t *names_key, sc_door **out, sc_diag *diag);

/** After the loops and the ledger have stopped: tickets that no loop has taken are freed. */
void sc_door_free(sc_door *door);

/** The route. */
void sc_door_query(sc_door *door, unsigned loop, sc_http_request *request);

/** For sc_ledger_options.settled and all_settled; `context` is the door. The ledger's thread. A
 * ticket waits for the second call, so that each loop is woken once for all of its tickets. */
void sc_door_settled(void *context, sc_ticket *ticket);
void sc_door_all_settled(void *context);

/** Something was refused before it came to the door. Any thread. */
void sc_door_count_refusal(sc_door *door, sc_problem_kind kind);

/** Counted: what was refused, by the problem's kind. Any thread. */
uint64_t sc_door_refused(const sc_door *door, sc_problem_kind kind);

#endif
