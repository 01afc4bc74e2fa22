/**
 * @file walk_internal.h
 * @brief Driving along the roads at random.
 *
 * How drivers behave is told in walk.h. Here are the parts of which a walk is made.
 *
 * Used by: travel/walk.c and its tests.
 */
#ifndef SC_TRAVEL_WALK_INTERNAL_H
#define SC_TRAVEL_WALK_INTERNAL_H

#include <starcloak/map.h>
#include <starcloak/rng.h>

#include "travel/movement_internal.h"

/** Somebody on a road. */
typedef struct sc__driver {
    sc_edge_id edge;
    uint32_t offset;  ///< units from the edge's `from`
    float pace;       ///< of the road's speed; negative while driving towards `from`
} sc__driver;

/** Roads passed in one drive; see sc__drive(). */
enum { SC__MAX_ROADS_PASSED = 4096 };

/** Which edges meet at which node; 4 bytes per node and per edge end. Read only once made. */
typedef struct sc__crossings {
    const sc_map *map;
    uint32_t *first;   ///< by node, one more: its ends are [first[v], first[v + 1])
    sc_edge_id *ends;  ///< ascending at each node; both ends of a loop stand side by side
} sc__crossings;

/** @param map  borrowed */
SC_CHECKED sc_err sc__crossings_init(sc__crossings *crossings, const sc_map *map);
void sc__crossings_fini(sc__crossings *crossings);

/** Anywhere: an edge, a place on it, a direction and a pace, all at random. */
sc__driver sc__driver_anywhere(const sc__crossings *crossings, sc_rng *rng);

/**
 * Drive for `seconds`. Roads without length cost no time, and there may be rings of
 * nothing else; so after SC__MAX_ROADS_PASSED roads the driver rests until the end.
 */
void sc__drive(const sc__crossings *crossings, sc__driver *driver, double seconds, sc_rng *rng);

#endif
