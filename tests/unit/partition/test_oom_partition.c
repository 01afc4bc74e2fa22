// Every allocation of making, reading, walking, describing and drawing a partition fails once, in
// turn: the error is reported, nothing is left half done and nothing leaks (the address sanitizer
// checks). METIS has an allocator of its own.
#include "partition/partition.h"

#include "partition/partition_make.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/random_partition.h"
#include "support/sketch.h"

#include <stdio.h>

// --- The object ---------------------------------------------------------------------------------

static void test_a_partition_that_cannot_be_made(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    uint16_t *parts = test_take(sc_map_star_count(map), sizeof *parts);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_partition *partition = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_partition_new(map, parts, 2, &partition, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_partition_free(partition);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(partition);
        failures++;
    }
    assert_int_equal(failures, 4);  // the partition, its image, the hops and the queue to find them
    free(parts);
    sc_map_free(map);
}

static void test_the_whole_map_as_a_part_that_cannot_be_made(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_partition *partition = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_partition_whole(map, &partition, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_partition_free(partition);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(partition);
        failures++;
    }
    assert_int_equal(failures, 3);
    sc_map_free(map);
}

static void test_a_partition_that_cannot_be_written_or_read(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "a.partition");
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_partition *partition = random_partition(map, 4);
    assert_true(sc_partition_part_count(partition) > 1);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_partition_write(partition, path, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_int_equal(count_entries(p.path), 0);
        failures++;
    }
    assert_true(failures >= 1);
    failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_partition *read = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_partition_read(path, map, &read, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_partition_free(read);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(read);
        failures++;
    }
    assert_int_equal(failures, 4);
    sc_partition_free(partition);
    sc_map_free(map);
    place_free(&p);
}

static void test_a_walker_that_cannot_be_made(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_partition *partition = random_partition(map, 4);
    assert_true(sc_partition_part_count(partition) > 1);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_partition_walker *walker = NULL;
        const sc_err err = sc_partition_walker_new(partition, &walker);
        if (!oom_happened()) {
            assert_int_equal(err, SC_OK);
            // From here on nothing is taken any more.
            oom_arm(1);
            for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
                size_t count = 0;
                sc_partition_reach(walker, s, 5, &count);
            }
            assert_false(oom_happened());
            sc_partition_walker_free(walker);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(walker);
        failures++;
    }
    assert_int_equal(failures, 5);
    sc_partition_free(partition);
    sc_map_free(map);
}

// --- Making and describing ----------------------------------------------------------------------

static void divide_with_ever_more(const sc_map *map, uint32_t parts)
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

static void test_a_map_that_cannot_be_divided(void **state)
{
    (void)state;
    sc_map *map = city_of(500);
    divide_with_ever_more(map, 1);
    divide_with_ever_more(map, 4);                           // by METIS
    divide_with_ever_more(map, sc_map_star_count(map) / 2);  // along the curve
    sc_map_free(map);
}

static void test_a_partition_that_cannot_be_described_or_drawn(void **state)
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
    cmocka_unit_test(test_a_partition_that_cannot_be_made),
    cmocka_unit_test(test_the_whole_map_as_a_part_that_cannot_be_made),
    cmocka_unit_test(test_a_partition_that_cannot_be_written_or_read),
    cmocka_unit_test(test_a_walker_that_cannot_be_made),
    cmocka_unit_test(test_a_map_that_cannot_be_divided),
    cmocka_unit_test(test_a_partition_that_cannot_be_described_or_drawn),
};
SC_SUITE(tests)
