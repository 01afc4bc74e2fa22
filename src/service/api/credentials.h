/**
 * @file credentials.h
 * @brief Keys, revoked tokens and policy as they are in force now; exchanged as a whole on reload.
 *
 * Uses: guard, policy. Used by: door, router, service.
 */
#ifndef SC_SERVICE_CREDENTIALS_H
#define SC_SERVICE_CREDENTIALS_H

#include <stdatomic.h>

#include "api/access_policy.h"
#include "api/problem_details.h"
#include "server/revoked.h"
#include "server/token.h"

/** One state of affairs; never changes. */
typedef struct sc_terms {
    sc_policy_terms policy;
    sc_token_keys *keys;
    sc_revoked *revoked;
    atomic_size_t holders;
} sc_terms;

/** The place where the current one is. Any thread. */
typedef struct sc_credentials sc_credentials;

/** Takes `first` over. SC_ENOMEM: it is still the caller's. */
SC_CHECKED sc_err sc_credentials_new(sc_terms *first, sc_credentials **out);
void sc_credentials_free(sc_credentials *credentials);

/** A new one with these parts, which it takes over; held once. NULL if memory is out: the parts are
 * still the caller's. */
sc_terms *sc_terms_new(const sc_policy_terms *policy, sc_token_keys *keys, sc_revoked *revoked);

/** The current one, held: release it. */
sc_terms *sc_credentials_hold(sc_credentials *credentials);
void sc_terms_release(sc_terms *terms);

/** From now on this one, which is taken over. */
void sc_credentials_exchange(sc_credentials *credentials, sc_terms *next);

/**
 * Who asks, by the bearer token of a request.
 *
 * @return whether it is good; if not, `problem` is SC_PROBLEM_TOKEN with a reason: none, not a
 * token, not ours, expired, revoked
 */
bool sc_terms_identify(const sc_terms *terms, const sc_http_request *request, sc_token *out,
                       sc_problem *problem);

#endif
