// Hash tables against a plain array, with hashes that are good, that crowd, and that are all equal.
#include "support/check.h"

#include "base/rng.h"

/** As assert_true(), but static analysis knows, too, that it does not come back. */
static void must(bool is_so)
{
    if (is_so) return;
    fail();
    abort();
}

enum { KEYS = 300 };

/** How keys are hashed: a wish, so that the table can be made to suffer. */
typedef enum spread { GOOD, CROWDED, EQUAL, AT_THE_END, SPREAD_COUNT } spread;

static size_t hash_of(spread how, uint32_t key)
{
    switch (how) {
    case GOOD:
        return (key + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    case CROWDED:
        return key / 8;
    case EQUAL:
        return 5;
    default:
        return SIZE_MAX - key % 3;  // the last slots: what does not fit goes on at the front
    }
}

typedef struct sum {
    uint32_t key;
    uint32_t value;  ///< 0: free
} sum;

/** A type that exists already, with more in it than the table needs. */
typedef struct sums {
    spread how;
    sum *slots;
    size_t count;
    size_t capacity;
} sums;

#define SC_TABLE sums
#define SC_TABLE_TYPE sums
#define SC_TABLE_SLOT sum
#define SC_TABLE_KEY uint32_t
#define SC_TABLE_IS_FREE(table, slot) ((slot)->value == 0)
#define SC_TABLE_HAS(table, slot, wanted) ((slot)->key == (wanted))
#define SC_TABLE_HASH(table, wanted) hash_of((table)->how, wanted)
#define SC_TABLE_HASH_OF(table, slot) hash_of((table)->how, (slot)->key)
#include "base/table_template.h"

// A set of numbers, without a struct of its own; all bits of a free slot are set.
#define SC_TABLE numbers
#define SC_TABLE_SLOT uint32_t
#define SC_TABLE_KEY uint32_t
#define SC_TABLE_IS_FREE(table, slot) (*(slot) == UINT32_MAX)
#define SC_TABLE_HAS(table, slot, key) (*(slot) == (key))
#define SC_TABLE_HASH(table, key) (key)
#define SC_TABLE_HASH_OF(table, slot) (*(slot))
#define SC_TABLE_FREE_BYTE 0xff
#define SC_TABLE_QUARTERS 3
#include "base/table_template.h"

/** Each key is found with its value or not found, and going through the table meets each once. */
static void check_all(const sums *table, const uint32_t plain[KEYS])
{
    size_t count = 0;
    for (uint32_t key = 0; key < KEYS; key++) {
        const sum *found = sums_find(table, key);
        sums_prefetch(table, key);
        if (plain[key] == 0) {
            assert_null(found);
            continue;
        }
        assert_non_null(found);
        assert_int_equal(found->key, key);
        assert_int_equal(found->value, plain[key]);
        count++;
    }
    assert_int_equal(table->count, count);
    bool is_met[KEYS] = {false};
    size_t from = 0;
    for (const sum *each; (each = sums_next(table, &from));) {
        assert_false(is_met[each->key]);
        is_met[each->key] = true;
        count--;
    }
    assert_int_equal(count, 0);
}

static void test_random_puts_and_removals_agree_with_a_plain_array(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        check_case(round);
        sc_rng rng;
        sc_rng_seed(&rng, round);
        sums table = {.how = (spread)(round % SPREAD_COUNT)};
        uint32_t plain[KEYS] = {0};
        const uint32_t keys = round % 5 == 0 ? 20 : KEYS;
        check_all(&table, plain);
        for (uint32_t step = 1; step < 1500; step++) {
            const uint32_t key = sc_rng_below(&rng, keys);
            sum *found = sums_find(&table, key);
            if (!found) {
                must(sums_reserve(&table, table.count + 1));
                sums_put(&table, key, (sum){key, step});
                plain[key] = step;
            } else if (sc_rng_below(&rng, 4) == 0) {
                found->value = step;
                plain[key] = step;
            } else {
                sums_remove(&table, found);
                plain[key] = 0;
            }
            assert_true(table.count <= table.capacity / 2);
            if (step % 50 == 0) check_all(&table, plain);
        }
        size_t from = 0;
        sum *each;
        while ((each = sums_next(&table, &from))) {
            plain[each->key] = 0;
            sums_remove(&table, each);
            from = 0;
        }
        check_all(&table, plain);
        sums_fini(&table);
        sums_fini(&table);
        assert_int_equal(table.how, round % SPREAD_COUNT);
    }
    check_case_done();
}

// With no room to spare the last slots run on at the front.
static void test_a_full_table_finds_everything(void **state)
{
    (void)state;
    numbers table = {0};
    assert_null(numbers_find(&table, 7));
    must(numbers_reserve(&table, 48));
    assert_int_equal(table.capacity, 64);
    for (uint32_t i = 0; i < 48; i++) {
        numbers_put(&table, 40 + i, 40 + i);
    }
    const uint32_t *slots = table.slots;
    must(numbers_reserve(&table, table.count));
    assert_ptr_equal(table.slots, slots);
    for (uint32_t i = 0; i < 200; i++) {
        const uint32_t *found = numbers_find(&table, i);
        if (i >= 40 && i < 88) {
            assert_non_null(found);
            assert_int_equal(*found, i);
        } else {
            assert_null(found);
        }
    }
    must(numbers_reserve(&table, table.count + 1));
    assert_int_equal(table.capacity, 128);
    for (uint32_t i = 40; i < 88; i++) {
        numbers_remove(&table, numbers_find(&table, i));
        assert_null(numbers_find(&table, i));
    }
    assert_int_equal(table.count, 0);
    numbers_fini(&table);
}

static void test_without_memory_a_table_is_as_it_was(void **state)
{
    (void)state;
    numbers table = {0};
    assert_false(numbers_reserve(&table, SIZE_MAX));
    sc_alloc_fail_at(1);
    assert_false(numbers_reserve(&table, 1));
    sc_alloc_fail_at(0);
    assert_null(table.slots);
    for (uint32_t i = 0; i < 48; i++) {
        must(numbers_reserve(&table, i + 1));
        numbers_put(&table, i, i);
    }
    sc_alloc_fail_at(1);
    must(numbers_reserve(&table, 48));
    assert_false(numbers_reserve(&table, 49));
    sc_alloc_fail_at(0);
    for (uint32_t i = 0; i < 48; i++) {
        assert_int_equal(*numbers_find(&table, i), i);
    }
    numbers_fini(&table);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_random_puts_and_removals_agree_with_a_plain_array),
    cmocka_unit_test(test_a_full_table_finds_everything),
    cmocka_unit_test(test_without_memory_a_table_is_as_it_was),
};
SC_SUITE(tests)
