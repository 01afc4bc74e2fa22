/**
 * @file ruled_town.h
 * @brief Small maps of every kind with a density, and sets of stars in them as cloaks have them.
 */
#ifndef SC_TESTS_UNIT_ATTACK_RULED_TOWN_H
#define SC_TESTS_UNIT_ATTACK_RULED_TOWN_H

#include "support/check.h"
#include "support/odd_town.h"
#include "support/slow_demand.h"

/** A town with a density, and both ways to look at it. */
typedef struct ruled_town {
    odd_town town;
    slow_roads roads;
    sc_density *density;
    uint64_t *numbers;  ///< of the density, by segment
    bool *stars;        ///< of the cloak at hand
    bool *wanted;       ///< roads, by segment
} ruled_town;

/** Small numbers, so that many are equal, and some busy roads. */
static inline sc_density *draw_traffic(sc_rng *rng, const sc_map *map)
{
    const uint32_t segment_count = sc_map_segment_count(map);
    uint64_t *counts = test_take(segment_count, sizeof *counts);
    for (sc_seg_id s = 0; s < segment_count; s++) {
        counts[s] = sc_rng_below(rng, 8);
        if (sc_rng_below(rng, 4) == 0) counts[s] *= 9;
    }
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_counted(map, counts, &density), NULL);
    free(counts);
    return density;
}

static inline ruled_town ruled_town_new(uint64_t seed)
{
    ruled_town on = {.town = odd_town_new(seed)};
    const sc_map *map = on.town.map;
    const uint32_t segment_count = sc_map_segment_count(map);
    on.roads = slow_roads_new(map);
    on.density = draw_traffic(&on.town.rng, map);
    on.numbers = test_take(segment_count, sizeof *on.numbers);
    for (sc_seg_id s = 0; s < segment_count; s++) {
        on.numbers[s] = sc_density_numbers(on.density)[s];
    }
    on.stars = test_take(sc_map_star_count(map), sizeof *on.stars);
    on.wanted = test_take(segment_count, sizeof *on.wanted);
    return on;
}

static inline void ruled_town_free(ruled_town *on)
{
    free(on->stars);
    free(on->wanted);
    free(on->numbers);
    sc_density_free(on->density);
    slow_roads_free(&on->roads);
    odd_town_free(&on->town);
}

/** Some stars around one of them; those far away are there, too, now and then. */
static inline void draw_stars(ruled_town *on)
{
    sc_rng *rng = &on->town.rng;
    const uint32_t star_count = on->roads.star_count;
    const sc_star_id centre = sc_rng_below(rng, star_count);
    const uint32_t around = sc_rng_below(rng, 4);
    const bool strays = sc_rng_below(rng, 6) == 0;
    for (sc_star_id x = 0; x < star_count; x++) {
        const uint32_t hops = slow_hops(&on->roads, centre, x);
        const bool is_near = hops != SC_NONE && hops <= around;
        on->stars[x] = x == centre || (is_near && sc_rng_below(rng, 4) > 0) ||
                       (strays && sc_rng_below(rng, 8) == 0);
    }
}

/** All roads at the stars, ascending; free(). */
static inline uint32_t *ids_of_roads(const ruled_town *on, size_t *count)
{
    bool *flags = test_take(on->roads.segment_count, sizeof *flags);
    for (sc_seg_id s = 0; s < on->roads.segment_count; s++) {
        flags[s] = slow_touches(&on->roads, on->stars, s);
    }
    uint32_t *ids = slow_ids(flags, on->roads.segment_count, count);
    free(flags);
    return ids;
}

#endif
