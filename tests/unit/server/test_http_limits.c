// What a stranger cannot have: time without end, connections without end, the last descriptor.
#include "base/clock.h"
#include "base/sanitizers.h"
#include "support/check.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"
#include "support/in_child.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

static fixture *with_times(double request_s, double idle_s)
{
    sc_http_options options = server_options();
    options.request_timeout_s = request_s;
    options.idle_timeout_s = idle_s;
    return server_start(&options);
}

// --- Time ----------------------------------------------------------------------------------------

static void check_too_slow(const fixture *h, const char *beginning)
{
    caller c = caller_dial(server_address(h));
    caller_send(&c, beginning);
    assert_string_equal(caller_receive(&c), "{\"status\":408}");
    assert_true(caller_is_left(&c));
    caller_hang_up(&c);
}

static void test_a_request_that_does_not_end_is_refused(void **state)
{
    (void)state;
    fixture *h = with_times(0.1, 20);
    check_too_slow(h, "G");
    check_too_slow(h, "GET /now HTTP/1.1\r\n");
    check_too_slow(h, "GET /now HTTP/1.1\r\nHost: x\r\n");
    check_too_slow(h, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbod");
    check_too_slow(h,
                   "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbo");
    assert_int_equal(sc_http_stats_of(server_http(h)).refused_by_limits, 5);
    server_stop(h);
}

// It never stops, and never gets anywhere.
static void test_a_client_that_drips_is_refused_all_the_same(void **state)
{
    (void)state;
    fixture *h = with_times(0.2, 20);
    caller c = caller_dial(server_address(h));
    caller_send(&c, "GET /now HTTP/1.1\r\nX-Word: ");
    while (caller_receives_nothing(&c, 10)) {
        caller_send(&c, "a");
    }
    caller_receive(&c);
    assert_int_equal(c.status, 408);
    // And goes on dripping: it is cut off even so.
    int drops = 0;
    while (!sc_http_is_idle(server_http(h))) {
        caller_send(&c, "a");
        usleep(1000);
        assert_true(++drops < 60000);
    }
    caller_hang_up(&c);
    server_stop(h);
}

static void test_a_chunk_line_without_end_is_refused(void **state)
{
    (void)state;
    fixture *h = with_times(0.3, 20);
    char *digits = test_take(1, 1 << 20);
    memset(digits, '0', 1 << 20);
    caller c = caller_dial(server_address(h));
    fcntl(c.fd, F_SETFL, O_NONBLOCK);  // not all of it will be taken
    caller_send(&c, "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    caller_send_bytes(&c, digits, 1 << 20);
    fcntl(c.fd, F_SETFL, 0);
    caller_receive(&c);
    assert_int_equal(c.status, 431);
    caller_hang_up(&c);
    free(digits);
    server_stop(h);
}

/** A client whose request has arrived: on a busy machine a connection may be closed before a word
 * was said, and then there is another. */
static caller call_in_time(const fixture *h, const char *request)
{
    const unsigned before = server_requests(h);
    for (int tries = 0; tries < 100; tries++) {
        caller c = caller_dial(server_address(h));
        caller_send(&c, request);
        while (server_requests(h) == before && caller_receives_nothing(&c, 1)) {
        }
        if (server_requests(h) > before) return c;
        caller_hang_up(&c);
    }
    fail_msg("no request arrived in time");
    return (caller){.fd = -1};
}

static void test_an_idle_connection_is_closed_and_a_waiting_one_is_not(void **state)
{
    (void)state;
    fixture *h = with_times(20, 0.1);
    caller waiting = call_in_time(h, GET("/hold"));
    server_await(h, server_held, 1);
    caller silent = caller_dial(server_address(h));
    caller idle = call_in_time(h, GET("/now"));
    assert_string_equal(caller_receive(&idle), "hello");
    assert_true(caller_is_left(&idle));
    assert_true(caller_is_left(&silent));
    assert_true(caller_receives_nothing(&waiting, 300));
    server_release(h);
    assert_string_equal(caller_receive(&waiting), "released");
    assert_int_equal(server_gone(h), 0);
    caller_hang_up(&idle);
    caller_hang_up(&silent);
    caller_hang_up(&waiting);
    server_stop(h);
}

static void test_large_replies_to_one_address_are_paced(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.address_bytes_per_s = SERVER_BIG / 2.0;
    fixture *h = server_start(&options);
    for (int i = 0; i < 2; i++) {
        caller c = caller_dial(server_address(h));
        caller_ask(&c, GET("/lent"));
        assert_int_equal(c.body_size, SERVER_BIG);
        // Others of that address are not kept from small ones.
        caller other = caller_dial(server_address(h));
        assert_string_equal(caller_ask(&other, GET("/now")), "hello");
        caller_hang_up(&other);
        caller_hang_up(&c);
    }
    assert_true(sc_http_stats_of(server_http(h)).paced > 0);
    // One that goes away while it waits, and one that is there at the end.
    for (int i = 0; i < 2; i++) {
        caller c = caller_dial(server_address(h));
        caller_send(&c, GET("/lent"));
        server_await(h, server_requests, 5 + (unsigned)i);
        if (i == 1) server_stop(h);
        caller_hang_up(&c);
    }
}

// --- Connections ---------------------------------------------------------------------------------

/** Wait until there are so many at most. */
static void await_connections(const fixture *h, size_t most)
{
    for (int ms = 0; sc_http_stats_of(server_http(h)).connections > most && ms < 60000; ms++) {
        usleep(1000);
    }
    assert_true(sc_http_stats_of(server_http(h)).connections <= most);
}

/** How many of these get a reply to a request: others are closed, or told that there is no place.
 */
static int answered(caller *callers, int count, const char *request)
{
    int good = 0;
    for (int i = 0; i < count; i++) {
        caller_send(&callers[i], request);
    }
    for (int i = 0; i < count; i++) {
        good += caller_was_answered(&callers[i]);
    }
    return good;
}

static void test_the_oldest_idle_connection_makes_room_for_a_newcomer(void **state)
{
    (void)state;
    enum { MOST = 4 };
    sc_http_options options = server_options();
    options.max_connections = MOST;
    fixture *h = server_start(&options);
    caller inside[MOST];
    for (int i = 0; i < MOST; i++) {
        inside[i] = caller_dial(server_address(h));
        caller_ask(&inside[i], GET("/now"));
    }
    caller_ask(&inside[0], GET("/now"));  // now the second is the one that is idle for longest
    caller outside = caller_dial(server_address(h));
    assert_string_equal(caller_ask(&outside, GET("/now")), "hello");
    assert_string_equal(caller_ask(&inside[0], GET("/now")), "hello");
    assert_int_equal(answered(inside, MOST, GET("/now")), MOST - 1);
    const sc_http_stats stats = sc_http_stats_of(server_http(h));
    assert_int_equal(stats.evicted, 1);
    assert_int_equal(stats.full, 0);
    assert_int_equal(stats.connections, MOST);
    for (int i = 0; i < MOST; i++) {
        caller_hang_up(&inside[i]);
    }
    caller_hang_up(&outside);
    server_await_idle(h);
    server_stop(h);
}

// What others send slowly keeps no one out, and no idle connection has to go for it.
static void test_a_slow_request_makes_room_for_a_newcomer(void **state)
{
    (void)state;
    enum { MOST = 4 };
    sc_http_options options = server_options();
    options.max_connections = MOST;
    fixture *h = server_start(&options);
    caller slow[MOST];
    for (int i = 0; i < MOST; i++) {
        // With the reply to the first request the second one has begun: before, the connection is
        // idle, and would make room for that.
        slow[i] = caller_dial(server_address(h));
        assert_string_equal(caller_ask(&slow[i], GET("/now") "GET /now HT"), "hello");
    }
    // Until they are slow, newcomers are in the reserve.
    bool has_place = false;
    for (const int64_t began = sc_clock_us(); !has_place && sc_clock_us() - began < 20000000;) {
        caller outside = caller_dial(server_address(h));
        has_place = strcmp(caller_ask(&outside, GET("/place")), "regular") == 0;
        caller_hang_up(&outside);
        usleep(1000);
    }
    assert_true(has_place);
    assert_int_equal(sc_http_stats_of(server_http(h)).evicted, 1);
    for (int i = 0; i < MOST; i++) {
        caller_hang_up(&slow[i]);
    }
    server_await_idle(h);
    server_stop(h);
}

/** Requests that are held, so that no place is left for others. */
static void keep_busy(const fixture *h, caller *callers, int count)
{
    for (int i = 0; i < count; i++) {
        callers[i] = caller_dial(server_address(h));
        caller_send(&callers[i], GET("/hold"));
    }
    server_await(h, server_held, (unsigned)count);
}

static void let_go(fixture *h, caller *callers, int count)
{
    server_release(h);
    for (int i = 0; i < count; i++) {
        assert_string_equal(caller_receive(&callers[i]), "released");
        caller_hang_up(&callers[i]);
    }
}

// Of busy connections none makes room: newcomers get places of the reserve, and say so.
static void test_if_all_are_busy_newcomers_are_in_the_reserve(void **state)
{
    (void)state;
    enum { MOST = 4, MORE = 100, RESERVE = 32 };
    sc_http_options options = server_options();
    options.max_connections = MOST;
    fixture *h = server_start(&options);
    caller inside[MOST];
    keep_busy(h, inside, MOST);
    // More than the reserve has: the oldest of them make room.
    caller outside[MORE];
    for (int i = 0; i < MORE; i++) {
        outside[i] = caller_dial(server_address(h));
    }
    caller last = caller_dial(server_address(h));
    assert_string_equal(caller_ask(&last, GET("/place")), "reserve");
    assert_true(sc_http_stats_of(server_http(h)).connections <= MOST + RESERVE);
    assert_true(sc_http_stats_of(server_http(h)).full >= MORE);
    // Once there is a place, a connection of the reserve has it with its next request.
    let_go(h, inside, MOST);
    await_connections(h, RESERVE);
    assert_string_equal(caller_ask(&outside[MORE - 1], GET("/place")), "regular");
    for (int i = 0; i < MORE; i++) {
        caller_hang_up(&outside[i]);
    }
    caller_hang_up(&last);
    server_await_idle(h);
    server_stop(h);
}

// All places are busy, and one address comes again and again: others may still ask how it is.
static void test_an_address_has_a_share_of_the_reserve(void **state)
{
    (void)state;
    enum { MOST = 2, MORE = 100, OTHERS = 4 };
    sc_http_options options = server_options();
    options.max_connections = MOST;
    fixture *h = server_start(&options);
    caller inside[MOST];
    keep_busy(h, inside, MOST);
    caller others[OTHERS];
    for (int i = 0; i < OTHERS; i++) {
        others[i] = caller_dial_from(server_address(h), "127.0.0.2");
    }
    caller flood[MORE];
    for (int i = 0; i < MORE; i++) {
        flood[i] = caller_dial(server_address(h));
    }
    assert_string_equal(caller_ask(&flood[MORE - 1], GET("/place")), "reserve");
    for (int i = 0; i < OTHERS; i++) {
        assert_string_equal(caller_ask(&others[i], GET("/place")), "reserve");
        caller_hang_up(&others[i]);
    }
    for (int i = 0; i < MORE; i++) {
        caller_hang_up(&flood[i]);
    }
    let_go(h, inside, MOST);
    server_await_idle(h);
    server_stop(h);
}

static void test_an_address_has_so_many_connections_and_no_more(void **state)
{
    (void)state;
    for (unsigned loops = 1; loops <= 3; loops++) {
        enum { MOST = 4, MORE = 20 };
        sc_http_options options = server_options();
        options.max_address_connections = MOST;
        options.loops = loops;
        fixture *h = server_start(&options);
        caller busy[MOST];
        for (int i = 0; i < MOST; i++) {
            busy[i] = caller_dial(server_address(h));
            caller_send(&busy[i], GET("/hold"));
        }
        server_await(h, server_held, MOST);
        caller more[MORE];
        for (int i = 0; i < MORE; i++) {
            more[i] = caller_dial(server_address(h));
        }
        assert_int_equal(answered(more, MORE, GET("/now")), 0);
        assert_int_equal(sc_http_stats_of(server_http(h)).refused_addresses, MORE);
        // The client sees the end of a connection a moment before the server has counted it.
        while (sc_http_stats_of(server_http(h)).connections > MOST) {
            usleep(1000);
        }
        server_release(h);
        for (int i = 0; i < MOST; i++) {
            assert_string_equal(caller_receive(&busy[i]), "released");
        }
        // Idle ones make room, whichever loop they are of; a newcomer is always welcome.
        for (int i = 0; i < MORE; i++) {
            caller_hang_up(&more[i]);
            more[i] = caller_dial(server_address(h));
            assert_string_equal(caller_ask(&more[i], GET("/now")), "hello");
        }
        await_connections(h, MOST);
        for (int i = 0; i < MORE; i++) {
            caller_hang_up(&more[i]);
        }
        for (int i = 0; i < MOST; i++) {
            caller_hang_up(&busy[i]);
        }
        server_await_idle(h);
        server_stop(h);
    }
}

// A crowd comes at once, to loops that have their places in common.
static void test_loops_share_the_places(void **state)
{
    (void)state;
    enum { MOST = 6, LOOPS = 3, ALL = 40, RESERVE = 32 };
    sc_http_options options = server_options();
    options.max_connections = MOST;
    options.loops = LOOPS;
    fixture *h = server_start(&options);
    caller callers[ALL];
    for (int i = 0; i < ALL; i++) {
        callers[i] = caller_dial(server_address(h));
        assert_string_equal(caller_ask(&callers[i], GET("/now")), "hello");
    }
    await_connections(h, MOST);
    for (int i = 0; i < ALL; i++) {
        caller_hang_up(&callers[i]);
    }
    server_await_idle(h);
    server_stop(h);
}

// A crowd of clients takes no place of operators.
static void test_operators_have_places_of_their_own(void **state)
{
    (void)state;
    static const char *const admin[] = {"127.0.0.1:0"};
    sc_http_options options = server_options();
    options.max_connections = 1;
    options.max_address_connections = 1;
    options.admin_addresses = admin;
    options.admin_address_count = 1;
    options.max_admin_connections = 2;
    fixture *h = server_start(&options);
    caller inside = caller_dial(server_address(h));
    caller_send(&inside, GET("/hold"));
    server_await(h, server_held, 1);
    const char *there = sc_http_admin_address(server_http(h), 0);
    caller operators[3] = {caller_dial(there), caller_dial(there), caller_dial(there)};
    assert_int_equal(answered(operators, 3, GET("/now")), 2);
    for (int i = 0; i < 3; i++) {
        caller_hang_up(&operators[i]);
    }
    caller_hang_up(&inside);
    server_await_idle(h);
    server_stop(h);
}

// --- Descriptors ---------------------------------------------------------------------------------

// In a process of its own, as it can have few descriptors only. The clients are in yet another:
// only the server is to run out.
static void serve_with_few_descriptors(void)
{
    enum { FEW = 40, CLIENTS = 60 };
    int to_server[2];
    int to_clients[2];
    EXPECT(pipe(to_server) == 0 && pipe(to_clients) == 0);
    const pid_t clients = fork();
    // Neither waits for the other once that has failed: the end of a pipe is its last writer's.
    close(clients == 0 ? to_clients[1] : to_clients[0]);
    close(clients == 0 ? to_server[0] : to_server[1]);
    if (clients == 0) {
        char address[64] = "";
        EXPECT(read(to_clients[0], address, sizeof address - 1) > 0);
        caller crowd[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            crowd[i] = caller_dial(address);
            caller_send(&crowd[i], GET("/now"));
        }
        EXPECT(strcmp(caller_receive(&crowd[0]), "hello") == 0);
        EXPECT(write(to_server[1], "full", 4) == 4);
        EXPECT(read(to_clients[0], address, sizeof address) > 0);
        // A client that leaves makes room: all are served in the end.
        for (int i = 0; i < CLIENTS; i++) {
            if (i > 0) EXPECT(strcmp(caller_receive(&crowd[i]), "hello") == 0);
            caller_hang_up(&crowd[i]);
        }
        _exit(0);
    }
    EXPECT(setrlimit(RLIMIT_NOFILE, &(struct rlimit){FEW, FEW}) == 0);
    const sc_http_options options = server_options();
    fixture *h = server_start(&options);
    const char *address = server_address(h);
    EXPECT(write(to_clients[1], address, strlen(address) + 1) > 0);
    char word[8];
    EXPECT(read(to_server[0], word, sizeof word) > 0);
    for (int ms = 0; sc_http_stats_of(server_http(h)).accept_failures < 3; ms++) {
        EXPECT(ms < 60000);
        usleep(1000);
    }
    EXPECT(sc_http_stats_of(server_http(h)).connections > FEW / 2);
    // The rest of the process has its descriptors, as many as before.
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT(file >= 0 && file < FEW / 2);
    // And the loop does not spin: it looks ten times a second, not thousands of times.
    const uint64_t failures = sc_http_stats_of(server_http(h)).accept_failures;
    usleep(300000);
    EXPECT(sc_http_stats_of(server_http(h)).accept_failures - failures < 100);
    EXPECT(write(to_clients[1], "go on", 5) == 5);
    int how = 0;
    EXPECT(waitpid(clients, &how, 0) == clients);
    EXPECT(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    close(file);
    server_stop(h);
}

static void test_out_of_descriptors_it_goes_on_and_the_process_has_its_own(void **state)
{
    (void)state;
    if (SC_UNDER_THREAD_SANITIZER) return;  // loops have no tables of their own there
    assert_int_equal(in_child(serve_with_few_descriptors), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_request_that_does_not_end_is_refused),
    cmocka_unit_test(test_a_client_that_drips_is_refused_all_the_same),
    cmocka_unit_test(test_a_chunk_line_without_end_is_refused),
    cmocka_unit_test(test_an_idle_connection_is_closed_and_a_waiting_one_is_not),
    cmocka_unit_test(test_large_replies_to_one_address_are_paced),
    cmocka_unit_test(test_the_oldest_idle_connection_makes_room_for_a_newcomer),
    cmocka_unit_test(test_a_slow_request_makes_room_for_a_newcomer),
    cmocka_unit_test(test_if_all_are_busy_newcomers_are_in_the_reserve),
    cmocka_unit_test(test_an_address_has_a_share_of_the_reserve),
    cmocka_unit_test(test_an_address_has_so_many_connections_and_no_more),
    cmocka_unit_test(test_loops_share_the_places),
    cmocka_unit_test(test_operators_have_places_of_their_own),
    cmocka_unit_test(test_out_of_descriptors_it_goes_on_and_the_process_has_its_own),
};
SC_SUITE(tests)
