// The points of a cloak: a function of its segments alone, and never far from any place on them.
#include "gather.h"

#include "points/point_settings.h"
#include "support/odd_cloak.h"

static sc__point_cover cover_of(const sc_map *map, const sc_seg_id *segments, size_t count,
                                double spacing_m, sc_point_distance distance)
{
    sc_point_options options = sc_point_options_default();
    options.spacing_m = spacing_m;
    options.distance = distance;
    options.max_points = 100000;
    sc__point_cover cover;
    sc_diag diag = {""};
    CHECK_OK(sc__point_cover_init(map, segments, count, &options, &cover, &diag), &diag);
    return cover;
}

static sc_seg_id segment_of(const sc_map *map, sc_node_id from, sc_node_id to)
{
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        if ((edge->from == from && edge->to == to) || (edge->from == to && edge->to == from)) {
            return edge->segment;
        }
    }
    fail_msg("no road between these nodes");
    return SC_NONE;
}

static bool has_point(const sc__point_cover *cover, double x, double y)
{
    bool found = false;
    for (uint32_t i = 0; i < cover->point_count; i++) {
        found =
            found || (fabs(cover->points[i].x - x) < 1e-6 && fabs(cover->points[i].y - y) < 1e-6);
    }
    return found;
}

// 100 m from node to node.
//
//     0---1---2
//     |   |   |
//     3---4---5
static void test_ends_are_shared_and_long_roads_have_points_between(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 2);
    sc_map *map = sketch_map(&s);
    // 1-4 and, in one segment by the corner 0, 1-0-3-4.
    sc_seg_id segments[] = {segment_of(map, 1, 4), segment_of(map, 0, 3)};
    if (segments[0] > segments[1]) {
        const sc_seg_id swapped = segments[0];
        segments[0] = segments[1];
        segments[1] = swapped;
    }
    sc__point_cover cover = cover_of(map, segments, 2, 40.0, SC_POINT_ROAD);
    // 3 and 8 pieces, and two ends that both share.
    assert_int_equal(cover.point_count, 2 + 2 + 7);
    assert_true(has_point(&cover, 100.0, 0.0) && has_point(&cover, 100.0, 100.0));
    assert_true(has_point(&cover, 100.0, 100.0 / 3.0) && has_point(&cover, 100.0, 200.0 / 3.0));
    assert_true(has_point(&cover, 62.5, 0.0) && has_point(&cover, 0.0, 50.0));
    for (uint32_t i = 0; i < cover.point_count; i++) {
        assert_true(cover.points[i].half_gap_m > 16.0 && cover.points[i].half_gap_m < 19.0);
    }
    sc__point_cover_fini(&cover);
    sc__point_cover_fini(&cover);

    cover = cover_of(map, segments, 2, 1000.0, SC_POINT_ROAD);
    assert_int_equal(cover.point_count, 2);
    CHECK_CLOSE(cover.points[0].half_gap_m, 150.0, 0.001);
    sc__point_cover_fini(&cover);
    sc_map_free(map);
    sketch_free(&s);
}

// A road of a fiftieth of a degree on both sides of the 180th meridian, some 2.2 km long.
static void test_points_across_the_180th_meridian_are_on_the_road(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    sketch_add_node(&s, 179.99, 10.0);
    sketch_add_node(&s, -179.99, 10.0);
    sketch_add_edge(&s, 0, 1, SC_LENGTH_FROM_NODES);
    sc_map *map = sketch_map(&s);
    const sc_seg_id segment = 0;
    for (int distance = SC_POINT_STRAIGHT; distance <= SC_POINT_ROAD; distance++) {
        sc__point_cover cover = cover_of(map, &segment, 1, 550.0, (sc_point_distance)distance);
        assert_int_equal(cover.point_count, 5);
        assert_true(has_point(&cover, 179.995, 10.0) && has_point(&cover, -179.995, 10.0));
        for (uint32_t i = 0; i < cover.point_count; i++) {
            assert_true(cover.points[i].half_gap_m > 250.0 && cover.points[i].half_gap_m < 300.0);
        }
        sc__point_cover_fini(&cover);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void test_rings_and_loops_and_dead_ends_are_covered(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t points;  ///< with ends alone
    } cases[] = {{"ring", 1}, {"lone road", 2}, {"loop alone", 1}, {"loop at a dead end", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sketch s = sketch_named(cases[i].name);
        sc_map *map = sketch_map(&s);
        sc_seg_id all[4] = {0, 1, 2, 3};
        sc__point_cover cover = cover_of(map, all, sc_map_segment_count(map), 1e6, SC_POINT_ROAD);
        assert_int_equal(cover.point_count, cases[i].points);
        sc__point_cover_fini(&cover);
        sc_map_free(map);
        sketch_free(&s);
    }
}

// By the very definition, at places that are drawn: the piece is the place's own, and the nearer
// of its points is within its half gap, as the crow flies.
static void check_places(const sc_map *map, const sc__point_cover *cover, const odd_cloak *cloak,
                         sc_rng *rng)
{
    for (int i = 0; i < 200; i++) {
        const sc_seg_id segment =
            cloak->segments[sc_rng_below(rng, (uint32_t)cloak->segment_count)];
        const odd_position q = odd_position_on(map, segment, rng);
        sc__point_cover_place spot;
        double x = 0.0;
        double y = 0.0;
        assert_true(sc__point_cover_find(cover, q.edge, q.offset_m, &spot));
        sc_map_edge_position(map, q.edge, q.offset_m, &x, &y);
        const int nearer = spot.along_m > spot.length_m / 2.0;
        for (int end = 0; end < 2; end++) {
            const sc__point *point = &cover->points[spot.points[end]];
            const double by_road_m = end == 0 ? spot.along_m : spot.length_m - spot.along_m;
            const double slack_m = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? 0.01 : 1e-7;
            const double straight_m = sc__point_straight_m(map, x, y, point->x, point->y);
            assert_true(straight_m <= by_road_m * (1.0 + 1e-9) + slack_m);
            if (end == nearer) assert_true(straight_m <= point->half_gap_m);
        }
    }
}

static void test_no_place_is_farther_from_its_point_than_half_a_gap(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        if (s.coords == SC_COORDS_NONE) {
            sketch_free(&s);
            continue;
        }
        sc_map *map = sketch_map(&s);
        odd_cloak cloak = odd_cloak_new(map, &rng);
        sc__point_cover coarse =
            cover_of(map, cloak.segments, cloak.segment_count, 1e9, SC_POINT_STRAIGHT);
        double total_m = 0.0;
        for (size_t i = 0; i < coarse.segment_count; i++) {
            total_m += coarse.lengths_m[i];
        }
        check_places(map, &coarse, &cloak, &rng);
        sc__point_cover_fini(&coarse);
        sc__point_cover fine = cover_of(map, cloak.segments, cloak.segment_count,
                                        fmin(fmax(total_m / 20.0, 1e-6), 1e9), SC_POINT_STRAIGHT);
        check_places(map, &fine, &cloak, &rng);
        sc__point_cover_fini(&fine);
        odd_cloak_free(&cloak);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_points_are_as_an_address_shows_them(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 3, 2);
    sc_map *map = sketch_map(&s);
    const sc_seg_id first = 0;
    sc__point_cover cover = cover_of(map, &first, 1, 7.0, SC_POINT_STRAIGHT);
    assert_true(cover.point_count > 10);
    for (uint32_t i = 0; i < cover.point_count; i++) {
        CHECK_SAME(cover.points[i].x, sc_template_rounded(cover.points[i].x));
        CHECK_SAME(cover.points[i].y, sc_template_rounded(cover.points[i].y));
    }
    sc__point_cover_fini(&cover);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_too_many_points_are_refused(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 2);
    sc_map *map = sketch_map(&s);
    sc_point_options options = sc_point_options_default();
    const sc_seg_id first = segment_of(map, 0, 3);
    sc__point_cover cover;
    sc_diag diag = {""};
    // 300 m: three pieces, four points.
    options.spacing_m = 101.0;
    options.max_points = 3;
    CHECK_REFUSED(sc__point_cover_init(map, &first, 1, &options, &cover, &diag), SC_ELIMIT, &diag,
                  "takes 4 points, but 3 are allowed");
    options.max_points = 4;
    CHECK_OK(sc__point_cover_init(map, &first, 1, &options, &cover, &diag), &diag);
    sc__point_cover_fini(&cover);
    // These are too many to count.
    options.spacing_m = 1e-300;
    CHECK_REFUSED(sc__point_cover_init(map, &first, 1, &options, &cover, &diag), SC_ELIMIT, &diag,
                  "takes more than 4 points");
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_place_elsewhere_is_not_found(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&s);
    const sc_seg_id some[] = {1, 3};
    sc__point_cover cover = cover_of(map, some, 2, 50.0, SC_POINT_STRAIGHT);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_seg_id segment = sc_map_edges(map)[e].segment;
        sc__point_cover_place spot;
        assert_int_equal(sc__point_cover_find(&cover, e, 1.0, &spot), segment == 1 || segment == 3);
    }
    sc__point_cover_fini(&cover);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ends_are_shared_and_long_roads_have_points_between),
    cmocka_unit_test(test_points_across_the_180th_meridian_are_on_the_road),
    cmocka_unit_test(test_rings_and_loops_and_dead_ends_are_covered),
    SC_CASES(test_no_place_is_farther_from_its_point_than_half_a_gap),
    cmocka_unit_test(test_points_are_as_an_address_shows_them),
    cmocka_unit_test(test_too_many_points_are_refused),
    cmocka_unit_test(test_a_place_elsewhere_is_not_found),
};
SC_SUITE(tests)
