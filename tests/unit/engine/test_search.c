// Who is cloaked with whom: the nearest first, the older before the younger, as many different
// users as the most demanding asks for, and only as far as each of them allows.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/stage.h"

// Five stars in a row. A and E have three segments, the others four.
static const char street[] = "o   o   o   o   o\n"
                             "|   |   |   |   |\n"
                             "A---B---C---D---E\n"
                             "|   |   |   |   |\n"
                             "o   o   o   o   o\n";

static const sc_time deadline = 1000;

static void open_street(stage *st)
{
    const sc_engine_options options = sc_engine_options_default();
    stage_open(st, street, "", &options);
}

// Query `number` at `letter` that may reach `max_hops` and wants l segments.
static void ask(stage *st, uint32_t number, char letter, uint32_t k, uint32_t l, uint32_t max_hops)
{
    const sc_query query =
        plain_query(number, stage_dead_end(st, letter), k, l, max_hops, deadline);
    stage_ask(st, &query, 0);
}

/** The next candidate as it was found, not pruned, has these members. */
static void check_candidate(stage *st, const uint32_t *numbers)
{
    sc_cloak *cloak = sc_engine_take_candidate(st->engine);
    check_members(cloak, numbers);
    sc_cloak_free(cloak);
}

/** The stars of a candidate are those of the letters. */
static void check_stars(const stage *st, const sc_cloak *cloak, const char *letters)
{
    assert_non_null(cloak);
    assert_int_equal(cloak->star_count, strlen(letters));
    for (; *letters; letters++) {
        bool found = false;
        for (size_t i = 0; i < cloak->star_count; i++) {
            found |= cloak->stars[i] == stage_star(st, *letters);
        }
        if (!found) fail_msg("star '%c' is not in the candidate", *letters);
    }
}

static void test_who_wants_no_company_is_cloaked_at_once(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    ask(&st, 1, 'C', 1, 5, 1);
    sc_cloak *cloak = sc_engine_take_candidate(st.engine);
    check_stars(&st, cloak, "BCD");
    assert_int_equal(cloak->segment_count, 0);  // pruning will fill it in
    assert_int_equal(cloak->deadline, deadline);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_a_candidate_is_what_all_members_reach(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    ask(&st, 1, 'B', 2, 1, 2);  // A to D
    ask(&st, 2, 'C', 2, 1, 1);  // B to D
    sc_cloak *cloak = sc_engine_take_candidate(st.engine);
    check_stars(&st, cloak, "BCD");
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_the_nearest_company_is_taken(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    ask(&st, 1, 'A', 2, 1, 2);
    ask(&st, 2, 'D', 2, 1, 1);  // A and D do not reach each other
    check_no_candidate(&st);
    ask(&st, 3, 'C', 2, 1, 2);  // D is one hop away, A two
    check_candidate(&st, (const uint32_t[]){2, 3, 0});
    stage_close(&st);
}

static void test_of_equally_near_ones_the_older_is_taken(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    ask(&st, 1, 'D', 2, 1, 1);
    ask(&st, 2, 'B', 2, 1, 1);
    check_no_candidate(&st);
    ask(&st, 3, 'C', 2, 1, 1);
    check_candidate(&st, (const uint32_t[]){1, 3, 0});
    stage_close(&st);
}

static void test_members_of_a_candidate_are_in_the_order_of_adding(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    ask(&st, 7, 'E', 4, 1, 4);
    ask(&st, 3, 'A', 4, 1, 4);
    ask(&st, 9, 'E', 4, 1, 4);
    ask(&st, 1, 'B', 4, 1, 4);
    sc_cloak *cloak = sc_engine_take_candidate(st.engine);
    static const uint32_t order[] = {7, 3, 9, 1};
    assert_int_equal(cloak->member_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(cloak->members[i].query.user, order[i]);
    }
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_one_user_counts_once(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    sc_query query = stage_query(&st, 1, 'A', 2, deadline);
    stage_ask(&st, &query, 0);
    query = stage_query(&st, 2, 'B', 2, deadline);
    query.user = 1;
    stage_ask(&st, &query, 0);
    check_no_candidate(&st);
    query = stage_query(&st, 3, 'B', 2, deadline);
    query.user = 1;
    stage_ask(&st, &query, 0);
    check_no_candidate(&st);
    query = stage_query(&st, 4, 'B', 2, deadline);
    stage_ask(&st, &query, 0);
    check_candidate(&st, (const uint32_t[]){2, 3, 4, 0});  // B is enough without A
    stage_close(&st);
}

static void test_both_must_reach_each_other(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    ask(&st, 1, 'A', 2, 1, 1);
    ask(&st, 2, 'C', 2, 1, 4);  // reaches A, but A does not reach C
    check_no_candidate(&st);
    ask(&st, 3, 'B', 2, 1, 1);
    check_candidate(&st, (const uint32_t[]){1, 3, 0});
    stage_close(&st);
}

// A and B together have six segments, which is all that these two share.
static void test_what_members_share_must_have_enough_segments(void **state)
{
    (void)state;
    for (uint32_t l = 6; l <= 7; l++) {
        stage st;
        open_street(&st);
        ask(&st, 1, 'A', 2, 1, 1);
        ask(&st, 2, 'B', 2, l, 1);
        assert_int_equal(sc_engine_get_stats(st.engine).proposed, l == 6 ? 2 : 0);
        if (l == 6) check_candidate(&st, (const uint32_t[]){1, 2, 0});
        stage_close(&st);
    }
}

static void test_the_most_demanding_member_decides_how_many(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    ask(&st, 1, 'A', 4, 1, 4);
    ask(&st, 2, 'B', 2, 1, 4);
    ask(&st, 3, 'C', 3, 1, 4);
    check_no_candidate(&st);
    ask(&st, 4, 'D', 2, 1, 4);  // C, who is nearer, wants three
    check_candidate(&st, (const uint32_t[]){2, 4, 0});
    ask(&st, 5, 'E', 3, 1, 4);
    check_no_candidate(&st);  // C would do, but three are only met with A, who wants four
    ask(&st, 6, 'E', 2, 1, 4);
    check_candidate(&st, (const uint32_t[]){3, 5, 6, 0});
    stage_close(&st);
}

// --- Vertices --------------------------------------------------------------------

static void check_graph(const stage *st, uint64_t vertices, uint64_t active_stars)
{
    const sc_engine_stats stats = sc_engine_get_stats(st->engine);
    assert_int_equal(stats.vertices, vertices);
    assert_int_equal(stats.active_stars, active_stars);
}

// A has three segments. Who wants five cannot join who may not leave A.
static void test_queries_of_a_star_share_a_vertex_if_their_needs_go_together(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    ask(&st, 1, 'A', 9, 1, 0);
    check_graph(&st, 1, 1);
    ask(&st, 2, 'A', 9, 3, 4);
    check_graph(&st, 1, 1);
    ask(&st, 3, 'A', 9, 5, 4);
    check_graph(&st, 2, 1);
    ask(&st, 4, 'A', 9, 1, 1);  // the first vertex takes it
    check_graph(&st, 2, 1);
    ask(&st, 5, 'B', 9, 1, 1);
    check_graph(&st, 3, 2);
    stage_close(&st);
}

// The one who may not leave A expires. What is left of its vertex reaches B again, and who wants
// more than A has can join.
static void test_what_is_left_of_a_vertex_reaches_as_far_as_it_may(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    sc_query homely = plain_query(1, stage_dead_end(&st, 'A'), 9, 1, 0, 10);
    stage_ask(&st, &homely, 0);
    ask(&st, 2, 'A', 2, 1, 1);
    check_graph(&st, 1, 1);
    stage_run(&st, 11);
    check_drop(&st, 1, SC_DROP_EXPIRED, 11);
    const sc_query joins = plain_query(3, stage_dead_end(&st, 'A'), 2, 5, 1, deadline);
    stage_ask(&st, &joins, 11);
    sc_cloak *cloak = sc_engine_take_candidate(st.engine);
    check_members(cloak, (const uint32_t[]){2, 3, 0});
    check_stars(&st, cloak, "AB");
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_a_vertex_whose_queries_are_removed_is_gone(void **state)
{
    (void)state;
    stage st;
    open_street(&st);
    ask(&st, 1, 'A', 9, 1, 1);
    ask(&st, 2, 'A', 9, 1, 1);
    const sc_query_id ids[] = {plain_id(1), plain_id(2)};
    CHECK_OK(sc_engine_remove(st.engine, &ids[0]), NULL);
    check_graph(&st, 1, 1);
    CHECK_OK(sc_engine_remove(st.engine, &ids[1]), NULL);
    check_graph(&st, 0, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_run(&st, 0);
    check_graph(&st, 0, 0);
    stage_close(&st);
}

// --- The cap ---------------------------------------------------------------------

// Four in a row who want four. From D: C is kept, then B, then both together, and with those A.
static void test_a_search_finds_no_more_than_its_cap_lets_it_keep(void **state)
{
    (void)state;
    static const uint32_t caps[] = {1, 2, 3, 64};
    for (size_t c = 0; c < 4; c++) {
        const uint32_t cap = caps[c];
        stage st;
        sc_engine_options options = sc_engine_options_default();
        options.max_combinations = cap;
        stage_open(&st, street, "", &options);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(sc_engine_get_stats(st.engine).proposed, 0);
            ask(&st, i + 1, "ABCD"[i], 4, 1, 4);
        }
        if (cap < 3) {
            check_no_candidate(&st);
            assert_true(sc_engine_get_stats(st.engine).cap_hits > 0);
        } else {
            check_candidate(&st, (const uint32_t[]){1, 2, 3, 4, 0});
            if (cap == 64) assert_int_equal(sc_engine_get_stats(st.engine).cap_hits, 0);
        }
        stage_close(&st);
    }
}

// Every query reaches two hops. D wants nine segments: with C and E it would have seven, with B and
// F it has just enough. D, C and E must not take the room that B needs.
static void test_what_lacks_segments_takes_no_room(void **state)
{
    (void)state;
    stage st;
    sc_engine_options options = sc_engine_options_default();
    options.max_combinations = 3;
    stage_open(&st,
               "    o       o\n"
               "     \\     /\n"
               "      A---B\n"
               "     /     \\\n"
               "o---F       C---o\n"
               "     \\     /\n"
               "      E---D\n"
               "     /     \\\n"
               "    o       o\n",
               "", &options);
    for (uint32_t i = 0; i < 4; i++) {
        ask(&st, i + 1, "EBCF"[i], 3, 1, 2);
        check_no_candidate(&st);
    }
    ask(&st, 5, 'D', 3, 9, 2);
    sc_cloak *cloak = sc_engine_take_candidate(st.engine);
    check_members(cloak, (const uint32_t[]){2, 4, 5, 0});
    check_stars(&st, cloak, "BDF");
    sc_cloak_free(cloak);
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_who_wants_no_company_is_cloaked_at_once),
    cmocka_unit_test(test_a_candidate_is_what_all_members_reach),
    cmocka_unit_test(test_the_nearest_company_is_taken),
    cmocka_unit_test(test_of_equally_near_ones_the_older_is_taken),
    cmocka_unit_test(test_members_of_a_candidate_are_in_the_order_of_adding),
    cmocka_unit_test(test_one_user_counts_once),
    cmocka_unit_test(test_both_must_reach_each_other),
    cmocka_unit_test(test_what_members_share_must_have_enough_segments),
    cmocka_unit_test(test_the_most_demanding_member_decides_how_many),
    cmocka_unit_test(test_queries_of_a_star_share_a_vertex_if_their_needs_go_together),
    cmocka_unit_test(test_what_is_left_of_a_vertex_reaches_as_far_as_it_may),
    cmocka_unit_test(test_a_vertex_whose_queries_are_removed_is_gone),
    cmocka_unit_test(test_a_search_finds_no_more_than_its_cap_lets_it_keep),
    cmocka_unit_test(test_what_lacks_segments_takes_no_room),
};
SC_SUITE(tests)
