// A set of objects: borrowed from a map or built, counted by its holders. See starcloak/objects.h.
//
// A set is read by many threads and replaced by a newer one while they read; so it counts its
// holders, and the last one to leave frees it. Everything but that count is fixed before a second
// thread can see the set.
//
// Opening a map keeps every index in range but does not check that objects lie on the segment that
// lists them, in the order of the road. Searches rely on that, so it is checked here.
#include "lbs/object_set.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "map/map_tables.h"
#include "map/road_legs.h"

#include <string.h>

sc_objects *sc__objects_new(const sc_map *map)
{
    sc_objects *set = sc_calloc(1, sizeof *set);
    if (!set) return NULL;
    atomic_init(&set->holders, 1);
    set->view.map = map;
    return set;
}

static void free_set(sc_objects *set)
{
    sc__objects_drop_index(set);
    sc_free(set->along);
    sc_free(set->times);
    sc_free(set->category);
    sc_free(set->by_category);
    sc_free(set->ordered_category);
    sc_free(set->segment_mask);
    sc_free(set->category_size);
    sc_free(set->list_of);
    sc_free(set->category_names);
    sc_free(set->own_objects);
    sc_free(set->own_segment_first);
    sc_free(set->own_keys);
    sc_free(set->own_strings);
    sc_free(set);
}

sc_objects *sc_objects_hold(sc_objects *objects)
{
    // The caller holds the set already, which keeps it alive; nothing else has to be ordered.
    atomic_fetch_add_explicit(&objects->holders, 1, memory_order_relaxed);
    return objects;
}

void sc_objects_release(sc_objects *objects)
{
    if (!objects) return;
    // What a holder read must be read before another frees it.
    if (atomic_fetch_sub_explicit(&objects->holders, 1, memory_order_acq_rel) == 1) {
        free_set(objects);
    }
}

// --- What follows from the objects ---------------------------------------------

// How long it takes to get to a place on an edge from one of its ends, on top of `before`.
static uint32_t time_to(const sc_map *map, sc_edge_id edge, uint32_t offset, bool backward,
                        uint32_t before)
{
    const sc_travel_times times = sc_map_edge_times(map)[edge];
    const bool is_at_end = offset == (backward ? sc_map_edges(map)[edge].length : 0);
    const bool is_closed = (backward ? times.backward : times.forward) == SC_CLOSED;
    if (before == SC_CLOSED || (is_closed && !is_at_end)) return SC_CLOSED;
    const double time = before + nearbyint(sc__edge_part_time(map, edge, offset, backward));
    return time < SC_CLOSED ? (uint32_t)time : SC_CLOSED;
}

static uint32_t add_time(uint32_t before, uint32_t time)
{
    return time < SC_CLOSED - before ? before + time : SC_CLOSED;
}

// How long it takes to the objects of one segment from its first node, and backwards from its last.
static void time_objects(sc_objects *set, sc_seg_id segment)
{
    const sc_objects_view *view = &set->view;
    const sc_travel_times *times = sc_map_edge_times(view->map);
    const sc_segment *at = &sc_map_segments(view->map)[segment];
    const uint32_t first = view->segment_first[segment];
    const uint32_t end = view->segment_first[segment + 1];
    sc_edge_id edge = at[0].first_edge;
    uint32_t passed = 0;
    for (uint32_t i = first; i < end; i++) {
        while (edge < view->objects[i].edge) {
            passed = add_time(passed, times[edge++].forward);
        }
        set->times[i].forward = time_to(view->map, edge, view->objects[i].offset, false, passed);
    }
    edge = at[1].first_edge - 1;
    passed = 0;
    for (uint32_t i = end; i-- > first;) {
        while (edge > view->objects[i].edge) {
            passed = add_time(passed, times[edge--].backward);
        }
        set->times[i].backward = time_to(view->map, edge, view->objects[i].offset, true, passed);
    }
}

// Place the objects of one segment along it. They must be in the order of its edges.
static sc_err place_on_segment(sc_objects *set, sc_seg_id segment)
{
    const sc_objects_view *view = &set->view;
    const sc_edge *edges = sc_map_edges(view->map);
    const sc_segment *segments = sc_map_segments(view->map);
    sc_edge_id edge = segments[segment].first_edge;
    uint64_t passed = 0;  // by the edges before `edge`
    uint64_t last = 0;
    for (uint32_t i = view->segment_first[segment]; i < view->segment_first[segment + 1]; i++) {
        const sc_object *object = &view->objects[i];
        if (object->edge >= segments[segment + 1].first_edge) return SC_EMAP;
        while (edge < object->edge) {
            passed += edges[edge++].length;
        }
        const uint64_t along = passed + object->offset;
        if (edge != object->edge || edges[edge].segment != segment ||
            object->offset > edges[edge].length || along < last ||
            along > segments[segment].length) {
            return SC_EMAP;
        }
        set->along[i] = (uint32_t)along;
        last = along;
        set->segment_mask[segment] |= UINT64_C(1) << object->category % 64;
    }
    time_objects(set, segment);
    return SC_OK;
}

// The objects of each segment by category: first all objects by category, then, in that order, each
// to its segment. Both keep the order of what is equal.
static sc_err order_by_category(sc_objects *set)
{
    const sc_objects_view *view = &set->view;
    const sc_edge *edges = sc_map_edges(view->map);
    const uint32_t segment_count = sc_map_segment_count(view->map);
    sc_err err = SC_ENOMEM;
    uint32_t *order = sc_malloc_array(view->object_count, sizeof *order);
    uint32_t *next = sc_malloc_array(segment_count, sizeof *next);
    if (order && next) {
        err = sc_sort_order(set->category, view->object_count, order);
    }
    if (!err) {
        memcpy(next, view->segment_first, segment_count * sizeof *next);
        for (uint32_t i = 0; i < view->object_count; i++) {
            const sc_edge_id edge = view->objects[order[i]].edge;
            const uint32_t place = next[edges[edge].segment]++;
            set->by_category[place] = order[i];
            set->ordered_category[place] = set->category[order[i]];
        }
    }
    sc_free(order);
    sc_free(next);
    return err;
}

sc_err sc__objects_derive(sc_objects *set)
{
    sc_objects_view *view = &set->view;
    const uint32_t segment_count = sc_map_segment_count(view->map);
    set->along = sc_malloc_array(view->object_count, sizeof *set->along);
    set->times = sc_malloc_array(view->object_count, sizeof *set->times);
    set->category = sc_malloc_array(view->object_count, sizeof *set->category);
    set->by_category = sc_malloc_array(view->object_count, sizeof *set->by_category);
    set->ordered_category = sc_malloc_array(view->object_count, sizeof *set->ordered_category);
    set->segment_mask = sc_calloc(segment_count, sizeof *set->segment_mask);
    set->category_size = sc_calloc(view->category_count, sizeof *set->category_size);
    set->list_of =
        sc_malloc_array(SC_METRIC_COUNT * ((size_t)view->category_count + 1), sizeof *set->list_of);
    if (!set->along || !set->times || !set->category || !set->by_category ||
        !set->ordered_category || !set->segment_mask || !set->category_size || !set->list_of) {
        return SC_ENOMEM;
    }
    for (sc_seg_id s = 0; s < segment_count; s++) {
        if (view->segment_first[s] == view->segment_first[s + 1]) continue;
        const sc_err err = place_on_segment(set, s);
        if (err) return err;
    }
    for (uint32_t i = 0; i < view->object_count; i++) {
        set->category[i] = view->objects[i].category;
        set->category_size[set->category[i]]++;
    }
    const sc_err err = order_by_category(set);
    if (err) return err;
    view->along = set->along;
    view->times = set->times;
    view->category = set->category;
    view->by_category = set->by_category;
    view->ordered_category = set->ordered_category;
    view->segment_mask = set->segment_mask;
    view->category_size = set->category_size;
    view->list_of = set->list_of;
    set->vocabulary = (sc_vocabulary){set->category_names, view->category_count};
    sc__objects_use_index(set, (sc_nearest_index){.list_count = 0});
    return SC_OK;
}

// --- A map's own ------------------------------------------------------------------

// Borrow the tables of the map, but for segment_first, which a map without objects lacks.
static sc_err borrow_tables(sc_objects *set, const sc_map *map)
{
    sc_objects_view *view = &set->view;
    view->objects = sc_map_objects(map);
    view->object_count = sc_map_object_count(map);
    view->category_count = sc_map_category_count(map);
    view->segment_first = sc__map_segment_objects(map);
    if (view->object_count == 0) {
        set->own_segment_first =
            sc_calloc((size_t)sc_map_segment_count(map) + 1, sizeof *set->own_segment_first);
        if (!set->own_segment_first) return SC_ENOMEM;
        view->segment_first = set->own_segment_first;
    }
    set->table = (sc_object_table){.objects = view->objects, .count = view->object_count};
    set->table.strings = sc__map_strings(map, &set->table.strings_size);

    set->category_names = sc_malloc_array(view->category_count, sizeof *set->category_names);
    if (!set->category_names) return SC_ENOMEM;
    for (sc_category_id c = 0; c < view->category_count; c++) {
        set->category_names[c] = sc_map_category_name(map, c);
    }
    return SC_OK;
}

sc_err sc_objects_new_from_map(const sc_map *map, sc_objects **out)
{
    sc_objects *set = sc__objects_new(map);
    if (!set) return SC_ENOMEM;
    sc_err err = borrow_tables(set, map);
    if (!err) err = sc__objects_derive(set);
    if (err) {
        free_set(set);
        return err;
    }
    sc__objects_use_index(set, sc__map_nearest_index(map));
    *out = set;
    return SC_OK;
}

// --- The index -----------------------------------------------------------------------

void sc__objects_use_index(sc_objects *set, sc_nearest_index index)
{
    sc_objects_view *view = &set->view;
    view->index = index;
    const size_t row = (size_t)view->category_count + 1;
    for (size_t i = 0; i < SC_METRIC_COUNT * row; i++) {
        set->list_of[i] = SC_NONE;
    }
    for (uint32_t i = 0; i < index.list_count; i++) {
        const sc_category_id category = index.lists[i].category;
        const uint32_t place = category == SC_NONE ? view->category_count : category;
        set->list_of[index.lists[i].metric * row + place] = i;
    }
    // A category that all objects have needs no list of its own.
    for (uint32_t m = 0; m < SC_METRIC_COUNT; m++) {
        uint32_t *list_of = &set->list_of[m * row];
        for (sc_category_id c = 0; c < view->category_count; c++) {
            if (list_of[c] == SC_NONE && set->category_size[c] == view->object_count) {
                list_of[c] = list_of[view->category_count];
            }
        }
    }
}

void sc__objects_drop_index(sc_objects *set)
{
    sc_free(set->own_lists);
    sc_free(set->own_entry_block);
    sc_free(set->own_others);
    set->own_others = NULL;
    set->own_lists = NULL;
    set->own_entry_block = NULL;
}

// --- Lending ---------------------------------------------------------------------------

const sc_objects_view *sc__objects_view(const sc_objects *objects)
{
    return &objects->view;
}

const sc_map *sc_objects_map(const sc_objects *objects)
{
    return objects->view.map;
}

const sc_object_table *sc_objects_table(const sc_objects *objects)
{
    return &objects->table;
}

const sc_vocabulary *sc_objects_vocabulary(const sc_objects *objects)
{
    return &objects->vocabulary;
}
