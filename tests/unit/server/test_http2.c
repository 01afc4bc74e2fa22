// HTTP/2: requests side by side on one connection, and what a client cannot use up by it.
#include "support/check.h"
#include "support/http2_caller.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"

#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BODY_MOST = 8192, HEAD_MOST = 4096 };

// --- Requests and replies ------------------------------------------------------------------------

static void check(http2_caller *c, int32_t id, int status, const char *body)
{
    const http2_reply *reply = http2_receive(c, id);
    assert_int_equal(reply->status, status);
    assert_string_equal(reply->body, body);
}

static void test_the_handler_sees_the_same_as_by_http_1(void **state)
{
    http2_caller *c = http2_dial(server_address(*state));
    check(c, http2_ask(c, "GET", "/now", NULL, 0), 200, "hello");
    check(c, http2_ask(c, "POST", "/echo", "body", 4), 200, "body");
    check(c, http2_ask_with(c, "GET", "/%74ell/a%2fb?x=1&y", "x-word", "w", NULL, 0), 200,
          "GET /tell/a/b ?x=1&y word=w local");
    check(c, http2_ask(c, "DELETE", "/tell", NULL, 0), 200, "DELETE /tell ? word=- local");
    check(c, http2_ask(c, "BREW", "/tell", "x", 1), 200, "OTHER /tell ? word=- local");
    check(c, http2_ask(c, "GET", "/nowhere", NULL, 0), 404, "");
    check(c, http2_ask(c, "GET", "/empty", NULL, 0), 204, "");
    http2_hang_up(c);
}

static void test_a_reply_has_the_headers_of_http_1(void **state)
{
    http2_caller *c = http2_dial(server_address(*state));
    const http2_reply *reply = http2_receive(c, http2_ask(c, "GET", "/now", NULL, 0));
    CHECK_CONTAINS(reply->headers, "content-length: 5\n");
    CHECK_CONTAINS(reply->headers, "content-type: text/plain");
    CHECK_CONTAINS(reply->headers, "cache-control: no-store\n");
    CHECK_CONTAINS(reply->headers, "x-content-type-options: nosniff\n");
    CHECK_CONTAINS(reply->headers, "date: ");
    reply = http2_receive(c, http2_ask(c, "GET", "/odd", NULL, 0));
    assert_int_equal(reply->status, 299);
    CHECK_CONTAINS(reply->headers, "cache-control: max-age=60\n");
    CHECK_CONTAINS(reply->headers, "x-fine: yes\n");
    assert_null(strstr(reply->headers, "smuggled"));
    reply = http2_receive(c, http2_ask(c, "HEAD", "/now", NULL, 0));
    CHECK_CONTAINS(reply->headers, "content-length: 5\n");
    assert_int_equal(reply->size, 0);
    http2_hang_up(c);
}

static void test_a_hundred_requests_are_answered_side_by_side(void **state)
{
    enum { COUNT = 100 };
    http2_caller *c = http2_dial(server_address(*state));
    const unsigned held = server_held(*state);
    int32_t ids[COUNT];
    for (int i = 0; i < COUNT; i++) {
        ids[i] = http2_ask(c, "GET", i % 2 ? "/later" : "/now", NULL, 0);
    }
    for (int i = COUNT - 1; i >= 0; i--) {
        check(c, ids[i], 200, i % 2 ? "at last" : "hello");
    }
    assert_int_equal(server_held(*state), held);
    http2_hang_up(c);
}

static void test_large_replies_come_whole(void **state)
{
    static const char *const paths[] = {"/big", "/lent", "/middling"};
    static const size_t sizes[] = {SERVER_BIG, SERVER_BIG, SERVER_MIDDLING};
    http2_caller *c = http2_dial(server_address(*state));
    for (int i = 0; i < 3; i++) {
        const http2_reply *reply = http2_receive(c, http2_ask(c, "GET", paths[i], NULL, 0));
        assert_int_equal(reply->status, 200);
        assert_int_equal(reply->size, sizes[i]);
    }
    http2_hang_up(c);
}

static void test_a_stream_of_pieces_comes_as_it_is_sent(void **state)
{
    http2_caller *c = http2_dial(server_address(*state));
    check(c, http2_ask(c, "GET", "/stream", NULL, 0), 200, "one,two,three");
    const int32_t id = http2_ask(c, "GET", "/listen", NULL, 0);
    assert_string_equal(http2_receive_some(c, id, 6)->body, "listen");
    check(c, http2_ask(c, "GET", "/now", NULL, 0), 200, "hello");
    http2_hang_up(c);
}

static void test_a_client_that_asks_before_sending_is_told_to_go_on(void **state)
{
    http2_caller *c = http2_dial(server_address(*state));
    const int32_t id = http2_ask_with(c, "POST", "/echo", "expect", "100-continue", "body", 4);
    check(c, id, 200, "body");
    assert_true(http2_receive(c, id)->was_told_to_go_on);
    check(c, http2_ask_with(c, "POST", "/echo", "expect", "gold", "body", 4), 417,
          "{\"status\":417}");
    http2_hang_up(c);
}

// --- Clients that go -----------------------------------------------------------------------------

static void test_a_reset_stream_is_gone_and_the_others_go_on(void **state)
{
    fixture *h = *state;
    const unsigned gone = server_gone(h);
    const unsigned held = server_held(h);
    http2_caller *c = http2_dial(server_address(h));
    const int32_t id = http2_ask(c, "GET", "/hold", NULL, 0);
    (void)http2_ask(c, "GET", "/forget", NULL, 0);
    http2_send(c);
    server_await(h, server_held, held + 2);
    http2_reset(c, id);
    server_await(h, server_gone, gone + 1);
    check(c, http2_ask(c, "GET", "/now", NULL, 0), 200, "hello");
    http2_hang_up(c);
    server_await(h, server_gone, gone + 2);
}

// --- Limits --------------------------------------------------------------------------------------

static void test_heads_and_bodies_beyond_their_limits_are_refused(void **state)
{
    static char large[3 * BODY_MOST];
    char word[HEAD_MOST + 1];
    memset(large, 'x', sizeof large);
    memset(word, 'x', sizeof word);
    word[HEAD_MOST] = '\0';
    http2_caller *c = http2_dial(server_address(*state));
    check(c, http2_ask(c, "POST", "/now", large, BODY_MOST), 200, "hello");
    check(c, http2_ask(c, "POST", "/now", large, BODY_MOST + 1), 413, "{\"status\":413}");
    check(c, http2_ask(c, "POST", "/now", large, sizeof large), 413, "{\"status\":413}");
    check(c, http2_ask_with(c, "GET", "/now", "x-word", word, NULL, 0), 431, "{\"status\":431}");
    check(c, http2_ask(c, "GET", "//x/now", NULL, 0), 400, "{\"status\":400}");
    check(c, http2_ask(c, "GET", "/now%00", NULL, 0), 400, "{\"status\":400}");
    // The windows of bodies that were thrown away are open again.
    for (int i = 0; i < 40; i++) {
        check(c, http2_ask(c, "POST", "/now", large, BODY_MOST), 200, "hello");
    }
    http2_hang_up(c);
}

static void test_a_hundred_requests_may_be_on_their_way_at_once(void **state)
{
    http2_caller *c = http2_dial(server_address(*state));
    for (int i = 0; i < 99; i++) {
        (void)http2_begin(c, "/echo");
    }
    check(c, http2_ask(c, "GET", "/now", NULL, 0), 200, "hello");
    http2_hang_up(c);
}

/** Read from `c` until `wanted` has come; what came before it stays in `bytes`. */
static void read_until(const caller *c, const void *wanted, size_t wanted_size)
{
    static char bytes[65536];
    size_t size = 0;
    while (!memmem(bytes, size, wanted, wanted_size)) {
        struct pollfd wait = {.fd = c->fd, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, 10000), 1);
        const ssize_t got = recv(c->fd, bytes + size, sizeof bytes - size, 0);
        assert_true(got > 0);
        size += (size_t)got;
    }
}

// A client that never heard of the limit: its stream is refused, the others go on.
static void test_a_stream_beyond_a_hundred_is_refused_alone(void **state)
{
    enum { STREAMS = 101 };
    static const char refused[] = {
        0, 0, 4, NGHTTP2_RST_STREAM,    0, 0, 0, 0, (char)(2 * STREAMS - 1),
        0, 0, 0, NGHTTP2_REFUSED_STREAM};
    char head[64];
    static char frames[STREAMS * 64];
    const size_t head_size = http2_head(head);
    size_t size = 0;
    for (uint32_t i = 0; i < STREAMS; i++) {
        size += http2_frame(frames + size, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 2 * i + 1,
                            head, head_size);
    }
    caller c = caller_dial(server_address(*state));
    caller_send_bytes(&c, http2_beginning, http2_beginning_size);
    caller_send_bytes(&c, frames, size);
    read_until(&c, refused, sizeof refused);
    size = http2_frame(frames, NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, 1, NULL, 0);
    caller_send_bytes(&c, frames, size);
    read_until(&c, "hello", 5);
    caller_hang_up(&c);
}

static void test_but_not_with_large_heads(void **state)
{
    char path[HEAD_MOST - 512] = "/echo?";
    memset(path + strlen(path), 'x', sizeof path - strlen(path) - 1);
    path[sizeof path - 1] = '\0';
    http2_caller *c = http2_dial(server_address(*state));
    int32_t last = 0;
    for (int i = 0; i < 99; i++) {
        last = http2_begin(c, path);
    }
    const http2_reply *reply = http2_receive(c, last);
    assert_int_equal(reply->status, 0);
    assert_int_not_equal(reply->error, NGHTTP2_NO_ERROR);
    http2_hang_up(c);
}

/** Whether a newcomer gets a place, within ten seconds. */
static bool gets_a_place(const fixture *h)
{
    bool has_place = false;
    for (int ms = 0; ms < 10000 && !has_place; ms++) {
        caller outside = caller_dial(server_address(h));
        has_place =
            strcmp(caller_ask(&outside, "GET /place HTTP/1.1\r\nHost: x\r\n\r\n"), "regular") == 0;
        caller_hang_up(&outside);
        usleep(1000);
    }
    return has_place;
}

// As slow requests of HTTP/1.1 do; whether the client does not send, or does not take.
static void test_a_connection_that_only_keeps_us_waiting_makes_room(void **state)
{
    (void)state;
    enum { MOST = 4 };
    for (int takes = 0; takes < 2; takes++) {
        sc_http_options options = server_options();
        options.max_connections = MOST;
        fixture *h = server_start(&options);
        http2_caller *slow[MOST];
        for (int i = 0; i < MOST; i++) {
            slow[i] = http2_dial(server_address(h));
            check(slow[i], http2_ask(slow[i], "GET", "/now", NULL, 0), 200, "hello");
            if (takes) {
                (void)http2_begin(slow[i], "/echo");
                check(slow[i], http2_ask(slow[i], "GET", "/now", NULL, 0), 200, "hello");
            } else {
                http2_stop_taking(slow[i]);
                const int32_t id = http2_ask(slow[i], "GET", "/lent", NULL, 0);
                (void)http2_receive_some(slow[i], id, 1);
            }
        }
        assert_int_equal(sc_http_stats_of(server_http(h)).evicted, 0);
        assert_true(gets_a_place(h));
        assert_int_equal(sc_http_stats_of(server_http(h)).evicted, 1);
        for (int i = 0; i < MOST; i++) {
            http2_hang_up(slow[i]);
        }
        server_await_idle(h);
        server_stop(h);
    }
}

static void test_a_request_that_never_ends_is_refused_in_time(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.request_timeout_s = 0.2;
    fixture *h = server_start(&options);
    http2_caller *c = http2_dial(server_address(h));
    const int32_t id = http2_begin(c, "/echo");
    // The reply comes whole, and then the stream is reset: no more of the request is wanted.
    check(c, id, 408, "{\"status\":408}");
    assert_int_equal(http2_receive(c, id)->error, 0);
    check(c, http2_ask(c, "GET", "/now", NULL, 0), 200, "hello");
    assert_true(sc_http_stats_of(server_http(h)).refused_by_limits > 0);
    http2_hang_up(c);
    server_stop(h);
}

static void test_a_client_that_takes_no_reply_is_cut_off(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.write_timeout_s = 0.3;
    fixture *h = server_start(&options);
    http2_caller *c = http2_dial(server_address(h));
    http2_stop_taking(c);
    (void)http2_ask(c, "GET", "/lent", NULL, 0);
    http2_await_end(c);
    assert_int_equal(sc_http_stats_of(server_http(h)).stalled, 1);
    http2_hang_up(c);
    server_stop(h);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

static void test_memory_is_lent_until_the_reply_is_sent_or_the_client_has_gone(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    fixture *h = server_start(&options);
    caller asker = caller_dial(server_address(h));
    assert_string_equal(caller_ask(&asker, GET("/is-lent")), "no");
    http2_caller *slow = http2_dial(server_address(h));
    http2_stop_taking(slow);
    const int32_t id = http2_ask(slow, "GET", "/lent", NULL, 0);
    (void)http2_receive_some(slow, id, 1);
    assert_string_equal(caller_ask(&asker, GET("/is-lent")), "yes");
    http2_hang_up(slow);
    while (strcmp(caller_ask(&asker, GET("/is-lent")), "yes") == 0) {
    }
    // By HTTP/1.1: the one that asks has taken nothing of it, then all.
    caller other = caller_dial(server_address(h));
    caller_send(&other, GET("/lent"));
    while (strcmp(caller_ask(&asker, GET("/is-lent")), "no") == 0) {
    }
    caller_receive(&other);
    assert_int_equal(other.body_size, SERVER_BIG);
    while (strcmp(caller_ask(&asker, GET("/is-lent")), "yes") == 0) {
    }
    caller_hang_up(&other);
    caller_hang_up(&asker);
    server_stop(h);
}

static void test_an_idle_connection_ends_whatever_pings_come(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.idle_timeout_s = 0.3;
    fixture *h = server_start(&options);
    caller c = caller_dial(server_address(h));
    char ping[32];
    const size_t size = http2_frame(ping, NGHTTP2_PING, 0, 0, "12345678", 8);
    caller_send_bytes(&c, http2_beginning, http2_beginning_size);
    char acks[4096];
    do {
        caller_send_bytes(&c, ping, size);
        struct pollfd wait = {.fd = c.fd, .events = POLLIN};
        (void)poll(&wait, 1, 20);
    } while (recv(c.fd, acks, sizeof acks, MSG_DONTWAIT) > 0 || errno == EAGAIN);
    assert_int_equal(sc_http_stats_of(server_http(h)).requests, 0);
    caller_hang_up(&c);
    server_stop(h);
}

// --- Floods: the connection ends, and others do not notice ---------------------------------------

/** Send `bytes` again and again; the server ends the connection, and answers others. */
static void flood(const fixture *h, const char *bytes, size_t size, size_t times)
{
    caller c = caller_dial(server_address(h));
    caller_send_bytes(&c, http2_beginning, http2_beginning_size);
    for (size_t i = 0; i < times; i++) {
        caller_send_bytes(&c, bytes, size);
    }
    (void)caller_is_left(&c);
    caller_hang_up(&c);
    http2_caller *other = http2_dial(server_address(h));
    check(other, http2_ask(other, "GET", "/now", NULL, 0), 200, "hello");
    http2_hang_up(other);
}

static void test_floods_of_settings_and_pings_end_the_connection(void **state)
{
    enum { AT_ONCE = 64, FRAME = 32 };
    char settings[AT_ONCE * FRAME];
    char pings[AT_ONCE * FRAME];
    size_t settings_size = 0;
    size_t pings_size = 0;
    for (int i = 0; i < AT_ONCE; i++) {
        settings_size += http2_frame(settings + settings_size, NGHTTP2_SETTINGS, 0, 0, NULL, 0);
        pings_size += http2_frame(pings + pings_size, NGHTTP2_PING, 0, 0, "12345678", 8);
    }
    // What is read at once is answered at once: more than is owed then must come in one piece.
    flood(*state, settings, settings_size, 20000);
    flood(*state, pings, pings_size, 20000);
}

static void test_streams_that_are_opened_and_reset_end_the_connection(void **state)
{
    enum { STREAMS = 2000 };
    char head[64];
    static char frames[STREAMS * 64];
    const size_t head_size = http2_head(head);
    size_t size = 0;
    for (uint32_t i = 0; i < STREAMS; i++) {
        const uint32_t stream = 2 * i + 1;
        size += http2_frame(frames + size, NGHTTP2_HEADERS,
                            NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, stream, head,
                            head_size);
        size += http2_frame(frames + size, NGHTTP2_RST_STREAM, 0, stream, "\0\0\0\10", 4);
    }
    flood(*state, frames, size, 1);
}

/** Send frames and a ping, and read until that is answered; false if the connection ends. */
static bool goes_on_after(const caller *c, char *frames, size_t size)
{
    static const char mark[] = "still up";
    static char bytes[65536];
    size_t got = 0;
    size += http2_frame(frames + size, NGHTTP2_PING, 0, 0, mark, 8);
    if (send(c->fd, frames, size, MSG_NOSIGNAL) != (ssize_t)size) return false;
    while (!memmem(bytes, got, mark, 8)) {
        struct pollfd wait = {.fd = c->fd, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, 10000), 1);
        const ssize_t more = recv(c->fd, bytes + got, sizeof bytes - got, 0);
        if (more <= 0) return false;
        got += (size_t)more;
    }
    return true;
}

/** How a stream can be broken by a client that does not reset it. */
typedef struct breach {
    const char *header;
    size_t header_size;
    unsigned type;  ///< of the frame after the head; nothing in it: there is none
    const char *payload;
    size_t size;
} breach;

static size_t put_broken(char *out, const breach *how, uint32_t stream)
{
    char head[64];
    const size_t head_size = http2_head(head);
    memcpy(head + head_size, how->header, how->header_size);
    size_t size = http2_frame(out, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, stream, head,
                              head_size + how->header_size);
    if (how->size == 0) return size;
    size += http2_frame(out + size, how->type, 0, stream, how->payload, how->size);
    return size;
}

// The client resets nothing, but makes the server do so.
static void test_streams_that_are_opened_and_broken_end_the_connection(void **state)
{
    enum { AT_ONCE = 50, ROUNDS = 40 };
    static const breach ways[] = {
        {"", 0, NGHTTP2_WINDOW_UPDATE, "\x7f\xff\xff\xff", 4},  // beyond what a window can be
        {"\x0f\x0d\0011", 4, NGHTTP2_DATA, "xx", 2},            // content-length: 1
        {"\0\001X\001y", 5, 0, NULL, 0},                        // a name with a capital letter
    };
    static char frames[AT_ONCE * 64 + 64];
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        caller c = caller_dial(server_address(*state));
        caller_send_bytes(&c, http2_beginning, http2_beginning_size);
        bool goes_on = true;
        int round = 0;
        uint32_t stream = 1;
        for (; round < ROUNDS && goes_on; round++) {
            size_t size = 0;
            for (int i = 0; i < AT_ONCE; i++, stream += 2) {
                size += put_broken(frames + size, &ways[way], stream);
            }
            goes_on = goes_on_after(&c, frames, size);
        }
        assert_false(goes_on);
        assert_in_range(round, 5, ROUNDS);  // the first two hundred are forgiven
        caller_hang_up(&c);
    }
    http2_caller *other = http2_dial(server_address(*state));
    check(other, http2_ask(other, "GET", "/now", NULL, 0), 200, "hello");
    http2_hang_up(other);
}

static void test_a_head_that_goes_on_and_on_ends_the_connection(void **state)
{
    char head[64];
    char frames[4096];
    const size_t head_size = http2_head(head);
    size_t size = http2_frame(frames, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM, 1, head, head_size);
    for (int i = 0; i < 100; i++) {
        // A header of its own in each: x: y, as it is.
        size += http2_frame(frames + size, NGHTTP2_CONTINUATION, 0, 1, "\0\1x\1y", 5);
    }
    flood(*state, frames, size, 1);
}

// A header that is put into the table once and named thousands of times: there is no table.
static void test_a_head_that_unpacks_to_much_is_refused(void **state)
{
    enum { LARGE = 3000, TIMES = 5000 };
    static char payload[64 + LARGE + TIMES];
    static char frame[sizeof payload + 9];
    size_t at = http2_head(payload);
    // With incremental indexing, a new name "x" and a value of LARGE bytes.
    static const unsigned char length[] = {
        0x40, 1, 'x', 0x7f, (LARGE - 127) % 128 + 128, (LARGE - 127) / 128};
    memcpy(payload + at, length, sizeof length);
    at += sizeof length;
    memset(payload + at, 'v', LARGE);
    at += LARGE;
    memset(payload + at, 0x80 | 62, TIMES);  // the newest of the table
    at += TIMES;
    const size_t size = http2_frame(
        frame, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, 1, payload, at);
    const uint64_t refused = sc_http_stats_of(server_http(*state)).refused_by_limits;
    caller c = caller_dial(server_address(*state));
    caller_send_bytes(&c, http2_beginning, http2_beginning_size);
    caller_send_bytes(&c, frame, size);
    while (sc_http_stats_of(server_http(*state)).refused_by_limits == refused) {
        usleep(1000);
    }
    caller_hang_up(&c);
}

static void test_what_is_not_http_2_ends_the_connection(void **state)
{
    flood(*state, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27, 1);
    char frame[64];
    const size_t size = http2_frame(frame, NGHTTP2_DATA, 0, 1, "stray", 5);
    flood(*state, frame, size, 1);
}

// --- Draining ------------------------------------------------------------------------------------

static void test_a_server_that_stops_listening_lets_streams_end(void **state)
{
    (void)state;
    const sc_http_options options = server_options();
    fixture *h = server_start(&options);
    http2_caller *c = http2_dial(server_address(h));
    const int32_t id = http2_ask(c, "GET", "/hold", NULL, 0);
    http2_send(c);
    server_await(h, server_held, 1);
    sc_http_stop_listening(server_http(h));
    server_release(h);
    check(c, id, 200, "released");
    http2_await_end(c);
    assert_true(http2_is_going_away(c));
    http2_hang_up(c);
    server_stop(h);
}

static int start(void **state)
{
    sc_http_options options = server_options();
    options.max_header_bytes = HEAD_MOST;
    options.max_body_bytes = BODY_MOST;
    *state = server_start(&options);
    return 0;
}

static int stop(void **state)
{
    server_await_idle(*state);
    server_stop(*state);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_handler_sees_the_same_as_by_http_1),
    cmocka_unit_test(test_a_reply_has_the_headers_of_http_1),
    cmocka_unit_test(test_a_hundred_requests_are_answered_side_by_side),
    cmocka_unit_test(test_large_replies_come_whole),
    cmocka_unit_test(test_a_stream_of_pieces_comes_as_it_is_sent),
    cmocka_unit_test(test_a_client_that_asks_before_sending_is_told_to_go_on),
    cmocka_unit_test(test_a_reset_stream_is_gone_and_the_others_go_on),
    cmocka_unit_test(test_heads_and_bodies_beyond_their_limits_are_refused),
    cmocka_unit_test(test_a_hundred_requests_may_be_on_their_way_at_once),
    cmocka_unit_test(test_a_stream_beyond_a_hundred_is_refused_alone),
    cmocka_unit_test(test_but_not_with_large_heads),
    cmocka_unit_test(test_a_connection_that_only_keeps_us_waiting_makes_room),
    cmocka_unit_test(test_a_request_that_never_ends_is_refused_in_time),
    cmocka_unit_test(test_a_client_that_takes_no_reply_is_cut_off),
    cmocka_unit_test(test_memory_is_lent_until_the_reply_is_sent_or_the_client_has_gone),
    cmocka_unit_test(test_an_idle_connection_ends_whatever_pings_come),
    cmocka_unit_test(test_floods_of_settings_and_pings_end_the_connection),
    cmocka_unit_test(test_streams_that_are_opened_and_reset_end_the_connection),
    cmocka_unit_test(test_streams_that_are_opened_and_broken_end_the_connection),
    cmocka_unit_test(test_a_head_that_goes_on_and_on_ends_the_connection),
    cmocka_unit_test(test_a_head_that_unpacks_to_much_is_refused),
    cmocka_unit_test(test_what_is_not_http_2_ends_the_connection),
    cmocka_unit_test(test_a_server_that_stops_listening_lets_streams_end),
};
SC_SUITE_WITH(tests, start, stop)
