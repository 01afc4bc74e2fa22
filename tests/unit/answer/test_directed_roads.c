// One-way roads, roundabouts, dead ends that cannot be left, roads that are quick or slow: answers
// worked out by hand. Each is asked of the provider for the position itself, and made of its
// replies for a cloak of one road and for one of the whole map, which a plain search confirms.
#include "support/both_sides.h"
#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/sketch.h"

#include <math.h>

/** A road from one node to another; a time below 0: closed. */
typedef struct road {
    uint32_t from;
    uint32_t to;
    double metres;
    double ahead_s;
    double back_s;
} road;

static const double SHUT = SC_CLOSED_S;

/** An object: metres along a road. Objects are called by their place in the list. */
typedef struct thing {
    uint32_t road;
    double metres;
} thing;

typedef struct world {
    const road *roads;
    sc_map *map;
    sc_objects *objects;
    slow_nearest slow;
    sc_rng rng;
} world;

static world world_new(uint32_t node_count, const road *roads, uint32_t road_count,
                       const thing *things, uint32_t thing_count)
{
    world w = {.roads = roads};
    sketch s = sketch_new(SC_COORDS_NONE);
    for (uint32_t i = 0; i < node_count; i++) {
        sketch_add_node(&s, 0.0, 0.0);
    }
    for (uint32_t i = 0; i < road_count; i++) {
        sketch_add_edge(&s, roads[i].from, roads[i].to, roads[i].metres);
    }
    sc_builder *builder = sketch_builder(&s);
    for (uint32_t i = 0; i < road_count; i++) {
        CHECK_OK(sc_builder_set_edge_times(builder, i, roads[i].ahead_s, roads[i].back_s), NULL);
    }
    for (uint32_t i = 0; i < thing_count; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        const double length = roads[things[i].road].metres;
        put_object(builder, things[i].road, length > 0.0 ? things[i].metres / length : 0.0, "thing",
                   name);
    }
    w.map = finish_builder(builder);
    sketch_free(&s);
    CHECK_OK(sc_objects_new_from_map(w.map, &w.objects), NULL);
    w.slow = slow_nearest_new(w.map, sc_objects_table(w.objects));
    sc_rng_seed(&w.rng, 1);
    return w;
}

static void world_free(world *w)
{
    slow_nearest_free(&w->slow);
    sc_objects_release(w->objects);
    sc_map_free(w->map);
}

// A position on a road. No two roads of these maps join the same nodes.
static odd_position position_on(const world *w, uint32_t which, double metres)
{
    const road *r = &w->roads[which];
    for (sc_edge_id e = 0; e < sc_map_edge_count(w->map); e++) {
        const sc_edge *edge = &sc_map_edges(w->map)[e];
        if (edge->from == r->from && edge->to == r->to) {
            return (odd_position){.edge = e, .offset_m = metres};
        }
        if (edge->from == r->to && edge->to == r->from) {
            return (odd_position){.edge = e, .offset_m = r->metres - metres};
        }
    }
    fail_msg("there is no road %u", which);
    return (odd_position){.edge = SC_NONE};
}

/** What must be found: a letter, and both measures of the way. */
typedef struct found {
    char letter;
    double metres;
    double seconds;
} found;

static void check_cloaks(world *w, odd_position at, const sc_request *request)
{
    both_sides b = both_sides_new(w->objects, &w->slow, BY_CALL);
    const sc_seg_id own = sc_map_edges(w->map)[at.edge].segment;
    for (int is_whole = 0; is_whole < 2; is_whole++) {
        bool *inside = test_take(sc_map_segment_count(w->map), sizeof *inside);
        for (sc_seg_id s = 0; s < sc_map_segment_count(w->map); s++) {
            inside[s] = is_whole || s == own;
        }
        odd_cloak cloak = odd_cloak_of(w->map, inside);
        assert_true(both_sides_open(&b, &cloak, request, 1, &w->rng));
        both_sides_check(&b, 0, at);
        odd_cloak_free(&cloak);
    }
    both_sides_free(&b);
}

static void check_answer(world *w, odd_position at, const sc_request *request, const found *wanted,
                         size_t wanted_count)
{
    sc_lbs *lbs = NULL;
    const sc_lbs_options options = sc_lbs_options_default();
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_new(w->map, &options, &lbs, &diag), &diag);
    const sc_near *got = NULL;
    size_t count = 0;
    const sc_near_query query = {
        {.edge = at.edge, .offset_m = at.offset_m, .direction = at.direction}, request};
    CHECK_OK(sc_lbs_nearest(lbs, w->objects, &query, &got, &count, &diag), &diag);
    assert_int_equal(count, wanted_count);
    const sc_object_table *table = sc_objects_table(w->objects);
    for (size_t i = 0; got && i < wanted_count; i++) {
        const char *name = table->strings + table->objects[got[i].object].name;
        assert_int_equal(name[0], wanted[i].letter);
        CHECK_CLOSE(got[i].distance_m, wanted[i].metres, 1e-6);
        CHECK_CLOSE(got[i].duration_s, wanted[i].seconds, 1e-6);
    }
    sc_lbs_free(lbs);
    check_cloaks(w, at, request);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CHECK_ANSWER(world, at, request, ...)                         \
    check_answer(world, at, &(request), (const found[]){__VA_ARGS__}, \
                 COUNT(((const found[]){__VA_ARGS__})))

static const sc_request by_distance = {.type = SC_REQUEST_KNN, .k = 5};
static const sc_request by_time = {.type = SC_REQUEST_KNN, .metric = SC_METRIC_TIME, .k = 5};

// A block of four one-way roads with a stub at each corner; the thing is 10 m behind.
static void test_what_is_just_behind_on_a_one_way_road_is_all_the_way_round(void **state)
{
    (void)state;
    static const road roads[] = {
        {0, 1, 100, 10, SHUT}, {1, 2, 100, 10, SHUT}, {2, 3, 100, 10, SHUT}, {3, 0, 100, 10, SHUT},
        {0, 4, 50, 5, 5},      {1, 5, 50, 5, 5},      {2, 6, 50, 5, 5},      {3, 7, 50, 5, 5}};
    static const thing things[] = {{0, 40}, {1, 30}};
    world w = world_new(8, roads, COUNT(roads), things, COUNT(things));
    CHECK_ANSWER(&w, position_on(&w, 0, 50), by_distance, {'b', 80, 8}, {'a', 390, 39});
    CHECK_ANSWER(&w, position_on(&w, 0, 40), by_distance, {'a', 0, 0}, {'b', 90, 9});
    world_free(&w);
}

// A roundabout with arms in the west, south, east and north, driven in that order.
static void test_a_roundabout_is_driven_one_way(void **state)
{
    (void)state;
    static const road roads[] = {{0, 1, 20, 4, SHUT}, {1, 2, 20, 4, SHUT}, {2, 3, 20, 4, SHUT},
                                 {3, 0, 20, 4, SHUT}, {0, 4, 100, 10, 10}, {1, 5, 100, 10, 10},
                                 {2, 6, 100, 10, 10}, {3, 7, 100, 10, 10}};
    static const thing things[] = {{5, 50}, {7, 50}};  // south and north
    world w = world_new(8, roads, COUNT(roads), things, COUNT(things));
    // From the west arm the first exit is a quarter round, the last three quarters.
    CHECK_ANSWER(&w, position_on(&w, 4, 50), by_distance, {'a', 120, 14}, {'b', 160, 22});
    // And from the east arm the other way round.
    CHECK_ANSWER(&w, position_on(&w, 6, 50), by_distance, {'b', 120, 14}, {'a', 160, 22});
    world_free(&w);
}

// A cross whose arm to node 2 leads one way into a dead end.
static void test_a_dead_end_that_cannot_be_left(void **state)
{
    (void)state;
    static const road roads[] = {{0, 1, 100, 10, 10}, {0, 2, 100, 10, SHUT}, {0, 3, 100, 10, 10}};
    static const thing things[] = {{0, 50}, {1, 50}, {1, 80}};
    world w = world_new(4, roads, COUNT(roads), things, COUNT(things));
    CHECK_ANSWER(&w, position_on(&w, 1, 60), by_distance, {'c', 20, 2});
    CHECK_ANSWER(&w, position_on(&w, 1, 60), by_time, {'c', 20, 2});
    CHECK_ANSWER(&w, position_on(&w, 2, 50), by_distance, {'a', 100, 10}, {'b', 100, 10},
                 {'c', 130, 13});
    check_answer(&w, position_on(&w, 1, 90), &by_distance, NULL, 0);
    world_free(&w);
}

// Two crosses, joined by a road that leads from the first to the second only.
static void test_a_component_that_is_reached_one_way_only(void **state)
{
    (void)state;
    static const road roads[] = {{0, 1, 100, 10, 10},
                                 {0, 2, 100, 10, 10},
                                 {0, 3, 200, 20, SHUT},
                                 {3, 4, 100, 10, 10},
                                 {3, 5, 100, 10, 10}};
    static const thing things[] = {{0, 50}, {3, 50}};
    world w = world_new(6, roads, COUNT(roads), things, COUNT(things));
    CHECK_ANSWER(&w, position_on(&w, 1, 50), by_distance, {'a', 100, 10}, {'b', 300, 30});
    CHECK_ANSWER(&w, position_on(&w, 4, 50), by_distance, {'b', 100, 10});
    world_free(&w);
}

// The road from node 2 leads out of a dead end: nothing leads to what is on it, but from behind.
static void test_what_no_road_leads_to_is_left_out(void **state)
{
    (void)state;
    static const road roads[] = {{0, 1, 100, 10, 10}, {2, 0, 100, 10, SHUT}, {0, 3, 100, 10, 10}};
    static const thing things[] = {{0, 50}, {1, 50}};
    world w = world_new(4, roads, COUNT(roads), things, COUNT(things));
    const sc_request far = {.type = SC_REQUEST_RANGE, .radius_m = 10000};
    CHECK_ANSWER(&w, position_on(&w, 2, 50), by_distance, {'a', 100, 10});
    CHECK_ANSWER(&w, position_on(&w, 2, 50), far, {'a', 100, 10});
    CHECK_ANSWER(&w, position_on(&w, 1, 60), by_distance, {'a', 90, 9});
    CHECK_ANSWER(&w, position_on(&w, 1, 40), by_distance, {'b', 10, 1}, {'a', 110, 11});
    world_free(&w);
}

// From node 0 a short and slow road leads to a, a long and quick one to b; beyond both is c, 2 s or
// 20 m on.
static void test_the_nearest_by_time_are_others_than_by_distance(void **state)
{
    (void)state;
    static const road roads[] = {{0, 1, 100, 50, 50}, {0, 2, 400, 20, 20}, {0, 3, 10, 1, 1},
                                 {1, 4, 20, 2, 2},    {2, 4, 20, 2, 2},    {4, 5, 30, 3, 3},
                                 {1, 6, 10, 1, 1},    {2, 7, 10, 1, 1}};
    static const thing things[] = {{0, 100}, {1, 400}, {5, 30}};
    world w = world_new(8, roads, COUNT(roads), things, COUNT(things));
    const odd_position at = position_on(&w, 2, 0);
    CHECK_ANSWER(&w, at, by_distance, {'a', 100, 50}, {'b', 140, 54}, {'c', 150, 55});
    CHECK_ANSWER(&w, at, by_time, {'b', 400, 20}, {'a', 440, 24}, {'c', 450, 25});
    // Ranges in seconds, with and without what is at the rim.
    const sc_request in_24_s = {
        .type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 24.0};
    const sc_request less = {
        .type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 23.999};
    CHECK_ANSWER(&w, at, in_24_s, {'b', 400, 20}, {'a', 440, 24});
    CHECK_ANSWER(&w, at, less, {'b', 400, 20});
    world_free(&w);
}

// Two ways of 100 m to node 3, one quicker; and two of 30 s, one shorter.
static void test_of_equal_ways_the_other_measure_decides(void **state)
{
    (void)state;
    static const road roads[] = {{0, 1, 50, 10, 10}, {1, 3, 50, 10, 10}, {0, 2, 40, 30, 30},
                                 {2, 3, 60, 30, 30}, {3, 4, 10, 1, 1},   {0, 5, 10, 1, 1},
                                 {3, 6, 70, 30, 30}, {4, 6, 69, 29, 29}, {1, 7, 10, 1, 1},
                                 {2, 8, 10, 1, 1},   {4, 9, 10, 1, 1},   {6, 10, 10, 1, 1}};
    static const thing things[] = {{4, 10}, {11, 10}};
    world w = world_new(11, roads, COUNT(roads), things, COUNT(things));
    const odd_position at = position_on(&w, 5, 0);
    CHECK_ANSWER(&w, at, by_distance, {'a', 110, 21}, {'b', 180, 51});
    CHECK_ANSWER(&w, at, by_time, {'a', 110, 21}, {'b', 180, 51});
    world_free(&w);
}

// An object at an intersection, on a road that is closed there, is at the intersection.
static void test_offsets_at_nodes_and_roads_without_length(void **state)
{
    (void)state;
    static const road roads[] = {{0, 1, 100, 10, 10}, {2, 0, 100, 10, SHUT}, {0, 3, 0, 0, 0},
                                 {3, 4, 100, 10, 10}, {3, 5, 100, 10, 10},   {0, 6, 100, 10, 10}};
    static const thing things[] = {{1, 100}, {2, 0}, {3, 0}};
    world w = world_new(7, roads, COUNT(roads), things, COUNT(things));
    CHECK_ANSWER(&w, position_on(&w, 0, 50), by_distance, {'a', 50, 5}, {'b', 50, 5}, {'c', 50, 5});
    CHECK_ANSWER(&w, position_on(&w, 0, 0), by_time, {'a', 0, 0}, {'b', 0, 0}, {'c', 0, 0});
    world_free(&w);
}

// With a direction: on to the intersection, and not back by the road before.
static void test_a_traveller_with_a_direction_drives_on(void **state)
{
    (void)state;
    static const road roads[] = {{0, 1, 100, 10, 10},
                                 {0, 2, 100, 10, 10},
                                 {0, 3, 100, 10, 10},
                                 {1, 4, 100, 10, 10},
                                 {1, 5, 100, 10, 10}};
    static const thing things[] = {{0, 40}, {3, 50}};
    world w = world_new(6, roads, COUNT(roads), things, COUNT(things));
    odd_position at = position_on(&w, 0, 50);
    CHECK_ANSWER(&w, at, by_distance, {'a', 10, 1}, {'b', 100, 10});
    // Towards node 1: a is behind, and is reached by turning there.
    const bool is_turned = sc_map_edges(w.map)[at.edge].from != 0;
    at.direction = is_turned ? SC_BACKWARD : SC_FORWARD;
    CHECK_ANSWER(&w, at, by_distance, {'b', 100, 10}, {'a', 110, 11});
    at.direction = is_turned ? SC_FORWARD : SC_BACKWARD;
    CHECK_ANSWER(&w, at, by_distance, {'a', 10, 1}, {'b', 200, 20});
    world_free(&w);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_just_behind_on_a_one_way_road_is_all_the_way_round),
    cmocka_unit_test(test_a_roundabout_is_driven_one_way),
    cmocka_unit_test(test_a_dead_end_that_cannot_be_left),
    cmocka_unit_test(test_a_component_that_is_reached_one_way_only),
    cmocka_unit_test(test_what_no_road_leads_to_is_left_out),
    cmocka_unit_test(test_the_nearest_by_time_are_others_than_by_distance),
    cmocka_unit_test(test_of_equal_ways_the_other_measure_decides),
    cmocka_unit_test(test_offsets_at_nodes_and_roads_without_length),
    cmocka_unit_test(test_a_traveller_with_a_direction_drives_on),
};
SC_SUITE(tests)
