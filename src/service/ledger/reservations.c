// Reservations: from a proposal that comes in until it is released or called off.
//
// A proposal is looked at (does it make sense, are our members open, is there time, does it keep
// the promises), and then reserved or refused. Both sides of the decision, and what is remembered
// of it, are in this file; the verifier's look is in proposal_check.c, the moment of release in
// release.c.
#include "base/rng.h"
#include "ledger/state.h"
#include "ledger/state_internal.h"

// --- Room for reservations ------------------------------------------------------------------

static sc_reservation *take_reservation(sc__ledger_state *state, sc_proposal *proposal)
{
    sc_reservation *reservation = state->idle_reservation;
    if (reservation) {
        state->idle_reservation = reservation->next;
    } else {
        reservation = &state->reservations[state->reservation_count++];
    }
    *reservation = (sc_reservation){
        .id = proposal->id,
        .proposal = proposal,
        .is_ours = proposal->releaser == state->options.self,
        .place = SC_NO_DEADLINE,
        .patience = SC_NO_DEADLINE,
    };
    sc__id_table_put(&state->proposals, reservation);
    return reservation;
}

void sc__reservation_fini(sc_reservation *reservation)
{
    sc_msg release = {.kind = SC_MSG_RELEASE};
    release.wishes = reservation->wishes;
    release.count = reservation->wish_count;
    sc_msg_fini(&release);
    sc_proposal_free(reservation->proposal);
    sc_result_free(reservation->result);
    *reservation = (sc_reservation){0};
}

void sc__ledger_forget_reservation(sc__ledger_state *state, sc_reservation *reservation)
{
    sc__ledger_unschedule(state, reservation);
    sc__id_table_remove(&state->proposals, reservation);
    sc__reservation_fini(reservation);
    reservation->next = state->idle_reservation;
    state->idle_reservation = reservation;
}

/** From a list in which each knows its place: the last one takes it. */
static void take_from(sc_reservation **list, size_t *count, sc_reservation *reservation)
{
    sc_reservation *last = list[--*count];
    list[reservation->place] = last;
    last->place = reservation->place;
    reservation->place = SC_NO_DEADLINE;
}

void sc__ledger_unschedule(sc__ledger_state *state, sc_reservation *reservation)
{
    if (reservation->patience != SC_NO_DEADLINE) {
        sc_deadlines_cancel(&state->patience, &reservation->patience);
    }
    if (reservation->place == SC_NO_DEADLINE) return;
    if (reservation->state == SC_RESERVATION_SCHEDULED) {
        sc_deadlines_cancel(&state->releases, &reservation->place);
    } else if (reservation->state == SC_RESERVATION_DUE) {
        take_from(state->due, &state->due_count, reservation);
    } else {
        take_from(state->arrived, &state->arrived_count, reservation);
    }
}

// --- Fates ----------------------------------------------------------------------------------

/** Longer than any message about a proposal with that deadline may come. */
static sc_time remembered_until(const sc__ledger_state *state, sc_time deadline)
{
    return sc__ledger_later(deadline, 2 * state->options.guard_us + sc_time_from_seconds(1.0));
}

/** Only R's message counts; and messages of our own engines are neither lost nor doubled. */
static bool is_remembered(const sc__ledger_state *state, const sc_proposal *proposal)
{
    return proposal->releaser == state->options.self &&
           !sc__ledger_is_inside(state, proposal->worker);
}

void sc__ledger_remember(sc__ledger_state *state, const sc_proposal *proposal,
                         sc_proposal_outcome outcome)
{
    if (!is_remembered(state, proposal)) return;
    const sc_time until = remembered_until(state, proposal->last);
    // There is room: it was looked for before it was reserved, and taken then.
    const bool is_kept = sc__proposal_outcomes_put(state->outcomes, &proposal->id, outcome, until);
    (void)is_kept;
}

bool sc__ledger_bury_unknown(sc__ledger_state *state, const sc_proposal_id *id, sc_time deadline,
                             sc_time now)
{
    // Once its least deadline is over it would be refused as late.
    const sc_time least = deadline > now ? deadline : now;
    return sc__proposal_outcomes_put(state->outcomes, id, SC_PROPOSAL_OUTCOME_DEAD,
                                     remembered_until(state, least));
}

// --- Proposals that are off -----------------------------------------------------------------

/** A member is in no reservation any more. */
static void let_go(sc_ticket *ticket)
{
    ticket->state = SC_TICKET_OPEN;
    ticket->reservation = NULL;
    ticket->next = NULL;
    ticket->cost = 0;
}

/** A member of a proposal that is off is open again, unless it is gone or its time has run out. */
static void reopen(sc__ledger_state *state, sc_ticket *ticket, sc_time now)
{
    let_go(ticket);
    if (!ticket->is_gone && now < sc__ledger_too_late_for(state, ticket->query.deadline)) {
        // An engine that received a no because of this reservation has forgotten it.
        ticket->owes_add = true;
        sc__ledger_resend_at(state, ticket, now);
        return;
    }
    sc__ledger_send_remove(state, ticket, false);
    // Also after its deadline there is no doubt: we are R, or R or the worker has said that the
    // proposal is off, so that it was not published. Without such a message it leaves its
    // reservation in doubt. It is not kept waiting: the engine would only propose it again, and
    // again in vain.
    if (ticket->is_gone) {
        sc__ledger_settle_gone(state, ticket, now);
    } else {
        sc__ledger_settle_dropped(state, ticket, SC_DROP_EXPIRED, now);
    }
}

void sc__ledger_call_off(sc__ledger_state *state, sc_reservation *reservation, bool worker_knows,
                         sc_time now)
{
    const sc_proposal *proposal = reservation->proposal;
    state->stats.refused++;
    sc__ledger_remember(state, proposal, SC_PROPOSAL_OUTCOME_DEAD);
    for (sc_ticket *next, *ticket = reservation->members; ticket; ticket = next) {
        next = ticket->next;
        reopen(state, ticket, now);
    }
    if (reservation->is_ours) {
        if (!worker_knows) {
            sc__ledger_send_about(state, proposal->worker, SC_MSG_DEAD, &proposal->id,
                                  proposal->engine_thread, proposal->deadline);
        }
        sc__ledger_send_dead_to_gateways(state, reservation);
    }
    sc__ledger_forget_reservation(state, reservation);
}

void sc__ledger_fail_members(sc__ledger_state *state, sc_reservation *reservation,
                             sc_failure failure, sc_time now)
{
    const sc_proposal *proposal = reservation->proposal;
    state->stats.refused++;
    sc__ledger_remember(state, proposal, SC_PROPOSAL_OUTCOME_DEAD);
    for (sc_ticket *next, *ticket = reservation->members; ticket; ticket = next) {
        next = ticket->next;
        sc__ledger_send_remove(state, ticket, false);
        sc__ledger_settle_failed(state, ticket, failure, now);
    }
    if (reservation->is_ours) {
        sc__ledger_send_about(state, proposal->worker, SC_MSG_DEAD, &proposal->id,
                              proposal->engine_thread, proposal->deadline);
    }
    sc__ledger_forget_reservation(state, reservation);
}

void sc__ledger_state_all_rare(sc__ledger_state *state, sc_reservation *reservation, sc_time now)
{
    // Others' members are told first, as our own are known by their number.
    sc__ledger_send_dead_to_gateways(state, reservation);
    for (sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        ticket->is_rare = true;
    }
    sc__ledger_fail_members(state, reservation, SC_FAILURE_NONE, now);
}

void sc__ledger_leave_in_doubt(sc__ledger_state *state, sc_ticket *ticket, sc_time now)
{
    sc_reservation *reservation = ticket->reservation;
    sc_ticket **link = &reservation->members;
    while (*link != ticket) {
        link = &(*link)->next;
    }
    *link = ticket->next;
    sc__ledger_send_remove(state, ticket, false);
    sc__ledger_keep_last_cloak(state, ticket);
    sc__ledger_settle_failed(state, ticket, SC_FAILURE_IN_DOUBT, now);
    if (!reservation->members) sc__ledger_forget_reservation(state, reservation);
}

// --- Proposals that come in -----------------------------------------------------------------

/** What the members' own queries say of deadlines and gateways counts, not the proposal's summary.
 * False if it makes no sense. */
static bool look_at_members(const sc__ledger_state *state, sc_reservation *reservation)
{
    sc_proposal *proposal = reservation->proposal;
    const sc_peer self = state->options.self;
    bool has_ours = false;
    bool has_releaser = false;
    proposal->deadline = SC_TIME_NEVER;
    proposal->last = INT64_MIN;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_query *query = &proposal->members[i].query;
        if (query->deadline < proposal->deadline) proposal->deadline = query->deadline;
        if (query->deadline > proposal->last) proposal->last = query->deadline;
        has_ours |= query->owner == self;
        has_releaser |= query->owner == proposal->releaser;
        reservation->has_others |= query->owner != self;
    }
    const bool is_single = reservation->is_ours && !reservation->has_others;
    return proposal->segment_count > 0 && has_ours && has_releaser &&
           (is_single || !proposal->is_single);
}

/** Take our members for this reservation; false if one of them is not open, or is named twice. */
static bool gather_members(sc__ledger_state *state, sc_reservation *reservation)
{
    sc_proposal *proposal = reservation->proposal;
    for (size_t i = 0; i < proposal->member_count; i++) {
        sc__id_table_prefetch(&state->tickets, &proposal->members[i].query.id);
    }
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_query *query = &proposal->members[i].query;
        if (query->owner != state->options.self) continue;
        sc_ticket *ticket = sc__id_table_find(&state->tickets, &query->id);
        if (!ticket || ticket->state != SC_TICKET_OPEN) return false;
        ticket->state = SC_TICKET_RESERVED;
        ticket->reservation = reservation;
        ticket->place = i;
        ticket->next = reservation->members;
        reservation->members = ticket;
        const sc_time deadline = ticket->query.deadline;
        if (deadline < proposal->deadline) proposal->deadline = deadline;
        if (deadline > proposal->last) proposal->last = deadline;
    }
    return true;
}

/** Not reserved: members that were gathered are as open as before, but who is late need not wait
 * for the engine to say so. At R it is buried if there is room, so that a gateway that has reserved
 * its members and does not receive the worker's abort can be told when it asks. */
static void refuse(sc__ledger_state *state, sc_reservation *reservation, sc_time now)
{
    state->stats.refused++;
    if (reservation->is_ours && reservation->has_others)
        sc__ledger_remember(state, reservation->proposal, SC_PROPOSAL_OUTCOME_DEAD);
    for (sc_ticket *next, *ticket = reservation->members; ticket; ticket = next) {
        next = ticket->next;
        let_go(ticket);
        if (now < sc__ledger_too_late_for(state, ticket->query.deadline)) continue;
        sc__ledger_send_remove(state, ticket, false);
        sc__ledger_settle_dropped(state, ticket, SC_DROP_EXPIRED, now);
    }
    sc__ledger_send_no(state, reservation->proposal, false, now);
    sc__ledger_forget_reservation(state, reservation);
}

/** It cannot be reserved for now. The engine is to forget our members, which are added again
 * after `wait_us`: else it would propose them again at once, and again, as quickly as messages
 * travel. */
static void put_off(sc__ledger_state *state, sc_reservation *reservation, sc_time wait_us,
                    sc_time now)
{
    const sc_proposal *proposal = reservation->proposal;
    const sc_time later = sc__ledger_later(now, wait_us);
    state->stats.refused++;
    if (reservation->is_ours) sc__ledger_remember(state, proposal, SC_PROPOSAL_OUTCOME_DEAD);
    for (size_t i = 0; i < proposal->member_count; i++) {
        sc_ticket *ticket = sc__id_table_find(&state->tickets, &proposal->members[i].query.id);
        if (!ticket || ticket->state != SC_TICKET_OPEN) continue;
        ticket->owes_add = true;
        sc__ledger_resend_at(state, ticket, later);
    }
    sc__ledger_send_no(state, proposal, true, now);
    sc__ledger_forget_reservation(state, reservation);
}

static bool has_segment(const sc_proposal *proposal, sc_seg_id segment)
{
    size_t from = 0;
    for (size_t to = proposal->segment_count; from < to;) {
        const size_t middle = from + (to - from) / 2;
        if (proposal->segments[middle] < segment) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < proposal->segment_count && proposal->segments[from] == segment;
}

/** What costs nothing to see: our members are on roads of the cloak, it has as many as they want,
 * and their zones. A worker with another map would be found out by that. */
static bool covers_ours(const sc_reservation *reservation)
{
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        const sc_query *query = &ticket->query;
        if (!has_segment(reservation->proposal, query->segment)) return false;
        if (reservation->proposal->segment_count < query->l) return false;
        for (size_t i = 0; i < ticket->own.zone_count; i++) {
            if (!has_segment(reservation->proposal, ticket->own.zone[i])) return false;
        }
    }
    return true;
}

// --- What a proposal costs ------------------------------------------------------------------

void sc__ledger_state_set_costs(sc__ledger_state *state, const sc_cost_estimator *costs)
{
    state->costs = costs;
}

/** Estimate the members' own requests on this cloak; returns the sum. */
static double estimate_members(const sc__ledger_state *state, const sc_reservation *reservation)
{
    double sum = 0;
    for (sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        const sc_cost_reach reach =
            sc_cost_reach_of(state->costs, ticket->query.segment, &ticket->request);
        ticket->cost = sc_cost_steps(reach, (double)reservation->proposal->border_node_count);
        sum += ticket->cost;
    }
    return sum;
}

void sc__reservation_charge_tries(const sc_reservation *reservation, unsigned tries)
{
    if (tries < 2) return;
    for (sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        ticket->cost *= tries;
    }
}

/** The least of what our members' tickets allow; 0: any number. */
static double allowed_cost(const sc_reservation *reservation)
{
    double most = 0;
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        if (ticket->max_cost > 0 && (most == 0 || ticket->max_cost < most)) most = ticket->max_cost;
    }
    return most;
}

/** A request is answered once, however many ask for it. */
static bool is_asked_before(const sc_reservation *reservation, const sc_ticket *ticket)
{
    const sc_ticket *other = reservation->members;
    while (other != ticket && !sc_request_equal(&other->request, &ticket->request)) {
        other = other->next;
    }
    return other != ticket;
}

/** What the different requests of our members cost, and the dearest of them. */
static double cost_of_different(const sc_reservation *reservation, sc_ticket **dearest)
{
    double sum = 0;
    *dearest = reservation->members;
    for (sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        if (is_asked_before(reservation, ticket)) continue;
        sum += ticket->cost;
        if (ticket->cost > (*dearest)->cost) *dearest = ticket;
    }
    return sum;
}

/** Members with that request have failed. */
static void fail_costly(sc__ledger_state *state, sc_reservation *reservation,
                        const sc_request *request, sc_time now)
{
    const sc_request dear = *request;
    for (sc_ticket **link = &reservation->members; *link;) {
        sc_ticket *ticket = *link;
        if (!sc_request_equal(&ticket->request, &dear)) {
            link = &ticket->next;
            continue;
        }
        *link = ticket->next;
        let_go(ticket);
        sc__ledger_send_remove(state, ticket, false);
        sc__ledger_settle_failed(state, ticket, SC_FAILURE_COSTLY, now);
    }
}

/** Whether the provider can be asked for so much. If not, those of our members that ask for the
 * dearest have failed, until the others would do. Each gateway looks at its own. */
static bool is_affordable(sc__ledger_state *state, sc_reservation *reservation, sc_time now)
{
    if (!state->costs) return true;
    const double most = allowed_cost(reservation);
    const double sum = estimate_members(state, reservation);
    if (most == 0 || sum <= most) return true;
    sc_ticket *dearest = NULL;
    if (cost_of_different(reservation, &dearest) <= most) return true;
    do {
        fail_costly(state, reservation, &dearest->request, now);
    } while (cost_of_different(reservation, &dearest) > most);
    return false;
}

/** Get the memory to keep the cloak as the last one of our members' users. */
static sc_err propose_last_cloaks(sc__ledger_state *state, const sc_reservation *reservation)
{
    const sc_proposal *proposal = reservation->proposal;
    sc_err err = SC_OK;
    for (const sc_ticket *ticket = reservation->members; ticket && !err; ticket = ticket->next) {
        if (!state->options.continuity) break;
        err = sc_continuity_propose(state->options.continuity, &ticket->query.id,
                                    proposal->segments, proposal->segment_count);
    }
    return err;
}

/** A quick look, and the paranoid one if that is wanted; and all memory that it takes. */
static sc_err look_at_promises(sc__ledger_state *state, const sc_reservation *reservation,
                               sc_time now)
{
    sc_err err = covers_ours(reservation) ? SC_OK : SC_EBROKEN;
    if (!err && state->examiner.verifier) err = sc__examine(&state->examiner, reservation, now);
    if (err == SC_EBROKEN) state->stats.violations++;
    return err ? err : propose_last_cloaks(state, reservation);
}

bool sc__ledger_clocks_agree(const sc__ledger_state *state, const sc_reservation *reservation)
{
    if (!reservation->has_others) return true;
    const sc_proposal *proposal = reservation->proposal;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_peer owner = proposal->members[i].query.owner;
        if (owner != state->options.self && sc_port_is_skewed(&state->options.port, owner))
            return false;
    }
    return true;
}

/** Both gateways put their members off, each for a time of its own, so that the queries of one meet
 * in the engine without those of the other. */
static sc_time draw_wait(sc__ledger_state *state)
{
    const sc_time patience = state->options.patience_us;
    const uint32_t most = patience < 1000000 ? (uint32_t)patience : 1000000;
    return patience + sc_rng_below(state->rng, 3 * most);
}

static bool has_room(const sc__ledger_state *state, const sc_proposal *proposal)
{
    return !is_remembered(state, proposal) || sc__proposal_outcomes_has_room(state->outcomes);
}

void sc__ledger_take_proposal(sc__ledger_state *state, sc_proposal *proposal, sc_time now)
{
    // Where no reservation is idle, each ticket is a member of one, and none is open.
    if (!state->idle_reservation && state->reservation_count == state->options.max_tickets) {
        state->stats.refused++;
        sc__ledger_send_no(state, proposal, false, now);
        sc_proposal_free(proposal);
        return;
    }
    sc_reservation *reservation = take_reservation(state, proposal);
    const bool makes_sense = look_at_members(state, reservation);
    if (makes_sense && !has_room(state, proposal)) {
        put_off(state, reservation, state->options.patience_us, now);
        return;
    }
    if (makes_sense && !sc__ledger_clocks_agree(state, reservation)) {
        state->stats.skewed++;
        put_off(state, reservation, draw_wait(state), now);
        return;
    }
    const bool is_fit = makes_sense && gather_members(state, reservation);
    reservation->too_late = sc__ledger_too_late_for(state, proposal->deadline);
    if (!is_fit || now >= reservation->too_late) {
        refuse(state, reservation, now);
        return;
    }
    if (!is_affordable(state, reservation, now)) {
        refuse(state, reservation, now);
        return;
    }
    const sc_err err = look_at_promises(state, reservation, now);
    if (err == SC_EBROKEN) {
        refuse(state, reservation, now);
    } else if (err) {
        if (reservation->is_ours) {
            sc__ledger_send_dead_to_gateways(state, reservation);
        } else {
            sc__ledger_send_no(state, proposal, false, now);
        }
        sc__ledger_fail_members(state, reservation, SC_FAILURE_OVERLOADED, now);
    } else if (proposal->is_single) {
        sc__ledger_remember(state, proposal, SC_PROPOSAL_OUTCOME_RESERVED);
        sc__ledger_schedule_release(state, reservation, now);
    } else {
        sc__ledger_remember(state, proposal, SC_PROPOSAL_OUTCOME_RESERVED);
        sc_deadlines_add(&state->patience, sc__ledger_later(now, state->options.patience_us),
                         reservation, &reservation->patience);
        sc__ledger_send_ok(state, reservation);
    }
}
