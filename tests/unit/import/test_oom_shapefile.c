// Every allocation of the shapefile reader fails once, in turn. Shapelib has an
// allocator of its own that cannot be made to fail; all others are covered.
#include "import/import_internal.h"
#include "support/check.h"

#include "base/alloc.h"
#include "support/sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SHAPE_COUNT = 40 };  // enough that every growing array grows

static void test_an_allocation_that_fails_is_told_and_leaks_nothing(void **state)
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_allocation_that_fails_is_told_and_leaks_nothing),
};
SC_SUITE(tests)
