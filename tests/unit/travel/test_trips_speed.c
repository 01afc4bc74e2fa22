// Travellers on trips: at the speed of their vehicle, their road and their pace, by a fastest way.
#include "on_trips.h"

#include "support/metric.h"

#include "travel/travel_internal.h"

static road_place as_road_place(const sc_map *map, sc_place place)
{
    return (road_place){place.edge, place.offset * sc_map_unit_m(map)};
}

// --- No faster than they may ------------------------------------------------

// Segments take whole milliseconds, at least one, and may so be half a millisecond too quick: of a
// way of some segments, not more than a few milliseconds in all.
static void test_no_traveller_gets_farther_than_the_fastest_road_allows(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    int moved_count = 0;
    for (uint64_t seed = 0; seed < 250; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        fixture f = fixture_of(&s);
        metric m = metric_new(f.map);
        const double share = (double)(seed % 2);
        const double fastest = fastest_m_s(f.map, seed % 2 ? SC_TRUCK : SC_CAR) * SC__PACE_MAX;
        sc_movement *trips = trips_on(&f, COUNT, share, seed);
        for (uint32_t who = 0; who < COUNT; who++) {
            sc_place before = place_at(trips, who, 0);
            check_on_road(f.map, before);
            for (int i = 1; i <= 12; i++) {
                const sc_place here = place_at(trips, who, sc_time_from_seconds(3.7) * i);
                check_on_road(f.map, here);
                const double moved =
                    metric_between(&m, as_road_place(f.map, before), as_road_place(f.map, here));
                assert_true(moved <= fastest * (3.7 + 0.02) + 2 * sc_map_unit_m(f.map));
                moved_count += moved > 0;
                before = here;
            }
        }
        sc_movement_free(trips);
        metric_free(&m);
        fixture_free(&f);
    }
    check_case_done();
    assert_true(moved_count > 4000);
}

// Back and forth on one road, 100 m motorway and 100 m service road, there is nothing to choose but
// where to turn: a traveller moves at the speed of its part times a pace that stays.
static void test_each_road_is_driven_at_its_own_speed(void **state)
{
    (void)state;
    enum { COUNT = 30, MOMENTS = 2000 };
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B--C\n", "");
    s.edges[0].length = 100.0;
    s.edges[0].road_class = SC_ROAD_MOTORWAY;
    s.edges[1].length = 100.0;
    s.edges[1].road_class = SC_ROAD_SERVICE;
    fixture f = fixture_of(&s);
    for (int vehicle = 0; vehicle < SC_VEHICLE_COUNT; vehicle++) {
        sc_movement *trips = trips_on(&f, COUNT, vehicle, 5);
        double squares = 0;
        for (uint32_t who = 0; who < COUNT; who++) {
            double pace = 0;
            int driven = 0;
            sc_place before = place_at(trips, who, 0);
            int direction = 0;
            for (int i = 1; i < MOMENTS; i++) {
                const sc_place here = place_at(trips, who, sc_time_from_seconds(0.1) * i);
                const double moved = ((double)here.offset - before.offset) * sc_map_unit_m(f.map);
                const int now = (moved > 0) - (moved < 0);
                // Within one edge, and going the same way as before: it has not turned or stopped.
                const bool is_driving = here.edge == before.edge && now != 0 && now == direction;
                const uint32_t length = sc_map_edges(f.map)[here.edge].length;
                if (is_driving && here.offset > 0 && here.offset < length) {
                    const unsigned road_class = sc_map_edge_classes(f.map)[here.edge];
                    const double full = sc_speed_m_s((sc_vehicle)vehicle, road_class) * 0.1;
                    const double seen = fabs(moved) / full;
                    if (pace == 0) pace = seen;
                    // Whole millimetres of 0.35 m or more.
                    CHECK_CLOSE(seen, pace, 0.01);
                    assert_true(seen >= SC__PACE_MIN - 0.01 && seen <= SC__PACE_MAX + 0.01);
                    driven++;
                }
                direction = here.edge == before.edge ? now : 0;
                before = here;
            }
            assert_true(driven > MOMENTS / 10);
            squares += (pace - 1.0) * (pace - 1.0);
        }
        // Each has a pace of its own; four standard errors of the deviation.
        CHECK_CLOSE(sqrt(squares / COUNT), 0.1, 4.0 * 0.1 / sqrt(2.0 * COUNT));
        sc_movement_free(trips);
    }
    fixture_free(&f);
}

// All on roads of one class: distance per time is the speed there, trucks' a known part of cars'.
static void test_trucks_are_slower_as_their_class_says(void **state)
{
    (void)state;
    enum { COUNT = 300, MOMENTS = 100 };
    fixture f = fixture_grid(8, 8);
    metric m = metric_new(f.map);
    double moved_m[SC_VEHICLE_COUNT] = {0};
    for (int vehicle = 0; vehicle < SC_VEHICLE_COUNT; vehicle++) {
        sc_movement *trips = trips_on(&f, COUNT, vehicle, 7);
        for (uint32_t who = 0; who < COUNT; who++) {
            sc_place before = place_at(trips, who, 0);
            for (int i = 1; i <= MOMENTS; i++) {
                const sc_place here = place_at(trips, who, sc_time_from_seconds(1) * i);
                moved_m[vehicle] +=
                    metric_between(&m, as_road_place(f.map, before), as_road_place(f.map, here));
                before = here;
            }
        }
        sc_movement_free(trips);
    }
    const unsigned road_class = sc_map_edge_classes(f.map)[0];
    const double wanted = sc_speed_m_s(SC_TRUCK, road_class) / sc_speed_m_s(SC_CAR, road_class);
    assert_true(wanted < 0.9);
    // Stops and turns at destinations, a few in a hundred seconds, are not quite in proportion.
    CHECK_CLOSE(moved_m[SC_TRUCK] / moved_m[SC_CAR], wanted, 0.02);
    metric_free(&m);
    fixture_free(&f);
}

static void test_as_many_are_trucks_as_was_asked_for(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B\n", "");
    s.edges[0].length = 100000.0;
    s.edges[0].road_class = SC_ROAD_MOTORWAY;
    fixture f = fixture_of(&s);
    sc_movement *trips = trips_on(&f, COUNT, 0.3, 8);
    double sum = 0;
    int driving = 0;
    const uint32_t length = sc_map_edges(f.map)[0].length;
    for (uint32_t who = 0; who < COUNT; who++) {
        const sc_place before = place_at(trips, who, 0);
        const sc_place here = place_at(trips, who, sc_time_from_seconds(10));
        // Half of all trips lead to where one is, and some end just now.
        if (before.offset % length == 0 || here.offset % length == 0) continue;
        sum += fabs((double)here.offset - before.offset) * sc_map_unit_m(f.map) / 10.0;
        driving++;
    }
    assert_true(driving > COUNT / 3);
    const double car = sc_speed_m_s(SC_CAR, SC_ROAD_MOTORWAY);
    const double truck = sc_speed_m_s(SC_TRUCK, SC_ROAD_MOTORWAY);
    // Four standard errors of a mean of both kinds with paces of their own.
    const double spread = hypot(sqrt(0.3 * 0.7) * (car - truck), 0.1 * car);
    CHECK_CLOSE(sum / driving, 0.7 * car + 0.3 * truck, 4.0 * spread / sqrt(driving));
    sc_movement_free(trips);
    fixture_free(&f);
}

// From stop to stop, the steps add up to the shortest way: on roads of one class it is the fastest.
static void test_everybody_takes_a_fastest_way(void **state)
{
    (void)state;
    enum { COUNT = 40, MOMENTS = 1500 };
    fixture f = fixture_grid(7, 6);
    metric m = metric_new(f.map);
    sc_movement *trips = trips_on(&f, COUNT, 0.5, 12);
    int way_count = 0;
    for (uint32_t who = 0; who < COUNT; who++) {
        road_place began = {0};
        bool has_begun = false;
        double driven = 0;
        road_place before = as_road_place(f.map, place_at(trips, who, 0));
        for (int i = 1; i < MOMENTS; i++) {
            const road_place here =
                as_road_place(f.map, place_at(trips, who, sc_time_from_seconds(0.4) * i));
            const double step = metric_between(&m, before, here);
            driven += step;
            if (step == 0 && driven > 0) {  // it has stopped
                const double shortest = metric_between(&m, began, here);
                // A step round a corner is as long as any other: only sums of doubles differ.
                if (has_begun) CHECK_CLOSE(driven, shortest, 1e-6);
                way_count += has_begun && shortest > 500;
                driven = 0;
                has_begun = true;
                began = here;
            }
            before = here;
        }
    }
    assert_true(way_count > 100);
    sc_movement_free(trips);
    metric_free(&m);
    fixture_free(&f);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_no_traveller_gets_farther_than_the_fastest_road_allows),
    cmocka_unit_test(test_each_road_is_driven_at_its_own_speed),
    cmocka_unit_test(test_trucks_are_slower_as_their_class_says),
    cmocka_unit_test(test_as_many_are_trucks_as_was_asked_for),
    cmocka_unit_test(test_everybody_takes_a_fastest_way),
};
SC_SUITE(tests)
