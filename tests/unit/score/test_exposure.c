// Members one by one: what the rules exclude for each of them, whose true segment is too likely
// then, and intervals of these shares beside numbers worked out by hand.
#include "score/trial.h"

#include "made_run.h"
#include "same_trial.h"

// --- By the rules ----------------------------------------------------------------

static sc_trial_row exclude_by_hand(sc_rule *rule, const made_stage *on, const sc_case *one,
                                    const sc_case_member *member)
{
    sc_trial_row row = {.cloak = one->number, .seen = 1, .members = one->member_count};
    const sc_ruled cloak = {.segments = one->segments,
                            .segment_count = one->segment_count,
                            .stars = one->stars,
                            .star_count = one->star_count,
                            .needs = member->needs};
    sc_left left;
    CHECK_OK(sc_rule_see(rule, &cloak, &left, &row.posterior), NULL);
    row.l = member->needs.l;
    row.possible = left.possible;
    row.bound = row.l < 3 ? 1.0 / row.l : 1.0 / 3;
    row.score = sc_score_of(&row.posterior, member->segment);
    row.expected = sc_expected_probability(&row.posterior);
    row.by_density = sc_density_effective(on->density, one->segments, one->segment_count);
    return row;
}

static void test_every_member_is_looked_for_as_by_hand(void **state)
{
    (void)state;
    made_stage on = made_stage_open();
    sc_density *demanded = NULL;
    CHECK_OK(sc_density_new_uniform(on.map, &demanded), NULL);
    sc_trial_options options = made_options(SC_TRIAL_RULE);
    options.limit = 0;
    options.traffic = 3;
    options.adversary.density = on.density;
    options.demanded = demanded;
    const sc_rule_options rules = {.density = on.density, .demanded = demanded, .traffic = 3};
    sc_rule *rule = NULL;
    CHECK_OK(sc_rule_new(on.map, &rules, &rule, NULL), NULL);
    sc_trial trial = made_trial(on.map, &on.run.record, &options);
    const sc_cases *cases = &on.run.record.cases;
    size_t at = 0;
    for (size_t c = 0; c < cases->count; c++) {
        const sc_case one = sc_cases_at(cases, c);
        for (size_t m = 0; m < one.member_count; m++) {
            sc_trial_row wanted = exclude_by_hand(rule, &on, &one, &one.members[m]);
            assert_true(at < trial.row_count);
            check_same_row(&trial.rows[at++], &wanted);
            // The cloak was made by the rules: of hops, not of traffic.
            assert_true(wanted.possible > 0);
            sc_posterior_fini(&wanted.posterior);
        }
    }
    assert_int_equal(at, trial.row_count);
    assert_int_equal(trial.attacked, cases->count);
    assert_int_equal(trial.choice, cases->count);
    sc_trial_fini(&trial);
    sc_rule_free(rule);
    sc_density_free(demanded);
    made_stage_close(&on);
}

static void test_cloaks_without_stars_are_refused(void **state)
{
    (void)state;
    made_stage on = made_stage_open();
    const sc_case last = sc_cases_at(&on.run.record.cases, on.run.record.cases.count - 1);
    on.run.collector.cases.places[on.run.record.cases.count - 1].star_count = 0;
    assert_true(last.star_count > 0);
    const sc_trial_kind kinds[] = {SC_TRIAL_RULE, SC_TRIAL_TRACKING};
    for (size_t i = 0; i < 2; i++) {
        sc_trial_options options = made_options(kinds[i]);
        options.knows_rules = true;
        sc_trial trial = {.rows = NULL};
        sc_diag diag = {""};
        CHECK_REFUSED(sc_trial_run(on.map, &on.run.record, &options, &trial, &diag), SC_EINVAL,
                      &diag, "cloaks without stars, so the rules cannot be applied");
        sc_trial_fini(&trial);
    }
    made_stage_close(&on);
}

// --- Shares ----------------------------------------------------------------------

enum { ROWS = 100 };

/** Rows in groups of that many; the true segment of the first `likely` of them is. */
static sc_trial_exposure exposure_of(size_t group, size_t likely)
{
    sc_trial_row rows[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = (sc_trial_row){
            .cloak = i / group,
            .seen = 1 + i % 2,
            .l = 4,
            .possible = i < likely ? 3 : 4,
            .bound = 0.25,
            .score = {.probability = i < likely ? 0.6 : 0.25},
        };
    }
    const sc_trial trial = {.rows = rows, .row_count = ROWS};
    return sc_trial_exposure_of(&trial, 0);
}

static void check_share(const sc_trial_share *share, size_t count, double low, double high)
{
    assert_int_equal(share->count, count);
    assert_int_equal(share->all, ROWS);
    CHECK_CLOSE(share->share, (double)count / ROWS, 1e-12);
    CHECK_CLOSE(share->low, low, 5e-4);
    CHECK_CLOSE(share->high, high, 5e-4);
}

// Wilson's interval of 10 of 100 is 5.5 to 17.4 %.
static void test_single_rows_have_wilsons_interval(void **state)
{
    (void)state;
    const sc_trial_exposure got = exposure_of(1, 10);
    check_share(&got.above_half, 10, 0.0552, 0.1744);
    check_share(&got.above_bound, 10, 0.0552, 0.1744);
    check_share(&got.too_few, 10, 0.0552, 0.1744);
    assert_int_equal(got.excluded.count, 0);
}

// Fives that are all alike are worth one row each: two of twenty, or of nineteen, as an estimate of
// the variance has it.
static void test_rows_of_one_cloak_that_are_alike_count_once(void **state)
{
    (void)state;
    const sc_trial_exposure got = exposure_of(5, 10);
    check_share(&got.above_half, 10, 0.0271, 0.3075);
}

// None of twenty independent ones: up to z^2 / (20 + z^2).
static void test_where_no_row_counts_each_group_is_one(void **state)
{
    (void)state;
    const sc_trial_exposure none = exposure_of(5, 0);
    check_share(&none.above_half, 0, 0.0, 0.1611);
    const sc_trial_exposure all = exposure_of(5, ROWS);
    check_share(&all.above_half, ROWS, 1 - 0.1611, 1.0);
}

static void test_rows_are_those_of_one_member_and_one_step(void **state)
{
    (void)state;
    sc_trial_row rows[] = {
        {.traveller = 1, .seen = 1, .l = 2, .possible = 2, .bound = 0.5},
        {.traveller = 1, .seen = 2, .l = 2, .possible = 1, .bound = 0.5},
        {.traveller = 2, .seen = 2, .l = 2, .possible = 2, .bound = 0.5},
        {.cloak = 7, .seen = 1},  // of all members
    };
    rows[1].score.probability = 1;
    rows[2].score.probability = 0.5;
    const sc_trial trial = {.rows = rows, .row_count = 4};
    const sc_trial_exposure all = sc_trial_exposure_of(&trial, 0);
    assert_int_equal(all.above_half.all, 3);
    assert_int_equal(all.above_half.count, 1);
    assert_int_equal(all.excluded.count, 1);
    const sc_trial_exposure second = sc_trial_exposure_of(&trial, 2);
    assert_int_equal(second.too_few.all, 2);
    assert_int_equal(second.too_few.count, 1);
    assert_int_equal(second.excluded.count, 0);
    const sc_trial_exposure none = sc_trial_exposure_of(&trial, 3);
    assert_int_equal(none.above_half.all, 0);
    CHECK_SAME(none.above_half.high, 0.0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_member_is_looked_for_as_by_hand),
    cmocka_unit_test(test_cloaks_without_stars_are_refused),
    cmocka_unit_test(test_single_rows_have_wilsons_interval),
    cmocka_unit_test(test_rows_of_one_cloak_that_are_alike_count_once),
    cmocka_unit_test(test_where_no_row_counts_each_group_is_one),
    cmocka_unit_test(test_rows_are_those_of_one_member_and_one_step),
};
SC_SUITE(tests)
