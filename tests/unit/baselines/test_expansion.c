// Network expansion: the nearest road first, by the way from the midpoint of the query's segment to
// the midpoint of the road; the same every time, whatever the dice say.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/sketch.h"
#include "support/streams.h"

#include "base/rng.h"
#include "base/sort.h"

static const sc_time deadline = 1000;

/** A map and an engine on it. */
typedef struct scene {
    sc_map *map;
    sc_rng rng;
    sc_engine *engine;
} scene;

static void scene_open(scene *sc, const sketch *s, uint64_t seed)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_EXPANSION;
    sc_diag diag = {""};
    *sc = (scene){.map = sketch_map(s)};
    sc_rng_seed(&sc->rng, seed);
    CHECK_OK(sc_engine_new(sc->map, &options, &sc->rng, &sc->engine, &diag), &diag);
}

static void scene_close(scene *sc)
{
    sc_engine_free(sc->engine);
    sc_map_free(sc->map);
}

/** The segment of an edge of the sketch, found by its nodes. */
static sc_seg_id segment_of(const scene *sc, const sketch *s, uint32_t edge)
{
    const sc_edge *edges = sc_map_edges(sc->map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(sc->map); e++) {
        const bool is_it =
            (edges[e].from == s->edges[edge].from && edges[e].to == s->edges[edge].to) ||
            (edges[e].from == s->edges[edge].to && edges[e].to == s->edges[edge].from);
        if (is_it) return edges[e].segment;
    }
    fail_msg("no such edge");
    return SC_NONE;
}

/** The cloak of one query that wants so many roads: these, ascending. Release with sc_cloak_free().
 */
static sc_cloak *ask(scene *sc, uint32_t number, sc_seg_id segment, uint32_t l, uint32_t max_hops)
{
    const sc_query query = plain_query(number, segment, 1, l, max_hops, deadline);
    CHECK_OK(sc_engine_add(sc->engine, &query), NULL);
    CHECK_OK(sc_engine_run(sc->engine, 0), NULL);
    sc_cloak *cloak = sc_engine_take_candidate(sc->engine);
    assert_non_null(cloak);
    assert_int_equal(cloak->segment_count, l);
    return cloak;
}

// Whether the roads of a cloak with l + 1 roads are those of one with l and this one.
static void check_next(scene *sc, uint32_t *number, sc_seg_id from, uint32_t l, uint32_t max_hops,
                       sc_seg_id next)
{
    sc_cloak *before = ask(sc, (*number)++, from, l, max_hops);
    sc_cloak *after = ask(sc, (*number)++, from, l + 1, max_hops);
    size_t i = 0;
    for (size_t j = 0; j < after->segment_count; j++) {
        if (i < before->segment_count && after->segments[j] == before->segments[i]) {
            i++;
        } else {
            assert_int_equal(after->segments[j], next);
        }
    }
    assert_int_equal(i, before->segment_count);
    sc_cloak_free(before);
    sc_cloak_free(after);
}

// A street from left to right; lengths in metres are written at the roads.
//
//      o        o        o
//      |30      |2       |8
//   o--A---10---B---20---C--o
//    9          |8         1
//               o
//
// From A-B, whose ends are 5 away: B's short dead end at 6, the other at 9, A's left one at 9.5,
// B-C at 15, A's long one at 20, C's right one at 25.5 and the last at 29.
static sketch draw_street(void)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t a = sketch_add_node(&s, 0, 0);
    const uint32_t b = sketch_add_node(&s, 10, 0);
    const uint32_t c = sketch_add_node(&s, 30, 0);
    sketch_add_edge(&s, a, b, 10);                           // 0
    sketch_add_edge(&s, b, sketch_add_node(&s, 10, 2), 2);   // 1
    sketch_add_edge(&s, b, sketch_add_node(&s, 10, -8), 8);  // 2
    sketch_add_edge(&s, a, sketch_add_node(&s, -9, 0), 9);   // 3
    sketch_add_edge(&s, b, c, 20);                           // 4
    sketch_add_edge(&s, a, sketch_add_node(&s, 0, 30), 30);  // 5
    sketch_add_edge(&s, c, sketch_add_node(&s, 31, 0), 1);   // 6
    sketch_add_edge(&s, c, sketch_add_node(&s, 30, 8), 8);   // 7
    return s;
}

static void test_roads_join_by_the_way_to_their_midpoints(void **state)
{
    (void)state;
    sketch s = draw_street();
    scene sc;
    scene_open(&sc, &s, 1);
    uint32_t number = 1;
    const sc_seg_id own = segment_of(&sc, &s, 0);
    for (uint32_t edge = 1; edge < s.edge_count; edge++) {
        check_next(&sc, &number, own, edge, 9, segment_of(&sc, &s, edge));
    }
    scene_close(&sc);
    sketch_free(&s);
}

// With the two roads of C swapped around, 8 and 8, they are equally far: the lesser id comes first.
static void test_of_roads_equally_far_the_least_id_comes_first(void **state)
{
    (void)state;
    sketch s = draw_street();
    s.edges[6].length = 8;
    scene sc;
    scene_open(&sc, &s, 1);
    uint32_t number = 1;
    const sc_seg_id one = segment_of(&sc, &s, 6);
    const sc_seg_id other = segment_of(&sc, &s, 7);
    check_next(&sc, &number, segment_of(&sc, &s, 0), 6, 9, one < other ? one : other);
    check_next(&sc, &number, segment_of(&sc, &s, 0), 7, 9, one < other ? other : one);
    scene_close(&sc);
    sketch_free(&s);
}

// C is 9 away from the middle of A-B, and so are two roads without length at C and the middle of a
// dead end of B: among these, too, the ids decide. Ids depend on where things are, so that is
// random.
static void test_a_road_without_length_is_as_far_as_its_end(void **state)
{
    (void)state;
    enum { LAYOUTS = 100 };
    for (uint64_t seed = 0; seed < LAYOUTS; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sketch s = sketch_new(SC_COORDS_PLANAR);
        for (uint32_t i = 0; i < 8; i++) {
            sketch_add_node(&s, sc_rng_below(&rng, 1000), sc_rng_below(&rng, 1000));
        }
        static const sketch_edge edges[] = {{0, 1, 10, 0}, {1, 2, 4, 0}, {1, 3, 8, 0},
                                            {2, 4, 0, 0},  {2, 5, 0, 0}, {0, 6, 100, 0},
                                            {0, 7, 100, 0}};
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
            sketch_add_edge(&s, edges[i].from, edges[i].to, edges[i].length);
        }
        scene sc;
        scene_open(&sc, &s, 1);
        sc_seg_id tied[] = {segment_of(&sc, &s, 2), segment_of(&sc, &s, 3), segment_of(&sc, &s, 4)};
        sc_sort_u32(tied, 3);
        uint32_t number = 1;
        check_next(&sc, &number, segment_of(&sc, &s, 0), 1, 9, segment_of(&sc, &s, 1));
        for (uint32_t i = 0; i < 3; i++) {
            check_next(&sc, &number, segment_of(&sc, &s, 0), 2 + i, 9, tied[i]);
        }
        scene_close(&sc);
        sketch_free(&s);
    }
    check_case_done();
}

// A and Z are one long road apart, or many short ones over V. From A's dead end, one hop: the roads
// of Z count, and are near, by a way that leads out of the region; those of the way itself do not.
//
//           V1--V2--V3
//          /          \           (each V has a dead end, so that all are junctions)
//   own--A------100----Z--o
//                      |
//                      o
static void test_ways_may_lead_out_of_the_region(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t a = sketch_add_node(&s, 0, 0);
    const uint32_t z = sketch_add_node(&s, 50, 0);
    sketch_add_edge(&s, a, sketch_add_node(&s, -2, 0), 2);   // 0: own
    sketch_add_edge(&s, a, z, 100);                          // 1
    sketch_add_edge(&s, z, sketch_add_node(&s, 52, 0), 2);   // 2
    sketch_add_edge(&s, z, sketch_add_node(&s, 50, -4), 4);  // 3
    uint32_t before = a;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t v = sketch_add_node(&s, 10.0 * (i + 1), 5);
        sketch_add_edge(&s, before, v, 3);
        sketch_add_edge(&s, v, sketch_add_node(&s, 10.0 * (i + 1), 60), 60);
        before = v;
    }
    sketch_add_edge(&s, before, z, 3);  // 10
    scene sc;
    scene_open(&sc, &s, 1);
    uint32_t number = 1;
    const sc_seg_id own = segment_of(&sc, &s, 0);
    // Within a hop of A: A's roads, Z's and V1's. 1 + 1.5: A-V1; 1 + 3 + 1.5: V1-V2. Then, around
    // by V3, V3-Z at 1 + 9 + 1.5, Z's dead ends at 1 + 12 + 1 and 2, V1's at 1 + 3 + 30, A-Z at 1
    // + 50.
    const uint32_t edges[] = {4, 6, 10, 2, 3, 5, 1};
    for (uint32_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        check_next(&sc, &number, own, i + 1, 1, segment_of(&sc, &s, edges[i]));
    }
    scene_close(&sc);
    sketch_free(&s);
}

// Sixty roads out of a grid of 84, so that walks begin again and go farther: each cloak is the one
// before it and one road more, and no road that is left out is nearer. (That the order is right is
// for test_per_query_reference.c.)
static void test_longer_walks_go_on_as_the_shorter_ones_began(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 7, 7);
    scene sc;
    scene_open(&sc, &s, 1);
    const sc_seg_id own = sc_map_segment_count(sc.map) / 2;
    sc_cloak *before = ask(&sc, 1, own, 1, 12);
    for (uint32_t l = 2; l <= 60; l++) {
        sc_cloak *cloak = ask(&sc, l, own, l, 12);
        size_t kept = 0;
        for (size_t i = 0; i < l; i++) {
            kept += kept < l - 1 && cloak->segments[i] == before->segments[kept];
        }
        assert_int_equal(kept, l - 1);
        sc_cloak_free(before);
        before = cloak;
    }
    sc_cloak_free(before);
    scene_close(&sc);
    sketch_free(&s);
}

static void test_dice_make_no_difference(void **state)
{
    (void)state;
    enum { SEEDS = 5, QUERIES = 40 };
    sketch s = sketch_grid(SC_COORDS_PLANAR, 5, 5);
    sc_seg_id first[QUERIES * 40];
    size_t first_count = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        scene sc;
        scene_open(&sc, &s, seed);
        size_t count = 0;
        for (uint32_t number = 1; number <= QUERIES; number++) {
            const sc_seg_id segment = number * 7 % sc_map_segment_count(sc.map);
            const sc_query query = plain_query(number, segment, 1 + number % 4, 4, 3, deadline);
            CHECK_OK(sc_engine_add(sc.engine, &query), NULL);
            CHECK_OK(sc_engine_run(sc.engine, 0), NULL);
            for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(sc.engine));) {
                for (size_t i = 0; i < cloak->segment_count; i++, count++) {
                    if (seed == 0) first[count] = cloak->segments[i];
                    assert_int_equal(cloak->segments[i], first[count]);
                }
                sc_cloak_free(cloak);
            }
        }
        if (seed == 0) first_count = count;
        assert_int_equal(count, first_count);
        scene_close(&sc);
    }
    assert_true(first_count > QUERIES);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_roads_join_by_the_way_to_their_midpoints),
    cmocka_unit_test(test_of_roads_equally_far_the_least_id_comes_first),
    SC_CASES(test_a_road_without_length_is_as_far_as_its_end),
    cmocka_unit_test(test_ways_may_lead_out_of_the_region),
    cmocka_unit_test(test_longer_walks_go_on_as_the_shorter_ones_began),
    cmocka_unit_test(test_dice_make_no_difference),
};
SC_SUITE(tests)
