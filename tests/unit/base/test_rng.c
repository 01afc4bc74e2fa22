// Random numbers: the published sequence from a seed; and from both kinds of
// sources numbers without bias, shaped as they should. The seed cannot be fixed of a
// secure source, so what is said about chance allows six deviations: a good source
// is then found wanting once in five hundred million comparisons.
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
    sc_rng rng = {.state = {1, 2, 3, 4}};
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

static void test_a_source_on_the_heap_gives_the_numbers_of_its_seed(void **state)
{
    (void)state;
    sc_rng *heap = NULL;
    sc_rng stack;
    assert_int_equal(sc_rng_new_seeded(77, &heap), SC_OK);
    sc_rng_seed(&stack, 77);
    for (int i = 0; i < 1000; i++) {
        assert_true(sc_rng_next(heap) == sc_rng_next(&stack));
    }
    sc_rng_free(heap);
}

static void test_the_fork_of_a_seeded_source_is_repeatable_and_another_one(void **state)
{
    (void)state;
    enum { DRAWS = 1000 };
    sc_rng *twins[2] = {NULL, NULL};
    sc_rng *forks[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sc_rng_new_seeded(5, &twins[i]), SC_OK);
        sc_rng_next(twins[i]);
        assert_int_equal(sc_rng_fork(twins[i], &forks[i]), SC_OK);
        assert_null(forks[i]->reserve);
    }
    int equal = 0;
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t own = sc_rng_next(twins[0]);
        const uint64_t forked = sc_rng_next(forks[0]);
        assert_true(own == sc_rng_next(twins[1]));
        assert_true(forked == sc_rng_next(forks[1]));
        equal += own == forked;
    }
    assert_int_equal(equal, 0);

    // A second fork is not the first one again.
    sc_rng *second = NULL;
    assert_int_equal(sc_rng_fork(twins[0], &second), SC_OK);
    assert_true(sc_rng_next(second) != sc_rng_next(forks[0]));
    sc_rng_free(second);
    for (int i = 0; i < 2; i++) {
        sc_rng_free(twins[i]);
        sc_rng_free(forks[i]);
    }
    sc_rng_free(NULL);
}

// --- Both kinds -------------------------------------------------------------------

enum { SEEDED, SECURE, KINDS };

static sc_rng *source(int kind, uint64_t seed)
{
    sc_rng *rng = NULL;
    assert_int_equal(kind == SEEDED ? sc_rng_new_seeded(seed, &rng) : sc_rng_new_secure(&rng),
                     SC_OK);
    return rng;
}

static void test_every_bit_is_set_half_the_time(void **state)
{
    (void)state;
    // Of n draws a bit is set n/2 times, with a deviation of sqrt(n)/2.
    enum { DRAWS = 40000, DEVIATION = 100 };
    for (int kind = 0; kind < KINDS; kind++) {
        sc_rng *rng = source(kind, 6);
        uint64_t set[64] = {0};
        uint64_t changes[64] = {0};
        uint64_t last = sc_rng_next(rng);
        for (int i = 0; i < DRAWS; i++) {
            const uint64_t bits = sc_rng_next(rng);
            for (int b = 0; b < 64; b++) {
                set[b] += bits >> b & 1;
                changes[b] += (bits ^ last) >> b & 1;
            }
            last = bits;
        }
        for (int b = 0; b < 64; b++) {
            CHECK_CLOSE((double)set[b], DRAWS / 2.0, 6.0 * DEVIATION);
            CHECK_CLOSE((double)changes[b], DRAWS / 2.0, 6.0 * DEVIATION);
        }
        sc_rng_free(rng);
    }
}

static void test_no_number_comes_twice(void **state)
{
    (void)state;
    // Enough for many reserves; 64 bits make a pair among them unlikely (one in 10^12).
    enum { DRAWS = 4000 };
    uint64_t *seen = test_take(DRAWS, sizeof *seen);
    for (int kind = 0; kind < KINDS; kind++) {
        sc_rng *rng = source(kind, 7);
        for (int i = 0; i < DRAWS; i++) {
            seen[i] = sc_rng_next(rng);
        }
        for (int i = 0; i < DRAWS; i++) {
            for (int j = 0; j < i; j++) {
                assert_true(seen[i] != seen[j]);
            }
        }
        sc_rng_free(rng);
    }
    free(seen);
}

static void test_numbers_below_a_bound_stay_below_and_reach_all(void **state)
{
    (void)state;
    // One of 64 values is missed by 2,000 draws once in 10^12 times.
    static const uint32_t bounds[] = {1, 2, 3, 7, 10, 64};
    for (int kind = 0; kind < KINDS; kind++) {
        sc_rng *rng = source(kind, 1);
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
            bool seen[64] = {false};
            for (int draw = 0; draw < 2000; draw++) {
                const uint32_t value = sc_rng_below(rng, bounds[i]);
                assert_true(value < bounds[i]);
                seen[value] = true;
            }
            for (uint32_t value = 0; value < bounds[i]; value++) {
                assert_true(seen[value]);
            }
        }
        for (int draw = 0; draw < 1000; draw++) {
            assert_true(sc_rng_below(rng, UINT32_MAX) < UINT32_MAX);
            assert_true(sc_rng_below(rng, 0x80000001u) < 0x80000001u);
        }
        sc_rng_free(rng);
    }
}

static void test_numbers_below_a_bound_are_without_bias(void **state)
{
    (void)state;
    // With a bound of 3 * 2^30 the 2^32 inputs do not divide evenly: a plain
    // remainder would favour the lowest third of the values, a plain product
    // every third value. Each third must come equally often: of 200,000 draws,
    // with a deviation of 211.
    enum { DRAWS = 200000 };
    for (int kind = 0; kind < KINDS; kind++) {
        sc_rng *rng = source(kind, 2);
        int by_remainder[3] = {0};
        int by_part[3] = {0};
        for (int i = 0; i < DRAWS; i++) {
            const uint32_t value = sc_rng_below(rng, 0xc0000000u);
            by_remainder[value % 3]++;
            by_part[value >> 30]++;
        }
        for (int i = 0; i < 3; i++) {
            CHECK_CLOSE(by_remainder[i], DRAWS / 3.0, 6.0 * 211);
            CHECK_CLOSE(by_part[i], DRAWS / 3.0, 6.0 * 211);
        }
        sc_rng_free(rng);
    }
}

static void test_a_die_falls_evenly(void **state)
{
    (void)state;
    // Chi squared with 5 degrees of freedom passes 51 once in a thousand million.
    enum { DRAWS = 60000 };
    for (int kind = 0; kind < KINDS; kind++) {
        sc_rng *rng = source(kind, 3);
        int counts[6] = {0};
        for (int i = 0; i < DRAWS; i++) {
            counts[sc_rng_below(rng, 6)]++;
        }
        double chi_squared = 0.0;
        for (int i = 0; i < 6; i++) {
            const double off = counts[i] - DRAWS / 6.0;
            chi_squared += off * off / (DRAWS / 6.0);
        }
        assert_true(chi_squared < 51.0);
        sc_rng_free(rng);
    }
}

static void test_unit_numbers_are_from_zero_to_below_one(void **state)
{
    (void)state;
    // Of n uniform numbers the mean has deviation sqrt(1/12/n); none of them is
    // within 1e-4 of an end once in 10^17 times.
    enum { DRAWS = 400000 };
    for (int kind = 0; kind < KINDS; kind++) {
        sc_rng *rng = source(kind, 4);
        double sum = 0.0;
        double least = 1.0;
        double most = 0.0;
        for (int i = 0; i < DRAWS; i++) {
            const double value = sc_rng_unit(rng);
            assert_true(value >= 0.0 && value < 1.0);
            CHECK_SAME(value * 0x1p53, floor(value * 0x1p53));
            sum += value;
            least = fmin(least, value);
            most = fmax(most, value);
        }
        CHECK_CLOSE(sum / DRAWS, 0.5, 6.0 * sqrt(1.0 / 12 / DRAWS));
        assert_true(least < 1e-4 && most > 1.0 - 1e-4);
        sc_rng_free(rng);
    }
    // The least of all: no bit set.
    sc_rng none = {.state = {0, 1, 1, 0}};
    CHECK_SAME(sc_rng_unit(&none), 0.0);
}

static void test_normal_numbers_have_the_moments_of_a_normal_law(void **state)
{
    (void)state;
    // Of n numbers, the moments 1 to 4 have deviations sqrt(1/n), sqrt(2/n),
    // sqrt(15/n) and sqrt(96/n).
    enum { DRAWS = 400000 };
    for (int kind = 0; kind < KINDS; kind++) {
        sc_rng *rng = source(kind, 5);
        double moments[5] = {0};
        int beyond_two = 0;
        for (int i = 0; i < DRAWS; i++) {
            const double value = sc_rng_normal(rng);
            for (int power = 1; power <= 4; power++) {
                moments[power] += pow(value, power) / DRAWS;
            }
            beyond_two += fabs(value) > 2.0;
        }
        CHECK_CLOSE(moments[1], 0.0, 6.0 * sqrt(1.0 / DRAWS));
        CHECK_CLOSE(moments[2], 1.0, 6.0 * sqrt(2.0 / DRAWS));
        CHECK_CLOSE(moments[3], 0.0, 6.0 * sqrt(15.0 / DRAWS));
        CHECK_CLOSE(moments[4], 3.0, 6.0 * sqrt(96.0 / DRAWS));
        // 4.55 % lie beyond two deviations; the count's own deviation is 132.
        CHECK_CLOSE(beyond_two, 0.0455003 * DRAWS, 6.0 * 132);
        sc_rng_free(rng);
    }
}

// ------------------------------------------------------------------------------------------------
// Secure sources: each its own numbers, wiped as they are used. Their statistics are
// in test_rng.c.

static sc_rng *secure(void)
{
    sc_rng *rng = NULL;
    assert_int_equal(sc_rng_new_secure(&rng), SC_OK);
    return rng;
}

static void test_two_secure_sources_have_no_number_in_common(void **state)
{
    (void)state;
    enum { DRAWS = 1000 };
    sc_rng *one = secure();
    sc_rng *other = secure();
    uint64_t seen[DRAWS];
    for (int i = 0; i < DRAWS; i++) {
        seen[i] = sc_rng_next(one);
    }
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t number = sc_rng_next(other);
        for (int j = 0; j < DRAWS; j++) {
            assert_true(number != seen[j]);
        }
    }
    sc_rng_free(one);
    sc_rng_free(other);
}

static void test_the_fork_of_a_secure_source_is_secure_and_leaves_it_alone(void **state)
{
    (void)state;
    sc_rng *rng = secure();
    sc_rng_next(rng);
    const size_t left = rng->reserve->left;
    sc_rng *fork = NULL;
    assert_int_equal(sc_rng_fork(rng, &fork), SC_OK);
    assert_non_null(fork->reserve);
    assert_ptr_not_equal(fork->reserve, rng->reserve);
    assert_int_equal(rng->reserve->left, left);
    assert_true(sc_rng_next(fork) != sc_rng_next(rng));
    sc_rng_free(rng);
    sc_rng_free(fork);
}

static void test_a_number_is_wiped_from_the_reserve_as_it_is_used(void **state)
{
    (void)state;
    sc_rng *rng = secure();
    const sc_rng_reserve *reserve = rng->reserve;
    // Through several reserves, and across their ends.
    for (size_t draw = 0; draw < (size_t)3 * SC_RNG_RESERVE; draw++) {
        const uint64_t number = sc_rng_next(rng);
        assert_int_equal(reserve->left, SC_RNG_RESERVE - 1 - draw % SC_RNG_RESERVE);
        for (size_t i = 0; i < SC_RNG_RESERVE; i++) {
            assert_true(reserve->numbers[i] != number);
            // What is still to be used is there; 64 bits are all zero by chance never.
            assert_int_equal(reserve->numbers[i] == 0, i >= reserve->left);
        }
    }
    sc_rng_free(rng);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_sequence_is_that_of_xoshiro256_plus_plus),
    cmocka_unit_test(test_the_seed_is_spread_by_splitmix64),
    cmocka_unit_test(test_every_seed_gives_a_sequence_of_its_own),
    cmocka_unit_test(test_a_source_on_the_heap_gives_the_numbers_of_its_seed),
    cmocka_unit_test(test_the_fork_of_a_seeded_source_is_repeatable_and_another_one),
    cmocka_unit_test(test_every_bit_is_set_half_the_time),
    cmocka_unit_test(test_no_number_comes_twice),
    cmocka_unit_test(test_numbers_below_a_bound_stay_below_and_reach_all),
    cmocka_unit_test(test_numbers_below_a_bound_are_without_bias),
    cmocka_unit_test(test_a_die_falls_evenly),
    cmocka_unit_test(test_unit_numbers_are_from_zero_to_below_one),
    cmocka_unit_test(test_normal_numbers_have_the_moments_of_a_normal_law),
    cmocka_unit_test(test_two_secure_sources_have_no_number_in_common),
    cmocka_unit_test(test_the_fork_of_a_secure_source_is_secure_and_leaves_it_alone),
    cmocka_unit_test(test_a_number_is_wiped_from_the_reserve_as_it_is_used),
};
SC_SUITE(tests)
