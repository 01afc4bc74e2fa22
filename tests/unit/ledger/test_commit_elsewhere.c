// Scenes with another gateway which is R: what we do until it has decided, and when it is silent.
// Times are microseconds; the guard is 10, the jitter 100, the patience 300.
#include "ledger/state.h"

#include "support/check.h"
#include "support/desk_four.h"
#include "support/streams.h"

static void test_elsewhere_an_ok_says_what_our_members_ask_for(void **state)
{
    (void)state;
    desk *d = four_open();
    desk_ask(d, 1, 5000, 0);
    desk_ask(d, 2, 4000, 0);
    sc_bid *bid = desk_bid(d, four_all, DESK_OTHER);
    sc_bid *again = sc_bid_clone(bid);
    desk_reserve(d, bid, 0);
    // Perhaps the ok was lost: said again, it says the same.
    desk_reserve(d, again, 1);
    for (int i = 0; i < 2; i++) {
        sc_word ok = desk_next(d, SC_WORD_OK, DESK_WORKER);
        assert_int_equal(ok.deadline, 4000);
        assert_int_equal(ok.count, 2);
        for (size_t j = 0; j < 2; j++) {
            const sc_query_id one = plain_id(1);
            const bool is_one = memcmp(&ok.wishes[j].query, &one, sizeof one) == 0;
            assert_int_equal(ok.wishes[j].request.k, is_one ? 2 : 3);
        }
        sc_word_fini(&ok);
    }
    desk_check_quiet(d);
    four_close(d);
}

/** Take what has arrived and answer it. */
static void answer_arrived(desk *d, sc_time now)
{
    sc_proposal *proposal = sc__books_take_arrived(d->books);
    assert_non_null(proposal);
    assert_int_equal(proposal->result->relay_size, 5);
    sc_seat seats[2] = {{0}};
    sc__books_answered(d->books, proposal, SC_FAILURE_NONE, seats, NULL, now);
    assert_null(sc__books_take_arrived(d->books));
}

static void test_elsewhere_what_r_published_is_answered_with_its_result(void **state)
{
    (void)state;
    for (int is_overtaken = 0; is_overtaken < 2; is_overtaken++) {
        desk *d = four_open();
        const sc_bid_id id = four_reserve(d, DESK_OTHER);
        if (!is_overtaken) {
            desk_hear(d, SC_WORD_PUBLISHED, DESK_OTHER, &id, 20);
            desk_hear(d, SC_WORD_PUBLISHED, DESK_OTHER, &id, 21);
            // R has forgotten it, and hears late that we asked.
            desk_hear(d, SC_WORD_DEAD, DESK_OTHER, &id, 22);
            desk_check_nobody(d);
        }
        desk_result(d, &id, SC_FAILURE_NONE, 30);
        desk_result(d, &id, SC_FAILURE_NONE, 31);
        if (is_overtaken) desk_hear(d, SC_WORD_PUBLISHED, DESK_OTHER, &id, 32);
        desk_check_quiet(d);
        assert_int_equal(sc__books_next_wake(d->books), INT64_MIN);
        answer_arrived(d, 40);
        desk_result(d, &id, SC_FAILURE_NONE, 41);
        desk_check_quiet(d);
        sc_ticket *ticket = sc__books_take_settled(d->books);
        d->settled = ticket;
        assert_int_equal(ticket->cloak, 815);
        assert_int_equal(ticket->users, 4);
        assert_int_equal(ticket->segments, 1);
        assert_int_equal(ticket->published, is_overtaken ? 30 : 20);
        desk_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
        desk_check_settled(d, 2, SC_OUTCOME_ANSWERED, 0);
        const sc_ledger_stats stats = sc__books_stats(d->books);
        assert_int_equal(stats.cloaks_elsewhere, 1);
        assert_int_equal(stats.cloaks, 0);
        four_close(d);
    }
}

static void test_elsewhere_a_failure_of_r_is_ours_too(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id id = four_reserve(d, DESK_OTHER);
    desk_hear(d, SC_WORD_PUBLISHED, DESK_OTHER, &id, 20);
    desk_result(d, &id, SC_FAILURE_REFUSED, 30);
    desk_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_REFUSED);
    desk_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_REFUSED);
    assert_null(sc__books_take_arrived(d->books));
    four_close(d);
}

static void test_elsewhere_a_result_is_not_waited_for_for_ever(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id id = four_reserve(d, DESK_OTHER);
    desk_hear(d, SC_WORD_PUBLISHED, DESK_OTHER, &id, 20);
    // Deadlines and patience no longer count.
    assert_int_equal(sc__books_next_wake(d->books), 5020);
    sc__books_pass_time(d->books, 5019);
    desk_check_nobody(d);
    sc__books_pass_time(d->books, 5020);
    desk_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_LOST);
    desk_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_LOST);
    desk_result(d, &id, SC_FAILURE_NONE, 5021);
    assert_null(sc__books_take_arrived(d->books));
    desk_check_quiet(d);
    four_close(d);
}

static void test_elsewhere_r_alone_decides(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id id = four_reserve(d, DESK_OTHER);
    const sc_peer others[] = {DESK_WORKER, DESK_STRANGER, DESK_SELF};
    for (size_t i = 0; i < 3; i++) {
        desk_hear(d, SC_WORD_PUBLISHED, others[i], &id, 1);
        desk_hear(d, SC_WORD_DEAD, others[i], &id, 1);
    }
    desk_hear(d, SC_WORD_ABORT, DESK_STRANGER, &id, 1);
    desk_hear(d, SC_WORD_ABORT, DESK_OTHER, &id, 1);
    desk_release(d, &id, four_theirs, 4000, 1);
    desk_check_quiet(d);
    desk_check_nobody(d);
    assert_int_equal(sc__books_stats(d->books).cloaks_elsewhere, 0);
    // It can still be called off.
    desk_hear(d, SC_WORD_DEAD, DESK_OTHER, &id, 2);
    desk_check_added_anew(d, four_ours, 2);
    // And never comes to life again.
    desk_hear(d, SC_WORD_PUBLISHED, DESK_OTHER, &id, 3);
    desk_check_quiet(d);
    assert_int_equal(sc__books_stats(d->books).cloaks_elsewhere, 0);
    four_close(d);
}

static void test_elsewhere_a_dead_bid_that_comes_again_ends_by_the_word_of_r(void **state)
{
    (void)state;
    desk *d = four_open();
    desk_ask(d, 1, 5000, 0);
    desk_ask(d, 2, 4000, 0);
    sc_bid *bid = desk_bid(d, four_all, DESK_OTHER);
    sc_bid *again = sc_bid_clone(bid);
    const sc_bid_id id = desk_reserve(d, bid, 0);
    desk_check_word(d, SC_WORD_OK, DESK_WORKER, &id);
    desk_hear(d, SC_WORD_DEAD, DESK_OTHER, &id, 1);
    desk_check_added_anew(d, four_ours, 1);
    desk_reserve(d, again, 2);
    desk_check_word(d, SC_WORD_OK, DESK_WORKER, &id);
    sc__books_pass_time(d->books, 302);
    desk_check_word(d, SC_WORD_ASK, DESK_OTHER, &id);
    desk_hear(d, SC_WORD_DEAD, DESK_OTHER, &id, 303);
    desk_check_added_anew(d, four_ours, 303);
    four_close(d);
}

static void test_elsewhere_the_worker_may_abort(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id id = four_reserve(d, DESK_OTHER);
    desk_hear(d, SC_WORD_ABORT, DESK_WORKER, &id, 1);
    desk_check_added_anew(d, four_ours, 1);
    assert_int_equal(sc__books_stats(d->books).aborted, 1);
    four_close(d);
}

static void test_elsewhere_r_is_asked_again_and_again(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id id = four_reserve(d, DESK_OTHER);
    for (sc_time now = 300; now <= 1500; now += 300) {
        assert_int_equal(sc__books_next_wake(d->books), now);
        sc__books_pass_time(d->books, now);
        sc_word word = desk_next(d, SC_WORD_ASK, DESK_OTHER);
        assert_memory_equal(&word.id, &id, sizeof id);
        assert_int_equal(word.deadline, 4000);
        desk_check_quiet(d);
    }
    assert_int_equal(sc__books_stats(d->books).asked, 5);
    desk_check_nobody(d);
    four_close(d);
}

static void test_elsewhere_silence_leaves_each_in_doubt_at_its_own_deadline(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id id = four_reserve(d, DESK_OTHER);
    for (sc_time now = 300; now < 4010; now += 300) {
        sc__books_pass_time(d->books, now);
        desk_check_word(d, SC_WORD_ASK, DESK_OTHER, &id);
    }
    sc__books_pass_time(d->books, 4010);
    desk_check_nobody(d);
    sc__books_pass_time(d->books, 4011);
    desk_check_remove(d, 2);
    desk_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_IN_DOUBT);
    desk_check_nobody(d);
    // The other one may still hear that it has left.
    desk_hear(d, SC_WORD_PUBLISHED, DESK_OTHER, &id, 4012);
    desk_result(d, &id, SC_FAILURE_NONE, 4013);
    sc_proposal *proposal = sc__books_take_arrived(d->books);
    sc_seat seat = {0};
    sc__books_answered(d->books, proposal, SC_FAILURE_NONE, &seat, NULL, 4020);
    // By R's clock: by ours it was too late for one of them.
    sc_ticket *ticket = sc__books_take_settled(d->books);
    d->settled = ticket;
    assert_int_equal(ticket->published, 4000);
    desk_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
    four_close(d);
}

static void test_elsewhere_a_bid_of_which_all_are_in_doubt_is_forgotten(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id id = four_reserve(d, DESK_OTHER);
    sc__books_pass_time(d->books, 6000);
    desk_check_remove(d, 2);
    desk_check_remove(d, 1);
    desk_check_quiet(d);
    desk_check_settled(d, 1, SC_OUTCOME_FAILED, SC_FAILURE_IN_DOUBT);
    desk_check_settled(d, 2, SC_OUTCOME_FAILED, SC_FAILURE_IN_DOUBT);
    desk_hear(d, SC_WORD_PUBLISHED, DESK_OTHER, &id, 6001);
    desk_hear(d, SC_WORD_DEAD, DESK_OTHER, &id, 6001);
    desk_check_quiet(d);
    assert_int_equal(sc__books_next_wake(d->books), SC_TIME_NEVER);
    four_close(d);
}

static void test_elsewhere_a_client_that_goes_waits_for_the_word_of_r(void **state)
{
    (void)state;
    for (int is_published = 0; is_published < 2; is_published++) {
        desk *d = four_open();
        const sc_bid_id id = four_reserve(d, DESK_OTHER);
        desk_withdraw(d, 1, 5);
        desk_check_word(d, SC_WORD_ABORT, DESK_OTHER, &id);
        desk_withdraw(d, 1, 6);
        desk_check_quiet(d);
        desk_check_nobody(d);
        if (is_published) {
            desk_hear(d, SC_WORD_PUBLISHED, DESK_OTHER, &id, 7);
            desk_withdraw(d, 1, 8);
            assert_int_equal(sc__books_stats(d->books).gone_published, 1);
            desk_result(d, &id, SC_FAILURE_NONE, 9);
            answer_arrived(d, 10);
            desk_check_settled(d, 1, SC_OUTCOME_ANSWERED, 0);
        } else {
            desk_hear(d, SC_WORD_DEAD, DESK_OTHER, &id, 7);
            desk_check_remove(d, 1);
            desk_check_settled(d, 1, SC_OUTCOME_GONE, 0);
            desk_check_added_anew(d, (const uint32_t[]){2, 0}, 7);
        }
        four_close(d);
    }
}

static void test_elsewhere_that_a_client_went_is_said_until_r_decides(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id id = four_reserve(d, DESK_OTHER);
    desk_withdraw(d, 1, 5);
    desk_check_word(d, SC_WORD_ABORT, DESK_OTHER, &id);
    for (sc_time now = 300; now < 1000; now += 300) {
        sc__books_pass_time(d->books, now);
        desk_check_word(d, SC_WORD_ABORT, DESK_OTHER, &id);
        desk_check_word(d, SC_WORD_ASK, DESK_OTHER, &id);
        desk_check_quiet(d);
    }
    four_close(d);
}

static void test_elsewhere_what_is_reserved_cannot_be_reserved_again(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id first = four_reserve(d, DESK_OTHER);
    const sc_bid_id second = desk_reserve(d, desk_bid(d, four_all, DESK_OTHER), 1);
    desk_check_no(d, &second, four_ours);
    desk_hear(d, SC_WORD_DEAD, DESK_OTHER, &first, 2);
    desk_check_added_anew(d, four_ours, 2);
    const sc_bid_id third = desk_reserve(d, desk_bid(d, four_all, DESK_OTHER), 3);
    desk_check_word(d, SC_WORD_OK, DESK_WORKER, &third);
    four_close(d);
}

static void test_the_end_is_told_to_those_who_would_wait(void **state)
{
    (void)state;
    desk *d = four_open();
    sc_bid_id published;
    four_publish(d, &published);
    desk_ask(d, 3, 5000, 200);
    desk_ask(d, 4, 5000, 200);
    const uint32_t there[] = {3, 1002, 0};
    const uint32_t here[] = {4, 1003, 0};
    const sc_bid_id elsewhere = desk_reserve(d, desk_bid(d, there, DESK_OTHER), 200);
    desk_check_word(d, SC_WORD_OK, DESK_WORKER, &elsewhere);
    const sc_bid_id reserved = desk_reserve(d, desk_bid(d, here, DESK_SELF), 200);
    desk_check_word(d, SC_WORD_OK, DESK_WORKER, &reserved);
    sc__books_stop(d->books, 300);
    four_check_failure(d, SC_FAILURE_STOPPED);
    desk_check_word(d, SC_WORD_ABORT, DESK_OTHER, &elsewhere);
    desk_check_remove(d, 3);
    desk_check_word(d, SC_WORD_DEAD, DESK_OTHER, &reserved);
    desk_check_remove(d, 4);
    desk_check_word(d, SC_WORD_DEAD, DESK_WORKER, &reserved);
    desk_check_quiet(d);
    for (uint32_t i = 1; i <= 4; i++) {
        desk_check_settled(d, i, SC_OUTCOME_FAILED, SC_FAILURE_STOPPED);
    }
    four_close(d);
}

// Who had to ask R was told less than the result tells.
static void test_elsewhere_the_result_says_how_many_users_there_were(void **state)
{
    (void)state;
    desk d;
    const sc__books_options options = desk_options();
    desk_open(&d, &options, 1);
    sc_ticket *ticket = desk_ask(&d, 1, 10000, 0);
    sc_bid *bid = desk_bid(&d, (const uint32_t[]){1, DESK_THEIRS, 0}, DESK_OTHER);
    const sc_bid_id id = desk_reserve(&d, bid, 0);
    sc_word ok = desk_next(&d, SC_WORD_OK, DESK_WORKER);
    sc_word_fini(&ok);
    sc_word less = {.kind = SC_WORD_PUBLISHED, .from = DESK_OTHER};
    less.id = id;
    sc__books_hear(d.books, &less, 10);
    assert_int_equal(ticket->users, 0);
    sc_word result = {.kind = SC_WORD_RESULT, .from = DESK_OTHER};
    result.id = id;
    result.users = 2;
    result.number = 77;
    result.result = sc_result_new(SC_FAILURE_NONE, "relay", 5, "reply", 5);
    sc__books_hear(d.books, &result, 20);
    assert_int_equal(ticket->users, 2);
    assert_int_equal(ticket->cloak, 77);
    sc_proposal *proposal = sc__books_take_arrived(d.books);
    assert_non_null(proposal);
    sc__books_answered(d.books, proposal, SC_FAILURE_UNBELIEVABLE, NULL, NULL, 30);
    desk_check_settled(&d, 1, SC_OUTCOME_FAILED, SC_FAILURE_UNBELIEVABLE);
    desk_close(&d);
}

static void test_words_that_are_not_for_a_gateway_change_nothing(void **state)
{
    (void)state;
    desk *d = four_open();
    const sc_bid_id id = four_reserve(d, DESK_OTHER);
    const sc_word_kind kinds[] = {SC_WORD_NONE,   SC_WORD_ADD, SC_WORD_COMPANY,
                                  SC_WORD_REMOVE, SC_WORD_OK,  SC_WORD_NO};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        desk_hear(d, kinds[i], DESK_OTHER, &id, 1);
    }
    sc_word empty = {.kind = SC_WORD_RESERVE, .from = DESK_WORKER};
    sc__books_hear(d->books, &empty, 1);
    empty = (sc_word){.kind = SC_WORD_RESULT, .from = DESK_OTHER};
    empty.id = id;
    sc__books_hear(d->books, &empty, 1);
    desk_check_quiet(d);
    desk_check_nobody(d);
    assert_int_equal(sc__books_stats(d->books).bids, 1);
    four_close(d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_elsewhere_an_ok_says_what_our_members_ask_for),
    cmocka_unit_test(test_elsewhere_what_r_published_is_answered_with_its_result),
    cmocka_unit_test(test_elsewhere_a_failure_of_r_is_ours_too),
    cmocka_unit_test(test_elsewhere_a_result_is_not_waited_for_for_ever),
    cmocka_unit_test(test_elsewhere_r_alone_decides),
    cmocka_unit_test(test_elsewhere_a_dead_bid_that_comes_again_ends_by_the_word_of_r),
    cmocka_unit_test(test_elsewhere_the_worker_may_abort),
    cmocka_unit_test(test_elsewhere_r_is_asked_again_and_again),
    cmocka_unit_test(test_elsewhere_silence_leaves_each_in_doubt_at_its_own_deadline),
    cmocka_unit_test(test_elsewhere_a_bid_of_which_all_are_in_doubt_is_forgotten),
    cmocka_unit_test(test_elsewhere_a_client_that_goes_waits_for_the_word_of_r),
    cmocka_unit_test(test_elsewhere_that_a_client_went_is_said_until_r_decides),
    cmocka_unit_test(test_elsewhere_what_is_reserved_cannot_be_reserved_again),
    cmocka_unit_test(test_the_end_is_told_to_those_who_would_wait),
    cmocka_unit_test(test_elsewhere_the_result_says_how_many_users_there_were),
    cmocka_unit_test(test_words_that_are_not_for_a_gateway_change_nothing),
};
SC_SUITE(tests)
