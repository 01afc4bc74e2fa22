// The UI with files of the test's own, so that it does not matter what was built in.
#include "api/static_pages.h"

#include "support/check.h"
#include "support/page_server.h"

#include <pthread.h>

static const char page[] = "<!doctype html><title>w</title><script src=/assets/a-1.js></script>";
static const char script[] = "console.assert(1 + 1 === 2);";
static const char picture[] = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";

#define BYTES(text) (const unsigned char *)(text), sizeof(text) - 1
static const sc__ui_file files[] = {
    {"/assets/a-1.js", "text/javascript; charset=utf-8", BYTES(script)},
    {"/favicon.svg", "image/svg+xml", BYTES(picture)},
    {"/index.html", "text/html; charset=utf-8", BYTES(page)},
};
enum { FILES = sizeof files / sizeof files[0] };

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)loop;
    sc_ui_show(context, request);
}

static sc_ui *ui_of(size_t count)
{
    sc_ui *ui = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc__ui_new_from(files, count, &ui, &diag), &diag);
    return ui;
}

static void check_page(const sc_http *http, const char *path, const char *type, const char *cache,
                       const char *body)
{
    web_reply reply = page_get(http, path, "");
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, body);
    assert_string_equal(web_header(&reply, "Content-Type"), type);
    assert_string_equal(web_header(&reply, "Cache-Control"), cache);
    page_check_head(http, path, &reply);
    web_reply_free(&reply);
}

static void test_every_file_is_shown_at_its_path(void **state)
{
    (void)state;
    sc_ui *ui = ui_of(FILES);
    sc_http *http = page_server_start(handle, ui);
    check_page(http, "/", "text/html; charset=utf-8", "no-cache", page);
    check_page(http, "/favicon.svg", "image/svg+xml", "no-cache", picture);
    check_page(http, "/assets/a-1.js", "text/javascript; charset=utf-8",
               "public, max-age=31536000, immutable", script);
    sc_http_free(http);
    sc_ui_free(ui);
}

static void test_other_paths_are_not_the_ui_s(void **state)
{
    (void)state;
    static const char *const others[] = {"",          "/index.html",     "/assets", "/assets/",
                                         "/assets/a", "/assets/a-1.js/", "//",      "/favicon.SVG"};
    sc_ui *ui = ui_of(FILES);
    assert_true(sc_ui_has(ui, "/"));
    assert_true(sc_ui_has(ui, "/favicon.svg"));
    assert_true(sc_ui_has(ui, "/assets/a-1.js"));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(sc_ui_has(ui, others[i]));
    }
    sc_http *http = page_server_start(handle, ui);
    web_reply reply = page_get(http, "/assets/b-2.js", "");
    page_check_problem(&reply, 404, "not-found", "no such page");
    sc_http_free(http);
    sc_ui_free(ui);
}

// One directive missing and a script from elsewhere may run: so the whole policy, word by word.
static void test_every_page_is_guarded(void **state)
{
    (void)state;
    static const char *const paths[] = {"/", "/favicon.svg", "/assets/a-1.js"};
    sc_ui *ui = ui_of(FILES);
    sc_http *http = page_server_start(handle, ui);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        web_reply reply = page_get(http, paths[i], "Accept-Encoding: gzip\r\n");
        assert_int_equal(reply.status, 200);
        assert_string_equal(web_header(&reply, "Content-Encoding"), "gzip");
        assert_string_equal(
            web_header(&reply, "Content-Security-Policy"),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            "require-trusted-types-for 'script'; trusted-types 'none'");
        assert_string_equal(web_header(&reply, "Referrer-Policy"), "no-referrer");
        assert_string_equal(web_header(&reply, "Cross-Origin-Opener-Policy"), "same-origin");
        assert_string_equal(web_header(&reply, "Cross-Origin-Resource-Policy"), "same-origin");
        assert_string_equal(web_header(&reply, "Permissions-Policy"),
                            "geolocation=(), camera=(), microphone=()");
        assert_string_equal(web_header(&reply, "X-Content-Type-Options"), "nosniff");
        web_reply_free(&reply);
    }
    sc_http_free(http);
    sc_ui_free(ui);
}

static void test_a_program_without_files_says_so(void **state)
{
    (void)state;
    sc_ui *ui = ui_of(0);
    assert_true(sc_ui_has(ui, "/"));
    assert_false(sc_ui_has(ui, "/favicon.svg"));
    sc_http *http = page_server_start(handle, ui);
    web_reply reply = page_get(http, "/", "");
    assert_int_equal(reply.status, 200);
    assert_string_equal(web_header(&reply, "Content-Type"), "text/html; charset=utf-8");
    assert_string_equal(web_header(&reply, "Cache-Control"), "no-cache");
    CHECK_CONTAINS(web_header(&reply, "Content-Security-Policy"), "default-src 'none'");
    CHECK_CONTAINS(reply.body, "built without its UI");
    CHECK_CONTAINS(reply.body, "make ui");
    // Its own policy would forbid these.
    assert_null(strstr(reply.body, "<style"));
    assert_null(strstr(reply.body, "style="));
    assert_null(strstr(reply.body, "<script"));
    web_reply_free(&reply);
    sc_http_free(http);
    sc_ui_free(ui);
}

// Whatever was built in, there is a page at "/"; and none is there twice.
static void test_what_was_built_in_can_be_shown(void **state)
{
    (void)state;
    sc_ui *ui = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_ui_new(&ui, &diag), &diag);
    assert_true(sc_ui_has(ui, "/"));
    for (size_t i = 0; i < sc__ui_file_count; i++) {
        const sc__ui_file *file = &sc__ui_files[i];
        assert_int_equal(file->path[0], '/');
        assert_true(file->size > 0);
        if (strcmp(file->path, "/index.html") != 0) assert_true(sc_ui_has(ui, file->path));
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(file->path, sc__ui_files[j].path);
        }
    }
    sc_ui_free(ui);
    sc_ui_free(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_file_is_shown_at_its_path),
    cmocka_unit_test(test_other_paths_are_not_the_ui_s),
    cmocka_unit_test(test_every_page_is_guarded),
    cmocka_unit_test(test_a_program_without_files_says_so),
    cmocka_unit_test(test_what_was_built_in_can_be_shown),
};
SC_SUITE(tests)
