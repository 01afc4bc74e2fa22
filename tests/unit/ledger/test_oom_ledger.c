// Every allocation of a ledger's life fails once, in turn: at the start it sends so; later every
// ticket still has one outcome, and nothing is lost or leaked. The engine's thread and the ledger's
// are played by hand, so that all allocations are this thread's.
#include "ledger/ledger_internal.h"

#include "base/diag.h"
#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/oom.h"
#include "support/sketch.h"
#include "support/streams.h"

enum { TICKETS = 12, ERRANDS = 16 };

static int64_t clock_now;

static int64_t told_time(void)
{
    return clock_now;
}

typedef struct scene {
    sc_map *map;
    sc_ledger *ledger;
    sc_errand *errands[ERRANDS];
    size_t errand_count;
    unsigned returned[TICKETS];
    unsigned failed;
    unsigned answered;
} scene;

static sc_err take_errand(void *context, sc_errand *errand)
{
    scene *s = context;
    assert_true(s->errand_count < ERRANDS);
    s->errands[s->errand_count++] = errand;
    return SC_OK;
}

static void count_settled(void *context, sc_ticket *ticket)
{
    scene *s = context;
    uint32_t number = TICKETS;
    memcpy(&number, ticket->query.id.bytes + sizeof(uint64_t), sizeof number);
    assert_true(number < TICKETS);
    s->returned[number]++;
    if (ticket->outcome == SC_OUTCOME_FAILED) {
        assert_int_equal(ticket->failure, SC_FAILURE_OVERLOADED);
        s->failed++;
    }
    s->answered += ticket->outcome == SC_OUTCOME_ANSWERED;
    sc_ticket_free(ticket);
}

static sc_err open_ledger(scene *s, sc_diag *diag)
{
    sc_ledger_options options = sc_ledger_options_default();
    options.prune_threads = 0;
    options.max_pending = TICKETS;
    options.jitter_us = 100;
    options.guard_us = 10;
    options.is_paranoid = true;
    options.settled = count_settled;
    options.context = s;
    sc_rng *rng = NULL;
    sc_err err = sc_rng_new_seeded(1, &rng);
    if (err) return sc_fail_memory(diag, "a test");
    err = sc__ledger_new_idle(s->map, &options, told_time, rng, &s->ledger, diag);
    if (!err) sc__ledger_set_sender(s->ledger, take_errand, s, NULL);
    return err;
}

static void go_on(scene *s, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        sc__ledger_round(s->ledger);
        sc_engine_pool_round(sc_ledger_engines(s->ledger), clock_now);
        clock_now += 50;
        while (s->errand_count > 0) {
            sc_ledger_errand_back(s->ledger, s->errands[--s->errand_count]);
        }
    }
}

/** Queries of all kinds, made before memory runs out: doors have memory of their own. */
static void live(scene *s, unsigned long n)
{
    sc_ticket *tickets[TICKETS];
    for (uint32_t i = 0; i < TICKETS; i++) {
        const uint32_t k = i == 0 ? 100 : 1 + i % 3;
        tickets[i] = ledger_ticket(i, k, clock_now + 100000);
        tickets[i]->query.segment = i % sc_map_segment_count(s->map);
        tickets[i]->query.l = 1 + i % 4;
    }
    oom_arm(n);
    for (uint32_t i = 0; i < TICKETS; i++) {
        CHECK_OK(sc_ledger_submit(s->ledger, tickets[i]), NULL);
        CHECK_OK(sc_ledger_switch(s->ledger, (sc_variant)(i % 3)), NULL);
        if (i % 3 == 2) go_on(s, 2);
    }
    const sc_query_id gone = plain_id(4);
    sc_ledger_withdraw(s->ledger, &gone);
    go_on(s, 10);
}

static void test_a_start_without_memory_sends_so(void **state)
{
    (void)state;
    sketch drawn = sketch_named(small_maps[0].name);
    scene s = {.map = sketch_map(&drawn)};
    sketch_free(&drawn);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = open_ledger(&s, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(s.ledger);
        failures++;
    }
    print_message("# %lu\n", failures);
    assert_true(failures > 15);
    sc_ledger_free(s.ledger);
    sc_map_free(s.map);
}

static void test_every_ticket_has_one_outcome_whatever_memory_does(void **state)
{
    (void)state;
    sketch drawn = sketch_named(small_maps[0].name);
    sc_map *map = sketch_map(&drawn);
    sketch_free(&drawn);
    unsigned long troubled = 0;
    unsigned failed = 0;
    bool is_last = false;
    for (unsigned long n = 1; !is_last; n++) {
        check_case(n);
        scene s = {.map = map};
        clock_now = 1000;
        sc_diag diag = {""};
        CHECK_OK(open_ledger(&s, &diag), &diag);
        live(&s, n);
        is_last = !oom_happened();
        // Memory is back: what waited for it goes on, and the rest runs out of time.
        clock_now += 20000;
        go_on(&s, 10);
        clock_now += 200000;
        go_on(&s, 4);
        for (size_t i = 0; i < TICKETS; i++) {
            assert_int_equal(s.returned[i], 1);
        }
        sc_ledger_stop(s.ledger);
        const sc_ledger_stats stats = sc_ledger_stats_of(s.ledger);
        ledger_check_stats(&stats);
        assert_int_equal(stats.taken, TICKETS);
        assert_int_equal(stats.violations, 0);
        assert_int_equal(stats.engine.pending + stats.engine.proposed, 0);
        sc_ledger_free(s.ledger);
        if (is_last) {
            print_message("# untroubled: %u answered\n", s.answered);
            assert_int_equal(s.failed, 0);
            assert_true(s.answered > 3);
        } else {
            troubled++;
            failed += s.failed;
        }
    }
    check_case_done();
    print_message("# %lu troubled, %u tickets failed in them\n", troubled, failed);
    assert_true(troubled > 20 && failed > 20);
    sc_map_free(map);
}

// --- Messages between gateways --------------------------------------------------------------

static const uint32_t mixed[] = {1, 1000, 2, 0};

static ledger_fixture *open_fixture(void)
{
    ledger_fixture *d = test_take(1, sizeof *d);
    const sc__ledger_state_options options = ledger_options();
    ledger_open(d, &options, 1);
    ledger_ask(d, 1, 4000, 0);
    ledger_ask(d, 2, 4000, 0);
    return d;
}

static void close_fixture(ledger_fixture *d)
{
    ledger_close(d);
    free(d);
}

static void test_an_ok_without_memory_is_as_a_lost_one(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    sc_proposal *proposal = ledger_proposal(d, mixed, PEER_OTHER);
    oom_arm(1);
    const sc_proposal_id id = ledger_reserve(d, proposal, 0);
    assert_true(oom_happened());
    ledger_check_quiet(d);
    // Its members are reserved, and wait for a message.
    sc__ledger_state_pass_time(d->ledger_state, 300);
    ledger_check_msg(d, SC_MSG_ASK, PEER_OTHER, &id);
    close_fixture(d);
}

static void test_a_no_without_memory_names_no_member(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    sc_proposal *proposal = ledger_proposal(d, (const uint32_t[]){1, 9, 0}, PEER_SELF);
    oom_arm(1);
    const sc_proposal_id id = ledger_reserve(d, proposal, 0);
    assert_true(oom_happened());
    ledger_check_no(d, &id, (const uint32_t[]){0});
    close_fixture(d);
}

static void test_a_result_without_memory_is_not_told(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    const sc_proposal_id id = ledger_reserve(d, ledger_proposal(d, mixed, PEER_SELF), 0);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    ledger_release(d, &id, (const uint32_t[]){1000, 0}, 4000, 0);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, 200);
    sc__ledger_state_published(d->ledger_state, reservation, 1, 3, 200);
    ledger_check_msg(d, SC_MSG_PUBLISHED, PEER_WORKER, &id);
    ledger_check_msg(d, SC_MSG_PUBLISHED, PEER_OTHER, &id);
    sc_answer_place places[2] = {{.request = 0}};
    sc_result *result = sc_result_new(SC_FAILURE_NONE, "a", 1, "b", 1);
    oom_arm(1);
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, places, result, 300);
    assert_true(oom_happened());
    ledger_check_quiet(d);
    ledger_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
    ledger_check_settled(d, 2, SC_OUTCOME_ANSWERED, 0);
    close_fixture(d);
}

static void test_a_ticket_without_memory_is_none(void **state)
{
    (void)state;
    oom_arm(1);
    sc_ticket *ticket = sc_ticket_new();
    assert_true(oom_happened());
    assert_null(ticket);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_start_without_memory_sends_so),
    SC_CASES(test_every_ticket_has_one_outcome_whatever_memory_does),
    cmocka_unit_test(test_an_ok_without_memory_is_as_a_lost_one),
    cmocka_unit_test(test_a_no_without_memory_names_no_member),
    cmocka_unit_test(test_a_result_without_memory_is_not_told),
    cmocka_unit_test(test_a_ticket_without_memory_is_none),
};
SC_SUITE(tests)
