// A ledger state whose messages are kept. See ledger_fixture.h.
#include "support/ledger_fixture.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/sketch.h"
#include "support/streams.h"

static void receive(void *context, sc_peer to, sc_msg *msg)
{
    ledger_fixture *d = context;
    assert_true(d->told_count < LEDGER_TOLD);
    assert_int_equal(msg->from, PEER_SELF);
    d->told[d->told_count++] = (ledger_msg){to, *msg};
}

static size_t space(void *context)
{
    const ledger_fixture *d = context;
    return d->space;
}

sc__ledger_state_options ledger_options(void)
{
    return (sc__ledger_state_options){
        .max_tickets = 8,
        .self = PEER_SELF,
        .jitter_us = 100,
        .guard_us = 10,
        .patience_us = 300,
        .give_up_us = 5000,
    };
}

static bool is_skewed(void *context, sc_peer gateway)
{
    const ledger_fixture *d = context;
    return gateway == d->skewed;
}

void ledger_open(ledger_fixture *d, const sc__ledger_state_options *options, uint64_t seed)
{
    *d = (ledger_fixture){.space = SIZE_MAX};
    sc_rng_seed(&d->rng, seed);
    sc__ledger_state_options own = *options;
    own.port = (sc_port){.send = receive, .space = space, .is_skewed = is_skewed, .context = d};
    if (!own.partition) {
        sketch drawn = sketch_named(small_maps[0].name);
        d->map = sketch_map(&drawn);
        sketch_free(&drawn);
        CHECK_OK(sc_partition_whole(d->map, &d->partition, NULL), NULL);
        own.partition = d->partition;
    }
    CHECK_OK(sc__ledger_state_new(&own, &d->rng, &d->ledger_state), NULL);
}

/** All that are settled and not yet looked at. */
static sc_ticket **settled(ledger_fixture *d)
{
    sc_ticket **last = &d->settled;
    while (*last) {
        last = &(*last)->next;
    }
    *last = sc__ledger_state_take_settled(d->ledger_state);
    return &d->settled;
}

void ledger_close(ledger_fixture *d)
{
    sc__ledger_state_stop(d->ledger_state, SC_TIME_NEVER);
    while (*settled(d)) {
        sc_ticket *ticket = d->settled;
        d->settled = ticket->next;
        sc_ticket_free(ticket);
    }
    for (size_t i = 0; i < d->told_count; i++) {
        sc_msg_fini(&d->told[i].msg);
    }
    sc__ledger_state_free(d->ledger_state);
    sc_partition_free(d->partition);
    sc_map_free(d->map);
}

// --- Tickets -------------------------------------------------------------------------------

sc_ticket *ledger_ticket(uint32_t number, uint32_t k, sc_time deadline)
{
    sc_ticket *ticket = sc_ticket_new();
    assert_non_null(ticket);
    ticket->query = plain_query(number, 0, k, 1, 100, deadline);
    ticket->request = (sc_request){.type = SC_REQUEST_KNN, .k = 1 + number % 3};
    return ticket;
}

sc_ticket *ledger_ask(ledger_fixture *d, uint32_t number, sc_time deadline, sc_time now)
{
    sc_ticket *ticket = ledger_ticket(number, 1, deadline);
    sc__ledger_state_add(d->ledger_state, ticket, now);
    const sc_msg added = ledger_next(d, SC_MSG_ADD, SC_PEER_NONE);
    assert_memory_equal(&added.query, &ticket->query, sizeof added.query);
    assert_int_equal(added.query.owner, PEER_SELF);
    assert_int_equal(added.part, ticket->home);
    assert_int_equal(added.home, ticket->home);
    assert_int_equal(ticket->state, SC_TICKET_OPEN);
    return ticket;
}

void ledger_drop(ledger_fixture *d, uint32_t number, sc_drop_reason reason, sc_time now)
{
    sc_msg msg = {.kind = SC_MSG_DROPPED, .from = PEER_WORKER};
    msg.reason = reason;
    msg.query.id = plain_id(number);
    sc__ledger_state_receive(d->ledger_state, &msg, now);
}

void ledger_withdraw(ledger_fixture *d, uint32_t number, sc_time now)
{
    const sc_query_id id = plain_id(number);
    sc__ledger_state_withdraw(d->ledger_state, &id, now);
}

// --- Proposals ----------------------------------------------------------------------------------

static size_t count_of(const uint32_t *numbers)
{
    size_t count = 0;
    while (numbers[count] != 0) {
        count++;
    }
    return count;
}

sc_proposal *ledger_proposal(ledger_fixture *d, const uint32_t *numbers, sc_peer releaser)
{
    sc_proposal *proposal = sc_proposal_new(0, 1, 0, count_of(numbers));
    assert_non_null(proposal);
    proposal->id.bytes[0] = ++d->proposals;
    proposal->worker = PEER_WORKER;
    proposal->engine_thread = 3;
    proposal->releaser = releaser;
    proposal->is_single = true;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_peer owner = numbers[i] < LEDGER_THEIRS ? PEER_SELF : PEER_OTHER;
        proposal->is_single &= owner == releaser;
        proposal->members[i].query = plain_query(numbers[i], 0, 1, 1, 100, SC_TIME_NEVER);
        proposal->members[i].query.owner = owner;
        proposal->members[i].star = SC_NONE;
    }
    return proposal;
}

sc_proposal_id ledger_reserve(ledger_fixture *d, sc_proposal *proposal, sc_time now)
{
    const sc_proposal_id id = proposal->id;
    sc_msg msg = {.kind = SC_MSG_RESERVE, .from = PEER_WORKER};
    msg.proposal = proposal;
    sc__ledger_state_receive(d->ledger_state, &msg, now);
    return id;
}

sc_proposal_id ledger_propose(ledger_fixture *d, const uint32_t *numbers, sc_time now)
{
    return ledger_reserve(d, ledger_proposal(d, numbers, PEER_SELF), now);
}

void ledger_receive(ledger_fixture *d, sc_msg_kind kind, sc_peer from, const sc_proposal_id *id,
                    sc_time now)
{
    sc_msg msg = {.kind = kind, .from = from};
    msg.id = *id;
    msg.engine_thread = 5;
    msg.deadline = kind == SC_MSG_PUBLISHED ? now : SC_TIME_NEVER;
    msg.number = 815;
    msg.users = 4;
    if (kind == SC_MSG_ASK) msg.member = plain_id(1);
    sc__ledger_state_receive(d->ledger_state, &msg, now);
}

void ledger_release(ledger_fixture *d, const sc_proposal_id *id, const uint32_t *numbers,
                    sc_time deadline, sc_time now)
{
    sc_msg msg = {.kind = SC_MSG_RELEASE, .from = PEER_WORKER};
    msg.id = *id;
    msg.deadline = deadline;
    msg.count = count_of(numbers);
    msg.wishes = sc_calloc(msg.count + 1, sizeof *msg.wishes);
    for (size_t i = 0; i < msg.count; i++) {
        msg.wishes[i].query = plain_id(numbers[i]);
        msg.wishes[i].request = (sc_request){.type = SC_REQUEST_KNN, .k = 1 + numbers[i] % 3};
    }
    sc__ledger_state_receive(d->ledger_state, &msg, now);
}

void ledger_result(ledger_fixture *d, const sc_proposal_id *id, sc_failure failure, sc_time now)
{
    sc_msg msg = {.kind = SC_MSG_RESULT, .from = PEER_OTHER};
    msg.id = *id;
    msg.number = 815;
    msg.users = 4;
    msg.result = sc_result_new(failure, "relay", 5, "reply", 5);
    sc__ledger_state_receive(d->ledger_state, &msg, now);
}

// --- What the ledger state have sent
// --------------------------------------------------------------

sc_msg ledger_next(ledger_fixture *d, sc_msg_kind kind, sc_peer to)
{
    assert_true(d->told_count > 0);
    const ledger_msg said = d->told[0];
    assert_string_equal(sc_msg_kind_name(said.msg.kind), sc_msg_kind_name(kind));
    assert_int_equal(said.to, to);
    d->told_count--;
    memmove(d->told, d->told + 1, d->told_count * sizeof *d->told);
    return said.msg;
}

void ledger_check_msg(ledger_fixture *d, sc_msg_kind kind, sc_peer to, const sc_proposal_id *id)
{
    sc_msg msg = ledger_next(d, kind, to);
    assert_memory_equal(&msg.id, id, sizeof *id);
    if (to == PEER_WORKER) assert_int_equal(msg.engine_thread, 3);
    sc_msg_fini(&msg);
}

void ledger_check_no(ledger_fixture *d, const sc_proposal_id *id, const uint32_t *gone)
{
    sc_msg msg = ledger_next(d, SC_MSG_NO, PEER_WORKER);
    assert_memory_equal(&msg.id, id, sizeof *id);
    assert_int_equal(msg.engine_thread, 3);
    assert_int_equal(msg.count, count_of(gone));
    for (size_t i = 0; i < msg.count; i++) {
        const sc_query_id wanted = plain_id(gone[i]);
        bool is_there = false;
        for (size_t j = 0; j < msg.count; j++) {
            is_there |= memcmp(&msg.gone[j], &wanted, sizeof wanted) == 0;
        }
        assert_true(is_there);
    }
    sc_msg_fini(&msg);
}

void ledger_check_query(ledger_fixture *d, sc_msg_kind kind, uint32_t number, uint32_t part)
{
    const sc_msg msg = ledger_next(d, kind, SC_PEER_NONE);
    const sc_query_id id = plain_id(number);
    assert_memory_equal(&msg.query.id, &id, sizeof id);
    assert_int_equal(msg.query.owner, PEER_SELF);
    assert_int_equal(msg.part, part);
}

void ledger_check_remove(ledger_fixture *d, uint32_t number)
{
    ledger_check_query(d, SC_MSG_REMOVE, number, 0);
}

void ledger_check_quiet(const ledger_fixture *d)
{
    if (d->told_count > 0) {
        fail_msg("%s was said to %lu", sc_msg_kind_name(d->told[0].msg.kind), d->told[0].to);
    }
}

void ledger_check_added_again(ledger_fixture *d, const uint32_t *numbers, sc_time now)
{
    ledger_check_quiet(d);
    sc__ledger_state_pass_time(d->ledger_state, now);
    const size_t count = count_of(numbers);
    assert_int_equal(d->told_count, count);
    for (size_t i = 0; i < count; i++) {
        const sc_query_id id = plain_id(numbers[i]);
        size_t said = 0;
        for (size_t j = 0; j < count; j++) {
            assert_int_equal(d->told[j].msg.kind, SC_MSG_ADD);
            said += memcmp(&d->told[j].msg.query.id, &id, sizeof id) == 0;
        }
        assert_int_equal(said, 1);
    }
    d->told_count = 0;
}

// --- Outcomes ------------------------------------------------------------------------------

void ledger_check_settled(ledger_fixture *d, uint32_t number, sc_outcome outcome, int why)
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
    if (outcome == SC_OUTCOME_FAILED) {
        assert_string_equal(sc_failure_name(ticket->failure), sc_failure_name((sc_failure)why));
    }
    assert_null(ticket->reservation);
    sc_ticket_free(ticket);
}

void ledger_check_none_settled(ledger_fixture *d)
{
    assert_null(*settled(d));
}

void ledger_check_stats(const sc_ledger_stats *stats)
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
    assert_true(stats->refused <= stats->proposals);
}
