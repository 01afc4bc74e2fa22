// What `map info` says: counts of small pictures by hand, and of odd maps by a
// plain count.
#include "support/check.h"
#include "support/reference.h"

#include <starcloak/map_info.h>

#include "map/map_internal.h"

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

static void test_one_way_and_named_roads_are_measured(void **state)
{
    (void)state;
    //  A--B--C    roads of 10 m, 11 m and 12 m
    //     |
    //     D
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B--C\n   |\n   D\n", "");
    sc_builder *builder = sketch_builder(&s);
    CHECK_OK(sc_builder_set_edge_times(builder, 0, 1.0, SC_CLOSED_S), NULL);
    CHECK_OK(sc_builder_set_edge_times(builder, 1, SC_CLOSED_S, 0.5), NULL);
    CHECK_OK(sc_builder_set_edge_times(builder, 2, 4.0, 2.0), NULL);
    CHECK_OK(sc_builder_set_edge_name(builder, 2, "A 5", 3), NULL);
    sc_map *map = finish_builder(builder);
    sc_map_info info;
    CHECK_OK(sc_map_describe(map, &info), NULL);
    CHECK_CLOSE(info.one_way_m, 21.0, 1e-9);
    CHECK_CLOSE(info.named_m, 12.0, 1e-9);
    assert_string_equal(info.longest_name, "A 5");
    CHECK_CLOSE(info.longest_name_m, 12.0, 1e-9);
    CHECK_CLOSE(info.top_speed_m_s, 22.0, 1e-9);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_the_name_of_the_most_road_is_told(void **state)
{
    (void)state;
    // Five roads of 10 m at one node: B has two of them, A and C one each, one has no name.
    sketch s = sketch_new(SC_COORDS_NONE);
    const uint32_t middle = sketch_add_node(&s, 0, 0);
    for (int i = 0; i < 5; i++) {
        sketch_add_edge(&s, middle, sketch_add_node(&s, 0, 0), 10.0);
    }
    sc_builder *builder = sketch_builder(&s);
    const char *const names[] = {"C", "B", "A", "B"};
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_OK(sc_builder_set_edge_name(builder, i, names[i], 1), NULL);
    }
    sc_map *map = finish_builder(builder);
    sc_map_info info;
    CHECK_OK(sc_map_describe(map, &info), NULL);
    assert_string_equal(info.longest_name, "B");
    CHECK_CLOSE(info.longest_name_m, 20.0, 1e-9);
    sc_map_free(map);
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

// ------------------------------------------------------------------------------------------------
// Counting as publications do: loops dropped, parallel edges merged. Compared
// with a plain count over a matrix of nodes.

/** The sketch without loops and repeated roads. */
static sketch simplified(const sketch *s)
{
    sketch out = sketch_new(SC_COORDS_NONE);
    for (uint32_t v = 0; v < s->node_count; v++) {
        sketch_add_node(&out, 0, 0);
    }
    for (uint32_t a = 0; a < s->node_count; a++) {
        for (uint32_t b = a + 1; b < s->node_count; b++) {
            bool joined = false;
            for (uint32_t e = 0; e < s->edge_count; e++) {
                joined |= (s->edges[e].from == a && s->edges[e].to == b) ||
                          (s->edges[e].from == b && s->edges[e].to == a);
            }
            if (joined) sketch_add_edge(&out, a, b, 1.0);
        }
    }
    return out;
}

/** One segment of the reference: its size and the intersections at its ends. */
typedef struct segment_look {
    uint32_t size;
    uint32_t end_count;   ///< ends of degree other than 2
    uint32_t star_count;  ///< of these, intersections
    uint32_t stars[2];
} segment_look;

static segment_look look_at(const reference *r, uint32_t segment)
{
    segment_look look = {0};
    for (uint32_t e = 0; e < r->sketch->edge_count; e++) {
        if (r->segment_of[e] != segment) continue;
        look.size++;
        const uint32_t ends[2] = {r->sketch->edges[e].from, r->sketch->edges[e].to};
        for (int i = 0; i < 2; i++) {
            if (r->degree[ends[i]] == 2) continue;
            look.end_count++;
            if (r->degree[ends[i]] >= 3) look.stars[look.star_count++] = ends[i];
        }
    }
    return look;
}

static sc_simple_counts count_plainly(const sketch *s)
{
    sketch plain = simplified(s);
    reference r = reference_new(&plain);
    sc_simple_counts counts = {.edges = plain.edge_count};
    uint32_t *between = test_take((size_t)s->node_count * s->node_count, sizeof *between);
    for (uint32_t v = 0; v < plain.node_count; v++) {
        counts.degrees[r.degree[v] < SC_INFO_DEGREES ? r.degree[v] : SC_INFO_DEGREES - 1]++;
        counts.stars += r.degree[v] >= 3;
    }
    for (uint32_t e = 0; e < plain.edge_count; e++) {
        if (r.segment_of[e] != e) continue;
        const segment_look look = look_at(&r, e);
        if (look.size > counts.longest_chain) counts.longest_chain = look.size;
        counts.rings += look.end_count == 0;
        counts.segments += look.end_count > 0;
        if (look.star_count < 2) continue;
        const uint32_t a = look.stars[0] < look.stars[1] ? look.stars[0] : look.stars[1];
        const uint32_t b = look.stars[0] < look.stars[1] ? look.stars[1] : look.stars[0];
        counts.back_to_own_star += a == b;
        counts.star_to_star += a != b;
        if (a != b) counts.multiple_pairs += ++between[a * s->node_count + b] == 2;
    }
    free(between);
    reference_free(&r);
    sketch_free(&plain);
    return counts;
}

static void check_counts(const sketch *s)
{
    const sc_simple_counts wanted = count_plainly(s);
    sc_map *map = sketch_map(s);
    sc_simple_counts got;
    memset(&got, 0xee, sizeof got);
    CHECK_OK(sc__simple_graph_count(map, &got), NULL);
    for (int d = 0; d < SC_INFO_DEGREES; d++) {
        assert_int_equal(got.degrees[d], wanted.degrees[d]);
    }
    assert_int_equal(got.edges, wanted.edges);
    assert_int_equal(got.stars, wanted.stars);
    assert_int_equal(got.segments, wanted.segments);
    assert_int_equal(got.rings, wanted.rings);
    assert_int_equal(got.star_to_star, wanted.star_to_star);
    assert_int_equal(got.back_to_own_star, wanted.back_to_own_star);
    assert_int_equal(got.multiple_pairs, wanted.multiple_pairs);
    assert_int_equal(got.longest_chain, wanted.longest_chain);
    sc_map_free(map);
}

static void test_small_maps_are_counted_as_a_plain_count_does(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        print_message("# %s\n", small->name);
        sketch s = sketch_draw(SC_COORDS_NONE, small->picture, small->more);
        check_counts(&s);
        sketch_free(&s);
    }
}

static void test_odd_maps_are_counted_as_a_plain_count_does(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        check_counts(&s);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_merging_parallel_roads_can_unmake_an_intersection(void **state)
{
    (void)state;
    // B and C have three roads each, but only two neighbours.
    sketch s = sketch_named("parallel segments");
    sc_map *map = sketch_map(&s);
    sc_simple_counts counts = {0};
    CHECK_OK(sc__simple_graph_count(map, &counts), NULL);
    assert_int_equal(sc_map_star_count(map), 2);
    assert_int_equal(counts.stars, 0);
    assert_int_equal(counts.segments, 1);
    assert_int_equal(counts.longest_chain, 3);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_map_of_loops_alone_has_no_simple_edge(void **state)
{
    (void)state;
    sketch s = sketch_named("bouquet of loops");
    sc_map *map = sketch_map(&s);
    sc_simple_counts counts = {0};
    CHECK_OK(sc__simple_graph_count(map, &counts), NULL);
    assert_int_equal(counts.edges, 0);
    assert_int_equal(counts.segments, 0);
    assert_int_equal(counts.degrees[0], 1);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_values_that_occur_more_than_once_are_counted_once_each(void **state)
{
    (void)state;
    uint64_t none[] = {3, 1, 2};
    uint64_t some[] = {5, 1, 5, 2, 5, 1, 9, 5};
    uint64_t all[] = {7, 7, 7};
    assert_int_equal(sc__count_repeated(none, 3), 0);
    assert_int_equal(sc__count_repeated(some, 8), 2);
    assert_int_equal(sc__count_repeated(all, 3), 1);
    assert_int_equal(sc__count_repeated(all, 0), 0);
    assert_true(sc__pair(4, 9) == sc__pair(9, 4) && sc__pair(4, 9) != sc__pair(4, 8));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_picture_of_islands_is_described_piece_by_piece),
    cmocka_unit_test(test_loops_and_parallel_roads_are_counted),
    cmocka_unit_test(test_one_way_and_named_roads_are_measured),
    cmocka_unit_test(test_the_name_of_the_most_road_is_told),
    cmocka_unit_test(test_spreads_take_values_that_occur),
    cmocka_unit_test(test_balls_of_a_street_are_described_by_hop),
    SC_CASES(test_odd_maps_are_described_as_a_plain_count_does),
    cmocka_unit_test(test_table_sizes_add_up_to_the_size_of_the_map),
    cmocka_unit_test(test_small_maps_are_counted_as_a_plain_count_does),
    SC_CASES(test_odd_maps_are_counted_as_a_plain_count_does),
    cmocka_unit_test(test_merging_parallel_roads_can_unmake_an_intersection),
    cmocka_unit_test(test_a_map_of_loops_alone_has_no_simple_edge),
    cmocka_unit_test(test_values_that_occur_more_than_once_are_counted_once_each),
};
SC_SUITE(tests)
