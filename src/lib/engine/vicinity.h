/**
 * @file vicinity.h
 * @brief The vicinity of a search: at most 64 numbered stars, their roads, and which of them
 * are near each other, so that a set of them is one word.
 *
 * An engine with strict demands or with traffic tests many sets of stars in one search, most of
 * them in vain, and they have most stars in common. So the roads of every star are listed once,
 * with the number of the star at their other end, and which stars are within 0, 1, 2, ... hops of
 * one is found out once. A test of a set is then sums and bits, without looking a star up.
 *
 * Where there are more stars there is none (`is_in_use`); with classes of places, or traffic to one
 * of three or four, roads are tested by demand.h (`tests_roads`). Both give the same answers.
 */
#ifndef SC_ENGINE_VICINITY_H
#define SC_ENGINE_VICINITY_H

#include "engine/covered_set.h"

/** As many stars as a word has bits. */
enum { SC__VICINITY_MAX = 64 };

/** Within so many hops it is kept which stars are near which others. */
enum { SC__NEAR_HOPS = 14 };

/** A star of the vicinity. */
typedef struct sc__near_star {
    uint64_t linked;   ///< other stars of the vicinity that share a road with it
    uint64_t traffic;  ///< the sum of the densities of its roads
    uint32_t busiest;  ///< the largest
    uint32_t first_road;
    uint32_t road_count;
    uint32_t near_hops;  ///< 1 + how far it is known which others are near; 0: it is not
} sc__near_star;

/** By number, the stars that are within some hops. */
typedef struct sc__near_masks {
    uint64_t of[SC__VICINITY_MAX];
} sc__near_masks;

/** A road of a star. */
typedef struct sc__near_road {
    uint64_t other;    ///< the star at its other end, as a bit; 0: not in the vicinity, or none
    uint64_t density;  ///< 1 where traffic is not asked
} sc__near_road;

/** Zero-initialise; sc__vicinity_fini(). */
typedef struct sc__vicinity {
    bool is_in_use;        ///< the stars are numbered, and their distances can be measured
    bool tests_roads;      ///< sets of roads can be tested, too
    uint32_t count;        ///< of stars
    uint8_t *number_of;    ///< by star of the map: 1 + its number, or 0
    uint64_t *bit_of;      ///< by what `number_of` has: 0, then a bit for each number
    sc_star_id *ids;       ///< by number
    sc__near_star *stars;  ///< by number
    sc__near_masks *near;  ///< by hops, 0 to SC__NEAR_HOPS
    uint64_t listed;       ///< stars whose roads are in `roads`
    sc__near_road *roads;  ///< of a star one behind the other
    size_t road_count;
    size_t road_capacity;
} sc__vicinity;

void sc__vicinity_fini(sc__vicinity *around);

/** Stars were numbered, or some more were: the vicinity is these, if it is of use. */
SC_CHECKED sc_err sc__vicinity_begin(sc_engine *engine, sc__vicinity *around,
                                     const sc_star_id *stars);

/** Those of some stars of the map that are in the vicinity. */
static inline uint64_t sc__vicinity_mark(const sc__vicinity *around, const sc_star_id *stars,
                                         uint32_t count)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < count; i++) {
        mask |= around->bit_of[around->number_of[stars[i]]];
    }
    return mask;
}

// Sets of roads. The first test of a star lists its roads, for which there is room.

/** Whether the roads of the stars of `mask` meet `demand`. */
bool sc__vicinity_meets(const sc_engine *engine, sc__vicinity *around, uint64_t mask,
                        const sc__demand *demand);

/** How many roads the stars of `mask` have. */
size_t sc__vicinity_count(const sc_engine *engine, sc__vicinity *around, uint64_t mask);

/** How many roads of a star, listed before, are at no star of `others`. */
size_t sc__vicinity_sole(const sc__vicinity *around, uint32_t number, uint64_t others);

// How far stars are apart.

/** Find out for all stars of `mask` which others are within 0 to `max_hops` hops. */
SC_CHECKED sc_err sc__vicinity_measure(sc_engine *engine, sc__vicinity *around, uint64_t mask,
                                       uint32_t max_hops);

/** The stars of `mask` from which none of `mask` is farther than `max_hops`, which was measured. */
uint64_t sc__vicinity_possible(const sc__vicinity *around, uint64_t mask, uint32_t max_hops);

/** Of `from`, a part of `mask`, the stars from which the most of `mask` are farther than
 * `max_hops`, which was measured; 0: none is. */
uint64_t sc__vicinity_farthest(const sc__vicinity *around, uint64_t mask, uint64_t from,
                               uint32_t max_hops);

#endif
