// Sorting by id, finding nodes among those that ways name, and the middle of a
// closed way: each beside a slow and simple version.
#include "support/check.h"
#include "support/osm_read.h"
#include "support/osm_town.h"

#include "base/rng.h"
#include "import/osm_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// --- Sorting ---------------------------------------------------------------

static int compare_keyed(const void *left, const void *right)
{
    const sc__osm_keyed *a = left;
    const sc__osm_keyed *b = right;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void test_sorting_agrees_with_qsort_and_keeps_the_order_of_equals(void **state)
{
    (void)state;
    enum { MOST = 600 };
    // Ids of few bits repeat often; those of 64 bits have either sign.
    static const unsigned shifts[] = {0, 20, 30, 56, 62};
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    for (size_t round = 0; round < 200; round++) {
        sc__osm_keyed items[MOST];
        sc__osm_keyed expected[MOST] = {{0}};
        const size_t count = sc_rng_below(&rng, MOST);
        for (size_t i = 0; i < count; i++) {
            items[i].id = (int64_t)sc_rng_next(&rng) >> shifts[round % 5];
            items[i].index = i;
            expected[i] = items[i];
        }
        qsort(expected, count, sizeof expected[0], compare_keyed);
        assert_int_equal(sc__osm_sort(items, count), SC_OK);
        assert_memory_equal(items, expected, count * sizeof items[0]);
    }
}

static void test_extreme_ids_are_in_order(void **state)
{
    (void)state;
    sc__osm_keyed items[] = {{INT64_MAX, 0}, {0, 1}, {INT64_MIN, 2}, {-1, 3}, {1, 4}};
    static const uint64_t expected[] = {2, 3, 1, 4, 0};
    assert_int_equal(sc__osm_sort(items, 5), SC_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(items[i].index, expected[i]);
    }
}

// --- Nodes -----------------------------------------------------------------

static void test_nodes_are_found_in_whatever_order_they_come(void **state)
{
    (void)state;
    const size_t node_count = 120;
    enum { REFS = 40 };
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    for (size_t round = 0; round < 100; round++) {
        sc_import_report report = {0};
        sc_diag diag = {""};
        const sc_input input = {"in.osm", (const uint8_t *)"<", 1};
        const sc_load load = {&input, 1, &SC_IMPORT_DEFAULTS, &report, &diag};
        sc__osm osm = {.load = &load, .filter.all = true};
        sc__osm_road_tags road = {.given = 0};
        const sc__osm_tags tags = {.highway = {"road", 4}, .road = &road};
        int64_t refs[REFS];
        for (size_t i = 0; i < REFS; i++) {
            refs[i] = (int64_t)sc_rng_below(&rng, (uint32_t)node_count) - 30;
        }
        assert_int_equal(sc__osm_add_way(&osm, (sc__osm_place){0}, 1, refs, REFS, &tags), SC_OK);
        assert_int_equal(sc__osm_resolve(&osm), SC_OK);

        // Every node is told, some twice; each is where its id says.
        for (size_t i = 0; i < 3 * node_count; i++) {
            const int64_t id = round % 2 ? (int64_t)sc_rng_below(&rng, (uint32_t)node_count) - 30
                                         : (int64_t)(i % node_count) - 30;
            const sc__osm_point point = {(int32_t)id * 10, (int32_t)-id};
            assert_int_equal(sc__osm_place_node(&osm, (sc__osm_place){0}, id, point), SC_OK);
        }
        for (size_t i = 0; i < REFS; i++) {
            const size_t index = (size_t)osm.roads.refs[i];
            assert_true(osm.roads.ids[index] == refs[i]);
            assert_true(index == 0 || osm.roads.ids[index - 1] < refs[i]);
            const sc__osm_point point = osm.roads.points[index];
            if (round % 2 == 0 || point.x != SC__OSM_NO_POINT) {
                assert_true(point.x == refs[i] * 10 && point.y == -refs[i]);
            }
        }
        sc__osm_fini(&osm);
    }
}

// --- Middles ---------------------------------------------------------------

static void assert_middle(const sc__osm_point *points, size_t count, double x, double y)
{
    double got_x = 0;
    double got_y = 0;
    assert_true(sc__osm_ring_middle(points, count, &got_x, &got_y));
    if (!(fabs(got_x - x) < 1e-9 && fabs(got_y - y) < 1e-9)) {
        fail_msg("got %.9f,%.9f instead of %.9f,%.9f", got_x, got_y, x, y);
    }
}

static void test_the_middle_of_a_ring_is_the_centroid_of_its_area(void **state)
{
    (void)state;
    const int32_t unit = 10000000;
    assert_middle((sc__osm_point[]){{0, 0}, {2 * unit, 0}, {2 * unit, unit}, {0, unit}}, 4, 1, 0.5);
    assert_middle((sc__osm_point[]){{0, 0}, {0, 3 * unit}, {3 * unit, 0}}, 3, 1, 1);
    // Corners crowded on one side do not draw it there, as a mean of them would.
    assert_middle(
        (sc__osm_point[]){
            {0, 0}, {unit / 4, 0}, {unit / 2, 0}, {2 * unit, 0}, {2 * unit, unit}, {0, unit}},
        6, 1, 0.5);
    // An L of three squares, beside 180 degrees east.
    const int32_t east = 179 * unit;
    assert_middle((sc__osm_point[]){{east, 0},
                                    {east + unit, 0},
                                    {east + unit, unit / 2},
                                    {east + unit / 2, unit / 2},
                                    {east + unit / 2, unit},
                                    {east, unit}},
                  6, 179 + 5.0 / 12, 5.0 / 12);
}

static void test_rings_without_an_area_have_the_mean_of_their_corners(void **state)
{
    (void)state;
    const int32_t unit = 10000000;
    assert_middle((sc__osm_point[]){{unit, unit}}, 1, 1, 1);
    assert_middle((sc__osm_point[]){{0, 0}, {3 * unit, 3 * unit}}, 2, 1.5, 1.5);
    assert_middle((sc__osm_point[]){{0, 0}, {unit, 0}, {2 * unit, 0}}, 3, 1, 0);
    // A bow tie whose halves almost cancel: its centroid would be far away.
    assert_middle((sc__osm_point[]){{0, 0}, {unit, unit}, {unit, 0}, {0, unit + 1}}, 4, 0.5,
                  0.5 + 0.25e-7);
}

static void test_missing_corners_are_passed_over(void **state)
{
    (void)state;
    const int32_t unit = 10000000;
    const sc__osm_point gone = {SC__OSM_NO_POINT, 0};
    assert_middle((sc__osm_point[]){gone, {0, 0}, {0, 3 * unit}, gone, {3 * unit, 0}, gone}, 6, 1,
                  1);
    double x = 0;
    double y = 0;
    assert_false(sc__osm_ring_middle((sc__osm_point[]){gone, gone, gone}, 3, &x, &y));
    assert_false(sc__osm_ring_middle(NULL, 0, &x, &y));
}

// ------------------------------------------------------------------------------------------------
// Which nodes and edges the OpenStreetMap reader makes of ways.

static void test_nodes_are_those_on_roads_in_ascending_order_of_id(void **state)
{
    (void)state;
    osm_result result = osm_read_good("<osm>"
                                      "<way id='1'><nd ref='9000000000000000000'/><nd ref='-3'/>"
                                      "<nd ref='8'/><tag k='highway' v='road'/></way>"
                                      "<node id='9000000000000000000' lat='1' lon='2'/>"
                                      "<node id='7' lat='3' lon='4'/>"
                                      "<node id='-3' lat='1.5' lon='2.5'/>"
                                      "<node id='8' lat='-90' lon='2'/>"
                                      "</osm>",
                                      NULL);
    static const double expected[][2] = {{2.5, 1.5}, {2, -90}, {2, 1}};
    assert_int_equal(sc_map_node_count(result.map), 3);
    for (sc_node_id i = 0; i < 3; i++) {
        double x = 0;
        double y = 0;
        sc_map_node_position(result.map, i, &x, &y);
        assert_true(fabs(x - expected[i][0]) < 1e-9 && fabs(y - expected[i][1]) < 1e-9);
    }
    osm_free(&result);
}

static void test_edges_have_the_length_on_the_ground_and_the_class_of_their_way(void **state)
{
    (void)state;
    osm_result result = osm_read_good(osm_town_xml, NULL);
    unsigned services = 0;
    for (sc_edge_id i = 0; i < sc_map_edge_count(result.map); i++) {
        const double length_m = sc_map_edge_length_m(result.map, i);
        if (sc_map_edge_classes(result.map)[i] == SC_ROAD_SERVICE) {
            // A thousandth of a degree of latitude on a sphere of 6371008.8 m.
            assert_true(fabs(length_m - 111.195) < 0.01);
            services++;
        } else {
            assert_int_equal(sc_map_edge_classes(result.map)[i], SC_ROAD_LOCAL);
            assert_true(fabs(length_m - 111.195 * cos(43.64 * 3.14159265358979 / 180)) < 0.01);
        }
    }
    assert_int_equal(services, 1);
    osm_free(&result);
}

static void test_the_filter_decides_which_ways_are_roads(void **state)
{
    (void)state;
    static const struct {
        const char *ways;
        uint32_t edge_count;
        uint64_t left_out;
    } cases[] = {
        {"drivable", 3, 1}, {"all", 4, 0},
        {"walk", 4, 0},     {"bike", 3, 1},
        {"service", 1, 2},  {" footway , service ", 2, 1},
        {"footway", 1, 2},  {"drivable,footway", 4, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        osm_result result = osm_read_good(osm_town_xml, cases[i].ways);
        assert_int_equal(sc_map_edge_count(result.map), cases[i].edge_count);
        assert_int_equal(result.report.ways_left_out, cases[i].left_out);
        osm_free(&result);
    }
}

static void test_a_node_twice_in_a_row_is_taken_once_and_counted(void **state)
{
    (void)state;
    osm_result result =
        osm_read_good("<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='2'/>"
                      "<way id='1'><nd ref='1'/><nd ref='1'/><nd ref='2'/><nd ref='2'/>"
                      "<nd ref='2'/><nd ref='1'/><tag k='highway' v='road'/></way></osm>",
                      NULL);
    assert_int_equal(sc_map_edge_count(result.map), 2);
    assert_int_equal(result.report.repeated_nodes, 3);
    osm_free(&result);
}

static void test_different_nodes_at_one_place_make_an_edge_without_length(void **state)
{
    (void)state;
    osm_result result =
        osm_read_good("<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='1'/>"
                      "<way id='1'><nd ref='1'/><nd ref='2'/>"
                      "<tag k='highway' v='road'/></way></osm>",
                      NULL);
    assert_int_equal(sc_map_edge_count(result.map), 1);
    assert_int_equal(sc_map_edges(result.map)[0].length, 0);
    osm_free(&result);
}

static void test_a_road_of_one_node_adds_nothing(void **state)
{
    (void)state;
    osm_result result =
        osm_read_good("<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='2'/>"
                      "<node id='3' lat='1' lon='3'/>"
                      "<way id='1'><nd ref='3'/><tag k='highway' v='road'/></way>"
                      "<way id='2'><tag k='highway' v='road'/></way>"
                      "<way id='3'><nd ref='1'/><nd ref='2'/>"
                      "<tag k='highway' v='road'/></way></osm>",
                      NULL);
    assert_int_equal(sc_map_node_count(result.map), 2);
    assert_int_equal(sc_map_edge_count(result.map), 1);
    osm_free(&result);
}

static void test_missing_nodes_break_the_road_where_the_user_allows_it(void **state)
{
    (void)state;
    // Nodes 3 and 6 are missing: 1-2, then 4-5; 7 stands alone and is left out.
    static const char xml[] =
        "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='2'/>"
        "<node id='4' lat='1' lon='4'/><node id='5' lat='1' lon='5'/><node id='7' lat='1' lon='7'/>"
        "<way id='1'><nd ref='1'/><nd ref='2'/><nd ref='3'/><nd ref='4'/><nd ref='5'/><nd ref='6'/>"
        "<nd ref='7'/><nd ref='3'/><tag k='highway' v='road'/></way></osm>";
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.skip_missing_nodes = true;
    osm_result result =
        osm_read(&(sc_input){"in.osm", (const uint8_t *)xml, strlen(xml)}, 1, &options);
    osm_assert_good(&result);
    assert_int_equal(sc_map_node_count(result.map), 4);
    assert_int_equal(sc_map_edge_count(result.map), 2);
    assert_int_equal(result.report.missing_nodes, 3);
    osm_free(&result);
}

static void test_deleted_elements_are_as_if_they_were_not_there(void **state)
{
    (void)state;
    osm_result result = osm_read_good(
        "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='2'/>"
        "<node id='2' action='delete' lat='1' lon='3'><tag k='shop' v='yes'/></node>"
        "<node id='3' visible='false'/>"
        "<way id='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='road'/></way>"
        "<way id='2' action='delete'><nd ref='1'/><nd ref='9'/><tag k='highway' v='road'/></way>"
        "<way id='3' visible='false'><nd ref='2'/><nd ref='8'/><tag k='highway' v='road'/></way>"
        "</osm>",
        NULL);
    assert_int_equal(sc_map_edge_count(result.map), 1);
    assert_int_equal(sc_map_object_count(result.map), 0);
    osm_free(&result);
}

static void test_only_what_stands_in_an_element_belongs_to_it(void **state)
{
    (void)state;
    // Strange elements, at any depth, bring nothing in.
    osm_result result = osm_read_good(
        "<osm><node id='1' lat='1' lon='1'><x><tag k='shop' v='no shop'/></x></node>"
        "<node id='2' lat='1' lon='2'><nd ref='5'/></node>"
        "<way id='1'><nd ref='1'/><x><nd ref='7'/><tag k='highway' v='path'/></x><nd ref='2'/>"
        "<tag k='highway' v='road'/></way>"
        "<x><way id='2'><nd ref='1'/><nd ref='9'/><tag k='highway' v='road'/></way>"
        "<node id='x'/></x></osm>",
        NULL);
    assert_int_equal(sc_map_edge_count(result.map), 1);
    assert_int_equal(sc_map_object_count(result.map), 0);
    osm_free(&result);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sorting_agrees_with_qsort_and_keeps_the_order_of_equals),
    cmocka_unit_test(test_extreme_ids_are_in_order),
    cmocka_unit_test(test_nodes_are_found_in_whatever_order_they_come),
    cmocka_unit_test(test_the_middle_of_a_ring_is_the_centroid_of_its_area),
    cmocka_unit_test(test_rings_without_an_area_have_the_mean_of_their_corners),
    cmocka_unit_test(test_missing_corners_are_passed_over),
    cmocka_unit_test(test_nodes_are_those_on_roads_in_ascending_order_of_id),
    cmocka_unit_test(test_edges_have_the_length_on_the_ground_and_the_class_of_their_way),
    cmocka_unit_test(test_the_filter_decides_which_ways_are_roads),
    cmocka_unit_test(test_a_node_twice_in_a_row_is_taken_once_and_counted),
    cmocka_unit_test(test_different_nodes_at_one_place_make_an_edge_without_length),
    cmocka_unit_test(test_a_road_of_one_node_adds_nothing),
    cmocka_unit_test(test_missing_nodes_break_the_road_where_the_user_allows_it),
    cmocka_unit_test(test_deleted_elements_are_as_if_they_were_not_there),
    cmocka_unit_test(test_only_what_stands_in_an_element_belongs_to_it),
};
SC_SUITE(tests)
