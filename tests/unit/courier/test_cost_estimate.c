// What a request costs, estimated: everything within a wide range, a part of it within a small one,
// more with each border node, and never out of bounds.
#include "courier/cost_estimate.h"

#include "support/check.h"
#include "support/sketch.h"

#include <math.h>
#include <stdio.h>

enum { SIDE = 30, STARS = SIDE * SIDE };

/** A grid of streets 100 m apart, an object on each third road, half of them cafes. */
typedef struct town {
    sketch drawing;
    sc_map *map;
    sc_objects *objects;
    sc_cost_estimator *model;
    double object_count;
} town;

static town town_open(sc_coords coords, bool is_built_in)
{
    town t = {.drawing = sketch_grid(coords, SIDE, SIDE)};
    sc_builder *builder = sketch_builder(&t.drawing);
    for (sc_edge_id edge = 0; edge < t.drawing.edge_count; edge += 3) {
        char name[16];
        snprintf(name, sizeof name, "No. %u", edge);
        put_object(builder, edge, 0.5, edge % 2 == 0 ? "cafe" : "school", name);
        t.object_count++;
    }
    t.map = finish_builder(builder);
    CHECK_OK(sc_objects_new_from_map(t.map, &t.objects), NULL);
    const sc_cost_objects built_in = {.objects = is_built_in ? t.objects : NULL};
    CHECK_OK(sc_cost_estimator_new(t.map, &built_in, &t.model), NULL);
    return t;
}

static void town_close(town *t)
{
    sc_cost_estimator_free(t->model);
    sc_objects_release(t->objects);
    sc_map_free(t->map);
    sketch_free(&t->drawing);
}

static sc_request range_of(double radius_m)
{
    return (sc_request){.type = SC_REQUEST_RANGE, .radius_m = radius_m};
}

static sc_cost_reach reach(const town *t, sc_seg_id segment, sc_request request)
{
    const sc_cost_reach found = sc_cost_reach_of(t->model, segment, &request);
    assert_true(found.stars >= -1e-6 && found.stars <= STARS + 1e-6);
    assert_true(found.objects >= -1e-6 && found.objects <= t->object_count + 1e-6);
    return found;
}

static void test_a_wide_range_has_all_and_a_small_one_its_part(void **state)
{
    (void)state;
    static const sc_coords kinds[] = {SC_COORDS_GEOGRAPHIC, SC_COORDS_PLANAR, SC_COORDS_NONE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        check_case(i);
        town t = town_open(kinds[i], i % 2);
        const sc_seg_id middle = sc_map_segment_count(t.map) / 2;
        const sc_cost_reach all = reach(&t, middle, range_of(20000));
        CHECK_CLOSE(all.stars, sc_map_star_count(t.map), 1);
        CHECK_CLOSE(all.objects, t.object_count, 1);
        // By road along a grid, r metres reach 2 (r / 100)^2 intersections.
        const sc_cost_reach some = reach(&t, middle, range_of(500));
        assert_true(some.stars > 25 && some.stars < 100);
        assert_true(some.objects > 8 && some.objects < 80);
        // Widening it never lessens what is in it.
        double last = -1;
        for (int step = 0; step < 100; step++) {
            const double stars = reach(&t, middle, range_of(50.0 * step)).stars;
            assert_true(stars >= last - 1e-6);
            last = stars;
        }
        town_close(&t);
    }
    check_case_done();
}

static void test_categories_and_travel_times_count(void **state)
{
    (void)state;
    town t = town_open(SC_COORDS_PLANAR, true);
    sc_request cafes = range_of(20000);
    cafes.category_count = 1;
    cafes.categories[0] = 0;
    const double share = reach(&t, 0, cafes).objects / t.object_count;
    assert_true(share > 0.4 && share < 0.6);
    // What the map does not have is some of all.
    cafes.categories[0] = 99;
    assert_true(reach(&t, 0, cafes).objects < reach(&t, 0, range_of(20000)).objects);

    const sc_request by_time = {
        .type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 36000};
    CHECK_CLOSE(reach(&t, 0, by_time).stars, sc_map_star_count(t.map), 1);
    sc_request shorter = by_time;
    shorter.radius_s = 20;
    assert_true(reach(&t, 0, shorter).stars < 0.5 * STARS);
    town_close(&t);
}

static void test_the_nearest_cost_what_has_to_be_searched(void **state)
{
    (void)state;
    town t = town_open(SC_COORDS_PLANAR, true);
    const sc_request three = {.type = SC_REQUEST_KNN, .k = 3};
    const sc_request many = {.type = SC_REQUEST_KNN, .k = 100};
    const double cost_three = sc_cost_steps(reach(&t, 0, three), 4);
    assert_true(cost_three < sc_cost_steps(reach(&t, 0, many), 4));
    // Looked up in the index they cost less.
    const sc_index_options index = sc_index_options_default();
    CHECK_OK(sc_objects_build_index(t.objects, &index, NULL), NULL);
    sc_cost_estimator_free(t.model);
    CHECK_OK(sc_cost_estimator_new(t.map, &(sc_cost_objects){.objects = t.objects}, &t.model),
             NULL);
    assert_true(sc_cost_steps(reach(&t, 0, three), 4) < cost_three);
    town_close(&t);
    // A provider elsewhere is taken to have one, and many nearest exceed any.
    t = town_open(SC_COORDS_PLANAR, false);
    assert_true(sc_cost_steps(reach(&t, 0, three), 4) < cost_three);
    assert_true(reach(&t, 0, many).stars > 100);
    town_close(&t);
}

static void test_a_cloak_costs_its_border_and_its_different_requests(void **state)
{
    (void)state;
    town t = town_open(SC_COORDS_PLANAR, true);
    const sc_cost_reach all = reach(&t, 0, range_of(20000));
    CHECK_CLOSE(sc_cost_steps(all, 16), all.stars + 16 * all.objects, 1e-6);
    CHECK_CLOSE(sc_cost_steps(all, 17), 2 * all.stars + 17 * all.objects, 1e-6);
    CHECK_SAME(sc_cost_steps(all, 0), 0);
    assert_true(sc_cost_expected_border(500) > 5 * sc_cost_expected_border(50));

    const sc_request requests[] = {range_of(20000), {.type = SC_REQUEST_KNN, .k = 3}};
    const sc_seg_id segments[] = {0, 1};
    const sc_node_id border[] = {0, 1, 2};
    const sc_relay relay = {.segments = segments,
                            .segment_count = 2,
                            .border_nodes = border,
                            .border_node_count = 3,
                            .requests = requests,
                            .request_count = 2};
    CHECK_CLOSE(sc_cost_of_relay(t.model, &relay),
                sc_cost_steps(all, 3) + sc_cost_steps(reach(&t, 0, requests[1]), 3), 1e-6);
    town_close(&t);
    sc_cost_estimator_free(NULL);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_wide_range_has_all_and_a_small_one_its_part),
    cmocka_unit_test(test_categories_and_travel_times_count),
    cmocka_unit_test(test_the_nearest_cost_what_has_to_be_searched),
    cmocka_unit_test(test_a_cloak_costs_its_border_and_its_different_requests),
};
SC_SUITE(tests)
