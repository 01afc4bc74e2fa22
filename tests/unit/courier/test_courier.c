// A courier and its threads: exact answers for everyone, from any provider, and every errand back
// once.
#include "courier/courier.h"

#include <pthread.h>

#include "base/clock.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/odd_town.h"
#include "support/rough_provider.h"
#include "support/sketch.h"

#include <math.h>
#include <unistd.h>

enum { ERRANDS = 12, SEATS = 5 };

static sc_courier *start(const sc_map *map, const sc_courier_options *options)
{
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_courier *courier = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_courier_new(map, options, &rng, &courier, &diag), &diag);
    return courier;
}

static void check_errands(odd_town *town, const sc_courier_options *given)
{
    sc_courier_options options = *given;
    errand_box box;
    errand_box_init(&box);
    options.back = errand_box_back;
    options.context = &box;
    sc_courier *courier = start(town->map, &options);
    turner turns = {.courier = NULL};
    turner_start(&turns, courier);
    const uint32_t words = sc_courier_vocabulary(courier)->count;
    sc_errand *errands[ERRANDS];
    for (size_t i = 0; i < ERRANDS; i++) {
        errands[i] = errand_new(town->map, words, &town->rng, 1 + i % SEATS);
        CHECK_OK(sc_courier_send(courier, errands[i]), NULL);
    }
    errand_box_await(&box, ERRANDS);
    const sc_courier_stats stats = sc_courier_stats_of(courier);
    assert_int_equal(stats.under_way, 0);
    assert_int_equal(stats.sent, ERRANDS);
    assert_int_equal(stats.tries, ERRANDS);
    for (size_t i = 0; i < ERRANDS; i++) {
        errand_check(errands[i], town->objects, &town->slow);
        errand_free(errands[i]);
    }
    uint64_t counted = 0;
    const sc_histogram *latency = sc_courier_latency(courier);
    for (size_t i = 0; i <= latency->bound_count; i++) {
        counted += atomic_load(&latency->counts[i]);
    }
    assert_int_equal(counted, ERRANDS);
    turner_stop(&turns);
    sc_courier_free(courier);
    errand_box_fini(&box);
}

// --- Exact answers --------------------------------------------------------------------------

static void test_answers_of_the_built_in_provider_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 48; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        if (seed % 2) odd_town_index(&town);
        sc_courier_options options = sc_courier_options_default();
        options.objects = town.objects;
        options.threads = (unsigned)seed % 4;
        check_errands(&town, &options);
        odd_town_free(&town);
    }
    check_case_done();
}

static void check_over_http(odd_town *town, sc_encoding encoding, unsigned threads)
{
    rough_provider *provider = rough_provider_new(town->objects, encoding);
    rough_provider_up(provider);
    sc_courier_options options = sc_courier_options_default();
    options.kind = SC_COURIER_HTTP;
    options.url = rough_provider_url(provider);
    options.encoding = encoding;
    options.threads = threads;
    options.connections = 3;
    check_errands(town, &options);
    assert_int_equal(rough_provider_count(provider), ERRANDS);
    assert_true(rough_provider_connections(provider) <= 3);
    assert_true(rough_provider_most(provider) <= 3);
    rough_provider_free(provider);
}

static void test_answers_over_http_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        check_over_http(&town, SC_ENCODING_COMPACT, (unsigned)seed % 4);
        odd_town_free(&town);
    }
    check_case_done();
}

static void test_answers_over_http_as_geojson_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        check_case(seed);
        odd_town town = odd_town_drawn(seed);
        town.slow.tolerance = 4 * SLOW_PARTS;  // positions are told to the centimetre
        check_over_http(&town, SC_ENCODING_GEOJSON, 2);
        odd_town_free(&town);
    }
    check_case_done();
}

// --- Words ----------------------------------------------------------------------------------

static void test_the_vocabulary_is_the_maps_then_that_of_the_objects_then_more(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 2, 3);
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, "cafe", "x");
    sc_map *map = finish_builder(builder);
    sc_objects_builder *set = NULL;
    sc_objects *objects = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_objects_builder_new(map, &set), NULL);
    CHECK_OK(sc_objects_builder_add(
                 set,
                 &(sc_object_row){
                     .edge = 1, .offset_m = 0.0, .key = "k", .category = "fuel", .name = "y"},
                 &diag),
             &diag);
    CHECK_OK(sc_objects_builder_finish(set, &objects), NULL);
    sc_objects_builder_free(set);

    errand_box box;
    errand_box_init(&box);
    sc_courier_options options = sc_courier_options_default();
    const char *const more[] = {"fuel", "zoo", "cafe"};
    options.objects = objects;
    options.more_categories = more;
    options.more_category_count = 3;
    options.back = errand_box_back;
    options.context = &box;
    sc_courier *courier = start(map, &options);
    const sc_vocabulary *words = sc_courier_vocabulary(courier);
    assert_int_equal(words->count, 3);
    assert_string_equal(words->names[0], "cafe");
    assert_string_equal(words->names[1], "fuel");
    assert_string_equal(words->names[2], "zoo");
    sc_courier_free(courier);
    errand_box_fini(&box);
    sc_objects_release(objects);
    sc_map_free(map);
    sketch_free(&s);
}

// --- Full, late, over -----------------------------------------------------------------------

/** A town and a courier whose provider is built in. */
typedef struct scene {
    odd_town town;
    errand_box box;
    sc_courier_options options;
    sc_courier *courier;
} scene;

static void scene_open(scene *s)
{
    s->town = odd_town_new(5);
    errand_box_init(&s->box);
    s->options = sc_courier_options_default();
    s->options.objects = s->town.objects;
    s->options.back = errand_box_back;
    s->options.context = &s->box;
}

static void scene_close(scene *s)
{
    sc_courier_free(s->courier);
    errand_box_fini(&s->box);
    odd_town_free(&s->town);
}

static sc_errand *scene_errand(scene *s)
{
    return errand_new(s->town.map, sc_map_category_count(s->town.map), &s->town.rng, SEATS);
}

static void test_an_errand_whose_deadline_has_passed_fails_and_is_not_asked(void **state)
{
    (void)state;
    scene s = {.courier = NULL};
    scene_open(&s);
    s.courier = start(s.town.map, &s.options);
    sc_errand *late = scene_errand(&s);
    late->deadline_us = sc_clock_us() - 1;
    CHECK_OK(sc_courier_send(s.courier, late), NULL);
    errand_box_await(&s.box, 1);
    errand_check_failed(late, SC_FAILURE_UNSENT, "deadline");
    const sc_courier_stats stats = sc_courier_stats_of(s.courier);
    assert_int_equal(stats.tries, 0);
    assert_int_equal(stats.failed[SC_FAILURE_UNSENT], 1);
    errand_free(late);
    scene_close(&s);
}

static void test_a_place_that_the_cloak_does_not_have_fails_without_naming_it(void **state)
{
    (void)state;
    scene s = {.courier = NULL};
    scene_open(&s);
    s.courier = start(s.town.map, &s.options);
    sc_errand *lost = scene_errand(&s);
    sc_errand *wrong = scene_errand(&s);
    lost->places[SEATS - 1].at.offset_m = 1e9;
    wrong->places[0].request = (uint32_t)wrong->relay->request_count;
    CHECK_OK(sc_courier_send(s.courier, lost), NULL);
    CHECK_OK(sc_courier_send(s.courier, wrong), NULL);
    errand_box_await(&s.box, 2);
    errand_check_failed(lost, SC_FAILURE_REFUSED,
                        "a position or a request that does not belong to the cloak");
    errand_check_failed(wrong, SC_FAILURE_REFUSED,
                        "a position or a request that does not belong to the cloak");
    errand_free(lost);
    errand_free(wrong);
    scene_close(&s);
}

/** A back that waits to be let go. */
typedef struct held_box {
    errand_box box;
    pthread_mutex_t lock;
} held_box;

static void hold_back(void *context, sc_errand *errand)
{
    held_box *held = context;
    pthread_mutex_lock(&held->lock);
    pthread_mutex_unlock(&held->lock);
    errand_box_back(&held->box, errand);
}

static void test_more_errands_than_allowed_are_refused_at_once(void **state)
{
    (void)state;
    scene s = {.courier = NULL};
    scene_open(&s);
    held_box held;
    errand_box_init(&held.box);
    pthread_mutex_init(&held.lock, NULL);
    s.options.back = hold_back;
    s.options.context = &held;
    s.options.max_errands = 3;
    s.courier = start(s.town.map, &s.options);
    sc_errand *errands[8];
    for (size_t i = 0; i < 8; i++) {
        errands[i] = scene_errand(&s);
    }
    // When an errand's return is reported, its room is free again: the first one is on its way
    // to us, and does not count any more.
    pthread_mutex_lock(&held.lock);
    CHECK_OK(sc_courier_send(s.courier, errands[0]), NULL);
    while (sc_courier_stats_of(s.courier).under_way > 0) {
        usleep(1000);
    }
    for (size_t i = 1; i < 4; i++) {
        CHECK_OK(sc_courier_send(s.courier, errands[i]), NULL);
    }
    assert_int_equal(sc_courier_send(s.courier, errands[4]), SC_EBUSY);
    assert_int_equal(sc_courier_send(s.courier, errands[5]), SC_EBUSY);
    assert_int_equal(sc_courier_stats_of(s.courier).under_way, 3);
    pthread_mutex_unlock(&held.lock);
    errand_box_await(&held.box, 4);
    CHECK_OK(sc_courier_send(s.courier, errands[4]), NULL);
    errand_box_await(&held.box, 5);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(errand_returns(errands[i]), i < 5);
        errand_free(errands[i]);
    }
    scene_close(&s);
    pthread_mutex_destroy(&held.lock);
    errand_box_fini(&held.box);
}

static void test_what_is_under_way_when_a_courier_ends_comes_back_once(void **state)
{
    (void)state;
    enum { MANY = 200 };
    for (unsigned threads = 0; threads <= 4; threads += 2) {
        scene s = {.courier = NULL};
        scene_open(&s);
        s.options.threads = threads;
        s.courier = start(s.town.map, &s.options);
        sc_errand *errands[MANY];
        for (size_t i = 0; i < MANY; i++) {
            errands[i] = scene_errand(&s);
        }
        for (size_t i = 0; i < MANY; i++) {
            CHECK_OK(sc_courier_send(s.courier, errands[i]), NULL);
        }
        sc_courier_free(s.courier);
        s.courier = NULL;
        assert_int_equal(errand_box_count(&s.box), MANY);
        for (size_t i = 0; i < MANY; i++) {
            assert_int_equal(errand_returns(errands[i]), 1);
            assert_true(errands[i]->failure == SC_FAILURE_NONE ||
                        errands[i]->failure == SC_FAILURE_STOPPED);
            if (errands[i]->failure) assert_null(errands[i]->places[0].answer);
            errand_free(errands[i]);
        }
        scene_close(&s);
    }
}

static void test_a_turn_begins_with_nothing_after_its_time(void **state)
{
    (void)state;
    enum { MANY = 20 };
    scene s = {.courier = NULL};
    scene_open(&s);
    s.options.threads = 0;
    s.courier = start(s.town.map, &s.options);
    assert_true(sc_courier_is_in_place(s.courier));
    assert_false(sc_courier_turn(s.courier, INT64_MAX));
    sc_errand *errands[MANY];
    for (size_t i = 0; i < MANY; i++) {
        errands[i] = scene_errand(&s);
        CHECK_OK(sc_courier_send(s.courier, errands[i]), NULL);
    }
    // One moment is too short for all of them, and none at all for one.
    assert_true(sc_courier_turn(s.courier, sc_clock_us()));
    assert_int_equal(errand_box_count(&s.box), 0);
    while (sc_courier_turn(s.courier, sc_clock_us() + 1)) {
    }
    assert_int_equal(errand_box_count(&s.box), MANY);
    for (size_t i = 0; i < MANY; i++) {
        errand_check(errands[i], s.town.objects, &s.town.slow);
        errand_free(errands[i]);
    }
    scene_close(&s);
}

/** A thread that sends errands one after the other, and again when they come back. */
typedef struct sender {
    sc_courier *courier;
    sc_errand **errands;
    size_t count;
    pthread_t thread;
} sender;

static void *send_all(void *context)
{
    sender *who = context;
    for (size_t i = 0; i < who->count; i++) {
        while (sc_courier_send(who->courier, who->errands[i])) {
            usleep(100);
        }
    }
    return NULL;
}

static void test_any_thread_may_send_and_all_provider_threads_answer(void **state)
{
    (void)state;
    enum { SENDERS = 3, EACH = 100 };
    scene s = {.courier = NULL};
    scene_open(&s);
    s.options.threads = 3;
    s.options.max_errands = 16;
    s.courier = start(s.town.map, &s.options);
    sender senders[SENDERS];
    for (size_t t = 0; t < SENDERS; t++) {
        senders[t] = (sender){
            .courier = s.courier, .errands = test_take(EACH, sizeof(sc_errand *)), .count = EACH};
        for (size_t i = 0; i < EACH; i++) {
            senders[t].errands[i] = scene_errand(&s);
        }
    }
    for (size_t t = 0; t < SENDERS; t++) {
        assert_int_equal(pthread_create(&senders[t].thread, NULL, send_all, &senders[t]), 0);
    }
    errand_box_await(&s.box, (size_t)SENDERS * EACH);
    for (size_t t = 0; t < SENDERS; t++) {
        pthread_join(senders[t].thread, NULL);
        for (size_t i = 0; i < EACH; i++) {
            errand_check(senders[t].errands[i], s.town.objects, &s.town.slow);
            errand_free(senders[t].errands[i]);
        }
        free(senders[t].errands);
    }
    scene_close(&s);
}

// --- Options --------------------------------------------------------------------------------

static void check_refused(const sc_map *map, const sc_courier_options *options, sc_err wanted,
                          const char *part)
{
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_courier *courier = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_courier_new(map, options, &rng, &courier, &diag), wanted, &diag, part);
    assert_null(courier);
}

static void test_options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    scene s = {.courier = NULL};
    scene_open(&s);
    odd_town other = odd_town_new(6);
    const sc_map *map = s.town.map;
    sc_courier_options o = s.options;
    o.kind = SC_COURIER_POINTS;
    o.threads = 0;
    check_refused(map, &o, SC_EINVAL, "provider-threads");
    o = s.options;
    o.threads = 65;
    check_refused(map, &o, SC_EINVAL, "provider-threads");
    o = s.options;
    o.max_errands = 0;
    check_refused(map, &o, SC_EINVAL, "errand");
    o = s.options;
    o.objects = NULL;
    check_refused(map, &o, SC_EINVAL, "objects");
    o.objects = other.objects;
    check_refused(map, &o, SC_EINVAL, "objects");
    o = s.options;
    o.filter.slack = 2.0;
    check_refused(map, &o, SC_EINVAL, "slack");
    o = s.options;
    o.breaker_pause_s = NOT_A_NUMBER;
    check_refused(map, &o, SC_EINVAL, "suspended");
    o = s.options;
    o.kind = SC_COURIER_POINTS;
    check_refused(map, &o, SC_EINVAL, "points");
    odd_town_free(&other);
    scene_close(&s);
}

static void test_an_address_that_is_none_is_refused_and_not_repeated(void **state)
{
    (void)state;
    scene s = {.courier = NULL};
    scene_open(&s);
    s.options.kind = SC_COURIER_HTTP;
    const char *const bad[] = {NULL, "", "nowhere", "ftp://user:secret@h/", "http://:secret@",
                               "://"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        s.options.url = bad[i];
        sc_rng rng;
        sc_rng_seed(&rng, 7);
        sc_diag diag = {""};
        const sc_err err = sc_courier_new(s.town.map, &s.options, &rng, &s.courier, &diag);
        CHECK_REFUSED(err, SC_EINVAL, &diag, "the provider's URL is not valid");
        assert_null(strstr(diag.message, "secret"));
    }
    s.options.url = "http://127.0.0.1:9/";
    s.options.connections = 0;
    check_refused(s.town.map, &s.options, SC_EINVAL, "connections");
    s.options.connections = 1;
    s.options.try_timeout_s = 0.0;
    check_refused(s.town.map, &s.options, SC_EINVAL, "one try");
    s.options.try_timeout_s = 1.0;
    s.options.ca = "/nowhere/ca.pem";
    check_refused(s.town.map, &s.options, SC_EIO, "/nowhere/ca.pem");
    s.options.ca = "/dev/null";
    s.options.certificate = "/dev/null";
    check_refused(s.town.map, &s.options, SC_EINVAL, "give both");
    scene_close(&s);
}

static void test_every_failure_has_a_name_of_its_own(void **state)
{
    (void)state;
    assert_string_equal(sc_failure_name(SC_FAILURE_TIMEOUT), "provider_timeout");
    assert_string_equal(sc_failure_name(SC_FAILURE_COUNT), "unknown");
    for (int a = 0; a < SC_FAILURE_COUNT; a++) {
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(sc_failure_name((sc_failure)a), sc_failure_name((sc_failure)b));
        }
    }
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_answers_of_the_built_in_provider_are_exact),
    SC_CASES(test_answers_over_http_are_exact),
    SC_CASES(test_answers_over_http_as_geojson_are_exact),
    cmocka_unit_test(test_the_vocabulary_is_the_maps_then_that_of_the_objects_then_more),
    cmocka_unit_test(test_an_errand_whose_deadline_has_passed_fails_and_is_not_asked),
    cmocka_unit_test(test_a_place_that_the_cloak_does_not_have_fails_without_naming_it),
    cmocka_unit_test(test_more_errands_than_allowed_are_refused_at_once),
    cmocka_unit_test(test_what_is_under_way_when_a_courier_ends_comes_back_once),
    cmocka_unit_test(test_a_turn_begins_with_nothing_after_its_time),
    cmocka_unit_test(test_any_thread_may_send_and_all_provider_threads_answer),
    cmocka_unit_test(test_options_that_make_no_sense_are_refused),
    cmocka_unit_test(test_an_address_that_is_none_is_refused_and_not_repeated),
    cmocka_unit_test(test_every_failure_has_a_name_of_its_own),
};
SC_SUITE(tests)
