// Reservations: from a proposal that comes in until it is released or called off.
//
// A proposal is looked at (does it make sense, are our members open, is there time, does it keep
// the promises), and then reserved or refused. Both sides of the decision, and what is remembered
// of it, are in this file; the moment of release is in release.c.
#include <starcloak/verify.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "ledger/state.h"
#include "ledger/state_internal.h"

#include <string.h>

// --- Examining a proposal by the verifier -------------------------------------------------------

void sc__examiner_fini(sc__examiner *examiner)
{
    sc_verifier_free(examiner->verifier);
    sc_free(examiner->members);
    *examiner = (sc__examiner){0};
}

static sc_claim_member claim_of(const sc_query *query, sc_star_id star)
{
    return (sc_claim_member){
        .user = query->user,
        .segment = query->segment,
        .star = star,
        .k = query->k,
        .l = query->l,
        .max_hops = query->max_hops,
        .deadline_us = query->deadline,
    };
}

/**
 * Does the proposal keep its promises, if it leaves now? Who and where our members are and what
 * they need is taken from their tickets, not from the bid, which has been in other hands. Of other
 * gateways' members there is only the bid: each gateway looks for its own.
 *
 * @return SC_OK, SC_EBROKEN, SC_ENOMEM (it could not be looked at)
 */
static sc_err examine(sc__examiner *examiner, const sc_proposal *proposal, sc_time now)
{
    const sc_bid *bid = proposal->bid;
    if (!sc_reserve(&examiner->members, bid->member_count, &examiner->member_capacity,
                    sizeof *examiner->members)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < bid->member_count; i++) {
        examiner->members[i] = claim_of(&bid->members[i].query, bid->members[i].star);
    }
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        const size_t place = ticket->place;
        examiner->members[place] = claim_of(&ticket->query, bid->members[place].star);
    }
    const sc_claim claim = {
        .stars = bid->stars,
        .star_count = bid->star_count,
        .segments = bid->segments,
        .segment_count = bid->segment_count,
        .border_nodes = bid->border_nodes,
        .border_node_count = bid->border_node_count,
        .members = examiner->members,
        .member_count = bid->member_count,
        .t_us = now,
    };
    unsigned broken = 0;
    const sc_err err = sc_verifier_check_claim(examiner->verifier, &claim, &broken, NULL);
    explicit_bzero(examiner->members, bid->member_count * sizeof *examiner->members);
    if (err) return err;
    return broken == 0 ? SC_OK : SC_EBROKEN;
}

// --- Room for proposals --------------------------------------------------------------------

static sc_proposal *take_proposal(sc__books *books, sc_bid *bid)
{
    sc_proposal *proposal = books->idle_proposal;
    if (proposal) {
        books->idle_proposal = proposal->next;
    } else {
        proposal = &books->proposals[books->proposal_count++];
    }
    *proposal = (sc_proposal){
        .id = bid->id,
        .bid = bid,
        .is_ours = bid->releaser == books->options.self,
        .place = SC_NO_DEADLINE,
        .patience = SC_NO_DEADLINE,
    };
    sc__by_id_put(&books->bids, proposal);
    return proposal;
}

void sc__proposal_fini(sc_proposal *proposal)
{
    sc_word release = {.kind = SC_WORD_RELEASE};
    release.wishes = proposal->wishes;
    release.count = proposal->wish_count;
    sc_word_fini(&release);
    sc_bid_free(proposal->bid);
    sc_result_free(proposal->result);
    *proposal = (sc_proposal){0};
}

void sc__give_proposal(sc__books *books, sc_proposal *proposal)
{
    sc__unschedule(books, proposal);
    sc__by_id_remove(&books->bids, proposal);
    sc__proposal_fini(proposal);
    proposal->next = books->idle_proposal;
    books->idle_proposal = proposal;
}

/** From a list in which each knows its place: the last one takes it. */
static void take_from(sc_proposal **list, size_t *count, sc_proposal *proposal)
{
    sc_proposal *last = list[--*count];
    list[proposal->place] = last;
    last->place = proposal->place;
    proposal->place = SC_NO_DEADLINE;
}

void sc__unschedule(sc__books *books, sc_proposal *proposal)
{
    if (proposal->patience != SC_NO_DEADLINE) {
        sc_deadlines_cancel(&books->patience, &proposal->patience);
    }
    if (proposal->place == SC_NO_DEADLINE) return;
    if (proposal->state == SC_PROPOSAL_SCHEDULED) {
        sc_deadlines_cancel(&books->releases, &proposal->place);
    } else if (proposal->state == SC_PROPOSAL_DUE) {
        take_from(books->due, &books->due_count, proposal);
    } else {
        take_from(books->arrived, &books->arrived_count, proposal);
    }
}

// --- Fates ---------------------------------------------------------------------------------

/** Longer than anybody may speak of a bid with that deadline. */
static sc_time remembered_until(const sc__books *books, sc_time deadline)
{
    return sc__later(deadline, 2 * books->options.guard_us + sc_time_from_seconds(1.0));
}

/** Only R's word counts; and words of our own engines are neither lost nor doubled. */
static bool is_remembered(const sc__books *books, const sc_bid *bid)
{
    return bid->releaser == books->options.self && !sc__is_inside(books, bid->worker);
}

void sc__remember(sc__books *books, const sc_bid *bid, sc_fate fate)
{
    if (!is_remembered(books, bid)) return;
    const sc_time until = remembered_until(books, bid->last);
    // There is room: it was looked for before it was reserved, and taken then.
    const bool is_kept = sc__fates_put(books->fates, &bid->id, fate, until);
    (void)is_kept;
}

bool sc__bury_unknown(sc__books *books, const sc_bid_id *id, sc_time deadline, sc_time now)
{
    // Once its least deadline is over it would be refused as late.
    const sc_time least = deadline > now ? deadline : now;
    return sc__fates_put(books->fates, id, SC_FATE_DEAD, remembered_until(books, least));
}

// --- Proposals that are off ----------------------------------------------------------------

/** A member is in no proposal any more. */
static void let_go(sc_ticket *ticket)
{
    ticket->state = SC_TICKET_OPEN;
    ticket->proposal = NULL;
    ticket->next = NULL;
}

/** A member of a proposal that is off is open again, unless it is gone or its time has run out. */
static void reopen(sc__books *books, sc_ticket *ticket, sc_time now)
{
    let_go(ticket);
    if (!ticket->is_gone && now < sc__too_late_for(books, ticket->query.deadline)) {
        // An engine that heard a no because of this proposal has forgotten it.
        ticket->owes_add = true;
        sc__tell_at(books, ticket, now);
        return;
    }
    sc__say_remove(books, ticket, false);
    if (ticket->is_gone) {
        // Also after its deadline: R or the worker has said that the bid is off, so that it was not
        // published. Where nobody has said so, it leaves its proposal in doubt.
        sc__settle_gone(books, ticket, now);
    } else if (ticket->query.deadline < now) {
        sc__settle_failed(books, ticket, SC_FAILURE_IN_DOUBT, now);
    } else {
        // It is not kept waiting: the engine would only propose it again, and again in vain.
        sc__settle_dropped(books, ticket, SC_DROP_EXPIRED, now);
    }
}

void sc__call_off(sc__books *books, sc_proposal *proposal, bool worker_knows, sc_time now)
{
    const sc_bid *bid = proposal->bid;
    books->stats.refused++;
    sc__remember(books, bid, SC_FATE_DEAD);
    for (sc_ticket *next, *ticket = proposal->members; ticket; ticket = next) {
        next = ticket->next;
        reopen(books, ticket, now);
    }
    if (proposal->is_ours) {
        if (!worker_knows) {
            sc__say_of_bid(books, bid->worker, SC_WORD_DEAD, &bid->id, bid->room, bid->deadline);
        }
        sc__tell_dead(books, proposal);
    }
    sc__give_proposal(books, proposal);
}

void sc__fail_members(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_time now)
{
    const sc_bid *bid = proposal->bid;
    books->stats.refused++;
    sc__remember(books, bid, SC_FATE_DEAD);
    for (sc_ticket *next, *ticket = proposal->members; ticket; ticket = next) {
        next = ticket->next;
        sc__say_remove(books, ticket, false);
        sc__settle_failed(books, ticket, failure, now);
    }
    if (proposal->is_ours) {
        sc__say_of_bid(books, bid->worker, SC_WORD_DEAD, &bid->id, bid->room, bid->deadline);
    }
    sc__give_proposal(books, proposal);
}

void sc__leave_in_doubt(sc__books *books, sc_ticket *ticket, sc_time now)
{
    sc_proposal *proposal = ticket->proposal;
    sc_ticket **link = &proposal->members;
    while (*link != ticket) {
        link = &(*link)->next;
    }
    *link = ticket->next;
    sc__say_remove(books, ticket, false);
    sc__settle_failed(books, ticket, SC_FAILURE_IN_DOUBT, now);
    if (!proposal->members) sc__give_proposal(books, proposal);
}

// --- Bids that come in ---------------------------------------------------------------------

/** What the members say themselves of deadlines and gateways counts, not what is said of them.
 * False if it makes no sense. */
static bool look_at_members(const sc__books *books, sc_proposal *proposal)
{
    sc_bid *bid = proposal->bid;
    const sc_peer self = books->options.self;
    bool has_ours = false;
    bool has_releaser = false;
    bid->deadline = SC_TIME_NEVER;
    bid->last = INT64_MIN;
    for (size_t i = 0; i < bid->member_count; i++) {
        const sc_query *query = &bid->members[i].query;
        if (query->deadline < bid->deadline) bid->deadline = query->deadline;
        if (query->deadline > bid->last) bid->last = query->deadline;
        has_ours |= query->owner == self;
        has_releaser |= query->owner == bid->releaser;
        proposal->has_others |= query->owner != self;
    }
    const bool is_single = proposal->is_ours && !proposal->has_others;
    return bid->segment_count > 0 && has_ours && has_releaser && (is_single || !bid->is_single);
}

/** Take our members for this proposal; false if one of them is not open, or is named twice. */
static bool gather_members(sc__books *books, sc_proposal *proposal)
{
    sc_bid *bid = proposal->bid;
    for (size_t i = 0; i < bid->member_count; i++) {
        sc__by_id_expect(&books->tickets, &bid->members[i].query.id);
    }
    for (size_t i = 0; i < bid->member_count; i++) {
        const sc_query *query = &bid->members[i].query;
        if (query->owner != books->options.self) continue;
        sc_ticket *ticket = sc__by_id_find(&books->tickets, &query->id);
        if (!ticket || ticket->state != SC_TICKET_OPEN) return false;
        ticket->state = SC_TICKET_RESERVED;
        ticket->proposal = proposal;
        ticket->place = i;
        ticket->next = proposal->members;
        proposal->members = ticket;
        const sc_time deadline = ticket->query.deadline;
        if (deadline < bid->deadline) bid->deadline = deadline;
        if (deadline > bid->last) bid->last = deadline;
    }
    return true;
}

/** Not reserved: members that were gathered are as open as before, but who is late need not wait
 * for the engine to say so. It is not buried: nobody was told OK or that it is dead, so if it comes
 * again it may as well be looked at again; and those refused while fates have no room would take
 * what room there will be. */
static void refuse(sc__books *books, sc_proposal *proposal, sc_time now)
{
    books->stats.refused++;
    for (sc_ticket *next, *ticket = proposal->members; ticket; ticket = next) {
        next = ticket->next;
        let_go(ticket);
        if (now < sc__too_late_for(books, ticket->query.deadline)) continue;
        sc__say_remove(books, ticket, false);
        sc__settle_dropped(books, ticket, SC_DROP_EXPIRED, now);
    }
    sc__say_no(books, proposal->bid, false, now);
    sc__give_proposal(books, proposal);
}

/** There is no room for its fate. The engine is to forget our members, and hears of them later:
 * else it would propose them again at once, and again, as quickly as words travel. */
static void put_off(sc__books *books, sc_proposal *proposal, sc_time now)
{
    const sc_bid *bid = proposal->bid;
    const sc_time later = sc__later(now, books->options.patience_us);
    books->stats.refused++;
    for (size_t i = 0; i < bid->member_count; i++) {
        sc_ticket *ticket = sc__by_id_find(&books->tickets, &bid->members[i].query.id);
        if (!ticket || ticket->state != SC_TICKET_OPEN) continue;
        ticket->owes_add = true;
        sc__tell_at(books, ticket, later);
    }
    sc__say_no(books, bid, true, now);
    sc__give_proposal(books, proposal);
}

static bool has_segment(const sc_bid *bid, sc_seg_id segment)
{
    size_t from = 0;
    for (size_t to = bid->segment_count; from < to;) {
        const size_t middle = from + (to - from) / 2;
        if (bid->segments[middle] < segment) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < bid->segment_count && bid->segments[from] == segment;
}

/** What costs nothing to see: our members are on roads of the cloak, and it has as many as they
 * want. A worker with another map would be found out by that. */
static bool covers_ours(const sc_proposal *proposal)
{
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        const sc_query *query = &ticket->query;
        if (!has_segment(proposal->bid, query->segment)) return false;
        if (proposal->bid->segment_count < query->l) return false;
    }
    return true;
}

/** A quick look, and the paranoid one if that is wanted. */
static sc_err look_at_promises(sc__books *books, const sc_proposal *proposal, sc_time now)
{
    sc_err err = covers_ours(proposal) ? SC_OK : SC_EBROKEN;
    if (!err && books->examiner.verifier) err = examine(&books->examiner, proposal, now);
    if (err == SC_EBROKEN) books->stats.violations++;
    return err;
}

static bool has_room(const sc__books *books, const sc_bid *bid)
{
    return !is_remembered(books, bid) || sc__fates_has_room(books->fates);
}

void sc__take_bid(sc__books *books, sc_bid *bid, sc_time now)
{
    // Where no proposal is idle, each ticket is a member of one, and none is open.
    if (!books->idle_proposal && books->proposal_count == books->options.max_tickets) {
        books->stats.refused++;
        sc__say_no(books, bid, false, now);
        sc_bid_free(bid);
        return;
    }
    sc_proposal *proposal = take_proposal(books, bid);
    const bool makes_sense = look_at_members(books, proposal);
    if (makes_sense && !has_room(books, bid)) {
        put_off(books, proposal, now);
        return;
    }
    const bool is_fit = makes_sense && gather_members(books, proposal);
    proposal->too_late = sc__too_late_for(books, bid->deadline);
    if (!is_fit || now >= proposal->too_late) {
        refuse(books, proposal, now);
        return;
    }
    const sc_err err = look_at_promises(books, proposal, now);
    if (err == SC_EBROKEN) {
        refuse(books, proposal, now);
    } else if (err) {
        if (proposal->is_ours) {
            sc__tell_dead(books, proposal);
        } else {
            sc__say_no(books, bid, false, now);
        }
        sc__fail_members(books, proposal, SC_FAILURE_OVERLOADED, now);
    } else if (bid->is_single) {
        sc__remember(books, bid, SC_FATE_RESERVED);
        sc__schedule(books, proposal, now);
    } else {
        sc__remember(books, bid, SC_FATE_RESERVED);
        sc_deadlines_add(&books->patience, sc__later(now, books->options.patience_us), proposal,
                         &proposal->patience);
        sc__say_ok(books, proposal);
    }
}
