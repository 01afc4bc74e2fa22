// Addresses of questions: which templates are taken, and what is made of them.
#include "points/point_settings.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>

#define GOOD "https://example.org/near?x={lon}&y={lat}&n={k}"

static void test_a_template_has_places_for_where_and_how_many(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        bool has_category;
    } good[] = {
        {GOOD, false},
        {GOOD "&type={category}", true},
        {"http://[::1]:8080/{lat}/{lon}/{k}/{category}/{k}", true},
        {"HTTP://user:secret@host?{lon}{lat}{k}", false},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        sc_diag diag = {""};
        bool has_category = !good[i].has_category;
        CHECK_OK(sc__url_check(good[i].url, &has_category, &diag), &diag);
        assert_int_equal(has_category, good[i].has_category);
    }
}

static void test_what_is_no_template_is_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        const char *why;
    } bad[] = {
        {NULL, "is missing"},
        {"", "is missing"},
        {"ftp://host/{lon}{lat}{k}", "must begin with http:// or https://"},
        {"host/{lon}{lat}{k}", "must begin with http:// or https://"},
        {"https:///{lon}{lat}{k}", "and a host"},
        {"https://host/{lat}{k}", "has no {lon}"},
        {"https://host/{lon}{k}", "has no {lat}"},
        {"https://host/{lon}{lat}", "has no {k}"},
        {GOOD "&r={radius}", "{radius}"},
        {GOOD "&r={", "what can be put into it"},
        {GOOD "}", "a '}' too many"},
        {"https://{lon}.host/{lat}{k}", "in the name of the host"},
        {GOOD "#part", "has a '#'"},
        {GOOD " ", "a blank or another character"},
        {GOOD "\xc3\xa9", "a blank or another character"},
        {GOOD "\n", "a blank or another character"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_diag diag = {""};
        bool has_category = false;
        CHECK_REFUSED(sc__url_check(bad[i].url, &has_category, &diag), SC_EINVAL, &diag,
                      bad[i].why);
    }
    char *endless = test_take(2, SC__URL_TEMPLATE_MAX);
    const int start = snprintf(endless, SC__URL_TEMPLATE_MAX, "%s", GOOD);
    memset(endless + start, 'a', SC__URL_TEMPLATE_MAX);
    sc_diag diag = {""};
    bool has_category = false;
    CHECK_REFUSED(sc__url_check(endless, &has_category, &diag), SC_EINVAL, &diag, "longer than");
    free(endless);
}

static void check_filled(const char *url, sc__url_values values, const char *wanted)
{
    char got[SC__URL_SIZE];
    sc_diag diag = {""};
    CHECK_OK(sc__url_fill(url, &values, got, &diag), &diag);
    assert_string_equal(got, wanted);
}

static void test_places_are_filled(void **state)
{
    (void)state;
    check_filled(GOOD "&t={category}&n={k}", (sc__url_values){-122.4194155, 37.7749295, 16, ""},
                 "https://example.org/near?x=-122.4194155&y=37.7749295&n=16&t=&n=16");
    check_filled("http://h/{category}/{lon}/{lat}/{k}",
                 (sc__url_values){0.0, -0.00000004, UINT32_MAX, "a b/\xc3\xa9&%?=_-~.9Z"},
                 "http://h/a%20b%2F%C3%A9%26%25%3F%3D_-~.9Z/0.0000000/0.0000000/4294967295");
    check_filled("http://h/{lon}/{lat}/{k}", (sc__url_values){1e8, -1e8, 1, ""},
                 "http://h/100000000.0000000/-100000000.0000000/1");
    check_filled("http://h/{lon}/{lat}/{k}", (sc__url_values){-0.05, 179.99999999, 1, ""},
                 "http://h/-0.0500000/180.0000000/1");
}

static void test_a_rounded_coordinate_is_the_one_in_the_address(void **state)
{
    (void)state;
    static const double coordinates[] = {0.0, 8.123456749, -8.12345675, 179.99999996, 99999999.25};
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; i++) {
        char url[SC__URL_SIZE];
        sc_diag diag = {""};
        const sc__url_values values = {coordinates[i], 0.0, 1, ""};
        CHECK_OK(sc__url_fill("http://h/{lon}", &values, url, &diag), &diag);
        CHECK_CLOSE(sc__url_rounded(coordinates[i]), strtod(url + strlen("http://h/"), NULL), 0.0);
        assert_true(fabs(sc__url_rounded(coordinates[i]) - coordinates[i]) <= 0.51 * SC__URL_STEP);
    }
}

static void test_a_category_too_long_for_an_address_is_refused(void **state)
{
    (void)state;
    char *endless = test_take(SC__URL_SIZE, 1);
    memset(endless, '&', SC__URL_SIZE / 3);
    char url[SC__URL_SIZE];
    sc_diag diag = {""};
    const sc__url_values values = {0.0, 0.0, 1, endless};
    CHECK_REFUSED(sc__url_fill("http://h/{category}", &values, url, &diag), SC_EREQUEST, &diag,
                  "too long");
    free(endless);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_template_has_places_for_where_and_how_many),
    cmocka_unit_test(test_what_is_no_template_is_refused_with_a_reason),
    cmocka_unit_test(test_places_are_filled),
    cmocka_unit_test(test_a_rounded_coordinate_is_the_one_in_the_address),
    cmocka_unit_test(test_a_category_too_long_for_an_address_is_refused),
};
SC_SUITE(tests)
