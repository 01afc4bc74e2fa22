/**
 * @file map_tables.h
 * @brief The tables of the nearest index, as the map file keeps them.
 *
 * A list holds, for every star, its k nearest objects of one category (or of all): entry i of
 * star s is entries[first + s * k + i], nearest first and of equally far ones the lowest number
 * first. The object of an unused entry is SC_NONE; its distance then tells why: SC_NEAREST_ALL if
 * no more objects can be reached, SC_NEAREST_CUT if there may be some (too far for 32 bits, or a
 * pseudo-star, which is no place on a road that a cloak could border on).
 *
 * The index follows from the map and is no part of its identity: the map's checksum leaves it out.
 *
 * Uses: map. Used by: objects (which makes it and reads it), the map file.
 */
#ifndef SC_MAP_MAP_TABLES_H
#define SC_MAP_MAP_TABLES_H

#include <starcloak/map.h>

typedef struct sc_nearest {
    sc_object_id object;
    uint32_t distance;  ///< in units of sc_map_unit_m()
} sc_nearest;

/** The longest list that a star may have. */
#define SC_NEAREST_MAX_K 64u

/** Distances of entries without an object. */
#define SC_NEAREST_ALL 0u
#define SC_NEAREST_CUT UINT32_MAX

typedef struct sc_nearest_list {
    sc_category_id category;  ///< SC_NONE: all objects
    uint32_t k;
    uint64_t first;  ///< into the entries; stars * k of them
} sc_nearest_list;

/** The lists stored in the map, ascending by category; none: *count is 0. Lent. */
const sc_nearest_list *sc__map_nearest_lists(const sc_map *map, size_t *count);

/** Their entries. */
const sc_nearest *sc__map_nearest(const sc_map *map);

/** Save the map with this index in place of its own; as sc_map_save(). */
SC_CHECKED sc_err sc__map_save_with(const sc_map *map, const sc_nearest_list *lists,
                                    size_t list_count, const sc_nearest *entries,
                                    size_t entry_count, const char *path, sc_diag *diag);

#endif
