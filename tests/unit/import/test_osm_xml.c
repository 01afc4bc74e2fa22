// What the OpenStreetMap reader refuses of XML, and with which words: file, line,
// field and value.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/osm_read.h"

// --- Any file --------------------------------------------------------------

static void test_files_of_another_kind_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        const char *message;
    } cases[] = {
        {"", "in.osm: the file is empty"},
        {"n1 v1 x1 y1\n",
         "in.osm: byte 0: neither OpenStreetMap pbf nor XML: it begins with 'n1 v1 x1 y1\\x0a'"},
        {" \n\t ",
         "in.osm: byte 0: neither OpenStreetMap pbf nor XML: it begins with ' \\x0a\\x09 '"},
        {"\x7f"
         "ELF and a long tail of other things",
         "in.osm: byte 0: neither OpenStreetMap pbf nor XML: it begins with '\\x7fELF and a long "
         "'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        osm_assert_refused(osm_read_text(cases[i].bytes, NULL), SC_EPARSE, cases[i].message);
    }
    osm_assert_refused(osm_read(NULL, 0, &SC_IMPORT_DEFAULTS), SC_EINVAL,
                       "no OpenStreetMap file given");
}

static void test_an_empty_word_in_the_filter_is_refused(void **state)
{
    (void)state;
    static const char *const lists[] = {"", ",", "road,", ",road", "road,,path", "road, ,path"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char message[256];
        snprintf(message, sizeof message,
                 "an empty value in the list of ways: '%s'; give highway values separated by "
                 "commas, or drivable, walk, bike, all",
                 lists[i]);
        osm_assert_refused(osm_read_text("<osm/>", lists[i]), SC_EINVAL, message);
    }
}

static void test_a_map_without_roads_says_what_there_is(void **state)
{
    (void)state;
    osm_assert_refused(osm_read_text("<osm/>", NULL), SC_EPARSE,
                       "in.osm: the file has no way with a highway tag");
    osm_assert_refused(
        osm_read_text("<osm><way id='1'><tag k='highway' v='path'/></way>"
                      "<way id='2'><tag k='highway' v='steps'/></way>"
                      "<way id='3'><tag k='highway' v='steps'/></way></osm>",
                      "tertiary,primary"),
        SC_EPARSE,
        "in.osm: no way has a highway value among 'tertiary,primary'; the file has 'steps' (2), "
        "'path' (1)");
    osm_assert_refused(
        osm_read_text("<osm><way id='1'><tag k='highway' v='a'/></way>"
                      "<way id='2'><tag k='highway' v='b'/></way>"
                      "<way id='3'><tag k='highway' v='c'/></way>"
                      "<way id='4'><tag k='highway' v='d'/></way>"
                      "<way id='5'><tag k='highway' v='e'/></way>"
                      "<way id='6'><tag k='highway' v='&#10;'/></way>"
                      "<way id='7'><tag k='highway' v='g'/></way></osm>",
                      NULL),
        SC_EPARSE,
        "in.osm: no way has a highway value among 'drivable'; the file has 'a' (1), 'b' (1), "
        "'c' (1), 'd' (1), 'e' (1), '\\x0a' (1), ...");
    osm_assert_refused(osm_read_text("<osm><node id='1' lat='1' lon='1'/>"
                                     "<way id='1'><nd ref='1'/><nd ref='1'/>"
                                     "<tag k='highway' v='road'/></way></osm>",
                                     NULL),
                       SC_EPARSE,
                       "in.osm: none of the 1 roads has two different consecutive nodes");
    osm_assert_refused(
        osm_read_text("<osm><way id='1'><tag k='highway' v='road'/></way></osm>", NULL), SC_EPARSE,
        "in.osm: none of the 1 roads has two different consecutive nodes");
}

static void test_more_kinds_of_roads_than_can_be_listed_are_summed_up(void **state)
{
    (void)state;
    char xml[4096] = "<osm>";
    for (int i = 0; i < 20; i++) {
        const size_t used = strlen(xml);
        snprintf(xml + used, sizeof xml - used, "<way id='%d'><tag k='highway' v='kind %d'/></way>",
                 i, i < 10 ? 9 - i : i);
    }
    size_t used = strlen(xml);
    snprintf(xml + used, sizeof xml - used,
             "<way id='30'><tag k='highway' v='kind 3'/></way></osm>");
    osm_assert_refused(
        osm_read_text(xml, NULL), SC_EPARSE,
        "in.osm: no way has a highway value among 'drivable'; the file has 'kind 3' (2), "
        "'kind 9' (1), 'kind 8' (1), 'kind 7' (1), 'kind 6' (1), 'kind 5' (1), ...");
    osm_assert_refused(
        osm_read_text("<osm><way id='1'><tag k='highway' "
                      "v='a value far longer than any that a road has'/></way></osm>",
                      NULL),
        SC_EPARSE, "in.osm: the file has no way with a usable highway tag");
}

// --- XML -------------------------------------------------------------------

static void test_bad_xml_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *xml;
        const char *message;
    } cases[] = {
        {"<osm>\n<node id='1' lat='1' lon='2'>\n</osm>",
         "in.osm:3: not well-formed XML: mismatched tag"},
        {"<osm>\n<way id='1'>", "in.osm:2: not well-formed XML: no element found"},
        {"<osm>\n<way id='1' id='2'/></osm>", "in.osm:2: not well-formed XML: duplicate attribute"},
        {"<osm>\n<way id='1'>\xff</way></osm>",
         "in.osm:2: not well-formed XML: not well-formed (invalid token)"},
        {"<?xml version='1.0' encoding='klingon'?><osm/>",
         "in.osm:1: not well-formed XML: unknown encoding"},
        {"<osm/><osm/>", "in.osm:1: not well-formed XML: junk after document element"},
        {"<gpx>\n</gpx>",
         "in.osm:1: not OpenStreetMap XML: the outermost element is 'gpx', not 'osm'"},
        {"<osmChange><create/></osmChange>",
         "in.osm:1: not OpenStreetMap XML: the outermost element is 'osmChange', not 'osm'"},
        {"<osm>\n\n<node lat='1' lon='2'/></osm>", "in.osm:3: <node> has no attribute id"},
        {"<osm>\n<way/></osm>", "in.osm:2: <way> has no attribute id"},
        {"<osm>\n<way id='1x'/></osm>", "in.osm:2: id of <way> is not an id: '1x'"},
        {"<osm>\n<node id='' lat='1' lon='2'/></osm>", "in.osm:2: id of <node> is not an id: ''"},
        {"<osm>\n<node id='9223372036854775808' lat='1' lon='2'/></osm>",
         "in.osm:2: id of <node> is not an id: '9223372036854775808'"},
        {"<osm>\n<node id='1.5' lat='1' lon='2'/></osm>",
         "in.osm:2: id of <node> is not an id: '1.5'"},
        {"<osm>\n<node id='7' lat='1'/></osm>", "in.osm:2: node 7 has no attribute lon"},
        {"<osm>\n<node id='7' lon='1'/></osm>", "in.osm:2: node 7 has no attribute lat"},
        {"<osm>\n<node id='7' lat='north' lon='2'/></osm>",
         "in.osm:2: lat of node 7 is not a number: 'north'"},
        {"<osm>\n<node id='7' lat='1' lon='nan'/></osm>",
         "in.osm:2: lon of node 7 is not a number: 'nan'"},
        {"<osm>\n<node id='7' lat='inf' lon='1'/></osm>",
         "in.osm:2: lat of node 7 is not a number: 'inf'"},
        {"<osm>\n<node id='7' lat='0x10' lon='1'/></osm>",
         "in.osm:2: lat of node 7 is not a number: '0x10'"},
        {"<osm>\n<node id='7' lat='' lon='1'/></osm>",
         "in.osm:2: lat of node 7 is not a number: ''"},
        {"<osm>\n<node id='7' lat='90.0000001' lon='1'/></osm>",
         "in.osm:2: lat of node 7 is out of range: '90.0000001'"},
        {"<osm>\n<node id='7' lat='1' lon='-180.1'/></osm>",
         "in.osm:2: lon of node 7 is out of range: '-180.1'"},
        {"<osm>\n<node id='7' lat='1e300' lon='1'/></osm>",
         "in.osm:2: lat of node 7 is out of range: '1e300'"},
        {"<osm>\n<way id='1'>\n<nd/></way></osm>", "in.osm:3: <nd> has no attribute ref"},
        {"<osm>\n<way id='1'>\n<nd ref='a'/></way></osm>",
         "in.osm:3: ref of <nd> is not an id: 'a'"},
        {"<osm>\n<way id='1'>\n<tag v='a'/></way></osm>", "in.osm:3: <tag> has no attribute k"},
        {"<osm>\n<way id='1'>\n<tag k='a'/></way></osm>", "in.osm:3: <tag> has no attribute v"},
        {"<osm>\n<node id='1' lat='1' lon='1'/>\n"
         "<way id='5'><nd ref='1'/><nd ref='77'/><nd ref='78'/><tag k='highway' v='road'/></way>"
         "</osm>",
         "in.osm:3: way 5: node 77 has no coordinates, since the file does not have it; give "
         "--skip-missing-nodes to end roads there"},
        {"<osm>\n<node id='1' lat='1' lon='1'/>\n<node id='2' lat='1' lon='2'/>\n"
         "<node id='1' lat='1' lon='1.5'/>\n"
         "<way id='5'><nd ref='1'/><nd ref='2'/><tag k='highway' v='road'/></way></osm>",
         "in.osm:4: node 1 occurs twice with different coordinates: 1.0000000,1.0000000 and "
         "1.5000000,1.0000000"},
        {"<osm>\n<node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='2'/>\n"
         "<way id='5'><nd ref='1'/><nd ref='2'/><tag k='highway' v='road'/></way>\n"
         "<way id='5'><nd ref='2'/><nd ref='1'/><tag k='highway' v='road'/></way></osm>",
         "in.osm:4: way 5 occurs twice with different nodes (first in in.osm, line 3)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        osm_assert_refused(osm_read_text(cases[i].xml, NULL), SC_EPARSE, cases[i].message);
    }
}

static void test_document_types_and_with_them_entities_are_refused(void **state)
{
    (void)state;
    osm_assert_refused(
        osm_read_text(
            "<!DOCTYPE osm [<!ENTITY a 'road'>]>\n<osm>"
            "<node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='2'/>"
            "<way id='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='&a;'/></way></osm>",
            NULL),
        SC_EPARSE,
        "in.osm:1: a document type declaration is not allowed in OpenStreetMap XML: 'osm'");
    osm_assert_refused(
        osm_read_text("\n<!DOCTYPE html SYSTEM 'http://example.org/x.dtd'><html/>", NULL),
        SC_EPARSE,
        "in.osm:2: a document type declaration is not allowed in OpenStreetMap XML: 'html'");
}

static void test_an_error_in_the_second_file_names_that_file(void **state)
{
    (void)state;
    static const char good[] = "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='2'/>"
                               "<way id='5'><nd ref='1'/><nd ref='2'/>"
                               "<tag k='highway' v='road'/></way></osm>";
    static const struct {
        const char *xml;
        const char *message;
    } cases[] = {
        {"<osm>\n<node id='1' lat='1' lon='3'/></osm>",
         "b.osm:2: node 1 occurs twice with different coordinates: 1.0000000,1.0000000 and "
         "3.0000000,1.0000000"},
        {"<osm>\n\n<way id='6'><nd ref='1'/><nd ref='8'/><tag k='highway' v='road'/></way></osm>",
         "b.osm:3: way 6: node 8 has no coordinates, since the files do not have it; give "
         "--skip-missing-nodes to end roads there"},
        {"<osm>\n\n\n<way id='5'><nd ref='1'/><tag k='highway' v='road'/></way></osm>",
         "b.osm:4: way 5 occurs twice with different nodes (first in a.osm, line 1)"},
        {"what", "b.osm: byte 0: neither OpenStreetMap pbf nor XML: it begins with 'what'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sc_input inputs[] = {
            {"a.osm", (const uint8_t *)good, strlen(good)},
            {"b.osm", (const uint8_t *)cases[i].xml, strlen(cases[i].xml)},
        };
        osm_assert_refused(osm_read(inputs, 2, &SC_IMPORT_DEFAULTS), SC_EPARSE, cases[i].message);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_files_of_another_kind_are_refused),
    cmocka_unit_test(test_an_empty_word_in_the_filter_is_refused),
    cmocka_unit_test(test_a_map_without_roads_says_what_there_is),
    cmocka_unit_test(test_more_kinds_of_roads_than_can_be_listed_are_summed_up),
    cmocka_unit_test(test_bad_xml_is_refused_with_its_line),
    cmocka_unit_test(test_document_types_and_with_them_entities_are_refused),
    cmocka_unit_test(test_an_error_in_the_second_file_names_that_file),
};
SC_SUITE(tests)
