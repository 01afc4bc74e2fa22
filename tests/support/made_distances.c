// Distances between all nodes, and what follows from them. See made_distances.h.
#include "support/made_distances.h"

#include "support/check.h"

#include <math.h>

static double *cell(const made_distances *d, sc_node_id from, sc_node_id to)
{
    return &d->between[(size_t)from * sc_map_node_count(d->map) + to];
}

// What a part of an edge costs in the direction of the edge, or backwards; HUGE_VAL: closed.
static double part_of_edge(const made_distances *d, sc_edge_id e, double part_m, bool backward)
{
    const sc_travel_times times = sc_map_edge_times(d->map)[e];
    const uint32_t units = backward ? times.backward : times.forward;
    if (units == SC_CLOSED) return HUGE_VAL;
    if (d->metric == SC_METRIC_DISTANCE) return part_m;
    const double length_m = sc_map_edge_length_m(d->map, e);
    return length_m > 0.0 ? units * sc_map_time_unit_s(d->map) * (part_m / length_m) : 0.0;
}

// From an end of its edge to an object. Its time is a whole number of units.
static double to_object(const made_distances *d, const sc_object *o, bool backward)
{
    const uint32_t length = sc_map_edges(d->map)[o->edge].length;
    const uint32_t part = backward ? length - o->offset : o->offset;
    const sc_travel_times times = sc_map_edge_times(d->map)[o->edge];
    const uint32_t units = backward ? times.backward : times.forward;
    if (part == 0) return 0.0;
    if (units == SC_CLOSED) return HUGE_VAL;
    if (d->metric == SC_METRIC_DISTANCE) return part * sc_map_unit_m(d->map);
    return nearbyint(units * ((double)part / length)) * sc_map_time_unit_s(d->map);
}

made_distances made_distances_new(const sc_map *map)
{
    return made_distances_by(map, SC_METRIC_DISTANCE);
}

made_distances made_distances_by(const sc_map *map, sc_metric metric)
{
    const uint32_t n = sc_map_node_count(map);
    made_distances d = {
        .map = map, .metric = metric, .between = test_take((size_t)n * n, sizeof(double))};
    for (sc_node_id v = 0; v < n; v++) {
        for (sc_node_id w = 0; w < n; w++) {
            *cell(&d, v, w) = v == w ? 0.0 : HUGE_VAL;
        }
    }
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        const double length_m = sc_map_edge_length_m(map, e);
        double *ahead = cell(&d, edge->from, edge->to);
        double *behind = cell(&d, edge->to, edge->from);
        *ahead = fmin(*ahead, part_of_edge(&d, e, length_m, false));
        *behind = fmin(*behind, part_of_edge(&d, e, length_m, true));
    }
    for (sc_node_id via = 0; via < n; via++) {
        for (sc_node_id v = 0; v < n; v++) {
            for (sc_node_id w = 0; w < n; w++) {
                *cell(&d, v, w) = fmin(*cell(&d, v, w), *cell(&d, v, via) + *cell(&d, via, w));
            }
        }
    }
    return d;
}

void made_distances_free(made_distances *distances)
{
    free(distances->between);
    distances->between = NULL;
}

// From a point of an edge straight to an object on it.
static double straight_there(const made_distances *d, sc_edge_id edge, double offset_m,
                             const sc_object *o)
{
    const double away_m = o->offset * sc_map_unit_m(d->map);
    const double length_m = sc_map_edge_length_m(d->map, edge);
    const bool is_open[2] = {!isinf(part_of_edge(d, edge, length_m, false)),
                             !isinf(part_of_edge(d, edge, length_m, true))};
    double best = HUGE_VAL;
    // What it takes to the object, less what it takes to the point, from the same end.
    const double slack_m = 1e-9 * length_m;
    if (is_open[0] && away_m >= offset_m - slack_m) {
        best = to_object(d, o, false) - part_of_edge(d, edge, offset_m, false);
    }
    if (is_open[1] && away_m <= offset_m + slack_m) {
        best = fmin(best, to_object(d, o, true) - part_of_edge(d, edge, length_m - offset_m, true));
    }
    return fmax(best, 0.0);
}

double made_distance(const made_distances *distances, sc_edge_id edge, double offset_m,
                     sc_object_id object)
{
    const made_distances *d = distances;
    const sc_object *o = &sc_map_objects(d->map)[object];
    const sc_edge *here = &sc_map_edges(d->map)[edge];
    const sc_edge *there = &sc_map_edges(d->map)[o->edge];
    const double ahead =
        part_of_edge(d, edge, sc_map_edge_length_m(d->map, edge) - offset_m, false);
    const double behind = part_of_edge(d, edge, offset_m, true);
    const double by_from = to_object(d, o, false);
    const double by_to = to_object(d, o, true);
    double best = o->edge == edge ? straight_there(d, edge, offset_m, o) : HUGE_VAL;
    best = fmin(best, behind + *cell(d, here->from, there->from) + by_from);
    best = fmin(best, behind + *cell(d, here->from, there->to) + by_to);
    best = fmin(best, ahead + *cell(d, here->to, there->from) + by_from);
    best = fmin(best, ahead + *cell(d, here->to, there->to) + by_to);
    return best;
}

static int compare_results(const void *a, const void *b)
{
    const double left = ((const made_result *)a)->distance_m;
    const double right = ((const made_result *)b)->distance_m;
    return (left > right) - (left < right);
}

void made_answer(const made_distances *distances, const made_event *query, made_event *answer)
{
    const sc_map *map = distances->map;
    assert_true(sc_map_object_count(map) <= MADE_MAX_RESULTS);
    answer->result_count = 0;
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        if (query->category != SC_NONE && sc_map_objects(map)[i].category != query->category) {
            continue;
        }
        const double distance_m = made_distance(distances, query->edge, query->offset_m, i);
        const bool is_in_reach = distance_m < HUGE_VAL;
        if (!is_in_reach || (query->nearest == 0 && distance_m > query->radius_m)) continue;
        answer->results[answer->result_count++] = (made_result){i, distance_m};
    }
    if (answer->result_count > 0) {
        qsort(answer->results, answer->result_count, sizeof *answer->results, compare_results);
    }
    if (query->nearest > 0 && answer->result_count > query->nearest) {
        answer->result_count = query->nearest;
    }
}
