// Travellers who ask: on the roads, on time, in order, under their names. What they ask is shown in
// test_questions.c.
#include "crowd.h"

#include "support/metric.h"

#include "base/rng.h"
#include "travel/travel_internal.h"

// --- Where ------------------------------------------------------------------

static void test_every_question_is_asked_on_a_road_that_can_have_been_reached(void **state)
{
    (void)state;
    enum { COUNT = 5 };
    int moved_count = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sketch_free(&s);
        metric m = metric_new(map);
        const double fastest = fastest_m_s(map, SC_CAR) * SC__PACE_MAX;
        crowd c = crowd_on(map, COUNT, seed);
        struct {
            road_place place;
            sc_time t;
        } last[COUNT] = {0};
        bool has_asked[COUNT] = {0};
        for (int i = 0; i < 8 * COUNT; i++) {
            sc_request_line said;
            const uint32_t who = ask(&c, &said);
            assert_true(said.ask.is_on_edge);
            assert_true(said.ask.edge < sc_map_edge_count(map));
            assert_true(said.ask.offset_m >= 0);
            assert_true(said.ask.offset_m <= sc_map_edge_length_m(map, said.ask.edge));
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
        crowd_free(&c);
        metric_free(&m);
        sc_map_free(map);
    }
    check_case_done();
    assert_true(moved_count > 2000);
}

// What is asked is asked from where the movement is at that moment, and nowhere else.
static void test_a_question_comes_from_where_its_traveller_then_is(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    sc_map *map = grid_map(SC_COORDS_GEOGRAPHIC);
    crowd c = crowd_on(map, COUNT, 4);
    sc_movement *same = NULL;
    CHECK_OK(sc_walk_new(map, COUNT, 4, &same, NULL), NULL);
    for (int i = 0; i < 400; i++) {
        sc_request_line said;
        const uint32_t who = ask(&c, &said);
        sc_place wanted;
        sc_time back;
        CHECK_OK(sc_movement_at(same, who, said.ask.t, &wanted, &back), NULL);
        assert_int_equal(said.ask.edge, wanted.edge);
        CHECK_SAME(said.ask.offset_m, wanted.offset * sc_map_unit_m(map));
    }
    sc_movement_free(same);
    crowd_free(&c);
    sc_map_free(map);
}

// --- When -------------------------------------------------------------------

static void test_first_questions_are_spread_over_one_pause(void **state)
{
    (void)state;
    enum { COUNT = 10000, QUARTERS = 4 };
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    crowd c = crowd_on(map, COUNT, 1);
    uint32_t counts[QUARTERS] = {0};
    for (int i = 0; i < COUNT; i++) {
        sc_request_line said;
        sc_travellers_ask(c.travellers, &said);
        assert_true(said.ask.t >= 0 && said.ask.t < sc_time_from_seconds(20));
        counts[said.ask.t / sc_time_from_seconds(5)]++;
    }
    // There was no outcome yet, so no traveller asks.
    assert_true(sc_travellers_next(c.travellers) == SC_TIME_NEVER);
    for (int i = 0; i < QUARTERS; i++) {
        CHECK_CLOSE(counts[i], COUNT / 4.0, 4.0 * sqrt(COUNT * 3.0 / 16.0));
    }
    crowd_free(&c);
    sc_map_free(map);
}

static void test_questions_come_in_order_and_when_they_were_announced(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    crowd c = crowd_on(map, 300, 2);
    sc_time before = 0;
    for (uint64_t i = 1; i <= 3000; i++) {
        sc_request_line said;
        const sc_time announced = sc_travellers_next(c.travellers);
        ask(&c, &said);
        assert_true(said.ask.t == announced);
        assert_true(said.ask.t >= before);
        assert_int_equal(said.line, i);
        before = said.ask.t;
    }
    crowd_free(&c);
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
    crowd c = crowd_of(map, &workload, COUNT, 9);
    for (int round = 0; round < 3; round++) {
        sc_request_line said;
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint32_t who = sc_travellers_ask(c.travellers, &said);
            if (round > 0) assert_int_equal(who, i);
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            resume(&c, i * 7 % COUNT, sc_time_from_seconds(100) * (round + 1));
        }
    }
    crowd_free(&c);
    sc_map_free(map);
}

// Outcomes come late, early, and in any order.
static void test_a_traveller_pauses_after_its_outcome_and_not_less_than_said(void **state)
{
    (void)state;
    enum { COUNT = 50, ROUNDS = 4000 };
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    crowd c = crowd_on(map, COUNT, 3);
    const sc_time least = sc_travellers_least_pause(c.travellers);
    assert_true(least == sc_time_from_seconds(12));
    sc_time outcome[COUNT];
    memset(outcome, 0xff, sizeof outcome);
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    double sum = 0;
    int pauses = 0;
    for (int i = 0; i < ROUNDS; i++) {
        sc_request_line said;
        const uint32_t who = sc_travellers_ask(c.travellers, &said);
        if (outcome[who] >= 0) {
            const sc_time pause = said.ask.t - outcome[who];
            assert_true(pause >= least && pause <= sc_time_from_seconds(28));
            sum += (double)pause * 1e-6;
            pauses++;
        }
        outcome[who] = said.ask.t + (sc_time)(sc_rng_unit(&rng) * 10e6);
        resume(&c, who, outcome[who]);
    }
    CHECK_CLOSE(sum / pauses, 20.0, 4.0 * 2.0 / sqrt(pauses));
    crowd_free(&c);
    sc_map_free(map);
}

static void test_an_outcome_that_is_not_waited_for_changes_nothing(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    crowd a = crowd_on(map, 3, 4);
    crowd b = crowd_on(map, 3, 4);
    for (int i = 0; i < 100; i++) {
        sc_request_line said_a;
        sc_request_line said_b;
        const uint32_t who = ask(&a, &said_a);
        assert_int_equal(ask(&b, &said_b), who);
        assert_true(said_a.ask.t == said_b.ask.t);
        resume(&b, who, said_b.ask.t + 5);
        resume(&b, (who + 1) % 3, said_b.ask.t + 5);
    }
    crowd_free(&a);
    crowd_free(&b);
    sc_map_free(map);
}

static void test_an_outcome_before_the_question_is_taken_as_one_at_once(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    crowd c = crowd_on(map, 1, 5);
    sc_request_line said;
    for (int i = 0; i < 10; i++) {
        sc_travellers_ask(c.travellers, &said);
        const sc_time t = said.ask.t;
        resume(&c, 0, t - sc_time_from_seconds(1000));
        assert_true(sc_travellers_next(c.travellers) >= t + sc_time_from_seconds(12));
    }
    crowd_free(&c);
    sc_map_free(map);
}

// --- Who --------------------------------------------------------------------

static void test_users_are_numbered_and_stay_so(void **state)
{
    (void)state;
    enum { COUNT = 1200 };
    sc_map *map = grid_map(SC_COORDS_NONE);
    crowd c = crowd_on(map, COUNT, 6);
    const char *users[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) {
        sc_request_line said;
        const uint32_t who = sc_travellers_ask(c.travellers, &said);
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
    crowd_free(&c);
    sc_map_free(map);
}

// --- Off the roads ----------------------------------------------------------

/** A movement as traces have it: on the road in [20 i, 20 i + 10) s alone, until it ends. */
typedef struct shift_work {
    sc_movement base;
    sc_time end;  ///< no traveller comes back after this
    sc_time last[3];
} shift_work;

static sc_err shift_at(sc_movement *movement, uint32_t who, sc_time t, sc_place *out, sc_time *back)
{
    shift_work *work = (shift_work *)movement;
    assert_true(t >= work->last[who]);
    work->last[who] = t;
    if (t >= work->end || who == 2) {  // traveller 2 is never there
        *back = SC_TIME_NEVER;
        return SC_OK;
    }
    const sc_time within = t % sc_time_from_seconds(20);
    *back = within < sc_time_from_seconds(10) ? t : t - within + sc_time_from_seconds(20);
    if (*back >= work->end) *back = SC_TIME_NEVER;
    if (*back == t) *out = (sc_place){who, 7};
    return SC_OK;
}

static const char *shift_name(const sc_movement *movement, uint32_t who, char room[32])
{
    (void)movement;
    if (who == 0) return "a cab whose name is longer than any room for names";
    snprintf(room, 32, "cab %u", who);
    return room;
}

static void shift_free(sc_movement *movement)
{
    (void)movement;
}

static const sc_movement_kind shifts = {.at = shift_at, .name = shift_name, .free = shift_free};

static void test_who_is_off_the_roads_asks_when_it_is_back_or_never_again(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    const sc_workload workload = sc_workload_default();
    shift_work work = {.base = {&shifts, map, 3}, .end = sc_time_from_seconds(2000)};
    sc_travellers *travellers = NULL;
    CHECK_OK(sc_travellers_new(&work.base, &workload, 1, &travellers, NULL), NULL);
    uint32_t counts[3] = {0};
    uint32_t when_back = 0;
    while (sc_travellers_next(travellers) != SC_TIME_NEVER) {
        sc_request_line said;
        const uint32_t who = sc_travellers_ask(travellers, &said);
        assert_true(said.ask.t % sc_time_from_seconds(20) < sc_time_from_seconds(10));
        assert_true(said.ask.t < work.end);
        assert_int_equal(said.ask.edge, who);
        counts[who]++;
        when_back += said.ask.t % sc_time_from_seconds(20) == 0;
        CHECK_OK(sc_travellers_resume(travellers, who, said.ask.t), NULL);
    }
    // A pause of 20 s, or until the next shift begins, is 25 s on average.
    assert_in_range(counts[0], 65, 100);
    assert_in_range(counts[1], 65, 100);
    assert_int_equal(counts[2], 0);
    assert_true(when_back > 20);
    // Those who are gone wait for no outcome.
    CHECK_OK(sc_travellers_resume(travellers, 0, sc_time_from_seconds(3000)), NULL);
    CHECK_OK(sc_travellers_resume(travellers, 2, sc_time_from_seconds(3000)), NULL);
    assert_true(sc_travellers_next(travellers) == SC_TIME_NEVER);
    sc_travellers_free(travellers);
    sc_map_free(map);
}

static void test_travellers_are_called_as_their_movement_says(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    const sc_workload workload = sc_workload_default();
    shift_work work = {.base = {&shifts, map, 2}, .end = SC_TIME_NEVER};
    sc_travellers *travellers = NULL;
    CHECK_OK(sc_travellers_new(&work.base, &workload, 1, &travellers, NULL), NULL);
    const char *users[2] = {0};
    sc_request_line said;
    for (int i = 0; i < 2; i++) {
        const uint32_t who = sc_travellers_ask(travellers, &said);
        users[who] = said.ask.user;
    }
    assert_string_equal(users[0], "a cab whose name is longer than any room for names");
    assert_string_equal(users[1], "cab 1");
    sc_travellers_free(travellers);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_question_is_asked_on_a_road_that_can_have_been_reached),
    cmocka_unit_test(test_a_question_comes_from_where_its_traveller_then_is),
    cmocka_unit_test(test_first_questions_are_spread_over_one_pause),
    cmocka_unit_test(test_questions_come_in_order_and_when_they_were_announced),
    cmocka_unit_test(test_questions_at_the_same_moment_come_in_the_order_of_travellers),
    cmocka_unit_test(test_a_traveller_pauses_after_its_outcome_and_not_less_than_said),
    cmocka_unit_test(test_an_outcome_that_is_not_waited_for_changes_nothing),
    cmocka_unit_test(test_an_outcome_before_the_question_is_taken_as_one_at_once),
    cmocka_unit_test(test_users_are_numbered_and_stay_so),
    cmocka_unit_test(test_who_is_off_the_roads_asks_when_it_is_back_or_never_again),
    cmocka_unit_test(test_travellers_are_called_as_their_movement_says),
};
SC_SUITE(tests)
