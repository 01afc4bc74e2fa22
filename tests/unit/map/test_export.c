// Exports: the columns that others read, the values that were there, and all
// files or none.
#include <starcloak/map_export.h>

#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include "map/map_internal.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/** The five files of an export, as text; empty where there is none. */
typedef struct exported {
    char *nodes;
    char *edges;
    char *segments;
    char *stars;
    char *pois;
} exported;

static char *text_in(const place *p, const char *name)
{
    char path[64];
    size_t size = 0;
    snprintf(path, sizeof path, "out/%s", name);
    if (access(place_path(p, path), R_OK) != 0) return test_take(1, 1);
    return read_whole(place_path(p, path), &size);
}

static exported export_map(const sc_map *map)
{
    place p = place_new();
    sc_diag diag = {""};
    CHECK_OK(sc_map_export_csv(map, place_path(&p, "out"), &diag), &diag);
    const int files = sc_map_object_count(map) > 0 ? 5 : 4;
    assert_int_equal(count_entries(place_path(&p, "out")), files);
    const exported e = {text_in(&p, "nodes.csv"), text_in(&p, "edges.csv"),
                        text_in(&p, "segments.csv"), text_in(&p, "stars.csv"),
                        text_in(&p, "pois.csv")};
    place_free(&p);
    return e;
}

static void exported_free(exported *e)
{
    free(e->nodes);
    free(e->edges);
    free(e->segments);
    free(e->stars);
    free(e->pois);
}

static const char *after_header(const char *text, const char *header)
{
    assert_int_equal(strncmp(text, header, strlen(header)), 0);
    return text + strlen(header);
}

// The first numbers of a line, parted by commas; what stands behind them.
static const char *read_numbers(const char *line, double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        char *end = NULL;
        if (i > 0) assert_int_equal(*line++, ',');
        numbers[i] = strtod(line, &end);
        assert_true(end > line);
        line = end;
    }
    return line;
}

// A line of so many numbers and nothing else; the one after it.
static const char *read_row(const char *line, double *numbers, int count)
{
    const char *end = read_numbers(line, numbers, count);
    assert_int_equal(*end, '\n');
    return end + 1;
}

// A comma and a travel time, or nothing where the road is closed; what stands behind it.
static const char *read_time(const sc_map *map, const char *at, uint32_t units)
{
    assert_int_equal(*at++, ',');
    if (units == SC_CLOSED) return at;
    double seconds = 0;
    at = read_numbers(at, &seconds, 1);
    assert_int_equal(llround(seconds / sc_map_time_unit_s(map)), units);
    return at;
}

// A comma and a name that needs no quotes, at the end of a line; the next line.
static const char *read_name(const char *at, const char *name)
{
    assert_int_equal(*at++, ',');
    assert_int_equal(strncmp(at, name, strlen(name)), 0);
    at += strlen(name);
    assert_int_equal(*at++, '\n');
    return at;
}

static void test_the_columns_are_those_that_others_read(void **state)
{
    (void)state;
    //   A--B--C    with a cafe in the middle of the first road (10 m long)
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B--C\n", "");
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, "cafe", "Eck");
    CHECK_OK(sc_builder_set_edge_times(builder, 0, 1.5, SC_CLOSED_S), NULL);
    CHECK_OK(sc_builder_set_edge_name(builder, 1, "Am Markt, \"alt\"", 15), NULL);
    sc_map *map = finish_builder(builder);
    exported e = export_map(map);
    assert_string_equal(e.nodes, "node,lon,lat\n"
                                 "0,0.000000,0.000000\n"
                                 "1,30.000000,0.000000\n"
                                 "2,60.000000,0.000000\n");
    assert_string_equal(e.edges, "edge,from,to,length_m,segment,forward_s,backward_s,name\n"
                                 "0,0,1,10.0000,0,1.500,,\"Am Markt, \"\"alt\"\"\"\n"
                                 "1,1,2,11.0000,0,1.131,1.131,\"Am Markt, \"\"alt\"\"\"\n");
    assert_string_equal(e.segments, "segment,node_a,node_b,length_m\n0,0,2,21.0000\n");
    assert_string_equal(e.stars, "star,node\n0,0\n");
    assert_string_equal(e.pois, "poi,edge,offset_m,category,lon,lat,name\n"
                                "0,0,5.0000,cafe,15.00000000,0.00000000,Eck\n");
    exported_free(&e);
    sc_map_free(map);
    sketch_free(&s);
}

// What the files say, number by number, is what the map says.
static void check_same_graph(const sc_map *map, const exported *e)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segments = sc_map_segments(map);
    const double unit = sc_map_unit_m(map);
    double row[5];
    const char *line = after_header(e->nodes, "node,lon,lat\n");
    for (sc_node_id v = 0; v < sc_map_node_count(map); v++) {
        if (sc_map_coords(map) == SC_COORDS_NONE) {
            line = read_numbers(line, row, 1);
            assert_int_equal(strncmp(line, ",,\n", 3), 0);
            line += 3;
        } else {
            line = read_row(line, row, 3);
            // Back on the grid it is the same node.
            const sc_node at = sc_map_nodes(map)[v];
            assert_int_equal(lround((row[1] - map->grid.origin_x) * map->grid.per_unit), at.x);
            assert_int_equal(lround((row[2] - map->grid.origin_y) * map->grid.per_unit), at.y);
        }
        assert_int_equal(row[0], v);
    }
    assert_int_equal(*line, '\0');

    line = after_header(e->edges, "edge,from,to,length_m,segment,forward_s,backward_s,name\n");
    for (sc_edge_id i = 0; i < sc_map_edge_count(map); i++) {
        const sc_travel_times times = sc_map_edge_times(map)[i];
        line = read_numbers(line, row, 5);
        line = read_time(map, line, times.forward);
        line = read_time(map, line, times.backward);
        line = read_name(line, sc_map_segment_name(map, edges[i].segment));
        assert_int_equal(row[0], i);
        assert_int_equal(row[1], edges[i].from);
        assert_int_equal(row[2], edges[i].to);
        assert_int_equal(lround(row[3] / unit), edges[i].length);
        assert_int_equal(row[4], edges[i].segment);
    }
    assert_int_equal(*line, '\0');

    line = after_header(e->segments, "segment,node_a,node_b,length_m\n");
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        line = read_row(line, row, 4);
        assert_int_equal(row[0], i);
        assert_int_equal(row[1], edges[segments[i].first_edge].from);
        assert_int_equal(row[2], edges[segments[i + 1].first_edge - 1].to);
        assert_int_equal(lround(row[3] / unit), segments[i].length);
    }
    assert_int_equal(*line, '\0');

    line = after_header(e->stars, "star,node\n");
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        line = read_row(line, row, 2);
        assert_int_equal(row[0], i);
        assert_int_equal(row[1], sc_map_stars(map)[i].node);
    }
    assert_int_equal(*line, '\0');
}

static void test_what_is_exported_is_the_map_number_by_number(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_builder *builder = sketch_builder(&s);
        for (sc_edge_id i = 0; i < s.edge_count && seed % 2 == 0; i += 2) {
            CHECK_OK(sc_builder_set_edge_times(builder, i, i % 4 ? 2.5 : SC_CLOSED_S, i), NULL);
            CHECK_OK(sc_builder_set_edge_name(builder, i, i % 4 ? "A 5" : "B 37", i % 4 ? 3 : 4),
                     NULL);
        }
        sc_map *map = finish_builder(builder);
        exported e = export_map(map);
        check_same_graph(map, &e);
        assert_string_equal(e.pois, "");
        exported_free(&e);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_objects_are_exported_with_their_offset_position_and_category(void **state)
{
    (void)state;
    for (int coords = 0; coords < 3; coords++) {
        sketch s = sketch_named("theta");
        s.coords = (sc_coords)coords;
        sc_builder *builder = sketch_builder(&s);
        put_object(builder, 0, 0.5, "school", "Lindenschule");
        put_object(builder, 1, 0.25, "cafe", "");
        put_object(builder, 2, 1.0, "cafe", "Eck");
        sc_map *map = finish_builder(builder);
        exported e = export_map(map);
        const char *line = after_header(e.pois, "poi,edge,offset_m,category,lon,lat,name\n");
        for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
            const sc_object *object = &sc_map_objects(map)[i];
            const char *category = sc_map_category_name(map, object->category);
            double row[3];
            line = read_numbers(line, row, 3);
            assert_int_equal(row[0], i);
            assert_int_equal(row[1], object->edge);
            assert_int_equal(lround(row[2] / sc_map_unit_m(map)), object->offset);
            assert_int_equal(*line++, ',');
            assert_int_equal(strncmp(line, category, strlen(category)), 0);
            line += strlen(category);
            if (coords == SC_COORDS_NONE) {
                assert_int_equal(strncmp(line, ",,", 2), 0);
                line += 2;
            } else {
                double x = 0;
                double y = 0;
                sc_map_edge_position(map, object->edge, object->offset * sc_map_unit_m(map), &x,
                                     &y);
                assert_int_equal(*line++, ',');
                line = read_numbers(line, row, 2);
                CHECK_CLOSE(row[0], x, 1e-6);
                CHECK_CLOSE(row[1], y, 1e-6);
            }
            line = read_name(line, sc_map_object_name(map, i));
        }
        assert_int_equal(*line, '\0');
        exported_free(&e);
        sc_map_free(map);
        sketch_free(&s);
    }
}

static void test_categories_and_names_are_quoted_where_they_must_be(void **state)
{
    (void)state;
    static const char *const words[][2] = {{"plain words", "plain words"},
                                           {"bar, cafe", "\"bar, cafe\""},
                                           {"the \"Eck\"", "\"the \"\"Eck\"\"\""},
                                           {"two\nlines", "\"two\nlines\""},
                                           {"caf\xc3\xa9", "caf\xc3\xa9"}};
    enum { COUNT = sizeof words / sizeof *words };
    sketch s = sketch_named("lone road");
    s.coords = SC_COORDS_NONE;
    sc_builder *builder = sketch_builder(&s);
    char wanted[512] = "poi,edge,offset_m,category,lon,lat,name\n";
    for (int i = 0; i < COUNT; i++) {
        const size_t used = strlen(wanted);
        put_object(builder, 0, i / 10.0, words[i][0], words[COUNT - 1 - i][0]);
        snprintf(wanted + used, sizeof wanted - used, "%d,0,%d.0000,%s,,,%s\n", i, i, words[i][1],
                 words[COUNT - 1 - i][1]);
    }
    sc_map *map = finish_builder(builder);
    exported e = export_map(map);
    assert_string_equal(e.pois, wanted);
    exported_free(&e);
    sc_map_free(map);
    sketch_free(&s);
}

// --- All or nothing ------------------------------------------------------------------

static void test_exporting_again_replaces_the_files_and_old_objects_go(void **state)
{
    (void)state;
    place p = place_new();
    sc_diag diag = {""};
    sc_map *with = full_map(SC_COORDS_PLANAR);
    sketch s = sketch_named("theta");
    sc_map *without = sketch_map(&s);
    CHECK_OK(sc_map_export_csv(with, p.path, &diag), &diag);
    assert_int_equal(count_entries(p.path), 5);
    CHECK_OK(sc_map_export_csv(without, p.path, &diag), &diag);
    // Objects of the other map would be taken for this one's.
    assert_int_equal(count_entries(p.path), 4);
    sc_map_free(with);
    sc_map_free(without);
    sketch_free(&s);
    place_free(&p);
}

static void test_where_one_file_cannot_be_written_none_is(void **state)
{
    (void)state;
    static const char *const names[] = {"nodes.csv", "edges.csv", "segments.csv", "stars.csv",
                                        "pois.csv"};
    sc_map *map = full_map(SC_COORDS_PLANAR);
    for (int blocked = 0; blocked < 5; blocked++) {
        place p = place_new();
        sc_diag diag = {""};
        for (int i = 0; i < 5; i++) {
            if (i == blocked) {
                assert_int_equal(mkdir(place_path(&p, names[i]), 0700), 0);
            } else {
                place_write(&p, names[i], "old", 3);
            }
        }
        CHECK_REFUSED(sc_map_export_csv(map, p.path, &diag), SC_EIO, &diag, names[blocked]);
        // The old files are there, untouched, and nothing else is.
        assert_int_equal(count_entries(p.path), 5);
        for (int i = 0; i < 5; i++) {
            if (i == blocked) continue;
            size_t size = 0;
            char *text = read_whole(place_path(&p, names[i]), &size);
            assert_string_equal(text, "old");
            free(text);
        }
        place_free(&p);
    }
    sc_map_free(map);
}

static void test_a_directory_made_in_vain_is_removed_again(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_map_export_csv(map, place_path(&p, "a/b"), &diag), SC_EIO, &diag,
                  "cannot create this directory");
    const char *file = place_write(&p, "file", "x", 1);
    CHECK_REFUSED(sc_map_export_csv(map, file, &diag), SC_EIO, &diag, "Not a directory");
    assert_int_equal(count_entries(p.path), 1);
    sc_map_free(map);
    place_free(&p);
}

// --- GeoJSON -----------------------------------------------------------------------

// A tiny reader of JSON: walks one value and fails where it is none. It counts
// the strings that are equal to `word`, to see how often a thing is there.
typedef struct json_walk {
    const char *at;
    const char *word;
    int found;
} json_walk;

static void skip_blanks(json_walk *w)
{
    w->at += strspn(w->at, " \t\r\n");
}

static void walk_string(json_walk *w)
{
    assert_int_equal(*w->at, '"');
    const char *start = ++w->at;
    for (; *w->at != '"'; w->at++) {
        assert_true((unsigned char)*w->at >= 0x20);
        if (*w->at != '\\') continue;
        w->at++;
        assert_non_null(strchr("\"\\/bfnrtu", *w->at));
        if (*w->at == 'u') {
            assert_int_equal(strspn(w->at + 1, "0123456789abcdefABCDEF") >= 4, 1);
            w->at += 4;
        }
    }
    const size_t size = (size_t)(w->at++ - start);
    w->found += size == strlen(w->word) && memcmp(start, w->word, size) == 0;
}

static void walk_value(json_walk *w, int depth)
{
    assert_true(depth < 20);
    skip_blanks(w);
    const char open = *w->at;
    if (open == '"') {
        walk_string(w);
    } else if (open == '{' || open == '[') {
        const char close = open == '{' ? '}' : ']';
        w->at++;
        skip_blanks(w);
        while (*w->at != close) {
            if (open == '{') {
                walk_string(w);
                skip_blanks(w);
                assert_int_equal(*w->at++, ':');
            }
            walk_value(w, depth + 1);
            skip_blanks(w);
            assert_true(*w->at == close || *w->at == ',');
            if (*w->at == ',') {
                w->at++;
                skip_blanks(w);
                assert_true(*w->at != close);
            }
        }
        w->at++;
    } else if (strncmp(w->at, "null", 4) == 0) {
        w->at += 4;
    } else {
        char *end = NULL;
        (void)strtod(w->at, &end);
        assert_true(end > w->at && strspn(w->at, "-0123456789.eE+") == (size_t)(end - w->at));
        w->at = end;
    }
    skip_blanks(w);
}

// How often a string of exactly that text is in the JSON text, which is whole.
static int count_strings(const char *json, const char *word)
{
    json_walk w = {json, word, 0};
    walk_value(&w, 0);
    assert_int_equal(*w.at, '\0');
    return w.found;
}

static char *geojson_of(const sc_map *map)
{
    place p = place_new();
    size_t size = 0;
    sc_diag diag = {""};
    const char *path = place_path(&p, "map.json");
    CHECK_OK(sc_map_export_geojson(map, path, &diag), &diag);
    assert_int_equal(count_entries(p.path), 1);
    char *text = read_whole(path, &size);
    assert_int_equal(strlen(text), size);
    place_free(&p);
    return text;
}

static void test_geojson_is_json_with_a_line_per_segment_and_a_point_per_object(void **state)
{
    (void)state;
    for (int coords = SC_COORDS_GEOGRAPHIC; coords <= SC_COORDS_PLANAR; coords++) {
        sc_map *map = full_map((sc_coords)coords);
        char *text = geojson_of(map);
        assert_int_equal(count_strings(text, "FeatureCollection"), 1);
        assert_int_equal(count_strings(text, "LineString"), (int)sc_map_segment_count(map));
        assert_int_equal(count_strings(text, "Point"), (int)sc_map_object_count(map));
        assert_int_equal(count_strings(text, "planar"), coords == SC_COORDS_PLANAR);
        assert_int_equal(count_strings(text, "Zum \\\"Eck\\\", innen"), 1);
        free(text);
        sc_map_free(map);
    }
}

static void test_geojson_tells_directions_times_and_names(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B--C\n   |\n   D\n", "");
    sc_builder *builder = sketch_builder(&s);
    CHECK_OK(sc_builder_set_edge_times(builder, 0, 1.5, SC_CLOSED_S), NULL);
    CHECK_OK(sc_builder_set_edge_times(builder, 1, 2.5, 3.25), NULL);
    CHECK_OK(sc_builder_set_edge_name(builder, 1, "Am \"Eck\"", 8), NULL);
    sc_map *map = finish_builder(builder);
    char *text = geojson_of(map);
    const bool along =
        strstr(text, "\"forward_s\":1.500,\"backward_s\":null,\"name\":\"\"") != NULL;
    const bool against =
        strstr(text, "\"forward_s\":null,\"backward_s\":1.500,\"name\":\"\"") != NULL;
    assert_true(along || against);
    CHECK_CONTAINS(text, "\"name\":\"Am \\\"Eck\\\"\"");
    CHECK_CONTAINS(text, "3.250");
    free(text);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_odd_maps_make_good_geojson(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        if (s.coords != SC_COORDS_NONE) {
            char *text = geojson_of(map);
            assert_int_equal(count_strings(text, "LineString"), (int)sc_map_segment_count(map));
            free(text);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static const char *after(const char *text, const char *part)
{
    const char *found = strstr(text, part);
    if (!found) fail_msg("no %s in %s", part, text);
    return found + strlen(part);
}

// Each position in the text is the node's own, as exact as the map has it.
static void test_geojson_keeps_positions_as_exact_as_the_map_does(void **state)
{
    (void)state;
    static const struct {
        sc_coords coords;
        double x, y;
    } ends[] = {{SC_COORDS_GEOGRAPHIC, 8.6820917, 49.4093582},
                {SC_COORDS_PLANAR, 731235.2, 3737245.0},
                {SC_COORDS_PLANAR, 0.000123, 0.000456}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        check_case(i);
        sketch s = sketch_new(ends[i].coords);
        sketch_add_node(&s, ends[i].x, ends[i].y);
        sketch_add_node(&s, ends[i].x * 2, ends[i].y);
        sketch_add_edge(&s, 0, 1, 0.000789);
        s.unit_unknown = ends[i].x < 1.0;
        sc_map *map = sketch_map(&s);
        char *text = geojson_of(map);
        double position[2];
        double length = 0;
        read_numbers(after(text, "\"coordinates\":[["), position, 2);
        read_numbers(after(text, "\"length_m\":"), &length, 1);
        CHECK_CLOSE(position[0], ends[i].x, 1e-8 + 1e-9 * ends[i].x);
        CHECK_CLOSE(position[1], ends[i].y, 1e-8 + 1e-9 * ends[i].y);
        CHECK_CLOSE(length, sc_map_segment_length_m(map, 0), 1e-9);
        free(text);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_a_map_without_coordinates_has_no_geojson(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_NONE);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_map_export_geojson(map, place_path(&p, "g.json"), &diag), SC_ENOCOORDS, &diag,
                  "no coordinates");
    assert_int_equal(count_entries(p.path), 0);
    CHECK_OK(sc_map_export_csv(map, p.path, &diag), &diag);
    sc_map_free(map);
    place_free(&p);
}

static void test_geojson_that_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_map_export_geojson(map, place_path(&p, "no/g.json"), &diag), SC_EIO, &diag,
                  "its directory does not exist");
    CHECK_REFUSED(sc_map_export_geojson(map, p.path, &diag), SC_EIO, &diag, "is a directory");
    assert_int_equal(count_entries(p.path), 0);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_columns_are_those_that_others_read),
    SC_CASES(test_what_is_exported_is_the_map_number_by_number),
    cmocka_unit_test(test_objects_are_exported_with_their_offset_position_and_category),
    cmocka_unit_test(test_categories_and_names_are_quoted_where_they_must_be),
    cmocka_unit_test(test_exporting_again_replaces_the_files_and_old_objects_go),
    cmocka_unit_test(test_where_one_file_cannot_be_written_none_is),
    cmocka_unit_test(test_a_directory_made_in_vain_is_removed_again),
    cmocka_unit_test(test_geojson_is_json_with_a_line_per_segment_and_a_point_per_object),
    cmocka_unit_test(test_geojson_tells_directions_times_and_names),
    SC_CASES(test_odd_maps_make_good_geojson),
    SC_CASES(test_geojson_keeps_positions_as_exact_as_the_map_does),
    cmocka_unit_test(test_a_map_without_coordinates_has_no_geojson),
    cmocka_unit_test(test_geojson_that_cannot_be_written_leaves_nothing),
};
SC_SUITE(tests)
