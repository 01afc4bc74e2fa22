// The reader of DIMACS graphs: what it makes of good files, small and real.
// What it says about bad ones is in test_load_dimacs_errors.c.
#include "import/import_internal.h"

#include <starcloak/map_import.h>
#include <starcloak/map_info.h>

#include "support/check.h"
#include "support/counts.h"
#include "support/place.h"
#include "support/texts.h"

#include <math.h>
#include <stdio.h>

static sc_map *load_graph(const char *arcs, const char *places)
{
    const text_files files = {{{"a.gr", arcs}, {"a.co", places}}};
    return read_good_texts(sc__load_dimacs, &files, &SC_IMPORT_DEFAULTS);
}

// --- Lengths and places ------------------------------------------------------------

static void test_weights_of_tenths_become_metres_and_places_degrees(void **state)
{
    (void)state;
    sc_map *map = load_graph("p sp 2 2\na 1 2 1234\na 2 1 1234\n",
                             "p aux sp co 2\nv 2 -69000001 45000000\nv 1 -180000000 -90000000\n");
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
    assert_true(sc_map_is_in_metres(map));
    assert_int_equal(sc_map_edge_count(map), 1);
    CHECK_CLOSE(sc_map_edge_length_m(map, 0), 123.4, 0.0006);
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, 1, &x, &y);
    CHECK_CLOSE(x, -69.000001, 1e-9);
    CHECK_CLOSE(y, 45.0, 1e-9);
    sc_map_node_position(map, 0, &x, &y);
    CHECK_CLOSE(x, -180.0, 1e-9);
    CHECK_CLOSE(y, -90.0, 1e-9);
    sc_map_free(map);
}

static void test_a_unit_scales_the_weights(void **state)
{
    (void)state;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.unit_m = 3.0;
    const text_files files = {{{"a.gr", "p sp 2 1\na 1 2 50\n"}}};
    sc_map *map = read_good_texts(sc__load_dimacs, &files, &options);
    CHECK_CLOSE(sc_map_edge_length_m(map, 0), 150.0, 0.0006);
    sc_map_free(map);
}

static void test_a_graph_without_places_is_a_map_without_coordinates(void **state)
{
    (void)state;
    sc_map *map = load_graph("p sp 4 2\na 1 2 50\na 2 1 50\n", NULL);
    assert_int_equal(sc_map_coords(map), SC_COORDS_NONE);
    assert_true(sc_map_is_in_metres(map));
    assert_int_equal(sc_map_node_count(map), 4);  // two are isolated
    sc_snap snap;
    assert_int_equal(sc_map_snap(map, 0, 0, 1, &snap), SC_ENOCOORDS);
    sc_map_free(map);
}

// --- Arcs become roads ----------------------------------------------------------------

static void test_arcs_are_paired_by_their_ends_and_weight_in_any_order(void **state)
{
    (void)state;
    static const struct {
        const char *arcs;
        uint32_t edges;
        uint64_t unpaired;
    } cases[] = {
        {"p sp 3 2\na 1 2 5\na 2 1 5\n", 1, 0},
        {"p sp 3 4\na 2 1 5\na 3 2 6\na 2 3 6\na 1 2 5\n", 2, 0},
        // Repeated roads are kept; so are roads of another weight.
        {"p sp 3 4\na 1 2 5\na 1 2 5\na 2 1 5\na 2 1 5\n", 2, 0},
        {"p sp 3 4\na 1 2 5\na 2 1 5\na 1 2 7\na 2 1 7\n", 2, 0},
        // What has no way back is a one-way road.
        {"p sp 3 2\na 1 2 5\na 2 1 6\n", 2, 2},
        {"p sp 3 3\na 1 2 5\na 1 2 5\na 2 1 5\n", 2, 1},
        // Of a loop the second arc is the way back of the first.
        {"p sp 3 2\na 2 2 0\na 2 2 0\n", 1, 0},
        {"p sp 3 3\na 2 2 0\na 2 2 0\na 2 2 0\n", 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        const text_files files = {{{"a.gr", cases[i].arcs}}};
        sc_map *map = NULL;
        sc_import_report report = {0};
        sc_diag diag = {""};
        CHECK_OK(read_texts(sc__load_dimacs, &files, &SC_IMPORT_DEFAULTS, &map, &report, &diag),
                 &diag);
        CHECK_OK(sc_map_check(map, &diag), &diag);
        assert_int_equal(sc_map_edge_count(map), cases[i].edges);
        assert_int_equal(report.unpaired_arcs, cases[i].unpaired);
        sc_map_free(map);
    }
    check_case_done();
}

// --- Directions and travel times --------------------------------------------------------------

// Seconds from node `from` to node `to` along the shortest edge that is open that way; -1: none.
static double least_time_s(const sc_map *map, sc_node_id from, sc_node_id to)
{
    double least = -1.0;
    for (sc_edge_id edge = 0; edge < sc_map_edge_count(map); edge++) {
        const sc_edge ends = sc_map_edges(map)[edge];
        const sc_travel_times times = sc_map_edge_times(map)[edge];
        const uint32_t ways[] = {ends.from == from && ends.to == to ? times.forward : SC_CLOSED,
                                 ends.to == from && ends.from == to ? times.backward : SC_CLOSED};
        for (size_t i = 0; i < 2; i++) {
            const double time_s = ways[i] * sc_map_time_unit_s(map);
            if (ways[i] != SC_CLOSED && (least < 0.0 || time_s < least)) least = time_s;
        }
    }
    return least;
}

static void test_a_single_arc_is_a_one_way_road(void **state)
{
    (void)state;
    sc_map *map = load_graph("p sp 4 5\na 1 2 5000\na 2 1 5000\na 3 2 5000\na 3 4 5000\n"
                             "a 4 3 6000\n",
                             NULL);
    assert_int_equal(sc_map_edge_count(map), 4);
    // 500 m at the 50 km/h of roads of which nothing is known.
    CHECK_CLOSE(least_time_s(map, 0, 1), 36.0, 0.001);
    CHECK_CLOSE(least_time_s(map, 1, 0), 36.0, 0.001);
    CHECK_CLOSE(least_time_s(map, 2, 1), 36.0, 0.001);
    CHECK_CLOSE(least_time_s(map, 1, 2), -1.0, 0);
    // Of different lengths, they are two roads, one each way.
    CHECK_CLOSE(least_time_s(map, 2, 3), 36.0, 0.001);
    CHECK_CLOSE(least_time_s(map, 3, 2), 43.2, 0.001);
    sc_map_free(map);
}

static void test_of_repeated_arcs_those_left_over_are_one_way(void **state)
{
    (void)state;
    sc_map *map = load_graph("p sp 2 5\na 2 1 50\na 2 1 50\na 1 2 50\na 2 1 50\na 1 2 50\n", NULL);
    assert_int_equal(sc_map_edge_count(map), 3);
    uint32_t one_way = 0;
    for (sc_edge_id edge = 0; edge < 3; edge++) {
        const bool is_from_second = sc_map_edges(map)[edge].from == 1;
        const sc_travel_times times = sc_map_edge_times(map)[edge];
        assert_true((is_from_second ? times.forward : times.backward) != SC_CLOSED);
        one_way += (is_from_second ? times.backward : times.forward) == SC_CLOSED;
    }
    assert_int_equal(one_way, 1);
    sc_map_free(map);
}

static void test_a_second_graph_has_the_travel_times(void **state)
{
    (void)state;
    static const char lengths[] = "p sp 3 5\na 1 2 803\na 2 1 803\na 2 3 100\na 3 2 100\na 1 3 9\n";
    static const char times[] =
        "c times\np sp 3 5\na 1 2 2008\nc\na 2 1 4000\na 2 3 250\na 3 2 250\na 1 3 22\n";
    sc_import_options named = SC_IMPORT_DEFAULTS;
    named.times = "seconds.txt";
    const struct {
        text_files files;
        const sc_import_options *options;
    } cases[] = {
        {{{{"x/USA-road-t.NY.gr.gz", times}, {"USA-road-d.NY.gr", lengths}}}, NULL},
        {{{{"a_d.gr", lengths}, {"a_t.gr", times}}}, NULL},
        {{{{"a.gr", lengths}, {"seconds.txt", times}}}, &named},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sc_map *map = read_good_texts(sc__load_dimacs, &cases[i].files,
                                      cases[i].options ? cases[i].options : &SC_IMPORT_DEFAULTS);
        assert_int_equal(sc_map_edge_count(map), 3);
        CHECK_CLOSE(sc_map_edge_length_m(map, 0), 80.3, 0.001);
        CHECK_CLOSE(least_time_s(map, 0, 1), 2008 * 0.0036, 0.001);
        CHECK_CLOSE(least_time_s(map, 1, 0), 14.4, 0.001);
        CHECK_CLOSE(least_time_s(map, 1, 2), 0.9, 0.001);
        CHECK_CLOSE(least_time_s(map, 2, 1), 0.9, 0.001);
        CHECK_CLOSE(least_time_s(map, 0, 2), 22 * 0.0036, 0.001);
        CHECK_CLOSE(least_time_s(map, 2, 0), -1.0, 0);
        sc_map_free(map);
    }
    check_case_done();

    named.time_unit_s = 0.5;
    sc_map *map = read_good_texts(sc__load_dimacs, &cases[2].files, &named);
    CHECK_CLOSE(least_time_s(map, 1, 0), 2000.0, 0.001);
    sc_map_free(map);
}

static void test_a_graph_named_as_times_alone_has_lengths(void **state)
{
    (void)state;
    const text_files files = {{{"USA-road-t.NY.gr", "p sp 2 1\na 1 2 50\n"}}};
    sc_map *map = read_good_texts(sc__load_dimacs, &files, &SC_IMPORT_DEFAULTS);
    CHECK_CLOSE(sc_map_edge_length_m(map, 0), 5.0, 0.001);
    sc_map_free(map);
}

static void test_the_option_names_a_file_of_its_own_or_an_input(void **state)
{
    (void)state;
    const place p = place_new();
    char lengths[600];
    char times[600];
    snprintf(lengths, sizeof lengths, "%s",
             place_write_text(&p, "a.gr", "p sp 2 2\na 1 2 100\na 2 1 100\n"));
    snprintf(times, sizeof times, "%s",
             place_write_text(&p, "b.gr", "p sp 2 2\na 1 2 10\na 2 1 20\n"));
    const char *const paths[] = {lengths, times};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.times = times;
    options.time_unit_s = 1;
    for (size_t count = 1; count <= 2; count++) {
        sc_map *map = NULL;
        sc_diag diag = {""};
        CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_DIMACS, paths, count}, &options, &map,
                               NULL, &diag),
                 &diag);
        CHECK_CLOSE(least_time_s(map, 0, 1), 10.0, 0);
        CHECK_CLOSE(least_time_s(map, 1, 0), 20.0, 0);
        assert_string_equal(sc_map_source(map), "dimacs: a.gr b.gr");
        sc_map_free(map);
    }
    place_free(&p);
}

static void test_loops_rings_and_lone_nodes_are_kept(void **state)
{
    (void)state;
    // A ring 1-2-3, a loop without length at 4, a road 5-6; 7 is alone.
    sc_map *map = load_graph("p sp 7 10\na 1 2 5\na 2 1 5\na 2 3 5\na 3 2 5\na 3 1 5\na 1 3 5\n"
                             "a 4 4 0\na 4 4 0\na 5 6 9\na 6 5 9\n",
                             NULL);
    sc_map_info info;
    assert_int_equal(sc_map_describe(map, &info), SC_OK);
    assert_int_equal(sc_map_edge_count(map), 5);
    assert_int_equal(info.self_loops, 1);
    assert_int_equal(info.zero_length_edges, 1);
    assert_int_equal(info.rings, 2);
    assert_int_equal(info.lone_roads, 1);
    assert_int_equal(info.isolated_nodes, 1);
    assert_int_equal(info.components, 4);
    sc_map_free(map);
}

static void test_comments_blank_lines_and_line_ends_do_not_matter(void **state)
{
    (void)state;
    sc_map *plain = load_graph("p sp 2 2\na 1 2 5\na 2 1 5\n", NULL);
    static const char *const same[] = {
        "c\nc a comment\n\np sp 2 2\nc more\na 1 2 5\n  \na 2 1 5\n\n",
        "p sp 2 2\r\na 1 2 5\r\na 2 1 5\r\n",
        "  p   sp\t2 2 \n a 1 2 5\na 2 1 +5",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        check_case(i);
        sc_map *map = load_graph(same[i], NULL);
        assert_int_equal(sc_map_checksum(map), sc_map_checksum(plain));
        sc_map_free(map);
    }
    check_case_done();
    sc_map_free(plain);
}

// --- Several graphs --------------------------------------------------------------------

static void test_several_pairs_of_files_make_one_map(void **state)
{
    (void)state;
    // In any order; packed or not.
    const char *paths[] = {SC_TEST_DATA "/dimacs/west.co.xz", SC_TEST_DATA "/dimacs/east.gr",
                           SC_TEST_DATA "/dimacs/west.gr.gz", SC_TEST_DATA "/dimacs/east.co"};
    sc_map *map = NULL;
    sc_import_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_DIMACS, paths, 4}, &SC_IMPORT_DEFAULTS,
                           &map, &report, &diag),
             &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    assert_int_equal(sc_map_node_count(map), 8);
    assert_int_equal(sc_map_edge_count(map), 5);
    assert_int_equal(sc_map_star_count(map), 2);
    assert_int_equal(report.unpaired_arcs, 0);
    assert_true(report.bytes_read > 300);
    assert_string_equal(sc_map_source(map), "dimacs: west.co.xz east.gr west.gr.gz east.co");
    // Nodes of the second graph follow those of the first.
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, 6, &x, &y);
    CHECK_CLOSE(x, -73.0, 1e-9);
    CHECK_CLOSE(y, 44.001, 1e-9);
    sc_map_free(map);
}

#define GRAPH_ "p sp 2 1\na 1 2 5\n"
#define PLACE_(x) "p aux sp co 2\nv 1 " x " 0\nv 2 " x " 1\n"

static void test_coordinates_go_to_the_graph_of_their_name_and_directory(void **state)
{
    (void)state;
    static const struct {
        text_files files;
        double first_x;  ///< of the first graph's first node
    } cases[] = {
        // A single graph takes whatever is given.
        {{{{"a.gr", GRAPH_}, {"other.co", PLACE_("7")}}}, 7e-6},
        {{{{"a.gr", GRAPH_}, {"b.gr", GRAPH_}, {"b.co", PLACE_("8")}, {"a.co", PLACE_("9")}}},
         9e-6},
        {{{{"x/a.gr", GRAPH_},
           {"y/a.gr", GRAPH_},
           {"y/a.co", PLACE_("8")},
           {"x/a.co", PLACE_("9")}}},
         9e-6},
        {{{{"roads/a.gr", GRAPH_},
           {"roads/b.gr.xz", GRAPH_},
           {"places/b.CO", PLACE_("8")},
           {"places/a.co.gz", PLACE_("9")}}},
         9e-6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sc_map *map = read_good_texts(sc__load_dimacs, &cases[i].files, &SC_IMPORT_DEFAULTS);
        double x = 0.0;
        double y = 0.0;
        sc_map_node_position(map, 0, &x, &y);
        CHECK_CLOSE(x, cases[i].first_x, 1e-9);
        sc_map_free(map);
    }
    check_case_done();
}

// --- Real maps ---------------------------------------------------------------------------

static const known_counts maine = {
    .nodes = 194505,
    .self_loops = 1018,
    .parallel_edges = 1558,
    .components = 1305,
    .largest_component = 187315,
    .simple = {212345, 78725, 147742, 2, 97510, 126, 667, 28, 8, 51169, 64603},
    .kept = {214921, 82185, 152550, 10, 102252, 1386, 1868, 28, 0, 49939, 62381},
    // The published mean drops loops, which make intersections of curves.
    .ball_mean = 17.11,
    .ball_spread = 1.0};

static const known_counts vermont = {
    .nodes = 97975,
    .self_loops = 495,
    .parallel_edges = 821,
    .components = 756,
    .largest_component = 95672,
    .simple = {106242, 37327, 69594, 1, 46207, 58, 336, 18, 3, 23997, 36648},
    .kept = {107558, 39110, 72142, 6, 48742, 609, 1023, 18, 0, 23443, 35422},
    .ball_mean = 17.09,
    .ball_spread = 1.0};

static const known_counts new_york = {
    .nodes = 264346,
    .parallel_edges = 1873,
    .components = 1,
    .largest_component = 264346,
    .simple = {365050, 182823, 324696, 0, 283449, 78, 889, 18, 0, 41169, 40354},
    .kept = {366923, 185248, 328875, 0, 287650, 175, 2536, 18, 0, 41050, 38048},
    .ball_mean = 28.10,
    .ball_spread = 1.0};

static const known_counts maine_and_vermont = {
    .nodes = 292480,
    .self_loops = 1513,
    .parallel_edges = 2379,
    .components = 2061,
    .largest_component = 187315,
    .simple = {318587, 116052, 217336, 3, 143717, 184, 1003, 28, 11, 75166, 101251},
    .kept = {322479, 121295, 224692, 16, 150994, 1995, 2891, 28, 0, 73382, 97803},
    .ball_mean = 17.1,
    .ball_spread = 1.0};

// Import graphs of the real data, with or without places, and count them.
static void check_data(const char *const *names, size_t count, bool placed,
                       const known_counts *known)
{
    char paths[4][1024];
    const char *inputs[4];
    size_t input_count = 0;
    for (size_t i = 0; i < count; i++) {
        for (int co = 0; co <= (placed ? 1 : 0); co++) {
            char name[64];
            snprintf(name, sizeof name, "us-tiger-dimacs/USA-road-d.%s.%s.xz", names[i],
                     co ? "co" : "gr");
            if (!data_path(name, paths[input_count], sizeof *paths)) skip();
            inputs[input_count] = paths[input_count];
            input_count++;
        }
    }
    sc_map *map = NULL;
    sc_import_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_DIMACS, inputs, input_count},
                           &SC_IMPORT_DEFAULTS, &map, &report, &diag),
             &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    assert_int_equal(report.unpaired_arcs, 0);
    assert_int_equal(sc_map_coords(map), placed ? SC_COORDS_GEOGRAPHIC : SC_COORDS_NONE);
    check_counts(map, known);
    sc_map_free(map);
}

static void test_maine_has_its_known_counts(void **state)
{
    (void)state;
    static const char *const names[] = {"ME"};
    check_data(names, 1, true, &maine);
}

static void test_vermont_has_its_known_counts(void **state)
{
    (void)state;
    static const char *const names[] = {"VT"};
    check_data(names, 1, true, &vermont);
}

static void test_maine_and_vermont_together_have_their_known_counts(void **state)
{
    (void)state;
    static const char *const names[] = {"ME", "VT"};
    check_data(names, 2, true, &maine_and_vermont);
}

static void test_new_york_has_its_known_counts_without_coordinates(void **state)
{
    (void)state;
    static const char *const names[] = {"NY"};
    check_data(names, 1, false, &new_york);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_weights_of_tenths_become_metres_and_places_degrees),
    cmocka_unit_test(test_a_unit_scales_the_weights),
    cmocka_unit_test(test_a_graph_without_places_is_a_map_without_coordinates),
    SC_CASES(test_arcs_are_paired_by_their_ends_and_weight_in_any_order),
    cmocka_unit_test(test_a_single_arc_is_a_one_way_road),
    cmocka_unit_test(test_of_repeated_arcs_those_left_over_are_one_way),
    SC_CASES(test_a_second_graph_has_the_travel_times),
    cmocka_unit_test(test_a_graph_named_as_times_alone_has_lengths),
    cmocka_unit_test(test_the_option_names_a_file_of_its_own_or_an_input),
    cmocka_unit_test(test_loops_rings_and_lone_nodes_are_kept),
    SC_CASES(test_comments_blank_lines_and_line_ends_do_not_matter),
    cmocka_unit_test(test_several_pairs_of_files_make_one_map),
    SC_CASES(test_coordinates_go_to_the_graph_of_their_name_and_directory),
    cmocka_unit_test(test_maine_has_its_known_counts),
    cmocka_unit_test(test_vermont_has_its_known_counts),
    cmocka_unit_test(test_maine_and_vermont_together_have_their_known_counts),
    cmocka_unit_test(test_new_york_has_its_known_counts_without_coordinates),
};
SC_SUITE(tests)
