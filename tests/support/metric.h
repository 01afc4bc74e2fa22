/**
 * @file metric.h
 * @brief How far it is along the roads, by comparing every node with every other.
 */
#ifndef SC_TESTS_SUPPORT_METRIC_H
#define SC_TESTS_SUPPORT_METRIC_H

#include <starcloak/map.h>

#include "support/check.h"
#include "travel/speeds.h"

#include <math.h>

/** Distances between all nodes of a small map, in metres; INFINITY where there is no way. */
typedef struct metric {
    const sc_map *map;
    double *between;  ///< [node][node]
} metric;

static inline double *metric_at(const metric *m, sc_node_id a, sc_node_id b)
{
    return &m->between[(size_t)a * sc_map_node_count(m->map) + b];
}

static inline metric metric_new(const sc_map *map)
{
    const uint32_t n = sc_map_node_count(map);
    metric m = {map, test_take((size_t)n * n, sizeof *m.between)};
    for (size_t i = 0; i < (size_t)n * n; i++) {
        m.between[i] = i / n == i % n ? 0.0 : HUGE_VAL;
    }
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        const double length_m = sc_map_edge_length_m(map, e);
        *metric_at(&m, edge->from, edge->to) = fmin(*metric_at(&m, edge->from, edge->to), length_m);
        *metric_at(&m, edge->to, edge->from) = fmin(*metric_at(&m, edge->to, edge->from), length_m);
    }
    for (sc_node_id via = 0; via < n; via++) {
        for (sc_node_id a = 0; a < n; a++) {
            for (sc_node_id b = 0; b < n; b++) {
                const double way = *metric_at(&m, a, via) + *metric_at(&m, via, b);
                if (way < *metric_at(&m, a, b)) *metric_at(&m, a, b) = way;
            }
        }
    }
    return m;
}

static inline void metric_free(metric *m)
{
    free(m->between);
}

/** A place on a road. */
typedef struct road_place {
    sc_edge_id edge;
    double offset_m;
} road_place;

/** The shortest way from one place to another. */
static inline double metric_between(const metric *m, road_place a, road_place b)
{
    const sc_edge *edge_a = &sc_map_edges(m->map)[a.edge];
    const sc_edge *edge_b = &sc_map_edges(m->map)[b.edge];
    const double rest_a = sc_map_edge_length_m(m->map, a.edge) - a.offset_m;
    const double rest_b = sc_map_edge_length_m(m->map, b.edge) - b.offset_m;
    double best = a.edge == b.edge ? fabs(a.offset_m - b.offset_m) : HUGE_VAL;
    best = fmin(best, a.offset_m + *metric_at(m, edge_a->from, edge_b->from) + b.offset_m);
    best = fmin(best, a.offset_m + *metric_at(m, edge_a->from, edge_b->to) + rest_b);
    best = fmin(best, rest_a + *metric_at(m, edge_a->to, edge_b->from) + b.offset_m);
    return fmin(best, rest_a + *metric_at(m, edge_a->to, edge_b->to) + rest_b);
}

/** How fast cars go on an edge by the map's times, from its `from`; HUGE_VAL if in no time. */
static inline double edge_m_s(const sc_map *map, sc_edge_id edge)
{
    const double seconds = sc_map_edge_times(map)[edge].forward * sc_map_time_unit_s(map);
    return seconds > 0 ? sc_map_edge_length_m(map, edge) / seconds : HUGE_VAL;
}

/** The speed on the fastest road of a map that is open both ways, at a pace of 1. */
static inline double fastest_m_s(const sc_map *map, sc_vehicle vehicle)
{
    double fastest = 0;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const unsigned road_class = sc_map_edge_classes(map)[e];
        const double share = sc_speed_m_s(vehicle, road_class) / sc_speed_m_s(SC_CAR, road_class);
        if (sc_map_edges(map)[e].length > 0) fastest = fmax(fastest, edge_m_s(map, e) * share);
    }
    return fastest;
}

#endif
