// The rules of the patient engine one by one: both ends of a road, the most urgent first, a crowd
// to choose from. test_patient_reference.c compares all of it with the slow one.
#include <starcloak/engine.h>

#include "engine/engine_internal.h"
#include "support/check.h"
#include "support/stage.h"

// The small town of docs/engine.md.
static const char town[] = "    o       o       o\n"
                           "    |       |       |\n"
                           "o---A-------B-------C---o\n"
                           "    |       |       |\n"
                           "    o       |       o\n"
                           "            o---o---o\n";

static const sc_time second = 1000000;

static sc_engine_options patient(uint32_t crowd, sc_time alpha)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_PATIENT;
    options.crowd = crowd;
    options.consideration_us = alpha;
    options.max_combinations = sc_variant_cap(options.variant);
    options.is_paranoid = true;
    return options;
}

/** The next candidate has these members, and is accepted. */
static void check_cloaked(stage *st, sc_time now, const uint32_t *numbers)
{
    sc_diag diag = {""};
    sc_cloak *cloak = stage_take(st);
    assert_non_null(cloak);
    check_members(cloak, numbers);
    CHECK_OK(sc_engine_accept(st->engine, cloak, now, &diag), &diag);
    sc_cloak_free(cloak);
}

/** Nothing waits, and nothing is left behind of what did. */
static void check_empty(const stage *st)
{
    const sc_engine_stats stats = sc_engine_get_stats(st->engine);
    assert_int_equal(stats.pending, 0);
    assert_int_equal(stats.active_stars, 0);
    assert_int_equal(stats.vertices, 0);
    assert_int_equal(st->engine->vertices.count, 0);
    assert_int_equal(st->engine->to_search, 0);
    assert_int_equal(sc_engine_next_wake(st->engine), SC_TIME_NEVER);
}

static void test_two_neighbours_of_the_small_town_are_always_cloaked(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        check_case(seed);
        stage st;
        const sc_engine_options options = patient(1, 0);
        stage_open(&st, town, "", &options);
        sc_rng_seed(&st.rng, seed);
        const sc_query u1 = plain_query(1, stage_road(&st, 'A', 'B'), 2, 4, 1, 11 * second);
        const sc_query u2 = plain_query(2, stage_road(&st, 'B', 'C'), 2, 4, 1, 13 * second);
        stage_ask(&st, &u1, 1 * second);
        check_no_candidate(&st);
        stage_ask(&st, &u2, 3 * second);
        check_cloaked(&st, 3 * second, (const uint32_t[]){1, 2, 0});
        check_no_candidate(&st);
        check_empty(&st);
        stage_close(&st);
    }
    check_case_done();
}

// Four at one star with k 2 and crowd 2: the fourth to come makes it a crowd. In whatever order
// they come, the one with the nearest deadline is in the first cloak; one that asks for 100 users,
// and sooner than all of them, changes nothing.
static void test_the_nearest_deadline_is_in_the_first_cloak(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 24; order++) {
        check_case(order);
        for (int has_impossible = 0; has_impossible < 2; has_impossible++) {
            stage st;
            const sc_engine_options options = patient(2, 0);
            stage_open(&st, town, "", &options);
            if (has_impossible) {
                const sc_query much = stage_query(&st, 9, 'A', 100, 5 * second);
                stage_ask(&st, &much, 0);
            }
            // The order-th permutation of the numbers 1 to 4; number n has the n-th deadline.
            uint32_t left[] = {1, 2, 3, 4};
            unsigned rest = order;
            uint32_t urgent = 5;
            sc_cloak *cloak = NULL;
            for (unsigned count = 4; count > 0 && !cloak; count--) {
                const unsigned at = rest % count;
                const uint32_t number = left[at];
                rest /= count;
                left[at] = left[count - 1];
                if (number < urgent) urgent = number;
                const sc_query query = stage_query(&st, number, 'A', 2, (10 + number) * second);
                stage_ask(&st, &query, second);
                cloak = stage_take(&st);
            }
            assert_non_null(cloak);
            assert_int_equal(cloak->member_count, 2);
            bool has_urgent = false;
            for (size_t i = 0; i < 2; i++) {
                has_urgent |= cloak->members[i].query.user == urgent;
                assert_int_not_equal(cloak->members[i].query.user, 9);
            }
            assert_true(has_urgent);
            CHECK_OK(sc_engine_accept(st.engine, cloak, second, NULL), NULL);
            sc_cloak_free(cloak);
            stage_close(&st);
        }
    }
    check_case_done();
}

static void test_a_large_crowd_is_searched_for_when_a_deadline_is_near_and_not_before(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = patient(SC_CROWD_MAX, 2 * second);
    stage_open(&st, town, "", &options);
    for (uint32_t number = 1; number <= 3; number++) {
        const sc_query query = stage_query(&st, number, 'B', 2, (9 + number) * second);
        stage_ask(&st, &query, second);
    }
    check_no_candidate(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).searches, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), 8 * second + 1);
    stage_run(&st, 8 * second);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_next_wake(st.engine), 8 * second + 1);
    stage_run(&st, 8 * second + 1);
    check_cloaked(&st, 8 * second + 1, (const uint32_t[]){1, 2, 0});
    // The third becomes urgent alone, and then waits for its deadline or a newcomer.
    assert_int_equal(sc_engine_next_wake(st.engine), 10 * second + 1);
    stage_run(&st, 10 * second + 1);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_next_wake(st.engine), 12 * second + 1);
    const sc_query newcomer = stage_query(&st, 4, 'B', 2, 30 * second);
    stage_ask(&st, &newcomer, 11 * second);
    check_cloaked(&st, 11 * second, (const uint32_t[]){3, 4, 0});
    check_empty(&st);
    stage_close(&st);
}

static void test_a_newcomer_without_urgent_others_waits_for_the_crowd(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = patient(4, 2 * second);
    stage_open(&st, town, "", &options);
    for (uint32_t number = 1; number <= 7; number++) {
        const sc_query query = stage_query(&st, number, 'B', 2, 20 * second + number);
        stage_ask(&st, &query, number);
        check_no_candidate(&st);
    }
    const sc_query eighth = stage_query(&st, 8, 'B', 2, 30 * second);
    stage_ask(&st, &eighth, 8);
    check_cloaked(&st, 8, (const uint32_t[]){1, 2, 0});
    stage_close(&st);
}

static void test_company_starts_no_search_and_is_in_cloaks(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = patient(1, 2 * second);
    stage_open(&st, town, "", &options);
    for (uint32_t number = 1; number <= 3; number++) {
        const sc_query query = stage_query(&st, number, 'B', 1, (10 + number) * second);
        CHECK_OK(sc_engine_add_company(st.engine, &query), NULL);
    }
    stage_run(&st, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), 11 * second + 1);
    stage_run(&st, 10 * second);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).searches, 0);
    const sc_query own = stage_query(&st, 4, 'B', 2, 30 * second);
    stage_ask(&st, &own, 10 * second);
    check_cloaked(&st, 10 * second, (const uint32_t[]){1, 4, 0});
    assert_int_equal(sc_engine_get_stats(st.engine).company_accepted, 1);
    stage_run(&st, 20 * second);
    check_no_drop(&st);
    check_empty(&st);
    stage_close(&st);
}

static void test_removed_refused_and_expired_queries_leave_no_listing(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = patient(1, 0);
    stage_open(&st, town, "", &options);
    const sc_seg_id road = stage_road(&st, 'A', 'B');
    const sc_query queries[] = {plain_query(1, road, 3, 1, 2, 10 * second),
                                plain_query(2, road, 2, 1, 2, 11 * second),
                                plain_query(3, road, 9, 1, 2, 12 * second)};
    stage_ask(&st, &queries[0], 0);
    assert_int_equal(sc_engine_get_stats(st.engine).active_stars, 2);
    assert_int_equal(st.engine->vertices.count, 2);
    CHECK_OK(sc_engine_remove(st.engine, &queries[0].id), NULL);
    check_empty(&st);

    // Refused: one of two is gone, the other waits as before, and is no member of anything twice.
    stage_ask(&st, &queries[1], 1);
    const sc_query other = plain_query(4, road, 2, 1, 2, 13 * second);
    stage_ask(&st, &other, 2);
    sc_cloak *cloak = stage_take(&st);
    assert_non_null(cloak);
    assert_int_equal(st.engine->vertices.count, 0);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, &other.id, 1), NULL);
    sc_cloak_free(cloak);
    stage_run(&st, 3);
    check_no_candidate(&st);
    assert_int_equal(st.engine->vertices.count, 2);
    stage_ask(&st, &queries[2], 4);
    stage_run(&st, 20 * second);
    check_drop(&st, 2, SC_DROP_EXPIRED, 20 * second);
    check_drop(&st, 3, SC_DROP_EXPIRED, 20 * second);
    check_empty(&st);
    stage_close(&st);
}

static void test_an_end_without_enough_roads_has_no_listing(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = patient(1, 0);
    stage_open(&st, town, "", &options);
    // ball(A, 1) has 7 segments, ball(B, 1) has 10.
    const sc_query one_end = plain_query(1, stage_road(&st, 'A', 'B'), 2, 8, 1, 10 * second);
    stage_ask(&st, &one_end, 0);
    assert_int_equal(st.engine->vertices.count, 1);
    const sc_query no_end = plain_query(2, stage_road(&st, 'A', 'B'), 2, 11, 1, 10 * second);
    stage_ask(&st, &no_end, 0);
    check_drop(&st, 2, SC_DROP_INFEASIBLE, 0);
    assert_int_equal(st.engine->vertices.count, 1);
    stage_close(&st);
}

static void test_options_out_of_range_and_switches_are_refused(void **state)
{
    (void)state;
    stage st;
    sc_engine_options options = patient(1, 0);
    stage_open(&st, town, "", &options);
    assert_int_equal(sc_engine_switch(st.engine, SC_VARIANT_BASIC), SC_EINVAL);
    assert_int_equal(sc_engine_switch(st.engine, SC_VARIANT_PATIENT), SC_EINVAL);
    static const uint32_t crowds[] = {0, SC_CROWD_MAX + 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        sc_diag diag = {""};
        sc_engine *engine = NULL;
        options.crowd = crowds[i];
        assert_int_equal(sc_engine_new(st.map, &options, &st.rng, &engine, &diag), SC_EINVAL);
        CHECK_CONTAINS(diag.message, "crowd must be from 1 to 1000");
    }
    stage_close(&st);
}

// --- A stream, at coarser and finer clocks ---------------------------------------

enum { QUERIES = 300, GAP = 7, CLOAKS = QUERIES };

/** The members of all cloaks, in the order of cloaks. */
typedef struct story {
    size_t cloak_count;
    size_t member_counts[CLOAKS];
    uint64_t sums[CLOAKS];   ///< over members: which, and at which star
    uint64_t stars[CLOAKS];  ///< over T, before pruning
} story;

static void take_all(stage *st, story *told)
{
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(st->engine));) {
        uint32_t most_k = 0;
        uint64_t *sum = &told->sums[told->cloak_count];
        told->member_counts[told->cloak_count] = cloak->member_count;
        for (size_t i = 0; i < cloak->member_count; i++) {
            const sc_member *member = &cloak->members[i];
            if (member->query.k > most_k) most_k = member->query.k;
            *sum = *sum * 31 + member->query.id.bytes[8] * UINT64_C(1000) + member->star;
            for (size_t j = 0; j < i; j++) {
                assert_int_not_equal(cloak->members[j].query.user, member->query.user);
            }
        }
        assert_true(cloak->member_count <= most_k);
        for (size_t i = 0; i < cloak->star_count; i++) {
            told->stars[told->cloak_count] = told->stars[told->cloak_count] * 31 + cloak->stars[i];
        }
        told->cloak_count++;
        CHECK_OK(sc_pruner_prune(st->pruner, cloak, &st->prune_rng), NULL);
        sc_diag diag = {""};
        CHECK_OK(sc_engine_accept(st->engine, cloak, INT64_MIN, &diag), &diag);
        sc_cloak_free(cloak);
    }
}

/** Queries of 40 users, every GAP; the clock goes to each wake, and to every `stride` between. */
static void play(uint64_t seed, uint32_t crowd, sc_time stride, story *told)
{
    stage st = {.pruner = NULL};
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    sc_diag diag = {""};
    st.map = sketch_map(&grid);
    const sc_engine_options options = patient(crowd, 40);
    sc_rng_seed(&st.rng, seed);
    sc_rng_seed(&st.prune_rng, seed);
    CHECK_OK(sc_engine_new(st.map, &options, &st.rng, &st.engine, &diag), &diag);
    CHECK_OK(sc_pruner_new(st.map, &st.pruner), NULL);
    sc_rng any;
    sc_rng_seed(&any, seed + 1);
    *told = (story){0};
    for (sc_time now = 0; now < (sc_time)QUERIES * GAP + 1000; now++) {
        if (now % GAP == 0 && now / GAP < QUERIES) {
            const uint32_t segment = sc_rng_below(&any, sc_map_segment_count(st.map));
            sc_query query = plain_query((uint32_t)(now / GAP), segment, 2 + sc_rng_below(&any, 4),
                                         3 + sc_rng_below(&any, 5), sc_rng_below(&any, 5),
                                         now + 60 + (sc_time)sc_rng_below(&any, 200));
            query.user = sc_rng_below(&any, 40);
            CHECK_OK(sc_engine_add(st.engine, &query), NULL);
        }
        if (now % stride != 0 && sc_engine_next_wake(st.engine) > now) continue;
        CHECK_OK(sc_engine_run(st.engine, now), NULL);
        take_all(&st, told);
    }
    for (sc_drop drop; sc_engine_take_drop(st.engine, &drop);) {
        assert_true(drop.reason == SC_DROP_INFEASIBLE || drop.query.deadline < drop.t);
    }
    check_empty(&st);
    sc_pruner_free(st.pruner);
    sc_engine_free(st.engine);
    sc_map_free(st.map);
    sketch_free(&grid);
}

static void test_a_finer_clock_gives_the_same_cloaks(void **state)
{
    (void)state;
    static const uint32_t crowds[] = {1, 4, SC_CROWD_MAX};
    for (uint64_t seed = 0; seed < 6; seed++) {
        check_case(seed);
        static story coarse;
        static story fine;
        play(seed, crowds[seed % 3], 1000000, &coarse);
        play(seed, crowds[seed % 3], 1, &fine);
        assert_true(coarse.cloak_count > 20);
        assert_memory_equal(&coarse, &fine, sizeof fine);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_two_neighbours_of_the_small_town_are_always_cloaked),
    SC_CASES(test_the_nearest_deadline_is_in_the_first_cloak),
    cmocka_unit_test(test_a_large_crowd_is_searched_for_when_a_deadline_is_near_and_not_before),
    cmocka_unit_test(test_a_newcomer_without_urgent_others_waits_for_the_crowd),
    cmocka_unit_test(test_company_starts_no_search_and_is_in_cloaks),
    cmocka_unit_test(test_removed_refused_and_expired_queries_leave_no_listing),
    cmocka_unit_test(test_an_end_without_enough_roads_has_no_listing),
    cmocka_unit_test(test_options_out_of_range_and_switches_are_refused),
    SC_CASES(test_a_finer_clock_gives_the_same_cloaks),
};
SC_SUITE(tests)
