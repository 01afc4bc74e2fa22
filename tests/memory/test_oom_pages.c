// Every allocation of the service's pages, metrics and events fails once, in turn: it is told,
// nothing is half done and nothing leaks. (What a failed event does is in test_events.c.)
#include "service/events.h"
#include "service/metrics_internal.h"
#include "service/pages.h"
#include "service/problem.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/prometheus.h"
#include "support/sketch.h"
#include "support/web_client.h"

#include <pthread.h>

static void test_pages_that_cannot_be_made(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_vocabulary vocabulary;
    CHECK_OK(sc_vocabulary_of_map(map, &vocabulary), NULL);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_pages *pages = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_pages_new(map, &vocabulary, &pages, &diag);
        const bool happened = oom_happened();
        if (!happened || !err) {
            // The last allocations only give room back; without them pages are as good.
            CHECK_OK(err, &diag);
            sc_pages_free(pages);
            if (!happened) break;
        } else {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while writing the map");
            assert_null(pages);
        }
        failures++;
    }
    assert_true(failures > 10);
    sc_vocabulary_fini(&vocabulary);
    sc_map_free(map);
}

static void test_metrics_that_cannot_be_written(void **state)
{
    (void)state;
    sc_metrics *metrics = NULL;
    oom_arm(1);
    assert_int_equal(sc_metrics_new(NULL, &metrics), SC_ENOMEM);
    assert_true(oom_happened());
    assert_null(metrics);
    CHECK_OK(sc_metrics_new(NULL, &metrics), NULL);
    static const double bounds[] = {1.0};
    const sc_histogram latency = {.bounds = bounds, .bound_count = 1};
    const sc__readings readings = {
        .metrics = metrics, .map_source = "a town", .provider_latency = &latency};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_bytes text = {0};
        const bool fits = sc__metrics_print(&readings, &text);
        const bool happened = oom_happened();
        assert_int_equal(fits, !happened);
        if (fits) prometheus_free(prometheus_read((const char *)text.data, text.size));
        sc_bytes_fini(&text);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 3);
    sc_metrics_free(metrics);
}

static atomic_bool has_failed;

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    const sc_parts *parts = context;
    // The first request sees to it that the loop has room for the head of a reply.
    if (strcmp(sc_http_request_path(request), "/v1/events") != 0) {
        const sc_http_header large = {"X-Large",
                                      "a header that is longer than all of a usual reply's"
                                      "a header that is longer than all of a usual reply's"
                                      "a header that is longer than all of a usual reply's"
                                      "a header that is longer than all of a usual reply's"};
        sc_http_reply(request, 200, NULL, NULL, 0, &large, 1);
        return;
    }
    oom_arm(1);
    sc_events_listen(parts->events, loop, request);
    atomic_store(&has_failed, oom_happened());
}

static sc_http *server(sc_parts *parts)
{
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options options = sc_http_options_default();
    sc_http *http = NULL;
    sc_diag diag = {""};
    options.addresses = addresses;
    options.address_count = 1;
    options.loops = parts->loops;
    options.handle = handle;
    options.context = parts;
    options.problem = sc_problem_of_server;
    CHECK_OK(sc_http_new(&options, &http, &diag), &diag);
    return http;
}

static void test_events_that_cannot_be_told(void **state)
{
    (void)state;
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        sc_parts parts = {.loops = 2};
        parts.http = server(&parts);
        sc_diag diag = {""};
        oom_arm(n);
        const sc_err err = sc_events_new(&parts, 10, &parts.events, &diag);
        const bool happened = oom_happened();
        if (happened) {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "events cannot be told");
            assert_null(parts.events);
            failures++;
        } else {
            CHECK_OK(err, &diag);
        }
        sc_http_free(parts.http);
        sc_events_free(parts.events);
        if (!happened) break;
    }
    assert_true(failures >= 6);  // itself, the audiences, two handovers of two parts each
}

// A listener for whom there is no memory is refused, and does not count.
static void test_a_listener_who_cannot_be_remembered(void **state)
{
    (void)state;
    sc_parts parts = {.loops = 1};
    sc_diag diag = {""};
    parts.http = server(&parts);
    CHECK_OK(sc_events_new(&parts, 10, &parts.events, &diag), &diag);
    CHECK_OK(sc_http_start(parts.http, &diag), &diag);
    web_reply reply = web_ask(sc_http_address(parts.http, 0), "GET", "/", "", NULL);
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    reply = web_ask(sc_http_address(parts.http, 0), "GET", "/v1/events", "", NULL);
    assert_int_equal(reply.status, 503);
    CHECK_CONTAINS(reply.body, "urn:starcloak:problem:overloaded");
    assert_int_equal(sc_events_listeners(parts.events), 0);
    web_reply_free(&reply);
    sc_http_free(parts.http);
    assert_true(atomic_load(&has_failed));
    sc_events_free(parts.events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_that_cannot_be_made),
        cmocka_unit_test(test_metrics_that_cannot_be_written),
        cmocka_unit_test(test_events_that_cannot_be_told),
        cmocka_unit_test(test_a_listener_who_cannot_be_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
