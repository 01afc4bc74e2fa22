// Answers that each make sense by themselves and not together, or not for what was asked.
#include "gather.h"

static const sc_request five_nearest = {.type = SC_REQUEST_KNN, .k = 5};

/** A town, and a cloak of all of it. */
typedef struct stage {
    sketch drawing;
    sc_map *map;
    point_world world;
    sc_seg_id *segments;
    sc_relay relay;
    sc_point_options options;
} stage;

static stage stage_new(sc_point_distance distance, uint32_t object_count, const sc_request *request)
{
    stage s = {.options = sc_point_options_default()};
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    s.drawing = crooked_town(SC_COORDS_GEOGRAPHIC, 3, &rng);
    s.map = town_with_objects(&s.drawing, object_count, &rng);
    s.world = point_world_new(s.map, distance);
    const size_t count = sc_map_segment_count(s.map);
    s.segments = test_take(count, sizeof *s.segments);
    for (sc_seg_id i = 0; i < count; i++) {
        s.segments[i] = i;
    }
    s.relay = (sc_relay){.map_checksum = sc_map_checksum(s.map),
                         .segments = s.segments,
                         .segment_count = count,
                         .requests = request,
                         .request_count = 1};
    return s;
}

static void stage_free(stage *s)
{
    free(s->segments);
    point_world_free(&s->world);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

static void check_refused(stage *s, point_mode mode, const char *why)
{
    sc_point_reply *reply = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(gather(&s->world, &s->options, mode, &s->relay, &reply, &diag), SC_EREPLY, &diag,
                  why);
    assert_null(reply);
}

static void check_fine(stage *s, point_mode mode)
{
    sc_point_reply *reply = NULL;
    sc_diag diag = {""};
    CHECK_OK(gather(&s->world, &s->options, mode, &s->relay, &reply, &diag), &diag);
    sc_point_reply_free(reply);
}

static void test_what_a_provider_contradicts_itself_in_is_refused(void **state)
{
    (void)state;
    static const struct {
        point_mode mode;
        const char *why;
    } cases[] = {
        {POINT_TWICE, "has one object twice"},
        {POINT_UNSORTED, "not in the order of distance"},
        {POINT_TOO_MANY, "than the 16 that were asked for"},
        {POINT_MOVES, "gives one object two positions"},
        {POINT_CAPPED, "leaves out an object at one point that it names at the next"},
        {POINT_FORGETS, "leaves out an object at one point that it names at the next"},
    };
    for (int distance = 0; distance < 2; distance++) {
        stage s = stage_new((sc_point_distance)distance, 100, &five_nearest);
        check_fine(&s, POINT_GOOD);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            check_refused(&s, cases[i].mode, cases[i].why);
        }
        stage_free(&s);
    }
}

static void test_fewer_objects_when_asked_for_more_are_refused(void **state)
{
    (void)state;
    const sc_request wide = {.type = SC_REQUEST_RANGE, .radius_m = 2000.0};
    stage s = stage_new(SC_POINT_STRAIGHT, 100, &wide);
    check_fine(&s, POINT_GOOD);
    check_refused(&s, POINT_SHRINKS, "gave 8 objects when asked for more, but 16 before");
    stage_free(&s);
}

static void test_distances_that_are_no_straight_lines_in_metres_are_refused(void **state)
{
    (void)state;
    stage s = stage_new(SC_POINT_STRAIGHT, 100, &five_nearest);
    check_refused(&s, POINT_IN_KM, "is not the straight line in metres");
    check_refused(&s, POINT_LIES, "is not the straight line in metres");
    // Unless the provider's own are not asked for.
    s.options.distance_field = NULL;
    check_fine(&s, POINT_IN_KM);
    // But the order is the provider's, and is looked at all the same.
    check_refused(&s, POINT_UNSORTED, "not in the order of distance");
    stage_free(&s);

    // By road they would not be straight.
    s = stage_new(SC_POINT_ROAD, 100, &five_nearest);
    sc_point_settings *settings = NULL;
    sc_point_reply *reply = NULL;
    sc_diag diag = {""};
    s.options.url = "http://h/{lon}/{lat}/{k}";
    CHECK_OK(sc_point_settings_new(&s.options, &settings, &diag), &diag);
    CHECK_OK(sc__point_reply_new(s.map, settings, &s.relay, &reply, &diag), &diag);
    const sc__point *point = sc__point_reply_point(reply, 0);
    char *body = point_world_tell(&s.world, POINT_GOOD, 0, point->x, point->y, 16, "");
    CHECK_REFUSED(sc__point_reply_take(reply, settings, &town_vocabulary,
                                       &(sc__point_answer_body){0, 16, body, strlen(body)}, &diag),
                  SC_EREPLY, &diag, "check the distance setting");
    free(body);
    sc_point_reply_free(reply);
    sc_point_settings_free(settings);
    stage_free(&s);
}

static void test_distances_that_are_no_roads_are_refused(void **state)
{
    (void)state;
    stage s = stage_new(SC_POINT_ROAD, 30, &five_nearest);
    s.options.spacing_m = 50.0;
    check_fine(&s, POINT_GOOD);
    check_refused(&s, POINT_IN_KM, "check that it is in metres");
    check_refused(&s, POINT_LIES, "differ by more than the road between them");
    stage_free(&s);
}

static void test_an_ellipsoid_is_near_enough_to_our_sphere(void **state)
{
    (void)state;
    stage s = stage_new(SC_POINT_STRAIGHT, 100, &five_nearest);
    sc_point_settings *settings = NULL;
    sc_point_reply *reply = NULL;
    sc_diag diag = {""};
    s.options.url = "http://h/{lon}/{lat}/{k}";
    CHECK_OK(sc_point_settings_new(&s.options, &settings, &diag), &diag);
    CHECK_OK(sc__point_reply_new(s.map, settings, &s.relay, &reply, &diag), &diag);
    const sc__point *point = sc__point_reply_point(reply, 0);
    // A tenth of a degree to the north: on our sphere, as far as any ellipsoid, and beyond.
    static const struct {
        double share;
        bool is_fine;
    } cases[] = {{1.0, true}, {1.0056, true}, {0.9944, true}, {1.02, false}, {0.98, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[256];
        const double straight_m =
            sc__point_straight_m(s.map, point->x, point->y, point->x, point->y + 0.1);
        snprintf(body, sizeof body,
                 "{\"results\":[{\"id\":1,\"lon\":%.17g,\"lat\":%.17g,\"distance_m\":%.17g}]}",
                 point->x, point->y + 0.1, straight_m * cases[i].share);
        const sc_err err =
            sc__point_reply_take(reply, settings, &town_vocabulary,
                                 &(sc__point_answer_body){0, 16, body, strlen(body)}, &diag);
        assert_int_equal(err, cases[i].is_fine ? SC_OK : SC_EREPLY);
    }
    sc_point_reply_free(reply);
    sc_point_settings_free(settings);
    stage_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_a_provider_contradicts_itself_in_is_refused),
    cmocka_unit_test(test_fewer_objects_when_asked_for_more_are_refused),
    cmocka_unit_test(test_distances_that_are_no_straight_lines_in_metres_are_refused),
    cmocka_unit_test(test_distances_that_are_no_roads_are_refused),
    cmocka_unit_test(test_an_ellipsoid_is_near_enough_to_our_sphere),
};
SC_SUITE(tests)
