// Cloaks at random. See odd_cloak.h.
#include "support/odd_cloak.h"

#include "support/check.h"

// --- From flags to lists -----------------------------------------------------------------

static void list_segments(odd_cloak *cloak, const sc_map *map)
{
    const uint32_t count = sc_map_segment_count(map);
    cloak->segments = test_take(count, sizeof *cloak->segments);
    for (sc_seg_id s = 0; s < count; s++) {
        if (cloak->inside[s]) cloak->segments[cloak->segment_count++] = s;
    }
}

// The degree rule, as it is written: a loop counts twice, and so it does here.
static void list_border(odd_cloak *cloak, const sc_map *map)
{
    const sc_edge *edges = sc_map_edges(map);
    const uint32_t node_count = sc_map_node_count(map);
    const uint32_t edge_count = sc_map_edge_count(map);
    uint32_t *in_map = test_take(node_count, sizeof *in_map);
    uint32_t *in_cloak = test_take(node_count, sizeof *in_cloak);
    for (sc_edge_id e = 0; e < edge_count; e++) {
        in_map[edges[e].from]++;
        in_map[edges[e].to]++;
        if (!cloak->inside[edges[e].segment]) continue;
        in_cloak[edges[e].from]++;
        in_cloak[edges[e].to]++;
    }
    cloak->border_nodes = test_take(node_count, sizeof *cloak->border_nodes);
    for (sc_node_id v = 0; v < node_count; v++) {
        if (in_cloak[v] == 0 || in_cloak[v] == in_map[v]) continue;
        cloak->border_nodes[cloak->border_node_count++] = v;
    }
    free(in_map);
    free(in_cloak);
}

odd_cloak odd_cloak_of(const sc_map *map, bool *inside)
{
    odd_cloak cloak = {0};
    cloak.inside = inside;
    list_segments(&cloak, map);
    list_border(&cloak, map);
    return cloak;
}

void odd_cloak_free(odd_cloak *cloak)
{
    free(cloak->inside);
    free(cloak->segments);
    free(cloak->border_nodes);
    *cloak = (odd_cloak){0};
}

sc_relay odd_cloak_relay(const odd_cloak *cloak, const sc_map *map, const sc_request *requests,
                         size_t request_count)
{
    return (sc_relay){.map_checksum = sc_map_checksum(map),
                      .segments = cloak->segments,
                      .segment_count = cloak->segment_count,
                      .border_nodes = cloak->border_nodes,
                      .border_node_count = cloak->border_node_count,
                      .requests = requests,
                      .request_count = request_count};
}

// --- Drawing -----------------------------------------------------------------------------

static void add_star(const sc_map *map, bool *inside, sc_star_id star)
{
    const sc_star *stars = sc_map_stars(map);
    for (uint32_t i = stars[star].first_segment; i < stars[star + 1].first_segment; i++) {
        inside[sc_map_star_segments(map)[i]] = true;
    }
}

odd_cloak odd_cloak_of_stars(const sc_map *map, size_t star_count, sc_rng *rng)
{
    const sc_star *stars = sc_map_stars(map);
    bool *inside = test_take(sc_map_segment_count(map), sizeof *inside);
    sc_star_id *chosen = test_take(star_count, sizeof *chosen);
    size_t count = 0;
    chosen[count++] = sc_rng_below(rng, sc_map_star_count(map));
    // A star may be drawn twice: the cloak is then a little smaller.
    while (count < star_count) {
        const sc_star_id from = chosen[sc_rng_below(rng, (uint32_t)count)];
        const uint32_t first = stars[from].first_neighbour;
        const uint32_t neighbours = stars[from + 1].first_neighbour - first;
        chosen[count++] = neighbours == 0
                              ? from
                              : sc_map_star_neighbours(map)[first + sc_rng_below(rng, neighbours)];
    }
    for (size_t i = 0; i < count; i++) {
        add_star(map, inside, chosen[i]);
    }
    free(chosen);
    return odd_cloak_of(map, inside);
}

odd_cloak odd_cloak_new(const sc_map *map, sc_rng *rng)
{
    const uint32_t star_count = sc_map_star_count(map);
    const uint32_t segment_count = sc_map_segment_count(map);
    const uint32_t way = sc_rng_below(rng, 8);
    if (way < 3) return odd_cloak_of_stars(map, 1 + sc_rng_below(rng, star_count), rng);

    bool *inside = test_take(segment_count, sizeof *inside);
    inside[sc_rng_below(rng, segment_count)] = true;
    if (way == 3) {  // stars from anywhere
        for (uint32_t i = 1 + sc_rng_below(rng, 4); i > 0; i--) {
            add_star(map, inside, sc_rng_below(rng, star_count));
        }
    } else if (way == 4) {  // the whole map
        memset(inside, true, segment_count);
    } else if (way < 7) {  // any segments
        const uint32_t share = 1 + sc_rng_below(rng, 9);
        for (sc_seg_id s = 0; s < segment_count; s++) {
            inside[s] |= sc_rng_below(rng, 10) < share;
        }
    }
    return odd_cloak_of(map, inside);
}

static double draw_offset(const sc_map *map, sc_edge_id edge, sc_rng *rng)
{
    const double length_m = sc_map_edge_length_m(map, edge);
    const uint32_t units = sc_map_edges(map)[edge].length;
    switch (sc_rng_below(rng, 6)) {
    case 0:
        return 0.0;
    case 1:
        return length_m;
    case 2:
        return length_m / 2;
    case 3:
        return (units > 0 ? sc_rng_below(rng, units) : 0) * sc_map_unit_m(map);
    default:
        return sc_rng_unit(rng) * length_m;
    }
}

odd_position odd_position_on(const sc_map *map, sc_seg_id segment, sc_rng *rng)
{
    static const sc_direction directions[] = {SC_EITHER_WAY, SC_EITHER_WAY, SC_FORWARD,
                                              SC_BACKWARD};
    const sc_segment *segments = sc_map_segments(map);
    const sc_edge_id first = segments[segment].first_edge;
    const sc_edge_id edge = first + sc_rng_below(rng, segments[segment + 1].first_edge - first);
    const double offset_m = draw_offset(map, edge, rng);
    return (odd_position){edge, offset_m, directions[sc_rng_below(rng, 4)]};
}
