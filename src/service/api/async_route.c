// Requests about queries with a life of their own. See async_route.h.
//
// A request that is held is a waiter: it belongs to the thread of its loop, which alone replies to
// it, frees it, and sees its client go. Under the lock it is in one of two lists: of its query, or,
// once there is something to tell, of those in its loop that are to be replied to.
//
// What is told is composed under the lock and sent after it is given back.
#include "api/async_route_internal.h"

#include "api/served_map.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/handover.h"
#include "base/json_write.h"

#include <math.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

/** How often a loop looks which requests have been held for long enough, and the first one which
 * leases are over: no reply is later than that. */
#define TICK_S 0.1

// --- What is told --------------------------------------------------------------------------------

static void put_withdrawn(sc_json_writer *json, const sc_async_query *query)
{
    sc_json_put_string(json, "outcome", "withdrawn");
    sc_json_put_string(json, "reason", query->is_forgotten ? "client" : "lease");
}

/** For want of memory when it had its outcome. */
static size_t write_lost(char *out, size_t room)
{
    sc_problem problem;
    sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "out of memory; retry");
    problem.outcome = "failed";
    problem.reason = "overloaded";
    return sc_problem_write(&problem, out, room);
}

/** The outcome as of a held query, from its first brace on. */
static bool put_outcome(sc_bytes *out, const sc_async_query *query)
{
    if (query->outcome) {
        return sc_bytes_reserve_wiping(out, query->size) &&
               sc_bytes_append(out, query->outcome, query->size);
    }
    if (query->state == SC_ASYNC_WITHDRAWN) {
        sc_json_writer json = sc_json_writer_of(out);
        sc_json_open_object(&json, NULL);
        put_withdrawn(&json, query);
        sc_json_close_object(&json);
        return !json.has_failed;
    }
    char text[2048];
    return sc_bytes_append(out, text, write_lost(text, sizeof text));
}

/** Where it stands, and what is known of it. */
static bool put_state(sc_bytes *out, const sc_policy *policy, const sc_async_query *query,
                      reply_form form)
{
    char id[SC_ASYNC_ID_TEXT];
    sc_async_id_write(&query->id, id);
    sc_json_writer json = sc_json_writer_of_secret(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "id", id);
    sc_json_put_string(&json, "state", sc_async_state_name(query->state));
    if (sc_async_state_is_final(query->state)) {
        // The members of the outcome follow in place of its brace.
        const size_t at = out->size;
        if (json.has_failed || !put_outcome(out, query)) return false;
        out->data[at] = ',';
        return true;
    }
    sc_json_put_number(&json, "lease_s", (double)policy->lease_us / 1e6);
    if (form != FORM_LOOK) sc_json_put_number(&json, "max_poll_s", policy->max_poll_s);
    sc_json_close_object(&json);
    return !json.has_failed;
}

/** Under the lock. What is told of an outcome counts as told. */
static told compose(sc_async_route *route, const sc_policy *policy, unsigned loop,
                    sc_async_query *query, reply_form form, bool is_preferred)
{
    enum { OK = 200, ACCEPTED = 202, PROBLEMS = 400, UNAVAILABLE = 503 };
    sc_bytes *out = &route->loops[loop].reply;
    const bool is_final = sc_async_state_is_final(query->state);
    told reply = {.status = OK};
    bool is_good = true;
    if (form == FORM_LOOK || !is_final) {
        if (form != FORM_LOOK) reply.status = ACCEPTED;
        reply.is_applied = form == FORM_ASYNC && is_preferred;
        is_good = put_state(out, policy, query, form);
    } else {
        reply.status = query->state == SC_ASYNC_WITHDRAWN ? OK : query->status;
        reply.retry_after_s = query->retry_after_s;
        is_good = put_outcome(out, query);
    }
    if (form != FORM_LOOK && !query->is_forgotten) {
        char id[SC_ASYNC_ID_TEXT];
        sc_async_id_write(&query->id, id);
        (void)snprintf(reply.location, sizeof reply.location, "%s%s", sc_async_path, id);
    }
    if (!is_good) {
        // The outcome is still there for those who ask again.
        reply = (told){.status = UNAVAILABLE, .retry_after_s = 1};
        sc_bytes_wipe(out);
    } else if (is_final) {
        const sc_async_limits limits = sc__async_limits(policy);
        sc_async_queries_told(route->table, query, &limits, sc_clock_us());
    }
    reply.is_problem = reply.status >= PROBLEMS;
    return reply;
}

/** To the client, or to the gateway that has it. */
static void send_told(sc_async_route *route, async_loop *own, sc_http_request *request,
                      sc_peer peer, uint64_t number, const told *reply)
{
    sc_http_header headers[HEADERS_MAX];
    size_t count = 0;
    char seconds[16];
    if (!request) {
        sc__async_guest_answer(route, peer, number, (unsigned)reply->status, own->reply.data,
                               own->reply.size);
        sc_bytes_wipe(&own->reply);
        return;
    }
    if (own->reply.size == 0) {
        sc_problem problem;
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "out of memory; retry");
        problem.retry_after_s = 1;
        sc_problem_reply(request, &problem, NULL);
        return;
    }
    if (*reply->location) headers[count++] = (sc_http_header){"Location", reply->location};
    if (reply->is_applied) {
        headers[count++] = (sc_http_header){"Preference-Applied", "respond-async"};
    }
    if (reply->retry_after_s > 0) {
        (void)snprintf(seconds, sizeof seconds, "%u", reply->retry_after_s);
        headers[count++] = (sc_http_header){"Retry-After", seconds};
    }
    sc_http_reply(request, reply->status,
                  reply->is_problem ? "application/problem+json" : "application/json",
                  own->reply.data, own->reply.size, headers, count);
    explicit_bzero(own->reply.data, own->reply.size);
    own->reply.size = 0;
}

static void refuse(sc_async_route *route, sc_http_request *request, const sc_problem *problem)
{
    sc_refusals_add(route->service, problem->kind);
    sc_problem_reply(request, problem, NULL);
}

// --- Waiters -------------------------------------------------------------------------------------

/** Under the lock: it is in no list any more, and does not hold its query. */
void sc__async_waiter_detach(sc_async_route *route, const sc_policy *policy,
                             struct sc_async_waiter *waiter, sc_time now)
{
    async_loop *own = &route->loops[waiter->loop];
    if (waiter->is_woken) {
        TAILQ_REMOVE(&own->woken, waiter, link);
    } else if (waiter->query) {
        TAILQ_REMOVE(&waiter->query->waiters, waiter, link);
    }
    if (!waiter->query) {
        route->visitors[waiter->place].waiter = NULL;
        return;
    }
    const sc_async_limits limits = sc__async_limits(policy);
    sc_async_queries_release(route->table, waiter->query, &limits, now);
}

void sc__async_waiter_free(struct sc_async_waiter *waiter)
{
    async_loop *own = &waiter->route->loops[waiter->loop];
    if (waiter->until != SC_NO_DEADLINE) sc_deadlines_cancel(&own->until, &waiter->until);
    sc_visit_free(waiter->answer);
    sc_free(waiter);
}

/** Its client is gone: the lease runs from now. */
void sc__async_waiter_gone(void *context)
{
    struct sc_async_waiter *waiter = context;
    sc_async_route *route = waiter->route;
    sc_access_rules *terms = sc_credentials_hold(route->service->credentials);
    pthread_mutex_lock(&route->lock);
    sc__async_waiter_detach(route, &terms->policy, waiter, sc_clock_us());
    pthread_mutex_unlock(&route->lock);
    sc_access_rules_release(terms);
    if (!waiter->query) sc__async_visitor_gone(route, waiter);
    sc__async_waiter_free(waiter);
}

/** Reply with what is known now. The lock is held, and is not any more afterwards. */
static void tell_and_unlock(const sc_policy *policy, struct sc_async_waiter *waiter)
{
    sc_async_route *route = waiter->route;
    if (!waiter->query) {
        sc__async_visitor_tell_and_unlock(route, waiter);
        return;
    }
    async_loop *own = &route->loops[waiter->loop];
    const told reply =
        compose(route, policy, waiter->loop, waiter->query, waiter->form, waiter->is_preferred);
    sc__async_waiter_detach(route, policy, waiter, sc_clock_us());
    pthread_mutex_unlock(&route->lock);
    sc_http_request *request = waiter->request;
    const sc_peer peer = waiter->peer;
    const uint64_t number = waiter->number;
    sc__async_waiter_free(waiter);
    send_told(route, own, request, peer, number, &reply);
}

void sc__async_waiter_wake(sc_async_route *route, struct sc_async_waiter *waiter)
{
    async_loop *own = &route->loops[waiter->loop];
    const bool is_first = TAILQ_EMPTY(&own->woken);
    TAILQ_INSERT_TAIL(&own->woken, waiter, link);
    waiter->is_woken = true;
    // No room: it rings already.
    if (is_first) (void)sc_handover_put(own->bell, &(char){1});
}

/** Under the lock: let the loops of those waiters that have something to hear reply to them. */
static void wake_waiters(sc_async_route *route, sc_async_query *query, bool wakes_all)
{
    const bool is_final = sc_async_state_is_final(query->state);
    struct sc_async_waiter *next = NULL;
    for (struct sc_async_waiter *waiter = TAILQ_FIRST(&query->waiters); waiter; waiter = next) {
        next = TAILQ_NEXT(waiter, link);
        const bool is_news = waiter->has_known ? waiter->known != query->state : is_final;
        if (!is_news && !wakes_all) continue;
        TAILQ_REMOVE(&query->waiters, waiter, link);
        sc__async_waiter_wake(route, waiter);
    }
}

/** The loop's bell rings. */
static void tell_woken(void *context, unsigned loop)
{
    sc_async_route *route = context;
    async_loop *own = &route->loops[loop];
    char rung = 0;
    // Before the list: one that is woken from now on rings again.
    (void)sc_handover_take(own->bell, &rung, 1);
    sc_access_rules *terms = sc_credentials_hold(route->service->credentials);
    pthread_mutex_lock(&route->lock);
    for (struct sc_async_waiter *waiter; (waiter = TAILQ_FIRST(&own->woken));) {
        tell_and_unlock(&terms->policy, waiter);
        pthread_mutex_lock(&route->lock);
    }
    pthread_mutex_unlock(&route->lock);
    sc_access_rules_release(terms);
}

struct sc_async_waiter *sc__async_waiter_new(sc_async_route *route, const sc__async_asked *asked,
                                             sc_time now)
{
    async_loop *own = &route->loops[asked->loop];
    if (!sc_deadlines_reserve(&own->until, own->until.count + 1)) return NULL;
    struct sc_async_waiter *waiter = sc_malloc(sizeof *waiter);
    if (!waiter) return NULL;
    *waiter = (struct sc_async_waiter){.route = route,
                                       .request = asked->request,
                                       .loop = asked->loop,
                                       .form = asked->form,
                                       .is_preferred = asked->is_preferred,
                                       .has_known = asked->has_known,
                                       .known = asked->known,
                                       .peer = asked->peer,
                                       .number = asked->number,
                                       .until = SC_NO_DEADLINE};
    if (asked->wait_us >= 0) {
        sc_deadlines_add(&own->until, now + asked->wait_us, waiter, &waiter->until);
    }
    return waiter;
}

/** Whether there is something to tell at once. */
static bool is_told_now(const sc__async_asked *asked, const sc_async_query *query)
{
    return sc_async_state_is_final(query->state) || asked->wait_us == 0 ||
           (asked->has_known && asked->known != query->state);
}

/** The lock is held and the query is, by this request; afterwards neither is. Replies now, or once
 * there is something to tell. */
void sc__async_serve_and_unlock(sc_async_route *route, const sc_policy *policy,
                                const sc__async_asked *asked, sc_async_query *query, sc_time now)
{
    struct sc_async_waiter *waiter =
        is_told_now(asked, query) ? NULL : sc__async_waiter_new(route, asked, now);
    if (waiter) {
        waiter->query = query;
        TAILQ_INSERT_TAIL(&query->waiters, waiter, link);
        pthread_mutex_unlock(&route->lock);
        if (!asked->request) return;
        sc_http_on_gone(asked->request, sc__async_waiter_gone, waiter);
        sc_http_request_forget_headers(asked->request);
        return;
    }
    // For want of memory, too: one that would be held is told 202, and may look.
    const told reply = compose(route, policy, asked->loop, query, asked->form, asked->is_preferred);
    const sc_async_limits limits = sc__async_limits(policy);
    sc_async_queries_release(route->table, query, &limits, now);
    pthread_mutex_unlock(&route->lock);
    send_told(route, &route->loops[asked->loop], asked->request, asked->peer, asked->number,
              &reply);
}

// --- Time ----------------------------------------------------------------------------------------

/** Those that were held for as long as they wished. */
static void tell_patient(sc_async_route *route, const sc_policy *policy, unsigned loop, sc_time now)
{
    async_loop *own = &route->loops[loop];
    for (struct sc_async_waiter *waiter; (waiter = sc_deadlines_due(&own->until, now));) {
        pthread_mutex_lock(&route->lock);
        tell_and_unlock(policy, waiter);
    }
}

static void pass_time(sc_async_route *route, const sc_policy *policy, sc_time now)
{
    enum { AT_ONCE = 64 };
    const sc_async_limits limits = sc__async_limits(policy);
    sc_query_id ids[AT_ONCE];
    size_t count = AT_ONCE;
    while (count == AT_ONCE) {
        pthread_mutex_lock(&route->lock);
        sc_async_queries_pass_time(route->table, now);
        count = sc_async_queries_lapse(route->table, &limits, now, ids, AT_ONCE);
        pthread_mutex_unlock(&route->lock);
        // Not under the lock, which the ledger's thread takes.
        for (size_t i = 0; i < count; i++) {
            sc_served_maps_withdraw(route->service, &ids[i]);
        }
    }
}

static void tick(void *context, unsigned loop)
{
    sc_async_route *route = context;
    const sc_time now = sc_clock_us();
    sc_access_rules *terms = sc_credentials_hold(route->service->credentials);
    tell_patient(route, &terms->policy, loop, now);
    if (loop == 0) pass_time(route, &terms->policy, now);
    sc_access_rules_release(terms);
}

// --- Making --------------------------------------------------------------------------------------

static sc_err open_loop(sc_async_route *route, unsigned loop)
{
    async_loop *own = &route->loops[loop];
    sc_err err = sc_handover_new(1, 1, &own->bell);
    if (!err) {
        err =
            sc_http_watch(route->service->http, loop, sc_handover_fd(own->bell), tell_woken, route);
    }
    if (!err) err = sc_http_every(route->service->http, loop, TICK_S, tick, route);
    return err;
}

/** Keys that all gateways of a cluster share, or random ones. */
static void derive_key(const uint8_t *names_key, const char *use, uint8_t *out, size_t size)
{
    if (names_key) {
        crypto_generichash(out, size, (const uint8_t *)use, strlen(use), names_key, SC_KEY_SIZE);
    } else {
        randombytes_buf(out, size);
    }
}

sc_err sc_async_route_new(sc_service_internal *service, const uint8_t *names_key,
                          sc_async_route **out, sc_diag *diag)
{
    sc_async_route *route = sc_calloc(1, sizeof *route);
    if (!route) return sc_fail_memory(diag, "starting the query route");
    route->service = service;
    pthread_mutex_init(&route->lock, NULL);
    derive_key(names_key, "owners of queries", route->owner_key, sizeof route->owner_key);
    derive_key(names_key, "bodies of queries", route->body_key, sizeof route->body_key);
    sc_err err = sc_async_queries_new(&route->table);
    route->loops = sc_calloc(service->loops, sizeof *route->loops);
    if (!route->loops) err = SC_ENOMEM;
    for (unsigned i = 0; route->loops && i < service->loops; i++) {
        TAILQ_INIT(&route->loops[i].woken);
    }
    for (unsigned i = 0; !err && i < service->loops; i++) {
        err = open_loop(route, i);
    }
    if (!err && names_key) err = sc__async_visits_open(route, names_key);
    if (err) {
        sc_async_route_free(route);
        return sc_fail(diag, err, "the query route cannot be started: %s", sc_err_text(err));
    }
    *out = route;
    return SC_OK;
}

void sc_async_route_free(sc_async_route *route)
{
    if (!route) return;
    for (unsigned i = 0; route->loops && i < route->service->loops; i++) {
        // Guests have no connection that would have ended.
        for (struct sc_async_waiter *guest; (guest = sc_deadlines_first(&route->loops[i].until));) {
            sc__async_waiter_free(guest);
        }
        sc_handover_free(route->loops[i].bell);
        sc_deadlines_fini(&route->loops[i].until);
        sc_bytes_fini(&route->loops[i].reply);
    }
    sc_free(route->loops);
    sc__async_visits_close(route);
    sc_async_queries_free(route->table);
    pthread_mutex_destroy(&route->lock);
    explicit_bzero(route->owner_key, sizeof route->owner_key);
    explicit_bzero(route->body_key, sizeof route->body_key);
    sc_free(route);
}

sc_async_stats sc_async_route_stats(sc_async_route *route)
{
    pthread_mutex_lock(&route->lock);
    const sc_async_stats stats = sc_async_queries_stats(route->table);
    pthread_mutex_unlock(&route->lock);
    return stats;
}

size_t sc_async_route_awaited(sc_async_route *route)
{
    pthread_mutex_lock(&route->lock);
    const size_t count = sc_async_queries_awaited(route->table, sc_clock_us());
    pthread_mutex_unlock(&route->lock);
    return count;
}

// --- Asking --------------------------------------------------------------------------------------

static sc_async_hash owner_of(const sc_async_route *route, const sc_token *token)
{
    sc_async_hash owner;
    crypto_generichash(owner.bytes, sizeof owner.bytes, (const uint8_t *)token->user,
                       token->user_size, route->owner_key, sizeof route->owner_key);
    return owner;
}

void sc_async_route_identify(const sc_async_route *route, const sc_token *token,
                             sc_http_request *request, sc_async_asking *asking)
{
    asking->owner = owner_of(route, token);
    if (!asking->headers.key) return;
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    crypto_generichash(asking->body.bytes, sizeof asking->body.bytes, (const uint8_t *)body, size,
                       route->body_key, sizeof route->body_key);
}

bool sc_async_route_repeat(sc_async_route *route, const sc_policy *policy, sc_async_asking *asking,
                           sc_problem *problem)
{
    const sc_async_limits limits = sc__async_limits(policy);
    pthread_mutex_lock(&route->lock);
    sc_async_query *query =
        sc_async_queries_find_key(route->table, asking->headers.key, asking->headers.key_size,
                                  &asking->owner, &asking->body, &limits, sc_clock_us());
    const bool is_same =
        query && memcmp(query->body.bytes, asking->body.bytes, sizeof asking->body.bytes) == 0;
    if (is_same) {
        sc_async_query_hold(query);
        asking->wait_us = query->wait_us;
        asking->query = query;
    }
    pthread_mutex_unlock(&route->lock);
    if (!query || is_same) return true;
    return sc_problem_set(problem, SC_PROBLEM_IDEMPOTENCY, "Idempotency-Key",
                          "another body was sent under this key; use a new key for a new query");
}

static sc_async_id new_id(const sc_async_route *route)
{
    sc_async_id id = {.size = (uint8_t)sc__async_id_size(route)};
    randombytes_buf(id.bytes, SC_ASYNC_RANDOM_SIZE);
    sc__async_id_seal(route, &id);
    return id;
}

sc_err sc_async_route_add(sc_async_route *route, const sc_policy *policy, sc_async_asking *asking,
                          const sc_query_id *id)
{
    const sc_async_limits limits = sc__async_limits(policy);
    const sc_async_ask ask = {.id = new_id(route),
                              .owner = asking->owner,
                              .key = asking->headers.key,
                              .key_size = asking->headers.key_size,
                              .body = asking->body,
                              .query = *id,
                              .wait_us = asking->wait_us};
    pthread_mutex_lock(&route->lock);
    const sc_err err =
        sc_async_queries_add(route->table, &ask, &limits, sc_clock_us(), &asking->query);
    pthread_mutex_unlock(&route->lock);
    return err;
}

void sc_async_route_cancel(sc_async_route *route, const sc_policy *policy, sc_async_asking *asking)
{
    // One that repeats it may have come to another loop: it is told to ask again.
    const sc_async_outcome outcome = {.state = SC_ASYNC_FAILED, .status = 503, .retry_after_s = 1};
    const sc_async_limits limits = sc__async_limits(policy);
    const sc_time now = sc_clock_us();
    sc_async_query *query = asking->query;
    asking->query = NULL;
    pthread_mutex_lock(&route->lock);
    (void)sc_async_queries_settle(route->table, query, &outcome, &limits, now);
    wake_waiters(route, query, true);
    (void)sc_async_queries_delete(route->table, query);
    sc_async_queries_release(route->table, query, &limits, now);
    pthread_mutex_unlock(&route->lock);
}

/** What the body says goes before what the header does. A preference may be cut short. */
static sc_async_form form_of(const sc_policy *policy, const sc_async_asking *asking)
{
    const sc_async_headers *headers = &asking->headers;
    sc_async_form form = {.is_preferred = headers->is_preferred, .wait_us = asking->wait_us};
    if (form.wait_us < 0 && headers->is_preferred) {
        form.wait_us = sc_time_from_seconds(fmin(headers->wait_s, policy->max_poll_s));
    }
    return form;
}

void sc_async_route_reply(sc_async_route *route, const sc_policy *policy, unsigned loop,
                          sc_http_request *request, sc_async_asking *asking)
{
    const sc_async_form form = form_of(policy, asking);
    const sc__async_asked asked = {.request = request,
                                   .loop = loop,
                                   .form = form.wait_us < 0 ? FORM_HELD : FORM_ASYNC,
                                   .is_preferred = form.is_preferred,
                                   .wait_us = form.wait_us};
    sc_async_query *query = asking->query;
    asking->query = NULL;
    pthread_mutex_lock(&route->lock);
    sc__async_serve_and_unlock(route, policy, &asked, query, sc_clock_us());
}

// --- What becomes of it --------------------------------------------------------------------------

void sc_async_route_cloaked(sc_async_route *route, sc_async_query *query)
{
    pthread_mutex_lock(&route->lock);
    sc_async_queries_cloaked(route->table, query);
    wake_waiters(route, query, false);
    pthread_mutex_unlock(&route->lock);
}

void sc_async_route_settle(sc_async_route *route, const sc_policy *policy, sc_async_query *query,
                           const sc_async_outcome *outcome)
{
    const sc_async_limits limits = sc__async_limits(policy);
    pthread_mutex_lock(&route->lock);
    if (sc_async_queries_settle(route->table, query, outcome, &limits, sc_clock_us())) {
        wake_waiters(route, query, true);
    }
    pthread_mutex_unlock(&route->lock);
}

// --- Looking and withdrawing ---------------------------------------------------------------------

/** Whose request it is, and about which query; if not, `problem` says why. */
static bool read_request(const sc_async_route *route, const sc_access_rules *terms,
                         sc__async_request *asked, sc_problem *problem)
{
    sc_token token;
    if (!sc_access_rules_identify_again(terms, asked->request, &token, problem)) return false;
    asked->owner = owner_of(route, &token);
    explicit_bzero(&token, sizeof token);
    if (!sc_async_path_read(sc_http_request_path(asked->request), sc__async_id_size(route),
                            &asked->id)) {
        return sc_problem_set(problem, SC_PROBLEM_NO_SUCH_QUERY, NULL, "%s", "");
    }
    asked->home = sc__async_id_home(route, &asked->id);
    return true;
}

static bool look(sc_async_route *route, const sc_access_rules *terms, sc__async_request *asked,
                 sc_problem *problem)
{
    const sc_policy *policy = &terms->policy;
    const sc_async_limits limits = sc__async_limits(policy);
    const sc_time now = sc_clock_us();
    sc_async_look wanted;
    if (!read_request(route, terms, asked, problem)) return false;
    if (!sc_async_look_parse(sc_http_request_search(asked->request), policy->max_poll_s, &wanted,
                             problem)) {
        return false;
    }
    if (asked->home != SC_PEER_NONE) return sc__async_visit(route, asked, &wanted, problem);
    const sc__async_asked waiting = {.request = asked->request,
                                     .loop = asked->loop,
                                     .form = FORM_LOOK,
                                     .has_known = wanted.has_known,
                                     .known = wanted.known,
                                     .wait_us = sc_time_from_seconds(wanted.wait_s)};
    pthread_mutex_lock(&route->lock);
    sc_async_query *query =
        sc_async_queries_find(route->table, &asked->id, &asked->owner, &limits, now);
    if (query) {
        sc_async_query_hold(query);
        sc__async_serve_and_unlock(route, policy, &waiting, query, now);
        return true;
    }
    pthread_mutex_unlock(&route->lock);
    return sc_problem_set(problem, SC_PROBLEM_NO_SUCH_QUERY, NULL, "%s", "");
}

void sc_async_route_look(sc_async_route *route, unsigned loop, sc_http_request *request)
{
    sc_access_rules *terms = sc_credentials_hold(route->service->credentials);
    sc__async_request asked = {.request = request, .loop = loop};
    sc_problem problem;
    if (!look(route, terms, &asked, &problem)) refuse(route, request, &problem);
    sc_access_rules_release(terms);
}

void sc__async_delete_and_unlock(sc_async_route *route, sc_async_query *query)
{
    const sc_query_id id = query->query;
    wake_waiters(route, query, true);
    const bool is_news = sc_async_queries_delete(route->table, query);
    pthread_mutex_unlock(&route->lock);
    if (is_news) sc_served_maps_withdraw(route->service, &id);
}

/** Sets `is_done` if it is deleted: it is not yet if another gateway has it. */
static bool delete_query(sc_async_route *route, const sc_access_rules *terms,
                         sc__async_request *asked, bool *is_done, sc_problem *problem)
{
    const sc_async_limits limits = sc__async_limits(&terms->policy);
    if (!read_request(route, terms, asked, problem)) return false;
    if (asked->home != SC_PEER_NONE) return sc__async_visit(route, asked, NULL, problem);
    pthread_mutex_lock(&route->lock);
    sc_async_query *query =
        sc_async_queries_find(route->table, &asked->id, &asked->owner, &limits, sc_clock_us());
    if (query) {
        sc__async_delete_and_unlock(route, query);
        *is_done = true;
        return true;
    }
    pthread_mutex_unlock(&route->lock);
    return sc_problem_set(problem, SC_PROBLEM_NO_SUCH_QUERY, NULL, "%s", "");
}

void sc_async_route_delete(sc_async_route *route, unsigned loop, sc_http_request *request)
{
    enum { NO_CONTENT = 204 };
    sc_access_rules *terms = sc_credentials_hold(route->service->credentials);
    sc__async_request asked = {.request = request, .loop = loop};
    sc_problem problem;
    bool is_done = false;
    if (!delete_query(route, terms, &asked, &is_done, &problem)) {
        refuse(route, request, &problem);
    } else if (is_done) {
        sc_http_reply(request, NO_CONTENT, NULL, NULL, 0, NULL, 0);
    }
    sc_access_rules_release(terms);
}
