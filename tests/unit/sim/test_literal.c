// The literal baselines: one cloak at a time against a slow version (support/slow_literal.h), and
// whole runs, in which no query is anything to another.
#include "sim/literal.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"
#include "support/slow_literal.h"
#include "support/streams.h"
#include "travel/walk.h"

#include <stdlib.h>

// === One cloak ==================================================================================

/** How many cloaks there were, to see that the race means something. */
typedef struct race_counts {
    size_t cloaks;
    size_t dropped;
    size_t roads;
} race_counts;

static void race_once(const sc_map *map, const slow_roads *roads, sc_literal *literal,
                      sc_literal_method method, sc_rng *dice, race_counts *counts)
{
    const uint32_t segment_count = sc_map_segment_count(map);
    uint32_t *others = test_take(segment_count, sizeof *others);
    for (uint32_t s = 0; s < segment_count; s++) {
        others[s] = sc_rng_below(dice, 3) == 0 ? sc_rng_below(dice, 3) : 0;
    }
    const sc_query query = {.segment = sc_rng_below(dice, segment_count),
                            .k = 1 + sc_rng_below(dice, 6),
                            .l = 1 + sc_rng_below(dice, 7),
                            .max_hops = sc_rng_below(dice, 4)};
    sc_rng fast;
    sc_rng_seed(&fast, sc_rng_next(dice));
    sc_rng slow = fast;
    sc_literal_cloak cloak = {0};
    CHECK_OK(sc_literal_choose(literal, method, &query, others, &fast, &cloak), NULL);
    bool *wanted = slow_literal_choose(roads, method, &query, others, &slow);
    assert_int_equal(cloak.segment_count > 0, wanted != NULL);
    if (wanted) {
        size_t count = 0;
        uint32_t *ids = slow_ids(wanted, segment_count, &count);
        assert_int_equal(cloak.segment_count, count);
        assert_memory_equal(cloak.segments, ids, count * sizeof *ids);
        free(ids);
    }
    // Draw by draw: neither has drawn more than the other.
    assert_int_equal(sc_rng_next(&fast), sc_rng_next(&slow));
    counts->cloaks += wanted != NULL;
    counts->dropped += wanted == NULL;
    counts->roads += cloak.segment_count;
    free(wanted);
    free(others);
}

static void race(sc_literal_method method)
{
    enum { MAPS = 150, QUERIES = 12 };
    race_counts counts = {0};
    for (uint64_t seed = 0; seed < MAPS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        slow_roads roads = slow_roads_new(map);
        sc_literal *literal = NULL;
        sc_rng dice;
        CHECK_OK(sc_literal_new(map, &literal), NULL);
        sc_rng_seed(&dice, seed);
        for (int i = 0; i < QUERIES; i++) {
            race_once(map, &roads, literal, method, &dice, &counts);
        }
        sc_literal_free(literal);
        slow_roads_free(&roads);
        sc_map_free(map);
    }
    check_case_done();
    assert_true(counts.cloaks > MAPS * QUERIES / 8);
    assert_true(counts.dropped > MAPS * QUERIES / 8);
    assert_true(counts.roads > 2 * counts.cloaks);
}

static void test_sampling_chooses_what_the_slow_one_chooses(void **state)
{
    (void)state;
    race(SC_LITERAL_SAMPLING);
}

static void test_expansion_chooses_what_the_slow_one_chooses(void **state)
{
    (void)state;
    race(SC_LITERAL_EXPANSION);
}

// === Runs =======================================================================================

enum { TRAVELLERS = 60, SECONDS = 20 };

/** A cloak of a run, or a drop: who asked and when, and the roads. */
typedef struct kept_outcome {
    sc_query query;
    sc_seg_id true_segment;
    sc_time t;
    sc_seg_id *roads;
    size_t road_count;
} kept_outcome;

typedef struct kept_run {
    const sc_map *map;
    kept_outcome *all;
    size_t count;
    size_t capacity;
} kept_run;

static sc_err keep_asked(void *context, const sc_query *query, const sc_request_line *line,
                         const sc_snap *where)
{
    kept_run *run = context;
    if (!sc_grow(&run->all, run->count, &run->capacity, sizeof *run->all)) return SC_ENOMEM;
    run->all[run->count++] = (kept_outcome){
        .query = *query,
        .true_segment = sc_map_edges(run->map)[where->edge].segment,
        .t = line->ask.t,
    };
    return SC_OK;
}

static sc_err keep_cloaked(void *context, const sc_cloak *cloak, sc_time t)
{
    kept_run *run = context;
    kept_outcome *last = &run->all[run->count - 1];
    assert_int_equal(t, last->t);  // at once
    assert_int_equal(cloak->member_count, 1);
    assert_memory_equal(&cloak->members[0].query, &last->query, sizeof last->query);
    assert_int_equal(cloak->members[0].star, SC_NONE);
    assert_int_equal(cloak->star_count, 0);
    assert_true(cloak->border_node_count > 0);
    last->roads = test_take(cloak->segment_count, sizeof *last->roads);
    memcpy(last->roads, cloak->segments, cloak->segment_count * sizeof *last->roads);
    last->road_count = cloak->segment_count;
    return SC_OK;
}

static sc_err keep_dropped(void *context, const sc_query_id *id, sc_time t, sc_drop_reason reason)
{
    const kept_run *run = context;
    const kept_outcome *last = &run->all[run->count - 1];
    assert_memory_equal(id, &last->query.id, sizeof *id);
    assert_int_equal(t, last->t);
    assert_int_equal(reason, SC_DROP_INFEASIBLE);
    return SC_OK;
}

static void kept_free(kept_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        free(run->all[i].roads);
    }
    sc_free(run->all);
}

static sc_run_options listening(kept_run *run)
{
    sc_run_options options = sc_run_options_default();
    options.listener = (sc_run_listener){
        .context = run, .asked = keep_asked, .cloaked = keep_cloaked, .dropped = keep_dropped};
    return options;
}

static sc_map *town(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 5);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static sc_movement *walkers(const sc_map *map)
{
    sc_movement *movement = NULL;
    CHECK_OK(sc_walk_new(map, TRAVELLERS, 1, &movement, NULL), NULL);
    return movement;
}

static sc_workload demanding(void)
{
    sc_workload workload = sc_workload_default();
    workload.k = sc_normal_around(12, 6, 1);
    workload.max_hops = sc_normal_around(2, 1, 0);
    workload.pause_s = sc_normal_around(4, 1, 1);
    return workload;
}

/** Travellers of their own, served by a literal baseline. */
static sc_err serve(const sc_map *map, sc_literal_method method, const sc_run_options *options,
                    sc_run_report *report, sc_diag *diag)
{
    const sc_workload workload = demanding();
    sc_movement *seen = NULL;
    sc_movement *movement = NULL;
    sc_err err = sc_walk_new(map, TRAVELLERS, 1, &seen, diag);
    if (!err) err = sc_walk_new(map, TRAVELLERS, 1, &movement, diag);
    if (!err) {
        const sc_literal_crowd crowd = {.method = method, .seen = seen};
        err =
            sc_literal_run_travellers(&crowd, movement, &workload, SECONDS, options, report, diag);
    }
    sc_movement_free(seen);
    sc_movement_free(movement);
    return err;
}

// Where each traveller is at the beginning of the second, by another walk. Where a walker turns
// depends on the moments that one asks about: so they are those of the run.
static void count_travellers(const sc_map *map, sc_time t, uint32_t *on)
{
    sc_movement *movement = walkers(map);
    for (uint32_t who = 0; who < movement->count; who++) {
        sc_place place = {0};
        sc_time back = 0;
        for (sc_time second = 0; second <= t; second += 1000000) {
            CHECK_OK(sc_movement_at(movement, who, second, &place, &back), NULL);
        }
        on[sc_map_edges(map)[place.edge].segment]++;  // walkers are always on a road
    }
    sc_movement_free(movement);
}

static bool has_road(const kept_outcome *outcome, sc_seg_id road)
{
    for (size_t i = 0; i < outcome->road_count; i++) {
        if (outcome->roads[i] == road) return true;
    }
    return false;
}

// An asker may have come from another road within the second, so it may be there twice or not.
static void check_needs(const sc_map *map, const kept_outcome *outcome)
{
    uint32_t *on = test_take(sc_map_segment_count(map), sizeof *on);
    uint32_t users = 0;
    count_travellers(map, outcome->t, on);
    for (size_t i = 0; i < outcome->road_count; i++) {
        users += on[outcome->roads[i]];
    }
    assert_true(users + 1 >= outcome->query.k);
    assert_true(outcome->road_count >= outcome->query.l);
    assert_true(has_road(outcome, outcome->true_segment));
    free(on);
}

static void test_every_query_is_cloaked_or_dropped_at_once_and_alone(void **state)
{
    (void)state;
    sc_map *map = town();
    for (int method = SC_LITERAL_SAMPLING; method <= SC_LITERAL_EXPANSION; method++) {
        kept_run run = {.map = map};
        sc_run_options options = listening(&run);
        sc_run_report report = {0};
        CHECK_OK(serve(map, (sc_literal_method)method, &options, &report, NULL), NULL);
        assert_int_equal(report.queries, run.count);
        assert_true(report.cloaked > run.count / 4 && report.cloaked < run.count);
        assert_int_equal(report.cloaks, report.cloaked);
        assert_int_equal(report.engine.added, run.count);
        assert_true(report.wait_s.max <= 0 && report.users.max <= 1);
        assert_true(report.engine_cpu_s > 0);
        for (size_t i = 0; i < run.count; i++) {
            if (run.all[i].road_count > 0) check_needs(map, &run.all[i]);
        }
        // Everybody asks every four seconds: who asks again was told its outcome.
        assert_true(run.count > (size_t)TRAVELLERS * SECONDS / 8);
        kept_free(&run);
    }
    sc_map_free(map);
}

/** Lines that travellers ask, each with another user's line behind it if `has_more`. */
typedef struct asked_list {
    sc_request_line lines[400];
    char names[400][16];
    size_t count;
} asked_list;

static void list_questions(const sc_map *map, bool has_more, asked_list *list)
{
    sc_movement *movement = walkers(map);
    sc_travellers *travellers = NULL;
    const sc_workload workload = demanding();
    CHECK_OK(sc_travellers_new(movement, &workload, 1, &travellers, NULL), NULL);
    list->count = 0;
    for (int i = 0; i < 200; i++) {
        sc_request_line *line = &list->lines[list->count];
        char *name = list->names[list->count++];
        const uint32_t who = sc_travellers_ask(travellers, line);
        CHECK_OK(sc_travellers_resume(travellers, who, line->ask.t), NULL);
        snprintf(name, sizeof list->names[0], "%.*s", (int)line->ask.user_size, line->ask.user);
        line->ask.user = name;
        if (!has_more) continue;
        char *other = list->names[list->count];
        snprintf(other, sizeof list->names[0], "x%d", i);
        list->lines[list->count] = *line;
        list->lines[list->count].ask.user = other;
        list->lines[list->count++].ask.user_size = strlen(other);
    }
    sc_travellers_free(travellers);
    sc_movement_free(movement);
}

static void run_questions(const sc_map *map, sc_literal_method method, const asked_list *list,
                          kept_run *run)
{
    const sc_run_options options = listening(run);
    sc_run_report report = {0};
    const sc_literal_crowd crowd = {.method = method, .seen = walkers(map)};
    CHECK_OK(sc_literal_run_lines(&crowd, list->lines, list->count, &options, &report, NULL), NULL);
    assert_int_equal(run->count, list->count);
    assert_int_equal(report.queries, list->count);
    sc_movement_free(crowd.seen);
}

static void test_other_queries_make_no_difference(void **state)
{
    (void)state;
    sc_map *map = town();
    asked_list *few = test_take(1, sizeof *few);
    asked_list *more = test_take(1, sizeof *more);
    list_questions(map, false, few);
    list_questions(map, true, more);
    for (int method = SC_LITERAL_SAMPLING; method <= SC_LITERAL_EXPANSION; method++) {
        kept_run alone = {.map = map};
        kept_run among = {.map = map};
        run_questions(map, (sc_literal_method)method, few, &alone);
        run_questions(map, (sc_literal_method)method, more, &among);
        size_t cloaked = 0;
        for (size_t i = 0; i < alone.count; i++) {
            const kept_outcome *a = &alone.all[i];
            const kept_outcome *b = &among.all[2 * i];
            assert_int_equal(a->road_count, b->road_count);
            if (a->road_count == 0) continue;
            assert_memory_equal(a->roads, b->roads, a->road_count * sizeof *a->roads);
            cloaked++;
        }
        assert_in_range(cloaked, 50, 199);
        kept_free(&alone);
        kept_free(&among);
    }
    free(few);
    free(more);
    sc_map_free(map);
}

static void test_there_is_no_record_of_what_promises_nothing(void **state)
{
    (void)state;
    sc_map *map = town();
    sc_run_options options = sc_run_options_default();
    sc_run_report report = {0};
    sc_diag diag = {""};
    options.record = "record.jsonl";
    CHECK_REFUSED(serve(map, SC_LITERAL_EXPANSION, &options, &report, &diag), SC_EINVAL, &diag,
                  "no promise");
    sc_map_free(map);
}

static void test_runs_survive_the_failure_of_every_allocation(void **state)
{
    (void)state;
    sc_map *map = town();
    const sc_run_options options = sc_run_options_default();
    unsigned long failures = 0;
    for (unsigned long n = 1; oom_arm(n); n += 1 + n / 100) {
        sc_run_report report = {0};
        sc_diag diag = {""};
        const sc_err err = serve(map, SC_LITERAL_EXPANSION, &options, &report, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    assert_true(failures > 20);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_sampling_chooses_what_the_slow_one_chooses),
    SC_CASES(test_expansion_chooses_what_the_slow_one_chooses),
    cmocka_unit_test(test_every_query_is_cloaked_or_dropped_at_once_and_alone),
    cmocka_unit_test(test_other_queries_make_no_difference),
    cmocka_unit_test(test_there_is_no_record_of_what_promises_nothing),
    cmocka_unit_test(test_runs_survive_the_failure_of_every_allocation),
};
SC_SUITE(tests)
