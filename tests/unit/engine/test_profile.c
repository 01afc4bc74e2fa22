// What an operator allows: defaults, limits that make no sense, needs out of range.
#include "support/check.h"

#include "engine/query_internal.h"

#include <math.h>

static void test_the_defaults_are_those_of_the_header(void **state)
{
    (void)state;
    const sc_limits limits = sc_limits_default();
    assert_int_equal(limits.max_k, 1000);
    assert_int_equal(limits.max_l, 10000);
    assert_int_equal(limits.max_hops, 16);
    assert_true(limits.max_wait_us == sc_time_from_seconds(3600));
    CHECK_SAME(limits.max_snap_m, 1000.0);
    sc_diag diag = {""};
    CHECK_OK(sc__limits_check(&limits, &diag), &diag);
}

static void test_seconds_become_the_nearest_microsecond(void **state)
{
    (void)state;
    static const struct {
        double s;
        sc_time us;
    } moments[] = {
        {0, 0},
        {1e-7, 0},
        {12.345, 12345000},
        {-12.345, -12345000},
        {6e-7, 1},
        {-6e-7, -1},
        {0x1.fffffffffffffp-2 * 1e-6, 0},
        {4503599627.370497, 4503599627370497},  // from here on a double holds no half microseconds
        {-4503599627.370497, -4503599627370497},
        {7e9 + 1e-6, 7000000000000001},
        {9e12, 9000000000000000000},
        {-9e12, -9000000000000000000},
    };
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        assert_int_equal(sc_time_from_seconds(moments[i].s), moments[i].us);
        assert_int_equal(sc_time_from_seconds(moments[i].s), llround(moments[i].s * 1e6));
    }
}

static void test_limits_that_admit_nothing_are_refused(void **state)
{
    (void)state;
    sc_diag diag = {""};
    sc_limits limits = sc_limits_default();
    limits.max_k = 0;
    CHECK_REFUSED(sc__limits_check(&limits, &diag), SC_EINVAL, &diag, "0 users");
    limits = sc_limits_default();
    limits.max_l = 0;
    CHECK_REFUSED(sc__limits_check(&limits, &diag), SC_EINVAL, &diag, "0 segments");

    static const sc_time waits[] = {0, -1, INT64_MIN, SC_TIME_FARTHEST + 1, SC_TIME_NEVER};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        limits = sc_limits_default();
        limits.max_wait_us = waits[i];
        CHECK_REFUSED(sc__limits_check(&limits, &diag), SC_EINVAL, &diag, "wait");
    }
    static const double distances[] = {-1e-9, -HUGE_VAL, NOT_A_NUMBER};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        limits = sc_limits_default();
        limits.max_snap_m = distances[i];
        CHECK_REFUSED(sc__limits_check(&limits, &diag), SC_EINVAL, &diag, "road");
    }
    assert_int_equal(sc__limits_check(&limits, NULL), SC_EINVAL);
}

static void test_the_tightest_and_the_widest_limits_are_fine(void **state)
{
    (void)state;
    sc_diag diag = {""};
    const sc_limits tightest = {.max_k = 1, .max_l = 1, .max_wait_us = 1};
    CHECK_OK(sc__limits_check(&tightest, &diag), &diag);
    const sc_limits widest = {UINT32_MAX, UINT32_MAX, UINT32_MAX, SC_TIME_FARTHEST, HUGE_VAL};
    CHECK_OK(sc__limits_check(&widest, &diag), &diag);
}

static void test_needs_at_their_limits_pass_and_those_beyond_do_not(void **state)
{
    (void)state;
    const sc_limits limits = {
        .max_k = 20, .max_l = 30, .max_hops = 4, .max_wait_us = 500, .max_snap_m = 1.0};
    static const sc_profile fine[] = {{1, 1, 0, 1}, {20, 30, 4, 500}, {5, 5, 2, 100}};
    static const struct {
        sc_profile profile;
        const char *told;  ///< which need, and what is allowed
    } wrong[] = {
        {{0, 5, 2, 100}, "k (users) of 0 is not allowed; ask for 1 to 20"},
        {{21, 5, 2, 100}, "k (users) of 21 is not allowed; ask for 1 to 20"},
        {{UINT32_MAX, 5, 2, 100}, "k (users) of 4294967295 is"},
        {{5, 0, 2, 100}, "l (segments) of 0 is not allowed; ask for 1 to 30"},
        {{5, 31, 2, 100}, "l (segments) of 31 is not allowed; ask for 1 to 30"},
        {{5, 5, 5, 100}, "sigma_s (hops) of 5 is not allowed; ask for 0 to 4"},
        {{5, 5, 2, 0}, "of 0 s is not allowed; ask for more than 0 and at most 0.0005 s"},
        {{5, 5, 2, -1}, "of -1e-06 s is not allowed; ask for more than 0 and at most 0.0005 s"},
        {{5, 5, 2, INT64_MIN}, "sigma_t"},
        {{5, 5, 2, 501}, "of 0.000501 s is not allowed; ask for more than 0 and at most 0.0005 s"},
        {{5, 5, 2, INT64_MAX}, "sigma_t"},
    };
    sc_diag diag = {""};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        CHECK_OK(sc__profile_check(&limits, &fine[i], &diag), &diag);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_REFUSED(sc__profile_check(&limits, &wrong[i].profile, &diag), SC_EPROFILE, &diag,
                      wrong[i].told);
    }
    assert_int_equal(sc__profile_check(&limits, &wrong[0].profile, NULL), SC_EPROFILE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_defaults_are_those_of_the_header),
    cmocka_unit_test(test_seconds_become_the_nearest_microsecond),
    cmocka_unit_test(test_limits_that_admit_nothing_are_refused),
    cmocka_unit_test(test_the_tightest_and_the_widest_limits_are_fine),
    cmocka_unit_test(test_needs_at_their_limits_pass_and_those_beyond_do_not),
};
SC_SUITE(tests)
