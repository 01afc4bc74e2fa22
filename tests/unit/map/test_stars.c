// Stars and the star graph: intersections with the segments that end there, and
// one pseudo-star for each component without any. Compared with the definition
// (support/reference.h) on small pictures and on thousands of odd maps.
#include "support/check.h"
#include "support/reference.h"

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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_small_map_has_the_stars_that_its_picture_shows),
    SC_CASES(test_odd_maps_have_the_stars_of_the_definition),
    cmocka_unit_test(test_a_hub_of_many_roads_lists_all_of_them),
    cmocka_unit_test(test_a_pseudo_star_has_its_one_segment_and_no_neighbour),
    cmocka_unit_test(test_a_road_that_returns_to_its_star_names_it_at_both_ends),
};
SC_SUITE(tests)
