// Checks of the operator's policy, and the access rules in force.
#include "api/access_policy.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/** A day: sums of times stay far below their limits. */
enum { LONGEST_WAIT_S = 86400 };

// One need: its three values ascend, and begin where they make sense.
static sc_err check_need(const char *need, double least, double standard, double most, double floor,
                         sc_diag *diag)
{
    if (least < floor) {
        return sc_fail(diag, SC_EINVAL, "the minimum of %s is %.15g; it must be %.15g or more",
                       need, least, floor);
    }
    if (!(least <= standard && standard <= most)) {
        return sc_fail(diag, SC_EINVAL,
                       "%s: the minimum is %.15g, the default %.15g, the maximum %.15g; they must "
                       "not decrease",
                       need, least, standard, most);
    }
    return SC_OK;
}

static double in_seconds(sc_time t)
{
    return (double)t / 1e6;
}

static sc_err check_profiles(const sc_policy *terms, sc_diag *diag)
{
    const sc_profile *least = &terms->least;
    const sc_profile *standard = &terms->standard;
    const sc_profile *most = &terms->most;
    sc_err err = check_need("k", least->k, standard->k, most->k, 1, diag);
    if (!err) err = check_need("l", least->l, standard->l, most->l, 1, diag);
    if (!err) {
        err = check_need("max_hops", least->max_hops, standard->max_hops, most->max_hops, 0, diag);
    }
    if (!err) {
        err = check_need("max_wait_s", in_seconds(least->max_wait_us),
                         in_seconds(standard->max_wait_us), in_seconds(most->max_wait_us), 1e-6,
                         diag);
    }
    if (!err && most->max_wait_us > sc_time_from_seconds(LONGEST_WAIT_S)) {
        err =
            sc_fail(diag, SC_EINVAL, "the maximum of max_wait_s is %.15g; it must be %d s or less",
                    in_seconds(most->max_wait_us), (int)LONGEST_WAIT_S);
    }
    return err;
}

// Written so that what is not a number is refused too.
static sc_err check_least(const char *term, double value, double least, sc_diag *diag)
{
    if (value >= least && isfinite(value)) return SC_OK;
    return sc_fail(diag, SC_EINVAL, "%s is %.15g; it must be %.15g or more", term, value, least);
}

static sc_err check_access(const char *page, sc_access access, sc_diag *diag)
{
    if (access >= SC_ACCESS_OFF && access <= SC_ACCESS_OPEN) return SC_OK;
    return sc_fail(diag, SC_EINVAL, "%s: access must be off, local, token or open", page);
}

sc_err sc_policy_check(const sc_policy *terms, sc_diag *diag)
{
    sc_err err = check_profiles(terms, diag);
    if (!err) err = check_least("requests.max_k", terms->requests.max_k, 1, diag);
    if (!err) err = check_least("requests.max_radius_m", terms->requests.max_radius_m, 0, diag);
    if (!err) err = check_least("requests.max_radius_s", terms->requests.max_radius_s, 0, diag);
    if (!err && (unsigned)terms->metric >= SC_METRIC_COUNT) {
        err = sc_fail(diag, SC_EINVAL, "metric: must be distance or time");
    }
    if (!err) err = check_least("max_objects", terms->max_objects, 0, diag);
    if (!err) err = check_least("max_cost", terms->max_cost, 0, diag);
    if (!err) err = check_least("user_waiting", terms->user_waiting, 0, diag);
    if (!err) err = check_least("user_cost", terms->user_cost, 0, diag);
    if (!err) err = check_least("max_snap_m", terms->max_snap_m, 0, diag);
    if (!err) err = check_least("user_rate", terms->user_rate, 0, diag);
    if (!err) err = check_least("user_burst", terms->user_burst, 1, diag);
    if (!err) err = check_least("address_rate", terms->address_rate, 0, diag);
    if (!err) err = check_least("address_burst", terms->address_burst, 1, diag);
    if (!err) err = check_least("user_pending", terms->user_pending, 1, diag);
    if (!err) err = check_least("lease_s", in_seconds(terms->lease_us), 1e-6, diag);
    if (!err) err = check_least("outcome_keep_s", in_seconds(terms->outcome_keep_us), 0, diag);
    if (!err) err = check_least("max_poll_s", terms->max_poll_s, 0, diag);
    if (!err) err = check_least("max_outcomes", (double)terms->max_outcomes, 1, diag);
    if (!err) err = check_access("events", terms->events, diag);
    if (!err) err = check_access("metrics", terms->metrics, diag);
    return err;
}

// === Access rules ===============================================================================
//
// Rules never change; the pointer to the current ones does, under a mutex that is held for two
// assignments. A reference stays valid after a reload, and the last release frees the rules.

struct sc_credentials {
    pthread_mutex_t lock;
    sc_access_rules *current;  ///< under `lock`
};

// --- Terms ---------------------------------------------------------------------------------------

sc_access_rules *sc_access_rules_new(const sc_policy *policy, sc_token_keys *keys,
                                     sc_revoked *revoked)
{
    sc_access_rules *terms = sc_calloc(1, sizeof *terms);
    if (!terms) return NULL;
    terms->policy = *policy;
    terms->keys = keys;
    terms->revoked = revoked;
    atomic_init(&terms->holders, 1);
    return terms;
}

static sc_access_rules *hold(sc_access_rules *terms)
{
    atomic_fetch_add_explicit(&terms->holders, 1, memory_order_relaxed);
    return terms;
}

void sc_access_rules_release(sc_access_rules *terms)
{
    if (!terms || atomic_fetch_sub_explicit(&terms->holders, 1, memory_order_acq_rel) > 1) return;
    sc_token_keys_free(terms->keys);
    sc_revoked_free(terms->revoked);
    sc_free(terms);
}

// --- The place where they are --------------------------------------------------------------------

sc_err sc_credentials_new(sc_access_rules *first, sc_credentials **out)
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
    sc_access_rules_release(credentials->current);
    pthread_mutex_destroy(&credentials->lock);
    sc_free(credentials);
}

sc_access_rules *sc_credentials_hold(sc_credentials *credentials)
{
    pthread_mutex_lock(&credentials->lock);
    sc_access_rules *terms = hold(credentials->current);
    pthread_mutex_unlock(&credentials->lock);
    return terms;
}

void sc_credentials_exchange(sc_credentials *credentials, sc_access_rules *next)
{
    pthread_mutex_lock(&credentials->lock);
    sc_access_rules *last = credentials->current;
    credentials->current = next;
    pthread_mutex_unlock(&credentials->lock);
    sc_access_rules_release(last);
}

// --- The user of a request -----------------------------------------------------------------------

static bool refuse(const sc_access_rules *terms, sc_problem *problem, const char *why)
{
    sc_problem_set(problem, SC_PROBLEM_TOKEN, "header Authorization", "%s", why);
    problem->pass = terms->pass;
    return false;
}

/** A token that is none of ours may be one of the issuer's. */
static bool identify_by_issuer(const sc_access_rules *terms, const char *text, sc_token *out,
                               sc_problem *problem)
{
    const sc_jwt_verdict verdict = sc_jwt_issuer_check(terms->jwt, text, time(NULL), out);
    if (verdict != SC_JWT_GOOD) return refuse(terms, problem, sc_jwt_words(verdict));
    return !sc_revoked_has(terms->revoked, terms->keys, out) ||
           refuse(terms, problem, "the token was revoked");
}

/** Anonymous tokens: there is no account that could be revoked here. */
static bool identify_by_pass(const sc_access_rules *terms, const char *header, sc_time late_us,
                             sc_token *out, sc_problem *problem)
{
    enum { US_PER_S = 1000000 };
    const sc_pass_verdict verdict =
        sc_pass_issuer_check(terms->pass, header, time(NULL), late_us / US_PER_S, out);
    return verdict == SC_PASS_GOOD || refuse(terms, problem, sc_pass_words(verdict));
}

static bool identify(const sc_access_rules *terms, const sc_http_request *request, sc_time late_us,
                     sc_token *out, sc_problem *problem)
{
    static const char scheme[] = "Bearer ";
    const char *header = sc_http_request_header(request, "Authorization");
    if (!header) return refuse(terms, problem, "no token; send Authorization: Bearer TOKEN");
    if (terms->pass && sc_pass_authorization_is_ours(header, strlen(header))) {
        return identify_by_pass(terms, header, late_us, out, problem);
    }
    if (strncasecmp(header, scheme, sizeof scheme - 1) != 0) {
        return refuse(terms, problem, "not a bearer token; send Authorization: Bearer TOKEN");
    }
    const char *text = header + sizeof scheme - 1;
    text += strspn(text, " ");
    const sc_err err = sc_token_check(terms->keys, text, out);
    if (err == SC_EPARSE && terms->jwt) return identify_by_issuer(terms, text, out, problem);
    if (err == SC_EPARSE) return refuse(terms, problem, "this is not a token of this service");
    if (err) return refuse(terms, problem, "the token was not signed by this service");
    // The calendar's clock: a token ends at a date, whatever this machine has done since.
    if (out->expires_s <= (int64_t)time(NULL)) {
        return refuse(terms, problem, "the token has expired; get a new one");
    }
    if (sc_revoked_has(terms->revoked, terms->keys, out)) {
        return refuse(terms, problem, "the token was revoked");
    }
    return true;
}

bool sc_access_rules_identify(const sc_access_rules *terms, const sc_http_request *request,
                              sc_token *out, sc_problem *problem)
{
    return identify(terms, request, 0, out, problem);
}

bool sc_access_rules_identify_again(const sc_access_rules *terms, const sc_http_request *request,
                                    sc_token *out, sc_problem *problem)
{
    // So long is an outcome kept that was never read.
    return identify(terms, request, 2 * terms->policy.outcome_keep_us, out, problem);
}
