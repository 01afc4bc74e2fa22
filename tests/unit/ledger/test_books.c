// Scenes from the books: what becomes of a query, one thing after the other. Times are
// microseconds; the guard is 10, the jitter 100. All members are ours here: the tests of the commit
// have the others.
#include "ledger/state.h"

#include "support/check.h"
#include "support/desk.h"
#include "support/streams.h"

static const uint32_t one_two[] = {1, 2, 0};

/** Tickets 1 and 2, and a bid of both that is reserved at 0. */
static sc_bid_id reserve_two(desk *d, sc_time deadline_1, sc_time deadline_2)
{
    desk_ask(d, 1, deadline_1, 0);
    desk_ask(d, 2, deadline_2, 0);
    const sc_bid_id id = desk_propose(d, one_two, 0);
    desk_check_quiet(d);
    return id;
}

/** Publish what is due. */
static sc_proposal *publish(desk *d, const sc_bid_id *id, uint32_t users, sc_time now)
{
    sc_proposal *proposal = sc__books_take_due(d->books, now);
    assert_non_null(proposal);
    sc__books_published(d->books, proposal, 4711, users, now);
    sc_word word = desk_next(d, SC_WORD_PUBLISHED, DESK_WORKER);
    assert_memory_equal(&word.id, id, sizeof *id);
    assert_int_equal(word.room, 3);
    assert_int_equal(word.number, 4711);
    assert_int_equal(word.users, users);
    assert_int_equal(word.deadline, now);
    return proposal;
}

/** Tickets 1 and 2, published at 100. */
static sc_proposal *publish_two(desk *d)
{
    const sc_bid_id id = reserve_two(d, 1000, 1000);
    return publish(d, &id, 2, 100);
}

static desk *open_desk(void)
{
    desk *d = test_take(1, sizeof *d);
    const sc__books_options options = desk_options();
    desk_open(d, &options, 1);
    return d;
}

static void close_desk(desk *d)
{
    const sc_ledger_stats stats = sc__books_stats(d->books);
    desk_check_stats(&stats);
    desk_close(d);
    free(d);
}

static void test_two_queries_are_cloaked_published_and_answered(void **state)
{
    (void)state;
    desk *d = open_desk();
    const sc_bid_id id = reserve_two(d, 1000, 2000);
    const sc_time wake = sc__books_next_wake(d->books);
    assert_in_range(wake, 0, 100);
    assert_null(sc__books_take_due(d->books, wake - 1));
    sc_proposal *proposal = publish(d, &id, 2, wake);
    assert_null(sc__books_take_due(d->books, wake));
    desk_check_quiet(d);
    desk_check_nobody(d);

    // Seats are in the order of our members.
    const sc_ticket *first_member = proposal->members;
    sc_seat seats[2] = {{0}};
    seats[0].answer = test_take(1, sizeof *seats[0].answer);
    const sc_answer *answer = seats[0].answer;
    sc__books_answered(d->books, proposal, SC_FAILURE_NONE, seats, NULL, 500);
    assert_null(seats[0].answer);
    desk_check_quiet(d);
    sc_ticket *first = sc__books_take_settled(d->books);
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
    const sc_ledger_stats stats = sc__books_stats(d->books);
    assert_int_equal(stats.answered, 2);
    assert_int_equal(stats.bids, 1);
    assert_int_equal(stats.cloaks, 1);
    assert_int_equal(stats.pending, 0);
    close_desk(d);
}

static void test_an_open_query_whose_client_goes_away_leaves_the_engine(void **state)
{
    (void)state;
    desk *d = open_desk();
    desk_ask(d, 1, 1000, 0);
    desk_withdraw(d, 1, 5);
    desk_check_remove(d, 1);
    desk_check_settled(d, 1, SC_OUTCOME_GONE, 0);
    desk_withdraw(d, 1, 6);
    desk_withdraw(d, 2, 6);
    desk_check_quiet(d);
    desk_check_nobody(d);
    close_desk(d);
}

static void test_a_reserved_query_whose_client_goes_away_takes_the_proposal_with_it(void **state)
{
    (void)state;
    desk *d = open_desk();
    const sc_bid_id id = reserve_two(d, 1000, 1000);
    desk_withdraw(d, 2, 1);
    // First that it is gone, then that the others go on.
    desk_check_remove(d, 2);
    desk_check_word(d, SC_WORD_DEAD, DESK_WORKER, &id);
    desk_check_settled(d, 2, SC_OUTCOME_GONE, 0);
    desk_check_nobody(d);
    assert_null(sc__books_take_due(d->books, 900));
    desk_check_added_anew(d, (const uint32_t[]){1, 0}, 900);
    assert_int_equal(sc__books_stats(d->books).resent, 1);
    // The other one is open: it can be proposed again.
    const sc_bid_id again = desk_propose(d, (const uint32_t[]){1, 0}, 900);
    publish(d, &again, 1, 980);
    close_desk(d);
}

static void test_a_published_query_whose_client_goes_away_is_answered_like_the_others(void **state)
{
    (void)state;
    desk *d = open_desk();
    sc_proposal *proposal = publish_two(d);
    desk_withdraw(d, 1, 101);
    desk_withdraw(d, 1, 102);
    desk_check_quiet(d);
    desk_check_nobody(d);
    sc_seat seats[2] = {{0}};
    sc__books_answered(d->books, proposal, SC_FAILURE_TIMEOUT, seats, NULL, 500);
    desk_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_TIMEOUT);
    desk_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_TIMEOUT);
    assert_int_equal(sc__books_stats(d->books).gone_published, 1);
    assert_int_equal(sc__books_stats(d->books).gone, 0);
    close_desk(d);
}

/** Something that is wrong with a bid. */
typedef void spoiler(sc_bid *bid);

/** Query 1 is open, 2 was settled, 3 is reserved, 9 was never there; this bid must be refused with
 * those `gone`, and query 1 open as before. */
static void check_refused(const uint32_t *numbers, spoiler *spoil, const uint32_t *gone)
{
    desk *d = open_desk();
    const sc_ticket *open = desk_ask(d, 1, 1000, 0);
    desk_ask(d, 2, 1000, 0);
    const sc_ticket *reserved = desk_ask(d, 3, 1000, 0);
    desk_drop(d, 2, SC_DROP_INFEASIBLE, 0);
    desk_check_settled(d, 2, SC_OUTCOME_DROPPED, SC_DROP_INFEASIBLE);
    desk_propose(d, (const uint32_t[]){3, 0}, 0);
    desk_check_quiet(d);

    sc_bid *bid = desk_bid(d, numbers, DESK_SELF);
    if (spoil) spoil(bid);
    const sc_bid_id id = desk_reserve(d, bid, 1);
    desk_check_no(d, &id, gone);
    desk_check_quiet(d);
    desk_check_nobody(d);
    assert_int_equal(open->state, SC_TICKET_OPEN);
    assert_null(open->proposal);
    assert_int_equal(reserved->state, SC_TICKET_RESERVED);
    assert_int_equal(sc__books_stats(d->books).refused, 1);
    close_desk(d);
}

static void without_segments(sc_bid *bid)
{
    bid->segment_count = 0;
}

static void released_by_a_stranger(sc_bid *bid)
{
    bid->releaser = DESK_STRANGER;
    bid->is_single = false;
}

static void of_others_alone(sc_bid *bid)
{
    bid->members[0].query.owner = DESK_OTHER;
    bid->releaser = DESK_OTHER;
}

static void single_with_others(sc_bid *bid)
{
    bid->members[0].query.owner = DESK_OTHER;
}

static void without_time(sc_bid *bid)
{
    bid->members[0].query.deadline = INT64_MIN;
}

static void test_a_bid_with_somebody_who_is_not_open_or_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    const uint32_t nobody[] = {0};
    check_refused((const uint32_t[]){1, 9, 0}, NULL, (const uint32_t[]){9, 0});
    check_refused((const uint32_t[]){1, 2, 0}, NULL, (const uint32_t[]){2, 0});
    check_refused((const uint32_t[]){1, 3, 0}, NULL, (const uint32_t[]){3, 0});
    check_refused((const uint32_t[]){9, 1, 3, 0}, NULL, (const uint32_t[]){9, 3, 0});
    check_refused((const uint32_t[]){1, 1, 0}, NULL, nobody);
    check_refused(nobody, NULL, nobody);
    check_refused((const uint32_t[]){1, 0}, without_segments, nobody);
    check_refused((const uint32_t[]){1, 0}, released_by_a_stranger, nobody);
    check_refused((const uint32_t[]){1, 0}, of_others_alone, nobody);
    check_refused((const uint32_t[]){1, 1, 0}, single_with_others, nobody);
    check_refused((const uint32_t[]){1, 0}, without_time, nobody);
}

static void test_a_bid_that_is_too_late_for_one_costs_only_that_one(void **state)
{
    (void)state;
    desk *d = open_desk();
    desk_ask(d, 1, 1000, 0);
    const sc_ticket *other = desk_ask(d, 2, 2000, 0);
    const sc_bid_id id = desk_propose(d, one_two, 990);
    desk_check_remove(d, 1);
    desk_check_no(d, &id, (const uint32_t[]){1, 0});
    desk_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_EXPIRED);
    desk_check_nobody(d);
    assert_int_equal(other->state, SC_TICKET_OPEN);
    // One before that there is time, if next to none.
    const sc_bid_id late = desk_propose(d, (const uint32_t[]){2, 0}, 1989);
    desk_check_quiet(d);
    publish(d, &late, 1, 1989);
    close_desk(d);
}

static void test_a_release_that_comes_late_is_called_off(void **state)
{
    (void)state;
    desk *d = open_desk();
    const sc_bid_id id = reserve_two(d, 200, 1000);
    // The thread slept from before the release until just before the deadline of query 1.
    assert_null(sc__books_take_due(d->books, 190));
    desk_check_remove(d, 1);
    desk_check_word(d, SC_WORD_DEAD, DESK_WORKER, &id);
    desk_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_EXPIRED);
    desk_check_nobody(d);
    desk_check_added_anew(d, (const uint32_t[]){2, 0}, 190);
    assert_int_equal(sc__books_stats(d->books).pending, 1);
    close_desk(d);
}

static void test_a_deadline_that_comes_while_reserved_leaves_the_query_in_doubt(void **state)
{
    (void)state;
    for (int by_time = 0; by_time < 2; by_time++) {
        desk *d = open_desk();
        const sc_bid_id id = reserve_two(d, 200, 1000);
        if (by_time) {
            sc__books_pass_time(d->books, 211);
        } else {
            assert_null(sc__books_take_due(d->books, 201));
        }
        desk_check_remove(d, 1);
        desk_check_word(d, SC_WORD_DEAD, DESK_WORKER, &id);
        desk_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_IN_DOUBT);
        desk_check_nobody(d);
        assert_int_equal(sc__books_stats(d->books).pending, 1);
        close_desk(d);
    }
}

static void test_a_query_that_the_engine_forgets_is_dropped_after_the_guard(void **state)
{
    (void)state;
    desk *d = open_desk();
    desk_ask(d, 1, 1000, 0);
    assert_int_equal(sc__books_next_wake(d->books), 1011);
    sc__books_pass_time(d->books, 1010);
    desk_check_nobody(d);
    sc__books_pass_time(d->books, 1011);
    desk_check_remove(d, 1);
    desk_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_EXPIRED);
    assert_int_equal(sc__books_next_wake(d->books), SC_TIME_NEVER);
    // Its words come too late now.
    desk_drop(d, 1, SC_DROP_EXPIRED, 1012);
    desk_check_nobody(d);
    close_desk(d);
}

static void test_what_the_engine_says_of_a_reserved_query_is_not_believed(void **state)
{
    (void)state;
    desk *d = open_desk();
    const sc_bid_id id = reserve_two(d, 1000, 1000);
    desk_drop(d, 1, SC_DROP_EXPIRED, 5);
    desk_check_nobody(d);
    desk_check_quiet(d);
    publish(d, &id, 2, 100);
    close_desk(d);
}

static void test_a_query_for_which_the_engine_has_no_memory_has_failed(void **state)
{
    (void)state;
    desk *d = open_desk();
    desk_ask(d, 1, 1000, 0);
    sc_word word = {.kind = SC_WORD_NOT_TAKEN, .from = DESK_WORKER};
    word.query.id = plain_id(1);
    sc__books_hear(d->books, &word, 1);
    desk_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    desk_check_quiet(d);
    close_desk(d);
}

static void test_tickets_that_cannot_come_in_are_settled_at_once(void **state)
{
    (void)state;
    desk *d = open_desk();
    sc__books_add(d->books, desk_ticket(1, 1, 10), 11);
    desk_check_settled(d, 1, SC_OUTCOME_DROPPED, SC_DROP_EXPIRED);
    desk_ask(d, 2, 100, 11);
    sc__books_add(d->books, desk_ticket(2, 1, 100), 11);
    desk_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    for (uint32_t i = 3; i < 10; i++) {
        desk_ask(d, i, 100, 11);
    }
    sc__books_add(d->books, desk_ticket(10, 1, 100), 11);
    desk_check_settled(d, 10, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    sc__books_turn_away(d->books, desk_ticket(11, 1, 100), 11);
    desk_check_settled(d, 11, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    desk_check_quiet(d);
    desk_check_nobody(d);
    assert_int_equal(sc__books_stats(d->books).taken, 12);
    close_desk(d);
}

static void test_what_cannot_be_sent_has_failed_and_leaves_the_engine(void **state)
{
    (void)state;
    desk *d = open_desk();
    const sc_bid_id id = reserve_two(d, 1000, 1000);
    sc_proposal *proposal = sc__books_take_due(d->books, 100);
    sc__books_unsent(d->books, proposal, SC_FAILURE_OVERLOADED, 100);
    desk_check_remove(d, 2);
    desk_check_remove(d, 1);
    desk_check_word(d, SC_WORD_DEAD, DESK_WORKER, &id);
    desk_check_quiet(d);
    desk_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    desk_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_OVERLOADED);
    assert_int_equal(sc__books_stats(d->books).cloaks, 0);
    close_desk(d);
}

static void test_when_all_are_in_proposals_another_is_refused(void **state)
{
    (void)state;
    desk *d = open_desk();
    for (uint32_t i = 1; i <= 8; i++) {
        desk_ask(d, i, 1000, 0);
        desk_propose(d, (const uint32_t[]){i, 0}, 0);
    }
    desk_check_quiet(d);
    const sc_bid_id id = desk_propose(d, (const uint32_t[]){9, 1, 0}, 0);
    desk_check_no(d, &id, (const uint32_t[]){1, 9, 0});
    close_desk(d);
}

static void test_a_bid_that_is_said_twice_is_reserved_once(void **state)
{
    (void)state;
    desk *d = open_desk();
    desk_ask(d, 1, 1000, 0);
    sc_bid *bid = desk_bid(d, (const uint32_t[]){1, 0}, DESK_SELF);
    sc_bid *reserved = sc_bid_clone(bid);
    sc_bid *published = sc_bid_clone(bid);
    sc_bid *answered = sc_bid_clone(bid);
    const sc_bid_id id = desk_reserve(d, bid, 0);
    desk_reserve(d, reserved, 1);
    desk_check_quiet(d);
    sc_proposal *proposal = publish(d, &id, 1, 100);
    // Perhaps our word was lost: it is said again.
    desk_reserve(d, published, 101);
    desk_check_word(d, SC_WORD_PUBLISHED, DESK_WORKER, &id);
    sc_seat seat = {0};
    sc__books_answered(d->books, proposal, SC_FAILURE_NONE, &seat, NULL, 200);
    desk_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
    desk_reserve(d, answered, 201);
    desk_check_word(d, SC_WORD_PUBLISHED, DESK_WORKER, &id);
    desk_check_quiet(d);
    assert_int_equal(sc__books_stats(d->books).bids, 1);
    close_desk(d);
}

static void test_a_bid_that_was_called_off_stays_dead(void **state)
{
    (void)state;
    desk *d = open_desk();
    desk_ask(d, 1, 1000, 0);
    desk_ask(d, 2, 1000, 0);
    sc_bid *bid = desk_bid(d, one_two, DESK_SELF);
    sc_bid *again = sc_bid_clone(bid);
    sc_bid *late = sc_bid_clone(bid);
    late->members[0].query.deadline = late->members[1].query.deadline = 1000;
    bid->members[0].query.deadline = bid->members[1].query.deadline = 1000;
    const sc_bid_id id = desk_reserve(d, bid, 0);
    desk_hear(d, SC_WORD_ABORT, DESK_WORKER, &id, 1);
    // Who has called it off knows.
    desk_check_added_anew(d, one_two, 1);
    desk_reserve(d, again, 2);
    desk_check_no(d, &id, (const uint32_t[]){0});
    assert_null(sc__books_take_due(d->books, 900));
    const sc_ledger_stats stats = sc__books_stats(d->books);
    assert_int_equal(stats.aborted, 1);
    assert_int_equal(stats.refused, 1);
    assert_int_equal(stats.bids, 1);
    // When nobody can speak of it any more it is forgotten, and refused as late.
    sc__books_pass_time(d->books, 1021 + 1000000);
    while (d->told_count > 0) {
        sc_word word = desk_next(d, SC_WORD_REMOVE, SC_PEER_NONE);
        sc_word_fini(&word);
    }
    desk_reserve(d, late, 1021 + 1000000);
    desk_check_no(d, &id, one_two);
    assert_int_equal(sc__books_stats(d->books).bids, 2);
    close_desk(d);
}

static void test_the_end_settles_what_is_open_reserved_and_published(void **state)
{
    (void)state;
    desk *d = open_desk();
    publish_two(d);
    desk_ask(d, 3, 1000, 100);
    desk_ask(d, 4, 1000, 100);
    desk_ask(d, 5, 1000, 100);
    const sc_bid_id id = desk_propose(d, (const uint32_t[]){4, 5, 0}, 100);
    sc__books_stop(d->books, 101);
    for (uint32_t i = 1; i <= 5; i++) {
        desk_check_settled(d, i, SC_OUTCOME_FAILED, SC_FAILURE_STOPPED);
    }
    desk_check_nobody(d);
    desk_check_remove(d, 5);
    desk_check_remove(d, 4);
    desk_check_word(d, SC_WORD_DEAD, DESK_WORKER, &id);
    desk_check_remove(d, 3);
    desk_check_quiet(d);
    assert_int_equal(sc__books_next_wake(d->books), SC_TIME_NEVER);
    close_desk(d);
}

static void test_words_anew_wait_until_there_is_room_for_them(void **state)
{
    (void)state;
    desk *d = open_desk();
    for (uint32_t i = 1; i <= 4; i++) {
        desk_ask(d, i, 100000, 0);
    }
    d->room = 0;
    sc__books_resend(d->books, 0, 10);
    sc__books_pass_time(d->books, 10);
    desk_check_quiet(d);
    assert_in_range(sc__books_next_wake(d->books), 11, 2000);
    d->room = 3;
    sc__books_pass_time(d->books, 2000);
    assert_int_equal(d->told_count, 3);
    d->told_count = 0;
    sc__books_pass_time(d->books, 4000);
    assert_int_equal(d->told_count, 1);
    d->told_count = 0;
    sc__books_pass_time(d->books, 5000);
    desk_check_quiet(d);
    assert_int_equal(sc__books_stats(d->books).resent, 4);
    close_desk(d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_queries_are_cloaked_published_and_answered),
    cmocka_unit_test(test_an_open_query_whose_client_goes_away_leaves_the_engine),
    cmocka_unit_test(test_a_reserved_query_whose_client_goes_away_takes_the_proposal_with_it),
    cmocka_unit_test(test_a_published_query_whose_client_goes_away_is_answered_like_the_others),
    cmocka_unit_test(test_a_bid_with_somebody_who_is_not_open_or_that_makes_no_sense_is_refused),
    cmocka_unit_test(test_a_bid_that_is_too_late_for_one_costs_only_that_one),
    cmocka_unit_test(test_a_release_that_comes_late_is_called_off),
    cmocka_unit_test(test_a_deadline_that_comes_while_reserved_leaves_the_query_in_doubt),
    cmocka_unit_test(test_a_query_that_the_engine_forgets_is_dropped_after_the_guard),
    cmocka_unit_test(test_what_the_engine_says_of_a_reserved_query_is_not_believed),
    cmocka_unit_test(test_a_query_for_which_the_engine_has_no_memory_has_failed),
    cmocka_unit_test(test_tickets_that_cannot_come_in_are_settled_at_once),
    cmocka_unit_test(test_what_cannot_be_sent_has_failed_and_leaves_the_engine),
    cmocka_unit_test(test_when_all_are_in_proposals_another_is_refused),
    cmocka_unit_test(test_a_bid_that_is_said_twice_is_reserved_once),
    cmocka_unit_test(test_a_bid_that_was_called_off_stays_dead),
    cmocka_unit_test(test_the_end_settles_what_is_open_reserved_and_published),
    cmocka_unit_test(test_words_anew_wait_until_there_is_room_for_them),
};
SC_SUITE(tests)
