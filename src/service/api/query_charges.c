// Buckets of work and of waiting, and pending queries by k. See query_charges.h.
#include "api/query_charges.h"

#include "base/alloc.h"
#include "server/rate_limit.h"

#include <math.h>
#include <stdatomic.h>

/** How many seconds of `user_cost`, and how many of the longest waits, may be used at once. */
#define COST_BURST_S 60.0
#define WAITING_BURST 10.0

struct sc_query_charges {
    sc_rate_limit *costs;  ///< in steps
    sc_rate_limit *waits;  ///< in seconds of queries with the default k
    atomic_uint_fast64_t pending[SC_PENDING_SIZES];
};

sc_err sc_query_charges_new(size_t capacity, sc_query_charges **out)
{
    sc_query_charges *charges = sc_calloc(1, sizeof *charges);
    if (!charges) return SC_ENOMEM;
    sc_err err = sc_rate_limit_new(capacity, &charges->costs);
    if (!err) err = sc_rate_limit_new(capacity, &charges->waits);
    if (err) {
        sc_query_charges_free(charges);
        return err;
    }
    *out = charges;
    return SC_OK;
}

void sc_query_charges_free(sc_query_charges *charges)
{
    if (!charges) return;
    sc_rate_limit_free(charges->costs);
    sc_rate_limit_free(charges->waits);
    sc_free(charges);
}

void sc_query_charges_forget(sc_query_charges *charges, int64_t now_us)
{
    sc_rate_limit_forget(charges->costs, now_us);
    sc_rate_limit_forget(charges->waits, now_us);
}

// --- Pending queries by k ------------------------------------------------------------------------

static unsigned size_of(uint32_t k)
{
    static const uint32_t most[SC_PENDING_SIZES - 1] = {5, 10, 20, 50, 100};
    unsigned size = 0;
    while (size < SC_PENDING_SIZES - 1 && k > most[size]) {
        size++;
    }
    return size;
}

const char *sc_pending_size_name(unsigned size)
{
    static const char *const names[SC_PENDING_SIZES] = {"1-5",   "6-10",   "11-20",
                                                        "21-50", "51-100", "101-"};
    return names[size];
}

uint64_t sc_query_charges_pending(const sc_query_charges *charges, unsigned size)
{
    return atomic_load_explicit(&charges->pending[size], memory_order_relaxed);
}

static void enter(sc_query_charges *charges, sc_query_charge *charge, uint32_t k)
{
    charge->is_pending = true;
    charge->k = k;
    atomic_fetch_add_explicit(&charges->pending[size_of(k)], 1, memory_order_relaxed);
}

static void leave(sc_query_charges *charges, const sc_query_charge *charge)
{
    if (!charge->is_pending) return;
    atomic_fetch_sub_explicit(&charges->pending[size_of(charge->k)], 1, memory_order_relaxed);
}

// --- Work ----------------------------------------------------------------------------------------

static double cost_burst(const sc_policy *policy)
{
    return policy->user_cost * COST_BURST_S;
}

/** Whether the request is one that people make: with as few objects as one may want to look at, and
 * a cost that leaves the provider to others. */
static bool is_modest(const sc_policy *policy, const sc_request *request, sc_cost_reach reach,
                      double cost, sc_problem *problem)
{
    if (request->type == SC_REQUEST_RANGE && policy->max_objects > 0 &&
        reach.objects > policy->max_objects) {
        return sc_problem_set(
            problem, SC_PROBLEM_COSTLY,
            request->metric == SC_METRIC_TIME ? "/request/radius_s" : "/request/radius_m",
            "about %.0f objects are in that range; ask for a range with at most %.15g, or for some "
            "categories",
            reach.objects, policy->max_objects);
    }
    if (policy->max_cost > 0 && cost > policy->max_cost) {
        return sc_problem_set(problem, SC_PROBLEM_COSTLY, "/request",
                              "it would cost about %.0f steps, and at most %.15g are allowed; ask "
                              "for fewer segments (l), fewer objects or a smaller range",
                              cost, policy->max_cost);
    }
    return true;
}

static bool take_cost(sc_query_charges *charges, const sc_policy *policy, uint64_t user,
                      const sc_query_expense *expense, int64_t now_us, sc_query_charge *out,
                      sc_problem *problem)
{
    const sc_cost_reach reach =
        sc_cost_reach_of(expense->costs, expense->segment, expense->request);
    const double cost = sc_cost_steps(reach, sc_cost_expected_border(expense->profile->l));
    if (!is_modest(policy, expense->request, reach, cost, problem)) return false;
    const unsigned wait_s = sc_rate_limit_take_amount(charges->costs, user, cost, policy->user_cost,
                                                      cost_burst(policy), now_us);
    if (wait_s > 0) {
        sc_problem_set(problem, SC_PROBLEM_COST, NULL,
                       "this query costs about %.0f steps; retry in %u s, or ask for less", cost,
                       wait_s);
        problem->retry_after_s = wait_s;
        return false;
    }
    out->cost = cost;
    return true;
}

// --- Waiting -------------------------------------------------------------------------------------

/** A user with several queries at once may wait with each of them. */
static double waiting_rate(const sc_policy *policy)
{
    return policy->user_waiting * policy->user_pending;
}

static double waiting_burst(const sc_policy *policy)
{
    return WAITING_BURST * (double)policy->most.max_wait_us * 1e-6 * policy->user_pending;
}

static bool take_waiting(sc_query_charges *charges, const sc_policy *policy, uint64_t user,
                         const sc_profile *profile, int64_t now_us, sc_query_charge *out,
                         sc_problem *problem)
{
    const double weight = fmax(1.0, (double)profile->k / policy->standard.k);
    // Half a bucket is enough to begin with, however long it may wait: most wait less than that.
    const double waiting =
        fmin(weight * (double)profile->max_wait_us * 1e-6, 0.5 * waiting_burst(policy));
    const unsigned wait_s = sc_rate_limit_take_amount(
        charges->waits, user, waiting, waiting_rate(policy), waiting_burst(policy), now_us);
    if (wait_s > 0) {
        sc_problem_set(problem, SC_PROBLEM_WAITING, NULL,
                       "retry in %u s, or ask with a smaller k or max_wait_s", wait_s);
        problem->retry_after_s = wait_s;
        return false;
    }
    out->weight = weight;
    out->waiting = waiting;
    return true;
}

// --- Both ----------------------------------------------------------------------------------------

bool sc_query_charges_take(sc_query_charges *charges, const sc_policy *policy, uint64_t user,
                           const sc_query_expense *expense, int64_t now_us, sc_query_charge *out,
                           sc_problem *problem)
{
    *out = (sc_query_charge){0};
    if (!take_cost(charges, policy, user, expense, now_us, out, problem) ||
        !take_waiting(charges, policy, user, expense->profile, now_us, out, problem)) {
        return false;
    }
    enter(charges, out, expense->profile->k);
    return true;
}

/** Take more of both, or give back what is negative. */
static void correct(sc_query_charges *charges, const sc_policy *policy, uint64_t user, double cost,
                    double waiting, int64_t now_us)
{
    sc_rate_limit_charge(charges->costs, user, cost, policy->user_cost, cost_burst(policy), now_us);
    sc_rate_limit_charge(charges->waits, user, waiting, waiting_rate(policy), waiting_burst(policy),
                         now_us);
}

void sc_query_charges_refund(sc_query_charges *charges, const sc_policy *policy, uint64_t user,
                             const sc_query_charge *charge, int64_t now_us)
{
    leave(charges, charge);
    correct(charges, policy, user, -charge->cost, -charge->waiting, now_us);
}

void sc_query_charges_settle(sc_query_charges *charges, const sc_policy *policy, uint64_t user,
                             const sc_query_charge *charge, const sc_ticket *ticket, int64_t now_us)
{
    leave(charges, charge);
    const sc_time until =
        ticket->outcome == SC_OUTCOME_ANSWERED ? ticket->published : ticket->settled;
    const double waited = (double)(until - ticket->asked) * 1e-6 * charge->weight;
    // An estimate that was too high is not given back: it was admitted for that.
    correct(charges, policy, user, fmax(ticket->cost - charge->cost, 0), waited - charge->waiting,
            now_us);
}
