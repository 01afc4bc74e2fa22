// From files to a map: every format by its name, packed or not, with objects
// added; and whatever fails leaves no trace. What each reader makes of its files
// is tested beside it.
#include "support/check.h"
#include "support/place.h"

#include <starcloak/map_import.h>

#include "import/import_internal.h"

#include <cmocka.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

static const char nodes[] = "0 8.00 50.00\n1 8.01 50.00\n2 8.02 50.00\n3 8.01 50.01\n";
static const char edges[] = "0 0 1 0.01\n1 1 2 0.01\n2 1 3 0.01\n";
static const char objects[] = "lon,lat,category,name\n"
                              "8.005,50.0001,cafe,Eck\n"
                              "8.5,50.5,cafe,\"far, far away\"\n";

/** The small town as files of its own. */
typedef struct town {
    place place;
    char paths[2][600];
    const char *pointers[2];
} town;

static void town_new(town *t)
{
    t->place = place_new();
    snprintf(t->paths[0], sizeof t->paths[0], "%s",
             place_write(&t->place, "town.cnode", nodes, strlen(nodes)));
    snprintf(t->paths[1], sizeof t->paths[1], "%s",
             place_write(&t->place, "town.cedge", edges, strlen(edges)));
    t->pointers[0] = t->paths[0];
    t->pointers[1] = t->paths[1];
}

static sc_map *import_good(sc_format format, const char *const *paths, size_t count,
                           const sc_import_options *options, sc_import_report *report)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){format, paths, count}, options, &map, report, &diag),
             &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    return map;
}

// Refused, with map and report untouched.
static void check_refused(sc_format format, const char *const *paths, size_t count,
                          const sc_import_options *options, sc_err wanted, const char *said)
{
    sc_map *map = NULL;
    sc_import_report report = {.bytes_read = 4711};
    sc_diag diag = {""};
    CHECK_REFUSED(
        sc_map_import(&(sc_import_source){format, paths, count}, options, &map, &report, &diag),
        wanted, &diag, said);
    assert_null(map);
    assert_int_equal(report.bytes_read, 4711);
    // It need not be told.
    assert_int_equal(
        sc_map_import(&(sc_import_source){format, paths, count}, options, &map, NULL, NULL),
        wanted);
    assert_null(map);
}

static void test_a_small_town_is_imported(void **state)
{
    (void)state;
    town t;
    town_new(&t);
    sc_import_options options = SC_IMPORT_DEFAULTS;
    sc_import_report report = {.bytes_read = 4711};
    sc_map *map = import_good(SC_FORMAT_CNODE, t.pointers, 2, &options, &report);
    assert_int_equal(sc_map_node_count(map), 4);
    assert_int_equal(sc_map_segment_count(map), 3);
    assert_int_equal(sc_map_star_count(map), 1);
    assert_int_equal(report.bytes_read, strlen(nodes) + strlen(edges));
    // For people: the format and the files, without their directories.
    assert_string_equal(sc_map_source(map), "cnode: town.cnode town.cedge");
    sc_map_free(map);
    place_free(&t.place);
}

static void test_packed_files_make_the_same_map(void **state)
{
    (void)state;
    town t;
    town_new(&t);
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    sc_map *plain = import_good(SC_FORMAT_CNODE, t.pointers, 2, &options, NULL);
    char packed[2][620];
    const char *const pointers[] = {packed[0], packed[1]};
    for (int i = 0; i < 2; i++) {
        snprintf(packed[i], sizeof packed[i], "%s.gz", t.paths[i]);
        gzFile out = gzopen(packed[i], "wb");
        assert_true(gzputs(out, i == 0 ? nodes : edges) > 0);
        gzclose(out);
    }
    sc_import_report report = {0};
    sc_map *unpacked = import_good(SC_FORMAT_CNODE, pointers, 2, &options, &report);
    assert_true(sc_map_checksum(plain) == sc_map_checksum(unpacked));
    assert_int_equal(report.bytes_read, strlen(nodes) + strlen(edges));
    sc_map_free(plain);
    sc_map_free(unpacked);
    place_free(&t.place);
}

static void test_objects_are_added_to_any_map_and_far_ones_counted(void **state)
{
    (void)state;
    town t;
    town_new(&t);
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.objects = place_write(&t.place, "objects.csv", objects, strlen(objects));
    sc_import_report report = {0};
    sc_map *map = import_good(SC_FORMAT_CNODE, t.pointers, 2, &options, &report);
    assert_int_equal(sc_map_object_count(map), 1);
    assert_int_equal(report.objects_too_far, 1);
    assert_string_equal(sc_map_object_name(map, 0), "Eck");
    assert_int_equal(report.bytes_read, strlen(nodes) + strlen(edges) + strlen(objects));
    sc_map_free(map);

    options.max_object_snap_m = HUGE_VAL;
    map = import_good(SC_FORMAT_CNODE, t.pointers, 2, &options, &report);
    assert_int_equal(sc_map_object_count(map), 2);
    assert_int_equal(report.objects_too_far, 0);
    sc_map_free(map);
    place_free(&t.place);
}

static void test_every_format_is_read_from_its_files(void **state)
{
    (void)state;
    static const struct {
        sc_format format;
        const char *names[2];
    } maps[] = {
        {SC_FORMAT_CNODE, {SC_TEST_DATA "/cli/town.cnode", SC_TEST_DATA "/cli/town.cedge"}},
        {SC_FORMAT_DIMACS, {SC_TEST_DATA "/cli/square.gr", SC_TEST_DATA "/cli/square.co"}},
        {SC_FORMAT_OSM, {SC_TEST_DATA "/cli/hamlet.osm", NULL}},
        {SC_FORMAT_SHAPEFILE, {SC_TEST_DATA "/shapefile/crossing.shp", NULL}},
        {SC_FORMAT_MOBISIM, {SC_TEST_DATA "/mobisim/crossing.svg", NULL}},
        {SC_FORMAT_SUMO, {SC_TEST_DATA "/sumo/town.net.xml", NULL}},
    };
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        check_case(i);
        sc_map *map =
            import_good(maps[i].format, maps[i].names, maps[i].names[1] ? 2 : 1, &options, NULL);
        assert_true(sc_map_edge_count(map) > 0);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_the_attributes_of_a_shapefile_are_found_beside_it(void **state)
{
    (void)state;
    static const char *const endings[] = {".dbf", ".DBF"};
    size_t shp_size = 0;
    size_t dbf_size = 0;
    char *shp = read_whole(SC_TEST_DATA "/shapefile/crossing.shp", &shp_size);
    char *dbf = read_whole(SC_TEST_DATA "/shapefile/crossing.dbf", &dbf_size);
    for (int i = 0; i < 2; i++) {
        // A name that has ".shp" in it twice, in a directory that has dots.
        place p = place_new();
        char roads[600];
        char name[32];
        snprintf(roads, sizeof roads, "%s", place_write(&p, "a.shp.b.shp", shp, shp_size));
        const char *const path = roads;
        sc_import_options options = SC_IMPORT_DEFAULTS;
        sc_map *map = import_good(SC_FORMAT_SHAPEFILE, &path, 1, &options, NULL);
        const uint32_t all = sc_map_edge_count(map);
        assert_int_equal(sc_map_edge_classes(map)[0], SC_ROAD_UNKNOWN);
        sc_map_free(map);

        snprintf(name, sizeof name, "a.shp.b%s", endings[i]);
        place_write(&p, name, dbf, dbf_size);
        options.classes = "S1100";
        map = import_good(SC_FORMAT_SHAPEFILE, &path, 1, &options, NULL);
        assert_true(sc_map_edge_count(map) < all);
        assert_int_not_equal(sc_map_edge_classes(map)[0], SC_ROAD_UNKNOWN);
        sc_map_free(map);
        place_free(&p);
    }
    free(shp);
    free(dbf);
}

static void test_what_cannot_be_imported_is_refused_without_a_trace(void **state)
{
    (void)state;
    town t;
    town_new(&t);
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    check_refused(SC_FORMAT_CNODE, t.pointers, 0, &options, SC_EINVAL, "no input file");
    check_refused((sc_format)99, t.pointers, 2, &options, SC_EINVAL, "unknown map format");

    const char *const missing[] = {t.paths[0], place_path(&t.place, "missing.cedge")};
    check_refused(SC_FORMAT_CNODE, missing, 2, &options, SC_EIO, "missing.cedge: cannot read");
    const char *const directory[] = {t.place.path};
    check_refused(SC_FORMAT_OSM, directory, 1, &options, SC_EIO, "is a directory");
    const char *const bad[] = {t.paths[0], place_write(&t.place, "bad.cedge", "0 0 9 1\n", 8)};
    check_refused(SC_FORMAT_CNODE, bad, 2, &options, SC_EPARSE, "bad.cedge:1: ");
    const char *const empty[] = {t.paths[0], place_write(&t.place, "empty.cedge", "", 0)};
    check_refused(SC_FORMAT_CNODE, empty, 2, &options, SC_EPARSE, "empty.cedge: ");
    place_free(&t.place);
}

static void test_formats_have_the_names_of_the_command_line(void **state)
{
    (void)state;
    assert_string_equal(sc_format_name(SC_FORMAT_CNODE), "cnode");
    assert_string_equal(sc_format_name(SC_FORMAT_MOBISIM), "mobisim");
    assert_string_equal(sc_format_name(SC_FORMAT_SUMO), "sumo");
    const int beyond = SC_FORMAT_SUMO + 1;
    assert_null(sc_format_name((sc_format)beyond));
}

static void test_objects_that_cannot_be_read_are_refused_without_a_trace(void **state)
{
    (void)state;
    town t;
    town_new(&t);
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.objects = place_path(&t.place, "missing.csv");
    check_refused(SC_FORMAT_CNODE, t.pointers, 2, &options, SC_EIO, "missing.csv: cannot read");
    options.objects = place_write(&t.place, "bad.csv", "8.0,x,cafe\n", 11);
    check_refused(SC_FORMAT_CNODE, t.pointers, 2, &options, SC_EPARSE, "bad.csv:1: ");
    // A map without coordinates can have no object at a position.
    options.objects = place_write(&t.place, "good.csv", objects, strlen(objects));
    check_refused(SC_FORMAT_CNODE, &t.pointers[1], 1, &options, SC_EINVAL, "no coordinates");
    place_free(&t.place);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    town t;
    town_new(&t);
    static const double bad[] = {-1.0, NOT_A_NUMBER, HUGE_VAL};
    for (int i = 0; i < 3; i++) {
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.unit_m = bad[i];
        check_refused(SC_FORMAT_CNODE, t.pointers, 2, &options, SC_EINVAL,
                      "invalid unit of length");
    }
    for (int i = 0; i < 2; i++) {
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.max_object_snap_m = bad[i];
        check_refused(SC_FORMAT_CNODE, t.pointers, 2, &options, SC_EINVAL,
                      "invalid distance for snapping");
    }
    place_free(&t.place);
}

static void test_the_source_of_a_map_from_many_files_is_cut_to_fit(void **state)
{
    (void)state;
    enum { COUNT = 30 };
    place p = place_new();
    static const char graph[] = "p sp 2 1\na 1 2 10\n";
    char paths[COUNT][600];
    const char *pointers[COUNT];
    for (int i = 0; i < COUNT; i++) {
        char name[40];
        snprintf(name, sizeof name, "a-rather-long-name-%d.gr", i);
        snprintf(paths[i], sizeof paths[i], "%s", place_write(&p, name, graph, strlen(graph)));
        pointers[i] = paths[i];
    }
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    sc_map *map = import_good(SC_FORMAT_DIMACS, pointers, COUNT, &options, NULL);
    assert_int_equal(sc_map_edge_count(map), COUNT);
    assert_int_equal(strlen(sc_map_source(map)), 255);
    CHECK_CONTAINS(sc_map_source(map), "dimacs: a-rather-long-name-0.gr a-rather-long-name-1.gr ");
    sc_map_free(map);
    place_free(&p);
}

static void count_reports(void *context, const char *phase, uint64_t done, uint64_t total)
{
    assert_true(strlen(phase) > 0);
    assert_true(total == 0 || done <= total);
    ++*(int *)context;
}

static void test_progress_is_told_to_the_end(void **state)
{
    (void)state;
    town t;
    town_new(&t);
    int reports = 0;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.progress = (sc_progress){count_reports, &reports};
    sc_map_free(import_good(SC_FORMAT_CNODE, t.pointers, 2, &options, NULL));
    assert_true(reports > 0);
    place_free(&t.place);
}

// ------------------------------------------------------------------------------------------------
// Which files belong together, told from their names.

static void test_the_stem_is_the_name_without_packing_and_ending(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t size;
    } cases[] = {
        {"roads.shp", 5},      {"roads.shp.xz", 5},  {"roads.SHP.GZ", 5}, {"a.b.shp", 3},
        {"d.e/roads.shp", 9},  {"d.e/roads", 9},     {"roads", 5},        {"roads.xz", 5},
        {"d.xz/roads.gz", 10}, {"roads.xz.xz", 5},   {".shp", 0},         {"", 0},
        {"a.gr.old.gr", 8},    {"roads.shp.zip", 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (sc__stem_size(cases[i].path) != cases[i].size) {
            fail_msg("%s: %zu", cases[i].path, sc__stem_size(cases[i].path));
        }
    }
}

static void test_files_of_one_stem_belong_together(void **state)
{
    (void)state;
    assert_true(sc__same_stem("d/roads.shp", "d/roads.dbf.xz"));
    assert_false(sc__same_stem("d/roads.shp", "e/roads.dbf"));
    assert_false(sc__same_stem("roads.shp", "Roads.dbf"));
    assert_false(sc__same_stem("roads.shp", "roads2.dbf"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_small_town_is_imported),
    cmocka_unit_test(test_packed_files_make_the_same_map),
    cmocka_unit_test(test_objects_are_added_to_any_map_and_far_ones_counted),
    SC_CASES(test_every_format_is_read_from_its_files),
    cmocka_unit_test(test_the_attributes_of_a_shapefile_are_found_beside_it),
    cmocka_unit_test(test_what_cannot_be_imported_is_refused_without_a_trace),
    cmocka_unit_test(test_formats_have_the_names_of_the_command_line),
    cmocka_unit_test(test_objects_that_cannot_be_read_are_refused_without_a_trace),
    cmocka_unit_test(test_options_out_of_range_are_refused),
    cmocka_unit_test(test_the_source_of_a_map_from_many_files_is_cut_to_fit),
    cmocka_unit_test(test_progress_is_told_to_the_end),
    cmocka_unit_test(test_the_stem_is_the_name_without_packing_and_ending),
    cmocka_unit_test(test_files_of_one_stem_belong_together),
};
SC_SUITE(tests)
