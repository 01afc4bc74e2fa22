/**
 * @file metrics_text.h
 * @brief Prometheus' exposition format 0.0.4, line by line.
 *
 *     # HELP name What it is.
 *     # TYPE name counter
 *     name{label="value"} 12
 *
 * All lines of a metric stand together, its HELP and TYPE first. Each function appends, and returns
 * false if memory is out.
 *
 * Used by: metrics_write.c, metrics_cluster.c.
 */
#ifndef SC_SERVICE_METRICS_TEXT_H
#define SC_SERVICE_METRICS_TEXT_H

#include <starcloak/relay_codec.h>

#include "base/histogram.h"

bool sc__metric_append(sc_bytes *out, const char *const *texts, size_t count);

/** Texts, one after the other. */
#define SC__APPEND(out, ...)                                     \
    sc__metric_append((out), (const char *const[]){__VA_ARGS__}, \
                      sizeof(const char *[]){__VA_ARGS__} / sizeof(char *))

/** HELP and TYPE. */
bool sc__metric_head(sc_bytes *out, const char *name, const char *type, const char *help);

/** A space, the value and the end of the line, behind a name with its labels. */
bool sc__metric_whole(sc_bytes *out, uint64_t value);

/** The same with fractions, to the millionth: seconds, rates. */
bool sc__metric_number(sc_bytes *out, double value);

/** Metrics of one line. */
bool sc__metric_counter(sc_bytes *out, const char *name, const char *help, uint64_t value);
bool sc__metric_gauge(sc_bytes *out, const char *name, const char *help, uint64_t value);

bool sc__metric_histogram(sc_bytes *out, const char *name, const char *help,
                          const sc_histogram *histogram);

/** A stranger's words within a label's quotes. */
bool sc__metric_label(sc_bytes *out, const char *text);

#endif
