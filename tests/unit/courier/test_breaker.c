// The breaker: opens after failures in a row, lets a single one through after its pause, and closes
// when that one came back well.
#include "courier/breaker.h"

#include "support/check.h"

enum { FAILURES = 3 };
#define PAUSE INT64_C(100)

static bool admit(sc__breaker *b, int64_t now)
{
    bool is_trial = false;
    return sc__breaker_admit(b, now, &is_trial);
}

static sc__breaker opened_at(int64_t now)
{
    sc__breaker b = sc__breaker_new(FAILURES, PAUSE);
    for (int i = 0; i < FAILURES; i++) {
        assert_true(admit(&b, now));
        sc__breaker_report(&b, now, false, SC__WENT_BADLY);
    }
    return b;
}

static void test_it_opens_after_failures_in_a_row(void **state)
{
    (void)state;
    sc__breaker b = sc__breaker_new(FAILURES, PAUSE);
    for (int i = 0; i < 10; i++) {
        sc__breaker_report(&b, i, false, SC__WENT_BADLY);
        sc__breaker_report(&b, i, false, SC__NO_VERDICT);  // neither here nor there
        sc__breaker_report(&b, i, false, SC__WENT_BADLY);
        sc__breaker_report(&b, i, false, SC__WENT_WELL);
        assert_int_equal(b.state, SC__BREAKER_CLOSED);
    }
    assert_int_equal(b.times_open, 0);
    b = opened_at(10);
    assert_int_equal(b.state, SC__BREAKER_OPEN);
    assert_int_equal(b.times_open, 1);
    assert_false(admit(&b, 10));
    assert_false(admit(&b, 10 + PAUSE - 1));
}

static void test_one_that_never_opens_never_opens(void **state)
{
    (void)state;
    sc__breaker b = sc__breaker_new(0, PAUSE);
    for (int i = 0; i < 1000; i++) {
        sc__breaker_report(&b, i, false, SC__WENT_BADLY);
        assert_true(admit(&b, i));
    }
}

static void test_after_the_pause_exactly_one_goes_through(void **state)
{
    (void)state;
    sc__breaker b = opened_at(0);
    bool is_trial = false;
    assert_true(sc__breaker_admit(&b, PAUSE, &is_trial));
    assert_true(is_trial);
    for (int i = 0; i < 1000; i++) {
        assert_false(admit(&b, PAUSE + i));
    }
    sc__breaker_report(&b, 2 * PAUSE, true, SC__WENT_WELL);
    assert_true(admit(&b, 2 * PAUSE));
    // From there on it counts again.
    sc__breaker_report(&b, 2 * PAUSE, false, SC__WENT_BADLY);
    sc__breaker_report(&b, 2 * PAUSE, false, SC__WENT_BADLY);
    assert_true(admit(&b, 2 * PAUSE));
    sc__breaker_report(&b, 2 * PAUSE, false, SC__WENT_BADLY);
    assert_false(admit(&b, 2 * PAUSE));
    assert_int_equal(b.times_open, 2);
}

static void test_a_trial_that_goes_badly_begins_another_pause(void **state)
{
    (void)state;
    sc__breaker b = opened_at(0);
    assert_true(admit(&b, PAUSE));
    sc__breaker_report(&b, PAUSE + 30, true, SC__WENT_BADLY);
    assert_false(admit(&b, 2 * PAUSE + 29));
    assert_true(admit(&b, 2 * PAUSE + 30));
    assert_int_equal(b.times_open, 1);  // it was not closed in between
}

static void test_a_trial_without_a_verdict_makes_room_for_another(void **state)
{
    (void)state;
    sc__breaker b = opened_at(0);
    assert_true(admit(&b, PAUSE));
    sc__breaker_report(&b, PAUSE, true, SC__NO_VERDICT);
    bool is_trial = false;
    assert_true(sc__breaker_admit(&b, PAUSE, &is_trial));
    assert_true(is_trial);
    assert_false(admit(&b, PAUSE));
}

static void test_those_who_went_before_do_not_count_while_it_is_open(void **state)
{
    (void)state;
    sc__breaker b = opened_at(0);
    sc__breaker_report(&b, 50, false, SC__WENT_BADLY);
    sc__breaker_report(&b, 60, false, SC__WENT_WELL);
    assert_false(admit(&b, 99));
    bool is_trial = false;
    assert_true(sc__breaker_admit(&b, PAUSE, &is_trial));
    sc__breaker_report(&b, PAUSE, false, SC__WENT_BADLY);
    sc__breaker_report(&b, PAUSE, false, SC__WENT_WELL);
    assert_int_equal(b.state, SC__BREAKER_HALF_OPEN);
    // And they do not try again; the one on trial may.
    assert_false(sc__breaker_may_go_on(&b, false));
    assert_true(sc__breaker_may_go_on(&b, true));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_it_opens_after_failures_in_a_row),
    cmocka_unit_test(test_one_that_never_opens_never_opens),
    cmocka_unit_test(test_after_the_pause_exactly_one_goes_through),
    cmocka_unit_test(test_a_trial_that_goes_badly_begins_another_pause),
    cmocka_unit_test(test_a_trial_without_a_verdict_makes_room_for_another),
    cmocka_unit_test(test_those_who_went_before_do_not_count_while_it_is_open),
};
SC_SUITE(tests)
