// The table that tells which objects have been seen: begun anew again and again, never cleared.
#include "answer/answer_internal.h"

#include "base/rng.h"
#include "support/check.h"

static void test_a_number_is_kept_where_it_was_first_put(void **state)
{
    (void)state;
    sc_number_table roll = {.slots = NULL};
    assert_true(sc__number_table_begin(&roll, 3));
    assert_int_equal(sc__number_table_put(&roll, 7, 0), 0);
    assert_int_equal(sc__number_table_put(&roll, 9, 1), 1);
    assert_int_equal(sc__number_table_put(&roll, 7, 2), 0);
    assert_int_equal(sc__number_table_put(&roll, UINT32_MAX, 2), 2);
    assert_int_equal(sc__number_table_put(&roll, UINT32_MAX, 5), 2);
    sc__number_table_fini(&roll);
    sc__number_table_fini(&roll);
}

static void test_a_new_round_has_seen_nothing(void **state)
{
    (void)state;
    sc_number_table roll = {.slots = NULL};
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    for (uint32_t round = 0; round < 300; round++) {
        const uint32_t count = sc_rng_below(&rng, round + 1);
        assert_true(sc__number_table_begin(&roll, count));
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(sc__number_table_put(&roll, i * 1000, round + i), round + i);
        }
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(sc__number_table_put(&roll, i * 1000, 0), round + i);
        }
    }
    sc__number_table_fini(&roll);
}

static void test_when_rounds_can_no_longer_be_counted_old_ones_are_forgotten(void **state)
{
    (void)state;
    sc_number_table roll = {.slots = NULL};
    assert_true(sc__number_table_begin(&roll, 2));
    assert_int_equal(sc__number_table_put(&roll, 5, 1), 1);
    roll.round = UINT32_MAX;
    assert_true(sc__number_table_begin(&roll, 2));
    // That would be the first round again, in which 5 was seen.
    assert_int_equal(roll.round, 1);
    assert_int_equal(sc__number_table_put(&roll, 5, 0), 0);
    sc__number_table_fini(&roll);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_number_is_kept_where_it_was_first_put),
    cmocka_unit_test(test_a_new_round_has_seen_nothing),
    cmocka_unit_test(test_when_rounds_can_no_longer_be_counted_old_ones_are_forgotten),
};
SC_SUITE(tests)
