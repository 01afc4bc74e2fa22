// Points done by processes: what comes out does not depend on them, and what goes wrong is told.
#include "lab/child_processes.h"

#include "small_lab.h"

#include "lab/results.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

/** A store with a plan for it. */
typedef struct site {
    place here;
    char directory[600];
    sc_lab_options options;
    sc__store store;
    sc__plan plan;
} site;

static void site_open(site *s)
{
    *s = (site){.here = place_new()};
    snprintf(s->directory, sizeof s->directory, "%s/results", s->here.path);
    s->options = small_options(city, s->directory);
    // Two will do: what they come to is for test_point.c to say.
    s->options.methods = 1u << SC_LAB_BASIC | 1u << SC_LAB_SAMPLING;
    sc_diag diag = {""};
    CHECK_OK(sc__store_open(&s->store, &s->options, &diag), &diag);
    CHECK_OK(sc__plan_init(&s->plan, &s->options), NULL);
}

static void site_close(site *s)
{
    sc__plan_fini(&s->plan);
    sc__store_close(&s->store);
    place_free(&s->here);
}

static sc_err try_work(const site *s, const volatile sig_atomic_t *stop, sc_diag *diag)
{
    const sc__task task = {.store = &s->store,
                           .points = s->plan.points,
                           .count = s->plan.count,
                           .done_before = 100,
                           .stop = stop};
    const sc_err err = sc__work(&task, diag);
    // No process is left behind.
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    return err;
}

/** The results that are there, by point of the plan; how many. Release with free(). */
static sc_lab_result *results_of(const site *s, size_t *count)
{
    sc_lab_result *results = test_take(s->plan.count, sizeof *results);
    *count = 0;
    for (size_t i = 0; i < s->plan.count; i++) {
        bool is_there = false;
        sc_diag diag = {""};
        CHECK_OK(sc__store_load(&s->store, &s->plan.points[i], &results[i], &is_there, &diag),
                 &diag);
        *count += is_there;
    }
    return results;
}

static int count_points(const site *s)
{
    char path[700];
    snprintf(path, sizeof path, "%s/points", s->directory);
    return count_entries(path);
}

// --- What comes out -------------------------------------------------------------------

static void test_how_many_are_at_work_changes_no_number(void **state)
{
    (void)state;
    sc_lab_result *first = NULL;
    static const unsigned jobs[] = {1, 2, 5};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        site s;
        site_open(&s);
        s.options.jobs = jobs[i];
        sc_diag diag = {""};
        CHECK_OK(try_work(&s, NULL, &diag), &diag);
        size_t count = 0;
        sc_lab_result *results = results_of(&s, &count);
        assert_int_equal(count, s.plan.count);
        for (size_t p = 0; p < count && first; p++) {
            check_same_result(&results[p], &first[p]);
        }
        site_close(&s);
        if (!first) {
            first = results;
        } else {
            free(results);
        }
    }
    free(first);
}

// --- Progress -------------------------------------------------------------------------

typedef struct watcher {
    uint64_t reports;
    uint64_t last;
    uint64_t total;
    volatile sig_atomic_t stop;
    uint64_t stop_at;  ///< set `stop` then
    void (*at_begin)(void);
} watcher;

static void watch(void *context, const char *phase, uint64_t done, uint64_t total)
{
    watcher *w = context;
    assert_string_equal(phase, "points");
    if (w->reports == 0) {
        assert_int_equal(done, 100);
        if (w->at_begin) w->at_begin();
    } else {
        assert_int_equal(done, w->last + 1);
    }
    w->reports++;
    w->last = done;
    w->total = total;
    if (w->stop_at > 0 && done >= w->stop_at) w->stop = 1;
}

static void test_progress_counts_every_point_and_those_from_before(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    watcher w = {.reports = 0};
    s.options.progress = (sc_progress){watch, &w};
    sc_diag diag = {""};
    CHECK_OK(try_work(&s, NULL, &diag), &diag);
    assert_int_equal(w.last, 100 + s.plan.count);
    assert_int_equal(w.total, 100 + s.plan.count);
    site_close(&s);
}

static void test_told_to_stop_it_keeps_what_is_done_and_leaves_nothing_half(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    watcher w = {.stop_at = 103};
    s.options.progress = (sc_progress){watch, &w};
    sc_diag diag = {""};
    CHECK_REFUSED(try_work(&s, &w.stop, &diag), SC_EINTERRUPTED, &diag,
                  "run the same command again to continue");
    size_t count = 0;
    free(results_of(&s, &count));
    // One that was just written may not have been told of.
    assert_in_range(count, 3, 3 + s.options.jobs);
    assert_int_equal(count_points(&s), count);
    site_close(&s);
}

static void test_told_to_stop_before_it_begins_it_does_nothing(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    const volatile sig_atomic_t stop = 1;
    sc_diag diag = {""};
    CHECK_REFUSED(try_work(&s, &stop, &diag), SC_EINTERRUPTED, &diag, "100 of 108 points are done");
    assert_int_equal(count_points(&s), 0);
    site_close(&s);
}

// --- What goes wrong ------------------------------------------------------------------

static void test_the_sentence_of_a_point_that_fails_comes_back_with_its_name(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    s.options.jobs = 1;
    // Travellers whom no movement can have.
    s.options.travellers = 0;
    sc_diag diag = {""};
    const sc_err err = try_work(&s, NULL, &diag);
    CHECK_REFUSED(err, SC_EINVAL, &diag, "city-k3-l4-s3-t3-n5-seed1: ");
    assert_int_equal(count_points(&s), 0);
    site_close(&s);
}

static struct rlimit fsize_before;

static void shrink_files(void)
{
    const struct rlimit little = {.rlim_cur = 100, .rlim_max = fsize_before.rlim_max};
    const struct rlimit none = {0, 0};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    assert_int_equal(setrlimit(RLIMIT_CORE, &none), 0);
}

/** Let each process find the disk too small; `take` says how it takes the signal for that. */
static sc_err work_on_small_disk(site *s, void (*take)(int), sc_diag *diag)
{
    watcher w = {.at_begin = shrink_files};
    s->options.progress = (sc_progress){watch, &w};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &fsize_before), 0);
    signal(SIGXFSZ, take);
    const sc_err err = try_work(s, NULL, diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &fsize_before), 0);
    signal(SIGXFSZ, SIG_DFL);
    s->options.progress = (sc_progress){.report = NULL};
    return err;
}

static void test_a_full_disk_names_the_file_and_all_goes_on_when_there_is_room(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    sc_diag diag = {""};
    const sc_err err = work_on_small_disk(&s, SIG_IGN, &diag);
    CHECK_REFUSED(err, SC_EIO, &diag, ".json: cannot write: ");
    assert_int_equal(count_points(&s), 0);
    CHECK_OK(try_work(&s, NULL, &diag), &diag);
    assert_int_equal(count_points(&s), s.plan.count);
    site_close(&s);
}

// The system ends a process, as it does when memory is out.
static void test_a_process_that_is_killed_is_told_by_its_point(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    sc_diag diag = {""};
    const sc_err err = work_on_small_disk(&s, SIG_DFL, &diag);
    CHECK_REFUSED(err, SC_EIO, &diag, "its process was ended by a signal (");
    CHECK_CONTAINS(diag.message, "city-k3-l4-s3-t3-n5-seed");
    assert_int_equal(count_points(&s), 0);
    site_close(&s);
}

static void test_where_no_process_can_be_started_that_is_told(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    sc_diag diag = {""};
    // No pipe, no process. (Root may start as many processes as there is room for.)
    const struct rlimit few = {.rlim_cur = 3, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    const sc_err err = try_work(&s, NULL, &diag);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    CHECK_REFUSED(err, SC_EIO, &diag, "cannot start a process: ");
    site_close(&s);
}

static volatile sig_atomic_t stop_soon;

static void do_nothing(int number)
{
    (void)number;
}

static void say_stop(int number)
{
    (void)number;
    stop_soon = 1;
}

// Points that would take minutes end at once, though the caller takes the signal for that in a way
// of its own.
static void test_processes_end_when_told_however_the_caller_takes_signals(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    s.options.counted_s = 500000;
    const struct itimerval soon = {.it_value = {.tv_usec = 300000}};
    signal(SIGTERM, do_nothing);
    signal(SIGALRM, say_stop);
    stop_soon = 0;
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    sc_diag diag = {""};
    CHECK_REFUSED(try_work(&s, &stop_soon, &diag), SC_EINTERRUPTED, &diag,
                  "100 of 108 points are done");
    assert_int_equal(count_points(&s), 0);
    signal(SIGTERM, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    site_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_how_many_are_at_work_changes_no_number),
    cmocka_unit_test(test_progress_counts_every_point_and_those_from_before),
    cmocka_unit_test(test_told_to_stop_it_keeps_what_is_done_and_leaves_nothing_half),
    cmocka_unit_test(test_told_to_stop_before_it_begins_it_does_nothing),
    cmocka_unit_test(test_the_sentence_of_a_point_that_fails_comes_back_with_its_name),
    cmocka_unit_test(test_a_full_disk_names_the_file_and_all_goes_on_when_there_is_room),
    cmocka_unit_test(test_a_process_that_is_killed_is_told_by_its_point),
    cmocka_unit_test(test_where_no_process_can_be_started_that_is_told),
    cmocka_unit_test(test_processes_end_when_told_however_the_caller_takes_signals),
};
SC_SUITE_WITH(tests, open_maps, close_maps)
