// Every allocation of a whole import fails once, in turn, from the opening of
// packed files to the finished map: it is told, nothing leaks, and neither map
// nor report is touched. The readers' own allocations are also tested beside
// them, without the files.
#include "support/check.h"
#include "support/oom.h"
#include "support/pbf_write.h"
#include "support/place.h"
#include "support/sheet.h"

#include <starcloak/map_import.h>

#include "base/alloc.h"
#include "import/import_internal.h"

#include <cmocka.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

static void write_gzip(const char *path, const char *text)
{
    gzFile out = gzopen(path, "wb");
    assert_non_null(out);
    assert_true(gzputs(out, text) > 0);
    gzclose(out);
}

static void write_xz(const place *p, const char *name, const char *text)
{
    uint8_t bytes[4096];
    size_t used = 0;
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text,
                                             strlen(text), bytes, &used, sizeof bytes),
                     LZMA_OK);
    place_write(p, name, bytes, used);
}

static unsigned long fail_each(sc_format format, const char *const *paths, size_t count,
                               const sc_import_options *options)
{
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_map *map = NULL;
        sc_import_report report = {.bytes_read = 4711};
        sc_diag diag = {""};
        const sc_err err =
            sc_map_import(&(sc_import_source){format, paths, count}, options, &map, &report, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            CHECK_OK(sc_map_check(map, &diag), &diag);
            sc_map_free(map);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(map);
        assert_int_equal(report.bytes_read, 4711);
        failures++;
    }
    return failures;
}

static void test_an_import_of_node_and_edge_files_without_memory_is_told(void **state)
{
    (void)state;
    place p = place_new();
    write_xz(&p, "a.cnode.xz", "0 8.00 50.00\n1 8.01 50.00\n2 8.02 50.00\n3 8.01 50.01\n");
    write_gzip(place_path(&p, "a.cedge.gz"), "0 0 1 0.01\n1 1 2 0.01\n2 1 3 0.01\n");
    place_write_text(&p, "o.csv", "8.001,50.0,cafe,\"Eck, innen\"\n8.01,50.005,bar\n");
    place_write_text(&p, "map.txt", "0 1 0.01 1\n3 0.005 \n1 2 0.01 0\n1 3 0.01 0\n");
    place_write_text(&p, "names.csv", "cat_name,cat_id\nschool,3\n");
    char paths[3][600];
    static const char *const names[] = {"a.cnode.xz", "a.cedge.gz", "map.txt"};
    const char *pointers[3];
    for (int i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s", place_path(&p, names[i]));
        pointers[i] = paths[i];
    }
    char objects[600];
    char categories[600];
    snprintf(objects, sizeof objects, "%s", place_path(&p, "o.csv"));
    snprintf(categories, sizeof categories, "%s", place_path(&p, "names.csv"));
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.objects = objects;
    options.category_names = categories;
    assert_true(fail_each(SC_FORMAT_CNODE, pointers, 3, &options) > 40);
    place_free(&p);
}

static void test_an_import_of_a_dimacs_graph_without_memory_is_told(void **state)
{
    (void)state;
    place p = place_new();
    write_gzip(place_path(&p, "a.gr.gz"),
               "p sp 3 5\na 1 2 10\na 2 1 10\na 2 3 7\na 3 2 7\na 1 1 0\n");
    write_xz(&p, "a.co.xz",
             "p aux sp co 3\nv 1 8000000 50000000\nv 2 8001000 50000000\n"
             "v 3 8002000 50000000\n");
    char paths[2][600];
    snprintf(paths[0], sizeof paths[0], "%s", place_path(&p, "a.gr.gz"));
    snprintf(paths[1], sizeof paths[1], "%s", place_path(&p, "a.co.xz"));
    const char *const pointers[] = {paths[0], paths[1]};
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    assert_true(fail_each(SC_FORMAT_DIMACS, pointers, 2, &options) > 20);
    place_free(&p);
}

static void test_an_import_of_a_dimacs_graph_with_times_without_memory_is_told(void **state)
{
    (void)state;
    static const char *const names[] = {"a-d.gr", "a-t.gr"};
    place p = place_new();
    char paths[2][600];
    const char *pointers[2];
    for (size_t i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s",
                 place_write_text(&p, names[i],
                                  "p sp 3 5\na 1 2 10\na 2 1 10\na 2 3 7\na 3 2 7\na 1 3 9\n"));
        pointers[i] = paths[i];
    }
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    assert_true(fail_each(SC_FORMAT_DIMACS, pointers, 2, &options) > 20);
    place_free(&p);
}

static void test_an_import_of_a_shapefile_without_memory_is_told(void **state)
{
    (void)state;
    static const char *const path = SC_TEST_DATA "/shapefile/crossing.shp";
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    assert_true(fail_each(SC_FORMAT_SHAPEFILE, &path, 1, &options) > 20);
}

static void test_an_import_of_a_sumo_network_without_memory_is_told(void **state)
{
    (void)state;
    enum { EDGE_COUNT = 40, EDGE_SIZE = 200 };  // enough that every growing array grows
    char *text = test_take((size_t)2 * EDGE_COUNT, EDGE_SIZE);
    size_t size = (size_t)snprintf(text, EDGE_SIZE, "<net>");
    for (int i = 0; i < EDGE_COUNT; i++) {
        size += (size_t)snprintf(text + size, EDGE_SIZE,
                                 "<edge from='j%d' to='j%d' name='Street %d' shape='%d,5 %d,6'>"
                                 "<lane length='9' speed='9'/></edge>",
                                 i, i + 1, i, 10 * i, 10 * i + 1);
    }
    for (int i = 0; i <= EDGE_COUNT; i++) {
        size += (size_t)snprintf(text + size, EDGE_SIZE, "<junction id='j%d' x='%d' y='0'/>", i,
                                 10 * i);
    }
    size += (size_t)snprintf(text + size, EDGE_SIZE, "</net>");
    place p = place_new();
    char path[600];
    snprintf(path, sizeof path, "%s", place_write(&p, "a.net.xml", text, size));
    const char *const paths[] = {path};
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    assert_true(fail_each(SC_FORMAT_SUMO, paths, 1, &options) > 40);
    place_free(&p);
    free(text);
}

// ------------------------------------------------------------------------------------------------
// Every allocation of an import of .cnode, .cedge, calmap.txt and category names
// fails once, in turn: it says so, leaks nothing (the address sanitizer looks),
// and leaves its result alone.

enum { ROADS = 40, LINE_SIZE = 64 };  // enough that every growing array grows

// Files of a road of 40 edges with an object on each.
static void write_road(const place *p, char paths[3][600])
{
    char *nodes = test_take(ROADS + 1, LINE_SIZE);
    char *edges = test_take(ROADS, LINE_SIZE);
    char *objects = test_take(ROADS, LINE_SIZE);
    size_t node_size = 0;
    size_t edge_size = 0;
    size_t object_size = 0;
    for (unsigned i = 0; i <= ROADS; i++) {
        node_size += (size_t)snprintf(nodes + node_size, LINE_SIZE, "%u 8.%03u 53\n", i, i);
    }
    for (unsigned i = 0; i < ROADS; i++) {
        edge_size +=
            (size_t)snprintf(edges + edge_size, LINE_SIZE, "%u %u %u 0.001\n", i, i, i + 1);
        object_size += (size_t)snprintf(objects + object_size, LINE_SIZE,
                                        "%u %u 0.001 1\n%u 0.0005 \n", i, i + 1, i);
    }
    snprintf(paths[0], sizeof paths[0], "%s", place_write(p, "a.cnode", nodes, node_size));
    snprintf(paths[1], sizeof paths[1], "%s", place_write(p, "a.cedge", edges, edge_size));
    snprintf(paths[2], sizeof paths[2], "%s", place_write(p, "calmap.txt", objects, object_size));
    free(nodes);
    free(edges);
    free(objects);
}

static void test_an_allocation_that_fails_for_cnode_leaks_nothing(void **state)
{
    (void)state;
    const place p = place_new();
    char files[3][600];
    write_road(&p, files);
    static const char names[] = "cat_name,cat_id\nschool,0\nfuel,7\nbar,39\n";
    const char *paths[] = {files[0], files[1], files[2]};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.category_names = place_write(&p, "names.csv", names, strlen(names));
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_map *map = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 3}, &options,
                                         &map, NULL, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_map_edge_count(map), ROADS);
            assert_int_equal(sc_map_object_count(map), ROADS);
            sc_map_free(map);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(map);
        failures++;
    }
    // Nodes, edges, names, categories, objects, and the tables of the map.
    assert_true(failures > 40);
    place_free(&p);
}

// ------------------------------------------------------------------------------------------------
// Every allocation of an import of DIMACS graphs, packed and with coordinates,
// fails once, in turn: it says so, leaks nothing (the address sanitizer looks),
// and leaves its result alone.

static void test_an_import_that_runs_out_of_memory_says_so_and_leaks_nothing(void **state)
{
    (void)state;
    const char *paths[] = {SC_TEST_DATA "/dimacs/east.gr", SC_TEST_DATA "/dimacs/east.co",
                           SC_TEST_DATA "/dimacs/west.gr.gz", SC_TEST_DATA "/dimacs/west.co.xz"};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_map *map = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_map_import(&(sc_import_source){SC_FORMAT_DIMACS, paths, 4},
                                         &SC_IMPORT_DEFAULTS, &map, NULL, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_map_edge_count(map), 5);
            sc_map_free(map);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(map);
        failures++;
    }
    // Unpacking alone takes several; then places, pairs, nodes, edges, tables.
    assert_true(failures > 40);
}

static void test_growing_tables_that_cannot_grow_leak_nothing(void **state)
{
    (void)state;
    enum { ARC_COUNT = 100, ARC_LINE_SIZE = 32 };
    char *text = test_take(ARC_COUNT + 1, ARC_LINE_SIZE);
    size_t size = (size_t)snprintf(text, ARC_LINE_SIZE, "p sp %d %d\n", ARC_COUNT + 1, ARC_COUNT);
    for (int i = 1; i <= ARC_COUNT; i++) {
        size += (size_t)snprintf(text + size, ARC_LINE_SIZE, "a %d %d 5\n", i, i + 1);
    }
    const sc_input input = {"a.gr", (const uint8_t *)text, size};
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_import_report report = {0};
        sc_diag diag = {""};
        const sc_load load = {&input, 1, &options, &report, &diag};
        sc_builder *builder = NULL;
        const sc_err err = sc__load_dimacs(&load, &builder);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_builder_edge_count(builder), ARC_COUNT);
            sc_builder_free(builder);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while reading");
        assert_null(builder);
        failures++;
    }
    // The hash, the half roads, the edges and their classes grow several times.
    assert_true(failures > 12);
    free(text);
}

// ------------------------------------------------------------------------------------------------
// Every allocation of the MobiSim reader fails once, in turn: it says so, leaks
// nothing (the address sanitizer looks), and leaves its result alone.

// Enough points and nested groups that every growing array grows.
static const char drawing[] =
    "<svg><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g id='FOOTBRIDGE'>"
    "<polyline points='0,0 1,0 2,0 3,0 4,0 5,0 6,0 7,0 8,0 9,0 10,0 11,0 12,0 13,0 14,0 15,0 "
    "16,0 17,0 18,0 19,0 20,0 21,0 22,0 23,0 24,0 25,0 26,0 27,0 28,0 29,0 30,0 31,0 32,0 33,0 "
    "34,0 35,0 36,0 37,0 38,0 39,0 40,0 41,0 42,0 43,0 44,0 45,0 46,0 47,0 48,0 49,0 50,0'/>"
    "</g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></svg>";

static void test_an_allocation_that_fails_for_mobisim_leaks_nothing(void **state)
{
    (void)state;
    const sc_input input = {"map.svg", (const uint8_t *)drawing, strlen(drawing)};
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    sc_import_report report = {0};
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        sc_diag diag = {""};
        const sc_load load = {&input, 1, &options, &report, &diag};
        sc_builder *builder = NULL;
        sc_alloc_fail_at(n);
        const sc_err err = sc__load_mobisim(&load, &builder);
        const bool has_failed = sc_alloc_has_failed();
        sc_alloc_fail_at(0);
        if (!has_failed) {
            assert_int_equal(err, SC_OK);
            assert_int_equal(sc_builder_edge_count(builder), 50);
            sc_builder_free(builder);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_string_equal(diag.message, "out of memory while reading a MobiSim map");
        assert_null(builder);
        failures++;
    }
    // The builder, the parser, groups, nodes, edges and points: all were hit.
    assert_true(failures > 10);
}

// ------------------------------------------------------------------------------------------------
// Every allocation of the shapefile reader fails once, in turn. Shapelib has an
// allocator of its own that cannot be made to fail; all others are covered.

enum { SHAPE_COUNT = 40 };  // enough that every growing array grows

static void test_an_allocation_that_fails_for_shapefile_leaks_nothing(void **state)
{
    (void)state;
    sheet_shape shapes[SHAPE_COUNT];
    for (int i = 0; i < SHAPE_COUNT; i++) {
        shapes[i] = (sheet_shape){3, 1, {i, i + 1, i + 1}, {0, 0, 1}, {0}, "S1400"};
    }
    sheet s = sheet_new(SHPT_ARC, shapes, SHAPE_COUNT, "MTFCC");
    const sc_input inputs[] = {{"roads.shp", s.shp, s.shp_size}, {"roads.dbf", s.dbf, s.dbf_size}};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.classes = "S1400";
    sc_import_report report = {0};
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        sc_diag diag = {""};
        const sc_load load = {inputs, 2, &options, &report, &diag};
        sc_builder *builder = NULL;
        sc_alloc_fail_at(n);
        const sc_err err = sc__load_shapefile(&load, &builder);
        const bool has_failed = sc_alloc_has_failed();
        sc_alloc_fail_at(0);
        if (!has_failed) {
            assert_int_equal(err, SC_OK);
            assert_int_equal(sc_builder_edge_count(builder), 2 * SHAPE_COUNT);
            sc_builder_free(builder);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_non_null(strstr(diag.message, "out of memory while "));
        assert_null(builder);
        failures++;
    }
    // The layers, the index, the builder, nodes, edges and vertices: all were hit.
    assert_true(failures > 10);
    sheet_free(&s);
}

// ------------------------------------------------------------------------------------------------
// Reading OpenStreetMap data while memory runs out: every allocation fails once, in
// turn. Nothing may leak (the sanitizer watches), and the error must say so.

static const char xml[] =
    "<osm><node id='11' lat='1' lon='1'/><node id='12' lat='1' lon='1.1'>"
    "<tag k='shop' v='books'/><tag k='name' v='Page One'/></node><node id='13' lat='1.1' lon='1'/>"
    "<way id='21'><nd ref='11'/><nd ref='12'/><tag k='highway' v='road'/>"
    "<tag k='name' v='Ring'/><tag k='ref' v='B 37'/><tag k='oneway' v='yes'/></way>"
    "<way id='20'><nd ref='13'/><nd ref='12'/><tag k='highway' v='road'/></way>"
    "<way id='22'><nd ref='11'/><nd ref='12'/><nd ref='13'/><nd ref='11'/>"
    "<tag k='leisure' v='park'/></way></osm>";

static pbf_bytes make_pbf(pbf_packing packing)
{
    pbf_bytes file = {0};
    pbf_block block = PBF_BLOCK;
    const pbf_node nodes[] = {
        {1, 10000000, 10000000, NULL},
        {2, 11000000, 10000000, PBF_TAGS("amenity", "cafe", "name", "Bean")},
        {3, 11000000, 11000000, NULL},
    };
    pbf_add_header(&file, packing, PBF_FEATURES("OsmSchema-V0.6"));
    pbf_add_dense_nodes(&block, nodes, 2);
    pbf_add_plain_node(&block, &nodes[2]);
    pbf_add_block(&file, packing, &block);
    pbf_add_way(&block, 5, (int64_t[]){1, 2, 3}, 3,
                PBF_TAGS("highway", "road", "name", "Ring", "oneway", "-1"));
    pbf_add_way(&block, 4, (int64_t[]){3, 1}, 2, PBF_TAGS("highway", "road"));
    pbf_add_way(&block, 6, (int64_t[]){1, 2, 3, 1}, 4, PBF_TAGS("shop", "yes", "name", "Mall"));
    pbf_add_block(&file, packing, &block);
    return file;
}

static void assert_survives(const sc_input *inputs, size_t count, uint32_t edge_count)
{
    unsigned long n = 1;
    for (;; n++) {
        sc_import_report report = {0};
        sc_diag diag = {""};
        const sc_load load = {inputs, count, &SC_IMPORT_DEFAULTS, &report, &diag};
        sc_builder *builder = NULL;
        sc_alloc_fail_at(n);
        const sc_err err = sc__load_osm(&load, &builder);
        const bool has_failed = sc_alloc_has_failed();
        sc_alloc_fail_at(0);
        if (!has_failed) {
            assert_int_equal(err, SC_OK);
            assert_int_equal(sc_builder_edge_count(builder), edge_count);
            sc_builder_free(builder);
            break;
        }
        if (err != SC_ENOMEM) fail_msg("allocation %lu: %d %s", n, (int)err, diag.message);
        assert_null(builder);
        assert_non_null(strstr(diag.message, "out of memory"));
    }
    // So that the loop is known to have met the allocations there are.
    assert_true(n > 20);
}

static void test_pbf_with_zlib_survives_every_failing_allocation(void **state)
{
    (void)state;
    pbf_bytes file = make_pbf(PBF_ZLIB);
    assert_survives(&(sc_input){"a.pbf", file.data, file.size}, 1, 3);
    pbf_free(&file);
}

static void test_raw_pbf_survives_every_failing_allocation(void **state)
{
    (void)state;
    pbf_bytes file = make_pbf(PBF_RAW);
    assert_survives(&(sc_input){"a.pbf", file.data, file.size}, 1, 3);
    pbf_free(&file);
}

static void test_pbf_and_xml_together_survive_every_failing_allocation(void **state)
{
    (void)state;
    pbf_bytes file = make_pbf(PBF_ZLIB);
    const sc_input inputs[] = {{"a.pbf", file.data, file.size},
                               {"b.osm", (const uint8_t *)xml, strlen(xml)}};
    assert_survives(inputs, 2, 5);
    pbf_free(&file);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_import_of_node_and_edge_files_without_memory_is_told),
    cmocka_unit_test(test_an_import_of_a_dimacs_graph_without_memory_is_told),
    cmocka_unit_test(test_an_import_of_a_dimacs_graph_with_times_without_memory_is_told),
    cmocka_unit_test(test_an_import_of_a_shapefile_without_memory_is_told),
    cmocka_unit_test(test_an_import_of_a_sumo_network_without_memory_is_told),
    cmocka_unit_test(test_an_allocation_that_fails_for_cnode_leaks_nothing),
    cmocka_unit_test(test_an_import_that_runs_out_of_memory_says_so_and_leaks_nothing),
    cmocka_unit_test(test_growing_tables_that_cannot_grow_leak_nothing),
    cmocka_unit_test(test_an_allocation_that_fails_for_mobisim_leaks_nothing),
    cmocka_unit_test(test_an_allocation_that_fails_for_shapefile_leaks_nothing),
    cmocka_unit_test(test_pbf_with_zlib_survives_every_failing_allocation),
    cmocka_unit_test(test_raw_pbf_survives_every_failing_allocation),
    cmocka_unit_test(test_pbf_and_xml_together_survive_every_failing_allocation),
};
SC_SUITE(tests)
