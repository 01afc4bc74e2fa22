// The ledger state with continuity: what a user can have reached goes with its query, a cloak that
// left or may have left is the user's last one, others change nothing, and nothing is kept for
// long.
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/oom.h"
#include "support/sketch.h"

enum { USER = 77, TAU_US = 1000000 };

typedef struct scene {
    sc_map *map;
    sc_partition *partition;
    sc_continuity *continuity;
    ledger_fixture ledger_fixture;
} scene;

static scene *scene_open(void)
{
    scene *s = test_take(1, sizeof *s);
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    s->map = sketch_map(&grid);
    sketch_free(&grid);
    CHECK_OK(sc_partition_whole(s->map, &s->partition, NULL), NULL);
    sc_continuity_options continuity = sc_continuity_options_default();
    continuity.tau_us = TAU_US;
    CHECK_OK(sc_continuity_new(s->map, &continuity, &s->continuity, NULL), NULL);
    sc__ledger_state_options options = ledger_options();
    options.partition = s->partition;
    options.continuity = s->continuity;
    ledger_open(&s->ledger_fixture, &options, 1);
    return s;
}

static void scene_close(scene *s)
{
    const sc_ledger_stats stats = sc__ledger_state_stats(s->ledger_fixture.ledger_state);
    ledger_check_stats(&stats);
    ledger_close(&s->ledger_fixture);
    assert_int_equal(sc_continuity_get_stats(s->continuity).waiting, 0);
    sc_continuity_free(s->continuity);
    sc_partition_free(s->partition);
    sc_map_free(s->map);
    free(s);
}

/** A query of the user, at `now` and for 500 from then on; whether it goes by a last cloak. */
static void ask(scene *s, uint32_t number, sc_time now, bool is_linked)
{
    ledger_fixture *d = &s->ledger_fixture;
    sc_ticket *ticket = ledger_ticket(number, 1, now + 500);
    ticket->query.user = USER;
    ticket->query.max_hops = 1;
    ticket->asked = now;
    sc__ledger_state_add(d->ledger_state, ticket, now);
    sc_msg msg = ledger_next(d, SC_MSG_ADD, SC_PEER_NONE);
    assert_int_equal(msg.query.own != NULL, is_linked);
    if (msg.query.own) {
        assert_true(msg.query.own->has_reached);
        assert_true(msg.query.own->reached_count > 0);
        assert_ptr_not_equal(msg.query.own, ticket->query.own);
    }
    sc_msg_fini(&msg);
    ledger_check_quiet(d);
}

static sc_proposal_id propose(scene *s, uint32_t number, sc_time now)
{
    return ledger_propose(&s->ledger_fixture, (const uint32_t[]){number, 0}, now);
}

static void publish(scene *s, uint32_t number, sc_time now)
{
    ledger_fixture *d = &s->ledger_fixture;
    (void)propose(s, number, now);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, now + 100);
    assert_non_null(reservation);
    sc__ledger_state_published(d->ledger_state, reservation, 1, 1, now + 100);
    sc_msg msg = ledger_next(d, SC_MSG_PUBLISHED, PEER_WORKER);
    sc_msg_fini(&msg);
    sc_answer_place place = {.request = 0};
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_UNREACHABLE, &place, NULL,
                              now + 200);
    ledger_check_settled(d, number, SC_OUTCOME_FAILED, SC_FAILURE_UNREACHABLE);
}

static uint64_t users_of(const scene *s)
{
    return sc__ledger_state_stats(s->ledger_fixture.ledger_state).continuity.users;
}

static void test_a_cloak_that_left_goes_with_the_users_next_query(void **state)
{
    (void)state;
    scene *s = scene_open();
    ask(s, 1, 0, false);
    assert_int_equal(users_of(s), 0);
    publish(s, 1, 0);
    assert_int_equal(users_of(s), 1);
    ask(s, 2, 1000, true);
    // Sent again, it has the table too.
    sc__ledger_state_resend(s->ledger_fixture.ledger_state, (const uint32_t[]){0}, 1, 1000);
    sc__ledger_state_pass_time(s->ledger_fixture.ledger_state, 1000);
    sc_msg msg = ledger_next(&s->ledger_fixture, SC_MSG_ADD, SC_PEER_NONE);
    assert_non_null(msg.query.own);
    sc_msg_fini(&msg);
    ledger_drop(&s->ledger_fixture, 2, SC_DROP_EXPOSED, 1100);
    // What helps depends on the demands that were in force.
    s->ledger_fixture.settled = sc__ledger_state_take_settled(s->ledger_fixture.ledger_state);
    const sc_ticket *dropped = s->ledger_fixture.settled;
    assert_int_equal(dropped->demands, SC_TICKET_CONTINUITY);
    assert_int_equal(dropped->linked_until, TAU_US);
    ledger_check_settled(&s->ledger_fixture, 2, SC_OUTCOME_DROPPED, SC_DROP_EXPOSED);
    const sc_continuity_stats stats =
        sc__ledger_state_stats(s->ledger_fixture.ledger_state).continuity;
    assert_int_equal(stats.linked, 1);
    assert_int_equal(stats.waiting, 0);
    scene_close(s);
}

static void test_a_cloak_that_did_not_leave_changes_nothing(void **state)
{
    (void)state;
    scene *s = scene_open();
    ask(s, 1, 0, false);
    (void)propose(s, 1, 0);
    ledger_withdraw(&s->ledger_fixture, 1, 10);
    ledger_check_settled(&s->ledger_fixture, 1, SC_OUTCOME_GONE, 0);
    assert_int_equal(users_of(s), 0);
    scene_close(s);
}

static void test_a_cloak_that_may_have_left_counts(void **state)
{
    (void)state;
    scene *s = scene_open();
    ledger_fixture *d = &s->ledger_fixture;
    ask(s, 1, 0, false);
    sc_proposal *proposal = ledger_proposal(d, (const uint32_t[]){1, LEDGER_THEIRS, 0}, PEER_OTHER);
    (void)ledger_reserve(d, proposal, 0);
    sc_msg msg = ledger_next(d, SC_MSG_OK, PEER_WORKER);
    sc_msg_fini(&msg);
    sc__ledger_state_pass_time(d->ledger_state, 511);
    ledger_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_IN_DOUBT);
    assert_int_equal(users_of(s), 1);
    scene_close(s);
}

static void test_last_cloaks_are_erased_after_tau(void **state)
{
    (void)state;
    scene *s = scene_open();
    ask(s, 1, 0, false);
    publish(s, 1, 0);
    // Together with others, within a second.
    const sc_time wake = sc__ledger_state_next_wake(s->ledger_fixture.ledger_state);
    assert_in_range(wake, TAU_US + 1, TAU_US + 1000001);
    sc__ledger_state_pass_time(s->ledger_fixture.ledger_state, wake);
    assert_int_equal(users_of(s), 0);
    assert_int_equal(sc__ledger_state_next_wake(s->ledger_fixture.ledger_state), SC_TIME_NEVER);
    scene_close(s);
}

static void test_without_memory_queries_are_turned_away_as_overloaded(void **state)
{
    (void)state;
    scene *s = scene_open();
    ledger_fixture *d = &s->ledger_fixture;
    ask(s, 1, 0, false);
    publish(s, 1, 0);
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        sc_ticket *ticket = ledger_ticket(2, 1, 2000);
        ticket->query.user = USER;
        ticket->asked = 1000;
        sc_alloc_fail_at(n);
        sc__ledger_state_add(d->ledger_state, ticket, 1000);
        if (!oom_happened()) break;
        failures++;
        while (d->told_count > 0) {
            sc_msg_fini(&d->told[--d->told_count].msg);
        }
        ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
        assert_int_equal(sc_continuity_get_stats(s->continuity).waiting, 0);
    }
    assert_true(failures >= 2);
    sc_msg msg = ledger_next(d, SC_MSG_ADD, SC_PEER_NONE);
    sc_msg_fini(&msg);
    // And so are members of a cloak that could not be kept.
    sc_proposal *proposal = ledger_proposal(d, (const uint32_t[]){2, 0}, PEER_SELF);
    sc_alloc_fail_at(1);
    (void)ledger_reserve(d, proposal, 1100);
    assert_true(oom_happened());
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    scene_close(s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cloak_that_left_goes_with_the_users_next_query),
    cmocka_unit_test(test_a_cloak_that_did_not_leave_changes_nothing),
    cmocka_unit_test(test_a_cloak_that_may_have_left_counts),
    cmocka_unit_test(test_last_cloaks_are_erased_after_tau),
    cmocka_unit_test(test_without_memory_queries_are_turned_away_as_overloaded),
};
SC_SUITE(tests)
