// Sorting by id, finding nodes among those that ways name, and the middle of a
// closed way: each beside a slow and simple version.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "import/osm_internal.h"
#include "support/check.h"

// --- Sorting ---------------------------------------------------------------

static int compare_keyed(const void *left, const void *right)
{
    const sc__osm_keyed *a = left;
    const sc__osm_keyed *b = right;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void test_sorting_agrees_with_qsort_and_keeps_the_order_of_equals(void **state)
{
    (void)state;
    enum { MOST = 600 };
    // Ids of few bits repeat often; those of 64 bits have either sign.
    static const unsigned shifts[] = {0, 20, 30, 56, 62};
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    for (size_t round = 0; round < 200; round++) {
        sc__osm_keyed items[MOST];
        sc__osm_keyed expected[MOST] = {{0}};
        const size_t count = sc_rng_below(&rng, MOST);
        for (size_t i = 0; i < count; i++) {
            items[i].id = (int64_t)sc_rng_next(&rng) >> shifts[round % 5];
            items[i].index = i;
            expected[i] = items[i];
        }
        qsort(expected, count, sizeof expected[0], compare_keyed);
        assert_int_equal(sc__osm_sort(items, count), SC_OK);
        assert_memory_equal(items, expected, count * sizeof items[0]);
    }
}

static void test_extreme_ids_are_in_order(void **state)
{
    (void)state;
    sc__osm_keyed items[] = {{INT64_MAX, 0}, {0, 1}, {INT64_MIN, 2}, {-1, 3}, {1, 4}};
    static const uint64_t expected[] = {2, 3, 1, 4, 0};
    assert_int_equal(sc__osm_sort(items, 5), SC_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(items[i].index, expected[i]);
    }
}

// --- Nodes -----------------------------------------------------------------

static void test_nodes_are_found_in_whatever_order_they_come(void **state)
{
    (void)state;
    const size_t node_count = 120;
    enum { REFS = 40 };
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    for (size_t round = 0; round < 100; round++) {
        sc_import_report report = {0};
        sc_diag diag = {""};
        const sc_input input = {"in.osm", (const uint8_t *)"<", 1};
        const sc_load load = {&input, 1, &SC_IMPORT_DEFAULTS, &report, &diag};
        sc__osm osm = {.load = &load, .filter.all = true};
        const sc__osm_tags tags = {.highway = {"road", 4}};
        int64_t refs[REFS];
        for (size_t i = 0; i < REFS; i++) {
            refs[i] = (int64_t)sc_rng_below(&rng, (uint32_t)node_count) - 30;
        }
        assert_int_equal(sc__osm_add_way(&osm, (sc__osm_place){0}, 1, refs, REFS, &tags), SC_OK);
        assert_int_equal(sc__osm_resolve(&osm), SC_OK);

        // Every node is told, some twice; each is where its id says.
        for (size_t i = 0; i < 3 * node_count; i++) {
            const int64_t id = round % 2 ? (int64_t)sc_rng_below(&rng, (uint32_t)node_count) - 30
                                         : (int64_t)(i % node_count) - 30;
            const sc__osm_point point = {(int32_t)id * 10, (int32_t)-id};
            assert_int_equal(sc__osm_place_node(&osm, (sc__osm_place){0}, id, point), SC_OK);
        }
        for (size_t i = 0; i < REFS; i++) {
            const size_t index = (size_t)osm.roads.refs[i];
            assert_true(osm.roads.ids[index] == refs[i]);
            assert_true(index == 0 || osm.roads.ids[index - 1] < refs[i]);
            const sc__osm_point point = osm.roads.points[index];
            if (round % 2 == 0 || point.x != SC__OSM_NO_POINT) {
                assert_true(point.x == refs[i] * 10 && point.y == -refs[i]);
            }
        }
        sc__osm_fini(&osm);
    }
}

// --- Middles ---------------------------------------------------------------

static void assert_middle(const sc__osm_point *points, size_t count, double x, double y)
{
    double got_x = 0;
    double got_y = 0;
    assert_true(sc__osm_ring_middle(points, count, &got_x, &got_y));
    if (!(fabs(got_x - x) < 1e-9 && fabs(got_y - y) < 1e-9)) {
        fail_msg("got %.9f,%.9f instead of %.9f,%.9f", got_x, got_y, x, y);
    }
}

static void test_the_middle_of_a_ring_is_the_centroid_of_its_area(void **state)
{
    (void)state;
    const int32_t unit = 10000000;
    assert_middle((sc__osm_point[]){{0, 0}, {2 * unit, 0}, {2 * unit, unit}, {0, unit}}, 4, 1, 0.5);
    assert_middle((sc__osm_point[]){{0, 0}, {0, 3 * unit}, {3 * unit, 0}}, 3, 1, 1);
    // Corners crowded on one side do not draw it there, as a mean of them would.
    assert_middle(
        (sc__osm_point[]){
            {0, 0}, {unit / 4, 0}, {unit / 2, 0}, {2 * unit, 0}, {2 * unit, unit}, {0, unit}},
        6, 1, 0.5);
    // An L of three squares, beside 180 degrees east.
    const int32_t east = 179 * unit;
    assert_middle((sc__osm_point[]){{east, 0},
                                    {east + unit, 0},
                                    {east + unit, unit / 2},
                                    {east + unit / 2, unit / 2},
                                    {east + unit / 2, unit},
                                    {east, unit}},
                  6, 179 + 5.0 / 12, 5.0 / 12);
}

static void test_rings_without_an_area_have_the_mean_of_their_corners(void **state)
{
    (void)state;
    const int32_t unit = 10000000;
    assert_middle((sc__osm_point[]){{unit, unit}}, 1, 1, 1);
    assert_middle((sc__osm_point[]){{0, 0}, {3 * unit, 3 * unit}}, 2, 1.5, 1.5);
    assert_middle((sc__osm_point[]){{0, 0}, {unit, 0}, {2 * unit, 0}}, 3, 1, 0);
    // A bow tie whose halves almost cancel: its centroid would be far away.
    assert_middle((sc__osm_point[]){{0, 0}, {unit, unit}, {unit, 0}, {0, unit + 1}}, 4, 0.5,
                  0.5 + 0.25e-7);
}

static void test_missing_corners_are_passed_over(void **state)
{
    (void)state;
    const int32_t unit = 10000000;
    const sc__osm_point gone = {SC__OSM_NO_POINT, 0};
    assert_middle((sc__osm_point[]){gone, {0, 0}, {0, 3 * unit}, gone, {3 * unit, 0}, gone}, 6, 1,
                  1);
    double x = 0;
    double y = 0;
    assert_false(sc__osm_ring_middle((sc__osm_point[]){gone, gone, gone}, 3, &x, &y));
    assert_false(sc__osm_ring_middle(NULL, 0, &x, &y));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sorting_agrees_with_qsort_and_keeps_the_order_of_equals),
    cmocka_unit_test(test_extreme_ids_are_in_order),
    cmocka_unit_test(test_nodes_are_found_in_whatever_order_they_come),
    cmocka_unit_test(test_the_middle_of_a_ring_is_the_centroid_of_its_area),
    cmocka_unit_test(test_rings_without_an_area_have_the_mean_of_their_corners),
    cmocka_unit_test(test_missing_corners_are_passed_over),
};
SC_SUITE(tests)
