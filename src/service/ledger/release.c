// What leaves for a cloak. See publish.h.
#include "ledger/release.h"

#include <starcloak/answer.h>
#include <starcloak/relay_codec.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"

#include <string.h>

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
