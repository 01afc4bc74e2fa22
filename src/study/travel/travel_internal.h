/**
 * @file travel_internal.h
 * @brief What walks and trips share, and the parts of both that have tests of their own.
 */
#ifndef SC_TRAVEL_TRAVEL_INTERNAL_H
#define SC_TRAVEL_TRAVEL_INTERNAL_H

#include "base/rng.h"
#include "travel/movement.h"
#include "travel/routes.h"

/** Paces lie between these. */
#define SC__PACE_MIN 0.7
#define SC__PACE_MAX 1.3

/** How fast a traveller drives, as a part of the usual speed: normal around 1, deviation 0.1. */
double sc__pace_draw(sc_rng *rng);

/** Whether so many travellers can be on that map; SC_EINVAL with a reason if not. */
SC_CHECKED sc_err sc__movement_check(const sc_map *map, uint32_t count, sc_diag *diag);

/** The name of a traveller without one: "u" and its number. */
const char *sc__movement_number_name(const sc_movement *movement, uint32_t who, char room[32]);

/**
 * For a table in which things of one kind stand side by side: of how many there are of each kind,
 * make where those of it begin. A thing then goes to counts[its kind]++; so in the end that is
 * where those of the kind stop.
 */
void sc__counts_to_starts(uint32_t *counts, uint32_t kind_count);

// === Stretches (trips.c) ========================================================================
// A piece of one segment, driven in one direction: how long it takes, and where one is.

/** From one place to another on the same segment, over the edges between them. */
typedef struct sc__stretch {
    sc_place from;
    sc_place to;
    bool is_backwards;  ///< against the edges of the segment; then `to` stands before `from`
} sc__stretch;

/** A whole segment. */
sc__stretch sc__stretch_whole(const sc_map *map, sc_leg leg);

/** The straight way between two places of a segment. */
sc__stretch sc__stretch_between(sc_place from, sc_place to);

/** How long it takes, at a pace of 1; milliseconds. */
double sc__stretch_ms(const sc_map *map, const sc_routes *routes, const sc__stretch *stretch);

/** Where one is after so many of these milliseconds; `to` if they are as many or more. */
sc_place sc__stretch_at(const sc_map *map, const sc_routes *routes, const sc__stretch *stretch,
                        double ms);

// === Driving along the roads at random (walk.c) =================================================

/** A driver on a road. */
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
