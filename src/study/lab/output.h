/**
 * @file output.h
 * @brief From results to figures, plots, claims and the report: all files of an experiment.
 *
 *     DIR/points.csv                   every point and method, one row each
 *     DIR/MAP-METRIC-AXIS.csv          a figure: axis value, method, mean, 95 % interval, seeds
 *     DIR/MAP-METRIC-AXIS.svg          the same as a plot, by gnuplot
 *     DIR/claims.csv                   what the paper claims, and what was found
 *     DIR/report.html                  all of it, in one file that needs no other
 *
 * Files appear whole or not at all. Figures that an earlier run left there, and this one does not
 * have, are removed, so that all files tell of the same points; everything else is left alone.
 *
 * Used by: lab/lab.c.
 */
#ifndef SC_LAB_OUTPUT_H
#define SC_LAB_OUTPUT_H

#include "lab/results.h"

/**
 * Write them all. If gnuplot fails, all but the plots is written, and then that is told.
 *
 * @param summary  its figures, plots and claims are counted here, on success
 * @return SC_OK, SC_EIO or SC_ENOMEM
 */
SC_CHECKED sc_err sc_lab_write(const sc_lab_results *results, sc_lab_summary *summary,
                               sc_diag *diag);

#endif
