// Balls: the stars within r hops, nearest first, and the segments they touch.
// Compared with a plain search over a matrix (support/reference.h).
#include <starcloak/star.h>

#include "support/check.h"
#include "support/reference.h"

enum { ODD_MAPS = 5000, MAX_HOPS = 5 };

// How many segments touch a star within `radius`, by looking at each of them.
static size_t count_segments(const reference *r, const uint32_t *hops, uint32_t radius)
{
    size_t count = 0;
    for (uint32_t e = 0; e < r->sketch->edge_count; e++) {
        bool touched = false;
        for (uint32_t v = 0; v < r->sketch->node_count; v++) {
            touched |= hops[v] <= radius && reference_touches(r, v, e);
        }
        count += touched;
    }
    return count;
}

// One walk, star by star, against the hops of the reference.
static void check_walk(const reference *r, const sc_map *map, sc_ball *ball, sc_star_id star,
                       const uint32_t *hops, uint32_t radius)
{
    const sc_star *stars = sc_map_stars(map);
    size_t count = 0;
    size_t expected = 0;
    const sc_star_id *found = sc_ball_walk(ball, star, radius, &count);
    const uint32_t *found_hops = sc_ball_hops(ball);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        const uint32_t wanted = hops[reference_star(r, stars[i].node)];
        const bool inside = wanted <= radius;
        assert_int_equal(sc_ball_hops_of(ball, i), inside ? wanted : SC_NONE);
        expected += inside;
    }
    assert_int_equal(count, expected);
    assert_int_equal(found[0], star);
    assert_int_equal(found_hops[0], 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found_hops[i], sc_ball_hops_of(ball, found[i]));
        if (i > 0) assert_true(found_hops[i - 1] <= found_hops[i]);
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(found[i], found[j]);
        }
    }
    assert_int_equal(sc_ball_segment_count(ball), count_segments(r, hops, radius));
}

static void check_balls(const sketch *s)
{
    reference r = reference_new(s);
    sc_map *map = sketch_map(s);
    uint32_t *hops = test_take(s->node_count, sizeof *hops);
    sc_ball *ball = NULL;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    for (sc_star_id star = 0; star < sc_map_star_count(map); star++) {
        reference_hops(&r, reference_star(&r, sc_map_stars(map)[star].node), hops);
        for (uint32_t radius = 0; radius <= MAX_HOPS; radius++) {
            check_walk(&r, map, ball, star, hops, radius);
        }
        check_walk(&r, map, ball, star, hops, SC_NONE - 1);
    }
    sc_ball_free(ball);
    free(hops);
    sc_map_free(map);
    reference_free(&r);
}

static void test_balls_of_small_maps_are_those_of_a_plain_search(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        print_message("# %s\n", small->name);
        sketch s = sketch_draw(SC_COORDS_PLANAR, small->picture, small->more);
        check_balls(&s);
        sketch_free(&s);
    }
}

static void test_balls_of_odd_maps_are_those_of_a_plain_search(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        check_balls(&s);
        sketch_free(&s);
    }
    check_case_done();
}

// In a grid, hops are steps along rows and columns; but the corners, of degree
// 2, are no stars, and the road round a corner is one segment.
static void test_hops_on_a_grid_are_steps_along_its_streets(void **state)
{
    (void)state;
    enum { SIDE = 9, MIDDLE = SIDE / 2 };
    sketch s = sketch_grid(SC_COORDS_PLANAR, SIDE, SIDE);
    sc_map *map = sketch_map(&s);
    sc_ball *ball = NULL;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    const sc_star *stars = sc_map_stars(map);
    sc_star_id centre = 0;
    while (stars[centre].node != MIDDLE * SIDE + MIDDLE) {
        centre++;
    }
    size_t count = 0;
    sc_ball_walk(ball, centre, 4, &count);
    // The rhombus of 41 places around the middle of a 9 x 9 grid, cut nowhere.
    assert_int_equal(count, 41);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        const int column = abs((int)(stars[i].node % SIDE) - MIDDLE);
        const int row = abs((int)(stars[i].node / SIDE) - MIDDLE);
        const uint32_t steps = (uint32_t)(column + row);
        assert_int_equal(sc_ball_hops_of(ball, i), steps <= 4 ? steps : SC_NONE);
    }
    sc_ball_free(ball);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_nothing_is_reached_before_the_first_walk(void **state)
{
    (void)state;
    sketch s = sketch_named("theta");
    sc_map *map = sketch_map(&s);
    sc_ball *ball = NULL;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    assert_int_equal(sc_ball_hops_of(ball, 0), SC_NONE);
    assert_int_equal(sc_ball_segment_count(ball), 0);
    sc_ball_free(ball);
    sc_ball_free(NULL);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_walk_forgets_the_one_before(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    sc_ball *ball = NULL;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    size_t count = 0;
    sc_ball_walk(ball, 0, 2, &count);
    assert_int_equal(count, 3);
    assert_int_equal(sc_ball_segment_count(ball), 8);
    sc_ball_walk(ball, 1, 0, &count);
    assert_int_equal(count, 1);
    assert_int_equal(sc_ball_hops_of(ball, 0), SC_NONE);
    assert_true(sc_ball_segment_count(ball) < 8);
    sc_ball_free(ball);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_balls_of_small_maps_are_those_of_a_plain_search),
    SC_CASES(test_balls_of_odd_maps_are_those_of_a_plain_search),
    cmocka_unit_test(test_hops_on_a_grid_are_steps_along_its_streets),
    cmocka_unit_test(test_nothing_is_reached_before_the_first_walk),
    cmocka_unit_test(test_a_walk_forgets_the_one_before),
};
SC_SUITE(tests)
