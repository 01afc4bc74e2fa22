// GeoJSON there and back: on one map, relays come back as they were, and replies with the same
// lists and every object where it was. What geometry cannot tell apart is refused.
#include "support/check.h"
#include "support/messages.h"

#include "map/geo.h"

#include <math.h>

enum { CASES = 2000 };

static bool is_on_globe(const exchange *x)
{
    return sc_map_coords(x->map) == SC_COORDS_GEOGRAPHIC;
}

// Near a pole metres per degree change from one end of a road to the other, and "nearest" with
// them.
static bool is_polar(const sc_map *map)
{
    double lon = 0.0;
    double lat = 0.0;
    sc_map_node_position(map, 0, &lon, &lat);
    return fabs(lat) > 85.0;
}

static sc_err read_relay_back(const exchange *x, sc_relay **out, sc_diag *diag)
{
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_bytes bytes = {0};
    CHECK_OK(sc_relay_encode(&(sc_codec){.map = x->map,
                                         .vocabulary = &x->vocabulary,
                                         .encoding = SC_ENCODING_GEOJSON},
                             x->relay, &bytes, diag),
             diag);
    const sc_err err = sc_relay_decode(&(sc_codec){.map = x->map,
                                                   .vocabulary = &x->vocabulary,
                                                   .encoding = SC_ENCODING_GEOJSON,
                                                   .limits = &limits},
                                       bytes.data, bytes.size, out, diag);
    sc_bytes_fini(&bytes);
    return err;
}

/**
 * False if an object is on roads that are drawn alike, as odd maps have them: that cannot be read
 * back (test_geojson_twins.c), and nothing else may fail.
 */
static bool read_reply_back(const exchange *x, const sc_relay *asked, sc_reply *out)
{
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_bytes bytes = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_reply_encode(&(sc_codec){.map = x->map,
                                         .vocabulary = &x->vocabulary,
                                         .encoding = SC_ENCODING_GEOJSON},
                             asked, &x->reply, &bytes, &diag),
             &diag);
    const sc_err err = sc_reply_decode(&(sc_codec){.map = x->map,
                                                   .vocabulary = &x->vocabulary,
                                                   .encoding = SC_ENCODING_GEOJSON,
                                                   .limits = &limits},
                                       x->relay, bytes.data, bytes.size, out, &diag);
    sc_bytes_fini(&bytes);
    if (err == SC_EREPLY && strstr(diag.message, "with the same geometry")) return false;
    CHECK_OK(err, &diag);
    return true;
}

// --- Relays -------------------------------------------------------------------------

// How far a point is from an edge, in metres; the map is flat enough there.
static double distance_to_edge_m(const sc_map *map, sc_edge_id edge, double lon, double lat)
{
    const sc_scale step = sc_geo_scale_at(lat);
    const double per_lon = step.x * SC_GRID_PER_DEGREE;
    const double per_lat = step.y * SC_GRID_PER_DEGREE;
    double ax = 0.0;
    double ay = 0.0;
    double bx = 0.0;
    double by = 0.0;
    sc_map_node_position(map, sc_map_edges(map)[edge].from, &ax, &ay);
    sc_map_node_position(map, sc_map_edges(map)[edge].to, &bx, &by);
    const double dx = (bx - ax) * per_lon;
    const double dy = (by - ay) * per_lat;
    const double px = (lon - ax) * per_lon;
    const double py = (lat - ay) * per_lat;
    const double square = dx * dx + dy * dy;
    const double part = square > 0.0 ? fmin(fmax((px * dx + py * dy) / square, 0.0), 1.0) : 0.0;
    return hypot(px - part * dx, py - part * dy);
}

// Whether another road lies on top of the middle of an edge, or the edge has no extent.
static bool is_covered(const sc_map *map, sc_edge_id edge)
{
    const sc_edge *edges = sc_map_edges(map);
    double ax = 0.0;
    double ay = 0.0;
    double bx = 0.0;
    double by = 0.0;
    sc_map_node_position(map, edges[edge].from, &ax, &ay);
    sc_map_node_position(map, edges[edge].to, &bx, &by);
    if (ax == bx && ay == by) return true;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        if (edges[e].segment == edges[edge].segment) continue;
        if (distance_to_edge_m(map, e, (ax + bx) / 2, (ay + by) / 2) < 0.001) return true;
    }
    return false;
}

static bool is_covered_anywhere(const exchange *x)
{
    for (size_t i = 0; i < x->relay->segment_count; i++) {
        const sc_segment *segment = &sc_map_segments(x->map)[x->relay->segments[i]];
        for (sc_edge_id e = segment->first_edge; e < segment[1].first_edge; e++) {
            if (is_covered(x->map, e)) return true;
        }
    }
    return false;
}

static void test_a_relay_is_found_again_on_the_roads_it_came_from(void **state)
{
    (void)state;
    unsigned found = 0;
    unsigned unclear = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, false);
        sc_relay *relay = NULL;
        sc_diag diag = {""};
        if (is_on_globe(&x)) {
            // Odd maps have roads and crossings on top of each other, which geometry cannot tell
            // apart.
            const bool is_clear = !is_covered_anywhere(&x);
            const sc_err err = read_relay_back(&x, &relay, &diag);
            if (is_clear && !err) {
                check_same_relay(relay, x.relay);
                assert_int_equal(relay->border_place_count, x.relay->border_node_count);
                for (size_t i = 0; i < relay->border_place_count; i++) {
                    assert_int_equal(relay->border_places[i], i);
                }
                found++;
            } else if (is_clear) {
                CHECK_REFUSED(err, SC_EUNKNOWN, &diag, "fits two crossings");
            } else if (err) {
                assert_int_equal(err, SC_EUNKNOWN);
                unclear++;
            }
        }
        sc_relay_free(relay);
        exchange_free(&x);
    }
    check_case_done();
    assert_true(found > 200);
    assert_true(unclear > 50);
}

// --- Replies ------------------------------------------------------------------------

// What rounding an offset to units moves on the ground: all of an edge without length.
static double place_tolerance_m(const sc_map *map, sc_edge_id edge)
{
    const sc_edge *e = &sc_map_edges(map)[edge];
    double ax = 0.0;
    double ay = 0.0;
    double bx = 0.0;
    double by = 0.0;
    sc_map_node_position(map, e->from, &ax, &ay);
    sc_map_node_position(map, e->to, &bx, &by);
    const double drawn_m = sc_geo_distance_m(ax, ay, bx, by);
    return 0.001 + (e->length > 0 ? drawn_m / e->length : drawn_m);
}

static void check_place(const sc_map *map, const sc_object *got, const sc_object *wanted)
{
    const double unit_m = sc_map_unit_m(map);
    double ax = 0.0;
    double ay = 0.0;
    double bx = 0.0;
    double by = 0.0;
    sc_map_edge_position(map, got->edge, got->offset * unit_m, &ax, &ay);
    sc_map_edge_position(map, wanted->edge, wanted->offset * unit_m, &bx, &by);
    assert_true(got->offset <= sc_map_edges(map)[got->edge].length);
    CHECK_CLOSE(sc_geo_distance_m(ax, ay, bx, by), 0.0, place_tolerance_m(map, got->edge));
}

static bool has_segment(const sc_relay *relay, sc_seg_id segment)
{
    for (size_t i = 0; i < relay->segment_count; i++) {
        if (relay->segments[i] == segment) return true;
    }
    return false;
}

static void check_places(const exchange *x, const sc_reply *got)
{
    for (size_t r = 0; r < got->request_count; r++) {
        uint32_t object = SC_NONE;
        for (size_t i = 0; (object = exchange_on_segments(got, r, i)) != SC_NONE; i++) {
            const uint32_t wanted = exchange_on_segments(&x->reply, r, i);
            const sc_object *at = &got->table.objects[object];
            assert_true(has_segment(x->relay, sc_map_edges(x->map)[at->edge].segment));
            check_place(x->map, at, &x->reply.table.objects[wanted]);
        }
    }
    const uint32_t nears = got->near_start[got->request_count * got->border_node_count];
    for (uint32_t i = 0; i < nears; i++) {
        check_place(x->map, &got->table.objects[got->nears[i].object],
                    &x->reply.table.objects[x->reply.nears[i].object]);
    }
}

static void check_replies(bool own_objects)
{
    sc_reply reply;
    sc_reply_init(&reply);
    unsigned tried = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, own_objects);
        if (is_on_globe(&x) && !is_polar(x.map) && read_reply_back(&x, x.relay, &reply)) {
            check_same_lists(&reply, &x.reply, 1e-6);
            check_places(&x, &reply);
            assert_non_null(reply.table.keys);
            tried++;
        }
        exchange_free(&x);
    }
    check_case_done();
    sc_reply_fini(&reply);
    assert_true(tried > 200);
}

static void test_a_reply_about_objects_of_a_map_is_read_as_it_was_written(void **state)
{
    (void)state;
    check_replies(false);
}

static void test_a_reply_about_own_objects_is_read_as_it_was_written(void **state)
{
    (void)state;
    check_replies(true);
}

static void test_a_provider_answers_by_the_names_that_border_nodes_came_with(void **state)
{
    (void)state;
    // The provider's map orders nodes in another way than the asking side's: the names b0, b1, ...
    // mean places 2, 3, ..., 0, 1 of the provider's order.
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 5, 5);
    exchange x = exchange_on(sketch_map(&s), 4, true);
    sketch_free(&s);
    assert_true(x.relay->border_node_count >= 3);
    const size_t count = x.relay->border_node_count;
    uint32_t *places = test_take(count, sizeof *places);
    for (size_t i = 0; i < count; i++) {
        places[i] = (uint32_t)((i + 2) % count);
    }
    sc_relay as_it_came = *x.relay;
    as_it_came.border_places = places;
    as_it_came.border_place_count = count;
    sc_reply reply;
    sc_reply_init(&reply);
    assert_true(read_reply_back(&x, &as_it_came, &reply));
    for (size_t r = 0; r < reply.request_count; r++) {
        for (size_t b = 0; b < count; b++) {
            const uint32_t got = reply.near_start[r * count + b];
            const uint32_t wanted = x.reply.near_start[r * count + places[b]];
            const uint32_t size = reply.near_start[r * count + b + 1] - got;
            assert_int_equal(size, x.reply.near_start[r * count + places[b] + 1] - wanted);
            for (uint32_t i = 0; i < size; i++) {
                assert_string_equal(exchange_key(&reply.table, reply.nears[got + i].object),
                                    exchange_key(&x.reply.table, x.reply.nears[wanted + i].object));
                CHECK_CLOSE(reply.nears[got + i].distance_m, x.reply.nears[wanted + i].distance_m,
                            1e-6 * x.reply.nears[wanted + i].distance_m);
            }
        }
    }
    // The side that has the relay with its names reads the reply in its own order again.
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_bytes bytes = {0};
    CHECK_OK(
        sc_reply_encode(
            &(sc_codec){.map = x.map, .vocabulary = &x.vocabulary, .encoding = SC_ENCODING_GEOJSON},
            &as_it_came, &x.reply, &bytes, NULL),
        NULL);
    CHECK_OK(sc_reply_decode(&(sc_codec){.map = x.map,
                                         .vocabulary = &x.vocabulary,
                                         .encoding = SC_ENCODING_GEOJSON,
                                         .limits = &limits},
                             &as_it_came, bytes.data, bytes.size, &reply, NULL),
             NULL);
    check_same_lists(&reply, &x.reply, 1e-6);
    sc_bytes_fini(&bytes);
    sc_reply_fini(&reply);
    free(places);
    exchange_free(&x);
}

static void test_a_map_without_degrees_is_refused(void **state)
{
    (void)state;
    const sc_coords coords[] = {SC_COORDS_NONE, SC_COORDS_PLANAR};
    const sc_codec_limits limits = sc_codec_limits_default();
    for (size_t i = 0; i < 2; i++) {
        exchange x = exchange_on(full_map(coords[i]), 1, false);
        sc_bytes bytes = {0};
        sc_relay *relay = NULL;
        sc_reply reply;
        sc_reply_init(&reply);
        sc_diag diag = {""};
        CHECK_REFUSED(sc_relay_encode(&(sc_codec){.map = x.map,
                                                  .vocabulary = &x.vocabulary,
                                                  .encoding = SC_ENCODING_GEOJSON},
                                      x.relay, &bytes, &diag),
                      SC_ENOCOORDS, &diag, "use the compact encoding");
        CHECK_REFUSED(sc_relay_decode(&(sc_codec){.map = x.map,
                                                  .vocabulary = &x.vocabulary,
                                                  .encoding = SC_ENCODING_GEOJSON,
                                                  .limits = &limits},
                                      "{}", 2, &relay, &diag),
                      SC_ENOCOORDS, &diag, "degrees");
        CHECK_REFUSED(sc_reply_encode(&(sc_codec){.map = x.map,
                                                  .vocabulary = &x.vocabulary,
                                                  .encoding = SC_ENCODING_GEOJSON},
                                      x.relay, &x.reply, &bytes, &diag),
                      SC_ENOCOORDS, &diag, "degrees");
        CHECK_REFUSED(sc_reply_decode(&(sc_codec){.map = x.map,
                                                  .vocabulary = &x.vocabulary,
                                                  .encoding = SC_ENCODING_GEOJSON,
                                                  .limits = &limits},
                                      x.relay, "{}", 2, &reply, &diag),
                      SC_ENOCOORDS, &diag, "degrees");
        sc_reply_fini(&reply);
        exchange_free(&x);
    }
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_a_relay_is_found_again_on_the_roads_it_came_from),
    SC_CASES(test_a_reply_about_objects_of_a_map_is_read_as_it_was_written),
    SC_CASES(test_a_reply_about_own_objects_is_read_as_it_was_written),
    cmocka_unit_test(test_a_provider_answers_by_the_names_that_border_nodes_came_with),
    cmocka_unit_test(test_a_map_without_degrees_is_refused),
};
SC_SUITE(tests)
