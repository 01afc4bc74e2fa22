// Random streams on odd maps with switches at any time: the engine must do what the slow one
// does, choice by choice, keep its promises, and end every query once.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/race.h"
#include "support/slow_promises.h"
#include "support/streams.h"

enum { STREAMS = 2000 };

/** What a stream is like whose engine can be switched. */
static sc_engine_options options_of(uint64_t seed)
{
    sc_engine_options options = stream_options(seed);
    options.variant = (sc_variant)(seed % 3);
    return options;
}

static void test_the_engine_does_what_the_slow_one_does_through_every_switch(void **state)
{
    (void)state;
    race_tally all = {0};
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        const sc_engine_options options = options_of(seed);
        race r;
        race_start(&r, seed, map, &options);
        if (seed % 2 == 0) stream_scatter(&r.s);
        r.s.has_switches = true;
        race_through(&r, &all);
        race_end(&r, &all);
        sc_map_free(map);
    }
    check_case_done();
    race_tell("with switches", &all);
    assert_true(all.cloaks > STREAMS / 2);
    assert_true(all.members > 2 * all.cloaks);
    assert_true(all.refused > STREAMS / 8);
    assert_true(all.dropped[SC_DROP_EXPIRED] > STREAMS);
}

/** Looks at accepted cloaks. */
typedef struct witness {
    slow_roads roads;
    uint64_t cloaks;
} witness;

static void look(void *context, const sc_cloak *cloak, sc_time now)
{
    witness *w = context;
    slow_check_promises(&w->roads, cloak, now);
    w->cloaks++;
}

// The engine is paranoid: its own verifier looks at each cloak as well.
static void test_promises_hold_and_every_query_ends_once_through_every_switch(void **state)
{
    (void)state;
    uint64_t cloaks = 0;
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        sc_engine_options options = options_of(seed);
        options.is_paranoid = true;
        stream s = stream_new(seed, map);
        if (seed % 2 == 0) stream_scatter(&s);
        s.has_switches = true;
        witness w = {.roads = slow_roads_new(map)};
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_engine *engine = NULL;
        CHECK_OK(sc_engine_new(map, &options, &rng, &engine, NULL), NULL);
        stream_drive(&s, engine, look, &w);
        cloaks += w.cloaks;
        sc_engine_free(engine);
        slow_roads_free(&w.roads);
        sc_map_free(map);
    }
    check_case_done();
    assert_true(cloaks > STREAMS / 2);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_engine_does_what_the_slow_one_does_through_every_switch),
    SC_CASES(test_promises_hold_and_every_query_ends_once_through_every_switch),
};
SC_SUITE(tests)
