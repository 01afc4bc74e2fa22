/**
 * @file query_charges.h
 * @brief What queries take from a user's buckets, beside their number: the provider's work and the
 * waiting of others.
 *
 * *Work* is counted in steps (courier/cost_estimate.h). A query takes its estimate when it is
 * admitted; what its cloak cost beyond that is charged when it is settled. A bucket fills by
 * `user_cost` steps a second and holds those of a minute.
 *
 * *Waiting* is counted in seconds of a query with the default k; a larger k weighs in proportion,
 * since those whom it takes into its cloak wait with it. A query takes its longest wait,
 * half a bucket at most; when it is settled, what it waited is what counts. A bucket fills by
 * `user_waiting` a second (for each query that a user may have pending) and holds ten of the
 * longest waits that are allowed.
 *
 * Users are keyed numbers, and full buckets are forgotten (server/rate_limit.h). Any thread.
 */
#ifndef SC_API_QUERY_CHARGES_H
#define SC_API_QUERY_CHARGES_H

#include "api/access_policy.h"
#include "courier/cost_estimate.h"
#include "ledger/ticket.h"

typedef struct sc_query_charges sc_query_charges;

/** @param capacity  users that are remembered, of each kind of bucket */
SC_CHECKED sc_err sc_query_charges_new(size_t capacity, sc_query_charges **out);

/** NULL is fine. */
void sc_query_charges_free(sc_query_charges *charges);

/** Clear buckets that are full again; as sc_rate_limit_forget(). */
void sc_query_charges_forget(sc_query_charges *charges, int64_t now_us);

/** What a query asks for. */
typedef struct sc_query_expense {
    const sc_cost_estimator *costs;
    sc_seg_id segment;  ///< where the traveller is
    const sc_profile *profile;
    const sc_request *request;
} sc_query_expense;

/** What was taken for a query; zeroed: nothing. */
typedef struct sc_query_charge {
    double cost;     ///< steps
    double weight;   ///< of a second that it waits
    double waiting;  ///< seconds by that weight
    bool is_pending;
    uint32_t k;
} sc_query_charge;

/**
 * Take what a query needs, and count it as pending.
 *
 * @param out      as far as it was taken, also on failure: for sc_query_charges_refund()
 * @param problem  why not: too-costly (more objects or steps than the policy allows any query),
 * cost or waiting (the user has used up its own)
 */
bool sc_query_charges_take(sc_query_charges *charges, const sc_policy *policy, uint64_t user,
                           const sc_query_expense *expense, int64_t now_us, sc_query_charge *out,
                           sc_problem *problem);

/** Give all of it back: the query was not taken. */
void sc_query_charges_refund(sc_query_charges *charges, const sc_policy *policy, uint64_t user,
                             const sc_query_charge *charge, int64_t now_us);

/** The query has its outcome. */
void sc_query_charges_settle(sc_query_charges *charges, const sc_policy *policy, uint64_t user,
                             const sc_query_charge *charge, const sc_ticket *ticket,
                             int64_t now_us);

// --- Pending queries by k ------------------------------------------------------------------------

/** Sizes of k by which pending queries are counted: up to 5, 10, 20, 50, 100, and above. From
 * SC_PENDING_LARGE on it is large. */
enum { SC_PENDING_SIZES = 6, SC_PENDING_LARGE = 3 };

/** "1-5", "6-10", ..., "101-" */
const char *sc_pending_size_name(unsigned size);

/** Queries without an outcome, by the size of their k. */
uint64_t sc_query_charges_pending(const sc_query_charges *charges, unsigned size);

#endif
