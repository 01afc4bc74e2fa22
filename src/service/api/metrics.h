/**
 * @file metrics.h
 * @brief What operators watch, in Prometheus' text format. Sums over all queries: no label
 * belongs to a user.
 *
 *     starcloak_queries_total{outcome="answered"}   {outcome="dropped",reason="expired"}
 *                            {outcome="failed",reason="provider_timeout"}   {outcome="gone"}
 *     starcloak_refused_total{problem="rate"}       starcloak_pending, _pending_by_k{k="6-10"}
 *     starcloak_wait_seconds       from asking to the cloak's leaving: what anonymity took
 *     starcloak_exchange_seconds   from there to the answer
 *     starcloak_answer_seconds     both together
 *     starcloak_cloak_users, _cloak_segments, _cloak_effective_segments     (histograms, as these)
 *     starcloak_async_queries_total, _pending, _outcomes, _lapsed_total, ...: lives of their own
 *     starcloak_cloaks_total, _violations_total     starcloak_provider_*, _http_*, _engine_*
 *     starcloak_proposals_total, _proposals_refused_total, _aborted_total, ...: the commit
 *     process_resident_memory_bytes, process_cpu_seconds_total, ...
 *
 * and of a map in several parts, here or in a cluster (metrics_cluster.c)
 *
 *     starcloak_cluster_*     starcloak_worker_*{worker="w1"}     starcloak_part_*{part="3",...}
 *
 * Every metric is there from the start, with all its labels, so that alerts can be written before
 * anything happened. Effective segments: 2^H by a density of traffic (density.h); all
 * equally busy where none was given.
 */
#ifndef SC_API_METRICS_H
#define SC_API_METRICS_H

#include <starcloak/density.h>
#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

#include "api/async_queries.h"

#include "api/cloak_log.h"
#include "api/oblivious_gateway.h"
#include "api/served_map.h"
#include "api/service_internal.h"
#include "base/histogram.h"
#include "base/process.h"
#include "cluster/cluster_view.h"
#include "report/report_log.h"

SC_CHECKED sc_err sc_metrics_new(sc_metrics **out);
void sc_metrics_free(sc_metrics *metrics);

/** Count days, too. Before anything is counted. @param log  borrowed */
void sc_metrics_report_to(sc_metrics *metrics, sc_report_log *log);

/** A cloak leaves. Any thread, as the next. @param density  of its map; may be NULL */
void sc_metrics_published(sc_metrics *metrics, const sc_density *density, const sc_relay *relay,
                          uint32_t users);

/** A query is settled. */
void sc_metrics_settled(sc_metrics *metrics, const sc_ticket *ticket);

/** Sums over all that was counted so far. */
typedef struct sc_metrics_sums {
    double wait_s;      ///< of answered queries, until their cloaks left
    uint64_t users;     ///< of cloaks
    uint64_t segments;  ///< of cloaks
} sc_metrics_sums;

sc_metrics_sums sc_metrics_sums_of(const sc_metrics *metrics);

/** All of it, into `out` in place of what was there. */
SC_CHECKED sc_err sc_metrics_write(const sc_service_internal *service, sc_bytes *out);

/** The page: GET /metrics. */
void sc_metrics_page(const sc_service_internal *service, sc_http_request *request);

// --- What this process uses of its machine -------------------------------------------------------
//
// Counting descriptors takes longer the more there are: for a page that is asked for now and then.
// The filter of a service (sandbox.h) lets all of it pass. What cannot be read, since /proc is not
// there, is left unknown.

typedef struct sc_process_usage {
    sc_process_use use;
    bool knows_descriptors;
    uint64_t descriptors;  ///< open; without those of clients, where loops have their own table
} sc_process_usage;

sc_process_usage sc_process_usage_read(void);

// --- All counters, read once before they are written ---------------------------------------------

struct sc_metrics {
    sc_report_log *report_log;  ///< NULL: there is none
    sc_histogram wait;
    sc_histogram exchange;
    sc_histogram answer;
    sc_histogram users;
    sc_histogram segments;
    sc_histogram effective;
    double started_s;  ///< since 1970
};

/** All figures of one moment, or nearly: what is read later may have gone on. */
typedef struct sc__metrics_snapshot {
    const sc_metrics *metrics;
    const char *version;  ///< of the program
    const char *map_source;
    uint64_t map_checksum;
    uint64_t map_segments;
    sc_served_sums all;  ///< of all maps since the start
    sc_http_stats http;
    uint64_t refused[SC_PROBLEM_COUNT];
    uint64_t pending_by_k[SC_PENDING_SIZES];
    sc_async_stats async;
    uint64_t listeners;
    uint64_t events_lost;
    uint64_t log_lost;
    bool has_oblivious;
    sc_oblivious_stats oblivious;  ///< if requests may come sealed
    bool has_pass;
    sc_pass_issuer_stats pass;  ///< if anonymous tokens are accepted
    bool has_cloak_log;
    sc_cloak_log_stats cloak_log;  ///< if there is one
    bool is_recording;             ///< users and true positions, for an audit
    uint64_t report_log_failures;  ///< 0 without a report log
    sc_process_usage process;
    const sc_cluster_view *view;  ///< NULL: one part
} sc__metrics_snapshot;

/** Append them to `out`. False if memory is out. */
bool sc__metrics_print(const sc__metrics_snapshot *snapshot, sc_bytes *out);

/** The part of it that is about workers and parts. */
bool sc__metrics_print_cluster(const sc_cluster_view *view, sc_bytes *out);

#endif
