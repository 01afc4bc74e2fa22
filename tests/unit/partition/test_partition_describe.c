// Descriptions of partitions: numbers, compared with plain counting over pairs of stars; drawings,
// read with jansson: every segment is drawn once, in the part that is its home, and parts that
// touch differ in colour.
#include "partition/partition_make.h"

#include <starcloak/star.h>

#include "support/check.h"
#include "support/random_partition.h"
#include "support/sketch.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

// --- Numbers ------------------------------------------------------------------------------------

enum { ODD_MAPS = 800, MAX_PARTS = 6 };

static bool are_adjacent(const sc_map *map, sc_star_id a, sc_star_id b)
{
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_segment *segment = &sc_map_segments(map)[s];
        if (segment->star_a == a && segment->star_b == b) return true;
        if (segment->star_a == b && segment->star_b == a) return true;
    }
    return false;
}

/** Count adjacencies, those between two parts, and which parts touch, pair by pair. */
static void check_pairs(const sc_partition *partition, const sc_partition_report *report)
{
    const sc_map *map = sc_partition_map(partition);
    uint64_t adjacencies = 0;
    uint64_t between = 0;
    bool touch[MAX_PARTS][MAX_PARTS] = {{false}};
    for (sc_star_id a = 0; a < sc_map_star_count(map); a++) {
        for (sc_star_id b = 0; b < a; b++) {
            if (!are_adjacent(map, a, b)) continue;
            const uint32_t p = sc_partition_part_of_star(partition, a);
            const uint32_t q = sc_partition_part_of_star(partition, b);
            adjacencies++;
            between += p != q;
            touch[p][q] = touch[q][p] = p != q;
        }
    }
    assert_int_equal(report->adjacencies, adjacencies);
    assert_int_equal(report->edge_cut, between);
    for (uint32_t p = 0; p < report->parts; p++) {
        uint32_t neighbours = 0;
        for (uint32_t q = 0; q < report->parts; q++) {
            neighbours += touch[p][q];
        }
        assert_int_equal(report->each[p].neighbours, neighbours);
    }
}

/** A piece is counted at its least star: none with a lower number leads to it within the part. */
static void check_pieces(const sc_partition *partition, const sc_partition_report *report)
{
    const sc_map *map = sc_partition_map(partition);
    const uint32_t n = sc_map_star_count(map);
    sc_star_id *least = test_take(n, sizeof *least);
    sc_star_id *least_of_all = test_take(n, sizeof *least_of_all);
    for (sc_star_id i = 0; i < n; i++) {
        least[i] = least_of_all[i] = i;
    }
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
            const sc_star_id a = sc_map_segments(map)[s].star_a;
            const sc_star_id b = sc_map_segments(map)[s].star_b;
            if (b == SC_NONE) continue;
            for (int which = 0; which < 2; which++) {
                sc_star_id *low = which ? least_of_all : least;
                if (!which && sc_partition_part_of_star(partition, a) !=
                                  sc_partition_part_of_star(partition, b))
                    continue;
                if (low[a] == low[b]) continue;
                low[a] = low[b] = low[a] < low[b] ? low[a] : low[b];
                is_changed = true;
            }
        }
    }
    uint32_t pieces[MAX_PARTS] = {0};
    uint32_t components = 0;
    for (sc_star_id i = 0; i < n; i++) {
        pieces[sc_partition_part_of_star(partition, i)] += least[i] == i;
        components += least_of_all[i] == i;
    }
    assert_int_equal(report->components, components);
    for (uint32_t p = 0; p < report->parts; p++) {
        assert_int_equal(report->each[p].pieces, pieces[p]);
    }
    free(least);
    free(least_of_all);
}

static void check_counts(const sc_partition *partition, const sc_partition_report *report)
{
    const sc_map *map = sc_partition_map(partition);
    uint32_t stars[MAX_PARTS] = {0};
    uint32_t segments[MAX_PARTS] = {0};
    uint32_t near[SC_PARTITION_HOPS + 1] = {0};
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        stars[sc_partition_part_of_star(partition, i)]++;
        for (uint32_t h = 0; h <= SC_PARTITION_HOPS; h++) {
            near[h] += sc_partition_hops_to_other(partition, i) <= h;
        }
    }
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        segments[sc_partition_home(partition, s)]++;
    }
    uint32_t most = 0;
    for (uint32_t p = 0; p < report->parts; p++) {
        assert_int_equal(report->each[p].stars, stars[p]);
        assert_int_equal(report->each[p].segments, segments[p]);
        CHECK_CLOSE(report->each[p].weight, (double)segments[p] / sc_map_segment_count(map), 1e-12);
        if (segments[p] > most) most = segments[p];
    }
    const double balance = (double)most * report->parts / sc_map_segment_count(map);
    CHECK_CLOSE(report->balance, balance, 1e-9);
    CHECK_CLOSE(report->balance_segments, balance, 1e-9);
    assert_int_equal(report->stars, sc_map_star_count(map));
    for (uint32_t h = 0; h <= SC_PARTITION_HOPS; h++) {
        CHECK_CLOSE(report->near[h], (double)near[h] / sc_map_star_count(map), 1e-12);
    }
    CHECK_SAME(report->near[0], 0);
}

static void test_the_report_of_any_partition_is_that_of_plain_counting(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sc_partition *partition = random_partition(map, seed);
        sc_partition_report report = {0};
        CHECK_OK(sc_partition_describe(partition, NULL, &report, NULL), NULL);
        assert_int_equal(report.parts, sc_partition_part_count(partition));
        check_pairs(partition, &report);
        check_pieces(partition, &report);
        check_counts(partition, &report);
        sc_partition_report_fini(&report);
        sc_partition_report_fini(&report);  // harmless twice
        sc_partition_free(partition);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// Three quarters of all queries on one segment of two parts that are else the same.
static void test_weights_move_the_balance_and_segments_do_not(void **state)
{
    (void)state;
    sc_map *map = street_of(2);
    const uint16_t parts[] = {0, 1};
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, parts, 2, &partition, NULL), NULL);
    const uint32_t count = sc_map_segment_count(map);
    double *weights = test_take(count, sizeof *weights);
    for (sc_seg_id s = 0; s < count; s++) {
        weights[s] = 2.0;
    }
    weights[0] = 2.0 * 3 * (count - 1);
    sc_partition_report report = {0};
    CHECK_OK(sc_partition_describe(partition, weights, &report, NULL), NULL);
    const uint32_t home = sc_partition_home(partition, 0);
    const uint32_t others = report.each[home].segments - 1;
    CHECK_CLOSE(report.each[home].weight, 0.75 + 0.25 * others / (count - 1), 1e-12);
    CHECK_CLOSE(report.balance, 2 * report.each[home].weight, 1e-12);
    assert_true(report.balance_segments < report.balance);
    sc_partition_report_fini(&report);
    free(weights);
    sc_partition_free(partition);
    sc_map_free(map);
}

// --- GeoJSON ------------------------------------------------------------------------------------

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

static void test_a_picture_of_any_partition_holds_every_segment_once(void **state)
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
    SC_CASES(test_the_report_of_any_partition_is_that_of_plain_counting),
    cmocka_unit_test(test_weights_move_the_balance_and_segments_do_not),
    cmocka_unit_test(test_a_picture_of_a_city_holds_every_segment_once),
    SC_CASES(test_a_picture_of_any_partition_holds_every_segment_once),
    cmocka_unit_test(test_few_colours_do),
    cmocka_unit_test(test_a_map_without_coordinates_is_not_drawn),
};
SC_SUITE(tests)
