/**
 * @file results.h
 * @brief What came out: one row of numbers per point and method.
 */
#ifndef SC_LAB_RESULTS_H
#define SC_LAB_RESULTS_H

#include "lab/lab.h"

/** One setting, on one map, with one seed. */
typedef struct sc_lab_point {
    uint32_t map;                    ///< which of the options'
    double mean[SC_LAB_AXIS_COUNT];  ///< of the workload; queries injected; 1 for cloaks seen
    uint64_t seed;
} sc_lab_point;

/** Cloaks of one traveller that are looked at, one after the other. */
enum { SC_LAB_ASKED_MAX = 8 };

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

    // Of the cloaks of victims that were attacked: means. None where no figure wants them. What is
    // believed of a cloak that stayed unexplained is in none of them.
    uint64_t attacked_cloaks;
    double entropy;        ///< normalised, less its bias
    double entropy_error;  ///< standard error of one cloak's, from its replays; root mean square
    double entropy_bias;   ///< that was taken off: estimate less truth, about; negative as a rule
    double recognised;     ///< injected queries found in a victim's cloak
    double probability;    ///< given to the true segment
    double rank;           ///< of the true segment
    double attacked_segments;   ///< of these cloaks
    double attacked_effective;  ///< of them, 2^H; not corrected
    uint64_t enumerated;        ///< of the cloaks, those whose placements were all looked at
    uint64_t unexplained;       ///< of the cloaks
    uint64_t replays;           ///< of all of them

    // Of travellers who were followed: after the 1st, 2nd, ... cloak. None but
    // in the middle.
    uint64_t followed[SC_LAB_ASKED_MAX];  ///< how many had that many
    double effective[SC_LAB_ASKED_MAX];   ///< segments, 2^H, mean
    double located[SC_LAB_ASKED_MAX];     ///< probability given to the true segment, mean
} sc_lab_measure;

typedef struct sc_lab_result {
    sc_lab_point point;
    uint32_t travellers;   ///< that there were: traces may have fewer than the options ask for
    bool is_attacked;      ///< victims were looked for, whether or not there were any
    uint32_t least_asked;  ///< sc_lab_least_asked() when it was done
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

/** The point where `axis` has `value` and the others their defaults: over SC_LAB_AXIS_ASKED always
 * the middle. */
sc_lab_point sc_lab_point_at(const sc_lab_options *options, uint32_t map, sc_lab_axis axis,
                             double value, uint64_t seed);

/** The result at a point, or NULL. */
const sc_lab_result *sc_lab_find(const sc_lab_results *results, const sc_lab_point *point);

/** Whether figures of a metric can be drawn for that map: the provider's need objects. */
bool sc_lab_has_metric(const sc_lab_options *options, uint32_t map, sc_lab_metric metric);

/** Whether a figure wants the point attacked, or its travellers followed. */
bool sc_lab_is_attacked(const sc_lab_options *options, const sc_lab_point *point);
bool sc_lab_is_followed(const sc_lab_options *options, const sc_lab_point *point);

/**
 * How many cloaks a traveller must have to be followed at a point: as many as the figures go up to,
 * so that all their numbers are of the same travellers. 0 if none is.
 */
uint32_t sc_lab_least_asked(const sc_lab_options *options, const sc_lab_point *point);

/**
 * A metric of one measure, in the metric's unit; false if there is none (nothing was cloaked).
 *
 * @param axis   of the figure, which has `value` there: cloaks seen are told from one measure
 */
bool sc_lab_value(const sc_lab_measure *measure, sc_lab_metric metric, sc_lab_axis axis,
                  double value, double *out);

// === Axes =======================================================================================
// Which number of a workload each axis moves, and where nothing is moved.
//
// Two axes are of no workload: how many queries an adversary injects, and how many cloaks of one
// traveller it has seen (sc_lab_is_of_workload()).

/** What an axis moves; NULL for one that is of no workload. */
const sc_normal *sc__axis_spread(const sc_workload *workload, sc_lab_axis axis);

/** Where an axis stands while another is varied: the workload's mean, nothing injected, one cloak.
 */
double sc__axis_middle(const sc_lab_options *options, sc_lab_axis axis);

/**
 * Move the mean. The deviation stays; the bounds are those of sc_normal_around(), so that means and
 * deviations say all. An axis that is of no workload leaves it as it is.
 */
void sc__axis_move(sc_workload *workload, sc_lab_axis axis, double mean);

/** The workload of a point; its category is the one that its map has for it. */
sc_workload sc__workload_at(const sc_lab_options *options, const sc_lab_point *point);

// === The plan ===================================================================================
// Which points the figures need, each once.
//
// All axes meet in the point where nothing is varied; it is done once, and first, so that a
// run that is stopped early has the middle of every figure. The others come seed by seed, so that
// whole figures of fewer seeds are there before any of all. Maps take turns, which lets the time
// that is left be told from the time that has passed.
//
// The point in the middle also tells of every number of cloaks seen: that axis has no other.

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
