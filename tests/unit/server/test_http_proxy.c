// Proxies in front of the server: the list of those that are trusted, the PROXY protocol's headers,
// and connections that begin with one.
#include "server/http_internal.h"
#include "support/check.h"
#include "support/http_fixture.h"
#include "support/web_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// --- The list ------------------------------------------------------------------------------------

static bool have(const char *list, const char *address)
{
    sc__http_proxies *proxies = NULL;
    CHECK_OK(sc__http_proxies_new(&list, 1, &proxies, NULL), NULL);
    struct sockaddr_storage at = {.ss_family = AF_UNIX};
    if (inet_pton(AF_INET, address, &((struct sockaddr_in *)&at)->sin_addr) == 1) {
        at.ss_family = AF_INET;
    } else if (inet_pton(AF_INET6, address, &((struct sockaddr_in6 *)&at)->sin6_addr) == 1) {
        at.ss_family = AF_INET6;
    }
    const bool has = sc__http_proxies_have(proxies, (const struct sockaddr *)&at);
    sc__http_proxies_free(proxies);
    return has;
}

static void test_a_list_has_addresses_and_networks(void **state)
{
    (void)state;
    assert_true(have("10.0.0.7", "10.0.0.7"));
    assert_true(have("10.0.0.7", "::ffff:10.0.0.7"));
    assert_false(have("10.0.0.7", "10.0.0.6"));
    assert_true(have("10.0.0.0/9", "10.127.255.255"));
    assert_false(have("10.0.0.0/9", "10.128.0.0"));
    assert_true(have("0.0.0.0/0", "203.0.113.7"));
    assert_false(have("0.0.0.0/0", "2001:db8::1"));
    assert_false(have("0.0.0.0/0", "unix"));
    assert_true(have("fd00::/8", "fdff::1"));
    assert_false(have("fd00::/8", "fe00::1"));
    assert_true(have("fd00::1", "fd00::1"));
    assert_false(have("fd00::1", "fd00::2"));
    assert_true(have("unix", "unix"));
    assert_false(have("unix", "127.0.0.1"));
}

static void test_what_is_no_network_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",       "10.0.0",     "10.0.0.0/33", "10.0.0.0/",
                                      "/8",     "fd00::/129", "host",        "10.0.0.0/8x",
                                      "unix/8", "10.0.0.0/-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_diag diag = {""};
        CHECK_REFUSED(sc_http_proxies_check(&bad[i], 1, &diag), SC_EINVAL, &diag, "proxy");
    }
}

// --- Headers -------------------------------------------------------------------------------------

#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"
#define OF_IP4 SIGNATURE "\x21\x11\0\x0c\xcb\0\x71\x07\xc0\0\x02\x01\x12\x67\x01\xbb"
#define BYTES(text) (const unsigned char *)(text), sizeof(text) - 1

/** Feed it as it is wanted; what is left over in the end. */
static int left_over(const unsigned char *bytes, size_t size)
{
    size_t read = 0;
    for (;;) {
        const int want = sc__http_proxy_header_want(bytes, read);
        if (want < 0) return -1;
        if (want == 0) return (int)(size - read);
        if (read + (size_t)want > size) return -2;
        read += (size_t)want;
    }
}

static void test_a_header_is_read_up_to_its_end_and_no_further(void **state)
{
    (void)state;
    assert_int_equal(left_over(BYTES(OF_IP4 "GET /")), 5);
    assert_int_equal(left_over(BYTES(SIGNATURE "\x20\0\0\0GET /")), 5);
    assert_int_equal(left_over(BYTES("PROXY UNKNOWN\r\nGET /")), 5);
    assert_int_equal(left_over(BYTES("PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\nGET /")), 5);
    assert_int_equal(left_over(BYTES("PROXY TCP4 203")), -2);
    assert_int_equal(left_over(BYTES("GET / HTTP/1.1\r\n")), -1);
    assert_int_equal(left_over(BYTES("\r\n\r\n\0\r\nQUIT\r")), -2);
    assert_int_equal(left_over(BYTES("\r\n\r\nGET / HTTP/1.1\r\n\r\n")), -1);
    assert_int_equal(left_over(BYTES(SIGNATURE "\x21\x11\xff\xff")), -1);  // too long
    unsigned char line[200] = "PROXY ";
    memset(line + 6, 'x', sizeof line - 6);
    assert_int_equal(left_over(line, sizeof line), -1);
}

static void check_client(const unsigned char *bytes, size_t size, int wanted, const char *address)
{
    sc__http_proxy_client client = SC__HTTP_PROXY_UNKNOWN;
    struct sockaddr_storage at = {0};
    const bool is_header = sc__http_proxy_header_read(bytes, size, &client, &at);
    assert_int_equal(is_header ? (int)client : -1, wanted);
    if (!address) return;
    char text[INET6_ADDRSTRLEN] = "";
    const void *ip = at.ss_family == AF_INET ? (const void *)&((struct sockaddr_in *)&at)->sin_addr
                                             : &((struct sockaddr_in6 *)&at)->sin6_addr;
    inet_ntop(at.ss_family, ip, text, sizeof text);
    assert_string_equal(text, address);
}

static void test_a_header_names_the_client(void **state)
{
    (void)state;
    check_client(BYTES(OF_IP4), SC__HTTP_PROXY_ADDRESS, "203.0.113.7");
    check_client(BYTES(SIGNATURE "\x21\x21\0\x24\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x09"
                                 "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\x12\x67\x01\xbb"),
                 SC__HTTP_PROXY_ADDRESS, "2001:db8::9");
    check_client(BYTES(SIGNATURE "\x20\0\0\0"), SC__HTTP_PROXY_ITSELF, NULL);
    check_client(BYTES(SIGNATURE "\x21\0\0\0"), SC__HTTP_PROXY_UNKNOWN, NULL);
    check_client(BYTES(SIGNATURE "\x21\x12\0\0"), SC__HTTP_PROXY_UNKNOWN, NULL);  // UDP
    check_client(BYTES(SIGNATURE "\x21\x11\0\x04\x01\x02\x03\x04"), -1, NULL);    // cut short
    check_client(BYTES(SIGNATURE "\x11\x11\0\x0c\0\0\0\0\0\0\0\0\0\0\0\0"), -1, NULL);
    check_client(BYTES(SIGNATURE "\x22\x11\0\x0c\0\0\0\0\0\0\0\0\0\0\0\0"), -1, NULL);
    check_client(BYTES("PROXY TCP4 203.0.113.7 192.0.2.1 1 2\r\n"), SC__HTTP_PROXY_ADDRESS,
                 "203.0.113.7");
    check_client(BYTES("PROXY TCP6 2001:db8::9 2001:db8::1 1 2\r\n"), SC__HTTP_PROXY_ADDRESS,
                 "2001:db8::9");
    check_client(BYTES("PROXY UNKNOWN\r\n"), SC__HTTP_PROXY_UNKNOWN, NULL);
    check_client(BYTES("PROXY TCP4 2001:db8::9 192.0.2.1 1 2\r\n"), -1, NULL);
    check_client(BYTES("PROXY TCP4\r\n"), -1, NULL);
    check_client(BYTES("PROXY \r\n"), -1, NULL);
    check_client(BYTES("PROXY TCP4 203.0.113.7 192.0.2.1 1 2\n"), -1, NULL);
}

// --- Connections ---------------------------------------------------------------------------------

static const char ask[] = "GET /peer HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/** Send the bytes, one by one if so wanted; all that comes until the end. */
static char *reply_to(const char *address, const char *bytes, size_t size, bool one_by_one)
{
    const int fd = web_connect(address);
    const size_t step = one_by_one || size == 0 ? 1 : size;
    for (size_t at = 0; at < size; at += step) {
        // It may have been cut off before.
        (void)!send(fd, bytes + at, step, MSG_NOSIGNAL);
        if (one_by_one) usleep(200);
    }
    web_stream reply = {0};
    web_stream_await_end(fd, &reply);
    close(fd);
    return reply.text;
}

static void check_peer(const char *address, const char *header, size_t size, const char *wanted)
{
    for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
        char bytes[512];
        memcpy(bytes, header, size);
        memcpy(bytes + size, ask, sizeof ask - 1);
        char *reply = reply_to(address, bytes, size + sizeof ask - 1, one_by_one);
        if (wanted) {
            CHECK_CONTAINS(reply, "HTTP/1.1 200");
            CHECK_CONTAINS(reply, wanted);
        } else {
            assert_string_equal(reply ? reply : "", "");
        }
        free(reply);
    }
}

static void test_a_trusted_proxy_says_who_the_client_is(void **state)
{
    (void)state;
    static const char *const proxies[] = {"127.0.0.1"};
    sc_http_options options = server_options();
    options.proxies = proxies;
    options.proxy_count = 1;
    fixture *h = server_start(&options);
    check_peer(server_address(h), OF_IP4, sizeof OF_IP4 - 1, "elsewhere public");
    check_peer(server_address(h), SIGNATURE "\x20\0\0\0", 16, "here public");
    check_peer(server_address(h), SIGNATURE "\x21\0\0\0", 16, "elsewhere public");
    check_peer(server_address(h), "PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n", 36, "here public");
    check_peer(server_address(h), "", 0, NULL);
    check_peer(server_address(h), SIGNATURE "\x31\0\0\0", 16, NULL);
    server_stop(h);
}

static void test_others_cannot(void **state)
{
    (void)state;
    static const char *const proxies[] = {"192.0.2.1"};
    sc_http_options options = server_options();
    options.proxies = proxies;
    options.proxy_count = 1;
    fixture *h = server_start(&options);
    check_peer(server_address(h), "", 0, "here public");
    char bytes[sizeof OF_IP4 + sizeof ask];
    memcpy(bytes, OF_IP4, sizeof OF_IP4 - 1);
    memcpy(bytes + sizeof OF_IP4 - 1, ask, sizeof ask);
    char *reply = reply_to(server_address(h), bytes, sizeof bytes - 2, false);
    CHECK_CONTAINS(reply, "HTTP/1.1 400");
    free(reply);
    server_stop(h);
}

static void test_operators_have_a_place_of_their_own(void **state)
{
    (void)state;
    static const char *const proxies[] = {"127.0.0.1"};
    static const char *const admin[] = {"127.0.0.1:0"};
    sc_http_options options = server_options();
    options.proxies = proxies;
    options.proxy_count = 1;
    options.admin_addresses = admin;
    options.admin_address_count = 1;
    fixture *h = server_start(&options);
    assert_int_equal(sc_http_address_count(server_http(h)), 1);
    assert_int_equal(sc_http_admin_address_count(server_http(h)), 1);
    const char *there = sc_http_admin_address(server_http(h), 0);
    check_peer(there, "", 0, "here admin");
    char *reply = reply_to(there, OF_IP4, sizeof OF_IP4 - 1, false);
    CHECK_CONTAINS(reply, "HTTP/1.1 400");
    free(reply);
    check_peer(server_address(h), OF_IP4, sizeof OF_IP4 - 1, "elsewhere public");
    server_stop(h);
}

static void test_a_proxy_that_never_says_it_is_cut_off(void **state)
{
    (void)state;
    static const char *const proxies[] = {"127.0.0.1"};
    sc_http_options options = server_options();
    options.proxies = proxies;
    options.proxy_count = 1;
    options.request_timeout_s = 0.2;
    fixture *h = server_start(&options);
    const int fd = web_connect(server_address(h));
    assert_int_equal(send(fd, "PROX", 4, MSG_NOSIGNAL), 4);
    web_stream reply = {0};
    web_stream_await_end(fd, &reply);
    assert_int_equal(reply.size, 0);
    free(reply.text);
    close(fd);
    server_await_idle(h);
    // And one that is there when the server ends.
    const int other = web_connect(server_address(h));
    assert_int_equal(send(other, "PROX", 4, MSG_NOSIGNAL), 4);
    server_stop(h);
    close(other);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_list_has_addresses_and_networks),
    cmocka_unit_test(test_what_is_no_network_is_refused),
    cmocka_unit_test(test_a_header_is_read_up_to_its_end_and_no_further),
    cmocka_unit_test(test_a_header_names_the_client),
    cmocka_unit_test(test_a_trusted_proxy_says_who_the_client_is),
    cmocka_unit_test(test_others_cannot),
    cmocka_unit_test(test_operators_have_a_place_of_their_own),
    cmocka_unit_test(test_a_proxy_that_never_says_it_is_cut_off),
};
SC_SUITE(tests)
