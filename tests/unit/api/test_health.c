// Alive as long as it answers; ready only while queries have a chance.
#include "api/service_internal.h"

#include "api/problem_details.h"
#include "support/check.h"
#include "support/openapi.h"
#include "support/web_client.h"

#include <pthread.h>

static void handle(void *context, unsigned loop, sc_http_request *request)
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
    options.loops = 1;
    options.handle = handle;
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
    cmocka_unit_test(test_a_service_that_drains_is_alive_and_not_ready),
};
SC_SUITE(tests)
