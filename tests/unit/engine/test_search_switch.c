// From one variant to another under way: every direction by itself, and what a switch leaves alone.
// Random streams are in test_search_switch_streams.c.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/stage.h"

// Two stars two hops apart, so that only a basic search joins them.
static const char street[] = "o   o   o\n"
                             "|   |   |\n"
                             "A---B---C\n"
                             "|       |\n"
                             "o       o\n";

static const sc_time wait = 10000000;
static const sc_time alpha = 2000000;

static void open_street(stage *st, sc_variant variant)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    options.compactness = 1;
    options.consideration_us = alpha;
    stage_open(st, street, "", &options);
}

/** Query `number` at a star comes, wants one other user, and is looked at. */
static void ask(stage *st, uint32_t number, char star, sc_time deadline, sc_time now)
{
    const sc_query query = stage_query(st, number, star, 2, deadline);
    stage_ask(st, &query, now);
}

static void switch_to(stage *st, sc_variant variant)
{
    CHECK_OK(sc_engine_switch(st->engine, variant), NULL);
}

/** Queries 1 and 2 have just found each other. */
static void check_joined(stage *st)
{
    sc_cloak *cloak = stage_take(st);
    assert_non_null(cloak);
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    sc_cloak_free(cloak);
}

// --- Each direction --------------------------------------------------------------

static void test_from_bounded_to_basic_newcomers_find_who_is_far(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BOUNDED);
    ask(&st, 1, 'A', wait, 0);
    switch_to(&st, SC_VARIANT_BASIC);
    ask(&st, 2, 'C', wait, 0);
    check_joined(&st);
    stage_close(&st);
}

static void test_from_basic_to_bounded_newcomers_no_longer_do(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC);
    ask(&st, 1, 'A', wait, 0);
    switch_to(&st, SC_VARIANT_BOUNDED);
    ask(&st, 2, 'C', wait, 0);
    check_no_candidate(&st);
    stage_close(&st);
}

static void test_a_switch_by_itself_searches_for_no_query(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BOUNDED);
    ask(&st, 1, 'A', wait, 0);
    ask(&st, 2, 'C', wait + 1, 0);
    const uint64_t searches = sc_engine_get_stats(st.engine).searches;
    switch_to(&st, SC_VARIANT_BASIC);
    assert_int_equal(sc_engine_next_wake(st.engine), wait + 1);
    stage_run(&st, 1);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).searches, searches);
    stage_close(&st);
}

static void test_from_bounded_to_hybrid_those_who_wait_get_their_last_chance(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BOUNDED);
    ask(&st, 1, 'A', wait, 0);
    ask(&st, 2, 'C', wait, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), wait + 1);
    switch_to(&st, SC_VARIANT_HYBRID);
    assert_int_equal(sc_engine_next_wake(st.engine), wait - alpha + 1);
    stage_run(&st, wait - alpha);
    check_no_candidate(&st);
    stage_run(&st, wait - alpha + 1);
    check_joined(&st);
    stage_close(&st);
}

static void test_from_basic_to_hybrid_queries_in_the_queue_become_urgent_too(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC);
    const sc_query one = stage_query(&st, 1, 'A', 2, wait);
    const sc_query two = stage_query(&st, 2, 'C', 2, wait);
    CHECK_OK(sc_engine_add(st.engine, &one), NULL);
    CHECK_OK(sc_engine_add(st.engine, &two), NULL);
    switch_to(&st, SC_VARIANT_HYBRID);
    stage_run(&st, 0);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_next_wake(st.engine), wait - alpha + 1);
    stage_run(&st, wait - alpha + 1);
    check_joined(&st);
    stage_close(&st);
}

static void test_to_hybrid_an_urgent_query_is_searched_for_in_the_next_run(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BOUNDED);
    ask(&st, 1, 'A', alpha - 5, 0);
    ask(&st, 2, 'C', wait, 0);
    check_no_candidate(&st);
    switch_to(&st, SC_VARIANT_HYBRID);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_next_wake(st.engine), 0);
    stage_run(&st, 0);
    check_joined(&st);
    stage_close(&st);
}

// Whether they become urgent soon or before the beginning of time, the earlier deadline is first.
static void test_to_hybrid_urgent_queries_go_by_deadline(void **state)
{
    (void)state;
    static const char streets[] = "o   o   o     o   o   o\n"
                                  "|   |   |     |   |   |\n"
                                  "A---B---C     D---E---F\n"
                                  "|       |     |       |\n"
                                  "o       o     o       o\n";
    static const sc_time alphas[] = {1000, INT64_MAX};
    for (size_t i = 0; i < 2; i++) {
        stage st;
        sc_engine_options options = sc_engine_options_default();
        options.variant = SC_VARIANT_BOUNDED;
        options.consideration_us = alphas[i];
        stage_open(&st, streets, "", &options);
        ask(&st, 3, 'D', -10, -100);
        ask(&st, 4, 'F', -10, -100);
        ask(&st, 1, 'A', -20, -100);
        ask(&st, 2, 'C', -20, -100);
        switch_to(&st, SC_VARIANT_HYBRID);
        stage_run(&st, -100);
        check_joined(&st);
        sc_cloak *cloak = stage_take(&st);
        assert_non_null(cloak);
        check_members(cloak, (const uint32_t[]){3, 4, 0});
        sc_cloak_free(cloak);
        stage_close(&st);
    }
}

static void test_to_hybrid_what_has_expired_by_the_next_run_is_not_searched_for(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BOUNDED);
    ask(&st, 1, 'A', alpha - 1, 0);
    ask(&st, 2, 'C', wait, 0);
    switch_to(&st, SC_VARIANT_HYBRID);
    stage_run(&st, alpha);
    check_no_candidate(&st);
    check_drop(&st, 1, SC_DROP_EXPIRED, alpha);
    check_no_drop(&st);
    stage_close(&st);
}

static void test_from_hybrid_to_bounded_no_query_gets_a_last_chance(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID);
    ask(&st, 1, 'A', wait, 0);
    ask(&st, 2, 'C', wait, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), wait - alpha + 1);
    switch_to(&st, SC_VARIANT_BOUNDED);
    assert_int_equal(sc_engine_next_wake(st.engine), wait + 1);
    stage_run(&st, wait);
    check_no_candidate(&st);
    stage_run(&st, wait + 1);
    check_drop(&st, 1, SC_DROP_EXPIRED, wait + 1);
    check_drop(&st, 2, SC_DROP_EXPIRED, wait + 1);
    stage_close(&st);
}

static void test_from_hybrid_to_bounded_and_back_who_was_urgent_is_urgent_again(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID);
    ask(&st, 1, 'A', alpha - 1, 0);
    switch_to(&st, SC_VARIANT_BOUNDED);
    assert_int_equal(sc_engine_next_wake(st.engine), alpha);
    ask(&st, 2, 'C', wait, 0);
    check_no_candidate(&st);  // hybrid would have looked at the urgent one again
    switch_to(&st, SC_VARIANT_HYBRID);
    stage_run(&st, 0);
    check_joined(&st);
    stage_close(&st);
}

static void test_from_hybrid_to_basic_newcomers_find_who_is_not_urgent(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID);
    ask(&st, 1, 'A', wait, 0);
    switch_to(&st, SC_VARIANT_BASIC);
    assert_int_equal(sc_engine_next_wake(st.engine), wait + 1);
    ask(&st, 2, 'C', wait, 0);
    check_joined(&st);
    stage_close(&st);
}

static void test_a_refused_cloak_comes_back_to_the_variant_of_now(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC);
    ask(&st, 1, 'A', wait, 0);
    ask(&st, 2, 'C', wait, 0);
    sc_cloak *cloak = stage_take(&st);
    assert_non_null(cloak);
    switch_to(&st, SC_VARIANT_HYBRID);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    sc_cloak_free(cloak);
    stage_run(&st, 0);
    check_no_candidate(&st);
    assert_int_equal(sc_engine_next_wake(st.engine), wait - alpha + 1);
    stage_run(&st, wait - alpha + 1);
    check_joined(&st);
    stage_close(&st);
}

// --- What it leaves alone --------------------------------------------------------

static void test_to_the_variant_in_force_nothing_happens(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID);
    ask(&st, 1, 'A', alpha - 1, 0);
    const uint64_t searches = sc_engine_get_stats(st.engine).searches;
    switch_to(&st, SC_VARIANT_HYBRID);
    assert_int_equal(sc_engine_next_wake(st.engine), alpha);
    stage_run(&st, 1);
    assert_int_equal(sc_engine_get_stats(st.engine).searches, searches);
    // It is still urgent, and is searched for again when another one comes.
    ask(&st, 2, 'C', wait, 1);
    check_joined(&st);
    stage_close(&st);
}

static void test_company_does_not_become_urgent(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BOUNDED);
    const sc_query company = stage_query(&st, 1, 'A', 2, alpha - 1);
    CHECK_OK(sc_engine_add_company(st.engine, &company), NULL);
    ask(&st, 2, 'C', wait, 0);
    switch_to(&st, SC_VARIANT_HYBRID);
    assert_int_equal(sc_engine_next_wake(st.engine), alpha);
    stage_run(&st, 1);
    check_no_candidate(&st);
    stage_close(&st);
}

static void test_other_methods_can_be_switched_neither_to_nor_from(void **state)
{
    (void)state;
    static const sc_variant others[] = {SC_VARIANT_XSTAR, SC_VARIANT_SAMPLING, SC_VARIANT_EXPANSION,
                                        SC_VARIANT_COUNT};
    stage st;
    open_street(&st, SC_VARIANT_HYBRID);
    ask(&st, 1, 'A', wait, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sc_engine_switch(st.engine, others[i]), SC_EINVAL);
        assert_int_equal(sc_engine_next_wake(st.engine), wait - alpha + 1);
    }
    stage_close(&st);
    for (size_t i = 0; i < 3; i++) {
        open_street(&st, others[i]);
        ask(&st, 1, 'A', wait, 0);
        assert_int_equal(sc_engine_switch(st.engine, SC_VARIANT_HYBRID), SC_EINVAL);
        assert_int_equal(sc_engine_switch(st.engine, others[i]), SC_EINVAL);
        assert_int_equal(sc_engine_next_wake(st.engine), wait + 1);
        stage_close(&st);
    }
}

static void test_a_switch_needs_no_memory(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC);
    for (uint32_t number = 1; number <= 100; number++) {
        const sc_query query = stage_query(&st, number, 'A', 1000, wait + number % 7);
        stage_ask(&st, &query, 0);
    }
    static const sc_variant round[] = {SC_VARIANT_HYBRID, SC_VARIANT_BOUNDED, SC_VARIANT_BASIC};
    for (size_t i = 0; i < 3; i++) {
        oom_arm(1);
        const sc_err err = sc_engine_switch(st.engine, round[i]);
        assert_false(oom_happened());
        CHECK_OK(err, NULL);
    }
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_from_bounded_to_basic_newcomers_find_who_is_far),
    cmocka_unit_test(test_from_basic_to_bounded_newcomers_no_longer_do),
    cmocka_unit_test(test_a_switch_by_itself_searches_for_no_query),
    cmocka_unit_test(test_from_bounded_to_hybrid_those_who_wait_get_their_last_chance),
    cmocka_unit_test(test_from_basic_to_hybrid_queries_in_the_queue_become_urgent_too),
    cmocka_unit_test(test_to_hybrid_an_urgent_query_is_searched_for_in_the_next_run),
    cmocka_unit_test(test_to_hybrid_urgent_queries_go_by_deadline),
    cmocka_unit_test(test_to_hybrid_what_has_expired_by_the_next_run_is_not_searched_for),
    cmocka_unit_test(test_from_hybrid_to_bounded_no_query_gets_a_last_chance),
    cmocka_unit_test(test_from_hybrid_to_bounded_and_back_who_was_urgent_is_urgent_again),
    cmocka_unit_test(test_from_hybrid_to_basic_newcomers_find_who_is_not_urgent),
    cmocka_unit_test(test_a_refused_cloak_comes_back_to_the_variant_of_now),
    cmocka_unit_test(test_to_the_variant_in_force_nothing_happens),
    cmocka_unit_test(test_company_does_not_become_urgent),
    cmocka_unit_test(test_other_methods_can_be_switched_neither_to_nor_from),
    cmocka_unit_test(test_a_switch_needs_no_memory),
};
SC_SUITE(tests)
