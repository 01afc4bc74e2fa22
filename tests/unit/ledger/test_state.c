// Scenes from the ledger state: what becomes of a query, one thing after the other. Times are
// microseconds; the guard is 10, the jitter 100. All members are ours here: the tests of the commit
// have the others.
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/streams.h"

static const uint32_t one_two[] = {1, 2, 0};

/** Tickets 1 and 2, and a proposal of both that is reserved at 0. */
static sc_proposal_id reserve_two(ledger_fixture *d, sc_time deadline_1, sc_time deadline_2)
{
    ledger_ask(d, 1, deadline_1, 0);
    ledger_ask(d, 2, deadline_2, 0);
    const sc_proposal_id id = ledger_propose(d, one_two, 0);
    ledger_check_quiet(d);
    return id;
}

/** Publish what is due. */
static sc_reservation *publish(ledger_fixture *d, const sc_proposal_id *id, uint32_t users,
                               sc_time now)
{
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, now);
    assert_non_null(reservation);
    sc__ledger_state_published(d->ledger_state, reservation, 4711, users, now);
    sc_msg msg = ledger_next(d, SC_MSG_PUBLISHED, PEER_WORKER);
    assert_memory_equal(&msg.id, id, sizeof *id);
    assert_int_equal(msg.engine_thread, 3);
    assert_int_equal(msg.number, 4711);
    assert_int_equal(msg.users, users);
    assert_int_equal(msg.deadline, now);
    return reservation;
}

/** Tickets 1 and 2, published at 100. */
static sc_reservation *publish_two(ledger_fixture *d)
{
    const sc_proposal_id id = reserve_two(d, 1000, 1000);
    return publish(d, &id, 2, 100);
}

static ledger_fixture *open_fixture(void)
{
    ledger_fixture *d = test_take(1, sizeof *d);
    const sc__ledger_state_options options = ledger_options();
    ledger_open(d, &options, 1);
    return d;
}

static void close_fixture(ledger_fixture *d)
{
    const sc_ledger_stats stats = sc__ledger_state_stats(d->ledger_state);
    ledger_check_stats(&stats);
    ledger_close(d);
    free(d);
}

static void test_two_queries_are_cloaked_published_and_answered(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    const sc_proposal_id id = reserve_two(d, 1000, 2000);
    const sc_time wake = sc__ledger_state_next_wake(d->ledger_state);
    assert_in_range(wake, 0, 100);
    assert_null(sc__ledger_state_take_due(d->ledger_state, wake - 1));
    sc_reservation *reservation = publish(d, &id, 2, wake);
    assert_null(sc__ledger_state_take_due(d->ledger_state, wake));
    ledger_check_quiet(d);
    ledger_check_none_settled(d);

    // Seats are in the order of our members.
    const sc_ticket *first_member = reservation->members;
    sc_answer_place places[2] = {{.request = 0}};
    places[0].answer = test_take(1, sizeof *places[0].answer);
    const sc_answer *answer = places[0].answer;
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, places, NULL, 500);
    assert_null(places[0].answer);
    ledger_check_quiet(d);
    sc_ticket *first = sc__ledger_state_take_settled(d->ledger_state);
    sc_ticket *second = first->next;
    assert_null(second->next);
    sc_ticket *one = first == first_member ? first : second;
    assert_ptr_equal(one, first_member);
    assert_ptr_equal(one->answer, answer);
    assert_int_equal(one->outcome, SC_OUTCOME_ANSWERED);
    assert_int_equal(one->users, 2);
    assert_int_equal(one->segments, 1);
    assert_int_equal(one->published, wake);
    assert_int_equal(one->cloak, 4711);
    assert_int_equal(one->settled, 500);
    free(one->answer);
    one->answer = NULL;
    sc_ticket_free(first);
    sc_ticket_free(second);
    const sc_ledger_stats stats = sc__ledger_state_stats(d->ledger_state);
    assert_int_equal(stats.answered, 2);
    assert_int_equal(stats.proposals, 1);
    assert_int_equal(stats.cloaks, 1);
    assert_int_equal(stats.pending, 0);
    close_fixture(d);
}

static void test_an_open_query_whose_client_goes_away_leaves_the_engine(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    ledger_ask(d, 1, 1000, 0);
    ledger_withdraw(d, 1, 5);
    ledger_check_remove(d, 1);
    ledger_check_settled(d, 1, SC_OUTCOME_GONE, 0);
    ledger_withdraw(d, 1, 6);
    ledger_withdraw(d, 2, 6);
    ledger_check_quiet(d);
    ledger_check_none_settled(d);
    close_fixture(d);
}

static void test_a_reserved_query_whose_client_goes_away_takes_the_proposal_with_it(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    const sc_proposal_id id = reserve_two(d, 1000, 1000);
    ledger_withdraw(d, 2, 1);
    // First that it is gone, then that the others go on.
    ledger_check_remove(d, 2);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
    ledger_check_settled(d, 2, SC_OUTCOME_GONE, 0);
    ledger_check_none_settled(d);
    assert_null(sc__ledger_state_take_due(d->ledger_state, 900));
    ledger_check_added_again(d, (const uint32_t[]){1, 0}, 900);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).resent, 1);
    // The other one is open: it can be proposed again.
    const sc_proposal_id again = ledger_propose(d, (const uint32_t[]){1, 0}, 900);
    publish(d, &again, 1, 980);
    close_fixture(d);
}

static void test_a_published_query_whose_client_goes_away_is_answered_like_the_others(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    sc_reservation *reservation = publish_two(d);
    ledger_withdraw(d, 1, 101);
    ledger_withdraw(d, 1, 102);
    ledger_check_quiet(d);
    ledger_check_none_settled(d);
    sc_answer_place places[2] = {{.request = 0}};
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_TIMEOUT, places, NULL, 500);
    ledger_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_TIMEOUT);
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_TIMEOUT);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).gone_published, 1);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).gone, 0);
    close_fixture(d);
}

/** Something that is wrong with a proposal. */
typedef void spoiler(sc_proposal *proposal);

/** Query 1 is open, 2 was settled, 3 is reserved, 9 was never there; this proposal must be refused
 * with those `gone`, and query 1 open as before. */
static void check_refused(const uint32_t *numbers, spoiler *spoil, const uint32_t *gone)
{
    ledger_fixture *d = open_fixture();
    const sc_ticket *open = ledger_ask(d, 1, 1000, 0);
    ledger_ask(d, 2, 1000, 0);
    const sc_ticket *reserved = ledger_ask(d, 3, 1000, 0);
    ledger_drop(d, 2, SC_DROP_INFEASIBLE, 0);
    ledger_check_settled(d, 2, SC_OUTCOME_DROPPED, SC_DROP_INFEASIBLE);
    ledger_propose(d, (const uint32_t[]){3, 0}, 0);
    ledger_check_quiet(d);

    sc_proposal *proposal = ledger_proposal(d, numbers, PEER_SELF);
    if (spoil) spoil(proposal);
    const sc_proposal_id id = ledger_reserve(d, proposal, 1);
    ledger_check_no(d, &id, gone);
    ledger_check_quiet(d);
    ledger_check_none_settled(d);
    assert_int_equal(open->state, SC_TICKET_OPEN);
    assert_null(open->reservation);
    assert_int_equal(reserved->state, SC_TICKET_RESERVED);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).refused, 1);
    close_fixture(d);
}

static void without_segments(sc_proposal *proposal)
{
    proposal->segment_count = 0;
}

static void released_by_a_stranger(sc_proposal *proposal)
{
    proposal->releaser = PEER_STRANGER;
    proposal->is_single = false;
}

static void of_others_alone(sc_proposal *proposal)
{
    proposal->members[0].query.owner = PEER_OTHER;
    proposal->releaser = PEER_OTHER;
}

static void single_with_others(sc_proposal *proposal)
{
    proposal->members[0].query.owner = PEER_OTHER;
}

static void without_time(sc_proposal *proposal)
{
    proposal->members[0].query.deadline = INT64_MIN;
}

static void
test_a_proposal_with_a_member_that_is_not_open_or_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    const uint32_t no_members[] = {0};
    check_refused((const uint32_t[]){1, 9, 0}, NULL, (const uint32_t[]){9, 0});
    check_refused((const uint32_t[]){1, 2, 0}, NULL, (const uint32_t[]){2, 0});
    check_refused((const uint32_t[]){1, 3, 0}, NULL, (const uint32_t[]){3, 0});
    check_refused((const uint32_t[]){9, 1, 3, 0}, NULL, (const uint32_t[]){9, 3, 0});
    check_refused((const uint32_t[]){1, 1, 0}, NULL, no_members);
    check_refused(no_members, NULL, no_members);
    check_refused((const uint32_t[]){1, 0}, without_segments, no_members);
    check_refused((const uint32_t[]){1, 0}, released_by_a_stranger, no_members);
    check_refused((const uint32_t[]){1, 0}, of_others_alone, no_members);
    check_refused((const uint32_t[]){1, 1, 0}, single_with_others, no_members);
    check_refused((const uint32_t[]){1, 0}, without_time, no_members);
}

static void test_a_proposal_that_is_too_late_for_one_costs_only_that_one(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    ledger_ask(d, 1, 1000, 0);
    const sc_ticket *other = ledger_ask(d, 2, 2000, 0);
    const sc_proposal_id id = ledger_propose(d, one_two, 990);
    ledger_check_remove(d, 1);
    ledger_check_no(d, &id, (const uint32_t[]){1, 0});
    ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_EXPIRED);
    ledger_check_none_settled(d);
    assert_int_equal(other->state, SC_TICKET_OPEN);
    // One before that there is time, if next to none.
    const sc_proposal_id late = ledger_propose(d, (const uint32_t[]){2, 0}, 1989);
    ledger_check_quiet(d);
    publish(d, &late, 1, 1989);
    close_fixture(d);
}

static void test_a_release_that_comes_late_is_called_off(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    const sc_proposal_id id = reserve_two(d, 200, 1000);
    // The thread slept from before the release until just before the deadline of query 1.
    assert_null(sc__ledger_state_take_due(d->ledger_state, 190));
    ledger_check_remove(d, 1);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
    ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_EXPIRED);
    ledger_check_none_settled(d);
    ledger_check_added_again(d, (const uint32_t[]){2, 0}, 190);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).pending, 1);
    close_fixture(d);
}

static void test_a_query_whose_deadline_comes_while_reserved_here_is_dropped(void **state)
{
    (void)state;
    for (int by_time = 0; by_time < 2; by_time++) {
        ledger_fixture *d = open_fixture();
        const sc_proposal_id id = reserve_two(d, 200, 1000);
        if (by_time) {
            sc__ledger_state_pass_time(d->ledger_state, 211);
        } else {
            assert_null(sc__ledger_state_take_due(d->ledger_state, 201));
        }
        ledger_check_remove(d, 1);
        ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
        // It was ours to publish and was not: no doubt about that.
        ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_EXPIRED);
        ledger_check_none_settled(d);
        assert_int_equal(sc__ledger_state_stats(d->ledger_state).pending, 1);
        close_fixture(d);
    }
}

static void test_a_query_that_the_engine_forgets_is_dropped_after_the_guard(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    ledger_ask(d, 1, 1000, 0);
    assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), 1011);
    sc__ledger_state_pass_time(d->ledger_state, 1010);
    ledger_check_none_settled(d);
    sc__ledger_state_pass_time(d->ledger_state, 1011);
    ledger_check_remove(d, 1);
    ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_EXPIRED);
    assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), SC_TIME_NEVER);
    // Its messages come too late now.
    ledger_drop(d, 1, SC_DROP_EXPIRED, 1012);
    ledger_check_none_settled(d);
    close_fixture(d);
}

static void test_what_the_engine_sends_of_a_reserved_query_is_not_believed(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    const sc_proposal_id id = reserve_two(d, 1000, 1000);
    ledger_drop(d, 1, SC_DROP_EXPIRED, 5);
    ledger_check_none_settled(d);
    ledger_check_quiet(d);
    publish(d, &id, 2, 100);
    close_fixture(d);
}

static void test_a_query_for_which_the_engine_has_no_memory_has_failed(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    ledger_ask(d, 1, 1000, 0);
    sc_msg msg = {.kind = SC_MSG_NOT_TAKEN, .from = PEER_WORKER};
    msg.query.id = plain_id(1);
    sc__ledger_state_receive(d->ledger_state, &msg, 1);
    ledger_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    ledger_check_quiet(d);
    close_fixture(d);
}

static void test_tickets_that_cannot_come_in_are_settled_at_once(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    sc__ledger_state_add(d->ledger_state, ledger_ticket(1, 1, 10), 11);
    ledger_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_EXPIRED);
    ledger_ask(d, 2, 100, 11);
    sc__ledger_state_add(d->ledger_state, ledger_ticket(2, 1, 100), 11);
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    for (uint32_t i = 3; i < 10; i++) {
        ledger_ask(d, i, 100, 11);
    }
    sc__ledger_state_add(d->ledger_state, ledger_ticket(10, 1, 100), 11);
    ledger_check_settled(d, 10, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    sc__ledger_state_turn_away(d->ledger_state, ledger_ticket(11, 1, 100), 11);
    ledger_check_settled(d, 11, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    ledger_check_quiet(d);
    ledger_check_none_settled(d);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).taken, 12);
    close_fixture(d);
}

static void test_what_cannot_be_sent_has_failed_and_leaves_the_engine(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    const sc_proposal_id id = reserve_two(d, 1000, 1000);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, 100);
    sc__ledger_state_unsent(d->ledger_state, reservation, SC_FAILURE_OVERLOADED, 100);
    ledger_check_remove(d, 2);
    ledger_check_remove(d, 1);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
    ledger_check_quiet(d);
    ledger_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).cloaks, 0);
    close_fixture(d);
}

static void test_when_all_are_in_proposals_another_is_refused(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    for (uint32_t i = 1; i <= 8; i++) {
        ledger_ask(d, i, 1000, 0);
        ledger_propose(d, (const uint32_t[]){i, 0}, 0);
    }
    ledger_check_quiet(d);
    const sc_proposal_id id = ledger_propose(d, (const uint32_t[]){9, 1, 0}, 0);
    ledger_check_no(d, &id, (const uint32_t[]){1, 9, 0});
    close_fixture(d);
}

static void test_a_proposal_that_is_sent_twice_is_reserved_once(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    ledger_ask(d, 1, 1000, 0);
    sc_proposal *proposal = ledger_proposal(d, (const uint32_t[]){1, 0}, PEER_SELF);
    sc_proposal *reserved = sc_proposal_clone(proposal);
    sc_proposal *published = sc_proposal_clone(proposal);
    sc_proposal *answered = sc_proposal_clone(proposal);
    const sc_proposal_id id = ledger_reserve(d, proposal, 0);
    ledger_reserve(d, reserved, 1);
    ledger_check_quiet(d);
    sc_reservation *reservation = publish(d, &id, 1, 100);
    // Perhaps our message was lost: it is sent again.
    ledger_reserve(d, published, 101);
    ledger_check_msg(d, SC_MSG_PUBLISHED, PEER_WORKER, &id);
    sc_answer_place place = {0};
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, &place, NULL, 200);
    ledger_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
    ledger_reserve(d, answered, 201);
    ledger_check_msg(d, SC_MSG_PUBLISHED, PEER_WORKER, &id);
    ledger_check_quiet(d);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).proposals, 1);
    close_fixture(d);
}

static void test_a_proposal_that_was_called_off_stays_dead(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    ledger_ask(d, 1, 1000, 0);
    ledger_ask(d, 2, 1000, 0);
    sc_proposal *proposal = ledger_proposal(d, one_two, PEER_SELF);
    sc_proposal *again = sc_proposal_clone(proposal);
    sc_proposal *late = sc_proposal_clone(proposal);
    late->members[0].query.deadline = late->members[1].query.deadline = 1000;
    proposal->members[0].query.deadline = proposal->members[1].query.deadline = 1000;
    const sc_proposal_id id = ledger_reserve(d, proposal, 0);
    ledger_receive(d, SC_MSG_ABORT, PEER_WORKER, &id, 1);
    // Who has called it off knows.
    ledger_check_added_again(d, one_two, 1);
    ledger_reserve(d, again, 2);
    ledger_check_no(d, &id, (const uint32_t[]){0});
    assert_null(sc__ledger_state_take_due(d->ledger_state, 900));
    const sc_ledger_stats stats = sc__ledger_state_stats(d->ledger_state);
    assert_int_equal(stats.aborted, 1);
    assert_int_equal(stats.refused, 1);
    assert_int_equal(stats.proposals, 1);
    // When no message about it can come any more it is forgotten, and refused as late.
    sc__ledger_state_pass_time(d->ledger_state, 1021 + 1000000);
    while (d->told_count > 0) {
        sc_msg msg = ledger_next(d, SC_MSG_REMOVE, SC_PEER_NONE);
        sc_msg_fini(&msg);
    }
    ledger_reserve(d, late, 1021 + 1000000);
    ledger_check_no(d, &id, one_two);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).proposals, 2);
    close_fixture(d);
}

static void test_the_end_settles_what_is_open_reserved_and_published(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    publish_two(d);
    ledger_ask(d, 3, 1000, 100);
    ledger_ask(d, 4, 1000, 100);
    ledger_ask(d, 5, 1000, 100);
    const sc_proposal_id id = ledger_propose(d, (const uint32_t[]){4, 5, 0}, 100);
    sc__ledger_state_stop(d->ledger_state, 101);
    for (uint32_t i = 1; i <= 5; i++) {
        ledger_check_settled(d, i, SC_OUTCOME_FAILED, SC_FAILURE_STOPPED);
    }
    ledger_check_none_settled(d);
    ledger_check_remove(d, 5);
    ledger_check_remove(d, 4);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &id);
    ledger_check_remove(d, 3);
    ledger_check_quiet(d);
    assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), SC_TIME_NEVER);
    close_fixture(d);
}

static void test_messages_again_wait_until_there_is_room_for_them(void **state)
{
    (void)state;
    ledger_fixture *d = open_fixture();
    for (uint32_t i = 1; i <= 4; i++) {
        ledger_ask(d, i, 100000, 0);
    }
    d->space = 0;
    sc__ledger_state_resend(d->ledger_state, &(uint32_t){0}, 1, 10);
    sc__ledger_state_pass_time(d->ledger_state, 10);
    ledger_check_quiet(d);
    assert_in_range(sc__ledger_state_next_wake(d->ledger_state), 11, 2000);
    d->space = 3;
    sc__ledger_state_pass_time(d->ledger_state, 2000);
    assert_int_equal(d->told_count, 3);
    d->told_count = 0;
    sc__ledger_state_pass_time(d->ledger_state, 4000);
    assert_int_equal(d->told_count, 1);
    d->told_count = 0;
    sc__ledger_state_pass_time(d->ledger_state, 5000);
    ledger_check_quiet(d);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).resent, 4);
    close_fixture(d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_queries_are_cloaked_published_and_answered),
    cmocka_unit_test(test_an_open_query_whose_client_goes_away_leaves_the_engine),
    cmocka_unit_test(test_a_reserved_query_whose_client_goes_away_takes_the_proposal_with_it),
    cmocka_unit_test(test_a_published_query_whose_client_goes_away_is_answered_like_the_others),
    cmocka_unit_test(
        test_a_proposal_with_a_member_that_is_not_open_or_that_makes_no_sense_is_refused),
    cmocka_unit_test(test_a_proposal_that_is_too_late_for_one_costs_only_that_one),
    cmocka_unit_test(test_a_release_that_comes_late_is_called_off),
    cmocka_unit_test(test_a_query_whose_deadline_comes_while_reserved_here_is_dropped),
    cmocka_unit_test(test_a_query_that_the_engine_forgets_is_dropped_after_the_guard),
    cmocka_unit_test(test_what_the_engine_sends_of_a_reserved_query_is_not_believed),
    cmocka_unit_test(test_a_query_for_which_the_engine_has_no_memory_has_failed),
    cmocka_unit_test(test_tickets_that_cannot_come_in_are_settled_at_once),
    cmocka_unit_test(test_what_cannot_be_sent_has_failed_and_leaves_the_engine),
    cmocka_unit_test(test_when_all_are_in_proposals_another_is_refused),
    cmocka_unit_test(test_a_proposal_that_is_sent_twice_is_reserved_once),
    cmocka_unit_test(test_a_proposal_that_was_called_off_stays_dead),
    cmocka_unit_test(test_the_end_settles_what_is_open_reserved_and_published),
    cmocka_unit_test(test_messages_again_wait_until_there_is_room_for_them),
};
SC_SUITE(tests)
