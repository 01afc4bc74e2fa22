/**
 * @file plot.h
 * @brief The figures as drawings.
 *
 * All are drawn by one gnuplot. Its SVG is then made fit to stand beside others in one page: its
 * ids get a prefix, it says in words what it shows (for those who cannot see it), and it has no
 * size of its own.
 *
 *     plot_script.c  what gnuplot is told
 *     gnuplot.c      telling it
 *     plot.c         what becomes of it
 *
 * Used by: lab (output, report).
 */
#ifndef SC_LAB_PLOT_H
#define SC_LAB_PLOT_H

#include <stdio.h>

#include "lab/figures.h"

/** Why there are plots, or none. */
typedef enum sc_lab_plots_state {
    SC_LAB_PLOTS_DRAWN,
    SC_LAB_PLOTS_UNWANTED,    ///< the options say so
    SC_LAB_PLOTS_NO_GNUPLOT,  ///< it is not installed
    SC_LAB_PLOTS_FAILED,      ///< it is, and could not draw them
} sc_lab_plots_state;

/** A drawing within sc_lab_plots.text, as gnuplot made it. */
typedef struct sc_lab_drawing {
    const char *text;  ///< NULL: the figure has no numbers
    size_t size;
} sc_lab_drawing;

typedef struct sc_lab_plots {
    sc_lab_plots_state state;
    size_t count;  ///< drawings that are there
    char *text;
    sc_lab_drawing by_figure[SC_LAB_FIGURES_MAX];
} sc_lab_plots;

/**
 * Draw all figures; without gnuplot none, which is no failure.
 *
 * @return SC_OK, SC_EIO (gnuplot failed: there are no plots, and `plots` says why) or SC_ENOMEM
 */
SC_CHECKED sc_err sc__plots_init(sc_lab_plots *plots, const sc_lab_table *table,
                                 const sc_lab_figures *figures, sc_diag *diag);

/** Harmless twice. */
void sc__plots_fini(sc_lab_plots *plots);

/** Write the drawing of the i-th figure, which must be there, as an svg element. */
void sc__plot_put(FILE *stream, const sc_lab_plots *plots, const sc_lab_table *table,
                  const sc_lab_figures *figures, size_t i);

/** A line in words, escaped for a page: "Success rate (%) on california, over k (users)". */
void sc__figure_put_title(FILE *stream, const sc_lab_options *options, const sc_lab_figure *figure);

/** Where the vertical axis begins, if it is not a logarithmic one; 0 for most. */
double sc__figure_axis_start(const sc_lab_table *table, const sc_lab_figure *figure);

/** "#0072B2": the colour of a method in all plots. */
const char *sc__method_colour(sc_lab_method method);

// --- For plot.c --------------------------------------------------------------------

/** Size of a plot in its own units. */
enum { SC_LAB_PLOT_WIDTH = 700, SC_LAB_PLOT_HEIGHT = 380 };

/** The part of the script that all figures share. */
void sc__script_begin(FILE *script);

/** One figure, which must have values. */
void sc__script_figure(FILE *script, const sc_lab_table *table, const sc_lab_figure *figure);

#endif
