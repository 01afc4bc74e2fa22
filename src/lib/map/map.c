// Accessors of a map: counts, tables (lent, not copied), positions and lengths. Objects and
// categories are in map_objects.c.
#include <starcloak/map.h>

#include "base/alloc.h"
#include "map/map_internal.h"
#include "map/map_tables.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    size_t element_size;
} table_shapes[SC_TABLE_COUNT] = {
    [SC_TABLE_NODES] = {"nodes", sizeof(sc_node)},
    [SC_TABLE_EDGES] = {"edges", sizeof(sc_edge)},
    [SC_TABLE_EDGE_CLASSES] = {"edge classes", sizeof(uint8_t)},
    [SC_TABLE_SEGMENTS] = {"segments", sizeof(sc_segment)},
    [SC_TABLE_STARS] = {"stars", sizeof(sc_star)},
    [SC_TABLE_STAR_SEGMENTS] = {"star segments", sizeof(sc_seg_id)},
    [SC_TABLE_STAR_NEIGHBOURS] = {"star neighbours", sizeof(sc_star_id)},
    [SC_TABLE_BOXES] = {"snapping index", sizeof(sc_box_group)},
    [SC_TABLE_OBJECTS] = {"objects", sizeof(sc_object)},
    [SC_TABLE_SEGMENT_OBJECTS] = {"segment objects", sizeof(sc_object_id)},
    [SC_TABLE_CATEGORIES] = {"categories", sizeof(uint32_t)},
    [SC_TABLE_STRINGS] = {"strings", sizeof(char)},
    [SC_TABLE_RUNS] = {"edge ends", sizeof(sc_edge_run)},
    [SC_TABLE_EDGE_TIMES] = {"edge times", sizeof(sc_travel_times)},
    [SC_TABLE_SEGMENT_TIMES] = {"segment times", sizeof(sc_travel_times)},
    [SC_TABLE_SEGMENT_NAMES] = {"segment names", sizeof(uint32_t)},
    [SC_TABLE_NEAREST_LISTS] = {"nearest lists", sizeof(sc_nearest_list)},
    [SC_TABLE_NEAREST] = {"nearest objects", sizeof(sc_nearest)},
    [SC_TABLE_NEAREST_OTHERS] = {"nearest objects, other metric", sizeof(uint32_t)},
};

size_t sc__table_element_size(sc_table_kind kind)
{
    return table_shapes[kind].element_size;
}

const char *sc__table_name(sc_table_kind kind)
{
    return table_shapes[kind].name;
}

void sc_map_free(sc_map *map)
{
    if (!map) return;
    if (map->owns_tables) {
        for (int kind = 0; kind < SC_TABLE_COUNT; kind++) {
            sc_free(map->tables[kind].data);
        }
    }
    sc_file_close(&map->file);
    sc_free(map);
}

const char *sc_road_class_name(unsigned road_class)
{
    static const char *const names[SC_ROAD_CLASS_COUNT] = {
        [SC_ROAD_UNKNOWN] = "unknown",     [SC_ROAD_MOTORWAY] = "motorway",
        [SC_ROAD_TRUNK] = "trunk",         [SC_ROAD_PRIMARY] = "primary",
        [SC_ROAD_SECONDARY] = "secondary", [SC_ROAD_TERTIARY] = "tertiary",
        [SC_ROAD_LOCAL] = "local",         [SC_ROAD_SERVICE] = "service",
        [SC_ROAD_RAMP] = "ramp",           [SC_ROAD_PATH] = "path",
    };
    return names[road_class < SC_ROAD_CLASS_COUNT ? road_class : SC_ROAD_UNKNOWN];
}

double sc_road_class_speed_m_s(unsigned road_class)
{
    static const double km_h[SC_ROAD_CLASS_COUNT] = {
        [SC_ROAD_UNKNOWN] = 50, [SC_ROAD_MOTORWAY] = 105, [SC_ROAD_TRUNK] = 85,
        [SC_ROAD_PRIMARY] = 65, [SC_ROAD_SECONDARY] = 55, [SC_ROAD_TERTIARY] = 45,
        [SC_ROAD_LOCAL] = 35,   [SC_ROAD_SERVICE] = 20,   [SC_ROAD_RAMP] = 50,
        [SC_ROAD_PATH] = 15,
    };
    return km_h[road_class < SC_ROAD_CLASS_COUNT ? road_class : SC_ROAD_UNKNOWN] / 3.6;
}

static const char *const metric_names[SC_METRIC_COUNT] = {
    [SC_METRIC_DISTANCE] = "distance",
    [SC_METRIC_TIME] = "time",
};

const char *sc_metric_name(unsigned metric)
{
    return metric < SC_METRIC_COUNT ? metric_names[metric] : NULL;
}

sc_metric sc_metric_find(const char *name)
{
    unsigned metric = 0;
    while (metric < SC_METRIC_COUNT && strcmp(name, metric_names[metric]) != 0) {
        metric++;
    }
    return (sc_metric)metric;
}

uint32_t sc_map_node_count(const sc_map *map)
{
    return map->node_count;
}

uint32_t sc_map_edge_count(const sc_map *map)
{
    return map->edge_count;
}

uint32_t sc_map_segment_count(const sc_map *map)
{
    return map->segment_count;
}

uint32_t sc_map_star_count(const sc_map *map)
{
    return map->star_count;
}

uint32_t sc_map_object_count(const sc_map *map)
{
    return map->object_count;
}

uint32_t sc_map_category_count(const sc_map *map)
{
    return map->category_count;
}

size_t sc_map_bytes(const sc_map *map)
{
    size_t bytes = 0;
    for (int kind = 0; kind < SC_TABLE_COUNT; kind++) {
        bytes += map->tables[kind].count * table_shapes[kind].element_size;
    }
    return bytes;
}

const char *sc_map_table(const sc_map *map, size_t i, size_t *bytes)
{
    if (i >= SC_TABLE_COUNT) return NULL;
    *bytes = map->tables[i].count * table_shapes[i].element_size;
    return table_shapes[i].name;
}

uint64_t sc_map_checksum(const sc_map *map)
{
    return map->checksum;
}

const char *sc_map_source(const sc_map *map)
{
    return map->source;
}

const sc_node *sc_map_nodes(const sc_map *map)
{
    return map->coords == SC_COORDS_NONE ? NULL : sc__nodes(map);
}

const sc_edge *sc_map_edges(const sc_map *map)
{
    return sc__edges(map);
}

const uint8_t *sc_map_edge_classes(const sc_map *map)
{
    return map->tables[SC_TABLE_EDGE_CLASSES].data;
}

const sc_travel_times *sc_map_edge_times(const sc_map *map)
{
    return map->tables[SC_TABLE_EDGE_TIMES].data;
}

const sc_travel_times *sc_map_segment_times(const sc_map *map)
{
    return map->tables[SC_TABLE_SEGMENT_TIMES].data;
}

const sc_segment *sc_map_segments(const sc_map *map)
{
    return sc__segments(map);
}

const sc_star *sc_map_stars(const sc_map *map)
{
    return sc__stars(map);
}

const sc_seg_id *sc_map_star_segments(const sc_map *map)
{
    return map->tables[SC_TABLE_STAR_SEGMENTS].data;
}

const sc_star_id *sc_map_star_neighbours(const sc_map *map)
{
    return map->tables[SC_TABLE_STAR_NEIGHBOURS].data;
}

sc_coords sc_map_coords(const sc_map *map)
{
    return map->coords;
}

double sc_map_unit_m(const sc_map *map)
{
    return map->unit_m;
}

double sc_map_time_unit_s(const sc_map *map)
{
    return map->time_unit_s;
}

bool sc_map_is_in_metres(const sc_map *map)
{
    return map->in_metres;
}

// A longitude beyond the 180th meridian goes on at the other side.
static double wrap(const sc_map *map, double x)
{
    return x > 180.0 && map->coords == SC_COORDS_GEOGRAPHIC ? x - 360.0 : x;
}

double sc__node_x(const sc_map *map, sc_node_id node)
{
    return map->grid.origin_x + sc__nodes(map)[node].x / map->grid.per_unit;
}

static double node_y(const sc_map *map, sc_node_id node)
{
    return map->grid.origin_y + sc__nodes(map)[node].y / map->grid.per_unit;
}

void sc_map_node_position(const sc_map *map, sc_node_id node, double *x, double *y)
{
    *x = wrap(map, sc__node_x(map, node));
    *y = node_y(map, node);
}

void sc_map_edge_position(const sc_map *map, sc_edge_id edge, double offset_m, double *x, double *y)
{
    const sc_edge *e = &sc__edges(map)[edge];
    const double length_m = e->length * map->unit_m;
    const double part = length_m > 0.0 ? offset_m / length_m : 0.0;
    const double inside = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    const double from_x = sc__node_x(map, e->from);
    const double from_y = node_y(map, e->from);
    *x = wrap(map, from_x + inside * (sc__node_x(map, e->to) - from_x));
    *y = from_y + inside * (node_y(map, e->to) - from_y);
}

sc_direction sc_map_edge_direction(const sc_map *map, sc_edge_id edge, double heading_deg)
{
    if (map->coords == SC_COORDS_NONE || !isfinite(heading_deg)) return SC_EITHER_WAY;
    const sc_edge *e = &sc__edges(map)[edge];
    const double y = node_y(map, e->from);
    const bool on_globe = map->coords == SC_COORDS_GEOGRAPHIC;
    const double narrowing = on_globe ? cos(y * (SC_PI / 180.0)) : 1.0;
    const double east = (sc__node_x(map, e->to) - sc__node_x(map, e->from)) * narrowing;
    const double north = node_y(map, e->to) - y;
    const double heading = fmod(heading_deg, 360.0) * (SC_PI / 180.0);
    const double along = east * sin(heading) + north * cos(heading);
    if (east == 0.0 && north == 0.0) return SC_EITHER_WAY;
    return along >= 0.0 ? SC_FORWARD : SC_BACKWARD;
}

double sc_map_edge_length_m(const sc_map *map, sc_edge_id edge)
{
    return sc__edges(map)[edge].length * map->unit_m;
}

double sc_map_segment_length_m(const sc_map *map, sc_seg_id segment)
{
    return sc__segments(map)[segment].length * map->unit_m;
}

// Decimals that show a grid or unit of `step` exactly, and at least `least`.
static int decimals_of(double step, int least)
{
    int decimals = 0;
    for (double shown = 1.0; shown > step * 1.5 && decimals < 9; shown /= 10.0) {
        decimals++;
    }
    return decimals > least ? decimals : least;
}

int sc__position_decimals(const sc_map *map)
{
    return decimals_of(1.0 / map->grid.per_unit, 0);
}

int sc__length_decimals(const sc_map *map)
{
    return decimals_of(map->unit_m, 4);
}

int sc__time_decimals(const sc_map *map)
{
    return decimals_of(map->time_unit_s, 3);
}
