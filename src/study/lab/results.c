// Points by their settings, measures by their metrics. See results.h.
#include "lab/results.h"

#include "lab/axes.h"

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
