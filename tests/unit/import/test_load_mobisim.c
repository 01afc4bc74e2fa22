// The reader of GT-MobiSim's SVG maps: what it makes of good drawings, and what
// it says about bad ones.
#include "import/import_internal.h"
#include "support/check.h"

#include <starcloak/map_import.h>

#include "import/utm.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// Read drawings given as text; the name of each is "map.svg".
static sc_err load_texts(const char *const *texts, size_t count, const sc_import_options *options,
                         sc_map **map, sc_diag *diag)
{
    sc_input inputs[4];
    assert_true(count <= 4);
    for (size_t i = 0; i < count; i++) {
        inputs[i] = (sc_input){"map.svg", (const uint8_t *)texts[i], strlen(texts[i])};
    }
    sc_import_report report = {0};
    const sc_load load = {inputs, count, options, &report, diag};
    sc_builder *builder = NULL;
    sc_err err = sc__load_mobisim(&load, &builder);
    if (err) {
        assert_null(builder);
        return err;
    }
    err = sc_builder_finish(builder, HUGE_VAL, NULL, map, NULL, diag);
    sc_builder_free(builder);
    return err;
}

static sc_map *load_good(const char *text, const sc_import_options *options)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_err err = load_texts(&text, 1, options, &map, &diag);
    if (err) fail_msg("%s", diag.message);
    if (sc_map_check(map, &diag)) fail_msg("%s", diag.message);
    return map;
}

static sc_map *load_points(const char *points)
{
    char text[512];
    snprintf(text, sizeof text, "<svg><polyline points=\"%s\"/></svg>", points);
    return load_good(text, &SC_IMPORT_DEFAULTS);
}

static void assert_refused(const char *text, const sc_import_options *options, sc_err expected,
                           const char *message)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_err err = load_texts(&text, 1, options, &map, &diag);
    if (err != expected || strcmp(diag.message, message) != 0) {
        fail_msg("for %s:\n  got  %d %s\n  want %d %s", text, (int)err, diag.message, (int)expected,
                 message);
    }
    assert_null(map);
}

static void test_lines_that_share_a_point_share_a_node(void **state)
{
    (void)state;
    // The crossing of tests/data: a point inside one line is the end of two others.
    const char *path = SC_TEST_DATA "/mobisim/crossing.svg";
    sc_map *map = NULL;
    sc_diag diag = {""};
    if (sc_map_import(&(sc_import_source){SC_FORMAT_MOBISIM, &path, 1}, &SC_IMPORT_DEFAULTS, &map,
                      NULL, &diag)) {
        fail_msg("%s", diag.message);
    }
    assert_int_equal(sc_map_check(map, &diag), SC_OK);
    assert_int_equal(sc_map_node_count(map), 6);
    assert_int_equal(sc_map_edge_count(map), 5);
    assert_int_equal(sc_map_star_count(map), 1);
    assert_int_equal(sc_map_segment_count(map), 4);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    assert_true(sc_map_is_in_metres(map));

    double x = 0;
    double y = 0;
    sc_map_node_position(map, sc_map_stars(map)[0].node, &x, &y);
    assert_true(fabs(x - 740500) < 0.001 && fabs(y - 3743500) < 0.001);

    uint32_t edges_of_class[SC_ROAD_CLASS_COUNT] = {0};
    double length_m = 0;
    for (sc_edge_id edge = 0; edge < sc_map_edge_count(map); edge++) {
        edges_of_class[sc_map_edge_classes(map)[edge]]++;
        length_m += sc_map_edge_length_m(map, edge);
    }
    assert_int_equal(edges_of_class[SC_ROAD_PRIMARY], 2);
    assert_int_equal(edges_of_class[SC_ROAD_LOCAL], 2);
    assert_int_equal(edges_of_class[SC_ROAD_PATH], 1);
    assert_true(fabs(length_m - 2050) < 0.01);
    sc_map_free(map);
}

static void test_several_drawings_make_one_map(void **state)
{
    (void)state;
    const char *texts[] = {"<svg><polyline points='0,0 10,0'/></svg>",
                           "<svg><polyline points='10,0 10,10'/></svg>"};
    sc_map *map = NULL;
    sc_diag diag = {""};
    assert_int_equal(load_texts(texts, 2, &SC_IMPORT_DEFAULTS, &map, &diag), SC_OK);
    assert_int_equal(sc_map_node_count(map), 3);
    assert_int_equal(sc_map_segment_count(map), 1);
    sc_map_free(map);
}

static void test_points_may_be_parted_by_blanks_and_commas_in_any_mixture(void **state)
{
    (void)state;
    static const char *const same[] = {
        "1,2 3,4 5,6",         "1 2 3 4 5 6",       "1,2,3,4,5,6",
        " 1 , 2\n3 ,4\t5, 6 ", "1.0,2. 3e0,+4 5,6", "1&#10;2&#9;3 4&#13;5,6",
        "10e-1,0.2E1 3,4,5,6",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        sc_map *map = load_points(same[i]);
        assert_int_equal(sc_map_node_count(map), 3);
        assert_int_equal(sc_map_edge_count(map), 2);
        assert_true(fabs(sc_map_segment_length_m(map, 0) - 2 * sqrt(8)) < 0.01);
        sc_map_free(map);
    }
}

static void test_a_step_to_the_same_point_is_no_edge(void **state)
{
    (void)state;
    sc_map *map = load_points("0,0 0,0 -0,0 5,0 5,-0");
    assert_int_equal(sc_map_node_count(map), 2);
    assert_int_equal(sc_map_edge_count(map), 1);
    sc_map_free(map);
}

static void test_a_line_that_stays_at_one_point_leaves_no_node(void **state)
{
    (void)state;
    sc_map *map = load_good("<svg><polyline points='7,7 7,7'/><polyline points='1,1 2,2'/></svg>",
                            &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_node_count(map), 2);
    sc_map_free(map);
}

static void test_repeated_edges_and_rings_are_kept(void **state)
{
    (void)state;
    sc_map *map = load_good("<svg><polyline points='0,0 9,0 9,9 0,0'/>"
                            "<polyline points='0,0 9,0'/><polyline points='9,0 0,0'/></svg>",
                            &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_node_count(map), 3);
    assert_int_equal(sc_map_edge_count(map), 5);
    sc_map_free(map);
}

static void test_the_innermost_named_group_gives_the_class(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        sc_road_class road_class;
    } groups[] = {
        {"PRIMARY_ROUTE_CLASS_1_DIVIDED_LANES_SEPARATE", SC_ROAD_MOTORWAY},
        {"PRIMARY_ROUTE_CLASS_1_SYMBOL_DIVIDED_BY_CENTERLINE", SC_ROAD_PRIMARY},
        {"PRIMARY_ROUTE_CLASS_1_SYMBOL_UNDIVIDED", SC_ROAD_PRIMARY},
        {"SECONDARY_ROUTE_CLASS_2_ONE_WAY_OTHER_THAN_DIVIDED_HIGHWAY", SC_ROAD_SECONDARY},
        {"SECONDARY_ROUTE_CLASS_2_SYMBOL_UNDIVIDED", SC_ROAD_SECONDARY},
        {"ROAD_OR_STREET_CLASS_3", SC_ROAD_LOCAL},
        {"ROAD_OR_STREET_CLASS_3_DIVIDED_LANES_SEPARATE", SC_ROAD_LOCAL},
        {"ROAD_OR_STREET_CLASS_4", SC_ROAD_SERVICE},
        {"NONSTANDARD_SECTION_OF_ROAD", SC_ROAD_LOCAL},
        {"CLOVERLEAF_OR_INTERCHANGE", SC_ROAD_RAMP},
        {"TRAIL_CLASS_5_OTHER_THAN_FOUR-WHEEL-DRIVE_VEHICLE", SC_ROAD_PATH},
        {"TRAIL_CLASS_5_FOUR_WHEEL_DRIVE_VEHICLE", SC_ROAD_SERVICE},
        {"FOOTBRIDGE", SC_ROAD_PATH},
        {"Unclassified_Line_Feature_RD01CATD_DDF", SC_ROAD_UNKNOWN},
        {"", SC_ROAD_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "<svg><g id='FOOTBRIDGE'><g id='CLOVERLEAF_OR_INTERCHANGE'/>"
                 "<g id='%s'><g transform='none'><polyline points='0,0 1,1'/></g></g></g></svg>",
                 groups[i].id);
        sc_map *map = load_good(text, &SC_IMPORT_DEFAULTS);
        assert_int_equal(sc_map_edge_classes(map)[0], groups[i].road_class);
        sc_map_free(map);
    }
}

static void test_a_utm_zone_turns_metres_into_degrees(void **state)
{
    (void)state;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.utm_zone = 16;
    // Due north by 1 km in the middle of the zone, where UTM shortens by 0.9996.
    sc_map *map =
        load_good("<svg><polyline points='500000,3743000 500000,3744000'/></svg>", &options);
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
    double lon = 0;
    double lat = 0;
    assert_true(sc__utm_to_degrees(16, 500000, 3743000, &lon, &lat));
    double x = 0;
    double y = 0;
    sc_map_node_position(map, 0, &x, &y);
    assert_true(fabs(x - lon) < 1.1e-7 && fabs(y - lat) < 1.1e-7);
    assert_true(fabs(x + 87) < 1.1e-7);
    // On the ellipsoid it is 1000.4 m; the sphere of all our distances differs by up to 0.6 %.
    assert_true(fabs(sc_map_edge_length_m(map, 0) - 1000.4) < 6);
    sc_map_free(map);
}

static void test_a_unit_scales_the_plane(void **state)
{
    (void)state;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.unit_m = 0.5;
    sc_map *map = load_good("<svg><polyline points='0,0 100,0'/></svg>", &options);
    assert_true(fabs(sc_map_edge_length_m(map, 0) - 50) < 0.001);
    sc_map_free(map);
}

#define SVG_(points) "<svg>\n<polyline points=\"" points "\"/></svg>"
#define AT_ "map.svg:2: <polyline> points: "

static void test_bad_drawings_are_refused_with_file_line_and_value(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"", "map.svg: the file is empty"},
        {"<svg></svg>", "map.svg: no <polyline> found, so no roads"},
        {"<svg><defs><polyline points='0,0 1,1'/></defs></svg>",
         "map.svg: no <polyline> found, so no roads"},
        {SVG_("1,2 3"), AT_ "odd number of coordinates, 3: '1,2 3'"},
        {SVG_("1,2 3,x4"), AT_ "not a number: 'x4'"},
        {SVG_("1,2 3,4x 5,6"), AT_ "not a number: '4x'"},
        {SVG_("1,2 nan,4"), AT_ "not a number: 'nan'"},
        {SVG_("1,2 3,inf"), AT_ "not a number: 'inf'"},
        {SVG_("1,2 3,1e999"), AT_ "not a number: '1e999'"},
        {SVG_("1,2 3,-"), AT_ "not a number: '-'"},
        {SVG_("1,,2 3,4"), AT_ "a number is missing at: ',2 3,4'"},
        {SVG_(",1,2 3,4"), AT_ "a number is missing at: ',1,2 3,4'"},
        {SVG_("1,2 3,4,"), AT_ "a number is missing at: ''"},
        {SVG_("1,2"), AT_ "fewer than two points: '1,2'"},
        {SVG_(""), AT_ "fewer than two points: ''"},
        {SVG_("1,2 3,1e13"), AT_ "coordinates outside the allowed range: '3,1e13'"},
        {SVG_("1e13 , 2 3,4"), AT_ "coordinates outside the allowed range: '1e13 , 2'"},
        {SVG_("3,4 3,4"), "map.svg: no roads found: no line has two different points"},
        {"<svg>\n\n<polyline/></svg>", "map.svg:3: <polyline> has no attribute points"},
        {"<osm/>", "map.svg:1: not an SVG drawing: its first element is 'osm'"},
        {"<svg>\n<g></svg>", "map.svg:2: byte 11: not well-formed XML: mismatched tag"},
        {"<svg>\n<polyline points='0,0 1,1'/>",
         "map.svg:2: byte 34: not well-formed XML: no element found"},
        {"0,0 1,1", "map.svg:1: byte 0: not well-formed XML: syntax error"},
        {"<!DOCTYPE svg [\n<!ENTITY a '1,1'>]><svg><polyline points='&a; 2,2'/></svg>",
         "map.svg:2: XML entities are not supported: 'a'"},
        {"<?xml version='1.0' encoding='klingon'?><svg/>",
         "map.svg:1: byte 30: not well-formed XML: unknown encoding"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_refused(bad[i].text, &SC_IMPORT_DEFAULTS, SC_EPARSE, bad[i].message);
    }
}

static void test_bad_options_are_refused(void **state)
{
    (void)state;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.utm_zone = 61;
    assert_refused(SVG_("0,0 1,1"), &options, SC_EINVAL,
                   "unknown UTM zone: 61; zones are 1 to 60, and -1 to -60 in the south");
    options.utm_zone = 16;
    assert_refused(SVG_("500000,1 -1,1"), &options, SC_EPARSE,
                   AT_ "coordinates outside the UTM zone: '-1,1'");
    options.utm_zone = 0;
    options.unit_m = -1;
    assert_refused(SVG_("0,0 1,1"), &options, SC_EINVAL,
                   "invalid unit of length: -1 metres; give a positive number");
    options.unit_m = nan("");
    assert_refused(SVG_("0,0 1,1"), &options, SC_EINVAL,
                   "invalid unit of length: nan metres; give a positive number");
}

// Counts the reports and checks that they go forward and end at the total.
typedef struct progress_log {
    int count;
    uint64_t done;
    uint64_t total;
} progress_log;

static void note_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    progress_log *log = context;
    assert_true(strlen(phase) > 0);
    assert_true(done >= log->done && done <= total);
    log->count++;
    log->done = done;
    log->total = total;
}

static void test_progress_goes_forward_to_the_end(void **state)
{
    (void)state;
    progress_log log = {0};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.progress = (sc_progress){note_progress, &log};
    const char *text = SVG_("0,0 1,1");
    sc_map_free(load_good(text, &options));
    assert_true(log.count >= 2);
    assert_int_equal(log.total, strlen(text));
    assert_int_equal(log.done, log.total);
}

// Stars without the pseudo-stars of components that have no intersection.
static uint32_t count_intersections(const sc_map *map)
{
    uint32_t *degree = calloc(sc_map_node_count(map), sizeof *degree);
    assert_non_null(degree);
    for (sc_edge_id edge = 0; edge < sc_map_edge_count(map); edge++) {
        degree[sc_map_edges(map)[edge].from]++;
        degree[sc_map_edges(map)[edge].to]++;
    }
    uint32_t count = 0;
    for (sc_node_id node = 0; node < sc_map_node_count(map); node++) {
        count += degree[node] >= 3;
    }
    free(degree);
    return count;
}

static void test_northwest_atlanta_has_its_known_counts(void **state)
{
    (void)state;
    const char *folder = getenv("STARCLOAK_DATA");
    char path[4096];
    snprintf(path, sizeof path, "%s/northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz",
             folder ? folder : SC_REPOSITORY "/../shared/data");
    if (access(path, R_OK) != 0) skip();

    const char *paths[] = {path};
    for (int zone = 0; zone <= 16; zone += 16) {
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.utm_zone = zone;
        sc_map *map = NULL;
        sc_diag diag = {""};
        if (sc_map_import(&(sc_import_source){SC_FORMAT_MOBISIM, paths, 1}, &options, &map, NULL,
                          &diag)) {
            fail_msg("%s", diag.message);
        }
        if (sc_map_check(map, &diag)) fail_msg("%s", diag.message);
        assert_int_equal(sc_map_node_count(map), 25846);
        assert_int_equal(sc_map_edge_count(map), 28534);
        assert_int_equal(count_intersections(map), 5546);
        assert_int_equal(sc_map_segment_count(map), 9611);
        double x = 0;
        double y = 0;
        sc_map_node_position(map, 0, &x, &y);
        // The first point of the file, 731240.0,3750917: a corner of Georgia.
        assert_true(zone ? fabs(x + 84.4995) < 0.01 && fabs(y - 33.8736) < 0.01
                         : fabs(x - 731240.0) < 0.01 && fabs(y - 3750917) < 0.01);
        sc_map_free(map);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lines_that_share_a_point_share_a_node),
    cmocka_unit_test(test_several_drawings_make_one_map),
    cmocka_unit_test(test_points_may_be_parted_by_blanks_and_commas_in_any_mixture),
    cmocka_unit_test(test_a_step_to_the_same_point_is_no_edge),
    cmocka_unit_test(test_a_line_that_stays_at_one_point_leaves_no_node),
    cmocka_unit_test(test_repeated_edges_and_rings_are_kept),
    cmocka_unit_test(test_the_innermost_named_group_gives_the_class),
    cmocka_unit_test(test_a_utm_zone_turns_metres_into_degrees),
    cmocka_unit_test(test_a_unit_scales_the_plane),
    cmocka_unit_test(test_bad_drawings_are_refused_with_file_line_and_value),
    cmocka_unit_test(test_bad_options_are_refused),
    cmocka_unit_test(test_progress_goes_forward_to_the_end),
    cmocka_unit_test(test_northwest_atlanta_has_its_known_counts),
};
SC_SUITE(tests)
