// P1 to P8 hold for whatever an engine lets go, in every variant and on every kind of map: rings,
// lone roads, loops, double roads, several components. Checked by plain loops
// (support/slow_promises.h); the book of support/streams.h sees to P8 and to the engine's counts.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/sketch.h"
#include "support/slow_promises.h"
#include "support/streams.h"

enum { STREAMS_PER_PICTURE = 20, RANDOM_STREAMS = 1500, SPECIAL_STREAMS = 300 };

/** Looks at accepted cloaks. */
typedef struct witness {
    slow_roads roads;
    uint64_t cloaks;
    uint64_t shared;  ///< of them, those with more than one user
} witness;

static void look(void *context, const sc_cloak *cloak, sc_time now)
{
    witness *w = context;
    slow_check_promises(&w->roads, cloak, now);
    w->cloaks++;
    w->shared += cloak->members[0].query.user != cloak->members[cloak->member_count - 1].query.user;
}

static witness drive(const sc_map *map, const sc_engine_options *options, stream s, uint64_t seed,
                     stream_witness *sees)
{
    witness w = {.roads = slow_roads_new(map)};
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sc_engine *engine = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_engine_new(map, options, &rng, &engine, &diag), &diag);
    stream_drive(&s, engine, sees, &w);
    sc_engine_free(engine);
    slow_roads_free(&w.roads);
    return w;
}

/** Makes a stream special. */
typedef void stream_change(stream *s);

static witness drive_many(uint64_t count, stream_change *change, stream_witness *sees)
{
    witness all = {0};
    for (uint64_t seed = 0; seed < count; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        const sc_engine_options options = stream_options(seed);
        stream s = stream_new(seed, map);
        if (change) change(&s);
        const witness w = drive(map, &options, s, seed, sees);
        all.cloaks += w.cloaks;
        all.shared += w.shared;
        sc_map_free(map);
    }
    check_case_done();
    return all;
}

static void test_promises_hold_in_every_variant_on_every_small_map(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        sketch s = sketch_draw(SC_COORDS_PLANAR, small->picture, small->more);
        sc_map *map = sketch_map(&s);
        for (unsigned variant = 0; variant < SC_VARIANT_COUNT; variant++) {
            uint64_t cloaks = 0;
            for (uint64_t seed = 0; seed < STREAMS_PER_PICTURE; seed++) {
                check_case(seed);
                sc_engine_options options = stream_options(seed);
                options.variant = (sc_variant)variant;
                cloaks += drive(map, &options, stream_new(seed, map), seed, look).cloaks;
            }
            // Even a lone road hides those who ask for one segment.
            if (cloaks < STREAMS_PER_PICTURE) fail_msg("too few cloaks on '%s'", small->name);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_promises_hold_on_random_maps(void **state)
{
    (void)state;
    assert_true(drive_many(RANDOM_STREAMS, NULL, look).shared > RANDOM_STREAMS);
}

// With no hops each cloak is one star, and company must be at that star.
static void one_star(void *context, const sc_cloak *cloak, sc_time now)
{
    look(context, cloak, now);
    if (cloak->star_count == 0) return;  // sampling and expansion
    assert_int_equal(cloak->star_count, 1);
    for (size_t i = 0; i < cloak->member_count; i++) {
        assert_int_equal(cloak->members[i].star, cloak->stars[0]);
    }
}

static void allow_no_hops(stream *s)
{
    s->most_hops = 0;
    s->most_l = 3;  // as many as most stars have
}

static void test_with_no_hops_allowed_a_cloak_is_one_star(void **state)
{
    (void)state;
    assert_true(drive_many(SPECIAL_STREAMS, allow_no_hops, one_star).shared > 100);
}

static void never(void *context, const sc_cloak *cloak, sc_time now)
{
    (void)context;
    (void)cloak;
    (void)now;
    fail_msg("a cloak for k users without k users");
}

static void one_user(stream *s)
{
    s->user_count = 1;
    s->least_k = 2;
    s->most_k = 4;
}

static void test_repeated_queries_of_a_user_are_no_company_for_each_other(void **state)
{
    (void)state;
    drive_many(SPECIAL_STREAMS, one_user, never);
}

static void too_many_wanted(stream *s)
{
    s->least_k = s->most_k = s->user_count + 1;
}

static void test_a_k_beyond_the_population_is_never_met(void **state)
{
    (void)state;
    drive_many(SPECIAL_STREAMS, too_many_wanted, never);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_promises_hold_in_every_variant_on_every_small_map),
    SC_CASES(test_promises_hold_on_random_maps),
    SC_CASES(test_with_no_hops_allowed_a_cloak_is_one_star),
    SC_CASES(test_repeated_queries_of_a_user_are_no_company_for_each_other),
    SC_CASES(test_a_k_beyond_the_population_is_never_met),
};
SC_SUITE(tests)
