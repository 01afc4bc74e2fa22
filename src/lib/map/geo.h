/**
 * @file geo.h
 * @brief Distances on the ground, and the grid that coordinates are kept on.
 *
 * Coordinates are whole numbers on a grid: 1e-7 degrees on the globe (about a
 * centimetre), a power of ten of the unit on a plane. The earth is a sphere of
 * mean radius, which is within 0.6 % of the ellipsoid and the same for every
 * reader, so that distances of different maps can be compared.
 *
 * Two distances are in use. Lengths of edges are great-circle distances.
 * Snapping asks which of many short edges is nearest to one position; there the
 * globe is flattened at the position's own latitude ("local distance").
 */
#ifndef SC_MAP_GEO_H
#define SC_MAP_GEO_H

#include <starcloak/map.h>

#define SC_EARTH_RADIUS_M 6371008.8
#define SC_PI 3.14159265358979323846
#define SC_GRID_PER_DEGREE 1e7

/**
 * No plane reaches farther from its origin: five times the reach of any projection
 * in metres. One absurd coordinate would make the grid coarse for all.
 */
#define SC_PLANE_MAX 1e8

/** No road is longer, in metres or units: once round the earth. */
#define SC_ROAD_MAX 4e7

/** How the grid lies: position = origin + grid number / per_unit. */
typedef struct sc_grid {
    double origin_x;
    double origin_y;
    double per_unit;  ///< a power of ten; dividing by it rounds once
} sc_grid;

/** Metres per grid step in each direction, near one position. */
typedef struct sc_scale {
    double x;
    double y;
} sc_scale;

/** Whether a position is one: on the globe, or on a plane of sensible size; never NaN. */
bool sc_geo_valid(sc_coords coords, double x, double y);

/** Great-circle distance between two positions in degrees, in metres. */
double sc_geo_distance_m(double lon_a, double lat_a, double lon_b, double lat_b);

/** A longitude as seen from another, `from`: no more than 180 degrees away, so perhaps beyond 180.
 */
double sc_geo_lon_beside(double from, double lon);

/** A longitude that may be beyond 180, or below -180, by a turn at most: back to -180..180. */
double sc_geo_lon_wrapped(double lon);

/** The local scale at latitude `lat` of the geographic grid. */
sc_scale sc_geo_scale_at(double lat);

/** The place of a cell on the Hilbert curve through a 65536 x 65536 square. */
uint32_t sc_geo_hilbert(uint32_t x, uint32_t y);

#endif
