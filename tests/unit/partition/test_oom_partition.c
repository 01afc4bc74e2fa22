// Every allocation of cutting a map, of describing and of drawing a cut fails once, in turn: it
// says so, leaves nothing half done and leaks nothing (the address sanitizer looks). METIS has an
// allocator of its own.
#include "partition/partition_make.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/random_partition.h"
#include "support/sketch.h"

#include <stdio.h>

static void cut_with_ever_more(const sc_map *map, uint32_t parts)
{
    const sc_partition_options options = {.parts = parts, .seed = 1};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_partition *partition = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_partition_make(map, &options, &partition, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_partition_free(partition);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(partition);
        failures++;
    }
    assert_true(failures >= (parts > 1 ? 14 : 3));
}

static void test_a_map_that_cannot_be_cut(void **state)
{
    (void)state;
    sc_map *map = city_of(500);
    cut_with_ever_more(map, 1);
    cut_with_ever_more(map, 4);                           // by METIS
    cut_with_ever_more(map, sc_map_star_count(map) / 2);  // along the curve
    sc_map_free(map);
}

static void test_a_cut_that_cannot_be_described_or_drawn(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, 5, 5);
    sc_map *map = sketch_map(&grid);
    sc_partition *partition = random_partition(map, 4);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_partition_report report = {0};
        sc_diag diag = {""};
        char text[1 << 14];
        FILE *file = fmemopen(text, sizeof text, "w");
        assert_non_null(file);
        sc_err err = sc_partition_describe(partition, NULL, &report, &diag);
        if (!err) err = sc_partition_draw(partition, &report, file, &diag);
        const bool happened = oom_happened();
        sc_partition_report_fini(&report);
        fclose(file);
        if (!happened) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        failures++;
    }
    assert_true(failures >= 10);
    sc_partition_free(partition);
    sc_map_free(map);
    sketch_free(&grid);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_map_that_cannot_be_cut),
    cmocka_unit_test(test_a_cut_that_cannot_be_described_or_drawn),
};
SC_SUITE(tests)
