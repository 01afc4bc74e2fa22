// Roads for objects: the nearest point of the segments that were sent, and of no others.
#include "support/check.h"
#include "support/sketch.h"

#include "relay/geojson_match.h"

#include <math.h>

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
        sc__nearby nearby;
        CHECK_OK(sc__nearby_init(&nearby, map, &relay), NULL);
        for (uint32_t v = 0; v < s.node_count; v++) {
            const double off = (v % 5) * 1e-5;
            const sc__degrees at = {fmax(fmin(s.x[v] + off, 180.0), -180.0),
                                    fmax(fmin(s.y[v] - 2 * off, 90.0), -90.0)};
            sc_snap wanted;
            CHECK_OK(sc_map_snap(map, at.lon, at.lat, HUGE_VAL, &wanted), NULL);
            bool is_told = false;  // either: odd maps have roads on top of each other
            const sc_snap got = sc__nearby_snap(&nearby, at, &is_told);
            CHECK_CLOSE(got.distance_m, wanted.distance_m, 1e-6 + 1e-9 * wanted.distance_m);
            tried++;
        }
        sc__nearby_fini(&nearby);
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
        sc__nearby nearby;
        CHECK_OK(sc__nearby_init(&nearby, map, &relay), NULL);
        for (uint32_t v = 0; v < s.node_count; v++) {
            bool is_told = false;
            const sc_snap snap = sc__nearby_snap(&nearby, (sc__degrees){s.x[v], s.y[v]}, &is_told);
            assert_int_equal(snap.segment, segment);
            assert_true(is_told);
        }
        sc__nearby_fini(&nearby);
        sc__nearby_fini(&nearby);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_nearest_road_among_those_sent_is_that_of_a_plain_search),
    cmocka_unit_test(test_only_roads_that_were_sent_are_near),
};
SC_SUITE(tests)
