/**
 * @file reply_bounds.h
 * @brief What the map alone allows of a reply: the least distances, and how many objects there are.
 */
#ifndef SC_ANSWER_REPLY_BOUNDS_H
#define SC_ANSWER_REPLY_BOUNDS_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

#include "base/hash.h"

// === The least length of a way ==================================================================
// A provider's distance can be checked from below without a search. If every edge were as long as
// the straight line between its ends, no way could be shorter than the line between its own. Real
// maps are a little off: lengths and coordinates are rounded, and short edges suffer most. So for a
// few shares c below 1 we add up by how much edges fall short of c times their straight line,
// over the whole map. A shortest way uses no edge twice, hence
//
//     length of the way  >=  c * straight line  -  what all edges together fall short of at c
//
// for every c, and the best of these is the bound. One edge that is far too short costs its own
// few centimetres in this way, and not a share of every distance.
//
// Straight lines go through the earth, in space: that is cheaper than along its surface, never
// longer, and at 1,000 km shorter by one part in a thousand.

/** How many shares are tried, the smallest that any edge has among them. */
enum { SC_LENGTH_SHARES = 10 };

typedef struct sc_length_bounds {
    double shares[SC_LENGTH_SHARES];
    double missing[SC_LENGTH_SHARES];  ///< what all edges together fall short of, in units
    double total;                      ///< the length of all edges, in units: no way is longer
} sc_length_bounds;

/** A place in space, in units of the map. On maps without coordinates all are the same. */
typedef struct sc_space_point {
    double x;
    double y;
    double z;
} sc_space_point;

/** Time O(edges). */
sc_length_bounds sc__length_bounds_of(const sc_map *map);

sc_space_point sc__space_point_of(const sc_map *map, sc_node_id node);

/** No way between two nodes is shorter than this. */
double sc__length_bounds_least(const sc_length_bounds *bounds, sc_space_point a, sc_space_point b);

/** Two places, one of which every way to an object passes: before it on its road, and behind it. */
typedef struct sc_approach {
    sc_space_point spot[2];
    double way[2];       ///< from there to the object, along its road; HUGE_VAL: no way leads there
    sc_star_id star[2];  ///< the star there; SC_NONE: the road goes on
} sc_approach;

/**
 * To the place `offset` along `edge` on the roads of this map: by the ends of its segment, or by
 * nodes on the way to them if these are many edges away.
 */
sc_approach sc__approach_by_road(const sc_map *map, sc_edge_id edge, uint32_t offset);

/** To the same place on whatever roads: all that is known is where it lies. */
sc_approach sc__approach_by_position(const sc_map *map, sc_edge_id edge, uint32_t offset);

/** Whether an object may be as near as `distance` to the node at `from`, an end of a segment. */
bool sc__approach_allows(const sc_length_bounds *bounds, const sc_approach *approach,
                         sc_space_point from, double distance);

// === Objects that can be reached ================================================================
// Roads lead both ways, so what can be reached from a star is what lies in its component. The
// objects of every component are counted once per map, by category. A provider that answers with
// the map's own objects cannot list fewer of them, or more, than there are.

/** Zero-initialise; release with sc__object_counts_fini(). */
typedef struct sc_object_counts {
    sc_star_id *components;  ///< per star: the star that its component is called by
    sc_hash rows;            ///< (component, category) -> its place in `row_counts`
    uint32_t *row_counts;
    size_t row_count;
    size_t row_capacity;
} sc_object_counts;

/**
 * Count the objects of a map. Time O(stars + segments + objects), all but linear; memory 4 bytes
 * per star, and some for every category that a component has. A map without objects takes none.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__object_counts_init(sc_object_counts *counts, const sc_map *map);

void sc__object_counts_fini(sc_object_counts *counts);

/** How many objects can be reached from `star` that are of the categories of `request`. */
uint64_t sc__object_counts_reachable(const sc_object_counts *counts, sc_star_id star,
                                     const sc_request *request);

#endif
