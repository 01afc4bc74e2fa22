// SUMO's floating-car data: who is a traveller, in which order attributes come, and what is said
// about bad files, word by word.
#include "support/check.h"
#include "support/trace_texts.h"

#include <stdio.h>

#define STEP(time, inside) "<timestep time=\"" time "\">" inside "</timestep>"
#define EXPORT(inside) "<fcd-export>\n" inside "</fcd-export>\n"

static void test_vehicles_and_persons_travel_and_containers_do_not(void **state)
{
    (void)state;
    sc_traces *traces = good_traces(
        "f.xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- by SUMO -->\n"
        "<fcd-export xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n"
        "  <timestep time=\"0.00\">\n"
        "    <vehicle id=\"veh0\" x=\"8.4\" y=\"49.0\" angle=\"1.0\" type=\"car\" speed=\"2\"/>\n"
        "    <person id=\"ped\" x=\"1\" y=\"2\" edge=\"e\"/>\n"
        "    <container id=\"box\" x=\"3\" y=\"4\"/>\n"
        "  </timestep>\n"
        "  <timestep time=\"0.50\">\n"
        "    <vehicle speed=\"3\" y=\"49.5\" z=\"9\" x=\"8.5\" id=\"veh0\"/>\n"
        "  </timestep>\n"
        "</fcd-export>\n");
    check_traces(traces, 2);
    CHECK_TRACK(traces, 0, "ped", {0, 1, 2});
    CHECK_TRACK(traces, 1, "veh0", {0, 8.4, 49.0}, {0.5, 8.5, 49.5});
    assert_int_equal(sc_traces_summary_of(traces).format, SC_TRACE_FCD);
    sc_traces_free(traces);
}

static void test_a_person_named_like_a_vehicle_is_another_track(void **state)
{
    (void)state;
    sc_traces *traces = good_traces(
        "f.xml", EXPORT(STEP("0", "<vehicle id='a' x='1' y='1'/><person id='a' x='2' y='2'/>"
                                  "<vehicle id='a/2' x='4' y='4'/>")
                            STEP("1", "<person id='a' x='3' y='3'/>")));
    check_traces(traces, 3);
    CHECK_TRACK(traces, 0, "a", {0, 1, 1});
    CHECK_TRACK(traces, 1, "a/2", {0, 4, 4});
    CHECK_TRACK(traces, 2, "a/3", {0, 2, 2}, {1, 3, 3});
    sc_traces_free(traces);
}

static void test_degrees_may_be_called_by_their_names(void **state)
{
    (void)state;
    sc_traces *traces =
        good_traces("f.xml", EXPORT(STEP("0", "<vehicle id='a' lat='49' lon='8'/>")));
    CHECK_TRACK(traces, 0, "a", {0, 8, 49});
    sc_traces_free(traces);
}

static void test_what_is_elsewhere_or_inside_is_passed_over(void **state)
{
    (void)state;
    sc_traces *traces = good_traces(
        "f.xml",
        EXPORT("<vehicle id='a' x='1' y='1'/><other time='x'><vehicle/></other>text" STEP(
            "0",
            "<vehicle id='b' x='2' y='2'><vehicle/><param/></vehicle><gap/>") "<other><person "
                                                                              "id='c'/></other>"));
    check_traces(traces, 1);
    CHECK_TRACK(traces, 0, "b", {0, 2, 2});
    sc_traces_free(traces);
}

static void test_ids_are_what_xml_makes_of_them(void **state)
{
    (void)state;
    sc_traces *traces =
        good_traces("f.xml", EXPORT(STEP("0", "<vehicle id='a&amp;&#233;' x='1' y='1'/>"
                                              "<vehicle id=' b' x='2' y='2'/>")));
    check_traces(traces, 2);
    CHECK_TRACK(traces, 0, " b", {0, 2, 2});
    CHECK_TRACK(traces, 1, "a&\xc3\xa9", {0, 1, 1});
    sc_traces_free(traces);
    // Another encoding, which the file declares.
    traces = good_traces("f.xml", "<?xml version='1.0' encoding='ISO-8859-1'?>" EXPORT(
                                      STEP("0", "<vehicle id='\xe9' x='1' y='1'/>")));
    CHECK_TRACK(traces, 0, "\xc3\xa9", {0, 1, 1});
    sc_traces_free(traces);
}

static void test_bad_files_are_refused_with_line_and_attribute(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {EXPORT("<timestep>"), "f:2: attribute 'time' of <timestep> is missing"},
        {EXPORT("<timestep time='0:00:05'>"),
         "f:2: attribute 'time' of <timestep> is not a number"},
        {EXPORT("<timestep time='inf'>"), "f:2: attribute 'time' of <timestep> is not a number"},
        {EXPORT(STEP("0", "\n<vehicle x='1' y='1'/>")),
         "f:3: attribute 'id' of <vehicle> is missing"},
        {EXPORT(STEP("0", "<vehicle id='' x='1' y='1'/>")),
         "f:2: attribute 'id' of <vehicle> is empty"},
        {EXPORT(STEP("0", "<person id='a&#10;b' x='1' y='1'/>")),
         "f:2: attribute 'id' of <person> contains a control character"},
        {EXPORT(STEP("0", "<vehicle id='a' y='1'/>")),
         "f:2: attribute 'x' of <vehicle> is missing"},
        {EXPORT(STEP("0", "<vehicle id='a' x='1'/>")),
         "f:2: attribute 'y' of <vehicle> is missing"},
        {EXPORT(STEP("0", "<vehicle id='a' lon='1' y='1'/>")),
         "f:2: attribute 'lat' of <vehicle> is missing"},
        {EXPORT(STEP("0", "<vehicle id='a' x='1' y='nan'/>")),
         "f:2: attribute 'y' of <vehicle> is not a number"},
        {EXPORT(STEP("0", "<person id='a' x='1 ' y='1'/>")),
         "f:2: attribute 'x' of <person> is not a number"},
        {"<osm/>", "f:1: not floating-car data: the outermost element is not <fcd-export>"},
        {"<fcd-export>\n<timestep time='0'>\n", "f:3: not well-formed XML: no element found"},
        {"<fcd-export>\n</timestep>", "f:2: not well-formed XML: mismatched tag"},
        {"<fcd-export>\n<timestep time='0", "f:2: not well-formed XML: unclosed token"},
        {"<fcd-export/>\n<fcd-export/>", "f:2: not well-formed XML: junk after document element"},
        {"", "f:1: not well-formed XML: no element found"},
        {"id,t,lon,lat\n", "f:1: not well-formed XML: syntax error"},
        {EXPORT(STEP("0", "<vehicle id='a' id='b' x='1' y='1'/>")),
         "f:2: not well-formed XML: duplicate attribute"},
        {EXPORT(STEP("0", "<vehicle id='\xff' x='1' y='1'/>")),
         "f:2: not well-formed XML: not well-formed (invalid token)"},
        {"\n<!DOCTYPE fcd-export [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>\n" EXPORT(
             STEP("0", "<vehicle id='&b;' x='1' y='1'/>")),
         "f:2: a document type declaration is not allowed in floating-car data"},
        {EXPORT(STEP("0", "<vehicle id='&b;' x='1' y='1'/>")),
         "f:2: not well-formed XML: undefined entity"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        check_traces_refused("f", bad[i].text, SC_TRACE_FCD, SC_EPARSE, bad[i].message);
    }
    check_case_done();
}

static void test_a_file_without_vehicles_has_no_fix(void **state)
{
    (void)state;
    check_traces_refused("f", "<fcd-export/>", SC_TRACE_ANY, SC_EINVAL,
                         "f: the traces have no fix");
    check_traces_refused("f", EXPORT(STEP("0", "")), SC_TRACE_ANY, SC_EINVAL,
                         "f: the traces have no fix");
}

// --- Bombs -------------------------------------------------------------------------------------

static void test_elements_may_not_nest_without_end(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    char *text = test_take(DEEP + 10, 3);
    size_t size = (size_t)sprintf(text, "<fcd-export>\n");
    for (int i = 0; i < DEEP; i++) {
        memcpy(text + size, "<a>", 4);
        size += 3;
    }
    check_traces_refused("f", text, SC_TRACE_ANY, SC_EPARSE,
                         "f:2: elements are nested more than 64 deep");
    free(text);
}

static void test_an_element_may_not_go_on_without_end(void **state)
{
    (void)state;
    enum { LONG = 4 << 20 };
    char *text = test_take(LONG + 1, 1);
    const int size = snprintf(text, LONG, "<fcd-export>\n<a b='");
    memset(text + size, 'a', (size_t)(LONG - size));
    check_traces_refused("f", text, SC_TRACE_ANY, SC_EPARSE,
                         "f:2: an element is longer than two megabytes");
    free(text);
}

// Pieces end anywhere; what is cut there is whole again.
static void test_a_file_of_many_megabytes_is_read_whole(void **state)
{
    (void)state;
    enum { STEPS = 30000, STEP_SIZE = 128 };
    char *text = test_take(STEPS + 2, STEP_SIZE);
    size_t size = (size_t)sprintf(text, "<fcd-export>\n");
    for (int i = 0; i < STEPS; i++) {
        size +=
            (size_t)snprintf(text + size, STEP_SIZE,
                             "<timestep time='%d'><vehicle id='veh%d' x='%d' y='%d' "
                             "type='%.*s'/></timestep>\n",
                             i, i % 3, i, -i, i % 40, "passenger/with/a/name/of/some/length/...");
    }
    snprintf(text + size, STEP_SIZE, "</fcd-export>");
    assert_true(size > 2 << 20);
    sc_traces *traces = good_traces("f.xml", text);
    check_traces(traces, 3);
    size_t count = 0;
    const sc_track *tracks = sc_traces_tracks(traces, &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(tracks[i].count, STEPS / 3);
        for (size_t f = 0; f < tracks[i].count; f++) {
            const double t = (double)(3 * f + i);
            CHECK_SAME(tracks[i].fixes[f].t_s, t);
            CHECK_SAME(tracks[i].fixes[f].x, t);
            CHECK_CLOSE(tracks[i].fixes[f].y, -t, 0.0);
        }
    }
    sc_traces_free(traces);
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_vehicles_and_persons_travel_and_containers_do_not),
    cmocka_unit_test(test_a_person_named_like_a_vehicle_is_another_track),
    cmocka_unit_test(test_degrees_may_be_called_by_their_names),
    cmocka_unit_test(test_what_is_elsewhere_or_inside_is_passed_over),
    cmocka_unit_test(test_ids_are_what_xml_makes_of_them),
    SC_CASES(test_bad_files_are_refused_with_line_and_attribute),
    cmocka_unit_test(test_a_file_without_vehicles_has_no_fix),
    cmocka_unit_test(test_elements_may_not_nest_without_end),
    cmocka_unit_test(test_an_element_may_not_go_on_without_end),
    cmocka_unit_test(test_a_file_of_many_megabytes_is_read_whole),
};
SC_SUITE(tests)
