// The few numbers that are taken from a service's metrics.
#include "demo/loadgen/load_counts.h"

#include "support/check.h"

static sc_service_counts read_text(const char *text)
{
    return sc_service_counts_of(text, strlen(text));
}

static void test_outcomes_are_summed_over_their_reasons(void **state)
{
    (void)state;
    const sc_service_counts c =
        read_text("# HELP starcloak_queries_total Outcomes.\n"
                  "# TYPE starcloak_queries_total counter\n"
                  "starcloak_queries_total{outcome=\"answered\"} 1234\n"
                  "starcloak_queries_total{outcome=\"dropped\",reason=\"expired\"} 5\n"
                  "starcloak_queries_total{reason=\"infeasible\",outcome=\"dropped\"} 6\n"
                  "starcloak_queries_total{outcome=\"failed\",reason=\"overloaded\"} 7\n"
                  "starcloak_queries_total{outcome=\"gone\"} 8 1700000000\n"
                  "starcloak_queries_taken_total 1263\n"
                  "starcloak_pending 3\n"
                  "starcloak_violations_total 1\n"
                  "process_cpu_seconds_total 12.75\n"
                  "process_resident_memory_bytes 1.048576e+06\n");
    assert_true(c.has_queries && c.has_pending && c.has_violations && c.has_cpu);
    assert_int_equal(c.answered, 1234);
    assert_int_equal(c.dropped, 11);
    assert_int_equal(c.failed, 7);
    assert_int_equal(c.gone, 8);
    assert_int_equal(c.taken, 1263);
    assert_int_equal(c.pending, 3);
    assert_int_equal(c.violations, 1);
    CHECK_SAME(c.cpu_s, 12.75);
    assert_int_equal(c.resident_bytes, 1048576);
}

static void test_other_lines_are_passed_over(void **state)
{
    (void)state;
    const sc_service_counts c = read_text("\n"
                                          "starcloak_queries_totals{outcome=\"answered\"} 1\n"
                                          "starcloak_pending_extra 2\n"
                                          "starcloak_pending\n"
                                          "starcloak_pending NaN\n"
                                          "starcloak_pending -1\n"
                                          "starcloak_pending 1e300\n"
                                          "starcloak_pending{ 4\n"
                                          "x_starcloak_pending 5\n"
                                          "starcloak_violations_total x\n"
                                          "{} 3");
    assert_false(c.has_queries || c.has_pending || c.has_violations || c.has_cpu);
    assert_int_equal(c.answered, 0);
}

static void test_a_label_is_matched_as_a_whole(void **state)
{
    (void)state;
    const sc_service_counts c = read_text("starcloak_queries_total{outcome=\"answered_late\"} 1\n"
                                          "starcloak_queries_total{outcome=\"answered\n"
                                          "starcloak_queries_total{outcome=\"} 2\n"
                                          "starcloak_queries_total{outcome=\"answered\"} 4\n");
    assert_int_equal(c.answered, 4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_outcomes_are_summed_over_their_reasons),
    cmocka_unit_test(test_other_lines_are_passed_over),
    cmocka_unit_test(test_a_label_is_matched_as_a_whole),
};
SC_SUITE(tests)
