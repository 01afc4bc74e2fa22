// Whole experiments, run, interrupted and taken up again.
#include "lab/lab.h"

#include "small_lab.h"

#include "lab/results.h"
#include "lab/store.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/** A place for results that stays where it is. */
typedef struct site {
    place here;
    char directory[600];
    sc_lab_options options;
} site;

static void site_open(site *s)
{
    *s = (site){.here = place_new()};
    snprintf(s->directory, sizeof s->directory, "%s/results", s->here.path);
    s->options = small_options(city, s->directory);
    // Two will do: what they come to is for test_point.c to say.
    s->options.methods = 1u << SC_LAB_BASIC | 1u << SC_LAB_SAMPLING;
}

static void site_close(const site *s)
{
    place_free(&s->here);
}

static sc_lab_summary run(const sc_lab_options *options)
{
    sc_lab_summary summary = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_lab_run(options, NULL, &summary, &diag), &diag);
    return summary;
}

/** When each file of points/ was made, as a number that changes when it is made again. */
typedef struct files {
    size_t count;
    char names[64][256];
    ino_t inodes[64];
    struct timespec times[64];
} files;

static files files_of(const site *s)
{
    files f = {.count = 0};
    char path[900];
    snprintf(path, sizeof path, "%s/points", s->directory);
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        struct stat status;
        snprintf(path, sizeof path, "%s/points/%s", s->directory, entry->d_name);
        assert_int_equal(stat(path, &status), 0);
        snprintf(f.names[f.count], sizeof f.names[0], "%s", entry->d_name);
        f.inodes[f.count] = status.st_ino;
        f.times[f.count++] = status.st_mtim;
    }
    closedir(directory);
    return f;
}

/** Every file of `before` is the very same in `after`. */
static void check_untouched(const files *before, const files *after)
{
    for (size_t i = 0; i < before->count; i++) {
        size_t j = 0;
        while (j < after->count && strcmp(before->names[i], after->names[j]) != 0)
            j++;
        assert_true(j < after->count);
        assert_int_equal(before->inodes[i], after->inodes[j]);
        assert_memory_equal(&before->times[i], &after->times[j], sizeof before->times[i]);
    }
}

/** Both have the same numbers at all points of the plan, times aside. */
static void check_same_numbers(const site *a, const site *b)
{
    sc__plan plan = {0};
    sc__store stores[2];
    const site *sites[] = {a, b};
    CHECK_OK(sc__plan_init(&plan, &a->options), NULL);
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(sc__store_open(&stores[i], &sites[i]->options, NULL), NULL);
    }
    for (size_t p = 0; p < plan.count; p++) {
        sc_lab_result results[2];
        for (size_t i = 0; i < 2; i++) {
            bool is_there = false;
            CHECK_OK(sc__store_load(&stores[i], &plan.points[p], &results[i], &is_there, NULL),
                     NULL);
            assert_true(is_there);
        }
        check_same_result(&results[0], &results[1]);
    }
    for (size_t i = 0; i < 2; i++) {
        sc__store_close(&stores[i]);
    }
    sc__plan_fini(&plan);
}

// --- From end to end ------------------------------------------------------------------

static void test_an_experiment_makes_its_directory_and_does_every_point(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    const sc_lab_summary summary = run(&s.options);
    assert_int_equal(summary.point_count, 2 * 4);
    assert_int_equal(summary.done_before, 0);
    assert_true(summary.wall_s > 0);
    assert_int_equal(summary.figure_count, 2);
    assert_int_equal(files_of(&s).count, 8);
    assert_int_equal(access(place_path(&s.here, "results/experiment.json"), R_OK), 0);
    assert_int_equal(access(place_path(&s.here, "results/report.json"), R_OK), 0);
    site_close(&s);
}

static void test_done_once_it_is_not_done_again(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    run(&s.options);
    const files before = files_of(&s);
    size_t size = 0;
    char *once = read_whole(place_path(&s.here, "results/points.csv"), &size);
    const sc_lab_summary summary = run(&s.options);
    assert_int_equal(summary.done_before, 8);
    const files after = files_of(&s);
    check_untouched(&before, &after);
    // What was measured is kept too: the tables are the same to the last digit.
    char *twice = read_whole(place_path(&s.here, "results/points.csv"), &size);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    site_close(&s);
}

static void test_two_runs_with_one_seed_have_the_same_numbers(void **state)
{
    (void)state;
    site a;
    site b;
    site_open(&a);
    site_open(&b);
    b.options.jobs = 1;
    run(&a.options);
    run(&b.options);
    check_same_numbers(&a, &b);
    site_close(&a);
    site_close(&b);
}

// --- Interrupted ----------------------------------------------------------------------

typedef struct watcher {
    volatile sig_atomic_t stop;
    uint64_t stop_at;
} watcher;

static void watch(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase;
    (void)total;
    watcher *w = context;
    if (done >= w->stop_at) w->stop = 1;
}

static void test_interrupted_it_goes_on_where_it_was_and_loses_nothing(void **state)
{
    (void)state;
    site whole;
    site_open(&whole);
    run(&whole.options);
    for (uint64_t stop_at = 1; stop_at <= 4; stop_at += 3) {
        site s;
        site_open(&s);
        watcher w = {.stop_at = stop_at};
        s.options.progress = (sc_progress){watch, &w};
        sc_lab_summary summary = {.point_count = 4711};
        sc_diag diag = {""};
        CHECK_REFUSED(sc_lab_run(&s.options, &w.stop, &summary, &diag), SC_EINTERRUPTED, &diag,
                      "of 8 points are done and stored");
        assert_int_equal(summary.point_count, 4711);
        const files before = files_of(&s);
        assert_in_range(before.count, stop_at, 7);
        s.options.progress = (sc_progress){.report = NULL};
        summary = run(&s.options);
        assert_int_equal(summary.done_before, before.count);
        const files after = files_of(&s);
        assert_int_equal(after.count, 8);
        check_untouched(&before, &after);
        check_same_numbers(&s, &whole);
        site_close(&s);
    }
    site_close(&whole);
}

static void test_a_damaged_point_is_done_again_and_no_other(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    run(&s.options);
    const char *name = "results/points/city-k2-l4-s3-t3-n5-seed2.json";
    size_t size = 0;
    char *good = read_whole(place_path(&s.here, name), &size);
    place_write(&s.here, name, good, size / 2);
    const sc_lab_summary summary = run(&s.options);
    assert_int_equal(summary.done_before, 7);
    assert_int_equal(files_of(&s).count, 8);
    assert_int_equal(run(&s.options).done_before, 8);
    free(good);
    site_close(&s);
}

static void test_what_is_added_is_all_that_is_done(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    run(&s.options);
    const files before = files_of(&s);
    s.options.seed_count = 3;
    s.options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{2, 3, 4, 5}, 4};
    sc_lab_summary summary = run(&s.options);
    assert_int_equal(summary.point_count, 3 * 5);
    assert_int_equal(summary.done_before, 8);
    s.options.figures[SC_LAB_SUCCESS] |= 1u << SC_LAB_AXIS_L;
    s.options.grids[SC_LAB_AXIS_L] = (sc_lab_grid){{4, 6}, 2};
    summary = run(&s.options);
    assert_int_equal(summary.point_count, 3 * 6);
    assert_int_equal(summary.done_before, 15);
    const files after = files_of(&s);
    check_untouched(&before, &after);
    site_close(&s);
}

static void test_attacks_that_are_wanted_later_are_made_up_for_and_not_made_twice(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    run(&s.options);
    s.options.figures[SC_LAB_ENTROPY] = 1u << SC_LAB_AXIS_NEAREST | 1u << SC_LAB_AXIS_INJECTED;
    s.options.grids[SC_LAB_AXIS_INJECTED] = (sc_lab_grid){{0, 2}, 2};
    // Of each seed: the middle and another, which were there and were not attacked, and one more.
    sc_lab_summary summary = run(&s.options);
    assert_int_equal(summary.point_count, 2 * 5);
    assert_int_equal(summary.done_before, 2 * 2);
    assert_int_equal(summary.figure_count, 4);
    assert_int_equal(run(&s.options).done_before, 2 * 5);
    // Travellers are followed in the middle.
    s.options.figures[SC_LAB_EFFECTIVE] = 1u << SC_LAB_AXIS_ASKED;
    s.options.grids[SC_LAB_AXIS_ASKED] = (sc_lab_grid){{1, 2}, 2};
    summary = run(&s.options);
    assert_int_equal(summary.point_count, 2 * 5);
    assert_int_equal(summary.done_before, 2 * 4);
    assert_int_equal(summary.figure_count, 5);
    // What is not wanted any more is kept, and does no harm.
    s.options.figures[SC_LAB_EFFECTIVE] = 0;
    s.options.figures[SC_LAB_ENTROPY] = 0;
    assert_int_equal(run(&s.options).done_before, 2 * 4);
    site_close(&s);
}

// --- Refused --------------------------------------------------------------------------

static void test_bad_options_are_refused_before_anything_is_made(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    s.options.travellers = 0;
    sc_lab_summary summary;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_lab_run(&s.options, NULL, &summary, &diag), SC_EINVAL, &diag, "travellers");
    assert_int_equal(count_entries(s.directory), -1);
    site_close(&s);
}

static void test_another_setting_in_the_same_directory_is_refused_or_starts_over(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    run(&s.options);
    s.options.travellers = 70;
    sc_lab_summary summary;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_lab_run(&s.options, NULL, &summary, &diag), SC_EMISMATCH, &diag,
                  "travellers was 80 when the points there were made, but is 70 now");
    s.options.is_fresh = true;
    assert_int_equal(run(&s.options).done_before, 0);
    site_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_experiment_makes_its_directory_and_does_every_point),
    cmocka_unit_test(test_done_once_it_is_not_done_again),
    cmocka_unit_test(test_two_runs_with_one_seed_have_the_same_numbers),
    cmocka_unit_test(test_interrupted_it_goes_on_where_it_was_and_loses_nothing),
    cmocka_unit_test(test_a_damaged_point_is_done_again_and_no_other),
    cmocka_unit_test(test_what_is_added_is_all_that_is_done),
    cmocka_unit_test(test_attacks_that_are_wanted_later_are_made_up_for_and_not_made_twice),
    cmocka_unit_test(test_bad_options_are_refused_before_anything_is_made),
    cmocka_unit_test(test_another_setting_in_the_same_directory_is_refused_or_starts_over),
};
SC_SUITE_WITH(tests, open_maps, close_maps)
