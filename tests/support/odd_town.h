/**
 * @file odd_town.h
 * @brief Maps with objects that were made to be answered wrongly, and what answers on them.
 *
 * By seed: something odd (sketch_odd()), a named picture, a grid in which nearly all distances tie,
 * a tangle of up to forty junctions with loops, double roads, chains, dead ends and islands, or a
 * tangle so wide that distances need more than 32 bits. Objects are put by odd_objects_put().
 */
#ifndef SC_TESTS_SUPPORT_ODD_TOWN_H
#define SC_TESTS_SUPPORT_ODD_TOWN_H

#include <starcloak/lbs.h>
#include <starcloak/objects.h>

#include "base/rng.h"
#include "support/slow_nearest.h"

/** What kinds of maps there are, one after the other. */
enum { ODD_TOWN_KINDS = 8 };

typedef struct odd_town {
    sc_rng rng;  ///< what is drawn next comes from here
    sc_map *map;
    sc_objects *objects;  ///< the map's own
    slow_nearest slow;
} odd_town;

/** Release with odd_town_free(). The objects have no index. */
odd_town odd_town_new(uint64_t seed);
void odd_town_free(odd_town *town);

/**
 * A tangle on the globe whose roads can be told by their shapes: lengths are those of the lines,
 * and no two roads have the same points.
 */
odd_town odd_town_drawn(uint64_t seed);

/** Give the objects an index, of 1 to 8 objects per list, sometimes without room for all lists. */
void odd_town_index(odd_town *town);

/** Someone who answers whatever is asked, however far. */
sc_lbs *odd_town_lbs(const odd_town *town, bool without_index);

#endif
