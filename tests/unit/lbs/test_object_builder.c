// Sets of objects from elsewhere: in the order of the road whatever order they came in, with the
// map's own categories first, and nothing taken in that makes no sense.
#include "lbs/object_set.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

#include <math.h>
#include <stdio.h>

static sc_objects_builder *builder_on(const sc_map *map)
{
    sc_objects_builder *builder = NULL;
    CHECK_OK(sc_objects_builder_new(map, &builder), NULL);
    return builder;
}

static void add(sc_objects_builder *builder, sc_edge_id edge, double offset_m, const char *key,
                const char *category, const char *name)
{
    sc_diag diag = {""};
    CHECK_OK(
        sc_objects_builder_add(
            builder,
            &(sc_object_row){
                .edge = edge, .offset_m = offset_m, .key = key, .category = category, .name = name},
            &diag),
        &diag);
}

// The builder is used up.
static sc_objects *finish(sc_objects_builder *builder)
{
    sc_objects *set = NULL;
    CHECK_OK(sc_objects_builder_finish(builder, &set), NULL);
    sc_objects_builder_free(builder);
    return set;
}

static const char *key_of(const sc_objects *set, uint32_t object)
{
    const sc_object_table *table = sc_objects_table(set);
    return table->strings + table->keys[object];
}

static const char *name_of(const sc_objects *set, uint32_t object)
{
    const sc_object_table *table = sc_objects_table(set);
    return table->strings + table->objects[object].name;
}

static void test_objects_lie_in_the_order_of_the_road_then_as_they_came(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        const uint32_t count = sc_rng_below(&rng, 60);
        sc_objects_builder *builder = builder_on(map);
        for (uint32_t i = 0; i < count; i++) {
            const sc_edge_id edge = sc_rng_below(&rng, sc_map_edge_count(map));
            const double part = sc_rng_below(&rng, 4) / 3.0;
            char key[16];
            char name[16];
            snprintf(key, sizeof key, "%u", i);
            snprintf(name, sizeof name, "%u %u", edge, sc_rng_below(&rng, 5));
            add(builder, edge, part * sc_map_edge_length_m(map, edge), key, i % 2 ? "a" : "b",
                i % 3 ? name : NULL);
        }
        sc_objects *set = finish(builder);
        const sc_objects_view *view = sc__objects_view(set);
        assert_int_equal(view->object_count, count);
        for (uint32_t i = 0; i < count; i++) {
            const sc_object *object = &view->objects[i];
            const unsigned long order = strtoul(key_of(set, i), NULL, 10);
            const sc_segment *segment =
                &sc_map_segments(map)[sc_map_edges(map)[object->edge].segment];
            assert_true(view->along[i] <= segment->length);
            assert_string_equal(sc_objects_vocabulary(set)->names[object->category],
                                order % 2 ? "a" : "b");
            // What a row said stays together.
            if (order % 3) {
                assert_int_equal(strtoul(name_of(set, i), NULL, 10), object->edge);
            } else {
                assert_string_equal(name_of(set, i), "");
            }
            if (i == 0) continue;
            const sc_object *before = object - 1;
            assert_true(before->edge <= object->edge);
            if (before->edge < object->edge) continue;
            assert_true(before->offset <= object->offset);
            if (before->offset == object->offset) {
                assert_true(strtoul(key_of(set, i - 1), NULL, 10) < order);
            }
        }
        sc_objects_release(set);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_the_categories_of_the_map_come_first_and_keep_their_numbers(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    const uint32_t own = sc_map_category_count(map);
    sc_objects_builder *builder = builder_on(map);
    add(builder, 0, 0, "1", "zoo", NULL);
    add(builder, 0, 0, "2", sc_map_category_name(map, own - 1), NULL);
    add(builder, 0, 0, "3", "bar", NULL);
    add(builder, 0, 0, "4", "zoo", NULL);
    sc_objects *set = finish(builder);
    const sc_vocabulary *words = sc_objects_vocabulary(set);
    assert_int_equal(words->count, own + 2);
    for (sc_category_id c = 0; c < own; c++) {
        assert_string_equal(words->names[c], sc_map_category_name(map, c));
    }
    assert_string_equal(words->names[own], "zoo");
    assert_string_equal(words->names[own + 1], "bar");
    const uint32_t categories[] = {own, own - 1, own + 1, own};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(sc__objects_view(set)->category[i], categories[i]);
    }
    assert_int_equal(sc__objects_view(set)->category_size[own], 2);
    assert_int_equal(sc__objects_view(set)->category_size[0], 0);
    sc_objects_release(set);
    sc_map_free(map);
}

static void test_more_categories_than_a_mask_has_bits_share_them(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_objects_builder *builder = builder_on(map);
    for (uint32_t i = 0; i < 200; i++) {
        char key[16];
        char category[16];
        snprintf(key, sizeof key, "%u", i);
        snprintf(category, sizeof category, "kind %u", i);
        add(builder, i % sc_map_edge_count(map), 0, key, category, NULL);
    }
    sc_objects *set = finish(builder);
    const sc_objects_view *view = sc__objects_view(set);
    for (uint32_t i = 0; i < view->object_count; i++) {
        const sc_seg_id segment = sc_map_edges(map)[view->objects[i].edge].segment;
        assert_true(view->segment_mask[segment] >> view->category[i] % 64 & 1);
        assert_int_equal(view->category_size[view->category[i]], 1);
    }
    sc_objects_release(set);
    sc_map_free(map);
}

static void test_an_offset_is_kept_within_its_edge(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    const uint32_t length = sc_map_edges(map)[2].length;
    const double unit = sc_map_unit_m(map);
    sc_objects_builder *builder = builder_on(map);
    add(builder, 2, -1e300, "a", "c", NULL);
    add(builder, 2, -0.0001, "b", "c", NULL);
    add(builder, 2, 1.4 * unit, "c", "c", NULL);
    add(builder, 2, 1.6 * unit, "d", "c", NULL);
    add(builder, 2, length * unit + 0.001, "e", "c", NULL);
    add(builder, 2, 1e300, "f", "c", NULL);
    sc_objects *set = finish(builder);
    const uint32_t offsets[] = {0, 0, 1, 2, length, length};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(sc_objects_table(set)->objects[i].offset, offsets[i]);
    }
    sc_objects_release(set);
    sc_map_free(map);
}

static void test_a_row_that_makes_no_sense_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_objects_builder *builder = builder_on(map);
    add(builder, 0, 0, "first", "a", "n");
    static const struct {
        sc_edge_id edge;
        double offset_m;
        const char *key;
        const char *category;
        const char *name;
        const char *said;
    } rows[] = {
        {1000, 0, "k", "c", NULL, "no edge 1000"},
        {SC_NONE, 0, "k", "c", NULL, "no edge"},
        {0, NOT_A_NUMBER, "k", "c", NULL, "not a number"},
        {0, HUGE_VAL, "k", "c", NULL, "not a number"},
        {0, -HUGE_VAL, "k", "c", NULL, "not a number"},
        {0, 0, "", "c", NULL, "has no key"},
        {0, 0, NULL, "c", NULL, "has no key"},
        {0, 0, "\xff", "c", NULL, "key is not UTF-8"},
        {0, 0, "k", "", NULL, "object 'k' has no category"},
        {0, 0, "k", NULL, NULL, "object 'k' has no category"},
        {0, 0, "k", "\xc3", NULL, "the category of object 'k' is not UTF-8"},
        {0, 0, "k", "new", "\x80", "the name of object 'k' is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sc_diag diag = {""};
        CHECK_REFUSED(sc_objects_builder_add(builder,
                                             &(sc_object_row){.edge = rows[i].edge,
                                                              .offset_m = rows[i].offset_m,
                                                              .key = rows[i].key,
                                                              .category = rows[i].category,
                                                              .name = rows[i].name},
                                             &diag),
                      SC_EINVAL, &diag, rows[i].said);
    }
    add(builder, 0, 0, "last", "b", "");
    sc_objects *set = finish(builder);
    assert_int_equal(sc_objects_table(set)->count, 2);
    assert_string_equal(key_of(set, 0), "first");
    assert_string_equal(key_of(set, 1), "last");
    assert_int_equal(sc_objects_vocabulary(set)->count, sc_map_category_count(map) + 2);
    sc_objects_release(set);
    sc_map_free(map);
}

static void test_a_key_that_another_object_has_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_objects_builder *builder = builder_on(map);
    add(builder, 0, 0, "one", "a", NULL);
    add(builder, 0, 0, "a", "one", NULL);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_objects_builder_add(
                      builder,
                      &(sc_object_row){
                          .edge = 1, .offset_m = 0, .key = "one", .category = "new", .name = "n"},
                      &diag),
                  SC_EDUPLICATE, &diag, "two objects have the key 'one';");
    add(builder, 2, 0, "One", "a", NULL);
    sc_objects *set = NULL;
    CHECK_OK(sc_objects_builder_finish(builder, &set), NULL);
    assert_int_equal(sc_objects_table(set)->count, 3);
    assert_int_equal(sc_objects_vocabulary(set)->count, sc_map_category_count(map) + 2);
    sc_objects_release(set);
    // The next set knows nothing of this one.
    add(builder, 0, 0, "one", "a", NULL);
    sc_objects_release(finish(builder));
    sc_map_free(map);
}

static void test_a_builder_starts_over_after_each_set(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_objects_builder *builder = builder_on(map);
    sc_objects *sets[3] = {NULL};
    add(builder, 1, 0, "one", "x", "first");
    CHECK_OK(sc_objects_builder_finish(builder, &sets[0]), NULL);
    CHECK_OK(sc_objects_builder_finish(builder, &sets[1]), NULL);
    add(builder, 2, 0, "two", "y", "second");
    CHECK_OK(sc_objects_builder_finish(builder, &sets[2]), NULL);
    sc_objects_builder_free(builder);
    const uint32_t own = sc_map_category_count(map);
    assert_string_equal(key_of(sets[0], 0), "one");
    assert_int_equal(sc_objects_vocabulary(sets[0])->count, own + 1);
    assert_int_equal(sc_objects_table(sets[1])->count, 0);
    assert_int_equal(sc_objects_vocabulary(sets[1])->count, own);
    assert_string_equal(key_of(sets[2], 0), "two");
    assert_string_equal(name_of(sets[2], 0), "second");
    assert_string_equal(sc_objects_vocabulary(sets[2])->names[own], "y");
    for (int i = 0; i < 3; i++) {
        sc_objects_release(sets[i]);
    }
    sc_map_free(map);
}

static void test_a_set_that_is_not_the_maps_own_cannot_be_saved_with_it(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_objects_builder *builder = builder_on(map);
    add(builder, 1, 0, "one", "x", NULL);
    sc_objects *set = finish(builder);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_objects_save_map(set, "nowhere/m.scm", &diag), SC_EINVAL, &diag,
                  "not the map's own");
    sc_objects_release(set);

    // An empty one neither, on a map without objects.
    sketch s = sketch_named("ring");
    sc_map *bare = sketch_map(&s);
    set = finish(builder_on(bare));
    CHECK_REFUSED(sc_objects_save_map(set, "nowhere/m.scm", &diag), SC_EINVAL, &diag,
                  "not the map's own");
    sc_objects_release(set);
    sc_map_free(bare);
    sketch_free(&s);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_objects_lie_in_the_order_of_the_road_then_as_they_came),
    cmocka_unit_test(test_the_categories_of_the_map_come_first_and_keep_their_numbers),
    cmocka_unit_test(test_more_categories_than_a_mask_has_bits_share_them),
    cmocka_unit_test(test_an_offset_is_kept_within_its_edge),
    cmocka_unit_test(test_a_row_that_makes_no_sense_is_refused_and_changes_nothing),
    cmocka_unit_test(test_a_key_that_another_object_has_is_refused_and_changes_nothing),
    cmocka_unit_test(test_a_builder_starts_over_after_each_set),
    cmocka_unit_test(test_a_set_that_is_not_the_maps_own_cannot_be_saved_with_it),
};
SC_SUITE(tests)
