/**
 * @file regions.h
 * @brief The roads in reach of a star: what a query without a star set may take its cloak from.
 *
 * The region of a star for some hops is seg(ball(star, hops)). It is listed by hops (those of a
 * segment are the fewer of its ends'), then by id; so a region of fewer hops is the front of one of
 * more, and a star needs one list for all who ask. A small hash table beside it says how far a star
 * is. Both live while somebody holds the region: queries try many times, and all of those tries
 * read them.
 *
 * Used by: per_query.c, per_query_try.c, mates.c, sampling.c, expansion.c.
 */
#ifndef SC_BASELINES_REGIONS_H
#define SC_BASELINES_REGIONS_H

#include "engine/ball.h"

/** A star, and how far it is. */
typedef struct sc__far {
    sc_star_id star;  ///< SC_NONE: an empty place
    uint32_t hops;
} sc__far;

typedef struct sc__region {
    uint32_t holder_count;
    uint32_t depth;     ///< `upto` goes from 0 to depth
    bool is_complete;   ///< the whole component: reaches any number of hops
    uint32_t far_mask;  ///< places in the table less 1; they are a power of two
    sc__far *far;       ///< open addressing by the low bits of the id
    uint32_t *upto;     ///< segments within so many hops
    sc_seg_id *segments;
} sc__region;

/** The regions that somebody holds. Zero-initialise; sc__regions_fini() when done. */
typedef struct sc__regions {
    sc__region **of_star;  ///< by star; NULL: nobody holds it
    uint32_t star_count;
    sc__numbers seen;  ///< segments of the region that is being made
} sc__regions;

SC_CHECKED sc_err sc__regions_init(sc__regions *regions, const sc_map *map);
void sc__regions_fini(sc__regions *regions);

/** Hold the region of `star`, and let it reach as far as `hops` at least. */
SC_CHECKED sc_err sc__region_hold(sc_engine *engine, sc__regions *regions, sc_star_id star,
                                  uint32_t hops);

/** Let it go. */
void sc__region_release(sc__regions *regions, sc_star_id star);

/** How many segments of `region` are within `hops`; it must reach that far. */
static inline uint32_t sc__region_count(const sc__region *region, uint32_t hops)
{
    return region->upto[hops < region->depth ? hops : region->depth];
}

/** Whether a star is within `hops`; the region must reach that far. */
static inline bool sc__region_has_star(const sc__region *region, sc_star_id star, uint32_t hops)
{
    uint32_t at = star & region->far_mask;
    while (region->far[at].star != star) {
        if (region->far[at].star == SC_NONE) return false;
        at = (at + 1) & region->far_mask;
    }
    return region->far[at].hops <= hops;
}

/** Whether a segment is within `hops`. */
static inline bool sc__region_has(const sc__region *region, const sc_segment *segment,
                                  uint32_t hops)
{
    return sc__region_has_star(region, segment->star_a, hops) ||
           (segment->star_b != SC_NONE && sc__region_has_star(region, segment->star_b, hops));
}

/** How many different end stars a segment has: star_a, and perhaps star_b. */
static inline unsigned sc__end_count(const sc_segment *segment)
{
    return segment->star_b == SC_NONE || segment->star_b == segment->star_a ? 1 : 2;
}

/** End 0 or 1 of a segment. */
static inline sc_star_id sc__end_star(const sc_segment *segment, unsigned end)
{
    return end == 0 ? segment->star_a : segment->star_b;
}

#endif
