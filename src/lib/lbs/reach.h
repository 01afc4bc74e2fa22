/**
 * @file reach.h
 * @brief How far a search must go for a request.
 *
 * Used by: all of this folder.
 */
#ifndef SC_LBS_REACH_H
#define SC_LBS_REACH_H

#include <starcloak/relay.h>

#include <math.h>

typedef struct sc_reach {
    uint32_t k;     ///< the k nearest; UINT32_MAX: all within the radius
    double radius;  ///< in units of the map; INFINITY: no limit
} sc_reach;

/** What `request` asks of a search. */
static inline sc_reach sc__reach_of(const sc_map *map, const sc_request *request)
{
    if (request->type == SC_REQUEST_KNN) return (sc_reach){request->k, (double)INFINITY};
    // An object on the very rim is within, whatever the division makes of its last digit.
    return (sc_reach){UINT32_MAX, request->radius_m / sc_map_unit_m(map) * (1.0 + 1e-12)};
}

#endif
