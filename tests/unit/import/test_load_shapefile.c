// The reader of shapefiles, on small files made by shapelib itself and on San
// Francisco. What it says about damaged files is in test_shp_check.c.
#include "import/import_internal.h"
#include "support/check.h"

#include "support/sheet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint32_t edges_of_class(const sc_map *map, sc_road_class road_class)
{
    uint32_t count = 0;
    for (sc_edge_id edge = 0; edge < sc_map_edge_count(map); edge++) {
        count += sc_map_edge_classes(map)[edge] == road_class;
    }
    return count;
}

static void assert_is_crossing(const sc_map *map)
{
    assert_int_equal(sc_map_node_count(map), 7);
    assert_int_equal(sc_map_edge_count(map), 5);
    assert_int_equal(sc_map_segment_count(map), 5);
    // The crossing, and the pseudo-star of the part that lies apart.
    assert_int_equal(sc_map_star_count(map), 2);
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
}

static void test_lines_with_equal_vertices_meet(void **state)
{
    (void)state;
    sheet s = sheet_new_crossing();
    sc_map *map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
    assert_is_crossing(map);
    assert_int_equal(edges_of_class(map, SC_ROAD_MOTORWAY), 2);
    assert_int_equal(edges_of_class(map, SC_ROAD_LOCAL), 1);
    assert_int_equal(edges_of_class(map, SC_ROAD_PATH), 2);
    sc_map_free(map);
    sheet_free(&s);
}

static void test_the_table_may_be_missing(void **state)
{
    (void)state;
    sheet s = sheet_new_crossing();
    sc_map *map = sheet_load_good(&s, false, &SC_IMPORT_DEFAULTS);
    assert_is_crossing(map);
    assert_int_equal(edges_of_class(map, SC_ROAD_UNKNOWN), 5);
    sc_map_free(map);
    sheet_free(&s);
}

static void test_lines_with_heights_and_measures_are_the_same_roads(void **state)
{
    (void)state;
    static const int types[] = {SHPT_ARCZ, SHPT_ARCM};
    for (size_t i = 0; i < 2; i++) {
        sheet s = sheet_new(types[i], sheet_crossing, SHEET_CROSSING_COUNT, "MTFCC");
        sc_map *map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
        assert_is_crossing(map);
        sc_map_free(map);
        sheet_free(&s);
    }
}

static void test_null_shapes_and_deleted_records_are_passed_over(void **state)
{
    (void)state;
    const sheet_shape shapes[] = {{.code = "S1400"}, sheet_crossing[0], sheet_crossing[1]};
    sheet s = sheet_new(SHPT_ARC, shapes, 3, "MTFCC");
    sc_map *map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_edge_count(map), 3);
    sc_map_free(map);

    // The last record of the table: a mark, 20 and 5 bytes of fields, end of file.
    const size_t mark = s.dbf_size - 1 - 26;
    assert_int_equal(s.dbf[mark], ' ');
    s.dbf[mark] = '*';
    map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_edge_count(map), 2);
    sc_map_free(map);
    sheet_free(&s);
}

static void test_records_may_be_numbered_from_zero(void **state)
{
    (void)state;
    sheet s = sheet_new_crossing();
    // Each record: 8 bytes of header, then 44 + 4 * parts + 16 * vertices.
    size_t at = 100;
    for (int i = 0; i < SHEET_CROSSING_COUNT; i++) {
        assert_int_equal(s.shp[at + 3], i + 1);
        s.shp[at + 3] = (uint8_t)i;
        at += 8 + 44 + 4 * (size_t)sheet_crossing[i].part_count +
              16 * (size_t)sheet_crossing[i].vertex_count;
    }
    assert_int_equal(at, s.shp_size);
    sc_map *map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
    assert_is_crossing(map);
    sc_map_free(map);
    sheet_free(&s);
}

static void test_repeated_vertices_make_no_edge_and_repeated_lines_do(void **state)
{
    (void)state;
    const sheet_shape shapes[] = {
        {5, 1, {0, 0, -0.0, 1, 1}, {0, 0, 0, 0, -0.0}, {0}, NULL},
        {2, 1, {1, 0}, {0, 0}, {0}, NULL},
        {2, 1, {7, 7}, {7, 7}, {0}, NULL},  // never leaves its point: no node either
    };
    sheet s = sheet_new(SHPT_ARC, shapes, 3, "MTFCC");
    sc_map *map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_node_count(map), 2);
    assert_int_equal(sc_map_edge_count(map), 2);
    sc_map_free(map);
    sheet_free(&s);
}

static void test_only_wanted_classes_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *classes;
        uint32_t edge_count;
        uint64_t left_out;
    } cases[] = {
        {"S1100", 2, 2},       {"S1400,S1710", 3, 1},       {" s1100 ,, S1400", 3, 1},
        {"S1100,S9999", 2, 2}, {"S1100,S1400,S1710", 5, 0},
    };
    sheet s = sheet_new_crossing();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.classes = cases[i].classes;
        const sc_input inputs[] = {{"ROADS.DBF", s.dbf, s.dbf_size},
                                   {"ROADS.SHP", s.shp, s.shp_size}};
        sc_import_report report = {0};
        sc_map *map = NULL;
        sc_diag diag = {""};
        if (sheet_load_inputs(inputs, 2, &options, &report, &map, &diag))
            fail_msg("%s", diag.message);
        assert_int_equal(sc_map_edge_count(map), cases[i].edge_count);
        assert_int_equal(report.ways_left_out, cases[i].left_out);
        sc_map_free(map);
    }
    sheet_free(&s);
}

static void test_several_shapefiles_make_one_map_each_with_its_own_table(void **state)
{
    (void)state;
    sheet west = sheet_new(SHPT_ARC, sheet_crossing, 1, "MTFCC");
    sheet east = sheet_new(SHPT_ARC, sheet_crossing + 1, 1, "MTFCC");
    // Tables in the other order, compressed names, and files that are not needed.
    const sc_input inputs[] = {
        {"d/west.shp.gz", west.shp, west.shp_size},
        {"d/west.prj", NULL, 0},
        {"d/west.shp.xml", NULL, 0},
        {"d/west.shp.ea.iso.xml", NULL, 0},
        {"d/west.atx", NULL, 0},
        {"d/east.shp", east.shp, east.shp_size},
        {"d/east.dbf.gz", east.dbf, east.dbf_size},
        {"d/west.shx", NULL, 0},
        {"d/west.dbf", west.dbf, west.dbf_size},
    };
    sc_import_report report = {0};
    sc_map *map = NULL;
    sc_diag diag = {""};
    if (sheet_load_inputs(inputs, sizeof inputs / sizeof *inputs, &SC_IMPORT_DEFAULTS, &report,
                          &map, &diag)) {
        fail_msg("%s", diag.message);
    }
    assert_int_equal(sc_map_node_count(map), 4);
    assert_int_equal(edges_of_class(map, SC_ROAD_MOTORWAY), 2);
    assert_int_equal(edges_of_class(map, SC_ROAD_LOCAL), 1);
    sc_map_free(map);
    sheet_free(&west);
    sheet_free(&east);
}

static void test_the_table_beside_a_file_is_found(void **state)
{
    (void)state;
    const char *path = SC_TEST_DATA "/shapefile/crossing.shp";
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.classes = "S1100";
    sc_map *map = NULL;
    sc_diag diag = {""};
    if (sc_map_import(&(sc_import_source){SC_FORMAT_SHAPEFILE, &path, 1}, &options, &map, NULL,
                      &diag)) {
        fail_msg("%s", diag.message);
    }
    assert_int_equal(sc_map_edge_count(map), 2);
    assert_int_equal(edges_of_class(map, SC_ROAD_MOTORWAY), 2);
    sc_map_free(map);
}

static void test_every_road_class_code_has_its_class(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        sc_road_class road_class;
    } codes[] = {
        {"S1100", SC_ROAD_MOTORWAY}, {"S1200", SC_ROAD_SECONDARY}, {"S1400", SC_ROAD_LOCAL},
        {"S1500", SC_ROAD_SERVICE},  {"S1630", SC_ROAD_RAMP},      {"S1640", SC_ROAD_SERVICE},
        {"S1710", SC_ROAD_PATH},     {"S1720", SC_ROAD_PATH},      {"S1730", SC_ROAD_SERVICE},
        {"S1740", SC_ROAD_SERVICE},  {"S1750", SC_ROAD_UNKNOWN},   {"S1780", SC_ROAD_SERVICE},
        {"S1820", SC_ROAD_PATH},     {"", SC_ROAD_UNKNOWN},        {"S", SC_ROAD_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        sheet_shape one = sheet_crossing[1];
        one.code = codes[i].code;
        sheet s = sheet_new(SHPT_ARC, &one, 1, "MTFCC");
        sc_map *map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
        assert_int_equal(sc_map_edge_classes(map)[0], codes[i].road_class);
        sc_map_free(map);
        sheet_free(&s);
    }
}

// Reports come in phases; in each they go forward, and the last one ends.
typedef struct progress_log {
    const char *phase;
    int phase_count;
    uint64_t done, total;
} progress_log;

static void note_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    progress_log *log = context;
    if (!log->phase || strcmp(log->phase, phase) != 0) {
        log->phase = phase;
        log->phase_count++;
        log->done = 0;
    }
    assert_true(done >= log->done && done <= total);
    log->done = done;
    log->total = total;
}

static void test_progress_goes_forward_to_the_end(void **state)
{
    (void)state;
    progress_log log = {0};
    sheet s = sheet_new_crossing();
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.progress = (sc_progress){note_progress, &log};
    sc_map_free(sheet_load_good(&s, true, &options));
    assert_int_equal(log.phase_count, 2);
    assert_int_equal(log.total, SHEET_CROSSING_COUNT);
    assert_int_equal(log.done, log.total);
    sheet_free(&s);
}

// --- What the coordinates are -------------------------------------------------

static const sheet_shape metres[] = {
    {3, 1, {500000, 500100, 500100}, {4e6, 4e6, 4.0001e6}, {0}, NULL}};

static void test_numbers_off_the_globe_are_metres_on_a_plane(void **state)
{
    (void)state;
    sheet s = sheet_new(SHPT_ARC, metres, 1, "MTFCC");
    sc_map *map = sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    assert_true(sc_map_is_in_metres(map));
    assert_true(fabs(sc_map_segment_length_m(map, 0) - 200) < 0.01);
    sc_map_free(map);

    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.unit_m = 0.3048;
    map = sheet_load_good(&s, true, &options);
    assert_true(fabs(sc_map_segment_length_m(map, 0) - 60.96) < 0.01);
    sc_map_free(map);
    sheet_free(&s);
}

static void test_the_user_may_say_what_the_numbers_mean(void **state)
{
    (void)state;
    sheet s = sheet_new_crossing();
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.coords = SC_COORDS_PLANAR;
    sc_map *map = sheet_load_good(&s, true, &options);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    sc_map_free(map);
    sheet_free(&s);

    s = sheet_new(SHPT_ARC, metres, 1, "MTFCC");
    options = SC_IMPORT_DEFAULTS;
    options.utm_zone = 10;
    map = sheet_load_good(&s, true, &options);
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
    double lon = 0;
    double lat = 0;
    sc_map_node_position(map, 0, &lon, &lat);
    assert_true(fabs(lon + 123) < 1.1e-7 && fabs(lat - 36.1445) < 0.001);
    sc_map_free(map);

    options = SC_IMPORT_DEFAULTS;
    options.coords = SC_COORDS_GEOGRAPHIC;
    sheet_assert_refused(
        &s, true, &options, SC_EPARSE,
        "a/roads.shp: record 1, part 1, vertex 1: not a longitude and latitude: 500000 4000000");
    sheet_free(&s);
}

// --- The real one -------------------------------------------------------------

static int by_ends(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

// Edges, those between the same two nodes counted once.
static uint32_t count_distinct_edges(const sc_map *map)
{
    const uint32_t count = sc_map_edge_count(map);
    uint32_t(*ends)[2] = malloc(count * sizeof *ends);
    assert_non_null(ends);
    for (uint32_t i = 0; i < count; i++) {
        const sc_edge edge = sc_map_edges(map)[i];
        ends[i][0] = edge.from < edge.to ? edge.from : edge.to;
        ends[i][1] = edge.from < edge.to ? edge.to : edge.from;
    }
    qsort(ends, count, sizeof *ends, by_ends);
    uint32_t distinct = count > 0;
    for (uint32_t i = 1; i < count; i++) {
        distinct += by_ends(ends[i - 1], ends[i]) != 0;
    }
    free(ends);
    return distinct;
}

static void test_san_francisco_has_its_known_counts(void **state)
{
    (void)state;
    const char *folder = getenv("STARCLOAK_DATA");
    char path[4096];
    snprintf(path, sizeof path, "%s/san-francisco-tiger/tl_2017_06075_roads.shp.xz",
             folder ? folder : SC_REPOSITORY "/../shared/data");
    if (access(path, R_OK) != 0) skip();

    static const struct {
        const char *classes;
        uint32_t nodes, edges, distinct_edges;
        uint64_t left_out;
    } expected[] = {
        {NULL, 29170, 36903, 35030, 0},
        {"S1100,S1200,S1400,S1630,S1640", 28964, 36671, 34800, 57},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *paths[] = {path};
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.classes = expected[i].classes;
        sc_import_report report = {0};
        sc_map *map = NULL;
        sc_diag diag = {""};
        if (sc_map_import(&(sc_import_source){SC_FORMAT_SHAPEFILE, paths, 1}, &options, &map,
                          &report, &diag)) {
            fail_msg("%s", diag.message);
        }
        if (sc_map_check(map, &diag)) fail_msg("%s", diag.message);
        assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
        assert_int_equal(sc_map_node_count(map), expected[i].nodes);
        assert_int_equal(sc_map_edge_count(map), expected[i].edges);
        assert_int_equal(count_distinct_edges(map), expected[i].distinct_edges);
        assert_int_equal(report.ways_left_out, expected[i].left_out);
        sc_map_free(map);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lines_with_equal_vertices_meet),
    cmocka_unit_test(test_the_table_may_be_missing),
    cmocka_unit_test(test_lines_with_heights_and_measures_are_the_same_roads),
    cmocka_unit_test(test_null_shapes_and_deleted_records_are_passed_over),
    cmocka_unit_test(test_records_may_be_numbered_from_zero),
    cmocka_unit_test(test_repeated_vertices_make_no_edge_and_repeated_lines_do),
    cmocka_unit_test(test_only_wanted_classes_are_read),
    cmocka_unit_test(test_several_shapefiles_make_one_map_each_with_its_own_table),
    cmocka_unit_test(test_the_table_beside_a_file_is_found),
    cmocka_unit_test(test_every_road_class_code_has_its_class),
    cmocka_unit_test(test_progress_goes_forward_to_the_end),
    cmocka_unit_test(test_numbers_off_the_globe_are_metres_on_a_plane),
    cmocka_unit_test(test_the_user_may_say_what_the_numbers_mean),
    cmocka_unit_test(test_san_francisco_has_its_known_counts),
};
SC_SUITE(tests)
