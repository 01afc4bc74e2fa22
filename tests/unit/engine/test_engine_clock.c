// The clock: it is handed in, it never runs backwards, and the engine reports when it needs to
// run. Nothing happens before that time, and everything that is due happens at it, though no
// query comes.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/stage.h"

// Three stars in a row.
static const char street[] = "o   o   o\n"
                             "|   |   |\n"
                             "A---B---C\n"
                             "|       |\n"
                             "o       o\n";

static void open_street(stage *st, sc_variant variant, sc_time alpha)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    options.consideration_us = alpha;
    stage_open(st, street, "", &options);
}

// --- When to wake ----------------------------------------------------------------

static void test_an_engine_without_queries_never_wants_to_be_woken(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID, 5);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_run(&st, 100);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_close(&st);
}

static void test_a_query_in_the_queue_is_work_that_is_waiting(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    stage_run(&st, 100);
    const sc_query query = stage_query(&st, 1, 'A', 2, 500);
    CHECK_OK(sc_engine_add(st.engine, &query), NULL);
    assert_true(sc_engine_next_wake(st.engine) <= 100);
    stage_run(&st, 100);
    assert_int_equal(sc_engine_next_wake(st.engine), 501);
    CHECK_OK(sc_engine_remove(st.engine, &query.id), NULL);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_close(&st);
}

static void test_the_first_deadline_decides(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    static const sc_time deadlines[] = {700, 300, 900, 500};
    for (uint32_t i = 0; i < 4; i++) {
        const sc_query query = stage_query(&st, i + 1, 'A', 9, deadlines[i]);
        stage_ask(&st, &query, 0);
    }
    assert_int_equal(sc_engine_next_wake(st.engine), 301);
    const sc_query_id second = plain_id(2);
    CHECK_OK(sc_engine_remove(st.engine, &second), NULL);
    stage_run(&st, 0);  // the vertex that it leaves is searched again
    assert_int_equal(sc_engine_next_wake(st.engine), 501);
    stage_close(&st);
}

static void test_proposed_queries_do_not_wake(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID, 50);
    const sc_query one = stage_query(&st, 1, 'A', 2, 300);
    const sc_query two = stage_query(&st, 2, 'A', 2, 400);
    stage_ask(&st, &one, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), 251);
    stage_ask(&st, &two, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    sc_cloak *cloak = stage_take(&st);
    stage_run(&st, 1000);  // their time passes; it is the caller who must say
    check_no_drop(&st);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, NULL, 0), NULL);
    assert_true(sc_engine_next_wake(st.engine) <= 1000);
    stage_run(&st, 1000);
    check_drop(&st, 1, SC_DROP_EXPIRED, 1000);
    check_drop(&st, 2, SC_DROP_EXPIRED, 1000);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_hybrid_wakes_first_for_urgency_then_for_expiry(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID, 50);
    const sc_query query = stage_query(&st, 1, 'A', 2, 300);
    stage_ask(&st, &query, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), 251);
    stage_run(&st, 250);
    assert_int_equal(sc_engine_next_wake(st.engine), 251);
    stage_run(&st, 251);
    assert_int_equal(sc_engine_next_wake(st.engine), 301);
    stage_close(&st);
}

static void test_what_arrives_urgent_wakes_only_for_its_expiry(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID, 50);
    const sc_query query = stage_query(&st, 1, 'A', 2, 40);
    stage_ask(&st, &query, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), 41);
    stage_close(&st);
}

static void test_a_deadline_that_never_comes_never_wakes(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query query = stage_query(&st, 1, 'A', 2, SC_TIME_NEVER);
    stage_ask(&st, &query, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_run(&st, SC_TIME_NEVER);
    check_no_drop(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).pending, 1);
    stage_close(&st);
}

// --- Expiry ----------------------------------------------------------------------

static void test_the_deadline_itself_is_still_in_time(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query one = stage_query(&st, 1, 'A', 2, 300);
    const sc_query two = stage_query(&st, 2, 'B', 2, 300);
    stage_ask(&st, &one, 0);
    stage_ask(&st, &two, 300);
    check_no_drop(&st);
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    CHECK_OK(sc_engine_accept(st.engine, cloak, 300, NULL), NULL);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_a_query_expires_right_after_its_deadline_without_traffic(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query query = stage_query(&st, 1, 'A', 2, 300);
    stage_ask(&st, &query, 0);
    stage_run(&st, 300);
    check_no_drop(&st);
    stage_run(&st, sc_engine_next_wake(st.engine));
    check_drop(&st, 1, SC_DROP_EXPIRED, 301);
    check_no_drop(&st);
    assert_int_equal(sc_engine_get_stats(st.engine).vertices, 0);
    assert_int_equal(sc_engine_get_stats(st.engine).active_stars, 0);
    stage_close(&st);
}

static void test_drops_come_by_deadline_then_by_order_of_adding(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    static const sc_time deadlines[] = {50, 30, 50, 30, 40};
    for (uint32_t i = 0; i < 5; i++) {
        const sc_query query = stage_query(&st, i + 1, "ABCAB"[i], 9, deadlines[i]);
        stage_ask(&st, &query, 0);
    }
    const sc_query waiting = stage_query(&st, 6, 'A', 9, 30);  // never looked at
    CHECK_OK(sc_engine_add(st.engine, &waiting), NULL);
    stage_run(&st, 1000);
    static const uint32_t order[] = {2, 4, 6, 5, 1, 3};
    for (size_t i = 0; i < 6; i++) {
        check_drop(&st, order[i], SC_DROP_EXPIRED, 1000);
    }
    check_no_drop(&st);
    stage_close(&st);
}

// The query for nine users holds the others back; without it they are enough.
static void test_an_expiry_lets_those_left_behind_be_searched_again(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query demanding = stage_query(&st, 1, 'A', 9, 100);
    const sc_query two = stage_query(&st, 2, 'A', 2, 500);
    const sc_query three = stage_query(&st, 3, 'A', 2, 500);
    stage_ask(&st, &demanding, 0);
    stage_ask(&st, &two, 0);
    stage_ask(&st, &three, 0);
    stage_run(&st, 100);
    check_no_candidate(&st);
    stage_run(&st, sc_engine_next_wake(st.engine));
    check_drop(&st, 1, SC_DROP_EXPIRED, 101);
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){2, 3, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_a_removal_lets_those_left_behind_be_searched_in_the_next_run(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query demanding = stage_query(&st, 1, 'A', 9, 100);
    const sc_query two = stage_query(&st, 2, 'A', 2, 500);
    const sc_query three = stage_query(&st, 3, 'A', 2, 500);
    stage_ask(&st, &demanding, 0);
    stage_ask(&st, &two, 0);
    stage_ask(&st, &three, 50);
    CHECK_OK(sc_engine_remove(st.engine, &demanding.id), NULL);
    check_no_candidate(&st);
    assert_true(sc_engine_next_wake(st.engine) <= 50);
    stage_run(&st, 50);
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){2, 3, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_what_is_past_its_deadline_is_not_taken_in(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    stage_run(&st, 100);
    const sc_query late = stage_query(&st, 1, 'A', 1, 99);
    assert_int_equal(sc_engine_add(st.engine, &late), SC_ELATE);
    assert_int_equal(sc_engine_add_company(st.engine, &late), SC_ELATE);
    assert_int_equal(sc_engine_get_stats(st.engine).added, 0);
    const sc_query in_time = stage_query(&st, 2, 'A', 1, 100);
    stage_ask(&st, &in_time, 100);
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){2, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

// --- Backwards -------------------------------------------------------------------

static void test_time_that_runs_backwards_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID, 50);
    const sc_query one = stage_query(&st, 1, 'A', 2, 300);
    stage_ask(&st, &one, 200);
    const sc_query two = stage_query(&st, 2, 'A', 2, 300);
    CHECK_OK(sc_engine_add(st.engine, &two), NULL);
    const sc_engine_stats before = sc_engine_get_stats(st.engine);
    const sc_time wake = sc_engine_next_wake(st.engine);
    assert_int_equal(sc_engine_run(st.engine, 199), SC_ETIME);
    assert_int_equal(sc_engine_run(st.engine, INT64_MIN), SC_ETIME);
    const sc_engine_stats after = sc_engine_get_stats(st.engine);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(sc_engine_next_wake(st.engine), wake);
    check_no_candidate(&st);
    check_no_drop(&st);
    stage_run(&st, 200);  // the same time again is fine
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    sc_cloak_free(cloak);
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_engine_without_queries_never_wants_to_be_woken),
    cmocka_unit_test(test_a_query_in_the_queue_is_work_that_is_waiting),
    cmocka_unit_test(test_the_first_deadline_decides),
    cmocka_unit_test(test_proposed_queries_do_not_wake),
    cmocka_unit_test(test_hybrid_wakes_first_for_urgency_then_for_expiry),
    cmocka_unit_test(test_what_arrives_urgent_wakes_only_for_its_expiry),
    cmocka_unit_test(test_a_deadline_that_never_comes_never_wakes),
    cmocka_unit_test(test_the_deadline_itself_is_still_in_time),
    cmocka_unit_test(test_a_query_expires_right_after_its_deadline_without_traffic),
    cmocka_unit_test(test_drops_come_by_deadline_then_by_order_of_adding),
    cmocka_unit_test(test_an_expiry_lets_those_left_behind_be_searched_again),
    cmocka_unit_test(test_a_removal_lets_those_left_behind_be_searched_in_the_next_run),
    cmocka_unit_test(test_what_is_past_its_deadline_is_not_taken_in),
    cmocka_unit_test(test_time_that_runs_backwards_is_refused_and_changes_nothing),
};
SC_SUITE(tests)
