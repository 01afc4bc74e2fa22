// Geometry of one map on the roads of another: found where both have the same roads, else refused.
#include <starcloak/relay_codec.h>

#include "map/geo.h"
#include "relay/geojson_match.h"
#include "support/check.h"
#include "support/sketch.h"

#include <math.h>

// === Geojson match ==============================================================================
// A relay of one map on the roads of another: found where both have the same roads, refused where
// it is not clear what is meant.

static const char *const words[] = {"cafe"};
static const sc_vocabulary vocabulary = {words, 1};
static const sc_request request = {.k = 1};

static double degrees_of(double metres)
{
    return metres / (sc_geo_scale_at(0.0).y * SC_GRID_PER_DEGREE);
}

static sc_relay relay_of(const sc_map *map, const sc_seg_id *segments, size_t segment_count,
                         const sc_node_id *border, size_t border_count)
{
    return (sc_relay){.map_checksum = sc_map_checksum(map),
                      .segments = segments,
                      .segment_count = segment_count,
                      .border_nodes = border,
                      .border_node_count = border_count,
                      .requests = &request,
                      .request_count = 1};
}

// Write `relay` on the roads of `from`, and read it on those of `to`.
static sc_err carry(const sc_map *from, const sc_relay *relay, const sc_map *to, sc_relay **out,
                    sc_diag *diag)
{
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_bytes bytes = {0};
    CHECK_OK(
        sc_relay_encode(
            &(sc_codec){.map = from, .vocabulary = &vocabulary, .encoding = SC_ENCODING_GEOJSON},
            relay, &bytes, diag),
        diag);
    const sc_err err = sc_relay_decode(&(sc_codec){.map = to,
                                                   .vocabulary = &vocabulary,
                                                   .encoding = SC_ENCODING_GEOJSON,
                                                   .limits = &limits},
                                       bytes.data, bytes.size, out, diag);
    sc_bytes_fini(&bytes);
    return err;
}

static double between_nodes_m(const sc_map *a, sc_node_id node, const sc_map *b, sc_node_id other)
{
    double ax = 0.0;
    double ay = 0.0;
    double bx = 0.0;
    double by = 0.0;
    sc_map_node_position(a, node, &ax, &ay);
    sc_map_node_position(b, other, &bx, &by);
    return sc_geo_distance_m(ax, ay, bx, by);
}

// The segment between two nodes of a map.
static sc_seg_id segment_between(const sc_map *map, sc_node_id a, sc_node_id b)
{
    const sc_segment *segments = sc_map_segments(map);
    const sc_edge *edges = sc_map_edges(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_node_id from = edges[segments[s].first_edge].from;
        const sc_node_id to = edges[segments[s + 1].first_edge - 1].to;
        if ((from == a && to == b) || (from == b && to == a)) return s;
    }
    fail_msg("no segment between %u and %u", a, b);
    return SC_NONE;
}

// --- The same roads ------------------------------------------------------------------

// The nodes of a grid, and the grid of another mapmaker: a few metres off, numbered from the other
// end, and with a point more in the middle of each road.
static sketch other_grid(const sketch *s, double off_m)
{
    sketch other = sketch_new(SC_COORDS_GEOGRAPHIC);
    for (uint32_t v = s->node_count; v-- > 0;) {
        sketch_add_node(&other, s->x[v] + degrees_of(off_m), s->y[v] - degrees_of(off_m));
    }
    for (uint32_t e = s->edge_count; e-- > 0;) {
        const uint32_t from = s->node_count - 1 - s->edges[e].to;
        const uint32_t to = s->node_count - 1 - s->edges[e].from;
        const uint32_t middle = sketch_add_node(&other, (other.x[from] + other.x[to]) / 2,
                                                (other.y[from] + other.y[to]) / 2);
        sketch_add_edge(&other, from, middle, 50.0);
        sketch_add_edge(&other, middle, to, 50.0);
    }
    return other;
}

static void test_a_relay_is_found_on_a_map_of_the_same_roads(void **state)
{
    (void)state;
    // 4 x 4 crossings; the roads around the middle square, and what leaves it.
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 4, 4);
    sketch t = other_grid(&s, 2.0);
    sc_map *mine = sketch_map(&s);
    sc_map *theirs = sketch_map(&t);
    const sc_node_id border[] = {5, 6, 9, 10};
    sc_seg_id segments[] = {segment_between(mine, 5, 6), segment_between(mine, 9, 10),
                            segment_between(mine, 5, 9), segment_between(mine, 6, 10)};
    for (int i = 0; i < 4; i++) {
        for (int k = i; k > 0 && segments[k - 1] > segments[k]; k--) {
            const sc_seg_id swap = segments[k];
            segments[k] = segments[k - 1];
            segments[k - 1] = swap;
        }
    }
    const sc_relay relay = relay_of(mine, segments, 4, border, 4);
    sc_relay *found = NULL;
    sc_diag diag = {""};
    CHECK_OK(carry(mine, &relay, theirs, &found, &diag), &diag);

    assert_int_equal(found->map_checksum, sc_map_checksum(theirs));
    assert_int_equal(found->segment_count, 4);
    assert_int_equal(found->border_node_count, 4);
    assert_int_equal(found->border_place_count, 4);
    for (size_t i = 0; i < 4; i++) {
        // Their order is the other way round, and the names know it.
        assert_int_equal(found->border_places[i], 3 - i);
        const sc_node_id node = found->border_nodes[found->border_places[i]];
        CHECK_CLOSE(between_nodes_m(mine, border[i], theirs, node), 0.0, 4.0);
        assert_true(i == 0 || found->border_nodes[i] > found->border_nodes[i - 1]);
        assert_true(i == 0 || found->segments[i] > found->segments[i - 1]);
        const sc_segment *segment = &sc_map_segments(theirs)[found->segments[i]];
        for (int end = 0; end < 2; end++) {
            const sc_star_id star = end ? segment->star_b : segment->star_a;
            const sc_node_id at = sc_map_stars(theirs)[star].node;
            assert_true(at == 5 || at == 6 || at == 9 || at == 10);
        }
    }
    sc_relay_free(found);
    sc_map_free(mine);
    sc_map_free(theirs);
    sketch_free(&s);
    sketch_free(&t);
}

static void test_a_map_too_far_off_is_another(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 3, 3);
    sketch t = other_grid(&s, 8.0);
    sc_map *mine = sketch_map(&s);
    sc_map *theirs = sketch_map(&t);
    const sc_seg_id segment = segment_between(mine, 1, 4);
    const sc_relay relay = relay_of(mine, &segment, 1, NULL, 0);
    sc_relay *found = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(carry(mine, &relay, theirs, &found, &diag), SC_EUNKNOWN, &diag,
                  "line 0 leaves the roads of this map");
    sc_map_free(mine);
    sc_map_free(theirs);
    sketch_free(&s);
    sketch_free(&t);
}

// --- Roads that are cut in another way --------------------------------------------------

//     A---B---C---D        E hangs on the road from B to C; only one of the maps has it
//     |   |   |   |
//     F---G---H---I
static sc_map *street(bool with_side_street)
{
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 4, 2);
    if (with_side_street) {
        // The road from 1 to 2 becomes two, which meet at a new crossing.
        const uint32_t middle = sketch_add_node(&s, (s.x[1] + s.x[2]) / 2, s.y[1]);
        const uint32_t end = sketch_add_node(&s, s.x[middle], s.y[1] - degrees_of(50.0));
        for (uint32_t e = 0; e < s.edge_count; e++) {
            if (s.edges[e].from == 1 && s.edges[e].to == 2) {
                s.edges[e].to = middle;
                s.edges[e].length = 50.0;
            }
        }
        sketch_add_edge(&s, middle, 2, 50.0);
        sketch_add_edge(&s, middle, end, 50.0);
    }
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static void test_a_line_may_be_two_roads_of_this_map(void **state)
{
    (void)state;
    sc_map *mine = street(false);
    sc_map *theirs = street(true);
    const sc_seg_id segment = segment_between(mine, 1, 2);
    const sc_node_id border[] = {1, 2};
    const sc_relay relay = relay_of(mine, &segment, 1, border, 2);
    sc_relay *found = NULL;
    sc_diag diag = {""};
    CHECK_OK(carry(mine, &relay, theirs, &found, &diag), &diag);
    assert_int_equal(found->segment_count, 2);
    const sc_node_id middle = sc_map_node_count(theirs) - 2;
    const sc_seg_id a = segment_between(theirs, 1, middle);
    const sc_seg_id b = segment_between(theirs, middle, 2);
    assert_int_equal(found->segments[0], a < b ? a : b);
    assert_int_equal(found->segments[1], a < b ? b : a);
    sc_relay_free(found);
    sc_map_free(mine);
    sc_map_free(theirs);
}

static void test_a_line_along_a_part_of_a_road_is_refused(void **state)
{
    (void)state;
    sc_map *mine = street(true);
    sc_map *theirs = street(false);
    const sc_seg_id segment = segment_between(mine, 1, sc_map_node_count(mine) - 2);
    const sc_relay relay = relay_of(mine, &segment, 1, NULL, 0);
    sc_relay *found = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(carry(mine, &relay, theirs, &found, &diag), SC_EUNKNOWN, &diag,
                  "line 0 does not run along whole roads of this map");
    sc_map_free(mine);
    sc_map_free(theirs);
}

// --- Roads on top of each other -------------------------------------------------------------

static void test_a_bridge_is_not_the_road_below(void **state)
{
    (void)state;
    // Two roads cross in their middles without meeting; each end is a crossing.
    sketch s = sketch_draw(SC_COORDS_GEOGRAPHIC,
                           "A-B   C-D\n"
                           "  |   |\n"
                           "  E   F\n"
                           "\n"
                           "  G   H\n"
                           "  |   |\n"
                           "I-J   K-L\n",
                           "BK CJ");
    sc_map *map = sketch_map(&s);
    const struct {
        char from, to;
    } bridges[] = {{'B', 'K'}, {'C', 'J'}};
    for (size_t i = 0; i < 2; i++) {
        const sc_seg_id segment =
            segment_between(map, sketch_node(&s, bridges[i].from), sketch_node(&s, bridges[i].to));
        const sc_relay relay = relay_of(map, &segment, 1, NULL, 0);
        sc_relay *found = NULL;
        sc_diag diag = {""};
        CHECK_OK(carry(map, &relay, map, &found, &diag), &diag);
        assert_int_equal(found->segment_count, 1);
        assert_int_equal(found->segments[0], segment);
        sc_relay_free(found);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void test_one_of_two_roads_that_are_drawn_alike_cannot_be_told(void **state)
{
    (void)state;
    // B and C are joined by two roads that are drawn alike; C has a loop without extent, D two.
    sketch s = sketch_draw(SC_COORDS_GEOGRAPHIC, "A-B-C-D-E\n", "BC CC DD DD");
    sc_map *map = sketch_map(&s);
    sc_seg_id loops[4] = {0};
    size_t loop_count = 0;
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        const sc_segment *segment = &sc_map_segments(map)[i];
        if (segment->star_a != segment->star_b) continue;
        loops[loop_count++] = i;
    }
    assert_int_equal(loop_count, 3);
    unsigned found_loops = 0;
    for (size_t i = 0; i < loop_count; i++) {
        const sc_relay relay = relay_of(map, &loops[i], 1, NULL, 0);
        sc_relay *found = NULL;
        sc_diag diag = {""};
        const sc_star_id star = sc_map_segments(map)[loops[i]].star_a;
        if (sc_map_stars(map)[star].node == sketch_node(&s, 'C')) {
            CHECK_OK(carry(map, &relay, map, &found, &diag), &diag);
            assert_int_equal(found->segments[0], loops[i]);
            sc_relay_free(found);
            found_loops++;
        } else {
            CHECK_REFUSED(carry(map, &relay, map, &found, &diag), SC_EUNKNOWN, &diag,
                          "line 0 fits two roads of this map; use the compact encoding");
        }
    }
    assert_int_equal(found_loops, 1);
    const sc_seg_id twin = segment_between(map, sketch_node(&s, 'B'), sketch_node(&s, 'C'));
    const sc_relay relay = relay_of(map, &twin, 1, NULL, 0);
    sc_relay *found = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(carry(map, &relay, map, &found, &diag), SC_EUNKNOWN, &diag, "fits two roads");

    // All of them together can: it does not matter which line is which.
    sc_seg_id *all = test_take(sc_map_segment_count(map), sizeof *all);
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        all[i] = i;
    }
    const sc_relay whole = relay_of(map, all, sc_map_segment_count(map), NULL, 0);
    CHECK_OK(carry(map, &whole, map, &found, &diag), &diag);
    assert_int_equal(found->segment_count, whole.segment_count);
    assert_memory_equal(found->segments, all, whole.segment_count * sizeof *all);
    sc_relay_free(found);
    free(all);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_two_lines_are_not_one_road(void **state)
{
    (void)state;
    // My two carriageways, four metres apart, are one road there.
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 2, 3);
    sc_map *theirs = sketch_map(&s);
    const uint32_t a = sketch_add_node(&s, s.x[2], s.y[2] + degrees_of(4.0));
    const uint32_t b = sketch_add_node(&s, s.x[3], s.y[3] + degrees_of(4.0));
    sketch_add_edge(&s, a, b, 100.0);
    sketch_add_edge(&s, a, 2, 4.0);
    sketch_add_edge(&s, b, 3, 4.0);
    sc_map *mine = sketch_map(&s);
    sc_seg_id both[] = {0, 0};
    size_t count = 0;
    for (sc_seg_id i = 0; i < sc_map_segment_count(mine) && count < 2; i++) {
        const double length_m = sc_map_segment_length_m(mine, i);
        if (length_m > 99.0 && length_m < 110.0) both[count++] = i;
    }
    assert_int_equal(count, 2);
    const sc_relay relay = relay_of(mine, both, 2, NULL, 0);
    sc_relay *found = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(carry(mine, &relay, theirs, &found, &diag), SC_EUNKNOWN, &diag,
                  "two lines run along the same road");
    sc_map_free(mine);
    sc_map_free(theirs);
    sketch_free(&s);
}

// --- Crossings -------------------------------------------------------------------------------

static sc_err find_crossing(const sc_map *map, const sc_seg_id *segments, size_t count, double lon,
                            double lat, sc_node_id *node, sc_diag *diag)
{
    const sc__relay_codec codec = {map, &vocabulary, SC_ENCODING_GEOJSON, sc_codec_limits_default(),
                                   diag};
    const sc__geojson_degrees point = {lon, lat};
    return sc__geojson_find_crossings(&codec, segments, count, &point, 1, node);
}

static void test_a_point_is_the_crossing_of_a_road_that_was_sent(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 3, 3);
    sc_map *map = sketch_map(&s);
    const sc_seg_id segment = segment_between(map, 1, 4);
    sc_node_id node = SC_NONE;
    sc_diag diag = {""};
    CHECK_OK(find_crossing(map, &segment, 1, s.x[4], s.y[4] + degrees_of(4.9), &node, &diag),
             &diag);
    assert_int_equal(node, 4);
    CHECK_OK(find_crossing(map, &segment, 1, s.x[1], s.y[1], &node, &diag), &diag);
    assert_int_equal(node, 1);
    CHECK_REFUSED(find_crossing(map, &segment, 1, s.x[4], s.y[4] + degrees_of(5.1), &node, &diag),
                  SC_EUNKNOWN, &diag, "point 0 is not at a crossing of the roads that were sent");
    CHECK_REFUSED(find_crossing(map, &segment, 1, s.x[5], s.y[5], &node, &diag), SC_EUNKNOWN, &diag,
                  "point 0 is not at a crossing");
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_point_between_two_crossings_cannot_be_told(void **state)
{
    (void)state;
    // B and C are crossings four metres apart.
    sketch s = sketch_draw(SC_COORDS_GEOGRAPHIC,
                           "A-B-C-D\n"
                           "  | |\n"
                           "  E F\n",
                           "");
    const uint32_t b = sketch_node(&s, 'B');
    const uint32_t c = sketch_node(&s, 'C');
    s.x[c] = s.x[b];
    s.y[c] = s.y[b] + degrees_of(4.0);
    sc_map *map = sketch_map(&s);
    const sc_seg_id segment = segment_between(map, b, c);
    double lon = 0.0;
    double south = 0.0;
    double north = 0.0;
    sc_map_node_position(map, b, &lon, &south);
    sc_map_node_position(map, c, &lon, &north);
    sc_node_id node = SC_NONE;
    sc_diag diag = {""};
    CHECK_REFUSED(find_crossing(map, &segment, 1, lon, (south + north) / 2, &node, &diag),
                  SC_EUNKNOWN, &diag, "point 0 fits two crossings; use the compact encoding");
    CHECK_OK(find_crossing(map, &segment, 1, s.x[b], s.y[b] + degrees_of(1.9), &node, &diag),
             &diag);
    assert_int_equal(node, b);
    CHECK_OK(find_crossing(map, &segment, 1, s.x[b], s.y[b] + degrees_of(2.1), &node, &diag),
             &diag);
    assert_int_equal(node, c);
    sc_map_free(map);
    sketch_free(&s);
}

// === Geojson place ==============================================================================
// Roads for objects: the nearest point of the segments that were sent, and of no others.

static void test_the_nearest_road_among_those_sent_is_that_of_a_plain_search(void **state)
{
    (void)state;
    unsigned tried = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        if (s.coords != SC_COORDS_GEOGRAPHIC || s.edge_count == 0) {
            sketch_free(&s);
            continue;
        }
        sc_map *map = sketch_map(&s);
        // All segments: then it is what snapping finds.
        const uint32_t count = sc_map_segment_count(map);
        sc_seg_id *segments = test_take(count, sizeof *segments);
        for (sc_seg_id i = 0; i < count; i++) {
            segments[i] = i;
        }
        const sc_relay relay = {.segments = segments, .segment_count = count};
        sc__geojson_nearby nearby;
        CHECK_OK(sc__geojson_nearby_init(&nearby, map, &relay), NULL);
        for (uint32_t v = 0; v < s.node_count; v++) {
            const double off = (v % 5) * 1e-5;
            const sc__geojson_degrees at = {fmax(fmin(s.x[v] + off, 180.0), -180.0),
                                            fmax(fmin(s.y[v] - 2 * off, 90.0), -90.0)};
            sc_snap wanted;
            CHECK_OK(sc_map_snap(map, at.lon, at.lat, HUGE_VAL, &wanted), NULL);
            bool is_told = false;  // either: odd maps have roads on top of each other
            const sc_snap got = sc__geojson_nearby_snap(&nearby, at, &is_told);
            CHECK_CLOSE(got.distance_m, wanted.distance_m, 1e-6 + 1e-9 * wanted.distance_m);
            tried++;
        }
        sc__geojson_nearby_fini(&nearby);
        free(segments);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    assert_true(tried > 1000);
}

static void test_only_roads_that_were_sent_are_near(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 3, 3);
    sc_map *map = sketch_map(&s);
    for (sc_seg_id segment = 0; segment < sc_map_segment_count(map); segment++) {
        const sc_relay relay = {.segments = &segment, .segment_count = 1};
        sc__geojson_nearby nearby;
        CHECK_OK(sc__geojson_nearby_init(&nearby, map, &relay), NULL);
        for (uint32_t v = 0; v < s.node_count; v++) {
            bool is_told = false;
            const sc_snap snap =
                sc__geojson_nearby_snap(&nearby, (sc__geojson_degrees){s.x[v], s.y[v]}, &is_told);
            assert_int_equal(snap.segment, segment);
            assert_true(is_told);
        }
        sc__geojson_nearby_fini(&nearby);
        sc__geojson_nearby_fini(&nearby);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_relay_is_found_on_a_map_of_the_same_roads),
    cmocka_unit_test(test_a_map_too_far_off_is_another),
    cmocka_unit_test(test_a_line_may_be_two_roads_of_this_map),
    cmocka_unit_test(test_a_line_along_a_part_of_a_road_is_refused),
    cmocka_unit_test(test_a_bridge_is_not_the_road_below),
    cmocka_unit_test(test_one_of_two_roads_that_are_drawn_alike_cannot_be_told),
    cmocka_unit_test(test_two_lines_are_not_one_road),
    cmocka_unit_test(test_a_point_is_the_crossing_of_a_road_that_was_sent),
    cmocka_unit_test(test_a_point_between_two_crossings_cannot_be_told),
    SC_CASES(test_the_nearest_road_among_those_sent_is_that_of_a_plain_search),
    cmocka_unit_test(test_only_roads_that_were_sent_are_near),
};
SC_SUITE(tests)
