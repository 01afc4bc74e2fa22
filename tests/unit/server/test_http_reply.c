// Replies over real sockets: at once, later from another thread, piece by piece; and clients that
// go away before.
#include "support/check.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

// --- Heads ---------------------------------------------------------------------------------------

static void test_a_head_has_what_every_head_has(void **state)
{
    caller c = caller_dial(server_address(*state));
    caller_ask(&c, GET("/now"));
    assert_memory_equal(c.head, "HTTP/1.1 200 OK\r\n", 17);
    CHECK_CONTAINS(c.head, "\r\nContent-Type: text/plain\r\n");
    CHECK_CONTAINS(c.head, "\r\nContent-Length: 5\r\n");
    CHECK_CONTAINS(c.head, "\r\nCache-Control: no-store\r\n");
    CHECK_CONTAINS(c.head, "\r\nX-Content-Type-Options: nosniff\r\n");
    caller_hang_up(&c);
}

static void test_the_date_is_today_s(void **state)
{
    caller c = caller_dial(server_address(*state));
    const time_t before = time(NULL);
    caller_ask(&c, GET("/now"));
    const time_t after = time(NULL);
    const char *date = strstr(c.head, "\r\nDate: ");
    assert_non_null(date);
    struct tm told = {0};
    const char *end = strptime(date + 8, "%a, %d %b %Y %H:%M:%S GMT", &told);
    assert_non_null(end);
    assert_memory_equal(end, "\r\n", 2);
    const time_t said = timegm(&told);
    assert_in_range(said, before - 1, after);
    caller_hang_up(&c);
}

static void test_headers_take_the_place_of_others_and_cannot_break_out(void **state)
{
    caller c = caller_dial(server_address(*state));
    assert_string_equal(caller_ask(&c, GET("/odd")), "odd");
    assert_memory_equal(c.head, "HTTP/1.1 299 \r\n", 15);
    CHECK_CONTAINS(c.head, "\r\nCache-Control: max-age=60\r\n");
    CHECK_CONTAINS(c.head, "\r\nX-Fine: yes\r\n");
    assert_null(strstr(c.head, "no-store"));
    assert_null(strstr(c.head, "X-Bro"));
    assert_null(strstr(c.head, "X-Smuggled"));
    caller_hang_up(&c);
}

static void test_no_content_has_no_length(void **state)
{
    caller c = caller_dial(server_address(*state));
    caller_ask(&c, GET("/empty"));
    assert_int_equal(c.status, 204);
    assert_null(strstr(c.head, "Content-Length"));
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
}

// --- Whole replies -------------------------------------------------------------------------------

static void test_a_reply_comes_by_way_of_another_thread(void **state)
{
    caller c = caller_dial(server_address(*state));
    for (int i = 0; i < 200; i++) {
        assert_string_equal(
            caller_ask(&c, "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"),
            "at last");
    }
    caller_hang_up(&c);
}

static void test_a_reply_larger_than_any_buffer_arrives_whole(void **state)
{
    caller c = caller_dial(server_address(*state));
    const char *body = caller_ask(&c, GET("/big"));
    assert_int_equal(c.body_size, SERVER_BIG);
    for (size_t i = 0; i < SERVER_BIG; i++) {
        if (body[i] != 'b') assert_int_equal(i, SERVER_BIG);
    }
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
}

static void test_what_is_asked_behind_a_large_reply_waits_its_turn(void **state)
{
    caller c = caller_dial(server_address(*state));
    caller_send(&c, GET("/big") GET("/now"));
    caller_receive(&c);
    assert_int_equal(c.body_size, SERVER_BIG);
    assert_string_equal(caller_receive(&c), "hello");
    caller_hang_up(&c);
}

// --- Clients that go -----------------------------------------------------------------------------

typedef void (*leaving)(caller *c);

static void close_one_side(caller *c)
{
    shutdown(c->fd, SHUT_WR);
}

static void check_gone(fixture *h, const char *request, leaving leave)
{
    const unsigned held = server_held(h);
    const unsigned gone = server_gone(h);
    const uint64_t counted = sc_http_stats_of(server_http(h)).gone;
    caller c = caller_dial(server_address(h));
    caller_send(&c, request);
    server_await(h, server_held, held + 1);
    leave(&c);
    server_await(h, server_gone, gone + 1);
    assert_int_equal(sc_http_stats_of(server_http(h)).gone, counted + 1);
    if (c.fd >= 0) caller_hang_up(&c);
    server_await_idle(h);
}

static void test_a_client_that_leaves_before_the_reply_is_noticed(void **state)
{
    check_gone(*state, GET("/hold"), caller_hang_up);
    check_gone(*state, GET("/hold"), caller_slam);
    check_gone(*state, "POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab",
               caller_slam);
}

static void test_a_client_that_leaves_is_noticed_though_it_has_asked_for_more(void **state)
{
    check_gone(*state, GET("/hold") GET("/now"), caller_hang_up);
    check_gone(*state, GET("/hold") GET("/hold"), caller_slam);
    check_gone(*state, GET("/now") GET("/hold"), caller_hang_up);
}

static void test_a_listener_that_leaves_is_noticed(void **state)
{
    check_gone(*state, GET("/listen"), caller_hang_up);
    check_gone(*state, GET("/listen"), caller_slam);
    check_gone(*state, GET("/flood"), caller_slam);
}

static void test_who_has_its_reply_is_not_gone(void **state)
{
    fixture *h = *state;
    const unsigned gone = server_gone(h);
    caller c = caller_dial(server_address(h));
    caller_ask(&c, GET("/later"));
    caller_hang_up(&c);
    c = caller_dial(server_address(h));
    caller_send(&c, GET("/big"));  // which is not taken
    server_await(h, server_requests, 2);
    caller_slam(&c);
    server_await_idle(h);
    assert_int_equal(server_gone(h), gone);
}

// A client may vanish at any byte that it sends, and at any moment of what it receives.
static void test_clients_vanish_at_every_stage(void **state)
{
    fixture *h = *state;
    static const char *const requests[] = {
        "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
        "chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody",
        GET("/stream") GET("/later") GET("/now"),
        GET("/flood"),
        GET("/big"),
        "GET /now HTTP/1.1\r\nbad\r\n\r\n",
    };
    for (size_t r = 0; r < sizeof requests / sizeof *requests; r++) {
        const size_t size = strlen(requests[r]);
        for (size_t cut = 0; cut <= size; cut += 1 + size / 25) {
            caller c = caller_dial(server_address(h));
            caller_send_bytes(&c, requests[r], cut);
            if (cut % 2) usleep(500);
            (cut % 3 == 0 ? caller_hang_up : cut % 3 == 1 ? caller_slam : close_one_side)(&c);
            if (c.fd >= 0) caller_hang_up(&c);
        }
    }
    server_await_idle(h);
    caller c = caller_dial(server_address(h));
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
}

// --- Streams -------------------------------------------------------------------------------------

static void test_a_stream_is_received_in_pieces(void **state)
{
    caller c = caller_dial(server_address(*state));
    assert_string_equal(caller_ask(&c, GET("/stream")), "one,two,three");
    assert_null(strstr(c.head, "Content-Length"));
    CHECK_CONTAINS(c.head, "\r\nContent-Type: text/event-stream\r\n");
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
}

static void test_a_stream_for_an_old_client_ends_with_the_connection(void **state)
{
    caller c = caller_dial(server_address(*state));
    caller_ask(&c, "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    CHECK_CONTAINS(c.head, "Connection: close\r\n");
    assert_null(strstr(c.head, "chunked"));
    caller_is_left(&c);
    assert_int_equal(c.count, 13);
    assert_memory_equal(c.bytes, "one,two,three", 13);
    caller_hang_up(&c);
}

static void test_a_stream_for_head_is_its_head_alone(void **state)
{
    caller c = caller_dial(server_address(*state));
    c.is_head = true;
    caller_ask(&c, "HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_int_equal(c.status, 200);
    c.is_head = false;
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
}

static void test_who_does_not_read_its_stream_is_cut_off(void **state)
{
    fixture *h = *state;
    const unsigned gone = server_gone(h);
    caller c = caller_dial(server_address(h));
    caller_send(&c, GET("/flood"));
    server_await(h, server_gone, gone + 1);
    caller_is_left(&c);
    caller_hang_up(&c);
    server_await_idle(h);
}

static int start(void **state)
{
    const sc_http_options options = server_options();
    *state = server_start(&options);
    return 0;
}

static int stop(void **state)
{
    server_await_idle(*state);
    server_stop(*state);
    return 0;
}

#define WITH_A_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

// --- Clients that send no more, and read on ------------------------------------------------------

static void test_who_only_ends_its_own_sending_gets_its_reply(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    fixture *h = server_start(&options);
    caller c = caller_dial(server_address(h));
    caller_send(&c, GET("/hold"));
    shutdown(c.fd, SHUT_WR);
    server_await(h, server_held, 1);
    caller_receive(&c);
    assert_int_equal(c.status, 100);  // it goes on
    server_release(h);
    assert_string_equal(caller_receive(&c), "released");
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);
    // A large one, whose end comes after the end of sending.
    c = caller_dial(server_address(h));
    caller_send(&c, GET("/lent"));
    shutdown(c.fd, SHUT_WR);
    caller_receive(&c);
    assert_int_equal(c.body_size, SERVER_BIG);
    caller_hang_up(&c);
    assert_int_equal(server_gone(h), 0);
    server_stop(h);
}

static void test_who_leaves_after_that_is_gone(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.request_timeout_s = 0.1;  // so that it is often looked
    fixture *h = server_start(&options);
    caller c = caller_dial(server_address(h));
    caller_send(&c, GET("/hold"));
    shutdown(c.fd, SHUT_WR);
    caller_receive(&c);
    assert_int_equal(c.status, 100);
    assert_int_equal(server_gone(h), 0);
    caller_slam(&c);
    server_await(h, server_gone, 1);
    server_await_idle(h);
    server_stop(h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_who_only_ends_its_own_sending_gets_its_reply),
    cmocka_unit_test(test_who_leaves_after_that_is_gone),
    WITH_A_SERVER(test_a_head_has_what_every_head_has),
    WITH_A_SERVER(test_the_date_is_today_s),
    WITH_A_SERVER(test_headers_take_the_place_of_others_and_cannot_break_out),
    WITH_A_SERVER(test_no_content_has_no_length),
    WITH_A_SERVER(test_a_reply_comes_by_way_of_another_thread),
    WITH_A_SERVER(test_a_reply_larger_than_any_buffer_arrives_whole),
    WITH_A_SERVER(test_what_is_asked_behind_a_large_reply_waits_its_turn),
    WITH_A_SERVER(test_a_client_that_leaves_before_the_reply_is_noticed),
    WITH_A_SERVER(test_a_client_that_leaves_is_noticed_though_it_has_asked_for_more),
    WITH_A_SERVER(test_a_listener_that_leaves_is_noticed),
    WITH_A_SERVER(test_who_has_its_reply_is_not_gone),
    WITH_A_SERVER(test_clients_vanish_at_every_stage),
    WITH_A_SERVER(test_a_stream_is_received_in_pieces),
    WITH_A_SERVER(test_a_stream_for_an_old_client_ends_with_the_connection),
    WITH_A_SERVER(test_a_stream_for_head_is_its_head_alone),
    WITH_A_SERVER(test_who_does_not_read_its_stream_is_cut_off),
};
SC_SUITE(tests)
