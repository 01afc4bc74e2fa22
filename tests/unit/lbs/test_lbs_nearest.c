// The exact answer for one point, held against a plain Dijkstra (support/slow_nearest.h); and that
// Dijkstra against all distances by Floyd and Warshall, so that it deserves to be believed.
#include <starcloak/lbs.h>

#include "support/check.h"
#include "support/made_distances.h"
#include "support/odd_cloak.h"
#include "support/odd_objects.h"
#include "support/odd_town.h"

#include <math.h>

enum { TOWNS = 1000, POINTS_PER_TOWN = 6 };

static odd_position any_position(odd_town *town)
{
    const sc_seg_id segment = sc_rng_below(&town->rng, sc_map_segment_count(town->map));
    return odd_position_on(town->map, segment, &town->rng);
}

static void test_the_slow_reference_agrees_with_all_distances_by_floyd_and_warshall(void **state)
{
    (void)state;
    uint64_t objects = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        const sc_metric metric = seed % 2 ? SC_METRIC_TIME : SC_METRIC_DISTANCE;
        made_distances all = made_distances_by(town.map, metric);
        const odd_position at = any_position(&town);
        town.slow.metric = metric;
        slow_measure(&town.slow, at.edge, at.offset_m);
        for (sc_object_id o = 0; o < sc_map_object_count(town.map); o++) {
            const uint64_t parts = town.slow.object_distance[o];
            const double right = made_distance(&all, at.edge, at.offset_m, o);
            assert_true((parts == SLOW_NO_WAY) == isinf(right));
            objects++;
            if (parts == SLOW_NO_WAY) continue;
            CHECK_CLOSE(slow_amount(&town.slow, metric, parts), right,
                        slow_amount(&town.slow, metric, SLOW_TOLERANCE));
        }
        made_distances_free(&all);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(objects > 1000);
}

// Pausing at a limit and going on must not change what is found.
static void test_the_slow_reference_finds_the_same_whether_it_pauses_or_not(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        const odd_position at = any_position(&town);
        const sc_request request =
            odd_request(town.map, sc_map_category_count(town.map), &town.rng);
        town.slow.direction = at.direction;
        town.slow.metric = request.metric;
        slow_measure(&town.slow, at.edge, at.offset_m);
        slow_answer whole =
            slow_answer_of(&town.slow, town.slow.object_distance, town.slow.object_other, &request);
        slow_answer paused = slow_nearest_at(&town.slow, at.edge, at.offset_m, &request);
        assert_int_equal(whole.near_count, paused.near_count);
        assert_int_equal(whole.least_count, paused.least_count);
        assert_int_equal(whole.most_count, paused.most_count);
        for (size_t i = 0; i < whole.near_count; i++) {
            assert_int_equal(whole.nears[i].object, paused.nears[i].object);
            assert_int_equal(whole.nears[i].distance, paused.nears[i].distance);
            assert_int_equal(whole.nears[i].other, paused.nears[i].other);
        }
        slow_answer_free(&whole);
        slow_answer_free(&paused);
        odd_town_free(&town);
    }
    check_case_done();
}

static void test_every_point_gets_its_exact_answer(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        sc_lbs *lbs = odd_town_lbs(&town, false);
        for (int i = 0; i < POINTS_PER_TOWN; i++) {
            const odd_position at = any_position(&town);
            const sc_request request =
                odd_request(town.map, sc_map_category_count(town.map), &town.rng);
            const sc_near *got = NULL;
            size_t count = 0;
            sc_diag diag = {""};
            const sc_near_query query = {
                {.edge = at.edge, .offset_m = at.offset_m, .direction = at.direction}, &request};
            CHECK_OK(sc_lbs_nearest(lbs, town.objects, &query, &got, &count, &diag), &diag);
            town.slow.direction = at.direction;
            slow_answer wanted = slow_nearest_at(&town.slow, at.edge, at.offset_m, &request);
            slow_check_answer(&town.slow, &wanted, got, count, "point");
            for (size_t j = 1; j < count; j++) {
                assert_true(sc_near_cost(&got[j], request.metric) >
                                sc_near_cost(&got[j - 1], request.metric) ||
                            got[j].object > got[j - 1].object);
            }
            slow_answer_free(&wanted);
        }
        sc_lbs_free(lbs);
        odd_town_free(&town);
    }
    check_case_done();
}

// At a whole unit all distances are whole: then an object whose distance is the radius, to the last
// bit, is within it.
static void test_an_object_at_exactly_the_radius_is_within_it(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        sc_lbs *lbs = odd_town_lbs(&town, false);
        const sc_edge_id edge = sc_rng_below(&town.rng, sc_map_edge_count(town.map));
        const uint32_t length = sc_map_edges(town.map)[edge].length;
        const double offset_m = sc_rng_below(&town.rng, length + 1) * sc_map_unit_m(town.map);
        const sc_request nearest = {.type = SC_REQUEST_KNN, .k = 3};
        slow_answer known = slow_nearest_at(&town.slow, edge, offset_m, &nearest);
        for (size_t i = 0; i < known.least_count; i++) {
            const sc_request range = {.type = SC_REQUEST_RANGE,
                                      .radius_m = slow_metres(&town.slow, known.nears[i].distance)};
            const sc_near *got = NULL;
            size_t count = 0;
            sc_diag diag = {""};
            CHECK_OK(sc_lbs_nearest(lbs, town.objects,
                                    &(sc_near_query){{.edge = edge, .offset_m = offset_m}, &range},
                                    &got, &count, &diag),
                     &diag);
            slow_answer wanted = slow_nearest_at(&town.slow, edge, offset_m, &range);
            assert_int_equal(count, wanted.most_count);
            slow_answer_free(&wanted);
        }
        slow_answer_free(&known);
        sc_lbs_free(lbs);
        odd_town_free(&town);
    }
    check_case_done();
}

// --- What makes no sense -------------------------------------------------------------------

static sc_err ask(sc_lbs *lbs, const odd_town *town, sc_edge_id edge, double offset_m,
                  sc_request request)
{
    const sc_near *got = NULL;
    size_t count = 0;
    sc_diag diag = {""};
    const sc_err err = sc_lbs_nearest(
        lbs, town->objects, &(sc_near_query){{.edge = edge, .offset_m = offset_m}, &request}, &got,
        &count, &diag);
    if (err) assert_true(strlen(diag.message) > 10);
    return err;
}

static void test_a_place_that_is_none_is_refused(void **state)
{
    (void)state;
    odd_town town = odd_town_new(3);
    sc_lbs *lbs = odd_town_lbs(&town, false);
    const sc_request one = {.type = SC_REQUEST_KNN, .k = 1};
    const double length_m = sc_map_edge_length_m(town.map, 0);
    assert_int_equal(ask(lbs, &town, 0, length_m, one), SC_OK);
    assert_int_equal(ask(lbs, &town, 0, length_m + 0.01, one), SC_EINVAL);
    assert_int_equal(ask(lbs, &town, 0, -0.01, one), SC_EINVAL);
    assert_int_equal(ask(lbs, &town, 0, NOT_A_NUMBER, one), SC_EINVAL);
    assert_int_equal(ask(lbs, &town, 0, HUGE_VAL, one), SC_EINVAL);
    assert_int_equal(ask(lbs, &town, sc_map_edge_count(town.map), 0, one), SC_EUNKNOWN);
    assert_int_equal(ask(lbs, &town, SC_NONE, 0, one), SC_EUNKNOWN);
    sc_lbs_free(lbs);
    odd_town_free(&town);
}

static void test_a_request_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    odd_town town = odd_town_new(3);
    sc_lbs *lbs = NULL;
    const sc_lbs_options options = sc_lbs_options_default();
    CHECK_OK(sc_lbs_new(town.map, &options, &lbs, NULL), NULL);
    const uint32_t categories = sc_map_category_count(town.map);
    const sc_request bad[] = {
        {.type = SC_REQUEST_KNN, .k = 0},
        {.type = SC_REQUEST_KNN, .k = options.limits.max_k + 1},
        {.type = SC_REQUEST_RANGE, .radius_m = -1},
        {.type = SC_REQUEST_RANGE, .radius_m = NOT_A_NUMBER},
        {.type = SC_REQUEST_RANGE, .radius_m = options.limits.max_radius_m * 1.01},
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = 1, .categories = {categories}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        assert_int_equal(ask(lbs, &town, 0, 0, bad[i]), SC_EREQUEST);
    }
    check_case_done();
    sc_lbs_free(lbs);
    odd_town_free(&town);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_slow_reference_agrees_with_all_distances_by_floyd_and_warshall),
    SC_CASES(test_the_slow_reference_finds_the_same_whether_it_pauses_or_not),
    SC_CASES(test_every_point_gets_its_exact_answer),
    SC_CASES(test_an_object_at_exactly_the_radius_is_within_it),
    cmocka_unit_test(test_a_place_that_is_none_is_refused),
    SC_CASES(test_a_request_that_makes_no_sense_is_refused),
};
SC_SUITE(tests)
