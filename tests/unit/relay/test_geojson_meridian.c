// Relays as GeoJSON on a map whose roads cross the 180th meridian: lines are cut there, and read
// again as the roads they were.
#include <starcloak/relay_codec.h>

#include "base/rng.h"
#include "map/geo.h"
#include "relay/geojson_match.h"
#include "support/check.h"
#include "support/sketch.h"
#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {"cafe"};
static const sc_vocabulary vocabulary = {words, 1};
static const sc_request request = {.k = 1};

static sc_relay relay_of(const sc_map *map, const sc_seg_id *segments, size_t count)
{
    return (sc_relay){.map_checksum = sc_map_checksum(map),
                      .segments = segments,
                      .segment_count = count,
                      .requests = &request,
                      .request_count = 1};
}

static sc_bytes written(const sc_map *map, const sc_relay *relay)
{
    sc_bytes bytes = {0};
    sc_diag diag = {""};
    CHECK_OK(
        sc_relay_encode(
            &(sc_codec){.map = map, .vocabulary = &vocabulary, .encoding = SC_ENCODING_GEOJSON},
            relay, &bytes, &diag),
        &diag);
    return bytes;
}

static sc_err read_back(const sc_map *map, const void *text, size_t size, sc_relay **out,
                        sc_diag *diag)
{
    const sc_codec_limits limits = sc_codec_limits_default();
    return sc_relay_decode(&(sc_codec){.map = map,
                                       .vocabulary = &vocabulary,
                                       .encoding = SC_ENCODING_GEOJSON,
                                       .limits = &limits},
                           text, size, out, diag);
}

/** A grid around the meridian; with five columns, nodes lie upon it, with four, roads cross it. */
static sc_map *grid_of(uint32_t columns)
{
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, columns, 3);
    sketch_move_to_meridian(&s);
    // A road of three pieces: one node more on either side.
    const uint32_t a = sketch_add_node(&s, 179.9995, s.y[0] - 0.001);
    const uint32_t b = sketch_add_node(&s, -179.9995, s.y[0] - 0.0012);
    sketch_add_edge(&s, 0, a, SC_LENGTH_FROM_NODES);
    sketch_add_edge(&s, a, b, SC_LENGTH_FROM_NODES);
    sketch_add_edge(&s, b, columns - 1, SC_LENGTH_FROM_NODES);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static void test_every_road_comes_back_alone(void **state)
{
    (void)state;
    for (uint32_t columns = 4; columns <= 5; columns++) {
        sc_map *map = grid_of(columns);
        uint32_t cut = 0;
        for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
            const sc_relay relay = relay_of(map, &s, 1);
            sc_bytes bytes = written(map, &relay);
            cut += memmem(bytes.data, bytes.size, "MultiLineString", 15) != NULL;
            sc_relay *found = NULL;
            sc_diag diag = {""};
            CHECK_OK(read_back(map, bytes.data, bytes.size, &found, &diag), &diag);
            assert_int_equal(found->segment_count, 1);
            assert_int_equal(found->segments[0], s);
            sc_relay_free(found);
            sc_bytes_fini(&bytes);
        }
        // Three streets across and the road below, or that road alone.
        assert_int_equal(cut, columns == 4 ? 4 : 1);
        sc_map_free(map);
    }
}

// No line seems to run round the globe, and each position is one of RFC 7946.
static void test_no_piece_crosses_the_meridian(void **state)
{
    (void)state;
    sc_map *map = grid_of(4);
    const sc_seg_id count = sc_map_segment_count(map);
    sc_seg_id *all = test_take(count, sizeof *all);
    for (sc_seg_id s = 0; s < count; s++) {
        all[s] = s;
    }
    const sc_relay relay = relay_of(map, all, count);
    sc_bytes bytes = written(map, &relay);
    json_t *message = json_loadb((const char *)bytes.data, bytes.size, 0, NULL);
    assert_non_null(message);
    size_t i = 0;
    json_t *feature = NULL;
    json_array_foreach(json_object_get(message, "features"), i, feature)
    {
        json_t *geometry = json_object_get(feature, "geometry");
        const bool is_cut =
            strcmp(json_string_value(json_object_get(geometry, "type")), "MultiLineString") == 0;
        json_t *coordinates = json_object_get(geometry, "coordinates");
        for (size_t k = 0; k < (is_cut ? json_array_size(coordinates) : 1); k++) {
            const json_t *line = is_cut ? json_array_get(coordinates, k) : coordinates;
            double before = json_number_value(json_array_get(json_array_get(line, 0), 0));
            for (size_t p = 0; p < json_array_size(line); p++) {
                const double lon = json_number_value(json_array_get(json_array_get(line, p), 0));
                assert_true(fabs(lon) <= 180.0 && fabs(lon - before) < 1.0);
                before = lon;
            }
        }
    }
    json_decref(message);
    sc_bytes_fini(&bytes);
    free(all);
    sc_map_free(map);
}

#define BEGIN                                                                          \
    "{\"type\":\"FeatureCollection\",\"starcloak\":2,\"requests\":[{\"type\":\"knn\"," \
    "\"k\":1}],\"features\":[{\"type\":\"Feature\",\"id\":\"s0\",\"properties\":null," \
    "\"geometry\":{\"type\":\"MultiLineString\",\"coordinates\":"
#define END "}}]}"

static void test_lines_that_do_not_go_on_at_the_meridian_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *complaint;
    } cases[] = {
        {BEGIN "[[[179.9,1],[180,1]],[[-180,2],[-179.9,1]]]" END, "do not go on from each other"},
        {BEGIN "[[[179.9,1],[180,1]],[[180,1],[179.9,1]]]" END, "do not go on from each other"},
        {BEGIN "[[[7,1],[8,1]],[[8,1],[9,1]]]" END, "do not go on from each other"},
        {BEGIN "[[[179.9,1],[180,1]],[[-180,1]]]" END, "fewer than two positions"},
        {BEGIN "[[[179.9,1],[180.5,1]]]" END, "not on the globe"},
        {BEGIN "[]" END, "without positions"},
        {BEGIN "[7]" END, "fewer than two positions"},
        {BEGIN "null" END, "without positions"},
    };
    sc_map *map = grid_of(4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_relay *found = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(read_back(map, cases[i].text, strlen(cases[i].text), &found, &diag),
                      SC_EPARSE, &diag, cases[i].complaint);
    }
    sc_map_free(map);
}

// As a look at all edges of the map, which snapping is tested against.
static void test_objects_are_put_on_the_nearest_road_of_either_side(void **state)
{
    (void)state;
    sc_map *map = grid_of(4);
    const sc_seg_id count = sc_map_segment_count(map);
    sc_seg_id *all = test_take(count, sizeof *all);
    for (sc_seg_id s = 0; s < count; s++) {
        all[s] = s;
    }
    const sc_relay relay = relay_of(map, all, count);
    sc__geojson_nearby nearby;
    CHECK_OK(sc__geojson_nearby_init(&nearby, map, &relay), NULL);
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, 0, &x, &y);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (int i = 0; i < 500; i++) {
        check_case((uint64_t)i);
        const double lon = 180.0 + 0.004 * (sc_rng_unit(&rng) - 0.5);
        const sc__geojson_degrees at = {sc_geo_lon_wrapped(lon),
                                        y + 0.004 * (sc_rng_unit(&rng) - 0.5)};
        bool is_told = false;
        const sc_snap got = sc__geojson_nearby_snap(&nearby, at, &is_told);
        sc_snap wanted;
        CHECK_OK(sc_map_snap(map, at.lon, at.lat, 1e6, &wanted), NULL);
        CHECK_CLOSE(got.distance_m, wanted.distance_m, 1e-3);
        double ends[4];
        sc_map_edge_position(map, got.edge, got.offset_m, &ends[0], &ends[1]);
        sc_map_edge_position(map, wanted.edge, wanted.offset_m, &ends[2], &ends[3]);
        CHECK_CLOSE(sc_geo_distance_m(ends[0], ends[1], ends[2], ends[3]), 0.0, 0.01);
    }
    check_case_done();
    sc__geojson_nearby_fini(&nearby);
    free(all);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_road_comes_back_alone),
    cmocka_unit_test(test_no_piece_crosses_the_meridian),
    cmocka_unit_test(test_lines_that_do_not_go_on_at_the_meridian_are_refused),
    cmocka_unit_test(test_objects_are_put_on_the_nearest_road_of_either_side),
};
SC_SUITE(tests)
