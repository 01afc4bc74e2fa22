// How little a way can cost. See cost_bounds.h.
#include "map/cost_bounds.h"

#include "map/geo.h"

#include <math.h>

/** Coarser steps are worth less than the line before; the last place is for the least share. */
static const double usual_shares[SC_BOUND_SHARES - 1] = {1.0, 0.9999, 0.999, 0.99, 0.95,
                                                         0.9, 0.75,   0.5,   0.25};

sc_space_point sc__space_point_of(const sc_map *map, sc_node_id node)
{
    const sc_coords coords = sc_map_coords(map);
    if (coords == SC_COORDS_NONE) return (sc_space_point){0.0, 0.0, 0.0};
    const double unit_m = sc_map_unit_m(map);
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, node, &x, &y);
    if (coords == SC_COORDS_PLANAR) return (sc_space_point){x / unit_m, y / unit_m, 0.0};

    const double radius = SC_EARTH_RADIUS_M / unit_m;
    const double lon = x * (SC_PI / 180.0);
    const double lat = y * (SC_PI / 180.0);
    const double from_axis = radius * cos(lat);
    return (sc_space_point){from_axis * cos(lon), from_axis * sin(lon), radius * sin(lat)};
}

// What an edge costs at least, and at most.
static void cost_of_edge(const sc_map *map, sc_edge_id edge, sc_metric metric, double *least,
                         double *most)
{
    *least = *most = sc_map_edges(map)[edge].length;
    if (metric == SC_METRIC_DISTANCE) return;
    const sc_travel_times times = sc_map_edge_times(map)[edge];
    // A direction that is closed counts as the other one.
    const uint32_t forward = times.forward != SC_CLOSED ? times.forward : times.backward;
    const uint32_t backward = times.backward != SC_CLOSED ? times.backward : times.forward;
    *least = fmin(forward, backward);
    *most = fmax(forward, backward);
}

sc_cost_bounds sc__cost_bounds_of(const sc_map *map, sc_metric metric)
{
    static const double usual_m_s = 130 / 3.6;
    const sc_edge *edges = sc_map_edges(map);
    double least_share = 1.0;
    sc_cost_bounds bounds = {.metric = metric, .pace = 1.0};
    if (metric == SC_METRIC_TIME) {
        bounds.pace = sc_map_unit_m(map) / (usual_m_s * sc_map_time_unit_s(map));
    }
    for (int i = 0; i < SC_BOUND_SHARES - 1; i++) {
        bounds.shares[i] = usual_shares[i];
    }
    // Edges that follow each other share a node, whose place need not be found twice.
    sc_node_id known = SC_NONE;
    sc_space_point to = {0.0, 0.0, 0.0};
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        double cost = 0.0;
        double most = 0.0;
        cost_of_edge(map, e, metric, &cost, &most);
        const sc_space_point from =
            edges[e].from == known ? to : sc__space_point_of(map, edges[e].from);
        to = sc__space_point_of(map, edges[e].to);
        known = edges[e].to;
        const double line = sc__straight(from, to) * bounds.pace;
        bounds.total += most;
        if (cost >= line) continue;
        if (cost < least_share * line) least_share = cost / line;
        for (int i = 0; i < SC_BOUND_SHARES - 1; i++) {
            bounds.missing[i] += fmax(0.0, usual_shares[i] * line - cost);
        }
    }
    // Nothing falls short of the least share, but for the rounding of it.
    bounds.shares[SC_BOUND_SHARES - 1] = least_share * (1.0 - 1e-9);
    return bounds;
}

double sc__cost_bounds_least_line(const sc_cost_bounds *bounds, double line)
{
    const double cost = line * bounds->pace;
    double least = 0.0;
    for (int i = 0; i < SC_BOUND_SHARES; i++) {
        least = fmax(least, bounds->shares[i] * cost - bounds->missing[i]);
    }
    return least;
}

double sc__cost_bounds_least(const sc_cost_bounds *bounds, sc_space_point a, sc_space_point b)
{
    return sc__cost_bounds_least_line(bounds, sc__straight(a, b));
}
