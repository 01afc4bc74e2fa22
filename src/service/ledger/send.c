// What the books say to engines and to other gateways. See books_internal.h.
//
// A word that cannot be said for want of memory is as one that was lost on the way: whoever waits
// for it loses patience.
#include "ledger/state_internal.h"

#include "base/alloc.h"

#include <string.h>

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
