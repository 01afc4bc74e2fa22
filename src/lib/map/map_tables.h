/**
 * @file map_tables.h
 * @brief What the rest of the library reads of a map beyond the public accessors.
 *
 * The public accessors give one name or one segment at a time; code that serves objects reads the
 * tables themselves instead of a copy.
 *
 * The nearest index holds lists: for every star, its k nearest objects of one category (or of all)
 * in one metric. Entry i of star s is entries[first + s * k + i], nearest first and of equally far
 * ones the lowest number first; at the same place of `others` is what the way costs in the other
 * metric. The object of an unused entry is SC_NONE; its cost then gives the reason:
 * SC_NEAREST_ALL if no more objects can be reached, SC_NEAREST_CUT if there may be some (too far
 * for 32 bits, or a pseudo-star, which is no place on a road that a cloak could border on). Opening
 * a map makes sure that nothing in the index is out of range or out of order; src/lib/lbs builds it
 * and can check what it states. The index follows from the map and is no part of its identity: the
 * map's checksum leaves it out.
 */
#ifndef SC_MAP_MAP_TABLES_H
#define SC_MAP_MAP_TABLES_H

#include <starcloak/map.h>

/**
 * Whether `star`, one of sc_map_stars(), stands for a component without any intersection: its only
 * segment is all there is, while an intersection has at least two.
 */
static inline bool sc_star_is_pseudo(const sc_star *star)
{
    return star[1].first_segment - star[0].first_segment < 2;
}

/** Segments + 1 entries, as sc_map_segment_objects() reads them; NULL on a map without objects. */
const sc_object_id *sc__map_segment_objects(const sc_map *map);

/** The texts that sc_object.name points into; the last byte is NUL. None: *size is 0. */
const char *sc__map_strings(const sc_map *map, size_t *size);

/** An entry of the nearest index. */
typedef struct sc_nearest {
    sc_object_id object;
    uint32_t
        cost;  ///< in units of sc_map_unit_m() or sc_map_time_unit_s(), as the list's metric is
} sc_nearest;

/** The longest list that a star may have. */
#define SC_NEAREST_MAX_K 64u

/** Costs of entries without an object. */
#define SC_NEAREST_ALL 0u
#define SC_NEAREST_CUT UINT32_MAX

typedef struct sc_nearest_list {
    sc_category_id category;  ///< SC_NONE: all objects
    uint16_t k;
    uint16_t metric;  ///< sc_metric
    uint64_t first;   ///< into the entries; stars * k of them
} sc_nearest_list;

/** An index: none if there are no lists. */
typedef struct sc_nearest_index {
    const sc_nearest_list *lists;  ///< ascending by metric, then by category
    size_t list_count;
    const sc_nearest *entries;
    const uint32_t *others;  ///< as many
    size_t entry_count;
} sc_nearest_index;

/** The index stored in the map. Lent. */
sc_nearest_index sc__map_nearest_index(const sc_map *map);

/** Save the map with this index in place of its own; as sc_map_save(). */
SC_CHECKED sc_err sc__map_save_with(const sc_map *map, const sc_nearest_index *index,
                                    const char *path, sc_diag *diag);

#endif
