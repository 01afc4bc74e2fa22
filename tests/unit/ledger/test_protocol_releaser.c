// Scenes with another gateway in which we are R: what we send and do, and what becomes of messages
// that come twice, too early, too late or from a wrong sender. Times are microseconds;
// the guard is 10, the jitter 100, the patience 300.
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture_four.h"
#include "support/streams.h"

/** For the 8 tickets of a ledger_fixture. */
enum { MOST_FATES = 8 * 8 + 4096 };

/** It is off: worker and other gateway are told, and our members are open again. */
static void check_called_off(ledger_fixture *d, const sc_proposal_id *id, sc_time now)
{
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, id);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, id);
    ledger_check_added_again(d, four_ours, now);
    ledger_check_none_settled(d);
    assert_null(sc__ledger_state_take_due(d->ledger_state, now + 200));
}

static void test_as_r_a_proposal_leaves_once_it_is_released(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    sc_proposal_id id = four_reserve(d, PEER_SELF);
    assert_null(sc__ledger_state_take_due(d->ledger_state, 200));
    ledger_release(d, &id, four_theirs, 4000, 200);
    ledger_release(d, &id, four_theirs, 4000, 201);
    ledger_check_quiet(d);
    const sc_time wake = sc__ledger_state_next_wake(d->ledger_state);
    assert_in_range(wake, 200, 300);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, wake);
    // What the others ask for, in the order of the proposal.
    assert_true(reservation->is_ours && reservation->has_others);
    assert_int_equal(reservation->wish_count, 2);
    assert_int_equal(reservation->wishes[0].request.k, 1 + 1000 % 3);
    assert_int_equal(reservation->wishes[1].request.k, 1 + 1001 % 3);
    assert_int_equal(reservation->too_late, 3990);
    four_close(d);
}

static void test_as_r_the_result_goes_to_the_other_gateway(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    sc_proposal_id id;
    sc_reservation *reservation = four_publish(d, &id);
    sc_answer_place places[2] = {{.request = 0}};
    sc_result *result = sc_result_new(SC_FAILURE_NONE, "abc", 3, "de", 2);
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, places, result, 300);
    sc_msg msg = ledger_next(d, SC_MSG_RESULT, PEER_OTHER);
    assert_memory_equal(&msg.id, &id, sizeof id);
    assert_int_equal(msg.number, 4711);
    assert_int_equal(msg.users, 4);
    assert_int_equal(msg.result->failure, SC_FAILURE_NONE);
    assert_int_equal(msg.result->relay_size, 3);
    assert_memory_equal(msg.result->reply, "de", 2);
    sc_msg_fini(&msg);
    ledger_check_quiet(d);
    ledger_check_settled(d, 2, SC_OUTCOME_ANSWERED, 0);
    ledger_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
    four_close(d);
}

static void test_as_r_a_failure_is_told_to_the_other_gateway(void **state)
{
    (void)state;
    const sc_failure failures[] = {SC_FAILURE_TIMEOUT, SC_FAILURE_NONE};
    for (size_t i = 0; i < 2; i++) {
        ledger_fixture *d = four_open();
        sc_proposal_id id;
        sc_reservation *reservation = four_publish(d, &id);
        sc_answer_place places[2] = {{.request = 0}};
        sc__ledger_state_answered(d->ledger_state, reservation, failures[i], places, NULL, 300);
        // What went well, but cannot be told, has failed for the others.
        four_check_failure(d, failures[i] ? failures[i] : SC_FAILURE_OVERLOADED);
        ledger_check_quiet(d);
        four_close(d);
    }
}

static void test_as_r_what_cannot_be_sent_has_failed_for_all(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_SELF);
    ledger_release(d, &id, four_theirs, 4000, 10);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, 200);
    sc__ledger_state_unsent(d->ledger_state, reservation, SC_FAILURE_OVERLOADED, 200);
    four_check_failure(d, SC_FAILURE_OVERLOADED);
    ledger_check_remove(d, 2);
    ledger_check_remove(d, 1);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
    ledger_check_quiet(d);
    ledger_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    // It has not left, and never will.
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, 201);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
    four_close(d);
}

static void test_as_r_a_release_without_a_proposal_or_by_a_stranger_is_passed_over(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id unknown = {{77}};
    ledger_release(d, &unknown, four_theirs, 4000, 0);
    const sc_proposal_id id = four_reserve(d, PEER_SELF);
    ledger_receive(d, SC_MSG_RELEASE, PEER_STRANGER, &id, 1);
    ledger_receive(d, SC_MSG_RELEASE, PEER_OTHER, &id, 1);
    ledger_check_quiet(d);
    assert_null(sc__ledger_state_take_due(d->ledger_state, 250));
    four_close(d);
}

static void test_as_r_a_release_that_sends_too_little_is_off(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_SELF);
    ledger_release(d, &id, (const uint32_t[]){1000, 2, 0}, 4000, 1);
    check_called_off(d, &id, 1);
    four_close(d);
}

static void test_as_r_a_release_too_late_for_the_others_is_off(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    sc_proposal_id id = four_reserve(d, PEER_SELF);
    ledger_release(d, &id, four_theirs, 60, 50);
    check_called_off(d, &id, 50);
    // One earlier there is time for it, if next to none.
    id = ledger_reserve(d, ledger_proposal(d, four_all, PEER_SELF), 300);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    ledger_release(d, &id, four_theirs, 321, 310);
    ledger_check_quiet(d);
    const sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, 310);
    assert_non_null(reservation);
    assert_int_equal(reservation->proposal->deadline, 321);
    four_close(d);
}

static void test_as_r_patience_has_an_end(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_SELF);
    assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), 300);
    sc__ledger_state_pass_time(d->ledger_state, 299);
    ledger_check_quiet(d);
    sc__ledger_state_pass_time(d->ledger_state, 300);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
    // In the same step engines are told that they are open again.
    assert_int_equal(d->told_count, 2);
    d->told_count = 0;
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).impatient, 1);
    // The release comes after all.
    ledger_release(d, &id, four_theirs, 4000, 301);
    ledger_check_quiet(d);
    assert_null(sc__ledger_state_take_due(d->ledger_state, 600));
    four_close(d);
}

static void test_as_r_only_worker_and_members_may_abort(void **state)
{
    (void)state;
    for (int is_released = 0; is_released < 2; is_released++) {
        ledger_fixture *d = four_open();
        sc_proposal_id id = four_reserve(d, PEER_SELF);
        if (is_released) ledger_release(d, &id, four_theirs, 4000, 1);
        ledger_receive(d, SC_MSG_ABORT, PEER_STRANGER, &id, 1);
        ledger_check_quiet(d);
        ledger_receive(d, SC_MSG_ABORT, PEER_OTHER, &id, 2);
        check_called_off(d, &id, 2);

        id = ledger_reserve(d, ledger_proposal(d, four_all, PEER_SELF), 300);
        ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
        ledger_receive(d, SC_MSG_ABORT, PEER_WORKER, &id, 301);
        ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
        ledger_check_added_again(d, four_ours, 301);
        assert_int_equal(sc__ledger_state_stats(d->ledger_state).aborted, 1);
        four_close(d);
    }
}

static void test_as_r_what_has_left_cannot_be_aborted(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    sc_proposal_id id;
    sc_reservation *reservation = four_publish(d, &id);
    ledger_receive(d, SC_MSG_ABORT, PEER_OTHER, &id, 201);
    ledger_receive(d, SC_MSG_ABORT, PEER_WORKER, &id, 201);
    ledger_check_quiet(d);
    sc_answer_place places[2] = {{.request = 0}};
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, places, NULL, 300);
    four_check_failure(d, SC_FAILURE_OVERLOADED);
    ledger_receive(d, SC_MSG_ABORT, PEER_WORKER, &id, 301);
    // A gateway that asks gets the result again, the worker that it has left.
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, 302);
    sc_msg again = ledger_next(d, SC_MSG_RESULT, PEER_OTHER);
    assert_memory_equal(&again.id, &id, sizeof id);
    assert_int_equal(again.number, 4711);
    assert_int_equal(again.users, 4);
    assert_int_equal(again.result->failure, SC_FAILURE_OVERLOADED);
    sc_msg_fini(&again);
    ledger_receive(d, SC_MSG_ASK, PEER_WORKER, &id, 302);
    sc_msg left = ledger_next(d, SC_MSG_PUBLISHED, PEER_WORKER);
    assert_memory_equal(&left.id, &id, sizeof id);
    ledger_check_quiet(d);
    four_close(d);
}

static void test_as_r_a_member_of_ours_that_goes_calls_it_off(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_SELF);
    ledger_release(d, &id, four_theirs, 4000, 1);
    ledger_withdraw(d, 1, 2);
    ledger_check_remove(d, 1);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
    ledger_check_settled(d, 1, SC_OUTCOME_GONE, 0);
    ledger_check_added_again(d, (const uint32_t[]){2, 0}, 2);
    four_close(d);
}

static void test_as_r_a_question_is_answered_with_the_decision(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    // Unknown: it is dead from now on, so that what was sent stays true.
    sc_proposal *proposal = ledger_proposal(d, four_all, PEER_SELF);
    sc_proposal *again = sc_proposal_clone(proposal);
    sc_proposal_id id = proposal->id;
    ledger_ask(d, 1, 5000, 0);
    ledger_ask(d, 2, 4000, 0);
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, 1);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
    ledger_reserve(d, proposal, 2);
    ledger_check_no(d, &id, four_none);
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, 3);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);

    // Not decided: nothing is sent.
    again->id.bytes[1] = 1;
    id = ledger_reserve(d, again, 4);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, 5);
    ledger_release(d, &id, four_theirs, 4000, 6);
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, 7);
    ledger_check_quiet(d);

    // Published: that is sent again, to a worker in the engine thread that asks.
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, 200);
    sc__ledger_state_published(d->ledger_state, reservation, 4711, 4, 200);
    d->told_count = 0;
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, 201);
    ledger_check_msg(d, SC_MSG_PUBLISHED, PEER_OTHER, &id);
    ledger_receive(d, SC_MSG_ASK, PEER_WORKER, &id, 201);
    ledger_check_msg(d, SC_MSG_PUBLISHED, PEER_WORKER, &id);
    ledger_check_quiet(d);
    four_close(d);
}

static void test_an_abort_that_overtakes_its_proposal_keeps_it_out(void **state)
{
    (void)state;
    for (int is_ours = 0; is_ours < 2; is_ours++) {
        ledger_fixture *d = four_open();
        ledger_ask(d, 1, 5000, 0);
        ledger_ask(d, 2, 4000, 0);
        sc_proposal *proposal = ledger_proposal(d, four_all, is_ours ? PEER_SELF : PEER_OTHER);
        const sc_proposal_id id = proposal->id;
        ledger_receive(d, SC_MSG_ABORT, PEER_WORKER, &id, 1);
        ledger_reserve(d, proposal, 2);
        ledger_check_no(d, &id, four_none);
        ledger_check_quiet(d);
        ledger_check_none_settled(d);
        four_close(d);
    }
}

/** Fill the outcomes: a question about a proposal that is not known is answered "dead", until
 * there is no room to remember that. Returns how many were told. */
static size_t fill_fates(ledger_fixture *d, sc_time now)
{
    for (uint32_t i = 0; i < 2 * MOST_FATES; i++) {
        sc_proposal_id id = {{0xee}};
        memcpy(id.bytes + 4, &i, sizeof i);
        ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, now);
        if (d->told_count == 0) return i;
        ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
    }
    fail();
    return 0;
}

static void test_without_room_for_outcomes_proposals_are_put_off(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    ledger_ask(d, 1, 5000, 0);
    ledger_ask(d, 2, 4000, 0);
    assert_int_equal(fill_fates(d, 1), MOST_FATES);
    // A proposal that could not be remembered is not called dead.
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &(sc_proposal_id){{0xff}}, 2);
    ledger_receive(d, SC_MSG_ABORT, PEER_WORKER, &(sc_proposal_id){{0xff}}, 2);
    ledger_check_quiet(d);
    // The engine forgets our members, and receives of them when patience is over, not at once.
    const sc_proposal_id id = ledger_reserve(d, ledger_proposal(d, four_all, PEER_SELF), 10);
    ledger_check_no(d, &id, four_ours);
    sc__ledger_state_pass_time(d->ledger_state, 309);
    ledger_check_quiet(d);
    ledger_check_none_settled(d);
    ledger_check_added_again(d, four_ours, 310);
    four_close(d);
}

static void test_who_is_not_r_needs_no_room_for_outcomes(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    fill_fates(d, 1);
    ledger_receive(d, SC_MSG_DEAD, PEER_OTHER, &id, 2);
    ledger_check_added_again(d, four_ours, 2);
    four_close(d);
}

static void test_as_r_a_proposal_that_was_refused_stays_dead(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    ledger_ask(d, 1, 5000, 0);
    sc_proposal *proposal = ledger_proposal(d, four_all, PEER_SELF);
    sc_proposal *again = sc_proposal_clone(proposal);
    const sc_proposal_id id = ledger_reserve(d, proposal, 1);
    ledger_check_no(d, &id, (const uint32_t[]){2, 0});
    ledger_ask(d, 2, 4000, 2);
    ledger_reserve(d, again, 3);
    ledger_check_no(d, &id, four_none);
    // Whoever has reserved its members for it is told, also when ours are gone.
    ledger_withdraw(d, 1, 4);
    ledger_withdraw(d, 2, 4);
    d->told_count = 0;
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, 5);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
    ledger_check_settled(d, 1, SC_OUTCOME_GONE, 0);
    ledger_check_settled(d, 2, SC_OUTCOME_GONE, 0);
    four_close(d);
}

// A gateway whose clock is far behind asks when R has long forgotten what it published.
static void test_as_r_what_left_is_never_called_dead_not_even_when_it_is_forgotten(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    ledger_ask(d, 1, 5000, 0);
    ledger_ask(d, 2, 4000, 0);
    sc_proposal *proposal = ledger_proposal(d, four_all, PEER_SELF);
    for (size_t i = 0; i < proposal->member_count; i++) {
        proposal->members[i].query.deadline = 5000;
    }
    const sc_proposal_id id = ledger_reserve(d, proposal, 0);
    ledger_release(d, &id, four_theirs, 4000, 10);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, 200);
    sc__ledger_state_published(d->ledger_state, reservation, 4711, 4, 200);
    sc_answer_place places[2] = {{.request = 0}};
    d->told_count = 0;
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, places, NULL, 300);
    four_check_failure(d, SC_FAILURE_OVERLOADED);
    const sc_time much_later = sc_time_from_seconds(100.0);
    sc__ledger_state_pass_time(d->ledger_state, much_later);
    d->told_count = 0;
    ledger_receive(d, SC_MSG_ASK, PEER_OTHER, &id, much_later);
    ledger_receive(d, SC_MSG_ASK, PEER_WORKER, &id, much_later);
    ledger_check_quiet(d);
    ledger_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
    ledger_check_settled(d, 2, SC_OUTCOME_ANSWERED, 0);
    four_close(d);
}

static void test_as_r_no_question_after_the_last_deadline_is_answered_with_dead(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    ledger_ask(d, 1, 5000, 0);
    sc_msg ask = {.kind = SC_MSG_ASK, .from = PEER_OTHER};
    ask.id = (sc_proposal_id){{9}};
    ask.member = plain_id(1);
    ask.deadline = 1000;
    sc_msg late = ask;
    sc__ledger_state_receive(d->ledger_state, &late, 1001);
    ledger_check_quiet(d);
    sc__ledger_state_receive(d->ledger_state, &ask, 1000);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &(sc_proposal_id){{9}});
    four_close(d);
}

static void test_what_was_called_dead_is_remembered_until_our_members_time_is_over(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_time deadline = sc_time_from_seconds(60.0);
    ledger_ask(d, 1, deadline, 0);
    ledger_ask(d, 2, deadline, 0);
    sc_proposal *proposal = ledger_proposal(d, four_all, PEER_SELF);
    const sc_proposal_id id = proposal->id;
    for (size_t i = 0; i < proposal->member_count; i++) {
        proposal->members[i].query.deadline = deadline;
    }
    // The asker's clock shows that the last deadline is near, ours that it is far.
    sc_msg ask = {.kind = SC_MSG_ASK, .from = PEER_OTHER};
    ask.id = id;
    ask.member = plain_id(1);
    ask.deadline = 1000;
    sc__ledger_state_receive(d->ledger_state, &ask, 1);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
    const sc_time later = sc_time_from_seconds(30.0);
    sc__ledger_state_pass_time(d->ledger_state, later);
    ledger_reserve(d, proposal, later);
    ledger_check_no(d, &id, four_none);
    four_close(d);
}

static void test_proposals_with_a_gateway_whose_clock_differs_are_put_off(void **state)
{
    (void)state;
    for (int is_ours = 0; is_ours < 2; is_ours++) {
        ledger_fixture *d = four_open();
        d->skewed = PEER_OTHER;
        ledger_ask(d, 1, 5000, 0);
        ledger_ask(d, 2, 4000, 0);
        const sc_peer releaser = is_ours ? PEER_SELF : PEER_OTHER;
        const sc_proposal_id id = ledger_reserve(d, ledger_proposal(d, four_all, releaser), 1);
        ledger_check_no(d, &id, four_ours);
        ledger_check_quiet(d);
        assert_int_equal(sc__ledger_state_stats(d->ledger_state).skewed, 1);
        sc__ledger_state_pass_time(d->ledger_state, 300);
        ledger_check_quiet(d);
        // Both are added again, together, by four patiences.
        sc__ledger_state_pass_time(d->ledger_state, 1201);
        assert_int_equal(d->told_count, 2);
        d->told_count = 0;
        four_close(d);
    }
}

static void test_as_r_a_clock_that_was_set_meanwhile_calls_a_release_off(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_SELF);
    d->skewed = PEER_OTHER;
    ledger_release(d, &id, four_theirs, 4000, 1);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &id);
    ledger_check_added_again(d, four_ours, 1);
    four_close(d);
}

// A worker with another map: whether anybody is paranoid or not.
static void test_a_proposal_without_our_members_road_is_refused_and_counted(void **state)
{
    (void)state;
    ledger_fixture d;
    const sc__ledger_state_options options = ledger_options();
    ledger_open(&d, &options, 1);
    ledger_ask(&d, 1, 10000, 0);
    ledger_ask(&d, 2, 10000, 0);
    sc_proposal *proposal = ledger_proposal(&d, (const uint32_t[]){1, 2, 0}, PEER_SELF);
    proposal->segments[0]++;
    const sc_proposal_id id = ledger_reserve(&d, proposal, 0);
    ledger_check_no(&d, &id, (const uint32_t[]){0});
    assert_int_equal(sc__ledger_state_stats(d.ledger_state).violations, 1);
    assert_null(sc__ledger_state_take_due(d.ledger_state, 5000));
    ledger_close(&d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_as_r_a_proposal_leaves_once_it_is_released),
    cmocka_unit_test(test_as_r_the_result_goes_to_the_other_gateway),
    cmocka_unit_test(test_as_r_a_failure_is_told_to_the_other_gateway),
    cmocka_unit_test(test_as_r_what_cannot_be_sent_has_failed_for_all),
    cmocka_unit_test(test_as_r_a_release_without_a_proposal_or_by_a_stranger_is_passed_over),
    cmocka_unit_test(test_as_r_a_release_that_sends_too_little_is_off),
    cmocka_unit_test(test_as_r_a_release_too_late_for_the_others_is_off),
    cmocka_unit_test(test_as_r_patience_has_an_end),
    cmocka_unit_test(test_as_r_only_worker_and_members_may_abort),
    cmocka_unit_test(test_as_r_what_has_left_cannot_be_aborted),
    cmocka_unit_test(test_as_r_a_member_of_ours_that_goes_calls_it_off),
    cmocka_unit_test(test_as_r_a_question_is_answered_with_the_decision),
    cmocka_unit_test(test_an_abort_that_overtakes_its_proposal_keeps_it_out),
    cmocka_unit_test(test_without_room_for_outcomes_proposals_are_put_off),
    cmocka_unit_test(test_who_is_not_r_needs_no_room_for_outcomes),
    cmocka_unit_test(test_as_r_a_proposal_that_was_refused_stays_dead),
    cmocka_unit_test(test_as_r_what_left_is_never_called_dead_not_even_when_it_is_forgotten),
    cmocka_unit_test(test_as_r_no_question_after_the_last_deadline_is_answered_with_dead),
    cmocka_unit_test(test_what_was_called_dead_is_remembered_until_our_members_time_is_over),
    cmocka_unit_test(test_proposals_with_a_gateway_whose_clock_differs_are_put_off),
    cmocka_unit_test(test_as_r_a_clock_that_was_set_meanwhile_calls_a_release_off),
    cmocka_unit_test(test_a_proposal_without_our_members_road_is_refused_and_counted),
};
SC_SUITE(tests)
