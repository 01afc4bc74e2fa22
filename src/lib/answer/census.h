/**
 * @file census.h
 * @brief How many objects of the map can be reached from a place.
 *
 * Roads lead both ways, so what can be reached from a star is what lies in its component. The
 * objects of every component are counted once per map, by category. A provider that answers with
 * the map's own objects cannot list fewer of them, or more, than there are.
 *
 * Uses: map, relay (requests). Used by: filter.c, believe.c.
 */
#ifndef SC_ANSWER_CENSUS_H
#define SC_ANSWER_CENSUS_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

#include "base/hash.h"

/** Zero-initialise; release with sc__census_fini(). */
typedef struct sc_census {
    sc_star_id *components;  ///< per star: the star that its component is called by
    sc_hash rows;            ///< (component, category) -> its place in `counts`
    uint32_t *counts;
    size_t row_count;
    size_t row_capacity;
} sc_census;

/**
 * Count the objects of a map. Time O(stars + segments + objects), all but linear; memory 4 bytes
 * per star, and some for every category that a component has. A map without objects takes none.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__census_take(sc_census *census, const sc_map *map);

void sc__census_fini(sc_census *census);

/** How many objects can be reached from `star` that are of the categories of `request`. */
uint64_t sc__census_count(const sc_census *census, sc_star_id star, const sc_request *request);

#endif
