// Objects of a map: put on its edges when the map is built, and read from its tables afterwards.
#include "base/alloc.h"
#include "map/builder_internal.h"
#include "map/map_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Placing objects on edges -------------------------------------------------------------------

// Where an object lies on the finished map; false if no road is near enough.
static bool locate(const sc_raw_object *raw, const sc_map *map, const uint32_t *edge_place,
                   double max_snap_m, sc_object *out)
{
    sc_object object = {.category = raw->category, .name = raw->name};
    if (raw->edge == SC_NONE) {
        sc_snap snap;
        if (sc_map_snap(map, raw->x, raw->y, max_snap_m, &snap)) return false;
        object.edge = snap.edge;
        object.offset = (uint32_t)llround(snap.offset_m / map->unit_m);
    } else {
        const uint32_t place = edge_place[raw->edge];
        object.edge = place >> 1;
        const uint32_t length = sc__edges(map)[object.edge].length;
        const double part = place & 1 ? 1.0 - raw->x : raw->x;
        object.offset = (uint32_t)llround(part * length);
    }
    // Rounding may lead a unit beyond the end.
    const uint32_t length = sc__edges(map)[object.edge].length;
    if (object.offset > length) object.offset = length;
    *out = object;
    return true;
}

static int compare_objects(const void *a, const void *b)
{
    const sc_object *x = a;
    const sc_object *y = b;
    if (x->edge != y->edge) return x->edge < y->edge ? -1 : 1;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->category != y->category) return x->category < y->category ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

// Categories that no object is left in are dropped and the others renumbered.
static sc_err keep_used_categories(const sc_builder *builder, sc_map *map, sc_object *objects,
                                   uint32_t count)
{
    uint32_t *number = sc_malloc_array(builder->category_count, sizeof *number);
    if (!number) return SC_ENOMEM;
    memset(number, 0, builder->category_count * sizeof *number);
    for (uint32_t i = 0; i < count; i++) {
        number[objects[i].category] = 1;
    }
    uint32_t used = 0;
    for (size_t c = 0; c < builder->category_count; c++) {
        number[c] = number[c] ? used++ : SC_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        objects[i].category = number[objects[i].category];
    }
    map->category_count = used;
    const sc_err err = sc__table_make(map, SC_TABLE_CATEGORIES, used);
    if (!err) {
        uint32_t *names = map->tables[SC_TABLE_CATEGORIES].data;
        for (size_t c = 0; c < builder->category_count; c++) {
            if (number[c] != SC_NONE) names[number[c]] = builder->categories[c];
        }
    }
    sc_free(number);
    return err;
}

// For each segment the first of its objects, which lie in the order of edges.
static sc_err list_by_segment(sc_map *map)
{
    const sc_err err =
        sc__table_make(map, SC_TABLE_SEGMENT_OBJECTS, (uint64_t)map->segment_count + 1);
    if (err) return err;
    const sc_object *objects = sc__objects(map);
    const sc_segment *segments = sc__segments(map);
    sc_object_id *starts = map->tables[SC_TABLE_SEGMENT_OBJECTS].data;
    sc_object_id next = 0;
    for (sc_seg_id s = 0; s <= map->segment_count; s++) {
        while (next < map->object_count && objects[next].edge < segments[s].first_edge) {
            next++;
        }
        starts[s] = next;
    }
    return SC_OK;
}

sc_err sc__objects_build(sc_builder *builder, sc_map *map, const uint32_t *edge_place,
                         double max_snap_m, uint32_t *too_far, const sc_progress *progress)
{
    enum { REPORT_EVERY = 1 << 16 };
    *too_far = 0;
    if (builder->object_count == 0) return SC_OK;

    sc_err err = sc__table_make(map, SC_TABLE_OBJECTS, builder->object_count);
    if (err) return err;
    sc_object *objects = map->tables[SC_TABLE_OBJECTS].data;
    uint32_t count = 0;
    for (size_t i = 0; i < builder->object_count; i++) {
        if (i % REPORT_EVERY == 0 && progress && progress->report) {
            progress->report(progress->context, "placing objects", i, builder->object_count);
        }
        if (locate(&builder->objects[i], map, edge_place, max_snap_m, &objects[count])) {
            count++;
        }
    }
    *too_far = (uint32_t)builder->object_count - count;
    map->object_count = count;
    map->tables[SC_TABLE_OBJECTS].count = count;
    if (count == 0) return SC_OK;

    err = keep_used_categories(builder, map, objects, count);
    if (err) return err;
    qsort(objects, count, sizeof *objects, compare_objects);
    return list_by_segment(map);
}

// --- Reading objects and categories -------------------------------------------------------------

const sc_object *sc_map_objects(const sc_map *map)
{
    return sc__objects(map);
}

void sc_map_segment_objects(const sc_map *map, sc_seg_id segment, sc_object_id *first,
                            sc_object_id *last)
{
    // The table is left out of maps without objects.
    if (map->object_count == 0) {
        *first = *last = 0;
        return;
    }
    const sc_object_id *starts = map->tables[SC_TABLE_SEGMENT_OBJECTS].data;
    *first = starts[segment];
    *last = starts[segment + 1];
}

static const char *string_at(const sc_map *map, uint32_t offset)
{
    return (const char *)map->tables[SC_TABLE_STRINGS].data + offset;
}

const char *sc_map_category_name(const sc_map *map, sc_category_id category)
{
    const uint32_t *offsets = map->tables[SC_TABLE_CATEGORIES].data;
    return string_at(map, offsets[category]);
}

sc_category_id sc_map_category_find(const sc_map *map, const char *name)
{
    for (sc_category_id i = 0; i < map->category_count; i++) {
        if (strcmp(sc_map_category_name(map, i), name) == 0) return i;
    }
    return SC_NONE;
}

bool sc_map_has_names(const sc_map *map)
{
    return map->tables[SC_TABLE_SEGMENT_NAMES].count > 0;
}

const char *sc_map_segment_name(const sc_map *map, sc_seg_id segment)
{
    const uint32_t *offsets = map->tables[SC_TABLE_SEGMENT_NAMES].data;
    return sc_map_has_names(map) ? string_at(map, offsets[segment]) : "";
}

const char *sc_map_object_name(const sc_map *map, sc_object_id object)
{
    return string_at(map, sc__objects(map)[object].name);
}

sc_nearest_index sc__map_nearest_index(const sc_map *map)
{
    return (sc_nearest_index){.lists = map->tables[SC_TABLE_NEAREST_LISTS].data,
                              .list_count = map->tables[SC_TABLE_NEAREST_LISTS].count,
                              .entries = map->tables[SC_TABLE_NEAREST].data,
                              .others = map->tables[SC_TABLE_NEAREST_OTHERS].data,
                              .entry_count = map->tables[SC_TABLE_NEAREST].count};
}

const sc_object_id *sc__map_segment_objects(const sc_map *map)
{
    return map->tables[SC_TABLE_SEGMENT_OBJECTS].data;
}

const char *sc__map_strings(const sc_map *map, size_t *size)
{
    *size = map->tables[SC_TABLE_STRINGS].count;
    return map->tables[SC_TABLE_STRINGS].data;
}
