/**
 * @file ground_truth.h
 * @brief Secret: what is true of every query of a simulated cluster, whatever the processes
 * believe; and the checks.
 *
 * The truth outlives processes: a query whose gateway crashed may still be published by another
 * one, but only once, and only in time by the simulation's own clock. What is looked at:
 *
 *     published   once for ever; not after the deadline; not after it was dropped, or its client
 *                 had gone, as far as R can know; P1 to P7 by the verifier, with each member's true
 * needs outcome     one; dropped or gone only if never published, answered only if published
 */
#ifndef SC_CLUSTER_SIM_GROUND_TRUTH_H
#define SC_CLUSTER_SIM_GROUND_TRUTH_H

#include <starcloak/verify.h>

#include "base/hash.h"
#include "cluster_sim/cluster_sim.h"

/** One query. */
typedef struct sc__fact {
    sc_query query;  ///< its deadline is in the simulation's time
    sc_outcome outcome;
    bool is_published;
    bool is_disconnected;
    bool has_gone;  ///< its gateway knows that its client went away
} sc__fact;

/** From sc__truth_init(). */
typedef struct sc__truth {
    const sc_partition *partition;
    bool is_company_off;
    sc__fact *facts;  ///< by number
    size_t count;
    size_t capacity;
    size_t open;            ///< without an outcome, their gateways living
    sc_time last_deadline;  ///< of all
    sc_hash numbers;        ///< by id
    sc_verifier *verifier;  ///< NULL: cloaks are not looked at
    sc_claim_member *members;
    size_t member_capacity;
    sc_partition_walker *walker;
    sc_cluster_sim_verdict verdict;
} sc__truth;

/** @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__truth_init(sc__truth *truth, const sc_map *map,
                                 const sc_cluster_sim_options *options);

/** Harmless twice, and on zeroes. */
void sc__truth_fini(sc__truth *truth);

/** A query is asked; `*number` is the next. SC_OK, SC_EDUPLICATE (its id was there), SC_ENOMEM */
SC_CHECKED sc_err sc__truth_ask(sc__truth *truth, const sc_query *query, uint64_t *number);

/**
 * A cloak leaves at `now`.
 *
 * @param users  set to how many different ones there are, in truth
 * @return SC_OK, whatever is wrong with it; SC_ENOMEM
 */
SC_CHECKED sc_err sc__truth_publish(sc__truth *truth, const sc_proposal *proposal, sc_time now,
                                    uint32_t *users);

/** A query has its outcome; `outcome`, `drop` and `failure` of the ticket count. */
void sc__truth_settle(sc__truth *truth, uint64_t number, const sc_ticket *ticket, sc_time now);

/** Its gateway receives that its client went away: from now on it counts in no cloak of that
 * gateway's.
 */
void sc__truth_leave(sc__truth *truth, const sc_query_id *id);

/** Its gateway crashed. Nothing happens to one that has its outcome. */
void sc__truth_disconnect(sc__truth *truth, uint64_t number);

/** The simulation is over: who has no outcome will not get one. */
void sc__truth_end(sc__truth *truth, sc_time now);

#endif
