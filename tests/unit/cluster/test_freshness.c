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

// --- A listener that sends nothing ---------------------------------------------------------------

enum { DEAD = 5, WORKER_NUMBER = 6 };

/** A heartbeat into the roster, which names up to two others. */
static void listen(sc_roster *roster, sc_heartbeat *heartbeat, const sc_heartbeat_heard heard[2],
                   sc_time now)
{
    while (heartbeat->heard_count < 2 && heard[heartbeat->heard_count].peer != 0) {
        heartbeat->heard[heartbeat->heard_count] = heard[heartbeat->heard_count];
        heartbeat->heard_count++;
    }
    (void)sc_roster_receive(roster, heartbeat, 0, now);
}

static bool is_played_back(const sc_roster *roster, sc_peer peer)
{
    return sc__freshness_is_played_back(roster, sc_roster_find(roster, peer), HEARTBEAT);
}

static void test_a_listener_finds_recordings_by_what_living_gateways_name(void **state)
{
    (void)state;
    const sc_peer worker = peer_with_key(STOLEN, WORKER_NUMBER);
    sc_roster *roster = NULL;
    assert_int_equal(sc_roster_new(0, HEARTBEAT, 0, &roster), SC_OK);
    // A gateway and a worker that live, and a gateway of which a recording is played back to all,
    // from a time when it heard both.
    listen(roster, gateway_heartbeat(OTHER, 500),
           (sc_heartbeat_heard[]){{worker, 400}, {DEAD, 300}}, 10);
    listen(roster, worker_heartbeat(worker, 400, 1),
           (sc_heartbeat_heard[]){{OTHER, 499}, {DEAD, 300}}, 11);
    listen(roster, gateway_heartbeat(DEAD, 300),
           (sc_heartbeat_heard[]){{OTHER, 492}, {worker, 200}}, 12);
    // The last eight numbers may be named by those that live.
    assert_true(is_played_back(roster, DEAD));
    assert_false(is_played_back(roster, OTHER));
    assert_false(is_played_back(roster, worker));
    listen(roster, gateway_heartbeat(DEAD, 301),
           (sc_heartbeat_heard[]){{OTHER, 493}, {worker, 393}}, 13);
    assert_false(is_played_back(roster, DEAD));
    sc_roster_free(roster);
}

static void test_a_recording_that_only_the_listener_hears_is_no_witness(void **state)
{
    (void)state;
    sc_roster *roster = NULL;
    assert_int_equal(sc_roster_new(0, HEARTBEAT, 0, &roster), SC_OK);
    listen(roster, gateway_heartbeat(DEAD, 300), (sc_heartbeat_heard[]){{OTHER, 100}, {0, 0}}, 10);
    listen(roster, gateway_heartbeat(OTHER, 500), (sc_heartbeat_heard[]){{0, 0}, {0, 0}}, 10);
    assert_false(is_played_back(roster, OTHER));
    sc_roster_free(roster);
}

static void test_processes_that_fell_silent_contradict_none(void **state)
{
    (void)state;
    const sc_peer worker = peer_with_key(STOLEN, WORKER_NUMBER);
    sc_roster *roster = NULL;
    assert_int_equal(sc_roster_new(0, HEARTBEAT, 0, &roster), SC_OK);
    listen(roster, worker_heartbeat(worker, 40, 1), (sc_heartbeat_heard[]){{DEAD, 30}, {0, 0}}, 10);
    listen(roster, gateway_heartbeat(DEAD, 30), (sc_heartbeat_heard[]){{worker, 40}, {0, 0}}, 10);
    // Long after: the worker names the gateway no more, as it has not sent anything since.
    const sc_time later = 10 + 40 * (sc_time)HEARTBEAT;
    listen(roster, worker_heartbeat(worker, 47, 1), (sc_heartbeat_heard[]){{0, 0}, {0, 0}}, later);
    assert_false(is_played_back(roster, worker));
    // And the other way round: a process was killed, and the gateway has gone on counting.
    listen(roster, gateway_heartbeat(OTHER, 20), (sc_heartbeat_heard[]){{DEAD, 30}, {0, 0}}, 11);
    listen(roster, gateway_heartbeat(OTHER, 60), (sc_heartbeat_heard[]){{DEAD, 31}, {0, 0}}, later);
    listen(roster, gateway_heartbeat(DEAD, 31), (sc_heartbeat_heard[]){{OTHER, 19}, {0, 0}}, 12);
    assert_false(is_played_back(roster, DEAD));
    sc_roster_free(roster);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_process_is_believed_once_it_names_us),
    cmocka_unit_test(test_what_was_recorded_is_of_no_use_a_moment_later),
    cmocka_unit_test(test_processes_that_are_made_up_take_no_place_of_others),
    cmocka_unit_test(test_a_fresh_process_keeps_its_place_among_those_with_its_key),
    cmocka_unit_test(test_workers_with_many_keys_leave_places_for_gateways),
    cmocka_unit_test(test_more_gateways_than_are_named_push_out_the_silent),
    cmocka_unit_test(test_a_listener_finds_recordings_by_what_living_gateways_name),
    cmocka_unit_test(test_a_recording_that_only_the_listener_hears_is_no_witness),
    cmocka_unit_test(test_processes_that_fell_silent_contradict_none),
};
SC_SUITE(tests)
