// The settings of a provider of areas: what a file may say, presets, and what is refused.
#include "areas/area_question.h"
#include "areas/area_settings.h"
#include "base/bytes.h"
#include "support/check.h"

#include <stdio.h>
#include <unistd.h>

#define URL "url = http://h/x?{west},{south},{east},{north}\n"
#define FIELDS "[fields]\nlist = /o\nid = /id\nlon = /x\nlat = /y\ncategory = /c\n"
#define GOOD "[provider]\n" URL FIELDS

static sc_err read_text(const char *text, sc_area_settings **out, sc_diag *diag)
{
    // Exactly as many bytes as there are, so that reading one more is seen.
    const size_t size = strlen(text);
    uint8_t *copy = test_take(size, 1);
    memcpy(copy, text, size);  // NOLINT(bugprone-not-null-terminated-result): as it comes
    const sc_input input = {"places.ini", copy, size};
    const sc_err err = sc__area_settings_read(&input, out, diag);
    free(copy);
    return err;
}

static sc_area_settings *settings_of(const char *text)
{
    sc_area_settings *settings = NULL;
    sc_diag diag = {""};
    CHECK_OK(read_text(text, &settings, &diag), &diag);
    return settings;
}

static char *filled(const sc_area_settings *settings, const sc__area_question *question,
                    bool is_body)
{
    sc_bytes url = {.data = NULL};
    sc_bytes body = {.data = NULL};
    sc_diag diag = {""};
    CHECK_OK(sc__area_question_fill(settings, question, &url, &body, &diag), &diag);
    const sc_bytes *wanted = is_body ? &body : &url;
    char *text = test_take(wanted->size + 1, 1);
    memcpy(text, wanted->data, wanted->size);
    sc_bytes_fini(&url);
    sc_bytes_fini(&body);
    return text;
}

static const sc__area_box box = {7.5, -1.25, 8, 0.00000049};

static void check_filled(const char *text, const char *const *categories, size_t count,
                         bool is_body, const char *wanted)
{
    sc_area_settings *settings = settings_of(text);
    const sc__area_question question = {box, categories, count, 20, "a b"};
    char *got = filled(settings, &question, is_body);
    assert_string_equal(got, wanted);
    free(got);
    sc_area_settings_free(settings);
}

static void test_a_file_says_how_to_ask(void **state)
{
    (void)state;
    sc_area_settings *s = settings_of("\xef\xbb\xbf# a comment\n" GOOD
                                      "shape = centre\naxis-order = lat-lon\nname = /n /m\n"
                                      "; another\n\n[categories]\nfuel = gas, petrol station\n"
                                      "[headers]\nX-Key = 17\n[limits]\nrate = 0.5\nparallel = 2\n"
                                      "[tiles]\nsize = 500\n[cache]\nlifetime = 60\n"
                                      "[paging]\npage-size = 50\n");
    assert_string_equal(s->common.url, "http://h/x?{west},{south},{east},{north}");
    assert_int_equal(s->common.shape, SC_SHAPE_CENTRE);
    assert_int_equal(s->common.axis_order, 1);
    assert_int_equal(s->common.name.count, 2);
    assert_string_equal(s->common.name.items[1], "/m");
    assert_int_equal(s->common.word_count, 2);
    assert_string_equal(s->common.words[1].theirs, "petrol station");
    assert_string_equal(s->common.header_names.items[0], "X-Key");
    assert_string_equal(s->common.header_values.items[0], "17");
    CHECK_SAME(s->common.rate_per_s, 0.5);
    CHECK_SAME(s->tile_m, 500.0);
    CHECK_SAME(s->lifetime_s, 60.0);
    assert_int_equal(s->common.parallel, 2);
    assert_int_equal(s->page_size, 50);
    assert_int_equal(sc__area_settings_paging(s), SC__AREA_ONE_PAGE);
    sc_area_settings_free(s);
}

static void test_what_makes_no_sense_is_refused_with_file_line_and_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *why;
    } bad[] = {
        {"", "url is missing"},
        {"url = http://h\n", "places.ini:1: the setting is before the first [section]"},
        {"[provider\n", "places.ini:1: a section is written as [name]"},
        {"[]\n", "unknown section"},
        {"[nobody]\n", "places.ini:1: unknown section"},
        {"[provider]\nhello\n", "places.ini:2: not a section"},
        {"[provider]\n= 1\n", "the name is empty"},
        {"[provider]\n  more\n", "nothing goes on"},
        {"[provider]\npreset = lost\n", "unknown preset; there are: ogc-features"},
        {"[provider]\npreset = geojson\n", "address is missing"},
        {GOOD "url = x\n",
         "places.ini:9: 'url': no such setting in section [fields]; there are: list, no-list, id"},
        {"[provider]\n" URL URL, "the setting is repeated"},
        {GOOD "[limits]\nrate = fast\n", "rate must be a number from 0 to 1e+06"},
        {GOOD "[limits]\nparallel = 0\n", "parallel must be a whole number from 1 to 64"},
        {GOOD "[limits]\ntimeout = nan\n", "timeout must be"},
        {GOOD "shape = round\n", "shape must be one of: first centre"},
        {GOOD "name = n\n", "not a JSON pointer"},
        {GOOD "name = /a~2\n", "not a JSON pointer"},
        {GOOD "name = /a /b /a\n", "'name': the same JSON pointer twice"},
        {GOOD "[headers]\nX Key = 17\n", "not the name of a header"},
        {GOOD "[headers]\nHost = h\n", "this header is set by itself"},
        {GOOD "[headers]\nA = env:STARCLOAK_NOT_SET\n", "the environment does not have"},
        {GOOD "[headers]\nA = file:/nowhere/at/all\n", "cannot be read"},
        {GOOD "[categories]\nfuel = gas\ncafe = gas\n", "stands for another category already"},
        {GOOD "[categories]\nfuel = gas,,x\n", "is empty or longer"},
        {GOOD "geometry = /g\n", "either geometry, or both lon and lat"},
        {GOOD "[paging]\nnext = /n\nlinks = /l\n", "three ways"},
        {GOOD "[paging]\ncursor = /n\n", "a cursor needs both"},
        {"[provider]\nurl = http://h/{west}{south}{east}\n" FIELDS, "has {north}"},
        {"[provider]\nurl = http://{west}/\n" FIELDS, "in the name of the host"},
        {"[provider]\nurl = ftp://h/\n" FIELDS, "must begin with http://"},
        {"[provider]\nurl = http://me:secret@h/\n" FIELDS, "a user before the host"},
        {"[provider]\nurl = http://h/{lon}\n" FIELDS, "unknown place"},
        {"[provider]\nurl = http://h/a b\n" FIELDS, "a blank"},
        {"[provider]\nurl = http://h/}\n" FIELDS, "a '}' without"},
        {"[provider]\n" URL "url-all = http://h/{west}{south}{east}\n" FIELDS,
         "differ from url and body in {north}"},
        {"[provider]\nurl = http://h/{west}{south}{east}{north}?{categories}\n" FIELDS,
         "give url-all, body-all or categories-all"},
        {"[provider]\n" URL "url-all = http://h:81/x?{west},{south},{east},{north}\n" FIELDS,
         "url-all does not begin with the same scheme, host and port as url"},
        {"[provider]\nurl = https://h/x?{west},{south},{east},{north}\n"
         "url-all = http://h/x?{west},{south},{east},{north}\n" FIELDS,
         "url-all does not begin with the same scheme"},
        {"[provider]\n" URL "url-all = http://h.other/x?{west},{south},{east},{north}\n" FIELDS,
         "url-all does not begin with the same scheme"},
        {"[provider]\nurl = http://h/x?{west},{south},{east},{north}&{offset}\n" FIELDS,
         "need {limit}"},
        {"[provider]\n" URL "[fields]\nid = /i\n", "list is missing"},
        {"[provider]\n" URL "[fields]\nlist =\nlon = /x\nlat = /y\n", "id is missing"},
        {"[provider]\n" URL "[fields]\nlist =\nid = /i\nlon = /x\nlat = /y\n",
         "no object would have a category"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_area_settings *settings = NULL;
        sc_diag diag = {""};
        const sc_err err = read_text(bad[i].text, &settings, &diag);
        assert_true(err == SC_EPARSE || err == SC_EINVAL);
        CHECK_CONTAINS(diag.message, bad[i].why);
        CHECK_CONTAINS(diag.message, "places.ini");
    }
}

static void test_every_preset_is_complete_with_an_address(void **state)
{
    (void)state;
    static const char *const names[] = {"ogc-features", "wfs-geojson", "overpass", "postgrest",
                                        "geojson"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[200];
        snprintf(text, sizeof text, "[provider]\npreset = %s\naddress = https://h/p\n", names[i]);
        sc_area_settings *settings = settings_of(text);
        assert_int_equal(strncmp(settings->common.url, "https://h/p", 11), 0);
        CHECK_CONTAINS(SC__AREA_PRESETS, names[i]);
        sc_area_settings_free(settings);
    }
}

static void test_questions_have_the_box_and_what_the_template_wants(void **state)
{
    (void)state;
    static const char *const two[] = {"fuel", "caf\xc3\xa9 & bar"};
    check_filled(GOOD, NULL, 0, false, "http://h/x?7.5000000,-1.2500000,8.0000000,0.0000005");
    check_filled("[provider]\npreset=geojson\naddress = http://h/x?key=1\n", NULL, 0, false,
                 "http://h/x?key=1&bbox=7.5000000,-1.2500000,8.0000000,0.0000005&limit=10000");
    check_filled("[provider]\npreset=postgrest\naddress=http://h/p\n[categories]\nfuel=a,b\n", two,
                 2, false,
                 "http://h/p?select=id,name,category,lon,lat&category=in.(%22a%22,%22b%22,"
                 "%22caf%C3%A9%20%26%20bar%22)&lon=gte.7.5000000&lon=lte.8.0000000&lat=gte.-1."
                 "2500000&lat=lte.0.0000005&order=id&limit=1000&offset=20");
    check_filled("[provider]\npreset=overpass\naddress=http://h/api\n", two, 1, true,
                 "[out:json][timeout:25];nwr[~\"^(amenity|shop|tourism|leisure|healthcare|office)$"
                 "\"~\"^(fuel)$\"](-1.2500000,7.5000000,0.0000005,8.0000000);out center 20000;");
    check_filled("[provider]\npreset=overpass\naddress=http://h/api\n", NULL, 0, true,
                 "[out:json][timeout:25];nwr[~\"^(amenity|shop|tourism|leisure|healthcare|office)$"
                 "\"~\"^(.+)$\"](-1.2500000,7.5000000,0.0000005,8.0000000);out center 20000;");
    check_filled("[provider]\nurl = http://h/\nbody = {\"b\":[{west},{south},{east},{north}],\n"
                 "  \"c\":[{categories}],\"p\":\"{cursor}\"}\ncategories-quote = "
                 "\"\ncategories-all = \"*\"\n" FIELDS "[paging]\ncursor = /p\n",
                 two, 2, true,
                 "{\"b\":[7.5000000,-1.2500000,8.0000000,0.0000005],\"c\":[\"fuel\",\"caf\xc3\xa9 "
                 "& bar\"],\"p\":\"a b\"}");
}

static void test_a_word_cannot_break_out_of_a_body(void **state)
{
    (void)state;
    static const char *const word[] = {"a\")->.x;"};
    const sc__area_question question = {box, word, 1, 0, ""};
    sc_bytes bytes = {.data = NULL};
    sc_diag diag = {""};
    sc_area_settings *s = settings_of("[provider]\npreset=overpass\naddress=http://h/api\n");
    CHECK_REFUSED(sc__area_question_fill(s, &question, NULL, &bytes, &diag), SC_EREQUEST, &diag,
                  "a quote");
    sc_bytes_fini(&bytes);
    sc_area_settings_free(s);
}

static void test_headers_come_from_files_and_the_environment_and_are_never_told(void **state)
{
    (void)state;
    char path[] = "/tmp/starcloak-secret-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "s3cret\n", 7), 7);
    close(file);
    setenv("STARCLOAK_TEST_SECRET", "t0ken", 1);
    char text[1000];
    snprintf(text, sizeof text,
             GOOD "[headers]\nAuthorization = file:%s\nX-Key = env:STARCLOAK_TEST_SECRET\n", path);
    sc_area_settings *s = settings_of(text);
    assert_string_equal(s->common.header_values.items[0], "s3cret");
    assert_string_equal(s->common.header_values.items[1], "t0ken");
    sc_area_settings_free(s);

    setenv("STARCLOAK_TEST_SECRET", "t0\nken", 1);
    sc_area_settings *none = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(read_text(text, &none, &diag), SC_EPARSE, &diag, "control character");
    assert_null(strstr(diag.message, "t0"));
    unsetenv("STARCLOAK_TEST_SECRET");
    unlink(path);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_file_says_how_to_ask),
    cmocka_unit_test(test_what_makes_no_sense_is_refused_with_file_line_and_reason),
    cmocka_unit_test(test_every_preset_is_complete_with_an_address),
    cmocka_unit_test(test_questions_have_the_box_and_what_the_template_wants),
    cmocka_unit_test(test_a_word_cannot_break_out_of_a_body),
    cmocka_unit_test(test_headers_come_from_files_and_the_environment_and_are_never_told),
};
SC_SUITE(tests)
