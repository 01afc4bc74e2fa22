// Building a map: what is accepted, what is refused, and how positions and lengths
// arrive in it.
#include "support/check.h"
#include "support/sketch.h"

#include "map/geo.h"

#include <math.h>

static sc_builder *new_builder(sc_coords coords)
{
    sc_builder *builder = NULL;
    CHECK_OK(sc_builder_new(coords, &builder), NULL);
    return builder;
}

static sc_node_id add_node(sc_builder *builder, double x, double y)
{
    sc_node_id node = SC_NONE;
    CHECK_OK(sc_builder_add_node(builder, x, y, &node), NULL);
    return node;
}

static sc_edge_id add_edge(sc_builder *builder, sc_node_id from, sc_node_id to, double length)
{
    sc_edge_id edge = SC_NONE;
    CHECK_OK(sc_builder_add_edge(builder, from, to, length, SC_ROAD_LOCAL, &edge), NULL);
    return edge;
}

// --- Nodes -------------------------------------------------------------------------

static void test_positions_off_the_globe_are_refused(void **state)
{
    (void)state;
    static const double bad[][2] = {{180.0000001, 0}, {-180.1, 0},       {0, 90.0000001},
                                    {0, -91},         {NOT_A_NUMBER, 0}, {0, NOT_A_NUMBER},
                                    {HUGE_VAL, 0},    {0, -HUGE_VAL},    {1e300, 1e300}};
    sc_builder *builder = new_builder(SC_COORDS_GEOGRAPHIC);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_node_id node = 77;
        assert_int_equal(sc_builder_add_node(builder, bad[i][0], bad[i][1], &node), SC_EINVAL);
        assert_int_equal(node, 77);
    }
    assert_int_equal(sc_builder_node_count(builder), 0);
    add_node(builder, -180.0, -90.0);
    add_node(builder, 180.0, 90.0);
    assert_int_equal(sc_builder_node_count(builder), 2);
    sc_builder_free(builder);
}

static void test_positions_off_any_sensible_plane_are_refused(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_PLANAR);
    sc_node_id node = 77;
    assert_int_equal(sc_builder_add_node(builder, 1.1e8, 0, &node), SC_EINVAL);
    assert_int_equal(sc_builder_add_node(builder, 0, NOT_A_NUMBER, &node), SC_EINVAL);
    assert_int_equal(sc_builder_add_node(builder, -HUGE_VAL, 0, &node), SC_EINVAL);
    add_node(builder, 1e8, -1e8);
    sc_builder_free(builder);
}

static void test_coordinates_do_not_matter_where_a_map_has_none(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_NONE);
    add_node(builder, NOT_A_NUMBER, HUGE_VAL);
    add_node(builder, 1e300, 0);
    add_edge(builder, 0, 1, 3.0);
    sc_map *map = finish_builder(builder);
    assert_null(sc_map_nodes(map));
    assert_int_equal(sc_map_coords(map), SC_COORDS_NONE);
    sc_map_free(map);
}

static void test_degrees_are_kept_to_a_ten_millionth(void **state)
{
    (void)state;
    static const double lon[] = {-180.0, -122.4194155, 0.0, 1e-7, 8.6820917, 179.9999999, 180.0};
    static const double lat[] = {-90.0, 37.7749295, 0.0, -1e-7, 49.4093582, 89.9999999, 90.0};
    enum { COUNT = sizeof lon / sizeof *lon };
    sc_builder *builder = new_builder(SC_COORDS_GEOGRAPHIC);
    for (int i = 0; i < COUNT; i++) {
        add_node(builder, lon[i], lat[i]);
    }
    add_edge(builder, 2, 3, SC_LENGTH_FROM_NODES);
    sc_map *map = finish_builder(builder);
    for (sc_node_id i = 0; i < COUNT; i++) {
        double x = 0;
        double y = 0;
        sc_map_node_position(map, i, &x, &y);
        CHECK_SAME(x, lon[i]);
        CHECK_SAME(y, lat[i]);
    }
    sc_map_free(map);
}

// Coordinates with up to six decimals are kept as they are, wherever the plane
// lies, as long as all of it fits the grid.
static void test_planar_coordinates_with_few_decimals_stay_exact(void **state)
{
    (void)state;
    static const struct {
        double x, y, width, step;
    } planes[] = {{0, 0, 1, 1e-6},       {-5, 100, 900, 1e-6}, {731235.2, 3737245, 12000, 0.1},
                  {0, 0, 10000, 0.01},   {-1e6, 1e6, 2e6, 1},  {9e7, -9e7, 10, 1e-3},
                  {-1e8, -1e8, 2e8, 1e5}};
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        check_case(i);
        sc_builder *builder = new_builder(SC_COORDS_PLANAR);
        double xs[3] = {planes[i].x, planes[i].x + planes[i].width, planes[i].x + planes[i].step};
        double ys[3] = {planes[i].y, planes[i].y + planes[i].step, planes[i].y + planes[i].width};
        for (int v = 0; v < 3; v++) {
            add_node(builder, xs[v], ys[v]);
        }
        add_edge(builder, 0, 1, 5);
        sc_map *map = finish_builder(builder);
        for (sc_node_id v = 0; v < 3; v++) {
            double x = 0;
            double y = 0;
            sc_map_node_position(map, v, &x, &y);
            // To the last bit or two of what a double can tell apart there.
            CHECK_CLOSE(x, xs[v], 3e-16 * fabs(xs[v]));
            CHECK_CLOSE(y, ys[v], 3e-16 * fabs(ys[v]));
        }
        sc_map_free(map);
    }
    check_case_done();
}

// Where the grid is coarse, the outermost node may be rounded outwards.
static void test_nodes_at_the_rim_of_the_largest_plane_are_kept(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_PLANAR);
    add_node(builder, 499.5, 499.5);
    add_node(builder, 1e8, 1e8);
    add_edge(builder, 0, 1, 5);
    sc_map_free(finish_builder(builder));
}

static void test_nodes_in_one_place_are_still_different_nodes(void **state)
{
    (void)state;
    for (int coords = SC_COORDS_GEOGRAPHIC; coords <= SC_COORDS_PLANAR; coords++) {
        sc_builder *builder = new_builder((sc_coords)coords);
        for (int i = 0; i < 3; i++) {
            add_node(builder, 7.25, 7.25);
        }
        add_edge(builder, 0, 1, SC_LENGTH_FROM_NODES);
        add_edge(builder, 1, 2, SC_LENGTH_FROM_NODES);
        sc_map *map = finish_builder(builder);
        assert_int_equal(sc_map_node_count(map), 3);
        assert_int_equal(sc_map_segment_count(map), 1);
        assert_int_equal(sc_map_segments(map)[0].length, 0);
        sc_map_free(map);
    }
}

// --- Edges -------------------------------------------------------------------------

static void test_edges_that_cannot_be_are_refused(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_GEOGRAPHIC);
    add_node(builder, 1, 1);
    add_node(builder, 2, 2);
    sc_edge_id edge = 77;
    static const struct {
        sc_node_id from, to;
        double length;
    } bad[] = {{0, 2, 1},        {2, 0, 1},        {SC_NONE, 0, 1}, {0, 1, NOT_A_NUMBER},
               {0, 1, HUGE_VAL}, {0, 1, -HUGE_VAL}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sc_builder_add_edge(builder, bad[i].from, bad[i].to, bad[i].length,
                                             SC_ROAD_LOCAL, &edge),
                         SC_EINVAL);
    }
    assert_int_equal(edge, 77);
    assert_int_equal(sc_builder_edge_count(builder), 0);
    sc_builder_free(builder);
}

static void test_a_road_class_that_does_not_exist_is_refused(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_NONE);
    add_node(builder, 0, 0);
    assert_int_equal(
        sc_builder_add_edge(builder, 0, 0, 1.0, (sc_road_class)SC_ROAD_CLASS_COUNT, NULL),
        SC_EINVAL);
    sc_builder_free(builder);
}

static void test_a_length_cannot_come_from_nodes_without_coordinates(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_NONE);
    add_node(builder, 0, 0);
    add_node(builder, 0, 0);
    assert_int_equal(sc_builder_add_edge(builder, 0, 1, SC_LENGTH_FROM_NODES, SC_ROAD_LOCAL, NULL),
                     SC_EINVAL);
    sc_builder_free(builder);
}

static void test_a_length_from_nodes_is_the_distance_between_them(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_GEOGRAPHIC);
    add_node(builder, 0.0, 0.0);
    add_node(builder, 0.0, 1.0);
    add_node(builder, 90.0, 0.0);
    add_edge(builder, 0, 1, SC_LENGTH_FROM_NODES);
    add_edge(builder, 0, 2, -5.0);  // any negative number asks for it
    sc_map *map = finish_builder(builder);
    // A degree of a great circle, and a quarter of one.
    CHECK_CLOSE(sc_map_segment_length_m(map, 0), 6371008.8 * SC_PI / 180 * 91, 0.01);
    sc_map_free(map);

    builder = new_builder(SC_COORDS_PLANAR);
    add_node(builder, -3.0, 10.0);
    add_node(builder, 0.0, 14.0);
    add_edge(builder, 0, 1, SC_LENGTH_FROM_NODES);
    map = finish_builder(builder);
    CHECK_CLOSE(sc_map_edge_length_m(map, 0), 5.0, 1e-12);
    sc_map_free(map);
}

static void test_lengths_are_whole_millimetres_and_add_up_exactly(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_NONE);
    for (int i = 0; i < 5; i++) {
        add_node(builder, 0, 0);
    }
    add_edge(builder, 0, 1, 0.1);
    add_edge(builder, 1, 2, 0.2);
    add_edge(builder, 2, 3, 1234.5678);
    add_edge(builder, 3, 4, 0.0);
    sc_map *map = finish_builder(builder);
    const sc_edge *edges = sc_map_edges(map);
    CHECK_SAME(sc_map_unit_m(map), 1e-3);
    assert_int_equal(edges[0].length, 100);
    assert_int_equal(edges[1].length, 200);
    assert_int_equal(edges[2].length, 1234568);
    assert_int_equal(edges[3].length, 0);
    assert_int_equal(sc_map_segments(map)[0].length, 1234868);
    sc_map_free(map);
}

static void test_only_a_road_without_length_has_length_zero(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_NONE);
    add_node(builder, 0, 0);
    add_node(builder, 0, 0);
    add_edge(builder, 0, 1, 1e-9);
    sc_map *map = finish_builder(builder);
    assert_int_equal(sc_map_edges(map)[0].length, 1);
    sc_map_free(map);
}

static void test_the_unit_of_length_grows_with_the_longest_road(void **state)
{
    (void)state;
    static const struct {
        double length;
        bool unit_unknown;
        double unit;
    } cases[] = {{1e3, false, 1e-3},   {3.9e6, false, 1e-3}, {4.1e6, false, 1e-2},
                 {3.9e7, false, 1e-2}, {4e7, false, 1e-1},   {1e3, true, 1e-6},
                 {1e4, true, 1e-5},    {3.9e7, true, 1e-2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sc_builder *builder = new_builder(SC_COORDS_NONE);
        add_node(builder, 0, 0);
        add_node(builder, 0, 0);
        add_edge(builder, 0, 1, cases[i].length);
        if (cases[i].unit_unknown) sc_builder_set_unit_unknown(builder);
        sc_map *map = finish_builder(builder);
        CHECK_CLOSE(sc_map_unit_m(map), cases[i].unit, cases[i].unit * 1e-12);
        CHECK_CLOSE(sc_map_edge_length_m(map, 0), cases[i].length, cases[i].unit / 2);
        assert_int_equal(sc_map_is_in_metres(map), !cases[i].unit_unknown);
        sc_map_free(map);
    }
    check_case_done();
}

// One absurd length would make the unit coarse for all roads.
static void test_a_road_longer_than_once_round_the_earth_is_refused(void **state)
{
    (void)state;
    static const double lengths[] = {4.1e7, 1e13, 1e300, 1.7e308, HUGE_VAL};
    sc_builder *builder = new_builder(SC_COORDS_NONE);
    add_node(builder, 0, 0);
    add_node(builder, 0, 0);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        check_case(i);
        sc_edge_id edge = 77;
        assert_int_equal(sc_builder_add_edge(builder, 0, 1, lengths[i], SC_ROAD_LOCAL, &edge),
                         SC_EINVAL);
        assert_int_equal(edge, 77);
    }
    assert_int_equal(sc_builder_edge_count(builder), 0);
    sc_builder_free(builder);
    check_case_done();
}

// --- Finishing ---------------------------------------------------------------------

static void test_a_map_without_a_road_is_refused(void **state)
{
    (void)state;
    for (int nodes = 0; nodes < 2; nodes++) {
        sc_builder *builder = new_builder(SC_COORDS_PLANAR);
        if (nodes) add_node(builder, 0, 0);
        sc_map *map = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(sc_builder_finish(builder, 0, NULL, &map, NULL, &diag), SC_EINVAL, &diag,
                      "no road");
        assert_null(map);
        sc_builder_free(builder);
    }
    sc_builder_free(NULL);
}

static void test_the_source_text_is_kept_and_cut_to_fit(void **state)
{
    (void)state;
    char longest[400];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    sketch s = sketch_named("theta");
    sc_builder *builder = sketch_builder(&s);
    sc_builder_set_source(builder, longest);
    sc_map *map = finish_builder(builder);
    assert_int_equal(strlen(sc_map_source(map)), 255);
    sc_map_free(map);
    builder = sketch_builder(&s);
    sc_builder_set_source(builder, "theta, drawn by hand");
    map = finish_builder(builder);
    assert_string_equal(sc_map_source(map), "theta, drawn by hand");
    sc_map_free(map);
    sketch_free(&s);
}

typedef struct progress_seen {
    uint64_t steps;
    uint64_t objects;
    bool backwards;
    uint64_t last;
} progress_seen;

static void note_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    progress_seen *seen = context;
    assert_true(done <= total);
    if (strcmp(phase, "building the map") == 0) {
        seen->backwards |= done < seen->last;
        seen->last = done;
        seen->steps++;
    } else {
        assert_string_equal(phase, "placing objects");
        seen->objects++;
    }
}

static void test_finishing_tells_how_far_it_has_come(void **state)
{
    (void)state;
    sketch s = sketch_named("theta");
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, "cafe", "");
    progress_seen seen = {0};
    const sc_progress progress = {note_progress, &seen};
    sc_map *map = NULL;
    CHECK_OK(sc_builder_finish(builder, 0, &progress, &map, NULL, NULL), NULL);
    assert_true(seen.steps >= 3 && seen.objects >= 1 && !seen.backwards);
    sc_map_free(map);
    sc_builder_free(builder);
    sketch_free(&s);
}

static void test_the_same_input_gives_the_same_map(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *one = sketch_map(&s);
        sc_map *two = sketch_map(&s);
        assert_true(sc_map_checksum(one) == sc_map_checksum(two));
        sc_map_free(one);
        sc_map_free(two);
        sketch_free(&s);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_positions_off_the_globe_are_refused),
    cmocka_unit_test(test_positions_off_any_sensible_plane_are_refused),
    cmocka_unit_test(test_coordinates_do_not_matter_where_a_map_has_none),
    cmocka_unit_test(test_degrees_are_kept_to_a_ten_millionth),
    SC_CASES(test_planar_coordinates_with_few_decimals_stay_exact),
    cmocka_unit_test(test_nodes_at_the_rim_of_the_largest_plane_are_kept),
    cmocka_unit_test(test_nodes_in_one_place_are_still_different_nodes),
    cmocka_unit_test(test_edges_that_cannot_be_are_refused),
    cmocka_unit_test(test_a_road_class_that_does_not_exist_is_refused),
    cmocka_unit_test(test_a_length_cannot_come_from_nodes_without_coordinates),
    cmocka_unit_test(test_a_length_from_nodes_is_the_distance_between_them),
    cmocka_unit_test(test_lengths_are_whole_millimetres_and_add_up_exactly),
    cmocka_unit_test(test_only_a_road_without_length_has_length_zero),
    SC_CASES(test_the_unit_of_length_grows_with_the_longest_road),
    SC_CASES(test_a_road_longer_than_once_round_the_earth_is_refused),
    cmocka_unit_test(test_a_map_without_a_road_is_refused),
    cmocka_unit_test(test_the_source_text_is_kept_and_cut_to_fit),
    cmocka_unit_test(test_finishing_tells_how_far_it_has_come),
    SC_CASES(test_the_same_input_gives_the_same_map),
};
SC_SUITE(tests)
