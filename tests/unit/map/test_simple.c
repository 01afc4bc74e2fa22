// Counting as publications do: loops dropped, parallel edges merged. Compared
// with a plain count over a matrix of nodes.
#include "support/check.h"
#include "support/reference.h"

#include "map/map_internal.h"

enum { ODD_MAPS = 5000 };

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
    cmocka_unit_test(test_small_maps_are_counted_as_a_plain_count_does),
    SC_CASES(test_odd_maps_are_counted_as_a_plain_count_does),
    cmocka_unit_test(test_merging_parallel_roads_can_unmake_an_intersection),
    cmocka_unit_test(test_a_map_of_loops_alone_has_no_simple_edge),
    cmocka_unit_test(test_values_that_occur_more_than_once_are_counted_once_each),
};
SC_SUITE(tests)
