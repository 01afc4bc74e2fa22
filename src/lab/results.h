/**
 * @file results.h
 * @brief What came out: one row of numbers per point and method.
 *
 * Used by: lab.
 */
#ifndef SC_LAB_RESULTS_H
#define SC_LAB_RESULTS_H

#include "lab/lab.h"

/** One setting, on one map, with one seed. */
typedef struct sc_lab_point {
    uint32_t map;                    ///< which of the options'
    double mean[SC_LAB_AXIS_COUNT];  ///< of the workload
    uint64_t seed;
} sc_lab_point;

/** What one method made of it. All but the two CPU times follow from the seed. */
typedef struct sc_lab_measure {
    uint64_t queries;  ///< admitted in the counted time
    uint64_t cloaked;  ///< of them
    uint64_t cloaks;   ///< that left in the counted time
    double wait_s;     ///< mean, of cloaked queries
    double users;      ///< mean, of cloaks, as the next two
    double segments;
    double border_nodes;
    double cpu_us;  ///< measured: admission and engine, per query

    // Of the cloaks that went to the provider. None on a map without objects.
    uint64_t evaluated_cloaks;
    uint64_t evaluated_queries;  ///< their members
    double candidates;           ///< objects sent, mean per query
    double distinct;             ///< of them, different ones
    double bytes_in;             ///< reply, mean per cloak
    double provider_cpu_us;      ///< measured: per query
} sc_lab_measure;

typedef struct sc_lab_result {
    sc_lab_point point;
    uint32_t travellers;  ///< that there were: traces may have fewer than the options ask for
    sc_lab_measure by_method[SC_LAB_METHOD_COUNT];  ///< of the methods of the options
} sc_lab_result;

/** All results of an experiment. */
typedef struct sc_lab_results {
    const sc_lab_options *options;
    const sc_lab_result *all;  ///< in the order of the plan
    size_t count;
} sc_lab_results;

/** Whether the experiment has the method. */
static inline bool sc__has_method(const sc_lab_options *options, sc_lab_method method)
{
    return (options->methods >> method & 1U) != 0;
}

/** The point where `axis` has `value` and the others their defaults. */
sc_lab_point sc_lab_point_at(const sc_lab_options *options, uint32_t map, sc_lab_axis axis,
                             double value, uint64_t seed);

/** The result at a point, or NULL. */
const sc_lab_result *sc_lab_find(const sc_lab_results *results, const sc_lab_point *point);

/** Whether figures of a metric can be drawn for that map: the last two need objects. */
bool sc_lab_has_metric(const sc_lab_options *options, uint32_t map, sc_lab_metric metric);

/** A metric of one measure, in the metric's unit; false if there is none (nothing was cloaked). */
bool sc_lab_value(const sc_lab_measure *measure, sc_lab_metric metric, double *out);

#endif
