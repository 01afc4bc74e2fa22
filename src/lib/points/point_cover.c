// The points at which a provider is asked for a cloak, and the topics of its questions. See
// point_reply.h.
#include "points/point_reply.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/hash.h"
#include "map/geo.h"
#include "points/point_settings.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// === Points =====================================================================================

/** What summing up lengths in doubles may lose, as a share, many times over. */
#define ROUNDING 1e-9

// --- Measures ---------------------------------------------------------------

double sc__point_straight_m(const sc_map *map, double x_a, double y_a, double x_b, double y_b)
{
    return sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? sc_geo_distance_m(x_a, y_a, x_b, y_b)
                                                      : hypot(x_b - x_a, y_b - y_a);
}

// The length of an edge over ground, or a little more. On the globe an edge is straight in
// degrees, and a degree of longitude is the longer the nearer it is to the equator: with the
// longest of the edge for all of it, a part of the edge is never longer than its share.
static double ground_length_m(const sc_map *map, const sc_edge *edge)
{
    double x_a = 0.0;
    double y_a = 0.0;
    double x_b = 0.0;
    double y_b = 0.0;
    sc_map_node_position(map, edge->from, &x_a, &y_a);
    sc_map_node_position(map, edge->to, &x_b, &y_b);
    if (sc_map_coords(map) != SC_COORDS_GEOGRAPHIC) return hypot(x_b - x_a, y_b - y_a);

    x_b = sc_geo_lon_beside(x_a, x_b);
    const bool crosses_equator = (y_a < 0.0) != (y_b < 0.0);
    const double lowest = crosses_equator ? 0.0 : fmin(fabs(y_a), fabs(y_b));
    const double degree_m = SC_EARTH_RADIUS_M * SC_PI / 180.0;
    return degree_m * hypot((x_b - x_a) * cos(lowest * SC_PI / 180.0), y_b - y_a);
}

static double edge_length_m(const sc__point_cover *cover, sc_edge_id edge)
{
    if (cover->distance == SC_POINT_ROAD) return sc_map_edge_length_m(cover->map, edge);
    return ground_length_m(cover->map, &sc_map_edges(cover->map)[edge]) * (1.0 + ROUNDING);
}

double sc__point_cover_along_m(const sc__point_cover *cover, sc_edge_id edge, double offset_m)
{
    const sc_seg_id segment = sc_map_edges(cover->map)[edge].segment;
    double along_m = 0.0;
    for (sc_edge_id e = sc_map_segments(cover->map)[segment].first_edge; e < edge; e++) {
        along_m += edge_length_m(cover, e);
    }
    // An edge without length has one place only, as sc_map_edge_position() has it: its beginning.
    const double length_m = sc_map_edge_length_m(cover->map, edge);
    const double part = length_m > 0.0 ? offset_m / length_m : 0.0;
    return along_m + part * edge_length_m(cover, edge);
}

// How far rounding its coordinates can take a point from its place.
static double rounding_m(const sc_map *map)
{
    const double step = 0.5 * SC_TEMPLATE_STEP * sqrt(2.0);
    return sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? step * SC_EARTH_RADIUS_M * SC_PI / 180.0
                                                      : step;
}

// --- How many ---------------------------------------------------------------

static sc_err take_segments(sc__point_cover *cover, const sc_seg_id *segments, size_t count,
                            sc_diag *diag)
{
    cover->segments = sc_malloc_array(count, sizeof *cover->segments);
    cover->lengths_m = sc_malloc_array(count, sizeof *cover->lengths_m);
    cover->first_stop = sc_malloc_array(count + 1, sizeof *cover->first_stop);
    if (!cover->segments || !cover->lengths_m || !cover->first_stop) {
        return sc_fail_memory(diag, "covering a cloak with points");
    }
    memcpy(cover->segments, segments, count * sizeof *segments);
    cover->segment_count = count;
    const sc_segment *table = sc_map_segments(cover->map);
    for (size_t i = 0; i < count; i++) {
        double length_m = 0.0;
        for (sc_edge_id e = table[segments[i]].first_edge; e < table[segments[i] + 1].first_edge;
             e++) {
            length_m += edge_length_m(cover, e);
        }
        cover->lengths_m[i] = length_m;
    }
    return SC_OK;
}

// How many stops each segment has, its ends included. Ends that segments share are counted with
// each, so this bounds memory; whether the points are too many is seen when they are made.
static sc_err count_stops(sc__point_cover *cover, const sc_point_options *options, sc_diag *diag)
{
    double total = 0.0;
    for (size_t i = 0; i < cover->segment_count; i++) {
        const double pieces = fmax(ceil(cover->lengths_m[i] / options->spacing_m), 1.0);
        cover->first_stop[i] = (uint32_t)total;
        total += pieces + 1.0;
        if (total >
            fmin((double)options->max_points + 2.0 * (double)cover->segment_count, UINT32_MAX)) {
            return sc_fail(diag, SC_ELIMIT,
                           "covering the cloak takes more than %zu points; allow more points, or a "
                           "wider spacing",
                           options->max_points);
        }
    }
    cover->first_stop[cover->segment_count] = (uint32_t)total;
    return SC_OK;
}

// --- Where ------------------------------------------------------------------

static uint32_t add_point(sc__point_cover *cover, double x, double y)
{
    cover->points[cover->point_count] =
        (sc__point){.x = sc_template_rounded(x), .y = sc_template_rounded(y)};
    return cover->point_count++;
}

// The point at a node, where segments may meet: there is one for all of them.
static sc_err node_point(sc__point_cover *cover, sc_hash *nodes, sc_node_id node, uint32_t *out)
{
    const sc_err err = sc_hash_put(nodes, (sc_key){.low = node}, cover->point_count, out);
    if (err || *out != cover->point_count) return err;
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(cover->map, node, &x, &y);
    add_point(cover, x, y);
    return SC_OK;
}

// The points inside of a segment: the i-th of `pieces` ends where i / pieces of it are behind.
static void put_inner_points(sc__point_cover *cover, size_t at, uint32_t pieces)
{
    uint32_t *stops = cover->stops + cover->first_stop[at];
    const double piece_m = cover->lengths_m[at] / pieces;
    sc_edge_id edge = sc_map_segments(cover->map)[cover->segments[at]].first_edge;
    const sc_edge_id last = sc_map_segments(cover->map)[cover->segments[at] + 1].first_edge - 1;
    double behind_m = 0.0;
    for (uint32_t i = 1; i < pieces; i++) {
        double length_m = edge_length_m(cover, edge);
        while (edge < last && behind_m + length_m < i * piece_m) {
            behind_m += length_m;
            length_m = edge_length_m(cover, ++edge);
        }
        const double share = length_m > 0.0 ? (i * piece_m - behind_m) / length_m : 0.0;
        const double part = fmin(fmax(share, 0.0), 1.0);
        double x[2];
        double y[2];
        sc_map_node_position(cover->map, sc_map_edges(cover->map)[edge].from, &x[0], &y[0]);
        sc_map_node_position(cover->map, sc_map_edges(cover->map)[edge].to, &x[1], &y[1]);
        if (sc_map_coords(cover->map) != SC_COORDS_GEOGRAPHIC) {
            stops[i] = add_point(cover, x[0] + part * (x[1] - x[0]), y[0] + part * (y[1] - y[0]));
            continue;
        }
        const double way = sc_geo_lon_beside(x[0], x[1]) - x[0];
        stops[i] =
            add_point(cover, sc_geo_lon_wrapped(x[0] + part * way), y[0] + part * (y[1] - y[0]));
    }
}

static void widen_gaps(sc__point_cover *cover, size_t at, uint32_t pieces)
{
    const uint32_t *stops = cover->stops + cover->first_stop[at];
    const double half_m =
        cover->lengths_m[at] / pieces / 2.0 * (1.0 + ROUNDING) + rounding_m(cover->map);
    for (uint32_t i = 0; i <= pieces; i++) {
        sc__point *point = &cover->points[stops[i]];
        point->half_gap_m = fmax(point->half_gap_m, half_m);
    }
}

static sc_err put_points(sc__point_cover *cover, sc_hash *nodes, sc_diag *diag)
{
    const uint32_t stop_count = cover->first_stop[cover->segment_count];
    cover->stops = sc_malloc_array(stop_count, sizeof *cover->stops);
    cover->points = sc_malloc_array(stop_count, sizeof *cover->points);
    if (!cover->stops || !cover->points)
        return sc_fail_memory(diag, "covering a cloak with points");

    const sc_edge *edges = sc_map_edges(cover->map);
    for (size_t at = 0; at < cover->segment_count; at++) {
        const sc_segment *segment = &sc_map_segments(cover->map)[cover->segments[at]];
        uint32_t *stops = cover->stops + cover->first_stop[at];
        const uint32_t pieces = cover->first_stop[at + 1] - cover->first_stop[at] - 1;
        if (node_point(cover, nodes, edges[segment[0].first_edge].from, &stops[0]) ||
            node_point(cover, nodes, edges[segment[1].first_edge - 1].to, &stops[pieces])) {
            return sc_fail_memory(diag, "covering a cloak with points");
        }
        put_inner_points(cover, at, pieces);
        widen_gaps(cover, at, pieces);
    }
    return SC_OK;
}

sc_err sc__point_cover_init(const sc_map *map, const sc_seg_id *segments, size_t count,
                            const sc_point_options *options, sc__point_cover *out, sc_diag *diag)
{
    sc__point_cover cover = {.map = map, .distance = options->distance};
    sc_hash nodes = {0};
    sc_err err = take_segments(&cover, segments, count, diag);
    if (!err) err = count_stops(&cover, options, diag);
    if (!err) err = put_points(&cover, &nodes, diag);
    if (!err && cover.point_count > options->max_points) {
        err = sc_fail(diag, SC_ELIMIT,
                      "covering the cloak takes %" PRIu32
                      " points, but %zu are allowed; allow more points, or a wider spacing",
                      cover.point_count, options->max_points);
    }
    sc_hash_fini(&nodes);
    if (err) {
        sc__point_cover_fini(&cover);
        return err;
    }
    *out = cover;
    return SC_OK;
}

void sc__point_cover_fini(sc__point_cover *cover)
{
    sc_free(cover->segments);
    sc_free(cover->lengths_m);
    sc_free(cover->first_stop);
    sc_free(cover->stops);
    sc_free(cover->points);
    *cover = (sc__point_cover){.map = NULL};
}

// --- Which piece ------------------------------------------------------------

static bool find_segment(const sc__point_cover *cover, sc_seg_id segment, size_t *out)
{
    size_t low = 0;
    size_t high = cover->segment_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cover->segments[middle] < segment) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *out = low;
    return low < cover->segment_count && cover->segments[low] == segment;
}

bool sc__point_cover_find(const sc__point_cover *cover, sc_edge_id edge, double offset_m,
                          sc__point_cover_place *out)
{
    size_t at = 0;
    if (!find_segment(cover, sc_map_edges(cover->map)[edge].segment, &at)) return false;
    const uint32_t *stops = cover->stops + cover->first_stop[at];
    const uint32_t pieces = cover->first_stop[at + 1] - cover->first_stop[at] - 1;
    const double piece_m = cover->lengths_m[at] / pieces;
    const double along_m = sc__point_cover_along_m(cover, edge, offset_m);
    const double place = piece_m > 0.0 ? floor(along_m / piece_m) : 0.0;
    const uint32_t piece = place < pieces ? (uint32_t)place : pieces - 1;
    *out = (sc__point_cover_place){.points = {stops[piece], stops[piece + 1]},
                                   .length_m = piece_m,
                                   .along_m = fmin(fmax(along_m - piece * piece_m, 0.0), piece_m),
                                   .piece_at_m = piece * piece_m};
    return true;
}

// === Topics =====================================================================================

size_t sc__point_topics_find(const sc__point_topics *topics, sc_category_id category)
{
    size_t i = 0;
    while (i < topics->count && topics->list[i].category != category) {
        i++;
    }
    return i;
}

static bool add(sc__point_topics *topics, const sc_request *request, sc_category_id category)
{
    const size_t i = sc__point_topics_find(topics, category);
    if (i == topics->count) {
        if (!sc_grow(&topics->list, i, &topics->capacity, sizeof *topics->list)) return false;
        topics->list[topics->count++] = (sc__point_topic){.category = category, .radius_m = -1.0};
    }
    sc__point_topic *topic = &topics->list[i];
    if (request->type == SC_REQUEST_RANGE) {
        topic->radius_m = fmax(topic->radius_m, request->radius_m);
    } else if (topic->k < request->k) {
        topic->k = request->k;
    }
    return true;
}

sc_err sc__point_topics_init(const sc_request *requests, size_t count, sc__point_topics *out,
                             sc_diag *diag)
{
    sc__point_topics topics = {.list = NULL};
    bool is_fine = true;
    for (size_t i = 0; i < count; i++) {
        const sc_request *request = &requests[i];
        if (request->category_count == 0) is_fine = is_fine && add(&topics, request, SC_NONE);
        for (uint32_t c = 0; c < request->category_count; c++) {
            is_fine = is_fine && add(&topics, request, request->categories[c]);
        }
    }
    if (!is_fine) {
        sc__point_topics_fini(&topics);
        return sc_fail_memory(diag, "preparing to ask the provider");
    }
    *out = topics;
    return SC_OK;
}

void sc__point_topics_fini(sc__point_topics *topics)
{
    sc_free(topics->list);
    *topics = (sc__point_topics){.list = NULL};
}
