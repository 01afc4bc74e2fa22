/**
 * @file report_internal.h
 * @brief The sections of the report.
 *
 *     report.c          the page and its order       report_style.c    how it looks
 *     report_setup.c    what was run                 report_machine.c  on what
 *     report_summary.c  the default setting          report_claims.c   what the paper claims
 *     report_attack.c   what an adversary learns     report_figures.c  all figures
 *     report_measures.c tables of numbers by method  report_html.c     escaping
 *
 * Used by: lab (report).
 */
#ifndef SC_LAB_REPORT_INTERNAL_H
#define SC_LAB_REPORT_INTERNAL_H

#include "lab/csv.h"
#include "lab/output_internal.h"
#include "lab/report_html.h"

/** The style sheet, without its element. */
const char *sc__report_style(void);

void sc__report_put_setup(FILE *page, const sc_lab_findings *findings);
void sc__report_put_machine(FILE *page);
void sc__report_put_claims(FILE *page, const sc_lab_findings *findings);
void sc__report_put_figures(FILE *page, const sc_lab_findings *findings);

/** They need memory for a number per seed. */
SC_CHECKED sc_err sc__report_put_summary(FILE *page, const sc_lab_findings *findings,
                                         sc_diag *diag);
SC_CHECKED sc_err sc__report_put_attack(FILE *page, const sc_lab_findings *findings, sc_diag *diag);

/** Whether there is something for sc__report_put_attack() to tell. */
bool sc__report_has_attack(const sc_lab_options *options);

/** A column of a table: a metric, or if `is_column` a number of the measure. */
typedef struct sc_lab_shown {
    const char *title;
    const char *unit;
    bool is_plain;  ///< the mean alone: nobody compares methods by it
    bool is_column;
    sc_lab_metric metric;
    sc_lab_column column;
    sc_lab_column per;  ///< of it, each; the first of all (queries): not divided
    double scale;       ///< 0 is 1
    double most;        ///< of a column; 0: no limit
} sc_lab_shown;

/** A table of all methods at one point. */
typedef struct sc_lab_measures {
    sc_lab_point point;   ///< its seed does not matter
    const char *caption;  ///< behind the map's name
    const sc_lab_shown *columns;
    size_t column_count;
} sc_lab_measures;

/** Whether it was run, with the first seed. */
bool sc__report_has_point(const sc_lab_results *results, const sc_lab_point *point);

/** @param by_seed  room for a number per seed */
void sc__report_put_measures(FILE *page, const sc_lab_results *results,
                             const sc_lab_measures *measures, double *by_seed);

/** "σs" with the s below. */
void sc__report_put_symbol(FILE *page, sc_lab_axis axis);

/** A method's title beside its colour. */
void sc__report_put_method(FILE *page, sc_lab_method method);

#endif
