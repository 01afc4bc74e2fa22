// What `map info` says: counts of small pictures by hand, and of odd maps by a
// plain count.
#include <starcloak/map_info.h>

#include "support/check.h"
#include "support/reference.h"

#include <math.h>

enum { ODD_MAPS = 5000 };

static sc_map_info describe(const sketch *s)
{
    sc_map *map = sketch_map(s);
    sc_map_info info;
    memset(&info, 0xee, sizeof info);
    CHECK_OK(sc_map_describe(map, &info), NULL);
    sc_map_free(map);
    return info;
}

//  A--B   C-D   F   G--H--I     a lone road, a ring, a lone node,
//         |/           |        and a star with three dead ends
//         E            J
static void test_a_picture_of_islands_is_described_piece_by_piece(void **state)
{
    (void)state;
    sketch s = sketch_named("islands and a lone node");
    const sc_map_info info = describe(&s);
    assert_int_equal(info.components, 4);
    assert_int_equal(info.isolated_nodes, 1);
    assert_int_equal(info.largest_component, 4);
    assert_int_equal(info.rings, 1);
    assert_int_equal(info.lone_roads, 1);
    assert_int_equal(info.pseudo_stars, 2);
    assert_int_equal(info.dead_ends, 3);
    assert_int_equal(info.star_to_star, 0);
    assert_int_equal(info.longest_chain, 3);
    assert_int_equal(info.degrees[0], 1);
    assert_int_equal(info.degrees[1], 5);
    assert_int_equal(info.degrees[2], 3);
    assert_int_equal(info.degrees[3], 1);
    // Roads are 10 m, 11 m, ... 16 m long.
    CHECK_CLOSE(info.length_m, 7 * 13.0, 1e-9);
    CHECK_CLOSE(info.class_length_m[SC_ROAD_LOCAL], 7 * 13.0, 1e-9);
    CHECK_CLOSE(info.min_x, 0.0, 1e-9);
    CHECK_CLOSE(info.max_x, 230.0, 1e-9);
    CHECK_CLOSE(info.min_y, -20.0, 1e-9);
    CHECK_CLOSE(info.max_y, 0.0, 1e-9);
    sketch_free(&s);
}

static void test_loops_and_parallel_roads_are_counted(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B--C\n", "AB AB BB AA");
    s.edges[0].length = 0.0;
    const sc_map_info info = describe(&s);
    assert_int_equal(info.self_loops, 2);
    assert_int_equal(info.parallel_edges, 2);
    assert_int_equal(info.zero_length_edges, 1);
    assert_int_equal(info.back_to_own_star, 2);
    assert_int_equal(info.star_to_star, 3);
    assert_int_equal(info.multiple_pairs, 1);
    assert_int_equal(info.dead_ends, 1);
    assert_int_equal(info.simple.edges, 2);
    sketch_free(&s);
}

static void test_spreads_take_values_that_occur(void **state)
{
    (void)state;
    // Twenty lone roads of 1 m to 20 m.
    sketch s = sketch_new(SC_COORDS_NONE);
    for (int i = 0; i < 20; i++) {
        const uint32_t from = sketch_add_node(&s, 0, 0);
        sketch_add_edge(&s, from, sketch_add_node(&s, 0, 0), 1.0 + (i * 7) % 20);
    }
    const sc_map_info info = describe(&s);
    assert_int_equal(info.segment_length_m.count, 20);
    CHECK_CLOSE(info.segment_length_m.mean, 10.5, 1e-9);
    CHECK_CLOSE(info.segment_length_m.p10, 2.0, 1e-9);
    CHECK_CLOSE(info.segment_length_m.median, 10.0, 1e-9);
    CHECK_CLOSE(info.segment_length_m.p90, 18.0, 1e-9);
    CHECK_CLOSE(info.segment_length_m.max, 20.0, 1e-9);
    assert_int_equal(info.lone_roads, 20);
    assert_int_equal(info.ball_sample, 20);
    CHECK_CLOSE(info.ball[4].max, 0.0, 0.0);
    CHECK_CLOSE(info.ball_segments, 1.0, 1e-9);
    CHECK_CLOSE(info.max_x, 0.0, 0.0);
    sketch_free(&s);
}

static void test_balls_of_a_street_are_described_by_hop(void **state)
{
    (void)state;
    // Stars D, E, F in a row: two of them have one neighbour, one has two.
    sketch s = sketch_named("street of three");
    const sc_map_info info = describe(&s);
    assert_int_equal(info.ball_sample, 3);
    CHECK_CLOSE(info.ball[0].max, 0.0, 0.0);
    CHECK_CLOSE(info.ball[1].mean, 4.0 / 3, 1e-12);
    CHECK_CLOSE(info.ball[1].max, 2.0, 0.0);
    CHECK_CLOSE(info.ball[2].mean, 2.0, 1e-12);
    CHECK_CLOSE(info.ball[4].median, 2.0, 0.0);
    CHECK_CLOSE(info.ball_segments, 8.0, 1e-12);
    sketch_free(&s);
}

static void check_odd(const sketch *s)
{
    reference r = reference_new(s);
    const sc_map_info info = describe(s);
    uint64_t degrees[SC_INFO_DEGREES] = {0};
    uint64_t components = 0;
    uint64_t largest = 0;
    uint64_t pseudo_stars = 0;
    uint64_t loops = 0;
    double length = 0.0;
    for (uint32_t v = 0; v < s->node_count; v++) {
        degrees[r.degree[v] < SC_INFO_DEGREES ? r.degree[v] : SC_INFO_DEGREES - 1]++;
        components += r.component[v] == v;
        pseudo_stars += reference_star(&r, v) == v && r.degree[v] < 3;
        uint64_t size = 0;
        for (uint32_t w = 0; w < s->node_count; w++) {
            size += r.component[w] == v;
        }
        if (size > largest) largest = size;
    }
    for (uint32_t e = 0; e < s->edge_count; e++) {
        loops += s->edges[e].from == s->edges[e].to;
        length += s->edges[e].length;
    }
    for (int d = 0; d < SC_INFO_DEGREES; d++) {
        assert_int_equal(info.degrees[d], degrees[d]);
    }
    assert_int_equal(info.components, components);
    assert_int_equal(info.isolated_nodes, degrees[0]);
    assert_int_equal(info.largest_component, largest);
    assert_int_equal(info.pseudo_stars, pseudo_stars);
    assert_int_equal(info.self_loops, loops);
    assert_int_equal(info.parallel_edges, s->edge_count - loops - info.simple.edges);
    CHECK_CLOSE(info.length_m, length, 1e-6 + length * 1e-9);
    // Every segment is of exactly one kind.
    assert_int_equal(info.rings + info.lone_roads + info.dead_ends + info.star_to_star +
                         info.back_to_own_star,
                     reference_segment_count(&r));
    reference_free(&r);
}

static void test_odd_maps_are_described_as_a_plain_count_does(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        check_odd(&s);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_table_sizes_add_up_to_the_size_of_the_map(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_map_info info = {0};
    CHECK_OK(sc_map_describe(map, &info), NULL);
    size_t bytes = 0;
    for (int i = 0; i < SC_INFO_TABLES; i++) {
        size_t again = 0;
        assert_string_equal(info.table_names[i], sc_map_table(map, (size_t)i, &again));
        assert_int_equal(info.table_bytes[i], again);
        bytes += info.table_bytes[i];
    }
    size_t nothing = 0;
    assert_null(sc_map_table(map, SC_INFO_TABLES, &nothing));
    assert_int_equal(bytes, sc_map_bytes(map));
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_picture_of_islands_is_described_piece_by_piece),
    cmocka_unit_test(test_loops_and_parallel_roads_are_counted),
    cmocka_unit_test(test_spreads_take_values_that_occur),
    cmocka_unit_test(test_balls_of_a_street_are_described_by_hop),
    SC_CASES(test_odd_maps_are_described_as_a_plain_count_does),
    cmocka_unit_test(test_table_sizes_add_up_to_the_size_of_the_map),
};
SC_SUITE(tests)
