/**
 * @file routes_internal.h
 * @brief The contraction hierarchy that fastest routes are found in.
 *
 * contraction.c builds it from the star graph (star_graph.c), routes.c searches it.
 *
 * What always holds:
 *  1. An arc's time is that of a way in the star graph, spelled out by following `via`; so no
 *     search can find a time that is too small.
 *  2. When a star is taken out, from each of its neighbours to each other there remains among the
 *     stars that are left a way as fast as the one over it; so no search misses the least time.
 *  3. The arcs that a star has when it is taken out are those that remain of it. They lead to stars
 *     taken out later, of higher rank, and between two stars there is one at most.
 *  4. No fastest way takes longer than `longest_ms`, which fits in 32 bits. What would take longer
 *     is left out, and so no sum overflows that is made in 64 bits.
 */
#ifndef SC_TRAVEL_ROUTES_INTERNAL_H
#define SC_TRAVEL_ROUTES_INTERNAL_H

#include "travel/routes.h"

#include <stdbool.h>
#include <stdint.h>

// === A priority queue of stars, the least number first =========================================
// A number and a star are one key of 64 bits, so that comparing is one instruction and equal
// numbers go by the star: the order is the same on every machine. Entries are never changed: a star
// with a new number is added again, and the older entry is skipped when it is taken out. Four
// children per entry: fewer levels than with two, and half a cache line.

#define SC_HEAP sc__star_queue
#define SC_HEAP_ENTRY uint64_t
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a) < (b))
#define SC_HEAP_CHILDREN 4
#include "base/heap_template.h"

/** One entry, taken out. */
typedef struct sc__star_entry {
    uint32_t number;
    uint32_t star;
} sc__star_entry;

/** False when memory is out. */
static inline bool sc__star_queue_put(sc__star_queue *queue, uint32_t number, uint32_t star)
{
    if (!sc__star_queue_reserve(queue, queue->count + 1)) return false;
    sc__star_queue_push(queue, (uint64_t)number << 32 | star);
    return true;
}

/** The least number; there must be an entry. */
static inline uint32_t sc__star_queue_least(const sc__star_queue *queue)
{
    return (uint32_t)(queue->entries[0] >> 32);
}

/** Take the least out; there must be one. */
static inline sc__star_entry sc__star_queue_take(sc__star_queue *queue)
{
    const uint64_t least = sc__star_queue_pop(queue);
    return (sc__star_entry){(uint32_t)(least >> 32), (uint32_t)least};
}

/** A way from a star to another, of one segment or a shortcut. */
typedef struct sc__link {
    uint32_t ms;   ///< at least 1; SC__NEVER: there is none
    uint32_t via;  ///< a segment, or SC__SHORTCUT and the star (its rank) in the middle
} sc__link;

/** What joins a star to another, in at least one direction. */
typedef struct sc__arc {
    uint32_t to;  ///< a star; in the finished hierarchy its rank
    sc__link there;
    sc__link back;  ///< from `to`
} sc__arc;

#define SC__SHORTCUT 0x80000000u

/** In the finished hierarchy, with a segment: driven from its last node to its first. */
#define SC__BACKWARDS 0x40000000u

/** There are fewer segments, and fewer stars. */
#define SC__MOST_IDS SC__BACKWARDS

/** Larger than any time: of a road that is closed, or a star that is not reached. */
#define SC__NEVER SC_CLOSED

/** No segment takes longer, nor does the fastest way from some star of a part to any other; so that
 * a way there and on to somewhere else fits in 32 bits with its ends. Twelve days. */
#define SC__MOST_MS 0x3fffffffu

struct sc_routes {
    const sc_map *map;                        ///< borrowed
    bool ignores_directions;                  ///< one-way streets are open both ways
    double ms_per_time[SC_ROAD_CLASS_COUNT];  ///< of a unit of the map's times, for the vehicle
    sc_travel_times *segment_ms;              ///< SC__NEVER: not open that way
    uint32_t *parts;                          ///< by star
    uint32_t part_count;
    uint32_t longest_ms;

    // The hierarchy: stars by rank, each with its arcs to those above.
    uint32_t *rank_of;    ///< by star
    uint32_t *first_arc;  ///< by rank, one more
    sc__arc *arcs;
};

/**
 * How long it takes from the first node of its segment to a place, or backwards from the place to
 * the first node; at most the segment's time. Parts of the segment that are closed that way take
 * no time.
 */
uint32_t sc__place_ms(const sc_routes *routes, sc_place place, bool is_backwards);

// --- Building ------------------------------------------------------------------

/**
 * Number the connected parts, find the longest time, and contract all stars (contraction.c).
 * `routes` has the map, the times of its segments and room for the parts.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (a way takes too long)
 */
SC_CHECKED sc_err sc__routes_contract(sc_routes *routes, const sc_progress *progress);

#endif
