// Points and results: which number of the workload an axis moves, which points the figures need,
// and what was measured at them.
#include "lab/results.h"

#include "base/alloc.h"

#include <stddef.h>

// === Axes =======================================================================================

/** Where the spread of an axis of the workload is, and the least that can be needed. */
static const struct {
    size_t offset;
    double least;
} moved[] = {
    [SC_LAB_AXIS_K] = {offsetof(sc_workload, k), SC_LEAST_COUNT},
    [SC_LAB_AXIS_L] = {offsetof(sc_workload, l), SC_LEAST_COUNT},
    [SC_LAB_AXIS_SIGMA_S] = {offsetof(sc_workload, max_hops), 0},
    [SC_LAB_AXIS_SIGMA_T] = {offsetof(sc_workload, max_wait_s), SC_LEAST_WAIT_S},
    [SC_LAB_AXIS_NEAREST] = {offsetof(sc_workload, nearest), SC_LEAST_COUNT},
};

const sc_normal *sc__axis_spread(const sc_workload *workload, sc_lab_axis axis)
{
    if (!sc_lab_is_of_workload(axis)) return NULL;
    return (const sc_normal *)((const char *)workload + moved[axis].offset);
}

double sc__axis_middle(const sc_lab_options *options, sc_lab_axis axis)
{
    const sc_normal *spread = sc__axis_spread(&options->workload, axis);
    if (spread) return spread->mean;
    // By default nothing is injected, and one cloak of each traveller is seen.
    return axis == SC_LAB_AXIS_ASKED ? 1 : 0;
}

void sc__axis_move(sc_workload *workload, sc_lab_axis axis, double mean)
{
    if (!sc_lab_is_of_workload(axis)) return;
    sc_normal *spread = (sc_normal *)((char *)workload + moved[axis].offset);
    *spread = sc_normal_around(mean, spread->deviation, moved[axis].least);
}

sc_workload sc__workload_at(const sc_lab_options *options, const sc_lab_point *point)
{
    sc_workload workload = options->workload;
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        sc__axis_move(&workload, axis, point->mean[axis]);
    }
    const sc_lab_map *map = &options->maps[point->map];
    if (sc_map_object_count(map->map) == 0) workload.wanted = SC_WANT_ANY;
    workload.category = workload.wanted == SC_WANT_THIS ? map->category : 0;
    return workload;
}

// === Points and results =========================================================================

sc_lab_point sc_lab_point_at(const sc_lab_options *options, uint32_t map, sc_lab_axis axis,
                             double value, uint64_t seed)
{
    sc_lab_point point = {.map = map, .seed = seed};
    for (sc_lab_axis i = 0; i < SC_LAB_AXIS_COUNT; i++) {
        point.mean[i] = sc__axis_middle(options, i);
    }
    if (axis != SC_LAB_AXIS_ASKED) point.mean[axis] = value;
    return point;
}

static bool is_same(const sc_lab_point *a, const sc_lab_point *b)
{
    bool is_equal = a->map == b->map && a->seed == b->seed;
    for (sc_lab_axis i = 0; i < SC_LAB_AXIS_COUNT; i++) {
        is_equal = is_equal && a->mean[i] == b->mean[i];
    }
    return is_equal;
}

const sc_lab_result *sc_lab_find(const sc_lab_results *results, const sc_lab_point *point)
{
    for (size_t i = 0; i < results->count; i++) {
        if (is_same(&results->all[i].point, point)) return &results->all[i];
    }
    return NULL;
}

bool sc_lab_has_metric(const sc_lab_options *options, uint32_t map, sc_lab_metric metric)
{
    const bool needs_objects = metric == SC_LAB_PROCESSING || metric == SC_LAB_CANDIDATES;
    return !needs_objects || sc_map_object_count(options->maps[map].map) > 0;
}

bool sc_lab_goes_over(sc_lab_metric metric, sc_lab_axis axis)
{
    switch (axis) {
    case SC_LAB_AXIS_INJECTED:
        // What else is measured there is of travellers and of the adversary alike.
        return metric == SC_LAB_ENTROPY;
    case SC_LAB_AXIS_ASKED:
        return metric == SC_LAB_EFFECTIVE;
    default:
        return metric != SC_LAB_EFFECTIVE;
    }
}

bool sc_lab_is_attacked(const sc_lab_options *options, const sc_lab_point *point)
{
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        if (!(options->figures[SC_LAB_ENTROPY] >> axis & 1u)) continue;
        const sc_lab_grid *grid = &options->grids[axis];
        for (size_t i = 0; i < grid->count; i++) {
            const sc_lab_point drawn =
                sc_lab_point_at(options, point->map, axis, grid->values[i], point->seed);
            if (is_same(&drawn, point)) return true;
        }
    }
    return false;
}

bool sc_lab_is_followed(const sc_lab_options *options, const sc_lab_point *point)
{
    if (!(options->figures[SC_LAB_EFFECTIVE] >> SC_LAB_AXIS_ASKED & 1u)) return false;
    const sc_lab_point middle =
        sc_lab_point_at(options, point->map, SC_LAB_AXIS_ASKED, 1, point->seed);
    return is_same(&middle, point);
}

uint32_t sc_lab_least_asked(const sc_lab_options *options, const sc_lab_point *point)
{
    const sc_lab_grid *grid = &options->grids[SC_LAB_AXIS_ASKED];
    if (grid->count == 0 || !sc_lab_is_followed(options, point)) return 0;
    return (uint32_t)grid->values[grid->count - 1];
}

/** Effective segments after so many cloaks. */
static bool tell_effective(const sc_lab_measure *measure, double cloaks, double *out)
{
    if (!(cloaks >= 1 && cloaks <= SC_LAB_ASKED_MAX)) return false;
    const size_t last = (size_t)cloaks - 1;
    if (measure->followed[last] == 0) return false;
    *out = measure->effective[last];
    return true;
}

// Whether enough cloaks were explained to speak of all: three of four.
static bool is_explained(const sc_lab_measure *measure)
{
    return measure->attacked_cloaks > 0 && 4 * measure->unexplained <= measure->attacked_cloaks;
}

bool sc_lab_value(const sc_lab_measure *measure, sc_lab_metric metric, sc_lab_axis axis,
                  double value, double *out)
{
    const double rate =
        measure->queries > 0 ? (double)measure->cloaked / (double)measure->queries : 0;
    switch (metric) {
    case SC_LAB_SUCCESS:
        if (measure->queries == 0) return false;
        *out = 100 * rate;
        return true;
    case SC_LAB_THROUGHPUT:
        if (measure->queries == 0 || measure->cpu_us <= 0) return false;
        *out = 1e6 / measure->cpu_us * rate;
        return true;
    case SC_LAB_ANONYMIZATION:
        if (measure->cloaked == 0) return false;
        *out = measure->wait_s;
        return true;
    case SC_LAB_PROCESSING:
        if (measure->evaluated_queries == 0) return false;
        *out = measure->provider_cpu_us;
        return true;
    case SC_LAB_CANDIDATES:
        if (measure->evaluated_queries == 0) return false;
        *out = measure->candidates;
        return true;
    case SC_LAB_ENTROPY:
        if (!is_explained(measure)) return false;
        *out = measure->entropy;
        return true;
    case SC_LAB_EFFECTIVE:
        return axis == SC_LAB_AXIS_ASKED && tell_effective(measure, value, out);
    default:
        return false;
    }
}

// === The plan: all points of an experiment ======================================================

bool sc__plan_needs(const sc_lab_options *options, uint32_t map, sc_lab_axis axis)
{
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        const bool is_asked_for = (options->figures[metric] >> axis) & 1u;
        if (is_asked_for && sc_lab_goes_over(metric, axis) &&
            sc_lab_has_metric(options, map, metric)) {
            return true;
        }
    }
    return false;
}

/** Whether some figure of the map has the middle among its values. */
static bool needs_middle(const sc_lab_options *options, uint32_t map)
{
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        if (!sc__plan_needs(options, map, axis)) continue;
        // Every number of cloaks seen is told by it.
        if (axis == SC_LAB_AXIS_ASKED) return true;
        const sc_lab_grid *grid = &options->grids[axis];
        for (size_t i = 0; i < grid->count; i++) {
            if (grid->values[i] == sc__axis_middle(options, axis)) return true;
        }
    }
    return false;
}

static sc_err add(sc__plan *plan, sc_lab_point point)
{
    if (!sc_grow(&plan->points, plan->count, &plan->capacity, sizeof point)) return SC_ENOMEM;
    plan->points[plan->count++] = point;
    return SC_OK;
}

static sc_err add_middles(sc__plan *plan, const sc_lab_options *options, uint64_t seed)
{
    sc_err err = SC_OK;
    const sc_lab_axis any = SC_LAB_AXIS_K;
    for (uint32_t map = 0; map < options->map_count && !err; map++) {
        if (!needs_middle(options, map)) continue;
        err = add(plan, sc_lab_point_at(options, map, any, sc__axis_middle(options, any), seed));
    }
    return err;
}

/** A value that is not the middle, on all maps. Points of two axes meet only there. */
static sc_err add_value(sc__plan *plan, const sc_lab_options *options, sc_lab_axis axis,
                        double value, uint64_t seed)
{
    sc_err err = SC_OK;
    for (uint32_t map = 0; map < options->map_count && !err; map++) {
        if (!sc__plan_needs(options, map, axis)) continue;
        err = add(plan, sc_lab_point_at(options, map, axis, value, seed));
    }
    return err;
}

static sc_err add_axes(sc__plan *plan, const sc_lab_options *options, uint64_t seed)
{
    sc_err err = SC_OK;
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        if (axis == SC_LAB_AXIS_ASKED) continue;
        const sc_lab_grid *grid = &options->grids[axis];
        for (size_t i = 0; i < grid->count && !err; i++) {
            if (grid->values[i] == sc__axis_middle(options, axis)) continue;
            err = add_value(plan, options, axis, grid->values[i], seed);
        }
    }
    return err;
}

sc_err sc__plan_init(sc__plan *plan, const sc_lab_options *options)
{
    sc_err err = SC_OK;
    for (unsigned i = 0; i < options->seed_count && !err; i++) {
        err = add_middles(plan, options, options->first_seed + i);
    }
    for (unsigned i = 0; i < options->seed_count && !err; i++) {
        err = add_axes(plan, options, options->first_seed + i);
    }
    if (err) sc__plan_fini(plan);
    return err;
}

void sc__plan_fini(sc__plan *plan)
{
    sc_free(plan->points);
    *plan = (sc__plan){0};
}
