// Which peers are alive, which one leads, and how busy parts are, by made-up heartbeats.
#include "cluster/roster.h"

#include "base/rng.h"
#include "heartbeats.h"
#include "partition/partition.h"

#include <math.h>

static sc_roster *roster_at(sc_time started)
{
    sc_roster *roster = NULL;
    CHECK_OK(sc_roster_new(TEST_PARTITION, HEARTBEAT_US, started, &roster), NULL);
    return roster;
}

// --- Coming and going ----------------------------------------------------------------------------

static void test_who_heartbeats_is_there_in_the_order_of_numbers(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    static const sc_peer peers[] = {50, 10, 40, 20, 30};
    for (size_t i = 0; i < 5; i++) {
        assert_true(sc_roster_receive(roster, worker_heartbeat(peers[i], 1, 0), 0, (sc_time)i));
    }
    assert_int_equal(sc_roster_count(roster), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(sc_roster_at(roster, i)->heartbeat->peer, 10 * (i + 1));
    }
    assert_int_equal(sc_roster_find(roster, 40)->first, 2);
    assert_null(sc_roster_find(roster, 45));
    sc_roster_free(roster);
}

static void test_who_is_silent_for_three_heartbeats_is_gone(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    sc_roster_receive(roster, worker_heartbeat(1, 1, 0), 0, 0);
    sc_roster_receive(roster, worker_heartbeat(2, 1, 0), 0, 1);
    assert_false(sc_roster_expire(roster, 3 * HEARTBEAT_US - 1));
    assert_true(sc_roster_expire(roster, 3 * HEARTBEAT_US));
    assert_null(sc_roster_find(roster, 1));
    assert_non_null(sc_roster_find(roster, 2));
    sc_roster_receive(roster, worker_heartbeat(2, 2, 0), 0, 3 * HEARTBEAT_US);
    assert_false(sc_roster_expire(roster, 6 * HEARTBEAT_US - 1));
    sc_roster_free(roster);
}

static void test_an_old_heartbeat_keeps_no_peer_alive(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    sc_roster_receive(roster, worker_heartbeat(1, 5, 2), 0, 0);
    assert_false(sc_roster_receive(roster, worker_heartbeat(1, 5, 3), 0, 2 * HEARTBEAT_US));
    assert_false(sc_roster_receive(roster, worker_heartbeat(1, 4, 3), 0, 2 * HEARTBEAT_US));
    assert_int_equal(sc_roster_find(roster, 1)->heartbeat->part_count, 2);
    assert_true(sc_roster_expire(roster, 3 * HEARTBEAT_US));
    sc_roster_free(roster);
}

static void test_heartbeats_that_are_played_back_revive_no_peer(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    sc_roster_receive(roster, worker_heartbeat(1, 5, 2), 0, 0);
    sc_roster_receive(roster, worker_heartbeat(2, 5, 2), 0, 0);
    assert_true(sc_roster_expire(roster, 3 * HEARTBEAT_US));
    assert_false(sc_roster_receive(roster, worker_heartbeat(1, 5, 2), 0, 4 * HEARTBEAT_US));
    assert_false(sc_roster_receive(roster, worker_heartbeat(2, 1, 2), 0, 4 * HEARTBEAT_US));
    assert_int_equal(sc_roster_count(roster), 0);
    // One that only stood still goes on counting.
    assert_true(sc_roster_receive(roster, worker_heartbeat(1, 6, 2), 0, 4 * HEARTBEAT_US));
    assert_int_equal(sc_roster_count(roster), 1);
    sc_roster_free(roster);
}

static void test_processes_of_one_key_are_bounded(void **state)
{
    (void)state;
    static const uint32_t keys[] = {0, 5, INT32_MAX};
    sc_roster *roster = roster_at(0);
    sc_roster_receive(roster, gateway_heartbeat(1, 1), 0, 0);
    for (size_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < 1000; i++) {
            // From the greatest number down, and from the least up.
            const sc_peer peer = peer_with_key(keys[k], i % 2 ? i : UINT32_MAX - i);
            assert_int_equal(sc_roster_receive(roster, worker_heartbeat(peer, 1, 0), 0, 0),
                             i < SC_KEY_PROCESSES_MAX);
        }
        assert_int_equal(sc_roster_count(roster), 1 + (k + 1) * SC_KEY_PROCESSES_MAX);
    }
    // Those that are there go on, and others come once they are gone.
    const sc_peer there = peer_with_key(5, 1);
    sc_roster_receive(roster, worker_heartbeat(there, 2, 0), 0, 2 * HEARTBEAT_US);
    assert_int_equal(sc_roster_find(roster, there)->heartbeat->number, 2);
    assert_true(sc_roster_expire(roster, 3 * HEARTBEAT_US));
    assert_true(sc_roster_receive(roster, worker_heartbeat(peer_with_key(5, 999), 1, 0), 0,
                                  3 * HEARTBEAT_US));
    sc_roster_free(roster);
}

static void test_only_what_is_new_is_news(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    assert_true(sc_roster_receive(roster, worker_heartbeat(1, 1, 2), 0, 1));
    assert_false(sc_roster_receive(roster, worker_heartbeat(1, 2, 2), 0, 2));
    assert_true(sc_roster_receive(roster, worker_heartbeat(1, 3, 3), 0, 3));
    sc_heartbeat *other = worker_heartbeat(1, 4, 3);
    other->parts[2].part = 9;
    assert_true(sc_roster_receive(roster, other, 0, 4));
    sc_heartbeat *leaving = worker_heartbeat(1, 5, 3);
    leaving->parts[2].part = 9;
    leaving->is_leaving = true;
    assert_true(sc_roster_receive(roster, leaving, 0, 5));
    sc_roster_free(roster);
}

static void test_heartbeats_of_another_partition_are_counted_and_ignored(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    sc_heartbeat *strange = worker_heartbeat(1, 1, 0);
    strange->partition = TEST_PARTITION + 1;
    assert_false(sc_roster_receive(roster, strange, 0, 0));
    assert_int_equal(sc_roster_count(roster), 0);
    assert_int_equal(sc_roster_strangers(roster), 1);
    sc_roster_free(roster);

    // Status takes any.
    CHECK_OK(sc_roster_new(0, HEARTBEAT_US, 0, &roster), NULL);
    assert_true(sc_roster_receive(roster, worker_heartbeat(1, 1, 0), 0, 0));
    assert_int_equal(sc_roster_strangers(roster), 0);
    sc_roster_free(roster);
}

static void test_one_who_is_known_to_be_gone_is_not_waited_for(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    for (sc_peer peer = 1; peer <= 3; peer++) {
        sc_roster_receive(roster, worker_heartbeat(peer, 1, 0), 0, 0);
    }
    sc_roster_forget(roster, 2);
    sc_roster_forget(roster, 7);
    assert_int_equal(sc_roster_count(roster), 2);
    assert_null(sc_roster_find(roster, 2));
    assert_int_equal(sc_roster_at(roster, 1)->heartbeat->peer, 3);
    sc_roster_free(roster);
}

// --- The leader ----------------------------------------------------------------------------------

static void test_the_living_gateway_with_the_least_number_leads(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(1000);
    sc_roster_receive(roster, worker_heartbeat(1, 1, 0), 0, 1000);
    sc_roster_receive(roster, gateway_heartbeat(20, 1), 0, 1000 + HEARTBEAT_US);
    sc_roster_receive(roster, gateway_heartbeat(30, 1), 0, 1000 + 2 * HEARTBEAT_US);
    // Before one has listened for long enough there may be others.
    assert_int_equal(sc_roster_leader(roster, 999 + 3 * HEARTBEAT_US), SC_PEER_NONE);
    assert_int_equal(sc_roster_leader(roster, 1000 + 3 * HEARTBEAT_US), 20);
    // Silent for too long: also if it was not removed yet.
    assert_int_equal(sc_roster_leader(roster, 1000 + 4 * HEARTBEAT_US), 30);
    sc_roster_receive(roster, gateway_heartbeat(10, 1), 0, 1000 + 4 * HEARTBEAT_US);
    assert_int_equal(sc_roster_leader(roster, 1000 + 4 * HEARTBEAT_US), 10);
    sc_heartbeat *leaving = gateway_heartbeat(10, 2);
    leaving->is_leaving = true;
    sc_roster_receive(roster, leaving, 0, 1000 + 4 * HEARTBEAT_US);
    assert_int_equal(sc_roster_leader(roster, 1000 + 4 * HEARTBEAT_US), 30);
    assert_int_equal(sc_roster_leader(roster, 1000 + 90 * HEARTBEAT_US), SC_PEER_NONE);
    sc_roster_free(roster);
}

// --- Loads ---------------------------------------------------------------------------------------

/** A worker with one part, which has counted so many queries since it was opened. */
static sc_heartbeat *busy_heartbeat(sc_peer peer, uint64_t number, uint32_t part, uint64_t queries)
{
    sc_heartbeat *heartbeat = worker_heartbeat(peer, number, 1);
    heartbeat->parts[0].part = part;
    heartbeat->parts[0].load.queries = queries;
    return heartbeat;
}

static void test_a_load_is_not_known_before_it_was_watched(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    assert_true(isnan(sc_roster_part_load(roster, 3)));
    assert_true(isnan(sc_roster_part_load(roster, UINT32_MAX)));
    // Thousands were counted before the first look: that is no rate of now.
    sc_roster_receive(roster, busy_heartbeat(1, 1, 3, 100000), 0, 0);
    sc_roster_receive(roster, busy_heartbeat(1, 2, 3, 100001), 0, HEARTBEAT_US);
    assert_true(isnan(sc_roster_part_load(roster, 3)));
    sc_roster_receive(roster, busy_heartbeat(1, 3, 3, 100020), 0, 20 * HEARTBEAT_US);
    CHECK_CLOSE(sc_roster_part_load(roster, 3), 2.0, 0.1);
    sc_roster_free(roster);
}

// However the heartbeats come, twenty queries a second are twenty queries a second.
static void test_irregular_heartbeats_give_the_same_load(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_roster *roster = roster_at(0);
        sc_time now = 0;
        for (uint64_t n = 1; now < sc_time_from_seconds(120); n++) {
            // From several at once, held up on the way, to one in two seconds.
            const bool is_together = sc_rng_below(&rng, 4) == 0;
            if (!is_together) now += sc_rng_below(&rng, 2000000);
            sc_roster_receive(roster, busy_heartbeat(1, n, 0, (uint64_t)now / 50000), 0, now);
        }
        CHECK_CLOSE(sc_roster_part_load(roster, 0), 20.0, 0.2);
        CHECK_CLOSE(sc_roster_find(roster, 1)->load, 20.0, 0.2);
        sc_roster_free(roster);
    }
    check_case_done();
}

static void test_a_minute_later_most_of_a_load_is_of_that_minute(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    uint64_t n = 0;
    uint64_t queries = 0;
    sc_time now = 0;
    for (; now < sc_time_from_seconds(300); now += HEARTBEAT_US) {
        sc_roster_receive(roster, busy_heartbeat(1, ++n, 0, queries += 5), 0, now);
    }
    CHECK_CLOSE(sc_roster_part_load(roster, 0), 10.0, 0.1);
    for (const sc_time end = now + sc_time_from_seconds(60); now < end; now += HEARTBEAT_US) {
        sc_roster_receive(roster, busy_heartbeat(1, ++n, 0, queries), 0, now);
    }
    CHECK_CLOSE(sc_roster_part_load(roster, 0), 10.0 * exp(-1.0), 0.2);
    sc_roster_free(roster);
}

// The part goes from one worker to another, and then its worker opens it again: each counts from 0.
static void test_a_load_outlives_its_worker_and_counters_that_start_over(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    sc_time now = 0;
    uint64_t n = 0;
    for (uint64_t q = 0; q < 100; q++, now += HEARTBEAT_US) {
        sc_roster_receive(roster, busy_heartbeat(1, ++n, 5, 7000 + 4 * q), 0, now);
    }
    CHECK_CLOSE(sc_roster_part_load(roster, 5), 8.0, 0.01);
    sc_roster_forget(roster, 1);
    now += sc_time_from_seconds(60);  // in which no worker had it
    CHECK_CLOSE(sc_roster_part_load(roster, 5), 8.0, 0.01);
    for (uint64_t q = 0; q < 10; q++, now += HEARTBEAT_US) {
        sc_roster_receive(roster, busy_heartbeat(2, ++n, 5, 4 * q), 0, now);
    }
    CHECK_CLOSE(sc_roster_part_load(roster, 5), 8.0, 0.01);
    for (uint64_t q = 0; q < 10; q++, now += HEARTBEAT_US) {
        sc_roster_receive(roster, busy_heartbeat(2, ++n, 5, 4 * q), 0, now);
    }
    CHECK_CLOSE(sc_roster_part_load(roster, 5), 8.0, 0.01);
    sc_roster_free(roster);
}

static void test_a_worker_is_as_busy_as_its_parts(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    for (uint64_t n = 1; n <= 40; n++) {
        sc_heartbeat *first = worker_heartbeat(1, n, 3);
        for (uint32_t p = 0; p < 3; p++) {
            first->parts[p].load.queries = n * (p + 1);
        }
        first->cpu_us = n * 250000;
        sc_roster_receive(roster, first, 0, (sc_time)n * HEARTBEAT_US);
    }
    CHECK_CLOSE(sc_roster_find(roster, 1)->load, 12.0, 0.01);
    CHECK_CLOSE(sc_roster_find(roster, 1)->cpu, 0.5, 0.01);
    // It gives the heaviest away: that goes with it at once.
    sc_heartbeat *less = worker_heartbeat(1, 41, 2);
    for (uint32_t p = 0; p < 2; p++) {
        less->parts[p].load.queries = UINT64_C(41) * (p + 1);
    }
    sc_roster_receive(roster, less, 0, 41 * HEARTBEAT_US);
    CHECK_CLOSE(sc_roster_find(roster, 1)->load, 6.0, 0.01);
    sc_roster_free(roster);
}

static void test_parts_that_cannot_be_are_passed_over(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    sc_roster_receive(roster, busy_heartbeat(1, 1, SC_PARTITION_PARTS_MAX, 0), 0, 0);
    sc_roster_receive(roster, busy_heartbeat(1, 2, SC_PARTITION_PARTS_MAX, 9), 0,
                      20 * HEARTBEAT_US);
    CHECK_SAME(sc_roster_find(roster, 1)->load, 0.0);
    sc_roster_free(roster);
}

// --- Clocks --------------------------------------------------------------------------------------

/** Heard by a clock that is `ahead_us` before its, after so long a way. */
static void receive_late(sc_roster *roster, uint64_t number, int64_t ahead_us, int64_t way_us)
{
    sc_heartbeat *heartbeat = gateway_heartbeat(1, number);
    heartbeat->calendar_us = (int64_t)number * HEARTBEAT_US;
    sc_roster_receive(roster, heartbeat, heartbeat->calendar_us + ahead_us + way_us,
                      (sc_time)number * HEARTBEAT_US);
}

static void test_one_late_heartbeat_is_not_taken_for_a_wrong_clock(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    receive_late(roster, 1, -2000, 300);
    assert_int_equal(sc_roster_find(roster, 1)->skew_us, -1700);
    receive_late(roster, 2, -2000, 100000);
    assert_int_equal(sc_roster_find(roster, 1)->skew_us, -1700);
    receive_late(roster, 3, -2000, 200);
    assert_int_equal(sc_roster_find(roster, 1)->skew_us, -1800);
    // A clock that really went ahead is believed in the end.
    for (uint64_t n = 4; n < 60; n++) {
        receive_late(roster, n, 50000, 200);
    }
    assert_true(sc_roster_find(roster, 1)->skew_us > 49000);
    sc_roster_free(roster);
}

static void test_a_clock_that_cannot_be_does_no_harm(void **state)
{
    (void)state;
    sc_roster *roster = roster_at(0);
    static const int64_t clocks[] = {INT64_MIN, INT64_MAX, INT64_MIN, 0, INT64_MAX, INT64_MIN};
    for (uint64_t n = 1; n <= 6; n++) {
        sc_heartbeat *heartbeat = gateway_heartbeat(1, n);
        heartbeat->calendar_us = clocks[n - 1];
        sc_roster_receive(roster, heartbeat, n % 2 ? INT64_MAX : INT64_MIN, (sc_time)n);
    }
    assert_int_equal(sc_roster_count(roster), 1);
    sc_roster_free(roster);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_who_heartbeats_is_there_in_the_order_of_numbers),
    cmocka_unit_test(test_who_is_silent_for_three_heartbeats_is_gone),
    cmocka_unit_test(test_an_old_heartbeat_keeps_no_peer_alive),
    cmocka_unit_test(test_heartbeats_that_are_played_back_revive_no_peer),
    cmocka_unit_test(test_processes_of_one_key_are_bounded),
    cmocka_unit_test(test_only_what_is_new_is_news),
    cmocka_unit_test(test_heartbeats_of_another_partition_are_counted_and_ignored),
    cmocka_unit_test(test_one_who_is_known_to_be_gone_is_not_waited_for),
    cmocka_unit_test(test_the_living_gateway_with_the_least_number_leads),
    cmocka_unit_test(test_a_load_is_not_known_before_it_was_watched),
    SC_CASES(test_irregular_heartbeats_give_the_same_load),
    cmocka_unit_test(test_a_minute_later_most_of_a_load_is_of_that_minute),
    cmocka_unit_test(test_a_load_outlives_its_worker_and_counters_that_start_over),
    cmocka_unit_test(test_a_worker_is_as_busy_as_its_parts),
    cmocka_unit_test(test_parts_that_cannot_be_are_passed_over),
    cmocka_unit_test(test_one_late_heartbeat_is_not_taken_for_a_wrong_clock),
    cmocka_unit_test(test_a_clock_that_cannot_be_does_no_harm),
};
SC_SUITE(tests)
