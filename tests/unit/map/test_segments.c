// Segments: every edge is in exactly one maximal chain, whatever the network is
// like. Compared with the definition (support/reference.h) on small pictures and
// on thousands of odd maps.
#include "support/check.h"
#include "support/reference.h"
#include "support/sketch.h"

#include "base/rng.h"
#include "map/builder_internal.h"

#include <stdio.h>

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

// ------------------------------------------------------------------------------------------------
// The order along the Hilbert curve: a permutation, stable, and such that what
// is near on the ground is near in number.

/** A cell and its place on the curve. */
typedef struct visit {
    uint32_t place;
    uint32_t x;
    uint32_t y;
} visit;

static int compare_visits(const void *a, const void *b)
{
    const uint32_t x = ((const visit *)a)->place;
    const uint32_t y = ((const visit *)b)->place;
    return (x > y) - (x < y);
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static void test_the_curve_steps_from_cell_to_neighbouring_cell(void **state)
{
    (void)state;
    enum { SIDE = 128 };
    // Any aligned square of the field is one unbroken part of the curve.
    static const uint32_t corners[][2] = {{0, 0},         {65536 - SIDE, 0}, {0, 65536 - SIDE},
                                          {32768, 32768}, {12800, 51200},    {32640, 32640}};
    visit *visits = test_take((size_t)SIDE * SIDE, sizeof *visits);
    for (size_t c = 0; c < sizeof corners / sizeof *corners; c++) {
        check_case(c);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const uint32_t x = corners[c][0] + i % SIDE;
            const uint32_t y = corners[c][1] + i / SIDE;
            visits[i] = (visit){sc_geo_hilbert(x, y), x, y};
        }
        qsort(visits, (size_t)SIDE * SIDE, sizeof *visits, compare_visits);
        for (uint32_t i = 1; i < SIDE * SIDE; i++) {
            assert_int_equal(visits[i].place, visits[i - 1].place + 1);
            const uint32_t steps =
                apart(visits[i].x, visits[i - 1].x) + apart(visits[i].y, visits[i - 1].y);
            assert_int_equal(steps, 1);
        }
    }
    check_case_done();
    free(visits);
}

static void test_the_curve_fills_the_whole_range(void **state)
{
    (void)state;
    // Its two ends are corners of the field; all other corners lie between.
    const uint32_t corners[] = {sc_geo_hilbert(0, 0), sc_geo_hilbert(0, 65535),
                                sc_geo_hilbert(65535, 0), sc_geo_hilbert(65535, 65535)};
    bool begins = false;
    bool ends = false;
    for (int i = 0; i < 4; i++) {
        begins |= corners[i] == 0;
        ends |= corners[i] == UINT32_MAX;
    }
    assert_true(begins && ends);
}

static void test_the_middle_of_two_nodes_is_always_on_the_curve(void **state)
{
    (void)state;
    // Maps at the poles, at the meridian, tiny and huge ones: no key may wrap.
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        const sc_curve curve = sc__curve_of(map);
        if (s.coords == SC_COORDS_NONE) {
            assert_null(curve.nodes);
            assert_int_equal(sc__curve_place(&curve, 0, 0), 0);
        } else {
            for (uint32_t v = 0; v < s.node_count; v++) {
                const sc_node *node = &sc_map_nodes(map)[v];
                const int64_t x = (node->x - curve.min_x) >> curve.shift;
                const int64_t y = (node->y - curve.min_y) >> curve.shift;
                assert_true(x >= 0 && x < 65536 && y >= 0 && y < 65536);
                assert_int_equal(sc__curve_place(&curve, v, v),
                                 sc_geo_hilbert((uint32_t)x, (uint32_t)y));
            }
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_segments_near_each_other_get_near_numbers(void **state)
{
    (void)state;
    // On a grid, two segments that follow each other in number are mostly
    // neighbours; rows would give jumps of a whole side at each line end only,
    // but neighbours across rows would be a row apart. Measure that instead:
    // streets that meet are, in the mean, far closer than a row apart.
    enum { SIDE = 64 };
    sketch s = sketch_grid(SC_COORDS_PLANAR, SIDE, SIDE);
    sc_map *map = sketch_map(&s);
    const sc_star *stars = sc_map_stars(map);
    uint64_t near = 0;
    uint64_t pairs = 0;
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        for (uint32_t j = stars[i].first_neighbour; j < stars[i + 1].first_neighbour; j++) {
            near += apart(sc_map_star_neighbours(map)[j], i) < SIDE / 4;
            pairs++;
        }
    }
    // Numbering by rows would give one half; the curve gives about 0.8.
    assert_true((double)near / (double)pairs > 0.7);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_small_map_has_the_segments_that_its_picture_shows),
    SC_CASES(test_odd_maps_have_the_segments_of_the_definition),
    cmocka_unit_test(test_a_grid_has_one_segment_per_side_and_four_round_its_corners),
    cmocka_unit_test(test_edges_are_turned_to_run_along_their_segment),
    SC_CASES(test_a_segment_with_one_intersection_begins_there),
    cmocka_unit_test(test_a_very_long_chain_is_one_segment),
    cmocka_unit_test(test_chains_are_found_without_any_edge),
    SC_CASES(test_the_curve_steps_from_cell_to_neighbouring_cell),
    cmocka_unit_test(test_the_curve_fills_the_whole_range),
    SC_CASES(test_the_middle_of_two_nodes_is_always_on_the_curve),
    cmocka_unit_test(test_segments_near_each_other_get_near_numbers),
};
SC_SUITE(tests)
