/**
 * @file partition_report.h
 * @brief What is said about a cut, for people and for programs.
 *
 * Used by: starcloak partition.
 */
#ifndef SC_APPS_PARTITION_REPORT_H
#define SC_APPS_PARTITION_REPORT_H

#include "command.h"

#include "partition/partition_make.h"

/** All that a report tells. */
typedef struct sc_partition_view {
    const char *map;      ///< its path
    const char *output;   ///< where the cut went
    const char *weights;  ///< the record's path; NULL: all segments weigh the same
    const sc_partition *partition;
    const sc_partition_report *report;
    uint32_t seed;
    double seconds;  ///< that cutting took
} sc_partition_view;

void sc_partition_view_print(FILE *stream, const sc_partition_view *view);

/** One JSON object. */
void sc_partition_view_print_json(FILE *stream, const sc_partition_view *view);

/** What the words of the report mean; for help and manual. */
extern const sc_topic sc_partition_topics[];

#endif
