// Zones: every road in one, large enough, narrow enough, and the same for all of its roads.
#include <starcloak/zones.h>

#include <starcloak/engine.h>
#include <starcloak/prune.h>
#include <starcloak/star.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

#include <math.h>

/** A key like no other. */
typedef struct zone_key {
    uint8_t bytes[SC_ZONE_KEY_SIZE];
} zone_key;

static zone_key key_of(uint64_t seed)
{
    zone_key key = {{0}};
    memcpy(key.bytes, &seed, sizeof seed);
    return key;
}

static sc_zones *zones_of(const sc_map *map, uint32_t roads, uint64_t seed)
{
    sc_zones *zones = NULL;
    const zone_key key = key_of(seed);
    assert_int_equal(sc_zones_new(map, roads, key.bytes, &zones), SC_OK);
    return zones;
}

/** How many roads hang together with each one; the caller frees it. */
static uint32_t *component_sizes(const sc_map *map)
{
    const uint32_t stars = sc_map_star_count(map);
    const uint32_t count = sc_map_segment_count(map);
    const sc_segment *segments = sc_map_segments(map);
    uint32_t *mark = malloc((stars + 1) * sizeof *mark);
    uint32_t *sizes = calloc(count + 1, sizeof *sizes);
    uint32_t *roads_at = calloc(stars + 1, sizeof *roads_at);
    assert_true(mark && sizes && roads_at);
    for (sc_star_id i = 0; i < stars; i++) {
        mark[i] = i;
    }
    // The least star of each component, found by letting roads carry it until nothing changes.
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (sc_seg_id s = 0; s < count; s++) {
            const sc_star_id a = segments[s].star_a;
            const sc_star_id b = segments[s].star_b == SC_NONE ? a : segments[s].star_b;
            if (mark[a] == mark[b]) continue;
            mark[a] = mark[b] = mark[a] < mark[b] ? mark[a] : mark[b];
            is_changed = true;
        }
    }
    for (sc_seg_id s = 0; s < count; s++) {
        roads_at[mark[segments[s].star_a]]++;
    }
    for (sc_seg_id s = 0; s < count; s++) {
        sizes[s] = roads_at[mark[segments[s].star_a]];
    }
    free(mark);
    free(roads_at);
    return sizes;
}

/** The radius by trying every star of the map as the middle. */
static bool is_within(const sc_map *map, sc_ball *ball, const sc_zone *zone, uint32_t radius)
{
    const sc_segment *segments = sc_map_segments(map);
    for (sc_star_id star = 0; star < sc_map_star_count(map); star++) {
        size_t count = 0;
        (void)sc_ball_walk(ball, star, radius, &count);
        bool has_all = true;
        for (size_t i = 0; i < zone->count && has_all; i++) {
            const sc_segment *road = &segments[zone->segments[i]];
            has_all = sc_ball_hops_of(ball, road->star_a) != SC_NONE &&
                      (road->star_b == SC_NONE || sc_ball_hops_of(ball, road->star_b) != SC_NONE);
        }
        if (has_all) return true;
    }
    return false;
}

static void check_zone(const sc_map *map, const sc_zones *zones, sc_ball *ball, sc_seg_id segment,
                       uint32_t roads)
{
    const sc_zone zone = sc_zones_of(zones, segment);
    bool has_own = false;
    assert_true(zone.count >= roads);
    for (size_t i = 0; i < zone.count; i++) {
        if (i > 0) assert_true(zone.segments[i] > zone.segments[i - 1]);
        has_own |= zone.segments[i] == segment;
        // The same from each of its roads: so it says nothing of which one was asked for.
        const sc_zone again = sc_zones_of(zones, zone.segments[i]);
        assert_ptr_equal(again.segments, zone.segments);
        assert_int_equal(again.count, zone.count);
    }
    assert_true(has_own);
    if (segment == zone.segments[0]) assert_true(is_within(map, ball, &zone, zone.radius));
}

static void check_zones(const sc_map *map, uint32_t roads, uint64_t seed)
{
    sc_zones *zones = zones_of(map, roads, seed);
    sc_ball *ball = NULL;
    assert_int_equal(sc_ball_new(map, &ball), SC_OK);
    uint32_t *sizes = component_sizes(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        if (sizes[s] < roads) {
            assert_int_equal(sc_zones_of(zones, s).count, 0);
        } else {
            check_zone(map, zones, ball, s, roads);
        }
    }
    free(sizes);
    sc_ball_free(ball);
    sc_zones_free(zones);
}

static void test_every_road_of_odd_maps_is_in_one_zone_or_in_too_small_a_component(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        check_zones(map, 2 + (uint32_t)(seed % 7), seed);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_small_maps_of_all_kinds_have_sound_zones(void **state)
{
    (void)state;
    for (const small_map *m = small_maps; m->name; m++) {
        sketch s = sketch_named(m->name);
        sc_map *map = sketch_map(&s);
        for (uint32_t roads = 2; roads <= 6; roads++) {
            check_zones(map, roads, roads);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
}

static sc_map *grid_map(uint32_t side)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, side, side);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static void test_zones_of_a_town_are_small_and_narrow(void **state)
{
    (void)state;
    sc_map *map = grid_map(40);
    sc_zones *zones = zones_of(map, SC_ZONE_ROADS, 1);
    const uint32_t count = sc_map_segment_count(map);
    size_t wide = 0;
    for (sc_seg_id s = 0; s < count; s++) {
        const sc_zone zone = sc_zones_of(zones, s);
        assert_in_range(zone.count, SC_ZONE_ROADS, 4 * SC_ZONE_ROADS);
        assert_in_range(zone.radius, 1, 4);
        wide += zone.radius > 2;
    }
    // Four hops, the default of a service, are enough nearly everywhere.
    assert_true(wide < count / 8);
    assert_true(sc_zones_count(zones) > count / (2 * SC_ZONE_ROADS));
    sc_zones_free(zones);
    sc_map_free(map);
}

static bool are_same(const sc_map *map, const sc_zones *a, const sc_zones *b)
{
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_zone one = sc_zones_of(a, s);
        const sc_zone other = sc_zones_of(b, s);
        if (one.count != other.count || one.radius != other.radius ||
            memcmp(one.segments, other.segments, one.count * sizeof *one.segments) != 0) {
            return false;
        }
    }
    return true;
}

static void test_the_key_decides_and_nothing_else(void **state)
{
    (void)state;
    sc_map *map = grid_map(12);
    sc_zones *zones = zones_of(map, SC_ZONE_ROADS, 1);
    sc_zones *again = zones_of(map, SC_ZONE_ROADS, 1);
    sc_zones *other = zones_of(map, SC_ZONE_ROADS, 2);
    assert_true(are_same(map, zones, again));
    assert_false(are_same(map, zones, other));
    sc_zones_free(zones);
    sc_zones_free(again);
    sc_zones_free(other);
    sc_map_free(map);
}

enum { TORUS = 12 };

/** A grid whose sides meet, so that all crossings are alike. */
static sc_map *torus_map(void)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    for (uint32_t i = 0; i < TORUS * TORUS; i++) {
        const uint32_t row = i / TORUS;
        sketch_add_node(&s, 100.0 * (i % TORUS), 100.0 * row);
    }
    for (uint32_t i = 0; i < TORUS * TORUS; i++) {
        const uint32_t row = i / TORUS * TORUS;
        sketch_add_edge(&s, i, row + (i + 1) % TORUS, 100.0);
        sketch_add_edge(&s, i, (i + TORUS) % (TORUS * TORUS), 100.0);
    }
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    assert_int_equal(sc_map_segment_count(map), 2 * TORUS * TORUS);
    return map;
}

/** How many other roads of its zone a road touches: many in the middle, few at the edge. */
static unsigned touching(const sc_map *map, const sc_zone *zone, sc_seg_id segment)
{
    const sc_segment *own = &sc_map_segments(map)[segment];
    unsigned count = 0;
    for (size_t i = 0; i < zone->count; i++) {
        const sc_segment *road = &sc_map_segments(map)[zone->segments[i]];
        count += zone->segments[i] != segment &&
                 (road->star_a == own->star_a || road->star_a == own->star_b ||
                  road->star_b == own->star_a || road->star_b == own->star_b);
    }
    return count;
}

static void test_a_home_is_as_often_at_the_edge_of_its_zone_as_any_road(void **state)
{
    (void)state;
    // One home, many keys. Were zones grown around the home, it would touch more of its zone's
    // roads than others do. Of all roads of zones, 2.5 are touched on average with a deviation of
    // 1; the mean of 2,000 differences has a standard error of 0.02.
    enum { KEYS = 2000 };
    sc_map *map = torus_map();
    const sc_seg_id home = 17;
    double more = 0.0;
    unsigned least = 0;
    for (uint64_t seed = 0; seed < KEYS; seed++) {
        sc_zones *zones = zones_of(map, SC_ZONE_ROADS, seed);
        const sc_zone zone = sc_zones_of(zones, home);
        unsigned sum = 0;
        for (size_t i = 0; i < zone.count; i++) {
            sum += touching(map, &zone, zone.segments[i]);
        }
        more += touching(map, &zone, home) - (double)sum / (double)zone.count;
        least += zone.segments[0] == home;
        sc_zones_free(zones);
    }
    CHECK_CLOSE(more / KEYS, 0.0, 0.08);
    // It is the first of its zone in about one of 6.5 cases, somewhat more as its number is low.
    assert_in_range(least, KEYS / 20, KEYS / 2);
    sc_map_free(map);
}

static void test_sizes_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    sc_map *map = grid_map(3);
    sc_zones *zones = NULL;
    const zone_key key = key_of(1);
    assert_int_equal(sc_zones_new(map, 0, key.bytes, &zones), SC_EINVAL);
    assert_int_equal(sc_zones_new(map, 1, key.bytes, &zones), SC_EINVAL);
    assert_int_equal(sc_zones_new(map, SC_ZONE_ROADS_MAX + 1, key.bytes, &zones), SC_EINVAL);
    assert_null(zones);
    zones = zones_of(map, SC_ZONE_ROADS_MAX, 1);
    assert_int_equal(sc_zones_count(zones), 0);
    sc_zones_free(zones);
    sc_zones_free(NULL);
    sc_map_free(map);
}

static void test_zones_survive_the_failure_of_every_allocation(void **state)
{
    (void)state;
    sc_map *map = grid_map(5);
    const zone_key key = key_of(3);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_zones *zones = NULL;
        const sc_err err = sc_zones_new(map, SC_ZONE_ROADS, key.bytes, &zones);
        if (!oom_happened()) {
            assert_int_equal(err, SC_OK);
            sc_zones_free(zones);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(zones);
        failures++;
    }
    assert_true(failures > 10);
    sc_map_free(map);
}

// A traveller who needs no company has a cloak with all of the zone, wherever it is.
static void test_a_strict_patient_engine_finds_cloaks_with_whole_zones(void **state)
{
    (void)state;
    sc_map *map = grid_map(12);
    sc_zones *zones = zones_of(map, SC_ZONE_ROADS, 17);
    sc_engine_options options = sc_engine_options_default();
    options.variant = SC_VARIANT_PATIENT;
    options.max_combinations = sc_variant_cap(options.variant);
    options.crowd = 1;
    options.demands.is_strict = true;
    options.is_paranoid = true;
    sc_rng rng;
    sc_rng_seed(&rng, 18);
    sc_engine *engine = NULL;
    sc_pruner *pruner = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_engine_new(map, &options, &rng, &engine, &diag), &diag);
    CHECK_OK(sc_pruner_new(map, &pruner), NULL);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_zone zone = sc_zones_of(zones, s);
        const sc_own_demands own = {.zone = zone.segments, .zone_count = zone.count};
        sc_query query = {.user = s, .deadline = 1000, .segment = s, .k = 1, .l = 3, .own = &own};
        query.max_hops = 2 * zone.radius;
        memcpy(query.id.bytes, &s, sizeof s);
        CHECK_OK(sc_engine_add(engine, &query), NULL);
        CHECK_OK(sc_engine_run(engine, 0), NULL);
        sc_cloak *cloak = sc_engine_take_candidate(engine);
        assert_non_null(cloak);
        CHECK_OK(sc_pruner_prune(pruner, cloak, &rng), NULL);
        CHECK_OK(sc_engine_accept(engine, cloak, 0, &diag), &diag);
        assert_true(cloak->segment_count >= zone.count);
        sc_cloak_free(cloak);
    }
    sc_pruner_free(pruner);
    sc_engine_free(engine);
    sc_zones_free(zones);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_road_of_odd_maps_is_in_one_zone_or_in_too_small_a_component),
    cmocka_unit_test(test_small_maps_of_all_kinds_have_sound_zones),
    cmocka_unit_test(test_zones_of_a_town_are_small_and_narrow),
    cmocka_unit_test(test_the_key_decides_and_nothing_else),
    cmocka_unit_test(test_a_home_is_as_often_at_the_edge_of_its_zone_as_any_road),
    cmocka_unit_test(test_a_strict_patient_engine_finds_cloaks_with_whole_zones),
    cmocka_unit_test(test_sizes_that_mean_nothing_are_refused),
    cmocka_unit_test(test_zones_survive_the_failure_of_every_allocation),
};
SC_SUITE(tests)
