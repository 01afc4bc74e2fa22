/**
 * @file speeds.h
 * @brief How fast vehicles go: two classes of them, on ten classes of road.
 */
#ifndef SC_TRAVEL_SPEEDS_H
#define SC_TRAVEL_SPEEDS_H

#include <starcloak/map.h>

typedef enum sc_vehicle {
    SC_CAR = 0,
    SC_TRUCK = 1,  ///< slower, most of all where cars are fast
    SC_VEHICLE_COUNT
} sc_vehicle;

/** Metres per second in free flow, never 0; of an unknown class as SC_ROAD_UNKNOWN. */
double sc_speed_m_s(sc_vehicle vehicle, unsigned road_class);

#endif
