// src/lib/base/sort.c: an order by keys, ids in order, and how many values differ.
#include "support/check.h"

#include "base/rng.h"
#include "base/sort.h"

static void test_sorting_gives_ascending_keys_and_keeps_the_order_of_equals(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 11);
    for (uint64_t round = 0; round < 300; round++) {
        check_case(round);
        const uint32_t count = sc_rng_below(&rng, 2000);
        const uint32_t mask = sc_rng_below(&rng, 2) ? UINT32_MAX : 0x700700f;
        uint32_t *keys = test_take(count, sizeof *keys);
        uint32_t *order = test_take(count, sizeof *order);
        bool *seen = test_take(count, sizeof *seen);
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = (uint32_t)sc_rng_next(&rng) & mask;
        }
        CHECK_OK(sc_sort_order(keys, count, order), NULL);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(order[i] < count && !seen[order[i]]);
            seen[order[i]] = true;
            if (i == 0) continue;
            const uint32_t before = keys[order[i - 1]];
            const uint32_t here = keys[order[i]];
            assert_true(before < here || (before == here && order[i - 1] < order[i]));
        }
        free(keys);
        free(order);
        free(seen);
    }
    check_case_done();
}

// Where one method of sorting takes over from another, and where there is nothing to do.
static const size_t sizes[] = {0, 1, 2, 3, 8, 63, 64, 65, 66, 300};
enum { SIZE_COUNT = sizeof sizes / sizeof sizes[0], LARGEST = 300, ROUNDS = 400 };

/** The same numbers again, sorted by the simplest means there is. */
static void sort_slowly(uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            if (values[j] >= values[i]) continue;
            const uint64_t larger = values[i];
            values[i] = values[j];
            values[j] = larger;
        }
    }
}

static void test_ids_are_sorted_and_none_is_lost(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 12);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        check_case(round);
        const size_t count = sizes[round % SIZE_COUNT];
        // Many that are equal, or hardly any; the largest there are among them.
        const uint32_t mask = sc_rng_below(&rng, 2) ? UINT32_MAX : 0x8000000f;
        uint32_t ids[LARGEST];
        uint64_t expected[LARGEST];
        for (size_t i = 0; i < count; i++) {
            ids[i] = (uint32_t)sc_rng_next(&rng) & mask;
            expected[i] = ids[i];
        }
        sort_slowly(expected, count);
        sc_sort_u32(ids, count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(ids[i], expected[i]);
        }
    }
    check_case_done();
}

static void test_different_values_are_counted_and_left_sorted(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 13);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        check_case(round);
        const size_t count = sizes[round % SIZE_COUNT];
        // Such that differ in their upper half alone, too.
        const uint64_t mask = sc_rng_below(&rng, 2) ? UINT64_MAX : 0xf000000100000003;
        uint64_t values[LARGEST];
        uint64_t expected[LARGEST];
        size_t different = 0;
        for (size_t i = 0; i < count; i++) {
            values[i] = expected[i] = sc_rng_next(&rng) & mask;
            bool is_new = true;
            for (size_t j = 0; j < i; j++) {
                is_new &= values[j] != values[i];
            }
            different += is_new;
        }
        sort_slowly(expected, count);
        assert_int_equal(sc_sort_count_different(values, count), different);
        for (size_t i = 0; i < count; i++) {
            assert_true(values[i] == expected[i]);
        }
    }
    check_case_done();
}

static void test_nothing_to_sort_needs_no_list(void **state)
{
    (void)state;
    sc_sort_u32(NULL, 0);
    assert_int_equal(sc_sort_count_different(NULL, 0), 0);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_sorting_gives_ascending_keys_and_keeps_the_order_of_equals),
    cmocka_unit_test(test_ids_are_sorted_and_none_is_lost),
    cmocka_unit_test(test_different_values_are_counted_and_left_sorted),
    cmocka_unit_test(test_nothing_to_sort_needs_no_list),
};
SC_SUITE(tests)
