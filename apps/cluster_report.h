/**
 * @file cluster_report.h
 * @brief A cluster as tables for people.
 *
 * Used by: cluster status.
 */
#ifndef SC_APPS_CLUSTER_REPORT_H
#define SC_APPS_CLUSTER_REPORT_H

#include <stdio.h>

#include "cluster/cluster_view.h"

void sc_cluster_report(FILE *out, const sc_cluster_view *view, bool has_parts);

/** A gateway is there, and every part is served. */
bool sc_cluster_report_is_fine(const sc_cluster_view *view);

#endif
