// Stories of a cluster: workers come, leave and die, loads grow uneven, leaders change.
#include "cluster/placement.h"

#include "heartbeats.h"

#include <math.h>

enum { PARTS = 16, WORKERS = 6 };

/** Workers that follow placements: each living one serves what the last placement gives it. */
typedef struct scene {
    sc_roster *roster;
    sc_placer *placer;  ///< the leader's
    sc_time now;
    uint64_t heartbeats;
    bool is_alive[WORKERS + 1];  ///< worker w has the number w
    bool is_leaving[WORKERS + 1];
    bool is_slow[WORKERS + 1];  ///< it serves the first `slow_served` of its parts alone
    size_t slow_served;
    double loads[PARTS];    ///< queries per second
    double queries[PARTS];  ///< so far
    sc_placement *obeyed;   ///< by all workers; NULL: none yet
    unsigned placements;    ///< that were sent
} scene;

static sc_placer *new_placing(sc_peer self)
{
    const sc_placer_options options = {
        .self = self,
        .partition = TEST_PARTITION,
        .parts = PARTS,
        .heartbeat_us = HEARTBEAT_US,
        .uneven = 1.25,
        .patience_us = sc_time_from_seconds(60),
    };
    sc_placer *placer = NULL;
    CHECK_OK(sc_placer_new(&options, &placer), NULL);
    return placer;
}

static scene scene_open(void)
{
    scene s = {.placer = new_placing(100)};
    CHECK_OK(sc_roster_new(TEST_PARTITION, HEARTBEAT_US, 0, &s.roster), NULL);
    for (uint32_t p = 0; p < PARTS; p++) {
        s.loads[p] = 10.0;
    }
    return s;
}

static void scene_close(scene *s)
{
    sc_roster_free(s->roster);
    sc_placer_free(s->placer);
    sc_placement_free(s->obeyed);
}

static void heartbeat_worker(scene *s, sc_peer worker)
{
    uint32_t mine[PARTS];
    size_t count = 0;
    for (uint32_t p = 0; s->obeyed && p < PARTS; p++) {
        if (s->is_slow[worker] && count == s->slow_served) break;
        if (s->obeyed->owners[p] == worker) mine[count++] = p;
    }
    sc_heartbeat *heartbeat = worker_heartbeat(worker, ++s->heartbeats, count);
    heartbeat->is_leaving = s->is_leaving[worker];
    heartbeat->epoch = s->obeyed ? s->obeyed->epoch : 0;
    for (size_t i = 0; i < count; i++) {
        heartbeat->parts[i].part = mine[i];
        heartbeat->parts[i].load.queries = (uint64_t)s->queries[mine[i]];
    }
    sc_roster_receive(s->roster, heartbeat, 0, s->now);
}

/** The workers follow the leader's placement. */
static void obey(scene *s)
{
    sc_placement_free(s->obeyed);
    s->obeyed = sc_placement_clone(sc_placer_current(s->placer));
    s->placements++;
}

/** One heartbeat of each process, and a look. Returns whether there is a new placement. */
static bool step(scene *s)
{
    s->now += HEARTBEAT_US;
    for (uint32_t p = 0; p < PARTS; p++) {
        s->queries[p] += s->loads[p] * HEARTBEAT_US * 1e-6;
    }
    for (sc_peer w = 1; w <= WORKERS; w++) {
        if (s->is_alive[w]) heartbeat_worker(s, w);
    }
    sc_roster_expire(s->roster, s->now);
    const bool is_new = sc_placer_decide(s->placer, s->roster, s->now);
    if (is_new) obey(s);
    return is_new;
}

/** Returns how many placements there were. */
static unsigned steps(scene *s, double seconds)
{
    const unsigned before = s->placements;
    for (const sc_time end = s->now + (sc_time)(seconds * 1e6); s->now < end;) {
        step(s);
    }
    return s->placements - before;
}

static size_t parts_of(const scene *s, sc_peer worker)
{
    const sc_placement *placement = sc_placer_current(s->placer);
    size_t count = 0;
    for (uint32_t p = 0; placement && p < PARTS; p++) {
        count += placement->owners[p] == worker;
    }
    return count;
}

/** Workers 1 to `count` are there and have their parts. */
static scene scene_with(sc_peer count)
{
    scene s = scene_open();
    for (sc_peer w = 1; w <= count; w++) {
        s.is_alive[w] = true;
    }
    assert_int_equal(steps(&s, 20), 1);
    return s;
}

// --- Workers that do not serve -------------------------------------------------------------------

/** Steps until a placement is sent; returns the seconds it took. */
static double steps_to_placement(scene *s, double at_most)
{
    const sc_time from = s->now;
    while (!step(s)) {
        assert_true((double)(s->now - from) * 1e-6 < at_most);
    }
    return (double)(s->now - from) * 1e-6;
}

static void test_one_that_does_not_serve_its_parts_is_passed_over_and_tried_again(void **state)
{
    (void)state;
    scene s = scene_with(3);
    s.is_alive[4] = s.is_slow[4] = true;
    assert_int_equal(steps(&s, 2), 1);
    assert_int_equal(parts_of(&s, 4), 4);
    assert_true(steps_to_placement(&s, 5) > 3);
    assert_int_equal(parts_of(&s, 4), 0);
    assert_int_equal(parts_of(&s, 1) + parts_of(&s, 2) + parts_of(&s, 3), PARTS);
    assert_int_equal(sc_placer_stats_of(s.placer).passed_over, 1);
    assert_int_equal(sc_placer_stats_of(s.placer).last_passed_over, 4);
    // Each time it is left alone for twice as long.
    for (int pause = 60; pause < 2000; pause *= 2) {
        assert_true(steps_to_placement(&s, pause + 2) >= pause);
        assert_int_equal(parts_of(&s, 4), 4);
        assert_true(steps_to_placement(&s, 7) >= 5);
        assert_int_equal(parts_of(&s, 4), 0);
    }
    // Once it serves, all is forgotten.
    s.is_slow[4] = false;
    (void)steps_to_placement(&s, 3602);
    assert_int_equal(parts_of(&s, 4), 4);
    assert_int_equal(steps(&s, 30), 0);
    s.is_slow[4] = true;
    (void)steps_to_placement(&s, 7);
    assert_int_equal(parts_of(&s, 4), 0);
    assert_true(steps_to_placement(&s, 62) >= 60);
    assert_int_equal(parts_of(&s, 4), 4);
    scene_close(&s);
}

static void test_one_that_takes_up_parts_slowly_keeps_them(void **state)
{
    (void)state;
    scene s = scene_open();
    s.is_alive[1] = s.is_alive[2] = s.is_slow[2] = true;
    assert_int_equal(steps(&s, 2), 1);
    for (s.slow_served = 0; s.slow_served <= PARTS / 2; s.slow_served++) {
        assert_int_equal(steps(&s, 4), 0);
    }
    assert_int_equal(parts_of(&s, 2), PARTS / 2);
    assert_int_equal(sc_placer_stats_of(s.placer).passed_over, 0);
    scene_close(&s);
}

static void test_one_that_does_not_serve_and_is_alone_keeps_its_parts(void **state)
{
    (void)state;
    scene s = scene_open();
    s.is_alive[1] = s.is_slow[1] = true;
    assert_int_equal(steps(&s, 30), 1);
    assert_int_equal(parts_of(&s, 1), PARTS);
    assert_int_equal(sc_placer_stats_of(s.placer).passed_over, 1);
    // Another comes, and gets all.
    s.is_alive[2] = true;
    assert_true(steps(&s, 2) > 0);
    assert_int_equal(parts_of(&s, 2), PARTS);
    scene_close(&s);
}

// --- Coming and going ----------------------------------------------------------------------------

static void test_nothing_is_placed_without_workers(void **state)
{
    (void)state;
    scene s = scene_open();
    assert_int_equal(steps(&s, 5), 0);
    assert_null(sc_placer_current(s.placer));
    scene_close(&s);
}

// The first of several who start together is not given everything.
static void test_those_who_come_together_are_placed_together(void **state)
{
    (void)state;
    scene s = scene_open();
    s.is_alive[1] = true;
    assert_false(step(&s));
    s.is_alive[2] = s.is_alive[3] = s.is_alive[4] = true;
    assert_true(step(&s));
    for (sc_peer w = 1; w <= 4; w++) {
        assert_int_equal(parts_of(&s, w), 4);
    }
    const sc_placement *placement = sc_placer_current(s.placer);
    assert_int_equal(placement->epoch, 1);
    assert_int_equal(placement->leader, 100);
    assert_int_equal(placement->partition, TEST_PARTITION);
    assert_int_equal(steps(&s, 30), 0);
    assert_int_equal(sc_placer_stats_of(s.placer).placements, 1);
    assert_int_equal(sc_placer_stats_of(s.placer).moved, PARTS);
    scene_close(&s);
}

static void test_one_who_comes_is_given_its_share(void **state)
{
    (void)state;
    scene s = scene_with(3);
    s.is_alive[4] = true;
    assert_int_equal(steps(&s, 2), 1);
    assert_int_equal(parts_of(&s, 4), 4);
    assert_int_equal(sc_placer_current(s.placer)->epoch, 2);
    assert_int_equal(sc_placer_stats_of(s.placer).moved, PARTS + 4);
    assert_int_equal(steps(&s, 30), 0);
    scene_close(&s);
}

static void test_the_parts_of_one_who_dies_go_to_others_once_it_is_missed(void **state)
{
    (void)state;
    scene s = scene_with(4);
    s.is_alive[2] = false;
    assert_int_equal(steps(&s, 1), 0);
    assert_int_equal(steps(&s, 0.5), 1);
    assert_int_equal(parts_of(&s, 2), 0);
    assert_int_equal(parts_of(&s, 1) + parts_of(&s, 3) + parts_of(&s, 4), PARTS);
    for (sc_peer w = 1; w <= 4; w++) {
        assert_true(parts_of(&s, w) <= 6);
    }
    // No other part has moved.
    assert_int_equal(sc_placer_stats_of(s.placer).moved, PARTS + 4);
    scene_close(&s);
}

// Stopped and continued: it comes back under its old number.
static void test_one_who_was_missed_and_comes_back_is_given_its_share_again(void **state)
{
    (void)state;
    scene s = scene_with(4);
    s.is_alive[2] = false;
    assert_int_equal(steps(&s, 2), 1);
    s.is_alive[2] = true;
    assert_int_equal(steps(&s, 2), 1);
    assert_int_equal(parts_of(&s, 2), PARTS / 4);
    scene_close(&s);
}

static void test_the_parts_of_one_who_leaves_go_to_others_at_once(void **state)
{
    (void)state;
    scene s = scene_with(4);
    s.is_leaving[3] = true;
    assert_true(step(&s));
    assert_int_equal(parts_of(&s, 3), 0);
    assert_int_equal(steps(&s, 5), 0);
    s.is_alive[3] = false;
    assert_int_equal(steps(&s, 5), 0);
    scene_close(&s);
}

static void test_the_last_one_keeps_its_parts_while_it_leaves(void **state)
{
    (void)state;
    scene s = scene_with(2);
    s.is_leaving[1] = s.is_leaving[2] = true;
    assert_int_equal(steps(&s, 2), 0);
    assert_int_equal(parts_of(&s, 1), 8);
    // One of them is gone: the other serves all there is for as long as it is here.
    s.is_alive[1] = false;
    assert_int_equal(steps(&s, 2), 1);
    assert_int_equal(parts_of(&s, 2), PARTS);
    s.is_alive[2] = false;
    assert_int_equal(steps(&s, 5), 0);
    scene_close(&s);
}

static void test_those_who_come_back_find_their_parts(void **state)
{
    (void)state;
    scene s = scene_with(3);
    const size_t before = parts_of(&s, 2);
    s.is_alive[1] = s.is_alive[2] = s.is_alive[3] = false;
    assert_int_equal(steps(&s, 10), 0);
    s.is_alive[1] = s.is_alive[2] = s.is_alive[3] = true;
    assert_int_equal(steps(&s, 10), 0);
    assert_int_equal(parts_of(&s, 2), before);
    scene_close(&s);
}

static void test_orphans_do_not_wait_for_one_who_has_just_come(void **state)
{
    (void)state;
    scene s = scene_with(3);
    s.is_alive[1] = false;
    steps(&s, 1);
    s.is_alive[4] = true;
    assert_true(step(&s));
    assert_int_equal(parts_of(&s, 1), 0);
    assert_in_range(parts_of(&s, 4), 4, 6);
    assert_int_equal(steps(&s, 30), 0);
    scene_close(&s);
}

static void test_one_worker_more_than_parts_has_none_and_that_is_that(void **state)
{
    (void)state;
    sc_placer_options options = {.self = 100,
                                 .partition = TEST_PARTITION,
                                 .parts = 2,
                                 .heartbeat_us = HEARTBEAT_US,
                                 .uneven = 1.25,
                                 .patience_us = sc_time_from_seconds(60)};
    scene s = scene_open();
    sc_placer_free(s.placer);
    CHECK_OK(sc_placer_new(&options, &s.placer), NULL);
    unsigned placements = 0;
    for (uint64_t n = 1; n < 400; n++) {
        const sc_placement *placement = sc_placer_current(s.placer);
        for (sc_peer w = 1; w <= 3; w++) {
            // Each has one part or none, and serves it.
            const bool has_first = placement && placement->owners[0] == w;
            const bool has_second = placement && placement->owners[1] == w;
            sc_heartbeat *heartbeat = worker_heartbeat(w, n, has_first || has_second);
            if (has_second) heartbeat->parts[0].part = 1;
            sc_roster_receive(s.roster, heartbeat, 0, (sc_time)n * HEARTBEAT_US);
        }
        placements += sc_placer_decide(s.placer, s.roster, (sc_time)n * HEARTBEAT_US);
    }
    assert_int_equal(placements, 1);
    scene_close(&s);
}

// --- Loads ---------------------------------------------------------------------------------------

/** All parts of worker 1 become five times as busy. */
static void crowd_the_first(scene *s)
{
    for (uint32_t p = 0; p < PARTS; p++) {
        if (sc_placer_current(s->placer)->owners[p] == 1) s->loads[p] = 50.0;
    }
}

static void test_what_is_uneven_for_long_is_evened_out(void **state)
{
    (void)state;
    scene s = scene_with(4);
    crowd_the_first(&s);
    assert_int_equal(steps(&s, 60), 0);
    assert_true(sc_placer_stats_of(s.placer).imbalance > 1.25);
    assert_int_equal(steps(&s, 30), 1);
    step(&s);
    assert_true(sc_placer_stats_of(s.placer).imbalance < 1.1);
    // Three busy parts went, one to each of the others, and three quiet ones came.
    assert_int_equal(parts_of(&s, 1), 4);
    assert_int_equal(sc_placer_stats_of(s.placer).moved, PARTS + 6);
    scene_close(&s);
}

static void test_what_is_uneven_for_a_while_moves_nothing(void **state)
{
    (void)state;
    scene s = scene_with(4);
    assert_int_equal(steps(&s, 300), 0);
    for (unsigned round = 0; round < 3; round++) {
        crowd_the_first(&s);
        assert_int_equal(steps(&s, 10), 0);
        assert_true(sc_placer_stats_of(s.placer).imbalance > 1.25);
        for (uint32_t p = 0; p < PARTS; p++) {
            s.loads[p] = 10.0;
        }
        assert_int_equal(steps(&s, 300), 0);
    }
    scene_close(&s);
}

// One part has more than a worker's share: nothing helps, and nothing is tried again and again.
static void test_what_cannot_be_helped_moves_little(void **state)
{
    (void)state;
    scene s = scene_with(4);
    s.loads[0] = 1000.0;
    const unsigned placements = steps(&s, 1200);
    assert_in_range(placements, 1, 4);
    assert_true(sc_placer_stats_of(s.placer).imbalance > 2.0);
    assert_int_equal(steps(&s, 600), 0);
    scene_close(&s);
}

// --- Leaders -------------------------------------------------------------------------------------

static sc_placement *placement_of(uint64_t epoch, sc_peer leader, sc_peer owner)
{
    sc_placement *placement = sc_placement_new(PARTS);
    assert_non_null(placement);
    placement->epoch = epoch;
    placement->leader = leader;
    placement->partition = TEST_PARTITION;
    for (uint32_t p = 0; p < PARTS; p++) {
        placement->owners[p] = owner;
    }
    return placement;
}

static void test_of_two_placements_the_newer_counts(void **state)
{
    (void)state;
    sc_placer *placer = new_placing(100);
    assert_true(sc_placer_receive(placer, placement_of(5, 200, 1)));
    assert_false(sc_placer_receive(placer, placement_of(4, 300, 2)));
    assert_false(sc_placer_receive(placer, placement_of(5, 100, 3)));
    assert_false(sc_placer_receive(placer, placement_of(5, 200, 4)));
    assert_int_equal(sc_placer_current(placer)->owners[0], 1);
    assert_true(sc_placer_receive(placer, placement_of(5, 201, 5)));
    assert_true(sc_placer_receive(placer, placement_of(6, 1, 6)));
    assert_int_equal(sc_placer_current(placer)->owners[0], 6);
    sc_placer_free(placer);
}

static void test_a_placement_of_another_partition_does_not_count(void **state)
{
    (void)state;
    sc_placer *placer = new_placing(100);
    sc_placement *strange = placement_of(5, 200, 1);
    strange->partition = TEST_PARTITION + 1;
    assert_false(sc_placer_receive(placer, strange));
    strange = placement_of(5, 200, 1);
    strange->parts = PARTS - 1;
    assert_false(sc_placer_receive(placer, strange));
    assert_null(sc_placer_current(placer));
    sc_placer_free(placer);
}

static void test_when_a_leader_dies_the_next_goes_on_with_a_greater_epoch(void **state)
{
    (void)state;
    scene s = scene_with(4);
    // The next leader has received all placements, and nothing else of the first.
    sc_placer *next = new_placing(150);
    assert_true(sc_placer_receive(next, sc_placement_clone(sc_placer_current(s.placer))));
    sc_placer_free(s.placer);
    s.placer = next;
    assert_int_equal(steps(&s, 30), 0);
    s.is_alive[1] = false;
    assert_int_equal(steps(&s, 5), 1);
    const sc_placement *placement = sc_placer_current(s.placer);
    assert_int_equal(placement->epoch, 2);
    assert_int_equal(placement->leader, 150);
    assert_int_equal(sc_placer_stats_of(s.placer).moved, 4);
    scene_close(&s);
}

// The first leader died before it had time for the worker that came.
static void test_the_next_leader_has_time_for_one_who_came(void **state)
{
    (void)state;
    scene s = scene_with(3);
    s.is_alive[4] = true;
    assert_false(step(&s));
    sc_placer *next = new_placing(150);
    assert_true(sc_placer_receive(next, sc_placement_clone(sc_placer_current(s.placer))));
    sc_placer_free(s.placer);
    s.placer = next;
    assert_int_equal(steps(&s, 2), 1);
    assert_int_equal(parts_of(&s, 4), 4);
    scene_close(&s);
}

// All gateways were started again. A worker that was broken into claims everything, by a placement
// after which there could be no other.
static void test_what_workers_claim_is_not_believed(void **state)
{
    (void)state;
    scene s = scene_with(4);
    s.obeyed->epoch = UINT64_MAX;
    for (uint32_t p = 0; p < PARTS; p++) {
        s.obeyed->owners[p] = 1;
    }
    sc_placer_free(s.placer);
    s.placer = new_placing(150);
    assert_int_equal(steps(&s, 5), 1);
    assert_int_equal(sc_placer_current(s.placer)->epoch, 1);
    for (sc_peer w = 1; w <= 4; w++) {
        assert_int_equal(parts_of(&s, w), PARTS / 4);
    }
    scene_close(&s);
}

// For a while two gateways lead, since neither receives from the other. Then one does.
static void test_two_leaders_end_with_one_placement(void **state)
{
    (void)state;
    scene s = scene_with(4);
    sc_placer *other = new_placing(50);
    assert_true(sc_placer_receive(other, sc_placement_clone(sc_placer_current(s.placer))));
    // Both see worker 4 die, and the other sees worker 3 die as well.
    s.is_alive[4] = false;
    assert_int_equal(steps(&s, 5), 1);
    sc_roster *seen = NULL;
    CHECK_OK(sc_roster_new(TEST_PARTITION, HEARTBEAT_US, 0, &seen), NULL);
    for (sc_peer w = 1; w <= 2; w++) {
        sc_roster_receive(seen, worker_heartbeat(w, 1, 0), 0, s.now);
    }
    assert_true(sc_placer_decide(other, seen, s.now));
    sc_roster_free(seen);
    const uint64_t epoch = sc_placer_current(s.placer)->epoch;
    assert_int_equal(sc_placer_current(other)->epoch, epoch);
    // Of one epoch, the greater leader's counts for both.
    assert_false(sc_placer_receive(s.placer, sc_placement_clone(sc_placer_current(other))));
    assert_true(sc_placer_receive(other, sc_placement_clone(sc_placer_current(s.placer))));
    assert_memory_equal(sc_placer_current(other)->owners, sc_placer_current(s.placer)->owners,
                        PARTS * sizeof(sc_peer));
    // The least leads from now on, and finds nothing to do.
    sc_placer_free(s.placer);
    s.placer = other;
    assert_int_equal(steps(&s, 10), 0);
    scene_close(&s);
}

static void gateway_goes_by(scene *s, uint64_t epoch)
{
    sc_heartbeat *heartbeat = gateway_heartbeat(200, ++s->heartbeats);
    heartbeat->epoch = epoch;
    sc_roster_receive(s->roster, heartbeat, 0, s->now);
}

// A gateway goes by a placement that was lost on its way to the leader.
static void test_a_placement_that_was_never_received_is_waited_for_and_then_made_again(void **state)
{
    (void)state;
    scene s = scene_with(4);
    sc_placement *before = sc_placement_clone(sc_placer_current(s.placer));
    gateway_goes_by(&s, 9);
    assert_false(step(&s));
    gateway_goes_by(&s, 9);
    assert_false(step(&s));
    gateway_goes_by(&s, 9);
    assert_int_equal(steps(&s, 2), 1);
    assert_int_equal(sc_placer_current(s.placer)->epoch, 10);
    assert_memory_equal(sc_placer_current(s.placer)->owners, before->owners,
                        PARTS * sizeof(sc_peer));
    sc_placement_free(before);
    // One that does come in time is simply gone by.
    gateway_goes_by(&s, 20);
    assert_false(step(&s));
    s.obeyed->epoch = 20;
    assert_true(sc_placer_receive(s.placer, sc_placement_clone(s.obeyed)));
    assert_int_equal(steps(&s, 10), 0);
    assert_int_equal(sc_placer_current(s.placer)->epoch, 20);
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nothing_is_placed_without_workers),
    cmocka_unit_test(test_one_that_does_not_serve_its_parts_is_passed_over_and_tried_again),
    cmocka_unit_test(test_one_that_takes_up_parts_slowly_keeps_them),
    cmocka_unit_test(test_one_that_does_not_serve_and_is_alone_keeps_its_parts),
    cmocka_unit_test(test_those_who_come_together_are_placed_together),
    cmocka_unit_test(test_one_who_comes_is_given_its_share),
    cmocka_unit_test(test_the_parts_of_one_who_dies_go_to_others_once_it_is_missed),
    cmocka_unit_test(test_one_who_was_missed_and_comes_back_is_given_its_share_again),
    cmocka_unit_test(test_the_parts_of_one_who_leaves_go_to_others_at_once),
    cmocka_unit_test(test_the_last_one_keeps_its_parts_while_it_leaves),
    cmocka_unit_test(test_those_who_come_back_find_their_parts),
    cmocka_unit_test(test_orphans_do_not_wait_for_one_who_has_just_come),
    cmocka_unit_test(test_one_worker_more_than_parts_has_none_and_that_is_that),
    cmocka_unit_test(test_what_is_uneven_for_long_is_evened_out),
    cmocka_unit_test(test_what_is_uneven_for_a_while_moves_nothing),
    cmocka_unit_test(test_what_cannot_be_helped_moves_little),
    cmocka_unit_test(test_of_two_placements_the_newer_counts),
    cmocka_unit_test(test_a_placement_of_another_partition_does_not_count),
    cmocka_unit_test(test_when_a_leader_dies_the_next_goes_on_with_a_greater_epoch),
    cmocka_unit_test(test_the_next_leader_has_time_for_one_who_came),
    cmocka_unit_test(test_what_workers_claim_is_not_believed),
    cmocka_unit_test(test_two_leaders_end_with_one_placement),
    cmocka_unit_test(test_a_placement_that_was_never_received_is_waited_for_and_then_made_again),
};
SC_SUITE(tests)
