/**
 * @file access_policy.h
 * @brief What the operator allows: needs and their defaults, requests, how often, who may look.
 *
 * Plain values; credentials.h says which are in force.
 *
 */
#ifndef SC_API_ACCESS_POLICY_H
#define SC_API_ACCESS_POLICY_H

#include <starcloak/query.h>
#include <starcloak/relay.h>

#include "api/problem_details.h"
#include "server/revoked.h"
#include "server/token.h"

#include <stdatomic.h>

/** Who may see a page. */
typedef enum sc_access {
    SC_ACCESS_OFF = 0,    ///< nobody: 404
    SC_ACCESS_LOCAL = 1,  ///< whoever asks from this machine
    SC_ACCESS_TOKEN = 2,  ///< whoever has a token
    SC_ACCESS_OPEN = 3,   ///< everybody
} sc_access;

typedef struct sc_policy {
    sc_profile least;  ///< of a profile's parts; a profile out of bounds is refused
    sc_profile most;
    sc_profile standard;  ///< for parts that are missing
    sc_request_limits requests;
    double max_snap_m;  ///< a position farther from any road is refused
    double user_rate;   ///< queries per second and user; 0: no limit
    double user_burst;
    double address_rate;  ///< requests of all kinds per second and address; 0: no limit
    double address_burst;
    uint32_t user_pending;  ///< queries of one user at once
    sc_access events;
    sc_access metrics;
} sc_policy;

/** Whether they make sense: least <= standard <= most, and so on. SC_EINVAL names the term. */
SC_CHECKED sc_err sc_policy_check(const sc_policy *terms, sc_diag *diag);

// === credentials.h ==============================================================================
// Keys, revoked tokens and policy as they are in force now; exchanged as a whole on reload.

/** One state of affairs; never changes. */
typedef struct sc_access_rules {
    sc_policy policy;
    sc_token_keys *keys;
    sc_revoked *revoked;
    atomic_size_t holders;
} sc_access_rules;

/** The place where the current one is. Any thread. */
typedef struct sc_credentials sc_credentials;

/** Takes `first` over. SC_ENOMEM: it is still the caller's. */
SC_CHECKED sc_err sc_credentials_new(sc_access_rules *first, sc_credentials **out);
void sc_credentials_free(sc_credentials *credentials);

/** A new one with these parts, which it takes over; held once. NULL if memory is out: the parts are
 * still the caller's. */
sc_access_rules *sc_access_rules_new(const sc_policy *policy, sc_token_keys *keys,
                                     sc_revoked *revoked);

/** The current one, held: release it. */
sc_access_rules *sc_credentials_hold(sc_credentials *credentials);
void sc_access_rules_release(sc_access_rules *terms);

/** From now on this one, which is taken over. */
void sc_credentials_exchange(sc_credentials *credentials, sc_access_rules *next);

/**
 * Who asks, by the bearer token of a request.
 *
 * @return whether it is good; if not, `problem` is SC_PROBLEM_TOKEN with a reason: none, not a
 * token, not ours, expired, revoked
 */
bool sc_access_rules_identify(const sc_access_rules *terms, const sc_http_request *request,
                              sc_token *out, sc_problem *problem);

#endif
