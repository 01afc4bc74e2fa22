// Random sampling and network expansion against slow versions of them (support/slow_per_query.h),
// on thousands of small towns and streams: which queries are cloaked, together and where, is the
// same, draw by draw; and half of the engines are paranoid, so the verifier accepts every cloak.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/race.h"
#include "support/sketch.h"

enum { STREAMS = 1200, LONG_STREAMS = 4 };

static sc_engine_options per_query_options(uint64_t seed, sc_variant variant)
{
    sc_engine_options options = stream_options(seed);
    options.variant = variant;
    options.is_paranoid = seed % 2 == 0;
    return options;
}

static void race_on_small_maps(sc_variant variant)
{
    race_tally all = {0};
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        const sc_engine_options options = per_query_options(seed, variant);
        race r;
        race_start(&r, seed, map, &options);
        if (seed % 4 < 2) stream_scatter(&r.s);
        race_through(&r, &all);
        race_end(&r, &all);
        sc_map_free(map);
    }
    check_case_done();
    race_tell(sc_variant_name(variant), &all);
    // Enough of everything to mean something.
    assert_true(all.cloaks > STREAMS);
    assert_true(all.members > 2 * all.cloaks);
    assert_int_equal(all.pruned_stars, 0);
    assert_true(all.refused > STREAMS / 4);
    assert_true(all.dropped[SC_DROP_EXPIRED] > STREAMS);
    assert_true(all.dropped[SC_DROP_INFEASIBLE] > STREAMS);
    assert_true(all.cap_hits > 50);
}

static void test_sampling_does_what_the_slow_one_does(void **state)
{
    (void)state;
    race_on_small_maps(SC_VARIANT_SAMPLING);
}

static void test_expansion_does_what_the_slow_one_does(void **state)
{
    (void)state;
    race_on_small_maps(SC_VARIANT_EXPANSION);
}

// Regions of dozens of roads, so that walks are made longer, and many who wait.
static void test_they_agree_over_long_streams_on_a_larger_map(void **state)
{
    (void)state;
    sketch drawn = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    sc_map *map = sketch_map(&drawn);
    race_tally all = {0};
    for (uint64_t seed = 0; seed < LONG_STREAMS; seed++) {
        check_case(seed);
        sc_engine_options options =
            per_query_options(seed, seed % 4 < 2 ? SC_VARIANT_SAMPLING : SC_VARIANT_EXPANSION);
        options.max_combinations = 64;
        race r;
        race_start(&r, seed, map, &options);
        r.s.steps_left = 300;
        r.s.most_queries = 200;
        r.s.segment_count = sc_map_segment_count(map);
        r.s.user_count = 100;
        r.s.least_k = 2;
        r.s.most_k = 6;
        r.s.most_hops = 4;
        r.s.longest_wait = 300;
        r.s.runs_per_time = 10;
        race_through(&r, &all);
        race_end(&r, &all);
    }
    check_case_done();
    race_tell("long streams", &all);
    assert_true(all.cloaks / LONG_STREAMS > 10);
    sc_map_free(map);
    sketch_free(&drawn);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_sampling_does_what_the_slow_one_does),
    SC_CASES(test_expansion_does_what_the_slow_one_does),
    SC_CASES(test_they_agree_over_long_streams_on_a_larger_map),
};
SC_SUITE(tests)
