// One point: every method on the same questions, the same number of cloaks at the provider.
#include "lab/point.h"

#include "small_lab.h"

#include "lab/results.h"
#include "lab/run_listeners.h"
#include "traces/traces.h"
#include "travel/walk.h"

// --- What follows from the seed ----------------------------------------------------

static void test_the_same_seed_gives_the_same_numbers_and_another_gives_others(void **state)
{
    (void)state;
    const sc_lab_options options = small_options(city, "");
    const sc_lab_result once = run_middle(&options, 1);
    const sc_lab_result twice = run_middle(&options, 1);
    const sc_lab_result other = run_middle(&options, 2);
    check_same_result(&once, &twice);
    for (sc_lab_method method = 0; method < ENGINE_METHODS; method++) {
        assert_true(once.by_method[method].cpu_us > 0);
        assert_true(once.by_method[method].provider_cpu_us > 0);
        assert_true(once.by_method[method].wait_s != other.by_method[method].wait_s);
    }
}

static void test_every_method_gets_the_same_questions(void **state)
{
    (void)state;
    const sc_lab_options options = small_options(city, "");
    const sc_lab_result result = run_middle(&options, 1);
    for (sc_lab_method method = 0; method < ENGINE_METHODS; method++) {
        const sc_lab_measure *measure = &result.by_method[method];
        assert_int_equal(measure->queries, result.by_method[SC_LAB_BASIC].queries);
        // 80 travellers for 10 s, each asking again after 5 s and up to 3 s of waiting.
        assert_in_range(measure->queries, 80, 160);
        assert_in_range(measure->cloaked, 20, measure->queries);
        assert_in_range(measure->cloaks, 5, measure->cloaked);
        assert_true(measure->wait_s > 0 && measure->wait_s < 7);
        assert_true(measure->users >= 1 && measure->segments >= 1 && measure->border_nodes >= 1);
    }
}

static void test_methods_are_the_engines_that_they_name(void **state)
{
    (void)state;
    const sc_lab_options options = small_options(city, "");
    const sc_lab_result result = run_middle(&options, 3);
    // Each makes something else of the same questions.
    for (sc_lab_method a = 0; a < ENGINE_METHODS; a++) {
        for (sc_lab_method b = 0; b < a; b++) {
            assert_memory_not_equal(&result.by_method[a], &result.by_method[b],
                                    offsetof(sc_lab_measure, cpu_us));
        }
    }
}

static void test_a_method_does_as_well_among_others_as_by_itself(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    const sc_lab_result all = run_middle(&options, 1);
    for (sc_lab_method method = 0; method < ENGINE_METHODS; method++) {
        options.methods = 1u << method;
        const sc_lab_result one = run_middle(&options, 1);
        assert_memory_equal(&one.by_method[method], &all.by_method[method],
                            offsetof(sc_lab_measure, cpu_us));
        // Those who are not asked are not there.
        const sc_lab_measure nothing = {.queries = 0};
        const sc_lab_method next = (method + 1) % ENGINE_METHODS;
        assert_memory_equal(&one.by_method[next], &nothing, sizeof nothing);
    }
}

// === The literal baselines =======================================================================

static void check_literal(const sc_lab_measure *measure, uint64_t queries)
{
    assert_int_equal(measure->queries, queries);
    // Nearly all 80 travellers are in reach of everybody, and each query is by itself.
    assert_true(measure->cloaked > queries * 9 / 10);
    assert_true(measure->cloaks > queries * 9 / 10);
    assert_true(measure->wait_s <= 0);
    assert_true(measure->users >= 1 && measure->users <= 1);
    assert_true(measure->segments >= 3 && measure->border_nodes >= 1);
    assert_true(measure->cpu_us > 0);
    assert_int_equal(measure->evaluated_cloaks, 15);
    assert_int_equal(measure->evaluated_queries, 15);
}

static void test_literal_baselines_are_asked_the_same_and_touch_no_other_method(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    const sc_lab_result without = run_middle(&options, 1);
    options.methods |= SC_LAB_LITERAL_BASELINES;
    const sc_lab_result with = run_middle(&options, 1);
    for (sc_lab_method method = 0; method < ENGINE_METHODS; method++) {
        assert_memory_equal(&without.by_method[method], &with.by_method[method],
                            offsetof(sc_lab_measure, cpu_us));
    }
    const uint64_t queries = with.by_method[SC_LAB_BASIC].queries;
    const sc_lab_measure *sampling = &with.by_method[SC_LAB_SAMPLING_LITERAL];
    const sc_lab_measure *expansion = &with.by_method[SC_LAB_EXPANSION_LITERAL];
    check_literal(sampling, queries);
    check_literal(expansion, queries);
    // Roads here and there have more ends.
    assert_true(sampling->border_nodes > expansion->border_nodes);
    const sc_lab_result again = run_middle(&options, 1);
    check_same_result(&with, &again);
}

static void test_literal_baselines_serve_travellers_of_their_own(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.methods = SC_LAB_LITERAL_BASELINES;
    options.is_closed = true;
    const sc_lab_result result = run_middle(&options, 1);
    assert_int_equal(result.travellers, options.travellers);
    const sc_lab_measure *measure = &result.by_method[SC_LAB_EXPANSION_LITERAL];
    // None waits, so each asks every five seconds.
    assert_in_range(measure->queries, 140, 180);
    check_literal(measure, measure->queries);
}

static void test_injected_queries_leave_literal_baselines_as_they_are(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.methods = SC_LAB_LITERAL_BASELINES | 1u << SC_LAB_BASIC;
    options.figures[SC_LAB_ENTROPY] = 1u << SC_LAB_AXIS_INJECTED;
    options.grids[SC_LAB_AXIS_INJECTED] = (sc_lab_grid){{0, 4}, 2};
    const sc_lab_result none = run_at(&options, SC_LAB_AXIS_INJECTED, 0, 1);
    const sc_lab_result four = run_at(&options, SC_LAB_AXIS_INJECTED, 4, 1);
    for (sc_lab_method method = SC_LAB_SAMPLING_LITERAL; method < SC_LAB_METHOD_COUNT; method++) {
        const sc_lab_measure *a = &none.by_method[method];
        const sc_lab_measure *b = &four.by_method[method];
        assert_int_equal(a->attacked_cloaks, 5);
        assert_true(a->entropy > 0.5 && a->entropy <= 1);
        CHECK_SAME(a->entropy, b->entropy);
        CHECK_SAME(a->attacked_segments, b->attacked_segments);
        CHECK_SAME(a->rank, b->rank);
        CHECK_SAME(b->recognised, 0);
    }
    // Where other queries matter, something else comes out.
    assert_true(four.by_method[SC_LAB_BASIC].recognised > 0);
    // The roads of sampling say next to nothing, those of expansion where their middle is.
    assert_true(none.by_method[SC_LAB_SAMPLING_LITERAL].entropy >
                none.by_method[SC_LAB_EXPANSION_LITERAL].entropy);
}

static void test_what_is_varied_has_its_effect(void **state)
{
    (void)state;
    const sc_lab_options options = small_options(city, "");
    const sc_lab_measure few = run_at(&options, SC_LAB_AXIS_K, 2, 1).by_method[SC_LAB_BASIC];
    const sc_lab_measure many = run_at(&options, SC_LAB_AXIS_K, 8, 1).by_method[SC_LAB_BASIC];
    assert_true(many.users > few.users + 2);
    const sc_lab_measure near = run_at(&options, SC_LAB_AXIS_NEAREST, 1, 1).by_method[SC_LAB_BASIC];
    const sc_lab_measure far = run_at(&options, SC_LAB_AXIS_NEAREST, 20, 1).by_method[SC_LAB_BASIC];
    assert_true(far.candidates > 2 * near.candidates);
}

// --- What counts ---------------------------------------------------------------------

static void test_warm_up_and_tail_do_not_count(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.methods = 1u << SC_LAB_BASIC;
    const sc_lab_measure second = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    options.warm_up_s = 0;
    options.counted_s = 5;
    const sc_lab_measure first = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    options.counted_s = 15;
    const sc_lab_measure both = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    assert_true(first.queries > 0 && second.queries > 0);
    assert_int_equal(first.queries + second.queries, both.queries);
    assert_int_equal(first.cloaks + second.cloaks, both.cloaks);
}

static void test_the_last_query_has_company_too(void **state)
{
    (void)state;
    // Were there no queries after the counted time, those who ask in its last seconds would wait in
    // vain, and success would fall as that time gets shorter.
    sc_lab_options options = small_options(city, "");
    options.methods = 1u << SC_LAB_BASIC;
    options.counted_s = 30;
    const sc_lab_measure of_all = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    options.warm_up_s = 34;
    options.counted_s = 1;
    uint64_t queries = 0;
    uint64_t cloaked = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        const sc_lab_measure last = run_middle(&options, seed).by_method[SC_LAB_BASIC];
        queries += last.queries;
        cloaked += last.cloaked;
    }
    const double rate = (double)of_all.cloaked / (double)of_all.queries;
    // Some 140 queries: a tenth is four deviations of a rate near one.
    assert_true((double)cloaked > (rate - 0.1) * (double)queries);
}

// --- The engines -----------------------------------------------------------------------

/** What a method makes of its own travellers; without the times. */
static sc_lab_measure made_by(const sc_lab_options *options, sc_lab_method method)
{
    sc_lab_options alone = *options;
    alone.methods = 1u << method;
    alone.is_closed = true;
    const sc_lab_result result = run_middle(&alone, 1);
    return without_times(&result).by_method[method];
}

static void test_all_methods_have_the_engine_of_the_options(void **state)
{
    (void)state;
    const sc_lab_options plain = small_options(city, "");
    sc_lab_options options = plain;
    const sc_lab_measure bounded = made_by(&plain, SC_LAB_BOUNDED);
    const sc_lab_measure hybrid = made_by(&plain, SC_LAB_HYBRID);
    options.engine.compactness = 2;
    const sc_lab_measure looser = made_by(&options, SC_LAB_BOUNDED);
    assert_memory_not_equal(&looser, &bounded, sizeof bounded);
    options = plain;
    options.engine.consideration_us = sc_time_from_seconds(30);
    const sc_lab_measure hasty = made_by(&options, SC_LAB_HYBRID);
    assert_memory_not_equal(&hasty, &hybrid, sizeof hybrid);
    // Variant and strictness are each method's own.
    options = plain;
    options.engine.variant = SC_VARIANT_EXPANSION;
    options.engine.is_strict = true;
    const sc_lab_measure same = made_by(&options, SC_LAB_BOUNDED);
    assert_memory_equal(&same, &bounded, sizeof bounded);
}

static void test_a_cap_is_for_all_methods_and_without_it_each_has_its_own(void **state)
{
    (void)state;
    static const struct {
        sc_lab_method method;
        uint32_t cap;
    } own[] = {{SC_LAB_BASIC, 64}, {SC_LAB_SAMPLING, 8}, {SC_LAB_EXPANSION, 8}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        sc_lab_options options = small_options(city, "");
        // So many that a cap makes a difference.
        options.travellers = 160;
        options.engine.max_combinations = 1;
        const sc_lab_measure uncapped = made_by(&options, own[i].method);
        options.has_cap = true;
        const sc_lab_measure capped = made_by(&options, own[i].method);
        assert_memory_not_equal(&capped, &uncapped, sizeof uncapped);
        options.engine.max_combinations = own[i].cap;
        const sc_lab_measure same = made_by(&options, own[i].method);
        assert_memory_equal(&same, &uncapped, sizeof uncapped);
    }
}

// --- The provider ----------------------------------------------------------------------

static void test_every_method_shows_as_many_cloaks_as_the_one_with_the_fewest(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.max_cloaks = 15;
    sc_lab_result result = run_middle(&options, 1);
    for (sc_lab_method method = 0; method < ENGINE_METHODS; method++) {
        assert_int_equal(result.by_method[method].evaluated_cloaks, 15);
        assert_true(result.by_method[method].evaluated_queries >= 15);
    }
    options.max_cloaks = 100000;
    result = run_middle(&options, 1);
    uint64_t least = UINT64_MAX;
    for (sc_lab_method method = 0; method < ENGINE_METHODS; method++) {
        const uint64_t cloaks = result.by_method[method].cloaks;
        if (cloaks < least) least = cloaks;
    }
    for (sc_lab_method method = 0; method < ENGINE_METHODS; method++) {
        const sc_lab_measure *measure = &result.by_method[method];
        assert_int_equal(measure->evaluated_cloaks, least);
        assert_true(measure->candidates >= measure->distinct && measure->distinct >= 1);
        assert_true(measure->bytes_in > 0);
    }
}

static void test_an_index_changes_what_it_takes_and_not_what_comes_back(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    const sc_lab_result searched = run_middle(&options, 1);
    options.is_indexed = true;
    const sc_lab_result looked_up = run_middle(&options, 1);
    check_same_result(&looked_up, &searched);
}

static void test_requests_that_are_refused_are_told_as_such(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.methods = 1u << SC_LAB_BASIC;
    // The laboratory would refuse it beforehand; a point by itself does not.
    options.workload.nearest = sc_normal_around(5000, 0, SC_LEAST_COUNT);
    sc__map_setup setup = {0};
    sc_lab_result result;
    sc_diag diag = {""};
    CHECK_OK(sc__map_setup_init(&setup, &options, &options.maps[0], &diag), &diag);
    const sc_lab_point point = sc_lab_point_at(&options, 0, SC_LAB_AXIS_K, 3, 1);
    CHECK_REFUSED(sc__point_run(&options, &setup, &point, &result, &diag), SC_EREPLY, &diag,
                  " request more objects than allowed, or an unknown category");
    CHECK_CONTAINS(diag.message, "basic: ");
    assert_null(strstr(diag.message, "no valid answer"));
    assert_string_equal(diag.message + strlen(diag.message) -
                            strlen("; ask for fewer objects or another category"),
                        "; ask for fewer objects or another category");
    sc__map_setup_fini(&setup);
}

static void test_on_a_map_without_objects_there_is_nothing_to_ask_for(void **state)
{
    (void)state;
    const sc_lab_options options = small_options(grid, "");
    const sc_lab_result result = run_middle(&options, 1);
    for (sc_lab_method method = 0; method < ENGINE_METHODS; method++) {
        const sc_lab_measure *measure = &result.by_method[method];
        assert_true(measure->cloaked > 0);
        assert_int_equal(measure->evaluated_cloaks, 0);
        double value = 0;
        assert_false(sc_lab_value(measure, SC_LAB_CANDIDATES, SC_LAB_AXIS_K, 3, &value));
        assert_true(sc_lab_value(measure, SC_LAB_SUCCESS, SC_LAB_AXIS_K, 3, &value));
    }
}

// --- Who moves, and who is served ------------------------------------------------------

static void test_in_a_closed_loop_each_method_has_travellers_of_its_own(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    // A traveller that waits longer asks less often.
    options.counted_s = 40;
    options.is_closed = true;
    const sc_lab_result closed = run_middle(&options, 1);
    const sc_lab_result again = run_middle(&options, 1);
    check_same_result(&closed, &again);
    bool differ = false;
    for (sc_lab_method method = 1; method < ENGINE_METHODS; method++) {
        assert_true(closed.by_method[method].cloaked > 0);
        differ = differ || closed.by_method[method].queries != closed.by_method[0].queries;
    }
    assert_true(differ);
    // The questions of the others were asked of basic, so basic fares the same.
    options.is_closed = false;
    const sc_lab_result open = run_middle(&options, 1);
    assert_memory_equal(&open.by_method[SC_LAB_BASIC], &closed.by_method[SC_LAB_BASIC],
                        offsetof(sc_lab_measure, cpu_us));
}

static void test_travellers_may_turn_at_random_or_be_on_trips_with_more_trucks(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.methods = 1u << SC_LAB_BASIC;
    const sc_lab_result trips = run_middle(&options, 1);
    assert_int_equal(trips.travellers, 80);
    options.truck_share = 1;
    const sc_lab_result trucks = run_middle(&options, 1);
    options.is_walk = true;
    const sc_lab_result walk = run_middle(&options, 1);
    const sc_lab_result again = run_middle(&options, 1);
    check_same_result(&walk, &again);
    assert_int_equal(walk.travellers, 80);
    assert_true(walk.by_method[SC_LAB_BASIC].cloaked > 0);
    const double waits[] = {trips.by_method[SC_LAB_BASIC].wait_s,
                            trucks.by_method[SC_LAB_BASIC].wait_s,
                            walk.by_method[SC_LAB_BASIC].wait_s};
    assert_true(waits[0] != waits[1] && waits[1] != waits[2] && waits[0] != waits[2]);
}

static void test_travellers_that_turn_at_random_need_no_routes(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    sc__map_setup setup = {0};
    sc_diag diag = {""};
    options.is_walk = true;
    CHECK_OK(sc__map_setup_init(&setup, &options, &options.maps[0], &diag), &diag);
    assert_null(setup.table.by_vehicle[SC_CAR]);
    assert_null(setup.table.by_vehicle[SC_TRUCK]);
    assert_null(setup.routes);
    sc__map_setup_fini(&setup);
}

static void test_travellers_ask_for_the_category_of_their_map(void **state)
{
    (void)state;
    sc_lab_options options = small_options(city, "");
    options.methods = 1u << SC_LAB_BASIC;
    options.workload.wanted = SC_WANT_THIS;
    // Were it taken, no request would be admitted.
    options.workload.category = 4711;
    double bytes[2];
    for (sc_category_id category = 0; category < 2; category++) {
        options.maps[0].category = category;
        bytes[category] = run_middle(&options, 1).by_method[SC_LAB_BASIC].bytes_in;
        assert_true(bytes[category] > 0);
    }
    assert_true(bytes[0] != bytes[1]);
}

/** Forty cars that drive along the rows of the grid for `seconds`, 10 m/s to and fro. */
static sc_traces *cars(int seconds)
{
    enum { CARS = 40, ROOM = 1 << 18 };
    char *text = test_take(ROOM, 1);
    size_t used = (size_t)snprintf(text, ROOM, "id,t,x,y\n");
    for (int car = 0; car < CARS; car++) {
        for (int t = 0; t <= seconds; t += 10) {
            const int step = (t / 10 + car) % 10;
            const int x = step <= 5 ? 100 * step : 100 * (10 - step);
            used += (size_t)snprintf(text + used, ROOM - used, "car%d,%d,%d,%d\n", car, t, x,
                                     100 * (car % 6));
            assert_true(used < ROOM);
        }
    }
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    const sc_traces_options options = sc_traces_options_default();
    CHECK_OK(sc_traces_parse(text, used, "cars.csv", &options, &traces, &diag), &diag);
    free(text);
    return traces;
}

static void test_travellers_may_do_as_recorded_ones_did(void **state)
{
    (void)state;
    sc_traces *traces = cars(60);
    sc_lab_options options = small_options(grid, "");
    options.maps[0].traces = traces;
    options.maps[0].follow = sc_follow_options_default();
    const sc_lab_result once = run_middle(&options, 1);
    const sc_lab_result twice = run_middle(&options, 1);
    check_same_result(&once, &twice);
    const sc_lab_measure all = once.by_method[SC_LAB_BASIC];
    assert_true(all.cloaked > 0);
    // There were to be 80, and there are 40 cars.
    assert_int_equal(once.travellers, 40);
    // No more of them than there are to be travellers.
    options.travellers = 10;
    const sc_lab_result few = run_middle(&options, 1);
    assert_int_equal(few.travellers, 10);
    assert_in_range(few.by_method[SC_LAB_BASIC].queries, 5, all.queries / 2);
    sc_traces_free(traces);
}

static void test_traces_that_end_too_early_are_refused(void **state)
{
    (void)state;
    sc_traces *traces = cars(10);
    sc_lab_options options = small_options(grid, "");
    options.maps[0].traces = traces;
    options.maps[0].follow = sc_follow_options_default();
    sc__map_setup setup = {0};
    sc_lab_result result;
    sc_diag diag = {""};
    CHECK_OK(sc__map_setup_init(&setup, &options, &options.maps[0], &diag), &diag);
    const sc_lab_point point = sc_lab_point_at(&options, 0, SC_LAB_AXIS_K, 3, 1);
    CHECK_REFUSED(sc__point_run(&options, &setup, &point, &result, &diag), SC_EINVAL, &diag,
                  "the traces of city last 10 s, but 15 s are needed");
    sc__map_setup_fini(&setup);
    sc_traces_free(traces);
}

// --- Questions that are kept -------------------------------------------------------------

static void test_questions_asked_again_have_the_same_outcome(void **state)
{
    (void)state;
    sc_workload workload = small_options(city, "").workload;
    sc__questions questions = {0};
    sc_movement *movement = NULL;
    sc_diag diag = {""};
    sc_run_options options = sc_run_options_default();
    options.listener = sc__questions_listener(&questions);
    sc_run_report asked;
    sc_run_report again;
    CHECK_OK(sc_walk_new(city, 100, 1, &movement, &diag), &diag);
    CHECK_OK(sc_run_travellers(movement, &workload, 20, &options, &asked, &diag), &diag);
    sc_movement_free(movement);
    sc__questions_settle(&questions);
    assert_int_equal(questions.count, asked.queries);
    // Users are kept, though those who named them are gone.
    assert_int_equal(questions.lines[0].ask.user[0], 'u');
    options.listener = (sc_run_listener){.context = NULL};
    CHECK_OK(sc_run_lines(city, questions.lines, questions.count, &options, &again, &diag), &diag);
    assert_int_equal(again.queries, asked.queries);
    assert_int_equal(again.cloaked, asked.cloaked);
    assert_int_equal(again.cloaks, asked.cloaks);
    CHECK_SAME(again.wait_s.mean, asked.wait_s.mean);
    sc__questions_fini(&questions);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_same_seed_gives_the_same_numbers_and_another_gives_others),
    cmocka_unit_test(test_every_method_gets_the_same_questions),
    cmocka_unit_test(test_methods_are_the_engines_that_they_name),
    cmocka_unit_test(test_a_method_does_as_well_among_others_as_by_itself),
    cmocka_unit_test(test_literal_baselines_are_asked_the_same_and_touch_no_other_method),
    cmocka_unit_test(test_literal_baselines_serve_travellers_of_their_own),
    cmocka_unit_test(test_injected_queries_leave_literal_baselines_as_they_are),
    cmocka_unit_test(test_what_is_varied_has_its_effect),
    cmocka_unit_test(test_warm_up_and_tail_do_not_count),
    cmocka_unit_test(test_the_last_query_has_company_too),
    cmocka_unit_test(test_all_methods_have_the_engine_of_the_options),
    cmocka_unit_test(test_a_cap_is_for_all_methods_and_without_it_each_has_its_own),
    cmocka_unit_test(test_every_method_shows_as_many_cloaks_as_the_one_with_the_fewest),
    cmocka_unit_test(test_an_index_changes_what_it_takes_and_not_what_comes_back),
    cmocka_unit_test(test_requests_that_are_refused_are_told_as_such),
    cmocka_unit_test(test_on_a_map_without_objects_there_is_nothing_to_ask_for),
    cmocka_unit_test(test_in_a_closed_loop_each_method_has_travellers_of_its_own),
    cmocka_unit_test(test_travellers_may_turn_at_random_or_be_on_trips_with_more_trucks),
    cmocka_unit_test(test_travellers_that_turn_at_random_need_no_routes),
    cmocka_unit_test(test_travellers_ask_for_the_category_of_their_map),
    cmocka_unit_test(test_travellers_may_do_as_recorded_ones_did),
    cmocka_unit_test(test_traces_that_end_too_early_are_refused),
    cmocka_unit_test(test_questions_asked_again_have_the_same_outcome),
};
SC_SUITE_WITH(tests, open_maps, close_maps)
