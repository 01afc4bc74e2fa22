/**
 * @file report_internal.h
 * @brief The sections of the report.
 *
 *     report.c          the page and its order       report_style.c    how it looks
 *     report_setup.c    what was run                 report_machine.c  on what
 *     report_summary.c  the default setting          report_claims.c   what the paper claims
 *     report_figures.c  all figures                  report_html.c     escaping
 *
 * Used by: lab (report).
 */
#ifndef SC_LAB_REPORT_INTERNAL_H
#define SC_LAB_REPORT_INTERNAL_H

#include "lab/output_internal.h"
#include "lab/report_html.h"

/** The style sheet, without its element. */
const char *sc__report_style(void);

void sc__report_put_setup(FILE *page, const sc_lab_findings *findings);
void sc__report_put_machine(FILE *page);
void sc__report_put_claims(FILE *page, const sc_lab_findings *findings);
void sc__report_put_figures(FILE *page, const sc_lab_findings *findings);

/** It needs memory for a number per seed. */
SC_CHECKED sc_err sc__report_put_summary(FILE *page, const sc_lab_findings *findings,
                                         sc_diag *diag);

/** "σs" with the s below. */
void sc__report_put_symbol(FILE *page, sc_lab_axis axis);

/** A method's title beside its colour. */
void sc__report_put_method(FILE *page, sc_lab_method method);

#endif
