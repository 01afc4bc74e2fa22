// The order along the Hilbert curve: a permutation, stable, and such that what
// is near on the ground is near in number.
#include "support/check.h"
#include "support/sketch.h"

#include "base/rng.h"
#include "map/builder_internal.h"

#include <stdio.h>

/** A cell and its place on the curve. */
typedef struct visit {
    uint32_t place;
    uint32_t x;
    uint32_t y;
} visit;

static int compare_visits(const void *a, const void *b)
{
    const uint32_t x = ((const visit *)a)->place;
    const uint32_t y = ((const visit *)b)->place;
    return (x > y) - (x < y);
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static void test_the_curve_steps_from_cell_to_neighbouring_cell(void **state)
{
    (void)state;
    enum { SIDE = 128 };
    // Any aligned square of the field is one unbroken part of the curve.
    static const uint32_t corners[][2] = {{0, 0},         {65536 - SIDE, 0}, {0, 65536 - SIDE},
                                          {32768, 32768}, {12800, 51200},    {32640, 32640}};
    visit *visits = test_take((size_t)SIDE * SIDE, sizeof *visits);
    for (size_t c = 0; c < sizeof corners / sizeof *corners; c++) {
        check_case(c);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const uint32_t x = corners[c][0] + i % SIDE;
            const uint32_t y = corners[c][1] + i / SIDE;
            visits[i] = (visit){sc_geo_hilbert(x, y), x, y};
        }
        qsort(visits, (size_t)SIDE * SIDE, sizeof *visits, compare_visits);
        for (uint32_t i = 1; i < SIDE * SIDE; i++) {
            assert_int_equal(visits[i].place, visits[i - 1].place + 1);
            const uint32_t steps =
                apart(visits[i].x, visits[i - 1].x) + apart(visits[i].y, visits[i - 1].y);
            assert_int_equal(steps, 1);
        }
    }
    check_case_done();
    free(visits);
}

static void test_the_curve_fills_the_whole_range(void **state)
{
    (void)state;
    // Its two ends are corners of the field; all other corners lie between.
    const uint32_t corners[] = {sc_geo_hilbert(0, 0), sc_geo_hilbert(0, 65535),
                                sc_geo_hilbert(65535, 0), sc_geo_hilbert(65535, 65535)};
    bool begins = false;
    bool ends = false;
    for (int i = 0; i < 4; i++) {
        begins |= corners[i] == 0;
        ends |= corners[i] == UINT32_MAX;
    }
    assert_true(begins && ends);
}

static void test_the_middle_of_two_nodes_is_always_on_the_curve(void **state)
{
    (void)state;
    // Maps at the poles, at the meridian, tiny and huge ones: no key may wrap.
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        const sc_curve curve = sc__curve_of(map);
        if (s.coords == SC_COORDS_NONE) {
            assert_null(curve.nodes);
            assert_int_equal(sc__curve_place(&curve, 0, 0), 0);
        } else {
            for (uint32_t v = 0; v < s.node_count; v++) {
                const sc_node *node = &sc_map_nodes(map)[v];
                const int64_t x = (node->x - curve.min_x) >> curve.shift;
                const int64_t y = (node->y - curve.min_y) >> curve.shift;
                assert_true(x >= 0 && x < 65536 && y >= 0 && y < 65536);
                assert_int_equal(sc__curve_place(&curve, v, v),
                                 sc_geo_hilbert((uint32_t)x, (uint32_t)y));
            }
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_segments_near_each_other_get_near_numbers(void **state)
{
    (void)state;
    // On a grid, two segments that follow each other in number are mostly
    // neighbours; rows would give jumps of a whole side at each line end only,
    // but neighbours across rows would be a row apart. Measure that instead:
    // streets that meet are, in the mean, far closer than a row apart.
    enum { SIDE = 64 };
    sketch s = sketch_grid(SC_COORDS_PLANAR, SIDE, SIDE);
    sc_map *map = sketch_map(&s);
    const sc_star *stars = sc_map_stars(map);
    uint64_t near = 0;
    uint64_t pairs = 0;
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        for (uint32_t j = stars[i].first_neighbour; j < stars[i + 1].first_neighbour; j++) {
            near += apart(sc_map_star_neighbours(map)[j], i) < SIDE / 4;
            pairs++;
        }
    }
    // Numbering by rows would give one half; the curve gives about 0.8.
    assert_true((double)near / (double)pairs > 0.7);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_curve_steps_from_cell_to_neighbouring_cell),
    cmocka_unit_test(test_the_curve_fills_the_whole_range),
    SC_CASES(test_the_middle_of_two_nodes_is_always_on_the_curve),
    cmocka_unit_test(test_segments_near_each_other_get_near_numbers),
};
SC_SUITE(tests)
