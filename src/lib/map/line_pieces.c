// The line of a segment, cut at the 180th meridian. A piece lies on one side of it: west of it
// longitudes go up to 180, east of it they begin with -180. See line_pieces.h.
#include "map/line_pieces.h"

#include "map/map_internal.h"

#define MERIDIAN 180.0

/** A node where the grid has it: beyond 180 east of the meridian, if roads cross it. */
typedef struct line_point {
    double x;
    double y;
} line_point;

/** A line on its way. */
typedef struct line {
    const sc_map *map;
    bool is_east;  ///< of the meridian: the side of the piece at hand
    sc_line_visit *visit;
    void *context;
} line;

static line_point point_at(const sc_map *map, sc_node_id node)
{
    line_point at;
    sc_map_node_position(map, node, &at.x, &at.y);
    at.x = sc__node_x(map, node);
    return at;
}

static void put(const line *l, line_point at, bool begins)
{
    if (l->visit) l->visit(l->context, l->is_east ? at.x - 360.0 : at.x, at.y, begins);
}

static bool is_beyond(const line *l, line_point at)
{
    return l->is_east ? at.x < MERIDIAN : at.x > MERIDIAN;
}

// End the piece on the meridian, and begin the other one there.
static void cross(line *l, line_point from, line_point to)
{
    const double part = (MERIDIAN - from.x) / (to.x - from.x);
    const line_point at = {MERIDIAN, from.y + part * (to.y - from.y)};
    if (from.x != MERIDIAN) put(l, at, false);
    l->is_east = !l->is_east;
    put(l, at, true);
}

// The side of the first node that is not on the meridian itself.
static bool begins_east(const sc_map *map, const sc_segment *segment)
{
    const sc_edge *edges = sc__edges(map);
    double x = sc__node_x(map, edges[segment[0].first_edge].from);
    for (sc_edge_id e = segment[0].first_edge; x == MERIDIAN && e < segment[1].first_edge; e++) {
        x = sc__node_x(map, edges[e].to);
    }
    return x > MERIDIAN;
}

size_t sc_map_line_pieces(const sc_map *map, sc_seg_id segment, sc_line_visit *visit, void *context)
{
    const sc_edge *edges = sc__edges(map);
    const sc_segment *at = &sc__segments(map)[segment];
    const bool on_globe = map->coords == SC_COORDS_GEOGRAPHIC;
    line l = {map, on_globe && begins_east(map, at), visit, context};
    line_point from = point_at(map, edges[at[0].first_edge].from);
    size_t pieces = 1;
    put(&l, from, true);
    for (sc_edge_id e = at[0].first_edge; e < at[1].first_edge; e++) {
        const line_point to = point_at(map, edges[e].to);
        if (on_globe && is_beyond(&l, to)) {
            cross(&l, from, to);
            pieces++;
        }
        put(&l, to, false);
        from = to;
    }
    return pieces;
}
