// Replies of all kinds, whole and in pieces.
#include "demo/loadgen/http_response.h"

#include <stdio.h>

#include "base/rng.h"
#include "support/check.h"

/** Feed a text at once; it must be a whole reply of `status` with `body`, and `rest` behind it. */
static void check_reply(const char *text, int status, const char *body, const char *rest)
{
    sc_response response = {0};
    sc_diag diag = {""};
    size_t used = 0;
    CHECK_OK(sc_response_feed(&response, text, strlen(text), &used, &diag), &diag);
    assert_true(sc_response_is_whole(&response));
    assert_int_equal(response.status, status);
    assert_int_equal(response.body_size, strlen(body));
    if (body[0]) assert_memory_equal(response.body, body, strlen(body));
    assert_string_equal(text + used, rest);
    sc_response_clear(&response);
}

static void check_refused(const char *text, sc_err wanted, const char *part)
{
    sc_response response = {0};
    sc_diag diag = {""};
    size_t used = 0;
    CHECK_REFUSED(sc_response_feed(&response, text, strlen(text), &used, &diag), wanted, &diag,
                  part);
    sc_response_clear(&response);
}

static void test_a_reply_has_a_status_and_a_body(void **state)
{
    (void)state;
    check_reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", "");
    check_reply("HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", 404, "", "");
    check_reply("HTTP/1.1 204 No Content\r\n\r\n", 204, "", "");
    check_reply("HTTP/1.1 200 OK\r\ncontent-length:  2 \r\nX: \ty\r\n\r\n{}", 200, "{}", "");
}

static void test_chunks_are_put_together(void **state)
{
    (void)state;
    check_reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                "4\r\nWiki\r\nA\r\npedia in\r\n\r\n0\r\n\r\n",
                200, "Wikipedia in\r\n", "");
    check_reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\nDigest: x\r\n\r\n", 200,
                "", "");
}

static void test_what_is_behind_a_reply_is_left(void **state)
{
    (void)state;
    check_reply("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n", 200, "{}",
                "HTTP/1.1 200 OK\r\n");
    check_reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nmore", 200, "",
                "more");
}

static void test_headers_that_matter_are_understood(void **state)
{
    (void)state;
    static const char text[] =
        "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/problem+json; "
        "charset=utf-8\r\n"
        "Retry-After: 17\r\nConnection: Close\r\nContent-Length: 2\r\n\r\n{}";
    sc_response response = {0};
    size_t used = 0;
    CHECK_OK(sc_response_feed(&response, text, sizeof(text) - 1, &used, NULL), NULL);
    assert_int_equal(response.type, SC_RESPONSE_PROBLEM);
    assert_int_equal(response.retry_after_s, 17);
    assert_true(response.closes);
    sc_response_clear(&response);
    assert_true(sc_response_is_blank(&response));
}

static void test_what_no_honest_server_sends_is_refused(void **state)
{
    (void)state;
    check_refused("HTTP/1.0 200 OK\r\n", SC_EPARSE, "HTTP/1.1");
    check_refused("HTTP/1.1 2000 OK\r\n", SC_EPARSE, "HTTP/1.1");
    check_refused("HTTP/1.1 099 OK\r\n", SC_EPARSE, "HTTP/1.1");
    check_refused("HTTP/1.1 200\r\n", SC_EPARSE, "HTTP/1.1");
    check_refused("220 ready\r\n", SC_EPARSE, "HTTP/1.1");
    check_refused("\r\n", SC_EPARSE, "HTTP/1.1");
    check_refused("HTTP/1.1 100 Continue\r\n", SC_EPARSE, "interim");
    check_refused("HTTP/1.1 200 O\x01K\r\n", SC_EPARSE, "control character");
    check_refused("HTTP/1.1 200 OK\n", SC_EPARSE, "CR LF");
    check_refused("HTTP/1.1 200 OK\r\n\r\n", SC_EPARSE, "how long");
    check_refused("HTTP/1.1 200 OK\r\n: x\r\n", SC_EPARSE, "without a name");
    check_refused("HTTP/1.1 200 OK\r\nA b: x\r\n", SC_EPARSE, "without a name");
    check_refused("HTTP/1.1 200 OK\r\nA: x\r\n folded\r\n", SC_EPARSE, "without a name");
    check_refused("HTTP/1.1 200 OK\r\nA: \x7f\r\n", SC_EPARSE, "control character");
    check_refused("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", SC_EPARSE, "number of bytes");
    check_refused("HTTP/1.1 200 OK\r\nContent-Length:\r\n", SC_EPARSE, "number of bytes");
    check_refused("HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n", SC_EPARSE, "number of bytes");
    check_refused("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n", SC_EPARSE,
                  "twice");
    check_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n", SC_EPARSE, "chunked");
    check_refused("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                  SC_EPARSE, "both");
    static const char chunked[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    static const char *const chunks[] = {"\r\n",      "x\r\n",         "-1\r\n",
                                         "1;a=b\r\n", "100000000\r\n", "1\r\nab\r\n"};
    for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), "%s%s", chunked, chunks[i]);
        check_refused(text, SC_EPARSE, "chunk");
    }
}

static void test_everything_is_bounded(void **state)
{
    (void)state;
    check_refused("HTTP/1.1 200 OK\r\nContent-Length: 4194305\r\n", SC_ELIMIT, "4194304");
    check_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n400001\r\n", SC_ELIMIT,
                  "4194304");
    // A line without an end, and headers without one.
    static char text[3 * SC_RESPONSE_HEAD_MAX];
    size_t size = (size_t)snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\nX: ");
    memset(text + size, 'x', SC_RESPONSE_HEAD_MAX);
    text[size + SC_RESPONSE_HEAD_MAX] = '\0';
    check_refused(text, SC_ELIMIT, "too long");
    while (size < sizeof(text) - 16) {
        size += (size_t)snprintf(text + size, sizeof(text) - size, "A: b\r\n");
    }
    check_refused(text, SC_ELIMIT, "too long");
}

// Wherever a reply is cut, it is the same reply; and before its last byte it is not whole.
static void test_pieces_make_the_same_reply(void **state)
{
    (void)state;
    static const char text[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                               "Content-Type: application/json\r\n\r\n"
                               "4\r\nWiki\r\n6\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\n\r\n";
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_response response = {0};
        for (size_t at = 0; at < sizeof(text) - 1;) {
            assert_false(sc_response_is_whole(&response));
            const size_t left = sizeof(text) - 1 - at;
            const size_t piece = 1 + sc_rng_below(&rng, 1 + (uint32_t)(seed % 40));
            size_t used = 0;
            const size_t size = piece < left ? piece : left;
            CHECK_OK(sc_response_feed(&response, text + at, size, &used, NULL), NULL);
            assert_int_equal(used, size);
            at += size;
        }
        assert_true(sc_response_is_whole(&response));
        assert_int_equal(response.type, SC_RESPONSE_JSON);
        assert_int_equal(response.body_size, 24);
        assert_memory_equal(response.body, "Wikipedia in \r\n\r\nchunks.", 24);
        sc_response_clear(&response);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_reply_has_a_status_and_a_body),
    cmocka_unit_test(test_chunks_are_put_together),
    cmocka_unit_test(test_what_is_behind_a_reply_is_left),
    cmocka_unit_test(test_headers_that_matter_are_understood),
    cmocka_unit_test(test_what_no_honest_server_sends_is_refused),
    cmocka_unit_test(test_everything_is_bounded),
    SC_CASES(test_pieces_make_the_same_reply),
};
SC_SUITE(tests)
