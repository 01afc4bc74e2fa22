// Travellers in virtual time, looked at from outside: reports and records of whole runs.
#include "sim/run.h"

#include <starcloak/map_generate.h>

#include "support/check.h"
#include "support/history.h"
#include "support/place.h"
#include "support/sketch.h"
#include "travel/walk.h"

// --- Running -----------------------------------------------------------------

/** What is common to the tests: a small city, and a place for records. */
typedef struct town {
    sc_map *map;
    place here;
} town;

static int open_town(void **state)
{
    static town the_town;
    sc_diag diag = {""};
    const sc_city_options options = {.node_count = 600, .seed = 5};
    CHECK_OK(sc_map_generate_city(&options, &the_town.map, &diag), &diag);
    the_town.here = place_new();
    *state = &the_town;
    return 0;
}

static int close_town(void **state)
{
    const town *t = *state;
    place_free(&t->here);
    sc_map_free(t->map);
    return 0;
}

/** All ways to cloak, strict being one. */
static const struct {
    const char *name;
    sc_variant variant;
    bool is_strict;
} methods[] = {{"basic", SC_VARIANT_BASIC, false},         {"bounded", SC_VARIANT_BOUNDED, false},
               {"strict", SC_VARIANT_BOUNDED, true},       {"hybrid", SC_VARIANT_HYBRID, false},
               {"xstar", SC_VARIANT_XSTAR, false},         {"sampling", SC_VARIANT_SAMPLING, false},
               {"expansion", SC_VARIANT_EXPANSION, false}, {"patient", SC_VARIANT_PATIENT, false}};
enum { METHOD_COUNT = sizeof methods / sizeof methods[0] };

static sc_run_options with_method(size_t method, const char *record)
{
    sc_run_options options = sc_run_options_default();
    options.engine.variant = methods[method].variant;
    options.engine.is_strict = methods[method].is_strict;
    options.record = record;
    return options;
}

/** Travellers who are easy to please, so that small maps have cloaks and drops alike. */
static sc_workload modest(void)
{
    sc_workload workload = sc_workload_default();
    workload.k = sc_normal_around(3, 1, 1);
    workload.l = sc_normal_around(3, 1, 1);
    workload.max_hops = sc_normal_around(2, 1, 0);
    workload.max_wait_s = sc_normal_around(4, 1, 1);
    workload.pause_s = sc_normal_around(8, 1, 2);
    return workload;
}

/** Let them walk, and ask. */
static sc_err try_travellers(const sc_map *map, uint32_t count, double seconds,
                             const sc_run_options *options, sc_run_report *report, sc_diag *diag)
{
    const sc_workload workload = modest();
    sc_movement *movement = NULL;
    CHECK_OK(sc_walk_new(map, count, options->seed, &movement, diag), diag);
    const sc_err err = sc_run_travellers(movement, &workload, seconds, options, report, diag);
    sc_movement_free(movement);
    return err;
}

static sc_run_report run_travellers(const sc_map *map, uint32_t count, double seconds,
                                    const sc_run_options *options)
{
    sc_run_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(try_travellers(map, count, seconds, options, &report, &diag), &diag);
    return report;
}

// --- What holds for every run ------------------------------------------------

static void test_the_same_seed_gives_the_same_record_bit_for_bit(void **state)
{
    const town *t = *state;
    const char *paths[] = {place_path(&t->here, "a"), place_path(&t->here, "b"),
                           place_path(&t->here, "c")};
    for (size_t method = 0; method < METHOD_COUNT; method++) {
        for (size_t i = 0; i < 3; i++) {
            sc_run_options options = with_method(method, paths[i]);
            options.seed = i < 2 ? 7 : 8;
            run_travellers(t->map, 150, 12, &options);
        }
        assert_true(is_same_file(paths[0], paths[1]));
        assert_false(is_same_file(paths[0], paths[2]));
    }
}

static void test_every_method_keeps_every_promise_in_a_city(void **state)
{
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    for (size_t method = 0; method < METHOD_COUNT; method++) {
        check_case(method);
        const sc_run_options options = with_method(method, path);
        const sc_run_report report = run_travellers(t->map, 300, 20, &options);
        // A run in which all or none are cloaked would show little.
        assert_in_range(report.cloaked, report.queries / 10, report.queries - 10);
        check_promises(t->map, path);
    }
    check_case_done();
}

static void test_every_method_keeps_every_promise_on_small_maps(void **state)
{
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    uint64_t cloaked = 0;
    for (const small_map *small = small_maps; small->name; small++) {
        sketch s = sketch_named(small->name);
        sc_map *map = sketch_map(&s);
        for (size_t method = 0; method < METHOD_COUNT; method++) {
            const sc_run_options options = with_method(method, path);
            cloaked += run_travellers(map, 12, 30, &options).cloaked;
            check_promises(map, path);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    assert_true(cloaked > 100);
}

static void test_every_query_has_one_outcome_and_time_never_runs_backwards(void **state)
{
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    for (size_t method = 0; method < METHOD_COUNT; method++) {
        const sc_run_options options = with_method(method, path);
        const sc_run_report report = run_travellers(t->map, 200, 15, &options);
        history h = history_read(path);
        assert_int_equal(h.count, report.queries);
        assert_true(h.is_ordered);
        CHECK_CLOSE(h.end, (double)report.end * 1e-6, 1e-9);
        for (size_t i = 0; i < h.count; i++) {
            assert_int_equal(h.lives[i].ends, 1);
            assert_true(h.lives[i].ended >= h.lives[i].asked);
        }
        history_free(&h);
    }
}

static void test_a_traveller_pauses_after_its_outcome_before_it_asks_again(void **state)
{
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    const sc_run_options options = with_method(0, path);
    run_travellers(t->map, 60, 60, &options);
    history h = history_read(path);
    size_t repeated = 0;
    for (size_t i = 0; i < h.count; i++) {
        for (size_t j = i + 1; j < h.count; j++) {
            if (strcmp(h.lives[i].user, h.lives[j].user) != 0) continue;
            repeated++;
            // modest() pauses 8 s, give or take four deviations of 1 s.
            assert_true(h.lives[j].asked - h.lives[i].ended >= 4.0);
            assert_true(h.lives[j].asked - h.lives[i].ended <= 12.0);
            break;
        }
    }
    assert_true(repeated > 200);
    history_free(&h);
}

static void test_no_traveller_asks_after_the_end(void **state)
{
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    const sc_run_options options = with_method(0, path);
    run_travellers(t->map, 200, 10, &options);
    history h = history_read(path);
    for (size_t i = 0; i < h.count; i++) {
        assert_true(h.lives[i].asked < 10.0);
    }
    history_free(&h);
}

static void test_no_time_at_all_is_an_empty_run(void **state)
{
    const town *t = *state;
    const sc_run_options options = sc_run_options_default();
    const sc_run_report report = run_travellers(t->map, 10, 0, &options);
    assert_int_equal(report.queries, 0);
    assert_int_equal(report.end, 0);
}

// --- Where pruning is done ---------------------------------------------------

static void test_a_pool_prunes_as_well_and_changes_nothing_else(void **state)
{
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    for (size_t method = 0; method < METHOD_COUNT; method++) {
        sc_run_options options = with_method(method, path);
        const sc_run_report alone = run_travellers(t->map, 200, 15, &options);
        options.prune_threads = 3;
        const sc_run_report pooled = run_travellers(t->map, 200, 15, &options);
        check_promises(t->map, path);
        assert_int_equal(pooled.queries, alone.queries);
        assert_int_equal(pooled.cloaked, alone.cloaked);
        assert_int_equal(pooled.cloaks, alone.cloaks);
        assert_int_equal(pooled.engine.checks, alone.engine.checks);
        CHECK_SAME(pooled.wait_s.mean, alone.wait_s.mean);
        CHECK_SAME(pooled.users.mean, alone.users.mean);
    }
}

static void test_a_secure_run_keeps_every_promise_and_does_not_repeat(void **state)
{
    const town *t = *state;
    const char *paths[] = {place_path(&t->here, "a"), place_path(&t->here, "b")};
    for (size_t i = 0; i < 2; i++) {
        sc_run_options options = with_method(0, paths[i]);
        options.is_secure = true;
        run_travellers(t->map, 100, 10, &options);
        check_promises(t->map, paths[i]);
    }
    assert_false(is_same_file(paths[0], paths[1]));
}

static void test_a_paranoid_run_finds_nothing_and_changes_nothing(void **state)
{
    const town *t = *state;
    const char *paths[] = {place_path(&t->here, "a"), place_path(&t->here, "b")};
    for (size_t i = 0; i < 2; i++) {
        sc_run_options options = with_method(3, paths[i]);
        options.engine.is_paranoid = i == 1;
        const sc_run_report report = run_travellers(t->map, 150, 12, &options);
        assert_int_equal(report.engine.refused, 0);
        assert_int_equal(report.engine.broken, 0);
    }
    assert_true(is_same_file(paths[0], paths[1]));
}

// --- Who listens, and what counts ----------------------------------------------

/** What was reported of a run. */
typedef struct observer {
    uint64_t asked;
    uint64_t cloaks;
    uint64_t members;
    uint64_t dropped;
    sc_time last;
    uint64_t asked_in_window;
    uint64_t cloaks_in_window;
    sc_run_window window;
    uint64_t fails_at;  ///< the question at which it gives up; 0: none
} observer;

static bool is_in(const observer *e, sc_time t)
{
    return t >= e->window.from && t < e->window.until;
}

static void receive_time(observer *e, sc_time t)
{
    assert_true(t >= e->last);
    e->last = t;
}

static sc_err receive_question(void *context, const sc_query *query,
                               const sc_request_line *request_line, const sc_snap *where)
{
    observer *e = context;
    receive_time(e, request_line->ask.t);
    assert_int_equal(where->segment, query->segment);
    assert_int_equal(where->edge, request_line->ask.edge);
    e->asked_in_window += is_in(e, request_line->ask.t);
    return ++e->asked == e->fails_at ? SC_EBUSY : SC_OK;
}

static sc_err receive_cloak(void *context, const sc_cloak *cloak, sc_time t)
{
    observer *e = context;
    receive_time(e, t);
    e->cloaks++;
    e->members += cloak->member_count;
    e->cloaks_in_window += is_in(e, t);
    return SC_OK;
}

static sc_err receive_drop(void *context, const sc_query_id *id, sc_time t, sc_drop_reason reason)
{
    (void)id;
    observer *e = context;
    receive_time(e, t);
    assert_true(reason < SC_DROP_REASON_COUNT);
    e->dropped++;
    return SC_OK;
}

static sc_run_listener listener_to(observer *e)
{
    return (sc_run_listener){
        .context = e, .asked = receive_question, .cloaked = receive_cloak, .dropped = receive_drop};
}

static void test_a_listener_hears_all_in_the_order_of_time_and_changes_nothing(void **state)
{
    const town *t = *state;
    const char *paths[] = {place_path(&t->here, "a"), place_path(&t->here, "b")};
    for (size_t method = 0; method < METHOD_COUNT; method++) {
        observer received = {.last = INT64_MIN};
        sc_run_options options = with_method(method, paths[0]);
        run_travellers(t->map, 200, 15, &options);
        options.record = paths[1];
        options.listener = listener_to(&received);
        const sc_run_report report = run_travellers(t->map, 200, 15, &options);
        assert_int_equal(received.asked, report.queries);
        assert_int_equal(received.cloaks, report.cloaks);
        assert_int_equal(received.members, report.cloaked);
        assert_int_equal(received.members + received.dropped, received.asked);
        assert_true(is_same_file(paths[0], paths[1]));
    }
}

static void test_a_listener_that_fails_ends_the_run_and_no_record_stays(void **state)
{
    const town *t = *state;
    const int before = count_entries(t->here.path);
    observer received = {.last = INT64_MIN, .fails_at = 50};
    sc_run_options options = with_method(0, place_path(&t->here, "given up"));
    options.listener = listener_to(&received);
    sc_run_report report;
    sc_diag diag = {""};
    assert_int_equal(try_travellers(t->map, 200, 15, &options, &report, &diag), SC_EBUSY);
    assert_int_equal(received.asked, 50);
    assert_int_equal(count_entries(t->here.path), before);
}

static void test_only_what_is_asked_in_the_window_counts(void **state)
{
    const town *t = *state;
    sc_run_options options = with_method(0, NULL);
    const sc_run_report all = run_travellers(t->map, 200, 30, &options);
    observer received = {.last = INT64_MIN,
                         .window = {sc_time_from_seconds(10), sc_time_from_seconds(20)}};
    options.window = received.window;
    options.listener = listener_to(&received);
    const sc_run_report some = run_travellers(t->map, 200, 30, &options);
    assert_in_range(some.queries, 100, all.queries / 2);
    assert_int_equal(some.queries, received.asked_in_window);
    assert_int_equal(some.cloaks, received.cloaks_in_window);
    assert_int_equal(some.wait_s.count, some.cloaked);
    assert_in_range(some.cloaked, 1, some.queries - 1);
    // The work is that of all, as are the first question and the last outcome.
    assert_int_equal(some.engine.added, all.queries);
    assert_int_equal(some.engine.checks, all.engine.checks);
    assert_int_equal(some.end, all.end);
    CHECK_SAME(some.virtual_s, all.virtual_s);
}

static void test_windows_side_by_side_count_everything_once(void **state)
{
    const town *t = *state;
    sc_run_options options = with_method(3, NULL);
    const sc_run_report all = run_travellers(t->map, 200, 30, &options);
    const sc_time cuts[] = {INT64_MIN, sc_time_from_seconds(7), sc_time_from_seconds(7.5),
                            sc_time_from_seconds(25), INT64_MAX};
    uint64_t queries = 0;
    uint64_t cloaked = 0;
    uint64_t cloaks = 0;
    for (size_t i = 0; i + 1 < sizeof cuts / sizeof *cuts; i++) {
        options.window = (sc_run_window){cuts[i], cuts[i + 1]};
        const sc_run_report part = run_travellers(t->map, 200, 30, &options);
        queries += part.queries;
        cloaked += part.cloaked;
        cloaks += part.cloaks;
    }
    assert_int_equal(queries, all.queries);
    assert_int_equal(cloaked, all.cloaked);
    assert_int_equal(cloaks, all.cloaks);
}

// --- Around ------------------------------------------------------------------

typedef struct received {
    uint64_t done;
    uint64_t total;
    unsigned count;
} received;

static void hear(void *context, const char *phase, uint64_t done, uint64_t total)
{
    received *so_far = context;
    assert_string_equal(phase, "cloaking");
    assert_true(done >= so_far->done);
    *so_far = (received){.done = done, .total = total, .count = so_far->count + 1};
}

static void test_progress_goes_up_to_all(void **state)
{
    const town *t = *state;
    received so_far = {0};
    sc_run_options options = sc_run_options_default();
    options.progress = (sc_progress){.report = hear, .context = &so_far};
    run_travellers(t->map, 100, 30, &options);
    assert_true(so_far.count > 1);
    assert_int_equal(so_far.total, 30);
    assert_int_equal(so_far.done, 30);
}

static void test_a_run_that_cannot_be_recorded_fails_and_leaves_nothing(void **state)
{
    const town *t = *state;
    const int before = count_entries(t->here.path);
    sc_run_options options = sc_run_options_default();
    options.record = place_path(&t->here, "missing/run");
    sc_run_report report;
    sc_diag diag = {""};
    CHECK_REFUSED(try_travellers(t->map, 10, 1, &options, &report, &diag), SC_EIO, &diag,
                  "missing/run");
    assert_int_equal(count_entries(t->here.path), before);
}

static void test_an_engine_that_cannot_be_is_refused(void **state)
{
    const town *t = *state;
    sc_run_options options = sc_run_options_default();
    options.engine.compactness = 0;
    sc_run_report report;
    sc_diag diag = {""};
    assert_int_equal(try_travellers(t->map, 10, 1, &options, &report, &diag), SC_EINVAL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_same_seed_gives_the_same_record_bit_for_bit),
    SC_CASES(test_every_method_keeps_every_promise_in_a_city),
    cmocka_unit_test(test_every_method_keeps_every_promise_on_small_maps),
    cmocka_unit_test(test_every_query_has_one_outcome_and_time_never_runs_backwards),
    cmocka_unit_test(test_a_traveller_pauses_after_its_outcome_before_it_asks_again),
    cmocka_unit_test(test_no_traveller_asks_after_the_end),
    cmocka_unit_test(test_no_time_at_all_is_an_empty_run),
    cmocka_unit_test(test_a_pool_prunes_as_well_and_changes_nothing_else),
    cmocka_unit_test(test_a_secure_run_keeps_every_promise_and_does_not_repeat),
    cmocka_unit_test(test_a_paranoid_run_finds_nothing_and_changes_nothing),
    cmocka_unit_test(test_a_listener_hears_all_in_the_order_of_time_and_changes_nothing),
    cmocka_unit_test(test_a_listener_that_fails_ends_the_run_and_no_record_stays),
    cmocka_unit_test(test_only_what_is_asked_in_the_window_counts),
    cmocka_unit_test(test_windows_side_by_side_count_everything_once),
    cmocka_unit_test(test_progress_goes_up_to_all),
    cmocka_unit_test(test_a_run_that_cannot_be_recorded_fails_and_leaves_nothing),
    cmocka_unit_test(test_an_engine_that_cannot_be_is_refused),
};
SC_SUITE_WITH(tests, open_town, close_town)
