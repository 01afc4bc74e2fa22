// The engine against the slow one (support/slow_engine.h), which was written from docs/engine.md
// alone: the same calls, generators of the same seed, and everything that comes out is the same,
// on thousands of small towns and streams. Pruning is compared on the way.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/race.h"

enum { STREAMS = 3000, LONG_STREAMS = 9 };

static void test_the_engine_does_what_the_slow_one_does(void **state)
{
    (void)state;
    race_tally all = {0};
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        const sc_engine_options options = stream_options(seed);
        race r;
        race_start(&r, seed, map, &options);
        race_through(&r, &all);
        race_end(&r, &all);
        sc_map_free(map);
    }
    check_case_done();
    race_tell("short streams", &all);
    // Enough of everything to mean something.
    assert_true(all.cloaks > STREAMS);
    assert_true(all.members > 2 * all.cloaks);
    assert_true(all.pruned_stars > all.cloaks / 4);
    assert_true(all.refused > STREAMS / 4);
    assert_true(all.dropped[SC_DROP_EXPIRED] > STREAMS);
    assert_true(all.dropped[SC_DROP_INFEASIBLE] > STREAMS);
    assert_true(all.cap_hits > 50);
}

/** Each of the paper's three variants. */
static sc_engine_options long_options(uint64_t seed)
{
    sc_engine_options options = stream_options(seed);
    options.variant = (sc_variant)(seed % 3);
    return options;
}

static void test_they_agree_over_long_streams_on_a_larger_map(void **state)
{
    (void)state;
    race_long_streams(LONG_STREAMS, long_options);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_engine_does_what_the_slow_one_does),
    SC_CASES(test_they_agree_over_long_streams_on_a_larger_map),
};
SC_SUITE(tests)
