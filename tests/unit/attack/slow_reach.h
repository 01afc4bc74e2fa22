/**
 * @file slow_reach.h
 * @brief How long it takes from one segment to another, by its definition and slowly.
 *
 * Nodes and edges only, no stars: every edge is tried in the directions in which it is open until
 * nothing gets any sooner (Bellman and Ford). The ends of a segment are the first node of its first
 * edge and the last node of its last one.
 */
#ifndef SC_TESTS_UNIT_ATTACK_SLOW_REACH_H
#define SC_TESTS_UNIT_ATTACK_SLOW_REACH_H

#include <starcloak/map.h>

#include "support/check.h"
#include "support/sketch.h"

#include <math.h>

/** Times between all segments of a small map. */
typedef struct slow_reach {
    const sc_map *map;
    double top_speed_m_s;  ///< 0: by the map's times
    double *us;            ///< [segment][segment]; INFINITY where there is no way
} slow_reach;

static inline double slow_edge_us(const slow_reach *slow, sc_edge_id e, bool is_backward)
{
    const sc_travel_times times = sc_map_edge_times(slow->map)[e];
    const uint32_t time = is_backward ? times.backward : times.forward;
    if (time == SC_CLOSED) return HUGE_VAL;
    if (slow->top_speed_m_s <= 0) return time * sc_map_time_unit_s(slow->map) * 1e6;
    // In this order whole millimetres at a metre per second are whole microseconds, exactly.
    const double unit_us = 1e6 * sc_map_unit_m(slow->map) / slow->top_speed_m_s;
    return sc_map_edges(slow->map)[e].length * unit_us;
}

static inline bool slow_is_open(const sc_map *map, sc_edge_id e, bool is_backward)
{
    const sc_travel_times times = sc_map_edge_times(map)[e];
    return (is_backward ? times.backward : times.forward) != SC_CLOSED;
}

static inline sc_node_id slow_first_node(const sc_map *map, sc_seg_id s)
{
    return sc_map_edges(map)[sc_map_segments(map)[s].first_edge].from;
}

static inline sc_node_id slow_last_node(const sc_map *map, sc_seg_id s)
{
    return sc_map_edges(map)[sc_map_segments(map)[s + 1].first_edge - 1].to;
}

// Fill `node_us` with how long it takes to every node from the nearer end of `from` by which one
// may leave it.
static inline void slow_from(const slow_reach *slow, sc_seg_id from, double *node_us)
{
    const sc_segment *road = &sc_map_segments(slow->map)[from];
    for (sc_node_id v = 0; v < sc_map_node_count(slow->map); v++) {
        node_us[v] = HUGE_VAL;
    }
    if (slow_is_open(slow->map, road[0].first_edge, true)) {
        node_us[slow_first_node(slow->map, from)] = 0;
    }
    if (slow_is_open(slow->map, road[1].first_edge - 1, false)) {
        node_us[slow_last_node(slow->map, from)] = 0;
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (sc_edge_id e = 0; e < sc_map_edge_count(slow->map); e++) {
            const sc_edge *edge = &sc_map_edges(slow->map)[e];
            const double us = slow_edge_us(slow, e, false);
            const double back_us = slow_edge_us(slow, e, true);
            if (node_us[edge->from] + us < node_us[edge->to]) {
                node_us[edge->to] = node_us[edge->from] + us;
                has_changed = true;
            }
            if (node_us[edge->to] + back_us < node_us[edge->from]) {
                node_us[edge->from] = node_us[edge->to] + back_us;
                has_changed = true;
            }
        }
    }
}

// How soon one can enter a segment, given when one is at every node.
static inline double slow_entry(const sc_map *map, sc_seg_id to, const double *node_us)
{
    const sc_segment *road = &sc_map_segments(map)[to];
    double us = HUGE_VAL;
    if (slow_is_open(map, road[0].first_edge, false)) us = node_us[slow_first_node(map, to)];
    if (slow_is_open(map, road[1].first_edge - 1, true)) {
        us = fmin(us, node_us[slow_last_node(map, to)]);
    }
    return us;
}

static inline double slow_us(const slow_reach *slow, sc_seg_id from, sc_seg_id to)
{
    return slow->us[(size_t)from * sc_map_segment_count(slow->map) + to];
}

static inline slow_reach slow_reach_new(const sc_map *map, double top_speed_m_s)
{
    const uint32_t n = sc_map_segment_count(map);
    slow_reach slow = {map, top_speed_m_s, test_take((size_t)n * n, sizeof *slow.us)};
    double *node_us = test_take(sc_map_node_count(map), sizeof *node_us);
    for (sc_seg_id from = 0; from < n; from++) {
        slow_from(&slow, from, node_us);
        for (sc_seg_id to = 0; to < n; to++) {
            slow.us[(size_t)from * n + to] = to == from ? 0.0 : slow_entry(map, to, node_us);
        }
    }
    free(node_us);
    return slow;
}

static inline void slow_reach_free(slow_reach *slow)
{
    free(slow->us);
}

/** The segment between two letters of a picture; there must be one. */
static inline sc_seg_id segment_between(const sketch *s, const sc_map *map, char a, char b)
{
    const uint32_t from = sketch_node(s, a);
    const uint32_t to = sketch_node(s, b);
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        const sc_node_id first = slow_first_node(map, i);
        const sc_node_id last = slow_last_node(map, i);
        if ((first == from && last == to) || (first == to && last == from)) return i;
    }
    fail();
    return SC_NONE;
}

#endif
