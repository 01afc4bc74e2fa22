/**
 * @file metrics_internal.h
 * @brief What metrics are written from: everything that was counted, read once.
 *
 * For: metrics.c, which reads, metrics_write.c and metrics_cluster.c, which write, and their tests.
 */
#ifndef SC_SERVICE_METRICS_INTERNAL_H
#define SC_SERVICE_METRICS_INTERNAL_H

#include "api/metrics.h"
#include "api/process_figures.h"
#include "base/histogram.h"
#include "cluster/cluster_view.h"

struct sc_metrics {
    const sc_density *density;
    sc_histogram wait;
    sc_histogram exchange;
    sc_histogram answer;
    sc_histogram users;
    sc_histogram segments;
    sc_histogram effective;
    double started_s;  ///< since 1970
};

/** All figures of one moment, or nearly: what is read later may have gone on. */
typedef struct sc__readings {
    const sc_metrics *metrics;
    const char *map_source;
    uint64_t map_checksum;
    uint64_t map_segments;
    sc_ledger_stats ledger;
    sc_courier_stats courier;
    const sc_histogram *provider_latency;
    sc_http_stats http;
    uint64_t refused[SC_PROBLEM_COUNT];
    uint64_t listeners;
    uint64_t events_lost;
    uint64_t log_lost;
    sc_process_figures process;
    const sc_cluster_view *view;  ///< NULL: one part, and nothing to tell of it
} sc__readings;

/** Append them to `out`. False if memory is out. */
bool sc__metrics_print(const sc__readings *readings, sc_bytes *out);

/** The part of it that is about workers and parts. */
bool sc__metrics_print_cluster(const sc_cluster_view *view, sc_bytes *out);

#endif
