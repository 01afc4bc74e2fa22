// The release of a cloak: when it leaves, in which order, what is sent, and what comes back.
//
//  1. A reservation whose members are all reserved gets a random moment within `jitter`, before the
//     least deadline of its members. So the moment of release does not tell which query completed
//     the cloak.
//  2. Cloaks whose moment has come leave in random order; one that can no longer leave in time is
//     called off.
//  3. A relay is made: the segments of the cloak and the requests of its members (P7). It goes to
//     the courier as an errand, with the positions of our own members beside it.
//  4. The answers settle the tickets; with members of other gateways the relay and the reply go to
//     these gateways, too.
//
// The settings are `jitter` and `guard` (settings_list.h in api/, sc_ledger_options here).
#include "ledger/release.h"

#include <starcloak/answer.h>
#include <starcloak/relay_codec.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "ledger/state_internal.h"

#include <string.h>

// --- The moment of release, and what the ledger state keeps of it -------------------------------

void sc__schedule(sc__books *books, sc_proposal *proposal, sc_time now)
{
    sc__unschedule(books, proposal);
    // A quarter of the time that is left is kept for a thread that comes late.
    const sc_time left = proposal->too_late - 1 - now;
    const sc_time most = left - left / 4;
    const sc_time span = books->options.jitter_us < most ? books->options.jitter_us : most;
    const sc_time wait = sc_rng_below(books->rng, (uint32_t)span + 1);
    proposal->state = SC_PROPOSAL_SCHEDULED;
    sc_deadlines_add(&books->releases, now + wait, proposal, &proposal->place);
}

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

// The publisher: from a reservation to an errand, and back

void sc__publisher_fini(sc__publisher *publisher)
{
    sc_free(publisher->requests);
    sc_free(publisher->which);
    sc_free(publisher->users);
    *publisher = (sc__publisher){0};
}

// --- Errands -------------------------------------------------------------------------------

/** An errand, what it was made from, and its seats: one block. */
typedef struct parcel {
    sc_errand errand;
    sc_result *result;  ///< of another gateway, whose bytes the errand was given; owned
    sc_seat seats[];
} parcel;

/** An errand with a seat for each member of ours; NULL if memory is out. */
static parcel *make_parcel(const sc__publisher *publisher, sc_proposal *proposal, sc_relay *relay,
                           sc_time now)
{
    size_t count = 0;
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        count++;
    }
    parcel *made = sc_malloc(sizeof *made + count * sizeof(sc_seat));
    if (!made) return NULL;
    const sc_time deadline = now + publisher->provider_deadline_us;
    *made = (parcel){.errand = {
                         .relay = relay,
                         .seats = made->seats,
                         .seat_count = count,
                         .leave_by_us = deadline,
                         .deadline_us = deadline,
                         .context = proposal,
                     }};
    sc_seat *seat = made->seats;
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        *seat++ = (sc_seat){.edge = ticket->edge, .offset_m = ticket->offset_m};
    }
    return made;
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
    sc_bytes_fini(&errand->reply);
    sc_result_free(((parcel *)errand)->result);
    sc_free(errand);
}

/** False if there is no place for it: it is freed. */
static bool send(const sc__publisher *publisher, parcel *made)
{
    if (publisher->send(publisher->send_context, &made->errand) == SC_OK) return true;
    sc__errand_free(&made->errand);
    return false;
}

// --- To the provider -----------------------------------------------------------------------

static bool make_room(sc__publisher *publisher, size_t count)
{
    return sc_reserve(&publisher->requests, count, &publisher->request_capacity,
                      sizeof *publisher->requests) &&
           sc_reserve(&publisher->which, count, &publisher->which_capacity,
                      sizeof *publisher->which) &&
           sc_reserve(&publisher->users, count, &publisher->user_capacity,
                      sizeof *publisher->users);
}

/** What each member asks for, and who it is. Wishes are of the others, in the order of the bid. */
static void collect(sc__publisher *publisher, const sc_proposal *proposal)
{
    const sc_bid *bid = proposal->bid;
    const sc_wish *wish = proposal->wishes;
    for (size_t i = 0; i < bid->member_count; i++) {
        publisher->users[i] = bid->members[i].query.user;
        if (bid->members[i].query.owner != bid->releaser) publisher->requests[i] = wish++->request;
    }
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        publisher->requests[ticket->place] = ticket->request;
        publisher->users[ticket->place] = ticket->query.user;
    }
}

static sc_err make_relay(sc__publisher *publisher, const sc_proposal *proposal, sc_relay **out)
{
    const sc_bid *bid = proposal->bid;
    if (!make_room(publisher, bid->member_count)) return SC_ENOMEM;
    collect(publisher, proposal);
    return sc_relay_new(publisher->map,
                        &(sc_relay_content){.segments = bid->segments,
                                            .segment_count = bid->segment_count,
                                            .border_nodes = bid->border_nodes,
                                            .border_node_count = bid->border_node_count,
                                            .requests = publisher->requests,
                                            .member_count = bid->member_count},
                        publisher->rng, publisher->which, out);
}

/** Who the members are and what they ask for; of a list that could not grow, as much as it has. */
static void wipe(sc__publisher *publisher, size_t count)
{
    const size_t users = count < publisher->user_capacity ? count : publisher->user_capacity;
    const size_t requests =
        count < publisher->request_capacity ? count : publisher->request_capacity;
    if (users > 0) explicit_bzero(publisher->users, users * sizeof *publisher->users);
    if (requests > 0) explicit_bzero(publisher->requests, requests * sizeof *publisher->requests);
}

static sc_failure publish(sc__publisher *publisher, sc_proposal *proposal, sc_time now,
                          sc__departure *out)
{
    const sc_bid *bid = proposal->bid;
    sc_relay *relay = NULL;
    if (make_relay(publisher, proposal, &relay) != SC_OK) return SC_FAILURE_OVERLOADED;
    parcel *made = make_parcel(publisher, proposal, relay, now);
    if (!made) {
        sc_relay_free(relay);
        return SC_FAILURE_OVERLOADED;
    }
    const uint64_t number = sc_rng_next(publisher->rng);
    made->errand.number = number;
    // No first word of the cloak may be said after the least deadline (P5), by any gateway's clock.
    made->errand.leave_by_us = proposal->has_others ? proposal->too_late : bid->deadline;
    made->errand.wants_reply = proposal->has_others;
    sc_seat *seat = made->seats;
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        seat++->request = publisher->which[ticket->place];
    }
    if (!send(publisher, made)) return SC_FAILURE_OVERLOADED;
    *out = (sc__departure){
        .relay = relay,
        .number = number,
        .users = (uint32_t)sc_sort_count_different(publisher->users, bid->member_count),
    };
    return SC_FAILURE_NONE;
}

sc_failure sc__publish(sc__publisher *publisher, sc_proposal *proposal, sc_time now,
                       sc__departure *out)
{
    const sc_failure failure = publish(publisher, proposal, now, out);
    wipe(publisher, proposal->bid->member_count);
    return failure;
}

// --- Between gateways ----------------------------------------------------------------------

sc_result *sc__errand_result(const sc__publisher *publisher, const sc_errand *errand)
{
    if (errand->failure || !errand->wants_reply) return NULL;
    sc_bytes relay = {0};
    sc_result *result = NULL;
    const sc_err err = sc_relay_encode(&(sc_codec){.map = publisher->map,
                                                   .vocabulary = publisher->vocabulary,
                                                   .encoding = SC_ENCODING_COMPACT},
                                       errand->relay, &relay, NULL);
    if (!err) {
        result = sc_result_new(SC_FAILURE_NONE, relay.data, relay.size, errand->reply.data,
                               errand->reply.size);
    }
    sc_bytes_fini(&relay);
    return result;
}

/** The relay that R has sent: of this cloak, or it is not believed. */
static sc_failure read_relay(const sc__publisher *publisher, const sc_proposal *proposal,
                             sc_relay **out)
{
    const sc_bid *bid = proposal->bid;
    const sc_result *result = proposal->result;
    sc_codec_limits limits = sc_codec_limits_default();
    limits.max_segments = bid->segment_count;
    limits.max_requests = bid->member_count;
    sc_relay *relay = NULL;
    const sc_err err = sc_relay_decode(&(sc_codec){.map = publisher->map,
                                                   .vocabulary = publisher->vocabulary,
                                                   .encoding = SC_ENCODING_COMPACT,
                                                   .limits = &limits},
                                       result->relay, result->relay_size, &relay, NULL);
    if (err == SC_ENOMEM) return SC_FAILURE_OVERLOADED;
    if (err) return SC_FAILURE_UNBELIEVABLE;
    const bool is_same =
        relay->segment_count == bid->segment_count &&
        memcmp(relay->segments, bid->segments, bid->segment_count * sizeof *bid->segments) == 0;
    if (!is_same) {
        sc_relay_free(relay);
        return SC_FAILURE_UNBELIEVABLE;
    }
    *out = relay;
    return SC_FAILURE_NONE;
}

/** Let each of our members find its request; false if there is one that R did not ask for. */
static bool take_seats(const sc_proposal *proposal, const sc_relay *relay, sc_seat *seat)
{
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next, seat++) {
        uint32_t place = 0;
        while (place < relay->request_count &&
               !sc_request_equal(&relay->requests[place], &ticket->request)) {
            place++;
        }
        if (place == relay->request_count) return false;
        seat->request = place;
    }
    return true;
}

sc_failure sc__digest(sc__publisher *publisher, sc_proposal *proposal, sc_time now)
{
    sc_relay *relay = NULL;
    const sc_failure failure = read_relay(publisher, proposal, &relay);
    if (failure) return failure;
    parcel *made = make_parcel(publisher, proposal, relay, now);
    if (!made) {
        sc_relay_free(relay);
        return SC_FAILURE_OVERLOADED;
    }
    if (!take_seats(proposal, relay, made->seats)) {
        sc__errand_free(&made->errand);
        return SC_FAILURE_UNBELIEVABLE;
    }
    const sc_result *result = proposal->result;
    made->errand.number = proposal->members->cloak;
    if (result->reply_size > 0) {
        made->errand.given = result->reply;
        made->errand.given_size = result->reply_size;
    }
    // The clerk may still read when the books are closed.
    made->result = proposal->result;
    proposal->result = NULL;
    return send(publisher, made) ? SC_FAILURE_NONE : SC_FAILURE_OVERLOADED;
}
