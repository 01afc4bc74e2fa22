// The server as a whole: where it listens, how it starts, drains and stops.
#include "support/check.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"
#include "support/place.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

static void check_serves(const char *address)
{
    caller c = caller_dial(address);
    assert_string_equal(caller_ask(&c, GET("/now")), "hello");
    caller_hang_up(&c);
}

static void await_refusal(const char *address)
{
    for (int ms = 0; ms < 10000; ms++) {
        const int fd = caller_try(address);
        if (fd < 0) return;
        close(fd);
        usleep(1000);
    }
    fail_msg("it still listens");
}

// --- Options and addresses -----------------------------------------------------------------------

static void check_no_server(const sc_http_options *options, sc_err wanted, const char *part)
{
    sc_http *http = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_http_new(options, &http, &diag), wanted, &diag, part);
    assert_null(http);
}

static void check_bad_address(const char *address, sc_err wanted, const char *part)
{
    sc_http_options options = server_options();
    options.addresses = &address;
    check_no_server(&options, wanted, part);
}

static void test_an_address_that_is_none_is_refused(void **state)
{
    (void)state;
    static const char *const none[] = {"",         "8080",    ":8080",     "127.0.0.1:",
                                       "::1:8080", "[::1:80", "host:http", "127.0.0.1:65536",
                                       "unix:",    "[]:80",   "1.2.3.4:-1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        check_bad_address(none[i], SC_EINVAL, "not an address to listen at");
    }
    check_bad_address("no-such-host.invalid:80", SC_EINVAL, "cannot look up");
    check_bad_address("192.0.2.1:0", SC_EIO, "cannot listen at 192.0.2.1:0");
    char path[256];
    snprintf(path, sizeof path, "unix:/%0200d", 0);
    check_bad_address(path, SC_EINVAL, "longer than");
    check_bad_address("unix:/no/such/folder/socket", SC_EIO, "No such file");
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    const double not_a_number = NOT_A_NUMBER;
    sc_http_options o = server_options();
    o.loops = 0;
    check_no_server(&o, SC_EINVAL, "the number of loops is 0");
    o.loops = 65;
    check_no_server(&o, SC_EINVAL, "the number of loops is 65");
    o = server_options();
    o.address_count = 0;
    check_no_server(&o, SC_EINVAL, "no address");
    o = server_options();
    o.max_connections = 0;
    check_no_server(&o, SC_EINVAL, "the limit of connections is 0");
    o = server_options();
    o.max_body_bytes = 0;
    check_no_server(&o, SC_EINVAL, "bytes of headers");
    o = server_options();
    o.max_header_bytes = SIZE_MAX;
    check_no_server(&o, SC_EINVAL, "bytes of headers");
    o = server_options();
    o.idle_timeout_s = not_a_number;
    check_no_server(&o, SC_EINVAL, "the timeouts of a request");
    o = server_options();
    o.write_timeout_s = 0.0;
    check_no_server(&o, SC_EINVAL, "the timeouts of a request");
    o = server_options();
    o.tls.certificate = "a.pem";
    check_no_server(&o, SC_EINVAL, "needs its key");
    o = server_options();
    o.tls.client_ca = "a.pem";
    check_no_server(&o, SC_EINVAL, "client certificates can only be required");
}

// Sharing a port is for our own loops: a second server must not take half of the clients.
static void test_an_address_in_use_is_refused_even_to_a_second_server(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.loops = 2;
    fixture *h = server_start(&options);
    const char *address = server_address(h);
    options.addresses = &address;
    check_no_server(&options, SC_EIO, "Address already in use; give another port");
    options.loops = 1;
    check_no_server(&options, SC_EIO, "Address already in use; give another port");
    check_serves(address);
    server_stop(h);
}

static void test_a_port_can_be_taken_again_right_after(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.loops = 2;
    char address[64];
    fixture *h = server_start(&options);
    snprintf(address, sizeof address, "%s", server_address(h));
    caller c = caller_dial(address);
    caller_ask(&c, GET("/now"));
    server_stop(h);  // the server closes first
    const char *const again[] = {address};
    options.addresses = again;
    h = server_start(&options);
    check_serves(address);
    caller_hang_up(&c);
    server_stop(h);
}

static void test_a_name_and_several_addresses_are_listened_at(void **state)
{
    (void)state;
    const char *const addresses[] = {"localhost:0", "127.0.0.1:0"};
    sc_http_options options = server_options();
    options.addresses = addresses;
    options.address_count = 2;
    options.loops = 2;
    fixture *h = server_start(&options);
    const size_t count = sc_http_address_count(server_http(h));
    assert_true(count >= 2);  // localhost may be one or two
    for (size_t i = 0; i < count; i++) {
        const char *address = sc_http_address(server_http(h), i);
        assert_null(strstr(address, ":0"));
        check_serves(address);
    }
    server_stop(h);
}

// --- Sockets of other kinds ----------------------------------------------------------------------

static void test_a_unix_socket_is_made_and_removed(void **state)
{
    (void)state;
    const place folder = place_new();
    char address[600];
    snprintf(address, sizeof address, "unix:%s/socket", folder.path);
    const char *const addresses[] = {address};
    sc_http_options options = server_options();
    options.addresses = addresses;
    options.loops = 2;
    fixture *h = server_start(&options);
    assert_string_equal(server_address(h), address);
    for (int i = 0; i < 20; i++) {
        caller c = caller_dial(address);
        assert_string_equal(caller_ask(&c, GET("/tell")), "GET /tell ? word=- local");
        caller_hang_up(&c);
    }
    check_no_server(&options, SC_EIO, "Address already in use; give another path");
    check_serves(address);
    server_stop(h);
    assert_int_not_equal(access(address + 5, F_OK), 0);

    // One that was left behind by a run that was cut short is no hindrance.
    struct sockaddr_un left = {.sun_family = AF_UNIX};
    const char *path = address + strlen("unix:");
    assert_true(strlen(path) < sizeof left.sun_path);
    memcpy(left.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&left, sizeof left), 0);
    close(fd);
    assert_int_equal(access(address + 5, F_OK), 0);
    h = server_start(&options);
    check_serves(address);
    server_stop(h);
    // The socket is gone with the server.
    assert_int_equal(count_entries(folder.path), 0);
    place_free(&folder);
}

static int open_socket(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void test_an_inherited_socket_is_used_and_stays_its_owner_s(void **state)
{
    (void)state;
    const int fd = open_socket();
    sc_http_options options = server_options();
    options.address_count = 0;
    options.inherited = &fd;
    options.inherited_count = 1;
    options.loops = 3;
    check_no_server(&options, SC_EIO, "not a listening socket");
    assert_int_equal(listen(fd, 10), 0);
    fixture *h = server_start(&options);
    char address[64];
    snprintf(address, sizeof address, "%s", server_address(h));
    for (int i = 0; i < 20; i++) {
        check_serves(address);
    }
    server_stop(h);
    // It was lent: its owner can go on with it, and closes it.
    const int waiting = caller_try(address);
    assert_true(waiting >= 0);
    close(waiting);
    close(fd);
    assert_true(caller_try(address) < 0);
}

// --- Loops ---------------------------------------------------------------------------------------

static void test_several_loops_serve_a_crowd(void **state)
{
    (void)state;
    enum { CROWD = 60 };
    sc_http_options options = server_options();
    options.loops = 4;
    fixture *h = server_start(&options);
    caller crowd[CROWD];
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = caller_dial(server_address(h));
    }
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < CROWD; i++) {
            caller_send(&crowd[i], GET("/later"));
        }
        for (int i = 0; i < CROWD; i++) {
            assert_string_equal(caller_receive(&crowd[i]), "at last");
        }
    }
    const sc_http_stats stats = sc_http_stats_of(server_http(h));
    assert_int_equal(stats.connections, CROWD);
    assert_int_equal(stats.accepted, CROWD);
    assert_int_equal(stats.requests, 5 * CROWD);
    assert_int_equal(stats.refused_by_limits, 0);
    for (int i = 0; i < CROWD; i++) {
        caller_hang_up(&crowd[i]);
    }
    server_await_idle(h);
    server_stop(h);
}

static void note_loop(void *context, unsigned loop)
{
    atomic_uint *seen = context;
    atomic_fetch_or(seen, 1U << loop);
}

static void nothing(void *context, unsigned loop, sc_http_request *request)
{
    (void)context;
    (void)loop;
    sc_http_reply(request, 204, NULL, NULL, 0, NULL, 0);
}

static void test_calls_are_made_in_the_loop_that_they_are_for(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.loops = 2;
    options.handle = nothing;
    sc_http *http = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_http_new(&options, &http, &diag), &diag);
    atomic_uint by_time = 0;
    atomic_uint by_bell = 0;
    int bell[2];
    assert_int_equal(pipe(bell), 0);
    assert_int_equal(write(bell[1], "x", 1), 1);
    CHECK_OK(sc_http_every(http, 1, 0.001, note_loop, &by_time), NULL);
    CHECK_OK(sc_http_watch(http, 0, bell[0], note_loop, &by_bell), NULL);
    assert_int_equal(sc_http_watch(http, 2, bell[0], note_loop, NULL), SC_EINVAL);
    assert_int_equal(sc_http_watch(http, 0, -1, note_loop, NULL), SC_EINVAL);
    assert_int_equal(sc_http_every(http, 0, 0.0, note_loop, NULL), SC_EINVAL);
    CHECK_OK(sc_http_start(http, &diag), &diag);
    assert_int_equal(sc_http_every(http, 0, 1.0, note_loop, NULL), SC_EINVAL);
    CHECK_REFUSED(sc_http_start(http, &diag), SC_EINVAL, &diag, "started already");
    for (int ms = 0; (!atomic_load(&by_time) || !atomic_load(&by_bell)) && ms < 10000; ms++) {
        usleep(1000);
    }
    sc_http_stop(http);
    assert_int_equal(atomic_load(&by_time), 2);
    assert_int_equal(atomic_load(&by_bell), 1);
    sc_http_free(http);
    close(bell[0]);
    close(bell[1]);
}

static int64_t count_round(void *context)
{
    atomic_uint *rounds = context;
    // The first one must be followed by another at once; then there is nothing to do.
    return atomic_fetch_add(rounds, 1) == 0 ? INT64_MIN : INT64_MAX;
}

static void test_work_that_shares_a_loop_is_called_in_each_round(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.loops = 2;
    options.handle = nothing;
    sc_http *http = NULL;
    CHECK_OK(sc_http_new(&options, &http, NULL), NULL);
    atomic_uint rounds = 0;
    CHECK_OK(sc_http_host(http, 1, count_round, &rounds), NULL);
    assert_int_equal(sc_http_host(http, 1, count_round, &rounds), SC_EINVAL);
    assert_int_equal(sc_http_host(http, 2, count_round, &rounds), SC_EINVAL);
    CHECK_OK(sc_http_start(http, NULL), NULL);
    assert_int_equal(sc_http_host(http, 0, count_round, &rounds), SC_EINVAL);
    while (atomic_load(&rounds) < 2) {
        usleep(1000);
    }
    sc_http_free(http);
}

static void count_signal(int number)
{
    (void)number;
}

static void test_signals_are_left_to_the_rest_of_the_process(void **state)
{
    (void)state;
    const struct sigaction action = {.sa_handler = count_signal};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    sc_http_options options = server_options();
    options.handle = nothing;
    sc_http *http = NULL;
    CHECK_OK(sc_http_new(&options, &http, NULL), NULL);
    CHECK_OK(sc_http_start(http, NULL), NULL);
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
    int number = 0;
    assert_int_equal(sigwait(&one, &number), 0);
    assert_int_equal(number, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    sc_http_free(http);
}

// --- Ends ----------------------------------------------------------------------------------------

static void test_draining_refuses_new_and_finishes_old_connections(void **state)
{
    (void)state;
    sc_http_options options = server_options();
    options.loops = 2;
    fixture *h = server_start(&options);
    const char *address = server_address(h);
    caller idle = caller_dial(address);
    caller_ask(&idle, GET("/now"));
    caller halfway = caller_dial(address);
    caller_send(&halfway, "GET /now HT");
    caller waiting = caller_dial(address);
    caller_send(&waiting, GET("/hold"));
    server_await(h, server_held, 1);
    caller_ask(&idle, GET("/now"));

    sc_http_stop_listening(server_http(h));
    await_refusal(address);
    assert_true(caller_is_left(&idle));
    assert_false(sc_http_is_idle(server_http(h)));
    assert_string_equal(caller_ask(&halfway, "TP/1.1\r\nHost: x\r\n\r\n"), "hello");
    CHECK_CONTAINS(halfway.head, "Connection: close\r\n");
    assert_true(caller_is_left(&halfway));
    assert_true(caller_receives_nothing(&waiting, 50));
    server_release(h);
    assert_string_equal(caller_receive(&waiting), "released");
    CHECK_CONTAINS(waiting.head, "Connection: close\r\n");
    assert_true(caller_is_left(&waiting));
    caller_hang_up(&idle);
    caller_hang_up(&halfway);
    caller_hang_up(&waiting);
    server_await_idle(h);
    assert_int_equal(server_gone(h), 0);
    sc_http_stop_listening(server_http(h));  // once more is no harm
    server_stop(h);
}

static void test_stopping_tells_every_open_request_that_it_is_gone(void **state)
{
    (void)state;
    enum { OPEN = 30 };
    sc_http_options options = server_options();
    options.loops = 3;
    fixture *h = server_start(&options);
    caller callers[OPEN];
    for (int i = 0; i < OPEN; i++) {
        callers[i] = caller_dial(server_address(h));
        caller_send(&callers[i], i % 3 == 0 ? GET("/listen") : GET("/hold"));
    }
    server_await(h, server_held, OPEN);
    sc_http_stop(server_http(h));
    assert_int_equal(server_gone(h), OPEN);
    assert_true(sc_http_is_idle(server_http(h)));
    for (int i = 0; i < OPEN; i++) {
        caller_is_left(&callers[i]);
        caller_hang_up(&callers[i]);
    }
    server_stop(h);
}

static void test_a_server_that_was_never_started_can_be_freed(void **state)
{
    (void)state;
    const sc_http_options options = server_options();
    sc_http *http = NULL;
    CHECK_OK(sc_http_new(&options, &http, NULL), NULL);
    char address[64];
    snprintf(address, sizeof address, "%s", sc_http_address(http, 0));
    sc_http_free(http);
    assert_true(caller_try(address) < 0);
    sc_http_free(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_address_that_is_none_is_refused),
    cmocka_unit_test(test_options_out_of_range_are_refused),
    cmocka_unit_test(test_an_address_in_use_is_refused_even_to_a_second_server),
    cmocka_unit_test(test_a_port_can_be_taken_again_right_after),
    cmocka_unit_test(test_a_name_and_several_addresses_are_listened_at),
    cmocka_unit_test(test_a_unix_socket_is_made_and_removed),
    cmocka_unit_test(test_an_inherited_socket_is_used_and_stays_its_owner_s),
    cmocka_unit_test(test_several_loops_serve_a_crowd),
    cmocka_unit_test(test_calls_are_made_in_the_loop_that_they_are_for),
    cmocka_unit_test(test_work_that_shares_a_loop_is_called_in_each_round),
    cmocka_unit_test(test_signals_are_left_to_the_rest_of_the_process),
    cmocka_unit_test(test_draining_refuses_new_and_finishes_old_connections),
    cmocka_unit_test(test_stopping_tells_every_open_request_that_it_is_gone),
    cmocka_unit_test(test_a_server_that_was_never_started_can_be_freed),
};
SC_SUITE(tests)
