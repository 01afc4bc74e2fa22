// Seeded numbers: the published sequence, without bias, and shaped as they should.
#include "support/check.h"

#include "base/rng.h"

#include <math.h>

static void test_the_sequence_is_that_of_xoshiro256_plus_plus(void **state)
{
    (void)state;
    // From the state 1, 2, 3, 4, as the generator's definition gives it.
    static const uint64_t wanted[] = {41943041u,
                                      58720359u,
                                      3588806011781223u,
                                      3591011842654386u,
                                      9228616714210784205u,
                                      9973669472204895162u,
                                      14011001112246962877u,
                                      12406186145184390807u,
                                      15849039046786891736u,
                                      10450023813501588000u};
    sc_rng rng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_true(sc_rng_next(&rng) == wanted[i]);
    }
}

static void test_the_seed_is_spread_by_splitmix64(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 1234567);
    assert_true(rng.state[0] == 6457827717110365317u);
    assert_true(rng.state[1] == 3203168211198807973u);
    assert_true(rng.state[2] == 9817491932198370423u);
    assert_true(rng.state[3] == 4593380528125082431u);
}

static void test_every_seed_gives_a_sequence_of_its_own(void **state)
{
    (void)state;
    // Computed from the definitions of both generators, apart from this code.
    static const uint64_t seeds[] = {0, 1, 42, UINT64_MAX};
    static const uint64_t wanted[][4] = {
        {0x53175d61490b23dfu, 0x61da6f3dc380d507u, 0x5c0fdf91ec9a7bfcu, 0x02eebf8c3bbe5e1au},
        {0xcfc5d07f6f03c29bu, 0xbf424132963fe08du, 0x19a37d5757aaf520u, 0xbf08119f05cd56d6u},
        {0xd0764d4f4476689fu, 0x519e4174576f3791u, 0xfbe07cfb0c24ed8cu, 0xb37d9f600cd835b8u},
        {0x56ccf8ce948e27b2u, 0xe68588432e5a5b90u, 0xe3e9b5a48119ca8bu, 0x460f19495532ae73u},
    };
    for (int i = 0; i < 4; i++) {
        sc_rng rng;
        sc_rng_seed(&rng, seeds[i]);
        for (int j = 0; j < 4; j++) {
            assert_true(sc_rng_next(&rng) == wanted[i][j]);
        }
    }
}

static void test_numbers_below_a_bound_stay_below_and_reach_all(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 2, 3, 7, 10, 64};
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        bool seen[64] = {false};
        for (int draw = 0; draw < 2000; draw++) {
            const uint32_t value = sc_rng_below(&rng, bounds[i]);
            assert_true(value < bounds[i]);
            seen[value] = true;
        }
        for (uint32_t value = 0; value < bounds[i]; value++) {
            assert_true(seen[value]);
        }
    }
    for (int draw = 0; draw < 1000; draw++) {
        assert_true(sc_rng_below(&rng, UINT32_MAX) < UINT32_MAX);
        assert_true(sc_rng_below(&rng, 0x80000001u) < 0x80000001u);
    }
}

static void test_numbers_below_a_bound_are_without_bias(void **state)
{
    (void)state;
    // With a bound of 3 * 2^30 the 2^32 inputs do not divide evenly: a plain
    // remainder would favour the lowest third of the values, a plain product
    // every third value. Each third must come equally often: of 200,000 draws,
    // with a deviation of 211; five of them.
    enum { DRAWS = 200000 };
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    int by_remainder[3] = {0};
    int by_part[3] = {0};
    for (int i = 0; i < DRAWS; i++) {
        const uint32_t value = sc_rng_below(&rng, 0xc0000000u);
        by_remainder[value % 3]++;
        by_part[value >> 30]++;
    }
    for (int i = 0; i < 3; i++) {
        assert_true(abs(by_remainder[i] - DRAWS / 3) < 5 * 211);
        assert_true(abs(by_part[i] - DRAWS / 3) < 5 * 211);
    }
}

static void test_a_die_falls_evenly(void **state)
{
    (void)state;
    // Chi squared with 5 degrees of freedom passes 25.7 once in ten thousand.
    enum { DRAWS = 60000 };
    int counts[6] = {0};
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    for (int i = 0; i < DRAWS; i++) {
        counts[sc_rng_below(&rng, 6)]++;
    }
    double chi_squared = 0.0;
    for (int i = 0; i < 6; i++) {
        const double off = counts[i] - DRAWS / 6.0;
        chi_squared += off * off / (DRAWS / 6.0);
    }
    assert_true(chi_squared < 25.7);
}

static void test_unit_numbers_are_from_zero_to_below_one(void **state)
{
    (void)state;
    // Of n uniform numbers the mean has deviation sqrt(1/12/n); five of them.
    enum { DRAWS = 400000 };
    sc_rng rng;
    sc_rng_seed(&rng, 4);
    double sum = 0.0;
    double least = 1.0;
    double most = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        const double value = sc_rng_unit(&rng);
        assert_true(value >= 0.0 && value < 1.0);
        CHECK_SAME(value * 0x1p53, floor(value * 0x1p53));
        sum += value;
        least = fmin(least, value);
        most = fmax(most, value);
    }
    CHECK_CLOSE(sum / DRAWS, 0.5, 5.0 * sqrt(1.0 / 12 / DRAWS));
    assert_true(least < 1e-4 && most > 1.0 - 1e-4);

    // The least and the largest of all: no bit set, and all.
    sc_rng none = {{0, 1, 1, 0}};
    CHECK_SAME(sc_rng_unit(&none), 0.0);
}

static void test_normal_numbers_have_the_moments_of_a_normal_law(void **state)
{
    (void)state;
    // Of n numbers, the moments 1 to 4 have deviations sqrt(1/n), sqrt(2/n),
    // sqrt(15/n) and sqrt(96/n); five of each are allowed.
    enum { DRAWS = 400000 };
    sc_rng rng;
    sc_rng_seed(&rng, 5);
    double moments[5] = {0};
    int beyond_two = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double value = sc_rng_normal(&rng);
        for (int power = 1; power <= 4; power++) {
            moments[power] += pow(value, power) / DRAWS;
        }
        beyond_two += fabs(value) > 2.0;
    }
    CHECK_CLOSE(moments[1], 0.0, 5.0 * sqrt(1.0 / DRAWS));
    CHECK_CLOSE(moments[2], 1.0, 5.0 * sqrt(2.0 / DRAWS));
    CHECK_CLOSE(moments[3], 0.0, 5.0 * sqrt(15.0 / DRAWS));
    CHECK_CLOSE(moments[4], 3.0, 5.0 * sqrt(96.0 / DRAWS));
    // 4.55 % lie beyond two deviations; the count's own deviation is 132.
    CHECK_CLOSE(beyond_two, 0.0455003 * DRAWS, 5.0 * 132);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_sequence_is_that_of_xoshiro256_plus_plus),
        cmocka_unit_test(test_the_seed_is_spread_by_splitmix64),
        cmocka_unit_test(test_every_seed_gives_a_sequence_of_its_own),
        cmocka_unit_test(test_numbers_below_a_bound_stay_below_and_reach_all),
        cmocka_unit_test(test_numbers_below_a_bound_are_without_bias),
        cmocka_unit_test(test_a_die_falls_evenly),
        cmocka_unit_test(test_unit_numbers_are_from_zero_to_below_one),
        cmocka_unit_test(test_normal_numbers_have_the_moments_of_a_normal_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
