// Random sampling: every road of the region is as likely as any other, with or without queries on
// it; a second try draws again; the same seed gives the same cloaks.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/stage.h"

static const sc_time deadline = 1000;

// B has four dead ends and a road to A and C each, which have two.
static const char crossing[] = "  o o o o  \n"
                               "  | |/  |  \n"
                               "o-A-B---C-o\n"
                               "    |\\     \n"
                               "    o o    \n";

static void open_crossing(stage *st, uint64_t seed)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_SAMPLING;
    options.is_paranoid = true;
    stage_open(st, crossing, "", &options);
    sc_rng_seed(&st->rng, seed);
}

static bool has_segment(const sc_cloak *cloak, sc_seg_id segment)
{
    for (size_t i = 0; i < cloak->segment_count; i++) {
        if (cloak->segments[i] == segment) return true;
    }
    return false;
}

// One asks for three roads out of n: its own is always there, each other in 2 of n - 1 cloaks.
// A query with needs that cannot be met waits on one of them, which must not matter.
static void test_every_road_in_reach_is_as_likely_as_any_other(void **state)
{
    (void)state;
    enum { ROUNDS = 6000, MOST_ROADS = 32 };
    stage st;
    open_crossing(&st, 5);
    const uint32_t road_count = sc_map_segment_count(st.map);
    assert_in_range(road_count, 9, MOST_ROADS);
    uint32_t times[MOST_ROADS] = {0};
    const sc_query waits = stage_query(&st, 1, 'C', 9, deadline);
    stage_ask(&st, &waits, 0);
    const sc_seg_id own = stage_dead_end(&st, 'B');
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const sc_query query = plain_query(2 + round, own, 1, 3, 1, deadline);
        stage_ask(&st, &query, 0);
        sc_cloak *cloak = stage_take(&st);
        assert_non_null(cloak);
        assert_int_equal(cloak->segment_count, 3);
        for (size_t i = 0; i < cloak->segment_count; i++) {
            times[cloak->segments[i]]++;
        }
        CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
        sc_cloak_free(cloak);
    }
    // Five standard deviations; all roads are within one hop of B.
    const double share = 2.0 / (road_count - 1);
    const double tolerance = 5 * __builtin_sqrt(ROUNDS * share * (1 - share));
    for (sc_seg_id s = 0; s < road_count; s++) {
        CHECK_CLOSE(times[s], s == own ? ROUNDS : ROUNDS * share, s == own ? 0 : tolerance);
    }
    stage_close(&st);
}

// Around A-B without a hop there are the roads of A or those of B, never both; each first in half
// of the cases.
static void test_either_end_comes_first_by_chance(void **state)
{
    (void)state;
    enum { ROUNDS = 2000 };
    stage st;
    open_crossing(&st, 6);
    const sc_seg_id own = stage_road(&st, 'A', 'B');
    const sc_seg_id at_a = stage_dead_end(&st, 'A');
    uint32_t around_a = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const sc_query query = plain_query(1 + round, own, 1, 3, 0, deadline);
        stage_ask(&st, &query, 0);
        sc_cloak *cloak = stage_take(&st);
        around_a += has_segment(cloak, at_a);  // there are three at A, and all are needed
        CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
        sc_cloak_free(cloak);
    }
    CHECK_CLOSE(around_a, ROUNDS / 2.0, 5 * __builtin_sqrt(ROUNDS / 4.0));
    stage_close(&st);
}

// One at B needs the company on B-C, who reaches nothing but the roads of B. So of B-C and the
// four roads elsewhere, B-C must be drawn first: one time in five. Each query that comes lets it
// try again.
static void test_a_try_without_luck_draws_again(void **state)
{
    (void)state;
    enum { ROUNDS = 400, MOST_TRIES = 4 };
    uint32_t times[MOST_TRIES + 1] = {0};  // by the number of those who had to come
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        stage st;
        open_crossing(&st, seed);
        const sc_seg_id own = stage_dead_end(&st, 'B');
        const sc_query company = plain_query(1, stage_road(&st, 'B', 'C'), 2, 1, 0, deadline);
        const sc_query unlucky = plain_query(2, own, 2, 1, 1, deadline);
        CHECK_OK(sc_engine_add_company(st.engine, &company), NULL);
        stage_ask(&st, &unlucky, 0);
        uint32_t came = 0;
        sc_cloak *cloak = NULL;
        while (!(cloak = stage_take(&st)) && came < MOST_TRIES) {
            // All of one user, and content only with all three.
            sc_query newcomer = plain_query(3 + came++, own, 3, 1, 1, deadline);
            newcomer.user = 3;
            stage_ask(&st, &newcomer, 0);
        }
        times[came]++;
        if (cloak) CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
        sc_cloak_free(cloak);
        stage_close(&st);
    }
    CHECK_CLOSE(times[0], ROUNDS / 5.0, 5 * __builtin_sqrt(ROUNDS * 0.16));
    // With the first who comes, both of them try: it fails 16 times in 25.
    CHECK_CLOSE(times[1], ROUNDS * 0.8 * 0.36, 5 * __builtin_sqrt(ROUNDS * 0.288 * 0.712));
    assert_true(times[2] > 0);
}

/** The segments of accepted cloaks, one after the other. */
typedef struct diary {
    uint32_t segments[1024];
    size_t count;
} diary;

static void keep_diary(diary *d, uint64_t stream_seed, uint64_t seed)
{
    stage st;
    open_crossing(&st, seed);
    sc_rng draws;
    sc_rng_seed(&draws, stream_seed);
    d->count = 0;
    for (uint32_t number = 1; number < 60; number++) {
        const sc_seg_id segment = sc_rng_below(&draws, sc_map_segment_count(st.map));
        const sc_query query = plain_query(number, segment, 1 + number % 3, 3, 2, deadline);
        stage_ask(&st, &query, 0);
        for (sc_cloak *cloak; (cloak = stage_take(&st));) {
            memcpy(d->segments + d->count, cloak->segments,
                   cloak->segment_count * sizeof *cloak->segments);
            d->count += cloak->segment_count;
            CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
            sc_cloak_free(cloak);
        }
    }
    stage_close(&st);
}

static void test_the_same_seed_gives_the_same_cloaks_and_another_gives_others(void **state)
{
    (void)state;
    static diary once;
    static diary again;
    keep_diary(&once, 1, 7);
    keep_diary(&again, 1, 7);
    assert_true(once.count > 60);
    assert_int_equal(again.count, once.count);
    assert_memory_equal(again.segments, once.segments, once.count * sizeof *once.segments);
    keep_diary(&again, 1, 8);
    assert_true(again.count != once.count ||
                memcmp(again.segments, once.segments, once.count * sizeof *once.segments) != 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_road_in_reach_is_as_likely_as_any_other),
    cmocka_unit_test(test_either_end_comes_first_by_chance),
    cmocka_unit_test(test_a_try_without_luck_draws_again),
    cmocka_unit_test(test_the_same_seed_gives_the_same_cloaks_and_another_gives_others),
};
SC_SUITE(tests)
