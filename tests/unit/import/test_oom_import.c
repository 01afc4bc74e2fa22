// Every allocation of a whole import fails once, in turn, from the opening of
// packed files to the finished map: it is told, nothing leaks, and neither map
// nor report is touched. The readers' own allocations are also tested beside
// them, without the files.
#include <starcloak/map_import.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

#include <lzma.h>
#include <stdio.h>
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

static void test_an_import_of_a_shapefile_without_memory_is_told(void **state)
{
    (void)state;
    static const char *const path = SC_TEST_DATA "/shapefile/crossing.shp";
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    assert_true(fail_each(SC_FORMAT_SHAPEFILE, &path, 1, &options) > 20);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_import_of_node_and_edge_files_without_memory_is_told),
    cmocka_unit_test(test_an_import_of_a_dimacs_graph_without_memory_is_told),
    cmocka_unit_test(test_an_import_of_a_shapefile_without_memory_is_told),
};
SC_SUITE(tests)
