// Percentiles by buckets, against a sorted list.
#include "base/histogram.h"

#include <math.h>

#include "base/rng.h"
#include "support/check.h"

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_nothing_counted_is_zero(void **state)
{
    (void)state;
    static sc_log_histogram latency;
    CHECK_SAME(sc_log_histogram_quantile(&latency, 0.5), 0.0);
    CHECK_SAME(sc_log_histogram_mean(&latency), 0.0);
}

static void test_small_numbers_are_exact(void **state)
{
    (void)state;
    static sc_log_histogram latency;
    for (uint64_t value = 1; value <= 100; value++) {
        sc_log_histogram_add(&latency, value);
    }
    CHECK_SAME(sc_log_histogram_quantile(&latency, 0.0), 1.0);
    CHECK_SAME(sc_log_histogram_quantile(&latency, 0.5), 50.0);
    CHECK_SAME(sc_log_histogram_quantile(&latency, 0.99), 99.0);
    CHECK_SAME(sc_log_histogram_quantile(&latency, 1.0), 100.0);
    CHECK_SAME(sc_log_histogram_mean(&latency), 50.5);
    assert_int_equal(latency.max, 100);
}

// Numbers over many powers of two; each percentile is within half a bucket, 1/256, of the truth.
static void test_percentiles_are_those_of_a_sorted_list(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static uint64_t values[COUNT];
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        static sc_log_histogram latency;
        latency = (sc_log_histogram){.count = 0};
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        for (size_t i = 0; i < COUNT; i++) {
            values[i] = (uint64_t)exp2(sc_rng_unit(&rng) * 38);
            sc_log_histogram_add(&latency, values[i]);
        }
        qsort(values, COUNT, sizeof(values[0]), by_size);
        for (int percent = 1; percent <= 100; percent++) {
            const double exact = (double)values[(size_t)ceil(percent / 100.0 * COUNT) - 1];
            CHECK_CLOSE(sc_log_histogram_quantile(&latency, percent / 100.0), exact, exact / 255.0);
        }
    }
    check_case_done();
}

static void test_the_largest_numbers_have_a_place(void **state)
{
    (void)state;
    static sc_log_histogram latency;
    sc_log_histogram_add(&latency, UINT64_MAX);
    sc_log_histogram_add(&latency, ((uint64_t)1 << SC_LOG_HISTOGRAM_TOP_BITS) - 1);
    assert_int_equal(latency.counts[SC_LOG_HISTOGRAM_BUCKETS - 1], 2);
    assert_true(latency.max == UINT64_MAX);
}

static void test_merging_is_counting_both(void **state)
{
    (void)state;
    static sc_log_histogram a;
    static sc_log_histogram b;
    static sc_log_histogram both;
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    for (int i = 0; i < 1000; i++) {
        const uint64_t value = sc_rng_below(&rng, 1000000);
        sc_log_histogram_add(i % 3 == 0 ? &a : &b, value);
        sc_log_histogram_add(&both, value);
    }
    sc_log_histogram_merge(&a, &b);
    assert_memory_equal(&a, &both, sizeof(both));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nothing_counted_is_zero),
    cmocka_unit_test(test_small_numbers_are_exact),
    SC_CASES(test_percentiles_are_those_of_a_sorted_list),
    cmocka_unit_test(test_the_largest_numbers_have_a_place),
    cmocka_unit_test(test_merging_is_counting_both),
};
SC_SUITE(tests)
