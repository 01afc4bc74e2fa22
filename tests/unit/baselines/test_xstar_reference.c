// XStar against a slow version of it (support/slow_xstar.h), on thousands of small towns and
// streams: which queries are cloaked, together and where, is the same; and all promises are kept,
// as seen by plain loops and by paranoid engines.
#include <starcloak/engine.h>

#include "engine/candidate.h"
#include "support/check.h"
#include "support/race.h"
#include "support/sketch.h"
#include "support/slow_promises.h"

enum { STREAMS = 1500, LONG_STREAMS = 3, WATCHED_STREAMS = 500 };

static sc_engine_options xstar_options(uint64_t seed)
{
    sc_engine_options options = stream_options(seed);
    options.variant = SC_VARIANT_XSTAR;
    options.is_paranoid = seed % 2 == 0;
    return options;
}

static void test_xstar_does_what_the_slow_one_does(void **state)
{
    (void)state;
    race_tally all = {0};
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        const sc_engine_options options = xstar_options(seed);
        race r;
        race_start(&r, seed, map, &options);
        if (seed % 4 < 2) stream_scatter(&r.s);
        race_through(&r, &all);
        race_end(&r, &all);
        sc_map_free(map);
    }
    check_case_done();
    race_tell("short streams", &all);
    // Enough of everything to mean something; and no star is ever pruned.
    assert_true(all.cloaks > STREAMS);
    assert_true(all.members > 2 * all.cloaks);
    assert_int_equal(all.pruned_stars, 0);
    assert_true(all.refused > STREAMS / 4);
    assert_true(all.dropped[SC_DROP_EXPIRED] > STREAMS);
    assert_true(all.dropped[SC_DROP_INFEASIBLE] > STREAMS);
}

// Rings of many stars, balls of more than 64, groups that limit each other, users enough only
// where all of it comes together.
static void test_they_agree_over_long_streams_on_a_larger_map(void **state)
{
    (void)state;
    sketch drawn = sketch_grid(SC_COORDS_PLANAR, 10, 9);
    sc_map *map = sketch_map(&drawn);
    race_tally all = {0};
    for (uint64_t seed = 0; seed < LONG_STREAMS; seed++) {
        check_case(seed);
        const sc_engine_options options = xstar_options(seed);
        race r;
        race_start(&r, seed, map, &options);
        r.s.steps_left = 700;
        r.s.most_queries = STREAM_QUERIES;
        r.s.segment_count = sc_map_segment_count(map);
        r.s.user_count = 300;
        r.s.least_k = 2;
        r.s.most_k = 6;
        r.s.most_l = 12;
        r.s.most_hops = seed == 0 ? 20 : 5;
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

/** Looks at accepted cloaks. */
typedef struct witness {
    slow_roads roads;
    uint64_t cloaks;
} witness;

static void look(void *context, const sc_cloak *cloak, sc_time now)
{
    witness *w = context;
    assert_true(((const sc__candidate *)cloak)->is_whole);
    slow_check_promises(&w->roads, cloak, now);
    w->cloaks++;
}

static void test_promises_hold_for_every_cloak(void **state)
{
    (void)state;
    uint64_t cloaks = 0;
    for (uint64_t seed = 0; seed < WATCHED_STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        const sc_engine_options options = xstar_options(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_engine *engine = NULL;
        CHECK_OK(sc_engine_new(map, &options, &rng, &engine, NULL), NULL);
        witness w = {.roads = slow_roads_new(map)};
        stream s = stream_new(seed, map);
        stream_drive(&s, engine, look, &w);
        cloaks += w.cloaks;
        slow_roads_free(&w.roads);
        sc_engine_free(engine);
        sc_map_free(map);
    }
    check_case_done();
    assert_true(cloaks > WATCHED_STREAMS);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_xstar_does_what_the_slow_one_does),
    SC_CASES(test_they_agree_over_long_streams_on_a_larger_map),
    SC_CASES(test_promises_hold_for_every_cloak),
};
SC_SUITE(tests)
