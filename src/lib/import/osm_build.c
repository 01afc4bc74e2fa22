// From what was collected to a builder: nodes, edges, objects.
//
// A node of the map is one that ends an edge; an edge joins two nodes that follow
// each other on a road. A node named twice in a row is taken once, which is
// counted. A reference to a node that no input has is an error, or ends the chain
// where the user allows that. Outlines of objects may lack nodes: an extract cuts
// them off at its border.
//
// Used by: load_osm.c.
#include "import/osm_internal.h"

#include "base/alloc.h"

#include <math.h>

// --- Roads -----------------------------------------------------------------

// A walk along one road, edge by edge.
typedef struct road_walk {
    const sc__osm_ways *ways;
    const int64_t *refs;
    size_t count;
    size_t next;
    size_t last;  ///< index of the node before, or NO_NODE where a chain begins
    uint64_t missing;
    uint64_t repeated;
    size_t first_missing;  ///< index of the first node met that has no place
} road_walk;

#define NO_NODE SIZE_MAX

static road_walk walk_along(const sc__osm_ways *ways, const sc__osm_way *way)
{
    return (road_walk){.ways = ways,
                       .refs = way->ref_count > 0 ? ways->refs + way->first_ref : NULL,
                       .count = way->ref_count,
                       .last = NO_NODE,
                       .first_missing = NO_NODE};
}

static bool walk_next(road_walk *walk, size_t *from, size_t *to)
{
    while (walk->next < walk->count) {
        const size_t node = (size_t)walk->refs[walk->next++];
        const size_t last = walk->last;
        if (walk->ways->points[node].x == SC__OSM_NOWHERE) {
            if (walk->first_missing == NO_NODE) walk->first_missing = node;
            walk->missing++;
            walk->last = NO_NODE;
            continue;
        }
        walk->last = node;
        if (last == NO_NODE) continue;
        if (last == node) {
            walk->repeated++;
            continue;
        }
        *from = last;
        *to = node;
        return true;
    }
    return false;
}

// Mark the nodes that end an edge with 0 in `numbers`; the others keep SC_NONE.
static sc_err mark_nodes(const sc__osm *osm, uint32_t *numbers, size_t *edge_count)
{
    const sc__osm_ways *roads = &osm->roads;
    sc_import_report *report = osm->load->report;
    for (size_t i = 0; i < roads->id_count; i++) {
        numbers[i] = SC_NONE;
    }
    for (size_t i = 0; i < roads->count; i++) {
        road_walk walk = walk_along(roads, &roads->ways[i]);
        size_t from = 0;
        size_t to = 0;
        while (walk_next(&walk, &from, &to)) {
            numbers[from] = 0;
            numbers[to] = 0;
            ++*edge_count;
        }
        if (walk.missing > 0 && !osm->load->options->skip_missing_nodes) {
            return sc__osm_fail(osm, roads->ways[i].place, SC_EPARSE,
                                "way %lld names node %lld, which is not in the %s",
                                (long long)roads->ways[i].id,
                                (long long)roads->ids[walk.first_missing],
                                osm->load->input_count == 1 ? "file" : "files");
        }
        report->missing_nodes += walk.missing;
        report->repeated_nodes += walk.repeated;
    }
    return SC_OK;
}

static sc_err fail_builder(const sc__osm *osm, sc_err err, const char *what)
{
    if (err == SC_ENOMEM) return sc__osm_fail_memory(osm);
    return sc_fail(osm->load->diag, err, "%s: the map cannot take another %s: %s",
                   osm->load->inputs[0].name, what, sc_err_text(err));
}

static sc_err add_roads(const sc__osm *osm, sc_builder *builder, uint32_t *numbers)
{
    const sc__osm_ways *roads = &osm->roads;
    for (size_t i = 0; i < roads->id_count; i++) {
        if (numbers[i] == SC_NONE) continue;
        const sc__osm_point point = roads->points[i];
        const sc_err err = sc_builder_add_node(builder, point.x / 1e7, point.y / 1e7, &numbers[i]);
        if (err) return fail_builder(osm, err, "node");
    }
    for (size_t i = 0; i < roads->count; i++) {
        const sc__osm_way *way = &roads->ways[i];
        road_walk walk = walk_along(roads, way);
        size_t from = 0;
        size_t to = 0;
        while (walk_next(&walk, &from, &to)) {
            const sc_err err =
                sc_builder_add_edge(builder, numbers[from], numbers[to], SC_LENGTH_FROM_NODES,
                                    (sc_road_class)way->road_class, NULL);
            if (err) return fail_builder(osm, err, "edge");
        }
    }
    return SC_OK;
}

static sc_err build_roads(const sc__osm *osm, sc_builder *builder)
{
    uint32_t *numbers = sc_malloc_array(osm->roads.id_count, sizeof *numbers);
    if (!numbers) return sc__osm_fail_memory(osm);

    size_t edge_count = 0;
    sc_err err = mark_nodes(osm, numbers, &edge_count);
    if (err) goto done;
    if (edge_count == 0) {
        err = sc_fail(osm->load->diag, SC_EPARSE,
                      "%s: none of the %zu roads has two different nodes in a row",
                      osm->load->inputs[0].name, osm->roads.count);
        goto done;
    }
    err = add_roads(osm, builder, numbers);
done:
    sc_free(numbers);
    return err;
}

// --- Objects ---------------------------------------------------------------

typedef struct ring_bounds {
    double min_x, min_y, max_x, max_y;
} ring_bounds;

bool sc__osm_ring_middle(const sc__osm_point *points, size_t count, double *x, double *y)
{
    const sc__osm_point *origin = NULL;
    const sc__osm_point *last = NULL;
    ring_bounds bounds = {0};
    double twice_area = 0;
    double moment_x = 0;
    double moment_y = 0;
    double sum_x = 0;
    double sum_y = 0;
    size_t placed = 0;

    // Everything relative to the first corner, so that differences stay exact. The
    // edges at that corner add nothing, so the ring need not be closed.
    for (size_t i = 0; i < count; i++) {
        if (points[i].x == SC__OSM_NOWHERE) continue;
        if (!origin) origin = last = &points[i];
        const double ax = (double)last->x - origin->x;
        const double ay = (double)last->y - origin->y;
        const double bx = (double)points[i].x - origin->x;
        const double by = (double)points[i].y - origin->y;
        const double cross = ax * by - bx * ay;
        twice_area += cross;
        moment_x += (ax + bx) * cross;
        moment_y += (ay + by) * cross;
        sum_x += bx;
        sum_y += by;
        bounds.min_x = fmin(bounds.min_x, bx);
        bounds.max_x = fmax(bounds.max_x, bx);
        bounds.min_y = fmin(bounds.min_y, by);
        bounds.max_y = fmax(bounds.max_y, by);
        last = &points[i];
        placed++;
    }
    if (!origin) return false;

    double middle_x = sum_x / (double)placed;
    double middle_y = sum_y / (double)placed;
    if (twice_area != 0.0) {
        const double centroid_x = moment_x / (3 * twice_area);
        const double centroid_y = moment_y / (3 * twice_area);
        if (centroid_x >= bounds.min_x && centroid_x <= bounds.max_x &&
            centroid_y >= bounds.min_y && centroid_y <= bounds.max_y) {
            middle_x = centroid_x;
            middle_y = centroid_y;
        }
    }
    *x = (origin->x + middle_x) / 1e7;
    *y = (origin->y + middle_y) / 1e7;
    return true;
}

// Adds objects to the builder, with what that needs.
typedef struct object_sink {
    const sc__osm *osm;
    sc_builder *builder;
    sc_category_id *categories;  ///< of each text, or SC_NONE while it is none
    sc__osm_point *corners;
    size_t corner_capacity;
} object_sink;

static sc_err sink_object(object_sink *sink, double x, double y, uint32_t category, uint32_t name)
{
    const sc__osm *osm = sink->osm;
    sc_err err = SC_OK;
    if (sink->categories[category] == SC_NONE) {
        const sc_slice text = sc__osm_texts_at(&osm->texts, category);
        err = sc_builder_add_category(sink->builder, text.text, text.size,
                                      &sink->categories[category]);
        if (err) return fail_builder(osm, err, "category");
    }
    const sc_slice text = sc__osm_texts_at(&osm->texts, name);
    err = sc_builder_add_object_at(sink->builder, x, y, sink->categories[category], text.text,
                                   text.size);
    return err ? fail_builder(osm, err, "object") : SC_OK;
}

static sc_err sink_nodes(object_sink *sink)
{
    const sc__osm *osm = sink->osm;
    if (osm->object_count == 0) return SC_OK;

    sc__osm_keyed *keyed = sc_malloc_array(osm->object_count, sizeof *keyed);
    if (!keyed) return sc__osm_fail_memory(osm);
    for (size_t i = 0; i < osm->object_count; i++) {
        keyed[i] = (sc__osm_keyed){osm->objects[i].id, i};
    }
    sc_err err = sc__osm_sort(keyed, osm->object_count);
    if (err) err = sc__osm_fail_memory(osm);
    for (size_t i = 0; !err && i < osm->object_count; i++) {
        // Extracts that overlap name some nodes twice; the first is taken.
        if (i > 0 && keyed[i].id == keyed[i - 1].id) continue;
        const sc__osm_object *object = &osm->objects[keyed[i].index];
        err = sink_object(sink, object->point.x / 1e7, object->point.y / 1e7, object->category,
                          object->name);
    }
    sc_free(keyed);
    return err;
}

static bool reserve_corners(object_sink *sink, size_t count)
{
    if (sink->corners && sink->corner_capacity >= count) return true;
    sc__osm_point *corners = sc_realloc_array(sink->corners, count * 2, sizeof *corners);
    if (!corners) return false;
    sink->corners = corners;
    sink->corner_capacity = count * 2;
    return true;
}

static sc_err sink_areas(object_sink *sink)
{
    const sc__osm *osm = sink->osm;
    const sc__osm_ways *areas = &osm->areas;
    for (size_t i = 0; i < areas->count; i++) {
        const sc__osm_way *area = &areas->ways[i];
        if (!reserve_corners(sink, area->ref_count)) return sc__osm_fail_memory(osm);
        for (size_t corner = 0; corner < area->ref_count; corner++) {
            sink->corners[corner] = areas->points[areas->refs[area->first_ref + corner]];
        }
        double x = 0;
        double y = 0;
        if (!sc__osm_ring_middle(sink->corners, area->ref_count, &x, &y)) {
            osm->load->report->objects_without_place++;
            continue;
        }
        const sc_err err = sink_object(sink, x, y, area->category, area->name);
        if (err) return err;
    }
    return SC_OK;
}

static sc_err build_objects(const sc__osm *osm, sc_builder *builder)
{
    object_sink sink = {.osm = osm, .builder = builder};
    sink.categories = sc_malloc_array(osm->texts.count, sizeof *sink.categories);
    if (!sink.categories) return sc__osm_fail_memory(osm);
    for (size_t i = 0; i < osm->texts.count; i++) {
        sink.categories[i] = SC_NONE;
    }
    sc_err err = sink_nodes(&sink);
    if (!err) err = sink_areas(&sink);
    sc_free(sink.categories);
    sc_free(sink.corners);
    return err;
}

sc_err sc__osm_build(sc__osm *osm, sc_builder *builder)
{
    const sc_err err = build_roads(osm, builder);
    return err ? err : build_objects(osm, builder);
}
