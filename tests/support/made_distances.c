// Distances between all nodes, and what follows from them. See made_distances.h.
#include "support/made_distances.h"

#include "support/check.h"

#include <math.h>

static double *cell(const made_distances *d, sc_node_id from, sc_node_id to)
{
    return &d->between[(size_t)from * sc_map_node_count(d->map) + to];
}

made_distances made_distances_new(const sc_map *map)
{
    const uint32_t n = sc_map_node_count(map);
    made_distances d = {.map = map, .between = test_take((size_t)n * n, sizeof(double))};
    for (sc_node_id v = 0; v < n; v++) {
        for (sc_node_id w = 0; w < n; w++) {
            *cell(&d, v, w) = v == w ? 0.0 : HUGE_VAL;
        }
    }
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        const double length_m = sc_map_edge_length_m(map, e);
        *cell(&d, edge->from, edge->to) = fmin(*cell(&d, edge->from, edge->to), length_m);
        *cell(&d, edge->to, edge->from) = *cell(&d, edge->from, edge->to);
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

double made_distance(const made_distances *distances, sc_edge_id edge, double offset_m,
                     sc_object_id object)
{
    const sc_map *map = distances->map;
    const sc_object *o = &sc_map_objects(map)[object];
    const sc_edge *here = &sc_map_edges(map)[edge];
    const sc_edge *there = &sc_map_edges(map)[o->edge];
    const double away_m = o->offset * sc_map_unit_m(map);
    const double rest_m = sc_map_edge_length_m(map, o->edge) - away_m;
    const double back_m = sc_map_edge_length_m(map, edge) - offset_m;
    double best = o->edge == edge ? fabs(away_m - offset_m) : HUGE_VAL;
    best = fmin(best, offset_m + *cell(distances, here->from, there->from) + away_m);
    best = fmin(best, offset_m + *cell(distances, here->from, there->to) + rest_m);
    best = fmin(best, back_m + *cell(distances, here->to, there->from) + away_m);
    best = fmin(best, back_m + *cell(distances, here->to, there->to) + rest_m);
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
