// Regions: the roads in reach of a star, by hops and then by id, as plain sets have them
// (support/slow_roads.h), for every number of hops, on odd maps too.
#include "support/check.h"
#include "support/sketch.h"
#include "support/slow_roads.h"

#include "base/rng.h"
#include "baselines/per_query.h"

enum { ODD_MAPS = 400 };

static const uint32_t radii[] = {0, 1, 2, 3, 5, UINT32_MAX};
enum { RADII = sizeof radii / sizeof *radii };

/** A map, an engine on it that walks, and plain sets. */
typedef struct ground {
    sc_map *map;
    slow_roads roads;
    sc_rng rng;
    sc_engine *engine;
    sc__regions regions;
} ground;

static void ground_open(ground *g, const sketch *s)
{
    const sc_engine_options options = sc_engine_options_default();
    sc_diag diag = {""};
    *g = (ground){.map = sketch_map(s)};
    g->roads = slow_roads_new(g->map);
    sc_rng_seed(&g->rng, 0);
    CHECK_OK(sc_engine_new(g->map, &options, &g->rng, &g->engine, &diag), &diag);
    CHECK_OK(sc__regions_init(&g->regions, g->map), NULL);
}

static void ground_close(ground *g)
{
    sc__regions_fini(&g->regions);
    sc__regions_fini(&g->regions);  // harmless twice
    sc_engine_free(g->engine);
    slow_roads_free(&g->roads);
    sc_map_free(g->map);
}

// Hops from a star to the nearer end of a segment.
static uint32_t hops_to(const ground *g, sc_star_id star, sc_seg_id segment)
{
    const sc_segment *at = &sc_map_segments(g->map)[segment];
    const uint32_t a = slow_hops(&g->roads, star, at->star_a);
    const uint32_t b = at->star_b == SC_NONE ? SC_NONE : slow_hops(&g->roads, star, at->star_b);
    return a < b ? a : b;
}

static void check_region(const ground *g, sc_star_id star, uint32_t max_hops)
{
    const sc__region *region = g->regions.of_star[star];
    uint32_t count = 0;
    for (uint32_t hops = 0; hops <= max_hops && hops < g->roads.star_count; hops++) {
        for (sc_seg_id s = 0; s < g->roads.segment_count; s++) {
            if (hops_to(g, star, s) == hops) assert_int_equal(region->segments[count++], s);
        }
    }
    assert_int_equal(sc__region_count(region, max_hops), count);
    for (sc_seg_id s = 0; s < g->roads.segment_count; s++) {
        const uint32_t hops = hops_to(g, star, s);
        assert_int_equal(sc__region_has(region, &sc_map_segments(g->map)[s], max_hops),
                         hops != SC_NONE && hops <= max_hops);
    }
}

// In any order of asking: a region that reaches farther still has the nearer ones at its front.
static void check_ground(ground *g, uint64_t seed)
{
    sc_rng_seed(&g->rng, seed);
    for (sc_star_id star = 0; star < g->roads.star_count; star++) {
        uint32_t farthest = 0;
        for (uint32_t holders = 0; holders < 3; holders++) {
            const uint32_t hops = radii[sc_rng_below(&g->rng, RADII)];
            CHECK_OK(sc__region_hold(g->engine, &g->regions, star, hops), NULL);
            if (hops > farthest) farthest = hops;
            for (size_t i = 0; i < RADII; i++) {
                if (radii[i] <= farthest) check_region(g, star, radii[i]);
            }
        }
        for (uint32_t holders = 3; holders > 0; holders--) {
            assert_non_null(g->regions.of_star[star]);
            if (star % 2 == 0) sc__region_release(&g->regions, star);  // others are freed with all
        }
        assert_int_equal(g->regions.of_star[star] == NULL, star % 2 == 0);
    }
}

static void test_regions_are_those_of_plain_sets(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        sketch s = sketch_draw(SC_COORDS_PLANAR, small->picture, small->more);
        ground g;
        ground_open(&g, &s);
        check_ground(&g, 1);
        ground_close(&g);
        sketch_free(&s);
    }
}

static void test_regions_are_those_of_plain_sets_on_odd_maps(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        ground g;
        ground_open(&g, &s);
        check_ground(&g, seed);
        ground_close(&g);
        sketch_free(&s);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_regions_are_those_of_plain_sets),
    SC_CASES(test_regions_are_those_of_plain_sets_on_odd_maps),
};
SC_SUITE(tests)
