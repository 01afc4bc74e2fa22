/**
 * @file slow_reach.h
 * @brief How long it takes from one segment to another, by its definition and slowly.
 *
 * Nodes and edges only, no stars: every edge is tried in both directions until nothing gets any
 * sooner (Bellman and Ford). The ends of a segment are the first node of its first edge and the
 * last node of its last one.
 */
#ifndef SC_TESTS_UNIT_ATTACK_SLOW_REACH_H
#define SC_TESTS_UNIT_ATTACK_SLOW_REACH_H

#include <starcloak/map.h>

#include "support/check.h"
#include "support/sketch.h"
#include "travel/speeds.h"

#include <math.h>

/** Times between all segments of a small map. */
typedef struct slow_reach {
    const sc_map *map;
    double top_speed_m_s;  ///< 0: by the class of road
    double *us;            ///< [segment][segment]; INFINITY where there is no way
} slow_reach;

static inline double slow_edge_us(const slow_reach *slow, sc_edge_id e)
{
    const double class_m_s = sc_speed_m_s(SC_CAR, sc_map_edge_classes(slow->map)[e]);
    const double speed_m_s = slow->top_speed_m_s > 0 ? slow->top_speed_m_s : class_m_s;
    // In this order whole millimetres at a metre per second are whole microseconds, exactly.
    const double unit_us = 1e6 * sc_map_unit_m(slow->map) / speed_m_s;
    return sc_map_edges(slow->map)[e].length * unit_us;
}

static inline sc_node_id slow_first_node(const sc_map *map, sc_seg_id s)
{
    return sc_map_edges(map)[sc_map_segments(map)[s].first_edge].from;
}

static inline sc_node_id slow_last_node(const sc_map *map, sc_seg_id s)
{
    return sc_map_edges(map)[sc_map_segments(map)[s + 1].first_edge - 1].to;
}

// Fill `node_us` with how long it takes from the nearer end of `from` to every node.
static inline void slow_from(const slow_reach *slow, sc_seg_id from, double *node_us)
{
    for (sc_node_id v = 0; v < sc_map_node_count(slow->map); v++) {
        node_us[v] = HUGE_VAL;
    }
    node_us[slow_first_node(slow->map, from)] = 0;
    node_us[slow_last_node(slow->map, from)] = 0;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (sc_edge_id e = 0; e < sc_map_edge_count(slow->map); e++) {
            const sc_edge *edge = &sc_map_edges(slow->map)[e];
            const double us = slow_edge_us(slow, e);
            if (node_us[edge->from] + us < node_us[edge->to]) {
                node_us[edge->to] = node_us[edge->from] + us;
                has_changed = true;
            }
            if (node_us[edge->to] + us < node_us[edge->from]) {
                node_us[edge->from] = node_us[edge->to] + us;
                has_changed = true;
            }
        }
    }
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
            slow.us[(size_t)from * n + to] =
                fmin(node_us[slow_first_node(map, to)], node_us[slow_last_node(map, to)]);
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
