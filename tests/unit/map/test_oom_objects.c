// Every allocation of adding objects from a CSV file, and of putting them on the
// map, fails once, in turn: it says so and leaks nothing (the address sanitizer
// looks).
#include "import/load.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

#include <stdio.h>

enum { OBJECTS = 70, LINE_SIZE = 64 };  // enough that every growing array grows

static void test_an_allocation_that_fails_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    char *text = test_take(OBJECTS + 1, LINE_SIZE);
    size_t size = (size_t)snprintf(text, LINE_SIZE, "lon,lat,category,name\n");
    for (int i = 0; i < OBJECTS; i++) {
        size += (size_t)snprintf(text + size, LINE_SIZE, "%d,3,\"kind, %d\",\"no. \"\"%d\"\"\"\n",
                                 i, i, i);
    }
    const sc_input input = {"shops.csv", (const uint8_t *)text, size};
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 2, 2);
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        // The map they go on is made before memory runs short.
        sc_builder *builder = sketch_builder(&grid);
        sc_map *map = NULL;
        sc_diag diag = {""};
        oom_arm(n);
        sc_import_report report = {0};
        sc_err err = sc__load_objects(&input, builder, &report, &diag);
        if (!err) err = sc_builder_finish(builder, 1e9, NULL, &map, NULL, &diag);
        const bool failed = oom_happened();
        sc_builder_free(builder);
        if (!failed) {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_map_object_count(map), OBJECTS);
            assert_int_equal(sc_map_category_count(map), OBJECTS);
            sc_map_free(map);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(map);
        failures++;
    }
    // Lines, categories, strings, objects, and the tables of the map.
    assert_true(failures > 30);
    sketch_free(&grid);
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_allocation_that_fails_is_told_and_leaks_nothing),
};
SC_SUITE(tests)
