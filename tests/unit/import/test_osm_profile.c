// What the tags of a way mean to cars, bicycles and people on foot, tag by tag.
#include "support/check.h"

#include "import/osm_internal.h"
#include "support/osm_read.h"
#include "support/osm_town.h"

#include <math.h>
#include <stdio.h>

static sc_slice slice_of(const char *text)
{
    return (sc_slice){text, strlen(text)};
}

/** Tags as written in tests: "highway=road oneway=yes"; '+' stands for a blank in a value. */
typedef struct made_tags {
    char text[512];
    sc__osm_road_tags road;
    sc__osm_tags tags;
} made_tags;

static void make_tags(made_tags *made, const char *text)
{
    snprintf(made->text, sizeof made->text, "%s", text);
    made->road.given = 0;
    made->tags = (sc__osm_tags){.road = &made->road};
    for (char *at = strtok(made->text, " "); at; at = strtok(NULL, " ")) {
        char *equals = strchr(at, '=');
        assert_non_null(equals);
        const sc_slice key = {at, (size_t)(equals - at)};
        for (char *c = equals; *c; c++) {
            if (*c == '+') *c = ' ';
        }
        const unsigned meaning = sc__osm_key(key);
        assert_int_not_equal(meaning, SC__OSM_KEY_OTHER);
        sc__osm_tags_add(&made->tags, meaning, slice_of(equals + 1), NULL);
    }
}

// What a profile may do on a road with these tags: "both", "forward", "backward" or "closed".
static const char *use_of(sc_import_profile profile, const char *text)
{
    made_tags made;
    make_tags(&made, text);
    sc__osm_passage passage;
    if (!sc__osm_passage_find(profile, &made.tags, &passage)) return "closed";
    assert_true(passage.forward_m_s > 0 || passage.backward_m_s > 0);
    return passage.backward_m_s <= 0 ? "forward" : passage.forward_m_s <= 0 ? "backward" : "both";
}

static void check_use(sc_import_profile profile, const char *text, const char *wanted)
{
    const char *got = use_of(profile, text);
    if (strcmp(got, wanted) != 0) {
        fail_msg("%s: '%s' is %s, wanted %s", sc_import_profile_name(profile), text, got, wanted);
    }
}

// The same for car, bike and foot.
static void check_uses(const char *text, const char *car, const char *bike, const char *foot)
{
    check_use(SC_IMPORT_CAR, text, car);
    check_use(SC_IMPORT_BIKE, text, bike);
    check_use(SC_IMPORT_FOOT, text, foot);
    check_use(SC_IMPORT_ANY, text, "both");
}

// --- Directions --------------------------------------------------------------------

static void test_oneway_holds_for_vehicles_and_not_on_foot(void **state)
{
    (void)state;
    static const char *const forward[] = {"yes", "1", "true", "yes;no"};
    static const char *const backward[] = {"-1", "reverse"};
    static const char *const both[] = {"no", "0", "false", "alternating", "maybe", "", ";"};
    char text[64];
    for (size_t i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "highway=residential oneway=%s", forward[i]);
        check_uses(text, "forward", "forward", "both");
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "highway=residential oneway=%s", backward[i]);
        check_uses(text, "backward", "backward", "both");
    }
    for (size_t i = 0; i < 7; i++) {
        snprintf(text, sizeof text, "highway=residential oneway=%s", both[i]);
        check_uses(text, "both", "both", "both");
    }
    check_uses("highway=residential", "both", "both", "both");
}

static void test_a_reversible_road_is_closed_to_vehicles(void **state)
{
    (void)state;
    check_uses("highway=primary oneway=reversible", "closed", "closed", "both");
    check_uses("highway=primary oneway=reversible oneway:bicycle=no", "closed", "both", "both");
}

static void test_bicycles_have_a_oneway_of_their_own(void **state)
{
    (void)state;
    check_uses("highway=residential oneway=yes oneway:bicycle=no", "forward", "both", "both");
    check_uses("highway=residential oneway=no oneway:bicycle=yes", "both", "forward", "both");
    check_uses("highway=residential oneway:bicycle=-1", "both", "backward", "both");
    check_uses("highway=residential oneway=yes oneway:bicycle=what", "forward", "forward", "both");
    check_uses("highway=residential oneway=yes cycleway=opposite", "forward", "both", "both");
    check_uses("highway=residential oneway=-1 cycleway=opposite_lane", "backward", "both", "both");
    check_uses("highway=residential oneway=yes cycleway=opposite_track", "forward", "both", "both");
    check_uses("highway=residential oneway=yes cycleway=lane", "forward", "forward", "both");
    check_uses("highway=residential oneway=yes oneway:foot=yes", "forward", "forward", "forward");
    check_uses("highway=footway oneway:foot=-1", "both", "both", "backward");
}

static void test_roundabouts_and_motorways_are_one_way_unless_said_otherwise(void **state)
{
    (void)state;
    check_uses("highway=tertiary junction=roundabout", "forward", "forward", "both");
    check_uses("highway=tertiary junction=circular", "forward", "forward", "both");
    check_uses("highway=tertiary junction=yes", "both", "both", "both");
    check_uses("highway=tertiary junction=roundabout oneway=no", "both", "both", "both");
    check_uses("highway=tertiary junction=roundabout oneway=-1", "backward", "backward", "both");
    check_use(SC_IMPORT_CAR, "highway=motorway", "forward");
    check_use(SC_IMPORT_CAR, "highway=motorway_link", "forward");
    check_use(SC_IMPORT_CAR, "highway=motorway_link oneway=no", "both");
    check_use(SC_IMPORT_CAR, "highway=motorway oneway=-1", "backward");
    check_use(SC_IMPORT_CAR, "highway=trunk", "both");
    check_use(SC_IMPORT_CAR, "highway=trunk_link", "both");
}

// --- Access ------------------------------------------------------------------------

static void test_every_value_of_access_opens_or_closes(void **state)
{
    (void)state;
    static const char *const open[] = {"yes",       "permissive",  "designated", "destination",
                                       "customers", "discouraged", "official",   "public",
                                       "unknown",   "no_one_knows"};
    static const char *const closed[] = {
        "no",        "private",  "agricultural", "forestry",         "delivery",
        "emergency", "military", "permit",       "residents",        "psv",
        "bus",       "taxi",     "no;yes",       "private;customers"};
    char text[64];
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        snprintf(text, sizeof text, "highway=service access=%s", open[i]);
        check_uses(text, "both", "both", "both");
    }
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        snprintf(text, sizeof text, "highway=service access=%s", closed[i]);
        check_uses(text, "closed", "closed", "closed");
    }
}

static void test_the_most_specific_tag_of_access_wins(void **state)
{
    (void)state;
    static const struct {
        const char *tags;
        const char *car;
        const char *bike;
        const char *foot;
    } cases[] = {
        {"vehicle=no", "closed", "closed", "both"},
        {"motor_vehicle=no", "closed", "both", "both"},
        {"motorcar=no", "closed", "both", "both"},
        {"bicycle=no", "both", "closed", "both"},
        {"bicycle=use_sidepath", "both", "closed", "both"},
        {"foot=no", "both", "both", "closed"},
        {"access=no vehicle=yes", "both", "both", "closed"},
        {"access=no motor_vehicle=yes", "both", "closed", "closed"},
        {"access=no motorcar=yes", "both", "closed", "closed"},
        {"access=no bicycle=yes", "closed", "both", "closed"},
        {"access=no foot=yes", "closed", "closed", "both"},
        {"vehicle=no motor_vehicle=destination", "both", "closed", "both"},
        {"motor_vehicle=private motorcar=permissive", "both", "both", "both"},
        {"motor_vehicle=yes motorcar=no", "closed", "both", "both"},
        {"vehicle=yes bicycle=no", "both", "closed", "both"},
        // A value that is not understood leaves it to the next tag.
        {"motorcar=hm vehicle=no", "closed", "closed", "both"},
        {"access=private motor_vehicle=hm", "closed", "closed", "closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "highway=residential %s", cases[i].tags);
        check_uses(text, cases[i].car, cases[i].bike, cases[i].foot);
    }
    check_uses("highway=primary motorroad=yes", "both", "closed", "closed");
    check_uses("highway=primary motorroad=yes bicycle=yes", "both", "both", "closed");
    check_uses("highway=primary motorroad=no", "both", "both", "both");
}

static bool opens(sc_import_profile profile, const char *text)
{
    made_tags made;
    make_tags(&made, text);
    return sc__osm_profile_opens(profile, &made.tags);
}

static void test_a_tag_of_its_own_opens_other_ways_to_a_profile(void **state)
{
    (void)state;
    assert_true(opens(SC_IMPORT_BIKE, "highway=footway bicycle=yes"));
    assert_true(opens(SC_IMPORT_BIKE, "highway=pedestrian bicycle=dismount"));
    assert_false(opens(SC_IMPORT_BIKE, "highway=footway"));
    assert_false(opens(SC_IMPORT_BIKE, "highway=footway bicycle=no"));
    assert_false(opens(SC_IMPORT_BIKE, "highway=footway access=yes vehicle=yes"));
    assert_true(opens(SC_IMPORT_CAR, "highway=track motor_vehicle=permissive"));
    assert_true(opens(SC_IMPORT_CAR, "highway=pedestrian motorcar=destination"));
    assert_false(opens(SC_IMPORT_CAR, "highway=track access=yes"));
    assert_false(opens(SC_IMPORT_CAR, "highway=track motor_vehicle=agricultural"));
    assert_true(opens(SC_IMPORT_FOOT, "highway=trunk foot=yes"));
    assert_false(opens(SC_IMPORT_FOOT, "highway=motorway"));
    // What is no road at all stays none.
    assert_false(opens(SC_IMPORT_FOOT, "highway=construction foot=yes"));
    assert_false(opens(SC_IMPORT_CAR, "highway=proposed motor_vehicle=yes"));
    assert_false(opens(SC_IMPORT_ANY, "highway=footway foot=yes motor_vehicle=yes"));
}

// --- Speeds ------------------------------------------------------------------------

static void test_values_of_maxspeed_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        double km_h;  ///< 0: not understood
    } cases[] = {
        {"50", 50},
        {" 50 ", 50},
        {"12.5", 12.5},
        {"50 km/h", 50},
        {"50kmh", 50},
        {"50 kph", 50},
        {"30 mph", 48.28},
        {"25mph", 40.234},
        {"10 knots", 18.52},
        {"walk", 7},
        {"none", 130},
        {"50;30", 50},
        {"DE:urban", 50},
        {"de:urban", 50},
        {"DE:rural", 100},
        {"DE:motorway", 130},
        {"DE:living_street", 7},
        {"FR:rural", 80},
        {"FR:urban", 50},
        {"RO:motorway", 130},
        {"RO:trunk", 100},
        {"GB:nsl_single", 97},
        {"GB:nsl_dual", 113},
        {"CH:motorway", 120},
        {"PL:motorway", 140},
        {"XX:rural", 90},
        {"urban", 50},
        {"zone30", 30},
        {"DE:zone30", 30},
        {"DE:zone:30", 30},
        {"zone:20", 20},
        {"IT:30", 30},
        {"BE-VLG:rural", 90},
        {"DE:bicycle_road", 30},
        {"signals", 0},
        {"variable", 0},
        {"", 0},
        {";50", 0},
        {"fast", 0},
        {"DE:", 0},
        {":", 0},
        {"DE:fast", 0},
        {"0", 0},
        {"0.5", 0},
        {"301", 0},
        {"-50", 0},
        {"50 furlongs", 0},
        {"1.2.3", 0},
        {".", 0},
        {"mph", 0},
        {"99999999999999999999999999999999", 0},
        {"5000000000000000000000000000000000 km/h", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double km_h = -1;
        const bool is_known = sc__osm_max_speed(slice_of(cases[i].value), &km_h);
        if (is_known != (cases[i].km_h > 0) || (is_known && fabs(km_h - cases[i].km_h) > 0.01)) {
            fail_msg("'%s' is %g km/h", cases[i].value, is_known ? km_h : -1);
        }
    }
    double km_h = 0;
    assert_false(sc__osm_max_speed((sc_slice){NULL, 0}, &km_h));
    assert_false(sc__osm_max_speed((sc_slice){"5\0", 2}, &km_h));
}

static void check_speeds(sc_import_profile profile, const char *text, double forward_km_h,
                         double backward_km_h)
{
    made_tags made;
    make_tags(&made, text);
    sc__osm_passage passage;
    assert_true(sc__osm_passage_find(profile, &made.tags, &passage));
    const double forward = 3.6 * (double)passage.forward_m_s;
    const double backward = 3.6 * (double)passage.backward_m_s;
    if (fabs(forward - forward_km_h) > 1e-3 || fabs(backward - backward_km_h) > 1e-3) {
        fail_msg("'%s': %g and %g km/h", text, forward, backward);
    }
}

static void test_cars_go_a_little_below_the_limit(void **state)
{
    (void)state;
    check_speeds(SC_IMPORT_CAR, "highway=primary maxspeed=100", 90, 90);
    check_speeds(SC_IMPORT_CAR, "highway=primary maxspeed:forward=50", 45, 65);
    check_speeds(SC_IMPORT_CAR, "highway=primary maxspeed=70 maxspeed:backward=30+mph", 63,
                 43.45229);
    check_speeds(SC_IMPORT_CAR, "highway=primary maxspeed=signals", 65, 65);
    check_speeds(SC_IMPORT_CAR, "highway=motorway maxspeed=none", 117, 0);
    check_speeds(SC_IMPORT_CAR, "highway=residential maxspeed=DE:zone30 oneway=-1", 0, 27);
}

static void test_without_a_limit_the_kind_of_road_decides(void **state)
{
    (void)state;
    static const struct {
        const char *highway;
        double km_h[3];
    } cases[] = {
        {"trunk", {85, 15, 5}},         {"primary", {65, 15, 5}},      {"secondary", {55, 15, 5}},
        {"tertiary", {45, 15, 5}},      {"residential", {35, 15, 5}},  {"service", {20, 15, 5}},
        {"living_street", {10, 10, 5}}, {"track", {15, 12, 5}},        {"footway", {10, 10, 5}},
        {"steps", {5, 3, 3}},           {"primary_link", {50, 15, 5}}, {"what", {50, 15, 5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        snprintf(text, sizeof text, "highway=%s", cases[i].highway);
        for (int profile = 0; profile < 3; profile++) {
            check_speeds((sc_import_profile)profile, text, cases[i].km_h[profile],
                         cases[i].km_h[profile]);
        }
    }
    // Bicycles and people on foot have no use for a limit.
    check_speeds(SC_IMPORT_BIKE, "highway=primary maxspeed=100", 15, 15);
    check_speeds(SC_IMPORT_FOOT, "highway=primary maxspeed=100", 5, 5);
    check_speeds(SC_IMPORT_BIKE, "highway=pedestrian bicycle=dismount", 5, 5);
}

// Where only the class is known, a map uses the speeds of classes: both tables say the same of the
// kind of road that gives a class its name.
static void test_speeds_of_kinds_are_those_of_classes(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "motorway oneway=no", "trunk",       "primary", "secondary",
        "tertiary",           "residential", "service", "motorway_link oneway=no"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[64];
        snprintf(text, sizeof text, "highway=%s", kinds[i]);
        const sc_slice highway = {kinds[i], strcspn(kinds[i], " ")};
        const double km_h = 3.6 * sc_road_class_speed_m_s(sc__osm_road_class(highway));
        check_speeds(SC_IMPORT_CAR, text, km_h, km_h);
    }
}

// --- Ferries -----------------------------------------------------------------------

static void test_durations_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        double seconds;
    } cases[] = {{"00:10", 600},  {"1:30", 5400},    {"01:30:15", 5415}, {"45", 2700},
                 {"PT45M", 2700}, {"PT1H30M", 5400}, {"PT20S", 20},      {"2:00", 7200},
                 {"", 0},         {"soon", 0},       {"1:", 0},          {":10", 0},
                 {"PT", 0},       {"PT1", 0},        {"-5", 0},          {"1:2:3:4", 0},
                 {"99999:00", 0}, {"300:00", 0},     {"PT5X", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double got = sc__osm_duration(slice_of(cases[i].value));
        if (got != cases[i].seconds) fail_msg("'%s' is %g s", cases[i].value, got);
    }
}

static const char ferry_xml[] =
    "<osm version='0.6'>"
    "<node id='1' lat='43.64' lon='7.42'/><node id='2' lat='43.64' lon='7.43'/>"
    "<node id='3' lat='43.64' lon='7.45'/><node id='4' lat='43.64' lon='7.46'/>"
    "<way id='10'><nd ref='1'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
    "<way id='11'><nd ref='2'/><nd ref='3'/><tag k='route' v='ferry'/>"
    "<tag k='duration' v='%s'/><tag k='name' v='Fähre'/>%s</way>"
    "<way id='12'><nd ref='3'/><nd ref='4'/><tag k='highway' v='residential'/></way></osm>";

static osm_result read_ferry(const char *duration, const char *more, bool ferries)
{
    char text[2048];
    snprintf(text, sizeof text, ferry_xml, duration, more);
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.ferries = ferries;
    return osm_read(&(sc_input){"in.osm", (const uint8_t *)text, strlen(text)}, 1, &options);
}

// The edge whose segment has that name.
static sc_edge_id edge_named(const sc_map *map, const char *name)
{
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        if (sc_map_edge_classes(map)[e] == SC_ROAD_UNKNOWN) return e;
    }
    fail_msg("no ferry named %s", name);
    return SC_NONE;
}

static void test_ferries_are_roads_where_that_is_asked_for(void **state)
{
    (void)state;
    osm_result without = read_ferry("00:10", "", false);
    osm_assert_good(&without);
    assert_int_equal(sc_map_edge_count(without.map), 2);
    osm_free(&without);

    static const struct {
        const char *duration;
        const char *more;
        double seconds;  ///< of 1,609 m; 0: closed, so that it is left out
    } cases[] = {
        {"00:10", "", 600},
        {"PT20M", "", 1200},
        {"soon", "", 1609.1 / (20 / 3.6)},
        {"00:00:05", "", 1609.1 / (20 / 3.6)},  // 320 m in a second: not believed
        {"20:00", "", 1609.1 / (20 / 3.6)},
        {"00:10", "<tag k='motor_vehicle' v='no'/>", 0},
        {"00:10", "<tag k='access' v='yes'/><tag k='oneway' v='yes'/>", 600},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        osm_result result = read_ferry(cases[i].duration, cases[i].more, true);
        osm_assert_good(&result);
        assert_int_equal(sc_map_edge_count(result.map), cases[i].seconds > 0 ? 3 : 2);
        assert_int_equal(result.report.ways_closed, cases[i].seconds > 0 ? 0 : 1);
        if (cases[i].seconds > 0) {
            const sc_edge_id ferry = edge_named(result.map, "F");
            const sc_travel_times times = sc_map_edge_times(result.map)[ferry];
            const uint32_t least = times.forward < times.backward ? times.forward : times.backward;
            CHECK_CLOSE(least / 1000.0, cases[i].seconds, 0.5);
            const bool is_one_way = times.forward == SC_CLOSED || times.backward == SC_CLOSED;
            assert_int_equal(is_one_way, strstr(cases[i].more, "oneway") != NULL);
        }
        osm_free(&result);
    }
}

// --- Whole files -------------------------------------------------------------------

//   1----2----3----4    way 10: 1 2, one-way;  11: 2 3, one-way against its nodes;  12: 3 4,
//   private
static const char *const way_tags[][12] = {
    {"highway", "residential", "oneway", "yes", "maxspeed", "36", "name", "Am Markt", NULL},
    {"highway", "residential", "oneway", "-1", "maxspeed", "72", "ref", "B 37; B 3", NULL},
    {"highway", "service", "access", "private", "foot", "yes", "name", "Hof", NULL},
};

static void add_xml_tags(char *out, size_t size, const char *const *tags)
{
    for (; *tags; tags += 2) {
        const size_t used = strlen(out);
        snprintf(out + used, size - used, "<tag k='%s' v='%s'/>", tags[0], tags[1]);
    }
}

// The street as XML, or as pbf.
static osm_result read_street(bool as_pbf, sc_import_profile profile, const char *ways)
{
    static const pbf_node nodes[] = {{1, 74210000, 436400000, NULL},
                                     {2, 74220000, 436400000, NULL},
                                     {3, 74230000, 436400000, NULL},
                                     {4, 74240000, 436400000, NULL}};
    if (as_pbf) {
        pbf_bytes file = {0};
        pbf_block block = PBF_BLOCK;
        pbf_add_header(&file, PBF_ZLIB, PBF_FEATURES("OsmSchema-V0.6", "DenseNodes"));
        for (int64_t i = 0; i < 3; i++) {
            pbf_add_way(&block, 10 + i, (int64_t[]){1 + i, 2 + i}, 2, way_tags[i]);
        }
        pbf_add_dense_nodes(&block, nodes, 4);
        pbf_add_block(&file, PBF_ZLIB, &block);
        const osm_result result = osm_read_as(file.data, file.size, profile, ways);
        pbf_free(&file);
        return result;
    }
    char text[4096] = "<osm version='0.6'>";
    for (int i = 0; i < 4; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "<node id='%d' lat='43.64' lon='7.42%d'/>", i + 1,
                 i + 1);
    }
    for (int i = 0; i < 3; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "<way id='%d'><nd ref='%d'/><nd ref='%d'/>",
                 10 + i, 1 + i, 2 + i);
        add_xml_tags(text, sizeof text, way_tags[i]);
        used = strlen(text);
        snprintf(text + used, sizeof text - used, "</way>");
    }
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "</osm>");
    return osm_read_as(text, strlen(text), profile, ways);
}

// How long it takes from one node to the next one of the street, in milliseconds.
static uint32_t time_between(const sc_map *map, sc_node_id from, sc_node_id to)
{
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        if (edge->from == from && edge->to == to) return sc_map_edge_times(map)[e].forward;
        if (edge->from == to && edge->to == from) return sc_map_edge_times(map)[e].backward;
    }
    fail_msg("no edge between %u and %u", from, to);
    return 0;
}

static void test_both_encodings_bring_directions_speeds_and_access(void **state)
{
    (void)state;
    for (int as_pbf = 0; as_pbf < 2; as_pbf++) {
        osm_result result = read_street(as_pbf, SC_IMPORT_CAR, NULL);
        osm_assert_good(&result);
        assert_int_equal(sc_map_edge_count(result.map), 2);
        assert_int_equal(result.report.ways_closed, 1);
        assert_int_equal(result.report.ways_left_out, 0);
        // 80.46 m at 9 m/s and at 18 m/s.
        CHECK_CLOSE(time_between(result.map, 0, 1), 8940, 10);
        assert_true(time_between(result.map, 1, 0) == SC_CLOSED);
        assert_true(time_between(result.map, 1, 2) == SC_CLOSED);
        CHECK_CLOSE(time_between(result.map, 2, 1), 4470, 10);
        osm_free(&result);

        result = read_street(as_pbf, SC_IMPORT_FOOT, NULL);
        osm_assert_good(&result);
        assert_int_equal(sc_map_edge_count(result.map), 3);
        assert_int_equal(result.report.ways_closed, 0);
        CHECK_CLOSE(time_between(result.map, 1, 0), 57930, 50);
        CHECK_CLOSE(time_between(result.map, 2, 3), 57930, 50);
        osm_free(&result);

        result = read_street(as_pbf, SC_IMPORT_ANY, NULL);
        osm_assert_good(&result);
        assert_int_equal(sc_map_edge_count(result.map), 3);
        CHECK_CLOSE(time_between(result.map, 1, 0), 80.46 / 35 * 3600, 10);
        osm_free(&result);
    }
}

static void test_ways_decide_the_kinds_and_the_profile_the_rest(void **state)
{
    (void)state;
    for (int as_pbf = 0; as_pbf < 2; as_pbf++) {
        osm_result result = read_street(as_pbf, SC_IMPORT_CAR, "service,residential");
        osm_assert_good(&result);
        assert_int_equal(sc_map_edge_count(result.map), 2);
        assert_int_equal(result.report.ways_closed, 1);
        osm_free(&result);
        result = read_street(as_pbf, SC_IMPORT_FOOT, "service");
        osm_assert_good(&result);
        assert_int_equal(sc_map_edge_count(result.map), 1);
        assert_int_equal(result.report.ways_left_out, 2);
        osm_free(&result);
        osm_assert_refused(read_street(as_pbf, SC_IMPORT_CAR, "service"), SC_EPARSE,
                           "in.osm: all 1 roads among 'service' are closed to the profile 'car'; "
                           "choose another with --profile");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_oneway_holds_for_vehicles_and_not_on_foot),
    cmocka_unit_test(test_a_reversible_road_is_closed_to_vehicles),
    cmocka_unit_test(test_bicycles_have_a_oneway_of_their_own),
    cmocka_unit_test(test_roundabouts_and_motorways_are_one_way_unless_said_otherwise),
    cmocka_unit_test(test_every_value_of_access_opens_or_closes),
    cmocka_unit_test(test_the_most_specific_tag_of_access_wins),
    cmocka_unit_test(test_a_tag_of_its_own_opens_other_ways_to_a_profile),
    cmocka_unit_test(test_values_of_maxspeed_are_understood),
    cmocka_unit_test(test_cars_go_a_little_below_the_limit),
    cmocka_unit_test(test_without_a_limit_the_kind_of_road_decides),
    cmocka_unit_test(test_speeds_of_kinds_are_those_of_classes),
    cmocka_unit_test(test_durations_are_understood),
    cmocka_unit_test(test_ferries_are_roads_where_that_is_asked_for),
    cmocka_unit_test(test_both_encodings_bring_directions_speeds_and_access),
    cmocka_unit_test(test_ways_decide_the_kinds_and_the_profile_the_rest),
};
SC_SUITE(tests)
