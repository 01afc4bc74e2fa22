// Small simulated clusters. See schedule.h.
#include "support/schedule.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

#include <inttypes.h>
#include <stdio.h>

sc_cluster_sim_options schedule_options(uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, ~seed);
    static const sc_time delays_us[] = {300, 1000, 20000, 100000};
    sc_cluster_sim_options options = sc_cluster_sim_options_default();
    options.seed = seed;
    options.gateways = 2 + sc_rng_below(&rng, 2);
    options.workers = 2 + sc_rng_below(&rng, 2);
    options.max_pending = 16;
    options.jitter_us = sc_rng_below(&rng, 2) ? 200000 : 0;
    options.guard_us = 50000;
    options.patience_us = 150000 + sc_rng_below(&rng, 300000);
    options.worker_patience_us = sc_rng_below(&rng, 2) ? 4 * options.patience_us : 0;
    options.delay_us = delays_us[sc_rng_below(&rng, 4)];
    options.skew_us = sc_rng_below(&rng, 2) ? 49000 : 0;
    options.down_us = 500000;
    options.notice_us = 300000;
    options.provider_us = 100000;
    options.provider_failure = 0.1;
    return options;
}

/** In stripes, which have long seams; or star by star, where no part has a neighbour of its own. */
static sc_partition *draw_partition(const sc_map *map, sc_rng *rng)
{
    const uint32_t count = sc_map_star_count(map);
    const uint32_t parts = 2 + sc_rng_below(rng, 4);
    const bool is_ragged = sc_rng_below(rng, 4) == 0;
    uint16_t *part_of_star = test_take(count, sizeof *part_of_star);
    for (uint32_t star = 0; star < count; star++) {
        part_of_star[star] =
            (uint16_t)(is_ragged ? sc_rng_below(rng, parts) : star * parts / count);
    }
    sc_partition *partition = NULL;
    sc_diag diag;
    CHECK_OK(sc_partition_new(map, part_of_star, parts, &partition, &diag), &diag);
    free(part_of_star);
    return partition;
}

/** One of few users, somewhere, who wants little. */
static sc_query draw_query(const sc_map *map, sc_rng *rng)
{
    sc_query query = {
        .user = 1 + sc_rng_below(rng, 8),
        .segment = sc_rng_below(rng, sc_map_segment_count(map)),
        .k = 2 + sc_rng_below(rng, 2),
        .l = 1 + sc_rng_below(rng, 8),
        .max_hops = 2 + sc_rng_below(rng, 4),
    };
    const uint64_t bits[2] = {sc_rng_next(rng), sc_rng_next(rng)};
    memcpy(query.id.bytes, bits, sizeof query.id.bytes);
    return query;
}

/** How many ask, within which time, and how long they wait. */
typedef struct traffic {
    uint32_t count;
    uint32_t span_us;
    uint32_t more_us;  ///< than half a second of waiting, at most
    bool is_mixed;     ///< half of them wait ten seconds longer
} traffic;

static void ask_all(sc_cluster_sim *sim, const sc_map *map, sc_rng *rng, const traffic *asked)
{
    sc_time now = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        now += sc_rng_below(rng, 2 * asked->span_us / asked->count);
        sc_query query = draw_query(map, rng);
        query.deadline = now + 500000 + sc_rng_below(rng, asked->more_us);
        if (asked->is_mixed && sc_rng_below(rng, 2)) query.deadline += 10000000;
        assert_int_equal(sc_cluster_sim_ask(sim, &query, now), SC_OK);
    }
}

static sc_cluster_sim_verdict play(const sc_cluster_sim_options *options, bool is_long)
{
    sc_rng rng;
    sc_rng_seed(&rng, options->seed);
    sketch s = sketch_grid(SC_COORDS_PLANAR, 4, 3 + sc_rng_below(&rng, 4));
    sc_map *map = sketch_map(&s);
    sc_partition *partition = draw_partition(map, &rng);
    sc_cluster_sim_options all = *options;
    all.partition = partition;

    sc_cluster_sim *sim = NULL;
    sc_diag diag;
    CHECK_OK(sc_cluster_sim_new(map, &all, &sim, &diag), &diag);
    const traffic few = {.count = 5 + sc_rng_below(&rng, 11),
                         .span_us = 1000000 + sc_rng_below(&rng, 3000000),
                         .more_us = 2500000};
    const traffic many = {.count = 60, .span_us = 15000000, .more_us = 2500000, .is_mixed = true};
    ask_all(sim, map, &rng, is_long ? &many : &few);
    assert_int_equal(sc_cluster_sim_run(sim, SC_TIME_NEVER), SC_OK);
    const sc_cluster_sim_verdict verdict = *sc_cluster_sim_verdict_of(sim);

    sc_cluster_sim_free(sim);
    sc_partition_free(partition);
    sc_map_free(map);
    sketch_free(&s);
    return verdict;
}

sc_cluster_sim_verdict schedule_play(const sc_cluster_sim_options *options)
{
    return play(options, false);
}

sc_cluster_sim_verdict schedule_play_long(const sc_cluster_sim_options *options)
{
    return play(options, true);
}

static uint64_t failures(const sc_cluster_sim_verdict *verdict)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < SC_FAILURE_COUNT; i++) {
        sum += verdict->failed[i];
    }
    return sum;
}

void schedule_check(const sc_cluster_sim_verdict *verdict)
{
    if (verdict->what[0]) {
        print_error("%s\n", verdict->what);
        fail();
    }
    const uint64_t never =
        verdict->twice + verdict->late + verdict->broken + verdict->unsettled + verdict->resettled;
    assert_int_equal(never, 0);
    assert_int_equal(verdict->asked, verdict->answered + verdict->dropped + failures(verdict) +
                                         verdict->gone + verdict->disconnected);
}

void schedule_sum(sc_cluster_sim_verdict *sum, const sc_cluster_sim_verdict *verdict)
{
    sum->asked += verdict->asked;
    sum->answered += verdict->answered;
    sum->dropped += verdict->dropped;
    sum->gone += verdict->gone;
    sum->disconnected += verdict->disconnected;
    sum->cloaks += verdict->cloaks;
    sum->crashes += verdict->crashes;
    sum->proposals += verdict->proposals;
    sum->refused += verdict->refused;
    sum->twice += verdict->twice;
    sum->late += verdict->late;
    sum->broken += verdict->broken;
    for (size_t i = 0; i < SC_FAILURE_COUNT; i++) {
        sum->failed[i] += verdict->failed[i];
    }
    for (size_t i = 0; i < SC_MSG_KIND_COUNT; i++) {
        sum->msgs[i] += verdict->msgs[i];
    }
}
