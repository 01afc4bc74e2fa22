// Building an index: what fits into the room there is, how many threads there are, what is told
// meanwhile. That the lists themselves are right is shown in test_nearest_sweep.c.
#include "lbs/object_set.h"

#include "support/check.h"
#include "support/odd_town.h"
#include "support/sketch.h"

#include <stdio.h>

enum { SIDE = 12 };
static const size_t LIST_BYTES = 16;
static const size_t ENTRY_BYTES = 12;  // with what the way costs in the other metric

// How many objects each category has; two are equally frequent.
static const uint32_t sizes[] = {40, 3, 12, 200, 12};
enum { CATEGORIES = sizeof sizes / sizeof *sizes };

/** A grid with these objects. */
typedef struct fixture {
    sc_map *map;
    sc_objects *objects;
} fixture;

static fixture fixture_new(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, SIDE, SIDE);
    fixture f = {.map = sketch_map(&s)};
    sketch_free(&s);
    sc_rng rng;
    sc_rng_seed(&rng, 4);
    sc_objects_builder *builder = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_objects_builder_new(f.map, &builder), NULL);
    for (uint32_t c = 0; c < CATEGORIES; c++) {
        for (uint32_t i = 0; i < sizes[c]; i++) {
            char key[32];
            char category[16];
            snprintf(key, sizeof key, "%u %u", c, i);
            snprintf(category, sizeof category, "kind %u", c);
            CHECK_OK(sc_objects_builder_add(
                         builder,
                         &(sc_object_row){.edge = sc_rng_below(&rng, sc_map_edge_count(f.map)),
                                          .offset_m = 100.0 * sc_rng_unit(&rng),
                                          .key = key,
                                          .category = category,
                                          .name = NULL},
                         &diag),
                     &diag);
        }
    }
    CHECK_OK(sc_objects_builder_finish(builder, &f.objects), NULL);
    sc_objects_builder_free(builder);
    return f;
}

static void fixture_free(fixture *f)
{
    sc_objects_release(f->objects);
    sc_map_free(f->map);
}

static sc_index_info build(const fixture *f, uint32_t k, size_t max_bytes, unsigned threads)
{
    const sc_index_options options = {.k = k, .max_bytes = max_bytes, .threads = threads};
    sc_diag diag = {""};
    CHECK_OK(sc_objects_build_index(f->objects, &options, &diag), &diag);
    return sc_objects_index_info(f->objects);
}

static void test_with_room_for_all_every_category_gets_a_list(void **state)
{
    (void)state;
    fixture f = fixture_new();
    const sc_index_info info = build(&f, 8, SIZE_MAX, 1);
    const sc_objects_view *view = sc__objects_view(f.objects);
    const size_t stars = sc_map_star_count(f.map);
    assert_int_equal(info.k, 8);
    assert_int_equal(info.list_count, 12);
    assert_int_equal(info.left_out, 0);
    assert_int_equal(info.bytes, 2 * (6 * LIST_BYTES + stars * (5 * 8 + 3) * ENTRY_BYTES));
    // A category of three has lists of three.
    for (unsigned metric = 0; metric < SC_METRIC_COUNT; metric++) {
        const uint32_t rare = sc__objects_list_of(view, (sc_metric)metric, 1);
        assert_int_equal(view->index.lists[rare].k, 3);
        assert_int_equal(view->index.lists[rare].metric, metric);
        assert_int_equal(view->index.lists[6 * metric + 5].category, SC_NONE);
        assert_int_equal(view->index.lists[6 * metric + 5].metric, metric);
    }
    fixture_free(&f);
}

// Room is given byte by byte around every size at which one more list fits.
static void test_the_most_frequent_are_left_out_first_and_all_together_last(void **state)
{
    (void)state;
    fixture f = fixture_new();
    const sc_objects_view *view = sc__objects_view(f.objects);
    const size_t stars = sc_map_star_count(f.map);
    // In the order in which they are taken in: all, then by size, of equal sizes the lower number
    // first.
    static const uint32_t order[] = {CATEGORIES, 1, 2, 4, 0, 3};
    static const uint32_t lengths[] = {8, 3, 8, 8, 8, 8};
    size_t needed = 0;
    for (uint32_t fit = 0; fit <= 6; fit++) {
        if (fit > 0) needed += 2 * (LIST_BYTES + stars * lengths[fit - 1] * ENTRY_BYTES);
        const size_t next = fit < 6 ? 2 * (LIST_BYTES + stars * lengths[fit] * ENTRY_BYTES) : 1000;
        const size_t rooms[] = {needed, needed + 1, needed + next - 1};
        for (int i = 0; i < 3; i++) {
            const sc_index_info info = build(&f, 8, rooms[i], 1);
            assert_int_equal(info.list_count, 2 * fit);
            assert_int_equal(info.left_out, 6 - fit);
            assert_int_equal(info.bytes, needed);
            assert_int_equal(info.k, fit > 0 ? 8 : 0);
            for (uint32_t j = 0; j < 6; j++) {
                for (unsigned m = 0; m < SC_METRIC_COUNT; m++) {
                    const uint32_t list = sc__objects_list_of(view, (sc_metric)m, order[j]);
                    assert_int_equal(list != SC_NONE, j < fit);
                }
            }
        }
    }
    fixture_free(&f);
}

static void test_a_new_index_takes_the_place_of_the_old(void **state)
{
    (void)state;
    fixture f = fixture_new();
    sc_diag diag = {""};
    assert_int_equal(build(&f, 8, SIZE_MAX, 1).list_count, 12);
    assert_int_equal(build(&f, 2, SIZE_MAX, 1).k, 2);
    CHECK_OK(sc_objects_check_index(f.objects, &diag), &diag);
    // No room: then there is none.
    assert_int_equal(build(&f, 2, 0, 1).k, 0);
    assert_int_equal(sc__objects_view(f.objects)->index.list_count, 0);
    assert_int_equal(build(&f, 64, SIZE_MAX, 1).k, 64);
    CHECK_OK(sc_objects_check_index(f.objects, &diag), &diag);
    fixture_free(&f);
}

static void test_a_k_out_of_range_is_refused_and_the_old_index_stays(void **state)
{
    (void)state;
    fixture f = fixture_new();
    build(&f, 5, SIZE_MAX, 1);
    static const uint32_t bad[] = {0, 65, 1000, UINT32_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_index_options options = sc_index_options_default();
        options.k = bad[i];
        sc_diag diag = {""};
        CHECK_REFUSED(sc_objects_build_index(f.objects, &options, &diag), SC_EINVAL, &diag,
                      "1 to 64");
    }
    assert_int_equal(sc_objects_index_info(f.objects).k, 5);
    fixture_free(&f);
}

static void test_any_number_of_threads_makes_the_same_index(void **state)
{
    (void)state;
    fixture f = fixture_new();
    const sc_objects_view *view = sc__objects_view(f.objects);
    const sc_index_info alone = build(&f, 8, SIZE_MAX, 1);
    const size_t count = (alone.bytes - alone.list_count * LIST_BYTES) / ENTRY_BYTES;
    assert_int_equal(count, view->index.entry_count);
    sc_nearest *entries = test_take(count, sizeof *entries);
    uint32_t *others = test_take(count, sizeof *others);
    memcpy(entries, view->index.entries, count * sizeof *entries);
    memcpy(others, view->index.others, count * sizeof *others);
    static const unsigned threads[] = {0, 2, 3, 6, 100, 100000};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        const sc_index_info info = build(&f, 8, SIZE_MAX, threads[i]);
        assert_int_equal(info.bytes, alone.bytes);
        assert_memory_equal(view->index.entries, entries, count * sizeof *entries);
        assert_memory_equal(view->index.others, others, count * sizeof *others);
    }
    free(entries);
    free(others);
    fixture_free(&f);
}

// A star's eight nearest lie in one cache line.
static void test_entries_begin_at_a_cache_line(void **state)
{
    (void)state;
    fixture f = fixture_new();
    for (uint32_t k = 1; k < 20; k++) {
        build(&f, k, SIZE_MAX, 1);
        assert_int_equal((uintptr_t)sc__objects_view(f.objects)->index.entries % 64, 0);
    }
    fixture_free(&f);
}

/** What was reported. */
typedef struct reports {
    uint64_t count;
    uint64_t done;
    uint64_t total;
} reports;

static void listen(void *context, const char *phase, uint64_t done, uint64_t total)
{
    reports *r = context;
    assert_string_equal(phase, "indexing objects");
    assert_true(done >= r->done && done <= total);
    *r = (reports){r->count + 1, done, total};
}

static void test_progress_is_told_list_by_list(void **state)
{
    (void)state;
    fixture f = fixture_new();
    for (unsigned threads = 1; threads < 4; threads++) {
        reports told = {0};
        sc_index_options options = sc_index_options_default();
        options.threads = threads;
        options.progress = (sc_progress){listen, &told};
        sc_diag diag = {""};
        CHECK_OK(sc_objects_build_index(f.objects, &options, &diag), &diag);
        assert_int_equal(told.done, 12);
        assert_int_equal(told.total, 12);
        assert_true(told.count >= 2);
    }
    fixture_free(&f);
}

static void test_the_defaults_are_eight_objects_and_a_gigabyte(void **state)
{
    (void)state;
    const sc_index_options options = sc_index_options_default();
    assert_int_equal(options.k, 8);
    assert_int_equal(options.max_bytes, 1000000000);
    assert_int_equal(options.threads, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_with_room_for_all_every_category_gets_a_list),
    cmocka_unit_test(test_the_most_frequent_are_left_out_first_and_all_together_last),
    cmocka_unit_test(test_a_new_index_takes_the_place_of_the_old),
    cmocka_unit_test(test_a_k_out_of_range_is_refused_and_the_old_index_stays),
    cmocka_unit_test(test_any_number_of_threads_makes_the_same_index),
    cmocka_unit_test(test_entries_begin_at_a_cache_line),
    cmocka_unit_test(test_progress_is_told_list_by_list),
    cmocka_unit_test(test_the_defaults_are_eight_objects_and_a_gigabyte),
};
SC_SUITE(tests)
