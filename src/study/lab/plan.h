/**
 * @file plan.h
 * @brief Which points the figures need, each once.
 *
 * All axes meet in the point where nothing is varied; it is done once, and first, so that a
 * run that is stopped early has the middle of every figure. The others come seed by seed, so that
 * whole figures of fewer seeds are there before any of all. Maps take turns, which lets the time
 * that is left be told from the time that has passed.
 *
 * The point in the middle also tells of every number of cloaks seen: that axis has no other.
 *
 * Uses: lab/results. Used by: lab/lab, lab/options.
 */
#ifndef SC_LAB_PLAN_H
#define SC_LAB_PLAN_H

#include "lab/results.h"

/** Zero-initialise, then sc__plan_init(). */
typedef struct sc__plan {
    sc_lab_point *points;
    size_t count;
    size_t capacity;
} sc__plan;

/** @return SC_OK, also with no point at all, or SC_ENOMEM */
SC_CHECKED sc_err sc__plan_init(sc__plan *plan, const sc_lab_options *options);

/** Harmless twice. */
void sc__plan_fini(sc__plan *plan);

/** Whether some figure of that map varies the axis. */
bool sc__plan_needs(const sc_lab_options *options, uint32_t map, sc_lab_axis axis);

#endif
