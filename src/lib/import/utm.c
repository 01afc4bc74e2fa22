// Krueger's series for the transverse Mercator projection.
//
// The road from the plane to the globe, and the names on the way:
//   easting, northing -> (xi, eta), the plane with radius 1 at the equator
//                     -> (xi', eta'), the same for a sphere (the series)
//                     -> conformal latitude and longitude on that sphere
//                     -> latitude on the ellipsoid (Newton's method)
// `n` is the third flattening; the coefficients are those of L. Krueger (1912),
// as given to higher order by C. Karney (2011).
#include "import/utm.h"

#include <math.h>
#include <stdlib.h>

#define EQUATOR_RADIUS_M 6378137.0
#define FLATTENING (1.0 / 298.257222101)
#define ECCENTRICITY_SQUARED (FLATTENING * (2.0 - FLATTENING))
#define THIRD_FLATTENING (FLATTENING / (2.0 - FLATTENING))

// Every zone is scaled so, to spread its error; and shifted so, to have no
// negative numbers in it.
#define CENTRAL_SCALE 0.9996
#define FALSE_EASTING_M 500000.0
#define FALSE_NORTHING_SOUTH_M 10000000.0

#define DEGREES_PER_RADIAN 57.295779513082320877

enum { ORDER = 4 };

// The powers of n that all coefficients are made of.
typedef struct powers {
    double n, n2, n3, n4;
} powers;

static powers powers_of_flattening(void)
{
    const double n = THIRD_FLATTENING;
    return (powers){n, n * n, n * n * n, n * n * n * n};
}

// Radius of the sphere whose meridian is as long as the ellipsoid's, scaled.
static double scaled_radius_m(const powers *p)
{
    const double radius_m = EQUATOR_RADIUS_M / (1 + p->n) * (1 + p->n2 / 4 + p->n4 / 64);
    return CENTRAL_SCALE * radius_m;
}

// Add the series sum c[j] * sin(2 j zeta) for the complex zeta = xi + i eta.
static void add_series(const double c[ORDER], double *xi, double *eta)
{
    const double xi0 = *xi;
    const double eta0 = *eta;
    for (int j = 0; j < ORDER; j++) {
        const double times = 2.0 * (j + 1);
        *xi += c[j] * sin(times * xi0) * cosh(times * eta0);
        *eta += c[j] * cos(times * xi0) * sinh(times * eta0);
    }
}

static void plane_to_sphere(const powers *p, double *xi, double *eta)
{
    const double c[ORDER] = {
        -(p->n / 2 - 2 * p->n2 / 3 + 37 * p->n3 / 96 - p->n4 / 360),
        -(p->n2 / 48 + p->n3 / 15 - 437 * p->n4 / 1440),
        -(17 * p->n3 / 480 - 37 * p->n4 / 840),
        -(4397 * p->n4 / 161280),
    };
    add_series(c, xi, eta);
}

// Latitudes are handled as their tangents: exact near the poles and the equator.
static double conformal_tangent(double tangent)
{
    const double e = sqrt(ECCENTRICITY_SQUARED);
    const double secant = hypot(1, tangent);
    const double sigma = sinh(e * atanh(e * tangent / secant));
    return tangent * hypot(1, sigma) - sigma * secant;
}

// The inverse of the above. Each step of Newton's method doubles the number of
// right digits, and the start has three of them: three steps are enough.
static double geodetic_tangent(double conformal)
{
    const double b = 1 - ECCENTRICITY_SQUARED;
    double tangent = conformal / b;
    for (int step = 0; step < 3; step++) {
        const double here = conformal_tangent(tangent);
        const double slope = b * hypot(1, here) * hypot(1, tangent) / (1 + b * tangent * tangent);
        tangent += (conformal - here) / slope;
    }
    return tangent;
}

static double central_meridian(int zone)
{
    return 6.0 * abs(zone) - 183.0;
}

// To -180..180; a zone at the date line reaches over it.
static double normal_longitude(double lon)
{
    if (lon > 180) return lon - 360;
    return lon < -180 ? lon + 360 : lon;
}

bool sc__utm_zone_exists(int zone)
{
    return (zone >= 1 && zone <= 60) || (zone <= -1 && zone >= -60);
}

bool sc__utm_to_degrees(int zone, double easting_m, double northing_m, double *lon, double *lat)
{
    const bool south = zone < 0;
    const double least_m = south ? 1.0e6 : 0.0;
    const double most_m = south ? 10.0e6 : 9.4e6;
    // Written so that a NaN fails too.
    if (!(easting_m >= 0 && easting_m <= 1.0e6)) return false;
    if (!(northing_m >= least_m && northing_m <= most_m)) return false;

    const powers p = powers_of_flattening();
    const double radius_m = scaled_radius_m(&p);
    double xi = (northing_m - (south ? FALSE_NORTHING_SOUTH_M : 0)) / radius_m;
    double eta = (easting_m - FALSE_EASTING_M) / radius_m;
    plane_to_sphere(&p, &xi, &eta);

    const double conformal = sin(xi) / hypot(sinh(eta), cos(xi));
    const double from_middle = atan2(sinh(eta), cos(xi)) * DEGREES_PER_RADIAN;
    *lon = normal_longitude(central_meridian(zone) + from_middle);
    *lat = atan(geodetic_tangent(conformal)) * DEGREES_PER_RADIAN;
    return true;
}
