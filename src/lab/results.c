// Points by their settings, measures by their metrics. See results.h.
#include "lab/results.h"

#include "lab/axes.h"

sc_lab_point sc_lab_point_at(const sc_lab_options *options, uint32_t map, sc_lab_axis axis,
                             double value, uint64_t seed)
{
    sc_lab_point point = {.map = map, .seed = seed};
    for (sc_lab_axis i = 0; i < SC_LAB_AXIS_COUNT; i++) {
        point.mean[i] = sc__axis_spread(&options->workload, i)->mean;
    }
    point.mean[axis] = value;
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

bool sc_lab_value(const sc_lab_measure *measure, sc_lab_metric metric, double *out)
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
    default:
        return false;
    }
}
