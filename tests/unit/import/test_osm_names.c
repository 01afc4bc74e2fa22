// What roads are called: name, ref and int_ref.
#include "support/check.h"

#include "support/osm_read.h"

#include <stdio.h>

static const struct {
    const char *tags;
    const char *wanted;
} names[] = {
    {"<tag k='name' v='Am Markt'/>", "Am Markt"},
    {"<tag k='ref' v='A 5'/>", "A 5"},
    {"<tag k='ref' v='A 5;E 35'/>", "A 5"},
    {"<tag k='int_ref' v='E 35'/>", "E 35"},
    {"<tag k='int_ref' v='E 35'/><tag k='ref' v='A 5'/>", "A 5"},
    {"<tag k='name' v='Ringstra\xc3\x9f"
     "e'/><tag k='ref' v='B 37'/>",
     "Ringstra\xc3\x9f"
     "e (B 37)"},
    {"<tag k='name' v='Ring'/><tag k='int_ref' v='E 35; E 5'/>", "Ring (E 35)"},
    {"<tag k='name' v='A 5'/><tag k='ref' v='A 5'/>", "A 5"},
    {"<tag k='name' v=' '/><tag k='ref' v=' ; B 3'/>", ""},
    {"<tag k='name' v=''/><tag k='ref' v='B 3'/>", "B 3"},
    {"", ""},
};

static void test_roads_are_named_by_name_and_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='1.01'/>"
            "<way id='3'><nd ref='1'/><nd ref='2'/><tag k='highway' v='primary'/>%s</way></osm>",
            names[i].tags);
        osm_result result = osm_read_good(text, NULL);
        assert_string_equal(sc_map_segment_name(result.map, 0), names[i].wanted);
        osm_free(&result);
    }
}

static void test_a_name_of_any_length_is_cut(void **state)
{
    (void)state;
    char *text = test_take(20000, 1);
    char *at = text + sprintf(text, "<osm><node id='1' lat='1' lon='1'/>"
                                    "<node id='2' lat='1' lon='1.01'/><way id='3'><nd ref='1'/>"
                                    "<nd ref='2'/><tag k='highway' v='primary'/>"
                                    "<tag k='ref' v='B 3'/><tag k='name' v='");
    memset(at, 'x', 9000);
    sprintf(at + 9000, "'/></way></osm>");
    osm_result result = osm_read_good(text, NULL);
    assert_int_equal(strlen(sc_map_segment_name(result.map, 0)), 255);
    osm_free(&result);
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_roads_are_named_by_name_and_number),
    cmocka_unit_test(test_a_name_of_any_length_is_cut),
};
SC_SUITE(tests)
