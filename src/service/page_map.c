// The map as JSON. See page_map.h.
#include "service/page_map.h"

#include "base/alloc.h"
#include "service/json_write.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/** Steps across the longer side of a plane; a screen has thousands of points. */
#define PLANE_STEPS 1e7

/** Decimals of degrees in a map. */
enum { DEGREE_DECIMALS = 7, PLANE_DECIMALS_MAX = 6 };

typedef struct box {
    double west;
    double south;
    double east;
    double north;
} box;

static double power_of_ten(unsigned decimals)
{
    double power = 1.0;
    for (unsigned i = 0; i < decimals; i++) {
        power *= 10.0;
    }
    return power;
}

// Around everything that is drawn; lone nodes are not.
static box bounds_of(const sc_map *map)
{
    box around = {DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX};
    const sc_edge *edges = sc_map_edges(map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_node_id nodes[] = {edges[e].from, edges[e].to};
        for (size_t i = 0; i < 2; i++) {
            double x = 0.0;
            double y = 0.0;
            sc_map_node_position(map, nodes[i], &x, &y);
            around.west = fmin(around.west, x);
            around.south = fmin(around.south, y);
            around.east = fmax(around.east, x);
            around.north = fmax(around.north, y);
        }
    }
    return around;
}

static unsigned decimals_for(const sc_map *map, const box *around)
{
    if (sc_map_coords(map) == SC_COORDS_GEOGRAPHIC) return DEGREE_DECIMALS;
    const double side = fmax(around->east - around->west, around->north - around->south);
    unsigned decimals = PLANE_DECIMALS_MAX;
    while (decimals > 0 && side * power_of_ten(decimals) > PLANE_STEPS) {
        decimals--;
    }
    return decimals;
}

static bool put_bounds(sc_bytes *out, const box *around, unsigned decimals)
{
    const double sides[] = {around->west, around->south, around->east, around->north};
    bool fits = sc_json_append_text(out, ",\"bounds\":[");
    for (size_t i = 0; fits && i < 4; i++) {
        fits = (i == 0 || sc_json_append_text(out, ",")) &&
               sc_json_append_fixed(out, sides[i], decimals);
    }
    return fits && sc_json_append_text(out, "]");
}

// --- Segments --------------------------------------------------------------------------------

/** A node in whole numbers of the page's unit. */
typedef struct point {
    int64_t x;
    int64_t y;
} point;

static point point_of(const sc_map *map, sc_node_id node, double per_unit)
{
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, node, &x, &y);
    return (point){.x = llround(x * per_unit), .y = llround(y * per_unit)};
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
    point at = point_of(map, edges[segment[0].first_edge].from, per_unit);
    bool fits = sc_json_append_text(out, s > 0 ? ",\n[" : "\n[") && put_pair(out, at.x, at.y);
    for (sc_edge_id e = segment[0].first_edge; fits && e < segment[1].first_edge; e++) {
        const point next = point_of(map, edges[e].to, per_unit);
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
    const box around = bounds_of(map);
    const unsigned decimals = decimals_for(map, &around);
    char unit[24];
    (void)snprintf(unit, sizeof unit, decimals > 0 ? ",\"unit\":1e-%u" : ",\"unit\":1", decimals);
    const sc_seg_id count = sc_map_segment_count(map);
    bool fits = (count > 0 ? put_bounds(out, &around, decimals)
                           : sc_json_append_text(out, ",\"bounds\":null")) &&
                sc_json_append_text(out, unit) && sc_json_append_text(out, ",\"segments\":[");
    for (sc_seg_id s = 0; fits && s < count; s++) {
        fits = put_segment(out, map, s, power_of_ten(decimals));
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

// The class of a segment is that of its first edge; it seldom changes between crossings.
static bool put_classes(sc_bytes *out, const sc_map *map)
{
    const uint8_t *classes = sc_map_edge_classes(map);
    const sc_segment *segments = sc_map_segments(map);
    bool fits = sc_json_append_text(out, ",\n\"classes\":[");
    for (sc_seg_id s = 0; fits && s < sc_map_segment_count(map); s++) {
        const uint8_t class = classes[segments[s].first_edge];
        fits = (s == 0 || sc_json_append_text(out, ",")) &&
               sc_json_append_whole(out, class < SC_ROAD_CLASS_COUNT ? class : SC_ROAD_UNKNOWN);
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
