// Tickets in the ledger's state: how they come in, get their outcome, and run out of time.
#include "ledger/state.h"

#include "base/alloc.h"
#include "ledger/state_internal.h"
#include "ledger/ticket.h"

#include <string.h>

// --- Tickets --------------------------------------------------------------------------------

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

void sc_ticket_clear(sc_ticket *ticket)
{
    sc_answer_free(ticket->answer);
    if (ticket->zone) explicit_bzero(ticket->zone, ticket->zone_count * sizeof *ticket->zone);
    sc_free(ticket->zone);
    explicit_bzero(ticket, sizeof *ticket);
}

void sc_ticket_free(sc_ticket *ticket)
{
    if (!ticket) return;
    sc_ticket_clear(ticket);
    sc_free(ticket);
}

// --- How a ticket gets its outcome: once, and counted ---------------------------------------

void sc__ledger_hand_out(sc__ledger_state *state, sc_ticket *ticket, sc_outcome outcome,
                         sc_time now)
{
    ticket->state = SC_TICKET_SETTLED;
    ticket->outcome = outcome;
    ticket->settled = now;
    ticket->reservation = NULL;
    ticket->next = NULL;
    if (state->last_settled) {
        state->last_settled->next = ticket;
    } else {
        state->first_settled = ticket;
    }
    state->last_settled = ticket;
}

// What its user can have reached is lent until then.
static void end_continuity(sc__ledger_state *state, sc_ticket *ticket)
{
    if (state->options.continuity) {
        sc_continuity_end(state->options.continuity, &ticket->query.id);
    }
    ticket->own = (sc_own_demands){0};
    ticket->query.own = NULL;
}

void sc__ledger_keep_last_cloak(sc__ledger_state *state, sc_ticket *ticket)
{
    if (state->options.continuity) {
        sc_continuity_accept(state->options.continuity, &ticket->query.id);
    }
    ticket->own = (sc_own_demands){0};
    ticket->query.own = NULL;
}

static void leave(sc__ledger_state *state, sc_ticket *ticket, sc_outcome outcome, sc_time now)
{
    end_continuity(state, ticket);
    sc__id_table_remove(&state->tickets, ticket);
    if (ticket->moment != SC_NO_DEADLINE) sc_deadlines_cancel(&state->deadlines, &ticket->moment);
    if (ticket->resend != SC_NO_DEADLINE) sc_deadlines_cancel(&state->resends, &ticket->resend);
    sc__ledger_hand_out(state, ticket, outcome, now);
}

/** Which demands a query could not meet, all together: what helps depends on them. */
static void note_demands(const sc__ledger_state *state, sc_ticket *ticket)
{
    const sc_demands *common = &state->options.demands;
    ticket->demands =
        (common->traffic > 0 ? SC_TICKET_TRAFFIC : 0U) | (common->classes ? SC_TICKET_CLASSES : 0U);
    if (ticket->own.zone_count > 0) ticket->demands |= SC_TICKET_ZONE;
    if (!ticket->own.has_reached) return;
    ticket->demands |= SC_TICKET_CONTINUITY;
    ticket->linked_until = sc_continuity_counts_until(state->options.continuity, &ticket->query.id);
}

void sc__ledger_settle_dropped(sc__ledger_state *state, sc_ticket *ticket, sc_drop_reason reason,
                               sc_time now)
{
    if (reason == SC_DROP_EXPOSED) note_demands(state, ticket);
    ticket->drop = reason;
    ticket->published = now;
    state->stats.dropped[reason]++;
    leave(state, ticket, SC_OUTCOME_DROPPED, now);
}

void sc__ledger_settle_failed(sc__ledger_state *state, sc_ticket *ticket, sc_failure failure,
                              sc_time now)
{
    // Its cloak left without its request: what became of the cloak is no matter of its own.
    if (ticket->is_rare) {
        sc__ledger_settle_dropped(state, ticket, SC_DROP_RARE_REQUEST, now);
        return;
    }
    ticket->failure = failure;
    state->stats.failed[failure]++;
    leave(state, ticket, SC_OUTCOME_FAILED, now);
}

void sc__ledger_settle_gone(sc__ledger_state *state, sc_ticket *ticket, sc_time now)
{
    state->stats.gone++;
    leave(state, ticket, SC_OUTCOME_GONE, now);
}

void sc__ledger_settle_answered(sc__ledger_state *state, sc_ticket *ticket, sc_answer *answer,
                                sc_time now)
{
    ticket->answer = answer;
    state->stats.answered++;
    leave(state, ticket, SC_OUTCOME_ANSWERED, now);
}

/** Outcomes of proposals of which we are R outlive their tickets, which are answered long before
 * their deadlines: so many for each ticket there may be at once, and some more for small ledgers.
 * Each takes about 100 bytes, once it is used. */
enum { FATES_PER_TICKET = 8, MORE_FATES = 4096 };

/** How long to wait with messages for which there is no room. */
enum { RETRY_US = 1000 };

/** Last cloaks are erased together: at most so late, unless there is something else to do. */
enum { ERASE_US = 1000000 };

// --- Life -----------------------------------------------------------------------------------

static sc_err make_pages(sc__ledger_state *state, size_t most)
{
    sc_err err = sc__id_table_init(&state->tickets, most, offsetof(sc_ticket, query.id));
    if (!err) err = sc__id_table_init(&state->proposals, most, offsetof(sc_reservation, id));
    if (!err) err = sc_deadlines_init(&state->deadlines, most);
    if (!err) err = sc_deadlines_init(&state->resends, most);
    if (!err) err = sc_deadlines_init(&state->releases, most);
    if (!err) err = sc_deadlines_init(&state->patience, most);
    if (!err)
        err = sc__proposal_outcomes_new(FATES_PER_TICKET * most + MORE_FATES, &state->outcomes);
    if (err) return err;
    const size_t parts = sc_partition_part_count(state->options.partition);
    state->results = sc_calloc(SC__RESULTS_KEPT, sizeof *state->results);
    state->is_resent = sc_calloc(parts, sizeof *state->is_resent);
    state->due = sc_calloc(most, sizeof(sc_reservation *));
    state->arrived = sc_calloc(most, sizeof(sc_reservation *));
    state->reservations = sc_calloc(most, sizeof *state->reservations);
    return state->results && state->is_resent && state->due && state->arrived && state->reservations
               ? SC_OK
               : SC_ENOMEM;
}

sc_err sc__ledger_state_new(const sc__ledger_state_options *options, sc_rng *rng,
                            sc__ledger_state **out)
{
    sc__ledger_state *state = sc_calloc(1, sizeof *state);
    if (!state) return SC_ENOMEM;
    state->options = *options;
    state->rng = rng;
    state->paused_until = INT64_MIN;
    sc_err err = make_pages(state, options->max_tickets);
    if (!err) err = sc_partition_walker_new(options->partition, &state->walker);
    if (!err && options->paranoid) {
        err = sc__examiner_init(&state->examiner, options->paranoid, &options->demands);
    }
    if (err) {
        sc__ledger_state_free(state);
        return err;
    }
    *out = state;
    return SC_OK;
}

void sc__ledger_state_free(sc__ledger_state *state)
{
    if (!state) return;
    for (size_t i = 0; i < state->reservation_count; i++) {
        sc__reservation_fini(&state->reservations[i]);
    }
    sc__examiner_fini(&state->examiner);
    sc_partition_walker_free(state->walker);
    sc__proposal_outcomes_free(state->outcomes);
    sc__id_table_fini(&state->tickets);
    sc__id_table_fini(&state->proposals);
    sc_deadlines_fini(&state->deadlines);
    sc_deadlines_fini(&state->resends);
    sc_deadlines_fini(&state->releases);
    sc_deadlines_fini(&state->patience);
    for (size_t i = 0; state->results && i < SC__RESULTS_KEPT; i++) {
        sc_result_free(state->results[i].result);
    }
    sc_free(state->results);
    sc_free(state->is_resent);
    sc_free(state->due);
    sc_free(state->arrived);
    sc_free(state->reservations);
    sc_free(state);
}

// --- Tickets come and go --------------------------------------------------------------------

void sc__ledger_state_turn_away(sc__ledger_state *state, sc_ticket *ticket, sc_time now)
{
    state->stats.taken++;
    state->stats.failed[SC_FAILURE_OVERLOADED]++;
    ticket->failure = SC_FAILURE_OVERLOADED;
    sc__ledger_hand_out(state, ticket, SC_OUTCOME_FAILED, now);
}

static void turn_away_late(sc__ledger_state *state, sc_ticket *ticket, sc_time now)
{
    state->stats.taken++;
    state->stats.dropped[SC_DROP_EXPIRED]++;
    ticket->drop = SC_DROP_EXPIRED;
    ticket->published = now;
    sc__ledger_hand_out(state, ticket, SC_OUTCOME_DROPPED, now);
}

/** What the query asks of its roads: its zone, and what its user can have reached. False if memory
 * is out. */
static bool set_own(sc__ledger_state *state, sc_ticket *ticket)
{
    sc_continuity *continuity = state->options.continuity;
    ticket->query.own = NULL;
    if (continuity && sc_continuity_ask(continuity, &ticket->query, ticket->asked, &ticket->own)) {
        return false;
    }
    if (ticket->own.zone_count > 0 || ticket->own.has_reached) ticket->query.own = &ticket->own;
    return true;
}

void sc__ledger_state_add(sc__ledger_state *state, sc_ticket *ticket, sc_time now)
{
    const sc_query *query = &ticket->query;
    if (query->deadline < now) {
        turn_away_late(state, ticket, now);
        return;
    }
    // Two queries of one user in the same microsecond, at two gateways, have the same id.
    if (state->tickets.count == state->options.max_tickets ||
        sc__id_table_find(&state->tickets, &query->id)) {
        sc__ledger_state_turn_away(state, ticket, now);
        return;
    }
    if (!set_own(state, ticket)) {
        sc__ledger_state_turn_away(state, ticket, now);
        return;
    }
    state->stats.taken++;
    ticket->state = SC_TICKET_OPEN;
    ticket->query.owner = state->options.self;
    ticket->home = sc_partition_home(state->options.partition, query->segment);
    ticket->is_near =
        sc_partition_is_near(state->options.partition, query->segment, query->max_hops);
    ticket->resend = SC_NO_DEADLINE;
    sc__id_table_put(&state->tickets, ticket);
    sc_deadlines_add(&state->deadlines, sc__ledger_later(query->deadline, state->options.guard_us),
                     ticket, &ticket->moment);
    // Most queries have found company in their own part by then, and need no messages to others.
    if (ticket->is_near && !state->options.is_company_known)
        sc__ledger_resend_at(state, ticket, now + (query->deadline - now) / 4);
    if (!sc__ledger_send_add(state, ticket)) {
        sc__ledger_settle_failed(state, ticket, SC_FAILURE_OVERLOADED, now);
    }
}

/** Its client went away while it is reserved. */
static void withdraw_reserved(sc__ledger_state *state, sc_ticket *ticket, sc_time now)
{
    if (ticket->is_gone) return;
    ticket->is_gone = true;
    sc_reservation *reservation = ticket->reservation;
    if (reservation->is_ours) {
        sc__ledger_call_off(state, reservation, false, now);
    } else {
        // R may have published it already: it decides.
        const sc_proposal *proposal = reservation->proposal;
        sc__ledger_send_about(state, proposal->releaser, SC_MSG_ABORT, &proposal->id, 0,
                              proposal->deadline);
    }
}

void sc__ledger_state_withdraw(sc__ledger_state *state, const sc_query_id *id, sc_time now)
{
    sc_ticket *ticket = sc__id_table_find(&state->tickets, id);
    if (!ticket) return;
    switch (ticket->state) {
    case SC_TICKET_PUBLISHED:
        if (!ticket->is_gone) state->stats.gone_published++;
        ticket->is_gone = true;
        break;
    case SC_TICKET_RESERVED:
        withdraw_reserved(state, ticket, now);
        break;
    default:
        sc__ledger_send_remove(state, ticket, false);
        sc__ledger_settle_gone(state, ticket, now);
        break;
    }
}

// --- Engines that must be told again --------------------------------------------------------

/** Whether a part whose queries are sent again is in its reach. */
static bool reaches_resent(sc__ledger_state *state, sc_ticket *ticket)
{
    size_t count = 0;
    const uint16_t *parts = sc__ledger_reach(state, ticket, &count);
    for (size_t i = 0; i < count; i++) {
        if (state->is_resent[parts[i]]) return true;
    }
    return false;
}

void sc__ledger_state_resend(sc__ledger_state *state, const uint32_t *parts, size_t count,
                             sc_time now)
{
    state->stats.resend_passes++;
    for (size_t i = 0; i < count; i++) {
        state->is_resent[parts[i]] = true;
    }
    size_t from = 0;
    for (sc_ticket *ticket; (ticket = sc__id_table_any(&state->tickets, &from)); from++) {
        // One that is reserved is sent again when it is open again.
        if (ticket->state != SC_TICKET_OPEN) continue;
        if (state->is_resent[ticket->home]) {
            ticket->owes_add = true;
        } else if (!ticket->is_spread || !reaches_resent(state, ticket)) {
            continue;
        }
        sc__ledger_resend_at(state, ticket, now);
    }
    for (size_t i = 0; i < count; i++) {
        state->is_resent[parts[i]] = false;
    }
}

/** As long as there is room for messages. */
static void resend_queries(sc__ledger_state *state, sc_time now)
{
    size_t space = sc_port_space(&state->options.port);
    for (sc_ticket *ticket; (ticket = sc_deadlines_due(&state->resends, now));) {
        if (space == 0) {
            state->paused_until = now + RETRY_US;
            return;
        }
        sc_deadlines_cancel(&state->resends, &ticket->resend);
        if (ticket->state != SC_TICKET_OPEN) continue;
        size_t said = 0;
        if (ticket->owes_add) {
            if (!sc__ledger_send_add(state, ticket)) {
                sc__ledger_resend_at(state, ticket, now + RETRY_US);
                continue;
            }
            ticket->owes_add = false;
            state->stats.resent++;
            said++;
        }
        if (ticket->is_near && !state->options.is_company_known)
            said += sc__ledger_send_company(state, ticket);
        space -= said < space ? said : space;
    }
}

// --- Time -----------------------------------------------------------------------------------

static void run_out(sc__ledger_state *state, sc_ticket *ticket, sc_time now)
{
    if (ticket->state != SC_TICKET_RESERVED) {
        sc__ledger_send_remove(state, ticket, false);
        sc__ledger_settle_dropped(state, ticket, SC_DROP_EXPIRED, now);
    } else if (ticket->reservation->is_ours) {
        sc__ledger_call_off(state, ticket->reservation, false, now);
    } else {
        sc__ledger_leave_in_doubt(state, ticket, now);
    }
}

/** Has a client of ours gone away while its query is reserved? */
static bool has_gone_member(const sc_reservation *reservation)
{
    const sc_ticket *ticket = reservation->members;
    while (ticket && !ticket->is_gone) {
        ticket = ticket->next;
    }
    return ticket != NULL;
}

/** No message of R: ask it, and be patient again. */
static void ask_again(sc__ledger_state *state, sc_reservation *reservation, sc_time now)
{
    sc_time then = sc__ledger_later(now, state->options.patience_us);
    if (reservation->state == SC_RESERVATION_PUBLISHED && then > reservation->give_up)
        then = reservation->give_up;
    state->stats.asked++;
    sc__ledger_send_ask(state, reservation->proposal);
    sc_deadlines_cancel(&state->patience, &reservation->patience);
    sc_deadlines_add(&state->patience, then, reservation, &reservation->patience);
}

static void lose_patience(sc__ledger_state *state, sc_reservation *reservation, sc_time now)
{
    if (reservation->state == SC_RESERVATION_PUBLISHED && now < reservation->give_up) {
        // Perhaps the result was lost; while R has none it is told again that the cloak has left.
        ask_again(state, reservation, now);
    } else if (reservation->state == SC_RESERVATION_PUBLISHED) {
        sc__ledger_fail_published(state, reservation, SC_FAILURE_LOST, now);
    } else if (reservation->is_ours) {
        state->stats.impatient++;
        sc__ledger_call_off(state, reservation, false, now);
    } else {
        const sc_proposal *proposal = reservation->proposal;
        // Perhaps the message that it went was lost, and R would count it.
        if (has_gone_member(reservation)) {
            sc__ledger_send_about(state, proposal->releaser, SC_MSG_ABORT, &proposal->id, 0,
                                  proposal->deadline);
        }
        ask_again(state, reservation, now);
    }
}

void sc__ledger_state_pass_time(sc__ledger_state *state, sc_time now)
{
    for (sc_ticket *ticket; (ticket = sc_deadlines_due(&state->deadlines, now - 1));) {
        run_out(state, ticket, now);
    }
    for (sc_reservation *reservation; (reservation = sc_deadlines_due(&state->patience, now));) {
        lose_patience(state, reservation, now);
    }
    resend_queries(state, now);
    sc__proposal_outcomes_pass_time(state->outcomes, now);
    if (state->options.continuity) sc_continuity_erase(state->options.continuity, now);
}

// --- The end, and what there is to know -----------------------------------------------------

/** End a reservation, so that no peer waits for this gateway. */
static void stop_reservation(sc__ledger_state *state, sc_reservation *reservation, sc_time now)
{
    const sc_proposal *proposal = reservation->proposal;
    if (reservation->state < SC_RESERVATION_PUBLISHED) {
        if (reservation->is_ours) {
            sc__ledger_send_dead_to_gateways(state, reservation);
        } else {
            sc__ledger_send_about(state, proposal->releaser, SC_MSG_ABORT, &proposal->id, 0,
                                  proposal->deadline);
        }
        sc__ledger_fail_members(state, reservation, SC_FAILURE_STOPPED, now);
    } else {
        if (reservation->is_ours)
            sc__ledger_send_result_to_gateways(state, reservation, SC_FAILURE_STOPPED, NULL);
        sc__ledger_fail_published(state, reservation, SC_FAILURE_STOPPED, now);
    }
}

void sc__ledger_state_stop(sc__ledger_state *state, sc_time now)
{
    for (size_t i = 0; i < state->reservation_count; i++) {
        if (state->reservations[i].proposal) stop_reservation(state, &state->reservations[i], now);
    }
    size_t from = 0;
    for (sc_ticket *ticket; (ticket = sc__id_table_any(&state->tickets, &from));) {
        sc__ledger_send_remove(state, ticket, false);
        sc__ledger_settle_failed(state, ticket, SC_FAILURE_STOPPED, now);
    }
}

sc_ticket *sc__ledger_state_take_settled(sc__ledger_state *state)
{
    sc_ticket *first = state->first_settled;
    state->first_settled = state->last_settled = NULL;
    return first;
}

static sc_time earlier_of(sc_time a, sc_time b)
{
    return a < b ? a : b;
}

sc_time sc__ledger_state_next_wake(const sc__ledger_state *state)
{
    if (state->due_count > 0 || state->arrived_count > 0) return INT64_MIN;
    sc_time wake = sc_deadlines_next(&state->releases);
    wake = earlier_of(wake, sc_deadlines_next(&state->patience));
    // A deadline counts once the clock has passed it.
    wake = earlier_of(wake, sc__ledger_later(sc_deadlines_next(&state->deadlines), 1));
    if (state->options.continuity) {
        const sc_time erasure = sc_continuity_next_erasure(state->options.continuity);
        wake = earlier_of(wake, sc__ledger_later(erasure, ERASE_US));
    }
    const sc_time resend = sc_deadlines_next(&state->resends);
    return earlier_of(wake, resend > state->paused_until ? resend : state->paused_until);
}

sc_ledger_stats sc__ledger_state_stats(const sc__ledger_state *state)
{
    sc_ledger_stats stats = state->stats;
    stats.pending = state->tickets.count;
    if (state->options.continuity) {
        stats.continuity = sc_continuity_get_stats(state->options.continuity);
    }
    return stats;
}
