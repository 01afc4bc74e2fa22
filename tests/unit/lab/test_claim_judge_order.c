// Claims about one method against others: all points, and what chance may do to them.
#include "judged.h"

#include <math.h>

static void put_success(judged *j, double k, uint64_t seed, uint64_t basic, uint64_t hybrid)
{
    sc_lab_result *result = made_result_at(&j->made, TOWN, SC_LAB_AXIS_K, k, seed);
    result->by_method[SC_LAB_BASIC].cloaked = basic;
    result->by_method[SC_LAB_HYBRID].cloaked = hybrid;
}

static void test_an_order_compares_all_points_each_once(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "1a", TOWN, SC_LAB_BASIC);
    // 7, 5, 5 and 4 values on four axes, which meet in one point.
    assert_int_equal(claim->point_count, 7 + 5 + 5 + 4 - 3);
    assert_int_equal(claim->agreeing_count, claim->point_count);
    CHECK_CLOSE(claim->left - claim->right, 2, 1e-9);
    CHECK_SAME(claim->contradiction, 0);
    assert_string_equal(claim->who, "StarCloak against hybrid");
    CHECK_CONTAINS(claim->found, "so at 18 of 18 points");
    judged_fini(&j);
}

static void test_one_significant_point_contradicts_an_order(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // At k = 9 hybrid is ahead by 0.1 to 0.12 points with every seed: little, but no chance.
    put_success(&j, 9, 1, 6000, 6010);
    put_success(&j, 9, 2, 5000, 5011);
    put_success(&j, 9, 3, 7000, 7012);
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "1a", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_FAILS);
    assert_int_equal(claim->agreeing_count, 17);
    CHECK_CLOSE(claim->contradiction, 0.11, 1e-9);
    CHECK_CONTAINS(claim->found, "so at 17 of 18 points; the most against it: 0.110 at k = 9, more "
                                 "than chance");
    judged_fini(&j);
}

static void test_a_point_that_scatters_does_not_contradict_an_order(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // Hybrid is ahead by 3 points on average, but behind with the last seed.
    put_success(&j, 9, 1, 6000, 6500);
    put_success(&j, 9, 2, 6000, 6500);
    put_success(&j, 9, 3, 6000, 5900);
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "1a", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_HOLDS);
    CHECK_CLOSE(claim->contradiction, 3, 1e-9);
    CHECK_CONTAINS(claim->found, "3.00 at k = 9");
    judged_fini(&j);
}

static void test_with_one_seed_two_percent_are_chance(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.seed_count = 1;
    made_results_fill(&j.made, as_the_paper_says);
    put_success(&j, 9, 1, 5900, 6000);
    judge(&j);
    check_verdict(claim_of(&j, "1a", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    put_success(&j, 9, 1, 5870, 6000);
    judge(&j);
    check_verdict(claim_of(&j, "1a", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);
    judged_fini(&j);
}

static void test_equal_is_enough_for_at_least(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    for (size_t i = 0; i < j.made.results.count; i++) {
        success_is_the_same_everywhere(&j.made.all[i]);
    }
    judge(&j);
    check_verdict(claim_of(&j, "1a", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    check_verdict(claim_of(&j, "1b", TOWN, SC_LAB_STRICT), SC_LAB_HOLDS);
    check_verdict(claim_of(&j, "1c", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);
    judged_fini(&j);
}

/** Hybrid is ahead by so many queries of 10,000 at every point, with the seeds 1, 2 and 3. */
static void put_hybrid_ahead(judged *j, const int by_seed[3])
{
    for (size_t i = 0; i < j->made.results.count; i++) {
        sc_lab_result *r = &j->made.all[i];
        const int cloaked = 5000 + by_seed[r->point.seed - 1];
        r->by_method[SC_LAB_BASIC].cloaked = 5000;
        r->by_method[SC_LAB_HYBRID].cloaked = (uint64_t)cloaked;
    }
}

static void test_at_least_is_not_contradicted_by_means_that_differ_by_chance(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // On the whole hybrid is ahead, by less than it scatters.
    put_hybrid_ahead(&j, (const int[]){150, -140, 20});
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "1a", TOWN, SC_LAB_BASIC);
    assert_true(claim->left < claim->right);
    check_verdict(claim, SC_LAB_HOLDS);
    // A point that differs by chance agrees.
    CHECK_CONTAINS(claim->found, ", which may be chance; so at 18 of 18 points");
    // Each point scatters as before, but all of them together do not.
    put_hybrid_ahead(&j, (const int[]){200, -60, 10});
    judge(&j);
    claim = claim_of(&j, "1a", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_FAILS);
    assert_null(strstr(claim->found, "chance"));
    judged_fini(&j);
}

static void test_chance_does_not_help_a_claim_of_more(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    put_hybrid_ahead(&j, (const int[]){150, -140, 20});
    for (size_t i = 0; i < j.made.results.count; i++) {
        sc_lab_measure *methods = j.made.all[i].by_method;
        methods[SC_LAB_XSTAR].cloaked = methods[SC_LAB_HYBRID].cloaked;
    }
    judge(&j);
    check_verdict(claim_of(&j, "1c", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);
    judged_fini(&j);
}

static void test_an_order_needs_more_than_half_of_the_points(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // Far ahead where k is 7, 8 or 9, which makes up for all other points. There XStar is ahead,
    // though nowhere by more than chance.
    static const uint64_t by_seed[] = {5150, 4860, 5020};
    for (size_t i = 0; i < j.made.results.count; i++) {
        sc_lab_result *r = &j.made.all[i];
        if (r->point.mean[SC_LAB_AXIS_K] >= 7) continue;
        r->by_method[SC_LAB_BASIC].cloaked = 5000;
        r->by_method[SC_LAB_XSTAR].cloaked = by_seed[r->point.seed - 1];
    }
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "1c", TOWN, SC_LAB_BASIC);
    assert_true(claim->left > claim->right);
    assert_int_equal(claim->agreeing_count, 3);
    assert_null(strstr(claim->found, "more than chance"));
    check_verdict(claim, SC_LAB_FAILS);

    // Half of them is not enough, one more is.
    for (size_t i = 0; i < j.made.results.count; i++) {
        sc_lab_result *r = &j.made.all[i];
        const double *mean = r->point.mean;
        if (mean[SC_LAB_AXIS_K] != 5 || mean[SC_LAB_AXIS_L] > 7 || mean[SC_LAB_AXIS_SIGMA_S] != 4) {
            r->by_method[SC_LAB_XSTAR].cloaked = 4000;
            r->by_method[SC_LAB_BASIC].cloaked = 5000;
        }
    }
    // All but the default of k, the two largest of l, and all but the default of sigma_s: 12 of 18.
    judge(&j);
    claim = claim_of(&j, "1c", TOWN, SC_LAB_BASIC);
    assert_int_equal(claim->agreeing_count, 12);
    check_verdict(claim, SC_LAB_HOLDS);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (int k = 7; k <= 9; k++) {
            made_result_at(&j.made, TOWN, SC_LAB_AXIS_K, k, seed)->by_method[SC_LAB_XSTAR].cloaked =
                by_seed[seed - 1];
        }
    }
    judge(&j);
    claim = claim_of(&j, "1c", TOWN, SC_LAB_BASIC);
    assert_int_equal(claim->agreeing_count, 9);
    assert_true(claim->left > claim->right);
    check_verdict(claim, SC_LAB_FAILS);
    judged_fini(&j);
}

static void test_with_one_seed_half_a_percent_of_the_means_is_chance(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.seed_count = 1;
    made_results_fill(&j.made, as_the_paper_says);
    put_hybrid_ahead(&j, (const int[3]){24});
    judge(&j);
    check_verdict(claim_of(&j, "1a", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    put_hybrid_ahead(&j, (const int[3]){27});
    judge(&j);
    check_verdict(claim_of(&j, "1a", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);
    judged_fini(&j);
}

static void test_often_means_at_more_than_half_of_the_points(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // Not the highest for k below 9 and l below 7 on the k and l axes: 6 + 1 points (k = 5 and
    // l = 5 are the default); two of sigma_s make it 9 of 18.
    for (size_t i = 0; i < j.made.results.count; i++) {
        sc_lab_result *r = &j.made.all[i];
        const double *mean = r->point.mean;
        const bool is_low = (mean[SC_LAB_AXIS_K] != 5 && mean[SC_LAB_AXIS_K] < 9) ||
                            mean[SC_LAB_AXIS_L] == 3 || mean[SC_LAB_AXIS_SIGMA_S] < 4;
        if (is_low) r->by_method[SC_LAB_XSTAR].wait_s = 1;
    }
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "5c", TOWN, SC_LAB_XSTAR);
    assert_int_equal(claim->point_count, 18);
    assert_int_equal(claim->agreeing_count, 10);
    check_verdict(claim, SC_LAB_HOLDS);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        made_result_at(&j.made, TOWN, SC_LAB_AXIS_K, 9, seed)->by_method[SC_LAB_XSTAR].wait_s = 1;
    }
    judge(&j);
    claim = claim_of(&j, "5c", TOWN, SC_LAB_XSTAR);
    assert_int_equal(claim->agreeing_count, 9);
    check_verdict(claim, SC_LAB_FAILS);
    judged_fini(&j);
}

static void test_a_factor_is_the_geometric_mean_of_paired_ratios(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    for (size_t i = 0; i < j.made.results.count; i++) {
        sc_lab_result *r = &j.made.all[i];
        success_is_the_same_everywhere(r);
        r->by_method[SC_LAB_BASIC].cpu_us = 2;
        r->by_method[SC_LAB_SAMPLING].cpu_us = 2 * 4;
        r->by_method[SC_LAB_EXPANSION].cpu_us = 2 * (r->point.mean[SC_LAB_AXIS_K] == 5 ? 5.5 : 11);
    }
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "4a", TOWN, SC_LAB_SAMPLING);
    check_verdict(claim, SC_LAB_FAILS);
    CHECK_CLOSE(claim->left, 4, 1e-9);
    CHECK_CLOSE(claim->contradiction, 1, 1e-9);
    assert_int_equal(claim->agreeing_count, 0);
    claim = claim_of(&j, "4a", TOWN, SC_LAB_EXPANSION);
    check_verdict(claim, SC_LAB_HOLDS);
    // Six of the 18 points have another k than 5.
    CHECK_CLOSE(claim->left, 5.5 * pow(2, 6.0 / 18), 1e-9);
    CHECK_CONTAINS(claim->found, "6.93 times below on the whole, 5.50 to 11.0 at single points");
    judged_fini(&j);
}

// Entropy of basic and of XStar with so many injected queries, with every seed less and less.
static void put_entropies(judged *j, double injected, double basic, double xstar)
{
    for (uint64_t seed = 1; seed <= j->made.options.seed_count; seed++) {
        sc_lab_measure *methods =
            made_result_at(&j->made, TOWN, SC_LAB_AXIS_INJECTED, injected, seed)->by_method;
        methods[SC_LAB_BASIC].entropy = basic - 0.001 * (double)seed;
        methods[SC_LAB_XSTAR].entropy = xstar - 0.002 * (double)seed;
    }
}

static void test_clearly_from_four_on_looks_at_each_value_from_four_on(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // What comes before four does not count.
    put_entropies(&j, 3, 0.5, 0.9);
    put_entropies(&j, 4, 0.9, 0.8);
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "8g", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_HOLDS);
    assert_int_equal(claim->point_count, 3);
    assert_int_equal(claim->agreeing_count, 3);
    CHECK_CONTAINS(claim->found, "of log2 |S|; so by more than chance at 3 of 3 points");
    // But it does among all points.
    check_verdict(claim_of(&j, "8c", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);

    // Ahead on average, but at five by chance: with two of three seeds.
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sc_lab_measure *methods =
            made_result_at(&j.made, TOWN, SC_LAB_AXIS_INJECTED, 5, seed)->by_method;
        methods[SC_LAB_BASIC].entropy = 0.9;
        methods[SC_LAB_XSTAR].entropy = seed == 1 ? 0.91 : 0.85;
    }
    judge(&j);
    claim = claim_of(&j, "8g", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_FAILS);
    assert_int_equal(claim->agreeing_count, 2);
    CHECK_SAME(claim->contradiction, 0);
    check_verdict(claim_of(&j, "8g", TOWN, SC_LAB_HYBRID), SC_LAB_FAILS);
    check_verdict(claim_of(&j, "8g", COUNTRY, SC_LAB_BASIC), SC_LAB_HOLDS);
    judged_fini(&j);
}

static void test_with_one_seed_clearly_is_more_than_two_percent(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.seed_count = 1;
    made_results_fill(&j.made, as_the_paper_says);
    put_entropies(&j, 4, 0.901, 0.885);
    judge(&j);
    check_verdict(claim_of(&j, "8g", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);
    put_entropies(&j, 4, 0.901, 0.883);
    judge(&j);
    check_verdict(claim_of(&j, "8g", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    judged_fini(&j);
}

static void test_without_so_large_values_clearly_from_four_on_is_not_told(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.grids[SC_LAB_AXIS_INJECTED] = (sc_lab_grid){{0, 1, 2, 3}, 4};
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "8g", TOWN, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_UNTOLD);
    CHECK_CONTAINS(claim->found, "no figure with such large values");
    check_verdict(claim_of(&j, "8c", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    judged_fini(&j);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_order_compares_all_points_each_once),
    cmocka_unit_test(test_one_significant_point_contradicts_an_order),
    cmocka_unit_test(test_a_point_that_scatters_does_not_contradict_an_order),
    cmocka_unit_test(test_with_one_seed_two_percent_are_chance),
    cmocka_unit_test(test_equal_is_enough_for_at_least),
    cmocka_unit_test(test_at_least_is_not_contradicted_by_means_that_differ_by_chance),
    cmocka_unit_test(test_chance_does_not_help_a_claim_of_more),
    cmocka_unit_test(test_an_order_needs_more_than_half_of_the_points),
    cmocka_unit_test(test_with_one_seed_half_a_percent_of_the_means_is_chance),
    cmocka_unit_test(test_often_means_at_more_than_half_of_the_points),
    cmocka_unit_test(test_a_factor_is_the_geometric_mean_of_paired_ratios),
    cmocka_unit_test(test_clearly_from_four_on_looks_at_each_value_from_four_on),
    cmocka_unit_test(test_with_one_seed_clearly_is_more_than_two_percent),
    cmocka_unit_test(test_without_so_large_values_clearly_from_four_on_is_not_told),
};
SC_SUITE(tests)
