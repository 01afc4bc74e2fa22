/**
 * @file trips.h
 * @brief Travellers who are on their way somewhere, in the manner of Brinkhoff's generator.
 *
 * A traveller is a car or a truck. It sets out from a node chosen by the density of the network (an
 * edge of those connected with it, each as likely as any other, and one of its ends), to another
 * chosen alike, by the fastest way for its class of vehicle; there it stops for a second and
 * chooses the next. On each road it drives at the speed of its class there, times a pace of its
 * own. At time 0 everybody is somewhere on a first way, each moment of it as likely as any other:
 * there is no rush hour at the start.
 */
#ifndef SC_TRAVEL_TRIPS_H
#define SC_TRAVEL_TRIPS_H

#include "travel/routes.h"

typedef struct sc_trips_options {
    uint32_t count;      ///< travellers, 1 to SC_TRAVELLERS_MAX
    double truck_share;  ///< 0 to 1
    uint64_t seed;
} sc_trips_options;

/** 10,000, one truck in five, seed 1. */
sc_trips_options sc_trips_options_default(void);

/**
 * @param routes  borrowed; must outlive the result
 * @return SC_OK, SC_EINVAL (options out of range, a map without roads), SC_ENOMEM
 */
SC_CHECKED sc_err sc_trips_new(const sc_map *map, const sc_route_table *routes,
                               const sc_trips_options *options, sc_movement **out, sc_diag *diag);

#endif
