// The gateway's side of the commit protocol: the messages that the ledger sends to engines and
// other gateways, and what it does with those that it receives.
//
// Messages may be lost, doubled, late, or overtake each other; and there are messages that no
// correct process sends. Each is compared with what is known of its reservation, and what makes no
// sense is ignored. A message that cannot be sent because memory is out counts as lost on the way:
// the peer that waits for it times out.
#include "base/alloc.h"
#include "ledger/state_internal.h"

#include <string.h>

// --- Sending --------------------------------------------------------------------------------

static void send_msg(sc__ledger_state *state, sc_peer to, sc_msg *msg)
{
    msg->from = state->options.self;
    sc_port_send(&state->options.port, to, msg);
}

// --- Of queries -----------------------------------------------------------------------------

/** False if memory is out, and nothing is sent. */
static bool send_of_query(sc__ledger_state *state, sc_msg_kind kind, const sc_ticket *ticket,
                          uint32_t part)
{
    sc_msg msg = {.kind = kind};
    msg.part = part;
    msg.home = ticket->home;
    msg.query = ticket->query;
    const bool is_whole = sc_msg_set_own(&msg, kind == SC_MSG_REMOVE ? NULL : ticket->query.own);
    if (is_whole) send_msg(state, SC_PEER_NONE, &msg);
    explicit_bzero(&msg, sizeof msg);
    return is_whole;
}

bool sc__ledger_send_add(sc__ledger_state *state, const sc_ticket *ticket)
{
    return send_of_query(state, SC_MSG_ADD, ticket, ticket->home);
}

const uint16_t *sc__ledger_reach(sc__ledger_state *state, sc_ticket *ticket, size_t *count)
{
    *count = ticket->reach_count;
    if (*count > 0) return ticket->reach;
    // Walking takes ten times as long as a message, and most queries need it more than once.
    const uint16_t *parts =
        sc_partition_reach(state->walker, ticket->query.segment, ticket->query.max_hops, count);
    if (*count <= SC_TICKET_REACH) {
        memcpy(ticket->reach, parts, *count * sizeof *parts);
        ticket->reach_count = (uint8_t)*count;
    }
    return parts;
}

/** The same to all parts in its reach but its home; returns how many. */
static size_t send_to_reach(sc__ledger_state *state, sc_msg_kind kind, sc_ticket *ticket)
{
    size_t count = 0;
    const uint16_t *parts = sc__ledger_reach(state, ticket, &count);
    for (size_t i = 1; i < count; i++) {
        (void)send_of_query(state, kind, ticket, parts[i]);
    }
    return count > 0 ? count - 1 : 0;
}

size_t sc__ledger_send_company(sc__ledger_state *state, sc_ticket *ticket)
{
    ticket->is_spread = true;
    state->stats.company++;
    return send_to_reach(state, SC_MSG_COMPANY, ticket);
}

void sc__ledger_send_remove(sc__ledger_state *state, sc_ticket *ticket, bool home_knows)
{
    // The worker that has the home of a query that is near a border of parts may have other parts
    // in its reach as well, and has then added it there too.
    if (home_knows && !ticket->is_near) return;
    (void)send_of_query(state, SC_MSG_REMOVE, ticket, ticket->home);
    if (ticket->is_spread) send_to_reach(state, SC_MSG_REMOVE, ticket);
}

// --- Of proposals, to the worker ------------------------------------------------------------

void sc__ledger_send_about(sc__ledger_state *state, sc_peer to, sc_msg_kind kind,
                           const sc_proposal_id *id, uint32_t engine_thread, sc_time deadline)
{
    sc_msg msg = {.kind = kind};
    msg.id = *id;
    msg.engine_thread = engine_thread;
    msg.deadline = deadline;
    send_msg(state, to, &msg);
}

void sc__ledger_send_ask(sc__ledger_state *state, const sc_proposal *proposal)
{
    sc_msg msg = {.kind = SC_MSG_ASK};
    msg.id = proposal->id;
    msg.deadline = proposal->last;
    // R's member that waits longest is the one that is most likely still there.
    sc_time latest = INT64_MIN;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_query *query = &proposal->members[i].query;
        if (query->owner != proposal->releaser || query->deadline <= latest) continue;
        latest = query->deadline;
        msg.member = query->id;
    }
    send_msg(state, proposal->releaser, &msg);
}

void sc__ledger_send_ok(sc__ledger_state *state, const sc_reservation *reservation)
{
    const sc_proposal *proposal = reservation->proposal;
    size_t count = 0;
    sc_msg msg = {.kind = SC_MSG_OK};
    msg.id = proposal->id;
    msg.engine_thread = proposal->engine_thread;
    msg.deadline = SC_TIME_NEVER;
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        if (ticket->query.deadline < msg.deadline) msg.deadline = ticket->query.deadline;
        count++;
    }
    if (!reservation->is_ours) {
        msg.wishes = sc_calloc(count, sizeof *msg.wishes);
        if (!msg.wishes) return;
        for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
            msg.wishes[msg.count++] = (sc_wish){ticket->query.id, ticket->request};
        }
    }
    send_msg(state, proposal->worker, &msg);
}

void sc__ledger_send_no(sc__ledger_state *state, const sc_proposal *proposal, bool names_all,
                        sc_time now)
{
    sc_msg msg = {.kind = SC_MSG_NO};
    msg.id = proposal->id;
    msg.engine_thread = proposal->engine_thread;
    msg.gone = sc_calloc(proposal->member_count + 1, sizeof *msg.gone);
    for (size_t i = 0; msg.gone && i < proposal->member_count; i++) {
        const sc_query *query = &proposal->members[i].query;
        // Another gateway's member that is too late by our clock is named as well: the engine would
        // only propose it again, and again in vain, until it is too late by all clocks.
        bool is_gone = now >= sc__ledger_too_late_for(state, query->deadline);
        if (query->owner == state->options.self) {
            const sc_ticket *ticket = sc__id_table_find(&state->tickets, &query->id);
            is_gone = names_all || !ticket || ticket->state != SC_TICKET_OPEN;
        }
        if (is_gone) msg.gone[msg.count++] = query->id;
    }
    send_msg(state, proposal->worker, &msg);
}

// --- Of proposals, to other gateways --------------------------------------------------------

/** The next other gateway with members in the proposal, each once, from member `*from` on;
 * SC_PEER_NONE if there is none. */
static sc_peer next_gateway(const sc__ledger_state *state, const sc_proposal *proposal,
                            size_t *from)
{
    for (size_t i = *from; i < proposal->member_count; i++) {
        const sc_peer owner = proposal->members[i].query.owner;
        bool is_new = owner != state->options.self && owner != SC_PEER_NONE;
        for (size_t j = 0; is_new && j < i; j++) {
            is_new = proposal->members[j].query.owner != owner;
        }
        *from = i + 1;
        if (is_new) return owner;
    }
    return SC_PEER_NONE;
}

void sc__ledger_send_published(sc__ledger_state *state, sc_peer to,
                               const sc_reservation *reservation)
{
    // All members reply the same; a question after all of them have their answer gets less.
    const sc_ticket *member = reservation->members;
    sc_msg msg = {.kind = SC_MSG_PUBLISHED};
    msg.id = reservation->id;
    msg.engine_thread = reservation->proposal->engine_thread;
    msg.number = member->cloak;
    msg.users = member->users;
    msg.deadline = member->published;
    send_msg(state, to, &msg);
}

void sc__ledger_send_dead_to_gateways(sc__ledger_state *state, const sc_reservation *reservation)
{
    const sc_proposal *proposal = reservation->proposal;
    size_t from = 0;
    if (!reservation->has_others) return;
    for (sc_peer to; (to = next_gateway(state, proposal, &from)) != SC_PEER_NONE;) {
        sc__ledger_send_about(state, to, SC_MSG_DEAD, &proposal->id, 0, proposal->deadline);
    }
}

void sc__ledger_send_published_to_gateways(sc__ledger_state *state,
                                           const sc_reservation *reservation)
{
    size_t from = 0;
    if (!reservation->has_others) return;
    for (sc_peer to; (to = next_gateway(state, reservation->proposal, &from)) != SC_PEER_NONE;) {
        sc__ledger_send_published(state, to, reservation);
    }
}

/** For gateways that ask again. Takes the result of `msg`; the oldest one makes room. */
static void keep_result(sc__ledger_state *state, const sc_reservation *reservation, sc_msg *msg)
{
    sc_result *result = msg->result;
    msg->result = NULL;
    if (result && result->reply_size > SC__REPLY_KEPT) {
        sc_result *less =
            sc_result_new(result->failure, result->relay, result->relay_size, NULL, 0);
        sc_result_free(result);
        result = less;
    }
    sc__sent_result *kept = &state->results[state->result_next];
    state->result_next = (state->result_next + 1) % SC__RESULTS_KEPT;
    sc_result_free(kept->result);
    *kept = (sc__sent_result){
        .id = reservation->id,
        .worker = reservation->proposal->worker,
        .number = msg->number,
        .users = msg->users,
        .result = result,
    };
}

/** Send a result again that is still kept; false if it is not, or the worker asks. */
static bool send_result_again(sc__ledger_state *state, sc_peer to, const sc_proposal_id *id)
{
    for (size_t i = 0; i < SC__RESULTS_KEPT; i++) {
        const sc__sent_result *kept = &state->results[i];
        if (!kept->result || !sc_proposal_id_equal(&kept->id, id)) continue;
        if (kept->worker == to) return false;
        sc_msg msg = {.kind = SC_MSG_RESULT};
        msg.id = *id;
        msg.number = kept->number;
        msg.users = kept->users;
        msg.result = kept->result;
        sc_msg copy;
        if (!sc_msg_clone(&msg, &copy)) return false;
        send_msg(state, to, &copy);
        return true;
    }
    return false;
}

void sc__ledger_send_result_to_gateways(sc__ledger_state *state, const sc_reservation *reservation,
                                        sc_failure failure, sc_result *result)
{
    if (!reservation->has_others) {
        sc_result_free(result);
        return;
    }
    sc_msg msg = {.kind = SC_MSG_RESULT};
    msg.id = reservation->id;
    msg.number = reservation->members->cloak;
    msg.users = reservation->members->users;
    // What went well, but cannot be told for want of memory, has failed for the others.
    msg.result = result
                     ? result
                     : sc_result_new(failure ? failure : SC_FAILURE_OVERLOADED, NULL, 0, NULL, 0);
    size_t from = 0;
    for (sc_peer to; (to = next_gateway(state, reservation->proposal, &from)) != SC_PEER_NONE;) {
        sc_msg copy;
        if (msg.result && sc_msg_clone(&msg, &copy)) send_msg(state, to, &copy);
    }
    keep_result(state, reservation, &msg);
    sc_msg_fini(&msg);
}

// --- Receiving ------------------------------------------------------------------------------

static sc_reservation *find(const sc__ledger_state *state, const sc_proposal_id *id)
{
    return sc__id_table_find(&state->proposals, id);
}

/** What is known of a proposal; of one that is reserved, by its reservation. */
static sc_proposal_outcome outcome_of(const sc__ledger_state *state, const sc_proposal_id *id)
{
    const sc_reservation *reservation = find(state, id);
    if (!reservation) return sc__proposal_outcomes_of(state->outcomes, id);
    return reservation->state < SC_RESERVATION_PUBLISHED ? SC_PROPOSAL_OUTCOME_RESERVED
                                                         : SC_PROPOSAL_OUTCOME_PUBLISHED;
}

static bool is_member(const sc_proposal *proposal, sc_peer gateway)
{
    for (size_t i = 0; i < proposal->member_count; i++) {
        if (proposal->members[i].query.owner == gateway) return true;
    }
    return false;
}

// --- Of queries -----------------------------------------------------------------------------

static void receive_of_query(sc__ledger_state *state, const sc_msg *msg, sc_time now)
{
    // Of one that is reserved the reservation decides.
    sc_ticket *ticket = sc__id_table_find(&state->tickets, &msg->query.id);
    if (!ticket || ticket->state != SC_TICKET_OPEN) return;
    sc__ledger_send_remove(state, ticket, true);
    if (msg->kind == SC_MSG_DROPPED && (unsigned)msg->reason < SC_DROP_REASON_COUNT) {
        sc__ledger_settle_dropped(state, ticket, msg->reason, now);
    } else {
        sc__ledger_settle_failed(state, ticket, SC_FAILURE_OVERLOADED, now);
    }
}

// --- What a worker sends about its proposal ----------------------------------------------------

/** What is sent again of a proposal that has left. */
static void send_published_again(sc__ledger_state *state, sc_peer to, const sc_proposal_id *id,
                                 uint32_t engine_thread, sc_time now)
{
    const sc_reservation *reservation = find(state, id);
    if (reservation) {
        sc__ledger_send_published(state, to, reservation);
    } else if (!send_result_again(state, to, id)) {
        sc__ledger_send_about(state, to, SC_MSG_PUBLISHED, id, engine_thread, now);
    }
}

/** The worker sends it again: perhaps our message was lost. */
static void receive_reserve_again(sc__ledger_state *state, const sc_proposal *proposal,
                                  sc_proposal_outcome outcome, sc_time now)
{
    const sc_reservation *reservation = find(state, &proposal->id);
    if (outcome == SC_PROPOSAL_OUTCOME_DEAD) {
        sc__ledger_send_about(state, proposal->worker, SC_MSG_NO, &proposal->id,
                              proposal->engine_thread, 0);
    } else if (outcome == SC_PROPOSAL_OUTCOME_PUBLISHED &&
               proposal->releaser == state->options.self) {
        send_published_again(state, proposal->worker, &proposal->id, proposal->engine_thread, now);
    } else if (reservation && reservation->state == SC_RESERVATION_RESERVED) {
        sc__ledger_send_ok(state, reservation);
    }
}

static void receive_reserve(sc__ledger_state *state, sc_msg *msg, sc_time now)
{
    sc_proposal *proposal = msg->proposal;
    if (!proposal) return;
    const sc_proposal_outcome outcome = outcome_of(state, &proposal->id);
    if (outcome != SC_PROPOSAL_OUTCOME_UNKNOWN) {
        receive_reserve_again(state, proposal, outcome, now);
        return;
    }
    msg->proposal = NULL;
    state->stats.proposals++;
    sc__ledger_take_proposal(state, proposal, now);
}

static bool is_wish_of(const sc_wish *wish, const sc_query_id *id)
{
    return __builtin_memcmp(wish->query.bytes, id->bytes, sizeof id->bytes) == 0;
}

/** Bring what the members of other gateways ask for into the order of the proposal; false if one of
 * them is missing. */
static bool arrange_wishes(const sc__ledger_state *state, const sc_proposal *proposal,
                           sc_msg *release)
{
    size_t arranged = 0;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_query *query = &proposal->members[i].query;
        if (query->owner == state->options.self) continue;
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

static void receive_release(sc__ledger_state *state, sc_msg *msg, sc_time now)
{
    sc_reservation *reservation = find(state, &msg->id);
    if (!reservation || !reservation->is_ours || reservation->state != SC_RESERVATION_RESERVED ||
        msg->from != reservation->proposal->worker) {
        return;
    }
    // The other gateways know their members' deadlines better than the worker.
    sc_proposal *proposal = reservation->proposal;
    if (msg->deadline < proposal->deadline) proposal->deadline = msg->deadline;
    reservation->too_late = sc__ledger_too_late_for(state, proposal->deadline);
    // A clock may have been set since it was reserved.
    if (now >= reservation->too_late || !sc__ledger_clocks_agree(state, reservation) ||
        !arrange_wishes(state, proposal, msg)) {
        sc__ledger_call_off(state, reservation, false, now);
        return;
    }
    reservation->wishes = msg->wishes;
    reservation->wish_count = msg->count;
    msg->wishes = NULL;
    msg->count = 0;
    sc__ledger_schedule_release(state, reservation, now);
}

// --- What both send -------------------------------------------------------------------------

static void receive_abort(sc__ledger_state *state, const sc_msg *msg, sc_time now)
{
    sc_reservation *reservation = find(state, &msg->id);
    if (!reservation) {
        // It has overtaken the proposal. What has its outcome keeps it. Without room for one the
        // proposal will be reserved until patience is over: a worker that aborts does not release.
        if (outcome_of(state, &msg->id) == SC_PROPOSAL_OUTCOME_UNKNOWN) {
            (void)sc__ledger_bury_unknown(state, &msg->id, msg->deadline, now);
        }
        return;
    }
    const bool is_worker = msg->from == reservation->proposal->worker;
    const bool may_abort =
        is_worker || (reservation->is_ours && is_member(reservation->proposal, msg->from));
    if (!may_abort || reservation->state >= SC_RESERVATION_PUBLISHED) return;
    state->stats.aborted += is_worker;
    sc__ledger_call_off(state, reservation, is_worker, now);
}

/**
 * May a proposal without a reservation here be called dead? Only if it cannot have been published
 * by us and forgotten since, nor be reserved later. Clocks do not tell: those of others may be
 * wrong by any amount. The member that the asker names does. As long as we have it, open or
 * reserved for another proposal, this one has not left, since all its members leave together; and
 * it is remembered as dead until the member's own deadline, after which it would be refused. One
 * that is remembered as dead while the member is gone stays dead.
 */
static bool may_call_dead(sc__ledger_state *state, const sc_msg *msg, sc_proposal_outcome outcome,
                          sc_time now)
{
    // After the last deadline no one goes on, whatever is known.
    if (now > msg->deadline) return false;
    const sc_ticket *ticket = sc__id_table_find(&state->tickets, &msg->member);
    if (!ticket) return outcome == SC_PROPOSAL_OUTCOME_DEAD;
    if (ticket->state == SC_TICKET_PUBLISHED && outcome == SC_PROPOSAL_OUTCOME_UNKNOWN)
        return false;
    // Without room to remember it nothing is sent, and the asker stays as it is.
    return sc__ledger_bury_unknown(state, &msg->id, ticket->query.deadline, now);
}

static void receive_ask(sc__ledger_state *state, const sc_msg *msg, sc_time now)
{
    // Our own engines receive everything, and in order: it is on the way, or not decided.
    if (sc__ledger_is_inside(state, msg->from)) return;
    const sc_proposal_outcome outcome = outcome_of(state, &msg->id);
    switch (outcome) {
    case SC_PROPOSAL_OUTCOME_UNKNOWN:
    case SC_PROPOSAL_OUTCOME_DEAD:
        if (!may_call_dead(state, msg, outcome, now)) break;
        sc__ledger_send_about(state, msg->from, SC_MSG_DEAD, &msg->id, msg->engine_thread,
                              msg->deadline);
        break;
    case SC_PROPOSAL_OUTCOME_PUBLISHED:
        send_published_again(state, msg->from, &msg->id, msg->engine_thread, now);
        break;
    case SC_PROPOSAL_OUTCOME_RESERVED:
        break;  // not decided: the asker stays as it is
    }
}

// --- What R sends ---------------------------------------------------------------------------

/** The reservation that only R may decide; or NULL. */
static sc_reservation *decided_elsewhere(const sc__ledger_state *state, const sc_msg *msg)
{
    sc_reservation *reservation = find(state, &msg->id);
    const bool is_theirs =
        reservation && !reservation->is_ours && msg->from == reservation->proposal->releaser;
    return is_theirs ? reservation : NULL;
}

static void publish_elsewhere(sc__ledger_state *state, sc_reservation *reservation,
                              const sc_msg *msg, sc_time left, sc_time now)
{
    // It has left in time by R's clock, which is not ours.
    const sc_proposal *proposal = reservation->proposal;
    state->stats.cloaks_elsewhere++;
    sc__ledger_mark_published(state, reservation, msg->number, msg->users,
                              left < proposal->deadline ? left : proposal->deadline);
    reservation->give_up = sc__ledger_later(now, state->options.give_up_us);
    const sc_time then = sc__ledger_later(now, state->options.patience_us);
    sc_deadlines_add(&state->patience, then < reservation->give_up ? then : reservation->give_up,
                     reservation, &reservation->patience);
}

static void receive_published(sc__ledger_state *state, const sc_msg *msg, sc_time now)
{
    sc_reservation *reservation = decided_elsewhere(state, msg);
    if (!reservation || reservation->state != SC_RESERVATION_RESERVED) return;
    publish_elsewhere(state, reservation, msg, msg->deadline, now);
}

static void receive_result(sc__ledger_state *state, sc_msg *msg, sc_time now)
{
    sc_reservation *reservation = decided_elsewhere(state, msg);
    if (!reservation || !msg->result || reservation->state == SC_RESERVATION_ARRIVED) return;
    if (reservation->state == SC_RESERVATION_RESERVED) {
        publish_elsewhere(state, reservation, msg, now, now);
    }
    // Who had to ask was told that it is published, and perhaps no more: R had its answers already.
    for (sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        ticket->cloak = msg->number;
        ticket->users = msg->users;
    }
    if (msg->result->failure) {
        sc__ledger_fail_published(state, reservation, msg->result->failure, now);
        return;
    }
    sc__ledger_unschedule(state, reservation);
    reservation->result = msg->result;
    msg->result = NULL;
    reservation->state = SC_RESERVATION_ARRIVED;
    reservation->place = state->arrived_count;
    state->arrived[state->arrived_count++] = reservation;
}

static void receive_dead(sc__ledger_state *state, const sc_msg *msg, sc_time now)
{
    sc_reservation *reservation = decided_elsewhere(state, msg);
    if (!reservation || reservation->state != SC_RESERVATION_RESERVED) return;
    sc__ledger_call_off(state, reservation, true, now);
}

void sc__ledger_state_receive(sc__ledger_state *state, sc_msg *msg, sc_time now)
{
    switch (msg->kind) {
    case SC_MSG_RESERVE:
        receive_reserve(state, msg, now);
        break;
    case SC_MSG_RELEASE:
        receive_release(state, msg, now);
        break;
    case SC_MSG_ABORT:
        receive_abort(state, msg, now);
        break;
    case SC_MSG_ASK:
        receive_ask(state, msg, now);
        break;
    case SC_MSG_PUBLISHED:
        receive_published(state, msg, now);
        break;
    case SC_MSG_RESULT:
        receive_result(state, msg, now);
        break;
    case SC_MSG_DEAD:
        receive_dead(state, msg, now);
        break;
    case SC_MSG_DROPPED:
    case SC_MSG_NOT_TAKEN:
        receive_of_query(state, msg, now);
        break;
    default:
        break;  // no message for a gateway
    }
    sc_msg_fini(msg);
}
