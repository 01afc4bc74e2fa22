// Sealed messages: they open with their key and under their subject, and in no other way.
#include "support/check.h"

#include "cluster/cluster_key.h"

#include <sodium.h>

static const char subject[] = "town.part.7";
static const char plain[] = "a query is open on segment 41";
enum { SIZE = sizeof plain, SEALED = SIZE + SC_SEAL_EXTRA, SEALED_BITS = SEALED * 8 };

static void fill_key(uint8_t key[SC_SEAL_KEY_SIZE], uint8_t with)
{
    assert_true(sodium_init() >= 0);
    memset(key, with, SC_SEAL_KEY_SIZE);
}

static void test_what_is_sealed_opens(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t sealed[SEALED];
    char opened[SIZE];
    fill_key(key, 1);
    sc_seal(key, subject, plain, SIZE, sealed);
    assert_true(sc_unseal(key, subject, sealed, SEALED, opened));
    assert_string_equal(opened, plain);
    for (size_t i = 0; i + 8 <= SEALED; i++) {
        assert_memory_not_equal(sealed + i, plain + 11, 8);
    }
}

static void test_a_message_of_no_bytes_can_be_sealed(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t sealed[SC_SEAL_EXTRA];
    uint8_t nothing = 0;
    fill_key(key, 1);
    sc_seal(key, subject, &nothing, 0, sealed);
    assert_true(sc_unseal(key, subject, sealed, sizeof sealed, &nothing));
    sealed[0] ^= 1;
    assert_false(sc_unseal(key, subject, sealed, sizeof sealed, &nothing));
}

static void test_the_same_message_is_never_sealed_to_the_same_bytes(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t one[SEALED];
    uint8_t other[SEALED];
    fill_key(key, 1);
    sc_seal(key, subject, plain, SIZE, one);
    sc_seal(key, subject, plain, SIZE, other);
    assert_memory_not_equal(one, other, 24);
    assert_memory_not_equal(one + 24, other + 24, SIZE);
}

static void test_another_key_or_subject_opens_nothing(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t sealed[SEALED];
    char opened[SIZE];
    fill_key(key, 1);
    sc_seal(key, subject, plain, SIZE, sealed);
    assert_false(sc_unseal(key, "town.part.8", sealed, SEALED, opened));
    assert_false(sc_unseal(key, "", sealed, SEALED, opened));
    fill_key(key, 2);
    assert_false(sc_unseal(key, subject, sealed, SEALED, opened));
}

static void test_every_altered_bit_and_every_truncation_is_noticed(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t sealed[SEALED];
    char opened[SIZE];
    fill_key(key, 3);
    sc_seal(key, subject, plain, SIZE, sealed);
    for (size_t i = 0; i < SEALED_BITS; i++) {
        sealed[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_false(sc_unseal(key, subject, sealed, SEALED, opened));
        sealed[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t size = 0; size < SEALED; size++) {
        assert_false(sc_unseal(key, subject, sealed, size, opened));
    }
    assert_true(sc_unseal(key, subject, sealed, SEALED, opened));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_sealed_opens),
    cmocka_unit_test(test_a_message_of_no_bytes_can_be_sealed),
    cmocka_unit_test(test_the_same_message_is_never_sealed_to_the_same_bytes),
    cmocka_unit_test(test_another_key_or_subject_opens_nothing),
    cmocka_unit_test(test_every_altered_bit_and_every_truncation_is_noticed),
};
SC_SUITE(tests)
