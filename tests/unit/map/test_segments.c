// Segments: every edge is in exactly one maximal chain, whatever the network is
// like. Compared with the definition (support/reference.h) on small pictures and
// on thousands of odd maps.
#include "support/check.h"
#include "support/reference.h"

#include "map/builder_internal.h"

enum { ODD_MAPS = 8000 };

// The segments of the map are those of the reference: same sets of edges.
static void check_segments(const sketch *s, const sc_map *map)
{
    reference r = reference_new(s);
    uint32_t *match = reference_match_edges(&r, map);
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segments = sc_map_segments(map);
    assert_int_equal(sc_map_segment_count(map), reference_segment_count(&r));

    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        const sc_edge_id first = segments[i].first_edge;
        const sc_edge_id last = segments[i + 1].first_edge - 1;
        uint64_t length = 0;
        uint32_t size = 0;
        for (sc_edge_id e = first; e <= last; e++) {
            assert_int_equal(edges[e].segment, i);
            assert_int_equal(r.segment_of[match[e]], r.segment_of[match[first]]);
            if (e > first) assert_int_equal(edges[e].from, edges[e - 1].to);
            length += edges[e].length;
        }
        // As many edges as the definition says, so none is missing.
        for (uint32_t e = 0; e < s->edge_count; e++) {
            size += r.segment_of[e] == r.segment_of[match[first]];
        }
        assert_int_equal(last - first + 1, size);
        assert_int_equal(segments[i].length, length);

        // Ends have a degree other than 2, unless it is a whole ring.
        const uint32_t a = r.degree[edges[first].from];
        const uint32_t b = r.degree[edges[last].to];
        if (a == 2 || b == 2) assert_int_equal(edges[first].from, edges[last].to);
    }
    free(match);
    reference_free(&r);
}

static void test_each_small_map_has_the_segments_that_its_picture_shows(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        for (int coords = 0; coords < 3; coords++) {
            print_message("# %s\n", small->name);
            sketch s = sketch_draw((sc_coords)coords, small->picture, small->more);
            sc_map *map = sketch_map(&s);
            assert_int_equal(sc_map_segment_count(map), small->segments);
            check_segments(&s, map);
            sc_map_free(map);
            sketch_free(&s);
        }
    }
}

static void test_odd_maps_have_the_segments_of_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        check_segments(&s, map);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_a_grid_has_one_segment_per_side_and_four_round_its_corners(void **state)
{
    (void)state;
    // The corners of a 4 x 3 grid have degree 2, so two sides are one segment there:
    //   o--o--o--o
    //   |  |  |  |
    //   o--o--o--o
    //   |  |  |  |
    //   o--o--o--o
    sketch s = sketch_grid(SC_COORDS_PLANAR, 4, 3);
    sc_map *map = sketch_map(&s);
    assert_int_equal(s.edge_count, 17);
    assert_int_equal(sc_map_segment_count(map), 13);
    check_segments(&s, map);
    sc_map_free(map);
    sketch_free(&s);
}

// A -> B <- C -> D: the pieces of one road, drawn in both directions.
static void test_edges_are_turned_to_run_along_their_segment(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_NONE);
    for (int i = 0; i < 4; i++) {
        sketch_add_node(&s, 0, 0);
    }
    sketch_add_edge(&s, 0, 1, 1.0);
    sketch_add_edge(&s, 2, 1, 2.0);
    sketch_add_edge(&s, 2, 3, 4.0);
    sc_map *map = sketch_map(&s);
    const sc_edge *edges = sc_map_edges(map);
    assert_int_equal(sc_map_segment_count(map), 1);
    for (int e = 0; e < 3; e++) {
        assert_int_equal(edges[e].from, e);
        assert_int_equal(edges[e].to, e + 1);
    }
    CHECK_CLOSE(sc_map_segment_length_m(map, 0), 7.0, 1e-12);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_segment_with_one_intersection_begins_there(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        reference r = reference_new(&s);
        sc_map *map = sketch_map(&s);
        for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
            const sc_segment *segment = &sc_map_segments(map)[i];
            const uint32_t a = r.degree[sc_map_edges(map)[segment->first_edge].from];
            const uint32_t b = r.degree[sc_map_edges(map)[segment[1].first_edge - 1].to];
            assert_true(a >= 3 || b < 3);
        }
        sc_map_free(map);
        reference_free(&r);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_a_very_long_chain_is_one_segment(void **state)
{
    (void)state;
    enum { PIECES = 200000 };
    sketch s = sketch_new(SC_COORDS_NONE);
    for (uint32_t i = 0; i <= PIECES; i++) {
        sketch_add_node(&s, 0, 0);
    }
    for (uint32_t i = 0; i < PIECES; i++) {
        sketch_add_edge(&s, i, i + 1, 0.5);
    }
    sc_map *map = sketch_map(&s);
    assert_int_equal(sc_map_segment_count(map), 1);
    assert_int_equal(sc_map_star_count(map), 1);
    CHECK_CLOSE(sc_map_segment_length_m(map, 0), PIECES * 0.5, 1e-6);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_chains_are_found_without_any_edge(void **state)
{
    (void)state;
    sc_builder *builder = NULL;
    sc_node_id node = SC_NONE;
    CHECK_OK(sc_builder_new(SC_COORDS_NONE, &builder), NULL);
    CHECK_OK(sc_builder_add_node(builder, 0, 0, &node), NULL);
    sc_chains chains = {0};
    CHECK_OK(sc__chains_find(builder, &chains), NULL);
    assert_int_equal(chains.count, 0);
    assert_int_equal(chains.degree[0], 0);
    sc__chains_fini(&chains);
    sc__chains_fini(&chains);
    sc_builder_free(builder);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_small_map_has_the_segments_that_its_picture_shows),
    SC_CASES(test_odd_maps_have_the_segments_of_the_definition),
    cmocka_unit_test(test_a_grid_has_one_segment_per_side_and_four_round_its_corners),
    cmocka_unit_test(test_edges_are_turned_to_run_along_their_segment),
    SC_CASES(test_a_segment_with_one_intersection_begins_there),
    cmocka_unit_test(test_a_very_long_chain_is_one_segment),
    cmocka_unit_test(test_chains_are_found_without_any_edge),
};
SC_SUITE(tests)
