// Every allocation of finding ways fails once, in turn.
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

#include "travel/routes.h"

/** A grid with a loop, a dead end and two roads side by side. */
static sc_map *small_town(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    const uint32_t end = sketch_add_node(&s, 1000, 1000);
    sketch_add_edge(&s, 0, end, 50);
    sketch_add_edge(&s, 7, 7, 80);
    sketch_add_edge(&s, 14, 15, 40);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static void test_ways_without_memory_are_told(void **state)
{
    (void)state;
    sc_map *map = small_town();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_routes *routes = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_routes_new(map, SC_CAR, NULL, &routes, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_routes_free(routes);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while finding routes");
        assert_null(routes);
        failures++;
    }
    // Nine tables, and what grows in the star graph, the searches and the order.
    assert_true(failures > 20);
    sc_map_free(map);
}

static void test_a_search_without_memory_can_be_made_again(void **state)
{
    (void)state;
    sc_map *map = small_town();
    sc_routes *routes = NULL;
    CHECK_OK(sc_routes_new(map, SC_CAR, NULL, &routes, NULL), NULL);
    const sc_place from = {0, 0};
    const sc_place to = {sc_map_edge_count(map) - 1, 1};

    sc_route wanted = {0};
    sc_route_search *search = NULL;
    CHECK_OK(sc_route_search_new(routes, &search), NULL);
    CHECK_OK(sc_route_find(search, from, to, &wanted), NULL);
    assert_true(wanted.leg_count > 2);
    sc_route_search_free(search);

    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_route route = {0};
        search = NULL;
        sc_err err = sc_route_search_new(routes, &search);
        if (!err) err = sc_route_find(search, from, to, &route);
        const bool has_failed = oom_happened();
        if (has_failed) {
            assert_int_equal(err, SC_ENOMEM);
            assert_int_equal(route.leg_count, 0);
            failures++;
        }
        // Nothing of the search that failed is left over.
        if (search) {
            CHECK_OK(sc_route_find(search, from, to, &route), NULL);
            assert_int_equal(route.leg_count, wanted.leg_count);
            for (size_t i = 0; i < wanted.leg_count; i++) {
                assert_int_equal(route.legs[i].segment, wanted.legs[i].segment);
                assert_int_equal(route.legs[i].is_backwards, wanted.legs[i].is_backwards);
            }
        }
        sc_route_search_free(search);
        sc_route_fini(&route);
        if (!has_failed) break;
    }
    // The search and its two sides; then each side's stars and turns, the stars ahead, the legs.
    assert_true(failures >= 9);
    sc_route_fini(&wanted);
    sc_routes_free(routes);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ways_without_memory_are_told),
    cmocka_unit_test(test_a_search_without_memory_can_be_made_again),
};
SC_SUITE(tests)
