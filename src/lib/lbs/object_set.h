/**
 * @file object_set.h
 * @brief What a set of objects is inside: the view that is lent, and what of it is ours.
 *
 * A map's own set borrows the map's tables, a built one has tables of its own; what follows from
 * either (`along`, `category`, ...) is computed by sc__objects_derive(). Once a set is shared,
 * nothing of it changes but the count of its holders.
 *
 * For: this folder and its tests.
 */
#ifndef SC_LBS_OBJECT_SET_H
#define SC_LBS_OBJECT_SET_H

#include <stdatomic.h>

#include "lbs/objects_view.h"

struct sc_objects {
    atomic_size_t holders;

    // Lent to readers; the pointers lead to the map, or to what is owned below.
    sc_objects_view view;
    sc_object_table table;
    sc_vocabulary vocabulary;

    // Of every set.
    uint32_t *along;
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
};

/** An empty set on `map`, held once; NULL when memory is out. */
sc_objects *sc__objects_new(const sc_map *map);

/**
 * Compute what follows from the objects of `set`: its map, objects, categories and
 * segment_first are in the view, and its category_names have room.
 *
 * @return SC_OK, SC_ENOMEM, SC_EMAP (objects that are not where the map says)
 */
SC_CHECKED sc_err sc__objects_derive(sc_objects *set);

/** Let `set` answer from these lists, which it does not own; none: `list_count` is 0. */
void sc__objects_use_index(sc_objects *set, const sc_nearest_list *lists, size_t list_count,
                           const sc_nearest *entries);

/** Let go of the index that was built here, if there is one. */
void sc__objects_drop_index(sc_objects *set);

#endif
