// Every allocation of an HTTP server fails once, in turn: it is reported, nothing leaks, no socket
// stays open; and a server that runs goes on, while it turns some clients away. (OpenSSL has memory
// of its own: taking that away is not what is tested here.)
#include "support/check.h"
#include "support/http_caller.h"
#include "support/made_certificates.h"
#include "support/oom.h"
#include "support/place.h"

#include "server/http.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

// --- Opening -------------------------------------------------------------------------------------

static int open_files(void)
{
    return count_entries("/proc/self/fd");
}

static void nothing(void *context, unsigned loop)
{
    (void)context;
    (void)loop;
}

static void answer(void *context, unsigned loop, sc_http_request *request)
{
    (void)context;
    (void)loop;
    sc_http_reply(request, 200, "text/plain", "hello", 5, NULL, 0);
}

static void test_opening_a_server(void **state)
{
    (void)state;
    const place p = place_new();
    made_authority *authority = made_authority_new("Test Authority");
    const made_certificate server = made_certificate_new(authority, "server.example");
    char path[600];
    snprintf(path, sizeof path, "unix:%s", place_path(&p, "socket"));
    const char *const addresses[] = {"127.0.0.1:0", path};
    sc_http_options options = sc_http_options_default();
    options.addresses = addresses;
    options.address_count = 2;
    options.loops = 3;
    options.handle = answer;
    options.tls = (sc_tls_files){.certificate = server.certificate, .key = server.key};

    const int before = open_files();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_http *http = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_http_new(&options, &http, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_http_free(http);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(http);
        assert_int_equal(open_files(), before);
        assert_int_equal(count_entries(p.path), 0);  // the unix socket
        failures++;
    }
    assert_true(failures > 15);
    made_certificate_free((made_certificate *)&server);
    made_authority_free(authority);
    place_free(&p);
}

static void test_asking_to_be_called(void **state)
{
    (void)state;
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options options = sc_http_options_default();
    options.addresses = addresses;
    options.address_count = 1;
    options.handle = answer;
    sc_http *http = NULL;
    CHECK_OK(sc_http_new(&options, &http, NULL), NULL);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_err err = sc_http_watch(http, 0, 0, nothing, NULL);
        if (!err) err = sc_http_every(http, 1, 1.0, nothing, NULL);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    assert_true(failures >= 2);
    sc_http_free(http);
}

// --- Running -------------------------------------------------------------------------------------

// The loop's thread runs out of memory at a set moment, and for a set time.
typedef struct crisis {
    atomic_ulong begin_at;  ///< the allocation from which on there is none; 0: do nothing
    atomic_bool is_over;
} crisis;

static void manage(void *context, unsigned loop)
{
    (void)loop;
    crisis *c = context;
    const unsigned long begin_at = atomic_exchange(&c->begin_at, 0);
    if (begin_at > 0) sc_alloc_fail_at(begin_at);
    if (atomic_exchange(&c->is_over, false)) sc_alloc_fail_at(0);
}

static void await_zero(atomic_ulong *number)
{
    while (atomic_load(number) > 0) {
        usleep(100);
    }
}

static void await_false(atomic_bool *word)
{
    while (atomic_load(word)) {
        usleep(100);
    }
}

static void test_a_server_without_memory_turns_clients_away_and_goes_on(void **state)
{
    (void)state;
    static const char *const addresses[] = {"127.0.0.1:0"};
    crisis c = {0};
    sc_http_options options = sc_http_options_default();
    options.addresses = addresses;
    options.address_count = 1;
    options.loops = 1;
    options.handle = answer;
    sc_http *http = NULL;
    CHECK_OK(sc_http_new(&options, &http, NULL), NULL);
    CHECK_OK(sc_http_every(http, 0, 0.001, manage, &c), NULL);
    CHECK_OK(sc_http_start(http, NULL), NULL);

    bool served = false;
    for (unsigned long n = 1; !served; n++) {
        atomic_store(&c.begin_at, n);
        await_zero(&c.begin_at);
        caller first = caller_dial(sc_http_address(http, 0));
        caller_send(&first, "GET /a%20b HTTP/1.1\r\nHost: x\r\n\r\n");
        caller second = caller_dial(sc_http_address(http, 0));
        caller_send(&second, "nonsense\r\n\r\n");
        // A client that could not be given a place is let go, or waits until there is memory again.
        usleep(10000);
        atomic_store(&c.is_over, true);
        await_false(&c.is_over);
        char byte = 0;
        served = recv(first.fd, &byte, 1, MSG_PEEK) == 1 && n > 10;
        if (served) {
            assert_string_equal(caller_receive(&first), "hello");
            caller_receive(&second);
            assert_int_equal(second.status, 400);
        }
        caller_hang_up(&first);
        caller_hang_up(&second);
        caller after = caller_dial(sc_http_address(http, 0));
        assert_string_equal(caller_ask(&after, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "hello");
        caller_hang_up(&after);
        assert_true(n < 100);
    }
    sc_http_free(http);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_opening_a_server),
    cmocka_unit_test(test_asking_to_be_called),
    cmocka_unit_test(test_a_server_without_memory_turns_clients_away_and_goes_on),
};
SC_SUITE(tests)
