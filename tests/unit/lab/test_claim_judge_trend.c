// Claims along an axis: trends, and gaps that widen.
#include "judged.h"

#include <math.h>

// Success of basic along k = 3..9, in percent, with every seed.
static void put_along_k(judged *j, const double percent[7])
{
    for (int i = 0; i < 7; i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            made_result_at(&j->made, TOWN, SC_LAB_AXIS_K, 3 + i, seed)
                ->by_method[SC_LAB_BASIC]
                .cloaked = (uint64_t)lround(100 * percent[i]);
        }
    }
}

static void test_a_trend_needs_its_ends_and_its_ranks(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);

    put_along_k(&j, (const double[]){90, 80, 81, 70, 60, 50, 40});
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "2a", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_HOLDS);
    assert_int_equal(claim->point_count, 6);
    assert_int_equal(claim->agreeing_count, 5);
    CHECK_CLOSE(claim->left, 90, 1e-9);
    CHECK_CLOSE(claim->right, 40, 1e-9);
    CHECK_CLOSE(claim->contradiction, 1, 1e-9);
    CHECK_CONTAINS(claim->found,
                   "90.0 at k = 3, 40.0 at 9 (%); rank correlation -0.90; so in 5 of 6 "
                   "steps; the most against it: 1.00 in one step");

    // The ends agree, the way between them does not: 13 pairs fall, 8 rise.
    put_along_k(&j, (const double[]){70, 60, 90, 50, 80, 65, 40});
    judge(&j);
    check_verdict(claim_of(&j, "2a", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);

    // All but the ends agree.
    put_along_k(&j, (const double[]){80, 90, 85, 75, 70, 60, 80});
    judge(&j);
    check_verdict(claim_of(&j, "2a", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);
    judged_fini(&j);
}

// Success of a method at the last k with each seed, in percent.
static void put_last_k(judged *j, uint32_t map, sc_lab_method method, const double percent[3])
{
    for (uint64_t seed = 1; seed <= 3 && seed <= j->made.options.seed_count; seed++) {
        made_result_at(&j->made, map, SC_LAB_AXIS_K, 9, seed)->by_method[method].cloaked =
            (uint64_t)lround(100 * percent[seed - 1]);
    }
}

static void test_a_trend_needs_ends_that_differ_by_more_than_chance(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // Each mean is below the one before it. But at the last k one seed does it alone.
    put_along_k(&j, (const double[]){90, 89, 88, 87, 86, 85, 0});
    put_last_k(&j, TOWN, SC_LAB_BASIC, (const double[]){40, 95, 92});
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "2a", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_FAILS);
    assert_int_equal(claim->agreeing_count, 6);
    CHECK_CONTAINS(claim->found, "75.7 at 9 (%), no more than chance; rank correlation -1.00");

    put_last_k(&j, TOWN, SC_LAB_BASIC, (const double[]){80, 79, 81});
    judge(&j);
    claim = claim_of(&j, "2a", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_HOLDS);
    assert_null(strstr(claim->found, "chance"));
    judged_fini(&j);
}

static void test_with_one_seed_ends_must_differ_by_two_percent_of_the_larger(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.seed_count = 1;
    made_results_fill(&j.made, as_the_paper_says);
    for (int k = 3; k < 9; k++) {
        made_result_at(&j.made, TOWN, SC_LAB_AXIS_K, k, 1)->by_method[SC_LAB_BASIC].cloaked =
            (uint64_t)(9003 - k);
    }
    put_last_k(&j, TOWN, SC_LAB_BASIC, (const double[3]){88.25});
    judge(&j);
    check_verdict(claim_of(&j, "2a", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);
    CHECK_CONTAINS(claim_of(&j, "2a", TOWN, SC_LAB_BASIC)->found, "no more than chance");
    put_last_k(&j, TOWN, SC_LAB_BASIC, (const double[3]){88.15});
    judge(&j);
    check_verdict(claim_of(&j, "2a", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    judged_fini(&j);
}

static void test_a_gap_must_widen_by_more_than_chance(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // The gap at the largest tolerance comes from one seed of three.
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sc_lab_measure *methods =
            made_result_at(&j.made, TOWN, SC_LAB_AXIS_SIGMA_S, 6, seed)->by_method;
        methods[SC_LAB_BOUNDED].provider_cpu_us =
            methods[SC_LAB_BASIC].provider_cpu_us - (seed == 1 ? 290 : 5);
    }
    judge(&j);
    check_verdict(claim_of(&j, "6c", TOWN, SC_LAB_BOUNDED), SC_LAB_FAILS);
    CHECK_CONTAINS(claim_of(&j, "6c", TOWN, SC_LAB_BOUNDED)->found, "no more than chance");
    check_verdict(claim_of(&j, "6c", TOWN, SC_LAB_STRICT), SC_LAB_HOLDS);
    judged_fini(&j);
}

static void test_a_trend_goes_over_what_has_a_number(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // Candidates need cloaks: with none at nearest = 2 and 20, the trend has three values left.
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (int end = 0; end < 2; end++) {
            made_result_at(&j.made, TOWN, SC_LAB_AXIS_NEAREST, end ? 20 : 2, seed)
                ->by_method[SC_LAB_BASIC]
                .evaluated_queries = 0;
        }
    }
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "7d", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_HOLDS);
    assert_int_equal(claim->point_count, 2);
    CHECK_CONTAINS(claim->found, "at k of k-NN = 5");
    CHECK_CONTAINS(claim->found, "at 15 (");
    judged_fini(&j);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_trend_needs_its_ends_and_its_ranks),
    cmocka_unit_test(test_a_trend_needs_ends_that_differ_by_more_than_chance),
    cmocka_unit_test(test_with_one_seed_ends_must_differ_by_two_percent_of_the_larger),
    cmocka_unit_test(test_a_gap_must_widen_by_more_than_chance),
    cmocka_unit_test(test_a_trend_goes_over_what_has_a_number),
};
SC_SUITE(tests)
