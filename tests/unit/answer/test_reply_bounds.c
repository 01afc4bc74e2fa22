// What the map alone allows of a reply: least lengths, and how many objects there are.
#include "answer/reply_bounds.h"
#include "drawn_cloak.h"
#include "support/check.h"
#include "support/odd_objects.h"
#include "support/odd_town.h"
#include "support/sketch.h"

// === Lower bounds for distances: never above a way there is, and not far below it ===============

static sc_space_point spot_of(const drawn_cloak *c, char letter)
{
    return sc__space_point_of(c->map, sketch_node(&c->s, letter));
}

// From A to G the straight line is 82.46 m, by road it is 100 m.
static void test_where_roads_are_straight_the_bound_is_the_straight_line(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    const sc_cost_bounds bounds = sc__cost_bounds_of(c->map, SC_METRIC_DISTANCE);
    const double unit_m = sc_map_unit_m(c->map);
    const double least = sc__cost_bounds_least(&bounds, spot_of(c, 'A'), spot_of(c, 'G'));
    CHECK_CLOSE(least * unit_m, sqrt(80.0 * 80.0 + 20.0 * 20.0), 0.001);
    CHECK_CLOSE(bounds.total * unit_m, 10 * 40.0 + 8 * 20.0, 1e-6);
    drawn_cloak_free(c);
}

// One road that is 10 m long where the line is 40 m costs 30 m, and no share of every distance.
static void test_a_road_that_is_too_short_costs_its_own_shortness(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 40, 2);
    s.edges[0].length = 70.0;  // in place of 100 m
    sc_map *map = sketch_map(&s);
    const sc_cost_bounds bounds = sc__cost_bounds_of(map, SC_METRIC_DISTANCE);
    const double unit_m = sc_map_unit_m(map);
    // From one end of the row to the other, 3,900 m; the least share of an edge is 0.7.
    const double least =
        sc__cost_bounds_least(&bounds, sc__space_point_of(map, 0), sc__space_point_of(map, 39));
    CHECK_CLOSE(least * unit_m, 3870.0, 0.001);
    CHECK_CLOSE(bounds.shares[SC_BOUND_SHARES - 1], 0.7, 1e-6);
    sc_map_free(map);
    sketch_free(&s);
}

// On the globe the line goes through the earth: a little below the way along its surface.
static void test_on_the_globe_the_bound_is_close_to_the_distance(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 30, 2);
    for (uint32_t e = 0; e < s.edge_count; e++) {
        s.edges[e].length = SC_LENGTH_FROM_NODES;
    }
    sc_map *map = sketch_map(&s);
    const sc_cost_bounds bounds = sc__cost_bounds_of(map, SC_METRIC_DISTANCE);
    const double least =
        sc__cost_bounds_least(&bounds, sc__space_point_of(map, 0), sc__space_point_of(map, 29));
    CHECK_CLOSE(least * sc_map_unit_m(map), 2900.0, 1.0);
    sc_map_free(map);
    sketch_free(&s);
}

static void check_allowed(const sc_cost_bounds *bounds, const sc_approach *approach,
                          sc_space_point from, uint64_t parts)
{
    const double cost = (double)parts / (double)SLOW_PARTS * (1.0 + 1e-9) + 2.0;
    assert_true(sc__approach_allows(bounds, approach, from, cost));
    assert_true(cost <= bounds->total + 4.0 + 2e-9 * bounds->total);
}

// Whatever the map, no node and no object is nearer than the bound allows, by distance or by time.
static void test_no_way_is_below_the_bound(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        const sc_map *map = town.map;
        sc_known_spots known = {.nodes = {0}};
        for (int i = 0; i < 4; i++) {
            const sc_metric metric = i % 2 ? SC_METRIC_TIME : SC_METRIC_DISTANCE;
            const sc_metric other = i % 2 ? SC_METRIC_DISTANCE : SC_METRIC_TIME;
            const sc_cost_bounds bounds = sc__cost_bounds_of(map, metric);
            const sc_cost_bounds other_bounds = sc__cost_bounds_of(map, other);
            const sc_star_id star = sc_rng_below(&town.rng, sc_map_star_count(map));
            // A pseudo-star may be in the middle of a ring, where no query is.
            if (sc_map_stars(map)[star + 1].first_segment ==
                sc_map_stars(map)[star].first_segment + 1) {
                continue;
            }
            const sc_node_id node = sc_map_stars(map)[star].node;
            const sc_space_point from = sc__space_point_of(map, node);
            const sc_request all = {.type = SC_REQUEST_KNN, .metric = metric, .k = UINT32_MAX};
            slow_answer answer = slow_nearest_at_node(&town.slow, node, &all);
            for (size_t j = 0; j < answer.near_count; j++) {
                const sc_object *object = &town.slow.table->objects[answer.nears[j].object];
                const sc_approach by_road =
                    sc__approach_by_road(&known, map, object->edge, object->offset);
                check_allowed(&bounds, &by_road, from, answer.nears[j].distance);
                check_allowed(&other_bounds, &by_road, from, answer.nears[j].other);
            }
            for (sc_node_id v = 0; v < sc_map_node_count(map); v++) {
                if (town.slow.node_distance[v] == SLOW_NO_WAY) continue;
                const double distance = (double)town.slow.node_distance[v] / (double)SLOW_PARTS;
                const double least =
                    sc__cost_bounds_least(&bounds, from, sc__space_point_of(map, v));
                assert_true(least <= distance * (1.0 + 1e-9) + 2.0);
                const double least_other =
                    sc__cost_bounds_least(&other_bounds, from, sc__space_point_of(map, v));
                const double along = (double)town.slow.node_other[v] / (double)SLOW_PARTS;
                assert_true(least_other <= along * (1.0 + 1e-9) + 2.0);
            }
            slow_answer_free(&answer);
        }
        odd_town_free(&town);
    }
    check_case_done();
}

// On H-M, a dead end, 30 m from H: every way there passes H, also if M's end is near them.
static void test_an_object_is_approached_by_the_ends_of_its_road(void **state)
{
    (void)state;
    drawn_cloak *c = drawn_cloak_new();
    const sc_cost_bounds bounds = sc__cost_bounds_of(c->map, SC_METRIC_DISTANCE);
    const double unit = 1.0 / sc_map_unit_m(c->map);
    sc_known_spots known = {.nodes = {0}};
    const sc_object *dead_end = &c->objects[drawn_object_named(c, "on HM")];
    const sc_approach by_h = sc__approach_by_road(&known, c->map, dead_end->edge, dead_end->offset);
    CHECK_CLOSE(by_h.way[SC_METRIC_DISTANCE][0], 30.0 * unit, 1e-6);
    assert_true(isinf(by_h.way[SC_METRIC_DISTANCE][1]));
    // From K: the line to H is 44.72 m, and 30 m on.
    assert_true(sc__approach_allows(&bounds, &by_h, spot_of(c, 'K'), 74.73 * unit));
    assert_false(sc__approach_allows(&bounds, &by_h, spot_of(c, 'K'), 74.71 * unit));

    // Around the bend at D, 12 m behind it: 8 m to H, and 52 m to C.
    const sc_object *bend = &c->objects[drawn_object_named(c, "on DH")];
    const sc_approach both = sc__approach_by_road(&known, c->map, bend->edge, bend->offset);
    CHECK_CLOSE(both.way[SC_METRIC_DISTANCE][0] + both.way[SC_METRIC_DISTANCE][1], 60.0 * unit,
                1e-6);
    CHECK_CLOSE(fmin(both.way[SC_METRIC_DISTANCE][0], both.way[SC_METRIC_DISTANCE][1]), 8.0 * unit,
                1e-6);
    assert_true(both.star[0] != SC_NONE && both.star[1] != SC_NONE);
    // From C straight to it would be 41.8 m; by road it is at least 52 m, or 44.7 m to H and 8 on.
    assert_true(sc__approach_allows(&bounds, &both, spot_of(c, 'C'), 52.0 * unit));
    assert_false(sc__approach_allows(&bounds, &both, spot_of(c, 'C'), 51.9 * unit));

    // On another's roads only the place counts.
    const sc_approach anyhow = sc__approach_by_position(c->map, bend->edge, bend->offset);
    assert_true(sc__approach_allows(&bounds, &anyhow, spot_of(c, 'C'), 41.8 * unit));
    assert_false(sc__approach_allows(&bounds, &anyhow, spot_of(c, 'C'), 41.7 * unit));
    drawn_cloak_free(c);
}

// Nodes that share a place drive each other out, and come back as they were.
static void test_a_known_spot_is_that_of_its_node(void **state)
{
    (void)state;
    enum { NODES = 3 * SC_KNOWN_SPOTS };
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    for (uint32_t i = 0; i < NODES; i++) {
        sketch_add_node(&s, 8.0 + 1e-4 * i, 49.0 + 1e-5 * (i % 7));
        if (i > 0) sketch_add_edge(&s, i - 1, i, 10.0);
    }
    sc_map *map = sketch_map(&s);
    sc_known_spots known = {.nodes = {0}};
    for (uint32_t i = 0; i < 2 * NODES; i++) {
        const sc_node_id node = i % 2 ? i / 2 : (i * 5) % NODES;
        const sc_space_point got = sc__known_spot(&known, map, node);
        const sc_space_point wanted = sc__space_point_of(map, node);
        assert_true(got.x == wanted.x && got.y == wanted.y && got.z == wanted.z);
    }
    sc_map_free(map);
    sketch_free(&s);
}

// A chain of 60 edges is not walked to its ends; the bound is weaker, and still none too high.
static void test_long_chains_are_not_walked_to_the_end(void **state)
{
    (void)state;
    enum { LENGTH = 60 };
    sketch s = sketch_new(SC_COORDS_PLANAR);
    for (uint32_t i = 0; i <= LENGTH; i++) {
        sketch_add_node(&s, 10.0 * i, 0.0);
        if (i > 0) sketch_add_edge(&s, i - 1, i, 10.0);
    }
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < 2; i++) {
            const uint32_t leaf = sketch_add_node(&s, end ? 700.0 : -100.0, 50.0 * i);
            sketch_add_edge(&s, end ? LENGTH : 0, leaf, 120.0);
        }
    }
    sc_map *map = sketch_map(&s);
    const sc_cost_bounds bounds = sc__cost_bounds_of(map, SC_METRIC_DISTANCE);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        if (edge->from + edge->to != LENGTH - 1) continue;  // the one in the middle: 29 - 30
        sc_known_spots known = {.nodes = {0}};
        const sc_approach approach = sc__approach_by_road(&known, map, e, edge->length / 2);
        for (int side = 0; side < 2; side++) {
            CHECK_CLOSE(approach.way[SC_METRIC_DISTANCE][side] * sc_map_unit_m(map), 165.0, 1e-6);
            assert_int_equal(approach.star[side], SC_NONE);
        }
        const sc_space_point end = sc__space_point_of(map, 0);
        const double unit = 1.0 / sc_map_unit_m(map);
        assert_true(sc__approach_allows(&bounds, &approach, end, 295.0 * unit));
        assert_false(sc__approach_allows(&bounds, &approach, end, 294.9 * unit));
    }
    sc_map_free(map);
    sketch_free(&s);
}

// === How many objects can be reached: what a plain search finds is within what is known =========

static bool all_roads_are_two_way(const sc_map *map)
{
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_travel_times times = sc_map_edge_times(map)[e];
        if (times.forward == SC_CLOSED || times.backward == SC_CLOSED) return false;
    }
    return true;
}

// From every star of an odd map, islands, rings and single roads among them.
static void test_as_many_can_be_reached_as_a_search_finds(void **state)
{
    (void)state;
    enum { TOWNS = 200 };
    size_t partial = 0;
    size_t both = 0;
    size_t unsure = 0;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        sc_object_counts counts = {.weak = {.components = NULL}};
        CHECK_OK(sc__object_counts_init(&counts, town.map), NULL);
        const bool is_two_way = all_roads_are_two_way(town.map);
        sc_request requests[3];
        const size_t count =
            odd_requests(town.map, sc_map_category_count(town.map), &town.rng, requests, 3);
        const uint32_t star_count = sc_map_star_count(town.map);
        for (sc_star_id star = 0; star < star_count; star += 1 + star_count / 8) {
            for (size_t r = 0; r < count; r++) {
                sc_request all = requests[r];
                all.type = SC_REQUEST_KNN;
                all.k = UINT32_MAX;
                slow_answer found =
                    slow_nearest_at_node(&town.slow, sc_map_stars(town.map)[star].node, &all);
                const uint64_t least = sc__object_counts_least(&counts, star, &all);
                const uint64_t most = sc__object_counts_most(&counts, star, &all);
                assert_true(least <= found.near_count);
                assert_true(found.near_count <= most);
                // Where all roads are open both ways, it is known how many there are.
                if (is_two_way) assert_int_equal(least, most);
                both += is_two_way;
                unsure += least < most;
                if (found.near_count < sc_map_object_count(town.map)) partial++;
                slow_answer_free(&found);
            }
        }
        sc__object_counts_fini(&counts);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(partial > TOWNS);
    assert_true(both > TOWNS);
    assert_true(unsure > TOWNS);
}

static void test_a_map_without_objects_has_none_to_reach(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A---B---C\n", "");
    sc_map *map = finish_builder(sketch_builder(&s));
    sc_object_counts counts = {.weak = {.components = NULL}};
    CHECK_OK(sc__object_counts_init(&counts, map), NULL);
    assert_null(counts.weak.components);
    assert_null(counts.strong.components);
    const sc_request any = {.type = SC_REQUEST_KNN, .k = 1};
    assert_int_equal(sc__object_counts_least(&counts, 0, &any), 0);
    assert_int_equal(sc__object_counts_most(&counts, 0, &any), 0);
    sc__object_counts_fini(&counts);
    sc__object_counts_fini(&counts);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_where_roads_are_straight_the_bound_is_the_straight_line),
    cmocka_unit_test(test_a_road_that_is_too_short_costs_its_own_shortness),
    cmocka_unit_test(test_on_the_globe_the_bound_is_close_to_the_distance),
    SC_CASES(test_no_way_is_below_the_bound),
    cmocka_unit_test(test_an_object_is_approached_by_the_ends_of_its_road),
    cmocka_unit_test(test_a_known_spot_is_that_of_its_node),
    cmocka_unit_test(test_long_chains_are_not_walked_to_the_end),
    SC_CASES(test_as_many_can_be_reached_as_a_search_finds),
    cmocka_unit_test(test_a_map_without_objects_has_none_to_reach),
};
SC_SUITE(tests)
