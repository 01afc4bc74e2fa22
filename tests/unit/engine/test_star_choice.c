// Which star a query goes to: the rules one by one. The chosen star is seen in the members of a
// candidate. What the choice costs is in test_star_choice_cost.c.
#include <starcloak/engine.h>

#include <math.h>

#include "support/check.h"
#include "support/stage.h"

// Two junctions, A of 3 segments and B of 9 (its loop is one).
//    o       o  o  o
//    |        \ | /
//    A---------B---o
//    |        /|\ (loop)
//    o       o o o
static const char two[] = "o       o o o\n"
                          "|        \\|/\n"
                          "A---------B---o\n"
                          "|        /|\\\n"
                          "o       o o o\n";
static const char two_more[] = "BB";

static const sc_time deadline = 1000;

// Many engines that differ in their random numbers alone.
enum { SEEDS = 100 };

/** A segment costs 1 and nothing else does: the cost of a star is how many it has. */
static sc_engine_options count_segments(void)
{
    sc_engine_options options = sc_engine_options_default();
    options.cost = (sc_cost_model){.segment = 1};
    return options;
}

static sc_query on_road(const stage *st, uint32_t number, uint32_t k)
{
    return plain_query(number, stage_road(st, 'A', 'B'), k, 1, 100, deadline);
}

/** The star of query `number` in a cloak. */
static sc_star_id star_of(const sc_cloak *cloak, uint32_t number)
{
    const sc_query_id id = plain_id(number);
    for (size_t i = 0; cloak && i < cloak->member_count; i++) {
        if (memcmp(&cloak->members[i].query.id, &id, sizeof id) == 0) return cloak->members[i].star;
    }
    fail_msg("query %u is not in the cloak", number);
    return SC_NONE;
}

static sc_star_id take_star_of(stage *st, uint32_t number)
{
    sc_cloak *cloak = stage_take(st);
    const sc_star_id star = star_of(cloak, number);
    CHECK_OK(sc_engine_accept(st->engine, cloak, 0, NULL), NULL);
    sc_cloak_free(cloak);
    return star;
}

// --- The rules -------------------------------------------------------------------

static void test_a_dead_end_has_no_choice(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    for (uint32_t number = 1; number <= SEEDS; number++) {
        const sc_query query = stage_query(&st, number, 'A', 1, deadline);
        stage_ask(&st, &query, 0);
        assert_int_equal(take_star_of(&st, number), stage_star(&st, 'A'));
    }
    stage_close(&st);
}

static void test_an_active_end_is_taken(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    for (uint32_t number = 1; number <= 2 * SEEDS; number += 2) {
        const char active = number % 4 == 1 ? 'A' : 'B';
        const sc_query first = stage_query(&st, number, active, 2, deadline);
        const sc_query second = on_road(&st, number + 1, 2);
        stage_ask(&st, &first, 0);
        stage_ask(&st, &second, 0);
        assert_int_equal(take_star_of(&st, number + 1), stage_star(&st, active));
    }
    stage_close(&st);
}

static void test_an_assigned_segment_keeps_its_star(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    uint32_t at_a = 0;
    for (uint32_t number = 1; number <= 4 * SEEDS; number += 4) {
        // Whichever star the first goes to, the fourth follows, though both are active by then.
        const sc_query queries[] = {
            on_road(&st, number, 4),
            stage_query(&st, number + 1, 'A', 4, deadline),
            stage_query(&st, number + 2, 'B', 4, deadline),
            on_road(&st, number + 3, 4),
        };
        for (size_t i = 0; i < 4; i++) {
            stage_ask(&st, &queries[i], 0);
        }
        sc_cloak *cloak = stage_take(&st);
        assert_int_equal(star_of(cloak, number + 3), star_of(cloak, number));
        at_a += star_of(cloak, number) == stage_star(&st, 'A');
        CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
        sc_cloak_free(cloak);
    }
    assert_in_range(at_a, 1, SEEDS - 1);  // both were taken
    stage_close(&st);
}

static void test_an_assignment_ends_with_its_star(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    for (uint32_t number = 1; number <= 3 * SEEDS; number += 3) {
        const sc_query gone = on_road(&st, number, 3);
        stage_ask(&st, &gone, 0);
        CHECK_OK(sc_engine_remove(st.engine, &gone.id), NULL);
        const char active = number % 2 ? 'A' : 'B';
        const sc_query first = stage_query(&st, number + 1, active, 2, deadline);
        const sc_query second = on_road(&st, number + 2, 2);
        stage_ask(&st, &first, 0);
        stage_ask(&st, &second, 0);
        assert_int_equal(take_star_of(&st, number + 2), stage_star(&st, active));
    }
    stage_close(&st);
}

// --- Chance ----------------------------------------------------------------------

enum { DRAWS = 4000 };

// `hits` of `DRAWS` came with probability p. The deviation of such a count is
// sqrt(DRAWS p (1 - p)); beyond five of them is one case in two million, and the seed is fixed.
static void check_chance(uint32_t hits, double p)
{
    CHECK_CLOSE(hits, DRAWS * p, 5 * sqrt(DRAWS * p * (1 - p)));
}

static double chance_of_a(const stage *st, const sc_engine_options *options, uint32_t result_size)
{
    const double density = sc_map_object_density(st->map);
    const double cost_a = sc_cost_model_estimate(
        &options->cost, density, sc_star_extent(st->map, stage_star(st, 'A')), result_size);
    const double cost_b = sc_cost_model_estimate(
        &options->cost, density, sc_star_extent(st->map, stage_star(st, 'B')), result_size);
    return (1 / cost_a) / (1 / cost_a + 1 / cost_b);
}

// Draw by draw, with neither end active.
static uint32_t count_a(stage *st, uint32_t result_size)
{
    uint32_t at_a = 0;
    for (uint32_t number = 1; number <= DRAWS; number++) {
        sc_query query = on_road(st, number, 1);
        query.result_size = result_size;
        stage_ask(st, &query, 0);
        at_a += take_star_of(st, number) == stage_star(st, 'A');
    }
    return at_a;
}

static void test_with_neither_end_active_chance_is_inverse_to_cost(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    const double chance = chance_of_a(&st, &options, 0);
    CHECK_CLOSE(chance, 9.0 / (3 + 9), 1e-12);
    check_chance(count_a(&st, 0), chance);
    stage_close(&st);
}

static void test_the_result_size_weighs_in_the_cost(void **state)
{
    (void)state;
    stage st;
    sc_engine_options options = count_segments();
    options.cost = (sc_cost_model){.segment = 3, .border_node = 1, .object = 1, .balance = 0.5};
    stage_open(&st, two, two_more, &options);
    // A lets out at B alone and B at A alone, so the more results, the less the segments matter.
    const double few = chance_of_a(&st, &options, 0);
    const double many = chance_of_a(&st, &options, 50);
    assert_true(few > many + 0.1);
    check_chance(count_a(&st, 0), few);
    stage_close(&st);
    stage_open(&st, two, two_more, &options);
    check_chance(count_a(&st, 50), many);
    stage_close(&st);
}

static void test_with_both_ends_active_chance_is_inverse_to_cost_too(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    uint32_t at_a = 0;
    for (uint32_t number = 1; number <= 3 * DRAWS; number += 3) {
        const sc_query queries[] = {
            stage_query(&st, number, 'A', 3, deadline),
            stage_query(&st, number + 1, 'B', 3, deadline),
            on_road(&st, number + 2, 3),
        };
        for (size_t i = 0; i < 3; i++) {
            stage_ask(&st, &queries[i], 0);
        }
        at_a += take_star_of(&st, number + 2) == stage_star(&st, 'A');
    }
    check_chance(at_a, chance_of_a(&st, &options, 0));
    stage_close(&st);
}

// --- An l that is too large ------------------------------------------------------

static void test_an_l_beyond_both_ends_is_infeasible_and_changes_nothing(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    sc_query query = on_road(&st, 1, 1);
    query.l = sc_map_segment_count(st.map) + 1;
    stage_ask(&st, &query, 7);
    check_drop(&st, 1, SC_DROP_INFEASIBLE, 7);
    query = stage_query(&st, 2, 'A', 1, deadline);  // with one end there is no other
    query.max_hops = 0;
    query.l = 4;
    stage_ask(&st, &query, 8);
    check_drop(&st, 2, SC_DROP_INFEASIBLE, 8);
    check_no_drop(&st);
    check_no_candidate(&st);
    const sc_engine_stats stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.dropped[SC_DROP_INFEASIBLE], 2);
    assert_int_equal(stats.active_stars, 0);
    assert_int_equal(stats.pending, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_close(&st);
}

static void test_an_infeasible_query_assigns_nothing(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    for (uint32_t number = 1; number <= 3 * SEEDS; number += 3) {
        sc_query hopeless = on_road(&st, number, 1);
        hopeless.l = 1000;
        stage_ask(&st, &hopeless, 0);
        check_drop(&st, number, SC_DROP_INFEASIBLE, 0);
        const char active = number % 2 ? 'A' : 'B';
        const sc_query first = stage_query(&st, number + 1, active, 2, deadline);
        const sc_query second = on_road(&st, number + 2, 2);
        stage_ask(&st, &first, 0);
        stage_ask(&st, &second, 0);
        assert_int_equal(take_star_of(&st, number + 2), stage_star(&st, active));
    }
    stage_close(&st);
}

static sc_query on_road_at_once(const stage *st, uint32_t number, uint32_t k, uint32_t l)
{
    sc_query query = on_road(st, number, k);
    query.max_hops = 0;
    query.l = l;
    return query;
}

// A has 3 segments, so a query with l = 5 and no hops must be at B.
static void test_the_other_end_is_taken_where_it_has_enough(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    for (uint32_t number = 1; number <= SEEDS; number++) {
        const sc_query query = on_road_at_once(&st, number, 1, 5);
        stage_ask(&st, &query, 0);
        assert_int_equal(take_star_of(&st, number), stage_star(&st, 'B'));
    }
    stage_close(&st);
}

static void test_taking_the_other_end_leaves_an_assignment_alone(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st, two, two_more, &options);
    for (uint32_t number = 1; number <= 4 * SEEDS; number += 4) {
        sc_query first = stage_query(&st, number, 'A', 3, deadline);
        first.max_hops = 0;
        const sc_query assigns = on_road_at_once(&st, number + 1, 3, 1);
        const sc_query elsewhere = on_road_at_once(&st, number + 2, 3, 5);
        const sc_query follows = on_road_at_once(&st, number + 3, 3, 1);
        stage_ask(&st, &first, 0);
        stage_ask(&st, &assigns, 0);
        stage_ask(&st, &elsewhere, 0);
        check_no_candidate(&st);
        stage_ask(&st, &follows, 0);
        sc_cloak *cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){number, number + 1, number + 3, 0});
        CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
        sc_cloak_free(cloak);
        CHECK_OK(sc_engine_remove(st.engine, &elsewhere.id), NULL);
    }
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_dead_end_has_no_choice),
    cmocka_unit_test(test_an_active_end_is_taken),
    cmocka_unit_test(test_an_assigned_segment_keeps_its_star),
    cmocka_unit_test(test_an_assignment_ends_with_its_star),
    cmocka_unit_test(test_with_neither_end_active_chance_is_inverse_to_cost),
    cmocka_unit_test(test_the_result_size_weighs_in_the_cost),
    cmocka_unit_test(test_with_both_ends_active_chance_is_inverse_to_cost_too),
    cmocka_unit_test(test_an_l_beyond_both_ends_is_infeasible_and_changes_nothing),
    cmocka_unit_test(test_an_infeasible_query_assigns_nothing),
    cmocka_unit_test(test_the_other_end_is_taken_where_it_has_enough),
    cmocka_unit_test(test_taking_the_other_end_leaves_an_assignment_alone),
};
SC_SUITE(tests)
