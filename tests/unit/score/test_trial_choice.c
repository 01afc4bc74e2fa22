// Whom a trial takes: all choices are equally likely, seeds and limits are kept to, threads change
// nothing; and it says so where there is no user to choose.
#include "score/trial.h"

#include "made_run.h"
#include "same_trial.h"

// --- Which cloaks ------------------------------------------------------------------------

/** Cloaks of one segment with one member, numbered from 100; the work on them is little. */
static sc_cases plain_cases(size_t count)
{
    sc_cases cases = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        const sc_seg_id segment = (sc_seg_id)i;
        const sc_case_member member = {
            .needs = {.k = 1, .l = 1, .max_hops = 1}, .segment = segment, .user = i};
        const sc_case one = {.number = 100 + i,
                             .t = (sc_time)i,
                             .segments = &segment,
                             .segment_count = 1,
                             .members = &member,
                             .member_count = 1};
        CHECK_OK(sc_cases_add(&cases, &one), NULL);
    }
    return cases;
}

static sc_trial_options plain_options(uint64_t limit, uint64_t seed)
{
    sc_trial_options options = made_options(SC_TRIAL_CORRELATION);
    options.adversary.samples = SC_ATTACK_BATCHES;
    options.adversary.fruitful = 0;
    options.adversary.runs = 2;
    options.limit = limit;
    options.seed = seed;
    return options;
}

static void test_all_choices_of_cloaks_are_equally_likely(void **state)
{
    (void)state;
    enum { COUNT = 10, LIMIT = 3, SEEDS = 1500 };
    sc_map *map = made_town();
    const sc_case_record record = {.cases = plain_cases(COUNT)};
    uint32_t pairs[COUNT][COUNT] = {{0}};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const sc_trial_options options = plain_options(LIMIT, seed);
        sc_trial trial = made_trial(map, &record, &options);
        assert_int_equal(trial.row_count, LIMIT);
        assert_int_equal(trial.choice, COUNT);
        for (size_t i = 0; i < LIMIT; i++) {
            for (size_t j = 0; j <= i; j++) {
                pairs[trial.rows[i].cloak - 100][trial.rows[j].cloak - 100]++;
            }
            // In their order, each once.
            assert_true(i == 0 || trial.rows[i].cloak > trial.rows[i - 1].cloak);
        }
        sc_trial_fini(&trial);
    }
    for (size_t i = 0; i < COUNT; i++) {
        // A cloak 3 times of 10, a pair of them 1 of 15: five deviations of 17.7 and 9.7.
        assert_in_range(pairs[i][i], 361, 539);
        for (size_t j = 0; j < i; j++) {
            assert_in_range(pairs[i][j], 51, 149);
        }
    }
    sc_case_record owned = record;
    sc_case_record_fini(&owned);
    sc_map_free(map);
}

static void test_the_same_seed_draws_the_same(void **state)
{
    (void)state;
    made_stage on = made_stage_open();
    for (int kind = 0; kind < SC_TRIAL_KIND_COUNT; kind++) {
        sc_trial_options options = made_options((sc_trial_kind)kind);
        options.limit = 6;
        sc_trial first = made_trial(on.map, &on.run.record, &options);
        sc_trial again = made_trial(on.map, &on.run.record, &options);
        check_same_trial(&again, &first);
        options.seed++;
        sc_trial other = made_trial(on.map, &on.run.record, &options);
        bool is_other = other.row_count != first.row_count;
        for (size_t i = 0; i < first.row_count && !is_other; i++) {
            is_other = other.rows[i].cloak != first.rows[i].cloak;
        }
        assert_true(is_other);
        sc_trial_fini(&other);
        sc_trial_fini(&again);
        sc_trial_fini(&first);
    }
    made_stage_close(&on);
}

static void test_a_limit_of_none_or_of_more_than_there_are_is_all(void **state)
{
    (void)state;
    const uint64_t limits[] = {0, 1000000, UINT32_MAX, UINT64_MAX};
    made_stage on = made_stage_open();
    for (int kind = 0; kind < SC_TRIAL_KIND_COUNT; kind++) {
        sc_trial_options options = made_options((sc_trial_kind)kind);
        options.adversary.max_placements = 0;
        options.adversary.samples = SC_ATTACK_BATCHES;
        options.adversary.fruitful = 0;
        options.limit = limits[0];
        sc_trial all = made_trial(on.map, &on.run.record, &options);
        for (size_t i = 1; i < sizeof limits / sizeof limits[0]; i++) {
            options.limit = limits[i];
            sc_trial trial = made_trial(on.map, &on.run.record, &options);
            check_same_trial(&trial, &all);
            sc_trial_fini(&trial);
        }
        // Everybody who asked is a victim, or is followed as far as it was cloaked twice.
        if (kind == SC_TRIAL_INJECTION) assert_in_range(all.victims, 30, made_traffic.user_count);
        if (kind == SC_TRIAL_TRACKING) {
            assert_int_equal(all.rows[all.row_count - 1].traveller, all.choice);
        }
        sc_trial_fini(&all);
    }
    made_stage_close(&on);
}

static void test_any_number_of_threads_does_the_same(void **state)
{
    (void)state;
    const unsigned threads[] = {2, 3, 7};
    made_stage on = made_stage_open();
    for (int kind = 0; kind < SC_TRIAL_KIND_COUNT; kind++) {
        sc_trial_options options = made_options((sc_trial_kind)kind);
        options.limit = 8;
        sc_trial wanted = made_trial(on.map, &on.run.record, &options);
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
            options.adversary.threads = threads[i];
            sc_trial trial = made_trial(on.map, &on.run.record, &options);
            check_same_trial(&trial, &wanted);
            sc_trial_fini(&trial);
        }
        sc_trial_fini(&wanted);
    }
    made_stage_close(&on);
}

// --- Nothing to find -----------------------------------------------------------------------

/** Whether a trial is refused with these words, and leaves no rows. */
static void check_nothing(const sc_map *map, const sc_case_record *record,
                          const sc_trial_options *options, const char *words)
{
    sc_trial trial = {.rows = NULL};
    sc_diag diag = {""};
    const sc_err err = sc_trial_run(map, record, options, &trial, &diag);
    CHECK_REFUSED(err, SC_EINVAL, &diag, words);
    assert_int_equal(trial.row_count, 0);
    sc_trial_fini(&trial);
    sc_trial_fini(&trial);
}

static void test_cloaks_without_a_stranger_are_passed_over(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_case_record record = {.cases = plain_cases(6)};
    const sc_trial_options options = plain_options(0, 1);
    record.cases.members[0].is_injected = true;
    record.cases.members[3].is_injected = true;
    sc_trial trial = made_trial(map, &record, &options);
    assert_int_equal(trial.choice, 4);
    assert_int_equal(trial.row_count, 4);
    const uint64_t wanted[] = {101, 102, 104, 105};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(trial.rows[i].cloak, wanted[i]);
    }
    sc_trial_fini(&trial);
    for (size_t i = 0; i < 6; i++) {
        record.cases.members[i].is_injected = true;
    }
    check_nothing(map, &record, &options, "no user to find");
    sc_case_record_fini(&record);
    check_nothing(map, &record, &options, "no user to find");
    sc_map_free(map);
}

/** Add a cloak of segment 0 with so many members. */
static void add_crowd(sc_cases *cases, size_t member_count)
{
    sc_case_member *members = test_take(member_count, sizeof *members);
    for (size_t i = 0; i < member_count; i++) {
        members[i] = (sc_case_member){.needs = {.k = 1, .l = 1, .max_hops = 1}, .user = 1000 + i};
    }
    const sc_seg_id segment = 0;
    const sc_case one = {.number = 200,
                         .segments = &segment,
                         .segment_count = 1,
                         .members = members,
                         .member_count = member_count};
    CHECK_OK(sc_cases_add(cases, &one), NULL);
    free(members);
}

static void test_cloaks_with_too_many_members_are_passed_over_and_counted(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_case_record record = {.cases = plain_cases(2)};
    sc_trial_options options = plain_options(0, 1);
    options.kind = SC_TRIAL_REPLAY;
    add_crowd(&record.cases, SC_ATTACK_MEMBERS_MAX + 1);
    sc_trial trial = made_trial(map, &record, &options);
    assert_int_equal(trial.row_count, 2);
    assert_int_equal(trial.choice, 2);
    assert_int_equal(trial.passed_over, 1);
    sc_trial_fini(&trial);
    add_crowd(&record.cases, SC_ATTACK_MEMBERS_MAX);
    trial = made_trial(map, &record, &options);
    assert_int_equal(trial.row_count, 3);
    assert_int_equal(trial.passed_over, 1);
    sc_trial_fini(&trial);
    sc_case_record_fini(&record);

    record = (sc_case_record){.cases = {.count = 0}};
    add_crowd(&record.cases, SC_ATTACK_MEMBERS_MAX + 1);
    check_nothing(map, &record, &options, "more than 10000 members");
    sc_case_record_fini(&record);
    sc_map_free(map);
}

static void test_an_injection_that_finds_no_victim_says_so(void **state)
{
    (void)state;
    sc_map *map = made_town();
    // The thousands that it wants are never found.
    made_run run = made_run_on(map, &made_traffic, 1);
    for (size_t i = 0; i < run.made.count; i++) {
        run.made.lines[i].ask.profile.k = 1000;
    }
    sc_trial_options options = made_options(SC_TRIAL_INJECTION);
    options.limit = 9;
    check_nothing(map, &run.record, &options, "none of 9 victims found a cloak");
    made_run_free(&run);
    sc_map_free(map);
}

static void test_a_traveller_cloaked_once_is_not_followed(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_case_record record = {.cases = plain_cases(6)};
    const sc_trial_options options = made_options(SC_TRIAL_TRACKING);
    check_nothing(map, &record, &options, "no user of the record was cloaked twice");
    record.cases.members[5].user = record.cases.members[2].user;
    sc_trial trial = made_trial(map, &record, &options);
    assert_int_equal(trial.choice, 1);
    assert_int_equal(trial.row_count, 2);
    sc_trial_fini(&trial);
    sc_case_record_fini(&record);
    sc_map_free(map);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    made_stage on = made_stage_open();
    sc_trial_options options = made_options(SC_TRIAL_CORRELATION);
    options.adversary.runs = 1;
    check_nothing(on.map, &on.run.record, &options, "at least 2 times");
    options = made_options(SC_TRIAL_INJECTION);
    options.injection.injected = SC_INJECTED_MAX + 1;
    check_nothing(on.map, &on.run.record, &options, "65");
    options = made_options(SC_TRIAL_TRACKING);
    options.top_speed_m_s = -1;
    check_nothing(on.map, &on.run.record, &options, "speed");
    made_stage_close(&on);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_choices_of_cloaks_are_equally_likely),
    cmocka_unit_test(test_the_same_seed_draws_the_same),
    cmocka_unit_test(test_a_limit_of_none_or_of_more_than_there_are_is_all),
    cmocka_unit_test(test_any_number_of_threads_does_the_same),
    cmocka_unit_test(test_cloaks_without_a_stranger_are_passed_over),
    cmocka_unit_test(test_cloaks_with_too_many_members_are_passed_over_and_counted),
    cmocka_unit_test(test_an_injection_that_finds_no_victim_says_so),
    cmocka_unit_test(test_a_traveller_cloaked_once_is_not_followed),
    cmocka_unit_test(test_options_out_of_range_are_refused),
};
SC_SUITE(tests)
