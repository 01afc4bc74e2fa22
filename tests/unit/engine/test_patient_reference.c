// The patient engine against the slow one (support/slow_patient.c), which was written from the
// description of the variant alone: the same calls, generators of the same seed, and everything
// that comes out is the same, and as many numbers are drawn for it.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/race.h"

enum { STREAMS = 3000, LONG_STREAMS = 12 };

/** Any alpha and k_spread; crowds of 1, 4 and 1,000, caps of 1, 2 and 8. */
static sc_engine_options patient_options(uint64_t seed)
{
    static const uint32_t crowds[] = {1, 1, 2, 4, SC_CROWD_MAX};
    static const uint32_t caps[] = {1, 2, 8};
    sc_engine_options options = stream_options(seed);
    options.variant = SC_VARIANT_PATIENT;
    options.crowd = crowds[seed % (sizeof crowds / sizeof *crowds)];
    options.max_combinations = caps[seed / 5 % (sizeof caps / sizeof *caps)];
    return options;
}

/** Profiles of up to 8 hops and, in every third stream, k up to 40. */
static void set_needs(stream *s, uint64_t seed)
{
    if (seed % 4 == 0) s->most_hops = 8;
    if (seed % 3 == 0) stream_scatter(s);
    if (seed % 9 == 0) s->most_k = 40;
}

static void test_the_patient_engine_does_what_the_slow_one_does(void **state)
{
    (void)state;
    race_tally all = {0};
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        const sc_engine_options options = patient_options(seed);
        race r;
        race_start(&r, seed, map, &options);
        set_needs(&r.s, seed);
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
    assert_true(all.dropped[SC_DROP_INFEASIBLE] > STREAMS / 2);
    assert_true(all.cap_hits > 50);
}

static void test_they_agree_over_long_streams_on_a_larger_map(void **state)
{
    (void)state;
    race_long_streams(LONG_STREAMS, patient_options);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_patient_engine_does_what_the_slow_one_does),
    SC_CASES(test_they_agree_over_long_streams_on_a_larger_map),
};
SC_SUITE(tests)
