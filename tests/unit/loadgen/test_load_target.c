// URLs taken apart.
#include "demo/loadgen/load_connection.h"

#include "support/check.h"

static void check_target(const char *url, const char *name, const char *host, const char *path)
{
    sc_target target = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_target_init(&target, url, NULL, &diag), &diag);
    assert_string_equal(target.name, name);
    assert_string_equal(target.host, host);
    assert_string_equal(target.path, path);
    assert_true(target.address_size > 0);
    sc_target_fini(&target);
    sc_target_fini(&target);
}

static void check_refused(const char *url, sc_err wanted, const char *part)
{
    sc_target target = {0};
    sc_diag diag = {""};
    CHECK_REFUSED(sc_target_init(&target, url, NULL, &diag), wanted, &diag, part);
    assert_null(target.tls);
}

static void test_a_url_has_a_host_a_port_and_a_path(void **state)
{
    (void)state;
    check_target("http://127.0.0.1:8080", "127.0.0.1", "127.0.0.1:8080", "");
    check_target("http://127.0.0.1/", "127.0.0.1", "127.0.0.1", "");
    check_target("http://127.0.0.1:80/a/b//", "127.0.0.1", "127.0.0.1", "/a/b");
    check_target("https://127.0.0.1", "127.0.0.1", "127.0.0.1", "");
    check_target("https://127.0.0.1:80", "127.0.0.1", "127.0.0.1:80", "");
    check_target("http://[::1]:99/x", "::1", "[::1]:99", "/x");
}

static void test_this_machine_is_known(void **state)
{
    (void)state;
    sc_target target = {0};
    CHECK_OK(sc_target_init(&target, "http://localhost:8080", NULL, NULL), NULL);
    assert_true(target.is_ipv4_loopback);
    assert_null(target.tls);
    CHECK_OK(sc_target_init(&target, "http://127.9.9.9:8080", NULL, NULL), NULL);
    assert_true(target.is_ipv4_loopback);
    CHECK_OK(sc_target_init(&target, "http://192.0.2.1", NULL, NULL), NULL);
    assert_false(target.is_ipv4_loopback);
    CHECK_OK(sc_target_init(&target, "https://127.0.0.1", NULL, NULL), NULL);
    assert_non_null(target.tls);
    sc_target_fini(&target);
}

static void test_what_is_no_service_is_refused(void **state)
{
    (void)state;
    check_refused("", SC_EINVAL, "not the URL");
    check_refused("localhost:8080", SC_EINVAL, "not the URL");
    check_refused("ftp://localhost", SC_EINVAL, "not the URL");
    check_refused("http://", SC_EINVAL, "not the URL");
    check_refused("http://a:b@127.0.0.1", SC_EINVAL, "may have only a host");
    check_refused("http://127.0.0.1/?x=1", SC_EINVAL, "may have only a host");
    check_refused("http://127.0.0.1/#x", SC_EINVAL, "may have only a host");
    check_refused("http://no-such-host.invalid", SC_ENET, "no-such-host.invalid");
}

static void test_certificates_that_cannot_be_read_are_told(void **state)
{
    (void)state;
    sc_target target = {0};
    sc_diag diag = {""};
    CHECK_REFUSED(sc_target_init(&target, "https://127.0.0.1", "no-such-file.pem", &diag), SC_EIO,
                  &diag, "no-such-file.pem");
    // Plain HTTP has no use for it.
    CHECK_OK(sc_target_init(&target, "http://127.0.0.1", "no-such-file.pem", &diag), &diag);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_url_has_a_host_a_port_and_a_path),
    cmocka_unit_test(test_this_machine_is_known),
    cmocka_unit_test(test_what_is_no_service_is_refused),
    cmocka_unit_test(test_certificates_that_cannot_be_read_are_told),
};
SC_SUITE(tests)
