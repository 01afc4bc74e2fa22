// Which points? See plan.h.
#include "lab/plan.h"

#include "base/alloc.h"
#include "lab/axes.h"

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
