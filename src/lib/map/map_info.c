// What a map is like, in numbers: `starcloak map info` prints them.
//
// A map is also counted as publications count: as a simple graph, with loops dropped and parallel
// edges merged. That graph is built again from the edges, each pair of different nodes joined once,
// and its segments are found by the same code as the map's.
#include <starcloak/map_info.h>
#include <starcloak/star.h>

#include "base/alloc.h"
#include "map/builder_internal.h"
#include "map/map_tables.h"

#include <stdlib.h>
#include <string.h>

// --- The simple graph ---------------------------------------------------------------------------

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t sc__count_repeated(uint64_t *pairs, size_t count)
{
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    uint64_t repeated = 0;
    for (size_t i = 1; i < count; i++) {
        const bool again = pairs[i] == pairs[i - 1];
        const bool second = i < 2 || pairs[i - 1] != pairs[i - 2];
        repeated += again && second;
    }
    return repeated;
}

static sc_err simple_graph(const sc_map *map, sc_builder *builder)
{
    sc_err err = SC_OK;
    for (uint32_t v = 0; v < map->node_count && !err; v++) {
        sc_node_id node = 0;
        err = sc_builder_add_node(builder, 0.0, 0.0, &node);
    }
    if (err) return err;
    uint64_t *pairs = sc_malloc_array(map->edge_count, sizeof *pairs);
    if (!pairs) return SC_ENOMEM;
    size_t count = 0;
    for (uint32_t e = 0; e < map->edge_count; e++) {
        const sc_edge *edge = &sc__edges(map)[e];
        if (edge->from != edge->to) pairs[count++] = sc__pair(edge->from, edge->to);
    }
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count && !err; i++) {
        if (i > 0 && pairs[i] == pairs[i - 1]) continue;
        err = sc_builder_add_edge(builder, (sc_node_id)(pairs[i] >> 32), (sc_node_id)pairs[i], 0.0,
                                  SC_ROAD_UNKNOWN, NULL);
    }
    sc_free(pairs);
    return err;
}

static sc_err count_chains(const sc_builder *builder, const sc_chains *chains,
                           sc_simple_counts *out)
{
    uint64_t *pairs = sc_malloc_array(chains->count, sizeof *pairs);
    if (!pairs) return SC_ENOMEM;
    for (uint32_t c = 0; c < chains->count; c++) {
        const uint32_t first = chains->first[c];
        const uint32_t end = chains->first[c + 1];
        const sc_node_id a = sc__step_from(builder, chains->steps[first]);
        const sc_node_id b = sc__step_to(builder, chains->steps[end - 1]);
        if (end - first > out->longest_chain) out->longest_chain = end - first;
        if (chains->degree[a] == 2) {
            out->rings++;
            continue;
        }
        out->segments++;
        if (chains->degree[a] < 3 || chains->degree[b] < 3) continue;
        if (a == b) {
            out->back_to_own_star++;
        } else {
            pairs[out->star_to_star++] = sc__pair(a, b);
        }
    }
    out->multiple_pairs = sc__count_repeated(pairs, out->star_to_star);
    sc_free(pairs);
    return SC_OK;
}

sc_err sc__simple_graph_count(const sc_map *map, sc_simple_counts *out)
{
    sc_builder *builder = NULL;
    sc_chains chains = {0};
    sc_simple_counts counts = {0};
    sc_err err = sc_builder_new(SC_COORDS_NONE, &builder);
    if (err) return err;
    err = simple_graph(map, builder);
    if (!err) err = sc__chains_find(builder, &chains);
    if (!err) err = count_chains(builder, &chains, &counts);
    if (!err) {
        counts.edges = builder->edge_count;
        for (uint32_t v = 0; v < map->node_count; v++) {
            const uint32_t degree = chains.degree[v];
            counts.degrees[degree < SC_INFO_DEGREES ? degree : SC_INFO_DEGREES - 1]++;
            counts.stars += degree >= 3;
        }
        *out = counts;
    }
    sc__chains_fini(&chains);
    sc_builder_free(builder);
    return err;
}

// --- Distributions ------------------------------------------------------------------------------

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts the values. Percentiles are values that occur, the lower of two between.
static sc_spread spread_of(double *values, size_t count)
{
    sc_spread spread = {.count = count};
    if (count == 0) return spread;
    qsort(values, count, sizeof *values, compare_doubles);
    for (size_t i = 0; i < count; i++) {
        spread.mean += values[i] / (double)count;
    }
    spread.p10 = values[(count - 1) / 10];
    spread.median = values[(count - 1) / 2];
    spread.p90 = values[(count - 1) * 9 / 10];
    spread.max = values[count - 1];
    return spread;
}

// --- Nodes and edges -----------------------------------------------------------

static uint32_t find_root(uint32_t *parent, uint32_t v)
{
    // Halving the path as we go keeps the trees flat.
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static sc_err describe_components(const sc_map *map, sc_map_info *info)
{
    const uint32_t n = sc_map_node_count(map);
    const sc_edge *edges = sc_map_edges(map);
    uint32_t *parent = sc_malloc_array(n, sizeof *parent);
    uint32_t *size = sc_calloc(n, sizeof *size);
    if (!parent || !size) {
        sc_free(parent);
        sc_free(size);
        return SC_ENOMEM;
    }
    for (uint32_t v = 0; v < n; v++) {
        parent[v] = v;
    }
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const uint32_t a = find_root(parent, edges[e].from);
        const uint32_t b = find_root(parent, edges[e].to);
        // Towards the lesser number: locality keeps this shallow enough.
        parent[a < b ? b : a] = a < b ? a : b;
    }
    for (uint32_t v = 0; v < n; v++) {
        size[find_root(parent, v)]++;
    }
    for (uint32_t v = 0; v < n; v++) {
        info->components += size[v] > 0;
        if (size[v] > info->largest_component) info->largest_component = size[v];
    }
    sc_free(parent);
    sc_free(size);
    return SC_OK;
}

static sc_err describe_edges(const sc_map *map, sc_map_info *info)
{
    const uint32_t n = sc_map_node_count(map);
    const uint32_t m = sc_map_edge_count(map);
    const sc_edge *edges = sc_map_edges(map);
    const uint8_t *classes = sc_map_edge_classes(map);
    const sc_travel_times *times = sc_map_edge_times(map);
    uint32_t *degree = sc_calloc(n, sizeof *degree);
    if (!degree) return SC_ENOMEM;
    for (sc_edge_id e = 0; e < m; e++) {
        const double length_m = sc_map_edge_length_m(map, e);
        degree[edges[e].from]++;
        degree[edges[e].to]++;
        info->self_loops += edges[e].from == edges[e].to;
        info->zero_length_edges += edges[e].length == 0;
        info->length_m += length_m;
        const bool is_one_way = times[e].forward == SC_CLOSED || times[e].backward == SC_CLOSED;
        if (is_one_way) info->one_way_m += length_m;
        if (*sc_map_segment_name(map, edges[e].segment) != '\0') info->named_m += length_m;
        const uint32_t least =
            times[e].forward < times[e].backward ? times[e].forward : times[e].backward;
        // Rounding to whole units of time makes short edges seem slow or fast.
        if (length_m >= 1.0 && least > 0) {
            const double speed_m_s = length_m / (least * sc_map_time_unit_s(map));
            if (speed_m_s > info->top_speed_m_s) info->top_speed_m_s = speed_m_s;
        }
        info->class_length_m[classes[e] < SC_ROAD_CLASS_COUNT ? classes[e] : 0] += length_m;
    }
    for (uint32_t v = 0; v < n; v++) {
        info->degrees[degree[v] < SC_INFO_DEGREES ? degree[v] : SC_INFO_DEGREES - 1]++;
    }
    info->isolated_nodes = info->degrees[0];
    sc_free(degree);
    return SC_OK;
}

// As a bounding box of GeoJSON: across the 180th meridian west is greater than east.
static void describe_bounds(const sc_map *map, sc_map_info *info)
{
    if (sc_map_coords(map) == SC_COORDS_NONE || sc_map_node_count(map) == 0) return;
    sc_node_id west = 0;
    sc_node_id east = 0;
    double y = 0.0;
    sc_map_node_position(map, 0, &info->min_x, &info->min_y);
    info->max_y = info->min_y;
    for (sc_node_id v = 1; v < sc_map_node_count(map); v++) {
        double x = 0.0;
        sc_map_node_position(map, v, &x, &y);
        if (y < info->min_y) info->min_y = y;
        if (y > info->max_y) info->max_y = y;
        if (sc__nodes(map)[v].x < sc__nodes(map)[west].x) west = v;
        if (sc__nodes(map)[v].x > sc__nodes(map)[east].x) east = v;
    }
    sc_map_node_position(map, west, &info->min_x, &y);
    sc_map_node_position(map, east, &info->max_x, &y);
}

// --- Names -----------------------------------------------------------------------

typedef struct named_length {
    const char *name;
    double length_m;
} named_length;

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const named_length *)a)->name, ((const named_length *)b)->name);
}

// The name of the most road; of equal ones the first in the alphabet.
static sc_err describe_names(const sc_map *map, sc_map_info *info)
{
    info->longest_name = "";
    if (!sc_map_has_names(map)) return SC_OK;
    const uint32_t count = sc_map_segment_count(map);
    named_length *named = sc_malloc_array(count, sizeof *named);
    if (!named) return SC_ENOMEM;
    for (sc_seg_id s = 0; s < count; s++) {
        named[s] = (named_length){sc_map_segment_name(map, s), sc_map_segment_length_m(map, s)};
    }
    qsort(named, count, sizeof *named, compare_names);
    double length_m = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const bool goes_on = i > 0 && strcmp(named[i].name, named[i - 1].name) == 0;
        length_m = named[i].length_m + (goes_on ? length_m : 0.0);
        if (*named[i].name == '\0' || length_m <= info->longest_name_m) continue;
        info->longest_name = named[i].name;
        info->longest_name_m = length_m;
    }
    sc_free(named);
    return SC_OK;
}

// --- Segments --------------------------------------------------------------------

static sc_err describe_segments(const sc_map *map, sc_map_info *info)
{
    const uint32_t count = sc_map_segment_count(map);
    const sc_segment *segments = sc_map_segments(map);
    const sc_edge *edges = sc_map_edges(map);
    double *lengths = sc_malloc_array(count, sizeof *lengths);
    uint64_t *pairs = sc_malloc_array(count, sizeof *pairs);
    if (!lengths || !pairs) {
        sc_free(lengths);
        sc_free(pairs);
        return SC_ENOMEM;
    }
    for (sc_seg_id s = 0; s < count; s++) {
        const sc_segment *segment = &segments[s];
        const uint32_t chain = segments[s + 1].first_edge - segment->first_edge;
        const bool closed =
            edges[segment->first_edge].from == edges[segments[s + 1].first_edge - 1].to;
        // A component of its own, not a loop or dead end at an intersection.
        const bool alone = sc_star_is_pseudo(&sc_map_stars(map)[segment->star_a]);
        lengths[s] = sc_map_segment_length_m(map, s);
        if (chain > info->longest_chain) info->longest_chain = chain;
        if (closed && alone) {
            info->rings++;
        } else if (segment->star_b == SC_NONE && alone) {
            info->lone_roads++;
        } else if (segment->star_b == SC_NONE) {
            info->dead_ends++;
        } else if (segment->star_b == segment->star_a) {
            info->back_to_own_star++;
        } else {
            pairs[info->star_to_star++] = sc__pair(segment->star_a, segment->star_b);
        }
    }
    info->pseudo_stars = info->rings + info->lone_roads;
    info->multiple_pairs = sc__count_repeated(pairs, info->star_to_star);
    info->segment_length_m = spread_of(lengths, count);
    sc_free(lengths);
    sc_free(pairs);
    return SC_OK;
}

// --- Balls -----------------------------------------------------------------------

// At how many stars to measure: all, or 20,000, or fewer where balls are so large
// (a hub of thousands of roads) that those would take minutes.
static uint32_t choose_sample(sc_ball *ball, uint32_t stars)
{
    enum { SAMPLE = 20000, TRIALS = 16, MAX_WORK = 20000000 };
    const uint32_t trials = stars < TRIALS ? stars : TRIALS;
    size_t work = 0;
    for (uint32_t i = 0; i < trials; i++) {
        size_t count = 0;
        sc_ball_walk(ball, (sc_star_id)((uint64_t)i * stars / trials), SC_INFO_MAX_HOPS, &count);
        work += count;
    }
    // Every map has a star, but the division should not depend on that.
    const size_t mean = trials > 0 ? work / trials : 0;
    const size_t affordable = MAX_WORK / (mean + 1);
    uint32_t sample = stars < SAMPLE ? stars : SAMPLE;
    if (sample > affordable) sample = (uint32_t)affordable;
    return sample > trials ? sample : trials;
}

static sc_err describe_balls(const sc_map *map, sc_map_info *info)
{
    const uint32_t stars = sc_map_star_count(map);
    sc_ball *ball = NULL;
    sc_err err = sc_ball_new(map, &ball);
    if (err) return err;
    const uint32_t sample = choose_sample(ball, stars);
    double *sizes = sc_malloc_array((size_t)sample * (SC_INFO_MAX_HOPS + 1), sizeof *sizes);
    if (!sizes) {
        sc_ball_free(ball);
        return SC_ENOMEM;
    }
    for (uint32_t i = 0; i < sample; i++) {
        const sc_star_id star = (sc_star_id)((uint64_t)i * stars / sample);
        size_t count = 0;
        sc_ball_walk(ball, star, SC_INFO_MAX_HOPS, &count);
        const uint32_t *hops = sc_ball_hops(ball);
        size_t within = 0;
        for (uint32_t r = 0; r <= SC_INFO_MAX_HOPS; r++) {
            while (within < count && hops[within] <= r) {
                within++;
            }
            sizes[(size_t)r * sample + i] = (double)(within - 1);
        }
        info->ball_segments += (double)sc_ball_segment_count(ball) / sample;
    }
    info->ball_sample = sample;
    for (uint32_t r = 0; r <= SC_INFO_MAX_HOPS; r++) {
        info->ball[r] = spread_of(sizes + (size_t)r * sample, sample);
    }
    sc_free(sizes);
    sc_ball_free(ball);
    return SC_OK;
}

sc_err sc_map_describe(const sc_map *map, sc_map_info *out)
{
    sc_map_info info = {0};
    sc_err err = describe_components(map, &info);
    if (!err) err = describe_edges(map, &info);
    if (!err) err = describe_names(map, &info);
    if (!err) err = describe_segments(map, &info);
    if (!err) err = describe_balls(map, &info);
    if (!err) err = sc__simple_graph_count(map, &info.simple);
    if (err) return err;

    info.parallel_edges = sc_map_edge_count(map) - info.self_loops - info.simple.edges;
    describe_bounds(map, &info);
    for (size_t i = 0; i < SC_INFO_TABLES; i++) {
        info.table_names[i] = sc_map_table(map, i, &info.table_bytes[i]);
    }
    *out = info;
    return SC_OK;
}
