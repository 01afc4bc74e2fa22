// Gateways that do not answer: one silence is nothing, a second one in a row is.
#include "worker/backoff.h"

#include "support/check.h"

enum { A = 11, B = 12 };

static void test_a_second_silence_counts_if_nothing_was_heard_in_between(void **state)
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
    cmocka_unit_test(test_a_second_silence_counts_if_nothing_was_heard_in_between),
    cmocka_unit_test(test_what_was_told_before_the_first_silence_is_the_same_silence),
    cmocka_unit_test(test_where_there_is_no_room_the_oldest_silence_is_forgotten),
};
SC_SUITE(tests)
