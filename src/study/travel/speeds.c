// How fast vehicles go.
#include "travel/speeds.h"

// Trucks are held back most where the law has a limit of its own for them, elsewhere by their
// weight; km/h.
static const double truck_km_h[SC_ROAD_CLASS_COUNT] = {
    [SC_ROAD_UNKNOWN] = 42,   [SC_ROAD_MOTORWAY] = 80, [SC_ROAD_TRUNK] = 70, [SC_ROAD_PRIMARY] = 55,
    [SC_ROAD_SECONDARY] = 47, [SC_ROAD_TERTIARY] = 38, [SC_ROAD_LOCAL] = 30, [SC_ROAD_SERVICE] = 17,
    [SC_ROAD_RAMP] = 42,      [SC_ROAD_PATH] = 13,
};

double sc_speed_m_s(sc_vehicle vehicle, unsigned road_class)
{
    if (vehicle == SC_CAR) return sc_road_class_speed_m_s(road_class);
    return truck_km_h[road_class < SC_ROAD_CLASS_COUNT ? road_class : SC_ROAD_UNKNOWN] / 3.6;
}
