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

static void test_more_processes_than_a_heartbeat_names_push_out_the_silent(void **state)
{
    (void)state;
    sc__freshness_init(&freshness, US, HEARTBEAT);
    for (sc_peer p = 0; p < SC_HEARTBEAT_HEARD_MAX; p++) {
        (void)receive(1000 + p, 1, 0, p == 5 ? 0 : 1);
    }
    (void)receive(OTHER, 3, 0, 2);
    assert_int_equal(tell(1, OTHER, 3), 3);
    assert_int_equal(tell(2, 1005, 3), 0);
    assert_int_equal(tell(3, 1004, 3), 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_process_is_believed_once_it_names_us),
    cmocka_unit_test(test_what_was_recorded_is_of_no_use_a_moment_later),
    cmocka_unit_test(test_more_processes_than_a_heartbeat_names_push_out_the_silent),
};
SC_SUITE(tests)
