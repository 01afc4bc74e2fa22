// A cluster of patient engines: company, refusals and proposals that meet, on good and bad
// networks. All promises hold, and queries of several gateways share cloaks.
#include "cluster_sim/cluster_sim.h"

#include "support/check.h"
#include "support/schedule.h"

enum { SCHEDULES = 200 };

static sc_cluster_sim_options patient_options(uint64_t seed)
{
    sc_cluster_sim_options options = schedule_options(seed);
    options.engine.variant = SC_VARIANT_PATIENT;
    options.engine.crowd = seed % 2 ? 1 : 4;
    options.engine.max_combinations = sc_variant_cap(SC_VARIANT_PATIENT);
    return options;
}

static void test_slow_and_overtaking_messages_break_no_promise(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 0; seed < SCHEDULES; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = patient_options(seed);
        options.leaving = seed % 4 == 3 ? 0.3 : 0.0;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    assert_true(sum.answered > sum.asked / 4);
    assert_true(sum.msgs[SC_MSG_RELEASE] > SCHEDULES / 4);
    assert_true(sum.msgs[SC_MSG_COMPANY] > SCHEDULES / 4);
    assert_true(sum.refused > 0);
    // Who is refused does not ask for the same again and again.
    assert_true(sum.msgs[SC_MSG_RESERVE] < 2 * sum.asked);
}

static void test_lost_messages_and_crashes_break_no_promise(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 30000; seed < 30000 + SCHEDULES; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = patient_options(seed);
        options.loss = 0.1;
        options.doubling = 0.1;
        options.crashes_per_s = seed % 2 ? 0.2 : 0.0;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    assert_true(sum.answered > SCHEDULES / 2);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_slow_and_overtaking_messages_break_no_promise),
    SC_CASES(test_lost_messages_and_crashes_break_no_promise),
};
SC_SUITE(tests)
