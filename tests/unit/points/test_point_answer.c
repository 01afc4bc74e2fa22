// Exact answers from lists of points, without a network: for any place of a cloak they are
// those of measuring every object from there.
#include "gather.h"

#include "support/odd_cloak.h"

enum { PLACES = 12 };

// Few things at a time: a list that is long for one request would serve another too well.
static size_t draw_requests(sc_request out[2], sc_rng *rng)
{
    for (int i = 0; i < 2; i++) {
        const bool is_range = sc_rng_below(rng, 2) == 0;
        out[i] = (sc_request){.type = is_range ? SC_REQUEST_RANGE : SC_REQUEST_KNN};
        if (is_range) out[i].radius_m = sc_rng_below(rng, 5) * 40.0;
        if (!is_range) out[i].k = 1 + sc_rng_below(rng, 6);
        out[i].category_count = sc_rng_below(rng, 3);
        for (uint32_t c = 0; c < out[i].category_count; c++) {
            out[i].categories[c] = out[i].category_count == 2 ? c : sc_rng_below(rng, 2);
        }
    }
    return sc_request_equal(&out[0], &out[1]) ? 1 : 1 + sc_rng_below(rng, 2);
}

// Ask for a cloak, and then at many places of it.
static void check_cloak(const point_world *world, const odd_cloak *cloak,
                        const sc_point_options *options, sc_rng *rng, double tolerance_m)
{
    sc_request requests[2];
    const size_t request_count = draw_requests(requests, rng);
    const sc_relay relay = odd_cloak_relay(cloak, world->map, requests, request_count);
    sc_point_reply *reply = NULL;
    sc_diag diag = {""};
    CHECK_OK(gather(world, options, POINT_GOOD, &relay, &reply, &diag), &diag);
    for (size_t i = 0; i < cloak->segment_count; i++) {
        for (int place = 0; place < PLACES; place++) {
            const odd_position q = odd_position_on(world->map, cloak->segments[i], rng);
            const size_t request = sc_rng_below(rng, (uint32_t)request_count);
            check_answer(reply, world, q.edge, q.offset_m, request, tolerance_m);
        }
    }
    sc_point_reply_free(reply);
}

static void check_towns(sc_point_distance distance, uint64_t seeds)
{
    static const double spacings[] = {60.0, 200.0, 700.0, 5000.0};
    for (uint64_t seed = 0; seed < seeds; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        const sc_coords coords = seed % 2 == 0 ? SC_COORDS_GEOGRAPHIC : SC_COORDS_PLANAR;
        sketch s = crooked_town(coords, 3 + sc_rng_below(&rng, 2), &rng);
        sc_map *map = town_with_objects(&s, sc_rng_below(&rng, 240), &rng);
        point_world world = point_world_new(map, distance);
        sc_point_options options = sc_point_options_default();
        options.spacing_m = spacings[sc_rng_below(&rng, 4)];
        odd_cloak cloak = odd_cloak_new(map, &rng);
        // A point is asked at to the centimetre, so ways are known to the centimetre.
        check_cloak(&world, &cloak, &options, &rng, distance == SC_POINT_ROAD ? 0.03 : 1e-6);
        odd_cloak_free(&cloak);
        point_world_free(&world);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_straight_answers_are_exact_everywhere_in_a_cloak(void **state)
{
    (void)state;
    check_towns(SC_POINT_STRAIGHT, 40);
}

static void test_answers_by_road_are_exact_everywhere_in_a_cloak(void **state)
{
    (void)state;
    check_towns(SC_POINT_ROAD, 40);
}

// Rings, loops of several edges, islands: all pictures in which no two roads lie upon each other.
static void test_named_maps_are_answered_exactly_by_road(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        if (*small->more) continue;
        for (uint64_t seed = 0; seed < 6; seed++) {
            check_case(seed);
            sc_rng rng;
            sc_rng_seed(&rng, seed);
            sketch s = sketch_named(small->name);
            sc_map *map = town_with_objects(&s, 2 + sc_rng_below(&rng, 60), &rng);
            point_world world = point_world_new(map, SC_POINT_ROAD);
            sc_point_options options = sc_point_options_default();
            options.spacing_m = 5.0 + 30.0 * sc_rng_unit(&rng);
            odd_cloak cloak = odd_cloak_new(map, &rng);
            check_cloak(&world, &cloak, &options, &rng, 0.001);
            odd_cloak_free(&cloak);
            point_world_free(&world);
            sc_map_free(map);
            sketch_free(&s);
        }
    }
    check_case_done();
}

// What holds elsewhere holds across the 180th meridian.
static void test_towns_across_the_180th_meridian_are_answered_exactly(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        const sc_point_distance distance = seed % 2 ? SC_POINT_ROAD : SC_POINT_STRAIGHT;
        sketch s = crooked_town(SC_COORDS_GEOGRAPHIC, 3, &rng);
        sketch_move_to_meridian(&s);
        sc_map *map = town_with_objects(&s, sc_rng_below(&rng, 240), &rng);
        point_world world = point_world_new(map, distance);
        sc_point_options options = sc_point_options_default();
        options.spacing_m = seed % 4 < 2 ? 60.0 : 700.0;
        odd_cloak cloak = odd_cloak_new(map, &rng);
        check_cloak(&world, &cloak, &options, &rng, distance == SC_POINT_ROAD ? 0.03 : 1e-6);
        odd_cloak_free(&cloak);
        point_world_free(&world);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// Poles, the 180th meridian, maps of a millimetre and of a quarter of the globe, roads whose
// lengths have nothing to do with where they are.
static void test_odd_maps_are_answered_exactly_in_straight_lines(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 80; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sketch s = sketch_odd(seed);
        if (s.coords == SC_COORDS_NONE) {
            sketch_free(&s);
            continue;
        }
        sc_map *map = town_with_objects(&s, sc_rng_below(&rng, 100), &rng);
        point_world world = point_world_new(map, SC_POINT_STRAIGHT);
        odd_cloak cloak = odd_cloak_new(map, &rng);
        sc_point_options options = sc_point_options_default();
        double extent = 0.0;
        for (uint32_t v = 1; v < s.node_count; v++) {
            extent = fmax(extent, sc__point_straight_m(map, s.x[0], s.y[0], s.x[v], s.y[v]));
        }
        options.spacing_m = fmin(fmax(extent / 3.0, 1e-6), 1e9);
        check_cloak(&world, &cloak, &options, &rng, 1e-6 * fmax(extent, 1e-3));
        odd_cloak_free(&cloak);
        point_world_free(&world);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// --- Beside the road ----------------------------------------------------------------

//          o  40 m from the left, 20 m beside the road
//     A----------B          100 m
static void test_an_object_beside_the_road_is_as_far_as_the_provider_counts(void **state)
{
    (void)state;
    sketch drawing = sketch_new(SC_COORDS_PLANAR);
    sketch_add_node(&drawing, 0.0, 0.0);
    sketch_add_node(&drawing, 100.0, 0.0);
    sketch_add_edge(&drawing, 0, 1, 100.0);
    sc_map *map = sketch_map(&drawing);
    sc_point_options options = sc_point_options_default();
    options.url = "http://h/{lon}/{lat}/{k}";
    options.distance = SC_POINT_ROAD;
    options.spacing_m = 1000.0;
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 1};
    static const sc_seg_id segments[] = {0};
    const sc_relay relay = {
        .segments = segments, .segment_count = 1, .requests = &request, .request_count = 1};
    sc_point_settings *settings = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_point_settings_new(&options, &settings, &diag), &diag);
    // Providers that count the way from the road to the door, and such as do not.
    static const double to_door_m[] = {0.0, 20.0};
    for (int i = 0; i < 2; i++) {
        sc_point_reply *reply = NULL;
        CHECK_OK(sc__point_reply_new(map, settings, &relay, &reply, &diag), &diag);
        for (size_t list = 0; list < 2; list++) {
            const double from_m = sc__point_reply_point(reply, list)->x == 0.0 ? 40.0 : 60.0;
            char body[200];
            snprintf(body, sizeof body,
                     "{\"results\":[{\"id\":1,\"lon\":40,\"lat\":20,\"distance_m\":%g}]}",
                     from_m + to_door_m[i]);
            CHECK_OK(sc__point_reply_take(reply, settings, &town_vocabulary,
                                          &(sc__point_answer_body){list, 16, body, strlen(body)},
                                          &diag),
                     &diag);
        }
        CHECK_OK(sc__point_reply_settle(reply, &diag), &diag);
        CHECK_OK(sc__point_reply_check(reply, &diag), &diag);
        for (int x = 0; x <= 100; x += 5) {
            const sc_near *near = NULL;
            size_t count = 0;
            CHECK_OK(sc_point_reply_answer(reply, (sc_road_point){.edge = 0, .offset_m = x}, 0,
                                           &near, &count, &diag),
                     &diag);
            assert_int_equal(count, 1);
            CHECK_CLOSE(near[0].distance_m, fabs(x - 40.0) + to_door_m[i], 1e-6);
        }
        sc_point_reply_free(reply);
    }
    sc_point_settings_free(settings);
    sc_map_free(map);
    sketch_free(&drawing);
}

// --- What is not answered -------------------------------------------------------------

static void test_places_and_requests_that_were_not_asked_for_are_refused(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = town_with_objects(&s, 10, &rng);
    point_world world = point_world_new(map, SC_POINT_STRAIGHT);
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 1};
    static const sc_seg_id segments[] = {0};
    const sc_relay relay = {
        .segments = segments, .segment_count = 1, .requests = &request, .request_count = 1};
    const sc_point_options options = sc_point_options_default();
    sc_point_reply *reply = NULL;
    sc_diag diag = {""};
    CHECK_OK(gather(&world, &options, POINT_GOOD, &relay, &reply, &diag), &diag);

    const sc_edge_id edge = sc_map_segments(map)[0].first_edge;
    const sc_edge_id elsewhere = sc_map_segments(map)[1].first_edge;
    const double length_m = sc_map_edge_length_m(map, edge);
    const struct {
        sc_edge_id edge;
        double offset_m;
        size_t request;
        const char *why;
    } cases[] = {
        {edge, 0.0, 1, "no such request"},
        {sc_map_edge_count(map), 0.0, 0, "no such edge"},
        {SC_NONE, 0.0, 0, "no such edge"},
        {elsewhere, 0.0, 0, "not on the segments"},
        {edge, -0.01, 0, "beyond its edge"},
        {edge, length_m + 0.01, 0, "beyond its edge"},
        {edge, NOT_A_NUMBER, 0, "beyond its edge"},
    };
    const sc_near *near = NULL;
    size_t count = 17;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_REFUSED(sc_point_reply_answer(
                          reply,
                          (sc_road_point){.edge = cases[i].edge, .offset_m = cases[i].offset_m},
                          cases[i].request, &near, &count, &diag),
                      SC_EINVAL, &diag, cases[i].why);
        assert_null(near);
        assert_int_equal(count, 17);
    }
    // Half a millimetre over the end is rounding.
    CHECK_OK(sc_point_reply_answer(reply,
                                   (sc_road_point){.edge = edge, .offset_m = length_m + 0.0004}, 0,
                                   &near, &count, &diag),
             &diag);
    assert_int_equal(count, 1);
    sc_point_reply_free(reply);
    point_world_free(&world);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_straight_answers_are_exact_everywhere_in_a_cloak),
    SC_CASES(test_answers_by_road_are_exact_everywhere_in_a_cloak),
    SC_CASES(test_named_maps_are_answered_exactly_by_road),
    SC_CASES(test_towns_across_the_180th_meridian_are_answered_exactly),
    SC_CASES(test_odd_maps_are_answered_exactly_in_straight_lines),
    cmocka_unit_test(test_an_object_beside_the_road_is_as_far_as_the_provider_counts),
    cmocka_unit_test(test_places_and_requests_that_were_not_asked_for_are_refused),
};
SC_SUITE(tests)
