// Metrics of a whole service: what happens shows, and the books agree with each other.
#include "api/metrics.h"

#include "support/check.h"
#include "support/live_service.h"
#include "support/prometheus.h"
#include "support/web_client.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static prometheus *look(const live_service *s)
{
    web_reply reply = web_ask(live_service_address(s), "GET", "/metrics", "", NULL);
    assert_int_equal(reply.status, 200);
    assert_string_equal(web_header(&reply, "Content-Type"),
                        "text/plain; version=0.0.4; charset=utf-8");
    prometheus *page = prometheus_read(reply.body, reply.size);
    web_reply_free(&reply);
    return page;
}

/** Ask as one of `count` users at once, on one road; all are answered. */
static void ask_together(const live_service *s, unsigned count)
{
    int fds[16];
    assert_true(count <= 16);
    for (unsigned i = 0; i < count; i++) {
        char user[16];
        char headers[LIVE_HEADERS_SIZE];
        char body[256];
        snprintf(user, sizeof user, "user-%u", i);
        snprintf(body, sizeof body,
                 "{\"position\":{\"edge\":3,\"offset_m\":5},\"profile\":{\"k\":%u,\"l\":3},"
                 "\"request\":{\"type\":\"knn\",\"k\":1}}",
                 count);
        fds[i] = web_connect(live_service_address(s));
        web_send(fds[i], "POST", "/v1/queries", live_service_token(s, user, headers), body);
    }
    for (unsigned i = 0; i < count; i++) {
        web_reply reply = web_receive(fds[i]);
        assert_int_equal(reply.status, 200);
        CHECK_CONTAINS(reply.body, "\"outcome\":\"answered\"");
        web_reply_free(&reply);
        close(fds[i]);
    }
}

static void test_what_happens_shows(void **state)
{
    (void)state;
    live_service s;
    live_service_prepare(&s);
    live_service_start(&s);
    ask_together(&s, 4);
    web_reply refused = web_ask(live_service_address(&s), "POST", "/v1/queries", "", "{}");
    assert_int_equal(refused.status, 401);
    web_reply_free(&refused);

    prometheus *page = look(&s);
    CHECK_SAME(prometheus_value(page, "starcloak_queries_taken_total"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_queries_total{outcome=\"answered\"}"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_pending"), 0.0);
    CHECK_SAME(prometheus_value(page, "starcloak_refused_total{problem=\"token\"}"), 1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_wait_seconds_count"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_answer_seconds_count"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_cloaks_total"), 1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_cloak_users_sum"), 4.0);
    CHECK_SAME(prometheus_value(page, "starcloak_cloak_users_count"), 1.0);
    assert_true(prometheus_value(page, "starcloak_cloak_segments_sum") >= 3.0);
    // Nobody knows how busy roads are here, so all count alike.
    CHECK_CLOSE(prometheus_value(page, "starcloak_cloak_effective_segments_sum"),
                prometheus_value(page, "starcloak_cloak_segments_sum"), 1e-5);
    CHECK_SAME(prometheus_value(page, "starcloak_provider_errands_total"), 1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_provider_seconds_count"), 1.0);
    assert_true(prometheus_value(page, "starcloak_http_requests_total") >= 5.0);
    assert_true(prometheus_value(page, "process_resident_memory_bytes") > 1e5);
    // Waiting and the exchange are together what an answer took.
    CHECK_CLOSE(prometheus_value(page, "starcloak_wait_seconds_sum") +
                    prometheus_value(page, "starcloak_exchange_seconds_sum"),
                prometheus_value(page, "starcloak_answer_seconds_sum"), 1e-4);
    prometheus_free(page);
    live_service_close(&s);
}

static void test_a_query_that_finds_no_company_shows(void **state)
{
    (void)state;
    live_service s;
    live_service_prepare(&s);
    live_service_start(&s);
    char headers[LIVE_HEADERS_SIZE];
    web_reply reply = web_ask(
        live_service_address(&s), "POST", "/v1/queries",
        live_service_token(&s, "somebody", headers),
        "{\"position\":{\"edge\":3,\"offset_m\":5},\"profile\":{\"k\":9,\"max_wait_s\":0.2},"
        "\"request\":{\"type\":\"knn\",\"k\":1}}");
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    prometheus *page = look(&s);
    CHECK_SAME(
        prometheus_value(page, "starcloak_queries_total{outcome=\"dropped\",reason=\"expired\"}"),
        1.0);
    CHECK_SAME(prometheus_value(page, "starcloak_wait_seconds_count"), 0.0);
    CHECK_SAME(prometheus_value(page, "starcloak_cloaks_total"), 0.0);
    prometheus_free(page);
    live_service_close(&s);
}

// Users, tokens and positions pass through the service, and none of them is on the page.
static void test_metrics_name_nobody(void **state)
{
    (void)state;
    live_service s;
    live_service_prepare(&s);
    live_service_start(&s);
    ask_together(&s, 3);
    web_reply reply = web_ask(live_service_address(&s), "GET", "/metrics", "", NULL);
    assert_null(strstr(reply.body, "user-"));
    assert_null(strstr(reply.body, "sct1_"));
    assert_null(strstr(reply.body, "edge"));
    web_reply_free(&reply);
    live_service_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_happens_shows),
    cmocka_unit_test(test_a_query_that_finds_no_company_shows),
    cmocka_unit_test(test_metrics_name_nobody),
};
SC_SUITE(tests)
