// Every allocation of travellers on trips fails once, in turn; a traveller that could not be moved
// is where it was, and goes on as if nothing had been.
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

#include "travel/trips.h"

static sc_map *grid_map(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 40, 3);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static void test_a_route_table_without_memory_is_told(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        // Only what this thread makes fails; what is made aside is whole, and freed.
        sc_route_table routes;
        sc_diag diag = {""};
        const sc_err err = sc_route_table_init(&routes, map, NULL, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_route_table_fini(&routes);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(routes.by_vehicle[SC_CAR]);
        assert_null(routes.by_vehicle[SC_TRUCK]);
        failures++;
    }
    assert_true(failures > 3);
    sc_map_free(map);
}

static void test_trips_without_memory_are_told(void **state)
{
    (void)state;
    sc_map *map = grid_map();
    const sc_trips_options options = {.count = 100, .truck_share = 0.5, .seed = 1};
    sc_route_table routes;
    CHECK_OK(sc_route_table_init(&routes, map, NULL, NULL), NULL);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_movement *trips = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_trips_new(map, &routes, &options, &trips, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_movement_free(trips);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while making travellers");
        assert_null(trips);
        failures++;
    }
    // The trips, the travellers, their legs, two searches, two tables of edges; or more.
    assert_true(failures >= 7);
    sc_route_table_fini(&routes);
    sc_map_free(map);
}

static sc_movement *trips_on(const sc_map *map, const sc_route_table *routes)
{
    const sc_trips_options options = {.count = 4, .truck_share = 0.5, .seed = 2};
    sc_movement *trips = NULL;
    CHECK_OK(sc_trips_new(map, routes, &options, &trips, NULL), NULL);
    return trips;
}

static sc_place place_at(sc_movement *trips, uint32_t who, sc_time t)
{
    sc_place place = {SC_NONE, 0};
    sc_time back = 0;
    CHECK_OK(sc_movement_at(trips, who, t, &place, &back), NULL);
    return place;
}

/** Both movements have that traveller at the same place; the other one was never troubled. */
static void check_as_untroubled(sc_movement *trips, const sc_map *map, const sc_route_table *routes,
                                uint32_t who, sc_time t)
{
    sc_movement *untroubled = trips_on(map, routes);
    const sc_place wanted = place_at(untroubled, who, t);
    const sc_place got = place_at(trips, who, t);
    assert_int_equal(got.edge, wanted.edge);
    assert_int_equal(got.offset, wanted.offset);
    sc_movement_free(untroubled);
}

enum { QUESTIONS = 24 };

// Let the n-th allocation of some question from `quiet` on fail; whether there was one. Then a
// moment before is asked for, and then the same again.
static bool trouble(const sc_map *map, const sc_route_table *routes, int quiet, unsigned long n)
{
    sc_movement *trips = trips_on(map, routes);
    bool has_failed = false;
    for (int i = 0; i < QUESTIONS; i++) {
        const sc_time t = sc_time_from_seconds(1000) * i;
        const uint32_t who = (uint32_t)i % 4;
        sc_place place = {17, 4711};
        sc_time back = -5;
        if (i >= quiet && !has_failed) oom_arm(n);
        const sc_err err = sc_movement_at(trips, who, t, &place, &back);
        if (oom_happened()) {
            has_failed = true;
            assert_int_equal(err, SC_ENOMEM);
            assert_true(place.edge == 17 && place.offset == 4711 && back == -5);
            check_as_untroubled(trips, map, routes, who, i < 4 ? 0 : t - sc_time_from_seconds(500));
        } else {
            CHECK_OK(err, NULL);
        }
        check_as_untroubled(trips, map, routes, who, t);
    }
    sc_movement_free(trips);
    return has_failed;
}

// At its first question, after a while on its first trips, and after many.
static void test_who_cannot_be_moved_has_not_moved(void **state)
{
    (void)state;
    sc_map *map = grid_map();
    sc_route_table routes;
    CHECK_OK(sc_route_table_init(&routes, map, NULL, NULL), NULL);
    unsigned long failures = 0;
    for (int quiet = 0; quiet < QUESTIONS; quiet += 3) {
        unsigned long n = 1;
        while (trouble(map, &routes, quiet, n)) {
            n++;
            failures++;
        }
    }
    assert_true(failures >= 3);
    sc_route_table_fini(&routes);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_route_table_without_memory_is_told),
    cmocka_unit_test(test_trips_without_memory_are_told),
    cmocka_unit_test(test_who_cannot_be_moved_has_not_moved),
};
SC_SUITE(tests)
