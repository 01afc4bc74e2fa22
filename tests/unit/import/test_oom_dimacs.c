// Every allocation of an import of DIMACS graphs, packed and with coordinates,
// fails once, in turn: it says so, leaks nothing (the address sanitizer looks),
// and leaves its result alone.
#include <starcloak/map_import.h>

#include "import/import_internal.h"
#include "support/check.h"
#include "support/oom.h"

#include <stdio.h>

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
        const sc_err err =
            sc_map_import(SC_FORMAT_DIMACS, paths, 4, &SC_IMPORT_DEFAULTS, &map, NULL, &diag);
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
    enum { ARCS = 100, LINE_SIZE = 32 };
    char *text = test_take(ARCS + 1, LINE_SIZE);
    size_t size = (size_t)snprintf(text, LINE_SIZE, "p sp %d %d\n", ARCS + 1, ARCS);
    for (int i = 1; i <= ARCS; i++) {
        size += (size_t)snprintf(text + size, LINE_SIZE, "a %d %d 5\n", i, i + 1);
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
            assert_int_equal(sc_builder_edge_count(builder), ARCS);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_import_that_runs_out_of_memory_says_so_and_leaks_nothing),
    cmocka_unit_test(test_growing_tables_that_cannot_grow_leak_nothing),
};
SC_SUITE(tests)
