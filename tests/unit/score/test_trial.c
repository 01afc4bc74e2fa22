// A trial beside its parts, called by hand: which cloaks it takes, and what it says of them.
#include "score/trial.h"

#include "made_run.h"
#include "same_trial.h"

// --- By hand -----------------------------------------------------------------------------

static size_t count_own(const sc_case *one)
{
    size_t own = 0;
    for (size_t i = 0; i < one->member_count; i++) {
        own += one->members[i].is_injected;
    }
    return own;
}

/** What must be said of a case that is attacked; the posterior is to be released. */
static sc_trial_row attack_by_hand(const made_stage *on, const sc_trial_options *options,
                                   const sc_case *one)
{
    sc_own_sighting own = {.strangers = NULL};
    sc_adversary *adversary = NULL;
    sc_trial_row row = {.cloak = one->number, .seen = 1, .members = one->member_count};
    CHECK_OK(sc_sighting_init(&own, one), NULL);
    CHECK_OK(sc_adversary_new(on->map, &options->adversary, NULL, &adversary, NULL), NULL);
    if (options->kind == SC_TRIAL_REPLAY) {
        CHECK_OK(sc_adversary_replay(adversary, one->number, &own.sighting, &row.posterior, NULL),
                 NULL);
    } else {
        CHECK_OK(
            sc_adversary_correlate(adversary, one->number, &own.sighting, &row.posterior, NULL),
            NULL);
    }
    row.recognised = count_own(one);
    row.score = sc_score_case(&row.posterior, one);
    row.expected = sc_expected_probability(&row.posterior);
    row.by_density =
        sc_density_effective(options->adversary.density, one->segments, one->segment_count);
    sc_adversary_free(adversary);
    sc_sighting_fini(&own);
    return row;
}

static void check_attacked(const made_stage *on, const sc_trial_options *options,
                           const sc_case *one, const sc_trial_row *got)
{
    sc_trial_row wanted = attack_by_hand(on, options, one);
    check_same_row(got, &wanted);
    sc_posterior_fini(&wanted.posterior);
}

static void test_every_cloak_is_attacked_as_by_hand(void **state)
{
    (void)state;
    const sc_trial_kind kinds[] = {SC_TRIAL_REPLAY, SC_TRIAL_CORRELATION};
    made_stage on = made_stage_open();
    for (size_t k = 0; k < 2; k++) {
        sc_trial_options options = made_options(kinds[k]);
        options.limit = 0;
        options.adversary.density = on.density;
        sc_trial trial = made_trial(on.map, &on.run.record, &options);
        const sc_cases *cases = &on.run.record.cases;
        assert_int_equal(trial.row_count, cases->count);
        assert_int_equal(trial.choice, cases->count);
        assert_int_equal(trial.victims, 0);
        for (size_t i = 0; i < trial.row_count; i++) {
            const sc_case one = sc_cases_at(cases, i);
            check_attacked(&on, &options, &one, &trial.rows[i]);
        }
        const sc_trial_means means = sc_trial_means_of(&trial, 0);
        // Of correlation, some have so few placements that all are tried, and others do not.
        assert_true(kinds[k] == SC_TRIAL_REPLAY ||
                    (means.enumerated > 0 && means.enumerated < means.count));
        assert_true(means.replays > 0);
        sc_trial_fini(&trial);
    }
    made_stage_close(&on);
}

/** Victims and those sent after them, by one method; gives how many of these are recognised. */
static size_t check_victims(const made_stage *on, sc_variant variant)
{
    enum { VICTIMS = 15, SEED = 5 };
    sc_trial_options options = made_options(SC_TRIAL_INJECTION);
    options.limit = VICTIMS;
    options.seed = SEED;
    options.adversary.density = on->density;
    options.adversary.engine.variant = variant;
    options.adversary.engine.max_combinations = sc_variant_cap(variant);
    sc_trial trial = made_trial(on->map, &on->run.record, &options);

    const made_lines *made = &on->run.made;
    sc_injection_options how = options.injection;
    how.victims = VICTIMS;
    how.seed = SEED;
    sc_injection injection = {.lines = NULL};
    sc_case_collector collector = {.asker_count = 0};
    size_t which[VICTIMS];
    CHECK_OK(sc_injection_init(&injection, on->map, made->lines, made->count, &how, NULL), NULL);
    made_listen(on->map, injection.lines, injection.line_count, &options.adversary.engine, SEED,
                &collector);
    const size_t found = sc_injection_find(&injection, &collector.cases, which);
    size_t recognised = 0;
    assert_int_equal(trial.choice, made->count);
    assert_int_equal(trial.victims, VICTIMS);
    assert_int_equal(trial.row_count, found);
    assert_in_range(found, 5, VICTIMS);
    for (size_t i = 0; i < found; i++) {
        const sc_case one = sc_cases_at(&collector.cases, which[i]);
        check_attacked(on, &options, &one, &trial.rows[i]);
        recognised += trial.rows[i].recognised;
    }
    sc_case_collector_fini(&collector);
    sc_injection_fini(&injection);
    sc_trial_fini(&trial);
    return recognised;
}

static void test_victims_are_attacked_as_by_hand(void **state)
{
    (void)state;
    made_stage on = made_stage_open();
    assert_true(check_victims(&on, SC_VARIANT_BASIC) > 4);
    check_victims(&on, SC_VARIANT_EXPANSION);
    made_stage_close(&on);
}

static void check_followed(const made_stage *on, const sc_trial_options *options,
                           sc_tracker *tracker, sc_rule *rule, const sc_trails *trails,
                           size_t trail, const sc_trial_row *rows)
{
    const sc_cases *cases = &on->run.record.cases;
    for (size_t i = 0; i < trails->all[trail].count; i++) {
        const sc_trail_step step = trails->steps[trails->all[trail].first + i];
        const sc_case one = sc_cases_at(cases, step.which);
        sc_trial_row wanted = {.cloak = one.number,
                               .traveller = trail + 1,
                               .seen = i + 1,
                               .members = one.member_count,
                               .by_density = sc_density_effective(options->adversary.density,
                                                                  one.segments, one.segment_count)};
        sc_left left = {.is_left = NULL};
        const sc_ruled ruled = {.segments = one.segments,
                                .segment_count = one.segment_count,
                                .stars = one.stars,
                                .star_count = one.star_count,
                                .needs = one.members[step.member].needs};
        if (rule) CHECK_OK(sc_rule_see(rule, &ruled, &left, NULL), NULL);
        CHECK_OK(
            sc_trail_see(tracker, left.is_left, trails, trail, i, &wanted.posterior, &wanted.score),
            NULL);
        wanted.l = one.members[step.member].needs.l;
        wanted.possible = wanted.posterior.link_count - wanted.posterior.ruled_out;
        wanted.bound = rule && wanted.l < 2 ? 1.0 : 0.5;
        wanted.expected = sc_expected_probability(&wanted.posterior);
        check_same_row(&rows[i], &wanted);
        sc_posterior_fini(&wanted.posterior);
    }
}

static void check_all_followed(const made_stage *on, const sc_trial_options *options,
                               sc_tracker *tracker, sc_rule *rule, const sc_trails *trails,
                               const sc_trial *trial)
{
    size_t checked = 0;
    for (size_t i = 0; i < options->limit; i++) {
        assert_true(checked + trails->all[i].count <= trial->row_count);
        check_followed(on, options, tracker, rule, trails, i, &trial->rows[checked]);
        checked += trails->all[i].count;
    }
    assert_int_equal(checked, trial->row_count);
}

static void test_travellers_are_followed_as_by_hand(void **state)
{
    (void)state;
    enum { LIMIT = 7 };
    made_stage on = made_stage_open();
    sc_trial_options options = made_options(SC_TRIAL_TRACKING);
    options.limit = LIMIT;
    options.seed = 3;
    options.top_speed_m_s = 20;
    options.adversary.density = on.density;
    sc_trial trial = made_trial(on.map, &on.run.record, &options);

    const sc_tracker_options how = {.density = on.density, .top_speed_m_s = 20};
    const sc_rule_options rules = {.density = on.density, .traffic = 2};
    sc_trails trails = {.all = NULL};
    sc_tracker *tracker = NULL;
    sc_rule *rule = NULL;
    CHECK_OK(sc_trails_init(&trails, &on.run.record.cases, 2, 3), NULL);
    CHECK_OK(sc_tracker_new(on.map, &how, &tracker, NULL), NULL);
    CHECK_OK(sc_rule_new(on.map, &rules, &rule, NULL), NULL);
    assert_int_equal(trial.choice, trails.count);
    assert_true(trails.count > LIMIT);
    check_all_followed(&on, &options, tracker, NULL, &trails, &trial);
    // The rules are used as well, if they are known.
    options.knows_rules = true;
    options.traffic = 2;
    sc_trial ruled = made_trial(on.map, &on.run.record, &options);
    check_all_followed(&on, &options, tracker, rule, &trails, &ruled);
    assert_true(sc_trial_means_of(&ruled, 0).ruled_out > sc_trial_means_of(&trial, 0).ruled_out);
    sc_trial_fini(&ruled);
    options.knows_rules = false;
    options.traffic = 0;
    // Speed is used: a traveller who may be anywhere is found less often.
    const double hurried = sc_trial_means_of(&trial, 2).effective;
    sc_trial_fini(&trial);
    options.top_speed_m_s = 1000;
    trial = made_trial(on.map, &on.run.record, &options);
    assert_true(sc_trial_means_of(&trial, 2).effective > hurried);
    sc_trial_fini(&trial);
    sc_tracker_free(tracker);
    sc_rule_free(rule);
    sc_trails_fini(&trails);
    made_stage_close(&on);
}

// --- Progress ------------------------------------------------------------------------------

typedef struct received {
    uint64_t calls;
    uint64_t done;
    uint64_t total;
} received;

static void hear(void *context, const char *phase, uint64_t done, uint64_t total)
{
    received *so_far = context;
    if (strcmp(phase, "attacking") != 0) return;
    assert_int_equal(done, so_far->calls);
    so_far->calls++;
    so_far->done = done;
    so_far->total = total;
}

static void test_progress_is_told_from_none_to_all(void **state)
{
    (void)state;
    made_stage on = made_stage_open();
    for (int kind = 0; kind < SC_TRIAL_KIND_COUNT; kind++) {
        received told = {0};
        sc_trial_options options = made_options((sc_trial_kind)kind);
        options.limit = 4;
        options.progress = (sc_progress){.report = hear, .context = &told};
        sc_trial trial = made_trial(on.map, &on.run.record, &options);
        const bool has_rows_of_members = kind == SC_TRIAL_TRACKING || kind == SC_TRIAL_RULE;
        assert_int_equal(told.total, has_rows_of_members ? 4 : trial.row_count);
        assert_int_equal(told.done, told.total);
        assert_int_equal(told.calls, told.total + 1);
        sc_trial_fini(&trial);
    }
    made_stage_close(&on);
}

static void test_kinds_have_names_of_their_own(void **state)
{
    (void)state;
    for (int i = 0; i < SC_TRIAL_KIND_COUNT; i++) {
        assert_true(strlen(sc_trial_kind_title((sc_trial_kind)i)) > 0);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(sc_trial_kind_name((sc_trial_kind)i),
                                    sc_trial_kind_name((sc_trial_kind)j));
        }
    }
    assert_string_equal(sc_trial_kind_name(SC_TRIAL_CORRELATION), "correlation");
    assert_string_equal(sc_trial_kind_name(SC_TRIAL_KIND_COUNT), "unknown");
    assert_string_equal(sc_trial_kind_title(SC_TRIAL_KIND_COUNT), "unknown");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_cloak_is_attacked_as_by_hand),
    cmocka_unit_test(test_victims_are_attacked_as_by_hand),
    cmocka_unit_test(test_travellers_are_followed_as_by_hand),
    cmocka_unit_test(test_progress_is_told_from_none_to_all),
    cmocka_unit_test(test_kinds_have_names_of_their_own),
};
SC_SUITE(tests)
