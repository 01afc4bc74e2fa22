// What leaves, and what comes back. See books.h.
#include "ledger/state_internal.h"

#include "base/rng.h"

// --- At R ----------------------------------------------------------------------------------

static void collect_due(sc__books *books, sc_time now)
{
    for (sc_proposal *proposal; (proposal = sc_deadlines_due(&books->releases, now));) {
        sc_deadlines_cancel(&books->releases, &proposal->place);
        proposal->state = SC_PROPOSAL_DUE;
        proposal->place = books->due_count;
        books->due[books->due_count++] = proposal;
    }
}

sc_proposal *sc__books_take_due(sc__books *books, sc_time now)
{
    collect_due(books, now);
    while (books->due_count > 0) {
        // Any one: which of them was completed first must not show.
        sc_proposal *proposal = books->due[sc_rng_below(books->rng, (uint32_t)books->due_count)];
        sc__unschedule(books, proposal);
        if (now < proposal->too_late) return proposal;
        sc__call_off(books, proposal, false, now);
    }
    return NULL;
}

void sc__mark_published(sc__books *books, sc_proposal *proposal, uint64_t number, uint32_t users,
                        sc_time left)
{
    const sc_bid *bid = proposal->bid;
    sc__unschedule(books, proposal);
    proposal->state = SC_PROPOSAL_PUBLISHED;
    sc__remember(books, bid, SC_FATE_PUBLISHED);
    for (sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        sc_deadlines_cancel(&books->deadlines, &ticket->moment);
        if (ticket->telling != SC_NO_DEADLINE)
            sc_deadlines_cancel(&books->tellings, &ticket->telling);
        ticket->state = SC_TICKET_PUBLISHED;
        ticket->published = left;
        ticket->cloak = number;
        ticket->users = users;
        ticket->segments = (uint32_t)bid->segment_count;
        if (ticket->is_gone) books->stats.gone_published++;
        // The engine that found the cloak hears that it has left.
        sc__say_remove(books, ticket, ticket->home == bid->part);
    }
}

void sc__books_published(sc__books *books, sc_proposal *proposal, uint64_t number, uint32_t users,
                         sc_time now)
{
    books->stats.cloaks++;
    sc__mark_published(books, proposal, number, users, now);
    sc__say_published(books, proposal->bid->worker, proposal);
    sc__tell_published(books, proposal);
}

void sc__books_unsent(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_time now)
{
    // The others are told that it failed, before our own members, which say how, are gone. If that
    // word is lost they ask, and hear that it is dead.
    sc__tell_result(books, proposal, failure, NULL);
    sc__fail_members(books, proposal, failure, now);
}

// --- Elsewhere -----------------------------------------------------------------------------

sc_proposal *sc__books_take_arrived(sc__books *books)
{
    if (books->arrived_count == 0) return NULL;
    sc_proposal *proposal = books->arrived[books->arrived_count - 1];
    sc__unschedule(books, proposal);
    return proposal;
}

void sc__fail_published(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_time now)
{
    for (sc_ticket *next, *ticket = proposal->members; ticket; ticket = next) {
        next = ticket->next;
        sc__settle_failed(books, ticket, failure, now);
    }
    sc__give_proposal(books, proposal);
}

// --- Both ----------------------------------------------------------------------------------

void sc__books_answered(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_seat *seats,
                        sc_result *result, sc_time now)
{
    if (proposal->is_ours) {
        sc__tell_result(books, proposal, failure, result);
    } else {
        sc_result_free(result);
    }
    if (failure) {
        sc__fail_published(books, proposal, failure, now);
        return;
    }
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        sc__by_id_expect(&books->tickets, &ticket->query.id);
    }
    sc_seat *seat = seats;
    for (sc_ticket *next, *ticket = proposal->members; ticket; ticket = next, seat++) {
        next = ticket->next;
        sc__settle_answered(books, ticket, seat->answer, now);
        seat->answer = NULL;
    }
    sc__give_proposal(books, proposal);
}
