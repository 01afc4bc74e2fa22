// How a ticket gets its outcome: once, and counted. See books_internal.h.
#include "ledger/state_internal.h"

void sc__hand_out(sc__books *books, sc_ticket *ticket, sc_outcome outcome, sc_time now)
{
    ticket->state = SC_TICKET_SETTLED;
    ticket->outcome = outcome;
    ticket->settled = now;
    ticket->proposal = NULL;
    ticket->next = NULL;
    if (books->last_settled) {
        books->last_settled->next = ticket;
    } else {
        books->first_settled = ticket;
    }
    books->last_settled = ticket;
}

static void leave(sc__books *books, sc_ticket *ticket, sc_outcome outcome, sc_time now)
{
    sc__by_id_remove(&books->tickets, ticket);
    if (ticket->moment != SC_NO_DEADLINE) sc_deadlines_cancel(&books->deadlines, &ticket->moment);
    if (ticket->telling != SC_NO_DEADLINE) sc_deadlines_cancel(&books->tellings, &ticket->telling);
    sc__hand_out(books, ticket, outcome, now);
}

void sc__settle_dropped(sc__books *books, sc_ticket *ticket, sc_drop_reason reason, sc_time now)
{
    ticket->drop = reason;
    ticket->published = now;
    books->stats.dropped[reason]++;
    leave(books, ticket, SC_OUTCOME_DROPPED, now);
}

void sc__settle_failed(sc__books *books, sc_ticket *ticket, sc_failure failure, sc_time now)
{
    ticket->failure = failure;
    books->stats.failed[failure]++;
    leave(books, ticket, SC_OUTCOME_FAILED, now);
}

void sc__settle_gone(sc__books *books, sc_ticket *ticket, sc_time now)
{
    books->stats.gone++;
    leave(books, ticket, SC_OUTCOME_GONE, now);
}

void sc__settle_answered(sc__books *books, sc_ticket *ticket, sc_answer *answer, sc_time now)
{
    ticket->answer = answer;
    books->stats.answered++;
    leave(books, ticket, SC_OUTCOME_ANSWERED, now);
}
