/**
 * @file figures.h
 * @brief Which figures there are, what they are called, and the numbers they show.
 *
 * A figure is a metric on one map over one axis; it has a series of points for each method. The
 * numbers of all figures stand in one table, made once from the results, where the values of the
 * seeds lie side by side: whoever wants a mean, or a difference of two methods, hands them to
 * stats.h.
 */
#ifndef SC_LAB_FIGURES_H
#define SC_LAB_FIGURES_H

#include "lab/results.h"
#include "lab/stats.h"

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
