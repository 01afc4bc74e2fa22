/**
 * @file order.h
 * @brief In which order roads join a cloak: drawn at random (sampling.c), or the nearest first
 *        (expansion.c).
 *
 * Used by: alone.c, alone_try.c.
 */
#ifndef SC_ENGINE_ORDER_H
#define SC_ENGINE_ORDER_H

#include "engine/region.h"

// --- Random sampling ------------------------------------------------------------

/** Roads that are being drawn. Zero-initialise; sc__draw_fini() when done. */
typedef struct sc__draw {
    sc_seg_id *roads;  ///< those drawn, in the order of drawing, then the rest
    size_t capacity;
    uint32_t count;
    uint32_t drawn_count;
} sc__draw;

void sc__draw_fini(sc__draw *draw);

/** Draw from `region` within `hops`, but for one road, which is taken already. */
SC_CHECKED sc_err sc__draw_begin(sc__draw *draw, const sc__region *region, uint32_t hops,
                                 sc_seg_id taken);

/** The next road, or SC_NONE when none is left. */
sc_seg_id sc__draw_next(sc__draw *draw, sc_rng *rng);

// --- Network expansion -----------------------------------------------------------

/** Roads in reach of one query, nearest first, as far as anybody has asked. Zero-initialise. */
typedef struct sc__nearest {
    sc_seg_id *roads;
    size_t capacity;
    uint32_t count;
    uint32_t all_count;  ///< so many there are, its own left out
} sc__nearest;

void sc__nearest_fini(sc__nearest *nearest);

/** Something to come to on a walk over the map. */
typedef struct sc__walk_stop {
    uint64_t distance;  ///< twice as long as it is, so that half a road is a whole number
    uint32_t id;
    bool is_road;  ///< its midpoint; else a star
} sc__walk_stop;

/** Stars before roads: behind a star there may be a road without length, no farther than it. */
static inline bool sc__walk_stop_is_before(sc__walk_stop a, sc__walk_stop b)
{
    if (a.distance != b.distance) return a.distance < b.distance;
    if (a.is_road != b.is_road) return b.is_road;
    return a.id < b.id;
}

#define SC_HEAP sc__walk_stops
#define SC_HEAP_ENTRY sc__walk_stop
#define SC_HEAP_IS_BEFORE(heap, a, b) sc__walk_stop_is_before(a, b)
#include "base/heap_template.h"

/** Working memory of walks. Zero-initialise; sc__walks_fini() when done. */
typedef struct sc__walks {
    sc__numbers stars;  ///< that the walk has seen
    uint64_t *distances;
    size_t distance_capacity;
    sc__numbers roads;  ///< of the region, that it has seen
    sc__walk_stops stops;
} sc__walks;

void sc__walks_fini(sc__walks *walks);

/** Whose roads are asked for: on which segment, and what is in reach of its ends. */
typedef struct sc__reach {
    sc_seg_id segment;
    uint32_t max_hops;
    const sc__region *regions[2];  ///< NULL where there is no second end
} sc__reach;

/**
 * The road at place `at` of all in `reach` of either end, nearest first.
 *
 * @param nearest  what is known of it; always given with the same reach
 * @param out      SC_NONE if there are not as many
 */
SC_CHECKED sc_err sc__nearest_at(const sc_engine *engine, sc__walks *walks, const sc__reach *reach,
                                 sc__nearest *nearest, uint32_t at, sc_seg_id *out);

#endif
