/**
 * @file cost_bounds.h
 * @brief How little a way between two places can cost, by the map alone and without a search.
 */
#ifndef SC_MAP_COST_BOUNDS_H
#define SC_MAP_COST_BOUNDS_H

#include <math.h>
#include <starcloak/map.h>

// If every edge were as long as the straight line between its ends, no way could be shorter than
// the line between its own. Real maps are a little off: lengths and coordinates are rounded, and
// short edges suffer most. So for a few shares c below 1 we add up by how much edges fall short of
// c times their straight line, over the whole map. A shortest way uses no edge twice, in whichever
// direction, hence
//
//     length of the way  >=  c * straight line  -  what all edges together fall short of at c
//
// for every c, and the best of these is the bound. One edge that is far too short costs its own
// few centimetres in this way, and not a share of every distance.
//
// For times the same holds with the time that the straight line takes at 130 km/h, of an edge in
// its quicker direction: roads on which one is faster fall short.
//
// Straight lines go through the earth, in space: that is cheaper than along its surface, never
// longer, and at 1,000 km shorter by one part in a thousand.

/** How many shares are tried, the smallest that any edge has among them. */
enum { SC_BOUND_SHARES = 10 };

typedef struct sc_cost_bounds {
    sc_metric metric;
    double pace;  ///< what a unit of straight line costs
    double shares[SC_BOUND_SHARES];
    double missing[SC_BOUND_SHARES];  ///< what all edges together fall short of, in units
    double total;                     ///< the cost of all edges, in units: no way costs more
} sc_cost_bounds;

/** A place in space, in units of the map. On maps without coordinates all are the same. */
typedef struct sc_space_point {
    double x;
    double y;
    double z;
} sc_space_point;

/** Time O(edges). */
sc_cost_bounds sc__cost_bounds_of(const sc_map *map, sc_metric metric);

sc_space_point sc__space_point_of(const sc_map *map, sc_node_id node);

/** No way between two places that are so far apart in a straight line, in units, costs less. */
double sc__cost_bounds_least_line(const sc_cost_bounds *bounds, double line);

/** No way between two nodes costs less than this. */
double sc__cost_bounds_least(const sc_cost_bounds *bounds, sc_space_point a, sc_space_point b);

/** The straight line between two places, in units of the map. */
static inline double sc__straight(sc_space_point a, sc_space_point b)
{
    const double x = a.x - b.x;
    const double y = a.y - b.y;
    const double z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

#endif
