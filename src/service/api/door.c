// Where queries come in. See door.h; how they go out is in door_settle.c.
//
// Invariants:
//  1. What was entered is left: each query that entered `pending` leaves when its ticket is back,
//     or here, if the ledger did not take it.
//  2. A loop has at most `max_visits` visits, so the ledger always finds room to hand one back.
//  3. Positions are wiped from the body and from the stack before this returns, whatever happens.
//  4. No two loops admit at the same moment (see moment_of()), so that ids differ.
#include "api/door_internal.h"

#include "api/query_json.h"
#include "api/speaks_json.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

#include <math.h>
#include <string.h>

// --- Making --------------------------------------------------------------------------------------

static sc_err open_loop(sc_door *door, unsigned loop, const uint8_t key[SC_KEY_SIZE], sc_diag *diag)
{
    // The policy in force is looked at before anybody is admitted, and may change while we run.
    const sc_limits any = {.max_k = UINT32_MAX,
                           .max_l = UINT32_MAX,
                           .max_hops = UINT32_MAX,
                           .max_wait_us = sc_time_from_seconds(1e9),
                           .max_snap_m = HUGE_VAL};
    sc__door_loop *own = &door->loops[loop];
    sc_err err = sc_admission_new(door->parts->map, &any, key, &own->admission, diag);
    if (err) return err;
    err = sc_handover_new(sizeof(sc_ticket *), door->max_visits, &own->settled);
    if (!err) {
        err = sc_http_watch(door->parts->http, loop, sc_handover_fd(own->settled),
                            sc__door_take_settled, door);
    }
    if (err) return sc_fail(diag, err, "the door cannot be opened: %s", sc_err_text(err));
    return SC_OK;
}

sc_err sc_door_new(sc_service_internal *parts, size_t max_pending, const uint8_t *names_key,
                   sc_door **out, sc_diag *diag)
{
    if (sodium_init() < 0) {
        return sc_fail(diag, SC_EIO, "libsodium does not start: the system gives no randomness");
    }
    sc_door *door = sc_calloc(1, sizeof *door);
    if (!door) return sc_fail_memory(diag, "opening the door");
    door->parts = parts;
    door->max_visits = max_pending;
    door->is_geographic = sc_map_coords(parts->map) == SC_COORDS_GEOGRAPHIC;
    crypto_shorthash_keygen(door->user_key);

    door->loops = sc_calloc(parts->loops, sizeof *door->loops);
    if (!door->loops) {
        sc_door_free(door);
        return sc_fail_memory(diag, "opening the door");
    }
    sc_err err = SC_OK;
    // One key for all: a user has one pseudonym, whichever loop it comes to.
    uint8_t key[SC_KEY_SIZE];
    if (names_key) {
        memcpy(key, names_key, sizeof key);
    } else {
        randombytes_buf(key, sizeof key);
    }
    for (unsigned i = 0; !err && i < parts->loops; i++) {
        err = open_loop(door, i, key, diag);
    }
    sodium_memzero(key, sizeof key);
    if (err) {
        sc_door_free(door);
        return err;
    }
    *out = door;
    return SC_OK;
}

static void close_loop(sc_door *door, sc__door_loop *loop)
{
    sc_ticket *ticket = NULL;
    while (loop->settled && sc_handover_take(loop->settled, &ticket, 1) == 1) {
        sc__door_settle(door, loop, ticket, false);
    }
    sc_handover_free(loop->settled);
    sc_admission_free(loop->admission);
    sc_bytes_fini(&loop->reply);
}

void sc_door_free(sc_door *door)
{
    if (!door) return;
    for (unsigned i = 0; door->loops && i < door->parts->loops; i++) {
        close_loop(door, &door->loops[i]);
    }
    sc_free(door->loops);
    sodium_memzero(door->user_key, sizeof door->user_key);
    sc_free(door);
}

void sc_door_count_refusal(sc_door *door, sc_problem_kind kind)
{
    atomic_fetch_add_explicit(&door->refused[kind], 1, memory_order_relaxed);
}

uint64_t sc_door_refused(const sc_door *door, sc_problem_kind kind)
{
    return atomic_load_explicit(&door->refused[kind], memory_order_relaxed);
}

// --- Coming in -----------------------------------------------------------------------------------

/** Somebody at the door. On the stack, and wiped. */
typedef struct guest {
    sc_http_request *request;
    unsigned loop;
    sc_terms *terms;  ///< in force when it came; held
    sc_time now;
    sc_token token;
    uint64_t user;  ///< what the guards know the user by
    sc_question question;
    sc_snap where;
    sc_problem *problem;
} guest;

static bool busy(guest *g, const char *why)
{
    sc_problem_set(g->problem, SC_PROBLEM_OVERLOADED, NULL, "%s; ask again in a moment", why);
    g->problem->retry_after_s = 1;
    return false;
}

static bool draining(guest *g)
{
    sc_problem_set(g->problem, SC_PROBLEM_DRAINING, NULL, "it takes no new queries");
    g->problem->retry_after_s = 1;
    return false;
}

static uint64_t number_of(const sc_door *door, const sc_token *token)
{
    uint8_t hash[crypto_shorthash_BYTES];
    crypto_shorthash(hash, (const uint8_t *)token->user, token->user_size, door->user_key);
    uint64_t number = 0;
    memcpy(&number, hash, sizeof number);
    return number;
}

static bool is_within_rate(const sc_door *door, guest *g)
{
    const sc_policy_terms *policy = &g->terms->policy;
    const unsigned wait_s = sc_rate_limit_take(door->parts->user_rates, g->user, policy->user_rate,
                                               policy->user_burst, g->now);
    if (wait_s == 0) return true;
    sc_problem_set(g->problem, SC_PROBLEM_RATE, NULL, "ask again in %u s", wait_s);
    g->problem->retry_after_s = wait_s;
    return false;
}

static bool reads_well(const sc_door *door, guest *g)
{
    size_t size = 0;
    const char *body = sc_http_request_body(g->request, &size);
    return sc_question_read(body, size, &g->terms->policy,
                            sc_courier_vocabulary(door->parts->courier), door->is_geographic,
                            &g->question, g->problem);
}

// Find the road; a position on an edge is looked at when it is admitted.
static bool is_on_road(const sc_door *door, guest *g)
{
    const sc_question *question = &g->question;
    if (question->is_on_edge) {
        g->where = (sc_snap){.edge = question->edge, .offset_m = question->offset_m};
        return true;
    }
    const double max_snap_m = g->terms->policy.max_snap_m;
    switch (sc_map_snap(door->parts->map, question->x, question->y, max_snap_m, &g->where)) {
    case SC_OK:
        return true;
    case SC_ETOOFAR:
        return sc_problem_set(g->problem, SC_PROBLEM_OFF_ROAD, "/position",
                              "the nearest may be %g m away; ask from nearer a road", max_snap_m);
    case SC_ENOCOORDS:
        return sc_problem_set(g->problem, SC_PROBLEM_POSITION, "/position",
                              "this map has no coordinates; give edge and offset_m");
    default:
        return sc_problem_set(g->problem, SC_PROBLEM_POSITION, "/position",
                              "it is not on this map's ground");
    }
}

// --- Being taken ---------------------------------------------------------------------------------

// Loop i of n admits only at moments that are i more than a multiple of n: so no two loops ever
// admit one user at the same moment, which would give two queries one id. It takes the one before
// last: deadlines go by it, and must not come later than the traveller said.
static sc_time moment_of(const sc_door *door, const guest *g, const sc__door_loop *loop)
{
    const sc_time t = g->now - g->now % door->parts->loops - door->parts->loops + g->loop;
    return t > loop->last_t ? t : loop->last_t;
}

static bool admit(sc_door *door, guest *g, sc_query *query)
{
    enum { TRIES = 64 };
    sc__door_loop *loop = &door->loops[g->loop];
    const sc_request *request = &g->question.request;
    sc_ask ask = {.user = g->token.user,
                  .user_size = g->token.user_size,
                  .t = moment_of(door, g, loop),
                  .is_on_edge = true,
                  .edge = g->where.edge,
                  .offset_m = g->where.offset_m,
                  .profile = g->question.profile,
                  .result_size = request->type == SC_REQUEST_KNN ? request->k : 0};
    sc_err err = sc_admission_admit(loop->admission, &ask, query, &g->where, NULL);
    for (int i = 0; err == SC_EDUPLICATE && i < TRIES; i++) {
        // This user at this very moment was admitted already: the loop's next one, then.
        ask.t += door->parts->loops;
        err = sc_admission_admit(loop->admission, &ask, query, &g->where, NULL);
    }
    if (!err) loop->last_t = ask.t;
    explicit_bzero(&ask, sizeof ask);
    switch (err) {
    case SC_OK:
        return true;
    case SC_EUNKNOWN:
        return sc_problem_set(g->problem, SC_PROBLEM_POSITION, "/position/edge",
                              "the map has no such edge; it has %u",
                              sc_map_edge_count(door->parts->map));
    case SC_EINVAL:
        return sc_problem_set(g->problem, SC_PROBLEM_POSITION, "/position/offset_m",
                              "it lies beyond its edge; give metres from the edge's first node");
    default:
        return busy(g, "the query could not be admitted");
    }
}

// A ticket with all of the door's words, and the visit it belongs to.
static sc_ticket *write_ticket(sc_door *door, const guest *g, const sc_query *query)
{
    sc_ticket *ticket = sc_ticket_new();
    sc__visit *visit = sc_calloc(1, sizeof *visit);
    if (!ticket || !visit) {
        sc_ticket_free(ticket);
        sc_free(visit);
        return NULL;
    }
    *visit = (sc__visit){.door = door, .request = g->request, .user = g->user, .id = query->id};
    ticket->query = *query;
    ticket->edge = g->where.edge;
    ticket->offset_m = g->where.offset_m;
    ticket->request = g->question.request;
    ticket->asked = g->now;
    ticket->door = visit;
    ticket->loop = g->loop;
    return ticket;
}

static bool enter(const sc_door *door, guest *g)
{
    if (door->loops[g->loop].visits >= door->max_visits) return busy(g, "too many queries wait");
    switch (sc_pending_enter(door->parts->pending, g->user, g->terms->policy.user_pending)) {
    case SC_OK:
        return true;
    case SC_EBUSY:
        sc_problem_set(g->problem, SC_PROBLEM_PENDING, NULL, "wait for its outcome");
        g->problem->retry_after_s = 1;
        return false;
    default:
        return busy(g, "too many queries wait");
    }
}

// Give the query to the ledger. From then on the request waits.
static bool submit(sc_door *door, guest *g, const sc_query *query)
{
    sc_ticket *ticket = write_ticket(door, g, query);
    if (!ticket) return busy(g, "memory is short");
    sc__visit *visit = ticket->door;
    const sc_err err = sc_ledger_submit(door->parts->ledger, ticket);
    if (err) {
        sc_ticket_free(ticket);
        sc_free(visit);
        return err == SC_EINTERRUPTED ? draining(g) : busy(g, "too many queries wait");
    }
    // The ticket may be settled by now, but only this thread will hear of it, and later.
    door->loops[g->loop].visits++;
    sc_http_on_gone(g->request, sc__door_gone, visit);
    return true;
}

// From the cheap checks to the dear ones.
static bool take_in(sc_door *door, guest *g)
{
    if (atomic_load_explicit(&door->parts->is_draining, memory_order_relaxed)) return draining(g);
    if (!sc_speaks_json(g->request, g->problem)) return false;
    if (!sc_terms_identify(g->terms, g->request, &g->token, g->problem)) return false;
    g->user = number_of(door, &g->token);
    if (!is_within_rate(door, g) || !reads_well(door, g) || !is_on_road(door, g)) return false;
    if (!enter(door, g)) return false;
    sc_query query;
    const bool is_taken = admit(door, g, &query) && submit(door, g, &query);
    explicit_bzero(&query, sizeof query);
    if (!is_taken) sc_pending_leave(door->parts->pending, g->user);
    return is_taken;
}

void sc_door_query(sc_door *door, unsigned loop, sc_http_request *request)
{
    sc_problem problem;
    guest g;
    g.request = request;
    g.loop = loop;
    g.terms = sc_credentials_hold(door->parts->credentials);
    g.now = sc_clock_us();
    g.problem = &problem;
    const bool is_taken = take_in(door, &g);
    sc_terms_release(g.terms);
    explicit_bzero(&g, sizeof g);
    sc_http_request_forget_body(request);
    if (is_taken) {
        // It may wait for long, and the token has been read.
        sc_http_request_forget_headers(request);
        return;
    }
    sc_door_count_refusal(door, problem.kind);
    sc_problem_reply(request, &problem, NULL);
}
