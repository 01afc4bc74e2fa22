// Every allocation of making, reading and writing densities, of beliefs and of draws fails once, in
// turn: it says so, leaves nothing half done and leaks nothing (the address sanitizer looks).
#include "attack/belief.h"
#include "map/density_internal.h"
#include "attack/placements.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

static sc_map *some_map(void)
{
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sc_map *map = sketch_map(&grid);
    sketch_free(&grid);
    return map;
}

static void test_a_density_that_cannot_be_made(void **state)
{
    (void)state;
    sc_map *map = some_map();
    uint64_t *counts = test_take(sc_map_segment_count(map), sizeof *counts);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_density *uniform = NULL;
        sc_density *counted = NULL;
        sc_err err = sc_density_new_uniform(map, &uniform);
        if (!err) err = sc_density_new_counted(map, counts, &counted);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        if (happened) assert_null(counted);
        sc_density_free(uniform);
        sc_density_free(counted);
        if (!happened) break;
        failures++;
    }
    assert_int_equal(failures, 2);
    free(counts);
    sc_map_free(map);
}

static void read_with_ever_more(const sc_map *map, const char *path)
{
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_density *density = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_density_read(map, path, &density, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_density_free(density);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(density);
        failures++;
    }
    assert_true(failures >= 2);  // the room for a line, and the density
}

static void test_a_table_that_cannot_be_written_or_read(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "d.csv");
    sc_map *map = some_map();
    uint64_t *counts = test_take(sc_map_segment_count(map), sizeof *counts);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_density_write_counts(map, counts, path, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_int_equal(count_entries(p.path), 0);
        failures++;
    }
    assert_true(failures >= 2);
    read_with_ever_more(map, path);
    free(counts);
    sc_map_free(map);
    place_free(&p);
}

static void test_a_belief_that_cannot_be_held(void **state)
{
    (void)state;
    const double rows[] = {1, 2, 3, 3, 2, 1};
    const double prior[] = {0.5, 0.25, 0.25};
    const sc_seg_id segments[] = {4, 5, 6};
    const sc__likelihoods likelihoods = {rows, 2, 3};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_posterior posterior = {.replays = 7};
        const sc_err err = sc__posterior_init(&posterior, segments, &likelihoods, prior);
        if (!oom_happened()) {
            assert_int_equal(err, SC_OK);
            sc_posterior_fini(&posterior);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(posterior.links);  // it is untouched
        assert_int_equal(posterior.replays, 7);
        failures++;
    }
    assert_int_equal(failures, 4);
}

static void test_draws_that_cannot_be_prepared(void **state)
{
    (void)state;
    const double w[] = {0.5, 0.5};
    sc__draws draws = {0};
    oom_arm(1);
    assert_false(sc__draws_init(&draws, w, 2));
    assert_true(oom_happened());
    assert_null(draws.sums);
    sc__draws_fini(&draws);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_density_that_cannot_be_made),
    cmocka_unit_test(test_a_table_that_cannot_be_written_or_read),
    cmocka_unit_test(test_a_belief_that_cannot_be_held),
    cmocka_unit_test(test_draws_that_cannot_be_prepared),
};
SC_SUITE(tests)
