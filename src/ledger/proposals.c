// Proposals: what the engine says, what is called off, and what leaves. See books.h.
#include "ledger/books_internal.h"

#include "base/rng.h"

static sc_proposal *take_proposal(sc__books *books)
{
    sc_proposal *proposal = books->idle_proposal;
    if (proposal) {
        books->idle_proposal = proposal->next;
    } else {
        proposal = &books->proposals[books->proposal_count++];
    }
    *proposal = (sc_proposal){.place = SC__NO_MOMENT};
    return proposal;
}

static void give_proposal(sc__books *books, sc_proposal *proposal)
{
    *proposal = (sc_proposal){.next = books->idle_proposal};
    books->idle_proposal = proposal;
}

// --- Words for the engine ------------------------------------------------------------------

static void tell_accept(const sc__books *books, sc_cloak *cloak, sc_time now)
{
    sc__tell(books, &(sc__command){.kind = SC__COMMAND_ACCEPT, .cloak = cloak, .now = now});
}

static void tell_refuse(sc__books *books, sc_cloak *cloak)
{
    books->stats.refused++;
    sc__tell(books, &(sc__command){.kind = SC__COMMAND_REFUSE, .cloak = cloak});
}

// --- Proposals that are off ----------------------------------------------------------------

/** A reserved proposal leaves the releases, or those that are due. */
static void unschedule(sc__books *books, sc_proposal *proposal)
{
    if (!proposal->is_due) {
        sc__moments_remove(&books->releases, proposal->place);
        return;
    }
    sc_proposal *last = books->due[--books->due_count];
    books->due[proposal->place] = last;
    last->place = proposal->place;
}

/** From then on no cloak can leave for it. */
static sc_time too_late_for(const sc__books *books, const sc_ticket *ticket)
{
    return ticket->query.deadline - books->options.guard_us;
}

/** What becomes of a member of a proposal that is off. */
static void reopen(sc__books *books, sc_ticket *ticket, bool is_gone, bool was_reserved,
                   sc_time now)
{
    ticket->state = SC_TICKET_OPEN;
    ticket->proposal = NULL;
    ticket->next = NULL;
    const bool can_wait = now < too_late_for(books, ticket);
    if (!is_gone && can_wait) return;
    sc__tell_remove(books, ticket);
    if (is_gone) {
        sc__settle_gone(books, ticket, now);
    } else if (was_reserved && ticket->query.deadline < now) {
        sc__settle_failed(books, ticket, SC_FAILURE_IN_DOUBT, now);
    } else {
        // It is not kept waiting: the engine would only propose it again, and again in vain.
        sc__settle_dropped(books, ticket, SC_DROP_EXPIRED, now);
    }
}

/** The proposal is off. Its members are open again, but for the one that is gone, if any, and those
 * whose time has run out. */
static void call_off(sc__books *books, sc_proposal *proposal, const sc_ticket *gone, sc_time now)
{
    for (sc_ticket *next, *ticket = proposal->members; ticket; ticket = next) {
        next = ticket->next;
        reopen(books, ticket, ticket == gone, proposal->is_reserved, now);
    }
    tell_refuse(books, proposal->cloak);
    give_proposal(books, proposal);
}

/** The proposal is off, and its members have failed. */
static void fail_all(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_time now)
{
    for (sc_ticket *next, *ticket = proposal->members; ticket; ticket = next) {
        next = ticket->next;
        sc__tell_remove(books, ticket);
        sc__settle_failed(books, ticket, failure, now);
    }
    tell_refuse(books, proposal->cloak);
    give_proposal(books, proposal);
}

void sc__withdraw_proposal(sc__books *books, sc_proposal *proposal, const sc_ticket *gone,
                           sc_time now)
{
    unschedule(books, proposal);
    call_off(books, proposal, gone, now);
}

void sc__fail_proposal(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_time now)
{
    unschedule(books, proposal);
    fail_all(books, proposal, failure, now);
}

// --- What the engine says ------------------------------------------------------------------

/** Take all members for this proposal; false if one of them is not open, or is named twice. */
static bool gather_members(sc__books *books, sc_proposal *proposal)
{
    const sc_cloak *cloak = proposal->cloak;
    proposal->too_late = SC_TIME_NEVER;
    for (size_t i = 0; i < cloak->member_count; i++) {
        sc__tickets_expect(&books->tickets, &cloak->members[i].query.id);
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        sc_ticket *ticket = sc__tickets_find(&books->tickets, &cloak->members[i].query.id);
        if (!ticket || ticket->state != SC_TICKET_OPEN) return false;
        ticket->state = SC_TICKET_RESERVED;
        ticket->proposal = proposal;
        ticket->place = i;
        ticket->next = proposal->members;
        proposal->members = ticket;
        const sc_time too_late = too_late_for(books, ticket);
        if (too_late < proposal->too_late) proposal->too_late = too_late;
    }
    return cloak->member_count > 0;
}

/** Draw the moment at which a proposal leaves. */
static void schedule(sc__books *books, sc_proposal *proposal, sc_time now)
{
    // A quarter of the time that is left is kept for a thread that comes late.
    const sc_time left = proposal->too_late - 1 - now;
    const sc_time most = left - left / 4;
    const sc_time span = books->options.jitter_us < most ? books->options.jitter_us : most;
    const sc_time wait = sc_rng_below(books->rng, (uint32_t)span + 1);
    proposal->is_reserved = true;
    sc__moments_push(&books->releases, now + wait, proposal, &proposal->place);
}

static void propose(sc__books *books, sc_cloak *cloak, sc_time now)
{
    // Where no proposal is idle, each ticket is a member of one, and none is open.
    if (!books->idle_proposal && books->proposal_count == books->options.max_tickets) {
        tell_refuse(books, cloak);
        return;
    }
    sc_proposal *proposal = take_proposal(books);
    proposal->cloak = cloak;
    const bool is_finished = cloak->is_pruned && cloak->segment_count > 0;
    if (!is_finished || !gather_members(books, proposal) || now >= proposal->too_late) {
        call_off(books, proposal, NULL, now);
        return;
    }
    const sc_err err =
        books->examiner.verifier ? sc__examine(&books->examiner, proposal, now) : SC_OK;
    if (err == SC_EBROKEN) {
        books->stats.violations++;
        call_off(books, proposal, NULL, now);
    } else if (err) {
        fail_all(books, proposal, SC_FAILURE_OVERLOADED, now);
    } else {
        schedule(books, proposal, now);
    }
}

void sc__books_hear(sc__books *books, const sc__message *message, sc_time now)
{
    if (message->kind == SC__MESSAGE_PROPOSED) {
        propose(books, message->cloak, now);
        return;
    }
    // Of one that is reserved the proposal decides.
    sc_ticket *ticket = sc__tickets_find(&books->tickets, &message->id);
    if (!ticket || ticket->state != SC_TICKET_OPEN) return;
    if (message->kind == SC__MESSAGE_DROPPED) {
        sc__settle_dropped(books, ticket, message->reason, now);
    } else {
        sc__settle_failed(books, ticket, SC_FAILURE_OVERLOADED, now);
    }
}

// --- What leaves ---------------------------------------------------------------------------

static void collect_due(sc__books *books, sc_time now)
{
    for (sc_proposal *proposal; (proposal = sc__moments_due(&books->releases, now));) {
        sc__moments_remove(&books->releases, proposal->place);
        proposal->is_due = true;
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
        unschedule(books, proposal);
        if (now < proposal->too_late) return proposal;
        call_off(books, proposal, NULL, now);
    }
    return NULL;
}

void sc__books_published(sc__books *books, sc_proposal *proposal, uint32_t users, sc_time now)
{
    const uint32_t segments = (uint32_t)proposal->cloak->segment_count;
    for (sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        sc__moments_remove(&books->deadlines, ticket->moment);
        ticket->state = SC_TICKET_PUBLISHED;
        ticket->published = now;
        ticket->users = users;
        ticket->segments = segments;
    }
    books->stats.cloaks++;
    tell_accept(books, proposal->cloak, now);
    proposal->cloak = NULL;
}

void sc__books_unsent(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_time now)
{
    fail_all(books, proposal, failure, now);
}

void sc__books_answered(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_seat *seats,
                        sc_time now)
{
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        sc__tickets_expect(&books->tickets, &ticket->query.id);
    }
    for (sc_ticket *next, *ticket = proposal->members; ticket; ticket = next) {
        next = ticket->next;
        sc_seat *seat = &seats[ticket->place];
        if (failure) {
            sc__settle_failed(books, ticket, failure, now);
        } else {
            sc__settle_answered(books, ticket, seat->answer, now);
            seat->answer = NULL;
        }
    }
    give_proposal(books, proposal);
}
