// When proposals are held back: the allowance of a part, and gateways that are silent.
#include "worker/backoff.h"

#include "support/check.h"

// --- Allowance ----------------------------------------------------------------------------------

/** So many are sent. */
static void enter(sc__allowance *allowance, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sc__allowance_take(allowance);
    }
}

static void test_who_was_never_refused_has_no_bound(void **state)
{
    (void)state;
    sc__allowance allowance = {0};
    assert_false(sc__allowance_is_spent(&allowance));
    enter(&allowance, 100000);
    assert_false(sc__allowance_is_spent(&allowance));
    sc__allowance_widen(&allowance);
    sc__allowance_return(&allowance);
    assert_false(sc__allowance_is_spent(&allowance));
    assert_int_equal(allowance.undecided, 99998);
}

static void test_a_refusal_halves_what_was_undecided(void **state)
{
    (void)state;
    sc__allowance allowance = {0};
    enter(&allowance, 10);
    sc__allowance_halve(&allowance, 0, 100);
    assert_int_equal(allowance.most, 5);
    assert_int_equal(allowance.undecided, 9);
    assert_true(sc__allowance_is_spent(&allowance));
    for (int i = 0; i < 4; i++) {
        assert_true(sc__allowance_is_spent(&allowance));
        sc__allowance_return(&allowance);
    }
    assert_true(sc__allowance_is_spent(&allowance));
    sc__allowance_return(&allowance);
    assert_false(sc__allowance_is_spent(&allowance));
}

static void test_refusals_of_one_crowd_count_once(void **state)
{
    (void)state;
    sc__allowance allowance = {0};
    enter(&allowance, 16);
    sc__allowance_halve(&allowance, 0, 100);
    assert_int_equal(allowance.most, 8);
    sc__allowance_halve(&allowance, 50, 110);
    sc__allowance_halve(&allowance, 99, 120);
    assert_int_equal(allowance.most, 8);
    assert_int_equal(allowance.undecided, 13);
    sc__allowance_halve(&allowance, 100, 200);
    assert_int_equal(allowance.most, 4);
    sc__allowance_halve(&allowance, 199, 300);
    assert_int_equal(allowance.most, 4);
    assert_int_equal(allowance.undecided, 11);
}

static void test_a_wide_one_is_halved_from_what_was_in_it(void **state)
{
    (void)state;
    sc__allowance allowance = {.is_bounded = true, .most = 1000};
    enter(&allowance, 6);
    sc__allowance_halve(&allowance, 0, 1);
    assert_int_equal(allowance.most, 3);
}

static void test_one_is_always_let_through(void **state)
{
    (void)state;
    sc__allowance allowance = {0};
    for (sc_time now = 0; now < 5; now++) {
        assert_false(sc__allowance_is_spent(&allowance));
        sc__allowance_take(&allowance);
        sc__allowance_halve(&allowance, now, now);
        assert_int_equal(allowance.most, 1);
    }
    assert_int_equal(allowance.undecided, 0);
}

static void test_what_goes_well_widens_it(void **state)
{
    (void)state;
    sc__allowance allowance = {0};
    enter(&allowance, 1);
    sc__allowance_halve(&allowance, 0, 0);
    enter(&allowance, 1);
    assert_true(sc__allowance_is_spent(&allowance));
    sc__allowance_widen(&allowance);
    assert_int_equal(allowance.most, 1 + SC__ALLOWANCE_MORE);
    enter(&allowance, SC__ALLOWANCE_MORE);
    assert_false(sc__allowance_is_spent(&allowance));
    enter(&allowance, 1);
    assert_true(sc__allowance_is_spent(&allowance));
}

static void test_it_does_not_widen_beyond_all_numbers(void **state)
{
    (void)state;
    sc__allowance allowance = {.undecided = 2, .is_bounded = true, .most = UINT32_MAX - 1};
    sc__allowance_widen(&allowance);
    sc__allowance_widen(&allowance);
    assert_true(allowance.most >= UINT32_MAX - 1);
    assert_false(sc__allowance_is_spent(&allowance));
}

// --- Silent gateways ----------------------------------------------------------------------------

enum { A = 11, B = 12 };

static void test_a_second_silence_counts_if_nothing_was_received_in_between(void **state)
{
    (void)state;
    sc__silence silence = {0};
    assert_false(sc__silence_note(&silence, A, 0, 100));
    assert_false(sc__silence_note(&silence, B, 10, 110));
    assert_true(sc__silence_note(&silence, A, 100, 200));
    assert_true(sc__silence_note(&silence, A, 150, 250));
    sc__silence_break(&silence, A);
    sc__silence_break(&silence, 99);
    assert_false(sc__silence_note(&silence, A, 260, 360));
    assert_true(sc__silence_note(&silence, A, 360, 460));
    assert_true(sc__silence_note(&silence, B, 360, 460));
}

static void test_what_was_told_before_the_first_silence_is_the_same_silence(void **state)
{
    (void)state;
    sc__silence silence = {0};
    assert_false(sc__silence_note(&silence, A, 0, 100));
    assert_false(sc__silence_note(&silence, A, 0, 100));
    assert_false(sc__silence_note(&silence, A, 99, 199));
    assert_true(sc__silence_note(&silence, A, 100, 200));
}

static void test_where_there_is_no_room_the_oldest_silence_is_forgotten(void **state)
{
    (void)state;
    sc__silence silence = {0};
    for (sc_peer i = 1; i <= SC__SILENT_MOST; i++) {
        assert_false(sc__silence_note(&silence, i, 0, (sc_time)(1000 - i)));
    }
    assert_false(sc__silence_note(&silence, A + 1000, 0, 2000));
    // The last of them was silent first.
    assert_false(sc__silence_note(&silence, SC__SILENT_MOST, 2000, 3000));
    assert_true(sc__silence_note(&silence, 1, 2000, 3000));
    assert_true(sc__silence_note(&silence, A + 1000, 2000, 3000));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_who_was_never_refused_has_no_bound),
    cmocka_unit_test(test_a_refusal_halves_what_was_undecided),
    cmocka_unit_test(test_refusals_of_one_crowd_count_once),
    cmocka_unit_test(test_a_wide_one_is_halved_from_what_was_in_it),
    cmocka_unit_test(test_one_is_always_let_through),
    cmocka_unit_test(test_what_goes_well_widens_it),
    cmocka_unit_test(test_it_does_not_widen_beyond_all_numbers),
    cmocka_unit_test(test_a_second_silence_counts_if_nothing_was_received_in_between),
    cmocka_unit_test(test_what_was_told_before_the_first_silence_is_the_same_silence),
    cmocka_unit_test(test_where_there_is_no_room_the_oldest_silence_is_forgotten),
};
SC_SUITE(tests)
