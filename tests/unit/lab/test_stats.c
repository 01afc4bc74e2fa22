// Means, intervals, differences and ranks, against numbers worked out by hand or printed in tables.
#include "lab/figures.h"

#include "support/check.h"

#include <math.h>

static void test_students_distribution_is_that_of_the_tables(void **state)
{
    (void)state;
    static const struct {
        size_t degrees;
        double t;
    } table[] = {
        {1, 12.7062047364}, {2, 4.3026527299},   {3, 3.1824463053},   {4, 2.7764451052},
        {5, 2.5705818366},  {9, 2.2621571628},   {10, 2.2281388520},  {29, 2.0452296421},
        {30, 2.0422724563}, {100, 1.9839715185}, {999, 1.9623414611},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        CHECK_CLOSE(sc__student_95(table[i].degrees), table[i].t, 1e-9);
    }
}

static void test_a_mean_has_an_interval_once_there_are_two_values(void **state)
{
    (void)state;
    const double values[] = {1, 2, 3};
    const sc_lab_estimate three = sc__estimate(values, 3);
    assert_int_equal(three.count, 3);
    CHECK_SAME(three.mean, 2);
    // The deviation is 1, that of the mean 1 / sqrt(3).
    CHECK_CLOSE(three.half, 4.3026527299 / 1.7320508076, 1e-9);

    const sc_lab_estimate two = sc__estimate(values, 2);
    CHECK_SAME(two.mean, 1.5);
    CHECK_CLOSE(two.half, 12.7062047364 * 0.5, 1e-9);

    const sc_lab_estimate one = sc__estimate(values, 1);
    assert_int_equal(one.count, 1);
    CHECK_SAME(one.mean, 1);
    CHECK_SAME(one.half, 0);
}

static void test_what_is_not_there_is_left_out(void **state)
{
    (void)state;
    const double values[] = {SC_NO_VALUE, 1, SC_NO_VALUE, 3};
    const sc_lab_estimate some = sc__estimate(values, 4);
    assert_int_equal(some.count, 2);
    CHECK_SAME(some.mean, 2);
    const sc_lab_estimate none = sc__estimate(values, 1);
    assert_int_equal(none.count, 0);
    CHECK_SAME(none.mean, 0);
    CHECK_SAME(none.half, 0);
}

static void test_large_values_that_differ_little_keep_their_interval(void **state)
{
    (void)state;
    const double values[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    CHECK_CLOSE(sc__estimate(values, 3).half, 4.3026527299 / 1.7320508076, 1e-6);
}

static void test_a_difference_is_taken_seed_by_seed(void **state)
{
    (void)state;
    // The values scatter widely, their differences do not at all.
    const double left[] = {11, 51, 91, 7};
    const double right[] = {10, 50, 90, SC_NO_VALUE};
    const sc_lab_estimate more = sc__estimate_difference(left, right, 4);
    assert_int_equal(more.count, 3);
    CHECK_SAME(more.mean, 1);
    CHECK_SAME(more.half, 0);
    const sc_lab_estimate less = sc__estimate_difference(right, left, 4);
    CHECK_SAME(less.mean, -1);
    assert_int_equal(sc__sure_sign(&less), -1);
    assert_int_equal(sc__sure_sign(&more), 1);
}

static void test_only_a_whole_interval_on_one_side_of_zero_is_sure(void **state)
{
    (void)state;
    const double scattered[] = {-3, -1, 1};
    const double near[] = {-1.1, -1, -0.9};
    sc_lab_estimate estimate = sc__estimate(scattered, 3);
    assert_true(estimate.mean < 0);
    assert_int_equal(sc__sure_sign(&estimate), 0);
    estimate = sc__estimate(near, 3);
    assert_int_equal(sc__sure_sign(&estimate), -1);
    estimate.mean = -estimate.mean;
    assert_int_equal(sc__sure_sign(&estimate), 1);
    estimate = sc__estimate(near, 1);
    assert_int_equal(sc__sure_sign(&estimate), 0);
    // No scatter and no difference: nothing is sure.
    const double none[] = {0, 0, 0};
    estimate = sc__estimate(none, 3);
    assert_int_equal(sc__sure_sign(&estimate), 0);
}

static void test_an_interval_is_cut_to_what_is_possible(void **state)
{
    (void)state;
    const sc_lab_estimate wide = {2, 60, 70};
    sc_lab_interval ends = sc__possible_interval(&wide, 100);
    CHECK_SAME(ends.low, 0);
    CHECK_SAME(ends.high, 100);
    ends = sc__possible_interval(&wide, HUGE_VAL);
    CHECK_SAME(ends.high, 130);
    const sc_lab_estimate narrow = {2, 60, 5};
    ends = sc__possible_interval(&narrow, 100);
    CHECK_SAME(ends.low, 55);
    CHECK_SAME(ends.high, 65);
}

static void test_a_mean_ratio_does_not_prefer_a_side(void **state)
{
    (void)state;
    const double left[] = {2, 8, 0, SC_NO_VALUE, 5};
    const double right[] = {1, 2, 7, 7, 0};
    double times = 0;
    double part = 0;
    assert_int_equal(sc__mean_ratio(left, right, 5, &times), 2);
    CHECK_CLOSE(times, sqrt(8), 1e-12);
    assert_int_equal(sc__mean_ratio(right, left, 5, &part), 2);
    CHECK_CLOSE(times * part, 1, 1e-12);
    times = 42;
    assert_int_equal(sc__mean_ratio(left + 2, right + 2, 3, &times), 0);
    CHECK_SAME(times, 42);
}

static void test_ranks_agree_from_minus_one_to_one(void **state)
{
    (void)state;
    const double rising[] = {1, 2, 3, 4, 5};
    const double falling[] = {5, 4, 3, 2, 1};
    const double one_swap[] = {1, 3, 2, 4, 5};
    const double with_equals[] = {1, 1, 1, 2, 3};
    const double same[] = {7, 7, 7};
    CHECK_SAME(sc__kendall(rising, 5), 1);
    CHECK_SAME(sc__kendall(falling, 5), -1);
    CHECK_CLOSE(sc__kendall(one_swap, 5), 0.8, 1e-12);
    CHECK_CLOSE(sc__kendall(with_equals, 5), 0.7, 1e-12);
    CHECK_SAME(sc__kendall(same, 3), 0);
    CHECK_SAME(sc__kendall(rising, 1), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_students_distribution_is_that_of_the_tables),
    cmocka_unit_test(test_a_mean_has_an_interval_once_there_are_two_values),
    cmocka_unit_test(test_what_is_not_there_is_left_out),
    cmocka_unit_test(test_large_values_that_differ_little_keep_their_interval),
    cmocka_unit_test(test_a_difference_is_taken_seed_by_seed),
    cmocka_unit_test(test_only_a_whole_interval_on_one_side_of_zero_is_sure),
    cmocka_unit_test(test_an_interval_is_cut_to_what_is_possible),
    cmocka_unit_test(test_a_mean_ratio_does_not_prefer_a_side),
    cmocka_unit_test(test_ranks_agree_from_minus_one_to_one),
};
SC_SUITE(tests)
