// The parts in reach of a query: compared with all stars within its hops, and one more, of either
// end, found one by one (starcloak/star.h).
#include "partition/partition_internal.h"

#include <starcloak/star.h>

#include "support/check.h"
#include "support/random_partition.h"
#include "support/sketch.h"

enum { ODD_MAPS = 800, MAX_HOPS = 6, MAX_PARTS = 6 };

static void mark_parts(const sc_partition *partition, sc_ball *ball, sc_star_id star,
                       uint32_t max_hops, bool *in_reach)
{
    size_t count = 0;
    const sc_star_id *stars = sc_ball_walk(ball, star, max_hops, &count);
    for (size_t i = 0; i < count; i++) {
        in_reach[sc_partition_part_of_star(partition, stars[i])] = true;
    }
}

static void check_reach(const sc_partition *partition, sc_ball *ball, sc_partition_walker *walker,
                        sc_seg_id segment, uint32_t max_hops)
{
    const sc_segment *s = &sc_map_segments(sc_partition_map(partition))[segment];
    const uint32_t far = max_hops < SC_NONE ? max_hops + 1 : max_hops;
    bool in_reach[MAX_PARTS] = {false};
    mark_parts(partition, ball, s->star_a, far, in_reach);
    if (s->star_b != SC_NONE) mark_parts(partition, ball, s->star_b, far, in_reach);

    size_t count = 0;
    const uint16_t *parts = sc_partition_reach(walker, segment, max_hops, &count);
    assert_true(count >= 1);
    assert_int_equal(parts[0], sc_partition_home(partition, segment));
    for (size_t i = 0; i < count; i++) {
        assert_true(in_reach[parts[i]]);
        in_reach[parts[i]] = false;  // each once
        if (i > 1) assert_true(parts[i - 1] < parts[i]);
    }
    for (uint32_t i = 0; i < MAX_PARTS; i++) {
        assert_false(in_reach[i]);
    }
    if (far < 255) {
        assert_int_equal(sc_partition_is_near(partition, segment, max_hops), count > 1);
    } else if (count > 1) {
        assert_true(sc_partition_is_near(partition, segment, max_hops));
    }
}

static void check_map(const sc_map *map, uint64_t seed)
{
    sc_partition *partition = random_partition(map, seed);
    sc_ball *ball = NULL;
    sc_partition_walker *walker = NULL;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    CHECK_OK(sc_partition_walker_new(partition, &walker), NULL);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        for (uint32_t hops = 0; hops <= MAX_HOPS; hops++) {
            check_reach(partition, ball, walker, s, hops);
        }
        check_reach(partition, ball, walker, s, SC_NONE);
    }
    sc_partition_walker_free(walker);
    sc_ball_free(ball);
    sc_partition_free(partition);
}

static void test_parts_in_reach_of_odd_maps_are_those_of_a_plain_search(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        check_map(map, seed);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_parts_in_reach_on_a_grid_are_those_of_a_plain_search(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 9, 9);
    sc_map *map = sketch_map(&grid);
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        check_map(map, seed);
    }
    check_case_done();
    sc_map_free(map);
    sketch_free(&grid);
}

static void test_a_walk_goes_farther_than_a_byte_can_tell(void **state)
{
    (void)state;
    enum { STARS = 400 };
    sc_map *map = street_of(STARS);
    uint16_t parts[STARS] = {0};
    sc_ball *ball = NULL;
    sc_partition *partition = NULL;
    sc_partition_walker *walker = NULL;
    size_t count = 0;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    // A star at one end of the street is elsewhere: the last that is reached from any other.
    const sc_star_id end = sc_ball_walk(ball, 0, STARS, &count)[STARS - 1];
    parts[end] = 1;
    CHECK_OK(sc_partition_new(map, parts, 2, &partition, NULL), NULL);
    CHECK_OK(sc_partition_walker_new(partition, &walker), NULL);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s += 7) {
        for (uint32_t hops = 250; hops < 260; hops++) {
            check_reach(partition, ball, walker, s, hops);
        }
        check_reach(partition, ball, walker, s, STARS);
    }
    sc_partition_walker_free(walker);
    sc_partition_free(partition);
    sc_ball_free(ball);
    sc_map_free(map);
}

static void test_with_one_part_nothing_else_is_in_reach(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_partition *partition = NULL;
    sc_partition_walker *walker = NULL;
    CHECK_OK(sc_partition_whole(map, &partition, NULL), NULL);
    CHECK_OK(sc_partition_walker_new(partition, &walker), NULL);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        size_t count = 0;
        assert_false(sc_partition_is_near(partition, s, SC_NONE));
        assert_int_equal(sc_partition_reach(walker, s, SC_NONE, &count)[0], 0);
        assert_int_equal(count, 1);
    }
    sc_partition_walker_free(walker);
    sc_partition_walker_free(NULL);
    sc_partition_free(partition);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_parts_in_reach_of_odd_maps_are_those_of_a_plain_search),
    SC_CASES(test_parts_in_reach_on_a_grid_are_those_of_a_plain_search),
    cmocka_unit_test(test_a_walk_goes_farther_than_a_byte_can_tell),
    cmocka_unit_test(test_with_one_part_nothing_else_is_in_reach),
};
SC_SUITE(tests)
