// The snapping index: boxes over runs of edges.
//
// Edges are numbered along a Hilbert curve (by segment), so any run of
// neighbouring numbers is a patch of ground. The index therefore needs no tree
// of pointers and no permutation: box i of the lowest level spans edges
// [4 i, 4 i + 4), box i of each higher level spans group i of sixteen boxes of
// the level below. That is 4.3 bytes per edge; the ends of the edges themselves,
// four to a cache line, take sixteen more. Without them a search has to fetch
// edges here and nodes there, and on a map of millions waits for memory.
//
// Invariant: every box contains what it spans. What searches it is in snap.c.
#include "map/map_internal.h"

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
