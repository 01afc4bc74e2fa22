// How many objects are asked for, and that it is enough where it is hardest.
#include "gather.h"

static const char crossing[] = "   A\n"
                               "   |\n"
                               "B--C--D\n"
                               "   |\n"
                               "   E\n";

/** A cloak of one road, with what is asked there. */
typedef struct stage {
    sketch drawing;
    sc_map *map;
    sc_point_settings *settings;
    sc_point_reply *reply;
    sc_diag diag;
} stage;

static stage stage_new(const sc_request *request, double spacing_m)
{
    stage s = {.drawing = sketch_draw(SC_COORDS_PLANAR, crossing, "")};
    s.map = sketch_map(&s.drawing);
    sc_point_options options = sc_point_options_default();
    options.url = "http://h/{lon}/{lat}/{k}/{category}";
    options.spacing_m = spacing_m;
    CHECK_OK(sc_point_settings_new(&options, &s.settings, &s.diag), &s.diag);
    static const sc_seg_id segments[] = {0};
    const sc_relay relay = {
        .segments = segments, .segment_count = 1, .requests = request, .request_count = 1};
    CHECK_OK(sc__point_reply_new(s.map, s.settings, &relay, &s.reply, &s.diag), &s.diag);
    return s;
}

static void stage_free(stage *s)
{
    sc_point_reply_free(s->reply);
    sc_point_settings_free(s->settings);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

static uint32_t next_k(stage *s, uint32_t max_k)
{
    uint32_t k = 0;
    CHECK_OK(sc__point_reply_next_k(s->reply, 0, max_k, &k, &s->diag), &s->diag);
    return k;
}

// The first list gets `count` objects in a row, `step_m` apart, beginning at its point.
static void tell(stage *s, uint32_t k, uint32_t count, double step_m)
{
    const sc__point *point = sc__point_reply_point(s->reply, 0);
    char *body = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&body, &size);
    assert_non_null(out);
    fputs("{\"results\":[", out);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s{\"id\":%u,\"lon\":%.17g,\"lat\":%.17g}", i > 0 ? "," : "", i,
                point->x + i * step_m, point->y);
    }
    fputs("]}", out);
    fclose(out);
    CHECK_OK(sc__point_reply_take(s->reply, s->settings, &town_vocabulary,
                                  &(sc__point_answer_body){0, k, body, size}, &s->diag),
             &s->diag);
    free(body);
}

static void test_the_first_question_is_for_twice_as_many(void **state)
{
    (void)state;
    static const struct {
        sc_request request;
        uint32_t max_k;
        uint32_t first_k;
    } cases[] = {
        {{.type = SC_REQUEST_KNN, .k = 1}, 1000, 16},
        {{.type = SC_REQUEST_KNN, .k = 20}, 1000, 40},
        {{.type = SC_REQUEST_KNN, .k = 20}, 30, 30},
        {{.type = SC_REQUEST_KNN, .k = UINT32_MAX}, UINT32_MAX, UINT32_MAX},
        {{.type = SC_REQUEST_RANGE, .radius_m = 1e9}, 1000, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage s = stage_new(&cases[i].request, 1000.0);
        assert_int_equal(next_k(&s, cases[i].max_k), cases[i].first_k);
        stage_free(&s);
    }
}

static void test_more_than_the_provider_takes_is_refused(void **state)
{
    (void)state;
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 11};
    stage s = stage_new(&request, 1000.0);
    uint32_t k = 0;
    CHECK_REFUSED(sc__point_reply_next_k(s.reply, 0, 10, &k, &s.diag), SC_ELIMIT, &s.diag,
                  "11 objects, but the provider's largest k is 10");
    stage_free(&s);
}

// One road of 10 m or so: half a gap of some 5 m.
static void test_it_is_asked_on_until_the_list_reaches_far_enough(void **state)
{
    (void)state;
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 4};
    stage s = stage_new(&request, 1000.0);
    const double half_m = sc__point_reply_point(s.reply, 0)->half_gap_m;
    assert_true(half_m >= 5.0 && half_m < 20.0);
    // The fourth is 0.75 m away; reach and grain together are 2 * half_m + 1.75.
    const double step_m = 0.25;
    const double needed_m = 3 * step_m + 2.0 * half_m;
    uint32_t asked = 0;
    for (uint32_t k = next_k(&s, 1000); k > 0; k = next_k(&s, 1000)) {
        assert_int_equal(k, asked == 0 ? 16 : 2 * asked);
        asked = k;
        tell(&s, k, k, step_m);
    }
    const double last_m = (asked - 1) * step_m;
    assert_true(last_m * 0.988 - 1.0 >= needed_m);
    const double before_m = (asked * 0.5 - 1.0) * step_m;
    assert_true(before_m * 0.988 - 1.0 < needed_m);
    stage_free(&s);
}

static void test_all_there_are_reach_everywhere(void **state)
{
    (void)state;
    const sc_request requests[] = {{.type = SC_REQUEST_KNN, .k = 16},
                                   {.type = SC_REQUEST_RANGE, .radius_m = 1e6}};
    for (size_t i = 0; i < 2; i++) {
        stage s = stage_new(&requests[i], 1000.0);
        const uint32_t k = next_k(&s, 1000);
        tell(&s, k, k - 1, 0.01);
        assert_int_equal(next_k(&s, 1000), 0);
        stage_free(&s);
    }
}

static void test_a_list_that_cannot_reach_is_refused(void **state)
{
    (void)state;
    const sc_request request = {.type = SC_REQUEST_RANGE, .radius_m = 500.0};
    stage s = stage_new(&request, 1000.0);
    tell(&s, 16, 16, 0.01);
    assert_int_equal(next_k(&s, 20), 20);
    tell(&s, 20, 20, 0.01);
    uint32_t k = 0;
    CHECK_REFUSED(sc__point_reply_next_k(s.reply, 0, 20, &k, &s.diag), SC_ELIMIT, &s.diag,
                  "the 20 nearest objects do not reach far enough");
    stage_free(&s);
}

// Both ends of the road are crowded, there are more crowds farther out, and beside its middle
// is one object that is nearer to there than any other. To both ends it is farther than
// the crowds are:
//
//                         o
//     ::::    ::::P-------q-------P::::    ::::
static void test_an_object_beside_the_middle_of_a_road_is_found_between_crowds(void **state)
{
    (void)state;
    enum { CROWD = 60, CROWDS = 4 };
    static const double crowd_x[CROWDS] = {0.0, 1000.0, -550.0, 1550.0};
    for (int part = 1; part < 10; part++) {
        sketch drawing = sketch_new(SC_COORDS_PLANAR);
        sketch_add_node(&drawing, 0.0, 0.0);
        sketch_add_node(&drawing, 1000.0, 0.0);
        sketch_add_edge(&drawing, 0, 1, 1000.0);
        sc_builder *builder = sketch_builder(&drawing);
        for (int i = 0; i <= CROWD * CROWDS; i++) {
            put_object(builder, 0, 0.5, "cafe", "");
        }
        sc_map *map = finish_builder(builder);
        point_world world = point_world_new(map, SC_POINT_STRAIGHT);
        world.y[0] = part * 50.0;
        for (uint32_t i = 1; i < world.count; i++) {
            world.x[i] = crowd_x[i % CROWDS];
        }
        static const sc_seg_id segments[] = {0};
        const sc_request request = {.type = SC_REQUEST_KNN, .k = 1};
        const sc_relay relay = {
            .segments = segments, .segment_count = 1, .requests = &request, .request_count = 1};
        sc_point_options options = sc_point_options_default();
        options.spacing_m = 2000.0;
        sc_point_reply *reply = NULL;
        sc_diag diag = {""};
        CHECK_OK(gather(&world, &options, POINT_GOOD, &relay, &reply, &diag), &diag);
        assert_int_equal(reply->cover.point_count, 2);
        check_answer(reply, &world, 0, 500.0, 0, 1e-9);
        sc_point_reply_free(reply);
        point_world_free(&world);
        sc_map_free(map);
        sketch_free(&drawing);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_first_question_is_for_twice_as_many),
    cmocka_unit_test(test_more_than_the_provider_takes_is_refused),
    cmocka_unit_test(test_it_is_asked_on_until_the_list_reaches_far_enough),
    cmocka_unit_test(test_all_there_are_reach_everywhere),
    cmocka_unit_test(test_a_list_that_cannot_reach_is_refused),
    cmocka_unit_test(test_an_object_beside_the_middle_of_a_road_is_found_between_crowds),
};
SC_SUITE(tests)
