// Claims along an axis: trends, losses from end to end, and two maps.
#include "judged.h"

#include "support/sketch.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_trend_needs_its_ends_and_its_ranks),
        cmocka_unit_test(test_a_trend_needs_ends_that_differ_by_more_than_chance),
        cmocka_unit_test(test_with_one_seed_ends_must_differ_by_two_percent_of_the_larger),
        cmocka_unit_test(test_a_gap_must_widen_by_more_than_chance),
        cmocka_unit_test(test_a_trend_goes_over_what_has_a_number),
        cmocka_unit_test(test_a_loss_is_told_in_percentage_points),
        cmocka_unit_test(test_a_loss_must_be_less_by_more_than_chance),
        cmocka_unit_test(test_falling_faster_must_be_more_than_chance),
        cmocka_unit_test(test_with_one_seed_losses_must_differ_by_two_percent_of_success),
        cmocka_unit_test(test_the_sparser_map_has_fewer_travellers_per_star),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
