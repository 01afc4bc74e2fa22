// The commit on a good network: nothing is lost, and no process dies; messages are only slow, and
// overtake each other. All promises hold, and no query fails but for the provider.
#include "cluster_sim/cluster_sim.h"

#include "support/check.h"
#include "support/schedule.h"

enum { SCHEDULES = 600 };

static void test_slow_and_overtaking_messages_break_no_promise(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 0; seed < SCHEDULES; seed++) {
        check_case(seed);
        const sc_cluster_sim_options options = schedule_options(seed);
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    // The schedules are about something: cloaks of several gateways, and proposals that meet.
    assert_true(sum.answered > sum.asked / 4);
    assert_true(sum.msgs[SC_MSG_RELEASE] > SCHEDULES / 4);
    assert_true(sum.msgs[SC_MSG_COMPANY] > SCHEDULES / 4);
    assert_true(sum.refused > 0);
    // Who is refused does not ask for the same again and again.
    assert_true(sum.msgs[SC_MSG_RESERVE] < 2 * sum.asked);
}

static void test_clients_that_go_away_are_in_no_cloak(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 10000; seed < 10000 + SCHEDULES; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = schedule_options(seed);
        options.leaving = 0.5;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    assert_true(sum.gone > SCHEDULES);
    assert_true(sum.answered > SCHEDULES / 2);
}

static void test_without_delays_and_failures_all_is_answered_or_dropped(void **state)
{
    (void)state;
    for (uint64_t seed = 20000; seed < 20000 + SCHEDULES / 2; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = schedule_options(seed);
        options.delay_us = 0;
        options.skew_us = 0;
        options.provider_failure = 0;
        const sc_cluster_sim_verdict verdict = schedule_play(&options);
        schedule_check(&verdict);
        assert_int_equal(verdict.answered + verdict.dropped, verdict.asked);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_slow_and_overtaking_messages_break_no_promise),
    SC_CASES(test_clients_that_go_away_are_in_no_cloak),
    SC_CASES(test_without_delays_and_failures_all_is_answered_or_dropped),
};
SC_SUITE(tests)
