// Counting many numbers, held against keeping them all.
#include "sim/counts.h"

#include <math.h>

#include "base/rng.h"
#include "support/check.h"

static int by_number(const void *a, const void *b)
{
    const uint64_t *left = a;
    const uint64_t *right = b;
    return *left < *right ? -1 : *left > *right;
}

/** The least number that `percent` of all do not exceed, from the numbers themselves. */
static double rank_of(const uint64_t *sorted, size_t count, unsigned percent)
{
    size_t rank = 0;
    while (100 * (rank + 1) < percent * count) {
        rank++;
    }
    return (double)sorted[rank];
}

/** Count `count` numbers, and compare medians and percentiles up to a part of themselves. */
static void compare(uint64_t *numbers, size_t count, double tolerance)
{
    sc_distribution distribution = {0};
    double sum = 0;
    CHECK_OK(sc_distribution_init(&distribution), NULL);
    for (size_t i = 0; i < count; i++) {
        sc_distribution_add(&distribution, numbers[i]);
        sum += (double)numbers[i];
    }
    qsort(numbers, count, sizeof *numbers, by_number);
    const double median = rank_of(numbers, count, 50);
    const double p99 = rank_of(numbers, count, 99);
    const sc_summary summary = sc_distribution_summary(&distribution, 1);
    assert_int_equal(summary.count, count);
    CHECK_CLOSE(summary.mean, sum / (double)count, 1e-9 * sum);
    CHECK_CLOSE(summary.median, median, tolerance * median);
    CHECK_CLOSE(summary.p99, p99, tolerance * p99);
    CHECK_SAME(summary.max, (double)numbers[count - 1]);
    sc_distribution_fini(&distribution);
}

static void test_small_numbers_are_told_exactly(void **state)
{
    (void)state;
    uint64_t numbers[1000];
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        const size_t count = 1 + sc_rng_below(&rng, 1000);
        const uint32_t bound = 1 + sc_rng_below(&rng, 2048);
        for (size_t i = 0; i < count; i++) {
            numbers[i] = sc_rng_below(&rng, bound);
        }
        compare(numbers, count, 0);
    }
    check_case_done();
}

static void test_large_numbers_are_told_to_one_part_in_2048(void **state)
{
    (void)state;
    uint64_t numbers[1000];
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        const size_t count = 1 + sc_rng_below(&rng, 1000);
        for (size_t i = 0; i < count; i++) {
            // As many of each order of magnitude.
            numbers[i] = sc_rng_next(&rng) >> (12 + sc_rng_below(&rng, 52));
        }
        compare(numbers, count, 1.0 / 2048);
    }
    check_case_done();
}

static void test_the_largest_number_has_a_bin(void **state)
{
    (void)state;
    sc_distribution distribution = {0};
    CHECK_OK(sc_distribution_init(&distribution), NULL);
    sc_distribution_add(&distribution, UINT64_MAX);
    sc_distribution_add(&distribution, 0);
    const sc_summary summary = sc_distribution_summary(&distribution, 1);
    CHECK_SAME(summary.median, 0);
    CHECK_CLOSE(summary.p99, 0x1p64, 0x1p53);
    sc_distribution_fini(&distribution);
}

static void test_numbers_come_in_the_unit_asked_for(void **state)
{
    (void)state;
    sc_distribution distribution = {0};
    CHECK_OK(sc_distribution_init(&distribution), NULL);
    sc_distribution_add(&distribution, 500);
    sc_distribution_add(&distribution, 1500);
    const sc_summary summary = sc_distribution_summary(&distribution, 1e-3);
    CHECK_CLOSE(summary.mean, 1.0, 1e-12);
    CHECK_CLOSE(summary.median, 0.5, 1e-12);
    CHECK_CLOSE(summary.max, 1.5, 1e-12);
    sc_distribution_fini(&distribution);
}

static void test_nothing_counted_is_all_zero(void **state)
{
    (void)state;
    sc_distribution distribution = {0};
    CHECK_OK(sc_distribution_init(&distribution), NULL);
    const sc_summary summary = sc_distribution_summary(&distribution, 1);
    assert_int_equal(summary.count, 0);
    CHECK_SAME(summary.mean, 0);
    CHECK_SAME(summary.p99, 0);
    sc_distribution_fini(&distribution);
    sc_distribution_fini(&distribution);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_small_numbers_are_told_exactly),
    SC_CASES(test_large_numbers_are_told_to_one_part_in_2048),
    cmocka_unit_test(test_the_largest_number_has_a_bin),
    cmocka_unit_test(test_numbers_come_in_the_unit_asked_for),
    cmocka_unit_test(test_nothing_counted_is_all_zero),
};
SC_SUITE(tests)
