// POST /v1/attacks.
//
// A *visit* joins an attack to the request that waits for it, and belongs to the loop's thread. The
// attack itself travels: to the attack thread, and back by the loop's handover.
//
// Invariants:
//  1. A loop has at most MAX_VISITS visits, so the attacker always finds room to hand one back.
//  2. An attack whose client is gone is given up, so that others need not wait for it; its visit
//     ends when the attack is back, as all do.
//  3. Positions are wiped from the body, the attack and the reply before these are freed.
#include "demo/attack_route.h"

#include "api/json_request.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "base/handover.h"
#include "demo/attack_json.h"
#include "demo/attack_on_demand.h"

#include <string.h>

/** More than can wait for the attacker, so that it is the attacker who says that there are too
 * many.
 */
enum { MAX_VISITS = 32 };

/** Retry-After when too many are waiting: some of them are done then. */
enum { COME_AGAIN_S = 2 };

typedef struct visit {
    sc_http_request *request;  ///< NULL once the client is gone
    sc_attack_request *attack;
} visit;

/** What a loop has; its thread's, but for the handover. */
typedef struct loop_part {
    sc_handover *settled;  ///< of sc_attack_request *, from the attack thread
    size_t visits;         ///< there is room in `settled` for all of them
    sc_bytes reply;        ///< being written; wiped after each
} loop_part;

struct sc_attack_route {
    const sc_map *map;    ///< borrowed
    sc_service *service;  ///< the same
    sc_attack_thread *attacker;
    loop_part *loops;
    unsigned loop_count;
};

// --- Going out -----------------------------------------------------------------------------------

/** In the attack thread. */
static void hand_back(void *context, sc_attack_request *attack)
{
    sc_attack_route *route = context;
    (void)sc_handover_put(route->loops[attack->loop].settled,
                          &attack);  // there is room: invariant 1
}

static void refuse(sc_problem *problem, sc_problem_kind kind, unsigned retry_after_s,
                   const char *why)
{
    sc_problem_set(problem, kind, NULL, "%s", why);
    problem->retry_after_s = retry_after_s;
}

static void refuse_draining(sc_problem *problem)
{
    refuse(problem, SC_PROBLEM_DRAINING, 1,
           "no new attacks are accepted, and pending ones were given up");
}

/** Why there is no result. */
static void explain(const sc_attack_request *attack, sc_problem *problem)
{
    switch (attack->err) {
    case SC_ENOMEM:
        refuse(problem, SC_PROBLEM_OVERLOADED, 1, "out of memory; retry");
        break;
    case SC_ELATE:
    case SC_ELIMIT:
        // Words of our own, without a place; asking the same again would be in vain.
        sc_problem_set(problem, SC_PROBLEM_REQUEST, attack->places ? "/queries" : "/members", "%s",
                       attack->diag.message);
        break;
    case SC_EINTERRUPTED:
        // By sc_attack_route_drain(): without a client there is no reply.
        refuse_draining(problem);
        break;
    default:
        refuse(problem, SC_PROBLEM_INTERNAL, 0, "");
        break;
    }
}

static void reply(loop_part *own, sc_http_request *request, sc_attack_request *attack)
{
    if (!attack->err) attack->err = sc_attack_write(attack, &own->reply);
    if (attack->err) {
        sc_problem problem;
        explain(attack, &problem);
        sc_problem_reply(request, &problem, NULL);
    } else {
        sc_http_reply(request, 200, "application/json", own->reply.data, own->reply.size, NULL, 0);
    }
    if (own->reply.size > 0) explicit_bzero(own->reply.data, own->reply.size);
    own->reply.size = 0;
}

/** An attack is done: reply if its client waits and may have one, and free it. */
static void settle(loop_part *own, sc_attack_request *attack, bool may_reply)
{
    visit *v = attack->context;
    own->visits--;
    if (may_reply && v->request) reply(own, v->request, attack);
    sc_free(v);
    sc_attack_request_free(attack);
}

/** In the loop's thread, when attacks are back. */
static void take_settled(void *context, unsigned loop)
{
    sc_attack_route *route = context;
    loop_part *own = &route->loops[loop];
    sc_attack_request *settled[MAX_VISITS];
    const size_t count = sc_handover_take(own->settled, settled, MAX_VISITS);
    for (size_t i = 0; i < count; i++) {
        settle(own, settled[i], true);
    }
}

static void client_gone(void *context)
{
    visit *v = context;
    v->request = NULL;
    sc_attack_give_up(v->attack);
}

// --- Making --------------------------------------------------------------------------------------

static sc_err open_loop(sc_attack_route *route, unsigned loop)
{
    loop_part *own = &route->loops[loop];
    const sc_err err = sc_handover_new(sizeof(sc_attack_request *), MAX_VISITS, &own->settled);
    if (err) return err;
    return sc_http_watch(sc_service_http(route->service), loop, sc_handover_fd(own->settled),
                         take_settled, route);
}

sc_err sc_attack_route_new(const sc_map *map, sc_service *service, const sc_engine_options *engine,
                           const sc_density *density, sc_attack_route **out, sc_diag *diag)
{
    sc_attack_route *route = sc_calloc(1, sizeof *route);
    if (!route) return sc_fail_memory(diag, "making room for attacks");
    route->map = map;
    route->service = service;
    route->loop_count = sc_service_loops(service);
    route->loops = sc_calloc(route->loop_count, sizeof *route->loops);
    sc_err err = route->loops ? SC_OK : SC_ENOMEM;
    for (unsigned i = 0; !err && i < route->loop_count; i++) {
        err = open_loop(route, i);
    }
    if (err) {
        (void)sc_fail(diag, err, "the route for attacks cannot be started: %s", sc_err_text(err));
    } else {
        sc_attack_thread_options options = sc_attack_thread_options_default();
        options.engine = *engine;
        options.density = density;
        options.done = hand_back;
        options.context = route;
        err = sc_attack_thread_new(map, &options, &route->attacker, diag);
    }
    if (err) {
        sc_attack_route_free(route);
        return err;
    }
    *out = route;
    return SC_OK;
}

void sc_attack_route_drain(sc_attack_route *route)
{
    sc_attack_thread_stop(route->attacker);
}

void sc_attack_route_free(sc_attack_route *route)
{
    if (!route) return;
    sc_attack_thread_free(route->attacker);  // all that it has comes back
    for (unsigned i = 0; route->loops && i < route->loop_count; i++) {
        loop_part *own = &route->loops[i];
        sc_attack_request *attack = NULL;
        while (own->settled && sc_handover_take(own->settled, &attack, 1) == 1) {
            settle(own, attack, false);
        }
        sc_handover_free(own->settled);
        sc_bytes_fini(&own->reply);
    }
    sc_free(route->loops);
    sc_free(route);
}

// --- Coming in -----------------------------------------------------------------------------------

/** Give an attack to the attacker; from then on the request waits. Takes the attack, or frees it.
 */
static bool submit(sc_attack_route *route, unsigned loop, sc_http_request *request,
                   sc_attack_request *attack, sc_problem *problem)
{
    loop_part *own = &route->loops[loop];
    visit *v = sc_calloc(1, sizeof *v);
    sc_err err = v ? SC_OK : SC_ENOMEM;
    if (v) *v = (visit){.request = request, .attack = attack};
    attack->loop = loop;
    attack->context = v;
    if (!err) {
        err = own->visits < MAX_VISITS ? sc_attack_thread_submit(route->attacker, attack, NULL)
                                       : SC_EBUSY;
    }
    if (!err) {
        // It may be settled by now, but only this thread will read_replies of it, and later.
        own->visits++;
        sc_http_on_gone(request, client_gone, v);
        return true;
    }
    sc_attack_request_free(attack);
    sc_free(v);
    switch (err) {
    case SC_EBUSY:
        refuse(problem, SC_PROBLEM_OVERLOADED, COME_AGAIN_S,
               "too many attacks are waiting; retry in a second");
        break;
    case SC_EINTERRUPTED:  // the service has begun to drain a moment ago
        refuse_draining(problem);
        break;
    case SC_ENOMEM:
        refuse(problem, SC_PROBLEM_OVERLOADED, 1, "out of memory; retry");
        break;
    default:
        refuse(problem, SC_PROBLEM_INTERNAL, 0, "");  // what was read can be submitted
        break;
    }
    return false;
}

static bool take_in(sc_attack_route *route, unsigned loop, sc_http_request *request,
                    sc_attack_field *field, sc_problem *problem)
{
    if (sc_service_is_draining(route->service)) {
        refuse_draining(problem);
        return false;
    }
    if (!sc_json_request_check_type(request, problem)) return false;
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    sc_attack_request *attack = sc_attack_read(body, size, sc_map_segment_count(route->map),
                                               sc_service_variant(route->service), field, problem);
    return attack && submit(route, loop, request, attack, problem);
}

void sc_attack_route_ask(sc_attack_route *route, unsigned loop, sc_http_request *request)
{
    sc_attack_field field;
    sc_problem problem = {.field = NULL};
    const bool is_taken = take_in(route, loop, request, &field, &problem);
    sc_http_request_forget_body(request);
    if (is_taken) {
        // It may wait for some seconds, and a token has been read.
        sc_http_request_forget_headers(request);
    } else {
        sc_service_count_refusal(route->service, problem.kind);
        sc_problem_reply(request, &problem, NULL);
    }
}
