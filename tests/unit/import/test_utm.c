// UTM against positions computed another way: the meridian arc as an integral,
// taken numerically with 40 digits at a complex latitude (the transverse
// Mercator projection is the analytic continuation of the arc as a function of
// the isometric latitude). No series is involved there.
#include "import/utm.h"
#include "support/check.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct {
    int zone;
    double lon, lat, easting_m, northing_m;
} known[] = {
    {16, -84.4, 33.8, 740697.3403368292, 3743020.0576374547},
    {16, -87, 45, 500000.0, 4982950.4001068534},
    {31, 3, 0, 500000.0, 0.0},
    {31, 3, 84, 500000.0, 9328093.8304673595},
    {10, -122.4194, 37.7749, 551130.7684815974, 4180998.8813885303},
    {33, 12, 60, 332705.1788734831, 6655205.4835115929},
    {32, 6, 84, 465005.344938293, 9329005.1823543005},
    {-56, 151.2093, -33.8688, 334368.6336472508, 6250948.3454885566},
    {-19, -69, -80, 500000.0, 1118414.1841119761},
    {1, 179.9, 10, 160097.0061368855, 1107010.3951413338},
    {60, -179.5, 0, 889706.4506731845, 0.0},
    {36, 36, 0.000001, 833978.5569194655, 0.11068275598369648},
    {30, -6, 0, 166021.4430805345, 0.0},
    {-60, 179, -52.5, 635759.0229559954, 4181467.8553498071},
};

// A micrometre, in metres and (roughly) in degrees.
#define TOLERANCE_M 1e-6
#define TOLERANCE_DEGREES 1e-11

static void assert_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance)) {
        fail_msg("%.17g is not %.17g within %g", actual, expected, tolerance);
    }
}

static void test_metres_become_the_degrees_of_an_independent_computation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double lon = 0;
        double lat = 0;
        assert_true(
            sc__utm_to_degrees(known[i].zone, known[i].easting_m, known[i].northing_m, &lon, &lat));
        // Meridians draw together towards the poles: so does the tolerance in degrees.
        const double narrowing = cos(known[i].lat * 3.14159265358979 / 180);
        assert_near(lon, known[i].lon, 2 * TOLERANCE_DEGREES / narrowing);
        assert_near(lat, known[i].lat, TOLERANCE_DEGREES);
    }
}

// Metres from degrees: the projection itself, which the library has no use for.
static void project(int zone, double lon, double lat, double *easting_m, double *northing_m)
{
    const double radians = 3.14159265358979323846 / 180;
    const double f = 1 / 298.257222101;
    const double n = f / (2 - f);
    const double n2 = n * n;
    const double n3 = n2 * n;
    const double n4 = n3 * n;
    const double series[] = {
        n / 2 - 2 * n2 / 3 + 5 * n3 / 16 + 41 * n4 / 180,
        13 * n2 / 48 - 3 * n3 / 5 + 557 * n4 / 1440,
        61 * n3 / 240 - 103 * n4 / 140,
        49561 * n4 / 161280,
    };
    const double e = sqrt(f * (2 - f));
    const double isometric = asinh(tan(lat * radians)) - e * atanh(e * sin(lat * radians));
    const double from_middle = remainder(lon - (6.0 * abs(zone) - 183.0), 360) * radians;
    const double xi = atan2(sinh(isometric), cos(from_middle));
    const double eta = asinh(sin(from_middle) / hypot(sinh(isometric), cos(from_middle)));
    double x = eta;
    double y = xi;
    for (int j = 0; j < 4; j++) {
        const double times = 2.0 * (j + 1);
        x += series[j] * cos(times * xi) * sinh(times * eta);
        y += series[j] * sin(times * xi) * cosh(times * eta);
    }
    const double radius_m = 0.9996 * 6378137.0 / (1 + n) * (1 + n2 / 4 + n4 / 64);
    *easting_m = 500000.0 + radius_m * x;
    *northing_m = (zone < 0 ? 10000000.0 : 0) + radius_m * y;
}

static void test_projected_again_it_is_the_same_place(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 20);
    for (int i = 0; i < 20000; i++) {
        const int number = 1 + (int)sc_rng_below(&rng, 60);
        const int zone = sc_rng_below(&rng, 2) ? number : -number;
        const double easting_m = 1.0e6 * sc_rng_unit(&rng);
        const double northing_m =
            zone > 0 ? 9.2e6 * sc_rng_unit(&rng) : 1.2e6 + 8.8e6 * sc_rng_unit(&rng);
        double lon = 0;
        double lat = 0;
        assert_true(sc__utm_to_degrees(zone, easting_m, northing_m, &lon, &lat));
        assert_true(lon >= -180 && lon <= 180);
        assert_true(zone > 0 ? lat >= 0 : lat <= 0);

        double x_m = 0;
        double y_m = 0;
        project(zone, lon, lat, &x_m, &y_m);
        assert_near(x_m, easting_m, TOLERANCE_M);
        assert_near(y_m, northing_m, TOLERANCE_M);
    }
}

static void test_what_is_no_utm_position_is_refused_and_nothing_set(void **state)
{
    (void)state;
    const struct {
        int zone;
        double easting_m, northing_m;
    } bad[] = {
        {16, -1, 4e6},       {16, 1000001, 4e6}, {16, 5e5, -1},
        {16, 5e5, 9.5e6},    {16, nan(""), 4e6}, {16, 5e5, nan("")},
        {16, HUGE_VAL, 4e6}, {-16, 5e5, 0.9e6},  {-16, 5e5, 1.1e7},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double lon = 7;
        double lat = 7;
        assert_false(
            sc__utm_to_degrees(bad[i].zone, bad[i].easting_m, bad[i].northing_m, &lon, &lat));
        assert_true(lon == 7 && lat == 7);
    }
}

static void test_there_are_sixty_zones_on_each_side_of_the_equator(void **state)
{
    (void)state;
    int count = 0;
    for (int zone = -100; zone <= 100; zone++) {
        count += sc__utm_zone_exists(zone);
    }
    assert_int_equal(count, 120);
    assert_false(sc__utm_zone_exists(0));
    assert_true(sc__utm_zone_exists(60));
    assert_false(sc__utm_zone_exists(61));
    assert_true(sc__utm_zone_exists(-60));
    assert_false(sc__utm_zone_exists(-61));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_metres_become_the_degrees_of_an_independent_computation),
    cmocka_unit_test(test_projected_again_it_is_the_same_place),
    cmocka_unit_test(test_what_is_no_utm_position_is_refused_and_nothing_set),
    cmocka_unit_test(test_there_are_sixty_zones_on_each_side_of_the_equator),
};
SC_SUITE(tests)
