// POST /v1/queries: checks, admission, and the reply when the query is settled.
//
// A waiting client joins a query's ticket to the HTTP request that waits for it. It belongs to the
// loop's thread from the moment the ledger takes the ticket until the loop has it back; only the
// pointer travels, in the ticket. So client and outcome meet in one thread, whichever comes first.
// A ledger that is hosted by the loop has no other thread: its outcomes are replied to at the end
// of its round.
//
// Invariants:
//  1. Each query that entered `pending` leaves it when its ticket is back, or here, if the ledger
//     did not take it.
//  2. A loop has at most `max_clients` waiting clients: the ledger can always hand one back.
//  3. Positions are wiped from the body and from the stack before this returns, whatever happens.
//  4. No two loops admit at the same moment (see moment_of()), so that ids differ.
//  5. A query is on one map from its position to its reply, also if another is served meanwhile
//     (served_map.h).
#include "api/service_internal.h"

#include <starcloak/admit.h>

#include "api/async_route.h"
#include "api/json_request.h"
#include "api/metrics.h"
#include "api/outcome_json.h"
#include "api/query_json.h"
#include "api/sealed_zones.h"
#include "api/served_map.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/handover.h"
#include "engine/admission.h"

#include <math.h>
#include <sodium.h>
#include <string.h>
#include <time.h>

typedef struct waiting_client {
    sc_served_map *served;     ///< the map that it was asked on
    sc_http_request *request;  ///< NULL once the client is gone, or if it has a life of its own
    sc_async_query *life;      ///< NULL: it ends with its connection
    uint64_t user;             ///< the user's number in `pending` and rates
    sc_query_id id;            ///< to withdraw it by
    sc_query_charge charge;    ///< what it took from the user's buckets
} waiting_client;

/** A ticket and its client, which are made and end together. */
typedef struct asked {
    sc_ticket ticket;
    waiting_client client;
} asked;

/** Kept by a loop for the next queries, wiped; a few rounds of a busy loop need no more. */
enum { IDLE_ASKED = 256 };

/** Tickets that are handed to a loop, and taken by it, at once: so many that a whole cloak wakes
 * the loop once, and few enough that new requests need not wait. */
enum { TICKET_BATCH = 128 };

/** What a loop has; its thread's, except for the handover and the fields before it. */
typedef struct route_loop {
    sc_admission *admission;
    /** Settled in this round, for each map by itself: in the thread of its ledger. */
    struct leaving_tickets {
        sc_ticket *tickets[TICKET_BATCH];
        size_t count;
    } leaving[SC_SERVED_MAPS];
    sc_handover *settled;  ///< of sc_ticket *, from the ledgers' threads
    sc_time last_t;        ///< of the last query admitted
    size_t clients;        ///< there is room in `settled` for all of them
    sc_bytes reply;        ///< being written; wiped after each
    asked *idle[IDLE_ASKED];
    size_t idle_count;
} route_loop;

struct sc_query_route {
    sc_service_internal *service;
    size_t max_clients;  ///< per loop
    uint8_t user_key[crypto_shorthash_KEYBYTES];
    sc_async_route *async;
    route_loop *loops;  ///< service->loops of them
};

// --- Their memory --------------------------------------------------------------------------------

static asked *take_asked(route_loop *loop)
{
    return loop->idle_count > 0 ? loop->idle[--loop->idle_count] : sc_calloc(1, sizeof(asked));
}

/** `ticket`: of an `asked`, whose first member it is. */
static void give_back(route_loop *loop, sc_ticket *ticket)
{
    asked *a = (asked *)(void *)ticket;
    sc_ticket_clear(&a->ticket);
    explicit_bzero(&a->client, sizeof a->client);
    if (loop->idle_count < IDLE_ASKED) {
        loop->idle[loop->idle_count++] = a;
    } else {
        sc_free(a);
    }
}

// --- Outcomes ------------------------------------------------------------------------------------

static void client_gone(void *context)
{
    waiting_client *client = context;
    client->request = NULL;
    // The ticket comes back in any case, and the client is freed with it.
    sc_ledger_withdraw(client->served->ledger, &client->id);
}

// A reply depends on the position; nothing of it stays in memory.
static void wipe(sc_bytes *bytes)
{
    if (bytes->size > 0) explicit_bzero(bytes->data, bytes->size);
    bytes->size = 0;
}

static bool has_outcome(const sc_ticket *ticket)
{
    return ticket->outcome == SC_OUTCOME_ANSWERED || ticket->outcome == SC_OUTCOME_DROPPED;
}

/** The road where the traveller is; "" if it has no name. */
static const char *street_of(const sc_map *map, const sc_ticket *ticket)
{
    return sc_map_segment_name(map, sc_map_edges(map)[ticket->at.edge].segment);
}

static void reply(route_loop *loop, const waiting_client *client, const sc_ticket *ticket)
{
    const sc_served_map *served = client->served;
    sc_http_request *request = client->request;
    sc_problem problem;
    if (!has_outcome(ticket)) {
        sc_outcome_problem(ticket, &problem);
        sc_problem_reply(request, &problem, NULL);
    } else if (sc_outcome_json_write(ticket, served->is_geographic, street_of(served->map, ticket),
                                     &loop->reply)) {
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "out of memory; retry");
        problem.retry_after_s = 1;
        sc_problem_reply(request, &problem, NULL);
    } else {
        sc_http_reply(request, 200, "application/json", loop->reply.data, loop->reply.size, NULL,
                      0);
    }
    wipe(&loop->reply);
}

/** The outcome of a query with a life of its own: for those who wait for it, now or later. */
static void keep_outcome(const sc_query_route *route, route_loop *loop,
                         const waiting_client *client, const sc_policy *policy,
                         const sc_ticket *ticket)
{
    const sc_served_map *served = client->served;
    enum { OK = 200, UNAVAILABLE = 503, PROBLEM_ROOM = 2048 };
    char text[PROBLEM_ROOM];
    sc_async_outcome outcome = {.status = OK};
    sc_problem problem;
    if (ticket->outcome == SC_OUTCOME_GONE) {
        outcome.state = SC_ASYNC_WITHDRAWN;
    } else if (!has_outcome(ticket)) {
        sc_outcome_problem(ticket, &problem);
        outcome.state = SC_ASYNC_FAILED;
        outcome.status = (uint16_t)sc_problem_status(problem.kind);
        outcome.retry_after_s = (uint16_t)problem.retry_after_s;
        outcome.json = text;
        outcome.size = sc_problem_write(&problem, text, sizeof text);
    } else if (sc_outcome_json_write(ticket, served->is_geographic, street_of(served->map, ticket),
                                     &loop->reply)) {
        outcome.state = SC_ASYNC_FAILED;
        outcome.status = UNAVAILABLE;
        outcome.retry_after_s = 1;
    } else {
        outcome.state =
            ticket->outcome == SC_OUTCOME_ANSWERED ? SC_ASYNC_ANSWERED : SC_ASYNC_DROPPED;
        outcome.json = loop->reply.data;
        outcome.size = loop->reply.size;
    }
    sc_async_route_settle(route->async, policy, client->life, &outcome);
    wipe(&loop->reply);
}

static void settle_ticket(sc_query_route *route, route_loop *loop, sc_ticket *ticket,
                          bool may_reply)
{
    const sc_service_internal *service = route->service;
    waiting_client *client = ticket->client;
    if (service->metrics) sc_metrics_settled(service->metrics, ticket);
    if (service->auditor) service->auditor->settled(service->auditor->context, ticket);
    // Before the reply: a client that has it may ask again at once.
    sc_access_rules *terms = sc_credentials_hold(service->credentials);
    sc_query_charges_settle(service->charges, &terms->policy, client->user, &client->charge, ticket,
                            sc_clock_us());
    sc_pending_leave(service->pending, client->user);
    if (client->life) keep_outcome(route, loop, client, &terms->policy, ticket);
    sc_access_rules_release(terms);
    loop->clients--;
    if (may_reply && client->request) reply(loop, client, ticket);
    give_back(loop, ticket);
}

/** Connections have not been touched since they asked: prefetch them some tickets ahead. */
static void prefetch_next(sc_ticket *const *tickets, size_t i, size_t count)
{
    enum { AHEAD = 2 };
    for (size_t ahead = 1; ahead <= AHEAD && i + ahead < count; ahead++) {
        const waiting_client *client = tickets[i + ahead]->client;
        if (client->request) sc_http_request_prefetch(client->request, ahead == 1);
    }
}

static void settle_many(sc_query_route *route, route_loop *loop, sc_ticket *const *tickets,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        prefetch_next(tickets, i, count);
        settle_ticket(route, loop, tickets[i], true);
    }
}

static void take_settled(void *context, unsigned loop)
{
    // The descriptor stays readable for those that are left.
    sc_query_route *route = context;
    route_loop *own = &route->loops[loop];
    sc_ticket *tickets[TICKET_BATCH];
    const size_t count = sc_handover_take(own->settled, tickets, TICKET_BATCH);
    settle_many(route, own, tickets, count);
}

/** There is room: a loop has no more waiting clients than its handover holds, each with one ticket.
 * A loop that hosts the ledger replies at once. */
static void hand_over(sc_query_route *route, route_loop *loop, struct leaving_tickets *leaving)
{
    if (route->service->is_ledger_hosted) {
        settle_many(route, loop, leaving->tickets, leaving->count);
    } else {
        (void)sc_handover_put_many(loop->settled, leaving->tickets, leaving->count);
    }
    leaving->count = 0;
}

void sc_query_route_settled(void *context, sc_ticket *ticket)
{
    const sc_served_map *served = context;
    sc_query_route *route = served->service->query_route;
    route_loop *loop = &route->loops[ticket->loop];
    struct leaving_tickets *leaving = &loop->leaving[served->place];
    leaving->tickets[leaving->count++] = ticket;
    if (leaving->count == TICKET_BATCH) hand_over(route, loop, leaving);
}

void sc_query_route_all_settled(void *context)
{
    const sc_served_map *served = context;
    sc_query_route *route = served->service->query_route;
    for (unsigned i = 0; i < route->service->loops; i++) {
        struct leaving_tickets *leaving = &route->loops[i].leaving[served->place];
        if (leaving->count > 0) hand_over(route, &route->loops[i], leaving);
    }
}

void sc_query_route_watched(void *context, const sc_ticket *ticket)
{
    const sc_served_map *served = context;
    const waiting_client *client = ticket->client;
    sc_async_route_cloaked(served->service->query_route->async, client->life);
}

sc_async_route *sc_query_route_async(const sc_query_route *route)
{
    return route->async;
}

uint64_t sc_query_route_handed(const sc_query_route *route, unsigned loop)
{
    return sc_handover_total(route->loops[loop].settled);
}

uint64_t sc_query_route_taken(const sc_query_route *route, unsigned loop)
{
    // In this order: what is put in between counts as not taken.
    const uint64_t handed = sc_handover_total(route->loops[loop].settled);
    const uint64_t waiting = sc_handover_count(route->loops[loop].settled);
    return handed > waiting ? handed - waiting : 0;
}

// --- Making --------------------------------------------------------------------------------------

static sc_err open_loop(sc_query_route *route, unsigned loop, const uint8_t key[SC_KEY_SIZE],
                        sc_diag *diag)
{
    // No limits here: the policy in force, which a reload changes, is checked before admission. And
    // no map: each query brings its own.
    const sc_limits any = {.max_k = UINT32_MAX,
                           .max_l = UINT32_MAX,
                           .max_hops = UINT32_MAX,
                           .max_wait_us = sc_time_from_seconds(1e9),
                           .max_snap_m = HUGE_VAL};
    route_loop *own = &route->loops[loop];
    sc_err err = sc_admission_new(NULL, &any, key, &own->admission, diag);
    if (err) return err;
    err = sc_handover_new(sizeof(sc_ticket *), route->max_clients, &own->settled);
    if (!err) {
        err = sc_http_watch(route->service->http, loop, sc_handover_fd(own->settled), take_settled,
                            route);
    }
    if (err) return sc_fail(diag, err, "the query route cannot be started: %s", sc_err_text(err));
    return SC_OK;
}

sc_err sc_query_route_new(sc_service_internal *service, size_t max_pending,
                          const uint8_t *names_key, sc_query_route **out, sc_diag *diag)
{
    if (sodium_init() < 0) {
        return sc_fail(
            diag, SC_EIO,
            "libsodium cannot be initialised: the system's random generator is not available");
    }
    sc_query_route *route = sc_calloc(1, sizeof *route);
    if (!route) return sc_fail_memory(diag, "starting the query route");
    route->service = service;
    route->max_clients = max_pending;
    crypto_shorthash_keygen(route->user_key);

    route->loops = sc_calloc(service->loops, sizeof *route->loops);
    if (!route->loops) {
        sc_query_route_free(route);
        return sc_fail_memory(diag, "starting the query route");
    }
    sc_err err = sc_async_route_new(service, names_key, &route->async, diag);
    // One key for all: a user has one pseudonym, whichever loop it comes to.
    uint8_t key[SC_KEY_SIZE];
    if (names_key) {
        memcpy(key, names_key, sizeof key);
    } else {
        randombytes_buf(key, sizeof key);
    }
    for (unsigned i = 0; !err && i < service->loops; i++) {
        err = open_loop(route, i, key, diag);
    }
    sodium_memzero(key, sizeof key);
    if (err) {
        sc_query_route_free(route);
        return err;
    }
    *out = route;
    return SC_OK;
}

static void close_loop(sc_query_route *route, route_loop *loop)
{
    sc_ticket *ticket = NULL;
    while (loop->settled && sc_handover_take(loop->settled, &ticket, 1) == 1) {
        settle_ticket(route, loop, ticket, false);
    }
    while (loop->idle_count > 0) {
        sc_free(loop->idle[--loop->idle_count]);
    }
    sc_handover_free(loop->settled);
    sc_admission_free(loop->admission);
    sc_bytes_fini(&loop->reply);
}

void sc_query_route_free(sc_query_route *route)
{
    if (!route) return;
    for (unsigned i = 0; route->loops && i < route->service->loops; i++) {
        close_loop(route, &route->loops[i]);
    }
    sc_free(route->loops);
    sc_async_route_free(route->async);
    sodium_memzero(route->user_key, sizeof route->user_key);
    sc_free(route);
}

// --- Checks --------------------------------------------------------------------------------------

/** A request that is being checked. On the stack, and wiped. */
typedef struct incoming {
    sc_http_request *request;
    unsigned loop;
    sc_access_rules *terms;  ///< in force when it came; held
    sc_served_map *served;   ///< when it came
    sc_time now;
    sc_token token;
    uint64_t user;  ///< the user's number in `pending` and rates
    sc_query_body body;
    sc_request wanted;  ///< what the body says, before it is rounded
    sc_opened_zone zone;
    sc_snap where;
    sc_query_charge charge;
    sc_async_asking async;
    sc_problem *problem;
} incoming;

static bool refuse_busy(incoming *g, const char *why)
{
    sc_problem_set(g->problem, SC_PROBLEM_OVERLOADED, NULL, "%s; retry in a second", why);
    g->problem->retry_after_s = 1;
    return false;
}

static bool refuse_draining(incoming *g)
{
    sc_problem_set(g->problem, SC_PROBLEM_DRAINING, NULL, "the service accepts no new queries");
    g->problem->retry_after_s = 1;
    return false;
}

static uint64_t user_number(const sc_query_route *route, const sc_token *token)
{
    uint8_t hash[crypto_shorthash_BYTES];
    crypto_shorthash(hash, (const uint8_t *)token->user, token->user_size, route->user_key);
    uint64_t number = 0;
    memcpy(&number, hash, sizeof number);
    return number;
}

static bool take_rate(const sc_query_route *route, const sc_access_rules *terms, uint64_t user,
                      sc_time now, sc_problem *problem)
{
    const sc_policy *policy = &terms->policy;
    const unsigned wait_s = sc_rate_limit_take(route->service->user_rates, user, policy->user_rate,
                                               policy->user_burst, now);
    if (wait_s == 0) return true;
    sc_problem_set(problem, SC_PROBLEM_RATE, NULL, "retry in %u s", wait_s);
    problem->retry_after_s = wait_s;
    return false;
}

bool sc__query_is_within_rate(const sc_query_route *route, const sc_access_rules *terms,
                              const sc_token *token, sc_time now, sc_problem *problem)
{
    return take_rate(route, terms, user_number(route, token), now, problem);
}

/** Who shows a token of an epoch is another user after it: what was asked for is over by then, or
 * one account would be two users of a cloak. */
static bool end_with_epoch(incoming *g)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const sc_time left = sc_time_from_seconds((double)(g->token.expires_s - now.tv_sec)) -
                         (sc_time)(now.tv_nsec / 1000);
    if (left < g->terms->policy.least.max_wait_us) {
        sc_problem_set(g->problem, SC_PROBLEM_OVERLOADED, "header Authorization",
                       "the epoch of the token is about to end; retry with one of the next");
        // The next second has begun in the next epoch.
        g->problem->retry_after_s = left > 0 ? (unsigned)(left / 1000000) + 1 : 1;
        return false;
    }
    if (g->body.profile.max_wait_us > left) g->body.profile.max_wait_us = left;
    return true;
}

static bool read_body(const sc_query_route *route, incoming *g)
{
    size_t size = 0;
    const char *body = sc_http_request_body(g->request, &size);
    const sc_query_format format = {.policy = &g->terms->policy,
                                    .vocabulary = sc_courier_vocabulary(g->served->courier),
                                    .is_geographic = g->served->is_geographic};
    if (!sc_query_body_read(body, size, &format, &g->body, g->problem)) return false;
    if (g->token.is_of_epoch && !end_with_epoch(g)) return false;
    g->wanted = g->body.request;
    if (!isnan(g->body.wait_s)) g->async.wait_us = sc_time_from_seconds(g->body.wait_s);
    if (route->service->rounds_requests) {
        g->body.request = sc_request_rounded(&g->wanted, &g->terms->policy.requests);
    }
    return true;
}

static bool find_on_edge(const sc_map *map, const sc_query_body *body, sc_snap *out,
                         sc_problem *problem)
{
    switch (sc__place_on_edge(map, body->edge, body->offset_m, out, NULL)) {
    case SC_OK:
        return true;
    case SC_EUNKNOWN:
        return sc_problem_set(problem, SC_PROBLEM_POSITION, "/position/edge",
                              "no such edge; the map has %u edges", sc_map_edge_count(map));
    default:
        return sc_problem_set(
            problem, SC_PROBLEM_POSITION, "/position/offset_m",
            "the offset is beyond the end of the edge; give metres from the edge's first node");
    }
}

bool sc__query_find_road(const sc_map *map, const sc_policy *policy,
                         const struct sc_query_body *body, sc_snap *out, sc_problem *problem)
{
    if (body->is_on_edge) return find_on_edge(map, body, out, problem);
    const double max_snap_m = policy->max_snap_m;
    switch (sc_map_snap(map, body->x, body->y, max_snap_m, out)) {
    case SC_OK:
        return true;
    case SC_ETOOFAR:
        return sc_problem_set(problem, SC_PROBLEM_OFF_ROAD, "/position",
                              "a road must be within %g m of the position", max_snap_m);
    case SC_ENOCOORDS:
        return sc_problem_set(problem, SC_PROBLEM_POSITION, "/position",
                              "this map has no coordinates; give edge and offset_m");
    default:
        return sc_problem_set(problem, SC_PROBLEM_POSITION, "/position",
                              "the position is outside the coordinates of this map");
    }
}

// --- Admission -----------------------------------------------------------------------------------

// Loop i of n admits only at moments that are i more than a multiple of n: so no two loops ever
// admit one user at the same moment, which would give two queries one id. It takes the one before
// last: deadlines go by it, and must not come later than the traveller said.
static sc_time moment_of(const sc_query_route *route, const incoming *g, const route_loop *loop)
{
    const sc_time t = g->now - g->now % route->service->loops - route->service->loops + g->loop;
    return t > loop->last_t ? t : loop->last_t;
}

static bool admit(sc_query_route *route, incoming *g, sc_query *query)
{
    enum { TRIES = 64 };
    route_loop *loop = &route->loops[g->loop];
    const sc_request *request = &g->body.request;
    sc_ask ask = {.user = g->token.user,
                  .user_size = g->token.user_size,
                  .t = moment_of(route, g, loop),
                  .is_on_edge = true,
                  .edge = g->where.edge,
                  .offset_m = g->where.offset_m,
                  .profile = g->body.profile,
                  .result_size = request->type == SC_REQUEST_KNN ? request->k : 0};
    sc__admission_move(loop->admission, g->served->map);
    sc_err err = sc_admission_admit(loop->admission, &ask, query, &g->where, NULL);
    for (int i = 0; err == SC_EDUPLICATE && i < TRIES; i++) {
        // This user at this very moment was admitted already: the loop's next one, then.
        ask.t += route->service->loops;
        err = sc_admission_admit(loop->admission, &ask, query, &g->where, NULL);
    }
    if (!err) loop->last_t = ask.t;
    explicit_bzero(&ask, sizeof ask);
    return !err || refuse_busy(g, "the query could not be admitted");
}

static bool charge(const sc_query_route *route, incoming *g, const sc_query *query)
{
    return sc_query_charges_take(route->service->charges, &g->terms->policy, g->user,
                                 &(sc_query_expense){.costs = sc_courier_costs(g->served->courier),
                                                     .segment = query->segment,
                                                     .profile = &g->body.profile,
                                                     .request = &g->body.request},
                                 g->now, &g->charge, g->problem);
}

/** The zone that came with the query, if it is in it: else it asks for nothing. */
static bool enter_zone(incoming *g, const sc_query *query)
{
    if (g->zone.count == 0) return true;
    if (!sc_opened_zone_has(&g->zone, query->segment)) {
        sc_opened_zone_fini(&g->zone);
        return true;
    }
    if (query->max_hops >= 2 * g->zone.radius) return true;
    return sc_problem_set(g->problem, SC_PROBLEM_PROFILE, "/profile/max_hops",
                          "max_hops is %u; a cloak with the whole zone needs %u or more",
                          query->max_hops, 2 * g->zone.radius);
}

// The ticket, and the waiting client it belongs to.
static sc_ticket *make_ticket(sc_query_route *route, incoming *g, const sc_query *query)
{
    asked *a = take_asked(&route->loops[g->loop]);
    if (!a) return NULL;
    sc_ticket *ticket = &a->ticket;
    a->client = (waiting_client){.served = g->served,
                                 .request = g->async.query ? NULL : g->request,
                                 .life = g->async.query,
                                 .user = g->user,
                                 .id = query->id,
                                 .charge = g->charge};
    ticket->query = *query;
    ticket->at = (sc_road_point){
        .edge = g->where.edge,
        .offset_m = g->where.offset_m,
        .direction = sc_map_edge_direction(g->served->map, g->where.edge, g->body.heading_deg)};
    ticket->request = g->body.request;
    ticket->is_rounded = route->service->rounds_requests;
    if (ticket->is_rounded) ticket->wanted = g->wanted;
    ticket->zone = g->zone.segments;
    ticket->zone_count = g->zone.count;
    ticket->own = (sc_own_demands){.zone = g->zone.segments, .zone_count = g->zone.count};
    g->zone = (sc_opened_zone){0};
    ticket->asked = g->now;
    ticket->max_cost = g->terms->policy.max_cost;
    ticket->client = &a->client;
    ticket->is_watched = g->async.query != NULL;
    ticket->loop = g->loop;
    return ticket;
}

static bool enter(const sc_query_route *route, incoming *g)
{
    if (route->loops[g->loop].clients >= route->max_clients)
        return refuse_busy(g, "too many queries are waiting");
    switch (sc_pending_enter(route->service->pending, g->user, g->terms->policy.user_pending)) {
    case SC_OK:
        return true;
    case SC_EBUSY:
        sc_problem_set(g->problem, SC_PROBLEM_PENDING, NULL, "wait for the outcome of that query");
        g->problem->retry_after_s = 1;
        return false;
    default:
        return refuse_busy(g, "too many queries are waiting");
    }
}

/** Let the query have a life of its own, if that is asked for. */
static bool give_life(const sc_query_route *route, incoming *g, const sc_query *query)
{
    if (!sc_async_is_asked(&g->async)) return true;
    if (!g->async.headers.key) {
        sc_async_route_identify(route->async, &g->token, g->request, &g->async);
    }
    switch (sc_async_route_add(route->async, &g->terms->policy, &g->async, &query->id)) {
    case SC_OK:
        return true;
    case SC_EDUPLICATE:
        return refuse_busy(g, "the same query came at the same time");
    default:
        return refuse_busy(g, "out of memory");
    }
}

/** For a temporary audit; there is none otherwise. */
static void show_auditor(const sc_auditor *auditor, const incoming *g, const sc_query *query)
{
    sc_ask ask = {.user = g->token.user,
                  .user_size = g->token.user_size,
                  .t = query->deadline - g->body.profile.max_wait_us,
                  .profile = g->body.profile};
    auditor->asked(auditor->context, query, &ask, &g->where, &g->wanted);
    explicit_bzero(&ask, sizeof ask);
}

// Give the query to the ledger. From then on the request waits.
static bool submit(sc_query_route *route, incoming *g, const sc_query *query)
{
    if (!give_life(route, g, query)) return false;
    sc_ticket *ticket = make_ticket(route, g, query);
    const sc_err err = ticket ? sc_ledger_submit(g->served->ledger, ticket) : SC_ENOMEM;
    if (err) {
        if (g->async.query) sc_async_route_cancel(route->async, &g->terms->policy, &g->async);
        if (!ticket) return refuse_busy(g, "out of memory");
        give_back(&route->loops[g->loop], ticket);
        return err == SC_EINTERRUPTED ? refuse_draining(g)
                                      : refuse_busy(g, "too many queries are waiting");
    }
    if (route->service->auditor) show_auditor(route->service->auditor, g, query);
    // The ticket may be settled by now, but this thread takes it back later.
    route->loops[g->loop].clients++;
    if (!g->async.query) sc_http_on_gone(g->request, client_gone, ticket->client);
    return true;
}

static bool identify(const sc_query_route *route, incoming *g)
{
    if (!sc_access_rules_identify(g->terms, g->request, &g->token, g->problem)) return false;
    g->user = user_number(route, &g->token);
    return true;
}

/** Whether the same query was asked already, under its key. It is replied to whatever may keep a
 * new one out: the rate of its user, or that the service is about to stop. False: with a problem.
 */
static bool find_repeated(const sc_query_route *route, incoming *g)
{
    if (!identify(route, g)) return false;
    sc_async_route_identify(route->async, &g->token, g->request, &g->async);
    return sc_async_route_repeat(route->async, &g->terms->policy, &g->async, g->problem);
}

// From the cheap checks to the dear ones.
static bool check_and_submit(sc_query_route *route, incoming *g)
{
    if (!sc_async_headers_read(g->request, &g->async.headers, g->problem)) return false;
    const bool has_key = g->async.headers.key != NULL;
    if (has_key && !find_repeated(route, g)) return false;
    if (g->async.query) return true;
    if (atomic_load_explicit(&route->service->is_draining, memory_order_relaxed))
        return refuse_draining(g);
    if (route->service->gateway && !sc_gateway_has_been_ready(route->service->gateway))
        return refuse_busy(g, "this gateway has just started and finds its workers");
    if (!sc_json_request_check_type(g->request, g->problem)) return false;
    if (!has_key && !identify(route, g)) return false;
    if (!take_rate(route, g->terms, g->user, g->now, g->problem) || !read_body(route, g) ||
        !sc__query_find_road(g->served->map, &g->terms->policy, &g->body, &g->where, g->problem)) {
        return false;
    }
    if (g->body.zone && !sc_sealed_zones_open(g->served->sealed_zones, g->body.zone,
                                              g->body.zone_size, &g->token, &g->zone, g->problem)) {
        return false;
    }
    if (!enter(route, g)) return false;
    sc_query query;
    const bool is_taken = admit(route, g, &query) && enter_zone(g, &query) &&
                          charge(route, g, &query) && submit(route, g, &query);
    explicit_bzero(&query, sizeof query);
    if (!is_taken) {
        sc_query_charges_refund(route->service->charges, &g->terms->policy, g->user, &g->charge,
                                g->now);
        sc_pending_leave(route->service->pending, g->user);
    }
    return is_taken;
}

void sc_query_route_post(sc_query_route *route, unsigned loop, sc_http_request *request)
{
    sc_problem problem;
    incoming g;
    g.request = request;
    g.loop = loop;
    g.terms = sc_credentials_hold(route->service->credentials);
    g.served = sc_served_now(route->service);
    g.now = sc_clock_us();
    g.problem = &problem;
    g.charge = (sc_query_charge){0};
    g.zone = (sc_opened_zone){0};
    g.async = (sc_async_asking){.wait_us = -1};
    const bool is_taken = check_and_submit(route, &g);
    sc_opened_zone_fini(&g.zone);
    sc_http_request_forget_body(request);
    const bool has_life = is_taken && g.async.query;
    if (has_life) sc_async_route_reply(route->async, &g.terms->policy, loop, request, &g.async);
    sc_access_rules_release(g.terms);
    explicit_bzero(&g, sizeof g);
    if (has_life) return;
    if (is_taken) {
        // It may wait for long, and the token has been read.
        sc_http_request_forget_headers(request);
        return;
    }
    sc_refusals_add(route->service, problem.kind);
    sc_problem_reply(request, &problem, NULL);
}
