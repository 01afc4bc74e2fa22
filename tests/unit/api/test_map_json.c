// The map for display: from the page alone every node of every segment can be drawn where it is.
#include "api/map_display.h"

#include "support/check.h"
#include "support/openapi.h"
#include "support/sketch.h"

#include <math.h>

static json_t *page_of(const sc_map *map)
{
    sc_bytes text = {0};
    assert_true(sc__map_json_write(map, &text));
    json_error_t error;
    json_t *page = json_loadb((const char *)text.data, text.size, JSON_REJECT_DUPLICATES, &error);
    if (!page) fail_msg("not JSON: %s", error.text);
    json_t *document = openapi_load();
    openapi_check_text(document, "Map", text.data, text.size);
    json_decref(document);
    sc_bytes_fini(&text);
    return page;
}

static json_int_t whole(const json_t *array, size_t i)
{
    return json_integer_value(json_array_get(array, i));
}

// The points of segment `s`, added up, are those of the map, to half a unit.
static void check_line(const sc_map *map, sc_seg_id s, const json_t *line, double unit)
{
    const sc_segment *segment = sc_map_segments(map) + s;
    const sc_edge *edges = sc_map_edges(map);
    assert_int_equal(json_array_size(line),
                     2 * (segment[1].first_edge - segment[0].first_edge + 1));
    json_int_t x = 0;
    json_int_t y = 0;
    for (size_t i = 0; i < json_array_size(line) / 2; i++) {
        x += whole(line, 2 * i);
        y += whole(line, 2 * i + 1);
        const sc_edge_id e = segment->first_edge + (sc_edge_id)i;
        const sc_node_id node = i == 0 ? edges[e].from : edges[e - 1].to;
        double wanted_x = 0.0;
        double wanted_y = 0.0;
        sc_map_node_position(map, node, &wanted_x, &wanted_y);
        CHECK_CLOSE((double)x * unit, wanted_x, unit * 0.51);
        CHECK_CLOSE((double)y * unit, wanted_y, unit * 0.51);
    }
}

static void check_ends(const sc_map *map, const json_t *page)
{
    const json_t *ends = json_object_get(page, "ends");
    const json_t *classes = json_object_get(page, "classes");
    const json_t *directions = json_object_get(page, "directions");
    const sc_travel_times *times = sc_map_segment_times(map);
    const sc_segment *segments = sc_map_segments(map);
    const sc_edge *edges = sc_map_edges(map);
    const sc_seg_id count = sc_map_segment_count(map);
    assert_int_equal(json_array_size(directions), count);
    assert_int_equal(json_array_size(ends), 2 * (size_t)count);
    assert_int_equal(json_array_size(classes), count);
    for (sc_seg_id s = 0; s < count; s++) {
        assert_int_equal(whole(ends, 2 * (size_t)s), edges[segments[s].first_edge].from);
        assert_int_equal(whole(ends, 2 * (size_t)s + 1), edges[segments[s + 1].first_edge - 1].to);
        assert_int_equal(whole(classes, s), sc_map_edge_classes(map)[segments[s].first_edge]);
        assert_int_equal(whole(directions, s) & 1, times[s].forward != SC_CLOSED);
        assert_int_equal(whole(directions, s) >> 1, times[s].backward != SC_CLOSED);
    }
}

static void check_names(const sc_map *map, const json_t *page)
{
    const json_t *names = json_object_get(page, "names");
    const json_t *name_of = json_object_get(page, "name_of");
    assert_int_equal(json_array_size(name_of),
                     sc_map_has_names(map) ? sc_map_segment_count(map) : 0);
    for (size_t s = 0; s < json_array_size(name_of); s++) {
        const size_t place = (size_t)whole(name_of, s);
        const char *name = place > 0 ? json_string_value(json_array_get(names, place - 1)) : "";
        assert_string_equal(name, sc_map_segment_name(map, (sc_seg_id)s));
    }
}

static void check_bounds(const sc_map *map, const json_t *bounds, double unit)
{
    double sides[4] = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        for (size_t i = 0; i < 2; i++) {
            const sc_edge *edge = &sc_map_edges(map)[e];
            double x = 0.0;
            double y = 0.0;
            sc_map_node_position(map, i ? edge->to : edge->from, &x, &y);
            sides[0] = x < sides[0] ? x : sides[0];
            sides[1] = y < sides[1] ? y : sides[1];
            sides[2] = x > sides[2] ? x : sides[2];
            sides[3] = y > sides[3] ? y : sides[3];
        }
    }
    for (size_t i = 0; i < 4; i++) {
        CHECK_CLOSE(json_number_value(json_array_get(bounds, i)), sides[i], unit * 0.51);
    }
}

static void check_page(const sc_map *map)
{
    json_t *page = page_of(map);
    char checksum[17];
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)sc_map_checksum(map));
    assert_string_equal(json_string_value(json_object_get(page, "checksum")), checksum);
    assert_int_equal(json_integer_value(json_object_get(page, "nodes")), sc_map_node_count(map));
    const json_t *lines = json_object_get(page, "segments");
    check_ends(map, page);
    check_names(map, page);
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        assert_true(json_is_null(lines));
        assert_true(json_is_null(json_object_get(page, "bounds")));
        assert_true(json_is_string(json_object_get(page, "reason")));
    } else {
        const double unit = json_number_value(json_object_get(page, "unit"));
        assert_null(json_object_get(page, "reason"));
        assert_int_equal(json_array_size(lines), sc_map_segment_count(map));
        for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
            check_line(map, s, json_array_get(lines, s), unit);
        }
        if (sc_map_edge_count(map) > 0) {
            check_bounds(map, json_object_get(page, "bounds"), unit);
        }
    }
    json_decref(page);
}

static void test_every_node_can_be_drawn_where_it_is(void **state)
{
    (void)state;
    unsigned kinds[3] = {0};
    for (uint64_t seed = 0; seed < 150; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        kinds[sc_map_coords(map)]++;
        check_page(map);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    for (size_t i = 0; i < 3; i++) {
        assert_true(kinds[i] > 10);  // all kinds of coordinates came up
    }
}

static void test_degrees_are_those_of_the_map_exactly(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    json_t *page = page_of(map);
    CHECK_SAME(json_number_value(json_object_get(page, "unit")), 1e-7);
    assert_true(json_is_true(json_object_get(page, "is_geographic")));
    const sc_node *nodes = sc_map_nodes(map);
    const json_t *lines = json_object_get(page, "segments");
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_node_id first = sc_map_edges(map)[sc_map_segments(map)[s].first_edge].from;
        assert_int_equal(whole(json_array_get(lines, s), 0), nodes[first].x);
        assert_int_equal(whole(json_array_get(lines, s), 1), nodes[first].y);
    }
    json_decref(page);
    sc_map_free(map);
}

// Ten kilometres across, far from the origin: a millimetre is enough, and a unit of its own.
static void test_a_plane_has_millions_of_steps_and_no_more(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t a = sketch_add_node(&s, -7654321.25, 4000000.125);
    const uint32_t b = sketch_add_node(&s, -7644321.25, 4000000.125);
    sketch_add_edge(&s, a, b, 10000.0);
    sc_map *map = sketch_map(&s);
    json_t *page = page_of(map);
    CHECK_SAME(json_number_value(json_object_get(page, "unit")), 1e-3);
    assert_true(json_is_false(json_object_get(page, "is_geographic")));
    const json_t *line = json_array_get(json_object_get(page, "segments"), 0);
    const json_int_t step = whole(line, 2);
    assert_true(step == 10000000 || step == -10000000);  // whichever end is first
    assert_int_equal(whole(line, 3), 0);
    assert_int_equal(whole(line, 1), 4000000125);
    json_decref(page);
    sc_map_free(map);
    sketch_free(&s);
}

static const char *categories_of(const sc_map *map, const char *const *names, uint32_t count,
                                 sc_bytes *text)
{
    const sc_vocabulary vocabulary = {.names = names, .count = count};
    text->size = 0;
    assert_true(sc__categories_json_write(map, &vocabulary, text));
    json_t *document = openapi_load();
    openapi_check_text(document, "Categories", text->data, text->size);
    json_decref(document);
    text->data[text->size - 1] = '\0';  // the line feed
    return (const char *)text->data;
}

static void test_categories_are_counted_where_the_map_has_them(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 2, 2);
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, "cafe", "A");
    put_object(builder, 1, 0.5, "cafe", "B");
    put_object(builder, 2, 0.5, "say \"hi\"", "C");
    sc_map *map = finish_builder(builder);
    sc_bytes text = {0};
    static const char *const names[] = {"cafe", "say \"hi\"", "museum"};
    assert_string_equal(categories_of(map, names, 3, &text),
                        "{\"categories\":[{\"name\":\"cafe\",\"objects\":2},"
                        "{\"name\":\"say \\\"hi\\\"\",\"objects\":1},"
                        "{\"name\":\"museum\",\"objects\":null}]}");
    assert_string_equal(categories_of(map, NULL, 0, &text), "{\"categories\":[]}");
    sc_bytes_fini(&text);
    sc_map_free(map);
    sketch_free(&s);
}

// Longitudes go on beyond the 180th meridian, so that roads across it are as short as they are.
static void test_roads_across_the_180th_meridian_go_on_beyond_it(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 4, 3);
    sketch_move_to_meridian(&s);
    sc_map *map = sketch_map(&s);
    json_t *page = page_of(map);
    const json_t *bounds = json_object_get(page, "bounds");
    const double west = json_number_value(json_array_get(bounds, 0));
    const double east = json_number_value(json_array_get(bounds, 2));
    assert_true(west > 179.9 && west < 180.0 && east > 180.0 && east < 180.1);
    const json_t *segments = json_object_get(page, "segments");
    for (size_t i = 0; i < json_array_size(segments); i++) {
        const json_t *line = json_array_get(segments, i);
        double x = 0.0;
        for (size_t k = 0; k < json_array_size(line); k += 2) {
            x += (double)whole(line, k) * 1e-7;
            assert_true(x > west - 1e-6 && x < east + 1e-6);
        }
    }
    json_decref(page);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_node_can_be_drawn_where_it_is),
    cmocka_unit_test(test_degrees_are_those_of_the_map_exactly),
    cmocka_unit_test(test_a_plane_has_millions_of_steps_and_no_more),
    cmocka_unit_test(test_categories_are_counted_where_the_map_has_them),
    cmocka_unit_test(test_roads_across_the_180th_meridian_go_on_beyond_it),
};
SC_SUITE(tests)
