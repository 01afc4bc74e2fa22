// Histograms: every value is counted once, in the first bucket that is not below it.
#include "support/check.h"

#include "base/histogram.h"

#include <pthread.h>

static const double bounds[] = {0.1, 1, 10};

static void test_a_bound_belongs_to_its_own_bucket(void **state)
{
    (void)state;
    sc_histogram h = {.bounds = bounds, .bound_count = 3};
    sc_histogram_add(&h, 0);
    sc_histogram_add(&h, 0.1);
    sc_histogram_add(&h, 0.1000001);
    sc_histogram_add(&h, 1);
    sc_histogram_add(&h, 10);
    sc_histogram_add(&h, 10.5);
    sc_histogram_add(&h, 1e6);
    assert_int_equal(h.counts[0], 2);
    assert_int_equal(h.counts[1], 2);
    assert_int_equal(h.counts[2], 1);
    assert_int_equal(h.counts[3], 2);
    for (size_t i = 4; i < SC_HISTOGRAM_BUCKETS; i++) {
        assert_int_equal(h.counts[i], 0);
    }
}

static void test_the_sum_is_kept_in_millionths(void **state)
{
    (void)state;
    sc_histogram h = {.bounds = bounds, .bound_count = 3};
    sc_histogram_add(&h, 1.5);
    sc_histogram_add(&h, 0.0000004);  // rounds to nothing
    sc_histogram_add(&h, 0.0000006);  // and this to one
    sc_histogram_add(&h, 1e6);
    assert_int_equal(h.sum_millionths, 1500000 + 1 + 1000000000000);
}

static void test_without_bounds_there_is_one_bucket(void **state)
{
    (void)state;
    sc_histogram h = {.bounds = NULL};
    sc_histogram_add(&h, 3);
    assert_int_equal(h.counts[0], 1);
}

static void test_as_many_bounds_as_fit_leave_a_bucket_for_the_rest(void **state)
{
    (void)state;
    double many[SC_HISTOGRAM_BUCKETS - 1];
    for (size_t i = 0; i < SC_HISTOGRAM_BUCKETS - 1; i++) {
        many[i] = (double)i;
    }
    sc_histogram h = {.bounds = many, .bound_count = SC_HISTOGRAM_BUCKETS - 1};
    sc_histogram_add(&h, 1000);
    assert_int_equal(h.counts[SC_HISTOGRAM_BUCKETS - 1], 1);
}

enum { THREADS = 4, EACH = 20000 };

static void *add_many(void *context)
{
    for (int i = 0; i < EACH; i++) {
        sc_histogram_add(context, (double)(i % 4) * 5);  // 0, 5, 10, 15
    }
    return NULL;
}

static void test_several_threads_count_together(void **state)
{
    (void)state;
    sc_histogram h = {.bounds = bounds, .bound_count = 3};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, &h), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(h.counts[0], THREADS * EACH / 4);
    assert_int_equal(h.counts[1], 0);
    assert_int_equal(h.counts[2], THREADS * EACH / 2);
    assert_int_equal(h.counts[3], THREADS * EACH / 4);
    assert_int_equal(h.sum_millionths, (uint64_t)THREADS * EACH / 4 * 30 * 1000000);
}

static void test_the_sum_of_two_has_what_both_have(void **state)
{
    (void)state;
    sc_histogram sum = {.bounds = bounds, .bound_count = 3};
    sc_histogram more = {.bounds = bounds, .bound_count = 3};
    sc_histogram_add(&sum, 0.1);
    sc_histogram_add(&sum, 2);
    sc_histogram_add(&more, 3);
    sc_histogram_add(&more, 100);
    sc_histogram_merge(&sum, &more);
    assert_int_equal(sum.counts[0], 1);
    assert_int_equal(sum.counts[1], 0);
    assert_int_equal(sum.counts[2], 2);
    assert_int_equal(sum.counts[3], 1);
    assert_int_equal(sum.sum_millionths, 105100000);
    assert_int_equal(more.counts[2], 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_bound_belongs_to_its_own_bucket),
    cmocka_unit_test(test_the_sum_is_kept_in_millionths),
    cmocka_unit_test(test_without_bounds_there_is_one_bucket),
    cmocka_unit_test(test_as_many_bounds_as_fit_leave_a_bucket_for_the_rest),
    cmocka_unit_test(test_several_threads_count_together),
    cmocka_unit_test(test_the_sum_of_two_has_what_both_have),
};
SC_SUITE(tests)
