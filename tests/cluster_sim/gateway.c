// A process with a ledger state, and the way to the provider. See cluster_sim_internal.h.
#include "base/alloc.h"
#include "cluster_sim/cluster_sim_internal.h"

// --- Life -----------------------------------------------------------------------------------

/** The courier's own limit: a silent provider is given up then. */
static sc_time provider_limit(const sc_cluster_sim_options *options)
{
    return 4 * options->provider_us;
}

sc_err sc__as_gateway_start(sc__process *process)
{
    const sc_cluster_sim_options *options = &process->sim->options;
    const sc__ledger_state_options state = {
        .max_tickets = options->max_pending,
        .self = sc__process_peer(process),
        .jitter_us = options->jitter_us,
        .guard_us = options->guard_us,
        .patience_us = options->patience_us,
        .give_up_us = provider_limit(options) + 4 * options->delay_us + options->patience_us,
        .partition = options->partition,
        .port = sc__network_port(process),
    };
    return sc__ledger_state_new(&state, &process->rng, &process->state);
}

/** Outcomes since the last look. Those of a crash are lost. */
static void settle(sc__process *process, bool is_crash)
{
    sc_cluster_sim *sim = process->sim;
    sc_ticket *next = sc__ledger_state_take_settled(process->state);
    for (sc_ticket *ticket; (ticket = next);) {
        next = ticket->next;
        const uint64_t number = (uintptr_t)ticket->client;
        if (is_crash) {
            sc__truth_disconnect(&sim->truth, number);
        } else {
            sc__truth_settle(&sim->truth, number, ticket, sim->now);
            if (sim->options.ended) {
                sim->options.ended(sim->options.context, number, ticket, sim->now);
            }
        }
        sc_ticket_free(ticket);
    }
}

void sc__as_gateway_end(sc__process *process)
{
    if (!process->state) return;
    sc__ledger_state_stop(process->state, sc__process_now(process));
    settle(process, true);
    sc__ledger_state_free(process->state);
    process->state = NULL;
}

// --- The provider ---------------------------------------------------------------------------

/** An answer will be there, for a proposal that was published here or whose result arrived. */
static void expect_answer(sc__process *process, sc_reservation *reservation, sc_failure failure,
                          sc_time after)
{
    sc_cluster_sim *sim = process->sim;
    sc__event *event = sc__event_new(SC__EVENT_ANSWER, process->index, process->life);
    if (event) {
        event->reservation = reservation;
        event->failure = failure;
    }
    sc__cluster_sim_plan(sim, sim->now + after, event);
}

/** Half of the provider's failures are told at once, half are silence. */
static void publish(sc__process *process, sc_reservation *reservation)
{
    sc_cluster_sim *sim = process->sim;
    uint32_t users = 0;
    const sc_err err = sc__truth_publish(&sim->truth, reservation->proposal, sim->now, &users);
    if (err) sc__cluster_sim_fail(sim, err);
    sc__ledger_state_published(process->state, reservation, sc_rng_next(&sim->rng), users,
                               sc__process_now(process));

    sc_failure failure = SC_FAILURE_NONE;
    sc_time after = sc__draw_time(&sim->rng, sim->options.provider_us);
    const double luck = sc_rng_unit(&sim->rng);
    if (luck < sim->options.provider_failure / 2) {
        failure = SC_FAILURE_UNREACHABLE;
    } else if (luck < sim->options.provider_failure) {
        failure = SC_FAILURE_TIMEOUT;
        after = provider_limit(&sim->options);
    }
    expect_answer(process, reservation, failure, after);
}

/** Seats for our members, with empty answers unless it has failed; NULL if memory is out. */
static sc_answer_place *make_places(const sc_reservation *reservation, sc_failure failure)
{
    size_t count = 0;
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        count++;
    }
    sc_answer_place *places = sc_calloc(count + 1, sizeof *places);
    for (size_t i = 0; places && !failure && i < count; i++) {
        places[i].answer = sc_calloc(1, sizeof(sc_answer));
        if (places[i].answer) places[i].answer->size = sizeof(sc_answer);
    }
    return places;
}

static void answer(sc__process *process, sc_reservation *reservation, sc_failure failure)
{
    sc_cluster_sim *sim = process->sim;
    const bool has_others = reservation->is_ours && !reservation->proposal->is_single;
    sc_answer_place *places = make_places(reservation, failure);
    if (!places) {
        sc__cluster_sim_fail(sim, SC_ENOMEM);
        return;
    }
    sc_result *result = has_others ? sc_result_new(failure, "?", 1, "!", 1) : NULL;
    sc__ledger_state_answered(process->state, reservation, failure, places, result,
                              sc__process_now(process));
    sc_free(places);
}

// --- What happens ---------------------------------------------------------------------------

void sc__as_gateway_meet(sc__process *process, sc__event *event)
{
    const sc_time now = sc__process_now(process);
    switch (event->kind) {
    case SC__EVENT_MSG:
        sc__ledger_state_receive(process->state, &event->msg, now);
        event->msg = (sc_msg){0};
        break;
    case SC__EVENT_ASK:
        sc__ledger_state_add(process->state, event->ticket, now);
        event->ticket = NULL;
        break;
    case SC__EVENT_WITHDRAW:
        sc__truth_leave(&process->sim->truth, &event->id);
        sc__ledger_state_withdraw(process->state, &event->id, now);
        break;
    case SC__EVENT_ANSWER:
        answer(process, event->reservation, event->failure);
        break;
    case SC__EVENT_RESEND:
        sc__ledger_state_resend(process->state, &event->part, 1, now);
        break;
    default:
        break;
    }
}

void sc__as_gateway_attend(sc__process *process)
{
    const sc_time now = sc__process_now(process);
    sc__ledger_state_pass_time(process->state, now);
    for (sc_reservation *due; (due = sc__ledger_state_take_due(process->state, now));) {
        publish(process, due);
    }
    for (sc_reservation *arrived; (arrived = sc__ledger_state_take_arrived(process->state));) {
        expect_answer(process, arrived, arrived->result->failure, 0);
    }
    settle(process, false);
    const sc_time next = sc__ledger_state_next_wake(process->state);
    sc__process_wake_at(process, next > now ? next : now + 1);
}
