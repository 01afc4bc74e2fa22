// Lower bounds for distances. See ground.h.
#include "answer/reply_bounds.h"

#include "map/geo.h"

#include <math.h>

/**
 * Edges of a segment that are walked on each side of an object. Most segments have fewer; a
 * nearer node is only a weaker bound, and nobody can make us walk long roads again and again.
 */
enum { STEPS = 16 };

/** Coarser steps are worth less than the line before; the last place is for the least share. */
static const double usual_shares[SC_GROUND_SHARES - 1] = {1.0, 0.9999, 0.999, 0.99, 0.95,
                                                          0.9, 0.75,   0.5,   0.25};

sc_spot sc__ground_spot(const sc_map *map, sc_node_id node)
{
    const sc_coords coords = sc_map_coords(map);
    if (coords == SC_COORDS_NONE) return (sc_spot){0.0, 0.0, 0.0};
    const double unit_m = sc_map_unit_m(map);
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, node, &x, &y);
    if (coords == SC_COORDS_PLANAR) return (sc_spot){x / unit_m, y / unit_m, 0.0};

    const double radius = SC_EARTH_RADIUS_M / unit_m;
    const double lon = x * (SC_PI / 180.0);
    const double lat = y * (SC_PI / 180.0);
    const double from_axis = radius * cos(lat);
    return (sc_spot){from_axis * cos(lon), from_axis * sin(lon), radius * sin(lat)};
}

static double straight(sc_spot a, sc_spot b)
{
    const double x = a.x - b.x;
    const double y = a.y - b.y;
    const double z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

sc_ground sc__ground_of(const sc_map *map)
{
    sc_ground ground = {.total = 0.0};
    const sc_edge *edges = sc_map_edges(map);
    double least_share = 1.0;
    for (int i = 0; i < SC_GROUND_SHARES - 1; i++) {
        ground.shares[i] = usual_shares[i];
    }
    // Edges that follow each other share a node, whose place need not be found twice.
    sc_node_id known = SC_NONE;
    sc_spot to = {0.0, 0.0, 0.0};
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const double length = edges[e].length;
        const sc_spot from = edges[e].from == known ? to : sc__ground_spot(map, edges[e].from);
        to = sc__ground_spot(map, edges[e].to);
        known = edges[e].to;
        const double line = straight(from, to);
        ground.total += length;
        if (length >= line) continue;
        if (length < least_share * line) least_share = length / line;
        for (int i = 0; i < SC_GROUND_SHARES - 1; i++) {
            ground.missing[i] += fmax(0.0, usual_shares[i] * line - length);
        }
    }
    // Nothing falls short of the least share, but for the rounding of it.
    ground.shares[SC_GROUND_SHARES - 1] = least_share * (1.0 - 1e-9);
    return ground;
}

double sc__ground_least(const sc_ground *ground, sc_spot a, sc_spot b)
{
    const double line = straight(a, b);
    double least = 0.0;
    for (int i = 0; i < SC_GROUND_SHARES; i++) {
        least = fmax(least, ground->shares[i] * line - ground->missing[i]);
    }
    return least;
}

// --- Objects -----------------------------------------------------------------

sc_approach sc__approach_by_road(const sc_map *map, sc_edge_id edge, uint32_t offset)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = &sc_map_segments(map)[edges[edge].segment];
    const sc_edge_id last_edge = segment[1].first_edge - 1;
    sc_approach approach = {.star = {SC_NONE, SC_NONE}};

    sc_edge_id before = edge;
    approach.way[0] = offset;
    for (int i = 0; i < STEPS && before > segment->first_edge; i++) {
        before--;
        approach.way[0] += edges[before].length;
    }
    approach.spot[0] = sc__ground_spot(map, edges[before].from);
    if (before == segment->first_edge) approach.star[0] = segment->star_a;

    sc_edge_id behind = edge;
    approach.way[1] = (double)edges[edge].length - offset;
    for (int i = 0; i < STEPS && behind < last_edge; i++) {
        behind++;
        approach.way[1] += edges[behind].length;
    }
    if (behind == last_edge && segment->star_b == SC_NONE) {
        approach.way[1] = HUGE_VAL;  // a dead end
        return approach;
    }
    approach.spot[1] = sc__ground_spot(map, edges[behind].to);
    if (behind == last_edge) approach.star[1] = segment->star_b;
    return approach;
}

sc_approach sc__approach_anyhow(const sc_map *map, sc_edge_id edge, uint32_t offset)
{
    const sc_edge *at = &sc_map_edges(map)[edge];
    const double part = at->length > 0 ? (double)offset / at->length : 0.0;
    const sc_spot from = sc__ground_spot(map, at->from);
    const sc_spot to = sc__ground_spot(map, at->to);
    const sc_spot spot = {from.x + part * (to.x - from.x), from.y + part * (to.y - from.y),
                          from.z + part * (to.z - from.z)};
    return (sc_approach){.spot = {spot}, .way = {0.0, HUGE_VAL}, .star = {SC_NONE, SC_NONE}};
}

bool sc__approach_allows(const sc_ground *ground, const sc_approach *approach, sc_spot from,
                         double distance)
{
    // The straight line is never below the bound, and mostly it is enough to look at that.
    for (int side = 0; side < 2; side++) {
        if (isinf(approach->way[side])) continue;
        if (distance >= straight(from, approach->spot[side]) + approach->way[side]) return true;
    }
    for (int side = 0; side < 2; side++) {
        if (isinf(approach->way[side])) continue;
        const double least = sc__ground_least(ground, from, approach->spot[side]);
        if (distance >= least + approach->way[side]) return true;
    }
    return false;
}
