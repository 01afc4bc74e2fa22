/**
 * @file axes.h
 * @brief Which number of a workload each axis moves.
 *
 * Uses: lab/results, sim/workload. Used by: lab (options, plan, point, results, report).
 */
#ifndef SC_LAB_AXES_H
#define SC_LAB_AXES_H

#include "lab/results.h"

/** What an axis moves. */
const sc_normal *sc__axis_spread(const sc_workload *workload, sc_lab_axis axis);

/**
 * Move the mean. The deviation stays; the bounds are those of sc_normal_around(), so that means and
 * deviations say all.
 */
void sc__axis_move(sc_workload *workload, sc_lab_axis axis, double mean);

/** The workload of a point; its category is the one that its map has for it. */
sc_workload sc__workload_at(const sc_lab_options *options, const sc_lab_point *point);

#endif
