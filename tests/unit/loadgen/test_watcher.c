// A watcher of the travellers is told of each query twice: when it is asked, and how it ended.
#include "demo/loadgen/loadgen.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/clock.h"
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"
#include "support/toy_service.h"
#include "travel/walk.h"

enum { GROUPS = 2, TRAVELLERS = 6, ALL = GROUPS * TRAVELLERS, QUERIES = 100000 };

/** What was told of one traveller. */
typedef struct told {
    uint64_t number;  ///< of the query under way; 0: none
    unsigned asked;
    unsigned ended[SC_LOAD_END_COUNT];
    char word[40];  ///< of the last end
    double wait_s;
    sc_load_query question;
} told;

/** Travellers on a grid, a toy that answers them, and what is told. */
typedef struct scene {
    sc_map *map;
    sc_movement *movements[GROUPS];
    sc_tokens *tokens;
    toy_service *toy;
    sc_load_options options;
    sc_load_report *report;
    told all[ALL];  ///< each by the thread of its group
    atomic_uchar *numbers;
    volatile sig_atomic_t stop;
    unsigned stop_at;  ///< set it when so many have asked; 0: never
} scene;

static void take_asked(void *context, const sc_load_query *question)
{
    scene *on = context;
    assert_true(question->who < ALL);
    told *t = &on->all[question->who];
    assert_int_equal(t->number, 0);
    assert_true(question->number > 0 && question->number < QUERIES);
    assert_int_equal(atomic_exchange(&on->numbers[question->number], 1), 0);
    t->number = question->number;
    t->question = *question;
    t->asked++;
}

static void take_ended(void *context, const sc_load_outcome *ending)
{
    scene *on = context;
    told *t = &on->all[ending->who];
    assert_int_equal(ending->number, t->number);
    assert_non_null(ending->cloak);
    assert_true(ending->end == SC_LOAD_ANSWERED || *ending->cloak == '\0');
    t->number = 0;
    t->ended[ending->end]++;
    t->wait_s = ending->wait_s;
    snprintf(t->word, sizeof(t->word), "%s", ending->word);
}

// In the thread of the run: so it may set what the run reads.
static void take_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    scene *on = context;
    (void)phase;
    (void)done;
    (void)total;
    unsigned asked = 0;
    for (size_t i = 1; on->stop_at > 0 && i <= on->stop_at; i++) {
        asked += atomic_load(&on->numbers[i]);
    }
    if (on->stop_at > 0 && asked == on->stop_at) on->stop = 1;
}

static scene *open_scene(toy_manners manners)
{
    scene *on = test_take(1, sizeof(*on));
    on->numbers = test_take(QUERIES, sizeof(*on->numbers));
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 8, 8);
    on->map = sketch_map(&s);
    sketch_free(&s);
    place p = place_new();
    const char *path = place_write_text(&p, "tokens", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n");
    CHECK_OK(sc_tokens_read(path, ALL, &on->tokens, NULL), NULL);
    place_free(&p);
    for (uint64_t i = 0; i < GROUPS; i++) {
        CHECK_OK(sc_walk_new(on->map, TRAVELLERS, i, &on->movements[i], NULL), NULL);
    }
    on->toy = toy_service_start(on->map, manners);
    on->report = test_take(1, sizeof(*on->report));
    on->options = sc_load_options_default();
    on->options.url = toy_service_url(on->toy);
    on->options.check_per_mille = 0;
    on->options.without_metrics = true;
    on->options.movements = on->movements;
    on->options.group_count = GROUPS;
    on->options.tokens = on->tokens;
    on->options.is_restless = true;
    on->options.duration_s = 0.1;
    on->options.watcher =
        (sc_load_watcher){.asked = take_asked, .ended = take_ended, .context = on};
    on->options.progress = (sc_progress){.report = take_progress, .context = on};
    on->options.stop = &on->stop;
    return on;
}

static void close_scene(scene *on)
{
    toy_service_stop(on->toy);
    for (size_t i = 0; i < GROUPS; i++) {
        sc_movement_free(on->movements[i]);
    }
    sc_tokens_free(on->tokens);
    sc_map_free(on->map);
    free(on->numbers);
    free(on->report);
    free(on);
}

/** Run; what was told is what stands in the counts. */
static void run(scene *on)
{
    sc_diag diag = {""};
    const sc_load_counts *counts = &on->report->counts;
    CHECK_OK(sc_load_run(on->map, &on->options, on->report, &diag), &diag);
    while (counts->asked == 0 && on->options.duration_s < 15) {
        // On a busy machine time may be over before travellers ask; others have more of it.
        for (uint64_t i = 0; i < GROUPS; i++) {
            sc_movement_free(on->movements[i]);
            CHECK_OK(sc_walk_new(on->map, TRAVELLERS, i, &on->movements[i], NULL), NULL);
        }
        on->options.duration_s *= 4;
        CHECK_OK(sc_load_run(on->map, &on->options, on->report, &diag), &diag);
    }
    uint64_t asked = 0;
    uint64_t ended[SC_LOAD_END_COUNT] = {0};
    for (size_t i = 0; i < ALL; i++) {
        asked += on->all[i].asked;
        assert_int_equal(on->all[i].number, 0);
        for (size_t end = 0; end < SC_LOAD_END_COUNT; end++) {
            ended[end] += on->all[i].ended[end];
        }
    }
    assert_true(asked > 0);
    assert_int_equal(asked, counts->asked);
    for (size_t end = 0; end < SC_LOAD_END_COUNT; end++) {
        assert_int_equal(ended[end], counts->ends[end]);
    }
    // Numbers have no gaps, in however many threads they were given.
    for (uint64_t number = 1; number < QUERIES; number++) {
        assert_int_equal(atomic_load(&on->numbers[number]), number <= asked);
    }
}

static void test_each_query_is_told_when_asked_and_when_ended(void **state)
{
    (void)state;
    static const struct {
        toy_manners manners;
        sc_load_end end;
        const char *word;
    } cases[] = {
        {TOY_GOOD, SC_LOAD_ANSWERED, ""},
        {TOY_DROPPING, SC_LOAD_DROPPED, "expired"},
        {TOY_REFUSING, SC_LOAD_REFUSED, "rate"},
        {TOY_CUTTING, SC_LOAD_LOST, "lost"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_case(i);
        scene *on = open_scene(cases[i].manners);
        run(on);
        for (size_t who = 0; who < ALL; who++) {
            const told *t = &on->all[who];
            assert_int_equal(t->ended[cases[i].end], t->asked);
            if (t->asked == 0) continue;
            assert_string_equal(t->word, cases[i].word);
            assert_int_equal(t->question.who, who);
            assert_true(t->question.edge < sc_map_edge_count(on->map));
            assert_true(t->question.offset_m >= 0);
            assert_true(t->question.profile.k >= 1 && t->question.profile.max_wait_us > 0);
        }
        close_scene(on);
    }
    check_case_done();
}

static void test_nonsense_is_no_query(void **state)
{
    (void)state;
    scene *on = open_scene(TOY_GOOD);
    on->options.chaos = (sc_chaos_options){.is_on = true, .share = 1};
    on->options.duration_s = 0.3;
    on->options.workload.max_wait_s = sc_normal_around(0.1, 0, 0.1);
    run(on);
    assert_true(on->report->counts.strays > 0);
    close_scene(on);
}

// A minute's wait would be noticed.
static void test_those_who_wait_can_leave_at_once(void **state)
{
    (void)state;
    scene *on = open_scene(TOY_MUTE);
    on->options.is_restless = true;
    on->options.duration_s = 1000;
    on->options.workload.max_wait_s = sc_normal_around(600, 0, 1);
    on->options.leaves_when_stopped = true;
    on->stop_at = ALL;
    run(on);
    assert_true(on->report->is_interrupted);
    assert_int_equal(on->report->counts.ends[SC_LOAD_LEFT], ALL);
    close_scene(on);
}

// Everybody has set out an hour ago, and by then has wanted to ask.
static void test_travellers_may_have_set_out_before(void **state)
{
    (void)state;
    scene *on = open_scene(TOY_GOOD);
    on->options.is_restless = false;
    on->options.start_us = sc_clock_us() - 3600 * INT64_C(1000000);
    on->options.duration_s = 1000;
    on->options.leaves_when_stopped = true;
    on->options.workload.pause_s = sc_normal_around(600, 0, 1);
    on->stop_at = ALL;
    run(on);
    for (size_t who = 0; who < ALL; who++) {
        assert_true(on->all[who].asked > 0);
    }
    close_scene(on);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_each_query_is_told_when_asked_and_when_ended),
    cmocka_unit_test(test_nonsense_is_no_query),
    cmocka_unit_test(test_those_who_wait_can_leave_at_once),
    cmocka_unit_test(test_travellers_may_have_set_out_before),
};
SC_SUITE(tests)
