// Heartbeats that are played back are told from those that were made just now, without clocks.
#include "cluster/freshness.h"

#include "heartbeats.h"
#include "support/check.h"

enum { US = 7, OTHER = 9, HEARTBEAT = 1000 };

/** As the processes have it: not on the stack. */
static sc__freshness freshness;

/** A heartbeat of `peer` that names our number `heard`; 0: none. */
static bool receive(sc_peer peer, uint64_t number, uint64_t heard, sc_time now)
{
    sc_heartbeat *heartbeat = gateway_heartbeat(peer, number);
    if (heard > 0) {
        heartbeat->heard[0] = (sc_heartbeat_heard){.peer = 1, .number = heard + 100};
        heartbeat->heard[1] = (sc_heartbeat_heard){.peer = US, .number = heard};
        heartbeat->heard_count = 2;
    }
    const bool is_fresh = sc__freshness_receive(&freshness, heartbeat, now);
    sc_heartbeat_free(heartbeat);
    return is_fresh;
}

/** We send heartbeat `number`; returns which number of `peer` it names, or 0. */
static uint64_t tell(uint64_t number, sc_peer peer, sc_time now)
{
    sc_heartbeat *heartbeat = gateway_heartbeat(US, number);
    uint64_t told = 0;
    sc__freshness_tell(&freshness, number, now, heartbeat);
    for (size_t i = 0; i < heartbeat->heard_count; i++) {
        if (heartbeat->heard[i].peer == peer) told = heartbeat->heard[i].number;
    }
    sc_heartbeat_free(heartbeat);
    return told;
}

static void test_a_process_is_believed_once_it_names_us(void **state)
{
    (void)state;
    sc__freshness_init(&freshness, US, HEARTBEAT);
    assert_true(receive(US, 1, 0, 0));
    assert_true(sc__freshness_has(&freshness, US, 0));
    // It may have been recorded before we were there.
    assert_false(receive(OTHER, 500, 0, 0));
    assert_false(receive(OTHER, 501, 1, 0));  // or before we had sent any
    assert_false(sc__freshness_has(&freshness, OTHER, 0));
    assert_int_equal(tell(1, OTHER, 10), 501);
    assert_false(receive(OTHER, 502, 2, 20));  // a number that we have not sent
    assert_true(receive(OTHER, 503, 1, 20));
    assert_true(sc__freshness_has(&freshness, OTHER, 20));
    assert_int_equal(tell(2, OTHER, 30), 503);
    assert_true(sc__freshness_has(&freshness, OTHER, 20 + 3 * HEARTBEAT - 1));
    assert_false(sc__freshness_has(&freshness, OTHER, 20 + 3 * HEARTBEAT));
}

static void test_what_was_recorded_is_of_no_use_a_moment_later(void **state)
{
    (void)state;
    sc__freshness_init(&freshness, US, HEARTBEAT);
    sc_time now = 0;
    for (uint64_t n = 1; n <= 20; n++, now += HEARTBEAT) {
        (void)tell(n, OTHER, now);
        assert_true(receive(OTHER, n, n, now + 1));
    }
    // Number 20 is our last. All that names 13 or later could have been made just now.
    for (uint64_t n = 1; n <= 20; n++) {
        assert_int_equal(receive(OTHER, n, n, now), n > 12);
    }
    for (uint64_t n = 21; n <= 28; n++, now += HEARTBEAT) {
        (void)tell(n, OTHER, now);
    }
    for (uint64_t n = 1; n <= 20; n++) {
        assert_false(receive(OTHER, n, n, now));
    }
    // It is still named, with the greatest number that came, so that it can come back.
    assert_int_equal(tell(29, OTHER, now), 20);
    assert_int_equal(tell(30, OTHER, now + INT64_C(8) * HEARTBEAT), 0);
}

// --- Made-up processes ---------------------------------------------------------------------------

enum { STOLEN = 3, OTHER_KEY = 4, MANY = 1500 };

/** A worker's key makes up processes, which name us or do not; in each heartbeat's time all of them
 * send one. */
static void flood(uint32_t key, uint64_t heard, sc_time now)
{
    for (uint32_t i = 0; i < MANY; i++) {
        (void)receive(peer_with_key(key, i), 1, heard, now);
    }
}

static size_t count_of_key(uint32_t key)
{
    size_t count = 0;
    for (size_t i = 0; i < freshness.count; i++) {
        count += sc_peer_key(freshness.heard[i].peer) == peer_with_key(key, 0);
    }
    return count;
}

/** A gateway and workers with another key stay fresh and named, though they were silent for longer
 * than those that are made up. */
static void check_flood(bool is_naming_us)
{
    const sc_peer worker = peer_with_key(OTHER_KEY, 77);
    sc__freshness_init(&freshness, US, HEARTBEAT);
    sc_time now = 0;
    for (uint64_t n = 1; n <= 10; n++, now += HEARTBEAT) {
        assert_int_equal(tell(n, OTHER, now), n - 1);
        assert_true(receive(OTHER, n, n, now));
        assert_true(receive(worker, n, n, now));
        flood(STOLEN, is_naming_us ? n : 0, now + 1);
        assert_true(sc__freshness_has(&freshness, OTHER, now + 2));
        assert_true(sc__freshness_has(&freshness, worker, now + 2));
        assert_int_equal(count_of_key(STOLEN), SC_KEY_PROCESSES_MAX);
        assert_int_equal(freshness.count, SC_KEY_PROCESSES_MAX + 2);
        assert_true(freshness.crowded >= n * (MANY - SC_KEY_PROCESSES_MAX));
    }
    assert_int_equal(tell(11, worker, now), 10);
}

static void test_processes_that_are_made_up_take_no_place_of_others(void **state)
{
    (void)state;
    check_flood(false);
    check_flood(true);
}

static void test_a_fresh_process_keeps_its_place_among_those_with_its_key(void **state)
{
    (void)state;
    const sc_peer worker = peer_with_key(STOLEN, MANY);
    sc__freshness_init(&freshness, US, HEARTBEAT);
    (void)tell(1, OTHER, 0);
    assert_true(receive(worker, 1, 1, 0));
    flood(STOLEN, 0, 1);
    flood(STOLEN, 1, 1);
    assert_true(sc__freshness_has(&freshness, worker, 2));
    // There is no other place left until they are silent.
    const sc_peer late = peer_with_key(STOLEN, MANY + 1);
    assert_false(receive(late, 1, 1, 3));
    assert_true(receive(late, 2, 1, 1 + 3 * HEARTBEAT));
    assert_true(sc__freshness_has(&freshness, late, 1 + 3 * HEARTBEAT));
}

static void test_workers_with_many_keys_leave_places_for_gateways(void **state)
{
    (void)state;
    sc__freshness_init(&freshness, US, HEARTBEAT);
    (void)tell(1, OTHER, 0);
    for (uint32_t key = 0; key < 2 * SC_HEARTBEAT_HEARD_MAX; key++) {
        (void)receive(peer_with_key(key, 1), 1, 1, 0);
    }
    assert_true(freshness.count < SC_HEARTBEAT_HEARD_MAX);
    assert_true(receive(OTHER, 3, 1, 1));
    assert_int_equal(tell(2, OTHER, 2), 3);
}

static void test_more_gateways_than_are_named_push_out_the_silent(void **state)
{
    (void)state;
    sc__freshness_init(&freshness, US, HEARTBEAT);
    (void)tell(1, OTHER, 0);
    assert_true(receive(OTHER, 3, 1, 0));
    for (sc_peer p = 0; p < SC_HEARTBEAT_HEARD_MAX; p++) {
        (void)receive(1000 + p, 1, 0, 1 + (sc_time)p / 4);
    }
    assert_true(freshness.count < SC_HEARTBEAT_HEARD_MAX);
    assert_int_equal(tell(1, OTHER, 300), 3);  // it is fresh
    assert_int_equal(tell(2, 1000, 300), 0);
    assert_int_equal(tell(3, 1000 + SC_HEARTBEAT_HEARD_MAX - 1, 300), 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_process_is_believed_once_it_names_us),
    cmocka_unit_test(test_what_was_recorded_is_of_no_use_a_moment_later),
    cmocka_unit_test(test_processes_that_are_made_up_take_no_place_of_others),
    cmocka_unit_test(test_a_fresh_process_keeps_its_place_among_those_with_its_key),
    cmocka_unit_test(test_workers_with_many_keys_leave_places_for_gateways),
    cmocka_unit_test(test_more_gateways_than_are_named_push_out_the_silent),
};
SC_SUITE(tests)
