// The commit while processes stand still and go on later, with all that came meanwhile; a worker
// that was given up meanwhile still has its parts for a moment.
#include "cluster_sim/cluster_sim.h"

#include "support/check.h"
#include "support/schedule.h"

enum { SCHEDULES = 600 };

static void test_processes_that_stand_still_break_no_promise(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 0; seed < SCHEDULES; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = schedule_options(seed);
        options.stalls_per_s = 2.0 + (double)(seed % 4);
        options.down_us = 500000 + 500000 * (sc_time)(seed % 3);
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    assert_true(sum.answered > SCHEDULES);
}

static void test_everything_at_once_breaks_no_promise(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 10000; seed < 10000 + SCHEDULES; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = schedule_options(seed);
        options.stalls_per_s = 1.0;
        options.crashes_per_s = 1.0;
        options.loss = 0.05;
        options.doubling = 0.2;
        options.straying = 0.1;
        options.leaving = 0.1;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    assert_true(sum.answered > SCHEDULES / 2);
    assert_true(sum.crashes > SCHEDULES);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_processes_that_stand_still_break_no_promise),
    SC_CASES(test_everything_at_once_breaks_no_promise),
};
SC_SUITE(tests)
