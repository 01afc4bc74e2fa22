// What all travellers share: seeds of their own, paces, names.
#include "travel/travel_internal.h"

#include "support/check.h"

#include "base/sort.h"

#include <math.h>

// Neighbouring seeds, travellers and purposes are where a bad mixture would show.
static void test_every_seed_traveller_and_purpose_has_numbers_of_its_own(void **state)
{
    (void)state;
    enum { SEEDS = 40, TRAVELLERS = 500, PURPOSES = 4, ALL = SEEDS * TRAVELLERS * PURPOSES };
    uint64_t *drawn = test_take(ALL, sizeof *drawn);
    size_t count = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        for (uint32_t who = 0; who < TRAVELLERS; who++) {
            for (uint32_t purpose = 0; purpose < PURPOSES; purpose++) {
                sc_rng rng;
                sc_rng_seed(&rng, sc_traveller_seed(seed, who, purpose));
                drawn[count++] = sc_rng_next(&rng);
            }
        }
    }
    assert_int_equal(sc_sort_count_different(drawn, count), ALL);
    free(drawn);
}

static void test_a_seed_is_used_whole_and_stays_the_same(void **state)
{
    (void)state;
    assert_true(sc_traveller_seed(1, 2, 3) == sc_traveller_seed(1, 2, 3));
    assert_true(sc_traveller_seed(1, 2, 3) != sc_traveller_seed(1 + (1ULL << 32), 2, 3));
    assert_true(sc_traveller_seed(1, 2, 3) != sc_traveller_seed(1 + (1ULL << 63), 2, 3));
    assert_true(sc_traveller_seed(0, 0, 0) != 0);
}

// What travellers with neighbouring numbers draw must not be alike either.
static void test_numbers_of_neighbours_are_spread_evenly(void **state)
{
    (void)state;
    enum { TRAVELLERS = 64000, CELLS = 64 };
    uint32_t counts[CELLS] = {0};
    for (uint32_t who = 0; who < TRAVELLERS; who++) {
        sc_rng rng;
        sc_rng_seed(&rng, sc_traveller_seed(7, who, SC_FOR_TRIPS));
        counts[sc_rng_below(&rng, CELLS)]++;
    }
    double chi_square = 0;
    for (int i = 0; i < CELLS; i++) {
        const double off = counts[i] - (double)TRAVELLERS / CELLS;
        chi_square += off * off / ((double)TRAVELLERS / CELLS);
    }
    // 63 degrees of freedom: within four standard deviations, which are sqrt(2 * 63).
    CHECK_CLOSE(chi_square, 63.0, 4.0 * sqrt(126.0));
}

static void test_paces_are_around_one_and_never_far_off(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    double sum = 0;
    double squares = 0;
    uint32_t slowest = 0;
    uint32_t fastest = 0;
    for (int i = 0; i < DRAWS; i++) {
        const double pace = sc__pace_draw(&rng);
        assert_true(pace >= SC__PACE_MIN && pace <= SC__PACE_MAX);
        sum += pace;
        squares += (pace - 1.0) * (pace - 1.0);
        slowest += pace == SC__PACE_MIN;
        fastest += pace == SC__PACE_MAX;
    }
    CHECK_CLOSE(sum / DRAWS, 1.0, 4.0 * 0.1 / sqrt(DRAWS));
    // What lies beyond three deviations is cut, which takes a little from the deviation.
    CHECK_CLOSE(sqrt(squares / DRAWS), 0.1, 4.0 * 0.1 / sqrt(2.0 * DRAWS) + 0.0005);
    // One in 741 at either end.
    CHECK_CLOSE(slowest, DRAWS * 0.00135, 4.0 * sqrt(DRAWS * 0.00135));
    CHECK_CLOSE(fastest, DRAWS * 0.00135, 4.0 * sqrt(DRAWS * 0.00135));
}

static void test_those_made_up_are_called_by_their_number(void **state)
{
    (void)state;
    char room[32];
    assert_string_equal(sc__movement_number_name(NULL, 0, room), "u0");
    assert_string_equal(sc__movement_number_name(NULL, UINT32_MAX, room), "u4294967295");
    assert_ptr_equal(sc__movement_number_name(NULL, 17, room), room);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_seed_traveller_and_purpose_has_numbers_of_its_own),
    cmocka_unit_test(test_a_seed_is_used_whole_and_stays_the_same),
    cmocka_unit_test(test_numbers_of_neighbours_are_spread_evenly),
    cmocka_unit_test(test_paces_are_around_one_and_never_far_off),
    cmocka_unit_test(test_those_made_up_are_called_by_their_number),
};
SC_SUITE(tests)
