/**
 * @file objects_view.h
 * @brief A set of objects as plain arrays, for whoever answers from it.
 *
 * Objects are numbered by edge and then by offset, and edges by segment: so the objects of a
 * segment are consecutive, in the order of the road.
 *
 * Uses: map/map_tables.h. Used by: this folder, lbs.
 */
#ifndef SC_OBJECTS_OBJECTS_VIEW_H
#define SC_OBJECTS_OBJECTS_VIEW_H

#include <starcloak/objects.h>

#include "map/map_tables.h"

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
    /** Per object: its category, close together for scanning. */
    const uint32_t *category;
    /** The objects of each segment again: by category, then in the order of the road. */
    const uint32_t *by_category;
    /** Their categories in that order: ascending on each segment. */
    const uint32_t *ordered_category;
    /** Per category: how many objects it has. */
    const uint32_t *category_size;

    // The index.
    const sc_nearest_list *lists;
    size_t list_count;
    /** Which list a category has, SC_NONE if none; behind the categories, that of all together. */
    const uint32_t *list_of;
    const sc_nearest *entries;
} sc_objects_view;

/** Lent as long as the set is held. */
const sc_objects_view *sc__objects_view(const sc_objects *objects);

#endif
