// A gateway crashes with many open queries, which stay in the engines until their deadlines: others
// wait for them a few times, and then no more.
#include "cluster_sim/cluster_sim.h"

#include "base/rng.h"
#include "cluster_sim/cluster_sim_internal.h"
#include "support/check.h"
#include "support/sketch.h"

#include <inttypes.h>

enum { QUERIES = 600, GATEWAYS = 3 };

/** One part: where there are several, their engines proposed the same queries, which sends nothing
 * of ghosts. */
static sc_partition *undivided(const sc_map *map)
{
    uint16_t *part_of_star = test_take(sc_map_star_count(map), sizeof *part_of_star);
    sc_partition *partition = NULL;
    sc_diag diag;
    CHECK_OK(sc_partition_new(map, part_of_star, 1, &partition, &diag), &diag);
    free(part_of_star);
    return partition;
}

/** All within a moment, and with much time. */
static void ask_all(sc_cluster_sim *sim, const sc_map *map)
{
    sc_rng rng;
    sc_rng_seed(&rng, 5);
    for (uint32_t i = 0; i < QUERIES; i++) {
        sc_query query = {
            .user = 1 + i,
            .segment = sc_rng_below(&rng, sc_map_segment_count(map)),
            .k = 6,
            .l = 2,
            .max_hops = 5,
            .deadline = sc_time_from_seconds(30.0),
        };
        memcpy(query.id.bytes, (uint64_t[]){sc_rng_next(&rng), sc_rng_next(&rng)},
               sizeof query.id.bytes);
        assert_int_equal(sc_cluster_sim_ask(sim, &query, i), SC_OK);
    }
}

static void test_a_gateway_that_crashed_is_not_waited_for_again_and_again(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 12, 12);
    sc_map *map = sketch_map(&s);
    sc_partition *partition = undivided(map);
    sc_cluster_sim_options options = sc_cluster_sim_options_default();
    options.partition = partition;
    options.gateways = GATEWAYS;
    options.max_pending = QUERIES;
    options.delay_us = 20000;
    options.down_us = 200000;
    options.is_checked = true;
    sc_cluster_sim *sim = NULL;
    sc_diag diag;
    CHECK_OK(sc_cluster_sim_new(map, &options, &sim, &diag), &diag);
    ask_all(sim, map);
    // Its queries are on their way to the engines, and no proposal has come back.
    sc__process_crash(&sim->processes[0], SC_TIME_NEVER);
    assert_int_equal(sc_cluster_sim_run(sim, SC_TIME_NEVER), SC_OK);
    const sc_cluster_sim_verdict *verdict = sc_cluster_sim_verdict_of(sim);
    print_message("# %" PRIu64 " ghosts, %" PRIu64 " answered, %" PRIu64 " reserves\n",
                  verdict->disconnected, verdict->answered, verdict->msgs[SC_MSG_RESERVE]);
    assert_string_equal(verdict->what, "");
    assert_true(verdict->disconnected > QUERIES / GATEWAYS / 2);
    assert_true(verdict->answered > (QUERIES - verdict->disconnected) * 7 / 10);
    assert_true(verdict->msgs[SC_MSG_RESERVE] < 3 * (uint64_t)QUERIES);
    sc_cluster_sim_free(sim);
    sc_partition_free(partition);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_gateway_that_crashed_is_not_waited_for_again_and_again),
};
SC_SUITE(tests)
