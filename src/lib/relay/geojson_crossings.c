// Crossings for points: the border nodes of a relay on a map of one's own. See geojson_internal.h.
//
// A border node is a crossing at an end of one of the segments, so only these are asked, sorted by
// latitude: thousands of points among thousands of crossings take no time.
#include "relay/geojson_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/geo.h"
#include "map/map_tables.h"

#include <math.h>
#include <stdlib.h>

// Crossings that differ by less than this in their distance cannot be told apart.
#define APART_M 0.001

typedef struct crossing {
    sc__degrees at;
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
static sc_node_id nearest(const crossing *crossings, size_t count, sc__degrees at, bool *is_clear)
{
    const double reach = SC__TOLERANCE_M / (sc_geo_scale_at(0.0).y * SC_GRID_PER_DEGREE);
    sc_node_id best = SC_NONE;
    double best_m = SC__TOLERANCE_M;
    *is_clear = true;
    for (size_t i = first_from(crossings, count, at.lat - reach);
         i < count && crossings[i].at.lat <= at.lat + reach; i++) {
        const crossing *c = &crossings[i];
        if (c->node == best) continue;
        const double distance_m = sc_geo_distance_m(at.lon, at.lat, c->at.lon, c->at.lat);
        if (distance_m > fmin(best_m + APART_M, SC__TOLERANCE_M)) continue;
        *is_clear = best == SC_NONE || distance_m < best_m - APART_M;
        if (distance_m < best_m || best == SC_NONE) {
            best = c->node;
            best_m = distance_m;
        }
    }
    return best;
}

sc_err sc__find_crossings(const sc__codec *codec, const sc_seg_id *segments, size_t segment_count,
                          const sc__degrees *points, size_t count, sc_node_id *nodes)
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
                          "point %zu is at no crossing of the roads that were sent", i);
        } else if (!is_clear) {
            err = sc_fail(codec->diag, SC_EUNKNOWN,
                          "point %zu fits two crossings; use the compact encoding", i);
        }
    }
    sc_free(crossings);
    return err;
}
