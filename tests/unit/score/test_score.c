// A belief and the truth: probabilities, ranks, and means over strangers.
#include "score/score.h"

#include "base/rng.h"
#include "support/check.h"

/** Segments 10, 11, ... with these linkabilities. */
static sc_posterior belief(sc_link *links, const double *linkabilities, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        links[i] = (sc_link){.segment = (sc_seg_id)(10 + i), .linkability = linkabilities[i]};
    }
    return (sc_posterior){.links = links, .link_count = count};
}

static void check_score(sc_score score, double probability, double rank)
{
    CHECK_SAME(score.probability, probability);
    CHECK_SAME(score.rank, rank);
}

static void test_the_likeliest_segment_has_rank_one(void **state)
{
    (void)state;
    sc_link links[3];
    const sc_posterior posterior = belief(links, (double[]){0.25, 0.625, 0.125}, 3);
    check_score(sc_score_of(&posterior, 11), 0.625, 1);
    check_score(sc_score_of(&posterior, 10), 0.25, 2);
    check_score(sc_score_of(&posterior, 12), 0.125, 3);
}

static void test_equals_have_the_mean_of_their_ranks(void **state)
{
    (void)state;
    sc_link links[6];
    const double linkabilities[] = {0.125, 0.5, 0.125, 0.125, 0, 0.125};
    const sc_posterior posterior = belief(links, linkabilities, 6);
    check_score(sc_score_of(&posterior, 11), 0.5, 1);
    check_score(sc_score_of(&posterior, 10), 0.125, 3.5);
    check_score(sc_score_of(&posterior, 12), 0.125, 3.5);
    check_score(sc_score_of(&posterior, 15), 0.125, 3.5);
    check_score(sc_score_of(&posterior, 14), 0, 6);
}

static void test_who_knows_nothing_gives_the_middle_rank_to_all(void **state)
{
    (void)state;
    sc_link links[4];
    const sc_posterior posterior = belief(links, (double[]){0.25, 0.25, 0.25, 0.25}, 4);
    for (sc_seg_id truth = 10; truth < 14; truth++) {
        check_score(sc_score_of(&posterior, truth), 0.25, 2.5);
    }
}

static void test_a_truth_without_belief_has_nothing_and_the_last_rank(void **state)
{
    (void)state;
    sc_link links[3];
    const sc_posterior posterior = belief(links, (double[]){0.25, 0.625, 0.125}, 3);
    check_score(sc_score_of(&posterior, 9), 0, 3);
    check_score(sc_score_of(&posterior, SC_NONE), 0, 3);
}

// However many are equal, the ranks of n segments sum to 1 + 2 + ... + n.
static void test_ranks_always_sum_to_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_link links[12];
        double linkabilities[12];
        const uint32_t count = 1 + sc_rng_below(&rng, 12);
        for (uint32_t i = 0; i < count; i++) {
            linkabilities[i] = sc_rng_below(&rng, 4) / 8.0;
        }
        const sc_posterior posterior = belief(links, linkabilities, count);
        double sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            sum += sc_score_of(&posterior, 10 + i).rank;
        }
        CHECK_SAME(sum, count * (count + 1) / 2.0);
    }
    check_case_done();
}

static void test_a_case_scores_the_mean_of_its_strangers_alone(void **state)
{
    (void)state;
    sc_link links[4];
    const sc_posterior posterior = belief(links, (double[]){0.5, 0.25, 0.125, 0.125}, 4);
    const sc_case_member members[] = {
        {.segment = 10}, {.segment = 10, .is_injected = true},
        {.segment = 12}, {.segment = 11, .is_injected = true},
        {.segment = 11}, {.segment = 99},
    };
    const sc_case one = {.members = members, .member_count = 6};
    // Ranks 1, 3.5, 2 and the last, 4.
    check_score(sc_score_case(&posterior, &one), (0.5 + 0.125 + 0.25 + 0) / 4, 10.5 / 4);
}

static void test_a_belief_expects_of_the_truth_the_sum_of_its_squares(void **state)
{
    (void)state;
    sc_link links[4];
    const sc_posterior some = belief(links, (double[]){0.5, 0.25, 0.25, 0}, 4);
    CHECK_SAME(sc_expected_probability(&some), 0.375);
    const sc_posterior sure = belief(links, (double[]){0, 1}, 2);
    CHECK_SAME(sc_expected_probability(&sure), 1);
    const sc_posterior none = belief(links, (double[]){0.25, 0.25, 0.25, 0.25}, 4);
    CHECK_SAME(sc_expected_probability(&none), 0.25);
}

// If each segment is the true one as often as it is believed to be, that is what comes out.
static void test_what_is_expected_is_the_mean_score_of_a_right_belief(void **state)
{
    (void)state;
    sc_link links[5];
    const sc_posterior posterior = belief(links, (double[]){0.125, 0.5, 0.0625, 0.25, 0.0625}, 5);
    double mean = 0;
    for (size_t i = 0; i < 5; i++) {
        mean += links[i].linkability * sc_score_of(&posterior, links[i].segment).probability;
    }
    CHECK_SAME(sc_expected_probability(&posterior), mean);
}

static void test_a_case_without_strangers_scores_nothing(void **state)
{
    (void)state;
    sc_link links[1];
    const sc_posterior posterior = belief(links, (double[]){1}, 1);
    const sc_case_member own = {.segment = 10, .is_injected = true};
    const sc_case one = {.members = &own, .member_count = 1};
    check_score(sc_score_case(&posterior, &one), 0, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_likeliest_segment_has_rank_one),
    cmocka_unit_test(test_equals_have_the_mean_of_their_ranks),
    cmocka_unit_test(test_who_knows_nothing_gives_the_middle_rank_to_all),
    cmocka_unit_test(test_a_truth_without_belief_has_nothing_and_the_last_rank),
    SC_CASES(test_ranks_always_sum_to_the_same),
    cmocka_unit_test(test_a_case_scores_the_mean_of_its_strangers_alone),
    cmocka_unit_test(test_a_belief_expects_of_the_truth_the_sum_of_its_squares),
    cmocka_unit_test(test_what_is_expected_is_the_mean_score_of_a_right_belief),
    cmocka_unit_test(test_a_case_without_strangers_scores_nothing),
};
SC_SUITE(tests)
