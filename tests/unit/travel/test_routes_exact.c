// Every way is as fast as that of a plain search, and a way indeed: its legs join up, and their
// times add up to what the plain search says. On odd maps by the thousand, on dense ones, and on
// real ones.
#include "travel/routes_internal.h"

#include <starcloak/map_generate.h>
#include <starcloak/map_import.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include <math.h>

#define NO_WAY UINT64_MAX

// --- The plain search -----------------------------------------------------------------

static sc_seg_id segment_of(const sc_map *map, sc_place at)
{
    return sc_map_edges(map)[at.edge].segment;
}

/** Milliseconds from the first node of the place's segment to the place, or backwards. */
static uint64_t ms_along(const sc_map *map, const sc_routes *routes, sc_place at, bool back)
{
    const sc_seg_id segment = segment_of(map, at);
    double ms = 0;
    for (sc_edge_id e = sc_map_segments(map)[segment].first_edge; e < at.edge; e++) {
        ms += sc_routes_edge_ms(routes, e, back, sc_map_edges(map)[e].length);
    }
    return (uint64_t)round(ms + sc_routes_edge_ms(routes, at.edge, back, at.offset));
}

/** The whole segment, whatever of it is closed. */
static uint64_t ms_whole(const sc_map *map, const sc_routes *routes, sc_seg_id segment, bool back)
{
    const sc_edge_id last = sc_map_segments(map)[segment + 1].first_edge - 1;
    const sc_place end = {last, sc_map_edges(map)[last].length};
    const uint64_t ms = ms_along(map, routes, end, back);
    return ms > 0 ? ms : 1;
}

/** Whether the road is open between its first node and a place, or the place and its last node. */
static bool is_open(const sc_map *map, sc_place at, bool is_behind, bool back)
{
    const sc_seg_id segment = segment_of(map, at);
    const sc_segment *road = &sc_map_segments(map)[segment];
    for (sc_edge_id e = road[0].first_edge; e < road[1].first_edge; e++) {
        const sc_travel_times times = sc_map_edge_times(map)[e];
        if ((back ? times.backward : times.forward) != SC_CLOSED) continue;
        const uint32_t length = sc_map_edges(map)[e].length;
        if (length == 0) continue;
        if (e < at.edge && !is_behind) return false;
        if (e > at.edge && is_behind) return false;
        if (e == at.edge && (is_behind ? at.offset < length : at.offset > 0)) return false;
    }
    return true;
}

/** From a place to a star at an end of its segment, or from there; NO_WAY if one may not. */
static uint64_t ms_to_end(const sc_map *map, const sc_routes *routes, sc_place at, bool is_behind,
                          bool back)
{
    if (!is_open(map, at, is_behind, back)) return NO_WAY;
    const uint64_t along = ms_along(map, routes, at, back);
    return is_behind ? ms_whole(map, routes, segment_of(map, at), back) - along : along;
}

static uint64_t added(uint64_t a, uint64_t b)
{
    return a == NO_WAY || b == NO_WAY ? NO_WAY : a + b;
}

static void improve(uint64_t *ms, uint64_t by)
{
    if (by < *ms) *ms = by;
}

/** Whether a whole segment is open one way. */
static bool is_open_through(const sc_map *map, sc_seg_id segment, bool back)
{
    return is_open(map, (sc_place){sc_map_segments(map)[segment].first_edge, 0}, true, back);
}

/** From a place to every star: all segments are looked at until nothing changes any more. */
static void search_plainly(const sc_map *map, const sc_routes *routes, sc_place from, uint64_t *ms)
{
    const sc_segment *segments = sc_map_segments(map);
    const sc_segment *own = &segments[segment_of(map, from)];
    for (sc_star_id star = 0; star < sc_map_star_count(map); star++) {
        ms[star] = NO_WAY;
    }
    improve(&ms[own->star_a], ms_to_end(map, routes, from, false, true));
    if (own->star_b != SC_NONE) {
        improve(&ms[own->star_b], ms_to_end(map, routes, from, true, false));
    }
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
            if (segments[s].star_b == SC_NONE) continue;
            for (int back = 0; back < 2; back++) {
                const sc_star_id begin = back ? segments[s].star_b : segments[s].star_a;
                const sc_star_id end = back ? segments[s].star_a : segments[s].star_b;
                if (ms[begin] == NO_WAY || !is_open_through(map, s, back)) continue;
                const uint64_t there = ms[begin] + ms_whole(map, routes, s, back);
                if (there >= ms[end]) continue;
                ms[end] = there;
                is_done = false;
            }
        }
    }
}

static bool is_before(sc_place a, sc_place b)
{
    return a.edge == b.edge ? a.offset < b.offset : a.edge < b.edge;
}

/** The straight way between two places of one segment. */
static uint64_t straight_ms(const sc_map *map, const sc_routes *routes, sc_place from, sc_place to)
{
    const bool back = is_before(to, from);
    const sc_place first = back ? to : from;
    const sc_place behind = back ? from : to;
    for (sc_edge_id e = first.edge; e <= behind.edge; e++) {
        const sc_travel_times times = sc_map_edge_times(map)[e];
        const uint32_t enters = e == first.edge ? first.offset : 0;
        const uint32_t leaves = e == behind.edge ? behind.offset : sc_map_edges(map)[e].length;
        if (leaves > enters && (back ? times.backward : times.forward) == SC_CLOSED) return NO_WAY;
    }
    return ms_along(map, routes, behind, back) - ms_along(map, routes, first, back);
}

/** The time of the fastest way, given those to all stars. */
static uint64_t plain_ms(const sc_map *map, const sc_routes *routes, sc_place from, sc_place to,
                         const uint64_t *to_star)
{
    const sc_seg_id last = segment_of(map, to);
    const sc_segment *own = &sc_map_segments(map)[last];
    uint64_t ms = NO_WAY;
    if (last == segment_of(map, from)) improve(&ms, straight_ms(map, routes, from, to));
    improve(&ms, added(to_star[own->star_a], ms_to_end(map, routes, to, false, false)));
    if (own->star_b != SC_NONE) {
        improve(&ms, added(to_star[own->star_b], ms_to_end(map, routes, to, true, true)));
    }
    return ms;
}

// --- What a way must be ---------------------------------------------------------------

static sc_star_id leg_end(const sc_map *map, sc_leg leg, bool is_start)
{
    const sc_segment *segment = &sc_map_segments(map)[leg.segment];
    return leg.is_backwards == is_start ? segment->star_b : segment->star_a;
}

/** Check that the legs lead from one place to the other; the time they take. */
static uint64_t drive(const sc_map *map, const sc_routes *routes, sc_place from, sc_place to,
                      const sc_route *route)
{
    const sc_leg *legs = route->legs;
    const sc_leg last = legs[route->leg_count - 1];
    assert_int_equal(legs[0].segment, segment_of(map, from));
    assert_int_equal(last.segment, segment_of(map, to));
    if (route->leg_count == 1) {
        const sc_place back = last.is_backwards ? to : from;
        const sc_place ahead = last.is_backwards ? from : to;
        const uint64_t ms = straight_ms(map, routes, from, to);
        assert_true(!is_before(ahead, back) || ms == 0);
        return ms;
    }
    uint64_t ms = ms_to_end(map, routes, from, !legs[0].is_backwards, legs[0].is_backwards);
    for (size_t i = 1; i < route->leg_count; i++) {
        const sc_star_id here = leg_end(map, legs[i - 1], false);
        assert_int_not_equal(here, SC_NONE);
        assert_int_equal(here, leg_end(map, legs[i], true));
        // No route turns on the spot.
        assert_false(legs[i - 1].segment == legs[i].segment &&
                     legs[i - 1].is_backwards != legs[i].is_backwards);
        if (i + 1 == route->leg_count) break;
        assert_true(is_open_through(map, legs[i].segment, legs[i].is_backwards));
        assert_int_equal(sc_routes_segment_ms(routes, legs[i]),
                         ms_whole(map, routes, legs[i].segment, legs[i].is_backwards));
        ms += sc_routes_segment_ms(routes, legs[i]);
    }
    return added(ms, ms_to_end(map, routes, to, last.is_backwards, last.is_backwards));
}

// Often at an end of the edge, where many ways tie.
static sc_place any_place(const sc_map *map, sc_rng *rng)
{
    const sc_edge_id edge = sc_rng_below(rng, sc_map_edge_count(map));
    const uint32_t length = sc_map_edges(map)[edge].length;
    const uint32_t draw = sc_rng_below(rng, 4);
    return (sc_place){edge, draw == 0   ? 0
                            : draw == 1 ? length
                                        : (uint32_t)(sc_rng_unit(rng) * (length + 1.0))};
}

static bool has_one_ways(const sc_map *map)
{
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_travel_times times = sc_map_edge_times(map)[e];
        if (times.forward == SC_CLOSED || times.backward == SC_CLOSED) return true;
    }
    return false;
}

/** Within a part there is a way; where all roads are open both ways, there is none between two. */
static void check_parts(const sc_map *map, const sc_routes *routes, sc_place from, sc_place to,
                        uint64_t ms)
{
    const uint32_t part = sc_routes_part(routes, segment_of(map, from));
    const bool is_same = part == sc_routes_part(routes, segment_of(map, to));
    if (is_same && part != SC_NONE) assert_true(ms != NO_WAY);
    if (!has_one_ways(map)) assert_int_equal(is_same, ms != NO_WAY);
}

/** Check ways from `starts` places to `ends` each; how many there were. */
static size_t check_ways(const sc_map *map, sc_vehicle vehicle, uint64_t seed, int starts, int ends)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sc_routes *routes = NULL;
    sc_route_search *search = NULL;
    sc_diag diag = {""};
    sc_route route = {0};
    CHECK_OK(sc_routes_new(map, vehicle, NULL, &routes, &diag), &diag);
    CHECK_OK(sc_route_search_new(routes, &search), NULL);
    uint64_t *to_star = test_take(sc_map_star_count(map), sizeof *to_star);
    size_t found = 0;
    for (int i = 0; i < starts; i++) {
        const sc_place from = any_place(map, &rng);
        search_plainly(map, routes, from, to_star);
        for (int j = 0; j < ends; j++) {
            const sc_place to = any_place(map, &rng);
            const uint64_t wanted = plain_ms(map, routes, from, to, to_star);
            CHECK_OK(sc_route_find(search, from, to, &route), NULL);
            assert_int_equal(route.leg_count > 0, wanted != NO_WAY);
            check_parts(map, routes, from, to, wanted);
            if (wanted == NO_WAY) continue;
            assert_int_equal(drive(map, routes, from, to, &route), wanted);
            found++;
        }
    }
    free(to_star);
    sc_route_fini(&route);
    sc_route_search_free(search);
    sc_routes_free(routes);
    return found;
}

// --- Odd and dense maps ---------------------------------------------------------------

static void test_ways_on_odd_maps_are_those_of_a_plain_search(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        found += check_ways(map, (sc_vehicle)(seed % SC_VEHICLE_COUNT), seed, 3, 8);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    // Many odd maps are in pieces.
    assert_true(found > 40000);
}

/** The map of a sketch with one-way streets, and times of their own for each direction. */
static sc_map *directed_map(const sketch *s, uint64_t seed)
{
    sc_builder *builder = sketch_builder(s);
    sc_rng rng;
    sc_rng_seed(&rng, seed + 17);
    for (sc_edge_id e = 0; e < s->edge_count; e++) {
        const uint32_t closed = s->edges[e].length > 0 ? sc_rng_below(&rng, 6) : 5;
        const double forward_s = sc_rng_below(&rng, 5);
        const double backward_s = sc_rng_below(&rng, 2000) / 1000.0;
        CHECK_OK(sc_builder_set_edge_times(builder, e, closed == 0 ? SC_CLOSED_S : forward_s,
                                           closed == 1 ? SC_CLOSED_S : backward_s),
                 NULL);
    }
    return finish_builder(builder);
}

static void test_ways_on_odd_maps_with_one_way_streets_are_too(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = directed_map(&s, seed);
        found += check_ways(map, (sc_vehicle)(seed % SC_VEHICLE_COUNT), seed, 3, 8);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    assert_true(found > 20000);
}

/** Up to sixty junctions: loops, roads side by side, islands; lengths that tie, or are nothing. */
static sketch tangle(uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sketch s = sketch_new(SC_COORDS_NONE);
    const uint32_t junctions = 6 + sc_rng_below(&rng, 55);
    const uint32_t roads = junctions + sc_rng_below(&rng, 2 * junctions);
    const uint32_t lengths = seed % 3 == 0 ? 3 : 100000;
    for (uint32_t i = 0; i < junctions; i++) {
        sketch_add_node(&s, 0, 0);
    }
    for (uint32_t i = 0; i < roads; i++) {
        const uint32_t from = sc_rng_below(&rng, junctions);
        // Mostly near, as on a plane.
        const uint32_t step = sc_rng_below(&rng, sc_rng_below(&rng, 8) ? 6 : junctions);
        const uint32_t to = from + step < junctions ? from + step : from + step - junctions;
        const double length = sc_rng_below(&rng, lengths) * (lengths == 3 ? 70.0 : 0.01);
        sketch_add_edge(&s, from, to, length);
        s.edges[s.edge_count - 1].road_class =
            lengths == 3 ? SC_ROAD_LOCAL : (sc_road_class)sc_rng_below(&rng, SC_ROAD_CLASS_COUNT);
    }
    return s;
}

static void test_ways_in_tangles_are_those_of_a_plain_search(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 0; seed < 1200; seed++) {
        check_case(seed);
        sketch s = tangle(seed);
        sc_map *map = sketch_map(&s);
        found += check_ways(map, (sc_vehicle)(seed % SC_VEHICLE_COUNT), seed, 4, 12);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    assert_true(found > 40000);
}

static void test_ways_in_tangles_of_one_way_streets_are_too(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 0; seed < 1200; seed++) {
        check_case(seed);
        sketch s = tangle(seed);
        sc_map *map = directed_map(&s, seed);
        found += check_ways(map, (sc_vehicle)(seed % SC_VEHICLE_COUNT), seed, 4, 12);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    assert_true(found > 20000);
}

static void test_ways_on_a_grid_where_all_tie_are_those_of_a_plain_search(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 30, 30);
    sc_map *map = sketch_map(&s);
    assert_int_equal(check_ways(map, SC_CAR, 1, 10, 100), 1000);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_ways_where_everybody_is_joined_to_everybody_are_too(void **state)
{
    (void)state;
    // So dense that searches for shortcuts give up, and all junctions are crowded.
    enum { JUNCTIONS = 120 };
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sketch s = sketch_new(SC_COORDS_NONE);
    for (uint32_t i = 0; i < JUNCTIONS; i++) {
        sketch_add_node(&s, 0, 0);
        for (uint32_t j = 0; j < i; j++) {
            sketch_add_edge(&s, i, j, (1 + sc_rng_below(&rng, 1000000)) / 1e3);
        }
    }
    sc_map *map = sketch_map(&s);
    assert_int_equal(check_ways(map, SC_CAR, 1, 10, 100), 1000);
    sc_map_free(map);
    sketch_free(&s);
}

static sc_map *city(uint32_t node_count)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_city_options options = {.node_count = node_count, .seed = 3};
    CHECK_OK(sc_map_generate_city(&options, &map, &diag), &diag);
    return map;
}

static void test_ways_through_a_city_are_those_of_a_plain_search(void **state)
{
    (void)state;
    sc_map *map = city(5000);
    assert_int_equal(check_ways(map, SC_CAR, 1, 10, 50), 500);
    assert_int_equal(check_ways(map, SC_TRUCK, 2, 10, 50), 500);
    sc_map_free(map);
}

static void test_a_city_needs_three_arcs_for_each_junction(void **state)
{
    (void)state;
    // Ways would be right with more of them, but found more slowly: were the order a bad one, or
    // were no other ways found that make shortcuts needless, there would be 3.3 to 6.
    sc_map *map = city(5000);
    sc_routes *routes = NULL;
    CHECK_OK(sc_routes_new(map, SC_CAR, NULL, &routes, NULL), NULL);
    const uint32_t star_count = sc_map_star_count(map);
    const double arcs = (double)routes->first_arc[star_count] / star_count;
    if (arcs > 3.1) fail_msg("%.2f arcs for each junction", arcs);
    sc_routes_free(routes);
    sc_map_free(map);
}

// --- Real maps ------------------------------------------------------------------------

static void check_real(sc_format format, const char *const *names, size_t count)
{
    char paths[2][1024];
    const char *inputs[2] = {paths[0], paths[1]};
    assert_true(count <= 2);
    for (size_t i = 0; i < count; i++) {
        if (!data_path(names[i], paths[i], sizeof paths[i])) skip();
    }
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    CHECK_OK(sc_map_import(&(sc_import_source){format, inputs, count}, &options, &map, NULL, &diag),
             &diag);
    assert_true(check_ways(map, SC_CAR, 1, 8, 60) > 300);
    assert_true(check_ways(map, SC_TRUCK, 2, 4, 60) > 150);
    sc_map_free(map);
}

static void test_ways_through_california_are_those_of_a_plain_search(void **state)
{
    (void)state;
    static const char *const names[] = {"california/cal.cnode.xz", "california/cal.cedge.xz"};
    check_real(SC_FORMAT_CNODE, names, 2);
}

static void test_ways_through_san_francisco_are_those_of_a_plain_search(void **state)
{
    (void)state;
    static const char *const names[] = {"san-francisco-tiger/tl_2017_06075_roads.shp.xz",
                                        "san-francisco-tiger/tl_2017_06075_roads.dbf.xz"};
    check_real(SC_FORMAT_SHAPEFILE, names, 2);
}

static void test_ways_through_northwest_atlanta_are_those_of_a_plain_search(void **state)
{
    (void)state;
    static const char *const names[] = {"northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz"};
    check_real(SC_FORMAT_MOBISIM, names, 1);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_ways_on_odd_maps_are_those_of_a_plain_search),
    SC_CASES(test_ways_on_odd_maps_with_one_way_streets_are_too),
    SC_CASES(test_ways_in_tangles_of_one_way_streets_are_too),
    SC_CASES(test_ways_in_tangles_are_those_of_a_plain_search),
    cmocka_unit_test(test_ways_on_a_grid_where_all_tie_are_those_of_a_plain_search),
    cmocka_unit_test(test_ways_where_everybody_is_joined_to_everybody_are_too),
    cmocka_unit_test(test_ways_through_a_city_are_those_of_a_plain_search),
    cmocka_unit_test(test_a_city_needs_three_arcs_for_each_junction),
    cmocka_unit_test(test_ways_through_california_are_those_of_a_plain_search),
    cmocka_unit_test(test_ways_through_san_francisco_are_those_of_a_plain_search),
    cmocka_unit_test(test_ways_through_northwest_atlanta_are_those_of_a_plain_search),
};
SC_SUITE(tests)
