/**
 * @file stretch.h
 * @brief A piece of one segment, driven in one direction: how long it takes, and where one is.
 *
 * Uses: travel/routes. Used by: travel/trips.
 */
#ifndef SC_TRAVEL_STRETCH_H
#define SC_TRAVEL_STRETCH_H

#include "travel/routes.h"

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

#endif
