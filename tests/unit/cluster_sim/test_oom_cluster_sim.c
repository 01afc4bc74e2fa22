// Every allocation of a simulated cluster fails once: it ends, with or without having come to its
// end, and nothing is left behind.
#include "cluster_sim/cluster_sim.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

static sc_err ask_some(sc_cluster_sim *sim, const sc_map *map)
{
    for (uint32_t i = 0; i < 6; i++) {
        sc_query query = {
            .user = i + 1,
            .deadline = 1000000 + 20000 * (sc_time)i,
            .segment = i * 7 % sc_map_segment_count(map),
            .k = 2,
            .l = 3,
            .max_hops = 4,
        };
        query.id.bytes[0] = (uint8_t)(i + 1);
        const sc_err err = sc_cluster_sim_ask(sim, &query, 20000 * (sc_time)i);
        if (err) return err;
    }
    return sc_cluster_sim_run(sim, SC_TIME_NEVER);
}

static sc_err play(const sc_map *map, const sc_cluster_sim_options *options,
                   sc_cluster_sim_verdict *verdict)
{
    sc_cluster_sim *sim = NULL;
    sc_err err = sc_cluster_sim_new(map, options, &sim, NULL);
    if (err) return err;
    err = ask_some(sim, map);
    *verdict = *sc_cluster_sim_verdict_of(sim);
    sc_cluster_sim_free(sim);
    return err;
}

/** Ledgers and engine pools bear it by themselves where they can, so the simulation may even come
 * through; what it sends then is true. */
static void check_schedule(bool has_faults)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sc_map *map = sketch_map(&s);
    uint16_t parts[12] = {0};
    assert_int_equal(sc_map_star_count(map), 12);
    for (size_t i = 6; i < 12; i++) {
        parts[i] = 1;
    }
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, parts, 2, &partition, NULL), NULL);
    sc_cluster_sim_options options = sc_cluster_sim_options_default();
    options.partition = partition;
    options.max_pending = 8;
    options.crashes_per_s = has_faults ? 3.0 : 0.0;
    options.stalls_per_s = has_faults ? 3.0 : 0.0;
    options.doubling = 0.2;
    options.down_us = 200000;
    options.notice_us = 100000;
    options.is_encoded = true;
    bool is_done = false;
    FOR_EACH_FAILURE(n)
    {
        sc_cluster_sim_verdict verdict = {0};
        const sc_err err = play(map, &options, &verdict);
        const bool happened = oom_happened();
        assert_true(err == SC_OK || err == SC_ENOMEM);
        assert_int_equal(verdict.twice + verdict.late + verdict.broken + verdict.resettled, 0);
        is_done = !happened && err == SC_OK && verdict.cloaks > 0;
        if (!happened) break;
    }
    assert_true(is_done);
    sc_partition_free(partition);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_cluster_without_memory_ends_and_leaves_nothing(void **state)
{
    (void)state;
    check_schedule(false);
}

static void test_a_cluster_with_crashes_and_without_memory_leaves_nothing(void **state)
{
    (void)state;
    check_schedule(true);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cluster_without_memory_ends_and_leaves_nothing),
    cmocka_unit_test(test_a_cluster_with_crashes_and_without_memory_leaves_nothing),
};
SC_SUITE(tests)
