/**
 * @file figures.h
 * @brief Which figures there are, what they are called, and the numbers they show.
 *
 * A figure is a metric on one map over one axis; it has a series of points for each method. The
 * numbers of all figures stand in one table, made once from the results, where the values of the
 * seeds lie side by side: means and differences of two methods are made of them by the
 * statistics below.
 */
#ifndef SC_LAB_FIGURES_H
#define SC_LAB_FIGURES_H

#include "lab/results.h"

#include <stdbool.h>
#include <stddef.h>

// === Statistics =================================================================================
// Means, intervals, differences and ranks over a handful of seeds.
//
// Values come one per seed; where there is none (nothing was cloaked) it is NaN and left out. An
// interval is that of Student's t with as many degrees of freedom as there are values less one:
// with two values it is wide, and one value has none.
//
// Two methods at one point got the same stream of queries, or travellers of the same seed, so they
// are compared seed by seed: what makes a seed hard for both of them then falls out of the
// difference.

/** "There is none", as a double; math.h has a float. */
#define SC_NO_VALUE __builtin_nan("")

/** A mean, and how far from it the truth may be. */
typedef struct sc_lab_estimate {
    size_t count;  ///< values it comes from; if 0, all else is 0
    double mean;
    double half;  ///< half of the 95 % interval; 0 with fewer than two values
} sc_lab_estimate;

/** Of `count` values, less those that are NaN. */
sc_lab_estimate sc__estimate(const double *values, size_t count);

/** Of the differences left - right, over those that have both. */
sc_lab_estimate sc__estimate_difference(const double *left, const double *right, size_t count);

/**
 * The mean ratio left / right, over those that have both and have them above 0: the geometric mean,
 * so that it does not matter which of the two is called the left one.
 *
 * @return how many it comes from; *out is left alone if none
 */
size_t sc__mean_ratio(const double *left, const double *right, size_t count, double *out);

/** The ends of an interval. */
typedef struct sc_lab_interval {
    double low;
    double high;
} sc_lab_interval;

/**
 * The 95 % interval, for people, cut to what is possible: nothing that is measured is below 0, or
 * above `most`. Decisions are made by whole intervals.
 */
sc_lab_interval sc__possible_interval(const sc_lab_estimate *estimate, double most);

/**
 * 1 if the mean is above 0, and not by chance: all of the interval is. -1 if it is so below 0, else
 * 0. Of a single value this cannot be told: 0, see claims.h.
 */
int sc__sure_sign(const sc_lab_estimate *estimate);

/** How far from the middle 95 % of Student's distribution reach, both ways; `degrees` >= 1. */
double sc__student_95(size_t degrees);

/**
 * Kendall's rank correlation of `values` with their order: 1 if each is above those before it, -1
 * if each is below them. Equal ones count neither way. 0 for fewer than two.
 */
double sc__kendall(const double *values, size_t count);

// === Figures ====================================================================================

// --- Words -------------------------------------------------------------------

/** As plots and tables have them. */
const char *sc__method_title(sc_lab_method method);
const char *sc__axis_symbol(sc_lab_axis axis);
const char *sc__axis_unit(sc_lab_axis axis);
const char *sc__metric_title(sc_lab_metric metric);
const char *sc__metric_unit(sc_lab_metric metric);
bool sc__metric_is_log(sc_lab_metric metric);

/** The most it can be: 100 for percentages, 1 for entropy, else infinity. None is ever below 0. */
double sc__metric_most(sc_lab_metric metric);

/** Whether it comes from CPU time, and so differs between two runs with one seed. */
bool sc__metric_is_measured(sc_lab_metric metric);

/** A number in a few digits, for people. */
typedef struct sc_lab_short_number {
    char text[32];
} sc_lab_short_number;

sc_lab_short_number sc__short_number(double value);

/** "" for one, else "s". */
const char *sc__plural(size_t count);

// --- Figures -----------------------------------------------------------------

typedef struct sc_lab_figure {
    sc_lab_metric metric;
    uint32_t map;
    sc_lab_axis axis;
} sc_lab_figure;

enum { SC_LAB_FIGURES_MAX = SC_LAB_METRIC_COUNT * SC_LAB_MAPS_MAX * SC_LAB_AXIS_COUNT };

typedef struct sc_lab_figures {
    sc_lab_figure all[SC_LAB_FIGURES_MAX];
    size_t count;
} sc_lab_figures;

/** All that were asked for and can be drawn: by metric, then map, then axis. */
void sc__figures_list(const sc_lab_options *options, sc_lab_figures *out);

/** Whether one of them was asked for and can be drawn. */
bool sc__figure_is_wanted(const sc_lab_options *options, const sc_lab_figure *figure);

/** The grid of its axis. */
const sc_lab_grid *sc__figure_grid(const sc_lab_options *options, const sc_lab_figure *figure);

/** "MAP-METRIC-AXIS.EXTENSION"; NULL if memory is out. Release with sc_free(). */
char *sc__figure_file(const sc_lab_options *options, const sc_lab_figure *figure,
                      const char *extension);

// --- Their numbers -----------------------------------------------------------

/** Every metric of every method at every value of every axis, by seed; NaN where there is none. */
typedef struct sc_lab_table {
    const sc_lab_options *options;
    double *cells;
    size_t value_count;                     ///< of all axes together
    size_t first_value[SC_LAB_AXIS_COUNT];  ///< of each axis among them
    double travellers[SC_LAB_MAPS_MAX];     ///< that there really were on each map, on average
} sc_lab_table;

/** `results` are read only here, but their options must outlive the table. */
SC_CHECKED sc_err sc__table_init(sc_lab_table *table, const sc_lab_results *results, sc_diag *diag);

/** Harmless twice. */
void sc__table_fini(sc_lab_table *table);

/** The values at the i-th place of the figure's grid, one per seed of the options. */
const double *sc__table_values(const sc_lab_table *table, const sc_lab_figure *figure, size_t i,
                               sc_lab_method method);

/** Their mean. */
sc_lab_estimate sc__table_estimate(const sc_lab_table *table, const sc_lab_figure *figure, size_t i,
                                   sc_lab_method method);

#endif
