// Every allocation of a trial fails once, in turn, whatever the attack: it says so, rows that were
// done by then can be released, and nothing leaks.
//
// The countdown to failure is a thread's own, so replays are the caller's.
#include "score/trial.h"

#include "support/oom.h"
#include "support/place.h"
#include "unit/score/made_run.h"

/** Few questions, of three users: the fewer allocations, the sooner all have failed. */
static const made_stream few = {
    .count = 14, .user_count = 3, .longest_gap = 1000000, .most_k = 2, .most_l = 2};

static sc_trial_options little_work(sc_trial_kind kind)
{
    sc_trial_options options = made_options(kind);
    options.adversary.max_placements = 4;
    options.adversary.runs = 2;
    options.adversary.samples = SC_ATTACK_BATCHES;
    options.injection.injected = 1;
    options.limit = 3;
    return options;
}

/** Let each allocation of a trial fail; gives how many there are. */
static unsigned long fail_each(const sc_map *map, const made_run *run,
                               const sc_trial_options *options)
{
    sc_trial wanted = made_trial(map, &run->record, options);
    unsigned long failures = 0;
    size_t most_rows = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_trial trial = {.rows = NULL};
        sc_diag diag = {""};
        const sc_err err = sc_trial_run(map, &run->record, options, &trial, &diag);
        const bool happened = oom_happened();
        if (happened) {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
            if (trial.row_count > most_rows) most_rows = trial.row_count;
            failures++;
        } else {
            CHECK_OK(err, &diag);
            assert_int_equal(trial.row_count, wanted.row_count);
        }
        sc_trial_fini(&trial);
        if (!happened) break;
    }
    // Some failed when all rows but the last were there.
    assert_int_equal(most_rows, wanted.row_count - 1);
    sc_trial_fini(&wanted);
    return failures;
}

static void test_a_trial_without_memory_says_so(void **state)
{
    (void)state;
    sc_map *map = made_town();
    made_run run = made_run_on(map, &few, 1);
    assert_true(run.record.cases.count > 3);
    for (int kind = 0; kind < SC_TRIAL_KIND_COUNT; kind++) {
        const sc_trial_options options = little_work((sc_trial_kind)kind);
        assert_true(fail_each(map, &run, &options) > 10);
    }
    made_run_free(&run);
    sc_map_free(map);
}

// Who knows zones, and what was reached, and a run that has both.
static void test_a_trial_with_demands_without_memory_says_so(void **state)
{
    (void)state;
    const sc_trial_kind kinds[] = {SC_TRIAL_INJECTION, SC_TRIAL_TRACKING, SC_TRIAL_RULE};
    const sc_seg_id segments[] = {0, 1, 2};
    sc_map *map = made_town();
    made_run run = made_run_on(map, &few, 1);
    sc_density *density = NULL;
    sc_zone_table *zones = NULL;
    CHECK_OK(sc_density_new_uniform(map, &density), NULL);
    CHECK_OK(sc_zone_table_new(&zones), NULL);
    CHECK_OK(sc_zone_table_add(zones, &(sc_user_zone){1, {"u1", 2}, segments, 3}), NULL);
    CHECK_OK(sc_zone_table_end(zones), NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        sc_trial_options options = little_work(kinds[i]);
        options.adversary.engine.variant = SC_VARIANT_PATIENT;
        options.adversary.density = density;
        options.knows_rules = kinds[i] == SC_TRIAL_TRACKING;
        options.traffic = 2;
        options.zones = zones;
        options.knows_zones = options.has_continuity = true;
        assert_true(fail_each(map, &run, &options) > 10);
    }
    sc_zone_table_free(zones);
    sc_density_free(density);
    made_run_free(&run);
    sc_map_free(map);
}

typedef sc_err writer(const sc_trial *trial, const sc_map *map, const char *path, sc_diag *diag);

static sc_err write_cloaks(const sc_trial *trial, const sc_map *map, const char *path,
                           sc_diag *diag)
{
    (void)map;
    return sc_trial_write_cloaks(trial, path, diag);
}

static sc_err write_links(const sc_trial *trial, const sc_map *map, const char *path, sc_diag *diag)
{
    (void)map;
    return sc_trial_write_links(trial, path, diag);
}

static void test_a_file_without_memory_is_not_there(void **state)
{
    (void)state;
    writer *const writers[] = {write_cloaks, write_links, sc_trial_write_geojson};
    place p = place_new();
    sc_map *map = made_town();
    made_run run = made_run_on(map, &few, 1);
    const sc_trial_options options = little_work(SC_TRIAL_REPLAY);
    sc_trial trial = made_trial(map, &run.record, &options);
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        const int before = count_entries(p.path);
        const char *path = place_path(&p, (const char *const[]){"cloaks", "links", "geojson"}[i]);
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_diag diag = {""};
            const sc_err err = writers[i](&trial, map, path, &diag);
            if (!oom_happened()) {
                CHECK_OK(err, &diag);
                break;
            }
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
            assert_int_equal(count_entries(p.path), before);
            failures++;
        }
        assert_int_equal(failures, 2);  // the name it will have, and the one until then
        assert_int_equal(count_entries(p.path), before + 1);
    }
    sc_trial_fini(&trial);
    made_run_free(&run);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_trial_without_memory_says_so),
    cmocka_unit_test(test_a_trial_with_demands_without_memory_says_so),
    cmocka_unit_test(test_a_file_without_memory_is_not_there),
};
SC_SUITE(tests)
