/**
 * @file reply_bounds.h
 * @brief What the map alone allows of a reply: the least distances, and how many objects there are.
 */
#ifndef SC_ANSWER_REPLY_BOUNDS_H
#define SC_ANSWER_REPLY_BOUNDS_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

#include "base/hash.h"

// === The least cost of a way ====================================================================
// What a provider says of a way can be checked from below without a search. If every edge were as
// long as the straight line between its ends, no way could be shorter than the line between its
// own. Real maps are a little off: lengths and coordinates are rounded, and short edges suffer
// most. So for a few shares c below 1 we add up by how much edges fall short of c times their
// straight line, over the whole map. A shortest way uses no edge twice, in whichever direction,
// hence
//
//     length of the way  >=  c * straight line  -  what all edges together fall short of at c
//
// for every c, and the best of these is the bound. One edge that is far too short costs its own
// few centimetres in this way, and not a share of every distance.
//
// For times the same holds with the time that the straight line takes at 130 km/h, of an edge in
// its quicker direction: roads on which one is faster fall short.
//
// Straight lines go through the earth, in space: that is cheaper than along its surface, never
// longer, and at 1,000 km shorter by one part in a thousand.

/** How many shares are tried, the smallest that any edge has among them. */
enum { SC_BOUND_SHARES = 10 };

typedef struct sc_cost_bounds {
    sc_metric metric;
    double pace;  ///< what a unit of straight line costs
    double shares[SC_BOUND_SHARES];
    double missing[SC_BOUND_SHARES];  ///< what all edges together fall short of, in units
    double total;                     ///< the cost of all edges, in units: no way costs more
} sc_cost_bounds;

/** A place in space, in units of the map. On maps without coordinates all are the same. */
typedef struct sc_space_point {
    double x;
    double y;
    double z;
} sc_space_point;

/** Time O(edges). */
sc_cost_bounds sc__cost_bounds_of(const sc_map *map, sc_metric metric);

sc_space_point sc__space_point_of(const sc_map *map, sc_node_id node);

/** No way between two nodes costs less than this. */
double sc__cost_bounds_least(const sc_cost_bounds *bounds, sc_space_point a, sc_space_point b);

/** Two places, one of which every way to an object passes: before it on its road, and behind it. */
typedef struct sc_approach {
    sc_space_point spot[2];
    /** What it takes from there to the object, along its road, in each metric; HUGE_VAL: one may
     * not drive there that way. */
    double way[SC_METRIC_COUNT][2];
    sc_star_id star[2];  ///< the star there; SC_NONE: the road goes on
} sc_approach;

/**
 * To the place `offset` along `edge` on the roads of this map: by the ends of its segment, or by
 * nodes on the way to them if these are many edges away.
 */
sc_approach sc__approach_by_road(const sc_map *map, sc_edge_id edge, uint32_t offset);

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
