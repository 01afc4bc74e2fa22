// The commit while processes crash: at any moment, after any step, before anybody received it; and
// come back as others.
#include "cluster_sim/cluster_sim.h"

#include "support/check.h"
#include "support/schedule.h"

enum { SCHEDULES = 700 };

static sc_cluster_sim_verdict play_many(uint64_t first, double loss)
{
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = first; seed < first + SCHEDULES; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = schedule_options(seed);
        options.crashes_per_s = 1.0 + (double)(seed % 4);
        options.loss = loss;
        options.doubling = loss;
        options.leaving = seed % 2 ? 0.1 : 0.0;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    assert_true(sum.crashes / 2 > SCHEDULES);
    assert_true(sum.disconnected > SCHEDULES);
    return sum;
}

static void test_processes_that_crash_break_no_promise(void **state)
{
    (void)state;
    const sc_cluster_sim_verdict sum = play_many(0, 0.0);
    assert_true(sum.answered > SCHEDULES / 2);
    assert_true(sum.failed[SC_FAILURE_IN_DOUBT] > 0);
    assert_true(sum.failed[SC_FAILURE_LOST] > 0);
}

static void test_crashes_on_a_bad_network_break_no_promise(void **state)
{
    (void)state;
    (void)play_many(10000, 0.1);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_processes_that_crash_break_no_promise),
    SC_CASES(test_crashes_on_a_bad_network_break_no_promise),
};
SC_SUITE(tests)
