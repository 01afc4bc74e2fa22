// Books on a desk. See desk.h.
#include "support/desk.h"

#include "query/cloak_make.h"
#include "support/check.h"
#include "support/streams.h"

static void hear(void *context, const sc__command *command)
{
    desk *d = context;
    assert_true(d->told_count < DESK_TOLD);
    d->told[d->told_count++] = *command;
}

sc__books_options desk_options(void)
{
    return (sc__books_options){.max_tickets = 8, .jitter_us = 100, .guard_us = 10};
}

void desk_open(desk *d, const sc__books_options *options, uint64_t seed)
{
    *d = (desk){0};
    sc_rng_seed(&d->rng, seed);
    sc__books_options own = *options;
    own.tell = hear;
    own.context = d;
    CHECK_OK(sc__books_new(&own, &d->rng, &d->books), NULL);
}

/** All that are settled and not yet looked at. */
static sc_ticket **settled(desk *d)
{
    sc_ticket **last = &d->settled;
    while (*last) {
        last = &(*last)->next;
    }
    *last = sc__books_take_settled(d->books);
    return &d->settled;
}

void desk_close(desk *d)
{
    sc__books_stop(d->books, SC_TIME_NEVER);
    while (*settled(d)) {
        sc_ticket *ticket = d->settled;
        d->settled = ticket->next;
        sc_ticket_free(ticket);
    }
    for (size_t i = 0; i < d->told_count; i++) {
        const sc__command *command = &d->told[i];
        const bool is_answer =
            command->kind == SC__COMMAND_ACCEPT || command->kind == SC__COMMAND_REFUSE;
        if (is_answer) sc_cloak_free(command->cloak);
    }
    sc__books_free(d->books);
}

sc_ticket *desk_ticket(uint32_t number, uint32_t k, sc_time deadline)
{
    sc_ticket *ticket = sc_ticket_new();
    assert_non_null(ticket);
    ticket->query = plain_query(number, 0, k, 1, 100, deadline);
    ticket->request = (sc_request){.type = SC_REQUEST_KNN, .k = 1 + number % 3};
    return ticket;
}

sc_ticket *desk_ask(desk *d, uint32_t number, sc_time deadline, sc_time now)
{
    sc_ticket *ticket = desk_ticket(number, 1, deadline);
    sc__books_add(d->books, ticket, now);
    const sc__command added = desk_next(d, SC__COMMAND_ADD);
    assert_memory_equal(&added.query, &ticket->query, sizeof added.query);
    assert_int_equal(ticket->state, SC_TICKET_OPEN);
    return ticket;
}

sc_cloak *desk_cloak(const uint32_t *numbers)
{
    size_t count = 0;
    while (numbers[count] != 0) {
        count++;
    }
    sc_cloak *cloak = sc_cloak_new(0, 2, count);
    assert_non_null(cloak);
    for (size_t i = 0; i < count; i++) {
        cloak->members[i] =
            (sc_member){.query = plain_query(numbers[i], 0, 1, 1, 100, 0), .star = SC_NONE};
    }
    cloak->segments[0] = 0;
    cloak->segment_count = 1;
    cloak->is_pruned = true;
    return cloak;
}

void desk_propose(desk *d, sc_cloak *cloak, sc_time now)
{
    sc__books_hear(d->books, &(sc__message){.kind = SC__MESSAGE_PROPOSED, .cloak = cloak}, now);
}

void desk_drop(desk *d, uint32_t number, sc_drop_reason reason, sc_time now)
{
    const sc__message message = {
        .kind = SC__MESSAGE_DROPPED, .reason = reason, .id = plain_id(number)};
    sc__books_hear(d->books, &message, now);
}

sc__command desk_next(desk *d, sc__command_kind kind)
{
    assert_true(d->told_count > 0);
    const sc__command command = d->told[0];
    assert_int_equal(command.kind, kind);
    d->told_count--;
    memmove(d->told, d->told + 1, d->told_count * sizeof *d->told);
    return command;
}

void desk_check_remove(desk *d, uint32_t number)
{
    const sc__command command = desk_next(d, SC__COMMAND_REMOVE);
    const sc_query_id id = plain_id(number);
    assert_memory_equal(&command.id, &id, sizeof id);
}

void desk_check_answer(desk *d, sc__command_kind kind, const sc_cloak *cloak)
{
    const sc__command command = desk_next(d, kind);
    assert_ptr_equal(command.cloak, cloak);
    sc_cloak_free(command.cloak);
}

void desk_check_quiet(const desk *d)
{
    assert_int_equal(d->told_count, 0);
}

void desk_check_settled(desk *d, uint32_t number, sc_outcome outcome, int why)
{
    const sc_query_id id = plain_id(number);
    sc_ticket **link = settled(d);
    while (*link && memcmp(&(*link)->query.id, &id, sizeof id) != 0) {
        link = &(*link)->next;
    }
    sc_ticket *ticket = *link;
    if (!ticket) {
        fail_msg("query %u has no outcome", number);
        return;
    }
    *link = ticket->next;
    assert_int_equal(ticket->state, SC_TICKET_SETTLED);
    assert_string_equal(sc_outcome_name(ticket->outcome), sc_outcome_name(outcome));
    if (outcome == SC_OUTCOME_DROPPED) assert_int_equal(ticket->drop, why);
    if (outcome == SC_OUTCOME_FAILED) assert_int_equal(ticket->failure, why);
    assert_null(ticket->proposal);
    sc_ticket_free(ticket);
}

void desk_check_nobody(desk *d)
{
    assert_null(*settled(d));
}

void desk_check_stats(const sc_ledger_stats *stats)
{
    uint64_t sum = stats->pending + stats->answered + stats->gone;
    for (size_t i = 0; i < SC_DROP_REASON_COUNT; i++) {
        sum += stats->dropped[i];
    }
    for (size_t i = 0; i < SC_FAILURE_COUNT; i++) {
        sum += stats->failed[i];
    }
    assert_int_equal(sum, stats->taken);
    assert_true(stats->violations <= stats->refused);
}
