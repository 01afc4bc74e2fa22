// The engine as something to be replayed: that one engine after a thousand replays does what a new
// one does, in all six methods, and that nothing of a replay is left to the next.
//
// What a replay came to is told to an sc_replayed, which remembers only how like a given S it was.
// So each replay is repeated for every segment s of the map with S = {s}: likeness 1 means that the
// cloak has s, and all of it is known in the end.
#include "attack/cloaker_engine.h"

#include "attack/replay.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"
#include "support/streams.h"

enum { QUERIES = 12, SEGMENTS = 256 };

/** A cloaker, opened, and its dice. */
typedef struct player {
    const sc_map *map;
    sc_engine_options options;
    sc_cloaker cloaker;
    sc_rng rng;
    void *opened;
} player;

/** It stays where it is: the cloaker knows where its dice are. */
static void player_open(player *p, const sc_map *map, const sc_engine_options *options)
{
    sc_diag diag = {""};
    *p = (player){.map = map, .options = *options};
    p->cloaker = sc__cloaker_engine(&p->options);
    sc_rng_seed(&p->rng, 1);
    CHECK_OK(p->cloaker.open(p->cloaker.context, map, &p->rng, &p->opened, &diag), &diag);
}

static void player_close(player *p)
{
    p->cloaker.close(p->opened);
}

/** What a replay came to: which segments the cloak of each query has; none if it has no cloak. */
typedef struct outcome {
    bool has[QUERIES][SEGMENTS];
} outcome;

static outcome play(player *p, uint64_t seed, const sc_query *queries, size_t count)
{
    outcome out = {0};
    const uint32_t segment_count = sc_map_segment_count(p->map);
    assert_true(segment_count <= SEGMENTS);
    sc__segment_set cloak_set;
    assert_true(sc__segment_set_init(&cloak_set, segment_count));
    for (sc_seg_id s = 0; s < segment_count; s++) {
        const sc_sighting sighting = {.segments = &s, .segment_count = 1};
        const sc__replay_setup setup = {.sighting = &sighting, .cloak_set = &cloak_set};
        double likeness[QUERIES] = {0};
        sc_replayed replayed = {&setup, likeness, count};
        sc__segment_set_add(&cloak_set, &s, 1);
        sc_rng_seed(&p->rng, seed);
        CHECK_OK(p->cloaker.replay(p->opened, queries, count, &replayed), NULL);
        sc__segment_set_remove(&cloak_set, &s, 1);
        for (size_t i = 0; i < count; i++) {
            assert_true(likeness[i] == 0.0 || likeness[i] == 1.0);
            out.has[i][s] = likeness[i] > 0.0;
        }
    }
    sc__segment_set_fini(&cloak_set);
    return out;
}

static bool is_cloaked(const outcome *out, const sc_query *queries, size_t i)
{
    return out->has[i][queries[i].segment];
}

static size_t count_cloaked(const outcome *out, const sc_query *queries, size_t count)
{
    size_t cloaked = 0;
    for (size_t i = 0; i < count; i++) {
        cloaked += is_cloaked(out, queries, i);
    }
    return cloaked;
}

/** P1 to P3, as far as they can be seen. */
static void check_promises(const outcome *out, const sc_query *queries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t segments = 0;
        size_t company = 0;
        for (size_t s = 0; s < SEGMENTS; s++) {
            segments += out->has[i][s];
        }
        for (size_t j = 0; j < count; j++) {
            company += memcmp(out->has[i], out->has[j], sizeof out->has[i]) == 0;
        }
        if (segments == 0) continue;
        assert_true(is_cloaked(out, queries, i));
        assert_true(segments >= queries[i].l);
        assert_true(company >= queries[i].k);
    }
}

static size_t draw_queries(sc_rng *rng, const sc_map *map, sc_query *queries)
{
    const uint32_t count = 1 + sc_rng_below(rng, QUERIES);
    // Near each other, so that company is found.
    const uint32_t spread = 1 + sc_rng_below(rng, sc_map_segment_count(map));
    for (uint32_t i = 0; i < count; i++) {
        queries[i] = (sc_query){.user = 100 + i, .deadline = 1000000};
        queries[i].segment = sc_rng_below(rng, spread);
        queries[i].k = 1 + sc_rng_below(rng, 4);
        queries[i].l = 1 + sc_rng_below(rng, 6);
        queries[i].max_hops = sc_rng_below(rng, 5);
        queries[i].result_size = sc_rng_below(rng, 20);
    }
    return count;
}

static void test_an_engine_that_is_used_again_does_what_a_new_one_does(void **state)
{
    (void)state;
    size_t cloaked[SC_VARIANT_COUNT] = {0};
    size_t uncloaked[SC_VARIANT_COUNT] = {0};
    for (uint64_t seed = 0; seed < 72; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_map *map = stream_map(seed);
        sc_engine_options options = stream_options(seed);
        options.variant = (sc_variant)(seed / STREAM_MAP_KINDS % SC_VARIANT_COUNT);
        player used;
        player_open(&used, map, &options);
        for (int turn = 0; turn < 6; turn++) {
            sc_query queries[QUERIES];
            const size_t count = draw_queries(&rng, map, queries);
            const uint64_t dice = sc_rng_next(&rng);
            player fresh;
            player_open(&fresh, map, &options);
            const outcome wanted = play(&fresh, dice, queries, count);
            const outcome got = play(&used, dice, queries, count);
            player_close(&fresh);
            assert_memory_equal(&got, &wanted, sizeof got);
            check_promises(&got, queries, count);
            const size_t members = count_cloaked(&got, queries, count);
            cloaked[options.variant] += members;
            uncloaked[options.variant] += count - members;
        }
        player_close(&used);
        sc_map_free(map);
    }
    check_case_done();
    for (int v = 0; v < SC_VARIANT_COUNT; v++) {
        print_message("# %s: %zu cloaked, %zu not\n", sc_variant_name((sc_variant)v), cloaked[v],
                      uncloaked[v]);
        assert_true(cloaked[v] > 20 && uncloaked[v] > 20);
    }
}

static void test_a_query_without_company_is_gone_in_the_next_replay(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    for (int v = 0; v < SC_VARIANT_COUNT; v++) {
        sc_engine_options options = sc_engine_options_default();
        options.variant = (sc_variant)v;
        player p;
        player_open(&p, map, &options);
        const sc_query two[] = {plain_query(1, 0, 2, 1, 9, 1), plain_query(2, 0, 2, 1, 9, 1)};
        for (uint64_t turn = 0; turn < 3; turn++) {
            outcome out = play(&p, turn, two, 1);
            assert_false(is_cloaked(&out, two, 0));
            out = play(&p, turn, two, 2);
            assert_int_equal(count_cloaked(&out, two, 2), 2);
        }
        player_close(&p);
    }
    sc_map_free(map);
}

static void test_a_need_that_no_map_can_meet_leaves_nothing_behind(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    for (int v = 0; v < SC_VARIANT_COUNT; v++) {
        sc_engine_options options = sc_engine_options_default();
        options.variant = (sc_variant)v;
        player p;
        player_open(&p, map, &options);
        const sc_query greedy = plain_query(1, 0, 1, 1000, 9, 1);
        const sc_query modest = plain_query(2, 0, 1, 2, 9, 1);
        for (uint64_t turn = 0; turn < 3; turn++) {
            outcome out = play(&p, turn, &greedy, 1);
            assert_false(is_cloaked(&out, &greedy, 0));
            out = play(&p, turn, &modest, 1);
            assert_true(is_cloaked(&out, &modest, 0));
        }
        player_close(&p);
    }
    sc_map_free(map);
}

// After a few replays of a query that cannot be cloaked there is memory for any number of them:
// what was dropped is not kept. (Sampling and expansion take memory for the roads around, and give
// it back.)
static void test_what_was_dropped_is_not_kept(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    for (int v = SC_VARIANT_BASIC; v <= SC_VARIANT_XSTAR; v++) {
        sc_engine_options options = sc_engine_options_default();
        options.variant = (sc_variant)v;
        player p;
        player_open(&p, map, &options);
        const sc_query greedy = plain_query(1, 0, 1, 1000, 9, 1);
        play(&p, 1, &greedy, 1);
        sc_alloc_fail_at(1);
        for (int turn = 0; turn < 1000; turn++) {
            const sc_err err = p.cloaker.replay(p.opened, &greedy, 1, NULL);
            if (err) sc_alloc_fail_at(0);
            CHECK_OK(err, NULL);
        }
        assert_false(oom_happened());
        player_close(&p);
    }
    sc_map_free(map);
}

// Two stars two hops apart: only a basic search joins those at A with those at C.
//     o   o   o
//     |   |   |
//     A---B---C
//     |       |
//     o       o
static const char street[] = "o   o   o\n"
                             "|   |   |\n"
                             "A---B---C\n"
                             "|       |\n"
                             "D       E\n";

/** How many of two far ones are cloaked. */
static size_t cloak_far_ones(sc_variant variant, sc_time alpha)
{
    sketch s = sketch_draw(SC_COORDS_PLANAR, street, "");
    sc_map *map = sketch_map(&s);
    // The dead ends at A and C, which leave no choice of a star.
    sc_seg_id ends[2] = {SC_NONE, SC_NONE};
    const sc_segment *segments = sc_map_segments(map);
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        if (segments[i].star_b != SC_NONE) continue;
        const sc_node_id node = sc_map_stars(map)[segments[i].star_a].node;
        if (node == sketch_node(&s, 'A')) ends[0] = i;
        if (node == sketch_node(&s, 'C')) ends[1] = i;
    }
    sketch_free(&s);
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    options.consideration_us = alpha;
    player p;
    player_open(&p, map, &options);
    const sc_query far[] = {plain_query(1, ends[0], 2, 1, 2, 1),
                            plain_query(2, ends[1], 2, 1, 2, 1)};
    const outcome out = play(&p, 1, far, 2);
    player_close(&p);
    sc_map_free(map);
    return count_cloaked(&out, far, 2);
}

static void test_hybrid_is_given_the_time_for_its_late_search(void **state)
{
    (void)state;
    assert_int_equal(cloak_far_ones(SC_VARIANT_BASIC, sc_time_from_seconds(2)), 2);
    assert_int_equal(cloak_far_ones(SC_VARIANT_BOUNDED, sc_time_from_seconds(2)), 0);
    assert_int_equal(cloak_far_ones(SC_VARIANT_HYBRID, sc_time_from_seconds(2)), 2);
    // However long before the deadline it begins; with no time at all it does not.
    assert_int_equal(cloak_far_ones(SC_VARIANT_HYBRID, sc_time_from_seconds(3600)), 2);
    assert_int_equal(cloak_far_ones(SC_VARIANT_HYBRID, INT64_MAX), 2);
    assert_int_equal(cloak_far_ones(SC_VARIANT_HYBRID, 1), 2);
    assert_int_equal(cloak_far_ones(SC_VARIANT_HYBRID, 0), 0);
}

static void test_options_that_no_engine_takes_are_refused(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_diag diag = {""};
    void *opened = NULL;
    sc_engine_options options = sc_engine_options_default();
    options.consideration_us = -1;
    const sc_cloaker cloaker = sc__cloaker_engine(&options);
    CHECK_REFUSED(cloaker.open(cloaker.context, map, &rng, &opened, &diag), SC_EINVAL, &diag,
                  "alpha must not be negative");
    assert_null(opened);
    cloaker.close(NULL);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_an_engine_that_is_used_again_does_what_a_new_one_does),
    cmocka_unit_test(test_a_query_without_company_is_gone_in_the_next_replay),
    cmocka_unit_test(test_a_need_that_no_map_can_meet_leaves_nothing_behind),
    cmocka_unit_test(test_what_was_dropped_is_not_kept),
    cmocka_unit_test(test_hybrid_is_given_the_time_for_its_late_search),
    cmocka_unit_test(test_options_that_no_engine_takes_are_refused),
};
SC_SUITE(tests)
