// What a service says of itself: the policy in force, its provider, its engine, what extra pages
// offer, and demo.
#include "api/served_map.h"

#include "api/problem_details.h"
#include "api/service.h"
#include "support/check.h"
#include "support/default_policy.h"
#include "support/openapi.h"
#include "support/page_server.h"
#include "support/sketch.h"
#include "support/web_client.h"

#include <jansson.h>
#include <pthread.h>

typedef struct fixture {
    sc_map *map;
    sc_service_internal service;
    sc_served_map served;
    sc_policy policy;
} fixture;

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)loop;
    const fixture *f = context;
    sc_about_show(&f->service, &f->policy, request);
}

static void settle(void *context, sc_ticket *ticket)
{
    (void)context;
    (void)ticket;
}

static void fixture_open(fixture *f)
{
    *f = (fixture){.map = full_map(SC_COORDS_GEOGRAPHIC), .policy = default_policy()};
    f->service.version = "1.2.3";
    sc_ledger_options options = sc_ledger_options_default();
    sc_diag diag = {""};
    options.engine.variant = SC_VARIANT_BOUNDED;
    options.settled = settle;
    CHECK_OK(sc_ledger_new(f->map, &options, &f->served.ledger, &diag), &diag);
    f->served.map = f->map;
    atomic_store(&f->service.served, &f->served);
}

static void fixture_close(fixture *f)
{
    sc_ledger_free(f->served.ledger);
    sc_map_free(f->map);
}

/** The page, with this in it; a server of its own reads the service as they are now. */
static void check_says(fixture *f, const char *part)
{
    sc_http *http = page_server_start(handle, f);
    web_reply reply = page_get(http, "/v1/about", "");
    assert_int_equal(reply.status, 200);
    CHECK_CONTAINS(reply.body, part);
    json_t *read = json_loadb(reply.body, reply.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(read);
    json_decref(read);
    web_reply_free(&reply);
    sc_http_free(http);
}

// The example of docs/ui.md, with the names of the fixture.
static void test_the_whole_page_is_as_documented(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.service.provider = SC_COURIER_HTTP;
    sc_http *http = page_server_start(handle, &f);
    web_reply reply = page_get(http, "/v1/about", "");
    assert_int_equal(reply.status, 200);
    assert_string_equal(
        reply.body,
        "{\"version\":\"1.2.3\",\"engine\":\"bounded\",\"provider\":\"http\","
        "\"encoding\":\"compact\",\"map\":{\"checksum\":\"34b973753e250226\",\"segments\":7},"
        "\"profile\":{\"k\":{\"least\":2,\"standard\":5,\"most\":100},"
        "\"l\":{\"least\":1,\"standard\":3,\"most\":50},"
        "\"max_hops\":{\"least\":1,\"standard\":4,\"most\":8},"
        "\"max_wait_s\":{\"least\":1,\"standard\":10,\"most\":60}},"
        "\"max_nearest\":100,\"max_radius_m\":20000,\"max_radius_s\":1800,\"metric\":\"time\","
        "\"events\":\"local\",\"offers\":[],"
        "\"zones\":false,\"cluster\":false,\"demo\":false,\"records_true_positions_until\":null}");
    assert_string_equal(web_header(&reply, "Content-Type"), "application/json");
    assert_string_equal(web_header(&reply, "Cache-Control"), "no-store");
    page_check_head(http, "/v1/about", &reply);
    web_reply_free(&reply);
    sc_http_free(http);
    fixture_close(&f);
}

static void test_providers_are_told_apart(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    // What another kind of provider was set to does not count.
    f.service.encoding = SC_ENCODING_GEOJSON;
    f.service.provider = SC_COURIER_BUILT_IN;
    check_says(&f, "\"provider\":\"built in\",\"encoding\":null");
    f.service.provider = SC_COURIER_POINTS;
    check_says(&f, "\"provider\":\"points\",\"encoding\":null");
    f.service.provider = SC_COURIER_HTTP;
    check_says(&f, "\"provider\":\"http\",\"encoding\":\"geojson\"");
    fixture_close(&f);
}

static void test_the_policy_is_the_one_in_force(void **state)
{
    (void)state;
    static const struct {
        sc_access access;
        const char *word;
    } words[] = {{SC_ACCESS_OFF, "\"events\":\"off\""},
                 {SC_ACCESS_LOCAL, "\"events\":\"local\""},
                 {SC_ACCESS_TOKEN, "\"events\":\"token\""},
                 {SC_ACCESS_OPEN, "\"events\":\"open\""}};
    fixture f;
    fixture_open(&f);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        f.policy.events = words[i].access;
        check_says(&f, words[i].word);
    }
    f.policy.least.max_wait_us = 1;
    f.policy.standard.max_wait_us = sc_time_from_seconds(2.5);
    check_says(&f, "\"max_wait_s\":{\"least\":0.000001,\"standard\":2.5,\"most\":60}");
    f.policy.most.k = UINT32_MAX;
    check_says(&f, "\"most\":4294967295}");
    f.policy.requests.max_radius_m = 1234.5;
    f.policy.requests.max_radius_s = 60.0;
    f.policy.metric = SC_METRIC_DISTANCE;
    f.policy.requests.max_k = 7;
    check_says(
        &f,
        "\"max_nearest\":7,\"max_radius_m\":1234.5,\"max_radius_s\":60,\"metric\":\"distance\",");
    fixture_close(&f);
}

static void test_an_engine_that_was_switched_is_told(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    check_says(&f, "\"engine\":\"bounded\"");
    CHECK_OK(sc_ledger_switch(f.served.ledger, SC_VARIANT_HYBRID), NULL);
    check_says(&f, "\"engine\":\"hybrid\"");
    fixture_close(&f);
}

static bool is_set(const void *context)
{
    const bool *flag = context;
    return *flag;
}

static void test_an_offer_counts_once_it_is_there_and_may_be_seen(void **state)
{
    (void)state;
    bool is_there = false;
    const sc_extra_page extra[] = {
        {.path = "/demo/about"},
        {.path = "/a", .offer = "always"},
        {.path = "/b", .offer = "sometimes", .is_offered = is_set, .context = &is_there},
    };
    fixture f;
    fixture_open(&f);
    f.service.extra = extra;
    f.service.extra_count = 3;
    check_says(&f, "\"offers\":[\"always\"],");
    is_there = true;
    check_says(&f, "\"offers\":[\"always\",\"sometimes\"],");
    f.policy.events = SC_ACCESS_OFF;
    check_says(&f, "\"offers\":[],");
    fixture_close(&f);
}

static sc_cluster_view *see_nothing(void *context)
{
    (void)context;
    return NULL;
}

static void test_a_map_in_several_parts_is_told(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    f.served.view = see_nothing;
    check_says(&f, "\"cluster\":true,");
    fixture_close(&f);
}

static void test_a_demo_is_known_by_its_pages(void **state)
{
    (void)state;
    static const sc_extra_page extra = {.path = "/demo/about"};
    fixture f;
    fixture_open(&f);
    f.service.extra = &extra;
    f.service.extra_count = 1;
    check_says(&f, "\"demo\":true,\"records_true_positions_until\":null}");
    fixture_close(&f);
}

// === Alive as long as it answers; ready only while queries have a chance

static void handle_health(void *context, unsigned loop, sc_http_request *request)
{
    (void)loop;
    if (strcmp(sc_http_request_path(request), "/healthz") == 0) {
        sc_health_live(request);
    } else {
        sc_health_ready(context, request);
    }
}

static void check_page(const sc_service_internal *service, const char *path, int status,
                       const char *body)
{
    web_reply reply = web_ask(sc_http_address(service->http, 0), "GET", path, "", NULL);
    json_t *document = openapi_load();
    assert_int_equal(reply.status, status);
    assert_string_equal(reply.body, body);
    assert_string_equal(web_header(&reply, "Cache-Control"), "no-store");
    openapi_check_response(document, "GET", path, status, web_header(&reply, "Content-Type"),
                           reply.body, reply.size);
    json_decref(document);
    web_reply_free(&reply);
}

// With a provider that fails it is asked in test_openapi_service.c.
static void test_a_service_that_drains_is_alive_and_not_ready(void **state)
{
    (void)state;
    sc_service_internal service = {.loops = 1};
    sc_diag diag = {""};
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options options = sc_http_options_default();
    options.addresses = addresses;
    options.address_count = 1;
    options.is_admin_shared = true;
    options.loops = 1;
    options.handle = handle_health;
    options.context = &service;
    options.problem = sc_problem_of_server;
    CHECK_OK(sc_http_new(&options, &service.http, &diag), &diag);
    CHECK_OK(sc_http_start(service.http, &diag), &diag);
    check_page(&service, "/healthz", 200, "{\"status\":\"ok\"}");
    atomic_store(&service.is_draining, true);
    check_page(&service, "/healthz", 200, "{\"status\":\"ok\"}");
    check_page(&service, "/readyz", 503, "{\"status\":\"draining\"}");
    sc_http_free(service.http);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_whole_page_is_as_documented),
    cmocka_unit_test(test_providers_are_told_apart),
    cmocka_unit_test(test_the_policy_is_the_one_in_force),
    cmocka_unit_test(test_an_engine_that_was_switched_is_told),
    cmocka_unit_test(test_an_offer_counts_once_it_is_there_and_may_be_seen),
    cmocka_unit_test(test_a_map_in_several_parts_is_told),
    cmocka_unit_test(test_a_demo_is_known_by_its_pages),
    cmocka_unit_test(test_a_service_that_drains_is_alive_and_not_ready),
};
SC_SUITE(tests)
