// The map for display, as JSON and as bytes. map_display.h has both formats.
#include "api/map_display.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/json_write.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

static void widen(sc_map_grid *grid, double x, double y)
{
    grid->west = fmin(grid->west, x);
    grid->south = fmin(grid->south, y);
    grid->east = fmax(grid->east, x);
    grid->north = fmax(grid->north, y);
}

static unsigned decimals_for(const sc_map *map, const sc_map_grid *around)
{
    if (sc_map_coords(map) == SC_COORDS_GEOGRAPHIC) return DEGREE_DECIMALS;
    const double side = fmax(around->east - around->west, around->north - around->south);
    unsigned decimals = PLANE_DECIMALS_MAX;
    while (decimals > 0 && side * power_of_ten(decimals) > PLANE_STEPS) {
        decimals--;
    }
    return decimals;
}

// No road goes half-way round the globe (the builder sees to it): one that seems to crosses the
// 180th meridian.
static bool crosses_180th(const sc_map *map)
{
    if (sc_map_coords(map) != SC_COORDS_GEOGRAPHIC) return false;
    const sc_edge *edges = sc_map_edges(map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        double x[2];
        double y[2];
        sc_map_node_position(map, edges[e].from, &x[0], &y[0]);
        sc_map_node_position(map, edges[e].to, &x[1], &y[1]);
        if (fabs(x[1] - x[0]) > 180.0) return true;
    }
    return false;
}

sc_map_grid sc_map_grid_of(const sc_map *map)
{
    // Lone nodes are not drawn.
    sc_map_grid grid = {.west = DBL_MAX, .south = DBL_MAX, .east = -DBL_MAX, .north = -DBL_MAX};
    grid.goes_on = crosses_180th(map);
    const sc_edge *edges = sc_map_edges(map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_node_id nodes[] = {edges[e].from, edges[e].to};
        for (size_t i = 0; i < 2; i++) {
            double x = 0.0;
            double y = 0.0;
            sc_map_node_position(map, nodes[i], &x, &y);
            widen(&grid, sc_map_grid_x(&grid, x), y);
        }
    }
    grid.decimals = decimals_for(map, &grid);
    grid.per_unit = power_of_ten(grid.decimals);
    return grid;
}

static void put_bounds(sc_json_writer *json, const sc_map_grid *grid)
{
    const double sides[] = {grid->west, grid->south, grid->east, grid->north};
    sc_json_open_array(json, "bounds");
    for (size_t i = 0; i < 4; i++) {
        sc_json_put_fixed(json, NULL, sides[i], grid->decimals);
    }
    sc_json_close_array(json);
}

// --- Segments --------------------------------------------------------------------------------

static sc_map_point rounded(double x, double y, double per_unit)
{
    return (sc_map_point){.x = llround(x * per_unit), .y = llround(y * per_unit)};
}

sc_map_point sc__map_point_of(const sc_map *map, sc_node_id node, const sc_map_grid *grid)
{
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, node, &x, &y);
    return rounded(sc_map_grid_x(grid, x), y, grid->per_unit);
}

sc_map_point sc__map_grid_corner(const sc_map_grid *grid, bool is_north_east)
{
    return is_north_east ? rounded(grid->east, grid->north, grid->per_unit)
                         : rounded(grid->west, grid->south, grid->per_unit);
}

static void put_pair(sc_json_writer *json, int64_t x, int64_t y)
{
    sc_json_put_signed(json, NULL, x);
    sc_json_put_signed(json, NULL, y);
}

static void put_segment(sc_json_writer *json, const sc_map *map, sc_seg_id s,
                        const sc_map_grid *grid)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = sc_map_segments(map) + s;
    sc_map_point at = sc__map_point_of(map, edges[segment[0].first_edge].from, grid);
    sc_json_break_line(json);
    sc_json_open_array(json, NULL);
    put_pair(json, at.x, at.y);
    for (sc_edge_id e = segment[0].first_edge; e < segment[1].first_edge; e++) {
        const sc_map_point next = sc__map_point_of(map, edges[e].to, grid);
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
    const sc_map_grid grid = sc_map_grid_of(map);
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
        put_segment(json, map, s, &grid);
    }
    sc_json_close_array(json);
}

static void put_end_list(sc_json_writer *json, const sc_map *map)
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
uint8_t sc__map_class_of(const sc_map *map, sc_seg_id segment)
{
    const uint8_t class = sc_map_edge_classes(map)[sc_map_segments(map)[segment].first_edge];
    return class < SC_ROAD_CLASS_COUNT ? class : SC_ROAD_UNKNOWN;
}

static void put_class_list(sc_json_writer *json, const sc_map *map)
{
    sc_json_break_line(json);
    sc_json_open_array(json, "classes");
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        sc_json_put_count(json, NULL, sc__map_class_of(map, s));
    }
    sc_json_close_array(json);
}

// --- Directions and names --------------------------------------------------------------------

/** How a segment is open from end to end: bits, 1 forwards, 2 backwards. */
static uint8_t directions_of(const sc_map *map, sc_seg_id segment)
{
    const sc_travel_times times = sc_map_segment_times(map)[segment];
    return (uint8_t)((times.forward != SC_CLOSED ? 1 : 0) | (times.backward != SC_CLOSED ? 2 : 0));
}

static void put_direction_list(sc_json_writer *json, const sc_map *map)
{
    sc_json_break_line(json);
    sc_json_open_array(json, "directions");
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        sc_json_put_count(json, NULL, directions_of(map, s));
    }
    sc_json_close_array(json);
}

/** The names of a map's roads, each once. */
typedef struct road_names {
    uint32_t count;
    const char **names;  ///< the map's
    uint32_t *name_of;   ///< per segment 1 + its place among them; 0: it has none. NULL: none has
} road_names;

static void road_names_fini(road_names *names)
{
    sc_free(names->names);
    sc_free(names->name_of);
}

// A map has each text once, so equal names are one pointer; if not, one is sent twice.
static bool road_names_init(road_names *out, const sc_map *map)
{
    *out = (road_names){.count = 0};
    if (!sc_map_has_names(map)) return true;
    const sc_seg_id segments = sc_map_segment_count(map);
    sc_hash places = {.count = 0};
    out->names = sc_malloc_array(segments, sizeof *out->names);
    out->name_of = sc_calloc(segments, sizeof *out->name_of);
    bool fits = out->names && out->name_of;
    for (sc_seg_id s = 0; fits && s < segments; s++) {
        const char *name = sc_map_segment_name(map, s);
        if (name[0] == '\0') continue;
        uint32_t place = 0;
        fits = !sc_hash_put(&places, (sc_key){.low = (uintptr_t)name}, out->count, &place);
        if (fits && place == out->count) out->names[out->count++] = name;
        out->name_of[s] = place + 1;
    }
    sc_hash_fini(&places);
    if (!fits) road_names_fini(out);
    return fits;
}

static bool put_name_lists(sc_json_writer *json, const sc_map *map)
{
    road_names names;
    if (!road_names_init(&names, map)) return false;
    sc_json_break_line(json);
    sc_json_open_array(json, "names");
    for (uint32_t i = 0; i < names.count; i++) {
        sc_json_put_string(json, NULL, names.names[i]);
    }
    sc_json_close_array(json);
    sc_json_break_line(json);
    sc_json_open_array(json, "name_of");
    for (sc_seg_id s = 0; names.name_of && s < sc_map_segment_count(map); s++) {
        sc_json_put_count(json, NULL, names.name_of[s]);
    }
    sc_json_close_array(json);
    road_names_fini(&names);
    return true;
}

static bool end_page(sc_json_writer *json)
{
    sc_json_close_object(json);
    sc_json_put_text(json, "\n");
    return !json->has_failed;
}

bool sc__map_json_write(const sc_map *map, sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_hex(&json, "checksum", sc_map_checksum(map));
    sc_json_put_count(&json, "nodes", sc_map_node_count(map));
    sc_json_put_flag(&json, "is_geographic", sc_map_coords(map) == SC_COORDS_GEOGRAPHIC);
    put_lines(&json, map);
    put_end_list(&json, map);
    put_class_list(&json, map);
    put_direction_list(&json, map);
    return put_name_lists(&json, map) && end_page(&json);
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

bool sc__categories_json_write(const sc_map *map, const sc_vocabulary *vocabulary, sc_bytes *out)
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

// === The map as bytes ===========================================================================

/** What is written, and where its numbers are found. */
typedef struct writer {
    const sc_map *map;
    sc_bytes *out;
    sc_map_grid grid;
    sc_map_point corner;  ///< south-west
    /** By node: 1 + its place among the junctions; 0 where no segment ends. */
    uint32_t *place;
    uint32_t junction_count;
    road_names names;
} writer;

// --- Numbers -------------------------------------------------------------------------------------

static bool put_signed(sc_bytes *out, int64_t value)
{
    return sc_bytes_append_varint(out, sc_fold_sign(value));
}

static bool put_step(sc_bytes *out, sc_map_point from, sc_map_point to)
{
    return put_signed(out, to.x - from.x) && put_signed(out, to.y - from.y);
}

static void set_little(uint8_t *at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

// --- Columns -------------------------------------------------------------------------------------

static sc_map_point point_of(const writer *w, sc_node_id node)
{
    return sc__map_point_of(w->map, node, &w->grid);
}

static sc_node_id first_node(const writer *w, sc_seg_id s)
{
    return sc_map_edges(w->map)[sc_map_segments(w->map)[s].first_edge].from;
}

static sc_node_id last_node(const writer *w, sc_seg_id s)
{
    return sc_map_edges(w->map)[sc_map_segments(w->map)[s + 1].first_edge - 1].to;
}

static uint32_t inner_count(const writer *w, sc_seg_id s)
{
    const sc_segment *segment = sc_map_segments(w->map) + s;
    return segment[1].first_edge - segment[0].first_edge - 1;
}

static void number_junctions(writer *w)
{
    for (sc_seg_id s = 0; s < sc_map_segment_count(w->map); s++) {
        w->place[first_node(w, s)] = 1;
        w->place[last_node(w, s)] = 1;
    }
    for (sc_node_id n = 0; n < sc_map_node_count(w->map); n++) {
        if (w->place[n] > 0) w->place[n] = ++w->junction_count;
    }
}

static bool put_junctions(const writer *w)
{
    bool fits = true;
    sc_node_id before = 0;
    for (sc_node_id n = 0; fits && n < sc_map_node_count(w->map); n++) {
        if (w->place[n] == 0) continue;
        fits = sc_bytes_append_varint(w->out, n - before);
        before = n;
    }
    sc_map_point at = w->corner;
    for (sc_node_id n = 0; fits && n < sc_map_node_count(w->map); n++) {
        if (w->place[n] == 0) continue;
        const sc_map_point next = point_of(w, n);
        fits = put_step(w->out, at, next);
        at = next;
    }
    return fits;
}

static bool put_ends(const writer *w)
{
    bool fits = true;
    int64_t before = 1;
    for (sc_seg_id s = 0; fits && s < sc_map_segment_count(w->map); s++) {
        const int64_t first = w->place[first_node(w, s)];
        const int64_t last = w->place[last_node(w, s)];
        fits = put_signed(w->out, first - before) && put_signed(w->out, last - first);
        before = first;
    }
    return fits;
}

static bool put_inner(const writer *w)
{
    const sc_edge *edges = sc_map_edges(w->map);
    const sc_segment *segments = sc_map_segments(w->map);
    const sc_seg_id count = sc_map_segment_count(w->map);
    bool fits = true;
    for (sc_seg_id s = 0; fits && s < count; s++) {
        fits = sc_bytes_append_varint(w->out, inner_count(w, s));
    }
    for (sc_seg_id s = 0; fits && s < count; s++) {
        sc_map_point at = point_of(w, first_node(w, s));
        for (sc_edge_id e = segments[s].first_edge; fits && e + 1 < segments[s + 1].first_edge;
             e++) {
            const sc_map_point next = point_of(w, edges[e].to);
            fits = put_step(w->out, at, next);
            at = next;
        }
    }
    return fits;
}

static bool put_classes(const writer *w)
{
    const sc_seg_id count = sc_map_segment_count(w->map);
    if (!sc_bytes_reserve(w->out, count)) return false;
    for (sc_seg_id s = 0; s < count; s++) {
        w->out->data[w->out->size++] =
            (uint8_t)(sc__map_class_of(w->map, s) | directions_of(w->map, s) << 4);
    }
    return true;
}

static bool put_names(writer *w)
{
    if (!road_names_init(&w->names, w->map)) return false;
    const road_names *names = &w->names;
    bool fits = true;
    for (sc_seg_id s = 0; names->name_of && fits && s < sc_map_segment_count(w->map); s++) {
        fits = sc_bytes_append_varint(w->out, names->name_of[s]);
    }
    for (uint32_t i = 0; fits && i < names->count; i++) {
        const size_t size = strlen(names->names[i]);
        fits = sc_bytes_append_varint(w->out, size) && sc_bytes_reserve(w->out, size);
        if (!fits) break;
        memcpy(w->out->data + w->out->size, names->names[i], size);
        w->out->size += size;
    }
    road_names_fini(&w->names);
    return fits;
}

static bool put_padding(sc_bytes *out)
{
    const size_t more = (0 - out->size) % 4;
    if (!sc_bytes_reserve(out, more)) return false;
    if (more > 0) memset(out->data + out->size, 0, more);
    out->size += more;
    return true;
}

static bool put_columns(writer *w)
{
    w->grid = sc_map_grid_of(w->map);
    if (sc_map_segment_count(w->map) == 0) return true;
    w->place = sc_calloc(sc_map_node_count(w->map), sizeof *w->place);
    if (!w->place) return false;
    w->corner = sc__map_grid_corner(&w->grid, false);
    number_junctions(w);
    const bool fits = put_junctions(w) && put_ends(w) && put_inner(w) && put_classes(w) &&
                      put_names(w) && put_padding(w->out);
    sc_free(w->place);
    return fits;
}

// --- Head ----------------------------------------------------------------------------------------

static uint32_t check_of(const uint8_t *bytes, size_t size)
{
    uint32_t check = 2166136261U;
    for (size_t i = 0; i < size; i += 4) {
        const uint32_t word = bytes[i] | (uint32_t)bytes[i + 1] << 8 |
                              (uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;
        check = (check ^ word) * 16777619U;
    }
    return check;
}

static void fill_bounds(const writer *w, uint8_t *head)
{
    const sc_map_point sw = w->corner;
    const sc_map_point ne = sc__map_grid_corner(&w->grid, true);
    set_little(head + 32, (uint64_t)sw.x, 8);
    set_little(head + 40, (uint64_t)sw.y, 8);
    set_little(head + 48, (uint64_t)ne.x, 8);
    set_little(head + 56, (uint64_t)ne.y, 8);
}

// Edges that are not the last of their segment have an inner point at their end.
static void fill_counts(const writer *w, uint8_t *head)
{
    const sc_seg_id segments = sc_map_segment_count(w->map);
    set_little(head + 64, w->junction_count, 4);
    set_little(head + 68, segments, 4);
    set_little(head + 72, sc_map_edge_count(w->map) - segments, 4);
    set_little(head + 76, w->names.count, 4);
}

static void fill_head(const writer *w)
{
    static const uint8_t magic[] = {'S', 'C', 'M', 'D'};
    uint8_t *head = w->out->data;
    memcpy(head, magic, sizeof magic);
    set_little(head + 8, SC__MAP_BYTES_VERSION, 2);
    head[10] = (uint8_t)sc_map_coords(w->map);
    head[11] = (uint8_t)w->grid.decimals;
    set_little(head + 12, sc_map_node_count(w->map), 4);
    set_little(head + 16, w->out->size, 8);
    set_little(head + 24, sc_map_checksum(w->map), 8);
    if (w->junction_count > 0) {
        fill_bounds(w, head);
        fill_counts(w, head);
    }
    set_little(head + 4, check_of(head + 8, w->out->size - 8), 4);
}

bool sc__map_bytes_write(const sc_map *map, sc_bytes *out)
{
    writer w = {.map = map, .out = out};
    if (!sc_bytes_reserve(out, SC__MAP_BYTES_HEAD)) return false;
    memset(out->data, 0, SC__MAP_BYTES_HEAD);
    out->size = SC__MAP_BYTES_HEAD;
    if (sc_map_coords(map) != SC_COORDS_NONE && !put_columns(&w)) return false;
    fill_head(&w);
    return true;
}
