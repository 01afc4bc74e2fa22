/**
 * @file evaluate_report.h
 * @brief What it took to answer the cloaks of a record, as a table and as JSON.
 *
 * The numbers are the library's (sim/evaluate.h).
 *
 * Used by: evaluate.
 */
#ifndef SC_APPS_EVALUATE_REPORT_H
#define SC_APPS_EVALUATE_REPORT_H

#include <stdio.h>

#include "command.h"
#include "sim/evaluate.h"

/** All that is printed about one evaluation. Everything is borrowed. */
typedef struct sc_evaluate_view {
    const char *map;
    const char *record;
    const char *output;  ///< NULL: nothing was written
    const sc_evaluate_options *options;
    const sc_evaluate_report *report;
} sc_evaluate_view;

/** What the words of the report mean, for help and manual. */
extern const sc_topic sc_evaluate_topics[];

/** Print the report for people, within 80 columns. */
void sc_evaluate_print_text(FILE *stream, const sc_evaluate_view *view);

/** Print it as one JSON object. */
void sc_evaluate_print_json(FILE *stream, const sc_evaluate_view *view);

#endif
