// What a gateway logs of other processes: each once, however many there are.
#include "cluster/gateway_members.h"

#include "support/check.h"

enum { CROWD = 3 * SC__LOGGED_MAX };

static const sc_time second = 1000000;

static size_t count_logged(sc__logged_peers *logged, sc_peer first, sc_time now)
{
    size_t count = 0;
    for (sc_peer peer = first; peer < first + CROWD; peer++) {
        count += sc__logged_peers_add(logged, peer, now);
    }
    return count;
}

static void test_a_crowd_is_not_named_again_and_again(void **state)
{
    (void)state;
    sc__logged_peers logged = {.count = 0};
    assert_int_equal(count_logged(&logged, 1, 0), SC__LOGGED_MAX);
    for (sc_time now = second; now < 3600 * second; now += 60 * second) {
        assert_int_equal(count_logged(&logged, 1, now), 0);
    }
}

static void test_after_an_hour_others_are_named(void **state)
{
    (void)state;
    sc__logged_peers logged = {.count = 0};
    assert_int_equal(count_logged(&logged, 1, 0), SC__LOGGED_MAX);
    assert_int_equal(count_logged(&logged, 1000, 3600 * second), SC__LOGGED_MAX);
    assert_false(sc__logged_peers_add(&logged, 1000, 3601 * second));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_crowd_is_not_named_again_and_again),
    cmocka_unit_test(test_after_an_hour_others_are_named),
};
SC_SUITE(tests)
