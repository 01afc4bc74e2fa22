/**
 * @file walk.h
 * @brief Travellers who turn at random: for maps so large that finding ways would take too long.
 *
 * A driver follows its road at the speed of the road's class, faster or slower by
 * its own pace. At a junction it takes any of the other roads, each with the same
 * chance; it turns round only at a dead end. A road that returns to its junction
 * counts there as two.
 *
 * Places are whole units of the map's lengths, so that a walk adds up exactly and
 * is the same on every machine. A map whose lengths are in unknown units is
 * driven as if they were metres.
 */
#ifndef SC_TRAVEL_WALK_H
#define SC_TRAVEL_WALK_H

#include "travel/movement.h"

/**
 * Put `count` travellers (1 to SC_TRAVELLERS_MAX) on random places.
 *
 * @return SC_OK, SC_EINVAL, SC_ELIMIT (too many edges), SC_ENOMEM
 */
SC_CHECKED sc_err sc_walk_new(const sc_map *map, uint32_t count, uint64_t seed, sc_movement **out,
                              sc_diag *diag);

#endif
