// Walkers as a movement: on the roads, each on its own way, the same for the same seed.
#include "travel/walk.h"

#include "support/check.h"
#include "support/metric.h"
#include "support/sketch.h"

#include "travel/travel_internal.h"

static sc_movement *walk_on(const sc_map *map, uint32_t count, uint64_t seed)
{
    sc_movement *walk = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_walk_new(map, count, seed, &walk, &diag), &diag);
    return walk;
}

static sc_place place_at(sc_movement *walk, uint32_t who, sc_time t)
{
    sc_place place = {SC_NONE, 0};
    sc_time back = -1;
    CHECK_OK(sc_movement_at(walk, who, t, &place, &back), NULL);
    assert_true(back == t);
    return place;
}

static void check_same_place(sc_place a, sc_place b)
{
    assert_int_equal(a.edge, b.edge);
    assert_int_equal(a.offset, b.offset);
}

static void test_walkers_stay_on_the_roads_and_within_their_speed(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    int moved_count = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sketch_free(&s);
        metric m = metric_new(map);
        const double fastest = fastest_m_s(map, SC_CAR) * SC__PACE_MAX;
        sc_movement *walk = walk_on(map, COUNT, seed);
        for (uint32_t who = 0; who < COUNT; who++) {
            sc_place before = place_at(walk, who, 0);
            for (int i = 1; i <= 10; i++) {
                const sc_place here = place_at(walk, who, sc_time_from_seconds(7) * i);
                const double unit_m = sc_map_unit_m(map);
                assert_true(here.edge < sc_map_edge_count(map));
                assert_true(here.offset <= sc_map_edges(map)[here.edge].length);
                const double moved =
                    metric_between(&m, (road_place){before.edge, before.offset * unit_m},
                                   (road_place){here.edge, here.offset * unit_m});
                assert_true(moved <= fastest * 7.0 + 1e-6);
                moved_count += moved > 0;
                before = here;
            }
        }
        sc_movement_free(walk);
        metric_free(&m);
        sc_map_free(map);
    }
    check_case_done();
    assert_true(moved_count > 2000);
}

// One is asked about alone, and among others who are asked about in another order.
static void test_a_walker_goes_its_own_way_whichever_others_are_asked_about(void **state)
{
    (void)state;
    enum { COUNT = 9, MOMENTS = 50 };
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 5);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    sc_movement *alone = walk_on(map, COUNT, 12);
    sc_movement *among = walk_on(map, COUNT, 12);
    for (int i = 0; i < MOMENTS; i++) {
        const sc_time t = sc_time_from_seconds(5) * i;
        for (uint32_t who = COUNT; who-- > 4;) {
            place_at(among, who, t);
        }
        check_same_place(place_at(among, 3, t), place_at(alone, 3, t));
        // The same question again has the same answer.
        check_same_place(place_at(among, 3, t), place_at(alone, 3, t));
    }
    sc_movement_free(alone);
    sc_movement_free(among);
    sc_map_free(map);
}

static void test_another_seed_makes_other_walkers(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 5);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    sc_movement *a = walk_on(map, COUNT, 1);
    sc_movement *b = walk_on(map, COUNT, 2);
    int same_count = 0;
    for (uint32_t who = 0; who < COUNT; who++) {
        const sc_place in_a = place_at(a, who, 0);
        const sc_place in_b = place_at(b, who, 0);
        same_count += in_a.edge == in_b.edge;
    }
    // There are 49 edges: one or two coincide.
    assert_true(same_count < 6);
    sc_movement_free(a);
    sc_movement_free(b);
    sc_map_free(map);
}

static void test_what_cannot_walk_is_refused(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&s);
    sc_movement *walk = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_walk_new(map, 0, 1, &walk, &diag), SC_EINVAL, &diag,
                  "1 to 100000000 travellers, not 0");
    CHECK_REFUSED(sc_walk_new(map, 100000001, 1, &walk, &diag), SC_EINVAL, &diag, "not 100000001");
    assert_null(walk);
    sc_movement_free(NULL);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_walkers_stay_on_the_roads_and_within_their_speed),
    cmocka_unit_test(test_a_walker_goes_its_own_way_whichever_others_are_asked_about),
    cmocka_unit_test(test_another_seed_makes_other_walkers),
    cmocka_unit_test(test_what_cannot_walk_is_refused),
};
SC_SUITE(tests)
