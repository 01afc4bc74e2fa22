/**
 * @file prometheus.h
 * @brief Prometheus' exposition format 0.0.4, line by line.
 *
 *     # HELP name What it is.
 *     # TYPE name counter
 *     name{label="value"} 12
 *
 * All lines of a metric stand together, its HELP and TYPE first. A failure (memory is out) is
 * remembered, and asked for once at the end.
 */
#ifndef SC_BASE_PROMETHEUS_H
#define SC_BASE_PROMETHEUS_H

#include "base/histogram.h"
#include "base/json_write.h"

typedef struct sc_prometheus {
    sc_json_writer text;  ///< numbers are written as in JSON
    const char *prefix;   ///< what all names begin with
    bool has_labels;      ///< of the sample at hand
} sc_prometheus;

/** Appends to `out`; `prefix`, which is lent, is put before every name. */
sc_prometheus sc_prometheus_of(sc_bytes *out, const char *prefix);

/** Whether memory was out for any of it. */
bool sc_prometheus_has_failed(const sc_prometheus *metrics);

/** HELP and TYPE ("counter", "gauge"). */
void sc_prometheus_head(sc_prometheus *metrics, const char *name, const char *type,
                        const char *help);

/** A line: its name, then labels if it has any, then one of the two values. */
void sc_prometheus_sample(sc_prometheus *metrics, const char *name);

/** The value may come from outside: it is escaped, and bytes that are not UTF-8 become "?". */
void sc_prometheus_label(sc_prometheus *metrics, const char *label, const char *value);

void sc_prometheus_count(sc_prometheus *metrics, uint64_t value);

/** With fractions, to the millionth: seconds, rates. */
void sc_prometheus_number(sc_prometheus *metrics, double value);

/** Metrics of one line, with HELP and TYPE. */
void sc_prometheus_counter(sc_prometheus *metrics, const char *name, const char *help,
                           uint64_t value);
void sc_prometheus_gauge(sc_prometheus *metrics, const char *name, const char *help,
                         uint64_t value);

void sc_prometheus_histogram(sc_prometheus *metrics, const char *name, const char *help,
                             const sc_histogram *histogram);

#endif
