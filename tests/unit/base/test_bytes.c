// A buffer that grows: what is in it stays, and what is wiped is gone from where it was.
#include "base/bytes.h"

#include "base/alloc.h"
#include "support/check.h"

static void test_what_is_appended_stays_while_it_grows(void **state)
{
    (void)state;
    sc_bytes bytes = {0};
    assert_true(sc_bytes_append(&bytes, NULL, 0));
    for (unsigned i = 0; i < 5000; i++) {
        const uint8_t byte = (uint8_t)(i * 7);
        assert_true(sc_bytes_append(&bytes, &byte, 1));
    }
    assert_int_equal(bytes.size, 5000);
    for (unsigned i = 0; i < 5000; i++) {
        assert_int_equal(bytes.data[i], (uint8_t)(i * 7));
    }
    sc_bytes_fini(&bytes);
    sc_bytes_fini(&bytes);
}

static void test_reserved_memory_is_not_asked_for_again(void **state)
{
    (void)state;
    sc_bytes bytes = {0};
    assert_true(sc_bytes_reserve(&bytes, 1000));
    const uint8_t *data = bytes.data;
    for (int i = 0; i < 100; i++) {
        assert_true(sc_bytes_append(&bytes, "0123456789", 10));
    }
    assert_ptr_equal(bytes.data, data);
    assert_int_equal(bytes.size, 1000);
    assert_false(sc_bytes_reserve(&bytes, SIZE_MAX - 10));
    assert_false(sc_bytes_reserve_wiping(&bytes, SIZE_MAX - 10));
    sc_bytes_fini(&bytes);
}

static void test_growing_with_wiping_keeps_the_bytes(void **state)
{
    (void)state;
    sc_bytes bytes = {0};
    for (unsigned i = 0; i < 3000; i++) {
        assert_true(sc_bytes_reserve_wiping(&bytes, 1));
        bytes.data[bytes.size++] = (uint8_t)i;
    }
    for (unsigned i = 0; i < 3000; i++) {
        assert_int_equal(bytes.data[i], (uint8_t)i);
    }
    sc_bytes_wipe(&bytes);
    assert_int_equal(bytes.size, 0);
    for (size_t i = 0; i < bytes.capacity; i++) {
        if (i < 3000) assert_int_equal(bytes.data[i], 0);
    }
    sc_bytes_fini(&bytes);
    sc_bytes_wipe(&bytes);
}

static void test_varints_have_seven_bits_per_byte(void **state)
{
    (void)state;
    static const struct {
        uint64_t number;
        size_t size;
        uint8_t bytes[10];
    } cases[] = {
        {0, 1, {0x00}},
        {127, 1, {0x7f}},
        {128, 2, {0x80, 0x01}},
        {602, 2, {0xda, 0x04}},
        {UINT64_MAX, 10, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_bytes bytes = {0};
        assert_true(sc_bytes_append_varint(&bytes, cases[i].number));
        assert_int_equal(bytes.size, cases[i].size);
        assert_memory_equal(bytes.data, cases[i].bytes, cases[i].size);
        sc_bytes_fini(&bytes);
    }
}

static void test_folded_numbers_are_small_if_they_were(void **state)
{
    (void)state;
    assert_int_equal(sc_fold_sign(0), 0);
    assert_int_equal(sc_fold_sign(-1), 1);
    assert_int_equal(sc_fold_sign(1), 2);
    assert_int_equal(sc_fold_sign(-2), 3);
    assert_true(sc_fold_sign(INT64_MIN) == UINT64_MAX);
    assert_true(sc_fold_sign(INT64_MAX) == UINT64_MAX - 1);
}

static void test_without_memory_nothing_changes(void **state)
{
    (void)state;
    sc_bytes bytes = {0};
    assert_true(sc_bytes_append(&bytes, "abc", 3));
    sc_alloc_fail_at(1);
    const size_t more = 1000;
    assert_false(sc_bytes_reserve(&bytes, more));
    assert_false(sc_bytes_reserve_wiping(&bytes, more));
    sc_alloc_fail_at(0);
    assert_int_equal(bytes.size, 3);
    assert_memory_equal(bytes.data, "abc", 3);
    sc_bytes_fini(&bytes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_appended_stays_while_it_grows),
    cmocka_unit_test(test_reserved_memory_is_not_asked_for_again),
    cmocka_unit_test(test_growing_with_wiping_keeps_the_bytes),
    cmocka_unit_test(test_varints_have_seven_bits_per_byte),
    cmocka_unit_test(test_folded_numbers_are_small_if_they_were),
    cmocka_unit_test(test_without_memory_nothing_changes),
};
SC_SUITE(tests)
