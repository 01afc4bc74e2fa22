/**
 * @file run_report.h
 * @brief What a run came to, as a table for people and as JSON for programs.
 *
 * The numbers are the library's (sim/run.h). Medians and percentiles of waits
 * are within 0.05 %, all else is exact.
 */
#ifndef SC_APPS_RUN_REPORT_H
#define SC_APPS_RUN_REPORT_H

#include <stdio.h>

#include "command.h"
#include "engine_options.h"
#include "sim/run.h"

/** All that is printed about one run. Everything is borrowed. */
typedef struct sc_run_view {
    const char *map;
    const char *stream;  ///< where the queries came from; NULL if travellers asked them
    uint64_t users;      ///< of travellers: how many, and for how long they asked
    double seconds;
    bool has_answers;  ///< of travellers: whether their record has answers
    uint64_t answers;
    const sc_run_options *options;
    const sc_run_report *report;
} sc_run_view;

/** What the words of a report mean, for help and manual. */
extern const sc_topic sc_run_topics[];

/**
 * End a run. Standard error shows the questions that were not admitted, the first ones and
 * how many, or, unless `settings` want quiet, that there were no questions at all. Then the
 * report is printed as `settings` want it: on standard output, or, if the record goes there, on
 * standard error.
 */
void sc_run_print(const sc_call *call, const sc_run_view *view, const sc_engine_settings *settings);

#endif
