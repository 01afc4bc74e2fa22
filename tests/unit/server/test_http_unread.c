// Replies that are not taken, or slowly: how much is kept for them, and for how long.
#include "base/clock.h"
#include "support/check.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

static fixture *with_write_timeout(double seconds)
{
    sc_http_options options = server_options();
    options.write_timeout_s = seconds;
    return server_start(&options);
}

static void test_a_reply_that_is_not_taken_is_given_up(void **state)
{
    (void)state;
    fixture *h = with_write_timeout(0.2);
    caller c = caller_dial(server_address(h));
    caller_send(&c, GET("/big"));
    server_await(h, server_requests, 1);
    server_await_idle(h);  // it has not read a byte
    caller_is_left(&c);
    assert_true(c.count < SERVER_BIG);
    caller_hang_up(&c);
    server_stop(h);
}

static unsigned long port_of(const fixture *h)
{
    return strtoul(strrchr(server_address(h), ':') + 1, NULL, 10);
}

/** Bytes that the kernel keeps for the server's clients, also of connections that it has closed. */
static unsigned long in_kernel(const fixture *h)
{
    const unsigned long port = port_of(h);
    FILE *table = fopen("/proc/net/tcp", "r");
    assert_non_null(table);
    char line[512];
    unsigned long sum = 0;
    while (fgets(line, sizeof line, table)) {
        // "  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 ..."
        const char *local = strstr(line, ": ");
        if (!local || strlen(local) < 40) continue;
        if (strtoul(local + 11, NULL, 16) == port) sum += strtoul(local + 33, NULL, 16);
    }
    fclose(table);
    return sum;
}

/** A client that never reads and whose kernel has little room: from the beginning, since a window
 * that is open stays open. */
static caller dial_deaf(const fixture *h)
{
    const struct sockaddr_in there = {.sin_family = AF_INET,
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                      .sin_port = htons((uint16_t)port_of(h))};
    const int few = 4096;
    caller c = {.fd = socket(AF_INET, SOCK_STREAM, 0)};
    assert_true(c.fd >= 0);
    assert_int_equal(setsockopt(c.fd, SOL_SOCKET, SO_RCVBUF, &few, sizeof few), 0);
    assert_int_equal(connect(c.fd, (const struct sockaddr *)&there, sizeof there), 0);
    return c;
}

/** Wait until the other side resets the connection. An end in order is behind what is not read, and
 * a connection that the kernel gives up ends without a word: neither would be seen. */
static void await_reset(const caller *c)
{
    struct pollfd waits = {.fd = c->fd};
    assert_int_equal(poll(&waits, 1, 60000), 1);
    assert_true(waits.revents & POLLERR);
}

/** What the kernel keeps when the server has sent all it can: its loop has come round several times
 * since, and there is no more. */
static unsigned long settled_in_kernel(const fixture *h)
{
    enum { ROUNDS = 10, REPLY = 1024 };
    caller other = caller_dial(server_address(h));
    unsigned long before = 0;
    const int64_t began = sc_clock_us();
    for (int same = 0; same < ROUNDS;) {
        assert_true(sc_clock_us() - began < 60000000);
        assert_string_equal(caller_ask(&other, GET("/now")), "hello");
        const unsigned long now = in_kernel(h);
        same = now > before + REPLY ? 0 : same + 1;
        before = now;
    }
    caller_hang_up(&other);
    return before;
}

static void test_the_kernel_keeps_little_of_a_reply_that_is_not_taken(void **state)
{
    (void)state;
    enum { CLIENTS = 8, LEAST = 30000, MOST = 300000 };
    fixture *h = with_write_timeout(60);
    caller clients[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = dial_deaf(h);
        caller_send(&clients[i], GET("/lent"));
    }
    server_await(h, server_requests, CLIENTS);
    const unsigned long each = settled_in_kernel(h) / CLIENTS;
    assert_in_range(each, LEAST, MOST);
    for (int i = 0; i < CLIENTS; i++) {
        caller_slam(&clients[i]);
    }
    server_await_idle(h);
    server_stop(h);
}

static void test_a_client_that_takes_nothing_is_reset_and_nothing_is_kept(void **state)
{
    (void)state;
    enum { CLIENTS = 8 };
    fixture *h = with_write_timeout(0.3);
    caller clients[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = dial_deaf(h);
        caller_send(&clients[i], GET("/lent"));
    }
    for (int i = 0; i < CLIENTS; i++) {
        await_reset(&clients[i]);
    }
    server_await_idle(h);
    assert_int_equal(in_kernel(h), 0);
    assert_int_equal(sc_http_stats_of(server_http(h)).stalled, CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        caller_hang_up(&clients[i]);
    }
    server_stop(h);
}

// As above, but the connection is to end with the reply; and the client says no more.
static void test_nor_of_the_last_reply_of_a_connection(void **state)
{
    (void)state;
    fixture *h = with_write_timeout(0.3);
    caller c = dial_deaf(h);
    // It fits the kernel's buffer, so that the server is done with it at once.
    caller_send(&c, "GET /middling HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    server_await(h, server_requests, 1);
    server_await_idle(h);
    assert_int_equal(sc_http_stats_of(server_http(h)).stalled, 1);
    await_reset(&c);
    assert_int_equal(in_kernel(h), 0);
    caller_hang_up(&c);
    server_stop(h);
}

// What it has read before does not count: else the kernel would give it up first, and no metric
// tell.
static void test_a_reader_that_stops_is_given_up_and_counted(void **state)
{
    (void)state;
    fixture *h = with_write_timeout(6);  // longer than the kernel waits after that
    caller c = caller_dial(server_address(h));
    const int few = 65536;
    setsockopt(c.fd, SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
    static char reply[SERVER_BIG];
    for (int i = 0; i < 2; i++) {
        caller_send(&c, GET("/lent"));
    }
    assert_true(recv(c.fd, reply, sizeof reply, MSG_WAITALL) > 0);
    server_await_idle(h);
    assert_int_equal(sc_http_stats_of(server_http(h)).stalled, 1);
    caller_hang_up(&c);
    server_stop(h);
}

static void test_a_slow_reader_that_goes_on_gets_all(void **state)
{
    (void)state;
    fixture *h = with_write_timeout(2);
    caller c = caller_dial(server_address(h));
    const int few = 65536;
    setsockopt(c.fd, SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
    caller_send(&c, "GET /lent HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    static char piece[1 << 18];
    size_t got = 0;
    for (ssize_t more = 1; more > 0; got += (size_t)more) {
        more = recv(c.fd, piece, sizeof piece, MSG_WAITALL);
        assert_true(more >= 0);
        usleep(60000);  // twelve million bytes take more than the time limit
    }
    assert_true(got > SERVER_BIG);
    caller_hang_up(&c);
    server_stop(h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_reply_that_is_not_taken_is_given_up),
    cmocka_unit_test(test_the_kernel_keeps_little_of_a_reply_that_is_not_taken),
    cmocka_unit_test(test_a_client_that_takes_nothing_is_reset_and_nothing_is_kept),
    cmocka_unit_test(test_nor_of_the_last_reply_of_a_connection),
    cmocka_unit_test(test_a_reader_that_stops_is_given_up_and_counted),
    cmocka_unit_test(test_a_slow_reader_that_goes_on_gets_all),
};
SC_SUITE(tests)
