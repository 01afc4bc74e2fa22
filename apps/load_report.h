/**
 * @file load_report.h
 * @brief What asking a service came to, as a table for people and as JSON for programs.
 *
 * Percentiles are within 0.4 %, all else is exact.
 */
#ifndef SC_APPS_LOAD_REPORT_H
#define SC_APPS_LOAD_REPORT_H

#include <stdio.h>

#include "command.h"
#include "demo/loadgen/loadgen.h"

/** All that is printed about one run. Everything is borrowed. */
typedef struct sc_load_view {
    const char *map;
    const sc_load_options *options;
    const sc_load_report *report;
} sc_load_view;

/** What the words of a report mean, for help and manual. */
extern const sc_topic sc_load_topics[];

void sc_load_print(FILE *stream, bool is_json, const sc_load_view *view);

#endif
