// Every allocation of roster, packing, placing and view fails once, in turn: nothing is half done,
// the next look finds what this one could not, and nothing leaks.
#include "cluster/cluster_view.h"
#include "cluster/placement.h"

#include "support/check.h"
#include "support/oom.h"

#include <math.h>
#include <stdio.h>

enum { PARTITION = 77, PARTS = 16, WORKERS = 5 };
#define HEARTBEAT_US INT64_C(500000)

static sc_heartbeat *heartbeat_of(sc_peer peer, uint64_t number, bool is_worker)
{
    sc_heartbeat *heartbeat = sc_heartbeat_new(is_worker ? 2 : 0);
    assert_non_null(heartbeat);
    heartbeat->peer = peer;
    heartbeat->number = number;
    heartbeat->partition = PARTITION;
    heartbeat->is_worker = is_worker;
    heartbeat->threads = 1;
    for (uint32_t i = 0; i < heartbeat->part_count; i++) {
        heartbeat->parts[i].part = (uint32_t)(2 * (peer - 1)) + i;
    }
    return heartbeat;
}

static sc_roster *full_roster(void)
{
    sc_roster *roster = NULL;
    CHECK_OK(sc_roster_new(PARTITION, HEARTBEAT_US, 0, &roster), NULL);
    for (sc_peer peer = 1; peer <= WORKERS; peer++) {
        sc_roster_receive(roster, heartbeat_of(peer, 1, true), 0, 0);
    }
    sc_roster_receive(roster, heartbeat_of(100, 1, false), 0, 0);
    return roster;
}

static void test_a_roster_without_memory_receives_the_next_heartbeat(void **state)
{
    (void)state;
    enum { MANY = 40 };
    sc_roster *roster = NULL;
    oom_arm(1);
    assert_int_equal(sc_roster_new(PARTITION, HEARTBEAT_US, 0, &roster), SC_ENOMEM);
    assert_true(oom_happened());
    assert_null(roster);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        // The heartbeats themselves are there.
        sc_alloc_fail_at(0);
        CHECK_OK(sc_roster_new(PARTITION, HEARTBEAT_US, 0, &roster), NULL);
        sc_heartbeat *heartbeats[MANY];
        for (sc_peer i = 0; i < MANY; i++) {
            heartbeats[i] = heartbeat_of(i + 1, 1, true);
        }
        oom_arm(n);
        size_t received = 0;
        for (sc_peer i = 0; i < MANY; i++) {
            received += sc_roster_receive(roster, heartbeats[i], 0, 0);
        }
        const bool happened = oom_happened();
        assert_int_equal(sc_roster_count(roster), received);
        assert_int_equal(received == MANY, !happened);
        for (sc_peer i = 0; i < MANY; i++) {
            sc_roster_receive(roster, heartbeat_of(i + 1, 2, true), 0, 0);
        }
        assert_int_equal(sc_roster_count(roster), MANY);
        sc_roster_free(roster);
        if (!happened) break;
        failures++;
    }
    assert_true(failures >= 2);
}

static void test_packing_without_memory_moves_nothing(void **state)
{
    (void)state;
    double loads[PARTS];
    sc_placement_worker workers[WORKERS];
    for (uint32_t p = 0; p < PARTS; p++) {
        loads[p] = 1.0 + p;
    }
    for (size_t w = 0; w < WORKERS; w++) {
        workers[w] = (sc_placement_worker){.peer = w + 1, .threads = 1};
    }
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_peer owners[PARTS] = {0};
        const size_t moved = sc_placement_pack(loads, PARTS, owners, workers, WORKERS, true);
        if (!oom_happened()) {
            assert_int_equal(moved, PARTS);
            break;
        }
        assert_true(moved == SIZE_MAX);
        for (uint32_t p = 0; p < PARTS; p++) {
            assert_int_equal(owners[p], SC_PEER_NONE);
        }
        oom_arm(n);
        assert_true(isnan(sc_placement_imbalance(loads, PARTS, owners, workers, WORKERS)));
        assert_true(oom_happened());
        failures++;
    }
    assert_true(failures >= 3);
}

static void test_a_placement_that_could_not_be_made_is_made_at_the_next_look(void **state)
{
    (void)state;
    const sc_placer_options options = {.self = 100,
                                       .partition = PARTITION,
                                       .parts = PARTS,
                                       .heartbeat_us = HEARTBEAT_US,
                                       .uneven = 1.25,
                                       .patience_us = sc_time_from_seconds(60)};
    sc_roster *roster = full_roster();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_placer *placer = NULL;
        const sc_err err = sc_placer_new(&options, &placer);
        bool is_placed = false;
        if (!err) {
            // The first look notices the members; the second, a heartbeat later, places.
            is_placed = sc_placer_decide(placer, roster, 0) ||
                        sc_placer_decide(placer, roster, HEARTBEAT_US);
        }
        const bool happened = oom_happened();
        assert_int_equal(is_placed, !happened);
        if (err) {
            assert_int_equal(err, SC_ENOMEM);
        } else if (happened) {
            assert_null(sc_placer_current(placer));
            is_placed = sc_placer_decide(placer, roster, 2 * HEARTBEAT_US) ||
                        sc_placer_decide(placer, roster, 3 * HEARTBEAT_US);
            assert_true(is_placed);
            assert_int_equal(sc_placer_current(placer)->epoch, 1);
            assert_int_equal(sc_placer_stats_of(placer).moved, PARTS);
        }
        sc_placer_free(placer);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 10);
    sc_roster_free(roster);
}

static void test_a_view_is_there_as_a_whole_or_not_at_all(void **state)
{
    (void)state;
    sc_roster *roster = full_roster();
    for (uint64_t number = 2; number < 20; number++) {
        for (sc_peer peer = 1; peer <= WORKERS; peer++) {
            sc_heartbeat *heartbeat = heartbeat_of(peer, number, true);
            heartbeat->parts[0].load.queries = 10 * number;
            sc_roster_receive(roster, heartbeat, 0, (sc_time)number * HEARTBEAT_US);
        }
    }
    sc_placement *placement = sc_placement_new(PARTS);
    assert_non_null(placement);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_cluster_view *view =
            sc_cluster_view_new(roster, placement, PARTS, 100, 20 * HEARTBEAT_US);
        char *text = view ? sc_cluster_view_json(view) : NULL;
        const bool happened = oom_happened();
        assert_int_equal(text != NULL, !happened);
        sc_free(text);
        sc_cluster_view_free(view);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 5);
    sc_placement_free(placement);
    sc_roster_free(roster);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_roster_without_memory_receives_the_next_heartbeat),
    cmocka_unit_test(test_packing_without_memory_moves_nothing),
    cmocka_unit_test(test_a_placement_that_could_not_be_made_is_made_at_the_next_look),
    cmocka_unit_test(test_a_view_is_there_as_a_whole_or_not_at_all),
};
SC_SUITE(tests)
