// The allocator: sizes that overflow are refused, arrays grow, and tests can let
// any allocation fail.
#include "support/check.h"

#include "base/alloc.h"

#include <stdint.h>

static void test_sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    int here = 0;
    void *old = sc_malloc(8);
    assert_non_null(old);
    assert_null(sc_malloc_array(SIZE_MAX / 2, 3));
    assert_null(sc_malloc_array(SIZE_MAX, SIZE_MAX));
    assert_null(sc_realloc_array(old, SIZE_MAX / 4, 5));
    assert_null(sc_calloc(SIZE_MAX / 2, 3));
    assert_null(sc_malloc_lines(SIZE_MAX / 2, 3));
    assert_null(sc_malloc_lines(1, SIZE_MAX - 8));
    sc_free(old);
    size_t capacity = SIZE_MAX / 2 + 1;
    void *array = &here;
    assert_false(sc_grow(&array, capacity, &capacity, 1));
    assert_false(sc_reserve(&array, capacity + 1, &capacity, 2));
    assert_int_equal(capacity, SIZE_MAX / 2 + 1);
    assert_ptr_equal(array, &here);
}

static void test_nothing_can_be_asked_for_and_freed(void **state)
{
    (void)state;
    void *pointers[] = {sc_malloc(0), sc_calloc(0, 8), sc_calloc(8, 0), sc_malloc_array(0, 8),
                        sc_realloc(NULL, 0)};
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        assert_non_null(pointers[i]);
        sc_free(pointers[i]);
    }
    sc_free(NULL);
    sc_free_wiped(NULL, 8, 8);
    sc_free_wiped(sc_malloc(8), 2, 4);
}

static void test_lines_begin_at_multiples_of_64_bytes(void **state)
{
    (void)state;
    void *before[100];
    for (size_t i = 0; i < 100; i++) {
        before[i] = sc_malloc(8 * i);  // so that nothing falls into place by itself
        char *lines = sc_malloc_lines(i, 24);
        assert_non_null(lines);
        assert_int_equal((uintptr_t)lines % 64, 0);
        memset(lines, 1, 24 * i);
        sc_free(lines);
    }
    for (size_t i = 0; i < 100; i++) {
        sc_free(before[i]);
    }
}

static void test_cleared_memory_is_zero(void **state)
{
    (void)state;
    unsigned char *bytes = sc_calloc(100, 10);
    assert_non_null(bytes);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(bytes[i], 0);
    }
    sc_free(bytes);
}

static void test_a_growing_array_keeps_what_it_has(void **state)
{
    (void)state;
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        assert_true(sc_grow(&numbers, i, &capacity, sizeof *numbers));
        assert_true(capacity > i);
        numbers[i] = i * i;
    }
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(numbers[i], i * i);
    }
    sc_free(numbers);
}

static void test_room_is_made_for_as_many_as_wanted_and_twice_as_many_as_before(void **state)
{
    (void)state;
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    assert_true(sc_reserve(&numbers, 0, &capacity, sizeof *numbers));
    assert_null(numbers);
    assert_true(sc_reserve(&numbers, 100, &capacity, sizeof *numbers));
    assert_int_equal(capacity, 100);
    for (uint32_t i = 0; i < 100; i++) {
        numbers[i] = i * i;
    }
    uint32_t *const place = numbers;
    assert_true(sc_reserve(&numbers, 100, &capacity, sizeof *numbers));
    assert_ptr_equal(numbers, place);
    assert_int_equal(capacity, 100);
    assert_true(sc_reserve(&numbers, 101, &capacity, sizeof *numbers));
    assert_int_equal(capacity, 200);
    assert_true(sc_reserve(&numbers, 1000, &capacity, sizeof *numbers));
    assert_int_equal(capacity, 1000);
    numbers[999] = 1;
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(numbers[i], i * i);
    }
    sc_free(numbers);
}

static void test_the_nth_allocation_fails_and_all_after_it(void **state)
{
    (void)state;
    void *kept[2];
    sc_alloc_fail_at(3);
    kept[0] = sc_malloc(1);
    kept[1] = sc_calloc(1, 1);
    assert_true(kept[0] && kept[1]);
    assert_false(sc_alloc_has_failed());
    assert_null(sc_malloc(1));
    assert_true(sc_alloc_has_failed());
    assert_null(sc_malloc(1));
    assert_null(sc_realloc(kept[0], 100));
    sc_alloc_fail_at(0);
    assert_false(sc_alloc_has_failed());
    void *again = sc_realloc(kept[0], 100);
    assert_non_null(again);
    sc_free(again);
    sc_free(kept[1]);
}

static void test_an_array_that_cannot_grow_is_as_it_was(void **state)
{
    (void)state;
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    assert_true(sc_grow(&numbers, 0, &capacity, sizeof *numbers));
    numbers[0] = 17;
    const size_t before = capacity;
    uint32_t *const place = numbers;
    sc_alloc_fail_at(1);
    assert_false(sc_grow(&numbers, capacity, &capacity, sizeof *numbers));
    assert_false(sc_reserve(&numbers, capacity + 1, &capacity, sizeof *numbers));
    sc_alloc_fail_at(0);
    assert_int_equal(capacity, before);
    assert_ptr_equal(numbers, place);
    assert_int_equal(numbers[0], 17);
    sc_free(numbers);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sizes_that_overflow_are_refused),
    cmocka_unit_test(test_nothing_can_be_asked_for_and_freed),
    cmocka_unit_test(test_lines_begin_at_multiples_of_64_bytes),
    cmocka_unit_test(test_cleared_memory_is_zero),
    cmocka_unit_test(test_a_growing_array_keeps_what_it_has),
    cmocka_unit_test(test_room_is_made_for_as_many_as_wanted_and_twice_as_many_as_before),
    cmocka_unit_test(test_the_nth_allocation_fails_and_all_after_it),
    cmocka_unit_test(test_an_array_that_cannot_grow_is_as_it_was),
};
SC_SUITE(tests)
