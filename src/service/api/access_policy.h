/**
 * @file access_policy.h
 * @brief The operator's policy, and the access rules in force: policy, token keys and revoked
 * tokens.
 *
 * The policy is plain values: bounds and defaults of profiles, limits of requests and rates, who
 * may see which page. Its defaults are those of the settings (settings_list.h);
 * sc_settings_policy() makes one. Access rules never change once made; a reload replaces them as a
 * whole.
 */
#ifndef SC_API_ACCESS_POLICY_H
#define SC_API_ACCESS_POLICY_H

#include <starcloak/query.h>
#include <starcloak/relay.h>

#include "api/problem_details.h"
#include "server/jwt_issuer.h"
#include "server/pass_issuer.h"
#include "server/revoked.h"
#include "server/token.h"

#include <stdatomic.h>

/** Who may see a page. */
typedef enum sc_access {
    SC_ACCESS_OFF = 0,    ///< no client: 404
    SC_ACCESS_LOCAL = 1,  ///< clients on this machine
    SC_ACCESS_TOKEN = 2,  ///< clients with a valid token
    SC_ACCESS_OPEN = 3,   ///< all clients
} sc_access;

typedef struct sc_policy {
    sc_profile least;  ///< of a profile's parts; a profile out of bounds is refused
    sc_profile most;
    sc_profile standard;  ///< for parts that are missing
    sc_request_limits requests;
    sc_metric metric;     ///< of requests that do not name one
    bool has_no_times;    ///< the provider knows distances only: requests by time are refused
    double max_objects;   ///< a range with more of them expected is refused; 0: no limit
    double max_cost;      ///< steps (cost_estimate.h) of a query or a cloak; 0: no limit
    double user_waiting;  ///< share of the time that a user's queries may wait; 0: no limit
    double user_cost;     ///< steps per second and user; 0: no limit
    double max_snap_m;    ///< a position farther from any road is refused
    double user_rate;     ///< queries per second and user; 0: no limit
    double user_burst;
    double address_rate;  ///< requests of all kinds per second and address; 0: no limit
    double address_burst;
    uint32_t user_pending;  ///< queries of one user at once
    // Of queries with a life of their own (async_queries.h).
    sc_time lease_us;         ///< without a contact, after which one is withdrawn
    sc_time outcome_keep_us;  ///< an outcome, after it was first told
    double max_poll_s;        ///< the longest that a request may ask to be held
    size_t max_outcomes;      ///< kept at once
    sc_access events;
    sc_access metrics;
} sc_policy;

struct sc_settings;

/** The policy that the settings make (settings.c). */
sc_policy sc_settings_policy(const struct sc_settings *settings);

/** Whether the values are consistent: least <= standard <= most, and so on. SC_EINVAL names the
 * term. */
SC_CHECKED sc_err sc_policy_check(const sc_policy *terms, sc_diag *diag);

// --- Access rules --------------------------------------------------------------------------------

/** Policy, keys and revoked tokens; immutable, counted references. */
typedef struct sc_access_rules {
    sc_policy policy;
    sc_token_keys *keys;
    sc_revoked *revoked;
    sc_jwt_issuer *jwt;    ///< whose tokens are good as well; borrowed; NULL: there is none
    sc_pass_issuer *pass;  ///< whose anonymous tokens are good; borrowed; NULL: there is none
    atomic_size_t holders;
} sc_access_rules;

/** Holds the current rules. Any thread. */
typedef struct sc_credentials sc_credentials;

/** Takes `first` over. SC_ENOMEM: it is still the caller's. */
SC_CHECKED sc_err sc_credentials_new(sc_access_rules *first, sc_credentials **out);
void sc_credentials_free(sc_credentials *credentials);

/** New rules, which take over keys and revoked tokens; held once. NULL if memory is out: they are
 * still the caller's. */
sc_access_rules *sc_access_rules_new(const sc_policy *policy, sc_token_keys *keys,
                                     sc_revoked *revoked);

/** The current rules, held: release them. */
sc_access_rules *sc_credentials_hold(sc_credentials *credentials);
void sc_access_rules_release(sc_access_rules *terms);

/** Replace the current rules by `next`, which is taken over. */
void sc_credentials_exchange(sc_credentials *credentials, sc_access_rules *next);

/**
 * The user of a request, by its bearer token or its private token.
 *
 * @return whether it is good; if not, `problem` is SC_PROBLEM_TOKEN with a reason: none, not a
 * token, not ours, expired, revoked
 */
bool sc_access_rules_identify(const sc_access_rules *terms, const sc_http_request *request,
                              sc_token *out, sc_problem *problem);

/** The same for a request about a query that was asked before: its private token may be one of the
 * epoch before, for as long as outcomes are kept. */
bool sc_access_rules_identify_again(const sc_access_rules *terms, const sc_http_request *request,
                                    sc_token *out, sc_problem *problem);

#endif
