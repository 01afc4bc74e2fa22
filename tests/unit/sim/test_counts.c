// The counts of a run: what ends, how often, and what the report says of it.
#include "sim/counts.h"

#include "support/check.h"

static sc_query_id id_of(uint8_t number)
{
    return (sc_query_id){.bytes = {number}};
}

static sc_run_counts counts_for(sc_run_window window)
{
    sc_run_counts counts = {0};
    CHECK_OK(sc_run_counts_init(&counts, window), NULL);
    return counts;
}

/** Counts in which everything counts. */
static sc_run_counts new_counts(void)
{
    return counts_for((sc_run_window){0, 0});
}

static sc_run_report report_of(const sc_run_counts *counts)
{
    sc_run_report report = {0};
    sc_run_counts_report(counts, &report);
    return report;
}

static void test_a_query_ends_once_and_only_if_it_was_asked(void **state)
{
    (void)state;
    sc_run_counts counts = new_counts();
    const sc_query_id id = id_of(1);
    sc_pending_query wait;
    assert_int_equal(sc_run_counts_end(&counts, &id, 5, true, &wait), SC_EBROKEN);
    CHECK_OK(sc_run_counts_query(&counts, &id, (sc_pending_query){.since = 5, .traveller = 7}),
             NULL);
    CHECK_OK(sc_run_counts_end(&counts, &id, 9, true, &wait), NULL);
    assert_int_equal(wait.traveller, 7);
    assert_int_equal(sc_run_counts_end(&counts, &id, 9, true, &wait), SC_EBROKEN);
    sc_run_counts_fini(&counts);
}

static void test_nothing_ends_before_it_was_asked(void **state)
{
    (void)state;
    sc_run_counts counts = new_counts();
    const sc_query_id id = id_of(1);
    sc_pending_query wait;
    CHECK_OK(sc_run_counts_query(&counts, &id, (sc_pending_query){.since = 5, .traveller = 0}),
             NULL);
    assert_int_equal(sc_run_counts_end(&counts, &id, 4, false, &wait), SC_EBROKEN);
    sc_run_counts_fini(&counts);
}

static void test_only_cloaked_queries_count_as_waits(void **state)
{
    (void)state;
    sc_run_counts counts = new_counts();
    const sc_time asked[] = {1000, 2000, 3000};
    sc_pending_query wait;
    for (uint8_t i = 0; i < 3; i++) {
        const sc_query_id id = id_of(i);
        CHECK_OK(sc_run_counts_query(&counts, &id,
                                     (sc_pending_query){.since = asked[i], .traveller = i}),
                 NULL);
    }
    for (uint8_t i = 0; i < 3; i++) {
        const sc_query_id id = id_of(i);
        CHECK_OK(sc_run_counts_end(&counts, &id, 4000, i > 0, &wait), NULL);
    }
    const sc_run_report report = report_of(&counts);
    assert_int_equal(report.queries, 3);
    assert_int_equal(report.cloaked, 2);
    CHECK_CLOSE(report.wait_s.mean, 1.5e-3, 1e-12);
    CHECK_CLOSE(report.virtual_s, 3e-3, 1e-12);
    CHECK_CLOSE(sc_run_success_rate(&report), 2.0 / 3, 1e-12);
    sc_run_counts_fini(&counts);
}

static void test_two_queries_of_one_user_are_one_user(void **state)
{
    (void)state;
    sc_run_counts counts = new_counts();
    sc_member members[] = {{.query = {.user = 9}}, {.query = {.user = 3}}, {.query = {.user = 9}}};
    const sc_cloak cloak = {.star_count = 2,
                            .segment_count = 7,
                            .border_node_count = 4,
                            .members = members,
                            .member_count = 3};
    CHECK_OK(sc_run_counts_cloak(&counts, &cloak, 0), NULL);
    const sc_run_report report = report_of(&counts);
    assert_int_equal(report.cloaks, 1);
    CHECK_SAME(report.users.mean, 2);
    CHECK_SAME(report.stars.median, 2);
    CHECK_SAME(report.segments.max, 7);
    CHECK_SAME(report.border_nodes.p99, 4);
    sc_run_counts_fini(&counts);
}

// Each of these asks at its time and is cloaked 5 us later; the window is from 10 to 20.
static void test_a_window_counts_those_who_ask_in_it_whenever_they_end(void **state)
{
    (void)state;
    static const struct {
        sc_time asked;
        bool counts;
    } queries[] = {{0, false}, {9, false}, {10, true}, {15, true}, {19, true}, {20, false}};
    sc_run_counts counts = counts_for((sc_run_window){10, 20});
    uint64_t counted = 0;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        const sc_query_id id = id_of((uint8_t)i);
        sc_pending_query wait;
        CHECK_OK(sc_run_counts_query(&counts, &id, (sc_pending_query){.since = queries[i].asked}),
                 NULL);
        CHECK_OK(sc_run_counts_end(&counts, &id, queries[i].asked + 5, true, &wait), NULL);
        counted += queries[i].counts;
        assert_int_equal(report_of(&counts).queries, counted);
        assert_int_equal(report_of(&counts).cloaked, counted);
    }
    CHECK_CLOSE(report_of(&counts).wait_s.mean, 5e-6, 1e-15);
    // The span is of all.
    CHECK_CLOSE(report_of(&counts).virtual_s, 25e-6, 1e-15);
    sc_run_counts_fini(&counts);
}

static void test_a_window_counts_the_cloaks_that_leave_in_it(void **state)
{
    (void)state;
    sc_run_counts counts = counts_for((sc_run_window){10, 20});
    sc_member members[] = {{.query = {.user = 1}}};
    const sc_time left[] = {9, 10, 19, 20};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        const sc_cloak cloak = {.segment_count = i, .members = members, .member_count = 1};
        CHECK_OK(sc_run_counts_cloak(&counts, &cloak, left[i]), NULL);
    }
    const sc_run_report report = report_of(&counts);
    assert_int_equal(report.cloaks, 2);
    CHECK_SAME(report.segments.mean, 1.5);
    CHECK_SAME(report.segments.max, 2);
    sc_run_counts_fini(&counts);
}

// What does not count must still end once.
static void test_outside_the_window_the_counts_are_as_strict(void **state)
{
    (void)state;
    sc_run_counts counts = counts_for((sc_run_window){10, 20});
    const sc_query_id id = id_of(1);
    sc_pending_query wait;
    CHECK_OK(sc_run_counts_query(&counts, &id, (sc_pending_query){.since = 30}), NULL);
    assert_int_equal(counts.open.count, 1);
    CHECK_OK(sc_run_counts_end(&counts, &id, 31, false, &wait), NULL);
    assert_int_equal(sc_run_counts_end(&counts, &id, 31, false, &wait), SC_EBROKEN);
    sc_run_counts_fini(&counts);
}

static void test_rates_of_nothing_are_zero(void **state)
{
    (void)state;
    const sc_run_report report = {0};
    CHECK_SAME(sc_run_success_rate(&report), 0);
    CHECK_SAME(sc_run_queries_per_cpu_s(&report), 0);
    CHECK_SAME(sc_run_engine_queries_per_cpu_s(&report), 0);
    CHECK_SAME(sc_run_checks_per_query(&report), 0);
}

static void test_rates_divide_by_the_time_they_name(void **state)
{
    (void)state;
    const sc_run_report report = {.queries = 600,
                                  .cloaked = 150,
                                  .engine = {.checks = 1800},
                                  .admission_cpu_s = 1,
                                  .engine_cpu_s = 2,
                                  .refused = {[SC_ETIME] = 2, [SC_EPROFILE] = 3}};
    CHECK_SAME(sc_run_success_rate(&report), 0.25);
    CHECK_SAME(sc_run_queries_per_cpu_s(&report), 200);
    CHECK_SAME(sc_run_engine_queries_per_cpu_s(&report), 300);
    CHECK_SAME(sc_run_checks_per_query(&report), 3);
    assert_int_equal(sc_run_refused_count(&report), 5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_ends_once_and_only_if_it_was_asked),
    cmocka_unit_test(test_nothing_ends_before_it_was_asked),
    cmocka_unit_test(test_only_cloaked_queries_count_as_waits),
    cmocka_unit_test(test_two_queries_of_one_user_are_one_user),
    cmocka_unit_test(test_a_window_counts_those_who_ask_in_it_whenever_they_end),
    cmocka_unit_test(test_a_window_counts_the_cloaks_that_leave_in_it),
    cmocka_unit_test(test_outside_the_window_the_counts_are_as_strict),
    cmocka_unit_test(test_rates_of_nothing_are_zero),
    cmocka_unit_test(test_rates_divide_by_the_time_they_name),
};
SC_SUITE(tests)
