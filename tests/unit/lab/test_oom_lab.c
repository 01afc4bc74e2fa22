// The laboratory while memory runs out: every allocation fails once, in turn. It is told, nothing
// leaks (the sanitizer watches), and what is on the disk is as it was.
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

#include "lab/lab.h"
#include "lab/point.h"
#include "lab/results.h"
#include "lab/store.h"

#include <stdio.h>

static sc_map *map;

// Four by four junctions, with cafes.
static int open_map(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sc_builder *builder = sketch_builder(&s);
    for (sc_edge_id edge = 0; edge < s.edge_count; edge += 3) {
        put_object(builder, edge, 0.5, "cafe", "");
    }
    map = finish_builder(builder);
    sketch_free(&s);
    return 0;
}

static int close_map(void **state)
{
    (void)state;
    sc_map_free(map);
    return 0;
}

static sc_lab_options tiny_options(const char *directory)
{
    sc_lab_options options = sc_lab_options_default();
    options.maps[options.map_count++] = (sc_lab_map){.name = "grid", .map = map};
    memset(options.figures, 0, sizeof options.figures);
    options.figures[SC_LAB_SUCCESS] = 1u << SC_LAB_AXIS_K;
    options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{2, 3}, 2};
    options.seed_count = 1;
    options.methods = 1u << SC_LAB_BASIC | 1u << SC_LAB_EXPANSION;
    options.workload.k = sc_normal_around(2, 1, SC_LEAST_COUNT);
    options.workload.l = sc_normal_around(3, 1, SC_LEAST_COUNT);
    options.workload.max_wait_s = sc_normal_around(2, 0, SC_LEAST_WAIT_S);
    options.workload.pause_s = sc_normal_around(4, 1, SC_LEAST_PAUSE_S);
    options.travellers = 20;
    options.warm_up_s = 1;
    options.counted_s = 5;
    options.max_cloaks = 4;
    options.jobs = 1;
    options.directory = directory;
    return options;
}

static void test_a_plan_that_does_not_fit_is_told(void **state)
{
    (void)state;
    const sc_lab_options options = tiny_options("");
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc__plan plan = {0};
        const sc_err err = sc__plan_init(&plan, &options);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            assert_int_equal(plan.count, 2);
            sc__plan_fini(&plan);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(plan.points);
        failures++;
    }
    assert_true(failures > 0);
}

static void test_a_store_without_memory_is_told_and_leaves_the_directory(void **state)
{
    (void)state;
    place p = place_new();
    char directory[600];
    snprintf(directory, sizeof directory, "%s/results", p.path);
    const sc_lab_options options = tiny_options(directory);
    const sc_lab_result result = {.point = sc_lab_point_at(&options, 0, SC_LAB_AXIS_K, 2, 1)};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc__store store;
        sc_diag diag = {""};
        sc_lab_result read;
        bool is_there = false;
        sc_err err = sc__store_open(&store, &options, &diag);
        const bool is_open = !err;
        if (!err) err = sc__store_save(&store, &result, &diag);
        const bool is_saved = !err;
        if (!err) err = sc__store_load(&store, &result.point, &read, &is_there, &diag);
        const bool has_failed = oom_happened();
        if (is_open) sc__store_close(&store);
        if (!has_failed) {
            CHECK_OK(err, &diag);
            assert_true(is_there);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_false(is_there);
        assert_int_equal(count_entries(place_path(&p, "results/points")), is_saved);
        if (is_saved) {
            char name[SC__POINT_NAME];
            char file[SC__POINT_NAME + 32];
            snprintf(file, sizeof file, "results/points/%s.json",
                     sc__point_name(&options, &result.point, name));
            assert_int_equal(unlink(place_path(&p, file)), 0);
        }
        failures++;
    }
    // Names of files, the manifest, the point that is read.
    assert_true(failures >= 3);
    place_free(&p);
}

/** All that there is to do at the point is done once nothing fails any more. */
static void check_whole(const sc_lab_options *options, const sc_lab_result *result)
{
    const sc_lab_point *point = &result->point;
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const sc_lab_measure *measure = &result->by_method[method];
        if (!sc__has_method(options, method)) continue;
        const bool is_shown = point->mean[SC_LAB_AXIS_INJECTED] == 0;
        assert_int_equal(measure->evaluated_cloaks > 0, is_shown);
        assert_int_equal(measure->attacked_cloaks > 0, sc_lab_is_attacked(options, point));
        assert_int_equal(measure->followed[0] > 0, sc_lab_is_followed(options, point));
    }
}

static void fail_everywhere(const sc_lab_options *options, sc_lab_axis axis, double value)
{
    const sc_lab_point point = sc_lab_point_at(options, 0, axis, value, 1);
    unsigned long failures = 0;
    // There are thousands; after the first hundreds some are passed over.
    for (unsigned long n = 1; oom_arm(n); n += 1 + n / 200) {
        sc__map_setup setup = {0};
        sc_lab_result result = {.point = {.map = 4711}};
        sc_diag diag = {""};
        sc_err err = sc__map_setup_init(&setup, options, &options->maps[0], &diag);
        if (!err) err = sc__point_run(options, &setup, &point, &result, &diag);
        const bool has_failed = oom_happened();
        sc__map_setup_fini(&setup);
        if (!has_failed) {
            CHECK_OK(err, &diag);
            check_whole(options, &result);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_int_equal(result.point.map, 4711);
        failures++;
    }
    assert_true(failures > 100);
}

/** What an adversary tries. */
static sc_lab_options attacked_options(void)
{
    sc_lab_options options = tiny_options("");
    options.figures[SC_LAB_ENTROPY] = 1u << SC_LAB_AXIS_K | 1u << SC_LAB_AXIS_INJECTED;
    options.figures[SC_LAB_EFFECTIVE] = 1u << SC_LAB_AXIS_ASKED;
    options.grids[SC_LAB_AXIS_INJECTED] = (sc_lab_grid){{0, 1}, 2};
    options.grids[SC_LAB_AXIS_ASKED] = (sc_lab_grid){{1, 2}, 2};
    options.methods = 1u << SC_LAB_BASIC;
    options.max_victims = 2;
    options.adversary.samples = 32;
    options.adversary.fruitful = 0;
    options.adversary.max_placements = 0;
    options.knows_traffic = true;
    options.is_walk = true;
    return options;
}

static void test_an_attack_survives_the_failure_of_every_allocation(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options();
    fail_everywhere(&options, SC_LAB_AXIS_K, 2);
    fail_everywhere(&options, SC_LAB_AXIS_INJECTED, 1);
    options.is_closed = true;
    fail_everywhere(&options, SC_LAB_AXIS_K, 2);
}

static void test_a_point_survives_the_failure_of_every_allocation(void **state)
{
    (void)state;
    sc_lab_options options = tiny_options("");
    fail_everywhere(&options, SC_LAB_AXIS_K, 2);
    options.is_walk = true;
    fail_everywhere(&options, SC_LAB_AXIS_K, 2);
}

// The processes have the same allocator: what fails in one of them is told by it.
static void test_an_experiment_without_memory_is_told_and_can_be_taken_up_again(void **state)
{
    (void)state;
    place p = place_new();
    char directory[600];
    snprintf(directory, sizeof directory, "%s/results", p.path);
    const sc_lab_options options = tiny_options(directory);
    unsigned long failures = 0;
    for (unsigned long n = 1; oom_arm(n); n += 1 + n / 3) {
        sc_lab_summary summary = {.point_count = 4711};
        sc_diag diag = {""};
        const sc_err err = sc_lab_run(&options, NULL, &summary, &diag);
        oom_happened();
        if (!err) {
            assert_int_equal(summary.point_count, 2);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_int_equal(summary.point_count, 4711);
        failures++;
    }
    assert_true(failures > 10);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_plan_that_does_not_fit_is_told),
    cmocka_unit_test(test_a_store_without_memory_is_told_and_leaves_the_directory),
    cmocka_unit_test(test_a_point_survives_the_failure_of_every_allocation),
    cmocka_unit_test(test_an_attack_survives_the_failure_of_every_allocation),
    cmocka_unit_test(test_an_experiment_without_memory_is_told_and_can_be_taken_up_again),
};
SC_SUITE_WITH(tests, open_map, close_map)
