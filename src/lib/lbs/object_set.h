/**
 * @file object_set.h
 * @brief A set of objects: plain arrays for those that answer from it, and what of it is ours.
 *
 * For: this folder and its tests.
 */
#ifndef SC_LBS_OBJECT_SET_H
#define SC_LBS_OBJECT_SET_H

#include <starcloak/objects.h>

#include "map/map_tables.h"

#include <stdatomic.h>

// === The view ===================================================================================
// Objects are numbered by edge and then by offset, and edges by segment: so the objects of a
// segment are consecutive, in the order of the road.

typedef struct sc_objects_view {
    const sc_map *map;
    const sc_object *objects;
    uint32_t object_count;
    uint32_t category_count;

    /** Objects [segment_first[s], segment_first[s + 1]) lie on segment s. */
    const uint32_t *segment_first;
    /** Per segment: bit c % 64 is set if it has an object of category c. */
    const uint64_t *segment_mask;
    /** Per object: units from the first node of its segment, along the road. */
    const uint32_t *along;
    /** Per object: time from the first node of its segment, and from the last; SC_CLOSED: the road
     * is not open that far. */
    const sc_travel_times *times;
    /** Per object: its category, close together for scanning. */
    const uint32_t *category;
    /** The objects of each segment again: by category, then in the order of the road. */
    const uint32_t *by_category;
    /** Their categories in that order: ascending on each segment. */
    const uint32_t *ordered_category;
    /** Per category: how many objects it has. */
    const uint32_t *category_size;

    sc_nearest_index index;
    /** Per metric: which list a category has, SC_NONE if none; behind the categories, that of all
     * together. */
    const uint32_t *list_of;
} sc_objects_view;

/** Which list of a metric a category has; `category_count`: all together. */
static inline uint32_t sc__objects_list_of(const sc_objects_view *view, sc_metric metric,
                                           uint32_t category)
{
    return view->list_of[metric * ((size_t)view->category_count + 1) + category];
}

/** What a piece of road costs in the metric that is asked for, and in the other one. */
typedef struct sc_step {
    uint32_t cost;  ///< SC_CLOSED: one may not drive there
    uint32_t other;
} sc_step;

static inline sc_step sc__step_of(sc_metric metric, uint32_t distance, uint32_t time)
{
    if (time == SC_CLOSED) return (sc_step){SC_CLOSED, 0};
    return metric == SC_METRIC_TIME ? (sc_step){time, distance} : (sc_step){distance, time};
}

/** A whole segment, from its first node to its last or backwards. */
static inline sc_step sc__segment_step(const sc_map *map, sc_metric metric, sc_seg_id segment,
                                       bool backwards)
{
    const sc_travel_times times = sc_map_segment_times(map)[segment];
    return sc__step_of(metric, sc_map_segments(map)[segment].length,
                       backwards ? times.backward : times.forward);
}

/** From the first node of a segment that is `length` long to an object on it, or from its last. */
static inline sc_step sc__object_step(const sc_objects_view *view, sc_metric metric,
                                      sc_object_id object, uint32_t length, bool backwards)
{
    const sc_travel_times times = view->times[object];
    const uint32_t along = view->along[object];
    return backwards ? sc__step_of(metric, length - along, times.backward)
                     : sc__step_of(metric, along, times.forward);
}

/** Lent as long as the set is held. */
const sc_objects_view *sc__objects_view(const sc_objects *objects);

// === The set ====================================================================================
// A map's own set borrows the map's tables, a built one has tables of its own; what follows from
// either (`along`, `category`, ...) is computed by sc__objects_derive(). Once a set is shared,
// nothing of it changes but the count of its holders.

struct sc_objects {
    atomic_size_t holders;

    // Lent to readers; the pointers lead to the map, or to what is owned below.
    sc_objects_view view;
    sc_object_table table;
    sc_vocabulary vocabulary;

    // Of every set.
    uint32_t *along;
    sc_travel_times *times;
    uint32_t *category;
    uint32_t *by_category;
    uint32_t *ordered_category;
    uint64_t *segment_mask;
    uint32_t *category_size;
    uint32_t *list_of;
    const char **category_names;

    // Of sets that do not borrow them from a map; NULL in others.
    sc_object *own_objects;
    uint32_t *own_segment_first;
    uint32_t *own_keys;
    char *own_strings;

    // The index, if it was built here and not read with the map; else NULL.
    sc_nearest_list *own_lists;
    void *own_entry_block;
    uint32_t *own_others;
};

/** Give a category the next number before there is an object of it, so that sets with different
 * objects number them alike. For a new builder. */
SC_CHECKED sc_err sc__objects_builder_name(sc_objects_builder *builder, const char *category);

/** An empty set on `map`, held once; NULL when memory is out. */
sc_objects *sc__objects_new(const sc_map *map);

/**
 * Compute what follows from the objects of `set`: its map, objects, categories and
 * segment_first are in the view, and its category_names have room.
 *
 * @return SC_OK, SC_ENOMEM, SC_EMAP (objects that do not lie on their segments)
 */
SC_CHECKED sc_err sc__objects_derive(sc_objects *set);

/** Let `set` answer from this index, which it does not own. */
void sc__objects_use_index(sc_objects *set, sc_nearest_index index);

/** Let go of the index that was built here, if there is one. */
void sc__objects_drop_index(sc_objects *set);

#endif
