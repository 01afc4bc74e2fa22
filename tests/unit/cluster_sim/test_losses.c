// The commit on a bad network: messages are lost, come twice, far too late, and overtake each
// other.
#include "cluster_sim/cluster_sim.h"

#include "support/check.h"
#include "support/schedule.h"

enum { SCHEDULES = 500 };

static sc_cluster_sim_verdict play_many(uint64_t first, double loss, double doubling,
                                        double straying)
{
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = first; seed < first + SCHEDULES; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = schedule_options(seed);
        options.loss = loss;
        options.doubling = doubling;
        options.leaving = seed % 2 ? 0.1 : 0.0;
        options.straying = straying;
        options.is_encoded = seed % 4 == 0;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    return sum;
}

static void test_messages_that_are_lost_cost_success_and_no_promise(void **state)
{
    (void)state;
    const sc_cluster_sim_verdict sum = play_many(0, 0.2, 0.0, 0.0);
    assert_true(sum.answered > SCHEDULES / 2);
    assert_true(sum.failed[SC_FAILURE_IN_DOUBT] > 0);
    assert_true(sum.msgs[SC_MSG_ASK] > 0);
    // A result that is lost is asked for again: 11 are lost for good, and 87 if it were not.
    assert_true(sum.failed[SC_FAILURE_LOST] < 40);
}

static void test_messages_that_come_twice_change_nothing(void **state)
{
    (void)state;
    const sc_cluster_sim_verdict sum = play_many(10000, 0.0, 0.5, 0.0);
    assert_true(sum.answered > SCHEDULES);
}

static void test_messages_that_come_when_all_is_over_bring_nothing_back_to_life(void **state)
{
    (void)state;
    const sc_cluster_sim_verdict sum = play_many(20000, 0.05, 0.5, 0.2);
    assert_true(sum.answered > SCHEDULES / 2);
}

/** Impatient gateways, patient workers, and messages that are so late that what they send of was
 * decided, and forgotten by none: only a proposal that was buried stays dead then. */
static void test_messages_that_come_twice_and_far_too_late_bring_nothing_back(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 0; seed < UINT64_C(2) * SCHEDULES; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = schedule_options(seed);
        options.delay_us = 20000;
        options.straying = 0.3;
        options.doubling = 0.5;
        options.jitter_us = 0;
        options.patience_us = 60000 + 1000 * (sc_time)(seed % 200);
        options.worker_patience_us = 8 * options.patience_us;
        options.leaving = seed % 3 == 0 ? 0.1 : 0.0;
        options.loss = seed % 3 == 1 ? 0.1 : 0.0;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    assert_true(sum.msgs[SC_MSG_RELEASE] > SCHEDULES);
    assert_true(sum.answered > SCHEDULES);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_messages_that_are_lost_cost_success_and_no_promise),
    SC_CASES(test_messages_that_come_twice_change_nothing),
    SC_CASES(test_messages_that_come_when_all_is_over_bring_nothing_back_to_life),
    SC_CASES(test_messages_that_come_twice_and_far_too_late_bring_nothing_back),
};
SC_SUITE(tests)
