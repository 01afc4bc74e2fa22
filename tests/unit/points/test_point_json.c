// One answer's bytes: what is read of it, and what is refused in which words.
#include "points/point_reply.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>

static const char *const words[] = {"cafe", "fuel"};
static const sc_vocabulary vocabulary = {words, 2};

static sc_point_settings *settings_of(const sc_point_options *options)
{
    sc_point_options usable = *options;
    usable.url = "http://h/{lon}/{lat}/{k}/{category}";
    sc_point_settings *settings = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_point_settings_new(&usable, &settings, &diag), &diag);
    return settings;
}

static sc_err parse(const sc_point_options *options, sc_category_id category, const char *bytes,
                    sc__point_answer *out, sc_diag *diag)
{
    sc_point_settings *settings = settings_of(options);
    // Exactly as many bytes as there are, so that reading one more is seen.
    const size_t size = strlen(bytes);
    char *copy = test_take(size, 1);
    memcpy(copy, bytes, size);  // NOLINT(bugprone-not-null-terminated-result): as it comes
    const sc__point_answer_format format = {.settings = settings,
                                            .vocabulary = &vocabulary,
                                            .coords = SC_COORDS_GEOGRAPHIC,
                                            .k = 3,
                                            .category = category};
    const sc_err err = sc__point_answer_parse(&format, copy, size, out, diag);
    free(copy);
    sc_point_settings_free(settings);
    return err;
}

static void test_an_answer_is_read(void **state)
{
    (void)state;
    const sc_point_options options = sc_point_options_default();
    sc__point_answer answer;
    sc_diag diag = {""};
    CHECK_OK(parse(&options, SC_NONE,
                   " {\"more\":{}, \"results\":[{\"id\":17,\"lon\":8,\"lat\":-50.5,\"distance_m\":"
                   "12.5,\"category\":\"fuel\",\"name\":\"Z\xc3\xa9\"},{\"id\":\"-17\",\"lon\":8.1,"
                   "\"lat\":1e1,\"category\":\"zoo\",\"name\":null,\"open\":[1,2]}]}\n",
                   &answer, &diag),
             &diag);
    assert_int_equal(answer.count, 2);
    const sc__point_answer_row *row = answer.rows;
    assert_string_equal(row[0].key, "17");
    assert_string_equal(row[0].name, "Z\xc3\xa9");
    CHECK_SAME(row[0].x, 8.0);
    CHECK_SAME(row[0].y, -50.5);
    assert_true(row[0].has_distance);
    CHECK_SAME(row[0].distance_m, 12.5);
    assert_int_equal(row[0].category, 1);
    assert_string_equal(row[1].key, "-17");
    assert_string_equal(row[1].name, "");
    assert_false(row[1].has_distance);
    assert_int_equal(row[1].category, SC_NONE);
    sc__point_answer_fini(&answer);
    sc__point_answer_fini(&answer);
}

static void test_fields_may_lie_deep_as_in_geojson(void **state)
{
    (void)state;
    sc_point_options options = sc_point_options_default();
    options.list_field = "features";
    options.key_field = "properties.osm.id";
    options.lon_field = "geometry.coordinates.0";
    options.lat_field = "geometry.coordinates.1";
    options.distance_field = NULL;
    options.name_field = "properties.name";
    sc__point_answer answer;
    sc_diag diag = {""};
    CHECK_OK(parse(&options, 0,
                   "{\"features\":[{\"geometry\":{\"coordinates\":[8.5,50]},\"properties\":"
                   "{\"osm\":{\"id\":\"n1\"},\"name\":\"N\"},\"distance_m\":\"far\"}]}",
                   &answer, &diag),
             &diag);
    assert_int_equal(answer.count, 1);
    assert_string_equal(answer.rows[0].key, "n1");
    assert_string_equal(answer.rows[0].name, "N");
    CHECK_SAME(answer.rows[0].x, 8.5);
    CHECK_SAME(answer.rows[0].y, 50.0);
    assert_false(answer.rows[0].has_distance);
    assert_int_equal(answer.rows[0].category, 0);
    sc__point_answer_fini(&answer);

    options.lat_field = "geometry.coordinates.2";
    CHECK_REFUSED(parse(&options, 0,
                        "{\"features\":[{\"geometry\":{\"coordinates\":[8.5,50]},\"properties\":"
                        "{\"osm\":{\"id\":\"n1\"}}}]}",
                        &answer, &diag),
                  SC_EREPLY, &diag, "no object has a position");
    options.lat_field = "geometry.coordinates.99999999999999999999999999";
    CHECK_REFUSED(parse(&options, 0,
                        "{\"features\":[{\"geometry\":{\"coordinates\":[8.5,50]},\"properties\":"
                        "{\"osm\":{\"id\":\"n1\"}}}]}",
                        &answer, &diag),
                  SC_EREPLY, &diag, "no object has a position");
}

static void test_the_document_may_be_the_list(void **state)
{
    (void)state;
    sc_point_options options = sc_point_options_default();
    options.list_field = "";
    sc__point_answer answer;
    sc_diag diag = {""};
    CHECK_OK(parse(&options, SC_NONE, "[]", &answer, &diag), &diag);
    assert_int_equal(answer.count, 0);
    sc__point_answer_fini(&answer);
    CHECK_REFUSED(parse(&options, SC_NONE, "{\"results\":[]}", &answer, &diag), SC_EREPLY, &diag,
                  "has no list where 'list' points");
}

static void test_numbers_may_be_texts(void **state)
{
    (void)state;
    // As Nominatim writes them.
    sc_point_options options = sc_point_options_default();
    options.list_field = "";
    options.key_field = "place_id";
    options.name_field = "display_name";
    sc__point_answer answer;
    sc_diag diag = {""};
    CHECK_OK(parse(&options, SC_NONE,
                   "[{\"place_id\":12,\"lat\":\"50.25\",\"lon\":\"-8.5\",\"distance_m\":\"7\","
                   "\"display_name\":\"Inn\"}]",
                   &answer, &diag),
             &diag);
    assert_int_equal(answer.count, 1);
    assert_true(answer.rows[0].x == -8.5 && answer.rows[0].y == 50.25);
    assert_true(answer.rows[0].has_distance && answer.rows[0].distance_m == 7.0);
    sc__point_answer_fini(&answer);
}

#define ROW(rest) "{\"results\":[{" rest "}]}"
#define PLACE "\"lon\":8,\"lat\":50"

static const struct {
    const char *bytes;
    const char *why;
} bad[] = {
    {"", "ends too early"},
    {"<html>", "is not JSON"},
    {"{\"results\":[", "ends too early"},
    {"{\"results\":[]}x", "is not JSON"},
    {"null", "has no list where 'list' points"},
    {"17", "has no list where 'list' points"},
    {"{\"results\":{}}", "has no list where 'list' points"},
    {"{\"results\":[],\"results\":[]}", "has a key twice"},
    {"{\"results\":[1,2,3,4]}", "has more objects than the 3 that were asked for"},
    {"{\"results\":[17]}", "object 1: id is missing"},
    {"{\"results\":[null]}", "object 1: id is missing"},
    {ROW(PLACE), "object 1: id is missing"},
    {ROW("\"id\":\"\"," PLACE), "id is empty"},
    {ROW("\"id\":1.5," PLACE), "id is neither a text nor a whole number"},
    {ROW("\"id\":[1]," PLACE), "id is neither a text nor a whole number"},
    {ROW("\"id\":1,\"lat\":50"), "no object has a position"},
    {ROW("\"id\":1,\"lon\":8"), "no object has a position"},
    {ROW("\"id\":1,\"lon\":8,\"lat\":\"50 N\""), "lat is not a number"},
    {ROW("\"id\":1,\"lon\":8,\"lat\":\"\""), "lat is not a number"},
    {ROW("\"id\":1,\"lon\":8,\"lat\":\"inf\""), "lat is not a number"},
    {ROW("\"id\":1,\"lon\":8,\"lat\":true"), "lat is not a number"},
    {ROW("\"id\":1,\"lon\":8,\"lat\":NaN"), "is not JSON"},
    {ROW("\"id\":1,\"lon\":8,\"lat\":1e999"), "has a number too large"},
    {ROW("\"id\":1,\"lon\":8,\"lat\":99"), "is not a position in degrees"},
    {ROW("\"id\":1,\"lon\":-180.1,\"lat\":9"), "is not a position in degrees"},
    {ROW("\"id\":1," PLACE ",\"distance_m\":-0.5"), "distance is negative"},
    {ROW("\"id\":1," PLACE ",\"distance_m\":[5]"), "distance is not a number"},
    {"{\"results\":[{\"id\":1," PLACE "},{\"id\":2,\"lon\":8}]}", "an object has no position"},
    {ROW("\"id\":1," PLACE ",\"category\":{}"), "category is not a text"},
    {ROW("\"id\":1," PLACE ",\"category\":5"), "is not the category asked for"},
    {ROW("\"id\":1," PLACE ",\"category\":[\"zoo\",\"fuel\"]"), "is not the category asked for"},
    {ROW("\"id\":1," PLACE ",\"category\":\"fuel\""), "is not the category asked for"},
    {ROW("\"id\":\"\xff\"," PLACE), "is not UTF-8"},
    {ROW("\"id\":\"a\\u0000b\"," PLACE), "the character 0"},
};

static void test_what_makes_no_sense_is_refused_with_a_reason(void **state)
{
    (void)state;
    const sc_point_options options = sc_point_options_default();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc__point_answer answer;
        sc_diag diag = {""};
        CHECK_REFUSED(parse(&options, 0, bad[i].bytes, &answer, &diag), SC_EREPLY, &diag,
                      bad[i].why);
    }
}

static void test_no_refusal_tells_what_was_in_the_answer(void **state)
{
    (void)state;
    const sc_point_options options = sc_point_options_default();
    sc__point_answer answer;
    sc_diag diag = {""};
    CHECK_REFUSED(
        parse(&options, 0,
              ROW("\"id\":\"Hauptstrasse\",\"lon\":8.4321,\"lat\":123.4,\"name\":\"Eck\""), &answer,
              &diag),
        SC_EREPLY, &diag, "position");
    assert_null(strstr(diag.message, "Haupt"));
    assert_null(strstr(diag.message, "8.4321"));
    assert_null(strstr(diag.message, "123"));
    assert_null(strstr(diag.message, "Eck"));
}

static void test_by_road_a_distance_is_needed(void **state)
{
    (void)state;
    sc_point_options options = sc_point_options_default();
    options.distance = SC_POINT_ROAD;
    sc__point_answer answer;
    sc_diag diag = {""};
    CHECK_REFUSED(parse(&options, SC_NONE, ROW("\"id\":1," PLACE), &answer, &diag), SC_EREPLY,
                  &diag, "distance is missing");
    CHECK_OK(parse(&options, SC_NONE, ROW("\"id\":1," PLACE ",\"distance_m\":0"), &answer, &diag),
             &diag);
    assert_true(answer.rows[0].has_distance);
    sc__point_answer_fini(&answer);
}

static void test_texts_have_a_longest_length(void **state)
{
    (void)state;
    const sc_point_options options = sc_point_options_default();
    for (int is_name = 0; is_name < 2; is_name++) {
        const int longest = is_name ? SC_ADAPTER_NAME_MAX : SC_ADAPTER_KEY_MAX;
        for (int more = 0; more < 2; more++) {
            char text[SC_ADAPTER_NAME_MAX + 2];
            char bytes[3 * SC_ADAPTER_NAME_MAX];
            memset(text, 'k', sizeof text);
            text[longest + more] = '\0';
            snprintf(bytes, sizeof bytes, ROW("\"id\":\"%s\",\"name\":\"%s\"," PLACE),
                     is_name ? "k" : text, is_name ? text : "");
            sc__point_answer answer;
            sc_diag diag = {""};
            const sc_err err = parse(&options, SC_NONE, bytes, &answer, &diag);
            if (more) {
                CHECK_REFUSED(err, SC_EREPLY, &diag, "is longer than");
            } else {
                CHECK_OK(err, &diag);
                sc__point_answer_fini(&answer);
            }
        }
    }
}

static void test_an_answer_that_would_take_memory_without_end_is_refused(void **state)
{
    (void)state;
    enum { BRACKETS = 10000 };
    sc_point_options options = sc_point_options_default();
    options.max_bytes = (size_t)BRACKETS;
    char *bytes = test_take(BRACKETS + 1, 3);
    sc__point_answer answer;
    sc_diag diag = {""};
    memset(bytes, '[', BRACKETS);
    CHECK_REFUSED(parse(&options, SC_NONE, bytes, &answer, &diag), SC_EREPLY, &diag,
                  "far more brackets and commas than objects need");
    options.max_bytes = (size_t)BRACKETS * 100;
    CHECK_REFUSED(parse(&options, SC_NONE, bytes, &answer, &diag), SC_EREPLY, &diag,
                  "is nested too deeply");
    free(bytes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_answer_is_read),
    cmocka_unit_test(test_fields_may_lie_deep_as_in_geojson),
    cmocka_unit_test(test_the_document_may_be_the_list),
    cmocka_unit_test(test_numbers_may_be_texts),
    cmocka_unit_test(test_what_makes_no_sense_is_refused_with_a_reason),
    cmocka_unit_test(test_no_refusal_tells_what_was_in_the_answer),
    cmocka_unit_test(test_by_road_a_distance_is_needed),
    cmocka_unit_test(test_texts_have_a_longest_length),
    cmocka_unit_test(test_an_answer_that_would_take_memory_without_end_is_refused),
};
SC_SUITE(tests)
