// What leaves for a cloak. See publish.h.
#include "ledger/publish.h"

#include <starcloak/answer.h>

#include "base/alloc.h"
#include "base/sort.h"

#include <string.h>

void sc__publisher_fini(sc__publisher *publisher)
{
    sc_free(publisher->requests);
    sc_free(publisher->which);
    sc_free(publisher->users);
    *publisher = (sc__publisher){0};
}

static bool make_room(sc__publisher *publisher, size_t count)
{
    return sc_reserve(&publisher->requests, count, &publisher->request_capacity,
                      sizeof *publisher->requests) &&
           sc_reserve(&publisher->which, count, &publisher->which_capacity,
                      sizeof *publisher->which) &&
           sc_reserve(&publisher->users, count, &publisher->user_capacity,
                      sizeof *publisher->users);
}

static sc_err make_relay(sc__publisher *publisher, const sc_proposal *proposal, sc_relay **out)
{
    const sc_cloak *cloak = proposal->cloak;
    if (!make_room(publisher, cloak->member_count)) return SC_ENOMEM;
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        publisher->requests[ticket->place] = ticket->request;
        publisher->users[ticket->place] = ticket->query.user;
    }
    return sc_relay_new(publisher->map, cloak->segments, cloak->segment_count, cloak->border_nodes,
                        cloak->border_node_count, publisher->requests, cloak->member_count,
                        publisher->rng, publisher->which, out);
}

/** No first word of the cloak may be said after that (P5). */
static sc_time least_deadline(const sc_proposal *proposal)
{
    sc_time least = SC_TIME_NEVER;
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        if (ticket->query.deadline < least) least = ticket->query.deadline;
    }
    return least;
}

/** The errand and its seats are one block. */
static sc_errand *make_errand(const sc__publisher *publisher, sc_proposal *proposal,
                              sc_relay *relay, sc_time now)
{
    const size_t seat_count = proposal->cloak->member_count;
    sc_errand *errand = sc_malloc(sizeof *errand + seat_count * sizeof(sc_seat));
    if (!errand) return NULL;
    *errand = (sc_errand){
        .relay = relay,
        .seats = (sc_seat *)(errand + 1),
        .seat_count = seat_count,
        .leave_by_us = least_deadline(proposal),
        .deadline_us = now + publisher->provider_deadline_us,
        .context = proposal,
    };
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        errand->seats[ticket->place] = (sc_seat){
            .edge = ticket->edge,
            .offset_m = ticket->offset_m,
            .request = publisher->which[ticket->place],
        };
    }
    return errand;
}

_Static_assert(sizeof(sc_errand) % _Alignof(sc_seat) == 0, "seats follow the errand");

sc_failure sc__publish(sc__publisher *publisher, sc_proposal *proposal, sc_time now,
                       const sc_relay **relay, uint32_t *users)
{
    sc_relay *made = NULL;
    if (make_relay(publisher, proposal, &made) != SC_OK) return SC_FAILURE_OVERLOADED;
    sc_errand *errand = make_errand(publisher, proposal, made, now);
    if (!errand) {
        sc_relay_free(made);
        return SC_FAILURE_OVERLOADED;
    }
    if (publisher->send(publisher->send_context, errand) != SC_OK) {
        sc__errand_free(errand);
        return SC_FAILURE_OVERLOADED;
    }
    *relay = made;
    *users = (uint32_t)sc_sort_count_different(publisher->users, proposal->cloak->member_count);
    explicit_bzero(publisher->users, proposal->cloak->member_count * sizeof *publisher->users);
    return SC_FAILURE_NONE;
}

sc_proposal *sc__errand_proposal(const sc_errand *errand)
{
    return errand->context;
}

void sc__errand_free(sc_errand *errand)
{
    if (!errand) return;
    for (size_t i = 0; i < errand->seat_count; i++) {
        sc_answer_free(errand->seats[i].answer);
    }
    explicit_bzero(errand->seats, errand->seat_count * sizeof *errand->seats);
    sc_relay_free(errand->relay);
    sc_free(errand);
}
