// Whole runs against a toy service, which is good or bad in many ways: the good ones pass, and each
// fault is found and called by its name.
#include "demo/loadgen/loadgen.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"
#include "support/toy_service.h"
#include "travel/walk.h"

enum { GROUPS = 2, TRAVELLERS = 12, ALL = TRAVELLERS * GROUPS };

/** A grid with objects, travellers on it, tokens for them, and what was seen. */
typedef struct scene {
    place place;
    sc_map *map;
    sc_objects *objects;
    sc_movement *movements[GROUPS];
    sc_tokens *tokens;
    toy_service *toy;
    sc_load_options options;
    sc_load_report *report;
} scene;

static void open_scene(scene *on, sc_coords coords, toy_manners manners)
{
    *on = (scene){.place = place_new()};
    sketch s = sketch_grid(coords, 8, 8);
    sc_builder *builder = sketch_builder(&s);
    for (uint32_t e = 0; e < s.edge_count; e += 3) {
        put_object(builder, e, 0.25, e % 2 ? "cafe" : "fuel", "");
    }
    on->map = finish_builder(builder);
    sketch_free(&s);
    CHECK_OK(sc_objects_new_from_map(on->map, &on->objects), NULL);
    char text[ALL * 16] = "";
    for (int i = 0; i < ALL; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, "sct1_t%d\n", i);
    }
    sc_diag diag = {""};
    const char *path = place_write_text(&on->place, "tokens", text);
    CHECK_OK(sc_tokens_read(path, ALL, &on->tokens, &diag), &diag);
    for (uint64_t i = 0; i < GROUPS; i++) {
        CHECK_OK(sc_walk_new(on->map, TRAVELLERS, i, &on->movements[i], &diag), &diag);
    }
    on->toy = toy_service_start(on->map, manners);
    on->report = test_take(1, sizeof(*on->report));
    on->options = sc_load_options_default();
    on->options.url = toy_service_url(on->toy);
    on->options.objects = on->objects;
    on->options.check_per_mille = 1000;
    on->options.movements = on->movements;
    on->options.tokens = on->tokens;
    on->options.is_restless = true;
    on->options.duration_s = 0.08;
    // Long enough for a busy machine; short where it is used up.
    const bool is_in_vain = manners == TOY_MUTE || manners == TOY_PENDING;
    on->options.patience_s = is_in_vain ? 0.1 : 20;
    on->options.workload.max_wait_s = sc_normal_around(0.1, 0, 0.1);
}

static void close_scene(scene *on)
{
    toy_service_stop(on->toy);
    for (size_t i = 0; i < GROUPS; i++) {
        sc_movement_free(on->movements[i]);
    }
    sc_tokens_free(on->tokens);
    sc_objects_release(on->objects);
    sc_map_free(on->map);
    free(on->report);
    place_free(&on->place);
}

/** Another toy and other travellers, for four times as long. */
static void start_over(scene *on)
{
    const toy_manners manners = toy_service_manners(on->toy);
    toy_service_stop(on->toy);
    on->toy = toy_service_start(on->map, manners);
    on->options.url = toy_service_url(on->toy);
    for (uint64_t i = 0; i < GROUPS; i++) {
        sc_movement_free(on->movements[i]);
        CHECK_OK(sc_walk_new(on->map, TRAVELLERS, i, &on->movements[i], NULL), NULL);
    }
    on->options.warmup_s *= 4;
    on->options.duration_s *= 4;
}

/** On a busy machine time may be over before travellers have got to what a test waits for. Then it
 * starts over, unless it has already had a quarter of a minute. */
static bool needs_more_time(scene *on, bool has_enough)
{
    if (has_enough || on->options.warmup_s + on->options.duration_s > 15) return false;
    start_over(on);
    return true;
}

/** Run; whatever happens, every query has one end. */
static void run(scene *on)
{
    sc_diag diag = {""};
    const sc_load_counts *counts = &on->report->counts;
    do {
        CHECK_OK(sc_load_run(on->map, &on->options, on->report, &diag), &diag);
    } while (needs_more_time(on, counts->asked > 0));
    uint64_t ended = 0;
    for (unsigned i = 0; i < SC_LOAD_END_COUNT; i++) {
        ended += counts->ends[i];
    }
    assert_true(counts->asked > 0);
    assert_int_equal(ended, counts->asked);
}

static void check_no_violation(const sc_load_report *report)
{
    for (size_t i = 0; i < report->counts.shown_count; i++) {
        print_error("%s\n", report->counts.shown[i].text);
    }
    assert_int_equal(sc_load_violations(report), 0);
}

/** A service of such manners passes, and every query ends so. */
static void check_passes(sc_coords coords, toy_manners manners, sc_load_end end)
{
    scene on;
    open_scene(&on, coords, manners);
    run(&on);
    check_no_violation(on.report);
    const sc_load_counts *counts = &on.report->counts;
    assert_int_equal(counts->ends[end], counts->asked);
    if (end == SC_LOAD_ANSWERED) {
        assert_int_equal(counts->checked, counts->asked);
        assert_true(on.report->has_service);
        assert_int_equal(on.report->service_after.answered, counts->asked);
    }
    close_scene(&on);
}

static void test_a_good_service_passes(void **state)
{
    (void)state;
    check_passes(SC_COORDS_GEOGRAPHIC, TOY_GOOD, SC_LOAD_ANSWERED);
    check_passes(SC_COORDS_PLANAR, TOY_GOOD, SC_LOAD_ANSWERED);
    check_passes(SC_COORDS_NONE, TOY_GOOD, SC_LOAD_ANSWERED);
    check_passes(SC_COORDS_GEOGRAPHIC, TOY_IN_PIECES, SC_LOAD_ANSWERED);
    check_passes(SC_COORDS_GEOGRAPHIC, TOY_CLOSING, SC_LOAD_ANSWERED);
}

static void test_outcomes_that_are_no_answers_are_no_violations(void **state)
{
    (void)state;
    check_passes(SC_COORDS_GEOGRAPHIC, TOY_DROPPING, SC_LOAD_DROPPED);
    check_passes(SC_COORDS_GEOGRAPHIC, TOY_FAILING, SC_LOAD_FAILED);
}

static void test_every_fault_is_found_and_named(void **state)
{
    (void)state;
    static const struct {
        toy_manners manners;
        sc_violation violation;
        sc_load_end end;
    } faults[] = {
        {TOY_FEW_USERS, SC_VIOLATION_FEW_USERS, SC_LOAD_ANSWERED},
        {TOY_FEW_SEGMENTS, SC_VIOLATION_FEW_SEGMENTS, SC_LOAD_ANSWERED},
        {TOY_LATE, SC_VIOLATION_LATE, SC_LOAD_ANSWERED},
        {TOY_WRONG, SC_VIOLATION_WRONG_ANSWER, SC_LOAD_ANSWERED},
        {TOY_SWAPPING, SC_VIOLATION_WRONG_ANSWER, SC_LOAD_ANSWERED},
        {TOY_FORGETFUL, SC_VIOLATION_WRONG_ANSWER, SC_LOAD_ANSWERED},
        {TOY_TWICE, SC_VIOLATION_ANSWERED_TWICE, SC_LOAD_ANSWERED},
        {TOY_CUTTING, SC_VIOLATION_LOST_QUERY, SC_LOAD_LOST},
        {TOY_MUTE, SC_VIOLATION_OVERDUE, SC_LOAD_LOST},
        {TOY_NO_HTTP, SC_VIOLATION_BAD_REPLY, SC_LOAD_LOST},
        {TOY_NO_JSON, SC_VIOLATION_BAD_REPLY, SC_LOAD_LOST},
        {TOY_ODD_STATUS, SC_VIOLATION_BAD_REPLY, SC_LOAD_LOST},
        {TOY_ODD_OUTCOME, SC_VIOLATION_BAD_REPLY, SC_LOAD_LOST},
        {TOY_MISCOUNTING, SC_VIOLATION_MISCOUNT, SC_LOAD_ANSWERED},
        {TOY_PENDING, SC_VIOLATION_MISCOUNT, SC_LOAD_ANSWERED},
        {TOY_BREAKING, SC_VIOLATION_BROKEN_PROMISE, SC_LOAD_ANSWERED},
        {TOY_REFUSING, SC_VIOLATION_NO_OUTCOME, SC_LOAD_REFUSED},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        check_case(faults[i].manners);
        scene on;
        open_scene(&on, SC_COORDS_GEOGRAPHIC, faults[i].manners);
        on.options.duration_s = 0.05;
        if (faults[i].manners == TOY_TWICE) {
            // A client that asks again at once would take the second reply for that of the next
            // query.
            on.options.is_restless = false;
            on.options.duration_s = 0.4;
            on.options.workload.pause_s = sc_normal_around(1, 0, 1);
        }
        const sc_load_counts *counts = &on.report->counts;
        bool is_overdue = false;
        do {
            run(&on);
            // Their counts are waited for in vain, so patience is short; too short, where even
            // replies take longer.
            is_overdue =
                faults[i].manners == TOY_PENDING && counts->violations[SC_VIOLATION_OVERDUE] > 0;
            if (is_overdue) on.options.patience_s *= 4;
        } while (needs_more_time(&on, !is_overdue && counts->violations[faults[i].violation] > 0 &&
                                          counts->ends[faults[i].end] > 0));
        assert_true(counts->violations[faults[i].violation] > 0);
        assert_true(counts->shown_count > 0);
        // And nothing else is blamed, except that a query which is lost may be in their counts.
        const uint64_t others =
            sc_load_violations(on.report) - counts->violations[faults[i].violation];
        assert_int_equal(others, 0);
        assert_true(counts->ends[faults[i].end] > 0);
        close_scene(&on);
    }
    check_case_done();
}

static void test_two_groups_have_travellers_of_their_own(void **state)
{
    (void)state;
    scene on;
    open_scene(&on, SC_COORDS_GEOGRAPHIC, TOY_GOOD);
    on.options.group_count = GROUPS;
    do {
        run(&on);
        check_no_violation(on.report);
    } while (needs_more_time(&on, on.report->counts.connects == ALL));
    assert_int_equal(on.report->travellers, ALL);
    assert_int_equal(on.report->counts.connects, ALL);
    toy_service_stop(on.toy);
    on.toy = toy_service_start(on.map, TOY_GOOD);
    close_scene(&on);
}

static double seconds_since(int64_t begun_us)
{
    return (double)(sc_clock_us() - begun_us) * 1e-6;
}

static void test_travellers_may_pause_or_come_at_random(void **state)
{
    (void)state;
    scene on;
    open_scene(&on, SC_COORDS_GEOGRAPHIC, TOY_GOOD);
    on.options.is_restless = false;
    on.options.rate = 1000;
    int64_t begun_us = sc_clock_us();
    run(&on);
    check_no_violation(on.report);
    // A thousand arrivals a second, however long it took, and half as many again for chance.
    assert_true((double)on.report->counts.asked < 100 + 1500 * seconds_since(begun_us));
    // First questions are spread over one pause.
    start_over(&on);
    on.options.rate = 0;
    on.options.duration_s = 1.3;
    on.options.workload.pause_s = sc_normal_around(1, 0, 1);
    do {
        begun_us = sc_clock_us();
        run(&on);
        check_no_violation(on.report);
        // A second passes between two questions of one traveller.
        assert_true((double)on.report->counts.asked <=
                    TRAVELLERS * (1 + floor(seconds_since(begun_us))));
    } while (needs_more_time(&on, on.report->counts.asked >= TRAVELLERS));
    assert_true(on.report->counts.asked >= TRAVELLERS);
    close_scene(&on);
}

static void test_what_is_asked_while_warming_up_is_not_measured(void **state)
{
    (void)state;
    scene on;
    open_scene(&on, SC_COORDS_GEOGRAPHIC, TOY_GOOD);
    on.options.warmup_s = 0.1;
    on.options.duration_s = 0;
    run(&on);
    assert_int_equal(on.report->counts.latency_us.count, 0);
    assert_int_equal(on.report->counts.replies, 0);
    close_scene(&on);
}

static void test_metrics_that_cannot_be_had_are_done_without(void **state)
{
    (void)state;
    scene on;
    open_scene(&on, SC_COORDS_GEOGRAPHIC, TOY_SHY);
    run(&on);
    check_no_violation(on.report);
    assert_false(on.report->has_service);
    CHECK_CONTAINS(on.report->no_service, "403");
    close_scene(&on);
}

static void test_queries_can_be_held(void **state)
{
    (void)state;
    scene on;
    open_scene(&on, SC_COORDS_GEOGRAPHIC, TOY_MUTE);
    on.options.holds = true;
    on.options.without_metrics = true;
    on.options.hold_pid = getpid();
    on.options.workload.max_wait_s = sc_normal_around(100, 0, 1);
    run(&on);
    check_no_violation(on.report);
    assert_int_equal(on.report->held.wanted, TRAVELLERS);
    assert_int_equal(on.report->held.sent, TRAVELLERS);
    assert_int_equal(on.report->held.pending, TRAVELLERS);
    assert_true(on.report->held.bytes_before > 0 && on.report->held.bytes_after > 0);
    assert_int_equal(on.report->counts.ends[SC_LOAD_LEFT], TRAVELLERS);
    close_scene(&on);
}

// The toy takes whatever comes and answers at once; so those who misbehave harm none but
// themselves.
static void test_chaos_is_accounted_for(void **state)
{
    (void)state;
    scene on;
    open_scene(&on, SC_COORDS_GEOGRAPHIC, TOY_GOOD);
    on.options.duration_s = 0.5;
    on.options.chaos = (sc_chaos_options){
        .is_on = true, .share = 0.5, .every_s = 0.05, .provider_command = "sleep 1000"};
    const sc_load_counts *counts = &on.report->counts;
    bool has_all = false;
    do {
        run(&on);
        check_no_violation(on.report);
        has_all = counts->faulty > 0 && counts->strays > 0 && counts->ends[SC_LOAD_ANSWERED] > 0 &&
                  counts->ends[SC_LOAD_LEFT] > 0 &&
                  on.report->provider_kills + on.report->provider_stops > 0;
    } while (needs_more_time(&on, has_all));
    assert_true(has_all);
    close_scene(&on);
}

static void test_a_run_can_be_stopped(void **state)
{
    (void)state;
    static const volatile sig_atomic_t stop = 1;
    scene on;
    open_scene(&on, SC_COORDS_GEOGRAPHIC, TOY_GOOD);
    on.options.duration_s = 1000;
    on.options.stop = &stop;
    sc_diag diag = {""};
    CHECK_OK(sc_load_run(on.map, &on.options, on.report, &diag), &diag);
    assert_true(on.report->is_interrupted);
    check_no_violation(on.report);
    close_scene(&on);
}

static void test_a_service_that_is_not_there_is_told_at_once(void **state)
{
    (void)state;
    scene on;
    open_scene(&on, SC_COORDS_GEOGRAPHIC, TOY_GOOD);
    char url[64];
    snprintf(url, sizeof(url), "%s", toy_service_url(on.toy));
    toy_service_stop(on.toy);
    on.toy = toy_service_start(on.map, TOY_NO_HTTP);
    on.options.url = url;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_load_run(on.map, &on.options, on.report, &diag), SC_ENET, &diag,
                  "check that the service is running");
    on.options.url = "gopher://x";
    CHECK_REFUSED(sc_load_run(on.map, &on.options, on.report, &diag), SC_EINVAL, &diag, "gopher");
    on.options.group_count = 0;
    CHECK_REFUSED(sc_load_run(on.map, &on.options, on.report, &diag), SC_EINVAL, &diag, "threads");
    close_scene(&on);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_good_service_passes),
    cmocka_unit_test(test_outcomes_that_are_no_answers_are_no_violations),
    SC_CASES(test_every_fault_is_found_and_named),
    cmocka_unit_test(test_two_groups_have_travellers_of_their_own),
    cmocka_unit_test(test_travellers_may_pause_or_come_at_random),
    cmocka_unit_test(test_what_is_asked_while_warming_up_is_not_measured),
    cmocka_unit_test(test_metrics_that_cannot_be_had_are_done_without),
    cmocka_unit_test(test_queries_can_be_held),
    cmocka_unit_test(test_chaos_is_accounted_for),
    cmocka_unit_test(test_a_run_can_be_stopped),
    cmocka_unit_test(test_a_service_that_is_not_there_is_told_at_once),
};
SC_SUITE(tests)
