// A provider that knows points only, behind a courier: exact answers in its own distance, retries,
// deadlines, the breaker.
#include <pthread.h>

#include "base/clock.h"
#include "courier/courier.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/point_server.h"
#include "unit/points/gather.h"

#include <unistd.h>

/** A town, a server of points, and a courier. */
typedef struct scene {
    sketch drawing;
    sc_map *map;
    sc_rng rng;
    point_world world;
    point_server *server;
    sc_point_options points;
    sc_point_settings *settings;  ///< made of them at the start
    errand_box box;
    sc_courier_options options;
    sc_courier *courier;
} scene;

static void never(void *context, const sc_errand *errand, const void *bytes, size_t size)
{
    (void)context, (void)errand, (void)bytes, (void)size;
    fail_msg("there is no body that could be told");
}

static void scene_open(scene *s, point_mode mode)
{
    *s = (scene){.drawing = sketch_grid(SC_COORDS_PLANAR, 3, 3)};
    sc_rng_seed(&s->rng, 1);
    s->map = town_with_objects(&s->drawing, 40, &s->rng);
    s->world = point_world_new(s->map, SC_POINT_STRAIGHT);
    s->server = point_server_start(&s->world, mode);
    s->points = point_server_options(s->server);
    s->points.timeout_s = 60.0;
    errand_box_init(&s->box);
    s->options = sc_courier_options_default();
    s->options.kind = SC_COURIER_POINTS;
    s->options.leaves = never;
    s->options.back = errand_box_back;
    s->options.context = &s->box;
}

static void make_settings(scene *s)
{
    sc_diag diag = {""};
    CHECK_OK(sc_point_settings_new(&s->points, &s->settings, &diag), &diag);
    s->options.points = s->settings;
}

static void start(scene *s)
{
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_diag diag = {""};
    make_settings(s);
    CHECK_OK(sc_courier_new(s->map, &s->options, &rng, &s->courier, &diag), &diag);
}

static void scene_close(scene *s)
{
    sc_courier_free(s->courier);
    point_server_stop(s->server);
    errand_box_fini(&s->box);
    point_world_free(&s->world);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
    sc_point_settings_free(s->settings);
}

static sc_errand *dispatch(scene *s, double seconds)
{
    sc_errand *e = errand_new_by_distance(s->map, sc_map_category_count(s->map), &s->rng, 3);
    e->deadline_us = sc_clock_us() + (int64_t)(seconds * 1e6);
    e->leave_by_us = e->deadline_us;
    CHECK_OK(sc_courier_send(s->courier, e), NULL);
    return e;
}

static sc_errand *run(scene *s, double seconds)
{
    const size_t before = errand_box_count(&s->box);
    sc_errand *e = dispatch(s, seconds);
    errand_box_await(&s->box, before + 1);
    return e;
}

static void check_seat(const scene *s, const sc_errand *e, const sc_answer_place *place)
{
    sc_near *wanted = test_take(s->world.count, sizeof *wanted);
    const size_t count = point_world_answer(&s->world, place->at.edge, place->at.offset_m,
                                            &e->relay->requests[place->request], wanted);
    const sc_answer *answer = place->answer;
    assert_int_equal(answer->count, count);
    for (size_t i = 0; i < count; i++) {
        const sc_found *found = &answer->found[i];
        // What is named is what is at that distance; among equally far ones any. Keys are "o17".
        CHECK_CLOSE(found->distance_m, wanted[i].distance_m, 0.03);
        CHECK_SAME(found->duration_s, SC_UNKNOWN_S);
        const uint32_t number = (uint32_t)strtoul(answer->texts + found->key + 1, NULL, 10);
        assert_true(number < s->world.count);
        CHECK_CLOSE(found->x, s->world.x[number], 1e-6);
        CHECK_CLOSE(found->y, s->world.y[number], 1e-6);
        assert_string_equal(answer->texts + found->name, sc_map_object_name(s->map, number));
        assert_string_equal(answer->texts + found->category,
                            sc_map_category_name(s->map, sc_map_objects(s->map)[number].category));
    }
    free(wanted);
}

static void test_answers_from_points_are_exact(void **state)
{
    (void)state;
    enum { MANY = 8 };
    scene s;
    scene_open(&s, POINT_GOOD);
    s.options.threads = 3;
    start(&s);
    sc_errand *errands[MANY];
    for (size_t i = 0; i < MANY; i++) {
        errands[i] = dispatch(&s, 60.0);
    }
    errand_box_await(&s.box, MANY);
    for (size_t i = 0; i < MANY; i++) {
        errand_check_well(errands[i]);
        for (size_t place = 0; place < errands[i]->place_count; place++) {
            check_seat(&s, errands[i], &errands[i]->places[place]);
        }
        errand_free(errands[i]);
    }
    const sc_courier_stats stats = sc_courier_stats_of(s.courier);
    assert_int_equal(stats.tries, MANY);
    assert_true(stats.bytes_in > 0 && stats.bytes_out > 0);
    scene_close(&s);
}

static void test_a_redirect_is_final(void **state)
{
    (void)state;
    static const point_mode modes[] = {POINT_REDIRECT, POINT_MISSING};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        scene s;
        scene_open(&s, modes[i]);
        s.points.parallel = 2;
        start(&s);
        sc_errand *e = run(&s, 60.0);
        errand_check_failed(e, SC_FAILURE_REFUSED,
                            modes[i] == POINT_REDIRECT ? "redirect" : "status 404");
        assert_int_equal(e->tries, 1);
        assert_true(point_server_count(s.server) <= 3);
        errand_free(e);
        scene_close(&s);
    }
}

static void test_errors_are_asked_again_a_few_times_only(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, POINT_ERROR);
    start(&s);
    sc_errand *e = run(&s, 600.0);  // by far enough time for a hundred tries
    errand_check_failed(e, SC_FAILURE_UNREACHABLE, "status 500");
    assert_int_equal(e->tries, 4);
    errand_free(e);
    scene_close(&s);
}

static void test_a_provider_that_fails_is_asked_again_until_there_is_no_time(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, POINT_ERROR);
    start(&s);
    // The deadline may come in the midst of a try, and on a busy machine even in the first one.
    sc_errand *e = NULL;
    for (double seconds = 0.5; !e || (e->failure != SC_FAILURE_UNREACHABLE && seconds < 60.0) ||
                               (e->tries < 2 && seconds < 60.0);
         seconds *= 2.0) {
        if (e) errand_free(e);
        e = run(&s, seconds);
    }
    errand_check_failed(e, SC_FAILURE_UNREACHABLE, "status 500");
    assert_true(e->tries >= 2);
    errand_free(e);
    scene_close(&s);
}

static void test_a_provider_that_never_answers_is_given_up_at_the_deadline(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, POINT_SLOW);
    start(&s);
    sc_errand *e = NULL;
    for (double seconds = 0.3; !e || (e->failure == SC_FAILURE_UNSENT && seconds < 60.0);
         seconds *= 4.0) {  // on a busy machine it may not even be asked
        if (e) errand_free(e);
        e = run(&s, seconds);
    }
    errand_check_failed(e, SC_FAILURE_TIMEOUT, "deadline");
    errand_free(e);
    scene_close(&s);
}

static void test_nonsense_is_not_believed_and_opens_the_breaker(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, POINT_NOT_JSON);
    s.options.breaker_failures = 1;
    s.options.breaker_pause_s = 3600.0;
    start(&s);
    sc_errand *e = run(&s, 60.0);
    errand_check_failed(e, SC_FAILURE_UNBELIEVABLE, "");
    errand_free(e);
    e = run(&s, 60.0);
    errand_check_failed(e, SC_FAILURE_SUSPENDED, "suspended");
    errand_free(e);
    scene_close(&s);
}

static void test_a_pause_ends_when_the_courier_does(void **state)
{
    (void)state;
    enum { MANY = 5 };
    scene s;
    scene_open(&s, POINT_ERROR);
    start(&s);
    sc_errand *errands[MANY];
    for (size_t i = 0; i < MANY; i++) {
        errands[i] = dispatch(&s, 60.0);
    }
    while (sc_courier_stats_of(s.courier).tries < 3) {
        usleep(1000);
    }
    sc_courier_free(s.courier);
    s.courier = NULL;
    for (size_t i = 0; i < MANY; i++) {
        // The one in hand may have failed just then.
        assert_int_equal(errand_returns(errands[i]), 1);
        if (i > 0) assert_int_equal(errands[i]->failure, SC_FAILURE_STOPPED);
        assert_true(errands[i]->failure == SC_FAILURE_STOPPED ||
                    errands[i]->failure == SC_FAILURE_UNREACHABLE);
        errand_free(errands[i]);
    }
    scene_close(&s);
}

static void test_a_map_without_coordinates_has_no_points(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, POINT_GOOD);
    sketch bare = sketch_grid(SC_COORDS_NONE, 2, 2);
    sc_map *map = sketch_map(&bare);
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_courier_new(map, &s.options, &rng, &s.courier, &diag), SC_EINVAL, &diag,
                  "settings for asking at points are missing");
    make_settings(&s);
    CHECK_REFUSED(sc_courier_new(map, &s.options, &rng, &s.courier, &diag), SC_ENOCOORDS, &diag,
                  "no coordinates");
    sc_map_free(map);
    sketch_free(&bare);
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_answers_from_points_are_exact),
    cmocka_unit_test(test_a_redirect_is_final),
    cmocka_unit_test(test_errors_are_asked_again_a_few_times_only),
    cmocka_unit_test(test_a_provider_that_fails_is_asked_again_until_there_is_no_time),
    cmocka_unit_test(test_a_provider_that_never_answers_is_given_up_at_the_deadline),
    cmocka_unit_test(test_nonsense_is_not_believed_and_opens_the_breaker),
    cmocka_unit_test(test_a_pause_ends_when_the_courier_does),
    cmocka_unit_test(test_a_map_without_coordinates_has_no_points),
};
SC_SUITE(tests)
