// The demo's pages, as docs/ui.md shows them, on a real service.
#include <pthread.h>
#include <sys/socket.h>

#include "scene.h"

static bool is_hex(const char *text, size_t size)
{
    return strlen(text) == size && strspn(text, "0123456789abcdef") == size;
}

// --- /demo/about ---------------------------------------------------------------------------------

static void test_everybody_who_looks_gets_a_token_of_their_own(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    char users[2][32];
    for (size_t i = 0; i < 2; i++) {
        json_t *about = ask_page(&on, "GET", "/demo/about", NULL, 200);
        assert_int_equal(json_object_size(about), 5);
        snprintf(users[i], sizeof(users[i]), "%s", text_of(about, "user"));
        assert_int_equal(strncmp(users[i], "guest-", 6), 0);
        assert_true(is_hex(users[i] + 6, 8));
        assert_int_equal(whole_of(about, "travellers"), SCENE_TRAVELLERS);
        assert_string_equal(text_of(about, "engine"), "basic");
        char *engines = json_dumps(json_object_get(about, "engines"), JSON_COMPACT);
        assert_string_equal(engines, "[\"basic\",\"bounded\",\"hybrid\"]");
        free(engines);
        // The token is one of the service's.
        char headers[512];
        snprintf(headers, sizeof(headers), "Authorization: Bearer %s\r\n", text_of(about, "token"));
        web_reply reply = web_ask(live_service_address(&on.live), "POST", "/v1/queries", headers,
                                  "{\"position\":{\"edge\":3,\"offset_m\":1},"
                                  "\"profile\":{\"k\":1,\"l\":1,\"max_hops\":2,\"max_wait_s\":5},"
                                  "\"request\":{\"type\":\"knn\",\"k\":1}}");
        assert_int_equal(reply.status, 200);
        CHECK_CONTAINS(reply.body, "\"answered\"");
        web_reply_free(&reply);
        json_decref(about);
    }
    assert_string_not_equal(users[0], users[1]);
    scene_close(&on);
}

// --- /demo/events --------------------------------------------------------------------------------

static void test_a_newcomer_is_greeted_before_all_else(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    onlooker eye = onlooker_come(&on, "/demo/events");
    json_t *hello = onlooker_any(&eye);
    assert_string_equal(eye.name, "hello");
    assert_int_equal(json_object_size(hello), 5);
    CHECK_SAME(number_of(hello, "t"), 0.0);  // no traveller has set out
    assert_int_equal(whole_of(hello, "travellers"), SCENE_TRAVELLERS);
    CHECK_SAME(number_of(hello, "every_s"), 0.05);
    assert_true(whole_of(hello, "step") >= 1);
    assert_string_equal(text_of(hello, "engine"), "basic");
    json_decref(hello);
    json_t *pending = onlooker_any(&eye);
    assert_string_equal(eye.name, "pending");
    assert_int_equal(json_object_size(pending), 1);
    assert_int_equal(json_array_size(json_object_get(pending, "queries")), 0);
    json_decref(pending);
    onlooker_leave(&eye);
    scene_close(&on);
}

static void test_no_more_than_so_many_are_told(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    on.options.max_listeners = 1;
    scene_open(&on);
    onlooker eye = onlooker_come(&on, "/demo/events");
    json_t *problem = ask_page(&on, "GET", "/demo/events", NULL, 503);
    CHECK_CONTAINS(text_of(problem, "type"), "overloaded");
    json_decref(problem);
    onlooker_leave(&eye);
    scene_close(&on);
}

// --- /demo/engine --------------------------------------------------------------------------------

static void check_refused(const scene *on, const char *body, int status, const char *part)
{
    web_reply reply = web_ask(live_service_address(&on->live), "POST", "/demo/engine", "", body);
    assert_int_equal(reply.status, status);
    assert_string_equal(web_header(&reply, "Content-Type"), "application/problem+json");
    CHECK_CONTAINS(reply.body, part);
    web_reply_free(&reply);
}

static void test_another_engine_is_told_to_everybody(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    scene_start(&on);
    onlooker eyes[2];
    for (size_t i = 0; i < 2; i++) {
        eyes[i] = onlooker_come(&on, "/demo/events");
        json_decref(onlooker_next(&eyes[i], "hello"));
    }
    static const char *const engines[] = {"hybrid", "bounded", "basic"};
    for (size_t i = 0; i < 3; i++) {
        char body[64];
        snprintf(body, sizeof(body), "{\"engine\":\"%s\"}", engines[i]);
        json_t *reply = ask_page(&on, "POST", "/demo/engine", body, 200);
        assert_string_equal(text_of(reply, "engine"), engines[i]);
        json_decref(reply);
        json_t *about = ask_page(&on, "GET", "/demo/about", NULL, 200);
        assert_string_equal(text_of(about, "engine"), engines[i]);
        json_decref(about);
        for (size_t j = 0; j < 2; j++) {
            json_t *hello = onlooker_next(&eyes[j], "hello");
            assert_string_equal(text_of(hello, "engine"), engines[i]);
            assert_true(number_of(hello, "t") > 0);
            json_decref(hello);
            // And those who ask are answered as before.
            json_decref(onlooker_next(&eyes[j], "ended"));
        }
    }
    sc_demo_stop(on.demo);
    assert_int_equal(sc_demo_violations(on.demo), 0);
    onlooker_leave(&eyes[0]);
    onlooker_leave(&eyes[1]);
    scene_close(&on);
}

static void test_what_is_no_wish_for_an_engine_is_refused(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    check_refused(&on, "{\"engine\":\"xstar\"}", 400, "it must be one of basic, bounded, hybrid");
    check_refused(&on, "{\"engine\":1}", 400, "/engine");
    check_refused(&on, "{}", 400, "/engine");
    check_refused(&on, "{\"motor\":\"basic\"}", 400, "motor");
    check_refused(&on, "{\"engine\":\"hybrid\"} x", 400, "body");
    check_refused(&on, "hybrid", 400, "body");
    // What another web page could have a browser send.
    const int fd = web_connect(live_service_address(&on.live));
    web_send(fd, "POST", "/demo/engine",
             "Connection: close\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n", NULL);
    assert_int_equal(send(fd, "{}", 2, MSG_NOSIGNAL), 2);
    web_reply reply = web_receive(fd);
    assert_int_equal(reply.status, 415);
    web_reply_free(&reply);
    close(fd);
    // Nothing has changed by that.
    json_t *about = ask_page(&on, "GET", "/demo/about", NULL, 200);
    assert_string_equal(text_of(about, "engine"), "basic");
    json_decref(about);
    scene_close(&on);
}

static void test_a_method_that_cannot_be_exchanged_stays(void **state)
{
    (void)state;
    static const sc_variant variants[] = {SC_VARIANT_XSTAR, SC_VARIANT_SAMPLING,
                                          SC_VARIANT_EXPANSION, SC_VARIANT_PATIENT};
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        const char *name = sc_variant_name(variants[i]);
        scene on;
        scene_prepare(&on);
        on.live.options.ledger.engine.variant = variants[i];
        scene_open(&on);
        check_refused(&on, "{\"engine\":\"hybrid\"}", 400, "cannot be switched");
        // All pages call it by its name, and offer no other.
        json_t *about = ask_page(&on, "GET", "/demo/about", NULL, 200);
        assert_string_equal(text_of(about, "engine"), name);
        const json_t *engines = json_object_get(about, "engines");
        assert_int_equal(json_array_size(engines), 1);
        assert_string_equal(json_string_value(json_array_get(engines, 0)), name);
        json_decref(about);
        about = ask_page(&on, "GET", "/v1/about", NULL, 200);
        assert_string_equal(text_of(about, "engine"), name);
        json_decref(about);
        onlooker eye = onlooker_come(&on, "/demo/events");
        json_t *hello = onlooker_next(&eye, "hello");
        assert_string_equal(text_of(hello, "engine"), name);
        json_decref(hello);
        onlooker_leave(&eye);
        scene_close(&on);
    }
}

// --- Options -------------------------------------------------------------------------------------

static void test_options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    sc_diag diag = {""};
    sc_demo_options options = on.options;
    options.travellers = 0;
    CHECK_REFUSED(sc_demo_new(on.live.map, &options, &on.demo, &diag), SC_EINVAL, &diag,
                  "the number of travellers must be 1 to 15000");
    options.travellers = SC_DEMO_TRAVELLERS_MAX + 1;
    CHECK_REFUSED(sc_demo_new(on.live.map, &options, &on.demo, &diag), SC_EINVAL, &diag,
                  "the number of travellers must be 1 to 15000");
    options = on.options;
    options.every_s = NOT_A_NUMBER;
    CHECK_REFUSED(sc_demo_new(on.live.map, &options, &on.demo, &diag), SC_EINVAL, &diag,
                  "must be 0.02 to 60 s");
    options = on.options;
    options.workload.k.max = 0;
    CHECK_REFUSED(sc_demo_new(on.live.map, &options, &on.demo, &diag), SC_EINVAL, &diag,
                  "is not valid: k");
    sc_map *plain = full_map(SC_COORDS_NONE);
    CHECK_REFUSED(sc_demo_new(plain, &on.options, &on.demo, &diag), SC_ENOCOORDS, &diag,
                  "it cannot be shown");
    assert_null(on.demo);
    sc_map_free(plain);
    live_service_close(&on.live);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_everybody_who_looks_gets_a_token_of_their_own),
    cmocka_unit_test(test_a_newcomer_is_greeted_before_all_else),
    cmocka_unit_test(test_no_more_than_so_many_are_told),
    cmocka_unit_test(test_another_engine_is_told_to_everybody),
    cmocka_unit_test(test_what_is_no_wish_for_an_engine_is_refused),
    cmocka_unit_test(test_a_method_that_cannot_be_exchanged_stays),
    cmocka_unit_test(test_options_that_make_no_sense_are_refused),
};
SC_SUITE(tests)
