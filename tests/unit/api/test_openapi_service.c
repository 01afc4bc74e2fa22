// Real responses of a whole service, page by page and trouble by trouble, against openapi.json.
#include "server/http.h"

#include "described.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void test_all_pages_are_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    static const char *const pages[] = {"/v1/about", "/v1/map", "/v1/map.bin", "/v1/categories",
                                        "/healthz",  "/readyz", "/metrics",    "/openapi.json"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        check_ask(&f, "GET", pages[i], "", NULL, 200);
    }
    fixture_close(&f);
}

#define AT_EDGE "\"position\":{\"edge\":3,\"offset_m\":5}"
#define ONE_NEAREST "\"request\":{\"type\":\"knn\",\"k\":1}"

static void test_answers_and_drops_are_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    static const char body[] = "{" AT_EDGE "," ONE_NEAREST "}";
    char headers[LIVE_HEADERS_SIZE];
    const int first = web_connect(live_service_address(&f.live));
    web_send(first, "POST", "/v1/queries", live_service_token(&f.live, "a", headers), body);
    check_ask(&f, "POST", "/v1/queries", live_service_token(&f.live, "b", headers), body, 200);
    web_reply reply = web_receive(first);
    check_described(&f, "POST", "/v1/queries", 200, &reply);
    CHECK_CONTAINS(reply.body, "\"outcome\":\"answered\"");
    CHECK_CONTAINS(reply.body, "\"position\":{\"lon\":");
    web_reply_free(&reply);
    close(first);

    reply = web_ask(live_service_address(&f.live), "POST", "/v1/queries",
                    live_service_token(&f.live, "a", headers),
                    "{" AT_EDGE ",\"profile\":{\"k\":7,\"max_wait_s\":0.1}," ONE_NEAREST "}");
    check_described(&f, "POST", "/v1/queries", 200, &reply);
    CHECK_CONTAINS(reply.body, "\"outcome\":\"dropped\"");
    web_reply_free(&reply);
    fixture_close(&f);
}

static void test_what_is_refused_is_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.live.options.policy.events = SC_ACCESS_TOKEN;
    f.live.options.http.max_body_bytes = 1000;
    f.live.options.http.max_header_bytes = 1500;
    live_service_start(&f.live);
    char token[LIVE_HEADERS_SIZE];
    live_service_token(&f.live, "a", token);
    char large[1200];
    memset(large, ' ', sizeof large);
    large[sizeof large - 1] = '\0';
    char long_header[1900] = "X-Long: ";
    memset(long_header + 8, 'x', sizeof long_header - 11);
    memcpy(long_header + sizeof long_header - 3, "\r\n", 3);

    const struct {
        const char *method;
        const char *path;
        const char *headers;
        const char *body;
        int status;
    } cases[] = {
        {"POST", "/v1/queries", token, "{", 400},
        {"POST", "/v1/queries", token, "{}", 400},
        {"POST", "/v1/queries", token, "{" AT_EDGE ",\"profile\":{\"k\":0}," ONE_NEAREST "}", 400},
        {"POST", "/v1/queries", token, "{\"position\":{\"x\":1,\"y\":2}," ONE_NEAREST "}", 400},
        {"POST", "/v1/queries", token, "{" AT_EDGE ",\"request\":{\"type\":\"knn\",\"k\":0}}", 400},
        {"POST", "/v1/queries", "", "{}", 401},
        {"POST", "/v1/queries", "Authorization: Bearer sct1_AAAA\r\n", "{}", 401},
        {"GET", "/v1/events", "", NULL, 401},
        {"POST", "/v1/queries", token, large, 413},
        {"POST", "/v1/queries", "Expect: gold\r\n", "{}", 417},
        {"GET", "/readyz", "Expect: gold\r\n", "{}", 417},
        {"POST", "/v1/queries", token, "{\"position\":{\"lon\":120,\"lat\":3}," ONE_NEAREST "}",
         422},
        {"GET", "/v1/map", long_header, NULL, 431},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_ask(&f, cases[i].method, cases[i].path, cases[i].headers, cases[i].body,
                  cases[i].status);
    }
    fixture_close(&f);
}

// A method that a page does not take is described with the method that it takes.
static void test_wrong_methods_are_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    web_reply reply = web_ask(live_service_address(&f.live), "GET", "/v1/queries", "", NULL);
    check_described(&f, "POST", "/v1/queries", 405, &reply);
    assert_string_equal(web_header(&reply, "Allow"), "POST");
    web_reply_free(&reply);
    reply = web_ask(live_service_address(&f.live), "DELETE", "/v1/map", "", NULL);
    check_described(&f, "GET", "/v1/map", 405, &reply);
    web_reply_free(&reply);
    fixture_close(&f);
}

static void test_too_many_requests_are_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.live.options.policy.user_rate = 0.001;
    f.live.options.policy.user_burst = 1;
    live_service_start(&f.live);
    char headers[LIVE_HEADERS_SIZE];
    live_service_token(&f.live, "a", headers);
    static const char body[] = "{" AT_EDGE ",\"profile\":{\"max_wait_s\":0.05}," ONE_NEAREST "}";
    check_ask(&f, "POST", "/v1/queries", headers, body, 200);
    check_ask(&f, "POST", "/v1/queries", headers, body, 429);
    fixture_close(&f);
}

static void test_another_query_of_the_same_user_is_refused_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    char headers[LIVE_HEADERS_SIZE];
    live_service_token(&f.live, "a", headers);
    static const char body[] =
        "{" AT_EDGE ",\"profile\":{\"k\":9,\"max_wait_s\":60}," ONE_NEAREST "}";
    const int fd = web_connect(live_service_address(&f.live));
    web_send(fd, "POST", "/v1/queries", headers, body);
    // The first may still be on its way; of two, one is refused.
    const int other = web_connect(live_service_address(&f.live));
    web_send(other, "POST", "/v1/queries", headers, body);
    struct pollfd both[] = {{.fd = fd, .events = POLLIN}, {.fd = other, .events = POLLIN}};
    assert_int_equal(poll(both, 2, 60000), 1);
    web_reply reply = web_receive(both[0].revents ? fd : other);
    check_described(&f, "POST", "/v1/queries", 429, &reply);
    CHECK_CONTAINS(reply.body, "urn:starcloak:problem:pending");
    web_reply_free(&reply);
    close(fd);
    close(other);
    fixture_close(&f);
}

static void test_pages_that_are_switched_off_are_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.live.options.policy.events = SC_ACCESS_OFF;
    f.live.options.policy.metrics = SC_ACCESS_OFF;
    live_service_start(&f.live);
    check_ask(&f, "GET", "/v1/events", "", NULL, 404);
    check_ask(&f, "GET", "/metrics", "", NULL, 404);
    fixture_close(&f);
}

// Nothing listens at the provider's address.
static void test_a_provider_that_fails_is_told_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.live.options.courier.kind = SC_COURIER_HTTP;
    f.live.options.courier.url = "http://127.0.0.1:9/";
    f.live.options.courier.breaker_failures = 1;
    f.live.options.courier.breaker_pause_s = 3600.0;
    f.live.options.ledger.provider_deadline_s = 0.3;
    f.live.options.policy.standard.k = 1;
    live_service_start(&f.live);
    char headers[LIVE_HEADERS_SIZE];
    static const char body[] = "{" AT_EDGE "," ONE_NEAREST "}";
    web_reply reply = {.status = 200};
    for (int i = 0; i < 20 && reply.status == 200; i++) {
        web_reply_free(&reply);
        char user[16];
        snprintf(user, sizeof user, "a%d", i);
        reply = web_ask(live_service_address(&f.live), "POST", "/v1/queries",
                        live_service_token(&f.live, user, headers), body);
        // On a busy machine the time may be over before a try has begun (503), or has failed.
        assert_in_range(reply.status, 502, 504);
        check_described(&f, "POST", "/v1/queries", reply.status, &reply);
        CHECK_CONTAINS(reply.body, "\"outcome\":\"failed\"");
        web_reply_free(&reply);
        reply = web_ask(live_service_address(&f.live), "GET", "/readyz", "", NULL);
    }
    // The breaker has opened: others should be asked, and the next query is not even sent.
    check_described(&f, "GET", "/readyz", 503, &reply);
    assert_string_equal(reply.body, "{\"status\":\"provider_suspended\"}");
    web_reply_free(&reply);
    int status = 503;  // as above
    for (int i = 0; i < 20 && status == 503; i++) {
        char user[16];
        snprintf(user, sizeof user, "b%d", i);
        reply = web_ask(live_service_address(&f.live), "POST", "/v1/queries",
                        live_service_token(&f.live, user, headers), body);
        status = reply.status;
        check_described(&f, "POST", "/v1/queries", status == 503 ? 503 : 502, &reply);
        web_reply_free(&reply);
    }
    assert_int_equal(status, 502);
    // Listeners are told why queries fail, and that the provider is left alone.
    const int listener = web_connect(live_service_address(&f.live));
    web_stream told = {0};
    web_send(listener, "GET", "/v1/events", "", NULL);
    const size_t reasons =
        web_stream_await(listener, &told, 0, "\"provider_suspended\":1,\"overloaded\":");
    web_stream_await(listener, &told, reasons, "\"suspended\":1,\"workers\":0,");
    close(listener);
    free(told.text);
    fixture_close(&f);
}

/** Until a query is pending or, on a busy machine, has its outcome already. */
static void await_pending(const fixture *f, int asker)
{
    struct pollfd outcome = {.fd = asker, .events = POLLIN};
    while (poll(&outcome, 1, 0) == 0) {
        web_reply reply = web_ask(live_service_address(&f->live), "GET", "/metrics", "", NULL);
        const bool is_pending = strstr(reply.body, "\nstarcloak_pending 1\n") != NULL;
        web_reply_free(&reply);
        if (is_pending) return;
        usleep(1000);
    }
}

static void test_an_outcome_while_draining_is_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    live_service_start(&f.live);
    char headers[LIVE_HEADERS_SIZE];
    const int waiting = web_connect(live_service_address(&f.live));
    web_send(waiting, "POST", "/v1/queries", live_service_token(&f.live, "a", headers),
             "{" AT_EDGE ",\"profile\":{\"k\":9,\"max_wait_s\":1}," ONE_NEAREST "}");
    await_pending(&f, waiting);
    assert_int_equal(sc_service_drain(f.live.service, 0, 30.0), 0);
    web_reply reply = web_receive(waiting);
    check_described(&f, "POST", "/v1/queries", 200, &reply);
    CHECK_CONTAINS(reply.body, "\"outcome\":\"dropped\"");
    web_reply_free(&reply);
    close(waiting);
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_pages_are_as_described),
    cmocka_unit_test(test_answers_and_drops_are_as_described),
    cmocka_unit_test(test_what_is_refused_is_as_described),
    cmocka_unit_test(test_wrong_methods_are_as_described),
    cmocka_unit_test(test_too_many_requests_are_as_described),
    cmocka_unit_test(test_another_query_of_the_same_user_is_refused_as_described),
    cmocka_unit_test(test_pages_that_are_switched_off_are_as_described),
    cmocka_unit_test(test_a_provider_that_fails_is_told_as_described),
    cmocka_unit_test(test_an_outcome_while_draining_is_as_described),
};
SC_SUITE(tests)
