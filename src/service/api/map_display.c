// The map as JSON. See page_map.h.
#include "api/map_display.h"

#include "base/alloc.h"
#include "base/json_write.h"

#include <float.h>
#include <math.h>

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

static void put_bounds(sc_json_writer *json, const sc_page_grid *grid)
{
    const double sides[] = {grid->west, grid->south, grid->east, grid->north};
    sc_json_open_array(json, "bounds");
    for (size_t i = 0; i < 4; i++) {
        sc_json_put_fixed(json, NULL, sides[i], grid->decimals);
    }
    sc_json_close_array(json);
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

static void put_pair(sc_json_writer *json, int64_t x, int64_t y)
{
    sc_json_put_signed(json, NULL, x);
    sc_json_put_signed(json, NULL, y);
}

static void put_segment(sc_json_writer *json, const sc_map *map, sc_seg_id s, double per_unit)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = sc_map_segments(map) + s;
    sc_page_point at = sc__page_point_of(map, edges[segment[0].first_edge].from, per_unit);
    sc_json_break_line(json);
    sc_json_open_array(json, NULL);
    put_pair(json, at.x, at.y);
    for (sc_edge_id e = segment[0].first_edge; e < segment[1].first_edge; e++) {
        const sc_page_point next = sc__page_point_of(map, edges[e].to, per_unit);
        put_pair(json, next.x - at.x, next.y - at.y);
        at = next;
    }
    sc_json_close_array(json);
}

static void put_lines(sc_json_writer *json, const sc_map *map)
{
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        sc_json_put_null(json, "bounds");
        sc_json_put_null(json, "unit");
        sc_json_put_null(json, "segments");
        sc_json_put_string(json, "reason", "The map has no coordinates.");
        return;
    }
    const sc_page_grid grid = sc_page_grid_of(map);
    const sc_seg_id count = sc_map_segment_count(map);
    if (count > 0) {
        put_bounds(json, &grid);
    } else {
        sc_json_put_null(json, "bounds");
    }
    // A power of ten, exactly: 1, 1e-1, ..., 1e-7.
    sc_json_put_count(json, "unit", 1);
    if (grid.decimals > 0) {
        const char power[] = {'e', '-', (char)('0' + grid.decimals), ',', '\0'};
        sc_json_put_text(json, power);
    }
    sc_json_open_array(json, "segments");
    for (sc_seg_id s = 0; s < count; s++) {
        put_segment(json, map, s, grid.per_unit);
    }
    sc_json_close_array(json);
}

static void put_ends(sc_json_writer *json, const sc_map *map)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segments = sc_map_segments(map);
    sc_json_break_line(json);
    sc_json_open_array(json, "ends");
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        put_pair(json, edges[segments[s].first_edge].from,
                 edges[segments[s + 1].first_edge - 1].to);
    }
    sc_json_close_array(json);
}

// It seldom changes between crossings.
uint8_t sc__page_class_of(const sc_map *map, sc_seg_id segment)
{
    const uint8_t class = sc_map_edge_classes(map)[sc_map_segments(map)[segment].first_edge];
    return class < SC_ROAD_CLASS_COUNT ? class : SC_ROAD_UNKNOWN;
}

static void put_classes(sc_json_writer *json, const sc_map *map)
{
    sc_json_break_line(json);
    sc_json_open_array(json, "classes");
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        sc_json_put_count(json, NULL, sc__page_class_of(map, s));
    }
    sc_json_close_array(json);
}

static bool end_page(sc_json_writer *json)
{
    sc_json_close_object(json);
    sc_json_put_text(json, "\n");
    return !json->has_failed;
}

bool sc__page_map_write(const sc_map *map, sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_hex(&json, "checksum", sc_map_checksum(map));
    sc_json_put_count(&json, "nodes", sc_map_node_count(map));
    sc_json_put_flag(&json, "is_geographic", sc_map_coords(map) == SC_COORDS_GEOGRAPHIC);
    put_lines(&json, map);
    put_ends(&json, map);
    put_classes(&json, map);
    return end_page(&json);
}

// --- Categories ------------------------------------------------------------------------------

static void put_category(sc_json_writer *json, const char *name, const uint64_t *objects)
{
    sc_json_open_object(json, NULL);
    sc_json_put_string(json, "name", name);
    if (objects) {
        sc_json_put_count(json, "objects", *objects);
    } else {
        sc_json_put_null(json, "objects");
    }
    sc_json_close_object(json);
}

bool sc__page_categories_write(const sc_map *map, const sc_vocabulary *vocabulary, sc_bytes *out)
{
    uint64_t *counts = sc_calloc((size_t)sc_map_category_count(map) + 1, sizeof *counts);
    if (!counts) return false;
    const sc_object *objects = sc_map_objects(map);
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        counts[objects[i].category]++;
    }
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_open_array(&json, "categories");
    for (uint32_t i = 0; i < vocabulary->count; i++) {
        const sc_category_id category = sc_map_category_find(map, vocabulary->names[i]);
        put_category(&json, vocabulary->names[i], category == SC_NONE ? NULL : &counts[category]);
    }
    sc_json_close_array(&json);
    sc_free(counts);
    return end_page(&json);
}
