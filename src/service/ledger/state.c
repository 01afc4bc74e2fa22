// Tickets in the ledger's state: how they come in, get their outcome, and run out of time.
#include "ledger/state.h"

#include "base/alloc.h"
#include "ledger/state_internal.h"
#include "ledger/ticket.h"

#include <string.h>

// --- Tickets ------------------------------------------------------------------------------------

const char *sc_outcome_name(sc_outcome outcome)
{
    switch (outcome) {
    case SC_OUTCOME_NONE:
        return "none";
    case SC_OUTCOME_ANSWERED:
        return "answered";
    case SC_OUTCOME_DROPPED:
        return "dropped";
    case SC_OUTCOME_FAILED:
        return "failed";
    case SC_OUTCOME_GONE:
        return "gone";
    }
    return "unknown";
}

sc_ticket *sc_ticket_new(void)
{
    return sc_calloc(1, sizeof(sc_ticket));
}

void sc_ticket_free(sc_ticket *ticket)
{
    if (!ticket) return;
    sc_answer_free(ticket->answer);
    explicit_bzero(ticket, sizeof *ticket);
    sc_free(ticket);
}

// --- How a ticket gets its outcome: once, and counted -------------------------------------------

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

/** Fates of bids of which we are R outlive their tickets, which are answered long before their
 * deadlines: so many for each ticket there may be at once, and some more for small books. Each
 * takes about 100 bytes, once it is used. */
enum { FATES_PER_TICKET = 8, MORE_FATES = 4096 };

/** How long to wait with words for which there is no room. */
enum { RETRY_US = 1000 };

// --- Life ----------------------------------------------------------------------------------

static sc_err make_pages(sc__books *books, size_t most)
{
    sc_err err = sc__by_id_init(&books->tickets, most, offsetof(sc_ticket, query.id));
    if (!err) err = sc__by_id_init(&books->bids, most, offsetof(sc_proposal, id));
    if (!err) err = sc_deadlines_init(&books->deadlines, most);
    if (!err) err = sc_deadlines_init(&books->tellings, most);
    if (!err) err = sc_deadlines_init(&books->releases, most);
    if (!err) err = sc_deadlines_init(&books->patience, most);
    if (!err) err = sc__fates_new(FATES_PER_TICKET * most + MORE_FATES, &books->fates);
    if (err) return err;
    books->due = sc_calloc(most, sizeof(sc_proposal *));
    books->arrived = sc_calloc(most, sizeof(sc_proposal *));
    books->proposals = sc_calloc(most, sizeof *books->proposals);
    return books->due && books->arrived && books->proposals ? SC_OK : SC_ENOMEM;
}

sc_err sc__books_new(const sc__books_options *options, sc_rng *rng, sc__books **out)
{
    sc__books *books = sc_calloc(1, sizeof *books);
    if (!books) return SC_ENOMEM;
    books->options = *options;
    books->rng = rng;
    books->deaf_until = INT64_MIN;
    sc_err err = make_pages(books, options->max_tickets);
    if (!err) err = sc_partition_walker_new(options->cut, &books->walker);
    if (!err && options->paranoid) {
        err = sc_verifier_new(options->paranoid, &books->examiner.verifier);
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
    for (size_t i = 0; i < books->proposal_count; i++) {
        sc__proposal_fini(&books->proposals[i]);
    }
    sc__examiner_fini(&books->examiner);
    sc_partition_walker_free(books->walker);
    sc__fates_free(books->fates);
    sc__by_id_fini(&books->tickets);
    sc__by_id_fini(&books->bids);
    sc_deadlines_fini(&books->deadlines);
    sc_deadlines_fini(&books->tellings);
    sc_deadlines_fini(&books->releases);
    sc_deadlines_fini(&books->patience);
    sc_free(books->due);
    sc_free(books->arrived);
    sc_free(books->proposals);
    sc_free(books);
}

// --- Tickets come and go -------------------------------------------------------------------

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
    const sc_query *query = &ticket->query;
    if (query->deadline < now) {
        turn_away_late(books, ticket, now);
        return;
    }
    // One user who asks twice in the same microsecond, at two doors, has one id for both.
    if (books->tickets.count == books->options.max_tickets ||
        sc__by_id_find(&books->tickets, &query->id)) {
        sc__books_turn_away(books, ticket, now);
        return;
    }
    books->stats.taken++;
    ticket->state = SC_TICKET_OPEN;
    ticket->query.owner = books->options.self;
    ticket->home = sc_partition_home(books->options.cut, query->segment);
    ticket->is_near = sc_partition_is_near(books->options.cut, query->segment, query->max_hops);
    ticket->telling = SC_NO_DEADLINE;
    sc__by_id_put(&books->tickets, ticket);
    sc_deadlines_add(&books->deadlines, sc__later(query->deadline, books->options.guard_us), ticket,
                     &ticket->moment);
    // Most queries have found company in their own part by then, and need no words to others.
    if (ticket->is_near) sc__tell_at(books, ticket, now + (query->deadline - now) / 4);
    sc__say_add(books, ticket);
}

/** Its client went away while it is reserved. */
static void withdraw_reserved(sc__books *books, sc_ticket *ticket, sc_time now)
{
    if (ticket->is_gone) return;
    ticket->is_gone = true;
    sc_proposal *proposal = ticket->proposal;
    if (proposal->is_ours) {
        sc__call_off(books, proposal, false, now);
    } else {
        // R may have published it already: it has the last word.
        const sc_bid *bid = proposal->bid;
        sc__say_of_bid(books, bid->releaser, SC_WORD_ABORT, &bid->id, 0, bid->deadline);
    }
}

void sc__books_withdraw(sc__books *books, const sc_query_id *id, sc_time now)
{
    sc_ticket *ticket = sc__by_id_find(&books->tickets, id);
    if (!ticket) return;
    switch (ticket->state) {
    case SC_TICKET_PUBLISHED:
        if (!ticket->is_gone) books->stats.gone_published++;
        ticket->is_gone = true;
        break;
    case SC_TICKET_RESERVED:
        withdraw_reserved(books, ticket, now);
        break;
    default:
        sc__say_remove(books, ticket, false);
        sc__settle_gone(books, ticket, now);
        break;
    }
}

// --- Engines that must be told again -------------------------------------------------------

static bool is_in_reach(const sc__books *books, const sc_ticket *ticket, uint32_t part)
{
    size_t count = 0;
    const uint16_t *parts =
        sc_partition_reach(books->walker, ticket->query.segment, ticket->query.max_hops, &count);
    for (size_t i = 0; i < count; i++) {
        if (parts[i] == part) return true;
    }
    return false;
}

void sc__books_resend(sc__books *books, uint32_t part, sc_time now)
{
    size_t from = 0;
    for (sc_ticket *ticket; (ticket = sc__by_id_any(&books->tickets, &from)); from++) {
        // One that is reserved is said anew when it is open again.
        if (ticket->state != SC_TICKET_OPEN) continue;
        if (ticket->home == part) {
            ticket->owes_add = true;
        } else if (!ticket->is_spread || !is_in_reach(books, ticket, part)) {
            continue;
        }
        sc__tell_at(books, ticket, now);
    }
}

/** As long as there is room for words. */
static void tell_engines(sc__books *books, sc_time now)
{
    size_t space = sc_voice_space(&books->options.voice);
    for (sc_ticket *ticket; (ticket = sc_deadlines_due(&books->tellings, now));) {
        if (space == 0) {
            books->deaf_until = now + RETRY_US;
            return;
        }
        sc_deadlines_cancel(&books->tellings, &ticket->telling);
        if (ticket->state != SC_TICKET_OPEN) continue;
        size_t said = 0;
        if (ticket->owes_add) {
            ticket->owes_add = false;
            books->stats.resent++;
            sc__say_add(books, ticket);
            said++;
        }
        if (ticket->is_near) said += sc__say_company(books, ticket);
        space -= said < space ? said : space;
    }
}

// --- Time ----------------------------------------------------------------------------------

static void run_out(sc__books *books, sc_ticket *ticket, sc_time now)
{
    if (ticket->state != SC_TICKET_RESERVED) {
        sc__say_remove(books, ticket, false);
        sc__settle_dropped(books, ticket, SC_DROP_EXPIRED, now);
    } else if (ticket->proposal->is_ours) {
        sc__call_off(books, ticket->proposal, false, now);
    } else {
        sc__leave_in_doubt(books, ticket, now);
    }
}

/** Has a client of ours gone away while its query is reserved? */
static bool has_gone_member(const sc_proposal *proposal)
{
    const sc_ticket *ticket = proposal->members;
    while (ticket && !ticket->is_gone) {
        ticket = ticket->next;
    }
    return ticket != NULL;
}

static void lose_patience(sc__books *books, sc_proposal *proposal, sc_time now)
{
    if (proposal->state == SC_PROPOSAL_PUBLISHED) {
        sc__fail_published(books, proposal, SC_FAILURE_LOST, now);
    } else if (proposal->is_ours) {
        books->stats.impatient++;
        sc__call_off(books, proposal, false, now);
    } else {
        const sc_bid *bid = proposal->bid;
        books->stats.asked++;
        // Perhaps the word that it went was lost, and R would count it.
        if (has_gone_member(proposal)) {
            sc__say_of_bid(books, bid->releaser, SC_WORD_ABORT, &bid->id, 0, bid->deadline);
        }
        sc__say_of_bid(books, bid->releaser, SC_WORD_ASK, &bid->id, 0, bid->deadline);
        sc_deadlines_cancel(&books->patience, &proposal->patience);
        sc_deadlines_add(&books->patience, sc__later(now, books->options.patience_us), proposal,
                         &proposal->patience);
    }
}

void sc__books_pass_time(sc__books *books, sc_time now)
{
    for (sc_ticket *ticket; (ticket = sc_deadlines_due(&books->deadlines, now - 1));) {
        run_out(books, ticket, now);
    }
    for (sc_proposal *proposal; (proposal = sc_deadlines_due(&books->patience, now));) {
        lose_patience(books, proposal, now);
    }
    tell_engines(books, now);
    sc__fates_pass_time(books->fates, now);
}

// --- The end, and what there is to know ----------------------------------------------------

/** Of a proposal, so that nobody waits for us. */
static void stop_proposal(sc__books *books, sc_proposal *proposal, sc_time now)
{
    const sc_bid *bid = proposal->bid;
    if (proposal->state < SC_PROPOSAL_PUBLISHED) {
        if (proposal->is_ours) {
            sc__tell_dead(books, proposal);
        } else {
            sc__say_of_bid(books, bid->releaser, SC_WORD_ABORT, &bid->id, 0, bid->deadline);
        }
        sc__fail_members(books, proposal, SC_FAILURE_STOPPED, now);
    } else {
        if (proposal->is_ours) sc__tell_result(books, proposal, SC_FAILURE_STOPPED, NULL);
        sc__fail_published(books, proposal, SC_FAILURE_STOPPED, now);
    }
}

void sc__books_stop(sc__books *books, sc_time now)
{
    for (size_t i = 0; i < books->proposal_count; i++) {
        if (books->proposals[i].bid) stop_proposal(books, &books->proposals[i], now);
    }
    size_t from = 0;
    for (sc_ticket *ticket; (ticket = sc__by_id_any(&books->tickets, &from));) {
        sc__say_remove(books, ticket, false);
        sc__settle_failed(books, ticket, SC_FAILURE_STOPPED, now);
    }
}

sc_ticket *sc__books_take_settled(sc__books *books)
{
    sc_ticket *first = books->first_settled;
    books->first_settled = books->last_settled = NULL;
    return first;
}

static sc_time earlier_of(sc_time a, sc_time b)
{
    return a < b ? a : b;
}

sc_time sc__books_next_wake(const sc__books *books)
{
    if (books->due_count > 0 || books->arrived_count > 0) return INT64_MIN;
    sc_time wake = sc_deadlines_next(&books->releases);
    wake = earlier_of(wake, sc_deadlines_next(&books->patience));
    // A deadline counts once the clock has passed it.
    wake = earlier_of(wake, sc__later(sc_deadlines_next(&books->deadlines), 1));
    const sc_time telling = sc_deadlines_next(&books->tellings);
    return earlier_of(wake, telling > books->deaf_until ? telling : books->deaf_until);
}

sc_ledger_stats sc__books_stats(const sc__books *books)
{
    sc_ledger_stats stats = books->stats;
    stats.pending = books->tickets.count;
    return stats;
}
