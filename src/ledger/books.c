// Tickets come, go, and run out of time. See books.h.
#include "ledger/books.h"

#include "base/alloc.h"
#include "ledger/books_internal.h"

#include <string.h>

// --- Life ----------------------------------------------------------------------------------

sc_err sc__books_new(const sc__books_options *options, sc_rng *rng, sc__books **out)
{
    sc__books *books = sc_calloc(1, sizeof *books);
    if (!books) return SC_ENOMEM;
    books->options = *options;
    books->rng = rng;
    const size_t most = options->max_tickets;
    sc_err err = sc__tickets_init(&books->tickets, most);
    if (!err) err = sc__moments_init(&books->deadlines, most);
    if (!err) err = sc__moments_init(&books->releases, most);
    if (!err && options->paranoid) {
        err = sc_verifier_new(options->paranoid, &books->examiner.verifier);
    }
    if (!err) {
        books->due = sc_calloc(most, sizeof(sc_proposal *));
        books->proposals = sc_calloc(most, sizeof *books->proposals);
        if (!books->due || !books->proposals) err = SC_ENOMEM;
    }
    if (err) {
        sc__books_free(books);
        return err;
    }
    *out = books;
    return SC_OK;
}

void sc__books_free(sc__books *books)
{
    if (!books) return;
    sc__examiner_fini(&books->examiner);
    sc__tickets_fini(&books->tickets);
    sc__moments_fini(&books->deadlines);
    sc__moments_fini(&books->releases);
    sc_free(books->due);
    sc_free(books->proposals);
    sc_free(books);
}

// --- Tickets come and go -------------------------------------------------------------------

static sc_time later(sc_time t, sc_time by)
{
    return t < SC_TIME_NEVER - by ? t + by : SC_TIME_NEVER;
}

void sc__books_turn_away(sc__books *books, sc_ticket *ticket, sc_time now)
{
    books->stats.taken++;
    books->stats.failed[SC_FAILURE_OVERLOADED]++;
    ticket->failure = SC_FAILURE_OVERLOADED;
    sc__hand_out(books, ticket, SC_OUTCOME_FAILED, now);
}

static void turn_away_late(sc__books *books, sc_ticket *ticket, sc_time now)
{
    books->stats.taken++;
    books->stats.dropped[SC_DROP_EXPIRED]++;
    ticket->drop = SC_DROP_EXPIRED;
    ticket->published = now;
    sc__hand_out(books, ticket, SC_OUTCOME_DROPPED, now);
}

void sc__books_add(sc__books *books, sc_ticket *ticket, sc_time now)
{
    if (ticket->query.deadline < now) {
        turn_away_late(books, ticket, now);
        return;
    }
    // One user who asks twice in the same microsecond, at two doors, has one id for both.
    if (books->tickets.count == books->tickets.most ||
        sc__tickets_find(&books->tickets, &ticket->query.id)) {
        sc__books_turn_away(books, ticket, now);
        return;
    }
    books->stats.taken++;
    ticket->state = SC_TICKET_OPEN;
    sc__tickets_put(&books->tickets, ticket);
    sc__moments_push(&books->deadlines, later(ticket->query.deadline, books->options.guard_us),
                     ticket, &ticket->moment);
    sc__command add = {.kind = SC__COMMAND_ADD, .query = ticket->query};
    sc__tell(books, &add);
    explicit_bzero(&add, sizeof add);
}

void sc__books_withdraw(sc__books *books, const sc_query_id *id, sc_time now)
{
    sc_ticket *ticket = sc__tickets_find(&books->tickets, id);
    if (!ticket) return;
    switch (ticket->state) {
    case SC_TICKET_PUBLISHED:
        if (!ticket->is_gone) books->stats.gone_published++;
        ticket->is_gone = true;
        break;
    case SC_TICKET_RESERVED:
        sc__withdraw_proposal(books, ticket->proposal, ticket, now);
        break;
    default:
        sc__tell_remove(books, ticket);
        sc__settle_gone(books, ticket, now);
        break;
    }
}

void sc__books_pass_time(sc__books *books, sc_time now)
{
    for (sc_ticket *ticket; (ticket = sc__moments_due(&books->deadlines, now - 1));) {
        if (ticket->state == SC_TICKET_RESERVED) {
            sc__withdraw_proposal(books, ticket->proposal, NULL, now);
        } else {
            sc__tell_remove(books, ticket);
            sc__settle_dropped(books, ticket, SC_DROP_EXPIRED, now);
        }
    }
}

// --- The end, and what there is to know ----------------------------------------------------

void sc__books_stop(sc__books *books, sc_time now)
{
    size_t from = 0;
    for (sc_ticket *ticket; (ticket = sc__tickets_any(&books->tickets, &from));) {
        if (ticket->state == SC_TICKET_RESERVED) {
            sc__fail_proposal(books, ticket->proposal, SC_FAILURE_STOPPED, now);
        } else {
            sc__settle_failed(books, ticket, SC_FAILURE_STOPPED, now);
        }
    }
}

sc_ticket *sc__books_take_settled(sc__books *books)
{
    sc_ticket *first = books->first_settled;
    books->first_settled = books->last_settled = NULL;
    return first;
}

sc_time sc__books_next_wake(const sc__books *books)
{
    if (books->due_count > 0) return INT64_MIN;
    const sc_time release = sc__moments_next(&books->releases);
    // A deadline counts once the clock has passed it.
    const sc_time deadline = sc__moments_next(&books->deadlines);
    return release <= deadline ? release : later(deadline, 1);
}

sc_ledger_stats sc__books_stats(const sc__books *books)
{
    sc_ledger_stats stats = books->stats;
    stats.pending = books->tickets.count;
    return stats;
}
