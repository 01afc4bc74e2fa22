// Every allocation on the way from a relay to an answer of a provider of points fails once, in
// turn: it says so, leaks nothing (the address sanitizer looks), and leaves its result alone.
// What curl and jansson take is their own.
#include "support/oom.h"
#include "support/point_server.h"
#include "unit/points/gather.h"

static const sc_request requests[] = {
    {.type = SC_REQUEST_KNN, .k = 2},
    {.type = SC_REQUEST_RANGE, .radius_m = 300.0, .category_count = 2, .categories = {0, 1}},
};
static const sc_seg_id segments[] = {0, 1};

/** A small town, and a cloak of two of its roads. */
typedef struct stage {
    sketch drawing;
    sc_map *map;
    point_world world;
    sc_relay relay;
} stage;

static stage stage_new(sc_point_distance distance)
{
    stage s = {.drawing = sketch_grid(SC_COORDS_PLANAR, 3, 3)};
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    s.map = town_with_objects(&s.drawing, 60, &rng);
    s.world = point_world_new(s.map, distance);
    s.relay = (sc_relay){.map_checksum = sc_map_checksum(s.map),
                         .segments = segments,
                         .segment_count = 2,
                         .requests = requests,
                         .request_count = 2};
    return s;
}

static void stage_free(stage *s)
{
    point_world_free(&s->world);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

static void test_gathering_that_runs_out_of_memory_says_so_and_leaks_nothing(void **state)
{
    (void)state;
    for (int distance = 0; distance < 2; distance++) {
        stage s = stage_new((sc_point_distance)distance);
        const sc_point_options options = sc_point_options_default();
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_point_reply *reply = NULL;
            sc_diag diag = {""};
            const sc_err err = gather(&s.world, &options, POINT_GOOD, &s.relay, &reply, &diag);
            if (!oom_happened()) {
                CHECK_OK(err, &diag);
                sc_point_reply_free(reply);
                break;
            }
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
            assert_null(reply);
            failures++;
        }
        // Settings, cover, topics, a list or two per point and topic, objects, texts, their order.
        assert_true(failures > 40);
        stage_free(&s);
    }
}

static void test_an_answer_that_runs_out_of_memory_can_be_asked_for_again(void **state)
{
    (void)state;
    stage s = stage_new(SC_POINT_ROAD);
    const sc_point_options options = sc_point_options_default();
    const sc_edge_id edge = sc_map_segments(s.map)[0].first_edge;
    sc_point_reply *reply = NULL;
    sc_diag diag = {""};
    CHECK_OK(gather(&s.world, &options, POINT_GOOD, &s.relay, &reply, &diag), &diag);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_near *near = NULL;
        size_t count = 17;
        const sc_err err = sc_point_reply_answer(
            reply, (sc_road_point){.edge = edge, .offset_m = 1.0}, 1, &near, &count, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while making an answer");
        assert_null(near);
        assert_int_equal(count, 17);
        failures++;
    }
    assert_true(failures >= 1);
    check_answer(reply, &s.world, edge, 1.0, 1, 0.03);
    sc_point_reply_free(reply);
    stage_free(&s);
}

static void test_asking_over_http_that_runs_out_of_memory_says_so_and_leaks_nothing(void **state)
{
    (void)state;
    stage s = stage_new(SC_POINT_STRAIGHT);
    s.relay.request_count = 1;
    point_server *server = point_server_start(&s.world, POINT_GOOD);
    const sc_point_options options = point_server_options(server);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_rng rng;
        sc_rng_seed(&rng, n);
        sc_point_settings *settings = NULL;
        sc_point_provider *provider = NULL;
        sc_point_reply *reply = NULL;
        sc_diag diag = {""};
        sc_err err = sc_point_settings_new(&options, &settings, &diag);
        if (!err) err = sc_point_provider_new(s.map, &town_vocabulary, settings, &provider, &diag);
        if (!err) err = sc_point_provider_ask(provider, &s.relay, NULL, &rng, &reply, &diag);
        sc_point_provider_free(provider);
        sc_point_settings_free(settings);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_point_reply_free(reply);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(reply);
        failures++;
    }
    assert_true(failures > 30);
    point_server_stop(server);
    stage_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gathering_that_runs_out_of_memory_says_so_and_leaks_nothing),
    cmocka_unit_test(test_an_answer_that_runs_out_of_memory_can_be_asked_for_again),
    cmocka_unit_test(test_asking_over_http_that_runs_out_of_memory_says_so_and_leaks_nothing),
};
SC_SUITE(tests)
