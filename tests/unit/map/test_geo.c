// Distances on the ground, the local scale, and which positions are some.
#include "support/check.h"

#include "base/rng.h"
#include "map/geo.h"

#include <math.h>

/** A direction from the middle of the globe. */
typedef struct direction {
    long double x, y, z;
} direction;

static direction direction_of(double lon, double lat)
{
    const long double degree = acosl(-1.0L) / 180.0L;
    const long double a = (long double)lon * degree;
    const long double b = (long double)lat * degree;
    return (direction){cosl(b) * cosl(a), cosl(b) * sinl(a), sinl(b)};
}

// The angle between two directions in space: another way to the great-circle
// distance than the haversine.
static double distance_in_space(double lon_a, double lat_a, double lon_b, double lat_b)
{
    const direction a = direction_of(lon_a, lat_a);
    const direction b = direction_of(lon_b, lat_b);
    const direction cross = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    const long double sine = sqrtl(cross.x * cross.x + cross.y * cross.y + cross.z * cross.z);
    return (double)(6371008.8L * atan2l(sine, a.x * b.x + a.y * b.y + a.z * b.z));
}

static void test_distances_equal_the_angle_in_space(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (uint64_t i = 0; i < 100000; i++) {
        check_case(i);
        const double lon = 360.0 * sc_rng_unit(&rng) - 180.0;
        const double lat = 180.0 * sc_rng_unit(&rng) - 90.0;
        // From the whole globe down to a centimetre.
        const double reach = pow(10.0, -7.0 + 9.0 * sc_rng_unit(&rng));
        const double other_lon = fmin(fmax(lon + reach * (sc_rng_unit(&rng) - 0.5), -180.0), 180.0);
        const double other_lat = fmin(fmax(lat + reach * (sc_rng_unit(&rng) - 0.5), -90.0), 90.0);
        const double wanted = distance_in_space(lon, lat, other_lon, other_lat);
        // Near the antipode the haversine loses half of its digits: centimetres.
        const double tolerance = wanted < 19e6 ? wanted * 1e-9 + 1e-8 : 0.2;
        CHECK_CLOSE(sc_geo_distance_m(lon, lat, other_lon, other_lat), wanted, tolerance);
    }
    check_case_done();
}

static void test_known_distances_are_right(void **state)
{
    (void)state;
    const double quarter = 6371008.8 * SC_PI / 2.0;
    CHECK_SAME(sc_geo_distance_m(8.5, 49.5, 8.5, 49.5), 0.0);
    CHECK_CLOSE(sc_geo_distance_m(0, 0, 90, 0), quarter, 1e-6);
    CHECK_CLOSE(sc_geo_distance_m(33, 90, -70, 0), quarter, 1e-6);
    CHECK_CLOSE(sc_geo_distance_m(0, 0, 180, 0), 2.0 * quarter, 1e-6);
    CHECK_CLOSE(sc_geo_distance_m(-45, -90, 45, 90), 2.0 * quarter, 1e-6);
    // All longitudes are one point at a pole, and -180 is 180.
    CHECK_CLOSE(sc_geo_distance_m(10, 90, 100, 90), 0.0, 1e-8);
    CHECK_CLOSE(sc_geo_distance_m(-180, 12, 180, 12), 0.0, 1e-8);
    // San Francisco to New York, by any table about 4130 km.
    CHECK_CLOSE(sc_geo_distance_m(-122.4194, 37.7749, -74.0060, 40.7128), 4129e3, 2e3);
}

static void test_the_local_scale_measures_short_ways_as_the_globe_does(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 2);
    for (uint64_t i = 0; i < 10000; i++) {
        check_case(i);
        const double lon = 360.0 * sc_rng_unit(&rng) - 180.0;
        const double lat = 160.0 * sc_rng_unit(&rng) - 80.0;
        const sc_scale scale = sc_geo_scale_at(lat);
        const double dx = 1e4 * (sc_rng_unit(&rng) - 0.5);  // grid steps: up to 55 m
        const double dy = 1e4 * (sc_rng_unit(&rng) - 0.5);
        const double flat = hypot(dx * scale.x, dy * scale.y);
        const double round = sc_geo_distance_m(lon, lat, lon + dx / 1e7, lat + dy / 1e7);
        // Over 100 m the flat picture errs by a hundred-thousandth at 80 degrees.
        CHECK_CLOSE(flat, round, round * 1e-4);
    }
    check_case_done();
}

static void test_the_local_scale_is_never_negative(void **state)
{
    (void)state;
    for (int i = -900; i <= 900; i++) {
        const sc_scale scale = sc_geo_scale_at(i / 10.0);
        assert_true(scale.x >= 0.0 && scale.y > 0.0 && scale.x <= scale.y);
    }
    CHECK_CLOSE(sc_geo_scale_at(90.0).x, 0.0, 1e-12);
    CHECK_CLOSE(sc_geo_scale_at(-90.0).x, 0.0, 1e-12);
}

static void test_positions_are_valid_up_to_their_bounds(void **state)
{
    (void)state;
    static const struct {
        sc_coords coords;
        double x, y;
        bool valid;
    } cases[] = {
        {SC_COORDS_GEOGRAPHIC, 180, 90, true},
        {SC_COORDS_GEOGRAPHIC, -180, -90, true},
        {SC_COORDS_GEOGRAPHIC, 180.0000001, 0, false},
        {SC_COORDS_GEOGRAPHIC, 0, -90.0000001, false},
        {SC_COORDS_GEOGRAPHIC, NOT_A_NUMBER, 0, false},
        {SC_COORDS_GEOGRAPHIC, 0, NOT_A_NUMBER, false},
        {SC_COORDS_GEOGRAPHIC, HUGE_VAL, 0, false},
        {SC_COORDS_PLANAR, 1e8, -1e8, true},
        {SC_COORDS_PLANAR, 1.0000001e8, 0, false},
        {SC_COORDS_PLANAR, 0, -HUGE_VAL, false},
        {SC_COORDS_PLANAR, NOT_A_NUMBER, NOT_A_NUMBER, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        assert_int_equal(sc_geo_valid(cases[i].coords, cases[i].x, cases[i].y), cases[i].valid);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_distances_equal_the_angle_in_space),
    cmocka_unit_test(test_known_distances_are_right),
    SC_CASES(test_the_local_scale_measures_short_ways_as_the_globe_does),
    cmocka_unit_test(test_the_local_scale_is_never_negative),
    SC_CASES(test_positions_are_valid_up_to_their_bounds),
};
SC_SUITE(tests)
