// Objects from a CSV file on any map: where they land, and what is said about
// bad files, word by word.
#include "import/import_internal.h"

#include <starcloak/map_import.h>

#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include <math.h>
#include <stdio.h>

// A straight road along the equator, from longitude 0 to 0.1, or along y = 0.
static sc_builder *one_road(sc_coords coords)
{
    sc_builder *builder = NULL;
    assert_int_equal(sc_builder_new(coords, &builder), SC_OK);
    const double end = coords == SC_COORDS_PLANAR ? 1000.0 : 0.1;
    for (int i = 0; i < 2; i++) {
        sc_node_id node = 0;
        assert_int_equal(sc_builder_add_node(builder, i * end, 0.0, &node), SC_OK);
    }
    const double length = coords == SC_COORDS_NONE ? 1000.0 : SC_LENGTH_FROM_NODES;
    assert_int_equal(sc_builder_add_edge(builder, 0, 1, length, SC_ROAD_LOCAL, NULL), SC_OK);
    return builder;
}

static sc_err load(sc_builder *builder, const char *text, size_t size, sc_diag *diag)
{
    uint8_t *copy = test_take(size, 1);
    memcpy(copy, text, size);
    const sc_input input = {"shops.csv", copy, size};
    sc_import_report report = {0};
    const sc_err err = sc__load_objects(&input, builder, &report, diag);
    free(copy);
    return err;
}

static sc_map *map_with(sc_coords coords, const char *text)
{
    sc_builder *builder = one_road(coords);
    sc_diag diag = {""};
    CHECK_OK(load(builder, text, strlen(text), &diag), &diag);
    return finish_builder(builder);
}

static void check_object(const sc_map *map, sc_object_id i, double offset, const char *category,
                         const char *name)
{
    const sc_object *object = &sc_map_objects(map)[i];
    CHECK_CLOSE(object->offset * sc_map_unit_m(map), offset, 0.001);
    assert_string_equal(sc_map_category_name(map, object->category), category);
    assert_string_equal(sc_map_object_name(map, i), name);
}

// --- Good files ------------------------------------------------------------------------

static void test_objects_snap_to_the_nearest_point_of_a_road(void **state)
{
    (void)state;
    sc_map *map = map_with(SC_COORDS_PLANAR, "250,30,fuel,Shell\n-5,0,school\n750,-10,fuel,\n");
    assert_int_equal(sc_map_object_count(map), 3);
    assert_int_equal(sc_map_category_count(map), 2);
    check_object(map, 0, 0.0, "school", "");
    check_object(map, 1, 250.0, "fuel", "Shell");
    check_object(map, 2, 750.0, "fuel", "");
    sc_map_free(map);

    map = map_with(SC_COORDS_GEOGRAPHIC, "0.05,0.001,fuel\n");
    check_object(map, 0, sc_map_edge_length_m(map, 0) / 2.0, "fuel", "");
    sc_map_free(map);
}

static void test_a_header_may_name_the_columns_in_any_order_and_case(void **state)
{
    (void)state;
    static const char *const same[] = {
        "lon,lat,category,name\n250,0,fuel,Shell\n",
        "name,category,lat,lon\nShell,fuel,0,250\n",
        "osm_id,Longitude,LATITUDE,Category,brand,Name\n7,250,0,fuel,x,Shell\n",
        "\n\nx,y,cat_name,name\n\n250,0,fuel,Shell",
        "\xef\xbb\xbflong,lat,cat_id,name\r\n250,0,fuel,Shell\r\n",
        "\"lon\",\"lat\",\"category\",\"name\"\n\"250\",\"0\",\"fuel\",\"Shell\"\n",
        " lon , lat , category , name \n 250 ,\t0, fuel , Shell \n",
        "250,0,fuel,Shell\n",
        "2.5e2,-0,fuel,Shell",
        "lon,lat,category,name\n  \n250,0,fuel,Shell\n\t\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        check_case(i);
        sc_map *map = map_with(SC_COORDS_PLANAR, same[i]);
        assert_int_equal(sc_map_object_count(map), 1);
        check_object(map, 0, 250.0, "fuel", "Shell");
        sc_map_free(map);
    }
    check_case_done();
}

static void test_a_header_without_lines_is_a_file_without_objects(void **state)
{
    (void)state;
    sc_map *map = map_with(SC_COORDS_PLANAR, "lon,lat,category\n");
    assert_int_equal(sc_map_object_count(map), 0);
    sc_map_free(map);
}

static void test_a_first_line_that_begins_with_a_position_is_no_header(void **state)
{
    (void)state;
    sc_map *map = map_with(SC_COORDS_PLANAR, "250,0,name\n");
    check_object(map, 0, 250.0, "name", "");
    sc_map_free(map);
}

static void test_quotes_protect_commas_quotes_and_empty_texts(void **state)
{
    (void)state;
    sc_map *map = map_with(SC_COORDS_PLANAR, "10,0,\"a, b\",\"say \"\"hi\"\"\"\n"
                                             "20,0,c,\"\"\n"
                                             "30,0,c,\"x\"\n"
                                             "40,0,c,5\" pipe\n");
    check_object(map, 0, 10.0, "a, b", "say \"hi\"");
    check_object(map, 1, 20.0, "c", "");
    check_object(map, 2, 30.0, "c", "x");
    check_object(map, 3, 40.0, "c", "5\" pipe");
    sc_map_free(map);
}

static void test_bytes_that_are_not_utf8_are_replaced(void **state)
{
    (void)state;
    static const char text[] = "10,0,caf\xe9,na\0me\n20,0,caf\xc3\xa9,\n";
    sc_builder *builder = one_road(SC_COORDS_PLANAR);
    sc_diag diag = {""};
    CHECK_OK(load(builder, text, sizeof text - 1, &diag), &diag);
    sc_map *map = finish_builder(builder);
    check_object(map, 0, 10.0, "caf\xef\xbf\xbd", "na\xef\xbf\xbdme");
    check_object(map, 1, 20.0, "caf\xc3\xa9", "");
    sc_map_free(map);
}

static void test_an_import_adds_objects_and_counts_those_too_far_from_any_road(void **state)
{
    (void)state;
    const char *paths[] = {SC_TEST_DATA "/cnode/town.cnode", SC_TEST_DATA "/cnode/town.cedge"};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.objects = SC_TEST_DATA "/objects/town.csv";
    sc_map *map = NULL;
    sc_import_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 2}, &options, &map, &report,
                           &diag),
             &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    assert_int_equal(sc_map_object_count(map), 3);
    assert_int_equal(report.objects_too_far, 1);
    assert_int_equal(sc_map_category_count(map), 2);
    sc_map_free(map);

    // With no limit all of them land somewhere; with none allowed, none does.
    options.max_object_snap_m = HUGE_VAL;
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 2}, &options, &map, &report,
                           &diag),
             &diag);
    assert_int_equal(sc_map_object_count(map), 4);
    assert_int_equal(report.objects_too_far, 0);
    sc_map_free(map);
    options.max_object_snap_m = 0.0;
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 2}, &options, &map, &report,
                           &diag),
             &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    assert_int_equal(sc_map_object_count(map), 0);
    assert_int_equal(sc_map_category_count(map), 0);
    assert_int_equal(report.objects_too_far, 4);
    sc_map_free(map);
}

static void test_objects_whose_position_is_left_empty_are_counted_and_left_out(void **state)
{
    (void)state;
    const place p = place_new();
    static const char text[] = "cat_name,long,lat\nfuel,,\nfuel,8.2005,53.1401\nbar, , \n";
    const char *paths[] = {SC_TEST_DATA "/cnode/town.cnode", SC_TEST_DATA "/cnode/town.cedge"};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.objects = place_write(&p, "shops.csv", text, strlen(text));
    sc_map *map = NULL;
    sc_import_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 2}, &options, &map, &report,
                           &diag),
             &diag);
    assert_int_equal(sc_map_object_count(map), 1);
    assert_int_equal(report.objects_without_place, 2);
    sc_map_free(map);
    place_free(&p);
}

// --- Bad files ---------------------------------------------------------------------------

static void check_refused(sc_coords coords, const char *text, sc_err wanted, const char *message)
{
    sc_builder *builder = one_road(coords);
    sc_diag diag = {""};
    const sc_err err = load(builder, text, strlen(text), &diag);
    if (err != wanted || strcmp(diag.message, message) != 0) {
        fail_msg("for %s\n  got  %d %s\n  want %d %s", text, (int)err, diag.message, (int)wanted,
                 message);
    }
    sc_builder_free(builder);
}

static void test_bad_files_are_refused_with_line_field_and_value(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"", "shops.csv: the file has no lines lon,lat,category[,name]"},
        {"\n \r\n", "shops.csv: the file has no lines lon,lat,category[,name]"},
        {"1,2\n",
         "shops.csv:1: field 'category' is missing; a line has the form lon,lat,category[,name]"},
        {"1\n", "shops.csv:1: field 'lat' is missing; a line has the form lon,lat,category[,name]"},
        {"1 2 bar\n", "shops.csv:1: field 'lon' is not a number: '1 2 bar'"},
        {"1;2;bar\n", "shops.csv:1: field 'lon' is not a number: '1;2;bar'"},
        {"1,2,\n", "shops.csv:1: field 'category' is empty"},
        {"1,2,\"\",x\n", "shops.csv:1: field 'category' is empty"},
        {"1,2,bar,Joe,Ann\n",
         "shops.csv:1: one field too many: 'Ann'; put a name with a comma in double quotes"},
        {"lon,lat,category\n1,2,bar,Joe\n",
         "shops.csv:2: one field too many: 'Joe'; put a name with a comma in double quotes"},
        {"east,2,bar\n", "shops.csv:1: field 'lon' is not a number: 'east'"},
        {"1,nan,bar\n", "shops.csv:1: field 'lat' is not a number: 'nan'"},
        {"-inf,2,bar\n", "shops.csv:1: field 'lon' is not a number: '-inf'"},
        {",2,bar\n", "shops.csv:1: field 'lon' is not a number: ''"},
        {"1,,bar\n", "shops.csv:1: field 'lat' is not a number: ''"},
        {"1,2,bar\nlon,lat,category\n", "shops.csv:2: field 'lon' is not a number: 'lon'"},
        {"1,2,bar\n\n180.5,2,bar\n", "shops.csv:3: field 'lon' is outside -180..180: 180.5"},
        {"1,-90.5,bar\n", "shops.csv:1: field 'lat' is outside -90..90: -90.5"},
        {"1,2,\"bar\n", "shops.csv:1: field 3 begins with a quote and does not end with one"},
        {"1,2,\"bar\"s,x\n", "shops.csv:1: field 3 begins with a quote and does not end with one"},
        {"1,2,\"bar\"\"\n", "shops.csv:1: field 3 begins with a quote and does not end with one"},
        {"lon,category\n", "shops.csv:1: the header has no column 'lat'"},
        {"name,lon,lat\n", "shops.csv:1: the header has no column 'category'"},
        {"category,lat\n", "shops.csv:1: the header has no column 'lon'"},
        {",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n",
         "shops.csv:1: more than 64 fields"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_refused(SC_COORDS_GEOGRAPHIC, bad[i].text, SC_EPARSE, bad[i].message);
    }
    check_refused(SC_COORDS_PLANAR, "500,2e12,bar\n", SC_EPARSE,
                  "shops.csv:1: field 'lat' is outside -1e+08..1e+08: 2e+12");
    check_refused(SC_COORDS_NONE, "1,2,bar\n", SC_EINVAL,
                  "shops.csv: the map has no coordinates, so objects cannot be placed on it");
}

// --- Real objects ------------------------------------------------------------------------

static void test_the_loose_points_of_california_snap_to_its_roads(void **state)
{
    (void)state;
    char nodes[1024];
    char edges[1024];
    char points[1024];
    if (!data_path("california/cal.cnode.xz", nodes, sizeof nodes) ||
        !data_path("california/cal.cedge.xz", edges, sizeof edges) ||
        !data_path("california/poi-points-by-name.csv.xz", points, sizeof points)) {
        skip();
    }
    const char *paths[] = {nodes, edges};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.objects = points;
    options.max_object_snap_m = HUGE_VAL;
    sc_map *map = NULL;
    sc_import_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 2}, &options, &map, &report,
                           &diag),
             &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    // Of 103,883 lines 19 have no position.
    assert_int_equal(sc_map_object_count(map), 103864);
    assert_int_equal(report.objects_without_place, 19);
    assert_int_equal(sc_map_category_count(map), 63);
    assert_int_equal(report.objects_too_far, 0);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_objects_snap_to_the_nearest_point_of_a_road),
    SC_CASES(test_a_header_may_name_the_columns_in_any_order_and_case),
    cmocka_unit_test(test_a_header_without_lines_is_a_file_without_objects),
    cmocka_unit_test(test_a_first_line_that_begins_with_a_position_is_no_header),
    cmocka_unit_test(test_quotes_protect_commas_quotes_and_empty_texts),
    cmocka_unit_test(test_bytes_that_are_not_utf8_are_replaced),
    cmocka_unit_test(test_an_import_adds_objects_and_counts_those_too_far_from_any_road),
    cmocka_unit_test(test_objects_whose_position_is_left_empty_are_counted_and_left_out),
    cmocka_unit_test(test_bad_files_are_refused_with_line_field_and_value),
    cmocka_unit_test(test_the_loose_points_of_california_snap_to_its_roads),
};
SC_SUITE(tests)
