// Distances on the ground, and the Hilbert curve. Conventions: geo.h.
#include "map/geo.h"

#include <math.h>

static double radians(double degrees)
{
    return degrees * (SC_PI / 180.0);
}

bool sc_geo_valid(sc_coords coords, double x, double y)
{
    // Written so that NaN is refused: no comparison with it is true.
    const bool on_globe = coords == SC_COORDS_GEOGRAPHIC;
    return fabs(x) <= (on_globe ? 180.0 : SC_PLANE_MAX) &&
           fabs(y) <= (on_globe ? 90.0 : SC_PLANE_MAX);
}

double sc_geo_distance_m(double lon_a, double lat_a, double lon_b, double lat_b)
{
    // Haversine: exact enough at any distance, and stable at centimetres.
    const double sin_lat = sin(radians(lat_b - lat_a) / 2.0);
    const double sin_lon = sin(radians(lon_b - lon_a) / 2.0);
    const double h =
        sin_lat * sin_lat + cos(radians(lat_a)) * cos(radians(lat_b)) * sin_lon * sin_lon;
    return 2.0 * SC_EARTH_RADIUS_M * asin(h < 1.0 ? sqrt(h) : 1.0);
}

double sc_geo_lon_beside(double from, double lon)
{
    if (lon - from > 180.0) return lon - 360.0;
    return lon - from < -180.0 ? lon + 360.0 : lon;
}

double sc_geo_lon_wrapped(double lon)
{
    return sc_geo_lon_beside(0.0, lon);
}

sc_scale sc_geo_scale_at(double lat)
{
    const double metres_per_step = SC_EARTH_RADIUS_M * radians(1.0 / SC_GRID_PER_DEGREE);
    // At a pole all longitudes meet; a scale of zero would still be right, but
    // rounding can make the cosine negative.
    const double narrowing = cos(radians(lat));
    return (sc_scale){.x = metres_per_step * (narrowing > 0.0 ? narrowing : 0.0),
                      .y = metres_per_step};
}

uint32_t sc_geo_hilbert(uint32_t x, uint32_t y)
{
    uint32_t place = 0;
    for (uint32_t side = 1u << 15; side > 0; side >>= 1) {
        const uint32_t right = (x & side) != 0;
        const uint32_t upper = (y & side) != 0;
        place = place << 2 | ((3 * right) ^ upper);
        // Turn the quadrant so that the curve enters where the last one left.
        if (!upper) {
            if (right) {
                x = ~x;
                y = ~y;
            }
            const uint32_t swap = x;
            x = y;
            y = swap;
        }
    }
    return place;
}
