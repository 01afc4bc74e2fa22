// Ways over directed roads, by distance and by travel time: the plain search behind the check of
// answers, against all ways at once (Floyd and Warshall) on odd maps, and by hand where one can see
// what must come of it.
#include "verify/answer_check.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

#include <math.h>
#include <string.h>

// === All ways between nodes ==================================================================

/** A way: what it costs, and its other measure; the map's units. */
typedef struct measured {
    double cost;
    double other;
} measured;

typedef struct all_ways {
    const sc_map *map;
    sc_metric metric;
    measured *between;
} all_ways;

static const measured no_way = {HUGE_VAL, HUGE_VAL};

static measured least(measured a, measured b)
{
    if (a.cost != b.cost) return a.cost < b.cost ? a : b;
    return a.other < b.other ? a : b;
}

static measured sum(measured a, measured b)
{
    return (measured){a.cost + b.cost, a.other + b.other};
}

static measured by_metric(const all_ways *all, double distance, double time)
{
    return all->metric == SC_METRIC_TIME ? (measured){time, distance} : (measured){distance, time};
}

static measured *between(const all_ways *all, sc_node_id from, sc_node_id to)
{
    return &all->between[(size_t)from * sc_map_node_count(all->map) + to];
}

static all_ways find_all_ways(const sc_map *map, sc_metric metric)
{
    const uint32_t n = sc_map_node_count(map);
    all_ways all = {map, metric, test_take((size_t)n * n, sizeof(measured))};
    for (sc_node_id v = 0; v < n; v++) {
        for (sc_node_id w = 0; w < n; w++) {
            *between(&all, v, w) = v == w ? (measured){0.0, 0.0} : no_way;
        }
    }
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        const sc_travel_times times = sc_map_edge_times(map)[e];
        measured *there = between(&all, edge->from, edge->to);
        measured *back = between(&all, edge->to, edge->from);
        if (times.forward != SC_CLOSED) {
            *there = least(*there, by_metric(&all, edge->length, times.forward));
        }
        if (times.backward != SC_CLOSED) {
            *back = least(*back, by_metric(&all, edge->length, times.backward));
        }
    }
    for (sc_node_id via = 0; via < n; via++) {
        for (sc_node_id v = 0; v < n; v++) {
            for (sc_node_id w = 0; w < n; w++) {
                const measured over = sum(*between(&all, v, via), *between(&all, via, w));
                *between(&all, v, w) = least(*between(&all, v, w), over);
            }
        }
    }
    return all;
}

static double part(double time, double passed, double length)
{
    return length > 0.0 ? time * (passed / length) : 0.0;
}

static double thousandths(double time)
{
    return nearbyint(time * 1024.0) / 1024.0;
}

// Whether a place and an object are at the same node inside of a segment, on either side of it.
static bool is_beside(const sc_map *map, sc_edge_id edge, double offset, const sc_object *object)
{
    const sc_edge *edges = sc_map_edges(map);
    if (edges[edge].segment != edges[object->edge].segment) return false;
    double here = offset;
    double there = object->offset;
    for (sc_edge_id e = sc_map_segments(map)[edges[edge].segment].first_edge;
         e < edge || e < object->edge; e++) {
        if (e < edge) here += edges[e].length;
        if (e < object->edge) there += edges[e].length;
    }
    return here == there;
}

// From a place to an object; `offset` in units. An object at the end of an edge is at the node
// there, also if the edge is closed.
static measured way_to(const all_ways *all, sc_edge_id edge, double offset, sc_object_id object)
{
    const sc_object *o = &sc_map_objects(all->map)[object];
    const sc_edge *here = &sc_map_edges(all->map)[edge];
    const sc_edge *there = &sc_map_edges(all->map)[o->edge];
    const sc_travel_times out = sc_map_edge_times(all->map)[edge];
    const sc_travel_times in = sc_map_edge_times(all->map)[o->edge];
    const double rest = here->length - offset;
    const double to_object[2] = {o->offset, (double)there->length - o->offset};
    const uint32_t out_times[2] = {out.forward, out.backward};
    const uint32_t in_times[2] = {in.forward, in.backward};
    const double passed[2] = {offset, rest};
    const sc_node_id leaves[2] = {here->to, here->from};
    const sc_node_id enters[2] = {there->from, there->to};

    if (is_beside(all->map, edge, offset, o)) return (measured){0.0, 0.0};
    measured best = no_way;
    for (int way = 0; way < 2; way++) {
        if (out_times[way] == SC_CLOSED) continue;
        const double begun = thousandths(part(out_times[way], passed[way], here->length));
        if (edge == o->edge && to_object[way] >= passed[way]) {
            const double time = nearbyint(part(in_times[way], to_object[way], there->length));
            best =
                least(best, by_metric(all, to_object[way] - passed[way], fmax(0.0, time - begun)));
        }
        const measured to_node = by_metric(all, here->length - passed[way], out_times[way] - begun);
        for (int entry = 0; entry < 2; entry++) {
            if (in_times[entry] == SC_CLOSED && to_object[entry] > 0.0) continue;
            const double time = nearbyint(part(in_times[entry], to_object[entry], there->length));
            const measured last = by_metric(all, to_object[entry], time);
            const measured over = sum(to_node, *between(all, leaves[way], enters[entry]));
            best = least(best, sum(over, last));
        }
    }
    return best;
}

// === Odd maps ================================================================================

// Directions and times at random; few different times, so that many ways take as long.
static void draw_times(sc_builder *builder, const sketch *s, sc_rng *rng)
{
    for (sc_edge_id e = 0; e < s->edge_count; e++) {
        const double forward_s = 1.0 + sc_rng_below(rng, 3);
        const double backward_s = 1.0 + sc_rng_below(rng, 3);
        const uint32_t closed = s->edges[e].length > 0.0 ? sc_rng_below(rng, 3) : 2;
        CHECK_OK(sc_builder_set_edge_times(builder, e, closed == 0 ? SC_CLOSED_S : forward_s,
                                           closed == 1 ? SC_CLOSED_S : backward_s),
                 NULL);
    }
}

static sc_map *odd_directed_map(uint64_t seed)
{
    sketch s = sketch_odd(seed);
    sc_builder *builder = sketch_builder(&s);
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    draw_times(builder, &s, &rng);
    for (uint32_t i = 0; i < 12; i++) {
        // Every third at an end of its edge.
        const double fraction = i % 3 == 0 ? sc_rng_below(&rng, 2) : sc_rng_unit(&rng);
        put_object(builder, sc_rng_below(&rng, s.edge_count), fraction, "cafe", "");
    }
    sketch_free(&s);
    return finish_builder(builder);
}

static void check_ways(sc_ways *search, const all_ways *all, sc_edge_id edge, double offset)
{
    const sc_map *map = all->map;
    const double unit_m = sc_map_unit_m(map);
    const double unit_s = sc_map_time_unit_s(map);
    CHECK_OK(
        sc__ways_from(search, &(sc_event_request){.metric = all->metric}, edge, offset * unit_m),
        NULL);
    size_t count = 0;
    double last = 0.0;
    for (;; count++) {
        sc_searched_object found = {.object = 4711};
        CHECK_OK(sc__ways_next(search, HUGE_VAL, &found), NULL);
        if (found.object == SC_NONE) break;
        const measured wanted = way_to(all, edge, offset, found.object);
        const bool is_by_time = all->metric == SC_METRIC_TIME;
        const double distance_m = (is_by_time ? wanted.other : wanted.cost) * unit_m;
        const double duration_s = (is_by_time ? wanted.cost : wanted.other) * unit_s;
        CHECK_CLOSE(found.distance_m, distance_m, 1e-9 * (1.0 + distance_m));
        CHECK_CLOSE(found.duration_s, duration_s, 1e-9 * (1.0 + duration_s));
        const double cost = is_by_time ? found.duration_s : found.distance_m;
        assert_true(cost >= last);
        last = cost;
    }
    size_t in_reach = 0;
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        in_reach += way_to(all, edge, offset, i).cost < HUGE_VAL;
    }
    assert_int_equal(count, in_reach);
}

static void test_ways_on_odd_maps_are_those_between_all_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        check_case(seed);
        sc_map *map = odd_directed_map(seed);
        sc_ways search;
        CHECK_OK(sc__ways_init(&search, map), NULL);
        for (unsigned metric = 0; metric < SC_METRIC_COUNT; metric++) {
            all_ways all = find_all_ways(map, (sc_metric)metric);
            for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
                const uint32_t length = sc_map_edges(map)[e].length;
                const uint32_t third = length / 3;
                check_ways(&search, &all, e, 0.0);
                check_ways(&search, &all, e, third);
                check_ways(&search, &all, e, length);
            }
            free(all.between);
        }
        sc__ways_fini(&search);
        sc_map_free(map);
    }
    check_case_done();
}

// === By hand =================================================================================

/** A map that is built road by road. */
typedef struct road {
    char ends[3];
    double length_m;
    double forward_s;
    double backward_s;
} road;

// Nodes are letters from A on. The object "x" is put on road number `object_road`.
static sc_map *map_with_object(const road *roads, size_t count, sc_edge_id object_road,
                               double fraction)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    for (int letter = 'A'; letter <= 'F'; letter++) {
        sketch_add_node(&s, 100.0 * (letter - 'A'), letter % 2 ? 0.0 : 60.0);
    }
    for (size_t i = 0; i < count; i++) {
        sketch_add_edge(&s, (uint32_t)(roads[i].ends[0] - 'A'), (uint32_t)(roads[i].ends[1] - 'A'),
                        roads[i].length_m);
    }
    sc_builder *builder = sketch_builder(&s);
    for (sc_edge_id e = 0; e < count; e++) {
        CHECK_OK(sc_builder_set_edge_times(builder, e, roads[e].forward_s, roads[e].backward_s),
                 NULL);
    }
    put_object(builder, object_road, fraction, "cafe", "x");
    sketch_free(&s);
    return finish_builder(builder);
}

// The object is in the middle of its road.
static sc_map *map_of_roads(const road *roads, size_t count, sc_edge_id object_road)
{
    return map_with_object(roads, count, object_road, 0.5);
}

// The edge of the map between two nodes; roads are numbered anew there.
static sc_edge_id edge_between(const sc_map *map, char from, char to)
{
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        const sc_node_id a = (sc_node_id)(from - 'A');
        const sc_node_id b = (sc_node_id)(to - 'A');
        if ((edge->from == a && edge->to == b) || (edge->from == b && edge->to == a)) return e;
    }
    fail();
    return SC_NONE;
}

// From `offset_m` behind the first letter on the road of two letters.
static sc_searched_object nearest(const sc_map *map, sc_metric metric, const char *ends,
                                  double offset_m)
{
    const sc_edge_id edge = edge_between(map, ends[0], ends[1]);
    const bool is_turned = sc_map_edges(map)[edge].from != (sc_node_id)(ends[0] - 'A');
    const double length_m = sc_map_edge_length_m(map, edge);
    sc_ways search;
    CHECK_OK(sc__ways_init(&search, map), NULL);
    CHECK_OK(sc__ways_from(&search, &(sc_event_request){.metric = metric}, edge,
                           is_turned ? length_m - offset_m : offset_m),
             NULL);
    sc_searched_object found;
    CHECK_OK(sc__ways_next(&search, HUGE_VAL, &found), NULL);
    sc__ways_fini(&search);
    return found;
}

static void check_nearest(const sc_map *map, sc_metric metric, const char *ends, double offset_m,
                          double distance_m, double duration_s)
{
    const sc_searched_object found = nearest(map, metric, ends, offset_m);
    assert_int_equal(found.object, 0);
    CHECK_CLOSE(found.distance_m, distance_m, 1e-6);
    CHECK_CLOSE(found.duration_s, duration_s, 1e-6);
}

// A ring of three one-way roads, A to B to C to A, with an object in the middle of A to B.
static void test_an_object_just_behind_costs_the_way_round(void **state)
{
    (void)state;
    static const road ring[] = {{"AB", 100, 10, -1}, {"BC", 200, 10, -1}, {"CA", 300, 40, -1}};
    sc_map *map = map_of_roads(ring, 3, 0);
    for (unsigned m = 0; m < SC_METRIC_COUNT; m++) {
        check_nearest(map, (sc_metric)m, "AB", 40.0, 10.0, 1.0);
        check_nearest(map, (sc_metric)m, "AB", 60.0, 590.0, 59.0);
        check_nearest(map, (sc_metric)m, "BC", 0.0, 550.0, 55.0);
    }
    sc_map_free(map);
}

// An object at B, where a one-way road ends: one comes upon it by every road to B, and does not
// have to come by the road that it was put on.
static void test_an_object_where_a_one_way_road_ends_is_at_the_node(void **state)
{
    (void)state;
    static const road roads[] = {{"AB", 100, 10, -1}, {"BC", 100, 20, 20}, {"BD", 100, 20, 20}};
    sc_map *map = map_with_object(roads, 3, 0, 1.0);
    for (unsigned m = 0; m < SC_METRIC_COUNT; m++) {
        check_nearest(map, (sc_metric)m, "AB", 40.0, 60.0, 6.0);
        check_nearest(map, (sc_metric)m, "BC", 40.0, 40.0, 8.0);
        check_nearest(map, (sc_metric)m, "BD", 0.0, 0.0, 0.0);
    }
    sc_map_free(map);
}

// The same between two roads of a chain: a traveller at B is where the object is.
static void test_an_object_at_a_node_of_a_chain(void **state)
{
    (void)state;
    static const road roads[] = {{"AB", 100, 10, -1}, {"BC", 100, 20, -1}, {"CA", 100, 20, -1}};
    sc_map *map = map_with_object(roads, 3, 0, 1.0);
    check_nearest(map, SC_METRIC_DISTANCE, "BC", 0.0, 0.0, 0.0);
    check_nearest(map, SC_METRIC_DISTANCE, "BC", 1.0, 299.0, 49.8);
    sc_map_free(map);
}

// One road in, none out: who is at its end cannot leave, and finds what is ahead alone.
static void test_a_dead_end_that_cannot_be_left(void **state)
{
    (void)state;
    static const road roads[] = {{"AB", 100, 10, 10}, {"BC", 100, 10, -1}, {"BD", 100, 10, 10}};
    sc_map *map = map_of_roads(roads, 3, 1);
    check_nearest(map, SC_METRIC_DISTANCE, "AB", 0.0, 150.0, 15.0);
    check_nearest(map, SC_METRIC_DISTANCE, "BC", 20.0, 30.0, 3.0);
    assert_int_equal(nearest(map, SC_METRIC_DISTANCE, "BC", 60.0).object, SC_NONE);
    assert_int_equal(nearest(map, SC_METRIC_TIME, "BC", 100.0).object, SC_NONE);
    sc_map_free(map);
}

// A, B and a ring D, E, F; the road from B to D is one-way.
static void test_a_part_that_can_be_reached_one_way_only(void **state)
{
    (void)state;
    static const road roads[] = {{"AB", 100, 10, 10}, {"BD", 100, 10, -1}, {"DE", 100, 10, 10},
                                 {"EF", 100, 10, 10}, {"FD", 100, 10, 10}, {"BC", 100, 10, 10}};
    sc_map *there = map_of_roads(roads, 6, 3);
    check_nearest(there, SC_METRIC_DISTANCE, "AB", 0.0, 350.0, 35.0);
    sc_map_free(there);
    sc_map *back = map_of_roads(roads, 6, 0);
    assert_int_equal(nearest(back, SC_METRIC_DISTANCE, "DE", 50.0).object, SC_NONE);
    check_nearest(back, SC_METRIC_DISTANCE, "BC", 50.0, 100.0, 10.0);
    sc_map_free(back);
}

// The short way is slow, the long way quick; and of two equally long ones the quicker counts.
static void test_each_metric_has_its_own_way(void **state)
{
    (void)state;
    static const road roads[] = {
        {"AB", 100, 60, 60}, {"AC", 150, 5, 5}, {"CB", 150, 5, 5}, {"BD", 20, 2, 2}};
    sc_map *map = map_of_roads(roads, 4, 3);
    check_nearest(map, SC_METRIC_DISTANCE, "AB", 0.0, 110.0, 61.0);
    check_nearest(map, SC_METRIC_TIME, "AB", 0.0, 310.0, 11.0);
    sc_map_free(map);
    static const road equal[] = {{"AB", 300, 60, 60},
                                 {"AC", 150, 5, 5},
                                 {"CB", 150, 5, 5},
                                 {"BD", 20, 2, 2},
                                 {"AE", 10, 1, 1}};
    map = map_of_roads(equal, 5, 3);
    check_nearest(map, SC_METRIC_DISTANCE, "AE", 0.0, 310.0, 11.0);
    sc_map_free(map);
}

// === Answers =================================================================================

/** Records of old tell no travel time. */
#define UNTOLD ((double)NAN)

static void keep_sentence(void *context, sc_promise promise, const char *sentence)
{
    assert_int_equal(promise, SC_PROMISE_ANSWERS);
    strncpy(context, sentence, 255);
}

// What is said of an answer to a query from A of the map of two ways above; "" if it is right.
static const char *complaint(const sc_event_request *wish, double distance_m, double duration_s)
{
    static char said[256];
    static const road roads[] = {
        {"AB", 100, 60, 60}, {"AC", 150, 5, 5}, {"CB", 150, 5, 5}, {"BD", 20, 2, 2}};
    sc_map *map = map_of_roads(roads, 4, 3);
    const sc_edge_id edge = edge_between(map, 'A', 'B');
    const bool is_turned = sc_map_edges(map)[edge].from != 0;
    sc_event_result result = {0, distance_m, duration_s};
    sc_answers answers;
    CHECK_OK(sc__answers_init(&answers, map), NULL);
    memset(said, 0, sizeof said);
    sc_findings findings = {.tell = keep_sentence, .context = said};
    sc_watched watched = {.edge = edge,
                          .offset_m = is_turned ? 100.0 : 0.0,
                          .wish = *wish,
                          .results = &result,
                          .result_count = distance_m > 0.0,
                          .name = sc_quote("q", 1)};
    CHECK_OK(sc__answers_look(&answers, &watched, &findings), NULL);
    sc__answers_fini(&answers);
    sc_map_free(map);
    return said;
}

static void test_answers_are_checked_in_the_metric_asked_for(void **state)
{
    (void)state;
    const sc_event_request by_distance = {.k = 1};
    const sc_event_request by_time = {.k = 1, .metric = SC_METRIC_TIME};
    assert_string_equal(complaint(&by_distance, 110.0, 61.0), "");
    assert_string_equal(complaint(&by_distance, 110.0, UNTOLD), "");
    assert_string_equal(complaint(&by_time, 310.0, 11.0), "");
    assert_non_null(strstr(complaint(&by_time, 110.0, 61.0), "another travel time for number 1"));
    assert_non_null(strstr(complaint(&by_distance, 310.0, 11.0), "another distance for number 1"));
    // The other measure is that of the same way.
    assert_non_null(strstr(complaint(&by_distance, 110.0, 11.0),
                           "a travel time that is not that of the shortest way"));
    assert_non_null(strstr(complaint(&by_time, 110.0, 11.0),
                           "a distance that is not that of the quickest way"));
    assert_non_null(strstr(complaint(&by_time, 310.0, UNTOLD), "another travel time"));
}

static void test_ranges_in_seconds(void **state)
{
    (void)state;
    const sc_event_request wide = {.is_range = true, .metric = SC_METRIC_TIME, .radius = 11.01};
    const sc_event_request rim = {.is_range = true, .metric = SC_METRIC_TIME, .radius = 11.0};
    const sc_event_request small = {.is_range = true, .metric = SC_METRIC_TIME, .radius = 10.99};
    assert_string_equal(complaint(&wide, 310.0, 11.0), "");
    assert_string_equal(complaint(&rim, 310.0, 11.0), "");
    assert_string_equal(complaint(&rim, 0.0, 0.0), "");  // none told
    assert_string_equal(complaint(&small, 0.0, 0.0), "");
    assert_non_null(strstr(complaint(&wide, 0.0, 0.0), "0 results, but a plain search finds 1"));
    assert_non_null(
        strstr(complaint(&small, 310.0, 11.0), "1 results, but a plain search finds 0"));
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_ways_on_odd_maps_are_those_between_all_nodes),
    cmocka_unit_test(test_an_object_just_behind_costs_the_way_round),
    cmocka_unit_test(test_an_object_where_a_one_way_road_ends_is_at_the_node),
    cmocka_unit_test(test_an_object_at_a_node_of_a_chain),
    cmocka_unit_test(test_a_dead_end_that_cannot_be_left),
    cmocka_unit_test(test_a_part_that_can_be_reached_one_way_only),
    cmocka_unit_test(test_each_metric_has_its_own_way),
    cmocka_unit_test(test_answers_are_checked_in_the_metric_asked_for),
    cmocka_unit_test(test_ranges_in_seconds),
};
SC_SUITE(tests)
