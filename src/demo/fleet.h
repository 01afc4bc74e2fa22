/**
 * @file fleet.h
 * @brief Secret: the demo's travellers on the roads, and where each of them is at a moment.
 *
 * They exist twice, moved by the same numbers: once for those who ask, in the thread that asks, and
 * once for those who look, in theirs. Where a traveller is does not depend on who asked about it
 * before (travel/movement.h), so both see the same, and neither waits for the other. Fastest ways
 * are prepared once for both.
 *
 * Uses: travel, service (the grid of /v1/map). Used by: the files of this folder.
 */
#ifndef SC_DEMO_FLEET_H
#define SC_DEMO_FLEET_H

#include "api/page_map.h"
#include "travel/trips.h"

/** Zero-initialise; sc__fleet_fini(). */
typedef struct sc__fleet {
    const sc_map *map;  ///< borrowed
    sc_road_book book;
    sc_movement *asking;   ///< of the thread that asks
    sc_movement *watched;  ///< of the thread that looks
    sc_page_grid grid;
} sc__fleet;

/**
 * @param map  borrowed; with coordinates
 * @return SC_OK, SC_EINVAL, SC_ELIMIT (a map too large for its numbers, or so wide that positions
 *         cannot be told), SC_ENOMEM
 */
SC_CHECKED sc_err sc__fleet_init(sc__fleet *fleet, const sc_map *map, uint32_t count, uint64_t seed,
                                 sc_diag *diag);

/** Harmless twice. */
void sc__fleet_fini(sc__fleet *fleet);

/**
 * Where everybody is at `t`, which must not be before the last look.
 *
 * @param at  x and y of each, in units of /v1/map from the south-west corner of its bounds, least
 *            byte first; -1, -1 if it is not on the road
 * @return SC_OK, SC_ENOMEM: look again later
 */
SC_CHECKED sc_err sc__fleet_look(sc__fleet *fleet, sc_time t, int32_t *at);

#endif
