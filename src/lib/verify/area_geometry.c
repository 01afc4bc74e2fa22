// Boxes of tiles, and what roads are worth as straight lines. See area_geometry.h.
#include "verify/area_geometry.h"

#include "map/geo.h"

#include <math.h>

// --- Boxes --------------------------------------------------------------------------------------

double sc__area_per_unit_m(const sc_area_states *s)
{
    return sc_map_coords(s->map) == SC_COORDS_GEOGRAPHIC ? SC_EARTH_RADIUS_M * SC_PI / 180.0 : 1.0;
}

static double shrink_at(const sc_area_states *s, double y)
{
    if (sc_map_coords(s->map) != SC_COORDS_GEOGRAPHIC) return 1.0;
    return fmax(cos(fmin(fabs(y), 89.9) * SC_PI / 180.0), 1e-3);
}

sc_verify_box sc__area_join(sc_verify_box a, sc_verify_box b)
{
    return (sc_verify_box){fmin(a.west, b.west), fmin(a.south, b.south), fmax(a.east, b.east),
                           fmax(a.north, b.north)};
}

// Straight lines are up to a tenth shorter than ways along the surface.
sc_verify_box sc__area_widen_most(const sc_area_states *s, sc_verify_box box, double by_m)
{
    const double by = (by_m * (by_m < 9e4 ? 1.004 : 1.14) + 1) / sc__area_per_unit_m(s);
    const double farthest = fmax(fabs(box.south - by), fabs(box.north + by));
    const double by_x = by / shrink_at(s, farthest);
    return (sc_verify_box){box.west - by_x, box.south - by, box.east + by_x, box.north + by};
}

sc_verify_box sc__area_widen_least(const sc_area_states *s, sc_verify_box box, double by_m)
{
    const double by = fmax(by_m - 0.01, 0) / sc__area_per_unit_m(s);
    const double by_x = by / shrink_at(s, fmax(fabs(box.south), fabs(box.north)));
    return (sc_verify_box){box.west - by_x, box.south - by, box.east + by_x, box.north + by};
}

static double side_x(const sc_area_states *s, uint32_t level)
{
    return ldexp((double)s->tiles.side_x, (int)s->tiles.level - (int)level);
}

static double side_y(const sc_area_states *s, uint32_t level)
{
    return ldexp((double)s->tiles.side_y, (int)s->tiles.level - (int)level);
}

sc_verify_box sc__area_box_of(const sc_area_states *s, const sc_event_span *span)
{
    const double x = side_x(s, span->level);
    const double y = side_y(s, span->level);
    const double west = (double)s->tiles.west;
    const double south = (double)s->tiles.south;
    return (sc_verify_box){(west + x * span->x[0]) * 1e-7, (south + y * span->y[0]) * 1e-7,
                           (west + x * (span->x[1] + 1.0)) * 1e-7,
                           (south + y * (span->y[1] + 1.0)) * 1e-7};
}

static double place_at(double coordinate, int64_t first, double side, uint32_t level)
{
    const double last = ldexp(1, (int)level) - 1;
    return fmin(fmax(floor((coordinate * 1e7 - (double)first) / side), 0), last);
}

/** Numbers of tiles of a level that a box touches. */
typedef struct touched {
    double x[2];
    double y[2];
} touched;

static touched touched_at(const sc_area_states *s, sc_verify_box box, uint32_t level)
{
    const sc_event_tiles *t = &s->tiles;
    return (touched){{place_at(box.west, t->west, side_x(s, level), level),
                      place_at(box.east, t->west, side_x(s, level), level)},
                     {place_at(box.south, t->south, side_y(s, level), level),
                      place_at(box.north, t->south, side_y(s, level), level)}};
}

// The finest level at which a box touches few enough tiles.
static uint32_t level_for(const sc_area_states *s, sc_verify_box box)
{
    uint32_t level = s->tiles.level;
    for (; level > 0; level--) {
        const touched t = touched_at(s, box, level);
        if ((t.x[1] - t.x[0] + 1) * (t.y[1] - t.y[0] + 1) <= SC__AREA_SPAN_TILES) break;
    }
    return level;
}

bool sc__area_is_inside_by(const sc_area_states *s, sc_verify_box it, sc_verify_box box,
                           double by_m)
{
    const double least_m = by_m * (1 - 1e-6) - 0.01;
    const double per_y = sc__area_per_unit_m(s);
    const bool has_equator = it.south <= 0 && it.north >= 0;
    const double nearest = has_equator ? 0 : fmin(fabs(it.south), fabs(it.north));
    const double per_x = per_y * shrink_at(s, nearest);
    return (it.west - box.west) * per_x >= least_m && (box.east - it.east) * per_x >= least_m &&
           (it.south - box.south) * per_y >= least_m && (box.north - it.north) * per_y >= least_m;
}

sc_verify_box sc__area_box_of_segments(const sc_area_states *s)
{
    const sc_segment *segments = sc_map_segments(s->map);
    sc_verify_box box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < s->segments.count; i++) {
        const sc_seg_id id = s->segments.ids[i];
        if (id >= sc_map_segment_count(s->map)) continue;
        for (sc_edge_id e = segments[id].first_edge; e < segments[id + 1].first_edge; e++) {
            const sc_edge *edge = &sc_map_edges(s->map)[e];
            for (int end = 0; end < 2; end++) {
                double x = 0;
                double y = 0;
                sc_map_node_position(s->map, end ? edge->to : edge->from, &x, &y);
                box = sc__area_join(box, (sc_verify_box){x, y, x, y});
            }
        }
    }
    return box;
}

static sc_verify_box shared(sc_verify_box a, sc_verify_box b)
{
    return (sc_verify_box){fmax(a.west, b.west), fmax(a.south, b.south), fmin(a.east, b.east),
                           fmin(a.north, b.north)};
}

bool sc__area_is_cover(const sc_area_states *s, const sc_event_span *span, sc_verify_box least,
                       sc_verify_box most)
{
    // Beyond the roads of the map and what is near them no tile is needed.
    least = shared(least, sc__area_widen_least(s, s->roads, s->tiles.reach_m));
    most = shared(most, sc__area_widen_most(s, s->roads, s->tiles.reach_m));
    if (span->level < level_for(s, most) || span->level > level_for(s, least)) return false;
    const touched few = touched_at(s, least, span->level);
    const touched many = touched_at(s, most, span->level);
    return span->x[0] >= many.x[0] && span->x[0] <= few.x[0] && span->x[1] >= few.x[1] &&
           span->x[1] <= many.x[1] && span->y[0] >= many.y[0] && span->y[0] <= few.y[0] &&
           span->y[1] >= few.y[1] && span->y[1] <= many.y[1];
}

// --- Costs and straight lines -------------------------------------------------------------------

double sc__area_worth_m(const sc_area_states *s, sc_metric metric, double cost, double units)
{
    if (metric == SC_METRIC_DISTANCE) return cost + units * sc_map_unit_m(s->map);
    return (cost + units * sc_map_time_unit_s(s->map)) * SC__USUAL_M_S;
}

double sc__area_line_m(const sc_area_states *s, sc_metric metric, double cost)
{
    const double worth_m = sc__area_worth_m(s, metric, cost, 3);
    const double by_share =
        s->least_share[metric] > 0 ? worth_m / s->least_share[metric] : HUGE_VAL;
    return fmin(worth_m + s->lost_m[metric], by_share) * (1 + 1e-6);
}

bool sc__area_may_lack(const sc_area_states *s, sc_verify_box box, sc_node_id node,
                       sc_metric metric, double cost)
{
    double x = 0;
    double y = 0;
    sc_map_node_position(s->map, node, &x, &y);
    const double per_y = sc__area_per_unit_m(s);
    const double per_x = per_y * shrink_at(s, y);
    const double line_m =
        fmin(fmin(x - box.west, box.east - x) * per_x, fmin(y - box.south, box.north - y) * per_y);
    const double sure_m = line_m * (line_m < 9e4 ? 0.997 : 0.85) - s->tiles.reach_m - 0.1;
    if (sure_m <= 0) return true;
    const double worth_m = fmax(sure_m - s->lost_m[metric], sure_m * s->least_share[metric]);
    return sc__area_worth_m(s, metric, cost, 3) > worth_m;
}
