// The reader of .cnode, .cedge and calmap.txt: what it makes of good
// files, small and real. What it says about bad ones is in test_load_cnode_errors.c.
#include "import/import_internal.h"

#include <starcloak/map_import.h>
#include <starcloak/map_info.h>

#include "map/geo.h"
#include "support/check.h"
#include "support/counts.h"
#include "support/place.h"
#include "support/texts.h"

#include <math.h>
#include <stdio.h>

static text_files texts(const char *nodes, const char *edges, const char *objects)
{
    return (text_files){{{"a.cnode", nodes}, {"a.cedge", edges}, {"calmap.txt", objects}}};
}

static sc_map *load_good(const char *nodes, const char *edges, const sc_import_options *options)
{
    const text_files files = texts(nodes, edges, NULL);
    return read_good_texts(sc__load_cnode, &files, options);
}

// --- What good files become --------------------------------------------------------

static void test_degrees_become_metres_whatever_the_file_says_of_lengths(void **state)
{
    (void)state;
    // One thousandth of a degree: northwards, along the equator, and along the
    // 60th parallel, which is half as long.
    sc_map *map = load_good("0 0 0\n1 0 0.001\n2 0.001 0\n3 10 60\n4 10.001 60\n",
                            "0 0 1 0.001\n1 0 2 77\n2 3 4 0\n", &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
    assert_true(sc_map_is_in_metres(map));
    const double thousandth_m = SC_EARTH_RADIUS_M * SC_PI / 180.0 / 1000.0;
    double total_m = 0.0;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const bool northern = sc_map_edges(map)[e].from >= 3;
        const double length_m = sc_map_edge_length_m(map, e);
        CHECK_CLOSE(length_m, northern ? thousandth_m / 2.0 : thousandth_m, 0.0006);
        total_m += length_m;
    }
    CHECK_CLOSE(total_m, 278.0, 0.1);
    sc_map_free(map);
}

static void test_normalised_coordinates_stay_planar_and_are_marked(void **state)
{
    (void)state;
    sc_map *map = load_good("0 0 0\n1 10000 0\n2 10000 9965.13\n", "0 0 1 10000\n1 1 2 9965.5\n",
                            &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    assert_false(sc_map_is_in_metres(map));
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, 2, &x, &y);
    CHECK_CLOSE(x, 10000.0, 1e-5);
    CHECK_CLOSE(y, 9965.13, 1e-5);
    // Lengths are the file's own, not those between the nodes.
    CHECK_CLOSE(sc_map_segment_length_m(map, 0), 19965.5, 1e-4);
    sc_map_free(map);
}

static void test_a_unit_makes_metres_of_a_plane(void **state)
{
    (void)state;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.unit_m = 2.5;
    sc_map *map = load_good("0 0 0\n1 1000 0\n", "0 0 1 1100\n", &options);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    assert_true(sc_map_is_in_metres(map));
    CHECK_CLOSE(sc_map_edge_length_m(map, 0), 2750.0, 1e-3);
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, 1, &x, &y);
    CHECK_CLOSE(x, 2500.0, 1e-5);
    sc_map_free(map);
}

static void test_a_unit_makes_the_lengths_of_degrees_count(void **state)
{
    (void)state;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.unit_m = 1000.0;
    sc_map *map = load_good("0 8 53\n1 8.001 53\n", "0 0 1 1.25\n", &options);
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
    CHECK_CLOSE(sc_map_edge_length_m(map, 0), 1250.0, 1e-3);
    sc_map_free(map);
}

static void test_the_user_may_insist_on_a_plane_or_on_degrees(void **state)
{
    (void)state;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.coords = SC_COORDS_PLANAR;
    sc_map *map = load_good("0 8 53\n1 8.5 53\n", "0 0 1 0.5\n", &options);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    assert_false(sc_map_is_in_metres(map));
    CHECK_CLOSE(sc_map_edge_length_m(map, 0), 0.5, 1e-6);
    sc_map_free(map);

    options.coords = SC_COORDS_GEOGRAPHIC;
    const text_files files = texts("0 8 53\n1 500 700\n2 600 800\n", "0 0 1 0.5\n", NULL);
    check_texts_refused(sc__load_cnode, &files, &options, SC_EPARSE,
                        "a.cnode:2: field 'x' is outside -180..180: 500; for a map on a plane give "
                        "--coords planar");
}

static void test_a_map_without_coordinates_has_the_nodes_its_edges_name(void **state)
{
    (void)state;
    sc_map *map = load_good(NULL, "0 0 3 5.5\n1 3 5 7\n", &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_coords(map), SC_COORDS_NONE);
    assert_null(sc_map_nodes(map));
    assert_false(sc_map_is_in_metres(map));
    assert_int_equal(sc_map_node_count(map), 6);  // 1, 2 and 4 are isolated
    assert_int_equal(sc_map_segment_count(map), 1);
    CHECK_CLOSE(sc_map_segment_length_m(map, 0), 12.5, 1e-5);
    sc_snap snap;
    assert_int_equal(sc_map_snap(map, 0, 0, 1, &snap), SC_ENOCOORDS);
    sc_map_free(map);
}

static void test_odd_edges_and_nodes_are_kept(void **state)
{
    (void)state;
    //  a ring 0-1-2; a doubled road 3=4; a loop at 5 with a road to 6; 7 is alone;
    //  8-9 has no length.
    sc_map *map = load_good(NULL,
                            "0 0 1 1\n1 1 2 1\n2 2 0 1\n3 3 4 2\n4 4 3 2\n5 5 5 3\n6 5 6 1\n"
                            "7 8 9 0\n",
                            &SC_IMPORT_DEFAULTS);
    sc_map_info info;
    assert_int_equal(sc_map_describe(map, &info), SC_OK);
    assert_int_equal(sc_map_edge_count(map), 8);
    assert_int_equal(info.self_loops, 1);
    assert_int_equal(info.parallel_edges, 1);
    assert_int_equal(info.zero_length_edges, 1);
    assert_int_equal(info.isolated_nodes, 1);
    assert_int_equal(info.components, 5);
    assert_int_equal(info.rings, 2);
    assert_int_equal(info.lone_roads, 1);
    assert_int_equal(info.back_to_own_star, 1);
    assert_int_equal(info.simple.edges, 6);
    sc_map_free(map);
}

static void test_line_ends_blanks_and_a_byte_order_mark_do_not_matter(void **state)
{
    (void)state;
    sc_map *plain = load_good("0 1 2\n1 3 4\n", "0 0 1 5\n", &SC_IMPORT_DEFAULTS);
    static const struct {
        const char *nodes;
        const char *edges;
    } same[] = {
        {"0 1 2\r\n1 3 4\r\n", "0 0 1 5\r\n"},
        {"\n0 1 2\n\n1 3 4", "0 0 1 5"},
        {"\xef\xbb\xbf"
         "0 1 2\n1 3 4\n",
         "\xef\xbb\xbf"
         "0 0 1 5\n \t\n"},
        {"  0\t1  2 \n 1 3\t4\t\n", " 0 0\t1 5 \n"},
        {"0 1.0 2e0\n1 +3 .4e1\n", "00 0 01 5.0\n"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        check_case(i);
        sc_map *map = load_good(same[i].nodes, same[i].edges, &SC_IMPORT_DEFAULTS);
        assert_int_equal(sc_map_checksum(map), sc_map_checksum(plain));
        sc_map_free(map);
    }
    check_case_done();
    sc_map_free(plain);
}

static void test_edges_are_known_by_their_order_not_by_their_ids(void **state)
{
    (void)state;
    sc_map *map =
        load_good("0 1 2\n1 3 4\n", "18446744073709551615 0 1 5\n7 1 0 5\n", &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_edge_count(map), 2);
    sc_map_free(map);
}

// Counts the reports; each phase goes forward and stays within its file.
typedef struct progress_log {
    unsigned count;
    char phase[32];
    uint64_t done;
} progress_log;

static void note_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    progress_log *log = context;
    if (strcmp(log->phase, phase) != 0) log->done = 0;
    snprintf(log->phase, sizeof log->phase, "%s", phase);
    assert_true(done >= log->done && done <= total);
    log->done = done;
    log->count++;
}

static void test_progress_is_told_on_long_files(void **state)
{
    (void)state;
    enum { ROWS = 40000, ROW_SIZE = 32 };
    char *edges = test_take(ROWS, ROW_SIZE);
    char *at = edges;
    for (unsigned i = 0; i < ROWS; i++) {
        at += snprintf(at, ROW_SIZE, "%u %u %u 1\n", i, i, i + 1);
    }
    progress_log log = {.count = 0};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.progress = (sc_progress){note_progress, &log};
    sc_map_free(load_good(NULL, edges, &options));
    assert_string_equal(log.phase, "reading edges");
    assert_int_equal(log.count, 2);
    free(edges);
}

// --- Objects -------------------------------------------------------------------------

static uint32_t objects_of(const sc_map *map, const char *category)
{
    const sc_category_id wanted = sc_map_category_find(map, category);
    uint32_t count = 0;
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        count += sc_map_objects(map)[i].category == wanted;
    }
    return count;
}

static void test_a_town_with_objects_and_named_categories(void **state)
{
    (void)state;
    const char *paths[] = {SC_TEST_DATA "/cnode/town.cnode", SC_TEST_DATA "/cnode/town.cedge",
                           SC_TEST_DATA "/cnode/town-calmap.txt"};
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.category_names = SC_TEST_DATA "/cnode/categories.csv";
    sc_map *map = NULL;
    sc_import_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 3}, &options, &map, &report,
                           &diag),
             &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    assert_int_equal(sc_map_node_count(map), 6);
    assert_int_equal(sc_map_edge_count(map), 5);
    assert_int_equal(sc_map_star_count(map), 1);
    assert_int_equal(sc_map_object_count(map), 4);
    // Category 7 has no name and goes by its number; "locale" is not used.
    assert_int_equal(sc_map_category_count(map), 3);
    assert_int_equal(objects_of(map, "airport"), 1);
    assert_int_equal(objects_of(map, "school"), 2);
    assert_int_equal(objects_of(map, "7"), 1);
    assert_int_equal(sc_map_category_find(map, "locale"), SC_NONE);
    // One lay 8e-7 beyond the end of its edge and is at the end now.
    assert_int_equal(report.objects_clamped, 1);
    const sc_category_id airport = sc_map_category_find(map, "airport");
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        const sc_object *object = &sc_map_objects(map)[i];
        const sc_edge *edge = &sc_map_edges(map)[object->edge];
        if (object->category != airport) continue;
        const sc_node_id at = object->offset == 0 ? edge->from : edge->to;
        assert_true(object->offset == 0 || object->offset == edge->length);
        assert_int_equal(at, 1);
    }
    sc_map_free(map);
}

static void test_objects_lie_at_their_share_of_the_edge_also_when_it_is_turned(void **state)
{
    (void)state;
    // Node 3 is the intersection, so the road from 0 is walked from 3.
    const text_files files = texts(NULL, NULL, "0 3 100 2\n5 25 6 100 \n3 1 10 0\n3 2 10 0\n");
    sc_map *map = read_good_texts(sc__load_cnode, &files, &SC_IMPORT_DEFAULTS);
    assert_int_equal(sc_map_object_count(map), 2);
    for (sc_object_id i = 0; i < 2; i++) {
        const sc_object *object = &sc_map_objects(map)[i];
        const double offset_m = object->offset * sc_map_unit_m(map);
        const bool is_five = strcmp(sc_map_category_name(map, object->category), "5") == 0;
        assert_int_equal(sc_map_edges(map)[object->edge].from, 3);
        CHECK_CLOSE(offset_m, is_five ? 75.0 : 0.0, 1e-5);
    }
    sc_map_free(map);
}

static void test_an_object_on_a_road_without_length_is_at_its_beginning(void **state)
{
    (void)state;
    const text_files files =
        texts(NULL, "0 0 1 0\n1 1 2 1e-320\n", "0 1 0 1\n4 0.00001\n1 2 1e-320 1\n4 1e-5\n");
    sc_map *map = NULL;
    sc_import_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(read_texts(sc__load_cnode, &files, &SC_IMPORT_DEFAULTS, &map, &report, &diag), &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    assert_int_equal(sc_map_object_count(map), 2);
    assert_int_equal(report.objects_clamped, 2);
    sc_map_free(map);
}

// --- Real maps ---------------------------------------------------------------------------

// Import files of the real data; NULL where they are not at hand.
static sc_map *import_data(const char *const *names, size_t count, const char *categories,
                           sc_import_report *report)
{
    char paths[3][1024];
    char names_path[1024];
    const char *inputs[3];
    assert_true(count <= 3);
    for (size_t i = 0; i < count; i++) {
        if (!data_path(names[i], paths[i], sizeof paths[i])) return NULL;
        inputs[i] = paths[i];
    }
    sc_import_options options = SC_IMPORT_DEFAULTS;
    if (categories) {
        if (!data_path(categories, names_path, sizeof names_path)) return NULL;
        options.category_names = names_path;
    }
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, inputs, count}, &options, &map,
                           report, &diag),
             &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    return map;
}

static void test_california_has_its_known_roads_and_objects(void **state)
{
    (void)state;
    static const char *const files[] = {"california/cal.cnode.xz", "california/cal.cedge.xz",
                                        "california/calmap.txt.xz"};
    sc_import_report report = {0};
    sc_map *map = import_data(files, 3, "california/poi-categories.csv.xz", &report);
    if (!map) skip();

    const graph_counts both = {21693, 1183, 2010, 0, 1828, 0, 20, 142, 0, 182, 19683};
    const known_counts known = {.nodes = 21048,
                                .components = 1,
                                .largest_component = 21048,
                                .simple = both,
                                .kept = both,
                                .ball_mean = 27.25,
                                .ball_spread = 0.5};
    check_counts(map, &known);
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
    assert_int_equal(sc_map_object_count(map), 87635);
    assert_int_equal(sc_map_category_count(map), 62);
    assert_int_equal(report.objects_clamped, 1);
    assert_int_equal(objects_of(map, "locale"), 11055);
    assert_int_equal(objects_of(map, "school"), 10902);
    assert_int_equal(objects_of(map, "mine"), 2350);
    // A state: some forty thousand kilometres of highways, not degrees.
    sc_map_info info;
    assert_int_equal(sc_map_describe(map, &info), SC_OK);
    assert_true(info.length_m > 2e7 && info.length_m < 6e7);
    sc_map_free(map);

    // calmap.txt alone has the same roads and objects, but no coordinates.
    map = import_data(files + 2, 1, NULL, &report);
    assert_int_equal(sc_map_coords(map), SC_COORDS_NONE);
    assert_int_equal(sc_map_segment_count(map), 2010);
    assert_int_equal(sc_map_object_count(map), 87635);
    assert_int_equal(sc_map_category_count(map), 62);
    sc_map_free(map);
}

static void test_oldenburg_has_its_known_counts(void **state)
{
    (void)state;
    static const char *const files[] = {"oldenburg/OL.cnode.xz", "oldenburg/OL.cedge.xz"};
    sc_map *map = import_data(files, 2, NULL, NULL);
    if (!map) skip();
    const known_counts known = {.nodes = 6105,
                                .parallel_edges = 6,
                                .components = 1,
                                .largest_component = 6105,
                                .simple = {7029, 2232, 3797, 0, 3090, 66, 37, 28, 0, 641, 3232},
                                .kept = {7035, 2238, 3803, 0, 3096, 72, 37, 28, 0, 635, 3232},
                                .ball_mean = 24.29,
                                .ball_spread = 1.0};
    check_counts(map, &known);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    assert_false(sc_map_is_in_metres(map));
    sc_map_free(map);
}

static void test_san_joaquin_has_its_known_counts(void **state)
{
    (void)state;
    static const char *const files[] = {"san-joaquin/TG.cnode.xz", "san-joaquin/TG.cedge.xz"};
    sc_map *map = import_data(files, 2, NULL, NULL);
    if (!map) skip();
    const known_counts known = {.nodes = 18263,
                                .parallel_edges = 77,
                                .components = 1,
                                .largest_component = 18263,
                                .simple = {23797, 10978, 19929, 0, 16508, 4, 78, 10, 0, 3417, 3868},
                                .kept = {23874, 11089, 20114, 0, 16696, 4, 145, 10, 0, 3414, 3760},
                                .ball_mean = 27.19,
                                .ball_spread = 1.0};
    check_counts(map, &known);
    assert_int_equal(sc_map_coords(map), SC_COORDS_PLANAR);
    sc_map_free(map);
}

static void test_north_america_has_its_known_counts_without_coordinates(void **state)
{
    (void)state;
    static const char *const files[] = {"north-america/NA.cedge.xz"};
    sc_map *map = import_data(files, 1, NULL, NULL);
    if (!map) skip();
    const known_counts known = {
        .nodes = 175813,
        .parallel_edges = 77,
        .components = 1,
        .largest_component = 175813,
        .simple = {179102, 6618, 12292, 0, 9896, 11, 274, 476, 0, 2385, 166810},
        .kept = {179179, 6742, 12492, 0, 10096, 12, 347, 476, 0, 2384, 166687},
        .ball_mean = 27.29,
        .ball_spread = 1.0};
    check_counts(map, &known);
    assert_int_equal(sc_map_coords(map), SC_COORDS_NONE);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_degrees_become_metres_whatever_the_file_says_of_lengths),
    cmocka_unit_test(test_normalised_coordinates_stay_planar_and_are_marked),
    cmocka_unit_test(test_a_unit_makes_metres_of_a_plane),
    cmocka_unit_test(test_a_unit_makes_the_lengths_of_degrees_count),
    cmocka_unit_test(test_the_user_may_insist_on_a_plane_or_on_degrees),
    cmocka_unit_test(test_a_map_without_coordinates_has_the_nodes_its_edges_name),
    cmocka_unit_test(test_odd_edges_and_nodes_are_kept),
    SC_CASES(test_line_ends_blanks_and_a_byte_order_mark_do_not_matter),
    cmocka_unit_test(test_edges_are_known_by_their_order_not_by_their_ids),
    cmocka_unit_test(test_progress_is_told_on_long_files),
    cmocka_unit_test(test_a_town_with_objects_and_named_categories),
    cmocka_unit_test(test_objects_lie_at_their_share_of_the_edge_also_when_it_is_turned),
    cmocka_unit_test(test_an_object_on_a_road_without_length_is_at_its_beginning),
    cmocka_unit_test(test_california_has_its_known_roads_and_objects),
    cmocka_unit_test(test_oldenburg_has_its_known_counts),
    cmocka_unit_test(test_san_joaquin_has_its_known_counts),
    cmocka_unit_test(test_north_america_has_its_known_counts_without_coordinates),
};
SC_SUITE(tests)
