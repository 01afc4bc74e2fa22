// Roads for lines: the segments that a message's lines run along. See geojson_internal.h.
//
// Each line is looked at in a few places, and the roads nearest to these are asked. If one of them,
// or a road beside it, has the very points of the line, both sides have it from the same source,
// and it is that one. Real maps have roads that are drawn twice: nobody can tell which of them a
// line means, unless there are as many such lines.
//
// Otherwise the maps differ a little, and the roads must account for the line: each for at least
// half of its own length, and together for the length of the line. So a line that runs along a part
// of a road is refused: to answer for more or less than was asked would make answers wrong.
#include "relay/geojson_match.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/sort.h"
#include "map/geo.h"
#include "relay/ascending.h"

#include <math.h>
#include <stdlib.h>

// Ends may lie apart at both ends of a line, and curves be drawn with fewer points.
#define LENGTH_SLACK_M 10.0
#define LENGTH_SLACK 0.02

// Three places per piece at least, since another road may cross at one of them.
enum { MIN_SAMPLES = 3, MAX_SAMPLES = 16, SAMPLES_PER_SEGMENT = 100 };
#define SAMPLE_EVERY_M 25.0

// Half a step of the grid: nodes nearer than this are one.
#define SAME_DEGREES 0.5e-7

/** A place on the line, and the road nearest to it. */
typedef struct sc__sample {
    sc_seg_id segment;
    double length_m;  ///< of the line, that it stands for
} sc__sample;

/** One of several roads that a line fits. */
typedef struct sc__twin {
    sc_seg_id segment;
    size_t line;
} sc__twin;

void sc__matching_fini(sc__matching *matching)
{
    sc_free(matching->segments);
    sc_free(matching->samples);
    sc_free(matching->fits);
    sc_free(matching->twins);
    *matching = (sc__matching){.codec = matching->codec};
}

static sc_err fail_memory(const sc__matching *m)
{
    return sc_fail_memory(m->codec->diag, "matching a relay with the roads");
}

static sc_err add_segment(sc__matching *m, sc_seg_id segment)
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

static double piece_length_m(const sc__degrees *points)
{
    return sc_geo_distance_m(points[0].lon, points[0].lat, points[1].lon, points[1].lat);
}

static sc_err take_sample(sc__matching *m, sc__degrees at, double length_m)
{
    // The work is bounded by the size of the largest cloak, not by that of the message.
    if (m->samples_done / SAMPLES_PER_SEGMENT >= m->codec->limits.max_segments) {
        return sc_fail(m->codec->diag, SC_ELIMIT, "line %zu: too many or too long lines in all",
                       m->lines);
    }
    if (!sc_grow(&m->samples, m->sample_count, &m->sample_capacity, sizeof *m->samples)) {
        return fail_memory(m);
    }
    sc_snap snap;
    if (sc_map_snap(m->codec->map, at.lon, at.lat, SC__TOLERANCE_M, &snap)) {
        return sc_fail(m->codec->diag, SC_EUNKNOWN, "line %zu leaves the roads of this map",
                       m->lines);
    }
    m->samples[m->sample_count++] = (sc__sample){snap.segment, length_m};
    m->samples_done++;
    return SC_OK;
}

static sc_err sample_piece(sc__matching *m, const sc__degrees *points)
{
    const double length_m = piece_length_m(points);
    const double wanted = fmin(fmax(length_m / SAMPLE_EVERY_M, MIN_SAMPLES), MAX_SAMPLES);
    const unsigned count = (unsigned)wanted;
    sc_err err = SC_OK;
    for (unsigned i = 0; !err && i < count; i++) {
        const double part = (i + 0.5) / count;
        const sc__degrees at = {points[0].lon + part * (points[1].lon - points[0].lon),
                                points[0].lat + part * (points[1].lat - points[0].lat)};
        err = take_sample(m, at, length_m / count);
    }
    return err;
}

static int by_segment(const void *a, const void *b)
{
    const sc_seg_id left = ((const sc__sample *)a)->segment;
    const sc_seg_id right = ((const sc__sample *)b)->segment;
    return (left > right) - (left < right);
}

// One sample for each road, which stands for all of the line that is nearest to that road.
static void sum_up_samples(sc__matching *m)
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

static bool is_node_at(const sc_map *map, sc_node_id node, sc__degrees at)
{
    double lon = 0.0;
    double lat = 0.0;
    sc_map_node_position(map, node, &lon, &lat);
    return fabs(lon - at.lon) < SAME_DEGREES && fabs(lat - at.lat) < SAME_DEGREES;
}

static bool has_points(const sc_map *map, sc_seg_id id, const sc__degrees *points, size_t count,
                       bool turned)
{
    const sc_segment *segment = &sc_map_segments(map)[id];
    const sc_edge *edges = sc_map_edges(map);
    if (segment[1].first_edge - segment->first_edge != count - 1) return false;
    if (!is_node_at(map, edges[segment->first_edge].from, points[turned ? count - 1 : 0])) {
        return false;
    }
    for (size_t i = 1; i < count; i++) {
        const sc_node_id node = edges[segment->first_edge + i - 1].to;
        if (!is_node_at(map, node, points[turned ? count - 1 - i : i])) return false;
    }
    return true;
}

// Look for such roads among those at a star.
static sc_err look_at_star(sc__matching *m, sc_star_id star, const sc__degrees *points,
                           size_t count)
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

static sc_err find_same_roads(sc__matching *m, const sc__degrees *points, size_t count)
{
    sc_err err = SC_OK;
    m->fit_count = 0;
    for (size_t i = 0; !err && i < m->sample_count; i++) {
        const sc_segment *near = &sc_map_segments(m->codec->map)[m->samples[i].segment];
        err = look_at_star(m, near->star_a, points, count);
        if (!err) err = look_at_star(m, near->star_b, points, count);
    }
    // Each was found from both of its ends.
    m->fit_count = sc__sort_unique(m->fits, (uint32_t)m->fit_count);
    return err;
}

static bool is_taken(const sc__matching *m, sc_seg_id segment)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->segments[i] == segment) return true;
    }
    return false;
}

// Take the road that fits; of several, one that no line has taken. Then all must be taken in the
// end.
static sc_err add_same_road(sc__matching *m)
{
    size_t chosen = 0;
    while (m->fit_count > 1 && chosen + 1 < m->fit_count && is_taken(m, m->fits[chosen])) {
        chosen++;
    }
    for (size_t i = 0; m->fit_count > 1 && i < m->fit_count; i++) {
        if (!sc_grow(&m->twins, m->twin_count, &m->twin_capacity, sizeof *m->twins)) {
            return fail_memory(m);
        }
        m->twins[m->twin_count++] = (sc__twin){m->fits[i], m->lines};
    }
    return add_segment(m, m->fits[chosen]);
}

// --- Roads that account for the line -----------------------------------------------

static double drawn_length_m(const sc_map *map, sc_seg_id id)
{
    const sc_segment *segment = &sc_map_segments(map)[id];
    const sc_edge *edges = sc_map_edges(map);
    double length_m = 0.0;
    sc__degrees ends[2];
    sc_map_node_position(map, edges[segment->first_edge].from, &ends[0].lon, &ends[0].lat);
    for (sc_edge_id e = segment->first_edge; e < segment[1].first_edge; e++) {
        sc_map_node_position(map, edges[e].to, &ends[1].lon, &ends[1].lat);
        length_m += piece_length_m(ends);
        ends[0] = ends[1];
    }
    return length_m;
}

static sc_err add_similar_roads(sc__matching *m, double length_m)
{
    double accounted_m = 0.0;
    size_t added = 0;
    for (size_t i = 0; i < m->sample_count; i++) {
        const sc__sample *sample = &m->samples[i];
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

sc_err sc__matching_add(sc__matching *matching, const sc__degrees *points, size_t count)
{
    sc__matching *m = matching;
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

sc_err sc__matching_end(sc__matching *matching)
{
    const sc__matching *m = matching;
    sc_sort_u32(m->segments, m->count);
    for (size_t i = 1; i < m->count; i++) {
        if (m->segments[i] == m->segments[i - 1]) {
            return sc_fail(m->codec->diag, SC_EUNKNOWN,
                           "two lines run along the same road of this map");
        }
    }
    const uint32_t count = (uint32_t)m->count;
    for (size_t i = 0; i < m->twin_count; i++) {
        const uint32_t place = sc__place_of(m->segments, count, m->twins[i].segment);
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
