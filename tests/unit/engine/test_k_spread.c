// A query with a large k does not keep those around it waiting: k_spread. Off, it does, as in the
// paper. That all choices are those of docs/engine.md is for test_engine_reference.c.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/sketch.h"
#include "support/stage.h"

#include <inttypes.h>

static const char street[] = "o   o   o   o   o\n"
                             "|   |   |   |   |\n"
                             "A---B---C---D---E\n"
                             "|   |   |   |   |\n"
                             "o   o   o   o   o\n";

static const sc_time deadline = 1000;

enum { SLEEPER = 1, SLEEPY_K = 1000, SEEDS = 40 };

static void open_street(stage *st, uint32_t k_spread)
{
    sc_engine_options options = sc_engine_options_default();
    options.k_spread = k_spread;
    stage_open(st, street, "", &options);
}

static void ask(stage *st, uint32_t number, char letter, uint32_t k)
{
    const sc_query query = stage_query(st, number, letter, k, deadline);
    stage_ask(st, &query, 0);
}

/** Query `number` from the road between A and B, which may go to either star. */
static void ask_on_road(stage *st, uint32_t number, uint32_t k)
{
    const sc_query query = plain_query(number, stage_road(st, 'A', 'B'), k, 1, 20, deadline);
    stage_ask(st, &query, 0);
}

static void check_candidate(stage *st, const uint32_t *numbers)
{
    sc_cloak *cloak = stage_take(st);
    assert_non_null(cloak);
    check_members(cloak, numbers);
    CHECK_OK(sc_engine_accept(st->engine, cloak, 0, NULL), NULL);
    sc_cloak_free(cloak);
}

static void test_a_sleeper_blocks_its_star_only_without_a_spread(void **state)
{
    (void)state;
    stage st;
    open_street(&st, 0);
    ask(&st, SLEEPER, 'C', SLEEPY_K);
    ask(&st, 2, 'C', 2);
    ask(&st, 3, 'C', 2);
    check_no_candidate(&st);
    stage_close(&st);

    open_street(&st, 2);
    ask(&st, SLEEPER, 'C', SLEEPY_K);
    ask(&st, 2, 'C', 2);
    ask(&st, 3, 'C', 2);
    check_candidate(&st, (const uint32_t[]){2, 3, 0});
    stage_close(&st);
}

static void test_all_of_a_vertex_are_within_the_spread(void **state)
{
    (void)state;
    stage st;
    open_street(&st, 2);
    // With 10 go 5 and 20, but these two do not go together; so 20 finds no vertex that takes it.
    ask(&st, 1, 'C', 10);
    ask(&st, 2, 'C', 5);
    assert_int_equal(sc_engine_get_stats(st.engine).vertices, 1);
    ask(&st, 3, 'C', 20);
    assert_int_equal(sc_engine_get_stats(st.engine).vertices, 2);
    ask(&st, 4, 'C', 40);
    assert_int_equal(sc_engine_get_stats(st.engine).vertices, 2);
    ask(&st, 5, 'C', 41);
    assert_int_equal(sc_engine_get_stats(st.engine).vertices, 3);
    ask(&st, 6, 'C', 4);
    assert_int_equal(sc_engine_get_stats(st.engine).vertices, 4);
    // Without the five, ten and twenty would; what is apart stays apart.
    CHECK_OK(sc_engine_remove(st.engine, &(sc_query_id[]){plain_id(2)}[0]), NULL);
    ask(&st, 7, 'C', 20);
    assert_int_equal(sc_engine_get_stats(st.engine).vertices, 4);
    stage_close(&st);
}

// How often, of many tries, queries on the road go to star A while a sleeper is at A or B.
static uint32_t count_at_a(char sleeps_at, uint32_t k_spread)
{
    uint32_t at_a = 0;
    stage st;
    open_street(&st, k_spread);
    ask(&st, SLEEPER, sleeps_at, SLEEPY_K);
    for (uint32_t number = 2; number < 2 + SEEDS; number++) {
        // Only a query that wants no company leaves a star to itself again.
        ask_on_road(&st, number, 1);
        sc_cloak *cloak = stage_take(&st);
        if (cloak) {
            at_a += cloak->members[0].star == stage_star(&st, 'A');
            CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
        }
        sc_cloak_free(cloak);
    }
    stage_close(&st);
    return at_a;
}

static void test_a_star_is_not_active_because_of_a_sleeper(void **state)
{
    (void)state;
    // Both ends are taken, as if the sleeper were not there.
    const uint32_t at_a = count_at_a('A', 2);
    assert_in_range(at_a, 1, SEEDS - 1);
    assert_int_equal(count_at_a('B', 2), at_a);
    // Without a spread all went to it, and waited.
    assert_int_equal(count_at_a('A', 0), 0);
}

static void test_a_sleeper_does_not_keep_its_road_to_itself(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        stage st;
        open_street(&st, 2);
        sc_rng_seed(&st.rng, seed);
        ask_on_road(&st, SLEEPER, SLEEPY_K);
        // Wherever it is: those on its road follow the one who waits at an end of it.
        ask(&st, 2, seed % 2 == 0 ? 'A' : 'B', 3);
        ask_on_road(&st, 3, 3);
        ask_on_road(&st, 4, 3);
        sc_cloak *cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){2, 3, 4, 0});
        for (size_t i = 0; i < cloak->member_count; i++) {
            assert_int_equal(cloak->members[i].star, stage_star(&st, seed % 2 == 0 ? 'A' : 'B'));
        }
        sc_cloak_free(cloak);
        stage_close(&st);
    }
}

static void test_sleepers_take_no_places_of_a_search(void **state)
{
    (void)state;
    for (uint32_t k_spread = 0; k_spread <= 2; k_spread += 2) {
        stage st;
        sc_engine_options options = sc_engine_options_default();
        options.k_spread = k_spread;
        options.max_combinations = 1;
        stage_open(&st, street, "", &options);
        ask(&st, SLEEPER, 'B', SLEEPY_K);
        ask(&st, 2, 'D', 3);
        ask(&st, 3, 'E', 3);
        ask(&st, 4, 'A', 3);
        // From A the sleeper at B is the nearest: what it is in was kept, and nothing else.
        if (k_spread == 0) {
            check_no_candidate(&st);
        } else {
            check_candidate(&st, (const uint32_t[]){2, 3, 4, 0});
        }
        stage_close(&st);
    }
}

static void test_unlike_k_still_come_into_one_cloak(void **state)
{
    (void)state;
    stage st;
    open_street(&st, 2);
    ask(&st, 1, 'C', 1);
    check_candidate(&st, (const uint32_t[]){1, 0});
    ask(&st, 2, 'C', 5);
    ask(&st, 3, 'C', 5);
    ask(&st, 4, 'C', 2);
    // The one of k 2 is a vertex of its own, and no fewer than five will do for the others.
    check_no_candidate(&st);
    ask(&st, 5, 'D', 5);
    ask(&st, 6, 'D', 5);
    check_candidate(&st, (const uint32_t[]){2, 3, 4, 5, 6, 0});
    stage_close(&st);
}

// --- Patient ---------------------------------------------------------------------

// One with k 5 waits at a star, and others with k 2 come until the first cloak; it has the members
// `wanted`, the last that came being `last`.
static void check_first_cloak(uint32_t k_spread, sc_time deadline_of_5, uint32_t last,
                              const uint32_t *wanted)
{
    stage st;
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_PATIENT;
    options.crowd = 4;
    options.consideration_us = 0;
    options.k_spread = k_spread;
    stage_open(&st, street, "", &options);
    const sc_query five = stage_query(&st, 1, 'C', 5, deadline_of_5);
    stage_ask(&st, &five, 0);
    for (uint32_t number = 2; number < last; number++) {
        ask(&st, number, 'C', 2);
        check_no_candidate(&st);
    }
    ask(&st, last, 'C', 2);
    check_candidate(&st, wanted);
    stage_close(&st);
}

static void test_patient_does_not_take_a_large_k_along(void **state)
{
    (void)state;
    // It is the oldest around, and five are there; but it is no part of a crowd for k 2, nor a
    // candidate of their searches.
    check_first_cloak(0, deadline + 1, 8, (const uint32_t[]){1, 2, 3, 4, 5, 0});
    check_first_cloak(2, deadline + 1, 9, (const uint32_t[]){2, 3, 0});
    // Twice and a half is within three.
    check_first_cloak(3, deadline + 1, 8, (const uint32_t[]){1, 2, 3, 4, 5, 0});
}

static void test_patient_searches_for_a_large_k_among_small_ones(void **state)
{
    (void)state;
    check_first_cloak(0, deadline - 1, 8, (const uint32_t[]){1, 2, 3, 4, 5, 0});
    check_first_cloak(2, deadline - 1, 9, (const uint32_t[]){1, 2, 3, 4, 5, 0});
}

// --- A flood ---------------------------------------------------------------------

enum { CITY = 10, HONEST = 4000, EVERY = 20 };

/** Sleepers that come with every 20th of the other queries. */
typedef struct flood {
    uint32_t k;  ///< 0: there are none
    uint32_t max_hops;
} flood;

// How many of HONEST queries are cloaked beside a flood of sleepers.
static uint32_t count_cloaked(const sc_map *map, sc_variant variant, uint32_t k_spread,
                              flood sleepers, uint64_t *checks)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    options.k_spread = k_spread;
    options.max_combinations = sc_variant_cap(variant);
    sc_rng rng;
    sc_rng places;
    sc_rng_seed(&rng, 1);
    sc_rng_seed(&places, 2);
    sc_engine *engine = NULL;
    CHECK_OK(sc_engine_new(map, &options, &rng, &engine, NULL), NULL);
    uint32_t cloaked = 0;
    for (uint32_t i = 0; i < HONEST; i++) {
        const sc_time now = sc_time_from_seconds(0.2 * i);
        const sc_seg_id where = sc_rng_below(&places, sc_map_segment_count(map));
        const sc_seg_id sleeps = sc_rng_below(&places, sc_map_segment_count(map));
        const uint32_t k = 2 + sc_rng_below(&places, 3);
        const sc_query honest = plain_query(i, where, k, 3, 3, now + sc_time_from_seconds(10));
        const sc_query sleeper = plain_query(HONEST + i, sleeps, sleepers.k, 1, sleepers.max_hops,
                                             now + sc_time_from_seconds(3600));
        if (sleepers.k > 0 && i % EVERY == 0) CHECK_OK(sc_engine_add(engine, &sleeper), NULL);
        CHECK_OK(sc_engine_add(engine, &honest), NULL);
        CHECK_OK(sc_engine_run(engine, now), NULL);
        for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(engine)); sc_cloak_free(cloak)) {
            for (size_t m = 0; m < cloak->member_count; m++) {
                cloaked += cloak->members[m].query.user < HONEST;
            }
        }
    }
    if (checks) *checks = sc_engine_get_stats(engine).checks;
    sc_engine_free(engine);
    return cloaked;
}

static void test_a_flood_of_sleepers_changes_little(void **state)
{
    (void)state;
    static const sc_variant four[] = {SC_VARIANT_BASIC, SC_VARIANT_BOUNDED, SC_VARIANT_HYBRID,
                                      SC_VARIANT_XSTAR};
    sketch drawn = sketch_grid(SC_COORDS_PLANAR, CITY, CITY);
    sc_map *map = sketch_map(&drawn);
    for (size_t i = 0; i < 4; i++) {
        const flood sleepers = {SLEEPY_K, 3};
        const uint32_t alone = count_cloaked(map, four[i], 2, (flood){0}, NULL);
        const uint32_t flooded = count_cloaked(map, four[i], 2, sleepers, NULL);
        const uint32_t blocked = count_cloaked(map, four[i], 0, sleepers, NULL);
        print_message("# %s: %u of %d alone, %u flooded, %u without a spread\n",
                      sc_variant_name(four[i]), alone, HONEST, flooded, blocked);
        assert_true(alone > HONEST * 8 / 10);
        assert_true(flooded + HONEST / 100 >= alone);
        assert_true(blocked < alone / 2);
    }
    sc_map_free(map);
    sketch_free(&drawn);
}

// Patient leaves out by itself what is impossible. Without a spread it is held up by sleepers whose
// k is no more than all that wait around, but more than can be cloaked together: the search takes
// one along, and then needs that many.
static void test_a_flood_of_a_possible_k_changes_little_for_patient(void **state)
{
    (void)state;
    static const flood floods[] = {{20, 3}, {20, 7}, {40, 3}, {40, 5}, {100, 5}, {SLEEPY_K, 5}};
    sketch drawn = sketch_grid(SC_COORDS_PLANAR, CITY, CITY);
    sc_map *map = sketch_map(&drawn);
    uint64_t checks_alone;
    const uint32_t alone = count_cloaked(map, SC_VARIANT_PATIENT, 2, (flood){0}, &checks_alone);
    assert_true(alone > HONEST * 95 / 100);
    for (size_t i = 0; i < sizeof floods / sizeof *floods; i++) {
        uint64_t checks;
        const uint32_t flooded = count_cloaked(map, SC_VARIANT_PATIENT, 2, floods[i], &checks);
        print_message(
            "# k %u, %u hops: %u of %d alone, %u flooded; %" PRIu64 " and %" PRIu64 " checks\n",
            floods[i].k, floods[i].max_hops, alone, HONEST, flooded, checks_alone, checks);
        assert_true(flooded + HONEST / 100 >= alone);
        assert_true(checks < 2 * checks_alone);
    }
    uint64_t checks;
    const uint32_t blocked = count_cloaked(map, SC_VARIANT_PATIENT, 0, (flood){40, 3}, &checks);
    print_message("# without a spread %u; %" PRIu64 " checks\n", blocked, checks);
    assert_true(blocked < alone * 9 / 10);
    sc_map_free(map);
    sketch_free(&drawn);
}

static void test_a_spread_out_of_range_is_refused(void **state)
{
    (void)state;
    sketch drawn = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&drawn);
    sc_engine_options options = sc_engine_options_default();
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_engine *engine = NULL;
    sc_diag diag = {""};
    assert_int_equal(options.k_spread, 0);
    options.k_spread = SC_K_SPREAD_MAX + 1;
    assert_int_equal(sc_engine_new(map, &options, &rng, &engine, &diag), SC_EINVAL);
    CHECK_CONTAINS(diag.message, "spread of k must be from 0 to 1000, not 1001");
    assert_null(engine);
    sc_map_free(map);
    sketch_free(&drawn);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_sleeper_blocks_its_star_only_without_a_spread),
    SC_CASES(test_all_of_a_vertex_are_within_the_spread),
    SC_CASES(test_a_star_is_not_active_because_of_a_sleeper),
    SC_CASES(test_a_sleeper_does_not_keep_its_road_to_itself),
    SC_CASES(test_sleepers_take_no_places_of_a_search),
    SC_CASES(test_unlike_k_still_come_into_one_cloak),
    SC_CASES(test_patient_does_not_take_a_large_k_along),
    SC_CASES(test_patient_searches_for_a_large_k_among_small_ones),
    SC_CASES(test_a_flood_of_sleepers_changes_little),
    SC_CASES(test_a_flood_of_a_possible_k_changes_little_for_patient),
    SC_CASES(test_a_spread_out_of_range_is_refused),
};
SC_SUITE(tests)
