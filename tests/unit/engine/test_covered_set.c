// Balls of stars: those of plain sets (support/slow_roads.h), each of their fronts
// too; and whether their segments are enough, for every number of segments.
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"
#include "support/slow_roads.h"

#include <starcloak/star.h>

#include "engine/engine_internal.h"

enum { ODD_MAPS = 1500 };

static const uint32_t radii[] = {0, 1, 2, 3, 4, 5, UINT32_MAX - 1, UINT32_MAX};
enum { RADII = sizeof radii / sizeof *radii };

/** A map, an engine on it that walks, and plain sets. */
typedef struct ground {
    sketch sketch;
    sc_map *map;
    slow_roads roads;
    sc_rng rng;
    sc_engine *engine;
} ground;

static sc_engine *engine_on(const sc_map *map, sc_rng *rng)
{
    const sc_engine_options options = sc_engine_options_default();
    sc_engine *engine = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_engine_new(map, &options, rng, &engine, &diag), &diag);
    return engine;
}

static void ground_open(ground *g, sketch s)
{
    *g = (ground){.sketch = s, .map = sketch_map(&s)};
    g->roads = slow_roads_new(g->map);
    sc_rng_seed(&g->rng, 0);
    g->engine = engine_on(g->map, &g->rng);
}

static void ground_close(ground *g)
{
    sc_engine_free(g->engine);
    slow_roads_free(&g->roads);
    sc_map_free(g->map);
    sketch_free(&g->sketch);
}

/** How many stars are within `hops` of `star`. */
static uint32_t count_within(const ground *g, sc_star_id star, uint32_t hops)
{
    uint32_t count = 0;
    for (sc_star_id x = 0; x < g->roads.star_count; x++) {
        const uint32_t apart = slow_hops(&g->roads, star, x);
        count += apart != SC_NONE && apart <= hops;
    }
    return count;
}

// Each star once, nearest first, none missing.
static void check_stars(const ground *g, const sc__ball *ball, sc_star_id star, uint32_t radius)
{
    const sc_star_id *stars = sc__ball_stars(ball);
    bool *seen = test_take(g->roads.star_count, sizeof *seen);
    uint32_t hops_before = 0;
    assert_int_equal(ball->count, count_within(g, star, radius));
    for (uint32_t i = 0; i < ball->count; i++) {
        const uint32_t hops = slow_hops(&g->roads, star, stars[i]);
        assert_false(seen[stars[i]]);
        seen[stars[i]] = true;
        assert_true(hops != SC_NONE && hops >= hops_before && hops <= radius);
        hops_before = hops;
    }
    free(seen);
}

// Any smaller ball is its front; and it says rightly how far it reaches.
static void check_fronts(const ground *g, const sc__ball *ball, sc_star_id star, uint32_t radius)
{
    const uint32_t component = count_within(g, star, UINT32_MAX - 1);
    if (ball->is_complete) assert_int_equal(ball->count, component);
    for (size_t i = 0; i < RADII; i++) {
        const uint32_t hops = radii[i];
        const bool has_all = ball->count == count_within(g, star, hops);
        if (hops <= radius) assert_true(sc__ball_reaches(ball, hops));
        if (hops > radius && !has_all) assert_false(sc__ball_reaches(ball, hops));
        if (!sc__ball_reaches(ball, hops)) continue;
        assert_int_equal(sc__ball_count(ball, hops), count_within(g, star, hops));
    }
    // A walk that reached no further star is complete.
    if (radius > 0 && count_within(g, star, radius - 1) == component) {
        assert_true(ball->is_complete);
    }
}

// Stars have the numbers of their places; others have none.
static void check_numbers(ground *g, const sc__ball *ball)
{
    const sc_star_id *stars = sc__ball_stars(ball);
    for (uint32_t count = ball->count;; count /= 2) {
        CHECK_OK(sc__number_stars(g->engine, ball, count), NULL);
        for (uint32_t i = 0; i < ball->count; i++) {
            const uint32_t number = sc__number_of(&g->engine->numbers, stars[i]);
            if (i < count) {
                assert_int_equal(number, i);
            } else {
                assert_true(number >= count);
            }
        }
        if (count == 0) break;
    }
}

/** Ask, with the wrong answer in place: it must be written. */
static void check_demand(ground *g, sc_star_id star, uint32_t radius, uint32_t l, bool wanted)
{
    bool is_met = !wanted;
    CHECK_OK(sc__ball_meets(g->engine, star, radius, (sc__demand){.segments = l}, &is_met), NULL);
    if (is_met != wanted) fail_msg("star %u, %u hops, %u segments", star, radius, l);
}

static void check_demands(ground *g, sc_star_id star, uint32_t radius)
{
    const size_t count = slow_ball_segment_count(&g->roads, star, radius);
    for (uint32_t l = 0; l <= count + 2; l++) {
        check_demand(g, star, radius, l, count >= l);
    }
    check_demand(g, star, radius, UINT32_MAX, false);
}

static void check_balls(ground *g)
{
    for (sc_star_id star = 0; star < g->roads.star_count; star++) {
        for (size_t i = 0; i < RADII; i++) {
            sc__ball *ball = NULL;
            CHECK_OK(sc__ball_new(g->engine, star, radii[i], &ball), NULL);
            check_stars(g, ball, star, radii[i]);
            check_fronts(g, ball, star, radii[i]);
            check_numbers(g, ball);
            sc__ball_free(g->engine, ball);
            check_demands(g, star, radii[i]);
        }
    }
}

// --- Tests ------------------------------------------------------------------

static void test_balls_of_small_maps_are_those_of_plain_sets(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        print_message("# %s\n", small->name);
        ground g;
        ground_open(&g, sketch_named(small->name));
        check_balls(&g);
        ground_close(&g);
    }
}

static void test_balls_of_odd_maps_are_those_of_plain_sets(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        ground g;
        ground_open(&g, sketch_odd(seed));
        check_balls(&g);
        ground_close(&g);
    }
    check_case_done();
}

/** Segments at one of the stars of `mask`, which have the numbers of their places in `ball`. */
static uint32_t count_segments(const ground *g, const sc__ball *ball, const uint64_t *mask)
{
    bool *counts = test_take(g->roads.star_count, sizeof *counts);
    for (uint32_t i = 0; i < ball->count; i++) {
        counts[sc__ball_stars(ball)[i]] = sc__mask_has(mask, i);
    }
    uint32_t count = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(g->map); s++) {
        const sc_segment *segment = &sc_map_segments(g->map)[s];
        count += counts[segment->star_a] || (segment->star_b != SC_NONE && counts[segment->star_b]);
    }
    free(counts);
    return count;
}

static void check_sets_of(ground *g, sc_star_id star)
{
    enum { SETS = 6 };
    sc__ball *ball = NULL;
    CHECK_OK(sc__ball_new(g->engine, star, UINT32_MAX, &ball), NULL);
    CHECK_OK(sc__number_stars(g->engine, ball, ball->count), NULL);
    const size_t words = ((size_t)ball->count + 63) / 64;
    uint64_t *mask = test_take(words, sizeof *mask);
    for (uint32_t set = 0; set < SETS; set++) {
        memset(mask, 0, words * sizeof *mask);
        for (uint32_t i = 0; i < ball->count; i++) {
            if (sc_rng_below(&g->rng, SETS) <= set) sc__mask_put(mask, i);
        }
        const uint32_t count = count_segments(g, ball, mask);
        for (uint32_t l = 0; l <= count + 2; l++) {
            const bool is_met = sc__mask_meets(g->engine, sc__ball_stars(ball), mask, words,
                                               (sc__demand){.segments = l});
            if (is_met != (count >= l)) fail_msg("star %u, set %u, %u segments", star, set, l);
        }
    }
    free(mask);
    sc__ball_free(g->engine, ball);
}

static void test_sets_of_stars_have_the_segments_of_plain_sets(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        ground g;
        ground_open(&g, sketch_odd(seed));
        for (sc_star_id star = 0; star < g.roads.star_count; star += 3) {
            check_sets_of(&g, star);
        }
        ground_close(&g);
    }
    check_case_done();
}

// Hundreds of stars: tables grow in the middle of a walk, and the numbers' more than once.
enum { GRID_COLUMNS = 45, GRID_ROWS = 30 };

/** The same stars as a walker of star.h finds, with as many in each ring. */
static void check_as_walked(const sc__ball *ball, sc_ball *walker, sc_star_id star, uint32_t radius)
{
    size_t count = 0;
    sc_ball_walk(walker, star, radius, &count);
    const uint32_t *hops = sc_ball_hops(walker);
    assert_int_equal(ball->count, count);
    for (size_t i = 0; i < count; i++) {
        // Both are nearest first, so the hops of the i-th agree whatever the order in a ring.
        assert_int_equal(sc_ball_hops_of(walker, sc__ball_stars(ball)[i]), hops[i]);
        if (i + 1 == count || hops[i] < hops[i + 1]) {
            assert_int_equal(sc__ball_count(ball, hops[i]), i + 1);
        }
    }
}

static void test_a_large_ball_is_that_of_a_walker(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, GRID_COLUMNS, GRID_ROWS);
    sc_map *map = sketch_map(&s);
    sc_ball *walker = NULL;
    CHECK_OK(sc_ball_new(map, &walker), NULL);
    static const uint32_t large[] = {0, 1, 6, 13, 40, UINT32_MAX};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        // A new engine has small tables; the second walk finds them large.
        sc_rng rng;
        sc_rng_seed(&rng, 0);
        sc_engine *engine = engine_on(map, &rng);
        for (sc_star_id star = 0; star < sc_map_star_count(map); star += 500) {
            sc__ball *ball = NULL;
            CHECK_OK(sc__ball_new(engine, star, large[i], &ball), NULL);
            check_as_walked(ball, walker, star, large[i]);
            const uint32_t segments = (uint32_t)sc_ball_segment_count(walker);
            for (uint32_t l = segments - 2; l <= segments + 2; l++) {
                bool is_met = l > segments;
                CHECK_OK(
                    sc__ball_meets(engine, star, large[i], (sc__demand){.segments = l}, &is_met),
                    NULL);
                assert_int_equal(is_met, l <= segments);
            }
            sc__ball_free(engine, ball);
        }
        sc_engine_free(engine);
    }
    sc_ball_free(walker);
    sc_map_free(map);
    sketch_free(&s);
}

// One star of a grid has four segments, with its neighbours sixteen: that is known without a walk.
static void test_a_search_for_little_does_not_walk_far(void **state)
{
    (void)state;
    ground g;
    ground_open(&g, sketch_grid(SC_COORDS_PLANAR, 12, 12));
    sc_star_id centre = 0;
    while (count_within(&g, centre, 3) < 25) {
        centre++;
    }
    check_demand(&g, centre, 10, 4, true);
    check_demand(&g, centre, 10, 16, true);
    assert_int_equal(g.engine->numbers.count, 0);
    check_demand(&g, centre, 10, 17, true);
    assert_int_equal(g.engine->numbers.count, 8);
    check_demand(&g, centre, 1, 17, false);
    assert_int_equal(g.engine->numbers.count, 5);
    ground_close(&g);
}

static void test_the_other_end_is_another_star_or_the_same_or_none(void **state)
{
    (void)state;
    const sc_segment through = {.star_a = 3, .star_b = 8};
    const sc_segment loop = {.star_a = 5, .star_b = 5};
    const sc_segment dead_end = {.star_a = 7, .star_b = SC_NONE};
    assert_int_equal(sc__other_end(&through, 3), 8);
    assert_int_equal(sc__other_end(&through, 8), 3);
    assert_int_equal(sc__other_end(&loop, 5), 5);
    assert_int_equal(sc__other_end(&dead_end, 7), SC_NONE);
}

/** Walk with allocation `n` failing, then again with memory; says whether one failed. */
static bool walk_without_memory(const sc_map *map, sc_ball *walker, unsigned long n)
{
    sc_rng rng;
    sc_rng_seed(&rng, 0);
    sc_engine *engine = engine_on(map, &rng);
    const sc__demand endless = {.segments = UINT32_MAX};
    sc__ball untouched = {.count = 0};
    sc__ball *ball = &untouched;
    bool is_met = true;
    sc_alloc_fail_at(n);
    sc_err err = sc__ball_meets(engine, 0, 9, endless, &is_met);
    assert_int_equal(is_met, err != SC_OK);  // written only by a walk to its end
    if (!err) err = sc__ball_new(engine, 0, UINT32_MAX, &ball);
    const bool has_failed = oom_happened();
    assert_int_equal(err, has_failed ? SC_ENOMEM : SC_OK);
    if (has_failed) {
        assert_ptr_equal(ball, &untouched);
        CHECK_OK(sc__ball_meets(engine, 0, 9, endless, &is_met), NULL);
        assert_false(is_met);
        CHECK_OK(sc__ball_new(engine, 0, UINT32_MAX, &ball), NULL);
    }
    check_as_walked(ball, walker, 0, UINT32_MAX);
    sc__ball_free(engine, ball);
    sc_engine_free(engine);
    return has_failed;
}

static void test_a_walk_without_memory_breaks_nothing(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, GRID_COLUMNS, GRID_ROWS);
    sc_map *map = sketch_map(&s);
    sc_ball *walker = NULL;
    CHECK_OK(sc_ball_new(map, &walker), NULL);
    unsigned long n = 1;
    while (walk_without_memory(map, walker, n)) {
        n++;
    }
    // The walk, its numbers and its rings grow several times each, and the ball is one more.
    assert_in_range(n, 12, 60);
    sc_ball_free(walker);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_balls_of_small_maps_are_those_of_plain_sets),
    SC_CASES(test_balls_of_odd_maps_are_those_of_plain_sets),
    SC_CASES(test_sets_of_stars_have_the_segments_of_plain_sets),
    cmocka_unit_test(test_a_large_ball_is_that_of_a_walker),
    cmocka_unit_test(test_a_search_for_little_does_not_walk_far),
    cmocka_unit_test(test_the_other_end_is_another_star_or_the_same_or_none),
    cmocka_unit_test(test_a_walk_without_memory_breaks_nothing),
};
SC_SUITE(tests)
