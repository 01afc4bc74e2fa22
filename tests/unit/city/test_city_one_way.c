// One-way roads of generated cities: as many as were asked for, and no place that cannot be
// reached or left.
#include <starcloak/map_generate.h>

#include <math.h>

#include "support/check.h"

static sc_map *city_of(uint32_t node_count, uint64_t seed, double share)
{
    const sc_city_options options = {
        .node_count = node_count, .seed = seed, .one_way_share = share};
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_generate_city(&options, &map, &diag), &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    return map;
}

static bool is_one_way(sc_travel_times times)
{
    assert_true(times.forward != SC_CLOSED || times.backward != SC_CLOSED);
    return times.forward == SC_CLOSED || times.backward == SC_CLOSED;
}

static double one_way_share(const sc_map *map)
{
    double length_m = 0;
    double one_way_m = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        length_m += sc_map_segment_length_m(map, s);
        if (is_one_way(sc_map_segment_times(map)[s])) one_way_m += sc_map_segment_length_m(map, s);
    }
    return one_way_m / length_m;
}

/**
 * How many nodes can be reached from the first, or can reach it. Plainly: over all edges, until
 * nothing changes; odd rounds go through them from the end, since few rounds are wanted.
 */
static uint32_t reached(const sc_map *map, bool is_against)
{
    const uint32_t edge_count = sc_map_edge_count(map);
    bool *is_seen = test_take(sc_map_node_count(map), sizeof *is_seen);
    uint32_t count = 1;
    is_seen[0] = true;
    uint32_t before = 0;
    for (uint32_t round = 0; before < count; round++) {
        before = count;
        for (uint32_t i = 0; i < edge_count; i++) {
            const sc_edge_id e = round % 2 ? edge_count - 1 - i : i;
            const sc_travel_times times = sc_map_edge_times(map)[e];
            const sc_node_id from = sc_map_edges(map)[e].from;
            const sc_node_id to = sc_map_edges(map)[e].to;
            const bool is_along = (is_against ? times.backward : times.forward) != SC_CLOSED;
            const bool is_back = (is_against ? times.forward : times.backward) != SC_CLOSED;
            const bool leads_on = (is_seen[from] && !is_seen[to] && is_along) ||
                                  (is_seen[to] && !is_seen[from] && is_back);
            if (!leads_on) continue;
            is_seen[from] = is_seen[to] = true;
            count++;
        }
    }
    free(is_seen);
    return count;
}

static void check_everything_is_reached(const sc_map *map)
{
    assert_int_equal(reached(map, false), sc_map_node_count(map));
    assert_int_equal(reached(map, true), sc_map_node_count(map));
}

static void test_the_share_is_met_and_every_place_is_reached_and_left(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1000, 2000, 5000};
    static const double shares[] = {0.05, 0.2, 0.25, 0.36, 0.5};
    for (uint64_t seed = 0; seed < 15; seed++) {
        check_case(seed);
        const double wanted = shares[seed % 5];
        sc_map *map = city_of(sizes[seed % 3], seed, wanted);
        const double share = one_way_share(map);
        // Never more, but for the ground that lengths were measured on when roads were chosen.
        if (share > wanted + 0.001 || share < wanted - 0.01) {
            fail_msg("%.4f of the length is one-way, not %.2f", share, wanted);
        }
        check_everything_is_reached(map);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_hamlets_and_the_highest_share_leave_no_place_cut_off(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {100, 101, 150, 300, 699, 999, 3000};
    for (uint64_t seed = 0; seed < 28; seed++) {
        check_case(seed);
        sc_map *map = city_of(sizes[seed % 7], seed, 1);
        check_everything_is_reached(map);
        if (sizes[seed % 7] >= 999) assert_true(one_way_share(map) > 0.5);
        sc_map_free(map);
    }
    check_case_done();
}

/** Roads are told by their classes: only arterials, streets and lanes are one-way. */
static void test_motorways_and_dead_ends_stay_open_both_ways(void **state)
{
    (void)state;
    sc_map *map = city_of(20000, 3, 0.5);
    const sc_segment *segments = sc_map_segments(map);
    uint32_t motorways = 0;
    uint32_t dead_ends = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const bool one_way = is_one_way(sc_map_segment_times(map)[s]);
        const unsigned road_class = sc_map_edge_classes(map)[segments[s].first_edge];
        if (road_class == SC_ROAD_MOTORWAY || road_class == SC_ROAD_RAMP) {
            motorways++;
            assert_false(one_way);
        }
        if (segments[s].star_b == SC_NONE) {
            dead_ends++;
            assert_false(one_way);
        }
    }
    assert_true(motorways > 0 && dead_ends > 0);
    sc_map_free(map);
}

// Open in the direction in which it is driven, edges take as long as they would otherwise; all else
// is the same.
static void test_one_way_roads_change_nothing_but_directions(void **state)
{
    (void)state;
    sc_map *plain = city_of(2000, 8, 0);
    sc_map *map = city_of(2000, 8, 0.3);
    assert_string_equal(sc_map_source(plain), "generated city, 2000 nodes, seed 8");
    assert_string_equal(sc_map_source(map),
                        "generated city, 2000 nodes, seed 8, one-way share 0.3");
    assert_int_equal(sc_map_edge_count(map), sc_map_edge_count(plain));
    assert_int_equal(sc_map_segment_count(map), sc_map_segment_count(plain));
    uint32_t one_way = 0;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        assert_memory_equal(&sc_map_edges(map)[e], &sc_map_edges(plain)[e], sizeof(sc_edge));
        const sc_travel_times times = sc_map_edge_times(map)[e];
        const sc_travel_times usual = sc_map_edge_times(plain)[e];
        assert_int_equal(usual.forward, usual.backward);
        assert_false(is_one_way(usual));
        one_way += is_one_way(times);
        if (times.forward != SC_CLOSED) assert_int_equal(times.forward, usual.forward);
        if (times.backward != SC_CLOSED) assert_int_equal(times.backward, usual.backward);
    }
    assert_true(one_way > 0);
    assert_int_equal(sc_map_object_count(map), sc_map_object_count(plain));
    sc_map_free(plain);
    sc_map_free(map);
}

static void test_the_same_options_give_the_same_directions(void **state)
{
    (void)state;
    sc_map *one = city_of(3000, 5, 0.4);
    sc_map *same = city_of(3000, 5, 0.4);
    sc_map *other = city_of(3000, 5, 0.41);
    assert_true(sc_map_checksum(one) == sc_map_checksum(same));
    assert_true(sc_map_checksum(one) != sc_map_checksum(other));
    sc_map_free(one);
    sc_map_free(same);
    sc_map_free(other);
}

static void test_an_impossible_share_is_refused(void **state)
{
    (void)state;
    const double shares[] = {-0.001, 1.001, (double)NAN, HUGE_VAL};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const sc_city_options options = {.node_count = 500, .one_way_share = shares[i]};
        sc_map *map = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(sc_map_generate_city(&options, &map, &diag), SC_EINVAL, &diag,
                      "it goes from 0 to 1");
        assert_null(map);
    }
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_share_is_met_and_every_place_is_reached_and_left),
    SC_CASES(test_hamlets_and_the_highest_share_leave_no_place_cut_off),
    cmocka_unit_test(test_motorways_and_dead_ends_stay_open_both_ways),
    cmocka_unit_test(test_one_way_roads_change_nothing_but_directions),
    cmocka_unit_test(test_the_same_options_give_the_same_directions),
    cmocka_unit_test(test_an_impossible_share_is_refused),
};
SC_SUITE(tests)
