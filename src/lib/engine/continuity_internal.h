/**
 * @file continuity_internal.h
 * @brief Secret: what is kept of a user's last cloak, for tests.
 */
#ifndef SC_ENGINE_CONTINUITY_INTERNAL_H
#define SC_ENGINE_CONTINUITY_INTERNAL_H

#include <starcloak/continuity.h>

#include "engine/road_reach.h"

/** Where the user of that pseudonym can have been when it asked for its last cloak; lent until the
 * next call that changes something. NULL: there is no such cloak. */
const sc__road_span *sc__continuity_places(const sc_continuity *continuity, uint64_t user,
                                           size_t *count);

#endif
