// Pages of other origins: those that are listed may read replies, others not.
#include "api/cross_origin.h"

#include "api/service.h"
#include "support/check.h"
#include "support/live_service.h"
#include "support/oom.h"
#include "support/web_client.h"

#include <stdio.h>

#define APP "https://app.example"
#define APP_HEADER "Origin: " APP "\r\n"
#define PREFLIGHT                             \
    "Access-Control-Request-Method: POST\r\n" \
    "Access-Control-Request-Headers: authorization, content-type\r\n"

static void test_origins_are_as_browsers_send_them(void **state)
{
    (void)state;
    static const char *const good[] = {
        APP,
        "http://localhost:5173",
        "https://a-b.example:8443",
        "https://xn--strae-oqa.example",
        "capacitor://localhost",
        "http://[::1]:8080",
        "https://192.0.2.7",
        "http://app.example:443",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        sc_diag diag = {""};
        CHECK_OK(sc_origin_check(good[i], &diag), &diag);
    }
    static const struct {
        const char *origin;
        const char *part;
    } bad[] = {
        {"*", "list the origins"},
        {"null", "sandboxed page"},
        {"app.example", "write it as https://app.example"},
        {"https:/app.example", "write it as"},
        {"://app.example", "write it as"},
        {"HTTPS://app.example", "write it as"},
        {"https://App.example", "in small letters"},
        {"https://app.example/", "without a path"},
        {"https://app.example/page", "without a path"},
        {"https://", "ends behind the host"},
        {"https://app.example:", "ends behind"},
        {"https://app.example:123456", "ends behind"},
        {"https://app.example:80a", "ends behind"},
        {"https://[::1", "ends behind"},
        {"https://[]", "ends behind"},
        {"https://user@app.example", "ends behind"},
        {"https://*.example", "ends behind"},
        {"https://app.example:443", "browsers leave out"},
        {"http://app.example:80", "browsers leave out"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_diag diag = {""};
        assert_int_equal(sc_origin_check(bad[i].origin, &diag), SC_EINVAL);
        CHECK_CONTAINS(diag.message, bad[i].part);
    }
}

static void test_a_list_is_taken_as_a_whole_or_not_at_all(void **state)
{
    (void)state;
    sc_diag diag = {""};
    sc_cross_origin *shared = NULL;
    CHECK_OK(sc_cross_origin_new("", &shared, &diag), &diag);
    assert_null(shared);
    CHECK_OK(sc_cross_origin_new(APP ", http://localhost:5173", &shared, &diag), &diag);
    assert_non_null(shared);
    sc_cross_origin *other = NULL;
    assert_int_equal(sc_cross_origin_new(APP ",nowhere", &other, &diag), SC_EINVAL);
    assert_null(other);
    CHECK_CONTAINS(diag.message, "nowhere");
    sc_cross_origin_free(shared);
    sc_cross_origin_free(NULL);
}

static void start(live_service *live, const char *origins)
{
    live_service_prepare(live);
    live->options.origins = origins;
    live_service_start(live);
}

static web_reply ask(const live_service *live, const char *method, const char *path,
                     const char *headers)
{
    const char *body = strcmp(method, "POST") == 0 ? "{}" : NULL;
    return web_ask(live_service_address(live), method, path, headers, body);
}

/** What a browser goes by; "" if a page of another origin must not read the reply. */
static void check_allowed(const live_service *live, const char *method, const char *path,
                          const char *headers, int status, const char *origin)
{
    web_reply reply = ask(live, method, path, headers);
    assert_int_equal(reply.status, status);
    assert_string_equal(web_header(&reply, "Access-Control-Allow-Origin"), origin);
    assert_string_equal(web_header(&reply, "Access-Control-Allow-Credentials"), "");
    web_reply_free(&reply);
}

static void test_listed_origins_may_read_replies(void **state)
{
    (void)state;
    live_service live;
    start(&live, "http://localhost:5173," APP);
    check_allowed(&live, "GET", "/v1/about", APP_HEADER, 200, APP);
    check_allowed(&live, "GET", "/v1/map.bin", APP_HEADER, 200, APP);
    check_allowed(&live, "GET", "/v1/categories", "Origin: http://localhost:5173\r\n", 200,
                  "http://localhost:5173");
    // A page must be able to read why it was refused.
    check_allowed(&live, "POST", "/v1/queries", APP_HEADER, 401, APP);
    check_allowed(&live, "DELETE", "/v1/about", APP_HEADER, 405, APP);
    live_service_close(&live);
}

static void test_others_may_not(void **state)
{
    (void)state;
    live_service live;
    start(&live, APP);
    static const char *const headers[] = {
        "Origin: https://other.example\r\n",
        "Origin: null\r\n",
        "Origin: https://app.example.evil.example\r\n",
        "Origin: http://app.example\r\n",
        "Origin: https://app.example:8443\r\n",
        "Origin: HTTPS://APP.EXAMPLE\r\n",
        "Origin: \r\n",
        "",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        check_allowed(&live, "GET", "/v1/about", headers[i], 200, "");
        web_reply reply = ask(&live, "GET", "/v1/about", headers[i]);
        assert_string_equal(web_header(&reply, "Vary"), "Origin");
        web_reply_free(&reply);
    }
    char preflight[512];
    snprintf(preflight, sizeof preflight, "%s%s", headers[0], PREFLIGHT);
    check_allowed(&live, "OPTIONS", "/v1/queries", preflight, 405, "");
    live_service_close(&live);
}

static void test_pages_of_operators_are_for_no_other_origin(void **state)
{
    (void)state;
    live_service live;
    start(&live, APP);
    static const char *const paths[] = {"/metrics", "/v1/events", "/nowhere"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        web_reply reply = ask(&live, "OPTIONS", paths[i], APP_HEADER PREFLIGHT);
        assert_true(reply.status == 404 || reply.status == 405);
        assert_string_equal(web_header(&reply, "Access-Control-Allow-Origin"), "");
        web_reply_free(&reply);
    }
    live_service_close(&live);
}

static void test_a_browser_that_asks_first_is_told(void **state)
{
    (void)state;
    live_service live;
    start(&live, APP);
    web_reply reply = ask(&live, "OPTIONS", "/v1/queries", APP_HEADER PREFLIGHT);
    assert_int_equal(reply.status, 204);
    assert_string_equal(web_header(&reply, "Access-Control-Allow-Origin"), APP);
    assert_string_equal(web_header(&reply, "Access-Control-Allow-Methods"), "POST");
    CHECK_CONTAINS(web_header(&reply, "Access-Control-Allow-Headers"), "Authorization");
    CHECK_CONTAINS(web_header(&reply, "Access-Control-Allow-Headers"), "Content-Type");
    assert_string_equal(web_header(&reply, "Access-Control-Max-Age"), "7200");
    assert_int_equal(reply.size, 0);
    web_reply_free(&reply);
    // OPTIONS without the question is no preflight.
    check_allowed(&live, "OPTIONS", "/v1/queries", APP_HEADER, 405, APP);
    live_service_close(&live);
}

static void test_without_a_list_nothing_is_said_of_origins(void **state)
{
    (void)state;
    live_service live;
    start(&live, NULL);
    web_reply reply = ask(&live, "GET", "/v1/about", APP_HEADER);
    assert_string_equal(web_header(&reply, "Vary"), "");
    assert_string_equal(web_header(&reply, "Access-Control-Allow-Origin"), "");
    web_reply_free(&reply);
    check_allowed(&live, "OPTIONS", "/v1/queries", APP_HEADER PREFLIGHT, 405, "");
    live_service_close(&live);
}

static void test_a_flood_of_questions_is_limited(void **state)
{
    (void)state;
    live_service live;
    live_service_prepare(&live);
    live.options.origins = APP;
    live.options.policy.address_rate = 0.001;
    live.options.policy.address_burst = 1;
    live_service_start(&live);
    check_allowed(&live, "OPTIONS", "/v1/queries", APP_HEADER PREFLIGHT, 204, APP);
    check_allowed(&live, "OPTIONS", "/v1/queries", APP_HEADER PREFLIGHT, 429, APP);
    live_service_close(&live);
}

static void test_a_list_survives_a_lack_of_memory(void **state)
{
    (void)state;
    FOR_EACH_FAILURE(n)
    {
        sc_cross_origin *shared = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_cross_origin_new(APP ",http://localhost:5173", &shared, &diag);
        const bool has_failed = oom_happened();
        sc_cross_origin_free(shared);
        if (!has_failed) break;
        assert_int_equal(err, SC_ENOMEM);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_origins_are_as_browsers_send_them),
    cmocka_unit_test(test_a_list_is_taken_as_a_whole_or_not_at_all),
    cmocka_unit_test(test_listed_origins_may_read_replies),
    cmocka_unit_test(test_others_may_not),
    cmocka_unit_test(test_pages_of_operators_are_for_no_other_origin),
    cmocka_unit_test(test_a_browser_that_asks_first_is_told),
    cmocka_unit_test(test_without_a_list_nothing_is_said_of_origins),
    cmocka_unit_test(test_a_flood_of_questions_is_limited),
    cmocka_unit_test(test_a_list_survives_a_lack_of_memory),
};
SC_SUITE(tests)
