// Roads so small that sets of them are bits. See toy_town.h.
#include "support/toy_town.h"

#include "support/check.h"
#include "support/slow_roads.h"

size_t toy_ends(const toy_town *town, sc_seg_id segment, sc_star_id ends[2])
{
    const sc_segment *at = &sc_map_segments(town->map)[segment];
    ends[0] = at->star_a;
    ends[1] = at->star_b;
    return at->star_b == SC_NONE || at->star_b == at->star_a ? 1 : 2;
}

toy_segments toy_segments_of(const toy_town *town, toy_stars stars)
{
    toy_segments all = 0;
    for (; stars; stars &= stars - 1) {
        all |= town->regions[__builtin_ctz(stars)][0];
    }
    return all;
}

// More hops than there are stars lead no farther.
static uint32_t within(uint32_t hops)
{
    return hops < TOY_STARS ? hops : TOY_STARS - 1;
}

toy_stars toy_ball(const toy_town *town, sc_star_id star, uint32_t hops)
{
    return town->balls[star][within(hops)];
}

toy_segments toy_region(const toy_town *town, sc_star_id star, uint32_t hops)
{
    return town->regions[star][within(hops)];
}

double toy_cost(const toy_town *town, sc_star_id star, uint32_t result_size)
{
    const sc_cost_model *per = &town->options.cost;
    const sc_extent roads = town->extent[star];
    const double border_nodes = (double)roads.border_node_count;
    const double sending =
        per->object * (result_size * border_nodes + town->object_density * roads.length_m);
    const double answering =
        per->segment * (double)roads.segment_count + per->border_node * border_nodes;
    return per->balance * sending + (1 - per->balance) * answering;
}

// Twice the way from the middle of a segment to the middle of every other one, over all roads.
static void find_ways(toy_town *town, sc_seg_id from)
{
    enum { NODES = 128 };
    const sc_map *map = town->map;
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segments = sc_map_segments(map);
    uint64_t to_node[NODES];
    assert_in_range(sc_map_node_count(map), 1, NODES);
    for (sc_node_id v = 0; v < NODES; v++) {
        to_node[v] = UINT32_MAX;
    }
    to_node[edges[segments[from].first_edge].from] = segments[from].length;
    to_node[edges[segments[from + 1].first_edge - 1].to] = segments[from].length;
    for (sc_node_id round = 0; round < sc_map_node_count(map); round++) {
        for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
            uint64_t *a = &to_node[edges[e].from];
            uint64_t *b = &to_node[edges[e].to];
            const uint64_t length = 2 * (uint64_t)edges[e].length;
            if (*a + length < *b) *b = *a + length;
            if (*b + length < *a) *a = *b + length;
        }
    }
    for (sc_seg_id s = 0; s < town->segment_count; s++) {
        const uint64_t first = to_node[edges[segments[s].first_edge].from];
        const uint64_t last = to_node[edges[segments[s + 1].first_edge - 1].to];
        town->way[from][s] = (first < last ? first : last) + segments[s].length;
    }
}

// All that lies within so many hops of a star.
static void find_ball(toy_town *town, const slow_roads *roads, sc_star_id star, uint32_t hops)
{
    bool ball[TOY_STARS] = {false};
    for (sc_star_id x = 0; x < town->star_count; x++) {
        ball[x] = town->hops[star][x] <= hops;
        if (ball[x]) town->balls[star][hops] |= 1u << x;
    }
    for (sc_seg_id s = 0; s < town->segment_count; s++) {
        if (slow_touches(roads, ball, s)) town->regions[star][hops] |= (toy_segments)1 << s;
    }
    if (hops == 0) town->extent[star] = slow_extent(roads, ball);
}

void toy_town_init(toy_town *town, const sc_map *map, const sc_engine_options *options)
{
    slow_roads roads = slow_roads_new(map);
    assert_in_range(roads.star_count, 1, TOY_STARS);
    assert_in_range(roads.segment_count, 1, TOY_SEGMENTS);
    *town = (toy_town){
        .map = map,
        .options = *options,
        .star_count = roads.star_count,
        .segment_count = roads.segment_count,
        .object_density = slow_object_density(&roads),
    };
    for (sc_star_id a = 0; a < roads.star_count; a++) {
        for (sc_star_id b = 0; b < roads.star_count; b++) {
            town->hops[a][b] = slow_hops(&roads, a, b);
        }
        for (uint32_t hops = 0; hops < TOY_STARS; hops++) {
            find_ball(town, &roads, a, hops);
        }
    }
    for (sc_seg_id s = 0; s < roads.segment_count; s++) {
        find_ways(town, s);
    }
    slow_roads_free(&roads);
}

void toy_cloak(const toy_town *town, const toy_query *queries, size_t count, dice *d,
               toy_outcome *out)
{
    assert_in_range(count, 1, TOY_QUERIES);
    out->count = 0;
    if (town->options.variant == SC_VARIANT_SAMPLING ||
        town->options.variant == SC_VARIANT_EXPANSION) {
        toy_cloak_per_query(town, queries, count, d, out);
    } else if (town->options.variant == SC_VARIANT_PATIENT) {
        toy_cloak_patiently(town, queries, count, d, out);
    } else {
        toy_cloak_by_stars(town, queries, count, d, out);
    }
}
