// What an operator allows: the defaults make sense, and each term that does not is named.
#include "api/access_policy.h"

#include "support/check.h"
#include "support/default_policy.h"

#include <math.h>

static void test_the_defaults_are_those_that_are_written_down(void **state)
{
    (void)state;
    const sc_policy terms = default_policy();
    sc_diag diag = {""};
    CHECK_OK(sc_policy_check(&terms, &diag), &diag);
    assert_int_equal(terms.standard.k, 5);
    assert_int_equal(terms.standard.l, 3);
    assert_int_equal(terms.standard.max_hops, 4);
    assert_int_equal(terms.standard.max_wait_us, 10000000);
    assert_int_equal(terms.least.k, 2);
    assert_int_equal(terms.most.max_wait_us, 3600000000);
    assert_int_equal(terms.requests.max_k, 100);
    assert_int_equal(terms.user_pending, 1);
    assert_int_equal(terms.events, SC_ACCESS_LOCAL);
    assert_int_equal(terms.metrics, SC_ACCESS_LOCAL);
}

// One term is spoilt, and the sentence has these words.
#define CHECK_SPOILT(field, value, words)                                        \
    do {                                                                         \
        sc_policy spoilt = default_policy();                                     \
        sc_diag diag = {""};                                                     \
        spoilt.field = (value);                                                  \
        CHECK_REFUSED(sc_policy_check(&spoilt, &diag), SC_EINVAL, &diag, words); \
    } while (0)

static void test_a_term_that_makes_no_sense_is_named(void **state)
{
    (void)state;
    CHECK_SPOILT(least.k, 0, "the least k is 0");
    CHECK_SPOILT(least.k, 6, "k: the least is 6, the default 5, the most 1000");
    CHECK_SPOILT(most.k, 4, "k: the least is 2, the default 5, the most 4");
    CHECK_SPOILT(least.l, 0, "the least l is 0");
    CHECK_SPOILT(standard.l, 20000, "l: ");
    CHECK_SPOILT(standard.max_hops, 17, "max_hops: ");
    CHECK_SPOILT(least.max_wait_us, 0, "the least max_wait_s is 0");
    CHECK_SPOILT(standard.max_wait_us, sc_time_from_seconds(4000), "max_wait_s: the least is 1");
    CHECK_SPOILT(most.max_wait_us, sc_time_from_seconds(90000), "allow at most 86400 s");
    CHECK_SPOILT(requests.max_k, 0, "requests.max_k is 0");
    CHECK_SPOILT(requests.max_radius_m, -1.0, "requests.max_radius_m is -1");
    CHECK_SPOILT(max_snap_m, NOT_A_NUMBER, "max_snap_m");
    CHECK_SPOILT(user_rate, -0.5, "user_rate is -0.5");
    CHECK_SPOILT(user_burst, 0.5, "user_burst is 0.5");
    CHECK_SPOILT(address_rate, HUGE_VAL, "address_rate");
    CHECK_SPOILT(address_burst, 0.0, "address_burst is 0");
    CHECK_SPOILT(user_pending, 0, "user_pending is 0");
    CHECK_SPOILT(events, (sc_access)9, "events");
    CHECK_SPOILT(metrics, (sc_access)4, "metrics");
}

static void test_bounds_may_leave_a_single_profile(void **state)
{
    (void)state;
    sc_policy terms = default_policy();
    terms.least = terms.standard;
    terms.most = terms.standard;
    sc_diag diag = {""};
    CHECK_OK(sc_policy_check(&terms, &diag), &diag);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_defaults_are_those_that_are_written_down),
    cmocka_unit_test(test_a_term_that_makes_no_sense_is_named),
    cmocka_unit_test(test_bounds_may_leave_a_single_profile),
};
SC_SUITE(tests)
