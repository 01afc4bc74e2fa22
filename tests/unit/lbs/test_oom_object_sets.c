// Every allocation of making a set of objects, of indexing, checking and saving it fails once, in
// turn: it says so and leaks nothing (the address sanitizer looks). One thread does the work,
// since the failures are those of this thread alone.
#include <starcloak/objects.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

#include <stdio.h>

enum { OBJECTS = 70 };  // enough that every growing array grows

static sc_map *map_with_objects(void)
{
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    sc_builder *builder = sketch_builder(&grid);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        put_object(builder, i % grid.edge_count, i / 100.0, i % 3 ? "a" : "b", "name");
    }
    sketch_free(&grid);
    return finish_builder(builder);
}

static void test_a_maps_own_set_is_made_or_not_at_all(void **state)
{
    (void)state;
    sc_map *maps[] = {map_with_objects(), NULL};
    sketch bare = sketch_named("theta");
    maps[1] = sketch_map(&bare);
    for (int i = 0; i < 2; i++) {
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_objects *set = NULL;
            const sc_err err = sc_objects_new_from_map(maps[i], &set);
            if (!oom_happened()) {
                CHECK_OK(err, NULL);
                sc_objects_release(set);
                break;
            }
            assert_int_equal(err, SC_ENOMEM);
            assert_null(set);
            failures++;
        }
        assert_true(failures >= 5);
        sc_map_free(maps[i]);
    }
    sketch_free(&bare);
}

// Rows until one is refused.
static sc_err add_rows(sc_objects_builder *builder, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (uint32_t i = 0; i < OBJECTS && !err; i++) {
        char key[32];
        char category[32];
        snprintf(key, sizeof key, "a key of some length %u", i);
        snprintf(category, sizeof category, "kind %u", i / 2);
        err = sc_objects_builder_add(builder,
                                     &(sc_object_row){.edge = i % 20,
                                                      .offset_m = i,
                                                      .key = key,
                                                      .category = category,
                                                      .name = i % 2 ? key : NULL},
                                     diag);
    }
    return err;
}

static void test_a_built_set_is_made_or_not_at_all(void **state)
{
    (void)state;
    sc_map *map = map_with_objects();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_objects_builder *builder = NULL;
        sc_objects *set = NULL;
        sc_diag diag = {""};
        sc_err err = sc_objects_builder_new(map, &builder);
        if (!err) err = add_rows(builder, &diag);
        if (!err) err = sc_objects_builder_finish(builder, &set);
        const bool failed = oom_happened();
        if (failed && builder) {
            // It can be used again once there is memory.
            sc_objects *later = NULL;
            CHECK_OK(sc_objects_builder_finish(builder, &later), NULL);
            sc_objects_release(later);
        }
        sc_objects_builder_free(builder);
        if (!failed) {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_objects_table(set)->count, OBJECTS);
            sc_objects_release(set);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(set);
        failures++;
    }
    assert_true(failures > 20);
    sc_map_free(map);
}

static void test_an_index_is_made_or_the_old_one_stays(void **state)
{
    (void)state;
    sc_map *map = map_with_objects();
    sc_objects *set = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &set), NULL);
    sc_index_options options = {.k = 1, .max_bytes = SIZE_MAX, .threads = 1};
    sc_diag diag = {""};
    CHECK_OK(sc_objects_build_index(set, &options, &diag), &diag);
    options.k = 4;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_objects_build_index(set, &options, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "indexing objects");
        assert_int_equal(sc_objects_index_info(set).k, 1);
        failures++;
    }
    assert_true(failures >= 10);
    assert_int_equal(sc_objects_index_info(set).k, 4);

    failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_objects_check_index(set, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "checking an index");
        failures++;
    }
    assert_true(failures >= 5);
    sc_objects_release(set);
    sc_map_free(map);
}

static void test_a_map_is_saved_with_its_index_or_not_at_all(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = map_with_objects();
    sc_objects *set = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &set), NULL);
    const sc_index_options options = {.k = 2, .max_bytes = SIZE_MAX, .threads = 1};
    sc_diag diag = {""};
    CHECK_OK(sc_objects_build_index(set, &options, &diag), &diag);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_objects_save_map(set, place_path(&p, "m.scm"), &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_int_equal(count_entries(p.path), 0);
        failures++;
    }
    assert_true(failures >= 1);
    assert_int_equal(count_entries(p.path), 1);
    sc_objects_release(set);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_maps_own_set_is_made_or_not_at_all),
    cmocka_unit_test(test_a_built_set_is_made_or_not_at_all),
    cmocka_unit_test(test_an_index_is_made_or_the_old_one_stays),
    cmocka_unit_test(test_a_map_is_saved_with_its_index_or_not_at_all),
};
SC_SUITE(tests)
