// The pace of rounds: at once when there is little to do, in batches when there is much.
#include "base/pace.h"

#include "support/check.h"

enum { INTERVAL_US = 2000 };

static void test_who_was_idle_begins_at_once(void **state)
{
    (void)state;
    sc_pace pace = {0};
    for (int64_t now = 1000000; now < 2000000; now += INTERVAL_US) {
        assert_int_equal(sc_pace_next(&pace, INTERVAL_US, now), 0);
    }
}

static void test_a_short_burst_is_not_slowed_down(void **state)
{
    (void)state;
    sc_pace pace = {0};
    for (int i = 0; i <= SC_PACE_BURST; i++) {
        assert_int_equal(sc_pace_next(&pace, INTERVAL_US, 1000000), 0);
    }
    assert_int_equal(sc_pace_next(&pace, INTERVAL_US, 1000000), INTERVAL_US);
}

static void test_under_load_there_is_one_round_per_interval(void **state)
{
    (void)state;
    enum { ROUNDS = 1000 };
    sc_pace pace = {0};
    const int64_t start = 1000000;
    int64_t now = start;
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t nap = sc_pace_next(&pace, INTERVAL_US, now);
        assert_in_range(nap, 0, INTERVAL_US);
        now += nap + 10;  // the round itself
    }
    const int64_t least = (int64_t)(ROUNDS - SC_PACE_BURST - 2) * INTERVAL_US;
    assert_in_range(now - start, least, (int64_t)ROUNDS * INTERVAL_US);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_who_was_idle_begins_at_once),
    cmocka_unit_test(test_a_short_burst_is_not_slowed_down),
    cmocka_unit_test(test_under_load_there_is_one_round_per_interval),
};
SC_SUITE(tests)
