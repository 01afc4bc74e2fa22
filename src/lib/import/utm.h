/**
 * @file utm.h
 * @brief UTM metres to degrees.
 *
 * Universal Transverse Mercator is how many surveys write positions: metres
 * east and north inside one of 60 zones, each six degrees wide. The formulas
 * are Krueger's series in the third flattening, on the GRS80 ellipsoid of NAD83;
 * WGS84 differs from it by less than 0.2 mm. To the fourth order, as here, they
 * are good to well below a micrometre inside a zone.
 */
#ifndef SC_IMPORT_UTM_H
#define SC_IMPORT_UTM_H

#include <stdbool.h>

/** Whether `zone` is one: 1 to 60 north of the equator, -1 to -60 south of it. */
bool sc__utm_zone_exists(int zone);

/**
 * Degrees from metres. The zone must exist.
 *
 * @return false, with the results untouched, where no UTM position can be:
 *         easting not in 0..1,000,000, northing not in 0..9,400,000 (south:
 *         1,000,000..10,000,000), or not numbers
 */
bool sc__utm_to_degrees(int zone, double easting_m, double northing_m, double *lon, double *lat);

#endif
