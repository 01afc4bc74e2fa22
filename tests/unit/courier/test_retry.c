// When to try again: the pause grows, is drawn, heeds the provider, and ends before the deadline.
#include "courier/provider_request.h"

#include "support/check.h"

#define SECOND INT64_C(1000000)

static void test_only_what_may_pass_is_tried_again(void **state)
{
    (void)state;
    const int passing[] = {408, 429, 500, 502, 503, 504};
    size_t found = 0;
    for (int status = 100; status < 600; status++) {
        if (!sc__retry_may_help(status)) continue;
        assert_true(found < sizeof passing / sizeof passing[0]);
        assert_int_equal(status, passing[found++]);
    }
    assert_int_equal(found, sizeof passing / sizeof passing[0]);
}

static void test_the_pause_doubles_up_to_the_longest(void **state)
{
    (void)state;
    const int64_t wanted[] = {100000, 200000, 400000, 800000, 1600000, 3200000, 3200000, 3200000};
    for (unsigned tries = 1; tries <= 8; tries++) {
        // Without luck it is the half, and with all the luck there is nearly the whole.
        assert_int_equal(sc__retry_at(tries, 0, 7, 1000 * SECOND, 0.0), 7 + wanted[tries - 1] / 2);
        const int64_t late = sc__retry_at(tries, 0, 7, 1000 * SECOND, 0.999999);
        assert_true(late > 7 + wanted[tries - 1] * 99 / 100 && late <= 7 + wanted[tries - 1]);
    }
    assert_int_equal(sc__retry_at(4000000000u, 0, 0, 1000 * SECOND, 0.0), 1600000);
}

static void test_a_provider_that_says_when_is_not_asked_before(void **state)
{
    (void)state;
    assert_int_equal(sc__retry_at(1, 2 * SECOND, 0, 10 * SECOND, 0.0), 2 * SECOND);
    // Those who were told the same do not come back at the same moment.
    assert_int_equal(sc__retry_at(1, 2 * SECOND, 0, 10 * SECOND, 0.5), 2 * SECOND + 25000);
    // One that is in a hurry is not hammered either.
    assert_int_equal(sc__retry_at(6, 1, 0, 10 * SECOND, 0.0), 1600000);
}

static void test_there_is_no_try_at_or_beyond_the_deadline(void **state)
{
    (void)state;
    assert_int_equal(sc__retry_at(1, 0, 0, 50001, 0.0), 50000);
    assert_true(sc__retry_at(1, 0, 0, 50000, 0.0) == SC__RETRY_NEVER);
    assert_true(sc__retry_at(1, 0, 100, 90, 0.0) == SC__RETRY_NEVER);
    assert_true(sc__retry_at(1, 0, 0, 74999, 0.5) == SC__RETRY_NEVER);
    assert_int_equal(sc__retry_at(1, 0, 0, 75001, 0.5), 75000);
    // However long the provider wants to be left alone.
    assert_true(sc__retry_at(1, INT64_MAX, 0, 10 * SECOND, 0.9) == SC__RETRY_NEVER);
    assert_true(sc__retry_at(1, 86400 * SECOND, INT64_MAX - 5, INT64_MAX - 1, 0.9) ==
                SC__RETRY_NEVER);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_only_what_may_pass_is_tried_again),
    cmocka_unit_test(test_the_pause_doubles_up_to_the_longest),
    cmocka_unit_test(test_a_provider_that_says_when_is_not_asked_before),
    cmocka_unit_test(test_there_is_no_try_at_or_beyond_the_deadline),
};
SC_SUITE(tests)
