// Requests: which make sense, and when two are the same.
#include "support/check.h"

#include <starcloak/relay.h>

#include <math.h>

static sc_err check(sc_request request, sc_diag *diag)
{
    const sc_request_limits limits = sc_request_limits_default();
    return sc_request_check(&request, &limits, 3, diag);
}

static sc_request knn(uint32_t k)
{
    return (sc_request){.type = SC_REQUEST_KNN, .k = k};
}

static sc_request range(double radius_m)
{
    return (sc_request){.type = SC_REQUEST_RANGE, .radius_m = radius_m};
}

static void test_a_request_within_the_limits_makes_sense(void **state)
{
    (void)state;
    sc_diag diag = {""};
    CHECK_OK(check(knn(1), &diag), &diag);
    CHECK_OK(check(knn(1000), &diag), &diag);
    CHECK_OK(check(range(0.0), &diag), &diag);
    CHECK_OK(check(range(100000.0), &diag), &diag);
    sc_request request = knn(5);
    request.category_count = 2;
    request.categories[0] = 2;
    request.categories[1] = 0;
    CHECK_OK(check(request, &diag), &diag);
    assert_string_equal(diag.message, "");
}

static void test_what_cannot_be_asked_is_refused_with_a_reason(void **state)
{
    (void)state;
    sc_diag diag = {""};
    CHECK_REFUSED(check(knn(0), &diag), SC_EREQUEST, &diag, "k is 0; ask for 1 to 1000");
    CHECK_REFUSED(check(knn(1001), &diag), SC_EREQUEST, &diag, "k is 1001; ask for 1 to 1000");
    CHECK_REFUSED(check(range(-0.5), &diag), SC_EREQUEST, &diag, "the radius is -0.5 m");
    CHECK_REFUSED(check(range(100001.0), &diag), SC_EREQUEST, &diag, "ask for 0 to 100000 m");
    CHECK_REFUSED(check(range(NOT_A_NUMBER), &diag), SC_EREQUEST, &diag, "the radius is");
    CHECK_REFUSED(check(range(HUGE_VAL), &diag), SC_EREQUEST, &diag, "the radius is inf m");
    sc_request request = knn(5);
    request.category_count = 1;
    request.categories[0] = 3;
    CHECK_REFUSED(check(request, &diag), SC_EREQUEST, &diag, "no category 3; there are 3");
    request.category_count = SC_REQUEST_CATEGORIES + 1;
    CHECK_REFUSED(check(request, &diag), SC_EREQUEST, &diag, "name at most 16");
    request = knn(5);
    request.type = (sc_request_type)2;
    CHECK_REFUSED(check(request, &diag), SC_EREQUEST, &diag, "the k nearest or for a range");
}

static void test_limits_are_what_the_provider_says(void **state)
{
    (void)state;
    const sc_request_limits limits = {.max_k = 3, .max_radius_m = 10.0};
    const sc_request four = knn(4);
    const sc_request wide = range(10.5);
    const sc_request fine = range(10.0);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_request_check(&four, &limits, 0, &diag), SC_EREQUEST, &diag, "1 to 3");
    CHECK_REFUSED(sc_request_check(&wide, &limits, 0, &diag), SC_EREQUEST, &diag, "0 to 10 m");
    CHECK_OK(sc_request_check(&fine, &limits, 0, &diag), NULL);
}

static void test_requests_that_ask_the_same_have_one_normal_form(void **state)
{
    (void)state;
    // What a type does not use, the order of categories and their repetition do not count.
    sc_request a = {.type = SC_REQUEST_KNN,
                    .k = 5,
                    .radius_m = 7.0,
                    .category_count = 4,
                    .categories = {2, 0, 2, 1}};
    sc_request b = {
        .type = SC_REQUEST_KNN, .k = 5, .category_count = 3, .categories = {1, 2, 0, 9}};
    assert_false(sc_request_equal(&a, &b));
    a = sc_request_normalise(&a);
    b = sc_request_normalise(&b);
    assert_true(sc_request_equal(&a, &b));
    assert_int_equal(a.category_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(a.categories[i], i);
    }
    CHECK_SAME(a.radius_m, 0.0);

    sc_request c = range(-0.0);
    c.k = 3;
    c = sc_request_normalise(&c);
    const sc_request d = range(0.0);
    assert_true(sc_request_equal(&c, &d));
    CHECK_SAME(c.radius_m, 0.0);
}

static void test_requests_that_differ_in_anything_are_not_equal(void **state)
{
    (void)state;
    const sc_request plain = {
        .type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {1}};
    sc_request other = plain;
    assert_true(sc_request_equal(&plain, &other));
    other.k = 6;
    assert_false(sc_request_equal(&plain, &other));
    other = plain;
    other.categories[0] = 2;
    assert_false(sc_request_equal(&plain, &other));
    other = plain;
    other.category_count = 0;
    assert_false(sc_request_equal(&plain, &other));
    const sc_request near = range(5.0);
    const sc_request far = range(6.0);
    assert_false(sc_request_equal(&near, &far));
    assert_false(sc_request_equal(&near, &plain));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_request_within_the_limits_makes_sense),
    cmocka_unit_test(test_what_cannot_be_asked_is_refused_with_a_reason),
    cmocka_unit_test(test_limits_are_what_the_provider_says),
    cmocka_unit_test(test_requests_that_ask_the_same_have_one_normal_form),
    cmocka_unit_test(test_requests_that_differ_in_anything_are_not_equal),
};
SC_SUITE(tests)
