// The map as JSON. See page_map.h.
#include "api/page_map.h"

#include "base/alloc.h"
#include "base/json_write.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/** Steps across the longer side of a plane; a screen has thousands of points. */
#define PLANE_STEPS 1e7

/** Decimals of degrees in a map. */
enum { DEGREE_DECIMALS = 7, PLANE_DECIMALS_MAX = 6 };

static double power_of_ten(unsigned decimals)
{
    double power = 1.0;
    for (unsigned i = 0; i < decimals; i++) {
        power *= 10.0;
    }
    return power;
}

static void widen(sc_page_grid *grid, double x, double y)
{
    grid->west = fmin(grid->west, x);
    grid->south = fmin(grid->south, y);
    grid->east = fmax(grid->east, x);
    grid->north = fmax(grid->north, y);
}

static unsigned decimals_for(const sc_map *map, const sc_page_grid *around)
{
    if (sc_map_coords(map) == SC_COORDS_GEOGRAPHIC) return DEGREE_DECIMALS;
    const double side = fmax(around->east - around->west, around->north - around->south);
    unsigned decimals = PLANE_DECIMALS_MAX;
    while (decimals > 0 && side * power_of_ten(decimals) > PLANE_STEPS) {
        decimals--;
    }
    return decimals;
}

sc_page_grid sc_page_grid_of(const sc_map *map)
{
    // Lone nodes are not drawn.
    sc_page_grid grid = {.west = DBL_MAX, .south = DBL_MAX, .east = -DBL_MAX, .north = -DBL_MAX};
    const sc_edge *edges = sc_map_edges(map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_node_id nodes[] = {edges[e].from, edges[e].to};
        for (size_t i = 0; i < 2; i++) {
            double x = 0.0;
            double y = 0.0;
            sc_map_node_position(map, nodes[i], &x, &y);
            widen(&grid, x, y);
        }
    }
    grid.decimals = decimals_for(map, &grid);
    grid.per_unit = power_of_ten(grid.decimals);
    return grid;
}

static bool put_bounds(sc_bytes *out, const sc_page_grid *grid)
{
    const double sides[] = {grid->west, grid->south, grid->east, grid->north};
    bool fits = sc_json_append_text(out, ",\"bounds\":[");
    for (size_t i = 0; fits && i < 4; i++) {
        fits = (i == 0 || sc_json_append_text(out, ",")) &&
               sc_json_append_fixed(out, sides[i], grid->decimals);
    }
    return fits && sc_json_append_text(out, "]");
}

// --- Segments --------------------------------------------------------------------------------

static sc_page_point rounded(double x, double y, double per_unit)
{
    return (sc_page_point){.x = llround(x * per_unit), .y = llround(y * per_unit)};
}

sc_page_point sc__page_point_of(const sc_map *map, sc_node_id node, double per_unit)
{
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, node, &x, &y);
    return rounded(x, y, per_unit);
}

sc_page_point sc__page_corner(const sc_page_grid *grid, bool is_north_east)
{
    return is_north_east ? rounded(grid->east, grid->north, grid->per_unit)
                         : rounded(grid->west, grid->south, grid->per_unit);
}

static bool put_number(sc_bytes *out, int64_t value)
{
    return (value >= 0 || sc_json_append_text(out, "-")) &&
           sc_json_append_whole(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static bool put_pair(sc_bytes *out, int64_t x, int64_t y)
{
    return put_number(out, x) && sc_json_append_text(out, ",") && put_number(out, y);
}

static bool put_segment(sc_bytes *out, const sc_map *map, sc_seg_id s, double per_unit)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = sc_map_segments(map) + s;
    sc_page_point at = sc__page_point_of(map, edges[segment[0].first_edge].from, per_unit);
    bool fits = sc_json_append_text(out, s > 0 ? ",\n[" : "\n[") && put_pair(out, at.x, at.y);
    for (sc_edge_id e = segment[0].first_edge; fits && e < segment[1].first_edge; e++) {
        const sc_page_point next = sc__page_point_of(map, edges[e].to, per_unit);
        fits = sc_json_append_text(out, ",") && put_pair(out, next.x - at.x, next.y - at.y);
        at = next;
    }
    return fits && sc_json_append_text(out, "]");
}

static bool put_lines(sc_bytes *out, const sc_map *map)
{
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        return sc_json_append_text(out, ",\"bounds\":null,\"unit\":null,\"segments\":null,"
                                        "\"reason\":\"The map has no coordinates.\"");
    }
    const sc_page_grid grid = sc_page_grid_of(map);
    char unit[24];
    (void)snprintf(unit, sizeof unit, grid.decimals > 0 ? ",\"unit\":1e-%u" : ",\"unit\":1",
                   grid.decimals);
    const sc_seg_id count = sc_map_segment_count(map);
    bool fits =
        (count > 0 ? put_bounds(out, &grid) : sc_json_append_text(out, ",\"bounds\":null")) &&
        sc_json_append_text(out, unit) && sc_json_append_text(out, ",\"segments\":[");
    for (sc_seg_id s = 0; fits && s < count; s++) {
        fits = put_segment(out, map, s, grid.per_unit);
    }
    return fits && sc_json_append_text(out, "]");
}

static bool put_ends(sc_bytes *out, const sc_map *map)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segments = sc_map_segments(map);
    bool fits = sc_json_append_text(out, ",\n\"ends\":[");
    for (sc_seg_id s = 0; fits && s < sc_map_segment_count(map); s++) {
        fits = (s == 0 || sc_json_append_text(out, ",")) &&
               put_pair(out, edges[segments[s].first_edge].from,
                        edges[segments[s + 1].first_edge - 1].to);
    }
    return fits && sc_json_append_text(out, "]");
}

// It seldom changes between crossings.
uint8_t sc__page_class_of(const sc_map *map, sc_seg_id segment)
{
    const uint8_t class = sc_map_edge_classes(map)[sc_map_segments(map)[segment].first_edge];
    return class < SC_ROAD_CLASS_COUNT ? class : SC_ROAD_UNKNOWN;
}

static bool put_classes(sc_bytes *out, const sc_map *map)
{
    bool fits = sc_json_append_text(out, ",\n\"classes\":[");
    for (sc_seg_id s = 0; fits && s < sc_map_segment_count(map); s++) {
        fits = (s == 0 || sc_json_append_text(out, ",")) &&
               sc_json_append_whole(out, sc__page_class_of(map, s));
    }
    return fits && sc_json_append_text(out, "]");
}

bool sc__page_map_write(const sc_map *map, sc_bytes *out)
{
    char head[96];
    (void)snprintf(head, sizeof head, "{\"checksum\":\"%016llx\",\"nodes\":%u,\"is_geographic\":%s",
                   (unsigned long long)sc_map_checksum(map), sc_map_node_count(map),
                   sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? "true" : "false");
    return sc_json_append_text(out, head) && put_lines(out, map) && put_ends(out, map) &&
           put_classes(out, map) && sc_json_append_text(out, "}\n");
}

// --- Categories ------------------------------------------------------------------------------

static bool put_category(sc_bytes *out, const char *name, const uint64_t *objects)
{
    return sc_json_append_text(out, "{\"name\":") && sc_json_append_string(out, name) &&
           sc_json_append_text(out, ",\"objects\":") &&
           (objects ? sc_json_append_whole(out, *objects) : sc_json_append_text(out, "null")) &&
           sc_json_append_text(out, "}");
}

bool sc__page_categories_write(const sc_map *map, const sc_vocabulary *vocabulary, sc_bytes *out)
{
    uint64_t *counts = sc_calloc((size_t)sc_map_category_count(map) + 1, sizeof *counts);
    if (!counts) return false;
    const sc_object *objects = sc_map_objects(map);
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        counts[objects[i].category]++;
    }
    bool fits = sc_json_append_text(out, "{\"categories\":[");
    for (uint32_t i = 0; fits && i < vocabulary->count; i++) {
        const sc_category_id category = sc_map_category_find(map, vocabulary->names[i]);
        fits =
            (i == 0 || sc_json_append_text(out, ",")) &&
            put_category(out, vocabulary->names[i], category == SC_NONE ? NULL : &counts[category]);
    }
    sc_free(counts);
    return fits && sc_json_append_text(out, "]}\n");
}
