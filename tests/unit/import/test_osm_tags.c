// What tags mean to the OpenStreetMap reader, and how their texts are kept.
#include "support/check.h"

#include "base/rng.h"
#include "base/utf8.h"
#include "import/osm_internal.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static sc_slice slice_of(const char *text)
{
    return (sc_slice){text, strlen(text)};
}

static bool filter_wants(const char *ways, const char *highway)
{
    sc__osm_filter filter = {0};
    sc_diag diag = {""};
    assert_int_equal(sc__osm_filter_init(&filter, ways, &diag), SC_OK);
    const bool wants = sc__osm_filter_wants(&filter, slice_of(highway));
    sc__osm_filter_fini(&filter);
    return wants;
}

static void test_drivable_is_the_roads_that_cars_may_use(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "motorway",      "trunk",       "primary",       "secondary",      "tertiary",
        "motorway_link", "trunk_link",  "primary_link",  "secondary_link", "tertiary_link",
        "unclassified",  "residential", "living_street", "service",        "road"};
    static const char *const unwanted[] = {
        "footway", "path",     "steps", "track", "cycleway", "Primary",   "construction",
        "servic",  "services", "",      "all",   "drivable", "pedestrian"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_true(filter_wants("drivable", wanted[i]));
    }
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        assert_false(filter_wants("drivable", unwanted[i]));
    }
}

static void test_other_sets_and_words_can_be_mixed(void **state)
{
    (void)state;
    assert_true(filter_wants("all", "anything"));
    assert_true(filter_wants("footway,all", ""));
    assert_true(filter_wants("walk", "footway"));
    assert_true(filter_wants("walk", "steps"));
    assert_false(filter_wants("walk", "motorway"));
    assert_true(filter_wants("bike", "cycleway"));
    assert_false(filter_wants("bike", "steps"));
    assert_false(filter_wants("bike", "trunk"));
    assert_true(filter_wants("bike,steps", "steps"));
    assert_true(filter_wants("my_own_value", "my_own_value"));
    assert_false(filter_wants("my_own_value", "my_own_valu"));
}

static void test_road_classes_follow_the_highway_value(void **state)
{
    (void)state;
    static const struct {
        const char *highway;
        sc_road_class road_class;
    } cases[] = {
        {"motorway", SC_ROAD_MOTORWAY},  {"trunk", SC_ROAD_TRUNK},
        {"primary", SC_ROAD_PRIMARY},    {"secondary", SC_ROAD_SECONDARY},
        {"tertiary", SC_ROAD_TERTIARY},  {"residential", SC_ROAD_LOCAL},
        {"unclassified", SC_ROAD_LOCAL}, {"service", SC_ROAD_SERVICE},
        {"motorway_link", SC_ROAD_RAMP}, {"trunk_link", SC_ROAD_RAMP},
        {"tertiary_link", SC_ROAD_RAMP}, {"footway", SC_ROAD_PATH},
        {"cycleway", SC_ROAD_PATH},      {"proposed", SC_ROAD_UNKNOWN},
        {"", SC_ROAD_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(sc__osm_road_class(slice_of(cases[i].highway)), cases[i].road_class);
    }
}

static void test_keys_are_known_by_their_whole_text(void **state)
{
    (void)state;
    assert_int_equal(sc__osm_key(slice_of("highway")), SC__OSM_KEY_HIGHWAY);
    assert_int_equal(sc__osm_key(slice_of("name")), SC__OSM_KEY_NAME);
    assert_true(sc__osm_key(slice_of("amenity")) >= SC__OSM_KEY_OBJECT);
    assert_true(sc__osm_key(slice_of("shop")) > sc__osm_key(slice_of("amenity")));
    assert_true(sc__osm_key(slice_of("public_transport")) >= SC__OSM_KEY_OBJECT);
    static const char *const others[] = {"",          "nam",      "names", "name:de",
                                         "highway_1", "building", "re",    "maxspeed:backwards"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(sc__osm_key(slice_of(others[i])), SC__OSM_KEY_OTHER);
    }
    static const char *const road_keys[SC__OSM_ROAD_KEY_COUNT] = {
        [SC__OSM_ONEWAY] = "oneway",
        [SC__OSM_ONEWAY_BICYCLE] = "oneway:bicycle",
        [SC__OSM_ONEWAY_FOOT] = "oneway:foot",
        [SC__OSM_JUNCTION] = "junction",
        [SC__OSM_CYCLEWAY] = "cycleway",
        [SC__OSM_ACCESS] = "access",
        [SC__OSM_VEHICLE] = "vehicle",
        [SC__OSM_MOTOR_VEHICLE] = "motor_vehicle",
        [SC__OSM_MOTORCAR] = "motorcar",
        [SC__OSM_BICYCLE] = "bicycle",
        [SC__OSM_FOOT] = "foot",
        [SC__OSM_MOTORROAD] = "motorroad",
        [SC__OSM_MAXSPEED] = "maxspeed",
        [SC__OSM_MAXSPEED_FORWARD] = "maxspeed:forward",
        [SC__OSM_MAXSPEED_BACKWARD] = "maxspeed:backward",
        [SC__OSM_REF] = "ref",
        [SC__OSM_INT_REF] = "int_ref",
        [SC__OSM_ROUTE] = "route",
        [SC__OSM_DURATION] = "duration",
    };
    for (unsigned i = 0; i < SC__OSM_ROAD_KEY_COUNT; i++) {
        assert_int_equal(sc__osm_key(slice_of(road_keys[i])), SC__OSM_KEY_ROAD + i);
    }
}

// A value "yes" says no more than its key, which then is the category.
static void test_every_object_key_names_its_category(void **state)
{
    (void)state;
    static const char *const object_keys[] = {"amenity", "shop",       "tourism",
                                              "leisure", "healthcare", "office",
                                              "craft",   "historic",   "club"};
    for (size_t i = 0; i < sizeof object_keys / sizeof object_keys[0]; i++) {
        sc__osm_tags tags = {0};
        bool is_key = false;
        sc__osm_tags_add(&tags, sc__osm_key(slice_of(object_keys[i])), slice_of("yes"), NULL);
        const sc_slice category = sc__osm_category(&tags, &is_key);
        assert_true(is_key && sc_slice_is(category, object_keys[i]));
    }
    static const char *const valued[][2] = {{"emergency", "phone"},
                                            {"railway", "station"},
                                            {"public_transport", "station"},
                                            {"aeroway", "terminal"}};
    for (size_t i = 0; i < sizeof valued / sizeof valued[0]; i++) {
        sc__osm_tags tags = {0};
        const unsigned key = sc__osm_key(slice_of(valued[i][0]));
        sc__osm_tags_add(&tags, key, slice_of("yes"), NULL);
        assert_null(tags.object.text);
        sc__osm_tags_add(&tags, key, slice_of(valued[i][1]), NULL);
        assert_true(sc_slice_is(tags.object, valued[i][1]));
    }
}

// --- Texts -----------------------------------------------------------------

static void assert_kept_as(const char *bytes, size_t size, const char *expected)
{
    sc__osm_texts texts = {0};
    uint32_t number = 0;
    assert_int_equal(sc__osm_texts_put(&texts, (sc_slice){bytes, size}, &number), SC_OK);
    const sc_slice kept = sc__osm_texts_at(&texts, number);
    assert_int_equal(kept.size, strlen(expected));
    assert_memory_equal(kept.text, expected, kept.size);
    sc__osm_texts_fini(&texts);
}

static void test_texts_are_made_presentable(void **state)
{
    (void)state;
    assert_kept_as("plain", 5, "plain");
    assert_kept_as(NULL, 0, "");
    assert_kept_as("a\0b\x1f\x7f", 5, "a b  ");
    assert_kept_as("\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x97", 9,
                   "\xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\x97");
    // A lone continuation, an overlong form, a surrogate, a character cut short.
    assert_kept_as("\x80", 1, "\xef\xbf\xbd");
    assert_kept_as("\xc0\xaf", 2, "\xef\xbf\xbd\xef\xbf\xbd");
    assert_kept_as("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_kept_as("x\xe2\x82", 3, "x\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_texts_are_cut_at_255_characters(void **state)
{
    (void)state;
    static const char car[4] = {'\xf0', '\x9f', '\x9a', '\x97'};
    char text[300 * sizeof car];
    for (size_t i = 0; i < 300; i++) {
        memcpy(text + i * sizeof car, car, sizeof car);
    }
    sc__osm_texts texts = {0};
    uint32_t number = 0;
    assert_int_equal(sc__osm_texts_put(&texts, (sc_slice){text, sizeof text}, &number), SC_OK);
    assert_int_equal(sc__osm_texts_at(&texts, number).size, 255 * 4);
    sc__osm_texts_fini(&texts);
}

static void test_equal_texts_are_kept_once(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    sc__osm_texts texts = {0};
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            char text[16];
            uint32_t number = 0;
            snprintf(text, sizeof text, "text %u", i);
            assert_int_equal(sc__osm_texts_put(&texts, slice_of(text), &number), SC_OK);
            assert_int_equal(number, i);
        }
    }
    assert_int_equal(texts.count, COUNT);
    sc__osm_texts_fini(&texts);
}

static void test_any_bytes_become_utf8(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 20);
    sc__osm_texts texts = {0};
    for (int round = 0; round < 2000; round++) {
        char bytes[24];
        const size_t size = sc_rng_below(&rng, sizeof bytes);
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (char)sc_rng_next(&rng);
        }
        uint32_t number = 0;
        assert_int_equal(sc__osm_texts_put(&texts, (sc_slice){bytes, size}, &number), SC_OK);
        const sc_slice kept = sc__osm_texts_at(&texts, number);
        for (size_t i = 0; i < kept.size;) {
            const size_t step = sc_utf8_size(kept.text + i, kept.size - i);
            assert_true(step > 0);
            assert_true(step > 1 || (kept.text[i] >= ' ' && kept.text[i] != 0x7f));
            i += step;
        }
    }
    sc__osm_texts_fini(&texts);
}

// ------------------------------------------------------------------------------------------------
// Names and categories of OpenStreetMap objects, each kept once.

static uint32_t put(sc__osm_texts *texts, const char *text, size_t size)
{
    uint32_t number = SC_NONE;
    assert_int_equal(sc__osm_texts_put(texts, (sc_slice){text, size}, &number), SC_OK);
    return number;
}

static void test_texts_are_numbered_as_they_come_and_kept_once(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    sc__osm_texts texts = {0};
    char text[32];
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            const int size = snprintf(text, sizeof text, "name %u", i);
            assert_int_equal(put(&texts, text, (size_t)size), i);
        }
    }
    assert_int_equal(texts.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const int size = snprintf(text, sizeof text, "name %u", i);
        const sc_slice kept = sc__osm_texts_at(&texts, i);
        assert_int_equal(kept.size, size);
        assert_memory_equal(kept.text, text, kept.size);
    }
    sc__osm_texts_fini(&texts);
}

static void test_the_empty_text_is_one_of_them(void **state)
{
    (void)state;
    sc__osm_texts texts = {0};
    assert_int_equal(put(&texts, "", 0), 0);
    assert_int_equal(put(&texts, "a", 1), 1);
    assert_int_equal(put(&texts, "", 0), 0);
    assert_int_equal(sc__osm_texts_at(&texts, 0).size, 0);
    sc__osm_texts_fini(&texts);
}

static void test_what_could_steer_a_terminal_becomes_blank(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *kept;
    } cases[] = {
        {"a\x1b[2Jb", "a [2Jb"},
        {"a\x7f\nb", "a  b"},
        {"a\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "a   \xc2\xa0"},
        {"\xc2\xa9 \xc3\x9b", "\xc2\xa9 \xc3\x9b"},
        {"a\x9b\xc2", "a\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc__osm_texts texts = {0};
        put(&texts, cases[i].text, strlen(cases[i].text));
        const sc_slice kept = sc__osm_texts_at(&texts, 0);
        assert_int_equal(kept.size, strlen(cases[i].kept));
        assert_memory_equal(kept.text, cases[i].kept, kept.size);
        sc__osm_texts_fini(&texts);
    }
}

static void test_long_texts_are_cut_between_characters(void **state)
{
    (void)state;
    static const char car[] = {'\xf0', '\x9f', '\x9a', '\x97'};
    char text[sizeof car * 300];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = car[i % sizeof car];
    }
    sc__osm_texts texts = {0};
    put(&texts, text, sizeof text);
    const sc_slice kept = sc__osm_texts_at(&texts, 0);
    assert_int_equal(kept.size, sizeof car * 255);
    assert_memory_equal(kept.text, text, kept.size);
    sc__osm_texts_fini(&texts);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_drivable_is_the_roads_that_cars_may_use),
    cmocka_unit_test(test_other_sets_and_words_can_be_mixed),
    cmocka_unit_test(test_road_classes_follow_the_highway_value),
    cmocka_unit_test(test_keys_are_known_by_their_whole_text),
    cmocka_unit_test(test_every_object_key_names_its_category),
    cmocka_unit_test(test_texts_are_made_presentable),
    cmocka_unit_test(test_texts_are_cut_at_255_characters),
    cmocka_unit_test(test_equal_texts_are_kept_once),
    cmocka_unit_test(test_any_bytes_become_utf8),
    cmocka_unit_test(test_texts_are_numbered_as_they_come_and_kept_once),
    cmocka_unit_test(test_the_empty_text_is_one_of_them),
    cmocka_unit_test(test_what_could_steer_a_terminal_becomes_blank),
    cmocka_unit_test(test_long_texts_are_cut_between_characters),
};
SC_SUITE(tests)
