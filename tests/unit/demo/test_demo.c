// The demo as a whole, with a real service: what it tells of its travellers is true, and it comes
// to an end in order.
#include "demo/demo.h"

#include <math.h>
#include <pthread.h>

#include "base/clock.h"
#include "read_frames.h"
#include "scene.h"

/** Needs that cannot be met, so that all travellers wait. */
static void let_wait(scene *on)
{
    on->options.workload.k = sc_normal_around(500, 0, 1);
    on->options.workload.max_wait_s = sc_normal_around(600, 0, 1);
}

static bool is_hex(const char *text, size_t size)
{
    return strlen(text) == size && strspn(text, "0123456789abcdef") == size;
}

// --- What is told --------------------------------------------------------------------------------

/** What is known of one query. */
typedef struct seen {
    sc_seg_id segment;
    double max_wait_s;
    unsigned asked;
    unsigned ended;
} seen;

enum { QUERIES = 10000 };

static void take_asked(const scene *on, const json_t *asked, seen *queries)
{
    const json_int_t number = whole_of(asked, "query");
    assert_true(number > 0 && number < QUERIES);
    const json_int_t segment = whole_of(asked, "segment");
    assert_true(segment >= 0 && segment < sc_map_segment_count(on->live.map));
    const json_int_t who = whole_of(asked, "who");
    assert_true(who >= 0 && who < SCENE_TRAVELLERS);
    queries[number].asked++;
    queries[number].segment = (sc_seg_id)segment;
    queries[number].max_wait_s = number_of(asked, "max_wait_s");
}

static void test_each_query_is_asked_once_and_ends_once(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    on.options.objects = on.live.objects;
    scene_open(&on);
    onlooker eye = onlooker_come(&on, "/demo/events");
    scene_start(&on);
    seen *queries = test_take(QUERIES, sizeof(*queries));
    for (int answered = 0; answered < 40;) {
        json_t *event = onlooker_any(&eye);
        if (strcmp(eye.name, "asked") == 0) {
            assert_int_equal(json_object_size(event), 7);
            assert_int_equal(whole_of(event, "k"), 2);
            assert_int_equal(whole_of(event, "l"), 2);
            assert_int_equal(whole_of(event, "max_hops"), 4);
            take_asked(&on, event, queries);
            assert_int_equal(queries[whole_of(event, "query")].asked, 1);
        } else if (strcmp(eye.name, "ended") == 0) {
            seen *query = &queries[whole_of(event, "query")];
            assert_int_equal(query->asked, 1);
            assert_int_equal(query->ended++, 0);
            assert_int_equal(json_object_size(event), 4);
            assert_string_equal(text_of(event, "outcome"), "answered");
            assert_true(is_hex(text_of(event, "cloak"), 16));
            assert_true(number_of(event, "wait_s") <= query->max_wait_s);
            answered++;
        }
        json_decref(event);
    }
    sc_demo_stop(on.demo);
    assert_int_equal(sc_demo_violations(on.demo), 0);
    assert_null(sc_demo_trouble(on.demo));
    free(queries);
    onlooker_leave(&eye);
    scene_close(&on);
}

static void test_positions_lie_within_the_map_and_change(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    scene_start(&on);
    json_t *map = ask_page(&on, "GET", "/v1/map", NULL, 200);
    const json_t *bounds = json_object_get(map, "bounds");
    const double unit = number_of(map, "unit");
    double sides[4];
    for (size_t i = 0; i < 4; i++) {
        sides[i] = json_number_value(json_array_get(bounds, i));
    }
    onlooker eye = onlooker_come(&on, "/demo/events");
    json_t *hello = onlooker_next(&eye, "hello");
    const json_int_t step = whole_of(hello, "step");
    json_decref(hello);
    frame_reader reader = frame_reader_new(SCENE_TRAVELLERS);
    int64_t first[2 * SCENE_TRAVELLERS] = {0};
    double before_s = 0.0;
    size_t moved = 0;
    while (reader.used < 10) {
        json_t *event = onlooker_next(&eye, "positions");
        assert_int_equal(json_object_size(event), 4);
        // Evenly apart, but for those that came too late.
        const double steps = number_of(event, "t") / 0.05;
        CHECK_CLOSE(steps, round(steps), 1e-6);
        assert_true(number_of(event, "t") > before_s);
        before_s = number_of(event, "t");
        const bool is_used = frame_read(&reader, event);
        json_decref(event);
        if (!is_used) continue;  // on its way before the listener was there
        for (size_t j = 0; j < (size_t)2 * SCENE_TRAVELLERS; j++) {
            const double at = (double)(reader.at[j] * step);
            assert_true(at >= 0);
            assert_true(at * unit <= sides[2 + j % 2] - sides[j % 2] + unit * (double)step);
            if (reader.used == 1) first[j] = reader.at[j];
            moved += reader.at[j] != first[j];
        }
    }
    assert_true(reader.passed <= 1);
    assert_true(moved > SCENE_TRAVELLERS);
    frame_reader_free(&reader);
    json_decref(map);
    onlooker_leave(&eye);
    scene_close(&on);
}

// Who listens to both streams finds the cloak of every answer, and the traveller's road in it.
static void test_cloaks_are_those_that_the_service_tells_of(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    onlooker travellers = onlooker_come(&on, "/demo/events");
    onlooker provider = onlooker_come(&on, "/v1/events");
    scene_start(&on);
    seen *queries = test_take(QUERIES, sizeof(*queries));
    json_t *cloaks = json_object();
    for (int answered = 0; answered < 20;) {
        json_t *event = onlooker_any(&travellers);
        if (strcmp(travellers.name, "asked") == 0) {
            take_asked(&on, event, queries);
        } else if (strcmp(travellers.name, "ended") == 0) {
            answered++;
            const char *id = text_of(event, "cloak");
            while (!json_object_get(cloaks, id)) {
                json_t *cloak = onlooker_next(&provider, "cloak");
                json_object_set(cloaks, text_of(cloak, "id"), json_object_get(cloak, "segments"));
                json_decref(cloak);
            }
            bool is_inside = false;
            size_t i;
            json_t *segment;
            json_array_foreach(json_object_get(cloaks, id), i, segment)
            {
                is_inside = is_inside || json_integer_value(segment) ==
                                             queries[whole_of(event, "query")].segment;
            }
            assert_true(is_inside);
        }
        json_decref(event);
    }
    json_decref(cloaks);
    free(queries);
    onlooker_leave(&travellers);
    onlooker_leave(&provider);
    scene_close(&on);
}

// --- Coming to an end ----------------------------------------------------------------------------

static void test_those_who_wait_when_it_ends_leave(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    let_wait(&on);
    scene_open(&on);
    scene_start(&on);
    // Once all wait, a newcomer is told of all.
    onlooker first = onlooker_come(&on, "/demo/events");
    for (int i = 0; i < SCENE_TRAVELLERS; i++) {
        json_decref(onlooker_next(&first, "asked"));
    }
    onlooker second = onlooker_come(&on, "/demo/events");
    json_t *pending = onlooker_next(&second, "pending");
    assert_int_equal(json_array_size(json_object_get(pending, "queries")), SCENE_TRAVELLERS);
    json_decref(pending);

    sc_demo_stop(on.demo);
    for (int i = 0; i < SCENE_TRAVELLERS; i++) {
        json_t *ended = onlooker_next(&second, "ended");
        assert_string_equal(text_of(ended, "outcome"), "left");
        assert_null(json_object_get(ended, "cloak"));
        json_decref(ended);
    }
    assert_int_equal(sc_demo_violations(on.demo), 0);
    assert_null(sc_demo_trouble(on.demo));
    onlooker third = onlooker_come(&on, "/demo/events");
    pending = onlooker_next(&third, "pending");
    assert_int_equal(json_array_size(json_object_get(pending, "queries")), 0);
    json_decref(pending);
    onlooker_leave(&first);
    onlooker_leave(&second);
    onlooker_leave(&third);
    scene_close(&on);
}

static void *drain(void *context)
{
    const scene *on = context;
    assert_int_equal(sc_service_drain(on->live.service, 0.0, 60.0), 0);
    return NULL;
}

static void test_streams_end_when_the_service_drains(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    scene_start(&on);
    onlooker eye = onlooker_come(&on, "/demo/events");
    sc_demo_stop(on.demo);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, drain, &on), 0);
    web_stream_await_end(eye.fd, &eye.received);
    onlooker_leave(&eye);
    pthread_join(thread, NULL);
    scene_close(&on);
}

static void test_it_can_be_given_up_at_any_stage(void **state)
{
    (void)state;
    sc_demo_free(NULL);
    scene on;
    scene_prepare(&on);
    CHECK_OK(sc_demo_new(on.live.map, &on.options, &on.demo, NULL), NULL);
    assert_int_equal(sc_demo_violations(on.demo), 0);
    scene_close(&on);

    scene_prepare(&on);
    scene_open(&on);
    scene_close(&on);

    scene_prepare(&on);
    scene_open(&on);
    scene_start(&on);
    sc_demo_stop(on.demo);
    sc_demo_stop(on.demo);
    assert_int_equal(sc_demo_violations(on.demo), 0);
    scene_close(&on);
}

// --- Trouble -------------------------------------------------------------------------------------

static void test_travellers_who_give_up_say_why_and_are_still_seen(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    onlooker eye = onlooker_come(&on, "/demo/events");
    sc_diag diag = {""};
    CHECK_OK(sc_demo_start(on.demo, "gopher://nowhere", &diag), &diag);
    const int64_t until_us = sc_clock_us() + 60000000;
    while (!sc_demo_trouble(on.demo) && sc_clock_us() < until_us) {
        usleep(1000);
    }
    assert_non_null(sc_demo_trouble(on.demo));
    CHECK_CONTAINS(sc_demo_trouble(on.demo), "gopher");
    json_decref(onlooker_next(&eye, "positions"));
    onlooker_leave(&eye);
    scene_close(&on);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_query_is_asked_once_and_ends_once),
    cmocka_unit_test(test_positions_lie_within_the_map_and_change),
    cmocka_unit_test(test_cloaks_are_those_that_the_service_tells_of),
    cmocka_unit_test(test_those_who_wait_when_it_ends_leave),
    cmocka_unit_test(test_streams_end_when_the_service_drains),
    cmocka_unit_test(test_it_can_be_given_up_at_any_stage),
    cmocka_unit_test(test_travellers_who_give_up_say_why_and_are_still_seen),
};
SC_SUITE(tests)
