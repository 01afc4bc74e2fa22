// A number for the peer: which addresses have the same, and which have not.
#include "server/http_internal.h"
#include "support/check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

static const unsigned char key[SC__HTTP_PEER_KEY_BYTES] = "0123456789abcde";

static struct sockaddr_storage address_of(const char *text)
{
    struct sockaddr_storage address = {0};
    struct sockaddr_in *ip4 = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *ip6 = (struct sockaddr_in6 *)&address;
    if (inet_pton(AF_INET, text, &ip4->sin_addr) == 1) {
        address.ss_family = AF_INET;
        ip4->sin_port = 4711;  // which does not count
    } else if (inet_pton(AF_INET6, text, &ip6->sin6_addr) == 1) {
        address.ss_family = AF_INET6;
        ip6->sin6_port = 4711;
    } else {
        address.ss_family = AF_UNIX;
    }
    return address;
}

static uint64_t number_of(const char *text)
{
    const struct sockaddr_storage address = address_of(text);
    return sc__http_peer_number((const struct sockaddr *)&address, key);
}

static bool is_local(const char *text)
{
    const struct sockaddr_storage address = address_of(text);
    return sc__http_peer_is_local((const struct sockaddr *)&address);
}

static void test_an_address_of_ip4_has_a_number_of_its_own(void **state)
{
    (void)state;
    assert_true(number_of("192.0.2.1") == number_of("192.0.2.1"));
    assert_true(number_of("192.0.2.1") != number_of("192.0.2.2"));
    assert_true(number_of("192.0.2.1") == number_of("::ffff:192.0.2.1"));
}

static void test_a_network_of_ip6_has_one_number(void **state)
{
    (void)state;
    assert_true(number_of("2001:db8:1:2::1") == number_of("2001:db8:1:2:ffff::2"));
    assert_true(number_of("2001:db8:1:2::1") != number_of("2001:db8:1:3::1"));
    assert_true(number_of("c000:201::1") != number_of("192.0.2.1"));  // the same first bytes
}

static void test_all_of_this_machine_s_sockets_have_one_number(void **state)
{
    (void)state;
    assert_true(number_of("unix") == number_of("unix"));
    assert_true(number_of("unix") != number_of("0.0.0.0"));
    assert_true(number_of("unix") != number_of("::"));
}

static void test_the_number_depends_on_the_key(void **state)
{
    (void)state;
    static const unsigned char other[SC__HTTP_PEER_KEY_BYTES] = "another key 123";
    const struct sockaddr_storage address = address_of("192.0.2.1");
    assert_true(sc__http_peer_number((const struct sockaddr *)&address, other) !=
                number_of("192.0.2.1"));
}

static void test_this_machine_is_known_by_its_loopback(void **state)
{
    (void)state;
    assert_true(is_local("127.0.0.1"));
    assert_true(is_local("127.255.0.7"));
    assert_true(is_local("::1"));
    assert_true(is_local("::ffff:127.0.0.1"));
    assert_true(is_local("unix"));
    assert_false(is_local("128.0.0.1"));
    assert_false(is_local("192.0.2.1"));
    assert_false(is_local("::2"));
    assert_false(is_local("::ffff:192.0.2.1"));
    assert_false(is_local("7f00::1"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_address_of_ip4_has_a_number_of_its_own),
    cmocka_unit_test(test_a_network_of_ip6_has_one_number),
    cmocka_unit_test(test_all_of_this_machine_s_sockets_have_one_number),
    cmocka_unit_test(test_the_number_depends_on_the_key),
    cmocka_unit_test(test_this_machine_is_known_by_its_loopback),
};
SC_SUITE(tests)
