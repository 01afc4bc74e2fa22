// From what was added to a builder to the tables of a map.
//
// 1. Chains: edges are joined into segments (chains.c).
// 2. Curve: chains are ordered along a Hilbert curve, so that what is near on the ground gets near
//    numbers. The snapping index (snap.c) relies on this for its speed.
// 3. Tables: nodes on the grid, lengths in whole units, edges and segments in their final order.
//    sc_builder_finish() then has stars (stars.c), the snapping index (snap.c) and objects
//    (map_objects.c) built.
//
// starcloak/map.h states what the tables promise; map_check.c verifies it.
#include <starcloak/map_build.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/sort.h"
#include "map/builder_internal.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// --- The order along the Hilbert curve ----------------------------------------------------------

sc_curve sc__curve_of(const sc_map *map)
{
    sc_curve curve = {.nodes = NULL};
    if (map->coords == SC_COORDS_NONE) return curve;

    const sc_node *nodes = sc__nodes(map);
    int64_t min_x = INT64_MAX;
    int64_t min_y = INT64_MAX;
    int64_t max_x = INT64_MIN;
    int64_t max_y = INT64_MIN;
    for (uint32_t i = 0; i < map->node_count; i++) {
        if (nodes[i].x < min_x) min_x = nodes[i].x;
        if (nodes[i].y < min_y) min_y = nodes[i].y;
        if (nodes[i].x > max_x) max_x = nodes[i].x;
        if (nodes[i].y > max_y) max_y = nodes[i].y;
    }
    const int64_t side = max_x - min_x > max_y - min_y ? max_x - min_x : max_y - min_y;
    curve = (sc_curve){.nodes = nodes, .min_x = min_x, .min_y = min_y};
    while (side >> curve.shift > 0xffff) {
        curve.shift++;
    }
    return curve;
}

uint32_t sc__curve_place(const sc_curve *curve, sc_node_id a, sc_node_id b)
{
    if (!curve->nodes) return 0;
    const sc_node p = curve->nodes[a];
    const sc_node q = curve->nodes[b];
    const int64_t x = ((int64_t)p.x + q.x) / 2 - curve->min_x;
    const int64_t y = ((int64_t)p.y + q.y) / 2 - curve->min_y;
    return sc_geo_hilbert((uint32_t)((uint64_t)x >> curve->shift) & 0xffff,
                          (uint32_t)((uint64_t)y >> curve->shift) & 0xffff);
}

sc_err sc__table_make(sc_map *map, sc_table_kind kind, uint64_t count)
{
    void *data = sc_malloc_array(count, sc__table_element_size(kind));
    if (!data) return SC_ENOMEM;
    map->tables[kind] = (sc_table){.data = data, .count = count};
    return SC_OK;
}

// --- Nodes -------------------------------------------------------------------

// The finest grid that all nodes of a plane fit on. Its origin is a corner,
// rounded so that coordinates with few decimals stay exact.
static sc_grid plane_grid(const sc_builder *builder)
{
    double min_x = HUGE_VAL;
    double min_y = HUGE_VAL;
    double max_x = -HUGE_VAL;
    double max_y = -HUGE_VAL;
    for (size_t i = 0; i < builder->node_count; i++) {
        min_x = fmin(min_x, builder->nodes[i].x);
        min_y = fmin(min_y, builder->nodes[i].y);
        max_x = fmax(max_x, builder->nodes[i].x);
        max_y = fmax(max_y, builder->nodes[i].y);
    }
    sc_grid grid = {.origin_x = floor(min_x), .origin_y = floor(min_y), .per_unit = 1e6};
    const double side = fmax(max_x - grid.origin_x, max_y - grid.origin_y);
    while (side * grid.per_unit > INT32_MAX - 1) {
        grid.per_unit /= 10.0;
    }
    return grid;
}

// How far a longitude is from the origin of a globe's grid: 180 degrees at most.
static double longitude_from(double origin, double x)
{
    return x - origin < -180.0 ? x - origin + 360.0 : x - origin;
}

static bool crosses_rim(const sc_builder *builder, const sc_raw_edge *edge, double origin)
{
    return fabs(longitude_from(origin, builder->nodes[edge->from].x) -
                longitude_from(origin, builder->nodes[edge->to].x)) > 180.0;
}

// Where the grid of a globe has its origin. The index knows no wrapping of longitudes, so an edge
// across the grid's rim would seem to run round the globe: the rim is the 180th meridian or, for a
// map with roads across that, the 0th.
static sc_err choose_globe_origin(const sc_builder *builder, double *origin, sc_diag *diag)
{
    *origin = 0.0;
    if (builder->coords != SC_COORDS_GEOGRAPHIC) return SC_OK;
    for (size_t e = 0; e < builder->edge_count; e++) {
        const sc_raw_edge *edge = &builder->edges[e];
        if (!crosses_rim(builder, edge, *origin)) continue;
        if (*origin != 0.0) {
            const sc_point a = builder->nodes[edge->from];
            const sc_point b = builder->nodes[edge->to];
            return sc_fail(diag, SC_EINVAL,
                           "the road from %.7f,%.7f to %.7f,%.7f crosses the 0th meridian and "
                           "others cross the 180th; split the data at one of them",
                           a.x, a.y, b.x, b.y);
        }
        *origin = 180.0;
        e = (size_t)-1;  // all edges once more, with that origin
    }
    return SC_OK;
}

static sc_err place_nodes(sc_builder *builder, sc_map *map, double globe_origin)
{
    map->node_count = (uint32_t)builder->node_count;
    if (map->coords == SC_COORDS_NONE) return SC_OK;

    const bool on_globe = map->coords == SC_COORDS_GEOGRAPHIC;
    const sc_grid globe = {.origin_x = globe_origin, .per_unit = SC_GRID_PER_DEGREE};
    map->grid = on_globe ? globe : plane_grid(builder);
    const sc_err err = sc__table_make(map, SC_TABLE_NODES, map->node_count);
    if (err) return err;
    sc_node *nodes = map->tables[SC_TABLE_NODES].data;
    for (uint32_t i = 0; i < map->node_count; i++) {
        const sc_point at = builder->nodes[i];
        const double x = on_globe ? longitude_from(globe_origin, at.x) : at.x - map->grid.origin_x;
        nodes[i].x = (int32_t)lround(x * map->grid.per_unit);
        nodes[i].y = (int32_t)lround((at.y - map->grid.origin_y) * map->grid.per_unit);
    }
    return SC_OK;
}

// --- Lengths -----------------------------------------------------------------

// The finest unit in which the longest segment's length fits 32 bits: 1 mm for
// any real road, coarser only for strange maps. 0 if there is none.
static double choose_unit(const sc_builder *builder, const sc_chains *chains)
{
    static const double units[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4};
    double longest = 0.0;
    for (uint32_t c = 0; c < chains->count; c++) {
        double length = 0.0;
        for (uint32_t i = chains->first[c]; i < chains->first[c + 1]; i++) {
            length += builder->edges[chains->steps[i] >> 1].length;
        }
        longest = fmax(longest, length);
    }
    // Below 2^32 by more than rounding each edge up can add.
    for (size_t i = builder->in_metres ? 3 : 0; i < sizeof units / sizeof *units; i++) {
        if (longest / units[i] < 4e9) return units[i];
    }
    return 0.0;
}

// A length or a time in whole units. Only what has none becomes 0.
static uint32_t in_units(double amount, double unit)
{
    // As llround() of a number that is not negative, without its call.
    const uint32_t rounded = (uint32_t)(amount / unit + 0.5);
    return rounded == 0 && amount > 0.0 ? 1 : rounded;
}

// --- Travel times ------------------------------------------------------------

// How long an edge takes as it was added, in seconds.
static sc_raw_times times_of(const sc_builder *builder, sc_edge_id edge)
{
    const sc_raw_times unknown = {SC_USUAL_S, SC_USUAL_S};
    const sc_raw_times given = edge < builder->times_count ? builder->times[edge] : unknown;
    if (given.forward_s != SC_USUAL_S && given.backward_s != SC_USUAL_S) return given;
    // Where the unit of length is unknown, so is that of time.
    const double usual_s =
        builder->edges[edge].length / sc_road_class_speed_m_s(builder->classes[edge]);
    return (sc_raw_times){given.forward_s == SC_USUAL_S ? usual_s : given.forward_s,
                          given.backward_s == SC_USUAL_S ? usual_s : given.backward_s};
}

// At most how long a segment takes, in both directions together: as if its longest edge were all
// of it. Quick, and for any real map enough to know that 1 ms is fine.
static double longest_at_most(const sc_builder *builder, const sc_chains *chains)
{
    double longest = 0.0;
    for (size_t e = 0; e < builder->edge_count; e++) {
        const sc_raw_times times = times_of(builder, (sc_edge_id)e);
        const double both = times.forward_s + times.backward_s;
        longest = both > longest ? both : longest;
    }
    uint32_t most = 0;
    for (uint32_t c = 0; c < chains->count; c++) {
        const uint32_t count = chains->first[c + 1] - chains->first[c];
        most = count > most ? count : most;
    }
    // A closed direction counts as -1 s.
    return (longest + 1.0) * most;
}

static double longest_exactly(const sc_builder *builder, const sc_chains *chains)
{
    double longest = 0.0;
    for (uint32_t c = 0; c < chains->count; c++) {
        double forward_s = 0.0;
        double backward_s = 0.0;
        for (uint32_t i = chains->first[c]; i < chains->first[c + 1]; i++) {
            const sc_raw_times times = times_of(builder, chains->steps[i] >> 1);
            forward_s += fmax(times.forward_s, 0.0);
            backward_s += fmax(times.backward_s, 0.0);
        }
        // A chain may be walked against some of its edges: together they are enough in any case.
        longest = fmax(longest, forward_s + backward_s);
    }
    return longest;
}

// The finest unit in which the longest segment's times fit 32 bits: 1 ms for any real road.
static double choose_time_unit(const sc_builder *builder, const sc_chains *chains)
{
    if (longest_at_most(builder, chains) / 1e-3 < 4e9) return 1e-3;
    const double longest = longest_exactly(builder, chains);
    double unit = 1e-3;
    while (longest / unit >= 4e9) {
        unit *= 10.0;
    }
    return unit;
}

// The same in units, walked as `step` says. An edge without length is open both ways: whether one
// may drive along nothing must not matter.
static sc_travel_times step_times(const sc_builder *builder, sc_half_edge step, double unit)
{
    sc_raw_times times = times_of(builder, step >> 1);
    if (builder->edges[step >> 1].length <= 0.0) times = (sc_raw_times){0.0, 0.0};
    const uint32_t along = times.forward_s < 0.0 ? SC_CLOSED : in_units(times.forward_s, unit);
    const uint32_t against = times.backward_s < 0.0 ? SC_CLOSED : in_units(times.backward_s, unit);
    return step & 1 ? (sc_travel_times){against, along} : (sc_travel_times){along, against};
}

// --- Names -------------------------------------------------------------------

/** Finds the name of a segment: that of its longest stretch with one name. */
typedef struct name_finder {
    uint32_t name;  ///< into the strings; 0: none
    double length;
    uint32_t best;
    double best_length;
} name_finder;

static void find_name(name_finder *finder, const sc_builder *builder, sc_edge_id edge)
{
    const uint32_t name = edge < builder->edge_name_count ? builder->edge_names[edge] : 0;
    if (name != finder->name) finder->length = 0.0;
    finder->name = name;
    finder->length += builder->edges[edge].length;
    const bool is_first = finder->best == 0;
    if (name == 0 || !(is_first || finder->length > finder->best_length)) return;
    finder->best = name;
    finder->best_length = finder->length;
}

// --- Edges and segments --------------------------------------------------------

/** What laying out the edges needs and yields. */
typedef struct layout {
    sc_chains chains;
    uint32_t *order;       ///< chains in the order of the curve
    uint32_t *edge_place;  ///< edge added -> edge of the map times two, plus one if turned
} layout;

static sc_err order_chains(const sc_builder *builder, const sc_map *map, layout *l)
{
    const sc_curve curve = sc__curve_of(map);
    uint32_t *keys = sc_malloc_array(l->chains.count, sizeof *keys);
    l->order = sc_malloc_array(l->chains.count, sizeof *l->order);
    if (!keys || !l->order) {
        sc_free(keys);
        return SC_ENOMEM;
    }
    for (uint32_t c = 0; c < l->chains.count; c++) {
        const uint32_t middle = (l->chains.first[c] + l->chains.first[c + 1] - 1) / 2;
        const sc_half_edge step = l->chains.steps[middle];
        keys[c] = sc__curve_place(&curve, sc__step_from(builder, step), sc__step_to(builder, step));
    }
    const sc_err err = sc_sort_order(keys, l->chains.count, l->order);
    sc_free(keys);
    return err;
}

// How far apart two nodes are on the grid, squared; only for comparison.
static double grid_distance(const sc_map *map, sc_node_id a, sc_node_id b)
{
    if (map->coords == SC_COORDS_NONE) return 0.0;
    const sc_node *nodes = sc__nodes(map);
    const double dx = (double)nodes[a].x - nodes[b].x;
    const double dy = (double)nodes[a].y - nodes[b].y;
    return dx * dx + dy * dy;
}

// Which way a chain is walked: from an intersection if it has one; with one at
// both ends from that which is nearer to where the segment before it ended, so
// that edges with neighbouring numbers are neighbours.
static bool runs_backwards(const sc_builder *builder, const sc_map *map, const sc_chains *chains,
                           uint32_t chain, sc_node_id before)
{
    const sc_node_id a = sc__step_from(builder, chains->steps[chains->first[chain]]);
    const sc_node_id b = sc__step_to(builder, chains->steps[chains->first[chain + 1] - 1]);
    const bool a_is_star = chains->degree[a] >= 3;
    const bool b_is_star = chains->degree[b] >= 3;
    if (a_is_star != b_is_star) return b_is_star;
    return a_is_star && grid_distance(map, b, before) < grid_distance(map, a, before);
}

static sc_err lay_out_edges(const sc_builder *builder, sc_map *map, layout *l)
{
    const sc_chains *chains = &l->chains;
    map->edge_count = (uint32_t)builder->edge_count;
    map->segment_count = chains->count;
    if (sc__table_make(map, SC_TABLE_EDGES, map->edge_count) ||
        sc__table_make(map, SC_TABLE_EDGE_CLASSES, map->edge_count) ||
        sc__table_make(map, SC_TABLE_EDGE_TIMES, map->edge_count) ||
        sc__table_make(map, SC_TABLE_SEGMENT_TIMES, map->segment_count) ||
        (builder->edge_name_count > 0 &&
         sc__table_make(map, SC_TABLE_SEGMENT_NAMES, map->segment_count)) ||
        sc__table_make(map, SC_TABLE_SEGMENTS, (uint64_t)map->segment_count + 1)) {
        return SC_ENOMEM;
    }
    l->edge_place = sc_malloc_array(map->edge_count, sizeof *l->edge_place);
    if (!l->edge_place) return SC_ENOMEM;

    sc_edge *edges = map->tables[SC_TABLE_EDGES].data;
    uint8_t *classes = map->tables[SC_TABLE_EDGE_CLASSES].data;
    sc_travel_times *edge_times = map->tables[SC_TABLE_EDGE_TIMES].data;
    sc_travel_times *segment_times = map->tables[SC_TABLE_SEGMENT_TIMES].data;
    uint32_t *names = map->tables[SC_TABLE_SEGMENT_NAMES].data;
    sc_segment *segments = map->tables[SC_TABLE_SEGMENTS].data;
    uint32_t next = 0;
    for (uint32_t s = 0; s < map->segment_count; s++) {
        const uint32_t chain = l->order[s];
        const uint32_t first = chains->first[chain];
        const uint32_t count = chains->first[chain + 1] - first;
        const sc_node_id before = next > 0 ? edges[next - 1].to : 0;
        const bool backwards = runs_backwards(builder, map, chains, chain, before);
        uint64_t length = 0;
        name_finder finder = {.name = 0};
        segment_times[s] = (sc_travel_times){0, 0};
        segments[s] = (sc_segment){.first_edge = next, .star_a = SC_NONE, .star_b = SC_NONE};
        for (uint32_t i = 0; i < count; i++) {
            const sc_half_edge step =
                backwards ? chains->steps[first + count - 1 - i] ^ 1 : chains->steps[first + i];
            const uint32_t units = in_units(builder->edges[step >> 1].length, map->unit_m);
            edges[next] = (sc_edge){.from = sc__step_from(builder, step),
                                    .to = sc__step_to(builder, step),
                                    .length = units,
                                    .segment = s};
            classes[next] = builder->classes[step >> 1];
            edge_times[next] = step_times(builder, step, map->time_unit_s);
            sc__add_times(&segment_times[s], edge_times[next]);
            find_name(&finder, builder, step >> 1);
            l->edge_place[step >> 1] = next << 1 | (step & 1);
            length += units;
            next++;
        }
        if (length > UINT32_MAX) return SC_ELIMIT;
        segments[s].length = (uint32_t)length;
        if (names) names[s] = finder.best;
    }
    segments[map->segment_count] = (sc_segment){.first_edge = next};
    return SC_OK;
}

// --- All of it -----------------------------------------------------------------

static void report_step(const sc_progress *progress, uint64_t done)
{
    enum { STEPS = 5 };
    if (progress && progress->report) {
        progress->report(progress->context, "building the map", done, STEPS);
    }
}

static sc_err build_tables(sc_builder *builder, sc_map *map, layout *l, double max_object_snap_m,
                           const sc_progress *progress, sc_build_report *report)
{
    report_step(progress, 0);
    sc_err err = sc__chains_find(builder, &l->chains);
    if (err) return err;
    map->unit_m = choose_unit(builder, &l->chains);
    if (map->unit_m == 0.0) return SC_ELIMIT;
    map->time_unit_s = choose_time_unit(builder, &l->chains);

    report_step(progress, 1);
    err = order_chains(builder, map, l);
    if (err) return err;

    report_step(progress, 2);
    err = lay_out_edges(builder, map, l);
    if (err) return err;
    // From here on only the objects of the builder are of use.
    sc_free(builder->nodes);
    sc_free(builder->edges);
    sc_free(builder->classes);
    sc_free(builder->times);
    sc_free(builder->edge_names);
    builder->nodes = NULL;
    builder->edges = NULL;
    builder->classes = NULL;
    builder->times = NULL;
    builder->edge_names = NULL;

    report_step(progress, 3);
    err = sc__stars_build(map, l->chains.degree);
    if (err) return err;

    map->levels = sc__box_levels(map->edge_count);
    if (map->coords != SC_COORDS_NONE) {
        err = sc__table_make(map, SC_TABLE_RUNS, map->levels.box_count[0]);
        if (!err) err = sc__table_make(map, SC_TABLE_BOXES, sc__box_group_count(&map->levels));
        if (err) return err;
        sc__index_fill(map, map->tables[SC_TABLE_RUNS].data, map->tables[SC_TABLE_BOXES].data);
    }

    report_step(progress, 4);
    err = sc__objects_build(builder, map, l->edge_place, max_object_snap_m,
                            &report->objects_too_far, progress);
    if (err || (map->object_count == 0 && !sc_map_has_names(map))) return err;
    // The strings move to the map as they are.
    map->tables[SC_TABLE_STRINGS] =
        (sc_table){.data = builder->strings, .count = builder->string_size};
    builder->strings = NULL;
    return SC_OK;
}

sc_err sc_builder_finish(sc_builder *builder, double max_object_snap_m, const sc_progress *progress,
                         sc_map **out, sc_build_report *report, sc_diag *diag)
{
    if (builder->edge_count == 0) {
        return sc_fail(diag, SC_EINVAL, "the map has no roads: no edge was found");
    }
    if (builder->coords == SC_COORDS_NONE &&
        builder->node_count > sc__max_bare_nodes(builder->edge_count)) {
        return sc_fail(diag, SC_ELIMIT,
                       "%zu nodes but only %zu edges; nodes without a road must be left out",
                       builder->node_count, builder->edge_count);
    }
    double globe_origin = 0.0;
    sc_err err = choose_globe_origin(builder, &globe_origin, diag);
    if (err) return err;

    sc_map *map = sc_calloc(1, sizeof *map);
    if (!map) return sc_fail_memory(diag, "building the map");
    map->owns_tables = true;
    map->coords = builder->coords;
    map->in_metres = builder->in_metres;
    memcpy(map->source, builder->source, sizeof map->source);

    layout l = {0};
    sc_build_report met = {0};
    err = place_nodes(builder, map, globe_origin);
    if (!err) err = build_tables(builder, map, &l, max_object_snap_m, progress, &met);
    sc__chains_fini(&l.chains);
    sc_free(l.order);
    sc_free(l.edge_place);
    if (err) {
        sc_map_free(map);
        if (err != SC_ELIMIT) return sc_fail_memory(diag, "building the map");
        return sc_fail(diag, err,
                       "a road of the map is too long to be stored: more than 4e13 metres from "
                       "junction to junction");
    }
    map->checksum = sc__map_content_checksum(map);
    if (report) *report = met;
    *out = map;
    return SC_OK;
}
