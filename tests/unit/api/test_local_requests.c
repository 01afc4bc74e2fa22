// Who counts as being on this machine: by the words of a header alone, and over real sockets.
#include "api/service_internal.h"

#include "support/check.h"
#include "support/http_caller.h"
#include "support/page_server.h"
#include "support/place.h"

#include <pthread.h>
#include <stdio.h>

static void test_names_of_this_machine_are_known(void **state)
{
    (void)state;
    static const char *const names[] = {
        "localhost",
        "localhost:8080",
        "LocalHost:1",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:",
        "127.255.0.7:65535",
        "0.0.0.0:8080",
        "[::1]",
        "[::1]:8080",
        "[0:0:0:0:0:0:0:1]:1",
        "[::]:8080",
        "[::ffff:127.0.0.1]:8080",
        "[::ffff:7f00:1]",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!sc__host_is_local(names[i])) fail_msg("%s is this machine", names[i]);
    }
}

static void test_other_names_are_not_this_machine(void **state)
{
    (void)state;
    static const char *const names[] = {
        // a name may lead here today and elsewhere tomorrow
        "example.org",
        "example.org:8080",
        "localhost.example.org",
        "127.0.0.1.example.org",
        "xlocalhost",
        "localhost.",
        "local host",
        "localhos",
        // addresses that others can reach, if a proxy is there
        "192.0.2.1",
        "128.0.0.1:8080",
        "126.255.255.255",
        "10.0.0.1",
        "[2001:db8::1]:8080",
        "[::2]",
        "[::ffff:192.0.2.1]",
        "[7f00::1]",
        // not quite addresses
        "",
        ":",
        ":8080",
        "127.1",
        "127.0.0.1.",
        "0x7f.0.0.1",
        "2130706433",
        "127.0.0.256",
        "::1",
        "::1:8080",
        "[::1",
        "[::1]x",
        "[::1]]",
        "[127.0.0.1]",
        "[localhost]",
        "[]",
        "[",
        "[::1%lo]",
        // not quite ports
        "localhost:x",
        "localhost:80x",
        "localhost:80:80",
        "localhost:-1",
        "localhost: 80",
        "localhost:123456",
        "127.0.0.1/8",
        "localhost/",
        "localhost@example.org",
        "example.org@localhost",
        " localhost",
        "localhost ",
        "localhost,example.org",
        "localhost:80,example.org",
    };
    assert_false(sc__host_is_local(NULL));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (sc__host_is_local(names[i])) fail_msg("'%s' is not this machine", names[i]);
    }
}

static void test_a_name_of_any_length_is_read_to_its_end(void **state)
{
    (void)state;
    // Exactly as long as it came, so that the sanitizer sees a step beyond.
    static const char beginning[] =
        "[0000:0000:0000:0000:0000:0000:0000:0001]:65535xxxxxxxxxxxxxxx";
    for (size_t size = 0; size < sizeof beginning; size++) {
        char *name = test_take(size + 1, 1);
        memcpy(name, beginning, size);
        const bool is_whole = name[0] == '[' && strchr(name, ']') && !strchr(name, 'x');
        assert_int_equal(sc__host_is_local(name), is_whole);
        free(name);
    }
}

static void test_pages_of_this_machine_are_told_from_others(void **state)
{
    (void)state;
    static const char *const ours[] = {"http://localhost:5173", "https://127.0.0.1",
                                       "http://[::1]:8080"};
    static const char *const others[] = {"",
                                         "null",
                                         "localhost",
                                         "http://",
                                         "http://example.org",
                                         "https://localhost.example.org",
                                         "http://192.0.2.1:8080",
                                         "file://localhost",
                                         "http://localhost/",
                                         "chrome-extension://localhost"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (!sc__origin_is_local(ours[i])) fail_msg("%s is of this machine", ours[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (sc__origin_is_local(others[i])) fail_msg("'%s' is not of this machine", others[i]);
    }
}

// --- Over sockets --------------------------------------------------------------------------------

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)context;
    (void)loop;
    const char *word = sc_request_is_local(request) ? "here" : "elsewhere";
    sc_http_reply(request, 200, "text/plain", word, strlen(word), NULL, 0);
}

static void check_seen(caller *c, const char *headers, const char *wanted)
{
    char text[512];
    snprintf(text, sizeof text, "GET / HTTP/1.1\r\n%s\r\n", headers);
    const char *seen = caller_ask(c, text);
    if (strcmp(seen, wanted) != 0) fail_msg("seen as %s: %s", seen, headers);
}

static void test_a_request_needs_a_name_of_this_machine(void **state)
{
    (void)state;
    sc_http *http = page_server_start(handle, NULL);
    caller c = caller_dial(sc_http_address(http, 0));
    check_seen(&c, "Host: localhost\r\n", "here");
    check_seen(&c, "Host: 127.0.0.1:8080\r\n", "here");
    check_seen(&c, "Host: 127.0.0.1:8080\r\nOrigin: http://127.0.0.1:8080\r\n", "here");
    // A name that was made to lead here.
    check_seen(&c, "Host: rebound.example.org:8080\r\n", "elsewhere");
    check_seen(&c, "Host:\r\n", "elsewhere");
    // A stranger's page.
    check_seen(&c, "Host: localhost\r\nOrigin: https://example.org\r\n", "elsewhere");
    check_seen(&c, "Host: localhost\r\nOrigin: null\r\n", "elsewhere");
    caller_hang_up(&c);
    // An old client that names no host.
    c = caller_dial(sc_http_address(http, 0));
    assert_string_equal(caller_ask(&c, "GET / HTTP/1.0\r\n\r\n"), "elsewhere");
    caller_hang_up(&c);
    sc_http_free(http);
}

static void test_what_a_proxy_passes_on_is_not_local(void **state)
{
    (void)state;
    static const char *const lines[] = {"X-Forwarded-For: 192.0.2.1",
                                        "x-forwarded-for: 127.0.0.1",
                                        "X-Forwarded-For:",
                                        "Forwarded: for=192.0.2.1",
                                        "X-Forwarded-Host: a.example",
                                        "X-Forwarded-Proto: https",
                                        "X-Forwarded-Port: 443",
                                        "X-Forwarded-Server: a.example",
                                        "X-Real-IP: 192.0.2.1",
                                        "X-Client-IP: 192.0.2.1",
                                        "True-Client-IP: 192.0.2.1",
                                        "CF-Connecting-IP: 192.0.2.1",
                                        "Via: 1.1 proxy"};
    sc_http *http = page_server_start(handle, NULL);
    caller c = caller_dial(sc_http_address(http, 0));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char headers[128];
        snprintf(headers, sizeof headers, "Host: localhost\r\n%s\r\n", lines[i]);
        check_seen(&c, headers, "elsewhere");
    }
    check_seen(&c, "Host: localhost\r\nX-Else: 192.0.2.1\r\n", "here");
    caller_hang_up(&c);
    sc_http_free(http);
}

// A picture of ours in a stranger's page is asked for without an Origin.
static void test_what_a_page_of_another_site_asks_for_is_not_local(void **state)
{
    (void)state;
    static const struct {
        const char *site;
        const char *seen;
    } cases[] = {{"same-origin", "here"},    {"none", "here"},      {"cross-site", "elsewhere"},
                 {"same-site", "elsewhere"}, {"None", "elsewhere"}, {"", "elsewhere"}};
    sc_http *http = page_server_start(handle, NULL);
    caller c = caller_dial(sc_http_address(http, 0));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char headers[128];
        snprintf(headers, sizeof headers, "Host: localhost\r\nSec-Fetch-Site: %s\r\n",
                 cases[i].site);
        check_seen(&c, headers, cases[i].seen);
    }
    caller_hang_up(&c);
    sc_http_free(http);
}

// A proxy may come by a unix socket as well: then the name tells.
static void test_a_unix_socket_is_this_machine(void **state)
{
    (void)state;
    const place folder = place_new();
    char address[1024];
    snprintf(address, sizeof address, "unix:%s", place_path(&folder, "s"));
    const char *const addresses[] = {address};
    sc_http_options options = sc_http_options_default();
    options.addresses = addresses;
    options.address_count = 1;
    options.loops = 1;
    options.handle = handle;
    sc_http *http = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_http_new(&options, &http, &diag), &diag);
    CHECK_OK(sc_http_start(http, &diag), &diag);
    caller c = caller_dial(address);
    check_seen(&c, "Host: localhost\r\n", "here");
    check_seen(&c, "Host: example.org\r\n", "elsewhere");
    caller_hang_up(&c);
    sc_http_free(http);
    place_free(&folder);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names_of_this_machine_are_known),
    cmocka_unit_test(test_other_names_are_not_this_machine),
    cmocka_unit_test(test_a_name_of_any_length_is_read_to_its_end),
    cmocka_unit_test(test_pages_of_this_machine_are_told_from_others),
    cmocka_unit_test(test_a_request_needs_a_name_of_this_machine),
    cmocka_unit_test(test_what_a_proxy_passes_on_is_not_local),
    cmocka_unit_test(test_what_a_page_of_another_site_asks_for_is_not_local),
    cmocka_unit_test(test_a_unix_socket_is_this_machine),
};
SC_SUITE(tests)
