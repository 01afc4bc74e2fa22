// Pages that a command adds to the service: their methods, and those that stand in the place of a
// page of the service.
#include "api/service.h"

#include "support/check.h"
#include "support/live_service.h"
#include "support/web_client.h"

static void show_method(void *context, unsigned loop, sc_http_request *request)
{
    (void)context;
    (void)loop;
    const bool is_post = sc_http_request_method(request) == SC_HTTP_POST;
    const char *body = is_post ? "posted" : "got";
    sc_http_reply(request, 200, "text/plain", body, strlen(body), NULL, 0);
}

static void check_reply(const live_service *live, const char *method, const char *path, int status,
                        const char *part)
{
    const char *body = strcmp(method, "POST") == 0 ? "{}" : NULL;
    web_reply reply = web_ask(live_service_address(live), method, path, "", body);
    assert_int_equal(reply.status, status);
    if (status == 405) {
        assert_string_equal(web_header(&reply, "Allow"), part);
    } else {
        CHECK_CONTAINS(reply.body, part);
    }
    web_reply_free(&reply);
}

static void test_pages_take_the_methods_that_they_say(void **state)
{
    (void)state;
    static const sc_extra_page extra[] = {
        {.path = "/get", .method = SC_HTTP_GET, .show = show_method},
        {.path = "/post", .method = SC_HTTP_POST, .show = show_method},
        {.path = "/both", .method = SC_HTTP_GET, .takes_post = true, .show = show_method},
    };
    live_service live;
    live_service_prepare(&live);
    live.options.extra = extra;
    live.options.extra_count = 3;
    live_service_start(&live);
    check_reply(&live, "GET", "/get", 200, "got");
    check_reply(&live, "POST", "/get", 405, "GET");
    check_reply(&live, "GET", "/post", 405, "POST");
    check_reply(&live, "POST", "/post", 200, "posted");
    check_reply(&live, "GET", "/both", 200, "got");
    check_reply(&live, "POST", "/both", 200, "posted");
    check_reply(&live, "DELETE", "/both", 405, "GET, POST");
    live_service_close(&live);
}

static void test_a_page_may_stand_in_the_place_of_another(void **state)
{
    (void)state;
    static const sc_extra_page extra[] = {
        {.path = "/v1/events", .method = SC_HTTP_GET, .show = show_method},
        {.path = "/v1/queries", .method = SC_HTTP_POST, .show = show_method},
    };
    live_service live;
    live_service_prepare(&live);
    live.options.extra = extra;
    live.options.extra_count = 2;
    live_service_start(&live);
    check_reply(&live, "GET", "/v1/events", 200, "got");
    check_reply(&live, "POST", "/v1/queries", 200, "posted");
    check_reply(&live, "GET", "/v1/about", 200, "\"demo\":true");
    live_service_close(&live);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pages_take_the_methods_that_they_say),
    cmocka_unit_test(test_a_page_may_stand_in_the_place_of_another),
};
SC_SUITE(tests)
