// The commit with clocks that differ by far more than the guard, gateways that are cut off,
// messages that are lost and processes that stand still. No query is published twice, whatever
// clocks show; and where gateways know that their clocks differ, no other promise is broken either.
#include "cluster_sim/cluster_sim.h"

#include "support/check.h"
#include "support/schedule.h"

enum { SCHEDULES = 600 };

/** Every second gateway is 8 s ahead, and each may be cut off for as long. */
static sc_cluster_sim_options options_of(uint64_t seed)
{
    sc_cluster_sim_options options = schedule_options(seed);
    options.max_pending = 64;
    options.ahead_us = 8000000;
    options.loss = 0.05 * (double)(seed % 3);
    options.doubling = 0.1;
    options.stalls_per_s = 0.1 * (double)(seed % 4);
    options.cuts_per_s = 0.5;
    options.down_us = 8000000;
    options.provider_failure = 0;
    return options;
}

static void test_no_query_is_published_twice_whatever_clocks_show(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 0; seed < SCHEDULES; seed++) {
        check_case(seed);
        sc_cluster_sim_options options = options_of(seed);
        options.is_skew_hidden = true;
        const sc_cluster_sim_verdict verdict = schedule_play_long(&options);
        assert_int_equal(verdict.twice, 0);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    // Cloaks of gateways whose clocks differ do leave here, and R is asked about them.
    assert_true(sum.msgs[SC_MSG_RELEASE] > SCHEDULES);
    assert_true(sum.msgs[SC_MSG_ASK] > SCHEDULES);
    assert_true(sum.answered > sum.asked / 4);
}

static void test_clocks_that_are_known_to_differ_break_no_promise(void **state)
{
    (void)state;
    sc_cluster_sim_verdict sum = {0};
    for (uint64_t seed = 10000; seed < 10000 + SCHEDULES / 2; seed++) {
        check_case(seed);
        const sc_cluster_sim_options options = options_of(seed);
        const sc_cluster_sim_verdict verdict = schedule_play_long(&options);
        schedule_check(&verdict);
        schedule_sum(&sum, &verdict);
    }
    check_case_done();
    // Each gateway's queries are cloaked by themselves.
    assert_true(sum.answered > sum.asked / 4);
    // Put off, and not proposed again and again.
    assert_true(sum.msgs[SC_MSG_RESERVE] < 6 * sum.asked);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_no_query_is_published_twice_whatever_clocks_show),
    SC_CASES(test_clocks_that_are_known_to_differ_break_no_promise),
};
SC_SUITE(tests)
