// Secure sources: each its own numbers, wiped as they are used. Their statistics are
// in test_rng.c.
#include "support/check.h"

#include "base/rng.h"

static sc_rng *secure(void)
{
    sc_rng *rng = NULL;
    assert_int_equal(sc_rng_new_secure(&rng), SC_OK);
    return rng;
}

static void test_two_secure_sources_have_no_number_in_common(void **state)
{
    (void)state;
    enum { DRAWS = 1000 };
    sc_rng *one = secure();
    sc_rng *other = secure();
    uint64_t seen[DRAWS];
    for (int i = 0; i < DRAWS; i++) {
        seen[i] = sc_rng_next(one);
    }
    for (int i = 0; i < DRAWS; i++) {
        const uint64_t number = sc_rng_next(other);
        for (int j = 0; j < DRAWS; j++) {
            assert_true(number != seen[j]);
        }
    }
    sc_rng_free(one);
    sc_rng_free(other);
}

static void test_the_fork_of_a_secure_source_is_secure_and_leaves_it_alone(void **state)
{
    (void)state;
    sc_rng *rng = secure();
    sc_rng_next(rng);
    const size_t left = rng->reserve->left;
    sc_rng *fork = NULL;
    assert_int_equal(sc_rng_fork(rng, &fork), SC_OK);
    assert_non_null(fork->reserve);
    assert_ptr_not_equal(fork->reserve, rng->reserve);
    assert_int_equal(rng->reserve->left, left);
    assert_true(sc_rng_next(fork) != sc_rng_next(rng));
    sc_rng_free(rng);
    sc_rng_free(fork);
}

static void test_a_number_is_wiped_from_the_reserve_as_it_is_used(void **state)
{
    (void)state;
    sc_rng *rng = secure();
    const sc_rng_reserve *reserve = rng->reserve;
    // Through several reserves, and across their ends.
    for (size_t draw = 0; draw < (size_t)3 * SC_RNG_RESERVE; draw++) {
        const uint64_t number = sc_rng_next(rng);
        assert_int_equal(reserve->left, SC_RNG_RESERVE - 1 - draw % SC_RNG_RESERVE);
        for (size_t i = 0; i < SC_RNG_RESERVE; i++) {
            assert_true(reserve->numbers[i] != number);
            // What is still to be used is there; 64 bits are all zero by chance never.
            assert_int_equal(reserve->numbers[i] == 0, i >= reserve->left);
        }
    }
    sc_rng_free(rng);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_secure_sources_have_no_number_in_common),
    cmocka_unit_test(test_the_fork_of_a_secure_source_is_secure_and_leaves_it_alone),
    cmocka_unit_test(test_a_number_is_wiped_from_the_reserve_as_it_is_used),
};
SC_SUITE(tests)
