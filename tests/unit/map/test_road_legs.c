// Where one can drive from a place without leaving its segment: worked out by hand.
//
// Most tests have one street of four pieces, each 100 m long, 10 s ahead and 20 s back:
//
//     \   piece 0     piece 1     piece 2     piece 3   /
//      0 --------- 1 --------- 2 --------- 3 --------- 4
//     /                                                 \ .
//
// Without the stubs at its end it is a dead end.
#include "map/road_legs.h"

#include "support/check.h"
#include "support/sketch.h"

enum { PIECES = 4 };

/** In which directions a piece is open. */
typedef enum opening { BOTH, AHEAD, BACK } opening;

// `flat` is a piece without length; PIECES: none.
static void draw_street(sketch *s, uint32_t flat, bool is_dead_end)
{
    for (uint32_t i = 0; i <= PIECES; i++) {
        sketch_add_node(s, 100.0 * i, 0.0);
    }
    for (uint32_t i = 0; i < PIECES; i++) {
        sketch_add_edge(s, i, i + 1, i == flat ? 0.0 : 100.0);
    }
    for (int i = 0; i < 2; i++) {
        sketch_add_edge(s, 0, sketch_add_node(s, -50.0, 50.0 * i), 80.0);
        if (!is_dead_end) sketch_add_edge(s, PIECES, sketch_add_node(s, 450.0, 50.0 * i), 80.0);
    }
}

static sc_builder *open_street(const sketch *s, const opening open[PIECES])
{
    sc_builder *builder = sketch_builder(s);
    for (uint32_t i = 0; i < PIECES; i++) {
        CHECK_OK(sc_builder_set_edge_times(builder, i, open[i] == BACK ? SC_CLOSED_S : 10.0,
                                           open[i] == AHEAD ? SC_CLOSED_S : 20.0),
                 NULL);
    }
    return builder;
}

static sc_map *street_of(const opening open[PIECES], bool is_dead_end)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    draw_street(&s, PIECES, is_dead_end);
    sc_map *map = finish_builder(open_street(&s, open));
    sketch_free(&s);
    return map;
}

/** A place on the street: so many metres into a piece. */
typedef struct spot {
    uint32_t piece;
    double metres;
} spot;

// The edge of a piece, and where on it the spot is. Maps may have turned it round.
static sc_edge_id edge_of(const sc_map *map, spot at, double *offset, bool *is_turned)
{
    const double unit_m = sc_map_unit_m(map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        const bool turned = edge->from == at.piece + 1 && edge->to == at.piece;
        if (!turned && !(edge->from == at.piece && edge->to == at.piece + 1)) continue;
        *offset = (turned ? sc_map_edge_length_m(map, e) - at.metres : at.metres) / unit_m;
        *is_turned = turned;
        return e;
    }
    fail_msg("there is no piece %u", at.piece);
    return SC_NONE;
}

// The legs from a spot; `ahead` is 0 for either way, 1 for ahead and -1 for back.
static sc_road_legs legs_from(const sc_map *map, spot at, int ahead)
{
    double offset = 0.0;
    bool is_turned = false;
    const sc_edge_id edge = edge_of(map, at, &offset, &is_turned);
    const bool is_forward = (ahead > 0) != is_turned;
    return sc__road_legs(map, edge, offset,
                         ahead == 0 ? SC_EITHER_WAY : (is_forward ? SC_FORWARD : SC_BACKWARD));
}

/** What it takes to get somewhere; no way: both are HUGE_VAL. */
typedef struct taken {
    double metres;
    double seconds;
} taken;

static taken best_way(const sc_map *map, const sc_road_legs *legs, const sc_road_spot *to,
                      bool at_end, bool end_is_last)
{
    taken best = {HUGE_VAL, HUGE_VAL};
    for (int i = 0; i < legs->count; i++) {
        const sc_road_leg *leg = &legs->legs[i];
        if (at_end && (!leg->reaches_end || leg->is_backward == end_is_last)) continue;
        if (!at_end && !sc__road_leg_passes(leg, to)) continue;
        sc_cost distance;
        sc_cost time;
        sc__road_leg_to(leg, at_end ? &leg->limit : to, &distance, &time);
        const double metres = sc__cost_plus(distance, 0.0) * sc_map_unit_m(map);
        if (metres >= best.metres) continue;
        best = (taken){metres, sc__cost_plus(time, 0.0) * sc_map_time_unit_s(map)};
    }
    return best;
}

static void check_taken(taken got, double metres, double seconds)
{
    if (isinf(metres)) {
        assert_true(isinf(got.metres));
        return;
    }
    CHECK_CLOSE(got.metres, metres, 1e-9);
    CHECK_CLOSE(got.seconds, seconds, 1e-9);
}

static void check_way(const sc_map *map, const sc_road_legs *legs, spot to, double metres,
                      double seconds)
{
    double offset = 0.0;
    bool is_turned = false;
    const sc_edge_id edge = edge_of(map, to, &offset, &is_turned);
    const sc_road_spot place = sc__road_spot_whole(map, edge, (uint32_t)llround(offset));
    check_taken(best_way(map, legs, &place, false, false), metres, seconds);
}

static void check_no_way(const sc_map *map, const sc_road_legs *legs, spot to)
{
    check_way(map, legs, to, HUGE_VAL, HUGE_VAL);
}

// To the end of the street at node 0, or at node PIECES.
static void check_end(const sc_map *map, const sc_road_legs *legs, bool far, double metres,
                      double seconds)
{
    double offset = 0.0;
    bool is_turned = false;
    edge_of(map, (spot){0, 0.0}, &offset, &is_turned);
    check_taken(best_way(map, legs, NULL, true, far != is_turned), metres, seconds);
}

static const double NO = HUGE_VAL;

// --- Without a direction -----------------------------------------------------------------------

static void test_a_road_open_both_ways_is_left_either_way(void **state)
{
    (void)state;
    sc_map *map = street_of((const opening[]){BOTH, BOTH, BOTH, BOTH}, false);
    const sc_road_legs legs = legs_from(map, (spot){1, 50.0}, 0);
    assert_int_equal(legs.count, 2);
    check_way(map, &legs, (spot){3, 50.0}, 200.0, 20.0);
    check_way(map, &legs, (spot){0, 50.0}, 100.0, 20.0);
    check_way(map, &legs, (spot){1, 50.0}, 0.0, 0.0);
    check_end(map, &legs, true, 250.0, 25.0);
    check_end(map, &legs, false, 150.0, 30.0);
    sc_map_free(map);
}

static void test_a_one_way_road_is_left_at_its_end(void **state)
{
    (void)state;
    sc_map *map = street_of((const opening[]){AHEAD, AHEAD, AHEAD, AHEAD}, false);
    for (int ahead = -1; ahead <= 1; ahead++) {  // a direction does not count
        const sc_road_legs legs = legs_from(map, (spot){1, 50.0}, ahead);
        assert_int_equal(legs.count, 1);
        check_way(map, &legs, (spot){1, 51.0}, 1.0, 0.1);
        check_no_way(map, &legs, (spot){1, 49.0});  // just behind
        check_end(map, &legs, true, 250.0, 25.0);
        check_end(map, &legs, false, NO, NO);
    }
    sc_map_free(map);
}

static void test_a_leg_ends_where_the_road_is_closed(void **state)
{
    (void)state;
    sc_map *map = street_of((const opening[]){BOTH, BOTH, BACK, BOTH}, false);
    const sc_road_legs legs = legs_from(map, (spot){1, 50.0}, 0);
    check_way(map, &legs, (spot){1, 100.0}, 50.0, 5.0);
    check_way(map, &legs, (spot){2, 0.0}, 50.0, 5.0);  // where the closed piece begins
    check_no_way(map, &legs, (spot){2, 1.0});
    check_end(map, &legs, true, NO, NO);
    check_end(map, &legs, false, 150.0, 30.0);
    sc_map_free(map);
}

static void test_between_two_no_entry_signs_nothing_else_is_reached(void **state)
{
    (void)state;
    // One may drive into pieces 1 and 2 from either side, and never out.
    sc_map *map = street_of((const opening[]){AHEAD, BOTH, BOTH, BACK}, false);
    const sc_road_legs legs = legs_from(map, (spot){2, 0.0}, 0);
    check_way(map, &legs, (spot){1, 0.0}, 100.0, 20.0);
    check_way(map, &legs, (spot){2, 100.0}, 100.0, 10.0);
    check_end(map, &legs, true, NO, NO);
    check_end(map, &legs, false, NO, NO);
    sc_map_free(map);
}

// --- With a direction --------------------------------------------------------------------------

static void test_with_a_direction_one_drives_on_to_the_next_intersection(void **state)
{
    (void)state;
    sc_map *map = street_of((const opening[]){BOTH, BOTH, BOTH, BOTH}, false);
    const sc_road_legs ahead = legs_from(map, (spot){1, 50.0}, 1);
    assert_int_equal(ahead.count, 1);
    check_end(map, &ahead, true, 250.0, 25.0);
    check_end(map, &ahead, false, NO, NO);
    check_no_way(map, &ahead, (spot){1, 49.0});
    const sc_road_legs back = legs_from(map, (spot){1, 50.0}, -1);
    assert_int_equal(back.count, 1);
    check_end(map, &back, false, 150.0, 30.0);
    check_no_way(map, &back, (spot){1, 51.0});
    sc_map_free(map);
}

static void test_at_a_dead_end_one_turns(void **state)
{
    (void)state;
    sc_map *map = street_of((const opening[]){BOTH, BOTH, BOTH, BOTH}, true);
    const sc_road_legs legs = legs_from(map, (spot){1, 50.0}, 1);
    assert_int_equal(legs.count, 2);
    check_way(map, &legs, (spot){3, 50.0}, 200.0, 20.0);                // on the way there
    check_way(map, &legs, (spot){1, 0.0}, 250.0 + 300.0, 25.0 + 60.0);  // on the way back
    check_end(map, &legs, false, 250.0 + 400.0, 25.0 + 80.0);
    sc_map_free(map);
}

static void test_before_a_closed_piece_one_turns(void **state)
{
    (void)state;
    sc_map *map = street_of((const opening[]){BOTH, BOTH, BACK, BOTH}, false);
    const sc_road_legs legs = legs_from(map, (spot){1, 50.0}, 1);
    check_way(map, &legs, (spot){1, 80.0}, 30.0, 3.0);
    check_way(map, &legs, (spot){0, 50.0}, 50.0 + 150.0, 5.0 + 30.0);
    check_end(map, &legs, false, 50.0 + 200.0, 5.0 + 40.0);
    check_end(map, &legs, true, NO, NO);
    sc_map_free(map);

    // And the same the other way round.
    map = street_of((const opening[]){BOTH, AHEAD, BOTH, BOTH}, false);
    const sc_road_legs back = legs_from(map, (spot){2, 50.0}, -1);
    check_way(map, &back, (spot){3, 50.0}, 50.0 + 150.0, 10.0 + 15.0);
    check_end(map, &back, true, 50.0 + 200.0, 10.0 + 20.0);
    check_end(map, &back, false, NO, NO);
    sc_map_free(map);
}

static void test_one_does_not_turn_where_the_road_is_closed_behind(void **state)
{
    (void)state;
    // The last piece leads into the dead end and not out of it.
    sc_map *map = street_of((const opening[]){BOTH, BOTH, BOTH, AHEAD}, true);
    const sc_road_legs legs = legs_from(map, (spot){1, 50.0}, 1);
    assert_int_equal(legs.count, 1);
    check_way(map, &legs, (spot){3, 100.0}, 250.0, 25.0);
    check_no_way(map, &legs, (spot){1, 0.0});
    sc_map_free(map);

    // The way back ends where the road is closed.
    map = street_of((const opening[]){AHEAD, BOTH, BACK, BOTH}, false);
    const sc_road_legs between = legs_from(map, (spot){1, 50.0}, 1);
    check_way(map, &between, (spot){1, 0.0}, 50.0 + 100.0, 5.0 + 20.0);
    check_no_way(map, &between, (spot){0, 99.0});
    check_end(map, &between, false, NO, NO);
    check_end(map, &between, true, NO, NO);
    sc_map_free(map);
}

// --- Ends of edges, and edges without length ---------------------------------------------------

static void test_at_a_node_both_edges_are_there(void **state)
{
    (void)state;
    sc_map *map = street_of((const opening[]){BOTH, BOTH, BOTH, BOTH}, false);
    static const spot places[] = {{1, 100.0}, {2, 0.0}};
    for (size_t i = 0; i < 2; i++) {
        for (int ahead = -1; ahead <= 1; ahead++) {
            const sc_road_legs legs = legs_from(map, places[i], ahead);
            for (size_t j = 0; j < 2; j++) {
                check_way(map, &legs, places[j], 0.0, 0.0);
            }
            check_end(map, &legs, true, ahead < 0 ? NO : 200.0, 20.0);
            check_end(map, &legs, false, ahead > 0 ? NO : 200.0, 40.0);
        }
    }
    sc_map_free(map);
}

static void test_an_edge_without_length_closes_no_road(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_PLANAR);
    draw_street(&s, 1, false);
    sc_map *map = finish_builder(open_street(&s, (const opening[]){BOTH, BACK, BOTH, BOTH}));
    const sc_road_legs legs = legs_from(map, (spot){0, 50.0}, 1);
    check_way(map, &legs, (spot){2, 50.0}, 100.0, 10.0);
    check_way(map, &legs, (spot){1, 0.0}, 50.0, 5.0);
    check_end(map, &legs, true, 250.0, 25.0);
    sc_map_free(map);
    sketch_free(&s);
}

// The place is no whole unit: ways through it that cost the same do so to the last bit.
static void test_what_a_position_adds_is_rounded_once(void **state)
{
    (void)state;
    sc_map *map = street_of((const opening[]){BOTH, BOTH, BOTH, BOTH}, false);
    const sc_road_legs legs = legs_from(map, (spot){1, 100.0 / 3.0}, 0);
    for (int i = 0; i < legs.count; i++) {
        sc_cost distance;
        sc_cost time;
        sc__road_leg_to(&legs.legs[i], &legs.legs[i].limit, &distance, &time);
        CHECK_SAME(nearbyint(distance.whole), distance.whole);
        CHECK_SAME(nearbyint(time.whole), time.whole);
        sc_cost longer = distance;
        longer.whole += 123456.0;
        CHECK_SAME(sc__cost_plus(distance, 123456.0), sc__cost_plus(longer, 0.0));
    }
    sc_map_free(map);
}

// --- Rings -------------------------------------------------------------------------------------

// Three pieces of 100 m, around again to where they begin; with a junction there or without.
static sc_map *ring_of(bool has_junction, bool is_one_way)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    for (uint32_t i = 0; i < 3; i++) {
        sketch_add_node(&s, i == 1 ? 50.0 : 0.0, 50.0 * i);
    }
    sketch_add_edge(&s, 0, 1, 100.0);
    sketch_add_edge(&s, 1, 2, 100.0);
    sketch_add_edge(&s, 2, 0, 100.0);
    for (int i = 0; has_junction && i < 2; i++) {
        sketch_add_edge(&s, 0, sketch_add_node(&s, -50.0, 10.0 * i), 60.0);
    }
    sc_builder *builder = sketch_builder(&s);
    for (sc_edge_id e = 0; e < 3; e++) {
        CHECK_OK(sc_builder_set_edge_times(builder, e, 10.0, is_one_way ? SC_CLOSED_S : 20.0),
                 NULL);
    }
    sc_map *map = finish_builder(builder);
    sketch_free(&s);
    return map;
}

static void test_a_ring_leads_back_to_where_it_begins(void **state)
{
    (void)state;
    for (int has_junction = 0; has_junction < 2; has_junction++) {
        sc_map *map = ring_of(has_junction, false);
        const sc_road_legs either = legs_from(map, (spot){1, 25.0}, 0);
        assert_int_equal(either.count, 2);
        double whole_m = 0.0;
        for (int i = 0; i < 2; i++) {
            const sc_road_leg *leg = &either.legs[i];
            assert_true(leg->reaches_end);
            sc_cost distance;
            sc_cost time;
            sc__road_leg_to(leg, &leg->limit, &distance, &time);
            whole_m += sc__cost_plus(distance, 0.0) * sc_map_unit_m(map);
        }
        CHECK_CLOSE(whole_m, 300.0, 1e-9);
        const sc_road_legs ahead = legs_from(map, (spot){1, 25.0}, 1);
        assert_int_equal(ahead.count, 1);
        check_no_way(map, &ahead, (spot){1, 20.0});
        sc_map_free(map);

        map = ring_of(has_junction, true);
        const sc_road_legs one = legs_from(map, (spot){1, 25.0}, -1);
        assert_int_equal(one.count, 1);
        assert_true(one.legs[0].reaches_end);
        check_no_way(map, &one, (spot){1, 20.0});
        check_way(map, &one, (spot){1, 30.0}, 5.0, 0.5);
        sc_map_free(map);
    }
}

// --- Headings ----------------------------------------------------------------------------------

// The direction towards `to` on the edge that joins two nodes.
static sc_direction towards(const sc_map *map, sc_node_id from, sc_node_id to, sc_edge_id *edge)
{
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *at = &sc_map_edges(map)[e];
        *edge = e;
        if (at->from == from && at->to == to) return SC_FORWARD;
        if (at->from == to && at->to == from) return SC_BACKWARD;
    }
    fail_msg("no edge joins %u and %u", from, to);
    return SC_EITHER_WAY;
}

static void check_heading(const sc_map *map, sc_node_id from, sc_node_id to, double heading_deg)
{
    sc_edge_id edge = SC_NONE;
    const sc_direction wanted = towards(map, from, to, &edge);
    const sc_direction other = wanted == SC_FORWARD ? SC_BACKWARD : SC_FORWARD;
    static const double near_deg[] = {0.0, 80.0, -80.0, 360.0, -720.0};
    for (size_t i = 0; i < sizeof near_deg / sizeof *near_deg; i++) {
        const double heading = heading_deg + near_deg[i];
        assert_int_equal(sc_map_edge_direction(map, edge, heading), wanted);
        assert_int_equal(sc_map_edge_direction(map, edge, heading + 180.0), other);
    }
}

static void test_a_heading_chooses_the_direction_of_an_edge(void **state)
{
    (void)state;
    static const struct {
        double east;
        double north;
        double heading_deg;
    } ways[] = {{0.0, 100.0, 0.0},    {100.0, 100.0, 45.0},    {100.0, 0.0, 90.0},
                {0.0, -100.0, 180.0}, {-100.0, -100.0, 225.0}, {-100.0, 0.0, 270.0}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        sketch s = sketch_new(SC_COORDS_PLANAR);
        sketch_add_node(&s, 1000.0, 1000.0);
        sketch_add_node(&s, 1000.0 + ways[i].east, 1000.0 + ways[i].north);
        sketch_add_edge(&s, 0, 1, 200.0);
        sc_map *map = sketch_map(&s);
        check_heading(map, 0, 1, ways[i].heading_deg);
        sc_map_free(map);
        sketch_free(&s);
    }
}

// At 60 degrees north a degree of longitude is half as wide: north-east is 2 to 1.
static void test_headings_on_the_globe_are_those_on_the_ground(void **state)
{
    (void)state;
    static const double west_deg[] = {8.0, 179.999};  // the second crosses the 180th meridian
    for (size_t i = 0; i < 2; i++) {
        sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
        const double east = west_deg[i] + 0.002;
        sketch_add_node(&s, west_deg[i], 60.0);
        sketch_add_node(&s, east > 180.0 ? east - 360.0 : east, 60.001);
        sketch_add_edge(&s, 0, 1, 200.0);
        sc_map *map = sketch_map(&s);
        check_heading(map, 0, 1, 45.0);
        sc_map_free(map);
        sketch_free(&s);
    }
}

static void test_without_coordinates_or_a_heading_either_way_counts(void **state)
{
    (void)state;
    static const sc_coords kinds[] = {SC_COORDS_NONE, SC_COORDS_PLANAR};
    for (size_t i = 0; i < 2; i++) {
        sketch s = sketch_new(kinds[i]);
        sketch_add_node(&s, 0.0, 0.0);
        sketch_add_node(&s, 0.0, 0.0);  // in the same place
        sketch_add_node(&s, 100.0, 0.0);
        sketch_add_edge(&s, 0, 1, 50.0);
        sketch_add_edge(&s, 1, 2, 100.0);
        sc_map *map = sketch_map(&s);
        sc_edge_id short_edge = SC_NONE;
        sc_edge_id long_edge = SC_NONE;
        const sc_direction east = towards(map, 1, 2, &long_edge);
        towards(map, 0, 1, &short_edge);
        const bool has_coords = kinds[i] == SC_COORDS_PLANAR;
        assert_int_equal(sc_map_edge_direction(map, short_edge, 90.0), SC_EITHER_WAY);
        assert_int_equal(sc_map_edge_direction(map, long_edge, 90.0),
                         has_coords ? east : SC_EITHER_WAY);
        assert_int_equal(sc_map_edge_direction(map, long_edge, NOT_A_NUMBER), SC_EITHER_WAY);
        assert_int_equal(sc_map_edge_direction(map, long_edge, HUGE_VAL), SC_EITHER_WAY);
        sc_map_free(map);
        sketch_free(&s);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_road_open_both_ways_is_left_either_way),
    cmocka_unit_test(test_a_one_way_road_is_left_at_its_end),
    cmocka_unit_test(test_a_leg_ends_where_the_road_is_closed),
    cmocka_unit_test(test_between_two_no_entry_signs_nothing_else_is_reached),
    cmocka_unit_test(test_with_a_direction_one_drives_on_to_the_next_intersection),
    cmocka_unit_test(test_at_a_dead_end_one_turns),
    cmocka_unit_test(test_before_a_closed_piece_one_turns),
    cmocka_unit_test(test_one_does_not_turn_where_the_road_is_closed_behind),
    cmocka_unit_test(test_at_a_node_both_edges_are_there),
    cmocka_unit_test(test_an_edge_without_length_closes_no_road),
    cmocka_unit_test(test_what_a_position_adds_is_rounded_once),
    cmocka_unit_test(test_a_ring_leads_back_to_where_it_begins),
    cmocka_unit_test(test_a_heading_chooses_the_direction_of_an_edge),
    cmocka_unit_test(test_headings_on_the_globe_are_those_on_the_ground),
    cmocka_unit_test(test_without_coordinates_or_a_heading_either_way_counts),
};
SC_SUITE(tests)
