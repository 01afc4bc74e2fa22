/**
 * @file axes.h
 * @brief Which number of a workload each axis moves, and where nothing is moved.
 *
 * Two axes are of no workload: how many queries an adversary injects, and how many cloaks of one
 * traveller it has seen (sc_lab_is_of_workload()).
 *
 * Uses: lab/results, sim/workload. Used by: lab (options, plan, point, results, report).
 */
#ifndef SC_LAB_AXES_H
#define SC_LAB_AXES_H

#include "lab/results.h"

/** What an axis moves; NULL for one that is of no workload. */
const sc_normal *sc__axis_spread(const sc_workload *workload, sc_lab_axis axis);

/** Where an axis stands while another is varied: the workload's mean, nobody injected, one cloak.
 */
double sc__axis_middle(const sc_lab_options *options, sc_lab_axis axis);

/**
 * Move the mean. The deviation stays; the bounds are those of sc_normal_around(), so that means and
 * deviations say all. An axis that is of no workload leaves it as it is.
 */
void sc__axis_move(sc_workload *workload, sc_lab_axis axis, double mean);

/** The workload of a point; its category is the one that its map has for it. */
sc_workload sc__workload_at(const sc_lab_options *options, const sc_lab_point *point);

#endif
