// How fast vehicles go.
#include "travel/speeds.h"

// Free flow, a little below what is allowed on such roads; km/h. Trucks are held back most where
// the law has a limit of its own for them, elsewhere by their weight.
static const double speed_km_h[SC_VEHICLE_COUNT][SC_ROAD_CLASS_COUNT] = {
    [SC_CAR] =
        {
            [SC_ROAD_UNKNOWN] = 50,
            [SC_ROAD_MOTORWAY] = 105,
            [SC_ROAD_TRUNK] = 85,
            [SC_ROAD_PRIMARY] = 65,
            [SC_ROAD_SECONDARY] = 55,
            [SC_ROAD_TERTIARY] = 45,
            [SC_ROAD_LOCAL] = 35,
            [SC_ROAD_SERVICE] = 20,
            [SC_ROAD_RAMP] = 50,
            [SC_ROAD_PATH] = 15,
        },
    [SC_TRUCK] =
        {
            [SC_ROAD_UNKNOWN] = 42,
            [SC_ROAD_MOTORWAY] = 80,
            [SC_ROAD_TRUNK] = 70,
            [SC_ROAD_PRIMARY] = 55,
            [SC_ROAD_SECONDARY] = 47,
            [SC_ROAD_TERTIARY] = 38,
            [SC_ROAD_LOCAL] = 30,
            [SC_ROAD_SERVICE] = 17,
            [SC_ROAD_RAMP] = 42,
            [SC_ROAD_PATH] = 13,
        },
};

double sc_speed_m_s(sc_vehicle vehicle, unsigned road_class)
{
    const unsigned known = road_class < SC_ROAD_CLASS_COUNT ? road_class : SC_ROAD_UNKNOWN;
    return speed_km_h[vehicle][known] / 3.6;
}
