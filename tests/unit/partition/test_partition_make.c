// Making partitions: every part has a star, weights are heeded, the same seed gives the same
// partition, and odd maps work as well as plain ones.
#include "partition/partition_make.h"

#include "support/check.h"
#include "support/random_partition.h"
#include "support/sketch.h"

#include <math.h>

enum { ODD_MAPS = 1500 };

static sc_partition *divide_map(const sc_map *map, uint32_t parts, const double *weights,
                                uint32_t seed)
{
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    const sc_partition_options options = {.parts = parts, .weights = weights, .seed = seed};
    CHECK_OK(sc_partition_make(map, &options, &partition, &diag), &diag);
    assert_int_equal(sc_partition_part_count(partition), parts);
    return partition;
}

static sc_partition_report describe(const sc_partition *partition, const double *weights)
{
    sc_partition_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_partition_describe(partition, weights, &report, &diag), &diag);
    return report;
}

/** Every part has a star, and they are numbered by their first ones. */
static void check_parts(const sc_partition *partition)
{
    uint32_t seen = 0;
    for (sc_star_id i = 0; i < sc_map_star_count(sc_partition_map(partition)); i++) {
        const uint32_t part = sc_partition_part_of_star(partition, i);
        assert_true(part <= seen);
        seen += part == seen;
    }
    assert_int_equal(seen, sc_partition_part_count(partition));
}

// --- Odd maps -------------------------------------------------------------------------------

static void test_no_part_of_an_odd_map_is_empty(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        const uint32_t stars = sc_map_star_count(map);
        const uint32_t counts[] = {1, 2, 3, stars / 2, stars - 1, stars};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            if (counts[i] < 1 || counts[i] > stars) continue;
            sc_partition *partition = divide_map(map, counts[i], NULL, (uint32_t)seed);
            check_parts(partition);
            sc_partition_free(partition);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_a_map_of_one_star_has_one_part(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR, "o-o-o", "");
    sc_map *map = sketch_map(&s);
    assert_int_equal(sc_map_star_count(map), 1);
    sc_partition *partition = divide_map(map, 1, NULL, 0);
    check_parts(partition);
    sc_partition_free(partition);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_more_parts_than_stars_are_refused_and_told(void **state)
{
    (void)state;
    sc_map *map = street_of(12);
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    sc_partition_options options = {.parts = 13};
    CHECK_REFUSED(sc_partition_make(map, &options, &partition, &diag), SC_EINVAL, &diag,
                  "the map has 12 stars and cannot be divided into 13 parts; choose 12 or fewer");
    options.parts = 0;
    CHECK_REFUSED(sc_partition_make(map, &options, &partition, &diag), SC_EINVAL, &diag,
                  "into 0 parts");
    options.parts = SC_PARTITION_PARTS_MAX + 1;
    CHECK_REFUSED(sc_partition_make(map, &options, &partition, &diag), SC_EINVAL, &diag,
                  "choose 1 to 4096");
    assert_null(partition);
    sc_map_free(map);
}

/** `count` towns, each a grid of 6 x 6; none is connected to another. */
static sc_map *islands(uint32_t count)
{
    enum { SIDE = 6 };
    sketch s = sketch_new(SC_COORDS_PLANAR);
    for (uint32_t town = 0; town < count; town++) {
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const uint32_t row = i / SIDE;
            const double x = 2000.0 * town + 100.0 * (i % SIDE);
            const uint32_t node = sketch_add_node(&s, x, 100.0 * row);
            if (i % SIDE > 0) sketch_add_edge(&s, node - 1, node, 100);
            if (i >= SIDE) sketch_add_edge(&s, node - SIDE, node, 100);
        }
    }
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static void test_islands_that_are_small_beside_a_part_stay_whole(void **state)
{
    (void)state;
    sc_map *map = islands(100);
    sc_partition *partition = divide_map(map, 5, NULL, 1);
    check_parts(partition);
    sc_partition_report report = describe(partition, NULL);
    assert_int_equal(report.components, 100);
    assert_int_equal(report.edge_cut, 0);
    assert_true(report.balance <= 1.0 + 1e-9);
    for (uint32_t i = 0; i < report.parts; i++) {
        assert_int_equal(report.each[i].pieces, 20);
        assert_int_equal(report.each[i].neighbours, 0);
    }
    sc_partition_report_fini(&report);
    sc_partition_free(partition);
    sc_map_free(map);
}

static void test_islands_that_are_large_beside_a_part_are_divided(void **state)
{
    (void)state;
    sc_map *map = islands(3);
    sc_partition *partition = divide_map(map, 8, NULL, 1);
    check_parts(partition);
    sc_partition_report report = describe(partition, NULL);
    assert_int_equal(report.components, 3);
    assert_true(report.edge_cut > 0);
    assert_true(report.balance <= 1.25);  // a star of 96 is a tenth of a part
    sc_partition_report_fini(&report);
    sc_partition_free(partition);
    sc_map_free(map);
}

// --- A city ---------------------------------------------------------------------------------

static void test_a_city_falls_into_parts_that_weigh_nearly_the_same(void **state)
{
    (void)state;
    sc_map *map = city_of(20000);
    sc_partition *partition = divide_map(map, 16, NULL, 1);
    check_parts(partition);
    sc_partition_report report = describe(partition, NULL);
    assert_true(report.balance <= 1.10);
    CHECK_CLOSE(report.balance, report.balance_segments, 1e-9);
    // Along the curve alone it would be some 8 % of the adjacencies.
    assert_true((double)report.edge_cut < 0.05 * (double)report.adjacencies);
    sc_partition_report_fini(&report);
    sc_partition_free(partition);
    sc_map_free(map);
}

/** Where many ask: the nearer to the middle of the numbers, the more. */
static double *some_weights(const sc_map *map)
{
    const uint32_t count = sc_map_segment_count(map);
    double *weights = test_take(count, sizeof *weights);
    for (sc_seg_id s = 0; s < count; s++) {
        weights[s] = exp(-20.0 * fabs((double)s / count - 0.5));
    }
    return weights;
}

static void test_parts_weigh_the_same_where_segments_do_not(void **state)
{
    (void)state;
    sc_map *map = city_of(20000);
    double *weights = some_weights(map);
    sc_partition *plain = divide_map(map, 16, NULL, 1);
    sc_partition *partition = divide_map(map, 16, weights, 1);
    check_parts(partition);
    sc_partition_report without = describe(plain, weights);
    sc_partition_report with = describe(partition, weights);
    assert_true(without.balance > 3);
    assert_true(with.balance <= 1.10);
    assert_true(with.balance_segments > 2);
    double sum = 0;
    for (uint32_t i = 0; i < with.parts; i++) {
        sum += with.each[i].weight;
    }
    CHECK_CLOSE(sum, 1, 1e-9);
    sc_partition_report_fini(&without);
    sc_partition_report_fini(&with);
    sc_partition_free(plain);
    sc_partition_free(partition);
    free(weights);
    sc_map_free(map);
}

// Only how weights compare matters; sums of the largest numbers do not overflow.
static void test_weights_of_any_size_give_the_same_partition(void **state)
{
    (void)state;
    sc_map *map = city_of(2000);
    double *weights = some_weights(map);
    sc_partition *partition = divide_map(map, 8, weights, 1);
    const double powers[] = {0x1p1020, 0x1p-900};
    for (size_t i = 0; i < 2; i++) {
        double *scaled = some_weights(map);
        for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
            scaled[s] *= powers[i];
        }
        sc_partition *again = divide_map(map, 8, scaled, 1);
        assert_true(sc_partition_checksum(again) == sc_partition_checksum(partition));
        sc_partition_free(again);
        free(scaled);
    }
    sc_partition_free(partition);
    free(weights);
    sc_map_free(map);
}

// A station where nearly everyone asks cannot be divided: it gets a part, the others share the
// rest.
static void test_a_star_heavier_than_a_part_is_a_part_of_its_own(void **state)
{
    (void)state;
    sc_map *map = city_of(2000);
    double *weights = test_take(sc_map_segment_count(map), sizeof *weights);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        weights[s] = 1;
    }
    weights[7] = 1e6;
    weights[500] = 1e9;
    sc_partition *partition = divide_map(map, 10, weights, 1);
    check_parts(partition);
    sc_partition_report report = describe(partition, weights);
    assert_int_equal(report.each[sc_partition_home(partition, 7)].stars, 1);
    assert_int_equal(report.each[sc_partition_home(partition, 500)].stars, 1);
    uint32_t most = 0;
    for (uint32_t i = 0; i < report.parts; i++) {
        if (report.each[i].segments > most) most = report.each[i].segments;
    }
    assert_true(most < 1.2 * sc_map_segment_count(map) / 8);
    sc_partition_report_fini(&report);
    sc_partition_free(partition);
    free(weights);
    sc_map_free(map);
}

static void test_weights_that_are_all_nothing_are_all_the_same(void **state)
{
    (void)state;
    sc_map *map = city_of(2000);
    double *weights = test_take(sc_map_segment_count(map), sizeof *weights);
    sc_partition *partition = divide_map(map, 8, weights, 1);
    sc_partition *plain = divide_map(map, 8, NULL, 1);
    assert_true(sc_partition_checksum(partition) == sc_partition_checksum(plain));
    sc_partition_report report = describe(partition, weights);
    assert_true(report.balance <= 1.10);
    sc_partition_report_fini(&report);
    sc_partition_free(partition);
    sc_partition_free(plain);
    free(weights);
    sc_map_free(map);
}

static void test_weights_that_are_none_are_refused(void **state)
{
    (void)state;
    sc_map *map = street_of(12);
    double *weights = test_take(sc_map_segment_count(map), sizeof *weights);
    sc_partition *whole = NULL;
    CHECK_OK(sc_partition_whole(map, &whole, NULL), NULL);
    const double bad[] = {-1, HUGE_VAL, NOT_A_NUMBER};
    for (size_t i = 0; i < 3; i++) {
        sc_partition *partition = NULL;
        sc_partition_report report = {0};
        sc_diag diag = {""};
        weights[3] = bad[i];
        const sc_partition_options options = {.parts = 1 + (uint32_t)i, .weights = weights};
        CHECK_REFUSED(sc_partition_make(map, &options, &partition, &diag), SC_EINVAL, &diag,
                      "segment 3 has the weight ");
        assert_null(partition);
        CHECK_REFUSED(sc_partition_describe(whole, weights, &report, &diag), SC_EINVAL, &diag,
                      "a weight is a number of 0 or more");
        assert_null(report.each);
    }
    sc_partition_free(whole);
    free(weights);
    sc_map_free(map);
}

static void test_the_same_seed_gives_the_same_partition_and_another_another(void **state)
{
    (void)state;
    sc_map *map = city_of(5000);
    sc_partition *one = divide_map(map, 12, NULL, 1);
    srand(4711);  // METIS draws from rand(); what was drawn before makes no difference
    sc_partition *same = divide_map(map, 12, NULL, 1);
    sc_partition *other = divide_map(map, 12, NULL, 2);
    assert_true(sc_partition_checksum(one) == sc_partition_checksum(same));
    assert_true(sc_partition_checksum(one) != sc_partition_checksum(other));
    sc_partition_free(one);
    sc_partition_free(same);
    sc_partition_free(other);
    sc_map_free(map);
}

static void test_few_stars_per_part_are_divided_evenly(void **state)
{
    (void)state;
    sc_map *map = street_of(40);
    for (uint32_t parts = 2; parts <= 40; parts++) {
        sc_partition *partition = divide_map(map, parts, NULL, 1);
        check_parts(partition);
        sc_partition_report report = describe(partition, NULL);
        for (uint32_t i = 0; i < parts; i++) {
            assert_true(report.each[i].stars <= 40 / parts + 2);
        }
        sc_partition_report_fini(&report);
        sc_partition_free(partition);
    }
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_no_part_of_an_odd_map_is_empty),
    cmocka_unit_test(test_a_map_of_one_star_has_one_part),
    cmocka_unit_test(test_more_parts_than_stars_are_refused_and_told),
    cmocka_unit_test(test_islands_that_are_small_beside_a_part_stay_whole),
    cmocka_unit_test(test_islands_that_are_large_beside_a_part_are_divided),
    cmocka_unit_test(test_a_city_falls_into_parts_that_weigh_nearly_the_same),
    cmocka_unit_test(test_parts_weigh_the_same_where_segments_do_not),
    cmocka_unit_test(test_weights_of_any_size_give_the_same_partition),
    cmocka_unit_test(test_a_star_heavier_than_a_part_is_a_part_of_its_own),
    cmocka_unit_test(test_weights_that_are_all_nothing_are_all_the_same),
    cmocka_unit_test(test_weights_that_are_none_are_refused),
    cmocka_unit_test(test_the_same_seed_gives_the_same_partition_and_another_another),
    cmocka_unit_test(test_few_stars_per_part_are_divided_evenly),
};
SC_SUITE(tests)
