// Every allocation of building, checking and describing a map fails once, in
// turn: it is told, nothing leaks (the address sanitizer looks), and what was to
// be set is untouched.
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

#include <starcloak/map_export.h>
#include <starcloak/map_info.h>
#include <starcloak/star.h>

#include "attack/belief.h"
#include "attack/placements.h"
#include "base/file.h"
#include "import/import_internal.h"
#include "map/density_internal.h"
#include "map/place_classes_internal.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

// A builder fed with a bit of everything, so that every growing array grows. It
// stops at the first failure, as a reader does.
static sc_err feed(sc_builder *builder)
{
    sc_err err = SC_OK;
    for (int i = 0; i < 40 && !err; i++) {
        const int row = i / 8;
        sc_node_id node = SC_NONE;
        err = sc_builder_add_node(builder, i % 8 * 10.0, row * 10.0, &node);
    }
    for (sc_node_id i = 0; i < 39 && !err; i++) {
        err = sc_builder_add_edge(builder, i, i + 1, SC_LENGTH_FROM_NODES, SC_ROAD_LOCAL, NULL);
        if (!err && i + 8 < 40 && i % 3 == 0) {
            err = sc_builder_add_edge(builder, i, i + 8, 10.0, SC_ROAD_RAMP, NULL);
        }
    }
    for (sc_edge_id e = 0; e < 40 && !err; e++) {
        const char name[] = {'A', (char)('a' + e % 26), (char)('a' + e / 26)};
        err = sc_builder_set_edge_times(builder, e, 1.0, e % 3 == 0 ? SC_CLOSED_S : 2.0);
        if (!err) err = sc_builder_set_edge_name(builder, e, name, 3);
    }
    for (uint32_t i = 0; i < 70 && !err; i++) {
        const char name[] = {(char)('a' + i % 26), (char)('a' + i / 26), 'x', '\0'};
        sc_category_id category = SC_NONE;
        err = sc_builder_add_category(builder, name, 3, &category);
        if (!err) err = sc_builder_add_object_on_edge(builder, i % 30, 0.3, category, name, 3);
        if (!err) err = sc_builder_add_object_at(builder, i, i, category, name, 3);
    }
    return err;
}

static void test_building_a_map_without_memory_is_told(void **state)
{
    (void)state;
    unsigned long in_feeding = 0;
    unsigned long in_finishing = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_builder *builder = NULL;
        sc_map *map = NULL;
        sc_build_report report = {.objects_too_far = 4711};
        sc_diag diag = {""};
        sc_err err = sc_builder_new(SC_COORDS_PLANAR, &builder);
        if (!err) err = feed(builder);
        const bool fed = !err;
        if (fed) err = sc_builder_finish(builder, HUGE_VAL, NULL, &map, &report, &diag);
        const bool failed = oom_happened();
        sc_builder_free(builder);
        if (!failed) {
            CHECK_OK(err, &diag);
            CHECK_OK(sc_map_check(map, &diag), &diag);
            sc_map_free(map);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(map);
        assert_int_equal(report.objects_too_far, 4711);
        if (fed) CHECK_CONTAINS(diag.message, "out of memory while ");
        in_feeding += !fed;
        in_finishing += fed;
    }
    assert_true(in_feeding > 20 && in_finishing > 15);
}

static void test_a_builder_that_ran_out_of_memory_can_go_on(void **state)
{
    (void)state;
    // One node fails; it is not counted, and later ones get in.
    sc_builder *builder = NULL;
    sc_node_id node = SC_NONE;
    CHECK_OK(sc_builder_new(SC_COORDS_PLANAR, &builder), NULL);
    sc_alloc_fail_at(1);
    assert_int_equal(sc_builder_add_node(builder, 0, 0, &node), SC_ENOMEM);
    sc_alloc_fail_at(0);
    assert_int_equal(node, SC_NONE);
    assert_int_equal(sc_builder_node_count(builder), 0);
    CHECK_OK(feed(builder), NULL);
    sc_map_free(finish_builder(builder));
}

static void test_a_category_that_failed_can_be_named_again(void **state)
{
    (void)state;
    sketch s = sketch_named("lone road");
    FOR_EACH_FAILURE(n)
    {
        sc_alloc_fail_at(0);
        sc_builder *builder = sketch_builder(&s);
        sc_category_id cafe = SC_NONE;
        sc_alloc_fail_at(n);
        const sc_err err = sc_builder_add_category(builder, "cafe", 4, &cafe);
        const bool failed = oom_happened();
        if (failed) {
            assert_int_equal(err, SC_ENOMEM);
            assert_int_equal(cafe, SC_NONE);
        }
        put_object(builder, 0, 0.5, "cafe", "");
        sc_map *map = finish_builder(builder);
        assert_int_equal(sc_map_category_count(map), 1);
        assert_string_equal(sc_map_category_name(map, 0), "cafe");
        sc_map_free(map);
        if (!failed) break;
        assert_true(n < 100);
    }
    sketch_free(&s);
}

static void test_checking_a_map_without_memory_is_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_map_check(map, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while checking");
        failures++;
    }
    assert_true(failures >= 3);
    sc_map_free(map);
}

static void test_describing_a_map_without_memory_is_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_map_info untouched;
    memset(&untouched, 0xee, sizeof untouched);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_map_info info;
        memcpy(&info, &untouched, sizeof info);
        const sc_err err = sc_map_describe(map, &info);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            assert_int_equal(info.components, 3);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_memory_equal(&info, &untouched, sizeof info);
        failures++;
    }
    assert_true(failures > 10);
    sc_map_free(map);
}

static void test_snapping_needs_no_memory(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_snap snap = {0};
    sc_alloc_fail_at(1);
    const sc_err err = sc_map_snap(map, 8.0, 50.0, HUGE_VAL, &snap);
    assert_false(oom_happened());
    CHECK_OK(err, NULL);
    sc_map_free(map);
}

// ------------------------------------------------------------------------------------------------
// Walkers of the star graph without memory: told, nothing leaks, and a walk
// itself needs none.

static void test_a_walker_without_memory_is_told(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_ball *ball = NULL;
        const sc_err err = sc_ball_new(map, &ball);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            sc_ball_free(ball);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(ball);
        failures++;
    }
    assert_int_equal(failures, 4);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_walk_needs_no_memory(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    sc_ball *ball = NULL;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    sc_alloc_fail_at(1);
    size_t count = 0;
    sc_ball_walk(ball, 0, 4, &count);
    const size_t segments = sc_ball_segment_count(ball);
    assert_false(oom_happened());
    assert_int_equal(count, 3);
    assert_int_equal(segments, 8);
    sc_ball_free(ball);
    sc_map_free(map);
    sketch_free(&s);
}

// ------------------------------------------------------------------------------------------------
// Every allocation of adding objects from a CSV file, and of putting them on the
// map, fails once, in turn: it says so and leaks nothing (the address sanitizer
// looks).

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

// ------------------------------------------------------------------------------------------------
// Every allocation of saving, opening and exporting a map fails once, in turn:
// it is told, nothing leaks, and no file is made or changed.

static void check_old(const char *path)
{
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(text, "old");
    free(text);
}

static void test_saving_without_memory_leaves_the_old_file(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write(&p, "m.scm", "old", 3);
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_map_save(map, path, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        check_old(path);
        assert_int_equal(count_entries(p.path), 1);
        failures++;
    }
    assert_true(failures >= 1);
    sc_map_free(map);
    place_free(&p);
}

static void test_opening_without_memory_is_told(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "m.scm");
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    CHECK_OK(sc_map_save(map, path, NULL), NULL);
    sc_map_free(map);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_map *opened = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_map_open(path, &opened, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_map_free(opened);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(opened);
        failures++;
    }
    assert_true(failures >= 1);
    place_free(&p);
}

static void test_exporting_without_memory_leaves_no_file_and_no_directory(void **state)
{
    (void)state;
    place p = place_new();
    const char *directory = place_path(&p, "csv");
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_map_export_csv(map, directory, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(count_entries(directory), 5);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        // All files or none, also where memory ends while they get their names.
        assert_int_equal(count_entries(p.path), 0);
        failures++;
    }
    assert_true(failures >= 10);  // five paths, five outputs
    sc_map_free(map);
    place_free(&p);
}

static void test_exporting_geojson_without_memory_leaves_no_file(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_map_export_geojson(map, place_path(&p, "m.json"), &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_int_equal(count_entries(p.path), 0);
    }
    assert_int_equal(count_entries(p.path), 1);
    sc_map_free(map);
    place_free(&p);
}

// ------------------------------------------------------------------------------------------------
// Every allocation of making, reading and writing densities, of beliefs and of draws fails once, in
// turn: it says so, leaves nothing half done and leaks nothing (the address sanitizer looks).

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

static void test_classes_that_cannot_be_read(void **state)
{
    (void)state;
    static const char text[] = "segment,class\n1,clinic\n";
    const sc_input input = {"c.csv", (const uint8_t *)text, sizeof text - 1};
    sc_map *map = some_map();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_place_classes *classes = NULL;
        sc_diag diag = {""};
        const sc_err err = sc__place_classes_read_input(map, &input, &classes, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_place_classes_free(classes);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while reading classes of places");
        assert_null(classes);
        failures++;
    }
    assert_int_equal(failures, 2);  // the room for a line, and the classes
    sc_map_free(map);
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
    cmocka_unit_test(test_building_a_map_without_memory_is_told),
    cmocka_unit_test(test_a_builder_that_ran_out_of_memory_can_go_on),
    cmocka_unit_test(test_a_category_that_failed_can_be_named_again),
    cmocka_unit_test(test_checking_a_map_without_memory_is_told),
    cmocka_unit_test(test_describing_a_map_without_memory_is_told),
    cmocka_unit_test(test_snapping_needs_no_memory),
    cmocka_unit_test(test_a_walker_without_memory_is_told),
    cmocka_unit_test(test_a_walk_needs_no_memory),
    cmocka_unit_test(test_an_allocation_that_fails_is_told_and_leaks_nothing),
    cmocka_unit_test(test_saving_without_memory_leaves_the_old_file),
    cmocka_unit_test(test_opening_without_memory_is_told),
    cmocka_unit_test(test_exporting_without_memory_leaves_no_file_and_no_directory),
    cmocka_unit_test(test_exporting_geojson_without_memory_leaves_no_file),
    cmocka_unit_test(test_a_density_that_cannot_be_made),
    cmocka_unit_test(test_classes_that_cannot_be_read),
    cmocka_unit_test(test_a_table_that_cannot_be_written_or_read),
    cmocka_unit_test(test_a_belief_that_cannot_be_held),
    cmocka_unit_test(test_draws_that_cannot_be_prepared),
};
SC_SUITE(tests)
