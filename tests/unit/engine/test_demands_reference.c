// Engines with demands against the slow ones (support/slow_demand.h), which were written from the
// description of demands alone: the same calls, generators of the same seed, and everything that
// comes out is the same, and as many numbers are drawn for it. The roads of every cloak are looked
// at again by the definitions.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/made_demands.h"
#include "support/race.h"
#include "support/sketch.h"

enum { STREAMS = 2400, PAPER_STREAMS = 1200, PLAIN_STREAMS = 400, LONG_STREAMS = 8 };

static const sc_own_demands *own_of(void *context, const sc_query *query)
{
    return made_own_demands(context, query);
}

static void ask_with(race *r, made_demands *m)
{
    r->s.own_of = own_of;
    r->s.own_context = m;
}

// Few caps and crowds: what is found is settled.
static sc_engine_options patient_options(uint64_t seed)
{
    static const uint32_t crowds[] = {1, 1, 1, 2, 4, SC_CROWD_MAX};
    static const uint32_t caps[] = {1, 2, 8};
    sc_engine_options options = stream_options(seed);
    options.variant = SC_VARIANT_PATIENT;
    options.crowd = crowds[seed / 7 % (sizeof crowds / sizeof *crowds)];
    options.max_combinations = caps[seed / 5 % (sizeof caps / sizeof *caps)];
    options.is_paranoid = seed % 2 == 0;
    return options;
}

// Enough roads in reach, in most streams, for demands to matter.
static void set_needs(stream *s, uint64_t seed)
{
    if (seed % 4 != 0) stream_scatter(s);
    if (seed % 4 == 1) s->most_hops = 8;
    if (seed % 4 >= 2) s->least_k = 1;
    if (seed % 4 >= 2) s->most_k = 3;
    if (seed % 5 != 0 && s->most_l > 6) s->most_l = 6;
}

/** Both through the stream of a seed, on its map, with demands of its own. */
static void race_with_demands(uint64_t seed, sc_map *map, sc_engine_options options, bool is_long,
                              race_tally *all)
{
    slow_roads roads = slow_roads_new(map);
    made_demands m;
    made_demands_start(&m, &roads, seed);
    if (options.variant != SC_VARIANT_PATIENT) made_demands_reduce(&m);
    options.demands = m.of_engine;
    race r;
    race_start(&r, seed, map, &options);
    ask_with(&r, &m);
    if (is_long) {
        race_lengthen(&r, map);
    } else {
        set_needs(&r.s, seed);
    }
    race_through(&r, all);
    race_end(&r, all);
    made_demands_end(&m);
    slow_roads_free(&roads);
}

static void test_the_patient_engine_keeps_demands_as_the_slow_one_does(void **state)
{
    (void)state;
    race_tally all = {0};
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        race_with_demands(seed, map, patient_options(seed), false, &all);
        sc_map_free(map);
    }
    check_case_done();
    race_tell("short streams", &all);
    // Enough of everything to mean something.
    assert_true(all.cloaks > STREAMS);
    assert_true(all.members > 3 * all.cloaks / 2);
    assert_true(all.pruned_stars > all.cloaks / 4);
    assert_true(all.refused > STREAMS / 4);
    assert_true(all.dropped[SC_DROP_EXPIRED] > STREAMS);
    assert_true(all.dropped[SC_DROP_INFEASIBLE] > STREAMS / 2);
    assert_true(all.dropped[SC_DROP_EXPOSED] > STREAMS);
    assert_true(all.settle_counts.reduced > STREAMS / 8);
    assert_true(all.settle_counts.failed > STREAMS / 8);
    assert_true(all.settle_counts.taken_back > 20);
}

static void test_basic_bounded_and_hybrid_keep_zones_and_classes(void **state)
{
    (void)state;
    race_tally all = {0};
    for (uint64_t seed = 0; seed < PAPER_STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        sc_engine_options options = stream_options(seed);
        options.variant = (sc_variant)(seed % 3);
        options.is_paranoid = seed % 2 == 0;
        race_with_demands(seed, map, options, false, &all);
        sc_map_free(map);
    }
    check_case_done();
    race_tell("the paper's", &all);
    assert_true(all.cloaks > PAPER_STREAMS);
    assert_true(all.pruned_stars > all.cloaks / 8);
    assert_true(all.dropped[SC_DROP_EXPOSED] > PAPER_STREAMS / 2);
    assert_true(all.dropped[SC_DROP_INFEASIBLE] > PAPER_STREAMS / 4);
}

static void test_they_agree_over_long_streams_on_a_larger_map(void **state)
{
    (void)state;
    sketch drawn = sketch_grid(SC_COORDS_PLANAR, 8, 8);
    sc_map *map = sketch_map(&drawn);
    race_tally all = {0};
    for (uint64_t seed = 0; seed < LONG_STREAMS; seed++) {
        check_case(seed);
        race_with_demands(seed, map, patient_options(seed), true, &all);
    }
    check_case_done();
    race_tell("long streams", &all);
    assert_true(all.cloaks > 10 * (uint64_t)LONG_STREAMS);
    sc_map_free(map);
    sketch_free(&drawn);
}

// --- No demand -------------------------------------------------------------------

static const sc_own_demands *ask_for_nothing(void *context, const sc_query *query)
{
    static const sc_own_demands nothing = {0};
    (void)context;
    return query->id.bytes[0] % 2 == 0 ? &nothing : NULL;
}

// A density without traffic, and classes of which none has a road, change nothing: not even what is
// drawn.
static void test_what_asks_for_nothing_is_the_engine_without(void **state)
{
    (void)state;
    race_tally all = {0};
    for (uint64_t seed = 0; seed < PLAIN_STREAMS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        slow_roads roads = slow_roads_new(map);
        made_demands m;
        made_demands_start(&m, &roads, seed);
        sc_place_classes *empty = NULL;
        uint32_t number = 0;
        CHECK_OK(sc_place_classes_new(map, &empty), NULL);
        CHECK_OK(sc_place_classes_add(empty, "clinic", &number), NULL);
        sc_engine_options options = patient_options(seed);
        options.demands = (sc_demands){.density = m.density, .classes = empty};
        race r;
        race_start_apart(&r, seed, map, &options, &(sc_demands){0});
        r.s.own_of = ask_for_nothing;
        set_needs(&r.s, seed);
        race_through(&r, &all);
        race_end(&r, &all);
        sc_place_classes_free(empty);
        made_demands_end(&m);
        slow_roads_free(&roads);
        sc_map_free(map);
    }
    check_case_done();
    assert_true(all.cloaks > PLAIN_STREAMS);
    assert_int_equal(all.dropped[SC_DROP_EXPOSED], 0);
}

// --- A star of four roads --------------------------------------------------------

/** How one who is alone on a road of the star ends: k 1, l 2, traffic 2, nothing else in reach. */
static sc_drop_reason end_on(const sc_map *map, const uint64_t *counts, sc_seg_id segment)
{
    enum { CLOAKED = SC_DROP_REASON_COUNT };
    sc_density *density = NULL;
    sc_engine *engine = NULL;
    sc_diag diag = {""};
    sc_rng rng;
    sc_rng_seed(&rng, segment);
    CHECK_OK(sc_density_new_counted(map, counts, &density), NULL);
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_PATIENT;
    options.is_paranoid = true;
    options.demands = (sc_demands){.density = density, .traffic = 2, .is_strict = true};
    CHECK_OK(sc_engine_new(map, &options, &rng, &engine, &diag), &diag);
    const sc_query query = plain_query(1, segment, 1, 2, 3, 100);
    CHECK_OK(sc_engine_add(engine, &query), NULL);
    // At the deadline at the latest: whatever crowd it would have liked.
    CHECK_OK(sc_engine_run(engine, 100), NULL);
    sc_drop drop;
    const bool is_dropped = sc_engine_take_drop(engine, &drop);
    sc_cloak *cloak = sc_engine_take_candidate(engine);
    assert_int_equal(is_dropped, cloak == NULL);
    if (cloak) CHECK_OK(sc_engine_refuse(engine, cloak, &query.id, 1), NULL);
    sc_cloak_free(cloak);
    sc_engine_free(engine);
    sc_density_free(density);
    return is_dropped ? drop.reason : (sc_drop_reason)CLOAKED;
}

static void test_a_busy_road_needs_as_much_traffic_around_it(void **state)
{
    (void)state;
    // Densities of 2, 3, 4 and 9, or 10: one more than the counts.
    static const uint64_t hidden[] = {1, 2, 3, 8};
    static const uint64_t exposed[] = {1, 2, 3, 9};
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t centre = sketch_add_node(&s, 0, 0);
    for (uint32_t i = 0; i < 4; i++) {
        sketch_add_edge(&s, centre, sketch_add_node(&s, 100 * (i + 1.0), i % 2), 100);
    }
    sc_map *map = sketch_map(&s);
    assert_int_equal(sc_map_segment_count(map), 4);
    for (sc_seg_id segment = 0; segment < 4; segment++) {
        assert_int_equal(end_on(map, hidden, segment), SC_DROP_REASON_COUNT);
        assert_int_equal(end_on(map, exposed, segment),
                         segment == 3 ? SC_DROP_EXPOSED : SC_DROP_REASON_COUNT);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_patient_engine_keeps_demands_as_the_slow_one_does),
    SC_CASES(test_basic_bounded_and_hybrid_keep_zones_and_classes),
    SC_CASES(test_they_agree_over_long_streams_on_a_larger_map),
    SC_CASES(test_what_asks_for_nothing_is_the_engine_without),
    cmocka_unit_test(test_a_busy_road_needs_as_much_traffic_around_it),
};
SC_SUITE(tests)
