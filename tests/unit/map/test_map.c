// What a map lends: names, sizes, measures, positions.
#include "support/check.h"
#include "support/sketch.h"

static void test_every_road_class_has_a_name_and_others_are_unknown(void **state)
{
    (void)state;
    assert_string_equal(sc_road_class_name(SC_ROAD_MOTORWAY), "motorway");
    assert_string_equal(sc_road_class_name(SC_ROAD_UNKNOWN), "unknown");
    for (unsigned i = 0; i < SC_ROAD_CLASS_COUNT; i++) {
        for (unsigned j = 0; j < i; j++) {
            assert_string_not_equal(sc_road_class_name(i), sc_road_class_name(j));
        }
    }
    assert_string_equal(sc_road_class_name(SC_ROAD_CLASS_COUNT), "unknown");
    assert_string_equal(sc_road_class_name(255), "unknown");
}

static void test_categories_are_found_by_their_names(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    assert_int_equal(sc_map_category_count(map), 2);
    for (sc_category_id i = 0; i < 2; i++) {
        assert_int_equal(sc_map_category_find(map, sc_map_category_name(map, i)), i);
    }
    assert_int_equal(sc_map_category_find(map, "scho"), SC_NONE);
    assert_int_equal(sc_map_category_find(map, ""), SC_NONE);
    sc_map_free(map);
    sc_map_free(NULL);
}

static void test_a_map_without_objects_has_none_on_any_segment(void **state)
{
    (void)state;
    sketch s = sketch_named("theta");
    sc_map *map = sketch_map(&s);
    assert_int_equal(sc_map_object_count(map), 0);
    assert_int_equal(sc_map_category_find(map, "cafe"), SC_NONE);
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        sc_object_id first = 7;
        sc_object_id last = 8;
        sc_map_segment_objects(map, i, &first, &last);
        assert_int_equal(first, last);
    }
    sc_map_free(map);
    sketch_free(&s);
}

//  A------B     a point a third of the way along
static void test_a_point_along_an_edge_is_on_the_straight_line(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_PLANAR);
    sketch_add_node(&s, 10, 20);
    sketch_add_node(&s, 40, 80);
    sketch_add_edge(&s, 0, 1, 90.0);
    sketch_add_edge(&s, 0, 0, 0.0);
    sc_map *map = sketch_map(&s);
    for (sc_edge_id e = 0; e < 2; e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        double x = 0;
        double y = 0;
        sc_map_edge_position(map, e, edge->from == 0 ? 30.0 : 60.0, &x, &y);
        // An edge without length has one point only.
        CHECK_CLOSE(x, edge->length > 0 ? 20.0 : 10.0, 1e-9);
        CHECK_CLOSE(y, edge->length > 0 ? 40.0 : 20.0, 1e-9);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_road_class_has_a_name_and_others_are_unknown),
    cmocka_unit_test(test_categories_are_found_by_their_names),
    cmocka_unit_test(test_a_map_without_objects_has_none_on_any_segment),
    cmocka_unit_test(test_a_point_along_an_edge_is_on_the_straight_line),
};
SC_SUITE(tests)
