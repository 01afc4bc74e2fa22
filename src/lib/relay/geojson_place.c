// Roads for objects: the nearest point among a relay's segments. See geojson_internal.h.
//
// The answer is that of a plain search over the segments' edges; a rectangle around each segment
// spares most of them. Distances are those of snapping: degrees scaled to metres at the position.
//
// Some positions do not tell the road: roads may be drawn on top of each other, or as a point. An
// answer made of such a guess could be wrong, so it is noticed here.
#include "relay/geojson_match.h"

#include "base/alloc.h"
#include "map/geo.h"

#include <math.h>

// A rectangle may seem a little farther than an edge on its rim: rounding.
#define ROUNDING_SLACK (1.0 + 1e-9)

/** The rectangle around a segment, in degrees. */
typedef struct sc__extent {
    sc__degrees low;
    sc__degrees high;
} sc__extent;

/** One search. */
typedef struct search {
    const sc__nearby *nearby;
    sc__degrees at;
    sc_scale per_degree;  ///< metres
    double best;          ///< squared metres
    sc_edge_id edge;
    double part;   ///< how far along the edge, 0..1
    bool is_told;  ///< no other road of these is just as near by being drawn alike
} search;

static sc__degrees node_at(const sc_map *map, sc_node_id node)
{
    sc__degrees at;
    sc_map_node_position(map, node, &at.lon, &at.lat);
    return at;
}

static sc__extent extent_of(const sc_map *map, sc_seg_id id)
{
    const sc_segment *segment = &sc_map_segments(map)[id];
    const sc_edge *edges = sc_map_edges(map);
    const sc__degrees start = node_at(map, edges[segment->first_edge].from);
    sc__extent extent = {start, start};
    for (sc_edge_id e = segment->first_edge; e < segment[1].first_edge; e++) {
        const sc__degrees to = node_at(map, edges[e].to);
        extent.low.lon = fmin(extent.low.lon, to.lon);
        extent.low.lat = fmin(extent.low.lat, to.lat);
        extent.high.lon = fmax(extent.high.lon, to.lon);
        extent.high.lat = fmax(extent.high.lat, to.lat);
    }
    return extent;
}

sc_err sc__nearby_init(sc__nearby *nearby, const sc_map *map, const sc_relay *relay)
{
    sc__extent *extents = sc_malloc_array(relay->segment_count, sizeof *extents);
    if (!extents) return SC_ENOMEM;
    for (size_t i = 0; i < relay->segment_count; i++) {
        extents[i] = extent_of(map, relay->segments[i]);
    }
    *nearby = (sc__nearby){map, relay->segments, relay->segment_count, extents};
    return SC_OK;
}

void sc__nearby_fini(sc__nearby *nearby)
{
    sc_free(nearby->extents);
    *nearby = (sc__nearby){0};
}

static double square_to_extent(const search *s, const sc__extent *extent)
{
    const double lon = fmax(fmax(extent->low.lon - s->at.lon, s->at.lon - extent->high.lon), 0.0);
    const double lat = fmax(fmax(extent->low.lat - s->at.lat, s->at.lat - extent->high.lat), 0.0);
    const double x = lon * s->per_degree.x;
    const double y = lat * s->per_degree.y;
    return x * x + y * y;
}

// Whether two pieces of road are drawn between the same points.
static bool are_alike(const search *s, sc_edge_id a, sc_edge_id b)
{
    const sc_edge *edges = sc_map_edges(s->nearby->map);
    const sc_node *nodes = sc_map_nodes(s->nearby->map);
    const sc_node a_from = nodes[edges[a].from];
    const sc_node a_to = nodes[edges[a].to];
    const sc_node b_from = nodes[edges[b].from];
    const sc_node b_to = nodes[edges[b].to];
    const bool is_along =
        a_from.x == b_from.x && a_from.y == b_from.y && a_to.x == b_to.x && a_to.y == b_to.y;
    const bool is_against =
        a_from.x == b_to.x && a_from.y == b_to.y && a_to.x == b_from.x && a_to.y == b_from.y;
    return a != b && (is_along || is_against);
}

static void try_edge(search *s, sc_edge_id id)
{
    const sc_edge *edge = &sc_map_edges(s->nearby->map)[id];
    const sc__degrees from = node_at(s->nearby->map, edge->from);
    const sc__degrees to = node_at(s->nearby->map, edge->to);

    // The position is the origin. At an end it is that node's own coordinates that count, so that
    // edges which meet there tie exactly, and the first is taken.
    const double ax = (from.lon - s->at.lon) * s->per_degree.x;
    const double ay = (from.lat - s->at.lat) * s->per_degree.y;
    const double bx = (to.lon - s->at.lon) * s->per_degree.x;
    const double by = (to.lat - s->at.lat) * s->per_degree.y;
    const double dx = bx - ax;
    const double dy = by - ay;
    const double square = dx * dx + dy * dy;
    const double along = -(ax * dx + ay * dy);
    double part = 0.0;
    double px = ax;
    double py = ay;
    if (along >= square && square > 0.0) {
        part = 1.0;
        px = bx;
        py = by;
    } else if (along > 0.0) {
        part = along / square;
        px = ax + part * dx;
        py = ay + part * dy;
    }
    const double distance = px * px + py * py;
    // Drawn alike from the other end, a road may seem nearer or farther by rounding.
    const bool is_as_near = fabs(distance - s->best) <= 1e-9 * (1.0 + distance);
    const bool is_point = square == 0.0 && edge->length > 0;
    const bool is_twin = is_as_near && part > 0.0 && part < 1.0 && are_alike(s, s->edge, id);
    if (distance < s->best) {
        s->is_told = !is_point && !is_twin && !(is_as_near && !s->is_told);
        s->best = distance;
        s->edge = id;
        s->part = part;
    } else if (is_as_near) {
        s->is_told = s->is_told && !is_point && !is_twin;
    }
}

static void look_everywhere(search *s)
{
    const sc_segment *segments = sc_map_segments(s->nearby->map);
    for (size_t i = 0; i < s->nearby->count; i++) {
        if (square_to_extent(s, &s->nearby->extents[i]) > s->best * ROUNDING_SLACK) continue;
        const sc_segment *segment = &segments[s->nearby->segments[i]];
        for (sc_edge_id e = segment->first_edge; e < segment[1].first_edge; e++) {
            try_edge(s, e);
        }
    }
}

sc_snap sc__nearby_snap(const sc__nearby *nearby, sc__degrees at, bool *is_told)
{
    const sc_scale step = sc_geo_scale_at(at.lat);
    search s = {.nearby = nearby,
                .at = at,
                .per_degree = {step.x * SC_GRID_PER_DEGREE, step.y * SC_GRID_PER_DEGREE},
                .best = HUGE_VAL,
                .is_told = true,
                .edge = sc_map_segments(nearby->map)[nearby->segments[0]].first_edge};
    look_everywhere(&s);
    // Near the 180th meridian roads on its other side may be nearer.
    if (fabs(at.lon) > 90.0) {
        s.at.lon += at.lon > 0.0 ? -360.0 : 360.0;
        look_everywhere(&s);
    }
    *is_told = s.is_told;
    return (sc_snap){.edge = s.edge,
                     .segment = sc_map_edges(nearby->map)[s.edge].segment,
                     .offset_m = s.part * sc_map_edge_length_m(nearby->map, s.edge),
                     .distance_m = sqrt(s.best)};
}
