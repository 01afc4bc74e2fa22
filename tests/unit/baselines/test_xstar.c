// XStar: all queries of a star are one group, a super-star grows around it, ring by ring and the
// cheapest star first, and what it needs is what the most demanding inside needs. The first star
// that does not fit ends it.
#include <starcloak/engine.h>

#include "engine/candidate.h"
#include "support/check.h"
#include "support/stage.h"

// Five stars in a row. A and E have three segments and are cheaper than the others with four.
static const char street[] = "o   o   o   o   o\n"
                             "|   |   |   |   |\n"
                             "A---B---C---D---E\n"
                             "|   |   |   |   |\n"
                             "o   o   o   o   o\n";

// A, B and F are neighbours of each other. C, at a dead end, is the cheapest of them.
static const char triangle[] = "o   o   o\n"
                               "|   |   |\n"
                               "A---B---C\n"
                               "|       |\n"
                               "o o-F-o o\n";

static const sc_time deadline = 1000;

static void open_spread(stage *st, const char *picture, const char *more, uint32_t k_spread)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_XSTAR;
    options.is_paranoid = true;
    options.k_spread = k_spread;
    stage_open(st, picture, more, &options);
}

static void open_stage(stage *st, const char *picture, const char *more)
{
    open_spread(st, picture, more, 0);
}

/** What a query asks for. */
typedef struct needs {
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
} needs;

// Query `number` at `letter`.
static void ask(stage *st, uint32_t number, char letter, needs n)
{
    const sc_query query =
        plain_query(number, stage_dead_end(st, letter), n.k, n.l, n.max_hops, deadline);
    stage_ask(st, &query, 0);
}

// The next candidate has these members and stars, and keeps them when it is pruned; it is accepted.
static void check_cloak(stage *st, const uint32_t *numbers, const char *letters)
{
    sc_cloak *cloak = stage_take(st);
    check_members(cloak, numbers);
    assert_true(sc__candidate_of(cloak)->is_whole);
    assert_int_equal(cloak->star_count, strlen(letters));
    for (; *letters; letters++) {
        bool found = false;
        for (size_t i = 0; i < cloak->star_count; i++) {
            found |= cloak->stars[i] == stage_star(st, *letters);
        }
        if (!found) fail_msg("star '%c' is not in the cloak", *letters);
    }
    sc_diag diag = {""};
    CHECK_OK(sc_engine_accept(st->engine, cloak, 0, &diag), &diag);
    sc_cloak_free(cloak);
}

// --- Enough ----------------------------------------------------------------------

static void test_a_star_that_is_enough_does_not_grow(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'C', (needs){2, 4, 3});
    check_no_candidate(&st);
    ask(&st, 2, 'C', (needs){2, 1, 3});
    check_cloak(&st, (const uint32_t[]){1, 2, 0}, "C");
    stage_close(&st);
}

static void test_a_star_grows_until_segments_are_enough(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'B', (needs){1, 6, 1});  // B has four, and A, which is cheaper than C, two more
    check_cloak(&st, (const uint32_t[]){1, 0}, "AB");
    ask(&st, 2, 'B', (needs){1, 7, 1});
    check_cloak(&st, (const uint32_t[]){2, 0}, "ABC");
    stage_close(&st);
}

static void test_two_stars_have_users_enough_together(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'A', (needs){2, 1, 1});
    ask(&st, 2, 'B', (needs){2, 1, 1});
    check_cloak(&st, (const uint32_t[]){1, 2, 0}, "AB");
    stage_close(&st);
}

static void test_cheaper_stars_come_in_even_without_queries(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'C', (needs){2, 1, 2});
    ask(&st, 2, 'B', (needs){2, 1, 2});
    check_cloak(&st, (const uint32_t[]){1, 2, 0}, "ABC");
    stage_close(&st);
}

static void test_nearer_stars_come_before_cheaper_ones(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'A', (needs){2, 1, 4});
    ask(&st, 2, 'C', (needs){2, 1, 4});  // E is as far as A and as cheap: the lower number decides
    const bool e_is_first = stage_star(&st, 'E') < stage_star(&st, 'A');
    check_cloak(&st, (const uint32_t[]){1, 2, 0}, e_is_first ? "ABCDE" : "ABCD");
    stage_close(&st);
}

static void test_two_queries_of_one_user_count_once(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    for (uint32_t number = 1; number <= 3; number++) {
        sc_query query = stage_query(&st, number, number < 3 ? 'A' : 'B', 2, deadline);
        query.user = 1;
        stage_ask(&st, &query, 0);
        check_no_candidate(&st);
    }
    ask(&st, 4, 'B', (needs){1, 1, 4});
    check_cloak(&st, (const uint32_t[]){3, 4, 0}, "B");
    stage_close(&st);
}

// --- Groups ----------------------------------------------------------------------

static void test_a_group_comes_in_as_a_whole_and_brings_its_needs(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'C', (needs){4, 1, 4});
    ask(&st, 2, 'C', (needs){2, 9, 4});
    ask(&st, 3, 'D', (needs){3, 1, 4});  // with both of C they are three, but query 1 wants four
    check_no_candidate(&st);
    ask(&st, 4, 'D', (needs){1, 1, 4});
    check_cloak(&st, (const uint32_t[]){1, 2, 3, 4, 0}, "CDE");  // nine segments, for query 2
    stage_close(&st);
}

// Query 2 allows no hops, and query 1 of the same star wants more segments than the star has.
static void test_a_conflict_in_a_group_blocks_all_of_it_until_the_strict_one_expires(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'A', (needs){2, 6, 2});
    const sc_query strict = plain_query(2, stage_dead_end(&st, 'A'), 2, 1, 0, 100);
    stage_ask(&st, &strict, 0);
    ask(&st, 3, 'A', (needs){2, 1, 2});
    check_no_candidate(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).vertices, 1);
    stage_run(&st, 101);
    check_drop(&st, 2, SC_DROP_EXPIRED, 101);
    check_cloak(&st, (const uint32_t[]){1, 3, 0}, "AB");
    stage_close(&st);
}

static void test_a_group_is_tried_again_when_one_of_it_is_removed(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'D', (needs){9, 1, 1});
    ask(&st, 2, 'D', (needs){2, 1, 1});
    ask(&st, 3, 'D', (needs){2, 1, 1});
    check_no_candidate(&st);
    const sc_query_id demanding = plain_id(1);
    CHECK_OK(sc_engine_remove(st.engine, &demanding), NULL);
    stage_run(&st, 0);
    check_cloak(&st, (const uint32_t[]){2, 3, 0}, "D");
    stage_close(&st);
}

// --- The end of a growth ---------------------------------------------------------

static void test_a_star_beyond_the_starts_limit_ends_the_growth(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'D', (needs){2, 1, 4});
    ask(&st, 2, 'B', (needs){2, 1, 1});
    check_no_candidate(&st);
    ask(&st, 3, 'D', (needs){1, 1, 4});  // a group of two, and enough
    check_cloak(&st, (const uint32_t[]){1, 3, 0}, "D");
    stage_close(&st);
}

static void test_a_group_that_is_too_far_from_the_start_ends_the_growth(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'A', (needs){2, 1, 1});
    ask(&st, 2, 'E', (needs){2, 1, 4});
    ask(&st, 3, 'C', (needs){2, 1, 4});  // of A and E, both two hops away, E would do
    const bool e_is_first = stage_star(&st, 'E') < stage_star(&st, 'A');
    if (e_is_first) {
        check_cloak(&st, (const uint32_t[]){2, 3, 0}, "BCDE");
    } else {
        check_no_candidate(&st);
    }
    stage_close(&st);
}

// From B: C is the cheapest and comes first; both A and F are two hops from it.
static void test_a_group_that_is_too_far_from_a_star_inside_ends_the_growth(void **state)
{
    (void)state;
    for (uint32_t limit = 1; limit <= 2; limit++) {
        stage st;
        open_stage(&st, triangle, "AFBF");
        ask(&st, 1, 'A', (needs){3, 1, limit});
        ask(&st, 2, 'F', (needs){3, 1, limit});
        check_no_candidate(&st);
        ask(&st, 3, 'B', (needs){3, 1, 4});  // A, B and F are within a hop of each other
        if (limit == 1) check_no_candidate(&st);
        if (limit == 2) check_cloak(&st, (const uint32_t[]){1, 2, 3, 0}, "ABCF");
        stage_close(&st);
    }
}

// Now C has four loops and is the dearest. A comes in before it, and then C is beyond A's limit,
// though no query is there.
static void test_an_empty_star_too_far_from_a_group_inside_ends_the_growth(void **state)
{
    (void)state;
    for (uint32_t limit = 1; limit <= 2; limit++) {
        stage st;
        open_stage(&st, triangle, "AFBFCCCCCCCC");
        ask(&st, 1, 'A', (needs){2, 1, limit});
        ask(&st, 2, 'B', (needs){2, 12, 4});  // A, B and F have nine segments
        check_no_drop(&st);
        if (limit == 1) check_no_candidate(&st);
        if (limit == 2) check_cloak(&st, (const uint32_t[]){1, 2, 0}, "ABCF");
        stage_close(&st);
    }
}

// From C: B may go two hops. Two rings come in before users are enough, and E, of the second, is
// three hops from B; Z, of the third, would not be.
static void test_an_empty_star_ends_the_growth_long_before_users_are_enough(void **state)
{
    (void)state;
    for (uint32_t limit = 2; limit <= 3; limit++) {
        stage st;
        open_stage(&st,
                   "o   o   o   o   o   o\n"
                   "|   |   |   |   |   |\n"
                   "Z---A---B---C---D---E\n"
                   "|                   |\n"
                   "o                   o\n",
                   "");
        ask(&st, 1, 'Z', (needs){3, 1, 9});
        ask(&st, 2, 'B', (needs){3, 1, limit});
        ask(&st, 3, 'C', (needs){3, 1, 9});
        if (limit == 2) check_no_candidate(&st);
        if (limit == 3) check_cloak(&st, (const uint32_t[]){1, 2, 3, 0}, "ZABCDE");
        stage_close(&st);
    }
}

// --- Cost ------------------------------------------------------------------------

// X, with two loops, has more segments than Y and fewer border nodes: dearer by itself, cheaper
// once each border node is asked for more than twenty objects.
static const char scales[] = "  o o o     o   o\n"
                             "   \\|/      |   |\n"
                             "  o-X---S---Y---Z-o\n"
                             "        |   |   |\n"
                             "        o   o   o\n";

static void test_the_largest_result_of_the_group_decides_what_is_cheap(void **state)
{
    (void)state;
    static const struct {
        uint32_t results[2];
        const char *stars;
    } cases[] = {{{10, 15}, "SY"}, {{10, 30}, "SX"}, {{30, 10}, "SX"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage st;
        sc_engine_options options = sc_engine_options_default();
        options.variant = SC_VARIANT_XSTAR;
        options.cost.object = 0.05;
        stage_open(&st, scales, "XXXX", &options);
        for (uint32_t number = 1; number <= 2; number++) {
            sc_query query = plain_query(number, stage_dead_end(&st, 'S'), 2, 4, 1, deadline);
            query.result_size = cases[i].results[number - 1];
            stage_ask(&st, &query, 0);
        }
        check_cloak(&st, (const uint32_t[]){1, 2, 0}, cases[i].stars);
        stage_close(&st);
    }
}

// --- Company ---------------------------------------------------------------------

static void test_company_comes_in_but_starts_nothing(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    const sc_query company = stage_query(&st, 1, 'A', 1, deadline);  // it would be enough alone
    CHECK_OK(sc_engine_add_company(st.engine, &company), NULL);
    stage_run(&st, 0);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).searches, 0);
    ask(&st, 2, 'B', (needs){2, 1, 4});
    check_cloak(&st, (const uint32_t[]){1, 2, 0}, "AB");
    const sc_engine_stats stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.accepted, 1);
    assert_int_equal(stats.company_accepted, 1);
    assert_int_equal(stats.company_held, 0);
    stage_close(&st);
}

static void test_members_of_a_refused_super_star_try_again(void **state)
{
    (void)state;
    stage st;
    open_stage(&st, street, "");
    ask(&st, 1, 'A', (needs){2, 1, 4});
    ask(&st, 2, 'B', (needs){2, 1, 4});
    sc_cloak *cloak = stage_take(&st);
    const sc_query_id gone = plain_id(1);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, &gone, 1), NULL);
    sc_cloak_free(cloak);
    stage_run(&st, 0);
    check_no_candidate(&st);
    ask(&st, 3, 'B', (needs){1, 1, 4});
    check_cloak(&st, (const uint32_t[]){2, 3, 0}, "B");
    stage_close(&st);
}

// --- A spread of k -----------------------------------------------------------------

static void test_one_with_an_impossible_k_holds_up_its_star_unless_k_is_spread(void **state)
{
    (void)state;
    for (uint32_t k_spread = 0; k_spread <= 2; k_spread += 2) {
        stage st;
        open_spread(&st, street, "", k_spread);
        ask(&st, 1, 'C', (needs){100, 1, 3});
        ask(&st, 2, 'C', (needs){2, 1, 3});
        ask(&st, 3, 'C', (needs){2, 1, 3});
        if (k_spread == 0) {
            check_no_candidate(&st);
        } else {
            check_cloak(&st, (const uint32_t[]){2, 3, 0}, "C");
        }
        stage_close(&st);
    }
}

static void test_a_group_that_stays_limits_nothing(void **state)
{
    (void)state;
    stage st;
    open_spread(&st, street, "", 2);
    ask(&st, 1, 'C', (needs){5, 1, 0});  // allows no other star
    ask(&st, 2, 'B', (needs){2, 1, 3});
    ask(&st, 3, 'D', (needs){2, 1, 3});
    check_cloak(&st, (const uint32_t[]){2, 3, 0}, "BCDE");
    stage_close(&st);
}

static void test_one_with_a_large_k_takes_along_those_with_a_small_one(void **state)
{
    (void)state;
    stage st;
    open_spread(&st, street, "", 2);
    ask(&st, 1, 'C', (needs){5, 1, 2});
    ask(&st, 2, 'C', (needs){5, 1, 2});
    ask(&st, 3, 'C', (needs){5, 1, 2});
    ask(&st, 4, 'B', (needs){2, 1, 2});  // four users are in reach, but want more than twice two
    check_no_candidate(&st);
    ask(&st, 5, 'C', (needs){5, 1, 2});
    check_cloak(&st, (const uint32_t[]){1, 2, 3, 4, 5, 0}, "BC");
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_star_that_is_enough_does_not_grow),
    cmocka_unit_test(test_a_star_grows_until_segments_are_enough),
    cmocka_unit_test(test_two_stars_have_users_enough_together),
    cmocka_unit_test(test_cheaper_stars_come_in_even_without_queries),
    cmocka_unit_test(test_nearer_stars_come_before_cheaper_ones),
    cmocka_unit_test(test_two_queries_of_one_user_count_once),
    cmocka_unit_test(test_a_group_comes_in_as_a_whole_and_brings_its_needs),
    cmocka_unit_test(test_a_conflict_in_a_group_blocks_all_of_it_until_the_strict_one_expires),
    cmocka_unit_test(test_a_group_is_tried_again_when_one_of_it_is_removed),
    cmocka_unit_test(test_a_star_beyond_the_starts_limit_ends_the_growth),
    cmocka_unit_test(test_a_group_that_is_too_far_from_the_start_ends_the_growth),
    cmocka_unit_test(test_a_group_that_is_too_far_from_a_star_inside_ends_the_growth),
    cmocka_unit_test(test_an_empty_star_too_far_from_a_group_inside_ends_the_growth),
    cmocka_unit_test(test_an_empty_star_ends_the_growth_long_before_users_are_enough),
    cmocka_unit_test(test_the_largest_result_of_the_group_decides_what_is_cheap),
    cmocka_unit_test(test_company_comes_in_but_starts_nothing),
    cmocka_unit_test(test_members_of_a_refused_super_star_try_again),
    cmocka_unit_test(test_one_with_an_impossible_k_holds_up_its_star_unless_k_is_spread),
    cmocka_unit_test(test_a_group_that_stays_limits_nothing),
    cmocka_unit_test(test_one_with_a_large_k_takes_along_those_with_a_small_one),
};
SC_SUITE(tests)
