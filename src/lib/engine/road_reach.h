/**
 * @file road_reach.h
 * @brief Secret: which spans of roads are within a distance of other spans.
 *
 * Distances are along roads, both ways on each, in whole units of the map. A span includes both of
 * its ends. What a search leaves behind is wiped when it ends: spans tell where a user can be.
 */
#ifndef SC_ENGINE_ROAD_REACH_H
#define SC_ENGINE_ROAD_REACH_H

#include <starcloak/map.h>

/** A span of a segment, in units from the segment's first node: from <= to <= its length. */
typedef struct sc__road_span {
    sc_seg_id segment;
    uint32_t from;
    uint32_t to;
} sc__road_span;

/** A list of spans, by segment and then along it; no two of a segment touch. */
typedef struct sc__road_spans {
    sc__road_span *items;
    size_t count;
    size_t capacity;
} sc__road_spans;

/** Wipe and release; harmless twice. */
void sc__road_spans_fini(sc__road_spans *spans);

/** A star to be visited, so far from the spans. */
typedef struct sc__road_visit {
    uint64_t distance;
    sc_star_id star;
} sc__road_visit;

// The nearest on top. A star that is reached by a shorter way is put in again, and the older entry
// is skipped when it is taken out.
#define SC_HEAP sc__road_visits
#define SC_HEAP_ENTRY sc__road_visit
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).distance < (b).distance)
#define SC_HEAP_CHILDREN 4
#include "base/heap_template.h"

/** Searches on one map, one after the other. */
typedef struct sc__road_reach {
    const sc_map *map;    ///< borrowed
    uint64_t *distance;   ///< by star: 1 more than that of the shortest way found; 0: none
    bool *is_wanted;      ///< by star: an end of a target that is not settled
    sc_star_id *touched;  ///< stars for which one of these two is set
    size_t touched_count;
    size_t touched_capacity;
    sc__road_visits visits;
} sc__road_reach;

/** SC_OK, SC_ENOMEM (there is nothing to release then). Memory O(stars), touched as needed. */
SC_CHECKED sc_err sc__road_reach_init(sc__road_reach *reach, const sc_map *map);

/** Harmless twice. */
void sc__road_reach_fini(sc__road_reach *reach);

/**
 * Find all of the `targets` that is within `within` of the spans `from`.
 *
 * @param targets  segments, ascending, each once
 * @param out      what it held is replaced; zero-initialise the first time
 * @return SC_OK, SC_ENOMEM (`out` then holds nothing)
 */
SC_CHECKED sc_err sc__road_reach_find(sc__road_reach *reach, const sc__road_span *from,
                                      size_t from_count, uint64_t within, const sc_seg_id *targets,
                                      size_t target_count, sc__road_spans *out);

#endif
