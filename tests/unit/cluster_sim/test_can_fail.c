// The checks of a simulated cluster can fail: with clocks that differ by more than the guard, and
// with a network that lies, what must never be is seen.
#include "cluster_sim/cluster_sim.h"

#include "support/check.h"
#include "support/schedule.h"

enum { SCHEDULES = 300 };

static void test_clocks_beyond_the_guard_are_caught(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 0; seed < SCHEDULES; seed++) {
        sc_cluster_sim_options options = schedule_options(seed);
        options.guard_us = 1000;
        options.skew_us = 3000000;
        options.is_skew_hidden = true;
        options.delay_us = 20000;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_sum(&sum, &verdict);
        if (verdict.late > 0) CHECK_CONTAINS(verdict.what, "us: a ");
    }
    assert_true(sum.late > 0);
}

static void test_noes_that_arrive_as_oks_are_caught(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 0; seed < SCHEDULES; seed++) {
        sc_cluster_sim_options options = schedule_options(seed);
        options.delay_us = 100000;
        options.fault = SC_CLUSTER_SIM_FAULT_NO_IS_OK;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_sum(&sum, &verdict);
    }
    assert_true(sum.twice > 0);
}

static void test_proposals_that_arrive_without_a_segment_are_caught(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 0; seed < SCHEDULES / 10; seed++) {
        sc_cluster_sim_options options = schedule_options(seed);
        options.fault = SC_CLUSTER_SIM_FAULT_SMALLER;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_sum(&sum, &verdict);
    }
    assert_true(sum.cloaks > 0);
    assert_int_equal(sum.broken, sum.cloaks);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_clocks_beyond_the_guard_are_caught),
    cmocka_unit_test(test_noes_that_arrive_as_oks_are_caught),
    cmocka_unit_test(test_proposals_that_arrive_without_a_segment_are_caught),
};
SC_SUITE(tests)
