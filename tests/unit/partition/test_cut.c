// Cuts in memory: homes, hops to the nearest star elsewhere, and the number that cuts differ by.
// Hops are compared with a plain search from every star (starcloak/star.h, tested on its own).
#include "partition/partition_internal.h"

#include <starcloak/star.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/random_partition.h"
#include "support/sketch.h"

enum { ODD_MAPS = 1500 };

static uint32_t slow_hops_to_other(const sc_partition *partition, sc_ball *ball, sc_star_id star)
{
    size_t count = 0;
    const sc_star_id *stars = sc_ball_walk(ball, star, SC_NONE - 1, &count);
    for (size_t i = 0; i < count; i++) {
        if (sc_partition_part_of_star(partition, stars[i]) ==
            sc_partition_part_of_star(partition, star))
            continue;
        return sc_ball_hops(ball)[i] < 255 ? sc_ball_hops(ball)[i] : 255;
    }
    return 255;
}

static void check_hops(const sc_partition *partition)
{
    sc_ball *ball = NULL;
    CHECK_OK(sc_ball_new(sc_partition_map(partition), &ball), NULL);
    for (sc_star_id i = 0; i < sc_map_star_count(sc_partition_map(partition)); i++) {
        assert_int_equal(sc_partition_hops_to_other(partition, i),
                         slow_hops_to_other(partition, ball, i));
    }
    sc_ball_free(ball);
}

static void test_hops_to_another_part_are_those_of_a_plain_search(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sc_partition *partition = random_partition(map, seed);
        check_hops(partition);
        sc_partition_free(partition);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// A long street: star 0 is elsewhere, and the others are farther and farther away.
static void test_hops_are_told_up_to_254(void **state)
{
    (void)state;
    enum { STARS = 300 };
    sc_map *map = street_of(STARS);
    uint16_t parts[STARS] = {0};
    sc_ball *ball = NULL;
    size_t count = 0;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    sc_star_id end = 0;  // one that no star is farther from than STARS - 1 others
    do {
        sc_ball_walk(ball, end++, STARS, &count);
    } while (sc_ball_hops(ball)[STARS - 1] != STARS - 1);
    end--;
    parts[end] = 1;
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, parts, 2, &partition, NULL), NULL);
    for (sc_star_id i = 0; i < STARS; i++) {
        const uint32_t hops = i == end ? 1 : sc_ball_hops_of(ball, i);
        assert_int_equal(sc_partition_hops_to_other(partition, i), hops < 255 ? hops : 255);
    }
    sc_ball_free(ball);
    sc_partition_free(partition);
    sc_map_free(map);
}

static void test_the_home_of_a_segment_is_the_part_of_its_first_end(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_partition *partition = random_partition(map, 5);
    assert_ptr_equal(sc_partition_map(partition), map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        assert_int_equal(sc_partition_home(partition, s),
                         sc_partition_part_of_star(partition, sc_map_segments(map)[s].star_a));
    }
    sc_partition_free(partition);
    sc_map_free(map);
}

static void test_one_part_is_the_whole_map_and_has_no_other(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_whole(map, &partition, NULL), NULL);
    assert_int_equal(sc_partition_part_count(partition), 1);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        assert_int_equal(sc_partition_part_of_star(partition, i), 0);
        assert_int_equal(sc_partition_hops_to_other(partition, i), 255);
    }
    sc_partition_free(partition);
    sc_partition_free(NULL);
    sc_map_free(map);
}

static uint64_t checksum_of(const sc_map *map, const uint16_t *part_of_star, uint32_t parts)
{
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, part_of_star, parts, &partition, NULL), NULL);
    const uint64_t checksum = sc_partition_checksum(partition);
    sc_partition_free(partition);
    return checksum;
}

static void test_cuts_that_differ_have_different_checksums(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sketch other_grid = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    other_grid.edges[0].length += 1;
    sc_map *map = sketch_map(&grid);
    sc_map *other_map = sketch_map(&other_grid);
    uint16_t *parts = test_take(sc_map_star_count(map), sizeof *parts);
    const uint64_t checksum = checksum_of(map, parts, 3);
    assert_true(checksum == checksum_of(map, parts, 3));
    assert_true(checksum != checksum_of(map, parts, 4));
    assert_true(checksum != checksum_of(other_map, parts, 3));
    parts[sc_map_star_count(map) - 1] = 2;
    assert_true(checksum != checksum_of(map, parts, 3));
    free(parts);
    sc_map_free(map);
    sc_map_free(other_map);
    sketch_free(&grid);
    sketch_free(&other_grid);
}

static void test_parts_that_cannot_be_are_refused(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    uint16_t *parts = test_take(sc_map_star_count(map), sizeof *parts);
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_partition_new(map, parts, 0, &partition, &diag), SC_EINVAL, &diag,
                  "a cut of 0 parts; it has 1 to 4096");
    CHECK_REFUSED(sc_partition_new(map, parts, SC_PARTITION_PARTS_MAX + 1, &partition, &diag),
                  SC_EINVAL, &diag, "a cut of 4097 parts");
    parts[1] = 7;
    CHECK_REFUSED(sc_partition_new(map, parts, 7, &partition, &diag), SC_EINVAL, &diag,
                  "star 1 is in part 7 of a cut that has 7, from 0 on");
    assert_null(partition);
    CHECK_OK(sc_partition_new(map, parts, SC_PARTITION_PARTS_MAX, &partition, &diag), &diag);
    sc_partition_free(partition);
    free(parts);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_hops_to_another_part_are_those_of_a_plain_search),
    cmocka_unit_test(test_hops_are_told_up_to_254),
    cmocka_unit_test(test_the_home_of_a_segment_is_the_part_of_its_first_end),
    cmocka_unit_test(test_one_part_is_the_whole_map_and_has_no_other),
    cmocka_unit_test(test_cuts_that_differ_have_different_checksums),
    cmocka_unit_test(test_parts_that_cannot_be_are_refused),
};
SC_SUITE(tests)
