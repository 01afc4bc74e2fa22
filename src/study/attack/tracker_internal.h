/**
 * @file tracker_internal.h
 * @brief Where a driver can be after so much time: a bounded search over the star graph.
 *
 * The time from one segment to another is that of the fastest way from an end by which one may
 * leave the one to an end by which one may enter the other, along roads in the directions in which
 * they are open; 0 if they share such an end. Where on its segment a driver is, is unknown, so the
 * rest of it costs no time: a search finds too much rather than too little. A dead end leads
 * nowhere else, so ends that count are stars; a component without an intersection is one segment,
 * and only itself is within its reach.
 *
 * Times of segments are whole microseconds, rounded down, so that sums of them do not depend on
 * their order and a way that takes exactly as long as there is time is within reach.
 *
 * What a search costs depends on what is within reach, not on the size of the map: marks hold the
 * number of the search that set them and are never cleared.
 */
#ifndef SC_ATTACK_TRACKER_INTERNAL_H
#define SC_ATTACK_TRACKER_INTERNAL_H

#include <starcloak/map.h>

/** When a search first came to a star. */
typedef struct sc__reached_star {
    uint64_t us;      ///< from where it began
    uint32_t search;  ///< that came there; 0: none yet
} sc__reached_star;

/** A star to be visited. */
typedef struct sc__reach_entry {
    uint64_t us;
    sc_star_id star;
} sc__reach_entry;

// The soonest on top. Entries are never changed: a star that is reached sooner is put in again, and
// the older entry is skipped when it is taken out.
#define SC_HEAP sc__reach_queue
#define SC_HEAP_ENTRY sc__reach_entry
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).us < (b).us)
#include "base/heap_template.h"

/** How long it takes to drive a segment: forward, backward. */
typedef struct sc__segment_us {
    uint64_t by_way[2];
} sc__segment_us;

/** Searches on one map, one after the other. Zero-initialise; sc__reach_fini() when done. */
typedef struct sc__reach_search {
    const sc_map *map;      ///< borrowed
    bool ignores_one_ways;  ///< all roads are open both ways
    sc__segment_us *segment_us;
    uint32_t search;  ///< the current one, from 1

    sc__reached_star *stars;
    uint32_t *marks;  ///< by segment: the search that found it

    // What the current search has found, each once, the soonest first.
    sc_seg_id *found;
    size_t found_count;
    size_t found_capacity;

    sc__reach_queue queue;
} sc__reach_search;

/**
 * @param map            borrowed; must outlive the searches
 * @param top_speed_m_s     above 0: on every road; 0: a car in free flow, by the map's times
 * @param ignores_one_ways  drive one-way streets both ways, as long
 * @return SC_OK, SC_ENOMEM (there is nothing to release then)
 */
SC_CHECKED sc_err sc__reach_init(sc__reach_search *reach, const sc_map *map, double top_speed_m_s,
                                 bool ignores_one_ways);

/** Harmless twice. */
void sc__reach_fini(sc__reach_search *reach);

/**
 * Find all segments within `within_us` of `from`, itself among them. They are in `found` until the
 * next search.
 *
 * @return SC_OK, SC_ENOMEM (then a part of them)
 */
SC_CHECKED sc_err sc__reach_find(sc__reach_search *reach, sc_seg_id from, uint64_t within_us);

/** How long an edge takes one way, in the map's units of time; SC_CLOSED: it is not open. */
static inline uint32_t sc__reach_edge_time(const sc__reach_search *reach, sc_edge_id edge,
                                           bool is_backward)
{
    const sc_travel_times times = sc_map_edge_times(reach->map)[edge];
    const uint32_t time = is_backward ? times.backward : times.forward;
    if (time != SC_CLOSED || !reach->ignores_one_ways) return time;
    return is_backward ? times.forward : times.backward;
}

/** Whether the last search found this segment. */
static inline bool sc__reach_has(const sc__reach_search *reach, sc_seg_id segment)
{
    return reach->marks[segment] == reach->search;
}

#endif
