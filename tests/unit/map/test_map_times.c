// Directions, travel times and names of roads, as a builder takes them and a map tells them.
#include "support/check.h"
#include "support/scm_patch.h"
#include "support/sketch.h"

#include "map/map_internal.h"

#include <math.h>

// The edge of the map between two nodes of the sketch, and whether it runs from `a` to `b`.
static sc_edge_id edge_between(const sc_map *map, sc_node_id a, sc_node_id b, bool *forward)
{
    const sc_edge *edges = sc_map_edges(map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        *forward = edges[e].from == a && edges[e].to == b;
        if (*forward || (edges[e].from == b && edges[e].to == a)) return e;
    }
    fail_msg("no edge from %u to %u", a, b);
    return SC_NONE;
}

// How long the edge from `a` to `b` takes, in seconds; -1: closed.
static double seconds(const sc_map *map, sc_node_id a, sc_node_id b)
{
    bool forward = false;
    const sc_travel_times times = sc_map_edge_times(map)[edge_between(map, a, b, &forward)];
    const uint32_t units = forward ? times.forward : times.backward;
    return units == SC_CLOSED ? -1.0 : units * sc_map_time_unit_s(map);
}

static void set_times(sc_builder *builder, sc_edge_id edge, double forward_s, double backward_s)
{
    CHECK_OK(sc_builder_set_edge_times(builder, edge, forward_s, backward_s), NULL);
}

static void set_name(sc_builder *builder, sc_edge_id edge, const char *name)
{
    CHECK_OK(sc_builder_set_edge_name(builder, edge, name, strlen(name)), NULL);
}

// --- Times -------------------------------------------------------------------------

static void test_an_edge_without_times_has_those_of_its_class(void **state)
{
    (void)state;
    for (unsigned road_class = 0; road_class < SC_ROAD_CLASS_COUNT; road_class++) {
        sketch s = sketch_named("lone road");
        s.edges[0].road_class = (sc_road_class)road_class;
        s.edges[0].length = 1000.0;
        sc_map *map = sketch_map(&s);
        const double usual = 1000.0 / sc_road_class_speed_m_s(road_class);
        CHECK_CLOSE(seconds(map, 0, 1), usual, 5e-4);
        CHECK_CLOSE(seconds(map, 1, 0), usual, 5e-4);
        CHECK_SAME(sc_map_time_unit_s(map), 1e-3);
        assert_false(sc_map_has_names(map));
        assert_string_equal(sc_map_segment_name(map, 0), "");
        sc_map_free(map);
        sketch_free(&s);
    }
    // What is no class is as a road of unknown class.
    CHECK_SAME(sc_road_class_speed_m_s(SC_ROAD_CLASS_COUNT),
               sc_road_class_speed_m_s(SC_ROAD_UNKNOWN));
    CHECK_SAME(sc_road_class_speed_m_s(UINT32_MAX), sc_road_class_speed_m_s(SC_ROAD_UNKNOWN));
}

static void test_times_are_kept_for_each_direction(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B--C\n   |\n   D\n", "");
    sc_builder *builder = sketch_builder(&s);
    set_times(builder, 0, 1.25, 2.5);
    set_times(builder, 1, SC_CLOSED_S, 3.0);
    set_times(builder, 2, 4.0, SC_CLOSED_S);
    set_times(builder, 0, 1.5, 2.75);  // the last one counts
    sc_map *map = finish_builder(builder);
    for (uint32_t e = 0; e < 3; e++) {
        const double wanted[][2] = {{1.5, 2.75}, {-1, 3.0}, {4.0, -1}};
        CHECK_CLOSE(seconds(map, s.edges[e].from, s.edges[e].to), wanted[e][0], 1e-12);
        CHECK_CLOSE(seconds(map, s.edges[e].to, s.edges[e].from), wanted[e][1], 1e-12);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void test_times_that_cannot_be_are_refused(void **state)
{
    (void)state;
    sketch s = sketch_named("lone road");
    sc_builder *builder = sketch_builder(&s);
    static const double bad[][2] = {{SC_CLOSED_S, SC_CLOSED_S},
                                    {NOT_A_NUMBER, 1},
                                    {1, NOT_A_NUMBER},
                                    {-0.5, 1},
                                    {1, -2},
                                    {1.1e9, 1},
                                    {1, HUGE_VAL},
                                    {-HUGE_VAL, 1},
                                    {SC_CLOSED_S, -3}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sc_builder_set_edge_times(builder, 0, bad[i][0], bad[i][1]), SC_EINVAL);
    }
    assert_int_equal(sc_builder_set_edge_times(builder, s.edge_count, 1, 1), SC_EINVAL);
    assert_int_equal(sc_builder_set_edge_times(builder, SC_NONE, 1, 1), SC_EINVAL);
    assert_int_equal(sc_builder_set_edge_name(builder, s.edge_count, "A", 1), SC_EINVAL);
    assert_int_equal(sc_builder_set_edge_name(builder, SC_NONE, "A", 1), SC_EINVAL);
    // Nothing of that was kept.
    sc_map *map = finish_builder(builder);
    CHECK_CLOSE(seconds(map, 0, 1), 10.0 / sc_road_class_speed_m_s(SC_ROAD_LOCAL), 5e-4);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_each_direction_may_take_its_usual_time(void **state)
{
    (void)state;
    const double usual_s = 10.0 / sc_road_class_speed_m_s(SC_ROAD_LOCAL);
    const struct {
        double given[2];
        double wanted_s[2];
    } cases[] = {{{SC_USUAL_S, SC_CLOSED_S}, {usual_s, -1}},
                 {{SC_CLOSED_S, SC_USUAL_S}, {-1, usual_s}},
                 {{SC_USUAL_S, 7}, {usual_s, 7}},
                 {{7, SC_USUAL_S}, {7, usual_s}},
                 {{SC_USUAL_S, SC_USUAL_S}, {usual_s, usual_s}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sketch s = sketch_named("lone road");
        sc_builder *builder = sketch_builder(&s);
        const double *given = cases[i].given;
        CHECK_OK(sc_builder_set_edge_times(builder, 0, given[0], given[1]), NULL);
        sc_map *map = finish_builder(builder);
        CHECK_CLOSE(seconds(map, 0, 1), cases[i].wanted_s[0], 5e-4);
        CHECK_CLOSE(seconds(map, 1, 0), cases[i].wanted_s[1], 5e-4);
        sc_map_free(map);
        sketch_free(&s);
    }
}

static void test_only_a_road_that_takes_no_time_has_time_zero(void **state)
{
    (void)state;
    sketch s = sketch_named("lone road");
    sc_builder *builder = sketch_builder(&s);
    set_times(builder, 0, 1e-9, 0.0);
    sc_map *map = finish_builder(builder);
    CHECK_CLOSE(seconds(map, 0, 1), 1e-3, 1e-12);
    CHECK_SAME(seconds(map, 1, 0), 0.0);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_the_unit_of_time_grows_with_the_longest_road(void **state)
{
    (void)state;
    static const double longest[] = {1e6, 3e6, 1e8, 1e9};
    static const double units[] = {1e-3, 1e-2, 1e-1, 1.0};
    for (int i = 0; i < 4; i++) {
        sketch s = sketch_named("lone road");
        sc_builder *builder = sketch_builder(&s);
        set_times(builder, 0, longest[i], longest[i]);
        sc_map *map = finish_builder(builder);
        CHECK_CLOSE(sc_map_time_unit_s(map), units[i], 1e-12);
        CHECK_CLOSE(seconds(map, 0, 1), longest[i], 1e-3);
        sc_map_free(map);
        sketch_free(&s);
    }
}

// A lone road of three edges, the second drawn against the others.
static sketch crooked_road(void)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    for (int i = 0; i < 4; i++) {
        sketch_add_node(&s, i * 100.0, 0.0);
    }
    sketch_add_edge(&s, 0, 1, 100.0);
    sketch_add_edge(&s, 2, 1, 100.0);
    sketch_add_edge(&s, 2, 3, 100.0);
    return s;
}

static void test_an_edge_that_its_chain_walks_backwards_swaps_its_directions(void **state)
{
    (void)state;
    sketch s = crooked_road();
    sc_builder *builder = sketch_builder(&s);
    set_times(builder, 0, 1.0, 10.0);
    set_times(builder, 1, 20.0, 2.0);
    set_times(builder, 2, 3.0, 30.0);
    sc_map *map = finish_builder(builder);
    assert_int_equal(sc_map_segment_count(map), 1);
    for (sc_node_id v = 0; v < 3; v++) {
        CHECK_CLOSE(seconds(map, v, v + 1), v + 1.0, 1e-12);
        CHECK_CLOSE(seconds(map, v + 1, v), 10.0 * (v + 1), 1e-12);
    }
    // The segment takes as long as its edges, walked as it lies.
    const bool along = sc_map_edges(map)[0].from == 0;
    const sc_travel_times times = sc_map_segment_times(map)[0];
    assert_int_equal(along ? times.forward : times.backward, 6000);
    assert_int_equal(along ? times.backward : times.forward, 60000);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_segment_is_closed_where_one_of_its_edges_is(void **state)
{
    (void)state;
    for (sc_edge_id closed = 0; closed < 3; closed++) {
        for (int against = 0; against < 2; against++) {
            sketch s = crooked_road();
            sc_builder *builder = sketch_builder(&s);
            const bool turned = (against != 0) != (closed == 1);
            set_times(builder, closed, turned ? 5.0 : SC_CLOSED_S, turned ? SC_CLOSED_S : 5.0);
            sc_map *map = finish_builder(builder);
            const bool along = sc_map_edges(map)[0].from == 0;
            const sc_travel_times times = sc_map_segment_times(map)[0];
            const uint32_t east = along ? times.forward : times.backward;
            const uint32_t west = along ? times.backward : times.forward;
            // From the first node to the last, or back.
            assert_int_equal(east == SC_CLOSED, !against);
            assert_int_equal(west == SC_CLOSED, against);
            sc_map_free(map);
            sketch_free(&s);
        }
    }
}

// Edges closed in different directions close a segment both ways; each edge is still open.
static void test_a_segment_may_be_closed_both_ways(void **state)
{
    (void)state;
    sketch s = crooked_road();
    sc_builder *builder = sketch_builder(&s);
    set_times(builder, 0, 1.0, SC_CLOSED_S);
    set_times(builder, 2, SC_CLOSED_S, 1.0);
    sc_map *map = finish_builder(builder);
    assert_true(sc_map_segment_times(map)[0].forward == SC_CLOSED);
    assert_true(sc_map_segment_times(map)[0].backward == SC_CLOSED);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_segments_of_odd_maps_take_as_long_as_their_edges(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_builder *builder = sketch_builder(&s);
        for (sc_edge_id e = (sc_edge_id)(seed % 2); e < s.edge_count; e += 2) {
            const bool is_one_way = (e + seed) % 5 == 0;
            set_times(builder, e, is_one_way ? SC_CLOSED_S : 0.001 * e, 0.002 * e);
        }
        sc_map *map = finish_builder(builder);
        const sc_segment *segments = sc_map_segments(map);
        for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
            uint64_t forward = 0;
            uint64_t backward = 0;
            bool is_open = true;
            bool is_open_back = true;
            for (sc_edge_id e = segments[i].first_edge; e < segments[i + 1].first_edge; e++) {
                const sc_travel_times times = sc_map_edge_times(map)[e];
                forward += times.forward;
                backward += times.backward;
                is_open &= times.forward != SC_CLOSED;
                is_open_back &= times.backward != SC_CLOSED;
            }
            const sc_travel_times times = sc_map_segment_times(map)[i];
            assert_int_equal(times.forward, is_open ? forward : SC_CLOSED);
            assert_int_equal(times.backward, is_open_back ? backward : SC_CLOSED);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// --- Names -------------------------------------------------------------------------

static void test_a_segment_has_the_name_of_its_longest_stretch(void **state)
{
    (void)state;
    static const struct {
        const char *names[5];  ///< of edges of 10, 11, 12, 13 and 14 m in a row
        const char *wanted;
    } cases[] = {
        {{"A", "A", "A", "B", "B"}, "A"},  // 33 m against 27 m
        {{"A", "B", "A", "B", "A"}, "A"},  // the longest one with that name, not the sum
        {{"A", "B", "B", "C", "A"}, "B"},  // 23 m
        {{"", "", "", "", "A"}, "A"},      // a name is better than none
        {{"", "", "A", "", ""}, "A"},      //
        {{"A", "", "A", "", "B"}, "B"},    // 14 m against 12 m
        {{"", "", "", "", ""}, ""},        //
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int backwards = 0; backwards < 2; backwards++) {
            sketch s = sketch_new(SC_COORDS_NONE);
            for (int i = 0; i < 6; i++) {
                sketch_add_node(&s, 0, 0);
            }
            for (uint32_t i = 0; i < 5; i++) {
                sketch_add_edge(&s, backwards ? 4 - i : i, backwards ? 5 - i : i + 1, 10.0 + i);
            }
            sc_builder *builder = sketch_builder(&s);
            for (sc_edge_id e = 0; e < 5; e++) {
                set_name(builder, e, cases[c].names[e]);
            }
            sc_map *map = finish_builder(builder);
            assert_string_equal(sc_map_segment_name(map, 0), cases[c].wanted);
            sc_map_free(map);
            sketch_free(&s);
        }
    }
}

static void test_names_need_no_objects_and_objects_no_names(void **state)
{
    (void)state;
    for (int with = 0; with < 4; with++) {
        sketch s = sketch_named("theta");
        sc_builder *builder = sketch_builder(&s);
        if (with & 1)
            set_name(builder, 1,
                     "Ringstra\xc3\x9f"
                     "e (B 37)");
        if (with & 2) put_object(builder, 0, 0.5, "cafe", "Eck");
        sc_map *built = finish_builder(builder);
        scm_bytes file = scm_of(built);
        sc_map *map = NULL;
        sc_diag diag = {""};
        CHECK_OK(sc_map_open_memory(file.data, file.size, "m.scm", &map, &diag), &diag);
        CHECK_OK(sc_map_check(map, &diag), &diag);
        assert_int_equal(sc_map_has_names(map), with & 1);
        unsigned named = 0;
        for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
            const char *name = sc_map_segment_name(map, i);
            if (*name == '\0') continue;
            named++;
            assert_string_equal(name, "Ringstra\xc3\x9f"
                                      "e (B 37)");
        }
        assert_int_equal(named, with & 1);
        assert_int_equal(sc_map_object_count(map), with >> 1);
        if (with & 2) assert_string_equal(sc_map_object_name(map, 0), "Eck");
        sc_map_free(map);
        scm_free(&file);
        sc_map_free(built);
        sketch_free(&s);
    }
}

static void test_names_are_made_valid_utf8_and_kept_once(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B--C\n   |\n   D\n", "");
    sc_builder *builder = sketch_builder(&s);
    const char odd[] = {'a', '\0', (char)0xff, 'b'};
    CHECK_OK(sc_builder_set_edge_name(builder, 0, odd, sizeof odd), NULL);
    set_name(builder, 1, "Hauptstrasse");
    set_name(builder, 2, "Hauptstrasse");
    sc_map *map = finish_builder(builder);
    bool forward = false;
    const sc_edge *edges = sc_map_edges(map);
    const char *names[3];
    for (uint32_t e = 0; e < 3; e++) {
        const sc_edge_id edge = edge_between(map, s.edges[e].from, s.edges[e].to, &forward);
        names[e] = sc_map_segment_name(map, edges[edge].segment);
    }
    assert_string_equal(names[0], "a\xef\xbf\xbd\xef\xbf\xbd"
                                  "b");
    assert_string_equal(names[1], "Hauptstrasse");
    assert_ptr_equal(names[1], names[2]);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_directions_times_and_names_are_part_of_the_checksum(void **state)
{
    (void)state;
    uint64_t sums[5];
    sketch s = sketch_named("theta");
    for (int i = 0; i < 5; i++) {
        sc_builder *builder = sketch_builder(&s);
        if (i == 1) set_times(builder, 0, 5.0, SC_CLOSED_S);
        if (i == 2) set_times(builder, 0, SC_CLOSED_S, 5.0);
        if (i == 3) set_times(builder, 0, 5.0, 5.0);
        if (i == 4) set_name(builder, 0, "A 5");
        sc_map *map = finish_builder(builder);
        sums[i] = sc_map_checksum(map);
        sc_map_free(map);
        for (int j = 0; j < i; j++) {
            assert_true(sums[i] != sums[j]);
        }
    }
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_edge_without_times_has_those_of_its_class),
    cmocka_unit_test(test_times_are_kept_for_each_direction),
    cmocka_unit_test(test_times_that_cannot_be_are_refused),
    cmocka_unit_test(test_each_direction_may_take_its_usual_time),
    cmocka_unit_test(test_only_a_road_that_takes_no_time_has_time_zero),
    cmocka_unit_test(test_the_unit_of_time_grows_with_the_longest_road),
    cmocka_unit_test(test_an_edge_that_its_chain_walks_backwards_swaps_its_directions),
    cmocka_unit_test(test_a_segment_is_closed_where_one_of_its_edges_is),
    cmocka_unit_test(test_a_segment_may_be_closed_both_ways),
    SC_CASES(test_segments_of_odd_maps_take_as_long_as_their_edges),
    cmocka_unit_test(test_a_segment_has_the_name_of_its_longest_stretch),
    cmocka_unit_test(test_names_need_no_objects_and_objects_no_names),
    cmocka_unit_test(test_names_are_made_valid_utf8_and_kept_once),
    cmocka_unit_test(test_directions_times_and_names_are_part_of_the_checksum),
};
SC_SUITE(tests)
