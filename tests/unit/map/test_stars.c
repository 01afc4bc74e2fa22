// Stars and the star graph: intersections with the segments that end there, and
// one pseudo-star for each component without any. Compared with the definition
// (support/reference.h) on small pictures and on thousands of odd maps.
#include "support/check.h"
#include "support/reference.h"

#include <starcloak/star.h>

enum { ODD_MAPS = 8000 };

static bool lists_segment(const sc_map *map, sc_star_id star, sc_seg_id segment)
{
    const sc_star *stars = sc_map_stars(map);
    for (uint32_t i = stars[star].first_segment; i < stars[star + 1].first_segment; i++) {
        if (sc_map_star_segments(map)[i] == segment) return true;
    }
    return false;
}

static bool lists_neighbour(const sc_map *map, sc_star_id star, sc_star_id neighbour)
{
    const sc_star *stars = sc_map_stars(map);
    for (uint32_t i = stars[star].first_neighbour; i < stars[star + 1].first_neighbour; i++) {
        if (sc_map_star_neighbours(map)[i] == neighbour) return true;
    }
    return false;
}

static void check_ascending(const uint32_t *ids, uint32_t first, uint32_t last)
{
    for (uint32_t i = first + 1; i < last; i++) {
        assert_true(ids[i - 1] < ids[i]);
    }
}

static void check_stars(const sketch *s, const sc_map *map)
{
    reference r = reference_new(s);
    uint32_t *match = reference_match_edges(&r, map);
    const sc_star *stars = sc_map_stars(map);
    const sc_segment *segments = sc_map_segments(map);
    const sc_edge *edges = sc_map_edges(map);
    const uint32_t count = sc_map_star_count(map);
    assert_int_equal(count, reference_star_count(&r));

    for (sc_star_id i = 0; i < count; i++) {
        const uint32_t mine = reference_star(&r, stars[i].node);
        assert_int_not_equal(mine, SC_NONE);
        for (sc_star_id j = 0; j < count; j++) {
            const uint32_t other = reference_star(&r, stars[j].node);
            assert_true(i == j || mine != other);
            assert_int_equal(lists_neighbour(map, i, j), reference_adjacent(&r, mine, other));
        }
        for (sc_seg_id k = 0; k < sc_map_segment_count(map); k++) {
            const uint32_t segment = r.segment_of[match[segments[k].first_edge]];
            assert_int_equal(lists_segment(map, i, k), reference_touches(&r, mine, segment));
        }
        check_ascending(sc_map_star_segments(map), stars[i].first_segment,
                        stars[i + 1].first_segment);
        check_ascending(sc_map_star_neighbours(map), stars[i].first_neighbour,
                        stars[i + 1].first_neighbour);
    }
    // star_a and star_b are the stars at the two ends.
    for (sc_seg_id k = 0; k < sc_map_segment_count(map); k++) {
        const sc_star_id a = segments[k].star_a;
        const sc_star_id b = segments[k].star_b;
        assert_true(a < count);
        assert_int_equal(stars[a].node, edges[segments[k].first_edge].from);
        if (b != SC_NONE) {
            assert_true(b < count);
            assert_int_equal(stars[b].node, edges[segments[k + 1].first_edge - 1].to);
        } else {
            assert_true(r.degree[edges[segments[k + 1].first_edge - 1].to] < 3);
        }
    }
    free(match);
    reference_free(&r);
}

static void test_each_small_map_has_the_stars_that_its_picture_shows(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        print_message("# %s\n", small->name);
        sketch s = sketch_draw(SC_COORDS_GEOGRAPHIC, small->picture, small->more);
        reference r = reference_new(&s);
        sc_map *map = sketch_map(&s);
        const sc_star *stars = sc_map_stars(map);
        const uint32_t count = sc_map_star_count(map);
        uint32_t pseudo_stars = 0;
        for (sc_star_id i = 0; i < count; i++) {
            pseudo_stars += r.degree[stars[i].node] < 3;
        }
        assert_int_equal(count, small->stars);
        assert_int_equal(pseudo_stars, small->pseudo_stars);
        // Each pair is listed at both of its stars.
        assert_int_equal(stars[count].first_neighbour, 2 * small->adjacent_pairs);
        check_stars(&s, map);
        sc_map_free(map);
        reference_free(&r);
        sketch_free(&s);
    }
}

static void test_odd_maps_have_the_stars_of_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        check_stars(&s, map);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

//      A
//   B--C--D    one hub with more roads than the short lists are made for
//      E ...
static void test_a_hub_of_many_roads_lists_all_of_them(void **state)
{
    (void)state;
    enum { SPOKES = 100 };
    sketch s = sketch_new(SC_COORDS_NONE);
    const uint32_t hub = sketch_add_node(&s, 0, 0);
    // Each spoke ends in a fork, so that it has a star at either end.
    for (int i = 0; i < SPOKES; i++) {
        const uint32_t fork = sketch_add_node(&s, 0, 0);
        sketch_add_edge(&s, i % 2 ? hub : fork, i % 2 ? fork : hub, 5.0);
        sketch_add_edge(&s, fork, sketch_add_node(&s, 0, 0), 1.0);
        sketch_add_edge(&s, fork, sketch_add_node(&s, 0, 0), 1.0);
    }
    sc_map *map = sketch_map(&s);
    const sc_star *stars = sc_map_stars(map);
    assert_int_equal(sc_map_star_count(map), SPOKES + 1);
    for (sc_star_id i = 0; i <= SPOKES; i++) {
        const bool is_hub = stars[i].node == hub;
        const uint32_t neighbours = stars[i + 1].first_neighbour - stars[i].first_neighbour;
        assert_int_equal(neighbours, is_hub ? SPOKES : 1);
        check_ascending(sc_map_star_neighbours(map), stars[i].first_neighbour,
                        stars[i + 1].first_neighbour);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_pseudo_star_has_its_one_segment_and_no_neighbour(void **state)
{
    (void)state;
    static const char *const names[] = {"ring", "lone road", "loop alone",
                                        "two roads between two nodes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sketch s = sketch_named(names[i]);
        sc_map *map = sketch_map(&s);
        assert_int_equal(sc_map_star_count(map), 1);
        assert_int_equal(sc_map_stars(map)[1].first_segment, 1);
        assert_int_equal(sc_map_stars(map)[1].first_neighbour, 0);
        assert_int_equal(sc_map_segments(map)[0].star_a, 0);
        sc_map_free(map);
        sketch_free(&s);
    }
}

static void test_a_road_that_returns_to_its_star_names_it_at_both_ends(void **state)
{
    (void)state;
    sketch s = sketch_named("dumbbell");
    sc_map *map = sketch_map(&s);
    const sc_segment *segments = sc_map_segments(map);
    uint32_t returning = 0;
    for (sc_seg_id i = 0; i < 3; i++) {
        assert_int_not_equal(segments[i].star_b, SC_NONE);
        returning += segments[i].star_a == segments[i].star_b;
    }
    assert_int_equal(returning, 2);
    // It is listed once.
    assert_int_equal(sc_map_stars(map)[1].first_segment, 2);
    sc_map_free(map);
    sketch_free(&s);
}

// ------------------------------------------------------------------------------------------------
// Balls: the stars within r hops, nearest first, and the segments they touch.
// Compared with a plain search over a matrix (support/reference.h).

enum { BALL_MAPS = 5000, MAX_HOPS = 5 };

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
    for (uint64_t seed = 0; seed < BALL_MAPS; seed++) {
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
    cmocka_unit_test(test_each_small_map_has_the_stars_that_its_picture_shows),
    SC_CASES(test_odd_maps_have_the_stars_of_the_definition),
    cmocka_unit_test(test_a_hub_of_many_roads_lists_all_of_them),
    cmocka_unit_test(test_a_pseudo_star_has_its_one_segment_and_no_neighbour),
    cmocka_unit_test(test_a_road_that_returns_to_its_star_names_it_at_both_ends),
    cmocka_unit_test(test_balls_of_small_maps_are_those_of_a_plain_search),
    SC_CASES(test_balls_of_odd_maps_are_those_of_a_plain_search),
    cmocka_unit_test(test_hops_on_a_grid_are_steps_along_its_streets),
    cmocka_unit_test(test_nothing_is_reached_before_the_first_walk),
    cmocka_unit_test(test_a_walk_forgets_the_one_before),
};
SC_SUITE(tests)
