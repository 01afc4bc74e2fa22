/**
 * @file metrics_read.h
 * @brief What the service says of itself at /metrics: the few numbers that its books are held
 * against.
 *
 * Uses: client/fetch. Used by: client/run, client/books.
 */
#ifndef SC_CLIENT_METRICS_READ_H
#define SC_CLIENT_METRICS_READ_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "demo/loadgen/target.h"

/** Counted by the service since its start. */
typedef struct sc_service_counts {
    uint64_t taken;  ///< each is pending, or has one of the next four outcomes; 0: not told
    uint64_t answered;
    uint64_t dropped;  ///< of all reasons, as the next
    uint64_t failed;
    uint64_t gone;
    uint64_t pending;  ///< now
    uint64_t violations;
    bool has_queries;  ///< whether it said anything of queries; else this is another service
    bool has_pending;  ///< whether the next are told
    bool has_violations;
    bool has_cpu;
    double cpu_s;
    uint64_t resident_bytes;  ///< now; 0: not told
} sc_service_counts;

/** Read Prometheus' text format; lines that are not understood are passed over. */
sc_service_counts sc_service_counts_of(const char *text, size_t size);

/** Ask for them. @param path  behind the target's own, as "/metrics"
 *  @return as sc_fetch(), or SC_ENET for another status than 200 */
SC_CHECKED sc_err sc_service_counts_fetch(const sc_target *target, const char *path,
                                          const char *token, sc_service_counts *out, sc_diag *diag);

#endif
