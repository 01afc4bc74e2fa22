// Clocks that differ are told from heartbeats that are late: who is ahead of whom for certain, whom
// a gateway shares no cloak with, and which gateway takes itself for wrong.
#include "cluster/clock_check.h"

#include "heartbeats.h"
#include "support/check.h"

enum { GUARD_US = 50000, US = 1, OTHER = 2, THIRD = 3, WORKER = 10 };

typedef struct scene {
    sc_roster *roster;
    sc__clock_check check;
    uint64_t number;  ///< of the last heartbeats
} scene;

static scene open_scene(void)
{
    scene s = {.number = 0};
    assert_int_equal(sc_roster_new(TEST_PARTITION, HEARTBEAT_US, 0, &s.roster), SC_OK);
    sc__clock_check_init(&s.check, US, GUARD_US);
    return s;
}

static void close_scene(scene *s)
{
    sc__clock_check_fini(&s->check);
    sc_roster_free(s->roster);
}

/** A heartbeat of a clock that is ahead of ours by so much, after so long a way. */
static void receive(scene *s, sc_peer peer, int64_t ahead_us, int64_t way_us, sc_peer ahead_of_it)
{
    const int64_t now = (int64_t)++s->number * HEARTBEAT_US;
    sc_heartbeat *heartbeat =
        peer >= WORKER ? worker_heartbeat(peer, s->number, 0) : gateway_heartbeat(peer, s->number);
    heartbeat->calendar_us = now + ahead_us;
    if (ahead_of_it != SC_PEER_NONE) {
        heartbeat->ahead[heartbeat->ahead_count++] =
            (sc_heartbeat_clock){.peer = ahead_of_it, .ahead_us = -ahead_us};
    }
    (void)sc_roster_receive(s->roster, heartbeat, now + way_us, now);
    (void)sc__clock_check_update(&s->check, s->roster);
}

static void receive_many(scene *s, sc_peer peer, int64_t ahead_us, int64_t way_us,
                         sc_peer ahead_of_it)
{
    for (int i = 0; i < SC_ROSTER_SKEW_WINDOW; i++) {
        receive(s, peer, ahead_us, way_us, ahead_of_it);
    }
}

static bool is_wrong(const scene *s)
{
    return atomic_load(&s->check.is_wrong);
}

static void test_on_one_clock_no_delay_looks_like_a_difference(void **state)
{
    (void)state;
    scene s = open_scene();
    for (int64_t way_us = 0; way_us < INT64_C(100) * GUARD_US; way_us += GUARD_US) {
        for (sc_peer peer = OTHER; peer <= WORKER; peer += WORKER - OTHER) {
            receive_many(&s, peer, 0, way_us, SC_PEER_NONE);
            assert_int_equal(sc__clock_check_ahead_us(sc_roster_find(s.roster, peer), US), 0);
        }
        assert_false(sc__clock_check_is_skewed(&s.check, OTHER));
        assert_false(is_wrong(&s));
    }
    close_scene(&s);
}

static void test_a_clock_that_is_ahead_is_known_at_once_and_told(void **state)
{
    (void)state;
    scene s = open_scene();
    receive(&s, OTHER, 8000000, 300, SC_PEER_NONE);
    receive(&s, THIRD, GUARD_US, 300, SC_PEER_NONE);
    assert_true(sc__clock_check_is_skewed(&s.check, OTHER));
    assert_false(sc__clock_check_is_skewed(&s.check, THIRD));
    sc_heartbeat *ours = gateway_heartbeat(US, 1);
    sc__clock_check_tell(&s.check, s.roster, ours);
    assert_int_equal(ours->ahead_count, 1);
    assert_int_equal(ours->ahead[0].peer, OTHER);
    assert_int_equal(ours->ahead[0].ahead_us, 8000000 - 300);
    sc_heartbeat_free(ours);
    // Set right, it is believed after some heartbeats.
    receive_many(&s, OTHER, 0, 300, SC_PEER_NONE);
    assert_false(sc__clock_check_is_skewed(&s.check, OTHER));
    close_scene(&s);
}

static void test_a_gateway_that_is_ahead_learns_it_from_the_other(void **state)
{
    (void)state;
    scene s = open_scene();
    receive(&s, OTHER, -8000000, 300, SC_PEER_NONE);
    assert_false(sc__clock_check_is_skewed(&s.check, OTHER));
    receive(&s, OTHER, -8000000, 300, US);
    assert_true(sc__clock_check_is_skewed(&s.check, OTHER));
    assert_int_equal(sc__clock_check_ahead_us(sc_roster_find(s.roster, OTHER), US), -8000000);
    close_scene(&s);
}

static void test_the_gateway_that_most_processes_differ_from_is_wrong(void **state)
{
    (void)state;
    for (int is_ahead = 0; is_ahead < 2; is_ahead++) {
        const int64_t theirs = is_ahead ? -8000000 : 8000000;
        scene s = open_scene();
        receive_many(&s, OTHER, theirs, 300, is_ahead ? US : SC_PEER_NONE);
        // One against one: neither knows who is wrong.
        assert_false(is_wrong(&s));
        receive_many(&s, WORKER, theirs, 300, SC_PEER_NONE);
        assert_true(is_wrong(&s));
        // Ours is right again, or was.
        receive_many(&s, WORKER, 0, 300, SC_PEER_NONE);
        assert_false(is_wrong(&s));
        close_scene(&s);
    }
}

static void test_a_gateway_among_wrong_workers_only_is_not_wrong(void **state)
{
    (void)state;
    scene s = open_scene();
    receive_many(&s, WORKER, 8000000, 300, SC_PEER_NONE);
    receive_many(&s, WORKER + 1, 8000000, 300, SC_PEER_NONE);
    receive_many(&s, WORKER + 2, 8000000, 300, SC_PEER_NONE);
    assert_false(is_wrong(&s));
    close_scene(&s);
}

static void test_processes_of_one_key_count_once(void **state)
{
    (void)state;
    scene s = open_scene();
    receive_many(&s, OTHER, 8000000, 300, SC_PEER_NONE);
    receive_many(&s, WORKER, 0, 300, SC_PEER_NONE);
    receive_many(&s, peer_with_key(4, 1), 0, 300, SC_PEER_NONE);
    for (uint32_t i = 0; i < SC_KEY_PROCESSES_MAX; i++) {
        receive(&s, peer_with_key(5, i), 8000000, 300, SC_PEER_NONE);
        assert_false(is_wrong(&s));
    }
    // It does count.
    receive_many(&s, peer_with_key(4, 1), 8000000, 300, SC_PEER_NONE);
    assert_true(is_wrong(&s));
    close_scene(&s);
}

static void test_more_gateways_than_can_be_remembered_are_all_skewed(void **state)
{
    (void)state;
    scene s = open_scene();
    for (sc_peer peer = 1000; peer < 1000 + 2 * SC_HEARTBEAT_AHEAD_MAX; peer++) {
        sc_heartbeat *heartbeat = gateway_heartbeat(peer, 1);
        heartbeat->calendar_us = 8000000;
        (void)sc_roster_receive(s.roster, heartbeat, 0, 0);
    }
    (void)sc__clock_check_update(&s.check, s.roster);
    assert_true(sc__clock_check_is_skewed(&s.check, 1000 + 2 * SC_HEARTBEAT_AHEAD_MAX - 1));
    sc_heartbeat *ours = gateway_heartbeat(US, 1);
    sc__clock_check_tell(&s.check, s.roster, ours);
    assert_int_equal(ours->ahead_count, SC_HEARTBEAT_AHEAD_MAX);
    sc_heartbeat_free(ours);
    close_scene(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_on_one_clock_no_delay_looks_like_a_difference),
    cmocka_unit_test(test_a_clock_that_is_ahead_is_known_at_once_and_told),
    cmocka_unit_test(test_a_gateway_that_is_ahead_learns_it_from_the_other),
    cmocka_unit_test(test_the_gateway_that_most_processes_differ_from_is_wrong),
    cmocka_unit_test(test_a_gateway_among_wrong_workers_only_is_not_wrong),
    cmocka_unit_test(test_processes_of_one_key_count_once),
    cmocka_unit_test(test_more_gateways_than_can_be_remembered_are_all_skewed),
};
SC_SUITE(tests)
