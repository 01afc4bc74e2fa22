// What the patient engine does, scene by scene: both ends of a road count, the most urgent goes
// first, a crowd is waited for, company starts nothing, and nothing is left behind. Every choice is
// compared with the slow engine in test_patient_reference.c.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/slow_promises.h"
#include "support/stage.h"

// The small town of docs/engine.md.
static const char town[] = "    o   o   o\n"
                           "    |   |   |\n"
                           "o---A---B---C---o\n"
                           "    |   |   |\n"
                           "    o   o   o\n";

enum { SEEDS = 50 };

static const sc_time deadline = 1000;

static sc_engine_options patient(uint32_t crowd, sc_time alpha)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_PATIENT;
    options.crowd = crowd;
    options.consideration_us = alpha;
    options.max_combinations = sc_variant_cap(SC_VARIANT_PATIENT);
    return options;
}

static void check_searches(const stage *st, uint64_t count)
{
    assert_int_equal(sc_engine_get_stats(st->engine).searches, count);
}

static void take_and_accept(stage *st, const uint32_t *numbers, sc_time now)
{
    sc_cloak *cloak = stage_take(st);
    assert_non_null(cloak);
    check_members(cloak, numbers);
    CHECK_OK(sc_engine_accept(st->engine, cloak, now, NULL), NULL);
    sc_cloak_free(cloak);
}

// --- Both ends -------------------------------------------------------------------

// Of how many seeds u1 on A-B and u2 on B-C, with one hop, find each other before they expire.
static uint32_t count_met(const sc_engine_options *options)
{
    uint32_t met = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        stage st;
        stage_open(&st, town, "", options);
        sc_rng_seed(&st.rng, seed);
        const sc_query u1 = plain_query(1, stage_road(&st, 'A', 'B'), 2, 4, 1, deadline);
        const sc_query u2 = plain_query(2, stage_road(&st, 'B', 'C'), 2, 4, 1, deadline + 200);
        stage_ask(&st, &u1, 100);
        stage_ask(&st, &u2, 300);
        for (sc_time wake; (wake = sc_engine_next_wake(st.engine)) != SC_TIME_NEVER;) {
            stage_run(&st, wake);
        }
        sc_cloak *cloak = stage_take(&st);
        met += cloak != NULL;
        if (cloak) check_members(cloak, (const uint32_t[]){1, 2, 0});
        sc_cloak_free(cloak);
        stage_close(&st);
    }
    return met;
}

static void test_two_on_neighbouring_roads_always_meet(void **state)
{
    (void)state;
    const sc_engine_options at_once = patient(1, 0);
    assert_int_equal(count_met(&at_once), SEEDS);
    const sc_engine_options waiting = patient(4, 100);
    assert_int_equal(count_met(&waiting), SEEDS);
    // An end that is settled beforehand is mostly the wrong one.
    const sc_engine_options basic = sc_engine_options_default();
    assert_in_range(count_met(&basic), 1, SEEDS - 1);
}

// --- The most urgent first -------------------------------------------------------

static const uint32_t orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                      {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};

// Query 1 is the most urgent, 3 the least.
static void ask_in_order(stage *st, const uint32_t *order, sc_time now)
{
    for (size_t i = 0; i < 3; i++) {
        const sc_query query =
            plain_query(order[i], stage_road(st, 'A', 'B'), 2, 1, 20, deadline * (sc_time)order[i]);
        stage_ask(st, &query, now);
    }
}

static bool is_member(const sc_cloak *cloak, uint32_t number)
{
    bool found = false;
    for (size_t i = 0; i < cloak->member_count; i++) {
        found |= cloak->members[i].query.user == number;
    }
    return found;
}

static void test_the_most_urgent_is_in_the_first_cloak_whatever_the_order(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6 * (uint64_t)SEEDS; seed++) {
        stage st;
        // The third of them is the first that finds a crowd: five listings, which is twice its k.
        const sc_engine_options options = patient(2, 0);
        stage_open(&st, town, "", &options);
        sc_rng_seed(&st.rng, seed);
        ask_in_order(&st, orders[seed % 6], 0);
        check_searches(&st, 1);
        sc_cloak *cloak = stage_take(&st);
        assert_non_null(cloak);
        assert_int_equal(cloak->member_count, 2);
        assert_true(is_member(cloak, 1));
        sc_cloak_free(cloak);
        stage_close(&st);
    }
}

static void test_one_that_asks_the_impossible_changes_nothing_for_others(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6 * (uint64_t)SEEDS; seed++) {
        uint32_t members[2] = {0};
        for (int has_large = 0; has_large < 2; has_large++) {
            stage st;
            const sc_engine_options options = patient(1, 0);
            stage_open(&st, town, "", &options);
            sc_rng_seed(&st.rng, seed);
            // It is more urgent than any.
            const sc_query large =
                plain_query(9, stage_road(&st, 'A', 'B'), 100, 1, 20, deadline / 2);
            if (has_large) stage_ask(&st, &large, 0);
            ask_in_order(&st, orders[seed % 6], 0);
            sc_cloak *cloak = stage_take(&st);
            assert_non_null(cloak);
            assert_int_equal(cloak->member_count, 2);
            for (uint32_t number = 1; number <= 3; number++) {
                members[has_large] |= (uint32_t)is_member(cloak, number) << number;
            }
            assert_false(is_member(cloak, 9));
            sc_cloak_free(cloak);
            check_no_candidate(&st);
            stage_close(&st);
        }
        assert_int_equal(members[0], members[1]);
    }
}

// --- A crowd ---------------------------------------------------------------------

static void test_without_a_crowd_a_search_waits_for_the_urgent_moment(void **state)
{
    (void)state;
    stage st;
    const sc_time alpha = 100;
    const sc_engine_options options = patient(SC_CROWD_MAX, alpha);
    stage_open(&st, town, "", &options);
    for (uint32_t number = 1; number <= 3; number++) {
        const sc_query query = plain_query(number, stage_road(&st, 'A', 'B'), 2, 1, 20,
                                           deadline + 500 * (sc_time)(number - 1));
        stage_ask(&st, &query, 0);
    }
    check_searches(&st, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), deadline - alpha + 1);
    stage_run(&st, deadline - alpha);
    check_searches(&st, 0);
    stage_run(&st, deadline - alpha + 1);
    check_searches(&st, 1);
    take_and_accept(&st, (const uint32_t[]){1, 2, 0}, deadline - alpha + 1);

    // The third is searched from in vain, once, and then when somebody comes to its end.
    const sc_time last = deadline + 1000;
    assert_int_equal(sc_engine_next_wake(st.engine), last - alpha + 1);
    stage_run(&st, last - alpha + 1);
    check_searches(&st, 2);
    assert_int_equal(sc_engine_next_wake(st.engine), last + 1);
    stage_run(&st, last - 50);
    check_searches(&st, 2);
    const sc_query fourth = plain_query(4, stage_road(&st, 'B', 'C'), 2, 1, 20, 10 * deadline);
    stage_ask(&st, &fourth, last - 40);
    check_searches(&st, 3);
    take_and_accept(&st, (const uint32_t[]){3, 4, 0}, last - 40);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_close(&st);
}

/** What came of a stream: which cloaks, when, and how many. */
typedef struct outcome {
    uint64_t digest;
    uint64_t cloaks;
    uint64_t searches;
} outcome;

static void note(outcome *o, uint64_t value)
{
    o->digest = (o->digest ^ value) * UINT64_C(0x100000001b3);
}

// Queries come at random over 400 us. Fine: the engine runs at every microsecond; else only when
// one comes and when it asked to be woken.
static outcome play(uint64_t seed, const sc_map *map, uint32_t crowd, bool is_fine)
{
    enum { SPAN = 400, QUERIES = 40 };
    const sc_engine_options options = patient(crowd, 20);
    outcome o = {0};
    sc_rng rng;
    sc_rng prune_rng;
    sc_rng_seed(&rng, seed);
    sc_rng_seed(&prune_rng, seed);
    sc_engine *engine = NULL;
    sc_pruner *pruner = NULL;
    CHECK_OK(sc_engine_new(map, &options, &rng, &engine, NULL), NULL);
    CHECK_OK(sc_pruner_new(map, &pruner), NULL);
    sc_rng world;
    sc_rng_seed(&world, seed);
    uint32_t asked = 0;
    for (sc_time now = 0; now < 3 * (sc_time)SPAN; now++) {
        bool has_come = false;
        while (asked < QUERIES && now < SPAN && sc_rng_below(&world, SPAN) < QUERIES) {
            const sc_seg_id where = sc_rng_below(&world, sc_map_segment_count(map));
            const uint32_t k = 1 + sc_rng_below(&world, 4);
            const uint32_t hops = sc_rng_below(&world, 5);
            const sc_query query =
                plain_query(asked++, where, k, 2, hops, now + 10 + sc_rng_below(&world, 100));
            CHECK_OK(sc_engine_add(engine, &query), NULL);
            has_come = true;
        }
        if (!is_fine && !has_come && sc_engine_next_wake(engine) > now) continue;
        CHECK_OK(sc_engine_run(engine, now), NULL);
        for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(engine)); sc_cloak_free(cloak)) {
            CHECK_OK(sc_pruner_prune(pruner, cloak, &prune_rng), NULL);
            CHECK_OK(sc_engine_accept(engine, cloak, now, NULL), NULL);
            note(&o, (uint64_t)now);
            for (size_t i = 0; i < cloak->member_count; i++) {
                note(&o, cloak->members[i].query.user);
                note(&o, cloak->members[i].star);
            }
            o.cloaks++;
        }
    }
    o.searches = sc_engine_get_stats(engine).searches;
    assert_int_equal(sc_engine_get_stats(engine).pending, 0);
    sc_pruner_free(pruner);
    sc_engine_free(engine);
    return o;
}

static void test_a_finer_clock_gives_the_same_cloaks(void **state)
{
    (void)state;
    static const uint32_t crowds[] = {1, 4, SC_CROWD_MAX};
    uint64_t cloaks = 0;
    for (uint64_t seed = 0; seed < 4 * (uint64_t)SEEDS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        const outcome coarse = play(seed, map, crowds[seed % 3], false);
        const outcome fine = play(seed, map, crowds[seed % 3], true);
        assert_int_equal(coarse.digest, fine.digest);
        assert_int_equal(coarse.cloaks, fine.cloaks);
        assert_int_equal(coarse.searches, fine.searches);
        cloaks += fine.cloaks;
        sc_map_free(map);
    }
    check_case_done();
    assert_true(cloaks / 4 > SEEDS);
}

// --- Company, and what is left ---------------------------------------------------

static void test_company_alone_starts_no_search(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = patient(1, 100);
    stage_open(&st, town, "", &options);
    for (uint32_t number = 1; number <= 3; number++) {
        const sc_query query = plain_query(number, stage_road(&st, 'A', 'B'), 1, 1, 20, deadline);
        CHECK_OK(sc_engine_add_company(st.engine, &query), NULL);
    }
    // It is listed, and never urgent.
    for (sc_time now = 0; now <= deadline - 1; now += 27) {
        stage_run(&st, now);
        assert_int_equal(sc_engine_next_wake(st.engine), deadline + 1);
    }
    check_searches(&st, 0);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).active_stars, 2);

    // A member all the same.
    const sc_query own = plain_query(4, stage_road(&st, 'B', 'C'), 4, 1, 20, 2 * deadline);
    stage_ask(&st, &own, deadline);
    take_and_accept(&st, (const uint32_t[]){1, 2, 3, 4, 0}, deadline);
    assert_int_equal(sc_engine_get_stats(st.engine).company_accepted, 3);
    assert_int_equal(sc_engine_get_stats(st.engine).active_stars, 0);
    check_no_drop(&st);
    stage_close(&st);
}

static void test_a_query_that_goes_leaves_no_listing(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = patient(1, 0);
    stage_open(&st, town, "", &options);
    const sc_query one = plain_query(1, stage_road(&st, 'A', 'B'), 2, 1, 1, deadline);
    const sc_query two = plain_query(2, stage_road(&st, 'B', 'C'), 2, 1, 1, deadline);
    stage_ask(&st, &one, 0);
    assert_int_equal(sc_engine_get_stats(st.engine).active_stars, 2);
    CHECK_OK(sc_engine_remove(st.engine, &one.id), NULL);
    assert_int_equal(sc_engine_get_stats(st.engine).active_stars, 0);
    stage_ask(&st, &two, 0);
    check_no_candidate(&st);

    // Refused: the one that is gone stays away, the other is listed at both ends again.
    stage_ask(&st, &one, 0);
    sc_cloak *cloak = stage_take(&st);
    assert_non_null(cloak);
    assert_int_equal(sc_engine_get_stats(st.engine).active_stars, 0);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, &one.id, 1), NULL);
    sc_cloak_free(cloak);
    stage_run(&st, 1);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).active_stars, 2);
    stage_run(&st, deadline + 1);
    check_drop(&st, 2, SC_DROP_EXPIRED, deadline + 1);
    assert_int_equal(sc_engine_get_stats(st.engine).active_stars, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_close(&st);
}

/** Looks at accepted cloaks. */
typedef struct witness {
    slow_roads roads;
    uint64_t cloaks;
} witness;

// P1 to P5, and: no user twice, and none more than the largest k needs.
static void look(void *context, const sc_cloak *cloak, sc_time now)
{
    witness *w = context;
    slow_check_promises(&w->roads, cloak, now);
    uint32_t most_k = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *member = &cloak->members[i].query;
        if (member->k > most_k) most_k = member->k;
        for (size_t j = 0; j < i; j++) {
            assert_true(cloak->members[j].query.user != member->user);
        }
    }
    assert_int_equal(cloak->member_count, most_k);
    w->cloaks++;
}

static void test_promises_hold_and_nothing_is_left_behind(void **state)
{
    (void)state;
    uint64_t cloaks = 0;
    for (uint64_t seed = 0; seed < 12 * (uint64_t)SEEDS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        sc_engine_options options = patient(seed % 4 == 0 ? 4 : 1, (sc_time)(seed % 30));
        options.is_paranoid = true;
        witness w = {.roads = slow_roads_new(map)};
        stream s = stream_new(seed, map);
        s.has_company = true;
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
    assert_true(cloaks / 12 > SEEDS);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_two_on_neighbouring_roads_always_meet),
    SC_CASES(test_the_most_urgent_is_in_the_first_cloak_whatever_the_order),
    SC_CASES(test_one_that_asks_the_impossible_changes_nothing_for_others),
    SC_CASES(test_without_a_crowd_a_search_waits_for_the_urgent_moment),
    SC_CASES(test_a_finer_clock_gives_the_same_cloaks),
    SC_CASES(test_company_alone_starts_no_search),
    SC_CASES(test_a_query_that_goes_leaves_no_listing),
    SC_CASES(test_promises_hold_and_nothing_is_left_behind),
};
SC_SUITE(tests)
