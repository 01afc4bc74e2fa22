// A process with books, and the way to the provider. See rehearsal_internal.h.
#include "base/alloc.h"
#include "cluster_sim/cluster_sim_internal.h"

// --- Life ----------------------------------------------------------------------------------

/** The courier's own limit: a silent provider is given up then. */
static sc_time provider_limit(const sc_rehearsal_options *options)
{
    return 4 * options->provider_us;
}

sc_err sc__as_gateway_start(sc__process *process)
{
    const sc_rehearsal_options *options = &process->rehearsal->options;
    const sc__books_options books = {
        .max_tickets = options->max_pending,
        .self = sc__process_peer(process),
        .jitter_us = options->jitter_us,
        .guard_us = options->guard_us,
        .patience_us = options->patience_us,
        .give_up_us = provider_limit(options) + 4 * options->delay_us + options->patience_us,
        .cut = options->cut,
        .voice = sc__network_voice(process),
    };
    return sc__books_new(&books, &process->rng, &process->books);
}

/** Outcomes since the last look. Those of a crash reach nobody. */
static void settle(sc__process *process, bool is_crash)
{
    sc_rehearsal *rehearsal = process->rehearsal;
    sc_ticket *next = sc__books_take_settled(process->books);
    for (sc_ticket *ticket; (ticket = next);) {
        next = ticket->next;
        const uint64_t number = (uintptr_t)ticket->door;
        if (is_crash) {
            sc__truth_disconnect(&rehearsal->truth, number);
        } else {
            sc__truth_settle(&rehearsal->truth, number, ticket, rehearsal->now);
            if (rehearsal->options.ended) {
                rehearsal->options.ended(rehearsal->options.context, number, ticket,
                                         rehearsal->now);
            }
        }
        sc_ticket_free(ticket);
    }
}

void sc__as_gateway_end(sc__process *process)
{
    if (!process->books) return;
    sc__books_stop(process->books, sc__process_now(process));
    settle(process, true);
    sc__books_free(process->books);
    process->books = NULL;
}

// --- The provider --------------------------------------------------------------------------

/** An answer will be there, for a proposal that was published here or whose result arrived. */
static void expect_answer(sc__process *process, sc_proposal *proposal, sc_failure failure,
                          sc_time after)
{
    sc_rehearsal *rehearsal = process->rehearsal;
    sc__event *event = sc__event_new(SC__EVENT_ANSWER, process->index, process->life);
    if (event) {
        event->proposal = proposal;
        event->failure = failure;
    }
    sc__rehearsal_plan(rehearsal, rehearsal->now + after, event);
}

/** Half of the provider's failures are told at once, half are silence. */
static void publish(sc__process *process, sc_proposal *proposal)
{
    sc_rehearsal *rehearsal = process->rehearsal;
    uint32_t users = 0;
    const sc_err err = sc__truth_publish(&rehearsal->truth, proposal->bid, rehearsal->now, &users);
    if (err) sc__rehearsal_fail(rehearsal, err);
    sc__books_published(process->books, proposal, sc_rng_next(&rehearsal->rng), users,
                        sc__process_now(process));

    sc_failure failure = SC_FAILURE_NONE;
    sc_time after = sc__draw_time(&rehearsal->rng, rehearsal->options.provider_us);
    const double luck = sc_rng_unit(&rehearsal->rng);
    if (luck < rehearsal->options.provider_failure / 2) {
        failure = SC_FAILURE_UNREACHABLE;
    } else if (luck < rehearsal->options.provider_failure) {
        failure = SC_FAILURE_TIMEOUT;
        after = provider_limit(&rehearsal->options);
    }
    expect_answer(process, proposal, failure, after);
}

/** Seats for our members, with empty answers unless it has failed; NULL if memory is out. */
static sc_seat *make_seats(const sc_proposal *proposal, sc_failure failure)
{
    size_t count = 0;
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        count++;
    }
    sc_seat *seats = sc_calloc(count + 1, sizeof *seats);
    for (size_t i = 0; seats && !failure && i < count; i++) {
        seats[i].answer = sc_calloc(1, sizeof(sc_answer));
        if (seats[i].answer) seats[i].answer->size = sizeof(sc_answer);
    }
    return seats;
}

static void answer(sc__process *process, sc_proposal *proposal, sc_failure failure)
{
    sc_rehearsal *rehearsal = process->rehearsal;
    const bool has_others = proposal->is_ours && !proposal->bid->is_single;
    sc_seat *seats = make_seats(proposal, failure);
    if (!seats) {
        sc__rehearsal_fail(rehearsal, SC_ENOMEM);
        return;
    }
    sc_result *result = has_others ? sc_result_new(failure, "?", 1, "!", 1) : NULL;
    sc__books_answered(process->books, proposal, failure, seats, result, sc__process_now(process));
    sc_free(seats);
}

// --- What happens --------------------------------------------------------------------------

void sc__as_gateway_meet(sc__process *process, sc__event *event)
{
    const sc_time now = sc__process_now(process);
    switch (event->kind) {
    case SC__EVENT_WORD:
        sc__books_hear(process->books, &event->word, now);
        event->word = (sc_word){0};
        break;
    case SC__EVENT_ASK:
        sc__books_add(process->books, event->ticket, now);
        event->ticket = NULL;
        break;
    case SC__EVENT_WITHDRAW:
        sc__truth_leave(&process->rehearsal->truth, &event->id);
        sc__books_withdraw(process->books, &event->id, now);
        break;
    case SC__EVENT_ANSWER:
        answer(process, event->proposal, event->failure);
        break;
    case SC__EVENT_RESEND:
        sc__books_resend(process->books, event->part, now);
        break;
    default:
        break;
    }
}

void sc__as_gateway_attend(sc__process *process)
{
    const sc_time now = sc__process_now(process);
    sc__books_pass_time(process->books, now);
    for (sc_proposal *due; (due = sc__books_take_due(process->books, now));) {
        publish(process, due);
    }
    for (sc_proposal *arrived; (arrived = sc__books_take_arrived(process->books));) {
        expect_answer(process, arrived, arrived->result->failure, 0);
    }
    settle(process, false);
    const sc_time next = sc__books_next_wake(process->books);
    sc__process_wake_at(process, next > now ? next : now + 1);
}
