// Snapping equals a look at every edge, always: same edge, same offset, same
// distance, to the last bit (support/nearest.h). On odd maps with nodes on top
// of each other, repeated edges, edges without length, at the poles, at the
// 180th meridian, tiny and huge; with positions on nodes, on edges, between,
// beyond, and far away.
#include "support/check.h"
#include "support/nearest.h"
#include "support/sketch.h"

#include "base/rng.h"
#include "map/geo.h"

#include <math.h>

enum { ODD_MAPS = 8000 };

static void check_snap(const sc_map *map, double x, double y)
{
    const sc_snap wanted = nearest_edge(map, x, y);
    sc_snap got = {0};
    CHECK_OK(sc_map_snap(map, x, y, HUGE_VAL, &got), NULL);
    if (got.edge != wanted.edge) {
        print_error("at %.17g %.17g: edge %u at %.17g, wanted %u at %.17g\n", x, y, got.edge,
                    got.distance_m, wanted.edge, wanted.distance_m);
    }
    assert_int_equal(got.edge, wanted.edge);
    assert_int_equal(got.segment, wanted.segment);
    CHECK_SAME(got.offset_m, wanted.offset_m);
    CHECK_SAME(got.distance_m, wanted.distance_m);
    assert_true(got.offset_m >= 0.0 && got.offset_m <= sc_map_edge_length_m(map, got.edge));
}

static double clamped(double value, double bound)
{
    return fmin(fmax(value, -bound), bound);
}

// A position near (x, y) that the map can have.
static void check_snap_near(const sc_map *map, double x, double y)
{
    const bool on_globe = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC;
    check_snap(map, clamped(x, on_globe ? 180.0 : 1e8), clamped(y, on_globe ? 90.0 : 1e8));
}

static void test_odd_maps_are_snapped_to_as_by_a_look_at_every_edge(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        if (s.coords == SC_COORDS_NONE) {
            sc_snap out = {.edge = 7};
            assert_int_equal(sc_map_snap(map, 0, 0, 1, &out), SC_ENOCOORDS);
            assert_int_equal(out.edge, 7);
        } else {
            double min_x = HUGE_VAL, min_y = HUGE_VAL, max_x = -HUGE_VAL, max_y = -HUGE_VAL;
            for (uint32_t v = 0; v < s.node_count; v++) {
                double x = 0;
                double y = 0;
                sc_map_node_position(map, v, &x, &y);
                check_snap(map, x, y);  // on the node, where all its edges tie
                check_snap(map, s.x[v], s.y[v]);
                min_x = fmin(min_x, x);
                min_y = fmin(min_y, y);
                max_x = fmax(max_x, x);
                max_y = fmax(max_y, y);
            }
            for (sc_edge_id e = 0; e < s.edge_count; e++) {
                double x = 0;
                double y = 0;
                const double length = sc_map_edge_length_m(map, e);
                sc_map_edge_position(map, e, length * sc_rng_unit(&rng), &x, &y);
                check_snap_near(map, x, y);  // on the edge
                // Beside it, by a little or a lot.
                const double reach = (max_x - min_x + max_y - min_y + 1e-6) *
                                     pow(10.0, -6.0 + 8.0 * sc_rng_unit(&rng));
                check_snap_near(map, x + reach * (sc_rng_unit(&rng) - 0.5),
                                y + reach * (sc_rng_unit(&rng) - 0.5));
            }
            // Far outside, in every direction.
            const double far = s.coords == SC_COORDS_GEOGRAPHIC ? 200.0 : 1e8;
            for (int column = -1; column <= 1; column++) {
                for (int row = -1; row <= 1; row++) {
                    check_snap_near(map, column * far, row * far);
                }
            }
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// A grid has a tie for every position on a line of symmetry. It is also large
// enough for several levels of the index.
static void test_ties_on_a_grid_go_to_the_least_id(void **state)
{
    (void)state;
    for (int coords = SC_COORDS_GEOGRAPHIC; coords <= SC_COORDS_PLANAR; coords++) {
        sketch s = sketch_grid((sc_coords)coords, 25, 24);
        sc_map *map = sketch_map(&s);
        sc_rng rng;
        sc_rng_seed(&rng, 3);
        double left = 0, bottom = 0, right = 0, top = 0;
        sc_map_node_position(map, 0, &left, &bottom);
        sc_map_node_position(map, s.node_count - 1, &right, &top);
        for (uint64_t i = 0; i < 3000; i++) {
            check_case(i);
            // Halves, quarters and eighths of the grid's cells, inside and out.
            const double column = ((int)sc_rng_below(&rng, 220) - 14) / 8.0;
            const double row = ((int)sc_rng_below(&rng, 220) - 14) / 8.0;
            check_snap_near(map, left + column * (right - left) / 24,
                            bottom + row * (top - bottom) / 23);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_a_larger_random_map_is_snapped_to_as_by_a_look_at_every_edge(void **state)
{
    (void)state;
    // Short and very long edges in every direction, crossing each other.
    enum { NODES = 3000 };
    sc_rng rng;
    sc_rng_seed(&rng, 4);
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    for (uint32_t v = 0; v < NODES; v++) {
        const double x = -122.5 + 0.2 * sc_rng_unit(&rng);
        sketch_add_node(&s, x, 37.7 + 0.15 * sc_rng_unit(&rng));
    }
    for (uint32_t e = 0; e < NODES; e++) {
        const uint32_t from = sc_rng_below(&rng, NODES);
        const bool is_long = sc_rng_below(&rng, 50) == 0;
        uint32_t to = from;
        for (int tries = 0; tries < (is_long ? 1 : 40); tries++) {
            const uint32_t other = sc_rng_below(&rng, NODES);
            const double dx = s.x[other] - s.x[from];
            const double dy = s.y[other] - s.y[from];
            if (is_long || hypot(dx, dy) < 0.01) to = other;
        }
        sketch_add_edge(&s, from, to, 1.0 + e);
    }
    sc_map *map = sketch_map(&s);
    for (uint64_t i = 0; i < 2000; i++) {
        check_case(i);
        const double x = -122.55 + 0.3 * sc_rng_unit(&rng);
        check_snap(map, x, 37.65 + 0.25 * sc_rng_unit(&rng));
    }
    check_case_done();
    sc_map_free(map);
    sketch_free(&s);
}

//         p
//    A----+----B       3 m above a road of 100 m that is 200 m long on paper
static void test_the_offset_is_along_the_length_of_the_edge(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_PLANAR);
    sketch_add_node(&s, 1000, 1000);
    sketch_add_node(&s, 1100, 1000);
    sketch_add_edge(&s, 0, 1, 200.0);
    sc_map *map = sketch_map(&s);
    sc_snap snap = {0};
    CHECK_OK(sc_map_snap(map, 1025, 1003, 10.0, &snap), NULL);
    assert_int_equal(snap.edge, 0);
    assert_int_equal(snap.segment, 0);
    CHECK_CLOSE(snap.distance_m, 3.0, 1e-9);
    CHECK_CLOSE(snap.offset_m, 50.0, 1e-6);
    // Beyond its ends the nearest point is the end.
    CHECK_OK(sc_map_snap(map, 997, 1004, 10.0, &snap), NULL);
    CHECK_CLOSE(snap.distance_m, 5.0, 1e-9);
    CHECK_SAME(snap.offset_m, 0.0);
    CHECK_OK(sc_map_snap(map, 1103, 996, 10.0, &snap), NULL);
    CHECK_CLOSE(snap.distance_m, 5.0, 1e-9);
    CHECK_SAME(snap.offset_m, 200.0);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_degrees_are_scaled_at_the_latitude_of_the_position(void **state)
{
    (void)state;
    // At 60 degrees north a degree of longitude is half as long as one of
    // latitude: of two roads, the one to the east is nearer though more degrees
    // away.
    //        A-------B      0.012 degrees north
    //    p
    //            C          0.020 degrees east
    //            D
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    sketch_add_node(&s, 9.99, 60.012);
    sketch_add_node(&s, 10.01, 60.012);
    sketch_add_node(&s, 10.02, 60.005);
    sketch_add_node(&s, 10.02, 59.995);
    sketch_add_edge(&s, 0, 1, 1000);
    sketch_add_edge(&s, 2, 3, 1000);
    sc_map *map = sketch_map(&s);
    sc_snap snap = {0};
    CHECK_OK(sc_map_snap(map, 10.0, 60.0, HUGE_VAL, &snap), NULL);
    assert_int_equal(sc_map_edges(map)[snap.edge].from, 2);
    CHECK_CLOSE(snap.distance_m, sc_geo_distance_m(10.0, 60.0, 10.02, 60.0), 0.01);
    CHECK_CLOSE(snap.offset_m, 500.0, 0.01);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_position_at_a_pole_is_near_every_longitude(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    sketch_add_node(&s, 170.0, 89.9);
    sketch_add_node(&s, 171.0, 89.9);
    sketch_add_node(&s, 0.0, 89.8);
    sketch_add_node(&s, 1.0, 89.8);
    sketch_add_edge(&s, 0, 1, 10);
    sketch_add_edge(&s, 2, 3, 10);
    sc_map *map = sketch_map(&s);
    sc_snap snap = {0};
    CHECK_OK(sc_map_snap(map, 0.0, 90.0, HUGE_VAL, &snap), NULL);
    CHECK_CLOSE(snap.distance_m, sc_geo_distance_m(0, 90, 170, 89.9), 0.01);
    check_snap(map, -180.0, 90.0);
    check_snap(map, 180.0, -90.0);
    sc_map_free(map);
    sketch_free(&s);
}

//    179.99     180 = -180     -179.99
//      A-----------B   p   C-------D        two roads that end at the meridian
static void test_roads_beyond_the_180th_meridian_are_found(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    sketch_add_node(&s, 179.99, 0.0);
    sketch_add_node(&s, 179.9995, 0.0);
    sketch_add_node(&s, -179.9999, 0.0);
    sketch_add_node(&s, -179.99, 0.0);
    sketch_add_edge(&s, 0, 1, 1000);
    sketch_add_edge(&s, 2, 3, 1000);
    sc_map *map = sketch_map(&s);
    for (int side = -1; side <= 1; side += 2) {
        sc_snap snap = {0};
        CHECK_OK(sc_map_snap(map, 180.0 * side, 0.0, 20.0, &snap), NULL);
        assert_int_equal(sc_map_edges(map)[snap.edge].from, 2);
        CHECK_CLOSE(snap.distance_m, sc_geo_distance_m(180.0, 0.0, -179.9999, 0.0), 1e-6);
        check_snap(map, 180.0 * side, 0.0);
        check_snap(map, 179.9996 * side, 0.001);
    }
    sc_map_free(map);
    sketch_free(&s);
}

// Two edges between the same nodes, drawn in opposite directions, with a third
// road between them in the numbering.
static void test_parallel_edges_tie_whichever_way_they_are_drawn(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 6);
    for (uint64_t i = 0; i < 300; i++) {
        check_case(i);
        sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
        for (int v = 0; v < 4; v++) {
            sketch_add_node(&s, -122.4 + 0.01 * sc_rng_unit(&rng), 37.7 + 0.01 * sc_rng_unit(&rng));
        }
        sketch_add_edge(&s, 0, 1, 10);
        sketch_add_edge(&s, 1, 0, 10);
        sketch_add_edge(&s, 1, 2, 10);
        sketch_add_edge(&s, 0, 3, 10);
        sc_map *map = sketch_map(&s);
        sc_edge_id least = SC_NONE;
        for (sc_edge_id e = 0; e < 4; e++) {
            const sc_edge *edge = &sc_map_edges(map)[e];
            if (edge->from + edge->to == 1 && least == SC_NONE) least = e;
        }
        for (int k = 1; k < 10; k++) {
            double x = 0;
            double y = 0;
            sc_map_edge_position(map, least, k * sc_map_edge_length_m(map, least) / 10.0, &x, &y);
            sc_snap snap = {0};
            CHECK_OK(sc_map_snap(map, x + 1e-6, y, HUGE_VAL, &snap), NULL);
            if (sc_map_edges(map)[snap.edge].from + sc_map_edges(map)[snap.edge].to == 1) {
                assert_int_equal(snap.edge, least);
            }
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_the_limit_is_met_exactly_at_the_distance(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 9, 9);
    sc_map *map = sketch_map(&s);
    sc_rng rng;
    sc_rng_seed(&rng, 5);
    for (uint64_t i = 0; i < 5000; i++) {
        check_case(i);
        const double x = 7.99 + 0.03 * sc_rng_unit(&rng);
        const double y = -0.01 + 0.03 * sc_rng_unit(&rng);
        sc_snap free_snap = {0};
        sc_snap at = {0};
        CHECK_OK(sc_map_snap(map, x, y, HUGE_VAL, &free_snap), NULL);
        const double distance = free_snap.distance_m;
        CHECK_OK(sc_map_snap(map, x, y, distance, &at), NULL);
        assert_int_equal(at.edge, free_snap.edge);
        CHECK_SAME(at.distance_m, distance);
        CHECK_OK(sc_map_snap(map, x, y, nextafter(distance, HUGE_VAL), &at), NULL);
        assert_int_equal(at.edge, free_snap.edge);
        if (distance == 0.0) continue;
        at.edge = 4711;
        assert_int_equal(sc_map_snap(map, x, y, nextafter(distance, 0.0), &at), SC_ETOOFAR);
        assert_int_equal(sc_map_snap(map, x, y, 0.0, &at), SC_ETOOFAR);
        assert_int_equal(at.edge, 4711);  // untouched
    }
    check_case_done();
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_limit_of_nothing_accepts_positions_on_the_road(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&s);
    sc_snap snap = {0};
    CHECK_OK(sc_map_snap(map, 100.0, 50.0, 0.0, &snap), NULL);
    CHECK_SAME(snap.distance_m, 0.0);
    CHECK_OK(sc_map_snap(map, 100.0, 100.0, 0.0, &snap), NULL);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_what_is_no_position_is_refused(void **state)
{
    (void)state;
    static const double bad[][3] = {{NOT_A_NUMBER, 0, 1}, {0, NOT_A_NUMBER, 1}, {HUGE_VAL, 0, 1},
                                    {0, -HUGE_VAL, 1},    {180.1, 0, 1},        {0, 90.1, 1},
                                    {0, 0, NOT_A_NUMBER}, {0, 0, -1e-9},        {0, 0, -HUGE_VAL}};
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 2, 2);
    sc_map *map = sketch_map(&s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_snap out = {.edge = 4711};
        assert_int_equal(sc_map_snap(map, bad[i][0], bad[i][1], bad[i][2], &out), SC_EINVAL);
        assert_int_equal(out.edge, 4711);
    }
    sc_map_free(map);
    sketch_free(&s);

    s = sketch_grid(SC_COORDS_PLANAR, 2, 2);
    map = sketch_map(&s);
    sc_snap out = {.edge = 4711};
    assert_int_equal(sc_map_snap(map, 1.1e8, 0, 1, &out), SC_EINVAL);
    assert_int_equal(sc_map_snap(map, 0, NOT_A_NUMBER, 1, &out), SC_EINVAL);
    CHECK_OK(sc_map_snap(map, 180.1, 90.1, HUGE_VAL, &out), NULL);
    sc_map_free(map);
    sketch_free(&s);
}

// The levels of the index change at powers of its fanout: one box more or less.
static void test_maps_of_every_size_up_to_several_levels_are_searched_whole(void **state)
{
    (void)state;
    for (uint32_t edges = 1; edges <= 600; edges += edges < 80 ? 1 : 37) {
        check_case(edges);
        sc_rng rng;
        sc_rng_seed(&rng, edges);
        sketch s = sketch_new(SC_COORDS_PLANAR);
        for (uint32_t e = 0; e < edges; e++) {
            const double x = 100.0 * sc_rng_unit(&rng);
            const uint32_t from = sketch_add_node(&s, x, 100.0 * sc_rng_unit(&rng));
            sketch_add_edge(&s, from, sketch_add_node(&s, x + 1.0, 50.0), 5.0);
        }
        sc_map *map = sketch_map(&s);
        for (int i = 0; i < 20; i++) {
            const double x = 120.0 * sc_rng_unit(&rng) - 10.0;
            check_snap(map, x, 120.0 * sc_rng_unit(&rng) - 10.0);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_a_point_along_an_edge_snaps_back_to_its_offset(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 6, 6);
    sc_map *map = sketch_map(&s);
    for (sc_edge_id e = 0; e < s.edge_count; e++) {
        check_case(e);
        double x = 0;
        double y = 0;
        sc_snap snap = {0};
        sc_map_edge_position(map, e, 30.0, &x, &y);
        CHECK_OK(sc_map_snap(map, x, y, 0.01, &snap), NULL);
        assert_int_equal(snap.edge, e);
        CHECK_CLOSE(snap.offset_m, 30.0, 0.02);  // the grid is a centimetre wide
        // Offsets beyond the edge give its ends.
        double end_x = 0;
        double end_y = 0;
        sc_map_edge_position(map, e, 1e9, &x, &y);
        sc_map_node_position(map, sc_map_edges(map)[e].to, &end_x, &end_y);
        CHECK_SAME(x, end_x);
        CHECK_SAME(y, end_y);
        sc_map_edge_position(map, e, -1.0, &x, &y);
        sc_map_node_position(map, sc_map_edges(map)[e].from, &end_x, &end_y);
        CHECK_SAME(x, end_x);
        CHECK_SAME(y, end_y);
    }
    check_case_done();
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_odd_maps_are_snapped_to_as_by_a_look_at_every_edge),
    SC_CASES(test_ties_on_a_grid_go_to_the_least_id),
    SC_CASES(test_a_larger_random_map_is_snapped_to_as_by_a_look_at_every_edge),
    cmocka_unit_test(test_the_offset_is_along_the_length_of_the_edge),
    cmocka_unit_test(test_degrees_are_scaled_at_the_latitude_of_the_position),
    cmocka_unit_test(test_a_position_at_a_pole_is_near_every_longitude),
    cmocka_unit_test(test_roads_beyond_the_180th_meridian_are_found),
    SC_CASES(test_parallel_edges_tie_whichever_way_they_are_drawn),
    SC_CASES(test_the_limit_is_met_exactly_at_the_distance),
    cmocka_unit_test(test_a_limit_of_nothing_accepts_positions_on_the_road),
    cmocka_unit_test(test_what_is_no_position_is_refused),
    SC_CASES(test_maps_of_every_size_up_to_several_levels_are_searched_whole),
    SC_CASES(test_a_point_along_an_edge_snaps_back_to_its_offset),
};
SC_SUITE(tests)
