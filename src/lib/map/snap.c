// Snapping: the nearest edge to a position, and the index that makes it fast.
//
// The index. Edges are numbered along a Hilbert curve (by segment), so any run of neighbouring
// numbers is a patch of ground. The index therefore needs no tree of pointers and no permutation:
// box i of the lowest level spans edges [4 i, 4 i + 4), box i of each higher level spans group i of
// sixteen boxes of the level below. That is 4.3 bytes per edge; the ends of the edges themselves,
// four to a cache line, take sixteen more. Without them a search has to fetch edges here and nodes
// there, and on a map of millions waits for memory.
//
// Invariant: every box contains what it spans.
//
// The search discards a box only when it is farther than the best edge so far, so it finds what a
// plain search over all edges finds, ties by the least id included. For speed it first goes
// straight down to a promising run, whose nearest edge is often the answer or nearly, and then
// looks through what that leaves open, the nearest first. All sixteen boxes of a group, and all
// edges of a run, are measured without a branch; the compiler makes vector code of those loops.
#include "base/cpu_variants.h"
#include "map/map_internal.h"

#include <math.h>

// --- Building the index -------------------------------------------------------------------------

static uint32_t divide_up(uint32_t count, uint32_t by)
{
    return count / by + (count % by != 0);
}

sc_box_levels sc__box_levels(uint32_t edge_count)
{
    sc_box_levels levels = {0};
    uint32_t boxes = divide_up(edge_count, SC_BOX_EDGES);
    uint32_t first = 0;
    for (;;) {
        const uint32_t groups = divide_up(boxes, SC_BOX_GROUP);
        levels.first_group[levels.level_count] = first;
        levels.box_count[levels.level_count] = boxes;
        levels.level_count++;
        if (groups <= 1) return levels;
        first += groups;
        boxes = groups;
    }
}

uint32_t sc__box_group_count(const sc_box_levels *levels)
{
    // The highest level is one group.
    return levels->first_group[levels->level_count - 1] + 1;
}

static void group_clear(sc_box_group *group)
{
    for (int i = 0; i < SC_BOX_GROUP; i++) {
        group->min_x[i] = INT32_MAX;
        group->min_y[i] = INT32_MAX;
        group->max_x[i] = INT32_MIN;
        group->max_y[i] = INT32_MIN;
    }
}

static void box_include(sc_box_group *groups, uint32_t box, int32_t min_x, int32_t min_y,
                        int32_t max_x, int32_t max_y)
{
    sc_box_group *group = &groups[box / SC_BOX_GROUP];
    const uint32_t i = box % SC_BOX_GROUP;
    if (min_x < group->min_x[i]) group->min_x[i] = min_x;
    if (min_y < group->min_y[i]) group->min_y[i] = min_y;
    if (max_x > group->max_x[i]) group->max_x[i] = max_x;
    if (max_y > group->max_y[i]) group->max_y[i] = max_y;
}

// A run that is not full repeats the last edge, which changes no box.
static void fill_runs(const sc_map *map, sc_edge_run *runs)
{
    const sc_node *nodes = sc__nodes(map);
    const sc_edge *edges = sc__edges(map);
    for (uint32_t slot = 0; slot < map->levels.box_count[0] * SC_BOX_EDGES; slot++) {
        const sc_edge *edge = &edges[slot < map->edge_count ? slot : map->edge_count - 1];
        sc_edge_run *run = &runs[slot / SC_BOX_EDGES];
        const uint32_t i = slot % SC_BOX_EDGES;
        run->from_x[i] = nodes[edge->from].x;
        run->from_y[i] = nodes[edge->from].y;
        run->to_x[i] = nodes[edge->to].x;
        run->to_y[i] = nodes[edge->to].y;
    }
}

void sc__index_fill(const sc_map *map, sc_edge_run *runs, sc_box_group *groups)
{
    const sc_box_levels *levels = &map->levels;
    fill_runs(map, runs);
    for (uint32_t i = 0; i < sc__box_group_count(levels); i++) {
        group_clear(&groups[i]);
    }
    for (uint32_t box = 0; box < levels->box_count[0]; box++) {
        const sc_edge_run *run = &runs[box];
        for (int i = 0; i < SC_BOX_EDGES; i++) {
            box_include(groups, box, run->from_x[i], run->from_y[i], run->from_x[i],
                        run->from_y[i]);
            box_include(groups, box, run->to_x[i], run->to_y[i], run->to_x[i], run->to_y[i]);
        }
    }
    for (uint32_t level = 1; level < levels->level_count; level++) {
        const sc_box_group *below = groups + levels->first_group[level - 1];
        sc_box_group *above = groups + levels->first_group[level];
        for (uint32_t i = 0; i < levels->box_count[level - 1]; i++) {
            const sc_box_group *group = &below[i / SC_BOX_GROUP];
            const uint32_t k = i % SC_BOX_GROUP;
            box_include(above, i / SC_BOX_GROUP, group->min_x[k], group->min_y[k], group->max_x[k],
                        group->max_y[k]);
        }
    }
}

// --- Searching it -------------------------------------------------------------------------------

// Boxes are compared with distances computed along another path, so rounding
// may make a box seem farther than an edge on its rim. This much relative slack
// (thousands of times the rounding) makes the comparison safe.
#define ROUNDING_SLACK (1.0 - 1e-9)

// What rounding can add to a squared distance, as a share of the squared lengths
// that it is the difference of: some units in the last place of a double.
#define CANCELLATION 1e-14

/** One search: where from, and the best so far. */
typedef struct search {
    const sc_map *map;
    double x;  ///< the position, in grid numbers
    double y;
    sc_scale scale;
    double best;  ///< squared metres
    sc_edge_id edge;
    double part;  ///< how far along the edge, 0..1
} search;

SC_INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

SC_INLINE double smaller(double a, double b)
{
    return a < b ? a : b;
}

// Which of sixteen distances may be those of something nearer, as bits.
SC_INLINE uint32_t near_bits(const search *s, const double distance[SC_BOX_GROUP])
{
    // As wide as the distances, so that both fit the same vectors.
    static const uint64_t bit[SC_BOX_GROUP] = {
        1u << 0, 1u << 1, 1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
        1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15};
    const double limit = s->best / ROUNDING_SLACK;
    uint64_t bits = 0;
    for (int i = 0; i < SC_BOX_GROUP; i++) {
        bits |= distance[i] <= limit ? bit[i] : 0;
    }
    return (uint32_t)bits;
}

// Squared distances to all boxes of a group. What lies behind the last box of a
// level is an empty box, whose distance means nothing.
SC_INLINE void measure_group(const search *s, const sc_box_group *group,
                             double distance[SC_BOX_GROUP])
{
    for (int i = 0; i < SC_BOX_GROUP; i++) {
        const double dx =
            larger(larger(group->min_x[i] - s->x, s->x - group->max_x[i]), 0.0) * s->scale.x;
        const double dy =
            larger(larger(group->min_y[i] - s->y, s->y - group->max_y[i]), 0.0) * s->scale.y;
        distance[i] = dx * dx + dy * dy;
    }
}

// The exact measure of one edge of a run, and whether it is the new best.
SC_INLINE void try_edge(search *s, const sc_edge_run *run, uint32_t i, sc_edge_id id)
{
    // Always from the end with the lesser coordinates, so that two edges between
    // the same nodes tie exactly, whichever way each is drawn.
    const bool turned = run->to_x[i] < run->from_x[i] ||
                        (run->to_x[i] == run->from_x[i] && run->to_y[i] < run->from_y[i]);
    const int32_t a_x = turned ? run->to_x[i] : run->from_x[i];
    const int32_t a_y = turned ? run->to_y[i] : run->from_y[i];
    const int32_t b_x = turned ? run->from_x[i] : run->to_x[i];
    const int32_t b_y = turned ? run->from_y[i] : run->to_y[i];

    // The position is the origin. Where the nearest point is an end, it is that
    // node's own coordinates that count: two edges that meet there tie exactly.
    const double ax = (a_x - s->x) * s->scale.x;
    const double ay = (a_y - s->y) * s->scale.y;
    const double bx = (b_x - s->x) * s->scale.x;
    const double by = (b_y - s->y) * s->scale.y;
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
    if (distance < s->best || (distance == s->best && id < s->edge)) {
        s->best = distance;
        s->edge = id;
        s->part = turned ? 1.0 - part : part;
    }
}

// Measure the edges under one box of level 0: roughly and all together first,
// then exactly those that may be the nearest.
SC_INLINE void open_run(search *s, uint32_t box)
{
    const sc_edge_run *run = &sc__edge_runs(s->map)[box];
    double rough[SC_BOX_EDGES];
    for (int i = 0; i < SC_BOX_EDGES; i++) {
        const double px = (run->from_x[i] - s->x) * s->scale.x;
        const double py = (run->from_y[i] - s->y) * s->scale.y;
        const double dx = ((double)run->to_x[i] - run->from_x[i]) * s->scale.x;
        const double dy = ((double)run->to_y[i] - run->from_y[i]) * s->scale.y;
        const double square = dx * dx + dy * dy;
        // The smallest number keeps an edge without length from dividing 0 by 0.
        const double part = -(px * dx + py * dy) / (square + 1e-300);
        const double inside = larger(smaller(part, 1.0), 0.0);
        const double qx = px + inside * dx;
        const double qy = py + inside * dy;
        // Close to a long edge q is the small difference of large numbers: its
        // error is a share of those, not of itself.
        rough[i] = qx * qx + qy * qy - CANCELLATION * (px * px + py * py + square);
    }
    const sc_edge_id first = box * SC_BOX_EDGES;
    const uint32_t left = s->map->edge_count - first;
    const uint32_t count = left < SC_BOX_EDGES ? left : SC_BOX_EDGES;
    for (uint32_t i = 0; i < count; i++) {
        if (rough[i] * ROUNDING_SLACK <= s->best) try_edge(s, run, i, first + i);
    }
}

SC_INLINE const sc_box_group *group_at(const search *s, uint32_t level, uint32_t group)
{
    return sc__box_groups(s->map) + s->map->levels.first_group[level] + group;
}

// Bits of the boxes that a group really has: the last of a level may have fewer.
SC_INLINE uint32_t all_bits(const search *s, uint32_t level, uint32_t group)
{
    const uint32_t left = s->map->levels.box_count[level] - group * SC_BOX_GROUP;
    return left < SC_BOX_GROUP ? (1u << left) - 1 : (1u << SC_BOX_GROUP) - 1;
}

/** The way down: on each level the group that was measured and the box that was taken. */
typedef struct path {
    double distance[SC_BOX_MAX_LEVELS][SC_BOX_GROUP];
    uint32_t box[SC_BOX_MAX_LEVELS];
} path;

// Which box of a group to try first: the nearest, and of several that contain
// the position the one whose middle is nearest.
SC_INLINE uint32_t most_promising(const search *s, const sc_box_group *group,
                                  const double distance[SC_BOX_GROUP], uint32_t bits)
{
    double promise[SC_BOX_GROUP];
    for (int i = 0; i < SC_BOX_GROUP; i++) {
        const double dx = (0.5 * group->min_x[i] + 0.5 * group->max_x[i] - s->x) * s->scale.x;
        const double dy = (0.5 * group->min_y[i] + 0.5 * group->max_y[i] - s->y) * s->scale.y;
        // The weight of the middle is small, so that it decides among equals only.
        promise[i] = distance[i] + 0.05 * (dx * dx + dy * dy);
    }
    uint32_t best = 0;
    for (uint32_t i = 1; i < SC_BOX_GROUP; i++) {
        best = promise[i] < promise[best] && (bits >> i & 1) ? i : best;
    }
    return best;
}

// Go straight down to a promising run. Its nearest edge is often the answer, and
// otherwise leaves little to search.
SC_INLINE void dive(search *s, path *way)
{
    uint32_t group = 0;
    for (uint32_t level = s->map->levels.level_count; level-- > 0;) {
        const sc_box_group *boxes = group_at(s, level, group);
        double *distance = way->distance[level];
        measure_group(s, boxes, distance);
        const uint32_t bits = all_bits(s, level, group);
        way->box[level] = group * SC_BOX_GROUP + most_promising(s, boxes, distance, bits);
        group = way->box[level];
    }
    open_run(s, way->box[0]);
}

// Ask for what opening a box will read: on large maps memory is what takes time.
SC_INLINE void prefetch_box(const search *s, uint32_t level, uint32_t box)
{
    enum { LINE = 64 };
    if (level == 0) {
        __builtin_prefetch(&sc__edge_runs(s->map)[box]);
        return;
    }
    const char *group = (const char *)group_at(s, level - 1, box);
    for (size_t i = 0; i < sizeof(sc_box_group); i += LINE) {
        __builtin_prefetch(group + i);
    }
}

/** A box waiting to be opened, and how far it is. */
typedef struct waiting {
    double distance;
    uint32_t level;
    uint32_t box;
} waiting;

// Put the boxes of a measured group that may hold something nearer on the stack,
// the nearest on top; all but `done`.
SC_INLINE size_t push_near(const search *s, waiting *stack, size_t depth, uint32_t level,
                           uint32_t group, const double distance[SC_BOX_GROUP], uint32_t done)
{
    const uint32_t first = group * SC_BOX_GROUP;
    const size_t floor = depth;
    uint32_t near = near_bits(s, distance) & all_bits(s, level, group);
    for (; near != 0; near &= near - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(near);
        if (first + i == done) continue;
        prefetch_box(s, level, first + i);
        size_t at = depth++;
        while (at > floor && stack[at - 1].distance < distance[i]) {
            stack[at] = stack[at - 1];
            at--;
        }
        stack[at] = (waiting){distance[i], level, first + i};
    }
    return depth;
}

// Search all that may hold something nearer than the best so far: from the end
// of the way down back to its beginning, what branches off on each level. Depth
// first, nearest first, so at most all boxes of one group per level wait.
SC_INLINE void sweep(search *s, const path *way)
{
    waiting stack[SC_BOX_MAX_LEVELS * SC_BOX_GROUP];
    double distance[SC_BOX_GROUP];
    for (uint32_t start = 0; start < s->map->levels.level_count; start++) {
        size_t depth = push_near(s, stack, 0, start, way->box[start] / SC_BOX_GROUP,
                                 way->distance[start], way->box[start]);
        while (depth > 0) {
            const waiting next = stack[--depth];
            if (next.distance * ROUNDING_SLACK > s->best) continue;
            if (next.level == 0) {
                open_run(s, next.box);
                continue;
            }
            measure_group(s, group_at(s, next.level - 1, next.box), distance);
            depth = push_near(s, stack, depth, next.level - 1, next.box, distance, SC_NONE);
        }
    }
}

SC_CPU_VARIANTS static void find_nearest(search *s)
{
    path way = {.box = {0}};
    dive(s, &way);
    sweep(s, &way);
}

// Whether any road of the map can be nearer than the best so far.
static bool is_map_near(const search *s)
{
    const uint32_t top = s->map->levels.level_count - 1;
    double distance[SC_BOX_GROUP];
    measure_group(s, group_at(s, top, 0), distance);
    return (near_bits(s, distance) & all_bits(s, top, 0)) != 0;
}

// A position as a number of the grid. One within rounding of a grid point is put
// on it: a node's own position means the node.
static double to_grid(double x, double origin, double per_unit)
{
    const double at = (x - origin) * per_unit;
    const double whole = rint(at);
    return fabs(at - whole) < 1e-6 ? whole : at;
}

sc_err sc_map_snap(const sc_map *map, double x, double y, double max_snap_m, sc_snap *out)
{
    if (map->coords == SC_COORDS_NONE) return SC_ENOCOORDS;
    if (!sc_geo_valid(map->coords, x, y) || !(max_snap_m >= 0.0)) return SC_EINVAL;
    const bool on_globe = map->coords == SC_COORDS_GEOGRAPHIC;

    // On the globe the grid begins half-way round from its origin.
    const double origin_x = map->grid.origin_x;
    if (on_globe && x - origin_x < -180.0) x += 360.0;
    search s = {.map = map,
                .x = to_grid(x, origin_x, map->grid.per_unit),
                .y = to_grid(y, map->grid.origin_y, map->grid.per_unit),
                // A little beyond the limit, with which the root is compared below.
                .best = max_snap_m * max_snap_m * (1.0 + 1e-12),
                .edge = SC_NONE};
    const double step = 1.0 / map->grid.per_unit;
    s.scale = on_globe ? sc_geo_scale_at(y) : (sc_scale){step, step};
    find_nearest(&s);
    // Near where the grid begins and ends, roads on the other side may be nearer.
    if (on_globe && fabs(x - origin_x) > 90.0) {
        s.x = to_grid(x > origin_x ? x - 360.0 : x + 360.0, origin_x, map->grid.per_unit);
        if (is_map_near(&s)) find_nearest(&s);
    }
    if (s.edge == SC_NONE || sqrt(s.best) > max_snap_m) return SC_ETOOFAR;

    const sc_edge *edge = &sc__edges(map)[s.edge];
    *out = (sc_snap){.edge = s.edge,
                     .segment = edge->segment,
                     .offset_m = s.part * (edge->length * map->unit_m),
                     .distance_m = sqrt(s.best)};
    return SC_OK;
}
