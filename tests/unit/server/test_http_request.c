// Requests over real sockets: what reaches the handler and how, and what never does.
#include "support/check.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

/** Ask, in a connection of its own, and check status and body. */
static void check_answer(const fixture *h, const char *request, int status, const char *body)
{
    caller c = caller_dial(server_address(h));
    const char *received = caller_ask(&c, request);
    assert_int_equal(c.status, status);
    assert_string_equal(received, body);
    caller_hang_up(&c);
}

/** It is refused with a problem, the connection is closed, and the handler never saw it. */
static void check_refused(const fixture *h, const char *request, int status)
{
    const uint64_t before = sc_http_stats_of(server_http(h)).requests;
    const uint64_t refused = sc_http_stats_of(server_http(h)).refused_by_limits;
    char problem[32];
    snprintf(problem, sizeof problem, "{\"status\":%d}", status);
    caller c = caller_dial(server_address(h));
    assert_string_equal(caller_ask(&c, request), problem);
    assert_int_equal(c.status, status);
    CHECK_CONTAINS(c.head, "Content-Type: application/problem+json\r\n");
    CHECK_CONTAINS(c.head, "Connection: close\r\n");
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);
    assert_int_equal(sc_http_stats_of(server_http(h)).requests, before);
    assert_int_equal(sc_http_stats_of(server_http(h)).refused_by_limits, refused + 1);
}

static void test_the_handler_sees_what_was_asked(void **state)
{
    const fixture *h = *state;
    check_answer(h, "GET /tell?a=1&b=%20 HTTP/1.1\r\nHost: x\r\nX-WORD: w\r\n\r\n", 200,
                 "GET /tell ?a=1&b=%20 word=w local");
    check_answer(h, "DELETE /tell HTTP/1.1\r\nHost: x\r\n\r\n", 200, "DELETE /tell ? word=- local");
    check_answer(h, "PUT /tell HTTP/1.1\r\nHost: x\r\n\r\n", 200, "OTHER /tell ? word=- local");
    check_answer(h, "BREW /tell HTTP/1.1\r\nHost: x\r\n\r\n", 200, "OTHER /tell ? word=- local");
    check_answer(h, "GET http://x/tell/absolute HTTP/1.1\r\nHost: x\r\n\r\n", 200,
                 "GET /tell/absolute ? word=- local");
    check_answer(h, "GET /tell HTTP/1.1\r\nHost: x\r\nX-Word: first\r\nX-Word: second\r\n\r\n", 200,
                 "GET /tell ? word=first local");
    check_answer(h, GET("/nowhere"), 404, "");
}

static void test_a_target_that_names_another_host_is_refused(void **state)
{
    const fixture *h = *state;
    check_answer(h, "GET HTTP://X:80/tell HTTP/1.1\r\nHost: x:80\r\n\r\n", 200,
                 "GET /tell ? word=- local");
    check_refused(h, "GET http://y/tell HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused(h, "GET http://x:80/tell HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused(h, "GET ftp://x/tell HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused(h, "GET //x/tell HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused(h, "GET tell HTTP/1.1\r\nHost: x\r\n\r\n", 400);
    check_refused(h, "GET http://x/tell HTTP/1.0\r\n\r\n", 400);
}

static void test_a_path_is_decoded_and_a_nul_in_it_is_refused(void **state)
{
    const fixture *h = *state;
    check_answer(h, GET("/%74ell/a%2fb%20c"), 200, "GET /tell/a/b c ? word=- local");
    check_answer(h, GET("/tell/%zz%"), 200, "GET /tell/%zz% ? word=- local");
    check_refused(h, GET("/now%00.txt"), 400);
}

static void test_head_is_answered_as_get_without_a_body(void **state)
{
    caller c = caller_dial(server_address(*state));
    c.is_head = true;
    caller_ask(&c, "HEAD /now HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(c.status, 200);
    CHECK_CONTAINS(c.head, "Content-Length: 5\r\n");
    c.is_head = false;
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
}

static void test_a_body_comes_by_length_and_by_chunks(void **state)
{
    const fixture *h = *state;
    check_answer(h, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody", 200, "body");
    check_answer(h, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 200, "");
    check_answer(h, "POST /echo HTTP/1.1\r\nHost: x\r\n\r\n", 200, "");
    check_answer(h, "GET /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nget", 200, "get");
    check_answer(h,
                 "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "3\r\nabc\r\n5\r\ndefgh\r\n0\r\n\r\n",
                 200, "abcdefgh");
}

static void test_a_body_comes_byte_by_byte(void **state)
{
    caller c = caller_dial(server_address(*state));
    const char request[] = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody";
    for (size_t i = 0; i + 1 < sizeof request; i++) {
        caller_send_bytes(&c, request + i, 1);
    }
    assert_string_equal(caller_receive(&c), "body");
    caller_hang_up(&c);
}

static void test_a_client_that_asks_before_sending_is_told_to_go_on(void **state)
{
    caller c = caller_dial(server_address(*state));
    caller_ask(&c, "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                   "Content-Length: 4\r\n\r\n");
    assert_int_equal(c.status, 100);
    assert_string_equal(caller_ask(&c, "body"), "body");
    assert_int_equal(c.status, 200);
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
    check_refused(*state,
                  "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: gold\r\n"
                  "Content-Length: 4\r\n\r\n",
                  417);
}

static void test_what_is_not_http_is_refused_with_a_problem(void **state)
{
    const fixture *h = *state;
    check_refused(h, "hello\r\n\r\n", 400);
    check_refused(h, "GET /now HTTP/7.0\r\nHost: x\r\n\r\n", 400);
    check_refused(h, "GET /now HTTP/0.9\r\nHost: x\r\n\r\n", 400);
    check_refused(h, "GET /now HTTP/1.1\r\nno colon\r\n\r\n", 400);
    check_refused(h, "GET /now HTTP/1.40\r\nno colon\r\n\r\n", 400);
    check_refused(h, "GET /now HTTP/1.1\r\n\r\n", 400);  // no host
    check_refused(h, "GET /now HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400);
    check_refused(h, "GET /now HTTP/1.1\r\nHost: x\r\nX Word: y\r\n\r\n", 400);
    check_refused(h, "GET /now HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400);
}

static void test_a_request_whose_end_is_in_doubt_is_refused(void **state)
{
    static const struct {
        const char *headers;
        int status;
    } cases[] = {
        {"Content-Length: 4\r\nContent-Length: 4", 400},
        {"Content-Length: 4\r\nTransfer-Encoding: chunked", 400},
        {"Transfer-Encoding: chunked\r\nContent-Length: 4", 400},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400},
        {"Content-Length: +0", 400},
        {"Content-Length: -1", 400},
        {"Content-Length: 4x", 400},
        {"Content-Length : 4", 400},
        {"Transfer-Encoding: gzip, chunked", 501},
        {"Transfer-Encoding: identity", 501},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char request[256];
        snprintf(request, sizeof request, "POST /echo HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n0\r\n\r\n",
                 cases[i].headers);
        check_refused(*state, request, cases[i].status);
    }
    check_refused(*state, "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                  400);
}

static void test_a_body_is_read_whatever_the_method_and_not_taken_for_a_request(void **state)
{
    static const char *const methods[] = {"HEAD", "TRACE", "BREW", "CONNECT"};
    for (size_t i = 0; i < 4; i++) {
        char request[256];
        snprintf(request, sizeof request,
                 "%s /now HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n" GET("/now"),
                 methods[i], sizeof GET("/now") - 1);
        caller c = caller_dial(server_address(*state));
        c.is_head = i == 0;
        caller_ask(&c, request);
        assert_int_equal(c.status, 200);
        c.is_head = false;
        CHECK_CONTAINS(caller_ask(&c, GET("/tell")), "GET /tell");
        caller_hang_up(&c);
    }
}

// A proxy expects no body of a reply to HEAD, whatever its status: it would take it for the next.
static void test_a_request_of_head_is_refused_without_a_body(void **state)
{
    static const char *const requests[] = {
        "HEAD /now HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "HEAD /now%00 HTTP/1.1\r\nHost: x\r\n\r\n",
        "\r\nHEAD /now HTTP/1.1\r\nHost: x\n\r\n",
        "HEAD /now HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        caller c = caller_dial(server_address(*state));
        c.is_head = true;
        caller_ask(&c, requests[i]);
        assert_int_equal(c.status, i < 3 ? 400 : 413);
        CHECK_CONTAINS(c.head, "Content-Length: 14\r\n");
        assert_true(caller_is_left(&c));
        caller_hang_up(&c);
    }
}

// --- Limits of size ------------------------------------------------------------------------------

static void test_headers_beyond_the_limit_are_refused(void **state)
{
    const fixture *h = *state;
    char request[6000];
    const size_t room = sizeof request;
    snprintf(request, room, "GET /now HTTP/1.1\r\nHost: x\r\nX-Word: %01000d\r\n\r\n", 0);
    check_answer(h, request, 200, "hello");
    snprintf(request, room, "GET /now HTTP/1.1\r\nHost: x\r\nX-Word: %05000d\r\n\r\n", 0);
    check_refused(h, request, 431);
    snprintf(request, room, "GET /%05000d HTTP/1.1\r\nHost: x\r\n\r\n", 0);
    check_refused(h, request, 431);
    snprintf(request, room, "GET /now HTTP/1.1\r\nHost: x\r\nX-Word: %05000d", 0);  // no end
    check_refused(h, request, 431);
}

static void test_a_body_beyond_the_limit_is_refused_before_it_is_read(void **state)
{
    const fixture *h = *state;
    char request[12000];
    const size_t room = sizeof request;
    snprintf(request, room, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 8192\r\n\r\n%08192d",
             7);
    check_answer(h, request, 200, strstr(request, "\r\n\r\n") + 4);
    check_refused(h, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 8193\r\n\r\n", 413);
    check_refused(h,
                  "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 8193\r\n"
                  "Expect: 100-continue\r\n\r\n",
                  413);
    check_refused(h, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999\r\n\r\n",
                  413);
    check_refused(h, "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2001\r\n",
                  413);
    snprintf(request, room,
             "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
             "1000\r\n%04096d\r\n1001\r\n",
             7);
    check_refused(h, request, 413);
    check_refused(h, "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                  400);
}

static void test_who_sends_too_much_still_hears_why(void **state)
{
    enum { MUCH = 1 << 20 };
    char *much = test_take(1, MUCH);
    caller c = caller_dial(server_address(*state));
    caller_send(&c, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n");
    caller_send_bytes(&c, much, MUCH);
    caller_receive(&c);
    assert_int_equal(c.status, 413);
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);
    free(much);
}

// --- Connections ---------------------------------------------------------------------------------

static void test_a_connection_stays_unless_the_client_wants_otherwise(void **state)
{
    const fixture *h = *state;
    caller c = caller_dial(server_address(h));
    for (int i = 0; i < 100; i++) {
        assert_string_equal(caller_ask(&c, GET("/now")), "hello");
        assert_null(strstr(c.head, "Connection:"));
    }
    caller_ask(&c, "GET /now HTTP/1.1\r\nHost: x\r\nConnection: TE, Close\r\n\r\n");
    CHECK_CONTAINS(c.head, "Connection: close\r\n");
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);

    c = caller_dial(server_address(h));
    assert_string_equal(caller_ask(&c, "GET /now HTTP/1.0\r\n\r\n"), "hello");
    CHECK_CONTAINS(c.head, "Connection: close\r\n");
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);

    c = caller_dial(server_address(h));
    for (int i = 0; i < 3; i++) {
        caller_ask(&c, "GET /later HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        CHECK_CONTAINS(c.head, "Connection: keep-alive\r\n");
    }
    caller_hang_up(&c);
}

static void test_requests_sent_ahead_are_answered_in_their_order(void **state)
{
    caller c = caller_dial(server_address(*state));
    for (int i = 0; i < 20; i++) {
        caller_send(&c, GET("/later") GET("/now"));
    }
    for (int i = 0; i < 20; i++) {
        assert_string_equal(caller_receive(&c), "at last");
        assert_string_equal(caller_receive(&c), "hello");
    }
    caller_hang_up(&c);
}

// Else it would be read no further, and its end would not be noticed.
static void
test_a_client_that_floods_while_a_reply_is_awaited_is_cut_off_and_reported_gone(void **state)
{
    enum { ASKED = 1000 };
    fixture *h = *state;
    const unsigned gone = server_gone(h);
    caller c = caller_dial(server_address(h));
    caller_send(&c, GET("/hold"));
    server_await(h, server_held, 1);
    for (int i = 0; i < ASKED; i++) {
        caller_send(&c, GET("/now"));
    }
    server_await(h, server_gone, gone + 1);
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);
}

static int start(void **state)
{
    sc_http_options options = server_options();
    options.max_header_bytes = 4096;
    options.max_body_bytes = 8192;
    *state = server_start(&options);
    return 0;
}

static int stop(void **state)
{
    server_await_idle(*state);
    server_stop(*state);
    return 0;
}

// --- Framing: bytes that a proxy may read in another way -----------------------------------------

#define CHUNKED "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
#define BYTES(text) text, sizeof(text) - 1

typedef struct framing_case {
    const char *name;
    const char *bytes;
    size_t size;
} framing_case;

static const framing_case not_plain[] = {
    {"NUL in a value", BYTES("GET /now HTTP/1.1\r\nHost: x\r\nX-Word: a\0b\r\n\r\n")},
    {"NUL in a name", BYTES("GET /now HTTP/1.1\r\nHost: x\r\nX-\0: a\r\n\r\n")},
    {"NUL in the request line", BYTES("GET /now\0x HTTP/1.1\r\nHost: x\r\n\r\n")},
    {"LF after the request line", BYTES("GET /now HTTP/1.1\nHost: x\r\n\r\n")},
    {"LF after a header", BYTES("GET /now HTTP/1.1\r\nHost: x\nX-Word: a\r\n\r\n")},
    {"LF at the end of the head", BYTES("GET /now HTTP/1.1\r\nHost: x\r\n\n")},
    {"CR within a header", BYTES("GET /now HTTP/1.1\r\nHost: x\r\nX-Word: a\rb\r\n\r\n")},
    {"a header that goes on", BYTES("GET /now HTTP/1.1\r\nHost: x\r\nX-Word: a\r\n b\r\n\r\n")},
    {"the same by a tab", BYTES("GET /now HTTP/1.1\r\nHost: x\r\nX-Word: a\r\n\tb\r\n\r\n")},
    {"a blank before the first", BYTES("GET /now HTTP/1.1\r\n Host: x\r\nHost: y\r\n\r\n")},
    {"0x before a chunk's size", BYTES(CHUNKED "0x5\r\nhello\r\n0\r\n\r\n")},
    {"+ before it", BYTES(CHUNKED "+5\r\nhello\r\n0\r\n\r\n")},
    {"- before it", BYTES(CHUNKED "-5\r\nhello\r\n0\r\n\r\n")},
    {"a blank before it", BYTES(CHUNKED " 5\r\nhello\r\n0\r\n\r\n")},
    {"a blank after it", BYTES(CHUNKED "5 \r\nhello\r\n0\r\n\r\n")},
    {"no size", BYTES(CHUNKED "\r\nhello\r\n0\r\n\r\n")},
    {"LF after it", BYTES(CHUNKED "5\nhello\r\n0\r\n\r\n")},
    {"LF after a chunk", BYTES(CHUNKED "5\r\nhello\n0\r\n\r\n")},
    {"bytes after a chunk", BYTES(CHUNKED "5\r\nhelloo\r\n0\r\n\r\n")},
    {"LF after the last chunk", BYTES(CHUNKED "5\r\nhello\r\n0\r\n\n")},
    {"NUL in a trailer", BYTES(CHUNKED "5\r\nhello\r\n0\r\nX: \0\r\n\r\n")},
    {"a trailer without a colon", BYTES(CHUNKED "5\r\nhello\r\n0\r\nX\r\n\r\n")},
    {"a blank before its colon", BYTES(CHUNKED "5\r\nhello\r\n0\r\nX : a\r\n\r\n")},
    {"a control character in it", BYTES(CHUNKED "5\r\nhello\r\n0\r\nX: \1\r\n\r\n")},
    {"an extension without a name", BYTES(CHUNKED "5;=b\r\nhello\r\n0\r\n\r\n")},
    {"one with an empty value", BYTES(CHUNKED "5;a=\r\nhello\r\n0\r\n\r\n")},
    {"one whose quotes do not end", BYTES(CHUNKED "5;a=\"b\r\nhello\r\n0\r\n\r\n")},
    {"one without its semicolon", BYTES(CHUNKED "5 a=b\r\nhello\r\n0\r\n\r\n")},
    {"two blanks before the target", BYTES("GET  /now HTTP/1.1\r\nHost: x\r\n\r\n")},
    {"two blanks behind it", BYTES("GET /now  HTTP/1.1\r\nHost: x\r\n\r\n")},
    {"a blank behind the version", BYTES("GET /now HTTP/1.1 \r\nHost: x\r\n\r\n")},
};

static const framing_case plain_ones[] = {
    {"a blank within a value", BYTES("GET /now HTTP/1.1\r\nHost: x\r\nX-Word:\t a b \r\n\r\n")},
    {"NUL and LF in a body",
     BYTES("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\na\0\n\n \r")},
    {"NUL and LF in a chunk", BYTES(CHUNKED "6\r\na\0\n\n \r\r\n0\r\n\r\n")},
    {"large letters and zeros in a size", BYTES(CHUNKED "00A\r\n0123456789\r\n0\r\n\r\n")},
    {"a trailer", BYTES(CHUNKED "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n")},
    {"an empty line before", BYTES("\r\nGET /now HTTP/1.1\r\nHost: x\r\n\r\n")},
    {"an extension of a chunk", BYTES(CHUNKED "5;name=value\r\nhello\r\n0\r\n\r\n")},
    {"one with a quoted value", BYTES(CHUNKED "5;name=\"a;b\"\r\nhello\r\n0\r\n\r\n")},
    {"several extensions", BYTES(CHUNKED "5;a=b;c=d;e\r\nhello\r\n0\r\n\r\n")},
    {"blanks around their signs", BYTES(CHUNKED "5 ; a\t= b\r\nhello\r\n0\r\n\r\n")},
    {"a quote within a quoted value", BYTES(CHUNKED "5;a=\"b\\\"c\"\r\nhello\r\n0\r\n\r\n")},
    {"several chunks", BYTES(CHUNKED "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")},
    {"one of the last chunk", BYTES(CHUNKED "5\r\nhello\r\n0;end\r\n\r\n")},
};

/** The status of the reply, to bytes that come at once or one by one. */
static int status_of(const fixture *h, const framing_case *c, bool one_by_one)
{
    caller client = caller_dial(server_address(h));
    for (size_t i = 0; i < c->size && one_by_one; i++) {
        caller_send_bytes(&client, c->bytes + i, 1);
        if (i % 8 == 0) usleep(100);
    }
    if (!one_by_one) caller_send_bytes(&client, c->bytes, c->size);
    caller_receive(&client);
    const int status = client.status;
    caller_hang_up(&client);
    return status;
}

static void check_cases(const fixture *h, const framing_case *cases, size_t count, int wanted)
{
    for (size_t i = 0; i < 2 * count; i++) {
        const int status = status_of(h, &cases[i / 2], i % 2 == 1);
        if (status != wanted) fail_msg("%s: %d, and not %d", cases[i / 2].name, status, wanted);
    }
}

static void test_framing_that_others_may_read_otherwise_is_refused(void **state)
{
    check_cases(*state, not_plain, sizeof not_plain / sizeof *not_plain, 400);
}

static void test_framing_that_is_plain_is_not(void **state)
{
    check_cases(*state, plain_ones, sizeof plain_ones / sizeof *plain_ones, 200);
}

// The good ones before it are answered, and what follows a bad one is not read.
static void test_framing_is_followed_through_requests_sent_ahead(void **state)
{
    caller c = caller_dial(server_address(*state));
    caller_send(&c, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na\nb" CHUNKED
                    "2\r\n\n\n\r\n0\r\n\r\nGET /now HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_string_equal(caller_receive(&c), "a\nb");
    assert_string_equal(caller_receive(&c), "\n\n");
    assert_string_equal(caller_receive(&c), "hello");
    caller_send(&c, "GET /now HTTP/1.1\nHost: x\r\n\r\nGET /now HTTP/1.1\r\nHost: x\r\n\r\n");
    caller_receive(&c);
    assert_int_equal(c.status, 400);
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);
}

// HTTP/2 begins with a connection, or not at all.
static void test_http_2_does_not_begin_behind_other_requests(void **state)
{
    caller c = caller_dial(server_address(*state));
    assert_string_equal(caller_ask(&c, "GET /now HTTP/1.1\r\nHost: x\r\n\r\n"), "hello");
    caller_send(&c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    caller_receive(&c);
    assert_int_equal(c.status, 400);
    caller_hang_up(&c);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_http_2_does_not_begin_behind_other_requests),
    cmocka_unit_test(test_the_handler_sees_what_was_asked),
    cmocka_unit_test(test_a_target_that_names_another_host_is_refused),
    cmocka_unit_test(test_a_path_is_decoded_and_a_nul_in_it_is_refused),
    cmocka_unit_test(test_head_is_answered_as_get_without_a_body),
    cmocka_unit_test(test_a_body_comes_by_length_and_by_chunks),
    cmocka_unit_test(test_framing_that_others_may_read_otherwise_is_refused),
    cmocka_unit_test(test_framing_that_is_plain_is_not),
    cmocka_unit_test(test_framing_is_followed_through_requests_sent_ahead),
    cmocka_unit_test(test_a_body_comes_byte_by_byte),
    cmocka_unit_test(test_a_request_of_head_is_refused_without_a_body),
    cmocka_unit_test(test_a_client_that_asks_before_sending_is_told_to_go_on),
    cmocka_unit_test(test_what_is_not_http_is_refused_with_a_problem),
    cmocka_unit_test(test_a_request_whose_end_is_in_doubt_is_refused),
    cmocka_unit_test(test_a_body_is_read_whatever_the_method_and_not_taken_for_a_request),
    cmocka_unit_test(test_headers_beyond_the_limit_are_refused),
    cmocka_unit_test(test_a_body_beyond_the_limit_is_refused_before_it_is_read),
    cmocka_unit_test(test_who_sends_too_much_still_hears_why),
    cmocka_unit_test(test_a_connection_stays_unless_the_client_wants_otherwise),
    cmocka_unit_test(test_requests_sent_ahead_are_answered_in_their_order),
    cmocka_unit_test(
        test_a_client_that_floods_while_a_reply_is_awaited_is_cut_off_and_reported_gone),
};
SC_SUITE_WITH(tests, start, stop)
