// The reader of SUMO networks: what it makes of good files, and what it says about bad ones. That
// times agree with SUMO's own router is checked by tests/cli/test_sumo.sh.
#include "import/import_internal.h"

#include <starcloak/map_import.h>

#include "import/utm.h"
#include "support/check.h"
#include "support/texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sc_map *load_good(const char *text)
{
    const text_files files = {{{"a.net.xml", text}}};
    return read_good_texts(sc__load_sumo, &files, &SC_IMPORT_DEFAULTS);
}

// --- Networks in a few words ----------------------------------------------------------

#define NET_(content) "<net>\n" content "</net>"
#define J_(id, x, y) "<junction id='" id "' type='priority' x='" x "' y='" y "'/>\n"
#define EDGE_(from, to, more, lanes) \
    "<edge id='e' from='" from "' to='" to "' " more ">" lanes "</edge>\n"
#define LANE_(length, speed, more) \
    "<lane id='l' index='0' length='" length "' speed='" speed "' " more "/>"
#define ROAD_(from, to) EDGE_(from, to, "", LANE_("100", "10", ""))

// Seconds of the edge from one place to another; -1: closed, -2: there is no such edge.
static double time_between(const sc_map *map, double from_x, double from_y, double to_x,
                           double to_y)
{
    double found = -2;
    for (sc_edge_id edge = 0; edge < sc_map_edge_count(map); edge++) {
        const sc_edge ends = sc_map_edges(map)[edge];
        const sc_travel_times times = sc_map_edge_times(map)[edge];
        double x[2];
        double y[2];
        sc_map_node_position(map, ends.from, &x[0], &y[0]);
        sc_map_node_position(map, ends.to, &x[1], &y[1]);
        for (int way = 0; way < 2; way++) {
            if (hypot(x[way] - from_x, y[way] - from_y) > 0.01) continue;
            if (hypot(x[1 - way] - to_x, y[1 - way] - to_y) > 0.01) continue;
            const uint32_t time = way == 0 ? times.forward : times.backward;
            if (time != SC_CLOSED) found = time * sc_map_time_unit_s(map);
            if (time == SC_CLOSED && found < 0) found = -1;
        }
    }
    return found;
}

static const char *name_at(const sc_map *map, double x, double y)
{
    sc_snap snap;
    assert_int_equal(sc_map_snap(map, x, y, 1, &snap), SC_OK);
    return sc_map_segment_name(map, snap.segment);
}

// --- Good networks --------------------------------------------------------------------

static void test_a_town_has_its_roads_directions_times_and_names(void **state)
{
    (void)state;
    const char *path = SC_TEST_DATA "/sumo/town.net.xml";
    sc_map *map = NULL;
    sc_import_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_SUMO, &path, 1}, &SC_IMPORT_DEFAULTS, &map,
                           &report, &diag),
             &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    assert_true(sc_map_is_in_metres(map));
    assert_int_equal(sc_map_node_count(map), 5);  // four junctions and the bend
    assert_int_equal(sc_map_edge_count(map), 4);
    assert_int_equal(sc_map_star_count(map), 1);
    assert_int_equal(report.ways_closed, 1);

    // 95 m of lane and 5 m inside of the junction; the bus lane is faster but not for cars.
    CHECK_CLOSE(time_between(map, 0, 0, 100, 0), 10.0, 0.001);
    CHECK_CLOSE(time_between(map, 100, 0, 0, 0), 5.0, 0.001);
    CHECK_CLOSE(time_between(map, 100, 0, 100, 100), 100 / 8.33, 0.001);
    CHECK_CLOSE(time_between(map, 100, 100, 100, 0), -1, 0);
    // Both pieces of the bent road share what SUMO says, as they are drawn.
    const double whole = time_between(map, 100, 0, 200, 0) + time_between(map, 200, 0, 300, 100);
    CHECK_CLOSE(time_between(map, 200, 0, 300, 100) / whole, sqrt(2) / (1 + sqrt(2)), 0.001);
    CHECK_CLOSE(time_between(map, 200, 0, 100, 0), time_between(map, 100, 0, 200, 0), 0.1);

    assert_string_equal(name_at(map, 50, 0), "Main Street");
    assert_string_equal(name_at(map, 100, 50), "Mill Lane");
    uint32_t primary = 0;
    for (sc_edge_id edge = 0; edge < 4; edge++) {
        primary += sc_map_edge_classes(map)[edge] == SC_ROAD_PRIMARY;
    }
    assert_int_equal(primary, 3);
    sc_map_free(map);
}

static void test_the_length_of_lanes_counts_and_what_is_inside_of_junctions(void **state)
{
    (void)state;
    static const struct {
        const char *lane;
        bool has_inside;
        double length_m;
    } cases[] = {
        // Drawn 100 m long from junction to junction.
        {"length='100' speed='10' shape='5,0 95,0'", false, 100},
        {"length='70' speed='10'", false, 70},
        {"length='90' speed='10' shape='5,0 95,0'", true, 100},
        {"length='200' speed='10' shape='5,0 95,0'", true, 210},
        {"length='90' speed='10' shape='5,0,3 95,0,3'", true, 100},
        {"length='120' speed='10' shape='-10,0 110,0'", true, 120},
        {"length='90' speed='10'", true, 90},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        char text[1024];
        snprintf(text, sizeof text, "<net>%s<edge from='a' to='b'><lane %s/></edge>%s%s</net>",
                 cases[i].has_inside ? "<edge function='internal'><lane length='x'/></edge>" : "",
                 cases[i].lane, J_("a", "0", "0"), J_("b", "100", "0"));
        sc_map *map = load_good(text);
        CHECK_CLOSE(sc_map_edge_length_m(map, 0), cases[i].length_m, 0.001);
        CHECK_CLOSE(time_between(map, 0, 0, 100, 0), cases[i].length_m / 10, 0.001);
        CHECK_CLOSE(time_between(map, 100, 0, 0, 0), -1, 0);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_only_ways_over_the_same_points_are_one_road(void **state)
{
    (void)state;
#define AB_ J_("a", "0", "0") J_("b", "100", "0")
#define SHAPED_(from, to, shape) EDGE_(from, to, "shape='" shape "'", LANE_("100", "10", ""))
    static const struct {
        const char *text;
        uint32_t edges;
        uint32_t one_way;
    } cases[] = {
        {NET_(ROAD_("a", "b") ROAD_("b", "a") AB_), 1, 0},
        {NET_(ROAD_("a", "b") ROAD_("a", "b") AB_), 2, 2},
        {NET_(ROAD_("a", "b") ROAD_("a", "b") ROAD_("b", "a") AB_), 2, 1},
        {NET_(ROAD_("a", "b") ROAD_("a", "b") ROAD_("b", "a") ROAD_("b", "a") AB_), 2, 0},
        // A shape that only repeats the junctions is none.
        {NET_(ROAD_("a", "b") SHAPED_("b", "a", "100,0 0,0") AB_), 1, 0},
        {NET_(SHAPED_("a", "b", "0,0 50,5 100,0") SHAPED_("b", "a", "100,-0 50,5,9 0,0") AB_), 2,
         0},
        {NET_(SHAPED_("a", "b", "0,0 50,5 100,0") SHAPED_("b", "a", "100,0 50,-5 0,0") AB_), 4, 4},
        {NET_(SHAPED_("a", "b", "0,0 50,5 100,0") ROAD_("b", "a") AB_), 3, 3},
        // Points that do not move are one.
        {NET_(SHAPED_("a", "b", "0,0 0,0 50,5 50,5 100,0") AB_), 2, 2},
        // Roads that return to their junction.
        {NET_(SHAPED_("a", "a", "0,0 50,5 50,9 0,0") SHAPED_("a", "a", "0,0 50,9 50,5 0,0") AB_), 3,
         0},
        {NET_(SHAPED_("a", "a", "0,0 50,5 50,9 0,0") SHAPED_("a", "a", "0,0 50,5 50,9 0,0") AB_), 6,
         6},
        {NET_(ROAD_("a", "a") ROAD_("a", "b") AB_), 2, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sc_map *map = load_good(cases[i].text);
        assert_int_equal(sc_map_edge_count(map), cases[i].edges);
        uint32_t one_way = 0;
        for (sc_edge_id edge = 0; edge < cases[i].edges; edge++) {
            const sc_travel_times times = sc_map_edge_times(map)[edge];
            one_way += times.forward == SC_CLOSED || times.backward == SC_CLOSED;
        }
        assert_int_equal(one_way, cases[i].one_way);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_the_two_directions_have_their_own_times_and_a_common_length(void **state)
{
    (void)state;
    sc_map *map = load_good(NET_(EDGE_("a", "b", "", LANE_("90", "10", "") LANE_("90", "15", ""))
                                     EDGE_("b", "a", "name='Back'", LANE_("110", "5", "")) AB_));
    CHECK_CLOSE(sc_map_edge_length_m(map, 0), 100, 0.001);
    CHECK_CLOSE(time_between(map, 0, 0, 100, 0), 6, 0.001);
    CHECK_CLOSE(time_between(map, 100, 0, 0, 0), 22, 0.001);
    assert_string_equal(name_at(map, 50, 0), "Back");
    sc_map_free(map);
}

static void test_only_lanes_for_cars_count(void **state)
{
    (void)state;
    static const struct {
        const char *attributes;
        bool is_for_cars;
    } cases[] = {
        {"", true},
        {"allow='all'", true},
        {"allow='passenger'", true},
        {"allow='bus passenger taxi'", true},
        {"allow='bus taxi'", false},
        {"allow=''", false},
        {"allow='passengers'", false},
        {"disallow=''", true},
        {"disallow='tram bus'", true},
        {"disallow='tram passenger'", false},
        {"disallow='all'", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        char text[1024];
        snprintf(text, sizeof text, NET_("%s" EDGE_("b", "a", "", LANE_("100", "5", "%s")) AB_),
                 ROAD_("a", "b"), cases[i].attributes);
        const text_files files = {{{"a.net.xml", text}}};
        sc_map *map = NULL;
        sc_import_report report = {0};
        sc_diag diag = {""};
        CHECK_OK(read_texts(sc__load_sumo, &files, &SC_IMPORT_DEFAULTS, &map, &report, &diag),
                 &diag);
        CHECK_CLOSE(time_between(map, 100, 0, 0, 0), cases[i].is_for_cars ? 20 : -1, 0);
        assert_int_equal(report.ways_closed, !cases[i].is_for_cars);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_profiles_take_the_lanes_that_are_open_to_them(void **state)
{
    (void)state;
    // A carriageway with a cycle track and a pavement, and a lane of bicycles back.
    static const char text[] =
        NET_(EDGE_("a", "b", "type='highway.primary'",
                   LANE_("100", "2", "allow='pedestrian'") LANE_("110", "4", "allow='bicycle'")
                       LANE_("120", "20", "disallow='pedestrian bicycle'"))
                 EDGE_("b", "a", "", LANE_("130", "10", "allow='bicycle'"))
                     EDGE_("b", "a", "shape='50,9'", LANE_("130", "10", "allow='rail'")) AB_);
    static const struct {
        sc_import_profile profile;
        double there_s, back_s;
        uint64_t closed;
    } cases[] = {
        {SC_IMPORT_CAR, 6, -1, 2},
        {SC_IMPORT_BIKE, 27.5, 130 * 3.6 / 15, 1},
        {SC_IMPORT_FOOT, 72, 72, 2},
        {SC_IMPORT_ANY, 100 * 3.6 / 65, 130 * 3.6 / 50, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.profile = cases[i].profile;
        const text_files files = {{{"a.net.xml", text}}};
        sc_map *map = NULL;
        sc_import_report report = {0};
        sc_diag diag = {""};
        CHECK_OK(read_texts(sc__load_sumo, &files, &options, &map, &report, &diag), &diag);
        CHECK_CLOSE(time_between(map, 0, 0, 100, 0), cases[i].there_s, 0.001);
        CHECK_CLOSE(time_between(map, 100, 0, 0, 0), cases[i].back_s, 0.001);
        assert_int_equal(report.ways_closed, cases[i].closed);
        sc_map_free(map);
    }
    check_case_done();

    const text_files rails = {
        {{"a.net.xml", NET_(EDGE_("a", "b", "", LANE_("9", "9", "allow='tram'")))}}};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.profile = SC_IMPORT_FOOT;
    check_texts_refused(sc__load_sumo, &rails, &options, SC_EPARSE,
                        "a.net.xml: no roads found: no <edge> has a lane for pedestrians");
}

static void test_types_of_openstreetmap_give_the_class(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        sc_road_class road_class;
    } cases[] = {
        {"highway.motorway", SC_ROAD_MOTORWAY},
        {"highway.motorway_link", SC_ROAD_RAMP},
        {"railway.tram|highway.residential", SC_ROAD_LOCAL},
        {"highway.residential|railway.tram", SC_ROAD_LOCAL},
        {"mine", SC_ROAD_UNKNOWN},
        {"", SC_ROAD_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        char text[1024];
        snprintf(text, sizeof text, NET_(EDGE_("a", "b", "type='%s'", LANE_("100", "5", "")) AB_),
                 cases[i].type);
        sc_map *map = load_good(text);
        assert_int_equal(sc_map_edge_classes(map)[0], cases[i].road_class);
        sc_map_free(map);
    }
    check_case_done();
}

// --- Coordinates ----------------------------------------------------------------------

#define LOCATION_(offset, projection) \
    "<location netOffset='" offset "' projParameter='" projection "'/>\n"
#define UTM_ LOCATION_("-500000.5,-4000000", "+proj=utm +zone=33 +ellps=WGS84 +no_defs")

static void test_utm_becomes_degrees(void **state)
{
    (void)state;
    sc_map *map = load_good(NET_(UTM_ ROAD_("a", "b") J_("a", "0.5", "0") J_("b", "100", "50")));
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
    double lon = 0;
    double lat = 0;
    assert_true(sc__utm_to_degrees(33, 500001, 4000000, &lon, &lat));
    double x = 0;
    double y = 0;
    sc_map_node_position(map, 0, &x, &y);
    CHECK_CLOSE(x, lon, 1.1e-7);
    CHECK_CLOSE(y, lat, 1.1e-7);
    CHECK_CLOSE(sc_map_edge_length_m(map, 0), 100, 0.001);
    sc_map_free(map);

    map = load_good(NET_(LOCATION_("0,0", "+proj=utm +zone=56 +south") ROAD_("a", "b")
                             J_("a", "500000", "6000000") J_("b", "500100", "6000000")));
    sc_map_node_position(map, 0, &x, &y);
    CHECK_CLOSE(x, 153, 1e-6);
    assert_true(y < -30);
    sc_map_free(map);
}

static void test_other_planes_stay_as_the_file_has_them(void **state)
{
    (void)state;
    static const char *const places[] = {
        LOCATION_("-7,3", "!"),
        LOCATION_("-7,3", "-"),
        LOCATION_("0,0", "+proj=tmerc +lat_0=0 +lon_0=9"),
        LOCATION_("0,0", "+proj=utm +zone=61"),
        LOCATION_("0,0", "+proj=utm +zone=x"),
        LOCATION_("0,0", "+proj=utm"),
        "<location netOffset='1,1,1'/>",
        "",
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        check_case(i);
        char text[1024];
        snprintf(text, sizeof text, NET_("%s" ROAD_("a", "b") AB_), places[i]);
        sc_map *map = load_good(text);
        assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
        CHECK_CLOSE(time_between(map, 0, 0, 100, 0), 10, 0);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_the_user_may_say_what_the_coordinates_are(void **state)
{
    (void)state;
    const text_files utm = {{{"a.net.xml", NET_(UTM_ ROAD_("a", "b") AB_)}}};
    const text_files plane = {
        {{"a.net.xml", NET_(LOCATION_("-500000,-4000000", "!") ROAD_("a", "b") AB_)}}};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.coords = SC_COORDS_PLANAR;
    sc_map *map = read_good_texts(sc__load_sumo, &utm, &options);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    CHECK_CLOSE(time_between(map, 0, 0, 100, 0), 10, 0);
    sc_map_free(map);

    options = SC_IMPORT_DEFAULTS;
    options.utm_zone = 32;
    map = read_good_texts(sc__load_sumo, &plane, &options);
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
    double x = 0;
    double y = 0;
    sc_map_node_position(map, 0, &x, &y);
    CHECK_CLOSE(x, 9, 1e-6);
    sc_map_free(map);

    options.utm_zone = 61;
    check_texts_refused(sc__load_sumo, &plane, &options, SC_EINVAL,
                        "unknown UTM zone: 61; zones are 1 to 60, and -1 to -60 in the south");
    options.utm_zone = 0;
    options.coords = SC_COORDS_GEOGRAPHIC;
    check_texts_refused(sc__load_sumo, &plane, &options, SC_EINVAL,
                        "a.net.xml: the coordinates cannot become degrees: projParameter is '!', "
                        "which is not UTM; add --utm if they are");
}

static void test_several_networks_make_one_map_with_junctions_of_their_own(void **state)
{
    (void)state;
    const text_files files = {{
        {"a.net.xml", NET_(ROAD_("a", "b") ROAD_("b", "a") AB_)},
        {"b.net.xml", NET_(ROAD_("a", "b") J_("b", "0", "200") J_("a", "0", "100"))},
    }};
    sc_map *map = read_good_texts(sc__load_sumo, &files, &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_node_count(map), 4);
    CHECK_CLOSE(time_between(map, 0, 100, 0, 200), 10, 0);
    sc_map_free(map);

    const text_files mixed = {{
        {"a.net.xml", NET_(ROAD_("a", "b") AB_)},
        {"b.net.xml", NET_(UTM_ ROAD_("a", "b") AB_)},
    }};
    check_texts_refused(sc__load_sumo, &mixed, &SC_IMPORT_DEFAULTS, SC_EINVAL,
                        "b.net.xml: its coordinates are UTM, those of the files before it are not");
}

// --- Bad networks ---------------------------------------------------------------------

#define AT_(line) "a.net.xml:" line ": "

static void test_bad_networks_are_refused_with_line_and_value(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"", "a.net.xml: the file is empty"},
        {"<osm/>", AT_("1") "not a SUMO network: its first element is 'osm', not 'net'"},
        {"<net>\n<type></net>", AT_("2") "byte 14: not well-formed XML: mismatched tag"},
        {"<net>\n", AT_("2") "byte 6: not well-formed XML: no element found"},
        {"1,2", AT_("1") "byte 0: not well-formed XML: syntax error"},
        {"<!DOCTYPE net [<!ENTITY a 'b'>]><net/>",
         AT_("1") "a document type declaration is not allowed in a SUMO network: 'net'"},
        {"<net/>", "a.net.xml: no roads found: no <edge> has a lane for cars"},
        {NET_(EDGE_("a", "b", "", LANE_("9", "9", "allow='tram'"))),
         "a.net.xml: no roads found: no <edge> has a lane for cars"},
        {NET_("<edge to='b'/>"), AT_("2") "<edge> has no attribute from"},
        {NET_("<edge from='b'/>"), AT_("2") "<edge> has no attribute to"},
        {NET_("<edge from='a' to='b'/>"), AT_("2") "<edge> has no <lane>"},
        {NET_(EDGE_("a", "b", "", "<lane speed='1'/>")), AT_("2") "<lane> has no attribute length"},
        {NET_(EDGE_("a", "b", "", "<lane length='1'/>")), AT_("2") "<lane> has no attribute speed"},
        {NET_(EDGE_("a", "b", "", LANE_("1x", "1", ""))),
         AT_("2") "length of <lane> is not a number: '1x'"},
        {NET_(EDGE_("a", "b", "", LANE_("nan", "1", ""))),
         AT_("2") "length of <lane> is not a number: 'nan'"},
        {NET_(EDGE_("a", "b", "", LANE_("-1", "1", ""))),
         AT_("2") "length of <lane> is not the length of a road: '-1'"},
        {NET_(EDGE_("a", "b", "", LANE_("1e9", "1", ""))),
         AT_("2") "length of <lane> is not the length of a road: '1e9'"},
        {NET_(EDGE_("a", "b", "", LANE_("1", "0", ""))),
         AT_("2") "speed of <lane> is not a speed in metres per second: '0'"},
        {NET_(EDGE_("a", "b", "", LANE_("1", "-5", ""))),
         AT_("2") "speed of <lane> is not a speed in metres per second: '-5'"},
        {NET_(EDGE_("a", "b", "", LANE_("1", "1", "shape='1,2 3'"))),
         AT_("2") "shape of <lane> has something that is not a point: '3'"},
        {NET_(EDGE_("a", "b", "shape='1,2 3,'", "")),
         AT_("2") "shape of <edge> has something that is not a point: '3,'"},
        {NET_(EDGE_("a", "b", "shape='1,2 ,3'", "")),
         AT_("2") "shape of <edge> has something that is not a point: ',3'"},
        {NET_(EDGE_("a", "b", "shape='1,2,3,4'", "")),
         AT_("2") "shape of <edge> has something that is not a point: '1,2,3,4'"},
        {NET_("<junction x='1' y='1'/>"), AT_("2") "<junction> has no attribute id"},
        {NET_("<junction id='a' y='1'/>"), AT_("2") "<junction> has no attribute x"},
        {NET_(J_("a", "1", "b")), AT_("2") "y of <junction> is not a number: 'b'"},
        {NET_(J_("a", "1", "1") J_("a", "1", "1")), AT_("3") "id of <junction> occurs twice: 'a'"},
        {NET_(J_("b", "0", "0") ROAD_("a", "b")),
         AT_("3") "<edge> goes from a junction that the file does not have: 'a'"},
        {NET_(J_("b", "0", "0") ROAD_("b", "")),
         AT_("3") "<edge> goes to a junction that the file does not have: ''"},
        {NET_(ROAD_("a", "b") J_("a", "0", "0") J_("b", "1e13", "0")),
         AT_("2") "<edge> has a point outside the allowed range: 10000000000000,0"},
        {NET_(UTM_ ROAD_("a", "b") J_("a", "0", "0") J_("b", "1e6", "0")),
         AT_("3") "<edge> has a point outside the UTM zone: 1000000,0"},
        {NET_("<location netOffset='7'/>"), AT_("2") "netOffset of <location> is not a point: '7'"},
        {NET_("<location/>\n<location/>"), AT_("3") "a second <location>"},
        {NET_("<edge function='internal'/>" EDGE_("a", "b", "",
                                                  LANE_("4e7", "1", "shape='0,0 1,0'")) AB_),
         AT_("2") "<edge> is too long for a road: 4.00001e+07 m"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const text_files files = {{{"a.net.xml", bad[i].text}}};
        check_texts_refused(sc__load_sumo, &files, &SC_IMPORT_DEFAULTS, SC_EPARSE, bad[i].message);
    }
}

static void test_elements_in_other_places_are_passed_over(void **state)
{
    (void)state;
    sc_map *map = load_good(NET_(
        "<tlLogic><junction/><edge/><location/></tlLogic>"
        "<edge function='walkingarea'><lane/></edge><junction type='internal'/>"
        "<edge from='a' to='b'><param><lane/></param><lane length='100' speed='10'><param/></lane>"
        "<edge/></edge><lane/><connection/>" AB_));
    assert_int_equal(sc_map_edge_count(map), 1);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_town_has_its_roads_directions_times_and_names),
    SC_CASES(test_the_length_of_lanes_counts_and_what_is_inside_of_junctions),
    SC_CASES(test_only_ways_over_the_same_points_are_one_road),
    cmocka_unit_test(test_the_two_directions_have_their_own_times_and_a_common_length),
    SC_CASES(test_only_lanes_for_cars_count),
    SC_CASES(test_profiles_take_the_lanes_that_are_open_to_them),
    SC_CASES(test_types_of_openstreetmap_give_the_class),
    cmocka_unit_test(test_utm_becomes_degrees),
    SC_CASES(test_other_planes_stay_as_the_file_has_them),
    cmocka_unit_test(test_the_user_may_say_what_the_coordinates_are),
    cmocka_unit_test(test_several_networks_make_one_map_with_junctions_of_their_own),
    cmocka_unit_test(test_bad_networks_are_refused_with_line_and_value),
    cmocka_unit_test(test_elements_in_other_places_are_passed_over),
};
SC_SUITE(tests)
