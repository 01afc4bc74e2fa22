// A map's own objects as a set: its tables are the map's, and what follows from them is right.
#include "lbs/object_set.h"

#include "support/check.h"
#include "support/odd_town.h"
#include "support/scm_patch.h"
#include "support/sketch.h"

#include <pthread.h>

// How far an object is along its segment, edge by edge.
static uint64_t walk_to(const sc_map *map, const sc_object *object)
{
    const sc_seg_id segment = sc_map_edges(map)[object->edge].segment;
    uint64_t along = object->offset;
    for (sc_edge_id e = sc_map_segments(map)[segment].first_edge; e < object->edge; e++) {
        along += sc_map_edges(map)[e].length;
    }
    return along;
}

// The objects [first, end) of a segment by category, and in the order of the road.
static void check_order(const sc_objects_view *view, uint32_t first, uint32_t end)
{
    uint64_t sum = 0;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t object = view->by_category[i];
        assert_true(object >= first && object < end);
        assert_int_equal(view->ordered_category[i], view->category[object]);
        sum += object;
        if (i == first) continue;
        const uint32_t last = view->by_category[i - 1];
        const uint32_t last_category = view->category[last];
        assert_true(last_category < view->category[object] ||
                    (last_category == view->category[object] && last < object));
    }
    // Strictly ascending by two keys, so none is there twice; and none is left out.
    assert_int_equal(sum, (uint64_t)(end - first) * (first + end - 1) / 2);
}

static void check_view(const sc_objects *set)
{
    const sc_objects_view *view = sc__objects_view(set);
    const sc_map *map = view->map;
    uint32_t next = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        uint64_t mask = 0;
        assert_int_equal(view->segment_first[s], next);
        for (; next < view->segment_first[s + 1]; next++) {
            const sc_object *object = &view->objects[next];
            assert_int_equal(sc_map_edges(map)[object->edge].segment, s);
            assert_int_equal(view->along[next], walk_to(map, object));
            assert_int_equal(view->category[next], object->category);
            mask |= UINT64_C(1) << object->category % 64;
        }
        assert_true(view->segment_mask[s] == mask);
        check_order(view, view->segment_first[s], next);
    }
    assert_int_equal(view->segment_first[sc_map_segment_count(map)], next);
    assert_int_equal(view->object_count, next);
    for (sc_category_id c = 0; c < view->category_count; c++) {
        uint32_t size = 0;
        for (uint32_t i = 0; i < next; i++) {
            size += view->objects[i].category == c;
        }
        assert_int_equal(view->category_size[c], size);
    }
}

static void test_what_follows_from_the_objects_is_right(void **state)
{
    (void)state;
    size_t with = 0;
    size_t without = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        check_view(town.objects);
        const uint32_t count = sc_map_object_count(town.map);
        *(count > 0 ? &with : &without) += 1;
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(with > 100 && without > 10);
}

static void test_the_tables_of_the_map_are_lent_not_copied(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_objects *set = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &set), NULL);
    const sc_object_table *table = sc_objects_table(set);
    assert_ptr_equal(sc_objects_map(set), map);
    assert_ptr_equal(table->objects, sc_map_objects(map));
    assert_int_equal(table->count, sc_map_object_count(map));
    assert_null(table->keys);
    for (sc_object_id o = 0; o < table->count; o++) {
        assert_true(table->objects[o].name < table->strings_size);
        assert_ptr_equal(table->strings + table->objects[o].name, sc_map_object_name(map, o));
    }
    assert_int_equal(table->strings[table->strings_size - 1], '\0');

    const sc_vocabulary *vocabulary = sc_objects_vocabulary(set);
    assert_int_equal(vocabulary->count, sc_map_category_count(map));
    for (sc_category_id c = 0; c < vocabulary->count; c++) {
        assert_string_equal(vocabulary->names[c], sc_map_category_name(map, c));
    }
    sc_objects_release(set);
    sc_map_free(map);
}

static void test_a_map_without_objects_has_an_empty_set(void **state)
{
    (void)state;
    sketch s = sketch_named("theta");
    sc_map *map = sketch_map(&s);
    sc_objects *set = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &set), NULL);
    check_view(set);
    const sc_objects_view *view = sc__objects_view(set);
    assert_int_equal(view->object_count, 0);
    assert_int_equal(view->category_count, 0);
    assert_int_equal(view->list_of[0], SC_NONE);
    assert_int_equal(sc_objects_table(set)->count, 0);
    assert_int_equal(sc_objects_vocabulary(set)->count, 0);

    // There is nothing to index, and that is no failure.
    sc_index_options options = sc_index_options_default();
    sc_diag diag = {""};
    CHECK_OK(sc_objects_build_index(set, &options, &diag), &diag);
    const sc_index_info info = sc_objects_index_info(set);
    assert_int_equal(info.k, 0);
    assert_int_equal(info.left_out, 0);
    sc_objects_release(set);
    sc_map_free(map);
    sketch_free(&s);
}

// A file whose numbers are in range, but whose objects lie elsewhere than it says.
static void test_objects_that_are_not_where_the_map_says_are_refused(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    const uint32_t edge_count = sc_map_edge_count(map);
    const uint32_t object_count = sc_map_object_count(map);
    scm_bytes original = scm_of(map);
    sc_map_free(map);
    size_t refused = 0;
    for (uint32_t o = 0; o < object_count; o++) {
        for (uint32_t edge = 0; edge < edge_count; edge++) {
            for (uint32_t way = 0; way < 2; way++) {
                scm_bytes file = scm_copy(&original);
                sc_object *object = (sc_object *)scm_table(&file, SC_TABLE_OBJECTS) + o;
                object->edge = edge;
                object->offset = way ? UINT32_MAX : 0;
                scm_seal(&file);
                sc_map *forged = NULL;
                sc_diag diag = {""};
                CHECK_OK(sc_map_open_memory(file.data, file.size, "x", &forged, &diag), &diag);
                sc_objects *set = NULL;
                const sc_err err = sc_objects_new_from_map(forged, &set);
                // What the map's own check accepts is accepted, and nothing else.
                if (sc_map_check(forged, &diag)) {
                    assert_int_equal(err, SC_EMAP);
                    assert_null(set);
                    refused++;
                } else {
                    CHECK_OK(err, NULL);
                    check_view(set);
                }
                sc_objects_release(set);
                sc_map_free(forged);
                scm_free(&file);
            }
        }
    }
    scm_free(&original);
    assert_true(refused > (size_t)object_count * edge_count);
}

// --- Holders -----------------------------------------------------------------------

static void *hold_and_read(void *argument)
{
    sc_objects *set = argument;
    size_t seen = 0;
    for (int i = 0; i < 2000; i++) {
        sc_objects *held = sc_objects_hold(set);
        seen += sc__objects_view(held)->object_count;
        sc_objects_release(held);
    }
    sc_objects_release(set);
    return (void *)seen;
}

static void test_the_last_of_its_holders_frees_a_set(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_objects *set = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &set), NULL);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, hold_and_read, sc_objects_hold(set)), 0);
    }
    // Which thread is last is up to chance; that it is freed once, the address sanitizer sees.
    const size_t count = sc__objects_view(set)->object_count;
    sc_objects_release(set);
    for (int i = 0; i < THREADS; i++) {
        void *seen = NULL;
        pthread_join(threads[i], &seen);
        assert_int_equal((size_t)seen, 2000 * count);
    }
    sc_objects_release(NULL);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_follows_from_the_objects_is_right),
    cmocka_unit_test(test_the_tables_of_the_map_are_lent_not_copied),
    cmocka_unit_test(test_a_map_without_objects_has_an_empty_set),
    cmocka_unit_test(test_objects_that_are_not_where_the_map_says_are_refused),
    cmocka_unit_test(test_the_last_of_its_holders_frees_a_set),
};
SC_SUITE(tests)
