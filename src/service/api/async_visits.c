// Queries with a life of their own that another gateway has: any gateway of a cluster replies.
//
//     client --GET--> gateway A --visit--> gateway B, which has the query
//            <--200--           <-visited-
//
// The id of a query ends with the number of its gateway, combined with a keyed hash of the random
// bytes before it: all gateways can read it, and no one else. A visit carries the id and a keyed
// hash of the user, never the user; the answer has what the client is told. Both are sealed with
// the key of the gateways, which workers do not have.
//
//  1. In A the request is a *visitor*: it waits in its loop for an answer, and for a moment longer
//     than the client wished. Without one the client is told 503 and asks again: a message was
//     lost, or B is about to be missed. If B is not there, neither are its queries: 404.
//  2. In B a visit is taken by the first loop, as if the request had come there: it is a *guest*.
//  3. If the client goes, A tells B: the lease runs from then. If that is lost, it runs from when
//  the
//     client would have been told.
#include "api/async_route_internal.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <string.h>

_Static_assert((int)SC_VISIT_ID_SIZE == (int)SC_ASYNC_ID_MAX, "a visit has a whole id");
_Static_assert((int)SC_VISIT_OWNER_SIZE == (int)SC_ASYNC_HASH_SIZE, "and a whole owner");

/** For the way there and back: rounds of two outboxes and a busy machine. */
static const sc_time margin_us = 2000000;

/** Messages that wait for the first loop; more are lost. */
enum { VISITS_MAX = 4096 };

enum { OK = 200, NO_CONTENT = 204, NOT_FOUND = 404 };

// --- Ids -----------------------------------------------------------------------------------------

size_t sc__async_id_size(const sc_async_route *route)
{
    return route->visits ? SC_ASYNC_ID_MAX : SC_ASYNC_RANDOM_SIZE;
}

/** What hides the number of a gateway behind those random bytes. */
static uint64_t cover_of(const sc_async_route *route, const sc_async_id *id)
{
    uint64_t cover = 0;
    crypto_shorthash((unsigned char *)&cover, id->bytes, SC_ASYNC_RANDOM_SIZE, route->seal_key);
    return cover;
}

void sc__async_id_seal(const sc_async_route *route, sc_async_id *id)
{
    if (!route->visits) return;
    const sc_peer self = route->gateway ? sc_gateway_self(route->gateway) : SC_PEER_NONE;
    const uint64_t sealed = self ^ cover_of(route, id);
    memcpy(id->bytes + SC_ASYNC_RANDOM_SIZE, &sealed, sizeof sealed);
}

sc_peer sc__async_id_home(const sc_async_route *route, const sc_async_id *id)
{
    if (!route->gateway) return SC_PEER_NONE;
    uint64_t sealed = 0;
    memcpy(&sealed, id->bytes + SC_ASYNC_RANDOM_SIZE, sizeof sealed);
    const sc_peer home = sealed ^ cover_of(route, id);
    return home == sc_gateway_self(route->gateway) ? SC_PEER_NONE : home;
}

// --- Visitors: our client, their query -----------------------------------------------------------

/** Under the lock: a place for one more; false if memory is out. */
static bool take_place(sc_async_route *route, struct sc_async_waiter *waiter)
{
    size_t place = 0;
    while (place < route->visitor_capacity && route->visitors[place].waiter) {
        place++;
    }
    if (place == route->visitor_capacity) {
        const size_t old = route->visitor_capacity;
        if (!sc_reserve(&route->visitors, place + 1, &route->visitor_capacity,
                        sizeof *route->visitors)) {
            return false;
        }
        memset(route->visitors + old, 0, (route->visitor_capacity - old) * sizeof *route->visitors);
    }
    waiter->place = (uint32_t)place;
    // The place is in the number, so that an answer finds it, and tells an old answer from a new
    // one.
    waiter->number = ++route->visit_number << 32 | place;
    route->visitors[place].waiter = waiter;
    return true;
}

/** Send a visit. For want of memory it is lost, as any message may be. */
static void send_visit(const sc_async_route *route, const struct sc_async_waiter *waiter,
                       sc_visit_verb verb, sc_time wait_us)
{
    sc_visit *visit = sc_visit_new(NULL, 0);
    if (!visit) return;
    visit->number = waiter->number;
    visit->verb = verb;
    memcpy(visit->id, waiter->id.bytes, sizeof visit->id);
    memcpy(visit->owner, waiter->owner.bytes, sizeof visit->owner);
    visit->wait_us = wait_us;
    visit->known = waiter->has_known ? 1 + (uint32_t)waiter->known : 0;
    sc_msg msg = {.kind = SC_MSG_VISIT, .visit = visit};
    sc_gateway_send(route->gateway, waiter->peer, &msg);
}

static bool refuse_unreachable(sc_problem *problem)
{
    sc_problem_set(problem, SC_PROBLEM_GATEWAY, NULL, "retry in a second");
    problem->retry_after_s = 1;
    return false;
}

bool sc__async_visit(sc_async_route *route, const sc__async_request *asked,
                     const sc_async_look *wanted, sc_problem *problem)
{
    if (!sc_gateway_has_been_ready(route->gateway)) return refuse_unreachable(problem);
    if (!sc_gateway_knows(route->gateway, asked->home)) {
        return sc_problem_set(problem, SC_PROBLEM_NO_SUCH_QUERY, NULL, "%s", "");
    }
    const sc_time wait_us = wanted ? sc_time_from_seconds(wanted->wait_s) : 0;
    const sc__async_asked waiting = {.request = asked->request,
                                     .loop = asked->loop,
                                     .form = FORM_LOOK,
                                     .has_known = wanted && wanted->has_known,
                                     .known = wanted ? wanted->known : SC_ASYNC_WAITING,
                                     .wait_us = wait_us + margin_us,
                                     .peer = asked->home};
    struct sc_async_waiter *waiter = sc__async_waiter_new(route, &waiting, sc_clock_us());
    if (!waiter) return refuse_unreachable(problem);
    waiter->id = asked->id;
    waiter->owner = asked->owner;
    pthread_mutex_lock(&route->lock);
    const bool has_place = take_place(route, waiter);
    pthread_mutex_unlock(&route->lock);
    if (!has_place) {
        sc__async_waiter_free(waiter);
        return refuse_unreachable(problem);
    }
    sc_http_on_gone(asked->request, sc__async_waiter_gone, waiter);
    sc_http_request_forget_headers(asked->request);
    send_visit(route, waiter, wanted ? SC_VISIT_LOOK : SC_VISIT_DELETE, wait_us);
    return true;
}

void sc__async_visitor_gone(sc_async_route *route, const struct sc_async_waiter *waiter)
{
    if (!waiter->answer) send_visit(route, waiter, SC_VISIT_LEAVE, 0);
}

void sc__async_visitor_tell_and_unlock(sc_async_route *route, struct sc_async_waiter *waiter)
{
    sc_problem problem;
    sc_http_request *request = waiter->request;
    sc_visit *answer = waiter->answer;
    waiter->answer = NULL;
    sc__async_waiter_detach(route, NULL, waiter, 0);
    pthread_mutex_unlock(&route->lock);
    sc__async_waiter_free(waiter);
    if (answer && answer->status == OK && answer->size > 0) {
        sc_http_reply(request, OK, "application/json", answer->body, answer->size, NULL, 0);
    } else if (answer && answer->status == NO_CONTENT) {
        sc_http_reply(request, NO_CONTENT, NULL, NULL, 0, NULL, 0);
    } else {
        if (answer && answer->status == NOT_FOUND) {
            sc_problem_set(&problem, SC_PROBLEM_NO_SUCH_QUERY, NULL, "%s", "");
        } else {
            refuse_unreachable(&problem);
        }
        sc_refusals_add(route->service, problem.kind);
        sc_problem_reply(request, &problem, NULL);
    }
    sc_visit_free(answer);
}

/** An answer, in a thread of the NATS library. Takes what it owns. */
static void receive_answer(sc_async_route *route, sc_msg *msg)
{
    sc_visit *answer = msg->visit;
    const size_t place = (uint32_t)answer->number;
    pthread_mutex_lock(&route->lock);
    struct sc_async_waiter *waiter =
        place < route->visitor_capacity ? route->visitors[place].waiter : NULL;
    // It may have come twice, or too late.
    if (waiter && waiter->number == answer->number && waiter->peer == msg->from &&
        !waiter->is_woken) {
        waiter->answer = answer;
        msg->visit = NULL;
        sc__async_waiter_wake(route, waiter);
    }
    pthread_mutex_unlock(&route->lock);
    sc_msg_fini(msg);
}

// --- Guests: our query, their client -------------------------------------------------------------

void sc__async_guest_answer(sc_async_route *route, sc_peer peer, uint64_t number, unsigned status,
                            const void *body, size_t size)
{
    sc_visit *visit = sc_visit_new(body, size);
    if (!visit) return;
    visit->number = number;
    visit->status = status;
    sc_msg msg = {.kind = SC_MSG_VISITED, .visit = visit};
    sc_gateway_send(route->gateway, peer, &msg);
}

/** Under the lock: its client is gone. */
static void let_guest_go(sc_async_route *route, const sc_policy *policy, sc_async_query *query,
                         const sc_msg *msg, sc_time now)
{
    struct sc_async_waiter *waiter = NULL;
    TAILQ_FOREACH(waiter, &query->waiters, link)
    {
        if (waiter->request || waiter->peer != msg->from || waiter->number != msg->visit->number)
            continue;
        sc__async_waiter_detach(route, policy, waiter, now);
        sc__async_waiter_free(waiter);
        return;
    }
}

static void serve_guest(sc_async_route *route, const sc_policy *policy, const sc_msg *msg)
{
    const sc_visit *visit = msg->visit;
    const sc_time now = sc_clock_us();
    const sc_async_limits limits = sc__async_limits(policy);
    sc_async_id id = {.size = SC_ASYNC_ID_MAX};
    sc_async_hash owner;
    memcpy(id.bytes, visit->id, sizeof visit->id);
    memcpy(owner.bytes, visit->owner, sizeof visit->owner);
    const bool has_known = visit->known > 0 && visit->known <= SC_ASYNC_STATE_COUNT;
    const sc__async_asked asked = {.form = FORM_LOOK,
                                   .has_known = has_known,
                                   .known = has_known ? (sc_async_state)(visit->known - 1)
                                                      : SC_ASYNC_WAITING,
                                   .wait_us = visit->wait_us,
                                   .peer = msg->from,
                                   .number = visit->number};
    pthread_mutex_lock(&route->lock);
    sc_async_query *query = sc_async_queries_find(route->table, &id, &owner, &limits, now);
    if (!query) {
        pthread_mutex_unlock(&route->lock);
        if (visit->verb != SC_VISIT_LEAVE) {
            sc__async_guest_answer(route, msg->from, visit->number, NOT_FOUND, NULL, 0);
        }
    } else if (visit->verb == SC_VISIT_LOOK) {
        sc_async_query_hold(query);
        sc__async_serve_and_unlock(route, policy, &asked, query, now);
    } else if (visit->verb == SC_VISIT_DELETE) {
        sc__async_delete_and_unlock(route, query);
        sc__async_guest_answer(route, msg->from, visit->number, NO_CONTENT, NULL, 0);
    } else {
        let_guest_go(route, policy, query, msg, now);
        pthread_mutex_unlock(&route->lock);
    }
}

/** In the first loop. */
static void take_visits(void *context, unsigned loop)
{
    enum { AT_ONCE = 64 };
    (void)loop;
    sc_async_route *route = context;
    sc_msg msgs[AT_ONCE];
    // The descriptor stays readable for those that are left.
    const size_t count = sc_handover_take(route->visits, msgs, AT_ONCE);
    sc_access_rules *terms = sc_credentials_hold(route->service->credentials);
    for (size_t i = 0; i < count; i++) {
        serve_guest(route, &terms->policy, &msgs[i]);
        sc_msg_fini(&msgs[i]);
    }
    sc_access_rules_release(terms);
}

// --- Both ----------------------------------------------------------------------------------------

/** In a thread of the NATS library. */
static void receive(void *context, sc_msg *msg)
{
    sc_async_route *route = context;
    if (msg->kind == SC_MSG_VISITED) {
        receive_answer(route, msg);
    } else if (!sc_handover_put(route->visits, msg)) {
        sc_msg_fini(msg);
    }
}

sc_err sc__async_visits_open(sc_async_route *route, const uint8_t *names_key)
{
    static const char use[] = "gateways of queries";
    uint8_t key[crypto_generichash_BYTES];
    crypto_generichash(key, sizeof key, (const uint8_t *)use, sizeof use - 1, names_key,
                       SC_KEY_SIZE);
    memcpy(route->seal_key, key, sizeof route->seal_key);
    explicit_bzero(key, sizeof key);
    const sc_err err = sc_handover_new(sizeof(sc_msg), VISITS_MAX, &route->visits);
    if (err) return err;
    return sc_http_watch(route->service->http, 0, sc_handover_fd(route->visits), take_visits,
                         route);
}

void sc__async_visits_close(sc_async_route *route)
{
    sc_msg msg;
    while (route->visits && sc_handover_take(route->visits, &msg, 1) == 1) {
        sc_msg_fini(&msg);
    }
    sc_handover_free(route->visits);
    sc_free(route->visitors);
    explicit_bzero(route->seal_key, sizeof route->seal_key);
}

void sc_async_route_join(sc_async_route *route, sc_gateway *gateway)
{
    route->gateway = gateway;
    sc_gateway_set_visits(gateway, receive, route);
}
