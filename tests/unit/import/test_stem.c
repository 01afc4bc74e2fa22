// Which files belong together, told from their names.
#include "import/import_internal.h"
#include "support/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
    cmocka_unit_test(test_the_stem_is_the_name_without_packing_and_ending),
    cmocka_unit_test(test_files_of_one_stem_belong_together),
};
SC_SUITE(tests)
