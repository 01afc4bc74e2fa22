// Every allocation of the MobiSim reader fails once, in turn: it says so, leaks
// nothing (the address sanitizer looks), and leaves its result alone.
#include "import/import_internal.h"
#include "support/check.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// Enough points and nested groups that every growing array grows.
static const char drawing[] =
    "<svg><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g id='FOOTBRIDGE'>"
    "<polyline points='0,0 1,0 2,0 3,0 4,0 5,0 6,0 7,0 8,0 9,0 10,0 11,0 12,0 13,0 14,0 15,0 "
    "16,0 17,0 18,0 19,0 20,0 21,0 22,0 23,0 24,0 25,0 26,0 27,0 28,0 29,0 30,0 31,0 32,0 33,0 "
    "34,0 35,0 36,0 37,0 38,0 39,0 40,0 41,0 42,0 43,0 44,0 45,0 46,0 47,0 48,0 49,0 50,0'/>"
    "</g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></svg>";

static void test_an_allocation_that_fails_is_told_and_leaks_nothing(void **state)
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_allocation_that_fails_is_told_and_leaks_nothing),
};
SC_SUITE(tests)
