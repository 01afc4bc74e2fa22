// The hash table against a plain list, with keys in sequence, at random, and
// such that they crowd.
#include "support/check.h"

#include "base/hash.h"
#include "base/rng.h"

enum { MISSING = 4711 };

static void test_what_was_put_is_found_and_nothing_else(void **state)
{
    (void)state;
    sc_hash hash = {0};
    assert_int_equal(sc_hash_get(&hash, (sc_key){0, 0}, MISSING), MISSING);
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t value = 0;
        CHECK_OK(sc_hash_put(&hash, (sc_key){i % 7, i}, i + 1, &value), NULL);
        assert_int_equal(value, i + 1);
    }
    assert_int_equal(hash.count, 100000);
    for (uint32_t i = 0; i < 100000; i++) {
        assert_int_equal(sc_hash_get(&hash, (sc_key){i % 7, i}, MISSING), i + 1);
        assert_int_equal(sc_hash_get(&hash, (sc_key){i % 7 + 1, i}, MISSING), MISSING);
    }
    sc_hash_fini(&hash);
    sc_hash_fini(&hash);
}

static void test_the_first_value_of_a_key_holds(void **state)
{
    (void)state;
    sc_hash hash = {0};
    uint32_t value = 0;
    CHECK_OK(sc_hash_put(&hash, (sc_key){1, 2}, 10, &value), NULL);
    CHECK_OK(sc_hash_put(&hash, (sc_key){1, 2}, 20, &value), NULL);
    assert_int_equal(value, 10);
    assert_int_equal(hash.count, 1);
    // Both halves count.
    CHECK_OK(sc_hash_put(&hash, (sc_key){2, 1}, 30, &value), NULL);
    assert_int_equal(value, 30);
    CHECK_OK(sc_hash_put(&hash, (sc_key){0, 0}, 0, &value), NULL);
    assert_int_equal(sc_hash_get(&hash, (sc_key){0, 0}, MISSING), 0);
    sc_hash_fini(&hash);
}

static void test_random_puts_and_gets_agree_with_a_plain_list(void **state)
{
    (void)state;
    enum { KEYS = 400 };
    sc_rng rng;
    sc_rng_seed(&rng, 10);
    for (uint64_t round = 0; round < 100; round++) {
        check_case(round);
        sc_hash hash = {0};
        uint32_t plain[KEYS];
        memset(plain, 0xff, sizeof plain);
        for (uint32_t i = 0; i < 600; i++) {
            const uint32_t k = sc_rng_below(&rng, KEYS);
            // High bits only, low bits only, or both: all must spread.
            const sc_key key = round % 3 == 0   ? (sc_key){(uint64_t)k << 40, 0}
                               : round % 3 == 1 ? (sc_key){0, (uint64_t)k << 32}
                                                : (sc_key){k, k};
            uint32_t value = 0;
            if (sc_rng_below(&rng, 2)) {
                CHECK_OK(sc_hash_put(&hash, key, i, &value), NULL);
                if (plain[k] == UINT32_MAX) plain[k] = i;
                assert_int_equal(value, plain[k]);
            } else {
                assert_int_equal(sc_hash_get(&hash, key, UINT32_MAX), plain[k]);
            }
        }
        sc_hash_fini(&hash);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_was_put_is_found_and_nothing_else),
    cmocka_unit_test(test_the_first_value_of_a_key_holds),
    SC_CASES(test_random_puts_and_gets_agree_with_a_plain_list),
};
SC_SUITE(tests)
