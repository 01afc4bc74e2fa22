// Where outcomes go out. See door.h and door_internal.h.
#include "api/door_internal.h"

#include "api/metrics.h"
#include "api/outcome_json.h"
#include "base/alloc.h"

#include <string.h>

/** There is room: a loop has no more visits than its handover holds, and each of them has one
 * ticket. */
static void hand_over(sc__door_loop *loop)
{
    (void)sc_handover_put_many(loop->settled, loop->leaving, loop->leaving_count);
    loop->leaving_count = 0;
}

void sc_door_settled(void *context, sc_ticket *ticket)
{
    const sc_door *door = context;
    sc__door_loop *loop = &door->loops[ticket->loop];
    loop->leaving[loop->leaving_count++] = ticket;
    if (loop->leaving_count == SC__DOOR_BATCH) hand_over(loop);
}

void sc_door_all_settled(void *context)
{
    const sc_door *door = context;
    for (unsigned i = 0; i < door->parts->loops; i++) {
        if (door->loops[i].leaving_count > 0) hand_over(&door->loops[i]);
    }
}

void sc__door_gone(void *context)
{
    sc__visit *visit = context;
    visit->request = NULL;
    // The ticket comes back in any case, and the visit is freed with it.
    sc_ledger_withdraw(visit->door->parts->ledger, &visit->id);
}

// What comes to the traveller is about where the traveller is; nothing of it stays here.
static void wipe(sc_bytes *bytes)
{
    if (bytes->size > 0) explicit_bzero(bytes->data, bytes->size);
    bytes->size = 0;
}

static bool has_words(const sc_ticket *ticket)
{
    return ticket->outcome == SC_OUTCOME_ANSWERED || ticket->outcome == SC_OUTCOME_DROPPED;
}

static void reply(const sc_door *door, sc__door_loop *loop, sc_http_request *request,
                  const sc_ticket *ticket)
{
    sc_problem problem;
    if (!has_words(ticket)) {
        sc_outcome_problem(ticket, &problem);
        sc_problem_reply(request, &problem, NULL);
    } else if (sc_outcome_write(ticket, door->is_geographic, &loop->reply)) {
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "memory is short; ask again");
        problem.retry_after_s = 1;
        sc_problem_reply(request, &problem, NULL);
    } else {
        sc_http_reply(request, 200, "application/json", loop->reply.data, loop->reply.size, NULL,
                      0);
    }
    wipe(&loop->reply);
}

void sc__door_settle(sc_door *door, sc__door_loop *loop, sc_ticket *ticket, bool may_reply)
{
    const sc_service_internal *parts = door->parts;
    sc__visit *visit = ticket->door;
    if (parts->metrics) sc_metrics_settled(parts->metrics, ticket);
    // Before the reply: whoever has it may ask again at once.
    sc_pending_leave(parts->pending, visit->user);
    loop->visits--;
    if (may_reply && visit->request) reply(door, loop, visit->request, ticket);
    explicit_bzero(visit, sizeof *visit);
    sc_free(visit);
    sc_ticket_free(ticket);
}

void sc__door_take_settled(void *context, unsigned loop)
{
    // The bell keeps ringing for those who are left.
    sc_door *door = context;
    sc__door_loop *own = &door->loops[loop];
    sc_ticket *tickets[SC__DOOR_BATCH];
    const size_t count = sc_handover_take(own->settled, tickets, SC__DOOR_BATCH);
    for (size_t i = 0; i < count; i++) {
        sc__door_settle(door, own, tickets[i], true);
    }
}
