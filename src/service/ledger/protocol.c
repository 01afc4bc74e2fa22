// The gateway's side of the commit protocol: the messages that the ledger sends to engines and
// other gateways, and what it does with those that it receives.
//
// Messages may be lost, doubled, late, or overtake each other; and there are messages that no
// correct process sends. Each is compared with what is known of its proposal, and what makes no
// sense is ignored. A message that cannot be sent because memory is out counts as lost on the way:
// the peer that waits for it times out.
#include "base/alloc.h"
#include "ledger/state_internal.h"

#include <string.h>

// --- Sending ------------------------------------------------------------------------------------

static void say(sc__books *books, sc_peer to, sc_word *word)
{
    word->from = books->options.self;
    sc_say(&books->options.voice, to, word);
}

// --- Of queries ----------------------------------------------------------------------------

static void say_of_query(sc__books *books, sc_word_kind kind, const sc_ticket *ticket,
                         uint32_t part)
{
    sc_word word = {.kind = kind};
    word.part = part;
    word.home = ticket->home;
    word.query = ticket->query;
    say(books, SC_PEER_NONE, &word);
    explicit_bzero(&word, sizeof word);
}

void sc__say_add(sc__books *books, const sc_ticket *ticket)
{
    say_of_query(books, SC_WORD_ADD, ticket, ticket->home);
}

/** The same to all parts in its reach but its home; returns how many. */
static size_t say_to_reach(sc__books *books, sc_word_kind kind, const sc_ticket *ticket)
{
    size_t count = 0;
    const uint16_t *parts =
        sc_partition_reach(books->walker, ticket->query.segment, ticket->query.max_hops, &count);
    for (size_t i = 1; i < count; i++) {
        say_of_query(books, kind, ticket, parts[i]);
    }
    return count > 0 ? count - 1 : 0;
}

size_t sc__say_company(sc__books *books, sc_ticket *ticket)
{
    ticket->is_spread = true;
    books->stats.company++;
    return say_to_reach(books, SC_WORD_COMPANY, ticket);
}

void sc__say_remove(sc__books *books, const sc_ticket *ticket, bool home_knows)
{
    // Whoever has the home of a query that is near a cut may have other parts in its reach as well,
    // and has then added it there too.
    if (home_knows && !ticket->is_near) return;
    say_of_query(books, SC_WORD_REMOVE, ticket, ticket->home);
    if (ticket->is_spread) say_to_reach(books, SC_WORD_REMOVE, ticket);
}

// --- Of bids, to the worker ----------------------------------------------------------------

void sc__say_of_bid(sc__books *books, sc_peer to, sc_word_kind kind, const sc_bid_id *id,
                    uint32_t room, sc_time deadline)
{
    sc_word word = {.kind = kind};
    word.id = *id;
    word.room = room;
    word.deadline = deadline;
    say(books, to, &word);
}

void sc__say_ok(sc__books *books, const sc_proposal *proposal)
{
    const sc_bid *bid = proposal->bid;
    size_t count = 0;
    sc_word word = {.kind = SC_WORD_OK};
    word.id = bid->id;
    word.room = bid->room;
    word.deadline = SC_TIME_NEVER;
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        if (ticket->query.deadline < word.deadline) word.deadline = ticket->query.deadline;
        count++;
    }
    if (!proposal->is_ours) {
        word.wishes = sc_calloc(count, sizeof *word.wishes);
        if (!word.wishes) return;
        for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
            word.wishes[word.count++] = (sc_wish){ticket->query.id, ticket->request};
        }
    }
    say(books, bid->worker, &word);
}

void sc__say_no(sc__books *books, const sc_bid *bid, bool names_all, sc_time now)
{
    sc_word word = {.kind = SC_WORD_NO};
    word.id = bid->id;
    word.room = bid->room;
    word.gone = sc_calloc(bid->member_count + 1, sizeof *word.gone);
    for (size_t i = 0; word.gone && i < bid->member_count; i++) {
        const sc_query *query = &bid->members[i].query;
        // Another gateway's member that is too late by our clock is named as well: the engine would
        // only propose it again, and again in vain, until it is too late by all clocks.
        bool is_gone = now >= sc__too_late_for(books, query->deadline);
        if (query->owner == books->options.self) {
            const sc_ticket *ticket = sc__by_id_find(&books->tickets, &query->id);
            is_gone = names_all || !ticket || ticket->state != SC_TICKET_OPEN;
        }
        if (is_gone) word.gone[word.count++] = query->id;
    }
    say(books, bid->worker, &word);
}

// --- Of bids, to other gateways ------------------------------------------------------------

/** The next other gateway with members in the bid, each once, from member `*from` on; SC_PEER_NONE
 * if there is none. */
static sc_peer next_gateway(const sc__books *books, const sc_bid *bid, size_t *from)
{
    for (size_t i = *from; i < bid->member_count; i++) {
        const sc_peer owner = bid->members[i].query.owner;
        bool is_new = owner != books->options.self && owner != SC_PEER_NONE;
        for (size_t j = 0; is_new && j < i; j++) {
            is_new = bid->members[j].query.owner != owner;
        }
        *from = i + 1;
        if (is_new) return owner;
    }
    return SC_PEER_NONE;
}

void sc__say_published(sc__books *books, sc_peer to, const sc_proposal *proposal)
{
    // All members tell the same; who asks when all of them have their answer is told less.
    const sc_ticket *member = proposal->members;
    sc_word word = {.kind = SC_WORD_PUBLISHED};
    word.id = proposal->id;
    word.room = proposal->bid->room;
    word.number = member->cloak;
    word.users = member->users;
    word.deadline = member->published;
    say(books, to, &word);
}

void sc__tell_dead(sc__books *books, const sc_proposal *proposal)
{
    const sc_bid *bid = proposal->bid;
    size_t from = 0;
    if (!proposal->has_others) return;
    for (sc_peer to; (to = next_gateway(books, bid, &from)) != SC_PEER_NONE;) {
        sc__say_of_bid(books, to, SC_WORD_DEAD, &bid->id, 0, bid->deadline);
    }
}

void sc__tell_published(sc__books *books, const sc_proposal *proposal)
{
    size_t from = 0;
    if (!proposal->has_others) return;
    for (sc_peer to; (to = next_gateway(books, proposal->bid, &from)) != SC_PEER_NONE;) {
        sc__say_published(books, to, proposal);
    }
}

void sc__tell_result(sc__books *books, const sc_proposal *proposal, sc_failure failure,
                     sc_result *result)
{
    if (!proposal->has_others) {
        sc_result_free(result);
        return;
    }
    sc_word word = {.kind = SC_WORD_RESULT};
    word.id = proposal->id;
    word.number = proposal->members->cloak;
    word.users = proposal->members->users;
    // What went well, but cannot be told for want of memory, has failed for the others.
    word.result = result
                      ? result
                      : sc_result_new(failure ? failure : SC_FAILURE_OVERLOADED, NULL, 0, NULL, 0);
    size_t from = 0;
    for (sc_peer to; (to = next_gateway(books, proposal->bid, &from)) != SC_PEER_NONE;) {
        sc_word copy;
        if (word.result && sc_word_clone(&word, &copy)) say(books, to, &copy);
    }
    sc_word_fini(&word);
}

// --- Receiving ----------------------------------------------------------------------------------

static sc_proposal *find(const sc__books *books, const sc_bid_id *id)
{
    return sc__by_id_find(&books->bids, id);
}

/** What is known of a bid: of one that is in the books, they know it longer. */
static sc_fate fate_of(const sc__books *books, const sc_bid_id *id)
{
    const sc_proposal *proposal = find(books, id);
    if (!proposal) return sc__fates_of(books->fates, id);
    return proposal->state < SC_PROPOSAL_PUBLISHED ? SC_FATE_RESERVED : SC_FATE_PUBLISHED;
}

static bool is_member(const sc_bid *bid, sc_peer gateway)
{
    for (size_t i = 0; i < bid->member_count; i++) {
        if (bid->members[i].query.owner == gateway) return true;
    }
    return false;
}

// --- Of queries ----------------------------------------------------------------------------

static void hear_of_query(sc__books *books, const sc_word *word, sc_time now)
{
    // Of one that is reserved the proposal decides.
    sc_ticket *ticket = sc__by_id_find(&books->tickets, &word->query.id);
    if (!ticket || ticket->state != SC_TICKET_OPEN) return;
    sc__say_remove(books, ticket, true);
    if (word->kind == SC_WORD_DROPPED && (unsigned)word->reason < SC_DROP_REASON_COUNT) {
        sc__settle_dropped(books, ticket, word->reason, now);
    } else {
        sc__settle_failed(books, ticket, SC_FAILURE_OVERLOADED, now);
    }
}

// --- What a worker says of its bid ---------------------------------------------------------

/** What is said again of a bid that has left. */
static void say_published_again(sc__books *books, sc_peer to, const sc_bid_id *id, uint32_t room,
                                sc_time now)
{
    const sc_proposal *proposal = find(books, id);
    if (proposal) {
        sc__say_published(books, to, proposal);
    } else {
        sc__say_of_bid(books, to, SC_WORD_PUBLISHED, id, room, now);
    }
}

/** The worker says it again: perhaps our word was lost. */
static void hear_reserve_again(sc__books *books, const sc_bid *bid, sc_fate fate, sc_time now)
{
    const sc_proposal *proposal = find(books, &bid->id);
    if (fate == SC_FATE_DEAD) {
        sc__say_of_bid(books, bid->worker, SC_WORD_NO, &bid->id, bid->room, 0);
    } else if (fate == SC_FATE_PUBLISHED && bid->releaser == books->options.self) {
        say_published_again(books, bid->worker, &bid->id, bid->room, now);
    } else if (proposal && proposal->state == SC_PROPOSAL_RESERVED) {
        sc__say_ok(books, proposal);
    }
}

static void hear_reserve(sc__books *books, sc_word *word, sc_time now)
{
    sc_bid *bid = word->bid;
    if (!bid) return;
    const sc_fate fate = fate_of(books, &bid->id);
    if (fate != SC_FATE_UNKNOWN) {
        hear_reserve_again(books, bid, fate, now);
        return;
    }
    word->bid = NULL;
    books->stats.bids++;
    sc__take_bid(books, bid, now);
}

static bool is_wish_of(const sc_wish *wish, const sc_query_id *id)
{
    return __builtin_memcmp(wish->query.bytes, id->bytes, sizeof id->bytes) == 0;
}

/** Bring what the members of other gateways ask for into the order of the bid; false if there is
 * one of whom nothing is said. */
static bool arrange_wishes(const sc__books *books, const sc_bid *bid, sc_word *release)
{
    size_t arranged = 0;
    for (size_t i = 0; i < bid->member_count; i++) {
        const sc_query *query = &bid->members[i].query;
        if (query->owner == books->options.self) continue;
        size_t at = arranged;
        while (at < release->count && !is_wish_of(&release->wishes[at], &query->id)) {
            at++;
        }
        if (at == release->count) return false;
        const sc_wish wish = release->wishes[at];
        release->wishes[at] = release->wishes[arranged];
        release->wishes[arranged++] = wish;
    }
    return true;
}

static void hear_release(sc__books *books, sc_word *word, sc_time now)
{
    sc_proposal *proposal = find(books, &word->id);
    if (!proposal || !proposal->is_ours || proposal->state != SC_PROPOSAL_RESERVED ||
        word->from != proposal->bid->worker) {
        return;
    }
    // The other gateways know their members' deadlines better than the worker.
    sc_bid *bid = proposal->bid;
    if (word->deadline < bid->deadline) bid->deadline = word->deadline;
    proposal->too_late = sc__too_late_for(books, bid->deadline);
    if (now >= proposal->too_late || !arrange_wishes(books, bid, word)) {
        sc__call_off(books, proposal, false, now);
        return;
    }
    proposal->wishes = word->wishes;
    proposal->wish_count = word->count;
    word->wishes = NULL;
    word->count = 0;
    sc__schedule(books, proposal, now);
}

// --- What both say -------------------------------------------------------------------------

static void hear_abort(sc__books *books, const sc_word *word, sc_time now)
{
    sc_proposal *proposal = find(books, &word->id);
    if (!proposal) {
        // It has overtaken the bid. What has its fate keeps it. Without room for one the bid will
        // be reserved until patience is over: whoever aborts does not release.
        if (fate_of(books, &word->id) == SC_FATE_UNKNOWN) {
            (void)sc__bury_unknown(books, &word->id, word->deadline, now);
        }
        return;
    }
    const bool is_worker = word->from == proposal->bid->worker;
    const bool may_abort = is_worker || (proposal->is_ours && is_member(proposal->bid, word->from));
    if (!may_abort || proposal->state >= SC_PROPOSAL_PUBLISHED) return;
    books->stats.aborted += is_worker;
    sc__call_off(books, proposal, is_worker, now);
}

static void hear_ask(sc__books *books, const sc_word *word, sc_time now)
{
    // Our own engines hear everything, and in order: it is on the way, or not decided.
    if (sc__is_inside(books, word->from)) return;
    switch (fate_of(books, &word->id)) {
    case SC_FATE_UNKNOWN:
    case SC_FATE_DEAD:
        // Without room to remember it nothing is said, and who asks stays as he is.
        if (!sc__bury_unknown(books, &word->id, word->deadline, now)) break;
        sc__say_of_bid(books, word->from, SC_WORD_DEAD, &word->id, word->room, word->deadline);
        break;
    case SC_FATE_PUBLISHED:
        say_published_again(books, word->from, &word->id, word->room, now);
        break;
    case SC_FATE_RESERVED:
        break;  // not decided: who asks stays as he is
    }
}

// --- What R says ---------------------------------------------------------------------------

/** The proposal that R, and nobody else, may speak of; or NULL. */
static sc_proposal *decided_elsewhere(const sc__books *books, const sc_word *word)
{
    sc_proposal *proposal = find(books, &word->id);
    const bool is_theirs = proposal && !proposal->is_ours && word->from == proposal->bid->releaser;
    return is_theirs ? proposal : NULL;
}

static void publish_elsewhere(sc__books *books, sc_proposal *proposal, const sc_word *word,
                              sc_time left, sc_time now)
{
    // It has left in time by R's clock, which is not ours.
    const sc_bid *bid = proposal->bid;
    books->stats.cloaks_elsewhere++;
    sc__mark_published(books, proposal, word->number, word->users,
                       left < bid->deadline ? left : bid->deadline);
    sc_deadlines_add(&books->patience, sc__later(now, books->options.give_up_us), proposal,
                     &proposal->patience);
}

static void hear_published(sc__books *books, const sc_word *word, sc_time now)
{
    sc_proposal *proposal = decided_elsewhere(books, word);
    if (!proposal || proposal->state != SC_PROPOSAL_RESERVED) return;
    publish_elsewhere(books, proposal, word, word->deadline, now);
}

static void hear_result(sc__books *books, sc_word *word, sc_time now)
{
    sc_proposal *proposal = decided_elsewhere(books, word);
    if (!proposal || !word->result || proposal->state == SC_PROPOSAL_ARRIVED) return;
    if (proposal->state == SC_PROPOSAL_RESERVED) {
        publish_elsewhere(books, proposal, word, now, now);
    }
    // Who had to ask was told that it is published, and perhaps no more: R had its answers already.
    for (sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        ticket->cloak = word->number;
        ticket->users = word->users;
    }
    if (word->result->failure) {
        sc__fail_published(books, proposal, word->result->failure, now);
        return;
    }
    sc__unschedule(books, proposal);
    proposal->result = word->result;
    word->result = NULL;
    proposal->state = SC_PROPOSAL_ARRIVED;
    proposal->place = books->arrived_count;
    books->arrived[books->arrived_count++] = proposal;
}

static void hear_dead(sc__books *books, const sc_word *word, sc_time now)
{
    sc_proposal *proposal = decided_elsewhere(books, word);
    if (!proposal || proposal->state != SC_PROPOSAL_RESERVED) return;
    sc__call_off(books, proposal, true, now);
}

void sc__books_hear(sc__books *books, sc_word *word, sc_time now)
{
    switch (word->kind) {
    case SC_WORD_RESERVE:
        hear_reserve(books, word, now);
        break;
    case SC_WORD_RELEASE:
        hear_release(books, word, now);
        break;
    case SC_WORD_ABORT:
        hear_abort(books, word, now);
        break;
    case SC_WORD_ASK:
        hear_ask(books, word, now);
        break;
    case SC_WORD_PUBLISHED:
        hear_published(books, word, now);
        break;
    case SC_WORD_RESULT:
        hear_result(books, word, now);
        break;
    case SC_WORD_DEAD:
        hear_dead(books, word, now);
        break;
    case SC_WORD_DROPPED:
    case SC_WORD_NOT_TAKEN:
        hear_of_query(books, word, now);
        break;
    default:
        break;  // no word for a gateway
    }
    sc_word_fini(word);
}
