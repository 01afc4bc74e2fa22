// Claims about the two ends of an axis: losses, gains, nothing at all, and two maps.
#include "judged.h"

#include "support/sketch.h"

#include <math.h>

static void test_a_loss_is_told_in_percentage_points(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "3c", TOWN, SC_LAB_HYBRID);
    CHECK_CLOSE(claim->left, 8, 1e-9);
    CHECK_CLOSE(claim->right, 20, 1e-9);
    assert_string_equal(claim->found, "from σs = 6 to 2 hybrid loses 8.00 percentage points, XStar "
                                      "20.0 (12.0 more)");
    judged_fini(&j);
}

static void test_a_loss_must_be_less_by_more_than_chance(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // XStar loses 36 points more than hybrid with one seed, and none with the others.
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const sc_lab_result *widest = made_result_at(&j.made, TOWN, SC_LAB_AXIS_SIGMA_S, 6, seed);
        sc_lab_result *least = made_result_at(&j.made, TOWN, SC_LAB_AXIS_SIGMA_S, 2, seed);
        const uint64_t lost =
            widest->by_method[SC_LAB_HYBRID].cloaked - least->by_method[SC_LAB_HYBRID].cloaked;
        least->by_method[SC_LAB_XSTAR].cloaked =
            widest->by_method[SC_LAB_XSTAR].cloaked - lost - (seed == 1 ? 3600 : 0);
    }
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "3c", TOWN, SC_LAB_HYBRID);
    CHECK_CLOSE(claim->right - claim->left, 12, 1e-9);
    check_verdict(claim, SC_LAB_FAILS);
    CHECK_CONTAINS(claim->found, "(12.0 more, no more than chance)");
    judged_fini(&j);
}

static void test_falling_faster_must_be_more_than_chance(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    // In the country success falls by 15 points on average: by 35 with one seed, by 5 with the
    // others. In town it falls by 6 with all.
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const uint64_t first = made_result_at(&j.made, COUNTRY, SC_LAB_AXIS_K, 3, seed)
                                   ->by_method[SC_LAB_BASIC]
                                   .cloaked;
        made_result_at(&j.made, COUNTRY, SC_LAB_AXIS_K, 9, seed)->by_method[SC_LAB_BASIC].cloaked =
            first - (seed == 1 ? 3500 : 500);
    }
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "2c", SC_NONE, SC_LAB_BASIC);
    CHECK_CLOSE(claim->left, 15, 1e-9);
    CHECK_CLOSE(claim->right, 6, 1e-9);
    check_verdict(claim, SC_LAB_FAILS);
    CHECK_CONTAINS(claim->found, "9.00 more, no more than chance");
    check_verdict(claim_of(&j, "2c", SC_NONE, SC_LAB_HYBRID), SC_LAB_HOLDS);
    judged_fini(&j);
}

static void test_with_one_seed_losses_must_differ_by_two_percent_of_success(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.seed_count = 1;
    made_results_fill(&j.made, as_the_paper_says);
    // Of 80 %, which is the largest of all four ends: 1.6 points.
    sc_lab_measure *widest = made_result_at(&j.made, TOWN, SC_LAB_AXIS_SIGMA_S, 6, 1)->by_method;
    sc_lab_measure *least = made_result_at(&j.made, TOWN, SC_LAB_AXIS_SIGMA_S, 2, 1)->by_method;
    widest[SC_LAB_BASIC].cloaked = 8000;
    least[SC_LAB_BASIC].cloaked = 7000;
    widest[SC_LAB_XSTAR].cloaked = 3000;
    least[SC_LAB_XSTAR].cloaked = 3000 - 1000 - 155;
    judge(&j);
    check_verdict(claim_of(&j, "3c", TOWN, SC_LAB_BASIC), SC_LAB_FAILS);
    least[SC_LAB_XSTAR].cloaked -= 10;
    judge(&j);
    check_verdict(claim_of(&j, "3c", TOWN, SC_LAB_BASIC), SC_LAB_HOLDS);
    judged_fini(&j);
}

static void test_the_sparser_map_has_fewer_travellers_per_star(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "2c", SC_NONE, SC_LAB_BASIC);
    CHECK_CLOSE(claim->left, 15, 1e-9);
    CHECK_CLOSE(claim->right, 6, 1e-9);
    CHECK_CONTAINS(claim->found, "falls by 15.0 percentage points on country (");
    CHECK_CONTAINS(claim->found, "by 6.00 on town (");

    // Unless many more travel there than elsewhere.
    for (size_t i = 0; i < j.made.results.count; i++) {
        if (j.made.all[i].point.map == COUNTRY) j.made.all[i].travellers *= 1000;
    }
    judge(&j);
    claim = claim_of(&j, "2c", SC_NONE, SC_LAB_BASIC);
    check_verdict(claim, SC_LAB_FAILS);
    CHECK_CONTAINS(claim->found, "falls by 6.00 percentage points on town (");

    // A third map has more stars than both, but recorded movement: it is not taken.
    int some_traces = 0;
    const sc_traces *recorded = (const sc_traces *)&some_traces;
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 12, 12);
    sc_map *large = sketch_map(&grid);
    sketch_free(&grid);
    j.made.options.map_count = 3;
    j.made.options.maps[2] = (sc_lab_map){.name = "recorded", .map = large, .traces = recorded};
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    CHECK_CONTAINS(claim_of(&j, "2c", SC_NONE, SC_LAB_BASIC)->found, "on country (");

    // Unless there are no two others.
    j.made.options.map_count = 2;
    j.made.options.maps[1] = j.made.options.maps[2];
    judge(&j);
    CHECK_CONTAINS(claim_of(&j, "2c", SC_NONE, SC_LAB_BASIC)->found, "on recorded (");
    sc_map_free(large);
    judged_fini(&j);
}

// Entropy of a method at one end of an axis with the seeds 1, 2 and 3.
static void put_entropy(judged *j, sc_lab_axis axis, double value, sc_lab_method method,
                        const double by_seed[3])
{
    for (unsigned i = 0; i < 3 && i < j->made.options.seed_count; i++) {
        made_result_at(&j->made, TOWN, axis, value, i + 1)->by_method[method].entropy = by_seed[i];
    }
}

static void test_a_gain_is_told_beside_that_of_the_other(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "8f", TOWN, SC_LAB_HYBRID);
    check_verdict(claim, SC_LAB_HOLDS);
    CHECK_CLOSE(claim->left, 6 * 0.009, 1e-9);
    CHECK_CLOSE(claim->right, 6 * 0.004, 1e-9);
    assert_string_equal(claim->found,
                        "from k = 3 to 9 hybrid rises by 0.054 of log2 |S|, StarCloak "
                        "by 0.024 (0.030 more)");
    judged_fini(&j);
}

static void test_a_gain_must_be_more_than_the_others_by_more_than_chance(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    const double same[] = {0.8, 0.8, 0.8};
    put_entropy(&j, SC_LAB_AXIS_K, 3, SC_LAB_BASIC, same);
    put_entropy(&j, SC_LAB_AXIS_K, 9, SC_LAB_BASIC, same);
    put_entropy(&j, SC_LAB_AXIS_K, 3, SC_LAB_HYBRID, same);
    // More by 0.05 on average, but one seed does it alone.
    put_entropy(&j, SC_LAB_AXIS_K, 9, SC_LAB_HYBRID, (const double[]){0.95, 0.8, 0.8});
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "8f", TOWN, SC_LAB_HYBRID);
    check_verdict(claim, SC_LAB_FAILS);
    assert_int_equal(claim->agreeing_count, 1);
    CHECK_CONTAINS(claim->found, "(0.050 more, no more than chance)");

    put_entropy(&j, SC_LAB_AXIS_K, 9, SC_LAB_HYBRID, (const double[]){0.84, 0.85, 0.86});
    judge(&j);
    check_verdict(claim_of(&j, "8f", TOWN, SC_LAB_HYBRID), SC_LAB_HOLDS);

    // Less is less, and not by chance.
    put_entropy(&j, SC_LAB_AXIS_K, 9, SC_LAB_HYBRID, (const double[]){0.76, 0.75, 0.74});
    judge(&j);
    claim = claim_of(&j, "8f", TOWN, SC_LAB_HYBRID);
    check_verdict(claim, SC_LAB_FAILS);
    CHECK_CLOSE(claim->contradiction, 0.05, 1e-9);
    CHECK_CONTAINS(claim->found, "hybrid rises by -0.050 of log2 |S|, StarCloak by 0.00 (0.050 "
                                 "less)");
    judged_fini(&j);
}

static void test_with_one_seed_gains_must_differ_by_two_percent_of_the_largest(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.seed_count = 1;
    made_results_fill(&j.made, as_the_paper_says);
    // The largest of all four is 0.9: 0.018.
    put_entropy(&j, SC_LAB_AXIS_K, 3, SC_LAB_BASIC, (const double[3]){0.89});
    put_entropy(&j, SC_LAB_AXIS_K, 9, SC_LAB_BASIC, (const double[3]){0.9});
    put_entropy(&j, SC_LAB_AXIS_K, 3, SC_LAB_BOUNDED, (const double[3]){0.7});
    put_entropy(&j, SC_LAB_AXIS_K, 9, SC_LAB_BOUNDED, (const double[3]){0.7 + 0.01 + 0.0175});
    judge(&j);
    check_verdict(claim_of(&j, "8f", TOWN, SC_LAB_BOUNDED), SC_LAB_FAILS);
    put_entropy(&j, SC_LAB_AXIS_K, 9, SC_LAB_BOUNDED, (const double[3]){0.7 + 0.01 + 0.0185});
    judge(&j);
    check_verdict(claim_of(&j, "8f", TOWN, SC_LAB_BOUNDED), SC_LAB_HOLDS);
    judged_fini(&j);
}

static void test_steady_allows_chance_and_two_percent(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    const double before[] = {0.9, 0.9, 0.9};
    put_entropy(&j, SC_LAB_AXIS_INJECTED, 0, SC_LAB_SAMPLING, before);

    // Surely less, but by hardly anything: 1.7 % of the larger.
    put_entropy(&j, SC_LAB_AXIS_INJECTED, 6, SC_LAB_SAMPLING,
                (const double[]){0.885, 0.885, 0.885});
    judge(&j);
    const sc_lab_claim *claim = claim_of(&j, "8i", TOWN, SC_LAB_SAMPLING);
    check_verdict(claim, SC_LAB_HOLDS);
    CHECK_SAME(claim->contradiction, 0);
    assert_string_equal(claim->found, "0.900 at injected queries = 0, 0.885 at 6 (of log2 |S|), a "
                                      "change of -1.67 %");

    // Much less on average, but one seed does it alone.
    put_entropy(&j, SC_LAB_AXIS_INJECTED, 6, SC_LAB_SAMPLING, (const double[]){0.6, 0.9, 0.9});
    judge(&j);
    claim = claim_of(&j, "8i", TOWN, SC_LAB_SAMPLING);
    check_verdict(claim, SC_LAB_HOLDS);
    CHECK_CONTAINS(claim->found, "a change of -11.1 %, no more than chance");

    // Neither; up or down.
    put_entropy(&j, SC_LAB_AXIS_INJECTED, 6, SC_LAB_SAMPLING, (const double[]){0.87, 0.87, 0.88});
    judge(&j);
    claim = claim_of(&j, "8i", TOWN, SC_LAB_SAMPLING);
    check_verdict(claim, SC_LAB_FAILS);
    CHECK_CLOSE(claim->contradiction, 0.08 / 3, 1e-9);
    put_entropy(&j, SC_LAB_AXIS_INJECTED, 6, SC_LAB_SAMPLING, (const double[]){0.93, 0.93, 0.92});
    judge(&j);
    check_verdict(claim_of(&j, "8i", TOWN, SC_LAB_SAMPLING), SC_LAB_FAILS);
    // The other baseline is judged by itself.
    check_verdict(claim_of(&j, "8i", TOWN, SC_LAB_EXPANSION), SC_LAB_HOLDS);
    judged_fini(&j);
}

static void test_with_one_seed_steady_is_two_percent(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    j.made.options.seed_count = 1;
    made_results_fill(&j.made, as_the_paper_says);
    put_entropy(&j, SC_LAB_AXIS_INJECTED, 0, SC_LAB_SAMPLING, (const double[3]){0.9});
    put_entropy(&j, SC_LAB_AXIS_INJECTED, 6, SC_LAB_SAMPLING, (const double[3]){0.883});
    judge(&j);
    check_verdict(claim_of(&j, "8i", TOWN, SC_LAB_SAMPLING), SC_LAB_HOLDS);
    put_entropy(&j, SC_LAB_AXIS_INJECTED, 6, SC_LAB_SAMPLING, (const double[3]){0.881});
    judge(&j);
    check_verdict(claim_of(&j, "8i", TOWN, SC_LAB_SAMPLING), SC_LAB_FAILS);
    judged_fini(&j);
}

static void test_an_end_without_numbers_cannot_be_told(void **state)
{
    (void)state;
    judged j;
    judged_init(&j);
    made_results_fill(&j.made, as_the_paper_says);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sc_lab_measure *ends[] = {
            made_result_at(&j.made, TOWN, SC_LAB_AXIS_K, 9, seed)->by_method,
            made_result_at(&j.made, TOWN, SC_LAB_AXIS_INJECTED, 6, seed)->by_method,
        };
        ends[0][SC_LAB_STRICT].attacked_cloaks = 0;
        ends[1][SC_LAB_EXPANSION].attacked_cloaks = 0;
    }
    judge(&j);
    const sc_lab_claim *gains = claim_of(&j, "8f", TOWN, SC_LAB_STRICT);
    check_verdict(gains, SC_LAB_UNTOLD);
    assert_true(isnan(gains->left) && isnan(gains->right));
    check_verdict(claim_of(&j, "8f", TOWN, SC_LAB_BOUNDED), SC_LAB_HOLDS);
    check_verdict(claim_of(&j, "8i", TOWN, SC_LAB_EXPANSION), SC_LAB_UNTOLD);
    check_verdict(claim_of(&j, "8i", TOWN, SC_LAB_SAMPLING), SC_LAB_HOLDS);
    judged_fini(&j);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_loss_is_told_in_percentage_points),
    cmocka_unit_test(test_a_loss_must_be_less_by_more_than_chance),
    cmocka_unit_test(test_falling_faster_must_be_more_than_chance),
    cmocka_unit_test(test_with_one_seed_losses_must_differ_by_two_percent_of_success),
    cmocka_unit_test(test_the_sparser_map_has_fewer_travellers_per_star),
    cmocka_unit_test(test_a_gain_is_told_beside_that_of_the_other),
    cmocka_unit_test(test_a_gain_must_be_more_than_the_others_by_more_than_chance),
    cmocka_unit_test(test_with_one_seed_gains_must_differ_by_two_percent_of_the_largest),
    cmocka_unit_test(test_steady_allows_chance_and_two_percent),
    cmocka_unit_test(test_with_one_seed_steady_is_two_percent),
    cmocka_unit_test(test_an_end_without_numbers_cannot_be_told),
};
SC_SUITE(tests)
