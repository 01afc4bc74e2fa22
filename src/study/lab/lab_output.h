/**
 * @file lab_output.h
 * @brief The parts of output.c: who writes which file, and who removes old ones.
 */
#ifndef SC_LAB_LAB_OUTPUT_H
#define SC_LAB_LAB_OUTPUT_H

#include "base/file.h"
#include "lab/claims.h"
#include "lab/figures.h"
#include "lab/output.h"

/** A file of the directory that appears when it is whole. */
typedef struct sc_lab_file {
    sc_outfile out;  ///< write to its stream
    char *path;
} sc_lab_file;

SC_CHECKED sc_err sc__lab_file_open(sc_lab_file *file, const sc_lab_options *options,
                                    const char *name, sc_diag *diag);
SC_CHECKED sc_err sc__lab_file_commit(sc_lab_file *file, sc_diag *diag);
void sc__lab_file_abandon(sc_lab_file *file);

/** DIR/points.csv. */
SC_CHECKED sc_err sc__csv_write_points(const sc_lab_results *results, sc_diag *diag);

/** DIR/MAP-METRIC-AXIS.csv. */
SC_CHECKED sc_err sc__csv_write_figure(const sc_lab_table *table, const sc_lab_figure *figure,
                                       sc_diag *diag);

/** DIR/measures.csv. */
SC_CHECKED sc_err sc__csv_write_measures(const sc_lab_results *results, sc_diag *diag);

/** DIR/claims.csv. */
SC_CHECKED sc_err sc__csv_write_claims(const sc_lab_options *options, const sc_lab_claims *claims,
                                       sc_diag *diag);

/** All that the files tell of. */
typedef struct sc_lab_findings {
    const sc_lab_results *results;
    const sc_lab_table *table;
    const sc_lab_figures *figures;
    const sc_lab_claims *claims;
} sc_lab_findings;

/** Remove what an earlier run left: see output.h. This run has written all of its figures. */
SC_CHECKED sc_err sc__output_remove_stale(const sc_lab_findings *findings, sc_diag *diag);

/** DIR/report.json. */
SC_CHECKED sc_err sc__report_data_write(const sc_lab_findings *findings, sc_diag *diag);

#endif
