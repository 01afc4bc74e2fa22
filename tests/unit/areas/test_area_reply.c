// One page of a provider's reply: what is read of it, and what is refused in which words.
#include "areas/area_reply.h"

#include "support/check.h"
#include "support/oom.h"

#define PROVIDER "[provider]\nurl = http://h/x?{west},{south},{east},{north}\n"
#define GEOJSON "[provider]\npreset = geojson\naddress = http://h/x\n"
#define NUMBERS                                                                            \
    PROVIDER "[fields]\nlist = /o\nid = /t /id\nlon = /x /c/x\nlat = /y /c/y\nname = /n\n" \
             "category = /k\n[categories]\nfuel = gas\n"

static sc_area_settings *settings_of(const char *text)
{
    const sc_input input = {"x.ini", (const uint8_t *)text, strlen(text)};
    sc_area_settings *settings = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc__area_settings_read(&input, &settings, &diag), &diag);
    return settings;
}

static sc_err read_body(const char *ini, const char *body, sc__area_reply *out,
                        sc_area_settings **settings, sc_diag *diag)
{
    const size_t size = strlen(body);
    uint8_t *copy = test_take(size, 1);
    memcpy(copy, body, size);  // NOLINT(bugprone-not-null-terminated-result): as it comes
    const sc_bytes bytes = {.data = copy, .size = size};
    *settings = settings_of(ini);
    const sc_err err = sc__area_reply_read(*settings, SC_COORDS_GEOGRAPHIC, &bytes, out, diag);
    free(copy);
    return err;
}

static void test_objects_with_numbers_and_numbers_as_texts_are_read(void **state)
{
    (void)state;
    sc__area_reply reply;
    sc_area_settings *settings = NULL;
    sc_diag diag = {""};
    CHECK_OK(read_body(NUMBERS,
                       "{\"o\":[{\"t\":\"node\",\"id\":17,\"x\":\"8.25\",\"y\":-50.5,\"k\":\"gas\","
                       "\"n\":\"Z\xc3\xa9\"},{\"t\":\"way\",\"id\":\"17\",\"c\":{\"x\":1,\"y\":2},"
                       "\"k\":[\"zoo\",\"x\"],\"n\":null},{\"t\":\"n\",\"id\":3}]}",
                       &reply, &settings, &diag),
             &diag);
    assert_int_equal(reply.page.listed, 3);
    assert_int_equal(reply.page.count, 2);
    assert_string_equal(reply.page.objects[0].key, "node/17");
    assert_string_equal(reply.page.objects[0].category, "fuel");
    assert_string_equal(reply.page.objects[0].name, "Z\xc3\xa9");
    CHECK_SAME(reply.page.objects[0].x, 8.25);
    CHECK_SAME(reply.page.objects[0].y, -50.5);
    assert_string_equal(reply.page.objects[1].key, "way/17");
    assert_string_equal(reply.page.objects[1].category, "zoo");
    assert_string_equal(reply.page.objects[1].name, "");
    CHECK_SAME(reply.page.objects[1].x, 1.0);
    assert_null(reply.next);
    sc__area_reply_fini(&reply);
    sc_area_settings_free(settings);
}

static void check_position(const char *more, const char *geometry, double x, double y)
{
    char ini[400];
    char body[1000];
    snprintf(ini, sizeof ini, GEOJSON "[fields]\n%s", more);
    snprintf(body, sizeof body, "{\"features\":[{\"id\":1,\"geometry\":%s}]}", geometry);
    sc__area_reply reply;
    sc_area_settings *settings = NULL;
    sc_diag diag = {""};
    CHECK_OK(read_body(ini, body, &reply, &settings, &diag), &diag);
    assert_int_equal(reply.page.count, 1);
    CHECK_CLOSE(reply.page.objects[0].x, x, 1e-12);
    CHECK_CLOSE(reply.page.objects[0].y, y, 1e-12);
    sc__area_reply_fini(&reply);
    sc_area_settings_free(settings);
}

static void test_a_geometry_has_one_position(void **state)
{
    (void)state;
    check_position("", "{\"type\":\"Point\",\"coordinates\":[8,50,100]}", 8, 50);
    check_position("axis-order = lat-lon", "{\"type\":\"Point\",\"coordinates\":[50,8]}", 8, 50);
    check_position("", "{\"type\":\"MultiPoint\",\"coordinates\":[[1,2],[3,4]]}", 1, 2);
    check_position("shape = centre", "{\"type\":\"LineString\",\"coordinates\":[[1,2],[3,8]]}", 2,
                   5);
    static const char polygon[] = "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[4,0],[4,2],[0,0]]"
                                  ",[[1,1],[2,1],[1,1]]]}";
    check_position("", polygon, 0, 0);
    check_position("shape = centre", polygon, 2, 1);
    check_position("", "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[7,8],[4,0],[7,8]]]]}", 7, 8);
    check_position("",
                   "{\"type\":\"GeometryCollection\",\"geometries\":[{\"type\":\"Point\","
                   "\"coordinates\":[1,2]},{\"type\":\"Point\",\"coordinates\":[5,6]}]}",
                   1, 2);
}

#define CURSOR                                                                               \
    "[provider]\nurl = http://h/x?b={west},{south},{east},{north}&after={cursor}\n"          \
    "[fields]\nlist = /features\nid = /id\ngeometry = /geometry\ncategory = /properties/c\n" \
    "[paging]\ncursor = /after\n"

static void test_pages_are_found_by_link_and_cursor(void **state)
{
    (void)state;
    static const struct {
        const char *ini;
        const char *body;
        const char *next;
    } cases[] = {
        {GEOJSON "[paging]\nlinks = /links\n",
         "{\"features\":[],\"links\":[{\"rel\":\"self\",\"href\":\"a\"},{\"rel\":\"next\","
         "\"href\":\"b?c\"}]}",
         "b?c"},
        {GEOJSON "[paging]\nlinks = /links\n", "{\"features\":[],\"links\":[]}", NULL},
        {GEOJSON "[paging]\nnext = /meta/next\n", "{\"features\":[],\"meta\":{\"next\":\"d\"}}",
         "d"},
        {GEOJSON "[paging]\nnext = /meta/next\n", "{\"features\":[],\"meta\":{\"next\":null}}",
         NULL},
        {GEOJSON "[paging]\nnext = /meta/next\n", "{\"features\":[],\"meta\":{\"next\":\"\"}}",
         NULL},
        {CURSOR, "{\"features\":[],\"after\":\"0x\"}", "0x"},
        {CURSOR, "{\"features\":[],\"after\":9007199254740993}", "9007199254740993"},
        {CURSOR, "{\"features\":[],\"after\":-7}", "-7"},
        {CURSOR, "{\"features\":[],\"after\":0}", NULL},
        {CURSOR, "{\"features\":[],\"after\":null}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc__area_reply reply;
        sc_area_settings *settings = NULL;
        sc_diag diag = {""};
        CHECK_OK(read_body(cases[i].ini, cases[i].body, &reply, &settings, &diag), &diag);
        if (cases[i].next) assert_string_equal(reply.next, cases[i].next);
        if (!cases[i].next) assert_null(reply.next);
        sc__area_reply_fini(&reply);
        sc_area_settings_free(settings);
    }
}

static void test_what_makes_no_sense_is_refused_without_its_content(void **state)
{
    (void)state;
    static const struct {
        const char *ini;
        const char *body;
        const char *why;
    } bad[] = {
        {GEOJSON, "", "ends too early"},
        {GEOJSON, "<html>SECRET</html>", "is not JSON"},
        {GEOJSON, "{\"features\":[{\"id\":1", "ends too early"},
        {GEOJSON, "{\"SECRET\":[]}", "has no list where 'list' points"},
        {GEOJSON, "{\"features\":\"SECRET\"}", "has no list"},
        {GEOJSON, "{\"features\":[{\"SECRET\":1}]}", "object 1: id is missing"},
        {GEOJSON, "{\"features\":[{\"id\":1.5}]}", "object 1: id is neither"},
        {GEOJSON, "{\"features\":[{\"id\":\"\"}]}", "object 1: id is empty"},
        {GEOJSON, "{\"features\":[{\"id\":1,\"geometry\":\"SECRET\"}]}",
         "geometry is not an object"},
        {GEOJSON, "{\"features\":[{\"id\":1,\"geometry\":{\"coordinates\":[\"SECRET\",1]}}]}",
         "not numbers"},
        {GEOJSON, "{\"features\":[{\"id\":1,\"geometry\":{\"coordinates\":[1,91]}}]}",
         "not a position in degrees"},
        {GEOJSON, "{\"features\":[{\"id\":1,\"geometry\":null},{\"id\":2}]}",
         "no object has a position"},
        {GEOJSON,
         "{\"features\":[{\"id\":1,\"geometry\":{\"coordinates\":[1,2]},\"properties\":{"
         "\"category\":{}}}]}",
         "category is not a text"},
        {NUMBERS, "{\"o\":[{\"t\":1,\"id\":1,\"x\":\"8SECRET\",\"y\":1}]}", "lon is not a number"},
        {NUMBERS, "{\"o\":[{\"t\":1,\"id\":1,\"x\":\"nan\",\"y\":1}]}", "lon is not a number"},
        {NUMBERS, "{\"o\":[{\"t\":1,\"id\":1,\"x\":1,\"y\":{}}]}", "lat is not a number"},
        {GEOJSON "[paging]\nnext = /n\n", "{\"features\":[],\"n\":17}", "the next page is not"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc__area_reply reply;
        sc_area_settings *settings = NULL;
        sc_diag diag = {""};
        const sc_err err = read_body(bad[i].ini, bad[i].body, &reply, &settings, &diag);
        CHECK_REFUSED(err, SC_EREPLY, &diag, bad[i].why);
        assert_null(strstr(diag.message, "SECRET"));
        sc_area_settings_free(settings);
    }
}

static void test_more_objects_than_allowed_are_too_many_and_not_nonsense(void **state)
{
    (void)state;
    sc__area_reply reply;
    sc_area_settings *settings = NULL;
    sc_diag diag = {""};
    const sc_err err =
        read_body(GEOJSON "[limits]\nmax-objects = 1\n", "{\"features\":[{\"id\":1},{\"id\":2}]}",
                  &reply, &settings, &diag);
    CHECK_REFUSED(err, SC_ELIMIT, &diag, "more than 1 objects");
    sc_area_settings_free(settings);
}

static void test_a_reply_that_says_that_it_failed_is_refused(void **state)
{
    (void)state;
    static const char overpass[] = "[provider]\npreset = overpass\naddress = http://h/x\n";
    sc__area_reply reply;
    sc_area_settings *settings = NULL;
    sc_diag diag = {""};
    const sc_err err = read_body(overpass, "{\"elements\":[],\"remark\":\"runtime error: SECRET\"}",
                                 &reply, &settings, &diag);
    CHECK_REFUSED(err, SC_ENET, &diag, "says in its reply that it has failed");
    assert_null(strstr(diag.message, "SECRET"));
    sc_area_settings_free(settings);
    CHECK_OK(read_body(overpass, "{\"elements\":[],\"remark\":null}", &reply, &settings, &diag),
             &diag);
    sc__area_reply_fini(&reply);
    sc_area_settings_free(settings);
}

static void test_keys_fit_even_if_parts_of_them_are_the_same_text(void **state)
{
    (void)state;
    enum { PARTS = 2, LETTERS = 120, OBJECTS = 400 };
    sc_area_settings *settings = settings_of(NUMBERS);
    // The settings refuse this; the room for keys must not depend on it.
    sc_texts same = {.items = test_take(PARTS, sizeof *same.items), .count = PARTS};
    for (size_t i = 0; i < PARTS; i++) {
        same.items[i] = settings->common.id.items[0];
    }
    const sc_texts own = settings->common.id;
    settings->common.id = same;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("{\"o\":[", out);
    for (int i = 0; i < OBJECTS; i++) {
        fprintf(out, "%s{\"t\":\"%0*d\",\"x\":1,\"y\":2}", i > 0 ? "," : "", LETTERS, i);
    }
    fputs("]}", out);
    fclose(out);
    const sc_bytes body = {.data = (uint8_t *)text, .size = size};
    sc__area_reply reply;
    sc_diag diag = {""};
    CHECK_OK(sc__area_reply_read(settings, SC_COORDS_GEOGRAPHIC, &body, &reply, &diag), &diag);
    assert_int_equal(reply.page.count, OBJECTS);
    assert_int_equal(strlen(reply.page.objects[OBJECTS - 1].key), PARTS * (LETTERS + 1) - 1);
    sc__area_reply_fini(&reply);
    settings->common.id = own;
    sc_area_settings_free(settings);
    free(same.items);
    free(text);
}

static void test_a_body_of_brackets_alone_is_refused_before_it_takes_memory(void **state)
{
    (void)state;
    const size_t size = 1000000;
    sc_area_settings *settings = settings_of(GEOJSON "[limits]\nmax-bytes = 1000000\n");
    sc_bytes body = {.data = test_take(size, 1), .size = size};
    memset(body.data, ',', size);
    sc__area_reply reply;
    sc_diag diag = {""};
    CHECK_REFUSED(sc__area_reply_read(settings, SC_COORDS_GEOGRAPHIC, &body, &reply, &diag),
                  SC_EREPLY, &diag, "far more brackets");
    free(body.data);
    sc_area_settings_free(settings);
}

static void test_running_out_of_memory_is_said(void **state)
{
    (void)state;
    static const char ini[] = NUMBERS "[headers]\nX-A = 1\n";
    static const char text[] = "{\"o\":[{\"t\":1,\"id\":1,\"x\":1,\"y\":2,\"k\":\"gas\"}]}";
    const sc_input input = {"x.ini", (const uint8_t *)ini, strlen(ini)};
    const sc_bytes body = {.data = (uint8_t *)(uintptr_t)text, .size = strlen(text)};
    FOR_EACH_FAILURE(n)
    {
        sc_area_settings *settings = NULL;
        sc__area_reply reply = {.next = NULL};
        sc_diag diag = {""};
        sc_err err = sc__area_settings_read(&input, &settings, &diag);
        if (!err) err = sc__area_reply_read(settings, SC_COORDS_GEOGRAPHIC, &body, &reply, &diag);
        const bool happened = oom_happened();
        sc__area_reply_fini(&reply);
        sc_area_settings_free(settings);
        if (!happened) {
            assert_int_equal(err, SC_OK);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        CHECK_CONTAINS(diag.message, "memory");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_objects_with_numbers_and_numbers_as_texts_are_read),
    cmocka_unit_test(test_a_geometry_has_one_position),
    cmocka_unit_test(test_pages_are_found_by_link_and_cursor),
    cmocka_unit_test(test_what_makes_no_sense_is_refused_without_its_content),
    cmocka_unit_test(test_more_objects_than_allowed_are_too_many_and_not_nonsense),
    cmocka_unit_test(test_a_reply_that_says_that_it_failed_is_refused),
    cmocka_unit_test(test_keys_fit_even_if_parts_of_them_are_the_same_text),
    cmocka_unit_test(test_a_body_of_brackets_alone_is_refused_before_it_takes_memory),
    cmocka_unit_test(test_running_out_of_memory_is_said),
};
SC_SUITE(tests)
