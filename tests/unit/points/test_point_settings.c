// Settings of a provider of points: what a file may say, what a URL alone says, what is refused,
// and the questions that are made of them.
#include "base/bytes.h"
#include "points/point_settings.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

// === A URL and options ==========================================================================

#define GOOD "https://example.org/near?x={lon}&y={lat}&n={k}"

static sc_point_options usable(void)
{
    sc_point_options options = sc_point_options_default();
    options.url = "http://h/{lon}/{lat}/{k}";
    return options;
}

static sc_point_settings *settings_of_url(const char *url)
{
    sc_point_options options = usable();
    options.url = url;
    sc_point_settings *settings = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_point_settings_new(&options, &settings, &diag), &diag);
    return settings;
}

static void check_refused(const sc_point_options *options, const char *why)
{
    sc_diag diag = {""};
    sc_point_settings *settings = NULL;
    CHECK_REFUSED(sc_point_settings_new(options, &settings, &diag), SC_EINVAL, &diag, why);
    assert_null(settings);
}

static void test_a_template_has_places_for_where_and_how_many(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        bool has_category;
    } good[] = {
        {GOOD, false},
        {GOOD "&type={category}", true},
        {GOOD "&key=amenity", false},
        {"http://[::1]:8080/{lat}/{lon}/{k}/{category}/{k}", true},
        {"HTTP://host?{lon}{lat}{k}", false},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        sc_point_settings *settings = settings_of_url(good[i].url);
        assert_int_equal(settings->common.has[SC__POINT_CATEGORY], good[i].has_category);
        assert_string_equal(sc_point_settings_url(settings), good[i].url);
        sc_point_settings_free(settings);
    }
}

static void test_what_is_no_template_is_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        const char *why;
    } bad[] = {
        {NULL, "url is missing"},
        {"", "url is missing"},
        {"ftp://host/{lon}{lat}{k}", "must begin with http:// or https://"},
        {"host/{lon}{lat}{k}", "must begin with http:// or https://"},
        {"https:///{lon}{lat}{k}", "and a host"},
        {"https://host/{lat}{k}", "has {lon}"},
        {"https://host/{lon}{k}", "has {lat}"},
        {"https://host/{lon}{lat}", "has {k}"},
        {GOOD "&r={west}", "unknown place '{west}'; known are {lon}, {lat}, {k}"},
        {GOOD "&r={", "an unknown place"},
        {GOOD "}", "a '}' without a '{'"},
        {GOOD "&r={radius}", "give radius, in metres, in section [points]"},
        {GOOD "&r={key}", "give key = file:PATH or env:NAME"},
        {GOOD "&api_key=s3cret", "the parameter 'api_key'; write {key} in its place"},
        {GOOD "&Access-Token=s3cret", "has a secret in it"},
        {GOOD "&key=AIzaSyA-s3cret-s3cret", "has a secret in it"},
        {"https://me:s3cret@host/{lon}{lat}{k}", "a user before the host"},
        {"https://{lon}.host/{lat}{k}", "in the name of the host"},
        {GOOD "#part", "a '#'"},
        {GOOD " ", "a blank, a '#' or another character"},
        {GOOD "\xc3\xa9", "a blank, a '#' or another character"},
        {GOOD "\n", "a blank, a '#' or another character"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_point_options options = usable();
        options.url = bad[i].url;
        sc_diag diag = {""};
        sc_point_settings *settings = NULL;
        CHECK_REFUSED(sc_point_settings_new(&options, &settings, &diag), SC_EINVAL, &diag,
                      bad[i].why);
        assert_null(strstr(diag.message, "s3cret"));
    }
    char *endless = test_take(2, SC_TEMPLATE_MAX);
    const int start = snprintf(endless, SC_TEMPLATE_MAX, "%s", GOOD);
    memset(endless + start, 'a', SC_TEMPLATE_MAX);
    sc_point_options options = usable();
    options.url = endless;
    check_refused(&options, "longer than");
    free(endless);
}

static void check_filled(const char *url, sc__point_question question, const char *wanted)
{
    sc_point_settings *settings = settings_of_url(url);
    sc_bytes text = {.data = NULL};
    sc_bytes body = {.data = NULL};
    sc_diag diag = {""};
    CHECK_OK(sc__point_question_fill(settings, &question, &text, &body, &diag), &diag);
    assert_string_equal((const char *)text.data, wanted);
    assert_int_equal(body.size, 0);
    sc_bytes_fini(&text);
    sc_point_settings_free(settings);
}

static void test_places_are_filled(void **state)
{
    (void)state;
    check_filled(GOOD "&t={category}&n={k}",
                 (sc__point_question){-122.4194155, 37.7749295, 16, NULL},
                 "https://example.org/near?x=-122.4194155&y=37.7749295&n=16&t=&n=16");
    check_filled("http://h/{category}/{lon}/{lat}/{k}",
                 (sc__point_question){0.0, -0.00000004, UINT32_MAX, "a b/\xc3\xa9&%?=_-~.9Z"},
                 "http://h/a%20b%2F%C3%A9%26%25%3F%3D_-~.9Z/0.0000000/0.0000000/4294967295");
    check_filled("http://h/{lon}/{lat}/{k}", (sc__point_question){1e8, -1e8, 1, NULL},
                 "http://h/100000000.0000000/-100000000.0000000/1");
    check_filled("http://h/{lon}/{lat}/{k}", (sc__point_question){-0.05, 179.99999999, 1, NULL},
                 "http://h/-0.0500000/180.0000000/1");
}

static void test_a_rounded_coordinate_is_the_one_in_the_address(void **state)
{
    (void)state;
    static const double coordinates[] = {0.0, 8.123456749, -8.12345675, 179.99999996, 99999999.25};
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; i++) {
        sc_point_settings *settings = settings_of_url("http://h/{lon}?{lat}{k}");
        const sc__point_question question = {coordinates[i], 0.0, 1, NULL};
        sc_bytes url = {.data = NULL};
        CHECK_OK(sc__point_question_fill(settings, &question, &url, NULL, NULL), NULL);
        const double sent = strtod((const char *)url.data + strlen("http://h/"), NULL);
        CHECK_CLOSE(sc_template_rounded(coordinates[i]), sent, 0.0);
        assert_true(fabs(sent - coordinates[i]) <= 0.51 * SC_TEMPLATE_STEP);
        sc_bytes_fini(&url);
        sc_point_settings_free(settings);
    }
}

static void test_the_defaults_lack_nothing_but_a_url(void **state)
{
    (void)state;
    sc_diag diag = {""};
    sc_point_settings *settings = NULL;
    const sc_point_options nothing = sc_point_options_default();
    CHECK_REFUSED(sc_point_settings_new(&nothing, &settings, &diag), SC_EINVAL, &diag,
                  "url is missing");
    const sc_point_options options = usable();
    CHECK_OK(sc_point_settings_new(&options, &settings, &diag), &diag);
    assert_string_equal(settings->common.list, "/results");
    assert_string_equal(settings->common.name.items[0], "/name");
    // Each who asks has so many questions under way.
    assert_int_equal(settings->options.parallel, 8);
    assert_true(settings->pace->parallel == UINT64_MAX);
    sc_point_settings_free(settings);
}

static void test_texts_are_copied_and_empty_ones_are_none(void **state)
{
    (void)state;
    char url[] = "http://h/{lon}/{lat}/{k}/{category}";
    char key[] = "properties.osm/id~0";
    sc_point_options options = usable();
    options.url = url;
    options.key_field = key;
    options.list_field = NULL;
    options.distance_field = "";
    options.category_field = NULL;
    sc_diag diag = {""};
    sc_point_settings *settings = NULL;
    CHECK_OK(sc_point_settings_new(&options, &settings, &diag), &diag);
    memset(url, 'x', strlen(url));
    memset(key, 'x', strlen(key));
    assert_string_equal(settings->common.url, "http://h/{lon}/{lat}/{k}/{category}");
    assert_string_equal(settings->common.id.items[0], "/properties/osm~1id~00");
    assert_string_equal(settings->common.list, "");
    assert_int_equal(settings->distance.count, 0);
    assert_int_equal(settings->common.category.count, 0);
    sc_point_settings_free(settings);
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
    options.radius_m = -1.0;
    check_refused(&options, "radius");
    options = usable();
    options.rate_per_s = NOT_A_NUMBER;
    check_refused(&options, "rate");
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

// === Files ======================================================================================

#define URL "url = http://h/x?{lon},{lat},{k}\n"
#define FIELDS "[fields]\nlist = /o\nid = /id\nlon = /x\nlat = /y\n"
#define FILE_OK "[provider]\n" URL FIELDS

static sc_err read_text(const char *text, sc_point_settings **out, sc_diag *diag)
{
    // Exactly as many bytes as there are, so that reading one more is seen.
    const size_t size = strlen(text);
    uint8_t *copy = test_take(size, 1);
    memcpy(copy, text, size);  // NOLINT(bugprone-not-null-terminated-result): as it comes
    const sc_input input = {"near.ini", copy, size};
    const sc_err err = sc__point_settings_read(&input, out, diag);
    free(copy);
    return err;
}

static sc_point_settings *settings_of_file(const char *text)
{
    sc_point_settings *settings = NULL;
    sc_diag diag = {""};
    CHECK_OK(read_text(text, &settings, &diag), &diag);
    return settings;
}

static void test_a_file_says_how_to_ask(void **state)
{
    (void)state;
    sc_point_settings *s = settings_of_file(
        FILE_OK "distance = /d\n[points]\nmeasure = road\nspacing = 50\nmax-k = 20\n"
                "radius = 5000\nmax-points = 99\n[limits]\nrate = 0.5\nparallel = 2\n"
                "timeout = 3\ndeadline = 9\nmax-bytes = 5000\n[headers]\nX-Key = 17\n"
                "[categories]\nfuel = gas, petrol\n");
    assert_int_equal(s->options.distance, SC_POINT_ROAD);
    CHECK_SAME(s->options.spacing_m, 50.0);
    CHECK_SAME(s->options.radius_m, 5000.0);
    assert_int_equal(s->options.max_k, 20);
    assert_int_equal(s->options.max_points, 99);
    assert_int_equal(s->options.max_bytes, 5000);
    assert_int_equal(s->options.parallel, 2);
    assert_int_equal(s->pace->parallel, 2);
    CHECK_SAME(s->options.rate_per_s, 0.5);
    CHECK_SAME(s->pace->rate_per_s, 0.5);
    CHECK_SAME(s->options.timeout_s, 3.0);
    CHECK_SAME(s->options.deadline_s, 9.0);
    assert_string_equal(s->distance.items[0], "/d");
    size_t count = 0;
    assert_string_equal(sc_point_settings_categories(s, &count)[0], "fuel");
    assert_int_equal(count, 1);
    sc_point_settings_free(s);
}

static void test_what_makes_no_sense_is_refused_with_file_line_and_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *why;
    } bad[] = {
        {"", "near.ini: url is missing"},
        {"[tiles]\n", "near.ini:1: unknown section; with --point-provider there are provider"},
        {FILE_OK "nmae = /n\n", "near.ini:8: 'nmae': no such setting in section [fields]; there "
                                "are: list, no-list, id, lon, lat"},
        {"[provider]\n" URL "preset = overpass\n" FIELDS, "are for --area-provider"},
        {"[provider]\nurl = http://h/{lon},{lat}\n" FIELDS, "near.ini:2: neither url nor body"},
        {"[provider]\n" URL "method = post\n" FIELDS,
         "near.ini:3: method is post, and there is no"},
        {"[provider]\n" URL "body = {}\nmethod = get\n" FIELDS, "near.ini:4: method is get"},
        {"[provider]\n" URL "body-all = x\n" FIELDS, "near.ini:3: body-all needs body"},
        {"[provider]\n" URL "key = 17\n" FIELDS, "near.ini:3: key is given, and neither"},
        {"[provider]\n" URL "key = env:STARCLOAK_NOT_SET\n" FIELDS,
         "near.ini:3: 'key': the environment does not have the variable it names; set it"},
        {"[provider]\n" URL "key = file:/nowhere/at/all\n" FIELDS, "create it, and let"},
        {"[provider]\nurl = http://h/{lon}{lat}{k}?token=s3cret\n" FIELDS,
         "near.ini:2: url has a secret in it"},
        {"[provider]\nurl = http://me:s3cret@h/{lon}{lat}{k}\n" FIELDS,
         "near.ini:2: url has a user before the host"},
        {FILE_OK "name = n\n", "near.ini:8: 'name': not a JSON pointer; write one as /properties"},
        {FILE_OK "geometry = /g\n", "near.ini:8: section [fields] needs either geometry"},
        {FILE_OK "[points]\nmeasure = road\n", "near.ini:9: distances are by road"},
        {FILE_OK "[points]\nmeasure = air\n", "measure must be one of: straight road"},
        {FILE_OK "[points]\nmax-k = 0\n", "max-k must be a whole number from 1 to 1e+06"},
        {FILE_OK "[headers]\nX-Key = 17\nx-key = 18\n", "near.ini:10: 'x-key': the header is"},
        {FILE_OK "[headers]\nContent-Type = text/plain\n", "give content-type in section"},
        {FILE_OK "[headers]\nX-Key =\n", "near.ini:9: 'X-Key': its value is empty"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_point_settings *settings = NULL;
        sc_diag diag = {""};
        const sc_err err = read_text(bad[i].text, &settings, &diag);
        assert_true(err == SC_EPARSE || err == SC_EINVAL);
        CHECK_CONTAINS(diag.message, bad[i].why);
        CHECK_CONTAINS(diag.message, "near.ini");
        assert_null(strstr(diag.message, "s3cret"));
        assert_null(settings);
    }
}

static void check_question(const sc_point_settings *settings, const char *category,
                           const char *wanted_url, const char *wanted_body)
{
    const sc__point_question question = {8.5, -1.25, 16, category};
    sc_bytes url = {.data = NULL};
    sc_bytes body = {.data = NULL};
    sc_diag diag = {""};
    CHECK_OK(sc__point_question_fill(settings, &question, &url, &body, &diag), &diag);
    assert_string_equal((const char *)url.data, wanted_url);
    if (wanted_body) assert_string_equal((const char *)body.data, wanted_body);
    if (!wanted_body) assert_int_equal(body.size, 0);
    sc_bytes_fini(&url);
    sc_bytes_fini(&body);
}

static void test_presets_ask_as_their_providers_document_it(void **state)
{
    (void)state;
    sc_point_settings *s = settings_of_file("[provider]\npreset = google-nearby\n[headers]\n"
                                            "X-Goog-Api-Key = 17\n[categories]\n"
                                            "fuel = gas_station, ev_station\n");
    check_question(s, "fuel", "https://places.googleapis.com/v1/places:searchNearby",
                   "{\"includedTypes\": [\"gas_station\",\"ev_station\"], \"maxResultCount\": 16,"
                   "\"rankPreference\": \"DISTANCE\", \"locationRestriction\": {\"circle\": "
                   "{\"center\":{\"latitude\": -1.2500000, \"longitude\": 8.5000000}, "
                   "\"radius\": 50000}}}");
    check_question(s, NULL, "https://places.googleapis.com/v1/places:searchNearby",
                   "{\"maxResultCount\": 16,"
                   "\"rankPreference\": \"DISTANCE\", \"locationRestriction\": {\"circle\": "
                   "{\"center\":{\"latitude\": -1.2500000, \"longitude\": 8.5000000}, "
                   "\"radius\": 50000}}}");
    assert_int_equal(s->options.max_k, 20);
    sc_point_settings_free(s);
    s = settings_of_file("[provider]\npreset = foursquare\naddress = http://h/s\n[headers]\n"
                         "Authorization = Bearer 17\nX-Places-Api-Version = 2030-01-01\n");
    check_question(s, "4bf5",
                   "http://h/s?ll=-1.2500000,8.5000000&radius=100000&limit=16"
                   "&sort=DISTANCE&fields=fsq_place_id,name,latitude,longitude,distance"
                   "&fsq_category_ids=4bf5",
                   NULL);
    // What the file says replaces what the preset says.
    assert_int_equal(s->common.header_names.count, 2);
    assert_string_equal(s->common.header_values.items[0], "2030-01-01");
    sc_point_settings_free(s);
}

static void test_a_key_comes_from_a_file_and_is_never_told(void **state)
{
    (void)state;
    char path[] = "/tmp/starcloak-key-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "s3 cret\n", 8), 8);
    close(file);
    char text[500];
    snprintf(text, sizeof text,
             "[provider]\nurl = http://h/?{lon},{lat},{k}&key={key}\nkey = file:%s\n" FIELDS, path);
    sc_point_settings *s = settings_of_file(text);
    assert_string_equal(sc_point_settings_url(s), "http://h/?{lon},{lat},{k}&key={key}");
    check_question(s, NULL, "http://h/?8.5000000,-1.2500000,16&key=s3%20cret", NULL);
    sc_point_settings_free(s);
    unlink(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_template_has_places_for_where_and_how_many),
    cmocka_unit_test(test_what_is_no_template_is_refused_with_a_reason),
    cmocka_unit_test(test_places_are_filled),
    cmocka_unit_test(test_a_rounded_coordinate_is_the_one_in_the_address),
    cmocka_unit_test(test_the_defaults_lack_nothing_but_a_url),
    cmocka_unit_test(test_texts_are_copied_and_empty_ones_are_none),
    cmocka_unit_test(test_numbers_out_of_range_are_refused),
    cmocka_unit_test(test_fields_must_have_names),
    cmocka_unit_test(test_a_file_says_how_to_ask),
    cmocka_unit_test(test_what_makes_no_sense_is_refused_with_file_line_and_reason),
    cmocka_unit_test(test_presets_ask_as_their_providers_document_it),
    cmocka_unit_test(test_a_key_comes_from_a_file_and_is_never_told),
};
SC_SUITE(tests)
