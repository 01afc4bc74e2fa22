// The terms in force, and who asks by them. See credentials.h.
//
// Terms never change; the place where the current ones are does, under a mutex that is held for two
// words. Whoever holds terms keeps them, whatever comes after, and the last one to let go frees
// them.
#include "api/credentials.h"

#include "base/alloc.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <time.h>

struct sc_credentials {
    pthread_mutex_t lock;
    sc_terms *current;  ///< under `lock`
};

// --- Terms ---------------------------------------------------------------------------------------

sc_terms *sc_terms_new(const sc_policy_terms *policy, sc_token_keys *keys, sc_revoked *revoked)
{
    sc_terms *terms = sc_calloc(1, sizeof *terms);
    if (!terms) return NULL;
    terms->policy = *policy;
    terms->keys = keys;
    terms->revoked = revoked;
    atomic_init(&terms->holders, 1);
    return terms;
}

static sc_terms *hold(sc_terms *terms)
{
    atomic_fetch_add_explicit(&terms->holders, 1, memory_order_relaxed);
    return terms;
}

void sc_terms_release(sc_terms *terms)
{
    if (!terms || atomic_fetch_sub_explicit(&terms->holders, 1, memory_order_acq_rel) > 1) return;
    sc_token_keys_free(terms->keys);
    sc_revoked_free(terms->revoked);
    sc_free(terms);
}

// --- The place where they are --------------------------------------------------------------------

sc_err sc_credentials_new(sc_terms *first, sc_credentials **out)
{
    sc_credentials *credentials = sc_calloc(1, sizeof *credentials);
    if (!credentials) return SC_ENOMEM;
    pthread_mutex_init(&credentials->lock, NULL);
    credentials->current = first;
    *out = credentials;
    return SC_OK;
}

void sc_credentials_free(sc_credentials *credentials)
{
    if (!credentials) return;
    sc_terms_release(credentials->current);
    pthread_mutex_destroy(&credentials->lock);
    sc_free(credentials);
}

sc_terms *sc_credentials_hold(sc_credentials *credentials)
{
    pthread_mutex_lock(&credentials->lock);
    sc_terms *terms = hold(credentials->current);
    pthread_mutex_unlock(&credentials->lock);
    return terms;
}

void sc_credentials_exchange(sc_credentials *credentials, sc_terms *next)
{
    pthread_mutex_lock(&credentials->lock);
    sc_terms *last = credentials->current;
    credentials->current = next;
    pthread_mutex_unlock(&credentials->lock);
    sc_terms_release(last);
}

// --- Who asks ------------------------------------------------------------------------------------

static bool refuse(sc_problem *problem, const char *why)
{
    return sc_problem_set(problem, SC_PROBLEM_TOKEN, "header Authorization", "%s", why);
}

bool sc_terms_identify(const sc_terms *terms, const sc_http_request *request, sc_token *out,
                       sc_problem *problem)
{
    static const char scheme[] = "Bearer ";
    const char *header = sc_http_request_header(request, "Authorization");
    if (!header) return refuse(problem, "there is no token; send Authorization: Bearer TOKEN");
    if (strncasecmp(header, scheme, sizeof scheme - 1) != 0) {
        return refuse(problem, "that is no bearer token; send Authorization: Bearer TOKEN");
    }
    const char *text = header + sizeof scheme - 1;
    text += strspn(text, " ");
    const sc_err err = sc_token_check(terms->keys, text, out);
    if (err == SC_EPARSE) return refuse(problem, "that is no token of this service");
    if (err) return refuse(problem, "the token was not signed by this service");
    // The calendar's clock: a token ends at a date, whatever this machine has done since.
    if (out->expires_s <= (int64_t)time(NULL)) {
        return refuse(problem, "the token has expired; ask for a new one");
    }
    if (sc_revoked_has(terms->revoked, terms->keys, out)) {
        return refuse(problem, "the token was revoked");
    }
    return true;
}
