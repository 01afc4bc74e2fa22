// Axes and workloads. See axes.h.
#include "lab/axes.h"

#include <stddef.h>

/** Where the spread of an axis of the workload is, and what nobody can need less than. */
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
