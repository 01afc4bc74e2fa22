// What travellers draw: within their limits, distributed as they say, and refused where
// they make no sense.
#include "support/check.h"

#include "base/rng.h"
#include "sim/workload.h"

#include <math.h>

enum { DRAWS = 200000 };

enum { PARTS = 6 };

// The spreads of a workload by number, for tests that go through all of them.
static sc_normal *part_of(sc_workload *workload, size_t part)
{
    sc_normal *const parts[PARTS] = {&workload->nearest,    &workload->k,
                                     &workload->l,          &workload->max_hops,
                                     &workload->max_wait_s, &workload->pause_s};
    return parts[part];
}

static void check_spread(sc_normal got, double mean, double deviation, double min, double max)
{
    CHECK_SAME(got.mean, mean);
    CHECK_SAME(got.deviation, deviation);
    CHECK_SAME(got.min, min);
    CHECK_SAME(got.max, max);
}

static void test_the_defaults_are_those_of_the_paper_within_four_deviations(void **state)
{
    (void)state;
    const sc_workload workload = sc_workload_default();
    sc_diag diag = {""};
    check_spread(workload.nearest, 5, 1, 1, 9);
    check_spread(workload.k, 5, 1.5, 1, 11);
    check_spread(workload.l, 5, 1.5, 1, 11);
    check_spread(workload.max_hops, 4, 1, 0, 8);
    check_spread(workload.max_wait_s, 10, 2, 2, 18);
    check_spread(workload.pause_s, 20, 2, 12, 28);
    assert_int_equal(workload.wanted, SC_WANT_ONE);
    CHECK_OK(sc_workload_check(&workload, &diag), &diag);
}

static void test_a_spread_stays_above_its_least_and_below_what_can_be_written(void **state)
{
    (void)state;
    check_spread(sc_normal_around(3, 1, 1), 3, 1, 1, 7);
    check_spread(sc_normal_around(3, 0, 1), 3, 0, 3, 3);
    check_spread(sc_normal_around(0.1, 0, 0.1), 0.1, 0, 0.1, 0.1);
    check_spread(sc_normal_around(9e5, 1e5, 1), 9e5, 1e5, 5e5, 1e6);
}

// How likely a normal draw with mean 0 and deviation 1 is to lie below z.
static double below(double z)
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

static void test_whole_numbers_are_rounded_and_distributed_as_they_say(void **state)
{
    (void)state;
    const sc_normal k = sc_workload_default().k;
    uint32_t counts[16] = {0};
    sc_rng rng;
    sc_rng_seed(&rng, 5);
    for (int i = 0; i < DRAWS; i++) {
        const uint32_t drawn = sc_normal_draw_whole(&k, &rng);
        assert_in_range(drawn, 1, 11);
        counts[drawn]++;
    }
    for (int i = 1; i <= 11; i++) {
        // What lies outside falls to the ends.
        const double low = i == 1 ? 0 : below((i - 0.5 - k.mean) / k.deviation);
        const double high = i == 11 ? 1 : below((i + 0.5 - k.mean) / k.deviation);
        const double share = high - low;
        // Four standard errors: one seed in a thousand would fail, and this one does not.
        const double tolerance = 4.0 * sqrt(share * (1.0 - share) / DRAWS);
        CHECK_CLOSE((double)counts[i] / DRAWS, share, tolerance);
    }
}

static void test_waits_have_their_mean_and_deviation(void **state)
{
    (void)state;
    const sc_normal wait = sc_workload_default().max_wait_s;
    double sum = 0;
    double squares = 0;
    sc_rng rng;
    sc_rng_seed(&rng, 6);
    for (int i = 0; i < DRAWS; i++) {
        const double drawn = sc_normal_draw(&wait, &rng);
        assert_true(drawn >= 2.0 && drawn <= 18.0);
        sum += drawn;
        squares += (drawn - 10.0) * (drawn - 10.0);
    }
    // Four standard errors again: 2 / sqrt(n) of the mean, 2 / sqrt(2 n) of the deviation.
    CHECK_CLOSE(sum / DRAWS, 10.0, 4.0 * 2.0 / sqrt(DRAWS));
    CHECK_CLOSE(sqrt(squares / DRAWS), 2.0, 4.0 * 2.0 / sqrt(2.0 * DRAWS));
}

static void test_without_a_deviation_all_are_alike(void **state)
{
    (void)state;
    const sc_normal seven = sc_normal_around(7, 0, 1);
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    for (int i = 0; i < 1000; i++) {
        CHECK_SAME(sc_normal_draw(&seven, &rng), 7.0);
        assert_int_equal(sc_normal_draw_whole(&seven, &rng), 7);
    }
}

static void test_a_workload_that_makes_no_sense_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const names[PARTS] = {
        "the number of nearest objects", "k", "l", "the hops", "the longest wait", "the pause"};
    static const sc_normal bad[] = {
        {5, -1, 2, 9},
        {5, NOT_A_NUMBER, 2, 9},
        {5, 2e6, 2, 9},
        {NOT_A_NUMBER, 1, 2, 9},
        {1, 1, 2, 9},
        {10, 1, 2, 9},
        {5, 1, -1, 9},
        {5, 1, NOT_A_NUMBER, 9},
        {5, 1, 2, NOT_A_NUMBER},
        {5, 1, 9, 2},
        {5, 1, 2, 2e6},
    };
    for (size_t part = 0; part < PARTS; part++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            sc_workload workload = sc_workload_default();
            *part_of(&workload, part) = bad[i];
            char wanted[128];
            sc_diag diag = {""};
            snprintf(wanted, sizeof wanted, ": %s must be from ", names[part]);
            CHECK_REFUSED(sc_workload_check(&workload, &diag), SC_EINVAL, &diag, wanted);
        }
    }
}

static void test_travellers_who_want_something_unheard_of_are_refused(void **state)
{
    (void)state;
    sc_workload workload = sc_workload_default();
    sc_diag diag = {""};
    for (int wanted = SC_WANT_ONE; wanted <= SC_WANT_THIS; wanted++) {
        workload.wanted = (sc_want)wanted;
        CHECK_OK(sc_workload_check(&workload, &diag), &diag);
    }
    workload.wanted = (sc_want)(SC_WANT_THIS + 1);
    CHECK_REFUSED(sc_workload_check(&workload, &diag), SC_EINVAL, &diag, "want one category");
}

static void test_the_least_that_makes_sense_is_accepted_and_nothing_below(void **state)
{
    (void)state;
    static const double least[PARTS] = {1, 1, 1, 0, 0.1, 1};
    for (size_t part = 0; part < PARTS; part++) {
        sc_workload workload = sc_workload_default();
        sc_normal *spread = part_of(&workload, part);
        sc_diag diag = {""};
        *spread = (sc_normal){least[part], 0, least[part], least[part]};
        CHECK_OK(sc_workload_check(&workload, &diag), &diag);
        spread->min = nextafter(least[part], -1.0);
        CHECK_REFUSED(sc_workload_check(&workload, &diag), SC_EINVAL, &diag, "is not valid");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_defaults_are_those_of_the_paper_within_four_deviations),
    cmocka_unit_test(test_a_spread_stays_above_its_least_and_below_what_can_be_written),
    cmocka_unit_test(test_whole_numbers_are_rounded_and_distributed_as_they_say),
    cmocka_unit_test(test_waits_have_their_mean_and_deviation),
    cmocka_unit_test(test_without_a_deviation_all_are_alike),
    cmocka_unit_test(test_a_workload_that_makes_no_sense_is_refused_by_name),
    cmocka_unit_test(test_travellers_who_want_something_unheard_of_are_refused),
    cmocka_unit_test(test_the_least_that_makes_sense_is_accepted_and_nothing_below),
};
SC_SUITE(tests)
