// The reader of OpenStreetMap data, pbf and XML.
//
// Several inputs make one map: nodes and ways that more than one of them has are taken once, so
// that extracts which share a border can be joined. Each input is recognised by its content, not by
// its name. osm_internal.h has the steps.
//
// A node of the map is one that ends an edge; an edge joins two nodes that follow each other on a
// road. A node named twice in a row is taken once, which is counted. A reference to a node that no
// input has is an error, or ends the chain where the user allows that. Outlines of objects may lack
// nodes: an extract cuts them off at its border.
#include "base/alloc.h"
#include "import/osm_internal.h"
#include "map/geo.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
        if (walk->ways->points[node].x == SC__OSM_NO_POINT) {
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
                                "way %lld: node %lld has no coordinates, since the %s not have it; "
                                "give --skip-missing-nodes to end roads there",
                                (long long)roads->ways[i].id,
                                (long long)roads->ids[walk.first_missing],
                                osm->load->input_count == 1 ? "file does" : "files do");
        }
        report->missing_nodes += walk.missing;
        report->repeated_nodes += walk.repeated;
    }
    return SC_OK;
}

static sc_err fail_builder(const sc__osm *osm, sc_err err, const char *what)
{
    if (err == SC_ENOMEM) return sc__osm_fail_memory(osm);
    return sc_fail(osm->load->diag, err, "%s: cannot add another %s to the map: %s",
                   osm->load->inputs[0].name, what, sc_err_text(err));
}

static double length_of(const sc__osm_ways *roads, size_t from, size_t to)
{
    const sc__osm_point a = roads->points[from];
    const sc__osm_point b = roads->points[to];
    return sc_geo_distance_m(a.x / 1e7, a.y / 1e7, b.x / 1e7, b.y / 1e7);
}

// The speeds along a road; those of a ferry follow from its length where it has a duration.
static sc__osm_passage passage_along(const sc__osm_ways *roads, const sc__osm_way *way)
{
    sc__osm_passage passage = way->passage;
    if (passage.duration_s <= 0.0F) return passage;
    road_walk walk = walk_along(roads, way);
    double length_m = 0.0;
    size_t from = 0;
    size_t to = 0;
    while (walk_next(&walk, &from, &to)) {
        length_m += length_of(roads, from, to);
    }
    const double m_s = length_m / (double)passage.duration_s;
    // Slower than any crossing with its waiting, or faster than any ship: it is of something else.
    if (!(m_s >= 0.1 && m_s <= 30.0)) return passage;
    if (passage.forward_m_s > 0.0F) passage.forward_m_s = (float)m_s;
    if (passage.backward_m_s > 0.0F) passage.backward_m_s = (float)m_s;
    return passage;
}

static double seconds_along(double length_m, float m_s)
{
    return m_s > 0.0F ? length_m / (double)m_s : SC_CLOSED_S;
}

static sc_err add_road(const sc__osm *osm, sc_builder *builder, const uint32_t *numbers,
                       const sc__osm_way *way)
{
    const sc__osm_ways *roads = &osm->roads;
    const sc__osm_passage passage = passage_along(roads, way);
    const sc_slice name =
        way->name == SC_NONE ? (sc_slice){NULL, 0} : sc__osm_texts_at(&osm->texts, way->name);
    road_walk walk = walk_along(roads, way);
    size_t from = 0;
    size_t to = 0;
    while (walk_next(&walk, &from, &to)) {
        const double length_m = length_of(roads, from, to);
        sc_edge_id edge = SC_NONE;
        sc_err err = sc_builder_add_edge(builder, numbers[from], numbers[to], length_m,
                                         (sc_road_class)passage.road_class, &edge);
        if (!err && !passage.is_usual) {
            err = sc_builder_set_edge_times(builder, edge,
                                            seconds_along(length_m, passage.forward_m_s),
                                            seconds_along(length_m, passage.backward_m_s));
        }
        if (!err && name.size > 0) {
            err = sc_builder_set_edge_name(builder, edge, name.text, name.size);
        }
        if (err) return fail_builder(osm, err, "edge");
    }
    return SC_OK;
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
        const sc_err err = add_road(osm, builder, numbers, &roads->ways[i]);
        if (err) return err;
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
                      "%s: none of the %zu roads has two different consecutive nodes",
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
        if (points[i].x == SC__OSM_NO_POINT) continue;
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

static sc_err build(const sc__osm *osm, sc_builder *builder)
{
    const sc_err err = build_roads(osm, builder);
    return err ? err : build_objects(osm, builder);
}

// --- Files --------------------------------------------------------------------------------------

static bool is_xml(const sc_input *input)
{
    // A byte order mark of UTF-8 or UTF-16 may stand first; expat knows them.
    const uint8_t *data = input->data;
    const size_t size = input->size;
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) return true;
    if (size >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0)) {
        return true;
    }
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '<') return true;
        if (!strchr(" \t\r\n", data[i])) return false;
    }
    return false;
}

static sc_err check_inputs(const sc_load *load)
{
    if (load->input_count == 0)
        return sc_fail(load->diag, SC_EINVAL, "no OpenStreetMap file given");
    for (size_t i = 0; i < load->input_count; i++) {
        const sc_input *input = &load->inputs[i];
        if (input->size == 0) {
            return sc_fail(load->diag, SC_EPARSE, "%s: the file is empty", input->name);
        }
        if (!sc__osm_is_pbf(input) && !is_xml(input)) {
            const size_t shown = input->size < 16 ? input->size : 16;
            return sc_fail(load->diag, SC_EPARSE,
                           "%s: byte 0: neither OpenStreetMap pbf nor XML: it begins with %s",
                           input->name, sc_quote((const char *)input->data, shown).text);
        }
    }
    return SC_OK;
}

static const char *ways_asked_for(const sc_load *load)
{
    return load->options->ways ? load->options->ways : sc__osm_profile_ways(load->options->profile);
}

// Take the most frequent highway out of the census; NULL when none is left.
static const char *pop_most_frequent(sc__osm_census *census, uint64_t *count)
{
    size_t most = 0;
    for (size_t i = 1; i < census->row_count; i++) {
        if (census->rows[i].count > census->rows[most].count) most = i;
    }
    if (census->row_count == 0 || census->rows[most].count == 0) return NULL;
    *count = census->rows[most].count;
    census->rows[most].count = 0;
    return census->rows[most].value;
}

// Nothing to build: the message has what was asked for and what the files have.
static sc_err fail_no_roads(const sc__osm *osm)
{
    enum { SHOWN = 6 };
    const sc_load *load = osm->load;
    const char *ways = ways_asked_for(load);
    const char *what = load->input_count == 1 ? "the file has" : "the files have";
    if (load->report->ways_closed > 0) {
        return sc_fail(load->diag, SC_EPARSE,
                       "%s: all %llu roads among %s are closed to the profile '%s'; choose another "
                       "with --profile",
                       load->inputs[0].name, (unsigned long long)load->report->ways_closed,
                       sc_quote(ways, strlen(ways)).text,
                       sc_import_profile_name(load->options->profile));
    }
    sc__osm_census census = osm->census;

    char list[SHOWN * (sizeof(sc_quoted) + 32)] = "";
    size_t used = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < SHOWN; i++) {
        const char *value = pop_most_frequent(&census, &count);
        if (!value) break;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%llu)", i > 0 ? ", " : "",
                                 sc_quote(value, strlen(value)).text, (unsigned long long)count);
    }
    const bool has_more = pop_most_frequent(&census, &count) || census.others > 0;
    if (used == 0) {
        return sc_fail(load->diag, SC_EPARSE, "%s: %s no way with %s highway tag",
                       load->inputs[0].name, what, has_more ? "a usable" : "a");
    }
    return sc_fail(load->diag, SC_EPARSE, "%s: no way has a highway value among %s; %s %s%s",
                   load->inputs[0].name, sc_quote(ways, strlen(ways)).text, what, list,
                   has_more ? ", ..." : "");
}

static sc_err read_ways(sc__osm *osm, sc__osm_pbf *pbf)
{
    const sc_load *load = osm->load;
    for (uint32_t i = 0; i < load->input_count; i++) {
        const sc_err err = sc__osm_is_pbf(&load->inputs[i]) ? sc__osm_pbf_read_ways(pbf, i)
                                                            : sc__osm_xml_read(osm, i);
        if (err) return err;
    }
    return SC_OK;
}

static sc_err read_nodes(sc__osm *osm, sc__osm_pbf *pbf)
{
    for (size_t i = 0; i < osm->waiting_count; i++) {
        const sc__osm_waiting *node = &osm->waiting[i];
        const sc__osm_place place = {.at = node->line, .input = node->input};
        const sc_err err = sc__osm_place_node(osm, place, node->id, node->point);
        if (err) return err;
    }
    return sc__osm_pbf_read_nodes(pbf);
}

static sc_err read_all(sc__osm *osm, sc_builder *builder)
{
    sc__osm_pbf *pbf = NULL;
    sc_err err = sc__osm_pbf_new(osm, &pbf);
    if (err) return err;

    err = read_ways(osm, pbf);
    if (!err && osm->roads.count == 0) err = fail_no_roads(osm);
    if (!err) err = sc__osm_resolve(osm);
    if (!err) err = read_nodes(osm, pbf);
    sc__osm_pbf_free(pbf);
    return err ? err : build(osm, builder);
}

sc_err sc__load_osm(const sc_load *load, sc_builder **out)
{
    sc_err err = check_inputs(load);
    if (err) return err;

    sc__osm osm = {.load = load};
    sc_builder *builder = NULL;
    err = sc__osm_filter_init(&osm.filter, ways_asked_for(load), load->diag);
    if (err) goto done;
    err = sc_builder_new(SC_COORDS_GEOGRAPHIC, &builder);
    if (err) {
        err = sc__osm_fail_memory(&osm);
        goto done;
    }
    err = read_all(&osm, builder);
    if (err) goto done;
    *out = builder;
    builder = NULL;
done:
    sc_builder_free(builder);
    sc__osm_fini(&osm);
    return err;
}
