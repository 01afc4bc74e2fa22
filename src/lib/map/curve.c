// Order along the Hilbert curve: what is near on the ground gets near numbers.
#include "map/builder_internal.h"

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
