/**
 * @file output.h
 * @brief From results to figures and claims: all files of an experiment, as CSV and JSON.
 *
 *     DIR/points.csv                   every point and method, one row each
 *     DIR/MAP-METRIC-AXIS.csv          a figure: axis value, method, mean, 95 % interval, seeds
 *     DIR/measures.csv                 means and intervals for the tables of the report
 *     DIR/claims.csv                   what the paper claims, and what was found
 *     DIR/report.json                  what was run, and all else that tools/report.py needs
 *
 * Files appear whole or not at all. What an earlier run left there is removed, so that all files
 * tell of the same points: figures that this run does not have, plots, and report.html, which
 * tools/report.py makes from the files above. Everything else is left alone.
 */
#ifndef SC_LAB_OUTPUT_H
#define SC_LAB_OUTPUT_H

#include "lab/results.h"

/**
 * Write them all.
 *
 * @param summary  its figures and claims are counted here, on success
 * @return SC_OK, SC_EIO or SC_ENOMEM
 */
SC_CHECKED sc_err sc_lab_write(const sc_lab_results *results, sc_lab_summary *summary,
                               sc_diag *diag);

#endif
