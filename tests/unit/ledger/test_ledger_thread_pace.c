// The pace of rounds: at once when there is little to do, in batches when there is much.
#include "ledger/ledger_internal.h"

#include "support/check.h"

static void test_who_was_idle_begins_at_once(void **state)
{
    (void)state;
    sc__pace pace = {0};
    for (int64_t now = 1000000; now < 2000000; now += SC__PACE_INTERVAL_US) {
        assert_int_equal(sc__pace_next(&pace, now), 0);
    }
}

static void test_a_short_burst_is_not_slowed_down(void **state)
{
    (void)state;
    sc__pace pace = {0};
    for (int i = 0; i <= SC__PACE_BURST; i++) {
        assert_int_equal(sc__pace_next(&pace, 1000000), 0);
    }
    assert_int_equal(sc__pace_next(&pace, 1000000), SC__PACE_INTERVAL_US);
}

static void test_under_load_there_is_one_round_per_interval(void **state)
{
    (void)state;
    enum { ROUNDS = 1000 };
    sc__pace pace = {0};
    const int64_t start = 1000000;
    int64_t now = start;
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t nap = sc__pace_next(&pace, now);
        assert_in_range(nap, 0, SC__PACE_INTERVAL_US);
        now += nap + 10;  // the round itself
    }
    const int64_t least = (int64_t)(ROUNDS - SC__PACE_BURST - 2) * SC__PACE_INTERVAL_US;
    assert_in_range(now - start, least, (int64_t)ROUNDS * SC__PACE_INTERVAL_US);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_who_was_idle_begins_at_once),
    cmocka_unit_test(test_a_short_burst_is_not_slowed_down),
    cmocka_unit_test(test_under_load_there_is_one_round_per_interval),
};
SC_SUITE(tests)
