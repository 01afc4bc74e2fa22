// Ways on small maps, spelled as the letters of the nodes they pass.
#include "travel/routes.h"

#include "support/check.h"
#include "support/sketch.h"

#include <math.h>
#include <stdio.h>

/** A drawn map with its ways for cars. */
typedef struct town {
    sketch sketch;
    sc_map *map;
    sc_routes *routes;
    sc_route_search *search;
    sc_route route;
    char text[256];
} town;

static town town_of(sketch s)
{
    town t = {.sketch = s, .map = sketch_map(&s)};
    sc_diag diag = {""};
    CHECK_OK(sc_routes_new(t.map, SC_CAR, NULL, &t.routes, &diag), &diag);
    CHECK_OK(sc_route_search_new(t.routes, &t.search), NULL);
    return t;
}

static town town_drawn(const char *picture, const char *more)
{
    return town_of(sketch_draw(SC_COORDS_PLANAR, picture, more));
}

static void town_free(town *t)
{
    sc_route_fini(&t->route);
    sc_route_search_free(t->search);
    sc_routes_free(t->routes);
    sc_map_free(t->map);
    sketch_free(&t->sketch);
}

/** The place on the (first) road from one letter to another, `share` of its length from there. */
static sc_place on(const town *t, const char *road, double share)
{
    const uint32_t a = sketch_node(&t->sketch, road[0]);
    const uint32_t b = sketch_node(&t->sketch, road[1]);
    const sc_edge *edges = sc_map_edges(t->map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(t->map); e++) {
        if (edges[e].from == a && edges[e].to == b) {
            return (sc_place){e, (uint32_t)lround(share * edges[e].length)};
        }
        if (edges[e].from == b && edges[e].to == a) {
            return (sc_place){e, (uint32_t)lround((1 - share) * edges[e].length)};
        }
    }
    fail_msg("there is no road '%s'", road);
    return (sc_place){0};
}

static sc_seg_id segment_of(const town *t, const char *road)
{
    return sc_map_edges(t->map)[on(t, road, 0).edge].segment;
}

// The letters of a leg's nodes, as it is driven.
static size_t spell_leg(const town *t, sc_leg leg, char *text)
{
    const sc_segment *segment = &sc_map_segments(t->map)[leg.segment];
    const sc_edge *edges = sc_map_edges(t->map);
    const uint32_t count = segment[1].first_edge - segment[0].first_edge;
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t place = leg.is_backwards ? count - i : i;
        const sc_node_id node = place < count ? edges[segment->first_edge + place].from
                                              : edges[segment->first_edge + count - 1].to;
        text[i] = t->sketch.letters[node];
    }
    return count + 1;
}

static const char *way(town *t, sc_place from, sc_place to)
{
    CHECK_OK(sc_route_find(t->search, from, to, &t->route), NULL);
    size_t size = 0;
    for (size_t i = 0; i < t->route.leg_count; i++) {
        if (i > 0) t->text[size++] = ' ';
        size += spell_leg(t, t->route.legs[i], t->text + size);
    }
    t->text[size] = '\0';
    return t->text;
}

// --- Ways -------------------------------------------------------------------------

//    A   B   C
//    |   |   |
//    D---E---F
//    |   |   |
//    G   H   I
static void test_a_way_goes_from_segment_to_segment(void **state)
{
    (void)state;
    town t = town_of(sketch_named("street of three"));
    assert_string_equal(way(&t, on(&t, "AD", 0.5), on(&t, "FI", 0.5)), "AD DE EF FI");
    assert_string_equal(way(&t, on(&t, "FI", 0.5), on(&t, "AD", 0.5)), "IF FE ED DA");
    // From a dead end one must come back.
    assert_string_equal(way(&t, on(&t, "AD", 0), on(&t, "DG", 1)), "AD DG");
    assert_string_equal(way(&t, on(&t, "EF", 0.9), on(&t, "BE", 0.1)), "FE EB");
    town_free(&t);
}

static void test_a_way_along_one_segment_is_one_leg(void **state)
{
    (void)state;
    town t = town_of(sketch_named("street of three"));
    assert_string_equal(way(&t, on(&t, "DE", 0.2), on(&t, "DE", 0.7)), "DE");
    assert_string_equal(way(&t, on(&t, "DE", 0.7), on(&t, "DE", 0.2)), "ED");
    assert_string_equal(way(&t, on(&t, "AD", 0), on(&t, "AD", 1)), "AD");
    // Who is there already has a way too.
    way(&t, on(&t, "DE", 0.5), on(&t, "DE", 0.5));
    assert_int_equal(t.route.leg_count, 1);
    town_free(&t);
}

//      C
//     / \.
//    A---B
//     \ /
//      D
static void test_a_way_leaves_its_own_segment_where_another_is_faster(void **state)
{
    (void)state;
    sketch s = sketch_named("theta");
    for (uint32_t e = 0; e < s.edge_count; e++) {
        const bool is_middle = s.letters[s.edges[e].from] == 'A' && s.letters[s.edges[e].to] == 'B';
        s.edges[e].road_class = is_middle ? SC_ROAD_PATH : SC_ROAD_MOTORWAY;
        const bool is_below = s.letters[s.edges[e].from] == 'D' || s.letters[s.edges[e].to] == 'D';
        s.edges[e].length = is_middle ? 100 : is_below ? 65 : 60;
    }
    town t = town_of(s);
    assert_string_equal(way(&t, on(&t, "AB", 0.1), on(&t, "AB", 0.9)), "BA ACB BA");
    assert_string_equal(way(&t, on(&t, "AB", 0.3), on(&t, "AB", 0.7)), "AB");
    town_free(&t);
}

static void test_of_parallel_roads_the_faster_is_taken(void **state)
{
    (void)state;
    //  A--B--C--D, and one more road from B to C, which is longer
    town t = town_of(sketch_named("parallel segments"));
    way(&t, on(&t, "AB", 0), on(&t, "CD", 1));
    assert_int_equal(t.route.leg_count, 3);
    const sc_seg_id taken = t.route.legs[1].segment;
    for (sc_seg_id s = 0; s < sc_map_segment_count(t.map); s++) {
        const sc_segment *segment = &sc_map_segments(t.map)[s];
        const sc_segment *other = &sc_map_segments(t.map)[taken];
        if (s == taken || segment->star_b == SC_NONE) continue;
        assert_true(segment->length > other->length);
    }
    town_free(&t);
}

//    A--B     E--F
//    |  |     |  |
//    C--D--o--G--H
static void test_a_loop_is_left_and_entered_by_the_nearer_side(void **state)
{
    (void)state;
    town t = town_of(sketch_named("long dumbbell with chains for loops"));
    assert_string_equal(way(&t, on(&t, "BD", 0.5), on(&t, "EG", 0.5)), "DCABD DoG GEFHG");
    assert_string_equal(way(&t, on(&t, "CD", 0.5), on(&t, "GH", 0.5)), "DBACD DoG GHFEG");
    // Around the loop, past its junction, or by its far side.
    assert_string_equal(way(&t, on(&t, "CD", 0.9), on(&t, "BD", 0.9)), "DBACD DBACD");
    assert_string_equal(way(&t, on(&t, "CA", 0.5), on(&t, "AB", 0.5)), "DCABD");
    town_free(&t);
}

//    A--B
//    |  |
//    C--D
static void test_a_ring_is_driven_the_shorter_way_round(void **state)
{
    (void)state;
    town t = town_of(sketch_named("ring"));
    const sc_edge *edges = sc_map_edges(t.map);
    const uint32_t count = sc_map_edge_count(t.map);
    assert_int_equal(sc_map_segment_count(t.map), 1);
    const sc_place early = {0, edges[0].length / 2};
    const sc_place late = {count - 1, edges[count - 1].length / 2};
    way(&t, early, (sc_place){1, edges[1].length / 2});
    assert_int_equal(t.route.leg_count, 1);
    assert_false(t.route.legs[0].is_backwards);
    // Past where the segment begins and ends.
    way(&t, early, late);
    assert_int_equal(t.route.leg_count, 2);
    assert_true(t.route.legs[0].is_backwards && t.route.legs[1].is_backwards);
    way(&t, late, early);
    assert_int_equal(t.route.leg_count, 2);
    assert_false(t.route.legs[0].is_backwards || t.route.legs[1].is_backwards);
    town_free(&t);
}

static void test_a_way_from_a_junction_does_not_turn_on_the_spot(void **state)
{
    (void)state;
    town t = town_of(sketch_named("street of three"));
    // At D, said to be on the road to E, and at F, said to be on the road from E.
    assert_string_equal(way(&t, on(&t, "DE", 0), on(&t, "EF", 1)), "DE EF");
    assert_string_equal(way(&t, on(&t, "DE", 0), on(&t, "FI", 0)), "DE EF FI");
    assert_string_equal(way(&t, on(&t, "AD", 1), on(&t, "EF", 1)), "AD DE EF");
    town_free(&t);
}

static void test_there_is_no_way_between_islands(void **state)
{
    (void)state;
    //  A--B   C-D   F   G--H--I
    //         |/           |
    //         E            J
    town t = town_of(sketch_named("islands and a lone node"));
    assert_int_equal(sc_routes_part_count(t.routes), 3);
    static const char *const roads[] = {"AB", "CD", "GH", "HJ"};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            const uint32_t part = sc_routes_part(t.routes, segment_of(&t, roads[i]));
            const bool is_joined = sc_routes_part(t.routes, segment_of(&t, roads[j])) == part;
            assert_true(part < 3);
            assert_int_equal(is_joined, i == j || i + j == 5);
            way(&t, on(&t, roads[i], 0.5), on(&t, roads[j], 0.5));
            assert_int_equal(t.route.leg_count > 0, is_joined);
        }
    }
    town_free(&t);
}

static void test_fast_roads_are_worth_a_detour_and_trucks_may_differ(void **state)
{
    (void)state;
    // A motorway around two sides of a square, or the short way over a primary road.
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "X--A---B--Y\n"
                           "   |   |\n"
                           "   C---D\n",
                           "");
    for (uint32_t e = 0; e < s.edge_count; e++) {
        const char from = s.letters[s.edges[e].from];
        const char to = s.letters[s.edges[e].to];
        const bool is_short = from == 'A' && to == 'B';
        s.edges[e].road_class = is_short ? SC_ROAD_PRIMARY : SC_ROAD_MOTORWAY;
        s.edges[e].length = is_short ? 2000 : 1000;
    }
    town t = town_of(s);
    const sc_place from = on(&t, "XA", 0.5);
    const sc_place to = on(&t, "BY", 0.5);
    // Cars: 2 km at 65 km/h take longer than 3 km at 105; trucks: at 55 and 80, less.
    assert_string_equal(way(&t, from, to), "XA ACDB BY");

    sc_routes *trucks = NULL;
    sc_route_search *search = NULL;
    CHECK_OK(sc_routes_new(t.map, SC_TRUCK, NULL, &trucks, NULL), NULL);
    CHECK_OK(sc_route_search_new(trucks, &search), NULL);
    CHECK_OK(sc_route_find(search, from, to, &t.route), NULL);
    assert_int_equal(t.route.leg_count, 3);
    assert_int_equal(t.route.legs[1].segment, segment_of(&t, "AB"));
    sc_route_search_free(search);
    sc_routes_free(trucks);
    town_free(&t);
}

// --- Times -------------------------------------------------------------------------

static void test_a_segment_takes_the_time_of_its_edges(void **state)
{
    (void)state;
    town t = town_drawn("A   D\n"
                        " \\ /\n"
                        "  B-o-C\n",
                        "");
    const sc_seg_id chain = segment_of(&t, "Bo");
    const sc_segment *segments = sc_map_segments(t.map);
    const sc_edge *edges = sc_map_edges(t.map);
    assert_int_equal(segments[chain + 1].first_edge - segments[chain].first_edge, 2);
    // Drawn roads are local ones: 35 km/h. Lengths are in millimetres.
    double ms = 0;
    for (sc_edge_id e = segments[chain].first_edge; e < segments[chain + 1].first_edge; e++) {
        ms += sc_routes_edge_ms(t.routes, e, false, edges[e].length);
    }
    // Each edge takes a whole number of them.
    CHECK_CLOSE(ms, segments[chain].length * 3.6 / 35, 1.0);
    assert_int_equal(sc_routes_segment_ms(t.routes, (sc_leg){chain, false}), lround(ms));
    assert_int_equal(sc_routes_segment_ms(t.routes, (sc_leg){chain, true}), lround(ms));
    CHECK_CLOSE(sc_routes_edge_ms(t.routes, 0, false, 7000), 720, 0.5);
    CHECK_SAME(sc_routes_edge_ms(t.routes, 0, false, 0), 0);
    town_free(&t);
}

static void test_a_road_without_length_still_takes_a_moment(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    for (uint32_t e = 0; e < s.edge_count; e++) {
        s.edges[e].length = 0;
    }
    town t = town_of(s);
    for (sc_seg_id i = 0; i < sc_map_segment_count(t.map); i++) {
        assert_int_equal(sc_routes_segment_ms(t.routes, (sc_leg){i, false}), 1);
    }
    assert_string_equal(way(&t, on(&t, "AD", 0), on(&t, "FI", 0)), "AD DE EF FI");
    town_free(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_way_goes_from_segment_to_segment),
    cmocka_unit_test(test_a_way_along_one_segment_is_one_leg),
    cmocka_unit_test(test_a_way_leaves_its_own_segment_where_another_is_faster),
    cmocka_unit_test(test_of_parallel_roads_the_faster_is_taken),
    cmocka_unit_test(test_a_loop_is_left_and_entered_by_the_nearer_side),
    cmocka_unit_test(test_a_ring_is_driven_the_shorter_way_round),
    cmocka_unit_test(test_a_way_from_a_junction_does_not_turn_on_the_spot),
    cmocka_unit_test(test_there_is_no_way_between_islands),
    cmocka_unit_test(test_fast_roads_are_worth_a_detour_and_trucks_may_differ),
    cmocka_unit_test(test_a_segment_takes_the_time_of_its_edges),
    cmocka_unit_test(test_a_road_without_length_still_takes_a_moment),
};
SC_SUITE(tests)
