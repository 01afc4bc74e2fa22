// A provider that knows areas, behind a courier: exact answers, several threads, its failures.
#include <pthread.h>

#include <starcloak/lbs.h>

#include "base/clock.h"
#include "courier/courier.h"
#include "support/area_server.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/sketch.h"

#include <math.h>

#define MORE "[tiles]\nsnap = 30\nsize = 60\n[limits]\nmax-questions = 10000\n"

/** A town, a server of areas, and a courier. */
typedef struct scene {
    sketch drawing;
    sc_map *map;
    sc_rng rng;
    area_world world;
    area_server *server;
    sc_area_settings *settings;
    sc_lbs *lbs;
    errand_box box;
    sc_courier *courier;
} scene;

static void open_scene(scene *s, area_mode mode, const char *more)
{
    sc_diag diag = {""};
    sc_rng rng;
    const sc_lbs_options lbs = sc_lbs_options_default();
    *s = (scene){.drawing = sketch_grid(SC_COORDS_PLANAR, 5, 5)};
    sc_rng_seed(&s->rng, 1);
    sc_rng_seed(&rng, 7);
    s->map = sketch_map(&s->drawing);
    s->world = area_world_new(s->map, 60, 30, &s->rng);
    s->server = area_server_start(&s->world, mode);
    s->settings = area_server_settings(s->server, more);
    CHECK_OK(sc_lbs_new(s->map, &lbs, &s->lbs, &diag), &diag);
    errand_box_init(&s->box);
    sc_courier_options options = sc_courier_options_default();
    options.kind = SC_COURIER_AREAS;
    options.areas = s->settings;
    options.threads = 4;
    options.back = errand_box_back;
    options.context = &s->box;
    CHECK_OK(sc_courier_new(s->map, &options, &rng, &s->courier, &diag), &diag);
}

static void close_scene(scene *s)
{
    sc_courier_free(s->courier);
    area_server_stop(s->server);
    sc_area_settings_free(s->settings);
    sc_lbs_free(s->lbs);
    errand_box_fini(&s->box);
    area_world_free(&s->world);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

static sc_errand *dispatch(scene *s, double seconds)
{
    sc_errand *e = errand_new(s->map, sc_courier_vocabulary(s->courier)->count, &s->rng, 3);
    e->deadline_us = sc_clock_us() + (int64_t)(seconds * 1e6);
    e->leave_by_us = e->deadline_us;
    CHECK_OK(sc_courier_send(s->courier, e), NULL);
    return e;
}

// The same request in the words of the set of all objects; false: it has none of them.
static bool in_words(const scene *s, const sc_request *request, sc_request *out)
{
    const sc_vocabulary *from = sc_courier_vocabulary(s->courier);
    *out = *request;
    out->category_count = 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        const sc_category_id c = sc_vocabulary_find(sc_objects_vocabulary(s->world.objects),
                                                    from->names[request->categories[i]]);
        if (c != SC_NONE) out->categories[out->category_count++] = c;
    }
    const bool has_some = request->category_count == 0 || out->category_count > 0;
    *out = sc_request_normalise(out);
    return has_some;
}

static void check_errand(scene *s, const sc_errand *e)
{
    assert_int_equal(e->failure, SC_FAILURE_NONE);
    for (size_t i = 0; i < e->place_count; i++) {
        const sc_answer_place *place = &e->places[i];
        const sc_near *wanted = NULL;
        size_t count = 0;
        sc_request request;
        sc_diag diag = {""};
        if (in_words(s, &e->relay->requests[place->request], &request)) {
            const sc_near_query query = {place->at, &request};
            CHECK_OK(sc_lbs_nearest(s->lbs, s->world.objects, &query, &wanted, &count, &diag),
                     &diag);
        }
        assert_int_equal(place->answer->count, count);
        for (size_t o = 0; o < count; o++) {
            CHECK_CLOSE(request.metric == SC_METRIC_TIME ? place->answer->found[o].duration_s
                                                         : place->answer->found[o].distance_m,
                        sc_near_cost(&wanted[o], request.metric), 1e-3);
        }
    }
}

static void test_answers_are_exact_from_several_threads(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    scene s;
    sc_errand *errands[COUNT];
    open_scene(&s, AREA_GOOD, MORE);
    for (size_t i = 0; i < COUNT; i++) {
        errands[i] = dispatch(&s, 60);
    }
    errand_box_await(&s.box, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        check_errand(&s, errands[i]);
        errand_free(errands[i]);
    }
    sc_area_status areas;
    assert_true(sc_courier_areas(s.courier, &areas));
    assert_true(areas.found > 0);
    // A tile is fetched once, whoever needs it.
    const sc_courier_stats stats = sc_courier_stats_of(s.courier);
    assert_int_equal(stats.tries, area_server_count(s.server));
    assert_int_equal(areas.questions, area_server_count(s.server));
    assert_true(stats.bytes_in > 0 && stats.bytes_out > 0);
    close_scene(&s);
}

static void test_failures_say_what_they_are(void **state)
{
    (void)state;
    static const struct {
        area_mode mode;
        double seconds;
        sc_failure failure;
        const char *why;
    } cases[] = {
        {AREA_NOT_JSON, 60, SC_FAILURE_UNBELIEVABLE, "not JSON"},
        {AREA_REDIRECT, 60, SC_FAILURE_REFUSED, "redirect"},
        {AREA_SLOW, 0.3, SC_FAILURE_TIMEOUT, "did not answer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s;
        open_scene(&s, cases[i].mode, MORE);
        sc_errand *e = dispatch(&s, cases[i].seconds);
        errand_box_await(&s.box, 1);
        assert_int_equal(e->failure, cases[i].failure);
        CHECK_CONTAINS(e->diag.message, cases[i].why);
        errand_free(e);
        close_scene(&s);
    }
}

static void test_settings_are_needed_and_a_thread(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 2, 2);
    sc_map *map = sketch_map(&drawing);
    sc_rng rng;
    sc_courier *courier = NULL;
    sc_diag diag = {""};
    sc_rng_seed(&rng, 1);
    sc_courier_options options = sc_courier_options_default();
    options.kind = SC_COURIER_AREAS;
    options.back = errand_box_back;
    CHECK_REFUSED(sc_courier_new(map, &options, &rng, &courier, &diag), SC_EINVAL, &diag,
                  "settings for asking for areas");
    options.threads = 0;
    CHECK_REFUSED(sc_courier_new(map, &options, &rng, &courier, &diag), SC_EINVAL, &diag,
                  "provider-threads must be 1 to 64");
    sc_map_free(map);
    sketch_free(&drawing);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_answers_are_exact_from_several_threads),
    cmocka_unit_test(test_failures_say_what_they_are),
    cmocka_unit_test(test_settings_are_needed_and_a_thread),
};
SC_SUITE(tests)
