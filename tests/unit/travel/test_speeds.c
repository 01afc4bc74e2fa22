// How fast vehicles go on which roads.
#include "travel/speeds.h"

#include "support/check.h"

static double km_h(sc_vehicle vehicle, unsigned road_class)
{
    return sc_speed_m_s(vehicle, road_class) * 3.6;
}

static void test_cars_go_as_fast_as_their_roads_are_made_for(void **state)
{
    (void)state;
    CHECK_CLOSE(km_h(SC_CAR, SC_ROAD_MOTORWAY), 105, 1e-9);
    CHECK_CLOSE(km_h(SC_CAR, SC_ROAD_LOCAL), 35, 1e-9);
    CHECK_CLOSE(km_h(SC_CAR, SC_ROAD_UNKNOWN), 50, 1e-9);
    // Each class of road leads to those after it, and is faster.
    for (unsigned c = SC_ROAD_MOTORWAY; c < SC_ROAD_SERVICE; c++) {
        assert_true(sc_speed_m_s(SC_CAR, c) > sc_speed_m_s(SC_CAR, c + 1));
    }
}

static void test_trucks_are_slower_everywhere_and_most_where_cars_are_fast(void **state)
{
    (void)state;
    CHECK_CLOSE(km_h(SC_TRUCK, SC_ROAD_MOTORWAY), 80, 1e-9);
    CHECK_CLOSE(km_h(SC_TRUCK, SC_ROAD_TRUNK), 70, 1e-9);
    for (unsigned c = 0; c < SC_ROAD_CLASS_COUNT; c++) {
        const double share = sc_speed_m_s(SC_TRUCK, c) / sc_speed_m_s(SC_CAR, c);
        assert_true(share > 0 && share < 0.9);
        assert_true(share >= km_h(SC_TRUCK, SC_ROAD_MOTORWAY) / km_h(SC_CAR, SC_ROAD_MOTORWAY));
    }
}

static void test_an_undefined_class_is_driven_as_an_unknown_one(void **state)
{
    (void)state;
    for (int v = 0; v < SC_VEHICLE_COUNT; v++) {
        const double unknown = sc_speed_m_s((sc_vehicle)v, SC_ROAD_UNKNOWN);
        CHECK_SAME(sc_speed_m_s((sc_vehicle)v, SC_ROAD_CLASS_COUNT), unknown);
        CHECK_SAME(sc_speed_m_s((sc_vehicle)v, 255), unknown);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cars_go_as_fast_as_their_roads_are_made_for),
    cmocka_unit_test(test_trucks_are_slower_everywhere_and_most_where_cars_are_fast),
    cmocka_unit_test(test_an_undefined_class_is_driven_as_an_unknown_one),
};
SC_SUITE(tests)
