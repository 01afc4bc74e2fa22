/**
 * @file movement_internal.h
 * @brief What walks and trips have in common: a name, a pace, and how tables are filled.
 *
 * Used by: travel/walk, travel/trips.
 */
#ifndef SC_TRAVEL_MOVEMENT_INTERNAL_H
#define SC_TRAVEL_MOVEMENT_INTERNAL_H

#include "base/rng.h"
#include "travel/movement.h"

/** Paces lie between these. */
#define SC__PACE_MIN 0.7
#define SC__PACE_MAX 1.3

/** How fast somebody drives, as a part of what others do: normal around 1, deviation 0.1. */
double sc__pace_draw(sc_rng *rng);

/** Whether so many travellers can be on that map; SC_EINVAL with a reason if not. */
SC_CHECKED sc_err sc__movement_check(const sc_map *map, uint32_t count, sc_diag *diag);

/** The name of somebody made up: "u" and its number. */
const char *sc__movement_number_name(const sc_movement *movement, uint32_t who, char room[32]);

/**
 * For a table in which things of one kind stand side by side: of how many there are of each kind,
 * make where those of it begin. A thing then goes to counts[its kind]++; so in the end that is
 * where those of the kind stop.
 */
void sc__counts_to_starts(uint32_t *counts, uint32_t kind_count);

#endif
