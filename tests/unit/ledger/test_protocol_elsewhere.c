// Scenes with another gateway which is R: what we do until it has decided, and when it is silent.
// Times are microseconds; the guard is 10, the jitter 100, the patience 300.
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture_four.h"
#include "support/streams.h"

static void test_elsewhere_an_ok_sends_what_our_members_ask_for(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    ledger_ask(d, 1, 5000, 0);
    ledger_ask(d, 2, 4000, 0);
    sc_proposal *proposal = ledger_proposal(d, four_all, PEER_OTHER);
    sc_proposal *again = sc_proposal_clone(proposal);
    ledger_reserve(d, proposal, 0);
    // Perhaps the ok was lost: sent again, it sends the same.
    ledger_reserve(d, again, 1);
    for (int i = 0; i < 2; i++) {
        sc_msg ok = ledger_next(d, SC_MSG_OK, PEER_WORKER);
        assert_int_equal(ok.deadline, 4000);
        assert_int_equal(ok.count, 2);
        for (size_t j = 0; j < 2; j++) {
            const sc_query_id one = plain_id(1);
            const bool is_one = memcmp(&ok.wishes[j].query, &one, sizeof one) == 0;
            assert_int_equal(ok.wishes[j].request.k, is_one ? 2 : 3);
        }
        sc_msg_fini(&ok);
    }
    ledger_check_quiet(d);
    four_close(d);
}

/** Take what has arrived and answer it. */
static void answer_arrived(ledger_fixture *d, sc_time now)
{
    sc_reservation *reservation = sc__ledger_state_take_arrived(d->ledger_state);
    assert_non_null(reservation);
    assert_int_equal(reservation->result->relay_size, 5);
    sc_answer_place places[2] = {{.request = 0}};
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, places, NULL, now);
    assert_null(sc__ledger_state_take_arrived(d->ledger_state));
}

static void test_elsewhere_what_r_published_is_answered_with_its_result(void **state)
{
    (void)state;
    for (int is_overtaken = 0; is_overtaken < 2; is_overtaken++) {
        ledger_fixture *d = four_open();
        const sc_proposal_id id = four_reserve(d, PEER_OTHER);
        if (!is_overtaken) {
            ledger_receive(d, SC_MSG_PUBLISHED, PEER_OTHER, &id, 20);
            ledger_receive(d, SC_MSG_PUBLISHED, PEER_OTHER, &id, 21);
            // R has forgotten it, and receives late that we asked.
            ledger_receive(d, SC_MSG_DEAD, PEER_OTHER, &id, 22);
            ledger_check_none_settled(d);
        }
        ledger_result(d, &id, SC_FAILURE_NONE, 30);
        ledger_result(d, &id, SC_FAILURE_NONE, 31);
        if (is_overtaken) ledger_receive(d, SC_MSG_PUBLISHED, PEER_OTHER, &id, 32);
        ledger_check_quiet(d);
        assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), INT64_MIN);
        answer_arrived(d, 40);
        ledger_result(d, &id, SC_FAILURE_NONE, 41);
        ledger_check_quiet(d);
        sc_ticket *ticket = sc__ledger_state_take_settled(d->ledger_state);
        d->settled = ticket;
        assert_int_equal(ticket->cloak, 815);
        assert_int_equal(ticket->users, 4);
        assert_int_equal(ticket->segments, 1);
        assert_int_equal(ticket->published, is_overtaken ? 30 : 20);
        ledger_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
        ledger_check_settled(d, 2, SC_OUTCOME_ANSWERED, 0);
        const sc_ledger_stats stats = sc__ledger_state_stats(d->ledger_state);
        assert_int_equal(stats.cloaks_elsewhere, 1);
        assert_int_equal(stats.cloaks, 0);
        four_close(d);
    }
}

static void test_elsewhere_a_failure_of_r_is_ours_too(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    ledger_receive(d, SC_MSG_PUBLISHED, PEER_OTHER, &id, 20);
    ledger_result(d, &id, SC_FAILURE_REFUSED, 30);
    ledger_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_REFUSED);
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_REFUSED);
    assert_null(sc__ledger_state_take_arrived(d->ledger_state));
    four_close(d);
}

static void test_elsewhere_a_result_is_not_waited_for_for_ever(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    ledger_receive(d, SC_MSG_PUBLISHED, PEER_OTHER, &id, 20);
    // The deadline no longer counts. R is asked for the result, and given up in the end.
    for (sc_time now = 320; now < 5020; now += 300) {
        assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), now);
        sc__ledger_state_pass_time(d->ledger_state, now);
        ledger_check_msg(d, SC_MSG_ASK, PEER_OTHER, &id);
    }
    assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), 5020);
    sc__ledger_state_pass_time(d->ledger_state, 5019);
    ledger_check_none_settled(d);
    ledger_check_quiet(d);
    sc__ledger_state_pass_time(d->ledger_state, 5020);
    ledger_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_LOST);
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_LOST);
    ledger_result(d, &id, SC_FAILURE_NONE, 5021);
    assert_null(sc__ledger_state_take_arrived(d->ledger_state));
    ledger_check_quiet(d);
    four_close(d);
}

static void test_elsewhere_r_alone_decides(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    const sc_peer others[] = {PEER_WORKER, PEER_STRANGER, PEER_SELF};
    for (size_t i = 0; i < 3; i++) {
        ledger_receive(d, SC_MSG_PUBLISHED, others[i], &id, 1);
        ledger_receive(d, SC_MSG_DEAD, others[i], &id, 1);
    }
    ledger_receive(d, SC_MSG_ABORT, PEER_STRANGER, &id, 1);
    ledger_receive(d, SC_MSG_ABORT, PEER_OTHER, &id, 1);
    ledger_release(d, &id, four_theirs, 4000, 1);
    ledger_check_quiet(d);
    ledger_check_none_settled(d);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).cloaks_elsewhere, 0);
    // It can still be called off.
    ledger_receive(d, SC_MSG_DEAD, PEER_OTHER, &id, 2);
    ledger_check_added_again(d, four_ours, 2);
    // And never comes to life again.
    ledger_receive(d, SC_MSG_PUBLISHED, PEER_OTHER, &id, 3);
    ledger_check_quiet(d);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).cloaks_elsewhere, 0);
    four_close(d);
}

static void test_elsewhere_a_dead_proposal_that_comes_again_ends_by_the_message_of_r(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    ledger_ask(d, 1, 5000, 0);
    ledger_ask(d, 2, 4000, 0);
    sc_proposal *proposal = ledger_proposal(d, four_all, PEER_OTHER);
    sc_proposal *again = sc_proposal_clone(proposal);
    const sc_proposal_id id = ledger_reserve(d, proposal, 0);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    ledger_receive(d, SC_MSG_DEAD, PEER_OTHER, &id, 1);
    ledger_check_added_again(d, four_ours, 1);
    ledger_reserve(d, again, 2);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &id);
    sc__ledger_state_pass_time(d->ledger_state, 302);
    ledger_check_msg(d, SC_MSG_ASK, PEER_OTHER, &id);
    ledger_receive(d, SC_MSG_DEAD, PEER_OTHER, &id, 303);
    ledger_check_added_again(d, four_ours, 303);
    four_close(d);
}

static void test_elsewhere_the_worker_may_abort(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    ledger_receive(d, SC_MSG_ABORT, PEER_WORKER, &id, 1);
    ledger_check_added_again(d, four_ours, 1);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).aborted, 1);
    four_close(d);
}

static void test_elsewhere_r_is_asked_again_and_again(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    sc_proposal *drawn = ledger_proposal(d, four_all, PEER_OTHER);
    sc_time last = 5000;
    sc_query_id theirs = {{0}};
    for (size_t i = 0; i < drawn->member_count; i++) {
        const sc_query *query = &drawn->members[i].query;
        if (query->deadline > last) last = query->deadline;
        if (query->owner == PEER_OTHER && !theirs.bytes[0]) theirs = query->id;
    }
    sc_proposal_free(drawn);
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    for (sc_time now = 300; now <= 1500; now += 300) {
        assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), now);
        sc__ledger_state_pass_time(d->ledger_state, now);
        sc_msg msg = ledger_next(d, SC_MSG_ASK, PEER_OTHER);
        assert_memory_equal(&msg.id, &id, sizeof id);
        // The last of all members', and a member of R's.
        assert_int_equal(msg.deadline, last);
        assert_memory_equal(&msg.member, &theirs, sizeof theirs);
        ledger_check_quiet(d);
    }
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).asked, 5);
    ledger_check_none_settled(d);
    four_close(d);
}

static void test_elsewhere_silence_leaves_each_in_doubt_at_its_own_deadline(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    for (sc_time now = 300; now < 4010; now += 300) {
        sc__ledger_state_pass_time(d->ledger_state, now);
        ledger_check_msg(d, SC_MSG_ASK, PEER_OTHER, &id);
    }
    sc__ledger_state_pass_time(d->ledger_state, 4010);
    ledger_check_none_settled(d);
    sc__ledger_state_pass_time(d->ledger_state, 4011);
    ledger_check_remove(d, 2);
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_IN_DOUBT);
    ledger_check_none_settled(d);
    // The other one may still receive that it has left.
    ledger_receive(d, SC_MSG_PUBLISHED, PEER_OTHER, &id, 4012);
    ledger_result(d, &id, SC_FAILURE_NONE, 4013);
    sc_reservation *reservation = sc__ledger_state_take_arrived(d->ledger_state);
    sc_answer_place place = {0};
    sc__ledger_state_answered(d->ledger_state, reservation, SC_FAILURE_NONE, &place, NULL, 4020);
    // By R's clock: by ours it was too late for one of them.
    sc_ticket *ticket = sc__ledger_state_take_settled(d->ledger_state);
    d->settled = ticket;
    assert_int_equal(ticket->published, 4000);
    ledger_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
    four_close(d);
}

static void test_elsewhere_a_proposal_of_which_all_are_in_doubt_is_forgotten(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    sc__ledger_state_pass_time(d->ledger_state, 6000);
    ledger_check_remove(d, 2);
    ledger_check_remove(d, 1);
    ledger_check_quiet(d);
    ledger_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_IN_DOUBT);
    ledger_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_IN_DOUBT);
    ledger_receive(d, SC_MSG_PUBLISHED, PEER_OTHER, &id, 6001);
    ledger_receive(d, SC_MSG_DEAD, PEER_OTHER, &id, 6001);
    ledger_check_quiet(d);
    assert_int_equal(sc__ledger_state_next_wake(d->ledger_state), SC_TIME_NEVER);
    four_close(d);
}

static void test_elsewhere_a_client_that_goes_waits_for_the_message_of_r(void **state)
{
    (void)state;
    for (int is_published = 0; is_published < 2; is_published++) {
        ledger_fixture *d = four_open();
        const sc_proposal_id id = four_reserve(d, PEER_OTHER);
        ledger_withdraw(d, 1, 5);
        ledger_check_msg(d, SC_MSG_ABORT, PEER_OTHER, &id);
        ledger_withdraw(d, 1, 6);
        ledger_check_quiet(d);
        ledger_check_none_settled(d);
        if (is_published) {
            ledger_receive(d, SC_MSG_PUBLISHED, PEER_OTHER, &id, 7);
            ledger_withdraw(d, 1, 8);
            assert_int_equal(sc__ledger_state_stats(d->ledger_state).gone_published, 1);
            ledger_result(d, &id, SC_FAILURE_NONE, 9);
            answer_arrived(d, 10);
            ledger_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
        } else {
            ledger_receive(d, SC_MSG_DEAD, PEER_OTHER, &id, 7);
            ledger_check_remove(d, 1);
            ledger_check_settled(d, 1, SC_OUTCOME_GONE, 0);
            ledger_check_added_again(d, (const uint32_t[]){2, 0}, 7);
        }
        four_close(d);
    }
}

static void test_elsewhere_that_a_client_went_is_sent_until_r_decides(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    ledger_withdraw(d, 1, 5);
    ledger_check_msg(d, SC_MSG_ABORT, PEER_OTHER, &id);
    for (sc_time now = 300; now < 1000; now += 300) {
        sc__ledger_state_pass_time(d->ledger_state, now);
        ledger_check_msg(d, SC_MSG_ABORT, PEER_OTHER, &id);
        ledger_check_msg(d, SC_MSG_ASK, PEER_OTHER, &id);
        ledger_check_quiet(d);
    }
    four_close(d);
}

static void test_elsewhere_what_is_reserved_cannot_be_reserved_again(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id first = four_reserve(d, PEER_OTHER);
    const sc_proposal_id second = ledger_reserve(d, ledger_proposal(d, four_all, PEER_OTHER), 1);
    ledger_check_no(d, &second, four_ours);
    ledger_receive(d, SC_MSG_DEAD, PEER_OTHER, &first, 2);
    ledger_check_added_again(d, four_ours, 2);
    const sc_proposal_id third = ledger_reserve(d, ledger_proposal(d, four_all, PEER_OTHER), 3);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &third);
    four_close(d);
}

static void test_the_end_is_told_to_those_who_would_wait(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    sc_proposal_id published;
    four_publish(d, &published);
    ledger_ask(d, 3, 5000, 200);
    ledger_ask(d, 4, 5000, 200);
    const uint32_t there[] = {3, 1002, 0};
    const uint32_t here[] = {4, 1003, 0};
    const sc_proposal_id elsewhere = ledger_reserve(d, ledger_proposal(d, there, PEER_OTHER), 200);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &elsewhere);
    const sc_proposal_id reserved = ledger_reserve(d, ledger_proposal(d, here, PEER_SELF), 200);
    ledger_check_msg(d, SC_MSG_OK, PEER_WORKER, &reserved);
    sc__ledger_state_stop(d->ledger_state, 300);
    four_check_failure(d, SC_FAILURE_STOPPED);
    ledger_check_msg(d, SC_MSG_ABORT, PEER_OTHER, &elsewhere);
    ledger_check_remove(d, 3);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_OTHER, &reserved);
    ledger_check_remove(d, 4);
    ledger_check_msg(d, SC_MSG_DEAD, PEER_WORKER, &reserved);
    ledger_check_quiet(d);
    for (uint32_t i = 1; i <= 4; i++) {
        ledger_check_settled(d, i, SC_OUTCOME_FAILED, SC_FAILURE_STOPPED);
    }
    four_close(d);
}

// Who had to ask R was told less than the result tells.
static void test_elsewhere_the_result_sends_how_many_users_there_were(void **state)
{
    (void)state;
    ledger_fixture d;
    const sc__ledger_state_options options = ledger_options();
    ledger_open(&d, &options, 1);
    sc_ticket *ticket = ledger_ask(&d, 1, 10000, 0);
    sc_proposal *proposal =
        ledger_proposal(&d, (const uint32_t[]){1, LEDGER_THEIRS, 0}, PEER_OTHER);
    const sc_proposal_id id = ledger_reserve(&d, proposal, 0);
    sc_msg ok = ledger_next(&d, SC_MSG_OK, PEER_WORKER);
    sc_msg_fini(&ok);
    sc_msg less = {.kind = SC_MSG_PUBLISHED, .from = PEER_OTHER};
    less.id = id;
    sc__ledger_state_receive(d.ledger_state, &less, 10);
    assert_int_equal(ticket->users, 0);
    sc_msg result = {.kind = SC_MSG_RESULT, .from = PEER_OTHER};
    result.id = id;
    result.users = 2;
    result.number = 77;
    result.result = sc_result_new(SC_FAILURE_NONE, "relay", 5, "reply", 5);
    sc__ledger_state_receive(d.ledger_state, &result, 20);
    assert_int_equal(ticket->users, 2);
    assert_int_equal(ticket->cloak, 77);
    sc_reservation *reservation = sc__ledger_state_take_arrived(d.ledger_state);
    assert_non_null(reservation);
    sc__ledger_state_answered(d.ledger_state, reservation, SC_FAILURE_UNBELIEVABLE, NULL, NULL, 30);
    ledger_check_settled(&d, 1, SC_OUTCOME_FAILED, SC_FAILURE_UNBELIEVABLE);
    ledger_close(&d);
}

static void test_messages_that_are_not_for_a_gateway_change_nothing(void **state)
{
    (void)state;
    ledger_fixture *d = four_open();
    const sc_proposal_id id = four_reserve(d, PEER_OTHER);
    const sc_msg_kind kinds[] = {SC_MSG_NONE,   SC_MSG_ADD, SC_MSG_COMPANY,
                                 SC_MSG_REMOVE, SC_MSG_OK,  SC_MSG_NO};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ledger_receive(d, kinds[i], PEER_OTHER, &id, 1);
    }
    sc_msg empty = {.kind = SC_MSG_RESERVE, .from = PEER_WORKER};
    sc__ledger_state_receive(d->ledger_state, &empty, 1);
    empty = (sc_msg){.kind = SC_MSG_RESULT, .from = PEER_OTHER};
    empty.id = id;
    sc__ledger_state_receive(d->ledger_state, &empty, 1);
    ledger_check_quiet(d);
    ledger_check_none_settled(d);
    assert_int_equal(sc__ledger_state_stats(d->ledger_state).proposals, 1);
    four_close(d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_elsewhere_an_ok_sends_what_our_members_ask_for),
    cmocka_unit_test(test_elsewhere_what_r_published_is_answered_with_its_result),
    cmocka_unit_test(test_elsewhere_a_failure_of_r_is_ours_too),
    cmocka_unit_test(test_elsewhere_a_result_is_not_waited_for_for_ever),
    cmocka_unit_test(test_elsewhere_r_alone_decides),
    cmocka_unit_test(test_elsewhere_a_dead_proposal_that_comes_again_ends_by_the_message_of_r),
    cmocka_unit_test(test_elsewhere_the_worker_may_abort),
    cmocka_unit_test(test_elsewhere_r_is_asked_again_and_again),
    cmocka_unit_test(test_elsewhere_silence_leaves_each_in_doubt_at_its_own_deadline),
    cmocka_unit_test(test_elsewhere_a_proposal_of_which_all_are_in_doubt_is_forgotten),
    cmocka_unit_test(test_elsewhere_a_client_that_goes_waits_for_the_message_of_r),
    cmocka_unit_test(test_elsewhere_that_a_client_went_is_sent_until_r_decides),
    cmocka_unit_test(test_elsewhere_what_is_reserved_cannot_be_reserved_again),
    cmocka_unit_test(test_the_end_is_told_to_those_who_would_wait),
    cmocka_unit_test(test_elsewhere_the_result_sends_how_many_users_there_were),
    cmocka_unit_test(test_messages_that_are_not_for_a_gateway_change_nothing),
};
SC_SUITE(tests)
