// What the table of a shapefile says of its roads: directions, speeds, names and classes, under the
// names that Geofabrik and TIGER give to their fields, and under those that a user gives.
#include "import/shp_fields.h"

#include <starcloak/map_import.h>

#include "support/check.h"
#include "support/place.h"
#include "support/sheet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// --- Roads of the crossing, by where they are drawn -----------------------------------

static sc_edge_id find_edge(const sc_map *map, double x, double y)
{
    sc_snap snap;
    assert_int_equal(sc_map_snap(map, x, y, 1000, &snap), SC_OK);
    return snap.edge;
}

// Seconds along the edge near a place, eastwards or northwards, and back; -1: closed.
typedef struct two_ways {
    double there_s;
    double back_s;
} two_ways;

static double in_seconds(const sc_map *map, uint32_t units)
{
    return units == SC_CLOSED ? -1.0 : units * sc_map_time_unit_s(map);
}

static two_ways times_at(const sc_map *map, double x, double y)
{
    const sc_edge_id edge = find_edge(map, x, y);
    const sc_edge ends = sc_map_edges(map)[edge];
    const sc_travel_times times = sc_map_edge_times(map)[edge];
    double from_x = 0;
    double from_y = 0;
    double to_x = 0;
    double to_y = 0;
    sc_map_node_position(map, ends.from, &from_x, &from_y);
    sc_map_node_position(map, ends.to, &to_x, &to_y);
    const bool is_drawn_so = from_x + from_y < to_x + to_y;
    return (two_ways){in_seconds(map, is_drawn_so ? times.forward : times.backward),
                      in_seconds(map, is_drawn_so ? times.backward : times.forward)};
}

static const char *name_at(const sc_map *map, double x, double y)
{
    sc_snap snap;
    assert_int_equal(sc_map_snap(map, x, y, 1000, &snap), SC_OK);
    return sc_map_segment_name(map, snap.segment);
}

// The first road (west to east), the second (south to north), the third.
#define FIRST -122.395, 37.7
#define SECOND -122.39, 37.695
#define THIRD -122.39, 37.705

static double length_at(const sc_map *map, double x, double y)
{
    return sc_map_edge_length_m(map, find_edge(map, x, y));
}

// --- Known files ----------------------------------------------------------------------

static void test_the_fields_of_geofabrik_are_known(void **state)
{
    (void)state;
    static const sheet_field fields[] = {
        {"osm_id", FTString, {"1", "2", "3"}},
        {"fclass", FTString, {"primary", "residential", "track_grade2"}},
        {"name",
         FTString,
         {"Hauptstra\xc3\x9f"
          "e",
          "", ""}},
        {"ref", FTString, {"B 3", "K 7", ""}},
        {"oneway", FTString, {"F", "T", "B"}},
        {"maxspeed", FTInteger, {"60", "0", NULL}},
    };
    sheet s = sheet_new_table(3, fields, 6);
    sc_map *map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);

    two_ways times = times_at(map, FIRST);
    CHECK_CLOSE(times.there_s, length_at(map, FIRST) * 3.6 / 60, 0.001);
    CHECK_CLOSE(times.back_s, -1.0, 0);
    times = times_at(map, SECOND);
    CHECK_CLOSE(times.there_s, -1.0, 0);
    CHECK_CLOSE(times.back_s, length_at(map, SECOND) / sc_road_class_speed_m_s(SC_ROAD_LOCAL),
                0.001);
    times = times_at(map, THIRD);
    CHECK_CLOSE(times.there_s, length_at(map, THIRD) / sc_road_class_speed_m_s(SC_ROAD_SERVICE),
                0.001);
    CHECK_CLOSE(times.back_s, times.there_s, 0);

    assert_string_equal(name_at(map, FIRST), "Hauptstra\xc3\x9f"
                                             "e");
    assert_string_equal(name_at(map, SECOND), "K 7");
    assert_string_equal(name_at(map, THIRD), "");
    assert_int_equal(sc_map_edge_classes(map)[find_edge(map, FIRST)], SC_ROAD_PRIMARY);
    assert_int_equal(sc_map_edge_classes(map)[find_edge(map, SECOND)], SC_ROAD_LOCAL);
    assert_int_equal(sc_map_edge_classes(map)[find_edge(map, THIRD)], SC_ROAD_SERVICE);
    sc_map_free(map);

    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.classes = "primary,residential";
    map = sheet_load_good(&s, true, &options);
    assert_int_equal(sc_map_edge_count(map), 3);
    sc_map_free(map);
    sheet_free(&s);
}

static void test_the_names_of_tiger_are_known_and_its_roads_are_open_both_ways(void **state)
{
    (void)state;
    static const sheet_field fields[] = {
        {"LINEARID", FTString, {"1", "2", "3"}},
        {"FULLNAME",
         FTString,
         {"US Hwy 101",
          "Pe\xf1"
          "a Blvd",
          ""}},
        {"RTTYP", FTString, {"U", "M", ""}},
        {"MTFCC", FTString, {"S1200", "S1400", "S1400"}},
        // Not TIGER's own: says nothing without an option.
        {"oneway", FTString, {"F", "F", "F"}},
    };
    sheet s = sheet_new_table(3, fields, 5);
    sc_map *map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
    assert_string_equal(name_at(map, FIRST), "US Hwy 101");
    // Latin-1, as in older files.
    assert_string_equal(name_at(map, SECOND), "Pe\xc3\xb1"
                                              "a Blvd");
    const two_ways times = times_at(map, FIRST);
    CHECK_CLOSE(times.there_s, length_at(map, FIRST) / sc_road_class_speed_m_s(SC_ROAD_SECONDARY),
                0.001);
    CHECK_CLOSE(times.back_s, times.there_s, 0);
    sc_map_free(map);
    sheet_free(&s);
}

// --- Fields that the user names -------------------------------------------------------

static void test_the_user_names_the_fields(void **state)
{
    (void)state;
    static const sheet_field fields[] = {
        {"DIR", FTString, {"FT", " tf ", NULL}},
        {"KMH", FTString, {" 36 ", "30 mph", ""}},
        {"STREET", FTString, {"A", "B", "C"}},
    };
    sheet s = sheet_new_table(3, fields, 3);
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.direction_field = "dir";  // dBase does not tell cases apart
    options.speed_field = "KMH";
    options.name_field = "STREET";
    sc_map *map = sheet_load_good(&s, true, &options);
    two_ways times = times_at(map, FIRST);
    CHECK_CLOSE(times.there_s, length_at(map, FIRST) / 10, 0.001);
    CHECK_CLOSE(times.back_s, -1.0, 0);
    times = times_at(map, SECOND);
    CHECK_CLOSE(times.there_s, -1.0, 0);
    CHECK_CLOSE(times.back_s, length_at(map, SECOND) / (30 * 0.44704), 0.001);
    times = times_at(map, THIRD);
    CHECK_CLOSE(times.there_s, length_at(map, THIRD) * 3.6 / 50, 0.001);
    assert_string_equal(name_at(map, FIRST), "A");
    assert_string_equal(name_at(map, SECOND), "B");
    sc_map_free(map);

    // Without options, fields of such names are not known.
    map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
    times = times_at(map, FIRST);
    assert_true(times.there_s == times.back_s && times.back_s > 0);
    assert_string_equal(name_at(map, FIRST), "");
    sc_map_free(map);
    sheet_free(&s);
}

static void test_directions_have_many_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        int direction;  ///< 1 along the line, -1 against it, 0 both
    } cases[] = {
        {"F", 1},   {"f", 1},         {"FT", 1},       {"1", 1},   {"yes", 1},  {"Y", 1},
        {"+", 1},   {"true", 1},      {"FORWARD", 1},  {"B", 0},   {"both", 0}, {"0", 0},
        {"no", 0},  {"N", 0},         {"false", 0},    {"2", 0},   {"", 0},     {"T", -1},
        {"TF", -1}, {"backward", -1}, {"reverse", -1}, {"-1", -1}, {"-", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        const sheet_field field = {"D", FTString, {cases[i].value}};
        sheet s = sheet_new_table(1, &field, 1);
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.direction_field = "D";
        sc_map *map = sheet_load_good(&s, true, &options);
        const two_ways times = times_at(map, FIRST);
        assert_int_equal(times.there_s > 0, cases[i].direction >= 0);
        assert_int_equal(times.back_s > 0, cases[i].direction <= 0);
        sc_map_free(map);
        sheet_free(&s);
    }
    check_case_done();
}

// --- What is refused ------------------------------------------------------------------

static void test_values_that_mean_nothing_are_refused_with_record_and_field(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        const char *message;
    } directions[] =
        {
            {"X", "a/roads.dbf.xz: record 2: field 'D' is 'X'; a direction is F or yes (along the "
                  "line), T or -1 (against it), B or no"},
        },
      speeds[] = {
          {"fast", "a/roads.dbf.xz: record 2: field 'D' is 'fast'; a speed is a number of km/h, or "
                   "of miles with mph behind it"},
          {"mph",
           "a/roads.dbf.xz: record 2: field 'D' is 'mph'; a speed is a number of km/h, or of "
           "miles with mph behind it"},
          {"-5",
           "a/roads.dbf.xz: record 2: field 'D' is '-5'; a speed is 1 to 500 km/h, or 0 where "
           "it is unknown"},
          {"400 mph", "a/roads.dbf.xz: record 2: field 'D' is '400 mph'; a speed is 1 to 500 km/h, "
                      "or 0 where it is unknown"},
          {"0.5", "a/roads.dbf.xz: record 2: field 'D' is '0.5'; a speed is 1 to 500 km/h, or 0 "
                  "where it is unknown"},
      };
    for (size_t i = 0; i < 1 + sizeof speeds / sizeof *speeds; i++) {
        const bool is_direction = i == 0;
        const sheet_field field = {
            "D", FTString, {"", is_direction ? directions[0].value : speeds[i - 1].value}};
        sheet s = sheet_new_table(2, &field, 1);
        sc_import_options options = SC_IMPORT_DEFAULTS;
        *(is_direction ? &options.direction_field : &options.speed_field) = "D";
        sheet_assert_refused(&s, true, &options, SC_EPARSE,
                             is_direction ? directions[0].message : speeds[i - 1].message);
        sheet_free(&s);
    }
}

static void test_a_field_that_is_missing_is_refused_with_those_that_are_there(void **state)
{
    (void)state;
    sheet s = sheet_new_crossing();
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.direction_field = "ONEWAY";
    sheet_assert_refused(&s, true, &options, SC_EINVAL,
                         "a/roads.dbf.xz: no field 'ONEWAY'; the file has 'FULLNAME', 'MTFCC'");
    sheet_assert_refused(&s, false, &options, SC_EINVAL,
                         "a/roads.shp: no field 'ONEWAY': there is no .dbf file of the same name");
    options.direction_field = NULL;
    options.speed_field = "v";
    sheet_assert_refused(&s, true, &options, SC_EINVAL,
                         "a/roads.dbf.xz: no field 'v'; the file has 'FULLNAME', 'MTFCC'");
    options.speed_field = NULL;
    options.name_field = "n";
    sheet_assert_refused(&s, true, &options, SC_EINVAL,
                         "a/roads.dbf.xz: no field 'n'; the file has 'FULLNAME', 'MTFCC'");
    sheet_free(&s);
}

// --- The real one ---------------------------------------------------------------------

static void test_streets_of_san_francisco_have_their_names(void **state)
{
    (void)state;
    char path[1024];
    if (!data_path("san-francisco-tiger/tl_2017_06075_roads.shp.xz", path, sizeof path)) skip();
    const char *const paths[] = {path};
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_SHAPEFILE, paths, 1}, &SC_IMPORT_DEFAULTS,
                           &map, NULL, &diag),
             &diag);
    uint32_t lombard = 0;
    uint32_t named = 0;
    for (sc_seg_id segment = 0; segment < sc_map_segment_count(map); segment++) {
        const char *name = sc_map_segment_name(map, segment);
        named += name[0] != '\0';
        lombard += strcmp(name, "Lombard St") == 0;
    }
    assert_true(lombard > 10);
    assert_true(named > sc_map_segment_count(map) * 9 / 10);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_fields_of_geofabrik_are_known),
    cmocka_unit_test(test_the_names_of_tiger_are_known_and_its_roads_are_open_both_ways),
    cmocka_unit_test(test_the_user_names_the_fields),
    SC_CASES(test_directions_have_many_spellings),
    cmocka_unit_test(test_values_that_mean_nothing_are_refused_with_record_and_field),
    cmocka_unit_test(test_a_field_that_is_missing_is_refused_with_those_that_are_there),
    cmocka_unit_test(test_streets_of_san_francisco_have_their_names),
};
SC_SUITE(tests)
