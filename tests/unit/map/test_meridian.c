// Maps with roads across the 180th meridian: their grid begins and ends at the 0th meridian
// instead.
#include <starcloak/map_export.h>
#include <starcloak/map_info.h>

#include "support/check.h"
#include "support/nearest.h"
#include "support/place.h"
#include "support/scm_patch.h"
#include "support/sketch.h"

#include "base/rng.h"
#include "map/geo.h"
#include "map/line_pieces.h"

#include <math.h>
#include <stdio.h>

// A street along 16.5 degrees south, on both sides of the meridian, one node exactly on it:
//
//    A------B------C------D------E        A is the westernmost, with a side street to F
//  179.8  179.9   180  -179.9  -179.8
static sketch street(void)
{
    static const double lon[] = {179.8, 179.9, 180.0, -179.9, -179.8, 179.9};
    static const double lat[] = {-16.5, -16.5, -16.5, -16.5, -16.5, -16.4};
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    for (int i = 0; i < 6; i++) {
        sketch_add_node(&s, lon[i], lat[i]);
    }
    for (uint32_t i = 0; i < 4; i++) {
        sketch_add_edge(&s, i, i + 1, SC_LENGTH_FROM_NODES);
    }
    sketch_add_edge(&s, 1, 5, SC_LENGTH_FROM_NODES);
    return s;
}

static void test_nodes_are_where_they_were_put(void **state)
{
    (void)state;
    sketch s = street();
    sc_map *map = sketch_map(&s);
    CHECK_SAME(map->grid.origin_x, 180.0);
    for (sc_node_id v = 0; v < s.node_count; v++) {
        double x = 0;
        double y = 0;
        sc_map_node_position(map, v, &x, &y);
        CHECK_CLOSE(x, s.x[v], 1e-12);
        CHECK_CLOSE(y, s.y[v], 1e-12);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void test_minus_180_is_180(void **state)
{
    (void)state;
    sketch s = street();
    s.x[2] = -180.0;
    sc_map *map = sketch_map(&s);
    double x = 0;
    double y = 0;
    sc_map_node_position(map, 2, &x, &y);
    CHECK_SAME(x, 180.0);
    // A tenth of a degree along that parallel.
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        CHECK_CLOSE(sc_map_edge_length_m(map, e), 10800.0, 400.0);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void test_positions_along_an_edge_stay_on_the_globe(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    sketch_add_node(&s, 179.9, 10.0);
    sketch_add_node(&s, -179.7, 12.0);
    sketch_add_edge(&s, 0, 1, 1000.0);
    sc_map *map = sketch_map(&s);
    const bool turned = sc_map_edges(map)[0].from == 1;
    static const double wanted[][2] = {{179.9, 10}, {180, 10.5}, {-179.9, 11}, {-179.7, 12}};
    static const double offsets[] = {0, 250, 500, 1000};
    for (int i = 0; i < 4; i++) {
        double x = 0;
        double y = 0;
        sc_map_edge_position(map, 0, turned ? 1000 - offsets[i] : offsets[i], &x, &y);
        CHECK_CLOSE(x, wanted[i][0], 1e-9);
        CHECK_CLOSE(y, wanted[i][1], 1e-9);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void check_snap(const sc_map *map, double x, double y)
{
    const sc_snap wanted = nearest_edge(map, x, y);
    sc_snap got = {0};
    CHECK_OK(sc_map_snap(map, x, y, HUGE_VAL, &got), NULL);
    assert_int_equal(got.edge, wanted.edge);
    CHECK_CLOSE(got.offset_m, wanted.offset_m, 1e-6);
    CHECK_CLOSE(got.distance_m, wanted.distance_m, 1e-6);
}

static void test_snapping_works_from_both_sides(void **state)
{
    (void)state;
    sketch s = street();
    sc_map *map = sketch_map(&s);
    static const double lon[] = {179.85, 179.95, -179.95, -179.85, 180.0, -180.0};
    static const double ends[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 2}, {1, 2}};
    for (int i = 0; i < 6; i++) {
        sc_snap snap = {0};
        CHECK_OK(sc_map_snap(map, lon[i], -16.5001, 100.0, &snap), NULL);
        const sc_edge edge = sc_map_edges(map)[snap.edge];
        if (i < 4) {
            assert_int_equal(edge.from + edge.to, ends[i][0] + ends[i][1]);
        } else {
            assert_true(edge.from == 2 || edge.to == 2);
        }
        CHECK_CLOSE(snap.distance_m, sc_geo_distance_m(0, -16.5, 0, -16.5001), 1e-3);
        check_snap(map, lon[i], -16.5001);
    }
    // Far from it, also at the rim of its grid, both neighbours of the 0th meridian.
    static const double far[] = {0.0, 1e-7, -1e-7, 89.9, -89.9, 90.1, -90.1, 179.0, -179.0};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        check_snap(map, far[i], 3.0);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void test_random_streets_near_the_meridian_are_snapped_to_as_by_a_look_at_all(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 18);
    for (uint64_t round = 0; round < 300; round++) {
        check_case(round);
        const double width = round % 3 == 0 ? 1e-5 : round % 3 == 1 ? 0.5 : 80.0;
        sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
        for (int v = 0; v < 12; v++) {
            const double x = 180.0 + width * (2 * sc_rng_unit(&rng) - 1);
            sketch_add_node(&s, x > 180.0 ? x - 360.0 : x, width * sc_rng_unit(&rng));
        }
        s.x[0] = 180.0 - width / 2;
        s.x[1] = -180.0 + width / 2;
        sketch_add_edge(&s, 0, 1, 1.0);
        for (int e = 0; e < 20; e++) {
            sketch_add_edge(&s, sc_rng_below(&rng, 12), sc_rng_below(&rng, 12), 1.0 + e);
        }
        sc_map *map = sketch_map(&s);
        for (int i = 0; i < 30; i++) {
            const double x = 180.0 + 2 * width * (2 * sc_rng_unit(&rng) - 1);
            check_snap(map, x > 180.0 ? x - 360.0 : x, width * sc_rng_unit(&rng));
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_objects_are_put_on_roads_beyond_the_meridian(void **state)
{
    (void)state;
    sketch s = street();
    sc_builder *builder = sketch_builder(&s);
    sc_category_id cafe = SC_NONE;
    CHECK_OK(sc_builder_add_category(builder, "cafe", 4, &cafe), NULL);
    CHECK_OK(sc_builder_add_object_at(builder, -179.85, -16.4999, cafe, "Ost", 3), NULL);
    CHECK_OK(sc_builder_add_object_at(builder, 179.85, -16.4999, cafe, "West", 4), NULL);
    sc_map *map = NULL;
    sc_build_report report = {0};
    CHECK_OK(sc_builder_finish(builder, 50.0, NULL, &map, &report, NULL), NULL);
    sc_builder_free(builder);
    assert_int_equal(report.objects_too_far, 0);
    assert_int_equal(sc_map_object_count(map), 2);
    for (sc_object_id i = 0; i < 2; i++) {
        const sc_object *object = &sc_map_objects(map)[i];
        double x = 0;
        double y = 0;
        sc_map_edge_position(map, object->edge, object->offset * sc_map_unit_m(map), &x, &y);
        CHECK_CLOSE(x, sc_map_object_name(map, i)[0] == 'O' ? -179.85 : 179.85, 1e-6);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void test_bounds_run_from_west_to_east(void **state)
{
    (void)state;
    sketch s = street();
    sc_map *map = sketch_map(&s);
    sc_map_info info;
    CHECK_OK(sc_map_describe(map, &info), NULL);
    CHECK_CLOSE(info.min_x, 179.8, 1e-9);
    CHECK_CLOSE(info.max_x, -179.8, 1e-9);
    CHECK_CLOSE(info.min_y, -16.5, 1e-9);
    CHECK_CLOSE(info.max_y, -16.4, 1e-9);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_file_keeps_them(void **state)
{
    (void)state;
    sketch s = street();
    sc_map *map = sketch_map(&s);
    scm_bytes file = scm_of(map);
    sc_map *opened = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_open_memory(file.data, file.size, "m.scm", &opened, &diag), &diag);
    CHECK_OK(sc_map_check(opened, &diag), &diag);
    CHECK_SAME(scm_header(&file)->origin_x, 180.0);
    for (sc_node_id v = 0; v < s.node_count; v++) {
        double x = 0;
        double y = 0;
        sc_map_node_position(opened, v, &x, &y);
        CHECK_CLOSE(x, s.x[v], 1e-12);
    }
    sc_map_free(opened);
    scm_free(&file);
    sc_map_free(map);
    sketch_free(&s);
}

// On the picture the street is one line from left to right.
static void test_the_picture_is_as_wide_as_the_streets(void **state)
{
    (void)state;
    sketch s = street();
    sc_map *map = sketch_map(&s);
    place p = place_new();
    sc_diag diag = {""};
    CHECK_OK(sc_map_export_svg(map, place_path(&p, "m.svg"), &diag), &diag);
    size_t size = 0;
    char *text = read_whole(place_path(&p, "m.svg"), &size);
    CHECK_CONTAINS(text, "600.0 ");  // the node on the meridian is in the middle
    free(text);
    place_free(&p);
    sc_map_free(map);
    sketch_free(&s);
}

// --- As GeoJSON ---------------------------------------------------------------------------------

/** The points of a line, one after the other, with a bar before each piece but the first. */
typedef struct drawn {
    char text[400];
    size_t size;
} drawn;

static void draw(void *context, double x, double y, bool begins)
{
    drawn *d = context;
    d->size += (size_t)snprintf(d->text + d->size, sizeof d->text - d->size, "%s%.2f,%.2f",
                                d->size == 0 ? ""
                                : begins     ? " | "
                                             : " ",
                                x, y);
}

// A road through these points is drawn like that, and has so many pieces.
static void check_pieces(const double (*points)[2], uint32_t count, const char *wanted,
                         size_t pieces)
{
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    for (uint32_t i = 0; i < count; i++) {
        sketch_add_node(&s, points[i][0], points[i][1]);
        if (i > 0) sketch_add_edge(&s, i - 1, i, SC_LENGTH_FROM_NODES);
    }
    // A road across somewhere else, so that the map's grid is one for such roads.
    sketch_add_node(&s, 179.5, 40.0);
    sketch_add_node(&s, -179.5, 40.0);
    sketch_add_edge(&s, count, count + 1, SC_LENGTH_FROM_NODES);
    sc_map *map = sketch_map(&s);
    drawn d = {.size = 0};
    const sc_seg_id segment = sc_map_edges(map)[0].segment;
    const bool is_ours = sc_map_edges(map)[0].from <= count && s.y[sc_map_edges(map)[0].from] < 40;
    const sc_seg_id ours = is_ours ? segment : 1 - segment;
    assert_int_equal(sc_map_segment_count(map), 2);
    assert_int_equal(sc_map_line_pieces(map, ours, draw, &d), pieces);
    assert_int_equal(sc_map_line_pieces(map, ours, NULL, NULL), pieces);
    assert_string_equal(d.text, wanted);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_lines_are_cut_where_they_cross_the_meridian(void **state)
{
    (void)state;
    static const double eastwards[][2] = {{179.8, 10}, {179.9, 10}, {-179.9, 12}, {-179.8, 12}};
    check_pieces(eastwards, 4,
                 "179.80,10.00 179.90,10.00 180.00,11.00 | "
                 "-180.00,11.00 -179.90,12.00 -179.80,12.00",
                 2);
    static const double there_and_back[][2] = {{-179.9, 1}, {179.7, 5}, {-179.9, 9}};
    check_pieces(there_and_back, 3,
                 "-179.90,1.00 -180.00,2.00 | 180.00,2.00 179.70,5.00 "
                 "180.00,8.00 | -180.00,8.00 -179.90,9.00",
                 3);
    static const double by_a_node[][2] = {{179.9, 1}, {180, 2}, {-180, 3}, {-179.9, 4}};
    check_pieces(by_a_node, 4,
                 "179.90,1.00 180.00,2.00 180.00,3.00 | "
                 "-180.00,3.00 -179.90,4.00",
                 2);
}

static void test_lines_that_end_at_the_meridian_or_run_along_it_are_whole(void **state)
{
    (void)state;
    static const double from_west[][2] = {{179.9, 1}, {180, 2}};
    check_pieces(from_west, 2, "179.90,1.00 180.00,2.00", 1);
    static const double from_east[][2] = {{180, 2}, {180, 3}, {-179.9, 3}, {180, 4}};
    check_pieces(from_east, 4, "-180.00,2.00 -180.00,3.00 -179.90,3.00 -180.00,4.00", 1);
    static const double along[][2] = {{180, 2}, {-180, 3}};
    check_pieces(along, 2, "180.00,2.00 180.00,3.00", 1);
}

static void test_geojson_has_cut_lines_as_several(void **state)
{
    (void)state;
    sketch s = street();
    sc_map *map = sketch_map(&s);
    place p = place_new();
    sc_diag diag = {""};
    CHECK_OK(sc_map_export_geojson(map, place_path(&p, "m.geojson"), &diag), &diag);
    size_t size = 0;
    char *text = read_whole(place_path(&p, "m.geojson"), &size);
    CHECK_CONTAINS(text, "{\"type\":\"MultiLineString\",\"coordinates\":[["
                         "[179.9000000,-16.5000000],[180.0000000,-16.5000000]],["
                         "[-180.0000000,-16.5000000],[-179.9000000,-16.5000000],"
                         "[-179.8000000,-16.5000000]]]}");
    CHECK_CONTAINS(text, "{\"type\":\"LineString\",\"coordinates\":["
                         "[179.9000000,-16.5000000],[179.8000000,-16.5000000]]}");
    free(text);
    place_free(&p);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_roads_across_both_meridians_are_refused_with_one_of_them(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
        sketch_add_node(&s, 179.9, -16.5);
        sketch_add_node(&s, -179.9, -16.5);
        sketch_add_node(&s, -0.1, 51.5);
        sketch_add_node(&s, 0.1, 51.5);
        sketch_add_edge(&s, first ? 2 : 0, first ? 3 : 1, 100);
        sketch_add_edge(&s, first ? 0 : 2, first ? 1 : 3, 100);
        sc_builder *builder = sketch_builder(&s);
        sc_map *map = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(sc_builder_finish(builder, 0, NULL, &map, NULL, &diag), SC_EINVAL, &diag,
                      "the road from -0.1000000,51.5000000 to 0.1000000,51.5000000 crosses the "
                      "0th meridian and others cross the 180th");
        assert_null(map);
        sc_builder_free(builder);
        sketch_free(&s);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nodes_are_where_they_were_put),
    cmocka_unit_test(test_minus_180_is_180),
    cmocka_unit_test(test_positions_along_an_edge_stay_on_the_globe),
    cmocka_unit_test(test_snapping_works_from_both_sides),
    SC_CASES(test_random_streets_near_the_meridian_are_snapped_to_as_by_a_look_at_all),
    cmocka_unit_test(test_objects_are_put_on_roads_beyond_the_meridian),
    cmocka_unit_test(test_bounds_run_from_west_to_east),
    cmocka_unit_test(test_a_file_keeps_them),
    cmocka_unit_test(test_the_picture_is_as_wide_as_the_streets),
    cmocka_unit_test(test_lines_are_cut_where_they_cross_the_meridian),
    cmocka_unit_test(test_lines_that_end_at_the_meridian_or_run_along_it_are_whole),
    cmocka_unit_test(test_geojson_has_cut_lines_as_several),
    cmocka_unit_test(test_roads_across_both_meridians_are_refused_with_one_of_them),
};
SC_SUITE(tests)
