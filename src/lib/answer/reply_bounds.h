/**
 * @file reply_bounds.h
 * @brief What the map alone allows of a reply: the least distances, and how many objects there are.
 */
#ifndef SC_ANSWER_REPLY_BOUNDS_H
#define SC_ANSWER_REPLY_BOUNDS_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

#include "base/hash.h"
#include "map/cost_bounds.h"

// === The least cost of a way to an object =======================================================
// What a provider says of a way can be checked from below without a search: map/cost_bounds.h has
// ways between nodes, and here are the last steps to an object.

/** Two places, one of which every way to an object passes: before it on its road, and behind it. */
typedef struct sc_approach {
    sc_space_point spot[2];
    /** What it takes from there to the object, along its road, in each metric; HUGE_VAL: one may
     * not drive there that way. */
    double way[SC_METRIC_COUNT][2];
    sc_star_id star[2];  ///< the star there; SC_NONE: the road goes on
} sc_approach;

enum { SC_KNOWN_SPOTS = 256 };

/** Where nodes are in space, which takes four sines; objects near each other have the same nodes on
 * both sides. Zero-initialise; for one map. Of a cloak it tells no more than its request did. */
typedef struct sc_known_spots {
    uint32_t nodes[SC_KNOWN_SPOTS];  ///< and one; 0: none
    sc_space_point spots[SC_KNOWN_SPOTS];
} sc_known_spots;

/** sc__space_point_of(), if need be. */
sc_space_point sc__known_spot(sc_known_spots *known, const sc_map *map, sc_node_id node);

/**
 * To the place `offset` along `edge` on the roads of this map: by the ends of its segment, or by
 * nodes on the way to them if these are many edges away.
 */
sc_approach sc__approach_by_road(sc_known_spots *known, const sc_map *map, sc_edge_id edge,
                                 uint32_t offset);

/** To the same place on whatever roads: all that is known is where it lies. */
sc_approach sc__approach_by_position(const sc_map *map, sc_edge_id edge, uint32_t offset);

/** Whether the way to an object from the node at `from`, an end of a segment, may cost so little.
 */
bool sc__approach_allows(const sc_cost_bounds *bounds, const sc_approach *approach,
                         sc_space_point from, double cost);

// === Objects that can be reached ================================================================
// What can be reached from a star lies in its component, and all that can be entered from its
// strong component, within which every star can be reached from every other, can be reached. The
// objects of each are counted once per map, by category. A provider that answers with the map's own
// objects cannot list more than the first of them, or fewer than the second; where all roads are
// open both ways, the two are the same.

/** Objects by component and category. */
typedef struct sc_component_counts {
    sc_star_id *components;  ///< per star: the star that its component is called by
    sc_hash rows;            ///< (component, category) -> its place in `row_counts`
    uint32_t *row_counts;
    size_t row_count;
    size_t row_capacity;
} sc_component_counts;

/** Zero-initialise; release with sc__object_counts_fini(). */
typedef struct sc_object_counts {
    sc_component_counts weak;
    sc_component_counts strong;
} sc_object_counts;

/**
 * Count the objects of a map. Time O(stars + segments + objects), all but linear; memory 8 bytes
 * per star, and some for every category that a component has. A map without objects takes none.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__object_counts_init(sc_object_counts *counts, const sc_map *map);

void sc__object_counts_fini(sc_object_counts *counts);

/** How many objects of the categories of `request` can be reached from `star`, at least. */
uint64_t sc__object_counts_least(const sc_object_counts *counts, sc_star_id star,
                                 const sc_request *request);

/** And at most. */
uint64_t sc__object_counts_most(const sc_object_counts *counts, sc_star_id star,
                                const sc_request *request);

#endif
