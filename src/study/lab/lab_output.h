/**
 * @file lab_output.h
 * @brief All files of an experiment, as CSV and JSON, and which part writes which.
 *
 *     DIR/points.csv                   every point and method, one row each
 *     DIR/MAP-METRIC-AXIS.csv          a figure: axis value, method, mean, 95 % interval, seeds
 *     DIR/measures.csv                 means and intervals for the tables of the report
 *     DIR/claims.csv                   what the paper claims, and what was found
 *     DIR/report.json                  what was run, and all else that tools/report.py needs
 *
 * Files appear whole or not at all. Files of an earlier run are removed, so that all files describe
 * the same points: figures that this run does not have, plots, and report.html, which
 * tools/report.py makes from the files above. Everything else is left alone.
 */
#ifndef SC_LAB_LAB_OUTPUT_H
#define SC_LAB_LAB_OUTPUT_H

#include "base/file.h"
#include "lab/claims.h"
#include "lab/figures.h"
#include "lab/results.h"

#include <stdio.h>

/**
 * Write them all.
 *
 * @param summary  its figures and claims are counted here, on success
 * @return SC_OK, SC_EIO or SC_ENOMEM
 */
SC_CHECKED sc_err sc_lab_write(const sc_lab_results *results, sc_lab_summary *summary,
                               sc_diag *diag);

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

/** What the files are made of. */
typedef struct sc_lab_findings {
    const sc_lab_results *results;
    const sc_lab_table *table;
    const sc_lab_figures *figures;
    const sc_lab_claims *claims;
} sc_lab_findings;

/** DIR/report.json. */
SC_CHECKED sc_err sc__report_data_write(const sc_lab_findings *findings, sc_diag *diag);

// === Columns ====================================================================================
// The numbers of a measure as columns, and fields as RFC 4180 has them.
//
// Text with a comma, a quote or a line break is quoted, numbers have up to ten
// digits, and what is not there is an empty field. A column whose name ends in "_measured" comes
// from CPU time: two runs with the same seeds give the same files but for these.
//
//     points.csv             map, seed, one column per axis that points are on, method, and
//                            SC_LAB_COLUMN_MAP
//     MAP-METRIC-AXIS.csv    AXIS, method, mean, low, high (95 %, cut to what is possible), seeds
//                            that have a value
//     measures.csv           table, map, method, measure, mean, low, high, seeds (csv.c)
//     claims.csv             claim, map, statement, methods, reading of the baselines (empty:
//                            not about them), and twice (the second time measured) verdict, points,
//                            agreeing, left, right, contradiction, found

/** The columns after the n-th cloak of a traveller, for SC_LAB_COLUMN_MAP. */
#define SC_LAB_ASKED_COLUMNS(X, n)                                              \
    X(FOLLOWED_##n, followed[(n)-1], "followed_" #n, true)                      \
    X(EFFECTIVE_##n, effective[(n)-1], "effective_" #n, m->followed[(n)-1] > 0) \
    X(LOCATED_##n, located[(n)-1], "located_" #n, m->followed[(n)-1] > 0)

/** Column, field of sc_lab_measure, name, and whether `m` has it: a mean of nothing is none. */
#define SC_LAB_COLUMN_MAP(X)                                                               \
    X(QUERIES, queries, "queries", true)                                                   \
    X(CLOAKED, cloaked, "cloaked", true)                                                   \
    X(CLOAKS, cloaks, "cloaks", true)                                                      \
    X(WAIT, wait_s, "wait_s", m->cloaked > 0)                                              \
    X(USERS, users, "users", m->cloaks > 0)                                                \
    X(SEGMENTS, segments, "segments", m->cloaks > 0)                                       \
    X(BORDER_NODES, border_nodes, "border_nodes", m->cloaks > 0)                           \
    X(CPU, cpu_us, "cpu_us_measured", m->queries > 0)                                      \
    X(EVALUATED_CLOAKS, evaluated_cloaks, "evaluated_cloaks", true)                        \
    X(EVALUATED_QUERIES, evaluated_queries, "evaluated_queries", true)                     \
    X(CANDIDATES, candidates, "candidates", m->evaluated_queries > 0)                      \
    X(DISTINCT, distinct, "distinct", m->evaluated_queries > 0)                            \
    X(BYTES_IN, bytes_in, "bytes_in", m->evaluated_cloaks > 0)                             \
    X(PROVIDER_CPU, provider_cpu_us, "provider_cpu_us_measured", m->evaluated_queries > 0) \
    X(ATTACKED_CLOAKS, attacked_cloaks, "attacked_cloaks", true)                           \
    X(ENTROPY, entropy, "entropy", m->attacked_cloaks > m->unexplained)                    \
    X(ENTROPY_ERROR, entropy_error, "entropy_error", m->attacked_cloaks > m->unexplained)  \
    X(ENTROPY_BIAS, entropy_bias, "entropy_bias", m->attacked_cloaks > m->unexplained)     \
    X(ATTACKED_SEGMENTS, attacked_segments, "attacked_segments", m->attacked_cloaks > 0)   \
    X(ATTACKED_EFFECTIVE, attacked_effective, "attacked_effective",                        \
      m->attacked_cloaks > m->unexplained)                                                 \
    X(RECOGNISED, recognised, "recognised", m->attacked_cloaks > 0)                        \
    X(PROBABILITY, probability, "probability", m->attacked_cloaks > m->unexplained)        \
    X(RANK, rank, "rank", m->attacked_cloaks > m->unexplained)                             \
    X(ENUMERATED, enumerated, "enumerated", true)                                          \
    X(UNEXPLAINED, unexplained, "unexplained", true)                                       \
    X(REPLAYS, replays, "replays", true)                                                   \
    SC_LAB_ASKED_COLUMNS(X, 1)                                                             \
    SC_LAB_ASKED_COLUMNS(X, 2)                                                             \
    SC_LAB_ASKED_COLUMNS(X, 3)                                                             \
    SC_LAB_ASKED_COLUMNS(X, 4)                                                             \
    SC_LAB_ASKED_COLUMNS(X, 5)                                                             \
    SC_LAB_ASKED_COLUMNS(X, 6)                                                             \
    SC_LAB_ASKED_COLUMNS(X, 7)                                                             \
    SC_LAB_ASKED_COLUMNS(X, 8)

typedef enum sc_lab_column {
#define X(id, field, name, is_there) SC_LAB_COLUMN_##id,
    SC_LAB_COLUMN_MAP(X)
#undef X
        SC_LAB_COLUMN_COUNT
} sc_lab_column;

_Static_assert(SC_LAB_ASKED_MAX == 8, "a set of columns for each cloak of a traveller");

/** One number of a measure; false if there is none. */
bool sc__column_value(const sc_lab_measure *m, sc_lab_column column, double *out);

/** Write a field of text, quoted if it must be. */
void sc__csv_text(FILE *stream, const char *text);

/** Write ",mean,low,high,count"; fields are empty where there is no mean, or no interval. */
void sc__csv_estimate(FILE *stream, const sc_lab_estimate *estimate, sc_lab_interval ends);

#endif
