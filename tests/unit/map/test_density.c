// Densities in memory: their weights, and how many segments a cloak is worth under one. Tables are
// in test_density_table.c.
#include "map/density_internal.h"

#include "attack/belief.h"
#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

#include <math.h>

enum { SEGMENTS = 8 };

// A grid of 3 x 3 nodes has eight segments: the four corners have degree 2.
static sc_map *eight_segments(void)
{
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&grid);
    sketch_free(&grid);
    assert_int_equal(sc_map_segment_count(map), SEGMENTS);
    return map;
}

static const sc_seg_id all[] = {0, 1, 2, 3, 4, 5, 6, 7};

/** A density with these weights, whatever they are. */
static sc_density *weighing(const double *weights, size_t count)
{
    sc_density *density = sc__density_new(count);
    assert_non_null(density);
    memcpy(density->weights, weights, count * sizeof *weights);
    return density;
}

static void test_a_uniform_density_weighs_all_alike(void **state)
{
    (void)state;
    sc_map *map = eight_segments();
    sc_density *density = NULL;
    assert_int_equal(sc_density_new_uniform(map, &density), SC_OK);
    sc_map_free(map);
    assert_int_equal(sc_density_segment_count(density), SEGMENTS);
    for (sc_seg_id s = 0; s < SEGMENTS; s++) {
        assert_true(sc_density_weight(density, s) > 0);
        CHECK_SAME(sc_density_weight(density, s), sc_density_weight(density, 0));
    }
    sc_density_free(density);
    sc_density_free(NULL);
}

static void test_a_counted_density_has_one_traveller_more_everywhere(void **state)
{
    (void)state;
    sc_map *map = eight_segments();
    uint64_t counts[SEGMENTS] = {0, 1, 2, 1000000, 5, 6, UINT64_MAX, 0};
    sc_density *density = NULL;
    assert_int_equal(sc_density_new_counted(map, counts, &density), SC_OK);
    double seen = 0;
    for (size_t s = 0; s < SEGMENTS; s++) {
        seen += (double)counts[s];
    }
    CHECK_CLOSE(sc_density_mean_count(density), seen / SEGMENTS, 1e-12 * seen);
    sc_map_free(map);
    counts[1] = 99;  // they were copied
    static const double wanted[SEGMENTS] = {1, 2, 3, 1000001, 6, 7, 0x1p64, 1};
    for (sc_seg_id s = 0; s < SEGMENTS; s++) {
        CHECK_SAME(sc_density_weight(density, s), wanted[s]);
    }
    sc_density_free(density);
}

// A count that were cut would make the busiest road pass for a quieter one.
static void test_counts_above_the_largest_number_are_scaled_and_not_cut(void **state)
{
    (void)state;
    const uint64_t most = SC_DENSITY_NUMBER_MAX;
    const struct {
        uint64_t counts[SEGMENTS];
        uint32_t wanted[SEGMENTS];
    } cases[] = {
        {{0, 1, 2, 3, 4, 5, 6, most - 1}, {1, 2, 3, 4, 5, 6, 7, SC_DENSITY_NUMBER_MAX}},
        {{0, 1, 2, 3, 6, most - 1, 2 * most - 1, 4 * most - 1},
         {1, 1, 1, 1, 2, 1 << 28, 1 << 29, SC_DENSITY_NUMBER_MAX}},
        {{0, 0, 0, 0, 0, 0, UINT64_MAX / 2, UINT64_MAX},
         {1, 1, 1, 1, 1, 1, 1 << 29, SC_DENSITY_NUMBER_MAX}},
    };
    sc_map *map = eight_segments();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sc_density *density = NULL;
        assert_int_equal(sc_density_new_counted(map, cases[i].counts, &density), SC_OK);
        assert_memory_equal(sc_density_numbers(density), cases[i].wanted, sizeof cases[i].wanted);
        sc_density_free(density);
    }
    check_case_done();
    sc_map_free(map);
}

// --- The effective number of segments -----------------------------------------------------

static void test_a_cloak_of_equally_busy_segments_is_worth_all_of_them(void **state)
{
    (void)state;
    static const double same[SEGMENTS] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    sc_density *density = weighing(same, SEGMENTS);
    for (size_t count = 0; count <= SEGMENTS; count++) {
        CHECK_SAME(sc_density_effective(NULL, all, count), (double)count);
        CHECK_CLOSE(sc_density_effective(density, all, count), (double)count, 1e-12);
        assert_true(sc_density_effective(density, all, count) <= (double)count);
    }
    sc_density_free(density);
}

static void test_a_cloak_of_unequal_segments_is_worth_fewer(void **state)
{
    (void)state;
    static const double weights[SEGMENTS] = {3, 1, 4, 2, 1, 1, 0x1p-60, 1};
    sc_density *density = weighing(weights, SEGMENTS);
    // Three to one: 2 - 3/4 log2 3 bits.
    CHECK_CLOSE(sc_density_effective(density, all, 2), exp2(2 - 0.75 * log2(3)), 1e-12);
    // 4, 2, 1, 1 of eight: 1.75 bits. In any order.
    const sc_seg_id cloak[] = {5, 2, 4, 3};
    CHECK_CLOSE(sc_density_effective(density, cloak, 4), exp2(1.75), 1e-12);
    // Hardly anybody is on the second.
    const sc_seg_id lonely[] = {7, 6};
    CHECK_CLOSE(sc_density_effective(density, lonely, 2), 1, 1e-15);
    CHECK_SAME(sc_density_effective(density, lonely, 1), 1);
    sc_density_free(density);
}

static void test_the_effective_number_is_two_to_the_entropy(void **state)
{
    (void)state;
    sc_rng rng;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sc_rng_seed(&rng, seed);
        double w[SEGMENTS];
        double p[SEGMENTS];
        double sum = 0;
        const double range = 20.0 * sc_rng_unit(&rng);
        for (size_t i = 0; i < SEGMENTS; i++) {
            w[i] = exp(range * (sc_rng_unit(&rng) - 0.5));
            sum += w[i];
        }
        for (size_t i = 0; i < SEGMENTS; i++) {
            p[i] = w[i] / sum;
        }
        sc_density *density = weighing(w, SEGMENTS);
        const double effective = sc_density_effective(density, all, SEGMENTS);
        CHECK_CLOSE(effective, exp2(sc__entropy(p, SEGMENTS)), 1e-12);
        sc_density_free(density);
    }
    check_case_done();
}

// From the smallest to the largest that a double can hold, in all mixtures of two kinds.
static void test_extreme_weights_give_numbers(void **state)
{
    (void)state;
    static const double kinds[] = {
        0x1p-1074, 1e-300, 1e-20, 1, 1e20, 1e280, 0x1.fffffffffffffp1023};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    for (size_t a = 0; a < KINDS; a++) {
        for (size_t b = a; b < KINDS; b++) {
            for (unsigned which = 0; which < 1u << SEGMENTS; which += 3) {
                double w[SEGMENTS];
                for (size_t i = 0; i < SEGMENTS; i++) {
                    w[i] = which >> i & 1 ? kinds[b] : kinds[a];
                }
                sc_density *density = weighing(w, SEGMENTS);
                const double effective = sc_density_effective(density, all, SEGMENTS);
                // What differs by that much leaves only the busier ones.
                const int busier = __builtin_popcount(which);
                const bool is_one_kind = a == b || busier == 0;
                CHECK_CLOSE(effective, is_one_kind ? SEGMENTS : busier, 1e-12);
                sc_density_free(density);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_uniform_density_weighs_all_alike),
    cmocka_unit_test(test_a_counted_density_has_one_traveller_more_everywhere),
    SC_CASES(test_counts_above_the_largest_number_are_scaled_and_not_cut),
    cmocka_unit_test(test_a_cloak_of_equally_busy_segments_is_worth_all_of_them),
    cmocka_unit_test(test_a_cloak_of_unequal_segments_is_worth_fewer),
    SC_CASES(test_the_effective_number_is_two_to_the_entropy),
    cmocka_unit_test(test_extreme_weights_give_numbers),
};
SC_SUITE(tests)
