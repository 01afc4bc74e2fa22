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

// --- The moment of release, and what the ledger state keeps of it ---------------------------

void sc__ledger_schedule_release(sc__ledger_state *state, sc_reservation *reservation, sc_time now)
{
    sc__ledger_unschedule(state, reservation);
    // A quarter of the time that is left is kept for a thread that comes late.
    const sc_time left = reservation->too_late - 1 - now;
    const sc_time most = left - left / 4;
    const sc_time span = state->options.jitter_us < most ? state->options.jitter_us : most;
    const sc_time wait = sc_rng_below(state->rng, (uint32_t)span + 1);
    reservation->state = SC_RESERVATION_SCHEDULED;
    sc_deadlines_add(&state->releases, now + wait, reservation, &reservation->place);
}

static void collect_due(sc__ledger_state *state, sc_time now)
{
    for (sc_reservation *reservation; (reservation = sc_deadlines_due(&state->releases, now));) {
        sc_deadlines_cancel(&state->releases, &reservation->place);
        reservation->state = SC_RESERVATION_DUE;
        reservation->place = state->due_count;
        state->due[state->due_count++] = reservation;
    }
}

sc_reservation *sc__ledger_state_take_due(sc__ledger_state *state, sc_time now)
{
    collect_due(state, now);
    while (state->due_count > 0) {
        // Any one: which of them was completed first must not show.
        sc_reservation *reservation =
            state->due[sc_rng_below(state->rng, (uint32_t)state->due_count)];
        sc__ledger_unschedule(state, reservation);
        if (now < reservation->too_late) return reservation;
        sc__ledger_call_off(state, reservation, false, now);
    }
    return NULL;
}

void sc__ledger_mark_published(sc__ledger_state *state, sc_reservation *reservation,
                               uint64_t number, uint32_t users, sc_time left)
{
    const sc_proposal *proposal = reservation->proposal;
    sc__ledger_unschedule(state, reservation);
    reservation->state = SC_RESERVATION_PUBLISHED;
    sc__ledger_remember(state, proposal, SC_PROPOSAL_OUTCOME_PUBLISHED);
    for (sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        sc_deadlines_cancel(&state->deadlines, &ticket->moment);
        if (ticket->resend != SC_NO_DEADLINE) sc_deadlines_cancel(&state->resends, &ticket->resend);
        ticket->state = SC_TICKET_PUBLISHED;
        ticket->published = left;
        ticket->cloak = number;
        ticket->users = users;
        ticket->segments = (uint32_t)proposal->segment_count;
        if (ticket->is_gone) state->stats.gone_published++;
        if (ticket->is_watched && state->options.watched) {
            state->options.watched(state->options.watched_context, ticket);
        }
        sc__ledger_keep_last_cloak(state, ticket);
        // The engine that found the cloak gets `published` instead.
        sc__ledger_send_remove(state, ticket, ticket->home == proposal->part);
    }
}

void sc__ledger_state_published(sc__ledger_state *state, sc_reservation *reservation,
                                uint64_t number, uint32_t users, sc_time now)
{
    state->stats.cloaks++;
    sc__ledger_mark_published(state, reservation, number, users, now);
    sc__ledger_send_published(state, reservation->proposal->worker, reservation);
    sc__ledger_send_published_to_gateways(state, reservation);
}

void sc__ledger_state_unsent(sc__ledger_state *state, sc_reservation *reservation,
                             sc_failure failure, sc_time now)
{
    // The other gateways are told that it failed before our own members, which have its number, are
    // gone. If that message is lost they ask, and get `dead`.
    sc__ledger_send_result_to_gateways(state, reservation, failure, NULL);
    sc__ledger_fail_members(state, reservation, failure, now);
}

// --- Elsewhere ------------------------------------------------------------------------------

sc_reservation *sc__ledger_state_take_arrived(sc__ledger_state *state)
{
    if (state->arrived_count == 0) return NULL;
    sc_reservation *reservation = state->arrived[state->arrived_count - 1];
    sc__ledger_unschedule(state, reservation);
    return reservation;
}

void sc__ledger_fail_published(sc__ledger_state *state, sc_reservation *reservation,
                               sc_failure failure, sc_time now)
{
    for (sc_ticket *next, *ticket = reservation->members; ticket; ticket = next) {
        next = ticket->next;
        sc__ledger_settle_failed(state, ticket, failure, now);
    }
    sc__ledger_forget_reservation(state, reservation);
}

// --- Both -----------------------------------------------------------------------------------

void sc__ledger_state_answered(sc__ledger_state *state, sc_reservation *reservation,
                               sc_failure failure, sc_answer_place *places, sc_result *result,
                               sc_time now)
{
    if (reservation->is_ours) {
        sc__ledger_send_result_to_gateways(state, reservation, failure, result);
    } else {
        sc_result_free(result);
    }
    if (failure) {
        sc__ledger_fail_published(state, reservation, failure, now);
        return;
    }
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        sc__id_table_prefetch(&state->tickets, &ticket->query.id);
    }
    sc_answer_place *place = places;
    for (sc_ticket *next, *ticket = reservation->members; ticket; ticket = next) {
        next = ticket->next;
        if (ticket->is_rare) {
            sc__ledger_settle_dropped(state, ticket, SC_DROP_RARE_REQUEST, now);
            continue;
        }
        sc__ledger_settle_answered(state, ticket, place->answer, now);
        place++->answer = NULL;
    }
    sc__ledger_forget_reservation(state, reservation);
}

// The publisher: from a reservation to an errand, and back

void sc__publisher_fini(sc__publisher *publisher)
{
    sc_free(publisher->requests);
    sc_free(publisher->which);
    sc_free(publisher->users);
    sc_free(publisher->is_rare);
    sc__rare_requests_free(publisher->rare);
    *publisher = (sc__publisher){0};
}

// --- Errands --------------------------------------------------------------------------------

/** An errand, what it was made from, and its places: one block. */
typedef struct ledger_errand {
    sc_errand errand;
    sc_result *result;  ///< of another gateway, whose bytes the errand was given; owned
    sc_answer_place places[];
} ledger_errand;

/** An errand with a place for each member of ours whose request is sent; NULL if memory is out. */
static ledger_errand *make_errand(const sc__publisher *publisher, sc_reservation *reservation,
                                  sc_relay *relay, sc_time now)
{
    size_t count = 0;
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        count += !ticket->is_rare;
    }
    ledger_errand *made = sc_malloc(sizeof *made + count * sizeof(sc_answer_place));
    if (!made) return NULL;
    const sc_time deadline = now + publisher->provider_deadline_us;
    *made = (ledger_errand){.errand = {
                                .relay = relay,
                                .places = made->places,
                                .place_count = count,
                                .leave_by_us = deadline,
                                .deadline_us = deadline,
                                .context = reservation,
                            }};
    sc_answer_place *place = made->places;
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        if (!ticket->is_rare) *place++ = (sc_answer_place){.at = ticket->at};
    }
    return made;
}

sc_reservation *sc__errand_reservation(const sc_errand *errand)
{
    return errand->context;
}

void sc__errand_free(sc_errand *errand)
{
    if (!errand) return;
    for (size_t i = 0; i < errand->place_count; i++) {
        sc_answer_free(errand->places[i].answer);
    }
    explicit_bzero(errand->places, errand->place_count * sizeof *errand->places);
    sc_relay_free(errand->relay);
    sc_bytes_fini(&errand->reply);
    sc_result_free(((ledger_errand *)errand)->result);
    sc_free(errand);
}

/** False if there is no place for it: it is freed. */
static bool send(const sc__publisher *publisher, ledger_errand *made)
{
    if (publisher->send(publisher->send_context, &made->errand) == SC_OK) return true;
    sc__errand_free(&made->errand);
    return false;
}

// --- To the provider ------------------------------------------------------------------------

static bool make_room(sc__publisher *publisher, size_t count)
{
    return sc_reserve(&publisher->requests, count, &publisher->request_capacity,
                      sizeof *publisher->requests) &&
           sc_reserve(&publisher->which, count, &publisher->which_capacity,
                      sizeof *publisher->which) &&
           sc_reserve(&publisher->users, 2 * count, &publisher->user_capacity,
                      sizeof *publisher->users) &&
           sc_reserve(&publisher->is_rare, count, &publisher->is_rare_capacity,
                      sizeof *publisher->is_rare);
}

/** What each member asks for, and who it is. Wishes are of the others, in the order of the
 * proposal. */
static void collect(sc__publisher *publisher, const sc_reservation *reservation)
{
    const sc_proposal *proposal = reservation->proposal;
    const sc_wish *wish = reservation->wishes;
    for (size_t i = 0; i < proposal->member_count; i++) {
        publisher->users[i] = proposal->members[i].query.user;
        if (proposal->members[i].query.owner != proposal->releaser)
            publisher->requests[i] = wish++->request;
    }
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        publisher->requests[ticket->place] = ticket->request;
        publisher->users[ticket->place] = ticket->query.user;
    }
}

/** How many different users there are. Counting sorts, and the list itself stays in the order of
 * the members: so it is done in a copy behind it. */
static uint32_t count_users(sc__publisher *publisher, size_t count)
{
    uint64_t *copy = publisher->users + count;
    memcpy(copy, publisher->users, count * sizeof *copy);
    return (uint32_t)sc_sort_count_different(copy, count);
}

/** What is known of a cloak to those who look for rare requests. */
static sc__rare_cloak rare_cloak(const sc__publisher *publisher, const sc_proposal *proposal,
                                 size_t member_count)
{
    return (sc__rare_cloak){.segments = proposal->segments,
                            .segment_count = proposal->segment_count,
                            .users = publisher->users,
                            .requests = publisher->requests,
                            .member_count = member_count};
}

/**
 * Leave rare requests out: a member that makes one is in the cloak as before, with its road, and
 * counts for the k of others; but instead of its request there is that of another, so that the
 * relay does not have it.
 *
 * @return false if all are rare
 */
static bool leave_out_rare(sc__publisher *publisher, const sc_reservation *reservation, sc_time now)
{
    const sc_proposal *proposal = reservation->proposal;
    const size_t count = proposal->member_count;
    memset(publisher->is_rare, 0, count * sizeof *publisher->is_rare);
    if (!publisher->rare) return true;
    const sc__rare_cloak cloak = rare_cloak(publisher, proposal, count);
    const size_t rare = sc__rare_requests_judge(publisher->rare, &cloak, now, publisher->is_rare);
    if (rare == 0) return true;
    size_t other = 0;
    while (other < count && publisher->is_rare[other]) {
        other++;
    }
    if (other == count) return false;
    for (size_t i = 0; i < count; i++) {
        if (publisher->is_rare[i]) publisher->requests[i] = publisher->requests[other];
    }
    for (sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        ticket->is_rare = publisher->is_rare[ticket->place];
    }
    return true;
}

static sc_err make_relay(sc__publisher *publisher, const sc_reservation *reservation,
                         sc_relay **out)
{
    const sc_proposal *proposal = reservation->proposal;
    return sc_relay_new(publisher->map,
                        &(sc_relay_content){.segments = proposal->segments,
                                            .segment_count = proposal->segment_count,
                                            .border_nodes = proposal->border_nodes,
                                            .border_node_count = proposal->border_node_count,
                                            .requests = publisher->requests,
                                            .member_count = proposal->member_count},
                        publisher->rng, publisher->which, out);
}

/** Who the members are and what they ask for; of a list that could not grow, as much as it has. */
static void wipe(sc__publisher *publisher, size_t count)
{
    const size_t users =
        2 * count < publisher->user_capacity ? 2 * count : publisher->user_capacity;
    const size_t requests =
        count < publisher->request_capacity ? count : publisher->request_capacity;
    if (users > 0) explicit_bzero(publisher->users, users * sizeof *publisher->users);
    if (requests > 0) explicit_bzero(publisher->requests, requests * sizeof *publisher->requests);
}

static sc_failure publish(sc__publisher *publisher, sc_reservation *reservation, sc_time now,
                          sc__departure *out)
{
    const sc_proposal *proposal = reservation->proposal;
    sc_relay *relay = NULL;
    *out = (sc__departure){0};
    if (!make_room(publisher, proposal->member_count)) return SC_FAILURE_OVERLOADED;
    collect(publisher, reservation);
    if (!leave_out_rare(publisher, reservation, now)) return SC_FAILURE_NONE;
    if (make_relay(publisher, reservation, &relay) != SC_OK) return SC_FAILURE_OVERLOADED;
    ledger_errand *made = make_errand(publisher, reservation, relay, now);
    if (!made) {
        sc_relay_free(relay);
        return SC_FAILURE_OVERLOADED;
    }
    const uint64_t number = sc_rng_next(publisher->rng);
    const uint32_t users = count_users(publisher, proposal->member_count);
    made->errand.number = number;
    made->errand.users = users;
    // No first byte of the cloak may be sent after the least deadline (P5), by any gateway's
    // clock.
    made->errand.leave_by_us = reservation->has_others ? reservation->too_late : proposal->deadline;
    made->errand.wants_reply = reservation->has_others;
    sc_answer_place *place = made->places;
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        if (!ticket->is_rare) place++->request = publisher->which[ticket->place];
    }
    if (!send(publisher, made)) return SC_FAILURE_OVERLOADED;
    if (publisher->rare) {
        const sc__rare_cloak cloak = rare_cloak(publisher, proposal, proposal->member_count);
        sc__rare_requests_left(publisher->rare, &cloak, publisher->is_rare, now);
    }
    *out = (sc__departure){.relay = relay, .number = number, .users = users};
    return SC_FAILURE_NONE;
}

sc_failure sc__publish(sc__publisher *publisher, sc_reservation *reservation, sc_time now,
                       sc__departure *out)
{
    const sc_failure failure = publish(publisher, reservation, now, out);
    wipe(publisher, reservation->proposal->member_count);
    return failure;
}

// --- Between gateways -----------------------------------------------------------------------

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
static sc_failure read_relay(const sc__publisher *publisher, const sc_reservation *reservation,
                             sc_relay **out)
{
    const sc_proposal *proposal = reservation->proposal;
    const sc_result *result = reservation->result;
    sc_codec_limits limits = sc_codec_limits_default();
    limits.max_segments = proposal->segment_count;
    limits.max_requests = proposal->member_count;
    sc_relay *relay = NULL;
    const sc_err err = sc_relay_decode(&(sc_codec){.map = publisher->map,
                                                   .vocabulary = publisher->vocabulary,
                                                   .encoding = SC_ENCODING_COMPACT,
                                                   .limits = &limits},
                                       result->relay, result->relay_size, &relay, NULL);
    if (err == SC_ENOMEM) return SC_FAILURE_OVERLOADED;
    if (err) return SC_FAILURE_UNBELIEVABLE;
    const bool is_same = relay->segment_count == proposal->segment_count &&
                         memcmp(relay->segments, proposal->segments,
                                proposal->segment_count * sizeof *proposal->segments) == 0;
    if (!is_same) {
        sc_relay_free(relay);
        return SC_FAILURE_UNBELIEVABLE;
    }
    *out = relay;
    return SC_FAILURE_NONE;
}

/** The place of a ticket's request in a relay; the number of requests if R did not ask for it. */
static uint32_t find_request(const sc_relay *relay, const sc_ticket *ticket)
{
    uint32_t number = 0;
    while (number < relay->request_count &&
           !sc_request_equal(&relay->requests[number], &ticket->request)) {
        number++;
    }
    return number;
}

/** Let each of our members find its request; false if there is one that R did not ask for. */
static bool take_places(const sc_reservation *reservation, const sc_relay *relay,
                        sc_answer_place *place)
{
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        if (ticket->is_rare) continue;
        place->request = find_request(relay, ticket);
        if (place++->request == relay->request_count) return false;
    }
    return true;
}

/**
 * R has left out what is rare by what it knows; and what it has not, our members have made.
 *
 * @return whether a request of our members was sent
 */
static bool mark_rare(sc__publisher *publisher, const sc_reservation *reservation,
                      const sc_relay *relay, sc_time now)
{
    if (!publisher->rare || !make_room(publisher, reservation->proposal->member_count)) return true;
    size_t count = 0;
    for (sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        ticket->is_rare = find_request(relay, ticket) == relay->request_count;
        if (ticket->is_rare) continue;
        publisher->users[count] = ticket->query.user;
        publisher->requests[count++] = ticket->request;
    }
    const sc__rare_cloak cloak = rare_cloak(publisher, reservation->proposal, count);
    if (count > 0) sc__rare_requests_left(publisher->rare, &cloak, NULL, now);
    wipe(publisher, count);
    return count > 0;
}

sc_failure sc__digest(sc__publisher *publisher, sc_reservation *reservation, sc_time now,
                      bool *has_sent)
{
    sc_relay *relay = NULL;
    const sc_failure failure = read_relay(publisher, reservation, &relay);
    if (failure) return failure;
    *has_sent = mark_rare(publisher, reservation, relay, now);
    if (!*has_sent) {
        sc_relay_free(relay);
        return SC_FAILURE_NONE;
    }
    ledger_errand *made = make_errand(publisher, reservation, relay, now);
    if (!made) {
        sc_relay_free(relay);
        return SC_FAILURE_OVERLOADED;
    }
    if (!take_places(reservation, relay, made->places)) {
        sc__errand_free(&made->errand);
        return SC_FAILURE_UNBELIEVABLE;
    }
    const sc_result *result = reservation->result;
    made->errand.number = reservation->members->cloak;
    if (result->reply_size > 0) {
        made->errand.given = result->reply;
        made->errand.given_size = result->reply_size;
    }
    // The provider thread may still read when the ledger has ended.
    made->result = reservation->result;
    reservation->result = NULL;
    return send(publisher, made) ? SC_FAILURE_NONE : SC_FAILURE_OVERLOADED;
}
