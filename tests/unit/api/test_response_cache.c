// A kept page over a real server: what is said along with it, and who gets which form.
#include "api/response_cache.h"

#include "base/bytes.h"
#include "support/check.h"
#include "support/page_server.h"

#include <pthread.h>
#include <stdio.h>

static const sc_http_header more[] = {{"X-First", "one"}, {"X-Second", "two"}};
static const sc__cached_page_headers words = {
    .type = "text/x-words",
    .cache_control = "private, max-age=7",
    .more = more,
    .more_count = 2,
};
static const char text[] = "to be or not to be, to be or not to be, to be or not to be";
enum { TEXT_SIZE = sizeof text - 1 };

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)loop;
    sc__cached_page_send(context, request);
}

static void check_words(const web_reply *reply)
{
    assert_string_equal(web_header(reply, "Cache-Control"), "private, max-age=7");
    assert_string_equal(web_header(reply, "Vary"), "Accept-Encoding");
    assert_string_equal(web_header(reply, "X-First"), "one");
    assert_string_equal(web_header(reply, "X-Second"), "two");
    assert_string_equal(web_header(reply, "X-Content-Type-Options"), "nosniff");
}

static void test_a_page_comes_with_its_words(void **state)
{
    (void)state;
    sc__cached_page kept = {0};
    CHECK_OK(sc__cached_page_borrow(&kept, &words, text, TEXT_SIZE), NULL);
    sc_http *http = page_server_start(handle, &kept);
    web_reply reply = page_get(http, "/", "");
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, text);
    assert_string_equal(web_header(&reply, "Content-Type"), "text/x-words");
    assert_string_equal(web_header(&reply, "Content-Encoding"), "");
    check_words(&reply);
    page_check_head(http, "/", &reply);
    web_reply_free(&reply);
    sc_http_free(http);
    sc__cached_page_fini(&kept);
}

static void test_a_packed_page_is_the_same_and_shorter(void **state)
{
    (void)state;
    sc__cached_page kept = {0};
    CHECK_OK(sc__cached_page_borrow(&kept, &words, text, TEXT_SIZE), NULL);
    sc_http *http = page_server_start(handle, &kept);
    web_reply reply = page_get(http, "/", "Accept-Encoding: gzip\r\n");
    assert_int_equal(reply.status, 200);
    assert_string_equal(web_header(&reply, "Content-Type"), "text/x-words");
    assert_string_equal(web_header(&reply, "Content-Encoding"), "gzip");
    check_words(&reply);
    assert_true(reply.size < TEXT_SIZE);
    page_check_unpacks(&reply, text, TEXT_SIZE);
    web_reply_free(&reply);
    sc_http_free(http);
    sc__cached_page_fini(&kept);
}

// The words too may have changed since: a client that has the page takes the new ones.
static void test_those_who_have_it_are_told_its_words_again(void **state)
{
    (void)state;
    static const char *const accepts[] = {"", "Accept-Encoding: gzip\r\n"};
    sc__cached_page kept = {0};
    CHECK_OK(sc__cached_page_borrow(&kept, &words, text, TEXT_SIZE), NULL);
    sc_http *http = page_server_start(handle, &kept);
    for (size_t i = 0; i < 2; i++) {
        const char *etag = i == 0 ? kept.plain.etag : kept.packed.etag;
        char headers[256];
        snprintf(headers, sizeof headers, "If-None-Match: %s\r\n%s", etag, accepts[i]);
        web_reply reply = page_get(http, "/", headers);
        assert_int_equal(reply.status, 304);
        assert_int_equal(reply.size, 0);
        assert_string_equal(web_header(&reply, "ETag"), etag);
        assert_string_equal(web_header(&reply, "Content-Encoding"), "");
        check_words(&reply);
        web_reply_free(&reply);
    }
    sc_http_free(http);
    sc__cached_page_fini(&kept);
}

static void test_tags_tell_contents_apart(void **state)
{
    (void)state;
    sc__cached_page kept = {0};
    sc__cached_page same = {0};
    sc__cached_page other = {0};
    CHECK_OK(sc__cached_page_borrow(&kept, &words, text, TEXT_SIZE), NULL);
    CHECK_OK(sc__cached_page_borrow(&same, &words, text, TEXT_SIZE), NULL);
    CHECK_OK(sc__cached_page_borrow(&other, &words, text, TEXT_SIZE - 1), NULL);
    assert_string_equal(kept.plain.etag, same.plain.etag);
    assert_string_equal(kept.packed.etag, same.packed.etag);
    assert_string_not_equal(kept.plain.etag, other.plain.etag);
    assert_string_not_equal(kept.plain.etag, kept.packed.etag);
    // The whole of it, with its quotes.
    assert_int_equal(strlen(kept.packed.etag), 2 + 16 + strlen("-gzip"));
    sc__cached_page_fini(&kept);
    sc__cached_page_fini(&same);
    sc__cached_page_fini(&other);
}

static void test_bytes_that_are_taken_are_its_own(void **state)
{
    (void)state;
    sc_bytes bytes = {0};
    assert_true(sc_bytes_append(&bytes, text, strlen(text)));
    sc__cached_page kept = {0};
    CHECK_OK(sc__cached_page_own(&kept, &words, &bytes), NULL);
    assert_null(bytes.data);
    assert_int_equal(kept.plain.size, TEXT_SIZE);
    assert_memory_equal(kept.plain.bytes, text, TEXT_SIZE);
    sc__cached_page_fini(&kept);
    assert_null(kept.plain.bytes);
    sc__cached_page_fini(&kept);  // harmless
}

static void test_a_page_may_be_empty(void **state)
{
    (void)state;
    sc__cached_page kept = {0};
    CHECK_OK(sc__cached_page_borrow(&kept, &words, "", 0), NULL);
    sc_http *http = page_server_start(handle, &kept);
    web_reply plain = page_get(http, "/", "");
    web_reply packed = page_get(http, "/", "Accept-Encoding: gzip\r\n");
    assert_int_equal(plain.status, 200);
    assert_int_equal(plain.size, 0);
    page_check_unpacks(&packed, "", 0);
    web_reply_free(&plain);
    web_reply_free(&packed);
    sc_http_free(http);
    sc__cached_page_fini(&kept);
}

// === What a client accepts and what it has, by its headers: a stranger's text

static void test_gzip_is_sent_to_those_who_say_so(void **state)
{
    (void)state;
    static const char *const yes[] = {
        "gzip",
        "GZIP",
        "x-gzip",
        "gzip, deflate, br",
        "deflate, gzip;q=1.0, *;q=0.5",
        "br;q=1.0,gzip;q=0.8",
        "gzip;q=0.001",
        "gzip ; q=0.5",
        "identity;q=0, gzip",
        "*",
        "*;q=0.1",
        "gzip;level=9;q=0.2",
        "*;q=0, gzip",
    };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (!sc__accepts_gzip(yes[i])) fail_msg("accepts gzip: %s", yes[i]);
    }
}

static void test_gzip_is_not_sent_to_those_who_do_not(void **state)
{
    (void)state;
    static const char *const no[] = {
        "",           "identity",         "deflate",  "br",    "gzip;q=0",
        "gzip;q=0.0", "gzip; q=0.000, *", "GZIP;Q=0", "*;q=0", "gzipped",
        "not-gzip",   "deflate;q=gzip",   ",,,",      ";q=1",
    };
    assert_false(sc__accepts_gzip(NULL));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        if (sc__accepts_gzip(no[i])) fail_msg("does not accept gzip: %s", no[i]);
    }
}

static void test_a_weight_belongs_to_its_own_item(void **state)
{
    (void)state;
    assert_true(sc__accepts_gzip("gzip, br;q=0"));
    assert_true(sc__accepts_gzip("br;q=0, gzip"));
    assert_false(sc__accepts_gzip("gzip;q=0, br;q=1"));
}

static void test_a_tag_is_found_in_a_list(void **state)
{
    (void)state;
    static const char *const yes[] = {
        "\"abc\"", "W/\"abc\"", "\"x\", \"abc\"",  "\"x\",W/\"y\" ,\t\"abc\"  ",
        "*",       " * ",       "\"a,b\",\"abc\"",
    };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (!sc__etag_matches(yes[i], "\"abc\"")) fail_msg("names it: %s", yes[i]);
    }
    static const char *const no[] = {
        "",        "abc", "\"abcd\"",           "\"ab\"",    "\"abc-gzip\"", "\"abc",
        "\"ABC\"", "*x",  "\"x\" junk \"abc\"", "w/\"abc\"", "\"x, \"abc",
    };
    assert_false(sc__etag_matches(NULL, "\"abc\""));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        if (sc__etag_matches(no[i], "\"abc\"")) fail_msg("does not name it: %s", no[i]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_page_comes_with_its_words),
    cmocka_unit_test(test_a_packed_page_is_the_same_and_shorter),
    cmocka_unit_test(test_those_who_have_it_are_told_its_words_again),
    cmocka_unit_test(test_tags_tell_contents_apart),
    cmocka_unit_test(test_bytes_that_are_taken_are_its_own),
    cmocka_unit_test(test_a_page_may_be_empty),
    cmocka_unit_test(test_gzip_is_sent_to_those_who_say_so),
    cmocka_unit_test(test_gzip_is_not_sent_to_those_who_do_not),
    cmocka_unit_test(test_a_weight_belongs_to_its_own_item),
    cmocka_unit_test(test_a_tag_is_found_in_a_list),
};
SC_SUITE(tests)
