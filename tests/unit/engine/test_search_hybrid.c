// The paper's nine queries, in all three variants: basic cloaks those that come together, bounded
// only those who are near and leaves three behind, hybrid rescues those three when their time runs
// out. Then the rules of hybrid one by one.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/stage.h"

// The paper's figure is a drawing; this map fits what its text says. Star n is the n-th letter:
// 11 and 12 are adjacent, 9 and 13 are two hops from 11, 6 and 8 two hops from each other and
// from 4.
static const char town[] = "o       o\n"
                           "|       |\n"
                           "F---G---H\n"
                           "|   |   |\n"
                           "o   |   o           o\n"
                           "    |               |\n"
                           "    D---E---I---J---M---o\n"
                           "    |   |   |   |\n"
                           "    o   o   o   K---L---o\n"
                           "                |   |\n"
                           "                o   o\n";

// The stars of q1 to q9: 4, 12, 6, 8, 13, 9, 11, 5, 8.
static const char stars[] = "DLFHMIKEH";

/** Every query waits ten seconds, and two seconds before the end are near the end. */
static const sc_time second = 1000000;
static const sc_time wait = 10000000;
static const sc_time alpha = 2000000;

static sc_engine_options options_for(sc_variant variant)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    options.compactness = 1;
    options.consideration_us = alpha;
    return options;
}

// q1 to q9 come, one per second, with k = 3; who finds company leaves at once.
static void ask_all_nine(stage *st, const uint32_t expected[][4])
{
    size_t found = 0;
    for (uint32_t number = 1; number <= 9; number++) {
        const sc_time now = number * second;
        const sc_query query = stage_query(st, number, stars[number - 1], 3, now + wait);
        stage_ask(st, &query, now);
        for (sc_cloak *cloak; (cloak = stage_take(st));) {
            check_members(cloak, expected[found++]);
            CHECK_OK(sc_engine_accept(st->engine, cloak, now, NULL), NULL);
            sc_cloak_free(cloak);
        }
    }
    assert_int_equal(expected[found][0], 0);
    check_no_drop(st);
}

static void test_basic_takes_the_nine_queries_three_by_three(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = options_for(SC_VARIANT_BASIC);
    stage_open(&st, town, "", &options);
    ask_all_nine(&st, (const uint32_t[][4]){{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {0}});
    assert_int_equal(sc_engine_get_stats(st.engine).pending, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_close(&st);
}

static void test_bounded_finds_compact_cloaks_and_drops_three_of_the_nine(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = options_for(SC_VARIANT_BOUNDED);
    stage_open(&st, town, "", &options);
    ask_all_nine(&st, (const uint32_t[][4]){{2, 5, 7}, {1, 6, 8}, {0}});
    static const uint32_t left[] = {3, 4, 9};
    for (size_t i = 0; i < 3; i++) {
        const sc_time end = left[i] * second + wait + 1;
        assert_int_equal(sc_engine_next_wake(st.engine), end);
        stage_run(&st, end);
        check_drop(&st, left[i], SC_DROP_EXPIRED, end);
        check_no_drop(&st);
    }
    check_no_candidate(&st);
    stage_close(&st);
}

static void test_hybrid_rescues_the_three_when_their_time_runs_out(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = options_for(SC_VARIANT_HYBRID);
    stage_open(&st, town, "", &options);
    ask_all_nine(&st, (const uint32_t[][4]){{2, 5, 7}, {1, 6, 8}, {0}});

    // No query comes any more: the engine says itself when it must be woken, and not before.
    const sc_time wake = sc_engine_next_wake(st.engine);
    assert_int_equal(wake, 3 * second + wait - alpha + 1);
    stage_run(&st, wake - 1);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_next_wake(st.engine), wake);
    stage_run(&st, wake);
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){3, 4, 9, 0});
    CHECK_OK(sc_engine_accept(st.engine, cloak, wake, NULL), NULL);
    sc_cloak_free(cloak);
    check_no_drop(&st);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_close(&st);
}

// --- The rules one by one --------------------------------------------------------

// Two stars two hops apart, so that only a basic search joins them.
static const char street[] = "o   o   o\n"
                             "|   |   |\n"
                             "A---B---C\n"
                             "|       |\n"
                             "o       o\n";

static void test_what_arrives_urgent_is_searched_by_the_basic_method_at_once(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = options_for(SC_VARIANT_HYBRID);
    stage_open(&st, street, "", &options);
    const sc_query early = stage_query(&st, 1, 'A', 2, wait);
    const sc_query urgent = stage_query(&st, 2, 'C', 2, alpha - 1);
    stage_ask(&st, &early, 0);
    stage_ask(&st, &urgent, 0);
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_exactly_alpha_before_the_deadline_is_not_urgent_yet(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = options_for(SC_VARIANT_HYBRID);
    stage_open(&st, street, "", &options);
    const sc_query early = stage_query(&st, 1, 'A', 2, wait);
    const sc_query later = stage_query(&st, 2, 'C', 2, alpha);
    stage_ask(&st, &early, 0);
    stage_ask(&st, &later, 0);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_next_wake(st.engine), 1);
    stage_run(&st, 1);
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_with_alpha_zero_hybrid_is_bounded(void **state)
{
    (void)state;
    stage st;
    sc_engine_options options = options_for(SC_VARIANT_HYBRID);
    options.consideration_us = 0;
    stage_open(&st, street, "", &options);
    const sc_query one = stage_query(&st, 1, 'A', 2, wait);
    const sc_query two = stage_query(&st, 2, 'C', 2, wait);
    stage_ask(&st, &one, 0);
    stage_ask(&st, &two, 0);
    stage_run(&st, wait);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_next_wake(st.engine), wait + 1);
    stage_run(&st, wait + 1);
    check_drop(&st, 1, SC_DROP_EXPIRED, wait + 1);
    check_drop(&st, 2, SC_DROP_EXPIRED, wait + 1);
    stage_close(&st);
}

static void test_with_an_endless_alpha_hybrid_finds_what_basic_finds(void **state)
{
    (void)state;
    stage st;
    sc_engine_options options = options_for(SC_VARIANT_HYBRID);
    options.consideration_us = INT64_MAX;
    stage_open(&st, town, "", &options);
    ask_all_nine(&st, (const uint32_t[][4]){{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {0}});
    stage_close(&st);
}

static void test_an_urgent_query_is_searched_for_again_when_another_comes(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = options_for(SC_VARIANT_HYBRID);
    stage_open(&st, street, "", &options);
    const sc_query urgent = stage_query(&st, 1, 'A', 2, alpha - 1);
    const sc_query early = stage_query(&st, 2, 'C', 2, wait);
    stage_ask(&st, &urgent, 0);
    check_no_candidate(&st);
    stage_ask(&st, &early, 0);
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

// Both are early: the first is not looked at again, and bounded does not join them.
static void test_without_urgency_no_query_is_searched_for_again(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = options_for(SC_VARIANT_HYBRID);
    stage_open(&st, street, "", &options);
    const sc_query early = stage_query(&st, 1, 'A', 2, alpha);
    const sc_query later = stage_query(&st, 2, 'C', 2, wait);
    stage_ask(&st, &early, 0);
    stage_ask(&st, &later, 0);
    check_no_candidate(&st);
    stage_close(&st);
}

// The newcomer may not go where the urgent one is.
static void test_a_query_out_of_reach_is_no_help(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = options_for(SC_VARIANT_HYBRID);
    stage_open(&st, street, "", &options);
    const sc_query urgent = stage_query(&st, 1, 'A', 2, alpha - 1);
    sc_query homely = stage_query(&st, 2, 'C', 2, wait);
    homely.max_hops = 1;
    stage_ask(&st, &urgent, 0);
    stage_ask(&st, &homely, 0);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).pending, 2);
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_basic_takes_the_nine_queries_three_by_three),
    cmocka_unit_test(test_bounded_finds_compact_cloaks_and_drops_three_of_the_nine),
    cmocka_unit_test(test_hybrid_rescues_the_three_when_their_time_runs_out),
    cmocka_unit_test(test_what_arrives_urgent_is_searched_by_the_basic_method_at_once),
    cmocka_unit_test(test_exactly_alpha_before_the_deadline_is_not_urgent_yet),
    cmocka_unit_test(test_with_alpha_zero_hybrid_is_bounded),
    cmocka_unit_test(test_with_an_endless_alpha_hybrid_finds_what_basic_finds),
    cmocka_unit_test(test_an_urgent_query_is_searched_for_again_when_another_comes),
    cmocka_unit_test(test_without_urgency_no_query_is_searched_for_again),
    cmocka_unit_test(test_a_query_out_of_reach_is_no_help),
};
SC_SUITE(tests)
