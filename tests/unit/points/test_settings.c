// What an adapter may be told, and that it keeps a copy.
#include "points/point_settings.h"
#include "support/check.h"

#include <math.h>

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
    check_refused(&options, "'geometry..1', is no name");
    options.lat_field = ".lat";
    check_refused(&options, "is no name");
    options.lat_field = "lat.";
    check_refused(&options, "is no name");
    options = usable();
    options.distance = SC_POINT_ROAD;
    options.distance_field = NULL;
    check_refused(&options, "field of the distance has no name");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_defaults_lack_nothing_but_a_url),
    cmocka_unit_test(test_texts_are_copied_and_empty_ones_are_none),
    cmocka_unit_test(test_numbers_out_of_range_are_refused),
    cmocka_unit_test(test_fields_must_have_names),
};
SC_SUITE(tests)
