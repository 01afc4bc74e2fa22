// Packing: what holds for any loads, and how even it gets.
#include "cluster/placement.h"

#include "base/rng.h"
#include "support/check.h"

#include <math.h>

enum { PARTS_MAX = 512, WORKERS_MAX = 64 };

typedef struct scene {
    uint32_t parts;
    size_t worker_count;
    double loads[PARTS_MAX];
    sc_peer owners[PARTS_MAX];
    sc_placement_worker workers[WORKERS_MAX];
} scene;

/** As workers, with peers 10, 20, ... and so many threads each. */
static void hire(scene *s, size_t count, uint32_t threads)
{
    s->worker_count = count;
    for (size_t w = 0; w < count; w++) {
        s->workers[w] = (sc_placement_worker){.peer = 10 * (w + 1), .threads = threads};
    }
}

static bool is_living(const scene *s, sc_peer peer)
{
    for (size_t w = 0; w < s->worker_count; w++) {
        if (s->workers[w].peer == peer) return true;
    }
    return false;
}

static size_t pack(scene *s, bool balance)
{
    return sc_placement_pack(s->loads, s->parts, s->owners, s->workers, s->worker_count, balance);
}

/** The busiest worker's load, with one thread each. */
static double busiest(const scene *s)
{
    double most = 0.0;
    for (size_t w = 0; w < s->worker_count; w++) {
        double sum = 0.0;
        for (uint32_t p = 0; p < s->parts; p++) {
            if (s->owners[p] == s->workers[w].peer) sum += s->loads[p];
        }
        most = fmax(most, sum);
    }
    return most;
}

/** What no packing can go below, with one thread each. */
static double least_possible(const scene *s)
{
    double sum = 0.0;
    double heaviest = 0.0;
    for (uint32_t p = 0; p < s->parts; p++) {
        sum += s->loads[p];
        heaviest = fmax(heaviest, s->loads[p]);
    }
    return fmax(sum / (double)s->worker_count, heaviest);
}

/** Loads as of real parts: a few busy, many quiet, now and then one unknown. */
static void draw(scene *s, sc_rng *rng, double unknown)
{
    hire(s, 1 + sc_rng_below(rng, 16), 1);
    s->parts = (uint32_t)(8 * s->worker_count);
    const double skew = 1.5 * sc_rng_unit(rng);
    for (uint32_t p = 0; p < s->parts; p++) {
        s->loads[p] = exp(skew * sc_rng_normal(rng));
        if (sc_rng_unit(rng) < unknown) s->loads[p] = NOT_A_NUMBER;
    }
}

/** Owners at random: living ones, some that are gone, some none. */
static void scatter(scene *s, sc_rng *rng)
{
    for (uint32_t p = 0; p < s->parts; p++) {
        s->owners[p] = 10 * (sc_peer)sc_rng_below(rng, (uint32_t)s->worker_count + 3);
    }
}

static void test_every_part_has_a_living_worker(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        scene s = {0};
        draw(&s, &rng, seed % 2 ? 0.2 : 0.0);
        scatter(&s, &rng);
        for (size_t w = 0; w < s.worker_count; w++) {
            s.workers[w].threads = sc_rng_below(&rng, 9);
        }
        scene before = s;
        const size_t moved = pack(&s, seed % 3 != 0);
        size_t others = 0;
        for (uint32_t p = 0; p < s.parts; p++) {
            assert_true(is_living(&s, s.owners[p]));
            others += s.owners[p] != before.owners[p];
        }
        assert_int_equal(moved, others);
    }
    check_case_done();
}

static void test_without_balance_only_orphans_move(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        scene s = {0};
        draw(&s, &rng, 0.1);
        scatter(&s, &rng);
        const scene before = s;
        pack(&s, false);
        for (uint32_t p = 0; p < s.parts; p++) {
            if (is_living(&before, before.owners[p])) {
                assert_int_equal(s.owners[p], before.owners[p]);
            }
        }
    }
    check_case_done();
}

static void test_a_second_call_moves_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        scene s = {0};
        draw(&s, &rng, seed % 2 ? 0.2 : 0.0);
        scatter(&s, &rng);
        for (size_t w = 0; w < s.worker_count; w++) {
            s.workers[w].threads = 1 + sc_rng_below(&rng, 4);
        }
        pack(&s, true);
        assert_int_equal(pack(&s, true), 0);
        assert_int_equal(pack(&s, false), 0);
    }
    check_case_done();
}

static void test_eight_parts_per_worker_are_packed_nearly_evenly(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        scene s = {0};
        draw(&s, &rng, 0.0);
        if (seed % 2) scatter(&s, &rng);
        pack(&s, true);
        const double got = busiest(&s);
        if (got > 1.2 * least_possible(&s)) {
            fail_msg("the busiest has %.3f, and %.3f was possible", got, least_possible(&s));
        }
    }
    check_case_done();
}

// Evenly loaded workers, and one more comes: it gets its share and nothing else moves.
static void test_few_parts_move_to_one_who_comes(void **state)
{
    (void)state;
    scene s = {.parts = 64};
    hire(&s, 8, 1);
    for (uint32_t p = 0; p < s.parts; p++) {
        s.loads[p] = 1.0;
    }
    assert_int_equal(pack(&s, true), 64);
    hire(&s, 9, 1);
    const size_t moved = pack(&s, true);
    assert_in_range(moved, 6, 8);
    size_t given = 0;
    for (uint32_t p = 0; p < s.parts; p++) {
        given += s.owners[p] == 90;
    }
    assert_int_equal(given, moved);
}

static void test_the_parts_of_one_who_goes_are_spread(void **state)
{
    (void)state;
    scene s = {.parts = 64};
    hire(&s, 8, 1);
    for (uint32_t p = 0; p < s.parts; p++) {
        s.loads[p] = 1.0;
    }
    pack(&s, true);
    hire(&s, 7, 1);  // 80 is gone
    assert_int_equal(pack(&s, false), 8);
    assert_true(busiest(&s) <= 10.0);
}

static void test_workers_get_parts_by_their_threads(void **state)
{
    (void)state;
    scene s = {.parts = 40};
    hire(&s, 2, 1);
    s.workers[1].threads = 4;
    for (uint32_t p = 0; p < s.parts; p++) {
        s.loads[p] = 3.0;
    }
    pack(&s, true);
    size_t small = 0;
    for (uint32_t p = 0; p < s.parts; p++) {
        small += s.owners[p] == 10;
    }
    assert_int_equal(small, 8);
    CHECK_CLOSE(sc_placement_imbalance(s.loads, s.parts, s.owners, s.workers, 2), 1.0, 1e-9);
}

static void test_parts_of_which_nothing_is_known_are_spread(void **state)
{
    (void)state;
    scene s = {.parts = 32};
    hire(&s, 4, 1);
    for (unsigned is_idle = 0; is_idle < 2; is_idle++) {
        for (uint32_t p = 0; p < s.parts; p++) {
            s.loads[p] = is_idle ? 0.0 : NOT_A_NUMBER;
            s.owners[p] = SC_PEER_NONE;
        }
        assert_int_equal(pack(&s, true), 32);
        size_t counts[5] = {0};
        for (uint32_t p = 0; p < s.parts; p++) {
            counts[s.owners[p] / 10]++;
        }
        for (size_t w = 1; w <= 4; w++) {
            assert_int_equal(counts[w], 8);
        }
        CHECK_SAME(sc_placement_imbalance(s.loads, s.parts, s.owners, s.workers, 4), 1.0);
    }
}

static void test_without_workers_parts_have_no_owner(void **state)
{
    (void)state;
    scene s = {.parts = 3, .owners = {10, SC_PEER_NONE, 20}, .loads = {1.0, 2.0, 3.0}};
    assert_int_equal(pack(&s, true), 2);
    for (uint32_t p = 0; p < s.parts; p++) {
        assert_int_equal(s.owners[p], SC_PEER_NONE);
    }
    CHECK_SAME(sc_placement_imbalance(s.loads, s.parts, s.owners, s.workers, 0), 1.0);
}

static void test_imbalance_is_the_busiest_by_the_mean(void **state)
{
    (void)state;
    scene s = {.parts = 4, .owners = {10, 10, 20, 99}, .loads = {2.0, 4.0, 2.0, 7.0}};
    hire(&s, 2, 1);
    // The part of a worker that is gone counts for no worker.
    CHECK_CLOSE(sc_placement_imbalance(s.loads, 4, s.owners, s.workers, 2), 1.5, 1e-12);
    s.workers[0].threads = 3;
    CHECK_CLOSE(sc_placement_imbalance(s.loads, 4, s.owners, s.workers, 2), 1.0, 1e-12);
    hire(&s, 3, 1);
    CHECK_CLOSE(sc_placement_imbalance(s.loads, 4, s.owners, s.workers, 3), 2.25, 1e-12);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_part_has_a_living_worker),
    SC_CASES(test_without_balance_only_orphans_move),
    SC_CASES(test_a_second_call_moves_nothing),
    SC_CASES(test_eight_parts_per_worker_are_packed_nearly_evenly),
    cmocka_unit_test(test_few_parts_move_to_one_who_comes),
    cmocka_unit_test(test_the_parts_of_one_who_goes_are_spread),
    cmocka_unit_test(test_workers_get_parts_by_their_threads),
    cmocka_unit_test(test_parts_of_which_nothing_is_known_are_spread),
    cmocka_unit_test(test_without_workers_parts_have_no_owner),
    cmocka_unit_test(test_imbalance_is_the_busiest_by_the_mean),
};
SC_SUITE(tests)
