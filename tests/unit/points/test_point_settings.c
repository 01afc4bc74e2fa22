// Settings of a provider of points: what is accepted, that it is copied, and URLs.
#include "points/point_settings.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>

// === Addresses of questions: which templates are taken, and what is made of them ================

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
        CHECK_OK(sc__point_url_check(good[i].url, &has_category, &diag), &diag);
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
        {GOOD "&r={", "the unknown field"},
        {GOOD "}", "a '}' without a '{'"},
        {"https://{lon}.host/{lat}{k}", "in the name of the host"},
        {GOOD "#part", "has a '#'"},
        {GOOD " ", "a blank or another character"},
        {GOOD "\xc3\xa9", "a blank or another character"},
        {GOOD "\n", "a blank or another character"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_diag diag = {""};
        bool has_category = false;
        CHECK_REFUSED(sc__point_url_check(bad[i].url, &has_category, &diag), SC_EINVAL, &diag,
                      bad[i].why);
    }
    char *endless = test_take(2, SC__POINT_URL_TEMPLATE_MAX);
    const int start = snprintf(endless, SC__POINT_URL_TEMPLATE_MAX, "%s", GOOD);
    memset(endless + start, 'a', SC__POINT_URL_TEMPLATE_MAX);
    sc_diag diag = {""};
    bool has_category = false;
    CHECK_REFUSED(sc__point_url_check(endless, &has_category, &diag), SC_EINVAL, &diag,
                  "longer than");
    free(endless);
}

static void check_filled(const char *url, sc__point_url_values values, const char *wanted)
{
    char got[SC__POINT_URL_SIZE];
    sc_diag diag = {""};
    CHECK_OK(sc__point_url_fill(url, &values, got, &diag), &diag);
    assert_string_equal(got, wanted);
}

static void test_places_are_filled(void **state)
{
    (void)state;
    check_filled(GOOD "&t={category}&n={k}",
                 (sc__point_url_values){-122.4194155, 37.7749295, 16, ""},
                 "https://example.org/near?x=-122.4194155&y=37.7749295&n=16&t=&n=16");
    check_filled("http://h/{category}/{lon}/{lat}/{k}",
                 (sc__point_url_values){0.0, -0.00000004, UINT32_MAX, "a b/\xc3\xa9&%?=_-~.9Z"},
                 "http://h/a%20b%2F%C3%A9%26%25%3F%3D_-~.9Z/0.0000000/0.0000000/4294967295");
    check_filled("http://h/{lon}/{lat}/{k}", (sc__point_url_values){1e8, -1e8, 1, ""},
                 "http://h/100000000.0000000/-100000000.0000000/1");
    check_filled("http://h/{lon}/{lat}/{k}", (sc__point_url_values){-0.05, 179.99999999, 1, ""},
                 "http://h/-0.0500000/180.0000000/1");
}

static void test_a_rounded_coordinate_is_the_one_in_the_address(void **state)
{
    (void)state;
    static const double coordinates[] = {0.0, 8.123456749, -8.12345675, 179.99999996, 99999999.25};
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; i++) {
        char url[SC__POINT_URL_SIZE];
        sc_diag diag = {""};
        const sc__point_url_values values = {coordinates[i], 0.0, 1, ""};
        CHECK_OK(sc__point_url_fill("http://h/{lon}", &values, url, &diag), &diag);
        CHECK_CLOSE(sc__point_url_rounded(coordinates[i]), strtod(url + strlen("http://h/"), NULL),
                    0.0);
        assert_true(fabs(sc__point_url_rounded(coordinates[i]) - coordinates[i]) <=
                    0.51 * SC__POINT_URL_STEP);
    }
}

static void test_a_category_too_long_for_an_address_is_refused(void **state)
{
    (void)state;
    char *endless = test_take(SC__POINT_URL_SIZE, 1);
    memset(endless, '&', SC__POINT_URL_SIZE / 3);
    char url[SC__POINT_URL_SIZE];
    sc_diag diag = {""};
    const sc__point_url_values values = {0.0, 0.0, 1, endless};
    CHECK_REFUSED(sc__point_url_fill("http://h/{category}", &values, url, &diag), SC_EREQUEST,
                  &diag, "too long");
    free(endless);
}

// === What an adapter may be told, and that it keeps a copy ======================================

static sc_point_options usable(void)
{
    sc_point_options options = sc_point_options_default();
    options.url = "http://h/{lon}/{lat}/{k}";
    return options;
}

static void test_the_defaults_lack_nothing_but_a_url(void **state)
{
    (void)state;
    sc_diag diag = {""};
    sc__point_settings settings;
    const sc_point_options nothing = sc_point_options_default();
    CHECK_REFUSED(sc__point_settings_init(&nothing, &settings, &diag), SC_EINVAL, &diag,
                  "URL is missing");
    const sc_point_options options = usable();
    CHECK_OK(sc__point_settings_init(&options, &settings, &diag), &diag);
    assert_string_equal(settings.options.list_field, "results");
    assert_string_equal(settings.options.name_field, "name");
    assert_false(settings.has_category);
    sc__point_settings_fini(&settings);
    sc__point_settings_fini(&settings);
}

static void test_texts_are_copied_and_empty_ones_are_none(void **state)
{
    (void)state;
    char url[] = "http://h/{lon}/{lat}/{k}/{category}";
    char key[] = "properties.id";
    sc_point_options options = usable();
    options.url = url;
    options.key_field = key;
    options.list_field = NULL;
    options.distance_field = "";
    options.category_field = NULL;
    sc_diag diag = {""};
    sc__point_settings settings;
    CHECK_OK(sc__point_settings_init(&options, &settings, &diag), &diag);
    memset(url, 'x', strlen(url));
    memset(key, 'x', strlen(key));
    assert_string_equal(settings.options.url, "http://h/{lon}/{lat}/{k}/{category}");
    assert_string_equal(settings.options.key_field, "properties.id");
    assert_string_equal(settings.options.list_field, "");
    assert_null(settings.options.distance_field);
    assert_null(settings.options.category_field);
    assert_true(settings.has_category);
    sc__point_settings_fini(&settings);
}

static void check_refused(const sc_point_options *options, const char *why)
{
    sc_diag diag = {""};
    sc__point_settings settings;
    CHECK_REFUSED(sc__point_settings_init(options, &settings, &diag), SC_EINVAL, &diag, why);
}

static void test_numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    static const double no_spacings[] = {0.0, -1.0, 1e10, HUGE_VAL, NOT_A_NUMBER};
    for (size_t i = 0; i < sizeof no_spacings / sizeof *no_spacings; i++) {
        sc_point_options options = usable();
        options.spacing_m = no_spacings[i];
        check_refused(&options, "spacing");
        options = usable();
        options.timeout_s = no_spacings[i];
        check_refused(&options, "timeout");
    }
    static const double no_deadlines[] = {-1.0, 86401.0, HUGE_VAL, NOT_A_NUMBER};
    for (size_t i = 0; i < sizeof no_deadlines / sizeof *no_deadlines; i++) {
        sc_point_options options = usable();
        options.deadline_s = no_deadlines[i];
        check_refused(&options, "deadline must be 0 (none) to 86400 seconds");
    }
    sc_point_options options = usable();
    options.leave_s = -1.0;
    check_refused(&options, "first question");
    options.leave_s = NOT_A_NUMBER;
    check_refused(&options, "first question");
    options = usable();
    options.max_k = 0;
    check_refused(&options, "at least 1");
    options = usable();
    options.max_points = 0;
    check_refused(&options, "at least 1");
    options = usable();
    options.max_bytes = 0;
    check_refused(&options, "1 to 1073741824 bytes");
    options.max_bytes = SIZE_MAX;
    check_refused(&options, "1 to 1073741824 bytes");
    options = usable();
    options.parallel = 0;
    check_refused(&options, "1 to 1000");
    options.parallel = 1001;
    check_refused(&options, "1 to 1000");
    options = usable();
    options.distance = (sc_point_distance)2;
    check_refused(&options, "neither straight nor road");
}

static void test_fields_must_have_names(void **state)
{
    (void)state;
    sc_point_options options = usable();
    options.key_field = "";
    check_refused(&options, "field of the key has no name");
    options = usable();
    options.lon_field = NULL;
    check_refused(&options, "field of the longitude has no name");
    options = usable();
    options.lat_field = "geometry..1";
    check_refused(&options, "'geometry..1', is not a valid name");
    options.lat_field = ".lat";
    check_refused(&options, "is not a valid name");
    options.lat_field = "lat.";
    check_refused(&options, "is not a valid name");
    options = usable();
    options.distance = SC_POINT_ROAD;
    options.distance_field = NULL;
    check_refused(&options, "field of the distance has no name");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_template_has_places_for_where_and_how_many),
    cmocka_unit_test(test_what_is_no_template_is_refused_with_a_reason),
    cmocka_unit_test(test_places_are_filled),
    cmocka_unit_test(test_a_rounded_coordinate_is_the_one_in_the_address),
    cmocka_unit_test(test_a_category_too_long_for_an_address_is_refused),
    cmocka_unit_test(test_the_defaults_lack_nothing_but_a_url),
    cmocka_unit_test(test_texts_are_copied_and_empty_ones_are_none),
    cmocka_unit_test(test_numbers_out_of_range_are_refused),
    cmocka_unit_test(test_fields_must_have_names),
};
SC_SUITE(tests)
