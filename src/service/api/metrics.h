/**
 * @file metrics.h
 * @brief What operators watch, in Prometheus' text format. Counts of crowds: no label names
 * anybody.
 *
 *     starcloak_queries_total{outcome="answered"}   {outcome="dropped",reason="expired"}
 *                            {outcome="failed",reason="provider_timeout"}   {outcome="gone"}
 *     starcloak_refused_total{problem="rate"}       starcloak_pending
 *     starcloak_wait_seconds       from asking to the cloak's leaving: what anonymity took
 *     starcloak_exchange_seconds   from there to the answer
 *     starcloak_answer_seconds     both together
 *     starcloak_cloak_users, _cloak_segments, _cloak_effective_segments     (histograms, as these)
 *     starcloak_cloaks_total, _violations_total     starcloak_provider_*, _http_*, _engine_*
 *     starcloak_proposals_total, _proposals_refused_total, _aborted_total, ...: the commit
 *     process_resident_memory_bytes, process_cpu_seconds_total, ...
 *
 * and of a map in several parts, here or in a cluster (metrics_cluster.c)
 *
 *     starcloak_cluster_*     starcloak_worker_*{worker="w1"}     starcloak_part_*{part="3",...}
 *
 * Every one of them is there from the start, with all its reasons, so that nothing has to happen
 * before it can be watched. Effective segments: 2^H by a density of traffic (density.h); all
 * equally busy where none was given.
 */
#ifndef SC_SERVICE_METRICS_H
#define SC_SERVICE_METRICS_H

#include <starcloak/density.h>
#include <starcloak/relay.h>
#include <starcloak/relay_codec.h>

#include "api/service_internal.h"

/** @param density  borrowed; may be NULL */
SC_CHECKED sc_err sc_metrics_new(const sc_density *density, sc_metrics **out);
void sc_metrics_free(sc_metrics *metrics);

/** A cloak leaves. Any thread, as the next. */
void sc_metrics_published(sc_metrics *metrics, const sc_relay *relay, uint32_t users);

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
SC_CHECKED sc_err sc_metrics_write(const sc_service_internal *parts, sc_bytes *out);

/** The page: GET /metrics. */
void sc_metrics_page(const sc_service_internal *parts, sc_http_request *request);

#endif
