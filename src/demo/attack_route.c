// POST /v1/doubts. See doubts.h.
//
// A *visit* joins a doubt to the request that waits for it, and belongs to the loop's thread. The
// doubt itself travels: to the doubter's thread, and back by the loop's handover.
//
// Invariants:
//  1. A loop has at most MAX_VISITS visits, so the doubter always finds room to hand one back.
//  2. Whose client is gone is given up, so that nobody waits behind a doubt that nobody wants; its
//     visit ends when the doubt is back, as all do.
//  3. Places are wiped from the body, the doubt and the reply before this forgets about them.
#include "demo/attack_route.h"

#include "api/speaks_json.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "base/handover.h"
#include "demo/attack_json.h"
#include "demo/attack_on_demand.h"

#include <string.h>

/** More than can wait for the doubter, so that it is the doubter who says that there are too many.
 */
enum { MAX_VISITS = 32 };

/** When somebody should come again who found too many waiting: some of them are through then. */
enum { COME_AGAIN_S = 2 };

typedef struct visit {
    sc_http_request *request;  ///< NULL once the client is gone
    sc_doubt *doubt;
} visit;

/** What a loop has; its thread's, but for the handover. */
typedef struct loop_part {
    sc_handover *settled;  ///< of sc_doubt *, from the doubter's thread
    size_t visits;         ///< there is room in `settled` for all of them
    sc_bytes reply;        ///< being written; wiped after each
} loop_part;

struct sc_doubts {
    const sc_map *map;    ///< borrowed
    sc_service *service;  ///< the same
    sc_doubter *doubter;
    loop_part *loops;
    unsigned loop_count;
};

// --- Going out -----------------------------------------------------------------------------------

/** In the doubter's thread. */
static void hand_back(void *context, sc_doubt *doubt)
{
    sc_doubts *doubts = context;
    (void)sc_handover_put(doubts->loops[doubt->loop].settled,
                          &doubt);  // there is room: invariant 1
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
           "it takes no new doubts, and has given up those it had");
}

/** Why there is no result. */
static void explain(const sc_doubt *doubt, sc_problem *problem)
{
    switch (doubt->err) {
    case SC_ENOMEM:
        refuse(problem, SC_PROBLEM_OVERLOADED, 1, "memory is short; ask again");
        break;
    case SC_ELATE:
    case SC_ELIMIT:
        // Words of our own, without a place; asking the same again would be in vain.
        sc_problem_set(problem, SC_PROBLEM_REQUEST, doubt->places ? "/queries" : "/members", "%s",
                       doubt->diag.message);
        break;
    case SC_EINTERRUPTED:
        // By sc_doubts_drain(): nobody is replied to whose client is gone.
        refuse_draining(problem);
        break;
    default:
        refuse(problem, SC_PROBLEM_INTERNAL, 0, "");
        break;
    }
}

static void reply(loop_part *own, sc_http_request *request, sc_doubt *doubt)
{
    if (!doubt->err) doubt->err = sc_doubt_write(doubt, &own->reply);
    if (doubt->err) {
        sc_problem problem;
        explain(doubt, &problem);
        sc_problem_reply(request, &problem, NULL);
    } else {
        sc_http_reply(request, 200, "application/json", own->reply.data, own->reply.size, NULL, 0);
    }
    if (own->reply.size > 0) explicit_bzero(own->reply.data, own->reply.size);
    own->reply.size = 0;
}

/** A doubt is back: its visit ends, with a reply if somebody waits and may have one. */
static void settle(loop_part *own, sc_doubt *doubt, bool may_reply)
{
    visit *v = doubt->context;
    own->visits--;
    if (may_reply && v->request) reply(own, v->request, doubt);
    sc_free(v);
    sc_doubt_free(doubt);
}

/** In the loop's thread, when its bell rings. */
static void take_settled(void *context, unsigned loop)
{
    sc_doubts *doubts = context;
    loop_part *own = &doubts->loops[loop];
    sc_doubt *settled[MAX_VISITS];
    const size_t count = sc_handover_take(own->settled, settled, MAX_VISITS);
    for (size_t i = 0; i < count; i++) {
        settle(own, settled[i], true);
    }
}

static void client_gone(void *context)
{
    visit *v = context;
    v->request = NULL;
    sc_doubt_give_up(v->doubt);
}

// --- Making --------------------------------------------------------------------------------------

static sc_err open_loop(sc_doubts *doubts, unsigned loop)
{
    loop_part *own = &doubts->loops[loop];
    const sc_err err = sc_handover_new(sizeof(sc_doubt *), MAX_VISITS, &own->settled);
    if (err) return err;
    return sc_http_watch(sc_service_http(doubts->service), loop, sc_handover_fd(own->settled),
                         take_settled, doubts);
}

sc_err sc_doubts_new(const sc_map *map, sc_service *service, const sc_engine_options *engine,
                     const sc_density *density, sc_doubts **out, sc_diag *diag)
{
    sc_doubts *doubts = sc_calloc(1, sizeof *doubts);
    if (!doubts) return sc_fail_memory(diag, "making room for doubts");
    doubts->map = map;
    doubts->service = service;
    doubts->loop_count = sc_service_loops(service);
    doubts->loops = sc_calloc(doubts->loop_count, sizeof *doubts->loops);
    sc_err err = doubts->loops ? SC_OK : SC_ENOMEM;
    for (unsigned i = 0; !err && i < doubts->loop_count; i++) {
        err = open_loop(doubts, i);
    }
    if (err) {
        (void)sc_fail(diag, err, "there can be no doubts: %s", sc_err_text(err));
    } else {
        sc_doubter_options options = sc_doubter_options_default();
        options.engine = *engine;
        options.density = density;
        options.done = hand_back;
        options.context = doubts;
        err = sc_doubter_new(map, &options, &doubts->doubter, diag);
    }
    if (err) {
        sc_doubts_free(doubts);
        return err;
    }
    *out = doubts;
    return SC_OK;
}

void sc_doubts_drain(sc_doubts *doubts)
{
    sc_doubter_stop(doubts->doubter);
}

void sc_doubts_free(sc_doubts *doubts)
{
    if (!doubts) return;
    sc_doubter_free(doubts->doubter);  // all that it has comes back
    for (unsigned i = 0; doubts->loops && i < doubts->loop_count; i++) {
        loop_part *own = &doubts->loops[i];
        sc_doubt *doubt = NULL;
        while (own->settled && sc_handover_take(own->settled, &doubt, 1) == 1) {
            settle(own, doubt, false);
        }
        sc_handover_free(own->settled);
        sc_bytes_fini(&own->reply);
    }
    sc_free(doubts->loops);
    sc_free(doubts);
}

// --- Coming in -----------------------------------------------------------------------------------

/** Give a doubt to the doubter; from then on the request waits. Takes the doubt, or frees it. */
static bool submit(sc_doubts *doubts, unsigned loop, sc_http_request *request, sc_doubt *doubt,
                   sc_problem *problem)
{
    loop_part *own = &doubts->loops[loop];
    visit *v = sc_calloc(1, sizeof *v);
    sc_err err = v ? SC_OK : SC_ENOMEM;
    if (v) *v = (visit){.request = request, .doubt = doubt};
    doubt->loop = loop;
    doubt->context = v;
    if (!err) {
        err = own->visits < MAX_VISITS ? sc_doubter_submit(doubts->doubter, doubt, NULL) : SC_EBUSY;
    }
    if (!err) {
        // It may be settled by now, but only this thread will hear of it, and later.
        own->visits++;
        sc_http_on_gone(request, client_gone, v);
        return true;
    }
    sc_doubt_free(doubt);
    sc_free(v);
    switch (err) {
    case SC_EBUSY:
        refuse(problem, SC_PROBLEM_OVERLOADED, COME_AGAIN_S,
               "many are being doubted; ask again in a moment");
        break;
    case SC_EINTERRUPTED:  // the service has begun to drain a moment ago
        refuse_draining(problem);
        break;
    case SC_ENOMEM:
        refuse(problem, SC_PROBLEM_OVERLOADED, 1, "memory is short; ask again");
        break;
    default:
        refuse(problem, SC_PROBLEM_INTERNAL, 0, "");  // what was read can be submitted
        break;
    }
    return false;
}

static bool take_in(sc_doubts *doubts, unsigned loop, sc_http_request *request,
                    sc_doubt_field *field, sc_problem *problem)
{
    if (sc_service_is_draining(doubts->service)) {
        refuse_draining(problem);
        return false;
    }
    if (!sc_speaks_json(request, problem)) return false;
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    sc_doubt *doubt = sc_doubt_read(body, size, sc_map_segment_count(doubts->map),
                                    sc_service_variant(doubts->service), field, problem);
    return doubt && submit(doubts, loop, request, doubt, problem);
}

void sc_doubts_ask(sc_doubts *doubts, unsigned loop, sc_http_request *request)
{
    sc_doubt_field field;
    sc_problem problem = {.field = NULL};
    const bool is_taken = take_in(doubts, loop, request, &field, &problem);
    sc_http_request_forget_body(request);
    if (is_taken) {
        // It may wait for some seconds, and a token has been read.
        sc_http_request_forget_headers(request);
    } else {
        sc_service_count_refusal(doubts->service, problem.kind);
        sc_problem_reply(request, &problem, NULL);
    }
}
