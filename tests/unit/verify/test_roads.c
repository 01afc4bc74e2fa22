// What the verifier finds again from the edges is what the map's tables say, on every kind of
// map; and its walks are those of a plain search (support/reference.h).
#include "verify/verifier.h"

#include "support/check.h"
#include "support/made_record.h"
#include "support/reference.h"

static void check_tables(const sc_map *map)
{
    sc_roads roads;
    CHECK_OK(sc__roads_init(&roads, map), NULL);
    const sc_star *stars = sc_map_stars(map);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        const uint32_t count = stars[i + 1].first_segment - stars[i].first_segment;
        assert_int_equal(roads.first_touched[i + 1] - roads.first_touched[i], count);
        assert_memory_equal(&roads.touched[roads.first_touched[i]],
                            &sc_map_star_segments(map)[stars[i].first_segment],
                            count * sizeof(sc_seg_id));
    }
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_segment *segment = &sc_map_segments(map)[s];
        assert_true(sc__roads_touch(&roads, s, segment->star_a));
        if (segment->star_b != SC_NONE) assert_true(sc__roads_touch(&roads, s, segment->star_b));
        const bool is_alone = segment->star_b == SC_NONE || segment->star_b == segment->star_a;
        assert_true((roads.touching[s].b == SC_NONE) == is_alone);
    }
    sc__roads_fini(&roads);
}

// From each star to each other one, alone or together with the first.
static void check_walks(const sketch *s, const sc_map *map)
{
    reference r = reference_new(s);
    uint32_t *hops = test_take(s->node_count, sizeof *hops);
    sc_verifier *v = NULL;
    CHECK_OK(sc_verifier_new(map, &v), NULL);
    const uint32_t star_count = sc_map_star_count(map);
    for (sc_star_id from = 0; from < star_count; from++) {
        reference_hops(&r, reference_star(&r, sc_map_stars(map)[from].node), hops);
        for (sc_star_id to = 0; to < star_count; to++) {
            const uint32_t far = hops[reference_star(&r, sc_map_stars(map)[to].node)];
            const uint32_t claim = sc__claim_number(v, 3);
            v->stars[from].claimed = claim;
            v->stars[to].claimed = claim;
            const sc_targets targets = {.claim = claim, .count = from == to ? 1 : 2};
            uint32_t reach = 4711;
            CHECK_OK(sc__reach(v, from, UINT32_MAX, &targets, &reach), NULL);
            assert_int_equal(reach, far);
            if (far == SC_NONE) continue;
            CHECK_OK(sc__reach(v, from, far, &targets, &reach), NULL);
            assert_int_equal(reach, far);
            if (far == 0) continue;
            CHECK_OK(sc__reach(v, from, far - 1, &targets, &reach), NULL);
            assert_int_equal(reach, SC_NONE);
        }
    }
    sc_verifier_free(v);
    free(hops);
    reference_free(&r);
}

static void test_small_maps_are_found_again_and_walked(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        print_message("# %s\n", small->name);
        sketch s = sketch_draw(SC_COORDS_PLANAR, small->picture, small->more);
        sc_map *map = sketch_map(&s);
        check_tables(map);
        check_walks(&s, map);
        sc_map_free(map);
        sketch_free(&s);
    }
}

static void test_odd_maps_are_found_again_and_walked(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        check_tables(map);
        if (seed % 4 == 0) check_walks(&s, map);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// Every single segment, and all of them: the border by a plain count.
static void test_borders_of_odd_maps_are_those_of_a_plain_count(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sc_verifier *v = NULL;
        CHECK_OK(sc_verifier_new(map, &v), NULL);
        made_ids segments = {.count = 0};
        while (segments.count < sc_map_segment_count(map) && segments.count < 30) {
            segments.at[segments.count] = (uint32_t)segments.count;
            segments.count++;
            made_ids border;
            made_border(map, &segments, &border);
            const sc_claim claim = {.segments = segments.at,
                                    .segment_count = segments.count,
                                    .border_nodes = border.at,
                                    .border_node_count = border.count};
            sc_border_error error;
            CHECK_OK(sc__border_compare(v, &claim, &error), NULL);
            assert_false(error.has_extra || error.has_missing);
        }
        sc_verifier_free(v);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

//      A   B   C      One road more from E to F than the segments have: E and F are
//      |   |   |      border nodes although all their neighbours are inside.
//      D===E===F
static void test_a_road_between_two_nodes_inside_makes_both_border_nodes(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "A   B   C\n"
                           "|   |   |\n"
                           "D---E---F\n"
                           "|       |\n"
                           "G       H\n",
                           "EF");
    sc_map *map = sketch_map(&s);
    sc_verifier *v = NULL;
    CHECK_OK(sc_verifier_new(map, &v), NULL);
    const sc_node_id e = sketch_node(&s, 'E');
    const sc_node_id f = sketch_node(&s, 'F');
    made_ids segments = {.count = 0};
    bool is_one_left_out = false;
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        const sc_edge *edge = &sc_map_edges(map)[sc_map_segments(map)[i].first_edge];
        const bool joins = (edge->from == e && edge->to == f) || (edge->from == f && edge->to == e);
        if (joins && !is_one_left_out) {
            is_one_left_out = true;
        } else {
            segments.at[segments.count++] = i;
        }
    }
    assert_true(is_one_left_out);
    const sc_node_id border[] = {e, f};
    sc_claim claim = {.segments = segments.at,
                      .segment_count = segments.count,
                      .border_nodes = border,
                      .border_node_count = 2};
    sc_border_error error;
    CHECK_OK(sc__border_compare(v, &claim, &error), NULL);
    assert_false(error.has_extra || error.has_missing);
    claim.border_node_count = 1;
    CHECK_OK(sc__border_compare(v, &claim, &error), NULL);
    assert_true(!error.has_extra && error.has_missing);
    assert_int_equal(error.missing, f);
    sc_verifier_free(v);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_marks_begin_again_when_their_numbers_are_used_up(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 40, .min_members = 3};
    made_record record = made_record_new(map, 1, &wishes);
    for (uint32_t left = 0; left < 40; left++) {
        // A new one each time: a number of 0 would find all its marks set.
        sc_verifier *v = NULL;
        CHECK_OK(sc_verifier_new(map, &v), NULL);
        v->now = UINT32_MAX - left;
        for (size_t i = 0; i < wishes.cloaks; i++) {
            sc_claim claim = made_claim(&record, made_find(&record, MADE_CLOAK, i));
            unsigned broken = ~0U;
            CHECK_OK(sc_verifier_check_claim(v, &claim, &broken, NULL), NULL);
            assert_int_equal(broken, 0);
            made_claim_free(&claim);
        }
        assert_true(v->now < 10000);
        sc_verifier_free(v);
    }
    made_record_free(&record);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_small_maps_are_found_again_and_walked),
    SC_CASES(test_odd_maps_are_found_again_and_walked),
    SC_CASES(test_borders_of_odd_maps_are_those_of_a_plain_count),
    cmocka_unit_test(test_a_road_between_two_nodes_inside_makes_both_border_nodes),
    cmocka_unit_test(test_marks_begin_again_when_their_numbers_are_used_up),
};
SC_SUITE(tests)
