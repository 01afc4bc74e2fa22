// The small graph of a cloak: distances worked out by hand, against a plain search that may use
// the cloak's roads only, and relays that are no cloak. drawn_cloak.h has the town.
#include "drawn_cloak.h"

#include "answer/inside_search.h"
#include "support/odd_cloak.h"
#include "support/odd_town.h"

// The drawn cloak with a request: without any there is no relay.
static drawn_cloak *asking_cloak(void)
{
    drawn_cloak *c = drawn_cloak_new();
    drawn_ask(c, drawn_knn(1));
    return c;
}

static sc_inside build(const drawn_cloak *c)
{
    sc_inside inside = {.map = NULL};
    sc_diag diag = {""};
    CHECK_OK(sc__inside_build(&inside, c->map, &c->relay, &diag), &diag);
    return inside;
}

static uint32_t vertex_at(const sc_inside *inside, sc_node_id node)
{
    for (uint32_t v = 0; v < inside->vertex_count; v++) {
        if (sc_map_stars(inside->map)[inside->stars[v]].node == node) return v;
    }
    return SC_NONE;
}

// How far the last search found a junction to be, in metres.
static double found(const drawn_cloak *c, const sc_inside *inside, char letter)
{
    const uint32_t vertex = vertex_at(inside, sketch_node(&c->s, letter));
    assert_int_not_equal(vertex, SC_NONE);
    return sc__inside_span_reach(inside->spans[vertex]).cost * sc_map_unit_m(c->map);
}

// --- By hand ---------------------------------------------------------------------------------

//         B       C         From B: F 20, J 40, E and G 60, C and K 80, H 100
//         |       |
//     E---F-------G---H
//         |       |
//         J       K
static void test_a_search_from_a_border_node_meets_the_others_nearest_first(void **state)
{
    (void)state;
    drawn_cloak *c = asking_cloak();
    sc_inside inside = build(c);
    assert_int_equal(inside.segment_count, 7);
    assert_int_equal(inside.vertex_count, 8);
    sc__inside_search_border(&inside, SC_METRIC_DISTANCE, drawn_border(c, 'B'), HUGE_VAL);
    static const struct {
        char letter;
        double distance_m;
    } wanted[] = {{'B', 0.0},  {'F', 20.0}, {'J', 40.0}, {'E', 60.0},
                  {'G', 60.0}, {'C', 80.0}, {'K', 80.0}, {'H', 100.0}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        CHECK_CLOSE(found(c, &inside, wanted[i].letter), wanted[i].distance_m, 1e-9);
    }
    assert_int_equal(inside.met_count, 5);
    assert_int_equal(inside.met[0].border, drawn_border(c, 'J'));
    assert_int_equal(inside.met[1].border, drawn_border(c, 'E'));
    assert_int_equal(inside.met[4].border, drawn_border(c, 'H'));
    CHECK_SAME(inside.met[4].cost, 100.0 / sc_map_unit_m(c->map));
    sc__inside_fini(&inside);
    drawn_cloak_free(c);
}

static void test_a_search_from_a_border_node_goes_no_farther_than_it_should(void **state)
{
    (void)state;
    drawn_cloak *c = asking_cloak();
    sc_inside inside = build(c);
    sc__inside_search_border(&inside, SC_METRIC_DISTANCE, drawn_border(c, 'B'),
                             60.0 / sc_map_unit_m(c->map));
    assert_int_equal(inside.met_count, 2);  // J at 40 m and E at 60 m
    CHECK_CLOSE(found(c, &inside, 'E'), 60.0, 1e-9);
    CHECK_CLOSE(found(c, &inside, 'G'), 60.0, 1e-9);
    // And nothing is left of that in the next search.
    sc__inside_search_border(&inside, SC_METRIC_DISTANCE, drawn_border(c, 'H'), 0.0);
    assert_int_equal(inside.met_count, 0);
    assert_true(isinf(found(c, &inside, 'B')));
    sc__inside_fini(&inside);
    drawn_cloak_free(c);
}

// 25.5 m from F on F-G: F 25.5, G 14.5, B 45.5, C 34.5, ...
static void test_a_search_from_a_place_goes_both_ways(void **state)
{
    (void)state;
    drawn_cloak *c = asking_cloak();
    sc_inside inside = build(c);
    double offset_m = 0.0;
    sc_road_spot spot = {.along = 0.0};
    const double unit_m = sc_map_unit_m(c->map);
    const sc_edge_id edge = drawn_place(c, "FG", 25.5, &offset_m);
    const uint32_t segment = sc__inside_segment_of(&inside, edge);
    assert_int_not_equal(segment, SC_NONE);
    const sc_road_legs legs = sc__road_legs(c->map, edge, offset_m / unit_m, SC_EITHER_WAY);
    sc__inside_search_place(&inside, SC_METRIC_DISTANCE, segment, &legs);
    CHECK_CLOSE(found(c, &inside, 'F'), 25.5, 1e-9);
    CHECK_CLOSE(found(c, &inside, 'G'), 14.5, 1e-9);
    CHECK_CLOSE(found(c, &inside, 'B'), 45.5, 1e-9);
    CHECK_CLOSE(found(c, &inside, 'C'), 34.5, 1e-9);
    CHECK_CLOSE(found(c, &inside, 'H'), 54.5, 1e-9);
    // A place on another segment, by the end that is nearer: 5 m from B on B-F.
    const sc_edge_id other = drawn_place(c, "BF", 5.0, &offset_m);
    const uint32_t up =
        sc__inside_locate(&inside, other, (uint32_t)llround(offset_m / unit_m), &spot);
    CHECK_CLOSE(sc__inside_reach(&inside, up, &spot).cost * unit_m, 40.5, 1e-9);
    sc__inside_fini(&inside);
    drawn_cloak_free(c);
}

// The segment B-A-E has a bend; places on its second edge are farther along.
static void test_a_place_is_found_along_the_whole_segment(void **state)
{
    (void)state;
    drawn_cloak *c = asking_cloak();
    drawn_set_cloak(c, "AB GK");
    sc_inside inside = build(c);
    const double unit_m = sc_map_unit_m(c->map);
    double offset_m = 0.0;
    sc_road_spot spot = {.along = 0.0};
    const sc_edge_id edge = drawn_place(c, "AE", 5.0, &offset_m);
    const uint32_t segment =
        sc__inside_locate(&inside, edge, (uint32_t)llround(offset_m / unit_m), &spot);
    // 45 m from B, or 15 m from E, whichever is first.
    const sc_seg_id id = c->segments[segment];
    const sc_star_id star = sc_map_segments(c->map)[id].star_a;
    const bool from_b = sc_map_stars(c->map)[star].node == sketch_node(&c->s, 'B');
    CHECK_CLOSE(spot.along * unit_m, from_b ? 45.0 : 15.0, 1e-9);
    CHECK_CLOSE(inside.segments[segment].length * unit_m, 60.0, 1e-9);
    // And what is not in the cloak is nowhere.
    const sc_edge_id outside = drawn_place(c, "FG", 5.0, &offset_m);
    assert_int_equal(sc__inside_locate(&inside, outside, 0, &spot), SC_NONE);
    sc__inside_fini(&inside);
    drawn_cloak_free(c);
}

// --- Against a plain search --------------------------------------------------------------------

// Every distance of a search from a place, on any cloak of any map, is that of a plain
// Dijkstra over nodes and edges that may not leave the cloak.
static void test_searches_find_what_a_plain_search_inside_finds(void **state)
{
    (void)state;
    sc_inside inside = {.map = NULL};
    for (uint64_t seed = 0; seed < 400; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        odd_cloak cloak = odd_cloak_new(town.map, &town.rng);
        const sc_request request = drawn_knn(1);
        const sc_relay relay = odd_cloak_relay(&cloak, town.map, &request, 1);
        sc_diag diag = {""};
        CHECK_OK(sc__inside_build(&inside, town.map, &relay, &diag), &diag);
        const double unit_m = sc_map_unit_m(town.map);
        const double unit_s = sc_map_time_unit_s(town.map);
        town.slow.only = cloak.inside;
        for (int i = 0; i < 4; i++) {
            const sc_seg_id on =
                cloak.segments[sc_rng_below(&town.rng, (uint32_t)cloak.segment_count)];
            const odd_position at = odd_position_on(town.map, on, &town.rng);
            town.slow.metric = (sc_metric)sc_rng_below(&town.rng, SC_METRIC_COUNT);
            town.slow.direction = at.direction;
            slow_measure(&town.slow, at.edge, at.offset_m);
            const uint32_t segment = sc__inside_segment_of(&inside, at.edge);
            assert_int_not_equal(segment, SC_NONE);
            const sc_road_legs legs =
                sc__road_legs(town.map, at.edge, at.offset_m / unit_m, at.direction);
            sc__inside_search_place(&inside, town.slow.metric, segment, &legs);
            for (uint32_t v = 0; v < inside.vertex_count; v++) {
                const sc_node_id node = sc_map_stars(town.map)[inside.stars[v]].node;
                const uint64_t parts = town.slow.node_distance[node];
                const sc_reach got = sc__inside_span_reach(inside.spans[v]);
                assert_true((parts == SLOW_NO_WAY) == isinf(got.cost));
                if (parts == SLOW_NO_WAY) continue;
                CHECK_CLOSE(got.cost, (double)parts / (double)SLOW_PARTS, 1e-3);
                const double other = (double)town.slow.node_other[node] / (double)SLOW_PARTS;
                // Ways that tie only up to rounding may be told apart either way.
                if (fabs(got.other - other) > 1e-3) {
                    const double amount =
                        got.other * (town.slow.metric == SC_METRIC_TIME ? unit_m : unit_s);
                    assert_true(slow_node_may_have(&town.slow, node, amount));
                }
            }
        }
        town.slow.only = NULL;
        odd_cloak_free(&cloak);
        odd_town_free(&town);
    }
    check_case_done();
    sc__inside_fini(&inside);
}

// The middle row of a grid, 100 junctions in a row and all of them on the border.
static void test_on_a_huge_cloak_only_the_nearest_border_nodes_are_met(void **state)
{
    (void)state;
    enum { LENGTH = 100 };
    sketch s = sketch_grid(SC_COORDS_PLANAR, LENGTH, 3);
    sc_map *map = sketch_map(&s);
    sc_seg_id segments[LENGTH];
    sc_node_id border_nodes[LENGTH];
    uint32_t count = 0;
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        const sc_edge *first = &sc_map_edges(map)[sc_map_segments(map)[i].first_edge];
        if (first->from / LENGTH == 1 && first->to / LENGTH == 1) segments[count++] = i;
    }
    assert_int_equal(count, LENGTH - 1);
    for (uint32_t i = 0; i < LENGTH; i++) {
        border_nodes[i] = LENGTH + i;
    }
    const sc_request request = drawn_knn(1);
    const sc_relay relay = {
        .map_checksum = sc_map_checksum(map),
        .segments = segments,
        .segment_count = count,
        .border_nodes = border_nodes,
        .border_node_count = LENGTH,
        .requests = &request,
        .request_count = 1,
    };
    sc_inside inside = {.map = NULL};
    sc_diag diag = {""};
    CHECK_OK(sc__inside_build(&inside, map, &relay, &diag), &diag);
    const double step = 100.0 / sc_map_unit_m(map);
    sc__inside_search_border(&inside, SC_METRIC_DISTANCE, 0, HUGE_VAL);
    assert_int_equal(inside.met_count, SC_INSIDE_MET);
    for (uint32_t i = 0; i < SC_INSIDE_MET; i++) {
        assert_int_equal(inside.met[i].border, i + 1);
        CHECK_SAME(inside.met[i].cost, (i + 1) * step);
    }
    assert_true(isinf(inside.spans[inside.border_vertex[LENGTH - 1]].cost.whole));
    // The next search begins with nothing of this one.
    sc__inside_search_border(&inside, SC_METRIC_DISTANCE, LENGTH - 1, HUGE_VAL);
    assert_int_equal(inside.met[0].border, LENGTH - 2);
    assert_true(isinf(inside.spans[inside.border_vertex[0]].cost.whole));
    sc__inside_fini(&inside);
    sc_map_free(map);
    sketch_free(&s);
}

// --- What is no cloak --------------------------------------------------------------------------

static void other_map(drawn_cloak *c)
{
    c->relay.map_checksum++;
}

static void no_segments(drawn_cloak *c)
{
    c->relay.segment_count = 0;
}

static void segment_twice(drawn_cloak *c)
{
    c->segments[1] = c->segments[0];
}

static void segments_descend(drawn_cloak *c)
{
    const sc_seg_id first = c->segments[0];
    c->segments[0] = c->segments[1];
    c->segments[1] = first;
}

static void segment_unknown(drawn_cloak *c)
{
    c->segments[c->relay.segment_count - 1] = sc_map_segment_count(c->map);
}

static void border_node_missing(drawn_cloak *c)
{
    c->relay.border_node_count--;
}

static void border_nodes_descend(drawn_cloak *c)
{
    c->border_nodes[1] = c->border_nodes[0];
}

static void border_node_elsewhere(drawn_cloak *c)
{
    // L is a bend, and not even in the cloak; it comes after all the others but M.
    c->border_nodes[c->relay.border_node_count++] = sketch_node(&c->s, 'L');
}

static void border_node_unknown(drawn_cloak *c)
{
    c->border_nodes[c->relay.border_node_count++] = SC_NONE - 1;
}

static void inner_node_on_border(drawn_cloak *c)
{
    c->border_nodes[c->relay.border_node_count++] = sketch_node(&c->s, 'G');
    qsort(c->border_nodes, c->relay.border_node_count, sizeof *c->border_nodes, drawn_compare);
}

static void too_many_border_nodes(drawn_cloak *c)
{
    for (uint32_t v = 0; v < 15; v++) {
        c->border_nodes[v] = v;
    }
    c->relay.border_node_count = 15;
}

static void test_relays_that_are_no_cloak_of_the_map_are_refused(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(drawn_cloak *c);
        sc_err code;
        const char *message;
    } cases[] = {
        {other_map, SC_EMISMATCH, "of another map"},
        {no_segments, SC_EINVAL, "has no segments"},
        {segment_twice, SC_EINVAL, "segment 1 of the relay is not above the one before"},
        {segments_descend, SC_EINVAL, "segment 1 of the relay is not above the one before"},
        {segment_unknown, SC_EUNKNOWN, "of the relay does not exist"},
        {border_node_missing, SC_EINVAL,
         "is on the border of the segments but not listed as a border node"},
        {border_nodes_descend, SC_EINVAL, "border node 1 of the relay is not above"},
        {border_node_elsewhere, SC_EINVAL, "only 6 of its 7 border nodes are on the border"},
        {border_node_unknown, SC_EUNKNOWN, "border node 6 of the relay does not exist"},
        {inner_node_on_border, SC_EINVAL, "only 6 of its 7 border nodes are on the border"},
        {too_many_border_nodes, SC_EINVAL, "7 segments cannot have 15 border nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        drawn_cloak *c = asking_cloak();
        cases[i].spoil(c);
        sc_inside inside = {.map = NULL};
        sc_diag diag = {""};
        CHECK_REFUSED(sc__inside_build(&inside, c->map, &c->relay, &diag), cases[i].code, &diag,
                      cases[i].message);
        assert_int_equal(inside.segment_count, 0);
        sc__inside_fini(&inside);
        drawn_cloak_free(c);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_search_from_a_border_node_meets_the_others_nearest_first),
    cmocka_unit_test(test_a_search_from_a_border_node_goes_no_farther_than_it_should),
    cmocka_unit_test(test_a_search_from_a_place_goes_both_ways),
    cmocka_unit_test(test_a_place_is_found_along_the_whole_segment),
    SC_CASES(test_searches_find_what_a_plain_search_inside_finds),
    cmocka_unit_test(test_on_a_huge_cloak_only_the_nearest_border_nodes_are_met),
    SC_CASES(test_relays_that_are_no_cloak_of_the_map_are_refused),
};
SC_SUITE(tests)
