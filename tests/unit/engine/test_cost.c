// What a cloak costs. Extents are held against the definition, on small pictures and on
// thousands of odd maps: a border node has more edges in the map than in the star.
#include "support/check.h"
#include "support/reference.h"

#include <starcloak/cost.h>

#include <math.h>

enum { ODD_MAPS = 3000 };

// Counts over all edges of the sketch; knows nothing of the map's tables.
static sc_extent plain_extent(const reference *r, uint32_t star)
{
    const sketch *s = r->sketch;
    uint32_t *inside = test_take(s->node_count, sizeof *inside);
    sc_extent extent = {0};
    for (uint32_t e = 0; e < s->edge_count; e++) {
        const sketch_edge *edge = &s->edges[e];
        if (!reference_touches(r, star, r->segment_of[e])) continue;
        // A segment is named by its least edge: count it there.
        extent.segment_count += r->segment_of[e] == e;
        extent.length_m += edge->length;
        inside[edge->from]++;
        inside[edge->to]++;
    }
    for (uint32_t v = 0; v < s->node_count; v++) {
        extent.border_node_count += inside[v] > 0 && r->degree[v] > inside[v];
    }
    free(inside);
    return extent;
}

static void check_extents(const sketch *s)
{
    reference r = reference_new(s);
    sc_map *map = sketch_map(s);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        const uint32_t star = reference_star(&r, sc_map_stars(map)[i].node);
        const sc_extent got = sc_star_extent(map, i);
        const sc_extent wanted = plain_extent(&r, star);
        assert_int_equal(got.segment_count, wanted.segment_count);
        assert_int_equal(got.border_node_count, wanted.border_node_count);
        // Whole millimetres on both sides; the sum of doubles may round.
        CHECK_CLOSE(got.length_m, wanted.length_m, 1e-9 * (1.0 + wanted.length_m));
    }
    sc_map_free(map);
    reference_free(&r);
}

static void test_each_small_map_has_the_extents_of_the_definition(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        print_message("# %s\n", small->name);
        sketch s = sketch_named(small->name);
        check_extents(&s);
        sketch_free(&s);
    }
}

static void test_odd_maps_have_the_extents_of_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        check_extents(&s);
        sketch_free(&s);
    }
    check_case_done();
}

static sc_extent extent_at(const sketch *s, const sc_map *map, char letter)
{
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        if (sc_map_stars(map)[i].node == sketch_node(s, letter)) return sc_star_extent(map, i);
    }
    fail_msg("no star at %c", letter);
    return (sc_extent){0};
}

static void test_border_nodes_are_where_the_pictures_show_them(void **state)
{
    (void)state;
    static const struct {
        const char *picture;
        const char *more;
        char star;
        size_t segments;
        size_t border_nodes;
    } cases[] = {
        // D and F go on; B and H are dead ends.
        {"A   B   C\n|   |   |\nD---E---F\n|   |   |\nG   H   I\n", "", 'E', 4, 2},
        {"A   B   C\n|   |   |\nD---E---F\n|   |   |\nG   H   I\n", "", 'D', 3, 1},
        // Two roads from B to C, and C goes on to D; without D, B has all of C.
        {"A--B--C--D\n", "BC", 'B', 3, 1},
        {"A--B--C\n", "BC BC", 'B', 4, 0},
        // A loop at the other end counts as a road there, and only that one is left out.
        {"A---B\n", "AA BB", 'A', 2, 1},
        // All roads of C but its own loop lead to B.
        {"A--B--C\n", "BC CC", 'B', 3, 1},
        // A loop at the star itself is all inside.
        {"A--B--C\n", "BB BB", 'B', 4, 0},
        // Whole components.
        {"A--B\n", "AB AB", 'A', 3, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sketch s = sketch_draw(SC_COORDS_PLANAR, cases[i].picture, cases[i].more);
        sc_map *map = sketch_map(&s);
        const sc_extent extent = extent_at(&s, map, cases[i].star);
        assert_int_equal(extent.segment_count, cases[i].segments);
        assert_int_equal(extent.border_node_count, cases[i].border_nodes);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_density_is_objects_per_metre_of_road(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    double length_m = 0.0;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        length_m += sc_map_edge_length_m(map, e);
    }
    assert_int_equal(sc_map_object_count(map), 4);
    CHECK_CLOSE(sc_map_object_density(map), 4.0 / length_m, 1e-12);
    sc_map_free(map);

    sketch s = sketch_named("street of three");
    map = sketch_map(&s);
    CHECK_SAME(sc_map_object_density(map), 0.0);
    sc_map_free(map);
    sketch_free(&s);

    // An object on a road without length is at no density.
    s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t here = sketch_add_node(&s, 0, 0);
    sketch_add_edge(&s, here, sketch_add_node(&s, 0, 0), 0.0);
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.0, "cafe", "");
    map = finish_builder(builder);
    assert_int_equal(sc_map_object_count(map), 1);
    CHECK_SAME(sc_map_object_density(map), 0.0);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_cost_is_the_balance_of_sending_and_answering(void **state)
{
    (void)state;
    const sc_cost_model model = {
        .segment = 2.0, .border_node = 3.0, .object = 0.5, .balance = 0.25};
    const sc_extent extent = {.segment_count = 4, .border_node_count = 2, .length_m = 100.0};
    // Answering: 2*4 + 3*2 = 14. Sending: 0.5 * (5*2 + 0.1*100) = 10.
    CHECK_CLOSE(sc_cost_model_estimate(&model, 0.1, extent, 5), 0.25 * 10 + 0.75 * 14, 1e-12);
    CHECK_CLOSE(sc_cost_model_estimate(&model, 0.1, extent, 0), 0.25 * 5 + 0.75 * 14, 1e-12);
    CHECK_CLOSE(sc_cost_model_estimate(&model, 0.0, extent, 5), 0.25 * 5 + 0.75 * 14, 1e-12);
}

static void test_any_model_that_passes_gives_finite_costs_above_zero(void **state)
{
    (void)state;
    static const sc_cost_model models[] = {{1.0, 4.0, 0.1, 0.5},
                                           {1e12, 1e12, 1e12, 0.0},
                                           {1e12, 1e12, 1e12, 0.5},
                                           {1e-300, 0.0, 0.0, 0.0},
                                           {1e12, 0.0, 1e12, 1.0 - 0x1p-53}};
    const sc_extent least = {.segment_count = 1};
    const sc_extent most = {UINT32_MAX, UINT32_MAX, 1e20};
    sc_diag diag = {""};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        check_case(i);
        CHECK_OK(sc_cost_model_check(&models[i], &diag), &diag);
        assert_true(sc_cost_model_estimate(&models[i], 0.0, least, 0) > 0.0);
        assert_true(isfinite(sc_cost_model_estimate(&models[i], 1e6, most, UINT32_MAX)));
    }
    check_case_done();
}

static void test_the_default_model_passes(void **state)
{
    (void)state;
    const sc_cost_model model = sc_cost_model_default();
    sc_diag diag = {""};
    CHECK_OK(sc_cost_model_check(&model, &diag), &diag);
    CHECK_SAME(model.segment, 1.0);
    CHECK_SAME(model.border_node, 2.0);
    CHECK_SAME(model.object, 30.0);
    CHECK_SAME(model.balance, 0.5);
}

static void test_a_model_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const struct {
        sc_cost_model model;
        const char *told;
    } wrong[] = {
        {{-1.0, 4.0, 0.1, 0.5}, "a cost of -1 per segment"},
        {{NOT_A_NUMBER, 4.0, 0.1, 0.5}, "per segment"},
        {{1.0, -0.5, 0.1, 0.5}, "per border node"},
        {{1.0, HUGE_VAL, 0.1, 0.5}, "per border node"},
        {{1.0, 4.0, -0.1, 0.5}, "per object"},
        {{1.0, 4.0, 2e12, 0.5}, "per object"},
        {{1.0, 4.0, 0.1, -0.01}, "weight of -0.01"},
        {{1.0, 4.0, 0.1, 1.01}, "weight of 1.01"},
        {{1.0, 4.0, 0.1, NOT_A_NUMBER}, "weight"},
        {{0.0, 4.0, 0.1, 0.5}, "would cost nothing"},
        {{1.0, 4.0, 0.1, 1.0}, "would cost nothing"},
        {{0x1p-1074, 4.0, 0.1, 0.75}, "would cost nothing"},
    };
    sc_diag diag = {""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_case(i);
        CHECK_REFUSED(sc_cost_model_check(&wrong[i].model, &diag), SC_EINVAL, &diag, wrong[i].told);
    }
    check_case_done();
    assert_int_equal(sc_cost_model_check(&wrong[0].model, NULL), SC_EINVAL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_small_map_has_the_extents_of_the_definition),
    SC_CASES(test_odd_maps_have_the_extents_of_the_definition),
    SC_CASES(test_border_nodes_are_where_the_pictures_show_them),
    cmocka_unit_test(test_density_is_objects_per_metre_of_road),
    cmocka_unit_test(test_cost_is_the_balance_of_sending_and_answering),
    SC_CASES(test_any_model_that_passes_gives_finite_costs_above_zero),
    cmocka_unit_test(test_the_default_model_passes),
    SC_CASES(test_a_model_that_makes_no_sense_is_refused),
};
SC_SUITE(tests)
