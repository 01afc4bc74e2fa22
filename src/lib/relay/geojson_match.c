// Finding the roads of the map that GeoJSON lines, points and objects lie on.
//
// The sender of a message may have another map, so geometry is matched by position, within a few
// metres. What is ambiguous is refused: an answer made of a guess could be wrong.
#include "relay/geojson_match.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/sort.h"
#include "map/geo.h"
#include "map/map_tables.h"
#include "relay/relay_codec_internal.h"

#include <math.h>
#include <stdlib.h>

// === Segments for lines =========================================================================
// Each line is sampled in a few places, and the roads nearest to these are compared with it. If one
// of them, or a road beside it, has the very points of the line, both sides have it from the same
// source, and it is that one. Real maps have roads that are drawn twice: a line alone cannot tell
// which of them it means, unless there are as many such lines.
//
// Otherwise the maps differ a little, and the roads must account for the line: each for at least
// half of its own length, and together for the length of the line. So a line that runs along a part
// of a road is refused: to answer for more or less than was asked would make answers wrong.

// Ends may lie apart at both ends of a line, and curves be drawn with fewer points.
#define LENGTH_SLACK_M 10.0
#define LENGTH_SLACK 0.02

// Three places per piece at least, since another road may cross at one of them.
enum { MIN_SAMPLES = 3, MAX_SAMPLES = 16, SAMPLES_PER_SEGMENT = 100 };
#define SAMPLE_EVERY_M 25.0

// Half a step of the grid: nodes nearer than this are one.
#define SAME_DEGREES 0.5e-7

/** A place on the line, and the road nearest to it. */
typedef struct sc__geojson_sample {
    sc_seg_id segment;
    double length_m;  ///< of the line, that it stands for
} sc__geojson_sample;

/** One of several roads that a line fits. */
typedef struct sc__geojson_twin {
    sc_seg_id segment;
    size_t line;
} sc__geojson_twin;

void sc__geojson_matching_fini(sc__geojson_matching *matching)
{
    sc_free(matching->segments);
    sc_free(matching->samples);
    sc_free(matching->fits);
    sc_free(matching->twins);
    *matching = (sc__geojson_matching){.codec = matching->codec};
}

static sc_err fail_memory(const sc__geojson_matching *m)
{
    return sc_fail_memory(m->codec->diag, "matching a relay with the roads");
}

static sc_err add_segment(sc__geojson_matching *m, sc_seg_id segment)
{
    if (m->count >= m->codec->limits.max_segments) {
        return sc_fail(m->codec->diag, SC_ELIMIT,
                       "the relay has more than the %zu segments allowed",
                       m->codec->limits.max_segments);
    }
    if (!sc_grow(&m->segments, m->count, &m->capacity, sizeof *m->segments)) return fail_memory(m);
    m->segments[m->count++] = segment;
    return SC_OK;
}

// --- Looking at a line ------------------------------------------------------------

static double piece_length_m(const sc__geojson_degrees *points)
{
    return sc_geo_distance_m(points[0].lon, points[0].lat, points[1].lon, points[1].lat);
}

static sc_err take_sample(sc__geojson_matching *m, sc__geojson_degrees at, double length_m)
{
    // The work is bounded by the size of the largest cloak, not by that of the message.
    if (m->samples_done / SAMPLES_PER_SEGMENT >= m->codec->limits.max_segments) {
        return sc_fail(m->codec->diag, SC_ELIMIT,
                       "line %zu: the lines are too many or too long in total", m->lines);
    }
    if (!sc_grow(&m->samples, m->sample_count, &m->sample_capacity, sizeof *m->samples)) {
        return fail_memory(m);
    }
    sc_snap snap;
    if (sc_map_snap(m->codec->map, at.lon, at.lat, SC__GEOJSON_TOLERANCE_M, &snap)) {
        return sc_fail(m->codec->diag, SC_EUNKNOWN, "line %zu leaves the roads of this map",
                       m->lines);
    }
    m->samples[m->sample_count++] = (sc__geojson_sample){snap.segment, length_m};
    m->samples_done++;
    return SC_OK;
}

static sc_err sample_piece(sc__geojson_matching *m, const sc__geojson_degrees *points)
{
    const double length_m = piece_length_m(points);
    const double wanted = fmin(fmax(length_m / SAMPLE_EVERY_M, MIN_SAMPLES), MAX_SAMPLES);
    const unsigned count = (unsigned)wanted;
    const double to_lon = sc_geo_lon_beside(points[0].lon, points[1].lon);
    sc_err err = SC_OK;
    for (unsigned i = 0; !err && i < count; i++) {
        const double part = (i + 0.5) / count;
        const double lon = points[0].lon + part * (to_lon - points[0].lon);
        const sc__geojson_degrees at = {sc_geo_lon_wrapped(lon),
                                        points[0].lat + part * (points[1].lat - points[0].lat)};
        err = take_sample(m, at, length_m / count);
    }
    return err;
}

static int by_segment(const void *a, const void *b)
{
    const sc_seg_id left = ((const sc__geojson_sample *)a)->segment;
    const sc_seg_id right = ((const sc__geojson_sample *)b)->segment;
    return (left > right) - (left < right);
}

// One sample for each road, which stands for all of the line that is nearest to that road.
static void sum_up_samples(sc__geojson_matching *m)
{
    qsort(m->samples, m->sample_count, sizeof *m->samples, by_segment);
    size_t kept = 0;
    for (size_t i = 0; i < m->sample_count; i++) {
        if (kept > 0 && m->samples[kept - 1].segment == m->samples[i].segment) {
            m->samples[kept - 1].length_m += m->samples[i].length_m;
        } else {
            m->samples[kept++] = m->samples[i];
        }
    }
    m->sample_count = kept;
}

// --- A road with the very points of the line --------------------------------------

static bool is_node_at(const sc_map *map, sc_node_id node, sc__geojson_degrees at)
{
    double lon = 0.0;
    double lat = 0.0;
    sc_map_node_position(map, node, &lon, &lat);
    return fabs(sc_geo_lon_beside(at.lon, lon) - at.lon) < SAME_DEGREES &&
           fabs(lat - at.lat) < SAME_DEGREES;
}

// A line that was cut at the 180th meridian has a point there, which need not be one of the road's.
static bool has_points(const sc_map *map, sc_seg_id id, const sc__geojson_degrees *points,
                       size_t count, bool turned)
{
    const sc_segment *segment = &sc_map_segments(map)[id];
    const sc_edge *edges = sc_map_edges(map);
    const size_t node_count = (size_t)(segment[1].first_edge - segment->first_edge) + 1;
    if (node_count > count) return false;
    if (!is_node_at(map, edges[segment->first_edge].from, points[turned ? count - 1 : 0])) {
        return false;
    }
    size_t found = 1;
    for (size_t i = 1; i < count; i++) {
        const sc__geojson_degrees at = points[turned ? count - 1 - i : i];
        if (found < node_count && is_node_at(map, edges[segment->first_edge + found - 1].to, at)) {
            found++;
        } else if (fabs(at.lon) != 180.0 || i + 1 == count) {
            return false;
        }
    }
    return found == node_count;
}

// Look for such roads among those at a star.
static sc_err look_at_star(sc__geojson_matching *m, sc_star_id star,
                           const sc__geojson_degrees *points, size_t count)
{
    if (star == SC_NONE) return SC_OK;
    const sc_map *map = m->codec->map;
    const sc_star *at = &sc_map_stars(map)[star];
    for (uint32_t i = at->first_segment; i < at[1].first_segment; i++) {
        const sc_seg_id segment = sc_map_star_segments(map)[i];
        if (!has_points(map, segment, points, count, false) &&
            !has_points(map, segment, points, count, true)) {
            continue;
        }
        if (!sc_grow(&m->fits, m->fit_count, &m->fit_capacity, sizeof *m->fits)) {
            return fail_memory(m);
        }
        m->fits[m->fit_count++] = segment;
    }
    return SC_OK;
}

static sc_err find_same_roads(sc__geojson_matching *m, const sc__geojson_degrees *points,
                              size_t count)
{
    sc_err err = SC_OK;
    m->fit_count = 0;
    for (size_t i = 0; !err && i < m->sample_count; i++) {
        const sc_segment *near = &sc_map_segments(m->codec->map)[m->samples[i].segment];
        err = look_at_star(m, near->star_a, points, count);
        if (!err) err = look_at_star(m, near->star_b, points, count);
    }
    // Each was found from both of its ends.
    m->fit_count = sc__relay_sort_ids(m->fits, (uint32_t)m->fit_count);
    return err;
}

static bool is_taken(const sc__geojson_matching *m, sc_seg_id segment)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->segments[i] == segment) return true;
    }
    return false;
}

// Take the road that fits; of several, one that no line has taken. Then all must be taken in the
// end.
static sc_err add_same_road(sc__geojson_matching *m)
{
    size_t chosen = 0;
    while (m->fit_count > 1 && chosen + 1 < m->fit_count && is_taken(m, m->fits[chosen])) {
        chosen++;
    }
    for (size_t i = 0; m->fit_count > 1 && i < m->fit_count; i++) {
        if (!sc_grow(&m->twins, m->twin_count, &m->twin_capacity, sizeof *m->twins)) {
            return fail_memory(m);
        }
        m->twins[m->twin_count++] = (sc__geojson_twin){m->fits[i], m->lines};
    }
    return add_segment(m, m->fits[chosen]);
}

// --- Roads that account for the line -----------------------------------------------

static double drawn_length_m(const sc_map *map, sc_seg_id id)
{
    const sc_segment *segment = &sc_map_segments(map)[id];
    const sc_edge *edges = sc_map_edges(map);
    double length_m = 0.0;
    sc__geojson_degrees ends[2];
    sc_map_node_position(map, edges[segment->first_edge].from, &ends[0].lon, &ends[0].lat);
    for (sc_edge_id e = segment->first_edge; e < segment[1].first_edge; e++) {
        sc_map_node_position(map, edges[e].to, &ends[1].lon, &ends[1].lat);
        length_m += piece_length_m(ends);
        ends[0] = ends[1];
    }
    return length_m;
}

static sc_err add_similar_roads(sc__geojson_matching *m, double length_m)
{
    double accounted_m = 0.0;
    size_t added = 0;
    for (size_t i = 0; i < m->sample_count; i++) {
        const sc__geojson_sample *sample = &m->samples[i];
        const double drawn_m = drawn_length_m(m->codec->map, sample->segment);
        if (sample->length_m < drawn_m / 2.0) continue;
        const sc_err err = add_segment(m, sample->segment);
        if (err) return err;
        accounted_m += drawn_m;
        added++;
    }
    // A short line must not vanish within the slack: that would be to answer for less than was
    // asked.
    const double slack_m = fmin(LENGTH_SLACK_M + LENGTH_SLACK * length_m, length_m / 2.0);
    if (added == 0 || fabs(accounted_m - length_m) > slack_m) {
        return sc_fail(m->codec->diag, SC_EUNKNOWN,
                       "line %zu does not run along whole roads of this map", m->lines);
    }
    return SC_OK;
}

// --- All lines ----------------------------------------------------------------------

sc_err sc__geojson_matching_add(sc__geojson_matching *matching, const sc__geojson_degrees *points,
                                size_t count)
{
    sc__geojson_matching *m = matching;
    m->sample_count = 0;
    double length_m = 0.0;
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i + 1 < count; i++) {
        length_m += piece_length_m(points + i);
        err = sample_piece(m, points + i);
    }
    if (err) return err;
    sum_up_samples(m);

    err = find_same_roads(m, points, count);
    if (!err) err = m->fit_count > 0 ? add_same_road(m) : add_similar_roads(m, length_m);
    m->lines++;
    return err;
}

sc_err sc__geojson_matching_end(sc__geojson_matching *matching)
{
    const sc__geojson_matching *m = matching;
    sc_sort_u32(m->segments, m->count);
    for (size_t i = 1; i < m->count; i++) {
        if (m->segments[i] == m->segments[i - 1]) {
            return sc_fail(m->codec->diag, SC_EUNKNOWN,
                           "two lines run along the same road of this map");
        }
    }
    const uint32_t count = (uint32_t)m->count;
    for (size_t i = 0; i < m->twin_count; i++) {
        const uint32_t place = sc__relay_id_place(m->segments, count, m->twins[i].segment);
        if (place == count || m->segments[place] != m->twins[i].segment) {
            return sc_fail(m->codec->diag, SC_EUNKNOWN,
                           "line %zu fits two roads of this map; use the compact encoding",
                           m->twins[i].line);
        }
    }
    if (count == 0) {
        return sc_fail(m->codec->diag, SC_EUNKNOWN, "no line runs along a road of this map");
    }
    return SC_OK;
}

// === Border nodes for points ====================================================================
// A border node is a crossing at an end of one of the segments, so only these are candidates,
// sorted by latitude: thousands of points among thousands of crossings take no time.

// Crossings that differ by less than this in their distance cannot be told apart.
#define APART_M 0.001

typedef struct crossing {
    sc__geojson_degrees at;
    sc_node_id node;
} crossing;

static int by_latitude(const void *a, const void *b)
{
    const double left = ((const crossing *)a)->at.lat;
    const double right = ((const crossing *)b)->at.lat;
    return (left > right) - (left < right);
}

// The star at one end of a road, unless there is none, or it stands for a road without crossings.
static void add_crossing(const sc_map *map, sc_star_id star, crossing *crossings, size_t *count)
{
    if (star == SC_NONE) return;
    const sc_star *at = &sc_map_stars(map)[star];
    if (sc_star_is_pseudo(at)) return;
    crossing *c = &crossings[(*count)++];
    c->node = at->node;
    sc_map_node_position(map, at->node, &c->at.lon, &c->at.lat);
}

// The first of `crossings` that is not south of `lat`.
static size_t first_from(const crossing *crossings, size_t count, double lat)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (crossings[middle].at.lat < lat) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The nearest crossing; SC_NONE if there is none. *is_clear: no other one is as near.
static sc_node_id nearest(const crossing *crossings, size_t count, sc__geojson_degrees at,
                          bool *is_clear)
{
    const double reach = SC__GEOJSON_TOLERANCE_M / (sc_geo_scale_at(0.0).y * SC_GRID_PER_DEGREE);
    sc_node_id best = SC_NONE;
    double best_m = SC__GEOJSON_TOLERANCE_M;
    *is_clear = true;
    for (size_t i = first_from(crossings, count, at.lat - reach);
         i < count && crossings[i].at.lat <= at.lat + reach; i++) {
        const crossing *c = &crossings[i];
        if (c->node == best) continue;
        const double distance_m = sc_geo_distance_m(at.lon, at.lat, c->at.lon, c->at.lat);
        if (distance_m > fmin(best_m + APART_M, SC__GEOJSON_TOLERANCE_M)) continue;
        *is_clear = best == SC_NONE || distance_m < best_m - APART_M;
        if (distance_m < best_m || best == SC_NONE) {
            best = c->node;
            best_m = distance_m;
        }
    }
    return best;
}

sc_err sc__geojson_find_crossings(const sc__relay_codec *codec, const sc_seg_id *segments,
                                  size_t segment_count, const sc__geojson_degrees *points,
                                  size_t count, sc_node_id *nodes)
{
    crossing *crossings = sc_malloc_array(segment_count, 2 * sizeof *crossings);
    if (!crossings) return sc_fail_memory(codec->diag, "matching a relay with the roads");
    size_t crossing_count = 0;
    for (size_t i = 0; i < segment_count; i++) {
        const sc_segment *segment = &sc_map_segments(codec->map)[segments[i]];
        add_crossing(codec->map, segment->star_a, crossings, &crossing_count);
        add_crossing(codec->map, segment->star_b, crossings, &crossing_count);
    }
    qsort(crossings, crossing_count, sizeof *crossings, by_latitude);

    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < count; i++) {
        bool is_clear = false;
        nodes[i] = nearest(crossings, crossing_count, points[i], &is_clear);
        if (nodes[i] == SC_NONE) {
            err = sc_fail(codec->diag, SC_EUNKNOWN,
                          "point %zu is not at a crossing of the roads that were sent", i);
        } else if (!is_clear) {
            err = sc_fail(codec->diag, SC_EUNKNOWN,
                          "point %zu fits two crossings; use the compact encoding", i);
        }
    }
    sc_free(crossings);
    return err;
}

// === Roads for objects ==========================================================================
// The result is that of a plain search over the edges of the relay's segments; a rectangle around
// each segment spares most of them. Distances are those of snapping: degrees scaled to metres at
// the position.
//
// Some positions do not tell the road, since roads may be drawn on top of each other, or as a
// point. That is noticed here.

// A rectangle may seem a little farther than an edge on its rim: rounding.
#define ROUNDING_SLACK (1.0 + 1e-9)

/** The rectangle around a segment, in degrees. */
typedef struct sc__geojson_extent {
    sc__geojson_degrees low;
    sc__geojson_degrees high;
} sc__geojson_extent;

/** One search. */
typedef struct search {
    const sc__geojson_nearby *nearby;
    sc__geojson_degrees at;
    sc_scale per_degree;  ///< metres
    double best;          ///< squared metres
    sc_edge_id edge;
    double part;   ///< how far along the edge, 0..1
    bool is_told;  ///< no other road of these is just as near by being drawn alike
} search;

static sc__geojson_degrees node_at(const sc_map *map, sc_node_id node)
{
    sc__geojson_degrees at;
    sc_map_node_position(map, node, &at.lon, &at.lat);
    return at;
}

// The next node along a road: its longitude goes on beyond 180 where the road does.
static sc__geojson_degrees next_at(const sc_map *map, sc__geojson_degrees from, sc_node_id node)
{
    const sc__geojson_degrees at = node_at(map, node);
    return (sc__geojson_degrees){sc_geo_lon_beside(from.lon, at.lon), at.lat};
}

static sc__geojson_extent extent_of(const sc_map *map, sc_seg_id id)
{
    const sc_segment *segment = &sc_map_segments(map)[id];
    const sc_edge *edges = sc_map_edges(map);
    sc__geojson_degrees to = node_at(map, edges[segment->first_edge].from);
    sc__geojson_extent extent = {to, to};
    for (sc_edge_id e = segment->first_edge; e < segment[1].first_edge; e++) {
        to = next_at(map, to, edges[e].to);
        extent.low.lon = fmin(extent.low.lon, to.lon);
        extent.low.lat = fmin(extent.low.lat, to.lat);
        extent.high.lon = fmax(extent.high.lon, to.lon);
        extent.high.lat = fmax(extent.high.lat, to.lat);
    }
    return extent;
}

sc_err sc__geojson_nearby_init(sc__geojson_nearby *nearby, const sc_map *map, const sc_relay *relay)
{
    sc__geojson_extent *extents = sc_malloc_array(relay->segment_count, sizeof *extents);
    if (!extents) return SC_ENOMEM;
    for (size_t i = 0; i < relay->segment_count; i++) {
        extents[i] = extent_of(map, relay->segments[i]);
    }
    *nearby = (sc__geojson_nearby){map, relay->segments, relay->segment_count, extents};
    return SC_OK;
}

void sc__geojson_nearby_fini(sc__geojson_nearby *nearby)
{
    sc_free(nearby->extents);
    *nearby = (sc__geojson_nearby){0};
}

static double square_to_extent(const search *s, const sc__geojson_extent *extent)
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

static void try_edge(search *s, sc_edge_id id, sc__geojson_degrees from, sc__geojson_degrees to)
{
    const sc_edge *edge = &sc_map_edges(s->nearby->map)[id];
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
    const sc_map *map = s->nearby->map;
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segments = sc_map_segments(map);
    for (size_t i = 0; i < s->nearby->count; i++) {
        if (square_to_extent(s, &s->nearby->extents[i]) > s->best * ROUNDING_SLACK) continue;
        const sc_segment *segment = &segments[s->nearby->segments[i]];
        sc__geojson_degrees from = node_at(map, edges[segment->first_edge].from);
        for (sc_edge_id e = segment->first_edge; e < segment[1].first_edge; e++) {
            const sc__geojson_degrees to = next_at(map, from, edges[e].to);
            try_edge(s, e, from, to);
            from = to;
        }
    }
}

sc_snap sc__geojson_nearby_snap(const sc__geojson_nearby *nearby, sc__geojson_degrees at,
                                bool *is_told)
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
