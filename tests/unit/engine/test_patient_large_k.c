// The patient engine against the slow one where many gather: k up to 40, up to 8 hops, crowds that
// are reached and crowds that are not, few users with many queries each, many users on few roads.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/race.h"
#include "support/sketch.h"

enum { TOWNS = 240, CITIES = 12 };

static sc_engine_options patient_options(uint64_t seed)
{
    static const uint32_t crowds[] = {1, 4, SC_CROWD_MAX};
    static const uint32_t caps[] = {1, 8};
    static const uint32_t spreads[] = {0, 0, 1, 2, 3};
    static const sc_time alphas[] = {0, 3, 30, INT64_MAX};
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_PATIENT;
    options.crowd = crowds[seed % 3];
    options.max_combinations = caps[seed / 3 % 2];
    options.consideration_us = alphas[seed / 6 % 4];
    options.k_spread = spreads[seed / 2 % 5];
    return options;
}

// k from 1 to 40 or, every other time, nearly alike; in every fifth stream users ask again and
// again.
static void let_many_come(stream *s, uint64_t seed)
{
    s->steps_left = 220;
    s->most_queries = 160;
    s->segment_count = sc_map_segment_count(s->map);
    s->user_count = seed % 5 == 0 ? 12 : 200;
    s->most_k = 2 + (uint32_t)(seed * 7 % 39);
    s->least_k = seed % 2 == 0 ? 1 : 1 + s->most_k / 2;
    s->most_hops = (uint32_t)(seed / 2 % 9);
    s->most_l = 1 + (uint32_t)(seed % 6);
    s->longest_wait = 60;
    s->has_company = seed % 3 == 1;
    s->runs_per_time = 20;
}

static void race_one(uint64_t seed, const sc_map *map, race_tally *all)
{
    check_case(seed);
    const sc_engine_options options = patient_options(seed);
    race r;
    race_start(&r, seed, map, &options);
    let_many_come(&r.s, seed);
    race_through(&r, all);
    race_end(&r, all);
}

static void test_they_agree_on_small_towns(void **state)
{
    (void)state;
    race_tally all = {0};
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        sc_map *map = stream_map(seed);
        race_one(seed, map, &all);
        sc_map_free(map);
    }
    check_case_done();
    race_tell("towns", &all);
    assert_true(all.cloaks / 4 > TOWNS);
    assert_true(all.most_members == 40);
    assert_true(all.cap_hits > TOWNS);
}

static void test_they_agree_in_a_city(void **state)
{
    (void)state;
    sketch drawn = sketch_grid(SC_COORDS_PLANAR, 6, 7);
    sc_map *map = sketch_map(&drawn);
    race_tally all = {0};
    for (uint64_t seed = 0; seed < CITIES; seed++) {
        race_one(seed, map, &all);
    }
    check_case_done();
    race_tell("cities", &all);
    assert_true(all.cloaks > CITIES);
    sc_map_free(map);
    sketch_free(&drawn);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_they_agree_on_small_towns),
    SC_CASES(test_they_agree_in_a_city),
};
SC_SUITE(tests)
