// Sets of stars and segments by their definitions. See slow_roads.h.
#include "support/slow_roads.h"

#include "support/check.h"

static bool is_end(const sc_segment *segment, sc_star_id star)
{
    return segment->star_a == star || segment->star_b == star;
}

bool slow_adjacent(const slow_roads *roads, sc_star_id a, sc_star_id b)
{
    const sc_segment *segments = sc_map_segments(roads->map);
    for (sc_seg_id s = 0; s < roads->segment_count && a != b; s++) {
        if (is_end(&segments[s], a) && is_end(&segments[s], b)) return true;
    }
    return false;
}

// The way from a to b is the shorter of the one known and the one by `via`, for every `via`.
static void find_hops(slow_roads *roads)
{
    const uint32_t n = roads->star_count;
    for (sc_star_id a = 0; a < n; a++) {
        for (sc_star_id b = 0; b < n; b++) {
            const uint32_t apart = slow_adjacent(roads, a, b) ? 1 : SC_NONE;
            roads->hops[a * n + b] = a == b ? 0 : apart;
        }
    }
    for (sc_star_id via = 0; via < n; via++) {
        for (sc_star_id a = 0; a < n; a++) {
            for (sc_star_id b = 0; b < n; b++) {
                const uint64_t by = (uint64_t)slow_hops(roads, a, via) + slow_hops(roads, via, b);
                if (by < slow_hops(roads, a, b)) roads->hops[a * n + b] = (uint32_t)by;
            }
        }
    }
}

slow_roads slow_roads_new(const sc_map *map)
{
    slow_roads roads = {
        .map = map,
        .star_count = sc_map_star_count(map),
        .segment_count = sc_map_segment_count(map),
    };
    roads.hops = test_take((size_t)roads.star_count * roads.star_count, sizeof *roads.hops);
    find_hops(&roads);
    return roads;
}

void slow_roads_free(slow_roads *roads)
{
    free(roads->hops);
    *roads = (slow_roads){0};
}

uint32_t slow_hops(const slow_roads *roads, sc_star_id a, sc_star_id b)
{
    return roads->hops[a * roads->star_count + b];
}

bool slow_touches(const slow_roads *roads, const bool *stars, sc_seg_id segment)
{
    const sc_segment *ends = &sc_map_segments(roads->map)[segment];
    return stars[ends->star_a] || (ends->star_b != SC_NONE && stars[ends->star_b]);
}

size_t slow_segment_count(const slow_roads *roads, const bool *stars)
{
    size_t count = 0;
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        count += slow_touches(roads, stars, s);
    }
    return count;
}

size_t slow_ball_segment_count(const slow_roads *roads, sc_star_id star, uint32_t max_hops)
{
    bool *ball = test_take(roads->star_count, sizeof *ball);
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        const uint32_t hops = slow_hops(roads, star, x);
        ball[x] = hops != SC_NONE && hops <= max_hops;
    }
    const size_t count = slow_segment_count(roads, ball);
    free(ball);
    return count;
}

bool slow_is_border(const slow_roads *roads, const bool *segments, sc_node_id node)
{
    const sc_edge *edges = sc_map_edges(roads->map);
    const uint32_t edge_count = sc_map_edge_count(roads->map);
    bool has_inside = false;
    bool has_outside = false;
    for (sc_edge_id e = 0; e < edge_count; e++) {
        if (edges[e].from != node && edges[e].to != node) continue;
        has_inside |= segments[edges[e].segment];
        has_outside |= !segments[edges[e].segment];
    }
    return has_inside && has_outside;
}

sc_extent slow_extent(const slow_roads *roads, const bool *stars)
{
    const sc_map *map = roads->map;
    bool *segments = test_take(roads->segment_count, sizeof *segments);
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        segments[s] = slow_touches(roads, stars, s);
    }
    sc_extent extent = {.segment_count = slow_segment_count(roads, stars)};
    for (sc_node_id node = 0; node < sc_map_node_count(map); node++) {
        extent.border_node_count += slow_is_border(roads, segments, node);
    }
    // Whole units first: the same length is then the same number, whichever roads add up to it.
    uint64_t length = 0;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        if (segments[sc_map_edges(map)[e].segment]) length += sc_map_edges(map)[e].length;
    }
    extent.length_m = (double)length * sc_map_unit_m(map);
    free(segments);
    return extent;
}

double slow_object_density(const slow_roads *roads)
{
    double length_m = 0;
    for (sc_edge_id e = 0; e < sc_map_edge_count(roads->map); e++) {
        length_m += sc_map_edge_length_m(roads->map, e);
    }
    return length_m > 0 ? sc_map_object_count(roads->map) / length_m : 0;
}

uint32_t *slow_ids(const bool *flags, uint32_t flag_count, size_t *count)
{
    uint32_t *ids = test_take(flag_count, sizeof *ids);
    *count = 0;
    for (uint32_t i = 0; i < flag_count; i++) {
        if (flags[i]) ids[(*count)++] = i;
    }
    return ids;
}
