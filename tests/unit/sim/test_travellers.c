// Travellers: on the roads, no faster than they may, on time, and the same for the same seed.
#include "support/check.h"
#include "support/nearest.h"
#include "support/place.h"
#include "support/sketch.h"

#include "base/rng.h"
#include "metric.h"
#include "sim/walk_internal.h"
#include "sim/workload.h"

#include <unistd.h>

static sc_travellers *travellers_on(const sc_map *map, uint32_t count, uint64_t seed)
{
    const sc_workload workload = sc_workload_default();
    sc_travellers *travellers = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_travellers_new(map, &workload, count, seed, &travellers, &diag), &diag);
    return travellers;
}

// One question whose outcome comes at once.
static uint32_t ask(sc_travellers *travellers, sc_spoken *out)
{
    const uint32_t who = sc_travellers_ask(travellers, out);
    sc_travellers_resume(travellers, who, out->ask.t);
    return who;
}

static sc_map *grid_map(sc_coords coords)
{
    sketch s = sketch_grid(coords, 6, 5);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

// --- Where ------------------------------------------------------------------

static void test_every_question_is_asked_on_a_road(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sc_travellers *travellers = travellers_on(map, 5, seed);
        for (int i = 0; i < 30; i++) {
            sc_spoken said;
            ask(travellers, &said);
            const bool has_coords = sc_map_coords(map) != SC_COORDS_NONE;
            assert_int_equal(said.ask.is_on_edge, !has_coords);
            if (has_coords) {
                // A micrometre for the rounding of what may be half a globe across.
                CHECK_CLOSE(nearest_edge(map, said.ask.x, said.ask.y).distance_m, 0.0, 1e-6);
            } else {
                assert_true(said.ask.edge < sc_map_edge_count(map));
                assert_true(said.ask.offset_m >= 0);
                assert_true(said.ask.offset_m <= sc_map_edge_length_m(map, said.ask.edge));
            }
        }
        sc_travellers_free(travellers);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_nobody_moves_faster_than_the_roads_allow(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    int moved_count = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        sketch s = sketch_odd(seed);
        if (s.coords != SC_COORDS_NONE) {  // only there do questions name the edge
            sketch_free(&s);
            continue;
        }
        check_case(seed);
        sc_map *map = sketch_map(&s);
        metric m = metric_new(map);
        const double fastest = fastest_m_s(map, sc__road_speed_m_s) * SC__PACE_MAX;
        sc_travellers *travellers = travellers_on(map, COUNT, seed);
        struct {
            road_place place;
            sc_time t;
        } last[COUNT] = {0};
        bool has_asked[COUNT] = {0};
        for (int i = 0; i < 10 * COUNT; i++) {
            sc_spoken said;
            const uint32_t who = ask(travellers, &said);
            const road_place here = {said.ask.edge, said.ask.offset_m};
            if (has_asked[who]) {
                const double moved = metric_between(&m, last[who].place, here);
                const double seconds = (double)(said.ask.t - last[who].t) * 1e-6;
                assert_true(moved <= fastest * seconds + 1e-6);
                moved_count += moved > 0;
            }
            has_asked[who] = true;
            last[who].place = here;
            last[who].t = said.ask.t;
        }
        sc_travellers_free(travellers);
        metric_free(&m);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    assert_true(moved_count > 1000);
}

// --- When -------------------------------------------------------------------

static void test_first_questions_are_spread_over_one_pause(void **state)
{
    (void)state;
    enum { COUNT = 10000, QUARTERS = 4 };
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_travellers *travellers = travellers_on(map, COUNT, 1);
    uint32_t counts[QUARTERS] = {0};
    for (int i = 0; i < COUNT; i++) {
        sc_spoken said;
        sc_travellers_ask(travellers, &said);
        assert_true(said.ask.t >= 0 && said.ask.t < sc_seconds(20));
        counts[said.ask.t / sc_seconds(5)]++;
    }
    // Nobody has had an outcome, so nobody asks.
    assert_true(sc_travellers_next(travellers) == SC_TIME_NEVER);
    for (int i = 0; i < QUARTERS; i++) {
        CHECK_CLOSE(counts[i], COUNT / 4.0, 4.0 * sqrt(COUNT * 3.0 / 16.0));
    }
    sc_travellers_free(travellers);
    sc_map_free(map);
}

static void test_questions_come_in_order_and_when_they_were_announced(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_travellers *travellers = travellers_on(map, 300, 2);
    sc_time before = 0;
    for (uint64_t i = 1; i <= 3000; i++) {
        sc_spoken said;
        const sc_time announced = sc_travellers_next(travellers);
        ask(travellers, &said);
        assert_true(said.ask.t == announced);
        assert_true(said.ask.t >= before);
        assert_int_equal(said.line, i);
        before = said.ask.t;
    }
    sc_travellers_free(travellers);
    sc_map_free(map);
}

// However the outcomes came, so that a run does not depend on how they are kept.
static void test_questions_at_the_same_moment_come_in_the_order_of_travellers(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_workload workload = sc_workload_default();
    workload.pause_s = sc_normal_around(5, 0, 1);
    sc_travellers *travellers = NULL;
    CHECK_OK(sc_travellers_new(map, &workload, COUNT, 9, &travellers, NULL), NULL);
    for (int round = 0; round < 3; round++) {
        sc_spoken said;
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint32_t who = sc_travellers_ask(travellers, &said);
            if (round > 0) assert_int_equal(who, i);
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            sc_travellers_resume(travellers, i * 7 % COUNT, sc_seconds(100) * (round + 1));
        }
    }
    sc_travellers_free(travellers);
    sc_map_free(map);
}

// Outcomes come late, early, and in any order.
static void test_a_traveller_pauses_after_its_outcome_and_not_less_than_said(void **state)
{
    (void)state;
    enum { COUNT = 50, ROUNDS = 4000 };
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_travellers *travellers = travellers_on(map, COUNT, 3);
    const sc_time least = sc_travellers_least_pause(travellers);
    assert_true(least == sc_seconds(12));
    sc_time outcome[COUNT];
    memset(outcome, 0xff, sizeof outcome);
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    double sum = 0;
    int pauses = 0;
    for (int i = 0; i < ROUNDS; i++) {
        sc_spoken said;
        const uint32_t who = sc_travellers_ask(travellers, &said);
        if (outcome[who] >= 0) {
            const sc_time pause = said.ask.t - outcome[who];
            assert_true(pause >= least && pause <= sc_seconds(28));
            sum += (double)pause * 1e-6;
            pauses++;
        }
        outcome[who] = said.ask.t + (sc_time)(sc_rng_unit(&rng) * 10e6);
        sc_travellers_resume(travellers, who, outcome[who]);
    }
    CHECK_CLOSE(sum / pauses, 20.0, 4.0 * 2.0 / sqrt(pauses));
    sc_travellers_free(travellers);
    sc_map_free(map);
}

static void test_an_outcome_that_nobody_waits_for_changes_nothing(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_travellers *a = travellers_on(map, 3, 4);
    sc_travellers *b = travellers_on(map, 3, 4);
    for (int i = 0; i < 100; i++) {
        sc_spoken said_a;
        sc_spoken said_b;
        const uint32_t who = ask(a, &said_a);
        assert_int_equal(ask(b, &said_b), who);
        assert_true(said_a.ask.t == said_b.ask.t);
        sc_travellers_resume(b, who, said_b.ask.t + 5);
        sc_travellers_resume(b, (who + 1) % 3, said_b.ask.t + 5);
    }
    sc_travellers_free(a);
    sc_travellers_free(b);
    sc_map_free(map);
}

static void test_an_outcome_before_the_question_is_taken_as_one_at_once(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_travellers *travellers = travellers_on(map, 1, 5);
    sc_spoken said;
    for (int i = 0; i < 10; i++) {
        sc_travellers_ask(travellers, &said);
        const sc_time t = said.ask.t;
        sc_travellers_resume(travellers, 0, t - sc_seconds(1000));
        assert_true(sc_travellers_next(travellers) >= t + sc_seconds(12));
    }
    sc_travellers_free(travellers);
    sc_map_free(map);
}

// --- Who and what -----------------------------------------------------------

static void test_users_are_numbered_and_stay_so(void **state)
{
    (void)state;
    enum { COUNT = 1200 };
    sc_map *map = grid_map(SC_COORDS_NONE);
    sc_travellers *travellers = travellers_on(map, COUNT, 6);
    const char *users[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) {
        sc_spoken said;
        const uint32_t who = sc_travellers_ask(travellers, &said);
        assert_true(who < COUNT);
        assert_null(users[who]);
        users[who] = said.ask.user;
        assert_int_equal(said.ask.user_size, strlen(said.ask.user));
    }
    // All lent together, until one asks again.
    for (unsigned i = 0; i < COUNT; i++) {
        char wanted[16];
        snprintf(wanted, sizeof wanted, "u%u", i);
        assert_string_equal(users[i], wanted);
    }
    sc_travellers_free(travellers);
    sc_map_free(map);
}

static void test_needs_are_drawn_as_the_workload_says(void **state)
{
    (void)state;
    enum { QUESTIONS = 40000 };
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_travellers *travellers = travellers_on(map, 500, 7);
    double k = 0;
    double l = 0;
    double hops = 0;
    double wait_s = 0;
    double nearest = 0;
    for (int i = 0; i < QUESTIONS; i++) {
        sc_spoken said;
        ask(travellers, &said);
        const sc_profile *profile = &said.ask.profile;
        assert_in_range(profile->k, 1, 11);
        assert_in_range(profile->l, 1, 11);
        assert_in_range(profile->max_hops, 0, 8);
        assert_in_range(profile->max_wait_us, sc_seconds(2), sc_seconds(18));
        assert_int_equal(said.request.type, SC_REQUEST_KNN);
        assert_int_equal(said.request.category_count, 0);
        assert_in_range(said.request.k, 1, 9);
        assert_int_equal(said.ask.result_size, said.request.k);
        k += profile->k;
        l += profile->l;
        hops += profile->max_hops;
        wait_s += (double)profile->max_wait_us * 1e-6;
        nearest += said.request.k;
    }
    // Four standard errors, with 1/12 more variance where numbers are rounded, and for k
    // and l the 0.002 by which cutting at 1 shifts the mean.
    const double n = QUESTIONS;
    CHECK_CLOSE(k / n, 5.0, 4.0 * sqrt((2.25 + 1 / 12.0) / n) + 0.002);
    CHECK_CLOSE(l / n, 5.0, 4.0 * sqrt((2.25 + 1 / 12.0) / n) + 0.002);
    CHECK_CLOSE(hops / n, 4.0, 4.0 * sqrt((1.0 + 1 / 12.0) / n));
    CHECK_CLOSE(wait_s / n, 10.0, 4.0 * 2.0 / sqrt(n));
    CHECK_CLOSE(nearest / n, 5.0, 4.0 * sqrt((1.0 + 1 / 12.0) / n));
    sc_travellers_free(travellers);
    sc_map_free(map);
}

// --- The same seed ----------------------------------------------------------

// All questions within a minute as a stream; release with free().
static char *stream_of(const sc_map *map, const sc_workload *workload, uint64_t seed)
{
    sc_travellers *travellers = NULL;
    char *text = NULL;
    size_t size = 0;
    CHECK_OK(sc_travellers_new(map, workload, 100, seed, &travellers, NULL), NULL);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    while (sc_travellers_next(travellers) < sc_seconds(60)) {
        sc_spoken said;
        ask(travellers, &said);
        sc_stream_write(out, map, &said.ask, &said.request);
    }
    fclose(out);
    sc_travellers_free(travellers);
    return text;
}

static void test_the_same_seed_gives_the_same_stream_and_another_another(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_GEOGRAPHIC);
    const sc_workload workload = sc_workload_default();
    char *first = stream_of(map, &workload, 42);
    char *again = stream_of(map, &workload, 42);
    char *other = stream_of(map, &workload, 43);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
    free(first);
    free(again);
    free(other);
    sc_map_free(map);
}

// So that two workloads can be compared on the same trips.
static void test_other_needs_do_not_change_the_trips(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_workload demanding = sc_workload_default();
    demanding.k = sc_normal_around(50, 0, 1);
    demanding.max_wait_s = sc_normal_around(3, 1, 0.1);
    sc_travellers *a = travellers_on(map, 40, 8);
    sc_travellers *b = NULL;
    CHECK_OK(sc_travellers_new(map, &demanding, 40, 8, &b, NULL), NULL);
    for (int i = 0; i < 1000; i++) {
        sc_spoken said_a;
        sc_spoken said_b;
        assert_int_equal(ask(a, &said_a), ask(b, &said_b));
        assert_true(said_a.ask.t == said_b.ask.t);
        CHECK_SAME(said_a.ask.x, said_b.ask.x);
        CHECK_SAME(said_a.ask.y, said_b.ask.y);
        assert_int_equal(said_b.ask.profile.k, 50);
    }
    sc_travellers_free(a);
    sc_travellers_free(b);
    sc_map_free(map);
}

// --- Files and refusals -----------------------------------------------------

static void test_a_written_stream_reads_back_as_what_was_asked(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = grid_map(SC_COORDS_GEOGRAPHIC);
    const char *path = place_path(&p, "queries.jsonl");
    const sc_queries_options options = {
        .workload = sc_workload_default(), .count = 100, .seed = 42, .seconds = 60};
    uint64_t written = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_queries_write(map, &options, path, &written, &diag), &diag);

    size_t size = 0;
    char *got = read_whole(path, &size);
    char *wanted = stream_of(map, &options.workload, 42);
    assert_string_equal(got, wanted);

    sc_stream *stream = NULL;
    size_t count = 0;
    CHECK_OK(sc_stream_read(map, path, &stream, &diag), &diag);
    const sc_spoken *lines = sc_stream_lines(stream, &count);
    assert_int_equal(count, written);
    assert_true(count > 200);
    sc_travellers *travellers = travellers_on(map, 100, 42);
    for (size_t i = 0; i < count; i++) {
        sc_spoken said;
        ask(travellers, &said);
        assert_string_equal(lines[i].ask.user, said.ask.user);
        assert_true(lines[i].ask.t == said.ask.t);
        CHECK_SAME(lines[i].ask.x, said.ask.x);
        CHECK_SAME(lines[i].ask.y, said.ask.y);
        assert_true(lines[i].ask.profile.max_wait_us == said.ask.profile.max_wait_us);
        assert_int_equal(lines[i].ask.result_size, said.ask.result_size);
    }
    sc_travellers_free(travellers);
    sc_stream_free(stream);
    free(got);
    free(wanted);
    sc_map_free(map);
    place_free(&p);
}

static void test_no_time_gives_an_empty_stream(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    const char *path = place_path(&p, "queries.jsonl");
    const sc_queries_options options = {.workload = sc_workload_default(), .count = 10};
    uint64_t written = 1;
    CHECK_OK(sc_queries_write(map, &options, path, &written, NULL), NULL);
    assert_int_equal(written, 0);
    size_t size = 1;
    free(read_whole(path, &size));
    assert_int_equal(size, 0);
    sc_map_free(map);
    place_free(&p);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_workload workload = sc_workload_default();
    sc_travellers *travellers = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_travellers_new(map, &workload, 0, 1, &travellers, &diag), SC_EINVAL, &diag,
                  "1 to 100000000 travellers, not 0");
    CHECK_REFUSED(sc_travellers_new(map, &workload, 100000001, 1, &travellers, &diag), SC_EINVAL,
                  &diag, "not 100000001");
    workload.pause_s.min = 0.5;
    CHECK_REFUSED(sc_travellers_new(map, &workload, 1, 1, &travellers, &diag), SC_EINVAL, &diag,
                  "the pause");
    assert_null(travellers);
    sc_travellers_free(NULL);

    // A file that cannot be is told too, and a refused workload leaves none.
    uint64_t written = 7;
    sc_queries_options options = {.workload = workload, .count = 1, .seconds = 1};
    const char *path = place_path(&p, "queries.jsonl");
    CHECK_REFUSED(sc_queries_write(map, &options, path, &written, &diag), SC_EINVAL, &diag,
                  "the pause");
    assert_int_equal(access(path, F_OK), -1);
    options.workload = sc_workload_default();
    path = place_path(&p, "no/such/queries.jsonl");
    CHECK_REFUSED(sc_queries_write(map, &options, path, &written, &diag), SC_EIO, &diag, "no/such");
    assert_int_equal(written, 7);
    sc_map_free(map);
    place_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SC_CASES(test_every_question_is_asked_on_a_road),
        SC_CASES(test_nobody_moves_faster_than_the_roads_allow),
        cmocka_unit_test(test_first_questions_are_spread_over_one_pause),
        cmocka_unit_test(test_questions_come_in_order_and_when_they_were_announced),
        cmocka_unit_test(test_questions_at_the_same_moment_come_in_the_order_of_travellers),
        cmocka_unit_test(test_a_traveller_pauses_after_its_outcome_and_not_less_than_said),
        cmocka_unit_test(test_an_outcome_that_nobody_waits_for_changes_nothing),
        cmocka_unit_test(test_an_outcome_before_the_question_is_taken_as_one_at_once),
        cmocka_unit_test(test_users_are_numbered_and_stay_so),
        cmocka_unit_test(test_needs_are_drawn_as_the_workload_says),
        cmocka_unit_test(test_the_same_seed_gives_the_same_stream_and_another_another),
        cmocka_unit_test(test_other_needs_do_not_change_the_trips),
        cmocka_unit_test(test_a_written_stream_reads_back_as_what_was_asked),
        cmocka_unit_test(test_no_time_gives_an_empty_stream),
        cmocka_unit_test(test_what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
