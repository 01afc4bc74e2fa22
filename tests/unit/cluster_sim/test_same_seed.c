// A simulated cluster can be played again: the same seed, the same verdict, to the last message.
#include "cluster_sim/cluster_sim.h"

#include "support/check.h"
#include "support/schedule.h"

static sc_cluster_sim_verdict play(uint64_t seed)
{
    sc_cluster_sim_options options = schedule_options(seed);
    options.crashes_per_s = 1.0;
    options.stalls_per_s = 1.0;
    options.loss = 0.1;
    options.doubling = 0.1;
    options.leaving = 0.1;
    return schedule_play(&options);
}

static void test_the_same_seed_gives_the_same_verdict(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        check_case(seed);
        const sc_cluster_sim_verdict once = play(seed);
        const sc_cluster_sim_verdict again = play(seed);
        assert_memory_equal(&once, &again, sizeof once);
    }
    check_case_done();
}

static void test_another_seed_gives_another_verdict(void **state)
{
    (void)state;
    size_t differ = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const sc_cluster_sim_verdict one = play(seed);
        const sc_cluster_sim_verdict other = play(seed + 1);
        differ += memcmp(&one, &other, sizeof one) != 0;
    }
    assert_true(differ > 15);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_same_seed_gives_the_same_verdict),
    cmocka_unit_test(test_another_seed_gives_another_verdict),
};
SC_SUITE(tests)
