// Clients that a trusted proxy names in a header of each request.
#include "server/http_internal.h"
#include "support/check.h"
#include "support/http2_caller.h"
#include "support/http_caller.h"
#include "support/http_fixture.h"
#include "support/web_client.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- Lists -----------------------------------------------------------------------------------

static const char *const trusted[] = {"127.0.0.1", "10.0.0.0/8", "fd00::/8"};
enum { TRUSTED = sizeof trusted / sizeof *trusted };

/** The client that a header names: its address, "-" if there is none, "bad" if it is malformed. */
static const char *client_of(sc_http_forwarded header, const char *value)
{
    static char text[INET6_ADDRSTRLEN];
    sc__http_proxies *proxies = NULL;
    CHECK_OK(sc__http_proxies_new(trusted, TRUSTED, &proxies, NULL), NULL);
    sc__http_hops hops = {0};
    const char *result = "bad";
    if (sc__http_hops_read(header, value, &hops)) {
        const sc__http_hop *client = sc__http_hops_client(&hops, proxies);
        result = "-";
        if (client) {
            result = text;
            const int family = client->address.ss_family;
            inet_ntop(family,
                      family == AF_INET
                          ? (const void *)&((const struct sockaddr_in *)&client->address)->sin_addr
                          : &((const struct sockaddr_in6 *)&client->address)->sin6_addr,
                      text, sizeof text);
        }
    }
    sc__http_proxies_free(proxies);
    return result;
}

typedef struct example {
    const char *value;
    const char *client;
} example;

static void check_examples(sc_http_forwarded header, const example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *client = client_of(header, examples[i].value);
        if (strcmp(client, examples[i].client) != 0) {
            fail_msg("%s: %s instead of %s", examples[i].value, client, examples[i].client);
        }
    }
}

#define CHECK_EXAMPLES(header, examples) \
    check_examples((header), (examples), sizeof(examples) / sizeof(examples)[0])

static void test_forwarded_names_the_nearest_that_is_no_proxy(void **state)
{
    (void)state;
    static const example examples[] = {
        {"for=192.0.2.7", "192.0.2.7"},
        {"For=\"192.0.2.7\"", "192.0.2.7"},
        {"for=\"192.0.2.7:4711\"", "192.0.2.7"},
        {"for=\"192.0.2.7:_port\"", "192.0.2.7"},
        {"for=\"[2001:db8:cafe::17]\"", "2001:db8:cafe::17"},
        {"for=\"[2001:DB8:cafe::17]:4711\"", "2001:db8:cafe::17"},
        {"for=\"\\1\\92.0.2.7\"", "192.0.2.7"},
        {"proto=https;FOR=192.0.2.7;by=203.0.113.43", "192.0.2.7"},
        {"for=192.0.2.7 ; proto=https , for=10.0.0.1", "192.0.2.7"},
        {"for=198.51.100.1, for=192.0.2.7", "192.0.2.7"},
        {"for=192.0.2.7, for=10.0.0.1, for=\"[fd00::1]\"", "192.0.2.7"},
        {"for=198.51.100.1,for=192.0.2.7,for=10.0.0.1", "192.0.2.7"},
        {"for=10.0.0.3, for=10.0.0.2", "10.0.0.3"},
        {"for=\"[::ffff:10.0.0.2]\", for=10.0.0.1", "::ffff:10.0.0.2"},
        {"for=192.0.2.7,,", "192.0.2.7"},
        {"host=\"x,for=198.51.100.1;for=1\";for=192.0.2.7", "192.0.2.7"},
        {"", "-"},
    };
    CHECK_EXAMPLES(SC_HTTP_FORWARDED, examples);
}

static void test_who_is_not_named_is_counted_as_the_proxy_that_does_not_name_it(void **state)
{
    (void)state;
    static const example examples[] = {
        {"for=unknown", "-"},
        {"for=_hidden", "-"},
        {"for=\"_SEVKISEK\"", "-"},
        {"proto=https", "-"},
        {"for=192.0.2.7, for=Unknown", "-"},
        {"for=192.0.2.7, for=_x, for=10.0.0.2", "10.0.0.2"},
        {"for=unknown, for=192.0.2.7", "192.0.2.7"},
    };
    CHECK_EXAMPLES(SC_HTTP_FORWARDED, examples);
    static const example plain[] = {{"unknown", "-"}, {"192.0.2.7, unknown, 10.0.0.2", "10.0.0.2"}};
    CHECK_EXAMPLES(SC_HTTP_X_FORWARDED_FOR, plain);
}

static void test_x_forwarded_for_is_a_list_of_addresses(void **state)
{
    (void)state;
    static const example examples[] = {
        {"192.0.2.7", "192.0.2.7"},
        {"192.0.2.7:4711", "192.0.2.7"},
        {"2001:db8::7", "2001:db8::7"},
        {"[2001:db8::7]", "2001:db8::7"},
        {"[2001:db8::7]:4711", "2001:db8::7"},
        {"198.51.100.1, 192.0.2.7", "192.0.2.7"},
        {"198.51.100.1,192.0.2.7 , 10.0.0.1,\t10.0.0.2", "192.0.2.7"},
        {"198.51.100.1, , 192.0.2.7,", "192.0.2.7"},
        {"", "-"},
    };
    CHECK_EXAMPLES(SC_HTTP_X_FORWARDED_FOR, examples);
}

static void test_a_list_that_is_not_well_formed_is_refused_as_a_whole(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "192.0.2.7",
        "for",
        "for=",
        "for=;for=192.0.2.7",
        "for =192.0.2.7",
        "for= 192.0.2.7",
        "for=192.0.2",
        "for=192.0.2.7:80",  // a colon is for quotes
        "for=[2001:db8::7]",
        "for=2001:db8::7",
        "for=\"2001:db8::7\"",
        "for=\"[2001:db8::7\"",
        "for=\"[192.0.2.7]\"",
        "for=\"192.0.2.7:\"",
        "for=\"192.0.2.7:123456\"",
        "for=\"192.0.2.7:1x\"",
        "for=\"_\"",
        "for=\"\"",
        "for=hidden",
        "for=192.0.2.7;for=192.0.2.8",
        "for=192.0.2.7;",
        "for=192.0.2.7 for=192.0.2.8",
        "for=192.0.2.7;proto",
        "for=\"192.0.2.7",
        "for=\"192.0.2.7\\",
        "for=\"192.0.2.7\"x",
        "for=localhost",
        // A client's quote that a proxy's own addition would end.
        "for=198.51.100.1;x=\", for=192.0.2.7",
        "for=198.51.100.1;x=\", for=\"[2001:db8::7]\"",
        "for=198.51.100.1;x=\", for=192.0.2.7;by=\"_proxy\"",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_string_equal(client_of(SC_HTTP_FORWARDED, bad[i]), "bad");
    }
    static const char *const bad_plain[] = {
        "for=192.0.2.7", "192.0.2",   "192.0.2.7 192.0.2.8", "[192.0.2.7]",  "[2001:db8::7",
        "\"192.0.2.7\"", "localhost", "192.0.2.7:x",         "fe80::1%eth0", "x, 192.0.2.7"};
    for (size_t i = 0; i < sizeof bad_plain / sizeof *bad_plain; i++) {
        assert_string_equal(client_of(SC_HTTP_X_FORWARDED_FOR, bad_plain[i]), "bad");
    }
}

static void test_a_list_has_a_bound(void **state)
{
    (void)state;
    char value[SC__HTTP_MAX_HOPS * 12 + 40] = "";
    size_t size = 0;
    for (int i = 0; i < SC__HTTP_MAX_HOPS; i++) {
        size += (size_t)snprintf(value + size, sizeof value - size, "%s",
                                 i > 0 ? ",10.0.0.1" : "192.0.2.7");
    }
    assert_string_equal(client_of(SC_HTTP_X_FORWARDED_FOR, value), "192.0.2.7");
    snprintf(value + size, sizeof value - size, ",10.0.0.1");
    assert_string_equal(client_of(SC_HTTP_X_FORWARDED_FOR, value), "bad");
    // A value longer than any address is none, wherever it is cut.
    char quoted[400];
    snprintf(quoted, sizeof quoted, "for=\"%0300d\"", 1);
    assert_string_equal(client_of(SC_HTTP_FORWARDED, quoted), "bad");
}

// --- Requests ------------------------------------------------------------------------------------

static fixture *start(sc_http_forwarded header, size_t connections)
{
    static sc_http_options options;
    options = server_options();
    options.proxies = trusted;
    options.proxy_count = TRUSTED;
    options.forwarded = header;
    options.max_address_connections = connections;
    return server_start(&options);
}

/** The number of an address at this server. */
static const char *number_of(const fixture *h, const char *address)
{
    static char text[20];
    struct sockaddr_storage at = {.ss_family = AF_INET};
    if (inet_pton(AF_INET, address, &((struct sockaddr_in *)&at)->sin_addr) != 1) {
        at.ss_family = AF_INET6;
        assert_int_equal(inet_pton(AF_INET6, address, &((struct sockaddr_in6 *)&at)->sin6_addr), 1);
    }
    snprintf(text, sizeof text, "%016" PRIx64,
             sc__http_peer_number((const struct sockaddr *)&at, server_http(h)->peer_key));
    return text;
}

static void check_number(const fixture *h, const char *headers, const char *address)
{
    web_reply reply = web_ask(server_address(h), "GET", "/number", headers, NULL);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, number_of(h, address));
    web_reply_free(&reply);
}

static void check_refused(const fixture *h, const char *method, const char *headers, int status)
{
    web_reply reply = web_ask(server_address(h), method, "/number", headers, NULL);
    assert_int_equal(reply.status, status);
    web_reply_free(&reply);
}

static void test_a_request_is_counted_for_the_client_that_the_proxy_names(void **state)
{
    (void)state;
    fixture *h = start(SC_HTTP_FORWARDED, 0);
    check_number(h, "Forwarded: for=192.0.2.7\r\n", "192.0.2.7");
    check_number(h, "forwarded: for=\"[2001:db8::7]:1\"\r\n", "2001:db8::7");
    check_number(h, "Forwarded: for=198.51.100.1\r\nFORWARDED: for=192.0.2.7, for=10.0.0.9\r\n",
                 "192.0.2.7");
    // The other header is a client's to make up.
    check_number(h, "X-Forwarded-For: 198.51.100.1\r\nForwarded: for=192.0.2.7\r\n", "192.0.2.7");
    check_number(h, "X-Forwarded-For: 198.51.100.1\r\n", "127.0.0.1");
    check_number(h, "X-Forwarded-For: junk\r\n", "127.0.0.1");
    check_number(h, "", "127.0.0.1");
    check_number(h, "Forwarded: for=unknown\r\n", "127.0.0.1");
    check_refused(h, "GET", "Forwarded: 192.0.2.7\r\n", 400);
    check_refused(h, "GET", "Forwarded: for=\"\r\nForwarded: x=\"\r\n", 400);
    // A proxy reads no body behind the head of a reply to HEAD.
    const int fd = web_connect(server_address(h));
    web_send(fd, "HEAD", "/number", "Forwarded: junk\r\n", NULL);
    web_stream head = {0};
    web_stream_await_end(fd, &head);
    CHECK_CONTAINS(head.text, "HTTP/1.1 400");
    assert_string_equal(head.text + head.size - 4, "\r\n\r\n");
    free(head.text);
    close(fd);
    server_stop(h);
    h = start(SC_HTTP_X_FORWARDED_FOR, 0);
    check_number(h, "X-Forwarded-For: 198.51.100.1, 192.0.2.7\r\n", "192.0.2.7");
    check_number(h, "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-For: 10.0.0.9\r\n", "192.0.2.7");
    check_number(h, "Forwarded: for=192.0.2.7\r\n", "127.0.0.1");
    check_refused(h, "GET", "X-Forwarded-For: for=192.0.2.7\r\n", 400);
    server_stop(h);
}

static void check_peer(const fixture *h, const char *headers, const char *wanted)
{
    web_reply reply = web_ask(server_address(h), "GET", "/peer", headers, NULL);
    assert_string_equal(reply.body, wanted);
    web_reply_free(&reply);
}

static void test_nobody_is_local_by_such_a_connection(void **state)
{
    (void)state;
    fixture *h = start(SC_HTTP_FORWARDED, 0);
    check_peer(h, "Forwarded: for=127.0.0.1\r\n", "elsewhere public");
    check_peer(h, "Forwarded: for=\"[::1]\"\r\n", "elsewhere public");
    check_peer(h, "", "elsewhere public");
    server_stop(h);
}

static void test_others_than_proxies_name_nobody(void **state)
{
    (void)state;
    static const char *const elsewhere[] = {"192.0.2.1"};
    sc_http_options options = server_options();
    options.proxies = elsewhere;
    options.proxy_count = 1;
    options.forwarded = SC_HTTP_FORWARDED;
    fixture *h = server_start(&options);
    check_number(h, "Forwarded: for=192.0.2.7\r\n", "127.0.0.1");
    check_number(h, "Forwarded: junk\r\n", "127.0.0.1");
    check_peer(h, "", "here public");
    server_stop(h);
}

static void test_a_header_of_the_proxy_protocol_is_no_request(void **state)
{
    (void)state;
    fixture *h = start(SC_HTTP_FORWARDED, 0);
    static const char said[] = "PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\nGET /number HTTP/1.1\r\n"
                               "Host: x\r\n\r\n";
    const int fd = web_connect(server_address(h));
    assert_int_equal(write(fd, said, sizeof said - 1), (int)sizeof said - 1);
    web_reply reply = web_receive(fd);
    assert_int_equal(reply.status, 400);
    web_reply_free(&reply);
    close(fd);
    server_stop(h);
}

static void test_streams_of_one_connection_have_clients_of_their_own(void **state)
{
    (void)state;
    fixture *h = start(SC_HTTP_FORWARDED, 0);
    http2_caller *c = http2_dial(server_address(h));
    static const char *const clients[] = {"192.0.2.7", "192.0.2.8", "192.0.2.9"};
    int32_t ids[3];
    for (int i = 0; i < 3; i++) {
        char value[64];
        snprintf(value, sizeof value, "for=%s", clients[i]);
        ids[i] = http2_ask_with(c, "GET", "/number", "forwarded", value, NULL, 0);
    }
    const int32_t bad = http2_ask_with(c, "GET", "/number", "forwarded", "junk", NULL, 0);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(http2_receive(c, ids[i])->body, number_of(h, clients[i]));
    }
    assert_int_equal(http2_receive(c, bad)->status, 400);
    http2_hang_up(c);
    server_stop(h);
}

// Two requests at once of each client, by however many connections of the proxy.
static void test_a_client_has_as_many_requests_at_once_as_connections(void **state)
{
    (void)state;
    enum { MOST = 2, CONNECTIONS = 5 };
    fixture *h = start(SC_HTTP_FORWARDED, MOST);
    int fds[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
        fds[i] = web_connect(server_address(h));
        if (i >= MOST) continue;
        web_send(fds[i], "GET", "/hold", "Forwarded: for=192.0.2.7\r\n", NULL);
        server_await(h, server_held, (unsigned)i + 1);
    }
    web_send(fds[2], "GET", "/number", "Forwarded: for=192.0.2.7\r\n", NULL);
    web_reply reply = web_receive(fds[2]);
    assert_int_equal(reply.status, 429);
    web_reply_free(&reply);
    assert_int_equal(sc_http_stats_of(server_http(h)).refused_addresses, 1);
    web_send(fds[3], "GET", "/number", "Forwarded: for=192.0.2.8\r\n", NULL);
    reply = web_receive(fds[3]);
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    // When one has ended, by a reply or by a line that was cut, there is room for another.
    close(fds[0]);
    server_await(h, server_gone, 1);
    web_send(fds[4], "GET", "/number", "Forwarded: for=192.0.2.7\r\n", NULL);
    reply = web_receive(fds[4]);
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    server_release(h);
    reply = web_receive(fds[1]);
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    for (int i = 1; i < CONNECTIONS; i++) {
        close(fds[i]);
    }
    server_stop(h);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_forwarded_names_the_nearest_that_is_no_proxy),
    cmocka_unit_test(test_who_is_not_named_is_counted_as_the_proxy_that_does_not_name_it),
    cmocka_unit_test(test_x_forwarded_for_is_a_list_of_addresses),
    cmocka_unit_test(test_a_list_that_is_not_well_formed_is_refused_as_a_whole),
    cmocka_unit_test(test_a_list_has_a_bound),
    cmocka_unit_test(test_a_request_is_counted_for_the_client_that_the_proxy_names),
    cmocka_unit_test(test_nobody_is_local_by_such_a_connection),
    cmocka_unit_test(test_others_than_proxies_name_nobody),
    cmocka_unit_test(test_a_header_of_the_proxy_protocol_is_no_request),
    cmocka_unit_test(test_streams_of_one_connection_have_clients_of_their_own),
    cmocka_unit_test(test_a_client_has_as_many_requests_at_once_as_connections),
};
SC_SUITE(tests)
