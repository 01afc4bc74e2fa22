// The plain search behind the check of answers, against all distances at once (Floyd and
// Warshall); and what an answer may leave open.
#include "verify/answer_check.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/made_distances.h"
#include "support/sketch.h"

#include <math.h>

static const sc_event_request anything = {.metric = SC_METRIC_DISTANCE};

// Objects all over an odd map.
static sc_map *odd_map_with_objects(uint64_t seed)
{
    sketch s = sketch_odd(seed);
    sc_builder *builder = sketch_builder(&s);
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    for (uint32_t i = 0; i < 20; i++) {
        put_object(builder, sc_rng_below(&rng, s.edge_count), sc_rng_unit(&rng),
                   i % 3 == 0 ? "cafe" : "school", "");
    }
    sketch_free(&s);
    return finish_builder(builder);
}

static void check_distances(const sc_map *map, sc_ways *search, const made_distances *all,
                            const sc_event_request *wish, sc_edge_id edge, double offset_m)
{
    CHECK_OK(sc__ways_from(search, wish, edge, offset_m), NULL);
    size_t count = 0;
    double last_m = 0.0;
    for (;;) {
        sc_searched_object found = {.object = 4711};
        CHECK_OK(sc__ways_next(search, HUGE_VAL, &found), NULL);
        if (found.object == SC_NONE) break;
        const double wanted_m = made_distance(all, edge, offset_m, found.object);
        // The start is rounded to a thousandth of a unit.
        CHECK_CLOSE(found.distance_m, wanted_m, 1e-3 * sc_map_unit_m(map) + 1e-9 * wanted_m);
        assert_true(found.distance_m >= last_m);
        last_m = found.distance_m;
        count++;
    }
    size_t in_reach = 0;
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        const bool is_wanted =
            wish->category_count == 0 || sc_map_objects(map)[i].category == wish->categories[0];
        in_reach += is_wanted && made_distance(all, edge, offset_m, i) < HUGE_VAL;
    }
    assert_int_equal(count, in_reach);
}

static void test_distances_on_odd_maps_are_those_between_all_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        check_case(seed);
        sc_map *map = odd_map_with_objects(seed);
        made_distances all = made_distances_new(map);
        const sc_event_request cafes = {.metric = SC_METRIC_DISTANCE,
                                        .category_count = 1,
                                        .categories = {sc_map_category_find(map, "cafe")}};
        sc_ways search;
        CHECK_OK(sc__ways_init(&search, map), NULL);
        for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
            const double length_m = sc_map_edge_length_m(map, e);
            check_distances(map, &search, &all, &anything, e, 0.0);
            check_distances(map, &search, &all, &anything, e, 0.3 * length_m);
            check_distances(map, &search, &all, &anything, e, length_m);
            check_distances(map, &search, &all, &cafes, e, 0.3 * length_m);
        }
        sc__ways_fini(&search);
        sc__ways_fini(&search);
        made_distances_free(&all);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_a_search_stops_where_it_is_told_to(void **state)
{
    (void)state;
    sc_map *map = made_town();
    made_distances all = made_distances_new(map);
    sc_ways search;
    CHECK_OK(sc__ways_init(&search, map), NULL);
    for (int step = 0; step < 9; step++) {
        const double max_m = 7.0 * step;
        CHECK_OK(sc__ways_from(&search, &anything, 3, 1.0), NULL);
        size_t count = 0;
        for (sc_searched_object found = {.object = 0}; found.object != SC_NONE;
             count += found.object != SC_NONE) {
            CHECK_OK(sc__ways_next(&search, max_m, &found), NULL);
        }
        for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
            count -= made_distance(&all, 3, 1.0, i) <= max_m;
        }
        assert_int_equal(count, 0);
    }
    sc__ways_fini(&search);
    made_distances_free(&all);
    sc_map_free(map);
}

/** Records of old tell no travel time. */
#define UNTOLD ((double)NAN)

// --- What an answer may leave open -----------------------------------------------------

/** Counts complaints. */
static void count_complaint(void *context, sc_promise promise, const char *sentence)
{
    (void)sentence;
    assert_int_equal(promise, SC_PROMISE_ANSWERS);
    ++*(unsigned *)context;
}

// One road of 100 m: two cafes at 30 m, one at 70 m, one at 90 m. The query is at 50 m.
static sc_map *map_of_ties(void)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    sketch_add_node(&s, 0, 0);
    sketch_add_node(&s, 100, 0);
    sketch_add_edge(&s, 0, 1, 100.0);
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.3, "cafe", "");
    put_object(builder, 0, 0.3, "cafe", "");
    put_object(builder, 0, 0.7, "cafe", "");
    put_object(builder, 0, 0.9, "cafe", "");
    sketch_free(&s);
    return finish_builder(builder);
}

static unsigned complaints(const sc_map *map, const sc_event_request *wish,
                           sc_event_result *results, size_t count)
{
    sc_answers answers;
    CHECK_OK(sc__answers_init(&answers, map), NULL);
    unsigned complained = 0;
    sc_findings findings = {.tell = count_complaint, .context = &complained};
    sc_watched watched = {
        .edge = 0, .offset_m = 50.0, .wish = *wish, .results = results, .result_count = count};
    CHECK_OK(sc__answers_look(&answers, &watched, &findings), NULL);
    assert_int_equal(findings.checked[SC_PROMISE_ANSWERS], 1);
    assert_int_equal(findings.violated[SC_PROMISE_ANSWERS], complained);
    sc__answers_fini(&answers);
    sc__answers_fini(&answers);
    return complained;
}

static void test_of_objects_equally_far_any_may_be_named(void **state)
{
    (void)state;
    sc_map *map = map_of_ties();
    const sc_event_request two = {.k = 2};
    for (sc_object_id a = 0; a < 4; a++) {
        for (sc_object_id b = 0; b < 4; b++) {
            // Objects 0 to 2 are 20 m away, the last is 40 m away.
            sc_event_result results[] = {{a, 20.0, UNTOLD}, {b, 20.0, UNTOLD}};
            const bool is_right = a != b && a < 3 && b < 3;
            assert_int_equal(complaints(map, &two, results, 2), is_right ? 0 : 1);
        }
    }
    sc_map_free(map);
}

static void test_distances_may_be_off_by_a_millimetre_and_no_more(void **state)
{
    (void)state;
    sc_map *map = map_of_ties();
    const sc_event_request one = {.k = 1};
    static const double off_m[] = {0.0, 0.001, -0.001, 0.0012, -0.0012};
    for (size_t i = 0; i < 5; i++) {
        sc_event_result result = {1, 20.0 + off_m[i], UNTOLD};
        assert_int_equal(complaints(map, &one, &result, 1), i >= 3 ? 1 : 0);
    }
    sc_map_free(map);
}

static void test_what_lies_on_the_rim_of_a_range_may_be_named_or_not(void **state)
{
    (void)state;
    sc_map *map = map_of_ties();
    const sc_event_request range = {.is_range = true, .radius = 40.0};
    sc_event_result results[] = {
        {0, 20.0, UNTOLD}, {1, 20.0, UNTOLD}, {2, 20.0, UNTOLD}, {3, 40.0, UNTOLD}};
    assert_int_equal(complaints(map, &range, results, 4), 0);
    assert_int_equal(complaints(map, &range, results, 3), 0);
    assert_int_equal(complaints(map, &range, results, 2), 1);
    const sc_event_request smaller = {.is_range = true, .radius = 39.99};
    assert_int_equal(complaints(map, &smaller, results, 4), 1);
    const sc_event_request larger = {.is_range = true, .radius = 40.01};
    assert_int_equal(complaints(map, &larger, results, 3), 1);
    sc_map_free(map);
}

static void test_fewer_objects_than_wanted_are_enough_if_there_are_no_more(void **state)
{
    (void)state;
    sc_map *map = map_of_ties();
    const sc_event_request ten = {.k = 10};
    sc_event_result results[] = {
        {2, 20.0, UNTOLD}, {1, 20.0, UNTOLD}, {0, 20.0, UNTOLD}, {3, 40.0, UNTOLD}};
    assert_int_equal(complaints(map, &ten, results, 4), 0);
    assert_int_equal(complaints(map, &ten, results, 3), 1);
    // A category that the map does not have has no objects.
    const sc_event_request none = {.k = 10, .category_count = 1, .categories = {SC_NONE}};
    assert_int_equal(complaints(map, &none, results, 0), 0);
    assert_int_equal(complaints(map, &none, results, 1), 1);
    const sc_event_request nothing = {.k = 0};
    assert_int_equal(complaints(map, &nothing, results, 0), 0);
    sc_map_free(map);
}

static void test_results_are_told_nearest_first(void **state)
{
    (void)state;
    sc_map *map = map_of_ties();
    const sc_event_request wishes[] = {{.k = 4}, {.is_range = true, .radius = 50.0}};
    for (size_t w = 0; w < 2; w++) {
        // Wherever the farthest stands, only the last place is right.
        for (size_t place = 0; place < 4; place++) {
            sc_event_result results[] = {
                {0, 20.0, UNTOLD}, {1, 20.0, UNTOLD}, {2, 20.0, UNTOLD}, {3, 40.0, UNTOLD}};
            results[3] = results[place];
            results[place] = (sc_event_result){3, 40.0, UNTOLD};
            assert_int_equal(complaints(map, &wishes[w], results, 4), place == 3 ? 0 : 1);
        }
        // What rounding does to objects equally far is no disorder; a step of more is.
        sc_event_result rounded[] = {
            {0, 20.0005, UNTOLD}, {1, 20.0, UNTOLD}, {2, 19.9995, UNTOLD}, {3, 40.0, UNTOLD}};
        assert_int_equal(complaints(map, &wishes[w], rounded, 4), 0);
        sc_event_result falling[] = {
            {0, 20.001, UNTOLD}, {1, 20.0, UNTOLD}, {2, 19.999, UNTOLD}, {3, 40.0, UNTOLD}};
        assert_int_equal(complaints(map, &wishes[w], falling, 4), 1);
    }
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_distances_on_odd_maps_are_those_between_all_nodes),
    cmocka_unit_test(test_a_search_stops_where_it_is_told_to),
    cmocka_unit_test(test_of_objects_equally_far_any_may_be_named),
    cmocka_unit_test(test_distances_may_be_off_by_a_millimetre_and_no_more),
    cmocka_unit_test(test_what_lies_on_the_rim_of_a_range_may_be_named_or_not),
    cmocka_unit_test(test_fewer_objects_than_wanted_are_enough_if_there_are_no_more),
    cmocka_unit_test(test_results_are_told_nearest_first),
};
SC_SUITE(tests)
