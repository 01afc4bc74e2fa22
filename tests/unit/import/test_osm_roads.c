// Which nodes and edges the OpenStreetMap reader makes of ways.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/osm_read.h"
#include "support/osm_town.h"

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
