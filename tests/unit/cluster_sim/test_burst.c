// Hundreds ask at one place within a moment, and engines of many parts know them all: they proposed
// the same queries, but not again and again.
#include "cluster_sim/cluster_sim.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

#include <inttypes.h>

enum { QUERIES = 600, PARTS = 16 };

/** Stars near each other have numbers near each other. */
static sc_partition *divide_into_patches(const sc_map *map)
{
    const uint32_t count = sc_map_star_count(map);
    uint16_t *part_of_star = test_take(count, sizeof *part_of_star);
    for (uint32_t star = 0; star < count; star++) {
        part_of_star[star] = (uint16_t)(star * PARTS / count);
    }
    sc_partition *partition = NULL;
    sc_diag diag;
    CHECK_OK(sc_partition_new(map, part_of_star, PARTS, &partition, &diag), &diag);
    free(part_of_star);
    return partition;
}

/** All within a moment: while gateways receive where the parts are, and so send everything to every
 * part in its reach. */
static void ask_all(sc_cluster_sim *sim, const sc_map *map, uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
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

static sc_cluster_sim_verdict play(unsigned gateways, unsigned workers, sc_time delay_us,
                                   uint64_t seed)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 12, 12);
    sc_map *map = sketch_map(&s);
    sc_partition *partition = divide_into_patches(map);
    sc_cluster_sim_options options = sc_cluster_sim_options_default();
    options.seed = seed;
    options.partition = partition;
    options.gateways = gateways;
    options.workers = workers;
    options.max_pending = QUERIES;
    options.delay_us = delay_us;
    sc_cluster_sim *sim = NULL;
    sc_diag diag;
    CHECK_OK(sc_cluster_sim_new(map, &options, &sim, &diag), &diag);
    ask_all(sim, map, seed);
    assert_int_equal(sc_cluster_sim_run(sim, SC_TIME_NEVER), SC_OK);
    const sc_cluster_sim_verdict verdict = *sc_cluster_sim_verdict_of(sim);
    print_message("# %u gateways, %u workers: %" PRIu64 " proposals, %" PRIu64 " refused, %" PRIu64
                  " answered\n",
                  gateways, workers, verdict.proposals, verdict.refused, verdict.answered);
    sc_cluster_sim_free(sim);
    sc_partition_free(partition);
    sc_map_free(map);
    sketch_free(&s);
    return verdict;
}

/** Nothing is broken, nearly all are answered, and that takes few proposals: about 900 to 1600.
 * Without an allowance (worker/backoff.h) it took 5000 to 6000 with two gateways, and 19000 with
 * four, when more than half of the queries had no answer. */
static void check_burst(unsigned gateways, unsigned workers, sc_time delay_us)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const sc_cluster_sim_verdict verdict = play(gateways, workers, delay_us, seed);
        assert_string_equal(verdict.what, "");
        assert_true(verdict.answered > QUERIES * 9 / 10);
        assert_true(verdict.proposals < 4 * (uint64_t)QUERIES);
    }
}

static void test_engines_of_many_workers_do_not_proposal_again_and_again(void **state)
{
    (void)state;
    check_burst(2, PARTS, 20000);
}

static void test_engines_of_one_worker_do_not_either(void **state)
{
    (void)state;
    check_burst(2, 2, 20000);
}

static void test_nor_do_they_on_a_quick_network(void **state)
{
    (void)state;
    check_burst(2, PARTS, 500);
}

static void test_nor_do_they_with_many_gateways(void **state)
{
    (void)state;
    check_burst(4, 2, 20000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_engines_of_many_workers_do_not_proposal_again_and_again),
    cmocka_unit_test(test_engines_of_one_worker_do_not_either),
    cmocka_unit_test(test_nor_do_they_on_a_quick_network),
    cmocka_unit_test(test_nor_do_they_with_many_gateways),
};
SC_SUITE(tests)
