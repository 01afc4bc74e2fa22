// Company: queries that another engine answers for. They can be members of a cloak, but nothing is
// searched for their sake, and their end is not reported.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/stage.h"

static const char street[] = "o   o   o\n"
                             "|   |   |\n"
                             "A---B---C\n"
                             "|       |\n"
                             "o       o\n";

static const sc_time deadline = 1000;

static void open_street(stage *st, sc_variant variant, sc_time alpha)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    options.consideration_us = alpha;
    stage_open(st, street, "", &options);
}

static void bring(stage *st, const sc_query *query, sc_time now)
{
    CHECK_OK(sc_engine_add_company(st->engine, query), NULL);
    stage_run(st, now);
}

static void test_company_starts_no_search(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query alone = stage_query(&st, 1, 'A', 1, deadline);  // it would be enough by itself
    bring(&st, &alone, 0);
    const sc_query own = stage_query(&st, 2, 'A', 3, deadline);
    stage_ask(&st, &own, 0);
    const sc_query third = stage_query(&st, 3, 'B', 1, deadline);  // now they are three
    bring(&st, &third, 0);
    check_no_candidate(&st);
    const sc_engine_stats stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.searches, 1);
    assert_int_equal(stats.added, 1);
    assert_int_equal(stats.pending, 1);
    assert_int_equal(stats.company, 2);
    assert_int_equal(stats.company_held, 2);
    stage_close(&st);
}

static void test_company_counts_for_those_who_search(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query company = stage_query(&st, 1, 'A', 2, deadline);
    const sc_query own = stage_query(&st, 2, 'B', 2, deadline);
    bring(&st, &company, 0);
    stage_ask(&st, &own, 0);
    sc_cloak *cloak = stage_take(&st);
    check_members(cloak, (const uint32_t[]){1, 2, 0});
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(cloak->members[i].is_company, cloak->members[i].query.user == 1);
    }
    CHECK_OK(sc_engine_accept(st.engine, cloak, 0, NULL), NULL);
    const sc_engine_stats stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.accepted, 1);
    assert_int_equal(stats.company_accepted, 1);
    assert_int_equal(stats.company_held, 0);
    sc_cloak_free(cloak);
    stage_close(&st);
}

static void test_the_needs_of_company_hold_too(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query company = stage_query(&st, 1, 'A', 3, deadline);
    const sc_query own = stage_query(&st, 2, 'B', 2, deadline);
    bring(&st, &company, 0);
    stage_ask(&st, &own, 0);
    check_no_candidate(&st);
    stage_close(&st);
}

static void test_company_ends_without_a_word(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    sc_query company = stage_query(&st, 1, 'A', 2, deadline);
    bring(&st, &company, 0);
    company = stage_query(&st, 2, 'A', 1, deadline);
    company.l = 1000;  // nowhere to be had
    bring(&st, &company, 0);
    assert_int_equal(sc_engine_get_stats(st.engine).company_held, 1);
    assert_int_equal(sc_engine_next_wake(st.engine), deadline + 1);
    stage_run(&st, deadline + 1);
    check_no_drop(&st);
    const sc_engine_stats stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.dropped[SC_DROP_EXPIRED], 0);
    assert_int_equal(stats.dropped[SC_DROP_INFEASIBLE], 0);
    assert_int_equal(stats.company_held, 0);
    assert_int_equal(stats.vertices, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
    stage_close(&st);
}

static void test_company_can_be_removed_and_refused_like_any_query(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query company = stage_query(&st, 1, 'A', 2, deadline);
    const sc_query own = stage_query(&st, 2, 'B', 2, deadline);
    bring(&st, &company, 0);
    assert_int_equal(sc_engine_add(st.engine, &company), SC_EDUPLICATE);
    stage_ask(&st, &own, 0);
    sc_cloak *cloak = stage_take(&st);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, &company.id, 1), NULL);
    sc_cloak_free(cloak);
    sc_engine_stats stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.company_held, 0);
    assert_int_equal(stats.removed, 0);
    assert_int_equal(stats.pending, 1);

    bring(&st, &company, 0);
    check_no_candidate(&st);
    CHECK_OK(sc_engine_remove(st.engine, &company.id), NULL);
    assert_int_equal(sc_engine_remove(st.engine, &company.id), SC_EUNKNOWN);
    stats = sc_engine_get_stats(st.engine);
    assert_int_equal(stats.company_held, 0);
    assert_int_equal(stats.removed, 0);
    stage_close(&st);
}

static void test_refused_company_is_still_company(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_BASIC, 0);
    const sc_query company = stage_query(&st, 1, 'A', 1, deadline);
    const sc_query own = stage_query(&st, 2, 'B', 2, deadline);
    bring(&st, &company, 0);
    stage_ask(&st, &own, 0);
    sc_cloak *cloak = stage_take(&st);
    CHECK_OK(sc_engine_refuse(st.engine, cloak, &own.id, 1), NULL);
    sc_cloak_free(cloak);
    stage_run(&st, 0);
    check_no_candidate(&st);  // a query of its own with k = 1 would be one
    assert_int_equal(sc_engine_get_stats(st.engine).company_held, 1);
    stage_close(&st);
}

// The demanding one goes. What it leaves is searched again only if it has a query that is not
// company.
static void test_a_vertex_of_nothing_but_company_is_not_searched_again(void **state)
{
    (void)state;
    for (uint32_t own = 0; own < 2; own++) {
        stage st;
        open_street(&st, SC_VARIANT_BASIC, 0);
        const sc_query demanding = stage_query(&st, 1, 'A', 9, 100);
        const sc_query two = stage_query(&st, 2, 'A', 2, deadline);
        const sc_query three = stage_query(&st, 3, 'A', 2, deadline);
        stage_ask(&st, &demanding, 0);
        bring(&st, &two, 0);
        if (own) stage_ask(&st, &three, 0);
        if (!own) bring(&st, &three, 0);
        stage_run(&st, 101);
        check_drop(&st, 1, SC_DROP_EXPIRED, 101);
        if (own) {
            sc_cloak *cloak = stage_take(&st);
            check_members(cloak, (const uint32_t[]){2, 3, 0});
            sc_cloak_free(cloak);
        } else {
            check_no_candidate(&st);
            assert_int_equal(sc_engine_next_wake(st.engine), deadline + 1);
        }
        stage_close(&st);
    }
}

static void test_company_is_never_urgent(void **state)
{
    (void)state;
    stage st;
    open_street(&st, SC_VARIANT_HYBRID, 100);
    const sc_query company = stage_query(&st, 1, 'A', 2, deadline);
    const sc_query own =
        stage_query(&st, 2, 'C', 2, 5 * deadline);  // two hops: too far for bounded
    bring(&st, &company, 0);
    stage_ask(&st, &own, 0);
    assert_int_equal(sc_engine_next_wake(st.engine), deadline + 1);
    stage_run(&st, deadline);
    check_no_candidate(&st);
    const sc_query late = stage_query(&st, 3, 'C', 9, 5 * deadline);
    stage_ask(&st, &late, deadline);  // nor is it searched for again when a query comes
    check_no_candidate(&st);
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_company_starts_no_search),
    cmocka_unit_test(test_company_counts_for_those_who_search),
    cmocka_unit_test(test_the_needs_of_company_hold_too),
    cmocka_unit_test(test_company_ends_without_a_word),
    cmocka_unit_test(test_company_can_be_removed_and_refused_like_any_query),
    cmocka_unit_test(test_refused_company_is_still_company),
    cmocka_unit_test(test_a_vertex_of_nothing_but_company_is_not_searched_again),
    cmocka_unit_test(test_company_is_never_urgent),
};
SC_SUITE(tests)
