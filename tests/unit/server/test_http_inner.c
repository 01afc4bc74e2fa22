// Requests within requests, over real sockets: handled as any other, answered through the one that
// carried them, and gone with it.
#include "support/check.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"

#include <stdio.h>

#define CARRY(target, more) "POST /carry?" target " HTTP/1.1\r\nHost: x\r\n" more "\r\n"

static void check_carried(const fixture *h, const char *request, const char *wanted)
{
    caller c = caller_dial(server_address(h));
    assert_string_equal(caller_ask(&c, request), wanted);
    assert_int_equal(c.status, 200);
    caller_hang_up(&c);
}

static void test_what_is_within_is_seen_as_a_request_of_its_own(void **state)
{
    const fixture *h = *state;
    check_carried(h, CARRY("/tell?a=1&b=%20", ""), "200 GET /tell ?a=1&b=%20 word=- far");
    check_carried(h, CARRY("/tell", "X-Word: w\r\nX-Method: DELETE\r\n"),
                  "200 DELETE /tell ? word=w far");
    check_carried(h, CARRY("/tell", "X-Method: BREW\r\n"), "200 OTHER /tell ? word=- far");
    check_carried(h, CARRY("/tell/%41?%41", ""), "200 GET /tell/A ?%41 word=- far");
    check_carried(h, CARRY("/echo", "X-Method: POST\r\nContent-Length: 5\r\n") "bytes",
                  "200 bytes");
    check_carried(h, CARRY("/nowhere", ""), "404 ");
    check_carried(h, CARRY("/now", ""), "200 hello");
    check_carried(h, CARRY("/now", "X-Method: HEAD\r\n"), "200 ");
    check_carried(h, CARRY("/empty", ""), "204 ");
}

static void test_it_is_of_no_operator_and_not_of_this_machine(void **state)
{
    const fixture *h = *state;
    check_carried(h, CARRY("/peer", ""), "200 elsewhere public");
}

static void test_a_target_that_is_no_path_is_refused(void **state)
{
    const fixture *h = *state;
    static const char *const targets[] = {"", "tell", "/%00", "*"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char request[128];
        snprintf(request, sizeof request, "GET /carry?%s HTTP/1.1\r\nHost: x\r\n\r\n", targets[i]);
        caller c = caller_dial(server_address(h));
        caller_ask(&c, request);
        assert_int_equal(c.status, 400);
        caller_hang_up(&c);
    }
}

static void test_it_is_answered_later_and_the_connection_goes_on(void **state)
{
    fixture *h = *state;
    const unsigned held = server_held(h);
    caller c = caller_dial(server_address(h));
    assert_string_equal(caller_ask(&c, CARRY("/later", "")), "200 at last");
    caller_send(&c, CARRY("/hold", "X-Method: POST\r\nContent-Length: 5\r\n") "bytes");
    server_await(h, server_held, held + 1);
    server_release(h);
    assert_string_equal(caller_receive(&c), "200 released");
    assert_string_equal(caller_ask(&c, CARRY("/now", "")), "200 hello");
    caller_hang_up(&c);
}

static void test_it_goes_with_the_client_of_the_one_that_carried_it(void **state)
{
    fixture *h = *state;
    const unsigned held = server_held(h);
    const unsigned gone = server_gone(h);
    caller c = caller_dial(server_address(h));
    caller_send(&c, CARRY("/hold", ""));
    server_await(h, server_held, held + 1);
    caller_slam(&c);
    server_await(h, server_gone, gone + 1);
    caller d = caller_dial(server_address(h));
    caller_send(&d, CARRY("/forget", "X-Word: w\r\n"));
    server_await(h, server_held, held + 2);
    caller_slam(&d);
    server_await(h, server_gone, gone + 2);
}

static int start(void **state)
{
    const sc_http_options options = server_options();
    *state = server_start(&options);
    return 0;
}

static int stop(void **state)
{
    server_stop(*state);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_within_is_seen_as_a_request_of_its_own),
    cmocka_unit_test(test_it_is_of_no_operator_and_not_of_this_machine),
    cmocka_unit_test(test_a_target_that_is_no_path_is_refused),
    cmocka_unit_test(test_it_is_answered_later_and_the_connection_goes_on),
    cmocka_unit_test(test_it_goes_with_the_client_of_the_one_that_carried_it),
};
SC_SUITE_WITH(tests, start, stop)
