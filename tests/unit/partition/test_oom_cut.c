// Every allocation of making, reading and walking a cut fails once, in turn: it says so, leaves
// nothing half done and leaks nothing (the address sanitizer looks).
#include "partition/partition.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/random_partition.h"
#include "support/sketch.h"

static void test_a_cut_that_cannot_be_made(void **state)
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
    assert_int_equal(failures, 4);  // the cut, its image, the hops and the queue to find them
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

static void test_a_cut_that_cannot_be_written_or_read(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "a.cut");
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cut_that_cannot_be_made),
    cmocka_unit_test(test_the_whole_map_as_a_part_that_cannot_be_made),
    cmocka_unit_test(test_a_cut_that_cannot_be_written_or_read),
    cmocka_unit_test(test_a_walker_that_cannot_be_made),
};
SC_SUITE(tests)
