/**
 * @file sighting_check.h
 * @brief Whether what an adversary is shown of a cloak makes sense.
 *
 * It comes from outside, and whatever replays it relies on it: segments of the map, ascending, and
 * members that can be put onto them.
 *
 * Uses: base, map, attack.h. Used by: attack/adversary.
 */
#ifndef SC_ATTACK_SIGHTING_CHECK_H
#define SC_ATTACK_SIGHTING_CHECK_H

#include <starcloak/attack.h>

/**
 * What is refused is told without a segment: the sentence may end up in a log.
 *
 * @return SC_OK, SC_EINVAL, SC_EUNKNOWN (a segment that the map does not have)
 */
SC_CHECKED sc_err sc__sighting_check(const sc_map *map, const sc_sighting *sighting, sc_diag *diag);

#endif
