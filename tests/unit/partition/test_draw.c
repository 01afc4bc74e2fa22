// Pictures of parts, read with jansson: every segment is drawn once, in the part that is its home,
// and parts that touch differ in colour.
#include "partition/partition_make.h"

#include "support/check.h"
#include "support/random_partition.h"
#include "support/sketch.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

static json_t *draw(const sc_partition *partition, sc_partition_report *report)
{
    char *text = NULL;
    size_t size = 0;
    sc_diag diag = {""};
    json_error_t why;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    CHECK_OK(sc_partition_describe(partition, NULL, report, &diag), &diag);
    CHECK_OK(sc_partition_draw(partition, report, file, &diag), &diag);
    fclose(file);
    json_t *drawn = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    free(text);
    if (!drawn) fail_msg("%s", why.text);
    assert_string_equal(json_string_value(json_object_get(drawn, "type")), "FeatureCollection");
    assert_int_equal(json_array_size(json_object_get(drawn, "features")),
                     sc_partition_part_count(partition));
    return drawn;
}

static json_int_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static const char *stroke_of(const json_t *drawn, uint32_t part)
{
    const json_t *feature = json_array_get(json_object_get(drawn, "features"), part);
    return json_string_value(json_object_get(json_object_get(feature, "properties"), "stroke"));
}

/** The line is that segment: node by node, to the digits that are written. */
static void check_line(const sc_map *map, sc_seg_id segment, const json_t *line)
{
    const sc_segment *at = &sc_map_segments(map)[segment];
    const sc_edge *edges = sc_map_edges(map);
    assert_int_equal(json_array_size(line), at[1].first_edge - at[0].first_edge + 1);
    for (size_t i = 0; i < json_array_size(line); i++) {
        double x = 0;
        double y = 0;
        const sc_node_id node =
            i == 0 ? edges[at[0].first_edge].from : edges[at[0].first_edge + (uint32_t)i - 1].to;
        sc_map_node_position(map, node, &x, &y);
        const json_t *position = json_array_get(line, i);
        CHECK_CLOSE(json_number_value(json_array_get(position, 0)), x, 1e-6);
        CHECK_CLOSE(json_number_value(json_array_get(position, 1)), y, 1e-6);
    }
}

// Lines of a part come in the order of their segments; so each is there once.
static void check_features(const sc_partition *partition, const sc_partition_report *report,
                           const json_t *drawn)
{
    const sc_map *map = sc_partition_map(partition);
    for (uint32_t part = 0; part < sc_partition_part_count(partition); part++) {
        const json_t *feature = json_array_get(json_object_get(drawn, "features"), part);
        const json_t *properties = json_object_get(feature, "properties");
        const json_t *geometry = json_object_get(feature, "geometry");
        const json_t *lines = json_object_get(geometry, "coordinates");
        assert_int_equal(number(properties, "part"), part);
        assert_int_equal(number(properties, "stars"), report->each[part].stars);
        assert_int_equal(number(properties, "segments"), report->each[part].segments);
        CHECK_CLOSE(json_number_value(json_object_get(properties, "weight")),
                    report->each[part].weight, 1e-5);
        assert_string_equal(json_string_value(json_object_get(geometry, "type")),
                            "MultiLineString");
        size_t at = 0;
        for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
            if (sc_partition_home(partition, s) == part)
                check_line(map, s, json_array_get(lines, at++));
        }
        assert_int_equal(json_array_size(lines), at);
    }
}

static void check_colours(const sc_partition *partition, const json_t *drawn)
{
    const sc_map *map = sc_partition_map(partition);
    const sc_star *stars = sc_map_stars(map);
    for (uint32_t part = 0; part < sc_partition_part_count(partition); part++) {
        const char *stroke = stroke_of(drawn, part);
        assert_int_equal(stroke[0], '#');
        assert_int_equal(strspn(stroke + 1, "0123456789abcdef"), 6);
        assert_int_equal(strlen(stroke), 7);
    }
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        for (uint32_t j = stars[i].first_neighbour; j < stars[i + 1].first_neighbour; j++) {
            const uint32_t a = sc_partition_part_of_star(partition, i);
            const uint32_t b = sc_partition_part_of_star(partition, sc_map_star_neighbours(map)[j]);
            if (a != b) assert_string_not_equal(stroke_of(drawn, a), stroke_of(drawn, b));
        }
    }
}

static void check_picture(const sc_partition *partition)
{
    sc_partition_report report = {0};
    json_t *drawn = draw(partition, &report);
    const bool is_globe = sc_map_coords(sc_partition_map(partition)) == SC_COORDS_GEOGRAPHIC;
    assert_string_equal(json_string_value(json_object_get(drawn, "starcloak:coordinates")),
                        is_globe ? "geographic" : "planar");
    check_features(partition, &report, drawn);
    check_colours(partition, drawn);
    json_decref(drawn);
    sc_partition_report_fini(&report);
}

static void test_a_picture_of_a_city_holds_every_segment_once(void **state)
{
    (void)state;
    sc_map *map = city_of(2000);
    assert_int_equal(sc_map_coords(map), SC_COORDS_GEOGRAPHIC);
    const sc_partition_options options = {.parts = 24, .seed = 1};
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_make(map, &options, &partition, NULL), NULL);
    check_picture(partition);
    sc_partition_free(partition);
    sc_map_free(map);
}

static void test_a_picture_of_any_cut_holds_every_segment_once(void **state)
{
    (void)state;
    const sc_coords coords[] = {SC_COORDS_GEOGRAPHIC, SC_COORDS_PLANAR};
    for (size_t i = 0; i < 2; i++) {
        sketch grid = sketch_grid(coords[i], 7, 7);
        sc_map *map = sketch_map(&grid);
        for (uint64_t seed = 0; seed < 40; seed++) {
            check_case(seed);
            sc_partition *partition = random_partition(map, seed);
            check_picture(partition);
            sc_partition_free(partition);
        }
        sc_map_free(map);
        sketch_free(&grid);
    }
    check_case_done();
}

// Every star is a part, and touches its neighbours alone: three colours do for a grid.
static void test_few_colours_do(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, 12, 12);
    sc_map *map = sketch_map(&grid);
    sc_partition *partition = NULL;
    const sc_partition_options options = {.parts = sc_map_star_count(map), .seed = 1};
    CHECK_OK(sc_partition_make(map, &options, &partition, NULL), NULL);
    sc_partition_report report = {0};
    json_t *drawn = draw(partition, &report);
    check_colours(partition, drawn);
    json_t *different = json_object();
    for (uint32_t part = 0; part < options.parts; part++) {
        json_object_set_new(different, stroke_of(drawn, part), json_true());
    }
    assert_true(json_object_size(different) <= 4);
    json_decref(different);
    json_decref(drawn);
    sc_partition_report_fini(&report);
    sc_partition_free(partition);
    sc_map_free(map);
    sketch_free(&grid);
}

static void test_a_map_without_coordinates_is_not_drawn(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_NONE, "A-B-C", "AB BC AC");
    sc_map *map = sketch_map(&s);
    sc_partition *partition = NULL;
    sc_partition_report report = {0};
    sc_diag diag = {""};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    CHECK_OK(sc_partition_whole(map, &partition, NULL), NULL);
    CHECK_OK(sc_partition_describe(partition, NULL, &report, NULL), NULL);
    CHECK_REFUSED(sc_partition_draw(partition, &report, file, &diag), SC_ENOCOORDS, &diag,
                  "the map has no coordinates");
    fclose(file);
    assert_int_equal(size, 0);
    free(text);
    sc_partition_report_fini(&report);
    sc_partition_free(partition);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_picture_of_a_city_holds_every_segment_once),
    SC_CASES(test_a_picture_of_any_cut_holds_every_segment_once),
    cmocka_unit_test(test_few_colours_do),
    cmocka_unit_test(test_a_map_without_coordinates_is_not_drawn),
};
SC_SUITE(tests)
