// The nearest index in the map file: it comes back as it was stored, is no part of the map's
// identity, and nothing in it can be wrong in a way that matters without the file being refused.
#include "map/map_tables.h"

#include <starcloak/objects.h>

#include "support/check.h"
#include "support/odd_town.h"
#include "support/scm_patch.h"
#include "support/sketch.h"

static sc_map *open_bytes(const scm_bytes *file)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_open_memory(file->data, file->size, "some.scm", &map, &diag), &diag);
    return map;
}

static void build(sc_objects *objects, uint32_t k, size_t max_bytes)
{
    const sc_index_options options = {.k = k, .max_bytes = max_bytes, .threads = 1};
    sc_diag diag = {""};
    CHECK_OK(sc_objects_build_index(objects, &options, &diag), &diag);
}

// In each of two metrics: two categories, and all objects together.
enum { LISTS = 6 };

// A small map of two categories that has both kinds of unused entries.
static scm_bytes full_file(void)
{
    sc_map *map = full_map_with_directions(SC_COORDS_GEOGRAPHIC);
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
    build(objects, 3, SIZE_MAX);
    scm_bytes file = scm_of_objects(objects);
    sc_objects_release(objects);
    sc_map_free(map);
    return file;
}

// --- There and back ------------------------------------------------------------------

static void test_an_index_comes_back_as_it_was_stored(void **state)
{
    (void)state;
    size_t stored = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        odd_town_index(&town);
        scm_bytes file = scm_of_objects(town.objects);
        sc_map *opened = open_bytes(&file);
        sc_objects *again = NULL;
        CHECK_OK(sc_objects_new_from_map(opened, &again), NULL);
        const sc_index_info before = sc_objects_index_info(town.objects);
        const sc_index_info after = sc_objects_index_info(again);
        assert_memory_equal(&before, &after, sizeof before);
        sc_diag diag = {""};
        CHECK_OK(sc_objects_check_index(again, &diag), &diag);
        CHECK_OK(sc_map_check(opened, &diag), &diag);
        stored += after.list_count > 0;

        // Saved once more, with the index that it has, it is the same byte for byte.
        scm_bytes twice = scm_of(opened);
        assert_int_equal(twice.size, file.size);
        assert_memory_equal(twice.data, file.data, file.size);
        scm_free(&twice);
        sc_objects_release(again);
        sc_map_free(opened);
        scm_free(&file);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(stored > 100);
}

static void test_the_index_is_no_part_of_the_maps_identity(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
    for (uint32_t k = 1; k < 6; k++) {
        for (size_t room = 0; room < 1000; room += 50) {
            build(objects, k, room);
            scm_bytes file = scm_of_objects(objects);
            sc_map *opened = open_bytes(&file);
            assert_true(sc_map_checksum(opened) == sc_map_checksum(map));
            sc_map_free(opened);
            scm_free(&file);
        }
    }
    sc_objects_release(objects);
    sc_map_free(map);
}

static void test_an_index_can_be_taken_out_again(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    scm_bytes plain = scm_of(map);
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
    build(objects, 2, SIZE_MAX);
    scm_bytes with = scm_of_objects(objects);
    sc_objects_release(objects);
    sc_map_free(map);

    map = open_bytes(&with);
    CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
    assert_int_equal(sc_objects_index_info(objects).k, 2);
    build(objects, 2, 0);
    scm_bytes without = scm_of_objects(objects);
    assert_true(with.size > plain.size);
    assert_int_equal(without.size, plain.size);
    assert_memory_equal(without.data, plain.data, plain.size);
    sc_objects_release(objects);
    sc_map_free(map);
    scm_free(&plain);
    scm_free(&with);
    scm_free(&without);
}

// --- Damage ----------------------------------------------------------------------------

static void check_refused(const scm_bytes *file)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_map_open_memory(file->data, file->size, "x.scm", &map, &diag);
    if (!err) sc_map_free(map);
    CHECK_REFUSED(err, SC_EFORMAT, &diag, "x.scm: ");
}

static void test_a_file_with_an_index_and_any_byte_changed_is_refused(void **state)
{
    (void)state;
    scm_bytes file = full_file();
    for (size_t i = 0; i < file.size; i++) {
        check_case(i);
        file.data[i] ^= 0x40;
        check_refused(&file);
        file.data[i] ^= 0x40;
    }
    check_case_done();
    sc_map_free(open_bytes(&file));
    scm_free(&file);
}

static void test_a_file_with_an_index_cut_at_any_length_is_refused(void **state)
{
    (void)state;
    scm_bytes file = full_file();
    for (size_t size = 0; size < file.size; size++) {
        check_case(size);
        scm_bytes cut = {test_take(size, 1), size};
        if (size > 0) memcpy(cut.data, file.data, size);
        check_refused(&cut);
        scm_free(&cut);
    }
    check_case_done();
    scm_free(&file);
}

// --- Forgeries: every checksum is right, and one number is not --------------------------

static sc_nearest_list *lists_in(const scm_bytes *file)
{
    return scm_table(file, SC_TABLE_NEAREST_LISTS);
}

static void test_a_forged_list_is_refused(void **state)
{
    (void)state;
    scm_bytes original = full_file();
    assert_int_equal(scm_header(&original)->tables[SC_TABLE_NEAREST_LISTS].count, LISTS);
#define FORGE(change)                             \
    do {                                          \
        scm_bytes file = scm_copy(&original);     \
        sc_nearest_list *lists = lists_in(&file); \
        change;                                   \
        scm_seal(&file);                          \
        check_refused(&file);                     \
        scm_free(&file);                          \
    } while (0)
    FORGE(lists[0].category = 2);
    FORGE(lists[0].category = 1);
    FORGE(lists[0].category = SC_NONE);
    FORGE(lists[1].category = 0);
    FORGE(lists[1].category = SC_NONE - 1);
    FORGE(lists[2].category = 1);
    FORGE(lists[2].category = 2);
    FORGE(lists[3].category = 1);
    FORGE(lists[0].metric = SC_METRIC_TIME);
    FORGE(lists[2].metric = SC_METRIC_TIME);
    FORGE(lists[3].metric = SC_METRIC_DISTANCE);
    FORGE(lists[5].metric = SC_METRIC_DISTANCE);
    for (int i = 0; i < LISTS; i++) {
        FORGE(lists[i].metric = SC_METRIC_COUNT);
        FORGE(lists[i].metric = UINT16_MAX);
        FORGE(lists[i].k = 0);
        FORGE(lists[i].k++);
        FORGE(lists[i].k--);
        FORGE(lists[i].k = 65);
        FORGE(lists[i].k = UINT16_MAX);
        FORGE(lists[i].first++);
        FORGE(lists[i].first--);
        FORGE(lists[i].first = UINT64_MAX);
        FORGE(lists[i].first = UINT64_C(1) << 63);
    }
    // Sizes that only add up modulo 2^64, or exchanged among each other.
    FORGE({
        const sc_nearest_list first = lists[0];
        lists[0].k = lists[2].k;
        lists[2].k = first.k;
    });
#undef FORGE
    scm_free(&original);
}

static void test_lists_that_are_too_few_or_too_many_are_refused(void **state)
{
    (void)state;
    scm_bytes original = full_file();
    for (int lists = 0; lists < LISTS + 2; lists++) {
        for (int entries = -1; entries < 2; entries++) {
            scm_bytes file = scm_copy(&original);
            sc_scm_table *tables = scm_header(&file)->tables;
            const uint64_t entry_count = tables[SC_TABLE_NEAREST].count;
            if (lists == LISTS && entries == 0) {
                scm_free(&file);
                continue;
            }
            // The file's bytes stay; where the tables end is what is forged.
            tables[SC_TABLE_NEAREST_LISTS].count = (uint64_t)lists;
            tables[SC_TABLE_NEAREST].count = entry_count + (uint64_t)(int64_t)entries;
            scm_seal_header(&file);
            check_refused(&file);
            scm_free(&file);
        }
    }
    scm_free(&original);
}

/** Whether what is stored of a star says what it may, as nearest.h has it. */
static bool is_fine(const sc_map *map, const sc_nearest_list *list, const sc_nearest *star)
{
    for (uint32_t i = 0; i < list->k; i++) {
        const sc_nearest *before = i > 0 ? &star[i - 1] : NULL;
        if (star[i].object == SC_NONE) {
            if (star[i].cost != SC_NEAREST_ALL && star[i].cost != SC_NEAREST_CUT) {
                return false;
            }
            if (before && before->object == SC_NONE && before->cost != star[i].cost) {
                return false;
            }
            continue;
        }
        if (star[i].object >= sc_map_object_count(map)) return false;
        if (list->category != SC_NONE &&
            sc_map_objects(map)[star[i].object].category != list->category) {
            return false;
        }
        if (star[i].cost == SC_NEAREST_CUT) return false;
        if (!before) continue;
        if (before->object == SC_NONE || before->cost > star[i].cost ||
            (before->cost == star[i].cost && before->object >= star[i].object)) {
            return false;
        }
    }
    return true;
}

// Each entry in turn becomes something else. A forgery that keeps to the rules opens, and is
// found by the check that makes the index again.
static void test_a_forged_entry_is_refused_or_found_to_be_wrong(void **state)
{
    (void)state;
    scm_bytes original = full_file();
    sc_map *map = open_bytes(&original);
    const uint32_t objects = sc_map_object_count(map);
    size_t refused = 0;
    size_t wrong = 0;
    for (int l = 0; l < LISTS; l++) {
        const sc_nearest_list list = lists_in(&original)[l];
        const size_t count = (size_t)sc_map_star_count(map) * list.k;
        for (size_t i = 0; i < count; i++) {
            const uint32_t ids[] = {0, 1, objects - 1, objects, INT32_MAX, SC_NONE - 1, SC_NONE};
            const uint32_t costs[] = {0, 1, 12345, UINT32_MAX - 1, UINT32_MAX};
            for (size_t j = 0; j < 35; j++) {
                scm_bytes file = scm_copy(&original);
                sc_nearest *entries = scm_table(&file, SC_TABLE_NEAREST);
                sc_nearest *entry = &entries[list.first + i];
                const sc_nearest forged = {ids[j % 7], costs[j / 7]};
                const bool is_same = entry->object == forged.object && entry->cost == forged.cost;
                *entry = forged;
                scm_seal(&file);
                const sc_nearest *star = &entries[list.first + i / list.k * list.k];
                if (!is_fine(map, &list, star)) {
                    check_refused(&file);
                    refused++;
                } else if (!is_same) {
                    sc_map *opened = open_bytes(&file);
                    sc_objects *set = NULL;
                    sc_diag diag = {""};
                    CHECK_OK(sc_objects_new_from_map(opened, &set), NULL);
                    CHECK_REFUSED(sc_objects_check_index(set, &diag), SC_EMAP, &diag,
                                  "nearest index");
                    sc_objects_release(set);
                    sc_map_free(opened);
                    wrong++;
                }
                scm_free(&file);
            }
        }
    }
    assert_true(refused > 500 && wrong > 50);
    sc_map_free(map);
    scm_free(&original);
}

// What a way costs in the other metric is not looked at when a map is opened.
static void test_a_forged_cost_in_the_other_metric_is_found_to_be_wrong(void **state)
{
    (void)state;
    scm_bytes original = full_file();
    const uint64_t count = scm_header(&original)->tables[SC_TABLE_NEAREST_OTHERS].count;
    assert_int_equal(count, scm_header(&original)->tables[SC_TABLE_NEAREST].count);
    size_t wrong = 0;
    for (uint64_t i = 0; i < count; i++) {
        const sc_nearest *entries = scm_table(&original, SC_TABLE_NEAREST);
        if (entries[i].object == SC_NONE) continue;
        scm_bytes file = scm_copy(&original);
        uint32_t *others = scm_table(&file, SC_TABLE_NEAREST_OTHERS);
        others[i]++;
        scm_seal(&file);
        sc_map *opened = open_bytes(&file);
        sc_objects *set = NULL;
        sc_diag diag = {""};
        CHECK_OK(sc_objects_new_from_map(opened, &set), NULL);
        CHECK_REFUSED(sc_objects_check_index(set, &diag), SC_EMAP, &diag, "nearest index");
        sc_objects_release(set);
        sc_map_free(opened);
        scm_free(&file);
        wrong++;
    }
    assert_true(wrong > 20);
    scm_free(&original);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_an_index_comes_back_as_it_was_stored),
    cmocka_unit_test(test_the_index_is_no_part_of_the_maps_identity),
    cmocka_unit_test(test_an_index_can_be_taken_out_again),
    SC_CASES(test_a_file_with_an_index_and_any_byte_changed_is_refused),
    SC_CASES(test_a_file_with_an_index_cut_at_any_length_is_refused),
    cmocka_unit_test(test_a_forged_list_is_refused),
    cmocka_unit_test(test_lists_that_are_too_few_or_too_many_are_refused),
    cmocka_unit_test(test_a_forged_entry_is_refused_or_found_to_be_wrong),
    cmocka_unit_test(test_a_forged_cost_in_the_other_metric_is_found_to_be_wrong),
};
SC_SUITE(tests)
