// Following travellers who really go from place to place: where they are is never ruled out.
#include "tracking.h"

#include <starcloak/map_generate.h>

#include "support/sketch.h"

#include "travel/travel_internal.h"
#include "travel/trips.h"

enum { MOST = 12, CLOAKS = 8 };

typedef struct city {
    sc_map *map;
    sc_route_table routes;
} city;

static city city_new(void)
{
    city c = {0};
    const sc_city_options options = {.node_count = 3000, .seed = 5};
    sc_diag diag = {""};
    CHECK_OK(sc_map_generate_city(&options, &c.map, &diag), &diag);
    CHECK_OK(sc_route_table_init(&c.routes, c.map, NULL, &diag), &diag);
    return c;
}

/** A grid in which two of three streets are one-way, in turns to either side. */
static city city_of_one_ways(void)
{
    city c = {0};
    sketch s = sketch_grid(SC_COORDS_PLANAR, 30, 30);
    sc_builder *builder = sketch_builder(&s);
    for (sc_edge_id e = 0; e < s.edge_count; e++) {
        const uint32_t from = s.edges[e].from;
        const uint32_t to = s.edges[e].to;
        const bool is_row = fabs(s.y[from] - s.y[to]) < 1.0;
        const int street = (int)lround((is_row ? s.y[from] : s.x[from]) / 100.0);
        const bool is_ahead = is_row ? s.x[to] > s.x[from] : s.y[to] > s.y[from];
        const double seconds = s.edges[e].length / 10.0;
        const bool is_open[2] = {street % 3 != (is_ahead ? 1 : 2),
                                 street % 3 != (is_ahead ? 2 : 1)};
        CHECK_OK(sc_builder_set_edge_times(builder, e, is_open[0] ? seconds : SC_CLOSED_S,
                                           is_open[1] ? seconds : SC_CLOSED_S),
                 NULL);
    }
    sketch_free(&s);
    c.map = finish_builder(builder);
    CHECK_OK(sc_route_table_init(&c.routes, c.map, NULL, NULL), NULL);
    return c;
}

static void city_free(city *c)
{
    sc_route_table_fini(&c->routes);
    sc_map_free(c->map);
}

static sc_seg_id true_segment(sc_movement *trips, uint32_t who, sc_time t)
{
    sc_place place = {SC_NONE, 0};
    sc_time back = -1;
    CHECK_OK(sc_movement_at(trips, who, t, &place, &back), NULL);
    return sc_map_edges(trips->map)[place.edge].segment;
}

/** A cloak around the true segment: neighbours by number are mostly near, others anywhere. */
static size_t draw_cloak(sc_rng *rng, const sc_map *map, sc_seg_id truth, sc_seg_id *out)
{
    const uint32_t segment_count = sc_map_segment_count(map);
    out[0] = truth;
    for (size_t i = 1; i < MOST; i++) {
        const uint32_t apart = sc_rng_below(rng, i < 4 ? segment_count : 20);
        out[i] = (truth + apart) % segment_count;
    }
    sc_sort_u32(out, MOST);
    size_t count = 0;
    for (size_t i = 0; i < MOST; i++) {
        if (count == 0 || out[count - 1] != out[i]) out[count++] = out[i];
    }
    return count;
}

/** Follow a traveller; how many segments were ruled out on the way. The tracker is told times
 * `stretched`. */
static size_t follow_truth(sc_tracker *tracker, sc_movement *trips, uint32_t who, sc_rng *rng,
                           double stretched)
{
    size_t ruled_out = 0;
    sc_tracker_forget(tracker);
    sc_time asked = 0;
    sc_time left = 0;
    for (int i = 0; i < CLOAKS; i++) {
        asked += sc_time_from_seconds(30 * sc_rng_unit(rng));
        const sc_seg_id truth = true_segment(trips, who, asked);
        // Asked at any moment of the patience; sometimes it is known to the microsecond.
        const sc_time known = sc_rng_below(rng, 2) ? sc_time_from_seconds(10) : 0;
        const sc_time waited = (sc_time)(sc_rng_unit(rng) * (double)known);
        if (asked + waited > left) left = asked + waited;
        const sc_time from = asked + waited - known;
        sc_seg_id segments[MOST];
        const size_t count = draw_cloak(rng, trips->map, truth, segments);
        sc_posterior posterior = see(tracker, segments, count, (sc_time)((double)from * stretched),
                                     (sc_time)ceil((double)left * stretched));
        check_identities(&posterior, segments, count);
        assert_false(posterior.is_unexplained);
        assert_true(link_of(&posterior, truth) > 0);
        ruled_out += posterior.ruled_out;
        sc_posterior_fini(&posterior);
    }
    return ruled_out;
}

// Some drive faster than others, by SC__PACE_MAX at most: that is as if all drove in free flow and
// clocks ran faster by as much.
static void test_a_car_in_free_flow_is_never_ruled_out(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    city c = city_new();
    const sc_trips_options options = {.count = COUNT, .truck_share = 0.2, .seed = 3};
    sc_movement *trips = NULL;
    CHECK_OK(sc_trips_new(c.map, &c.routes, &options, &trips, NULL), NULL);
    sc_rng rng;
    sc_rng_seed(&rng, 11);
    sc_density *density = draw_density(&rng, c.map);
    sc_tracker *tracker = tracker_on(c.map, density, 0);
    size_t ruled_out = 0;
    for (uint32_t who = 0; who < COUNT; who++) {
        check_case(who);
        ruled_out += follow_truth(tracker, trips, who, &rng, SC__PACE_MAX);
    }
    check_case_done();
    // It is not that everything were possible.
    assert_true(ruled_out > (size_t)COUNT * CLOAKS);
    sc_tracker_free(tracker);
    sc_density_free(density);
    sc_movement_free(trips);
    city_free(&c);
}

static void test_no_traveller_slower_than_the_top_speed_is_ruled_out(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    city c = city_new();
    const sc_trips_options options = {.count = COUNT, .truck_share = 0.2, .seed = 4};
    sc_movement *trips = NULL;
    CHECK_OK(sc_trips_new(c.map, &c.routes, &options, &trips, NULL), NULL);
    double fastest_m_s = 0;
    for (unsigned road_class = 0; road_class < SC_ROAD_CLASS_COUNT; road_class++) {
        fastest_m_s = fmax(fastest_m_s, sc_speed_m_s(SC_CAR, road_class));
    }
    sc_rng rng;
    sc_rng_seed(&rng, 12);
    sc_tracker *tracker = tracker_on(c.map, NULL, fastest_m_s * SC__PACE_MAX);
    size_t ruled_out = 0;
    for (uint32_t who = 0; who < COUNT; who++) {
        check_case(who);
        ruled_out += follow_truth(tracker, trips, who, &rng, 1.0);
    }
    check_case_done();
    assert_true(ruled_out > COUNT);
    sc_tracker_free(tracker);
    sc_movement_free(trips);
    city_free(&c);
}

// Which streets are one-way rules much out, and never the truth.
static void test_a_car_that_obeys_one_way_streets_is_never_ruled_out(void **state)
{
    (void)state;
    enum { COUNT = 120 };
    city c = city_of_one_ways();
    const sc_trips_options options = {.count = COUNT, .truck_share = 0.2, .seed = 6};
    size_t ruled_out[2] = {0, 0};
    for (int ignores = 0; ignores < 2; ignores++) {
        sc_movement *trips = NULL;
        CHECK_OK(sc_trips_new(c.map, &c.routes, &options, &trips, NULL), NULL);
        const sc_tracker_options how = {.ignores_one_ways = ignores};
        sc_tracker *tracker = NULL;
        CHECK_OK(sc_tracker_new(c.map, &how, &tracker, NULL), NULL);
        sc_rng rng;
        sc_rng_seed(&rng, 13);
        for (uint32_t who = 0; who < COUNT; who++) {
            check_case(who);
            ruled_out[ignores] += follow_truth(tracker, trips, who, &rng, SC__PACE_MAX);
        }
        check_case_done();
        sc_tracker_free(tracker);
        sc_movement_free(trips);
    }
    assert_true(ruled_out[0] > ruled_out[1]);
    city_free(&c);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_car_that_obeys_one_way_streets_is_never_ruled_out),
    SC_CASES(test_a_car_in_free_flow_is_never_ruled_out),
    SC_CASES(test_no_traveller_slower_than_the_top_speed_is_ruled_out),
};
SC_SUITE(tests)
