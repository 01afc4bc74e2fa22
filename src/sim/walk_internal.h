/**
 * @file walk_internal.h
 * @brief Driving along the roads at random.
 *
 * A driver follows its road at the speed of the road's class, faster or slower by
 * its own pace. At a junction it takes any of the other roads, each with the same
 * chance; it turns round only at a dead end. A road that returns to its junction
 * counts there as two.
 *
 * Places are whole units of the map's lengths, so that a walk adds up exactly and
 * is the same on every machine. A map whose lengths are in unknown units is
 * driven as if they were metres.
 *
 * Used by: travellers.
 */
#ifndef SC_SIM_WALK_INTERNAL_H
#define SC_SIM_WALK_INTERNAL_H

#include <starcloak/map.h>
#include <starcloak/rng.h>

/** Somebody on a road. */
typedef struct sc__driver {
    sc_edge_id edge;
    uint32_t offset;  ///< units from the edge's `from`
    float pace;       ///< of the road's speed; negative while driving towards `from`
} sc__driver;

/** Paces lie between these. */
#define SC__PACE_MIN 0.7
#define SC__PACE_MAX 1.3

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

/** Metres per second on a road of that class at a pace of 1. */
double sc__road_speed_m_s(unsigned road_class);

/** Anywhere: an edge, a place on it, a direction and a pace, all at random. */
sc__driver sc__driver_anywhere(const sc__crossings *crossings, sc_rng *rng);

/**
 * Drive for `seconds`. Roads without length cost no time, and there may be rings of
 * nothing else; so after SC__MAX_ROADS_PASSED roads the driver rests until the end.
 */
void sc__drive(const sc__crossings *crossings, sc__driver *driver, double seconds, sc_rng *rng);

#endif
